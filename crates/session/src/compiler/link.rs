//! Linking: the user's line, our runtime, and a note of the line itself for the judge.

use native::scratch::Temporary;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result};
use serde::{Deserialize, Serialize};

use super::args::{Command, Kind, LinkItem};
use super::contents::{Contents, contents, defines, library};
use super::{Compiler, Language, run_heard, run_visibly};

/// Section that carries [`LinkLine`] as JSON.
pub const SECTION: &str = ".bothways.link";

/// Functions that the runtime stands in front of.
const WRAPPED: &[&str] = &[
    "main",
    "tmpfile",
    "tmpfile64",
    "mkstemp",
    "mkstemp64",
    "mkdtemp",
];

/// How a program was linked: what the judge needs to link its own build.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct LinkLine {
    /// Folder in which the linker ran.
    pub directory: PathBuf,
    /// Linked by `bothways c++`.
    pub cxx: bool,
    /// The line without instrumented code and output: files and library folders are absolute.
    pub items: Vec<LinkArg>,
    /// A fuzz target: `main` is ours.
    #[serde(default)]
    pub fuzz: bool,
    /// Instrumented shared libraries: their modules belong to the program.
    #[serde(default)]
    pub shared: Vec<PathBuf>,
}

/// One element of the line.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LinkArg {
    /// Object, archive or shared library.
    File(PathBuf),
    /// Anything else.
    Flag(String),
}

impl LinkArg {
    /// Whether it names a library or a folder of libraries.
    pub fn is_library(&self) -> bool {
        match self {
            LinkArg::File(_) => true,
            LinkArg::Flag(flag) => flag.starts_with("-l") || flag.starts_with("-L"),
        }
    }
}

/// Links; `objects[i]` is the object of source `i`.
///
/// # Errors
/// The linker's failure as [`crate::Error::Compiler`].
pub fn link(compiler: &Compiler, command: &Command, objects: &[PathBuf]) -> Result<()> {
    let scratch = Temporary::new().context("cannot make a temporary folder")?;
    let mut clang = compiler.clang();
    clang.arg("-Wno-unused-command-line-argument");
    if !command.has_linker
        && let Some(lld) = &compiler.toolchain.lld
    {
        clang.arg(format!("--ld-path={}", lld.display()));
    }
    if !command.has_linker && compiler.toolchain.lld.is_some() {
        // As in the linker that clang takes by default: a version script may name what is not there. Checks of `configure` and
        // Meson link a program with the script of a library.
        clang.arg("-Wl,--undefined-version");
    }
    let fuzz = !command.shared && !command.relocatable && is_fuzz_target(command, objects);
    if binds_at_start(command) {
        clang.arg("-Wl,-z,now");
    }
    for item in &command.link_items {
        match item {
            LinkItem::Source(index) => clang.arg(&objects[*index]),
            LinkItem::File(path) => clang.arg(path),
            LinkItem::Flag(flag) => clang.arg(flag),
        };
    }
    let mut with_libraries = false;
    if !command.relocatable {
        let line = line(compiler, command, objects, fuzz)?;
        with_libraries = !line.shared.is_empty();
        clang.args(search_paths(&line.shared));
        clang.arg(note(&line, scratch.path())?);
    }
    if command.shared {
        // The program that loads the library brings the runtime.
        let gold = LinkItem::Flag("-fuse-ld=gold".to_owned());
        clang.arg(if command.link_items.contains(&gold) {
            "-Wl,--unresolved-symbols=ignore-all"
        } else {
            "-Wl,-z,undefs"
        });
    } else if !command.relocatable {
        let support = &compiler.support;
        // The runtime brings arithmetic of its own, such as the division of complex numbers; the program's is clang's.
        clang.arg("-lgcc");
        if fuzz {
            clang.arg(&support.fuzz);
        }
        if !command.freestanding {
            clang.arg(&support.random);
        }
        clang.arg(&support.runtime);
        if with_libraries {
            // What a library calls of the models is not seen here, where only another library was linked with it.
            clang.arg("-Wl,--whole-archive");
            clang.arg(&support.models);
            clang.arg("-Wl,--no-whole-archive");
        } else {
            clang.arg(&support.models);
        }
        clang.arg(&support.runtime);
        // Each library that is loaded costs every run its mappings and what it does at the end.
        clang.args([
            "-Wl,--export-dynamic-symbol=__bw_*",
            "-Wl,--push-state,--as-needed",
            "-lm",
            "-lpthread",
            "-ldl",
            "-Wl,--pop-state",
        ]);
        // A program without the C library's start-up code may have none of what is wrapped.
        for name in WRAPPED {
            clang.arg(match command.freestanding {
                true => format!("-Wl,--defsym=__real_{name}=0"),
                false => format!("-Wl,--wrap={name}"),
            });
        }
        if command.freestanding {
            // The runtime needs the C library, whatever the program does without.
            clang.args(["-lc", "-lgcc"]);
        }
    }
    if let Some(output) = &command.output {
        clang.arg("-o").arg(output);
    }
    let mut process = compiler.toolchain.linking(clang);
    match command.lenient {
        true => run_visibly(&mut process),
        false => run_heard(&mut process),
    }
}

/// The folders of instrumented libraries, behind those that the user names: without one of them a program may find another library of
/// the same name in the system, which nobody instrumented, and run other code than its model has (Debian's `bzip2`).
fn search_paths(libraries: &[PathBuf]) -> Vec<OsString> {
    let folders: BTreeSet<&Path> = libraries
        .iter()
        .filter_map(|library| library.parent())
        .collect();
    let words = folders
        .into_iter()
        .map(|folder| [OsString::from("-rpath"), folder.into()]);
    words
        .flatten()
        .flat_map(|word| [OsString::from("-Xlinker"), word])
        .collect()
}

