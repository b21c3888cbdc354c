//! The example of a workflow: its step runs as it stands there, and fails when coverage falls.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The commands of a step, and the variables of the job.
fn step(workflow: &str, name: &str) -> (String, Vec<(String, String)>) {
    let lines = || workflow.lines();
    let wanted = format!("- name: {name}");
    let behind = lines().skip_while(|line| line.trim() != wanted).skip(2);
    let script = behind.take_while(|line| line.starts_with("          "));
    let env = lines().skip_while(|line| line.trim() != "env:").skip(1);
    let env = env.take_while(|line| line.starts_with("      "));
    let pairs = env.filter_map(|line| line.trim().split_once(": "));
    (
        script
            .map(|line| format!("{}\n", line.trim_start()))
            .collect(),
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    )
}

/// Runs the step as the runner does, on a program with one branch that nothing takes.
fn run(dir: &Path, required: &str) -> Output {
    let workflow = fs::read_to_string(e2e::root().join("examples/ci/coverage.yml"));
    let (script, env) = step(&workflow.expect("the example is there"), "Coverage");
    assert!(script.contains("--require"), "{script}");
    assert_eq!(env.len(), 2, "{env:?}");
    fs::create_dir_all(dir.join("src")).expect("made");
    let source = "#include <stdio.h>\nint main(void) {\n    int c = getchar();\n    if (c > 5) puts(\"more\");\n    \
                  if (c > 300) puts(\"never\");\n    return 0;\n}\n";
    fs::write(dir.join("src/main.c"), source).expect("written");
    fs::write(dir.join(".bothways-coverage"), format!("{required}\n")).expect("written");
    let bothways = e2e::bothways();
    let folder = bothways.parent().expect("it is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-e", "-c", &script])
        .envs(env)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("GITHUB_STEP_SUMMARY", dir.join("step-summary"))
        .current_dir(dir)
        .output()
        .expect("a shell")
}

#[test]
fn the_workflow_passes_while_coverage_stands_and_fails_when_it_falls() {
    let dir = tempfile::tempdir().expect("a folder");
    for (required, code) in [("75", 0), ("76", 1)] {
        let output = run(dir.path(), required);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{required}: {}",
            e2e::shown(&output)
        );
        let summary = fs::read_to_string(dir.path().join("step-summary")).expect("written");
        assert!(summary.contains("3"), "{summary}");
    }
    let said = run(dir.path(), "76");
    let errors = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(errors.contains("--require 76% is not met"), "{errors}");
    assert!(dir.path().join("bothways-out/manifest.json").is_file());
}
