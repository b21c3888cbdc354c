//! Only what can run: functions that nothing reaches from a root lose their bodies, variables their values.
//!
//! A function is tested with its whole unit around it, of which it often needs little; instrumenting and optimising the
//! rest is most of the time until the first run.
//!
//! Must hold: what is left behaves as before, and clang's coverage mapping stays true: a function without body keeps its
//! counters, which nobody counts up.

use std::collections::HashSet;

use llvm_sys::LLVMLinkage;

use crate::Error;
use crate::ir::{Builder, Module, Value};

/// Intrinsics that say how many counters a function has.
const COUNTERS: &[&str] = &["llvm.instrprof.increment", "llvm.instrprof.mcdc.parameters"];

/// Clang's bitcode with the bodies of those functions only that `root` may reach: by calls, or by addresses in code and in data
/// that it may reach; other data is zero, so that nobody takes it for a table of functions that may be called. Constructors,
/// `used` functions and those that the C library may call by name are reached as well. `name` is what messages call the module.
///
/// # Errors
/// The bytes are no bitcode, LLVM refuses the module, or it does not define `root`.
pub fn only(bitcode: &[u8], name: &str, root: &str) -> Result<Vec<u8>, Error> {
    let reached = reached(bitcode, name, root)?;
    let module = Module::from_bitcode(bitcode, name)?;
    for function in module.functions() {
        if !function.is_declaration() && !reached.contains(&function.name()) {
            drop_body(&module, function);
        }
    }
    for global in module.globals() {
        if is_users(global) && !reached.contains(&global.name()) {
            global.set_initializer(global.global_type().zero());
        }
    }
    module.verify()?;
    Ok(module.bitcode())
}

/// Whether a variable is the program's, and not one of clang's for its coverage.
fn is_users(global: Value) -> bool {
    use LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
    let linkage = global.linkage();
    [LLVMExternalLinkage, LLVMInternalLinkage].contains(&linkage)
        && global.initializer().is_some()
        && !global.name().starts_with("__llvm_")
}

/// Names of what LLVM keeps if nobody but `root` is called from elsewhere.
fn reached(bitcode: &[u8], name: &str, root: &str) -> Result<HashSet<String>, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    let by_name = |name: &str| name == root || wire::libc::treatment(name).is_some();
    let is_root = |function: &Value| function.name() == root && !function.is_declaration();
    if !module.functions().iter().any(is_root) {
        return Err(Error::Missing {
            module: name.to_owned(),
            function: root.to_owned(),
        });
    }
    let values = module.functions().into_iter().chain(module.globals());
    for value in values {
        let is_list = value.linkage() == LLVMLinkage::LLVMAppendingLinkage;
        if !value.is_declaration() && !is_list && !by_name(&value.name()) {
            value.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    module.run("globaldce", None)?;
    let values = module.functions().into_iter().chain(module.globals());
    let kept = values.filter(|value| !value.is_declaration());
    Ok(kept.map(Value::name).collect())
}

/// What is left of a function that is never called.
pub(crate) fn drop_body(module: &Module, function: Value) {
    let is_counter = |instruction: &Value| {
        let name = instruction.intrinsic_name();
        name.is_some_and(|name| COUNTERS.contains(&name.as_str()))
    };
    let blocks = function.blocks();
    let entry = blocks[0];
    for &block in &blocks {
        for instruction in block.instructions() {
            if block == entry && is_counter(&instruction) {
                continue;
            }
            if !instruction.ty().is_void() {
                instruction.replace_uses(instruction.ty().poison());
            }
            instruction.erase();
        }
    }
    for block in blocks.into_iter().skip(1) {
        block.delete();
    }
    let builder = Builder::new(module);
    builder.at_end(entry);
    builder.unreachable();
}
