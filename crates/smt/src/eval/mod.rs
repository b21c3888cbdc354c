//! Evaluation: the values of terms under an assignment.

mod distance;
mod float;
mod semantics;
mod tape;

pub(crate) use semantics::{compute, mask, sign_bit, signed};
pub(crate) use tape::{Scratch, Step, Tape};

use crate::{Assignment, Pool, Term};

/// The value of one term.
#[must_use]
pub fn eval(pool: &Pool, term: Term, assignment: &Assignment) -> u128 {
    Evaluator::new(pool, assignment).value(term)
}

/// Values of many terms under one assignment; each term is computed once.
#[derive(Debug)]
pub struct Evaluator<'a> {
    pool: &'a Pool,
    assignment: &'a Assignment,
    known: std::collections::HashMap<Term, u128, crate::pool::hash::MixBuild>,
}

impl<'a> Evaluator<'a> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(pool: &'a Pool, assignment: &'a Assignment) -> Self {
        Self {
            pool,
            assignment,
            known: std::collections::HashMap::default(),
        }
    }

    /// The value of `term`.
    pub fn value(&mut self, term: Term) -> u128 {
        let mut todo = vec![term];
        while let Some(&top) = todo.last() {
            if self.known.contains_key(&top) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let node = self.pool.node(top);
            self.pool.for_each_operand(node, |t| {
                if !self.known.contains_key(&t) {
                    todo.push(t);
                }
            });
            if todo.len() == before {
                todo.pop();
                let value = self.compute(top);
                self.known.insert(top, value);
            }
        }
        self.known[&term]
    }

    /// The value of `term`, its operands known.
    fn compute(&self, term: Term) -> u128 {
        use crate::pool::Tag;
        let node = self.pool.node(term);
        match node.tag {
            Tag::Const | Tag::Wide => self.pool.as_const(term).expect("a constant"),
            Tag::Var => self.assignment.get(crate::Var(node.a)) & mask(node.bits),
            Tag::Table => {
                let entries = self.pool.table_entries(node);
                let last = entries.len() - 1;
                let i = usize::try_from(self.known[&Term(node.a)]).map_or(last, |i| i.min(last));
                self.known[&entries[i]]
            }
            Tag::Op(op) => {
                let mut x = [0; 3];
                for (value, operand) in x.iter_mut().zip([node.a, node.b, node.c]).take(op.arity())
                {
                    *value = self.known[&Term(operand)];
                }
                compute(op, node.bits, node.aux, self.pool.width(Term(node.a)), x)
            }
        }
    }
}
