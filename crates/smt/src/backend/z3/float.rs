//! Floating-point operations as Z3 expressions.
//!
//! Operations on the results of operations stay in Z3's float sort; bit patterns are made only where somebody reads
//! them. The pattern of a computed NaN is a quiet one with any sign and payload.

use super::ffi::Ast;
use super::translate::Translator;
use crate::pool::Node;
use crate::{Op, Pool, Term};

impl Translator {
    /// A float operation whose operands are known: its bits, or a Boolean.
    pub(super) fn float(&mut self, pool: &Pool, op: Op, node: Node, term: Term) -> Ast {
        let (a, b) = (Term(node.a), Term(node.b));
        let api = self.cx.api;
        let comparison = match op {
            Op::FEq => Some(api.fpa_eq),
            Op::FLt => Some(api.fpa_lt),
            Op::FLe => Some(api.fpa_leq),
            _ => None,
        };
        if let Some(function) = comparison {
            let (x, y) = (self.read(pool, a), self.read(pool, b));
            return self.cx.binary(function, x, y);
        }
        match op {
            Op::FUno => {
                let (x, y) = (self.read(pool, a), self.read(pool, b));
                let (x, y) = (
                    self.cx.unary(api.fpa_is_nan, x),
                    self.cx.unary(api.fpa_is_nan, y),
                );
                self.cx.or(x, y)
            }
            Op::FToS | Op::FToU => self.float_to_integer(pool, op, node, term),
            Op::FNeg | Op::FAbs => self.sign(pool, op, node, term),
            Op::FRem => self.fresh("fmod", node.bits, term),
            _ => {
                let value = self.value(pool, op, node);
                self.floats.insert(term, value);
                self.pattern(node.bits, value, term)
            }
        }
    }

    /// An operation that yields a float.
    fn value(&mut self, pool: &Pool, op: Op, node: Node) -> Ast {
        let (a, b) = (Term(node.a), Term(node.b));
        let api = self.cx.api;
        let nearest = self.cx.nullary(api.rne);
        let function = match op {
            Op::FAdd => api.fpa_add,
            Op::FSub => api.fpa_sub,
            Op::FMul => api.fpa_mul,
            Op::FDiv => api.fpa_div,
            Op::SToF | Op::UToF => {
                let (x, sort) = (self.vector(pool, a), self.cx.float_sort(node.bits));
                let function = if op == Op::SToF {
                    api.fpa_from_signed
                } else {
                    api.fpa_from_unsigned
                };
                return self.cx.ternary(function, nearest, x, sort);
            }
            Op::FToF => {
                let (x, sort) = (self.read(pool, a), self.cx.float_sort(node.bits));
                return self.cx.ternary(api.fpa_from_float, nearest, x, sort);
            }
            Op::FSqrt => {
                let x = self.read(pool, a);
                return self.cx.binary(api.fpa_sqrt, nearest, x);
            }
            Op::FRound => {
                let modes = [api.rne, api.rtn, api.rtp, api.rtz, api.rna];
                let (mode, x) = (
                    self.cx.nullary(modes[usize::from(node.aux)]),
                    self.read(pool, a),
                );
                return self.cx.binary(api.fpa_round, mode, x);
            }
            _ => unreachable!("{op:?} does not yield a float"),
        };
        let (x, y) = (self.read(pool, a), self.read(pool, b));
        self.cx.ternary(function, nearest, x, y)
    }

    /// `FNeg` and `FAbs` change the sign bit, of NaNs too.
    fn sign(&mut self, pool: &Pool, op: Op, node: Node, term: Term) -> Ast {
        let a = Term(node.a);
        let x = self.vector(pool, a);
        let value = self.read(pool, a);
        let sign = crate::eval::sign_bit(node.bits);
        if op == Op::FNeg {
            let value = self.cx.unary(self.cx.api.fpa_neg, value);
            self.floats.insert(term, value);
            let sign = self.number(node.bits, sign);
            return self.cx.binary(self.cx.api.bvxor, x, sign);
        }
        let value = self.cx.unary(self.cx.api.fpa_abs, value);
        self.floats.insert(term, value);
        let rest = self.number(node.bits, sign - 1);
        self.cx.binary(self.cx.api.bvand, x, rest)
    }

    /// A known term as a float.
    fn read(&mut self, pool: &Pool, term: Term) -> Ast {
        if let Some(&value) = self.floats.get(&term) {
            return value;
        }
        let (x, width) = (self.vector(pool, term), pool.width(term));
        let value = if width == x87::BITS {
            self.extended(x)
        } else {
            self.cx
                .binary(self.cx.api.fpa_from_bits, x, self.cx.float_sort(width))
        };
        self.floats.insert(term, value);
        value
    }

    /// The 80 bits of a `long double` as a float. An exponent of 0 with the integer bit counts as 1; any other exponent without
    /// that bit is no number.
    fn extended(&self, x: Ast) -> Ast {
        let (cx, api) = (&self.cx, self.cx.api);
        let part = |low, bits| cx.extract(x, low, bits);
        let (fraction, integer, exponent, sign) =
            (part(0, 63), part(63, 1), part(64, 15), part(79, 1));
        let set = cx.binary(api.eq, integer, self.number(1, 1));
        let none = cx.binary(api.eq, exponent, self.number(15, 0));
        let pseudo = cx.and(none, set);
        let exponent = cx.ternary(api.ite, pseudo, self.number(15, 1), exponent);
        let high = cx.binary(api.concat, sign, exponent);
        let ieee = cx.binary(api.concat, high, fraction);
        let sort = cx.float_sort(x87::BITS);
        let value = cx.binary(api.fpa_from_bits, ieee, sort);
        let nan = self.number(79, x87::packed(x87::INFINITY | 1));
        let nan = cx.binary(api.fpa_from_bits, nan, sort);
        let supported = cx.or(none, set);
        cx.ternary(api.ite, supported, value, nan)
    }

