//! Nodes to terms: what the program wrote as expressions becomes terms of a pool, each node once in a run, and only
//! nodes that something asks for.
//!
//! Must hold: a node is used only when its operation, widths and operands make sense, so that the pool's
//! constructors never see what they do not expect; no recursion, since expressions are as deep as the run is long.

use std::collections::HashMap;

use path::vars::{LENGTH, STREAMS, VALUES, var_of};
use smt::{Epoch, Pool, Term};
use wire::node::Op;

use crate::segment::{CheckedNode, Segment};

/// Label to term, for one run after the other.
///
/// Consecutive runs share most of their nodes under the same labels. What a label was translated from is remembered
/// with its term, so that a node which is the same again, over the same operands, costs a comparison.
#[derive(Debug, Default)]
pub struct Terms {
    slots: Vec<Slot>,
    run: u32,
    count: u32,
    stack: Vec<u32>,
    translated: Vec<u32>,
    /// Elements of the tables of this run, by their word offset.
    tables: HashMap<u32, Box<[Term]>>,
    /// What the terms belong to.
    pool: Epoch,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The run that it was filled in.
    run: u32,
    /// `None`: the node makes no sense.
    term: Option<Term>,
    /// What the term was made of.
    key: Option<Key>,
}

/// Operation, extra operand and width; terms of the operands, or what stands in their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key(u32, [u32; 3]);

impl Key {
    fn new(node: &CheckedNode, words: [u32; 3]) -> Key {
        Key(
            node.op as u32 | u32::from(node.aux) << 8 | u32::from(node.bits) << 16,
            words,
        )
    }

    fn of_terms(node: &CheckedNode, terms: &[Term], extra: u32) -> Key {
        let mut words = [extra; 3];
        for (word, term) in words.iter_mut().zip(terms) {
            *word = term.index() as u32;
        }
        Key::new(node, words)
    }
}

/// Operands have to be translated first; they are on the stack.
struct Missing;

/// A translated node, or nothing when it makes no sense.
type Step = Result<Option<Made>, Missing>;

/// A term and what it was made of, if that is worth remembering.
struct Made {
    term: Term,
    key: Option<Key>,
}

