//! Which of the times that a run comes to the place of a condition are nearest to meeting it.
//!
//! A run of an endless loop comes to its head hundreds of times, and mostly in one of them alone is `state == 7` with `rounds == 2`. What
//! the variables of conditions were each time is asked of the run once, for all conditions at the place.
//!
//! Must hold: a time is left out only when a condition is false there whatever the inputs of the path are.

use std::collections::{BTreeMap, HashMap};

use machine::View;
use program::Program;
use smt::{Assignment, Evaluator, Pool, Term, Var};

use crate::atom::{Atom, Atoms};
use crate::join::{Resolver, stands_at};
use crate::state::{Place, State};

/// Variables of a place that are remembered.
const MOST_COLUMNS: usize = 64;

/// Places, with the calls that wait there.
pub(crate) type Places = HashMap<(Place, Vec<Place>), Visits>;

/// A variable in one visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Number {
    value: u128,
    /// It depends on no input.
    fixed: bool,
}

/// From which visit on a variable was what, up to the next entry.
type Column = Vec<(usize, Option<Number>)>;

/// The times that a run came to a place.
#[derive(Default)]
pub(crate) struct Visits {
    /// Steps of the run; `None` while nobody asked.
    steps: Option<Vec<usize>>,
    columns: HashMap<Var, Column>,
}

/// A state, and the run that it is looked up in.
pub(crate) struct Asking<'a> {
    pub(crate) program: &'a Program,
    pub(crate) state: &'a State,
    pub(crate) is_start: bool,
    pub(crate) hint: &'a Assignment,
}

impl Visits {
    /// Whether a run has to be gone through before [`Visits::nearest`] can say something of a state.
    pub(crate) fn missing(
        &mut self,
        pool: &Pool,
        atoms: &Atoms,
        state: &State,
    ) -> Option<Vec<Var>> {
        let mut vars = variables(pool, atoms, state);
        if self.columns.len() > MOST_COLUMNS {
            self.columns.clear();
        }
        vars.retain(|var| !self.columns.contains_key(var));
        (self.steps.is_none() || !vars.is_empty()).then_some(vars)
    }

    /// Steps that the run has to be gone through for: all that might be visits, or those that are.
    pub(crate) fn steps<'a>(&'a self, all: &'a [usize]) -> &'a [usize] {
        self.steps.as_deref().unwrap_or(all)
    }

    /// Keeps what was found: the steps that are visits, each with what the variables are there.
    pub(crate) fn keep(&mut self, vars: &[Var], found: Vec<(usize, Row)>) {
        for (at, var) in vars.iter().enumerate() {
            let mut column: Column = Vec::new();
            for (visit, (_, Row(row))) in found.iter().enumerate() {
                if column.last().is_none_or(|(_, last)| *last != row[at]) {
                    column.push((visit, row[at]));
                }
            }
            self.columns.insert(*var, column);
        }
        self.steps = Some(found.into_iter().map(|(step, _)| step).collect());
    }

    /// The visits that are nearest to the conditions of a state, each with its distance; the earliest first. What it needs was kept.
    pub(crate) fn nearest(&self, pool: &Pool, atoms: &Atoms, state: &State) -> Vec<(u64, usize)> {
        let vars = variables(pool, atoms, state);
        let terms: Vec<(Term, Vec<Var>)> = conditions(state)
            .map(|term| (term, pool.vars(term).into_iter().collect()))
            .collect();
        let mut known: HashMap<Vec<Option<Number>>, Option<u64>> = HashMap::new();
        let steps = self.steps.iter().flatten().enumerate();
        let mut found: Vec<(u64, usize)> = steps
            .filter_map(|(visit, step)| {
                let row: Vec<Option<Number>> =
                    vars.iter().map(|var| self.at(*var, visit)).collect();
                let far = known.entry(row).or_insert_with_key(|row| {
                    let numbers = vars.iter().copied().zip(row.iter().copied());
                    distance(pool, &terms, &numbers.collect())
                });
                Some((*far.as_ref()?, *step))
            })
            .collect();
        found.sort_unstable();
        found
    }

    fn at(&self, var: Var, visit: usize) -> Option<Number> {
        let column = self.columns.get(&var)?;
        let after = column.partition_point(|(first, _)| *first <= visit);
        column.get(after.checked_sub(1)?)?.1
    }
}

/// What variables are in one visit.
pub(crate) struct Row(Vec<Option<Number>>);

impl Row {
    /// Of a run that is at a place; `None` if it is not there by the calls that the state knows.
    pub(crate) fn of(
        atoms: &mut Atoms,
        view: &mut View<'_>,
        asking: &Asking<'_>,
        vars: &[Var],
    ) -> Option<Row> {
        let Asking { state, hint, .. } = *asking;
        if !stands_at(asking.program, view, state, asking.is_start) {
            return None;
        }
        let asked = view.asked();
        let mut resolver = Resolver {
            atoms,
            view,
            state,
            asked,
            hint,
            known: BTreeMap::new(),
            pins: Vec::new(),
        };
        Some(Row(vars
            .iter()
            .map(|var| number(&mut resolver, *var))
            .collect()))
    }
}

fn number(resolver: &mut Resolver<'_, '_>, var: Var) -> Option<Number> {
    let pins = resolver.pins.len();
    let term = resolver.var(var)??;
    let pool = resolver.view.pool();
    let constant = pool.as_const(term);
    // What the rest of the path brings has no number yet.
    let vars = pool.vars(term);
    if vars
        .into_iter()
        .any(|var| resolver.atoms.get(var).is_some())
    {
        return None;
    }
    let fixed = constant.is_some() && resolver.pins.len() == pins;
    let value = constant.unwrap_or_else(|| smt::eval(resolver.view.pool(), term, resolver.hint));
    Some(Number { value, fixed })
}

fn conditions(state: &State) -> impl Iterator<Item = Term> + '_ {
    let conditions = state.conditions.iter().chain(&state.deferred);
    conditions.map(|condition| condition.term)
}

/// The variables of a state's conditions that a run knows, each once.
fn variables(pool: &Pool, atoms: &Atoms, state: &State) -> Vec<Var> {
    let mut vars: Vec<Var> = conditions(state).flat_map(|term| pool.vars(term)).collect();
    vars.sort_unstable();
    vars.dedup();
    vars.retain(|var| {
        let atom = atoms.get(*var).map(|(atom, _)| atom);
        matches!(
            atom,
            Some(Atom::Value { .. } | Atom::Cell { .. } | Atom::Symbol(_))
        )
    });
    vars
}

/// How far conditions are from holding, as far as it is known; `None` if one is false whatever the inputs are.
fn distance(
    pool: &Pool,
    terms: &[(Term, Vec<Var>)],
    numbers: &BTreeMap<Var, Option<Number>>,
) -> Option<u64> {
    let mut values = Assignment::new();
    for (var, number) in numbers {
        if let Some(number) = number {
            values.set(*var, number.value);
        }
    }
    let mut evaluator = Evaluator::new(pool, &values);
    let mut sum: u64 = 0;
    for (term, vars) in terms {
        let of = |var: &Var| numbers.get(var).copied().flatten();
        if vars.iter().any(|var| of(var).is_none()) {
            continue;
        }
        let far = evaluator.distance(*term, true);
        if far > 0 && vars.iter().filter_map(of).all(|number| number.fixed) {
            return None;
        }
        sum = sum.saturating_add(far);
    }
    Some(sum)
}
