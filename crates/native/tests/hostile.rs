//! Programs that do what they should not: the engine goes on, and the next run is as if nothing had happened.

mod support;

use std::time::{Duration, Instant};

use native::segment::Sizes;
use native::server::Patience;
use native::{Config, NativeTarget};
use path::{Outcome, Run, RunFlags, Step, Target, TargetError};
use program::{EdgeId, Program};
use smt::Pool;
use support::{hostile, ints, model};

fn config(early: &str, late: &str) -> Config {
    let mut config = Config::new(hostile());
    config.args = vec![early.into(), late.into()];
    config.limits.timeout_ms = 3000;
    config.patience = Patience {
        start: Duration::from_secs(10),
        grace: Duration::from_millis(300),
    };
    config.sizes = Sizes {
        nodes: 2 << 20,
        ..Sizes::default()
    };
    config
}

fn target<'p>(program: &'p Program, early: &str, late: &str) -> NativeTarget<'p> {
    NativeTarget::new(program, config(early, late)).expect("a segment and a folder")
}

fn edges(run: &Run) -> Vec<(EdgeId, bool)> {
    let edge = |step: &Step| match step {
        Step::Edge { edge, cond } => Some((*edge, cond.is_some())),
        _ => None,
    };
    run.steps.iter().filter_map(edge).collect()
}

/// A run on 7, which always behaves.
fn assert_behaves(target: &mut NativeTarget<'_>) {
    let mut pool = Pool::new();
    let run = target
        .run(&mut pool, &ints(&[7]))
        .expect("the target goes on");
    assert_eq!(run.outcome, Outcome::Exited(3));
    assert_eq!(edges(&run), [(EdgeId::from_u32(1), true)]);
    assert_eq!(run.input, ints(&[7]));
    assert!(run.flags.complete(), "{:?}", run.flags);
    assert!(
        matches!(run.steps.first(), Some(Step::Call(_))),
        "the prefix is there"
    );
    assert!(matches!(run.steps.last(), Some(Step::Return(_))));
}

/// Runs the sin between two runs that behave; returns the run that sinned.
fn sin(late: &str) -> Run {
    let program = model();
    let mut target = target(&program, "", late);
    assert_behaves(&mut target);
    let begin = Instant::now();
    let run = target
        .run(&mut Pool::new(), &ints(&[1]))
        .expect("the target goes on");
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{late} took {:?}",
        begin.elapsed()
    );
    assert_behaves(&mut target);
    assert_behaves(&mut target);
    run
}

#[test]
fn a_program_that_behaves() {
    let program = model();
    let mut target = target(&program, "", "");
    let mut pool = Pool::new();
    assert_behaves(&mut target);
    let run = target.run(&mut pool, &ints(&[-2])).expect("a run");
    assert_eq!(
        (run.outcome, edges(&run)),
        (Outcome::Exited(0), vec![(EdgeId::from_u32(0), true)])
    );
    let Step::Edge {
        cond: Some(cond), ..
    } = run.steps[1]
    else {
        panic!("{:?}", run.steps)
    };
    assert_eq!(smt::eval(&pool, cond.term, &ints(&[7]).assignment()), 1);
    assert_eq!(smt::eval(&pool, cond.term, &run.input.assignment()), 0);
    // Values beyond what is supplied are 0.
    let run = target.run(&mut pool, &ints(&[])).expect("a run");
    assert_eq!(run.input, ints(&[0]));
    assert_eq!(target.stats().starts, 1);
}

#[test]
fn ways_to_end() {
    assert_eq!(sin("exit").outcome, Outcome::Exited(7));
    assert_eq!(sin("abort").outcome, Outcome::Signalled(libc::SIGABRT));
    assert_eq!(sin("segv").outcome, Outcome::Signalled(libc::SIGSEGV));
    assert_eq!(sin("loop").outcome, Outcome::Timeout);
    assert_eq!(sin("close-all").outcome, Outcome::Exited(0));
}

#[test]
fn a_server_that_is_killed_or_stopped() {
    assert_eq!(
        sin("kill-parent").outcome,
        Outcome::Signalled(libc::SIGKILL)
    );
    assert_eq!(sin("stop-parent").outcome, Outcome::Timeout);
}

#[test]
fn a_segment_that_is_written_over() {
    for late in ["control", "hot", "header", "areas", "inputs", "random"] {
        let run = sin(&format!("scribble-{late}"));
        assert!(run.input.values.len() <= 1 << 20, "{late}");
    }
    sin("done-too-early");
}

#[test]
fn supplied_values_are_what_counts() {
    let run = sin("scribble-inputs");
    assert!(run.input.values.is_empty() && run.flags.contains(RunFlags::INPUTS_TRUNCATED));
}

