//! Basic blocks.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Value, ffi};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Block(pub(super) LLVMBasicBlockRef);

impl Block {
    pub(crate) fn instructions(self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstInstruction(self.0));
        while !next.is_null() {
            list.push(Value(next));
            next = ffi!(LLVMGetNextInstruction(next));
        }
        list
    }

    pub(crate) fn terminator(self) -> Option<Value> {
        Value::maybe(ffi!(LLVMGetBasicBlockTerminator(self.0)))
    }

    pub(crate) fn delete(self) {
        ffi!(LLVMDeleteBasicBlock(self.0));
    }

    pub(crate) fn function(self) -> Value {
        Value(ffi!(LLVMGetBasicBlockParent(self.0)))
    }

    /// Successors in the order of the terminator's operands (`br`: then, else; `switch`: default, cases).
    pub(crate) fn successors(self) -> Vec<Block> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }
}
