//! A program built by `bothways cc`, read back: its modules, their bitcode, and how it was linked.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::error::{Context, Result, ensure};
use object::{Object, ObjectSection};
use wire::section;

use crate::compiler::compile::Meta;
use crate::compiler::contents::{Contents, contents};
use crate::compiler::link::{LinkArg, LinkLine, SECTION};
use crate::compiler::{NARROW, run_visibly};
use crate::needed;

/// One module: how it was compiled, and its model.
#[derive(Clone, Debug)]
pub struct Module {
    /// Joins it with what the running program registers.
    pub uid: u64,
    /// How it was compiled.
    pub meta: Meta,
    /// Prepared bitcode.
    pub bitcode: Vec<u8>,
}

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its modules in link order, library models included.
    pub modules: Vec<Module>,
    /// How it was linked.
    pub link: LinkLine,
}

impl Program {
    /// Reads an executable.
    ///
    /// # Errors
    /// It cannot be read, is no ELF file, or was not built by `bothways cc`.
    pub fn read(path: &Path) -> Result<Program> {
        let name = path.display();
        let data = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let file = object::File::parse(&*data)
            .ok()
            .with_context(|| format!("{name} is neither a C source nor an executable"))?;
        let not_ours = || {
            format!(
                "{name} was not built by `bothways cc`: build it with CC=\"bothways cc\", or give its C sources"
            )
        };
        let records = file.section_by_name(section::NAME).with_context(not_ours)?;
        let link = file.section_by_name(SECTION).with_context(not_ours)?;
        let modules = parse_records(records.data().with_context(not_ours)?)
            .with_context(|| format!("{name}: section {} is damaged", section::NAME))?;
        let link = serde_json::from_slice(link.data().with_context(not_ours)?)
            .with_context(|| format!("{name}: section {SECTION} is damaged"))?;
        let mut program = Program {
            path: std::path::absolute(path)?,
            modules,
            link,
        };
        program.read_libraries(&data)?;
        Ok(program)
    }

    /// Adds the modules of the instrumented shared libraries that `file` loads, and what these were linked with.
    fn read_libraries(&mut self, file: &[u8]) -> Result<()> {
        self.link.shared.retain(|path| needed::loads(file, path));
        let mut seen: HashSet<u64> = self.modules.iter().map(|module| module.uid).collect();
        let mut index = 0;
        while let Some(path) = self.link.shared.get(index).cloned() {
            index += 1;
            let library = Program::read(&path).with_context(|| {
                format!(
                    "{}, an instrumented library that the program was linked with",
                    path.display()
                )
            })?;
            let modules = library.modules.into_iter();
            self.modules
                .extend(modules.filter(|module| seen.insert(module.uid)));
            self.link
                .items
                .extend(library.link.items.into_iter().filter(LinkArg::is_library));
        }
        Ok(())
    }

    /// The flags that say which machine its code is for.
    pub fn machine_flags(&self) -> Vec<String> {
        let flags = self.link.items.iter().filter_map(|item| match item {
            LinkArg::Flag(flag) if flag == NARROW => Some(flag.clone()),
            _ => None,
        });
        flags.collect()
    }

