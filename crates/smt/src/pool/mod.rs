//! The pool: hash-consed terms.
//!
//! Equal terms have equal numbers, operands have smaller numbers than the terms that use them, and every term knows
//! its width and its set of variables. Constructors rewrite (see the modules beside this one); a rewritten term
//! evaluates as the plain one under every assignment. Terms are never freed one by one: [`Pool::compact`] keeps
//! what some roots need and renumbers.

mod arithmetic;
mod build;
mod compact;
mod compare;
pub(crate) mod hash;
mod logic;
mod memo;
mod monotone;
mod node;
mod numeral;
mod rewrite;
mod shape;
mod show;
mod slices;
mod substitute;
mod sums;
mod table;
pub(crate) mod varset;

pub use build::BadTerm;
pub use compact::Remap;
pub(crate) use node::{Node, Tag};
pub use shape::Shape;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Term, Var, eval::mask};
use hash::MixBuild;
use memo::Memo;
use varset::{SetId, VarSets};

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Owner of all terms of a campaign.
#[derive(Debug)]
pub struct Pool {
    nodes: Vec<Node>,
    sets: Vec<SetId>,
    /// Open addressing over `nodes`: term number + 1, 0 = free.
    slots: Vec<u32>,
    wide: Vec<u128>,
    wide_index: HashMap<u128, u32, MixBuild>,
    tables: Vec<Box<[Term]>>,
    table_index: HashMap<Box<[Term]>, u32, MixBuild>,
    varsets: VarSets,
    dense: HashMap<Var, u32, MixBuild>,
    variables: Vec<Var>,
    id: u64,
    generation: u32,
    /// Off only in tests that compare rewritten with plain terms.
    rewriting: bool,
    /// Rules at work.
    depth: u32,
    memo: Memo,
}

/// Where a pool's memory goes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Nodes, the table that finds them, and what was built before.
    pub terms: usize,
    /// Sets of variables.
    pub sets: usize,
    /// Wide constants and tables.
    pub data: usize,
}

impl Memory {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> usize {
        self.terms + self.sets + self.data
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

/// A pool of the process, until its next compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch {
    /// Different for each pool; 0 is none.
    pool: u64,
    compactions: u32,
}

impl Epoch {
    /// Was the pool compacted?
    #[must_use]
    pub fn is_compacted(self) -> bool {
        self.compactions > 0
    }
}

impl Pool {
    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            sets: Vec::new(),
            slots: vec![0; 1 << 10],
            wide: Vec::new(),
            wide_index: HashMap::default(),
            tables: Vec::new(),
            table_index: HashMap::default(),
            varsets: VarSets::new(),
            dense: HashMap::default(),
            variables: Vec::new(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            generation: 0,
            rewriting: true,
            depth: 0,
            memo: Memo::default(),
        }
    }

