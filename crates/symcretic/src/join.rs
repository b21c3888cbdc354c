//! Runs and conditions, joined: a run that comes to the place of a condition, its state there, and the condition give one query
//! (symbolic execution at the frontier, in the words of bidirectional analysis).
//!
//! Must hold: an answer is an input of the program as its runs name them; the path of the run up to the place holds under it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use machine::{Course, Machine, States, View};
use path::{InputVector, Run, Step, Target as _, TargetError, ValueType};
use program::{BlockId, FuncId};
use semantics::Builder;
use smt::{Answer, Effort, Op, Query, Shape, Solver, Term, Var};

use crate::atom::{Atom, Atoms};
use crate::execute::Executed;
use crate::search::Search;
use crate::state::{Asked, State};
use crate::visits::{self, Asking, Known, Places, Row};

/// Times that one run comes to a place that are looked at: the nearest to what must hold, of those the first ones and the last ones.
const OCCURRENCES: usize = 6;
/// Runs that are gone through in one go for what variables were at a place.
const LOOKS: u64 = 4;
/// Runs that are kept.
const RUNS: usize = 64;
/// Times that states are joined in one go.
const TRIES: u64 = 2;
/// Times that an input is asked for, for one on whose path something is not known, while there is more to follow.
const VAGUE: u64 = 8;
/// States of a kind that wait to be joined with runs.
const PENDING: usize = 4096;

/// An input that should come to the goal.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub input: InputVector,
    /// Something on the way is not known, or was left out.
    pub vague: bool,
}

/// A run, and where it came by.
struct Seen {
    number: u64,
    run: Run,
    /// How it went, once its states were asked for.
    course: Option<Course>,
    /// Steps that take an edge of a block's site.
    sites: HashMap<(FuncId, BlockId), Vec<usize>>,
    /// Steps that enter a function.
    calls: HashMap<FuncId, Vec<usize>>,
    /// What it was at the places of conditions.
    places: Places,
}

impl Seen {
    fn new(program: &program::Program, (number, run): (u64, Run)) -> Seen {
        let mut seen = Seen {
            number,
            course: None,
            sites: HashMap::new(),
            calls: HashMap::new(),
            places: Places::new(),
            run,
        };
        for (number, step) in seen.run.steps.iter().enumerate() {
            match step {
                Step::Edge { edge, .. } => {
                    let site = &program.sites[program.edges[*edge].site];
                    let place = (site.function, site.block);
                    seen.sites.entry(place).or_default().push(number);
                }
                Step::Call(function) => {
                    seen.calls.entry(*function).or_default().push(number);
                }
                _ => {}
            }
        }
        seen
    }
}

/// States that are joined with runs, the last first.
#[derive(Default)]
struct Pending(Vec<(State, u64)>);

impl Pending {
    fn add(&mut self, state: State) {
        if self.0.len() == PENDING {
            self.0.remove(0);
        }
        self.0.push((state, 0));
    }
}

/// What was joined of one goal's states.
#[derive(Default)]
pub(crate) struct Joins {
    /// States, each with the first run that it was not joined with.
    sharp: Pending,
    /// Those on whose path something is not known: their inputs mostly lead elsewhere.
    vague: Pending,
    asked: u64,
    tried: BTreeSet<(u64, usize, Vec<Term>)>,
}

/// Joins the states of a search with runs.
pub struct Joint<'p> {
    machine: Machine<'p>,
    solver: Solver,
    seen: Vec<Seen>,
    /// Runs so far, those that were forgotten included.
    runs: u64,
    /// Times that a run was gone through for what variables were at a place.
    looks: u64,
    /// How far conditions are from holding.
    known: Known,
}

impl<'p> Joint<'p> {
    pub fn new(machine: Machine<'p>, solver: Solver) -> Joint<'p> {
        Joint {
            machine,
            solver,
            seen: Vec::new(),
            runs: 0,
            looks: 0,
            known: Known::default(),
        }
    }

    /// Queries that the solver gave up so far.
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.solver.stats().unknown
    }

    /// Runs so far, those that were forgotten included.
    #[must_use]
    pub const fn runs(&self) -> u64 {
        self.runs
    }

