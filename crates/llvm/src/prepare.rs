//! From clang's `-O0` bitcode to the *prepared module*: the model that is stored, numbered, instrumented, read and
//! judged.
//!
//! Invariants:
//! - the control flow is the source's: nothing here adds, merges or removes a branch;
//! - every instruction has one result whatever the optimiser does: no `undef`, no `poison`, no flag or attribute
//!   that makes one, no shift by the width or more. So the judge's `-O0` build and the optimised instrumented
//!   one agree also where C leaves the result undefined;
//! - functions that call a `returns_twice` function keep their variables in memory.

pub(crate) mod assembly;
mod compile_time;
mod fp_class;
mod unset;

use crate::Error;
use crate::ir::{Attribute, Builder, Kind, Module, Opcode, Type, Value};

/// A prepared module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The model.
    pub bitcode: Vec<u8>,
    /// Stable hash of the model.
    pub uid: u64,
}

/// Prepares clang's bitcode. `name` is what messages call it.
///
/// # Errors
/// The bytes are no bitcode, or LLVM refuses the module.
pub fn prepare(bitcode: &[u8], name: &str) -> Result<Prepared, Error> {
    prepared(&Module::from_bitcode(bitcode, name)?, false)
}

/// The same, with a mark (a `freeze` of 0) for each variable that begins without a value, and one (a `freeze` of the result) for
/// arithmetic whose overflow the front end calls an error: signed one, unless it was told `-fwrapv`.
///
/// # Errors
/// As for [`prepare`].
pub fn prepare_marked(bitcode: &[u8], name: &str) -> Result<Prepared, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    for function in module.functions() {
        unset::mark(&module, function);
    }
    prepared(&module, true)
}

fn prepared(module: &Module, marked: bool) -> Result<Prepared, Error> {
    compile_time::settle(module)?;
    promote(module)?;
    for function in module.functions() {
        unset::sweep(function);
        if marked {
            unset::mark_signed(module, function);
        }
        assembly::expand(function);
        own_copy(function);
        drop_function_attributes(function);
        for block in function.blocks() {
            for instruction in block.instructions() {
                define(module, instruction);
            }
        }
    }
    module.verify()?;
    let bitcode = module.bitcode();
    let uid = uid(&bitcode);
    Ok(Prepared { bitcode, uid })
}

/// Whether the front end left out the body of a function that is called: without optimisation it makes no code of a C99 `inline`
/// function that has no `extern` declaration, though it maps its regions. Only `name` goes into messages.
///
/// # Errors
/// The bytes are no bitcode.
pub fn lacks_bodies(bitcode: &[u8], name: &str) -> Result<bool, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    let mapped = |function: &Value| module.global(&format!("__profn_{}", function.name()));
    let functions = module.functions();
    let mut declared = functions
        .iter()
        .filter(|function| function.is_declaration());
    Ok(declared.any(|function| mapped(function).is_some()))
}

/// Stable hash of a model (FNV-1a), never 0.
#[must_use]
pub fn uid(bitcode: &[u8]) -> u64 {
    let hash = bitcode
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    hash.max(1)
}

/// Whether a function calls `setjmp` or the like.
pub(crate) fn resumes(function: Value) -> bool {
    function.instructions().any(returns_twice)
}

/// Whether an instruction is a call that may return twice.
pub(crate) fn returns_twice(instruction: Value) -> bool {
    const KNOWN: &[&str] = &[
        "setjmp",
        "_setjmp",
        "sigsetjmp",
        "__sigsetjmp",
        "vfork",
        "getcontext",
        "savectx",
        // `__builtin_setjmp`
        "llvm.eh.sjlj.setjmp",
    ];
    if !instruction.is_call() {
        return false;
    }
    let by_callee = instruction.called_function().is_some_and(|callee| {
        callee.has(Attribute::Function, "returns_twice") || KNOWN.contains(&callee.name().as_str())
    });
    by_callee || instruction.call_has(Attribute::Function, "returns_twice")
}

/// An `inline` function that another library defines (`available_externally`) becomes our own: it is instrumented like
/// any other, and its address, which calls take note of, exists even if the library has only inlined copies.
fn own_copy(function: Value) {
    if function.is_available_externally() {
        function.set_linkage(llvm_sys::LLVMLinkage::LLVMInternalLinkage);
    }
}

fn promote(module: &Module) -> Result<(), Error> {
    let mut kept = Vec::new();
    for function in module.functions() {
        function.remove(Attribute::Function, "optnone");
        if resumes(function) {
            function.add(module, Attribute::Function, "optnone");
            if !function.has(Attribute::Function, "noinline") {
                function.add(module, Attribute::Function, "noinline");
            }
            kept.push(function);
        }
    }
    module.run("function(sroa,mem2reg)", None)?;
    for function in kept {
        function.remove(Attribute::Function, "optnone");
    }
    Ok(())
}

