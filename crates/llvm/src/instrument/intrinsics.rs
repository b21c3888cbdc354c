//! LLVM intrinsics: how each is treated, and the expression of those that have one.
//!
//! `fmuladd` is no longer here where it rounds twice: `prepare` splits it.

use super::function::Fx;
use crate::ir::Value;
use crate::types::{bits, is_scalar, leaves};
use wire::abi::{BITREVERSE, Intrinsic, name};
use wire::node::Op;

/// Treatment of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handling {
    /// It computes nothing from its operands that a program sees.
    Concrete,
    /// It returns its first operand.
    Same,
    /// It has an expression.
    Computed,
    /// `memcpy`, `memmove`.
    Move,
    /// `memset`.
    Set,
    /// `va_start`.
    VaStart,
    /// `va_copy`.
    VaCopy,
    /// Symbolic operands are lost.
    Lost,
}

/// Treatment of the intrinsic that an instruction calls; `None` when it calls none.
pub(super) fn handling(instruction: Value) -> Option<Handling> {
    let full = instruction.intrinsic_name()?;
    if crate::number::jump(&full).is_some() {
        return None; // a call like that of the C library's
    }
    let stem = full.trim_start_matches("llvm.");
    let starts = |list: &[&str]| list.iter().any(|prefix| stem.starts_with(prefix));
    if starts(CONCRETE) || crate::number::is_marker(&full) {
        return Some(Handling::Concrete);
    }
    if starts(SAME) {
        return Some(Handling::Same);
    }
    Some(match stem {
        _ if stem.starts_with("memcpy.element") || stem.starts_with("memmove.element") => {
            Handling::Lost
        }
        _ if stem.starts_with("memcpy.") || stem.starts_with("memmove.") => Handling::Move,
        _ if stem.starts_with("memset.element") => Handling::Lost,
        _ if stem.starts_with("memset.") => Handling::Set,
        _ if stem.starts_with("va_start") => Handling::VaStart,
        _ if stem.starts_with("va_copy") => Handling::VaCopy,
        _ if expression(instruction, stem).is_some() => Handling::Computed,
        _ => Handling::Lost,
    })
}

/// The same, for an instruction that may be no call.
pub(super) fn handling_of(instruction: Value) -> Option<Handling> {
    instruction
        .is_call()
        .then(|| handling(instruction))
        .flatten()
}

const CONCRETE: &[&str] = &[
    "is.constant",
    "objectsize",
    "stacksave",
    "stackrestore",
    "va_end",
    "trap",
    "debugtrap",
    "ubsantrap",
    "frameaddress",
    "returnaddress",
    "sponentry",
    "addressofreturnaddress",
    "prefetch",
    "eh.",
    "threadlocal.address",
    "pseudoprobe",
    "var.annotation",
    "codeview",
    "experimental.noalias",
    "localescape",
    "init.trampoline",
    "adjust.trampoline",
    "clear_cache",
    "readcyclecounter",
    "vscale",
    "get.dynamic.area",
    "x86.sse2.pause",
    "invariant.",
    "thread.pointer",
];

const SAME: &[&str] = &[
    "expect",
    "annotation",
    "ptr.annotation",
    "launder.invariant",
    "strip.invariant",
    "ssa.copy",
    "arithmetic.fence",
];

/// What an intrinsic computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expression {
    /// Result and overflow bit.
    Overflow(Op, Op),
    /// `aux` for `FRound`.
    Unary(u32, u32),
    Kind(Intrinsic),
    And,
}

fn expression(instruction: Value, stem: &str) -> Option<Expression> {
    let operands = instruction.args();
    let scalar = leaves(instruction.ty()).into_iter().all(is_scalar)
        && operands.iter().all(|op| is_scalar(op.ty()));
    let width = operands.first().map_or(0, |operand| bits(operand.ty()));
    let found = known(stem).filter(|_| scalar)?;
    match found {
        Expression::Overflow(..) | Expression::And => Some(found),
        // Wider integers have no such expressions; `long double` has those of one operand, and some of two.
        Expression::Unary(op, _) => {
            (width <= 64 || width == 80 && op != BITREVERSE).then_some(found)
        }
        Expression::Kind(kind) => {
            (width <= 64 || width == 80 && is_of_floats(kind)).then_some(found)
        }
    }
}

/// Intrinsics of two floats.
fn is_of_floats(kind: Intrinsic) -> bool {
    matches!(
        kind,
        Intrinsic::FMin | Intrinsic::FMax | Intrinsic::FCopySign
    )
}

