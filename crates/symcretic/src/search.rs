//! The search: from a goal backward, depth first, to where a run's state meets a condition.
//!
//! Each state is checked when it is made: one whose conditions contradict each other is dropped, one that another one at the same place
//! already covers is not followed. What is not decided is followed without the condition that was added last.
//!
//! Must hold: "no input" is said only when every state was followed to the end, and none of them may hold where the program starts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::{EdgeId, FuncId, Function, Program, Terminator};
use smt::{Answer, Assignment, Effort, Evaluator, Query, Solver, Term};

use crate::atom::Atom;
use crate::closed::Kept;
use crate::cross::{Cross, Crossed};
use crate::facts::{Beside, Facts};
use crate::groups::Groups;
use crate::image::Language;
use crate::join::Joins;
use crate::memory::{Root, initial};
use crate::nearness::nearness;
use crate::simplify::simplify;
use crate::state::{Condition, Place, State};
use crate::ways::Before;

/// What a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// A run takes this edge.
    Edge(EdgeId),
    /// It comes to this place.
    Place(Place),
}

/// What may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stretches without a branching that are gone back.
    pub segments: u64,
    /// Blocks of a path.
    pub length: u32,
    /// Terms.
    pub terms: usize,
    /// Times that a path goes round a loop; what is before it is then taken for any number of rounds.
    pub rounds: u32,
}

/// Rounds of a loop, as a rule.
pub const ROUNDS: u32 = 6;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            segments: 20_000,
            length: 2_000,
            terms: 4 << 20,
            rounds: ROUNDS,
        }
    }
}

/// What the search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Stretches without a branching.
    pub segments: u64,
    /// Checks of a solver.
    pub checks: u64,
    /// States that were dropped since their conditions contradict each other.
    pub contradicted: u64,
    /// States that another one covers.
    pub covered: u64,
    /// Conditions that were put off.
    pub deferred: u64,
    /// Times that a state and a run were joined.
    pub joined: u64,
    /// Evaluations of traces.
    pub evaluations: u64,
}

/// What stands in the way of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hindrance {
    /// A state may hold where the program starts.
    Start,
    /// Something may call the function that nobody sees.
    Caller,
    /// A path is too long.
    Length,
    /// The budget is spent.
    Budget,
    /// Control may come there in a way that is not followed (`setjmp`, handlers, code outside of the model).
    Control,
}

/// What a search came to so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is more to follow.
    Working,
    /// No input: every way ends in a contradiction.
    Unreachable,
    /// Nothing is left to follow, and this is why that proves nothing.
    Stuck(BTreeSet<Hindrance>),
}

/// How far a search from one goal has come. It can be put aside, and taken up again by the search that it is of.
#[derive(Default)]
pub struct Quest {
    work: Vec<State>,
    /// Conditions that were taken up at a place with the calls that wait there, spare ones apart.
    seen: HashMap<(Place, Vec<Place>, bool), Vec<BTreeSet<Term>>>,
    hindrances: BTreeSet<Hindrance>,
    /// Edges of conditions that took part in a contradiction: how often.
    pub contradicted: BTreeMap<EdgeId, u64>,
    pub stats: Stats,
    /// States in front of branches and calls, to be joined with runs.
    pub(crate) fresh: Vec<State>,
    /// What was joined so far.
    pub(crate) joins: Joins,
}

/// A search from goals, one at a time.
pub struct Search<'p> {
    pub(crate) facts: Facts<'p>,
    pub(crate) language: Language,
    solver: Solver,
    root: Option<FuncId>,
    shared: bool,
    /// Control may come from where the model does not say.
    wild: bool,
    limits: Limits,
    /// What holds anyway is no condition.
    lean: bool,
    /// States of all goals that were taken up, if they are kept for a certificate.
    pub(crate) kept: Option<Vec<Kept>>,
    /// The goal that is looked at.
    pub quest: Quest,
}

/// How the program is known.
pub struct Given<'p> {
    pub program: &'p Program,
    /// Edges that no run takes.
    pub dead: BTreeSet<EdgeId>,
    /// Control may come from where the model does not say.
    pub wild: bool,
    pub beside: Beside,
}

