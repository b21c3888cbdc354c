//! Terms as Z3 expressions.
//!
//! A term of width 1 is a Z3 Boolean, any other a bit-vector. Translated terms are kept until the context is
//! replaced, so a term that many queries share is translated once. What Z3 cannot say exactly (`fmod`, the payload
//! of a NaN) becomes a fresh constant: models are confirmed outside anyway, and "unsat" stays true.

use std::collections::HashMap;

use super::ffi::{Ast, Context};
use crate::eval::Scratch;
use crate::pool::{Node, Tag, hash::MixBuild};
use crate::{Op, Pool, Term};

/// A context and the terms it knows.
pub(super) struct Translator {
    /// Booleans for width 1, bit-vectors for the rest.
    known: HashMap<Term, Ast, MixBuild>,
    /// Float operations, as Z3 floats.
    pub(super) floats: HashMap<Term, Ast, MixBuild>,
    pub(super) scratch: Scratch,
    pub(super) cx: Context,
}

impl Translator {
    pub(super) fn new(cx: Context) -> Self {
        Self {
            known: HashMap::default(),
            floats: HashMap::default(),
            scratch: Scratch::default(),
            cx,
        }
    }

    /// The Boolean of a width-1 term.
    pub(super) fn constraint(&mut self, pool: &Pool, term: Term) -> Ast {
        self.translate(pool, term);
        self.known[&term]
    }

    /// The bit-vector of a term that is translated or a variable.
    pub(super) fn bits_of(&mut self, pool: &Pool, term: Term) -> Ast {
        self.translate(pool, term);
        self.vector(pool, term)
    }

