//! What variables can be at a line: the value analysis, asked by people.

use std::collections::BTreeMap;
use std::path::Path;

use native::scratch::Temporary;

use crate::build;
use crate::compiler::{Compiler, Language, compile};
use crate::error::{Context, Result};
use crate::host::Host;
use crate::load::Module;
use crate::options::Options;
use llvm::watch::{Point, Watched};

/// What is known at all places of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// In the order of the code.
    pub places: Vec<Place>,
    /// Why nothing, or less, is known; in words.
    pub blockers: Vec<String>,
}

/// A place of a line in one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub col: u32,
    /// Whether control may come there.
    pub reached: bool,
    /// The function's own variables, then those of the program.
    pub variables: Vec<Variable>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// Not of the function, but of the program.
    pub global: bool,
    /// On all runs together.
    pub value: values::Value,
}

/// What each variable can be at a line. `file`: of which source, if there are several; any source whose path ends so.
///
/// # Errors
/// A source that does not compile; no such line, or no code there.
pub fn at(options: &Options, host: &dyn Host, (file, line): (Option<&str>, u32)) -> Result<Known> {
    let work = Temporary::new().context("cannot make a temporary folder")?;
    host.works_in(work.path())?;
    let program = build::instrumented(options, host, work.path())?;
    let is_file = |path: &str| match file {
        Some(file) => Path::new(path).ends_with(file.trim_start_matches("./")),
        None => true,
    };
    let mut reader = llvm::read::Reader::new();
    let mut points: Vec<Point> = Vec::new();
    let mut floats: BTreeMap<String, bool> = BTreeMap::new();
    for module in &program.modules {
        let name = module.meta.source.display().to_string();
        let (bitcode, uid) = if module.meta.library {
            (module.bitcode.clone(), module.uid)
        } else {
            let own = |path: &str| is_file(path) && (file.is_some() || path == name);
            let (looks, prepared) = watched(module, &name, (&own, line), points.len())?;
            points.extend(looks.points);
            for (name, is_float) in looks.globals {
                // Names of several files may be of several variables.
                *floats.entry(name).or_insert(true) &= is_float;
            }
            (prepared.bitcode, prepared.uid)
        };
        let meta = llvm::read::Meta {
            name,
            library: module.meta.library,
        };
        reader.add_module(&bitcode, uid, meta).fault()?;
    }
    if points.is_empty() {
        let sources = program
            .own_modules()
            .map(|module| module.meta.source.as_path());
        return Err(nothing_there(sources, &is_file, (file, line)));
    }
    let model = reader.finish().fault()?;
    let foreign = program.has_foreign_code()?;
    let analysis = values::analyse(&model, foreign, values::Limits::default());
    let blockers: Vec<String> = analysis.blockers.iter().map(ToString::to_string).collect();
    let places = points
        .into_iter()
        .map(|point| place(&model, (&analysis, &floats), point));
    Ok(Known {
        places: places.collect(),
        blockers,
    })
}

/// A module's source compiled again with names, looked at in one line.
fn watched(
    module: &Module,
    name: &str,
    at: (&dyn Fn(&str) -> bool, u32),
    first: usize,
) -> Result<(Watched, llvm::prepare::Prepared)> {
    let compiler = Compiler::find(Language::of(&module.meta.source))?;
    let bitcode = compile::with_names(&compiler, &module.meta)?;
    let watched = llvm::watch::watch(&bitcode, name, at, first)?;
    let prepared = compile::prepare(&watched.bitcode, &module.meta, name)?;
    Ok((watched, prepared))
}

/// `floats`: which variables of the program are floating-point numbers.
fn place(
    model: &program::Program,
    (analysis, floats): (&values::Analysis, &BTreeMap<String, bool>),
    point: Point,
) -> Place {
    let known = analysis.watched.get(&point.watch);
    let locals = known.into_iter().flat_map(|known| {
        let names = point.names.iter().zip(&known.arguments);
        names.map(|(name, value)| Variable {
            name: name.clone(),
            global: false,
            value: value.clone(),
        })
    });
    let globals = known.into_iter().flat_map(|known| {
        known.globals.iter().map(|(global, value)| {
            let name = &model.globals[*global].name;
            let is_float = floats.get(name).is_some_and(|is_float| *is_float);
            Variable {
                name: name.clone(),
                global: true,
                value: match is_float {
                    true => value.as_float(),
                    false => value.clone(),
                },
            }
        })
    });
    let shown = |variable: &Variable| {
        // What the compiler made, and strings.
        !variable.global || !variable.name.starts_with(['.', '_'])
    };
    Place {
        function: point.function,
        file: point.file,
        line: point.line,
        col: point.col,
        reached: known.is_some(),
        variables: locals.chain(globals).filter(shown).collect(),
    }
}

/// Why there is nothing to be said of a line.
fn nothing_there<'p>(
    sources: impl Iterator<Item = &'p Path>,
    is_file: &dyn Fn(&str) -> bool,
    (file, line): (Option<&str>, u32),
) -> crate::Error {
    let said = |what: String| crate::Error::Input(what);
    let mut known = Vec::new();
    for source in sources.filter(|source| is_file(&source.display().to_string())) {
        let text = std::fs::read(source).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text).lines().count();
        known.push((source.display().to_string(), lines));
    }
    let longest = known.iter().map(|(_, lines)| *lines).max();
    match (file, longest) {
        (Some(file), None) => said(format!("--at: the program has no source `{file}`")),
        (_, Some(longest)) if line as usize > longest => {
            let (name, lines) = &known[0];
            match known.len() {
                1 => said(format!("--at: {name} has {lines} lines, no line {line}")),
                _ => said(format!("--at: no source has a line {line}")),
            }
        }
        _ => said(format!(
            "--at: there is no code in line {line}: name a line with a statement of a function"
        )),
    }
}
