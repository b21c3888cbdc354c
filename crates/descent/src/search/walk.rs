//! Concolic Walk (Dinges and Agha, *Solving Complex Path Conditions through Heuristic Search on Induced Polytopes*, FSE 2014).
//!
//! The walk stays on the linear part of the constraints ([`Linear`](super::linear::Linear)): inputs that linear equations fix
//! are computed from the others, and a step that breaks a linear inequality is no neighbour. On the rest it is a tabu search: one unsatisfied
//! constraint is chosen, for some of its inputs the secant method (bisection, once a change of sign is bracketed) looks for
//! values that satisfy it, and the best of all these neighbours is taken, better or not. The input that moved is tabu for some
//! steps. A walk that does not improve any more goes on from another place.

use super::bench::{Bench, Position, Stop, reached};
use super::moves::{Move, is_inside, steps};
use crate::Kind;

/// Inputs that are tried for one step of the walk.
const SAMPLE: usize = 6;

/// Evaluations for the root of one constraint along one input.
const ROOT: usize = 10;

pub(super) struct Walk {
    position: Position,
    /// Step of the walk until which an input must not move.
    tabu: Vec<u64>,
    step: u64,
    /// The best score since the last new beginning, and the steps since it.
    reached: f64,
    stale: u64,
    trial: Vec<u128>,
    /// The best neighbour so far: its score, the input that moved, all values.
    neighbour: Option<(f64, usize)>,
    values: Vec<u128>,
    begins: bool,
}

/// A constraint along one input.
struct Line {
    step: usize,
    input: usize,
}

impl Walk {
    pub(super) fn new(start: &Position) -> Self {
        Walk {
            position: start.clone(),
            tabu: vec![0; start.values.len()],
            step: 0,
            reached: f64::INFINITY,
            stale: 0,
            trial: start.values.clone(),
            neighbour: None,
            values: start.values.clone(),
            begins: true,
        }
    }

    /// Searches until the bench says stop.
    pub(super) fn run(&mut self, bench: &mut Bench<'_>) -> Stop {
        loop {
            if let Err(stop) = self.advance(bench) {
                return stop;
            }
        }
    }

    /// One step of the walk.
    fn advance(&mut self, bench: &mut Bench<'_>) -> Result<(), Stop> {
        if std::mem::take(&mut self.begins) {
            self.trial.copy_from_slice(&self.position.values);
            bench.linear.complete(bench.program, &mut self.trial);
            if self.trial != self.position.values {
                self.position.values.copy_from_slice(&self.trial);
                bench.settle(&mut self.position)?;
            }
        }
        let wrong: Vec<usize> = reached(&self.position.readings).collect();
        let Some(step) = bench.rng.pick(&wrong) else {
            return self.begin_anew(bench);
        };
        let inputs = self.sample(bench, step);
        self.neighbour = None;
        for &input in &inputs {
            self.along(bench, &Line { step, input })?;
        }
        self.step += 1;
        self.stale += 1;
        if let Some((score, input)) = self.neighbour {
            self.position.values.copy_from_slice(&self.values);
            bench.settle(&mut self.position)?;
            self.tabu[input] = self.step + 1 + bench.rng.below(3) as u64;
            if score < self.reached {
                (self.reached, self.stale) = (score, 0);
            }
        }
        if self.stale > 12 + 2 * inputs.len() as u64 {
            return self.begin_anew(bench);
        }
        Ok(())
    }

    fn begin_anew(&mut self, bench: &mut Bench<'_>) -> Result<(), Stop> {
        bench.stuck(&self.position.readings);
        (self.reached, self.stale) = (f64::INFINITY, 0);
        self.tabu.fill(0);
        bench.begin_anew(&mut self.position)
    }

    /// Some inputs of the constraint that may move.
    fn sample(&self, bench: &mut Bench<'_>, step: usize) -> Vec<usize> {
        let influence = bench.linear.free_of(&bench.program.influence[step]);
        let mut inputs: Vec<usize> = influence
            .iter()
            .copied()
            .filter(|&input| self.tabu[input] <= self.step)
            .collect();
        if inputs.is_empty() {
            inputs = influence;
        }
        while inputs.len() > SAMPLE {
            inputs.swap_remove(bench.rng.below(inputs.len()));
        }
        inputs
    }

