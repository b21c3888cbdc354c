//! Sets of variables, hash-consed.
//!
//! A set is a big-endian Patricia tree over dense variable numbers with 64-bit leaves. Equal sets are the same
//! number, and sets share their parts: the chain of sets {x0}, {x0,x1}, … of a checksum over n bytes costs
//! O(n log n) nodes, not O(n²) entries. Every node stands for the same variables wherever it occurs, so whoever
//! walks sets may skip nodes already seen.

use std::collections::HashMap;

use super::hash::MixBuild;

/// A set of variables; 0 is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct SetId(pub(crate) u32);

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);
}

/// A node: a leaf when `level` is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SetNode {
    Empty,
    /// Variables `64 * chunk + i` for each bit `i`.
    Leaf {
        chunk: u32,
        bits: u64,
    },
    /// Chunks whose bits above `level` are those of `prefix`; bit `level` decides.
    Branch {
        prefix: u32,
        level: u8,
        zero: SetId,
        one: SetId,
    },
}

/// All sets of a pool.
#[derive(Debug)]
pub(crate) struct VarSets {
    nodes: Vec<SetNode>,
    index: HashMap<SetNode, SetId, MixBuild>,
    unions: Vec<(SetId, SetId, SetId)>,
}

const UNION_CACHE: usize = 1 << 12;

impl VarSets {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![SetNode::Empty],
            index: HashMap::default(),
            unions: vec![(SetId::EMPTY, SetId::EMPTY, SetId::EMPTY); UNION_CACHE],
        }
    }

    pub(crate) fn node(&self, set: SetId) -> SetNode {
        self.nodes[set.0 as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<SetNode>()
            + self.index.capacity() * (size_of::<SetNode>() + size_of::<SetId>() + 1)
            + self.unions.capacity() * 12
    }

    pub(crate) fn singleton(&mut self, dense: u32) -> SetId {
        self.intern(SetNode::Leaf {
            chunk: dense >> 6,
            bits: 1 << (dense & 63),
        })
    }

    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let slot = (a.0.wrapping_mul(0x9e37_79b1) ^ b.0.wrapping_mul(0x85eb_ca6b)) as usize >> 7
            & (UNION_CACHE - 1);
        let (x, y, known) = self.unions[slot];
        if (x, y) == (a, b) {
            return known;
        }
        let result = self.union_nodes(a, b);
        self.unions[slot] = (a, b, result);
        result
    }

    fn union_nodes(&mut self, a: SetId, b: SetId) -> SetId {
        use SetNode::{Branch, Empty, Leaf};
        match (self.node(a), self.node(b)) {
            (Empty, _) => b,
            (_, Empty) => a,
            (
                Leaf { chunk, bits },
                Leaf {
                    chunk: other,
                    bits: more,
                },
            ) => {
                if chunk == other {
                    self.intern(Leaf {
                        chunk,
                        bits: bits | more,
                    })
                } else {
                    self.join(chunk, a, other, b)
                }
            }
            (
                Leaf { chunk, .. },
                Branch {
                    prefix,
                    level,
                    zero,
                    one,
                },
            ) => self.union_into(chunk, a, b, prefix, level, zero, one),
            (
                Branch {
                    prefix,
                    level,
                    zero,
                    one,
                },
                Leaf { chunk, .. },
            ) => self.union_into(chunk, b, a, prefix, level, zero, one),
            (
                Branch {
                    prefix,
                    level,
                    zero,
                    one,
                },
                Branch {
                    prefix: other,
                    level: deep,
                    zero: other_zero,
                    one: other_one,
                },
            ) => {
                if level == deep && prefix == other {
                    let (zero, one) = (self.union(zero, other_zero), self.union(one, other_one));
                    self.intern(Branch {
                        prefix,
                        level,
                        zero,
                        one,
                    })
                } else if level > deep {
                    self.union_into(other, b, a, prefix, level, zero, one)
                } else if deep > level {
                    self.union_into(prefix, a, b, other, deep, other_zero, other_one)
                } else {
                    self.join(prefix, a, other, b)
                }
            }
        }
    }

    /// Union of `small`, whose chunks start with `key`, and the branch `big` of a higher level.
    #[expect(clippy::too_many_arguments, reason = "the fields of one node")]
    fn union_into(
        &mut self,
        key: u32,
        small: SetId,
        big: SetId,
        prefix: u32,
        level: u8,
        zero: SetId,
        one: SetId,
    ) -> SetId {
        if above(key, level) != prefix {
            return self.join(key, small, prefix, big);
        }
        let (zero, one) = if key >> level & 1 == 0 {
            (self.union(zero, small), one)
        } else {
            (zero, self.union(one, small))
        };
        self.intern(SetNode::Branch {
            prefix,
            level,
            zero,
            one,
        })
    }

    /// Two sets whose chunks differ first in the highest bit in which `a` and `b` differ.
    fn join(&mut self, a: u32, set_a: SetId, b: u32, set_b: SetId) -> SetId {
        let level = (31 - (a ^ b).leading_zeros()) as u8;
        let (zero, one) = if a >> level & 1 == 0 {
            (set_a, set_b)
        } else {
            (set_b, set_a)
        };
        self.intern(SetNode::Branch {
            prefix: above(a, level),
            level,
            zero,
            one,
        })
    }

    fn intern(&mut self, node: SetNode) -> SetId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = SetId(u32::try_from(self.nodes.len()).expect("variable sets fit 32 bits"));
        self.nodes.push(node);
        self.index.insert(node, id);
        id
    }

    /// The dense numbers in `set`, ascending.
    pub(crate) fn members(&self, set: SetId) -> Vec<u32> {
        let mut out = Vec::new();
        let mut todo = vec![set];
        while let Some(set) = todo.pop() {
            match self.node(set) {
                SetNode::Empty => {}
                SetNode::Leaf { chunk, mut bits } => {
                    while bits != 0 {
                        out.push(chunk << 6 | bits.trailing_zeros());
                        bits &= bits - 1;
                    }
                }
                SetNode::Branch { zero, one, .. } => todo.extend([one, zero]),
            }
        }
        out
    }
}

