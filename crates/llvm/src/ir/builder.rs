//! The instruction builder.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Block, Module, Opcode, Type, Value, ffi};
use llvm_sys::LLVMIntPredicate;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use llvm_sys::prelude::*;

const NAME: *const std::ffi::c_char = c"".as_ptr();

/// Inserts instructions.
#[derive(Debug)]
pub(crate) struct Builder(LLVMBuilderRef);

impl Builder {
    pub(crate) fn new(module: &Module) -> Builder {
        Builder(ffi!(LLVMCreateBuilderInContext(module.context())))
    }

    pub(crate) fn at_end(&self, block: Block) {
        ffi!(LLVMPositionBuilderAtEnd(self.0, block.0));
    }

    pub(crate) fn before(&self, instruction: Value) {
        ffi!(LLVMPositionBuilderBefore(self.0, instruction.0));
    }

    pub(crate) fn position(&self) -> Block {
        Block(ffi!(LLVMGetInsertBlock(self.0)))
    }

    /// Debug location of what is inserted next; null for none.
    pub(crate) fn set_location(&self, location: LLVMMetadataRef) {
        ffi!(LLVMSetCurrentDebugLocation2(self.0, location));
    }

    /// Inserts a detached instruction; its debug location stays.
    pub(crate) fn insert(&self, instruction: Value) {
        let location = instruction.debug_location();
        ffi!(LLVMInsertIntoBuilder(self.0, instruction.0));
        if !location.is_null() {
            ffi!(LLVMInstructionSetDebugLoc(instruction.0, location));
        }
    }

    pub(crate) fn bin(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        Value(ffi!(LLVMBuildBinOp(self.0, opcode, a.0, b.0, NAME)))
    }

    pub(crate) fn or(&self, a: Value, b: Value) -> Value {
        self.bin(Opcode::LLVMOr, a, b)
    }

    pub(crate) fn and(&self, a: Value, b: Value) -> Value {
        self.bin(Opcode::LLVMAnd, a, b)
    }

    pub(crate) fn add(&self, a: Value, b: Value) -> Value {
        self.bin(Opcode::LLVMAdd, a, b)
    }

    pub(crate) fn lshr(&self, a: Value, b: Value) -> Value {
        self.bin(Opcode::LLVMLShr, a, b)
    }

    pub(crate) fn icmp(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        Value(ffi!(LLVMBuildICmp(self.0, predicate, a.0, b.0, NAME)))
    }

    pub(crate) fn not_zero(&self, a: Value) -> Value {
        self.icmp(LLVMIntPredicate::LLVMIntNE, a, a.ty().zero())
    }

    pub(crate) fn equal(&self, a: Value, b: Value) -> Value {
        self.icmp(LLVMIntPredicate::LLVMIntEQ, a, b)
    }

    pub(crate) fn cast(&self, opcode: Opcode, value: Value, ty: Type) -> Value {
        Value(ffi!(LLVMBuildCast(self.0, opcode, value.0, ty.0, NAME)))
    }

    /// Zero-extends or truncates an integer.
    pub(crate) fn resize(&self, value: Value, ty: Type) -> Value {
        let (from, to) = (
            value.ty().int_bits().unwrap_or(0),
            ty.int_bits().unwrap_or(0),
        );
        match from.cmp(&to) {
            std::cmp::Ordering::Less => self.cast(Opcode::LLVMZExt, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(Opcode::LLVMTrunc, value, ty),
        }
    }

    pub(crate) fn select(&self, condition: Value, then: Value, els: Value) -> Value {
        Value(ffi!(LLVMBuildSelect(
            self.0,
            condition.0,
            then.0,
            els.0,
            NAME
        )))
    }

    pub(crate) fn load(&self, ty: Type, address: Value, align: u32) -> Value {
        let load = ffi!(LLVMBuildLoad2(self.0, ty.0, address.0, NAME));
        ffi!(LLVMSetAlignment(load, align));
        Value(load)
    }

    pub(crate) fn store(&self, value: Value, address: Value, align: u32) -> Value {
        let store = ffi!(LLVMBuildStore(self.0, value.0, address.0));
        ffi!(LLVMSetAlignment(store, align));
        Value(store)
    }

    pub(crate) fn freeze(&self, value: Value) -> Value {
        Value(ffi!(LLVMBuildFreeze(self.0, value.0, NAME)))
    }

    /// `base + bytes`.
    pub(crate) fn offset(&self, module: &Module, base: Value, bytes: Value) -> Value {
        let mut index = bytes.0;
        Value(ffi!(LLVMBuildGEP2(
            self.0,
            module.int(8).0,
            base.0,
            &mut index,
            1,
            NAME
        )))
    }

    /// `&base[index]`.
    pub(crate) fn index(&self, element: Type, base: Value, index: Value) -> Value {
        let mut index = index.0;
        Value(ffi!(LLVMBuildGEP2(
            self.0, element.0, base.0, &mut index, 1, NAME
        )))
    }

    pub(crate) fn alloca(&self, ty: Type, align: u32) -> Value {
        let alloca = ffi!(LLVMBuildAlloca(self.0, ty.0, NAME));
        ffi!(LLVMSetAlignment(alloca, align));
        Value(alloca)
    }

    pub(crate) fn extract(&self, aggregate: Value, index: u32) -> Value {
        Value(ffi!(LLVMBuildExtractValue(
            self.0,
            aggregate.0,
            index,
            NAME
        )))
    }

    pub(crate) fn phi(&self, ty: Type) -> Value {
        Value(ffi!(LLVMBuildPhi(self.0, ty.0, NAME)))
    }

    pub(crate) fn call(&self, ty: Type, callee: Value, args: &[Value]) -> Value {
        let mut raw: Vec<_> = args.iter().map(|arg| arg.0).collect();
        Value(ffi!(LLVMBuildCall2(
            self.0,
            ty.0,
            callee.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            NAME
        )))
    }

    pub(crate) fn br(&self, to: Block) -> Value {
        Value(ffi!(LLVMBuildBr(self.0, to.0)))
    }

    pub(crate) fn cond_br(&self, condition: Value, then: Block, els: Block) -> Value {
        Value(ffi!(LLVMBuildCondBr(self.0, condition.0, then.0, els.0)))
    }

    pub(crate) fn unreachable(&self) -> Value {
        Value(ffi!(LLVMBuildUnreachable(self.0)))
    }

    pub(crate) fn ret(&self, value: Value) -> Value {
        Value(ffi!(LLVMBuildRet(self.0, value.0)))
    }

    pub(crate) fn ret_void(&self) -> Value {
        Value(ffi!(LLVMBuildRetVoid(self.0)))
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        ffi!(LLVMDisposeBuilder(self.0));
    }
}
