//! What an instruction does: a result, an access to memory, or something that the model does not say.

use program::{Intrinsic, MemOp, Op, Type};
use smt::{Op as TermOp, Pool, Term};

use crate::builder::{Builder, Made};
use crate::memory::{Access, Write};
use crate::value::{Gap, Value};

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It has this result, and leaves memory as it is.
    Value(Value),
    /// Its result is what memory holds there: see [`Builder::read`].
    Read(Access),
    Write(Write),
    /// Bytes are copied as if all were read before one is written.
    Copy(Block),
    /// Each byte of a range becomes this one.
    Fill {
        block: Block,
        byte: Term,
    },
    /// A fresh object; the result is its address.
    Fresh {
        bytes: Term,
        align: u32,
    },
    /// The result depends on where control comes from: see [`incoming`](crate::incoming).
    Phi,
    /// The program calls a function.
    Call,
    /// The program stops here.
    Stop,
    /// Nothing that the program sees: profile counters.
    Nothing,
    /// The result is unknown; memory stays as it is.
    Unknown(Gap),
    /// The result is unknown, and anything that the instruction can reach may have been written.
    Havoc(Gap),
}

/// A range of memory that is written as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub to: Term,
    /// Where the bytes come from; of a `Fill`, the range itself.
    pub from: Term,
    /// In bytes; of a pointer's width.
    pub length: Term,
    pub volatile: bool,
}

impl Block {
    /// Whether the byte at `address` is written, and the address that it comes from.
    pub fn source(&self, pool: &mut Pool, address: Term) -> (Term, Term) {
        let offset = pool.bin(TermOp::Sub, address, self.to);
        let inside = pool.cmp(TermOp::Ult, offset, self.length);
        (inside, pool.bin(TermOp::Add, self.from, offset))
    }
}

impl Builder<'_> {
    /// What an operation of type `ty` does. `types` are those of the operands.
    pub fn effect(&mut self, op: &Op, ty: &Type, operands: &[Value], types: &[Type]) -> Effect {
        let made = match op {
            Op::Load {
                align, volatile, ..
            } => self.load(ty, operands, (*align, *volatile)),
            Op::Store {
                align, volatile, ..
            } => self.store(operands, types, (*align, *volatile)),
            Op::Mem { op, volatile, .. } => self.block(*op, operands, *volatile),
            Op::Alloca { size, align, .. } => self.fresh(*size, *align, operands),
            Op::Phi { .. } => Ok(Effect::Phi),
            Op::Call { .. } => Ok(Effect::Call),
            Op::Count { .. } => Ok(Effect::Nothing),
            Op::Intrinsic {
                op: Intrinsic::Trap,
                ..
            } => Ok(Effect::Stop),
            _ => self.value(op, ty, operands).map(Effect::Value),
        };
        made.unwrap_or_else(|gap| {
            if may_write(op) {
                Effect::Havoc(gap)
            } else {
                Effect::Unknown(gap)
            }
        })
    }

    fn load(&mut self, ty: &Type, operands: &[Value], how: (u32, bool)) -> Made<Effect> {
        let [address] = operands else {
            return Err(Gap::Operands);
        };
        Ok(Effect::Read(self.access(ty, address, how)?))
    }

    fn access(
        &mut self,
        ty: &Type,
        address: &Value,
        (align, volatile): (u32, bool),
    ) -> Made<Access> {
        Ok(Access {
            address: address.scalar().ok_or(Gap::Operands)?,
            bytes: self.bytes_of(ty).ok_or(Gap::Type)?,
            align,
            volatile,
        })
    }

    fn store(&mut self, operands: &[Value], types: &[Type], how: (u32, bool)) -> Made<Effect> {
        let ([value, address], [ty, _]) = (operands, types) else {
            return Err(Gap::Operands);
        };
        let access = self.access(ty, address, how)?;
        let bytes = self.written(ty, value)?;
        Ok(Effect::Write(Write { access, bytes }))
    }

    fn block(&mut self, op: MemOp, operands: &[Value], volatile: bool) -> Made<Effect> {
        let scalars: Option<Vec<Term>> = operands.iter().map(Value::scalar).collect();
        let Some(&[to, second, length]) = scalars.as_deref() else {
            return Err(Gap::Operands);
        };
        let length = self.resize(length, self.pool.width(to));
        let block = |from| Block {
            to,
            from,
            length,
            volatile,
        };
        Ok(match op {
            MemOp::Copy | MemOp::Move => Effect::Copy(block(second)),
            MemOp::Set => Effect::Fill {
                block: block(to),
                byte: second,
            },
        })
    }

    fn fresh(&mut self, size: u64, align: u32, operands: &[Value]) -> Made<Effect> {
        let [count] = operands else {
            return Err(Gap::Operands);
        };
        let bits = self.layout.pointer_bits as u16;
        let count = self.resize(count.scalar().ok_or(Gap::Operands)?, bits);
        let size = self.pool.constant(bits, u128::from(size));
        let bytes = self.pool.bin(TermOp::Mul, count, size);
        Ok(Effect::Fresh { bytes, align })
    }
}

/// May an instruction of which nothing more is known write to memory?
#[must_use]
pub fn may_write(op: &Op) -> bool {
    match op {
        Op::Intrinsic { op, .. } => matches!(
            op,
            Intrinsic::VaStart
                | Intrinsic::VaEnd
                | Intrinsic::VaCopy
                | Intrinsic::StackSave
                | Intrinsic::StackRestore
        ),
        Op::Store { .. } | Op::Mem { .. } | Op::Call { .. } | Op::Opaque { .. } => true,
        _ => false,
    }
}
