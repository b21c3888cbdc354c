//! Calls that may fail (`--sym-fail`): what the program calls of `wire::fail` gets another name.
//!
//! Must hold: the instrumented program and the judge's build rename the same calls. A harness's own calls keep their names, and so
//! do functions that the module defines.

use wire::fail::{HARNESS, PREFIX, Set, index};

use crate::Error;
use crate::ir::{Module, Value};

/// Bitcode in which the functions of `set` have their other names, but for those that the program itself defines somewhere.
/// `name` is what messages call the module.
///
/// # Errors
/// The bytes are no bitcode, or LLVM refuses the result.
pub fn redirected(
    bitcode: &[u8],
    name: &str,
    set: Set,
    own: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    let is_wanted = |name: &str| index(name).is_some_and(|index| set.has(index)) && !own(name);
    redirect(&module, is_wanted, |_, _| true);
    module.verify()?;
    Ok(module.bitcode())
}

/// Gives the declared functions of the table their other names. Of calls, only those for which
/// `moves` holds, which is told the call and the function.
pub(crate) fn redirect(
    module: &Module,
    is_wanted: impl Fn(&str) -> bool,
    moves: impl Fn(Value, &str) -> bool,
) {
    for function in module.functions() {
        let name = function.name();
        let ours = function.is_declaration() && !function.is_intrinsic();
        if !ours || index(&name).is_none() || !is_wanted(&name) {
            continue;
        }
        let stays = |call: &Value| {
            let is_harness = || call.block().function().name().starts_with(HARNESS);
            call.is_call()
                && call.called_function() == Some(function)
                && (is_harness() || !moves(*call, &name))
        };
        let kept: Vec<Value> = function.users().into_iter().filter(stays).collect();
        let other = format!("{PREFIX}{name}");
        let other = module
            .function(&other)
            .unwrap_or_else(|| module.add_function(&other, function.function_type()));
        function.replace_uses(other);
        for call in kept {
            call.set_operand(call.operand_count() - 1, function);
        }
    }
}

/// Names of the functions of the table that a module defines for others.
///
/// # Errors
/// The bytes are no bitcode.
pub fn defined(bitcode: &[u8], name: &str) -> Result<Vec<String>, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    let functions = module.functions().into_iter();
    let defined = functions.filter(|function| !function.is_declaration() && !function.is_local());
    Ok(defined
        .map(Value::name)
        .filter(|name| index(name).is_some())
        .collect())
}
