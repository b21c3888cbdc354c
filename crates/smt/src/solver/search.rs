//! Local search from the hint.
//!
//! The hint satisfies the path condition, so a solution is often near: wishes are pushed from a constraint that
//! fails down to variables ([`super::invert`]), each set of new values is tried, and the best is kept until nothing
//! fails or the budget is spent. Effort is counted in evaluated steps. No randomness: the same query takes the
//! same way.

use super::invert::{Inversion, Wishes};
use crate::eval::{Tape, mask};
use crate::pool::Tag;

/// Limits of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Steps evaluated in all, 0 for no search.
    pub steps: u32,
    /// Rounds: one failing constraint is attacked in each.
    pub rounds: u32,
    /// Sets of new values tried in one round.
    pub candidates: u32,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            steps: 150_000,
            rounds: 12,
            candidates: 40,
        }
    }
}

/// New values of variables: places in [`Tape::vars`].
pub(crate) type Move = Vec<(u32, u128)>;

/// Values for the tape's variables under which all roots are 1, found from `start`.
pub(crate) fn search(tape: &Tape, start: &[u128], limits: SearchLimits) -> Option<Vec<u128>> {
    let mut state = State::new(tape, start, u64::from(limits.steps))?;
    let mut seen = vec![state.vars.clone()];
    for round in 0..limits.rounds {
        let failing = state.failing();
        let target = *failing.get(round as usize / 3 % failing.len().max(1))?;
        let mut best: Option<(usize, Vec<u128>)> = None;
        for candidate in state.moves(vec![(target, 1)], limits.candidates as usize) {
            let mut vars = state.vars.clone();
            for (var, value) in candidate {
                vars[var as usize] = value & mask(tape.vars[var as usize].1);
            }
            if seen.contains(&vars) {
                continue;
            }
            let fails = state.count_failing(&vars)?;
            if fails == 0 {
                return Some(vars);
            }
            if best.as_ref().is_none_or(|(least, _)| fails < *least) {
                best = Some((fails, vars));
            }
        }
        let (_, vars) = best?;
        seen.push(vars.clone());
        state.vars = vars;
        state.evaluate_current()?;
    }
    None
}

/// Values for the tape's variables near `start` that might grant all wishes; `values` are those of its steps there.
pub(crate) fn granted(
    tape: &Tape,
    start: &[u128],
    values: Vec<u128>,
    wishes: Wishes,
) -> Option<Vec<u128>> {
    let mut state = State {
        tape,
        vars: start.to_vec(),
        values,
        left: u64::MAX,
    };
    let made = state.moves(wishes, 1).pop()?;
    for (var, value) in made {
        state.vars[var as usize] = value & mask(tape.vars[var as usize].1);
    }
    Some(state.vars)
}

/// Moves from `start` that might make the first `goals` roots 1, and the empty one.
pub(crate) fn moves_to(tape: &Tape, goals: usize, start: &[u128], limit: usize) -> Vec<Move> {
    let wishes = tape.roots[..goals].iter().map(|&root| (root, 1)).collect();
    let state = State::new(tape, start, u64::MAX);
    let mut moves = state.map_or_else(Vec::new, |mut state| state.moves(wishes, limit));
    moves.push(Move::new());
    moves
}

/// All assignments of a tape with few variable bits, in order: the first that satisfies the roots.
pub(crate) fn enumerate(tape: &Tape, bits: u16) -> Option<Vec<u128>> {
    let mut values = tape.blank();
    let mut vars = vec![0; tape.vars.len()];
    for number in 0..1u128 << bits {
        let mut rest = number;
        for (value, (_, width)) in vars.iter_mut().zip(&tape.vars) {
            *value = rest & mask(*width);
            rest >>= width;
        }
        tape.run(&mut values, |i| vars[i as usize]);
        if tape.roots.iter().all(|&r| values[r as usize] == 1) {
            return Some(vars);
        }
    }
    None
}

struct State<'a> {
    tape: &'a Tape,
    vars: Vec<u128>,
    values: Vec<u128>,
    left: u64,
}

impl State<'_> {
    /// At `start`; `None`: so many steps may not be evaluated.
    fn new<'a>(tape: &'a Tape, start: &[u128], left: u64) -> Option<State<'a>> {
        let mut state = State {
            tape,
            vars: start.to_vec(),
            values: tape.blank(),
            left,
        };
        state.evaluate_current()?;
        Some(state)
    }

    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(self.tape.steps.len() as u64)?;
        Some(())
    }

    fn evaluate_current(&mut self) -> Option<()> {
        self.spend()?;
        let vars = &self.vars;
        self.tape.run(&mut self.values, |i| vars[i as usize]);
        Some(())
    }

    fn failing(&self) -> Vec<u32> {
        self.tape
            .roots
            .iter()
            .copied()
            .filter(|&r| self.values[r as usize] != 1)
            .collect()
    }

    /// How many roots fail under `vars`; `None` when the budget is spent. `values` are then those of `vars`, which is
    /// why the moves of a round are made before the first is tried.
    fn count_failing(&mut self, vars: &[u128]) -> Option<usize> {
        self.spend()?;
        self.tape.run(&mut self.values, |i| vars[i as usize]);
        Some(self.failing().len())
    }

    /// Moves that might grant all wishes.
    fn moves(&mut self, wishes: Wishes, limit: usize) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        let mut partial: Vec<(Wishes, Move)> = vec![(wishes, Vec::new())];
        let mut effort = 0;
        while let Some((mut wishes, mut made)) = partial.pop() {
            effort += 1;
            if effort > limit * 30 || found.len() >= limit {
                break;
            }
            let Some((place, want)) = wishes.pop() else {
                if !made.is_empty() && !found.contains(&made) {
                    found.push(made);
                }
                continue;
            };
            let step = self.tape.steps[place as usize];
            if step.tag == Tag::Var {
                match made.iter_mut().find(|(var, _)| *var == step.a) {
                    Some(entry) => entry.1 = want,
                    None => made.push((step.a, want)),
                }
                partial.push((wishes, made));
                continue;
            }
            if self.values[place as usize] == want {
                partial.push((wishes, made));
                continue;
            }
            if matches!(step.tag, Tag::Const | Tag::Wide) {
                continue;
            }
            let inversion = self.inversion(place, &made);
            // The last one pushed is taken first.
            for alternative in inversion.alternatives(want).into_iter().rev() {
                if alternative.is_empty() {
                    continue;
                }
                let mut next = wishes.clone();
                next.extend(alternative);
                partial.push((next, made.clone()));
            }
        }
        found
    }

    fn inversion(&self, place: u32, made: &Move) -> Inversion<'_> {
        let step = self.tape.steps[place as usize];
        // A variable of which another part was wished for already has that part.
        let current = |place: u32| match self.tape.steps[place as usize] {
            s if s.tag == Tag::Var => made
                .iter()
                .find(|m| m.0 == s.a)
                .map_or(self.values[place as usize], |m| m.1),
            _ => self.values[place as usize],
        };
        let binary = matches!(step.tag, Tag::Op(op) if op.arity() >= 2);
        let b = if binary { current(step.b) } else { 0 };
        Inversion {
            tape: self.tape,
            step,
            a: current(step.a),
            b,
            values: &self.values,
        }
    }
}
