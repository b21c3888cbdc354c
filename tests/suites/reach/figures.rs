//! The programs of `bench/results/reach.md`, and verdicts of all test programs.

use std::fs;

use e2e::{comment, root, run, shown, sources_in};
use serde_json::Value;

/// The programs of `bench/results/reach.md`: no target that can be reached is called unreachable, and no test reaches one that
/// cannot.
#[test]
fn no_verdict_is_wrong() {
    if !e2e::long() {
        return;
    }
    let programs = sources_in("tests/reach");
    assert!(programs.len() > 30);
    for (name, path) in programs {
        let text = fs::read_to_string(&path).expect("reads");
        let targets = marked(&text);
        assert!(!targets.is_empty(), "{name}");
        let dir = tempfile::tempdir().expect("a folder");
        let source = path.display().to_string();
        let mut args = vec!["reach", &source, "-q", "--json", "-n", "200"];
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let at: Vec<String> = targets
            .iter()
            .map(|(line, _)| format!("{name}.c:{line}"))
            .collect();
        args.extend(at.iter().flat_map(|at| ["--at", at]));
        let output = run(dir.path(), &args);
        let answers: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{name}: {}", shown(&output)));
        for (at, (line, truth)) in targets.iter().enumerate() {
            let verdict = answers["targets"][at]["verdict"].as_str();
            let wrong = if *truth { "unreachable" } else { "reached" };
            assert_ne!(verdict, Some(wrong), "{name}:{line}");
        }
    }
}

/// Lines with `// target:`, and whether an input reaches them.
fn marked(text: &str) -> Vec<(usize, bool)> {
    let lines = (1..).zip(text.lines());
    let marked = lines.filter_map(|(number, line)| {
        let truth = line.split_once("// target: ")?.1;
        Some((number, truth == "reachable"))
    });
    marked.collect()
}

#[test]
fn the_programs_of_the_figures_say_what_is_true_of_them() {
    for (name, path) in sources_in("tests/reach") {
        let text = fs::read_to_string(root().join(path)).expect("reads");
        assert!(!marked(&text).is_empty(), "{name}");
        for line in text.lines().filter(|line| line.contains("// target")) {
            let known = ["// target: reachable", "// target: unreachable"];
            assert!(
                known.iter().any(|known| line.ends_with(known)),
                "{name}: {line}"
            );
        }
    }
}

/// The programs that the paper's Table 1 is re-made with: backward alone, without the proofs before it, each target has its verdict.
#[test]
fn backward_alone_decides_the_papers_targets() {
    let programs = sources_in("tests/reach");
    let programs = programs.iter().filter(|(name, _)| name.starts_with("t1_"));
    for (name, path) in programs {
        let text = fs::read_to_string(path).expect("reads");
        let dir = tempfile::tempdir().expect("a folder");
        let source = path.display().to_string();
        let mut args = vec![
            "reach",
            &source,
            "-q",
            "--json",
            "--only",
            "backward",
            "--no-proofs",
        ];
        let at: Vec<String> = marked(&text)
            .iter()
            .map(|(line, _)| format!("{name}.c:{line}"))
            .collect();
        args.extend(at.iter().flat_map(|at| ["--at", at]));
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", shown(&output));
        let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for (at, (line, truth)) in marked(&text).iter().enumerate() {
            let target = &answers["targets"][at];
            let expected = match truth {
                true => ("reached", Value::Null),
                false => ("unreachable", Value::from("backward")),
            };
            let found = (
                target["verdict"].as_str().unwrap_or(""),
                target["certificate"]["kind"].clone(),
            );
            assert_eq!(found, expected, "{name}:{line}");
        }
    }
}

/// Every line of programs that none of it was written for is a target: what is called unreachable backward is reached by no test.
#[test]
fn nothing_that_a_test_reaches_is_unreachable_backward() {
    for (name, path) in sources_in("tests/programs") {
        if !e2e::long() && !e2e::one_in(16, &name) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("reads");
        let dir = tempfile::tempdir().expect("a folder");
        let lines: Vec<&str> = text.lines().collect();
        let mut diff = format!(
            "--- /dev/null\n+++ b/{name}.c\n@@ -0,0 +1,{} @@\n",
            lines.len()
        );
        for line in lines {
            diff.push_str(&format!("+{line}\n"));
        }
        fs::write(dir.path().join("all.diff"), diff).expect("writes");
        let source = path.display().to_string();
        let mut args = vec![
            "reach",
            &source,
            "-q",
            "--json",
            "--no-proofs",
            "-t",
            "4s",
            "-n",
            "100",
            "--diff",
            "all.diff",
        ];
        args.extend(comment(&text, "args").unwrap_or("").split_whitespace());
        let output = run(dir.path(), &args);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{name}: {}",
            shown(&output)
        );
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!said.contains("wrong proof"), "{name}: {said}");
    }
}
