//! The check of a closed set of states: where a run is in one of them, it was in one of them before, back to the start, and at
//! the start it is in none. So no run is ever in one.
//!
//! A state is a place with conditions: a weakest precondition, as a search backward has it. The search is not trusted with it.
//! For each state and each way that control may come to it, the checker runs the stretch of code in between *forward*, supposes
//! the state's conditions behind it, and asks a fresh solver whether a state in front of it can be left out.
//!
//! Must hold:
//! - every way that control can come to a place is looked at: edges, calls, returns, the start, code outside of the program;
//! - what a call does is either followed into its callee, or anything that it may write;
//! - accesses to memory stay in their objects, as for everything that this crate derives.

mod effects;
mod stretch;
#[cfg(test)]
mod tests;
mod text;
mod world;
pub(crate) mod writes;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use program::cfg::Cfg;
use program::following;
use program::rounding;
use program::{BlockId, Callee, EdgeId, FuncId, Function, Op, Program, Terminator};
use semantics::Symbol;
use smt::Term;
use smt::check::{Check, Verdict};

use crate::certificate::Fact;
use crate::check::Sharing;
use crate::effort::Effort;
use crate::induction;
use crate::kinds::Refusal;

pub use effects::Effects;
use stretch::Stretch;
use text::{Node, Parsed, State};
use world::{CALLEE, World};

pub use text::{Closed, Place};

/// Questions to a solver, of one set.
pub const QUESTIONS: u64 = 20_000;

/// Checks that no run does what some facts say, by a closed set of states; `effects`: of the runs that are meant; `dead`: edges that none of
/// them takes. The number of questions that a solver was asked.
///
/// # Errors
/// The set is not closed, as far as the checker can tell, or a fact is about none of its states.
pub fn check(
    effects: &Effects<'_>,
    dead: &BTreeSet<EdgeId>,
    closed: &Closed,
    claims: &[Fact],
    effort: Effort,
) -> Result<u64, Refusal> {
    let (program, foreign) = (effects.program, effects.foreign);
    is_followed(program, foreign)?;
    let root = induction::root(program).ok_or(Refusal::NotThere)?;
    let dead = &dead.union(effects.never()).copied().collect();
    let parsed = text::parse(program, closed)?;
    let mut at: BTreeMap<(Place, Vec<Place>), Vec<usize>> = BTreeMap::new();
    for (index, state) in parsed.states.iter().enumerate() {
        let key = (state.place, state.waiting.clone());
        at.entry(key).or_default().push(index);
    }
    let mut proving = Proving {
        program,
        effects,
        shared: Sharing::of(program, foreign).all,
        dead,
        root,
        parsed: &parsed,
        at,
        effort,
        queries: 0,
    };
    for claim in claims {
        proving.claim(*claim)?;
    }
    for state in &parsed.states {
        proving.step(state)?;
    }
    Ok(proving.queries)
}

/// Refuses programs in which control does not follow the calls, or the C library writes to what the program reads.
fn is_followed(program: &Program, foreign: bool) -> Result<(), Refusal> {
    follows_calls(program, foreign)?;
    let mut externs = program.externs.values();
    if externs.any(|known| wire::libc::KEEPERS.contains(&&*known.name)) {
        return Err(not_followed(
            "a function outside of the program keeps a buffer to write to",
        ));
    }
    Ok(())
}

fn not_followed(why: &str) -> Refusal {
    Refusal::NeedsSearch(format!("not followed backward: {why}"))
}

/// Refuses programs in which control does not follow the calls.
pub(crate) fn follows_calls(program: &Program, foreign: bool) -> Result<(), Refusal> {
    let mut externs = program.externs.values();
    if externs.any(|known| following::is_returning_twice(&known.name)) {
        return Err(not_followed("control does not always follow the calls"));
    }
    if !rounding::is_to_nearest(program, foreign) && induction::has_floats(program) {
        let why = "the program may change how floating-point numbers are rounded";
        return Err(not_followed(why));
    }
    stays_in_frames(program)
}

