//! Decisions in the report of the criterion `mcdc`: conditions, executed vectors with the tests that show them, the pair that was
//! found for each condition, and what is missing for the others.
//!
//! Must hold: a pair names two vectors of its table, and each vector a test of the suite that shows it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use coverage::{DecisionId, Evidence, GoalId, GoalKind, GoalSet, Goals, Vector};
use program::Program;
use serde::{Deserialize, Serialize};

use crate::names::{file_name, function_name};

/// What the tests of a suite show: number of the test, and its vectors.
pub type Shown<'a> = [(u32, &'a [(DecisionId, Vector)])];

/// One decision with several conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub col: u32,
    pub end_line: u32,
    pub end_col: u32,
    /// Who says that it is a decision: `clang`, or `shape`, the control flow.
    pub origin: Cow<'static, str>,
    /// Why its evaluations are not followed; empty when they are.
    pub problem: String,
    /// In the order of evaluation.
    pub conditions: Vec<ConditionRow>,
    /// Executed, in the order of their letters.
    pub vectors: Vec<VectorRow>,
}

/// One of its conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConditionRow {
    pub line: u32,
    pub col: u32,
    /// `covered`, `infeasible`, `open`, or `folded`: a constant has no pair.
    pub status: Cow<'static, str>,
    /// The pair that shows its effect: indices into the vectors.
    pub pair: Option<[usize; 2]>,
    /// What is missing for a pair, or why there can be none; empty when there is one.
    pub missing: String,
}

/// One vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorRow {
    /// `T`, `F`, `-` for each condition.
    pub values: String,
    pub outcome: bool,
    /// Numbers of the tests that show it.
    pub tests: Vec<u32>,
}

/// The decisions of a program that have goals. `why` says why a goal is infeasible.
#[must_use]
pub fn rows(
    program: &Program,
    goals: &Goals,
    (covered, infeasible): (&GoalSet, &GoalSet),
    shown: &Shown<'_>,
    why: &dyn Fn(GoalId) -> String,
) -> Vec<DecisionRow> {
    let mut rows = Vec::new();
    for (id, decision) in goals.decisions().iter() {
        let own: BTreeMap<u32, GoalId> = goals
            .of_record(decision.record)
            .filter(|goal| {
                let known = goals.get(*goal);
                match known.evidence {
                    _ if known.kind != GoalKind::Independent => false,
                    Evidence::Pair { decision, .. } => decision == id,
                    Evidence::Nothing => decision
                        .conditions
                        .iter()
                        .any(|condition| condition.region == known.region),
                    _ => false,
                }
            })
            .map(|goal| (goals.get(goal).region, goal))
            .collect();
        if own.is_empty() {
            continue;
        }
        let mut vectors: BTreeMap<Vector, Vec<u32>> = BTreeMap::new();
        for (test, list) in shown {
            for (_, vector) in list.iter().filter(|(decision, _)| *decision == id) {
                vectors.entry(*vector).or_default().push(*test);
            }
        }
        let mut vectors: Vec<(Vector, Vec<u32>)> = vectors.into_iter().collect();
        let count = decision.conditions.len();
        vectors.sort_by_key(|(vector, _)| vector.letters(count));
        let condition = |number: u16| {
            let region = decision.conditions[usize::from(number)].region;
            let status = match own.get(&region) {
                None => "folded",
                Some(goal) if covered.contains(*goal) => "covered",
                Some(goal) if infeasible.contains(*goal) => "infeasible",
                Some(_) => "open",
            };
            let mut row = condition_row(program, goals, (id, number), status, &vectors);
            if let Some(goal) = own.get(&region).filter(|_| status == "infeasible") {
                row.missing = why(*goal);
            }
            row
        };
        rows.push(DecisionRow {
            function: function_name(program, decision.record),
            file: file_of(program, decision.record, decision.file),
            line: decision.range.line,
            col: decision.range.col,
            end_line: decision.range.end_line,
            end_col: decision.range.end_col,
            origin: decision.origin.name().into(),
            problem: decision
                .problem
                .map_or_else(String::new, |problem| problem.to_string()),
            conditions: (0..count as u16).map(condition).collect(),
            vectors: vectors
                .iter()
                .map(|(vector, tests)| VectorRow {
                    values: vector.letters(count),
                    outcome: vector.outcome,
                    tests: tests.clone(),
                })
                .collect(),
        });
    }
    rows.sort_by(|a, b| (&a.file, a.line, a.col).cmp(&(&b.file, b.line, b.col)));
    rows
}

fn file_of(program: &Program, record: u32, local: u32) -> String {
    let files = &program.coverage[record as usize].files;
    files
        .get(local as usize)
        .map_or_else(String::new, |file| file_name(program, *file))
}

