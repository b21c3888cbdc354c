//! A part of a query, which grows by what its models break.
//!
//! Most conditions of a long path do not matter for one goal: they hold under the hint, and go on holding. So the backend is asked
//! about the goal, and about the conditions on one of the goal's variables alone. Its model, the other variables as in the hint, may
//! break further conditions: these join the part, with all conditions on one of their variables alone. A part without a solution is enough for the
//! whole, and small enough to be met again in another query; a model that breaks nothing is the answer.
//!
//! Must hold: the goal is always in the part; the part grows each time that it is told of something broken.

use crate::eval::Tape;

/// Steps evaluated to bring one model nearer to the hint.
const EFFORT: usize = 1_000_000;

/// Most words that say which variables the steps read: tens of megabytes.
const MOST_WORDS: usize = 1 << 22;

/// Some of a tape's roots, and all of these that read one of their variables alone.
pub(super) struct Part {
    /// For each root, the variables that it reads: a bit for each.
    reads: Vec<Box<[u64]>>,
    /// The variables of the part.
    vars: Box<[u64]>,
    chosen: Vec<bool>,
}

impl Part {
    /// The first `goals` roots, and what reads one of their variables alone. `None`: the tape is too large.
    pub(super) fn of_goals(tape: &Tape, goals: usize) -> Option<Part> {
        let words = tape.vars.len().div_ceil(64);
        if tape.steps.len() * words > MOST_WORDS {
            return None;
        }
        let mut reads = vec![0_u64; tape.steps.len() * words];
        for (place, step) in tape.steps.iter().enumerate() {
            let (before, here) = reads.split_at_mut(place * words);
            if step.tag == crate::pool::Tag::Var {
                here[step.a as usize / 64] |= 1 << (step.a % 64);
            }
            for operand in tape.operands(step) {
                let from = operand as usize * words;
                for (to, from) in here.iter_mut().zip(&before[from..from + words]) {
                    *to |= from;
                }
            }
        }
        let of_root = |&root: &u32| reads[root as usize * words..][..words].into();
        let mut part = Part {
            reads: tape.roots.iter().map(of_root).collect(),
            vars: vec![0; words].into(),
            chosen: vec![false; tape.roots.len()],
        };
        (0..goals).for_each(|root| part.choose(root));
        part.close();
        Some(part)
    }

    fn choose(&mut self, root: usize) {
        self.chosen[root] = true;
        for (to, from) in self.vars.iter_mut().zip(&self.reads[root]) {
            *to |= from;
        }
    }

    /// Adds all that reads one of the part's variables alone.
    fn close(&mut self) {
        for (reads, chosen) in self.reads.iter().zip(&mut self.chosen) {
            let is_known = reads
                .iter()
                .zip(&self.vars)
                .all(|(read, var)| read & !var == 0);
            let count: u32 = reads.iter().map(|read| read.count_ones()).sum();
            *chosen |= is_known && count <= 1;
        }
    }

    /// Roots that belong to it.
    pub(super) fn len(&self) -> usize {
        self.chosen.iter().filter(|&&chosen| chosen).count()
    }

    /// Of things in the order of the roots, those that belong to it.
    pub(super) fn of<T: Copy>(&self, all: &[T]) -> Vec<T> {
        let pairs = all.iter().zip(&self.chosen);
        pairs
            .filter_map(|(&one, &chosen)| chosen.then_some(one))
            .collect()
    }

    /// Puts the variables back to `hint` one by one, as long as the part holds; adds what `vars` breaks then, and says whether that is
    /// anything.
    pub(super) fn grow(&mut self, tape: &Tape, vars: &mut [u128], hint: &[u128]) -> bool {
        let mut values = tape.blank();
        let own = self.of(&tape.roots);
        let mut left = EFFORT / tape.steps.len().max(1);
        for place in 0..vars.len() {
            if vars[place] == hint[place] {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let model = std::mem::replace(&mut vars[place], hint[place]);
            tape.run(&mut values, |var| vars[var as usize]);
            if own.iter().any(|&root| values[root as usize] != 1) {
                vars[place] = model;
            }
        }
        tape.run(&mut values, |var| vars[var as usize]);
        let broken: Vec<usize> = (0..tape.roots.len())
            .filter(|&root| values[tape.roots[root] as usize] != 1 && !self.chosen[root])
            .collect();
        broken.iter().for_each(|&root| self.choose(root));
        self.close();
        !broken.is_empty()
    }
}
