//! LLVM's names for operations → the model's.

use program::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic, SiteKind};

use crate::ir::{Opcode, Value};
use crate::number;

/// Integer operations of two operands.
pub fn bin(opcode: Opcode) -> Option<BinOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        _ => return None,
    })
}

/// Float operations of two operands.
pub fn float_bin(opcode: Opcode) -> Option<FBinOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FBinOp::Add,
        Opcode::LLVMFSub => FBinOp::Sub,
        Opcode::LLVMFMul => FBinOp::Mul,
        Opcode::LLVMFDiv => FBinOp::Div,
        Opcode::LLVMFRem => FBinOp::Rem,
        _ => return None,
    })
}

/// Conversions.
pub fn cast(opcode: Opcode) -> Option<CastOp> {
    Some(match opcode {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::ZExt,
        Opcode::LLVMSExt => CastOp::SExt,
        Opcode::LLVMFPTrunc => CastOp::FpTrunc,
        Opcode::LLVMFPExt => CastOp::FpExt,
        Opcode::LLVMFPToUI => CastOp::FpToUi,
        Opcode::LLVMFPToSI => CastOp::FpToSi,
        Opcode::LLVMUIToFP => CastOp::UiToFp,
        Opcode::LLVMSIToFP => CastOp::SiToFp,
        Opcode::LLVMPtrToInt => CastOp::PtrToInt,
        Opcode::LLVMIntToPtr => CastOp::IntToPtr,
        Opcode::LLVMBitCast => CastOp::Bitcast,
        _ => return None,
    })
}

/// An `icmp` predicate by LLVM's number: 32 is `eq`, and the model's order is LLVM's.
pub fn int_predicate(number: u32) -> Option<ICmp> {
    ICmp::ALL.get(number.checked_sub(32)? as usize).copied()
}

/// An `fcmp` predicate by LLVM's number, in LLVM's order.
pub fn float_predicate(number: u32) -> Option<FCmp> {
    const ORDER: [FCmp; 16] = [
        FCmp::False,
        FCmp::Oeq,
        FCmp::Ogt,
        FCmp::Oge,
        FCmp::Olt,
        FCmp::Ole,
        FCmp::One,
        FCmp::Ord,
        FCmp::Uno,
        FCmp::Ueq,
        FCmp::Ugt,
        FCmp::Uge,
        FCmp::Ult,
        FCmp::Ule,
        FCmp::Une,
        FCmp::True,
    ];
    ORDER.get(number as usize).copied()
}

/// Intrinsics by the part of LLVM's name before the types, and the number of operands that matter.
const INTRINSICS: &[(&str, Intrinsic, usize)] = &[
    ("uadd.with.overflow", Intrinsic::UAddO, 2),
    ("sadd.with.overflow", Intrinsic::SAddO, 2),
    ("usub.with.overflow", Intrinsic::USubO, 2),
    ("ssub.with.overflow", Intrinsic::SSubO, 2),
    ("umul.with.overflow", Intrinsic::UMulO, 2),
    ("smul.with.overflow", Intrinsic::SMulO, 2),
    ("uadd.sat", Intrinsic::UAddSat, 2),
    ("sadd.sat", Intrinsic::SAddSat, 2),
    ("usub.sat", Intrinsic::USubSat, 2),
    ("ssub.sat", Intrinsic::SSubSat, 2),
    ("umin", Intrinsic::UMin, 2),
    ("umax", Intrinsic::UMax, 2),
    ("smin", Intrinsic::SMin, 2),
    ("smax", Intrinsic::SMax, 2),
    ("abs", Intrinsic::Abs, 1),
    ("ctpop", Intrinsic::Ctpop, 1),
    ("ctlz", Intrinsic::Ctlz, 1),
    ("cttz", Intrinsic::Cttz, 1),
    ("bswap", Intrinsic::Bswap, 1),
    ("bitreverse", Intrinsic::BitReverse, 1),
    ("fshl", Intrinsic::FShl, 3),
    ("fshr", Intrinsic::FShr, 3),
    ("fabs", Intrinsic::FAbs, 1),
    ("sqrt", Intrinsic::Sqrt, 1),
    ("copysign", Intrinsic::CopySign, 2),
    ("minnum", Intrinsic::MinNum, 2),
    ("maxnum", Intrinsic::MaxNum, 2),
    ("floor", Intrinsic::Floor, 1),
    ("ceil", Intrinsic::Ceil, 1),
    ("trunc", Intrinsic::Trunc, 1),
    ("round", Intrinsic::Round, 1),
    ("roundeven", Intrinsic::RoundEven, 1),
    ("rint", Intrinsic::Rint, 1),
    ("nearbyint", Intrinsic::NearbyInt, 1),
    ("fma", Intrinsic::Fma, 3),
    ("fmuladd", Intrinsic::FMulAdd, 3),
    ("expect", Intrinsic::Expect, 2),
    ("expect.with.probability", Intrinsic::Expect, 2),
    ("va_start", Intrinsic::VaStart, 1),
    ("va_end", Intrinsic::VaEnd, 1),
    ("va_copy", Intrinsic::VaCopy, 2),
    ("stacksave", Intrinsic::StackSave, 0),
    ("stackrestore", Intrinsic::StackRestore, 1),
    ("trap", Intrinsic::Trap, 0),
    ("debugtrap", Intrinsic::Trap, 0),
    ("ubsantrap", Intrinsic::Trap, 0),
];

/// The model's form of an intrinsic, and how many of its arguments are operands there.
pub fn intrinsic(name: &str) -> Option<(Intrinsic, usize)> {
    let name = stem(name);
    INTRINSICS
        .iter()
        .find(|(stem, ..)| *stem == name)
        .map(|&(_, op, operands)| (op, operands))
}

/// LLVM's name without `llvm.` and the types at the end.
pub fn stem(name: &str) -> &str {
    let mut name = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((rest, last)) = name.rsplit_once('.') {
        let is_type = last.starts_with(['i', 'f', 'p', 'v', 'x'])
            && last.ends_with(|c: char| c.is_ascii_digit())
            || last == "ppcf128"
            || last.starts_with("sl_");
        if !is_type {
            break;
        }
        name = rest;
    }
    name
}

/// Kinds of sites.
pub fn site_kind(kind: &number::SiteKind) -> SiteKind {
    match kind {
        number::SiteKind::Branch => SiteKind::Branch,
        number::SiteKind::Switch { bits, cases } => SiteKind::Switch {
            bits: *bits,
            cases: cases.clone(),
        },
        number::SiteKind::Select => SiteKind::Select,
        number::SiteKind::Probe => SiteKind::Probe,
    }
}

/// What an instruction is, in a report: `load`, `call printf`.
pub fn describe(instruction: Value) -> String {
    if let Some(name) = instruction.intrinsic_name() {
        return stem(&name).to_owned();
    }
    if !instruction.is_call() {
        return mnemonic(instruction.opcode());
    }
    if instruction.callee().is_inline_assembly() {
        return "inline assembly".to_owned();
    }
    match instruction.called_function() {
        Some(function) => format!("call {}", function.name()),
        None => "call through a pointer".to_owned(),
    }
}

/// LLVM's name of an operation.
pub fn mnemonic(opcode: Opcode) -> String {
    format!("{opcode:?}")
        .trim_start_matches("LLVM")
        .to_lowercase()
}
