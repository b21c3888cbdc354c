//! `markdown`: a summary for a pull request or a job's page.
//!
//! Figures, findings, and functions with open goals. `bothways report SUITE --report markdown=- >> $GITHUB_STEP_SUMMARY`.

use std::fmt::Write as _;

use crate::document::Report;
use crate::format::ReportFormat;
use crate::readable::plain;
use coverage::ledger::Totals;

/// A summary in Markdown.
pub struct Markdown;

/// Most functions that are listed.
const FUNCTIONS: usize = 25;

impl ReportFormat for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn summary(&self) -> &'static str {
        "a summary for a pull request"
    }

    fn file_name(&self) -> &'static str {
        "summary.md"
    }

    fn render(&self, report: &Report) -> String {
        let mut text = format!("### bothways: {}\n\n", word(&report.program));
        let _ = writeln!(
            text,
            "| | covered | infeasible | open | of all | of feasible |"
        );
        let _ = writeln!(text, "|---|--:|--:|--:|--:|--:|");
        let apart = [
            ("entries", report.entries),
            ("exits", report.exits),
            ("pairs (MC/DC)", report.pairs),
        ];
        let apart = apart
            .into_iter()
            .filter_map(|(name, totals)| Some((name, totals?)));
        for (name, totals) in [(report.unit.as_str(), report.totals)]
            .into_iter()
            .chain(apart)
        {
            let _ = writeln!(text, "| {name} | {}", cells(totals));
        }
        let facts = &report.campaign;
        let _ = writeln!(
            text,
            "\n{} tests from {} runs in {:.0} s.",
            facts.tests, facts.iterations, facts.seconds
        );
        if !facts.failures.is_empty() {
            let _ = writeln!(text, "\n**Findings: {}**\n", facts.failures.len());
            for known in &facts.failures {
                let cause = match known.cause.as_str() {
                    "" => &known.outcome,
                    cause => cause,
                };
                let place = known
                    .place
                    .as_deref()
                    .map(|place| format!(" at {}", word(report.shown(place))));
                let _ = writeln!(
                    text,
                    "- {}{} ({})",
                    word(cause),
                    place.unwrap_or_default(),
                    word(&known.test)
                );
            }
        }
        open(&mut text, report);
        text
    }
}

fn open(text: &mut String, report: &Report) {
    let mut rows: Vec<_> = report
        .functions
        .iter()
        .filter(|row| row.totals.open() > 0)
        .collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.totals.open()));
    let _ = writeln!(
        text,
        "\n<details><summary>Functions with open goals: {}</summary>\n",
        rows.len()
    );
    let _ = writeln!(
        text,
        "| function | covered | infeasible | open | of all | of feasible |\n|---|--:|--:|--:|--:|--:|"
    );
    for row in rows.iter().take(FUNCTIONS) {
        let place = format!("{}:{}", report.shown(&row.file), row.line);
        let _ = writeln!(
            text,
            "| {} {} | {}",
            word(&row.name),
            word(&place),
            cells(row.totals)
        );
    }
    if rows.len() > FUNCTIONS {
        let _ = writeln!(text, "| and {} more | | | | | |", rows.len() - FUNCTIONS);
    }
    text.push_str("\n</details>\n");
}

fn cells(totals: Totals) -> String {
    let feasible = Totals {
        total: totals.total.saturating_sub(totals.infeasible),
        infeasible: 0,
        ..totals
    };
    let percent = |totals: Totals| format!("{:.1} %", (totals.percent() * 10.0).floor() / 10.0);
    format!(
        "{} | {} | {} | {} | {} |",
        totals.covered,
        totals.infeasible,
        totals.open(),
        percent(totals),
        percent(feasible)
    )
}

/// A text as code in a table: nothing in it is markup.
fn word(text: &str) -> String {
    let plain = plain(text);
    let marks = plain.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(marks + 1);
    let space = if plain.starts_with('`') || plain.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{space}{}{space}{fence}", plain.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn a_summary() {
        expect![[r#"
            ### bothways: `list`

            | | covered | infeasible | open | of all | of feasible |
            |---|--:|--:|--:|--:|--:|
            | branches | 22 | 1 | 3 | 84.6 % | 88.0 % |
            | entries | 3 | 0 | 1 | 75.0 % | 75.0 % |

            5 tests from 120 runs in 2 s.

            **Findings: 1**

            - `address: heap-buffer-overflow` at `src/list.c:14:9` (`test-0004.test`)

            <details><summary>Functions with open goals: 1</summary>

            | function | covered | infeasible | open | of all | of feasible |
            |---|--:|--:|--:|--:|--:|
            | `insert` `src/list.c:12` | 16 | 1 | 3 | 80.0 % | 84.2 % |

            </details>
        "#]]
        .assert_eq(&Markdown.render(&sample::report()));
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(word("a`b|<i>"), "``a`b\\|<i>``");
        assert_eq!(word("`"), "`` ` ``");
    }
}
