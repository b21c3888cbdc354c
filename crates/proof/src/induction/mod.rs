//! The check of an invariant: it holds at the start, and each step from a state that it allows leads to one that it allows.
//!
//! A step is one block: from each state at its entry through its instructions, as `semantics` has them, to each way out. A
//! call of a function with a body goes to a context whose entry the caller's state is in, and comes back in the exits of that
//! context. Every question is put to a fresh solver.
//!
//! Must hold:
//! - what is said of a value was proved where it was computed, and is used only where that place dominates;
//! - a cell is a part of a variable ([`Parts`]): what is not seen here does not write to it, as long as accesses stay in their objects;
//! - functions of the program run only because calls that are seen lead to them (else the invariant is refused); where a call through a
//!   pointer leads is known as all certificates know it ([`Effects`]).

#[cfg(test)]
mod call_tests;
#[cfg(test)]
mod corrupt_tests;
mod fit;
#[cfg(test)]
mod float_tests;
mod gate;
#[cfg(test)]
mod pair_tests;
mod passing;
#[cfg(test)]
mod pointer_tests;
mod step;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod weaken;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::cfg::Cfg;
use program::dom::Dominators;
use program::parts::Parts;
use program::private::Cell;
use program::{BlockId, Def, EdgeId, FuncId, Function, Op, Program, ValueId};

use crate::assertion::{self, Context, Invariant, Set, Spot, State};
use crate::certificate::Fact;
use crate::closed::Effects;
use crate::effort::Effort;
use crate::kinds::Refusal;
use crate::question::Bench;
use gate::{Allowed, Place};

pub use fit::calls_by_address;
pub(crate) use fit::{check as fits, has_floats, has_strange_ways, is_strange, is_unknown, root};
pub use weaken::weaken;

/// Questions to a solver, of one invariant.
pub const QUESTIONS: u64 = 20_000;

/// A program with an invariant, as far as its numbers are in order.
pub(crate) struct Induction<'a> {
    program: &'a Program,
    effects: &'a Effects<'a>,
    parts: &'a Parts,
    invariant: &'a Invariant,
    cells: Rc<[Cell]>,
    /// For each context, what is allowed where.
    places: Vec<BTreeMap<Place, Rc<Allowed<'a>>>>,
    /// Edges that some state takes.
    taken: BTreeSet<EdgeId>,
    queries: u64,
    effort: Effort,
    /// What would have to change, for those who look for an invariant; `None` for the checker.
    changes: Option<weaken::Changes>,
    /// Places whose states a step looked at.
    seen: BTreeSet<(usize, Place)>,
    bench: Bench,
}

/// What an invariant proves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// What no run does.
    pub facts: Vec<Fact>,
    /// Questions that a solver was asked.
    pub queries: u64,
}

/// Checks an invariant of a program: what it proves. `effects`: of all its runs; `effort`: what may be spent.
///
/// # Errors
/// It does not hold, as far as the checker can tell.
pub fn check(
    effects: &Effects<'_>,
    invariant: &Invariant,
    effort: Effort,
) -> Result<Proved, Refusal> {
    fit::check(effects)?;
    let parts = parts(effects.program);
    let mut induction = Induction::new((effects, &parts), invariant, effort)?;
    induction.start()?;
    for (number, context) in invariant.contexts.iter().enumerate() {
        for state in &context.states {
            induction.step(number, state)?;
        }
    }
    Ok(Proved {
        facts: induction.facts(),
        queries: induction.queries,
    })
}

/// All that a context says.
fn sets(context: &Context) -> impl Iterator<Item = &Set> {
    let states = context.states.iter().flat_map(|state| {
        let cells = state.cells.iter().map(|(_, set)| set);
        let values = state.values.iter().map(|(_, set)| set);
        let pairs = state.pairs.iter().map(|(_, set)| set);
        cells.chain(values).chain(pairs)
    });
    let exits = context.exits.iter().flat_map(|exit| {
        let cells = exit.cells.iter().map(|(_, set)| set);
        cells.chain(&exit.result)
    });
    states.chain(exits)
}

/// What states may speak of. With other code there is no induction.
fn parts(program: &Program) -> Parts {
    Parts::of(program, false)
}

