//! The arithmetic on words against `semantics`, memory, runs with nothing symbolic, runs after others, and states on demand.

mod again;
mod concrete;
mod memory;
mod pointers;
mod states;
mod words;
