//! One source to one instrumented object: clang's front end, then our passes.

use native::scratch::Temporary;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::error::{Context, Error, Result};
use llvm::emit::{EmitOptions, Form, Position};
use llvm::prepare::Prepared;
use serde::{Deserialize, Serialize};

use super::args::{Command, Input, Kind, Mode, Relocation, parse_level};
use super::{Compiler, run_visibly, strict};

/// How a module was compiled: the JSON that stands in front of its bitcode.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Meta {
    /// Absolute path of the source.
    pub source: PathBuf,
    /// Folder in which the compiler ran.
    pub directory: PathBuf,
    /// The compiler's flags, without inputs and output.
    pub flags: Vec<String>,
    /// A library model of our own, whose branches are nobody's goal.
    #[serde(default)]
    pub library: bool,
    /// Only what this function may reach has bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Calls of C library functions can be made to fail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failing: bool,
    /// Variables that begin without a value are marked in the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unset: bool,
    /// Overflow of signed arithmetic is marked as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
}

/// What the front end always gets. The last definition wins, so these stand behind the user's flags.
const FRONT_END: &[&str] = &[
    // No optimisation before the branches are numbered, but nothing that forbids it afterwards.
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    // clang's own coverage: our goals, and the judge's count.
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-mllvm",
    "-enable-name-compression=false",
    // The instrumented code is optimised, the judge's is not: overflow and aliasing must mean the same in both.
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    // Fortified headers want optimisation, and hide the calls that the runtime wraps.
    "-U_FORTIFY_SOURCE",
    "-D__BOTHWAYS__=1",
    "-Wno-unused-command-line-argument",
];

/// What makes the front end write the bodies of C99 `inline` functions, which it does for an optimiser alone, and nothing else that
/// is only for an optimiser.
const INLINE_BODIES: &[&str] = &["-Xclang", "-O1", "-Xclang", "-disable-lifetime-markers"];

/// What headers see where the user optimises. They do not see it at first, since it puts the bodies of library functions in the place
/// of their calls; but some sources compile with it alone (GNU indent: `<libintl.h>` has `LC_ALL` for an optimiser only).
const OPTIMISED: &str = "-D__OPTIMIZE__=1";
/// The opposite. The last one on a command line counts.
const NOT_OPTIMISED: &str = "-U__OPTIMIZE__";

/// What the front end made of a source.
struct FrontEnd {
    bitcode: Vec<u8>,
    /// Flags that had to be added so that it compiles.
    relaxed: Vec<String>,
    /// Flags that had to be added so that it is whole.
    completed: Vec<String>,
}

/// Where the results of one source go.
#[derive(Clone, Debug)]
pub struct Output {
    /// Object, assembly or precompiled header; `-` is standard output.
    pub path: PathBuf,
    /// What clang would name a dependency file and its target after.
    pub named: PathBuf,
}

/// Compiles `input` as `command` says. What was there before goes away if it fails. What the user should know is returned.
///
/// # Errors
/// clang's failure as [`crate::Error::Compiler`]; our own pass, named.
pub fn compile(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Output,
) -> Result<Option<String>> {
    let done = match input.kind() {
        Kind::Source => instrumented(compiler, command, input, output),
        _ => clang_alone(compiler, command, input, output).map(|()| None),
    };
    if done.is_err() && output.path.is_file() {
        _ = std::fs::remove_file(&output.path);
    }
    done
}

/// Precompiles a header, with the flags that its users will be compiled with.
///
/// # Errors
/// clang's failure as [`crate::Error::Compiler`].
pub fn precompile(compiler: &Compiler, command: &Command, input: &Input) -> Result<()> {
    let mut clang = compiler.clang();
    front_end_flags(&mut clang, compiler, command);
    if let Some(language) = &input.language {
        clang.arg("-x").arg(language);
    }
    if let Some(output) = &command.output {
        clang.arg("-o").arg(output);
    }
    run_visibly(clang.arg(&input.path))
}

