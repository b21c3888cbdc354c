//! What one run of the program under test gives: its path, how it ended, what was lost. And [`Target`], whatever
//! runs programs.
//!
//! Must hold: `Run::steps` is the whole path in order, concrete branches included, up to where
//! [`RunFlags::EVENTS_TRUNCATED`] says that it was cut; every term in it is true, or has its side's value, under
//! `Run::input`.

use program::{EdgeId, FuncId, SpotId};
use smt::{Pool, Term};

use crate::input::InputVector;

/// Runs the program under test.
pub trait Target {
    /// Runs the program on an input. Terms of the path are made in `pool`.
    ///
    /// # Errors
    /// Only when the target itself cannot go on. A crash or a time-out of the program is an [`Outcome`].
    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError>;

    /// Asks how near later runs come to these edges: see [`Run::near`].
    fn watch(&mut self, _edges: &[EdgeId]) {}

    /// Runs the program on an input with nothing symbolic, which is faster: [`Target::run`] on the same input takes the same
    /// path. `None` when the target has no such way to run.
    ///
    /// # Errors
    /// As for [`Target::run`].
    fn run_concrete(
        &mut self,
        _input: &InputVector,
        _visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        Ok(None)
    }
}

/// What a run without expressions shows. Whoever makes another one clears it first.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// Edges that it took, each once, and how often by their numbers: 0 for all others.
    taken: Vec<EdgeId>,
    times: Vec<u32>,
    last: Option<EdgeId>,
    /// See [`Run::near`].
    pub near: Vec<Near>,
}

impl Visits {
    /// As for a run that took nothing.
    pub fn clear(&mut self) {
        for edge in self.taken.drain(..) {
            self.times[edge.index()] = 0;
        }
        self.last = None;
        self.near.clear();
    }

    /// The edges of a run with expressions.
    pub fn add_run(&mut self, run: &Run) {
        for step in &run.steps {
            if let Step::Edge { edge, .. } = step {
                self.add(*edge, 1);
            }
        }
        for &(edge, times) in &run.late_edges {
            self.add(edge, times);
        }
    }

    /// The run took this edge so often, at least once.
    #[inline]
    pub fn add(&mut self, edge: EdgeId, times: u64) {
        let index = edge.index();
        if index >= self.times.len() {
            self.times.resize(index + 1, 0);
        }
        let known = &mut self.times[index];
        if *known == 0 {
            self.taken.push(edge);
        }
        *known = known.saturating_add(u32::try_from(times).unwrap_or(u32::MAX));
        self.last = Some(edge);
    }

    /// It took this edge last.
    pub fn end_with(&mut self, edge: EdgeId) {
        self.last = Some(edge);
    }

    /// The edges that it took, in the order in which it took them first, and how often.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, u32)> + '_ {
        let times = |&edge: &EdgeId| (edge, self.times[edge.index()]);
        self.taken.iter().map(times)
    }

    /// The edge that was added last.
    #[must_use]
    pub fn last(&self) -> Option<EdgeId> {
        self.last
    }
}

/// The target cannot run the program any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It did not start, or ended before its first input.
    #[error("the program under test could not be started: {0}")]
    Start(String),
    /// It is gone and could not be started again.
    #[error("the program under test is gone: {0}")]
    Gone(String),
    /// What it wrote cannot be read.
    #[error("the program under test wrote what cannot be read: {0}")]
    Protocol(String),
    /// Check mode found an expression that differs from the concrete value.
    #[error("check mode: {0}")]
    Check(String),
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The path.
    pub steps: Vec<Step>,
    pub outcome: Outcome,
    /// The input as the program consumed it: names and types filled in, values that it asked for beyond what was
    /// supplied appended.
    pub input: InputVector,
    pub flags: RunFlags,
    /// Where symbolism was lost, why, how often.
    pub losses: Vec<(SpotId, LossReason, u32)>,
    /// Edges taken after `steps` was cut, on a stretch that was folded, or by other threads than the first, in no order, each
    /// with how often; an edge may stand there twice, and the sum counts.
    pub late_edges: Vec<(EdgeId, u64)>,
    /// Functions entered there.
    pub late_functions: Vec<(FuncId, u64)>,
    /// Text of the input that was compared with other text, and was not it; some more than once.
    pub compared: Vec<Compared>,
    /// How near it came to edges that were asked for, if it was watched.
    pub near: Vec<Near>,
}

