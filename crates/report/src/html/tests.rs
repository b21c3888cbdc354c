//! The page of the tests: inputs, how each ends, and what it was the first to cover.

use std::collections::BTreeMap;

use askama::Template;

use super::Site;
use crate::document::GoalRow;

/// Goals of one test that are written out.
const GOALS: usize = 12;

/// The page.
#[derive(Template)]
#[template(path = "tests.html")]
pub struct Tests<'a> {
    title: String,
    has_decisions: bool,
    here: &'static str,
    tests: Vec<TestView<'a>>,
}

struct TestView<'a> {
    number: u32,
    file: &'a str,
    outcome: &'a str,
    bad: bool,
    iteration: u64,
    seconds: String,
    inputs: &'a [(String, String)],
    remarks: &'a [String],
    /// Goals that no test before it covers, as links.
    first: Vec<String>,
    more: usize,
    state: &'static str,
}

impl<'a> Tests<'a> {
    /// Of all tests.
    pub fn new(site: &Site<'a>) -> Tests<'a> {
        let mut first: BTreeMap<u32, Vec<&GoalRow>> = BTreeMap::new();
        for row in &site.report.covered {
            if let Some(test) = row.tests.first() {
                first.entry(*test).or_default().push(row);
            }
        }
        let link = |row: &&GoalRow| {
            let at = &row.at;
            let text = format!("{}:{} {}", site.shown(&at.file), at.line, row.label.side);
            site.place(&at.file, at.line, &text)
        };
        let view = |test: &'a crate::annex::TestRow| {
            let own = first.get(&test.number).map_or(&[][..], Vec::as_slice);
            TestView {
                number: test.number,
                file: &test.file,
                outcome: &test.outcome,
                bad: test.bad,
                iteration: test.iteration,
                seconds: format!("{:.2} s", test.seconds),
                inputs: &test.inputs,
                remarks: &test.remarks,
                first: own.iter().take(GOALS).map(link).collect(),
                more: own.len().saturating_sub(GOALS),
                state: if test.bad { "bad" } else { "good" },
            }
        };
        Tests {
            title: site.title(),
            has_decisions: !site.report.decisions.is_empty(),
            here: "tests",
            tests: site.report.tests.iter().map(view).collect(),
        }
    }
}
