//! Loads and stores: the inline look at the shadow, and their slow path.

use super::abi::{Abi, Memory};
use super::class::underlying;
use super::function::Fx;
use crate::ir::{Opcode, Type, Value};
use crate::types::{bits, is_scalar, is_supported, leaves};
use wire::abi::name;
use wire::node::Op;
use wire::segment::Loss;

/// Address and bytes of the memory that an instruction reads or writes.
pub(super) fn accessed(abi: &Abi<'_>, instruction: Value) -> Option<(Value, u64)> {
    let size = |ty: Type| abi.module.store_size(ty);
    match instruction.opcode() {
        Opcode::LLVMLoad => Some((instruction.operand(0), size(instruction.ty()))),
        Opcode::LLVMStore => Some((instruction.operand(1), size(instruction.operand(0).ty()))),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            Some((instruction.operand(0), size(instruction.operand(1).ty())))
        }
        _ => None,
    }
}

impl Abi<'_> {
    /// Emits the OR of the shadow words of `bytes` bytes: an `i64`, 0 when all are concrete.
    pub(super) fn shadow_word(&self, address: Value, bytes: u64) -> Value {
        let start = self.shadow_of(self.bits(address));
        let mut all: Option<Value> = None;
        let mut done = 0;
        while done < bytes {
            let (ty, step) = if bytes - done >= 2 {
                (self.i64, 2)
            } else {
                (self.i32, 1)
            };
            let place = if done == 0 {
                start
            } else {
                self.b.offset(self.module, start, self.u64(4 * done))
            };
            let word = self.mark(self.b.load(ty, place, 4), Memory::Shadow);
            let word = self.b.resize(word, self.i64);
            all = Some(all.map_or(word, |all| self.b.or(all, word)));
            done += step;
        }
        all.unwrap_or_else(|| self.u64(0))
    }
}

/// A scalar leaf in memory: leaf number, type, byte offset.
fn leaf_places(
    abi: &Abi<'_>,
    ty: Type,
    base: u64,
    first: usize,
    list: &mut Vec<(usize, Type, u64)>,
) -> usize {
    if !(ty.is_struct() || ty.is_array()) {
        list.push((first, ty, base));
        return first + 1;
    }
    let mut next = first;
    for index in 0..ty.len() {
        next = leaf_places(
            abi,
            ty.member(index),
            base + abi.module.member_offset(ty, index),
            next,
            list,
        );
    }
    next
}

impl Fx<'_, '_> {
    fn places(&self, ty: Type) -> Vec<(usize, Type, u64)> {
        let mut list = Vec::new();
        leaf_places(self.abi, ty, 0, 0, &mut list);
        list
    }

    /// Start and size of the object that an address points into, if it is known statically.
    fn object(&self, address: Value) -> (Value, Value) {
        let abi = self.abi;
        let object = underlying(address);
        let ty = if super::class::is_static_alloca(object) && object.operand(0).as_int() == Some(1)
        {
            Some(object.allocated_type())
        } else if object.is_global_variable()
            && !object.is_declaration()
            && !object.is_thread_local()
        {
            Some(object.global_type())
        } else {
            None
        };
        match ty.filter(|ty| ty.is_sized()) {
            Some(ty) => (abi.bits(object), abi.u64(abi.module.alloc_size(ty))),
            None => (abi.u64(0), abi.u64(0)),
        }
    }

    pub(super) fn replay_load(&mut self, load: Value) -> Vec<Value> {
        let address = load.operand(0);
        if !is_supported(load.ty()) {
            self.lose_memory(load, address);
            return vec![self.abi.zero(); leaves(load.ty()).len()];
        }
        self.places(load.ty())
            .into_iter()
            .map(|(leaf, ty, offset)| {
                let value = self.leaf_value(load, leaf);
                self.load_leaf(load, address, value, ty, offset)
            })
            .collect()
    }

    fn load_leaf(&self, load: Value, address: Value, value: Value, ty: Type, offset: u64) -> Value {
        let abi = self.abi;
        let bytes = abi.module.store_size(ty);
        let (low, high) = abi.words(value);
        let (base, base_bytes) = self.object(address);
        let (label, at) = self.moved_address(address, offset);
        let operands = [
            self.spot(load),
            label,
            at,
            abi.u32(bytes as u32),
            low,
            high,
            base,
            base_bytes,
        ];
        let whole = abi.call(name::__bw_load, &operands);
        let (from, to) = (8 * bytes as u32, bits(ty));
        if from == to {
            return whole;
        }
        let extended = abi.b.resize(abi.integer(value), abi.module.int(from));
        self.cast_label(Op::Extract, from, to, whole, extended, value)
    }

