//! Reports of stored suites: each format, read by who consumes it, and what is said of bad input.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use e2e::{run, shown};
use tempfile::TempDir;

/// A name with what goes wrong in XML, URLs and pages.
const NAME: &str = "odd & <b>' ]]>.c";

const SOURCE: &str = r#"
#include "bothways.h"
#include <stdlib.h>
#define SMALL(x) ((x) > 3 && (x) < 7)
static int share(int n, int parts) {
    if (n < 0)
        return -1;
    if (n < 0) /* never */
        return -2;
    return n / parts;
}
int plain(int n) {
    return n + 1;
}
int main(void) {
    int n, parts;
    char word[3];
    bw_int(&n, "n");
    bw_int(&parts, "parts");
    bw_bytes(word, 3, "word");
    if (SMALL(parts) && word[0] == '<' && word[1] == '"')
        return share(n, parts);
    if (getenv("BOTHWAYS_IS_NOT_SET"))
        return 3;
    for (int i = 0; i < 3; i++)
        if (word[i] == '&')
            return 1;
    return 0;
}
"#;

/// A suite in `out`.
fn suite(args: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::write(dir.path().join(NAME), SOURCE).expect("writes");
    let first = [
        "test",
        NAME,
        "--quiet",
        "--out",
        "out",
        "--iterations",
        "40",
    ];
    let output = run(dir.path(), &[&first[..], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    dir
}

/// A report of the suite on standard output.
fn printed(dir: &TempDir, format: &str) -> String {
    let output = run(
        dir.path(),
        &["report", "out", "--report", &format!("{format}=-")],
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs a tool; `None` where it is not installed, which is said.
fn tool(name: &str, args: &[&str], dir: &Path) -> Option<Output> {
    let mut command = Command::new(name);
    let output = command
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("{name} is not installed: what it would check is not checked");
            None
        }
    }
}

fn accepts(name: &str, args: &[&str], dir: &Path) {
    if let Some(output) = tool(name, args, dir) {
        assert!(output.status.success(), "{name}: {}", shown(&output));
    }
}

/// Counts of lines in a trace file of LCOV, of the source.
fn lines(trace: &str) -> BTreeMap<u32, u64> {
    let own = trace
        .split("end_of_record")
        .find(|record| record.contains(NAME));
    let lines = own.expect("a record").lines();
    let lines = lines.filter_map(|line| line.strip_prefix("DA:")?.split_once(','));
    lines
        .filter_map(|(line, count)| Some((line.parse().ok()?, count.parse().ok()?)))
        .collect()
}

/// Counts of functions in a trace file of LCOV, of the source.
fn functions(trace: &str) -> BTreeMap<String, u64> {
    let own = trace
        .split("end_of_record")
        .find(|record| record.contains(NAME));
    let lines = own.expect("a record").lines();
    let lines = lines.filter_map(|line| line.strip_prefix("FNDA:")?.split_once(','));
    lines
        .filter_map(|(count, name)| {
            Some((name.rsplit(':').next()?.to_owned(), count.parse().ok()?))
        })
        .collect()
}

/// What `llvm-cov` itself writes of the suite's tests.
fn by_llvm_cov(dir: &Path) -> String {
    let mut profiles: Vec<String> = Vec::new();
    let tests = fs::read_dir(dir.join("out/tests")).expect("tests");
    let paths: Vec<PathBuf> = tests.map(|test| test.expect("a test").path()).collect();
    for (number, path) in paths.iter().enumerate() {
        let profile = dir.join(format!("{number}.profraw")).display().to_string();
        let mut command = Command::new(dir.join("out/judge"));
        command
            .env("BOTHWAYS_TEST", path)
            .env("LLVM_PROFILE_FILE", &profile);
        command.current_dir(dir).output().expect("the judge runs");
        if Path::new(&profile).exists() {
            profiles.push(profile);
        }
    }
    let mut merge = vec!["merge", "-o", "all.profdata"];
    merge.extend(profiles.iter().map(String::as_str));
    accepts("llvm-profdata-19", &merge, dir);
    let args = [
        "export",
        "-format=lcov",
        "-instr-profile",
        "all.profdata",
        "out/judge",
    ];
    let output = tool("llvm-cov-19", &args, dir).expect("llvm-cov is installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_format_is_read_by_its_consumer() {
    let dir = suite(&["--report", "cobertura", "--report", "sarif=deep/er.json"]);
    let here = dir.path();
    assert!(here.join("out/cobertura.xml").is_file() && here.join("deep/er.json").is_file());

    let trace = printed(&dir, "lcov");
    fs::write(here.join("lcov.info"), &trace).expect("writes");
    accepts(
        "genhtml",
        &["--quiet", "--branch-coverage", "-o", "genhtml", "lcov.info"],
        here,
    );
    assert!(trace.contains("BRDA:8,0,0,0\nBRDA:8,0,1,"), "{trace}");

    for format in ["cobertura", "junit", "sonarqube"] {
        let file = format!("{format}.xml");
        let text = printed(&dir, format);
        assert!(text.contains("odd &amp; &lt;b&gt;' ]]&gt;.c"), "{text}");
        fs::write(here.join(&file), text).expect("writes");
        accepts("xmllint", &["--noout", "--nonet", &file], here);
    }

    let sarif: serde_json::Value = serde_json::from_str(&printed(&dir, "sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .clone();
    let places = results
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]);
    let place = places
        .clone()
        .find(|place| place["region"]["startLine"] == 8);
    let place = place.expect("the branch that is never taken");
    assert_eq!(
        place["artifactLocation"]["uri"],
        "odd%20%26%20%3Cb%3E%27%20%5D%5D%3E.c"
    );

    let json: serde_json::Value = serde_json::from_str(&printed(&dir, "json")).expect("JSON");
    let goals = &json["goals"];
    assert_eq!(goals["infeasible"], 1, "{json}");
    let row = format!(
        "| branches | {} | 1 | {} |",
        goals["covered"], goals["open"]
    );
    let markdown = printed(&dir, "markdown");
    assert!(markdown.contains(&row), "{markdown}");
    assert!(printed(&dir, "text").contains("never true"), "text");
    let _ = printed(&dir, "github");
}

#[test]
fn lines_are_those_of_llvm_cov() {
    let dir = suite(&[]);
    let ours = lines(&printed(&dir, "lcov"));
    assert!(ours.len() > 10, "{ours:?}");
    let trace = by_llvm_cov(dir.path());
    assert_eq!(ours, lines(&trace));
    // So are the functions, with those that have no branch; llvm-cov writes the file in front of the names of static ones.
    let ours = functions(&printed(&dir, "lcov"));
    assert_eq!(ours, functions(&trace));
    assert_eq!(ours["plain"], 0, "{ours:?}");
}

/// The text of a page, and the pages that it leads to.
fn links(page: &str) -> Vec<String> {
    let links = page.split(" href=\"").skip(1);
    let links = links.filter_map(|rest| rest.split_once('"'));
    links.map(|(link, _)| link.to_owned()).collect()
}

#[test]
fn pages_are_one_folder_whose_links_resolve() {
    let dir = suite(&["--criterion", "mcdc"]);
    let output = run(dir.path(), &["report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let folder = dir.path().join("out/html");
    let read = |name: &str| {
        fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut left = vec!["index.html".to_owned()];
    while let Some(name) = left.pop() {
        if seen.contains_key(&name) {
            continue;
        }
        let page = read(&name);
        for link in links(&page) {
            let (file, place) = link.split_once('#').unwrap_or((&link, ""));
            let file = if file.is_empty() { &name } else { file };
            let target = read(file);
            assert!(
                place.is_empty() || target.contains(&format!(" id=\"{place}\"")),
                "{name}: {link}"
            );
            if file.ends_with(".html") {
                left.push(file.to_owned());
            }
        }
        seen.insert(name, page);
    }
    let source = seen.iter().find(|(name, _)| name.starts_with("source-"));
    let (_, source) = source.expect("a page of the source");
    for words in [
        "it rests on",
        "nearest:",
        "by test",
        "odd &#38; &#60;b&#62;&#39; ]]&#62;.c",
    ] {
        assert!(source.contains(words), "{words}: {source}");
    }
    assert!(seen["tests.html"].contains("&quot;") || seen["tests.html"].contains("&#34;"));
    assert!(seen.contains_key("decisions.html"), "{:?}", seen.keys());
    // Once more into the same folder.
    let output = run(dir.path(), &["report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    in_a_browser(&folder, &seen);
}

/// No page has an error in a browser, where there is one. What is known of a line's goals is one text until its link is followed.
fn in_a_browser(folder: &Path, pages: &BTreeMap<String, String>) {
    for name in pages.keys() {
        let address = format!("file://{}/{name}", folder.display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
            &address,
        ];
        let Some(output) = tool("chromium", &args, folder) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("CONSOLE"), "{name}: {said}");
        let page = String::from_utf8_lossy(&output.stdout);
        assert!(
            page.contains("class=\"js\""),
            "{name}: the script did not run"
        );
        let Some((_, rest)) = pages[name].split_once("<div class=\"l g") else {
            continue;
        };
        assert!(!page.contains("class=\"d open\""), "{name}");
        let line = rest
            .split("id=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let address = format!("{address}#{}", line.expect("a line with a goal"));
        let args = [&args[..args.len() - 1], &[address.as_str()]].concat();
        let output = tool("chromium", &args, folder).expect("it was there before");
        let page = String::from_utf8_lossy(&output.stdout);
        assert!(
            page.contains("<div class=\"d open\"><div class=\"goal"),
            "{name}: {page}"
        );
    }
}

#[test]
fn what_cannot_be_reported_is_said() {
    let dir = suite(&[]);
    let here = dir.path();
    fs::create_dir(here.join("else")).expect("a folder");
    fs::write(here.join("else/letter.txt"), "dear").expect("writes");
    let broken = |name: &str, file: &str| {
        let folder = here.join(name);
        fs::create_dir(&folder).expect("a folder");
        for part in ["manifest.json", "evidence.json"] {
            let text = fs::read_to_string(here.join("out").join(part)).expect("text");
            let text = if part == file {
                &text[..text.len() / 2]
            } else {
                &text
            };
            fs::write(folder.join(part), text).expect("writes");
        }
    };
    broken("cut-manifest", "manifest.json");
    broken("cut-evidence", "evidence.json");
    broken("no-evidence", "");
    fs::remove_file(here.join("no-evidence/evidence.json")).expect("is there");
    let check = |args: &[&str], words: &str| {
        let output = run(here, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {}",
            shown(&output)
        );
        assert!(said.contains(words), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
    };
    check(&["report", "nothing"], "nothing is no suite");
    check(&["report", "else"], "else is no suite");
    check(&["report", "cut-manifest"], "cut-manifest/manifest.json: ");
    check(
        &["report", "cut-evidence"],
        "cut-evidence/evidence.json: it is cut off or was changed",
    );
    check(
        &["report", "no-evidence"],
        "its campaign did not come to its end",
    );
    check(
        &["report", "out", "--report", "lcvo"],
        "did you mean `lcov`?",
    );
    check(
        &["report", "out", "--report", "html=-"],
        "has several files",
    );
    check(
        &["report", "out", "--report", "html=else"],
        "holds no report of bothways",
    );
    check(
        &["report", "out", "--report", "lcov=else"],
        "else is a folder",
    );
    let below = format!("lcov={NAME}/x");
    check(&["report", "out", "--report", &below], "cannot be written");
    check(
        &["report", "out", "--report", "lcov=-", "--report", "text=-"],
        "go to the same place",
    );
    // Before the search, not behind it.
    check(
        &["test", NAME, "--report", "lcvo", "--out", "new"],
        "did you mean `lcov`?",
    );
    check(
        &["test", NAME, "--json", "--report", "lcov=-", "--out", "new"],
        "would be mixed",
    );
    assert!(!here.join("new").exists());
}

/// Each function's suite has its own report.
#[test]
fn reports_of_all_functions() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let source = "int one(int n) { return n > 1; }\nint two(int n) { return n > 2 ? n : 2; }\n";
    fs::write(dir.path().join("a.c"), source).expect("writes");
    let args = [
        "test",
        "a.c",
        "--all-functions",
        "--iterations",
        "10",
        "-q",
        "--report",
        "lcov",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output = run(dir.path(), &["report", "bothways-out"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    for name in ["one", "two"] {
        let folder = dir.path().join("bothways-out").join(name);
        assert!(folder.join("lcov.info").is_file() && folder.join("html/index.html").is_file());
    }
    let output = run(
        dir.path(),
        &["report", "bothways-out", "--report", "lcov=-"],
    );
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
}

/// What is written for KLEE is read as seeds.
#[test]
fn tests_for_klee_come_back_as_seeds() {
    let dir = suite(&["--emit", "ktest"]);
    let seeded = [
        "test",
        NAME,
        "--seeds",
        "out/ktest",
        "--iterations",
        "40",
        "--out",
        "again",
        "-q",
        "--json",
    ];
    let output = run(dir.path(), &seeded);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let again: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let first: serde_json::Value = serde_json::from_str(&printed(&dir, "json")).expect("JSON");
    let covered =
        |report: &serde_json::Value| report["goals"]["covered"].as_u64().expect("a number");
    assert!(covered(&again) >= covered(&first), "{again}");
}
