//! What a register holds.
//!
//! Must hold: a word's bits above its width are 0; a symbolic word's term has its width and, under the run's input, its value.

use std::rc::Rc;

use semantics::Value;
use smt::{Pool, Term};

/// The value of a parameter or an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Register {
    /// Up to 64 bits that depend on no input.
    Word(u64),
    /// Up to 64 bits that do.
    Symbolic(u64, Term),
    /// A word of which some bits come from what nothing has written.
    Partial(Rc<Partial>),
    /// All else: wider integers, `long double`, vectors, aggregates.
    Wide(Rc<Wide>),
}

/// A word with bits that have no value.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    /// What it is where nobody asks: a word, with its term if it has one.
    pub plain: Register,
    /// The bits without a value.
    pub mask: u64,
}

/// A value that is no word.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub concrete: Plain,
    /// Its terms, if some part depends on an input.
    pub symbolic: Option<Value>,
}

/// A concrete value of any shape, which belongs to no pool.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    Scalar { bits: u128, width: u16 },
    Members(Rc<[Plain]>),
}

impl Plain {
    /// The value of terms that are constants; `None` where one is not.
    pub fn of(pool: &Pool, value: &Value) -> Option<Plain> {
        Some(match value {
            Value::Scalar(term) => Plain::Scalar {
                bits: pool.as_const(*term)?,
                width: pool.width(*term),
            },
            Value::Members(members) => {
                let members = members.iter().map(|member| Plain::of(pool, member));
                Plain::Members(members.collect::<Option<Vec<Plain>>>()?.into())
            }
        })
    }

    /// As constants of a pool.
    pub fn value(&self, pool: &mut Pool) -> Value {
        match self {
            Plain::Scalar { bits, width } => Value::Scalar(pool.constant(*width, *bits)),
            Plain::Members(members) => {
                let members: Vec<Value> = members.iter().map(|member| member.value(pool)).collect();
                members.into()
            }
        }
    }
}

impl Register {
    /// The bits of a word; 0 for what is none, which no verified program asks for.
    #[inline]
    pub fn word(&self) -> u64 {
        match self {
            Register::Word(word) | Register::Symbolic(word, _) => *word,
            Register::Partial(partial) => partial.plain.word(),
            Register::Wide(_) => 0,
        }
    }

    /// The term of a symbolic word.
    #[inline]
    pub fn term(&self) -> Option<Term> {
        match self {
            Register::Symbolic(_, term) => Some(*term),
            Register::Partial(partial) => partial.plain.term(),
            Register::Word(_) | Register::Wide(_) => None,
        }
    }

    /// The bits without a value.
    #[inline]
    pub fn mask(&self) -> u64 {
        match self {
            Register::Partial(partial) => partial.mask,
            _ => 0,
        }
    }

    /// The value, as if all its bits had one, and the bits that have none.
    #[inline]
    pub fn split(self) -> (Register, u64) {
        match self {
            Register::Partial(partial) => (partial.plain.clone(), partial.mask),
            plain => (plain, 0),
        }
    }

    /// A word some of whose bits have no value.
    pub fn partial(self, mask: u64) -> Register {
        match self {
            plain @ (Register::Word(_) | Register::Symbolic(..)) if mask != 0 => {
                Register::Partial(Partial { plain, mask }.into())
            }
            other => other,
        }
    }
}