    fn translate(&mut self, pool: &Pool, root: Term) {
        let mut stack = vec![root];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            pool.for_each_operand(pool.node(top), |t| {
                if !self.known.contains_key(&t) {
                    stack.push(t);
                }
            });
            if stack.len() == before {
                stack.pop();
                let ast = self.one(pool, top);
                self.known.insert(top, ast);
            }
        }
    }

    /// One term whose operands are known.
    fn one(&mut self, pool: &Pool, term: Term) -> Ast {
        let node = pool.node(term);
        match node.tag {
            Tag::Const | Tag::Wide => {
                let value = pool.as_const(term).expect("a constant");
                match node.bits {
                    1 if value == 1 => self.cx.nullary(self.cx.api.mk_true),
                    1 => self.cx.nullary(self.cx.api.mk_false),
                    bits => self.number(bits, value),
                }
            }
            Tag::Var => {
                let ast = self.variable(pool, term);
                if node.bits == 1 {
                    self.is_one(ast)
                } else {
                    ast
                }
            }
            Tag::Table => self.table(pool, node),
            Tag::Op(op) if op.takes_floats() || matches!(op, Op::SToF | Op::UToF) => {
                self.float(pool, op, node, term)
            }
            Tag::Op(op) => self.operation(pool, op, node),
        }
    }

    /// The bit-vector that a variable is, also one of width 1.
    pub(super) fn variable(&self, pool: &Pool, var: Term) -> Ast {
        let node = pool.node(var);
        let sort = self.cx.bv_sort(node.bits);
        self.cx.named(&format!("x{}_{}", node.a, node.bits), sort)
    }

    /// A constant of any width.
    pub(super) fn number(&self, bits: u16, value: u128) -> Ast {
        if bits <= 64 {
            return self.cx.word(bits, value as u64);
        }
        let high = self.cx.word(bits - 64, (value >> 64) as u64);
        let low = self.cx.word(64, value as u64);
        self.cx.binary(self.cx.api.concat, high, low)
    }

    /// The Boolean "this bit-vector of width 1 is 1".
    fn is_one(&self, bit: Ast) -> Ast {
        let one = self.cx.word(1, 1);
        self.cx.binary(self.cx.api.eq, bit, one)
    }

    /// A known term as a bit-vector.
    pub(super) fn vector(&self, pool: &Pool, term: Term) -> Ast {
        let ast = self.known[&term];
        if pool.width(term) > 1 {
            return ast;
        }
        let (one, zero) = (self.cx.word(1, 1), self.cx.word(1, 0));
        self.cx.ternary(self.cx.api.ite, ast, one, zero)
    }

    /// The result of an operation that yields a bit-vector, as `one` returns it.
    pub(super) fn result(&self, bits: u16, ast: Ast) -> Ast {
        if bits == 1 { self.is_one(ast) } else { ast }
    }

    pub(super) fn not(&self, a: Ast) -> Ast {
        self.cx.unary(self.cx.api.not, a)
    }

    fn operation(&mut self, pool: &Pool, op: Op, node: Node) -> Ast {
        let (a, b, c) = (Term(node.a), Term(node.b), Term(node.c));
        if op == Op::Ite {
            return self.cx.ternary(
                self.cx.api.ite,
                self.known[&a],
                self.known[&b],
                self.known[&c],
            );
        }
        let width = pool.width(a);
        if width == 1
            && let Some(ast) = self.logic(op, node)
        {
            return ast;
        }
        let x = self.vector(pool, a);
        if op.arity() == 1 {
            return self.unary(op, node, width, x);
        }
        let y = self.vector(pool, b);
        self.binary(op, node.bits, width, x, y)
    }

    /// Operations on truth values that have a Boolean form.
    fn logic(&self, op: Op, node: Node) -> Option<Ast> {
        let a = self.known[&Term(node.a)];
        if op == Op::Not {
            return Some(self.not(a));
        }
        let b = || self.known[&Term(node.b)];
        Some(match op {
            Op::And | Op::Mul => self.cx.and(a, b()),
            Op::Or => self.cx.or(a, b()),
            Op::Xor | Op::Add | Op::Sub => self.cx.binary(self.cx.api.xor, a, b()),
            Op::Eq => self.cx.binary(self.cx.api.eq, a, b()),
            _ => return None,
        })
    }

    fn unary(&self, op: Op, node: Node, width: u16, x: Ast) -> Ast {
        let api = self.cx.api;
        let ast = match op {
            Op::Not => self.cx.unary(api.bvnot, x),
            Op::Neg => self.cx.unary(api.bvneg, x),
            Op::ZExt => self.cx.indexed(api.zext, node.bits - width, x),
            Op::SExt => self.cx.indexed(api.sext, node.bits - width, x),
            Op::Extract => self.cx.extract(x, u16::from(node.aux), node.bits),
            Op::Popcount => self.popcount(width, x),
            Op::Clz => self.zeros(width, x, (0..width).map(|i| (i, width - 1 - i))),
            Op::Ctz => self.zeros(width, x, (0..width).rev().map(|i| (i, i))),
            Op::Bswap => (8..width)
                .step_by(8)
                .fold(self.cx.extract(x, 0, 8), |above, low| {
                    let byte = self.cx.extract(x, low, 8);
                    self.cx.binary(api.concat, above, byte)
                }),
            _ => unreachable!("{op:?} is not an integer operation of one operand"),
        };
        self.result(node.bits, ast)
    }

    fn binary(&self, op: Op, bits: u16, width: u16, x: Ast, y: Ast) -> Ast {
        let (cx, api) = (&self.cx, self.cx.api);
        let function = match op {
            Op::Eq => return cx.binary(api.eq, x, y),
            Op::Ult | Op::USubO => return cx.binary(api.bvult, x, y),
            Op::Ule => return cx.binary(api.bvule, x, y),
            Op::Slt => return cx.binary(api.bvslt, x, y),
            Op::Sle => return cx.binary(api.bvsle, x, y),
            Op::UAddO => return self.carry(width, x, y),
            Op::SAddO => return self.wrapped(api.bvadd, width, x, y),
            Op::SSubO => return self.wrapped(api.bvsub, width, x, y),
            Op::UMulO => return self.not(cx.mul_no_overflow(x, y)),
            Op::SMulO => return self.signed_product_wraps(width, x, y),
            Op::Add => api.bvadd,
            Op::Sub => api.bvsub,
            Op::Mul => api.bvmul,
            Op::UDiv => api.bvudiv,
            Op::SDiv => api.bvsdiv,
            Op::URem => api.bvurem,
            Op::SRem => api.bvsrem,
            Op::And => api.bvand,
            Op::Or => api.bvor,
            Op::Xor => api.bvxor,
            Op::Shl => api.bvshl,
            Op::LShr => api.bvlshr,
            Op::AShr => api.bvashr,
            Op::Concat => api.concat,
            _ => unreachable!("{op:?} is not an integer operation of two operands"),
        };
        let ast = cx.binary(function, x, y);
        self.result(bits, ast)
    }

    /// The carry out of an addition.
    fn carry(&self, width: u16, x: Ast, y: Ast) -> Ast {
        let (x, y) = (
            self.cx.indexed(self.cx.api.zext, 1, x),
            self.cx.indexed(self.cx.api.zext, 1, y),
        );
        let sum = self.cx.binary(self.cx.api.bvadd, x, y);
        self.is_one(self.cx.extract(sum, width, 1))
    }

    /// Whether a signed operation leaves its range: the two top bits of the exact result differ.
    fn wrapped(&self, function: super::ffi::Binary, width: u16, x: Ast, y: Ast) -> Ast {
        let (x, y) = (
            self.cx.indexed(self.cx.api.sext, 1, x),
            self.cx.indexed(self.cx.api.sext, 1, y),
        );
        let exact = self.cx.binary(function, x, y);
        let (top, next) = (
            self.cx.extract(exact, width, 1),
            self.cx.extract(exact, width - 1, 1),
        );
        self.not(self.cx.binary(self.cx.api.eq, top, next))
    }

    /// Whether a signed product leaves its range: the product of the absolute values is above the largest number, or
    /// above its successor where the result is negative. (Z3 4.8.12's own test is wrong for -1 * -2 in 3 bits.)
    fn signed_product_wraps(&self, width: u16, x: Ast, y: Ast) -> Ast {
        let (cx, api) = (&self.cx, self.cx.api);
        let zero = self.number(width, 0);
        let magnitude = |a: Ast| {
            let (negative, negated) = (cx.binary(api.bvslt, a, zero), cx.unary(api.bvneg, a));
            (negative, cx.ternary(api.ite, negative, negated, a))
        };
        let ((x_negative, x), (y_negative, y)) = (magnitude(x), magnitude(y));
        let limit = self.number(width, crate::eval::sign_bit(width));
        let product = cx.binary(api.bvmul, x, y);
        let too_low = cx.binary(api.bvult, limit, product);
        let too_high = cx.binary(api.bvule, limit, product);
        let negative = cx.binary(api.xor, x_negative, y_negative);
        let outside = cx.ternary(api.ite, negative, too_low, too_high);
        cx.or(self.not(cx.mul_no_overflow(x, y)), outside)
    }

    /// The bits added up in pairs, in 8 bits, which hold up to 128.
    fn popcount(&self, width: u16, x: Ast) -> Ast {
        let mut sums: Vec<Ast> = (0..width)
            .map(|i| {
                self.cx
                    .indexed(self.cx.api.zext, 7, self.cx.extract(x, i, 1))
            })
            .collect();
        while sums.len() > 1 {
            sums = sums
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => self.cx.binary(self.cx.api.bvadd, *a, *b),
                    _ => pair[0],
                })
                .collect();
        }
        if width < 8 {
            self.cx.extract(sums[0], 0, width)
        } else {
            self.cx.indexed(self.cx.api.zext, width - 8, sums[0])
        }
    }

    /// The result that the last set bit of `places` decides; `width` if there is none.
    fn zeros(&self, width: u16, x: Ast, places: impl Iterator<Item = (u16, u16)>) -> Ast {
        places.fold(
            self.number(width, u128::from(width) & crate::eval::mask(width)),
            |otherwise, (bit, result)| {
                let set = self.is_one(self.cx.extract(x, bit, 1));
                let result = self.number(width, u128::from(result));
                self.cx.ternary(self.cx.api.ite, set, result, otherwise)
            },
        )
    }

    /// A balanced tree of choices over the index's bits; equal halves need no choice.
    fn table(&mut self, pool: &Pool, node: Node) -> Ast {
        let index = Term(node.a);
        let width = pool.width(index);
        let x = self.vector(pool, index);
        let mut level: Vec<Ast> = pool
            .table_entries(node)
            .iter()
            .map(|t| self.known[t])
            .collect();
        let last = level[level.len() - 1];
        level.resize(level.len().next_power_of_two(), last);
        let mut bit = 0;
        while level.len() > 1 && bit < width {
            let set = self.is_one(self.cx.extract(x, bit, 1));
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] if a != b => self.cx.ternary(self.cx.api.ite, set, *b, *a),
                    _ => pair[0],
                })
                .collect();
            bit += 1;
        }
        if bit == width {
            return level[0];
        }
        let high = self.cx.extract(x, bit, width - bit);
        let zero = self.number(width - bit, 0);
        let inside = self.cx.binary(self.cx.api.eq, high, zero);
        self.cx.ternary(self.cx.api.ite, inside, level[0], last)
    }

    /// Number of ASTs made.
    pub(super) fn made(&self) -> usize {
        self.cx.made()
    }
}
