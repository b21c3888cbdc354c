//! Values for inputs under which all constraints of a trace hold, looked for by concrete evaluation: the second phase of
//! symcretic execution (Dinges and Agha, ASE 2014).
//!
//! Charter: a [`Trace`] is a straight line of real calls, extracted loops and conditions over terms of one [`smt::Pool`]. It is
//! compiled once ([`Program`]), and [`search`] evaluates it with one vector of inputs after the other, led by how far each
//! condition is from holding, until all hold or the limits are reached.
//!
//! Invariants:
//! - [`Outcome::Found`] is returned only with values that [`smt::Evaluator`] and a new call of each function have confirmed;
//! - [`Outcome::Failed`] proves nothing: it says what was tried, how close it came and which step was in the way;
//! - the same trace, start, limits and results of functions give the same outcome: seeded, no clock, no I/O, no hash order;
//! - an evaluation neither allocates nor hashes, and it ends: loops have a limit on their turns;
//! - distances are finite, never NaN, and 0 exactly when the condition holds;
//! - nothing recurses over terms: a term may be a million operations deep.

mod confirm;
mod distance;
mod external;
mod program;
mod rng;
mod search;
mod shapes;
#[cfg(test)]
mod tests;
pub mod text;
mod trace;

pub use confirm::confirms;
pub use external::{Callback, External};
pub use program::{Machine, Program};
pub use search::{Failed, Found, Limits, Outcome, Searches, search};
pub use shapes::{Recorder, Shape, Shapes};
pub use trace::{
    BadTrace, Block, BlockId, Call, Domain, Kind, Loop, Next, State, Step, StepId, Target, Trace,
    Variable,
};
