//! What strategies are guided by: parts that more than one of them needs.
//!
//! Must hold: as for strategies, nothing here knows criterion or solver, and costs are amortised over paths and picks.

mod distance;
mod living;
mod priced_queue;
mod runs;
mod shares;
mod succession;
mod targets;
mod turns;
mod walk;
mod weighing;
pub(crate) mod weights;

pub(crate) use distance::MeasuredRun;
pub use distance::Nearness;
pub(crate) use living::Living;
pub(crate) use priced_queue::{Group, PricedQueue, position};
pub(crate) use runs::Runs;
pub(crate) use shares::Shares;
use succession::Succession;
pub(crate) use targets::Targets;
pub(crate) use turns::Turns;
pub(crate) use walk::Walk;
pub(crate) use weighing::{Rule, Weighing};

use program::{EdgeId, Program, SecondaryMap};

/// Edges that are worth reaching: those of functions with a coverage record.
pub(crate) fn wanted_edges(program: &Program) -> Vec<EdgeId> {
    let mut functions = SecondaryMap::for_map(&program.functions, false);
    for function in program.coverage.iter().filter_map(|record| record.function) {
        functions[function] = true;
    }
    let edges = program.edges.keys();
    edges
        .filter(|&edge| functions[program.function_of(edge)])
        .collect()
}
