//! The arrows between crates are permissions; everything else is forbidden. `cargo tree` says what is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use e2e::pages::{self, Page};

/// Crate → what it may use; `random` in tests only, but for `bench`. The table in `ARCHITECTURE.md` is written from this one (`make docs`).
const ALLOWED: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("program", &["random"]),
    ("smt", &["x87"]),
    ("semantics", &["program", "smt"]),
    ("llvm", &["program", "wire"]),
    ("runtime", &["wire", "x87", "random"]),
    ("path", &["wire", "program", "smt"]),
    ("coverage", &["program"]),
    ("report", &["wire", "program", "coverage"]),
    ("explore", &["program", "smt", "path", "coverage"]),
    (
        "proof",
        &["wire", "program", "smt", "semantics", "coverage"],
    ),
    (
        "backward",
        &["program", "smt", "semantics", "coverage", "values", "proof"],
    ),
    ("values", &["program"]),
    (
        "machine",
        &["wire", "program", "smt", "semantics", "path", "random"],
    ),
    (
        "symcretic",
        &[
            "wire",
            "program",
            "smt",
            "semantics",
            "path",
            "values",
            "machine",
            "descent",
            "random",
        ],
    ),
    (
        "native",
        &[
            "wire", "program", "smt", "path", "coverage", "report", "random",
        ],
    ),
    ("harness", &[]),
    ("random", &[]),
    ("x87", &[]),
    ("descent", &["smt", "x87"]),
    ("bench", &["random"]),
    ("store", &[]),
    ("serve", &["report"]),
    (
        "session",
        &[
            "wire",
            "program",
            "smt",
            "path",
            "llvm",
            "coverage",
            "report",
            "values",
            "proof",
            "explore",
            "backward",
            "symcretic",
            "machine",
            "native",
            "harness",
            "store",
        ],
    ),
    (
        "cli",
        &[
            "smt", "path", "coverage", "report", "proof", "explore", "native", "bench", "session",
            "serve",
        ],
    ),
];

/// Crate → whose files it has in its own texts: sources and headers that are compiled for programs under test. Everything
/// else of another crate is used through its interface.
const EMBEDDED: &[(&str, &[&str])] = &[
    ("llvm", &["runtime"]),
    ("native", &["runtime"]),
    ("session", &["runtime"]),
];

/// Files below a folder with this extension.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
}

#[test]
fn crates_embed_only_what_they_may() {
    for (package, _) in ALLOWED {
        let mut sources = Vec::new();
        files(
            &e2e::root().join("crates").join(package),
            "rs",
            &mut sources,
        );
        assert!(!sources.is_empty(), "{package}");
        let allowed = EMBEDDED.iter().find(|(name, _)| name == package);
        let allowed = allowed.map_or(&[][..], |(_, allowed)| allowed);
        for source in sources {
            let text = std::fs::read_to_string(&source).expect("a source");
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for (other, _) in ALLOWED.iter().filter(|(other, _)| other != package) {
                let path = format!("../{other}/");
                let embeds = code.clone().any(|line| line.contains(&path));
                assert!(
                    !embeds || allowed.contains(other),
                    "{}: {package} must not embed files of {other}",
                    source.display()
                );
            }
        }
    }
}

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
            "normal,build,dev",
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
