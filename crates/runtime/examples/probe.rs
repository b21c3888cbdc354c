//! `probe PROGRAM [--check] [--quiet] [--once] [--stdin TEXT] [--args A,B] [VALUE…]`: runs an instrumented program once under the engine in
//! miniature of the tests, and prints what it recorded.

#[path = "../tests/harness/mod.rs"]
mod harness;

use harness::{Engine, Options};
use std::path::PathBuf;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let program = PathBuf::from(arguments.next().expect("a program"));
    let (mut options, mut stdin, mut passed, mut values) =
        (Options::default(), Vec::new(), Vec::new(), Vec::new());
    let mut quiet = false;
    options.nodes = 1 << 20;
    options.events = 1 << 20;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => options.flags |= wire::segment::flag::CHECK,
            "--quiet" => quiet = true,
            "--once" => options.flags |= wire::segment::flag::NO_SERVER,
            "--stdin" => {
                stdin = arguments.next().unwrap_or_default().into_bytes();
                options.stdin = Some((0, 64));
            }
            "--args" => passed.extend(
                arguments
                    .next()
                    .unwrap_or_default()
                    .split(',')
                    .map(str::to_owned),
            ),
            value => values.push(value.parse::<i128>().expect("a number") as u128),
        }
    }
    let engine = Engine::start(&program, &passed, options);
    let report = engine.run(&values, &stdin);
    for line in if quiet { Vec::new() } else { report.text() } {
        println!("{line}");
    }
    println!(
        "exit {:?} overflow {} stale {} nodes {}",
        report.exit,
        report.overflow,
        report.stale,
        report.nodes.len()
    );
    println!("losses {:?} used {}", report.losses, report.stream_used);
    for input in &report.inputs {
        let name = &report.names[input.name as usize..][..input.name_len.into()];
        println!(
            "input {} kind {} value {:#x}",
            String::from_utf8_lossy(name),
            input.kind,
            input.value[0]
        );
    }
    if !report.check.is_empty() {
        println!("CHECK {}", report.check);
    }
    assert_eq!(engine.shut_down(), Some(0));
}
