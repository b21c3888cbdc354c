//! The command line of `bothways cc`, read as clang would read it.
//!
//! What must hold: an argument that is not understood reaches clang unchanged and in its place, so that a flag
//! we have never heard of still works; only what decides between compiling and linking, what names inputs and
//! outputs, and what contradicts the instrumentation is interpreted.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result, bail};

use super::words::expand_response_files;

/// What the command line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing for us to do: preprocess, check syntax, print something. clang does it alone.
    PassThrough,
    /// `-S`: assembly of the instrumented code.
    Assemble,
    /// `-c`.
    Compile,
    /// Compile what is source, then link.
    Link,
}

/// One input file, with the language that `-x` gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As it was written.
    pub path: PathBuf,
    /// Language by `-x`, if one was in force.
    pub language: Option<String>,
}

/// What is done with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// C or C++: instrumented.
    Source,
    /// A header to be precompiled.
    Header,
    /// Assembly, bitcode, other languages: clang alone makes an object of it.
    Foreign,
    /// The linker's.
    Linked,
}

impl Input {
    /// A file whose name alone says what it is.
    pub fn named(path: &Path) -> Input {
        Input {
            path: path.to_owned(),
            language: None,
        }
    }

    /// What is done with it.
    pub fn kind(&self) -> Kind {
        match self.language.as_deref() {
            Some("c" | "c++" | "cpp-output" | "c++-cpp-output" | "c-cpp-output") => Kind::Source,
            Some("c-header" | "c++-header") => Kind::Header,
            Some(_) => Kind::Foreign,
            None => match extension(&self.path) {
                "c" | "i" | "cc" | "CC" | "cp" | "cpp" | "CPP" | "cxx" | "CXX" | "c++" | "C++"
                | "C" | "ii" => Kind::Source,
                "h" | "H" | "hh" | "hp" | "hpp" | "hxx" => Kind::Header,
                "s" | "S" | "sx" | "asm" | "bc" | "ll" | "m" | "mi" | "mm" | "mii" | "M" | "cu"
                | "f" | "F" | "f90" | "F90" => Kind::Foreign,
                _ => Kind::Linked,
            },
        }
    }

    /// Whether clang would compile it with its C or C++ front end.
    pub fn is_source(&self) -> bool {
        self.kind() == Kind::Source
    }

    /// Whether it comes from standard input.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|text| text.to_str())
        .unwrap_or("")
}

/// A command line, taken apart.
#[derive(Clone, Debug)]
pub struct Command {
    /// What to do.
    pub mode: Mode,
    /// Inputs of which objects are made.
    pub sources: Vec<Input>,
    /// Flags for the front end, without inputs and output.
    pub compile_flags: Vec<String>,
    /// Everything the linker driver gets, in order, sources in their places as [`LinkItem::Source`].
    pub link_items: Vec<LinkItem>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `-shared`.
    pub shared: bool,
    /// `-r`: a relocatable object; the runtime must not go in.
    pub relocatable: bool,
    /// The user chose a linker.
    pub has_linker: bool,
    /// `-MD`, `-MMD`: a dependency file is written.
    pub names_dependencies: bool,
    /// `-MF`: under this name.
    pub has_dependency_file: bool,
    /// `-MT` or `-MQ` was given.
    pub names_target: bool,
    /// Relocation model asked for.
    pub pic: Option<Relocation>,
    /// Optimisation level of the instrumented code, by `-fbothways-opt=N`.
    pub opt_level: Option<u8>,
    /// Only what this function may reach is compiled, by `-fbothways-root=NAME`: the program has one unit, and this is its `main`.
    pub root: Option<String>,
    /// Calls of C library functions can be made to fail, by `-fbothways-sym-fail`.
    pub failing: bool,
    /// Variables that begin without a value are marked in the model: for the machine, which then tells what they decide.
    pub unset: bool,
    /// Overflow of signed arithmetic is told from what wraps.
    pub signed: bool,
    /// `-nostdlib`, `-nodefaultlibs`.
    pub freestanding: bool,
    /// The user's `-O1` or more: the code is preprocessed as for inlining, though the front end does none.
    pub optimizes: bool,
    /// `-ffunction-sections`.
    pub function_sections: bool,
    /// `-g` and the like: debug information goes to the output.
    pub debug: bool,
    /// clang preprocesses or checks alone (`-E`, `-M`, `-fsyntax-only`), but finds our headers.
    pub preprocesses: bool,
    /// Sanitizers that were left out.
    pub dropped_sanitizers: Vec<String>,
    /// It stands in for another compiler: what clang refuses for a warning's sake alone is compiled.
    pub lenient: bool,
}

