//! Whole programs: what is refuted, why, in which words, and what it rests on.
//!
//! `dead.txt` and `alive.txt` are the models that `bothways test dead.c --criterion mcdc` and the same of `alive.c` write among their
//! certificates, with other folders. In `alive.c` all is possible but its last two conditions. `chain.txt` is of `chain.c` in the same way.

use std::fmt::Write;

use coverage::{Goals, criterion};
use expect_test::{ExpectFile, expect_file};
use proof::{Fact, Subject};

use crate::{Limits, Proofs, Why, prove};

const DEAD: &str = include_str!("dead.txt");
const ALIVE: &str = include_str!("alive.txt");
const CHAIN: &str = include_str!("chain.txt");

/// The proofs of a model.
fn proofs(
    text: &str,
    criterion: &str,
    foreign: bool,
    limits: Limits,
) -> (Subject, Goals, (Proofs, smt::Stats)) {
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
    (subject, goals, (found, solver.stats().clone()))
}

/// Everything that is said of a model.
fn said(text: &str, criterion: &str, foreign: bool) -> String {
    let (subject, goals, (found, questions)) = proofs(text, criterion, foreign, Limits::default());
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
        "invariant: {}, ordered: {}, cut: {}, questions: {}",
        found.invariant.is_some(),
        found.ordered,
        found.cut,
        questions.all().count()
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

/// What memory holds is known on the only way that leads to a decision.
#[test]
fn a_decision_knows_what_was_stored_in_front_of_it() {
    check(CHAIN, "mcdc", false, &expect_file!["chain-mcdc.expected"]);
}

/// What the value analysis knows is an invariant that the checker proves, but for what it says too much.
#[test]
fn what_values_are_is_proved() {
    let (subject, _, (found, _)) = proofs(DEAD, "mcdc", false, Limits::default());
    let invariant = found.invariant.expect("proofs rest on it");
    let calls = invariant.contexts.iter().flat_map(|own| &own.calls);
    let calls: Vec<usize> = calls.map(|call| call.to.len()).collect();
    assert!(!calls.is_empty() && !calls.contains(&0), "{calls:?}");
    let effort = || proof::Effort::questions(2000);
    let effects = proof::closed::Effects::new(&subject.program, false, None);
    let weaker = proof::induction::weaken(&effects, invariant, effort());
    let weaker = weaker.expect("a part of it holds");
    let proved = proof::induction::check(&effects, &weaker, effort());
    let facts = proved.expect("it holds").facts;
    let words = facts.iter().map(|fact| match fact {
        Fact::Edge { edge } => format!("edge{edge}"),
        Fact::Block { function, block } => format!("fn{function}:block{block}"),
    });
    let words: Vec<String> = words.collect();
    expect_test::expect!["edge5 fn0:block3 edge6 edge15 fn0:block14 edge17 fn0:block16 edge23 fn0:block22 edge27 fn0:block25 fn0:block26 fn1:block0 edge31 fn2:block2 edge37 fn3:block4 fn3:block5 fn3:block7 fn3:block8 fn3:block9 edge43 fn4:block2"].assert_eq(&words.join(" "));
}

/// Facts hold by themselves: a fresh checker derives each of them.
#[test]
fn facts_are_derived_anew() {
    for text in [DEAD, ALIVE] {
        let (subject, goals, (found, _)) = proofs(text, "mcdc", false, Limits::default());
        assert!(!found.facts.is_empty());
        for goal in found
            .all
            .iter()
            .filter(|proof| matches!(proof.why, Why::Dead(_)))
        {
            let effects = proof::Effects::new(&subject.program, &goals);
            let mut grounds = proof::Grounds::new(&subject.program, &found.facts, &effects);
            let enough = grounds.enough(&effects, goal.goal);
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
        let (_, _, (found, _)) = proofs(DEAD, "mcdc", false, limits);
        assert_eq!(found.cut, cut, "{limits:?}");
    }
    let (_, _, (found, _)) = proofs(DEAD, "mcdc", false, limits(0, 1 << 20));
    assert!(found.facts.is_empty(), "{:?}", found.facts);
}

/// A model of the C library is nobody's program: nothing is said of what it does inside.
#[test]
fn models_of_the_library_are_not_looked_into() {
    let head = |text: &str| {
        let mut lines = text.lines();
        let found = lines.find(|line| line.starts_with("fn") && line.contains("@twice("));
        found.expect("the function").to_owned()
    };
    let own = head(DEAD);
    let library = own.replace(" internal ", " internal library ");
    assert_ne!(own, library);
    let (_, _, (found, _)) = proofs(
        &DEAD.replace(&own, &library),
        "branch",
        false,
        Limits::default(),
    );
    let (_, _, (with, _)) = proofs(DEAD, "branch", false, Limits::default());
    assert!(found.facts.len() < with.facts.len());
    assert!(found.facts.iter().all(|fact| with.facts.contains(fact)));
}

/// `static void f(int a, int b) { if (a) exit(0); if (b) {} }`, which nobody calls: the end in the middle, where the second condition
/// is in flight, is not reached either. In `g` one side is dead, and code counts what is left of it.
const UNCALLED: &str = "// bothways model; code outside of it: no
layout 64 little file0 \"a.c\" extern0 @exit(i32) module0 \"a.c\" uid 0x1
fn0 @main(v0: i32) -> i32 counters {0} {
block0: count 0 v2: i32 = call @g(v0) ret i32 0
}
fn1 @f(v0: i1, v1: i1) internal counters {0} {
block0: count 0 br v0, block1, block2 [site0 in 2:7..2:8: edge0 false, edge1 true {1}]
block1: count 1 call @exit(i32 0) unreachable
block2: br v1, block3, block4 [site1 in 3:7..3:8: edge2 false, edge3 true {2}]
block3: count 2 br block4
block4: ret
}
fn2 @g(v0: i32) -> i32 internal counters {0} {
block0: count 0 v1 = icmp sgt v0, i32 5 br v1, block1, block2 [site2 in 12:7..12:8: edge4 false {2}, edge5 true {1}]
block1: count 1 v2 = icmp sgt v0, i32 3 br v2, block3, block4 [site3 in 13:7..13:8: edge6 false {3}, edge7 true {4}]
block2: count 2 ret v0
block3: count 4 ret v0
block4: count 3 ret v0
}
coverage fn1 \"f\" hash 1 counters 3 files {0} {
x0 = c0 - c1 x1 = c0 - c2
code c0 in 0 1:1..9:2 branch c1, x0 in 0 2:7..2:8 branch c2, x1 in 0 3:7..3:8
}
coverage fn2 \"g\" hash 1 counters 5 files {0} {
x0 = c0 - c1 x1 = x0 - c2
code c0 in 0 11:1..19:2 code x1 in 0 15:1..15:9 code c3 in 0 16:1..16:9
}";

#[test]
fn ends_of_what_is_never_called_are_not_reached() {
    let expected = expect_test::expect![[r#"
        2:7 true: invariant: nothing calls f
        2:7 false: invariant: nothing calls f
        3:7 true: invariant: nothing calls f
        3:7 false: invariant: nothing calls f
        1:1 entry: invariant: nothing calls f
        open: 1
        facts: edge6
        dead: edge0 edge1 edge2 edge3 edge6
        invariant: true, ordered: true, cut: false, questions: 10
    "#]];
    expected.assert_eq(&said(UNCALLED, "branch", false));
}

/// A count that is 0 because of no edge is behind none.
#[test]
fn a_count_without_an_edge_names_none() {
    let expected = expect_test::expect![[r#"
        1:1 reached: invariant: nothing calls f
        15:1 reached: contradiction: it lies behind conditions that cannot hold
        16:1 reached: contradiction: ? is never false where ? is true
        1:1 entry: invariant: nothing calls f
        open: 2
        facts: edge6
        dead: edge0 edge1 edge2 edge3 edge6
        invariant: true, ordered: true, cut: false, questions: 10
    "#]];
    expected.assert_eq(&said(UNCALLED, "statement", false));
}
