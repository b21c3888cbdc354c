//! What pages and coverage formats need beyond the table: the text of sources with the judge's counts of their lines, and the
//! tests with their inputs as people read them.
//!
//! Must hold: whatever is in a source or an input, these are texts that can be written down; nothing here is cut without saying so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::JudgeReport;
use crate::readable;
use crate::suite::Test;

/// A stretch of a source file. Lines and columns count from 1, columns in bytes; the end is not part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub file: String,
    pub line: u32,
    pub col: u32,
    pub end_line: u32,
    pub end_col: u32,
}

/// A source file with goals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path, as the compiler wrote it.
    pub name: String,
    /// Its content; `None` if it could not be read. Bytes that are no UTF-8 are replacement characters.
    pub text: Option<String>,
    /// Lines with code, and how often the judge saw each.
    pub lines: Vec<(u32, u64)>,
    /// Its functions, also those without goals, by line.
    #[serde(default)]
    pub functions: Vec<FunctionCount>,
}

/// A function, as the judge counts it: the sum of its instantiations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCount {
    pub name: String,
    /// Where its body begins.
    pub line: u32,
    /// How often it was entered.
    pub times: u64,
}

impl FunctionCount {
    /// The functions of an export, for each file.
    #[must_use]
    pub fn by_file(export: &JudgeReport) -> BTreeMap<String, Vec<FunctionCount>> {
        let mut files: BTreeMap<&str, BTreeMap<(u32, &str), u64>> = BTreeMap::new();
        for function in &export.functions {
            let body = function.code.first();
            let file = body.and_then(|body| function.filenames.get(body.file as usize));
            let (Some(body), Some(file)) = (body, file) else {
                continue;
            };
            // Static functions have their file in front.
            let name = function.name.rsplit(':').next().unwrap_or_default();
            let own = files.entry(file).or_default();
            *own.entry((body.range.line, name)).or_default() += function.count;
        }
        let of_file = |(file, functions): (&str, BTreeMap<(u32, &str), u64>)| {
            let functions = functions.into_iter();
            let functions = functions.map(|((line, name), times)| FunctionCount {
                name: name.to_owned(),
                line,
                times,
            });
            (file.to_owned(), functions.collect())
        };
        files.into_iter().map(of_file).collect()
    }
}

/// A test of the suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestRow {
    pub number: u32,
    /// Its file, relative to the manifest.
    pub file: String,
    /// How it ended, in words.
    pub outcome: String,
    /// It ended by a signal or at a limit.
    pub bad: bool,
    /// The run that found it; 0: none of the search.
    pub iteration: u64,
    /// When it was found.
    pub seconds: f64,
    /// Goals that it and the tests before it cover.
    pub covered: u32,
    /// Names of inputs, and what they hold.
    pub inputs: Vec<(String, String)>,
    pub remarks: Vec<String>,
}

impl TestRow {
    /// The row of a test.
    #[must_use]
    pub fn of(test: &Test) -> TestRow {
        TestRow {
            number: test.number,
            file: test.path(),
            outcome: test.outcome.in_words(),
            bad: !test.outcome.is_exit(),
            iteration: test.iteration,
            seconds: test.seconds,
            covered: test.covered,
            inputs: readable::inputs(test),
            remarks: test.remarks.clone(),
        }
    }

    /// The inputs on one line, not longer than so many characters.
    #[must_use]
    pub fn brief(&self, most: usize) -> String {
        let all = self.inputs.iter();
        let parts: Vec<String> = all.map(|(name, text)| format!("{name} = {text}")).collect();
        let line = match parts.as_slice() {
            [] => "no input".to_owned(),
            parts => parts.join(", "),
        };
        if line.chars().count() <= most {
            return line;
        }
        let start: String = line.chars().take(most.saturating_sub(1)).collect();
        format!("{start}…")
    }
}
