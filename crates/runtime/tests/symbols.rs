//! The archive and the models define every name that the interface and the table of the C library promise.

mod harness;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use wire::libc::{INPUT_FUNCTIONS, MODEL_PREFIX, TABLE, Treatment, WRAPPED_PREFIX};

/// Defined global symbols of the archive; true for weak ones.
fn symbols() -> BTreeMap<String, bool> {
    let bytes = std::fs::read(harness::archive()).expect("the archive is there");
    let archive = ArchiveFile::parse(&*bytes).expect("an archive");
    let mut found = BTreeMap::new();
    for member in archive.members() {
        let data = member.expect("a member").data(&*bytes).expect("its bytes");
        let Ok(file) = object::File::parse(data) else {
            continue;
        };
        for symbol in file
            .symbols()
            .filter(|symbol| symbol.is_definition() && symbol.is_global())
        {
            found.insert(symbol.name().expect("a name").to_owned(), symbol.is_weak());
        }
    }
    found
}

fn names_of(treatment: Treatment) -> impl Iterator<Item = &'static str> {
    TABLE
        .iter()
        .filter(move |entry| entry.treatment == treatment)
        .map(|entry| entry.name)
}

#[test]
fn every_function_of_the_interface_exists() {
    let symbols = symbols();
    let missing: Vec<_> = wire::abi::FUNCTIONS
        .iter()
        .map(|f| f.name)
        .filter(|name| !symbols.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(symbols.contains_key("__bw_hot"));
}

#[test]
fn every_wrapped_function_exists() {
    let symbols = symbols();
    let name = |name: &str| format!("{WRAPPED_PREFIX}{name}");
    let missing: Vec<_> = names_of(Treatment::Wrapped)
        .map(name)
        .filter(|name| !symbols.contains_key(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let extra: Vec<_> = symbols
        .keys()
        .filter_map(|symbol| symbol.strip_prefix(WRAPPED_PREFIX))
        .filter(|name| wire::libc::treatment(name) != Some(Treatment::Wrapped))
        .collect();
    assert!(extra.is_empty(), "not in the table: {extra:?}");
}

#[test]
fn every_function_that_may_fail_exists() {
    let symbols = symbols();
    let missing: Vec<_> = wire::fail::TABLE
        .iter()
        .map(|failing| format!("{}{}", wire::fail::PREFIX, failing.name))
        .filter(|name| !symbols.contains_key(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_input_function_exists_and_gives_way_to_the_program() {
    let symbols = symbols();
    let wrong: Vec<_> = INPUT_FUNCTIONS
        .iter()
        .filter(|name| symbols.get(**name) != Some(&true))
        .collect();
    assert!(wrong.is_empty(), "missing or not weak: {wrong:?}");
}

fn sources(folder: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a source"))
        .collect()
}

#[test]
fn every_model_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut defined = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let source = entry.expect("an entry").path();
        let object = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(source.with_extension("o").file_name().expect("a name"));
        let done = Command::new("clang-19")
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object)
            .status()
            .expect("clang-19 runs");
        assert!(done.success(), "the models compile");
        let bytes = std::fs::read(object).expect("an object");
        let file = object::File::parse(&*bytes).expect("an object");
        let symbols = file
            .symbols()
            .filter(|symbol| symbol.is_definition() && symbol.is_global());
        defined.extend(symbols.map(|symbol| symbol.name().expect("a name").to_owned()));
    }
    let mut promised: Vec<_> = names_of(Treatment::Model)
        .chain(names_of(Treatment::Output))
        .map(|name| format!("{MODEL_PREFIX}{name}"))
        .collect();
    promised.sort();
    defined.sort();
    assert_eq!(defined, promised);
}

#[test]
fn the_replay_runtime_knows_every_input_function() {
    let replay = sources("replay");
    let known = |name: &str| {
        let short = name.strip_prefix("__VERIFIER_nondet_").unwrap_or(name);
        replay.contains(&format!(" {name}(")) || replay.contains(&format!(", {short})"))
    };
    let missing: Vec<_> = INPUT_FUNCTIONS.iter().filter(|name| !known(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
