//! Programs that turn on everybody: they fork without end, or send signals to all. Each test runs in a PID namespace and a control
//! group of its own; where the machine permits none, it does not run at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use e2e::{bothways, shown};

/// Most processes of a test, `bothways` and its tools included.
const MOST: u32 = 3000;

/// Processes and threads of `bothways`, of the compiler and of the shell.
const TOOLS: usize = 100;

/// A control group that bounds what a test starts; removed when dropped.
struct Guard(PathBuf);

impl Guard {
    /// Version 1 or 2, beside our own group.
    fn new(name: &str) -> Option<Guard> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let group = |line: &str| {
            let (base, group) = match line.splitn(3, ':').collect::<Vec<_>>()[..] {
                [_, "pids", group] => ("/sys/fs/cgroup/pids", group),
                [_, "", group] => ("/sys/fs/cgroup", group),
                _ => return None,
            };
            let name = format!("bothways-test-{}-{name}", std::process::id());
            let path = Path::new(base)
                .join(group.trim_start_matches('/'))
                .join(name);
            fs::create_dir(&path).ok()?;
            let guard = Guard(path);
            fs::write(guard.0.join("pids.max"), MOST.to_string()).ok()?;
            Some(guard)
        };
        own.lines().find_map(group)
    }

    fn peak(&self) -> Option<u32> {
        let text = fs::read_to_string(self.0.join("pids.peak")).ok()?;
        text.trim().parse().ok()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Runs a shell script in a group and a PID namespace of its own, in a folder with this program as `a.c`; `None` where the machine
/// does not permit it.
fn contained(name: &str, source: &str, script: &str) -> Option<(Guard, Output)> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let guard = Guard::new(name)?;
    let namespace = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    let can = Command::new("unshare").args(namespace).arg("true").status();
    if !can.is_ok_and(|status| status.success()) {
        return None;
    }
    let output = Command::new("sh")
        .args([
            "-c",
            "echo $$ > \"$GUARD/cgroup.procs\" || exit 99; exec \"$@\"",
            "sh",
            "unshare",
        ])
        .args(namespace)
        .args(["timeout", "-k", "5", "150", "sh", "-c", script])
        .env("GUARD", &guard.0)
        .env("BW", bothways())
        .current_dir(dir.path())
        .output()
        .expect("sh starts");
    (output.status.code() != Some(99)).then_some((guard, output))
}

/// Forks without end, in two ways.
const BOMB: &str = r#"
    #include <unistd.h>
    #include "bothways.h"
    int main(void) {
        int x;
        bw_int(&x, "x");
        if (x == 42) for (;;) if (fork() < 0 && x == 43) return 3;
        if (x == 7) for (;;) if (fork() == 0) setsid();
        return x == 9;
    }
"#;

/// A search of the bomb, and its judge, stay within their processes; `before` is a shell command in front.
fn bomb_is_judged(name: &str, before: &str) {
    let search = "$BW test a.c --iterations 40 --timeout 500ms --out s -q && $BW replay s";
    let script = format!("{before} && {search}");
    let Some((guard, output)) = contained(name, BOMB, &script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(
        shown(&output).contains("branches covered"),
        "{}",
        shown(&output)
    );
    assert!(
        !shown(&output).contains("without end"),
        "{}",
        shown(&output)
    );
    // Each start has at most 256, its dead included, and all of them are waited for before the next one. Starts at a time: that of the
    // search, which makes a new one beside it when it is lost; the judge's, one for each processor.
    if let Some(peak) = guard.peak() {
        let judges = std::thread::available_parallelism().map_or(1, usize::from);
        let bound = 256 * judges.max(2) + TOOLS;
        assert!(
            peak as usize <= bound,
            "{peak} processes, at most {bound}\n{}",
            shown(&output)
        );
    }
}

#[test]
fn a_program_that_forks_without_end_is_judged_all_the_same() {
    bomb_is_judged("bomb", "true");
}

/// The kernel does not hold root to the user's limit on processes. On a loaded machine many that may fork have not done so yet.
#[test]
fn without_control_groups_root_is_bounded_as_well() {
    let load = "for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done";
    bomb_is_judged(
        "bomb-root",
        &format!("mount -t tmpfs none /sys/fs/cgroup && {{ {load}; }}"),
    );
}

#[test]
fn signals_to_everybody_reach_nobody_else() {
    let source = r#"
        #include <signal.h>
        #include "bothways.h"
        int main(void) {
            int x;
            bw_int(&x, "x");
            if (x == 42) { kill(-1, SIGKILL); return 1; }
            if (x == 43) { kill(-1, SIGTERM); return 2; }
            return 0;
        }
    "#;
    let script = "sleep 500 & other=$!
        $BW test a.c --iterations 30 --out s -q && $BW replay s || exit $?
        kill -0 $other || exit 77";
    let Some((_guard, output)) = contained("signal", source, script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let says = "4 of 4 branches covered";
    assert!(shown(&output).contains(says), "{}", shown(&output));
}
