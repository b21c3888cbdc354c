//! The arithmetic on words against `semantics`, and memory.

mod memory;
mod words;
