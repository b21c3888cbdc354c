//! What instrumented code refers to: the functions of `wire::abi`, `__bw_hot`, the module's `ModuleInfo`, and the
//! alias scopes that tell LLVM that shadow, events and program memory are apart.

use crate::emit::Position;
use crate::ir::{Attribute, Block, Builder, Module, Opcode, Type, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use wire::abi;

/// Kinds of memory for alias analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// The event stream.
    Events,
    /// `__bw_hot`.
    Hot,
    /// Shadow.
    Shadow,
}

/// Shared by all functions of a module.
pub(super) struct Abi<'m> {
    pub(super) module: &'m Module,
    pub(super) b: Builder,
    pub(super) i32: Type,
    pub(super) i64: Type,
    pub(super) ptr: Type,
    pub(super) hot: Value,
    pub(super) info: Value,
    /// The module is a model of library functions.
    pub(super) library: bool,
    shadow: Value,
    scopes: crate::ir::Scopes,
    declared: RefCell<HashMap<&'static str, (Value, Type)>>,
}

/// ABI functions that concrete runs call too.
const WARM: &[&str] = &[
    abi::name::__bw_register,
    abi::name::__bw_memmove,
    abi::name::__bw_memset,
    abi::name::__bw_clear,
    abi::name::__bw_byval_in,
    abi::name::__bw_byval_out,
    abi::name::__bw_va_enter,
    abi::name::__bw_va_start,
    abi::name::__bw_va_copy,
    abi::name::__bw_resumed,
];

/// ABI functions that give bytes a label, or another one.
const SHADOW_WRITERS: &[&str] = &[
    abi::name::__bw_store,
    abi::name::__bw_store_at,
    abi::name::__bw_memmove,
    abi::name::__bw_memset,
    abi::name::__bw_clear,
    abi::name::__bw_byval_in,
    abi::name::__bw_byval_out,
    abi::name::__bw_va_enter,
    abi::name::__bw_va_start,
    abi::name::__bw_va_copy,
];

