//! Command lines with a file beside them: what comes out, or what is wrong.

use std::fs;
use std::path::Path;

use clap::CommandFactory;

use super::*;
use crate::Cli;

/// What becomes of a command line in folder `below` of one that holds the file; the folder is written `/P`.
fn outcome(text: &str, line: &str, below: &str) -> String {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().canonicalize().expect("it is there");
    let here = folder.join(below);
    fs::create_dir_all(&here).expect("makes it");
    fs::create_dir(folder.join(".git")).expect("makes it");
    fs::write(folder.join(NAME), text).expect("writes");
    let words = line.split(' ').map(str::to_owned).collect();
    let result = applied(&Cli::command(), words, &here);
    let said = match result {
        Ok(Applied { words, note }) => {
            let note = note.map_or_else(String::new, |note| format!(" | {note}"));
            format!("{}{note}", words.join(" "))
        }
        Err(error) => format!("error: {error:#}"),
    };
    said.replace(&folder.display().to_string(), "/P")
}

fn check(text: &str, line: &str, expected: &str) {
    assert_eq!(outcome(text, line, ""), expected, "{text}\n{line}");
}

#[test]
fn flags_of_the_file_are_added() {
    check(
        "time = '5m'\ncflags = ['-DX', '-O1']\n[test]\nrequire = 90\njson = true\nno-fuzz = false\nuntil = 99.5\n",
        "bothways test a.c",
        "bothways test --no-config --cflags=-DX --cflags=-O1 --time=5m --json --require=90 --until=99.5 a.c \
         | bothways: bothways.toml says cflags, time, json, require, until",
    );
    check("time = '5m'", "bothways doctor", "bothways doctor");
    check(
        "[reach]\ntime = '5m'",
        "bothways test a.c",
        "bothways test a.c",
    );
    // A key at the top is for those commands that have the flag.
    check(
        "cflags = '-DX'",
        "bothways replay out",
        "bothways replay out",
    );
}

#[test]
fn what_is_typed_wins() {
    check(
        "time = '5m'",
        "bothways test -t 3 a.c",
        "bothways test -t 3 a.c",
    );
    check(
        "cflags = '-DX'\nseed = 3",
        "bothways test a.c --cflags=-DY",
        "bothways test --no-config --seed=3 a.c --cflags=-DY | bothways: bothways.toml says seed",
    );
    // A flag that excludes the one of the file.
    check(
        "[test]\nall-functions = true",
        "bothways test a.c --function f",
        "bothways test a.c --function f",
    );
    check(
        "seed = 3",
        "bothways test --no-config a.c",
        "bothways test --no-config a.c",
    );
    check(
        "seed = 3",
        "bothways --no-config test a.c",
        "bothways --no-config test a.c",
    );
    check(
        "sed = 3",
        "bothways test --no-config a.c",
        "bothways test --no-config a.c",
    );
}

#[test]
fn a_program_that_is_built_takes_no_flags_of_the_compiler() {
    let expected =
        "bothways test --no-config --seed=3 ./program -- a.c | bothways: bothways.toml says seed";
    check(
        "cflags = '-DX'\nseed = 3",
        "bothways test ./program -- a.c",
        expected,
    );
}

#[test]
fn a_table_wins_over_the_top() {
    check(
        "seed = 3\njson = true\n[test]\nseed = 4\njson = false",
        "bothways test a.c",
        "bothways test --no-config --seed=4 a.c | bothways: bothways.toml says seed",
    );
}

#[test]
fn quiet_is_quiet() {
    let expected = "bothways test --no-config --seed=3 -q a.c";
    check("seed = 3", "bothways test -q a.c", expected);
    let expected = "bothways test --no-config --quiet --seed=3 a.c";
    check("seed = 3\nquiet = true", "bothways test a.c", expected);
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (text, expected) in [
        (
            "seed = 1\n\ntiem = '3s'",
            "bothways.toml:3: unknown key `tiem`: there is no flag --tiem; did you mean `time`?",
        ),
        (
            "[values]\ntime = 3",
            "bothways.toml:2: unknown key `time`: there is no flag --time of `bothways values`",
        ),
        (
            "no-config = true",
            "bothways.toml:1: unknown key `no-config`: there is no flag --no-config",
        ),
        (
            "help = true",
            "bothways.toml:1: unknown key `help`: there is no flag --help",
        ),
        (
            "[tset]",
            "bothways.toml:1: unknown table [tset]; did you mean `test`?; tables are [test], [reach], [values], \
             [graph], [replay], [report], [check]",
        ),
        ("time = 3\ntime = 4", "bothways.toml:2: duplicate key"),
        (
            "time = ",
            "bothways.toml:1: string values must be quoted, expected literal string",
        ),
        (
            "\ntime = 'soon'",
            "bothways.toml:2: invalid value 'soon' for '--time <DURATION>': unknown unit 'soon': use ms, s, m or h",
        ),
        (
            "time = ['3s']",
            "bothways.toml:1: `time` is a text or a number",
        ),
        ("json = 'yes'", "bothways.toml:1: `json` is true or false"),
        (
            "cflags = [true]",
            "bothways.toml:1: `cflags` is a list of texts or numbers",
        ),
        (
            "seed.x = 3",
            "bothways.toml:1: unknown table [seed]; tables are [test], [reach], [values], [graph], [replay], [report], [check]",
        ),
    ] {
        check(text, "bothways test a.c", &format!("error: {expected}"));
    }
    // Also where another command runs.
    let expected = "error: bothways.toml:2: unknown key `sed`: there is no flag --sed of `bothways test`; did you mean `seed`?";
    check("[test]\nsed = 1", "bothways reach a.c --at a.c:1", expected);
    // But not where help is asked for.
    check("sed = 1", "bothways test --help", "bothways test --help");
}

#[test]
fn paths_start_from_the_folder_of_the_file() {
    let text =
        "out = 'suite'\ncflags = ['-Iinc', '-I inc/x -DI', \"-isystem 'a b'\"]\nseeds = ['/abs']";
    assert_eq!(
        outcome(text, "bothways test a.c", "src/lib"),
        "bothways test --no-config --cflags=-I/P/inc --cflags=-I --cflags=/P/inc/x --cflags=-DI \
         --cflags=-isystem --cflags='/P/a b' --out=/P/suite --seeds=/abs a.c | bothways: ../../bothways.toml says cflags, out, seeds"
    );
    check(
        text,
        "bothways test a.c",
        "bothways test --no-config --cflags=-Iinc --cflags=-I inc/x -DI --cflags=-isystem 'a b' --out=suite --seeds=/abs a.c \
         | bothways: bothways.toml says cflags, out, seeds",
    );
}

#[test]
fn it_is_looked_for_up_to_the_root_of_the_repository() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let at = |path: &str| dir.path().join(path);
    fs::create_dir_all(at("repository/src")).expect("makes them");
    fs::write(at(NAME), "").expect("writes");
    let found = |path: &str| find(&at(path));
    assert_eq!(found("repository/src"), None, "no repository");
    assert_eq!(found(""), Some(at(NAME)));
    fs::create_dir(at("repository/.git")).expect("makes it");
    assert_eq!(found("repository/src"), None, "outside of the repository");
    fs::write(at("repository/bothways.toml"), "").expect("writes");
    assert_eq!(
        found("repository/src"),
        Some(at("repository/bothways.toml"))
    );
    assert_eq!(find(Path::new("/")), None);
}
