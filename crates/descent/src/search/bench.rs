//! What the searches share: evaluation under a budget, the best state, restarts, and who is to blame.
//!
//! Must hold: a change that is not kept is undone, also when the budget ends within it.

use smt::{Assignment, Pool};

use super::linear::Linear;
use super::moves::{clamped, random};
use crate::distance::{Reading, UNREACHED};
use crate::program::Bits;
use crate::rng::Rng;
use crate::{Callback, Kind, Machine, Program, Trace, Variable, confirms};

/// Why a search hands back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Values were found and confirmed.
    Found,
    /// The turn of this search is over.
    Turn,
    /// The limit of evaluations is reached.
    Limit,
}

/// Values, and how far they are from what is wanted.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) values: Vec<u128>,
    pub(super) score: f64,
    pub(super) readings: Vec<Reading>,
}

pub(super) struct Bench<'a> {
    pub(super) program: &'a Program,
    pub(super) linear: &'a Linear,
    pool: &'a Pool,
    trace: &'a Trace,
    machine: Machine<'a>,
    callback: &'a mut Callback<'a>,
    pub(super) rng: Rng,
    pub(super) start: Position,
    pub(super) best: Position,
    pub(super) spent: u64,
    pub(super) turn_ends: u64,
    limit: u64,
    /// How often each step was unsatisfied where a search could go no further.
    blame: Vec<u64>,
}

/// What a bench works on.
pub(super) struct Task<'a> {
    pub(super) program: &'a Program,
    pub(super) linear: &'a Linear,
    pub(super) pool: &'a Pool,
    pub(super) trace: &'a Trace,
    pub(super) callback: &'a mut Callback<'a>,
}

impl<'a> Bench<'a> {
    /// Evaluates the start. `Err` if that is it, or nothing may be evaluated; the bench is there in any case.
    pub(super) fn new(
        task: Task<'a>,
        start: &Assignment,
        limit: u64,
        seed: u64,
    ) -> (Self, Result<(), Stop>) {
        let Task {
            program,
            linear,
            pool,
            trace,
            callback,
        } = task;
        let values = program.inputs.iter().map(|input| {
            let value = start.get(input.variable.var);
            match input.variable.kind {
                Kind::Fixed => value & (u128::MAX >> (128 - u32::from(input.variable.width))),
                _ => clamped(&input.variable, value),
            }
        });
        let start = Position {
            values: values.collect(),
            score: f64::INFINITY,
            readings: vec![Reading::HOLDS; program.influence.len()],
        };
        let mut bench = Bench {
            program,
            linear,
            pool,
            trace,
            machine: Machine::new(program),
            callback,
            rng: Rng::new(seed),
            best: start.clone(),
            start,
            spent: 0,
            turn_ends: u64::MAX,
            limit,
            blame: vec![0; program.influence.len()],
        };
        let mut start = bench.start.clone();
        let first = bench.settle(&mut start);
        bench.start = start;
        (bench, first)
    }

    /// The score of these values.
    pub(super) fn evaluate(&mut self, values: &[u128]) -> Result<f64, Stop> {
        if self.spent >= self.limit {
            return Err(Stop::Limit);
        }
        if self.spent >= self.turn_ends {
            return Err(Stop::Turn);
        }
        let mut score = self.machine.evaluate(values, self.callback);
        self.spent += 1 + self.machine.take_work();
        if score == 0.0 {
            if confirms(
                self.pool,
                self.trace,
                &self.assignment(values),
                self.callback,
            ) {
                (self.best.score, self.best.values) = (0.0, values.to_vec());
                return Err(Stop::Found);
            }
            // A function that does not depend on its arguments alone: these values are no solution.
            self.machine.forget();
            score = f64::MAX;
        }
        if score < self.best.score {
            self.best.score = score;
            self.best.values.copy_from_slice(values);
            self.best.readings.copy_from_slice(self.machine.readings());
        }
        Ok(score)
    }

