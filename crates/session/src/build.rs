//! From what the user named to what the search needs: the instrumented program, its model, the judge's build.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result, ensure};
use crate::host::Host;
use native::judge::{Build, Replay, Unit};

use super::decisions::Decisions;
use super::failing::{self, Redirection, Set};
use super::load::Program;
use super::options::{Options, Runner};
use crate::compiler::args::{Command, Input};
use crate::compiler::{Compiler, Language};

/// A file of the replay runtime as the build script wrote and compiled it.
macro_rules! compiled {
    ($name:literal) => {
        Replay {
            text: Cow::Borrowed(include_str!(concat!(env!("OUT_DIR"), "/", $name, ".c"))),
            object: Some(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".o"))),
        }
    };
}

/// The `main` of a fuzz target, which its build for the judge is linked with as well.
const FUZZ: Replay = compiled!("fuzz");

/// What the harness of a function calls to say what it sees.
const OBSERVE: Replay = compiled!("observe");

/// The replay runtime, which the judge's build is linked with, and random bytes that are the same in every run.
const REPLAY: Replay = compiled!("replay");

/// What links a program with the replay runtime.
#[derive(Clone, Copy, Debug)]
pub struct Judging {
    /// Its harness says what a function was given and what it left.
    pub seen: bool,
    /// The functions whose calls tests may make to fail.
    pub fails: Set,
}

/// Compiles the sources, or reads the program that was given; into `folder`.
///
/// # Errors
/// A file that is missing or of no use, clang's failure as [`crate::Error::Compiler`].
pub fn instrumented(options: &Options, host: &dyn Host, folder: &Path) -> Result<Program> {
    crate::find::check(options)?;
    for input in &options.inputs {
        std::fs::metadata(input).with_context(|| format!("{}", input.display()))?;
    }
    let source = |path: &Path| Input::named(path).is_source();
    let sources = options.inputs.iter().filter(|path| source(path)).count();
    if sources == 0 {
        ensure!(
            options.inputs.len() == 1,
            "give C sources, or one program built by `bothways cc`"
        );
        ensure!(
            !options.find.overflow,
            "--find overflow needs C sources: {} is compiled already",
            options.inputs[0].display()
        );
        ensure!(
            options.cflags.is_empty(),
            "--cflags is for C sources; {} is compiled already",
            options.inputs[0].display()
        );
        let program = Program::read(&options.inputs[0])?;
        failing::check(&program, options.symbolic.failing)?;
        return Ok(program);
    }
    let output = folder.join("program");
    let mut words = options.compiler_flags();
    words.extend(failing::flag(options.symbolic.failing));
    words.extend(options.inputs.iter().map(|path| path.display().to_string()));
    words.extend(["-o".to_owned(), output.display().to_string()]);
    let mut command = Command::parse(&words)?;
    command.signed = options.find.overflow;
    command.unset = options.target == Runner::Machine && !options.check;
    let mut languages = options.inputs.iter().map(|path| Language::of(path));
    let cxx = languages.find(|language| matches!(language, Language::Cxx));
    let compiler = Compiler::find(cxx.unwrap_or(Language::C))?;
    if let Some(note) = command.note() {
        host.tell(&note);
    }
    let decided = command.is_narrow() || options.target == Runner::Machine;
    let may_do = decided || options.target == Runner::Auto;
    if (command.is_narrow() || !options.check)
        && may_do
        && let Some(program) = compiler.model(&command)?
        && (decided || machine::unmodelled(&model(&program)?).is_empty())
    {
        return Ok(program);
    }
    ensure!(
        !options.find.overflow,
        "--find overflow needs all of the program as C sources"
    );
    compiler.execute(&command).map_err(|error| match error {
        Error::Compiler { code, said } => Error::Compiler {
            code,
            said: hint_at_functions(said),
        },
        error => error,
    })?;
    Program::read(&output)
}

