//! Targets as typed, on a small program.

use super::*;
use crate::sample;

/// The sources of `sample::decisions`: code in lines 1 and 5, conditions in lines 2 to 4 and 6.
const TEXT: &str = "main() {\nif (a)\nif (b &&\nc)\nx();\ncase 1:\n\n}\n";

/// Goals, places and what is wrong, for each target.
fn check(targets: &[(&str, &str)]) {
    let (program, _) = sample::decisions();
    let read = |_: &str| Some(TEXT.to_owned());
    let resolver = Resolver::new(&program, &read);
    for (text, expected) in targets {
        let spec = Spec::parse(text).expect("a target");
        let said = match resolver.resolve(&[spec]) {
            Ok((goals, targets)) => {
                let target = &targets[0];
                let goal = |goal: &crate::GoalId| {
                    let place = goals.place(*goal).range;
                    format!("{}:{} {}", place.line, place.col, goals.get(*goal).kind)
                };
                let goals: Vec<String> = target.goals.iter().map(goal).collect();
                let places = target.places.iter().map(|place| match place {
                    Place::Entry(function) => function.to_string(),
                    Place::Block { block, .. } => block.to_string(),
                    Place::Inst { inst, .. } => inst.to_string(),
                    Place::Edge(edge) => edge.to_string(),
                });
                let places: Vec<String> = places.collect();
                format!("{} at {}", goals.join(", "), places.join(", "))
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(said, *expected, "{text}");
    }
}

#[test]
fn targets_have_goals_and_places() {
    check(&[
        ("a.c:1", "1:1 reached at fn0"),
        ("a.c:5", "5:1 reached at block4"),
        ("./a.c:5", "5:1 reached at block4"),
        ("../parser/a.c:5", "5:1 reached at block4"),
        ("/home/user/parser/x/../a.c:5", "5:1 reached at block4"),
        ("a.c:2:1:true", "2:1 true at edge1"),
        ("a.c:2:1:false", "2:1 false at edge0"),
        ("branch:a.c:2:true", "2:1 true at edge1"),
        ("branch:a.c:3:true", "3:1 decision true at edge5"),
        ("branch:a.c:3:false", "3:1 decision false at edge2, edge4"),
        ("function:main", "1:1 reached at fn0"),
        ("assert", " at "),
    ]);
}

#[test]
fn what_does_not_fit_the_program_is_said() {
    check(&[
        (
            "a.c:7",
            "there is no code in line 7 of a.c; the nearest line that has: 5",
        ),
        ("a.c:12", "a.c has 8 lines, no line 12"),
        (
            "b.c:1",
            "the program has no source file `b.c`; its files: a.c",
        ),
        (
            "a.c:2:4:true",
            "no condition starts in line 2, column 4 of a.c; in that line they start in columns 1",
        ),
        (
            "branch:a.c:5:true",
            "no decision starts in line 5 of a.c; the nearest lines that have: 4, 6",
        ),
        ("function:mian", "the program has no function `mian`"),
        ("call:main", " at "),
    ]);
}

#[test]
fn one_goal_of_a_target_is_enough() {
    let (program, edges) = sample::decisions();
    let read = |_: &str| None;
    let resolver = Resolver::new(&program, &read);
    let specs = ["branch:a.c:3:false", "a.c:2:1:true"];
    let specs = specs.map(|text| Spec::parse(text).expect("a target"));
    let (goals, targets) = resolver.resolve(&specs).expect("they fit");
    assert_eq!(targets.len(), 2);
    let mut ledger = crate::Ledger::new(&goals);
    let mut counter = crate::HitCounter::of(&program, &goals);
    let main = program.function_named("main").expect("main");
    let mut run = |taken: &[program::EdgeId], ledger: &mut crate::Ledger| {
        counter.enter(main);
        taken.iter().for_each(|edge| counter.edge(*edge));
        counter.leave(main);
        ledger.record(&goals, &counter.take(), 0);
    };
    run(&[edges[0][0], edges[1][0]], &mut ledger);
    assert!(!ledger.settles_alternatives(&goals));
    run(&[edges[0][1], edges[1][0]], &mut ledger);
    assert!(ledger.settles_alternatives(&goals));
}
