//! What a unit says of itself: compiled once by clang alone, linked on trial, its debug information read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result, bail};
use harness::declared::Declared;
use harness::dwarf::DwarfError;
use harness::types::Info;
use llvm::emit::{EmitOptions, Form, Position};
use program::callgraph::CallGraph;

use super::flags::Flags;
use crate::compiler::{Compiler, args::LinkItem, strict};

/// A unit, read.
pub struct Probe {
    /// Types, functions, variables.
    pub info: Info,
    /// Its model, without instrumentation.
    pub model: program::Program,
    /// Who calls whom in the model.
    pub calls: CallGraph,
    /// What the linker misses.
    pub undefined: Vec<Missing>,
    /// What the syntax tree says of declarations.
    pub declared: Declared,
    /// What clang's `-ast-dump` says of the unit.
    pub dump: String,
    /// Declarations that make the compiler emit inline definitions that would be missing without them.
    pub needed: Vec<String>,
    /// Names of the macros that are defined at its end.
    pub macros: HashSet<String>,
}

/// Something that nothing on the link line defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As the linker knows it.
    pub symbol: String,
    /// As the unit calls it.
    pub name: String,
}

/// File name of the probe; debug information knows the unit by it.
const NAME: &str = "bothways-probe.c";

/// How clang compiles a probe.
const PROBE: &[&str] = &[
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-gdwarf-5",
    "-fPIC",
    "-fwrapv",
    "-w",
    "-emit-llvm",
    "-c",
];

/// What clang or the linker says, as an error.
fn refused(messages: &str) -> Error {
    Error::Compiler {
        code: 1,
        said: messages.trim_end().to_owned(),
    }
}

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
    /// Reads a unit. `wanted` is the function that is to be tested; without one every function may be.
    ///
    /// # Errors
    /// clang refuses it, as [`crate::Error::Compiler`]; it cannot be linked on trial.
    pub fn read(&self, unit: &Path, wanted: Option<&str>) -> Result<Probe> {
        let dump = self.syntax_tree(unit)?;
        let declared = Declared::read(&dump);
        let (needed, mut undefined) = self.needed(unit, &declared, wanted)?;
        let emitted = emitted(&declared, &needed, wanted);
        if emitted != needed {
            undefined = self.missing(unit, &declared, &emitted)?;
        }
        let mut asked: Vec<String> = undefined.iter().map(|it| it.name.clone()).collect();
        let bitcode = loop {
            match self.compile(unit, &emitted, &asked)? {
                Ok(bitcode) => break bitcode,
                // A function that old C never declares has no type to ask for.
                Err(messages) => {
                    let before = asked.len();
                    let refused =
                        |index, name: &str| harness::probe::refuses(&messages, index, name);
                    asked = (0..)
                        .zip(asked)
                        .filter(|(index, name)| !refused(*index, name))
                        .map(|(_, name)| name)
                        .collect();
                    if asked.len() == before {
                        asked.clear();
                        if before == 0 {
                            return Err(Error::Fault(messages));
                        }
                    }
                }
            }
        };
        let object = self.object(&bitcode)?;
        let (linked, _) = self.link(&object)?;
        let info = match harness::dwarf::read(&std::fs::read(linked)?, NAME) {
            Err(DwarfError::NoUnit(_)) => bail!(
                "{} defines nothing: no function and no variable is left behind the preprocessor",
                unit.display()
            ),
            read => read.with_context(|| format!("{}", unit.display()))?,
        };
        let model = self.model(&bitcode)?;
        Ok(Probe {
            info,
            calls: CallGraph::new(&model),
            model,
            undefined,
            declared,
            dump,
            needed,
            macros: self.macros()?,
        })
    }

    /// Declarations that make the compiler emit the inline definitions that are needed: of the function under test, and of
    /// what would be missing without them. What one emits may call the next.
    fn needed(
        &self,
        unit: &Path,
        declared: &Declared,
        wanted: Option<&str>,
    ) -> Result<(Vec<String>, Vec<Missing>)> {
        let wanted = wanted.filter(|name| declared.is_inline(name));
        let mut needed: Vec<String> = wanted
            .and_then(|name| declared.emission(name))
            .into_iter()
            .collect();
        loop {
            let missing = self.missing(unit, declared, &needed)?;
            let more: Vec<String> = missing
                .iter()
                .filter_map(|it| declared.emission(&it.name))
                .filter(|it| !needed.contains(it))
                .collect();
            if more.is_empty() {
                return Ok((needed, missing));
            }
            needed.extend(more);
        }
    }

    /// What the linker misses of a unit with these declarations.
    fn missing(
        &self,
        unit: &Path,
        declared: &Declared,
        emitted: &[String],
    ) -> Result<Vec<Missing>> {
        let bitcode = match self.compile(unit, emitted, &[])? {
            Ok(bitcode) => bitcode,
            Err(messages) => {
                let mut said = messages.trim_end().to_owned();
                if let Some(hint) = strict::hint(&messages) {
                    said.push_str(&format!("\nbothways: {hint} behind --cflags"));
                }
                return Err(refused(&said));
            }
        };
        let symbols = self.undefined(&self.object(&bitcode)?)?;
        let missing = symbols.into_iter().map(|symbol| Missing {
            name: declared.name_of(&symbol).to_owned(),
            symbol,
        });
        Ok(missing.collect())
    }

    /// What clang's `-ast-dump` says of a unit.
    fn syntax_tree(&self, unit: &Path) -> Result<String> {
        let mut clang = self.compiler.clang();
        clang
            .args(&self.flags.compile)
            .args(["-fsyntax-only", "-w", "-fno-color-diagnostics"])
            .args(["-Xclang", "-ast-dump"])
            .args(self.compiler.preprocessor_flags())
            .arg(unit);
        let output = clang.output().context("cannot run clang")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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
    fn compile(
        &self,
        unit: &Path,
        emitted: &[String],
        names: &[String],
    ) -> Result<Result<Vec<u8>, String>> {
        let source = self.scratch.join(NAME);
        let unit = unit.display().to_string();
        std::fs::write(&source, harness::probe::text(&unit, emitted, names))?;
        let bitcode = self.scratch.join("probe.bc");
        let mut clang = self.compiler.clang();
        clang
            .args(&self.flags.compile)
            .args(PROBE)
            // With this option clang takes no notice of the declarations that make it emit inline definitions.
            .args(emitted.is_empty().then_some("-femit-all-decls"))
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
        let module = llvm::Module::from_bitcode(bitcode, NAME).fault()?;
        let options = EmitOptions {
            level: 0,
            position: Position::Pic,
            form: Form::Object,
            debug: true,
            ..EmitOptions::default()
        };
        let path = self.scratch.join("probe.o");
        std::fs::write(&path, llvm::emit::emit(&module, &options).fault()?)?;
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
                // What is hidden and undefined is an error whatever else is said.
                "-Wl,--noinhibit-exec",
                // `_Zgetc` is a name in C.
                "-Wl,--no-demangle",
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
            return Err(refused(&messages));
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
        let prepared = llvm::prepare::prepare(bitcode, NAME).fault()?;
        let mut reader = llvm::read::Reader::new();
        let meta = llvm::read::Meta {
            name: NAME.to_owned(),
            library: false,
        };
        reader
            .add_module(&prepared.bitcode, prepared.uid, meta)
            .fault()?;
        reader.finish().fault()
    }
}