    /// IEEE bits, 79, as the 80 of `long double`: with the integer bit.
    fn with_integer_bit(&self, ieee: Ast) -> Ast {
        let (cx, api) = (&self.cx, self.cx.api);
        let none = cx.binary(api.eq, cx.extract(ieee, 63, 15), self.number(15, 0));
        let integer = cx.ternary(api.ite, none, self.number(1, 0), self.number(1, 1));
        let high = cx.binary(api.concat, cx.extract(ieee, 63, 16), integer);
        cx.binary(api.concat, high, cx.extract(ieee, 0, 63))
    }

    fn fresh(&self, what: &str, bits: u16, term: Term) -> Ast {
        let sort = self.cx.bv_sort(bits);
        self.cx.named(&format!("{what}_{}", term.0), sort)
    }

    /// The bits of a float.
    fn pattern(&self, bits: u16, value: Ast, term: Term) -> Ast {
        let api = self.cx.api;
        let (exponent, fraction) = match bits {
            32 => (8, 23),
            64 => (11, 52),
            _ => (15, 63),
        };
        let (sign, payload) = (
            self.fresh("nan_sign", 1, term),
            self.fresh("nan", fraction - 1, term),
        );
        let middle = self.number(exponent + 1, crate::eval::mask(exponent + 1));
        let nan = self.cx.binary(api.concat, middle, payload);
        let nan = self.cx.binary(api.concat, sign, nan);
        let is_nan = self.cx.unary(api.fpa_is_nan, value);
        let plain = self.cx.unary(api.fpa_to_bits, value);
        let ieee = self.cx.ternary(api.ite, is_nan, nan, plain);
        if bits == x87::BITS {
            self.with_integer_bit(ieee)
        } else {
            ieee
        }
    }

    /// The number `value` as a float of `bits`.
    fn float_number(&self, bits: u16, value: f64) -> Ast {
        let pattern = self.number(bits, crate::eval::number(bits, value));
        if bits == x87::BITS {
            return self.extended(pattern);
        }
        let sort = self.cx.float_sort(bits);
        self.cx.binary(self.cx.api.fpa_from_bits, pattern, sort)
    }

    /// As in the evaluator: conversions through registers of 32 and 64 bits.
    fn float_to_integer(&mut self, pool: &Pool, op: Op, node: Node, term: Term) -> Ast {
        let (a, bits) = (Term(node.a), node.bits);
        let (x, width) = (self.read(pool, a), pool.width(a));
        if bits > 64 {
            return self.fresh("wide", bits, term);
        }
        if (op, bits) == (Op::FToU, 64) {
            let limit = self.float_number(width, 2f64.powi(63));
            let large = self.cx.binary(self.cx.api.fpa_leq, limit, x);
            let nearest = self.cx.nullary(self.cx.api.rne);
            let rest = self.cx.ternary(self.cx.api.fpa_sub, nearest, x, limit);
            let rest = self.convert(rest, width, 64);
            let top = self.number(64, 1 << 63);
            // Of numbers that are too large even so, the two instruction sets keep different bits.
            let join = if width == x87::BITS {
                self.cx.api.bvxor
            } else {
                self.cx.api.bvor
            };
            let high = self.cx.binary(join, top, rest);
            let low = self.convert(x, width, 64);
            return self.cx.ternary(self.cx.api.ite, large, high, low);
        }
        let register = if width == x87::BITS {
            x87::register(bits, op == Op::FToS)
        } else if bits < 32 || (op, bits) == (Op::FToS, 32) {
            32
        } else {
            64
        };
        let whole = self.convert(x, width, register);
        if bits == register {
            return whole;
        }
        let cut = self.cx.extract(whole, 0, bits);
        self.result(bits, cut)
    }

    /// `cvttsd2si`: truncation, the smallest number for all that does not fit.
    fn convert(&self, x: Ast, width: u16, register: u16) -> Ast {
        let api = self.cx.api;
        let limit = 2f64.powi(i32::from(register) - 1);
        let high = self.float_number(width, limit);
        let below = self.cx.binary(api.fpa_lt, x, high);
        // Where the format has the number below the smallest integer, all that is larger is cut to fit.
        let above = if (width, register) == (64, 32) || width == x87::BITS && register < 64 {
            let low = self.float_number(width, -limit - 1.0);
            self.cx.binary(api.fpa_lt, low, x)
        } else {
            let low = self.float_number(width, -limit);
            self.cx.binary(api.fpa_leq, low, x)
        };
        let towards_zero = self.cx.nullary(api.rtz);
        let exact = self.cx.float_to_signed(towards_zero, x, register);
        let indefinite = self.number(register, crate::eval::sign_bit(register));
        let inside = self.cx.and(above, below);
        self.cx.ternary(api.ite, inside, exact, indefinite)
    }
}
