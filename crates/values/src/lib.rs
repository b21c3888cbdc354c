//! What each variable can be, proved without a solver: an abstract interpreter over the model.
//!
//! Numbers are sets of up to 64 values, beyond that intervals with congruence ([`num`]); memory is objects with cells
//! ([`memory`]); functions are followed in the context of their calls; and states are told apart by the variables that the
//! program dispatches on ([`engine`]), so that "in state 3 `cert` is 1" is known.
//!
//! Charter: deterministic, no solver, no I/O, no clock; may use the model only.
//!
//! Invariants:
//! - an edge that is called dead is taken on no run whose memory accesses stay in their objects; functions outside of the
//!   program return anything, and write to what they can reach;
//! - an analysis that did not come to its end says so, and calls nothing dead;
//! - same program, same answer.

mod arith;
mod choose;
mod engine;
mod facts;
mod map;
mod memory;
mod num;
mod object;
mod outside;
mod refine;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use program::callgraph::CallGraph;
use program::{EdgeId, FuncId, Function, Program, RelocationTarget, SiteId, following};

use engine::{Config, Engine};
use facts::thresholds;
use object::Objects;

pub use num::Num;
pub use object::Object;
pub use value::Value;

/// What the analysis may spend.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Blocks that are gone through, in all passes together.
    pub steps: u64,
    /// States at one block of one context.
    pub states: usize,
    /// Variables in memory that states are told apart by.
    pub places: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 60_000,
            states: 256,
            places: 12,
        }
    }
}

/// Why nothing can be said of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// It has no function where it starts.
    NoEntry,
    /// It is linked with code that is not in the model.
    ForeignCode,
    /// Functions that run at any time: signal handlers, threads, exit handlers.
    Anytime(Vec<FuncId>),
    /// A function that comes back to where control had left (`setjmp`).
    ComesBack(String),
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
            Blocker::Anytime(functions) => {
                write!(
                    f,
                    "{} function(s) may run at any time (handlers, threads)",
                    functions.len()
                )
            }
            Blocker::ComesBack(name) => write!(f, "the program uses {name}"),
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
}

/// Analyses a program. `foreign`: it is linked with code that is not in the model.
#[must_use]
pub fn analyse(program: &Program, foreign: bool, limits: Limits) -> Analysis {
    let root = match root(program, foreign) {
        Ok(root) => root,
        Err(blockers) => {
            return Analysis {
                blockers,
                ..Analysis::default()
            };
        }
    };
    let calls = CallGraph::new(program);
    let mut passes = Passes {
        program,
        calls: &calls,
        thresholds: thresholds(program),
        root,
        left: limits.steps,
    };
    let spent = |passes: &Passes<'_>| limits.steps - passes.left;
    // Each function once for all its callers: quick, and it says what escapes.
    let mut config = Config {
        depth: 0,
        contexts: 0,
        states: limits.states,
        partition: false,
        places: Vec::new(),
    };
    let Some(coarse) = passes.run(&config, Objects::default()) else {
        return Analysis {
            blockers: vec![Blocker::Budget],
            steps: spent(&passes),
            ..Analysis::default()
        };
    };
    let mut analysis = found(program, &coarse);
    let escaped = coarse.objects;
    config.depth = DEPTH;
    config.contexts = CONTEXTS;
    config.partition = true;
    if let Some(fine) = passes.run(&config, escaped.clone()) {
        analysis = found(program, &fine);
        config.places = choose::places(program, &fine, limits.places);
        if !config.places.is_empty()
            && let Some(finer) = passes.run(&config, escaped)
        {
            analysis = found(program, &finer);
            let words = config
                .places
                .iter()
                .map(|place| choose::word(program, place));
            analysis.selectors = words.collect();
        }
    }
    analysis.steps = spent(&passes);
    analysis
}

/// Calls in a chain that are told apart, and chains in all.
const DEPTH: usize = 40;
const CONTEXTS: usize = 20_000;

/// Runs of the engine on one budget.
struct Passes<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    thresholds: Vec<i128>,
    root: FuncId,
    /// Steps that may still be made.
    left: u64,
}

impl<'a> Passes<'a> {
    /// Runs the engine until no object escapes any more; `None` when the budget does not suffice.
    fn run(&mut self, config: &Config, mut objects: Objects) -> Option<Engine<'a>> {
        const ROUNDS: usize = 20;
        for _ in 0..ROUNDS {
            objects.grew();
            let mut engine = Engine::new(
                self.program,
                self.calls,
                self.thresholds.clone(),
                config.clone(),
                objects,
            );
            let steps = engine.run(self.root, self.left);
            self.left = self.left.saturating_sub(steps.unwrap_or(self.left));
            steps?;
            if !engine.objects.grew() {
                return Some(engine);
            }
            objects = engine.objects;
        }
        None
    }
}

fn found(program: &Program, engine: &Engine<'_>) -> Analysis {
    let mut analysis = Analysis::default();
    for (edge, data) in program.edges.iter() {
        let site = &program.sites[data.site];
        let is_branch = data.target.is_some();
        if !is_branch || engine.taken[edge] || program.functions[site.function].library {
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
    analysis
}

/// Where the program starts, if it can be followed.
fn root(program: &Program, foreign: bool) -> Result<FuncId, Vec<Blocker>> {
    let mut blockers = Vec::new();
    if foreign {
        blockers.push(Blocker::ForeignCode);
    }
    let anytime: BTreeSet<FuncId> = following::entered_anytime(program, foreign)
        .into_iter()
        .collect();
    let anytime: Vec<FuncId> = anytime
        .into_iter()
        .filter(|id| !program.functions[*id].library)
        .collect();
    if !anytime.is_empty() {
        blockers.push(Blocker::Anytime(anytime));
    }
    let names = program.externs.values().map(|known| known.name.as_str());
    if let Some(name) = names
        .into_iter()
        .find(|name| outside::COMES_BACK.contains(name))
    {
        blockers.push(Blocker::ComesBack(name.to_owned()));
    }
    let constructors = program.globals.values().any(|global| {
        let functions = global.init.iter().flat_map(|init| &init.relocations);
        global.name == "llvm.global_ctors"
            && functions
                .into_iter()
                .any(|relocation| matches!(relocation.to, RelocationTarget::Function(_)))
    });
    if constructors || program.function_named("LLVMFuzzerInitialize").is_some() {
        blockers.push(Blocker::Constructors);
    }
    let root = program
        .function_named("main")
        .or_else(|| program.function_named("LLVMFuzzerTestOneInput"));
    match (root, blockers.is_empty()) {
        (Some(root), true) => Ok(root),
        (Some(_), false) => Err(blockers),
        (None, _) => Err(vec![Blocker::NoEntry]),
    }
}
