//! Compaction: keeps what the roots need, renumbers, and says which term became which.

use super::{Node, Pool, Tag};
use crate::Term;

/// Old terms to new ones, after [`Pool::compact`].
#[derive(Debug)]
pub struct Remap {
    new: Vec<Option<Term>>,
}

impl Remap {
    /// What `old` is called now; `None` if no root needed it.
    #[must_use]
    pub fn get(&self, old: Term) -> Option<Term> {
        self.new.get(old.index()).copied().flatten()
    }
}

impl Pool {
    /// Keeps `roots` and what they are built of; every other term is gone. The order of terms is kept, so what was
    /// deterministic stays so. Solvers notice by the pool's generation and drop what they remember by term.
    pub fn compact(&mut self, roots: &[Term]) -> Remap {
        let mut live = vec![false; self.nodes.len()];
        for &root in roots {
            live[root.index()] = true;
        }
        for i in (0..self.nodes.len()).rev() {
            if live[i] {
                self.for_each_operand(self.nodes[i], |t| live[t.index()] = true);
            }
        }
        let old = std::mem::replace(
            self,
            Pool {
                generation: self.generation + 1,
                ..Pool::new()
            },
        );
        self.rewriting = old.rewriting;
        let mut new: Vec<Option<Term>> = vec![None; old.nodes.len()];
        for (i, &node) in old.nodes.iter().enumerate().filter(|(i, _)| live[*i]) {
            let moved = |t: u32| new[t as usize].expect("operands come before their users");
            let term = match node.tag {
                Tag::Const => self.intern(node),
                Tag::Wide => self.constant(node.bits, old.wide[node.a as usize]),
                Tag::Var => self.intern(node),
                Tag::Table => {
                    let index = moved(node.a);
                    let entries = old.table_entries(node).iter().map(|t| moved(t.0)).collect();
                    self.intern_table(index, entries)
                }
                Tag::Op(op) => {
                    let mut operands = [node.a, node.b, node.c];
                    for operand in operands.iter_mut().take(op.arity()) {
                        *operand = moved(*operand).0;
                    }
                    let [a, b, c] = operands;
                    self.intern(Node { a, b, c, ..node })
                }
            };
            new[i] = Some(term);
        }
        Remap { new }
    }
}
