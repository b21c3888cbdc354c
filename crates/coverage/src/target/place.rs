//! Places in the model, and what the control flow says of a place: which goals are covered exactly when control comes there.

use program::cfg::Cfg;
use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use program::{BlockId, Counter, EdgeId, FuncId, Function, Op, Program, RegionKind, ValueId};

use super::Pick;
use crate::goal::{GoalKind, Side};

/// A place in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The start of a function.
    Entry(FuncId),
    /// The start of a block.
    Block { function: FuncId, block: BlockId },
    /// In front of an instruction.
    Inst { function: FuncId, inst: ValueId },
    /// Taking an edge.
    Edge(EdgeId),
}

impl Place {
    /// The function and the block that control is in when it is there; of an edge, the block that it leaves.
    #[must_use]
    pub fn block(&self, program: &Program) -> (FuncId, BlockId) {
        match *self {
            Place::Entry(function) => (function, Function::ENTRY),
            Place::Block { function, block } => (function, block),
            Place::Inst { function, inst } => {
                let known = program.functions[function].inst(inst);
                (function, known.map_or(Function::ENTRY, |known| known.block))
            }
            Place::Edge(edge) => {
                let site = &program.sites[program.edges[edge].site];
                (site.function, site.block)
            }
        }
    }
}

/// Where a region's count grows: places of its function. Empty where the count is computed from others.
pub(super) fn counted(program: &Program, function: FuncId, count: Counter) -> Vec<Place> {
    let Counter::Counter(count) = count else {
        return Vec::new();
    };
    let body = &program.functions[function];
    let mut places = Vec::new();
    if body.entry_counters.contains(&count) {
        places.push(Place::Entry(function));
    }
    for block in body.blocks.keys() {
        let counts =
            |op: &Op| matches!(op, Op::Count { counter, step: None, .. } if *counter == count);
        if body.insts(block).any(|(_, inst)| counts(&inst.op)) && block != Function::ENTRY {
            places.push(Place::Block { function, block });
        }
    }
    if places.is_empty() {
        let own = program.edges.iter().filter(|(_, edge)| {
            program.sites[edge.site].function == function && edge.counters.contains(&count)
        });
        places.extend(own.map(|(edge, _)| Place::Edge(edge)));
    }
    places
}

/// The edges of an outcome of a condition, where they are known.
pub(super) fn taken(
    outcomes: &ConditionOutcomes,
    record: u32,
    (region, side): (u32, Side),
    function: FuncId,
) -> Vec<Place> {
    match outcomes.of(record as usize, region as usize, side == Side::True) {
        Some(OutcomeEdges::AnyOf(edges)) => edges.iter().map(|edge| Place::Edge(*edge)).collect(),
        Some(OutcomeEdges::Entry) => vec![Place::Entry(function)],
        _ => Vec::new(),
    }
}

/// The goal of a record that is covered when control comes to a block, as far as the control flow tells: the nearest on the
/// only way that leads there.
pub(super) fn goal_at(
    program: &Program,
    outcomes: &ConditionOutcomes,
    record: u32,
    (function, block): (FuncId, BlockId),
) -> Option<Pick> {
    let body = &program.functions[function];
    let coverage = &program.coverage[record as usize];
    let cfg = Cfg::new(body);
    let reached = |count: u32| {
        let is_it = |region: &program::Region| {
            region.kind == RegionKind::Code && region.count == Counter::Counter(count)
        };
        let region = coverage.regions.iter().position(is_it)?;
        Some(Pick::new(
            record,
            u32::try_from(region).ok()?,
            GoalKind::Reached,
        ))
    };
    let mut at = block;
    for _ in 0..body.blocks.len() {
        let counts = body.insts(at).filter_map(|(_, inst)| match inst.op {
            Op::Count {
                counter,
                step: None,
                ..
            } => Some(counter),
            _ => None,
        });
        if let Some(found) = counts.into_iter().find_map(reached) {
            return Some(found);
        }
        if at == Function::ENTRY {
            return body.entry_counters.iter().copied().find_map(reached);
        }
        let mut before = cfg.predecessors(at).filter(|from| cfg.is_reachable(*from));
        let from = before.next().filter(|_| before.next().is_none())?;
        if let Some(found) = on_edge(program, outcomes, record, (function, from), at) {
            return Some(found);
        }
        // Behind a decision that is no condition, nothing tells the sides apart.
        if body.blocks[from].terminator.successors().count() != 1 {
            return None;
        }
        at = from;
    }
    None
}

/// The outcome of a condition that is the only edge from one block to another, and no other edge.
pub(super) fn on_edge(
    program: &Program,
    outcomes: &ConditionOutcomes,
    record: u32,
    (function, from): (FuncId, BlockId),
    to: BlockId,
) -> Option<Pick> {
    let site = program.functions[function].blocks[from].terminator.site();
    let edges = site.into_iter().flat_map(|site| program.edges_of(site));
    let mut edges = edges.filter(|edge| program.edges[*edge].target == Some(to));
    match (edges.next(), edges.next()) {
        (Some(edge), None) => only(outcomes, record, edge),
        _ => None,
    }
}

/// The outcome of a condition that is this edge and no other.
fn only(outcomes: &ConditionOutcomes, record: u32, edge: EdgeId) -> Option<Pick> {
    let conditions = outcomes.of_function(record as usize).iter();
    conditions
        .flat_map(|known| Side::BOTH.map(|side| (known, side)))
        .find(|(known, side)| {
            let edges = &known.outcomes[usize::from(*side == Side::True)];
            matches!(edges, OutcomeEdges::AnyOf(edges) if edges.as_slice() == [edge])
        })
        .map(|(known, side)| Pick::new(record, known.region, GoalKind::Outcome(side)))
}
