//! What goes wrong around the command: outputs that are closed or full, signals, programs that misbehave. It ends in
//! order, with what there is, and leaves nothing running.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use e2e::{bothways, run, shown};
use serde_json::Value;

/// A folder with this program as `a.c`.
fn folder(source: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = format!("#include \"bothways.h\"\n{source}");
    fs::write(dir.path().join("a.c"), text).expect("writes");
    dir
}

const PLAIN: &str = r#"
int main(void) { int x; bw_int(&x, "x"); if (x == 3) return 1; return 0; }
"#;

/// Endless work for the search: it goes on until it is stopped.
const ENDLESS: &str = r#"
int main(void) {
    unsigned x, n = 0;
    bw_uint(&x, "x");
    for (int i = 0; i < 32; i++)
        if (x >> i & 1) n += 3 * i;
    if (n * n == 7) return 1;
    return 0;
}
"#;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `bothways` with its standard output going to `stdout`.
fn run_into(dir: &Path, args: &[&str], stdout: Stdio) -> Output {
    Command::new(bothways())
        .args(args)
        .current_dir(dir)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .output()
        .expect("bothways starts")
}

fn full() -> Stdio {
    let options = File::options().write(true).open("/dev/full");
    Stdio::from(options.expect("Linux has /dev/full"))
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    Stdio::from(writer)
}

