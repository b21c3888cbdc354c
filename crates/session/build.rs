//! Lists the library models, so that a model is one file and nothing else, and builds the runtime archive and the objects of the
//! replay runtime that the command carries: what `cargo install` leaves is one file, and nobody waits for them again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    list_models();
    build_runtime();
    compile_replay();
}

/// The folder of this crate as it is now: where this script was compiled, another tree may have been (a copied `target`, a moved one).
fn here() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

/// The runtime as a static library, in `OUT_DIR`. Cargo has no dependency on a static library, so a cargo of its own builds it.
fn build_runtime() {
    let crates = here().join("..");
    for name in ["runtime", "wire", "x87"] {
        for part in ["src", "Cargo.toml"] {
            let path = crates.join(name).join(part);
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let cargo = std::env::var_os("CARGO").expect("cargo sets CARGO");
    let mut build = Command::new(cargo);
    build
        .args(["rustc", "--quiet", "--release", "--locked", "--lib"])
        .args(["--crate-type", "staticlib", "--manifest-path"])
        .arg(crates.join("runtime/Cargo.toml"))
        .arg("--target-dir")
        .arg(Path::new(&out).join("runtime"))
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo")
        // Lints are for the build around this one.
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = build.status().expect("cargo starts");
    assert!(status.success(), "the runtime archive cannot be built");
    let built = Path::new(&out).join("runtime/release/libbothways_runtime.a");
    std::fs::copy(&built, Path::new(&out).join("runtime.a")).expect("OUT_DIR can be written");
}

/// What the judge's builds are linked with, for the machine that we run on.
fn compile_replay() {
    let folder = here().join("../runtime/replay");
    println!("cargo:rerun-if-changed={}", folder.display());
    println!("cargo:rerun-if-env-changed=BOTHWAYS_CLANG");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let clang = std::env::var("BOTHWAYS_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    for (name, sources) in [
        ("replay", &["replay.c", "random.c"][..]),
        ("fuzz", &["fuzz.c"]),
        ("observe", &["observe.c"]),
    ] {
        // The command carries the text as well: it is compiled in another way for other machines, and with more behind it.
        let texts = sources
            .iter()
            .map(|source| std::fs::read(folder.join(source)));
        let texts: Vec<Vec<u8>> = texts.collect::<Result<_, _>>().expect("sources are read");
        let text = out.join(format!("{name}.c"));
        std::fs::write(&text, texts.concat()).expect("OUT_DIR can be written");
        let mut compile = Command::new(&clang);
        compile
            .args(["-O1", "-fPIC", "-std=gnu11", "-w", "-c"])
            .arg(&text);
        compile.arg("-o").arg(out.join(format!("{name}.o")));
        let status = compile.status();
        let status = status.unwrap_or_else(|error| panic!("{clang} is needed: {error}"));
        assert!(status.success(), "{} cannot be compiled", text.display());
    }
}

fn list_models() {
    let folder = here().join("../runtime/models");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .map(|entries| {
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .collect()
        })
        .unwrap_or_default();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    names.sort();
    let mut text =
        String::from("/// C sources of the library models.\nconst MODELS: &[(&str, &str)] = &[\n");
    for path in names {
        let name = path
            .file_name()
            .expect("a file has a name")
            .to_string_lossy();
        writeln!(
            text,
            "    (\"models/{name}\", include_str!({:?})),",
            path.display().to_string()
        )
        .expect("writes to a string");
    }
    text.push_str("];\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("models.rs"), text).expect("OUT_DIR can be written");
}
