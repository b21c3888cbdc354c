//! Search: the strategies, and the campaign that runs them.
//!
//! Invariants:
//! - deterministic: the same program, seed, strategy and iteration budget give the same tests in the same order;
//! - no I/O, no clock (time comes through [`Clock`]), no environment, no process: programs run behind [`path::Target`];
//! - everything that proposes what to run next is a [`source`], one file each; the campaign knows none by name;
//! - a strategy is one file and knows neither the criterion nor the solver;
//! - nothing grows without bound but the execution tree and the inputs of its runs, and they say how many bytes
//!   they have.

pub mod agenda;
pub mod backward;
pub mod campaign;
mod chance;
pub mod choice;
mod counts;
mod decoding;
mod discovery;
mod draws;
mod fuzz;
pub mod guide;
pub mod minimise;
mod nearness;
mod pace;
pub mod plainer;
mod quiet;
pub mod rate;
pub mod relevant;
mod rng;
pub mod shown;
pub mod source;
pub mod strategy;
#[cfg(test)]
mod testing;
pub mod view;
mod wishes;

pub use campaign::{
    Budget, Campaign, Clock, Config, Engine, KeptTest, Progress, Spent, StopReason,
};
pub use choice::Choice;
pub use discovery::Discovery;
pub use draws::Draws;
pub use nearness::{Approached, OnlyConcrete};
pub use rng::Rng;
pub use strategy::Strategy;
