//! Constants as operands.

use program::{Const, Type};

use super::Unit;
use super::symbols::Symbol;
use crate::ir::{Kind, Opcode, Value};
use crate::number;

/// Largest constant aggregate that is taken apart as an operand.
const MEMBERS: u64 = 4096;

/// A symbol plus a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub symbol: Symbol,
    pub offset: i64,
}

impl Unit<'_> {
    /// The address that a constant is, through `getelementptr` and casts that change nothing.
    pub fn address(&self, value: Value) -> Option<Address> {
        if let Some(symbol) = self.symbols.of(self.index, value) {
            return Some(Address { symbol, offset: 0 });
        }
        if !value.is_constant_expression() {
            return None;
        }
        match value.constant_opcode() {
            Opcode::LLVMGetElementPtr => {
                let base = self.address(value.operand(0))?;
                let (indices, offset) = self.gep(value)?;
                if !indices.is_empty() {
                    return None;
                }
                Some(Address {
                    offset: base.offset.wrapping_add(offset),
                    ..base
                })
            }
            Opcode::LLVMBitCast | Opcode::LLVMIntToPtr => self.address(value.operand(0)),
            Opcode::LLVMPtrToInt if value.ty().int_bits()? == self.source.module.layout().0 => {
                self.address(value.operand(0))
            }
            _ => None,
        }
    }

    /// Indices that are no constants with their scales in bytes, and the sum of the others. `None` for vectors.
    pub fn gep(&self, gep: Value) -> Option<(Vec<(Value, i64)>, i64)> {
        if gep.ty().kind() == Kind::LLVMVectorTypeKind {
            return None;
        }
        let module = &self.source.module;
        let mut current = gep.gep_source();
        let mut offset = 0_i64;
        let mut indices = Vec::new();
        for number in 1..gep.operand_count() {
            let index = gep.operand(number);
            if number > 1 && current.is_struct() {
                let field = u32::try_from(index.as_int()?).ok()?;
                offset = offset.wrapping_add(module.field_offset(current, field) as i64);
                current = current.field(field);
                continue;
            }
            if number > 1 {
                current = current.element();
            }
            let scale = module.alloc_size(current) as i64;
            match index.as_signed() {
                Some(index) => offset = offset.wrapping_add(index.wrapping_mul(scale)),
                None if index.is_null() => {}
                None => indices.push((index, scale)),
            }
        }
        Some((indices, offset))
    }

    /// Width and value of a number: an integer, or the bits of a float.
    pub fn number(&self, value: Value) -> Option<(u32, u128)> {
        if value.is_constant_int() {
            let bits = value.ty().int_bits().filter(|bits| *bits <= 128)?;
            return Some((bits, number::constant(value)));
        }
        if !value.is_constant_float() {
            return None;
        }
        let bits = match value.ty().kind() {
            Kind::LLVMFloatTypeKind => 32,
            Kind::LLVMDoubleTypeKind => 64,
            Kind::LLVMX86_FP80TypeKind => 80,
            Kind::LLVMHalfTypeKind | Kind::LLVMBFloatTypeKind => 16,
            Kind::LLVMFP128TypeKind => 128,
            _ => return None,
        };
        let value = value.constant_bits(self.source.module.int(bits));
        value
            .is_constant_int()
            .then(|| (bits, number::constant(value)))
    }

    /// A constant as an operand. `None`: it is, or has, a constant expression that takes an instruction to compute.
    pub fn constant(&self, value: Value) -> Option<Const> {
        let ty = self.types.of(value.ty());
        if value.is_poison() {
            return Some(Const::Poison(ty));
        }
        if value.is_undef() {
            return Some(Const::Undef(ty));
        }
        if let Some(Address { symbol, offset }) = self.address(value)
            && ty == Type::Ptr
        {
            match symbol.constant() {
                Const::Global { global, .. } => return Some(Const::Global { global, offset }),
                other if offset == 0 => return Some(other),
                _ => {}
            }
        }
        if value.is_constant_expression() {
            return None;
        }
        self.plain(value, ty)
    }

    fn plain(&self, value: Value, ty: Type) -> Option<Const> {
        Some(match ty {
            Type::Int(bits) if bits <= 128 && value.is_constant_int() => {
                Const::int(bits, number::constant(value))
            }
            Type::F32 | Type::F64 => match self.number(value) {
                Some((32, bits)) => Const::F32(bits as u32),
                Some((_, bits)) => Const::F64(bits as u64),
                None => opaque(ty, value),
            },
            Type::Ptr if value.is_null() => Const::Null,
            _ if value.is_null() => Const::Zero(ty),
            Type::Struct(_) | Type::Array(_) | Type::Vector(_) if value.ty().len() <= MEMBERS => {
                let member = |index| {
                    let member = value.member(index as u32)?;
                    self.constant(member)
                };
                let members = (0..value.ty().len()).map(member).collect::<Option<_>>()?;
                Const::aggregate(ty, members)
            }
            _ => opaque(ty, value),
        })
    }
}

fn opaque(ty: Type, value: Value) -> Const {
    Const::Opaque {
        ty,
        what: value.text().into(),
    }
}
