//! Conditions in groups that share no variable: what only the rest of the path decides can be put aside.

use std::collections::BTreeSet;

use smt::{Term, Var};

use crate::atom::Atom;
use crate::image::Language;

/// Conditions that have variables in common, directly or not.
#[derive(Default)]
pub struct Groups {
    /// For each condition its variables.
    of: Vec<(usize, BTreeSet<Var>)>,
}

impl Groups {
    /// Adds a condition with its number.
    pub fn add(&mut self, index: usize, language: &Language, term: Term) {
        let mut group_vars = language.atoms_of(std::iter::once(term));
        let mut members = vec![index];
        let mut rest = std::mem::take(&mut self.of);
        // A condition joins every group that shares a variable with it.
        let mut joined = true;
        while joined {
            joined = false;
            let mut left = Vec::new();
            for (other, other_vars) in rest {
                if other_vars.is_disjoint(&group_vars) {
                    left.push((other, other_vars));
                } else {
                    group_vars.extend(other_vars);
                    members.push(other);
                    joined = true;
                }
            }
            rest = left;
        }
        self.of = rest;
        for member in members {
            self.of.push((member, group_vars.clone()));
        }
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
        let free = self.of.iter().filter(|(_, vars)| vars.iter().all(is_free));
        free.map(|(index, _)| *index).collect()
    }
}
