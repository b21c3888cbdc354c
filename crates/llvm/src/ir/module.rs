//! Modules: loading, passes, globals.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Type, Value, c_string, ffi};
use crate::Error;
use llvm_sys::analysis::*;
use llvm_sys::bit_reader::*;
use llvm_sys::bit_writer::*;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::*;
use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMGetDefaultTargetTriple;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, c_char, c_void};

/// An LLVM module with a context of its own.
#[derive(Debug)]
pub struct Module {
    context: LLVMContextRef,
    raw: LLVMModuleRef,
    name: String,
}

extern "C" fn keep_first_error(info: LLVMDiagnosticInfoRef, text: *mut c_void) {
    // SAFETY: `text` is the `Mutex<String>` that `with_context` passed; LLVM calls this during its own calls only.
    let text = unsafe { &*text.cast::<std::sync::Mutex<String>>() };
    if ffi!(LLVMGetDiagInfoSeverity(info)) != llvm_sys::LLVMDiagnosticSeverity::LLVMDSError {
        return;
    }
    let message = take_message(ffi!(LLVMGetDiagInfoDescription(info)));
    if let Ok(mut text) = text.lock()
        && text.is_empty()
    {
        *text = message;
    }
}

/// Copies and frees a message of LLVM.
pub(super) fn take_message(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    let text = ffi!(CStr::from_ptr(raw)).to_string_lossy().into_owned();
    ffi!(LLVMDisposeMessage(raw));
    text
}

