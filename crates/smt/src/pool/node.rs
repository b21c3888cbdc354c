//! One term as it is stored: 16 bytes.

use super::hash::{finish, mix};
use crate::Op;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tag {
    /// A constant below 2^96: `a`, `b`, `c` are its words, low first.
    Const,
    /// Another constant: `a` is its place in the pool.
    Wide,
    /// `a` is the variable.
    Var,
    /// `a` is the index, `b` the pool's table.
    Table,
    /// `a`, `b`, `c` are terms, as many as the operation has operands; the rest is 0.
    Op(Op),
}

/// A term: what it is, and its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) tag: Tag,
    /// `Extract`: the lowest bit; `FRound`: the mode.
    pub(crate) aux: u8,
    pub(crate) bits: u16,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

impl Node {
    pub(crate) fn hash(&self) -> u64 {
        let tag = match self.tag {
            Tag::Const => 250,
            Tag::Wide => 251,
            Tag::Var => 252,
            Tag::Table => 253,
            Tag::Op(op) => op as u64,
        };
        let head =
            tag | u64::from(self.aux) << 8 | u64::from(self.bits) << 16 | u64::from(self.c) << 32;
        finish(mix(
            mix(0, head),
            u64::from(self.a) | u64::from(self.b) << 32,
        ))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_node_is_16_bytes() {
        assert_eq!(size_of::<super::Node>(), 16);
    }
}
