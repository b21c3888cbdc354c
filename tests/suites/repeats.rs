//! Runs without a fork: whatever a run does to its process, the next one finds what it would find in a new process.

use std::path::{Path, PathBuf};

use native::{Config, NativeTarget};
use path::{InputVector, Outcome, Role, Stream, Target, Visits};
use program::{EdgeId, Program};

/// Whether a process can make more runs after such a one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// All runs are made without a fork.
    Repeats,
    /// Some are; the others end their process, as runs with a fork do.
    Mixed,
}
use Way::{Mixed, Repeats};

/// The cases of `repeats/cases.c`.
const CASES: &[(&str, Way)] = &[
    ("nothing", Repeats),
    ("globals", Repeats),
    ("heap", Repeats),
    ("brk_moves", Repeats),
    ("heap_shrinks", Repeats),
    ("many_blocks", Repeats),
    ("stack", Repeats),
    ("streams", Repeats),
    ("opened", Repeats),
    ("closed", Repeats),
    ("replaced", Repeats),
    ("position", Repeats),
    ("status_flags", Repeats),
    ("folder", Repeats),
    ("mask_of_files", Repeats),
    ("rights", Repeats),
    ("variables", Repeats),
    ("handlers", Mixed),
    ("mask", Repeats),
    ("mask_early", Repeats),
    ("fault_is_handled", Repeats),
    ("early_handler", Repeats),
    ("exits_in_handler", Repeats),
    ("pipe_breaks", Mixed),
    ("signal_stack", Mixed),
    ("gnu_start", Repeats),
    ("contexts", Repeats),
    ("timer", Mixed),
    ("maps", Repeats),
    ("unmaps", Mixed),
    ("frees_large", Repeats),
    ("grows_large", Repeats),
    ("reads_freed", Mixed),
    ("makes_file", Repeats),
    ("makes_file_alone", Repeats),
    ("protects", Mixed),
    ("drops", Repeats),
    ("rounding", Repeats),
    ("old_unit", Repeats),
    ("direction", Repeats),
    ("forks", Mixed),
    ("threads", Mixed),
    ("spawns", Mixed),
    ("becomes_another", Mixed),
    ("at_exits", Repeats),
    ("exits_at_once", Repeats),
    ("exits_raw", Repeats),
    ("ends_thread", Mixed),
    ("aborts", Repeats),
    ("abort_is_handled", Mixed),
    ("faults", Mixed),
    ("kills_itself", Mixed),
    ("limits", Mixed),
    ("name", Mixed),
    ("own_dispatch", Mixed),
    ("own_handler", Mixed),
    ("library_state", Repeats),
    ("error_number", Repeats),
    ("sleeps", Repeats),
    ("files", Repeats),
    ("runs_long", Mixed),
    ("asks_often", Mixed),
    ("messages", Repeats),
];

const ROUNDS: usize = 3;
const INPUTS: &[&[u8]] = &[b"a", b"b", b"c", b"x", b""];

fn input(bytes: &[u8]) -> InputVector {
    let stream = Stream {
        id: 1,
        role: Role::Stdin,
        name: "stdin".into(),
        bytes: bytes.to_vec(),
        min: 0,
        max: 4096,
        used: 0,
    };
    InputVector {
        values: Vec::new(),
        streams: vec![stream],
    }
}

/// A program that `bothways cc` built, and its model.
struct Built {
    /// Removed with it.
    _folder: tempfile::TempDir,
    executable: PathBuf,
    model: Program,
}

impl Built {
    fn new(source: &Path, flags: &[&str]) -> Built {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = source.to_str().expect("a path");
        let args = [&["cc", "-O1", "-w", source, "-o", "program"], flags].concat();
        let output = e2e::run(folder.path(), &args);
        assert!(output.status.success(), "{}", e2e::shown(&output));
        let executable = folder.path().join("program");
        let built = session::load::Program::read(&executable).expect("it is read");
        let model = session::build::model(&built).expect("a model");
        Built {
            _folder: folder,
            executable,
            model,
        }
    }

