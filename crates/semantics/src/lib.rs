//! The meaning of each instruction of the model, as terms: one definition for every reader.
//!
//! Charter: a [`Builder`] takes an operation with the values of its operands and says what it does ([`Effect`]): a result, or an
//! access to memory. The same definition is read in three directions.
//!
//! - **Forward**: the operands are terms over the inputs, the result is a term over them.
//! - **Backward**: the operands are variables. The weakest precondition of a condition is the condition with the result's
//!   variable replaced by its term ([`smt::Pool::substitute`]), and with each byte that is read replaced by what a
//!   write leaves there ([`Write::after`]).
//! - **With constants**: terms over constants are computed when they are built, so the result is a constant.
//!
//! Invariants:
//! - a value is what the compiled program computes: integers wrap, a shift takes its amount modulo the width, floats
//!   follow IEEE 754 with rounding to nearest even;
//! - what the compiled program cannot do (divide by zero), or what C leaves undefined, is a [`Condition`], never a
//!   silent choice;
//! - what has no term is a [`Gap`] with its reason: nothing is known of that value;
//! - no runs, no solver, no I/O; uses the model and terms alone.

mod builder;
mod compare;
mod computed;
mod condition;
mod constant;
mod control;
mod convert;
mod effect;
mod float;
mod integer;
mod lanes;
mod memory;
mod named;
#[cfg(test)]
mod tests;
mod value;

pub use builder::Builder;
pub use computed::is_computed;
pub use condition::{Condition, Consequence, Fault};
pub use constant::{Open, Symbol, is_known};
pub use control::{grows_by, incoming, looked_at};
pub use effect::{Block, Effect, may_write};
pub use memory::{Access, Write, apart, bases, moved_by};
pub use value::{Gap, Value, width};
