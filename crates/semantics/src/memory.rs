//! Memory, byte by byte: what a read makes of bytes, what a write leaves, and when two accesses are apart.
//!
//! Bytes stand in the order of their addresses. What is not a whole number of bytes is written with zeros above, and read by
//! its low bits; padding is neither written nor read.

use program::Type;
use smt::{Op, Pool, Shape, Term, Var};

use crate::builder::{Builder, Made};
use crate::value::{Gap, MOST_SCALARS, Value, count, width};

/// A range of memory that an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The first byte; of a pointer's width.
    pub address: Term,
    pub bytes: u64,
    pub align: u32,
    /// Others may look at it, or change it, at any time.
    pub volatile: bool,
}

/// What a store leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub access: Access,
    /// Each byte; `None` for padding, which stays as it was.
    pub bytes: Vec<Option<Term>>,
}

impl Write {
    /// The byte at `address` after the write, given the one before. Read backward, this is what the byte that a
    /// condition speaks of is replaced by.
    pub fn after(&self, pool: &mut Pool, address: Term, before: Term) -> Term {
        let mut byte = before;
        for (offset, written) in self.bytes.iter().enumerate() {
            let Some(written) = *written else { continue };
            let bits = pool.width(address);
            let offset = pool.constant(bits, offset as u128);
            let place = pool.bin(Op::Add, self.access.address, offset);
            let here = pool.eq(place, address);
            byte = pool.ite(here, written, byte);
        }
        byte
    }
}

/// Whether two ranges of memory, given by address and length in bytes, have no byte in common.
pub fn apart(pool: &mut Pool, (a, a_bytes): (Term, u64), (b, b_bytes): (Term, u64)) -> Term {
    let bits = pool.width(a);
    let (ahead, behind) = (pool.bin(Op::Sub, b, a), pool.bin(Op::Sub, a, b));
    let (a_bytes, b_bytes) = (
        pool.constant(bits, u128::from(a_bytes)),
        pool.constant(bits, u128::from(b_bytes)),
    );
    let (far, near) = (
        pool.cmp(Op::Ule, a_bytes, ahead),
        pool.cmp(Op::Ule, b_bytes, behind),
    );
    pool.and(far, near)
}

/// The variables that an address is made of, those apart that only count: a narrow number, extended, and perhaps scaled, is no address,
/// and what is added to one leads no run out of its object.
#[must_use]
pub fn bases(pool: &Pool, address: Term) -> Vec<Var> {
    let (mut found, mut work) = (Vec::new(), vec![address]);
    while let Some(term) = work.pop() {
        match pool.shape(term) {
            Shape::Op {
                op: Op::Ite,
                operands: [_, a, b],
                ..
            }
            | Shape::Op {
                op: Op::Add | Op::Sub,
                operands: [a, b, _],
                ..
            } => work.extend([a, b]),
            _ if counts(pool, term) => {}
            _ => found.extend(pool.vars(term)),
        }
    }
    found
}

/// How many bytes an address is behind the one variable that it is made of; `None`: it is made of more.
#[must_use]
pub fn moved_by(pool: &Pool, address: Term) -> Option<i64> {
    let (parts, constant) = pool.summands(address);
    let unused = 128 - u32::from(pool.width(address));
    let constant = (constant << unused).cast_signed() >> unused;
    match parts[..] {
        [one] if pool.as_var(one).is_some() => i64::try_from(constant).ok(),
        _ => None,
    }
}

/// Numbers of more bits may be addresses: those of programs have 47.
const COUNT: u16 = 32;

/// Is it a narrow number, extended and scaled by a constant?
fn counts(pool: &Pool, term: Term) -> bool {
    let Shape::Op { op, operands, .. } = pool.shape(term) else {
        return false;
    };
    let [a, b, _] = operands;
    match op {
        Op::ZExt | Op::SExt => pool.width(a) <= COUNT,
        // That is how a shift is written.
        Op::Mul | Op::Shl | Op::Concat if pool.as_const(b).is_some() => counts(pool, a),
        _ => false,
    }
}

