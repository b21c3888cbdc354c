//! The static library that is linked into the program under test: shadow memory, expression table, event stream,
//! inputs, fork server and libc wrappers.
//!
//! Invariants:
//! - `no_std` in the archive; it never allocates through the program's `malloc`: its memory is the shared segment, statics and
//!   private anonymous mappings;
//! - it never solves and never decides which path to take: it records what happened;
//! - it never unwinds: a panic prints a message and aborts;
//! - only the first thread of the process that the engine asked for records; any other thread or process runs concretely;
//! - a label that it returns names a node whose value is the concrete value; when in doubt the label is 0;
//! - it preserves `errno` wherever the C function that it stands for does.
#![cfg_attr(all(not(test), panic = "abort"), no_std)]

mod abi;
mod abi_wide;
mod arguments;
mod attach;
mod bits;
mod bounds;
mod build;
#[cfg(test)]
mod build_tests;
mod bytes;
mod cons;
mod deferred;
mod descriptors;
mod environment;
mod eval;
mod fail;
mod fixed;
mod float;
mod fold;
mod fuzz;
mod gate;
mod handshake;
mod input_symbols;
mod inputs;
mod intrinsic;
mod libc_wrappers;
mod made;
mod memory;
#[cfg(test)]
mod memory_tests;
mod near;
mod objects;
mod panic;
mod raw;
mod record;
mod repeat;
mod server;
mod state;
mod streams;
mod symbolic_read;
mod symbolic_write;
#[cfg(test)]
mod testing;
mod text;
mod variadic;
