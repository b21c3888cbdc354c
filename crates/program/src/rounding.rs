//! Whether floating-point arithmetic is rounded to nearest, in the format of its operands: what the value analysis computes, and
//! what the terms of a proof mean.

use crate::{Callee, Op, Program};

/// Functions that change how the processor rounds.
const CHANGE: &[&str] = &[
    "fesetround",
    "__fesetround",
    "fesetenv",
    "feupdateenv",
    "feholdexcept",
    "fesetmode",
];

/// Words of instructions that do.
const WORDS: &[&str] = &[
    "mxcsr", "fldcw", "fldenv", "frstor", "xrstor", "rounding", "fpenv", "fpmode",
];

/// Whether arithmetic can be computed with. `foreign`: the program is linked with code that is not in its model. (Programs of 32 bits may
/// compute in a wider format.)
#[must_use]
pub fn is_to_nearest(program: &Program, foreign: bool) -> bool {
    let mut externs = program.externs.values();
    if foreign
        || program.layout.pointer_bits != 64
        || externs.any(|known| CHANGE.contains(&known.name.as_str()))
    {
        return false;
    }
    let is_word = |text: &str| WORDS.iter().any(|word| text.contains(word));
    let bodies = program.functions.values();
    let mut insts = bodies.flat_map(|body| body.blocks.keys().flat_map(|block| body.insts(block)));
    !insts.any(|(_, inst)| match &inst.op {
        Op::Opaque { what, .. } => is_word(what),
        Op::Call {
            callee: Callee::Asm(text),
            ..
        } => is_word(text),
        _ => false,
    })
}
