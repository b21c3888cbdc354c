//! The judge on a program that ends in every way that there is.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use native::judge::{
    Build, Judge, JudgeConfig, JudgeFault, Replay, TestCase, TestEnd, Unit, build,
};
use native::launch::Ended;
use native::toolchain::Toolchain;
use report::judge::JudgeReport;

const REPLAY: &str = include_str!("../../runtime/replay/replay.c");

/// The replay runtime, not compiled yet.
fn replay() -> Replay {
    Replay {
        text: REPLAY.into(),
        object: None,
    }
}

const PROGRAM: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void bw_int(int *, const char *);
static int below(int x, int limit) { if (x < limit) return 1; return 0; }
int main(void) {
    int how, y;
    bw_int(&how, "how");
    bw_int(&y, "y");
    if (below(y, 0)) fputs("negative\n", stderr);
    if (how == 1) abort();
    if (how == 2) for (;;) sleep(1);
    if (how == 3) _exit(3);
    if (how == 4) *(volatile int *)0 = 1;
    if (how == 5) { signal(SIGALRM, SIG_IGN); for (;;) __asm__ volatile(""); }
    if (how == 6) { for (int fd = 0; fd < 64; fd++) close(fd); return 6; }
    if (how == 7) { signal(SIGALRM, SIG_IGN); signal(SIGTERM, SIG_IGN); for (;;) sleep(1); }
    if (how == 8) { char *p; while ((p = malloc(1 << 24))) memset(p, 1, 1 << 24); return 8; }
    if (how == 9) { if (!fork()) { setsid(); for (;;) sleep(1); } return 9; }
    if (how == 10) { char line[64]; if (fgets(line, 64, stdin)) fputs(line, stderr); return 10; }
    if (how == 11) return open("/tmp/outside", O_CREAT | O_WRONLY, 0600) < 0 ? 11 : 12;
    return 0;
}
"#;

struct Fixture {
    folder: PathBuf,
    executable: PathBuf,
}

impl Fixture {
    /// Builds the program in a folder of this name.
    fn new(name: &str) -> Fixture {
        let folder = support::folder().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let toolchain = Toolchain::find().expect("clang");
        let bitcode = front_end(&toolchain, &folder);
        let executable = folder.join("judge");
        let units = vec![Unit {
            uid: 0x1234,
            name: "program.c",
            bitcode: &bitcode,
        }];
        let plan = Build {
            units,
            replay: vec![replay()],
            link_args: Vec::new(),
            machine: Vec::new(),
            directory: folder.clone(),
            cxx: false,
            cache: folder.join("cache"),
            output: executable.clone(),
            jobs: 2,
        };
        build(&toolchain, &plan).expect("the judge's build");
        // From the cache.
        build(&toolchain, &plan).expect("the judge's build, again");
        Fixture { folder, executable }
    }

    fn judge(&self, change: impl Fn(&mut JudgeConfig)) -> Judge {
        let mut config = JudgeConfig::new(&self.executable);
        config.timeout = Duration::from_millis(800);
        config.jobs = 2;
        config.words = 100;
        change(&mut config);
        Judge::new(config).expect("a judge")
    }

    fn test(&self, how: i32, y: i32, more: &str) -> TestCase {
        let path = self.folder.join(format!("test-{how}-{y}"));
        std::fs::write(
            &path,
            format!("bothways-test 1\nhow i32 {how}\ny i32 {y}\n{more}"),
        )
        .expect("a file");
        path.into()
    }
}

fn front_end(toolchain: &Toolchain, folder: &Path) -> Vec<u8> {
    let source = folder.join("program.c");
    let bitcode = folder.join("program.bc");
    std::fs::write(&source, PROGRAM).expect("the source can be written");
    let flags =
        "-O0 -Xclang -disable-O0-optnone -Xclang -disable-llvm-passes -g -fprofile-instr-generate
        -fcoverage-mapping -mllvm -enable-name-compression=false -fwrapv -emit-llvm -w -c";
    let mut clang = Command::new(&toolchain.clang);
    clang
        .args(flags.split_whitespace())
        .arg(&source)
        .arg("-o")
        .arg(&bitcode);
    assert!(clang.status().expect("clang runs").success());
    std::fs::read(&bitcode).expect("bitcode")
}

/// Line of each condition of `main` with its counts of true and false.
fn branches(report: &JudgeReport, line: u32) -> (u64, u64) {
    let main = report
        .functions
        .iter()
        .find(|function| function.name == "main")
        .expect("main");
    let branch = main
        .branches
        .iter()
        .find(|branch| branch.range.line == line)
        .expect("a branch");
    (branch.true_count, branch.false_count)
}

