//! `bothways fuzz --sync`: one instance among those of AFL++, in folders as they keep them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use e2e::{bothways, long, run, shown};

/// One side needs four bytes that random changes do not find, one input crashes.
const LOCK: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char text[16] = "";
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!file || fread(text, 1, sizeof text, file) < 8) return 1;
    if (memcmp(text, "MAGI", 4)) return 2;
    if (*(unsigned *)(text + 4) == 0xfeedface) return 3;
    if (text[4] == 'x') abort();
    return 0;
}
"#;

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), LOCK).expect("written");
    dir
}

fn fuzz(dir: &Path, words: &str) -> Output {
    let words: Vec<&str> = words.split_whitespace().collect();
    run(dir, &[&["fuzz"], &words[..]].concat())
}

/// Names of a folder's files, sorted.
fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn contents(path: &Path) -> Vec<Vec<u8>> {
    let read = |name: String| fs::read(path.join(name)).expect("read");
    names(path).into_iter().map(read).collect()
}

/// A field of `fuzzer_stats`.
fn stat(instance: &Path, field: &str) -> String {
    let text = fs::read_to_string(instance.join("fuzzer_stats")).expect("written");
    let line = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == field).then(|| value.trim().to_owned())
    });
    line.unwrap_or_else(|| panic!("no {field} in\n{text}"))
}

/// The queue of another instance.
fn other(sync: &Path, name: &str, inputs: &[(&str, &[u8])]) {
    let queue = sync.join(name).join("queue");
    fs::create_dir_all(queue.join(".state")).expect("made");
    for (name, content) in inputs {
        fs::write(queue.join(name), content).expect("written");
    }
}

#[test]
fn what_is_found_is_in_a_queue_without_gaps() {
    let dir = folder();
    for (name, args) in [("in", ""), ("file", " @@")] {
        let output = fuzz(
            dir.path(),
            &format!("--sync out --name {name} -t 20 -- a.c{args}"),
        );
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let own = dir.path().join("out").join(name);
        let queue = names(&own.join("queue"));
        for (index, entry) in queue.iter().enumerate() {
            assert!(entry.starts_with(&format!("id:{index:06},")), "{queue:?}");
            assert_ne!(
                entry.contains(",op:concolic"),
                entry.contains(",orig:first"),
                "{queue:?}"
            );
        }
        let crashes = names(&own.join("crashes"));
        assert!(crashes[0].starts_with("id:000000,sig:06,"), "{crashes:?}");
        assert_eq!(stat(&own, "corpus_count"), queue.len().to_string());
        assert_eq!(stat(&own, "saved_crashes"), crashes.len().to_string());
        assert_eq!(stat(&own, "afl_banner"), name);
        let found = |wanted: &[u8]| {
            let all = contents(&own.join("queue"));
            all.iter().any(|input| input.starts_with(wanted))
        };
        // The first instance found it, so the second has it from there.
        assert_eq!(found(b"MAGI\xce\xfa\xed\xfe"), name == "in");
    }
}

#[test]
fn what_others_find_is_read_once_and_not_given_back() {
    let dir = folder();
    let sync = dir.path().join("out");
    let key: &[u8] = b"MAGI\xce\xfa\xed\xfe";
    other(
        &sync,
        "main",
        &[
            ("id:000000,time:0,orig:a", b"hello"),
            ("id:000001,src:000000,op:havoc", key),
            ("id:000002,sync:bw1,src:000000", b"MAGI____"),
        ],
    );
    let once = |read: &str| {
        let output = fuzz(dir.path(), "--sync out --name bw1 -t 20 -- a.c");
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let own = sync.join("bw1");
        assert_eq!(stat(&own, "corpus_imported"), read);
        let synced = fs::read(own.join(".synced/main")).expect("written");
        (
            own,
            u32::from_ne_bytes(synced.try_into().expect("four bytes")),
        )
    };
    let (own, next) = once("2");
    assert_eq!(next, 3);
    let queue = contents(&own.join("queue"));
    assert!(
        !queue.contains(&key.to_vec()) && !queue.contains(&b"hello".to_vec()),
        "{queue:?}"
    );
    // The next campaign goes on behind it, and keeps what is there.
    let before = names(&own.join("queue"));
    other(
        &sync,
        "main",
        &[("id:000003,src:000001,op:havoc", b"MAGIx___")],
    );
    let (own, next) = once("1");
    assert_eq!(next, 4);
    let after = names(&own.join("queue"));
    assert!(after.starts_with(&before) || before.iter().all(|name| after.contains(name)));
    // Its tests are in the store, and are run again: they are not ours.
    let queue = contents(&own.join("queue"));
    assert!(
        !queue.contains(&key.to_vec()) && !queue.contains(&b"hello".to_vec()),
        "{queue:?}"
    );
}

