//! Integer arithmetic, and the intrinsics of integers.
//!
//! Arithmetic wraps. A shift takes its amount modulo the width, because `bothways cc` masks amounts before anything is
//! compiled. A division that traps has the value of SMT-LIB, which no program sees: see [`Condition`](crate::Condition).

use program::{BinOp, Intrinsic};
use smt::{Op, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value};

impl Builder<'_> {
    pub(crate) fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Made<Term> {
        let (op, b) = match op {
            BinOp::Add => (Op::Add, b),
            BinOp::Sub => (Op::Sub, b),
            BinOp::Mul => (Op::Mul, b),
            BinOp::UDiv => (Op::UDiv, b),
            BinOp::SDiv => (Op::SDiv, b),
            BinOp::URem => (Op::URem, b),
            BinOp::SRem => (Op::SRem, b),
            BinOp::And => (Op::And, b),
            BinOp::Or => (Op::Or, b),
            BinOp::Xor => (Op::Xor, b),
            BinOp::Shl => (Op::Shl, self.amount(b)),
            BinOp::LShr => (Op::LShr, self.amount(b)),
            BinOp::AShr => (Op::AShr, self.amount(b)),
        };
        let bits = self.pool.width(a);
        self.same_width(a, b)?;
        self.try_apply(op, bits, &[a, b])
    }

    pub(crate) fn same_width(&self, a: Term, b: Term) -> Made<()> {
        let same = self.pool.width(a) == self.pool.width(b);
        same.then_some(()).ok_or(Gap::Operands)
    }

    /// A shift's amount modulo the width.
    fn amount(&mut self, amount: Term) -> Term {
        let bits = self.pool.width(amount);
        if bits.is_power_of_two() {
            let mask = self.pool.constant(bits, u128::from(bits) - 1);
            return self.pool.and(amount, mask);
        }
        let bits = self.pool.constant(bits, u128::from(bits));
        self.pool.bin(Op::URem, amount, bits)
    }

    /// The value of an intrinsic that neither reads nor writes memory.
    pub(crate) fn intrinsic(&mut self, op: Intrinsic, operands: &[Value]) -> Made {
        use Intrinsic as I;
        match (op, operands) {
            (I::UAddO | I::SAddO | I::USubO | I::SSubO | I::UMulO | I::SMulO, [a, b]) => {
                self.with_overflow(op, a, b)
            }
            (I::Expect, [value, ..]) => Ok(value.clone()),
            (I::Abs | I::Ctpop | I::Ctlz | I::Cttz | I::Bswap | I::BitReverse, [value]) => {
                Value::map(&[value], &mut |x| self.integer_unary(op, x[0]))
            }
            (
                I::UMin
                | I::UMax
                | I::SMin
                | I::SMax
                | I::UAddSat
                | I::SAddSat
                | I::USubSat
                | I::SSubSat,
                [a, b],
            ) => Value::map(&[a, b], &mut |x| self.integer_binary(op, x[0], x[1])),
            (I::FShl | I::FShr, [a, b, c]) => {
                Value::map(&[a, b, c], &mut |x| self.funnel(op == I::FShl, x))
            }
            _ => self.float_intrinsic(op, operands),
        }
    }

    /// A struct of the wrapped value and the overflow bit.
    fn with_overflow(&mut self, op: Intrinsic, a: &Value, b: &Value) -> Made {
        let (arithmetic, overflow) = match op {
            Intrinsic::UAddO => (Op::Add, Op::UAddO),
            Intrinsic::SAddO => (Op::Add, Op::SAddO),
            Intrinsic::USubO => (Op::Sub, Op::USubO),
            Intrinsic::SSubO => (Op::Sub, Op::SSubO),
            Intrinsic::UMulO => (Op::Mul, Op::UMulO),
            Intrinsic::SMulO => (Op::Mul, Op::SMulO),
            _ => return Err(Gap::Operands),
        };
        let wrapped = Value::map(&[a, b], &mut |x| {
            let bits = self.pool.width(x[0]);
            self.try_apply(arithmetic, bits, x)
        })?;
        let overflows = Value::map(&[a, b], &mut |x| self.try_apply(overflow, 1, x))?;
        Ok(vec![wrapped, overflows].into())
    }

    fn integer_unary(&mut self, op: Intrinsic, value: Term) -> Made<Term> {
        let bits = self.pool.width(value);
        match op {
            Intrinsic::Abs => {
                let zero = self.pool.constant(bits, 0);
                let negative = self.pool.cmp(Op::Slt, value, zero);
                let negated = self.pool.un(Op::Neg, value);
                Ok(self.pool.ite(negative, negated, value))
            }
            Intrinsic::Ctpop => Ok(self.pool.un(Op::Popcount, value)),
            Intrinsic::Ctlz => Ok(self.pool.un(Op::Clz, value)),
            Intrinsic::Cttz => Ok(self.pool.un(Op::Ctz, value)),
            Intrinsic::Bswap => self.try_apply(Op::Bswap, bits, &[value]),
            Intrinsic::BitReverse => Ok(self.reverse(value)),
            _ => Err(Gap::Operands),
        }
    }

    /// Bits in the opposite order: halves change places, then halves of halves.
    fn reverse(&mut self, value: Term) -> Term {
        let bits = self.pool.width(value);
        let wide = bits.next_power_of_two();
        let mut term = self.pool.zext(value, wide);
        let mut step = wide / 2;
        while step > 0 {
            // Ones in the low half of each group of `2 * step` bits.
            let low = (0..wide).filter(|bit| bit & step == 0);
            let low = low.fold(0_u128, |mask, bit| mask | 1 << bit);
            let mask = self.pool.constant(wide, low);
            let by = self.pool.constant(wide, u128::from(step));
            let down = self.pool.bin(Op::LShr, term, by);
            let down = self.pool.and(down, mask);
            let up = self.pool.and(term, mask);
            let up = self.pool.bin(Op::Shl, up, by);
            term = self.pool.or(up, down);
            step /= 2;
        }
        self.pool.extract(term, wide - bits, bits)
    }

    fn integer_binary(&mut self, op: Intrinsic, a: Term, b: Term) -> Made<Term> {
        use Intrinsic as I;
        self.same_width(a, b)?;
        let bits = self.pool.width(a);
        let (less, first, second) = match op {
            I::UMin => (Op::Ult, a, b),
            I::UMax => (Op::Ult, b, a),
            I::SMin => (Op::Slt, a, b),
            I::SMax => (Op::Slt, b, a),
            I::UAddSat => return self.saturate(Op::UAddO, Op::Add, (a, b), u128::MAX),
            I::USubSat => return self.saturate(Op::USubO, Op::Sub, (a, b), 0),
            I::SAddSat | I::SSubSat => {
                let (overflow, op) = match op {
                    I::SAddSat => (Op::SAddO, Op::Add),
                    _ => (Op::SSubO, Op::Sub),
                };
                // A sum or difference that is too large has the sign of the first operand.
                let bound = self.bound(a);
                let (overflows, result) = (self.pool.bin(overflow, a, b), self.pool.bin(op, a, b));
                return Ok(self.pool.ite(overflows, bound, result));
            }
            _ => return Err(Gap::Operands),
        };
        let is_first = self.try_apply(less, 1, &[first, second])?;
        self.try_apply(Op::Ite, bits, &[is_first, a, b])
    }

    fn saturate(&mut self, overflow: Op, op: Op, (a, b): (Term, Term), at: u128) -> Made<Term> {
        let bits = self.pool.width(a);
        let (overflows, result) = (self.pool.bin(overflow, a, b), self.pool.bin(op, a, b));
        let bound = self.pool.constant(bits, at);
        Ok(self.pool.ite(overflows, bound, result))
    }

    /// The smallest signed number where `sign` is negative, else the largest.
    pub(crate) fn bound(&mut self, sign: Term) -> Term {
        let bits = self.pool.width(sign);
        let zero = self.pool.constant(bits, 0);
        let negative = self.pool.cmp(Op::Slt, sign, zero);
        let least = self.pool.constant(bits, 1 << (bits - 1));
        let most = self.pool.constant(bits, (1 << (bits - 1)) - 1);
        self.pool.ite(negative, least, most)
    }

    /// The high (`left`) or low part of a value of twice the width after a shift. A shift by the width gives 0, so an
    /// amount of 0 needs no case of its own.
    fn funnel(&mut self, left: bool, x: &[Term]) -> Made<Term> {
        let &[high, low, amount] = x else {
            return Err(Gap::Operands);
        };
        self.same_width(high, low)?;
        self.same_width(high, amount)?;
        let bits = self.pool.width(high);
        let amount = self.amount(amount);
        let width = self.pool.constant(bits, u128::from(bits));
        let rest = self.pool.bin(Op::Sub, width, amount);
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let high = self.pool.bin(Op::Shl, high, up);
        let low = self.pool.bin(Op::LShr, low, down);
        Ok(self.pool.or(high, low))
    }
}