    /// Label and value of `address + offset`.
    fn moved_address(&self, address: Value, offset: u64) -> (Value, Value) {
        let abi = self.abi;
        let (label, start) = (self.label(address, 0), abi.bits(address));
        if offset == 0 {
            return (label, start);
        }
        let at = abi.b.add(start, abi.u64(offset));
        if label == abi.zero() {
            return (label, at);
        }
        let operands = [
            abi.u32(64),
            label,
            start,
            abi.zero(),
            abi.u64(offset),
            abi.u64(1),
            at,
        ];
        (abi.call(name::__bw_index, &operands), at)
    }

    /// Reads what a store through an address that may be symbolic is about to overwrite: the cell keeps it where the address
    /// names another.
    pub(super) fn keep_old(&mut self, store: Value) {
        let abi = self.abi;
        let (value, address) = (store.operand(0), store.operand(1));
        let bytes = abi.module.store_size(value.ty());
        let plain =
            store.is_opcode(Opcode::LLVMStore) && !store.is_volatile() && !store.is_atomic();
        if plain && bytes <= 8 && is_scalar(value.ty()) && self.sym.may(address, 0) {
            let ty = abi.module.int(8 * bytes as u32);
            let old = abi.b.load(ty, address, 1);
            abi.mark_program(old);
            self.olds.insert(store, old);
        }
    }

    pub(super) fn replay_store(&mut self, store: Value) {
        let (value, address) = (store.operand(0), store.operand(1));
        let abi = self.abi;
        if !is_supported(value.ty()) {
            if self.sym.may(address, 0) {
                let (spot, label) = (self.spot(store), self.label(address, 0));
                self.guarded(label, |abi| {
                    abi.call(name::__bw_pin, &[spot, label, abi.bits(address)]);
                });
            }
            abi.call(
                name::__bw_clear,
                &[address, abi.u64(abi.module.store_size(value.ty()))],
            );
            return;
        }
        for (leaf, ty, offset) in self.places(value.ty()) {
            let bytes = abi.module.store_size(ty);
            let scalar = self.leaf_value(value, leaf);
            let (from, to) = (bits(ty), 8 * bytes as u32);
            let mut label = self.label(value, leaf);
            if from != to && label != abi.zero() {
                let extended = abi.b.resize(abi.integer(scalar), abi.module.int(to));
                label = self.cast_label(Op::ZExt, from, to, label, scalar, extended);
            }
            let (low, high) = abi.words(scalar);
            if let Some(&old) = self.olds.get(&store) {
                let (base, base_bytes) = self.object(address);
                let operands = [
                    self.spot(store),
                    self.label(address, 0),
                    abi.bits(address),
                    abi.u32(bytes as u32),
                    label,
                    low,
                    abi.bits(old),
                    base,
                    base_bytes,
                ];
                abi.call(name::__bw_store_at, &operands);
                continue;
            }
            let (place, at) = self.moved_address(address, offset);
            abi.call(
                name::__bw_store,
                &[
                    self.spot(store),
                    place,
                    at,
                    abi.u32(bytes as u32),
                    label,
                    low,
                    high,
                ],
            );
        }
    }

    /// A load of a type without labels (wide vectors): what was symbolic in memory is lost.
    fn lose_memory(&mut self, load: Value, address: Value) {
        let abi = self.abi;
        let bytes = abi.module.store_size(load.ty());
        let mut done = 0;
        while done < bytes {
            let step = if bytes - done >= 8 { 8 } else { 1 };
            let place = abi.b.offset(abi.module, address, abi.u64(done));
            let word = abi.b.load(abi.module.int(8 * step as u32), place, 1);
            let (label, at) = self.moved_address(address, done);
            let zero = abi.u64(0);
            let operands = [
                self.spot(load),
                label,
                at,
                abi.u32(step as u32),
                abi.bits(word),
                zero,
                zero,
                zero,
            ];
            let label = abi.call(name::__bw_load, &operands);
            self.lost(load, Loss::Instruction, label);
            done += step;
        }
    }
}
