//! Whole programs: what is refuted, why, in which words, and what it rests on.
//!
//! `dead.txt` and `alive.txt` are the models that `bothways test dead.c --criterion mcdc` and the same of `alive.c` write among their
//! certificates, with other folders. In `alive.c` all is possible but its last two conditions.

use std::fmt::Write;

use coverage::{Goals, criterion};
use expect_test::{ExpectFile, expect_file};
use proof::{Fact, Subject};

use crate::{Limits, Proofs, Why, prove};

const DEAD: &str = include_str!("dead.txt");
const ALIVE: &str = include_str!("alive.txt");

/// The proofs of a model.
fn proofs(text: &str, criterion: &str, foreign: bool, limits: Limits) -> (Subject, Goals, Proofs) {
    let subject = Subject::parse(text).expect("a model");
    let criterion = criterion::by_name(criterion).expect("a criterion");
    let goals = Goals::new(&subject.program, criterion);
    let known = values::analyse(&subject.program, foreign, values::Limits::default());
    let backend = smt::backend::default().expect("Z3 is installed");
    let mut solver = smt::Solver::new(backend, smt::Config::default());
    let found = prove(
        &subject.program,
        &goals,
        foreign,
        &known,
        &mut solver,
        limits,
    );
    (subject, goals, found)
}

/// Everything that is said of a model.
fn said(text: &str, criterion: &str, foreign: bool) -> String {
    let (subject, goals, found) = proofs(text, criterion, foreign, Limits::default());
    let mut words = String::new();
    for proof in &found.all {
        let goal = goals.get(proof.goal);
        let place = goals.place(proof.goal).range;
        let name = proof.name().split(':').next().unwrap_or_default();
        let detail = proof.detail(&subject.program, &goals);
        let _ = writeln!(
            words,
            "{}:{} {}: {name}: {detail}",
            place.line, place.col, goal.kind
        );
        assert_eq!(found.of(proof.goal), Some(proof));
    }
    let refuted = |goal| found.of(goal).is_some();
    let open = goals.iter().filter(|(goal, _)| !refuted(*goal));
    let _ = writeln!(words, "open: {}", open.count());
    let facts = found.facts.iter().map(|fact| match fact {
        Fact::Edge { edge } => format!("edge{edge}"),
        Fact::Block { function, block } => format!("fn{function}:block{block}"),
    });
    let _ = writeln!(words, "facts: {}", facts.collect::<Vec<_>>().join(" "));
    let dead = found.dead.iter().map(ToString::to_string);
    let _ = writeln!(words, "dead: {}", dead.collect::<Vec<_>>().join(" "));
    let _ = writeln!(
        words,
        "invariant: {}, ordered: {}, cut: {}",
        found.invariant.is_some(),
        found.ordered,
        found.cut
    );
    words
}

fn check(text: &str, criterion: &str, foreign: bool, expected: &ExpectFile) {
    expected.assert_eq(&said(text, criterion, foreign));
}

#[test]
fn what_cannot_happen_is_refuted() {
    check(DEAD, "mcdc", false, &expect_file!["dead-mcdc.expected"]);
    check(DEAD, "branch", false, &expect_file!["dead-branch.expected"]);
    check(DEAD, "mcdc", true, &expect_file!["dead-foreign.expected"]);
}

#[test]
fn what_may_happen_is_open() {
    check(ALIVE, "mcdc", false, &expect_file!["alive-mcdc.expected"]);
    check(
        ALIVE,
        "condition",
        false,
        &expect_file!["alive-condition.expected"],
    );
}

/// Facts hold by themselves: a fresh checker derives each of them.
#[test]
fn facts_are_derived_anew() {
    for text in [DEAD, ALIVE] {
        let (subject, goals, found) = proofs(text, "mcdc", false, Limits::default());
        assert!(!found.facts.is_empty());
        for goal in found
            .all
            .iter()
            .filter(|proof| matches!(proof.why, Why::Dead(_)))
        {
            let effects = proof::Effects::new(&subject.program, &goals);
            let enough = proof::enough(&subject.program, &found.facts, &effects, goal.goal);
            assert!(enough.is_some(), "{goal:?}");
        }
    }
}

/// What is not looked at is open, and somebody is told.
#[test]
fn who_may_ask_nothing_says_that_it_was_cut() {
    let limits = |checks, terms| Limits { checks, terms };
    for (limits, cut) in [
        (limits(0, 1 << 20), true),
        (limits(1, 1 << 20), true),
        (limits(2000, 0), true),
        (limits(2000, 1 << 20), false),
    ] {
        let (_, _, found) = proofs(DEAD, "mcdc", false, limits);
        assert_eq!(found.cut, cut, "{limits:?}");
    }
    let (_, _, found) = proofs(DEAD, "mcdc", false, limits(0, 1 << 20));
    assert!(found.facts.len() < 8, "{:?}", found.facts);
}
