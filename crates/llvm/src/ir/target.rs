//! Code generation.
#![allow(unsafe_code, reason = "LLVM's C API")]

use super::{Module, c_string, ffi};
use crate::Error;
use crate::emit::Position;
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::sync::Once;

/// A target machine.
#[derive(Debug)]
pub(crate) struct Machine(LLVMTargetMachineRef);

/// What code generation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Object,
    Assembly,
}

static TARGETS: Once = Once::new();

impl Machine {
    /// The machine that the module's triple names; processor and features come from the functions' attributes.
    pub(crate) fn new(module: &Module, level: u8, position: Position) -> Result<Machine, Error> {
        TARGETS.call_once(|| {
            ffi!(LLVM_InitializeAllTargetInfos());
            ffi!(LLVM_InitializeAllTargets());
            ffi!(LLVM_InitializeAllTargetMCs());
            ffi!(LLVM_InitializeAllAsmParsers());
            ffi!(LLVM_InitializeAllAsmPrinters());
        });
        let triple = c_string(&module.triple());
        let mut target = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        if ffi!(LLVMGetTargetFromTriple(
            triple.as_ptr(),
            &mut target,
            &mut message
        )) != 0
        {
            let detail = super::module::take_message(message);
            return Err(Error::Emit {
                module: module.name().to_owned(),
                detail,
            });
        }
        let level = match level {
            0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
            1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
            2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
            _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
        };
        let relocation = match position {
            Position::None => LLVMRelocMode::LLVMRelocStatic,
            Position::Pic | Position::Pie => LLVMRelocMode::LLVMRelocPIC,
        };
        let model = LLVMCodeModel::LLVMCodeModelDefault;
        let empty = c"".as_ptr();
        let raw = ffi!(LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            empty,
            empty,
            level,
            relocation,
            model
        ));
        Ok(Machine(raw))
    }

    pub(super) fn raw(&self) -> LLVMTargetMachineRef {
        self.0
    }

    pub(crate) fn emit(&self, module: &Module, output: Output) -> Result<Vec<u8>, Error> {
        let kind = match output {
            Output::Object => LLVMCodeGenFileType::LLVMObjectFile,
            Output::Assembly => LLVMCodeGenFileType::LLVMAssemblyFile,
        };
        let mut message = std::ptr::null_mut();
        let mut buffer = std::ptr::null_mut();
        if ffi!(LLVMTargetMachineEmitToMemoryBuffer(
            self.0,
            module.raw(),
            kind,
            &mut message,
            &mut buffer
        )) != 0
        {
            let detail = super::module::take_message(message);
            return Err(Error::Emit {
                module: module.name().to_owned(),
                detail,
            });
        }
        Ok(super::module::take_buffer(buffer))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        ffi!(LLVMDisposeTargetMachine(self.0));
    }
}
