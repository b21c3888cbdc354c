//! Queries as circuits, and their answer by a SAT solver.
//!
//! Charter: a tape becomes gates ([`gates`]), operation by operation ([`words`], [`floats`]), and a SAT solver finds bits for those
//! that its roots need ([`sat`]). What it costs is known: gates are counted as they are made, conflicts as they are met. So a small
//! query costs microseconds, and one that is too hard is given up early, at the same place each time.
//!
//! Must hold: under the hint every word is the value that its step has; a model is confirmed by whoever asked.

mod floats;
mod gates;
mod sat;
mod words;

use std::collections::HashMap;

use crate::eval::Tape;
use crate::pool::hash::MixBuild;
use crate::{Op, Var, pool::Tag};
use gates::{Bit, Gates};
use words::Word;

/// What one answer may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Gates of the circuit.
    pub(crate) gates: usize,
    /// Conflicts of the SAT solver.
    pub(crate) conflicts: u64,
}

/// What a circuit says of a tape's roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Values of the tape's variables, under which all roots are 1.
    Values(Vec<u128>),
    /// There are none.
    Nothing,
    /// The limits were reached.
    Spent,
    /// There is an operation for which there is no circuit.
    Unfit,
}

/// Whether all roots can be 1, and by what values; the search begins at `start`, which has a value for each variable, and
/// changes few of them.
pub(crate) fn decide(
    tape: &Tape,
    start: &[u128],
    limits: Limits,
    stopped: &dyn Fn() -> bool,
) -> Outcome {
    let circuit = match Circuit::new(tape, start, limits.gates) {
        Ok(circuit) => circuit,
        Err(outcome) => return outcome,
    };
    let roots: Vec<Bit> = (tape.roots.iter())
        .map(|&root| circuit.words[root as usize][0])
        .collect();
    let inputs: Vec<&[Bit]> = (tape.vars.iter())
        .map(|(var, _)| &circuit.inputs[var][..])
        .collect();
    let (gates, conflicts) = (&circuit.gates, limits.conflicts);
    match sat::solve(gates, &roots, &inputs, conflicts, stopped) {
        sat::Answer::Unsat => Outcome::Nothing,
        sat::Answer::Spent => Outcome::Spent,
        sat::Answer::Sat(model) => {
            let value = |word: &Word| {
                let bits = word.iter().enumerate();
                bits.fold(0, |value, (at, &bit)| {
                    value | u128::from(model.value(gates, bit)) << at
                })
            };
            let vars = tape.vars.iter().map(|(var, _)| value(&circuit.inputs[var]));
            Outcome::Values(vars.collect())
        }
    }
}

/// A tape's circuit.
struct Circuit {
    gates: Gates,
    /// Of each step.
    words: Vec<Word>,
    /// Of each variable, as it is read.
    vars: Vec<Word>,
    /// Of each variable, as wide as it is read.
    inputs: HashMap<Var, Word, MixBuild>,
}

impl Circuit {
    fn new(tape: &Tape, start: &[u128], limit: usize) -> Result<Circuit, Outcome> {
        let mut gates = Gates::new();
        let mut vars: Vec<Word> = Vec::with_capacity(tape.vars.len());
        let mut inputs: HashMap<Var, Word, MixBuild> = HashMap::default();
        // One of them may be read at several widths: each is of its low bits.
        for (&(var, bits), &value) in tape.vars.iter().zip(start) {
            let word = inputs.entry(var).or_default();
            for at in word.len() as u16..bits {
                word.push(gates.input(value >> at & 1 == 1));
            }
            vars.push(word[..usize::from(bits)].to_vec());
        }
        let mut circuit = Circuit {
            gates,
            words: Vec::with_capacity(tape.steps.len()),
            vars,
            inputs,
        };
        let mut constants = tape.constants.iter();
        for step in &tape.steps {
            let word = match step.tag {
                // They are listed in the order of their steps.
                Tag::Const | Tag::Wide => {
                    let value = constants.next().map_or(0, |constant| constant.1);
                    words::constant(step.bits, value)
                }
                Tag::Var => circuit.vars[step.a as usize].clone(),
                Tag::Table => {
                    let entries = &tape.tables[step.b as usize];
                    if entries.len() * usize::from(step.bits) > limit {
                        return Err(Outcome::Spent);
                    }
                    let entries: Vec<&[Bit]> = (entries.iter())
                        .map(|&entry| &circuit.words[entry as usize][..])
                        .collect();
                    circuit
                        .gates
                        .element(&circuit.words[step.a as usize], &entries)
                }
                Tag::Op(op) => {
                    let operands =
                        [step.a, step.b, step.c].map(|at| &circuit.words[at as usize][..]);
                    circuit
                        .gates
                        .operation(op, usize::from(step.bits), usize::from(step.aux), operands)
                        .ok_or(Outcome::Unfit)?
                }
            };
            circuit.words.push(word);
            if circuit.gates.len() > limit {
                return Err(Outcome::Spent);
            }
        }
        Ok(circuit)
    }
}

impl Gates {
    /// What an operation yields, `bits` wide; operands that it does not have are not looked at. `None`: there is no circuit for it.
    fn operation(
        &mut self,
        op: Op,
        bits: usize,
        aux: usize,
        [a, b, c]: [&[Bit]; 3],
    ) -> Option<Word> {
        let top = a.len() - 1;
        let word = match op {
            Op::Add => self.add(a, b),
            Op::Sub => self.sub(a, b),
            Op::Mul => self.mul(a, b),
            Op::UDiv => self.divide(a, b).0,
            Op::URem => self.divide(a, b).1,
            Op::SDiv => self.signed_divide(a, b).0,
            Op::SRem => self.signed_divide(a, b).1,
            Op::And => self.bitwise(a, b, Gates::and),
            Op::Or => self.bitwise(a, b, Gates::or),
            Op::Xor => self.bitwise(a, b, Gates::xor),
            Op::Shl => self.shift_left(a, b),
            Op::LShr => self.shift_right(a, b, Bit::FALSE),
            Op::AShr => self.shift_right(a, b, a[top]),
            Op::Not => a.iter().map(|&bit| !bit).collect(),
            Op::Neg => self.neg(a),
            Op::Eq => vec![self.equal(a, b)],
            Op::Ult => vec![self.less(a, b, false)],
            Op::Ule => vec![self.less(a, b, true)],
            Op::Slt => vec![self.signed_less(a, b, false)],
            Op::Sle => vec![self.signed_less(a, b, true)],
            Op::ZExt => words::resized(a, bits, Bit::FALSE),
            Op::SExt => words::resized(a, bits, a[top]),
            Op::Extract => a[aux..aux + bits].to_vec(),
            Op::Concat => [b, a].concat(),
            Op::Ite => self.choose(a[0], b, c),
            Op::Popcount => self.count_ones(a),
            Op::Clz => {
                let reversed: Word = a.iter().rev().copied().collect();
                self.trailing_zeros(&reversed)
            }
            Op::Ctz => self.trailing_zeros(a),
            Op::Bswap => a.chunks(8).rev().flatten().copied().collect(),
            Op::UAddO => vec![self.unsigned_add_overflows(a, b)],
            Op::SAddO => vec![self.signed_add_overflows(a, b)],
            Op::USubO => vec![self.less(a, b, false)],
            Op::SSubO => vec![self.signed_sub_overflows(a, b)],
            Op::UMulO => vec![self.unsigned_mul_overflows(a, b)],
            Op::SMulO => vec![self.signed_mul_overflows(a, b)],
            _ => return self.float_operation(op, bits, aux, a, b),
        };
        Some(word)
    }
}

#[cfg(test)]
mod tests;
