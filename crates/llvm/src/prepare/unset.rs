//! Marks on local variables that begin without a value: a `freeze` of 0, which clang never writes, stored into each scalar of the
//! variable where the function begins. Promotion would otherwise take the value of another way for that of the one that sets none.
//!
//! What must hold: the value is the 0 that undefined values are in a prepared module; no branch is added.

use crate::ir::{Builder, Kind, Module, Opcode, Type, Value};

/// Scalars of a variable that is marked: larger ones stay in memory, where the machine knows what was written.
const MOST: usize = 16;

/// Marks the variables of a function, before they are promoted.
pub(super) fn mark(module: &Module, function: Value) {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else { return };
    let instructions = entry.instructions();
    let is_variable = |value: &Value| value.is_opcode(Opcode::LLVMAlloca);
    let Some(behind) = instructions.iter().position(|value| !is_variable(value)) else {
        return;
    };
    let builder = Builder::new(module);
    builder.before(instructions[behind]);
    for variable in &instructions[..behind] {
        if variable.operand(0).as_int() != Some(1) {
            continue;
        }
        let mut scalars = Vec::new();
        if !collect(module, variable.allocated_type(), 0, &mut scalars) {
            continue;
        }
        for (offset, ty) in scalars {
            let place = match offset {
                0 => *variable,
                offset => builder.offset(module, *variable, module.int(64).constant(offset)),
            };
            builder.store(builder.freeze(ty.zero()), place, 1);
        }
    }
}

/// Marks the results of signed arithmetic: each use is one of a `freeze` of the result, which clang never writes. They are told by
/// a flag that `define` takes away.
pub(super) fn mark_signed(module: &Module, function: Value) {
    let builder = Builder::new(module);
    for block in function.blocks() {
        let instructions = block.instructions();
        for pair in instructions.windows(2) {
            let [arithmetic, next] = [pair[0], pair[1]];
            if arithmetic.is_signed() {
                builder.before(next);
                builder.set_location(arithmetic.debug_location());
                let mark = builder.freeze(arithmetic);
                arithmetic.replace_uses(mark);
                mark.set_operand(0, arithmetic);
            }
        }
    }
}

/// Takes away marks that nothing reads after promotion.
pub(super) fn sweep(function: Value) {
    let instructions: Vec<Value> = function.instructions().collect();
    for mark in instructions {
        if mark.is_opcode(Opcode::LLVMFreeze)
            && mark.operand(0).is_null()
            && mark.users().is_empty()
        {
            mark.erase();
        }
    }
}

/// The scalars of a type with their offsets; false if there are too many, or some that are no words.
fn collect(module: &Module, ty: Type, at: u64, list: &mut Vec<(u64, Type)>) -> bool {
    match ty.kind() {
        Kind::LLVMIntegerTypeKind if ty.int_bits().is_some_and(|bits| bits <= 64) => {
            list.push((at, ty));
        }
        Kind::LLVMPointerTypeKind | Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind => {
            list.push((at, ty));
        }
        Kind::LLVMStructTypeKind | Kind::LLVMArrayTypeKind if ty.len() <= MOST as u64 => {
            return (0..ty.len()).all(|index| {
                let offset = at + module.member_offset(ty, index);
                collect(module, ty.member(index), offset, list)
            });
        }
        _ => return false,
    }
    list.len() <= MOST
}
