//! The arrows between crates are permissions; everything else is forbidden. `cargo tree` says what is there.

use std::collections::BTreeMap;
use std::process::Command;

/// Crate → what it may use. The same table stands in `ARCHITECTURE.md`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("program", &[]),
    ("smt", &[]),
    ("semantics", &["program", "smt"]),
    ("llvm", &["program", "wire"]),
    ("runtime", &["wire"]),
    ("path", &["wire", "program", "smt"]),
    ("coverage", &["wire", "program"]),
    ("explore", &["program", "smt", "path", "coverage"]),
    ("backward", &["program", "smt", "semantics", "coverage"]),
    ("values", &["program"]),
    ("native", &["wire", "program", "smt", "path", "coverage"]),
    ("harness", &[]),
    ("bench", &[]),
    (
        "cli",
        &[
            "wire", "program", "smt", "path", "llvm", "coverage", "explore", "backward", "native",
            "harness", "bench",
        ],
    ),
];

fn direct_dependencies(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            package,
            "--depth",
            "1",
            "--prefix",
            "none",
            "-e",
            "normal",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    text.lines()
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn crates_use_only_what_they_may() {
    let ours: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    for (package, allowed) in ALLOWED {
        for dependency in direct_dependencies(package) {
            if ours.contains_key(dependency.as_str()) {
                assert!(
                    allowed.contains(&dependency.as_str()),
                    "{package} must not use {dependency}"
                );
            }
        }
    }
}

#[test]
fn solver_and_llvm_each_have_one_door() {
    for (library, owner) in [
        ("z3-sys", "smt"),
        ("z3", "smt"),
        ("llvm-sys", "llvm"),
        ("inkwell", "llvm"),
    ] {
        for (package, _) in ALLOWED.iter().filter(|(package, _)| *package != owner) {
            let uses = direct_dependencies(package)
                .iter()
                .any(|dependency| dependency == library);
            assert!(!uses, "{package} must not use {library}: only {owner} may");
        }
    }
}
