//! Branches of each source by line, as coverage formats count them.
//!
//! Must hold: the outcomes of one condition are together, the false one last; goals that are no outcome of a condition or
//! decision are no branches.

use std::collections::BTreeMap;

use crate::annex::SourceFile;
use crate::document::{FunctionRow, GoalRow, Known, Report};
use crate::table::DecisionRow;

/// A source, and what is counted in it.
pub struct File<'a> {
    pub source: &'a SourceFile,
    pub functions: Vec<&'a FunctionRow>,
    pub decisions: Vec<&'a DecisionRow>,
    /// For each line its conditions with their outcomes.
    pub branches: BTreeMap<u32, Vec<Vec<Branch>>>,
}

/// An outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub known: Known,
    /// How often it was taken; if the judge does not count it, 1 for at least once.
    pub times: u64,
}

impl Branch {
    /// Is it covered?
    pub fn is_covered(self) -> bool {
        self.known == Known::Covered
    }
}

impl File<'_> {
    /// Outcomes on a line: covered, and all.
    pub fn on_line(&self, line: u32) -> (usize, usize) {
        let own = self.branches.get(&line).into_iter().flatten().flatten();
        let all: Vec<&Branch> = own.collect();
        (
            all.iter().filter(|branch| branch.is_covered()).count(),
            all.len(),
        )
    }

    /// Outcomes in the file: covered, and all.
    pub fn all_branches(&self) -> (usize, usize) {
        let lines = self.branches.keys().map(|line| self.on_line(*line));
        lines.fold((0, 0), |sum, (covered, all)| (sum.0 + covered, sum.1 + all))
    }

    /// Lines with code: covered, and all.
    pub fn all_lines(&self) -> (usize, usize) {
        let lines = &self.source.lines;
        (
            lines.iter().filter(|(_, times)| *times > 0).count(),
            lines.len(),
        )
    }

    /// Lines with code or branches: number and count.
    pub fn lines(&self) -> BTreeMap<u32, u64> {
        let mut lines: BTreeMap<u32, u64> = self.source.lines.iter().copied().collect();
        for (line, conditions) in &self.branches {
            let times = conditions.iter().flatten().map(|branch| branch.times);
            let most = times.max().unwrap_or(0);
            // llvm-cov's count of a line is that of what ends there; a condition that was evaluated ran.
            let own = lines.entry(*line).or_insert(most);
            if *own == 0 {
                *own = most;
            }
        }
        lines
    }
}

/// All sources, by name.
pub fn files(report: &Report) -> Vec<File<'_>> {
    let mut files: BTreeMap<&str, File<'_>> = BTreeMap::new();
    for source in &report.sources {
        let file = File {
            source,
            functions: report
                .functions
                .iter()
                .filter(|row| row.file == source.name)
                .collect(),
            decisions: report
                .decisions
                .iter()
                .filter(|row| row.file == source.name)
                .collect(),
            branches: BTreeMap::new(),
        };
        files.insert(&source.name, file);
    }
    type Key<'a> = (&'a str, u32, u32, u32, u32, u32, &'a str);
    let mut conditions: BTreeMap<Key<'_>, Vec<(bool, u32, Branch)>> = BTreeMap::new();
    for (known, row) in report.goals() {
        let Some(branch) = branch(known, row) else {
            continue;
        };
        let (at, label) = (&row.at, &row.label);
        let kind = label
            .side
            .trim_end_matches(['t', 'r', 'u', 'e', 'f', 'a', 'l', 's']);
        let key = (
            at.file.as_str(),
            at.line,
            at.col,
            at.end_col,
            label.line,
            label.col,
            kind,
        );
        let is_false = label.side.ends_with("false");
        let outcomes = conditions.entry(key).or_default();
        outcomes.push((is_false, row.goal.as_u32(), branch));
    }
    for ((name, line, ..), mut outcomes) in conditions {
        outcomes.sort_by_key(|(is_false, goal, _)| (*is_false, *goal));
        if let Some(file) = files.get_mut(name) {
            let own = outcomes.into_iter().map(|(.., branch)| branch).collect();
            file.branches.entry(line).or_default().push(own);
        }
    }
    files.into_values().collect()
}

fn branch(known: Known, row: &GoalRow) -> Option<Branch> {
    let is_outcome = row.label.side.ends_with("true") || row.label.side.ends_with("false");
    let times = match known {
        Known::Covered => row.times.unwrap_or(1).max(1),
        _ => 0,
    };
    is_outcome.then_some(Branch { known, times })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn outcomes_of_one_condition_are_together() {
        let report = sample::report();
        let files = files(&report);
        let [file] = files.as_slice() else {
            panic!("one file");
        };
        let shown: Vec<_> = file
            .branches
            .iter()
            .map(|(line, all)| (*line, all.iter().map(Vec::len).collect::<Vec<_>>()))
            .collect();
        assert_eq!(
            shown,
            [(14, vec![2]), (18, vec![1]), (22, vec![1]), (31, vec![1])]
        );
        assert_eq!((file.on_line(14), file.all_branches()), ((1, 2), (1, 5)));
        assert_eq!(file.branches[&14][0].map_times(), [0, 3]);
    }

    trait Times {
        fn map_times(&self) -> Vec<u64>;
    }

    impl Times for Vec<Branch> {
        fn map_times(&self) -> Vec<u64> {
            self.iter().map(|branch| branch.times).collect()
        }
    }
}
