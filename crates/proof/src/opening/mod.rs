//! The beginning of a run, as far as the words of the command line decide it: options that are not given, and what only they lead to.
//!
//! A run is followed from `main` on, with words that are known and everything else unknown. Where something that is not known decides,
//! both ways are followed, a few times; then the run is *handed over*: whatever its functions lead to from there may happen. Edges that
//! are neither taken before that nor can be reached from there are taken by no run with such words.
//!
//! It is a reading of the model, as private cells are: who searches and the checker ask it alike.
//!
//! Must hold:
//! - what is not known is never guessed: a value that may differ between runs has none here, and an address that is not known may lead
//!   anywhere;
//! - a call that may run functions of the program at a time that no call shows, or of which nothing is known, hands over;
//! - accesses to memory stay in the objects that their addresses are derived from, as everywhere.

mod known;
mod library;
mod memory;
mod options;
mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use program::callgraph::CallGraph;
use program::following;
use program::getopt::{self, Results, Word};
use program::outside::{self, Effect as OutsideEffect, Outside};
use program::{BlockId, EdgeId, FuncId, Function, Program, Type, ValueId};
use semantics::{Symbol, Value};
use smt::Pool;

use memory::{Kind, Memory};

/// Instructions that are followed, of all ways together.
const STEPS: u64 = 400_000;
/// Decisions that are not known, on one way.
const FORKS: u32 = 10;
/// Ways.
const WAYS: usize = 400;
/// Calls that wait for one another.
const DEPTH: usize = 48;
/// The variable of what nothing determines; those of objects are below.
const UNKNOWN: u32 = 1 << 30;

/// What the words of the command line say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What calls of `getopt` return.
    pub results: Results,
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
}

impl Said {
    /// By these words. `foreign`: the program is linked with code that is not in the model.
    #[must_use]
    pub fn by(words: &[Word], program: &Program, foreign: bool) -> Said {
        Said {
            results: getopt::results(program, words),
            never: beginning(program, foreign, words).never,
        }
    }

    /// Do they say nothing?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.never.is_empty()
    }
}

/// What is known of how runs begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
    /// Where what comes next is not known, and where functions wait then that do not know it.
    pub over: BTreeSet<At>,
}

/// In front of an instruction of a block, by its number, or of the block's end.
pub type At = (FuncId, BlockId, usize);

/// How runs begin with these words of the command line. `foreign`: the program is linked with code that is not in the model.
#[must_use]
pub fn beginning(program: &Program, foreign: bool, words: &[Word]) -> Beginning {
    Opening::of(program, foreign, words)
        .map(Opening::run)
        .unwrap_or_default()
}

/// A function that waits or runs.
#[derive(Clone)]
struct Frame {
    function: FuncId,
    block: BlockId,
    at: usize,
    /// What is known.
    values: BTreeMap<ValueId, Value>,
}

/// A way that runs may take.
#[derive(Clone)]
struct State {
    frames: Vec<Frame>,
    memory: Memory,
    forks: u32,
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
    words: &'a [Word],
    graph: CallGraph,
    outside: Outside,
    /// Functions that may be entered at a time that no call shows.
    anytime: Vec<FuncId>,
    /// Output functions may write to memory.
    counts_output: bool,
    /// Classes of characters are those of every system.
    is_plain_locale: bool,
    pool: Pool,
    objects: Vec<Kind>,
    symbols: BTreeMap<Symbol, u32>,
    taken: BTreeSet<EdgeId>,
    /// Where ways are handed over.
    over: BTreeSet<At>,
    ways: VecDeque<State>,
    count: usize,
    steps: u64,
}

impl<'a> Opening<'a> {
    /// `None`: nothing is known of this program.
    fn of(program: &'a Program, foreign: bool, words: &'a [Word]) -> Option<Opening<'a>> {
        let graph = CallGraph::new(program);
        let outside = Outside::of(program);
        let anytime = following::entered_anytime(program, foreign);
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
            && !foreign
            && program.constructors().is_empty()
            && !anytime.iter().any(is_hidden)
            && crate::closed::stays_in_frames(program).is_ok();
        let mut names = program.externs.values().map(|known| &*known.name);
        let is_plain_locale = !names.any(|name| name.contains("locale"));
        is_known.then(|| Opening {
            program,
            words,
            outside,
            anytime,
            counts_output: outside::counts_output(program),
            is_plain_locale,
            graph,
            pool: Pool::new(),
            objects: Vec::new(),
            symbols: BTreeMap::new(),
            taken: BTreeSet::new(),
            over: BTreeSet::new(),
            ways: VecDeque::new(),
            count: 0,
            steps: 0,
        })
    }

    fn run(mut self) -> Beginning {
        if let Some(main) = self.program.function_named("main") {
            let first = self.start(main);
            self.ways.push_back(first);
        }
        while let Some(way) = self.ways.pop_front() {
            self.follow(way);
        }
        let alive = self.leads_to();
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
        Beginning {
            never: never.map(|(edge, _)| edge).collect(),
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
                values,
            }],
            memory: Memory::default(),
            forks: 0,
        }
    }

    /// Follows a way until it is over, or decided by something that is not known.
    fn follow(&mut self, mut way: State) {
        loop {
            self.steps += 1;
            let next = match self.steps > STEPS {
                true => Next::Over,
                false => self.step(&mut way),
            };
            match next {
                Next::On => {}
                Next::End => return,
                Next::Over => return self.hand_over(&way),
                Next::Fork(to) => {
                    way.forks += 1;
                    self.count += to.len();
                    if way.forks > FORKS || self.count > WAYS {
                        return self.hand_over(&way);
                    }
                    for (edge, block) in to {
                        let mut other = way.clone();
                        self.go(&mut other, edge, block);
                        self.ways.push_back(other);
                    }
                    return;
                }
            }
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

    /// The blocks whose ends control may come to once a way is handed over, or at any time.
    fn leads_to(&self) -> BTreeSet<(FuncId, BlockId)> {
        let (mut seen, mut ends) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<(FuncId, BlockId)> = Vec::new();
        for &(function, block, at) in &self.over {
            ends.insert((function, block));
            self.behind((function, block, at), &mut work);
        }
        let taken = self.graph.address_taken().iter();
        let unseen = self.anytime.iter().chain(taken).copied();
        let unseen = unseen.chain(self.program.destructors());
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
        let sites = self.graph.calls(function).iter();
        let is_behind = |inst: ValueId| {
            let at = data.insts.iter().position(|own| *own == inst);
            at.is_none_or(|at| at >= from)
        };
        for site in sites.filter(|site| site.block == block && is_behind(site.inst)) {
            work.extend(site.functions().map(|callee| (callee, Function::ENTRY)));
            for id in site.externs() {
                // Calls of library functions go to their models.
                let name = &*self.program.externs[id].name;
                let model = format!("{}{name}", wire::libc::MODEL_PREFIX);
                let model = self.program.function_named(&model);
                work.extend(model.map(|callee| (callee, Function::ENTRY)));
            }
        }
    }
}
