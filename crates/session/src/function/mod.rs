//! `bothways test FILE --function NAME`: from a function to a program whose `main` builds inputs and calls it.
//!
//! What must hold: the user's files are not touched; the coverage goals are those of the function and of what it may
//! call; what could not be built is said.

mod contract;
mod flags;
mod probe;
mod reads;
mod rerun;
pub mod unit_tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result, bail};
use explore::StopReason;
use harness::leaf::Leaf;
use harness::plan::{Global, MissingObject, Plan, Request};
use harness::types::{Function, Info, Type, Types};
use harness::write::{Harness, UNIT_MAIN};
use program::FuncId;
use program::callgraph::CallGraph;
use report::Report;

use self::flags::Flags;
use self::probe::{Missing, Probe, Prober};
use super::failing::{self, Set};
use super::found::Found;
use super::load::Program;
use super::options::{Globals, Options};
use crate::compiler::args::{Command, LinkItem};
use crate::compiler::contents;
use crate::compiler::{Compiler, Language, NARROW};
use crate::near::near;

/// Name of the harness, here and in the suite.
pub const HARNESS: &str = "harness.c";

/// Bytes of the symbolic stream behind `FILE *`.
const STREAM: u32 = 64;

/// A function under test.
pub struct Under {
    /// The instrumented program with the harness.
    pub program: Program,
    /// What its compiler left out.
    pub note: Option<String>,
    /// What the harness builds.
    pub plan: Plan,
    /// Its text.
    pub harness: String,
    /// The file that the function is in.
    pub unit: PathBuf,
    /// As the user calls it.
    pub name: String,
    /// What is to be seen of its calls, if C tests are to be written.
    pub leaves: Option<Vec<Leaf>>,
    /// Of the command line and of the function's comment.
    assumptions: Vec<String>,
    types: Types,
    flags: Vec<String>,
    /// Functions whose calls may fail.
    fails: Set,
    link: Vec<LinkItem>,
    /// The other sources, and whether one of them defines `main`.
    sources: Vec<PathBuf>,
    has_main: bool,
    /// Where its compiler flags come from, if not from the command line.
    database: Option<PathBuf>,
}

/// A unit that is ready to have its functions tested.
pub struct UnitUnderTest {
    compiler: Compiler,
    flags: Flags,
    objects: Vec<PathBuf>,
    /// The other sources.
    others: Vec<PathBuf>,
    /// Absolute path.
    pub path: PathBuf,
    probe: Probe,
    /// Functions whose calls may fail.
    fails: Set,
}

impl UnitUnderTest {
    /// Looks for the unit among the user's sources: the one that has the function, or the first.
    ///
    /// # Errors
    /// A file is missing or is no C source, clang refuses it, or no unit has the function.
    pub fn find(options: &Options, wanted: Option<&str>, scratch: &Path) -> Result<UnitUnderTest> {
        if options.compiler_flags().iter().any(|flag| flag == NARROW) {
            bail!(
                "a function by itself cannot be tested as code of 32 bits (-m32): its harness runs natively"
            );
        }
        let sources = sources(options)?;
        let compiler = Compiler::find(Language::C)?;
        let (mut own, mut names) = (Vec::new(), Vec::new());
        for (index, unit) in sources.iter().enumerate() {
            let flags = Flags::of(unit, options)?;
            let objects = others(&compiler, options, &sources, index, scratch)?;
            let prober = Prober {
                compiler: &compiler,
                flags: &flags,
                objects: &objects,
                scratch,
            };
            let probe = prober.read(unit, wanted.map(symbol))?;
            let has = |name: &str| probe.info.function(symbol(name)).is_some();
            if wanted.is_none_or(has) {
                return Ok(UnitUnderTest {
                    compiler,
                    flags,
                    objects,
                    others: sources.iter().filter(|it| *it != unit).cloned().collect(),
                    path: unit.clone(),
                    probe,
                    fails: options.symbolic.failing,
                });
            }
            for function in &probe.info.functions {
                let name = shown(&function.name).to_owned();
                if is_of(function, unit) {
                    own.push(name.clone());
                }
                names.push(name);
            }
        }
        bail!(
            "{}",
            unknown(wanted.unwrap_or_default(), (&own, &names), &sources)
        )
    }

    /// Functions that the file itself defines, in its order.
    pub fn functions(&self) -> Vec<&str> {
        let functions = self.probe.info.functions.iter();
        let functions = functions.filter(|function| is_of(function, &self.path));
        functions.map(|function| shown(&function.name)).collect()
    }

