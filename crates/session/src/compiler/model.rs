//! Sources to a program that is a model and nothing else: for the machine, which needs no code.
//!
//! Must hold: the program's own modules are those that [`Compiler::execute`] would put beside its code, with the same numbers; of the
//! library models, those that something calls follow them.

use std::collections::BTreeSet;

use llvm::prepare::Prepared;
use llvm::read::{self, Reader};

use super::args::{Command, Kind, LinkItem, Mode};
use super::compile::{self, Meta, Output};
use super::{Compiler, Language, default_output, each, link};
use crate::error::{Context, Result, bail};
use crate::load::{Module, Program};

impl Compiler {
    /// Reads a command's sources as a model. `None` where not all of the program would be in it: objects, C++, a fuzz target, or
    /// no `main`.
    ///
    /// # Errors
    /// clang's failure, as [`crate::Error::Compiler`]; a program of 32 bits, which has nothing but a model, with more than sources.
    pub fn model(&self, command: &Command) -> Result<Option<Program>> {
        let modules = if self.is_whole(command) {
            self.sources(command)?
        } else {
            Vec::new()
        };
        let mut wanted = BTreeSet::new();
        let mut has_main = false;
        for module in &modules {
            let module = read(module)?;
            has_main |= module.function_named("main").is_some();
            wanted.extend(needs(&module));
        }
        if !has_main {
            if command.is_narrow() {
                bail!(
                    "a program of 32 bits (-m32) must be given as C sources, one of them with a `main`"
                );
            }
            return Ok(None);
        }
        let models = self
            .support
            .model_modules(&self.toolchain, command.is_narrow(), wanted)?;
        let modules = modules.into_iter().chain(models);
        Ok(Some(Program {
            path: std::path::PathBuf::new(),
            modules: modules
                .map(|(meta, prepared)| Module {
                    uid: prepared.uid,
                    meta,
                    bitcode: prepared.bitcode,
                })
                .collect(),
            link: link::line(self, command, &[], false)?,
        }))
    }

    fn is_whole(&self, command: &Command) -> bool {
        let is_source = |item: &LinkItem| !matches!(item, LinkItem::File(_));
        self.language == Language::C
            && matches!(command.mode, Mode::Link)
            && command.dropped_sanitizers.is_empty()
            && command
                .sources
                .iter()
                .all(|input| input.kind() == Kind::Source)
            && command.link_items.iter().all(is_source)
    }

    fn sources(&self, command: &Command) -> Result<Vec<(Meta, Prepared)>> {
        let mut modules = Vec::new();
        each(&command.sources, |input| {
            let path = command.output.clone();
            let path = path.unwrap_or_else(|| default_output(&input.path, command.mode));
            let named = path.clone();
            modules.push(compile::modelled(
                self,
                command,
                input,
                &Output { path, named },
            )?);
            Ok(())
        })?;
        Ok(modules)
    }
}

/// A module by itself.
pub(super) fn read((meta, prepared): &(Meta, Prepared)) -> Result<program::Program> {
    let mut reader = Reader::new();
    let meta = read::Meta {
        name: meta.source.display().to_string(),
        library: meta.library,
    };
    reader
        .add_module(&prepared.bitcode, prepared.uid, meta)
        .fault()?;
    reader.finish().fault()
}

/// Functions that a module names and does not have.
pub(super) fn needs(module: &program::Program) -> impl Iterator<Item = String> {
    let names = module.externs.values();
    names.map(|function| function.name.clone())
}