/// A side that the search does not take in the time of a test: what others have is run before the campaign ends.
const OPEN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    unsigned char text[16] = {0};
    unsigned long hash = 0xcbf29ce484222325;
    if (getenv("SLOW")) usleep(150000);
    int length = fread(text, 1, sizeof text, stdin);
    if (length > 9) puts("long");
    if (text[0] == 'k' && text[1] == 'e') puts("key");
    for (int i = 0; i < 16; i++) hash = (hash ^ text[i]) * 0x100000001b3;
    for (int i = 0; i < 16; i++) hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    if (hash == 0x123456789abcdef) puts("never");
    return 0;
}
"#;

#[test]
fn what_was_cut_is_not_given_back_after_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), OPEN).expect("written");
    let sync = dir.path().join("out");
    other(
        &sync,
        "main",
        &[("id:000000,time:0,orig:a", b"key is too long".as_slice())],
    );
    for _ in 0..2 {
        let output = fuzz(dir.path(), "--sync out --name bw1 --max-len 12 -t 3 -- a.c");
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let queue = contents(&sync.join("bw1/queue"));
        assert!(!queue.contains(&b"key is too l".to_vec()), "{queue:?}");
    }
}

#[test]
fn a_folder_that_was_just_made_when_a_kill_came_is_ours() {
    let dir = folder();
    let own = dir.path().join("out/bw1");
    for part in ["queue", "crashes", ".synced"] {
        fs::create_dir_all(own.join(part)).expect("made");
    }
    let output = fuzz(dir.path(), "--sync out --name bw1 -t 20 -- a.c");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_ne!(stat(&own, "corpus_count"), "0");
}

#[test]
fn what_a_kill_leaves_unrun_of_others_is_read_again() {
    const ENTRIES: u32 = 40;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), OPEN).expect("written");
    let sync = dir.path().join("out");
    let inputs: Vec<(String, String)> = (0..ENTRIES)
        .map(|number| {
            (
                format!("id:{number:06},src:000000,op:havoc"),
                format!("input {number}"),
            )
        })
        .collect();
    let inputs: Vec<(&str, &[u8])> = inputs
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_bytes()))
        .collect();
    other(&sync, "main", &inputs);
    let own = sync.join("bw1");
    let mark = || {
        let bytes = fs::read(own.join(".synced/main")).ok()?;
        Some(u32::from_ne_bytes(bytes.try_into().ok()?))
    };
    let mut killed = Command::new(bothways())
        .args([
            "fuzz", "--sync", "out", "--name", "bw1", "-t", "60", "--", "a.c",
        ])
        .current_dir(dir.path())
        .env("SLOW", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // A run takes 150 ms: half a second behind its first run it cannot have made all of them.
    while !own.join("suite/tests").exists() {
        let ended = killed.try_wait().expect("it can be asked");
        assert!(ended.is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(1500));
    killed.kill().expect("it can be killed");
    killed.wait().expect("it ends");
    let first = mark().unwrap_or(0);
    assert!(first < ENTRIES, "{first} entries count as run");
    let output = fuzz(dir.path(), "--sync out --name bw1 -t 4 -- a.c");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(stat(&own, "corpus_imported"), (ENTRIES - first).to_string());
    assert_eq!(mark(), Some(ENTRIES));
}

#[test]
fn seeds_are_in_the_queue_and_not_among_what_was_found() {
    let dir = folder();
    fs::create_dir(dir.path().join("seeds")).expect("made");
    fs::write(dir.path().join("seeds/a,b"), b"MAGI____").expect("written");
    let output = fuzz(
        dir.path(),
        "--sync out --name bw1 --seeds seeds -t 20 -- a.c",
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let own = dir.path().join("out/bw1");
    let queue = names(&own.join("queue"));
    let given = queue.iter().filter(|name| name.contains(",orig:")).count();
    assert!(
        queue.iter().any(|name| name.ends_with(",orig:a_b")),
        "{queue:?}"
    );
    assert_eq!(stat(&own, "corpus_count"), queue.len().to_string());
    assert_eq!(
        stat(&own, "corpus_found"),
        (queue.len() - given).to_string()
    );
    assert!(given < queue.len(), "{queue:?}");
}

#[test]
fn entries_name_the_entry_that_they_come_from() {
    let dir = folder();
    let output = fuzz(dir.path(), "--sync out --name bw1 -t 20 -- a.c");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let queue = dir.path().join("out/bw1/queue");
    let all: Vec<(String, Vec<u8>)> = names(&queue).into_iter().zip(contents(&queue)).collect();
    let source = |name: &str| -> Option<usize> {
        let (_, rest) = name.split_once(",src:")?;
        rest.get(..6)?.parse().ok()
    };
    for (index, (name, _)) in all.iter().enumerate() {
        assert!(source(name).is_none_or(|source| source < index), "{all:?}");
    }
    let key: &[u8] = b"MAGI\xce\xfa\xed\xfe";
    let found = all.iter().find(|(_, content)| content.starts_with(key));
    let (name, _) = found.unwrap_or_else(|| panic!("{all:?}"));
    let parent = source(name).unwrap_or_else(|| panic!("{name} has no source"));
    assert!(all[parent].1.starts_with(b"MAGI"), "{all:?}");
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_and_left_as_it_is() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("documents")).expect("made");
    fs::write(at("documents/letter"), "Dear").expect("written");
    other(&at("out"), "main", &[("id:000000,orig:a", b"hello")]);
    fs::write(at("out/main/fuzzer_stats"), "afl_version : ++4.04c\n").expect("written");
    for (words, wanted) in [
        ("--sync a.c", "this is a file, not a folder"),
        ("--sync documents", "this is no sync folder"),
        ("--sync out/main", "this is the folder of one instance"),
        (
            "--sync out --name main",
            "this is the folder of another fuzzer",
        ),
        ("--sync out --name ../x", "letters, digits, `_` and `-`"),
        ("--sync out --name a.b", "letters, digits, `_` and `-`"),
        ("--sync /proc/nothing/out", "cannot be made"),
    ] {
        let output = fuzz(dir.path(), &format!("{words} -t 5 -- a.c"));
        assert_eq!(output.status.code(), Some(2), "{words}: {}", shown(&output));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(wanted), "{words}: {errors}");
    }
    assert_eq!(names(&at("documents")), ["letter"]);
    assert_eq!(names(&at("out")), ["main"]);
    let no_program = fuzz(dir.path(), "--sync out");
    assert_eq!(no_program.status.code(), Some(2), "{}", shown(&no_program));
}

