//! Values of the model as terms: one term for a scalar, one value for each member of an aggregate or lane of a vector.
//!
//! Must hold: the shape of a value is that of its type, and a scalar's term has the type's width.

use std::sync::Arc;

use program::{DataLayout, Type};
use smt::{Pool, Term};

/// Most scalars that a value may have: larger aggregates are kept in memory, not in values.
pub(crate) const MOST_SCALARS: u64 = 4096;

/// What an operand or a result is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer, float (its bits) or pointer.
    Scalar(Term),
    /// Fields of a struct, elements of an array, lanes of a vector.
    Members(Arc<[Value]>),
}

/// Why nothing is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Gap {
    /// Integers of more than 128 bits, `half` and the like, very large aggregates.
    #[error("values of this type have no terms")]
    Type,
    /// The solver's terms have no such operation: `fma`.
    #[error("terms have no such operation")]
    Operation,
    /// The model does not say what it does: inline assembly, atomics, calls.
    #[error("the model does not say what this does")]
    Unmodelled,
    /// The operands are not those that the operation takes.
    #[error("the operands do not fit the operation")]
    Operands,
}

/// Bits of a scalar; `None` for aggregates, vectors, and what has no terms.
#[must_use]
pub fn width(layout: &DataLayout, ty: &Type) -> Option<u16> {
    match ty {
        Type::Int(1..=128) | Type::F32 | Type::F64 | Type::X86Fp80 | Type::Ptr => {
            u16::try_from(layout.bits_of(ty)?).ok()
        }
        _ => None,
    }
}

/// Number of members or lanes of a type that has some.
pub(crate) fn count(ty: &Type) -> Option<u64> {
    match ty {
        Type::Struct(ty) => Some(ty.fields.len() as u64),
        Type::Array(ty) => Some(ty.count),
        Type::Vector(ty) => Some(u64::from(ty.lanes)),
        _ => None,
    }
}

/// The type of a lane of a vector; any other type is its own.
pub(crate) fn lane(ty: &Type) -> &Type {
    match ty {
        Type::Vector(vector) => &vector.element,
        ty => ty,
    }
}

impl Value {
    /// The term of a scalar.
    #[must_use]
    pub fn scalar(&self) -> Option<Term> {
        match self {
            Value::Scalar(term) => Some(*term),
            Value::Members(_) => None,
        }
    }

    /// The members; none for a scalar.
    #[must_use]
    pub fn members(&self) -> &[Value] {
        match self {
            Value::Scalar(_) => &[],
            Value::Members(members) => members,
        }
    }

    /// The value reached by following a path through nested aggregates.
    #[must_use]
    pub fn at(&self, path: &[u32]) -> Option<&Value> {
        path.iter()
            .try_fold(self, |value, &index| value.members().get(index as usize))
    }

    /// The value with another member at the end of a path.
    #[must_use]
    pub fn with(&self, path: &[u32], member: &Value) -> Option<Value> {
        let Some((&first, rest)) = path.split_first() else {
            return Some(member.clone());
        };
        let mut members = self.members().to_vec();
        let slot = members.get_mut(first as usize)?;
        *slot = slot.with(rest, member)?;
        Some(members.into())
    }

    /// All scalars, in order.
    #[must_use]
    pub fn scalars(&self) -> Vec<Term> {
        match self {
            Value::Scalar(term) => vec![*term],
            Value::Members(members) => members.iter().flat_map(Value::scalars).collect(),
        }
    }

    /// A value of a type, each scalar of which is made by `make` from its width.
    ///
    /// # Errors
    /// [`Gap::Type`] where the type has no terms; whatever `make` says.
    pub fn of_type(
        pool: &mut Pool,
        layout: &DataLayout,
        ty: &Type,
        make: &mut dyn FnMut(&mut Pool, u16) -> Result<Term, Gap>,
    ) -> Result<Value, Gap> {
        if scalars_of(ty) > MOST_SCALARS {
            return Err(Gap::Type);
        }
        if let Some(bits) = width(layout, ty) {
            return make(pool, bits).map(Value::Scalar);
        }
        let count = count(ty).ok_or(Gap::Type)?;
        let member = |index| {
            let member = ty.member(index).ok_or(Gap::Type)?;
            Value::of_type(pool, layout, member, make)
        };
        let members: Result<Vec<Value>, Gap> = (0..count as u32).map(member).collect();
        Ok(members?.into())
    }

    /// Applies an operation to each scalar of values of one shape.
    pub(crate) fn map(
        values: &[&Value],
        make: &mut dyn FnMut(&[Term]) -> Result<Term, Gap>,
    ) -> Result<Value, Gap> {
        let scalars: Option<Vec<Term>> = values.iter().map(|value| value.scalar()).collect();
        if let Some(scalars) = scalars {
            return make(&scalars).map(Value::Scalar);
        }
        let count = values.first().ok_or(Gap::Operands)?.members().len();
        let fits = |value: &&&Value| value.scalar().is_none() && value.members().len() == count;
        if !values.iter().all(|value| fits(&value)) {
            return Err(Gap::Operands);
        }
        let member = |index: usize| {
            let members: Vec<&Value> = values.iter().map(|value| &value.members()[index]).collect();
            Value::map(&members, make)
        };
        let members: Result<Vec<Value>, Gap> = (0..count).map(member).collect();
        Ok(members?.into())
    }
}

impl From<Term> for Value {
    fn from(term: Term) -> Value {
        Value::Scalar(term)
    }
}

impl From<Vec<Value>> for Value {
    fn from(members: Vec<Value>) -> Value {
        Value::Members(members.into())
    }
}

/// How many scalars a value of this type has.
fn scalars_of(ty: &Type) -> u64 {
    match ty {
        Type::Struct(ty) => {
            let fields = ty.fields.iter().map(|field| scalars_of(&field.ty));
            fields.fold(0, u64::saturating_add)
        }
        Type::Array(ty) => scalars_of(&ty.element).saturating_mul(ty.count),
        Type::Vector(ty) => u64::from(ty.lanes),
        _ => 1,
    }
}
