//! Which of the times that a run comes to the place of a condition are nearest to meeting it.
//!
//! A run of an endless loop comes to its head hundreds of times, and mostly in one of them alone is `state == 7` with `rounds == 2`. What
//! the variables of conditions were each time is asked of the run once, for all conditions at the place.
//!
//! Must hold: a time is left out only when a condition is false there whatever the inputs of the path are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use machine::View;
use program::Program;
use smt::{Assignment, Epoch, Evaluator, Pool, Term, Var};

use crate::atom::{Atom, Atoms};
use crate::join::{Resolver, stands_at};
use crate::state::{Place, State};

/// Variables of a place that are remembered.
const MOST_COLUMNS: usize = 64;
/// Distances that are remembered.
const MOST_KNOWN: usize = 1 << 18;

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
    /// Whether a run has to be gone through before [`Visits::by_distance`] can say something of a state.
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

    /// Visits by how near they are to the conditions of a state, those in a row that are alike together. What it needs was kept.
    pub(crate) fn by_distance(
        &self,
        (pool, atoms): (&Pool, &Atoms),
        state: &State,
        known: &mut Known,
    ) -> Vec<Alike<'_>> {
        let vars = variables(pool, atoms, state);
        self.alike(pool, (&vars, conditions(state)), known)
    }

    /// The same of conditions and those of their variables that a run may know.
    fn alike(
        &self,
        pool: &Pool,
        (vars, terms): (&[Var], impl Iterator<Item = Term>),
        known: &mut Known,
    ) -> Vec<Alike<'_>> {
        known.forget_others(pool);
        let steps = self.steps.as_deref().unwrap_or_default();
        let columns = vars.iter().map(|var| self.columns.get(var));
        let mut columns: Vec<Cursor<'_>> = columns.map(Cursor::new).collect();
        let distances = terms.map(|term| Distance::new(pool, term, vars));
        let mut distances: Vec<Distance> = distances.collect();
        let mut found = Vec::new();
        let mut visit = 0;
        while visit < steps.len() {
            for column in &mut columns {
                column.go_to(visit);
            }
            let mut sum = Some(0_u64);
            // Each is asked every time: it goes by what is new.
            for distance in &mut distances {
                let far = distance.of(pool, (vars, &columns), known);
                sum = sum.zip(far).map(|(sum, far)| sum.saturating_add(far));
            }
            let ends = columns.iter().filter_map(Cursor::end);
            let end = ends.min().unwrap_or(steps.len()).min(steps.len());
            found.extend(sum.map(|far| Alike {
                far,
                steps: &steps[visit..end],
            }));
            visit = end;
        }
        found
    }
}

/// Visits in a row in which all variables are the same.
pub(crate) struct Alike<'a> {
    /// Sum of the distances of all conditions.
    pub(crate) far: u64,
    pub(crate) steps: &'a [usize],
}

/// The steps of so many nearest visits: of those that are as near, the first ones, and the last ones as well.
pub(crate) fn nearest(mut visits: Vec<Alike<'_>>, count: usize) -> Vec<usize> {
    visits.sort_unstable_by_key(|alike| (alike.far, alike.steps.first().copied()));
    let early = visits.iter().flat_map(|alike| alike.steps);
    let mut chosen: Vec<usize> = early.take(count).copied().collect();
    visits.sort_unstable_by_key(|alike| (alike.far, Reverse(alike.steps.first().copied())));
    let late = visits.iter().flat_map(|alike| alike.steps.iter().rev());
    for step in late.take(count) {
        if !chosen.contains(step) {
            chosen.push(*step);
        }
    }
    chosen
}

/// How far conditions are from holding, by the numbers of their variables: what was found of one run is asked of most others.
#[derive(Default)]
pub(crate) struct Known {
    /// Of the pool that the terms are of.
    epoch: Epoch,
    distances: HashMap<Term, HashMap<Vec<Number>, Option<u64>>>,
    /// Distances in all.
    count: usize,
    /// The numbers that are asked for.
    numbers: Vec<Number>,
}

impl Known {
    /// Forgets what is of another pool, and everything where it is too much.
    fn forget_others(&mut self, pool: &Pool) {
        if self.epoch != pool.epoch() || self.count > MOST_KNOWN {
            self.epoch = pool.epoch();
            self.distances.clear();
            self.count = 0;
        }
    }
}

/// A column while its visits are gone through.
struct Cursor<'a> {
    number: Option<Number>,
    /// The entries of later visits.
    rest: &'a [(usize, Option<Number>)],
    /// Has the number changed since the last visit?
    is_new: bool,
}

impl<'a> Cursor<'a> {
    fn new(column: Option<&'a Column>) -> Cursor<'a> {
        Cursor {
            number: None,
            rest: column.map_or(&[], Vec::as_slice),
            is_new: true,
        }
    }

    /// The first visit in which the number is another.
    fn end(&self) -> Option<usize> {
        self.rest.first().map(|(visit, _)| *visit)
    }

    fn go_to(&mut self, visit: usize) {
        // The first visit is new to all.
        self.is_new = visit == 0;
        while let Some(((first, number), rest)) = self.rest.split_first()
            && *first <= visit
        {
            (self.number, self.rest, self.is_new) = (*number, rest, true);
        }
    }
}

/// How far a condition is from holding, while visits are gone through.
struct Distance {
    term: Term,
    /// The places of its variables in a state's.
    at: Vec<usize>,
    /// Does it have others?
    is_vague: bool,
    /// In the last visit; `None` if it is false whatever the inputs are.
    last: Option<u64>,
}

impl Distance {
    fn new(pool: &Pool, term: Term, vars: &[Var]) -> Distance {
        let own = pool.vars(term);
        let all = own.len();
        let at = own.into_iter();
        let at: Vec<usize> = at.filter_map(|var| vars.binary_search(&var).ok()).collect();
        Distance {
            term,
            is_vague: at.len() < all,
            last: match all {
                0 => distance(pool, term, std::iter::empty()),
                _ => Some(0),
            },
            at,
        }
    }

