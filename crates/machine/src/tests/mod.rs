//! The arithmetic on words against `semantics`, memory, runs with nothing symbolic, and states on demand.

mod concrete;
mod memory;
mod pointers;
mod states;
mod words;
