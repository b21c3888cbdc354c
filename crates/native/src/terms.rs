//! Nodes to terms: what the program wrote as expressions becomes terms of a pool, each node once in a run, and only
//! nodes that something asks for.
//!
//! Must hold: a node is used only when its operation, widths and operands make sense, so that the pool's
//! constructors never see what they do not expect; no recursion, since expressions are as deep as the run is long.

use explore::vars::{LENGTH, STREAMS, VALUES, var_of};
use smt::{Pool, Term};
use wire::node::Op;

use crate::segment::{CheckedNode, Segment};

/// Label to term, for one run after the other.
#[derive(Debug, Default)]
pub struct Terms {
    slots: Vec<Slot>,
    run: u32,
    count: u32,
    stack: Vec<u32>,
    translated: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The run that it was filled in.
    run: u32,
    /// `None`: the node makes no sense.
    term: Option<Term>,
}

/// An operand that has to be translated first.
struct Missing(u32);

/// Result of one step: a term, nothing (the node makes no sense), or an operand is missing.
type Step = Result<Option<Term>, Missing>;

impl Terms {
    /// Forgets the last run; the next one has `nodes` nodes, entry 0 included.
    pub fn begin(&mut self, nodes: u32) {
        self.count = nodes;
        self.translated.clear();
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.slots.clear();
            self.run = 1;
        }
        if self.slots.len() < nodes as usize {
            self.slots.resize(nodes as usize, Slot::default());
        }
    }

    /// Labels translated in this run, operands before their users.
    #[must_use]
    pub fn translated(&self) -> &[u32] {
        &self.translated
    }

    /// The term of a label; `None` when it is 0, out of range, or nonsense.
    pub fn term(&mut self, pool: &mut Pool, segment: &Segment, label: u32) -> Option<Term> {
        if let Some(known) = self.known(label) {
            return known;
        }
        self.stack.clear();
        self.stack.push(label);
        while let Some(&label) = self.stack.last() {
            let step = if self.known(label).is_some() {
                Ok(None)
            } else {
                self.step(pool, segment, label)
            };
            match step {
                Err(Missing(operand)) => self.stack.push(operand),
                Ok(term) => {
                    self.stack.pop();
                    if self.known(label).is_none() {
                        self.slots[label as usize] = Slot {
                            run: self.run,
                            term,
                        };
                        self.translated.push(label);
                    }
                }
            }
        }
        self.known(label).flatten()
    }

    /// The entry of a label: `Some(None)` when it is known to be nonsense.
    #[inline]
    fn known(&self, label: u32) -> Option<Option<Term>> {
        if label == 0 || label >= self.count {
            return Some(None);
        }
        let slot = self.slots[label as usize];
        (slot.run == self.run).then_some(slot.term)
    }

    /// Translates one node whose operands may be missing.
    fn step(&self, pool: &mut Pool, segment: &Segment, label: u32) -> Step {
        let Some(node) = segment.node(label) else {
            return Ok(None);
        };
        let [a, b, c] = node.operands;
        let op = match node.op {
            Op::Const => return Ok(Some(pool.constant(node.bits, node.value))),
            Op::Input => return Ok(input(pool, &node)),
            Op::Table => return self.table(pool, segment, label, &node),
            op => mirror(op),
        };
        let Some(op) = op else { return Ok(None) };
        let aux = if op == smt::Op::Extract {
            b
        } else {
            u32::from(node.aux)
        };
        let mut apply = |terms: &[Term]| pool.try_apply(op, node.bits, aux, terms).ok();
        Ok(match op.arity() {
            1 => self.operands(label, [a])?.and_then(|terms| apply(&terms)),
            2 => self
                .operands(label, [a, b])?
                .and_then(|terms| apply(&terms)),
            _ => self
                .operands(label, [a, b, c])?
                .and_then(|terms| apply(&terms)),
        })
    }

    /// The terms of operands; they have smaller labels than their user.
    fn operands<const N: usize>(
        &self,
        user: u32,
        labels: [u32; N],
    ) -> Result<Option<[Term; N]>, Missing> {
        let mut terms = [None; N];
        for (term, label) in terms.iter_mut().zip(labels) {
            if label >= user {
                return Ok(None);
            }
            *term = self.known(label).ok_or(Missing(label))?;
            if term.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(terms.map(|term| term.expect("checked above"))))
    }

    fn table(&self, pool: &mut Pool, segment: &Segment, user: u32, node: &CheckedNode) -> Step {
        let [index, offset, _] = node.operands;
        let Some([index]) = self.operands(user, [index])? else {
            return Ok(None);
        };
        let Some((bits, entries)) = segment.table(offset) else {
            return Ok(None);
        };
        if bits != node.bits {
            return Ok(None);
        }
        let mut elements = Vec::with_capacity(entries.len());
        for (label, value) in entries {
            let element = match label {
                0 => pool.constant(bits, value),
                label => match self.operands(user, [label])? {
                    Some([term]) if pool.width(term) == bits => term,
                    _ => return Ok(None),
                },
            };
            elements.push(element);
        }
        Ok(Some(pool.table(index, elements.into_boxed_slice())))
    }
}

fn input(pool: &mut Pool, node: &CheckedNode) -> Option<Term> {
    let [index, stream, _] = node.operands;
    let in_range = stream < STREAMS && (index < LENGTH || index == wire::input::LENGTH);
    let is_length = index == wire::input::LENGTH;
    let width_fits = match (stream, is_length) {
        (VALUES, true) => false,
        (VALUES, false) => matches!(node.bits, 1 | 8 | 16 | 32 | 64 | 128),
        (_, true) => node.bits == 32,
        (_, false) => node.bits == 8,
    };
    (in_range && width_fits).then(|| pool.var(var_of(stream, index), node.bits))
}

/// The pool's operation of the same name.
fn mirror(op: Op) -> Option<smt::Op> {
    macro_rules! same {
        ($($name:ident)*) => {
            match op {
                $(Op::$name => Some(smt::Op::$name),)*
                Op::Const | Op::Input | Op::Table => None,
            }
        };
    }
    same!(Add Sub Mul UDiv SDiv URem SRem And Or Xor Shl LShr AShr Not Neg Eq Ult Ule Slt Sle ZExt SExt Extract Concat
        Ite Popcount Clz Ctz Bswap UAddO SAddO USubO SSubO UMulO SMulO FAdd FSub FMul FDiv FRem FNeg FAbs FSqrt FEq FLt
        FLe FUno FToS FToU SToF UToF FToF FRound)
}
