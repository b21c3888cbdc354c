//! The module's `wire::abi::ModuleInfo`, its table of globals, and the constructor that registers it.

use super::abi::Abi;
use super::strip;
use crate::ir::{Module, Value};
use crate::number::Numbering;
use wire::abi::name;

/// The module's own global variables, with their sizes in bytes.
pub(super) fn program_globals(module: &Module) -> Vec<(Value, u64)> {
    module
        .globals()
        .into_iter()
        .filter(|&global| {
            !global.is_declaration()
                && !global.is_thread_local()
                && !global.is_available_externally()
                && !global.name().starts_with("llvm.")
                && !strip::is_coverage(global)
        })
        .map(|global| (global, module.alloc_size(global.global_type())))
        .filter(|&(_, size)| size > 0)
        .collect()
}

/// Fills the module's info and registers it before anything else runs.
pub(super) fn register(
    abi: &Abi<'_>,
    numbering: &Numbering,
    options: &super::Options,
    globals: &[(Value, u64)],
) {
    let module = abi.module;
    let rows: Vec<Value> = globals
        .iter()
        .map(|&(global, size)| module.const_struct(&[global, abi.u64(size)]))
        .collect();
    let row = module.struct_type(&[abi.ptr, abi.i64]);
    let table = module.add_global("__bw.globals", module.array_type(row, rows.len() as u64));
    table.set_initializer(module.const_array(row, &rows));
    table.set_constant();
    table.set_private();
    let fields = [
        abi.u64(options.uid),
        abi.u32(numbering.edges()),
        abi.u32(numbering.function_count()),
        abi.u32(numbering.spot_count()),
        abi.u32(0),
        abi.u32(0),
        abi.u32(0),
        table,
        abi.u64(rows.len() as u64),
        abi.u64(options.library.into()),
    ];
    abi.info.set_initializer(module.const_struct(&fields));
    add_constructor(abi);
}

fn add_constructor(abi: &Abi<'_>) {
    let module = abi.module;
    let constructor =
        module.add_function("__bw.register", module.function_type(module.void(), &[]));
    constructor.set_private();
    let block = constructor.append_block(module, "entry");
    abi.b.at_end(block);
    abi.b.set_location(std::ptr::null_mut());
    abi.call(name::__bw_register, &[abi.info]);
    abi.b.ret_void();

    const LIST: &str = "llvm.global_ctors";
    let entry = module.struct_type(&[abi.i32, abi.ptr, abi.ptr]);
    let mut entries = vec![module.const_struct(&[abi.u32(0), constructor, abi.ptr.zero()])];
    if let Some(old) = module.global(LIST) {
        if let Some(list) = old.initializer() {
            entries.extend(list.operands());
        }
        old.delete_global();
    }
    let new = module.add_global(LIST, module.array_type(entry, entries.len() as u64));
    new.set_initializer(module.const_array(entry, &entries));
    new.set_linkage(llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
}
