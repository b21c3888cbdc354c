//! The C models give what the C library gives, on the samples in `drivers`.

use std::path::Path;
use std::process::Command;

#[test]
fn models_agree_with_the_c_library() {
    check("models");
}

#[test]
fn scanf_agrees_with_the_c_library() {
    check("scanning");
}

#[test]
fn printf_agrees_with_the_c_library() {
    check("formatting");
}

#[test]
fn text_numbers_and_wide_characters_agree_with_the_c_library() {
    check("various");
}

#[test]
fn mathematics_agrees_with_the_c_library() {
    check("mathematics");
}

#[test]
fn getopt_agrees_with_the_c_library() {
    check("options");
}

#[test]
fn searching_agrees_with_the_c_library() {
    check("searching");
}

#[test]
fn strtod_agrees_with_the_c_library() {
    check("decimals");
}

/// Compiles a driver with the models, natively, and runs it.
fn check(driver: &str) {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("models-{driver}"));
    let models = std::fs::read_dir(crate_folder.join("models")).expect("a folder");
    let done = Command::new("clang-19")
        .args([
            "-O1",
            "-g",
            "-fno-builtin",
            "-fwrapv",
            "-fno-math-errno",
            "-w",
            "-o",
        ])
        .arg(&program)
        .arg(
            crate_folder
                .join("tests/drivers")
                .join(driver)
                .with_extension("c"),
        )
        .arg("-lm")
        .args(models.map(|entry| entry.expect("an entry").path()))
        .status()
        .expect("clang-19 runs");
    assert!(done.success(), "the models compile");
    let output = Command::new(&program).output().expect("the driver runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