/// Refuses programs that change stacks, or have addresses that terms do not have; functions may come back more often than they were called.
pub(crate) fn stays_in_frames(program: &Program) -> Result<(), Refusal> {
    let cannot = |why: &str| Err(not_followed(why));
    if program.layout.pointer_bits != 64 || program.layout.endian != program::Endian::Little {
        return cannot("addresses are not of 64 bits");
    }
    if following::is_boundless(program) {
        return cannot("control does not always follow the calls");
    }
    Ok(())
}

/// Terms of states as a stretch sees them.
type Seen = BTreeMap<usize, Option<Term>>;

struct Proving<'a> {
    program: &'a Program,
    effects: &'a Effects<'a>,
    shared: bool,
    dead: &'a BTreeSet<EdgeId>,
    root: FuncId,
    parsed: &'a Parsed,
    /// States by their places and calls.
    at: BTreeMap<(Place, Vec<Place>), Vec<usize>>,
    effort: Effort,
    queries: u64,
}

impl<'a> Proving<'a> {
    /// A fact is about something that leads to a state, or to nothing.
    fn claim(&mut self, claim: Fact) -> Result<(), Refusal> {
        let function = claim.function(self.program).ok_or(Refusal::NotThere)?;
        let body = &self.program.functions[function];
        let active = BTreeMap::from([(0, function)]);
        let mut world = World::new(self.effects, self.shared, active, 0);
        let place = match claim {
            Fact::Block { block, .. } => {
                let block = BlockId::from_u32(block);
                body.blocks.get(block).ok_or(Refusal::NotThere)?;
                Place {
                    function,
                    block,
                    at: 0,
                }
            }
            Fact::Edge { edge } => {
                let edge = EdgeId::from_u32(edge);
                if self.dead.contains(&edge) {
                    return Ok(());
                }
                let site = self.program.edges[edge].site;
                let block = self.program.sites[site].block;
                let stands = self.program.inst_of_site(site);
                if stands.is_none() && body.blocks[block].terminator.site() != Some(site) {
                    return Err(Refusal::NotThere);
                }
                let mut stretch = Stretch {
                    world: &mut world,
                    effects: self.effects,
                    function,
                    height: 0,
                };
                match stands {
                    Some(at) => stretch.grow((block, at), edge),
                    None => stretch.leave(block, edge),
                }
                Place {
                    function,
                    block,
                    at: stands.unwrap_or(body.blocks[block].insts.len()),
                }
            }
        };
        match self.is_covered(&mut world, None, (place, &[]))? {
            true => Ok(()),
            false => Err(not_closed(place, None)),
        }
    }

    /// Whatever leads to a state comes from a state.
    fn step(&mut self, state: &State) -> Result<(), Refusal> {
        let Place {
            function,
            block,
            at,
        } = state.place;
        if let Some(call) = state.enters {
            return self.behind_call(state, call);
        }
        if block == Function::ENTRY {
            return self.behind_entry(state);
        }
        let body = &self.program.functions[function];
        let cfg = Cfg::new(body);
        let froms: BTreeSet<BlockId> = cfg
            .predecessors(block)
            .filter(|from| cfg.is_reachable(*from))
            .collect();
        for from in froms {
            let Some(edges) = self.edges(function, (from, block)) else {
                continue;
            };
            let height = state.waiting.len() as u32;
            let mut world = World::new(self.effects, self.shared, active(state), height);
            world.wait(&state.waiting);
            let mut stretch = Stretch {
                world: &mut world,
                effects: self.effects,
                function,
                height,
            };
            stretch.take((from, block), &edges);
            stretch.run(block, 0..at);
            let before = Place {
                function,
                block: from,
                at: body.blocks[from].insts.len(),
            };
            self.must_be_covered(world, state, (before, &state.waiting))?;
        }
        Ok(())
    }

