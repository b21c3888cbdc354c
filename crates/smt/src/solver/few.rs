//! Goals that depend on few bytes: all values of these are tried.
//!
//! Constraints that depend on no other variable than the goal's bound its values exactly, tables and arithmetic
//! included. Where no value is left there is no solution, whatever the other constraints say; a value under which these
//! hold as well, the other variables as in the hint, is one. What needs other variables to change is for the next layer.
//!
//! Must hold: effort is counted in evaluated steps and bounded; values are tried in a fixed order, those that change
//! fewer variables first.

use std::collections::BTreeSet;

use crate::eval::{Tape, mask};
use crate::pool::Tag;

/// Variables that a goal may have.
const MOST: usize = 3;
/// Steps evaluated for one query.
const EFFORT: u64 = 600_000;

/// What trying found.
pub(crate) enum Found {
    /// There is no solution.
    Nothing,
    /// Values for the tape's variables that satisfy all roots.
    Values(Vec<u128>),
    /// Other variables would have to change, or it is too much.
    Open,
}

/// Tries the values of the variables of the first `goals` roots; `start` satisfies all other roots.
pub(crate) fn few(tape: &Tape, goals: usize, start: &[u128]) -> Found {
    find(tape, goals, start).unwrap_or(Found::Open)
}

/// `None`: the effort is spent, or the goal has too many variables.
fn find(tape: &Tape, goals: usize, start: &[u128]) -> Option<Found> {
    let depends = dependencies(tape);
    let mut vars = BTreeSet::new();
    for &root in &tape.roots[..goals] {
        vars.extend(depends[root as usize].list()?);
    }
    let vars: Vec<u32> = vars.into_iter().collect();
    if vars.len() > MOST {
        return None;
    }
    let within = |root: u32, some: &[u32]| {
        let list = depends[root as usize].list();
        list.is_some_and(|mut list| list.all(|var| some.contains(&var)))
    };
    let chosen = |some: &[u32]| -> Vec<u32> {
        let roots = tape.roots.iter().copied();
        roots.filter(|&root| within(root, some)).collect()
    };
    let mut trial = Trial {
        tape,
        vars: start.to_vec(),
        values: tape.blank(),
        left: EFFORT,
    };
    let mut lists: Vec<Vec<u128>> = Vec::new();
    for &var in &vars {
        let bits = tape.vars[var as usize].1;
        if bits > 16 {
            return None;
        }
        let all = (0..=mask(bits)).collect();
        let alone = trial.survivors(&[var], &[all], &chosen(&[var]))?;
        lists.push(alone.into_iter().flatten().collect());
    }
    let tuples = match lists.len() {
        0 => return None,
        1 => lists
            .remove(0)
            .into_iter()
            .map(|value| vec![value])
            .collect(),
        _ => trial.survivors(&vars, &lists, &chosen(&vars))?,
    };
    if tuples.is_empty() {
        return Some(Found::Nothing);
    }
    // The others hold under the hint and do not notice.
    let notice = |&root: &u32| {
        let list = depends[root as usize].list();
        list.is_none_or(|mut list| list.any(|var| vars.contains(&var)))
    };
    let noticing: Vec<u32> = tape.roots.iter().copied().filter(notice).collect();
    let changed = |tuple: &Vec<u128>| {
        let pairs = vars.iter().zip(tuple);
        pairs
            .filter(|(var, value)| start[**var as usize] != **value)
            .count()
    };
    let mut tuples = tuples;
    tuples.sort_by_key(changed);
    trial.vars.copy_from_slice(start);
    Some(match trial.first(&vars, tuples, &noticing)? {
        Some(values) => Found::Values(values),
        None => Found::Open,
    })
}

/// The variables that a step depends on.
#[derive(Clone, Copy)]
struct Depends {
    vars: [u32; MOST],
    /// More than [`MOST`]: too many.
    count: u8,
}

impl Depends {
    const NONE: Depends = Depends {
        vars: [0; MOST],
        count: 0,
    };

    fn add(&mut self, var: u32) {
        let count = usize::from(self.count);
        if count > MOST || self.vars[..count].contains(&var) {
            return;
        }
        if count < MOST {
            self.vars[count] = var;
        }
        self.count += 1;
    }

    fn join(&mut self, other: Depends) {
        match other.list() {
            Some(list) => list.for_each(|var| self.add(var)),
            None => self.count = other.count,
        }
    }

    /// `None`: too many.
    fn list(self) -> Option<impl Iterator<Item = u32>> {
        let count = usize::from(self.count);
        (count <= MOST).then(|| self.vars.into_iter().take(count))
    }
}

fn dependencies(tape: &Tape) -> Vec<Depends> {
    let mut depends: Vec<Depends> = Vec::with_capacity(tape.steps.len());
    for step in &tape.steps {
        let mut own = Depends::NONE;
        if step.tag == Tag::Var {
            own.add(step.a);
        }
        for operand in tape.operands(step) {
            own.join(depends[operand as usize]);
        }
        depends.push(own);
    }
    depends
}

/// Evaluations of some roots.
struct Trial<'a> {
    tape: &'a Tape,
    vars: Vec<u128>,
    values: Vec<u128>,
    left: u64,
}

