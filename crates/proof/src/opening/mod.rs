//! The beginning of a run, as far as the words of the command line decide it: options that are not given, and what only they lead to.
//!
//! Runs are followed from `main` on, with words that are known and everything else unknown. Where something that is not known decides,
//! both ways are followed, and what both know is known where they meet. A call that takes too long, or does what is not known, is *given
//! up*: whatever its function leads to may happen, and what that may write is not known behind it. Where `main` itself cannot be followed it
//! is *handed over*: whatever it leads to from there may happen. Edges that are neither taken before that nor can be reached from there are
//! taken by no run with such words.
//!
//! It is a reading of the model, as private cells are: who searches and the checker ask it alike.
//!
//! Must hold:
//! - what is not known is never guessed: a value that may differ between runs has none here, and an address that is not known leads
//!   wherever [`Regions`](program::regions::Regions) says;
//! - what handlers and threads may write is never known;
//! - accesses to memory stay in the objects that their addresses are derived from, as everywhere.

mod join;
mod known;
mod library;
mod memory;
mod options;
mod step;
#[cfg(test)]
mod tests;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::getopt::{self, Results, Word};
use program::outside::{self, Effect as OutsideEffect, Outside};
use program::{BlockId, EdgeId, FuncId, Function, GlobalId, Program, Type, ValueId};
use semantics::{Symbol, Value};
use smt::Pool;

use crate::Fact;
use crate::closed::Effects;
use memory::{Kind, Memory};
use ways::{Seen, Shape, Spoil, Spoiled};

/// Instructions that are followed, of all ways together. A call has half of what its caller has left.
const STEPS: u64 = 200_000;
/// Steps that a call has at least.
const LEAST: u64 = 1_000;
/// Calls that wait for one another.
const DEPTH: usize = 48;
/// Calls of one function that wait for one another.
const RECURSION: usize = 3;
/// The variable of what nothing determines; those of objects are below.
const UNKNOWN: u32 = 1 << 30;

/// What the words of the command line say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What calls of `getopt` return.
    pub results: Results,
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
    /// Functions that no run enters.
    pub unentered: BTreeSet<FuncId>,
}

impl Said {
    /// By these words. `foreign`: the program is linked with code that is not in the model.
    #[must_use]
    pub fn by(words: &[Word], program: &Program, foreign: bool) -> Said {
        Said {
            ..Said::within(&Effects::new(program, foreign, None), words)
        }
    }

    /// By these words, of a program of which is known what its calls do.
    pub(crate) fn within(effects: &Effects, words: &[Word]) -> Said {
        let beginning = followed(effects, words);
        Said {
            results: getopt::results(effects.program, words),
            never: beginning.never,
            unentered: beginning.unentered,
        }
    }

    /// What no run does.
    #[must_use]
    pub fn facts(&self) -> Vec<Fact> {
        let edges = self.never.iter().map(|edge| Fact::Edge {
            edge: edge.as_u32(),
        });
        let entries = self.unentered.iter().map(|function| Fact::Block {
            function: function.as_u32(),
            block: Function::ENTRY.as_u32(),
        });
        edges.chain(entries).collect()
    }

    /// Do they say nothing?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.never.is_empty() && self.unentered.is_empty()
    }
}

/// What is known of how runs begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
    /// Functions that no run enters.
    pub unentered: BTreeSet<FuncId>,
    /// Where what comes next is not known, and where functions wait then that do not know it.
    pub over: BTreeSet<At>,
}

/// In front of an instruction of a block, by its number, or of the block's end.
pub type At = (FuncId, BlockId, usize);

/// How runs begin with these words of the command line. `foreign`: the program is linked with code that is not in the model.
#[must_use]
pub fn beginning(program: &Program, foreign: bool, words: &[Word]) -> Beginning {
    followed(&Effects::new(program, foreign, None), words)
}

fn followed(effects: &Effects, words: &[Word]) -> Beginning {
    Opening::of(effects, words)
        .map(Opening::run)
        .unwrap_or_default()
}

