//! The arithmetic on words against `semantics`, memory, and states on demand.

mod memory;
mod states;
mod words;