impl<'p> Search<'p> {
    /// A search that has no goal yet.
    #[must_use]
    pub fn new(given: Given<'p>, solver: Solver, limits: Limits) -> Search<'p> {
        let program = given.program;
        Search {
            wild: given.wild || is_strange(program),
            shared: given.beside.shared,
            facts: Facts::new(program, given.dead, given.beside),
            language: Language::default(),
            solver,
            root: program.function_named("main"),
            limits,
            lean: false,
            kept: None,
            quest: Quest::default(),
        }
    }

    /// From now on, paths go round loops so often. A goal that was begun has to be started again.
    pub fn go_round(&mut self, rounds: u32) {
        self.limits.rounds = rounds;
    }

    /// From now on, conditions whose other sides no run takes are left out, or not. Without them conditions speak of less, so that
    /// fewer ways differ; with them more contradicts. A goal that was begun has to be started again.
    pub fn leave_out(&mut self, what_holds: bool) {
        self.lean = what_holds;
    }

    /// From now on, states are kept for a certificate.
    pub fn keep(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// Begins at a goal; how far the search had come from another one is handed out.
    pub fn start(&mut self, goal: Goal) -> Quest {
        let before = std::mem::take(&mut self.quest);
        if self.wild {
            self.quest.hindrances.insert(Hindrance::Control);
        }
        self.begin(goal);
        before
    }

    /// Goes on from where it was; what it leaves is handed out. The quest must be this search's own.
    pub fn resume(&mut self, quest: Quest) -> Quest {
        std::mem::replace(&mut self.quest, quest)
    }

    /// No run takes an edge: there is a proof.
    pub fn rule_out(&mut self, edge: EdgeId) {
        self.facts.dead.insert(edge);
        self.facts.forget(edge);
    }

    /// Terms that were made for all goals so far.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.language.pool.len()
    }

    /// Queries that the solver gave up so far.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.solver.stats().unknown
    }

    fn begin(&mut self, goal: Goal) {
        let program = self.facts.program;
        let place = match goal {
            Goal::Place(place) => place,
            Goal::Edge(edge) => {
                let id = program.edges[edge].site;
                let site = &program.sites[id];
                let insts = &program.functions[site.function].blocks[site.block].insts;
                Place {
                    function: site.function,
                    block: site.block,
                    at: program.inst_of_site(id).unwrap_or(insts.len()),
                }
            }
        };
        let mut state = State::at(place);
        if let Goal::Edge(edge) = goal {
            if self.facts.dead.contains(&edge) {
                return;
            }
            let mut cross = self.cross();
            cross.take_edge(&mut state, edge);
        }
        self.admit(state);
    }

    pub(crate) fn cross(&mut self) -> Cross<'_, 'p> {
        Cross {
            facts: &self.facts,
            language: &mut self.language,
            shared: self.shared,
            rounds: self.limits.rounds,
            keeps: self.kept.is_some(),
            lean: self.lean,
            waiting: Vec::new(),
        }
    }

    /// Goes back one stretch.
    pub fn step(&mut self) -> Progress {
        if self.quest.stats.segments >= self.limits.segments || self.is_spent() {
            for state in std::mem::take(&mut self.quest.work) {
                self.hinder(&state, Hindrance::Budget);
            }
        }
        let next = match self.is_refuted() {
            true => None,
            false => self.next(),
        };
        let Some(state) = next else {
            return match self.quest.hindrances.is_empty() {
                true => Progress::Unreachable,
                false => Progress::Stuck(self.quest.hindrances.clone()),
            };
        };
        self.quest.stats.segments += 1;
        self.stretch(state);
        Progress::Working
    }

    /// Too many terms were made, or somebody stopped the solver.
    fn is_spent(&self) -> bool {
        self.language.pool.len() > self.limits.terms || self.solver.is_stopped()
    }

    /// Is there more to follow?
    pub(crate) fn goes_on(&self) -> bool {
        !self.quest.work.is_empty()
    }

    /// Nothing is left but what other states stand for, and nothing stands in the way of a proof.
    fn is_refuted(&self) -> bool {
        let mut work = self.quest.work.iter();
        self.quest.hindrances.is_empty() && work.all(|state| state.spare)
    }

