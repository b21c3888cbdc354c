//! The fork server, driven by an engine in miniature: every way in which a run can end, and that the server outlives it.

mod harness;

use harness::{Engine, Options, Report, driver};
use wire::segment::{exit, flag, overflow, stage};

fn endings(report: &Report) -> (u32, u32) {
    report.exit
}

#[test]
fn the_server_answers_every_ending() {
    let program = driver("runs");
    let options = Options {
        timeout_ms: 1000,
        memory_bytes: 200 << 20,
        ..Options::default()
    };
    let engine = Engine::start(&program, &[] as &[&str], options);
    let cases: &[(u128, (u32, u32))] = &[
        (0, (exit::EXITED, 0)),
        (1, (exit::SIGNALLED, 6)),
        (2, (exit::EXITED, 42)),
        (3, (exit::TIMEOUT, 0)),
        (4, (exit::SIGNALLED, 11)),
        (5, (exit::EXITED, 5)),
        (6, (exit::EXITED, 6)),
        (7, (exit::EXITED, 7)),
        (8, (exit::MEMORY, 0)),
        (9, (exit::EXITED, 0)),
        (10, (exit::SIGNALLED, 6)),
        (11, (exit::EXITED, 11)),
        (12, (exit::SIGNALLED, 15)),
        (13, (exit::EXITED, 13)),
        (0, (exit::EXITED, 0)),
    ];
    for (mode, want) in cases {
        let report = engine.run(&[*mode], &[]);
        assert_eq!(endings(&report), *want, "mode {mode}");
        let text = report.text();
        assert_eq!(text[..2], ["call 0", "input 0"], "mode {mode}");
        assert_eq!(
            text[2],
            format!("edge {} if eq(v0, 0x1)", u32::from(*mode == 1))
        );
        assert_eq!(report.inputs.len(), 1);
        match mode {
            7 => {
                assert_eq!(text.iter().filter(|line| *line == "edge 62").count(), 1000);
                assert!(
                    text.contains(&"mark 1 0".to_owned()) && !text.contains(&"edge 90".to_owned())
                );
                assert_eq!(engine.edge_hits(), [(90, 100_000)]);
            }
            6 => assert!(text.ends_with(&["mark 2 0".to_owned(), "edge 61".to_owned()])),
            9 => assert_eq!(text.last().map(String::as_str), Some("mark 4 0")),
            10 => assert_eq!(text.last().map(String::as_str), Some("mark 3 0")),
            11 => {
                assert_eq!(report.overflow, overflow::EVENTS);
                // Those that found room are events.
                let edges: Vec<usize> = engine.edge_hits().iter().map(|it| it.0).collect();
                assert_eq!(edges, (50..58).collect::<Vec<_>>());
                let counted: u32 = engine.edge_hits().iter().map(|it| it.1).sum();
                let events = text.iter().filter(|line| line.starts_with("edge 5"));
                assert_eq!(counted as usize + events.count(), 200_000);
            }
            _ => assert_eq!(report.overflow, 0),
        }
    }
    assert!(engine.edge_hits().is_empty());
    assert_eq!(engine.shut_down(), Some(0));
}

#[test]
fn check_mode_reports_the_first_difference() {
    let program = driver("runs");
    let options = Options {
        flags: flag::CHECK,
        ..Options::default()
    };
    let engine = Engine::start(&program, &[] as &[&str], options);
    let report = engine.run(&[14], &[]);
    assert_eq!(report.exit.0, exit::CHECK);
    assert!(
        report.check.starts_with("Add (op_bits 0x200003)"),
        "{}",
        report.check
    );
    assert!(
        report.check.contains("the program computed 0x10"),
        "{}",
        report.check
    );
    assert_eq!(engine.run(&[0], &[]).exit, (exit::EXITED, 0));
}

#[test]
fn without_server_the_program_runs_once() {
    let program = driver("runs");
    let options = Options {
        flags: flag::NO_SERVER,
        ..Options::default()
    };
    let engine = Engine::start(&program, &[] as &[&str], options);
    let report = engine.finish();
    assert_eq!(
        report.text()[..3],
        ["call 0", "input 0", "edge 0 if eq(v0, 0x1)"]
    );
}

#[test]
fn a_segment_of_another_version_is_refused() {
    let program = driver("runs");
    let options = Options {
        version: wire::VERSION + 1,
        ..Options::default()
    };
    let engine = Engine::start(&program, &[] as &[&str], options);
    engine.wait("REFUSED", |control| {
        control.stage.load(std::sync::atomic::Ordering::SeqCst) == stage::REFUSED
    });
}

#[test]
fn runs_are_fast() {
    let program = driver("runs");
    let engine = Engine::start(&program, &[] as &[&str], Options::default());
    engine.run(&[0], &[]);
    let start = std::time::Instant::now();
    for _ in 0..500 {
        engine.run(&[2], &[]);
    }
    let each = start.elapsed() / 500;
    eprintln!("{each:?} a run");
    assert!(
        each < std::time::Duration::from_millis(20),
        "{each:?} a run"
    );
}
