//! The sanitized build: a further plain build, of the sources, that watches the tests (`--sanitize`).
//!
//! What must hold: only what a sanitizer reports is a finding; that a program ends differently under it is none.

use native::scratch::Temporary;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Result, bail, ensure};
use crate::host::Host;
use explore::KeptTest;
use explore::campaign::Cause;
use explore::minimise::minimise;
use native::judge::{Build, Judge, JudgeConfig, Patience, TestCase};
use native::toolchain::Toolchain;
use path::{InputVector, Outcome};
use report::judge::sanitizer::Report;

use super::build::{self, Judging};
use super::calls::calls_variable;
use super::convert;
use super::failing::{Redirection, Set};
use super::load::Program;
use super::options::Options;
use super::output::Folder;
use super::plan::Plan;

/// Sanitizers that can watch together. (Those for threads and for uninitialised memory need all code to be built so.)
const KNOWN: &[&str] = &["address", "undefined"];
/// How much slower the program may be.
const SLOWER: u32 = 5;
/// Runs of the search, besides the tests, that are watched as well.
pub const MORE_RUNS: usize = 400;
/// Runs for one finding.
const RUNS: usize = 80;
/// Findings that are minimised.
const FINDINGS: usize = 20;
/// Bytes that are read of what a test writes.
const WORDS: usize = 1 << 16;

/// Checks a list of sanitizers.
///
/// # Errors
/// One that is not known.
pub fn list(text: &str) -> Result<String, String> {
    match text.split(',').find(|name| !KNOWN.contains(name)) {
        Some(name) => Err(format!(
            "there is no sanitizer `{name}` here: use {}",
            KNOWN.join(",")
        )),
        None => Ok(text.to_owned()),
    }
}

/// Builds the program with sanitizers in `folder`.
///
/// # Errors
/// A source is gone, or clang fails.
pub fn build(
    program: &Program,
    (list, fails): (&str, Set),
    folder: &Path,
    jobs: usize,
) -> Result<PathBuf> {
    let toolchain = Toolchain::find()?;
    let sanitize = format!("-fsanitize={list}");
    let redirection = Redirection::new(program, fails)?;
    let mut link_args = Vec::new();
    for (number, module) in program.own_modules().enumerate() {
        let source = &module.meta.source;
        ensure!(
            source.is_file(),
            "--sanitize compiles the sources again, and {} is gone",
            source.display()
        );
        let object = folder.join(format!("sanitized-{number}.o"));
        let mut clang = Command::new(&toolchain.clang);
        clang
            .current_dir(&module.meta.directory)
            .args(&module.meta.flags)
            .args([
                &sanitize,
                "-fno-sanitize-recover=all",
                "-fno-omit-frame-pointer",
            ])
            .args(["-O1", "-g", "-w", "-U_FORTIFY_SOURCE", "-D__BOTHWAYS__=1"])
            .arg("-Wno-unused-command-line-argument");
        let support = crate::compiler::Compiler::find(crate::compiler::Language::C)?.support;
        clang.arg("-idirafter").arg(support.include);
        let bitcode = folder.join(format!("sanitized-{number}.bc"));
        let to = match fails.is_empty() {
            true => &object,
            // Calls are renamed in between, and none of them is left out.
            false => {
                let functions = fails.functions();
                clang.args(functions.map(|function| format!("-fno-builtin-{}", function.name)));
                clang.arg("-emit-llvm");
                &bitcode
            }
        };
        clang.args(["-c", "-o"]).arg(to).arg(source);
        run(&mut clang, source, &sanitize)?;
        let name = source.display().to_string();
        if !fails.is_empty() {
            let content = std::fs::read(&bitcode).context("clang wrote no bitcode")?;
            if let Some(other) = redirection.apply(&content, &name)? {
                std::fs::write(&bitcode, other).context("cannot write bitcode")?;
            }
            let mut clang = Command::new(&toolchain.clang);
            // Its checks are in the bitcode: once more would check the checks.
            clang.args(["-x", "ir", "-O1", "-g", "-w", "-c", "-o"]);
            run(clang.arg(&object).arg(&bitcode), source, &sanitize)?;
        }
        link_args.push(OsString::from(object));
    }
    link_args.extend(
        program
            .plain_link_args(folder)?
            .into_iter()
            .map(OsString::from),
    );
    link_args.push(sanitize.into());
    let output = folder.join("sanitized");
    let judging = Judging { seen: false, fails };
    let build = Build {
        units: Vec::new(),
        replay: build::replay(program, judging),
        link_args,
        machine: program.machine_flags(),
        directory: program.link.directory.clone(),
        cxx: program.link.cxx,
        cache: folder.join("objects"),
        output: output.clone(),
        jobs,
    };
    native::judge::build(&toolchain, &build).context("the sanitized build failed")?;
    Ok(output)
}

