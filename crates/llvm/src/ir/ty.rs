//! Types.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Module, ffi};
pub(crate) use llvm_sys::LLVMTypeKind as Kind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Type(pub(super) LLVMTypeRef);

impl Type {
    pub(crate) fn kind(self) -> Kind {
        ffi!(LLVMGetTypeKind(self.0))
    }

    /// Width of an integer type.
    pub(crate) fn int_bits(self) -> Option<u32> {
        (self.kind() == Kind::LLVMIntegerTypeKind).then(|| ffi!(LLVMGetIntTypeWidth(self.0)))
    }

    pub(crate) fn is_void(self) -> bool {
        self.kind() == Kind::LLVMVoidTypeKind
    }

    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == Kind::LLVMPointerTypeKind
    }

    pub(crate) fn is_struct(self) -> bool {
        self.kind() == Kind::LLVMStructTypeKind
    }

    pub(crate) fn is_array(self) -> bool {
        self.kind() == Kind::LLVMArrayTypeKind
    }

    /// Number of fields of a struct or elements of an array or fixed vector.
    pub(crate) fn len(self) -> u64 {
        match self.kind() {
            Kind::LLVMStructTypeKind => u64::from(ffi!(LLVMCountStructElementTypes(self.0))),
            Kind::LLVMArrayTypeKind => ffi!(LLVMGetArrayLength2(self.0)),
            Kind::LLVMVectorTypeKind => u64::from(ffi!(LLVMGetVectorSize(self.0))),
            _ => 0,
        }
    }

    /// Field `index` of a struct.
    pub(crate) fn field(self, index: u32) -> Type {
        Type(ffi!(LLVMStructGetTypeAtIndex(self.0, index)))
    }

    /// Element type of an array or vector.
    pub(crate) fn element(self) -> Type {
        Type(ffi!(LLVMGetElementType(self.0)))
    }

    /// Field or element `index` of an aggregate.
    pub(crate) fn member(self, index: u64) -> Type {
        if self.is_struct() {
            self.field(index as u32)
        } else {
            self.element()
        }
    }

    /// Address space of a pointer type.
    pub(crate) fn address_space(self) -> u32 {
        ffi!(LLVMGetPointerAddressSpace(self.0))
    }

    pub(crate) fn result(self) -> Type {
        Type(ffi!(LLVMGetReturnType(self.0)))
    }

    pub(crate) fn params(self) -> Vec<Type> {
        let count = ffi!(LLVMCountParamTypes(self.0)) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetParamTypes(self.0, raw.as_mut_ptr()));
        raw.into_iter().map(Type).collect()
    }

    pub(crate) fn is_variadic(self) -> bool {
        ffi!(LLVMIsFunctionVarArg(self.0)) != 0
    }

    pub(crate) fn is_sized(self) -> bool {
        ffi!(LLVMTypeIsSized(self.0)) != 0
    }

    pub(crate) fn zero(self) -> super::Value {
        super::Value(ffi!(LLVMConstNull(self.0)))
    }

    pub(crate) fn poison(self) -> super::Value {
        super::Value(ffi!(LLVMGetPoison(self.0)))
    }

    /// Integer constant of this type with every bit set.
    pub(crate) fn ones(self) -> super::Value {
        super::Value(ffi!(LLVMConstAllOnes(self.0)))
    }

    /// Integer constant of this type.
    pub(crate) fn constant(self, value: u64) -> super::Value {
        super::Value(ffi!(LLVMConstInt(self.0, value, 0)))
    }

    /// An integer constant of up to 128 bits.
    pub(crate) fn wide_constant(self, value: u128) -> super::Value {
        let words = [value as u64, (value >> 64) as u64];
        super::Value(ffi!(LLVMConstIntOfArbitraryPrecision(
            self.0,
            2,
            words.as_ptr()
        )))
    }
}

impl Module {
    pub(crate) fn int(&self, bits: u32) -> Type {
        Type(ffi!(LLVMIntTypeInContext(self.context(), bits)))
    }

    pub(crate) fn ptr(&self) -> Type {
        Type(ffi!(LLVMPointerTypeInContext(self.context(), 0)))
    }

    pub(crate) fn void(&self) -> Type {
        Type(ffi!(LLVMVoidTypeInContext(self.context())))
    }

    pub(crate) fn array_type(&self, element: Type, len: u64) -> Type {
        Type(ffi!(LLVMArrayType2(element.0, len)))
    }

    pub(crate) fn struct_type(&self, fields: &[Type]) -> Type {
        let mut raw: Vec<_> = fields.iter().map(|field| field.0).collect();
        Type(ffi!(LLVMStructTypeInContext(
            self.context(),
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    pub(crate) fn function_type(&self, result: Type, params: &[Type]) -> Type {
        let mut raw: Vec<_> = params.iter().map(|param| param.0).collect();
        Type(ffi!(LLVMFunctionType(
            result.0,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    /// Bytes that a store of this type writes.
    pub(crate) fn store_size(&self, ty: Type) -> u64 {
        ffi!(LLVMStoreSizeOfType(
            LLVMGetModuleDataLayout(self.raw()),
            ty.0
        ))
    }

    /// Bytes from one element to the next in an array of this type.
    pub(crate) fn alloc_size(&self, ty: Type) -> u64 {
        ffi!(LLVMABISizeOfType(LLVMGetModuleDataLayout(self.raw()), ty.0))
    }

    /// Byte offset of field `index` of a struct.
    pub(crate) fn field_offset(&self, ty: Type, index: u32) -> u64 {
        ffi!(LLVMOffsetOfElement(
            LLVMGetModuleDataLayout(self.raw()),
            ty.0,
            index
        ))
    }

    /// Byte offset of member `index` of an aggregate.
    pub(crate) fn member_offset(&self, ty: Type, index: u64) -> u64 {
        if ty.is_struct() {
            self.field_offset(ty, index as u32)
        } else {
            index * self.alloc_size(ty.element())
        }
    }
}
