//! The arrows between crates are permissions; everything else is forbidden. `cargo tree` says what is there.

use std::collections::BTreeMap;
use std::process::Command;

use e2e::pages::{self, Page};

/// Crate → what it may use. The table in `ARCHITECTURE.md` is written from this one (`make docs`).
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("program", &[]),
    ("smt", &[]),
    ("semantics", &["program", "smt"]),
    ("llvm", &["program", "wire"]),
    ("runtime", &["wire"]),
    ("coverage", &["program"]),
    ("report", &["program", "coverage"]),
    ("explore", &["program", "smt", "coverage"]),
    (
        "backward",
        &["program", "smt", "semantics", "coverage", "values"],
    ),
    ("values", &["program"]),
    (
        "native",
        &["wire", "program", "smt", "coverage", "report", "explore"],
    ),
    ("harness", &[]),
    ("bench", &[]),
    (
        "cli",
        &[
            "wire", "program", "smt", "llvm", "coverage", "report", "explore", "backward",
            "native", "harness", "bench", "values",
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

/// The table of crates: descriptions from the manifests, permissions from this file.
#[test]
fn the_map_has_every_crate() {
    let description = |package: &str| {
        let manifest = Page::read(&format!("crates/{package}/Cargo.toml")).text;
        let line = manifest
            .lines()
            .find_map(|line| line.strip_prefix("description = \""));
        line.and_then(|line| line.strip_suffix('"'))
            .unwrap_or_else(|| panic!("crates/{package}/Cargo.toml: no description"))
            .to_owned()
    };
    let folders = std::fs::read_dir(e2e::root().join("crates")).expect("the folder is there");
    for folder in folders {
        let name = folder.expect("it can be read").file_name();
        let is_known = ALLOWED.iter().any(|(package, _)| name == *package);
        assert!(is_known, "{name:?} has no permissions in this file");
    }
    let table = pages::table(
        ["crate", "charter", "may use"],
        ALLOWED.iter().map(|(package, allowed)| {
            let allowed = match allowed.len() {
                0 => "–".to_owned(),
                _ => allowed.join(", "),
            };
            [format!("`{package}`"), description(package), allowed]
        }),
    );
    let page = Page::read("ARCHITECTURE.md");
    assert!(page.text.lines().count() < 250, "it is a map");
    page.section("crates", &table);
}
