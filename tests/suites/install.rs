//! What the README promises: its first example runs as it stands, an installed command works, build systems take it as a compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use e2e::{bothways, root, run, shown};

#[test]
fn the_first_example_of_the_readme_runs_as_it_stands() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, rest) = readme.split_once("```c\n").expect("a C example");
    let (source, _) = rest.split_once("```").expect("its end");
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("triangle.c"), source).expect("writes");
    let args = [
        "test",
        "triangle.c",
        "--iterations",
        "300",
        "--require",
        "100%",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

/// The C program and the console block behind a heading of a page.
fn shown_run(page: &str, heading: &str) -> (String, String) {
    let text = fs::read_to_string(root().join(page)).expect("the page");
    let block = |text: &str, kind: &str| {
        let (_, rest) = text.split_once(&format!("```{kind}\n"))?;
        Some(rest.split_once("```")?.0.to_owned())
    };
    let (_, rest) = text.split_once(heading).expect("the heading");
    let source = block(rest, "c").expect("a program");
    (source, block(rest, "console").expect("what it shows"))
}

/// The text without how often symbolism was lost: the search has a budget of time, and runs as often as it can.
fn without_counts(text: &str) -> String {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| match line.split_once("symbolism lost ") {
            Some((before, after)) => {
                let rest = after.trim_start_matches(|byte: char| byte.is_ascii_digit());
                format!("{before}symbolism lost N{rest}")
            }
            None => line.to_owned(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// The manual's first run is run, and shows what the manual says.
#[test]
fn the_first_run_of_the_manual_shows_what_the_manual_says() {
    let (source, console) = shown_run("docs/manual.md", "## A first run");
    let (command, expected) = console.split_once('\n').expect("a command");
    let words: Vec<&str> = command.split_whitespace().skip(2).collect();
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join("gate.c"), source).expect("writes");
    let output = run(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let found = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        without_counts(&found),
        without_counts(expected),
        "{}",
        shown(&output)
    );
}

/// Every command that README and manual show is one: each option exists.
#[test]
fn options_that_the_pages_show_exist() {
    for page in ["README.md", "docs/manual.md"] {
        let text = fs::read_to_string(root().join(page)).expect("the page");
        for line in text.lines() {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            let Some(rest) = line.strip_prefix("bothways ") else {
                continue;
            };
            let rest = rest.split('#').next().unwrap_or_default();
            let mut words = rest.split_whitespace();
            let Some(command) = words
                .next()
                .filter(|word| word.chars().all(char::is_lowercase))
            else {
                continue;
            };
            let help = run(&root(), &[command, "--help"]);
            let known = String::from_utf8_lossy(&help.stdout).into_owned();
            assert!(help.status.success(), "{page}: {line}\n{}", shown(&help));
            let ours = words.take_while(|word| !matches!(*word, "--" | "--cflags"));
            for option in ours.filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap_or_default();
                assert!(known.contains(option), "{page}: {line}: {option}");
            }
        }
    }
}

/// Installs what was built.
fn installed(prefix: &Path) -> PathBuf {
    let built = bothways();
    let output = Command::new("make")
        .arg("install")
        .arg(format!("PREFIX={}", prefix.display()))
        .arg(format!("BOTHWAYS={}", built.display()))
        .current_dir(root())
        .output()
        .expect("make");
    assert!(output.status.success(), "{}", shown(&output));
    prefix.join("bin")
}

fn check(command: &mut Command) -> Output {
    let output = command.output().expect("starts");
    assert!(output.status.success(), "{command:?}: {}", shown(&output));
    output
}

const SOURCE: &str = "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n";

/// Builds `SOURCE` in a folder, then tests what came out.
fn built_by(tool: &str, file: (&str, &str), steps: &[&[&str]], program: &str) {
    if Command::new(tool).arg("--version").output().is_err() {
        println!("{tool} is not installed: its recipe is not tested");
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bin = installed(&dir.path().join("prefix"));
    fs::write(dir.path().join("a.c"), SOURCE).expect("writes");
    fs::write(dir.path().join(file.0), file.1).expect("writes");
    for step in steps {
        let mut command = Command::new(tool);
        command.args(*step).current_dir(dir.path());
        check(command.env("CC", bin.join("bothways-cc")));
    }
    let mut test = Command::new(bin.join("bothways"));
    test.args(["test", program, "--stdin", "1", "--require", "100%", "-q"]);
    check(test.current_dir(dir.path()));
}

#[test]
fn man_pages_and_completions_know_every_flag() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let share = installed(&dir.path().join("prefix")).join("../share");
    let read = |path: &str| fs::read_to_string(share.join(path)).expect(path);
    let help = run(&root(), &["test", "--help"]);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let words = help.split_whitespace();
    let flags: Vec<&str> = words
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.is_empty())
        .collect();
    assert!(flags.len() > 40, "{flags:?}");
    let page = read("man/man1/bothways-test.1").replace("\\-", "-");
    let shells = [
        read("bash-completion/completions/bothways"),
        read("zsh/site-functions/_bothways"),
        read("fish/vendor_completions.d/bothways.fish"),
    ];
    for flag in flags {
        assert!(page.contains(&format!("--{flag}")), "man: {flag}");
        let missing = shells.iter().position(|shell| !shell.contains(flag));
        assert_eq!(missing, None, "{flag}");
    }
    // bash itself has the word.
    let script = "source \"$1\"; COMP_WORDS=(bothways test --minimise-s); COMP_CWORD=2; \
                  _bothways bothways --minimise-s test; echo ${COMPREPLY[@]}";
    let mut bash = Command::new("bash");
    bash.args(["-c", script, "bash"]);
    let output = check(bash.arg(share.join("bash-completion/completions/bothways")));
    let completed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(completed.trim(), "--minimise-suite");
    // So have the others, where they are installed. In zsh only a terminal completes.
    let fish = "source \"$argv[1]\"; complete -C 'bothways test --minimise-s'; complete -C 'bothways test --target m'";
    let fish_file = share.join("fish/vendor_completions.d/bothways.fish");
    let zsh = "zmodload zsh/zpty; zpty z zsh -f -i; \
               zpty -w z \"fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; echo re''ady\"; \
               zpty -r z out '*ready*'; zpty -w -n z $'bothways test --minimise-s\\t'; zpty -r z out '*--minimise-suite*' && \
               print -- --minimise-suite; zpty -d z";
    let zsh_folder = share.join("zsh/site-functions");
    for (shell, front, script, file) in [
        ("fish", "--no-config", fish, &fish_file),
        ("zsh", "-f", zsh, &zsh_folder),
    ] {
        let mut command = Command::new("timeout");
        command.args(["60", shell, front, "-c", script]);
        if shell == "zsh" {
            command.arg("zsh");
        }
        let output = command.arg(file).output().expect("timeout is there");
        if output.status.code() == Some(127) {
            eprintln!("not run: there is no {shell}");
            continue;
        }
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            said.contains("--minimise-suite"),
            "{shell}: {}",
            shown(&output)
        );
        assert!(shell != "fish" || said.contains("machine"), "{said}");
    }
}

