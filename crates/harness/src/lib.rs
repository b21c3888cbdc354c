//! One function under test: from debug information to the C text that calls it.
//!
//! Charter: reads what a linked file's debug information says about a unit (`dwarf` → `types`), decides which objects
//! the function gets and which of their bytes are inputs (`plan`), and writes C from that decision: the probe, the
//! harness, the unit tests.
//!
//! Invariants, absences included: bytes and texts in, texts out; no files, no processes, no LLVM, nothing of the
//! search. One plan is the source of every text, so that what a harness builds is what a test says.

mod atomics;
pub mod casts;
pub mod declared;
pub mod dwarf;
mod hidden;
pub mod leaf;
pub mod observe;
pub mod plan;
pub mod probe;
mod sink;
mod spell;
pub mod types;
pub mod unit_tests;
pub mod write;