impl Terms {
    /// Forgets the last run; the next one has `nodes` nodes, entry 0 included, and its terms live in `pool`.
    pub fn begin(&mut self, pool: &Pool, nodes: u32) {
        self.count = nodes;
        self.translated.clear();
        self.tables.clear();
        self.run = self.run.wrapping_add(1);
        let now = pool.epoch();
        if self.run == 0 || self.pool != now {
            self.slots.clear();
            self.run = 1;
            self.pool = now;
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
            if self.known(label).is_some() {
                self.stack.pop();
            } else if let Ok(made) = self.step(pool, segment, label) {
                self.stack.pop();
                self.translated.push(label);
                let slot = &mut self.slots[label as usize];
                slot.run = self.run;
                slot.term = made.as_ref().map(|made| made.term);
                slot.key = made.and_then(|made| made.key);
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
        let slot = &self.slots[label as usize];
        (slot.run == self.run).then_some(slot.term)
    }

    /// Translates one node; operands that are missing go on the stack.
    fn step(&mut self, pool: &mut Pool, segment: &Segment, label: u32) -> Step {
        let Some(node) = segment.node(label) else {
            return Ok(None);
        };
        let [a, b, c] = node.operands;
        let op = match node.op {
            Op::Const => return Ok(Some(self.constant(pool, label, &node))),
            Op::Input => return Ok(input(pool, &node).map(|term| Made { term, key: None })),
            Op::Table => return self.table(pool, segment, label, &node),
            op => mirror(op),
        };
        let Some(op) = op else { return Ok(None) };
        Ok(match op.arity() {
            1 => self
                .operands(label, [a])?
                .and_then(|terms| self.apply(pool, label, &node, op, &terms)),
            2 => self
                .operands(label, [a, b])?
                .and_then(|terms| self.apply(pool, label, &node, op, &terms)),
            _ => self
                .operands(label, [a, b, c])?
                .and_then(|terms| self.apply(pool, label, &node, op, &terms)),
        })
    }

    /// The term that this label had in the last run that reached it, if it was made of the same.
    #[inline]
    fn again(&self, label: u32, key: Key) -> Option<Made> {
        let slot = &self.slots[label as usize];
        let term = slot.term.filter(|_| slot.key == Some(key))?;
        Some(Made {
            term,
            key: Some(key),
        })
    }

    fn constant(&self, pool: &mut Pool, label: u32, node: &CheckedNode) -> Made {
        if node.value >> 96 != 0 {
            return Made {
                term: pool.constant(node.bits, node.value),
                key: None,
            };
        }
        let key = Key::new(
            node,
            [
                node.value as u32,
                (node.value >> 32) as u32,
                (node.value >> 64) as u32,
            ],
        );
        self.again(label, key).unwrap_or_else(|| Made {
            term: pool.constant(node.bits, node.value),
            key: Some(key),
        })
    }

    fn apply(
        &self,
        pool: &mut Pool,
        label: u32,
        node: &CheckedNode,
        op: smt::Op,
        terms: &[Term],
    ) -> Option<Made> {
        let aux = if op == smt::Op::Extract {
            node.operands[1]
        } else {
            u32::from(node.aux)
        };
        let key = Key::of_terms(node, terms, aux);
        self.again(label, key).or_else(|| {
            let term = pool.try_apply(op, node.bits, aux, terms).ok()?;
            Some(Made {
                term,
                key: Some(key),
            })
        })
    }

    /// The terms of operands; they have smaller labels than their user.
    fn operands<const N: usize>(
        &mut self,
        user: u32,
        labels: [u32; N],
    ) -> Result<Option<[Term; N]>, Missing> {
        let mut terms = [None; N];
        let mut missing = false;
        for (term, label) in terms.iter_mut().zip(labels) {
            if label >= user {
                return Ok(None);
            }
            match self.known(label) {
                Some(Some(known)) => *term = Some(known),
                Some(None) => return Ok(None),
                None => {
                    self.stack.push(label);
                    missing = true;
                }
            }
        }
        if missing {
            return Err(Missing);
        }
        Ok(Some(terms.map(|term| term.expect("none is missing"))))
    }

    fn table(&mut self, pool: &mut Pool, segment: &Segment, user: u32, node: &CheckedNode) -> Step {
        let [index, offset, _] = node.operands;
        let Some([index]) = self.operands(user, [index])? else {
            return Ok(None);
        };
        if !self.tables.contains_key(&offset) {
            let Some((bits, entries)) = segment.table(offset) else {
                return Ok(None);
            };
            let Some(elements) = self.elements(pool, user, bits, &entries)? else {
                return Ok(None);
            };
            self.tables.insert(offset, elements);
        }
        let elements = &self.tables[&offset];
        let fits = elements
            .first()
            .is_some_and(|first| pool.width(*first) == node.bits);
        Ok(fits.then(|| Made {
            term: pool.table(index, elements.clone()),
            key: None,
        }))
    }

    /// The elements of a table, if all of them have its width.
    fn elements(
        &mut self,
        pool: &mut Pool,
        user: u32,
        bits: u16,
        entries: &[(u32, u128)],
    ) -> Result<Option<Box<[Term]>>, Missing> {
        let waiting = self.stack.len();
        let mut elements = Vec::with_capacity(entries.len());
        for (label, value) in entries {
            let element = match label {
                0 => Some(pool.constant(bits, *value)),
                label if *label >= user => None,
                label => match self.known(*label) {
                    Some(known) => known.filter(|term| pool.width(*term) == bits),
                    None => {
                        self.stack.push(*label);
                        continue;
                    }
                },
            };
            let Some(element) = element else {
                self.stack.truncate(waiting);
                return Ok(None);
            };
            elements.push(element);
        }
        if self.stack.len() > waiting {
            return Err(Missing);
        }
        Ok(Some(elements.into_boxed_slice()))
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