    /// Writes the harness of a function and builds the program.
    ///
    /// # Errors
    /// There is no such function, or the harness does not compile (an assumption that is no C).
    pub fn prepare(&self, options: &Options, name: &str, scratch: &Path) -> Result<Under> {
        let (info, casts) = &self.with_casts(symbol(name));
        let function = info.function(symbol(name)).with_context(|| {
            let names: Vec<String> = self.functions().into_iter().map(str::to_owned).collect();
            unknown(name, (&names, &names), std::slice::from_ref(&self.path))
        })?;
        let mut undefined = Vec::new();
        let mut missing = Vec::new();
        // Objects are given out until there are enough: first to stubs that are near the function.
        let Probe { model, calls, .. } = &self.probe;
        let called = reads::externs_called(model, calls, &function.name);
        let writes = called.iter().any(|name| reads::is_output(name));
        let places: HashMap<&str, usize> = called.into_iter().zip(0..).collect();
        let mut symbols: Vec<&Missing> = self.probe.undefined.iter().collect();
        symbols.sort_by_key(|it| {
            let place = places.get(it.symbol.as_str());
            place.copied().unwrap_or(usize::MAX)
        });
        for Missing { symbol, name } in symbols {
            let ty = harness::probe::type_of(info, name);
            match ty {
                Some(ty) if !matches!(info.types.resolved(ty), Type::Function(_)) => {
                    missing.push(MissingObject {
                        name: name.clone(),
                        symbol: symbol.clone(),
                        ty,
                        thread: self.probe.declared.is_thread_local(name),
                    });
                }
                _ => {
                    let ends = reads::never_returns(model, symbol);
                    undefined.push((name.clone(), ty, ends));
                }
            }
        }
        let source = std::fs::read(&self.path)?;
        let source = String::from_utf8_lossy(&source);
        let mut assumptions = contract::assumptions(&source, function.line);
        assumptions.extend(options.function.assume.iter().cloned());
        let mut plan = harness::plan::plan(&Request {
            info,
            function,
            bounds: options.function.bounds(),
            uses: reads::uses(&self.probe, function, &info.types, &assumptions),
            globals: self.globals(options.function.globals, &function.name),
            undefined,
            missing,
            emitted: self.emitted(&function.name),
            macros: self.probe.macros.clone(),
            output: writes,
        });
        plan.notes.extend(casts.iter().cloned());
        let leaves = wants_unit_tests(options).then(|| {
            let heap = !reads::frees(model, calls, &function.name);
            harness::leaf::leaves(&plan, &info.types, heap)
        });
        let harness = Harness {
            plan: &plan,
            unit: &self.path.display().to_string(),
            assumptions: &assumptions,
            leaves: leaves.as_deref(),
        }
        .text();
        let harness_file = scratch.join(HARNESS);
        std::fs::write(&harness_file, &harness)?;
        self.check(&assumptions, &harness_file)?;
        let (program, note) = self.build(&harness_file, scratch)?;
        Ok(Under {
            program,
            note,
            plan,
            harness,
            unit: self.path.clone(),
            name: name.to_owned(),
            leaves,
            assumptions,
            types: info.types.clone(),
            flags: self.flags.compile.clone(),
            fails: self.fails,
            link: self.flags.link.clone(),
            sources: self.others.clone(),
            has_main: self.objects.iter().any(|object| has_main(object)),
            database: self.flags.database.clone(),
        })
    }

    /// Declarations that make the compiler emit what a function needs.
    fn emitted(&self, function: &str) -> Vec<String> {
        let declared = &self.probe.declared;
        let mut emitted = self.probe.needed.clone();
        let own = declared.emission(function);
        let own = own.filter(|it| declared.is_inline(function) && !emitted.contains(it));
        emitted.extend(own);
        emitted
    }

    /// What is known of the unit, with the types that a function and what it may call cast `void *` to, and notes on them.
    fn with_casts(&self, function: &str) -> (Info, Vec<String>) {
        let Probe {
            info, model, calls, ..
        } = &self.probe;
        let mut info = info.clone();
        let root = model.function_named(function);
        let reachable = root.map(|root| calls.reachable(root));
        let may_run: HashSet<&str> = reachable
            .into_iter()
            .flatten()
            .map(|id| model.functions[id].name.as_str())
            .collect();
        let dump = &self.probe.dump;
        let notes =
            harness::casts::refine(&mut info, function, |name| may_run.contains(name), dump);
        (info, notes)
    }