    /// The edges from a block to another that runs may take; `None`: there is no way. Empty: nothing is decided.
    fn edges(&self, function: FuncId, (from, to): (BlockId, BlockId)) -> Option<Vec<EdgeId>> {
        let terminator = &self.program.functions[function].blocks[from].terminator;
        let Some(site) = terminator.site() else {
            return Some(Vec::new());
        };
        let edges = self.program.edges_of(site).zip(terminator.successors());
        let edges: Vec<EdgeId> = edges
            .filter(|(edge, other)| *other == to && !self.dead.contains(edge))
            .map(|(edge, _)| edge)
            .collect();
        (!edges.is_empty()).then_some(edges)
    }

    /// A state behind a call that is looked into.
    fn behind_call(&mut self, state: &State, call: usize) -> Result<(), Refusal> {
        let Place {
            function,
            block,
            at,
        } = state.place;
        let body = &self.program.functions[function];
        let value = body.blocks[block].insts[call];
        let site = self
            .effects
            .site(function, value)
            .ok_or(Refusal::NotThere)?;
        let front = Place {
            function,
            block,
            at: call,
        };
        let is_plain = site.callbacks.is_empty()
            && !self.effects.is_open(site)
            && self.effects.unmodelled(site).next().is_none();
        let height = state.waiting.len() as u32;
        if is_plain {
            let mut waiting = state.waiting.clone();
            waiting.push(front);
            let mut is_entered = true;
            for (callee, _) in self.effects.entered(site) {
                let inside = &self.program.functions[callee];
                let is_known = inside.blocks.iter().next().is_some();
                is_entered &= is_known;
                for (last, data) in inside.blocks.iter() {
                    let Terminator::Ret { value: returned } = &data.terminator else {
                        continue;
                    };
                    let mut active = active(state);
                    active.insert(height + 1, callee);
                    let mut world = World::new(self.effects, self.shared, active, height);
                    world.wait(&waiting);
                    let returned = returned.as_ref();
                    let made = returned.and_then(|operand| world.operand(height + 1, operand));
                    let made = made.or_else(|| world.result(function, value));
                    world.set(value, made);
                    let mut stretch = Stretch {
                        world: &mut world,
                        effects: self.effects,
                        function,
                        height,
                    };
                    stretch.run(block, call + 1..at);
                    let before = Place {
                        function: callee,
                        block: last,
                        at: data.insts.len(),
                    };
                    self.suppose(&mut world, state)?;
                    is_entered = is_entered
                        && self.is_covered(&mut world, Some(state), (before, &waiting))?;
                }
            }
            if is_entered {
                return Ok(());
            }
        }
        let mut world = World::new(self.effects, self.shared, active(state), height);
        world.wait(&state.waiting);
        let mut stretch = Stretch {
            world: &mut world,
            effects: self.effects,
            function,
            height,
        };
        stretch.run(block, call..at);
        self.must_be_covered(world, state, (front, &state.waiting))
    }

    /// A state from which only the entry of its function is in front.
    fn behind_entry(&mut self, state: &State) -> Result<(), Refusal> {
        let function = state.place.function;
        if let Some((call, rest)) = state.waiting.split_last() {
            return self.behind_caller(state, *call, rest);
        }
        if function == self.root {
            let mut world = World::new(
                self.effects,
                self.shared,
                BTreeMap::from([(CALLEE, function)]),
                CALLEE,
            );
            self.enter(&mut world, state);
            self.suppose(&mut world, state)?;
            world.starts();
            if !self.refutes(&mut world, &[])? {
                return Err(Refusal::NotRefuted {
                    what: "a state at the start".to_owned(),
                    verdict: "a run may begin in it".to_owned(),
                });
            }
        }
        if self.effects.is_called_from_outside(function) {
            let name = &self.program.functions[function].name;
            return Err(Refusal::NeedsSearch(format!(
                "not followed backward: code outside of the program may call {name}"
            )));
        }
        for (caller, inst) in self.effects.callers(function) {
            let body = &self.program.functions[caller];
            let Some(block) = body.inst(inst).map(|inst| inst.block) else {
                continue;
            };
            let at = body.blocks[block]
                .insts
                .iter()
                .position(|other| *other == inst);
            let call = Place {
                function: caller,
                block,
                at: at.ok_or(Refusal::NotThere)?,
            };
            self.behind_caller(state, call, &[])?;
        }
        Ok(())
    }