/// The bits of `chunk` above bit `level`, in place.
fn above(chunk: u32, level: u8) -> u32 {
    if level >= 31 {
        0
    } else {
        chunk >> (level + 1) << (level + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn unions_are_sets_and_equal_sets_are_one() {
        let mut sets = VarSets::new();
        let mut known: Vec<(SetId, BTreeSet<u32>)> = vec![(SetId::EMPTY, BTreeSet::new())];
        let mut state = 1u64;
        let mut random = move |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..3000 {
            let (id, members) = if random(3) == 0 {
                let range = [10, 300, 70_000, 1 << 26][random(4) as usize];
                let v = random(range) as u32;
                (sets.singleton(v), BTreeSet::from([v]))
            } else {
                let (i, j) = (
                    random(known.len() as u64) as usize,
                    random(known.len() as u64) as usize,
                );
                let members: BTreeSet<u32> = known[i].1.union(&known[j].1).copied().collect();
                if members.len() > 400 {
                    continue;
                }
                (sets.union(known[i].0, known[j].0), members)
            };
            assert_eq!(
                sets.members(id),
                members.iter().copied().collect::<Vec<_>>()
            );
            if let Some((other, _)) = known.iter().find(|k| k.1 == members) {
                assert_eq!(*other, id);
            }
            known.push((id, members));
        }
    }

    #[test]
    fn a_growing_chain_shares_its_parts() {
        let mut sets = VarSets::new();
        let mut all = SetId::EMPTY;
        for i in 0..10_000 {
            let one = sets.singleton(i);
            all = sets.union(all, one);
        }
        assert_eq!(sets.members(all).len(), 10_000);
        assert!(sets.nodes.len() < 10_000 * 12, "{}", sets.nodes.len());
    }
}
