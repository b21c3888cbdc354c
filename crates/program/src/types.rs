//! Types of values, and the data layout that gives them sizes.
//!
//! Invariant: struct fields carry their byte offsets, so that nothing here has to know an ABI's alignment rules.

use std::sync::Arc;

/// Type of a value. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// No value: `store`, calls of `void` functions.
    Void,
    /// An integer of so many bits; 1 is a truth value.
    Int(u32),
    F32,
    F64,
    /// `long double` of x86.
    X86Fp80,
    /// A pointer; what it points to is not part of the type.
    Ptr,
    Struct(Arc<StructType>),
    Array(Arc<ArrayType>),
    Vector(Arc<VectorType>),
    /// Any other type (half, token …), by LLVM's name for it.
    Opaque(Arc<str>),
}

/// Fields with their byte offsets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructType {
    pub fields: Vec<Field>,
    /// Bytes, padding included.
    pub size: u64,
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    pub ty: Type,
    /// Bytes from the start of the struct.
    pub offset: u64,
}

/// Elements without gaps: the stride is the element's size.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayType {
    pub element: Type,
    pub count: u64,
}

/// A SIMD vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VectorType {
    pub element: Type,
    pub lanes: u32,
}

impl Type {
    /// Truth value.
    pub const BOOL: Type = Type::Int(1);

    /// A struct type from fields and total size.
    #[must_use]
    pub fn structure(fields: Vec<Field>, size: u64) -> Type {
        Type::Struct(Arc::new(StructType { fields, size }))
    }

    /// An array type.
    #[must_use]
    pub fn array(element: Type, count: u64) -> Type {
        Type::Array(Arc::new(ArrayType { element, count }))
    }

    /// A vector type.
    #[must_use]
    pub fn vector(element: Type, lanes: u32) -> Type {
        Type::Vector(Arc::new(VectorType { element, lanes }))
    }

    #[must_use]
    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// `float`, `double` or `long double`.
    #[must_use]
    pub fn is_float(&self) -> bool {
        matches!(self, Type::F32 | Type::F64 | Type::X86Fp80)
    }

    /// Struct or array.
    #[must_use]
    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Struct(_) | Type::Array(_))
    }

    /// Type of one member of an aggregate, or lane of a vector.
    #[must_use]
    pub fn member(&self, index: u32) -> Option<&Type> {
        match self {
            Type::Struct(ty) => ty.fields.get(index as usize).map(|field| &field.ty),
            Type::Array(ty) => (u64::from(index) < ty.count).then_some(&ty.element),
            Type::Vector(ty) => (index < ty.lanes).then_some(&ty.element),
            _ => None,
        }
    }

    /// The type reached by following `path` through nested aggregates.
    #[must_use]
    pub fn at(&self, path: &[u32]) -> Option<&Type> {
        path.iter().try_fold(self, |ty, &index| ty.member(index))
    }
}

/// Order of the bytes of a number in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Endian {
    #[default]
    Little,
    Big,
}

/// What the model needs to know of the machine that the program was compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataLayout {
    pub pointer_bits: u32,
    pub endian: Endian,
}

impl DataLayout {
    /// x86-64.
    pub const LP64: DataLayout = DataLayout {
        pointer_bits: 64,
        endian: Endian::Little,
    };
    /// 32-bit x86.
    pub const ILP32: DataLayout = DataLayout {
        pointer_bits: 32,
        endian: Endian::Little,
    };

    /// Bytes that an object of this type takes in memory, padding included; `None` for types without a size.
    #[must_use]
    pub fn size_of(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Void | Type::Opaque(_) => None,
            Type::Int(bits) => Some(self.integer_size(*bits)),
            Type::F32 => Some(4),
            Type::F64 => Some(8),
            Type::X86Fp80 => Some(if self.pointer_bits == 32 { 12 } else { 16 }),
            Type::Ptr => Some(u64::from(self.pointer_bits / 8)),
            Type::Struct(ty) => Some(ty.size),
            Type::Array(ty) => self.size_of(&ty.element)?.checked_mul(ty.count),
            Type::Vector(ty) => {
                let bits = self
                    .bits_of(&ty.element)?
                    .checked_mul(u64::from(ty.lanes))?;
                Some(bits.div_ceil(8).next_power_of_two())
            }
        }
    }

    /// Bytes that a store of this type writes; smaller than the size where padding follows (`i24`, `long double`).
    #[must_use]
    pub fn store_size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Int(_) | Type::X86Fp80 | Type::Vector(_) => Some(self.bits_of(ty)?.div_ceil(8)),
            _ => self.size_of(ty),
        }
    }

    /// Bits of a scalar or vector value; `None` for other types.
    #[must_use]
    pub fn bits_of(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Int(bits) => Some(u64::from(*bits)),
            Type::F32 => Some(32),
            Type::F64 => Some(64),
            Type::X86Fp80 => Some(80),
            Type::Ptr => Some(u64::from(self.pointer_bits)),
            Type::Vector(ty) => self.bits_of(&ty.element)?.checked_mul(u64::from(ty.lanes)),
            Type::Void | Type::Struct(_) | Type::Array(_) | Type::Opaque(_) => None,
        }
    }

    /// Integers are padded to the next power of two, and above 16 bytes to a multiple of 16.
    fn integer_size(&self, bits: u32) -> u64 {
        let bytes = u64::from(bits).div_ceil(8);
        if bytes <= 16 {
            bytes.next_power_of_two()
        } else {
            bytes.next_multiple_of(16)
        }
    }
}

impl Default for DataLayout {
    fn default() -> Self {
        Self::LP64
    }
}