    /// The stretch from the entry of a state's function to its place.
    fn enter(&self, world: &mut World<'a>, state: &State) {
        let mut stretch = Stretch {
            world,
            effects: self.effects,
            function: state.place.function,
            height: CALLEE,
        };
        stretch.run(state.place.block, 0..state.place.at);
    }

    /// From a call into the function of a state; `rest`: the calls that wait for the caller.
    fn behind_caller(&mut self, state: &State, call: Place, rest: &[Place]) -> Result<(), Refusal> {
        let function = state.place.function;
        let caller = &self.program.functions[call.function];
        let value = caller.blocks[call.block].insts[call.at];
        let site = self
            .effects
            .site(call.function, value)
            .ok_or(Refusal::NotThere)?;
        let entered = self.effects.entered(site);
        let Some((_, gets_args)) = entered.iter().find(|(callee, _)| *callee == function) else {
            return Ok(());
        };
        let height = rest.len() as u32;
        let mut active = active(state);
        active.remove(&(state.waiting.len() as u32));
        active.insert(height, call.function);
        active.insert(CALLEE, function);
        let mut world = World::new(self.effects, self.shared, active, CALLEE);
        world.wait(rest);
        if let Some(Op::Call { callee, args, .. }) = caller.inst(value).map(|inst| &inst.op) {
            // Both ways in, if it is passed to what it is called by as well.
            let is_once = entered
                .iter()
                .filter(|(callee, _)| *callee == function)
                .count()
                == 1;
            if *gets_args && is_once {
                let params = &self.program.functions[function].params;
                for (param, arg) in params.iter().zip(args) {
                    let made = world.operand(height, arg);
                    world.set(*param, made);
                }
                if let Callee::Indirect(operand) = callee
                    && let Some(address) = world.operand(height, operand).and_then(|it| it.scalar())
                    && let bits = world.pool.width(address)
                    && let Some(own) = world.symbol(Symbol::Function(function), bits)
                {
                    let is_it = world.pool.eq(address, own);
                    world.hold(is_it);
                }
            }
        }
        self.enter(&mut world, state);
        self.must_be_covered(world, state, (call, rest))
    }

    fn must_be_covered(
        &mut self,
        mut world: World<'a>,
        state: &State,
        before: (Place, &[Place]),
    ) -> Result<(), Refusal> {
        self.suppose(&mut world, state)?;
        match self.is_covered(&mut world, Some(state), before)? {
            true => Ok(()),
            false => Err(not_closed(state.place, Some(before.0))),
        }
    }

    /// The conditions of a state hold at the end of a stretch.
    fn suppose(&self, world: &mut World<'a>, state: &State) -> Result<(), Refusal> {
        if world.is_over {
            return Ok(());
        }
        let seen = self.at_end(world, state, &state.needs)?;
        for condition in &state.conditions {
            // What is not known there is not supposed.
            if let Some(term) = seen[condition] {
                if world.pool.width(term) != 1 {
                    return Err(Refusal::Body("a condition is no truth value".to_owned()));
                }
                world.hold(term);
            }
        }
        Ok(())
    }

