//! How far a condition is from being as it is wanted, under one assignment: the branch distance of search-based
//! testing (Tracey, Clark, Mander, McDermid 1998, table 1; Korel 1990).
//!
//! Must hold: 0 exactly when the condition is as wanted; nothing recurses.

use crate::eval::{Evaluator, signed};
use crate::pool::Tag;
use crate::{Op, Term};

/// Terms looked at under one condition; what lies deeper is near or not, 0 or 1.
const LIMIT: usize = 64;

impl Evaluator<'_> {
    /// The distance of a term of width 1 from being true (`wanted`) or false: for comparisons the distance of the
    /// operands, for a conjunction the sum, for a disjunction the least of its parts. What compares nothing is 1 away.
    pub fn distance(&mut self, term: Term, wanted: bool) -> u64 {
        if (self.value(term) == 1) == wanted {
            return 0;
        }
        // Sums of a conjunction and least of a disjunction, without recursion: only chains of one kind are followed.
        let (term, wanted) = self.without_negations(term, wanted);
        let kind = self.pool.node(term).tag;
        let parts = match kind {
            Tag::Op(op @ (Op::And | Op::Or)) => self.parts(term, op),
            _ => vec![term],
        };
        let sum = (kind == Tag::Op(Op::And)) == wanted;
        let distances = parts.into_iter().map(|part| self.of_part(part, wanted));
        if sum {
            distances.fold(0, u64::saturating_add)
        } else {
            distances.min().unwrap_or(1)
        }
    }

    /// The same wish about what is negated.
    fn without_negations(&self, mut term: Term, mut wanted: bool) -> (Term, bool) {
        while self.pool.node(term).tag == Tag::Op(Op::Not) {
            term = Term(self.pool.node(term).a);
            wanted = !wanted;
        }
        (term, wanted)
    }

    /// The operands of a chain of one operation.
    fn parts(&self, term: Term, op: Op) -> Vec<Term> {
        let (mut parts, mut todo) = (Vec::new(), vec![term]);
        while let Some(next) = todo.pop() {
            let node = self.pool.node(next);
            if node.tag == Tag::Op(op) && parts.len() + todo.len() < LIMIT {
                todo.extend([Term(node.b), Term(node.a)]);
            } else {
                parts.push(next);
            }
        }
        parts
    }

    fn of_part(&mut self, term: Term, wanted: bool) -> u64 {
        if (self.value(term) == 1) == wanted {
            return 0;
        }
        let (term, wanted) = self.without_negations(term, wanted);
        let node = self.pool.node(term);
        let Tag::Op(op @ (Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle)) = node.tag else {
            return 1;
        };
        let (a, b) = (Term(node.a), Term(node.b));
        let bits = self.pool.width(a);
        let (a, b) = (self.value(a), self.value(b));
        let gap = match op {
            Op::Slt | Op::Sle => signed(a, bits).abs_diff(signed(b, bits)),
            _ => a.abs_diff(b),
        };
        // a == b that is not wanted, and a < b that just fails, are one step away.
        let strict = match (op, wanted) {
            (Op::Eq, true) | (Op::Ule | Op::Sle, true) | (Op::Ult | Op::Slt, false) => 0,
            _ => 1,
        };
        u64::try_from(gap.saturating_add(strict)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::Evaluator;
    use crate::{Assignment, Op, Pool, Term, Var};

    /// Distances of `make(x)` from true and from false, with x = 10 and y = 200 (both of 8 bits).
    fn check(make: impl Fn(&mut Pool, Term, Term) -> Term, expected: (u64, u64)) {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(0), 8), pool.var(Var(1), 8));
        let term = make(&mut pool, x, y);
        let mut values = Assignment::new();
        values.set(Var(0), 10);
        values.set(Var(1), 200);
        let mut evaluator = Evaluator::new(&pool, &values);
        let found = (
            evaluator.distance(term, true),
            evaluator.distance(term, false),
        );
        assert_eq!(found, expected);
    }

    fn with(op: Op, value: u128) -> impl Fn(&mut Pool, Term) -> Term {
        move |pool, x| {
            let value = pool.constant(8, value);
            pool.cmp(op, x, value)
        }
    }

    #[test]
    fn comparisons() {
        check(|pool, x, _| with(Op::Eq, 7)(pool, x), (3, 0));
        check(|pool, x, _| with(Op::Eq, 10)(pool, x), (0, 1));
        check(|pool, x, _| with(Op::Ult, 10)(pool, x), (1, 0));
        check(|pool, x, _| with(Op::Ult, 4)(pool, x), (7, 0));
        check(|pool, x, _| with(Op::Ult, 12)(pool, x), (0, 2));
        check(|pool, _, y| with(Op::Slt, 4)(pool, y), (0, 60));
    }

    #[test]
    fn connectives() {
        let both = |pool: &mut Pool, x: Term, y: Term| {
            let (a, b) = (with(Op::Eq, 7)(pool, x), with(Op::Eq, 190)(pool, y));
            pool.and(a, b)
        };
        check(both, (13, 0));
        check(
            |pool, x, y| {
                let (a, b) = (with(Op::Eq, 7)(pool, x), with(Op::Eq, 190)(pool, y));
                pool.or(a, b)
            },
            (3, 0),
        );
        check(
            |pool, x, y| {
                let both = both(pool, x, y);
                pool.not(both)
            },
            (0, 13),
        );
    }
}
