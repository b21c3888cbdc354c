//! What only the model reader asks of LLVM: constants, aliases, debug locations.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Module, Type, Value, ffi};
use llvm_sys::core::*;
use llvm_sys::target::*;

impl Value {
    /// Member `index` of a constant aggregate or vector.
    pub(crate) fn member(self, index: u32) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetAggregateElement(self.0, index)))
    }

    /// Bytes of a constant data array of `i8`.
    pub(crate) fn data(self) -> Option<Vec<u8>> {
        let array = self.ty();
        let is_data = !ffi!(LLVMIsAConstantDataArray(self.0)).is_null();
        if !is_data || array.element().int_bits() != Some(8) {
            return None;
        }
        let mut len = 0;
        let start = ffi!(LLVMGetAsString(self.0, &mut len));
        Some(ffi!(std::slice::from_raw_parts(start.cast::<u8>(), len)).to_vec())
    }

    pub(crate) fn is_constant_float(self) -> bool {
        !ffi!(LLVMIsAConstantFP(self.0)).is_null()
    }

    /// The bits of a constant as those of another type; folded when it is a number.
    pub(crate) fn constant_bits(self, ty: Type) -> Value {
        Value(ffi!(LLVMConstBitCast(self.0, ty.0)))
    }

    pub(crate) fn is_poison(self) -> bool {
        ffi!(LLVMIsPoison(self.0)) != 0
    }

    pub(crate) fn is_alias(self) -> bool {
        !ffi!(LLVMIsAGlobalAlias(self.0)).is_null()
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Value {
        Value(ffi!(LLVMAliasGetAliasee(self.0)))
    }

    /// Weak, link-once or common: another definition may stand in its place.
    pub(crate) fn is_replaceable(self) -> bool {
        use llvm_sys::LLVMLinkage::*;
        matches!(
            self.linkage(),
            LLVMWeakAnyLinkage
                | LLVMWeakODRLinkage
                | LLVMLinkOnceAnyLinkage
                | LLVMLinkOnceODRLinkage
                | LLVMCommonLinkage
                | LLVMExternalWeakLinkage
                | LLVMAvailableExternallyLinkage
        )
    }

    /// A declaration that may stay undefined: its address is null then.
    pub(crate) fn is_weak_reference(self) -> bool {
        self.linkage() == llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage
    }

    /// Template of inline assembly.
    pub(crate) fn assembly(self) -> String {
        let mut len = 0;
        let start = ffi!(LLVMGetInlineAsmAsmString(self.0, &mut len));
        Value::own_text(start, len)
    }

    /// Constraints of inline assembly, with commas between them.
    pub(crate) fn constraints(self) -> String {
        let mut len = 0;
        let start = ffi!(LLVMGetInlineAsmConstraintString(self.0, &mut len));
        Value::own_text(start, len)
    }

    fn own_text(start: *const std::ffi::c_char, len: usize) -> String {
        if len == 0 {
            return String::new();
        }
        String::from_utf8_lossy(ffi!(std::slice::from_raw_parts(start.cast::<u8>(), len)))
            .into_owned()
    }

    /// Directory and file name of the debug location of an instruction, global or function.
    pub(crate) fn debug_file(self) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut len = 0;
        let name = ffi!(LLVMGetDebugLocFilename(self.0, &mut len));
        if name.is_null() || len == 0 {
            return None;
        }
        let name = ffi!(std::slice::from_raw_parts(name.cast::<u8>(), len as usize)).to_vec();
        let directory = ffi!(LLVMGetDebugLocDirectory(self.0, &mut len));
        if directory.is_null() || len == 0 {
            return Some((Vec::new(), name));
        }
        Some((
            ffi!(std::slice::from_raw_parts(
                directory.cast::<u8>(),
                len as usize
            ))
            .to_vec(),
            name,
        ))
    }

    /// Line and column of it.
    pub(crate) fn debug_line(self) -> Option<(u32, u32)> {
        let line = ffi!(LLVMGetDebugLocLine(self.0));
        let col = if self.is_instruction() {
            ffi!(LLVMGetDebugLocColumn(self.0))
        } else {
            0
        };
        (line != 0).then_some((line, col))
    }
}

impl Type {
    /// LLVM's text of the type.
    pub(crate) fn text(self) -> String {
        super::module::take_message(ffi!(LLVMPrintTypeToString(self.0)))
    }
}

impl Module {
    /// All aliases, in the module's order.
    pub(crate) fn aliases(&self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstGlobalAlias(self.raw()));
        while !next.is_null() {
            list.push(Value(next));
            next = ffi!(LLVMGetNextGlobalAlias(next));
        }
        list
    }

    /// Bits of a pointer, and whether numbers in memory start with the low byte.
    pub(crate) fn layout(&self) -> (u32, bool) {
        let layout = ffi!(LLVMGetModuleDataLayout(self.raw()));
        let little = matches!(
            ffi!(LLVMByteOrder(layout)),
            LLVMByteOrdering::LLVMLittleEndian
        );
        (8 * ffi!(LLVMPointerSize(layout)), little)
    }
}