    /// Terms of a state at the end of a stretch.
    fn at_end(
        &self,
        world: &mut World<'a>,
        state: &State,
        terms: &[usize],
    ) -> Result<Seen, Refusal> {
        let own = state.waiting.len() as u32;
        let mut seen = Seen::new();
        for &term in terms {
            let made = match &self.parsed.terms[term] {
                Node::Value {
                    height,
                    value,
                    scalar,
                    bits,
                } => {
                    let height = match *height == own {
                        // At the entry of its function, its height is its caller's too.
                        true if world.has(CALLEE) => CALLEE,
                        _ => *height,
                    };
                    let known = world.value(height, *value);
                    scalar_of(world, known, (*scalar, *bits))
                }
                Node::Cell { address, bytes } => {
                    let at = address_of(world, seen[address])?;
                    at.map(|at| world.load(at, *bytes))
                }
                Node::Some { name, bits, .. } => Some(world.some(*name, *bits)),
                node => built(world, node, &seen)?,
            };
            seen.insert(term, made);
        }
        Ok(seen)
    }

    /// Terms of a state at the start of a stretch. `behind`: the state at its end, if it ends in one.
    fn at_start(
        &self,
        world: &mut World<'a>,
        state: &State,
        behind: Option<&State>,
    ) -> Result<Seen, Refusal> {
        let mut seen = Seen::new();
        for &term in &state.needs {
            let made = match &self.parsed.terms[term] {
                Node::Value {
                    height,
                    value,
                    scalar,
                    bits,
                } => {
                    let known = world.at_start(*height, *value);
                    scalar_of(world, known, (*scalar, *bits))
                }
                Node::Cell { address, bytes } => {
                    let at = address_of(world, seen[address])?;
                    at.map(|at| world.load_at_start(at, *bytes))
                }
                Node::Some { name, bits, of } => match behind {
                    Some(behind) => self.witness(world, behind, (*name, *bits), of)?,
                    None => None,
                },
                node => built(world, node, &seen)?,
            };
            seen.insert(term, made);
        }
        Ok(seen)
    }

    /// A number that there is in front of a stretch: what it is behind it, if it is spoken of there; else one of the terms that it
    /// may be there. Any number would do.
    fn witness(
        &self,
        world: &mut World<'a>,
        behind: &State,
        (name, bits): (u32, u16),
        of: &[usize],
    ) -> Result<Option<Term>, Refusal> {
        let is_it = |term: &usize| {
            matches!(&self.parsed.terms[*term], Node::Some { name: own, bits: own_bits, .. }
                if (*own, *own_bits) == (name, bits))
        };
        if behind.needs.iter().any(is_it) {
            return Ok(Some(world.some(name, bits)));
        }
        let known = of.iter().find(|term| behind.needs.contains(term));
        let Some(&term) = known.or(of.first()) else {
            return Ok(None);
        };
        let needs = text::needs(&self.parsed.terms, &[term]);
        let seen = self.at_end(world, behind, &needs)?;
        let Some(made) = seen[&term] else {
            return Ok(None);
        };
        let width = world.pool.width(made);
        Ok(match width >= bits {
            true => Some(world.pool.extract(made, 0, bits)),
            false => None,
        })
    }

    /// Whether a run that goes through a stretch is in one of the states at its start.
    fn is_covered(
        &mut self,
        world: &mut World<'a>,
        behind: Option<&State>,
        (place, waiting): (Place, &[Place]),
    ) -> Result<bool, Refusal> {
        if world.is_over || world.held.iter().any(|term| world.pool.is_false(*term)) {
            return Ok(true);
        }
        let key = (place, waiting.to_vec());
        let states = self.at.get(&key).cloned().unwrap_or_default();
        let held: HashSet<Term> = world.held.iter().copied().collect();
        let mut left_out = Vec::new();
        for index in states {
            let state = &self.parsed.states[index];
            let seen = self.at_start(world, state, behind)?;
            let conditions: Option<Vec<Term>> = state
                .conditions
                .iter()
                .map(|condition| seen[condition])
                .collect();
            let Some(conditions) = conditions else {
                continue;
            };
            if conditions.iter().any(|term| world.pool.width(*term) != 1) {
                return Err(Refusal::Body("a condition is no truth value".to_owned()));
            }
            let is_held = |term: &Term| world.pool.is_true(*term) || held.contains(term);
            if conditions.iter().all(is_held) {
                return Ok(true);
            }
            let mut all = world.pool.bool(true);
            for condition in conditions {
                all = world.pool.and(all, condition);
            }
            left_out.push(world.pool.not(all));
        }
        self.refutes(world, &left_out)
    }

