//! What is known of values: numbers, and places in objects.

use std::collections::BTreeMap;

use program::{ICmp, Op, Operand, Type};
use semantics::{Builder, Open, Symbol, Value};
use smt::{Pool, Term, Var};

use super::memory::Kind;
use super::{Opening, State, UNKNOWN};

impl Opening<'_> {
    /// What is computed of operands that are known.
    pub(super) fn computed(&mut self, way: &State, op: &Op, ty: &Type) -> Option<Value> {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let known: Option<Vec<Value>> = operands
            .into_iter()
            .map(|operand| self.operand(way, operand))
            .collect();
        let known = known?;
        if let (Op::ICmp { pred, .. }, [a, b]) = (op, &known[..])
            && let (Some(a), Some(b)) = (a.scalar(), b.scalar())
            && let Some(holds) = self.compared(*pred, a, b)
        {
            return Some(Value::Scalar(self.pool.bool(holds)));
        }
        let layout = self.program.layout;
        let mut any = |pool: &mut Pool, bits| pool.var(Var(UNKNOWN + u32::from(bits)), bits);
        let made = Builder::new(&mut self.pool, layout).sure_value(op, ty, &known, &mut any);
        let made = made.ok()?;
        let is_known = |term: &Term| self.pool.vars(*term).iter().all(|var| var.0 < UNKNOWN);
        made.scalars().iter().all(is_known).then_some(made)
    }

    /// How two addresses, or an address and a number, compare.
    pub(super) fn compared(&self, pred: ICmp, a: Term, b: Term) -> Option<bool> {
        let (a_place, b_place) = (self.place_of(a), self.place_of(b));
        if let (Some((a, a_at)), Some((b, b_at))) = (a_place, b_place) {
            let is_inside = |at: i64| at >= 0 && self.size(a).is_none_or(|size| at as u64 <= size);
            let is_number = matches!(self.objects[a as usize], Kind::Sign(_));
            if a != b || is_number || !is_inside(a_at) || !is_inside(b_at) {
                return None;
            }
            return match pred {
                ICmp::Eq => Some(a_at == b_at),
                ICmp::Ne => Some(a_at != b_at),
                ICmp::Ult => Some(a_at < b_at),
                ICmp::Ule => Some(a_at <= b_at),
                ICmp::Ugt => Some(a_at > b_at),
                ICmp::Uge => Some(a_at >= b_at),
                _ => None,
            };
        }
        let ((object, at), number) = match (a_place, b_place) {
            (Some(place), None) => (place, self.pool.as_const(b)?),
            (None, Some(place)) if matches!(pred, ICmp::Eq | ICmp::Ne) => {
                (place, self.pool.as_const(a)?)
            }
            _ => return None,
        };
        if number != 0 {
            return None;
        }
        if let Kind::Sign(is_negative) = self.objects[object as usize] {
            return match pred {
                _ if at != 0 => None,
                ICmp::Eq => Some(false),
                ICmp::Ne => Some(true),
                ICmp::Slt | ICmp::Sle => Some(is_negative),
                ICmp::Sgt | ICmp::Sge => Some(!is_negative),
                _ => None,
            };
        }
        let is_inside = at >= 0 && self.size(object).is_none_or(|size| at as u64 <= size);
        let is_there = is_inside && self.is_there(object);
        match pred {
            ICmp::Eq if is_there => Some(false),
            ICmp::Ne if is_there => Some(true),
            _ => None,
        }
    }

    /// What is known of an operand.
    pub(super) fn operand(&mut self, way: &State, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Value(value) => way.frames.last()?.values.get(value).cloned(),
            Operand::Const(constant) => {
                let layout = self.program.layout;
                let mut open = Addresses {
                    objects: &mut self.objects,
                    symbols: &mut self.symbols,
                };
                let mut builder = Builder::new(&mut self.pool, layout);
                builder.constant(constant, &mut open).ok()
            }
        }
    }

    /// The number that an operand is.
    pub(super) fn number(&mut self, way: &State, operand: &Operand) -> Option<u128> {
        let known = self.operand(way, operand)?.scalar()?;
        self.pool.as_const(known)
    }

    /// The place that an operand is the address of.
    pub(super) fn place(&mut self, way: &State, operand: &Operand) -> Option<(u32, i64)> {
        let known = self.operand(way, operand)?.scalar()?;
        self.place_of(known)
    }

    /// The object that a term is the address of, and where in it.
    pub(super) fn place_of(&self, term: Term) -> Option<(u32, i64)> {
        let (parts, constant) = self.pool.summands(term);
        let [only] = parts[..] else { return None };
        let object = self.pool.as_var(only)?.0;
        let unused = 128 - u32::from(self.pool.width(term));
        let at = (constant << unused).cast_signed() >> unused;
        let is_object = (object as usize) < self.objects.len();
        is_object.then_some((object, i64::try_from(at).ok()?))
    }

    /// A new object.
    pub(super) fn object(&mut self, kind: Kind) -> u32 {
        self.objects.push(kind);
        (self.objects.len() - 1) as u32
    }

    /// The address of an object.
    pub(super) fn address(&mut self, object: u32) -> Term {
        let bits = match self.objects[object as usize] {
            Kind::Sign(_) => 32,
            _ => 64,
        };
        self.pool.var(Var(object), bits)
    }
}

/// Where symbols stand.
struct Addresses<'o> {
    objects: &'o mut Vec<Kind>,
    symbols: &'o mut BTreeMap<Symbol, u32>,
}

impl Open for Addresses<'_> {
    fn address(
        &mut self,
        pool: &mut Pool,
        symbol: Symbol,
        bits: u16,
    ) -> Result<Term, semantics::Gap> {
        let objects = &mut *self.objects;
        let number = *self.symbols.entry(symbol).or_insert_with(|| {
            objects.push(Kind::Symbol(symbol));
            (objects.len() - 1) as u32
        });
        Ok(pool.var(Var(number), bits))
    }

    fn undefined(&mut self, _: &mut Pool, _: u16) -> Result<Term, semantics::Gap> {
        Err(semantics::Gap::Unmodelled)
    }
}
