//! A condition holds: what it says of the variables that it was computed from.

use program::{BinOp, CastOp, Function, ICmp, Op, Operand};

use crate::arith;
use crate::memory::World;
use crate::num::{Num, mask};
use crate::relations::Orders;
use crate::state::{State, key, width};
use crate::step::{Read, possible, refined, related};
use crate::value::Value;

/// Definitions that are followed back.
const DEPTH: u32 = 8;

/// Narrows a state to where `operand pred number` holds; `false` when that is nowhere. `reads`: places in memory that variables were
/// read from and that were not written since.
pub fn narrow(
    function: &Function,
    state: &mut State,
    world: &mut World<'_>,
    reads: &[Read],
    operand: &Operand,
    wanted: &(ICmp, Num),
) -> bool {
    Narrowing {
        function,
        state,
        world,
        reads,
    }
    .holds(operand, wanted, DEPTH)
}

struct Narrowing<'n, 'w> {
    function: &'n Function,
    state: &'n mut State,
    world: &'n mut World<'w>,
    reads: &'n [Read],
}

impl Narrowing<'_, '_> {
    fn holds(&mut self, operand: &Operand, (pred, number): &(ICmp, Num), depth: u32) -> bool {
        let bits = number.bits();
        let known = self.state.value(self.function, operand, self.world);
        let wanted = Value::Num(number.clone());
        if !possible(*pred, (&known, &wanted), bits, self.state, self.world) {
            return false;
        }
        let Some(narrowed) = refined(*pred, (&known, &wanted), bits, self.state, self.world) else {
            return false;
        };
        let Operand::Value(value) = operand else {
            return true;
        };
        if narrowed != known {
            self.state.env.insert(key(*value), narrowed.clone());
            if let Some(read) = self.reads.iter().find(|read| read.value == *value) {
                let fits = match &narrowed {
                    Value::Num(num) => u64::from(num.bits()) == 8 * read.size,
                    _ => true,
                };
                if fits {
                    self.state.memory.narrow(
                        read.object,
                        read.offset,
                        read.size,
                        &narrowed,
                        self.world,
                    );
                }
            }
        }
        let Some(inst) = self.function.inst(*value) else {
            return true;
        };
        if depth == 0 {
            return true;
        }
        match (&inst.op, &narrowed) {
            (Op::ICmp { pred, lhs, rhs }, Value::Num(num)) => match num.as_constant() {
                Some(0) => self.compare(arith::inverse(*pred), lhs, rhs, depth),
                Some(_) => self.compare(*pred, lhs, rhs, depth),
                None => true,
            },
            (Op::Cast { op, value: from }, Value::Num(num)) => self.cast(*op, from, num, depth),
            (Op::Freeze { value: from }, Value::Num(num)) => self.is_in(from, num, depth),
            (Op::Bin { op, lhs, rhs }, Value::Num(num)) => self.binary(*op, (lhs, rhs), num, depth),
            _ => true,
        }
    }

    /// The operand is one of these numbers.
    fn is_in(&mut self, operand: &Operand, num: &Num, depth: u32) -> bool {
        self.holds(operand, &(ICmp::Eq, num.clone()), depth - 1)
    }

    fn compare(&mut self, pred: ICmp, lhs: &Operand, rhs: &Operand, depth: u32) -> bool {
        let Some(bits) = width(self.world.program, &self.function.operand_type(lhs)) else {
            return true;
        };
        let (a, b) = (
            self.state.value(self.function, lhs, self.world),
            self.state.value(self.function, rhs, self.world),
        );
        if !possible(pred, (&a, &b), bits, self.state, self.world) {
            return false;
        }
        if let Some((pred, a, b)) = related(self.function, pred, lhs, rhs)
            && !self.state.relations.learn(a, b, Orders::of(pred))
        {
            return false;
        }
        // Each side knows numbers of the other; addresses narrow each other only as far as they are numbers.
        let mut goes_on = true;
        if let Value::Num(num) = &b {
            goes_on &= self.holds(lhs, &(pred, num.clone()), depth - 1);
        }
        if let (true, Value::Num(num)) = (goes_on, &a) {
            goes_on &= self.holds(rhs, &(arith::swapped(pred), num.clone()), depth - 1);
        }
        goes_on
    }

    fn cast(&mut self, op: CastOp, from: &Operand, num: &Num, depth: u32) -> bool {
        let Some(bits) = width(self.world.program, &self.function.operand_type(from)) else {
            return true;
        };
        match op {
            CastOp::ZExt | CastOp::SExt => {
                // Only what an extension can give.
                let all = arith::cast(op, &Num::any(bits), num.bits());
                match num.meet(&all) {
                    Some(num) => {
                        let cut = arith::cast(CastOp::Trunc, &num, bits);
                        self.is_in(from, &cut, depth)
                    }
                    None => false,
                }
            }
            CastOp::Trunc => {
                // A number that fits is what was cut.
                let known = self.state.value(self.function, from, self.world).num(bits);
                if known.unsigned_bounds().1 <= mask(num.bits()) {
                    let wide = arith::cast(CastOp::ZExt, num, bits);
                    return self.is_in(from, &wide, depth);
                }
                let (lo, hi) = known.signed_bounds();
                let half = 1i128 << (num.bits().min(126) - 1);
                if lo >= -half && hi < half {
                    let wide = arith::cast(CastOp::SExt, num, bits);
                    return self.is_in(from, &wide, depth);
                }
                true
            }
            _ => true,
        }
    }

    fn binary(
        &mut self,
        op: BinOp,
        (lhs, rhs): (&Operand, &Operand),
        num: &Num,
        depth: u32,
    ) -> bool {
        let bits = num.bits();
        let mut constant = |operand: &Operand| {
            self.state
                .value(self.function, operand, self.world)
                .as_constant()
        };
        let (left, right) = (constant(lhs), constant(rhs));
        let inverse = |op, by| arith::bin(op, num, &Num::constant(bits, by));
        match (op, left, right) {
            (BinOp::Add, _, Some(by)) => self.is_in_if_known(lhs, inverse(BinOp::Sub, by), depth),
            (BinOp::Add, Some(by), _) => self.is_in_if_known(rhs, inverse(BinOp::Sub, by), depth),
            (BinOp::Sub, _, Some(by)) => self.is_in_if_known(lhs, inverse(BinOp::Add, by), depth),
            (BinOp::Xor, _, Some(by)) => self.is_in_if_known(lhs, inverse(BinOp::Xor, by), depth),
            (BinOp::Xor, Some(by), _) => self.is_in_if_known(rhs, inverse(BinOp::Xor, by), depth),
            // Truth values, and masks: all bits are set in both, or none in either.
            (BinOp::And, ..) if num.as_constant() == Some(mask(bits)) => {
                self.is_in(lhs, num, depth) && self.is_in(rhs, num, depth)
            }
            (BinOp::Or, ..) if num.as_constant() == Some(0) => {
                self.is_in(lhs, num, depth) && self.is_in(rhs, num, depth)
            }
            _ => true,
        }
    }

    fn is_in_if_known(&mut self, operand: &Operand, num: Option<Num>, depth: u32) -> bool {
        let is_number = matches!(
            self.state.value(self.function, operand, self.world),
            Value::Num(_)
        );
        match num {
            Some(num) if is_number => self.is_in(operand, &num, depth),
            _ => true,
        }
    }
}
