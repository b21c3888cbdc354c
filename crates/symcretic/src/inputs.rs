//! Functions that a program asks for inputs: which values, and where they go.

pub use machine::{Given, given as single};

/// Does a function read one character of a stream?
#[must_use]
pub fn is_character(name: &str) -> bool {
    matches!(
        name,
        "getchar" | "getchar_unlocked" | "getc" | "getc_unlocked" | "fgetc" | "fgetc_unlocked"
    )
}

/// May a function without a body ask for inputs?
#[must_use]
pub fn asks(name: &str) -> bool {
    // Those that are known not to are asked for first; anything else may read.
    single(name).is_some() || !name.starts_with("str")
}
