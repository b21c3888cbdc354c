//! Search: the strategies, and the campaign that runs them.
//!
//! Invariants:
//! - deterministic: the same program, seed, strategy and iteration budget give the same tests in the same order;
//! - no I/O, no clock (time comes through [`Clock`]), no environment, no process: programs run behind [`path::Target`];
//! - a strategy is one file and knows neither the criterion nor the solver;
//! - nothing grows without bound but the execution tree and the inputs of its runs, and they say how many bytes
//!   they have.

pub mod agenda;
mod approach;
pub mod campaign;
pub mod chance;
pub mod choice;
mod counts;
mod decoding;
mod fuzz;
pub mod guide;
mod matching;
pub mod minimise;
mod pumping;
pub mod rate;
pub mod relevant;
mod rng;
pub mod strategy;
#[cfg(test)]
mod testing;
mod wishes;

pub use agenda::Lane;
pub use approach::{Approached, OnlyConcrete};
pub use campaign::{
    Budget, Campaign, Clock, Config, Engine, KeptTest, Progress, Spent, StopReason,
};
pub use choice::Choice;
pub use rng::Rng;
pub use strategy::Strategy;
