//! Why a run ended badly, precise enough that two crashes of one cause are one test.

use program::{EdgeId, FuncId};

use path::{Outcome, Run, Step};

/// Functions of the stack that are part of a cause, innermost first.
const FRAMES: usize = 3;

/// Cause of a crash, a time-out or a failed check.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause {
    pub outcome: Outcome,
    /// `reach_error` was called.
    pub reach_error: bool,
    /// The functions that were active, innermost first, at most three.
    pub stack: Vec<FuncId>,
    /// The edge that was taken last; of a time-out, where that is chance, `None`.
    pub edge: Option<EdgeId>,
}

impl Cause {
    /// The cause of a run that ended badly; `None` for one that exited by itself or failed an assumption, unless it
    /// called `reach_error`.
    #[must_use]
    pub fn of(run: &Run) -> Option<Cause> {
        let reach_error = run.steps.contains(&Step::ReachError);
        let bad = matches!(
            run.outcome,
            Outcome::Signalled(_) | Outcome::Timeout | Outcome::Memory
        );
        if run.outcome == Outcome::AssumeFailed || (!bad && !reach_error) {
            return None;
        }
        let mut stack = active(run);
        stack.reverse();
        stack.truncate(FRAMES);
        let edge = run.steps.iter().rev().find_map(|step| match step {
            Step::Edge { edge, .. } => Some(*edge),
            _ => None,
        });
        let exact = matches!(run.outcome, Outcome::Signalled(_));
        Some(Cause {
            outcome: run.outcome,
            reach_error,
            stack,
            edge: edge.filter(|_| exact),
        })
    }
}

/// Functions that were active when the path ended, outermost first.
fn active(run: &Run) -> Vec<FuncId> {
    let mut stack = Vec::new();
    for step in &run.steps {
        match *step {
            Step::Call(function) => stack.push(function),
            Step::Return(function) => {
                if let Some(at) = stack.iter().rposition(|&active| active == function) {
                    stack.truncate(at);
                }
            }
            Step::Resume(function) => {
                if let Some(at) = stack.iter().rposition(|&active| active == function) {
                    stack.truncate(at + 1);
                }
            }
            _ => {}
        }
    }
    stack
}
