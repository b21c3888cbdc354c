//! Thin handles over LLVM's C API, for this crate only.
//!
//! Invariants: a handle ([`Value`], [`Block`], [`Type`]) is used only while the [`Module`] that it comes from is
//! alive and the thing it names was not erased; nothing outside this crate sees one. All `unsafe` of the crate
//! is in this folder.

mod block;
mod builder;
mod inspect;
mod module;
mod scopes;
mod target;
mod ty;
mod value;

pub(crate) use block::Block;
pub(crate) use builder::Builder;
pub(crate) use llvm_sys::LLVMOpcode as Opcode;
pub use module::Module;
pub(crate) use scopes::Scopes;
pub(crate) use target::{Machine, Output};
pub(crate) use ty::{Kind, Type};
pub(crate) use value::{Attribute, Value};

/// Calls one function of LLVM's C API.
macro_rules! ffi {
    ($call:expr) => {{
        // SAFETY: every handle comes from a module that is alive (invariant of `ir`), strings are passed with their
        // length or as C strings, and the kind of the value was checked by the caller where LLVM asks for it.
        #[allow(unused_unsafe, reason = "nested calls")]
        unsafe {
            $call
        }
    }};
}
pub(crate) use ffi;

/// A C string for LLVM; the strings that this crate passes have no zero byte.
pub(crate) fn c_string(text: &str) -> std::ffi::CString {
    std::ffi::CString::new(text.replace('\0', "")).unwrap_or_default()
}
