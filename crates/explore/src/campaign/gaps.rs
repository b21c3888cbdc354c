//! What stands between an exhausted tree and a proof, and the concretisation report.
//!
//! Must hold: if any run or query may have hidden a path, [`Gaps::is_empty`] is false.

use std::collections::BTreeMap;
use std::fmt;

use program::SpotId;

use path::{LossReason, Outcome, Run, RunFlags, Tree};

/// Losses of all runs, by place and reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) by_spot: BTreeMap<(SpotId, LossReason), u64>,
    flags: RunFlags,
    lost_runs: u64,
    cut_runs: u64,
    timeouts: u64,
    out_of_memory: u64,
    /// What trees of earlier rounds told.
    forks: u64,
    contradictions: u64,
    /// Some run was seen to its own end.
    pub(crate) ended: bool,
}

impl Losses {
    pub(crate) fn add(&mut self, run: &Run) {
        for &(spot, reason, count) in &run.losses {
            *self.by_spot.entry((spot, reason)).or_default() += u64::from(count);
        }
        self.flags.insert(run.flags);
        let stopped = matches!(run.outcome, Outcome::Timeout | Outcome::Memory);
        self.ended |= run.flags.complete() && !stopped;
        self.lost_runs += u64::from(run.flags.contains(RunFlags::LOST));
        self.cut_runs += u64::from(!run.flags.complete());
        self.timeouts += u64::from(run.outcome == Outcome::Timeout);
        self.out_of_memory += u64::from(run.outcome == Outcome::Memory);
    }

    /// A tree is dropped. What it told of the program holds of the next one as well; sides that it left are asked for anew.
    pub(crate) fn outlive(&mut self, tree: &Tree) {
        self.forks += tree.forks();
        self.contradictions += tree.contradictions();
    }

    pub(crate) fn gaps(&self, tree: &Tree, outside: u64) -> Gaps {
        let counts = tree.counts();
        let breaking = self
            .by_spot
            .iter()
            .filter(|((_, reason), _)| reason.breaks_proof());
        Gaps {
            flags: self.flags,
            cut_runs: self.cut_runs,
            timeouts: self.timeouts,
            out_of_memory: self.out_of_memory,
            // Where the list is not complete, each run lost one at least.
            losses: breaking
                .map(|(_, count)| count)
                .sum::<u64>()
                .max(self.lost_runs),
            unknown: counts.unknown,
            diverged: counts.diverged,
            open: counts.all_open() + counts.selected,
            forks: self.forks + tree.forks(),
            contradictions: self.contradictions + tree.contradictions(),
            outside,
        }
    }
}

/// Everything that keeps an exhausted search from being a proof, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// What was special about any run.
    pub flags: RunFlags,
    /// Runs that did not see everything that the program did.
    pub cut_runs: u64,
    pub timeouts: u64,
    pub out_of_memory: u64,
    /// Times that symbolism was lost where it may matter.
    pub losses: u64,
    /// Queries without an answer.
    pub unknown: u64,
    /// Inputs whose run went elsewhere.
    pub diverged: u64,
    /// Candidates that were not tried.
    pub open: u64,
    /// Times that runs parted without a decision.
    pub forks: u64,
    /// Times that a run took a side that had been called unsatisfiable.
    pub contradictions: u64,
    /// Functions whose results come from outside the program, not from its inputs; and addresses, if their numbers decide.
    pub outside: u64,
}

impl Gaps {
    /// Is an exhausted tree a proof?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts().iter().all(|(count, ..)| *count == 0)
    }

    /// How many of what, and what is the matter with them.
    fn parts(&self) -> [(u64, &'static str, &'static str); 10] {
        [
            (self.open, "candidate", "not tried"),
            (self.unknown, "query", "that the solver gave up"),
            (self.losses, "symbolic value", "lost"),
            (self.cut_runs, "run", "not seen in full"),
            (self.timeouts, "run", "that timed out"),
            (self.out_of_memory, "run", "out of memory"),
            (self.diverged, "run", "that went elsewhere than predicted"),
            (self.forks, "run", "that parted without a decision"),
            (
                self.contradictions,
                "run",
                "where the solver had said there is none",
            ),
            (self.outside, "result", "from outside the program"),
        ]
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts();
        let mut separator = "";
        for (count, noun, what) in parts.iter().filter(|(count, ..)| *count > 0) {
            write!(f, "{separator}{} {what}", counted(*count, noun))?;
            separator = ", ";
        }
        for (_, name) in RunFlags::ALL
            .iter()
            .filter(|(flag, _)| !flag.complete() && self.flags.contains(*flag))
        {
            write!(f, "{separator}{name}")?;
            separator = ", ";
        }
        Ok(())
    }
}

/// `1 run`, `2 runs`, `2 queries`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let text = |count| {
            let gaps = Gaps {
                unknown: count,
                cut_runs: count,
                ..Gaps::default()
            };
            gaps.to_string()
        };
        assert_eq!(
            text(1),
            "1 query that the solver gave up, 1 run not seen in full"
        );
        assert_eq!(
            text(2),
            "2 queries that the solver gave up, 2 runs not seen in full"
        );
    }
}
