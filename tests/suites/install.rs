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
fn an_installed_command_compiles_as_one_word() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bin = installed(&dir.path().join("prefix"));
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
