//! Conditions rewritten: what they say in terms of the place before an instruction.
//!
//! A rule says what each atom is there. Addresses of cells are rewritten first, so a cell is asked for with the address as it is
//! before the instruction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smt::{Op, Pool, Shape, Term, Var};

use crate::atom::{Atom, Atoms, DEEPEST};
use crate::facts::Facts;
use crate::memory::{self, Heights};
use crate::state::Active;

/// The terms and what their variables stand for.
#[derive(Default)]
pub struct Language {
    pub pool: Pool,
    pub atoms: Atoms,
}

/// What an atom becomes: `None` leaves it as it is. A cell has its new address.
pub type Rule<'r> = dyn FnMut(&mut Language, &Atom, u16) -> Option<Term> + 'r;

/// Rewrites terms by one rule.
pub struct Image<'l, 'p, 'r> {
    language: &'l mut Language,
    facts: &'l Facts<'p>,
    active: &'l Active,
    rule: &'r mut Rule<'r>,
    known: HashMap<Var, Option<Term>>,
}

impl<'l, 'p, 'r> Image<'l, 'p, 'r> {
    pub fn new(
        language: &'l mut Language,
        (facts, active): (&'l Facts<'p>, &'l Active),
        rule: &'r mut Rule<'r>,
    ) -> Image<'l, 'p, 'r> {
        Image {
            language,
            facts,
            active,
            rule,
            known: HashMap::new(),
        }
    }

    /// The term as it is before the instruction.
    pub fn term(&mut self, term: Term) -> Term {
        let mut by = BTreeMap::new();
        for var in self.language.pool.vars(term) {
            if let Some(new) = self.var(var) {
                by.insert(var, new);
            }
        }
        match by.is_empty() {
            true => term,
            false => self.language.pool.substitute(term, &by),
        }
    }

    fn var(&mut self, var: Var) -> Option<Term> {
        if let Some(known) = self.known.get(&var) {
            return *known;
        }
        let (atom, bits) = self.language.atoms.get(var)?.clone();
        let made = match atom {
            Atom::Cell { address, bytes } => {
                let moved = self.term(address);
                self.cell((moved, bytes), moved != address, SPLITS)
            }
            Atom::Called { name, args } => {
                let moved: Vec<Term> = args.iter().map(|arg| self.term(*arg)).collect();
                (moved != args).then(|| {
                    let Language { pool, atoms } = &mut *self.language;
                    if atoms.depth_of(pool, &moved) > DEEPEST {
                        return atoms.any(pool, bits);
                    }
                    atoms.term(pool, Atom::Called { name, args: moved }, bits)
                })
            }
            atom => (self.rule)(self.language, &atom, bits),
        };
        if let Some(by) = made {
            let Language { pool, atoms } = &mut *self.language;
            atoms.replaced(pool, var, by);
        }
        self.known.insert(var, made);
        made
    }
}

/// Addresses that are one of two are followed by each of them, so deep.
const SPLITS: u32 = 3;

impl Image<'_, '_, '_> {
    /// What a cell is, by its address as it is before the instruction.
    fn cell(&mut self, (address, bytes): (Term, u8), moved: bool, splits: u32) -> Option<Term> {
        if splits > 0
            && let Some([condition, a, b]) = self.language.choice(address)
        {
            let (a, b) = (
                self.part(a, bytes, splits - 1),
                self.part(b, bytes, splits - 1),
            );
            return Some(self.language.pool.ite(condition, a, b));
        }
        let bits = u16::from(bytes) * 8;
        let made = (self.rule)(self.language, &Atom::Cell { address, bytes }, bits);
        made.or_else(|| {
            moved.then(|| {
                self.language
                    .cell(self.facts, self.active, (address, bytes))
            })
        })
    }

    fn part(&mut self, address: Term, bytes: u8, splits: u32) -> Term {
        let made = self.cell((address, bytes), true, splits);
        made.unwrap_or_else(|| {
            self.language
                .cell(self.facts, self.active, (address, bytes))
        })
    }
}

impl Language {
    /// A term that is one of two, by a condition; also one to which something was added.
    pub fn choice(&mut self, term: Term) -> Option<[Term; 3]> {
        if let Shape::Op {
            op: Op::Ite,
            operands,
            ..
        } = self.pool.shape(term)
        {
            return Some(operands);
        }
        let (parts, constant) = self.pool.summands(term);
        let is_choice =
            |part: &Term| matches!(self.pool.shape(*part), Shape::Op { op: Op::Ite, .. });
        let at = parts.iter().position(is_choice)?;
        let Shape::Op { operands, .. } = self.pool.shape(parts[at]) else {
            return None;
        };
        let [condition, a, b] = operands;
        let mut rest = self.pool.constant(self.pool.width(term), constant);
        for (_, part) in parts.iter().enumerate().filter(|(index, _)| *index != at) {
            rest = self.pool.bin(Op::Add, rest, *part);
        }
        let (a, b) = (
            self.pool.bin(Op::Add, a, rest),
            self.pool.bin(Op::Add, b, rest),
        );
        Some([condition, a, b])
    }

    /// What memory holds at an address: the number itself where the program never writes there.
    pub fn cell(
        &mut self,
        facts: &Facts<'_>,
        heights: &dyn Heights,
        (address, bytes): (Term, u8),
    ) -> Term {
        if let Some(known) = memory::constant(facts, heights, self, (address, bytes)) {
            return known;
        }
        let Language { pool, atoms } = self;
        let bits = u16::from(bytes) * 8;
        if atoms.depth_of(pool, &[address]) > DEEPEST {
            return atoms.any(pool, bits);
        }
        atoms.term(pool, Atom::Cell { address, bytes }, bits)
    }

    /// The variables of terms, and those of the addresses of their cells.
    pub fn atoms_of(&self, terms: impl Iterator<Item = Term>) -> BTreeSet<Var> {
        let mut found = BTreeSet::new();
        let mut work: Vec<Var> = terms.flat_map(|term| self.pool.vars(term)).collect();
        while let Some(var) = work.pop() {
            if found.insert(var)
                && let Some((atom, _)) = self.atoms.get(var)
            {
                work.extend(atom.parts().iter().flat_map(|part| self.pool.vars(*part)));
            }
        }
        found
    }
}