/// Runs clang on a source.
fn run(clang: &mut Command, source: &Path, sanitize: &str) -> Result<()> {
    let output = clang.output().context("clang cannot be started")?;
    if !output.status.success() {
        bail!(
            "{} does not compile with {sanitize}:\n{}",
            source.display(),
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(())
}

/// Runs inputs on the sanitized build.
pub struct Oracle<'a> {
    judge: Judge,
    host: &'a dyn Host,
    plan: &'a Plan,
    scratch: Temporary,
}

impl<'a> Oracle<'a> {
    /// An oracle over this build.
    ///
    /// # Errors
    /// No folder for temporary files.
    pub fn new(
        executable: &Path,
        (options, host): (&Options, &'a dyn Host),
        plan: &'a Plan,
        calls: Option<u32>,
        patience: Patience,
    ) -> Result<Oracle<'a>> {
        let mut config = JudgeConfig::new(executable);
        config.called = Some(options.called().into());
        config.args = plan.common_arguments().iter().map(Into::into).collect();
        config.timeout = options.timeout * SLOWER;
        config.memory_bytes = options.memory.saturating_mul(SLOWER.into());
        config.env.extend(calls.map(calls_variable));
        config.env.extend(environment()?);
        config.words = WORDS;
        config.patience = patience;
        config.jobs = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Oracle {
            judge: Judge::new(config)?,
            host,
            plan,
            scratch: Temporary::new()?,
        })
    }

    /// What the sanitizers report of each of these tests.
    ///
    /// # Errors
    /// A test cannot be started.
    pub fn reports(&self, cases: &[TestCase]) -> Result<Vec<Option<Report>>> {
        let runs = self.judge.run_all(cases)?;
        Ok(runs
            .iter()
            .map(|run| {
                self.judge.forget(run);
                let report = Report::find(&String::from_utf8_lossy(&run.words))?;
                (report.tool != "assertion").then_some(report)
            })
            .collect())
    }

    /// What they report of these inputs.
    fn watch(&self, inputs: &[InputVector]) -> Result<Vec<Option<Report>>> {
        let mut cases = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            let kept = KeptTest::of(input.clone(), Outcome::Exited(0));
            let test = convert::inputs(&kept, (self.plan, None));
            let path = self.scratch.path().join(format!("{number}.test"));
            std::fs::write(&path, report::suite::text::render(&test))?;
            cases.push(convert::case(path, &test)?);
        }
        self.reports(&cases)
    }

    /// Inputs that show what no test of the suite does, and smaller ones of what a test does: each with its report.
    ///
    /// # Errors
    /// A test cannot be started.
    pub fn findings(
        &self,
        (kept, more): (&[KeptTest], &[InputVector]),
        known: &[Option<Report>],
        causes: &[Option<Cause>],
    ) -> Result<Vec<(InputVector, Report)>> {
        let kept = kept.iter().map(|test| test.input.clone());
        let mut shown: Vec<(InputVector, Report)> = kept
            .zip(known)
            .filter_map(|(input, report)| Some((input, report.clone()?)))
            .collect();
        // Who interrupts does not want to wait for more than the tests.
        let interrupted = || self.host.is_interrupted();
        let more = if interrupted() { &[] } else { more };
        let reports = self.watch(more)?;
        let others = more.iter().cloned().zip(reports);
        shown.extend(others.filter_map(|(input, report)| Some((input, report?))));
        // What the plain program shows as well has a small test already.
        let by_engine = known
            .iter()
            .zip(causes)
            .filter(|(_, cause)| cause.is_some());
        let mut seen: Vec<String> = by_engine
            .filter_map(|(report, _)| Some(report.as_ref()?.key()))
            .collect();
        let mut findings = Vec::new();
        for (index, (input, report)) in shown.into_iter().enumerate() {
            if seen.contains(&report.key()) || seen.len() >= FINDINGS {
                continue;
            }
            seen.push(report.key());
            let in_suite = index < known.iter().flatten().count();
            let small = minimise(&input, RUNS, &mut |candidate| {
                let reports = self.watch(std::slice::from_ref(candidate));
                !interrupted()
                    && reports.is_ok_and(|reports| {
                        reports[0]
                            .as_ref()
                            .is_some_and(|other| other.key() == report.key())
                    })
            });
            if small != input || !in_suite {
                findings.push((small, report));
            }
        }
        Ok(findings)
    }

    /// Keeps the build in the suite.
    ///
    /// # Errors
    /// It cannot be copied.
    pub fn keep(executable: &Path, folder: &Folder) -> Result<()> {
        let to = folder.path().join(super::output::SANITIZED);
        std::fs::copy(executable, &to).with_context(|| format!("cannot write {}", to.display()))?;
        Ok(())
    }
}

/// How the sanitizers are to report.
fn environment() -> Result<Vec<(OsString, OsString)>> {
    let clang = Toolchain::find()?.clang.canonicalize()?;
    let symbolizer = clang.with_file_name("llvm-symbolizer");
    let options = "detect_leaks=0:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2:allocator_may_return_null=1";
    let mut variables = vec![
        ("ASAN_OPTIONS".into(), options.into()),
        (
            "UBSAN_OPTIONS".into(),
            "print_stacktrace=1:halt_on_error=1".into(),
        ),
    ];
    if symbolizer.is_file() {
        variables.push(("ASAN_SYMBOLIZER_PATH".into(), symbolizer.clone().into()));
        variables.push(("UBSAN_SYMBOLIZER_PATH".into(), symbolizer.into()));
    }
    Ok(variables)
}
