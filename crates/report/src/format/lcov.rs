//! `lcov`: a trace file with lines, functions, branches and, for `mcdc`, conditions.
//!
//! What `genhtml`, Codecov, Coveralls and editors read. An outcome that cannot be taken is one that was not taken: the format has no
//! third verdict. `MCDC` records are those of LCOV 2.2; version 1 skips them.
//!
//! Must hold: lines and counts are those of `llvm-cov`, but where LCOV 2.3 would refuse the file ([`Agreed`]).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::annex::FunctionCount;
use crate::branches::{File, files};
use crate::document::{FunctionRow, Report};
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
    let Agreed { lines, functions } = Agreed::of(file);
    for FunctionCount { line, name, .. } in &functions {
        let _ = writeln!(text, "FN:{line},{}", plain(name));
    }
    for FunctionCount { times, name, .. } in &functions {
        let _ = writeln!(text, "FNDA:{times},{}", plain(name));
    }
    let hit = functions.iter().filter(|function| function.times > 0);
    let hit = hit.count();
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", functions.len());
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

/// Counts of lines and functions in which LCOV 2.3 finds no contradiction. Its rules, and where `llvm-cov` breaks them:
///
/// - A line ran if and only if one of its conditions had an outcome. `llvm-cov` counts what ends on a line, so `} while (x);` ran
///   with the body that is before it, and a `case` did not run with the condition behind it: conditions win.
/// - A function ran if and only if one of its lines did. A function without an end has all lines up to the next one, and so those
///   of a macro that is defined behind it, which ran elsewhere: below a function that did not run they have 0.
struct Agreed {
    /// Line and count.
    lines: BTreeMap<u32, u64>,
    functions: Vec<FunctionCount>,
}

impl Agreed {
    fn of(file: &File<'_>) -> Agreed {
        let mut lines = file.lines();
        for (line, conditions) in &file.branches {
            if conditions.iter().flatten().all(|branch| branch.times == 0) {
                lines.insert(*line, 0);
            }
        }
        let mut functions = functions(file);
        // Those that begin on one line are one for LCOV.
        let mut entered: BTreeMap<u32, u64> = BTreeMap::new();
        for function in &functions {
            *entered.entry(function.line).or_default() += function.times;
        }
        for function in &mut functions {
            let next = entered.range(function.line + 1..).next();
            let own = function.line..next.map_or(u32::MAX, |(line, _)| *line);
            if entered[&function.line] == 0 {
                lines.range_mut(own).for_each(|(_, times)| *times = 0);
            } else if lines.range(own.clone()).all(|(_, times)| *times == 0)
                && lines.range(own).next().is_some()
            {
                function.times = 0;
            }
        }
        Agreed { lines, functions }
    }
}

/// The functions, by line; those with goals where there is no judge.
fn functions(file: &File<'_>) -> Vec<FunctionCount> {
    if !file.source.functions.is_empty() {
        return file.source.functions.clone();
    }
    let of_row = |row: &&FunctionRow| FunctionCount {
        name: row.name.clone(),
        line: row.line,
        times: row.entries.covered.into(),
    };
    file.functions.iter().map(of_row).collect()
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
            FN:4,is_empty
            FN:12,insert
            FN:40,main
            FNDA:1,is_empty
            FNDA:5,insert
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

    /// The records of the sample after a change, those of lines and functions.
    fn changed(change: impl FnOnce(&mut Report)) -> Vec<String> {
        let mut report = sample::report();
        change(&mut report);
        let text = Lcov.render(&report);
        let wanted = |line: &&str| line.starts_with("DA:") || line.starts_with("FNDA:");
        text.lines().filter(wanted).map(str::to_owned).collect()
    }

    /// LCOV 2.3 refuses a line that ran in a function that did not, and takes the line of a macro behind it for one of its own.
    #[test]
    fn below_a_function_that_did_not_run_nothing_ran() {
        let records = changed(|report| {
            let source = &mut report.sources[0];
            source.lines.push((35, 9));
            source.functions[1].times = 0;
        });
        let wanted = ["FNDA:1,is_empty", "FNDA:0,insert", "FNDA:1,main"];
        assert_eq!(records[..3], wanted);
        assert!(
            records[3..].iter().all(|record| record.ends_with(",0")),
            "{records:?}"
        );
        // One without goals, which ran, is a function as well.
        let records = changed(|report| {
            let source = &mut report.sources[0];
            source.lines.push((35, 9));
            source.functions[1].times = 0;
            let (name, line, times) = ("plain".to_owned(), 35, 9);
            source.functions.push(FunctionCount { name, line, times });
        });
        assert!(records.contains(&"DA:35,9".to_owned()), "{records:?}");
    }

    /// LCOV 2.3 refuses a function that ran without a line that ran.
    #[test]
    fn a_function_whose_lines_all_have_conditions_that_never_ended_did_not_run() {
        let records = changed(|report| report.sources[0].lines = vec![(22, 1)]);
        assert!(
            records.contains(&"FNDA:5,insert".to_owned()),
            "line 14: {records:?}"
        );
        let records = changed(|report| {
            report.sources[0].lines = vec![(22, 1)];
            report.covered.clear();
        });
        assert!(records.contains(&"FNDA:0,insert".to_owned()), "{records:?}");
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
