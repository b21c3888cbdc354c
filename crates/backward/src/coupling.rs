//! Which vectors of a decision any state of the program lets happen.
//!
//! The evaluation of a decision is walked from its first condition to its outcomes, on every way that the control flow has. Before
//! it anything may have happened, but what every path to it decides, and what the value analysis says that no run does.

use coverage::decisions::Decision;
use coverage::{DecisionId, Decisions, Vector};
use program::decision::Next;
use program::{BlockId, EdgeId, Function, Program};
use smt::Solver;
use std::collections::{BTreeMap, BTreeSet};

use crate::edges::{Because, Closed, enter};
use crate::take::{Can, Take as _};
use proof::vc::{Cause, Frame, Mark, Places, Walk, ways_out};

/// Steps of all walks through one decision; where they are not enough, nothing is known.
const STEPS: usize = 4096;

/// A value that a condition cannot have where others have theirs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// `None`: the place itself is not reached.
    pub edge: Option<EdgeId>,
    pub because: Because,
}

/// What can happen in a decision.
#[derive(Clone, Debug, Default)]
pub struct Possible {
    pub vectors: BTreeSet<Vector>,
    pub conflicts: BTreeSet<Conflict>,
    /// Edges on the way of an evaluation that no value takes.
    pub by_values: BTreeMap<EdgeId, values::Reason>,
}

impl Possible {
    /// Whether everything may happen that the control flow has.
    pub fn is_everything(&self) -> bool {
        self.conflicts.is_empty() && self.by_values.is_empty()
    }
}

/// A way that a walk has yet to go.
struct Ahead {
    mark: Mark,
    from: BlockId,
    edge: Option<EdgeId>,
    to: BlockId,
    so_far: SoFar,
}

/// What an evaluation has come to.
#[derive(Clone, Copy)]
struct SoFar {
    vector: Vector,
    /// The condition that comes next.
    next: u16,
}

/// What an edge does to an evaluation.
enum Goes {
    On(SoFar),
    /// It is complete.
    Ends(Vector),
    /// Another begins.
    Anew,
}

/// The vectors that may happen, and what rules out the others; `None` when that is too hard to say.
pub fn possible(
    frame: &mut Frame<'_>,
    places: &Places,
    shared: bool,
    solver: &mut Solver,
    (decisions, id): (&Decisions, DecisionId),
    dead: &BTreeMap<EdgeId, values::Reason>,
) -> Option<Possible> {
    let decision = decisions.get(id);
    if decision.problem.is_some() {
        return None;
    }
    let mut possible = Possible::default();
    let mut left = STEPS;
    for start in starts(frame.program, decisions, id)? {
        let mut walk = Walk::new(frame, shared);
        if !lead_to(&mut walk, places, solver, start, &mut possible) {
            continue;
        }
        let search = Search {
            decisions,
            id,
            decision,
            dead,
        };
        search.from(&mut walk, solver, start, &mut possible, &mut left)?;
    }
    Some(possible)
}

/// The blocks that decide the first condition.
fn starts(program: &Program, decisions: &Decisions, id: DecisionId) -> Option<BTreeSet<BlockId>> {
    let first = decisions.get(id).first;
    let steps = decisions
        .steps_of(id)
        .filter(|step| step.condition == first);
    let mut starts = BTreeSet::new();
    for step in steps {
        let site = &program.sites[program.edges[step.edge].site];
        let block = &program.functions[site.function].blocks[site.block];
        // Decided in the middle of a block: not by control flow.
        block
            .terminator
            .site()
            .filter(|own| *own == program.edges[step.edge].site)?;
        starts.insert(site.block);
    }
    (!starts.is_empty()).then_some(starts)
}

