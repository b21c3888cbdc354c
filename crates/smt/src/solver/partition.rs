//! Independence: which constraints of a path condition share variables with a goal, directly or through others.
//!
//! Queries of one run ask about growing prefixes of one path, and then the next run's path shares a prefix with
//! this one. So the partition is kept for the last prefix and moved to the next by undoing and adding constraints
//! at the end: a union-find with rollback. Whole sets of variables are united once: a node of a variable set
//! that is already united is recognised by its number (see `pool::varset`).
//!
//! What must hold: `constraints` are the conjuncts of `path`, in order; the ring through `next` that a root's
//! `ring` enters visits the constraints of its class; undoing the log from the end restores every earlier state.

use std::collections::HashMap;

use crate::pool::{
    hash::MixBuild,
    varset::{SetId, SetNode},
};
use crate::{Epoch, Op, Pool, Term, pool::Tag};

/// The partition of one prefix.
#[derive(Debug, Default)]
pub(crate) struct Partition {
    epoch: Epoch,
    path: Vec<Term>,
    /// For each path entry: lengths of `constraints` and `undo` before it.
    marks: Vec<(usize, usize)>,
    constraints: Vec<Term>,
    /// Ring of the constraints of a class.
    next: Vec<u32>,
    parent: Vec<u32>,
    size: Vec<u32>,
    /// Some constraint of the class with this root.
    ring: Vec<Option<u32>>,
    united: HashMap<SetId, u32, MixBuild>,
    undo: Vec<Undo>,
    /// Whether a constant false constraint was added.
    contradictions: usize,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    /// The root `child` was put under `parent`; if both had constraints, their rings were joined at these two.
    Union {
        child: u32,
        parent: u32,
        had_ring: Option<u32>,
        joined: Option<(u32, u32)>,
    },
    /// The set was united.
    United(SetId),
    /// The constraint joined the ring of this root.
    Entered { root: u32, before: Option<u32> },
    /// A constant false constraint.
    Contradiction,
}

/// The constraints that bear on a goal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Slice {
    /// Sorted, without duplicates.
    Constraints(Vec<Term>),
    /// The prefix itself is false.
    Contradiction,
}

