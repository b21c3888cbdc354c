//! Takes out what instrumented code must not have: clang's coverage data, facts about side effects that no longer
//! hold, debug information about variables (line tables stay).

use crate::ir::{Attribute, Module, Value};

/// Drops attributes that say which memory a function touches: now it writes events and shadow. A call of a function that the module
/// defines is one of that function: an optimiser may not take it for the C library's of the same name, since its events are wanted.
pub(super) fn effects(module: &Module, function: Value) {
    let names = [
        "memory",
        "willreturn",
        "nosync",
        "nofree",
        "norecurse",
        "speculatable",
        "noinline",
        "optnone",
        "allocsize",
        "allockind",
    ];
    for name in names {
        function.remove(Attribute::Function, name);
    }
    for block in function.blocks() {
        for instruction in block.instructions() {
            if instruction.is_call() && instruction.intrinsic_name().is_none() {
                for name in ["memory", "willreturn", "nosync", "nofree", "speculatable"] {
                    instruction.call_remove(Attribute::Function, name);
                }
                let callee = instruction.called_function();
                if callee.is_some_and(|callee| !callee.is_declaration()) {
                    instruction.call_add(module, Attribute::Function, "nobuiltin");
                }
            }
        }
    }
}

/// Erases `llvm.dbg.*` calls.
pub(super) fn debug_variables(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction
                    .intrinsic_name()
                    .is_some_and(|name| name.starts_with("llvm.dbg."))
                {
                    instruction.erase();
                }
            }
        }
    }
}

/// Removes the coverage mapping and every use of the profile intrinsics that is left.
pub(super) fn coverage(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction
                    .intrinsic_name()
                    .is_some_and(|name| name.starts_with("llvm.instrprof."))
                {
                    instruction.erase();
                }
            }
        }
    }
    for function in module.functions() {
        if function.name().starts_with("llvm.instrprof.") && function.users().is_empty() {
            function.delete_function();
        }
    }
    for list in ["llvm.used", "llvm.compiler.used"] {
        shorten(module, list);
    }
    for global in module.globals() {
        if is_coverage(global) && global.users().is_empty() {
            global.delete_global();
        }
    }
}

/// Whether a global variable belongs to clang's coverage instrumentation.
pub(super) fn is_coverage(global: Value) -> bool {
    let name = global.name();
    [
        "__covrec_",
        "__llvm_coverage_",
        "__profn_",
        "__profc_",
        "__profd_",
        "__llvm_prf_",
        "__llvm_profile_",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || name == "llvm.coverage.names"
}

fn shorten(module: &Module, list: &str) {
    let Some(old) = module.global(list) else {
        return;
    };
    let Some(initializer) = old.initializer() else {
        return;
    };
    let kept: Vec<Value> = initializer
        .operands()
        .into_iter()
        .filter(|&global| !is_coverage(global))
        .collect();
    old.delete_global();
    if !kept.is_empty() {
        append(module, list, kept);
    }
}

fn append(module: &Module, list: &str, entries: Vec<Value>) {
    let ty = module.array_type(module.ptr(), entries.len() as u64);
    let new = module.add_global(list, ty);
    new.set_initializer(module.const_array(module.ptr(), &entries));
    new.set_linkage(llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
    new.set_section("llvm.metadata");
}