    /// The state that is followed next: in turns the nearest and the last one, now and then the first.
    fn next(&mut self) -> Option<State> {
        let work = &mut self.quest.work;
        match self.quest.stats.segments % 8 {
            turn if turn % 2 == 0 => {
                let states = work.iter().enumerate().rev();
                let (nearest, _) = states.min_by_key(|(_, state)| state.nearness)?;
                Some(work.remove(nearest))
            }
            turn => {
                let at = match turn {
                    7 => work.iter().position(|state| !state.spare),
                    _ => work.iter().rposition(|state| !state.spare),
                };
                Some(work.remove(at.or(work.len().checked_sub(1))?))
            }
        }
    }

    /// Goes back to the next branching.
    fn stretch(&mut self, mut state: State) {
        if state.length > self.limits.length {
            self.hinder(&state, Hindrance::Length);
            return;
        }
        let program = self.facts.program;
        let root = self.root;
        loop {
            let function = &program.functions[state.place.function];
            let insts = &function.blocks[state.place.block].insts;
            let in_front = state.place.at.checked_sub(1).map(|at| insts[at]);
            let is_phi = |value| {
                let inst = function.inst(value);
                inst.is_some_and(|inst| matches!(inst.op, program::Op::Phi { .. }))
            };
            let before = match in_front.filter(|value| !is_phi(*value)) {
                Some(_) => {
                    match self.cross().back(&mut state) {
                        // A block may be so long, and what it computes so large, that each instruction takes seconds.
                        Crossed::On if self.is_spent() => {
                            self.hinder(&state, Hindrance::Budget);
                            return;
                        }
                        Crossed::On => continue,
                        Crossed::Never => return,
                        Crossed::From(functions) => self.cross().before_return(&state, &functions),
                    }
                }
                None => self.cross().before_block(&state, root),
            };
            if in_front.is_some_and(|value| !is_phi(value))
                && let (Some(number), Some(kept)) = (state.kept, &mut self.kept)
            {
                kept[number].enters = Some(state.place.at);
            }
            self.arrive(&state, before);
            return;
        }
    }

    fn arrive(&mut self, state: &State, before: Before) {
        if before.start && self.may_start(state) {
            self.hinder(state, Hindrance::Start);
            self.quest.fresh.push(state.clone());
        }
        if before.unknown {
            self.hinder(state, Hindrance::Caller);
        }
        for other in before.between {
            self.keep_state(&other);
        }
        let facts = &self.facts;
        let mut states = before.states;
        // The last is followed first: ways that lead to the entry by fewer blocks.
        states.sort_by_key(|state| {
            let body = facts.body(state.place.function);
            let around = state.rounds.values().map(|round| round.count).sum::<u32>();
            std::cmp::Reverse((around, body.distance[state.place.block.index()]))
        });
        for state in states {
            self.admit(state);
        }
    }

    /// Something stands in the way of a proof.
    fn hinder(&mut self, state: &State, what: Hindrance) {
        if state.refutes() {
            self.quest.hindrances.insert(what);
        }
    }

    /// Takes a state up, if it may hold and is not covered.
    fn admit(&mut self, mut state: State) {
        simplify(&mut self.language, &mut state);
        let is_known = self.is_covered(&state);
        if is_known || !self.may_hold(&mut state) {
            match is_known {
                true => self.quest.stats.covered += 1,
                false => self.quest.stats.contradicted += 1,
            }
            return;
        }
        self.settle(&mut state);
        if self.is_covered(&state) {
            self.quest.stats.covered += 1;
            return;
        }
        self.note(&state);
        state.nearness = match state.vague {
            true => u64::MAX,
            false => nearness(&self.facts, &mut self.language, &state),
        };
        state.kept = self.keep_state(&state);
        self.quest.fresh.push(state.clone());
        self.quest.work.push(state);
    }

    /// Keeps a state for a certificate, if states are kept.
    fn keep_state(&mut self, state: &State) -> Option<usize> {
        let kept = self.kept.as_mut().filter(|_| state.refutes())?;
        let mut conditions: Vec<Term> = state.terms().collect();
        conditions.sort_unstable();
        conditions.dedup();
        kept.push(Kept {
            place: state.place,
            waiting: state.waiting.clone(),
            conditions,
            enters: None,
        });
        Some(kept.len() - 1)
    }

