//! Campaigns over models.

use std::collections::BTreeSet;

use expect_test::expect;
use smt::{Op, Pool, Term};

use super::{Campaign, Config, StopReason};
use crate::choice::Choice;
use crate::rng::Rng;
use crate::strategy::{Entry, STRATEGIES, Sources};
use crate::testing::{self, Block, Model, below, concrete, on, trace, with_engine};
use path::{Class, InputVector, Outcome, RunFlags, Target};

/// The strategies that search the tree: one that is alone may go on for ever.
fn searches() -> impl Iterator<Item = &'static Entry> {
    STRATEGIES
        .iter()
        .filter(|entry| entry.sources != Sources::Alone)
}

/// Every strategy exhausts the model, in this many runs, with nothing in the way of a proof.
fn check_exhausted(model: impl Fn() -> Model, runs: usize) {
    for entry in searches() {
        for seed in 0..5 {
            let mut model = model();
            let trace = trace(&mut model, entry.name, seed);
            assert_eq!(
                trace.lines().last(),
                Some(&*format!("exhausted, {runs} runs, gaps: ")),
                "{}\n{trace}",
                entry.name
            );
            assert_eq!(model.log.len(), runs);
        }
    }
}

fn input(index: usize) -> crate::testing::Condition {
    Box::new(move |_, inputs, _| inputs[index])
}

#[test]
fn every_strategy_exhausts_a_tree() {
    // Eight paths, and a loop that reads its bound.
    let blocks = || {
        vec![
            Block::Branch(below(0, 10), 1, 1),
            Block::Call(2),
            Block::Branch(below(1, 10), 3, 3),
            Block::Branch(below(2, 10), 4, 4),
            Block::Exit,
        ]
    };
    check_exhausted(|| Model::new(3, blocks()), 8);
}

#[test]
fn infeasible_paths_are_not_run() {
    let blocks = || {
        vec![
            Block::Branch(below(0, 10), 1, 1),
            Block::Branch(below(0, 5), 2, 2),
            Block::Exit,
        ]
    };
    check_exhausted(|| Model::new(1, blocks()), 3);
}

#[test]
fn switches_are_taken_every_way() {
    let cases = || vec![(1, 1), (7, 1), (200, 1)];
    check_exhausted(
        || Model::new(1, vec![Block::Switch(input(0), cases(), 1), Block::Exit]),
        4,
    );
}

