//! What was asked for is kept: the time of the search, the engine's memory, a manifest that can be read at every moment, and
//! Ctrl-C, whatever the engine is busy with.
//!
//! The programs are in `tests/budgets`: deep recursion, long loops, heavy floats, large terms, many branches. `// ask:` is the
//! budget in seconds; those with `// quick:` take part in the short variant, with that budget.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use e2e::{bothways, comment, long, run, shown, sources_in};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Seconds over the budget that only a defect takes: a quiet machine needs less than two.
const OVER: f64 = 4.0;
/// Bytes of `--engine-memory`, by default.
const CEILING: u64 = 2 << 30;

/// A test that is no program's.
type Test = fn() -> Result<(), Failed>;

fn main() {
    let args = Arguments::from_args();
    let programs = sources_in("tests/budgets").into_iter();
    let asked = programs.filter_map(|(name, path)| {
        let text = std::fs::read_to_string(&path).expect("the program is there");
        let key = if long() { "ask" } else { "quick" };
        let seconds = comment(&text, key)?.parse().expect("seconds");
        Some(Trial::test(name, move || keeps(&path, &text, seconds)))
    });
    let mut trials: Vec<Trial> = asked.collect();
    let own: [(&str, Test); 5] = [
        ("ctrl_c_ends_the_search_with_what_there_is", ctrl_c),
        ("ctrl_c_during_the_build_ends_at_once", ctrl_c_early),
        ("what_is_killed_leaves_a_suite", killed),
        ("judging_has_a_bound", judging),
        ("a_search_that_is_full_starts_over", full),
    ];
    trials.extend(own.map(|(name, test)| Trial::test(name, test)));
    libtest_mimic::run(&args, trials).exit();
}

/// The search of a program is over in time, and the engine's memory below its ceiling. With `BOTHWAYS_TABLE`, adds a row to
/// that file.
fn keeps(path: &Path, text: &str, seconds: u64) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let asked = seconds.to_string();
    let file = path.to_string_lossy();
    let mut args = vec!["test", &*file, "--time", &asked, "--json", "-q"];
    args.extend(
        comment(text, "arguments")
            .unwrap_or_default()
            .split_whitespace(),
    );
    let output = run(dir.path(), &args);
    if output.status.code() != Some(0) {
        return Err(shown(&output).into());
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let took = number(&report["seconds"]);
    let memory = report["work"]["peak_memory"].as_u64().unwrap_or(u64::MAX);
    if let Some(table) = std::env::var_os("BOTHWAYS_TABLE") {
        use std::io::Write;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(table)?;
        writeln!(
            file,
            "| {name} | {seconds} | {took:.2} | {:.2} | {} | {} of {} | {} | {} |",
            number(&report["judge_seconds"]),
            memory >> 20,
            report["goals"]["covered"],
            report["goals"]["total"],
            report["iterations"],
            report["stopped_by"].as_str().unwrap_or_default(),
        )?;
    }
    if took > seconds as f64 + OVER {
        return Err(format!("{seconds} s were asked for, the search took {took}: {report}").into());
    }
    if memory > CEILING {
        return Err(format!("the engine took {memory} bytes: {report}").into());
    }
    Ok(())
}

/// A long search of a program with deep recursion, on its way.
fn started(dir: &Path, time: &str) -> Result<Child, Failed> {
    let program = e2e::root().join("tests/budgets/gcd.c");
    let mut command = Command::new(bothways());
    command.args([
        "test",
        &program.to_string_lossy(),
        "-q",
        "-o",
        "suite",
        "--time",
        time,
    ]);
    command
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}

fn signal(child: &Child, name: &str) -> Result<(), Failed> {
    // The shell's own: a small system has no such command.
    let mut shell = Command::new("sh");
    let sent = shell
        .args(["-c", &format!("kill {name} {}", child.id())])
        .status()?;
    if sent.success() {
        Ok(())
    } else {
        Err("there is nobody to signal".into())
    }
}