impl Builder<'_> {
    /// Bytes that a read or write of this type touches.
    #[must_use]
    pub fn bytes_of(&self, ty: &Type) -> Option<u64> {
        self.layout.store_size(ty)
    }

    /// The value of a type that stands in these bytes (terms of 8 bits), as many as [`Builder::bytes_of`] says.
    ///
    /// # Errors
    /// The type has no terms, or the bytes are too few.
    pub fn read(&mut self, ty: &Type, bytes: &[Term]) -> Made {
        if let Some(bits) = width(&self.layout, ty) {
            return self.number(bits, bytes).map(Value::Scalar);
        }
        if let Type::Vector(vector) = ty {
            let bits = u64::from(self.lane_width(ty)?) * u64::from(vector.lanes);
            let used = usize::try_from(bits.div_ceil(8)).map_err(|_| Gap::Type)?;
            let bytes = bytes.get(..used).ok_or(Gap::Operands)?;
            if bits.is_multiple_of(8) {
                return self.recut(bytes.to_vec(), ty);
            }
            let bits = u16::try_from(bits).ok().filter(|bits| *bits <= 128);
            let whole = self.number(bits.ok_or(Gap::Type)?, bytes)?;
            return self.recut(vec![whole], ty);
        }
        let mut members = Vec::new();
        for (member, offset) in self.members(ty)? {
            let size = self.layout.store_size(member).ok_or(Gap::Type)?;
            let at = |offset: u64| usize::try_from(offset).map_err(|_| Gap::Type);
            let range = at(offset)?..at(offset + size)?;
            members.push(self.read(member, bytes.get(range).ok_or(Gap::Operands)?)?);
        }
        Ok(members.into())
    }

    /// The bytes of a value in memory; `None` for padding.
    ///
    /// # Errors
    /// The type has no terms, or the value is not of this type.
    pub fn written(&mut self, ty: &Type, value: &Value) -> Made<Vec<Option<Term>>> {
        let size = self.layout.store_size(ty).ok_or(Gap::Type)?;
        let size = usize::try_from(size).map_err(|_| Gap::Type)?;
        if let Some(bits) = width(&self.layout, ty) {
            let term = value.scalar().ok_or(Gap::Operands)?;
            return self.digits(bits, term, size);
        }
        if let Type::Vector(vector) = ty {
            let bits = u64::from(self.lane_width(ty)?) * u64::from(vector.lanes);
            let lanes = value.scalars();
            if bits.is_multiple_of(8) {
                let bytes = self.cut(lanes, 8);
                return Ok(bytes.into_iter().map(Some).collect());
            }
            let bits = u16::try_from(bits).ok().filter(|bits| *bits <= 128);
            let bits = bits.ok_or(Gap::Type)?;
            let whole = self.recut(lanes, &Type::Int(u32::from(bits)))?;
            let whole = whole.scalar().ok_or(Gap::Operands)?;
            return self.digits(bits, whole, size);
        }
        let mut bytes = vec![None; size];
        let members = self.members(ty)?;
        if members.len() != value.members().len() {
            return Err(Gap::Operands);
        }
        for ((member, offset), value) in members.into_iter().zip(value.members()) {
            let offset = usize::try_from(offset).map_err(|_| Gap::Type)?;
            for (at, byte) in self.written(member, value)?.into_iter().enumerate() {
                *bytes.get_mut(offset + at).ok_or(Gap::Operands)? = byte;
            }
        }
        Ok(bytes)
    }

    /// Members of an aggregate with their offsets.
    fn members<'t>(&self, ty: &'t Type) -> Made<Vec<(&'t Type, u64)>> {
        match ty {
            Type::Struct(ty) => {
                let fields = ty.fields.iter();
                Ok(fields.map(|field| (&field.ty, field.offset)).collect())
            }
            Type::Array(array) => {
                let stride = self.layout.size_of(&array.element).ok_or(Gap::Type)?;
                let count = count(ty).ok_or(Gap::Type)?;
                if count > MOST_SCALARS {
                    return Err(Gap::Type);
                }
                let offsets = (0..count).map(|index| index * stride);
                Ok(offsets.map(|offset| (&array.element, offset)).collect())
            }
            _ => Err(Gap::Type),
        }
    }

    /// The low bits of the number that bytes are.
    fn number(&mut self, bits: u16, bytes: &[Term]) -> Made<Term> {
        let used = usize::from(bits.div_ceil(8));
        let bytes = bytes.get(..used).ok_or(Gap::Operands)?;
        if bytes.iter().any(|&byte| self.pool.width(byte) != 8) {
            return Err(Gap::Operands);
        }
        let whole = self.cut(bytes.to_vec(), bits.div_ceil(8) * 8);
        let &[whole] = whole.as_slice() else {
            return Err(Gap::Operands);
        };
        Ok(self.pool.extract(whole, 0, bits))
    }

    fn digits(&mut self, bits: u16, term: Term, size: usize) -> Made<Vec<Option<Term>>> {
        if self.pool.width(term) != bits || size != usize::from(bits.div_ceil(8)) {
            return Err(Gap::Operands);
        }
        let whole = self.pool.zext(term, bits.div_ceil(8) * 8);
        let bytes = self.cut(vec![whole], 8);
        Ok(bytes.into_iter().map(Some).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_number_that_is_added_is_no_base() {
        let mut pool = Pool::new();
        let (base, narrow) = (pool.var(Var(0), 64), pool.var(Var(1), 32));
        let (four, eight) = (pool.constant(64, 4), pool.constant(64, 8));
        let wide = pool.sext(narrow, 64);
        let scaled = pool.bin(Op::Mul, wide, four);
        let sum = pool.bin(Op::Add, base, scaled);
        assert_eq!(bases(&pool, sum), [Var(0)]);
        assert_eq!(moved_by(&pool, sum), None);
        let behind = pool.bin(Op::Sub, base, eight);
        assert_eq!(moved_by(&pool, behind), Some(-8));
        // An address may have 48 bits.
        let low = pool.extract(base, 0, 48);
        let low = pool.zext(low, 64);
        assert_eq!(bases(&pool, low), [Var(0)]);
        // Two narrow ones may be the halves of one.
        let other = pool.var(Var(2), 32);
        let joined = pool.concat(narrow, other);
        assert_eq!(bases(&pool, joined), [Var(1), Var(2)]);
    }
}