impl Module {
    /// Reads bitcode. `name` is what messages call the module.
    ///
    /// # Errors
    /// The bytes are no bitcode that LLVM 19 reads.
    pub fn from_bitcode(bytes: &[u8], name: &str) -> Result<Module, Error> {
        let context = ffi!(LLVMContextCreate());
        let problem = Box::new(std::sync::Mutex::new(String::new()));
        let problem_ptr = std::ptr::from_ref(&*problem).cast_mut().cast::<c_void>();
        ffi!(LLVMContextSetDiagnosticHandler(
            context,
            Some(keep_first_error),
            problem_ptr
        ));
        let label = c_string(name);
        let buffer = ffi!(LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            label.as_ptr()
        ));
        let mut raw = std::ptr::null_mut();
        let failed = ffi!(LLVMParseBitcodeInContext2(context, buffer, &mut raw)) != 0;
        ffi!(LLVMDisposeMemoryBuffer(buffer));
        ffi!(LLVMContextSetDiagnosticHandler(
            context,
            None,
            std::ptr::null_mut()
        ));
        if failed {
            ffi!(LLVMContextDispose(context));
            let detail = problem.lock().map(|text| text.clone()).unwrap_or_default();
            return Err(Error::Bitcode {
                module: name.to_owned(),
                detail,
            });
        }
        Ok(Module {
            context,
            raw,
            name: name.to_owned(),
        })
    }

    /// An empty module for the machine that we run on.
    pub(crate) fn empty(name: &str) -> Module {
        let context = ffi!(LLVMContextCreate());
        let label = c_string(name);
        let raw = ffi!(LLVMModuleCreateWithNameInContext(label.as_ptr(), context));
        let triple = ffi!(LLVMGetDefaultTargetTriple());
        ffi!(LLVMSetTarget(raw, triple));
        ffi!(LLVMDisposeMessage(triple));
        Module {
            context,
            raw,
            name: name.to_owned(),
        }
    }

    /// The module as bitcode.
    #[must_use]
    pub fn bitcode(&self) -> Vec<u8> {
        let buffer = ffi!(LLVMWriteBitcodeToMemoryBuffer(self.raw));
        take_buffer(buffer)
    }

    /// The module as LLVM assembly.
    #[must_use]
    pub fn text(&self) -> String {
        take_message(ffi!(LLVMPrintModuleToString(self.raw)))
    }

    /// Name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the debug information away: locations, variables, types.
    pub fn strip_debug(&self) {
        ffi!(LLVMStripModuleDebugInfo(self.raw));
    }

    /// Runs LLVM's verifier.
    ///
    /// # Errors
    /// What is wrong, in LLVM's words.
    pub fn verify(&self) -> Result<(), Error> {
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let failed = ffi!(LLVMVerifyModule(self.raw, action, &mut message)) != 0;
        let detail = take_message(message);
        if failed {
            Err(Error::Verify {
                module: self.name.clone(),
                detail,
            })
        } else {
            Ok(())
        }
    }

    /// Runs a pipeline.
    pub(crate) fn run(&self, passes: &str, machine: Option<&super::Machine>) -> Result<(), Error> {
        let options = ffi!(LLVMCreatePassBuilderOptions());
        let text = c_string(passes);
        let machine = machine.map_or(std::ptr::null_mut(), super::Machine::raw);
        let error = ffi!(LLVMRunPasses(self.raw, text.as_ptr(), machine, options));
        ffi!(LLVMDisposePassBuilderOptions(options));
        if error.is_null() {
            return Ok(());
        }
        let raw = ffi!(LLVMGetErrorMessage(error));
        let detail = ffi!(CStr::from_ptr(raw)).to_string_lossy().into_owned();
        ffi!(LLVMDisposeErrorMessage(raw));
        Err(Error::Passes {
            module: self.name.clone(),
            detail,
        })
    }

    pub(crate) fn context(&self) -> LLVMContextRef {
        self.context
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// All functions, declarations included, in the module's order.
    pub(crate) fn functions(&self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstFunction(self.raw));
        while !next.is_null() {
            list.push(Value(next));
            next = ffi!(LLVMGetNextFunction(next));
        }
        list
    }

    /// All global variables, declarations included, in the module's order.
    pub(crate) fn globals(&self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstGlobal(self.raw));
        while !next.is_null() {
            list.push(Value(next));
            next = ffi!(LLVMGetNextGlobal(next));
        }
        list
    }

    pub(crate) fn function(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        Value::maybe(ffi!(LLVMGetNamedFunction(self.raw, name.as_ptr())))
    }

    pub(crate) fn global(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        Value::maybe(ffi!(LLVMGetNamedGlobal(self.raw, name.as_ptr())))
    }

    pub(crate) fn add_function(&self, name: &str, ty: Type) -> Value {
        let name = c_string(name);
        Value(ffi!(LLVMAddFunction(self.raw, name.as_ptr(), ty.0)))
    }

    /// Another name of a function.
    pub(crate) fn add_alias(&self, name: &str, function: Value) -> Value {
        let name = c_string(name);
        Value(ffi!(LLVMAddAlias2(
            self.raw,
            function.function_type().0,
            0,
            function.0,
            name.as_ptr()
        )))
    }

    pub(crate) fn add_global(&self, name: &str, ty: Type) -> Value {
        let name = c_string(name);
        Value(ffi!(LLVMAddGlobal(self.raw, ty.0, name.as_ptr())))
    }

    pub(crate) fn const_struct(&self, fields: &[Value]) -> Value {
        let mut raw: Vec<_> = fields.iter().map(|field| field.0).collect();
        Value(ffi!(LLVMConstStructInContext(
            self.context,
            raw.as_mut_ptr(),
            raw.len() as u32,
            0
        )))
    }

    pub(crate) fn const_array(&self, element: Type, values: &[Value]) -> Value {
        let mut raw: Vec<_> = values.iter().map(|value| value.0).collect();
        Value(ffi!(LLVMConstArray2(
            element.0,
            raw.as_mut_ptr(),
            raw.len() as u64
        )))
    }

    /// A constant address.
    pub(crate) fn int_to_ptr(&self, address: u64) -> Value {
        Value(ffi!(LLVMConstIntToPtr(
            self.int(64).constant(address).0,
            self.ptr().0
        )))
    }

    /// Moves debug information about variables from records to intrinsics, which can be erased.
    pub(crate) fn use_debug_intrinsics(&self) {
        ffi!(LLVMSetIsNewDbgInfoFormat(self.raw, 0));
    }

    /// Resolver functions of `ifunc`s: they run before any constructor.
    pub(crate) fn resolvers(&self) -> Vec<Value> {
        let mut list = Vec::new();
        let mut next = ffi!(LLVMGetFirstGlobalIFunc(self.raw));
        while !next.is_null() {
            list.push(Value(ffi!(LLVMGetGlobalIFuncResolver(next))));
            next = ffi!(LLVMGetNextGlobalIFunc(next));
        }
        list
    }

    /// Appends to the module's inline assembly.
    pub(crate) fn append_assembly(&self, text: &str) {
        ffi!(LLVMAppendModuleInlineAsm(
            self.raw,
            text.as_ptr().cast(),
            text.len()
        ));
    }

    pub(crate) fn triple(&self) -> String {
        ffi!(CStr::from_ptr(LLVMGetTarget(self.raw)))
            .to_string_lossy()
            .into_owned()
    }
}

/// Copies and frees a buffer of LLVM.
pub(super) fn take_buffer(buffer: LLVMMemoryBufferRef) -> Vec<u8> {
    let start = ffi!(LLVMGetBufferStart(buffer)).cast::<u8>();
    let size = ffi!(LLVMGetBufferSize(buffer));
    let bytes = ffi!(std::slice::from_raw_parts(start, size)).to_vec();
    ffi!(LLVMDisposeMemoryBuffer(buffer));
    bytes
}

impl Drop for Module {
    fn drop(&mut self) {
        ffi!(LLVMDisposeModule(self.raw));
        ffi!(LLVMContextDispose(self.context));
    }
}
