//! Systems solved and evaluations used, by each search alone and by both: `cargo run --release -p descent --example figures`.
//!
//! The systems are those of the tests (with an argument: those whose names contain it); each is searched with five seeds, once from
//! zeros and once from random values.

use descent::{Limits, Outcome, Searches, search, text};
use smt::Assignment;

const SYSTEMS: &str = include_str!("../src/tests/systems.txt");
const SEEDS: u64 = 5;
const EVALUATIONS: u64 = 200_000;

/// Number of solved runs, and the evaluations of each run in order.
fn runs(system: &str, searches: Searches) -> (u64, Vec<u64>) {
    let read = text::parse(system).unwrap_or_else(|bad| panic!("{bad}\n{system}"));
    let (mut solved, mut all) = (0, Vec::new());
    for seed in 0..SEEDS * 2 {
        let mut start = Assignment::new();
        for (place, input) in read
            .trace
            .variables
            .iter()
            .enumerate()
            .filter(|_| seed >= SEEDS)
        {
            let any = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + place as u64 * 2) >> 20;
            start.set(
                input.var,
                u128::from(any) & (u128::MAX >> (128 - u32::from(input.width))),
            );
        }
        let limits = Limits {
            evaluations: EVALUATIONS,
            seed,
            searches,
        };
        match search(&read.terms, &read.trace, &start, limits, &mut |_, _| None).expect("a trace") {
            Outcome::Found(found) => {
                solved += 1;
                all.push(found.evaluations);
            }
            Outcome::Failed(failed) => all.push(failed.evaluations),
        }
    }
    all.sort_unstable();
    (solved, all)
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let ways = [Searches::Walk, Searches::Alternating, Searches::Both];
    println!("Solved runs of {} and median evaluations.\n", SEEDS * 2);
    println!("| system | walk | | alternating | | both | |\n|---|---|---|---|---|---|---|");
    let (mut total, mut count) = ([(0, 0, 0); 3], 0);
    for system in SYSTEMS.split("== ").skip(1) {
        let (name, system) = system.split_once('\n').expect("a heading");
        if !name.contains(&wanted) {
            continue;
        }
        count += 1;
        let mut row = format!("| {name} |");
        for (total, searches) in total.iter_mut().zip(ways) {
            let (solved, all) = runs(system, searches);
            row += &format!(" {solved} | {} |", all[all.len() / 2]);
            *total = (
                total.0 + solved,
                total.1 + u64::from(solved == SEEDS * 2),
                total.2 + all.iter().sum::<u64>(),
            );
        }
        println!("{row}");
    }
    println!("\n| | walk | alternating | both |\n|---|---|---|---|");
    let line = |what: &str, of: fn(&(u64, u64, u64)) -> u64| {
        let [a, b, c] = [&total[0], &total[1], &total[2]].map(of);
        println!("| {what} | {a} | {b} | {c} |");
    };
    line(&format!("runs solved, of {}", count * SEEDS * 2), |total| {
        total.0
    });
    line(
        &format!("systems solved in every run, of {count}"),
        |total| total.1,
    );
    line("evaluations, all runs", |total| total.2);
}
