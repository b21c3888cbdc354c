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

    /// A known term of 32 or 64 bits as a float.
    fn read(&mut self, pool: &Pool, term: Term) -> Ast {
        if let Some(&value) = self.floats.get(&term) {
            return value;
        }
        let (x, sort) = (
            self.vector(pool, term),
            self.cx.float_sort(pool.width(term)),
        );
        let value = self.cx.binary(self.cx.api.fpa_from_bits, x, sort);
        self.floats.insert(term, value);
        value
    }

    fn fresh(&self, what: &str, bits: u16, term: Term) -> Ast {
        let sort = self.cx.bv_sort(bits);
        self.cx.named(&format!("{what}_{}", term.0), sort)
    }

    /// The bits of a float.
    fn pattern(&self, bits: u16, value: Ast, term: Term) -> Ast {
        let api = self.cx.api;
        let (exponent, fraction) = if bits == 32 { (8, 23) } else { (11, 52) };
        let (sign, payload) = (
            self.fresh("nan_sign", 1, term),
            self.fresh("nan", fraction - 1, term),
        );
        let middle = self.number(exponent + 1, crate::eval::mask(exponent + 1));
        let nan = self.cx.binary(api.concat, middle, payload);
        let nan = self.cx.binary(api.concat, sign, nan);
        let is_nan = self.cx.unary(api.fpa_is_nan, value);
        let plain = self.cx.unary(api.fpa_to_bits, value);
        self.cx.ternary(api.ite, is_nan, nan, plain)
    }

    /// The number `value` as a float of `bits`.
    fn float_number(&self, bits: u16, value: f64) -> Ast {
        let pattern = if bits == 32 {
            u64::from((value as f32).to_bits())
        } else {
            value.to_bits()
        };
        let (pattern, sort) = (
            self.number(bits, u128::from(pattern)),
            self.cx.float_sort(bits),
        );
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
            let high = self.cx.binary(self.cx.api.bvor, top, rest);
            let low = self.convert(x, width, 64);
            return self.cx.ternary(self.cx.api.ite, large, high, low);
        }
        let register = if bits < 32 || (op, bits) == (Op::FToS, 32) {
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
        let above = if (width, register) == (64, 32) {
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
