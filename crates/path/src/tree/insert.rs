//! Adding a run's path to the tree.
//!
//! The walk follows the path from the root for as long as the tree has it, then adds nodes. A step is matched by its
//! segment, its place and its term, which is one number because terms are hash-consed.
//!
//! A constraint is recorded where it holds, so a run on which a known constraint is false need not record it at all
//! (another value was pinned, or the program crashed there). Its false side is then taken *silently*: the input
//! decides, by evaluation. Pins of one place thus form a chain, one node for each value seen.
//!
//! A condition that was decided before on the path is decided for good: its node's other side is infeasible at once. A loop
//! that asks the same of its input at each turn would otherwise have as many candidates as turns.

use program::Program;
use smt::{Assignment, Pool, Term, Values};

use super::node::{Node, Slot};
use super::segment::{Concrete, Word};
use super::{Candidate, Kind, NodeId, RunId, Side, Tree};
use crate::hash::HashedSet;
use crate::run::{Class, Outcome, Run, RunFlags, Step};

/// Concrete steps that are kept behind the last decision of a path that was cut.
const CUT_WORDS: usize = 1024;

/// What adding a path did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    pub run: RunId,
    /// The end of the path.
    pub end: NodeId,
    /// How many of [`Tree::last_path`]'s nodes were there before; the rest is new.
    pub known: usize,
    /// The path was known to its end.
    pub duplicate: bool,
}

/// A decision of the run, to be found or made.
#[derive(Clone, Copy, Debug)]
struct Decision {
    kind: Kind,
    place: u32,
    term: Term,
    side: u32,
    sides: u32,
    /// The assumption that ended the run.
    failed: bool,
}

/// Where the walk stands: behind a side, or before the root.
type Link = Option<Candidate>;

enum Found {
    /// The side that the run took of a decision that is there.
    Known(Candidate),
    /// Behind the false side of this constraint, which the run did not record.
    Silent(Candidate),
    Nothing,
}

struct Walk<'a> {
    program: &'a Program,
    pool: &'a mut Pool,
    run: &'a Run,
    link: Link,
    known: usize,
    /// The run's input, and values of terms under it.
    values: Option<(Assignment, Values)>,
    decided: Decided,
}

/// Conditions of the path so far, with the side that was taken.
#[derive(Debug, Default)]
struct Decided(HashedSet);

impl Decided {
    fn key(term: Term, side: u32) -> u64 {
        // The side on top: the words differ, as hashes must.
        term.index() as u64 | u64::from(side) << 63
    }

    fn has(&self, term: Term, side: u32) -> bool {
        self.0.contains(&Self::key(term, side))
    }
}