/// How near a run came to an edge at whose site nothing symbolic decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    pub edge: EdgeId,
    /// The least branch distance; `u64::MAX` for a `switch`, whose last edge stands for all.
    pub least: u64,
    /// Bit `d % 64` is set when the operands were `d` apart, or the value of the `switch` was `d`.
    pub seen: u64,
}

/// Text of the input that the program compared with other text, and was not it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Compared {
    /// Its bytes as expressions of the input, 8 bits each; at least one.
    pub text: Box<[Term]>,
    /// The other text.
    pub wanted: Box<[u8]>,
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An edge of a site was taken; `cond` is there when something symbolic decided it.
    Edge { edge: EdgeId, cond: Option<Cond> },
    /// A function was entered.
    Call(FuncId),
    /// It returned.
    Return(FuncId),
    /// `setjmp` returned in the function: frames above it are gone.
    Resume(FuncId),
    /// `term` (width 1) is true on this run for a reason that is no branch of the source.
    Constraint {
        class: Class,
        spot: SpotId,
        term: Term,
    },
    /// `reach_error` was called.
    ReachError,
}

/// What decided an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cond {
    /// Branch and select: the condition, width 1, true = side 1. Switch: the value that is switched over.
    pub term: Term,
}

/// Why a constraint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// An address or a length was pinned to its concrete value: other values may be tried.
    Pin,
    /// The program would trap otherwise: flipping it seeks a crash.
    Check,
    /// A decision inside a modelled library function or an input model.
    Library,
    /// The program assumed it: never flipped, but for a run that failed it.
    Assume,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// `exit` with this status.
    Exited(i32),
    /// Ended by this signal.
    Signalled(i32),
    /// Killed at the time limit.
    Timeout,
    /// Killed at the memory limit.
    Memory,
    /// An assumption did not hold: this run is no test. The path's last constraint is the assumption, as a term that
    /// is true on this run (the negation of what was assumed), with class [`Class::Assume`].
    AssumeFailed,
}

/// What was special about a run; a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunFlags(u32);

impl RunFlags {
    /// Nothing was.
    pub const EMPTY: RunFlags = RunFlags(0);
    /// The expression table was full: concrete from there on.
    pub const NODES_TRUNCATED: RunFlags = RunFlags(1);
    /// The event buffer was full: the path ends early.
    pub const EVENTS_TRUNCATED: RunFlags = RunFlags(2);
    /// The input table was full: later inputs were 0 and concrete.
    pub const INPUTS_TRUNCATED: RunFlags = RunFlags(4);
    /// The table area was full: later symbolic loads were pinned or concrete.
    pub const TABLES_TRUNCATED: RunFlags = RunFlags(8);
    /// `losses` is not complete: its table was full, or a loss has no place in the program. Harmless: [`RunFlags::LOST`] decides.
    pub const LOSSES_TRUNCATED: RunFlags = RunFlags(16);
    /// The name area was full: some names are empty. Harmless.
    pub const NAMES_TRUNCATED: RunFlags = RunFlags(32);
    /// A second thread was started.
    pub const THREADS: RunFlags = RunFlags(64);
    /// The process forked.
    pub const FORKED: RunFlags = RunFlags(128);
    /// The process was replaced (`exec`).
    pub const EXEC: RunFlags = RunFlags(256);
    /// A condition did not have the value that its side says. (A label that was dropped because memory had changed
    /// behind the instrumentation's back is a [`LossReason::Stale`].)
    pub const STALE: RunFlags = RunFlags(512);
    /// A long stretch without anything symbolic is not on the path; its edges are late ones. Harmless.
    pub const FOLDED: RunFlags = RunFlags(1024);
    /// So many decisions that the later ones are not on the path: their edges are, as if nothing symbolic had decided them.
    pub const DECISIONS_TRUNCATED: RunFlags = RunFlags(2048);

