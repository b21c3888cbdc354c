//! What a unit says of itself: compiled once by clang alone, linked on trial, its debug information read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use harness::types::Info;
use llvm::emit::{EmitOptions, Form, Position};
use program::callgraph::CallGraph;

use super::flags::Flags;
use crate::cc::{Compiler, args::LinkItem};
use crate::errors::{BAD_INPUT, Fault, Printed};
use crate::say;

/// A unit, read.
pub struct Probe {
    /// Types, functions, variables.
    pub info: Info,
    /// Its model, without instrumentation.
    pub model: program::Program,
    /// Who calls whom in the model.
    pub calls: CallGraph,
    /// What the linker misses.
    pub undefined: Vec<String>,
    /// Names of the macros that are defined at its end.
    pub macros: HashSet<String>,
}

/// File name of the probe; debug information knows the unit by it.
const NAME: &str = "bothways-probe.c";

/// How clang compiles a probe: everything is emitted, also what nobody calls.
const PROBE: &[&str] = &[
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-gdwarf-5",
    "-femit-all-decls",
    "-fPIC",
    "-fwrapv",
    "-w",
    "-emit-llvm",
    "-c",
];

/// Everything that is needed to look at units.
pub struct Prober<'a> {
    pub compiler: &'a Compiler,
    pub flags: &'a Flags,
    /// Objects of the other sources.
    pub objects: &'a [PathBuf],
    /// Folder for what is made on the way.
    pub scratch: &'a Path,
}

