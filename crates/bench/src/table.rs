//! Tables in Markdown, as in the papers.
//!
//! Must hold: an average is told with how many runs it is of, when that is not all of them; nothing is rounded up to
//! all branches.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::of;
use crate::record::Record;
use crate::stats::{compare, mean};
use crate::suite::Suite;

/// Everything about an experiment. `failed`: subjects that could not be built and runs that failed, with the reason.
#[must_use]
pub fn markdown(suite: &Suite, records: &[Record], failed: &[(String, String)]) -> String {
    let mut text = format!("# {}\n", suite.name);
    let seeds = suite.seeds().len();
    let budget = match (suite.iterations, &suite.time) {
        (Some(iterations), Some(time)) => format!("{iterations} iterations or {time}"),
        (Some(iterations), None) => format!("{iterations} iterations"),
        (None, Some(time)) => time.clone(),
        (None, None) => String::new(),
    };
    let _ = writeln!(text, "\n{seeds} seeds, {budget} for each run.");
    if !failed.is_empty() {
        text += "\n## What failed\n\nNothing of this is in the tables.\n\n";
        for (what, why) in failed {
            let _ = writeln!(text, "- {what}: {}", why.trim().replace('\n', "\n  "));
        }
    }
    text += &coverage(suite, records);
    text += &totals(suite, records);
    text += &significance(suite, records);
    text += &targets(suite, records);
    text += &differences(suite, records);
    text += &cost(suite, records);
    text
}

/// Subjects that have records, with their branches.
fn subjects<'a>(suite: &'a Suite, records: &'a [Record]) -> Vec<(&'a str, u32)> {
    let total = |name: &str| records.iter().find(|record| record.subject == name);
    let subjects = suite.subjects.iter().map(|subject| subject.name.as_str());
    subjects
        .filter_map(|name| Some((name, total(name)?.total)))
        .collect()
}

fn values(records: &[Record], subject: &str, strategy: &str, at: u64) -> Vec<f64> {
    let mut runs: Vec<&Record> = of(records, subject, strategy).collect();
    runs.sort_by_key(|record| record.seed);
    runs.iter()
        .map(|run| f64::from(run.covered_at(at)))
        .collect()
}

/// With one decimal, downwards; and of how many runs, if not of all.
fn average(values: &[f64], wanted: usize) -> String {
    if values.is_empty() {
        return "–".to_owned();
    }
    let down = (mean(values) * 10.0 + 1e-9).floor() / 10.0;
    if values.len() == wanted {
        format!("{down:.1}")
    } else {
        format!("{down:.1} (of {})", values.len())
    }
}

fn header(text: &mut String, first: &[&str], rest: &[String]) {
    let names = first.iter().map(|name| (*name).to_owned());
    let columns: Vec<String> = names.chain(rest.iter().cloned()).collect();
    let _ = writeln!(text, "\n| {} |", columns.join(" | "));
    let lines = (0..columns.len()).map(|column| if column < first.len() { "---" } else { "---:" });
    let _ = writeln!(text, "|{}|", lines.collect::<Vec<_>>().join("|"));
}

fn at_mark(mark: u64) -> String {
    if mark == u64::MAX {
        "at the end".to_owned()
    } else {
        format!("at {mark}")
    }
}

fn coverage(suite: &Suite, records: &[Record]) -> String {
    let mut text =
        "\n## Branches covered\n\nThe average over the seeds; the best of each mark is bold.\n"
            .to_owned();
    let marks = suite.marks();
    header(
        &mut text,
        &["subject", "strategy"],
        &marks.iter().map(|&mark| at_mark(mark)).collect::<Vec<_>>(),
    );
    for (subject, total) in subjects(suite, records) {
        let best: Vec<f64> = marks
            .iter()
            .map(|&mark| {
                let means = suite
                    .strategies
                    .iter()
                    .map(|strategy| mean(&values(records, subject, strategy, mark)));
                means.fold(0.0, f64::max)
            })
            .collect();
        for (index, strategy) in suite.strategies.iter().enumerate() {
            let name = if index == 0 {
                format!("{subject} ({total})")
            } else {
                String::new()
            };
            let cells = marks.iter().zip(&best).map(|(&mark, &best)| {
                let values = values(records, subject, strategy, mark);
                let shown = average(&values, suite.seeds().len());
                if !values.is_empty() && mean(&values) >= best {
                    format!("**{shown}**")
                } else {
                    shown
                }
            });
            let _ = writeln!(
                text,
                "| {name} | {strategy} | {} |",
                cells.collect::<Vec<_>>().join(" | ")
            );
        }
    }
    text
}

