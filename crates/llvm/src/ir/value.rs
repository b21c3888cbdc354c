//! Values: constants, globals, functions, parameters, instructions.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Block, Module, Opcode, Type, c_string, ffi};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIBuilderCreateDebugLocation, LLVMDISubprogramGetLine, LLVMGetSubprogram,
    LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc,
};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMTailCallKind, LLVMThreadLocalMode, LLVMVisibility};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Value(pub(super) LLVMValueRef);

/// Where an attribute sits: function, result, or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Function,
    Result,
    Param(u32),
}

impl Attribute {
    fn index(self) -> u32 {
        match self {
            Attribute::Function => u32::MAX,
            Attribute::Result => 0,
            Attribute::Param(index) => index + 1,
        }
    }
}

fn attribute_kind(name: &str) -> u32 {
    ffi!(LLVMGetEnumAttributeKindForName(
        name.as_ptr().cast(),
        name.len()
    ))
}

/// An attribute without a value.
fn attribute(module: &Module, name: &str) -> LLVMAttributeRef {
    ffi!(LLVMCreateEnumAttribute(
        module.context(),
        attribute_kind(name),
        0
    ))
}

impl Value {
    pub(super) fn maybe(raw: LLVMValueRef) -> Option<Value> {
        (!raw.is_null()).then_some(Value(raw))
    }

    pub(crate) fn ty(self) -> Type {
        Type(ffi!(LLVMTypeOf(self.0)))
    }

    pub(crate) fn name(self) -> String {
        let mut len = 0;
        let start = ffi!(LLVMGetValueName2(self.0, &mut len));
        if len == 0 {
            return String::new();
        }
        let bytes = ffi!(std::slice::from_raw_parts(start.cast::<u8>(), len));
        String::from_utf8_lossy(bytes).into_owned()
    }

