//! Conditions made simpler by one another: where one says what a variable is, the others need not speak of it.
//!
//! Many states differ in how their conditions are written alone. Written alike, one covers the other, and most contradictions show
//! without a solver.
//!
//! Must hold: the conditions together allow what they allowed before.

use std::collections::BTreeMap;

use smt::{Op, Shape, Term, Var};

use crate::image::Language;
use crate::state::State;

/// Rounds in which conditions may say more of one another.
const ROUNDS: usize = 4;

/// Puts into each condition what others say that variables are.
pub fn simplify(language: &mut Language, state: &mut State) {
    for _ in 0..ROUNDS {
        let said: Vec<Option<(Var, Term)>> =
            state.terms().map(|term| equality(language, term)).collect();
        if said.iter().all(Option::is_none) {
            return;
        }
        let mut by: BTreeMap<Var, Term> = BTreeMap::new();
        // The first that says what a variable is stays; what others say of it is held against that.
        let mut owners: BTreeMap<Var, usize> = BTreeMap::new();
        for (index, said) in said.iter().enumerate() {
            if let Some((var, value)) = said
                && !by.contains_key(var)
            {
                by.insert(*var, *value);
                owners.insert(*var, index);
            }
        }
        let mut changed = false;
        for (index, condition) in state.conditions.iter_mut().enumerate() {
            let own = said[index].map(|(var, _)| var);
            if own.is_some_and(|var| owners.get(&var) == Some(&index)) {
                continue;
            }
            let term = language.pool.substitute(condition.term, &by);
            if term != condition.term {
                condition.term = term;
                state.live = None;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The variable that a condition says the value of, and the value.
fn equality(language: &mut Language, term: Term) -> Option<(Var, Term)> {
    let whole = |language: &Language, side: Term| {
        let var = language.pool.as_var(side)?;
        let (_, bits) = language.atoms.get(var)?;
        (*bits == language.pool.width(side)).then_some(var)
    };
    if let Some(var) = whole(language, term) {
        return Some((var, language.pool.bool(true)));
    }
    let Shape::Op { op, operands, .. } = language.pool.shape(term) else {
        return None;
    };
    let [a, b, _] = operands;
    match op {
        Op::Eq => {
            let (var, value) = match (whole(language, a), whole(language, b)) {
                (Some(var), None) => (var, b),
                (None, Some(var)) => (var, a),
                _ => return None,
            };
            language.pool.as_const(value).map(|_| (var, value))
        }
        Op::Not if language.pool.width(a) == 1 => {
            let var = whole(language, a)?;
            Some((var, language.pool.bool(false)))
        }
        _ => None,
    }
}