/// Relocation model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relocation {
    /// `-fno-pic`, `-fno-pie`.
    None,
    /// `-fPIC`.
    Pic,
    /// `-fPIE`.
    Pie,
}

/// One element of the link line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkItem {
    /// Index into [`Command::sources`]: its object stands here.
    Source(usize),
    /// An object, archive, shared library or linker script.
    File(PathBuf),
    /// Any other flag.
    Flag(String),
}

/// Options whose value is the next argument; for compilation.
const COMPILE_WITH_VALUE: &[&str] = &[
    "-A",
    "-D",
    "-U",
    "-I",
    "-F",
    "-include",
    "-include-pch",
    "-imacros",
    "-isystem",
    "-isystem-after",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-iframework",
    "-isysroot",
    "-ivfsoverlay",
    "-MF",
    "-MJ",
    "-MT",
    "-MQ",
    "-Xclang",
    "-Xanalyzer",
    "-Xpreprocessor",
    "-Xassembler",
    "-mllvm",
    "-arch",
    "-dumpdir",
    "-ftrapv-handler",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "--define-macro",
    "--undefine-macro",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--assert",
];

/// Options whose value is the next argument; for linking.
const LINK_WITH_VALUE: &[&str] = &[
    "-L",
    "-l",
    "-u",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-z",
    "-Xlinker",
    "-e",
    "-rpath",
    "--library-directory",
    "--for-linker",
    "--undefined",
];

/// Options with a value that both stages need.
const BOTH_WITH_VALUE: &[&str] = &[
    "-target",
    "--sysroot",
    "-gcc-toolchain",
    "-resource-dir",
    "-working-directory",
    "--config",
    "-B",
    "--prefix",
    "-specs",
    "--specs",
    "--param",
];

/// Sanitizers that cannot be in an instrumented program: they have shadow memory, an allocator or a `main` of their own,
/// or need link-time optimisation. What the front end writes out as checks (`undefined`, `integer`, …) can.
const SANITIZERS_LEFT_OUT: &[&str] = &[
    "address",
    "pointer-compare",
    "pointer-subtract",
    "kernel-address",
    "hwaddress",
    "kernel-hwaddress",
    "memory",
    "kernel-memory",
    "thread",
    "leak",
    "dataflow",
    "fuzzer",
    "fuzzer-no-link",
    "cfi",
    "safe-stack",
    "scudo",
    "memtag",
    "realtime",
    "type",
    "numerical",
];

impl Command {
    /// What the user should know before it is executed: sanitizers that are left out.
    pub fn note(&self) -> Option<String> {
        // A fuzz target gets a `main` of ours; the fuzzer's own instrumentation has ours in its place.
        let dropped = self.dropped_sanitizers.iter().map(String::as_str);
        let dropped: Vec<&str> = dropped.filter(|name| !name.starts_with("fuzzer")).collect();
        (!dropped.is_empty()).then(|| {
            format!(
                "bothways: note: -fsanitize={} is left out: it cannot be in one program with the instrumentation",
                dropped.join(",")
            )
        })
    }

    /// Reads a command line (without the program name).
    ///
    /// # Errors
    /// An `@file` that cannot be read, or an option at the end whose value is missing.
    pub fn parse(args: &[String]) -> Result<Command> {
        let args = expand_response_files(args, 0)?;
        let mut command = Command {
            mode: Mode::Link,
            sources: Vec::new(),
            compile_flags: Vec::new(),
            link_items: Vec::new(),
            output: None,
            shared: false,
            relocatable: false,
            has_linker: false,
            names_dependencies: false,
            has_dependency_file: false,
            names_target: false,
            pic: None,
            opt_level: None,
            root: None,
            failing: false,
            unset: false,
            signed: false,
            freestanding: false,
            optimizes: false,
            function_sections: false,
            debug: false,
            preprocesses: false,
            dropped_sanitizers: Vec::new(),
            lenient: false,
        };
        let mut scan = Scan {
            command: &mut command,
            language: None,
            pass_through: false,
        };
        let mut rest = args.into_iter();
        while let Some(arg) = rest.next() {
            scan.argument(arg, &mut rest)?;
        }
        let pass_through = scan.pass_through;
        if pass_through || command.is_clangs() {
            command.mode = Mode::PassThrough;
        }
        Ok(command)
    }

