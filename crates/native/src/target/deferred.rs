//! Whether a deferred start is right for this program: see `deferred.rs` of the runtime.
//!
//! Must hold: it is used only where a run of the first input behind it takes the same edges, and ends in the same way, as one of a
//! server that started before `main`. What a start leaves in the process that a fork does not copy, such as a lock
//! that remembers its thread, shows there.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use path::{InputVector, Outcome, Role, Step, Visits};
use program::EdgeId;
use wire::segment::flag;

use super::{Inputs, NativeTarget};
use crate::server::StartError;

/// Deferred starts that are compared. Addresses are others in each start, and a program that reads its own (`/proc/self/maps`) may take
/// other edges: only what differs each time is against it.
const ATTEMPTS: u32 = 4;
/// Attempts that take so long are the last.
const LONG: Duration = Duration::from_millis(500);

/// What a run took, and how it ended.
struct Trace {
    edges: BTreeSet<EdgeId>,
    outcome: Outcome,
}

impl Trace {
    /// Whether this run, behind a deferred start, is `other`; one whose start took all of its time cannot show more.
    fn is(&self, other: &Trace) -> bool {
        let same = self.outcome == other.outcome && self.edges == other.edges;
        let cut = other.outcome == Outcome::Timeout && self.outcome != Outcome::Timeout;
        same || cut && other.edges.is_subset(&self.edges)
    }
}

impl NativeTarget<'_> {
    /// Starts a program for the first time.
    pub(super) fn start_first(&mut self, input: &InputVector) -> Result<(), StartError> {
        let may_wait = |role| matches!(role, Role::Stdin | Role::File);
        let mut streams = input.streams.iter();
        if !self.config.fork_server || !streams.all(|stream| may_wait(stream.role)) {
            return self.start_server(input);
        }
        self.set_early(true);
        self.start_server(input)?;
        let early = self.trace(input);
        self.set_early(false);
        let began = Instant::now();
        for _ in 0..ATTEMPTS {
            let Some(early) = &early else { break };
            if self.start_server(input).is_err() {
                break;
            }
            if self.trace(input).is_some_and(|trace| trace.is(early)) {
                return Ok(());
            }
            if began.elapsed() > LONG {
                break;
            }
        }
        self.set_early(true);
        self.start_server(input)
    }

    fn set_early(&mut self, early: bool) {
        let others = self.segment.header().flags & !flag::EARLY;
        let flag = if early { flag::EARLY } else { 0 };
        self.segment.set_flags(others | flag);
    }

    /// A run on this input, with what came before it; `None` when there is no server any more. It is a fork: a process that makes many
    /// runs has mappings of its own, which a program that reads them would see in one way of starting only.
    fn trace(&mut self, input: &InputVector) -> Option<Trace> {
        let mut visits = Visits::default();
        let outcome = self.plain_once(input, Inputs::Forked, &mut visits).ok()?;
        let mut edges: BTreeSet<EdgeId> = visits.edges().map(|(edge, _)| edge).collect();
        let prefix = self
            .start
            .prefix
            .steps
            .iter()
            .filter_map(|step| match step {
                Step::Edge { edge, .. } => Some(*edge),
                _ => None,
            });
        edges.extend(prefix);
        edges.extend(self.start.late_edges.iter().map(|(edge, _)| *edge));
        Some(Trace { edges, outcome })
    }
}