/// Walks to a block on the only way that leads there, as far back as there is only one. False: it is never reached.
fn lead_to(
    walk: &mut Walk<'_, '_>,
    places: &Places,
    solver: &mut Solver,
    block: BlockId,
    possible: &mut Possible,
) -> bool {
    const BLOCKS: usize = 64;
    let mut chain = Vec::new();
    let mut root = block;
    while let Some(way) = places.only_way(root)
        && root != Function::ENTRY
        && chain.len() < BLOCKS
    {
        chain.push(way);
        root = way.from;
    }
    let mut never = |edge, because| {
        possible.conflicts.insert(Conflict { edge, because });
        false
    };
    match enter(walk, places, solver, root) {
        None => {}
        Some(Closed::Edge(edge, because)) => return never(Some(edge), because),
        Some(Closed::Block(_, because)) => return never(None, because),
    }
    let mut from = None;
    for way in chain.into_iter().rev() {
        walk.block(way.from, from);
        from = Some(way.from);
        if let Some(edge) = way.edge
            && let Some(condition) = walk.condition(way.from, edge)
            && let Can::Never(because) = walk.take(solver, Cause::Edge(edge), condition)
        {
            return never(Some(edge), because);
        }
    }
    walk.block(block, from);
    true
}

struct Search<'d> {
    decisions: &'d Decisions,
    id: DecisionId,
    decision: &'d Decision,
    /// What no value takes.
    dead: &'d BTreeMap<EdgeId, values::Reason>,
}

impl Search<'_> {
    fn from(
        &self,
        walk: &mut Walk<'_, '_>,
        solver: &mut Solver,
        start: BlockId,
        possible: &mut Possible,
        left: &mut usize,
    ) -> Option<()> {
        let mut ahead = Vec::new();
        let first = self.decision.first;
        let mut so_far = SoFar {
            vector: Vector::default(),
            next: first,
        };
        push(walk, &mut ahead, start, so_far);
        while let Some(way) = ahead.pop() {
            *left = left.checked_sub(1)?;
            walk.back_to(&way.mark);
            so_far = way.so_far;
            if let Some(edge) = way.edge {
                if let Some(condition) = walk.condition(way.from, edge)
                    && let Can::Never(because) = walk.take(solver, Cause::Edge(edge), condition)
                {
                    possible.conflicts.insert(Conflict {
                        edge: Some(edge),
                        because,
                    });
                    continue;
                }
                if let Some(reason) = self.dead.get(&edge) {
                    possible.by_values.insert(edge, reason.clone());
                    continue;
                }
                so_far = match self.step(so_far, edge) {
                    Goes::On(so_far) => so_far,
                    Goes::Ends(vector) => {
                        possible.vectors.insert(vector);
                        continue;
                    }
                    Goes::Anew => continue,
                };
            }
            walk.block(way.to, Some(way.from));
            push(walk, &mut ahead, way.to, so_far);
        }
        Some(())
    }

    /// As the tracker of runs does it.
    fn step(&self, mut so_far: SoFar, edge: EdgeId) -> Goes {
        let steps = self.decisions.steps(edge).iter();
        for step in steps.filter(|step| step.decision == self.id) {
            if step.condition == self.decision.first && so_far.vector != Vector::default() {
                return Goes::Anew;
            }
            if step.condition != so_far.next {
                continue;
            }
            so_far.vector.set(step.condition, step.side);
            let next = self.decision.next[usize::from(step.condition)];
            match next[usize::from(step.side)] {
                Next::Condition(next) => so_far.next = next,
                Next::End(outcome) => {
                    so_far.vector.outcome = outcome;
                    return Goes::Ends(so_far.vector);
                }
            }
        }
        Goes::On(so_far)
    }
}

fn push(walk: &Walk<'_, '_>, ahead: &mut Vec<Ahead>, block: BlockId, so_far: SoFar) {
    let mark = walk.mark();
    let ways = ways_out(walk.frame.program, walk.frame.function, block).into_iter();
    ahead.extend(ways.map(|(edge, to)| Ahead {
        mark: mark.clone(),
        from: block,
        edge,
        to,
        so_far,
    }));
}
