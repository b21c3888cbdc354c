//! Help of flags that take a name of a registry: all its names, so that a plug-in need not be named a second time.

use coverage::criterion::CRITERIA;
use report::format::{REPORTS, SUITES};

/// Help of `--criterion`.
pub fn criteria() -> String {
    let names = CRITERIA.iter().map(|criterion| match criterion.name() {
        "lines" => "lines:FILE:A-B",
        name => name,
    });
    format!("What is to be covered: {}", list(names))
}

/// Help of `--emit`.
pub fn suites() -> String {
    let names = SUITES.iter().map(|format| format.name());
    let names = list(names.filter(|name| *name != "native"));
    format!(
        "Write the suite in one more format: {names}, or for functions c-test, c-test=unity, =cmocka, =gtest (may be repeated)"
    )
}

/// Names of the formats of `--report`.
pub fn reports() -> String {
    list(REPORTS.iter().map(|format| format.name()))
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
