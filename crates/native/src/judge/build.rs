//! The judge's build: the stored bitcode compiled as it is, with clang's own counters, without our instrumentation.
//!
//! Must hold: the bitcode is the one that the instrumented program was made of; library models of our own are not
//! in it, the judge uses the real library.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{JudgeFault, call};
use crate::hash::fnv;
use crate::toolchain::Toolchain;

/// One module of the program.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Hash of its bitcode.
    pub uid: u64,
    /// For messages: the source file.
    pub name: &'a str,
    /// Prepared bitcode, with clang's coverage intrinsics in it.
    pub bitcode: &'a [u8],
}

/// One file of the replay runtime.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Its C text.
    pub text: Cow<'static, str>,
    /// What clang made of it for the machine that we run on, if somebody asked already.
    pub object: Option<&'static [u8]>,
}

/// What to build.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The program's modules, library models left out.
    pub units: Vec<Unit<'a>>,
    /// The replay runtime.
    pub replay: Vec<Replay>,
    /// The rest of the user's link line: objects, archives, flags.
    pub link_args: Vec<OsString>,
    /// What the user's flags say of the machine that code is for (`-m32`).
    pub machine: Vec<String>,
    /// Folder in which the user linked. If it is gone, the link is made in the current folder.
    pub directory: PathBuf,
    /// Link as C++.
    pub cxx: bool,
    /// Folder where objects are kept by the hash of their bitcode.
    pub cache: PathBuf,
    /// The executable.
    pub output: PathBuf,
    /// Compilers at a time.
    pub jobs: usize,
}

/// Link-time wrapping: these end the process, or may, without the handlers that write the profile; or they read standard input
/// without a trace; or they make files where the sandbox permits none.
const WRAP: &[&str] = &[
    "-Wl,--wrap=_exit",
    "-Wl,--wrap=_Exit",
    "-Wl,--wrap=quick_exit",
    "-Wl,--wrap=raise",
    "-Wl,--wrap=kill",
    "-Wl,--wrap=mmap",
    "-Wl,--wrap=mmap64",
    "-Wl,--wrap=pread",
    "-Wl,--wrap=pread64",
    "-Wl,--wrap=tmpfile",
    "-Wl,--wrap=tmpfile64",
    "-Wl,--wrap=mkstemp",
    "-Wl,--wrap=mkstemp64",
    "-Wl,--wrap=mkdtemp",
];

/// Builds the judge's executable.
///
/// # Errors
/// When clang fails or a file cannot be written.
pub fn build(toolchain: &Toolchain, build: &Build<'_>) -> Result<(), JudgeFault> {
    fs::create_dir_all(&build.cache).map_err(JudgeFault::path("make", &build.cache))?;
    let objects = compile_all(toolchain, build)?;
    let replay = build.replay.iter();
    let replay = replay.map(|part| compile_replay(toolchain, build, part));
    let replay: Vec<PathBuf> = replay.collect::<Result<_, _>>()?;
    let driver = if build.cxx {
        toolchain.clangxx()
    } else {
        toolchain.clang.clone()
    };
    let output = unfinished(&build.output);
    let mut command = Command::new(&driver);
    if build.directory.is_dir() {
        command.current_dir(&build.directory);
    }
    command.arg("-Wno-unused-command-line-argument");
    let chooses_linker = build
        .link_args
        .iter()
        .any(|arg| is_linker_choice(&arg.to_string_lossy()));
    if let Some(lld) = toolchain.lld.as_ref().filter(|_| !chooses_linker) {
        let mut flag = OsString::from("--ld-path=");
        flag.push(lld);
        // A version script may name what is not there, as where the program was linked.
        command.arg(flag).arg("-Wl,--undefined-version");
    }
    command.args(&objects).args(&replay).args(&build.link_args);
    command
        .arg("-fprofile-instr-generate")
        .args(WRAP)
        .args(["-lm", "-lpthread", "-ldl"]);
    command.arg("-o").arg(&output);
    call(&driver, &mut toolchain.linking(command))?;
    fs::rename(&output, &build.output).map_err(JudgeFault::path("write", &build.output))
}

