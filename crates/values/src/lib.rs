//! What each variable can be, proved without a solver: an abstract interpreter over the model.
//!
//! Integers are sets of up to 64 values, beyond that intervals with congruence ([`num`]); floating-point numbers are intervals with or
//! without NaN ([`real`]); memory is objects with cells
//! ([`memory`]); functions are followed in the context of their calls; and states are told apart by the variables that the
//! program dispatches on ([`engine`]), so that "in state 3 `cert` is 1" is known.
//!
//! Charter: deterministic, no solver, no I/O, no clock; may use the model only.
//!
//! Invariants:
//! - an edge that is called dead is taken on no run whose memory accesses stay in their objects; functions outside of the
//!   program return anything, and write to what they can reach;
//! - where functions run at any time, or control comes back to where it had left, memory is one for the whole program;
//! - an analysis that did not come to its end says so, and calls nothing dead;
//! - same program, same answer, unless somebody stops it.

mod arith;
mod choose;
mod engine;
mod facts;
mod map;
mod memory;
mod num;
mod object;
mod outside;
mod passes;
pub mod picture;
mod real;
mod refine;
mod relations;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use program::getopt::Results;
use program::outside::{COMES_BACK, WRITES_LATER, finds_names};
use program::stops::Sure;
use program::{Callee, EdgeId, FuncId, Function, GlobalId, Op, Program, SiteId, following};

use engine::Engine;

pub use num::Num;
pub use object::Object;
pub use picture::{Picture, Standing};
pub use real::Real;
pub use value::{Pointers, Value};

/// What the analysis may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Blocks that are gone through by the first pass, in times the blocks of the program.
    pub rounds: u64,
    /// Blocks that are gone through, in all other passes together. The last pass ends with them, and the one before it is what is said.
    pub steps: u64,
    /// Blocks that the first pass may have gone through: what needs more has no others, which cost it twenty times as much and more.
    pub small: u64,
    /// States at one block of one context.
    pub states: usize,
    /// Variables in memory that states are told apart by.
    pub places: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 100_000,
            small: 5_000,
            rounds: 100,
            states: 256,
            places: 12,
        }
    }
}

/// Why nothing, or less, can be said of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// It has no function where it starts.
    NoEntry,
    /// It is linked with code that is not in the model.
    ForeignCode,
    /// Functions that run at any time: signal handlers, threads, exit handlers.
    Anytime(Vec<FuncId>),
    /// A function that comes back to where control had left (`setjmp`), or one that writes while the program goes on (`aio_read`).
    Uses(String),
    /// It finds variables and functions by their names, or loads code that does (`dlopen`).
    FindsNames,
    /// Functions that run before `main`.
    Constructors,
    /// The budget was spent.
    Budget,
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocker::NoEntry => f.write_str("the program has no function where it starts"),
            Blocker::ForeignCode => {
                f.write_str("the program is linked with code that is not in its model")
            }
            Blocker::FindsNames => f.write_str(
                "it finds variables by their names, or loads code that does (dlopen, dlsym)",
            ),
            Blocker::Anytime(functions) => {
                write!(
                    f,
                    "{} function(s) may run at any time (handlers, threads)",
                    functions.len()
                )
            }
            Blocker::Uses(name) => write!(f, "the program uses {name}"),
            Blocker::Constructors => {
                f.write_str("the program has constructors that run before main")
            }
            Blocker::Budget => f.write_str("the budget of the value analysis was spent"),
        }
    }
}

/// Why an edge is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Control never comes to its site.
    NotReached,
    /// What is looked at there, on all runs together.
    Values { site: SiteId, value: Value },
}

/// What variables are at a place, on all runs together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// The arguments of the call.
    pub arguments: Vec<Value>,
    /// The program's variables of up to [`WIDEST_GLOBAL`] bytes that are not constant, in order.
    pub globals: Vec<(GlobalId, Value)>,
}

/// Widest variable of the program that is looked at, in bytes.
pub const WIDEST_GLOBAL: u64 = 8;

/// What is known of a program.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Edges of branches and switches that no run takes.
    pub dead: BTreeMap<EdgeId, Reason>,
    /// Functions of the program that nothing calls, on no run.
    pub uncalled: BTreeSet<FuncId>,
    /// Why nothing, or less, is known.
    pub blockers: Vec<Blocker>,
    /// Variables that states were told apart by, in words.
    pub selectors: Vec<String>,
    /// Blocks that were gone through.
    pub steps: u64,
    /// Instructions that do not end a run, and blocks that runs enter.
    pub sure: Sure,
    /// What variables are where they are looked at, by the name of the function that is called there ([`program::WATCH`]).
    pub watched: BTreeMap<String, Watched>,
    /// What is known at the points of the program, where something is dead and that is not too much.
    pub picture: Option<Picture>,
    /// What is known at any time, where something is dead and that is not too much.
    pub standing: Option<Standing>,
}

/// Analyses a program. `foreign`: it is linked with code that is not in the model.
#[must_use]
pub fn analyse(program: &Program, foreign: bool, limits: Limits) -> Analysis {
    analyse_told(program, foreign, Told::default(), limits)
}