    /// The modules that are the user's, not ours.
    pub fn own_modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.iter().filter(|module| !module.meta.library)
    }

    /// Is there code in the program that is neither in its model nor the C library's? It may call functions of the program
    /// that nothing in the model calls.
    ///
    /// # Errors
    /// A file of the link line is gone.
    pub fn has_foreign_code(&self) -> Result<bool> {
        if self.link.cxx {
            return Ok(true);
        }
        for item in &self.link.items {
            let foreign = match item {
                LinkArg::Flag(flag) => {
                    let library = flag.strip_prefix("-l");
                    FLUSHES.contains(&flag.as_str())
                        || library.is_some_and(|name| !C_LIBRARY.contains(&name))
                }
                LinkArg::File(path) => !matches!(
                    contents(path).with_context(|| unreadable(path))?,
                    Contents::Instrumented | Contents::Shared
                ),
            };
            if foreign {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The link line of a plain build: what is instrumented is left out, since the judge compiles it anew.
    ///
    /// # Errors
    /// A file of the link line is gone, or is a shared library with instrumented code.
    pub fn plain_link_args(&self, scratch: &Path) -> Result<Vec<String>> {
        let mut args = Vec::new();
        if !self.link.shared.is_empty() {
            // What the dynamic linker would do: the program's own definitions come first.
            args.push("-Wl,-z,muldefs".to_owned());
        }
        for item in &self.link.items {
            match item {
                LinkArg::Flag(flag) => args.push(flag.clone()),
                LinkArg::File(path) => {
                    args.extend(plain_file(path, scratch)?.map(|path| path.display().to_string()));
                }
            }
        }
        Ok(args)
    }
}

/// Libraries that are parts of the C library.
const C_LIBRARY: &[&str] = &[
    "c", "m", "pthread", "rt", "dl", "util", "resolv", "crypt", "gcc", "gcc_s", "atomic",
];

/// Flags with which the compiler links code that runs before `main` (`crtfastmath.o`): from then on the processor takes the smallest
/// numbers for 0.
const FLUSHES: &[&str] = &["-ffast-math", "-funsafe-math-optimizations", "-mdaz-ftz"];

fn unreadable(path: &Path) -> String {
    format!(
        "{}, which the program was linked with, cannot be read: build the program again",
        path.display()
    )
}

/// What stands for `path` in a plain link: itself, nothing, or an archive without its instrumented members.
fn plain_file(path: &Path, scratch: &Path) -> Result<Option<PathBuf>> {
    let contents = contents(path).with_context(|| unreadable(path))?;
    Ok(match contents {
        Contents::Plain => Some(path.to_owned()),
        Contents::Instrumented | Contents::Shared => None,
        Contents::Mixed(members) => Some(without_members(path, &members, scratch)?),
    })
}

fn without_members(path: &Path, members: &[String], scratch: &Path) -> Result<PathBuf> {
    let copy = tempfile::Builder::new()
        .suffix(".a")
        .tempfile_in(scratch)?
        .into_temp_path()
        .keep()?;
    fs::copy(path, &copy)?;
    run_visibly(Process::new("ar").arg("d").arg(&copy).args(members))?;
    Ok(copy)
}

/// Splits the section into its records.
fn parse_records(mut data: &[u8]) -> Result<Vec<Module>> {
    const HEAD: usize = size_of::<section::RecordHeader>();
    let mut modules = Vec::new();
    while !data.is_empty() {
        if data[0] == 0 {
            data = &data[1..];
            continue;
        }
        ensure!(
            data.len() >= HEAD && data[..8] == section::MAGIC,
            "no record where one should begin"
        );
        let number = |index: usize| {
            let start = 8 * index;
            u64::from_le_bytes(data[start..start + 8].try_into().expect("eight bytes"))
        };
        let (meta_len, bitcode_len) = (usize::try_from(number(2))?, usize::try_from(number(3))?);
        let end = HEAD
            .checked_add(meta_len)
            .and_then(|end| end.checked_add(bitcode_len));
        let end = end
            .filter(|end| *end <= data.len())
            .context("a record is longer than the section")?;
        modules.push(Module {
            uid: number(1),
            meta: serde_json::from_slice(&data[HEAD..HEAD + meta_len])?,
            bitcode: data[HEAD + meta_len..end].to_vec(),
        });
        data = &data[end.next_multiple_of(8).min(data.len())..];
    }
    Ok(modules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(uid: u64, meta: &str, bitcode: &[u8]) -> Vec<u8> {
        let mut bytes = section::MAGIC.to_vec();
        for number in [uid, meta.len() as u64, bitcode.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(meta.as_bytes());
        bytes.extend(bitcode);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    #[test]
    fn records_follow_each_other_with_padding_between() {
        let meta = r#"{"source":"/a.c","directory":"/","flags":[]}"#;
        let mut data = record(7, meta, b"BC1");
        data.extend([0; 16]);
        data.extend(record(8, meta, b"BC22"));
        let modules = parse_records(&data).expect("well-formed");
        assert_eq!(
            modules.iter().map(|module| module.uid).collect::<Vec<_>>(),
            [7, 8]
        );
        assert_eq!(modules[1].bitcode, b"BC22");
    }

    #[test]
    fn a_cut_record_is_an_error() {
        let data = record(7, r#"{"source":"/a.c","directory":"/","flags":[]}"#, b"BC1");
        assert!(parse_records(&data[..data.len() - 8]).is_err());
        assert!(parse_records(b"garbage in the section").is_err());
    }
}
