//! Operands of instructions: values of the function, and constants.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::id::{ExternId, FuncId, GlobalId, ValueId};
use crate::types::Type;

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operand {
    /// A parameter, or the result of an instruction.
    Value(ValueId),
    Const(Const),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Const {
    /// Zero-extended value of an integer of up to 128 bits.
    Int {
        bits: u32,
        value: u128,
    },
    /// IEEE bit patterns.
    F32(u32),
    F64(u64),
    /// The null pointer.
    Null,
    /// Any value of the type, another one at each use.
    Undef(Type),
    Poison(Type),
    /// All bytes 0: aggregates, vectors, `long double`.
    Zero(Type),
    /// Members of a struct, array or vector.
    Aggregate(Arc<AggregateConst>),
    /// Address of a global plus a number of bytes.
    Global {
        global: GlobalId,
        offset: i64,
    },
    Function(FuncId),
    /// Address of a function without a body.
    Extern(ExternId),
    /// Any other constant (`long double`, block address, constant expression without a simpler form).
    Opaque {
        ty: Type,
        what: Arc<str>,
    },
}

/// An aggregate constant with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AggregateConst {
    pub ty: Type,
    pub members: Vec<Const>,
}

impl Const {
    /// An integer; bits above the width are dropped.
    #[must_use]
    pub fn int(bits: u32, value: u128) -> Const {
        let mask = if bits >= 128 {
            u128::MAX
        } else {
            (1 << bits) - 1
        };
        Const::Int {
            bits,
            value: value & mask,
        }
    }

    /// An integer from a signed number.
    #[must_use]
    pub fn signed(bits: u32, value: i128) -> Const {
        Const::int(bits, value as u128)
    }

    /// Does something with each constant that it is made of; one that has no members is its own.
    pub fn for_each_part<'c>(&'c self, f: &mut impl FnMut(&'c Const)) {
        match self {
            Const::Aggregate(aggregate) => {
                for member in &aggregate.members {
                    member.for_each_part(f);
                }
            }
            part => f(part),
        }
    }

    /// The variables whose addresses it has.
    #[must_use]
    pub fn globals(&self) -> BTreeSet<GlobalId> {
        let mut found = BTreeSet::new();
        self.for_each_part(&mut |part| {
            if let Const::Global { global, .. } = part {
                found.insert(*global);
            }
        });
        found
    }

    /// A truth value.
    #[must_use]
    pub fn bool(value: bool) -> Const {
        Const::int(1, u128::from(value))
    }

    /// A struct, array or vector from its members.
    #[must_use]
    pub fn aggregate(ty: Type, members: Vec<Const>) -> Const {
        Const::Aggregate(Arc::new(AggregateConst { ty, members }))
    }

    /// The type of the constant.
    #[must_use]
    pub fn ty(&self) -> Type {
        match self {
            Const::Int { bits, .. } => Type::Int(*bits),
            Const::F32(_) => Type::F32,
            Const::F64(_) => Type::F64,
            Const::Null | Const::Global { .. } | Const::Function(_) | Const::Extern(_) => Type::Ptr,
            Const::Undef(ty) | Const::Poison(ty) | Const::Zero(ty) | Const::Opaque { ty, .. } => {
                ty.clone()
            }
            Const::Aggregate(aggregate) => aggregate.ty.clone(),
        }
    }
}

impl Operand {
    /// The value, if it is one.
    #[must_use]
    pub fn value(&self) -> Option<ValueId> {
        match self {
            Operand::Value(value) => Some(*value),
            Operand::Const(_) => None,
        }
    }

    /// The constant, if it is one.
    #[must_use]
    pub fn constant(&self) -> Option<&Const> {
        match self {
            Operand::Value(_) => None,
            Operand::Const(constant) => Some(constant),
        }
    }
}

impl From<ValueId> for Operand {
    fn from(value: ValueId) -> Self {
        Operand::Value(value)
    }
}

impl From<Const> for Operand {
    fn from(constant: Const) -> Self {
        Operand::Const(constant)
    }
}
