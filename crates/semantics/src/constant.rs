//! Constants.

use program::{Const, ExternId, FuncId, GlobalId, Type};
use smt::{Pool, Term};

use crate::builder::{Builder, Made};
use crate::value::{Gap, Value};

/// What has an address that the model does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    Global(GlobalId),
    Function(FuncId),
    /// A function without a body.
    Extern(ExternId),
}

/// What constants leave open: the reader decides.
pub trait Open {
    /// Where a symbol stands.
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap>;

    /// A scalar that nothing determines; another one at each use.
    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap>;
}

impl Builder<'_> {
    /// The value of a constant.
    ///
    /// # Errors
    /// The type has no terms, the constant is none that the model knows, or what `open` says.
    pub fn constant(&mut self, constant: &Const, open: &mut dyn Open) -> Made {
        let pointer = self.layout.pointer_bits as u16;
        let (symbol, offset) = match constant {
            Const::Int {
                bits: bits @ 1..=128,
                value,
            } => return Ok(self.pool.constant(*bits as u16, *value).into()),
            Const::F32(bits) => return Ok(self.pool.constant(32, u128::from(*bits)).into()),
            Const::F64(bits) => return Ok(self.pool.constant(64, u128::from(*bits)).into()),
            Const::Null => return Ok(self.pool.constant(pointer, 0).into()),
            Const::Zero(ty) => {
                let mut zero = |pool: &mut Pool, bits| Ok(pool.constant(bits, 0));
                return Value::of_type(self.pool, &self.layout, ty, &mut zero);
            }
            Const::Undef(ty) | Const::Poison(ty) => {
                let mut any = |pool: &mut Pool, bits| open.undefined(pool, bits);
                return Value::of_type(self.pool, &self.layout, ty, &mut any);
            }
            Const::Aggregate(aggregate) => {
                let members = aggregate.members.iter();
                let members: Made<Vec<Value>> =
                    members.map(|member| self.constant(member, open)).collect();
                return Ok(members?.into());
            }
            Const::Opaque { ty, what } => {
                let bits = long_double(ty, what).ok_or(Gap::Unmodelled)?;
                return Ok(self.pool.constant(80, bits).into());
            }
            Const::Int { .. } => return Err(Gap::Type),
            Const::Global { global, offset } => (Symbol::Global(*global), *offset),
            Const::Function(function) => (Symbol::Function(*function), 0),
            Const::Extern(function) => (Symbol::Extern(*function), 0),
        };
        let base = open.address(self.pool, symbol, pointer)?;
        let offset = self.signed(pointer, i128::from(offset));
        Ok(self.pool.bin(smt::Op::Add, base, offset).into())
    }
}

/// Whether [`Builder::constant`] knows what a constant is, where symbols have addresses.
#[must_use]
pub fn is_known(constant: &Const) -> bool {
    match constant {
        Const::Opaque { ty, what } => long_double(ty, what).is_some(),
        Const::Int { bits, .. } => (1..=128).contains(bits),
        Const::Aggregate(aggregate) => aggregate.members.iter().all(is_known),
        _ => true,
    }
}

/// The bits of a constant of `long double`: the model keeps LLVM's text for it (`x86_fp80 0xK3FFF8000000000000000`).
fn long_double(ty: &Type, what: &str) -> Option<u128> {
    let digits = what.rsplit_once("0xK").map(|(_, digits)| digits);
    let digits = digits.filter(|digits| digits.len() == 20 && *ty == Type::X86Fp80)?;
    u128::from_str_radix(digits, 16).ok()
}