#[test]
fn every_way_to_end_counts() {
    let fixture = Fixture::new("ends");
    let judge = fixture.judge(|config| config.sandbox.address_bytes = Some(96 << 20));
    let tests: Vec<TestCase> = (0..=9).map(|how| fixture.test(how, how - 1, "")).collect();
    let runs = judge.run_all(&tests).expect("they run");
    let ends: Vec<TestEnd> = runs.iter().map(|run| run.end).collect();
    let exited = |status| TestEnd::Ended(Ended::Exited(status));
    let signalled = |signal| TestEnd::Ended(Ended::Signalled(signal));
    let expected = [
        exited(0),
        signalled(libc::SIGABRT),
        TestEnd::Timeout,
        exited(3),
        signalled(libc::SIGSEGV),
        TestEnd::Timeout,
        exited(6),
        TestEnd::Timeout,
        exited(8),
        exited(9),
    ];
    assert_eq!(ends, expected);
    assert_eq!(String::from_utf8_lossy(&runs[0].words), "negative\n");
    // The one that ignores every signal leaves nothing; all others are counted up to their end.
    assert_eq!(
        runs.iter()
            .map(|run| run.profiles.len())
            .collect::<Vec<_>>(),
        [1, 1, 1, 1, 1, 1, 1, 0, 1, 1]
    );
    let report = judge.report(&runs).expect("a report");
    for (how, line) in (1..=9).zip(15..) {
        let counts = branches(&report, line);
        let yes = u64::from(how != 7);
        // Counters cannot know that a signal ended a statement: those go on in clang's arithmetic.
        let goes_on =
            |other: i32| other == 0 || other > how || (other < how && [2, 4, 5].contains(&other));
        let no = (0..=9)
            .filter(|other| goes_on(*other) && *other != 7)
            .count() as u64;
        assert_eq!(counts, (yes, no), "how = {how}");
    }
    assert_eq!(branches(&report, 14), (1, 8));
    let one = judge.report(&runs[1..2]).expect("a report of one test");
    assert_eq!((branches(&one, 15), branches(&one, 16)), ((1, 0), (0, 0)));
    judge.forget(&runs[1]);
}

#[test]
fn memory_without_end() {
    let fixture = Fixture::new("memory");
    let judge = fixture.judge(|config| {
        config.memory_bytes = 64 << 20;
        config.timeout = Duration::from_secs(10);
    });
    let run = judge.run(&fixture.test(8, 0, "")).expect("it runs");
    assert_eq!((run.end, run.profiles.len()), (TestEnd::Memory, 1));
}

#[test]
fn nothing_stays_behind() {
    let fixture = Fixture::new("behind");
    let marker = format!("judge-{}", std::process::id());
    for adopting in [false, true] {
        if adopting {
            native::orphans::adopt();
        }
        let judge = fixture.judge(|config| config.env.push(("MARKER".into(), (&marker).into())));
        let run = judge.run(&fixture.test(9, 0, "")).expect("it runs");
        assert_eq!(run.end, TestEnd::Ended(Ended::Exited(9)));
        let entries = std::fs::read_dir("/proc").expect("there is /proc");
        let environments = entries
            .flatten()
            .filter_map(|entry| std::fs::read(entry.path().join("environ")).ok());
        let alive = environments.filter(|text| String::from_utf8_lossy(text).contains(&marker));
        assert_eq!(alive.count(), 0, "adopting: {adopting}");
        let isolation = run.isolation;
        assert_eq!(
            isolation.contains(native::sandbox::Isolation::PROCESSES),
            adopting
        );
    }
}

#[test]
fn no_test_at_all() {
    let fixture = Fixture::new("none");
    let judge = fixture.judge(|_| {});
    assert!(matches!(
        judge.report(&[]),
        Err(JudgeFault::NoProfile { tests: 0 })
    ));
    let report = judge.empty_report().expect("a report");
    let main = report
        .functions
        .iter()
        .find(|function| function.name == "main")
        .expect("main is known");
    assert!(
        main.branches
            .iter()
            .all(|branch| branch.true_count + branch.false_count == 0)
    );
    assert_eq!(report.totals.branches.covered, 0);
    assert!(report.totals.branches.count > 20);
}

#[test]
fn broken_profiles_are_left_out() {
    let fixture = Fixture::new("broken");
    let judge = fixture.judge(|_| {});
    let runs = judge
        .run_all(&[fixture.test(1, 0, ""), fixture.test(3, 0, "")])
        .expect("they run");
    let profile = &runs[0].profiles[0];
    let text = std::fs::read(profile).expect("a profile");
    std::fs::write(profile, &text[..text.len() / 2]).expect("written");
    let report = judge.report(&runs).expect("the other one is enough");
    assert_eq!(
        (branches(&report, 15), branches(&report, 17)),
        ((0, 1), (1, 0))
    );
}

#[test]
fn standard_input_and_isolation() {
    let fixture = Fixture::new("stdin");
    let judge = fixture.judge(|_| {});
    let run = judge
        .run(&fixture.test(10, 0, "stdin stream 68690a\n"))
        .expect("it runs");
    assert_eq!(
        (run.end, String::from_utf8_lossy(&run.words).trim()),
        (TestEnd::Ended(Ended::Exited(10)), "hi")
    );
    let run = judge.run(&fixture.test(11, 0, "")).expect("it runs");
    if run.isolation.contains(native::sandbox::Isolation::FILES) {
        assert_eq!(run.end, TestEnd::Ended(Ended::Exited(11)));
    }
}

#[test]
fn a_build_that_fails_says_why() {
    let toolchain = Toolchain::find().expect("clang");
    let folder = support::folder().join("fails");
    let plan = Build {
        units: vec![Unit {
            uid: 1,
            name: "broken.c",
            bitcode: b"no bitcode",
        }],
        replay: vec![replay()],
        link_args: Vec::new(),
        machine: Vec::new(),
        directory: support::folder(),
        cxx: false,
        cache: folder.clone(),
        output: folder.join("judge"),
        jobs: 1,
    };
    let error = build(&toolchain, &plan)
        .expect_err("that is no bitcode")
        .to_string();
    assert!(
        error.starts_with("broken.c: ") && error.contains("expected top-level entity"),
        "{error}"
    );
    assert!(!folder.join("judge").exists());
}
