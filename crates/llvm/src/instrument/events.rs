//! Events: one word for each edge, call and return, written inline.

use super::abi::{Abi, Memory};
use super::function::Fx;
use crate::ir::{Opcode, Value};
use crate::types::{bits, is_scalar};
use wire::abi::{SWITCHED, name};
use wire::event::{END, PAYLOAD_BITS, kind};
use wire::segment::{HOT_CURSOR, HOT_LIMIT, HOT_WATCH};

/// What a branch compared, as far as the runtime can make something of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// As `__bw_compared` takes it.
    pred_bits: u32,
    a: Value,
    b: Option<Value>,
}

impl Compared {
    /// The operands of the comparison that a condition is. Addresses are no numbers.
    pub(super) fn by(condition: Value) -> Option<Compared> {
        let predicate = match condition.opcode() {
            Opcode::LLVMICmp => condition.int_predicate(),
            Opcode::LLVMFCmp => condition.float_predicate(),
            _ => return None,
        };
        let (a, b) = (condition.operand(0), condition.operand(1));
        if a.ty().is_pointer() || !is_scalar(a.ty()) || !matches!(bits(a.ty()), 1..=64) {
            return None;
        }
        Some(Compared {
            pred_bits: predicate | bits(a.ty()) << 16,
            a,
            b: Some(b),
        })
    }

    /// The value of a `switch`.
    pub(super) fn switched(value: Value) -> Option<Compared> {
        let width = bits(value.ty());
        (width <= 64).then_some(Compared {
            pred_bits: SWITCHED | width << 16,
            a: value,
            b: None,
        })
    }

    /// `pred_bits`, `a` and `b` as arguments.
    pub(super) fn arguments(compared: Option<Compared>, abi: &Abi<'_>) -> [Value; 3] {
        let Some(Compared { pred_bits, a, b }) = compared else {
            return [abi.zero(), abi.u64(0), abi.u64(0)];
        };
        let b = b.map_or_else(|| abi.u64(0), |b| abi.bits(b));
        [abi.u32(pred_bits), abi.bits(a), b]
    }
}

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
        self.event_of(word, None);
    }

    /// The same for an edge of a branch that compared something, which a watched run shows to the runtime.
    pub(super) fn event_of(&mut self, word: Value, compared: Option<Compared>) {
        let abi: &Abi<'_> = self.abi;
        let cursor = abi.b.load(abi.ptr, self.cursor, 8);
        let (room, full, next) = (self.block("event"), self.block("full"), self.block("next"));
        let is_behind = |limit| {
            let limit = abi.load_hot(abi.ptr, limit);
            abi.b
                .icmp(llvm_sys::LLVMIntPredicate::LLVMIntUGE, cursor, limit)
        };
        if compared.is_some() {
            let watched = self.block("watched");
            abi.unlikely(is_behind(HOT_WATCH), watched, room);
            abi.b.at_end(watched);
            let [pred_bits, a, b] = Compared::arguments(compared, abi);
            abi.call(name::__bw_compared, &[word, pred_bits, a, b]);
        }
        abi.unlikely(is_behind(HOT_LIMIT), full, room);
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
