//! The generalised control-flow graph of a program: states of its runs, conditions that lead to branches that no run has taken, and the
//! frontier between both (Baluda, Denaro, Pezzè: *Bidirectional Symbolic Analysis for Effective Branch Testing*, definition 3.1).
//!
//! [`Gcfg::turn`] is one iteration: the first edge of the frontier is executed symbolically (algorithm 1); where that has no
//! solution, the condition behind it goes one block back (algorithm 2), and what has become obsolete goes from the graph
//! (algorithm 3). [`Gcfg::check`] holds a graph against the five invariants.
//!
//! Must hold: a branch is called infeasible only if every way back from it ends in a contradiction; a condition that is not known whole
//! contradicts nothing; the order of turns depends on nothing but the program.

mod back;
mod blocks;
mod check;
mod run;
mod show;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use machine::Machine;
use path::InputVector;
use program::{EdgeId, PrimaryMap, Program, entity};
use smt::{Solver, Term};

pub use blocks::Block;

use crate::search::{Given, Limits, Search};
use crate::state::{Place, State};
use blocks::Blocks;
use run::Runs;

entity!(
    /// A state of a run (S-state).
    SState, "S"
);
entity!(
    /// A condition under which a run comes to a branch that none has taken (R-state).
    RState, "R"
);

/// Runs of one graph.
const RUNS: usize = 400;
/// Blocks that a condition goes back over.
const LONGEST: u32 = 400;

/// A state of a run, at the end of a block.
#[derive(Clone, Debug)]
pub(crate) struct Executed {
    block: Block,
    /// The calls that wait, the outermost first.
    calls: Vec<Place>,
    before: Option<SState>,
    /// The run that came there first, and the step of its path that ends the block; `None` where it went no further.
    run: usize,
    end: Option<usize>,
    /// What holds of the inputs of runs that come there on this way.
    path: Vec<Term>,
}

/// A condition at the end of a block.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    block: Block,
    state: State,
    /// The condition behind it on the way to the target; `None`: it is a target.
    next: Option<RState>,
    target: EdgeId,
    /// It is part of the graph.
    is_there: bool,
    /// The same in front of the block, for each way into it.
    starts: Vec<State>,
    /// The condition, for people.
    words: String,
    length: u32,
}

/// What became of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A run takes it: the number of the run.
    Covered(usize),
    /// No run does.
    Infeasible,
    Open,
}

/// What a turn did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// An edge of the frontier was executed: a new run.
    Executed(SState, RState),
    /// The condition went a block back.
    Back(RState, RState),
    /// The block in front of the condition contradicts it.
    Contradicted(Block, RState),
    /// There is nothing left to do.
    Done,
}

/// The graph, and what it is made with.
pub struct Gcfg<'p> {
    pub(crate) search: Search<'p>,
    runs: Runs<'p>,
    blocks: Blocks,
    executed: PrimaryMap<SState, Executed>,
    /// The states behind one, by block.
    behind: BTreeMap<(Option<SState>, Block), SState>,
    reach: PrimaryMap<RState, Reach>,
    /// What was looked at backward: from a condition to a block, and the condition there, if there is one.
    analysed: BTreeMap<(RState, Block, Vec<Place>), Option<RState>>,
    /// Edges of the frontier that have no solution.
    tried: BTreeSet<(SState, RState)>,
    /// Pairs of states at the same block that cannot hold together.
    apart: BTreeSet<(SState, RState)>,
    /// The frontier, those first that were found first.
    frontier: Vec<(SState, RState)>,
    /// The condition of each target, which is *true*.
    targets: BTreeMap<EdgeId, RState>,
    verdicts: BTreeMap<EdgeId, Verdict>,
    /// A condition was not followed to its end.
    cut: bool,
    turns: u64,
}