fn is_linker_choice(flag: &str) -> bool {
    flag.starts_with("-fuse-ld") || flag.starts_with("--ld-path")
}

/// Compiles every unit that is not in the cache, several at a time.
fn compile_all(toolchain: &Toolchain, build: &Build<'_>) -> Result<Vec<PathBuf>, JudgeFault> {
    let next = AtomicUsize::new(0);
    let fault = Mutex::new(None);
    let work = || {
        while let Some(unit) = build.units.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = compile_unit(toolchain, build, unit) {
                next.store(usize::MAX / 2, Ordering::Relaxed);
                fault
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .get_or_insert(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..build.jobs.clamp(1, build.units.len().max(1)) {
            scope.spawn(work);
        }
    });
    match fault
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        Some(error) => Err(error),
        None => Ok(build
            .units
            .iter()
            .map(|unit| object_path(&build.cache, unit))
            .collect()),
    }
}

fn object_path(cache: &Path, unit: &Unit<'_>) -> PathBuf {
    cache.join(format!(
        "judge-{:016x}-{:x}.o",
        unit.uid,
        unit.bitcode.len()
    ))
}

fn compile_unit(
    toolchain: &Toolchain,
    build: &Build<'_>,
    unit: &Unit<'_>,
) -> Result<(), JudgeFault> {
    let object = object_path(&build.cache, unit);
    if object.is_file() {
        return Ok(());
    }
    let fresh = unfinished(&object);
    let bitcode = fresh.with_extension("bc");
    fs::write(&bitcode, unit.bitcode).map_err(JudgeFault::path("write", &bitcode))?;
    let mut command = Command::new(&toolchain.clang);
    command.args([
        "-x",
        "ir",
        "-O0",
        "-g",
        "-fPIC",
        "-fprofile-instr-generate",
        "-w",
        "-c",
    ]);
    command.args(&build.machine);
    let result = call(
        &toolchain.clang,
        command.arg(&bitcode).arg("-o").arg(&fresh),
    );
    let _ = fs::remove_file(&bitcode);
    result.map_err(|error| match error {
        JudgeFault::Failed { tool, status, text } => JudgeFault::Failed {
            tool: format!("{}: {tool}", unit.name),
            status,
            text,
        },
        other => other,
    })?;
    fs::rename(&fresh, &object).map_err(JudgeFault::path("write", &object))
}

fn compile_replay(
    toolchain: &Toolchain,
    build: &Build<'_>,
    part: &Replay,
) -> Result<PathBuf, JudgeFault> {
    let hash = fnv((build.machine.concat() + &part.text).as_bytes());
    let object = build.cache.join(format!("replay-{hash:016x}.o"));
    if object.is_file() {
        return Ok(object);
    }
    let fresh = unfinished(&object);
    match part.object.filter(|_| build.machine.is_empty()) {
        Some(ready) => fs::write(&fresh, ready).map_err(JudgeFault::path("write", &fresh))?,
        None => {
            let source = fresh.with_extension("c");
            fs::write(&source, &*part.text).map_err(JudgeFault::path("write", &source))?;
            let mut command = Command::new(&toolchain.clang);
            // Without debug information: what has none is no place of the program's.
            command.args(["-O1", "-fPIC", "-std=gnu11", "-w", "-c"]);
            command.args(&build.machine);
            let result = call(&toolchain.clang, command.arg(&source).arg("-o").arg(&fresh));
            let _ = fs::remove_file(&source);
            result?;
        }
    }
    fs::rename(&fresh, &object).map_err(JudgeFault::path("write", &object))?;
    Ok(object)
}

/// A name beside `path` for a file in the making: two builds may share a cache.
fn unfinished(path: &Path) -> PathBuf {
    static COUNTER: AtomicUsize = AtomicUsize::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.{number}", std::process::id()))
}
