//! Reading `llvm-cov export` (JSON, version 2 of the format, LLVM 19).
//!
//! Must hold: what cannot be read exactly is an error, never a smaller report.

use coverage::Column;
use program::SourceRange;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What `llvm-cov export` says about a binary and a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeReport {
    /// Version of the format.
    pub version: String,
    /// In its order.
    pub functions: Vec<JudgeFunction>,
    pub files: Vec<JudgeFile>,
    pub totals: Summary,
}

/// One function record (each instantiation has its own).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeFunction {
    pub name: String,
    /// How often it was entered.
    pub count: u64,
    /// Files of its regions; `file` of a branch is an index into them.
    pub filenames: Vec<String>,
    pub branches: Vec<JudgeBranch>,
    /// Regions of code, in its order.
    pub code: Vec<JudgeCode>,
    /// Decisions with several conditions, if the program was compiled with `-fcoverage-mcdc`.
    pub decisions: Vec<JudgeDecision>,
}

/// A region of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeCode {
    pub range: SourceRange,
    pub count: u64,
    /// Index into [`JudgeFunction::filenames`].
    pub file: u32,
}

/// A decision with several conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeDecision {
    pub range: SourceRange,
    /// For each condition, in the order of the mapping's regions: was it shown to affect the decision independently?
    pub conditions: Vec<bool>,
}

/// A condition. Folded ones are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeBranch {
    pub range: SourceRange,
    pub true_count: u64,
    pub false_count: u64,
    /// Index into [`JudgeFunction::filenames`].
    pub file: u32,
    pub expanded_file: u32,
    /// `CounterMappingRegion::RegionKind`: 4 branch, 6 branch of an MC/DC decision.
    pub kind: u32,
}

/// One source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct JudgeFile {
    pub filename: String,
    pub summary: Summary,
    /// Where counts change, by place.
    #[serde(default)]
    pub segments: Vec<Segment>,
}

/// A place where the count of a file's code changes: line, column, count, whether it has a count, whether a region begins
/// there, whether that is a gap between regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Segment(pub u32, pub u32, pub u64, pub bool, pub bool, pub bool);

/// Totals of a file or of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Summary {
    pub branches: Tally,
    pub functions: Tally,
    pub instantiations: Tally,
    pub lines: Tally,
    pub regions: Tally,
    #[serde(default)]
    pub mcdc: Tally,
}

impl Summary {
    /// The tally of one column.
    #[must_use]
    pub const fn of(&self, column: Column) -> Tally {
        match column {
            Column::Branches => self.branches,
            Column::Functions => self.functions,
            Column::Regions => self.regions,
        }
    }
}

/// How many there are and how many are covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tally {
    pub count: u64,
    pub covered: u64,
}

/// The text is no export that we can read.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// No JSON, or a field is missing.
    #[error("llvm-cov export cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Another tool or another format.
    #[error(
        "llvm-cov export has type `{kind}` version `{version}`; bothways reads version 2 (llvm-cov-19)"
    )]
    Version { kind: String, version: String },
    /// Several binaries in one export, or none.
    #[error("llvm-cov export has {0} data objects instead of one")]
    Objects(usize),
    /// A branch that is no list of nine numbers.
    #[error("llvm-cov export: branch {index} of function `{function}` cannot be read")]
    Branch { function: String, index: usize },
    /// A region that is no list of eight numbers.
    #[error("llvm-cov export: region {index} of function `{function}` cannot be read")]
    Region { function: String, index: usize },
    /// A decision that is no list of six numbers and a list of truth values.
    #[error("llvm-cov export: decision {index} of function `{function}` cannot be read")]
    Decision { function: String, index: usize },
}

#[derive(Deserialize)]
struct Export {
    version: String,
    #[serde(rename = "type")]
    kind: String,
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    functions: Vec<Function>,
    #[serde(default)]
    files: Vec<JudgeFile>,
    totals: Summary,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    count: u64,
    filenames: Vec<String>,
    branches: Vec<Vec<u64>>,
    #[serde(default)]
    regions: Vec<Vec<u64>>,
    #[serde(default)]
    mcdc_records: Vec<Value>,
}

/// Reads the JSON of `llvm-cov export`.
///
/// # Errors
/// When it is no such export, or of another version.
pub fn parse(text: &str) -> Result<JudgeReport, JudgeError> {
    let export: Export = serde_json::from_str(text)?;
    let Export {
        version,
        kind,
        mut data,
    } = export;
    if kind != "llvm.coverage.json.export" || !version.starts_with("2.") {
        return Err(JudgeError::Version { kind, version });
    }
    if data.len() != 1 {
        return Err(JudgeError::Objects(data.len()));
    }
    let data = data.remove(0);
    let functions = data.functions.into_iter().map(function);
    Ok(JudgeReport {
        version,
        functions: functions.collect::<Result<_, _>>()?,
        files: data.files,
        totals: data.totals,
    })
}

