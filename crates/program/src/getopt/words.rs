//! Who has the words of the command line, and what becomes of them before the last option is found.
//!
//! Must hold: what is not listed here as harmless may write to the words.

use std::collections::BTreeSet;

use super::family;
use crate::callgraph::{CallGraph, CallSite};
use crate::outside::{self, Effect, Outside};
use crate::{BlockId, Callee, Const, FuncId, Function, Op, Operand, Program, Type, ValueId};

/// Functions that give back the translation of a format, with the same conversions.
const TRANSLATES: &[&str] = &["gettext", "dgettext", "dcgettext", "ngettext", "dngettext"];

/// Where options are looked for.
pub(super) struct Scans<'a> {
    pub program: &'a Program,
    pub graph: &'a CallGraph,
    outside: Outside,
    /// Functions that may call one of the family, or something that does.
    functions: BTreeSet<FuncId>,
}

impl<'a> Scans<'a> {
    pub fn of(program: &'a Program, graph: &'a CallGraph) -> Scans<'a> {
        let mut scans = Scans {
            program,
            graph,
            outside: Outside::of(program),
            functions: BTreeSet::new(),
        };
        loop {
            let before = scans.functions.len();
            for (id, _) in program.functions.iter().filter(|(_, body)| !body.library) {
                if graph.calls(id).iter().any(|site| scans.scans(site)) {
                    scans.functions.insert(id);
                }
            }
            if scans.functions.len() == before {
                return scans;
            }
        }
    }

    fn scans(&self, site: &CallSite) -> bool {
        let mut functions = site.functions();
        let mut externs = site.externs();
        functions.any(|callee| self.functions.contains(&callee))
            || externs.any(|callee| family(&self.program.externs[callee].name).is_some())
    }

    /// Are no options looked for any more from a block on, whenever it is entered?
    pub fn is_over(&self, function: FuncId, from: BlockId) -> bool {
        self.is_over_behind((function, from), &mut BTreeSet::new())
    }

    fn is_over_behind(&self, (id, from): (FuncId, BlockId), asked: &mut BTreeSet<FuncId>) -> bool {
        let body = &self.program.functions[id];
        let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                work.extend(body.blocks[block].terminator.successors());
            }
        }
        let behind = |site: &&CallSite| seen.contains(&site.block);
        if self
            .graph
            .calls(id)
            .iter()
            .filter(behind)
            .any(|site| self.scans(site))
        {
            return false;
        }
        if body.name == "main" || !asked.insert(id) {
            return true;
        }
        let callers = self.graph.callers(id);
        !callers.is_empty()
            && !self.graph.address_taken().contains(&id)
            && callers.iter().all(|&(caller, inst)| {
                let inst = self.program.functions[caller].inst(inst);
                inst.is_some_and(|inst| self.is_over_behind((caller, inst.block), asked))
            })
    }
}

/// Parameters that are `argc` or `argv` of `main`, whoever calls.
pub(super) struct Passed {
    counts: BTreeSet<(FuncId, ValueId)>,
    words: BTreeSet<(FuncId, ValueId)>,
}

