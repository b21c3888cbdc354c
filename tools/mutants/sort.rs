//! Which mutants of the analysis say less than it does, the same, or more: more somewhere is what may be wrong, and is held against runs.
//!
//! A part of the tests of `values` in the copy that `tools/mutants-at-once.sh` makes, where all mutants are in the crate. A mutant is sound on a program if
//! each state of the analysis is in one of its own at the same block, if it takes the same edges, and lets the same objects escape.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use program::{Op, Program};

use super::{check_runs, engines, make};
use crate::engine::Engine;
use crate::memory::World;
use crate::mutants_active::choose;
use crate::object::{Object, Objects};
use crate::value::Value;

/// Objects by numbers that do not depend on who meets them first.
fn named(program: &Program) -> Objects {
    let mut objects = Objects::default();
    for (id, global) in program.globals.iter() {
        objects.id(Object::Global(id), (global.size > 0).then_some(global.size));
    }
    for id in program.externs.keys() {
        objects.id(Object::Extern(id), None);
    }
    for (id, body) in program.functions.iter() {
        objects.id(Object::Function(id), None);
        for block in body.blocks.keys() {
            for (value, inst) in body.insts(block) {
                match inst.op {
                    Op::Alloca { .. } => objects.id(Object::Local(id, value), None),
                    Op::Call { .. } => objects.id(Object::Heap(id, value), None),
                    _ => continue,
                };
            }
        }
    }
    objects
}

type Engines<'p> = Vec<(&'static str, Engine<'p>)>;

/// Where a mutant says more than the analysis: which engine, and of what.
fn smaller(program: &Program, original: &Engines<'_>, mutant: &Engines<'_>) -> Option<String> {
    original.iter().find_map(|(name, own)| {
        let (_, other) = mutant.iter().find(|(known, _)| known == name)?;
        engine_smaller(program, own, other).map(|why| format!("{name}: {why}"))
    })
}

fn engine_smaller(program: &Program, own: &Engine<'_>, mutant: &Engine<'_>) -> Option<String> {
    for edge in program.edges.keys() {
        if own.taken[edge] && !mutant.taken[edge] {
            return Some(format!("{edge} dead"));
        }
    }
    if let Some((function, block)) = own.entered.difference(&mutant.entered).next() {
        return Some(format!("{block} of {function} not entered"));
    }
    let fewer = own.risky.difference(&mutant.risky).next();
    if let Some((function, value)) = fewer {
        return Some(format!("{value} of {function} harmless"));
    }
    let escaped = own.objects.escaped();
    if let Some(id) = escaped.into_iter().find(|id| !mutant.objects.is_escaped(*id)) {
        return Some(format!("{:?} has not escaped", own.objects.object(id)));
    }
    for (id, body) in program.functions.iter() {
        for block in body.blocks.keys() {
            let there = mutant.states_at(id, block);
            for state in own.states_at(id, block) {
                let is_in = there.iter().any(|wide| {
                    let mut objects = mutant.objects.clone();
                    objects.grew();
                    let mut world = World {
                        program,
                        objects: &mut objects,
                    };
                    let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
                    wide.merged(&state, &mut world, &mut join).is_none() && !objects.grew()
                });
                if !is_in {
                    return Some(format!("states at {block} of {id}"));
                }
            }
        }
    }
    None
}

/// Whether both say the same, as far as edges, visits and the number of states go: a mutant that no program shows.
fn same(own: &Engines<'_>, mutant: &Engines<'_>, program: &Program) -> bool {
    own.len() == mutant.len()
        && own.iter().zip(mutant).all(|((name, a), (other, b))| {
            name == other
                && a.entered == b.entered
                && a.risky == b.risky
                && a.objects.escaped() == b.objects.escaped()
                && engine_smaller(program, b, a).is_none()
        })
}

/// `MUTANTS`: numbers. `MUTANT_SEEDS` and `MUTANT_RUNS`: programs, and runs of one that shows more. One line each.
#[test]
fn sort_mutants() {
    let asked = |name: &str, other: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(other)
    };
    if std::env::var("MUTANTS").is_err() {
        return;
    }
    let (seeds, runs) = (asked("MUTANT_SEEDS", 12), asked("MUTANT_RUNS", 60));
    let first = asked("MUTANT_FIRST", 1);
    let mut programs: Vec<(u64, bool, &'static Program, Engines<'static>)> = Vec::new();
    for seed in first..first + seeds {
        for anytime in [false, true] {
            if anytime && seed % 3 != 0 {
                continue;
            }
            let program: &'static Program = Box::leak(Box::new(make::program(seed, anytime)));
            let known = engines(program, anytime, &named(program));
            programs.push((seed, anytime, program, known));
        }
    }
    each(|id| verdict(id, &programs, runs));
}

/// One line for each mutant that `MUTANTS` asks for. One that takes longer than `MUTANT_SECONDS` ends the process.
pub fn each(verdict: impl Fn(u32) -> String) {
    let patience = std::env::var("MUTANT_SECONDS").ok();
    let patience = patience.and_then(|text| text.parse().ok()).unwrap_or(30);
    std::panic::set_hook(Box::new(|_| {}));
    let began = Instant::now();
    let at = Arc::new(AtomicU64::new(0));
    let now = Arc::new(AtomicU64::new(0));
    let (seen, id_now) = (Arc::clone(&at), Arc::clone(&now));
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let since = began.elapsed().as_secs().saturating_sub(seen.load(Ordering::Relaxed));
            let id = id_now.load(Ordering::Relaxed);
            if id != 0 && since > patience {
                println!("MUTANT {id} slow");
                std::process::exit(124);
            }
        }
    });
    let list = std::env::var("MUTANTS").unwrap_or_default();
    for id in list.split_whitespace().filter_map(|id| id.parse::<u32>().ok()) {
        at.store(began.elapsed().as_secs(), Ordering::Relaxed);
        now.store(u64::from(id), Ordering::Relaxed);
        println!("MUTANT {id} begins");
        println!("MUTANT {id} {}", verdict(id));
    }
}

fn verdict(
    id: u32,
    programs: &[(u64, bool, &'static Program, Engines<'static>)],
    runs: u64,
) -> String {
    let mut is_same = true;
    let mut suspect = None;
    for (seed, anytime, program, original) in programs {
        choose(id);
        let found = catch_unwind(AssertUnwindSafe(|| {
            engines(program, *anytime, &named(program))
        }));
        choose(0);
        let Ok(mutant) = found else {
            return format!("panics {seed}");
        };
        let Some(why) = smaller(program, original, &mutant) else {
            is_same = is_same && same(original, &mutant, program);
            continue;
        };
        choose(id);
        let found = catch_unwind(AssertUnwindSafe(|| check_runs(*seed, *anytime, runs)));
        choose(0);
        if found.is_err() {
            return format!("caught {seed} {why}");
        }
        suspect.get_or_insert(format!("{seed} {why}"));
    }
    match (suspect, is_same) {
        (Some(why), _) => format!("smaller {why}"),
        (None, true) => "same".to_owned(),
        (None, false) => "wider".to_owned(),
    }
}