impl Prober<'_> {
    /// Reads a unit.
    ///
    /// # Errors
    /// clang refuses it, as [`Printed`]; it cannot be linked on trial.
    pub fn read(&self, unit: &Path) -> Result<Probe> {
        let bitcode = match self.compile(unit, &[])? {
            Ok(bitcode) => bitcode,
            Err(messages) => {
                say::err(format_args!("{}", messages.trim_end()));
                return Err(Printed(BAD_INPUT).into());
            }
        };
        let object = self.object(&bitcode)?;
        let undefined = self.undefined(&object)?;
        let mut asked = undefined.clone();
        let bitcode = loop {
            match self.compile(unit, &asked)? {
                Ok(bitcode) => break bitcode,
                // A function that old C never declares has no type to ask for.
                Err(messages) => {
                    let known = |name: &String| !is_named(&messages, name);
                    let before = asked.len();
                    asked.retain(known);
                    if asked.len() == before {
                        asked.clear();
                        if before == 0 {
                            bail!(anyhow::anyhow!("{messages}").context(Fault));
                        }
                    }
                }
            }
        };
        let object = self.object(&bitcode)?;
        let (linked, _) = self.link(&object)?;
        let info = harness::dwarf::read(&std::fs::read(linked)?, NAME)
            .with_context(|| format!("{}", unit.display()))?;
        let model = self.model(&bitcode)?;
        Ok(Probe {
            info,
            calls: CallGraph::new(&model),
            model,
            undefined,
            macros: self.macros()?,
        })
    }

    /// The macros at the end of the probe that was compiled last.
    fn macros(&self) -> Result<HashSet<String>> {
        let mut clang = self.compiler.clang();
        clang
            .args(&self.flags.compile)
            .args(["-E", "-dM", "-w"])
            .args(self.compiler.preprocessor_flags())
            .arg(self.scratch.join(NAME));
        let output = clang.output().context("cannot run clang")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names = text.lines().filter_map(|line| {
            let rest = line.strip_prefix("#define ")?;
            rest.split([' ', '(']).next()
        });
        Ok(names.map(str::to_owned).collect())
    }

    /// The bitcode, or what clang says.
    fn compile(&self, unit: &Path, symbols: &[String]) -> Result<Result<Vec<u8>, String>> {
        let source = self.scratch.join(NAME);
        let unit = unit.display().to_string();
        std::fs::write(&source, harness::probe::text(&unit, symbols))?;
        let bitcode = self.scratch.join("probe.bc");
        let mut clang = self.compiler.clang();
        clang
            .args(&self.flags.compile)
            .args(PROBE)
            .args(self.compiler.preprocessor_flags())
            .arg("-o")
            .arg(&bitcode)
            .arg(&source);
        let output = clang.output().context("cannot run clang")?;
        if !output.status.success() {
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            return Ok(Err(messages));
        }
        Ok(Ok(std::fs::read(&bitcode)?))
    }

    fn object(&self, bitcode: &[u8]) -> Result<PathBuf> {
        let module = llvm::Module::from_bitcode(bitcode, NAME).context(Fault)?;
        let options = EmitOptions {
            level: 0,
            position: Position::Pic,
            form: Form::Object,
            debug: true,
            ..EmitOptions::default()
        };
        let path = self.scratch.join("probe.o");
        std::fs::write(&path, llvm::emit::emit(&module, &options).context(Fault)?)?;
        Ok(path)
    }

    /// Links on trial: the file, and what the linker says.
    fn link(&self, object: &Path) -> Result<(PathBuf, String)> {
        let output = self.scratch.join("probe");
        let mut clang = self.compiler.clang();
        if let Some(lld) = &self.compiler.toolchain.lld {
            clang.arg(format!("--ld-path={}", lld.display()));
        }
        clang
            .args(["-no-pie", "-nostartfiles", "-Wl,-e,0"])
            .args([
                "-Wl,--warn-unresolved-symbols",
                "-Wno-unused-command-line-argument",
            ])
            .arg(object)
            .args(self.objects);
        for item in &self.flags.link {
            match item {
                LinkItem::File(path) => clang.arg(path),
                LinkItem::Flag(flag) => clang.arg(flag),
                LinkItem::Source(_) => &mut clang,
            };
        }
        clang.args(["-lm", "-lpthread", "-ldl", "-o"]).arg(&output);
        let said = clang.output().context("cannot run clang")?;
        let messages = String::from_utf8_lossy(&said.stderr).into_owned();
        if !said.status.success() {
            say::err(format_args!("{}", messages.trim_end()));
            return Err(Printed(BAD_INPUT).into());
        }
        Ok((output, messages))
    }

    /// Symbols that nothing on the link line defines.
    fn undefined(&self, object: &Path) -> Result<Vec<String>> {
        let (_, messages) = self.link(object)?;
        let mut names: Vec<String> = messages.lines().filter_map(undefined_symbol).collect();
        names.retain(|name| {
            !name.starts_with("__bw_")
                && !name.starts_with("__llvm_prof")
                && !wire::libc::INPUT_FUNCTIONS.contains(&name.as_str())
        });
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn model(&self, bitcode: &[u8]) -> Result<program::Program> {
        let prepared = llvm::prepare::prepare(bitcode, NAME).context(Fault)?;
        let mut reader = llvm::read::Reader::new();
        let meta = llvm::read::Meta {
            name: NAME.to_owned(),
            library: false,
        };
        reader
            .add_module(&prepared.bitcode, prepared.uid, meta)
            .context(Fault)?;
        reader.finish().context(Fault)
    }
}

/// The symbol that a line of the linker (lld, or GNU ld) says is missing.
fn undefined_symbol(line: &str) -> Option<String> {
    let rest = line
        .split_once("undefined symbol: ")
        .or_else(|| line.split_once("undefined reference to "))?
        .1;
    let name = rest
        .trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .to_owned();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(name)
}

/// Whether an error of clang's is about this name.
fn is_named(messages: &str, name: &str) -> bool {
    let quoted = format!("'{name}'");
    messages
        .lines()
        .any(|line| line.contains("error:") && line.contains(&quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_linkers_are_understood() {
        for (line, name) in [
            ("ld.lld: warning: undefined symbol: put", Some("put")),
            (
                "/usr/bin/ld: a.c:(.text+0x5): undefined reference to `put'",
                Some("put"),
            ),
            (">>> referenced by a.c:6", None),
        ] {
            assert_eq!(undefined_symbol(line).as_deref(), name);
        }
    }
}