#[test]
fn a_name_that_is_in_use_is_refused() {
    let dir = folder();
    let own = dir.path().join("out/bw1");
    fs::create_dir_all(&own).expect("made");
    fs::create_dir_all(own.join("queue")).expect("made");
    fs::write(own.join("fuzzer_stats"), "afl_version : bothways-0.1.0\n").expect("written");
    let lock = fs::File::open(&own).expect("opened");
    lock.try_lock().expect("nobody has it");
    let output = fuzz(dir.path(), "--sync out --name bw1 -t 5 -- a.c");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("an instance with this name is running"),
        "{errors}"
    );
}

#[test]
fn afl_fuzz_takes_what_is_found() {
    let fuzzer = Command::new("afl-fuzz").arg("-h").output();
    let compiler = Command::new("afl-clang-fast").arg("--version").output();
    if !long() || fuzzer.is_err() || compiler.is_err() {
        eprintln!("not run: it takes BOTHWAYS_LONG and afl-fuzz");
        return;
    }
    let dir = folder();
    fs::create_dir(dir.path().join("seeds")).expect("made");
    fs::write(dir.path().join("seeds/a"), "hello hello").expect("written");
    let built = Command::new("afl-clang-fast")
        .args(["-w", "a.c", "-o", "a.afl"])
        .current_dir(dir.path())
        .output()
        .expect("it starts");
    assert!(built.status.success(), "{}", shown(&built));
    let mut fuzzer = Command::new("afl-fuzz")
        .args([
            "-M", "main", "-i", "seeds", "-o", "out", "-V", "60", "--", "./a.afl",
        ])
        .envs(["AFL_NO_UI", "AFL_SKIP_CPUFREQ", "AFL_NO_AFFINITY"].map(|name| (name, "1")))
        .env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1")
        .current_dir(dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // It makes its folder first, as it wants to.
    while !dir.path().join("out/main/fuzzer_stats").exists() {
        assert!(
            fuzzer.try_wait().expect("it can be asked").is_none(),
            "afl-fuzz ended"
        );
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let own = Command::new(bothways())
        .args([
            "fuzz", "--sync", "out", "--name", "bw1", "-t", "20", "--", "a.c",
        ])
        .current_dir(dir.path())
        .output()
        .expect("it starts");
    assert_eq!(own.status.code(), Some(0), "{}", shown(&own));
    assert_ne!(stat(&dir.path().join("out/bw1"), "corpus_imported"), "0");
    assert!(fuzzer.wait().expect("it ends").success());
    let queue = names(&dir.path().join("out/main/queue"));
    assert!(
        queue.iter().any(|name| name.contains(",sync:bw1,")),
        "{queue:?}"
    );
}