/// Who has no `main` wants to test functions: the linker's words are not what helps, unless it misses more than that.
fn hint_at_functions(said: String) -> String {
    const HINT: &str = "bothways: no source has a `main`: to test a function by itself, add --function NAME (or --all-functions)";
    let missed = |line: &&str| {
        line.contains("undefined symbol: ") || line.contains("undefined reference to ")
    };
    let is_main = |line: &str| {
        line.ends_with("undefined symbol: main") || line.ends_with("undefined reference to `main'")
    };
    let missed: Vec<&str> = said.lines().filter(missed).collect();
    match missed.iter().filter(|line| is_main(line)).count() {
        0 => said,
        count if count == missed.len() => HINT.to_owned(),
        _ => format!("{said}\n{HINT}"),
    }
}

/// The model: every module's bitcode as one program.
///
/// # Errors
/// Our own: the bitcode was written by us.
pub fn model(program: &Program) -> Result<program::Program> {
    let mut reader = llvm::read::Reader::new();
    for module in &program.modules {
        let meta = llvm::read::Meta {
            name: module.meta.source.display().to_string(),
            library: module.meta.library,
        };
        reader
            .add_module(&module.bitcode, module.uid, meta)
            .fault()?;
    }
    reader.finish().fault()
}

/// The files of the replay runtime: with a `main` where the program has none.
pub(crate) fn replay(program: &Program, judging: Judging) -> Vec<Replay> {
    let mut parts = vec![REPLAY];
    let failing = failing::replay(judging.fails);
    if !failing.is_empty() {
        // It asks what is next in the test, which nothing outside the file can.
        parts[0].text.to_mut().push_str(&failing);
        parts[0].object = None;
    }
    parts.extend(program.link.fuzz.then_some(FUZZ));
    parts.extend(judging.seen.then_some(OBSERVE));
    parts
}

/// Builds the judge's executable in `folder`, of modules with clang's own mapping of decisions where there are such.
///
/// # Errors
/// What the program was linked with is gone, or clang fails.
pub fn judge(
    program: &Program,
    decisions: &Decisions,
    folder: &Path,
    jobs: usize,
    judging: Judging,
) -> Result<PathBuf> {
    let toolchain = native::toolchain::Toolchain::find()?;
    let output = folder.join("judge");
    let names: Vec<String> = program
        .own_modules()
        .map(|module| module.meta.source.display().to_string())
        .collect();
    let mut units: Vec<Unit<'_>> = program
        .own_modules()
        .zip(&names)
        .map(|(module, name)| match decisions.of(module.uid) {
            Some(prepared) => Unit {
                uid: prepared.uid,
                name,
                bitcode: &prepared.bitcode,
            },
            None => Unit {
                uid: module.uid,
                name,
                bitcode: &module.bitcode,
            },
        })
        .collect();
    let redirection = Redirection::new(program, judging.fails)?;
    let redirected = units
        .iter()
        .map(|unit| redirection.apply(unit.bitcode, unit.name));
    let redirected: Vec<Option<Vec<u8>>> = redirected.collect::<Result<_>>()?;
    for (unit, other) in units.iter_mut().zip(&redirected) {
        unit.bitcode = other.as_deref().unwrap_or(unit.bitcode);
    }
    let mut link_args: Vec<OsString> = { program.plain_link_args(folder)?.into_iter() }
        .map(OsString::from)
        .collect();
    // The judge is not optimised, and with `-fcoverage-mcdc` clang keeps even sides that a constant rules out: what is called
    // there need not exist.
    link_args.push("-Wl,--unresolved-symbols=ignore-in-object-files".into());
    let build = Build {
        units,
        replay: replay(program, judging),
        link_args,
        machine: program.machine_flags(),
        directory: program.link.directory.clone(),
        cxx: program.link.cxx,
        cache: folder.join("objects"),
        output: output.clone(),
        jobs,
    };
    native::judge::build(&toolchain, &build).context("the plain build for the judge failed")?;
    Ok(output)
}