    /// In the visit at which the columns are; 0 where something is not known.
    fn of(
        &mut self,
        pool: &Pool,
        (vars, columns): (&[Var], &[Cursor<'_>]),
        known: &mut Known,
    ) -> Option<u64> {
        if self.is_vague || !self.at.iter().any(|at| columns[*at].is_new) {
            return self.last;
        }
        known.numbers.clear();
        let numbers = self.at.iter().map_while(|at| columns[*at].number);
        known.numbers.extend(numbers);
        self.last = match known.numbers.len() == self.at.len() {
            false => Some(0),
            true => {
                let own = known.distances.entry(self.term).or_default();
                let count = &mut known.count;
                *own.entry_ref(known.numbers.as_slice())
                    .or_insert_with_key(|numbers| {
                        *count += 1;
                        let all = self.at.iter().map(|at| vars[*at]);
                        distance(pool, self.term, all.zip(numbers.iter().copied()))
                    })
            }
        };
        self.last
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

/// How far a condition is from holding; `None` if it is false whatever the inputs are.
fn distance(pool: &Pool, term: Term, numbers: impl Iterator<Item = (Var, Number)>) -> Option<u64> {
    let mut values = Assignment::new();
    let mut is_fixed = true;
    for (var, number) in numbers {
        values.set(var, number.value);
        is_fixed &= number.fixed;
    }
    let far = Evaluator::new(pool, &values).distance(term, true);
    (far == 0 || !is_fixed).then_some(far)
}

#[cfg(test)]
mod tests {
    use random::Random;
    use smt::Op;

    use super::*;

    /// Visit by visit.
    fn one_by_one(
        pool: &Pool,
        vars: &[Var],
        terms: &[Term],
        rows: &[Vec<Option<Number>>],
    ) -> Vec<(u64, usize)> {
        let far = |row: &Vec<Option<Number>>| {
            let mut sum = 0_u64;
            for term in terms {
                let number = |var| row[vars.iter().position(|own| *own == var)?];
                let own = pool.vars(*term).into_iter();
                let numbers: Option<Vec<(Var, Number)>> =
                    own.map(|var| Some((var, number(var)?))).collect();
                if let Some(numbers) = numbers {
                    sum = sum.saturating_add(distance(pool, *term, numbers.into_iter())?);
                }
            }
            Some(sum)
        };
        let rows = rows.iter().zip(0..);
        rows.filter_map(|(row, visit)| Some((far(row)?, 10 * visit)))
            .collect()
    }

    #[test]
    fn visits_that_are_alike_have_the_distance_of_each() {
        let mut rng = Random::new(7);
        let mut known = Known::default();
        let mut pool = Pool::new();
        let vars: Vec<Var> = (0..4).map(Var).collect();
        let all: Vec<Term> = (0..5).map(|at| pool.var(Var(at), 8)).collect();
        let mut terms = vec![pool.bool(true), pool.bool(false)];
        for (at, one) in all.iter().enumerate() {
            let (three, next) = (pool.constant(8, 3), all[(at + 1) % 5]);
            terms.push(pool.eq(*one, three));
            terms.push(pool.cmp(Op::Ult, *one, next));
        }
        for _ in 0..300 {
            let mut row = vec![None; 4];
            let rows: Vec<Vec<Option<Number>>> = (0..rng.below(20))
                .map(|_| {
                    for number in &mut row {
                        let value = rng.below(6) as u128;
                        let fixed = rng.below(4) == 0;
                        match rng.below(8) {
                            0 => *number = None,
                            1 | 2 => *number = Some(Number { value, fixed }),
                            _ => {}
                        }
                    }
                    row.clone()
                })
                .collect();
            let mut visits = Visits::default();
            let found = rows.iter().cloned().map(Row).zip(0..);
            visits.keep(&vars, found.map(|(row, visit)| (10 * visit, row)).collect());
            let own: Vec<Term> = (0..rng.below(4)).map(|_| rng.pick(&terms)).collect();
            let alike = visits.alike(&pool, (&vars, own.iter().copied()), &mut known);
            let each = |alike: &Alike<'_>| -> Vec<(u64, usize)> {
                alike.steps.iter().map(|step| (alike.far, *step)).collect()
            };
            let expected = one_by_one(&pool, &vars, &own, &rows);
            assert_eq!(alike.iter().flat_map(each).collect::<Vec<_>>(), expected);
            // The nearest by sorting all.
            let mut early = expected.clone();
            early.sort_unstable();
            let mut late = expected;
            late.sort_by_key(|(far, step)| (*far, Reverse(*step)));
            let mut both: Vec<usize> = early.iter().take(3).map(|(_, step)| *step).collect();
            for (_, step) in late.iter().take(3) {
                if !both.contains(step) {
                    both.push(*step);
                }
            }
            assert_eq!(nearest(alike, 3), both);
        }
    }
}
