//! What goes out of a campaign to be done, what comes back, and what is kept of it.

use coverage::minimal::Shows;
use coverage::{DecisionId, GoalId, Vector};
use smt::{Assignment, Effort, Reason, Term};

use super::budget::StopReason;
use super::cause::Cause;
use path::{Candidate, InputVector, Outcome, Run, RunFlags, RunId};

/// A test that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTest {
    /// From 0, in the order in which they were found.
    pub number: u32,
    pub run: RunId,
    /// The test that its input was solved from: the nearest one among the runs whose path it goes on with.
    pub from: Option<u32>,
    pub input: InputVector,
    pub outcome: Outcome,
    /// What was special about its run.
    pub flags: RunFlags,
    /// Goals that no test before it covers, or takes.
    pub goals: Vec<GoalId>,
    /// Those of them that its counts cover, though it does not take them.
    pub untaken: Vec<GoalId>,
    /// How many goals are covered with it, counted as in the totals: of several instantiations the one with most.
    pub covered: u32,
    /// Vectors of decisions that it shows, if some goal asks for them.
    pub vectors: Vec<(DecisionId, Vector)>,
    /// All that it shows, unless every run is kept.
    pub shows: Option<Shows>,
    /// Why it ended badly.
    pub cause: Option<Cause>,
    /// `reach_error` was called.
    pub reach_error: bool,
}

impl KeptTest {
    /// The goals that it is the first to take.
    #[must_use]
    pub fn taken(&self) -> Vec<GoalId> {
        let goals = self.goals.iter().copied();
        goals.filter(|goal| !self.untaken.contains(goal)).collect()
    }

    /// A test that no campaign kept.
    #[must_use]
    pub const fn of(input: InputVector, outcome: Outcome) -> KeptTest {
        KeptTest {
            number: 0,
            run: RunId::from_u32(0),
            from: None,
            input,
            outcome,
            flags: RunFlags::EMPTY,
            goals: Vec::new(),
            untaken: Vec::new(),
            covered: 0,
            vectors: Vec::new(),
            shows: None,
            cause: None,
            reach_error: false,
        }
    }
}

/// Something to be done, and the number of the source that proposed it.
#[derive(Clone, Debug)]
pub struct Job {
    pub source: usize,
    pub task: Task,
}

/// Something to be run, perhaps to be solved first.
#[derive(Clone, Debug)]
pub enum Task {
    /// Run this.
    Run(InputVector),
    /// Find an input that takes the side, and run it.
    Flip(Flip),
}

/// A side to be taken.
#[derive(Clone, Debug)]
pub struct Flip {
    pub candidate: Candidate,
    /// Who proposed it, for traces.
    pub by: &'static str,
    /// When it fails, that says nothing about the side.
    pub is_probe: bool,
    /// The path condition of the candidate's node, or a part of it.
    pub prefix: Vec<Term>,
    /// What the side says.
    pub goal: Term,
    /// The input that the prefix is true under, with names and types.
    pub parent: InputVector,
    pub hint: Assignment,
    pub effort: Effort,
}

/// What a job gave.
#[derive(Clone, Debug)]
pub enum JobResult {
    /// There is no such input.
    Unsat,
    /// The solver gave up.
    Unknown(Reason),
    /// The input that was found has been run before: its run went elsewhere.
    Duplicate,
    /// It was run.
    Ran {
        supplied: InputVector,
        run: Box<Run>,
    },
    /// The job was given up (interrupted, target gone): the side is open again.
    Lost,
}

/// What to do next.
#[derive(Clone, Debug)]
pub enum Next {
    Job(Box<Job>),
    /// Nothing until a job that is out comes back.
    Wait,
    /// Runs without expressions, for a while.
    Slice,
    /// Nothing yet; ask again.
    Busy,
    Stop(StopReason),
}
