//! What a run costs: runs each second through the fork server, and nanoseconds for each event and node that is read.
//!
//! The program is a fake one that writes its events and nodes by hand, so that only the engine's side and the process
//! are measured, not the instrumentation. `cargo bench -p native`

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use native::{Config, NativeTarget};
use path::Target;
use smt::Pool;

fn measure(events: u32, nodes: u32, fresh_pool: bool, cross_check: bool) {
    let program = support::model();
    let mut config = Config::new(support::fake("bench"));
    config.args = vec![events.to_string().into(), nodes.to_string().into()];
    config.cross_check = cross_check;
    let mut target = NativeTarget::new(&program, config).expect("a target");
    let mut pool = Pool::new();
    let mut input = 0;
    let mut run = |target: &mut NativeTarget<'_>| {
        input += 1;
        if fresh_pool {
            pool = Pool::new();
        }
        let run = target
            .run(&mut pool, &support::ints(&[input]))
            .expect("a run");
        assert!(run.flags.complete());
    };
    for _ in 0..50 {
        run(&mut target);
    }
    let (before, begin) = (target.stats(), Instant::now());
    while begin.elapsed() < Duration::from_secs(1) {
        run(&mut target);
    }
    let (after, seconds) = (target.stats(), begin.elapsed().as_secs_f64());
    let runs = (after.runs - before.runs) as f64;
    let micros = |from: Duration, to: Duration| (to - from).as_secs_f64() * 1e6 / runs;
    let read = micros(before.read_time, after.read_time);
    let words = (after.event_words - before.event_words) as f64 / runs;
    let terms = (after.terms - before.terms) as f64 / runs;
    println!(
        "{events:>8} events {nodes:>8} nodes{}{}: {:>6.0} runs/s, program {:>7.1} us, read {read:>7.1} us ({words:.0} words, {terms:.0} terms{})",
        if fresh_pool { " (fresh pool)" } else { "" },
        if cross_check { " (cross-check)" } else { "" },
        runs / seconds,
        micros(before.run_time, after.run_time),
        if events + nodes > 0 {
            format!(", {:.0} ns each", read * 1000.0 / (words + terms))
        } else {
            String::new()
        },
    );
}

fn main() {
    measure(0, 0, false, false);
    measure(1_000, 0, false, false);
    measure(1_000, 1_000, false, false);
    measure(1_000, 1_000, true, false);
    measure(1_000, 1_000, false, true);
    measure(100_000, 100_000, false, false);
}
