//! `text`: the report for a terminal: a table of the functions, then what is not covered, with the reasons.
//!
//! Places are written `file:line:col`, so that terminals and editors can follow them. A percentage is never rounded up
//! to 100.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use crate::document::{Failure, FunctionRow, GoalRow, Reason, Report};
use crate::format::ReportFormat;
use crate::table::{ConditionRow, DecisionRow, VectorRow};
use coverage::ledger::Totals;
use coverage::vector::letter;

/// The report as text for the terminal or for `report.txt`.
#[derive(Clone, Debug)]
pub struct Text {
    /// Lines of each list; what is cut off is counted.
    pub most: usize,
    /// Folder that paths are written relative to, with its final slash.
    pub base: String,
}

impl Text {
    /// Everything, paths in full.
    #[must_use]
    pub const fn whole() -> Text {
        Text {
            most: usize::MAX,
            base: String::new(),
        }
    }

    /// Short lists, and paths relative to `folder`.
    #[must_use]
    pub fn short(folder: &Path) -> Text {
        Text {
            most: 20,
            base: format!("{}/", folder.display()),
        }
    }
}

impl ReportFormat for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn summary(&self) -> &'static str {
        "a table for the terminal, then the goals that are not covered"
    }

    fn file_name(&self) -> &'static str {
        "report.txt"
    }

    fn render(&self, report: &Report) -> String {
        let mut text = String::new();
        self.table(&mut text, report);
        apart(&mut text, report);
        self.decisions(&mut text, report);
        self.goals(&mut text, "infeasible", &report.infeasible);
        self.goals(&mut text, "open", &report.open);
        self.lines(
            &mut text,
            "failing tests",
            report.campaign.failures.iter().map(|failure| {
                let place = failure.place.as_deref();
                let place = place.map(|place| self.place(place).to_owned());
                let failure = Failure {
                    place,
                    ..failure.clone()
                };
                failure.to_string()
            }),
        );
        self.lines(&mut text, "notes", report.notes.iter().cloned());
        judge(&mut text, report);
        text
    }
}

