//! The pipeline of one session: build, load, prove, search, judge, write.
//!
//! Charter: reads and writes files, starts processes and threads through the other crates, and wires these together. A
//! command, or any other program, gives [`Options`] and a [`Host`], and gets reports.
//!
//! Invariants:
//! - no flags, no printing, no exit codes: what is to be said goes to the [`Host`], into a report, or into an [`Error`];
//! - nothing is written before the program is known to be testable;
//! - a test that was found is on disk before the next one is looked for;
//! - the coverage that is reported is the judge's.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod all;
mod annex;
mod bidirectional;
mod board;
pub mod build;
mod called;
pub mod calls;
pub mod campaigns;
pub mod certificates;
pub mod children;
mod compare;
pub mod compiler;
pub mod convert;
mod criteria;
mod decisions;
mod error;
pub mod evidence;
pub mod failing;
mod faults;
pub mod find;
pub mod finish;
mod followed;
mod found;
pub mod function;
pub mod graph;
mod host;
mod inputs_read;
mod late;
pub mod load;
mod looks;
mod memory;
mod minimal;
pub mod near;
mod needed;
pub mod options;
pub mod output;
mod outside;
mod past;
mod pipeline;
mod plainer;
pub mod plan;
mod proofs;
pub mod reach;
pub mod reports;
pub mod sanitize;
pub mod search;
mod searcher;
mod seeds;
pub mod shard;
mod slice;
pub mod sources;
mod standing;
mod stored;
mod suite;
pub mod sync;
mod target;
mod timer;
pub mod values;
mod waiting;
mod words;
mod workers;

pub use board::{Board, WallClock};
pub use error::{Error, Result};
pub use host::Host;
pub use options::Options;
pub use pipeline::{Done, Session};
