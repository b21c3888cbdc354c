//! Evaluation of a compiled trace.

use smt::Op;

use super::word::{narrow, narrow_float, wide, wide_float};
use super::{BlockCode, CallCode, Code, Goal, Instr, Item, Jump, LoopCode, Program, Way};
use crate::Callback;
use crate::distance::{Reading, weight};

/// Operations in loops that count as one more evaluation.
const WORK: u64 = 4096;

/// The last call of a function that is not in this process: searches move one input at a time.
#[derive(Clone, Debug, Default)]
struct Memo {
    args: Vec<u128>,
    result: Option<u128>,
    is_valid: bool,
}

/// The words of one evaluation.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    words: Vec<u64>,
    readings: Vec<Reading>,
    scratch: Vec<Reading>,
    memos: Vec<Memo>,
    args: Vec<u128>,
    /// Operations executed in loops.
    work: u64,
}

/// The value at `word`.
#[inline(always)]
pub(crate) fn load(words: &[u64], word: u32, width: u16) -> u128 {
    let low = u128::from(words[word as usize]);
    if width <= 64 {
        low
    } else {
        low | u128::from(words[word as usize + 1]) << 64
    }
}

fn store(words: &mut [u64], word: u32, width: u16, value: u128) {
    words[word as usize] = value as u64;
    if width > 64 {
        words[word as usize + 1] = (value >> 64) as u64;
    }
}