/// What is known from elsewhere of the world that a program runs in.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// What calls of `getopt` return, for the words of the command line.
    pub results: Results,
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
    /// Allocations succeed.
    pub lucky: bool,
}

/// The same, in a world of which something is known: what is dead there need not be dead elsewhere.
#[must_use]
pub fn analyse_told(program: &Program, foreign: bool, told: Told, limits: Limits) -> Analysis {
    analysed(program, foreign, told, (limits, Arc::default()))
}

/// The same, until somebody has lost patience: the first pass is gone through all the same, and what finer passes that came to
/// their end say is said.
#[must_use]
pub fn analyse_until(
    program: &Program,
    foreign: bool,
    told: Told,
    (limits, stop): (Limits, &Arc<AtomicBool>),
) -> Analysis {
    analysed(program, foreign, told, (limits, Arc::clone(stop)))
}

fn analysed(
    program: &Program,
    foreign: bool,
    told: Told,
    (limits, stop): (Limits, Arc<AtomicBool>),
) -> Analysis {
    let Some(root) = root(program) else {
        return Analysis {
            blockers: vec![Blocker::NoEntry],
            ..Analysis::default()
        };
    };
    let anytime: BTreeSet<FuncId> = following::entered_anytime(program, foreign)
        .into_iter()
        .collect();
    let anytime: Vec<FuncId> = anytime.into_iter().collect();
    let blockers = blockers(program, &anytime, foreign);
    let outside = passes::Outside {
        floats: program::rounding::is_to_nearest(program, foreign),
        anytime: [anytime, constructors(program)].concat(),
        foreign,
        told: Rc::new(told),
        stop,
    };
    let is_ordered = blockers.is_empty();
    let mut analysis = passes::all(program, root, (outside, is_ordered), limits);
    if !is_ordered {
        // What runs at any time may also end a run at any time.
        analysis.sure = Sure::default();
        analysis.blockers.splice(0..0, blockers);
    }
    analysis
}

fn found(program: &Program, engine: &Engine<'_>) -> Analysis {
    let mut analysis = Analysis::default();
    for (edge, data) in program.edges.iter() {
        let site = &program.sites[data.site];
        if engine.taken[edge] || program.functions[site.function].library {
            continue;
        }
        let seen = engine.seen.get(&data.site).cloned();
        let reached = engine.entered.contains(&(site.function, site.block));
        let reason = match seen.filter(|_| reached) {
            Some(value) => Reason::Values {
                site: data.site,
                value,
            },
            None => Reason::NotReached,
        };
        analysis.dead.insert(edge, reason);
    }
    let own = program
        .functions
        .iter()
        .filter(|(_, body)| !body.library && !body.blocks.is_empty());
    let uncalled = own.filter(|(id, _)| !engine.entered.contains(&(*id, Function::ENTRY)));
    analysis.uncalled = uncalled.map(|(id, _)| id).collect();
    analysis.sure = sure(program, engine);
    analysis.watched.clone_from(&engine.watched);
    analysis
}

/// What was looked at on all its visits and never found to end a run.
fn sure(program: &Program, engine: &Engine<'_>) -> Sure {
    let mut harmless = BTreeSet::new();
    for &(id, block) in &engine.entered {
        for (value, inst) in program.functions[id].insts(block) {
            let is_looked_at = match &inst.op {
                Op::Load { .. } | Op::Store { .. } | Op::Mem { .. } | Op::Bin { .. } => true,
                Op::Call { callee, .. } => matches!(callee, Callee::Extern(_)),
                _ => false,
            };
            if is_looked_at && !engine.risky.contains(&(id, value)) {
                harmless.insert((id, value));
            }
        }
    }
    Sure {
        harmless,
        entered: Some(engine.entered.clone()),
    }
}

/// Where the program starts; nothing where that is not known.
fn root(program: &Program) -> Option<FuncId> {
    program
        .function_named("main")
        .or_else(|| program.function_named("LLVMFuzzerTestOneInput"))
}

/// Functions that run before the program starts.
fn constructors(program: &Program) -> Vec<FuncId> {
    let functions = program.constructors().into_iter();
    functions
        .chain(program.function_named("LLVMFuzzerInitialize"))
        .collect()
}

/// Why the order in which the program does things is not known.
fn blockers(program: &Program, anytime: &[FuncId], foreign: bool) -> Vec<Blocker> {
    let mut blockers = Vec::new();
    if foreign {
        blockers.push(Blocker::ForeignCode);
    }
    let anytime: Vec<FuncId> = anytime
        .iter()
        .copied()
        .filter(|id| !program.functions[*id].library)
        .collect();
    if !anytime.is_empty() {
        blockers.push(Blocker::Anytime(anytime));
    }
    let names = program.externs.values().map(|known| known.name.as_str());
    if let Some(name) = names
        .into_iter()
        .find(|name| COMES_BACK.contains(name) || WRITES_LATER.contains(name))
    {
        blockers.push(Blocker::Uses(name.to_owned()));
    }
    if finds_names(program, false) {
        blockers.push(Blocker::FindsNames);
    }
    if !constructors(program).is_empty() {
        blockers.push(Blocker::Constructors);
    }
    blockers
}
