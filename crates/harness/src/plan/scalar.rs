//! Scalar inputs: which function of `bothways.h` makes which C type.

use crate::types::{Base, Type, TypeId, Types};

/// A type of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    Signed(u8),
    Unsigned(u8),
    Float,
    Double,
    /// Through a `double`.
    LongDouble,
}

impl Scalar {
    /// The input type of a C type, where it has one.
    #[must_use]
    pub fn of(types: &Types, ty: TypeId) -> Option<Scalar> {
        let integer = |bytes: u64, signed: bool| {
            let bytes = u8::try_from(bytes)
                .ok()
                .filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8))?;
            Some(if signed {
                Scalar::Signed(bytes)
            } else {
                Scalar::Unsigned(bytes)
            })
        };
        match types.resolved(ty) {
            Type::Base { base, bytes, name } => match (base, bytes) {
                (Base::Bool, 1) => Some(Scalar::Bool),
                (Base::Signed, _) => integer(*bytes, true),
                (Base::Unsigned, _) => integer(*bytes, false),
                // Plain `char` is signed here.
                (Base::Char, _) => integer(*bytes, !name.starts_with("unsigned")),
                (Base::Float, 4) => Some(Scalar::Float),
                (Base::Float, 8) => Some(Scalar::Double),
                (Base::Float, 16) => Some(Scalar::LongDouble),
                _ => None,
            },
            Type::Enum { bytes, signed, .. } => integer(*bytes, *signed),
            _ => None,
        }
    }

    /// The narrowest that holds a bit-field of this width.
    #[must_use]
    pub fn of_bits(width: u32, signed: bool) -> Scalar {
        let bytes = match width {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            _ => 8,
        };
        if signed {
            Scalar::Signed(bytes)
        } else {
            Scalar::Unsigned(bytes)
        }
    }

    /// The C type that the input function takes a pointer to.
    #[must_use]
    pub fn c_type(self) -> &'static str {
        match self {
            Scalar::Bool => "_Bool",
            Scalar::Signed(1) => "signed char",
            Scalar::Unsigned(1) => "unsigned char",
            Scalar::Signed(2) => "short",
            Scalar::Unsigned(2) => "unsigned short",
            Scalar::Signed(4) => "int",
            Scalar::Unsigned(4) => "unsigned int",
            Scalar::Signed(_) => "long",
            Scalar::Unsigned(_) => "unsigned long",
            Scalar::Float => "float",
            Scalar::Double | Scalar::LongDouble => "double",
        }
    }

    /// The input function.
    #[must_use]
    pub fn input(self) -> &'static str {
        match self {
            Scalar::Bool => "bw_bool",
            Scalar::Signed(1) => "bw_schar",
            Scalar::Unsigned(1) => "bw_uchar",
            Scalar::Signed(2) => "bw_short",
            Scalar::Unsigned(2) => "bw_ushort",
            Scalar::Signed(4) => "bw_int",
            Scalar::Unsigned(4) => "bw_uint",
            Scalar::Signed(_) => "bw_long",
            Scalar::Unsigned(_) => "bw_ulong",
            Scalar::Float => "bw_float",
            Scalar::Double | Scalar::LongDouble => "bw_double",
        }
    }
}
