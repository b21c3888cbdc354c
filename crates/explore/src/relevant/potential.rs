//! `PotentialContr`: how many open goals lie close behind a side (Su et al., `papers/caut-pps.txt`, IV-C).

use std::collections::{BTreeSet, VecDeque};

use program::flow::{Node, NodeId as Position};

use super::{Class, Levels, Relevant, StackId};
use path::hash::HashedSet;

/// Places that one walk looks at.
const PLACES: usize = 20_000;
/// Calls deeper than this are not walked into: recursion without a decision has no end.
const DEEPEST: u32 = 64;

/// Where a walk returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    /// To the path's own frames.
    Path(StackId),
    /// To a call that the walk went into: an index into its list.
    Walk(u32),
}

/// A call that a walk went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    behind: Position,
    below: Below,
    depth: u32,
}

struct Walk {
    queue: VecDeque<(Position, Below, u64)>,
    seen: HashedSet,
    calls: Vec<Call>,
}

impl Walk {
    /// Nodes of the same level come before those of the next.
    fn push(&mut self, at: Position, below: Below, level: u64, new_level: bool) {
        let (kind, number) = match below {
            Below::Path(stack) => (0, stack.as_u32()),
            Below::Walk(call) => (1, call),
        };
        let key = path::hash::mix(u64::from(at.as_u32()), u64::from(number) << 1 | kind);
        if self.seen.len() < PLACES && self.seen.insert(key) {
            if new_level {
                self.queue.push_back((at, below, level));
            } else {
                self.queue.push_front((at, below, level));
            }
        }
    }
}

impl Relevant {
    /// `UncoveredGoals(p̄, WalkDown(p̄, levels))`: the open goals that are met by edges at most so many levels below the side
    /// of a class, its own edge (level 0) included. A level is a decision, symbolic or not, or a node: [`Levels`]. The walk goes
    /// into calls, and at a function's end back to where the path's own callers are. In parts of [`WHOLE`](coverage::relevance::WHOLE).
    #[must_use]
    pub fn potential(&self, class: Class, levels: Levels) -> u64 {
        let icfg = self.following.icfg();
        let mut walk = Walk {
            queue: VecDeque::new(),
            seen: HashedSet::default(),
            calls: Vec::new(),
        };
        match class.edge {
            Some(edge) => walk.push(
                self.following.of_edge(edge),
                Below::Path(class.stack),
                0,
                false,
            ),
            None => {
                if let Some((at, below)) = self.frames.top(class.stack) {
                    walk.push(at, Below::Path(below), 0, false);
                }
            }
        }
        let mut met = BTreeSet::new();
        while let Some((at, below, level)) = walk.queue.pop_front() {
            match icfg.nodes()[at] {
                Node::Edge(edge) => {
                    met.insert(edge);
                    for next in self.following.successors(at) {
                        self.enter(&mut walk, next, below, (level, levels));
                    }
                }
                Node::Part { call: Some(_), .. } => {
                    self.call(&mut walk, at, below, (level, levels))
                }
                Node::Part { .. } => self.part(&mut walk, at, below, (level, levels)),
            }
        }
        met.into_iter()
            .map(|edge| self.goals.gain(edge) as u64)
            .sum()
    }

    /// Goes on to a part: a level further down where nodes are levels.
    fn enter(&self, walk: &mut Walk, at: Position, below: Below, (level, levels): (u64, Levels)) {
        match levels.nodes {
            false => walk.push(at, below, level, false),
            true if level < levels.most => walk.push(at, below, level + 1, true),
            true => {}
        }
    }

    fn call(&self, walk: &mut Walk, at: Position, below: Below, (level, levels): (u64, Levels)) {
        let called = self.following.called(at);
        let depth = match below {
            Below::Path(_) => 0,
            Below::Walk(call) => walk.calls[call as usize].depth,
        };
        let Some(behind) = self.following.icfg().behind(at) else {
            return;
        };
        if called.is_empty() || !self.following.is_direct(at) || depth >= DEEPEST {
            self.enter(walk, behind, below, (level, levels));
        }
        if depth >= DEEPEST {
            return;
        }
        let call = Call {
            behind,
            below,
            depth: depth + 1,
        };
        let known = walk.calls.iter().position(|other| *other == call);
        let index = known.unwrap_or_else(|| {
            walk.calls.push(call);
            walk.calls.len() - 1
        });
        for &callee in called {
            if let Some(entry) = self.following.icfg().entry(callee) {
                let inside = Below::Walk(index as u32);
                self.enter(walk, entry, inside, (level, levels));
            }
        }
    }

    fn part(&self, walk: &mut Walk, at: Position, below: Below, (level, levels): (u64, Levels)) {
        let mut last = true;
        for next in self.following.successors(at) {
            last = false;
            match self.following.icfg().nodes()[next] {
                // The sides of a condition are on its level.
                Node::Edge(_) if levels.nodes => walk.push(next, below, level, false),
                Node::Edge(_) if level < levels.most => walk.push(next, below, level + 1, true),
                Node::Edge(_) => {}
                Node::Part { .. } => self.enter(walk, next, below, (level, levels)),
            }
        }
        if !last {
            return;
        }
        match below {
            Below::Walk(call) => {
                let Call { behind, below, .. } = walk.calls[call as usize];
                self.enter(walk, behind, below, (level, levels));
            }
            Below::Path(stack) => {
                if let Some((at, below)) = self.frames.top(stack) {
                    self.enter(walk, at, Below::Path(below), (level, levels));
                }
            }
        }
    }
}