fn condition_row(
    program: &Program,
    goals: &Goals,
    (id, number): (DecisionId, u16),
    status: &'static str,
    vectors: &[(Vector, Vec<u32>)],
) -> ConditionRow {
    let decision = goals.decisions().get(id);
    let region = decision.conditions[usize::from(number)].region;
    let range = program.coverage[decision.record as usize].regions[region as usize].range;
    let pair = pair(goals, (id, number), vectors);
    let missing = match (pair, status) {
        (Some(_), _) | (_, "folded") => String::new(),
        _ if decision.problem.is_some() => String::new(),
        _ => missing(goals, (id, number), vectors),
    };
    ConditionRow {
        line: range.line,
        col: range.col,
        status: status.into(),
        pair,
        missing,
    }
}

/// The pair whose later test comes first.
fn pair(
    goals: &Goals,
    (id, condition): (DecisionId, u16),
    vectors: &[(Vector, Vec<u32>)],
) -> Option<[usize; 2]> {
    let all = (0..vectors.len()).flat_map(|a| (a + 1..vectors.len()).map(move |b| [a, b]));
    let first = |at: usize| vectors[at].1.first().copied().unwrap_or(u32::MAX);
    all.filter(|[a, b]| goals.is_pair(id, condition, (&vectors[*a].0, &vectors[*b].0)))
        .min_by_key(|[a, b]| (first(*a).max(first(*b)), *a, *b))
}

/// What would make a pair with a vector that was executed.
fn missing(
    goals: &Goals,
    (id, condition): (DecisionId, u16),
    vectors: &[(Vector, Vec<u32>)],
) -> String {
    let decision = goals.decisions().get(id);
    let count = decision.conditions.len();
    let written = |vector: &Vector| {
        let outcome = coverage::vector::letter(vector.outcome);
        format!("{} = {outcome}", vector.letters(count))
    };
    let evaluated = vectors
        .iter()
        .any(|(vector, _)| vector.value(condition).is_some());
    if !evaluated {
        return "no test evaluates it".to_owned();
    }
    let Some(possible) = decision.evaluations() else {
        return "no two of the vectors are a pair for it".to_owned();
    };
    let wanted = |(vector, _): &(Vector, Vec<u32>)| {
        possible
            .iter()
            .find(|other| goals.is_pair(id, condition, (vector, other)))
            .map(|other| (*other, *vector))
    };
    match vectors.iter().find_map(wanted) {
        Some((wanted, known)) => format!(
            "a test with {} would be a pair with {}",
            written(&wanted),
            written(&known)
        ),
        None => "no vector that short circuits allow is a pair with one of these".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;
    use coverage::criterion::mcdc;
    use coverage::sample;

    fn check(shown: &[(u32, &[(&str, bool)])], expected: Expect) {
        let (program, _) = sample::decisions();
        let goals = Goals::new(&program, &mcdc::UNIQUE_CAUSE);
        let vector = |(letters, outcome): &(&str, bool)| {
            let mut vector = Vector {
                outcome: *outcome,
                ..Vector::default()
            };
            for (condition, letter) in (0..).zip(letters.chars()).filter(|(_, it)| *it != '-') {
                vector.set(condition, letter == 'T');
            }
            (DecisionId::from_u32(0), vector)
        };
        let lists: Vec<(u32, Vec<_>)> = shown
            .iter()
            .map(|(test, list)| (*test, list.iter().map(vector).collect()))
            .collect();
        let shown: Vec<_> = lists
            .iter()
            .map(|(test, list)| (*test, list.as_slice()))
            .collect();
        let none = GoalSet::new(&goals);
        let mut text = String::new();
        for row in rows(&program, &goals, (&none, &none), &shown, &|_| String::new()) {
            let _ = writeln!(text, "{}:{} {}", row.line, row.col, row.origin);
            for vector in &row.vectors {
                let VectorRow {
                    values,
                    outcome,
                    tests,
                } = vector;
                let _ = writeln!(text, "  {values} {outcome} {tests:?}");
            }
            for condition in &row.conditions {
                let ConditionRow { pair, missing, .. } = condition;
                let _ = writeln!(text, "  {}: {pair:?} {missing}", condition.line);
            }
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn tables_say_what_is_missing() {
        check(
            &[],
            expect![[r#"
            3:1 clang
              3: None no test evaluates it
              4: None no test evaluates it
        "#]],
        );
        check(
            &[(1, &[("F-", false)])],
            expect![[r#"
            3:1 clang
              F- false [1]
              3: None a test with TT = T would be a pair with F- = F
              4: None no test evaluates it
        "#]],
        );
        check(
            &[(1, &[("F-", false), ("TF", false)])],
            expect![[r#"
            3:1 clang
              F- false [1]
              TF false [1]
              3: None a test with TT = T would be a pair with F- = F
              4: None a test with TT = T would be a pair with TF = F
        "#]],
        );
        check(
            &[
                (1, &[("F-", false)]),
                (2, &[("TT", true)]),
                (4, &[("TF", false), ("TT", true)]),
            ],
            expect![[r#"
                3:1 clang
                  F- false [1]
                  TF false [4]
                  TT true [2, 4]
                  3: Some([0, 2]) 
                  4: Some([1, 2]) 
            "#]],
        );
    }
}