#[test]
fn failed_assumptions_are_got_past() {
    let blocks = || {
        vec![
            Block::Constraint(Class::Assume, on(0, Op::Eq, 42), 1),
            Block::Branch(below(1, 10), 2, 3),
            Block::Constraint(Class::Assume, on(2, Op::Eq, 9), 3),
            Block::Exit,
        ]
    };
    check_exhausted(|| Model::new(3, blocks()), 4);
    expect![[r#"
        Failed: [] Assume side 0 taken
        Failed: [1] Assume side 0 taken
        depth 0, 0 waiting: [] edge0 taken
        exhausted, 4 runs, gaps: 
    "#]]
    .assert_eq(&trace(&mut Model::new(3, blocks()), "bfs", 1));
}

#[test]
fn checks_are_made_to_fail() {
    let blocks = || {
        vec![
            Block::Branch(below(1, 10), 1, 1),
            Block::Constraint(Class::Check, on(0, Op::Ult, 77), 2),
            Block::Branch(below(2, 10), 3, 3),
            Block::Exit,
        ]
    };
    check_exhausted(|| Model::new(3, blocks()), 6);
    expect![[r#"
        depth 2, 1 waiting: [] edge0 taken
        depth 2, 1 waiting: [1] edge2 taken
        depth 0, 0 waiting: [0] edge2 taken
        Aside: [1] Check side 0 taken
        Aside: [0] Check side 0 taken
        exhausted, 6 runs, gaps: 
    "#]]
    .assert_eq(&trace(&mut Model::new(3, blocks()), "bfs", 1));
}

#[test]
fn a_check_that_fails_at_once_is_got_past() {
    let blocks = || {
        vec![
            Block::Constraint(Class::Check, on(0, Op::Eq, 77), 1),
            Block::Branch(below(1, 10), 2, 2),
            Block::Exit,
        ]
    };
    check_exhausted(|| Model::new(2, blocks()), 3);
    expect![[r#"
        Failed: [] Check side 0 taken
        depth 0, 0 waiting: [] edge0 taken
        exhausted, 3 runs, gaps: 
    "#]]
    .assert_eq(&trace(&mut Model::new(2, blocks()), "bfs", 1));
}

#[test]
fn pins_try_every_value() {
    let narrow = || -> crate::testing::Condition {
        Box::new(|pool, inputs, _| {
            let mask = pool.constant(8, 3);
            pool.bin(Op::And, inputs[0], mask)
        })
    };
    let blocks = || vec![Block::Constraint(Class::Pin, narrow(), 1), Block::Exit];
    check_exhausted(|| Model::new(1, blocks()), 4);
}

#[test]
fn what_was_decided_before_is_not_tried_again() {
    let turns = || {
        let again = Block::Branch(concrete(|visit| visit < 4), 1, 2);
        Model::new(
            1,
            vec![again, Block::Branch(below(0, 10), 0, 0), Block::Exit],
        )
    };
    check_exhausted(turns, 2);
    let trace = trace(&mut turns(), "bfs", 0);
    assert!(!trace.contains("unsat"), "{trace}");
}

#[test]
fn aside_candidates_wait_for_their_turn() {
    let loops = || -> crate::testing::Condition {
        Box::new(|pool, inputs, visit| {
            let visit = pool.constant(8, u128::from(visit));
            pool.cmp(Op::Ult, visit, inputs[0])
        })
    };
    let blocks = vec![
        Block::Branch(loops(), 1, 3),
        Block::Branch(concrete(|visit| visit < 6), 2, 3),
        // Another bound at each turn: what was decided before is not tried again.
        Block::Constraint(
            Class::Check,
            Box::new(|pool, inputs, visit| {
                let bound = pool.constant(8, 5 + u128::from(visit));
                pool.cmp(Op::Ult, inputs[1], bound)
            }),
            0,
        ),
        Block::Exit,
    ];
    expect![[r#"
        0 waiting: [] edge1 taken
        0 waiting: [1 3] edge1 taken
        0 waiting: [1 3 1 3] edge1 taken
        Aside: [1 3] Check side 0 taken
        0 waiting: [1 3 1 3 1 3] edge1 taken
        0 waiting: [1 3 1 3 1 3 1 3] edge1 taken
        0 waiting: [1 3 1 3 1 3 1 3 1 3] edge1 taken
        0 waiting: [1 3 1 3 1 3 1 3 1 3 1 3] edge1 taken
        Aside: [1 3 1 3] Check side 0 unsat
        Aside: [1 3 1 3 1 3] Check side 0 unsat
        Aside: [1 3 1 3 1 3 1 3] Check side 0 unsat
        Aside: [1 3 1 3 1 3 1 3 1 3] Check side 0 unsat
        Aside: [1 3 1 3 1 3 1 3 1 3 1 3] Check side 0 unsat
        exhausted, 9 runs, gaps: 
    "#]]
    .assert_eq(&trace(&mut Model::new(2, blocks), "dfs", 1));
}

#[test]
fn a_run_that_is_cut_short_is_no_proof() {
    let blocks = vec![
        Block::Branch(below(0, 10), 1, 2),
        Block::Jump(1),
        Block::Exit,
    ];
    let trace = trace(&mut Model::new(1, blocks), "bfs", 1);
    expect![[r#"
        depth 0, 0 waiting: [] edge0 taken
        exhausted, 2 runs, gaps: 1 run that timed out
    "#]]
    .assert_eq(&trace);
    let mut model = Model::new(1, vec![Block::Branch(below(0, 10), 1, 1), Block::Exit]);
    model.flags = RunFlags::NODES_TRUNCATED;
    expect![[r#"
        depth 0, 0 waiting: [] edge0 taken
        exhausted, 2 runs, gaps: 2 runs not seen in full, expression table full
    "#]]
    .assert_eq(&crate::testing::trace(&mut model, "bfs", 1));
}

#[test]
fn the_same_seed_gives_the_same_campaign() {
    let blocks = || {
        (0..6)
            .map(|i| Block::Branch(below(i, 10), i + 1, i + 1))
            .chain([Block::Exit])
            .collect()
    };
    for entry in searches() {
        let run = |seed| {
            let mut model = Model::new(6, blocks());
            let trace = trace(&mut model, entry.name, seed);
            (trace, model.log)
        };
        assert_eq!(run(3), run(3), "{}", entry.name);
        let random = !["bfs", "dfs"].contains(&entry.name);
        assert_eq!(run(3) != run(4), random, "{}", entry.name);
    }
}

/// A random model of two inputs below 8.
pub(super) fn random_model(seed: u64) -> Model {
    let mut rng = Rng::new(seed);
    let count = 3 + rng.below(5);
    let mut blocks: Vec<Block> = (0..count)
        .map(|index| {
            let mut next = || index + 1 + rng.below(count - index);
            let (one, other) = (next(), next());
            let (shape, wanted, bound, input) =
                (rng.below(9), rng.below(2), rng.below(9) as u8, rng.below(2));
            let narrow = move |pool: &mut Pool, inputs: &[Term]| {
                let mask = pool.constant(8, 7);
                let shift = pool.constant(8, u128::from(bound) & 3);
                let mixed = if wanted == 1 {
                    pool.bin(Op::Add, inputs[0], inputs[1])
                } else {
                    inputs[input]
                };
                let mixed = pool.bin(Op::LShr, mixed, shift);
                pool.bin(Op::And, mixed, mask)
            };
            let less: crate::testing::Condition = Box::new(move |pool, inputs, _| {
                let value = narrow(pool, inputs);
                let bound = pool.constant(8, u128::from(bound));
                pool.cmp(Op::Ult, value, bound)
            });
            let value: crate::testing::Condition =
                Box::new(move |pool, inputs, _| narrow(pool, inputs));
            match shape {
                0 => Block::Switch(value, vec![(1, one), (6, other)], count),
                1 => Block::Constraint(Class::Pin, value, one),
                2 => Block::Constraint(Class::Check, less, one),
                3 => Block::Constraint(Class::Library, less, one),
                4 => Block::Constraint(Class::Assume, less, one),
                _ => Block::Branch(less, one, other),
            }
        })
        .collect();
    blocks.push(Block::Exit);
    Model::new(2, blocks)
}

/// The paths that these inputs take, without those that fail an assumption.
fn paths(
    model: &mut Model,
    pool: &mut Pool,
    inputs: impl Iterator<Item = [u8; 2]>,
) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for input in inputs {
        let input = testing::bytes(&input);
        let run = model.run(pool, &input).expect("models run");
        if run.outcome != Outcome::AssumeFailed {
            seen.insert(format!("{:?} {:?}", run.steps, run.outcome));
        }
    }
    seen
}

#[test]
fn an_exhausted_tree_has_every_path() {
    for seed in 0..25 {
        // Conditions look at the low six bits.
        let all = (0..64 * 64).map(|both: u16| [(both % 64) as u8, (both / 64) as u8]);
        let mut pool = Pool::new();
        let wanted = paths(&mut random_model(seed), &mut pool, all);
        for entry in searches() {
            let mut model = random_model(seed);
            let trace = trace(&mut model, entry.name, seed);
            let name = format!("model {seed}, {}\n{trace}", entry.name);
            assert!(trace.ends_with(", gaps: \n"), "{name}");
            let log = std::mem::take(&mut model.log);
            let found = paths(
                &mut model,
                &mut pool,
                log.iter().map(|input| [input[0], input[1]]),
            );
            assert_eq!(found, wanted, "{name}");
        }
    }
}

#[test]
fn path_filtering_loses_no_goal() {
    let run = |seed, strategy: &str, path_filter| {
        let mut model = random_model(seed);
        let program = model.program.clone();
        let goals = coverage::Goals::new(&program, coverage::criterion::CRITERIA[0]);
        let strategy = Choice::parse(strategy).expect("a strategy").make(&program);
        let config = Config {
            past_coverage: true,
            path_filter,
            ..Config::default()
        };
        let mut campaign = Campaign::new(&program, &goals, strategy, config);
        let mut pool = Pool::new();
        let stopped = with_engine(&mut model, &mut pool, |engine| campaign.run(engine));
        let proof = stopped == Ok(StopReason::Exhausted { proof: true });
        let covered: Vec<_> = campaign.ledger().covered().iter().collect();
        let infeasible: Vec<_> = campaign.ledger().infeasible().iter().collect();
        let progress = campaign.progress();
        (
            (proof, covered, infeasible),
            progress.runs,
            progress.irrelevant,
        )
    };
    let (mut saved, mut dropped) = (0, 0);
    for seed in 0..40 {
        for entry in searches() {
            let (all, runs, _) = run(seed, entry.name, false);
            let (filtered, fewer, irrelevant) = run(seed, entry.name, true);
            assert_eq!(all, filtered, "model {seed}, {}", entry.name);
            saved += runs - fewer;
            dropped += irrelevant;
        }
    }
    assert!(saved > 1000 && dropped > 500, "{saved} {dropped}");
}

#[test]
fn compaction_changes_nothing() {
    let run = |compact_at| {
        let mut model = random_model(7);
        let program = model.program.clone();
        let goals = coverage::Goals::new(&program, coverage::criterion::CRITERIA[0]);
        let strategy = Choice::parse("cgs").expect("a strategy").make(&program);
        let config = Config {
            compact_at,
            past_coverage: true,
            ..Config::default()
        };
        let mut campaign = Campaign::new(&program, &goals, strategy, config);
        let mut pool = Pool::new();
        let stopped = with_engine(&mut model, &mut pool, |engine| campaign.run(engine));
        assert_eq!(stopped, Ok(StopReason::Exhausted { proof: true }));
        (model.log, pool.epoch().is_compacted())
    };
    let (plain, compacted) = (run(usize::MAX), run(1));
    assert_eq!((plain.1, compacted.1), (false, true));
    assert_eq!(plain.0, compacted.0);
}

#[test]
fn empty_vectors_are_inputs() {
    assert!(InputVector::default().assignment().is_empty());
}
