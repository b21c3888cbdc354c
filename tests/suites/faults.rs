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
