//! Alias scopes: program memory, and three kinds of memory of our own, never overlap.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Module, Value, ffi};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// The scopes of a module.
pub(crate) struct Scopes {
    alias_scope: u32,
    noalias: u32,
    /// Scope list of each kind of own memory, and the list of everything apart from it.
    own: [(LLVMValueRef, LLVMValueRef); 3],
    all_own: LLVMValueRef,
    /// Events and `__bw_hot`.
    records: LLVMValueRef,
    program: LLVMValueRef,
}

impl Module {
    pub(crate) fn scopes(&self) -> Scopes {
        let context = self.context();
        let kind = |name: &str| {
            ffi!(LLVMGetMDKindIDInContext(
                context,
                name.as_ptr().cast(),
                name.len() as u32
            ))
        };
        let node = |parts: &mut [LLVMMetadataRef]| {
            ffi!(LLVMMDNodeInContext2(
                context,
                parts.as_mut_ptr(),
                parts.len()
            ))
        };
        let string = |text: &str| {
            ffi!(LLVMMDStringInContext2(
                context,
                text.as_ptr().cast(),
                text.len()
            ))
        };
        let domain = node(&mut [string("bothways")]);
        let scope = |name: &str| node(&mut [string(name), domain]);
        let scopes = [
            scope("bothways.events"),
            scope("bothways.hot"),
            scope("bothways.shadow"),
            scope("program"),
        ];
        let list = |except: Option<usize>, program: bool| {
            let mut parts: Vec<_> = (0..3 + usize::from(program))
                .filter(|&i| Some(i) != except)
                .map(|i| scopes[i])
                .collect();
            ffi!(LLVMMetadataAsValue(context, node(&mut parts)))
        };
        let one = |index: usize| ffi!(LLVMMetadataAsValue(context, node(&mut [scopes[index]])));
        Scopes {
            alias_scope: kind("alias.scope"),
            noalias: kind("noalias"),
            own: [
                (one(0), list(Some(0), true)),
                (one(1), list(Some(1), true)),
                (one(2), list(Some(2), true)),
            ],
            all_own: list(None, false),
            records: list(Some(2), false),
            program: one(3),
        }
    }
}

impl Scopes {
    pub(crate) fn mark_own(&self, access: Value, kind: usize) {
        let (own, others) = self.own[kind];
        ffi!(LLVMSetMetadata(access.0, self.alias_scope, own));
        ffi!(LLVMSetMetadata(access.0, self.noalias, others));
    }

    /// A call into the runtime writes only our memory, and few calls write shadow.
    pub(crate) fn mark_call(&self, call: Value, writes_shadow: bool) {
        let scopes = if writes_shadow {
            self.all_own
        } else {
            self.records
        };
        ffi!(LLVMSetMetadata(call.0, self.alias_scope, scopes));
    }

    pub(crate) fn mark_program(&self, access: Value, load: bool) {
        ffi!(LLVMSetMetadata(access.0, self.alias_scope, self.program));
        if load {
            ffi!(LLVMSetMetadata(access.0, self.noalias, self.all_own));
        }
    }
}