#[test]
fn outputs_that_nobody_reads_or_that_are_full() {
    let dir = folder(PLAIN);
    let made = run(dir.path(), &["test", "a.c", "-q", "-o", "suite"]);
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    let commands: [&[&str]; 5] = [
        &["strategies"],
        &["doctor"],
        &["replay", "suite"],
        &["replay", "suite", "--gdb", "1"],
        &["test", "a.c", "--json", "-q"],
    ];
    for args in commands {
        let output = run_into(dir.path(), args, closed());
        assert_eq!(
            output.status.code(),
            Some(141),
            "{args:?} {}",
            shown(&output)
        );
        assert_eq!(stderr(&output), "", "{args:?}");
        let output = run_into(dir.path(), args, full());
        assert_eq!(output.status.code(), Some(2), "{args:?} {}", shown(&output));
        let words = "bothways: cannot write to standard output: No space left on device";
        assert!(
            stderr(&output).starts_with(words),
            "{args:?} {}",
            shown(&output)
        );
    }
    // The suite is there all the same.
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

#[test]
fn standard_error_that_is_full() {
    let dir = folder(PLAIN);
    let status = Command::new(bothways())
        .args(["test", "a.c"])
        .current_dir(dir.path())
        .stderr(full())
        .status()
        .expect("bothways starts");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn errors_at_the_start_name_the_users_file() {
    let dir = folder("int main(void) { return 0; }\n");
    let output = run(dir.path(), &["test", "a.c"]);
    let text = stderr(&output);
    assert!(
        text.starts_with("bothways: a.c: has no symbolic input"),
        "{text}"
    );
}

#[test]
fn memory_without_end_is_the_same_for_search_judge_and_replay() {
    let dir = folder(
        r#"
#include <stdlib.h>
#include <string.h>
int main(void) {
    int x;
    bw_int(&x, "x");
    if (x == 77)
        for (char *p; (p = malloc(1 << 20));) memset(p, 1, 1 << 20);
    return 0;
}
"#,
    );
    let args = [
        "test",
        "a.c",
        "--memory",
        "64M",
        "--timeout",
        "10s",
        "--json",
        "-q",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["failures"][0]["outcome"], "memory", "{report}");
    assert!(!shown(&output).contains("under the judge"), "{report}");
    // Everything is covered, so nobody waits for what chance may find.
    assert_eq!(report["stopped_by"], "exhausted", "{report}");
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

/// Command lines of running processes that have this word in them.
fn running(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("there is /proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(word))
        .collect()
}

#[test]
fn what_detaches_itself_does_not_stay() {
    // Of each test process its own number of seconds, so that it finds its own and nobody else's.
    let seconds = format!("41.{}", std::process::id());
    let dir = folder(&format!(
        r#"
#include <stdlib.h>
#include <unistd.h>
int main(void) {{
    int x;
    bw_int(&x, "x");
    if (x > 100) {{
        if (!fork()) {{
            setsid();
            if (!fork()) {{
                char *none[] = {{NULL}};
                if (x % 2) execle("/bin/sleep", "sleep", "{seconds}", (char *)NULL, none);
                execl("/bin/sleep", "sleep", "{seconds}", (char *)NULL);
            }}
            _exit(0);
        }}
        if (x % 3 == 1) usleep(20000);
        return 1;
    }}
    return 0;
}}
"#
    ));
    let output = run(dir.path(), &["test", "a.c", "--keep-all", "--json", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(running(&seconds), Vec::<String>::new());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        !report["notes"].to_string().contains("stay behind"),
        "{report}"
    );
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(running(&seconds), Vec::<String>::new());
}

#[test]
fn conditions_in_other_threads_say_so() {
    let dir = folder(
        r#"
#include <pthread.h>
static int n;
static void *work(void *unused) {
    if (n * 40503u == 0x1234abcdu) return &n; /* not to be hit by chance */
    return unused;
}
int main(void) {
    pthread_t thread;
    bw_int(&n, "n");
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"#,
    );
    let output = run(
        dir.path(),
        &["test", "a.c", "--json", "-q", "--time", "60s"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["goals"]["covered"], 1, "{report}");
    assert_eq!(report["open"][0]["reason"], "other thread", "{report}");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("threads") && !notes.contains("event buffer"),
        "{notes}"
    );
    assert_eq!(
        report["judge"]["differences"],
        serde_json::json!([]),
        "{report}"
    );
}

/// A small file system of its own, gone at the end.
struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    /// `None` where this user may not mount one.
    fn mount(kibibytes: u32) -> Option<Tmpfs> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kibibytes}k"), "tmpfs"]);
        let output = mount.arg(dir.path()).output().ok()?;
        output.status.success().then_some(Tmpfs(dir))
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_disk_that_is_full_while_the_search_runs() {
    let dir = folder(ENDLESS);
    // The first holds the store, and not many tests; the second no store.
    for kibibytes in [192, 64] {
        let Some(disk) = Tmpfs::mount(kibibytes) else {
            eprintln!("skipped: mounting a tmpfs takes root");
            return;
        };
        fill(&dir, &disk);
    }
}

/// Searches until the disk is full.
fn fill(dir: &tempfile::TempDir, disk: &Tmpfs) {
    let suite = disk.0.path().join("suite");
    let out = suite.to_str().expect("the path is text");
    let args = [
        "test",
        "a.c",
        "--keep-all",
        "--time",
        "20s",
        "-q",
        "-o",
        out,
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let text = stderr(&output);
    for words in ["cannot write", out, "No space left on device"] {
        assert!(text.contains(words), "{text}");
    }
    let Ok(tests) = fs::read_dir(suite.join("tests")) else {
        return;
    };
    let mut files = 0;
    for test in tests.flatten() {
        let text = fs::read_to_string(test.path()).expect("a test");
        assert!(
            text.starts_with("bothways-test 1\n") && text.ends_with('\n'),
            "{test:?}"
        );
        files += 1;
    }
    let stored = || store::Reader::open(&suite).and_then(|reader| reader.tests());
    let before = stored().expect("whole");
    assert!(before.len() >= files, "{files}");
    assert!(
        text.contains("make room, and `bothways resume` goes on"),
        "{text}"
    );
    // With room again, it does, and nothing is lost.
    let enlarged = Command::new("mount")
        .args(["-o", "remount,size=100m"])
        .arg(disk.0.path())
        .status();
    assert!(enlarged.expect("mount starts").success());
    let output = run(dir.path(), &["resume", out, "-t", "2s", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let after = stored().expect("whole");
    let is_kept = |test: &store::StoredTest| after.iter().any(|other| other.key == test.key);
    assert!(
        before.iter().all(is_kept),
        "{} {}",
        before.len(),
        after.len()
    );
    assert!(after.len() > before.len(), "{}", before.len());
}

#[test]
fn an_interrupted_search_leaves_a_whole_suite() {
    let dir = folder(ENDLESS);
    let mut child = Command::new(bothways())
        // Its last condition contradicts itself, which ends the search at once.
        .args([
            "test",
            "a.c",
            "--keep-all",
            "--no-proofs",
            "--time",
            "100s",
            "-q",
        ])
        .current_dir(dir.path())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bothways starts");
    let tests = dir.path().join("bothways-out/tests");
    let begin = Instant::now();
    while fs::read_dir(&tests).map_or(0, Iterator::count) < 3 {
        assert!(begin.elapsed() < Duration::from_secs(60), "no tests");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The shell's own `kill`: a small Debian has no other.
    let kill = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status();
    assert!(kill.expect("there is a shell").success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(60));
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(
        shown(&output).contains("branches covered"),
        "{}",
        shown(&output)
    );
}

/// A program that does `sin` for one input, and has branches before and after it.
fn hostile(sin: &str) -> String {
    format!(
        r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int before, after;
static void on_exit_leave(void) {{ _exit(9); }}
static void *idle(void *unused) {{ return unused; }}
static void sin_now(void) {{
    (void)on_exit_leave, (void)idle;
    {sin}
}}
int main(void) {{
    int x, y;
    bw_int(&x, "x");
    bw_int(&y, "y");
    if (y == 1234) before++;
    if (x == 77) sin_now();
    if (y == 4321) after++;
    return before + after;
}}
"#
    )
}

/// The campaign ends in order; its report.
fn ends(sin: &str) -> Value {
    let dir = folder(&hostile(sin));
    let args = "test a.c --json -q --time 30s --timeout 1s --memory 256M";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{sin}: {}", shown(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The campaign covers all six outcomes of `main`, also under the judge.
fn survives(sin: &str) -> Value {
    let report = ends(sin);
    let functions = report["functions"].as_array().expect("functions");
    let main = functions.iter().find(|row| row["name"] == "main");
    assert_eq!(main.expect("main")["covered"], 6, "{sin}: {report}");
    report
}

fn failure(report: &Value) -> &str {
    report["failures"][0]["outcome"].as_str().unwrap_or("none")
}

#[test]
fn programs_that_close_or_scribble_over_descriptors() {
    survives("for (int fd = 0; fd < 1024; fd++) close(fd);");
    survives("for (int fd = 0; fd < 64; fd++) if (write(fd, \"garbage\", 7) < 0) continue;");
    survives("for (int fd = 0; fd < 64; fd++) if (ftruncate(fd, 0) < 0) continue;");
    survives("int fd = open(\"/dev/null\", O_RDWR); for (int to = 0; to < 64; to++) dup2(fd, to);");
}

#[test]
fn programs_that_fork_or_start_threads() {
    survives("if (!fork()) _exit(3); wait(NULL);");
    survives("if (!fork()) for (;;) pause();");
    survives("pthread_t t; if (!pthread_create(&t, NULL, idle, NULL)) pthread_join(t, NULL);");
    survives("for (int i = 0; i < 20; i++) if (!fork()) { setsid(); pause(); }");
}

#[test]
fn programs_that_end_in_their_own_way() {
    assert_eq!(failure(&survives("_exit(5);")), "none");
    assert_eq!(
        failure(&survives("atexit(on_exit_leave); exit(1);")),
        "none"
    );
    assert_eq!(failure(&survives("abort();")), "signal 6 (SIGABRT)");
    assert_eq!(failure(&survives("raise(SIGKILL);")), "signal 9 (SIGKILL)");
}

#[test]
fn programs_that_stop_or_overrun() {
    assert_eq!(failure(&survives("raise(SIGSTOP);")), "timeout");
    survives("char small[4]; memset(small, 0x5a, 1 << 20);");
    survives("memset(malloc(16), 0x5a, 1 << 28);");
    // It writes over what records the run, ours as well as clang's: nothing is known of it but its end.
    let report = ends("memset(&before, 0x5a, 1 << 24);");
    assert_eq!(failure(&report), "signal 11 (SIGSEGV)", "{report}");
    let differences = &report["judge"]["differences"];
    assert_eq!(*differences, serde_json::json!([]), "{report}");
}

#[test]
fn programs_that_ask_for_values_without_end() {
    let source = r#"
        extern int __VERIFIER_nondet_int(void);
        extern void reach_error(void);
        int main(void) {
            int state = 0;
            for (;;) {
                int in = __VERIFIER_nondet_int();
                if (in == 7 && state == 3)
                    reach_error();
                state = in == state + 10 ? state + 1 : 0;
            }
        }
    "#;
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let args = ["test", "a.c", "--timeout", "1s", "--require", "100%"];
    let output = run(dir.path(), &args);
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("may ask for values without end"), "{text}");
    assert!(text.contains("as the engine says"), "{text}");
    let output = run(dir.path(), &["replay", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}
