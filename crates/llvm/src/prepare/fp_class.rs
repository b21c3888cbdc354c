//! `llvm.is.fpclass` (what `isinf`, `isfinite`, `isnormal` become) as tests of the bit pattern.
//!
//! What must hold: no branch; the same bit for every pattern, signalling NaNs included (IEEE 754-2019, 3.4). Patterns of
//! `long double` whose integer bit does not go with the exponent are of no class; only who asks for any NaN gets them.

use crate::ir::{Builder, Kind, Module, Opcode, Type, Value};
use llvm_sys::LLVMIntPredicate as Predicate;

/// Bits of the mask, by sign where there is one: negative, positive.
const SIGNALLING: u64 = 1;
const QUIET: u64 = 2;
const INFINITE: [u64; 2] = [1 << 2, 1 << 9];
const NORMAL: [u64; 2] = [1 << 3, 1 << 8];
const SUBNORMAL: [u64; 2] = [1 << 4, 1 << 7];
const ZERO: [u64; 2] = [1 << 5, 1 << 6];

/// Replaces a call for `float`, `double` or `long double`; others stay.
pub(super) fn expand(module: &Module, call: Value) {
    let value = call.operand(0);
    let (width, fraction) = match value.ty().kind() {
        Kind::LLVMFloatTypeKind => (32, 23),
        Kind::LLVMDoubleTypeKind => (64, 52),
        Kind::LLVMX86_FP80TypeKind => (80, 63),
        _ => return,
    };
    let Some(mask) = call.operand(1).as_int() else {
        return;
    };
    let b = Builder::new(module);
    b.before(call);
    b.set_location(call.debug_location());
    let ty = module.int(width);
    let pattern = b.cast(Opcode::LLVMBitCast, value, ty);
    let positive = ty.wide_constant((1 << (width - 1)) - 1);
    let size = b.and(pattern, positive);
    let (size, unsupported) = if width == 80 {
        without_integer_bit(&b, size)
    } else {
        (size, None)
    };
    let exponents =
        (1 << if width == 80 {
            15
        } else {
            width - 1 - fraction
        }) - 1;
    let classes = Classes {
        size,
        negative: b.icmp(Predicate::LLVMIntSLT, pattern, ty.zero()),
        infinity: exponents << fraction,
        quiet: 1 << (fraction - 1),
        smallest_normal: 1 << fraction,
        unsupported,
        ty,
        b,
    };
    let result = classes.any_of(mask, module.int(1).zero());
    call.replace_uses(result);
    call.erase();
}

/// The size of a `long double` as IEEE 754 has it, and whether its integer bit does not go with the exponent.
fn without_integer_bit(b: &Builder, size: Value) -> (Value, Option<Value>) {
    let ty = size.ty();
    let exponent = b.lshr(size, ty.constant(64));
    let fraction = b.and(size, ty.wide_constant((1 << 63) - 1));
    let integer = b.and(b.lshr(size, ty.constant(63)), ty.constant(1));
    let wanted = b.icmp(Predicate::LLVMIntNE, exponent, ty.zero());
    let found = b.icmp(Predicate::LLVMIntNE, integer, ty.zero());
    let shifted = b.bin(Opcode::LLVMShl, exponent, ty.constant(63));
    (
        b.or(shifted, fraction),
        Some(b.icmp(Predicate::LLVMIntNE, wanted, found)),
    )
}

struct Classes {
    /// The pattern without its sign.
    size: Value,
    negative: Value,
    infinity: u128,
    quiet: u128,
    smallest_normal: u128,
    unsupported: Option<Value>,
    ty: Type,
    b: Builder,
}

impl Classes {
    fn any_of(&self, mask: u64, none: Value) -> Value {
        let mut result = none;
        let no_number = mask & (SIGNALLING | QUIET);
        let mut add = |test: Value| result = self.b.or(result, test);
        match no_number {
            0 => {}
            QUIET => add(self.at_least(self.infinity | self.quiet)),
            SIGNALLING => add(self.between(self.infinity + 1, self.infinity | self.quiet)),
            _ => add(self.at_least(self.infinity + 1)),
        }
        let signed = [
            (INFINITE, self.infinity, self.infinity + 1),
            (NORMAL, self.smallest_normal, self.infinity),
            (SUBNORMAL, 1, self.smallest_normal),
            (ZERO, 0, 1),
        ];
        for ([minus, plus], from, to) in signed {
            if mask & (minus | plus) == 0 {
                continue;
            }
            let inside = self.between(from, to);
            add(if mask & minus == 0 {
                self.b.and(
                    inside,
                    self.b.equal(self.negative, self.negative.ty().zero()),
                )
            } else if mask & plus == 0 {
                self.b.and(inside, self.negative)
            } else {
                inside
            });
        }
        match self.unsupported {
            None => result,
            Some(other) if no_number == SIGNALLING | QUIET => self.b.or(result, other),
            Some(other) => self.b.and(result, self.b.equal(other, other.ty().zero())),
        }
    }

    fn at_least(&self, from: u128) -> Value {
        self.b.icmp(
            Predicate::LLVMIntUGE,
            self.size,
            self.ty.wide_constant(from),
        )
    }

    /// `from <= size < to`.
    fn between(&self, from: u128, to: u128) -> Value {
        if to == from + 1 {
            return self.b.equal(self.size, self.ty.wide_constant(from));
        }
        let offset = self
            .b
            .bin(Opcode::LLVMSub, self.size, self.ty.wide_constant(from));
        self.b.icmp(
            Predicate::LLVMIntULT,
            offset,
            self.ty.wide_constant(to - from),
        )
    }
}
