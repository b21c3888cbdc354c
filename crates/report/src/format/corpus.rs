//! `corpus`: the bytes of each test as plain files, as fuzzers take and keep them.
//!
//! A folder for each stream that the tests have: `corpus/stdin/`, `corpus/fuzz/` (what a fuzz target is called with), `corpus/NAME/` for a
//! symbolic file, with `test-0001`, `test-0002`, … in it: a folder to give to `afl-fuzz -i` or a libFuzzer target, and back to
//! `--seeds`. Of tests with the same bytes the first is kept. Arguments, environment variables and values of
//! `bw_*` functions have no place in a file of bytes.

use std::collections::HashSet;

use crate::format::{Artifact, SuiteFormat};
use crate::suite::Suite;
use crate::suite::invocation::{FILE, FUZZ, STDIN};

/// The suite as plain files of bytes.
pub struct Corpus;

impl SuiteFormat for Corpus {
    fn name(&self) -> &'static str {
        "corpus"
    }

    fn summary(&self) -> &'static str {
        "the bytes of each stream as files, for fuzzers"
    }

    fn render(&self, suite: &Suite) -> Vec<Artifact> {
        let mut files = Vec::new();
        let mut seen = HashSet::new();
        for test in &suite.tests {
            for stream in &test.streams {
                let Some(folder) = folder(&stream.name) else {
                    continue;
                };
                if seen.insert((folder.clone(), &stream.bytes)) {
                    let path = format!("corpus/{folder}/test-{:04}", test.number);
                    files.push(Artifact::new(path, stream.bytes.clone()));
                }
            }
        }
        files
    }
}

/// The folder of a stream.
fn folder(stream: &str) -> Option<String> {
    match stream {
        STDIN | FUZZ => Some(stream.to_owned()),
        _ => Some(stream.strip_prefix(FILE)?.replace('/', "_")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_flat() {
        assert_eq!(folder("stdin").as_deref(), Some("stdin"));
        assert_eq!(folder("file:a/b.json").as_deref(), Some("a_b.json"));
        assert_eq!(folder("arg:1"), None);
        assert_eq!(folder("env:HOME"), None);
    }
}
