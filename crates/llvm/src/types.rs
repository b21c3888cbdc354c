//! Which types have labels, and how many: one for each *scalar leaf*.

use crate::ir::{Kind, Type};

/// Integers of up to 128 bits, pointers, `float`, `double`, `long double`.
pub(crate) fn is_scalar(ty: Type) -> bool {
    match ty.kind() {
        Kind::LLVMIntegerTypeKind => ty.int_bits().is_some_and(|bits| bits <= 128),
        Kind::LLVMPointerTypeKind => ty.address_space() == 0,
        Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind | Kind::LLVMX86_FP80TypeKind => true,
        _ => false,
    }
}

/// Vectors that one label stands for as a whole: what small structs of floats are passed and returned in. They are moved,
/// taken apart and put together; there is no arithmetic on them.
pub(crate) fn is_packed(ty: Type) -> bool {
    let whole_bytes = |element: Type| {
        let bits = bits(element);
        is_scalar(element) && !element.is_pointer() && bits.is_power_of_two() && bits >= 8
    };
    ty.kind() == Kind::LLVMVectorTypeKind && whole_bytes(ty.element()) && bits(ty) <= 128
}

/// Whether a leaf of this type has a label.
pub(crate) fn has_label(ty: Type) -> bool {
    is_scalar(ty) || is_packed(ty)
}

/// Whether every leaf of the type has a label (or the type has no value at all).
pub(crate) fn is_supported(ty: Type) -> bool {
    every_leaf(ty, has_label)
}

/// Whether every leaf of the type is a scalar (or the type has no value at all).
pub(crate) fn is_plain(ty: Type) -> bool {
    every_leaf(ty, is_scalar)
}

fn every_leaf(ty: Type, holds: fn(Type) -> bool) -> bool {
    match ty.kind() {
        Kind::LLVMStructTypeKind => (0..ty.len()).all(|index| every_leaf(ty.member(index), holds)),
        Kind::LLVMArrayTypeKind => every_leaf(ty.element(), holds),
        Kind::LLVMVoidTypeKind
        | Kind::LLVMLabelTypeKind
        | Kind::LLVMMetadataTypeKind
        | Kind::LLVMTokenTypeKind
        | Kind::LLVMFunctionTypeKind => true,
        _ => holds(ty),
    }
}

/// The scalar leaves of a type in order, leaves without a label included.
pub(crate) fn leaves(ty: Type) -> Vec<Type> {
    let mut list = Vec::new();
    collect(ty, &mut list);
    list
}

fn collect(ty: Type, list: &mut Vec<Type>) {
    match ty.kind() {
        Kind::LLVMStructTypeKind | Kind::LLVMArrayTypeKind => {
            for index in 0..ty.len() {
                collect(ty.member(index), list);
            }
        }
        Kind::LLVMVoidTypeKind => {}
        _ => list.push(ty),
    }
}

/// Number of leaves before the member that `indices` names, and that member's type.
pub(crate) fn leaf_offset(ty: Type, indices: &[u32]) -> (usize, Type) {
    let mut offset = 0;
    let mut current = ty;
    for &index in indices {
        let before: usize = if current.is_array() {
            leaves(current.element()).len() * index as usize
        } else {
            (0..index)
                .map(|field| leaves(current.field(field)).len())
                .sum()
        };
        offset += before;
        current = current.member(u64::from(index));
    }
    (offset, current)
}

/// Whether an address that is computed with an index of this type keeps its label.
pub(crate) fn is_index(ty: Type) -> bool {
    bits(ty) <= 64
}

/// Bits of a scalar or vector.
pub(crate) fn bits(ty: Type) -> u32 {
    match ty.kind() {
        Kind::LLVMIntegerTypeKind => ty.int_bits().unwrap_or(0),
        Kind::LLVMFloatTypeKind => 32,
        Kind::LLVMX86_FP80TypeKind => 80,
        Kind::LLVMVectorTypeKind => bits(ty.element()).saturating_mul(ty.len() as u32),
        _ => 64,
    }
}
