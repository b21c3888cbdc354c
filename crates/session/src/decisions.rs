//! clang's own mapping of decisions, for criteria that ask for decisions.
//!
//! `-fcoverage-mcdc` costs code and time and puts a further branch behind each decision, so programs are instrumented without
//! it. When it is wanted, the sources are compiled once more, by the front end alone: the mapping is taken over into the model, and
//! for `mcdc` the judge's program is built of these modules.
//!
//! Must hold: a source that is gone or has changed is said, and its decisions are those that the control flow shows.

use crate::error::{Context, Result};
use coverage::Criterion;
use llvm::prepare::Prepared;

use super::load::Program;
use crate::compiler::compile::{expanded, with_decisions};
use crate::compiler::{Compiler, Language};

/// Modules with clang's mapping of decisions.
#[derive(Default)]
pub struct Decisions {
    /// Hash of the module that each stands for, and its name.
    modules: Vec<(u64, String, Prepared)>,
    /// The judge counts pairs.
    judged: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Decisions {
    /// Compiles the program's own sources, if the criterion asks for decisions.
    pub fn compile(program: &Program, criterion: &dyn Criterion) -> Decisions {
        let mut decisions = Decisions {
            judged: criterion.pairing().is_some(),
            ..Decisions::default()
        };
        if !criterion.wants_decisions() {
            return decisions;
        }
        for module in program.own_modules() {
            let name = module.meta.source.display().to_string();
            let compiled = Compiler::find(Language::of(&module.meta.source))
                .and_then(|compiler| with_decisions(&compiler, &module.meta));
            match compiled {
                Ok(prepared) => decisions.modules.push((module.uid, name, prepared)),
                Err(error) => decisions.notes.push(format!(
                    "{name} cannot be compiled again for its decisions ({error:#}): those inside macros are not known, \
                     and llvm-cov does not judge its pairs"
                )),
            }
        }
        decisions
    }

    /// Were no decisions asked for, or none found?
    pub fn is_empty(&self) -> bool {
        self.modules.is_empty()
    }

    /// The module that the judge's program is built of in place of the one with this hash.
    pub fn of(&self, uid: u64) -> Option<&Prepared> {
        let found = self.modules.iter().find(|(own, ..)| *own == uid);
        found.filter(|_| self.judged).map(|(.., prepared)| prepared)
    }

    /// Takes the decisions over into the model.
    ///
    /// # Errors
    /// Our own: clang's mapping cannot be read.
    pub fn adopt(&mut self, program: &Program, model: &mut program::Program) -> Result<()> {
        let modules = self.modules.iter();
        let from = read(modules.map(|(_, name, prepared)| (name.as_str(), prepared)))?;
        let mut changed = program::decision::clang::adopt(model, &from);
        if let Some(first) = changed.pop() {
            self.judged = false;
            self.notes.push(format!(
                "the sources have changed since they were compiled ({first}{}): decisions inside macros are not known there, and \
                 llvm-cov does not judge pairs; build the program again",
                match changed.len() {
                    0 => String::new(),
                    more => format!(" and {more} more functions"),
                }
            ));
            return Ok(());
        }
        let wanted: Vec<_> = program::decision::expanded::wanted(model).collect();
        for id in wanted {
            let uid = model.modules[id].uid;
            let module = program.own_modules().find(|module| module.uid == uid);
            let Some(module) = module else { continue };
            let (language, text) = match Language::of(&module.meta.source) {
                Language::C => (Language::C, "cpp-output"),
                Language::Cxx => (Language::Cxx, "c++-cpp-output"),
            };
            let compiled = Compiler::find(language)
                .and_then(|compiler| expanded(&compiler, &module.meta, text));
            // Who cannot be compiled so has its decisions in macros open, with a reason of their own.
            let Ok(prepared) = compiled else { continue };
            let from = read([(model.modules[id].name.as_str(), &prepared)].into_iter())?;
            program::decision::expanded::adopt(model, id, &from);
        }
        Ok(())
    }
}

/// A model of some modules.
fn read<'a>(modules: impl Iterator<Item = (&'a str, &'a Prepared)>) -> Result<program::Program> {
    let mut reader = llvm::read::Reader::new();
    for (name, prepared) in modules {
        let meta = llvm::read::Meta {
            name: name.to_owned(),
            library: false,
        };
        reader
            .add_module(&prepared.bitcode, prepared.uid, meta)
            .fault()?;
    }
    reader.finish().fault()
}
