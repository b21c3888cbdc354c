//! Evaluation: the values of terms under an assignment.

mod bits;
mod distance;
mod float;
mod semantics;
mod tape;

pub(crate) use bits::{mask, sign_bit, signed};
pub use float::number;
pub(crate) use float::{infinity, is_finite, is_nan};
pub(crate) use semantics::compute;
pub(crate) use tape::{Scratch, Step, Tape};

use crate::pool::Tag;
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
    values: Values,
}

impl<'a> Evaluator<'a> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(pool: &'a Pool, assignment: &'a Assignment) -> Self {
        Self {
            pool,
            assignment,
            values: Values::default(),
        }
    }

    /// The value of `term`.
    pub fn value(&mut self, term: Term) -> u128 {
        self.values.value(self.pool, self.assignment, term)
    }
}

/// What an [`Evaluator`] knows, for those who change the pool in between: terms may be added, and none may go away.
#[derive(Debug, Default)]
pub struct Values(std::collections::HashMap<Term, u128, crate::pool::hash::MixBuild>);

impl Values {
    /// The value of `term`; the assignment is always the same.
    pub fn value(&mut self, pool: &Pool, assignment: &Assignment, term: Term) -> u128 {
        let mut todo = vec![term];
        while let Some(&top) = todo.last() {
            if self.get(pool, top).is_some() {
                todo.pop();
                continue;
            }
            match self.compute(pool, assignment, top) {
                Ok(value) => {
                    todo.pop();
                    self.0.insert(top, value);
                }
                Err(missing) => todo.extend(missing.into_iter().flatten()),
            }
        }
        self.get(pool, term).expect("it was computed")
    }

    /// What is known of a term's value. Constants are not remembered: tables have hundreds of them.
    fn get(&self, pool: &Pool, term: Term) -> Option<u128> {
        match pool.node(term).tag {
            Tag::Const | Tag::Wide => pool.as_const(term),
            _ => self.0.get(&term).copied(),
        }
    }

    /// The value of `term`, or the operands that must be known first. Of a table's entries it is the one that counts.
    fn compute(
        &self,
        pool: &Pool,
        assignment: &Assignment,
        term: Term,
    ) -> Result<u128, [Option<Term>; 3]> {
        let node = pool.node(term);
        match node.tag {
            Tag::Const | Tag::Wide => Ok(pool.as_const(term).expect("a constant")),
            Tag::Var => Ok(assignment.get(crate::Var(node.a)) & mask(node.bits)),
            Tag::Table => {
                let index = Term(node.a);
                let at = self.get(pool, index).ok_or([Some(index), None, None])?;
                let entries = pool.table_entries(node);
                let last = entries.len() - 1;
                let entry = entries[usize::try_from(at).map_or(last, |at| at.min(last))];
                self.get(pool, entry).ok_or([Some(entry), None, None])
            }
            Tag::Op(op) => {
                let operands = [node.a, node.b, node.c].map(Term);
                let (mut values, mut missing) = ([0; 3], [None; 3]);
                for (index, &operand) in operands.iter().take(op.arity()).enumerate() {
                    match self.get(pool, operand) {
                        Some(value) => values[index] = value,
                        None => missing[index] = Some(operand),
                    }
                }
                if missing != [None; 3] {
                    return Err(missing);
                }
                let width = pool.width(operands[0]);
                Ok(compute(op, node.bits, node.aux, width, values))
            }
        }
    }
}
