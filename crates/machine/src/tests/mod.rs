//! The arithmetic on words against `semantics`, memory, runs with nothing symbolic, runs after others, code before `main`, and states on demand.

mod again;
mod concrete;
mod memory;
mod pointers;
mod starts;
mod states;
mod words;