/// A function that waits or runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Frame {
    function: FuncId,
    block: BlockId,
    at: usize,
    /// What is known.
    values: Rc<BTreeMap<ValueId, Value>>,
    /// Objects of this call.
    objects: Vec<u32>,
    /// No other call has this number.
    number: u64,
    /// Steps, of all ways together, behind which it calls nothing any more, and behind which it is given up.
    limit: u64,
    latest: u64,
}

/// What is known where a run may be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    frames: Vec<Frame>,
    memory: Memory,
}

/// How a way goes on.
enum Next {
    On,
    /// Nobody knows where.
    Over,
    /// The run ends.
    End,
    /// In one of these blocks, by these edges.
    Fork(Vec<(Option<EdgeId>, BlockId)>),
}

struct Opening<'a> {
    program: &'a Program,
    effects: &'a Effects<'a>,
    words: &'a [Word],
    outside: Outside,
    /// Output functions may write to memory.
    counts_output: bool,
    /// Classes of characters are those of every system.
    is_plain_locale: bool,
    /// Variables of `getopt` are written by those only that name them.
    keeps_options: bool,
    pool: Pool,
    objects: Vec<Kind>,
    symbols: BTreeMap<Symbol, u32>,
    /// Variables that may be written at a time that nothing shows.
    shaky: BTreeSet<GlobalId>,
    taken: BTreeSet<EdgeId>,
    entered: BTreeSet<FuncId>,
    /// Where ways are handed over.
    over: BTreeSet<At>,
    /// Functions that were given up.
    given_up: BTreeSet<FuncId>,
    seen: BTreeMap<(u64, BlockId), Seen>,
    shapes: BTreeMap<FuncId, Rc<Shape>>,
    /// What is written to where nobody knows.
    spoiled: BTreeMap<Spoil, Rc<Spoiled>>,
    calls: u64,
    steps: u64,
}

