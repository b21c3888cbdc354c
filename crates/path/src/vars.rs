//! Names of variables: which input a [`smt::Var`] stands for.
//!
//! A variable is (stream, index) packed into 32 bits: the stream in the top 8, the index in the low 24. Stream 0
//! holds the values that the program asks for one by one, stream 1 is standard input, the others are arguments,
//! environment variables and files. The index of a byte stream's length is [`LENGTH`].
//!
//! Must hold: [`input_of`] undoes [`var_of`] for every stream below [`STREAMS`] and every index up to [`LENGTH`].

use smt::Var;

pub use wire::input::{STDIN, VALUES};

/// Streams that can be named.
pub const STREAMS: u32 = 1 << (32 - INDEX_BITS);
/// Index of the variable that is the length of a byte stream (32 bits wide).
pub const LENGTH: u32 = (1 << INDEX_BITS) - 1;

const INDEX_BITS: u32 = 24;

/// The variable for one element of a stream. An index beyond the range, `u32::MAX` above all, is [`LENGTH`].
#[must_use]
pub fn var_of(stream: u32, index: u32) -> Var {
    debug_assert!(stream < STREAMS, "stream {stream} cannot be named");
    Var((stream << INDEX_BITS) | index.min(LENGTH))
}

/// Stream and index of a variable.
#[must_use]
pub fn input_of(var: Var) -> (u32, u32) {
    (var.0 >> INDEX_BITS, var.0 & LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_reversible() {
        for stream in 0..STREAMS {
            for index in [0, 1, 4095, LENGTH - 1, LENGTH] {
                assert_eq!(input_of(var_of(stream, index)), (stream, index));
            }
        }
        assert_eq!(input_of(var_of(STDIN, u32::MAX)), (STDIN, LENGTH));
    }
}
