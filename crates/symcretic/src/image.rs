//! Conditions rewritten: what they say in terms of the place before an instruction.
//!
//! A rule says what each atom is there. Addresses of cells are rewritten first, so a cell is asked for with the address as it is
//! before the instruction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smt::{Pool, Term, Var};

use crate::atom::{Atom, Atoms};

/// The terms and what their variables stand for.
#[derive(Default)]
pub struct Language {
    pub pool: Pool,
    pub atoms: Atoms,
}

/// What an atom becomes: `None` leaves it as it is. A cell has its new address.
pub type Rule<'r> = dyn FnMut(&mut Language, &Atom, u16) -> Option<Term> + 'r;

/// Rewrites terms by one rule.
pub struct Image<'l, 'r> {
    language: &'l mut Language,
    rule: &'r mut Rule<'r>,
    known: HashMap<Var, Option<Term>>,
}

impl<'l, 'r> Image<'l, 'r> {
    pub fn new(language: &'l mut Language, rule: &'r mut Rule<'r>) -> Image<'l, 'r> {
        Image {
            language,
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
                let atom = Atom::Cell {
                    address: moved,
                    bytes,
                };
                let made = (self.rule)(self.language, &atom, bits);
                made.or_else(|| {
                    let Language { pool, atoms } = &mut *self.language;
                    (moved != address).then(|| atoms.term(pool, atom, bits))
                })
            }
            Atom::Called { name, args } => {
                let moved: Vec<Term> = args.iter().map(|arg| self.term(*arg)).collect();
                (moved != args).then(|| {
                    let Language { pool, atoms } = &mut *self.language;
                    atoms.term(pool, Atom::Called { name, args: moved }, bits)
                })
            }
            atom => (self.rule)(self.language, &atom, bits),
        };
        self.known.insert(var, made);
        made
    }
}

impl Language {
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