    /// Neighbours along one input: roots of the constraint's gap, and a random step.
    fn along(&mut self, bench: &mut Bench<'_>, line: &Line) -> Result<(), Stop> {
        let variable = bench.variable(line.input);
        let value = self.position.values[line.input];
        let choices = steps(variable, value, &bench.program.constants);
        for _ in 0..2 {
            if let Some(moved) = bench
                .rng
                .pick(&choices)
                .and_then(|step| step.of(variable, value))
            {
                self.try_value(bench, line, moved)?;
            }
        }
        let gap = self.position.readings[line.step].gap;
        if gap == 0.0 {
            return Ok(());
        }
        self.root(bench, line, gap)
    }

    /// Secant steps from the gap at offset 0; between points of different sign bisection where the secant leaves them.
    fn root(&mut self, bench: &mut Bench<'_>, line: &Line, gap: f64) -> Result<(), Stop> {
        let is_float = bench.variable(line.input).kind == Kind::Float;
        let (mut last, mut offset) = ((0.0, gap), if gap > 0.0 { -1.0 } else { 1.0 });
        // The offsets with the smallest gaps of either sign.
        let mut around: [Option<f64>; 2] = [None; 2];
        around[usize::from(gap > 0.0)] = Some(0.0);
        for _ in 0..ROOT {
            let Some(gap) = self.at_offset(bench, line, offset)? else {
                // Outside of the domain: half as far, to the other side.
                offset = -offset / 2.0;
                if !is_float {
                    offset = offset.trunc();
                }
                if offset == 0.0 {
                    break;
                }
                continue;
            };
            if gap == 0.0 {
                break;
            }
            around[usize::from(gap > 0.0)] = Some(offset);
            let next = if gap == last.1 {
                offset * 16.0
            } else {
                offset - gap * (offset - last.0) / (gap - last.1)
            };
            let next = match around {
                [Some(a), Some(b)] if next <= a.min(b) || next >= a.max(b) => f64::midpoint(a, b),
                _ => next,
            };
            last = (offset, gap);
            let next = if is_float { next } else { next.round() };
            if next == offset || !next.is_finite() {
                break;
            }
            offset = next;
        }
        Ok(())
    }

    /// The constraint's gap with the input moved by `offset`.
    fn at_offset(
        &mut self,
        bench: &mut Bench<'_>,
        line: &Line,
        offset: f64,
    ) -> Result<Option<f64>, Stop> {
        let variable = bench.variable(line.input);
        let step = match variable.kind {
            Kind::Float => Move::Number(offset),
            _ => Move::Add((offset as i128).cast_unsigned()),
        };
        let Some(moved) = step.of(variable, self.position.values[line.input]) else {
            return Ok(None);
        };
        self.try_value(bench, line, moved)?;
        Ok(Some(bench.readings()[line.step].gap))
    }

    /// Evaluates a neighbour and remembers it if it is the best.
    fn try_value(&mut self, bench: &mut Bench<'_>, line: &Line, value: u128) -> Result<(), Stop> {
        debug_assert!(
            is_inside(bench.variable(line.input), value),
            "moves stay in the domain"
        );
        self.trial.copy_from_slice(&self.position.values);
        self.trial[line.input] = value;
        bench.linear.complete(bench.program, &mut self.trial);
        let score = bench.evaluate(&self.trial)?;
        let breaks = |&step: &usize| {
            self.position.readings[step].distance == 0.0 && bench.readings()[step].distance > 0.0
        };
        let stays = !bench.linear.inequalities().iter().any(breaks);
        if stays && self.neighbour.is_none_or(|(best, _)| score < best) {
            self.neighbour = Some((score, line.input));
            self.values.copy_from_slice(&self.trial);
        }
        Ok(())
    }
}