    /// Makes the run of an input, and keeps it.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn observe(
        &mut self,
        search: &mut Search<'p>,
        input: &InputVector,
    ) -> Result<&Run, TargetError> {
        let run = self.machine.run(&mut search.language.pool, input)?;
        if self.seen.len() >= RUNS {
            self.seen.remove(1);
        }
        let number = self.runs;
        self.runs += 1;
        self.seen
            .push(Seen::new(search.facts.program, (number, run)));
        let last = self.seen.len() - 1;
        Ok(&self.seen[last].run)
    }

    /// An input from the states that are new, or from the runs that are. `None` after a few tries, too: see [`Joint::is_done`].
    pub fn candidate(&mut self, search: &mut Search<'p>) -> Option<Candidate> {
        let fresh = std::mem::take(&mut search.quest.fresh);
        let joins = &mut search.quest.joins;
        for state in fresh {
            match state.vague {
                true => joins.vague.add(state),
                false => joins.sharp.add(state),
            }
        }
        joins.asked += 1;
        let tries_all = joins.asked.is_multiple_of(VAGUE) || !search.goes_on();
        let mut pending = std::mem::take(&mut search.quest.joins.sharp);
        let mut found = self.first_of(search, &mut pending);
        search.quest.joins.sharp = pending;
        if found.is_none() && tries_all {
            let mut pending = std::mem::take(&mut search.quest.joins.vague);
            found = self.first_of(search, &mut pending);
            search.quest.joins.vague = pending;
        }
        found
    }

    /// An input from states that are joined with runs, after a few tries at most.
    fn first_of(&mut self, search: &mut Search<'p>, pending: &mut Pending) -> Option<Candidate> {
        let (before, looks) = (search.quest.stats.joined, self.looks);
        for (state, next) in pending.0.iter_mut().rev() {
            while let Some(index) = self.first_since(*next) {
                let joined = search.quest.stats.joined;
                if joined > before + TRIES || self.looks > looks + LOOKS {
                    return None;
                }
                *next = self.seen[index].number + 1;
                if let Some(found) = self.with_run(search, state, index) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The first run of those that are kept, from a number on.
    fn first_since(&self, number: u64) -> Option<usize> {
        let at = self.seen.partition_point(|seen| seen.number < number);
        (at < self.seen.len()).then_some(at)
    }

    /// Whether every state of the goal was joined with every run.
    #[must_use]
    pub fn is_done(&self, search: &Search<'p>) -> bool {
        let joins = &search.quest.joins;
        let mut pending = joins.sharp.0.iter().chain(&joins.vague.0);
        search.quest.fresh.is_empty() && pending.all(|(_, next)| *next >= self.runs)
    }

    fn with_run(
        &mut self,
        search: &mut Search<'p>,
        state: &State,
        number: usize,
    ) -> Option<Candidate> {
        let steps = steps_at(search, state, &self.seen[number]);
        if steps.is_empty() {
            return None;
        }
        let chosen = match steps.len() {
            1 => steps,
            _ => self.nearest(search, state, (number, &steps)),
        };
        for step in chosen {
            if let Some(found) = self.at_step(search, state, (number, step)) {
                return Some(found);
            }
        }
        None
    }

    /// The steps of a run at which it is nearest to what must hold at a state, of those where it is there.
    fn nearest(
        &mut self,
        search: &mut Search<'p>,
        state: &State,
        (number, steps): (usize, &[usize]),
    ) -> Vec<usize> {
        let is_start = search.is_start(state);
        let program = search.facts.program;
        let Seen {
            run,
            course,
            places,
            ..
        } = &mut self.seen[number];
        let crate::image::Language { pool, atoms } = &mut search.language;
        let key = (state.place, state.waiting.clone());
        let visits = places.entry(key).or_default();
        if let Some(vars) = visits.missing(pool, atoms, state) {
            self.looks += 1;
            let hint = run.input.assignment();
            let asking = Asking {
                program,
                state,
                is_start,
                hint: &hint,
            };
            let states = match course.take() {
                Some(course) => Ok(self.machine.again(pool, course)),
                None => self.machine.states(pool, &run.input),
            };
            let Ok(mut states) = states else {
                return Vec::new();
            };
            let mut found = Vec::new();
            states.each(visits.steps(steps), |step, view| {
                found.extend(Row::of(atoms, view, &asking, &vars).map(|row| (step, row)));
            });
            *course = Some(states.into_course());
            visits.keep(&vars, found);
        }
        let visits = visits.by_distance((pool, atoms), state, &mut self.known);
        visits::nearest(visits, OCCURRENCES / 2)
    }

    /// Joins a state with a run at a step of its path.
    fn at_step(
        &mut self,
        search: &mut Search<'p>,
        state: &State,
        (number, step): (usize, usize),
    ) -> Option<Candidate> {
        search.quest.stats.joined += 1;
        let input = self.seen[number].run.input.clone();
        let Resolved {
            terms,
            carried,
            asked,
        } = self.resolved(search, state, (number, step))?;
        let pool = &mut search.language.pool;
        let mut goal = pool.bool(true);
        for term in &terms {
            goal = pool.and(goal, *term);
        }
        let key = terms.iter().chain(&carried).copied().collect();
        let tried = &mut search.quest.joins.tried;
        if pool.is_false(goal) || !tried.insert((self.seen[number].number, step, key)) {
            return None;
        }
        let prefix = prefix(search, &self.seen[number].run, step);
        let hint = input.assignment();
        let query = Query {
            prefix: &prefix,
            goal,
            hint: &hint,
            effort: Effort::Full,
        };
        let wanted: Vec<Term> = prefix.iter().chain(&[goal]).copied().collect();
        let executed = Executed {
            loops: &state.loops,
            carried: &carried,
            wanted: &wanted,
        };
        let kinds = kinds(&input, &state.asked, asked);
        let is_needed = executed.is_needed(&search.language);
        // Products of floating-point numbers are looked for first, and solved then: a solver mostly gives up on them.
        let tried = match !is_needed && has_products(&search.language.pool, goal) {
            true => {
                let near = (&hint, &mut search.quest.stats);
                executed.values(&mut search.language, &kinds, near)
            }
            false => None,
        };
        let found = match tried {
            Some(found) => found,
            None => {
                let answer = self.solver.solve(&mut search.language.pool, &query);
                let Answer::Sat(found) = answer else {
                    return None;
                };
                match is_needed {
                    true => {
                        let near = (&found, &mut search.quest.stats);
                        executed.values(&mut search.language, &kinds, near)?
                    }
                    false => found,
                }
            }
        };
        let mut next = input.with(&found);
        append(&mut next, (&state.asked, asked), &found);
        Some(Candidate {
            input: next,
            vague: state.vague,
        })
    }

    /// The conditions of a state as a run sees it at a step; `None` if it is not there.
    fn resolved(
        &mut self,
        search: &mut Search<'p>,
        state: &State,
        (number, step): (usize, usize),
    ) -> Option<Resolved> {
        let is_start = search.is_start(state);
        let program = search.facts.program;
        let seen = &mut self.seen[number];
        let hint = seen.run.input.assignment();
        let crate::image::Language { pool, atoms } = &mut search.language;
        let mut states = match seen.course.take() {
            Some(course) => self.machine.again(pool, course),
            None => self.machine.states(pool, &seen.run.input).ok()?,
        };
        let at = (state, is_start);
        let found = resolved(program, atoms, &mut states, at, (&hint, step));
        seen.course = Some(states.into_course());
        found
    }
}

/// Does a term have a product, a quotient or a root of floating-point numbers of which none is constant?
fn has_products(pool: &smt::Pool, term: Term) -> bool {
    let (mut seen, mut work) = (BTreeSet::new(), vec![term]);
    while let Some(next) = work.pop() {
        if !seen.insert(next) {
            continue;
        }
        match pool.shape(next) {
            Shape::Op { op, operands, .. } => {
                let operands = &operands[..op.arity()];
                let is_product = matches!(op, Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt);
                if is_product && operands.iter().all(|part| pool.as_const(*part).is_none()) {
                    return true;
                }
                work.extend(operands);
            }
            Shape::Table { index, entries } => {
                work.push(index);
                work.extend(entries);
            }
            Shape::Constant(_) | Shape::Var(_) => {}
        }
    }
    false
}

/// Steps of a run in front of which it is where a state is.
fn steps_at(search: &Search<'_>, state: &State, seen: &Seen) -> Vec<usize> {
    let program = search.facts.program;
    if search.is_start(state) {
        let main = search.root().and_then(|root| seen.calls.get(&root));
        return main
            .into_iter()
            .flat_map(|steps| steps.first().copied())
            .collect();
    }
    let function = &program.functions[state.place.function];
    let block = &function.blocks[state.place.block];
    match block.insts.get(state.place.at) {
        None if block.terminator.site().is_some() => {
            let place = (state.place.function, state.place.block);
            seen.sites.get(&place).cloned().unwrap_or_default()
        }
        Some(inst) => {
            let is_call = function
                .inst(*inst)
                .is_some_and(|inst| matches!(inst.op, program::Op::Call { .. }));
            let site = search
                .facts
                .site(state.place.function, *inst)
                .filter(|_| is_call);
            let entered = site
                .into_iter()
                .flat_map(|site| crate::facts::entered(&search.facts, site));
            let steps = entered
                .flat_map(|(callee, _)| seen.calls.get(&callee).cloned().unwrap_or_default());
            let mut steps: Vec<usize> = steps.collect();
            steps.sort_unstable();
            steps
        }
        None => Vec::new(),
    }
}

/// A state as a run sees it.
pub(crate) struct Resolved {
    /// Its conditions over the inputs of the run.
    pub(crate) terms: Vec<Term>,
    /// What its loops start with and read.
    carried: Vec<Term>,
    /// How many values the run has asked for.
    pub(crate) asked: usize,
}

/// The conditions of a state as terms over the inputs of a run that is there; `None` if it is not there.
pub(crate) fn resolved(
    program: &program::Program,
    atoms: &mut Atoms,
    states: &mut States<'_, '_>,
    (state, is_start): (&State, bool),
    (hint, step): (&smt::Assignment, usize),
) -> Option<Resolved> {
    let mut view = states.before(step)?;
    if !stands_at(program, &view, state, is_start) {
        return None;
    }
    let asked = view.asked();
    let mut resolver = Resolver {
        atoms,
        view: &mut view,
        state,
        asked,
        hint,
        known: BTreeMap::new(),
        pins: Vec::new(),
    };
    let conditions = state.conditions.iter().chain(&state.deferred);
    let conditions = conditions.chain(&state.settled);
    let terms: Vec<Term> = conditions.map(|condition| condition.term).collect();
    let mut made = Vec::new();
    for term in terms {
        made.push(resolver.term(term)?);
    }
    let mut carried = Vec::new();
    for term in &state.carried {
        carried.push(resolver.term(*term)?);
    }
    made.append(&mut resolver.pins);
    Some(Resolved {
        terms: made,
        carried,
        asked,
    })
}

/// Is a run where a state is: in the same function, called by the calls that the state knows?
pub(crate) fn stands_at(
    program: &program::Program,
    view: &View<'_>,
    state: &State,
    is_start: bool,
) -> bool {
    if view.function(0) != Some(state.place.function) {
        return false;
    }
    let inst = |place: &crate::state::Place| {
        let block = &program.functions[place.function].blocks[place.block];
        block.insts.get(place.at).copied()
    };
    if !is_start && view.instruction(0) != inst(&state.place) {
        return false;
    }
    let outer = state.waiting.iter().rev().enumerate();
    outer.into_iter().all(|(index, place)| {
        view.function(index + 1) == Some(place.function)
            && view.instruction(index + 1) == inst(place)
    })
}

/// What the variables of a state are on a run that is there.
pub(crate) struct Resolver<'a, 'v> {
    pub(crate) atoms: &'a mut Atoms,
    pub(crate) view: &'a mut View<'v>,
    pub(crate) state: &'a State,
    pub(crate) asked: usize,
    pub(crate) hint: &'a smt::Assignment,
    pub(crate) known: BTreeMap<Var, Term>,
    /// Addresses that are taken for what they are on the run.
    pub(crate) pins: Vec<Term>,
}

impl Resolver<'_, '_> {
    fn term(&mut self, term: Term) -> Option<Term> {
        let mut by = BTreeMap::new();
        for var in self.view.pool().vars(term) {
            if let Some(made) = self.var(var)? {
                by.insert(var, made);
            }
        }
        Some(self.view.pool().substitute(term, &by))
    }

    /// What a variable is there; the inner `None`: it stays as it is. The outer one: the run does not know.
    pub(crate) fn var(&mut self, var: Var) -> Option<Option<Term>> {
        if let Some(known) = self.known.get(&var) {
            return Some(Some(*known));
        }
        let Some((atom, bits)) = self.atoms.get(var).cloned() else {
            return Some(None);
        };
        let made = match atom {
            Atom::Any(_) | Atom::Turn { .. } | Atom::Outer { .. } => return Some(None),
            Atom::Called { name, args } => {
                let args: Option<Vec<Term>> = args.iter().map(|arg| self.term(*arg)).collect();
                let atom = Atom::Called { name, args: args? };
                self.atoms.term(self.view.pool(), atom, bits)
            }
            Atom::Value {
                height,
                value,
                scalar,
            } => {
                let call = self.state.height().checked_sub(height)?;
                let value = self.view.variable(call as usize, value)?;
                *value.scalars().get(scalar as usize)?
            }
            Atom::Symbol(symbol) => {
                let address = self.view.address(symbol);
                self.view.pool().constant(bits, address.into())
            }
            Atom::Cell { address, bytes } => {
                let address = self.term(address)?;
                let place = self.pinned(address);
                self.view.load(place, bytes.into()).ok()?.term
            }
            Atom::Character { later } => {
                let ahead = self.state.read - 1 - later;
                self.view.character(ahead)?
            }
            Atom::Input { later, kind, .. } => {
                let index = self.asked + self.state.asked.len() - 1 - later as usize;
                let var = path::vars::var_of(path::vars::VALUES, index as u32);
                self.view.pool().var(var, kind.bits())
            }
        };
        self.known.insert(var, made);
        Some(Some(made))
    }

    /// The number that an address is on the run.
    fn pinned(&mut self, address: Term) -> u64 {
        let pool = self.view.pool();
        if let Some(known) = pool.as_const(address) {
            return known as u64;
        }
        let value = smt::eval(pool, address, self.hint);
        let wanted = pool.constant(pool.width(address), value);
        let pin = pool.eq(address, wanted);
        self.pins.push(pin);
        value as u64
    }
}

/// What holds on the path of a run in front of a step.
pub(crate) fn prefix(search: &mut Search<'_>, run: &Run, step: usize) -> Vec<Term> {
    let program = search.facts.program;
    let mut terms = Vec::new();
    for step in &run.steps[..step] {
        match step {
            Step::Edge {
                edge,
                cond: Some(cond),
            } => {
                let edge = &program.edges[*edge];
                let kind = &program.sites[edge.site].kind;
                let mut builder = Builder::new(&mut search.language.pool, program.layout);
                terms.extend(builder.taken(kind, edge.side, cond.term).ok());
            }
            Step::Constraint { term, .. } => terms.push(*term),
            _ => {}
        }
    }
    terms
}

/// What is known of the types of the inputs of a run, and of those that the rest of the path asks for.
fn kinds(input: &InputVector, asked: &[Asked], before: usize) -> BTreeMap<Var, ValueType> {
    let own = input.values.iter().take(before).map(|value| value.kind);
    let later = asked.iter().rev().map(|asked| asked.kind);
    let var = |index: u32| path::vars::var_of(path::vars::VALUES, index);
    (0u32..).map(var).zip(own.chain(later)).collect()
}

/// Puts the values that the rest of the path asks for behind those that a run asked for.
pub(crate) fn append(
    input: &mut InputVector,
    (asked, before): (&[Asked], usize),
    found: &smt::Assignment,
) {
    for (index, next) in (before..).zip(asked.iter().rev()) {
        let bits = found.get(path::vars::var_of(path::vars::VALUES, index as u32));
        let value = path::Value {
            kind: next.kind,
            name: next.name.as_str().into(),
            element: next.element,
            c_type: "".into(),
            bits: bits & next.kind.mask(),
        };
        let count = input.values.len();
        match input.values.get_mut(index) {
            Some(known) if known.kind == value.kind => known.bits = value.bits,
            Some(known) => *known = value,
            None if index == count => input.values.push(value),
            None => return,
        }
    }
}
