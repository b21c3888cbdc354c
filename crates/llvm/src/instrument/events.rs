//! Events: one word for each edge, call and return, written inline.

use super::abi::{Abi, Memory};
use super::function::Fx;
use crate::ir::Value;
use wire::abi::name;
use wire::event::{END, PAYLOAD_BITS, kind};
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
        self.abi.b.add(
            self.bases.function,
            self.abi.u32(self.id.wrapping_add(kind << PAYLOAD_BITS)),
        )
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
        self.abi
            .b
            .add(self.abi.base(super::abi::SPOT_BASE), self.abi.u32(local))
    }

    /// Writes an event of one word; leaves the builder in a new block.
    ///
    /// The cursor lives in a register until the next [`Fx::flush`]. The word behind it is always [`END`], so that the
    /// events before a crash are found.
    pub(super) fn event(&mut self, word: Value) {
        let abi: &Abi<'_> = self.abi;
        let cursor = abi.b.load(abi.ptr, self.cursor, 8);
        let limit = abi.load_hot(abi.ptr, HOT_LIMIT);
        let (room, full, next) = (self.block("event"), self.block("full"), self.block("next"));
        abi.unlikely(
            abi.b
                .icmp(llvm_sys::LLVMIntPredicate::LLVMIntUGE, cursor, limit),
            full,
            room,
        );
        abi.b.at_end(full);
        self.flush();
        abi.call(name::__bw_event, &[word]);
        self.reload();
        abi.b.br(next);
        abi.b.at_end(room);
        let words = abi
            .b
            .or(abi.b.resize(word, abi.i64), abi.u64(u64::from(END) << 32));
        abi.mark(abi.b.store(words, cursor, 4), Memory::Events);
        abi.b
            .store(abi.b.offset(abi.module, cursor, abi.u64(4)), self.cursor, 8);
        abi.b.br(next);
        abi.b.at_end(next);
    }

    /// Before anything that may look at the cursor: calls, returns, slow paths.
    pub(super) fn flush(&self) {
        let abi = self.abi;
        abi.store_hot(abi.b.load(abi.ptr, self.cursor, 8), HOT_CURSOR);
    }

    /// After anything that may have moved the cursor.
    pub(super) fn reload(&self) {
        let abi = self.abi;
        abi.b
            .store(abi.load_hot(abi.ptr, HOT_CURSOR), self.cursor, 8);
    }
}
