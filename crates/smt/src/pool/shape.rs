//! Terms, taken apart: for those who compile them.

use super::{Pool, Tag};
use crate::{Op, Term, Var};

/// One term as an operation over terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// A value.
    Constant(u128),
    /// The low bits of a variable, as many as the term has.
    Var(Var),
    /// Element `index` of `entries`; an index outside reads the last one.
    Table {
        /// Which element.
        index: Term,
        /// The elements.
        entries: &'a [Term],
    },
    /// An operation.
    Op {
        /// Which.
        op: Op,
        /// Lowest bit of an `Extract`, mode of an `FRound`.
        aux: u8,
        /// As many operands as the operation has; the rest repeats the first.
        operands: [Term; 3],
    },
}

impl Pool {
    /// What a term is made of.
    #[must_use]
    pub fn shape(&self, term: Term) -> Shape<'_> {
        let node = self.node(term);
        match node.tag {
            Tag::Const | Tag::Wide => Shape::Constant(self.node_const(node).unwrap_or(0)),
            Tag::Var => Shape::Var(Var(node.a)),
            Tag::Table => Shape::Table {
                index: Term(node.a),
                entries: self.table_entries(node),
            },
            Tag::Op(op) => {
                let given = [node.a, node.b, node.c].map(Term);
                let arity = op.arity();
                let operand = |at: usize| if at < arity { given[at] } else { given[0] };
                Shape::Op {
                    op,
                    aux: node.aux,
                    operands: [operand(0), operand(1), operand(2)],
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_what_it_was_made_from() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(3), 8), pool.var(Var(4), 8));
        let seven = pool.constant(8, 7);
        let product = pool.bin(Op::Mul, x, y);
        let table = pool.table(x, vec![y, seven].into());
        assert_eq!(pool.shape(x), Shape::Var(Var(3)));
        assert_eq!(pool.shape(seven), Shape::Constant(7));
        let Shape::Op { op, operands, .. } = pool.shape(product) else {
            panic!("a product is an operation");
        };
        assert!(op == Op::Mul && (operands[0] == x || operands[0] == y));
        let expected: &[Term] = &[y, seven];
        assert!(
            matches!(pool.shape(table), Shape::Table { index, entries } if index == x && entries == expected)
        );
    }
}
