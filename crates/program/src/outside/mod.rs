//! Functions without a body in the program: what they may write, what they give back, whether they come back. The one table of this;
//! `wire::libc` says how runs treat them.
//!
//! Must hold: a name that is not here may write to all that it can reach, call back what has escaped, and return anything.

mod calls;
mod names;
mod streams;
#[cfg(test)]
mod tests;
mod variables;
mod written;

pub use calls::calls_what_it_is_given;
pub use variables::{is_of_getopt, is_of_library, looks_why, may_fail, writes_variables};
pub use written::{counts, counts_output, format};

use crate::Program;
use streams::{MAKES_STREAMS, USES_STREAMS};

/// What a call of a function outside the program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It never comes back.
    NoReturn,
    /// It comes back only if its argument is not 0.
    Assume,
    /// It writes nothing that the program sees, keeps no pointer, and returns a number.
    Pure,
    /// It writes to the objects that its arguments point to, and keeps no pointer.
    Writes(Result),
    /// It writes nothing and keeps no pointer.
    Reads(Result),
    /// It makes an object, or returns `NULL`. With `true` its bytes are 0.
    Allocates(bool),
    /// It makes an object that holds what its first argument's held, or returns `NULL`.
    Reallocates,
    /// It returns the address of a number of the library.
    OwnNumber,
    /// It returns a number, and writes an address in its first argument's object to where its second argument points.
    Parses,
    /// It writes to the objects that its arguments point to, may keep what it is given, and returns anything. While it runs it calls
    /// nothing of the program.
    Keeps,
    /// It may write to all that it can reach, keep it, and call back.
    Unknown,
}

/// What such a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Result {
    /// A number, or nothing.
    Number,
    /// Its first argument.
    First,
    /// Its first argument or `NULL`.
    FirstOrNull,
    /// An address somewhere in the object of its first argument, or `NULL`.
    Within,
    /// An address that is not of an object of the program, or `NULL`.
    Outside,
}

/// Functions whose mere presence takes the ground from under the analysis: control comes back where it left a frame.
pub const COMES_BACK: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__builtin_setjmp",
    "getcontext",
    "makecontext",
    "swapcontext",
    "vfork",
];

/// Functions that find variables and functions of the program by their names, or load code that does.
pub const FINDS_NAMES: &[&str] = &["dlopen", "dlmopen", "dlsym", "dlvsym"];

/// May code that is not in the model find variables and functions of the program by their names? `foreign`: the program is linked with
/// such code.
#[must_use]
pub fn finds_names(program: &Program, foreign: bool) -> bool {
    let mut names = program.externs.values().map(|known| known.name.as_str());
    foreign || names.any(|name| FINDS_NAMES.contains(&name))
}

/// Functions that let the kernel write to the program's objects while it goes on.
pub const WRITES_LATER: &[&str] = &["aio_read", "aio_read64", "lio_listio", "lio_listio64"];

/// What calls of functions outside do in a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outside {
    has_own_streams: bool,
    has_message_hook: bool,
}

impl Outside {
    /// Of this program.
    #[must_use]
    pub fn of(program: &Program) -> Outside {
        let mut externs = program.externs.values();
        let mut globals = program.globals.values();
        Outside {
            has_message_hook: globals.any(|global| global.name == names::MESSAGE_HOOK),
            has_own_streams: externs.any(|known| MAKES_STREAMS.contains(&known.name.as_str())),
        }
    }

    /// Does the program make streams of functions of its own?
    #[must_use]
    pub fn has_own_streams(self) -> bool {
        self.has_own_streams
    }

    /// What a call of the function does. A stream hands its functions what it was given itself, not only a copy.
    #[must_use]
    pub fn effect(self, name: &str) -> Effect {
        let prints_hook = self.has_message_hook && names::MESSAGES.contains(&name);
        match prints_hook || self.calls_streams(name) {
            true => Effect::Unknown,
            false => names::effect(name),
        }
    }

    /// To which argument's object alone a call of the function writes, apart from what its format says, and from variables of the
    /// library; `Some(None)`: to none. It then calls nothing of the program, and keeps nothing but functions for the end. `None`:
    /// nobody knows.
    #[must_use]
    pub fn written(self, name: &str) -> Option<Option<usize>> {
        written::written(name).filter(|_| !self.calls_streams(name))
    }

    /// Does a call of the function call nothing of the program but what it is given, while it runs?
    #[must_use]
    pub fn calls_nothing(self, name: &str) -> bool {
        let is_listed = calls::calls_nothing(name) && !self.calls_streams(name);
        is_listed || self.effect(name) != Effect::Unknown
    }

    /// May a call of the function call functions of the program that make a stream?
    fn calls_streams(self, name: &str) -> bool {
        self.has_own_streams && USES_STREAMS.contains(&name)
    }
}
