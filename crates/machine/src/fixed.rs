//! Expressions that a recorded constraint fixes to their value on this run: a pointer that was pinned once is neither pinned again nor
//! read through as a table at its later uses, as in a native run (`runtime::fixed`).
//!
//! Must hold: an expression is in the set only after a constraint that says what its value is.

use std::collections::BTreeSet;

use smt::{Op, Pool, Shape, Term};

/// Terms without the constants that are added to them: such a sum is fixed when the rest is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fixed(BTreeSet<Term>);

impl Fixed {
    /// Whether a value is known on this run though it is symbolic.
    pub fn has(&self, pool: &Pool, term: Term) -> bool {
        !self.0.is_empty() && self.0.contains(&base(pool, term))
    }

    /// Remembers that a constraint fixes the value.
    pub fn add(&mut self, pool: &Pool, term: Term) {
        self.0.insert(base(pool, term));
    }
}

/// The term without constants that are added to it.
fn base(pool: &Pool, mut term: Term) -> Term {
    loop {
        let Shape::Op {
            op: Op::Add,
            operands: [a, b, _],
            ..
        } = pool.shape(term)
        else {
            return term;
        };
        term = match (pool.as_const(a), pool.as_const(b)) {
            (_, Some(_)) => a,
            (Some(_), _) => b,
            _ => return term,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Var;

    #[test]
    fn what_is_added_does_not_count() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(0), 64), pool.var(Var(1), 64));
        let (four, nine) = (pool.constant(64, 4), pool.constant(64, 9));
        let near = pool.bin(Op::Add, x, four);
        let far = pool.bin(Op::Add, nine, x);
        let sum = pool.bin(Op::Add, x, y);
        let mut fixed = Fixed::default();
        assert!(!fixed.has(&pool, x));
        fixed.add(&pool, near);
        for (term, known) in [
            (x, true),
            (near, true),
            (far, true),
            (y, false),
            (sum, false),
        ] {
            assert_eq!(fixed.has(&pool, term), known);
        }
    }
}