impl<'p> Machine<'p> {
    /// Nothing evaluated yet.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        let most = program.gauges.iter().map(|gauge| gauge.len()).max();
        Machine {
            program,
            words: program.words.clone(),
            readings: vec![Reading::HOLDS; program.influence.len()],
            scratch: vec![Reading::HOLDS; most.unwrap_or(0)],
            memos: vec![Memo::default(); program.memos as usize],
            args: Vec::new(),
            work: 0,
        }
    }

    /// Evaluates the trace with a value for each of its inputs, in their order. The result is 0 if all conditions hold, and
    /// otherwise greater the farther they are from it.
    pub fn evaluate(&mut self, values: &[u128], callback: &mut Callback<'_>) -> f64 {
        let program = self.program;
        for (input, &value) in program.inputs.iter().zip(values) {
            let width = input.variable.width;
            store(
                &mut self.words,
                input.word,
                width,
                value & wide::mask(width),
            );
        }
        self.readings.fill(Reading::HOLDS);
        for item in &program.items {
            let arrives = match *item {
                Item::Straight { from, to } => {
                    self.straight(&program.code[from as usize..to as usize]);
                    true
                }
                Item::Call { step, call } => {
                    self.call(step, &program.calls[call as usize], callback)
                }
                Item::Loop { step, index } => {
                    self.repeat(step, &program.loops[index as usize], callback)
                }
                Item::Fit {
                    step,
                    condition,
                    gauge,
                } => {
                    if self.words[condition as usize] != 1 {
                        self.readings[step as usize] = self.read(gauge);
                    }
                    true
                }
            };
            if !arrives {
                self.lose_the_rest(item);
                break;
            }
        }
        self.readings
            .iter()
            .map(|reading| weight(reading.distance))
            .sum()
    }

    /// Nothing is known of the conditions behind a step that was not passed.
    fn lose_the_rest(&mut self, at: &Item) {
        let (Item::Call { step, .. } | Item::Loop { step, .. }) = *at else {
            return;
        };
        let mut behind = false;
        for item in &self.program.items {
            match *item {
                Item::Fit { step, .. } if behind => {
                    self.readings[step as usize] = Reading::UNREACHED
                }
                Item::Call { step: own, .. } | Item::Loop { step: own, .. } if own == step => {
                    behind = true
                }
                _ => {}
            }
        }
    }

    /// The distance of a step in the last evaluation.
    #[must_use]
    pub fn distance(&self, step: crate::StepId) -> f64 {
        self.readings[step.0 as usize].distance
    }

    /// Calls are made anew, also with the same arguments.
    pub(crate) fn forget(&mut self) {
        for memo in &mut self.memos {
            memo.is_valid = false;
        }
    }

    pub(crate) fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Further evaluations that the work in loops since the last question is worth.
    pub(crate) fn take_work(&mut self) -> u64 {
        let whole = self.work / WORK;
        self.work %= WORK;
        whole
    }

    fn read(&mut self, gauge: u32) -> Reading {
        let reading = self.program.gauges[gauge as usize].read(&self.words, &mut self.scratch);
        // The condition does not hold: whatever the gauge says, it is some way off.
        Reading {
            distance: reading.distance.max(f64::MIN_POSITIVE),
            ..reading
        }
    }

    /// Whether there was a result.
    fn call(&mut self, step: u32, call: &CallCode, callback: &mut Callback<'_>) -> bool {
        let result = match &call.way {
            Way::Known(known) => {
                let at = |i: usize| {
                    call.args
                        .get(i)
                        .map_or(0, |&(word, _)| self.words[word as usize])
                };
                Some(known.call(at(0), at(1)).into())
            }
            Way::Callback(name, memo) => {
                self.args.clear();
                for &(word, width) in &call.args {
                    self.args.push(load(&self.words, word, width));
                }
                let memo = &mut self.memos[*memo as usize];
                if !memo.is_valid || memo.args != self.args {
                    memo.result = callback(name, &self.args);
                    memo.args.clone_from(&self.args);
                    memo.is_valid = true;
                }
                memo.result
            }
        };
        match result {
            Some(value) => store(
                &mut self.words,
                call.out,
                call.width,
                value & wide::mask(call.width),
            ),
            None => self.readings[step as usize] = Reading::LOST,
        }
        result.is_some()
    }

    /// Whether the loop came to its exit.
    fn repeat(&mut self, step: u32, code: &LoopCode, callback: &mut Callback<'_>) -> bool {
        for moved in &code.entry {
            self.words[moved.to as usize] = self.words[moved.from as usize];
        }
        let mut at = 0;
        // How far the last branch that could have left the loop was from it.
        let mut away = Reading::LOST;
        let mut rest = code.limit;
        while rest > 0 {
            rest -= 1;
            let block: &BlockCode = &code.blocks[at as usize];
            self.work += u64::from(block.cost);
            if !self.block(step, block, callback) {
                return false;
            }
            // Conditions are read before the assignments, and so are their distances: towards the limit only. A nested
            // loop may go on for a while until the branch that leaves the outer one is met.
            let is_late = rest < code.limit / 8 + code.blocks.len() as u64;
            let (goal, near) = self.leave(block, is_late);
            if let Some(near) = near {
                away = near;
            }
            for moved in &block.moves {
                self.words[moved.to as usize] = self.words[moved.from as usize];
            }
            match goal {
                Goal::Block(next) => at = next,
                Goal::Exit => return true,
                Goal::Away => break,
            }
        }
        self.readings[step as usize] = Reading {
            distance: away.distance.max(f64::MIN_POSITIVE),
            ..away
        };
        false
    }

    fn block(&mut self, step: u32, block: &BlockCode, callback: &mut Callback<'_>) -> bool {
        let program = self.program;
        block.items.iter().all(|item| match *item {
            Item::Straight { from, to } => {
                self.straight(&program.inner[from as usize..to as usize]);
                true
            }
            Item::Call { call, .. } => self.call(step, &program.calls[call as usize], callback),
            Item::Loop { .. } | Item::Fit { .. } => unreachable!("blocks have code and calls"),
        })
    }

    /// Where the block goes on; with `measured`, how far it was from the exit, if it has one and did not take it. A wrong
    /// exit is measured always.
    fn leave(&mut self, block: &BlockCode, measured: bool) -> (Goal, Option<Reading>) {
        let (condition, then, otherwise, gauges) = match block.jump {
            Jump::Always(goal) => return (goal, None),
            Jump::On {
                condition,
                then,
                otherwise,
                gauges,
            } => (condition, then, otherwise, gauges),
        };
        let holds = self.words[condition as usize] == 1;
        let (taken, missed) = if holds {
            (then, otherwise)
        } else {
            (otherwise, then)
        };
        let is_near =
            taken != Goal::Exit && (taken == Goal::Away || measured && missed == Goal::Exit);
        let near = is_near.then(|| self.read(gauges[usize::from(holds)]));
        (taken, near)
    }

    #[inline]
    fn straight(&mut self, code: &[Instr]) {
        let words = &mut self.words[..];
        for instr in code {
            let at = |word: u32| words[word as usize];
            match instr.code {
                Code::Integer(op) => {
                    let (a, b, c) = (at(instr.a), at(instr.b), at(instr.c));
                    let value = narrow::compute(op, instr.bits, instr.aux, instr.width, a, b, c);
                    words[instr.out as usize] = value;
                }
                Code::Float(op) => {
                    let (a, b) = (at(instr.a), at(instr.b));
                    let value = narrow_float(op, instr.bits, instr.aux, instr.width, a, b);
                    words[instr.out as usize] = value;
                }
                Code::Wide(_) | Code::WideFloat(_) => two_words(words, instr),
                Code::Table => {
                    let table = &self.program.tables[instr.b as usize];
                    let last = table.len() - 1;
                    let index = load(words, instr.a, instr.width);
                    let entry = table[usize::try_from(index).map_or(last, |index| index.min(last))];
                    let value = load(words, entry, instr.bits);
                    store(words, instr.out, instr.bits, value);
                }
            }
        }
    }
}

/// An operation with a value of more than 64 bits.
fn two_words(words: &mut [u64], instr: &Instr) {
    let &Instr {
        code,
        aux,
        bits,
        width,
        ..
    } = instr;
    let a = load(words, instr.a, width);
    let value = match code {
        Code::Wide(op) => {
            let of_b = match op {
                Op::Concat => bits - width,
                Op::Ite => bits,
                _ => width,
            };
            let b = load(words, instr.b, if op.arity() > 1 { of_b } else { width });
            let c = if op == Op::Ite {
                load(words, instr.c, bits)
            } else {
                0
            };
            wide::compute(op, bits, aux, width, a, b, c)
        }
        Code::WideFloat(op) => wide_float(op, bits, aux, width, a, load(words, instr.b, width)),
        _ => unreachable!("other operations have one word"),
    };
    store(words, instr.out, bits, value);
}
