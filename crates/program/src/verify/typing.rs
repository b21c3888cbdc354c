//! Types of operands and results.

use super::{VerifyError, check, place};
use crate::function::Function;
use crate::id::FuncId;
use crate::inst::{Callee, Op, Terminator};
use crate::model::Program;
use crate::op::{CastOp, Intrinsic, MemOp};
use crate::operand::{Const, Operand};
use crate::text::print_type;
use crate::types::{DataLayout, Type};

pub(super) fn verify(program: &Program, function: FuncId) -> Result<(), VerifyError> {
    let body = &program.functions[function];
    let rules = Rules {
        layout: program.layout,
        body,
    };
    for (block, data) in body.blocks.iter() {
        for (value, inst) in body.insts(block) {
            let ty = &body.values[value].ty;
            rules
                .operands(|visit| inst.op.for_each_operand(visit))
                .and_then(|()| rules.op(&inst.op, ty))
                .or_else(|message| {
                    check(
                        false,
                        || place(program, function, value, inst.loc),
                        || message,
                    )
                })?;
        }
        rules
            .operands(|visit| data.terminator.for_each_operand(visit))
            .and_then(|()| rules.terminator(&data.terminator))
            .or_else(|message| {
                check(
                    false,
                    || place(program, function, block, data.loc),
                    || message,
                )
            })?;
    }
    Ok(())
}

struct Rules<'a> {
    layout: DataLayout,
    body: &'a Function,
}

type Verdict = Result<(), String>;

