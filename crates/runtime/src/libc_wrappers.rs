//! The wrapped functions of the C library, `__bw_libc_<name>`, one file for each family. The list is `wire::libc`.
//!
//! What must hold: each does what the C function does, `errno` included, whether or not anything is symbolic.

mod allocate;
mod block;
mod character;
mod compare;
mod copy_string;
mod digits;
mod extent;
mod file;
mod format;
mod length;
mod number;
mod search;
mod stdio;
mod temporary;
#[cfg(test)]
mod tests;
mod thread;
