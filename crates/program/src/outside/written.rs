//! Which objects functions write to, of those that their arguments point to; formats, by which some write to more.
//!
//! Must hold: a function that is listed writes to no other object of the program, apart from variables of the library
//! (`is_of_library`) and from what its format says (`%n`). It calls nothing of the program while it runs, apart from what makes a stream,
//! and keeps nothing of the program but functions that are called at the end.

use crate::private::{Base, base};
use crate::{Callee, Function, Op, Program};

/// To which argument's object functions write; `None`: to none. What the manual says of each:
/// - `sprintf` and its kin, `strftime`, `strcpy` and its kin, `memcpy` and its kin, `memset`, `fgets`, `fread`: to their first;
/// - `read` (descriptor, buffer, size), `readlink` (path, buffer, size), `stat`, `lstat` (path, result), `fstat` (descriptor, result): to
///   their second;
/// - `fstatat` (folder, path, result, flags): to its third.
pub(super) const WRITTEN: &[(&str, Option<usize>)] = &[
    ("printf", None),
    ("fprintf", None),
    ("dprintf", None),
    ("vprintf", None),
    ("vfprintf", None),
    ("warn", None),
    ("warnx", None),
    ("vwarn", None),
    ("vwarnx", None),
    ("sprintf", Some(0)),
    ("snprintf", Some(0)),
    ("vsprintf", Some(0)),
    ("vsnprintf", Some(0)),
    ("strftime", Some(0)),
    ("strcpy", Some(0)),
    ("strncpy", Some(0)),
    ("strcat", Some(0)),
    ("strncat", Some(0)),
    ("memcpy", Some(0)),
    ("memmove", Some(0)),
    ("memset", Some(0)),
    ("fgets", Some(0)),
    ("fread", Some(0)),
    ("read", Some(1)),
    ("readlink", Some(1)),
    ("stat", Some(1)),
    ("lstat", Some(1)),
    ("fstat", Some(1)),
    ("fstatat", Some(2)),
    ("atexit", None),
    ("gettext", None),
    ("dgettext", None),
    ("dcgettext", None),
    ("ngettext", None),
    ("textdomain", None),
    ("bindtextdomain", None),
    ("bind_textdomain_codeset", None),
    ("localtime", None),
    ("gmtime", None),
];

/// Functions that print by a format: its place among their arguments. `error` calls a function of the program (`error_print_progname`),
/// without arguments.
pub(super) const FORMATS: &[(&str, usize)] = &[
    ("printf", 0),
    ("fprintf", 1),
    ("dprintf", 1),
    ("sprintf", 1),
    ("snprintf", 2),
    ("vprintf", 0),
    ("vfprintf", 1),
    ("vsprintf", 1),
    ("vsnprintf", 2),
    ("warn", 0),
    ("warnx", 0),
    ("vwarn", 0),
    ("vwarnx", 0),
    ("err", 1),
    ("errx", 1),
    ("error", 2),
];

fn row<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let mut rows = table.iter();
    rows.find(|(known, _)| *known == name).map(|(_, row)| *row)
}

/// To which argument's object a function writes; `None`: nobody knows.
pub(super) fn written(name: &str) -> Option<Option<usize>> {
    row(WRITTEN, name)
}

/// The place of the format that a function prints by.
#[must_use]
pub fn format(name: &str) -> Option<usize> {
    row(FORMATS, name)
}

/// Does a text look like a format by which something is written (`%n`)? One with flags, a width or a precision means nothing in C, but C
/// libraries read over them; a blank is left out (`50% new`).
#[must_use]
pub fn counts(text: &[u8]) -> bool {
    let mut bytes = text.iter();
    while bytes.by_ref().any(|byte| *byte == b'%') {
        // What stands between the sign and the letter.
        if bytes.find(|byte| !b"0123456789.+-#'*$hlzjtLqI".contains(byte)) == Some(&b'n') {
            return true;
        }
    }
    false
}

/// Does some text of a program look like such a format?
#[must_use]
pub fn counts_output(program: &Program) -> bool {
    let mut inits = program.globals.values().filter_map(|it| it.init.as_ref());
    inits.any(|init| counts(&init.bytes)) || program.functions.values().any(|it| makes(program, it))
}

/// Does a function print by a format that it put together itself?
fn makes(program: &Program, body: &Function) -> bool {
    let is_made = |op: &Op| {
        let Op::Call {
            callee: Callee::Extern(id),
            args,
            ..
        } = op
        else {
            return false;
        };
        let format = format(&program.externs[*id].name).and_then(|at| args.get(at));
        format.is_some_and(|format| match base(body, format) {
            Base::Object(_) => true,
            Base::Global(global) => !program.globals[global].constant,
            Base::Unknown => false,
        })
    };
    let mut blocks = body.blocks.keys();
    blocks.any(|block| body.insts(block).any(|(_, inst)| is_made(&inst.op)))
}