impl Rules<'_> {
    fn of(&self, operand: &Operand) -> Type {
        self.body.operand_type(operand)
    }

    /// Constants are well-formed, and nothing of type `void` is used.
    fn operands(&self, visit_all: impl FnOnce(&mut dyn FnMut(&Operand))) -> Verdict {
        let mut verdict = Ok(());
        visit_all(&mut |operand| {
            let one = match operand {
                _ if self.of(operand) == Type::Void => Err("an operand of type void".to_owned()),
                Operand::Const(constant) => well_formed(constant),
                Operand::Value(_) => Ok(()),
            };
            verdict = std::mem::replace(&mut verdict, Ok(())).and(one);
        });
        verdict
    }

    fn op(&self, op: &Op, ty: &Type) -> Verdict {
        match op {
            Op::Bin { lhs, rhs, .. } => {
                self.same(&[lhs, rhs], ty)?;
                want(lane(ty).is_int(), "integers", ty)
            }
            Op::FBin { lhs, rhs, .. } => {
                self.same(&[lhs, rhs], ty)?;
                want(is_float(ty), "floats", ty)
            }
            Op::FNeg { value } => {
                self.same(&[value], ty)?;
                want(is_float(ty), "floats", ty)
            }
            Op::Freeze { value } => self.same(&[value], ty),
            Op::ICmp { lhs, rhs, .. } => {
                let compared = self.of(lhs);
                self.same(&[rhs], &compared)?;
                want(
                    lane(&compared).is_int() || *lane(&compared) == Type::Ptr,
                    "integers or pointers",
                    &compared,
                )?;
                want(*ty == truth(&compared), "a truth value", ty)
            }
            Op::FCmp { lhs, rhs, .. } => {
                let compared = self.of(lhs);
                self.same(&[rhs], &compared)?;
                want(is_float(&compared), "floats", &compared)?;
                want(*ty == truth(&compared), "a truth value", ty)
            }
            Op::Cast { op, value } => self.cast(*op, &self.of(value), ty),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                self.same(&[then_value, else_value], ty)?;
                let cond = self.of(cond);
                want(
                    cond == Type::BOOL || cond == truth(ty),
                    "a truth value",
                    &cond,
                )
            }
            Op::Phi { incoming } => incoming
                .iter()
                .try_for_each(|(_, value)| self.same(&[value], ty)),
            _ => self.memory_op(op, ty),
        }
    }

    fn memory_op(&self, op: &Op, ty: &Type) -> Verdict {
        match op {
            Op::Load { address, align, .. } => {
                self.same(&[address], &Type::Ptr)?;
                power_of_two(*align)?;
                want(*ty != Type::Void, "a value", ty)
            }
            Op::Store { address, align, .. } => {
                self.same(&[address], &Type::Ptr)?;
                power_of_two(*align)?;
                want(*ty == Type::Void, "no result", ty)
            }
            Op::Gep { base, indices, .. } => {
                self.same(&[base], &Type::Ptr)?;
                for (index, _) in indices {
                    want(self.of(index).is_int(), "an integer index", &self.of(index))?;
                }
                want(*ty == Type::Ptr, "a pointer", ty)
            }
            Op::Alloca { align, count, .. } => {
                power_of_two(*align)?;
                want(self.of(count).is_int(), "an integer count", &self.of(count))?;
                want(*ty == Type::Ptr, "a pointer", ty)
            }
            Op::Mem {
                op,
                args: [to, from, length],
                ..
            } => {
                let second = if *op == MemOp::Set {
                    Type::Int(8)
                } else {
                    Type::Ptr
                };
                self.same(&[to], &Type::Ptr)?;
                self.same(&[from], &second)?;
                want(
                    self.of(length).is_int(),
                    "an integer length",
                    &self.of(length),
                )?;
                want(*ty == Type::Void, "no result", ty)
            }
            _ => self.other_op(op, ty),
        }
    }

    fn other_op(&self, op: &Op, ty: &Type) -> Verdict {
        match op {
            Op::Intrinsic { op, args } => self.intrinsic(*op, args, ty),
            Op::Call {
                callee: Callee::Indirect(target),
                ..
            } => self.same(&[target], &Type::Ptr),
            Op::ExtractValue { aggregate, path } => {
                let aggregate = self.of(aggregate);
                let member = aggregate.at(path).filter(|_| !path.is_empty());
                want(member == Some(ty), "the type of the member", ty)
            }
            Op::InsertValue {
                aggregate,
                value,
                path,
            } => {
                self.same(&[aggregate], ty)?;
                let value = self.of(value);
                let member = ty.at(path).filter(|_| !path.is_empty());
                want(member == Some(&value), "the type of the member", &value)
            }
            Op::Count { step, .. } => {
                if let Some(step) = step {
                    want(self.of(step).is_int(), "an integer step", &self.of(step))?;
                }
                want(*ty == Type::Void, "no result", ty)
            }
            _ => Ok(()),
        }
    }

    fn terminator(&self, terminator: &Terminator) -> Verdict {
        match terminator {
            Terminator::CondBr { cond, .. } => self.same(&[cond], &Type::BOOL),
            Terminator::Switch { value, cases, .. } => {
                let Type::Int(bits @ 1..=128) = self.of(value) else {
                    return want(false, "an integer of up to 128 bits", &self.of(value));
                };
                let mut constants: Vec<_> = cases.iter().map(|(case, _)| *case).collect();
                constants.sort_unstable();
                if let Some(large) = constants
                    .last()
                    .filter(|case| **case > u128::MAX >> (128 - bits))
                {
                    return Err(format!("case {large} does not fit in {bits} bits"));
                }
                match constants.windows(2).find(|pair| pair[0] == pair[1]) {
                    Some(pair) => Err(format!("case {} is there twice", pair[0])),
                    None => Ok(()),
                }
            }
            Terminator::Ret { value: None } => want(
                self.body.return_type == Type::Void,
                "a value to return",
                &Type::Void,
            ),
            Terminator::Ret { value: Some(value) } => self.same(&[value], &self.body.return_type),
            Terminator::IndirectBr { address, .. } => self.same(&[address], &Type::Ptr),
            Terminator::Br { .. } | Terminator::Unreachable | Terminator::Opaque { .. } => Ok(()),
        }
    }

    fn same(&self, operands: &[&Operand], ty: &Type) -> Verdict {
        match operands
            .iter()
            .map(|operand| self.of(operand))
            .find(|found| found != ty)
        {
            Some(found) => Err(format!(
                "an operand has type {}, but {} is asked for",
                print_type(&found),
                print_type(ty)
            )),
            None => Ok(()),
        }
    }

    fn cast(&self, op: CastOp, from: &Type, to: &Type) -> Verdict {
        let (a, b) = (lane(from), lane(to));
        let bits = |ty| self.layout.bits_of(ty);
        let good = match op {
            CastOp::Trunc => a.is_int() && b.is_int() && bits(a) > bits(b),
            CastOp::ZExt | CastOp::SExt => a.is_int() && b.is_int() && bits(a) < bits(b),
            CastOp::FpTrunc | CastOp::FpExt => is_float(a) && is_float(b),
            CastOp::FpToUi | CastOp::FpToSi => is_float(a) && b.is_int(),
            CastOp::UiToFp | CastOp::SiToFp => a.is_int() && is_float(b),
            CastOp::PtrToInt => *a == Type::Ptr && b.is_int(),
            CastOp::IntToPtr => a.is_int() && *b == Type::Ptr,
            CastOp::Bitcast => bits(from) == bits(to),
        };
        let lanes = op == CastOp::Bitcast || lanes(from) == lanes(to);
        if good && lanes {
            Ok(())
        } else {
            Err(format!(
                "{op} from {} to {}",
                print_type(from),
                print_type(to)
            ))
        }
    }

    fn intrinsic(&self, op: Intrinsic, args: &[Operand], ty: &Type) -> Verdict {
        use Intrinsic as I;
        let types: Vec<_> = args.iter().map(|arg| self.of(arg)).collect();
        let all = |count: usize, accept: &dyn Fn(&Type) -> bool, what: &str| {
            if types.len() != count {
                return Err(format!("{op} takes {count} operands, not {}", types.len()));
            }
            types
                .iter()
                .try_for_each(|found| want(found == ty && accept(lane(found)), what, found))
        };
        let int = |ty: &Type| ty.is_int();
        match op {
            I::UAddO | I::SAddO | I::USubO | I::SSubO | I::UMulO | I::SMulO => {
                let [lhs, rhs] = types.as_slice() else {
                    return Err(format!("{op} takes 2 operands"));
                };
                want(
                    lhs == rhs && lane(lhs).is_int(),
                    "two integers of one type",
                    rhs,
                )?;
                let fits = ty.member(0) == Some(lhs)
                    && ty.member(1) == Some(&truth(lhs))
                    && ty.member(2).is_none();
                want(fits, "a struct of the value and the overflow bit", ty)
            }
            I::UAddSat
            | I::SAddSat
            | I::USubSat
            | I::SSubSat
            | I::UMin
            | I::UMax
            | I::SMin
            | I::SMax => all(2, &int, "integers"),
            I::Abs | I::Ctpop | I::Ctlz | I::Cttz | I::Bswap | I::BitReverse => {
                all(1, &int, "integers")
            }
            I::FShl | I::FShr => all(3, &int, "integers"),
            I::FAbs
            | I::Sqrt
            | I::Floor
            | I::Ceil
            | I::Trunc
            | I::Round
            | I::RoundEven
            | I::Rint
            | I::NearbyInt => all(1, &is_float, "floats"),
            I::CopySign | I::MinNum | I::MaxNum => all(2, &is_float, "floats"),
            I::Fma | I::FMulAdd => all(3, &is_float, "floats"),
            I::Expect => want(
                types.first() == Some(ty),
                "the type of the first operand",
                ty,
            ),
            I::VaStart | I::VaEnd | I::VaCopy | I::StackRestore => {
                let count = if op == I::VaCopy { 2 } else { 1 };
                want(*ty == Type::Void, "no result", ty)?;
                let pointers =
                    types.len() == count && types.iter().all(|found| *found == Type::Ptr);
                if pointers {
                    Ok(())
                } else {
                    Err(format!("{op} takes {count} pointers"))
                }
            }
            I::StackSave => want(types.is_empty() && *ty == Type::Ptr, "a pointer", ty),
            I::Trap => want(types.is_empty() && *ty == Type::Void, "no result", ty),
        }
    }
}

