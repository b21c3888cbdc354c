//! Our own parts of an instrumented program: headers, the runtime archive, the compiled library models.
//!
//! The command carries all of them: they are unpacked and compiled once into a cache folder named after their content, so
//! that two versions never meet. A runtime archive that lies beside the command comes before its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result, bail};
use llvm::emit::EmitOptions;
use llvm::prepare::Prepared;
use native::toolchain::Toolchain;
use sha2::{Digest, Sha256};

use super::compile::{Meta, instrument, prepare};
use super::{model, run_visibly, weak, words};

/// Where the parts are.
#[derive(Clone, Debug)]
pub struct Support {
    /// Folder of `bothways.h` and the other tools' headers.
    pub include: PathBuf,
    /// `libbothways_runtime.a`, its wrappers weak.
    pub runtime: PathBuf,
    /// Instrumented library models.
    pub models: PathBuf,
    /// The `main` of fuzz targets, instrumented.
    pub fuzz: PathBuf,
    /// Random bytes that are the same in every run, not instrumented.
    pub random: PathBuf,
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("../../../runtime/", $name)))),*] };
}

/// Headers for programs under test.
const HEADERS: &[(&str, &str)] = embedded!(
    "include/bothways.h",
    "include/crest.h",
    "include/klee/klee.h"
);

/// The `main` of fuzz targets, the same for the judge.
pub const FUZZ: &[(&str, &str)] = embedded!("replay/fuzz.c");

/// Random bytes that are the same in every run, the same for the judge.
pub const RANDOM: &[(&str, &str)] = embedded!("replay/random.c");

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The runtime archive that the command carries.
const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.a"));

impl Support {
    /// Finds the runtime and makes sure that headers and models are in the cache.
    ///
    /// # Errors
    /// No runtime archive, or no folder that can be written.
    pub fn find(toolchain: &Toolchain) -> Result<Support> {
        let archive = runtime_archive()?;
        let folder = cache_folder(archive.as_deref())?;
        let (models, runtime) = (folder.join("models.a"), folder.join("runtime.a"));
        let (fuzz, random) = (folder.join("fuzz.o"), folder.join("random.o"));
        if !models.is_file() {
            unpack(&folder)?;
            build_fuzz(toolchain, &folder, &fuzz)?;
            build_random(toolchain, &folder, &random)?;
            let content = match &archive {
                Some(path) => {
                    fs::read(path).with_context(|| format!("cannot read {}", path.display()))?
                }
                None => RUNTIME.to_vec(),
            };
            replace(&runtime, &weak::weakened(content)?)?;
            build_models(toolchain, &folder, &models)?;
        }
        Ok(Support {
            include: folder.join("include"),
            runtime,
            models,
            fuzz,
            random,
        })
    }
}

/// Models whose text takes `long` for 64 bits: without them, what they model is not modelled.
const WIDE: &[&str] = &[
    "models/convert.c",
    "models/decimal.c",
    "models/format.c",
    "models/real.c",
    "models/scan.c",
    "models/wide_number.c",
];

impl Support {
    /// The library models without code, those that have one of the wanted functions, in the order of their names.
    ///
    /// # Errors
    /// clang fails, or the cache cannot be written.
    pub fn model_modules(
        &self,
        toolchain: &Toolchain,
        narrow: bool,
        mut wanted: BTreeSet<String>,
    ) -> Result<Vec<(Meta, Prepared)>> {
        let folder = self.include.parent().context("the cache has a folder")?;
        let mut left = Vec::new();
        for (name, _) in MODELS {
            if !narrow || !WIDE.contains(name) {
                left.push((*name, modelled_names(toolchain, folder, name, narrow)?));
            }
        }
        let mut modules = BTreeMap::new();
        // What a model calls may have a model of its own.
        let is_wanted =
            |names: &BTreeSet<String>, wanted: &BTreeSet<String>| !names.is_disjoint(wanted);
        while let Some(at) = left.iter().position(|(_, names)| is_wanted(names, &wanted)) {
            let (name, _) = left.remove(at);
            let module = model_module(toolchain, folder, name, narrow)?;
            wanted.extend(model::needs(&model::read(&module)?));
            modules.insert(name, module);
        }
        Ok(modules.into_values().collect())
    }
}