    /// Variables that become inputs.
    fn globals(&self, which: Globals, function: &str) -> Vec<Global> {
        let Probe {
            info, model, calls, ..
        } = &self.probe;
        let ids: Vec<program::GlobalId> = match (which, model.function_named(function)) {
            (Globals::None, _) | (Globals::Read, None) => Vec::new(),
            (Globals::Read, Some(root)) => reads::globals_read(model, calls, root),
            (Globals::All, _) => model.globals.keys().collect(),
        };
        let global = |id: program::GlobalId| {
            let global = &model.globals[id];
            if global.name.starts_with(harness::declared::USED) {
                return None;
            }
            let ty = match &global.init {
                Some(_) => info.variable(&global.name)?.ty,
                None => harness::probe::type_of(info, &global.name)?,
            };
            // A constant that is defined elsewhere may hold anything.
            let varies = !global.constant || global.init.is_none();
            // Of an object whose type is not known there is nothing to set.
            let known = info.types.is_object(ty);
            (varies && known).then(|| Global {
                name: global.name.clone(),
                ty,
                initialised: reads::is_initialised(model, id),
            })
        };
        ids.into_iter().filter_map(global).collect()
    }

    /// Whether the harness compiles. Only assumptions are the user's; whatever else is wrong with it is our fault.
    fn check(&self, assumptions: &[String], source: &Path) -> Result<()> {
        let mut clang = self.compiler.clang();
        clang
            .args(&self.flags.compile)
            .args(["-fsyntax-only", "-w"])
            .args(self.compiler.preprocessor_flags())
            .arg(source);
        let output = clang.output().context("cannot run clang")?;
        if output.status.success() {
            return Ok(());
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        let mut errors = messages.lines().filter(|line| line.contains("error: "));
        let prefix = format!("{}:", harness::write::ASSUMPTION);
        let Some(error) = errors.clone().find(|line| line.starts_with(&prefix)) else {
            let first = errors.next().unwrap_or("clang fails").to_owned();
            return Err(Error::Fault(format!(
                "the harness does not compile: {first}"
            )));
        };
        bail!(
            "--assume '{}': {} (it is a C condition over the parameters and the file's variables)",
            assumptions.join("' --assume '"),
            error.split_once("error: ").map_or(error, |(_, rest)| rest)
        )
    }

    fn build(&self, source: &Path, scratch: &Path) -> Result<(Program, Option<String>)> {
        let output = scratch.join("program");
        let mut words = self.flags.words.clone();
        words.push("-w".to_owned());
        words.extend(failing::flag(self.fails));
        if self.objects.is_empty() && !self.flags.links_more() {
            words.push("-fbothways-root=main".to_owned());
        }
        words.push(source.display().to_string());
        words.extend(self.objects.iter().map(|path| path.display().to_string()));
        words.extend(["-o".to_owned(), output.display().to_string()]);
        let note = execute(&self.compiler, &words)?;
        Ok((Program::read(&output)?, note))
    }
}

impl Under {
    /// The functions whose branches are goals: the function under test and whatever it may call.
    pub fn scope(&self, model: &program::Program) -> Vec<FuncId> {
        let functions = model.functions.iter();
        let named = functions.filter(|(_, function)| function.name == symbol(&self.name));
        let own = |module: program::ModuleId| {
            Path::new(&model.modules[module].name)
                .file_name()
                .is_some_and(|name| name == HARNESS)
        };
        let mut roots: Vec<(FuncId, bool)> = named
            .map(|(id, function)| (id, own(function.module)))
            .collect();
        roots.sort_by_key(|(_, own)| !own);
        let Some((root, _)) = roots.first() else {
            return Vec::new();
        };
        CallGraph::new(model).reachable(*root)
    }

    /// Puts the harness beside the suite, and says what the plan has to say.
    ///
    /// # Errors
    /// The folder cannot be written; no input meets the assumptions.
    pub fn complete(&self, found: &mut Found) -> Result<()> {
        // Without goals there was nothing to look for.
        let searched = found.findings.progress.totals.total > 0;
        if searched && found.tests.is_empty() && !self.assumptions.is_empty() {
            let runs = found.findings.progress.runs;
            let why = match found.stop {
                // Proofs before the first run leave nothing to look for.
                StopReason::Exhausted { .. } | StopReason::AllCovered => {
                    "it can never hold".to_owned()
                }
                _ => format!("none was found in {runs} runs"),
            };
            bail!(
                "{}: no input meets --assume '{}': {why}",
                self.name,
                self.assumptions.join("' --assume '")
            );
        }
        found
            .folder
            .write(Path::new(HARNESS), self.harness.as_bytes())?;
        let assumed = self.assumptions.iter();
        found
            .notes
            .extend(assumed.map(|condition| format!("only inputs with {condition}")));
        found.notes.extend(self.plan.notes.iter().cloned());
        found.notes.extend(
            self.database
                .as_ref()
                .map(|path| format!("compiler flags from {}", path.display())),
        );
        Ok(())
    }

