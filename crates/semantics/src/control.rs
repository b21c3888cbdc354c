//! What holds when control takes an edge, and what flows into a phi.

use program::{BlockId, Op, Operand, SiteKind, Terminator};
use smt::Term;

use crate::builder::{Builder, Made};
use crate::value::Gap;

impl Builder<'_> {
    /// What holds when control leaves a site by this side, given the value that the site looks at: for an expression without a branch, the
    /// number by which its counter grows.
    ///
    /// # Errors
    /// [`Gap::Operands`] where the value has not the width that the site looks at.
    pub fn taken(&mut self, kind: &SiteKind, side: u32, looked_at: Term) -> Made<Term> {
        let width = self.pool.width(looked_at);
        if *kind == SiteKind::Select {
            let zero = self.pool.constant(width, 0);
            return Ok(match side {
                0 => self.pool.eq(looked_at, zero),
                _ => self.pool.ne(looked_at, zero),
            });
        }
        let SiteKind::Switch { bits, cases } = kind else {
            return match (width, side) {
                (1, 1) => Ok(looked_at),
                (1, _) => Ok(self.pool.not(looked_at)),
                _ => Err(Gap::Operands),
            };
        };
        if u32::from(width) != *bits {
            return Err(Gap::Operands);
        }
        if let Some(case) = cases.get(side as usize) {
            let case = self.pool.constant(width, *case);
            return Ok(self.pool.eq(looked_at, case));
        }
        let mut none = self.pool.bool(true);
        for case in cases {
            let case = self.pool.constant(width, *case);
            let other = self.pool.ne(looked_at, case);
            none = self.pool.and(none, other);
        }
        Ok(none)
    }
}

/// What an instruction with a site looks at: the number by which its counter grows, 0 or 1.
#[must_use]
pub fn grows_by(op: &Op) -> Option<&Operand> {
    match op {
        Op::Count {
            step,
            site: Some(_),
            ..
        } => step.as_ref(),
        _ => None,
    }
}

/// What a terminator with a site looks at.
#[must_use]
pub fn looked_at(terminator: &Terminator) -> Option<&Operand> {
    match terminator {
        Terminator::CondBr { cond, .. } => Some(cond),
        Terminator::Switch { value, .. } => Some(value),
        _ => None,
    }
}

/// What a phi is when control comes from `from`. The phis of a block are one parallel assignment.
#[must_use]
pub fn incoming(op: &Op, from: BlockId) -> Option<&Operand> {
    let Op::Phi { incoming } = op else {
        return None;
    };
    let found = incoming.iter().find(|(block, _)| *block == from);
    found.map(|(_, operand)| operand)
}