/// The functions that a library model models; kept in the cache. (Macros make many of their names, so the text does not tell.)
fn modelled_names(
    toolchain: &Toolchain,
    folder: &Path,
    name: &str,
    narrow: bool,
) -> Result<BTreeSet<String>> {
    let kind = if narrow { "narrow" } else { "wide" };
    let kept = folder.join(format!("{name}.{kind}.names"));
    if let Ok(text) = fs::read_to_string(&kept) {
        return Ok(text.lines().map(str::to_owned).collect());
    }
    let module = model::read(&model_module(toolchain, folder, name, narrow)?)?;
    let functions = module.functions.values();
    let names =
        functions.filter_map(|function| function.name.strip_prefix(wire::libc::MODEL_PREFIX));
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    let text: String = names.iter().map(|name| format!("{name}\n")).collect();
    let scratch = tempfile::tempdir_in(folder).context("cannot make a temporary folder")?;
    let fresh = scratch.path().join("model.names");
    fs::write(&fresh, text)
        .and_then(|()| fs::rename(&fresh, &kept))
        .with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(names)
}

/// One library model; its bitcode is kept in the cache.
fn model_module(
    toolchain: &Toolchain,
    folder: &Path,
    name: &str,
    narrow: bool,
) -> Result<(Meta, Prepared)> {
    let kind = if narrow { "narrow" } else { "wide" };
    let kept = folder.join(format!("{name}.{kind}.bc"));
    if !kept.is_file() {
        let scratch = tempfile::tempdir_in(folder).context("cannot make a temporary folder")?;
        let fresh = scratch.path().join("model.bc");
        let more: &[&str] = if narrow { &[super::NARROW] } else { &[] };
        compile_model(toolchain, (folder, name), more, &fresh)?;
        fs::rename(&fresh, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
    }
    let meta = meta(folder, name);
    let prepared = prepare(&fs::read(&kept)?, &meta, name).fault()?;
    Ok((meta, prepared))
}

/// `libbothways_runtime.a` where `BOTHWAYS_RUNTIME` says, or beside the command; none where the command's own is to be taken.
fn runtime_archive() -> Result<Option<PathBuf>> {
    const NAME: &str = "libbothways_runtime.a";
    if let Some(path) = std::env::var_os("BOTHWAYS_RUNTIME").map(PathBuf::from) {
        return if path.is_file() {
            Ok(Some(path))
        } else {
            bail!("BOTHWAYS_RUNTIME={}: no such file", path.display())
        };
    }
    let command = std::env::current_exe().context("cannot find out where bothways is")?;
    let beside = command.with_file_name(NAME);
    Ok(beside.is_file().then_some(beside))
}

/// The first folder that can be made: the user's cache, else one of our own in the temporary folder.
fn cache_folder(runtime: Option<&Path>) -> Result<PathBuf> {
    let name = &content_hash(runtime)[..16];
    let own = [
        native::cache::own(),
        Some(std::env::temp_dir().join("bothways")),
    ];
    let own = own.into_iter().flatten().map(|folder| folder.join(name));
    let candidates: Vec<PathBuf> = native::cache::chosen().into_iter().chain(own).collect();
    for candidate in &candidates {
        if fs::create_dir_all(candidate).is_ok() && is_writable(candidate) {
            return Ok(candidate.clone());
        }
    }
    bail!(
        "no cache folder can be written ({}); set BOTHWAYS_CACHE",
        candidates[0].display()
    )
}

/// A finished cache needs no writing; an unfinished one does.
fn is_writable(folder: &Path) -> bool {
    folder.join("models.a").is_file() || tempfile::tempfile_in(folder).is_ok()
}

fn content_hash(runtime: Option<&Path>) -> String {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    // A rebuilt command may instrument differently.
    for file in [std::env::current_exe().ok().as_deref(), runtime] {
        let modified = file
            .and_then(|file| fs::metadata(file).ok())
            .and_then(|data| data.modified().ok());
        hash.update(format!("{modified:?}"));
    }
    for (name, text) in unpacked() {
        hash.update(name);
        hash.update(text);
    }
    format!("{:x}", hash.finalize())
}

/// Everything that is unpacked.
fn unpacked() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    HEADERS.iter().chain(MODELS).chain(FUZZ).chain(RANDOM)
}

