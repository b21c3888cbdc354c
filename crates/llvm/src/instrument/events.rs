//! Events: one word for each edge, call and return, written inline.

use super::abi::{Abi, Memory};
use super::function::Fx;
use crate::ir::Value;
use wire::abi::name;
use wire::event::{PAYLOAD_BITS, kind};
use wire::segment::{HOT_CURSOR, HOT_LIMIT};

/// Run-time ids that a function needs, loaded once at its entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bases {
    pub(super) edge: Value,
    pub(super) function: Value,
}

impl Fx<'_, '_> {
    /// Run-time number of a local edge.
    pub(super) fn edge_word(&self, edge: u32) -> Value {
        self.abi.b.add(self.bases.edge, self.abi.u32(edge))
    }

    /// A CALL or RETURN word of this function.
    pub(super) fn function_word(&self, kind: u32) -> Value {
        self.abi.b.add(self.bases.function, self.abi.u32(self.id.wrapping_add(kind << PAYLOAD_BITS)))
    }

    pub(super) fn entered_event(&mut self) {
        let word = self.function_word(kind::CALL);
        self.event(word);
    }

    pub(super) fn returned_event(&mut self) {
        let word = self.function_word(kind::RETURN);
        self.event(word);
    }

    /// Run-time number of a spot.
    pub(super) fn spot(&self, instruction: Value) -> Value {
        let local = self.numbering.spot_of(instruction).unwrap_or(0);
        self.abi.b.add(self.abi.base(super::abi::SPOT_BASE), self.abi.u32(local))
    }

    /// Writes an event of one word; leaves the builder in a new block.
    pub(super) fn event(&mut self, word: Value) {
        let abi: &Abi<'_> = self.abi;
        let cursor = abi.load_hot(abi.ptr, HOT_CURSOR);
        let limit = abi.load_hot(abi.ptr, HOT_LIMIT);
        let room = self.block("event");
        let full = self.block("full");
        let next = self.block("next");
        abi.unlikely(abi.b.icmp(llvm_sys::LLVMIntPredicate::LLVMIntUGE, cursor, limit), full, room);
        abi.b.at_end(full);
        abi.call(name::__bw_event, &[word]);
        abi.b.br(next);
        abi.b.at_end(room);
        abi.mark(abi.b.store(word, cursor, 4), Memory::Events);
        abi.store_hot(abi.b.offset(abi.module, cursor, abi.u64(4)), HOT_CURSOR);
        abi.b.br(next);
        abi.b.at_end(next);
    }
}
