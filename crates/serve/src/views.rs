//! Answers from a report: what is open, why something is infeasible, what a campaign came to.
//!
//! Must hold: what is left out is counted; a place that is not there is an error that says what is there.

use report::{GoalRow, Report};
use serde_json::{Value, json};

use crate::ask::{Uncovered, WhyInfeasible};
use crate::workshop::{Certified, Unfinished};

/// Goals in an answer, if nothing is said.
const MOST: u32 = 50;
/// Tests and failures in an answer.
const MOST_TESTS: usize = 30;
/// Longest line of source, longest text of inputs.
const LONGEST: usize = 200;
/// Names in an error.
const MOST_NAMES: usize = 12;

/// The open goals of a finished campaign.
///
/// # Errors
/// There is no such file or function, in words.
pub(crate) fn uncovered(report: &Report, asked: &Uncovered) -> Result<Value, String> {
    let file = asked.file.as_deref();
    let file = file.map(|name| source(report, name)).transpose()?;
    if let Some(name) = &asked.function {
        has_function(report, name)?;
    }
    let wanted = |row: &&GoalRow| {
        file.is_none_or(|file| row.label.file == file)
            && asked
                .function
                .as_ref()
                .is_none_or(|name| row.function == *name)
    };
    let open: Vec<&GoalRow> = report.open.iter().filter(wanted).collect();
    let most = asked.limit.unwrap_or(MOST) as usize;
    let shown: Vec<Value> = open
        .iter()
        .take(most)
        .map(|row| goal(report, row))
        .collect();
    let mut answer = totals(report);
    answer["state"] = json!("finished");
    answer["left_out"] = json!(open.len() - shown.len());
    answer["goals"] = json!(shown);
    Ok(answer)
}

/// The goals of a campaign that runs, or was killed: their names, from the store.
///
/// # Errors
/// There is a filter that needs a report, in words.
pub(crate) fn unfinished(stored: &Unfinished, asked: &Uncovered) -> Result<Value, String> {
    if asked.function.is_some() {
        return Err(
            "`function`: the campaign has not come to its end, and its store does not know functions: ask by `file`".to_owned(),
        );
    }
    let count = |verdict| {
        stored
            .goals
            .iter()
            .filter(|goal| goal.verdict == verdict)
            .count()
    };
    let wanted = |name: &str| {
        let place = name.split(':').next().unwrap_or_default();
        asked
            .file
            .as_deref()
            .is_none_or(|file| is_file(place, file))
    };
    let open: Vec<&str> = stored
        .goals
        .iter()
        .filter(|goal| goal.verdict == "open")
        .map(|goal| goal.name.as_str())
        .filter(|name| wanted(name))
        .collect();
    let most = asked.limit.unwrap_or(MOST) as usize;
    let shown: Vec<Value> = open
        .iter()
        .take(most)
        .map(|name| json!({ "goal": name }))
        .collect();
    Ok(json!({
        "state": if stored.is_running { "running" } else { "not finished: bothways resume goes on" },
        "total": stored.goals.len(),
        "covered": count("covered"),
        "infeasible": count("infeasible"),
        "open": count("open"),
        "left_out": open.len() - shown.len(),
        "goals": shown,
    }))
}

/// What is known of the goals at a place.
///
/// # Errors
/// There is no goal, in words.
pub(crate) fn why_infeasible(
    report: &Report,
    certificates: &[Certified],
    asked: &WhyInfeasible,
) -> Result<Value, String> {
    let file = source(report, &asked.file)?;
    let side = asked.side.as_deref();
    let is_asked = |row: &GoalRow| {
        asked.column.is_none_or(|column| row.label.col == column)
            && side.is_none_or(|side| row.label.side == side)
    };
    let mut all = Vec::new();
    let mut lines = Vec::new();
    for (verdict, rows) in [
        ("infeasible", &report.infeasible),
        ("open", &report.open),
        ("covered", &report.covered),
    ] {
        for row in rows.iter().filter(|row| row.label.file == file) {
            lines.push(row.label.line);
            if row.label.line == asked.line && is_asked(row) {
                let mut one = goal(report, row);
                one["verdict"] = json!(verdict);
                if verdict == "infeasible" {
                    one["certificate"] = certificate(certificates, row);
                }
                all.push(one);
            }
        }
    }
    if !all.is_empty() {
        return Ok(json!({ "goals": all }));
    }
    let place = format!("{file}:{}", asked.line);
    lines.sort_by_key(|line| line.abs_diff(asked.line));
    lines.dedup();
    if lines.first() == Some(&asked.line) {
        return Err(format!(
            "{place}: no goal has this `column` and `side`; leave them out to see those of the line"
        ));
    }
    let near: Vec<String> = lines.iter().take(3).map(u32::to_string).collect();
    Err(match near.is_empty() {
        true => format!("{place}: no goal of this suite is in this file"),
        false => format!(
            "{place}: no goal is in this line; the nearest are in {}",
            near.join(", ")
        ),
    })
}