#[test]
fn events_that_make_no_sense_end_the_path() {
    for late in ["forward-label", "bad-edge"] {
        let run = sin(late);
        assert!(run.flags.contains(RunFlags::EVENTS_TRUNCATED), "{late}");
        assert_eq!(edges(&run), [], "{late}");
    }
    // The label of the broken event is taken from the next one.
    let run = sin("half-event");
    assert!(!run.flags.complete());
    let run = sin("wrong-value");
    assert!(
        run.flags.contains(RunFlags::STALE),
        "an edge against its condition loses the condition"
    );
    assert_eq!(edges(&run)[0], (EdgeId::from_u32(0), false));
}

#[test]
fn expressions_as_deep_as_they_are_long() {
    let run = sin("deep");
    assert_eq!(edges(&run).len(), 2);
    assert!(run.flags.complete());
}

#[test]
fn files_do_not_live_to_the_next_run() {
    assert_eq!(sin("write-file").outcome, Outcome::Exited(0));
    let program = model();
    let mut target = target(&program, "keep-file", "write-file");
    for _ in 0..3 {
        let run = target.run(&mut Pool::new(), &ints(&[1])).expect("a run");
        assert_eq!(run.outcome, Outcome::Exited(0));
    }
    // Landlock does not permit it; without, the folder comes back.
    sin("remove-cwd");
}

#[test]
fn no_descriptor_is_inherited() {
    // Somebody else's descriptor that is not closed on exec.
    // SAFETY: duplicates a descriptor of our own.
    #[allow(unsafe_code, reason = "std closes every descriptor on exec")]
    let leaked = unsafe { libc::dup(0) };
    assert!(leaked >= 0);
    assert_eq!(sin("descriptors").outcome, Outcome::Exited(0));
}

#[test]
fn no_write_outside() {
    let program = model();
    let outside = support::folder().join("outside");
    let mut config = config("", "write-outside");
    config.env.push(("OUTSIDE".into(), outside.clone().into()));
    let mut target = NativeTarget::new(&program, config).expect("a target");
    let run = target.run(&mut Pool::new(), &ints(&[1])).expect("a run");
    if target
        .isolation()
        .contains(native::sandbox::Isolation::FILES)
    {
        assert_eq!(run.outcome, Outcome::Exited(9));
        assert!(!outside.exists());
    }
    assert_behaves(&mut target);
}

#[test]
fn nothing_stays_behind() {
    for late in ["daemon", "daemon-kill-parent"] {
        let program = model();
        let marker = format!("{late}-{}", std::process::id());
        let mut config = config("", late);
        config.env.push(("MARKER".into(), marker.clone().into()));
        let mut target = NativeTarget::new(&program, config).expect("a target");
        target.run(&mut Pool::new(), &ints(&[1])).expect("a run");
        assert_behaves(&mut target);
        drop(target);
        assert_eq!(alive_with(&marker), 0, "{late}");
    }
}

fn alive_with(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc")
        .expect("there is /proc")
        .flatten();
    let environments = entries.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok());
    environments
        .filter(|text| String::from_utf8_lossy(text).contains(marker))
        .count()
}

#[test]
fn programs_that_do_not_start() {
    let program = model();
    let message = |early: &str| {
        let mut config = config(early, "");
        config.patience.start = Duration::from_millis(700);
        let mut target = NativeTarget::new(&program, config).expect("a target");
        let error = target.start(&ints(&[])).expect_err("it does not start");
        let text = error.to_string();
        text.split_once(": ")
            .map_or(text.clone(), |(_, rest)| rest.to_owned())
    };
    let check = |early: &str, expected: &str| {
        let text = message(early);
        assert!(text.starts_with(expected), "{early}: {text}");
    };
    check(
        "no-attach",
        "not built by `bothways cc` (it ended with exit status 5 without attaching",
    );
    check(
        "no-attach-loop",
        "not built by `bothways cc` (it ran for 0.7 s without attaching",
    );
    check(
        "no-input",
        "has no symbolic input: it ended with exit status 4",
    );
    check("crash", "crashed before its first input (SIGSEGV)");
    check("hang", "hangs before its first input (gave up after 0.7 s)");
    check("refuse", "built by another version of `bothways cc`");
    assert!(message("complain").ends_with("The program said: cannot do what I should"));
    let config = Config::new("/nonexistent/program");
    let mut target = NativeTarget::new(&program, config).expect("a target");
    let error = target
        .run(&mut Pool::new(), &ints(&[]))
        .expect_err("no such file");
    assert!(
        matches!(&error, TargetError::Start(text) if text.contains("/nonexistent/program: cannot be started")),
        "{error}"
    );
}
