//! What `bothways reach` answers: for each target an input, a proof that there is none, or what kept the search away.
//!
//! Must hold: text and JSON say the same; a target has exactly one verdict.

mod json;
mod text;

pub use json::{SCHEMA, render as json};
pub use text::render as text;

/// Answers to all targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Version of bothways.
    pub version: String,
    /// Name of the program.
    pub program: String,
    /// Strategy of the search, with its parameters.
    pub strategy: String,
    pub seed: u64,
    /// Of the search.
    pub seconds: f64,
    /// Runs of the program.
    pub iterations: u64,
    /// Why the search ended.
    pub stopped_by: String,
    /// Folder of the suite.
    pub suite: Option<String>,
    /// In the order in which they were asked for.
    pub targets: Vec<Answer>,
    /// If the targets are the lines of a change.
    pub change: Option<Change>,
    /// Whatever else the user should know; one line each.
    pub notes: Vec<String>,
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A test comes there, and the judge confirms it.
    Reached,
    /// No input does.
    Unreachable,
    /// Neither is known.
    Unknown,
}

/// The answer to one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// As it was typed.
    pub target: String,
    pub verdict: Verdict,
    /// The test that reaches it: name of its file.
    pub test: Option<String>,
    /// Seconds of the search until then, and runs.
    pub found: Option<(f64, u64)>,
    /// Segments that a search from the target has walked; `None`: there was no such search.
    pub segments: Option<u64>,
    /// Inputs that a search on values has evaluated; `None`: there was no such search.
    pub evaluations: Option<u64>,
    /// The nearest decision that kept all runs away.
    pub blocked_by: Option<Blocker>,
    pub certificate: Option<Certified>,
    /// Why it is unreachable or unknown; one line each.
    pub why: Vec<String>,
}

/// A decision that runs came to, and whose side towards the target none took.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Blocker {
    pub file: String,
    pub line: u32,
    pub col: u32,
    pub function: String,
    /// Its text; empty where the source cannot be read.
    pub condition: String,
    /// The side towards the target: `true`, `false`, `case N`, `default`.
    pub wanted: String,
    /// How often it was decided, otherwise.
    pub evaluated: u64,
    /// What became of the tries to take that side.
    pub tried: Vec<String>,
}

/// The certificate of a proof.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Certified {
    pub kind: String,
    /// `yes`, or why the checker cannot derive it.
    pub checked: String,
    /// It speaks of all inputs, not of those only that were declared.
    pub all_inputs: bool,
}

/// A change whose lines are the targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// The revision or the file.
    pub name: String,
    /// Lines that it adds or changes, in files of the program.
    pub lines: u32,
    /// Those of them that have no code.
    pub without_code: u32,
    /// Files that it touches and that are no part of the program.
    pub other_files: Vec<String>,
}

impl Verdict {
    /// Its name in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Reached => "reached",
            Verdict::Unreachable => "unreachable",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Answers {
    /// How many targets have a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        let targets = self.targets.iter();
        targets.filter(|target| target.verdict == verdict).count()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn answer(target: &str, verdict: Verdict) -> Answer {
        Answer {
            target: target.to_owned(),
            verdict,
            test: None,
            found: None,
            segments: None,
            evaluations: None,
            blocked_by: None,
            certificate: None,
            why: Vec::new(),
        }
    }

    /// One target of each verdict.
    fn sample() -> Answers {
        let reached = Answer {
            test: Some("test-0002.test".to_owned()),
            found: Some((0.25, 7)),
            ..answer("a.c:3", Verdict::Reached)
        };
        let unreachable = Answer {
            certificate: Some(Certified {
                kind: "contradiction".to_owned(),
                checked: "yes".to_owned(),
                all_inputs: true,
            }),
            why: vec!["28:19 is never true where 28:9 is true".to_owned()],
            ..answer("a.c:29", Verdict::Unreachable)
        };
        let unknown = Answer {
            blocked_by: Some(Blocker {
                file: "/src/a.c".to_owned(),
                line: 40,
                col: 9,
                function: "f".to_owned(),
                condition: "x == 3".to_owned(),
                wanted: "true".to_owned(),
                evaluated: 12,
                tried: vec!["solver gave up (2×)".to_owned()],
            }),
            why: vec!["condition not reached".to_owned()],
            ..answer("a.c:41", Verdict::Unknown)
        };
        Answers {
            version: "0.1.0".to_owned(),
            program: "a.c".to_owned(),
            strategy: "mix".to_owned(),
            seconds: 1.5,
            iterations: 20,
            stopped_by: "time".to_owned(),
            suite: Some("/tmp/out".to_owned()),
            targets: vec![reached, unreachable, unknown],
            ..Answers::default()
        }
    }

    fn check(answers: &Answers, expected: Expect) {
        expected.assert_eq(&text(answers, "/src/"));
    }

    #[test]
    fn each_verdict_says_what_it_rests_on() {
        check(
            &sample(),
            expect![[r#"
                a.c:3   reached      test-0002.test, run 7, 0.25 s
                a.c:29  unreachable  28:19 is never true where 28:9 is true
                a.c:41  unknown      condition not reached
                                     kept away by a.c:40:9 `x == 3` in f: 12 times decided, never true; solver gave up (2×)
                1 of 3 targets reached, 1 proved unreachable, 1 unknown (1.5 s, 20 runs)
            "#]],
        );
    }

    #[test]
    fn a_change_reads_as_a_review() {
        let mut answers = sample();
        answers.change = Some(Change {
            name: "HEAD~1".to_owned(),
            lines: 5,
            without_code: 2,
            other_files: vec!["README".to_owned()],
        });
        check(
            &answers,
            expect![[r#"
                a.c:3   reached      test-0002.test, run 7, 0.25 s
                a.c:29  unreachable  28:19 is never true where 28:9 is true
                a.c:41  unknown      condition not reached
                                     kept away by a.c:40:9 `x == 3` in f: 12 times decided, never true; solver gave up (2×)
                1 of 3 changed lines covered, 1 proved unreachable, 1 open: a.c:41 (1.5 s, 20 runs)
                left out: 2 changed lines without code, and README, which is no source of the program
            "#]],
        );
    }

    #[test]
    fn json_has_every_field() {
        let object: serde_json::Value = serde_json::from_str(&json(&sample())).expect("JSON");
        let target = &object["targets"][0];
        for (key, expected) in [
            ("target", "\"a.c:3\""),
            ("verdict", "\"reached\""),
            ("test", "\"test-0002.test\""),
            ("seconds", "0.25"),
            ("run", "7"),
            ("segments", "null"),
            ("evaluations", "null"),
            ("blocked_by", "null"),
            ("certificate", "null"),
            ("why", "[]"),
        ] {
            assert_eq!(target[key].to_string(), expected, "{key}");
        }
        assert_eq!(object["targets"][2]["blocked_by"]["line"], 40);
        assert_eq!(object["counts"]["unknown"], 1);
        assert_eq!(object["schema"], 1);
    }
}