    /// A pool whose constructors do not rewrite.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            rewriting: false,
            ..Self::new()
        }
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no terms yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Memory in use.
    #[must_use]
    pub fn memory(&self) -> Memory {
        Memory {
            terms: self.nodes.capacity() * size_of::<Node>()
                + (self.sets.capacity() + self.slots.capacity()) * 4
                + self.memo.bytes(),
            sets: self.varsets.bytes() + self.variables.capacity() * 4 + self.dense.capacity() * 9,
            data: self.wide.capacity() * 40
                + self.tables.iter().map(|t| 40 + 8 * t.len()).sum::<usize>(),
        }
    }

    /// What terms of this pool mean something with. Whoever remembers terms asks whether it is still the same.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        Epoch {
            pool: self.id,
            compactions: self.generation,
        }
    }

    /// Width in bits, 1 to 128.
    #[must_use]
    pub fn width(&self, term: Term) -> u16 {
        self.node(term).bits
    }

    /// The value of a constant.
    #[must_use]
    pub fn as_const(&self, term: Term) -> Option<u128> {
        self.node_const(self.node(term))
    }

    /// Whether `term` is the constant 1 of width 1.
    #[must_use]
    pub fn is_true(&self, term: Term) -> bool {
        self.width(term) == 1 && self.as_const(term) == Some(1)
    }

    /// Whether `term` is the constant 0 of width 1.
    #[must_use]
    pub fn is_false(&self, term: Term) -> bool {
        self.width(term) == 1 && self.as_const(term) == Some(0)
    }

    /// The variables of `term`, sorted.
    #[must_use]
    pub fn vars(&self, term: Term) -> Vec<Var> {
        let mut vars: Vec<Var> = self
            .varsets
            .members(self.set(term))
            .into_iter()
            .map(|d| self.variables[d as usize])
            .collect();
        vars.sort_unstable();
        vars
    }

    /// Whether `term` has a variable. No constant has; a term without variables that is not a constant does not
    /// exist: it would have been computed.
    #[must_use]
    pub fn is_symbolic(&self, term: Term) -> bool {
        self.set(term) != SetId::EMPTY
    }

    pub(crate) fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    pub(crate) fn set(&self, term: Term) -> SetId {
        self.sets[term.index()]
    }

    pub(crate) fn varsets(&self) -> &VarSets {
        &self.varsets
    }

    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    pub(crate) fn table_entries(&self, node: Node) -> &[Term] {
        &self.tables[node.b as usize]
    }

    fn node_const(&self, node: Node) -> Option<u128> {
        match node.tag {
            Tag::Const => {
                Some(u128::from(node.a) | u128::from(node.b) << 32 | u128::from(node.c) << 64)
            }
            Tag::Wide => Some(self.wide[node.a as usize]),
            _ => None,
        }
    }

    /// The operands, in order: index before entries for a table.
    pub(crate) fn for_each_operand(&self, node: Node, mut visit: impl FnMut(Term)) {
        match node.tag {
            Tag::Const | Tag::Wide | Tag::Var => {}
            Tag::Table => {
                visit(Term(node.a));
                self.table_entries(node).iter().copied().for_each(visit);
            }
            Tag::Op(op) => {
                for operand in [node.a, node.b, node.c].into_iter().take(op.arity()) {
                    visit(Term(operand));
                }
            }
        }
    }

    /// The constant `value`, cut to `bits`.
    pub fn constant(&mut self, bits: u16, value: u128) -> Term {
        assert!(
            (1..=128).contains(&bits),
            "a width is 1 to 128 bits, not {bits}"
        );
        let value = value & mask(bits);
        if value >> 96 == 0 {
            let (a, b, c) = (value as u32, (value >> 32) as u32, (value >> 64) as u32);
            return self.intern(Node {
                tag: Tag::Const,
                aux: 0,
                bits,
                a,
                b,
                c,
            });
        }
        let next = self.wide.len() as u32;
        let a = *self.wide_index.entry(value).or_insert(next);
        if a == next {
            self.wide.push(value);
        }
        self.intern(Node {
            tag: Tag::Wide,
            aux: 0,
            bits,
            a,
            b: 0,
            c: 0,
        })
    }

    /// The variable `var` read as `bits` bits: the low bits of its value.
    pub fn var(&mut self, var: Var, bits: u16) -> Term {
        assert!(
            (1..=128).contains(&bits),
            "a width is 1 to 128 bits, not {bits}"
        );
        self.intern(Node {
            tag: Tag::Var,
            aux: 0,
            bits,
            a: var.0,
            b: 0,
            c: 0,
        })
    }

    /// The term of this node; the operands exist.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        let hash_mask = self.slots.len() - 1;
        let mut slot = node.hash() as usize & hash_mask;
        loop {
            match self.slots[slot] {
                0 => break,
                known if self.nodes[known as usize - 1] == node => return Term(known - 1),
                _ => slot = (slot + 1) & hash_mask,
            }
        }
        let term =
            Term(u32::try_from(self.nodes.len()).expect("a pool holds at most 2^32 - 1 terms"));
        let set = self.set_of(node);
        self.nodes.push(node);
        self.sets.push(set);
        self.slots[slot] = term.0 + 1;
        if self.nodes.len() * 2 > self.slots.len() {
            self.rehash(self.slots.len() * 2);
        }
        term
    }

    fn rehash(&mut self, size: usize) {
        self.slots = vec![0; size];
        self.memo.grow(size);
        for (i, node) in self.nodes.iter().enumerate() {
            let mut slot = node.hash() as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = i as u32 + 1;
        }
    }

    fn set_of(&mut self, node: Node) -> SetId {
        match node.tag {
            Tag::Const | Tag::Wide => SetId::EMPTY,
            Tag::Var => {
                let var = Var(node.a);
                let next = self.variables.len() as u32;
                let dense = *self.dense.entry(var).or_insert(next);
                if dense == next {
                    self.variables.push(var);
                }
                self.varsets.singleton(dense)
            }
            Tag::Table => {
                let mut set = self.set(Term(node.a));
                for entry in &self.tables[node.b as usize] {
                    set = self.varsets.union(set, self.sets[entry.index()]);
                }
                set
            }
            Tag::Op(op) => {
                let mut set = self.set(Term(node.a));
                for operand in [node.b, node.c].into_iter().take(op.arity() - 1) {
                    let other = self.set(Term(operand));
                    set = self.varsets.union(set, other);
                }
                set
            }
        }
    }
}