    fn target(&self, argument: &str, repeat: bool) -> NativeTarget<'_> {
        let mut config = Config::new(&self.executable);
        config.args = vec![argument.into()];
        config.limits.timeout_ms = 300;
        config.repeat = repeat;
        NativeTarget::new(&self.model, config).expect("a target")
    }
}

/// How a run ended, and which edges it took how often.
fn run(target: &mut NativeTarget<'_>, bytes: &[u8]) -> (Option<Outcome>, Vec<(EdgeId, u32)>) {
    let mut visits = Visits::default();
    let outcome = target
        .run_concrete(&input(bytes), &mut visits)
        .expect("the target goes on");
    let mut edges: Vec<(EdgeId, u32)> = visits.edges().collect();
    edges.sort_unstable();
    // How far it comes in its time is chance.
    if outcome == Some(Outcome::Timeout) {
        edges.iter_mut().for_each(|(_, times)| *times = 1);
    }
    (outcome, edges)
}

#[test]
fn a_program_that_tells_the_difference_is_forked() {
    let cases = e2e::root().join("tests/repeats/cases.c");
    let built = Built::new(&cases, &["-lpthread", "-lm"]);
    let mut target = built.target("processor_time", true);
    let mut last = None;
    for _ in 0..400 {
        last = run(&mut target, b"a").0;
        if target.stats().told_apart {
            break;
        }
    }
    assert!(target.stats().told_apart);
    assert_eq!(
        last,
        Some(Outcome::Exited(1)),
        "the run that counts is a fork"
    );
    let repeated = target.stats().repeated;
    assert_eq!(run(&mut target, b"b").0, Some(Outcome::Exited(2)));
    assert_eq!(target.stats().repeated, repeated);
}

/// The engine hands runs to the process that makes them; the server sleeps.
#[test]
fn runs_go_past_the_server() {
    let cases = e2e::root().join("tests/repeats/cases.c");
    let built = Built::new(&cases, &["-lpthread", "-lm"]);
    let mut target = built.target("globals", true);
    for _ in 0..200 {
        assert_eq!(run(&mut target, b"a").0, run(&mut target, b"a").0);
    }
    let stats = target.stats();
    // A run that takes as long as a server sleeps is not one of them, nor is the first behind a check.
    assert!(
        stats.direct > stats.repeated / 2,
        "{} of {}",
        stats.direct,
        stats.repeated
    );
}

#[test]
fn a_run_finds_what_it_would_find_in_a_new_process() {
    let cases = e2e::root().join("tests/repeats/cases.c");
    let built = Built::new(&cases, &["-lpthread", "-lm"]);
    let mut wrong = Vec::new();
    for &(name, way) in CASES {
        let [mut forked, mut repeated] = [false, true].map(|repeat| built.target(name, repeat));
        // The start makes runs of its own.
        run(&mut repeated, b"x");
        let before = repeated.stats().repeated;
        for round in 0..ROUNDS {
            for bytes in INPUTS {
                let want = run(&mut forked, bytes);
                assert_ne!(want.0, Some(Outcome::Exited(200)), "no case {name}");
                let got = run(&mut repeated, bytes);
                if got != want {
                    wrong.push(format!(
                        "{name}, round {round}, {bytes:?}: {got:?}, not {want:?}"
                    ));
                }
            }
        }
        assert_eq!(forked.stats().repeated, 0);
        assert_eq!(
            forked.stats().lost_servers + repeated.stats().lost_servers,
            0
        );
        let all = (ROUNDS * INPUTS.len()) as u64;
        let count = repeated.stats().repeated - before;
        if count == 0 || (count == all) != (way == Repeats) {
            wrong.push(format!("{name}: {count} of {all} runs without a fork"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