/// A source as a module of a model, without code.
///
/// # Errors
/// clang's failure as [`crate::Error::Compiler`]; our own pass, named.
pub fn modelled(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Output,
) -> Result<(Meta, Prepared)> {
    let made = front_end(compiler, command, input, output)?;
    let meta = meta(command, input)?;
    let name = meta.source.display().to_string();
    let prepared = prepare(&made.bitcode, &meta, &name)
        .with_context(|| format!("{name}: cannot be read as a model"))?;
    Ok((meta, prepared))
}

fn meta(command: &Command, input: &Input) -> Result<Meta> {
    Ok(Meta {
        source: std::path::absolute(&input.path)?,
        directory: std::env::current_dir()?,
        flags: command.compile_flags.clone(),
        library: false,
        root: command.root.clone(),
        failing: command.failing,
        unset: command.unset,
        signed: command.signed,
    })
}

fn instrumented(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Output,
) -> Result<Option<String>> {
    let FrontEnd {
        bitcode,
        relaxed,
        completed,
    } = front_end(compiler, command, input, output)?;
    let mut meta = meta(command, input)?;
    let note = (!relaxed.is_empty()).then(|| {
        let flags = relaxed.join(" ");
        let source = input.path.display();
        match relaxed == [OPTIMISED] {
            true => format!("bothways: no errors where headers see that it is optimised: {source} was compiled with {flags}"),
            false => format!("bothways: other compilers only warn of these errors: {source} was compiled with {flags}"),
        }
    });
    // Whoever compiles it again needs them as well.
    meta.flags.extend(relaxed);
    meta.flags.extend(completed);
    let options = EmitOptions {
        level: level(command)?,
        position: match command.pic {
            Some(Relocation::None) => Position::None,
            Some(Relocation::Pie) => Position::Pie,
            Some(Relocation::Pic) | None => Position::Pic,
        },
        form: if command.mode == Mode::Assemble {
            Form::Assembly
        } else {
            Form::Object
        },
        function_sections: command.function_sections,
        debug: command.debug,
    };
    write(&output.path, &instrument(&bitcode, &meta, &options)?)?;
    Ok(note)
}

/// Writes an output, and says as clang does that it cannot be.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    if path.as_os_str() == "-" {
        return std::io::stdout()
            .write_all(content)
            .context("cannot write to standard output");
    }
    std::fs::write(path, content).map_err(|error| {
        let text = error.to_string();
        let reason = text.split(" (os error").next().unwrap_or(&text);
        Error::Compiler {
            code: 1,
            said: format!(
                "error: unable to open output file '{}': '{reason}'",
                path.display()
            ),
        }
    })
}

/// Bitcode to instrumented object with its record.
///
/// # Errors
/// Our own pass failed on this source.
pub fn instrument(bitcode: &[u8], meta: &Meta, options: &EmitOptions) -> Result<Vec<u8>> {
    let name = meta.source.display().to_string();
    let failed = || format!("{name}: cannot be instrumented");
    let prepared = prepare(bitcode, meta, &name).with_context(failed)?;
    let mut module = llvm::Module::from_bitcode(&prepared.bitcode, &name).with_context(failed)?;
    let numbering = llvm::number::number(&module);
    let instrumentation = llvm::instrument::Options {
        uid: prepared.uid,
        position: options.position,
        library: meta.library,
        failing: meta.failing,
    };
    llvm::instrument::instrument(&mut module, &numbering, &instrumentation).with_context(failed)?;
    llvm::emit::embed(
        &module,
        prepared.uid,
        &serde_json::to_string(meta)?,
        &prepared.bitcode,
    );
    llvm::emit::emit(&module, options).with_context(failed)
}

