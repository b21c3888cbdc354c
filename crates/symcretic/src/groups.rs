//! Conditions in groups that share no variable: what only the rest of the path decides can be put aside.

use std::collections::BTreeSet;

use smt::{Term, Var};

use crate::atom::Atom;
use crate::image::Language;

/// Conditions that have variables in common, directly or not.
#[derive(Default)]
pub struct Groups(Vec<Group>);

struct Group {
    /// Numbers of its conditions.
    members: Vec<usize>,
    vars: BTreeSet<Var>,
}

impl Groups {
    /// Adds a condition with its number.
    pub fn add(&mut self, index: usize, language: &Language, term: Term) {
        let mut group = Group {
            members: vec![index],
            vars: language.atoms_of(std::iter::once(term)),
        };
        // A condition joins every group that shares a variable with it. Two groups share none, so there are no others.
        let joined = self
            .0
            .extract_if(.., |other| !other.vars.is_disjoint(&group.vars));
        let joined: Vec<Group> = joined.collect();
        for other in joined {
            group.members.extend(other.members);
            group.vars.extend(other.vars);
        }
        self.0.push(group);
    }

    /// Conditions of groups in which only the rest of the path has a say.
    pub fn free(&self, language: &Language) -> BTreeSet<usize> {
        let is_free = |var: &Var| {
            matches!(
                language.atoms.get(*var),
                Some((
                    Atom::Input { .. } | Atom::Character { .. } | Atom::Any(_),
                    _
                )) | None
            )
        };
        let free = self.0.iter().filter(|group| group.vars.iter().all(is_free));
        free.flat_map(|group| group.members.iter().copied())
            .collect()
    }
}