impl Text {
    /// A path, or a line that starts with one, relative to the base.
    fn place<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(self.base.as_str()).unwrap_or(path)
    }

    /// Rows of the table, cells already in words.
    fn table(&self, text: &mut String, report: &Report) {
        let has_infeasible = report.totals.infeasible > 0;
        let mut header = vec![
            "function".to_owned(),
            String::new(),
            report.unit.clone(),
            "covered".to_owned(),
        ];
        if has_infeasible {
            header.push("infeasible".to_owned());
        }
        header.extend(["open".to_owned(), "%".to_owned()]);
        let pairs = report.pairs.filter(|pairs| pairs.total > 0);
        if pairs.is_some() {
            header.push("pairs".to_owned());
        }
        let cells = |name: &str, place: String, totals: Totals, own: Option<Totals>| {
            let mut row = vec![
                name.to_owned(),
                place,
                totals.total.to_string(),
                totals.covered.to_string(),
            ];
            if has_infeasible {
                row.push(totals.infeasible.to_string());
            }
            row.extend([totals.open().to_string(), percent(totals)]);
            row.extend(pairs.and(own).map(|pairs| pairs.to_string()));
            row
        };
        let mut rows = vec![header];
        // Entries have a line of their own.
        let with_goals = || report.functions.iter().filter(|row| row.totals.total > 0);
        let many = with_goals().count() > self.most;
        let untouched = |function: &&FunctionRow| many && function.totals.covered == 0;
        for function in with_goals().filter(|row| !untouched(row)) {
            let mut place = format!("{}:{}", self.place(&function.file), function.line);
            if function.instantiations > 1 {
                let _ = write!(place, " ({} times)", function.instantiations);
            }
            rows.push(cells(
                &function.name,
                place,
                function.totals,
                function.pairs,
            ));
        }
        let rest: Vec<&FunctionRow> = with_goals().filter(untouched).collect();
        if !rest.is_empty() {
            let sum = |of: fn(&FunctionRow) -> Totals| {
                let mut all = Totals::default();
                rest.iter().for_each(|row| all += of(row));
                all
            };
            let totals = sum(|row| row.totals);
            let pairs = pairs.map(|_| sum(|row| row.pairs.unwrap_or_default()));
            rows.push(cells(
                &format!("({} without any)", rest.len()),
                String::new(),
                totals,
                pairs,
            ));
        }
        rows.push(cells("total", String::new(), report.totals, pairs));
        let width = |column: usize| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        for row in &rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let width = *width;
                let _ = match column {
                    0 => write!(line, "{cell:<width$}"),
                    1 => write!(line, "  {cell:<width$}"),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }

    fn goals(&self, text: &mut String, title: &str, rows: &[GoalRow]) {
        let mut groups: BTreeMap<&str, Vec<&GoalRow>> = BTreeMap::new();
        for row in rows {
            groups.entry(&row.reason.name).or_default().push(row);
        }
        for (reason, rows) in groups {
            let _ = write!(text, "\n{title}");
            if !reason.is_empty() {
                let _ = write!(text, ": {reason}");
            }
            text.push('\n');
            for row in rows.iter().take(self.most) {
                self.goal(text, row);
            }
            more(text, rows.len().saturating_sub(self.most));
        }
    }

    fn goal(&self, text: &mut String, row: &GoalRow) {
        let GoalRow {
            label,
            function,
            reason: Reason { detail, .. },
            ..
        } = row;
        let place = format!("{}:{}:{}", self.place(&label.file), label.line, label.col);
        let _ = write!(text, "  {place} {} in {function}", label.side);
        if let Some((file, line, col)) = row.expanded_at.last() {
            let _ = write!(text, ", expanded at {}:{line}:{col}", self.place(file));
        }
        if !detail.is_empty() {
            let _ = write!(text, ": {detail}");
        }
        text.push('\n');
    }

    /// Tables of decisions; in a short report only of those that want something.
    fn decisions(&self, text: &mut String, report: &Report) {
        let complete = |row: &&DecisionRow| {
            let done =
                |condition: &ConditionRow| condition.pair.is_some() || condition.status == "folded";
            row.conditions.iter().all(done)
        };
        let short = self.most < usize::MAX;
        let rows: Vec<&DecisionRow> = report
            .decisions
            .iter()
            .filter(|row| !(short && complete(row)))
            .collect();
        for row in rows.iter().take(self.most) {
            self.decision(text, row);
        }
        more(text, rows.len().saturating_sub(self.most));
    }

    fn decision(&self, text: &mut String, row: &DecisionRow) {
        let place = format!("{}:{}:{}", self.place(&row.file), row.line, row.col);
        let _ = write!(text, "\ndecision {place} in {}", row.function);
        if row.problem.is_empty() {
            text.push('\n');
        } else {
            let _ = writeln!(text, ": {}", row.problem);
        }
        for (number, vector) in (1..).zip(&row.vectors) {
            let VectorRow {
                values,
                outcome,
                tests,
            } = vector;
            let list: Vec<String> = tests.iter().take(MOST_TESTS).map(u32::to_string).collect();
            let rest = if tests.len() > MOST_TESTS { " …" } else { "" };
            let _ = writeln!(
                text,
                "  vector {number}: {} = {}  test {}{rest}",
                spaced(values),
                letter(*outcome),
                list.join(" ")
            );
        }
        for (number, condition) in (1..).zip(&row.conditions) {
            let ConditionRow {
                line,
                col,
                status,
                pair,
                missing,
            } = condition;
            let _ = write!(text, "  condition {number} at {line}:{col}: ");
            let _ = match pair {
                Some([a, b]) => writeln!(text, "vectors {} and {}", a + 1, b + 1),
                None if missing.is_empty() => writeln!(text, "{status}"),
                None => writeln!(text, "{status}: {missing}"),
            };
        }
    }

    fn lines(&self, text: &mut String, title: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        if !items.is_empty() {
            let _ = writeln!(text, "\n{title}");
        }
        for item in items.iter().take(self.most) {
            let _ = writeln!(text, "  {}", self.place(item));
        }
        more(text, items.len().saturating_sub(self.most));
    }
}

/// What is counted apart from the criterion's own figure: entries only where one is missing or there is nothing else.
fn apart(text: &mut String, report: &Report) {
    let entries = report.entries.filter(|entries| {
        entries.covered < entries.total || report.totals.total == 0 && entries.total > 0
    });
    let lines = [
        (
            report.pairs.filter(|pairs| pairs.total > 0),
            "conditions shown to act independently",
        ),
        (entries, "functions entered"),
        (report.exits, "exits of functions taken"),
    ];
    for (totals, what) in lines {
        let Some(totals) = totals else { continue };
        let _ = write!(text, "{totals} {what}");
        if totals.infeasible > 0 {
            let _ = write!(text, ", {} infeasible", totals.infeasible);
        }
        if totals.open() > 0 {
            let _ = write!(text, ", {} open", totals.open());
        }
        text.push('\n');
    }
}

