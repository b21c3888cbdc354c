//! LLVM's side of `bothways`: from clang's bitcode to the model (`prepare`), to ids (`number`), to an instrumented
//! object (`instrument`, `emit`), and from the stored model back to [`program::Program`] (`read`, `covmap`).
//!
//! Invariants:
//! - the only crate that knows LLVM; no type of LLVM's is in its public interface, all FFI is in `ir`;
//! - no files, no processes, no environment: bytes in, bytes out;
//! - the same bytes and options give the same output.

pub mod covmap;
pub mod emit;
mod error;
pub mod failing;
pub mod instrument;
mod ir;
pub mod number;
pub mod prepare;
pub mod reach;
pub mod read;
mod types;
pub mod watch;

pub use error::Error;
pub use ir::Module;
