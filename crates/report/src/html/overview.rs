//! The first page: figures, curves, findings, files and functions, why goals are open, where symbolism was lost.

use std::collections::BTreeMap;

use askama::Template;

use super::plot::{Axis, curve};
use super::{Figures, Site};
use crate::document::{FunctionRow, Report};
use coverage::ledger::Totals;

/// The page.
#[derive(Template)]
#[template(path = "index.html")]
pub struct Overview<'a> {
    title: String,
    has_decisions: bool,
    here: &'static str,
    report: &'a Report,
    all: Figures,
    /// Figures that are counted apart: what, and how much.
    apart: Vec<(&'static str, Figures)>,
    curves: Vec<(&'static str, String)>,
    findings: Vec<Finding<'a>>,
    files: Vec<FileView>,
    /// Why goals are open, or infeasible: the reason, how many, class.
    reasons: Vec<(String, usize, &'static str)>,
    losses: Vec<Loss<'a>>,
    facts: Vec<(&'static str, String)>,
}

struct Finding<'a> {
    cause: String,
    outcome: &'a str,
    place: String,
    stack: &'a [String],
    test: String,
    inputs: &'a [(String, String)],
    also: usize,
    hash: &'a str,
}

struct FileView {
    name: String,
    figures: Figures,
    functions: Vec<FunctionView>,
}

struct FunctionView {
    name: String,
    text: String,
    figures: Figures,
    note: String,
}

struct Loss<'a> {
    place: String,
    what: &'a str,
    reason: &'a str,
    count: u64,
    behind: String,
}

impl<'a> Overview<'a> {
    /// Of a report.
    pub fn new(site: &Site<'a>) -> Overview<'a> {
        let report = site.report;
        let apart = [
            ("entries of functions", report.entries),
            ("exits of functions", report.exits),
            ("pairs (MC/DC)", report.pairs),
        ];
        let apart = apart
            .into_iter()
            .filter_map(|(name, totals)| Some((name, Figures::of(totals?))));
        Overview {
            title: site.title(),
            has_decisions: !report.decisions.is_empty(),
            here: "overview",
            report,
            all: Figures::of(report.totals),
            apart: apart.collect(),
            curves: curves(report),
            findings: findings(site),
            files: files(site),
            reasons: reasons(report),
            losses: losses(site),
            facts: facts(report),
        }
    }
}

fn curves(report: &Report) -> Vec<(&'static str, String)> {
    let facts = &report.campaign;
    let total = report.totals.total;
    let goals = (total, total - report.totals.infeasible.min(total));
    let (runs, time) = (
        Axis {
            title: "runs",
            end: facts.iterations as f64,
            unit: "",
        },
        Axis {
            title: "time",
            end: facts.seconds,
            unit: " s",
        },
    );
    let over_runs = curve(&report.tests, &runs, |test| test.iteration as f64, goals);
    let over_time = curve(&report.tests, &time, |test| test.seconds, goals);
    let both = [("over runs", over_runs), ("over time", over_time)];
    both.into_iter()
        .filter_map(|(name, svg)| Some((name, svg?)))
        .collect()
}

fn findings<'a>(site: &Site<'a>) -> Vec<Finding<'a>> {
    let report = site.report;
    let finding = |failure: &'a crate::document::Failure| {
        let test = report
            .tests
            .iter()
            .find(|test| test.file.ends_with(&failure.test));
        Finding {
            cause: match failure.cause.as_str() {
                "" => failure.outcome.clone(),
                cause => cause.to_owned(),
            },
            outcome: &failure.outcome,
            place: failure
                .place
                .as_deref()
                .map_or_else(String::new, |place| site.written_place(place)),
            stack: &failure.stack,
            test: test.map_or_else(
                || super::escape(&failure.test),
                |test| site.tests(&[test.number], 0),
            ),
            inputs: test.map_or(&[], |test| &test.inputs),
            also: failure.also.len(),
            hash: &failure.hash,
        }
    };
    report.campaign.failures.iter().map(finding).collect()
}

fn files(site: &Site<'_>) -> Vec<FileView> {
    let mut by_file: BTreeMap<&str, Vec<&FunctionRow>> = BTreeMap::new();
    for row in &site.report.functions {
        by_file.entry(&row.file).or_default().push(row);
    }
    let function = |row: &&FunctionRow| FunctionView {
        name: site.place(&row.file, row.line, &row.name),
        text: row.name.to_lowercase(),
        figures: Figures::of(row.totals),
        note: match (
            row.entries.total > 0,
            row.entries.covered > 0,
            row.entries.infeasible > 0,
        ) {
            (true, false, true) => "no input enters it".to_owned(),
            (true, false, false) => "not entered".to_owned(),
            _ => String::new(),
        },
    };
    let file = |(name, rows): (&str, Vec<&FunctionRow>)| {
        let mut totals = Totals::default();
        for row in &rows {
            totals += row.totals;
        }
        FileView {
            name: site
                .place(
                    name,
                    rows.first().map_or(1, |row| row.line.max(1)),
                    site.shown(name),
                )
                .replacen(
                    &format!("#L{}\"", rows.first().map_or(1, |row| row.line.max(1))),
                    "\"",
                    1,
                ),
            figures: Figures::of(totals),
            functions: rows.iter().map(function).collect(),
        }
    };
    by_file.into_iter().map(file).collect()
}

fn reasons(report: &Report) -> Vec<(String, usize, &'static str)> {
    let count = |rows: &[crate::document::GoalRow], class| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in rows {
            *counts.entry(&row.reason.name).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let row = |(name, count): (&str, usize)| (name.to_owned(), count, class);
        counts.into_iter().map(row).collect::<Vec<_>>()
    };
    let mut all = count(&report.open, "o");
    all.extend(count(&report.infeasible, "i"));
    all
}

fn losses<'a>(site: &Site<'a>) -> Vec<Loss<'a>> {
    let loss = |row: &'a crate::document::Concretised| Loss {
        place: match row.file.as_str() {
            "" => String::new(),
            file => {
                let shown = format!("{}:{}:{}", site.shown(file), row.line, row.col);
                site.place(file, row.line, &shown)
            }
        },
        what: &row.what,
        reason: &row.reason,
        count: row.count,
        behind: row
            .open_behind
            .map_or_else(|| "–".to_owned(), |goals| goals.to_string()),
    };
    site.report.concretised.iter().map(loss).collect()
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let facts = &report.campaign;
    let judge = report.judge.as_ref().map(|verdict| verdict.tool.clone());
    let mut all = vec![
        ("criterion", report.criterion.clone()),
        ("strategy", facts.strategy.clone()),
        ("seed", facts.seed.to_string()),
        ("tests", facts.tests.to_string()),
        ("runs", facts.iterations.to_string()),
        ("search", format!("{:.1} s", facts.seconds)),
        (
            "of it in the solver",
            format!("{:.1} s", facts.solver_seconds),
        ),
        ("judging", format!("{:.1} s", facts.judge_seconds)),
        ("stopped by", facts.stopped_by.clone()),
    ];
    all.extend(judge.map(|tool| ("coverage counted by", tool)));
    all.push(("bothways", report.version.clone()));
    all
}
