//! What `getopt` and its kin may return where the words of the command line are known.
//!
//! The words that a program is started with are fixed, or inputs. Where an input can only be an option's argument, the options that
//! `getopt_long(argc, argv, …)` finds are known before any run.
//!
//! Must hold: a call that is listed returns one of its numbers on every run with such words, and writes through none of the pointers of
//! its table, as long as the program does not write to the words of its command line.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::callgraph::CallGraph;
use crate::{
    BlockId, Callee, Const, FuncId, Function, GlobalId, Init, Op, Operand, Program,
    RelocationTarget, ValueId,
};

/// A word of the command line behind the program's name; `None`: an input.
pub type Word = Option<Vec<u8>>;

/// Results of calls, by the function and the instruction.
pub type Results = BTreeMap<(FuncId, ValueId), BTreeSet<i32>>;

/// The functions, and whether they know long options.
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
    let Some(passed) = Passed::of(program, &graph).filter(|_| begins_once(program, &graph)) else {
        return Results::new();
    };
    let mut found = Results::new();
    for (id, body) in program.functions.iter().filter(|(_, body)| !body.library) {
        for (value, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            let Op::Call { callee, args, .. } = &inst.op else {
                continue;
            };
            let Some(is_long) = family(program, callee) else {
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

fn family(program: &Program, callee: &Callee) -> Option<bool> {
    let Callee::Extern(id) = callee else {
        return None;
    };
    let name = &program.externs[*id].name;
    let mut rows = FAMILY.iter();
    rows.find(|(known, _)| known == name).map(|(_, long)| *long)
}

/// Is the number of the next word (`optind`) read, and written where no call comes behind, or set to the beginning, and nothing else?
fn begins_once(program: &Program, graph: &CallGraph) -> bool {
    let is_next = |operand: &Operand| match operand {
        Operand::Const(Const::Global { global, .. }) => program.globals[*global].name == "optind",
        _ => false,
    };
    let is_begin = |operand: &Operand| matches!(operand, Operand::Const(Const::Int { value, .. }) if *value <= 1);
    let scanning = scanning(program, graph);
    let bodies = program.functions.iter().filter(|(_, body)| !body.library);
    bodies.into_iter().all(|(id, body)| {
        let mut insts = body.blocks.keys().flat_map(|block| body.insts(block));
        insts.all(|(_, inst)| match &inst.op {
            Op::Load { .. } => true,
            Op::Store { value, address, .. } if is_next(address) => {
                let is_last =
                    body.name == "main" && ends(program, (graph, id), inst.block, &scanning);
                is_begin(value) || is_last
            }
            op => {
                let mut has = false;
                op.for_each_operand(|operand| has |= is_next(operand));
                !has
            }
        })
    })
}

/// Functions that may call one of the family, or something that does.
fn scanning(program: &Program, graph: &CallGraph) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (id, body) in program.functions.iter().filter(|(_, body)| !body.library) {
            let calls = body.blocks.keys().flat_map(|block| body.insts(block));
            let mut callees = calls.filter_map(|(_, inst)| match &inst.op {
                Op::Call { callee, .. } => Some(callee),
                _ => None,
            });
            let enters = |site: &crate::callgraph::CallSite| {
                let mut functions = site.functions();
                functions.any(|callee| found.contains(&callee))
            };
            if callees.any(|callee| family(program, callee).is_some())
                || graph.calls(id).iter().any(enters)
            {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Does nothing scan options from a block of `main` on?
fn ends(
    program: &Program,
    (graph, id): (&CallGraph, FuncId),
    from: BlockId,
    scanning: &BTreeSet<FuncId>,
) -> bool {
    let body = &program.functions[id];
    let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(body.blocks[block].terminator.successors());
        }
    }
    let behind = |block: BlockId| seen.contains(&block);
    let mut calls = graph.calls(id).iter().filter(|site| behind(site.block));
    !calls.any(|site| {
        let mut functions = site.functions();
        let mut externs = site.externs();
        functions.any(|callee| scanning.contains(&callee))
            || externs.any(|callee| family(program, &Callee::Extern(callee)).is_some())
    })
}

/// Parameters that are `argc` or `argv` of `main`, whoever calls.
struct Passed {
    counts: BTreeSet<(FuncId, ValueId)>,
    words: BTreeSet<(FuncId, ValueId)>,
}

impl Passed {
    /// `None`: something may write to the words, or keeps their address.
    fn of(program: &Program, graph: &CallGraph) -> Option<Passed> {
        let main = program.function_named("main")?;
        let &[count, words, ..] = program.functions[main].params.as_slice() else {
            return None;
        };
        if !graph.callers(main).is_empty() {
            return None;
        }
        let mut found = Passed {
            counts: BTreeSet::from([(main, count)]),
            words: BTreeSet::from([(main, words)]),
        };
        let mut derived = BTreeSet::new();
        let mut work = vec![(main, words)];
        while let Some((function, value)) = work.pop() {
            if derived.insert((function, value)) {
                follow(program, (function, value), &mut work)?;
            }
        }
        // A parameter that is passed whole by every caller is as good as the caller's.
        loop {
            let before = found.words.len() + found.counts.len();
            found.grow(program, graph);
            if found.words.len() + found.counts.len() == before {
                return Some(found);
            }
        }
    }

    fn grow(&mut self, program: &Program, graph: &CallGraph) {
        for (callee, body) in program.functions.iter() {
            let callers = graph.callers(callee);
            if callers.is_empty() || graph.address_taken().contains(&callee) {
                continue;
            }
            for (index, &param) in body.params.iter().enumerate() {
                let passes = |known: &BTreeSet<(FuncId, ValueId)>| {
                    callers.iter().all(|&(caller, inst)| {
                        let inst = program.functions[caller].inst(inst);
                        let Some(Op::Call {
                            callee: Callee::Direct(_),
                            args,
                            ..
                        }) = inst.map(|inst| &inst.op)
                        else {
                            return false;
                        };
                        let arg = args.get(index).and_then(Operand::value);
                        arg.is_some_and(|arg| known.contains(&(caller, arg)))
                    })
                };
                if passes(&self.words) {
                    self.words.insert((callee, param));
                }
                if passes(&self.counts) {
                    self.counts.insert((callee, param));
                }
            }
        }
    }

    /// Are the first two arguments of a call the command line as a whole?
    fn is_whole(&self, function: FuncId, args: &[Operand]) -> bool {
        let at = |index: usize| args.get(index).and_then(Operand::value);
        at(0).is_some_and(|count| self.counts.contains(&(function, count)))
            && at(1).is_some_and(|words| self.words.contains(&(function, words)))
    }
}

/// Where the address of the words goes from a value; `None`: where it may be written through, or kept.
fn follow(
    program: &Program,
    (id, value): (FuncId, ValueId),
    work: &mut Vec<(FuncId, ValueId)>,
) -> Option<()> {
    let body = &program.functions[id];
    let is_it = |operand: &Operand| operand.value() == Some(value);
    for block in body.blocks.keys() {
        for (made, inst) in body.insts(block) {
            let mut uses = false;
            inst.op.for_each_operand(|operand| uses |= is_it(operand));
            if !uses {
                continue;
            }
            match &inst.op {
                Op::Load { .. } => words_are_read(body, made)?,
                Op::ICmp { .. } => {}
                Op::Gep { .. } | Op::Phi { .. } | Op::Select { .. } | Op::Freeze { .. } => {
                    work.push((id, made));
                }
                Op::Call { callee, args, .. } => match callee {
                    Callee::Direct(callee) => {
                        let params = &program.functions[*callee].params;
                        let given = args.iter().enumerate().filter(|(_, arg)| is_it(arg));
                        for (index, _) in given {
                            work.push((*callee, *params.get(index)?));
                        }
                    }
                    _ => family(program, callee).map(|_| ())?,
                },
                _ => return None,
            }
        }
        let mut leaves = false;
        let terminator = &body.blocks[block].terminator;
        terminator.for_each_operand(|operand| leaves |= is_it(operand));
        if leaves {
            return None;
        }
    }
    Some(())
}

/// A word is not written to where it was read from the command line.
fn words_are_read(body: &Function, word: ValueId) -> Option<()> {
    let mut own = BTreeSet::from([word]);
    loop {
        let before = own.len();
        for (made, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            let is_own = |operand: &Operand| operand.value().is_some_and(|it| own.contains(&it));
            match &inst.op {
                Op::Gep { base, .. } if is_own(base) => _ = own.insert(made),
                Op::Store { address, .. } if is_own(address) => return None,
                _ => {}
            }
        }
        if own.len() == before {
            return Some(());
        }
    }
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
