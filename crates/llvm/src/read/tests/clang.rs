//! Compiles, runs, and reads what the judge says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use program::{Program, SourceRange};
use serde_json::Value;

use crate::read::{Meta, Reader};

/// Flags of the front end, as `bothways cc` gives them.
const FRONT_END: &[&str] = &[
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-w",
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-mllvm",
    "-enable-name-compression=false",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-emit-llvm",
    "-c",
];

static BUILDS: AtomicU32 = AtomicU32::new(0);

/// A snippet, compiled and read.
pub struct Build {
    pub name: String,
    pub program: Program,
    /// Runs of it end in `exit`, `abort` or `longjmp` somewhere in the middle.
    pub leaves: bool,
    arguments: Vec<Vec<String>>,
    folder: PathBuf,
}

/// One run of it.
pub struct Run {
    pub arguments: Vec<String>,
    /// Profile counters by function name.
    pub counters: BTreeMap<String, Vec<u64>>,
    pub edges: Vec<u64>,
    pub entries: Vec<u64>,
    pub export: Export,
}

/// What `llvm-cov export` says.
pub struct Export {
    pub functions: Vec<ExportedFunction>,
    /// Branch outcomes: all, covered.
    pub totals: (usize, usize),
}

pub struct ExportedFunction {
    pub name: String,
    pub files: Vec<String>,
    pub branches: Vec<Branch>,
}

/// A condition: counts true, false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub range: SourceRange,
    pub file: u32,
    pub counts: [u64; 2],
}

/// The folder with the snippets.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets")
}

/// Path of a snippet.
pub fn snippet(name: &str) -> PathBuf {
    folder().join(name)
}

/// All snippets, in the order of their names.
pub fn snippets() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut list: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    list.sort();
    list
}

/// Runs a command to its end; its standard output.
fn run(command: &mut Command) -> Vec<u8> {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Prepared bitcode of a C file.
pub fn prepared(source: &Path, flags: &[&str], to: &Path) -> crate::prepare::Prepared {
    run(Command::new("clang-19")
        .args(FRONT_END)
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(to));
    crate::prepare::prepare(&std::fs::read(to).unwrap(), &source.to_string_lossy()).unwrap()
}

impl Build {
    /// Compiles a snippet with additional flags.
    pub fn new(source: &Path, flags: &[&str]) -> Build {
        let name = source.file_name().unwrap().to_string_lossy().into_owned();
        let number = BUILDS.fetch_add(1, Ordering::Relaxed);
        let unique = format!("bothways-read-{}-{number}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).unwrap();
        let prepared = prepared(source, flags, &folder.join("front.bc"));
        let mut reader = Reader::new();
        reader
            .add_module(
                &prepared.bitcode,
                prepared.uid,
                Meta {
                    name: name.clone(),
                    library: false,
                },
            )
            .unwrap();
        let program = reader.finish().unwrap();
        let counted = folder.join("edges.bc");
        std::fs::write(&counted, super::edges::count_edges(&prepared.bitcode)).unwrap();
        let runtime = folder.join("runtime.c");
        let text = super::edges::runtime(program.edges.len(), program.functions.len());
        std::fs::write(&runtime, text).unwrap();
        let object = folder.join("edges.o");
        let judge = [
            "-O0",
            "-g",
            "-fprofile-instr-generate",
            "-w",
            "-c",
            "-x",
            "ir",
        ];
        run(Command::new("clang-19")
            .args(judge)
            .arg(&counted)
            .arg("-o")
            .arg(&object));
        let link = ["-fprofile-instr-generate", "-lm"];
        let exe = folder.join("exe");
        let mut compile = Command::new("clang-19");
        run(compile
            .args(["-O1", "-c"])
            .arg(&runtime)
            .arg("-o")
            .arg(folder.join("runtime.o")));
        run(Command::new("clang-19")
            .arg(&object)
            .arg(folder.join("runtime.o"))
            .args(link)
            .arg("-o")
            .arg(&exe));
        let text = std::fs::read_to_string(source).unwrap();
        let arguments = text.lines().filter_map(|line| line.strip_prefix("// run:"));
        let arguments = arguments
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        let leaves = text.lines().any(|line| line == "// leaves");
        Build {
            name,
            program,
            leaves,
            arguments,
            folder,
        }
    }

    /// Runs it on each list of arguments.
    pub fn runs(&self) -> Vec<Run> {
        self.arguments
            .iter()
            .map(|arguments| self.run(arguments))
            .collect()
    }

    fn run(&self, arguments: &[String]) -> Run {
        let file = |name: &str| self.folder.join(name);
        let (raw, merged) = (file("run.profraw"), file("run.profdata"));
        let mut command = Command::new(file("exe"));
        command
            .args(arguments)
            .env("LLVM_PROFILE_FILE", &raw)
            .env("EDGES", file("run.edges"));
        command.output().unwrap();
        run(Command::new("llvm-profdata-19")
            .arg("merge")
            .arg(&raw)
            .arg("-o")
            .arg(&merged));
        let text = run(Command::new("llvm-profdata-19")
            .args(["merge", "-text"])
            .arg(&raw)
            .args(["-o", "-"]));
        let export = run(Command::new("llvm-cov-19")
            .arg("export")
            .arg(file("exe"))
            .arg("-instr-profile")
            .arg(&merged));
        let edges = std::fs::read_to_string(file("run.edges")).unwrap();
        let mut lines = edges.lines().map(|line| {
            line.split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect()
        });
        Run {
            arguments: arguments.to_vec(),
            counters: counters(&String::from_utf8(text).unwrap()),
            edges: lines.next().unwrap_or_default(),
            entries: lines.next().unwrap_or_default(),
            export: parse_export(&export),
        }
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Reads a profile in text form.
fn counters(text: &str) -> BTreeMap<String, Vec<u64>> {
    let mut functions = BTreeMap::new();
    let mut lines = text.lines().filter(|line| {
        !line.starts_with(['#', ':', '$']) && !line.starts_with("0x") && !line.is_empty()
    });
    while let Some(name) = lines.next() {
        let _hash = lines.next();
        let count: usize = lines.next().unwrap().parse().unwrap();
        let list = lines
            .by_ref()
            .take(count)
            .map(|line| line.parse().unwrap())
            .collect();
        functions.insert(name.to_owned(), list);
    }
    functions
}

fn parse_export(json: &[u8]) -> Export {
    let json: Value = serde_json::from_slice(json).unwrap();
    let data = &json["data"][0];
    let totals = &data["totals"]["branches"];
    let number = |value: &Value| value.as_u64().unwrap();
    let functions = data["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| {
            let branches = function["branches"]
                .as_array()
                .unwrap()
                .iter()
                .map(|branch| {
                    let at = |index: usize| number(&branch[index]);
                    let small = |index: usize| u32::try_from(at(index)).unwrap();
                    let range = SourceRange {
                        line: small(0),
                        col: small(1),
                        end_line: small(2),
                        end_col: small(3),
                    };
                    Branch {
                        range,
                        file: small(6),
                        counts: [at(4), at(5)],
                    }
                });
            let files = function["filenames"].as_array().unwrap().iter();
            ExportedFunction {
                name: function["name"].as_str().unwrap().to_owned(),
                files: files
                    .map(|file| file.as_str().unwrap().to_owned())
                    .collect(),
                branches: branches.collect(),
            }
        });
    let totals = (
        number(&totals["count"]) as usize,
        number(&totals["covered"]) as usize,
    );
    Export {
        functions: functions.collect(),
        totals,
    }
}
