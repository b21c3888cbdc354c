//! The manifest of a suite: what the tests belong to, so that a suite for another version of the source is noticed.
//!
//! Must hold: a manifest of an unknown format is refused, never guessed at; unknown fields are ignored, so that a
//! later version may add some.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::suite::Outcome;
use crate::suite::test::{GoalLabel, Test};

/// Name of the manifest in a suite's folder.
pub const FILE_NAME: &str = "manifest.json";
/// Version of the manifest's format.
pub const FORMAT: u32 = 1;

/// The content of `manifest.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// Version of bothways.
    pub tool: String,
    /// Date and time, ISO 8601, UTC; given by the caller.
    pub created: String,
    /// The program's source files.
    pub sources: Vec<Source>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// The name that the program is called by (`argv[0]`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Limits on each run.
    #[serde(default)]
    pub limits: Limits,
    /// The function that is entered.
    pub entry: String,
    pub criterion: String,
    pub strategy: String,
    pub seed: u64,
    pub tests: Vec<ManifestTest>,
}

/// Limits on a run, where they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub timeout_ms: Option<u64>,
    /// Resident memory.
    pub memory_bytes: Option<u64>,
    /// Single values that a test may ask for before it is ended, where the program asks without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Relative to the manifest's folder, or absolute.
    pub path: String,
    /// Of the content, hexadecimal.
    pub sha256: String,
}

/// A test in the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestTest {
    pub number: u32,
    /// Relative to the manifest.
    pub file: String,
    pub outcome: Outcome,
    #[serde(default)]
    pub covers_error: bool,
    pub iteration: u64,
    pub seconds: f64,
    /// Goals that it covers and no test before it does.
    pub covers: Vec<GoalLabel>,
    /// How many goals it and the tests before it cover, counted as in the report: of several instantiations of a function the
    /// one with most.
    pub covered: u32,
}

impl ManifestTest {
    /// The entry for a test.
    #[must_use]
    pub fn of(test: &Test) -> ManifestTest {
        ManifestTest {
            number: test.number,
            file: test.path(),
            outcome: test.outcome,
            covers_error: test.covers_error,
            iteration: test.iteration,
            seconds: test.seconds,
            covers: test.covers.clone(),
            covered: test.covered,
        }
    }
}

/// The text is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("the manifest cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the manifest has format {0}; this version of bothways reads format {FORMAT}")]
    Format(u64),
}

/// How a source file differs from the one that the suite was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has another content.
    Changed { path: String },
    /// It cannot be read.
    Missing { path: String },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Changed { path } => write!(f, "{path} has changed since the suite was made"),
            Change::Missing { path } => write!(f, "{path} is missing"),
        }
    }
}

impl Manifest {
    /// The JSON text, with a newline at its end.
    #[must_use]
    pub fn render(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("a manifest has only string keys");
        format!("{json}\n")
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// When it is no manifest, or of another format.
    pub fn parse(text: &str) -> Result<Manifest, ManifestError> {
        let json: serde_json::Value = serde_json::from_str(text)?;
        match json.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format != u64::from(FORMAT) => Err(ManifestError::Format(format)),
            _ => Ok(serde_json::from_value(json)?),
        }
    }

    /// What differs from the sources as they are now; `read` gives the content of a file, or `None`.
    pub fn check(&self, mut read: impl FnMut(&str) -> Option<Vec<u8>>) -> Vec<Change> {
        let changed = |source: &Source| {
            let path = source.path.clone();
            match read(&path) {
                None => Some(Change::Missing { path }),
                Some(content) if sha256(&content) != source.sha256 => {
                    Some(Change::Changed { path })
                }
                Some(_) => None,
            }
        };
        self.sources.iter().filter_map(changed).collect()
    }
}

impl Source {
    /// A source file with this content.
    #[must_use]
    pub fn new(path: impl Into<String>, content: &[u8]) -> Source {
        Source {
            path: path.into(),
            sha256: sha256(content),
        }
    }
}

/// SHA-256 of some bytes, hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    crate::suite::lexeme::hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn a_manifest_comes_back() {
        let manifest = sample::suite().manifest;
        assert_eq!(
            Manifest::parse(&manifest.render()).expect("a manifest"),
            manifest
        );
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let manifest = sample::suite().manifest;
        let later = manifest.render().replacen('{', "{\"colour\": 3,", 1);
        assert_eq!(Manifest::parse(&later).expect("a manifest"), manifest);
    }

    #[test]
    fn limits_may_be_missing() {
        let manifest = sample::suite().manifest;
        let mut json: serde_json::Value =
            serde_json::from_str(&manifest.render()).expect("it is JSON");
        json.as_object_mut().expect("an object").remove("limits");
        let earlier = Manifest::parse(&json.to_string()).expect("a manifest");
        assert_eq!(earlier.limits, Limits::default());
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        let error = |text: &str| match Manifest::parse(text) {
            Ok(_) => "read\n".to_owned(),
            Err(error) => format!("{error}\n"),
        };
        let text: String = ["", "{}", "[]", "{\"format\": 2}", "{\"format\": 1}"]
            .map(error)
            .concat();
        expect![[r#"
            the manifest cannot be read: EOF while parsing a value at line 1 column 0
            the manifest cannot be read: missing field `format`
            the manifest cannot be read: invalid length 0, expected struct Manifest with 13 elements
            the manifest has format 2; this version of bothways reads format 1
            the manifest cannot be read: missing field `tool`
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn changed_sources_are_named() {
        let manifest = Manifest {
            sources: vec![
                Source::new("a.c", b"same"),
                Source::new("b.c", b"old"),
                Source::new("c.h", b"gone"),
            ],
            ..Manifest::default()
        };
        let now = |path: &str| match path {
            "a.c" => Some(b"same".to_vec()),
            "b.c" => Some(b"new".to_vec()),
            _ => None,
        };
        let changes: Vec<String> = manifest.check(now).iter().map(Change::to_string).collect();
        assert_eq!(
            changes,
            ["b.c has changed since the suite was made", "c.h is missing"]
        );
    }

    #[test]
    fn hashes_are_sha256() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