impl<'p> Gcfg<'p> {
    /// The graph of a program before any run. `solvers`: one for conditions, one for inputs.
    #[must_use]
    pub fn new(given: Given<'p>, machine: Machine<'p>, solvers: [Solver; 2]) -> Gcfg<'p> {
        let [own, inputs] = solvers;
        let search = Search::new(given, own, Limits::default());
        let blocks = Blocks::new(&search.facts);
        let verdicts = blocks.sides().map(|edge| (edge, Verdict::Open)).collect();
        Gcfg {
            runs: Runs::new(machine, inputs),
            blocks,
            search,
            executed: PrimaryMap::new(),
            behind: BTreeMap::new(),
            reach: PrimaryMap::new(),
            analysed: BTreeMap::new(),
            tried: BTreeSet::new(),
            apart: BTreeSet::new(),
            frontier: Vec::new(),
            targets: BTreeMap::new(),
            verdicts,
            cut: false,
            turns: 0,
        }
    }

    /// The initial graph: the states of a run, and a target for each branch that it does not take.
    pub fn begin(&mut self, input: &InputVector) {
        self.observe(input);
        let edges: Vec<EdgeId> = self.verdicts.keys().copied().collect();
        for edge in edges {
            if self.verdicts[&edge] == Verdict::Open {
                self.target(edge);
            }
        }
        self.settle();
    }

    pub(crate) fn program(&self) -> &'p Program {
        self.search.facts.program
    }

    /// What became of each side of a branch.
    #[must_use]
    pub const fn verdicts(&self) -> &BTreeMap<EdgeId, Verdict> {
        &self.verdicts
    }

    /// Turns so far.
    #[must_use]
    pub const fn turns(&self) -> u64 {
        self.turns
    }

    /// The inputs of the runs so far.
    pub fn inputs(&self) -> impl Iterator<Item = &InputVector> {
        self.runs.inputs()
    }

    /// One iteration.
    pub fn turn(&mut self) -> Turn {
        let Some(&(from, to)) = self.frontier.first() else {
            return Turn::Done;
        };
        self.turns += 1;
        // Algorithm 1, and lines 5 to 8 of algorithm 2: any state in the block from which the condition can be executed.
        let same = self.same_block(from, to);
        for state in [from].into_iter().chain(same) {
            if self.tried.contains(&(state, to)) {
                continue;
            }
            if let Some(input) = self.forward(state, to) {
                // A run that goes elsewhere than was asked for is not asked for again.
                self.tried.insert((state, to));
                self.observe(&input);
                self.settle();
                return Turn::Executed(state, to);
            }
            self.tried.insert((state, to));
        }
        let (block, calls) = (self.executed[from].block, self.calls_for(from, to));
        let made = self.backward(to, block, &calls);
        self.analysed.insert((to, block, calls), made);
        self.settle();
        match made {
            Some(made) => Turn::Back(made, to),
            None => Turn::Contradicted(block, to),
        }
    }

    /// The other states at the block of an edge of the frontier that lead to the same condition.
    fn same_block(&self, from: SState, to: RState) -> Vec<SState> {
        let calls = self.calls_for(from, to);
        let block = self.executed[from].block;
        let edges = self.frontier.iter();
        let same = edges.filter(|(state, other)| {
            *other == to
                && *state != from
                && self.executed[*state].block == block
                && self.calls_for(*state, to) == calls
        });
        same.map(|(state, _)| *state).collect()
    }

    /// The condition of a branch that no run has taken: nothing has to hold behind it.
    fn target(&mut self, edge: EdgeId) {
        let program = self.program();
        let site = &program.sites[program.edges[edge].site];
        let insts = &program.functions[site.function].blocks[site.block].insts;
        let state = State::at(Place {
            function: site.function,
            block: site.block,
            at: insts.len(),
        });
        let mut start = state.clone();
        self.search.cross().take_edge(&mut start, edge);
        let made = self.reach.push(Reach {
            block: Block::Side(edge),
            state,
            next: None,
            target: edge,
            is_there: true,
            starts: vec![start],
            words: "true".to_owned(),
            length: 0,
        });
        self.targets.insert(edge, made);
    }

    /// Restores definition 3.1: what is reached goes, what leads nowhere goes, and the frontier is what is left between both.
    fn settle(&mut self) {
        loop {
            let mut again = false;
            // What leads to a target that is covered is not looked at.
            self.coarsen();
            while let Some(input) = self.met() {
                self.observe(&input);
                self.coarsen();
                again = true;
            }
            self.coarsen();
            if !again {
                break;
            }
        }
        self.draw_frontier();
        self.decide();
    }

    /// Algorithm 3: conditions that runs meet go (invariant 3), and so do those that no longer lead to a target, or that nothing leads to
    /// (invariant 4). What leads to a condition that is gone is looked at anew.
    fn coarsen(&mut self) {
        let covered = |edge: &EdgeId| matches!(self.verdicts[edge], Verdict::Covered(_));
        let gone: BTreeSet<RState> = self
            .reach
            .iter()
            .filter(|(_, reach)| covered(&reach.target))
            .map(|(id, _)| id)
            .collect();
        for id in &gone {
            self.reach[*id].is_there = false;
        }
        // What follows from a condition that was met, although its target was not reached, is made again.
        loop {
            let orphans: Vec<RState> = self
                .reach
                .iter()
                .filter(|(_, reach)| {
                    let next = reach.next.map(|next| self.reach[next].is_there);
                    reach.is_there && next == Some(false)
                })
                .map(|(id, _)| id)
                .collect();
            if orphans.is_empty() {
                break;
            }
            for id in orphans {
                self.reach[id].is_there = false;
            }
        }
        let dead: Vec<(RState, Block, Vec<Place>)> = self
            .analysed
            .iter()
            .filter(|((next, ..), made)| {
                let is_met = made.is_some_and(|made| !self.reach[made].is_there);
                is_met && self.reach[*next].is_there
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in dead {
            self.analysed.remove(&key);
        }
    }

    /// The frontier is all edges of the control flow from a state to a condition that were not looked at (invariant 5).
    fn draw_frontier(&mut self) {
        let all = self.edges();
        self.frontier.retain(|edge| all.contains(edge));
        let known: BTreeSet<(SState, RState)> = self.frontier.iter().copied().collect();
        self.frontier
            .extend(all.into_iter().filter(|edge| !known.contains(edge)));
    }

    fn edges(&self) -> BTreeSet<(SState, RState)> {
        let mut found = BTreeSet::new();
        for (to, reach) in self.reach.iter().filter(|(_, reach)| reach.is_there) {
            for (from, state) in self.executed.iter() {
                let leads = state.end.is_some()
                    && self
                        .blocks
                        .after(state.block)
                        .any(|next| next == reach.block)
                    && self.is_compatible(from, to);
                if !leads {
                    continue;
                }
                let key = (to, state.block, self.calls_for(from, to));
                if !self.analysed.contains_key(&key) {
                    found.insert((from, to));
                }
            }
        }
        found
    }

    /// The calls that wait where a run goes on from a state to a block.
    fn calls_into(&self, from: SState, block: Block) -> Option<Vec<Place>> {
        let state = &self.executed[from];
        let mut calls = state.calls.clone();
        match (state.block, block) {
            (Block::Call(..), Block::Entry(_)) => calls.push(self.blocks.end(state.block)?),
            (Block::Exit(..), Block::Return(id, value)) => {
                let call = calls.pop()?;
                (self.blocks.end(Block::Call(id, value)) == Some(call)).then_some(())?;
            }
            _ => {}
        }
        Some(calls)
    }

    /// Whether the call string of the condition is a postfix of that of the state.
    fn is_compatible(&self, from: SState, to: RState) -> bool {
        let reach = &self.reach[to];
        let calls = self.calls_into(from, reach.block);
        calls.is_some_and(|calls| calls.ends_with(&reach.state.waiting))
    }

    /// The call string of what is in front of a condition, at the block of a state.
    fn calls_for(&self, from: SState, to: RState) -> Vec<Place> {
        let (state, reach) = (&self.executed[from], &self.reach[to]);
        let mut calls = reach.state.waiting.clone();
        match (state.block, reach.block) {
            (Block::Call(..), Block::Entry(_)) => {
                calls.pop();
            }
            (Block::Exit(..), Block::Return(id, value)) => {
                calls.extend(self.blocks.end(Block::Call(id, value)));
            }
            _ => {}
        }
        calls
    }

    /// Targets that nothing can lead to any more are infeasible; those that nothing leads to yet wait outside of the graph.
    fn decide(&mut self) {
        let reached = self.reachable();
        let possible = self.possible(&reached);
        let targets: Vec<(EdgeId, RState)> =
            self.targets.iter().map(|(edge, id)| (*edge, *id)).collect();
        for (edge, id) in targets {
            let is_open = self.verdicts[&edge] == Verdict::Open;
            if is_open && !possible.contains(&id) && !self.cut && !self.search.is_wild() {
                self.verdicts.insert(edge, Verdict::Infeasible);
            }
        }
        let infeasible = |edge: &EdgeId| self.verdicts[edge] == Verdict::Infeasible;
        let gone: Vec<RState> = self
            .reach
            .iter()
            .filter(|(_, reach)| reach.is_there && infeasible(&reach.target))
            .map(|(id, _)| id)
            .collect();
        let before = gone.len();
        for id in gone {
            self.reach[id].is_there = false;
        }
        if before > 0 {
            // One that is infeasible may have been the only way to another.
            self.draw_frontier();
            self.decide();
        }
    }

    /// Blocks that runs came to, or may come to on ways that nobody has looked at.
    fn reachable(&self) -> BTreeSet<Block> {
        let mut found: BTreeSet<Block> = self.executed.values().map(|state| state.block).collect();
        let mut work: Vec<Block> = found.iter().copied().collect();
        while let Some(block) = work.pop() {
            for next in self.blocks.after(block) {
                let is_ruled_out = matches!(next, Block::Side(edge) if self.verdicts[&edge] == Verdict::Infeasible);
                if !is_ruled_out && found.insert(next) {
                    work.push(next);
                }
            }
        }
        found
    }

    /// Conditions that something may lead to.
    fn possible(&self, reached: &BTreeSet<Block>) -> BTreeSet<RState> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for (id, reach) in self.reach.iter().filter(|(_, reach)| reach.is_there) {
                let mut ways = self.ways_to(id).into_iter();
                let is_possible =
                    ways.any(
                        |(block, calls)| match self.analysed.get(&(id, block, calls)) {
                            None => reached.contains(&block),
                            Some(None) => false,
                            Some(Some(made)) => found.contains(made),
                        },
                    );
                // Where the program starts there is nothing in front.
                let starts = Some(reach.block) == self.search.root().map(Block::Entry);
                if is_possible || starts {
                    found.insert(id);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// The blocks in front of a condition, with the call strings there.
    fn ways_to(&self, id: RState) -> Vec<(Block, Vec<Place>)> {
        let reach = &self.reach[id];
        let waiting = &reach.state.waiting;
        let mut found = Vec::new();
        for block in self.blocks.before(reach.block) {
            let mut calls = waiting.clone();
            match (block, reach.block) {
                (Block::Call(..), Block::Entry(_)) => {
                    if let Some(call) = calls.pop()
                        && self.blocks.end(block) != Some(call)
                    {
                        continue;
                    }
                }
                (Block::Exit(..), Block::Return(id, value)) => {
                    calls.extend(self.blocks.end(Block::Call(id, value)));
                }
                _ => {}
            }
            found.push((block, calls));
        }
        found
    }
}