impl<'a> Opening<'a> {
    /// `None`: nothing is known of this program.
    fn of(effects: &'a Effects<'a>, words: &'a [Word]) -> Option<Opening<'a>> {
        let program = effects.program;
        let graph = &effects.graph;
        let outside = Outside::of(program);
        let main = program.function_named("main")?;
        let is_main = program.functions[main].params.len() >= 2
            && graph.callers(main).is_empty()
            && !graph.address_taken().contains(&main);
        // What the C library calls by its name may run within any call.
        let is_hidden = |function: &FuncId| {
            let name = &*program.functions[*function].name;
            let is_library = outside.effect(name) != OutsideEffect::Unknown;
            is_library
                || wire::libc::entry(name).is_some()
                || !graph.address_taken().contains(function)
        };
        let is_known = is_main
            && !effects.foreign
            && program.constructors().is_empty()
            && !effects.anytime.iter().any(is_hidden)
            && crate::closed::stays_in_frames(program).is_ok();
        let mut names = program.externs.values().map(|known| &*known.name);
        let is_plain_locale = !names.any(|name| name.contains("locale"));
        let mut made = is_known.then(|| Opening {
            program,
            effects,
            words,
            outside,
            counts_output: outside::counts_output(program),
            is_plain_locale,
            keeps_options: options::keeps_options(program),
            pool: Pool::new(),
            objects: Vec::new(),
            symbols: BTreeMap::new(),
            shaky: BTreeSet::new(),
            taken: BTreeSet::new(),
            entered: BTreeSet::new(),
            over: BTreeSet::new(),
            given_up: BTreeSet::new(),
            seen: BTreeMap::new(),
            shapes: BTreeMap::new(),
            spoiled: BTreeMap::new(),
            calls: 0,
            steps: 0,
        })?;
        made.name_objects();
        Some(made)
    }

    /// Objects that are there from the start come first.
    fn name_objects(&mut self) {
        for global in self.program.globals.keys() {
            self.symbol(Symbol::Global(global));
        }
        for kind in [Kind::List, Kind::Name] {
            self.only(kind);
        }
        for word in 0..self.words.len() {
            self.only(Kind::Word(word));
        }
        let interrupts = self.effects.interrupts();
        let variables = self.variables(interrupts).into_iter();
        self.shaky = variables
            .filter(|it| !self.program.globals[*it].constant)
            .collect();
    }

    fn run(mut self) -> Beginning {
        if let Some(main) = self.program.function_named("main") {
            let first = self.start(main);
            self.entered.insert(main);
            self.follow(first, 0);
        }
        let alive = self.leads_to();
        let mut entered = self.entered;
        entered.extend(alive.iter().map(|(function, _)| *function));
        let edges = self.program.edges.iter();
        let never = edges.filter(|(edge, data)| {
            let site = &self.program.sites[data.site];
            let body = &self.program.functions[site.function];
            let decides = body.blocks[site.block].terminator.site() == Some(data.site);
            decides
                && !body.library
                && !self.taken.contains(edge)
                && !alive.contains(&(site.function, site.block))
        });
        let functions = self.program.functions.iter().filter(|(function, body)| {
            !body.blocks.is_empty() && !body.library && !entered.contains(function)
        });
        Beginning {
            never: never.map(|(edge, _)| edge).collect(),
            unentered: functions.map(|(function, _)| function).collect(),
            over: self.over,
        }
    }

    /// Where the program begins.
    fn start(&mut self, main: FuncId) -> State {
        let list = self.object(Kind::List);
        let count = self.pool.constant(32, self.words.len() as u128 + 1);
        let list = self.address(list);
        let body = &self.program.functions[main];
        let mut values = BTreeMap::new();
        let given = [(Type::Int(32), count), (Type::Ptr, list)];
        for (param, (ty, given)) in body.params.iter().zip(given) {
            if body.values[*param].ty == ty {
                values.insert(*param, Value::Scalar(given));
            }
        }
        State {
            frames: vec![Frame {
                function: main,
                block: Function::ENTRY,
                at: 0,
                values: Rc::new(values),
                objects: Vec::new(),
                number: 0,
                limit: STEPS,
                latest: STEPS + STEPS / 2,
            }],
            memory: Memory::new(self.objects.len() as u32),
        }
    }

    /// What comes next is not known.
    fn hand_over(&mut self, way: &State) {
        let Some((last, waiting)) = way.frames.split_last() else {
            return;
        };
        self.over.insert((last.function, last.block, last.at));
        // Behind their calls.
        let waiting = waiting.iter();
        self.over
            .extend(waiting.map(|frame| (frame.function, frame.block, frame.at + 1)));
    }

    /// The blocks whose ends control may come to once a way is handed over or a call given up, or at any time.
    fn leads_to(&self) -> BTreeSet<(FuncId, BlockId)> {
        let (mut seen, mut ends) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<(FuncId, BlockId)> = Vec::new();
        for &(function, block, at) in &self.over {
            ends.insert((function, block));
            self.behind((function, block, at), &mut work);
        }
        let functions = self.program.functions.keys();
        let unseen = functions.filter(|it| self.effects.is_called_from_outside(*it));
        let unseen = unseen.chain(self.program.destructors());
        let unseen = unseen.chain(self.given_up.iter().copied());
        work.extend(unseen.map(|function| (function, Function::ENTRY)));
        while let Some((function, block)) = work.pop() {
            if seen.insert((function, block)) {
                self.behind((function, block, 0), &mut work);
            }
        }
        ends.extend(seen);
        ends
    }

    /// The blocks that control may come to next from a place, those of functions that are called on the way included.
    fn behind(&self, (function, block, from): At, work: &mut Vec<(FuncId, BlockId)>) {
        let body = &self.program.functions[function];
        let Some(data) = body.blocks.get(block) else {
            return;
        };
        work.extend(data.terminator.successors().map(|to| (function, to)));
        let sites = self.effects.graph.calls(function).iter();
        let is_behind = |inst: ValueId| {
            let at = data.insts.iter().position(|own| *own == inst);
            at.is_none_or(|at| at >= from)
        };
        for site in sites.filter(|site| site.block == block && is_behind(site.inst)) {
            work.extend(self.effects.enters(site).map(|it| (it, Function::ENTRY)));
        }
    }
}
