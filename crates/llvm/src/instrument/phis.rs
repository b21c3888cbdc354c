//! Phis: the program's own get the new edges, and each symbolic leaf gets a phi of labels.

use super::function::{Edge, Fx};
use crate::ir::{Block, Opcode, Value};
use std::collections::HashMap;

/// The phis of a block.
pub(super) fn phis(block: Block) -> Vec<Value> {
    block
        .instructions()
        .into_iter()
        .take_while(|inst| inst.is_opcode(Opcode::LLVMPHI))
        .collect()
}

impl Fx<'_, '_> {
    /// Label phis of a block, before its other instructions. A landing pad must follow the phis at once.
    pub(super) fn phi_labels(&mut self, phis: &[Value], pad: Option<Value>) {
        let mut made = Vec::new();
        for &phi in phis {
            for leaf in self.sym.marked(phi) {
                let label = self.abi.b.phi(self.abi.i32);
                self.label_phis.push((phi, leaf, label));
                made.push((phi, leaf, label));
            }
        }
        if let Some(pad) = pad {
            self.landing(pad);
        }
        for (phi, leaf, label) in made {
            self.set_slot(phi, leaf, label);
        }
    }

    /// Replaces the phis by ones for the new edges, and completes the label phis. The old ones go at the end: slots and labels are
    /// found by the identity of values, and an erased value's may be given to a new one.
    pub(super) fn finish_phis(&mut self, phis: &[(Block, Vec<Value>)]) {
        let mut loads: HashMap<(Block, Value, usize), Value> = HashMap::new();
        let mut replaced = Vec::new();
        for (block, list) in phis {
            let edges: Vec<Edge> = self
                .edges
                .iter()
                .copied()
                .filter(|edge| edge.to == *block)
                .collect();
            for &old in list {
                self.abi.b.before(old);
                self.abi.b.set_location(old.debug_location());
                let new = self.abi.b.phi(old.ty());
                let incoming: HashMap<Block, Value> = old
                    .incoming()
                    .into_iter()
                    .map(|(value, from)| (from, value))
                    .collect();
                for edge in &edges {
                    new.add_incoming(incoming[&edge.from], edge.last);
                    self.label_incoming(old, incoming[&edge.from], edge.last, &mut loads);
                }
                for entry in &mut self.label_phis {
                    if entry.0 == old {
                        entry.0 = new;
                    }
                }
                self.rename(old, new);
                old.replace_uses(new);
                replaced.push(old);
            }
        }
        replaced.into_iter().for_each(Value::erase);
    }

    /// A later label phi may take the label of a phi that was replaced: its slots go to the new one.
    fn rename(&mut self, old: Value, new: Value) {
        for leaf in self.sym.marked(old) {
            if let Some(slot) = self.slots.get(&(old, leaf)).copied() {
                self.slots.insert((new, leaf), slot);
            }
        }
    }

    fn label_incoming(
        &self,
        phi: Value,
        value: Value,
        last: Block,
        loads: &mut HashMap<(Block, Value, usize), Value>,
    ) {
        for &(of, leaf, label_phi) in &self.label_phis {
            if of != phi {
                continue;
            }
            let label = *loads.entry((last, value, leaf)).or_insert_with(|| {
                if let Some(terminator) = last.terminator() {
                    self.abi.b.before(terminator);
                }
                self.slot_label(value, leaf)
            });
            label_phi.add_incoming(label, last);
        }
    }
}