fn function(raw: Function) -> Result<JudgeFunction, JudgeError> {
    let name = || raw.name.clone();
    let branches = raw.branches.iter().enumerate().map(|(index, numbers)| {
        let function = name();
        branch(numbers).ok_or(JudgeError::Branch { function, index })
    });
    let branches = branches.collect::<Result<_, _>>()?;
    let decisions = raw.mcdc_records.iter().enumerate().map(|(index, record)| {
        let function = name();
        decision(record).ok_or(JudgeError::Decision { function, index })
    });
    let mut code = Vec::new();
    for (index, numbers) in raw.regions.iter().enumerate() {
        let function = name();
        code.extend(region(numbers).ok_or(JudgeError::Region { function, index })?);
    }
    Ok(JudgeFunction {
        branches,
        code,
        decisions: decisions.collect::<Result<_, _>>()?,
        name: raw.name,
        count: raw.count,
        filenames: raw.filenames,
    })
}

/// A region; `Some(None)` when it is none of code.
fn region(numbers: &[u64]) -> Option<Option<JudgeCode>> {
    const CODE: u64 = 0;
    let &[line, col, end_line, end_col, count, file, _, kind] = numbers else {
        return None;
    };
    if kind != CODE {
        return Some(None);
    }
    Some(Some(JudgeCode {
        range: range([line, col, end_line, end_col])?,
        count,
        file: u32::try_from(file).ok()?,
    }))
}

fn decision(record: &Value) -> Option<JudgeDecision> {
    let [line, col, end_line, end_col, .., conditions] = record.as_array()?.as_slice() else {
        return None;
    };
    let number = |value: &Value| value.as_u64();
    let conditions = conditions.as_array()?.iter().map(Value::as_bool);
    Some(JudgeDecision {
        range: range([
            number(line)?,
            number(col)?,
            number(end_line)?,
            number(end_col)?,
        ])?,
        conditions: conditions.collect::<Option<_>>()?,
    })
}

fn range([line, col, end_line, end_col]: [u64; 4]) -> Option<SourceRange> {
    let small = |number: u64| u32::try_from(number).ok();
    Some(SourceRange {
        line: small(line)?,
        col: small(col)?,
        end_line: small(end_line)?,
        end_col: small(end_col)?,
    })
}

fn branch(numbers: &[u64]) -> Option<JudgeBranch> {
    let &[
        line,
        col,
        end_line,
        end_col,
        true_count,
        false_count,
        file,
        expanded_file,
        kind,
    ] = numbers
    else {
        return None;
    };
    let small = |number: u64| u32::try_from(number).ok();
    Some(JudgeBranch {
        range: range([line, col, end_line, end_col])?,
        true_count,
        false_count,
        file: small(file)?,
        expanded_file: small(expanded_file)?,
        kind: small(kind)?,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample::EXPORT;

    #[test]
    fn an_export_is_read() {
        let report = parse(EXPORT).expect("an export");
        let mut text = format!("version {}\n", report.version);
        for function in &report.functions {
            let JudgeFunction { name, count, .. } = function;
            text.push_str(&format!(
                "{name} {count} times, {}\n",
                function.filenames.join(" ")
            ));
            for branch in &function.branches {
                let JudgeBranch {
                    range,
                    true_count,
                    false_count,
                    ..
                } = branch;
                let (line, col, end) = (range.line, range.col, range.end_col);
                text.push_str(&format!(
                    "  {line}:{col}-{end} {true_count} {false_count}\n"
                ));
            }
        }
        let Tally { count, covered } = report.totals.branches;
        text.push_str(&format!(
            "{covered} of {count} in {} files\n",
            report.files.len()
        ));
        expect![[r#"
            version 2.0.1
            main 1 times, /src/a.c
              4:7-12 0 1
            a.c:min 1 times, /src/min.h
              2:7-12 1 0
            other 1 times, /src/b.c
            b.c:min 2 times, /src/min.h
              2:7-12 1 1
            3 of 4 in 3 files
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let replaced = |from: &str, to: &str| EXPORT.replace(from, to);
        let texts = [
            String::new(),
            "{}".to_owned(),
            replaced("\"2.0.1\"", "\"3.0.1\""),
            replaced("llvm.coverage.json.export", "lcov"),
            replaced("[4, 7, 4, 12, ", "["),
            replaced("[4, 7, 4, 12, ", "[4, 7, 4, 99999999999, "),
            r#"{"version": "2.0.1", "type": "llvm.coverage.json.export", "data": []}"#.to_owned(),
        ];
        let error = |text: &String| match parse(text) {
            Ok(_) => "read\n".to_owned(),
            Err(error) => format!("{error}\n"),
        };
        let text: String = texts.iter().map(error).collect();
        expect![[r#"
            llvm-cov export cannot be read: EOF while parsing a value at line 1 column 0
            llvm-cov export cannot be read: missing field `version` at line 1 column 2
            llvm-cov export has type `llvm.coverage.json.export` version `3.0.1`; bothways reads version 2 (llvm-cov-19)
            llvm-cov export has type `lcov` version `2.0.1`; bothways reads version 2 (llvm-cov-19)
            llvm-cov export: branch 0 of function `main` cannot be read
            llvm-cov export: branch 0 of function `main` cannot be read
            llvm-cov export has 0 data objects instead of one
        "#]].assert_eq(&text);
    }
}