impl<'m> Abi<'m> {
    pub(super) fn new(module: &'m Module, options: &super::Options) -> Abi<'m> {
        let (i32, i64, ptr) = (module.int(32), module.int(64), module.ptr());
        let hot = module.add_global(
            "__bw_hot",
            module.array_type(module.int(8), wire::segment::PAGE as u64),
        );
        hot.set_alignment(wire::segment::PAGE as u32);
        if options.position != Position::Pic {
            hot.set_dso_local();
        }
        let info_type = module.struct_type(&[i64, i32, i32, i32, i32, i32, i32, ptr, i64, i64]);
        let info = module.add_global("__bw.module", info_type);
        info.set_private();
        info.set_alignment(8);
        Abi {
            module,
            b: Builder::new(module),
            i32,
            i64,
            ptr,
            hot,
            info,
            library: options.library,
            shadow: module.int_to_ptr(wire::shadow::BASE),
            scopes: module.scopes(),
            declared: RefCell::default(),
        }
    }

    fn declare(&self, name: &'static str) -> (Value, Type) {
        if let Some(&known) = self.declared.borrow().get(name) {
            return known;
        }
        let row = abi::FUNCTIONS.iter().find(|function| function.name == name);
        let ty = |ty: abi::Ty| match ty {
            abi::Ty::U32 => self.i32,
            abi::Ty::U64 => self.i64,
            abi::Ty::Ptr => self.ptr,
            abi::Ty::Void => self.module.void(),
        };
        let params: Vec<Type> = row
            .map(|row| row.params.iter().map(|&param| ty(param)).collect())
            .unwrap_or_default();
        let function_type = self.module.function_type(
            row.map_or(self.module.void(), |row| ty(row.result)),
            &params,
        );
        let function = self
            .module
            .function(name)
            .unwrap_or_else(|| self.module.add_function(name, function_type));
        function.add(self.module, Attribute::Function, "nounwind");
        let returns = name != abi::name::__bw_divide_error;
        let ends = if returns { "willreturn" } else { "noreturn" };
        function.add(self.module, Attribute::Function, ends);
        if !WARM.contains(&name) {
            function.add(self.module, Attribute::Function, "cold");
        }
        self.declared
            .borrow_mut()
            .insert(name, (function, function_type));
        (function, function_type)
    }

    /// Calls a function of the interface.
    pub(super) fn call(&self, name: &'static str, args: &[Value]) -> Value {
        let (function, ty) = self.declare(name);
        let call = self.b.call(ty, function, args);
        self.scopes.mark_call(call, SHADOW_WRITERS.contains(&name));
        call
    }

    /// Marks a load or store of ours.
    pub(super) fn mark(&self, access: Value, memory: Memory) -> Value {
        self.scopes.mark_own(access, memory as usize);
        access
    }

    /// Marks a load or store of the program. Stores stay ordered with calls into the runtime, which may read memory.
    pub(super) fn mark_program(&self, access: Value) {
        self.scopes
            .mark_program(access, access.is_opcode(Opcode::LLVMLoad));
    }

    pub(super) fn u32(&self, value: u32) -> Value {
        self.i32.constant(u64::from(value))
    }

    pub(super) fn u64(&self, value: u64) -> Value {
        self.i64.constant(value)
    }

    pub(super) fn zero(&self) -> Value {
        self.u32(0)
    }

    pub(super) fn hot_address(&self, offset: u64) -> Value {
        if offset == 0 {
            self.hot
        } else {
            self.b.offset(self.module, self.hot, self.u64(offset))
        }
    }

    pub(super) fn load_hot(&self, ty: Type, offset: u64) -> Value {
        let align = if ty == self.i32 { 4 } else { 8 };
        self.mark(
            self.b.load(ty, self.hot_address(offset), align),
            Memory::Hot,
        )
    }

    pub(super) fn store_hot(&self, value: Value, offset: u64) {
        let align = if value.ty() == self.i32 { 4 } else { 8 };
        self.mark(
            self.b.store(value, self.hot_address(offset), align),
            Memory::Hot,
        );
    }

    /// Base of the module's run-time ids; `field` is one of the constants below.
    pub(super) fn base(&self, field: u64) -> Value {
        let load = self.b.load(
            self.i32,
            self.b.offset(self.module, self.info, self.u64(field)),
            4,
        );
        load.set_metadata(self.module, "invariant.load", None, &[]);
        load
    }

    /// Address of the shadow of the byte at `address` (an `i64`).
    pub(super) fn shadow_of(&self, address: Value) -> Value {
        let index = self.b.and(address, self.u64(wire::shadow::MASK));
        self.b.index(self.i32, self.shadow, index)
    }

    /// Branches to `rare` or, much more often, to `usual`.
    pub(super) fn unlikely(&self, condition: Value, rare: Block, usual: Block) {
        let branch = self.b.cond_br(condition, rare, usual);
        branch.set_metadata(
            self.module,
            "prof",
            Some("branch_weights"),
            &[self.u32(1), self.u32((1 << 20) - 1)],
        );
    }

    /// A value as an `i64`: integers and floats zero-extended.
    pub(super) fn bits(&self, value: Value) -> Value {
        let whole = self.integer(value);
        self.b.resize(whole, self.i64)
    }

    /// A scalar as an integer of its own width.
    pub(super) fn integer(&self, value: Value) -> Value {
        let ty = value.ty();
        if ty.int_bits().is_some() {
            value
        } else if ty.is_pointer() {
            self.b.cast(Opcode::LLVMPtrToInt, value, self.i64)
        } else {
            self.b.cast(
                Opcode::LLVMBitCast,
                value,
                self.module.int(crate::types::bits(ty)),
            )
        }
    }

    /// Low and high word of a scalar of up to 128 bits.
    pub(super) fn words(&self, value: Value) -> (Value, Value) {
        let whole = self.integer(value);
        let bits = whole.ty().int_bits().unwrap_or(64);
        if bits <= 64 {
            return (self.b.resize(whole, self.i64), self.u64(0));
        }
        let high = self.b.lshr(whole, whole.ty().constant(64));
        (
            self.b.resize(whole, self.i64),
            self.b.resize(high, self.i64),
        )
    }
}

/// Byte offsets of the bases in `wire::abi::ModuleInfo`.
pub(super) const EDGE_BASE: u64 = std::mem::offset_of!(abi::ModuleInfo, edge_base) as u64;
pub(super) const FUNCTION_BASE: u64 = std::mem::offset_of!(abi::ModuleInfo, function_base) as u64;
pub(super) const SPOT_BASE: u64 = std::mem::offset_of!(abi::ModuleInfo, spot_base) as u64;