impl Passed {
    /// `None`: something may write to the words, or keeps their address, while options are looked for.
    pub fn of(scans: &Scans<'_>) -> Option<Passed> {
        let (program, graph) = (scans.program, scans.graph);
        let main = program.function_named("main")?;
        let &[count, words, ..] = program.functions[main].params.as_slice() else {
            return None;
        };
        let has_params = |id: &FuncId| !program.functions[*id].params.is_empty();
        if !graph.callers(main).is_empty() || program.constructors().iter().any(has_params) {
            return None;
        }
        let mut found = Passed {
            counts: BTreeSet::from([(main, count)]),
            words: BTreeSet::from([(main, words)]),
        };
        keep_whole(scans, (main, words))?;
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
    pub fn is_whole(&self, function: FuncId, args: &[Operand]) -> bool {
        let at = |index: usize| args.get(index).and_then(Operand::value);
        at(0).is_some_and(|count| self.counts.contains(&(function, count)))
            && at(1).is_some_and(|words| self.words.contains(&(function, words)))
    }
}

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum To {
    /// The list of words, at the program's name, which is no option.
    Name,
    /// The list of words.
    Words,
    /// A word.
    Text,
}

/// Follows the list of words from a value; `None`: where it, or a word, may be written to or kept, while options are looked for.
fn keep_whole(scans: &Scans<'_>, (id, value): (FuncId, ValueId)) -> Option<()> {
    let mut known = BTreeSet::new();
    let mut work = vec![(id, value, To::Name)];
    while let Some(pointer) = work.pop() {
        if known.insert(pointer) {
            follow(scans, pointer, &mut work)?;
        }
    }
    Some(())
}

fn follow(
    scans: &Scans<'_>,
    (id, value, to): (FuncId, ValueId, To),
    work: &mut Vec<(FuncId, ValueId, To)>,
) -> Option<()> {
    let body = &scans.program.functions[id];
    let is_it = |operand: &Operand| operand.value() == Some(value);
    for block in body.blocks.keys() {
        let is_over = || scans.is_over(id, block).then_some(());
        for (made, inst) in body.insts(block) {
            let mut uses = false;
            inst.op.for_each_operand(|operand| uses |= is_it(operand));
            if !uses {
                continue;
            }
            match &inst.op {
                Op::Load { .. } if to == To::Words => work.push((id, made, To::Text)),
                Op::Load { .. } | Op::ICmp { .. } => {}
                Op::Gep {
                    indices, offset: 0, ..
                } if indices.is_empty() => {
                    work.push((id, made, to));
                }
                Op::Gep { .. } => work.push((id, made, to.max(To::Words))),
                Op::Phi { .. } | Op::Select { .. } | Op::Freeze { .. } => {
                    work.push((id, made, to.max(To::Words)));
                }
                Op::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } => {
                    let params = &scans.program.functions[*callee].params;
                    let given = args.iter().enumerate().filter(|(_, arg)| is_it(arg));
                    for (index, _) in given {
                        match params.get(index) {
                            Some(param) => work.push((*callee, *param, to)),
                            None => is_over()?,
                        }
                    }
                }
                Op::Call {
                    callee: Callee::Extern(callee),
                    args,
                    ..
                } => {
                    let name = scans.program.externs[*callee].name.as_str();
                    if family(name).is_some() {
                        continue;
                    }
                    match reading(scans, body, (name, args), is_it) {
                        Some(Reading::Within) if to == To::Text => work.push((id, made, to)),
                        Some(Reading::Only) if to == To::Text => {}
                        _ => is_over()?,
                    }
                }
                Op::Mem { args, .. } if to == To::Text && !is_it(&args[0]) => {}
                _ => is_over()?,
            }
        }
        let mut leaves = false;
        let terminator = &body.blocks[block].terminator;
        terminator.for_each_operand(|operand| leaves |= is_it(operand));
        if leaves {
            is_over()?;
        }
    }
    Some(())
}

/// What a function of the C library does with a text, if it neither writes to it nor keeps it.
enum Reading {
    Only,
    /// It returns a place in it.
    Within,
}

fn reading(
    scans: &Scans<'_>,
    body: &Function,
    (name, args): (&str, &[Operand]),
    is_it: impl Fn(&Operand) -> bool,
) -> Option<Reading> {
    let at = |place: usize| args.get(place);
    let written = scans.outside.written(name);
    if let Some(Some(place)) = written
        && at(place).is_none_or(&is_it)
    {
        return None;
    }
    if let Some(place) = outside::format(name) {
        let is_harmless =
            !scans.outside.has_own_streams() && writes_nothing(scans.program, body, at(place)?);
        return is_harmless.then_some(Reading::Only);
    }
    match scans.outside.effect(name) {
        Effect::Pure | Effect::NoReturn | Effect::Allocates(_) => Some(Reading::Only),
        Effect::Reads(outside::Result::Within) => Some(Reading::Within),
        Effect::Reads(_) => Some(Reading::Only),
        Effect::Writes(_) => written.map(|_| Reading::Only),
        // Where the number ends is a place in the text, and is kept.
        Effect::Parses => {
            matches!(at(1), Some(Operand::Const(Const::Null))).then_some(Reading::Only)
        }
        _ => None,
    }
}

/// Is a format known, and has no conversion that writes (`%n`)?
fn writes_nothing(program: &Program, body: &Function, format: &Operand) -> bool {
    let is_plain = |operand: &Operand| {
        let text = super::constant(operand).and_then(|place| super::text(program, place));
        text.is_some_and(|text| !outside::counts(&text))
    };
    let made = format.value().and_then(|value| body.inst(value));
    match made.map(|inst| &inst.op) {
        Some(Op::Call {
            callee: Callee::Extern(callee),
            args,
            ..
        }) => {
            let name = program.externs[*callee].name.as_str();
            let is_known = |arg: &Operand| match arg {
                Operand::Const(Const::Int { .. } | Const::Null) => true,
                Operand::Value(value) => matches!(body.values[*value].ty, Type::Int(_)),
                other @ Operand::Const(_) => is_plain(other),
            };
            TRANSLATES.contains(&name) && args.iter().all(is_known)
        }
        _ => is_plain(format),
    }
}
