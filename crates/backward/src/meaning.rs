//! What an instruction computes, as a term over its operands.
//!
//! One definition for each operation of the model, in machine arithmetic: it wraps, shifts take the amount modulo the width, and
//! a pointer is a number. What traps (a division by zero) has no result that anybody sees, so it may have any.
//!
//! Must hold: where [`of`] has an answer it is the value that the instruction has in every run; where it has none (`None`), nothing
//! is known of it.

use program::{
    BinOp, CastOp, Const, DataLayout, FBinOp, FCmp, Function, ICmp, Intrinsic, Op, Operand, Type,
};
use smt::{Pool, Term};

/// Bits of a value that a term can stand for; `None` for aggregates, vectors, `long double`.
pub fn width(layout: &DataLayout, ty: &Type) -> Option<u16> {
    match ty {
        Type::Int(bits @ 1..=128) => u16::try_from(*bits).ok(),
        Type::F32 => Some(32),
        Type::F64 => Some(64),
        Type::Ptr => u16::try_from(layout.pointer_bits).ok(),
        _ => None,
    }
}

/// A constant that is a number. Addresses are not.
pub fn number(pool: &mut Pool, layout: &DataLayout, constant: &Const) -> Option<Term> {
    let bits = width(layout, &constant.ty())?;
    let value = match constant {
        Const::Int { value, .. } => *value,
        Const::F32(bits) => u128::from(*bits),
        Const::F64(bits) => u128::from(*bits),
        Const::Null | Const::Zero(_) => 0,
        _ => return None,
    };
    Some(pool.constant(bits, value))
}

/// The value of an instruction of type `ty` whose operands have the values that `term` says.
pub fn of(
    pool: &mut Pool,
    layout: &DataLayout,
    function: &Function,
    (op, ty): (&Op, &Type),
    term: &mut dyn FnMut(&mut Pool, &Operand) -> Option<Term>,
) -> Option<Term> {
    let bits = width(layout, ty)?;
    match op {
        Op::Bin { op, lhs, rhs } => {
            let (a, b) = (term(pool, lhs)?, term(pool, rhs)?);
            Some(binary(pool, *op, a, b))
        }
        Op::FBin { op, lhs, rhs } => {
            let (a, b) = (term(pool, lhs)?, term(pool, rhs)?);
            Some(pool.bin(float_op(*op), a, b))
        }
        Op::FNeg { value } => {
            let value = term(pool, value)?;
            Some(pool.un(smt::Op::FNeg, value))
        }
        Op::ICmp { pred, lhs, rhs } => {
            let (a, b) = (term(pool, lhs)?, term(pool, rhs)?);
            Some(compare(pool, *pred, a, b))
        }
        Op::FCmp { pred, lhs, rhs } => {
            let (a, b) = (term(pool, lhs)?, term(pool, rhs)?);
            Some(compare_floats(pool, *pred, a, b))
        }
        Op::Cast { op, value } => {
            let from = function.operand_type(value);
            width(layout, &from)?;
            let value = term(pool, value)?;
            cast(pool, *op, value, bits)
        }
        Op::Select {
            cond,
            then_value,
            else_value,
        } => {
            let cond = term(pool, cond)?;
            let (then, otherwise) = (term(pool, then_value)?, term(pool, else_value)?);
            Some(pool.ite(cond, then, otherwise))
        }
        Op::Freeze { value } => term(pool, value),
        Op::Gep {
            base,
            indices,
            offset,
        } => {
            let mut address = term(pool, base)?;
            for (index, scale) in indices {
                let index = term(pool, index)?;
                let index = resize_signed(pool, index, bits);
                let scale = signed(pool, bits, *scale);
                let step = pool.bin(smt::Op::Mul, index, scale);
                address = pool.bin(smt::Op::Add, address, step);
            }
            let offset = signed(pool, bits, *offset);
            Some(pool.bin(smt::Op::Add, address, offset))
        }
        Op::Intrinsic { op, args } => intrinsic(pool, *op, args, term),
        _ => None,
    }
}

fn signed(pool: &mut Pool, bits: u16, value: i64) -> Term {
    let mask = u128::MAX >> (128 - u32::from(bits));
    pool.constant(bits, i128::from(value) as u128 & mask)
}

fn resize_signed(pool: &mut Pool, term: Term, bits: u16) -> Term {
    match pool.width(term).cmp(&bits) {
        std::cmp::Ordering::Less => pool.sext(term, bits),
        std::cmp::Ordering::Equal => term,
        std::cmp::Ordering::Greater => pool.extract(term, 0, bits),
    }
}

fn resize(pool: &mut Pool, term: Term, bits: u16) -> Term {
    match pool.width(term).cmp(&bits) {
        std::cmp::Ordering::Less => pool.zext(term, bits),
        std::cmp::Ordering::Equal => term,
        std::cmp::Ordering::Greater => pool.extract(term, 0, bits),
    }
}

fn binary(pool: &mut Pool, op: BinOp, a: Term, b: Term) -> Term {
    use smt::Op::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    let amount = |pool: &mut Pool| {
        let bits = pool.width(b);
        let bits = pool.constant(bits, u128::from(bits));
        pool.bin(URem, b, bits)
    };
    let (op, b) = match op {
        BinOp::Add => (Add, b),
        BinOp::Sub => (Sub, b),
        BinOp::Mul => (Mul, b),
        BinOp::UDiv => (UDiv, b),
        BinOp::SDiv => (SDiv, b),
        BinOp::URem => (URem, b),
        BinOp::SRem => (SRem, b),
        BinOp::And => (And, b),
        BinOp::Or => (Or, b),
        BinOp::Xor => (Xor, b),
        // A truth value is shifted by nothing: its width does not fit in it.
        BinOp::Shl | BinOp::LShr | BinOp::AShr if pool.width(b) == 1 => return a,
        BinOp::Shl => (Shl, amount(pool)),
        BinOp::LShr => (LShr, amount(pool)),
        BinOp::AShr => (AShr, amount(pool)),
    };
    pool.bin(op, a, b)
}