/// Runs clang's front end on `input`.
fn front_end(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Output,
) -> Result<FrontEnd> {
    let scratch = Temporary::new().context("cannot make a temporary folder")?;
    let path = scratch.path().join("out.bc");
    let mut clang = compiler.clang();
    front_end_flags(&mut clang, compiler, command);
    name_dependencies(&mut clang, command, output);
    if let Some(language) = &input.language {
        clang.arg("-x").arg(language);
    }
    clang
        .args(["-emit-llvm", "-c", "-o"])
        .arg(&path)
        .arg(&input.path);
    let (mut relaxed, mut headers) = (Vec::new(), NOT_OPTIMISED);
    if let Err(error) = run_visibly(&mut clang) {
        // Its messages went straight to the terminal: what they were is found out once more.
        clang.arg("-ferror-limit=0");
        let again = clang.output().context("cannot run clang")?;
        let messages = String::from_utf8_lossy(&again.stderr);
        let is_answer = strict::is_check(&input.path) && !strict::is_old_main(&messages);
        if command.optimizes && compiles_with(&mut clang, &[OPTIMISED]) {
            headers = OPTIMISED;
            relaxed = vec![OPTIMISED.to_owned()];
        } else if command.lenient && !is_answer {
            clang.arg(NOT_OPTIMISED);
            let flags = strict::relaxed(&messages).unwrap_or_default();
            if !flags.is_empty() && compiles_with(&mut clang, &flags) {
                relaxed = flags;
            }
        }
        if relaxed.is_empty() {
            return Err(match (error, strict::hint(&messages)) {
                (Error::Compiler { code, .. }, Some(hint)) => Error::Compiler {
                    code,
                    said: format!("bothways: {hint}"),
                },
                (error, _) => error,
            });
        }
    }
    let written = || {
        std::fs::read(&path)
            .with_context(|| format!("clang wrote no bitcode for {}", input.path.display()))
    };
    let mut made = FrontEnd {
        bitcode: written()?,
        relaxed,
        completed: Vec::new(),
    };
    let name = input.path.display().to_string();
    if llvm::prepare::lacks_bodies(&made.bitcode, &name).context("clang wrote no bitcode")? {
        let flags = INLINE_BODIES.iter().chain([&headers]);
        made.completed = flags.map(ToString::to_string).collect();
        clang.args(&made.completed).arg("-w");
        run_visibly(&mut clang)?;
        made.bitcode = written()?;
    }
    Ok(made)
}

/// Whether it compiles with these flags as well; they stay on its command line.
fn compiles_with<S: AsRef<OsStr>>(clang: &mut Process, flags: &[S]) -> bool {
    (clang.args(flags).output()).is_ok_and(|output| output.status.success())
}

/// Compiles a module's source again with clang's own mapping of decisions (`-fcoverage-mcdc`), as it was compiled before;
/// nothing is printed. Decisions with very many evaluations get no mapping: the judge would list them all.
///
/// # Errors
/// The source is gone, or does not compile any more.
pub fn with_decisions(compiler: &Compiler, meta: &Meta) -> Result<Prepared> {
    let scratch = Temporary::new().context("cannot make a temporary folder")?;
    let bitcode = scratch.path().join("out.bc");
    again(compiler, meta, |clang| {
        clang
            .args(["-fcoverage-mcdc", "-emit-llvm", "-c", "-o"])
            .arg(&bitcode)
            .args(["-Xclang", "-fmcdc-max-test-vectors=65536"])
            .arg(&meta.source);
    })?;
    read(&bitcode, meta)
}

/// Compiles a module's source again, with names for its variables; the bitcode, not prepared.
///
/// # Errors
/// The source is gone, or does not compile any more.
pub fn with_names(compiler: &Compiler, meta: &Meta) -> Result<Vec<u8>> {
    let scratch = Temporary::new().context("cannot make a temporary folder")?;
    let bitcode = scratch.path().join("out.bc");
    again(compiler, meta, |clang| {
        clang
            .args(["-fno-discard-value-names", "-emit-llvm", "-c", "-o"])
            .arg(&bitcode)
            .arg(&meta.source);
    })?;
    std::fs::read(&bitcode).context("clang wrote no bitcode")
}

