//! `native`: the suite as `bothways replay` reads it: `manifest.json`, and in `tests/` one text file for each test.
//!
//! The test files are described in [`crate::suite::text`]; they are short, can be read and written by hand, and need
//! no tool to be replayed: the replay runtime is plain C.

use crate::format::{Artifact, SuiteFormat};
use crate::suite::{Suite, Test, manifest, text};

/// The suite as our own text files, with a manifest.
pub struct Native;

impl SuiteFormat for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn summary(&self) -> &'static str {
        "one readable text file for each test, and a manifest"
    }

    /// The manifest comes last: a folder with a manifest is a complete suite.
    fn render(&self, suite: &Suite) -> Vec<Artifact> {
        let test = |test: &Test| Artifact::new(test.path(), text::render(test));
        let manifest = Artifact::new(manifest::FILE_NAME, suite.manifest.render());
        suite.tests.iter().map(test).chain([manifest]).collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn the_sample() {
        expect![[r#"
            === tests/test-0001.test
            bothways-test 1
            # test 1: iteration 1, 0.000 s, exited 0
            # covers src/list.c:14:7 false
            key bytes 6b00220a # "k\0\"\n"
            n i32 -5
            - i8 65 # (char) 'A'
            - f64 0x400921fb54442d18 # (double) 3.141592653589793
            - u64 18446744073709551615 # (unsigned long)
            - bool 1 # (_Bool)
            === tests/test-0002.test
            bothways-test 1
            # test 2: iteration 17, 0.250 s, signal 11 (SIGSEGV)
            # covers the error: reach_error is called
            points%20of%20view[1] u16 700
            stdin stream 410aff # "A\n\xff"
            === manifest.json
            {
              "format": 1,
              "tool": "bothways 0.1.0",
              "created": "2026-01-02T03:04:05Z",
              "sources": [
                {
                  "path": "src/list.c",
                  "sha256": "2ad75d95660563887d8d3f1d0ae1dcf18c2379cbd83a5c72f5ab276351ee6949"
                }
              ],
              "flags": [
                "-DN=4"
              ],
              "args": [],
              "limits": {
                "timeout_ms": null,
                "memory_bytes": null
              },
              "entry": "main",
              "criterion": "branch",
              "strategy": "cgs",
              "seed": 1,
              "tests": [
                {
                  "number": 1,
                  "file": "tests/test-0001.test",
                  "outcome": "exited 0",
                  "covers_error": false,
                  "iteration": 1,
                  "seconds": 0.0,
                  "covers": [
                    {
                      "file": "src/list.c",
                      "line": 14,
                      "col": 7,
                      "side": "false"
                    }
                  ],
                  "covered": 0
                },
                {
                  "number": 2,
                  "file": "tests/test-0002.test",
                  "outcome": "signal 11",
                  "covers_error": true,
                  "iteration": 17,
                  "seconds": 0.25,
                  "covers": [],
                  "covered": 0
                }
              ]
            }
        "#]]
        .assert_eq(&sample::show(&Native.render(&sample::suite())));
    }
}
