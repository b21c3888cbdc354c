//! What crosses between the engine and an instrumented process: the layout of the shared segment, the
//! expression nodes, the event stream, the input records, and the section in which a program carries its model.
//!
//! Invariants:
//! - `no_std`, no dependency, no allocation, no pointer that one side could follow into the other's memory;
//! - every struct is `repr(C)` and every number has one width, so that both sides agree whatever built them;
//! - [`VERSION`] changes whenever anything here changes its meaning;
//! - the reader trusts nothing: the program under test may write over the segment, so every index that is
//!   read from it is checked before it is used.
#![no_std]

pub mod abi;
pub mod event;
pub mod fail;
pub mod input;
pub mod libc;
pub mod node;
pub mod section;
pub mod segment;
pub mod shadow;

/// Version of everything in this crate. The runtime refuses a segment of another version.
pub const VERSION: u32 = 13;
