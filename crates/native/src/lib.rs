//! The outside world of a run: starts, feeds, limits and reads instrumented processes, and runs the judge.
//!
//! - [`target`]: an instrumented program behind `path::Target`;
//! - [`judge`]: the same tests on a plain clang build, counted by `llvm-cov`;
//! - [`toolchain`]: where clang and its friends are.
//!
//! Invariants:
//! - nothing but this crate and `cli` starts a process;
//! - whatever a program under test does to its memory, descriptors, children or parent, the engine goes on: all
//!   that is read from the shared segment is checked, all waits have a limit, all processes are killed in the end;
//! - no LLVM, no solver, no search; nothing here prints;
//! - `unsafe` is in `faults.rs`, `segment.rs`, `futex.rs`, `launch.rs`, `orphans.rs`, `processor.rs`, `sandbox.rs` and `spawn.rs` alone.

mod births;
pub mod cache;
pub mod check;
pub mod contain;
pub mod events;
pub mod faults;
mod filter;
mod futex;
mod hash;
mod inputs;
pub mod judge;
pub mod launch;
pub mod leave;
mod limit;
mod linker;
pub mod modules;
pub mod orphans;
pub mod permits;
pub mod processor;
pub mod sandbox;
pub mod scratch;
pub mod segment;
pub mod server;
mod spawn;
pub mod target;
pub mod terms;
pub mod toolchain;

pub use target::{Config, NativeTarget, Stats};
