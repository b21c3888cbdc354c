//! Instructions and terminators.

use std::sync::Arc;

use crate::id::{BlockId, ExternId, FuncId, SiteId, SpotId};
use crate::op::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic, MemOp};
use crate::operand::Operand;
use crate::place::Loc;

/// Why a site is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// A conditional branch: edges false, true.
    Branch,
    /// One edge for each case, in order, then the default.
    Switch {
        /// Width of the switched value.
        bits: u32,
        /// Zero-extended, one for each edge but the last.
        cases: Vec<u128>,
    },
    /// A conditional expression without a branch: edges false, true.
    Select,
    /// A profile counter after a call that may not return: one edge.
    Probe,
}

impl SiteKind {
    /// Number of edges; of a `switch` without cases.
    pub(crate) fn least_edges(&self) -> usize {
        match self {
            SiteKind::Branch | SiteKind::Select => 2,
            SiteKind::Switch { .. } | SiteKind::Probe => 1,
        }
    }
}
/// An instruction: an operation at a place. Its result type is with the value that it defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    pub block: BlockId,
    pub op: Op,
    pub loc: Option<Loc>,
    /// Where symbolism can get lost.
    pub spot: Option<SpotId>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Bin {
        op: BinOp,
        lhs: Operand,
        rhs: Operand,
    },
    FBin {
        op: FBinOp,
        lhs: Operand,
        rhs: Operand,
    },
    FNeg {
        value: Operand,
    },
    ICmp {
        pred: ICmp,
        lhs: Operand,
        rhs: Operand,
    },
    FCmp {
        pred: FCmp,
        lhs: Operand,
        rhs: Operand,
    },
    Cast {
        op: CastOp,
        value: Operand,
    },
    Select {
        cond: Operand,
        then_value: Operand,
        else_value: Operand,
    },
    /// One operand for each predecessor block.
    Phi {
        incoming: Vec<(BlockId, Operand)>,
    },
    /// The value as it is, with undefined bits fixed.
    Freeze {
        value: Operand,
    },
    /// The value's type says how much is read.
    Load {
        address: Operand,
        align: u32,
        volatile: bool,
    },
    Store {
        address: Operand,
        value: Operand,
        align: u32,
        volatile: bool,
    },
    /// `base + offset + Σ index * scale`, in bytes; an index is sign-extended to the width of a pointer.
    Gep {
        base: Operand,
        indices: Vec<(Operand, i64)>,
        offset: i64,
    },
    /// A fresh object of `size * count` bytes that lives until the function returns.
    Alloca {
        size: u64,
        align: u32,
        count: Operand,
    },
    Mem {
        op: MemOp,
        args: [Operand; 3],
        volatile: bool,
    },
    Intrinsic {
        op: Intrinsic,
        args: Vec<Operand>,
    },
    Call {
        callee: Callee,
        args: Vec<Operand>,
        variadic: bool,
    },
    /// A member, possibly of a member.
    ExtractValue {
        aggregate: Operand,
        path: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        path: Vec<u32>,
    },
    /// A profile counter grows by `step`, or by 1. Probe and select sites stand here.
    Count {
        counter: u32,
        step: Option<Operand>,
        site: Option<SiteId>,
    },
    /// Any other instruction, by name: vectors, atomics, inline assembly …
    Opaque {
        what: Arc<str>,
        args: Vec<Operand>,
    },
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FuncId),
    /// A function without a body in the program.
    Extern(ExternId),
    Indirect(Operand),
    /// Inline assembly, by its text.
    Asm(Arc<str>),
}