    pub(crate) fn set_name(self, name: &str) {
        ffi!(LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()));
    }

    /// Constants include globals and functions.
    pub(crate) fn is_constant(self) -> bool {
        ffi!(LLVMIsConstant(self.0)) != 0
    }

    pub(crate) fn is_undef(self) -> bool {
        ffi!(LLVMIsUndef(self.0)) != 0
    }

    pub(crate) fn is_null(self) -> bool {
        ffi!(LLVMIsNull(self.0)) != 0
    }

    pub(crate) fn is_instruction(self) -> bool {
        !ffi!(LLVMIsAInstruction(self.0)).is_null()
    }

    pub(crate) fn is_function(self) -> bool {
        !ffi!(LLVMIsAFunction(self.0)).is_null()
    }

    pub(crate) fn is_global_variable(self) -> bool {
        !ffi!(LLVMIsAGlobalVariable(self.0)).is_null()
    }

    pub(crate) fn is_constant_expression(self) -> bool {
        !ffi!(LLVMIsAConstantExpr(self.0)).is_null()
    }

    /// Operation of a constant expression.
    pub(crate) fn constant_opcode(self) -> Opcode {
        ffi!(LLVMGetConstOpcode(self.0))
    }

    pub(crate) fn is_inline_assembly(self) -> bool {
        !ffi!(LLVMIsAInlineAsm(self.0)).is_null()
    }

    /// Value of an integer constant of at most 64 bits.
    pub(crate) fn as_int(self) -> Option<u64> {
        if ffi!(LLVMIsAConstantInt(self.0)).is_null() || self.ty().int_bits()? > 64 {
            return None;
        }
        Some(ffi!(LLVMConstIntGetZExtValue(self.0)))
    }

    /// Value of an integer constant of at most 64 bits, sign-extended.
    pub(crate) fn as_signed(self) -> Option<i64> {
        if ffi!(LLVMIsAConstantInt(self.0)).is_null() || self.ty().int_bits()? > 64 {
            return None;
        }
        Some(ffi!(LLVMConstIntGetSExtValue(self.0)))
    }

    pub(crate) fn is_constant_int(self) -> bool {
        !ffi!(LLVMIsAConstantInt(self.0)).is_null()
    }

    /// LLVM's text of the value.
    pub(crate) fn text(self) -> String {
        super::module::take_message(ffi!(LLVMPrintValueToString(self.0)))
    }

    // Uses.

    pub(crate) fn operand_count(self) -> u32 {
        u32::try_from(ffi!(LLVMGetNumOperands(self.0))).unwrap_or(0)
    }

    pub(crate) fn operand(self, index: u32) -> Value {
        Value(ffi!(LLVMGetOperand(self.0, index)))
    }

    pub(crate) fn operands(self) -> Vec<Value> {
        (0..self.operand_count())
            .map(|index| self.operand(index))
            .collect()
    }

    pub(crate) fn set_operand(self, index: u32, value: Value) {
        ffi!(LLVMSetOperand(self.0, index, value.0));
    }

    pub(crate) fn users(self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstUse(self.0));
        while !next.is_null() {
            list.push(Value(ffi!(LLVMGetUser(next))));
            next = ffi!(LLVMGetNextUse(next));
        }
        list
    }

    pub(crate) fn replace_uses(self, by: Value) {
        ffi!(LLVMReplaceAllUsesWith(self.0, by.0));
    }

    // Instructions.

    pub(crate) fn opcode(self) -> Opcode {
        ffi!(LLVMGetInstructionOpcode(self.0))
    }

    pub(crate) fn is_opcode(self, opcode: Opcode) -> bool {
        self.is_instruction() && self.opcode() == opcode
    }

    pub(crate) fn block(self) -> Block {
        Block(ffi!(LLVMGetInstructionParent(self.0)))
    }

    pub(crate) fn erase(self) {
        ffi!(LLVMInstructionEraseFromParent(self.0));
    }

    /// Takes the instruction out of its block.
    pub(crate) fn detach(self) {
        ffi!(LLVMInstructionRemoveFromParent(self.0));
    }

    /// A detached copy with the same operands and no debug location.
    pub(crate) fn copy(self) -> Value {
        let copy = ffi!(LLVMInstructionClone(self.0));
        ffi!(LLVMInstructionSetDebugLoc(copy, std::ptr::null_mut()));
        Value(copy)
    }

    pub(crate) fn is_terminator(self) -> bool {
        !ffi!(LLVMIsATerminatorInst(self.0)).is_null()
    }

    pub(crate) fn successors(self) -> Vec<Block> {
        if !self.is_terminator() {
            return Vec::new();
        }
        let count = ffi!(LLVMGetNumSuccessors(self.0));
        (0..count)
            .map(|index| Block(ffi!(LLVMGetSuccessor(self.0, index))))
            .collect()
    }

    pub(crate) fn set_successor(self, index: u32, block: Block) {
        ffi!(LLVMSetSuccessor(self.0, index, block.0));
    }

    pub(crate) fn is_conditional(self) -> bool {
        self.is_opcode(Opcode::LLVMBr) && ffi!(LLVMIsConditional(self.0)) != 0
    }

    /// Condition of a conditional `br`, value of a `switch`.
    pub(crate) fn condition(self) -> Value {
        if self.is_opcode(Opcode::LLVMSwitch) {
            // `LLVMGetCondition` reads a `switch` as if it were a `br`.
            return self.operand(0);
        }
        Value(ffi!(LLVMGetCondition(self.0)))
    }

    /// Value and block of each incoming edge of a phi.
    pub(crate) fn incoming(self) -> Vec<(Value, Block)> {
        let count = ffi!(LLVMCountIncoming(self.0));
        (0..count)
            .map(|i| {
                (
                    Value(ffi!(LLVMGetIncomingValue(self.0, i))),
                    Block(ffi!(LLVMGetIncomingBlock(self.0, i))),
                )
            })
            .collect()
    }

    pub(crate) fn add_incoming(self, value: Value, block: Block) {
        let (mut value, mut block) = (value.0, block.0);
        ffi!(LLVMAddIncoming(self.0, &mut value, &mut block, 1));
    }

    /// LLVM's number of an `icmp` predicate (32 = `eq` …).
    pub(crate) fn int_predicate(self) -> u32 {
        ffi!(LLVMGetICmpPredicate(self.0)) as u32
    }

    /// LLVM's number of an `fcmp` predicate (0 to 15).
    pub(crate) fn float_predicate(self) -> u32 {
        ffi!(LLVMGetFCmpPredicate(self.0)) as u32
    }

    /// Constant indices of `extractvalue` and `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        let count = ffi!(LLVMGetNumIndices(self.0)) as usize;
        let start = ffi!(LLVMGetIndices(self.0));
        if count == 0 {
            Vec::new()
        } else {
            ffi!(std::slice::from_raw_parts(start, count)).to_vec()
        }
    }

    pub(crate) fn gep_source(self) -> Type {
        Type(ffi!(LLVMGetGEPSourceElementType(self.0)))
    }

    pub(crate) fn allocated_type(self) -> Type {
        Type(ffi!(LLVMGetAllocatedType(self.0)))
    }

    pub(crate) fn is_volatile(self) -> bool {
        ffi!(LLVMGetVolatile(self.0)) != 0
    }

    /// Of a load or store.
    pub(crate) fn is_atomic(self) -> bool {
        ffi!(LLVMGetOrdering(self.0)) != llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    pub(crate) fn set_volatile(self) {
        ffi!(LLVMSetVolatile(self.0, 1));
    }

    /// Drops `nuw`, `nsw`, `exact`, `inbounds`, `disjoint`, `nneg` and fast-math flags.
    /// Arithmetic whose overflow, as of signed numbers, is an error.
    pub(crate) fn is_signed(self) -> bool {
        use Opcode::*;
        matches!(self.opcode(), LLVMAdd | LLVMSub | LLVMMul)
            && self.is_instruction()
            && self.ty().int_bits().is_some()
            && ffi!(LLVMGetNSW(self.0)) != 0
    }

    pub(crate) fn drop_poison_flags(self) {
        use Opcode::*;
        match self.opcode() {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl => {
                ffi!(LLVMSetNUW(self.0, 0));
                ffi!(LLVMSetNSW(self.0, 0));
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => ffi!(LLVMSetExact(self.0, 0)),
            LLVMOr => ffi!(LLVMSetIsDisjoint(self.0, 0)),
            LLVMZExt | LLVMUIToFP => ffi!(LLVMSetNNeg(self.0, 0)),
            LLVMGetElementPtr => ffi!(LLVMSetIsInBounds(self.0, 0)),
            _ => {}
        }
        if ffi!(LLVMCanValueUseFastMathFlags(self.0)) != 0 {
            ffi!(LLVMSetFastMathFlags(self.0, 0));
        }
    }

    /// The debug location itself, to be put on other instructions.
    pub(crate) fn debug_location(self) -> LLVMMetadataRef {
        ffi!(LLVMInstructionGetDebugLoc(self.0))
    }

    /// Debug location of a function's first line; null without debug information.
    pub(crate) fn opening_location(self) -> LLVMMetadataRef {
        let described = ffi!(LLVMGetSubprogram(self.0));
        if described.is_null() {
            return described;
        }
        let context = ffi!(LLVMGetTypeContext(LLVMTypeOf(self.0)));
        let line = ffi!(LLVMDISubprogramGetLine(described));
        ffi!(LLVMDIBuilderCreateDebugLocation(
            context,
            line,
            0,
            described,
            std::ptr::null_mut()
        ))
    }

    pub(crate) fn drop_metadata(self, module: &Module, name: &str) {
        let kind = ffi!(LLVMGetMDKindIDInContext(
            module.context(),
            name.as_ptr().cast(),
            name.len() as u32
        ));
        ffi!(LLVMSetMetadata(self.0, kind, std::ptr::null_mut()));
    }

    /// Sets metadata `name` to a node of these constants (a string first, if given).
    pub(crate) fn set_metadata(
        self,
        module: &Module,
        name: &str,
        text: Option<&str>,
        values: &[Value],
    ) {
        let kind = ffi!(LLVMGetMDKindIDInContext(
            module.context(),
            name.as_ptr().cast(),
            name.len() as u32
        ));
        let mut nodes = Vec::new();
        if let Some(text) = text {
            nodes.push(ffi!(LLVMMDStringInContext2(
                module.context(),
                text.as_ptr().cast(),
                text.len()
            )));
        }
        nodes.extend(
            values
                .iter()
                .map(|value| ffi!(LLVMValueAsMetadata(value.0))),
        );
        let node = ffi!(LLVMMDNodeInContext2(
            module.context(),
            nodes.as_mut_ptr(),
            nodes.len()
        ));
        ffi!(LLVMSetMetadata(
            self.0,
            kind,
            LLVMMetadataAsValue(module.context(), node)
        ));
    }

    // Calls.

    pub(crate) fn is_call(self) -> bool {
        self.is_instruction()
            && matches!(
                self.opcode(),
                Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr
            )
    }

    pub(crate) fn callee(self) -> Value {
        Value(ffi!(LLVMGetCalledValue(self.0)))
    }

    /// The function that a call calls, when it is known.
    pub(crate) fn called_function(self) -> Option<Value> {
        Some(self.callee()).filter(|callee| callee.is_function())
    }

    /// Name of the intrinsic that a call calls, `llvm.` included.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        if !self.is_call() {
            return None;
        }
        self.called_function()
            .filter(|callee| callee.is_intrinsic())
            .map(Value::name)
    }

    pub(crate) fn call_type(self) -> Type {
        Type(ffi!(LLVMGetCalledFunctionType(self.0)))
    }

    pub(crate) fn args(self) -> Vec<Value> {
        let count = ffi!(LLVMGetNumArgOperands(self.0));
        (0..count).map(|index| self.operand(index)).collect()
    }

    pub(crate) fn is_must_tail(self) -> bool {
        self.is_opcode(Opcode::LLVMCall)
            && ffi!(LLVMGetTailCallKind(self.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// Drops a `tail` mark; `musttail` and `notail` stay.
    pub(crate) fn drop_tail(self) {
        if self.is_opcode(Opcode::LLVMCall)
            && ffi!(LLVMGetTailCallKind(self.0)) == LLVMTailCallKind::LLVMTailCallKindTail
        {
            ffi!(LLVMSetTailCallKind(
                self.0,
                LLVMTailCallKind::LLVMTailCallKindNone
            ));
        }
    }

    pub(crate) fn call_has(self, place: Attribute, name: &str) -> bool {
        !ffi!(LLVMGetCallSiteEnumAttribute(
            self.0,
            place.index(),
            attribute_kind(name)
        ))
        .is_null()
    }

    pub(crate) fn call_add(self, module: &Module, place: Attribute, name: &str) {
        let attribute = attribute(module, name);
        ffi!(LLVMAddCallSiteAttribute(self.0, place.index(), attribute));
    }

    pub(crate) fn call_remove(self, place: Attribute, name: &str) {
        ffi!(LLVMRemoveCallSiteEnumAttribute(
            self.0,
            place.index(),
            attribute_kind(name)
        ));
    }

    /// Type of a type attribute (`byval`, `sret`) of a call's argument.
    pub(crate) fn call_type_attribute(self, place: Attribute, name: &str) -> Option<Type> {
        let raw = ffi!(LLVMGetCallSiteEnumAttribute(
            self.0,
            place.index(),
            attribute_kind(name)
        ));
        (!raw.is_null()).then(|| Type(ffi!(LLVMGetTypeAttributeValue(raw))))
    }

    /// The number of an attribute of a call, as `align`; 0 without it.
    pub(crate) fn call_number_attribute(self, place: Attribute, name: &str) -> u64 {
        let raw = ffi!(LLVMGetCallSiteEnumAttribute(
            self.0,
            place.index(),
            attribute_kind(name)
        ));
        match raw.is_null() {
            true => 0,
            false => ffi!(LLVMGetEnumAttributeValue(raw)),
        }
    }

    // Functions and globals.

    pub(crate) fn is_intrinsic(self) -> bool {
        self.is_function() && ffi!(LLVMGetIntrinsicID(self.0)) != 0
    }

    pub(crate) fn is_declaration(self) -> bool {
        ffi!(LLVMIsDeclaration(self.0)) != 0
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        ffi!(LLVMGetLinkage(self.0))
    }

    pub(crate) fn set_linkage(self, linkage: LLVMLinkage) {
        ffi!(LLVMSetLinkage(self.0, linkage));
    }

    pub(crate) fn is_available_externally(self) -> bool {
        self.linkage() == LLVMLinkage::LLVMAvailableExternallyLinkage
    }

    /// Internal or private linkage.
    pub(crate) fn is_local(self) -> bool {
        matches!(
            self.linkage(),
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }

    pub(crate) fn set_private(self) {
        ffi!(LLVMSetLinkage(self.0, LLVMLinkage::LLVMPrivateLinkage));
    }

    /// Marks a declaration as defined in the same executable or library, so that no table is needed to reach it.
    pub(crate) fn set_dso_local(self) {
        ffi!(LLVMSetVisibility(
            self.0,
            LLVMVisibility::LLVMProtectedVisibility
        ));
    }

    /// Whether a section was asked for by name.
    pub(crate) fn has_section(self) -> bool {
        self.section().is_some_and(|name| !name.is_empty())
    }

    /// The section that was asked for.
    pub(crate) fn section(self) -> Option<String> {
        let name = ffi!(LLVMGetSection(self.0));
        if name.is_null() {
            return None;
        }
        // SAFETY: a C string of the module.
        let name = unsafe { std::ffi::CStr::from_ptr(name) };
        Some(name.to_string_lossy().into_owned())
    }

    pub(crate) fn set_section(self, name: &str) {
        let name = c_string(name);
        ffi!(LLVMSetSection(self.0, name.as_ptr()));
    }

    pub(crate) fn set_alignment(self, bytes: u32) {
        ffi!(LLVMSetAlignment(self.0, bytes));
    }

    pub(crate) fn alignment(self) -> u32 {
        ffi!(LLVMGetAlignment(self.0))
    }

    pub(crate) fn global_type(self) -> Type {
        Type(ffi!(LLVMGlobalGetValueType(self.0)))
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetInitializer(self.0)))
    }

    pub(crate) fn set_initializer(self, value: Value) {
        ffi!(LLVMSetInitializer(self.0, value.0));
    }

    pub(crate) fn set_constant(self) {
        ffi!(LLVMSetGlobalConstant(self.0, 1));
    }

    pub(crate) fn is_global_constant(self) -> bool {
        self.is_global_variable() && ffi!(LLVMIsGlobalConstant(self.0)) != 0
    }

    pub(crate) fn is_thread_local(self) -> bool {
        ffi!(LLVMGetThreadLocalMode(self.0)) != LLVMThreadLocalMode::LLVMNotThreadLocal
    }

    pub(crate) fn delete_global(self) {
        ffi!(LLVMDeleteGlobal(self.0));
    }

    pub(crate) fn delete_function(self) {
        ffi!(LLVMDeleteFunction(self.0));
    }

    /// Type of a function (not of the pointer to it).
    pub(crate) fn function_type(self) -> Type {
        self.global_type()
    }

    pub(crate) fn params(self) -> Vec<Value> {
        let count = ffi!(LLVMCountParams(self.0));
        (0..count)
            .map(|index| Value(ffi!(LLVMGetParam(self.0, index))))
            .collect()
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstBasicBlock(self.0));
        while !next.is_null() {
            list.push(Block(next));
            next = ffi!(LLVMGetNextBasicBlock(next));
        }
        list
    }

    /// Instructions of a function, block by block.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value> {
        let blocks = self.blocks().into_iter();
        blocks.flat_map(Block::instructions)
    }

    /// Whether the target has fused multiply-add instructions, so that `fmuladd` rounds once.
    pub(crate) fn has_fused_multiply(self) -> bool {
        let name = "target-features";
        let raw = ffi!(LLVMGetStringAttributeAtIndex(
            self.0,
            u32::MAX,
            name.as_ptr().cast(),
            name.len() as u32
        ));
        if raw.is_null() {
            return false;
        }
        let mut len = 0;
        let start = ffi!(LLVMGetStringAttributeValue(raw, &mut len));
        let bytes = ffi!(std::slice::from_raw_parts(start.cast::<u8>(), len as usize));
        bytes
            .split(|&byte| byte == b',')
            .any(|feature| feature == b"+fma" || feature == b"+fma4")
    }

    pub(crate) fn append_block(self, module: &Module, name: &str) -> Block {
        let name = c_string(name);
        Block(ffi!(LLVMAppendBasicBlockInContext(
            module.context(),
            self.0,
            name.as_ptr()
        )))
    }

    pub(crate) fn has(self, place: Attribute, name: &str) -> bool {
        !ffi!(LLVMGetEnumAttributeAtIndex(
            self.0,
            place.index(),
            attribute_kind(name)
        ))
        .is_null()
    }

    pub(crate) fn remove(self, place: Attribute, name: &str) {
        ffi!(LLVMRemoveEnumAttributeAtIndex(
            self.0,
            place.index(),
            attribute_kind(name)
        ));
    }

    pub(crate) fn add(self, module: &Module, place: Attribute, name: &str) {
        let attribute = attribute(module, name);
        ffi!(LLVMAddAttributeAtIndex(self.0, place.index(), attribute));
    }

    /// Adds the attributes of another function, but not those of its parameters and result.
    pub(crate) fn copy_attributes(self, from: Value) {
        let place = Attribute::Function.index();
        let count = ffi!(LLVMGetAttributeCountAtIndex(from.0, place)) as usize;
        let mut list = vec![std::ptr::null_mut(); count];
        ffi!(LLVMGetAttributesAtIndex(from.0, place, list.as_mut_ptr()));
        for attribute in list {
            ffi!(LLVMAddAttributeAtIndex(self.0, place, attribute));
        }
    }

    /// Type of a type attribute (`byval`, `sret`) of a function's parameter.
    pub(crate) fn type_attribute(self, place: Attribute, name: &str) -> Option<Type> {
        let raw = ffi!(LLVMGetEnumAttributeAtIndex(
            self.0,
            place.index(),
            attribute_kind(name)
        ));
        (!raw.is_null()).then(|| Type(ffi!(LLVMGetTypeAttributeValue(raw))))
    }
}