/// What a campaign came to.
pub(crate) fn summary(report: &Report) -> Value {
    let facts = &report.campaign;
    let mut answer = totals(report);
    let tests: Vec<Value> = report
        .tests
        .iter()
        .take(MOST_TESTS)
        .map(|test| {
            json!({ "file": test.file, "outcome": test.outcome, "inputs": test.brief(LONGEST) })
        })
        .collect();
    let failures: Vec<String> = facts.failures.iter().map(ToString::to_string).collect();
    answer["suite"] = json!(facts.suite);
    answer["stopped_by"] = json!(facts.stopped_by);
    answer["seconds"] = json!(facts.seconds);
    answer["runs"] = json!(facts.iterations);
    answer["tests_left_out"] = json!(report.tests.len() - tests.len());
    answer["tests"] = json!(tests);
    answer["failures"] = json!(failures);
    answer["notes"] = json!(report.notes);
    answer
}

fn totals(report: &Report) -> Value {
    json!({
        "program": report.program,
        "criterion": report.criterion,
        "unit": report.unit,
        "total": report.totals.total,
        "covered": report.totals.covered,
        "infeasible": report.totals.infeasible,
        "open": report.totals.open(),
    })
}

fn goal(report: &Report, row: &GoalRow) -> Value {
    let label = &row.label;
    let text = report
        .sources
        .iter()
        .find(|source| source.name == label.file);
    let text = text.and_then(|source| source.text.as_deref());
    let line = text.and_then(|text| text.lines().nth(label.line.checked_sub(1)? as usize));
    let line: String = line
        .unwrap_or_default()
        .trim()
        .chars()
        .take(LONGEST)
        .collect();
    json!({
        "goal": label.to_string(),
        "file": label.file,
        "line": label.line,
        "column": label.col,
        "side": label.side,
        "function": row.function,
        "source": line,
        "reason": row.reason.name,
        "detail": row.reason.detail,
        "further": row.further,
        "tests": row.tests,
    })
}

fn certificate(all: &[Certified], row: &GoalRow) -> Value {
    let label = &row.label;
    let found = all.iter().find(|one| {
        (one.line, one.col) == (label.line, label.col)
            && one.side == label.side
            && one.file == label.file
    });
    found.map_or(Value::Null, |one| {
        let holds_for = match one.inputs.as_slice() {
            [] => json!("all inputs"),
            inputs => json!(inputs),
        };
        json!({ "kind": one.kind, "checked": one.checked, "holds_for": holds_for })
    })
}

/// Whether a path is meant by a name: it is the path, or its end.
fn is_file(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    path == name
        || path
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with('/'))
}

/// The one source that is meant by a name.
fn source<'r>(report: &'r Report, name: &str) -> Result<&'r str, String> {
    let all = || report.sources.iter().map(|source| source.name.as_str());
    let meant: Vec<&str> = all().filter(|path| is_file(path, name)).collect();
    match meant.as_slice() {
        [one] => Ok(one),
        [] => Err(format!(
            "`file`: no source of this suite is {name}; there are {}",
            names(all())
        )),
        several => Err(format!(
            "`file`: {name} may be {}",
            names(several.iter().copied())
        )),
    }
}

fn has_function(report: &Report, name: &str) -> Result<(), String> {
    let all = || report.functions.iter().map(|row| row.name.as_str());
    if all().any(|known| known == name) {
        return Ok(());
    }
    Err(format!(
        "`function`: no function of this suite is {name}; there are {}",
        names(all())
    ))
}

fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.collect();
    let more = all.len().saturating_sub(MOST_NAMES);
    let mut text = all[..all.len() - more].join(", ");
    match (all.is_empty(), more) {
        (true, _) => "none".to_owned(),
        (false, 0) => text,
        (false, more) => {
            text.push_str(&format!(" and {more} more"));
            text
        }
    }
}
