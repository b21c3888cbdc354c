//! Bits of a value in one row, cut anew: what `bitcast` does, and what memory does with vectors.
//!
//! On a little-endian machine lane 0 is the lowest part of the row, on a big-endian one the highest.

use program::{Endian, Type};
use smt::Term;

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value, count};

impl Builder<'_> {
    /// The same bits as a scalar or vector of another type.
    pub(crate) fn recut(&mut self, parts: Vec<Term>, ty: &Type) -> Made {
        let bits = self.lane_width(ty)?;
        let lanes = match ty {
            Type::Vector(_) => count(ty).ok_or(Gap::Type)?,
            _ => 1,
        };
        let given: u64 = parts
            .iter()
            .map(|&part| u64::from(self.pool.width(part)))
            .sum();
        if lanes == 0 || given != u64::from(bits) * lanes {
            return Err(Gap::Operands);
        }
        let mut terms = self.cut(parts, bits);
        match (ty, terms.as_mut_slice()) {
            (Type::Vector(_), _) => {
                let lanes: Vec<Value> = terms.into_iter().map(Value::Scalar).collect();
                Ok(lanes.into())
            }
            (_, &mut [term]) => Ok(term.into()),
            _ => Err(Gap::Operands),
        }
    }

    /// Parts of another width, from parts that follow one another in memory; the last one may be narrower.
    pub(crate) fn cut(&mut self, mut parts: Vec<Term>, bits: u16) -> Vec<Term> {
        let big = self.layout.endian == Endian::Big;
        if big {
            parts.reverse();
        }
        let mut made = Vec::new();
        let mut whole: Option<Term> = None;
        for part in parts {
            let mut at = 0;
            let width = self.pool.width(part);
            while at < width {
                let have = whole.map_or(0, |term| self.pool.width(term));
                let take = (bits - have).min(width - at);
                let piece = self.pool.extract(part, at, take);
                let joined = match whole {
                    Some(low) => self.pool.concat(piece, low),
                    None => piece,
                };
                at += take;
                if have + take == bits {
                    made.push(joined);
                    whole = None;
                } else {
                    whole = Some(joined);
                }
            }
        }
        made.extend(whole);
        if big {
            made.reverse();
        }
        made
    }
}