/// The manifest, once it lists a test.
fn listed(dir: &Path) -> Result<Value, Failed> {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
        let Ok(text) = std::fs::read_to_string(dir.join("suite/manifest.json")) else {
            continue;
        };
        let manifest: Value = serde_json::from_str(&text)?;
        if manifest["tests"]
            .as_array()
            .is_some_and(|tests| !tests.is_empty())
        {
            return Ok(manifest);
        }
    }
    Err("no test was listed".into())
}

fn status(mut child: Child, limit: Duration) -> Result<Option<i32>, Failed> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    Err(format!("it goes on after {limit:?}").into())
}

fn is(found: Option<i32>, wanted: Option<i32>) -> Result<(), Failed> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{found:?}, not {wanted:?}").into())
    }
}

fn ctrl_c() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let child = started(dir.path(), "300")?;
    listed(dir.path())?;
    signal(&child, "-INT")?;
    is(status(child, Duration::from_secs(20))?, Some(130))?;
    listed(dir.path())?;
    std::fs::metadata(dir.path().join("suite/report.txt"))?;
    Ok(())
}

fn ctrl_c_early() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let child = started(dir.path(), "300")?;
    std::thread::sleep(Duration::from_millis(60));
    signal(&child, "-INT")?;
    // Before anybody could catch it, the system ends the process, and a shell says 130 of that as well.
    let ended = status(child, Duration::from_secs(10))?;
    is(Some(ended.unwrap_or(130)), Some(130))
}

fn killed() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let mut child = started(dir.path(), "300")?;
    let manifest = listed(dir.path())?;
    child.kill()?;
    child.wait()?;
    for test in manifest["tests"].as_array().into_iter().flatten() {
        let file = test["file"].as_str().ok_or("a test has a file")?;
        std::fs::metadata(dir.path().join("suite").join(file))?;
    }
    let replayed = run(dir.path(), &["replay", "suite"]);
    // Whether a run that overflows its stack ends alike is not what is asked.
    if matches!(replayed.status.code(), Some(0 | 1)) {
        Ok(())
    } else {
        Err(shown(&replayed).into())
    }
}

/// Tests that take their whole time, and little time to judge them: more than two cores judge in it.
fn judging() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let source = "
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
            int x = __VERIFIER_nondet_int();
            volatile int spin = 1;
            if (x == 1) while (spin) {}
            if (x == 2) while (spin) {}
            if (x == 3) while (spin) {}
            if (x == 4) while (spin) {}
            if (x == 5) while (spin) {}
            if (x == 6) while (spin) {}
            if (x == 7) while (spin) {}
            while (spin) {}
        }";
    std::fs::write(dir.path().join("a.c"), source)?;
    let args = "test a.c --json -q --keep-all --iterations 12 --timeout 500ms --judge-time 1s";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| shown(&output))?;
    let judged = report["judge_seconds"].as_f64().unwrap_or(f64::NAN);
    let notes = report["notes"].to_string();
    if judged < 6.0 && notes.contains("were not judged") {
        Ok(())
    } else {
        Err(format!("{judged} s, notes {notes}").into())
    }
}

/// Paths that fill the engine's memory in some seconds, and a side that no run takes: the search goes on until its time is over.
fn full() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let source = "
        #include <stdio.h>
        int main(void) {
            int c, depth = 0, quotes = 0, words = 0, in = 0;
            unsigned hash = 1;
            while ((c = getchar()) != EOF) {
                if (c == '(') depth++;
                else if (c == ')') { if (--depth < 0) return 1; }
                else if (c == '\"') quotes ^= 1;
                if (c == ' ') in = 0; else if (!in) { in = 1; words++; }
                hash = hash * 31 + c;
            }
            if (hash * hash == 0x12345678u + words) return 2;
            return quotes ? 3 : depth ? 4 : 0;
        }";
    std::fs::write(dir.path().join("a.c"), source)?;
    let args =
        "test a.c --json -q --stdin 512 --strategy bfs --no-proofs --time 8 --engine-memory 200M";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| shown(&output))?;
    let rounds = report["work"]["started_over"].as_u64().unwrap_or(0);
    let notes = report["notes"].to_string();
    let said = notes.contains("started over from its tests");
    if report["stopped_by"] == "time" && rounds > 0 && said {
        Ok(())
    } else {
        Err(format!("{report}").into())
    }
}
