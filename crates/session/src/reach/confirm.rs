//! The judge's word on each target: a test, replayed on the plain build, covers one of its goals by itself.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use coverage::target::Target;
use coverage::{GoalId, GoalSet, Goals};
use native::judge::{Judge, TestRun};
use program::Program;
use report::judge::Comparison;
use report::suite::Test;

use crate::error::Result;

/// What the judge is asked about.
pub struct Confirm<'a> {
    pub model: &'a Program,
    pub goals: &'a Goals,
    pub judge: &'a Judge,
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
        let mut found = Vec::new();
        for target in targets {
            let goals = target.goals.iter().copied();
            let goals: Vec<GoalId> = goals
                .filter(|goal| covered.contains(*goal) && !untaken.contains(*goal))
                .collect();
            let test = match goals.is_empty() {
                true => None,
                false => self.test(&goals, &mut known)?,
            };
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
        for at in first.into_iter().chain(then) {
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
