//! What a search shows while it runs: the screen on a terminal (by `script`), plain lines elsewhere; Ctrl-C once and twice.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use e2e::bothways;

/// A side that the search does not take in the time of a test.
const OPEN: &str = r#"
#include <stdio.h>
int main(void) {
    unsigned char text[16] = {0};
    unsigned long hash = 0xcbf29ce484222325;
    int length = fread(text, 1, sizeof text, stdin);
    if (length > 9) puts("long");
    if (text[0] == 'k' && text[1] == 'e') puts("key");
    for (int i = 0; i < 16; i++) hash = (hash ^ text[i]) * 0x100000001b3;
    for (int i = 0; i < 16; i++) hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
    if (hash == 0x123456789abcdef) puts("never");
    return 0;
}
"#;

/// A search in a terminal of its own; what is typed there goes into its standard input.
struct Terminal {
    child: Child,
    dir: tempfile::TempDir,
}

impl Terminal {
    fn start(seconds: u32) -> Terminal {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("a.c"), OPEN).expect("written");
        let command = format!("{} test a.c --stdin 16 -t {seconds}", bothways().display());
        let child = Command::new("script")
            .args(["-q", "-e", "-c", &command, "/dev/null"])
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script of util-linux starts");
        Terminal { child, dir }
    }

    /// Waits for the first test, and a little longer.
    fn wait_for_tests(&self) {
        let until = Instant::now() + Duration::from_secs(120);
        while !self.dir.path().join("bothways-out/tests").is_dir() {
            assert!(Instant::now() < until, "no test");
            thread::sleep(Duration::from_millis(50));
        }
        thread::sleep(Duration::from_secs(1));
    }

    fn press(&mut self, keys: &[u8]) {
        let input = self.child.stdin.as_mut().expect("piped");
        input
            .write_all(keys)
            .and_then(|()| input.flush())
            .expect("typed");
    }

    /// The exit code, and all that was shown.
    fn end(mut self) -> (Option<i32>, String, tempfile::TempDir) {
        let mut shown = Vec::new();
        let mut output = self.child.stdout.take().expect("piped");
        output.read_to_end(&mut shown).expect("read");
        let status = self.child.wait().expect("it ends");
        (
            status.code(),
            String::from_utf8_lossy(&shown).into_owned(),
            self.dir,
        )
    }
}

#[test]
fn a_terminal_has_a_screen_and_a_report_follows_it() {
    let mut terminal = Terminal::start(4);
    let (code, shown, _dir) = {
        terminal.wait_for_tests();
        terminal.press(b"");
        terminal.end()
    };
    assert_eq!(code, Some(0), "{shown}");
    for part in [
        "goals      [",
        "infeasible, ",
        "s left; waits for the ",
        "last find  ",
        "estimate",
        "Ctrl-C ends the search",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The screen is taken away before the table is printed: up over its six lines, and nothing is left below.
    let table = shown.rfind("function ").expect("a table");
    let cleared = shown[..table]
        .rfind("\x1b[6A\x1b[J")
        .expect("the screen is taken away");
    assert!(!shown[cleared..].contains("waits for the"), "{shown}");
}

#[test]
fn ctrl_c_once_ends_the_search_with_a_report() {
    let mut terminal = Terminal::start(300);
    terminal.wait_for_tests();
    terminal.press(b"\x03");
    let (code, shown, dir) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    assert!(
        dir.path().join("bothways-out/evidence.json").is_file(),
        "{shown}"
    );
}

#[test]
fn ctrl_c_twice_ends_at_once() {
    let mut terminal = Terminal::start(300);
    terminal.wait_for_tests();
    let began = Instant::now();
    terminal.press(b"\x03");
    thread::sleep(Duration::from_millis(20));
    terminal.press(b"\x03");
    let (code, shown, dir) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    // What was found before is there.
    assert!(
        dir.path()
            .join("bothways-out/tests/test-0001.test")
            .is_file(),
        "{shown}"
    );
}

#[test]
fn elsewhere_there_are_plain_lines() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.c"), OPEN).expect("written");
    let output = e2e::run(dir.path(), &["test", "a.c", "--stdin", "16", "-t", "12"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.starts_with("[10s] "));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    for part in [
        " covered, ",
        " infeasible, ",
        " open, ",
        "s left; last find ",
        "estimate",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!said.contains('\x1b'), "{said}");
}
