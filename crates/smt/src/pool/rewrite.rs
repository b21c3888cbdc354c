//! Rewriting: the way from a wanted operation to a simpler equal term.
//!
//! Rules live beside this file, by the kind of operation. A rule returns `None` where it does not apply. Rules may
//! build other terms, so they may meet again; the depth is bounded, and beyond it terms stay plain. What must hold
//! for every rule: the result evaluates as the plain term under every assignment (see the tests below).

use super::{Node, Pool, Tag};
use crate::eval::mask;
use crate::{Op, Term};

/// Rules within rules, at most.
const DEPTH: u32 = 150;

impl Pool {
    /// A simpler term for the operation, if a rule knows one.
    pub(super) fn rewrite(&mut self, op: Op, bits: u16, aux: u8, x: [Term; 3]) -> Option<Term> {
        if !self.rewriting || self.depth >= DEPTH {
            return None;
        }
        self.depth += 1;
        let result = self.rule(op, bits, aux, x);
        self.depth -= 1;
        result
    }

    fn rule(&mut self, op: Op, bits: u16, aux: u8, [a, b, c]: [Term; 3]) -> Option<Term> {
        use Op::*;
        match op {
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Neg => {
                self.rewrite_arithmetic(op, bits, a, b)
            }
            UAddO | SAddO | USubO | SSubO | UMulO | SMulO => self.rewrite_overflow(op, a, b),
            And | Or | Xor | Not => self.rewrite_logic(op, bits, a, b),
            Shl | LShr | AShr | ZExt | SExt | Extract | Concat | Bswap => {
                self.rewrite_slices(op, bits, aux, a, b)
            }
            Eq => self.rewrite_eq(a, b),
            Ult | Ule | Slt | Sle => self.rewrite_order(op, a, b),
            Ite => self.rewrite_ite(bits, a, b, c),
            _ => self.rewrite_float(op, bits, a, b),
        }
    }

    /// The operands of `term`, if it is the operation `op`.
    pub(super) fn operands(&self, term: Term, op: Op) -> Option<[Term; 3]> {
        let node = self.node(term);
        (node.tag == Tag::Op(op)).then_some([Term(node.a), Term(node.b), Term(node.c)])
    }

    /// First operand and constant second operand of `term`, if it is the operation `op` of such.
    pub(super) fn with_const(&self, term: Term, op: Op) -> Option<(Term, u128)> {
        let [a, b, _] = self.operands(term, op)?;
        Some((a, self.as_const(b)?))
    }

    /// The operation of `term`, if it is one.
    pub(super) fn op(&self, term: Term) -> Option<Op> {
        match self.node(term).tag {
            Tag::Op(op) => Some(op),
            _ => None,
        }
    }

    /// The term below a zero extension that adds bits.
    pub(super) fn zext_of(&self, term: Term) -> Option<Term> {
        self.operands(term, Op::ZExt).map(|x| x[0])
    }

    /// The term below a sign extension.
    pub(super) fn sext_of(&self, term: Term) -> Option<Term> {
        self.operands(term, Op::SExt).map(|x| x[0])
    }

    /// The node of an extraction.
    pub(super) fn extract_of(&self, term: Term) -> Option<Node> {
        let node = self.node(term);
        (node.tag == Tag::Op(Op::Extract)).then_some(node)
    }

    /// All ones of a width.
    pub(super) fn ones(&mut self, bits: u16) -> Term {
        self.constant(bits, mask(bits))
    }

    /// Zero of a width.
    pub(super) fn zero(&mut self, bits: u16) -> Term {
        self.constant(bits, 0)
    }

    /// The interned node, commutative operands in order: constants last, older terms first.
    pub(super) fn plain_or_sorted(&mut self, op: Op, bits: u16, aux: u8, mut x: [Term; 3]) -> Term {
        if self.rewriting && op.is_commutative() {
            let key = |t: Term| (self.as_const(t).is_some(), t);
            if key(x[0]) > key(x[1]) {
                x.swap(0, 1);
            }
        }
        self.raw(op, bits, aux, x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, TermMaker, show};
    use crate::{Assignment, Var, eval};

    /// The term rebuilt in a rewriting pool, bottom up.
    fn rebuild(from: &Pool, into: &mut Pool, term: Term) -> Term {
        let mut new = std::collections::HashMap::new();
        for t in crate::eval::Scratch::default().topological(from, &[term]) {
            let node = from.node(t);
            let rebuilt = match node.tag {
                Tag::Const | Tag::Wide => {
                    into.constant(node.bits, from.as_const(t).expect("a constant"))
                }
                Tag::Var => into.var(Var(node.a), node.bits),
                Tag::Table => {
                    let entries = from.table_entries(node).iter().map(|e| new[e]).collect();
                    into.table(new[&Term(node.a)], entries)
                }
                Tag::Op(op) => {
                    let x: Vec<Term> = [node.a, node.b, node.c]
                        .iter()
                        .take(op.arity())
                        .map(|&o| new[&Term(o)])
                        .collect();
                    into.apply(op, node.bits, u32::from(node.aux), &x)
                }
            };
            assert_eq!(into.width(rebuilt), node.bits);
            new.insert(t, rebuilt);
        }
        new[&term]
    }

    fn check(plain: &Pool, rewriting: &Pool, old: Term, new: Term, assignments: &[Assignment]) {
        for assignment in assignments {
            let (expected, got) = (
                eval(plain, old, assignment),
                eval(rewriting, new, assignment),
            );
            assert_eq!(
                got,
                expected,
                "plain:\n{}rewritten:\n{}",
                show(plain, old, assignment),
                show(rewriting, new, assignment)
            );
        }
    }

    #[test]
    fn rewritten_terms_evaluate_as_plain_ones() {
        let rounds: u64 = 150;
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let mut plain = Pool::plain();
            let mut rewriting = Pool::new();
            let mut maker = TermMaker::new(&mut plain, &mut random);
            let assignments: Vec<Assignment> =
                (0..6).map(|_| maker.assignment(&mut random)).collect();
            for _ in 0..120 {
                let old = if random.below(30) == 0 {
                    maker.table(&mut plain, &mut random)
                } else {
                    let op = random.pick(Op::ALL);
                    maker.operation(&mut plain, &mut random, op)
                };
                let new = rebuild(&plain, &mut rewriting, old);
                check(&plain, &rewriting, old, new, &assignments);
            }
        }
    }