    /// The function under test comes first in the table, under the name that it has in the source.
    pub fn name_rows(&self, report: &mut Report) {
        for row in &mut report.functions {
            row.name = shown(&row.name).to_owned();
        }
        let uncovered = report.open.iter_mut().chain(&mut report.infeasible);
        for row in uncovered.chain(&mut report.covered) {
            row.function = shown(&row.function).to_owned();
        }
        report.functions.sort_by_key(|row| row.name != self.name);
    }

    /// The options with what the function's arguments ask for.
    pub fn options(&self, options: &Options) -> Options {
        let mut options = options.clone();
        if self.plan.stream && options.stdin.is_none() {
            options.stdin = Some((0, STREAM));
        }
        options
    }
}

/// Whether the suite is written as C, too.
fn wants_unit_tests(options: &Options) -> bool {
    options.emit.iter().any(|word| word.starts_with("c-test"))
}

/// The user's `main` has another name beside a harness.
pub fn symbol(name: &str) -> &str {
    if name == "main" { UNIT_MAIN } else { name }
}

/// And is shown under its own.
pub fn shown(symbol: &str) -> &str {
    if symbol == UNIT_MAIN { "main" } else { symbol }
}

/// Does what a command line asks; what it leaves out.
fn execute(compiler: &Compiler, words: &[String]) -> Result<Option<String>> {
    let command = Command::parse(words)?;
    compiler.execute(&command)?;
    Ok(command.note())
}

/// The user's files, which must be C sources.
fn sources(options: &Options) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for path in &options.inputs {
        let name = path.display();
        std::fs::metadata(path).with_context(|| format!("{name}"))?;
        if path.extension().is_none_or(|extension| extension != "c") {
            bail!("{name}: a function is tested from its C source (`.c`)");
        }
        sources.push(std::path::absolute(path)?);
    }
    Ok(sources)
}

/// What `main` is called in the objects of [`others`].
const OTHER_MAIN: &str = "bw_other_main";

/// Whether an object of [`others`] is of a source that defines `main`.
fn has_main(object: &Path) -> bool {
    let index = object.file_stem().and_then(|stem| stem.to_str());
    let index = index.and_then(|stem| stem.strip_prefix("other-"));
    index.is_some_and(|index| {
        let name = format!("{OTHER_MAIN}_{index}");
        contents::defines(object, [name.as_str()]) == [true]
    })
}

/// Objects of all sources but one.
fn others(
    compiler: &Compiler,
    options: &Options,
    sources: &[PathBuf],
    unit: usize,
    scratch: &Path,
) -> Result<Vec<PathBuf>> {
    let mut objects = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if index == unit {
            continue;
        }
        let object = scratch.join(format!("other-{index}.o"));
        if !object.is_file() {
            let mut words = Flags::of(source, options)?.compile;
            words.extend(failing::flag(options.symbolic.failing));
            words.extend([
                format!("-Dmain={OTHER_MAIN}_{index}"),
                "-c".to_owned(),
                source.display().to_string(),
                "-o".to_owned(),
                object.display().to_string(),
            ]);
            execute(compiler, &words)?;
        }
        objects.push(object);
    }
    Ok(objects)
}

/// Whether a file itself defines a function, and no header of it.
fn is_of(function: &Function, file: &Path) -> bool {
    std::fs::canonicalize(&function.file).ok() == std::fs::canonicalize(file).ok()
}

/// Says that there is no such function, and which are named nearly so: of those of the files themselves and of all.
fn unknown(name: &str, (own, names): (&[String], &[String]), sources: &[PathBuf]) -> String {
    let files: Vec<String> = sources
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let near = near(name, names.iter().map(String::as_str));
    let (has, it) = match files.as_slice() {
        [_] => ("has", "it has"),
        _ => ("have", "they have"),
    };
    let hint = match (near.as_slice(), own) {
        ([], []) => "; it defines no function at all".to_owned(),
        ([], _) => format!("; {it} {}", listed(own)),
        _ => format!("; did you mean {}?", near.join(" or ")),
    };
    format!("{} {has} no function `{name}`{hint}", files.join(", "))
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 10;
    let mut text = names
        .iter()
        .take(MOST)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