/// Attributes of parameters and results that make poison or undefined behaviour.
const ASSUMPTIONS: &[&str] = &[
    "noundef",
    "nonnull",
    "dereferenceable",
    "dereferenceable_or_null",
    "range",
    "nofpclass",
    "noalias",
    "align",
];

fn drop_function_attributes(function: Value) {
    if function.is_intrinsic() {
        return;
    }
    function.remove(Attribute::Function, "mustprogress");
    for name in ASSUMPTIONS {
        function.remove(Attribute::Result, name);
    }
    for index in 0..function.params().len() as u32 {
        drop_param_assumptions(
            |place, name| function.has(place, name),
            |place, name| function.remove(place, name),
            index,
        );
    }
}

/// The alignment of `byval` and `sret` memory is part of the calling convention, and so is their `noalias`.
fn drop_param_assumptions(
    has: impl Fn(Attribute, &str) -> bool,
    remove: impl Fn(Attribute, &str),
    index: u32,
) {
    let place = Attribute::Param(index);
    let memory = has(place, "byval") || has(place, "sret") || has(place, "inalloca");
    for name in ASSUMPTIONS {
        if !(memory && matches!(*name, "align" | "noalias")) {
            remove(place, name);
        }
    }
}

fn define(module: &Module, instruction: Value) {
    instruction.drop_poison_flags();
    for name in [
        "range",
        "nonnull",
        "noundef",
        "align",
        "dereferenceable",
        "tbaa",
        "llvm.loop",
    ] {
        instruction.drop_metadata(module, name);
    }
    if instruction.is_call() && instruction.intrinsic_name().is_none() {
        for name in ASSUMPTIONS {
            instruction.call_remove(Attribute::Result, name);
        }
        for index in 0..instruction.args().len() as u32 {
            drop_param_assumptions(
                |place, name| instruction.call_has(place, name),
                |place, name| instruction.call_remove(place, name),
                index,
            );
        }
    }
    replace_undef(instruction);
    mask_shift(module, instruction);
    if let Some(name) = instruction.intrinsic_name() {
        define_intrinsic(module, instruction, &name);
    }
}

/// `fmuladd` rounds twice where the target has no fused operation; classes of floats are tests of bits; counting zeros and `abs` have no poison.
fn define_intrinsic(module: &Module, call: Value, name: &str) {
    if ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        call.set_operand(1, call.operand(1).ty().zero());
    }
    if name.starts_with("llvm.is.fpclass.") {
        fp_class::expand(module, call);
        return;
    }
    if name.starts_with("llvm.fmuladd.") && !call.block().function().has_fused_multiply() {
        let builder = Builder::new(module);
        builder.before(call);
        builder.set_location(call.debug_location());
        let product = builder.bin(Opcode::LLVMFMul, call.operand(0), call.operand(1));
        call.replace_uses(builder.bin(Opcode::LLVMFAdd, product, call.operand(2)));
        call.erase();
    }
}

fn replace_undef(instruction: Value) {
    for (index, operand) in instruction.operands().into_iter().enumerate() {
        if operand.is_undef() && has_zero(operand.ty()) {
            instruction.set_operand(index as u32, operand.ty().zero());
        }
    }
}

fn has_zero(ty: Type) -> bool {
    !matches!(
        ty.kind(),
        Kind::LLVMVoidTypeKind
            | Kind::LLVMLabelTypeKind
            | Kind::LLVMMetadataTypeKind
            | Kind::LLVMTokenTypeKind
            | Kind::LLVMFunctionTypeKind
            | Kind::LLVMTargetExtTypeKind
    )
}

fn mask_shift(module: &Module, instruction: Value) {
    if !matches!(
        instruction.opcode(),
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr
    ) {
        return;
    }
    let (amount, ty) = (instruction.operand(1), instruction.ty());
    let Some(bits) = ty.int_bits() else { return };
    if let Some(constant) = amount.as_int() {
        if constant >= u64::from(bits) {
            instruction.set_operand(1, ty.constant(constant % u64::from(bits)));
        }
        return;
    }
    let builder = Builder::new(module);
    builder.before(instruction);
    builder.set_location(instruction.debug_location());
    let masked = if bits.is_power_of_two() {
        builder.and(amount, ty.constant(u64::from(bits) - 1))
    } else {
        builder.bin(Opcode::LLVMURem, amount, ty.constant(u64::from(bits)))
    };
    instruction.set_operand(1, masked);
}
