//! A condition holds: what it says of the variables that it was computed from.

use program::{BinOp, CastOp, Function, ICmp, Intrinsic, Op, Operand, ValueId};

use crate::arith;
use crate::memory::World;
use crate::num::{Num, mask};
use crate::real::{Outcomes, Real, before_absolute, negated};
use crate::relations::Orders;
use crate::state::{State, format, key, width};
use crate::step::{Read, possible, refined, related, sized};
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
            self.keep(*value, &narrowed);
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
            (Op::FCmp { pred, lhs, rhs }, Value::Num(num)) => match num.as_constant() {
                Some(0) => self.compare_floats(Outcomes::of(*pred).inverse(), lhs, rhs, depth),
                Some(_) => self.compare_floats(Outcomes::of(*pred), lhs, rhs, depth),
                None => true,
            },
            (Op::Cast { op, value: from }, Value::Num(num)) => self.cast(*op, from, num, depth),
            (Op::Freeze { value: from }, Value::Num(num)) => self.is_in(from, num, depth),
            (Op::Bin { op, lhs, rhs }, Value::Num(num)) => self.binary(*op, (lhs, rhs), num, depth),
            _ => true,
        }
    }

    /// A variable is narrower, and so is the cell that it was read from.
    fn keep(&mut self, value: ValueId, narrowed: &Value) {
        self.state.env.insert(key(value), narrowed.clone());
        let Some(read) = self.reads.iter().find(|read| read.value == value) else {
            return;
        };
        let fits = match narrowed {
            Value::Num(num) => u64::from(num.bits()) == 8 * read.size,
            Value::Real(real) => u64::from(real.format().bits()) == 8 * read.size,
            _ => true,
        };
        if fits {
            let place = (read.object, read.offset, read.size);
            self.state
                .memory
                .narrow(place.0, place.1, place.2, narrowed, self.world);
        }
    }

    /// Two floating-point numbers compare in one of some ways.
    fn compare_floats(
        &mut self,
        wanted: Outcomes,
        lhs: &Operand,
        rhs: &Operand,
        depth: u32,
    ) -> bool {
        let Some(format) = format(&self.function.operand_type(lhs)) else {
            return true;
        };
        let wanted = match lhs.value().is_some() && lhs == rhs {
            true => wanted.with_itself(),
            false => wanted,
        };
        let [a, b] = [lhs, rhs].map(|operand| {
            let value = self.state.value(self.function, operand, self.world);
            value.real(format)
        });
        let (own, other) = (wanted.refined(&a, &b), wanted.swapped().refined(&b, &a));
        match (own, other) {
            (Some(own), Some(other)) => {
                self.is_real(lhs, &own, depth) && self.is_real(rhs, &other, depth)
            }
            _ => false,
        }
    }

    /// The operand is one of these numbers.
    fn is_real(&mut self, operand: &Operand, wanted: &Real, depth: u32) -> bool {
        let format = wanted.format();
        let known = self.state.value(self.function, operand, self.world);
        let Some(narrowed) = known.real(format).meet(wanted) else {
            return false;
        };
        let Operand::Value(value) = operand else {
            return true;
        };
        let now = Value::Real(narrowed);
        if now != known {
            self.keep(*value, &now);
        }
        let Some(inst) = self.function.inst(*value).filter(|_| depth > 0) else {
            return true;
        };
        match &inst.op {
            Op::Freeze { value: from } => self.is_real(from, &narrowed, depth - 1),
            Op::FNeg { value: from } => self.is_real(from, &negated(&narrowed), depth - 1),
            Op::Intrinsic {
                op: Intrinsic::FAbs,
                args,
            } => self.is_real(&args[0], &before_absolute(&narrowed), depth - 1),
            Op::Cast { op, value: from } => self.float_cast(*op, from, &narrowed, depth),
            _ => true,
        }
    }

    fn float_cast(&mut self, op: CastOp, from: &Operand, real: &Real, depth: u32) -> bool {
        let ty = self.function.operand_type(from);
        match (op, format(&ty), width(self.world.program, &ty)) {
            (CastOp::FpExt, Some(format), _) => match real.before_extension(format) {
                Some(real) => self.is_real(from, &real, depth - 1),
                None => false,
            },
            (CastOp::SiToFp | CastOp::UiToFp, _, Some(bits)) => {
                match real.before_conversion(bits, op == CastOp::SiToFp) {
                    Some(num) => self.is_in_if_known(from, Some(num), depth),
                    None => false,
                }
            }
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
        if let Some((from, format)) = sized(self.function, (op, lhs), right) {
            return self.is_real(&from, &Real::of_size_bits(format, num), depth - 1);
        }
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
