//! Errors that end a run.

use program::Program;

use crate::state::Frame;

/// What a program did that it must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Fault {
    #[error("access through the null pointer")]
    Null,
    /// No object is there.
    #[error("access outside all objects")]
    Wild,
    #[error("access beyond the end of an object")]
    OutOfBounds,
    #[error("access to an object after its end of life")]
    AfterFree,
    #[error("write to a constant")]
    Constant,
    #[error("an object was freed twice")]
    DoubleFree,
    #[error("what was freed is not the start of a heap object")]
    BadFree,
    #[error("division by zero, or of the smallest number by -1")]
    Division,
    #[error("an uninitialised value decides what the program does")]
    Uninitialised,
    #[error("memory is lost: it was not freed, and nothing points to it when the program ends")]
    Leak,
    #[error("signed arithmetic has a result that its type does not have")]
    SignedOverflow,
    #[error("abort")]
    Abort,
    #[error("trap")]
    Trap,
    /// Control came to a place that the compiler takes for unreachable.
    #[error(
        "control came to the end of a function that returns a value, or beyond a call that does not return"
    )]
    Unreachable,
    #[error("a call through a pointer that is no function's")]
    BadCall,
    #[error("the stack is full")]
    StackOverflow,
}

/// Active functions that an error names.
const FRAMES: usize = 16;

/// An error that ended a run, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub fault: Fault,
    /// File, line, column of the innermost place that is no library model's.
    pub place: Option<(String, u32, u32)>,
    /// The active functions, innermost first, the first sixteen.
    pub stack: Vec<String>,
}

impl Error {
    /// The error at the instruction that runs.
    pub(crate) fn at(fault: Fault, program: &Program, frames: &[Frame]) -> Error {
        let mut own = frames
            .iter()
            .rev()
            .filter(|frame| !program.functions[frame.code.function].library);
        let place = own.next().and_then(|frame| {
            let function = &program.functions[frame.code.function];
            // Of a branch, or of an instruction without a place, the one before it.
            let before = frame.code.origins[..frame.at].iter().rev().flatten();
            let loc = { before }.find_map(|value| function.inst(*value)?.loc)?;
            let file = program.files.get(loc.file as usize)?;
            Some((file.to_string(), loc.line, loc.col))
        });
        let names = frames.iter().rev().take(FRAMES);
        let names = names.map(|frame| program.functions[frame.code.function].name.clone());
        Error {
            fault,
            place,
            stack: names.collect(),
        }
    }
}

impl Fault {
    /// May a plain build go on behind it, or go on longer?
    #[must_use]
    pub const fn is_survivable(self) -> bool {
        match self {
            Fault::Null
            | Fault::Constant
            | Fault::Division
            | Fault::Abort
            | Fault::Trap
            | Fault::Leak => false,
            Fault::Wild
            | Fault::OutOfBounds
            | Fault::AfterFree
            | Fault::DoubleFree
            | Fault::BadFree
            | Fault::Uninitialised
            | Fault::SignedOverflow
            | Fault::Unreachable
            | Fault::BadCall
            | Fault::StackOverflow => true,
        }
    }

    /// The signal that ends a native run there.
    #[must_use]
    pub const fn signal(self) -> i32 {
        match self {
            Fault::Division => 8,
            Fault::Abort
            | Fault::Uninitialised
            | Fault::Leak
            | Fault::DoubleFree
            | Fault::BadFree => 6,
            Fault::Trap | Fault::Unreachable | Fault::SignedOverflow => 4,
            Fault::Null
            | Fault::Wild
            | Fault::OutOfBounds
            | Fault::AfterFree
            | Fault::Constant
            | Fault::BadCall
            | Fault::StackOverflow => 11,
        }
    }
}