    /// What the last evaluation measured.
    pub(super) fn readings(&self) -> &[Reading] {
        self.machine.readings()
    }

    /// Evaluates a position as it stands.
    pub(super) fn settle(&mut self, position: &mut Position) -> Result<(), Stop> {
        position.score = self.evaluate(&position.values)?;
        position.readings.copy_from_slice(self.machine.readings());
        Ok(())
    }

    /// Changes inputs of a position, and keeps that if it is better.
    pub(super) fn improves(
        &mut self,
        position: &mut Position,
        changes: &[(usize, u128)],
    ) -> Result<bool, Stop> {
        let mut old = [(0, 0); 2];
        for (old, &(input, value)) in old.iter_mut().zip(changes) {
            *old = (input, std::mem::replace(&mut position.values[input], value));
        }
        let score = self.evaluate(&position.values);
        if let Ok(score) = score
            && score < position.score
        {
            position.score = score;
            position.readings.copy_from_slice(self.machine.readings());
            return Ok(true);
        }
        for &(input, value) in old[..changes.len().min(2)].iter().rev() {
            position.values[input] = value;
        }
        score.map(|_| false)
    }

    pub(super) fn variable(&self, input: usize) -> &'a Variable {
        &self.program.inputs[input].variable
    }

    /// The inputs that influence a step that was reached and is not satisfied.
    pub(super) fn movable(&self, position: &Position) -> Vec<usize> {
        let mut all = Bits::default();
        for step in reached(&position.readings) {
            all.join(&self.program.influence[step]);
        }
        all.iter().collect()
    }

    /// A search can go no further from here: who is in the way?
    pub(super) fn stuck(&mut self, readings: &[Reading]) {
        for step in reached(readings) {
            self.blame[step] += 1;
        }
    }

    /// Another place to begin at: near the best one, near the start, or anywhere.
    pub(super) fn begin_anew(&mut self, position: &mut Position) -> Result<(), Stop> {
        let movable = self.movable(position);
        let far = match self.rng.below(4) {
            0 => {
                position.values.copy_from_slice(&self.best.values);
                1 + self.rng.below(3)
            }
            1 => {
                position.values.copy_from_slice(&self.start.values);
                1 + self.rng.below(3)
            }
            _ => usize::MAX,
        };
        for _ in 0..far.min(movable.len()) {
            if far < movable.len()
                && let Some(input) = self.rng.pick(&movable)
            {
                self.randomize(position, input);
            }
        }
        if far >= movable.len() {
            for &input in &movable {
                self.randomize(position, input);
            }
        }
        self.linear.complete(self.program, &mut position.values);
        position.score = f64::INFINITY;
        self.settle(position)
    }

    fn randomize(&mut self, position: &mut Position, input: usize) {
        let variable = self.variable(input);
        position.values[input] = random(variable, &mut self.rng, &self.program.constants);
    }

    pub(super) fn assignment(&self, values: &[u128]) -> Assignment {
        let inputs = self.program.inputs.iter().zip(values);
        inputs
            .map(|(input, &value)| (input.variable.var, value))
            .collect()
    }

    /// The step that was in the way: of those that the best state leaves unsatisfied, the one that most searches ended at;
    /// of equals the farthest.
    pub(super) fn blamed(&self) -> Option<usize> {
        let readings = &self.best.readings;
        let rank = |step: usize| (self.blame[step], readings[step].distance);
        reached(readings).max_by(|&a, &b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }

    /// A step that no input can change and that does not hold.
    pub(super) fn hopeless(&self) -> Option<usize> {
        reached(&self.start.readings)
            .find(|&step| self.program.influence[step].iter().next().is_none())
    }
}

/// The steps that were reached and do not hold.
pub(super) fn reached(readings: &[Reading]) -> impl Iterator<Item = usize> + '_ {
    let steps = readings.iter().enumerate();
    let wrong = steps.filter(|(_, reading)| reading.distance > 0.0 && reading.distance < UNREACHED);
    wrong.map(|(step, _)| step)
}
