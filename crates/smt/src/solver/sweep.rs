//! Repair by one byte: the goal is granted, and what fails then is mended by another byte, of which every value is tried.
//!
//! A checksum, a hash or a sum ties every byte of an input to every other: whatever changes, it fails, and no inversion
//! says how to mend it. Yet one value in a few of almost any other byte does.
//!
//! What a table says of a state, which a table said of the state before, ties inputs in the same way: a parser that a generator
//! wrote takes numbers for its tokens, and the last of them decides. So of a wider variable the small numbers are tried.
//!
//! Only the steps that depend on the variable are computed anew. Effort is counted in evaluated steps; the order is fixed:
//! variables of which fewer steps depend come first. No randomness.

use super::search::Move;
use crate::eval::{Tape, mask};
use crate::pool::Tag;

/// Steps evaluated for one query, shared evenly by the moves.
const EFFORT: u64 = 500_000;
/// Variables that are mended at most, one after the other.
const ROUNDS: u32 = 4;
/// Values of a variable that are tried, from 0 on: all of a byte, and tokens, which are numbered behind the characters.
const VALUES: u128 = 1 << 9;

/// Values for the tape's variables under which all roots are 1: one of `moves` made from `start` (an empty one leaves it as
/// it is), then other variables changed one by one, each to the value under which fewest roots fail. One of the first `goals`
/// roots, which are what is asked for, weighs as much as all others.
pub(crate) fn sweep(
    tape: &Tape,
    goals: usize,
    start: &[u128],
    moves: &[Move],
) -> Option<Vec<u128>> {
    let cones = Cones::new(tape)?;
    let mut state = State {
        tape,
        cones: &cones,
        goals: &tape.roots[..goals],
        vars: start.to_vec(),
        values: tape.blank(),
        left: 0,
    };
    for made in moves {
        state.left = EFFORT / moves.len() as u64;
        state.vars.copy_from_slice(start);
        for &(var, value) in made {
            state.vars[var as usize] = value & mask(tape.vars[var as usize].1);
        }
        if state.mend(made) == Some(true) {
            return Some(state.vars);
        }
    }
    None
}

/// For each variable the steps that depend on it, in order, and the roots among them.
struct Cones {
    steps: Vec<Vec<u32>>,
    roots: Vec<Vec<u32>>,
    /// The variables, those with fewer steps first.
    order: Vec<u32>,
}

impl Cones {
    /// `None` when there are so many steps that trying is hopeless.
    fn new(tape: &Tape) -> Option<Cones> {
        let words = tape.vars.len().div_ceil(64);
        if words as u64 * tape.steps.len() as u64 > EFFORT {
            return None;
        }
        let mut depends = vec![0_u64; words * tape.steps.len()];
        let mut steps = vec![Vec::new(); tape.vars.len()];
        for (place, step) in (0_u32..).zip(&tape.steps) {
            let (before, here) = depends.split_at_mut(place as usize * words);
            let here = &mut here[..words];
            if step.tag == Tag::Var {
                here[step.a as usize / 64] |= 1 << (step.a % 64);
            }
            for operand in tape.operands(step) {
                let from = operand as usize * words;
                for (word, more) in here.iter_mut().zip(&before[from..from + words]) {
                    *word |= more;
                }
            }
            for (index, &word) in (0_u32..).zip(here.iter()) {
                let mut rest = word;
                while rest != 0 {
                    steps[(index * 64 + rest.trailing_zeros()) as usize].push(place);
                    rest &= rest - 1;
                }
            }
        }
        let mut is_root = vec![false; tape.steps.len()];
        for &root in &tape.roots {
            is_root[root as usize] = true;
        }
        let roots = steps.iter().map(|steps: &Vec<u32>| {
            let roots = steps.iter().copied();
            roots.filter(|place| is_root[*place as usize]).collect()
        });
        let roots = roots.collect();
        let mut order: Vec<u32> = (0..tape.vars.len() as u32).collect();
        order.sort_by_key(|var| steps[*var as usize].len());
        Some(Cones {
            steps,
            roots,
            order,
        })
    }
}

struct State<'a> {
    tape: &'a Tape,
    cones: &'a Cones,
    goals: &'a [u32],
    vars: Vec<u128>,
    values: Vec<u128>,
    left: u64,
}

impl State<'_> {
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps as u64 + 1)?;
        Some(())
    }

    fn evaluate_all(&mut self) -> Option<()> {
        self.spend(self.tape.steps.len())?;
        let vars = &self.vars;
        self.tape.run(&mut self.values, |var| vars[var as usize]);
        Some(())
    }

    fn fails(&self, root: u32) -> bool {
        self.values[root as usize] != 1
    }

    /// How bad it is that those of some roots fail that do.
    fn badness(&self, roots: &[u32]) -> usize {
        let weight = |root: &&u32| match self.goals.contains(root) {
            true => self.tape.roots.len(),
            false => 1,
        };
        let failing = roots.iter().filter(|root| self.fails(**root));
        failing.map(|root| weight(&root)).sum()
    }

    /// Changes variables that were not made until nothing fails; `None`: the effort is spent.
    fn mend(&mut self, made: &Move) -> Option<bool> {
        self.evaluate_all()?;
        let mut kept: Vec<u32> = made.iter().map(|(var, _)| *var).collect();
        for _ in 0..ROUNDS {
            let roots = self.tape.roots.iter().copied();
            let failing: Vec<u32> = roots.filter(|&root| self.fails(root)).collect();
            if failing.is_empty() {
                return Some(true);
            }
            let now = self.badness(&failing);
            let mut best: Option<(usize, u32, u128)> = None;
            for &var in &self.cones.order {
                let roots = &self.cones.roots[var as usize];
                if kept.contains(&var) || !failing.iter().any(|root| roots.contains(root)) {
                    continue;
                }
                let (fails, value) = self.best_value(var, now)?;
                if fails < best.map_or(now, |(least, ..)| least) {
                    best = Some((fails, var, value));
                }
                if fails == 0 {
                    break;
                }
            }
            let Some((_, var, value)) = best else {
                return Some(false);
            };
            self.set(var, value)?;
            kept.push(var);
        }
        Some(self.tape.roots.iter().all(|&root| !self.fails(root)))
    }

    /// The best value of a variable and how bad it is; the old value, with which it is so bad `now`, is put back.
    fn best_value(&mut self, var: u32, now: usize) -> Option<(usize, u128)> {
        let old = self.vars[var as usize];
        let roots = &self.cones.roots[var as usize];
        let elsewhere = now - self.badness(roots);
        let mut best = (usize::MAX, old);
        for value in 0..=mask(self.tape.vars[var as usize].1).min(VALUES - 1) {
            self.set(var, value)?;
            let fails = elsewhere + self.badness(roots);
            if fails < best.0 {
                best = (fails, value);
            }
            if fails == 0 {
                break;
            }
        }
        self.set(var, old)?;
        Some(best)
    }

    fn set(&mut self, var: u32, value: u128) -> Option<()> {
        let steps = &self.cones.steps[var as usize];
        self.spend(steps.len())?;
        self.vars[var as usize] = value;
        for &place in steps {
            self.tape.update(place, &mut self.values, &self.vars);
        }
        Some(())
    }
}