/// `bothways.toml` above the current folder: the run says so, and what resumes it does not read the file again.
#[test]
fn flags_stand_in_a_file_beside_the_project() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let below = dir.path().join("src");
    for folder in [&below, &dir.path().join(".git"), &dir.path().join("inc")] {
        fs::create_dir(folder).expect("makes it");
    }
    let source = "#include \"limit.h\"\n#include <stdio.h>\nint main(void) { return getchar() == LIMIT ? 1 : 0; }\n";
    fs::write(below.join("a.c"), source).expect("writes");
    fs::write(dir.path().join("inc/limit.h"), "#define LIMIT 'x'\n").expect("writes");
    let settings = dir.path().join("bothways.toml");
    fs::write(
        &settings,
        "cflags = '-Iinc'\n[test]\nstdin = 1\nrequire = 100\n",
    )
    .expect("writes");
    let succeeds = |args: &[&str], expected: &str| {
        let output = run(&below, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let first = stderr.lines().next().unwrap_or_default();
        assert_eq!(
            first.strip_prefix("bothways: ").unwrap_or_default(),
            expected,
            "{stderr}"
        );
    };
    let said = "../bothways.toml says cflags, require, stdin";
    succeeds(&["test", "a.c", "-n", "50"], said);
    fs::write(&settings, "no such file\n").expect("writes");
    succeeds(&["resume", "-n", "5", "--quiet"], "");
    let output = run(&below, &["test", "a.c"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(stderr.contains("../bothways.toml:1: "), "{stderr}");
}

/// Nothing lies beside it but its other names, as after `cargo install`: it carries its runtime.
#[test]
fn an_installed_command_compiles_as_one_word() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bin = installed(&dir.path().join("prefix"));
    assert!(!dir.path().join("prefix/lib").exists());
    fs::write(dir.path().join("a.c"), SOURCE).expect("writes");
    for compiler in ["bothways-cc", "bothways-c++"] {
        let mut command = Command::new(bin.join(compiler));
        command.args(["-x", "c++", "a.c", "-o", "a"]);
        check(command.current_dir(dir.path()));
    }
}

#[test]
fn cmake_takes_it_as_a_compiler() {
    let project = "cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a a.c)\n";
    let file = ("CMakeLists.txt", project);
    built_by(
        "cmake",
        file,
        &[&["-B", "build", "-S", "."], &["--build", "build"]],
        "build/a",
    );
}

#[test]
fn meson_takes_it_as_a_compiler() {
    let file = ("meson.build", "project('a', 'c')\nexecutable('a', 'a.c')\n");
    built_by(
        "meson",
        file,
        &[&["setup", "build"], &["compile", "-C", "build"]],
        "build/a",
    );
}