impl Partition {
    /// The conjuncts of `prefix` that share variables with `goal`, directly or through others.
    pub(crate) fn slice(&mut self, pool: &Pool, prefix: &[Term], goal: Term) -> Slice {
        self.move_to(pool, prefix);
        if self.contradictions > 0 {
            return Slice::Contradiction;
        }
        let mut roots = self.roots(pool, goal);
        roots.sort_unstable();
        roots.dedup();
        let mut found = Vec::new();
        for root in roots {
            let Some(first) = self.ring[root as usize] else {
                continue;
            };
            let mut at = first;
            loop {
                found.push(self.constraints[at as usize]);
                at = self.next[at as usize];
                if at == first {
                    break;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Slice::Constraints(found)
    }

    fn move_to(&mut self, pool: &Pool, prefix: &[Term]) {
        if self.epoch != pool.epoch() {
            *self = Self {
                epoch: pool.epoch(),
                ..Self::default()
            };
        }
        let common = self
            .path
            .iter()
            .zip(prefix)
            .take_while(|(a, b)| a == b)
            .count();
        if let Some(&(constraints, undo)) = self.marks.get(common) {
            while self.undo.len() > undo {
                self.undo_one();
            }
            self.constraints.truncate(constraints);
            self.next.truncate(constraints);
            self.marks.truncate(common);
            self.path.truncate(common);
        }
        let known = pool.variable_count();
        if self.parent.len() < known {
            let from = self.parent.len() as u32;
            self.parent.extend(from..known as u32);
            self.size.resize(known, 1);
            self.ring.resize(known, None);
        }
        for &term in &prefix[common..] {
            self.marks.push((self.constraints.len(), self.undo.len()));
            self.path.push(term);
            for conjunct in conjuncts(pool, term) {
                self.add(pool, conjunct);
            }
        }
    }

    fn add(&mut self, pool: &Pool, constraint: Term) {
        if let Some(value) = pool.as_const(constraint) {
            if value == 0 {
                self.contradictions += 1;
                self.undo.push(Undo::Contradiction);
            }
            return;
        }
        let here = self.constraints.len() as u32;
        self.constraints.push(constraint);
        self.next.push(here);
        let Some(variable) = self.unite(pool, pool.set(constraint)) else {
            return;
        };
        let root = self.find(variable);
        let before = self.ring[root as usize];
        if let Some(at) = before {
            self.next.swap(at as usize, here as usize);
        }
        self.ring[root as usize] = Some(here);
        self.undo.push(Undo::Entered { root, before });
    }

    fn find(&self, mut variable: u32) -> u32 {
        while self.parent[variable as usize] != variable {
            variable = self.parent[variable as usize];
        }
        variable
    }

    /// Puts all variables of `set` into one class; one of them, `None` for the empty set. The recursion is as deep
    /// as the set's tree, at most 27.
    fn unite(&mut self, pool: &Pool, set: SetId) -> Option<u32> {
        if let Some(&variable) = self.united.get(&set) {
            return Some(variable);
        }
        let variable = match pool.varsets().node(set) {
            SetNode::Empty => return None,
            SetNode::Leaf { chunk, mut bits } => {
                let first = chunk << 6 | bits.trailing_zeros();
                bits &= bits - 1;
                while bits != 0 {
                    self.union(first, chunk << 6 | bits.trailing_zeros());
                    bits &= bits - 1;
                }
                first
            }
            SetNode::Branch { zero, one, .. } => {
                let (a, b) = (self.unite(pool, zero), self.unite(pool, one));
                let (a, b) = (a.or(b)?, b.or(a)?);
                self.union(a, b);
                a
            }
        };
        self.united.insert(set, variable);
        self.undo.push(Undo::United(set));
        Some(variable)
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (parent, child) = if self.size[a as usize] >= self.size[b as usize] {
            (a, b)
        } else {
            (b, a)
        };
        let had_ring = self.ring[parent as usize];
        let joined = had_ring.zip(self.ring[child as usize]);
        if let Some((x, y)) = joined {
            self.next.swap(x as usize, y as usize);
        } else if had_ring.is_none() {
            self.ring[parent as usize] = self.ring[child as usize];
        }
        self.parent[child as usize] = parent;
        self.size[parent as usize] += self.size[child as usize];
        self.undo.push(Undo::Union {
            child,
            parent,
            had_ring,
            joined,
        });
    }

    fn undo_one(&mut self) {
        match self.undo.pop() {
            Some(Undo::Union {
                child,
                parent,
                had_ring,
                joined,
            }) => {
                self.parent[child as usize] = child;
                self.size[parent as usize] -= self.size[child as usize];
                if let Some((x, y)) = joined {
                    self.next.swap(x as usize, y as usize);
                }
                self.ring[parent as usize] = had_ring;
            }
            Some(Undo::United(set)) => {
                self.united.remove(&set);
            }
            Some(Undo::Entered { root, before }) => {
                let here = self.ring[root as usize].expect("it entered");
                if let Some(at) = before {
                    self.next.swap(at as usize, here as usize);
                }
                self.ring[root as usize] = before;
            }
            Some(Undo::Contradiction) => self.contradictions -= 1,
            None => {}
        }
    }

    /// The roots of the classes that `goal` touches.
    fn roots(&self, pool: &Pool, goal: Term) -> Vec<u32> {
        let mut roots = Vec::new();
        let mut todo = vec![pool.set(goal)];
        while let Some(set) = todo.pop() {
            if let Some(&variable) = self.united.get(&set) {
                roots.push(self.find(variable));
                continue;
            }
            match pool.varsets().node(set) {
                SetNode::Empty => {}
                SetNode::Leaf { chunk, mut bits } => {
                    while bits != 0 {
                        roots.push(self.find(chunk << 6 | bits.trailing_zeros()));
                        bits &= bits - 1;
                    }
                }
                SetNode::Branch { zero, one, .. } => todo.extend([one, zero]),
            }
        }
        roots
    }
}

/// The terms whose conjunction `term` is, in order.
pub(crate) fn conjuncts(pool: &Pool, term: Term) -> Vec<Term> {
    let mut out = Vec::new();
    let mut todo = vec![term];
    while let Some(term) = todo.pop() {
        let node = pool.node(term);
        match node.tag {
            Tag::Op(Op::And) if node.bits == 1 => todo.extend([Term(node.b), Term(node.a)]),
            _ => out.push(term),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Var, testing::Random};
    use std::collections::BTreeSet;

    /// The definition: grow the set of variables until no constraint adds one.
    fn naive(pool: &Pool, prefix: &[Term], goal: Term) -> Vec<Term> {
        let mut vars: BTreeSet<Var> = pool.vars(goal).into_iter().collect();
        let mut slice = BTreeSet::new();
        loop {
            let before = slice.len();
            for &c in prefix {
                if pool.vars(c).iter().any(|v| vars.contains(v)) {
                    vars.extend(pool.vars(c));
                    slice.insert(c);
                }
            }
            if slice.len() == before {
                return slice.into_iter().collect();
            }
        }
    }

    #[test]
    fn slices_of_moving_prefixes_are_those_of_the_definition() {
        let mut random = Random::new(3);
        let mut pool = Pool::new();
        let vars: Vec<Term> = (0..300).map(|i| pool.var(Var(i * 7), 8)).collect();
        let mut partition = Partition::default();
        let mut path: Vec<Term> = Vec::new();
        for round in 0..600 {
            if random.below(12) == 0 {
                path.truncate(random.below(path.len() + 1));
            }
            for _ in 0..random.below(8) {
                let mut sum = random.pick(&vars);
                for _ in 0..random.below(3) {
                    let other = random.pick(&vars);
                    sum = pool.bin(Op::Add, sum, other);
                }
                let c = pool.constant(8, u128::from(random.next()));
                path.push(pool.cmp(Op::Ult, sum, c));
            }
            let c = pool.constant(8, round);
            let (x, y) = (random.pick(&vars), random.pick(&vars));
            let sum = pool.bin(Op::Mul, x, y);
            let goal = pool.eq(sum, c);
            let cut = random.below(path.len() + 1);
            let symbolic: Vec<Term> = path
                .iter()
                .copied()
                .filter(|&t| pool.is_symbolic(t))
                .collect();
            let prefix = &symbolic[..cut.min(symbolic.len())];
            assert_eq!(
                partition.slice(&pool, prefix, goal),
                Slice::Constraints(naive(&pool, prefix, goal))
            );
        }
    }

    #[test]
    fn conjunctions_are_split_and_false_is_noticed() {
        let mut pool = Pool::new();
        let terms: Vec<Term> = (0..3).map(|i| pool.var(Var(i), 1)).collect();
        let left = pool.and(terms[0], terms[1]);
        let both = pool.and(left, terms[2]);
        let no = pool.bool(false);
        let mut partition = Partition::default();
        let slice = partition.slice(&pool, &[both], terms[1]);
        assert_eq!(slice, Slice::Constraints(vec![terms[1]]));
        assert_eq!(
            partition.slice(&pool, &[both, no], terms[1]),
            Slice::Contradiction
        );
        assert_eq!(
            partition.slice(&pool, &[both], terms[2]),
            Slice::Constraints(vec![terms[2]])
        );
    }
}
