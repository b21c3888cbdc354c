//! The judge's word on each target: a test, replayed on the plain build, covers one of its goals by itself.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use coverage::target::{Place, Target};
use coverage::{GoalId, GoalSet, Goals};
use native::judge::facts::{self, Facts};
use native::judge::{Frame, Judge, TestRun};
use program::{BlockId, Function, Loc, Program, ValueId};
use report::judge::Comparison;
use report::suite::Test;

use crate::error::Result;

/// What the judge is asked about.
pub struct Confirm<'a> {
    pub model: &'a Program,
    pub goals: &'a Goals,
    pub judge: &'a Judge,
    /// What the judge runs.
    pub executable: &'a Path,
    /// The tests of the suite, and their runs.
    pub tests: &'a [Test],
    pub runs: &'a [TestRun],
}

impl Confirm<'_> {
    /// For each target the first test that covers it by itself: an index into the tests. What is only counted (`untaken`) is not
    /// reached.
    ///
    /// # Errors
    /// The judge's tools fail.
    pub fn first(
        &self,
        targets: &[Target],
        covered: &GoalSet,
        untaken: &GoalSet,
    ) -> Result<Vec<Option<usize>>> {
        let mut known = BTreeMap::new();
        let crashes = OnceCell::new();
        let mut found = Vec::new();
        for target in targets {
            let goals = target.goals.iter().copied();
            let (open, goals): (Vec<GoalId>, Vec<GoalId>) = goals
                .filter(|goal| covered.contains(*goal))
                .partition(|goal| untaken.contains(*goal));
            let mut test = match goals.is_empty() {
                true => None,
                false => self.test(&goals, &mut known)?,
            };
            // A run that crashed in the stretch of a place came to it if it crashed there, or behind.
            if test.is_none() && !open.is_empty() {
                let crashed = self.crashed_behind(target, crashes.get_or_init(|| self.crashes()));
                test = self.first_of(crashed.into_iter(), &open, &mut known)?;
            }
            found.push(test);
        }
        Ok(found)
    }

    fn test(
        &self,
        goals: &[GoalId],
        known: &mut BTreeMap<usize, GoalSet>,
    ) -> Result<Option<usize>> {
        let claims = |test: &Test| test.goals.iter().any(|goal| goals.contains(goal));
        let all = 0..self.tests.len().min(self.runs.len());
        // The search's own tests first: the judge mostly agrees.
        let (first, mut then): (Vec<_>, Vec<_>) = all.partition(|&at| claims(&self.tests[at]));
        // What stands behind calls is counted where they do not come back: only the path tells.
        if goals.iter().any(|goal| self.goals.is_behind_calls(*goal)) {
            then.clear();
        }
        self.first_of(first.into_iter().chain(then), goals, known)
    }

    /// The first of some tests that covers a goal by itself.
    fn first_of(
        &self,
        tests: impl Iterator<Item = usize>,
        goals: &[GoalId],
        known: &mut BTreeMap<usize, GoalSet>,
    ) -> Result<Option<usize>> {
        for at in tests {
            let covered = match known.entry(at) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.covered(at)?),
            };
            if goals.iter().any(|goal| covered.contains(*goal)) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Where each run crashed, in its calls. Without the tool that knows places, no crash tells.
    fn crashes(&self) -> Vec<Vec<Frame>> {
        let facts: Vec<&Facts> = self.runs.iter().map(|run| &run.facts).collect();
        facts::crashes(self.executable, &facts).unwrap_or_default()
    }

    /// Tests whose runs crashed at a place of a target or behind one in the same block, or in a call there.
    fn crashed_behind(&self, target: &Target, crashes: &[Vec<Frame>]) -> Vec<usize> {
        let is_behind = |frames: &Vec<Frame>| {
            let places = target.places.iter();
            places.into_iter().any(|place| {
                let (function, block) = place.block(self.model);
                let body = &self.model.functions[function];
                let own = frames.iter().find(|frame| frame.function == body.name);
                own.is_some_and(|frame| self.stands_behind((body, block), *place, frame))
            })
        };
        let tests = crashes.iter().enumerate();
        let tests = tests.filter(|(at, frames)| *at < self.tests.len() && is_behind(frames));
        tests.map(|(at, _)| at).collect()
    }

    /// Whether all instructions where a frame is in the source stand at a place or behind it, in its block.
    fn stands_behind(
        &self,
        (body, block): (&Function, BlockId),
        place: Place,
        frame: &Frame,
    ) -> bool {
        let number = |inst: ValueId| body.blocks[block].insts.iter().position(|own| *own == inst);
        let from = match place {
            Place::Inst { inst, .. } => number(inst),
            Place::Block { .. } | Place::Entry(_) => Some(0),
            Place::Edge(_) => None,
        };
        let is_there = |loc: &Loc| (loc.line, loc.col) == (frame.line, frame.col);
        let insts = body.blocks.keys().flat_map(|own| body.insts(own));
        let mut there = insts
            .filter(|(_, inst)| inst.loc.as_ref().is_some_and(is_there))
            .peekable();
        let Some(from) = from.filter(|_| there.peek().is_some()) else {
            return false;
        };
        there.all(|(value, inst)| inst.block == block && number(value).is_some_and(|at| at >= from))
    }

    /// What a test covers by itself.
    fn covered(&self, at: usize) -> Result<GoalSet> {
        let run = &self.runs[at];
        if run.profiles.is_empty() {
            return Ok(GoalSet::new(self.goals));
        }
        let report = self.judge.report(std::slice::from_ref(run))?;
        // The engine's word counts for nothing here.
        let nothing = GoalSet::new(self.goals);
        Ok(Comparison::new(self.model, self.goals, &nothing, &report).covered())
    }
}