fn want(holds: bool, what: &str, found: &Type) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(format!("{what} asked for, {} found", print_type(found)))
    }
}

fn power_of_two(align: u32) -> Verdict {
    if align.is_power_of_two() {
        Ok(())
    } else {
        Err(format!("the alignment is {align}"))
    }
}

/// A constant's members have the types that its own type says.
fn well_formed(constant: &Const) -> Verdict {
    match constant {
        Const::Int { bits, value } => {
            let fits = (1..=128).contains(bits) && *value <= u128::MAX >> (128 - bits);
            if fits {
                Ok(())
            } else {
                Err(format!("{value} is no constant of {bits} bits"))
            }
        }
        Const::Aggregate(aggregate) => {
            let count = match &aggregate.ty {
                Type::Struct(ty) => ty.fields.len() as u64,
                Type::Array(ty) => ty.count,
                Type::Vector(ty) => u64::from(ty.lanes),
                other => return want(false, "an aggregate type", other),
            };
            if aggregate.members.len() as u64 != count {
                return Err(format!(
                    "{} members for {}",
                    aggregate.members.len(),
                    print_type(&aggregate.ty)
                ));
            }
            for (index, member) in (0..).zip(&aggregate.members) {
                well_formed(member)?;
                let found = member.ty();
                want(
                    aggregate.ty.member(index) == Some(&found),
                    "the type of the member",
                    &found,
                )?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The element of a vector, or the type itself.
fn lane(ty: &Type) -> &Type {
    match ty {
        Type::Vector(ty) => &ty.element,
        _ => ty,
    }
}

fn lanes(ty: &Type) -> Option<u32> {
    match ty {
        Type::Vector(ty) => Some(ty.lanes),
        _ => None,
    }
}

/// Floats of the model, and those that it knows by name only.
fn is_float(ty: &Type) -> bool {
    lane(ty).is_float() || matches!(lane(ty), Type::Opaque(_))
}

fn truth(compared: &Type) -> Type {
    match compared {
        Type::Vector(ty) => Type::vector(Type::BOOL, ty.lanes),
        _ => Type::BOOL,
    }
}