/// How the names of functions begin that are called with variables, where an analysis is asked what these are. Such calls do
/// nothing; they are in models that are never run.
pub const WATCH: &str = "__bothways_watch_";

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    Br {
        target: BlockId,
    },
    /// Edges of the site: false (`els`), true (`then`).
    CondBr {
        cond: Operand,
        then: BlockId,
        els: BlockId,
        site: SiteId,
    },
    /// Edges of the site: one for each case, then the default. The case constants are in [`crate::SiteKind::Switch`].
    Switch {
        value: Operand,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
        site: SiteId,
    },
    Ret {
        value: Option<Operand>,
    },
    Unreachable,
    IndirectBr {
        address: Operand,
        targets: Vec<BlockId>,
    },
    /// Any other terminator (`invoke`, `resume` …), by name.
    Opaque {
        what: Arc<str>,
        args: Vec<Operand>,
        targets: Vec<BlockId>,
    },
}

impl Op {
    /// Calls `visit` with each operand, in the order of the text form.
    pub fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a Operand)) {
        match self {
            Op::Bin { lhs, rhs, .. }
            | Op::FBin { lhs, rhs, .. }
            | Op::ICmp { lhs, rhs, .. }
            | Op::FCmp { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            Op::FNeg { value } | Op::Freeze { value } | Op::Cast { value, .. } => visit(value),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => [cond, then_value, else_value].into_iter().for_each(visit),
            Op::Phi { incoming } => incoming.iter().for_each(|(_, value)| visit(value)),
            Op::Load { address, .. } => visit(address),
            Op::Store { address, value, .. } => [value, address].into_iter().for_each(visit),
            Op::Gep { base, indices, .. } => {
                visit(base);
                indices.iter().for_each(|(index, _)| visit(index));
            }
            Op::Alloca { count, .. } => visit(count),
            Op::Mem { args, .. } => args.iter().for_each(visit),
            Op::Intrinsic { args, .. } | Op::Opaque { args, .. } => args.iter().for_each(visit),
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    visit(target);
                }
                args.iter().for_each(visit);
            }
            Op::ExtractValue { aggregate, .. } => visit(aggregate),
            Op::InsertValue {
                aggregate, value, ..
            } => [aggregate, value].into_iter().for_each(visit),
            Op::Count { step, .. } => step.iter().for_each(visit),
        }
    }

    /// The select or probe site that stands here.
    #[must_use]
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Op::Count { site, .. } => *site,
            _ => None,
        }
    }
}

impl Terminator {
    /// The blocks that may run next, in edge order; a block that several edges lead to is there several times.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (first, cases, targets): (Vec<BlockId>, &[(u128, BlockId)], &[BlockId]) = match self {
            Terminator::Br { target } => (vec![*target], &[], &[]),
            Terminator::CondBr { then, els, .. } => (vec![*els, *then], &[], &[]),
            Terminator::Switch { cases, .. } => (Vec::new(), cases, &[]),
            Terminator::IndirectBr { targets, .. } | Terminator::Opaque { targets, .. } => {
                (Vec::new(), &[], targets)
            }
            Terminator::Ret { .. } | Terminator::Unreachable => (Vec::new(), &[], &[]),
        };
        let default = match self {
            Terminator::Switch { default, .. } => Some(*default),
            _ => None,
        };
        first
            .into_iter()
            .chain(cases.iter().map(|(_, block)| *block))
            .chain(targets.iter().copied())
            .chain(default)
    }

    /// The branch or switch site that stands here.
    #[must_use]
    pub fn site(&self) -> Option<SiteId> {
        match self {
            Terminator::CondBr { site, .. } | Terminator::Switch { site, .. } => Some(*site),
            _ => None,
        }
    }

    /// Calls `visit` with each operand, in the order of the text form.
    pub fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a Operand)) {
        match self {
            Terminator::Br { .. } | Terminator::Unreachable => {}
            Terminator::CondBr { cond, .. } => visit(cond),
            Terminator::Switch { value, .. } => visit(value),
            Terminator::Ret { value } => value.iter().for_each(visit),
            Terminator::IndirectBr { address, .. } => visit(address),
            Terminator::Opaque { args, .. } => args.iter().for_each(visit),
        }
    }
}
