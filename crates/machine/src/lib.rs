//! The model runs itself: concretely and symbolically at once, in process, for any data layout.
//!
//! Charter: a [`Machine`] takes a program and an input and makes the run that the compiled program would make
//! ([`path::Run`]), with every step through [`semantics`] or, where all operands are concrete, through arithmetic that is tested
//! against it. Memory is made of objects with bounds and lifetimes, so errors that a native run hides end the run.
//!
//! - [`Machine`] is a [`path::Target`]: every strategy works on it;
//! - [`Machine::states`] answers what each variable and each byte was at a place of a run, as a value and as a term;
//! - [`unmodelled`] says beforehand which externals a program needs that nothing here models.
//!
//! Invariants:
//! - deterministic: the same program and input give the same run; no I/O, no clock, no process;
//! - limits on steps, memory and depth hold whatever the program does; reaching one ends the run, never the engine;
//! - the concrete value of a register is the value of its term under the run's input.

mod cells;
mod code;
mod compile;
mod concrete;
mod externs;
mod fail;
mod fault;
mod files;
mod fixed;
mod general;
mod holes;
mod jump;
mod layout;
mod leaks;
mod masks;
mod memo;
mod memory;
mod pointer;
mod record;
mod register;
mod signals;
mod state;
mod states;
mod step;
mod streams;
mod target;
mod terms;
#[cfg(test)]
mod tests;
mod unmodelled;
mod variadic;
mod words;
mod world;

pub use externs::input::{Given, given};
pub use fault::{Error, Fault};
pub use states::{Course, Extent, MOST_SNAPSHOTS, NoStates, Number, States, View};
pub use target::{Config, Finds, Limits, Machine};
pub use unmodelled::{Unmodelled, unmodelled};
