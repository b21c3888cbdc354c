//! `lcov`: a trace file with lines, functions, branches and, for `mcdc`, conditions.
//!
//! What `genhtml`, Codecov, Coveralls and editors read. Lines and counts are those of `llvm-cov`. An outcome that cannot be taken is
//! one that was not taken: the format has no third verdict. `MCDC` records are those of LCOV 2.2; earlier versions skip them.
//!
//! Must hold: LCOV 2.3 finds no inconsistency: a line with conditions ran if and only if one of them did.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::branches::{File, files};
use crate::document::Report;
use crate::format::ReportFormat;
use crate::readable::plain;

/// The report as an LCOV trace file.
pub struct Lcov;

impl ReportFormat for Lcov {
    fn name(&self) -> &'static str {
        "lcov"
    }

    fn summary(&self) -> &'static str {
        "LCOV trace file with branches and MC/DC, for genhtml and Codecov"
    }

    fn file_name(&self) -> &'static str {
        "lcov.info"
    }

    fn render(&self, report: &Report) -> String {
        files(report).iter().map(record).collect()
    }
}

fn record(file: &File<'_>) -> String {
    let mut text = format!("TN:\nSF:{}\n", plain(&file.source.name));
    let mut lines = file.lines();
    // LCOV 2 gives each line to the function above it. Those of a macro's definition are no function's.
    if file.functions.iter().all(|row| row.end > 0) && !file.functions.is_empty() {
        lines.retain(|line, _| {
            file.functions
                .iter()
                .any(|row| (row.line..=row.end).contains(line))
        });
    }
    // LCOV 2.3 refuses a line that ran with conditions that did not: llvm-cov counts what comes before them (the end of a loop's
    // body, for its `while`).
    for (line, conditions) in &file.branches {
        if conditions.iter().flatten().all(|branch| branch.times == 0) {
            lines.entry(*line).and_modify(|times| *times = 0);
        }
    }
    functions(&mut text, file);
    let (mut found, mut hit) = (0, 0);
    for (line, conditions) in &file.branches {
        for (block, outcomes) in conditions.iter().enumerate() {
            let evaluated = outcomes.iter().any(|branch| branch.times > 0);
            for (number, branch) in outcomes.iter().enumerate() {
                found += 1;
                hit += usize::from(branch.is_covered());
                let taken = match evaluated {
                    true => branch.times.to_string(),
                    false => "-".to_owned(),
                };
                let _ = writeln!(text, "BRDA:{line},{block},{number},{taken}");
            }
        }
    }
    let _ = writeln!(text, "BRF:{found}\nBRH:{hit}");
    conditions(&mut text, file);
    for (line, times) in &lines {
        let _ = writeln!(text, "DA:{line},{times}");
    }
    let covered = lines.values().filter(|times| **times > 0).count();
    let _ = writeln!(text, "LF:{}\nLH:{covered}\nend_of_record", lines.len());
    text
}

fn functions(text: &mut String, file: &File<'_>) {
    for row in &file.functions {
        let _ = writeln!(text, "FN:{},{}", row.line, plain(&row.name));
    }
    let mut hit = 0;
    for row in &file.functions {
        let times = file.source.lines.iter().find(|(line, _)| *line == row.line);
        let times = match (row.entries.covered, times) {
            (0, _) if row.entries.total > 0 => 0,
            (_, Some((_, times))) => *times,
            (covered, None) => u64::from(covered > 0),
        };
        hit += usize::from(times > 0);
        let _ = writeln!(text, "FNDA:{times},{}", plain(&row.name));
    }
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", file.functions.len());
}

/// LCOV knows a decision by its line and its number of conditions. Of several that have both (a macro that is expanded more than
/// once), one group stands for all: a condition is taken if it is in each.
fn conditions(text: &mut String, file: &File<'_>) {
    let mut groups: BTreeMap<(u32, usize), Vec<(String, bool)>> = BTreeMap::new();
    for decision in &file.decisions {
        let own = decision
            .conditions
            .iter()
            .filter(|condition| condition.status != "folded");
        let own: Vec<_> = own.collect();
        let group = groups.entry((decision.line, own.len())).or_default();
        let is_first = group.is_empty();
        for (index, condition) in own.iter().enumerate() {
            let is_taken = condition.status == "covered";
            match is_first {
                true => group.push((format!("{}:{}", condition.line, condition.col), is_taken)),
                false => group[index].1 &= is_taken,
            }
        }
    }
    let (mut found, mut hit) = (0, 0);
    for ((line, size), group) in &groups {
        for (index, (at, is_taken)) in group.iter().enumerate() {
            let taken = u8::from(*is_taken);
            for sense in ["t", "f"] {
                found += 1;
                hit += usize::from(taken);
                let _ = writeln!(text, "MCDC:{line},{size},{sense},{taken},{index},{at}");
            }
        }
    }
    if found > 0 {
        let _ = writeln!(text, "MCF:{found}\nMCH:{hit}");
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn records_of_a_file() {
        expect![[r#"
            TN:
            SF:src/list.c
            FN:12,insert
            FN:4,is_empty
            FN:40,main
            FNDA:5,insert
            FNDA:1,is_empty
            FNDA:1,main
            FNF:3
            FNH:3
            BRDA:14,0,0,0
            BRDA:14,0,1,3
            BRDA:18,0,0,-
            BRDA:22,0,0,-
            BRDA:31,0,0,-
            BRF:5
            BRH:1
            MCDC:14,2,t,1,0,14:7
            MCDC:14,2,f,1,0,14:7
            MCDC:14,2,t,0,1,14:15
            MCDC:14,2,f,0,1,14:15
            MCF:4
            MCH:2
            DA:12,5
            DA:13,5
            DA:14,5
            DA:18,0
            DA:22,0
            DA:31,0
            LF:6
            LH:3
            end_of_record
        "#]]
        .assert_eq(&Lcov.render(&sample::report()));
    }

    /// LCOV 2.3 refuses a line that ran in a function that did not: it takes the line of a macro behind it for one of its own.
    #[test]
    fn lines_outside_of_functions_are_left_out() {
        let mut report = sample::report();
        for row in &mut report.functions {
            row.end = if row.name == "is_empty" { 12 } else { 25 };
        }
        let text = Lcov.render(&report);
        assert!(
            text.contains("\nDA:22,0\n") && !text.contains("\nDA:31,"),
            "{text}"
        );
        assert!(text.contains("\nLF:5\n"), "{text}");
    }

    /// LCOV 2.3 refuses a group whose conditions change their names.
    #[test]
    fn decisions_of_one_line_and_size_are_one_group() {
        let mut report = sample::report();
        let mut other = report.decisions[0].clone();
        other.conditions[1].line = 99;
        other.conditions[0].status = "open".into();
        report.decisions.push(other);
        let text = Lcov.render(&report);
        let records: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("MCDC:"))
            .collect();
        let wanted = [
            "MCDC:14,2,t,0,0,14:7",
            "MCDC:14,2,f,0,0,14:7",
            "MCDC:14,2,t,0,1,14:15",
            "MCDC:14,2,f,0,1,14:15",
        ];
        assert_eq!(records, wanted);
    }

    #[test]
    fn a_name_cannot_add_records() {
        let mut report = sample::report();
        report.sources[0].name = "a\nend_of_record\nSF:b".to_owned();
        assert_eq!(Lcov.render(&report).matches("\nSF:").count(), 1);
    }
}