    /// Two operations on top of each other with constants: where most rules live. All values of small widths.
    #[test]
    fn pairs_of_operations_on_small_words_are_exact() {
        use Op::*;
        let mut random = Random::new(99);
        let inner = [
            Add, Sub, Mul, And, Or, Xor, Not, Neg, Shl, LShr, AShr, ZExt, SExt, Extract, Concat,
            Ite, URem,
        ];
        let outer = [
            Eq, Ult, Ule, Slt, Sle, Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr,
            AShr, Not, Neg, ZExt, SExt, Extract, UAddO, SAddO, USubO, SSubO, UMulO, SMulO, Ite,
            Concat,
        ];
        for _ in 0..5 {
            for o in outer {
                for i in inner {
                    small_pair(&mut random, o, i);
                }
            }
        }
    }

    fn small_pair(random: &mut Random, outer: Op, inner: Op) {
        let mut plain = Pool::plain();
        let (x, y) = (plain.var(Var(0), 4), plain.var(Var(1), 4));
        let p = plain.var(Var(2), 1);
        let below = small(&mut plain, random, inner, [x, y], p);
        let other = small(&mut plain, random, random_op(inner), [x, y], p);
        let operands = if random.below(2) == 0 {
            [below, other]
        } else {
            [other, below]
        };
        let old = small(&mut plain, random, outer, operands, p);
        let mut rewriting = Pool::new();
        let new = rebuild(&plain, &mut rewriting, old);
        for v in 0..512u128 {
            let assignment = [(Var(0), v & 15), (Var(1), v >> 4 & 15), (Var(2), v >> 8)]
                .into_iter()
                .collect();
            check(&plain, &rewriting, old, new, &[assignment]);
        }
    }

    fn random_op(like: Op) -> Op {
        match like {
            Op::ZExt => Op::SExt,
            Op::Add => Op::Ite,
            other => other,
        }
    }

    /// `op` on these operands, fitted to one width; the second is often a constant.
    fn small(pool: &mut Pool, random: &mut Random, op: Op, [x, y]: [Term; 2], p: Term) -> Term {
        let bits = pool.width(x).min(16);
        let x = pool.extract(x, 0, bits);
        let other = match random.below(3) {
            0 => fit(pool, y, bits, random.below(2) == 0),
            _ => pool.constant(bits, u128::from(random.next())),
        };
        let (x, other) = if random.below(4) == 0 {
            (other, x)
        } else {
            (x, other)
        };
        match op {
            Op::ZExt | Op::SExt => pool.apply(op, bits + random.below(5) as u16, 0, &[x]),
            Op::Extract => {
                let low = random.below(usize::from(bits)) as u16;
                let size = 1 + random.below(usize::from(bits - low)) as u16;
                pool.extract(x, low, size)
            }
            Op::Ite => pool.ite(p, x, other),
            _ if op.arity() == 1 => pool.un(op, x),
            _ => pool.bin(op, x, other),
        }
    }

    fn fit(pool: &mut Pool, t: Term, bits: u16, signed: bool) -> Term {
        let width = pool.width(t);
        match (width > bits, signed) {
            (true, _) => pool.extract(t, 0, bits),
            (_, true) => pool.sext(t, bits),
            _ => pool.zext(t, bits),
        }
    }

    #[test]
    fn shapes_that_matter() {
        let mut p = Pool::new();
        let x = p.var(Var(0), 8);
        let wide = p.zext(x, 32);
        let c = p.constant(32, 65);
        let equal = p.eq(wide, c);
        let narrow = p.constant(8, 65);
        let direct = p.eq(x, narrow);
        assert_eq!(equal, direct);

        let signed = p.sext(x, 32);
        let less = p.cmp(Op::Slt, signed, c);
        let direct = p.cmp(Op::Slt, x, narrow);
        assert_eq!(less, direct);

        // Bytes put together and taken apart again.
        let bytes: Vec<Term> = (0..4).map(|i| p.var(Var(i), 8)).collect();
        let mut word = p.zext(bytes[0], 32);
        for (i, &byte) in bytes.iter().enumerate().skip(1) {
            let byte = p.zext(byte, 32);
            let by = p.constant(32, 8 * i as u128);
            let shifted = p.bin(Op::Shl, byte, by);
            word = p.or(word, shifted);
        }
        let third = p.extract(word, 16, 8);
        assert_eq!(third, bytes[2]);
        let parts: Vec<Term> = (0..4).map(|i| p.extract(word, 8 * i, 8)).collect();
        let again = parts.into_iter().reduce(|low, high| p.concat(high, low));
        assert_eq!(again, Some(word));

        let one = p.constant(8, 1);
        let plus = p.bin(Op::Add, x, one);
        let minus = p.bin(Op::Sub, plus, one);
        assert_eq!(minus, x);
        let not = p.not(direct);
        let twice = p.not(not);
        assert_eq!(twice, direct);
        let flag = p.zext(direct, 32);
        let zero = p.constant(32, 0);
        let unset = p.eq(flag, zero);
        assert_eq!(unset, not);
    }
}
