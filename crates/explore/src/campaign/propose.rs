//! What is next: the sources are asked, turn by turn, and what one proposes becomes a job.

use coverage::Ground;
use smt::Pool;

use super::{Campaign, Clock, Flip, Job, Next, Task};
use crate::source::{self, Prefix, Proposal, Scene, Turn};
use path::tree::{Side, condition};

impl Campaign<'_> {
    /// The next job. Every job must come back through [`Campaign::complete`].
    pub fn next_job(&mut self, pool: &mut Pool, clock: &dyn Clock) -> Next {
        if let Some(reason) = self.stop.or_else(|| self.spent(clock)) {
            self.stop = Some(reason);
            return Next::Stop(reason);
        }
        if let Some(next) = self.ask(Turn::First, pool, clock) {
            return next;
        }
        if self.concluded {
            return Next::Stop(self.exhausted());
        }
        for turn in [Turn::Regular, Turn::Spare] {
            if let Some(next) = self.ask(turn, pool, clock) {
                return next;
            }
        }
        if self.wake_deferred() {
            return self.next_job(pool, clock);
        }
        if self.stats.jobs_out > 0 {
            return Next::Wait;
        }
        if self.hopes() && !self.gaps().is_empty() {
            for turn in [Turn::Stuck, Turn::Last] {
                if let Some(next) = self.ask(turn, pool, clock) {
                    return next;
                }
            }
        }
        Next::Stop(self.exhausted())
    }

    /// Whether chance could still find something when nothing is left to solve. What is covered without a test that takes it
    /// (a run ended between two counters) is worth flips, but no waiting.
    fn hopes(&self) -> bool {
        self.figures.open() > 0
            || self.config.past_coverage
            || !self.goals.alternatives().is_empty()
    }

    /// Asks one source after the other.
    fn ask(&mut self, turn: Turn, pool: &mut Pool, clock: &dyn Clock) -> Option<Next> {
        for index in 0..self.sources.len() {
            let (inputs, ledger, goals) = (&self.inputs, &self.ledger, self.goals);
            let mut scene = Scene {
                program: self.program,
                tree: &mut self.tree,
                pool,
                condition: &mut self.condition,
                edge_hits: &self.edge_hits,
                edges_taken: self.edges_taken,
                relevant: &self.relevant,
                path_filter: self.config.path_filter,
                watched: &self.watched,
                is_open: &|goal| ledger.is_wanted(goals, goal),
                backward: match &mut self.backward {
                    Some(backward) => Some(&mut **backward),
                    None => None,
                },
                was_run: &|input| inputs.was_run(input),
                tests: &self.tests,
                runs: self.stats.runs,
                last_new: self.stats.last_new,
                slices: self.slices,
                clock,
            };
            let task = match self.sources[index].propose(&mut scene, turn) {
                None => continue,
                Some(Proposal::Input(input)) => Task::Run(input),
                Some(Proposal::Flip(flip)) => Task::Flip(self.flip(pool, &flip)),
                Some(Proposal::Slice) => return Some(Next::Slice),
                Some(Proposal::Busy) => return Some(Next::Busy),
                Some(Proposal::Proof { goals, dead, why }) => {
                    self.refute(Ground::Backward, &goals, dead);
                    let reasons = goals.into_iter().map(|goal| (goal, why.clone()));
                    self.reasons.extend(reasons);
                    // It may have been the last that was open.
                    return Some(self.next_job(pool, clock));
                }
            };
            self.stats.jobs_out += 1;
            let source = index;
            return Some(Next::Job(Box::new(Job { source, task })));
        }
        None
    }

    /// What the solver is to be asked for a side. Nobody else is offered the side meanwhile, unless nothing follows for it.
    fn flip(&mut self, pool: &mut Pool, wanted: &source::Flip) -> Flip {
        let (tree, program, side) = (&mut self.tree, self.program, wanted.side);
        if !wanted.is_probe() {
            tree.set(side, Side::Selected);
        }
        let path = self.condition.of(tree, program, pool, side.node);
        let prefix = match wanted.prefix {
            Prefix::Whole => path.to_vec(),
            Prefix::WithoutPins => self.condition.without_pins(tree),
            Prefix::Nothing => Vec::new(),
        };
        let own = condition(tree, program, pool, side);
        let goal = (wanted.extra.iter()).fold(own, |goal, &extra| pool.and(goal, extra));
        let parent = match (&wanted.parent, wanted.again) {
            (Some(parent), _) => (**parent).clone(),
            (None, Some(run)) => self.inputs.get(run),
            (None, None) => self.inputs.get(tree.maker(side.node)),
        };
        Flip {
            candidate: side,
            by: wanted.by,
            is_probe: wanted.is_probe(),
            prefix,
            goal,
            hint: parent.assignment(),
            parent,
            effort: wanted.effort,
        }
    }
}
