//! How a test is started: arguments, environment variables and files, as its streams name them.
//!
//! A stream `arg:1` is the first argument (behind those of the manifest), `env:NAME` an environment variable, `file:PATH` a file
//! below the folder that the program runs in; a variable that must not be set is in [`Test::unset`]. Other streams
//! (`stdin`, `fuzz`) are read from the test file by the program itself.
//!
//! Must hold: arguments and variables hold no 0 byte, paths do not leave the folder.

use crate::suite::Test;

/// Before the number of an argument, from 1.
pub const ARGUMENT: &str = "arg:";
/// Before the name of an environment variable.
pub const VARIABLE: &str = "env:";
/// Before the path of a file.
pub const FILE: &str = "file:";
/// The bytes that a fuzz target is called with.
pub const FUZZ: &str = "fuzz";
/// Standard input.
pub const STDIN: &str = "stdin";

/// The arguments, environment variables and files of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Behind those that every test of the suite has.
    pub args: Vec<Vec<u8>>,
    /// Name and value; `None` is not set.
    pub env: Vec<(String, Option<Vec<u8>>)>,
    /// Relative path and content.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A test that nobody can start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvocationError {
    #[error("`{0}`: arguments are numbered arg:1, arg:2, … in order")]
    Number(String),
    #[error("`{0}` holds a zero byte, which no argument and no environment variable can")]
    Zero(String),
    #[error("`{0}` is no name of an environment variable")]
    Variable(String),
    #[error("`{0}` leaves the folder that the program runs in")]
    Path(String),
}

impl Invocation {
    /// How this test is started.
    ///
    /// # Errors
    /// The test was written by hand, and wrongly.
    pub fn of(test: &Test) -> Result<Invocation, InvocationError> {
        let mut invocation = Invocation::default();
        for stream in &test.streams {
            let (name, bytes) = (stream.name.as_str(), &stream.bytes);
            let string = || match bytes.contains(&0) {
                true => Err(InvocationError::Zero(name.to_owned())),
                false => Ok(bytes.clone()),
            };
            if let Some(number) = name.strip_prefix(ARGUMENT) {
                let next = invocation.args.len() + 1;
                if number != next.to_string() {
                    return Err(InvocationError::Number(name.to_owned()));
                }
                invocation.args.push(string()?);
            } else if let Some(variable) = name.strip_prefix(VARIABLE) {
                let value = Some(string()?);
                invocation.env.push((variable_name(variable)?, value));
            } else if let Some(path) = name.strip_prefix(FILE) {
                if !is_inside(path) {
                    return Err(InvocationError::Path(name.to_owned()));
                }
                invocation.files.push((path.to_owned(), bytes.clone()));
            }
        }
        for name in &test.unset {
            let name = name.strip_prefix(VARIABLE).unwrap_or(name);
            invocation.env.push((variable_name(name)?, None));
        }
        Ok(invocation)
    }
}

fn variable_name(name: &str) -> Result<String, InvocationError> {
    if is_variable(name) {
        Ok(name.to_owned())
    } else {
        Err(InvocationError::Variable(name.to_owned()))
    }
}

/// Can an environment variable have this name?
#[must_use]
pub fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Is it a relative path that stays below its folder?
#[must_use]
pub fn is_inside(path: &str) -> bool {
    let inner = |part: &str| !part.is_empty() && part != "." && part != "..";
    !path.contains('\0') && path.len() < 4096 && path.split('/').all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::text::parse;

    fn of(text: &str) -> Result<Invocation, InvocationError> {
        Invocation::of(&parse(&format!("bothways-test 1\n{text}")).expect("a test"))
    }

    #[test]
    fn streams_say_how_a_test_is_started() {
        let got = of(
            "arg:1 stream 2d61\narg:2 stream -\nenv:LANG stream 43\nenv:HOME unset -\n\
             file:a/b stream 00ff\nstdin stream 41\nfuzz stream 42\n",
        );
        let want = Invocation {
            args: vec![b"-a".to_vec(), Vec::new()],
            env: vec![
                ("LANG".to_owned(), Some(b"C".to_vec())),
                ("HOME".to_owned(), None),
            ],
            files: vec![("a/b".to_owned(), vec![0, 255])],
        };
        assert_eq!(got, Ok(want));
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        for (text, says) in [
            ("arg:2 stream 41\n", "arg:1, arg:2"),
            ("arg:1 stream 4100\n", "zero byte"),
            ("env:A stream 00\n", "zero byte"),
            ("env:%3d stream 41\n", "environment variable"),
            ("file:../x stream 41\n", "leaves the folder"),
            ("file:/etc/x stream 41\n", "leaves the folder"),
        ] {
            let error = of(text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