    /// A symbolic value became concrete where it may matter: an exhausted tree proves nothing.
    pub const LOST: RunFlags = RunFlags(4096);
    /// What is known of the edges and functions is that they were taken, not how often: threads counted at once, the record was
    /// written over, or the program went on unseen.
    pub const UNCOUNTED: RunFlags = RunFlags(8192);
    /// The run was broken off where a plain build may go on: at an error that it may survive, or at what is not modelled.
    pub const BROKEN_OFF: RunFlags = RunFlags(16384);

    /// Every flag with its name.
    pub const ALL: &'static [(RunFlags, &'static str)] = &[
        (RunFlags::NODES_TRUNCATED, "expression table full"),
        (
            RunFlags::EVENTS_TRUNCATED,
            "path longer than the event buffer",
        ),
        (RunFlags::INPUTS_TRUNCATED, "too many inputs"),
        (RunFlags::TABLES_TRUNCATED, "table area full"),
        (RunFlags::LOSSES_TRUNCATED, "list of losses incomplete"),
        (RunFlags::NAMES_TRUNCATED, "name area full"),
        (RunFlags::THREADS, "threads"),
        (RunFlags::FORKED, "fork"),
        (RunFlags::EXEC, "exec"),
        (RunFlags::STALE, "condition that contradicts its side"),
        (RunFlags::FOLDED, "long stretch without symbolic values"),
        (RunFlags::LOST, "symbolic value lost"),
        (
            RunFlags::DECISIONS_TRUNCATED,
            "more decisions than are kept of a path",
        ),
        (RunFlags::UNCOUNTED, "edges not counted"),
        (
            RunFlags::BROKEN_OFF,
            "broken off where a plain build may go on",
        ),
    ];

    /// Does the set hold every flag of `other`?
    #[must_use]
    pub const fn contains(self, other: RunFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds the flags of `other`.
    pub const fn insert(&mut self, other: RunFlags) {
        self.0 |= other.0;
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: RunFlags) -> RunFlags {
        RunFlags(self.0 | other.0)
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Did the run see everything that the program did? With [`RunFlags::LOST`] it did, but no tree that has it is a proof.
    #[must_use]
    pub const fn complete(self) -> bool {
        const HARMLESS: u32 = RunFlags::NAMES_TRUNCATED.0
            | RunFlags::FOLDED.0
            | RunFlags::LOSSES_TRUNCATED.0
            | RunFlags::UNCOUNTED.0
            | RunFlags::LOST.0;
        self.0 & !HARMLESS == 0
    }
}

/// Why symbolism was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LossReason {
    /// A symbolic value went into a function that is neither instrumented nor wrapped.
    External,
    /// An instruction that has no expression.
    Instruction,
    /// An address was pinned; the path has the pin.
    Address,
    /// A length or size was pinned; the path has the pin.
    Length,
    /// A table of the run was full.
    Full,
    /// Another thread or a forked child touched symbolic data.
    Thread,
    /// Memory changed behind the instrumentation's back.
    Stale,
    /// A value was pinned that has no expression; the path has the pin.
    Value,
    /// A symbolic value was consumed where it decides nothing (printed, freed).
    Harmless,
}

impl LossReason {
    /// Every reason; the wire format's numbers count from 1 in this order.
    pub const ALL: &'static [LossReason] = &[
        LossReason::External,
        LossReason::Instruction,
        LossReason::Address,
        LossReason::Length,
        LossReason::Full,
        LossReason::Thread,
        LossReason::Stale,
        LossReason::Value,
        LossReason::Harmless,
    ];

    /// Does the path have a pin for it? That is a decision of the tree like any other: its other values have been tried when
    /// the tree is exhausted.
    #[must_use]
    pub const fn is_pin(self) -> bool {
        matches!(
            self,
            LossReason::Address | LossReason::Length | LossReason::Value
        )
    }

    /// Does an exhausted tree prove nothing when this happened?
    #[must_use]
    pub const fn breaks_proof(self) -> bool {
        !self.is_pin() && !matches!(self, LossReason::Harmless)
    }

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LossReason::External => "external call",
            LossReason::Instruction => "instruction without expression",
            LossReason::Address => "pinned address",
            LossReason::Length => "pinned length",
            LossReason::Value => "pinned value",
            LossReason::Full => "table full",
            LossReason::Thread => "thread",
            LossReason::Stale => "memory changed by uninstrumented code",
            LossReason::Harmless => "harmless",
        }
    }
}
