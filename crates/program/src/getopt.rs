//! What `getopt` and its kin may return where the words of the command line are known.
//!
//! The words that a program is started with are fixed, or inputs. Where an input can only be an option's argument, the options that
//! `getopt_long(argc, argv, …)` finds are known before any run.
//!
//! Must hold: a call that is listed returns one of its numbers on every run with such words, and writes through none of the pointers of
//! its table, as long as the program does not write to the words of its command line.

#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::callgraph::CallGraph;
use crate::{
    Callee, Const, FuncId, GlobalId, Init, Op, Operand, Program, RelocationTarget, ValueId,
};
use words::{Passed, Scans};

/// A word of the command line behind the program's name; `None`: an input.
pub type Word = Option<Vec<u8>>;

/// Results of calls, by the function and the instruction.
pub type Results = BTreeMap<(FuncId, ValueId), BTreeSet<i32>>;

/// The functions that look for options, and whether they know long ones.
const FAMILY: &[(&str, bool)] = &[
    ("getopt", false),
    ("__posix_getopt", false),
    ("getopt_long", true),
];

/// A row of the table of long options, in bytes: name, whether it has an argument, flag, value.
const ROW: u64 = 32;
/// Longest table.
const ROWS: u64 = 1_000;

/// What calls return, as far as it is known.
#[must_use]
pub fn results(program: &Program, words: &[Word]) -> Results {
    let graph = CallGraph::new(program);
    let scans = Scans::of(program, &graph);
    let Some(passed) = Passed::of(&scans).filter(|_| begins_once(&scans)) else {
        return Results::new();
    };
    let mut found = Results::new();
    for (id, body) in program.functions.iter().filter(|(_, body)| !body.library) {
        for (value, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            let Op::Call { callee, args, .. } = &inst.op else {
                continue;
            };
            let Some(is_long) = called(program, callee) else {
                continue;
            };
            if !passed.is_whole(id, args) {
                continue;
            }
            let options = Options::read(program, args, is_long);
            if let Some(known) = options.and_then(|options| options.of(words)) {
                found.insert((id, value), known);
            }
        }
    }
    found
}

/// Does a function look for options, and for long ones?
#[must_use]
pub fn family(name: &str) -> Option<bool> {
    let mut rows = FAMILY.iter();
    rows.find(|(known, _)| *known == name)
        .map(|(_, long)| *long)
}

fn called(program: &Program, callee: &Callee) -> Option<bool> {
    match callee {
        Callee::Extern(id) => family(&program.externs[*id].name),
        _ => None,
    }
}

/// Is the number of the next word (`optind`) read, and written where no call comes behind, or set to the beginning, and nothing else?
/// Where it may be set back to the beginning, nobody has the argument of an option (`optarg`), and so nobody writes to it.
fn begins_once(scans: &Scans<'_>) -> bool {
    let program = scans.program;
    let is_global = |operand: &Operand, name: &str| match operand {
        Operand::Const(Const::Global { global, .. }) => program.globals[*global].name == name,
        _ => false,
    };
    let is_begin = |operand: &Operand| matches!(operand, Operand::Const(Const::Int { value, .. }) if *value <= 1);
    let (mut begins, mut has_argument) = (false, false);
    for (id, body) in program.functions.iter().filter(|(_, body)| !body.library) {
        for (_, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            inst.op
                .for_each_operand(|operand| has_argument |= is_global(operand, "optarg"));
            match &inst.op {
                Op::Load { .. } => {}
                Op::Store { value, address, .. } if is_global(address, "optind") => {
                    if scans.is_over(id, inst.block) {
                        continue;
                    }
                    if !is_begin(value) {
                        return false;
                    }
                    begins = true;
                }
                op => {
                    let mut has = false;
                    op.for_each_operand(|operand| has |= is_global(operand, "optind"));
                    if has {
                        return false;
                    }
                }
            }
        }
    }
    !(begins && has_argument)
}

/// A long option.
struct Long {
    name: Vec<u8>,
    /// 0: it has no argument; 1: it has one; 2: it may have one, in the same word.
    argument: u32,
    has_flag: bool,
    value: i32,
}

struct Options {
    short: Vec<u8>,
    long: Vec<Long>,
}

impl Options {
    fn read(program: &Program, args: &[Operand], is_long: bool) -> Option<Options> {
        let short = text(program, constant(args.get(2)?)?)?;
        // `-W name` is a long option.
        if short.windows(2).any(|two| two == b"W;") {
            return None;
        }
        let mut long = Vec::new();
        if is_long {
            let (table, offset) = constant(args.get(3)?)?;
            let init = whole(program, table)?;
            for row in 0..ROWS {
                let at = offset + row * ROW;
                let Some(name) = pointer(init, at) else {
                    break;
                };
                long.push(Long {
                    name: text(program, name)?,
                    argument: number(init, at + 8)?.cast_unsigned(),
                    has_flag: init.relocations.iter().any(|known| known.offset == at + 16)
                        || number(init, at + 16)? != 0,
                    value: number(init, at + 24)?,
                });
            }
        }
        Some(Options { short, long })
    }