fn totals(suite: &Suite, records: &[Record]) -> String {
    let mut text = "\n## All subjects\n\nSum of the averages, and on how many subjects no other strategy covers more.\n".to_owned();
    let end = suite.marks().last().copied().unwrap_or(u64::MAX);
    header(
        &mut text,
        &["strategy"],
        &["branches".to_owned(), "best on".to_owned()],
    );
    let subjects = subjects(suite, records);
    let at_end = |subject: &str, strategy: &str| mean(&values(records, subject, strategy, end));
    for strategy in &suite.strategies {
        let sum: f64 = subjects
            .iter()
            .map(|(subject, _)| at_end(subject, strategy))
            .sum();
        let best = subjects.iter().filter(|(subject, _)| {
            let own = at_end(subject, strategy);
            suite
                .strategies
                .iter()
                .all(|other| at_end(subject, other) <= own)
        });
        let _ = writeln!(text, "| {strategy} | {sum:.1} | {} |", best.count());
    }
    text
}

fn significance(suite: &Suite, records: &[Record]) -> String {
    let Some((first, others)) = suite.strategies.split_first() else {
        return String::new();
    };
    if others.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n## `{first}` against the others\n\nMann–Whitney U, two-sided p, and the effect A12: the chance that a run \
         of `{first}` covers more (0.5: none).\n"
    );
    let end = suite.marks().last().copied().unwrap_or(u64::MAX);
    header(
        &mut text,
        &["subject", "against"],
        &["p".to_owned(), "A12".to_owned(), "effect".to_owned()],
    );
    for (subject, _) in subjects(suite, records) {
        for (index, other) in others.iter().enumerate() {
            let name = if index == 0 { subject } else { "" };
            let found = compare(
                &values(records, subject, first, end),
                &values(records, subject, other, end),
            );
            let Some(found) = found else { continue };
            let _ = writeln!(
                text,
                "| {name} | {other} | {:.4} | {:.2} | {} |",
                found.p,
                found.effect,
                found.size()
            );
        }
    }
    text
}

fn targets(suite: &Suite, records: &[Record]) -> String {
    let mut text = "\n## Iterations to a target\n\nThe target is the lowest average at the end; iterations on the average, over the runs \
                    that reached it.\n"
        .to_owned();
    let end = suite.marks().last().copied().unwrap_or(u64::MAX);
    header(&mut text, &["subject", "target"], &suite.strategies);
    for (subject, _) in subjects(suite, records) {
        let means = suite
            .strategies
            .iter()
            .map(|strategy| values(records, subject, strategy, end));
        let lowest = means
            .filter(|values| !values.is_empty())
            .map(|values| mean(&values))
            .fold(f64::MAX, f64::min);
        let target = lowest.floor() as u32;
        let cells = suite.strategies.iter().map(|strategy| {
            let runs: Vec<&Record> = of(records, subject, strategy).collect();
            let reached: Vec<f64> = runs
                .iter()
                .filter_map(|run| run.reached(target))
                .map(|at| at as f64)
                .collect();
            match (reached.len(), runs.len()) {
                (_, 0) | (0, _) => "–".to_owned(),
                (all, runs) if all == runs => format!("{:.0}", mean(&reached)),
                (some, runs) => format!("{:.0} ({some} of {runs})", mean(&reached)),
            }
        });
        let _ = writeln!(
            text,
            "| {subject} | {target} | {} |",
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
    text
}

fn differences(suite: &Suite, records: &[Record]) -> String {
    let mut text = "\n## Who covers what\n\nBranches that some run of the row's strategy covers and no run of the column's.\n".to_owned();
    for (subject, _) in subjects(suite, records) {
        let strategies = suite.strategies.iter();
        let open: Vec<Option<BTreeSet<&str>>> = strategies
            .map(|strategy| open_in_all(records, subject, strategy))
            .collect();
        if open
            .iter()
            .flatten()
            .all(|set| Some(set) == open[0].as_ref())
        {
            let _ = writeln!(text, "\n{subject}: all strategies cover the same branches.");
            continue;
        }
        header(&mut text, &[subject], &suite.strategies);
        for (strategy, row) in suite.strategies.iter().zip(&open) {
            let cells = open.iter().map(|column| match (row, column) {
                (Some(row), Some(column)) => column.difference(row).count().to_string(),
                _ => "–".to_owned(),
            });
            let _ = writeln!(
                text,
                "| {strategy} | {} |",
                cells.collect::<Vec<_>>().join(" | ")
            );
        }
    }
    text
}

/// What no run of a strategy covers.
fn open_in_all<'a>(
    records: &'a [Record],
    subject: &'a str,
    strategy: &'a str,
) -> Option<BTreeSet<&'a str>> {
    let runs = of(records, subject, strategy);
    runs.map(|run| run.open.iter().map(String::as_str).collect::<BTreeSet<_>>())
        .reduce(|a, b| a.intersection(&b).copied().collect())
}