fn unpack(folder: &Path) -> Result<()> {
    for (name, text) in unpacked() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("the name has a folder"))?;
        replace(&path, text.as_bytes())?;
    }
    Ok(())
}

/// Compiles and instruments the models into one archive.
fn build_models(toolchain: &Toolchain, folder: &Path, archive: &Path) -> Result<()> {
    let scratch = tempfile::tempdir_in(folder).context("cannot make a temporary folder")?;
    let mut objects = Vec::new();
    for (name, _) in MODELS {
        let object = scratch.path().join(format!("{}.o", objects.len()));
        build_model(toolchain, folder, name, &object)?;
        objects.push(object);
    }
    let fresh = scratch.path().join("models.a");
    run_visibly(
        std::process::Command::new(toolchain.ar())
            .arg("rcs")
            .arg(&fresh)
            .args(&objects),
    )?;
    fs::rename(&fresh, archive).with_context(|| format!("cannot write {}", archive.display()))
}

/// Compiles and instruments the `main` of fuzz targets.
fn build_fuzz(toolchain: &Toolchain, folder: &Path, object: &Path) -> Result<()> {
    let scratch = tempfile::tempdir_in(folder).context("cannot make a temporary folder")?;
    let fresh = scratch.path().join("fuzz.o");
    for (name, _) in FUZZ {
        build_model(toolchain, folder, name, &fresh)?;
    }
    fs::rename(&fresh, object).with_context(|| format!("cannot write {}", object.display()))
}

/// Compiles what gives the same random bytes to every run.
fn build_random(toolchain: &Toolchain, folder: &Path, object: &Path) -> Result<()> {
    let scratch = tempfile::tempdir_in(folder).context("cannot make a temporary folder")?;
    let fresh = scratch.path().join("random.o");
    let mut clang = std::process::Command::new(&toolchain.clang);
    clang.args(["-O1", "-fPIC", "-std=gnu11", "-w", "-c", "-o"]);
    clang.arg(&fresh);
    for (name, _) in RANDOM {
        clang.arg(folder.join(name));
    }
    run_visibly(&mut clang)?;
    fs::rename(&fresh, object).with_context(|| format!("cannot write {}", object.display()))
}

/// Compiles and instruments one of our own sources.
fn build_model(toolchain: &Toolchain, folder: &Path, name: &str, object: &Path) -> Result<()> {
    let bitcode = object.with_extension("bc");
    compile_model(toolchain, (folder, name), &[], &bitcode)?;
    let meta = meta(folder, name);
    let instrumented = instrument(&fs::read(&bitcode)?, &meta, &EmitOptions::default())?;
    Ok(fs::write(object, instrumented)?)
}

/// How our own sources are compiled.
fn meta(folder: &Path, name: &str) -> Meta {
    Meta {
        source: folder.join(name),
        directory: folder.to_owned(),
        flags: Vec::new(),
        library: true,
        root: None,
        failing: false,
        unset: false,
        signed: false,
    }
}

/// The bitcode of one of our own sources.
fn compile_model(
    toolchain: &Toolchain,
    (folder, name): (&Path, &str),
    more: &[&str],
    bitcode: &Path,
) -> Result<()> {
    let flags = words::split_words(
        "-std=gnu11 -fno-builtin -w -O0 -Xclang -disable-O0-optnone -Xclang -disable-llvm-passes -g -fwrapv -fno-math-errno -fPIC -emit-llvm -c -o",
    );
    let mut clang = std::process::Command::new(&toolchain.clang);
    // Reports name the model, not the place of the cache.
    clang.arg(format!("-ffile-prefix-map={}/=bothways/", folder.display()));
    clang.args(more).args(flags);
    run_visibly(clang.arg(bitcode).arg(folder.join(name)))
}

/// Writes a file in one step.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    native::cache::replace(path, content)
        .with_context(|| format!("cannot write {}", path.display()))
}