fn float_op(op: FBinOp) -> smt::Op {
    match op {
        FBinOp::Add => smt::Op::FAdd,
        FBinOp::Sub => smt::Op::FSub,
        FBinOp::Mul => smt::Op::FMul,
        FBinOp::Div => smt::Op::FDiv,
        FBinOp::Rem => smt::Op::FRem,
    }
}

fn compare(pool: &mut Pool, pred: ICmp, a: Term, b: Term) -> Term {
    use smt::Op::{Sle, Slt, Ule, Ult};
    match pred {
        ICmp::Eq => pool.eq(a, b),
        ICmp::Ne => pool.ne(a, b),
        ICmp::Ult => pool.cmp(Ult, a, b),
        ICmp::Ule => pool.cmp(Ule, a, b),
        ICmp::Ugt => pool.cmp(Ult, b, a),
        ICmp::Uge => pool.cmp(Ule, b, a),
        ICmp::Slt => pool.cmp(Slt, a, b),
        ICmp::Sle => pool.cmp(Sle, a, b),
        ICmp::Sgt => pool.cmp(Slt, b, a),
        ICmp::Sge => pool.cmp(Sle, b, a),
    }
}

fn compare_floats(pool: &mut Pool, pred: FCmp, a: Term, b: Term) -> Term {
    use smt::Op::{FEq, FLe, FLt, FUno};
    // An unordered predicate is the negation of the opposite ordered one.
    let (op, a, b, negated) = match pred {
        FCmp::False => return pool.bool(false),
        FCmp::True => return pool.bool(true),
        FCmp::Oeq => (FEq, a, b, false),
        FCmp::Olt => (FLt, a, b, false),
        FCmp::Ole => (FLe, a, b, false),
        FCmp::Ogt => (FLt, b, a, false),
        FCmp::Oge => (FLe, b, a, false),
        FCmp::Uno => (FUno, a, b, false),
        FCmp::Ord => (FUno, a, b, true),
        FCmp::Une => (FEq, a, b, true),
        FCmp::Uge => (FLt, a, b, true),
        FCmp::Ugt => (FLe, a, b, true),
        FCmp::Ule => (FLt, b, a, true),
        FCmp::Ult => (FLe, b, a, true),
        FCmp::One | FCmp::Ueq => {
            let equal = pool.cmp(FEq, a, b);
            let unordered = pool.cmp(FUno, a, b);
            let either = pool.or(equal, unordered);
            return if pred == FCmp::Ueq {
                either
            } else {
                pool.not(either)
            };
        }
    };
    let term = pool.cmp(op, a, b);
    if negated { pool.not(term) } else { term }
}

fn cast(pool: &mut Pool, op: CastOp, value: Term, bits: u16) -> Option<Term> {
    let made = |pool: &mut Pool, op| pool.try_apply(op, bits, 0, &[value]).ok();
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => {
            Some(resize(pool, value, bits))
        }
        CastOp::SExt => Some(resize_signed(pool, value, bits)),
        CastOp::FpTrunc | CastOp::FpExt => made(pool, smt::Op::FToF),
        CastOp::FpToUi => made(pool, smt::Op::FToU),
        CastOp::FpToSi => made(pool, smt::Op::FToS),
        CastOp::UiToFp => made(pool, smt::Op::UToF),
        CastOp::SiToFp => made(pool, smt::Op::SToF),
        CastOp::Bitcast => (pool.width(value) == bits).then_some(value),
    }
}

fn intrinsic(
    pool: &mut Pool,
    op: Intrinsic,
    args: &[Operand],
    term: &mut dyn FnMut(&mut Pool, &Operand) -> Option<Term>,
) -> Option<Term> {
    use smt::Op::{Slt, Ult};
    let mut arg = |pool: &mut Pool, at: usize| term(pool, args.get(at)?);
    let least = |op| match op {
        Intrinsic::UMin => Some((Ult, false)),
        Intrinsic::UMax => Some((Ult, true)),
        Intrinsic::SMin => Some((Slt, false)),
        Intrinsic::SMax => Some((Slt, true)),
        _ => None,
    };
    if let Some((less, most)) = least(op) {
        let (a, b) = (arg(pool, 0)?, arg(pool, 1)?);
        let first = pool.cmp(less, a, b);
        let (then, otherwise) = if most { (b, a) } else { (a, b) };
        return Some(pool.ite(first, then, otherwise));
    }
    match op {
        Intrinsic::Expect => arg(pool, 0),
        Intrinsic::Abs => {
            let value = arg(pool, 0)?;
            let zero = pool.constant(pool.width(value), 0);
            let negative = pool.cmp(Slt, value, zero);
            let negated = pool.un(smt::Op::Neg, value);
            Some(pool.ite(negative, negated, value))
        }
        Intrinsic::FAbs => {
            let value = arg(pool, 0)?;
            Some(pool.un(smt::Op::FAbs, value))
        }
        Intrinsic::Ctpop => {
            let value = arg(pool, 0)?;
            Some(pool.un(smt::Op::Popcount, value))
        }
        Intrinsic::Ctlz => {
            let value = arg(pool, 0)?;
            Some(pool.un(smt::Op::Clz, value))
        }
        Intrinsic::Cttz => {
            let value = arg(pool, 0)?;
            Some(pool.un(smt::Op::Ctz, value))
        }
        _ => None,
    }
}