fn cost(suite: &Suite, records: &[Record]) -> String {
    let mut text = "\n## Cost\n\nAverages over all runs on all subjects.\n".to_owned();
    let columns = [
        "iterations",
        "seconds",
        "iterations/s",
        "µs a pick",
        "MiB at most",
    ];
    header(&mut text, &["strategy"], &columns.map(str::to_owned));
    for strategy in &suite.strategies {
        let runs: Vec<&Record> = records
            .iter()
            .filter(|record| record.strategy == *strategy)
            .collect();
        let Some(memory) = runs.iter().map(|run| run.memory).max() else {
            continue;
        };
        let average = |value: fn(&Record) -> f64| {
            mean(&runs.iter().map(|run| value(run)).collect::<Vec<_>>())
        };
        let (iterations, seconds) = (
            average(|run| run.iterations as f64),
            average(|run| run.seconds),
        );
        let picking = average(|run| run.picking);
        let _ = writeln!(
            text,
            "| {strategy} | {iterations:.0} | {seconds:.2} | {:.0} | {:.0} | {} |",
            iterations / seconds.max(0.001),
            picking / iterations.max(1.0) * 1e6,
            memory >> 20
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::record::tests::record;

    #[test]
    fn a_small_experiment() {
        let suite = Suite::parse(
            "name = 'small'\nstrategies = ['mix', 'cgs']\nseeds = 2\niterations = 1000\nmarks = [100, 1000]\n\
             [[subject]]\nname = 'a'\nsources = ['a.c']\n[[subject]]\nname = 'b'\nsources = ['b.c']\n",
        )
        .expect("it is right");
        let records = [
            record("a", "mix", 1, &[(1, 4), (90, 9)]),
            record("a", "mix", 0, &[(1, 4), (900, 12)]),
            record("a", "cgs", 0, &[(1, 4), (50, 8)]),
        ];
        let failed = [("b".to_owned(), "clang: no such file".to_owned())];
        let text = markdown(&suite, &records, &failed);
        expect![[r#"
            # small

            2 seeds, 1000 iterations for each run.

            ## What failed

            Nothing of this is in the tables.

            - b: clang: no such file

            ## Branches covered

            The average over the seeds; the best of each mark is bold.

            | subject | strategy | at 100 | at 1000 |
            |---|---|---:|---:|
            | a (20) | mix | 6.5 | **10.5** |
            |  | cgs | **8.0 (of 1)** | 8.0 (of 1) |

            ## All subjects

            Sum of the averages, and on how many subjects no other strategy covers more.

            | strategy | branches | best on |
            |---|---:|---:|
            | mix | 10.5 | 1 |
            | cgs | 8.0 | 0 |

            ## `mix` against the others

            Mann–Whitney U, two-sided p, and the effect A12: the chance that a run of `mix` covers more (0.5: none).

            | subject | against | p | A12 | effect |
            |---|---|---:|---:|---:|
            | a | cgs | 0.5403 | 1.00 | large |

            ## Iterations to a target

            The target is the lowest average at the end; iterations on the average, over the runs that reached it.

            | subject | target | mix | cgs |
            |---|---|---:|---:|
            | a | 8 | 495 | 50 |

            ## Who covers what

            Branches that some run of the row's strategy covers and no run of the column's.

            | a | mix | cgs |
            |---|---:|---:|
            | mix | 0 | 4 |
            | cgs | 0 | 0 |

            ## Cost

            Averages over all runs on all subjects.

            | strategy | iterations | seconds | iterations/s | µs a pick | MiB at most |
            |---|---:|---:|---:|---:|---:|
            | mix | 1000 | 1.50 | 667 | 250 | 1 |
            | cgs | 1000 | 1.50 | 667 | 250 | 1 |
        "#]].assert_eq(&text);
        let mut turned = records.to_vec();
        turned.reverse();
        assert_eq!(markdown(&suite, &turned, &failed), text);
    }
}