fn known(stem: &str) -> Option<Expression> {
    use Expression::{Kind, Overflow, Unary};
    let dots = stem.matches('.').count();
    let base = stem.rsplit_once('.').map_or(stem, |(base, _)| base);
    let unary = |op: Op| Some(Unary(op as u32, 0));
    let round = |mode: u32| Some(Unary(Op::FRound as u32, mode));
    match base {
        "uadd.with.overflow" => Some(Overflow(Op::Add, Op::UAddO)),
        "sadd.with.overflow" => Some(Overflow(Op::Add, Op::SAddO)),
        "usub.with.overflow" => Some(Overflow(Op::Sub, Op::USubO)),
        "ssub.with.overflow" => Some(Overflow(Op::Sub, Op::SSubO)),
        "umul.with.overflow" => Some(Overflow(Op::Mul, Op::UMulO)),
        "smul.with.overflow" => Some(Overflow(Op::Mul, Op::SMulO)),
        "ctpop" => unary(Op::Popcount),
        "ctlz" => unary(Op::Clz),
        "cttz" => unary(Op::Ctz),
        "bswap" => unary(Op::Bswap),
        "bitreverse" => Some(Unary(BITREVERSE, 0)),
        "fabs" => unary(Op::FAbs),
        "sqrt" => unary(Op::FSqrt),
        "rint" | "nearbyint" | "roundeven" => round(0),
        "floor" => round(1),
        "ceil" => round(2),
        "trunc" => round(3),
        "round" => round(4),
        "umin" => Some(Kind(Intrinsic::UMin)),
        "umax" => Some(Kind(Intrinsic::UMax)),
        "smin" => Some(Kind(Intrinsic::SMin)),
        "smax" => Some(Kind(Intrinsic::SMax)),
        "abs" => Some(Kind(Intrinsic::Abs)),
        "fshl" => Some(Kind(Intrinsic::FshL)),
        "fshr" => Some(Kind(Intrinsic::FshR)),
        "uadd.sat" => Some(Kind(Intrinsic::UAddSat)),
        "sadd.sat" => Some(Kind(Intrinsic::SAddSat)),
        "usub.sat" => Some(Kind(Intrinsic::USubSat)),
        "ssub.sat" => Some(Kind(Intrinsic::SSubSat)),
        "ushl.sat" => Some(Kind(Intrinsic::UShlSat)),
        "sshl.sat" => Some(Kind(Intrinsic::SShlSat)),
        "minnum" => Some(Kind(Intrinsic::FMin)),
        "maxnum" => Some(Kind(Intrinsic::FMax)),
        "copysign" => Some(Kind(Intrinsic::FCopySign)),
        "ptrmask.p0" => Some(Expression::And),
        _ if dots == 2 && stem.starts_with("ucmp.") => Some(Kind(Intrinsic::UCmp)),
        _ if dots == 2 && stem.starts_with("scmp.") => Some(Kind(Intrinsic::SCmp)),
        _ => None,
    }
}

impl Fx<'_, '_> {
    /// Labels of the result of an intrinsic that has an expression. Slow path.
    pub(super) fn replay_intrinsic(&self, call: Value) -> Vec<Value> {
        let full = call.intrinsic_name().unwrap_or_default();
        let Some(found) = expression(call, full.trim_start_matches("llvm.")) else {
            return Vec::new();
        };
        let args = call.args();
        let width = bits(args[0].ty());
        let abi = self.abi;
        match found {
            Expression::Overflow(op, overflow) => {
                let (value, bit) = (abi.b.extract(call, 0), abi.b.extract(call, 1));
                vec![
                    self.build_bin(op as u32, width, args[0], args[1], value),
                    self.build_bin(overflow as u32, width, args[0], args[1], bit),
                ]
            }
            Expression::And => vec![self.build_bin(Op::And as u32, width, args[0], args[1], call)],
            Expression::Unary(op, mode) => vec![self.unary_label(op | mode << 8, args[0], call)],
            Expression::Kind(kind) if width > 64 => {
                let (a, b, r) = (abi.words(args[0]), abi.words(args[1]), abi.words(call));
                let kind = abi.u32(kind as u32 | width << 16);
                let (la, lb) = (self.label(args[0], 0), self.label(args[1], 0));
                let operands = [kind, la, a.0, a.1, lb, b.0, b.1, r.0, r.1];
                vec![abi.call(name::__bw_intrinsic_wide, &operands)]
            }
            Expression::Kind(kind) => {
                let mut operands = vec![abi.u32(kind as u32 | width << 16)];
                for index in 0..3 {
                    match args.get(index) {
                        Some(&arg) if !(kind == Intrinsic::Abs && index > 0) => {
                            operands.extend([self.label(arg, 0), abi.bits(arg)]);
                        }
                        _ if index == 2 && matches!(kind, Intrinsic::UCmp | Intrinsic::SCmp) => {
                            operands.extend([abi.zero(), abi.u64(u64::from(bits(call.ty())))]);
                        }
                        _ => operands.extend([abi.zero(), abi.u64(0)]),
                    }
                }
                operands.push(abi.bits(call));
                vec![abi.call(name::__bw_intrinsic, &operands)]
            }
        }
    }
}
