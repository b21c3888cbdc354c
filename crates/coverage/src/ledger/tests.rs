//! What runs cover, and what is open after them.

use super::*;
use program::EdgeId;

use crate::HitCounter;
use crate::criterion::branch::Branch;
use crate::sample::{Builder, Own, PairsOf, simple};

#[test]
fn the_first_test_that_covers_a_goal_is_kept() {
    let mut builder = Builder::new();
    let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let mut ledger = Ledger::new(&goals);
    let mut counter = HitCounter::new(&program);
    let mut run = |edges: &[program::EdgeId], test, ledger: &mut Ledger| {
        edges.iter().for_each(|edge| counter.edge(*edge));
        edges.iter().for_each(|_| counter.enter(main));
        ledger.record(&goals, &counter.take(), test)
    };
    let [is_true, is_false] = [0, 1].map(GoalId::from_u32);
    assert_eq!(run(&[yes], 7, &mut ledger), [is_true]);
    assert_eq!(run(&[yes, yes], 8, &mut ledger), []);
    assert_eq!(ledger.status(is_true), Status::Covered { test: Some(7) });
    assert!(ledger.status(is_false).is_open());
    assert_eq!(ledger.totals(&goals).to_string(), "1 of 2");

    ledger.mark_infeasible(is_false, Ground::Code);
    assert_eq!(
        (ledger.status(is_false), ledger.totals(&goals).open()),
        (Status::Infeasible(Ground::Code), 0)
    );
    assert_eq!(ledger.contradictions().count(), 0);
    assert_eq!(
        run(&[no, yes], 9, &mut ledger),
        [is_false],
        "a test beats a proof"
    );
    assert_eq!(ledger.status(is_false), Status::Covered { test: Some(9) });
    assert_eq!(ledger.contradictions().collect::<Vec<_>>(), [is_false]);
    assert_eq!(
        (
            ledger.totals(&goals).covered,
            ledger.totals(&goals).infeasible
        ),
        (2, 0)
    );
}

/// A run that ends in front of the branch leaves the difference for its false side; one that takes it comes later.
#[test]
fn what_is_only_counted_is_wanted_until_a_run_takes_it() {
    let mut builder = Builder::new();
    let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let mut ledger = Ledger::new(&goals);
    let mut counter = HitCounter::new(&program);
    let [is_true, is_false] = [0, 1].map(GoalId::from_u32);
    let runs: [(&[EdgeId], &[GoalId], u32, bool); 5] = [
        (&[], &[is_false], 0, true),
        (&[], &[], 0, true),
        (&[yes], &[is_true], 0, true),
        (&[no], &[is_false], 3, false),
        (&[no], &[], 3, false),
    ];
    for (test, (edges, fresh, by, wanted)) in (0..).zip(runs) {
        edges.iter().for_each(|edge| counter.edge(*edge));
        counter.enter(main);
        let hits = counter.take();
        let shows = ledger.shows(&goals, &hits);
        assert_eq!(shows.untaken.is_empty(), !edges.is_empty(), "run {test}");
        assert_eq!(ledger.record(&goals, &hits, test), fresh, "run {test}");
        let covered = Status::Covered { test: Some(by) };
        assert_eq!(ledger.status(is_false), covered, "run {test}");
        assert_eq!(ledger.is_wanted(&goals, is_false), wanted, "run {test}");
        assert_eq!(ledger.untaken().contains(is_false), wanted, "run {test}");
        // One is open, then none but one that no run took.
        assert_eq!(ledger.is_complete(&goals), test >= 3, "run {test}");
    }
    assert!(ledger.is_complete(&goals));
}

#[test]
fn figures_are_sums_and_shares() {
    let totals = |total, covered, infeasible| Totals {
        total,
        covered,
        infeasible,
    };
    for (of, percent, open) in [
        (totals(0, 0, 0), 100.0, 0),
        (totals(8, 2, 1), 25.0, 5),
        (totals(8, 8, 0), 100.0, 0),
        (totals(8, 0, 8), 0.0, 0),
    ] {
        assert_eq!((of.percent(), of.open()), (percent, open), "{of:?}");
    }
    let mut sum = totals(8, 2, 1);
    sum += totals(4, 3, 1);
    assert_eq!(sum, totals(12, 5, 2));
    let figures = |own, entries, exits| Figures {
        own,
        entries,
        exits,
        ..Figures::default()
    };
    let (half, all) = (totals(2, 1, 0), totals(1, 1, 0));
    for (of, percent) in [
        (figures(half, all, all), 50.0),
        (figures(all, half, all), 50.0),
        (figures(all, all, half), 50.0),
        (figures(all, all, all), 100.0),
    ] {
        assert_eq!(of.percent(), percent, "{of:?}");
    }
    let mut both = figures(half, all, all);
    both += figures(all, half, all);
    assert_eq!(
        both,
        figures(totals(3, 2, 0), totals(3, 2, 0), totals(2, 2, 0))
    );
}