    /// Whether the conditions of a state may hold together.
    pub(crate) fn may_hold(&mut self, state: &mut State) -> bool {
        let pool = &self.language.pool;
        state
            .conditions
            .retain(|condition| !pool.is_true(condition.term));
        if let Some(wrong) = state
            .conditions
            .iter()
            .find(|condition| pool.is_false(condition.term))
        {
            if let Some(edge) = wrong.edge {
                *self.quest.contradicted.entry(edge).or_default() += 1;
            }
            return false;
        }
        if let Some(model) = &state.model {
            let mut values = Evaluator::new(pool, model);
            if state.terms().all(|term| values.value(term) == 1) {
                return true;
            }
        }
        let known = self.known_of_objects(state);
        let terms: Vec<Term> = state.terms().chain(known).collect();
        self.quest.stats.checks += 1;
        match self.ask(&terms, state.model.as_ref()) {
            Answer::Sat(model) => {
                state.model = Some(model);
                true
            }
            Answer::Unsat => {
                let edges = state
                    .conditions
                    .iter()
                    .filter_map(|condition| condition.edge);
                for edge in edges {
                    *self.quest.contradicted.entry(edge).or_default() += 1;
                }
                false
            }
            Answer::Unknown(_) => {
                // The last condition is put off: it refutes nothing from here on.
                state.model = None;
                self.quest.stats.deferred += 1;
                if let Some(last) = state.conditions.pop() {
                    state.deferred.push(last);
                }
                state.live = None;
                state.vague = true;
                true
            }
        }
    }

    /// Whether terms may hold together, asked near values that were right before.
    fn ask(&mut self, terms: &[Term], near: Option<&Assignment>) -> Answer {
        let none = Assignment::new();
        let hint = near.unwrap_or(&none);
        let pool = &mut self.language.pool;
        let mut values = Evaluator::new(pool, hint);
        let (held, wanted): (Vec<Term>, Vec<Term>) =
            terms.iter().partition(|term| values.value(**term) == 1);
        let mut goal = pool.bool(true);
        for term in wanted {
            goal = pool.and(goal, term);
        }
        let query = Query {
            prefix: &held,
            goal,
            hint,
            effort: Effort::Full,
        };
        self.solver.solve(pool, &query)
    }

    /// What holds of the addresses of objects that the conditions speak of.
    fn known_of_objects(&mut self, state: &State) -> Vec<Term> {
        let vars = self.language.atoms_of(state.terms());
        let mut objects: Vec<(Term, u64)> = Vec::new();
        for var in vars {
            let Some((atom, bits)) = self.language.atoms.get(var).cloned() else {
                continue;
            };
            if !matches!(atom, Atom::Symbol(_) | Atom::Value { .. }) {
                continue;
            }
            let term = self.language.pool.var(var, bits);
            let size = match self.language.root(&self.facts, state, term) {
                // Two of no size may stand at the same place, and linkers merge constants.
                Some(Root::Symbol(semantics::Symbol::Global(global))) => {
                    let data = &self.facts.program.globals[global];
                    if data.constant { 0 } else { data.size }
                }
                // What is defined elsewhere may be weak, and missing.
                Some(Root::Symbol(semantics::Symbol::Extern(_))) => continue,
                Some(Root::Symbol(_)) => 1,
                Some(Root::Object { height, value }) => match atom {
                    Atom::Value { value: own, .. } if own == value => {
                        self.size_of(state, height, value)
                    }
                    // A place in an object is no object.
                    _ => continue,
                },
                None => continue,
            };
            objects.push((term, size));
        }
        let pool = &mut self.language.pool;
        let mut known = Vec::new();
        for (index, (object, size)) in objects.iter().enumerate() {
            let bits = pool.width(*object);
            // Objects are somewhere behind the first page, and on x86-64 in the lower half.
            let low = pool.constant(bits, 4096);
            known.push(pool.cmp(smt::Op::Ule, low, *object));
            if bits == 64 {
                let high = pool.constant(bits, 1 << 47);
                known.push(pool.cmp(smt::Op::Ult, *object, high));
            }
            let others = objects[..index]
                .iter()
                .filter(|(_, other)| *size > 0 && *other > 0);
            for (other, other_size) in others.take(8) {
                known.push(semantics::apart(
                    pool,
                    (*object, *size),
                    (*other, *other_size),
                ));
            }
        }
        known
    }

