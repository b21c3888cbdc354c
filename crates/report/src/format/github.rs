//! `github`: annotations of a change, as commands that GitHub Actions reads from the output of a step.
//!
//! `bothways report SUITE --report github=-` in a workflow puts findings (errors) and open branches (warnings) beside the lines of a
//! pull request. GitHub shows ten of each kind; findings come first.

use std::fmt::Write as _;

use crate::document::Report;
use crate::format::{ReportFormat, sarif};

/// Annotations for GitHub Actions.
pub struct Github;

impl ReportFormat for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    fn summary(&self) -> &'static str {
        "annotations for GitHub Actions"
    }

    fn file_name(&self) -> &'static str {
        "annotations.txt"
    }

    fn render(&self, report: &Report) -> String {
        let mut text = String::new();
        for known in &report.campaign.failures {
            let place = known
                .place
                .as_deref()
                .map(|place| place.trim_end_matches(" or after"));
            let place = match place.and_then(sarif::place_of) {
                Some((file, line, col)) => format!(
                    "file={},line={line},col={col},",
                    property(report.shown(file))
                ),
                None => String::new(),
            };
            let words = format!(
                "{} ends by {}\n{}",
                known.test,
                known.outcome,
                known.calls()
            );
            let cause = match known.cause.as_str() {
                "" => &known.outcome,
                cause => cause,
            };
            let _ = writeln!(
                text,
                "::error {place}title={}::{}",
                property(cause),
                data(words.trim_end())
            );
        }
        for row in &report.open {
            let (file, side) = (property(report.shown(&row.at.file)), &row.label.side);
            let (line, col) = (row.at.line, row.at.col);
            let reason = match row.reason.detail.as_str() {
                "" => &row.reason.name,
                detail => detail,
            };
            let _ = writeln!(
                text,
                "::warning file={file},line={line},col={col},title=no test%3A {}::{}",
                property(side),
                data(&format!("in {}: {reason}", row.function))
            );
        }
        text
    }
}

/// What stands behind the `::` of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn findings_then_open_branches() {
        expect![[r#"
            ::error file=src/list.c,line=14,col=9,title=address%3A heap-buffer-overflow::test-0004.test ends by signal 11 (SIGSEGV)%0Ainsert < main
            ::warning file=src/list.c,line=14,col=7,title=no test%3A true::in insert: budget spent
            ::warning file=src/list.c,line=22,col=9,title=no test%3A false::in insert: budget spent
            ::warning file=src/list.c,line=31,col=3,title=no test%3A false::in insert: resource limit
        "#]].assert_eq(&Github.render(&sample::report()));
    }

    #[test]
    fn no_name_is_a_command() {
        let mut report = sample::report();
        report.open[0].at.file = "a,b:c%\n::error::x".to_owned();
        let text = Github.render(&report);
        assert!(
            text.contains("file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax,"),
            "{text}"
        );
    }
}