    /// Whether what is held on a stretch and some terms exclude each other.
    fn refutes(&mut self, world: &mut World<'a>, more: &[Term]) -> Result<bool, Refusal> {
        if world.is_over {
            return Ok(true);
        }
        let known = world.known_of_objects();
        let terms = world.held.iter().chain(more).chain(&known);
        let terms: Vec<Term> = terms.copied().collect();
        if terms.iter().any(|term| world.pool.is_false(*term)) {
            return Ok(true);
        }
        let budget = self.effort.ask()?;
        self.queries += 1;
        let mut solver = self.effort.checker().map_err(|error| Refusal::NotRefuted {
            what: "a state".to_owned(),
            verdict: error.to_string(),
        })?;
        for term in terms {
            solver.assert(&world.pool, term);
        }
        let asked = Check {
            budget,
            ..Check::new(&[])
        };
        let verdict = solver.check(&world.pool, &asked);
        self.effort.spend(solver.stats().steps)?;
        Ok(matches!(verdict, Verdict::Unsat(_)))
    }
}

/// One scalar of a value, if it has the width.
fn scalar_of(
    world: &World<'_>,
    known: Option<semantics::Value>,
    (scalar, bits): (usize, u16),
) -> Option<Term> {
    let term = known?.scalars().get(scalar).copied();
    term.filter(|term| world.pool.width(*term) == bits)
}

/// A term, if it is an address.
fn address_of(world: &World<'_>, term: Option<Term>) -> Result<Option<Term>, Refusal> {
    match term {
        Some(term) if !world.is_address(term) => {
            Err(Refusal::Body("a cell is at no address".to_owned()))
        }
        term => Ok(term),
    }
}

/// A term over others.
fn built(world: &mut World<'_>, node: &Node, seen: &Seen) -> Result<Option<Term>, Refusal> {
    let all =
        |terms: &[usize]| -> Option<Vec<Term>> { terms.iter().map(|term| seen[term]).collect() };
    let bad = || Refusal::Body("widths of a term do not fit".to_owned());
    Ok(match node {
        Node::Const { bits, value } => Some(world.pool.constant(*bits, *value)),
        Node::Symbol { symbol, bits } => world.symbol(*symbol, *bits),
        Node::Op {
            op,
            bits,
            aux,
            operands,
        } => match all(operands) {
            Some(operands) => {
                let made = world.pool.try_apply(*op, *bits, *aux, &operands);
                Some(made.map_err(|_| bad())?)
            }
            None => None,
        },
        Node::Table { index, entries } => match (seen[index], all(entries)) {
            (Some(index), Some(entries)) => {
                let bits = world.pool.width(entries[0]);
                if entries.iter().any(|entry| world.pool.width(*entry) != bits) {
                    return Err(bad());
                }
                Some(world.pool.table(index, entries.into()))
            }
            _ => None,
        },
        Node::Value { .. } | Node::Cell { .. } | Node::Some { .. } => None,
    })
}

/// The functions that are active at a state, by their heights.
fn active(state: &State) -> BTreeMap<u32, FuncId> {
    let waiting = state.waiting.iter().map(|place| place.function);
    let all = waiting.chain([state.place.function]);
    (0u32..).zip(all).collect()
}

/// Control may come to a place, from a place in front of it, without a state that covers that.
fn not_closed(place: Place, from: Option<Place>) -> Refusal {
    let said = |place: Place| format!("{} {} {}", place.function, place.block, place.at);
    let from = from.map_or_else(String::new, |from| format!(" ({})", said(from)));
    Refusal::NotRefuted {
        what: said(place),
        verdict: format!("control comes there from a state that is not among those in front{from}"),
    }
}