/// What a probe emits beside what clang emits unasked. Without a wanted function every function may be looked at; and where
/// something is asked for, clang emits what is `static` and unused only if that is asked for, too.
fn emitted(declared: &Declared, needed: &[String], wanted: Option<&str>) -> Vec<String> {
    let mut emitted = needed.to_vec();
    let shared = declared
        .on_demand()
        .any(|name| declared.is_shared_inline(name));
    let names: Vec<&str> = match wanted {
        None if shared || !needed.is_empty() => declared.on_demand().collect(),
        Some(name) if !needed.is_empty() => vec![name],
        _ => Vec::new(),
    };
    for emission in names.into_iter().filter_map(|name| declared.emission(name)) {
        if !emitted.contains(&emission) {
            emitted.push(emission);
        }
    }
    emitted
}

/// The symbol that a line of the linker (lld, or GNU ld) says is missing, whatever its visibility.
fn undefined_symbol(line: &str) -> Option<String> {
    let of_lld = || Some(line.split_once(": undefined ")?.1.split_once("symbol: ")?.1);
    let of_ld = || {
        let rest = line.split_once("undefined reference to ")?.1;
        Some(rest)
    };
    let hidden = || {
        let rest = line.strip_suffix("' isn't defined")?;
        Some(rest.split_once("symbol `")?.1)
    };
    let name = of_lld().or_else(of_ld).or_else(hidden)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let name = name.trim_matches(|c: char| !is_part(c));
    (!name.is_empty() && name.chars().all(is_part)).then(|| name.to_owned())
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
            (
                "ld.lld-19: warning: undefined hidden symbol: a$b",
                Some("a$b"),
            ),
            (
                "ld.lld: error: undefined protected symbol: put",
                Some("put"),
            ),
            (
                "/usr/bin/ld: b3: hidden symbol `put' isn't defined",
                Some("put"),
            ),
            (">>> referenced by a.c:6", None),
        ] {
            assert_eq!(undefined_symbol(line).as_deref(), name);
        }
    }
}
