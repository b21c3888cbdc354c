//! The alternating-variable method (Korel 1990; McMinn 2004): one input after the other is moved as long as that helps.
//!
//! An exploratory step that improves the score is repeated with twice its size until it does not improve; then exploration
//! begins again from there. Beside the classical ±1 the exploration tries greater powers of two, single bits, the constants of
//! the trace, and for floats steps by value and by the number of floats between. Where no input helps, two are moved at once;
//! then the search begins at another place.

use super::bench::{Bench, Position, Stop};
use super::moves::{Move, steps};

/// Pairs of steps that are tried where single ones do not help.
const PAIRS: usize = 60;

pub(super) struct Alternating {
    position: Position,
    /// The input that begins.
    first: usize,
}

impl Alternating {
    pub(super) fn new(start: &Position) -> Self {
        Alternating {
            position: start.clone(),
            first: 0,
        }
    }

    /// Searches until the bench says stop.
    pub(super) fn run(&mut self, bench: &mut Bench<'_>) -> Stop {
        loop {
            if let Err(stop) = self.round(bench) {
                return stop;
            }
        }
    }

    /// Each input once; from a local optimum somewhere else.
    fn round(&mut self, bench: &mut Bench<'_>) -> Result<(), Stop> {
        let movable = bench.movable(&self.position);
        let mut is_better = false;
        for turn in 0..movable.len() {
            let input = movable[(self.first + turn) % movable.len()];
            is_better |= self.improve(bench, input)?;
        }
        self.first = self.first.wrapping_add(1);
        if !is_better && !self.pairs(bench, &movable)? {
            bench.stuck(&self.position.readings);
            bench.begin_anew(&mut self.position)?;
        }
        Ok(())
    }

    /// Moves one input as far as it helps.
    fn improve(&mut self, bench: &mut Bench<'_>, input: usize) -> Result<bool, Stop> {
        let mut is_better = false;
        while let Some(mut step) = self.explore(bench, input)? {
            is_better = true;
            while let Some(next) = step.doubled()
                && self.take(bench, input, next)?
            {
                step = next;
            }
        }
        Ok(is_better)
    }

    /// The first step that helps; it is taken.
    fn explore(&mut self, bench: &mut Bench<'_>, input: usize) -> Result<Option<Move>, Stop> {
        let value = self.position.values[input];
        for step in steps(bench.variable(input), value, &bench.program.constants) {
            if self.take(bench, input, step)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    fn take(&mut self, bench: &mut Bench<'_>, input: usize, step: Move) -> Result<bool, Stop> {
        match step.of(bench.variable(input), self.position.values[input]) {
            Some(value) => bench.improves(&mut self.position, &[(input, value)]),
            None => Ok(false),
        }
    }

    /// Two inputs at once, with random steps.
    fn pairs(&mut self, bench: &mut Bench<'_>, movable: &[usize]) -> Result<bool, Stop> {
        if movable.len() < 2 {
            return Ok(false);
        }
        for _ in 0..PAIRS {
            let mut changes = [(0, 0); 2];
            for change in &mut changes {
                let input = bench.rng.pick(movable).expect("there are two");
                let variable = bench.variable(input);
                let value = self.position.values[input];
                let steps = steps(variable, value, &[]);
                let near = steps.len().min(1 << (1 + bench.rng.below(6)));
                let step = bench.rng.pick(&steps[..near]);
                let moved = step.and_then(|step| step.of(variable, value));
                *change = (input, moved.unwrap_or(value));
            }
            if changes[0].0 != changes[1].0 && bench.improves(&mut self.position, &changes)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
