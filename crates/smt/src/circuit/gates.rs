//! Gates: what bits are computed with, each made once.
//!
//! A gate knows its value under the hint as soon as it is made: the circuit can be compared with the evaluator, and a search can begin
//! where the run was.
//!
//! Must hold: a gate's operands are older than it; a gate is never constant by its operands alone.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::pool::hash::MixBuild;

/// A bit: a gate, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bit(u32);

impl Bit {
    pub(super) const FALSE: Bit = Bit(0);
    pub(super) const TRUE: Bit = Bit(1);

    pub(super) fn of_gate(gate: u32) -> Bit {
        Bit(gate << 1)
    }

    pub(super) fn constant(value: bool) -> Bit {
        if value { Bit::TRUE } else { Bit::FALSE }
    }

    /// Its gate; 0 is that of the constants.
    pub(super) fn gate(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its value, if it is always the same.
    pub(super) fn known(self) -> Option<bool> {
        (self.gate() == 0).then_some(self == Bit::TRUE)
    }

    fn complement_if(self, condition: bool) -> Bit {
        Bit(self.0 ^ u32::from(condition))
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// What a gate computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gate {
    /// The constant 0, the first gate.
    Zero,
    /// A bit of a variable.
    Input,
    And(Bit, Bit),
    /// Of two gates, never of complements.
    Xor(Bit, Bit),
    /// The first, a gate, chooses the second; its complement the third.
    Choice(Bit, Bit, Bit),
    /// What two of three are: the carry of an adder.
    Majority(Bit, Bit, Bit),
}

/// All gates of a circuit.
pub(super) struct Gates {
    gates: Vec<Gate>,
    /// Under the hint.
    values: Vec<bool>,
    made: HashMap<Gate, u32, MixBuild>,
}

impl Gates {
    pub(super) fn new() -> Gates {
        Gates {
            gates: vec![Gate::Zero],
            values: vec![false],
            made: HashMap::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    pub(super) fn gate(&self, gate: u32) -> Gate {
        self.gates[gate as usize]
    }

    /// Under the hint.
    pub(super) fn value(&self, bit: Bit) -> bool {
        self.values[bit.gate() as usize] ^ bit.is_complement()
    }

    /// A bit that can be anything, and is `value` under the hint.
    pub(super) fn input(&mut self, value: bool) -> Bit {
        self.push(Gate::Input, value)
    }

    fn push(&mut self, gate: Gate, value: bool) -> Bit {
        let place = self.gates.len() as u32;
        self.gates.push(gate);
        self.values.push(value);
        Bit::of_gate(place)
    }

    fn made(&mut self, gate: Gate) -> Bit {
        let value = match gate {
            Gate::Zero | Gate::Input => false,
            Gate::And(a, b) => self.value(a) & self.value(b),
            Gate::Xor(a, b) => self.value(a) ^ self.value(b),
            Gate::Choice(s, a, b) => self.value(if self.value(s) { a } else { b }),
            Gate::Majority(a, b, c) => [a, b, c].iter().filter(|&&x| self.value(x)).count() > 1,
        };
        match self.made.entry(gate) {
            Entry::Occupied(made) => Bit::of_gate(*made.get()),
            Entry::Vacant(made) => {
                made.insert(self.gates.len() as u32);
                self.push(gate, value)
            }
        }
    }

    pub(super) fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Bit::FALSE => a,
            Bit::TRUE => b,
            _ if a == b => a,
            _ if a == !b => Bit::FALSE,
            _ => self.made(Gate::And(a, b)),
        }
    }

    pub(super) fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let flips = a.is_complement() != b.is_complement();
        let (a, b) = (
            a.complement_if(a.is_complement()),
            b.complement_if(b.is_complement()),
        );
        let (a, b) = (a.min(b), a.max(b));
        let plain = match a {
            Bit::FALSE => b,
            _ if a == b => Bit::FALSE,
            _ => self.made(Gate::Xor(a, b)),
        };
        plain.complement_if(flips)
    }

    /// `a` where `s`, else `b`.
    pub(super) fn choice(&mut self, s: Bit, a: Bit, b: Bit) -> Bit {
        let (s, a, b) = if s.is_complement() {
            (!s, b, a)
        } else {
            (s, a, b)
        };
        if s == Bit::FALSE || a == b {
            return b;
        }
        if a == !b {
            return self.xor(s, b);
        }
        if a == Bit::TRUE || a == s {
            return self.or(s, b);
        }
        if a == Bit::FALSE || a == !s {
            return self.and(!s, b);
        }
        if b == Bit::FALSE || b == s {
            return self.and(s, a);
        }
        if b == Bit::TRUE || b == !s {
            return self.or(!s, a);
        }
        let flips = a.is_complement();
        let bit = self.made(Gate::Choice(
            s,
            a.complement_if(flips),
            b.complement_if(flips),
        ));
        bit.complement_if(flips)
    }

    pub(super) fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut all = [a, b, c];
        all.sort_unstable();
        let [a, b, c] = all;
        match a {
            Bit::FALSE => return self.and(b, c),
            Bit::TRUE => return self.or(b, c),
            _ => {}
        }
        // Equal gates are neighbours.
        match (a.gate() == b.gate(), b.gate() == c.gate()) {
            (true, _) if a == b => a,
            (true, _) => c,
            (_, true) if b == c => b,
            (_, true) => a,
            _ => {
                let flips = a.is_complement();
                let [a, b, c] = all.map(|x| x.complement_if(flips));
                self.made(Gate::Majority(a, b, c)).complement_if(flips)
            }
        }
    }
}