impl<'a> Induction<'a> {
    fn new(
        (effects, parts): (&'a Effects<'a>, &'a Parts),
        invariant: &'a Invariant,
        effort: Effort,
    ) -> Result<Induction<'a>, Refusal> {
        let program = effects.program;
        let cells = assertion::cells(parts.all(), invariant.cells.iter())?;
        let mut places = Vec::new();
        let mut scopes: BTreeMap<FuncId, Scope<'_>> = BTreeMap::new();
        for context in &invariant.contexts {
            let id = FuncId::from_u32(context.function);
            let body = program.functions.get(id).ok_or(Refusal::NotThere)?;
            if fit::is_unknown(body) {
                return Err(Refusal::NotThere);
            }
            let scope = scopes.entry(id).or_insert_with(|| Scope::new(body));
            let mut own: BTreeMap<Place, Allowed<'_>> = BTreeMap::new();
            for state in &context.states {
                scope.fits(state, cells.len())?;
                let place = Place::Block(BlockId::from_u32(state.block));
                own.entry(place).or_default().add(gate::of_state(state));
            }
            for exit in &context.exits {
                own.entry(Place::Exit).or_default().add(gate::of_exit(exit));
            }
            let exits = context.exits.iter().flat_map(|exit| &exit.cells);
            let calls = context.calls.iter().flat_map(|call| &call.to);
            let known = exits
                .into_iter()
                .all(|(cell, _)| (*cell as usize) < cells.len())
                && sets(context).all(|set| set.fits(program))
                && calls
                    .into_iter()
                    .all(|to| (*to as usize) < invariant.contexts.len());
            if !known {
                return Err(Refusal::NotThere);
            }
            places.push(
                own.into_iter()
                    .map(|(at, all)| (at, Rc::new(all)))
                    .collect(),
            );
        }
        Ok(Induction {
            program,
            effects,
            parts,
            invariant,
            cells: cells.into(),
            places,
            taken: BTreeSet::new(),
            queries: 0,
            effort,
            changes: None,
            seen: BTreeSet::new(),
            bench: Bench::default(),
        })
    }

    /// What no state that the invariant allows does.
    fn facts(&self) -> Vec<Fact> {
        let mut reached: BTreeSet<(FuncId, BlockId)> = BTreeSet::new();
        for context in &self.invariant.contexts {
            let function = FuncId::from_u32(context.function);
            let blocks = context
                .states
                .iter()
                .map(|state| BlockId::from_u32(state.block));
            reached.extend(blocks.map(|block| (function, block)));
        }
        let mut facts = Vec::new();
        for (id, body) in self.program.functions.iter() {
            if fit::is_unknown(body) {
                continue;
            }
            for block in body.blocks.keys() {
                if !reached.contains(&(id, block)) {
                    facts.push(Fact::Block {
                        function: id.as_u32(),
                        block: block.as_u32(),
                    });
                    continue;
                }
                let within = body.insts(block).filter_map(|(_, inst)| inst.op.site());
                let sites = within.chain(body.blocks[block].terminator.site());
                let edges = sites.flat_map(|site| self.program.edges_of(site));
                let dead = edges.filter(|edge| !self.taken.contains(edge));
                facts.extend(dead.map(|edge| Fact::Edge {
                    edge: edge.as_u32(),
                }));
            }
        }
        facts
    }
}

/// Which values of a function can be spoken of where.
pub(crate) struct Scope<'a> {
    body: &'a Function,
    cfg: Cfg,
    dominators: Dominators,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(body: &'a Function) -> Scope<'a> {
        let cfg = Cfg::new(body);
        Scope {
            body,
            dominators: Dominators::new(&cfg),
            cfg,
        }
    }

    /// Does a state speak of what is there?
    fn fits(&self, state: &State, cells: usize) -> Result<(), Refusal> {
        let block = BlockId::from_u32(state.block);
        let known = self.body.blocks.get(block).is_some() && self.cfg.is_reachable(block);
        let in_order = state.values.is_sorted_by(|(a, _), (b, _)| a < b)
            && state.cells.is_sorted_by(|(a, _), (b, _)| a < b);
        let has_cells = state.cells.iter().all(|(cell, _)| (*cell as usize) < cells);
        let mut values = state.values.iter();
        let has_values =
            known && values.all(|(value, _)| self.is_known(ValueId::from_u32(*value), block));
        let mut spots = state.pairs.iter().flat_map(|(pair, _)| [pair.0, pair.1]);
        let has_spots = known
            && spots.all(|spot| match spot {
                Spot::Cell(cell) => (cell as usize) < cells,
                Spot::Value(value) => self.is_known(ValueId::from_u32(value), block),
            });
        let in_order = in_order && state.pairs.is_sorted_by(|(a, _), (b, _)| a < b);
        match known && in_order && has_cells && has_values && has_spots {
            true => Ok(()),
            false => Err(Refusal::NotThere),
        }
    }

    /// Was a value computed on every way to a block, its phis included?
    pub(crate) fn is_known(&self, value: ValueId, block: BlockId) -> bool {
        match self.body.values.get(value).map(|value| &value.def) {
            Some(Def::Param(_)) => true,
            Some(Def::Inst(inst)) => {
                if inst.block == block {
                    matches!(inst.op, Op::Phi { .. })
                } else {
                    self.cfg.is_reachable(inst.block)
                        && self.dominators.dominates(inst.block, block)
                }
            }
            None => false,
        }
    }
}
