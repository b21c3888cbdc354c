//! Where symbolic bytes come from: the streams of a campaign, and what they are to the program that is started.
//!
//! What must hold: the arguments, variables and files that a test lists are those that the instrumented program saw.

use std::ffi::OsString;

use crate::error::{Result, bail, ensure};
use path::{InputVector, Role, Stream};
use report::suite::{self, invocation};

use super::options::Options;

/// The streams of a campaign, and the command line that they stand in.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    argv: Vec<Piece>,
    streams: Vec<Stream>,
}

/// A part of the command line.
#[derive(Clone, Debug)]
pub enum Piece {
    Fixed(String),
    /// The stream.
    Argument(u32),
    /// The stream of the count, and those of the arguments.
    Group(u32, Vec<u32>),
}

/// Default lengths of a fuzz target's input.
const FUZZ: (u32, u32) = (0, 64);
/// Bytes of all streams together; the segment has room for twice as many.
const MOST_BYTES: u64 = 8 << 20;

impl Plan {
    /// What the user asked for; `fuzz` says that the program is a fuzz target.
    ///
    /// # Errors
    /// Marks in the arguments and flags that do not fit each other.
    pub fn new(options: &Options, fuzz: bool) -> Result<Plan> {
        let mut plan = Plan::default();
        if let Some(lengths) = options.stdin {
            plan.add(Role::Stdin, "stdin", lengths);
        }
        plan.place_arguments(options)?;
        for variable in &options.symbolic.sym_env {
            plan.add(Role::VariableSet, &variable.name, (0, 1));
            plan.add(
                Role::Variable,
                &variable.name,
                (variable.length, variable.length),
            );
        }
        for file in &options.symbolic.sym_file {
            plan.add(Role::File, &file.name, file.lengths);
        }
        match (fuzz, options.symbolic.fuzz_input) {
            (true, lengths) => {
                plan.add(Role::Fuzz, invocation::FUZZ, lengths.unwrap_or(FUZZ));
            }
            (false, Some(_)) => bail!(
                "--fuzz-input is for programs without `main` that define LLVMFuzzerTestOneInput; {} is none",
                options.name()
            ),
            (false, None) => {}
        }
        plan.check()?;
        Ok(plan)
    }

