//! The path condition of a node: what each decision before it says, as terms.
//!
//! Must hold: [`PathCondition::of`] has one term for each decision, in order, so a term's index is the decision's depth;
//! two nodes that follow each other on one path, or share a long prefix, cost their difference only.

use program::{Program, SiteKind};
use smt::{Pool, Term};

use super::{Candidate, Kind, NodeId, Tree};

/// The path condition of the node that was asked for last, kept for the next.
#[derive(Clone, Debug, Default)]
pub struct PathCondition {
    taken: Vec<Candidate>,
    terms: Vec<Term>,
    scratch: Vec<Candidate>,
}

impl PathCondition {
    /// The conditions on the way to a node, its own decision not included.
    pub fn of(&mut self, tree: &Tree, program: &Program, pool: &mut Pool, node: NodeId) -> &[Term] {
        self.scratch.clear();
        let mut next = tree.parent(node);
        let mut shared = 0;
        while let Some(decision) = next {
            let depth = tree.depth(decision.node) as usize;
            if self.taken.get(depth) == Some(&decision) {
                shared = depth + 1;
                break;
            }
            self.scratch.push(decision);
            next = tree.parent(decision.node);
        }
        self.taken.truncate(shared);
        self.terms.truncate(shared);
        for &decision in self.scratch.iter().rev() {
            self.taken.push(decision);
            self.terms.push(condition(tree, program, pool, decision));
        }
        &self.terms
    }

    /// Is one of the decisions before the node that was asked for last a pin?
    #[must_use]
    pub fn has_pin(&self, tree: &Tree) -> bool {
        self.taken.iter().any(|decision| is_pin(tree, decision))
    }

    /// The conditions that were asked for last, but for pins.
    #[must_use]
    pub fn without_pins(&self, tree: &Tree) -> Vec<Term> {
        let pairs = self.taken.iter().zip(&self.terms);
        let kept = pairs.filter(|(decision, _)| !is_pin(tree, decision));
        kept.map(|(_, &term)| term).collect()
    }

    /// Forgets what was kept: terms were renamed.
    pub fn clear(&mut self) {
        self.taken.clear();
        self.terms.clear();
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.taken.capacity() + self.scratch.capacity()) * size_of::<Candidate>()
            + self.terms.capacity() * size_of::<Term>()
    }
}

fn is_pin(tree: &Tree, decision: &Candidate) -> bool {
    tree.kind(decision.node) == Kind::Pin
}

/// What taking a side says, a term of width 1.
///
/// # Panics
/// When the node is a path's end.
pub fn condition(tree: &Tree, program: &Program, pool: &mut Pool, side: Candidate) -> Term {
    let term = tree.term(side.node).expect("an end decides nothing");
    if tree.kind(side.node) != Kind::Switch {
        return if side.side == 1 { term } else { pool.not(term) };
    }
    let site = tree.site(program, side.node).expect("a switch has a site");
    let SiteKind::Switch { cases, .. } = &program.sites[site].kind else {
        unreachable!("{site} was a switch when the path was added")
    };
    match cases.get(side.side as usize) {
        Some(&case) => equals(pool, term, case),
        None => cases.iter().fold(pool.constant(1, 1), |all, &case| {
            let hit = equals(pool, term, case);
            let miss = pool.not(hit);
            pool.and(all, miss)
        }),
    }
}

fn equals(pool: &mut Pool, term: Term, case: u128) -> Term {
    let bits = pool.width(term);
    let case = pool.constant(bits, case);
    pool.eq(term, case)
}
