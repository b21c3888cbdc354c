//! What tests read of their streams: nothing, or all that there is and more.
//!
//! Must hold: a note names the option that changes it.

use std::ffi::OsString;
use std::path::Path;

use explore::KeptTest;
use path::Role;

use crate::plan::{Piece, Plan};

/// No test uses any input, though there are streams that it could read.
pub(crate) fn uses_no_input(tests: &[KeptTest]) -> bool {
    let has_streams = tests.iter().any(|test| !test.input.streams.is_empty());
    let uses = |test: &KeptTest| {
        let streams = test.input.streams.iter();
        streams.map(|stream| stream.used).any(|used| used > 0) || !test.input.values.is_empty()
    };
    has_streams && !tests.iter().any(uses)
}

/// Says which symbolic files no test reads: most often their names did not come to the program. Whether the same is true of
/// standard input: what becomes of it is for the judge to say, since code that is not instrumented may read it.
pub(crate) fn unread(tests: &[KeptTest], notes: &mut Vec<String>) -> bool {
    let streams = tests.first().map(|first| first.input.streams.as_slice());
    let mut is_stdin_unread = false;
    for (index, stream) in streams.unwrap_or_default().iter().enumerate() {
        let unread = tests.iter().all(|test| {
            test.input
                .streams
                .get(index)
                .is_none_or(|one| one.used == 0)
        });
        match stream.role {
            Role::File if unread => notes.push(format!(
                "no test reads the symbolic file `{}`: the argument `@file` (`@file:{}`) gives its name to the program",
                stream.name, stream.name
            )),
            Role::Stdin => is_stdin_unread |= unread,
            _ => {}
        }
    }
    is_stdin_unread
}

/// Says which streams end too early for a test that reads them to their end: those that are as long as they may be.
pub(crate) fn too_short(tests: &[KeptTest]) -> Vec<String> {
    let streams = tests.first().map(|first| first.input.streams.as_slice());
    let mut notes = Vec::new();
    for (index, stream) in streams.unwrap_or_default().iter().enumerate() {
        let max = stream.max;
        let own = tests
            .iter()
            .filter_map(|test| test.input.streams.get(index));
        // Who asks for one byte more has been told that there is none.
        let is_short = |one: &&path::Stream| one.bytes.len() == max as usize && one.used > max;
        let short = own.filter(is_short).count();
        if short == 0 {
            continue;
        }
        let (what, option) = match stream.role {
            Role::Stdin => ("standard input".to_owned(), "--stdin ".to_owned()),
            Role::File => (
                format!("`{}`", stream.name),
                format!("--sym-file {}:", stream.name),
            ),
            _ => continue,
        };
        let tests = if short == 1 {
            "1 test asks".to_owned()
        } else {
            format!("{short} tests ask")
        };
        notes.push(format!(
            "{tests} for more of {what} than the {max} bytes that it may have: what needs more is out of reach of {option}{max}; a \
             larger number, or --seeds with real files, reaches further"
        ));
    }
    notes
}

/// Among the arguments of a program without symbolic input is a file: how its content becomes symbolic.
pub(crate) fn file_hint(args: &[OsString]) -> Option<String> {
    let is_file = |arg: &&OsString| std::fs::metadata(arg).is_ok_and(|known| known.is_file());
    let file = args.iter().find(is_file)?;
    let name = file.to_string_lossy();
    Some(format!(
        "The argument `{name}` is a file. To make what it holds symbolic: --sym-file input:256 --seeds {name}, and @file in its \
         place behind `--`"
    ))
}

/// Says which fixed arguments name files from the current folder: the program runs in a folder of its own and does not find them.
pub(crate) fn elsewhere(plan: &Plan) -> Option<String> {
    let made = plan.names(Role::File);
    let is_made = |name: &str| {
        made.iter()
            .any(|own| own == name || Path::new(own).starts_with(name))
    };
    let is_here = |name: &str| {
        let path = Path::new(name);
        path.is_relative() && !is_made(name) && path.is_file()
    };
    let named = |piece: &Piece| match piece {
        Piece::Fixed(text) => {
            let value = text
                .split_once('=')
                .map_or(text.as_str(), |(_, value)| value);
            let found = [text.as_str(), value]
                .into_iter()
                .find(|name| is_here(name));
            found.map(str::to_owned)
        }
        _ => None,
    };
    let found: Vec<String> = plan.pieces().iter().filter_map(named).collect();
    let first = found.first()?;
    let full = std::path::absolute(first).ok()?;
    let verb = if found.len() == 1 { "is" } else { "are" };
    Some(format!(
        "the program runs in a folder of its own, where `{}` {verb} not found: if the program reads it, give the whole path ({})",
        found.join("`, `"),
        full.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::{InputVector, Stream};

    fn test(role: Role, bytes: usize, used: u32) -> KeptTest {
        let stream = Stream {
            id: 1,
            role,
            name: "input".into(),
            bytes: vec![b'x'; bytes],
            min: 0,
            max: 8,
            used,
        };
        KeptTest {
            input: InputVector {
                values: Vec::new(),
                streams: vec![stream],
            },
            ..KeptTest::of(InputVector::default(), path::Outcome::Exited(0))
        }
    }

    #[test]
    fn only_the_longest_can_be_too_short() {
        for (role, bytes, used, wanted) in [
            (
                Role::File,
                8,
                9,
                Some("1 test asks for more of `input` than the 8 bytes"),
            ),
            (Role::Stdin, 8, 9, Some("of --stdin 8;")),
            (Role::File, 8, 8, None),
            (Role::File, 3, 4, None),
            (Role::Argument(1), 8, 9, None),
        ] {
            let notes = too_short(&[test(role, bytes, used)]);
            match wanted {
                Some(wanted) => assert!(notes[0].contains(wanted), "{notes:?}"),
                None => assert!(notes.is_empty(), "{notes:?}"),
            }
        }
    }
}