impl Trial<'_> {
    /// The steps that roots need, in order.
    fn needed(&self, roots: &[u32]) -> Vec<u32> {
        let mut marked = vec![false; self.tape.steps.len()];
        for &root in roots {
            marked[root as usize] = true;
        }
        for place in (0..marked.len()).rev() {
            if marked[place] {
                for operand in self.tape.operands(&self.tape.steps[place]) {
                    marked[operand as usize] = true;
                }
            }
        }
        let constant = |place: &u32| {
            let tag = self.tape.steps[*place as usize].tag;
            matches!(tag, Tag::Const | Tag::Wide)
        };
        let places = (0..).zip(marked).filter(|(_, marked)| *marked);
        let places = places.map(|(place, _)| place);
        places.filter(|place| !constant(place)).collect()
    }

    /// Whether the roots hold under the present values; `None`: the effort is spent.
    fn holds(&mut self, needed: &[u32], roots: &[u32]) -> Option<bool> {
        self.left = self.left.checked_sub(needed.len() as u64 + 1)?;
        for &place in needed {
            self.tape.update(place, &mut self.values, &self.vars);
        }
        Some(roots.iter().all(|&root| self.values[root as usize] == 1))
    }

    fn set(&mut self, vars: &[u32], tuple: &[u128]) {
        for (&var, &value) in vars.iter().zip(tuple) {
            self.vars[var as usize] = value;
        }
    }

    /// All tuples of values from the lists, one for each variable, under which the roots hold.
    fn survivors(
        &mut self,
        vars: &[u32],
        lists: &[Vec<u128>],
        roots: &[u32],
    ) -> Option<Vec<Vec<u128>>> {
        let needed = self.needed(roots);
        let sizes = lists.iter().map(|list| list.len() as u64);
        let tuples = sizes.fold(1, u64::saturating_mul);
        if tuples.saturating_mul(needed.len() as u64 + 1) > self.left {
            return None;
        }
        let mut found = Vec::new();
        for number in 0..tuples {
            let mut rest = number;
            let pick = |list: &Vec<u128>| {
                let value = list[(rest % list.len() as u64) as usize];
                rest /= list.len() as u64;
                value
            };
            let tuple: Vec<u128> = lists.iter().map(pick).collect();
            self.set(vars, &tuple);
            if self.holds(&needed, roots)? {
                found.push(tuple);
            }
        }
        Some(found)
    }

    /// The values of all variables with the first of the tuples under which the roots hold.
    fn first(
        &mut self,
        vars: &[u32],
        tuples: Vec<Vec<u128>>,
        roots: &[u32],
    ) -> Option<Option<Vec<u128>>> {
        let needed = self.needed(roots);
        for tuple in tuples {
            self.set(vars, &tuple);
            if self.holds(&needed, roots)? {
                return Some(Some(self.vars.clone()));
            }
        }
        Some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Scratch;
    use crate::testing::{Random, show};
    use crate::{Assignment, Evaluator, Op, Pool, Term, Var};

    /// A condition over one or two of the variables, a table among its parts now and then.
    fn condition(pool: &mut Pool, random: &mut Random, vars: &[Term]) -> Term {
        let (a, b) = (random.pick(vars), random.pick(vars));
        let number = random.value(4);
        let number = pool.constant(4, number);
        let entries: Vec<Term> = (0..16).map(|at| pool.constant(4, at * 7 % 16)).collect();
        let left = match random.below(3) {
            0 => pool.table(a, entries.into()),
            1 => pool.bin(Op::Mul, a, number),
            _ => pool.bin(Op::Add, a, b),
        };
        let right = if random.below(2) == 0 { b } else { number };
        let op = random.pick(&[Op::Eq, Op::Ult, Op::Slt]);
        pool.cmp(op, left, right)
    }

    /// Four variables of four bits: every assignment tried.
    #[test]
    fn nothing_is_said_that_is_not_so() {
        let (mut nothing, mut values, mut open) = (0, 0, 0);
        for seed in 0..600 {
            let mut random = Random::new(seed);
            let mut pool = Pool::new();
            let vars: Vec<Term> = (0..4).map(|var| pool.var(Var(var), 4)).collect();
            let hint: Vec<u128> = (0..4).map(|_| random.value(4)).collect();
            let assignment = |values: &[u128]| -> Assignment {
                (0..).map(Var).zip(values.iter().copied()).collect()
            };
            let mut roots: Vec<Term> = Vec::new();
            for index in 0..=random.below(9) {
                let term = condition(&mut pool, &mut random, &vars);
                let holds = Evaluator::new(&pool, &assignment(&hint)).value(term) == 1;
                // The first is the goal, which fails now; the others hold.
                let root = if holds == (index > 0) {
                    term
                } else {
                    pool.not(term)
                };
                roots.push(root);
            }
            if roots.iter().any(|&root| !pool.is_symbolic(root)) {
                continue;
            }
            let tape = Tape::new(&pool, &roots, &mut Scratch::default());
            let by_place = |values: &[u128]| -> Vec<u128> {
                let vars = tape.vars.iter();
                vars.map(|(var, _)| values[var.0 as usize]).collect()
            };
            let holds = |values: &[u128]| {
                let assignment = assignment(values);
                let mut evaluator = Evaluator::new(&pool, &assignment);
                roots.iter().all(|&root| evaluator.value(root) == 1)
            };
            match few(&tape, 1, &by_place(&hint)) {
                Found::Nothing => {
                    nothing += 1;
                    for number in 0..1_u128 << 16 {
                        let all: Vec<u128> = (0..4).map(|at| number >> (4 * at) & 15).collect();
                        assert!(!holds(&all), "seed {seed}: {all:?}");
                    }
                }
                Found::Values(found) => {
                    values += 1;
                    let mut all = hint.clone();
                    for ((var, _), value) in tape.vars.iter().zip(found) {
                        all[var.0 as usize] = value;
                    }
                    let shown = assignment(&all);
                    let goal = show(&pool, roots[0], &shown);
                    assert!(holds(&all), "seed {seed}: {all:?} {goal}");
                }
                Found::Open => open += 1,
            }
        }
        assert!(
            nothing > 30 && values > 200 && open > 10,
            "{nothing} {values} {open}"
        );
    }
}