#[test]
fn other_instantiations_of_a_covered_function_are_not_wanted() {
    let mut builder = Builder::new();
    let (f, f_no, f_yes) = simple(&mut builder, "a.c:min", 1, "min.h");
    simple(&mut builder, "b.c:min", 1, "min.h");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let mut ledger = Ledger::new(&goals);
    let wanted = |ledger: &Ledger| {
        goals
            .iter()
            .filter(|(goal, _)| ledger.is_wanted(&goals, *goal))
            .count()
    };
    assert_eq!(wanted(&ledger), 4);
    let mut counter = HitCounter::new(&program);
    counter.enter(f);
    counter.edge(f_no);
    ledger.record(&goals, &counter.take(), 1);
    assert_eq!(wanted(&ledger), 3);
    counter.enter(f);
    counter.edge(f_yes);
    ledger.record(&goals, &counter.take(), 2);
    assert_eq!(wanted(&ledger), 0);
    assert_eq!(ledger.totals(&goals).open(), 0);
}

/// Runs of `sample::decisions` one after the other: what each covers, and whether it has to be kept for what it shows.
fn pairs(criterion: &'static dyn crate::Criterion, runs: &[(&[(usize, usize)], &str)]) {
    let (program, edges) = crate::sample::decisions();
    let goals = Goals::new(&program, criterion);
    let main = program.function_named("main").expect("main");
    let mut ledger = Ledger::new(&goals);
    let mut counter = HitCounter::of(&program, &goals);
    for (test, (path, expected)) in (0..).zip(runs) {
        counter.enter(main);
        for &(line, side) in *path {
            counter.edge(edges[line - 2][side]);
        }
        counter.leave(main);
        let hits = counter.take();
        let shows = ledger.adds_evidence(&goals, &hits);
        let fresh = ledger.record(&goals, &hits, test);
        let lines: Vec<String> = fresh
            .iter()
            .map(|goal| goals.place(*goal).range.line.to_string())
            .collect();
        let said = format!("{} {}", lines.join(" "), if shows { "kept" } else { "" });
        assert_eq!(said.trim(), *expected, "run {test}");
    }
}

#[test]
fn pairs_are_covered_by_two_runs() {
    pairs(
        &PairsOf(crate::criterion::mcdc::UNIQUE_CAUSE),
        &[
            (&[(2, 0), (3, 0)], "kept"),
            (&[(2, 0), (3, 0)], ""),
            (&[(2, 1), (3, 1), (4, 0)], "kept"),
            (&[(2, 1), (3, 1), (4, 1)], "3 4 kept"),
            (&[(2, 1), (3, 0)], ""),
        ],
    );
}

/// `if (b && c)`: each condition and the decision were both ways, and yet no pair was shown for `b`.
#[test]
fn outcomes_are_no_pairs() {
    pairs(
        &Own(crate::criterion::mcdc::UNIQUE_CAUSE),
        &[
            (&[(2, 0), (3, 1), (4, 0)], "2 3 4 6 3 kept"),
            (&[(2, 1), (3, 1), (4, 1)], "2 4 3 4 kept"),
            (&[(2, 1), (3, 0)], "3 3 kept"),
        ],
    );
}

#[test]
fn one_run_may_hold_both_halves() {
    pairs(
        &PairsOf(crate::criterion::mcdc::MASKING),
        &[(
            &[(2, 0), (3, 0), (3, 1), (4, 1), (3, 1), (4, 0)],
            "3 4 kept",
        )],
    );
}

#[test]
fn a_decision_is_covered_by_any_of_its_ways() {
    pairs(
        &Own(crate::criterion::decision::Decision),
        &[
            (&[(2, 0), (3, 1), (4, 0)], "2 3"),
            (&[(2, 0), (3, 0)], ""),
            (&[(2, 1), (3, 1), (4, 1)], "2 3"),
        ],
    );
}

/// Goals of which one is enough, as the places of one target.
#[test]
fn one_of_a_set_is_wanted_until_another_is_taken() {
    let mut builder = Builder::new();
    let sides = ["f", "g", "h"].map(|name| simple(&mut builder, name, 1, &format!("{name}.c")));
    let program = builder.program;
    let mut goals = Goals::new(&program, &Own(Branch));
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(GoalId::from_u32);
    goals.set_alternatives(vec![vec![a, b], vec![b, c], vec![d], vec![e]]);
    let mut ledger = Ledger::new(&goals);
    let wanted = |ledger: &Ledger| -> Vec<GoalId> {
        let all = goals.iter().map(|(goal, _)| goal);
        all.filter(|goal| ledger.is_wanted(&goals, *goal)).collect()
    };
    assert_eq!(wanted(&ledger), [a, b, c, d, e], "{f} is in none");
    let mut counter = HitCounter::new(&program);
    counter.enter(sides[0].0);
    counter.edge(sides[0].2);
    assert_eq!(ledger.record(&goals, &counter.take(), 0), [a]);
    assert_eq!(wanted(&ledger), [b, c, d, e], "the other set wants it");
    ledger.mark_infeasible(d, Ground::Code);
    assert_eq!(wanted(&ledger), [b, c, e]);
    counter.enter(sides[0].0);
    counter.edge(sides[0].1);
    assert_eq!(ledger.record(&goals, &counter.take(), 1), [b]);
    assert_eq!(wanted(&ledger), [e]);
}
