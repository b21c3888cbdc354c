//! What a test asserts, by the type of what is looked at: each framework has an assertion of its own for it.
//!
//! Must hold: places and values are C expressions; where nothing better is known, [`Check::condition`] says the same in plain C.

use crate::plan::Scalar;

/// One assertion.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// An integer, a character or an enumerator.
    Integer {
        place: String,
        value: String,
        scalar: Scalar,
        /// A mask: a failure is told in hexadecimal.
        hex: bool,
    },
    /// A truth value.
    Truth { place: String, value: bool },
    /// A number with a fraction.
    Float {
        place: String,
        value: String,
        scalar: Scalar,
    },
    /// Not a number: it differs from itself.
    NotANumber { place: String, scalar: Scalar },
    /// A null pointer.
    Null { place: String },
    /// A pointer to something.
    NotNull { place: String },
    /// A pointer to something that the test knows.
    Same { place: String, other: String },
    /// A string.
    Text { place: String, text: String },
    /// So many bytes from an address on.
    Memory {
        place: String,
        bytes: String,
        count: usize,
    },
}

impl Check {
    /// The check in plain C.
    #[must_use]
    pub fn condition(&self) -> String {
        match self {
            Check::Integer { place, value, .. } | Check::Float { place, value, .. } => {
                format!("{place} == {value}")
            }
            Check::Truth { place, value: true } => place.clone(),
            Check::Truth { place, .. } => format!("!{place}"),
            Check::NotANumber { place, .. } => format!("{place} != {place}"),
            Check::Null { place } => format!("{place} == NULL"),
            Check::NotNull { place } => format!("{place} != NULL"),
            Check::Same { place, other } => {
                format!("(const void *)({place}) == (const void *)({other})")
            }
            Check::Text { place, text } => format!("strcmp((const char *){place}, {text}) == 0"),
            Check::Memory {
                place,
                bytes,
                count,
            } => format!("memcmp({place}, {bytes}, {count}) == 0"),
        }
    }
}