/// Preprocesses a module's source, and compiles what comes out, by the front end alone: there, no two conditions have the same place.
///
/// # Errors
/// The source is gone, or does not compile any more.
pub fn expanded(compiler: &Compiler, meta: &Meta, language: &str) -> Result<Prepared> {
    let scratch = Temporary::new().context("cannot make a temporary folder")?;
    let text = scratch.path().join("out.i");
    let bitcode = scratch.path().join("out.bc");
    again(compiler, meta, |clang| {
        // Without line markers: places are those in the text that comes out.
        clang.args(["-E", "-P", "-o"]).arg(&text).arg(&meta.source);
    })?;
    again(compiler, meta, |clang| {
        clang
            .args(["-emit-llvm", "-c", "-o"])
            .arg(&bitcode)
            .args(["-x", language])
            .arg(&text);
    })?;
    read(&bitcode, meta)
}

/// Runs the front end as when the module was compiled, but for what `more` says.
fn again(compiler: &Compiler, meta: &Meta, more: impl FnOnce(&mut Process)) -> Result<()> {
    let mut words = meta.flags.clone();
    words.extend(["-c".to_owned(), meta.source.display().to_string()]);
    let mut command = Command::parse(&words)?;
    command.signed = meta.signed;
    let mut clang = compiler.clang();
    front_end_flags(&mut clang, compiler, &command);
    clang.arg("-w").current_dir(&meta.directory);
    more(&mut clang);
    let output = clang.output().context("cannot run clang")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("clang failed").to_owned();
        crate::error::bail!("{first}");
    }
    Ok(())
}

fn read(bitcode: &Path, meta: &Meta) -> Result<Prepared> {
    let bytes = std::fs::read(bitcode).context("clang wrote no bitcode")?;
    Ok(prepare(&bytes, meta, &meta.source.display().to_string())?)
}

/// Prepares a module's bitcode as it was prepared before.
///
/// # Errors
/// LLVM refuses it.
pub fn prepare(bitcode: &[u8], meta: &Meta, name: &str) -> Result<Prepared, llvm::Error> {
    let prepare = match meta.unset {
        true => llvm::prepare::prepare_marked,
        false => llvm::prepare::prepare,
    };
    match &meta.root {
        Some(root) => prepare(&llvm::reach::only(bitcode, name, root)?, name),
        None => prepare(bitcode, name),
    }
}

/// clang does not write our output itself: the dependency file and the target in it must be named all the same.
fn name_dependencies(clang: &mut Process, command: &Command, output: &Output) {
    if !command.names_dependencies {
        return;
    }
    if !command.has_dependency_file {
        clang.arg("-MF").arg(output.named.with_extension("d"));
    }
    if !command.names_target {
        clang.arg("-MQ").arg(&output.named);
    }
}

/// The user's flags and ours.
pub fn front_end_flags(clang: &mut Process, compiler: &Compiler, command: &Command) {
    clang
        .args(&command.compile_flags)
        .args(FRONT_END)
        .args(command.signed.then_some("-fno-wrapv"))
        .args(command.optimizes.then_some("-U__NO_INLINE__"))
        .arg("-idirafter")
        .arg(&compiler.support.include);
}

/// Assembly, and whatever else is not ours to instrument.
fn clang_alone(
    compiler: &Compiler,
    command: &Command,
    input: &Input,
    output: &Output,
) -> Result<()> {
    let mut clang = compiler.clang();
    clang
        .args(&command.compile_flags)
        .arg("-Wno-unused-command-line-argument");
    name_dependencies(&mut clang, command, output);
    if let Some(language) = &input.language {
        clang.arg("-x").arg(language);
    }
    let stage = if command.mode == Mode::Assemble {
        "-S"
    } else {
        "-c"
    };
    run_visibly(
        clang
            .arg(stage)
            .arg("-o")
            .arg(&output.path)
            .arg(&input.path),
    )
}

/// Optimisation level of the instrumented code: the flag, the environment variable, 2.
fn level(command: &Command) -> Result<u8> {
    match (command.opt_level, std::env::var("BOTHWAYS_OPT")) {
        (Some(level), _) => Ok(level),
        (None, Ok(text)) => parse_level(&text).context("environment variable BOTHWAYS_OPT"),
        (None, Err(_)) => Ok(2),
    }
}