/// Whether the program looks its functions up when it starts, once for all runs, and not in each forked run anew. Not where
/// it is to start although some are nowhere. A flag of the user comes later on the line, so `-z lazy` counts.
fn binds_at_start(command: &Command) -> bool {
    let tolerant = command.link_items.iter().any(|item| match item {
        LinkItem::Flag(flag) => flag.contains("unresolved") || flag.contains("undefs"),
        LinkItem::Source(_) | LinkItem::File(_) => false,
    });
    !command.shared && !command.relocatable && !tolerant
}

/// Whether the program is a fuzz target that needs a `main`: `-fsanitize=fuzzer`, or one that has none of its own.
fn is_fuzz_target(command: &Command, objects: &[PathBuf]) -> bool {
    const TARGET: &str = "LLVMFuzzerTestOneInput";
    if command
        .dropped_sanitizers
        .iter()
        .any(|name| name == "fuzzer")
    {
        return true;
    }
    let files = command.link_items.iter().filter_map(|item| match item {
        LinkItem::Source(index) => Some(&objects[*index]),
        LinkItem::File(path) => Some(path),
        LinkItem::Flag(_) => None,
    });
    let mut target = false;
    for path in files {
        let [defines_target, defines_main] = defines(path, [TARGET, "main"]);
        if defines_main {
            return false;
        }
        target |= defines_target;
    }
    target
}

/// The link line.
pub(super) fn line(
    compiler: &Compiler,
    command: &Command,
    objects: &[PathBuf],
    fuzz: bool,
) -> Result<LinkLine> {
    let mut line = LinkLine {
        directory: std::env::current_dir()?,
        cxx: compiler.language == Language::Cxx,
        items: Vec::new(),
        fuzz,
        shared: Vec::new(),
    };
    Noting::new(command, objects, &mut line).all();
    Ok(line)
}

/// An object whose only content is the link line.
fn note(line: &LinkLine, scratch: &Path) -> Result<PathBuf> {
    // libtool takes every `.o` of a verbose link for one that each later link needs.
    let object = scratch.join("bothways.note");
    // Retained, because nothing else in this object is, and then GNU ld collects it.
    let content = llvm::emit::section(SECTION, "R", &serde_json::to_vec(line)?).fault()?;
    std::fs::write(&object, content)?;
    Ok(object)
}

/// Writes down a link line.
struct Noting<'a> {
    command: &'a Command,
    /// Of the sources.
    objects: &'a [PathBuf],
    line: &'a mut LinkLine,
    /// Folders of `-L`.
    folders: Vec<PathBuf>,
    /// `-static`.
    only_static: bool,
}

impl Noting<'_> {
    fn new<'a>(command: &'a Command, objects: &'a [PathBuf], line: &'a mut LinkLine) -> Noting<'a> {
        let flags: Vec<&str> = command
            .link_items
            .iter()
            .filter_map(|item| match item {
                LinkItem::Flag(flag) => Some(flag.as_str()),
                _ => None,
            })
            .collect();
        let mut folders = Vec::new();
        for (index, flag) in flags.iter().enumerate() {
            let folder = match flag.strip_prefix("-L") {
                Some("") => flags.get(index + 1).copied(),
                folder => folder,
            };
            folders.extend(folder.and_then(|folder| std::path::absolute(folder).ok()));
        }
        Noting {
            command,
            objects,
            line,
            folders,
            only_static: flags.iter().any(|flag| flag.starts_with("-static")),
        }
    }

    fn all(&mut self) {
        let mut items = self.command.link_items.iter();
        while let Some(item) = items.next() {
            match item {
                LinkItem::Source(index) => self.source(*index),
                LinkItem::File(path) => self.file(path),
                LinkItem::Flag(flag) if flag == "-l" || flag == "-L" => {
                    if let Some(LinkItem::Flag(value)) = items.next() {
                        self.flag(&format!("{flag}{value}"));
                    }
                }
                LinkItem::Flag(flag) => self.flag(flag),
            }
        }
    }

    /// What is not ours to instrument is compiled again for the judge. Assembly may be our own.
    fn source(&mut self, index: usize) {
        let input = &self.command.sources[index];
        let instrumented = || contents(&self.objects[index]).ok() == Some(Contents::Instrumented);
        if input.kind() != Kind::Foreign || instrumented() {
            return;
        }
        let flags = self.command.compile_flags.iter().cloned();
        self.line.items.extend(flags.map(LinkArg::Flag));
        let language = input.language.as_ref();
        let x = |language: &str| ["-x".to_owned(), language.to_owned()].map(LinkArg::Flag);
        self.line
            .items
            .extend(language.into_iter().flat_map(|language| x(language)));
        self.line.items.push(LinkArg::File(absolute(&input.path)));
        self.line
            .items
            .extend(language.into_iter().flat_map(|_| x("none")));
    }

    fn file(&mut self, path: &Path) {
        match contents(path) {
            Ok(Contents::Instrumented) => {}
            Ok(Contents::Shared) => self.line.shared.push(absolute(path)),
            _ => self.line.items.push(LinkArg::File(absolute(path))),
        }
    }

    fn flag(&mut self, flag: &str) {
        if let Some(name) = flag.strip_prefix("-l")
            && let Some(path) = library(name, &self.folders, self.only_static)
            && contents(&path).is_ok_and(|contents| contents != Contents::Plain)
        {
            self.file(&path);
            return;
        }
        let flag = match flag.strip_prefix("-L") {
            Some(folder) => format!("-L{}", absolute(Path::new(folder)).display()),
            None => flag.to_owned(),
        };
        self.line.items.push(LinkArg::Flag(flag));
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