    /// Whether there is nothing to do, or something that clang refuses.
    fn is_clangs(&self) -> bool {
        let headers = |input: &&Input| input.kind() == Kind::Header;
        let nameless = |input: &Input| input.is_stdin() && input.language.is_none();
        if self.sources.is_empty() {
            let links = self
                .link_items
                .iter()
                .any(|item| matches!(item, LinkItem::File(_)));
            return self.mode != Mode::Link || !links;
        }
        self.sources.iter().any(nameless)
            || (self.output.is_some() && self.mode != Mode::Link && self.sources.len() > 1)
            || (self.sources.iter().filter(headers).count() > 0
                && (self.output.is_some() && self.sources.len() > 1))
    }

    /// Is the code for 32 bits?
    pub fn is_narrow(&self) -> bool {
        self.compile_flags.iter().any(|flag| flag == super::NARROW)
    }

    /// Whether all inputs are headers to be precompiled.
    pub fn precompiles(&self) -> bool {
        let only_headers = |input: &Input| input.kind() == Kind::Header;
        !self.sources.is_empty() && self.sources.iter().all(only_headers)
    }
}

struct Scan<'a> {
    command: &'a mut Command,
    language: Option<String>,
    pass_through: bool,
}

impl Scan<'_> {
    fn argument(&mut self, arg: String, rest: &mut impl Iterator<Item = String>) -> Result<()> {
        let mut value = |name: &str| {
            rest.next()
                .ok_or_else(|| Error::MissingValue(name.to_owned()))
        };
        if let Some(list) = value_list(&arg) {
            let operand = value(&arg)?;
            if arg == "-MF" {
                self.command.has_dependency_file = true;
            }
            if matches!(arg.as_str(), "-MT" | "-MQ") {
                self.command.names_target = true;
            }
            self.push(list, [arg, operand]);
            return Ok(());
        }
        match arg.as_str() {
            "-o" => self.command.output = Some(value("-o")?.into()),
            "-x" => {
                let language = value("-x")?;
                self.language = (language != "none").then_some(language);
            }
            "-c" => self.command.mode = self.command.mode.max_with(Mode::Compile),
            "-S" => self.command.mode = self.command.mode.max_with(Mode::Assemble),
            "-E"
            | "-M"
            | "-MM"
            | "-fsyntax-only"
            | "--preprocess"
            | "--dependencies"
            | "--user-dependencies" => {
                self.pass_through = true;
                self.command.preprocesses = true;
            }
            "-###" | "--version" | "--help" | "-help" | "-emit-ast" | "--analyze"
            | "-emit-llvm" | "-dumpversion" | "-dumpmachine" | "-cc1" | "-cc1as" => {
                self.pass_through = true;
            }
            "-" => self.input(arg),
            "-MD" | "-MMD" => {
                self.command.names_dependencies = true;
                self.push(List::Compile, [arg]);
            }
            "-MP" | "-MG" | "-MV" => self.push(List::Compile, [arg]),
            "-ffunction-sections" | "-fno-function-sections" => {
                self.command.function_sections = arg == "-ffunction-sections";
                self.push(List::Compile, [arg]);
            }
            "-shared" | "--shared" => {
                self.command.shared = true;
                self.push(List::Link, [arg]);
            }
            "-r" | "--relocatable" => {
                self.command.relocatable = true;
                self.push(List::Link, [arg]);
            }
            "-nostdlib" | "--no-standard-libraries" | "-nodefaultlibs" => {
                self.command.freestanding = true;
                self.push(List::Link, [arg]);
            }
            "-static" | "-static-pie" | "-pie" | "-no-pie" | "-nopie" | "-rdynamic" | "-s"
            | "-nostartfiles" => {
                self.push(List::Link, [arg]);
            }
            "-fPIC" | "-fpic" => self.pic(Relocation::Pic, arg),
            "-fPIE" | "-fpie" => self.pic(Relocation::Pie, arg),
            "-fno-pic" | "-fno-PIC" | "-fno-pie" | "-fno-PIE" => self.pic(Relocation::None, arg),
            _ => self.joined(arg)?,
        }
        Ok(())
    }

    fn joined(&mut self, arg: String) -> Result<()> {
        if !arg.starts_with('-') {
            self.input(arg);
            return Ok(());
        }
        if let Some(path) = arg
            .strip_prefix("-o")
            .filter(|text| !text.is_empty() && !arg.starts_with("-objc"))
        {
            self.command.output = Some(path.into());
        } else if let Some(language) = arg.strip_prefix("-x") {
            self.language = (language != "none").then(|| language.to_owned());
        } else if let Some(level) = arg.strip_prefix("-fbothways-opt=") {
            self.command.opt_level = Some(parse_level(level)?);
        } else if let Some(root) = arg.strip_prefix("-fbothways-root=") {
            self.command.root = Some(root.to_owned());
        } else if arg == "-fbothways-sym-fail" {
            self.command.failing = true;
        } else if let Some(list) = arg.strip_prefix("-fsanitize=") {
            self.sanitize(list);
        } else if let Some(level) = optimization(&arg) {
            self.command.optimizes = level != "0";
        } else if contradicts(&arg) {
            // The front end runs without optimisation and with our own coverage flags.
        } else if arg.starts_with("-print-") || arg.starts_with("--print-") {
            self.pass_through = true;
        } else if ["-Wl,", "-l", "-L", "-fuse-ld", "--ld-path"]
            .iter()
            .any(|start| arg.starts_with(start))
        {
            self.command.has_linker |= arg.starts_with("-fuse-ld") || arg.starts_with("--ld-path");
            self.push(List::Link, [arg]);
        } else if [
            "-I", "-D", "-U", "-W", "-std", "-g", "-MF", "-MT", "-MQ", "-Wp,",
        ]
        .iter()
        .any(|start| arg.starts_with(start))
        {
            if arg.starts_with("-Wp,-MD") || arg.starts_with("-Wp,-MMD") {
                // clang takes a file from here only if nothing else follows.
                self.command.has_dependency_file |= arg.matches(',').count() == 2;
                self.command.names_dependencies = true;
            }
            self.command.has_dependency_file |= arg.starts_with("-MF");
            self.command.debug = asks_for_debug(&arg).unwrap_or(self.command.debug);
            self.command.names_target |= arg.starts_with("-MT") || arg.starts_with("-MQ");
            self.push(List::Compile, [arg]);
        } else {
            self.push(List::Both, [arg]);
        }
        Ok(())
    }

    fn input(&mut self, arg: String) {
        let input = Input {
            path: arg.into(),
            language: self.language.clone(),
        };
        if input.kind() != Kind::Linked || input.is_stdin() {
            self.command
                .link_items
                .push(LinkItem::Source(self.command.sources.len()));
            self.command.sources.push(input);
        } else {
            self.command.link_items.push(LinkItem::File(input.path));
        }
    }

    /// Keeps the sanitizers that can be in an instrumented program.
    fn sanitize(&mut self, list: &str) {
        let (kept, dropped): (Vec<&str>, Vec<&str>) = list
            .split(',')
            .partition(|name| !SANITIZERS_LEFT_OUT.contains(name));
        let dropped = dropped.into_iter().map(str::to_owned);
        self.command.dropped_sanitizers.extend(dropped);
        if !kept.is_empty() {
            self.push(List::Both, [format!("-fsanitize={}", kept.join(","))]);
        }
    }

    fn pic(&mut self, pic: Relocation, arg: String) {
        self.command.pic = Some(pic);
        self.push(List::Compile, [arg]);
    }

    fn push<const N: usize>(&mut self, list: List, args: [String; N]) {
        for arg in args {
            if list != List::Link {
                self.command.compile_flags.push(arg.clone());
            }
            if list != List::Compile {
                self.command.link_items.push(LinkItem::Flag(arg));
            }
        }
    }
}

