//! What the analysis says is held against runs: not only which edges are dead, but what every variable, every pair of variables and every
//! byte of memory may be at the entry of every block, and which instructions never end a run.

mod holds;
mod make;
mod run;

use std::collections::BTreeMap;

use program::{EdgeId, Program};

use super::seeds;
use crate::engine::{Config, Engine};
use crate::object::Objects;
use crate::passes::Outside;
use crate::{Limits, analyse, choose, passes};
use holds::Oracle;
use run::{End, Run};

/// Runs of each program.
const RUNS: u64 = 10;

/// Visits of a block after which only every second, fourth and so on is looked at.
const VISITS: u32 = 6;

/// Steps of one engine.
const STEPS: u64 = 30_000;

/// How the engine is asked: by name.
fn configurations() -> Vec<(&'static str, Config)> {
    let coarse = Config {
        states: 64,
        floats: true,
        ..Config::coarsest()
    };
    let fine = Config {
        depth: 3,
        contexts: 300,
        partition: true,
        ..coarse.clone()
    };
    let few = Config {
        states: 2,
        depth: 1,
        contexts: 4,
        ..fine.clone()
    };
    let flat = Config {
        flat: true,
        floats: true,
        ..Config::coarsest()
    };
    vec![
        ("coarse", coarse),
        ("fine", fine),
        ("few", few),
        ("flat", flat),
    ]
}

/// Runs a program many times; panics where the analysis is wrong.
fn check(seed: u64, anytime: bool) {
    check_runs(seed, anytime, RUNS);
}

fn check_runs(seed: u64, anytime: bool, runs: u64) {
    let program = make::program(seed, anytime);
    program::verify::verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
    let limits = Limits {
        steps: if anytime { 0 } else { 20_000 },
        ..Limits::default()
    };
    let analysis = analyse(&program, false, limits);
    let engines = engines(&program, anytime, &Objects::default());
    let mut oracles: Vec<Oracle<'_, '_>> = engines
        .iter()
        .map(|(name, engine)| Oracle::new(name, &program, engine))
        .collect();
    let text = || program::text::print(&program);
    let mut taken = vec![false; program.edges.len()];
    let mut visits = BTreeMap::new();
    for number in 0..runs {
        let mut at = |point: &run::Point<'_>| {
            let count = visits.entry((point.function, point.block)).or_insert(0u32);
            *count += 1;
            if *count > VISITS && !count.is_power_of_two() {
                return;
            }
            for oracle in &mut oracles {
                if let Some(why) = oracle.refuses(point) {
                    panic!("seed {seed}, run {number}: {why}\n{}", text());
                }
            }
        };
        let mut run = Run::new(&program, seed * 1000 + number, &mut taken, &mut at);
        if let Err(End::Trap(function, value)) = run.whole() {
            let is_sure = analysis.sure.harmless.contains(&(function, value));
            assert!(
                !is_sure,
                "seed {seed}, run {number}: {value} of {function} ended it\n{}",
                text()
            );
        }
    }
    let is_taken = |edge: &EdgeId| taken[edge.index()];
    let wrong: Vec<EdgeId> = analysis.dead.keys().copied().filter(is_taken).collect();
    assert_eq!(wrong, [], "seed {seed}\n{}", text());
    for (name, engine) in &engines {
        let edges = program.edges.keys();
        let missed: Vec<EdgeId> = edges
            .filter(|edge| is_taken(edge) && !engine.taken[*edge])
            .collect();
        assert_eq!(missed, [], "seed {seed}, {name}\n{}", text());
    }
}

/// Engines that have come to their ends.
fn engines<'p>(
    program: &'p Program,
    anytime: bool,
    objects: &Objects,
) -> Vec<(&'static str, Engine<'p>)> {
    let root = program.function_named("main").expect("it has one");
    let mut all = Vec::new();
    for (name, config) in configurations() {
        if anytime && !config.flat {
            continue;
        }
        let outside = Outside {
            told: std::rc::Rc::default(),
            stop: std::sync::Arc::default(),
            anytime: program::following::entered_anytime(program, false),
            foreign: false,
            floats: program::rounding::is_to_nearest(program, false),
        };
        let config = Config {
            anytime: if config.flat {
                outside.anytime
            } else {
                Vec::new()
            },
            ..config
        };
        let Some(engine) = passes::engine(program, root, (&config, objects.clone()), STEPS) else {
            continue;
        };
        // States are told apart by variables in memory, too.
        if name == "fine" {
            let places = choose::places(program, &engine, 4);
            let dispatched = places.iter().filter(|(_, switched)| *switched).count();
            let places = places.into_iter().map(|(place, _)| place).collect();
            let finer = Config {
                places,
                dispatched,
                ..config.clone()
            };
            all.extend(
                passes::engine(program, root, (&finer, objects.clone()), STEPS)
                    .map(|engine| ("places", engine)),
            );
        }
        all.push((name, engine));
    }
    all
}

#[test]
fn what_is_known_holds_on_all_runs() {
    for seed in seeds(60) {
        check(seed, false);
    }
}

/// A function that calls itself makes an object on some of its ways only: a call that makes none ended that of the call around it.
#[test]
fn an_object_of_an_outer_call_stays() {
    check(202, false);
}

/// A read that begins in front of an object and reaches into it: its end overflowed.
#[test]
fn a_read_from_in_front_of_an_object_is_anything() {
    check(1388, false);
}

#[test]
fn what_is_known_holds_where_a_function_runs_at_any_time() {
    for seed in seeds(20) {
        check(seed, true);
    }
}
