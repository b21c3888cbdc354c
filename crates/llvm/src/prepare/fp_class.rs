//! `llvm.is.fpclass` (what `isinf`, `isfinite`, `isnormal` become) as tests of the bit pattern.
//!
//! What must hold: no branch; the same bit for every pattern, signalling NaNs included (IEEE 754-2019, 3.4).

use crate::ir::{Builder, Kind, Module, Opcode, Type, Value};
use llvm_sys::LLVMIntPredicate as Predicate;

/// Bits of the mask, by sign where there is one: negative, positive.
const SIGNALLING: u64 = 1;
const QUIET: u64 = 2;
const INFINITE: [u64; 2] = [1 << 2, 1 << 9];
const NORMAL: [u64; 2] = [1 << 3, 1 << 8];
const SUBNORMAL: [u64; 2] = [1 << 4, 1 << 7];
const ZERO: [u64; 2] = [1 << 5, 1 << 6];

/// Replaces a call for `float` or `double`; others stay.
pub(super) fn expand(module: &Module, call: Value) {
    let value = call.operand(0);
    let (width, fraction) = match value.ty().kind() {
        Kind::LLVMFloatTypeKind => (32, 23),
        Kind::LLVMDoubleTypeKind => (64, 52),
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
    let positive = ty.constant((1 << (width - 1)) - 1);
    let classes = Classes {
        size: b.and(pattern, positive),
        negative: b.icmp(Predicate::LLVMIntSLT, pattern, ty.zero()),
        infinity: positive_infinity(width, fraction),
        quiet: 1 << (fraction - 1),
        smallest_normal: 1 << fraction,
        ty,
        b,
    };
    let result = classes.any_of(mask, module.int(1).zero());
    call.replace_uses(result);
    call.erase();
}

fn positive_infinity(width: u32, fraction: u32) -> u64 {
    ((1 << (width - 1)) - 1) & !((1 << fraction) - 1)
}

struct Classes {
    /// The pattern without its sign.
    size: Value,
    negative: Value,
    infinity: u64,
    quiet: u64,
    smallest_normal: u64,
    ty: Type,
    b: Builder,
}

impl Classes {
    fn any_of(&self, mask: u64, none: Value) -> Value {
        let mut result = none;
        let mut add = |test: Value| result = self.b.or(result, test);
        match mask & (SIGNALLING | QUIET) {
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
        result
    }

    fn at_least(&self, from: u64) -> Value {
        self.b
            .icmp(Predicate::LLVMIntUGE, self.size, self.ty.constant(from))
    }

    /// `from <= size < to`.
    fn between(&self, from: u64, to: u64) -> Value {
        if to == from + 1 {
            return self.b.equal(self.size, self.ty.constant(from));
        }
        let offset = self
            .b
            .bin(Opcode::LLVMSub, self.size, self.ty.constant(from));
        self.b
            .icmp(Predicate::LLVMIntULT, offset, self.ty.constant(to - from))
    }
}
