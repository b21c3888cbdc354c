//! Substitution: variables of a term replaced by terms, all at once.

use std::collections::{BTreeMap, HashMap};

use super::{Pool, Tag};
use crate::{Term, Var};

impl Pool {
    /// `term` with each variable of `by` replaced by its term, all at the same time. Where a variable is read at
    /// another width than its term has, the term is cut, or gets zeros above.
    pub fn substitute(&mut self, term: Term, by: &BTreeMap<Var, Term>) -> Term {
        let mut made: HashMap<Term, Term, super::hash::MixBuild> = HashMap::default();
        // Operands have smaller numbers than the terms that use them.
        for old in self.built_of(term) {
            let new = self.replaced(old, by, &made);
            made.insert(old, new);
        }
        made[&term]
    }

    /// The term and all that it is built of, operands first.
    fn built_of(&self, term: Term) -> Vec<Term> {
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = vec![term];
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                self.for_each_operand(self.node(next), |operand| todo.push(operand));
            }
        }
        seen.into_iter().collect()
    }

    fn replaced(
        &mut self,
        old: Term,
        by: &BTreeMap<Var, Term>,
        made: &HashMap<Term, Term, super::hash::MixBuild>,
    ) -> Term {
        let node = self.node(old);
        match node.tag {
            Tag::Const | Tag::Wide => old,
            Tag::Var => match by.get(&Var(node.a)) {
                Some(&new) if self.width(new) < node.bits => self.zext(new, node.bits),
                Some(&new) => self.extract(new, 0, node.bits),
                None => old,
            },
            Tag::Table => {
                let entries = self.table_entries(node).iter().map(|entry| made[entry]);
                let entries: Box<[Term]> = entries.collect();
                let index = made[&Term(node.a)];
                if index == Term(node.a) && *entries == *self.table_entries(node) {
                    return old;
                }
                self.table(index, entries)
            }
            Tag::Op(op) => {
                let given = [node.a, node.b, node.c].map(Term);
                let given = &given[..op.arity()];
                let operands: Vec<Term> = given.iter().map(|operand| made[operand]).collect();
                if operands == given {
                    return old;
                }
                self.apply(op, node.bits, u32::from(node.aux), &operands)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, TermMaker};
    use crate::{Assignment, Op, eval::eval};

    /// The value after substitution is the value under the terms' values.
    #[test]
    fn a_substituted_term_has_the_value_that_the_terms_give() {
        let mut random = Random::new(23);
        for _ in 0..60 {
            let mut pool = Pool::new();
            let mut maker = TermMaker::new(&mut pool, &mut random);
            for &op in Op::ALL {
                let term = maker.operation(&mut pool, &mut random, op);
                maker.terms.push(term);
            }
            let mut by = BTreeMap::new();
            for (var, bits) in [(Var(2), 8), (Var(5), 32), (Var(7), 64)] {
                by.insert(var, maker.operand(&mut pool, &mut random, bits));
            }
            let assignment = maker.assignment(&mut random);
            let mut after: Assignment = assignment.clone();
            for (&var, &term) in &by {
                after.set(var, eval(&pool, term, &assignment));
            }
            for term in maker.terms.clone() {
                let new = pool.substitute(term, &by);
                assert_eq!(eval(&pool, new, &assignment), eval(&pool, term, &after));
            }
        }
    }

    #[test]
    fn variables_change_places_at_once_and_widths_are_mended() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var(Var(0), 8), pool.var(Var(1), 8));
        let less = pool.cmp(Op::Ult, x, y);
        let by = [(Var(0), y), (Var(1), x)].into_iter().collect();
        let more = pool.cmp(Op::Ult, y, x);
        assert_eq!(pool.substitute(less, &by), more);
        let (wide, narrow) = (pool.constant(16, 0x1234), pool.constant(4, 5));
        let by = [(Var(0), wide), (Var(1), narrow)].into_iter().collect();
        let both = pool.concat(x, y);
        let found = pool.substitute(both, &by);
        assert_eq!(pool.as_const(found), Some(0x3405));
        let low = pool.extract(wide, 0, 8);
        let table = pool.table(x, vec![y, low, low].into());
        let zero = pool.constant(8, 0);
        let by = [(Var(0), zero)].into_iter().collect();
        assert_eq!(pool.substitute(table, &by), y);
    }
}