    /// The least size of a local object, in bytes.
    fn size_of(&self, state: &State, height: u32, value: program::ValueId) -> u64 {
        let function = crate::memory::Heights::function(state, height);
        let inst = function.and_then(|function| self.facts.program.functions[function].inst(value));
        match inst.map(|inst| &inst.op) {
            Some(program::Op::Alloca { size, count, .. }) => match count.constant() {
                Some(program::Const::Int { value, .. }) => size
                    .saturating_mul(u64::try_from(*value).unwrap_or(u64::MAX))
                    .min(1 << 32),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Conditions that only the rest of the path decides are met whatever comes before: they are put aside.
    pub(crate) fn settle(&mut self, state: &mut State) {
        let mut groups = Groups::default();
        for (index, condition) in state.conditions.iter().enumerate() {
            groups.add(index, &self.language, condition.term);
        }
        let free = groups.free(&self.language);
        if free.is_empty() {
            return;
        }
        let mut index = 0;
        let settled = &mut state.settled;
        state.conditions.retain(|condition| {
            let is_free = free.contains(&index);
            index += 1;
            if is_free {
                settled.push(*condition);
            }
            !is_free
        });
        state.live = None;
    }

    /// Whether another state at the place, with fewer conditions, was taken up before.
    fn is_covered(&self, state: &State) -> bool {
        let terms: BTreeSet<Term> = state.terms().collect();
        let covers = |spare: bool| {
            let key = (state.place, state.waiting.clone(), spare);
            let mut known = self.quest.seen.get(&key).into_iter().flatten();
            known.any(|other| other.is_subset(&terms))
        };
        state.loops.is_empty() && (covers(false) || state.spare && covers(true))
    }

    /// A state is taken up: it covers others.
    fn note(&mut self, state: &State) {
        if !state.loops.is_empty() {
            return;
        }
        let terms: BTreeSet<Term> = state.terms().collect();
        let key = (state.place, state.waiting.clone(), state.spare);
        let known = self.quest.seen.entry(key).or_default();
        known.retain(|other| !terms.is_subset(other));
        known.push(terms);
    }

    /// Whether the conditions of a state may hold where the program starts.
    pub(crate) fn may_start(&mut self, state: &State) -> bool {
        let mut first = state.clone();
        let facts = &self.facts;
        let active = state.active();
        let mut cross = Cross {
            facts,
            language: &mut self.language,
            shared: self.shared,
            rounds: self.limits.rounds,
            keeps: self.kept.is_some(),
            lean: self.lean,
            waiting: Vec::new(),
        };
        cross.apply(&mut first, &mut |language, atom, _| {
            let Atom::Cell { address, bytes } = atom else {
                return None;
            };
            let Some(Root::Symbol(semantics::Symbol::Global(global))) =
                language.root(facts, &active, *address)
            else {
                return None;
            };
            let (parts, offset) = language.pool.summands(*address);
            match parts.len() {
                1 => initial(facts, language, (global, offset), *bytes),
                _ => None,
            }
        });
        first.model = None;
        self.may_hold(&mut first)
    }

    /// Whether control may come from where the model does not say.
    pub(crate) fn is_wild(&self) -> bool {
        self.wild
    }

    /// The function where the program starts, if it has one.
    pub(crate) fn root(&self) -> Option<FuncId> {
        self.root
    }

    /// Is this the place where the program starts?
    pub(crate) fn is_start(&self, state: &State) -> bool {
        let Place {
            function,
            block,
            at,
        } = state.place;
        Some(function) == self.root && block == Function::ENTRY && at == 0
    }

    /// What the conditions of a state say.
    #[must_use]
    pub fn show(&self, conditions: &[Condition]) -> Vec<String> {
        let pool = &self.language.pool;
        conditions
            .iter()
            .map(|condition| pool.show(condition.term))
            .collect()
    }
}

/// Does control go in ways that are not followed (calls that end blocks, with a way for exceptions), or does memory change in ways that
/// no call shows?
fn is_strange(program: &Program) -> bool {
    if program
        .externs
        .values()
        .any(|function| wire::libc::KEEPERS.contains(&&*function.name))
    {
        return true;
    }
    let mut blocks = program
        .functions
        .values()
        .flat_map(|function| function.blocks.values());
    blocks.any(|block| matches!(block.terminator, Terminator::Opaque { .. }))
}
