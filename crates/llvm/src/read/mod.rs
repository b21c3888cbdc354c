//! Model reader: prepared bitcode of one or more modules → [`program::Program`].
//!
//! Invariants:
//! - sites, edges, spots and functions are numbered by [`crate::number`], so that the id inside the module plus
//!   the module's first id is the id in the program;
//! - a name means what it means to the linker: a strong definition wins over weak and common ones, otherwise the first
//!   one does; internal functions and globals are the module's own;
//! - what the model has no form for becomes an opaque instruction or constant with its name, never an error, and is
//!   never left out;
//! - an object that is passed by value (`byval`) is copied at the entry of the function that gets it;
//! - profile counters are `Op::Count`; clang's own globals (coverage mapping, profile names) are not in the model.

mod constant;
mod coverage;
mod function;
mod init;
mod inst;
mod operator;
mod symbols;
#[cfg(test)]
mod tests;
mod ty;

use std::collections::HashMap;

use program::{FuncId, Loc, Program};

use crate::Error;
use crate::ir::{Module, Value};
use crate::number::{self, Numbering};

use symbols::Symbols;

/// What the section record says about a module, as far as the reader needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Name of the module in messages: its source file.
    pub name: String,
    /// One of our own C models of library functions, not the user's code.
    pub library: bool,
}

/// Reads modules into one program.
#[derive(Debug, Default)]
pub struct Reader {
    sources: Vec<Source>,
}

/// A module that was added.
#[derive(Debug)]
struct Source {
    module: Module,
    numbering: Numbering,
    uid: u64,
    meta: Meta,
    first_function: FuncId,
}

/// Source files of the program, by path.
#[derive(Debug, Default)]
struct Files {
    index: HashMap<String, u32>,
    debug: HashMap<(Vec<u8>, Vec<u8>), u32>,
}

impl Reader {
    /// No modules yet.
    #[must_use]
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Adds a module. The order of the calls is the order of the modules in the program.
    ///
    /// # Errors
    /// The bytes are no bitcode.
    pub fn add_module(&mut self, bitcode: &[u8], uid: u64, meta: Meta) -> Result<(), Error> {
        let module = Module::from_bitcode(bitcode, &meta.name)?;
        let numbering = number::number(&module);
        let first = self.sources.last().map_or(0, |last| {
            last.first_function.as_u32() + last.numbering.function_count()
        });
        self.sources.push(Source {
            module,
            numbering,
            uid,
            meta,
            first_function: FuncId::from_u32(first),
        });
        Ok(())
    }

    /// Resolves names between the modules and converts them.
    ///
    /// # Errors
    /// A module's coverage mapping is malformed.
    pub fn finish(self) -> Result<Program, Error> {
        let mut program = Program::new();
        let mut files = Files::default();
        if let Some(source) = self.sources.first() {
            program.layout = ty::layout(&source.module);
        }
        let symbols = Symbols::resolve(&self.sources, &mut program, &mut files);
        for (index, source) in self.sources.iter().enumerate() {
            program.add_module(source.uid, source.meta.name.clone());
            let mut unit = Unit::new(source, index, &symbols, &mut files);
            unit.globals(&mut program);
            unit.functions(&mut program);
            unit.sites(&mut program);
            coverage::read(source, &mut program, &mut files)?;
        }
        coverage::conditions(&mut program);
        Ok(program)
    }
}

/// Reads one module.
///
/// # Errors
/// As [`Reader::add_module`] and [`Reader::finish`].
pub fn read(bitcode: &[u8], uid: u64, meta: Meta) -> Result<Program, Error> {
    let mut reader = Reader::new();
    reader.add_module(bitcode, uid, meta)?;
    reader.finish()
}

/// Conversion of one module.
struct Unit<'a> {
    source: &'a Source,
    /// Number of the module.
    index: usize,
    symbols: &'a Symbols,
    files: &'a mut Files,
    types: ty::Types<'a>,
}

impl<'a> Unit<'a> {
    fn new(
        source: &'a Source,
        index: usize,
        symbols: &'a Symbols,
        files: &'a mut Files,
    ) -> Unit<'a> {
        Unit {
            source,
            index,
            symbols,
            files,
            types: ty::Types::new(&source.module),
        }
    }

    /// Adds the module's sites and spots; the order is that of the numbering.
    fn sites(&mut self, program: &mut Program) {
        let numbering = &self.source.numbering;
        let blocks: Vec<_> = numbering
            .functions
            .iter()
            .map(|function| function::block_ids(*function))
            .collect();
        for site in &numbering.sites {
            let function = FuncId::from_u32(self.source.first_function.as_u32() + site.function);
            let blocks = &blocks[site.function as usize];
            let loc = self.files.loc(program, site.instruction);
            let targets = function::edge_targets(site, blocks);
            let counters = (site.first_edge..site.first_edge + site.edges)
                .map(|edge| numbering.edge_counters[edge as usize].clone());
            let edges: Vec<_> = targets.into_iter().zip(counters).collect();
            program.add_site(
                operator::site_kind(&site.kind),
                function,
                blocks[&site.instruction.block()],
                loc,
                edges,
            );
        }
        for &spot in &numbering.spots {
            let local = self.function_number(spot);
            let loc = self.files.loc(program, spot);
            program.add_spot(local, loc, operator::describe(spot));
        }
    }

    fn function_number(&self, instruction: Value) -> FuncId {
        self.symbols
            .function_at(self.index, instruction.block().function())
    }
}

impl Files {
    /// Index of a path.
    fn intern(&mut self, program: &mut Program, path: String) -> u32 {
        *self.index.entry(path).or_insert_with_key(|path| {
            program.files.push(path.clone());
            u32::try_from(program.files.len() - 1).expect("fewer than 2^32 files")
        })
    }

    /// Where an instruction, function or global stands in the source.
    fn loc(&mut self, program: &mut Program, value: Value) -> Option<Loc> {
        let (line, col) = value.debug_line()?;
        let key = value.debug_file()?;
        let file = match self.debug.get(&key) {
            Some(&file) => file,
            None => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let file = self.intern(
                    program,
                    crate::covmap::absolute(&text(&key.0), &text(&key.1)),
                );
                self.debug.insert(key, file);
                file
            }
        };
        Some(Loc { file, line, col })
    }
}