impl Tree {
    /// Adds the path of a run.
    pub fn insert(&mut self, program: &Program, pool: &mut Pool, run: &Run) -> Inserted {
        let id = RunId::from_u32(u32::try_from(self.starts.len()).expect("fewer than 2^32 runs"));
        self.starts
            .push(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        self.path.clear();
        self.buffer.clear();
        let truth = pool.constant(1, 1);
        let mut walk = Walk {
            program,
            pool,
            run,
            link: None,
            known: 0,
            values: None,
            decided: Decided::default(),
        };
        let failed = failed_assumption(run);
        for (index, step) in run.steps.iter().enumerate() {
            self.add_step(&mut walk, *step, failed == Some(index));
        }
        // What follows the last decision that was kept may be as long as the run, and tells nobody anything.
        if run.flags.contains(RunFlags::DECISIONS_TRUNCATED) {
            self.buffer.truncate(CUT_WORDS);
        }
        let end = Decision {
            kind: Kind::End,
            place: id.as_u32(),
            term: truth,
            side: 0,
            sides: 0,
            failed: false,
        };
        let end = self.add_decision(&mut walk, &end);
        Inserted {
            run: id,
            end,
            known: walk.known,
            duplicate: walk.known == self.path.len(),
        }
    }

    fn add_step(&mut self, walk: &mut Walk<'_>, step: Step, failed: bool) {
        match step {
            Step::Edge { edge, cond } => {
                let side = walk.program.edges[edge].side;
                let site = &walk.program.sites[walk.program.edges[edge].site];
                let kind = match site.kind {
                    program::SiteKind::Branch => Kind::Branch,
                    program::SiteKind::Select => Kind::Select,
                    program::SiteKind::Switch { .. } => Kind::Switch,
                    program::SiteKind::Probe => return,
                };
                let Some(cond) = cond else {
                    self.buffer.push(Word::pack(Concrete::Edge(edge)).0);
                    return;
                };
                let place = site.first_edge.as_u32();
                let sides = site.edges;
                self.add_decision(
                    walk,
                    &Decision {
                        kind,
                        place,
                        term: cond.term,
                        side,
                        sides,
                        failed,
                    },
                );
            }
            Step::Call(function) => self.buffer.push(Word::pack(Concrete::Call(function)).0),
            Step::Return(function) => self.buffer.push(Word::pack(Concrete::Return(function)).0),
            Step::Resume(function) => self.buffer.push(Word::pack(Concrete::Resume(function)).0),
            Step::Constraint { class, spot, term } => {
                let decision = Decision {
                    kind: Kind::of_class(class),
                    place: spot.as_u32(),
                    term,
                    side: 1,
                    sides: 2,
                    failed,
                };
                self.add_decision(walk, &decision);
            }
            Step::ReachError => {}
        }
    }

    fn add_decision(&mut self, walk: &mut Walk<'_>, decision: &Decision) -> NodeId {
        loop {
            match self.find(walk, decision) {
                Found::Known(taken) => {
                    self.decide(walk, taken);
                    self.path.push(taken.node);
                    walk.known = self.path.len();
                    self.buffer.clear();
                    walk.link = Some(taken);
                    return taken.node;
                }
                Found::Silent(taken) => {
                    self.decide(walk, taken);
                    let length = self.segments.len_of(self.at(taken.node).segment) as usize;
                    self.buffer.drain(..length);
                    self.path.push(taken.node);
                    walk.known = self.path.len();
                    walk.link = Some(taken);
                }
                Found::Nothing => {
                    let node = self.make(walk, decision);
                    let taken = Candidate {
                        node,
                        side: decision.side,
                    };
                    self.decide(walk, taken);
                    self.path.push(node);
                    self.buffer.clear();
                    walk.link = Some(taken);
                    return node;
                }
            }
        }
    }

    /// Takes note of a decision with two sides.
    fn decide(&self, walk: &mut Walk<'_>, taken: Candidate) {
        let node = self.at(taken.node);
        if !matches!(node.kind(), Kind::Switch | Kind::End) {
            walk.decided.0.insert(Decided::key(node.term, taken.side));
        }
    }

    fn find(&self, walk: &mut Walk<'_>, decision: &Decision) -> Found {
        let Some(first) = self.first_behind(walk.link) else {
            return Found::Nothing;
        };
        let mut silent = None;
        for node in std::iter::once(first).chain(self.others(first).iter().copied()) {
            if let Some(side) = self.known_side(walk, node, decision) {
                return Found::Known(Candidate { node, side });
            }
            if silent.is_none() {
                silent = self.silent_side(walk, node);
            }
        }
        silent.map_or(Found::Nothing, Found::Silent)
    }

    /// The side that the run took, if the node is this decision of it.
    fn known_side(&self, walk: &mut Walk<'_>, node: NodeId, decision: &Decision) -> Option<u32> {
        let this = self.at(node);
        let same_place = this.kind() == decision.kind
            && (this.place == decision.place || decision.kind == Kind::End);
        if !same_place || !self.segments.is(this.segment, &self.buffer) {
            return None;
        }
        if this.term == decision.term {
            return Some(decision.side);
        }
        // Most neighbours are pins of one place to different values.
        if walk.pool.are_values_of_one(this.term, decision.term) {
            return None;
        }
        // A constraint and its negation are one decision; each may be what the other's negation is rewritten to.
        let negation = |pool: &mut Pool| {
            pool.not(this.term) == decision.term || pool.not(decision.term) == this.term
        };
        (this.kind().is_constraint() && negation(walk.pool)).then_some(0)
    }

    /// The false side of a constraint, if the run went through its place and its input makes it false.
    fn silent_side(&self, walk: &mut Walk<'_>, node: NodeId) -> Option<Candidate> {
        let this = self.at(node);
        if !this.kind().is_constraint() || !self.segments.begins(this.segment, &self.buffer) {
            return None;
        }
        let (input, values) = walk
            .values
            .get_or_insert_with(|| (walk.run.input.assignment(), Values::default()));
        let value = values.value(walk.pool, input, this.term);
        (value == 0).then_some(Candidate { node, side: 0 })
    }

    fn first_behind(&self, link: Link) -> Option<NodeId> {
        match link {
            None => self.root,
            Some(link) => self.slot(link).child(),
        }
    }

    fn make(&mut self, walk: &Walk<'_>, decision: &Decision) -> NodeId {
        let id = NodeId::from_u32(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let depth = self.path.len() as u32;
        let parent = walk.link.map(|link| (link.node, link.side));
        let mut node = Node::new(decision.kind, decision.term, parent, depth);
        node.place = decision.place;
        node.segment = self.segments.intern(&self.buffer);
        if decision.kind == Kind::Switch {
            let first = u32::try_from(self.wide.len()).expect("fewer than 2^32 sides of switches");
            self.wide.resize(
                self.wide.len() + decision.sides as usize,
                Slot::of(Side::Closed),
            );
            node.slots = [Slot::position(first), Slot::position(decision.sides)];
        }
        self.nodes.push(node);
        if decision.kind.is_branch() {
            let (first, sides) = (decision.place as usize, decision.sides as usize);
            if self.open.len() < first + sides {
                self.open.resize(first + sides, None);
            }
            for open in &mut self.open[first..first + sides] {
                open.get_or_insert_default();
            }
        }
        if decision.kind != Kind::Assume || decision.failed {
            let again =
                decision.kind != Kind::Switch && walk.decided.has(decision.term, decision.side);
            let state = if again { Side::Unsat } else { Side::Open };
            for side in (0..decision.sides).filter(|&side| side != decision.side) {
                self.put(Candidate { node: id, side }, Slot::of(state));
            }
        }
        self.attach(walk, id);
        id
    }

    fn attach(&mut self, walk: &Walk<'_>, node: NodeId) {
        let Some(first) = self.first_behind(walk.link) else {
            match walk.link {
                None => self.root = Some(node),
                Some(link) => {
                    self.contradictions += u64::from(self.side(link) == Side::Unsat);
                    self.put(link, Slot::of(Side::Taken(node)));
                }
            }
            return;
        };
        let cut = !walk.run.flags.complete()
            || matches!(walk.run.outcome, Outcome::Timeout | Outcome::Memory);
        self.forks += u64::from(!cut || self.kind(node) != Kind::End);
        self.nodes[first.index()].set_has_others();
        self.alternatives
            .entry(u64::from(first.as_u32()))
            .or_default()
            .push(node);
    }
}

/// Index of the assumption that ended the run.
fn failed_assumption(run: &Run) -> Option<usize> {
    if run.outcome != Outcome::AssumeFailed {
        return None;
    }
    let last = run.steps.iter().rposition(|step| {
        matches!(
            step,
            Step::Constraint { .. } | Step::Edge { cond: Some(_), .. }
        )
    })?;
    matches!(
        run.steps[last],
        Step::Constraint {
            class: Class::Assume,
            ..
        }
    )
    .then_some(last)
}