    /// The streams, in order.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    fn check(&self) -> Result<()> {
        let most = path::vars::STREAMS as usize - 1;
        let (count, bytes) = (
            self.streams.len(),
            self.streams
                .iter()
                .map(|stream| u64::from(stream.max))
                .sum::<u64>(),
        );
        ensure!(
            count < most,
            "{count} symbolic arguments, variables and files: at most {most}"
        );
        ensure!(
            bytes <= MOST_BYTES,
            "{bytes} symbolic bytes in all: at most {MOST_BYTES}"
        );
        for role in [Role::File, Role::Variable] {
            let mut names: Vec<_> = self
                .streams
                .iter()
                .filter(|stream| stream.role == role)
                .map(|stream| &stream.name)
                .collect();
            names.sort();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                bail!("`{}` is declared symbolic twice", twice[0]);
            }
        }
        Ok(())
    }

    fn add(&mut self, role: Role, name: &str, (min, max): (u32, u32)) -> u32 {
        // Stream 1 is standard input, whether there is one or not.
        let next = self.streams.last().map_or(1, |stream| stream.id) + 1;
        let id = if role == Role::Stdin { 1 } else { next };
        self.streams.push(Stream {
            id,
            role,
            name: name.into(),
            bytes: vec![0; max as usize],
            min,
            max,
            used: 0,
        });
        id
    }

    /// Puts the symbolic arguments where their marks are, or behind the others when there are no marks.
    fn place_arguments(&mut self, options: &Options) -> Result<()> {
        let symbolic = &options.symbolic;
        let (mut single, mut groups) = (symbolic.sym_arg.iter(), symbolic.sym_args.iter());
        // `argv[0]` is the program.
        let mut place = 1;
        let has = |mark: &str| options.args.iter().any(|arg| arg == mark);
        let behind = [
            (!has("@arg"), "@arg", symbolic.sym_arg.len()),
            (!has("@args"), "@args", symbolic.sym_args.len()),
        ];
        let behind = behind
            .iter()
            .filter(|(missing, ..)| *missing)
            .flat_map(|(_, mark, count)| std::iter::repeat_n((*mark).to_owned(), *count));
        for arg in options.args.iter().cloned().chain(behind) {
            let piece = match arg.as_str() {
                "@arg" => {
                    let Some(&length) = single.next() else {
                        bail!("there are more `@arg` than `--sym-arg N`: each needs its length");
                    };
                    Piece::Argument(self.add(Role::Argument(place), "", (length, length)))
                }
                "@args" => {
                    let Some(group) = groups.next() else {
                        bail!(
                            "there are more `@args` than `--sym-args MIN..MAX:N`: each needs its lengths"
                        );
                    };
                    let count = self.add(Role::Arguments(place), "", (group.min, group.max));
                    let lengths = (group.length, group.length);
                    let members = (0..group.max)
                        .map(|index| self.add(Role::Argument(place + index), "", lengths))
                        .collect();
                    place += group.max - 1;
                    Piece::Group(count, members)
                }
                _ => Piece::Fixed(file_name(&arg, options)?.unwrap_or(arg)),
            };
            place += 1;
            self.argv.push(piece);
        }
        ensure!(
            single.next().is_none(),
            "there are more `--sym-arg N` than `@arg`: each needs its place"
        );
        ensure!(
            groups.next().is_none(),
            "there are more `--sym-args MIN..MAX:N` than `@args`: each needs its place"
        );
        Ok(())
    }

    /// Whether some stream has such a role.
    pub fn has(&self, wanted: impl Fn(Role) -> bool) -> bool {
        self.streams.iter().any(|stream| wanted(stream.role))
    }

    /// Whether some argument is symbolic: then each test lists all of them.
    pub fn has_arguments(&self) -> bool {
        self.argv
            .iter()
            .any(|piece| !matches!(piece, Piece::Fixed(_)))
    }

    /// What the instrumented program is started with: empty arguments stand where symbolic ones are.
    pub fn arguments(&self) -> Vec<OsString> {
        let count = |piece: &Piece| match piece {
            Piece::Fixed(text) => vec![OsString::from(text)],
            Piece::Argument(_) => vec![OsString::new()],
            Piece::Group(_, members) => vec![OsString::new(); members.len()],
        };
        self.argv.iter().flat_map(count).collect()
    }

    /// The arguments that every test has, where none is symbolic.
    pub fn common_arguments(&self) -> Vec<String> {
        if self.has_arguments() {
            return Vec::new();
        }
        let fixed = |piece: &Piece| match piece {
            Piece::Fixed(text) => Some(text.clone()),
            _ => None,
        };
        self.argv.iter().filter_map(fixed).collect()
    }

    /// The words of the command line behind the program's name; `None` if their number is an input.
    pub fn words(&self) -> Option<Vec<program::getopt::Word>> {
        let word = |piece: &Piece| match piece {
            Piece::Fixed(text) => Some(Some(text.clone().into_bytes())),
            Piece::Argument(_) => Some(None),
            Piece::Group(..) => None,
        };
        self.argv.iter().map(word).collect()
    }

    /// The parts of the command line, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.argv
    }

    /// Shortest and longest length of a stream.
    pub fn lengths(&self, id: u32) -> (u32, u32) {
        let stream = self.streams.iter().find(|stream| stream.id == id);
        stream.map_or((0, 0), |stream| (stream.min, stream.max))
    }

    /// The names of the streams with this role.
    pub fn names(&self, role: Role) -> Vec<String> {
        let named = self.streams.iter().filter(|stream| stream.role == role);
        named.map(|stream| stream.name.to_string()).collect()
    }

    /// The first input: all zero, at the greatest length.
    pub fn initial(&self) -> InputVector {
        InputVector {
            values: Vec::new(),
            streams: self.streams.clone(),
        }
    }

    /// The streams of a test, and the variables that it has not set.
    pub fn test(&self, input: &InputVector) -> (Vec<suite::Stream>, Vec<String>) {
        let find = |id: u32| input.streams.iter().find(|stream| stream.id == id);
        let named = |name: String, bytes: Vec<u8>| suite::Stream { name, bytes };
        let mut streams = Vec::new();
        if self.has_arguments() {
            let text = |id: u32| find(id).map(|stream| string(&stream.bytes));
            let values = self.argv.iter().flat_map(|piece| match piece {
                Piece::Fixed(text) => vec![text.clone().into_bytes()],
                Piece::Argument(id) => text(*id).into_iter().collect(),
                Piece::Group(count, members) => {
                    let present = find(*count).map_or(0, |stream| stream.bytes.len());
                    members
                        .iter()
                        .take(present)
                        .filter_map(|id| text(*id))
                        .collect()
                }
            });
            let numbered = (1..).zip(values);
            streams.extend(
                numbered.map(|(at, bytes)| named(format!("{}{at}", invocation::ARGUMENT), bytes)),
            );
        }
        let mut unset = Vec::new();
        for stream in &input.streams {
            match stream.role {
                Role::Argument(_) | Role::Arguments(_) | Role::VariableSet => {}
                Role::Variable => {
                    let name = format!("{}{}", invocation::VARIABLE, stream.name);
                    let is_set = |other: &Stream| {
                        other.role == Role::VariableSet && other.name == stream.name
                    };
                    let set = input.streams.iter().find(|other| is_set(other));
                    if set.is_some_and(|set| set.bytes.is_empty()) {
                        unset.push(name);
                    } else {
                        streams.push(named(name, string(&stream.bytes)));
                    }
                }
                Role::File => streams.push(named(
                    format!("{}{}", invocation::FILE, stream.name),
                    stream.bytes.clone(),
                )),
                Role::Stdin | Role::Fuzz => {
                    streams.push(named(stream.name.to_string(), stream.bytes.clone()));
                }
            }
        }
        (streams, unset)
    }
}

/// The bytes of a C string.
fn string(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.iter().position(|byte| *byte == 0);
    bytes[..end.unwrap_or(bytes.len())].to_vec()
}

/// The name that `@file`, `@file:NAME` or `@@` stands for; `None` when the argument is none of these.
fn file_name(arg: &str, options: &Options) -> Result<Option<String>> {
    let files = &options.symbolic.sym_file;
    let Some(name) = arg.strip_prefix("@file:") else {
        // As AFL has it, `@@` may be a part of an argument.
        let mark = if arg == "@file" { arg } else { "@@" };
        if !arg.contains(mark) {
            return Ok(None);
        }
        let Some(first) = files.first() else {
            bail!("`{mark}` stands for a symbolic file: declare one with `--sym-file input:64`");
        };
        return Ok(Some(arg.replace(mark, &first.name)));
    };
    if !files.iter().any(|file| file.name == name) {
        bail!("`{arg}`: there is no `--sym-file {name}:LENGTH`");
    }
    Ok(Some(name.to_owned()))
}