impl Mode {
    /// `-S` wins over `-c`, and both over linking, in whatever order they stand.
    fn max_with(self, other: Mode) -> Mode {
        if self == Mode::Assemble { self } else { other }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Compile,
    Link,
    Both,
}

/// Whether the value of an option is the next argument.
pub fn takes_value(arg: &str) -> bool {
    value_list(arg).is_some()
}

fn value_list(arg: &str) -> Option<List> {
    if COMPILE_WITH_VALUE.contains(&arg) {
        Some(List::Compile)
    } else if LINK_WITH_VALUE.contains(&arg) {
        Some(List::Link)
    } else if BOTH_WITH_VALUE.contains(&arg) {
        Some(List::Both)
    } else {
        None
    }
}

/// Flags that would undo what the instrumentation needs: link-time optimisation, other coverage.
fn contradicts(arg: &str) -> bool {
    const STARTS: &[&str] = &[
        "-flto",
        "-fno-lto",
        "-fprofile-",
        "-fcoverage-",
        "-fwhole-program",
        "-fuse-linker-plugin",
    ];
    const WHOLE: &[&str] = &[
        "--coverage",
        "-coverage",
        "-ftest-coverage",
        "-fno-coverage-mapping",
    ];
    WHOLE.contains(&arg) || STARTS.iter().any(|start| arg.starts_with(start))
}

/// The level that `-O` asks for.
fn optimization(arg: &str) -> Option<&str> {
    const LEVELS: &[&str] = &["", "0", "1", "2", "3", "4", "s", "z", "g", "fast"];
    arg.strip_prefix("-O")
        .filter(|level| LEVELS.contains(level))
}

/// Whether `-g…` asks for debug information; `None` where it only says how.
fn asks_for_debug(arg: &str) -> Option<bool> {
    const LEVELS: &[&str] = &[
        "",
        "1",
        "2",
        "3",
        "line-tables-only",
        "line-directives-only",
        "mlt",
        "full",
    ];
    match arg.strip_prefix("-g")? {
        "0" | "gdb0" => Some(false),
        how if LEVELS.contains(&how) || how.starts_with("gdb") || how.starts_with("dwarf") => {
            Some(true)
        }
        _ => None,
    }
}

/// Reads an optimisation level, 0 to 3.
///
/// # Errors
/// Anything else, named.
pub fn parse_level(text: &str) -> Result<u8> {
    match text.parse() {
        Ok(level @ 0..=3) => Ok(level),
        _ => bail!("optimisation level '{text}' of the instrumented code: must be 0, 1, 2 or 3"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::split_words;
    use super::*;

    fn parse(line: &str) -> Command {
        Command::parse(&split_words(line)).expect("parses")
    }

    #[test]
    fn modes() {
        for (line, mode) in [
            ("a.c", Mode::Link),
            ("-c a.c", Mode::Compile),
            ("-c -S a.c", Mode::Assemble),
            ("-S -c a.c", Mode::Assemble),
            ("-E a.c", Mode::PassThrough),
            ("--version", Mode::PassThrough),
            ("-v", Mode::PassThrough),
            ("-print-search-dirs", Mode::PassThrough),
            ("a.o -o a", Mode::Link),
        ] {
            assert_eq!(parse(line).mode, mode, "{line}");
        }
    }

    #[test]
    fn optimisation_and_other_coverage_are_ours() {
        let command = parse("-O2 -flto=auto --coverage -g -DX=1 -c a.c");
        assert_eq!(command.compile_flags, ["-g", "-DX=1"]);
    }

    #[test]
    fn debug_information_is_kept_where_it_is_asked_for() {
        for (line, debug) in [
            ("-c a.c", false),
            ("-g -O2 -c a.c", true),
            ("-ggdb3 -c a.c", true),
            ("-gdwarf-4 -c a.c", true),
            ("-g -g0 -c a.c", false),
            ("-g1 -gz -c a.c", true),
            ("-gcolumn-info -c a.c", false),
        ] {
            assert_eq!(parse(line).debug, debug, "{line}");
        }
    }

    #[test]
    fn link_order_is_kept() {
        let command = parse("a.c b.o -lm -L /x -Wl,-rpath,/y c.c libz.a -o prog");
        let file = |name: &str| LinkItem::File(name.into());
        let flag = |name: &str| LinkItem::Flag(name.into());
        assert_eq!(
            command.link_items,
            [
                LinkItem::Source(0),
                file("b.o"),
                flag("-lm"),
                flag("-L"),
                flag("/x"),
                flag("-Wl,-rpath,/y"),
                LinkItem::Source(1),
                file("libz.a")
            ]
        );
        assert_eq!(command.output, Some("prog".into()));
    }

    #[test]
    fn language_by_x() {
        let command = parse("-x c foo.txt -x none b.o -c");
        assert_eq!(command.sources.len(), 1);
        assert!(command.sources[0].is_source());
        assert_eq!(command.link_items[1], LinkItem::File("b.o".into()));
    }

    #[test]
    fn sanitizers_with_memory_of_their_own_are_left_out() {
        let command = parse("-fsanitize=address,undefined -fsanitize=thread -c a.c");
        assert_eq!(command.compile_flags, ["-fsanitize=undefined"]);
        assert_eq!(command.dropped_sanitizers, ["address", "thread"]);
    }

    #[test]
    fn what_clang_refuses_is_left_to_clang() {
        for line in ["-c a.c b.c -o x.o", "-c -", "a.h b.h -o x", "-c a.o"] {
            assert_eq!(parse(line).mode, Mode::PassThrough, "{line}");
        }
    }

    #[test]
    fn a_missing_value_is_named() {
        let error = Command::parse(&["a.c".into(), "-o".into()]).expect_err("no value");
        assert_eq!(error.to_string(), "argument to '-o' is missing");
    }
}
