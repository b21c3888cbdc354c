//! The instrumentation: a prepared module becomes one that runs concretely and symbolically at once.
//!
//! Invariants:
//! - concrete results never change; when nothing is symbolic, only inline checks and events are added;
//! - the module is verified afterwards;
//! - runtime symbols come from `wire::abi` alone, library names from `wire::libc` alone.

mod abi;
mod calls;
mod class;
mod ends;
mod events;
mod function;
mod info;
mod intrinsics;
mod memory;
mod phis;
mod plain_clone;
mod replay;
mod strip;
mod symbolic;

pub(crate) use plain_clone::is_plain_clone;

use crate::Error;
use crate::emit::Position;
use crate::failing;
use crate::ir::{Attribute, Module, Value};
use crate::number::Numbering;
use wire::fail;
use wire::libc::{MODEL_PREFIX, Treatment, WRAPPED_PREFIX};

/// How to instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Hash of the model: see [`crate::prepare::uid`].
    pub uid: u64,
    /// Relocation model of the object.
    pub position: Position,
    /// The module is one of our own models of library functions.
    pub library: bool,
    /// Calls of C library functions may be made to fail.
    pub failing: bool,
}

/// Instruments a prepared module.
///
/// # Errors
/// LLVM's verifier refuses the result (a bug of ours).
pub fn instrument(
    module: &mut Module,
    numbering: &Numbering,
    options: &Options,
) -> Result<(), Error> {
    module.use_debug_intrinsics();
    strip::debug_variables(module);
    let globals = info::program_globals(module);
    if options.failing && !options.library {
        let is_models = |name: &str| wire::libc::treatment(name) == Some(Treatment::Output);
        // A model of output asks by itself whether it fails.
        let moves = |call: Value, name: &str| !is_models(name) || call.users().is_empty();
        failing::redirect(module, |_| true, moves);
    }
    rename_library(module, options.library);
    for function in module.functions() {
        if !function.is_intrinsic() {
            strip::effects(module, function);
        }
    }
    let resolvers = module.resolvers();
    let abi = abi::Abi::new(module, options);
    let clones = plain_clone::wanted(numbering);
    for (id, &function) in numbering.functions.iter().enumerate() {
        let id = id as u32;
        if is_judges(function) {
            continue;
        }
        if function.has(Attribute::Function, "naked") || resolvers.contains(&function) {
            continue;
        }
        let clone = clones
            .contains(&id)
            .then(|| plain_clone::PlainClone::of(module, function));
        if let Some(clone) = &clone {
            function::Fx::run_concrete(&abi, numbering, id, clone);
        }
        function::Fx::run(&abi, numbering, id, clone.map(|clone| clone.function));
    }
    info::register(&abi, numbering, options, &globals);
    drop(abi);
    let judges = numbering.functions.iter();
    for &function in judges.filter(|function| is_judges(**function)) {
        crate::reach::drop_body(module, function);
    }
    strip::coverage(module);
    if options.library {
        weaken_models(module);
    } else {
        name_own_functions(module);
    }
    module.verify()
}

/// Section of what speaks on the judge's build only.
const JUDGES: &str = ".text.bothways.judge";

/// Whether a function speaks on the judge's build only: harnesses put what says what a function left there (`observe` of the crate
/// `harness`). Nothing calls it in an instrumented program, and where there are thousands of leaves it is most of the code.
fn is_judges(function: Value) -> bool {
    function.section().as_deref() == Some(JUDGES)
}

/// Declared library functions get the name of their wrapper or model. A model's own output is output, and what it calls by
/// the name that it models is the C library's.
fn rename_library(module: &Module, library: bool) {
    let modelled_here = |name: &str| {
        let model = module.function(&format!("{MODEL_PREFIX}{name}"));
        model.is_some_and(|model| !model.is_declaration())
    };
    for function in module.functions() {
        if !function.is_declaration() || function.is_intrinsic() {
            continue;
        }
        let name = function.name();
        match wire::libc::treatment(&name) {
            Some(Treatment::Wrapped) => {
                replace_by(module, function, &format!("{WRAPPED_PREFIX}{name}"));
            }
            Some(Treatment::Model) if !modelled_here(&name) => {
                replace_by(module, function, &format!("{MODEL_PREFIX}{name}"));
            }
            Some(Treatment::Output) if !library => model_results(module, function, &name),
            _ => {}
        }
    }
}

fn replace_by(module: &Module, function: Value, name: &str) {
    match module.function(name) {
        Some(known) => function.replace_uses(known),
        None => function.set_name(name),
    }
}

/// Calls whose result is used go to the model.
fn model_results(module: &Module, function: Value, name: &str) {
    let looked_at = |call: &Value| {
        call.is_call() && call.called_function() == Some(function) && !call.users().is_empty()
    };
    for call in function.users().into_iter().filter(looked_at) {
        let model = format!("{MODEL_PREFIX}{name}");
        let model = module
            .function(&model)
            .unwrap_or_else(|| module.add_function(&model, function.function_type()));
        call.set_operand(call.operand_count() - 1, model);
    }
}

/// A function of the program's own with a name of the C library: other modules ask for the wrapper or model of that name, and
/// get it instead of ours.
fn name_own_functions(module: &Module) {
    for function in module.functions() {
        if function.is_declaration() || function.is_local() || function.is_available_externally() {
            continue;
        }
        let name = function.name();
        if fail::index(&name).is_some() {
            let other = format!("{}{name}", fail::PREFIX);
            if module.function(&other).is_none() {
                let alias = module.add_alias(&other, function);
                alias.set_linkage(function.linkage());
            }
        }
        let prefix = match wire::libc::treatment(&name) {
            Some(Treatment::Wrapped) => WRAPPED_PREFIX,
            Some(Treatment::Model | Treatment::Output) => MODEL_PREFIX,
            _ => continue,
        };
        let ours = format!("{prefix}{name}");
        if module.function(&ours).is_none() {
            let alias = module.add_alias(&ours, function);
            alias.set_linkage(function.linkage());
        }
    }
}

/// So that a program's own function comes before the model.
fn weaken_models(module: &Module) {
    for function in module.functions() {
        if !function.is_declaration() && function.name().starts_with(MODEL_PREFIX) {
            function.set_linkage(llvm_sys::LLVMLinkage::LLVMWeakAnyLinkage);
        }
    }
}
