//! When parts of the program are looked at for what holds in their loops, and what that may cost.
//!
//! One look at a part that has no answer takes as long as hundreds of moments in which conditions are followed backward, so looks begin
//! small, grow slowly, and rest in proportion to what they cost. What they cost is counted in steps: no clock decides what is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use backward::horn::{Open, Prover};
use program::{EdgeId, FuncId, Program};
use proof::clauses::Part;
use proof::closed::Effects;
use proof::{End, Fact};
use smt::Steps;

use crate::timer::Timer;

/// What a first look may cost: some tenths of a second, and mostly some hundredths.
const FIRST: Steps = Steps(256);
/// How much more each time after, and the most.
const MORE: u32 = 4;
const MOST: Steps = Steps(16_384);
/// Processor time of one look: a safety net.
const LOOK: Duration = Duration::from_secs(20);
/// Moments that pass behind a look that had an answer, and for each step of one that had none: so looks take a quarter of the time at most.
const REST: u64 = 2;
const REST_A_STEP: u64 = 24;

/// What is to be looked at for one target: a part's place among its function's, the smallest first, and what the look may cost.
#[derive(Debug, Default)]
pub struct Left(Option<Vec<(usize, Steps)>>);

impl Left {
    /// How late the next look is due, against those of other targets; `None` if nothing is left.
    pub fn due(&self) -> Option<u64> {
        let Some(left) = &self.0 else {
            return Some(due((0, FIRST)));
        };
        left.iter().copied().map(due).min()
    }

    /// The next look.
    fn pop(&mut self) -> Option<(usize, Steps)> {
        let left = self.0.as_mut()?;
        let (first, _) = left
            .iter()
            .enumerate()
            .min_by_key(|(_, look)| (due(**look), look.0))?;
        Some(left.swap_remove(first))
    }

    /// A look had no answer: there is one that may cost more, unless that was the most.
    fn again(&mut self, (at, steps): (usize, Steps)) {
        if steps < MOST {
            let left = self.0.get_or_insert_default();
            left.push((at, Steps(steps.0 * MORE)));
        }
    }
}

/// How late a look is due: a part has its first one when the part before it has one that may cost more.
fn due((at, steps): (usize, Steps)) -> u64 {
    u64::from(steps.0) * u64::from(MORE).pow(at as u32)
}

/// Looks at parts of a program.
pub struct Looks<'p> {
    program: &'p Program,
    prover: Prover<'p>,
    /// Parts to look at, by the function that targets are in.
    parts: BTreeMap<FuncId, Rc<[Part]>>,
    /// What a look at a part cost, for any target, that had no answer: those for other targets have none either, as a rule.
    hard: BTreeMap<(FuncId, usize), Steps>,
    /// Moments until there is another look.
    rests: u64,
}

impl<'p> Looks<'p> {
    /// At parts of a program; `effects`: of all its runs.
    pub fn new(effects: &Effects<'p>) -> Looks<'p> {
        Looks {
            program: effects.program,
            prover: Prover::new(effects),
            parts: BTreeMap::new(),
            hard: BTreeMap::new(),
            rests: 0,
        }
    }

    /// So many moments have passed.
    pub fn pass(&mut self, moments: u64) {
        self.rests = self.rests.saturating_sub(moments);
    }

    /// Is it time for a look?
    pub fn is_time(&self) -> bool {
        self.rests == 0
    }

    /// Takes the next look for a target; the part in which something holds that excludes it, if that is found. `idle`: nobody else needs the
    /// time.
    pub fn look(
        &mut self,
        left: &mut Left,
        never: Fact,
        (dead, idle): (&BTreeSet<EdgeId>, bool),
    ) -> Option<Part> {
        let function = never.function(self.program)?;
        let made = || self.prover.parts(&[never]).into();
        let parts = Rc::clone(self.parts.entry(function).or_insert_with(made));
        let whole = || (0..parts.len()).map(|at| (at, FIRST)).collect();
        left.0.get_or_insert_with(whole);
        let (at, steps) = left.pop()?;
        let was_hard = self.hard.get(&(function, at));
        let mut is_open = !idle && was_hard.is_some_and(|cost| *cost >= steps);
        if !is_open {
            let timer = Timer::new(LOOK, End::default());
            let budget = (steps, timer.end());
            let found = self.prover.look(&parts[at], dead, &[never], budget);
            is_open = matches!(found, Ok(Err(Open::Unknown(_))));
            self.rests = REST;
            if is_open {
                self.hard.insert((function, at), steps);
                self.rests = u64::from(steps.0) * REST_A_STEP;
            }
            if matches!(found, Ok(Ok(_))) {
                return Some(parts[at].clone());
            }
        }
        if is_open {
            left.again((at, steps));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_looked_at_once_the_one_before_it_may_cost_more() {
        let mut left = Left(Some((0..3).map(|at| (at, FIRST)).collect()));
        let mut order = Vec::new();
        for _ in 0..6 {
            let (at, steps) = left.pop().expect("something is left");
            order.push((at, steps.0 / FIRST.0));
            left.again((at, steps));
        }
        assert_eq!(order, [(0, 1), (0, 4), (1, 1), (0, 16), (1, 4), (2, 1)]);
    }
}