/// Tests that are listed for a vector.
const MOST_TESTS: usize = 5;

/// Letters with spaces between them.
fn spaced(letters: &str) -> String {
    let letters: Vec<String> = letters.chars().map(String::from).collect();
    letters.join(" ")
}

/// One decimal, rounded down.
fn percent(totals: Totals) -> String {
    format!("{:.1}", (totals.percent() * 10.0).floor() / 10.0)
}

fn more(text: &mut String, count: usize) {
    if count > 0 {
        let _ = writeln!(text, "  … and {count} more, see report.txt");
    }
}

fn judge(text: &mut String, report: &Report) {
    let Some(verdict) = &report.judge else { return };
    let (tool, covered, total) = (&verdict.tool, verdict.covered, verdict.total);
    let _ = write!(
        text,
        "\n{tool}: {covered} of {total} {} covered",
        report.unit
    );
    if let Some(pairs) = verdict.pairs.filter(|pairs| pairs.count > 0) {
        let _ = write!(text, ", {} of {} pairs", pairs.covered, pairs.count);
    }
    if verdict.differences.is_empty() {
        text.push_str(", as the engine says\n");
        return;
    }
    text.push_str("; the engine differs:\n");
    for difference in &verdict.differences {
        let _ = writeln!(text, "  {difference}");
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn the_sample() {
        expect![[r#"
            function                          branches  covered  infeasible  open      %
            insert    src/list.c:12                 20       16           1     3   80.0
            is_empty  src/list.c:4 (3 times)         2        2           0     0  100.0
            main      src/list.c:40                  4        4           0     0  100.0
            total                                   26       22           1     3   84.6
            3 of 4 functions entered, 1 open

            decision src/list.c:14:7 in insert
              vector 1: F - = F  test 1
              vector 2: T T = T  test 2
              condition 1 at 14:7: vectors 1 and 2
              condition 2 at 14:15: open: a test with TT = T would be a pair with TF = F

            infeasible: search tree exhausted
              src/list.c:18:11 true in insert

            open: budget spent
              src/list.c:14:7 true in insert
              src/list.c:22:9 false in insert

            open: solver gave up
              src/list.c:3:25 false in insert, expanded at src/list.c:31:3: resource limit

            failing tests
              test-0004.test  signal 11 (SIGSEGV)  address: heap-buffer-overflow at src/list.c:14:9 in insert < main (also test-0005.test)

            notes
              3 runs were cut short by the event buffer

            llvm-cov 19: 22 of 26 branches covered, as the engine says
        "#]]
        .assert_eq(&Text::whole().render(&sample::report()));
    }

    #[test]
    fn nothing_to_cover() {
        expect![[r#"
            function       covered  open      %
            total       0        0     0  100.0
        "#]]
        .assert_eq(&Text::whole().render(&Report::default()));
    }

    #[test]
    fn long_lists_are_cut() {
        let text = Text {
            most: 1,
            base: "src/".to_owned(),
        };
        expect![[r#"
            function                      branches  covered  infeasible  open      %
            insert    list.c:12                 20       16           1     3   80.0
            is_empty  list.c:4 (3 times)         2        2           0     0  100.0
            main      list.c:40                  4        4           0     0  100.0
            total                               26       22           1     3   84.6
            3 of 4 functions entered, 1 open

            decision list.c:14:7 in insert
              vector 1: F - = F  test 1
              vector 2: T T = T  test 2
              condition 1 at 14:7: vectors 1 and 2
              condition 2 at 14:15: open: a test with TT = T would be a pair with TF = F

            infeasible: search tree exhausted
              list.c:18:11 true in insert

            open: budget spent
              list.c:14:7 true in insert
              … and 1 more, see report.txt

            open: solver gave up
              list.c:3:25 false in insert, expanded at list.c:31:3: resource limit

            failing tests
              test-0004.test  signal 11 (SIGSEGV)  address: heap-buffer-overflow at list.c:14:9 in insert < main (also test-0005.test)

            notes
              3 runs were cut short by the event buffer

            llvm-cov 19: 22 of 26 branches covered, as the engine says
        "#]]
        .assert_eq(&text.render(&sample::report()));
    }

    #[test]
    fn almost_all_is_not_all() {
        let totals = |covered| Totals {
            total: 10_000,
            covered,
            infeasible: 0,
        };
        assert_eq!(percent(totals(9_999)), "99.9");
        assert_eq!(percent(totals(10_000)), "100.0");
        assert_eq!(percent(totals(0)), "0.0");
    }
}