    /// What is returned for a command line of these words; `None` if an option may be an input.
    fn of(&self, words: &[Word]) -> Option<BTreeSet<i32>> {
        const QUESTION: i32 = b'?' as i32;
        let mut found = BTreeSet::from([-1]);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let word = word.as_ref()?;
            let takes_next = match word.as_slice() {
                b"--" => return Some(found),
                [b'-', b'-', name @ ..] if !self.long.is_empty() => self.long(name, &mut found)?,
                [b'-', letters @ ..] if !letters.is_empty() => self.letters(letters, &mut found),
                _ => {
                    // In the order of the words, each that is no option is one of this number.
                    if self.short.starts_with(b"-") {
                        found.insert(1);
                    }
                    false
                }
            };
            if takes_next && rest.next().is_none() {
                found.extend([QUESTION, i32::from(b':')]);
            }
        }
        Some(found)
    }

    /// One word of letters; whether the next word is the argument of the last.
    fn letters(&self, letters: &[u8], found: &mut BTreeSet<i32>) -> bool {
        for (index, letter) in letters.iter().enumerate() {
            let known = |at: usize| self.short.get(at).copied();
            let at = self.short.iter().position(|known| known == letter);
            let Some(at) = at.filter(|_| !b":;".contains(letter)) else {
                found.insert(i32::from(b'?'));
                continue;
            };
            found.insert(i32::from(*letter));
            match (known(at + 1), known(at + 2)) {
                (Some(b':'), Some(b':')) => return false,
                (Some(b':'), _) => return index + 1 == letters.len(),
                _ => {}
            }
        }
        false
    }

    /// A word with a long option; `None` if its flag would be written.
    fn long(&self, word: &[u8], found: &mut BTreeSet<i32>) -> Option<bool> {
        let end = word.iter().position(|byte| *byte == b'=');
        let name = &word[..end.unwrap_or(word.len())];
        let exact = self.long.iter().filter(|long| long.name == name);
        let mut fitting: Vec<&Long> = exact.collect();
        if fitting.is_empty() {
            let starts = self.long.iter().filter(|long| long.name.starts_with(name));
            fitting.extend(starts);
        }
        let takes_next = |long: &&Long| long.argument == 1 && end.is_none();
        let (first, others) = match fitting.split_first() {
            Some(all) => all,
            None => {
                found.insert(i32::from(b'?'));
                return Some(false);
            }
        };
        // Which of several is meant decides what the next word is.
        if fitting.iter().any(|long| long.has_flag)
            || others
                .iter()
                .any(|other| takes_next(other) != takes_next(first))
        {
            return None;
        }
        found.insert(i32::from(b'?'));
        found.extend(fitting.iter().map(|long| long.value));
        Some(takes_next(first))
    }
}

/// A constant address in a global.
fn constant(operand: &Operand) -> Option<(GlobalId, u64)> {
    match operand {
        Operand::Const(Const::Global { global, offset }) => {
            Some((*global, u64::try_from(*offset).ok()?))
        }
        _ => None,
    }
}

/// What a constant global holds.
fn whole(program: &Program, global: GlobalId) -> Option<&Init> {
    let data = &program.globals[global];
    let init = data.init.as_ref()?;
    (data.constant && init.unknown.is_empty()).then_some(init)
}

/// The text at a constant address.
fn text(program: &Program, (global, offset): (GlobalId, u64)) -> Option<Vec<u8>> {
    let init = whole(program, global)?;
    let from = usize::try_from(offset).ok()?.min(init.bytes.len());
    // What is missing at the end is 0.
    let bytes = init.bytes[from..].iter().copied();
    Some(bytes.take_while(|byte| *byte != 0).collect())
}

fn pointer(init: &Init, offset: u64) -> Option<(GlobalId, u64)> {
    let known = init
        .relocations
        .iter()
        .find(|known| known.offset == offset)?;
    match known.to {
        RelocationTarget::Global(global) => Some((global, u64::try_from(known.addend).ok()?)),
        _ => None,
    }
}

fn number(init: &Init, offset: u64) -> Option<i32> {
    let at = usize::try_from(offset).ok()?;
    let byte = |at: usize| init.bytes.get(at).copied().unwrap_or(0);
    Some(i32::from_le_bytes(std::array::from_fn(|index| {
        byte(at + index)
    })))
}
