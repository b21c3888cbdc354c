//! What must hold on a path, from the model alone: verification conditions.
//!
//! Provers and the checker read the model in the same way, through this module; what they do with it is their own. A prover
//! asks its solver at each step and looks for short explanations; the checker supposes everything on the path and asks once.

mod frame;
mod initial;
mod places;
#[cfg(test)]
mod tests;
mod unknowns;
mod walk;

pub use frame::Frame;
pub use initial::initial;
pub use places::{Path, Places, Way, ways_out};
pub use walk::{Cause, Closes, Known, Mark, Walk, entering};
