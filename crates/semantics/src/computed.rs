//! Which operations have a meaning of their own: their results are terms of their operands.

use program::{Intrinsic, Op};

/// The names of LLVM that have a meaning: see [`crate::named`].
pub(crate) const NAMES: &[&str] = &[
    "select",
    "extractelement",
    "insertelement",
    "ushl.sat",
    "sshl.sat",
    "ucmp",
    "scmp",
    "ptrmask",
];

/// Whether an operation's result is computed from its operands alone: whether [`Builder::value`](crate::Builder::value) may have an answer.
#[must_use]
pub fn is_computed(op: &Op) -> bool {
    use Intrinsic as I;
    match op {
        Op::Bin { .. }
        | Op::FBin { .. }
        | Op::FNeg { .. }
        | Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Freeze { .. }
        | Op::Gep { .. }
        | Op::ExtractValue { .. }
        | Op::InsertValue { .. } => true,
        Op::Intrinsic { op, .. } => !matches!(
            op,
            I::VaStart | I::VaEnd | I::VaCopy | I::StackSave | I::StackRestore | I::Trap
        ),
        Op::Opaque { what, .. } => NAMES.contains(&&**what),
        Op::Phi { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Alloca { .. }
        | Op::Mem { .. }
        | Op::Call { .. }
        | Op::Count { .. } => false,
    }
}
