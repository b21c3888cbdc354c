//! Errors that end a run.

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
}

impl Fault {
    /// The signal that ends a native run there.
    #[must_use]
    pub const fn signal(self) -> i32 {
        match self {
            Fault::Division => 8,
            Fault::Abort | Fault::DoubleFree | Fault::BadFree => 6,
            Fault::Trap | Fault::Unreachable => 4,
            Fault::Null
            | Fault::Wild
            | Fault::OutOfBounds
            | Fault::AfterFree
            | Fault::Constant
            | Fault::BadCall => 11,
        }
    }
}
