//! What each instruction is to the instrumentation.

use super::intrinsics::{self, Handling};
use crate::ir::{Opcode, Value};
use crate::types::{has_label, is_index, is_packed, is_scalar, is_supported};

/// Where the labels of a result come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Result {
    /// Always 0.
    Concrete,
    /// Memory or a call.
    Fresh,
    /// From the labels of the operands.
    Computed,
    /// The labels of operand 0.
    Same,
}

/// Where the labels of an instruction's result come from. Phis, selects and aggregates are the caller's.
pub(super) fn result_of(instruction: Value) -> Result {
    use Opcode::*;
    match instruction.opcode() {
        LLVMLoad if !is_supported(instruction.ty()) => Result::Concrete,
        LLVMLoad if constant_memory(instruction.operand(0)) => Result::Computed,
        LLVMLoad => Result::Fresh,
        LLVMFreeze => Result::Same,
        LLVMCall | LLVMInvoke | LLVMCallBr => match intrinsics::handling(instruction) {
            None if super::calls::passes_labels(instruction) => Result::Fresh,
            Some(Handling::Same) => Result::Same,
            Some(Handling::Computed) => Result::Computed,
            _ => Result::Concrete,
        },
        _ if is_computed(instruction) => Result::Computed,
        _ => Result::Concrete,
    }
}

/// Arithmetic on scalars that the interface has an expression for.
pub(super) fn is_computed(instruction: Value) -> bool {
    use Opcode::*;
    let scalars = || {
        is_scalar(instruction.ty())
            && instruction
                .operands()
                .into_iter()
                .all(|operand| is_scalar(operand.ty()))
    };
    match instruction.opcode() {
        LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMAnd
        | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr | LLVMFAdd | LLVMFSub | LLVMFMul
        | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMICmp | LLVMFCmp | LLVMTrunc | LLVMZExt
        | LLVMSExt | LLVMFPTrunc | LLVMFPExt | LLVMFPToSI | LLVMFPToUI | LLVMSIToFP
        | LLVMUIToFP | LLVMPtrToInt | LLVMIntToPtr => scalars(),
        LLVMBitCast => has_label(instruction.ty()) && has_label(instruction.operand(0).ty()),
        LLVMExtractElement => {
            is_packed(instruction.operand(0).ty()) && instruction.operand(1).as_int().is_some()
        }
        LLVMInsertElement => {
            is_packed(instruction.ty()) && instruction.operand(2).as_int().is_some()
        }
        LLVMGetElementPtr => {
            scalars()
                && instruction
                    .operands()
                    .into_iter()
                    .skip(1)
                    .all(|index| is_index(index.ty()))
        }
        LLVMSelect => {
            instruction.operand(0).ty().int_bits().is_some() && is_supported(instruction.ty())
        }
        _ => false,
    }
}

/// The variable or constant that an address points into, if it is plain.
pub(super) fn underlying(address: Value) -> Value {
    let mut current = address;
    loop {
        let step = current.is_opcode(Opcode::LLVMGetElementPtr)
            || (current.is_constant_expression()
                && current.constant_opcode() == Opcode::LLVMGetElementPtr);
        if !step {
            return current;
        }
        current = current.operand(0);
    }
}

/// Whether memory at an address never changes, so that it has no shadow. Of a weak constant another definition may be linked,
/// which is none.
pub(super) fn constant_memory(address: Value) -> bool {
    let object = underlying(address);
    object.is_global_constant()
        && !object.is_declaration()
        && object.linkage() != llvm_sys::LLVMLinkage::LLVMWeakAnyLinkage
}

/// Constant-size stack variables of the entry block.
pub(super) fn is_static_alloca(instruction: Value) -> bool {
    instruction.is_opcode(Opcode::LLVMAlloca) && instruction.operand(0).is_constant()
}

/// Instructions after which a table read of an earlier load would see other memory.
pub(super) fn writes_memory(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg
    )
}

/// Division or remainder that may trap.
pub(super) fn may_trap(instruction: Value) -> bool {
    use Opcode::*;
    let divisor = match instruction.opcode() {
        LLVMUDiv | LLVMURem | LLVMSDiv | LLVMSRem => instruction.operand(1),
        _ => return false,
    };
    let signed = matches!(instruction.opcode(), LLVMSDiv | LLVMSRem);
    if !is_scalar(divisor.ty()) || crate::types::bits(divisor.ty()) > 64 {
        return false;
    }
    !matches!(divisor.as_signed(), Some(constant) if constant != 0 && !(signed && constant == -1))
}
