//! Sums, taken apart.

use super::Pool;
use crate::{Op, Term};

impl Pool {
    /// The parts of a sum that are no sums and no constants, sorted, and the sum of its constants, modulo the term's width.
    #[must_use]
    pub fn summands(&self, term: Term) -> (Vec<Term>, u128) {
        let bits = self.width(term);
        let (mut parts, mut constant) = (Vec::new(), 0u128);
        let mut todo = vec![term];
        while let Some(next) = todo.pop() {
            if let Some(value) = self.as_const(next) {
                constant = constant.wrapping_add(value);
            } else if let Some([a, b, _]) = self.operands(next, Op::Add) {
                todo.extend([a, b]);
            } else {
                parts.push(next);
            }
        }
        parts.sort_unstable();
        (parts, constant & crate::eval::mask(bits))
    }

    /// The variable that a term is, if it is one that is read whole.
    #[must_use]
    pub fn as_var(&self, term: Term) -> Option<crate::Var> {
        let node = self.node(term);
        matches!(node.tag, super::Tag::Var).then_some(crate::Var(node.a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Var;

    #[test]
    fn a_sum_is_its_parts_and_one_constant() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(0), 64), pool.var(Var(1), 64));
        let (four, minus) = (pool.constant(64, 4), pool.constant(64, u128::MAX));
        let scaled = pool.bin(Op::Mul, y, four);
        let sum = pool.bin(Op::Add, x, minus);
        let sum = pool.bin(Op::Add, sum, scaled);
        let sum = pool.bin(Op::Add, sum, four);
        let mut parts = vec![x, scaled];
        parts.sort_unstable();
        assert_eq!(pool.summands(sum), (parts, 3));
        assert_eq!(pool.summands(four), (Vec::new(), 4));
        assert_eq!(pool.as_var(x), Some(Var(0)));
        assert_eq!(pool.as_var(sum), None);
    }
}
