//! Each operation on words gives what `semantics` gives for the same constants.

use program::{BinOp, CastOp, Const, DataLayout, FBinOp, FCmp, ICmp, Op, Operand, Type};
use random::Random;
use semantics::{Builder, Consequence, Value};
use smt::Pool;

use crate::concrete;
use crate::fault::Fault;

/// Operands.
struct Numbers(Random);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// Small, near a power of two, or any.
    fn word(&mut self, bits: u8) -> u64 {
        let any = self.next();
        let word = match any % 4 {
            0 => self.next() % 5,
            1 => (1_u64 << (self.next() % u64::from(bits))).wrapping_sub(self.next() % 3),
            2 => (self.next() % 4).wrapping_neg(),
            _ => self.next(),
        };
        word & concrete::mask(bits)
    }

    /// The bits of a float: whole, fractional, special.
    fn float(&mut self, double: bool) -> u64 {
        let number = match self.next() % 6 {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => (self.next() as i64 % 1000) as f64,
            4 => (self.next() as i64) as f64 * 0.001,
            _ => f64::from_bits(self.next()),
        };
        let number = if number.is_nan() { 1.0 } else { number };
        if double {
            number.to_bits()
        } else {
            u64::from((number as f32).to_bits())
        }
    }
}

fn any() -> Operand {
    Operand::Const(Const::int(1, 0))
}

/// What `semantics` makes of constants; `None` where the program stops.
fn meant(op: &Op, ty: &Type, operands: &[(u16, u64)]) -> Option<u64> {
    let mut pool = Pool::new();
    let values: Vec<Value> = operands
        .iter()
        .map(|(bits, word)| pool.constant(*bits, u128::from(*word)).into())
        .collect();
    let mut builder = Builder::new(&mut pool, DataLayout::LP64);
    let conditions = builder.conditions(op, ty, &values).expect("operands fit");
    let value = builder.value(op, ty, &values).expect("has a meaning");
    let stops = conditions.iter().any(|condition| {
        condition.consequence == Consequence::Stops && pool.is_false(condition.holds)
    });
    let term = value.scalar().expect("a scalar");
    (!stops).then(|| pool.as_const(term).expect("constants give a constant") as u64)
}

const WIDTHS: [u8; 8] = [1, 3, 8, 16, 24, 32, 63, 64];
const ROUNDS: usize = 60;

#[test]
fn binary_operations() {
    let mut numbers = Numbers(Random::new(1));
    for &op in BinOp::ALL {
        for bits in WIDTHS {
            let (ty, wide) = (Type::Int(bits.into()), u16::from(bits));
            for _ in 0..ROUNDS {
                let (a, b) = (numbers.word(bits), numbers.word(bits));
                let inst = Op::Bin {
                    op,
                    lhs: any(),
                    rhs: any(),
                };
                // Of odd widths the smallest number divided by -1 is left open, not a stop: the machine stops all the same.
                let division = matches!(op, BinOp::SDiv | BinOp::SRem);
                if division && !matches!(bits, 8 | 16 | 32 | 64) {
                    continue;
                }
                let ours = concrete::binary(op, bits, a, b);
                let theirs = meant(&inst, &ty, &[(wide, a), (wide, b)]).ok_or(Fault::Division);
                assert_eq!(ours, theirs, "{op} of {bits} bits: {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn comparisons_of_integers() {
    let mut numbers = Numbers(Random::new(2));
    for &pred in ICmp::ALL {
        for bits in WIDTHS {
            for _ in 0..ROUNDS {
                let (a, b) = (numbers.word(bits), numbers.word(bits));
                let inst = Op::ICmp {
                    pred,
                    lhs: any(),
                    rhs: any(),
                };
                let wide = u16::from(bits);
                let theirs = meant(&inst, &Type::BOOL, &[(wide, a), (wide, b)]);
                let ours = Some(u64::from(concrete::compare(pred, bits, a, b)));
                assert_eq!(ours, theirs, "{pred} of {bits} bits: {a:#x}, {b:#x}");
            }
        }
    }
}

#[test]
fn floats() {
    let mut numbers = Numbers(Random::new(3));
    for double in [false, true] {
        let (ty, bits) = if double {
            (Type::F64, 64)
        } else {
            (Type::F32, 32)
        };
        for _ in 0..400 {
            let (a, b) = (numbers.float(double), numbers.float(double));
            for &op in FBinOp::ALL {
                let inst = Op::FBin {
                    op,
                    lhs: any(),
                    rhs: any(),
                };
                if let Some(ours) = concrete::float(op, double, a, b) {
                    let theirs = meant(&inst, &ty, &[(bits, a), (bits, b)]);
                    assert_eq!(Some(ours), theirs, "{op}: {a:#x}, {b:#x}");
                }
            }
            for &pred in FCmp::ALL {
                let inst = Op::FCmp {
                    pred,
                    lhs: any(),
                    rhs: any(),
                };
                let theirs = meant(&inst, &Type::BOOL, &[(bits, a), (bits, b)]);
                let ours = Some(u64::from(concrete::compare_floats(pred, double, a, b)));
                assert_eq!(ours, theirs, "{pred}: {a:#x}, {b:#x}");
            }
        }
    }
}

/// The widths that a conversion is tried between.
fn widths(op: CastOp) -> Vec<(u8, u8)> {
    let integers = [1, 8, 16, 32, 64];
    let floats = [32, 64];
    let pairs = |from: &[u8], to: &[u8]| {
        let pairs = from
            .iter()
            .flat_map(|&from| to.iter().map(move |&to| (from, to)));
        pairs.collect::<Vec<_>>()
    };
    let mut list = match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::SExt => pairs(&integers, &integers),
        CastOp::FpToUi | CastOp::FpToSi => pairs(&floats, &integers[1..]),
        CastOp::UiToFp | CastOp::SiToFp => pairs(&integers, &floats),
        CastOp::FpTrunc | CastOp::FpExt => pairs(&floats, &floats),
        CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => vec![(64, 64)],
    };
    list.retain(|(from, to)| match op {
        CastOp::Trunc | CastOp::FpTrunc => from > to,
        CastOp::ZExt | CastOp::SExt | CastOp::FpExt => from < to,
        _ => true,
    });
    list
}

#[test]
fn conversions() {
    let mut numbers = Numbers(Random::new(4));
    for &op in CastOp::ALL {
        for (from, bits) in widths(op) {
            for _ in 0..ROUNDS {
                let takes_float = matches!(
                    op,
                    CastOp::FpToUi | CastOp::FpToSi | CastOp::FpTrunc | CastOp::FpExt
                );
                let a = if takes_float {
                    numbers.float(from == 64)
                } else {
                    numbers.word(from)
                };
                let ty = match op {
                    CastOp::UiToFp | CastOp::SiToFp | CastOp::FpTrunc | CastOp::FpExt => {
                        if bits == 64 { Type::F64 } else { Type::F32 }
                    }
                    CastOp::IntToPtr => Type::Ptr,
                    _ => Type::Int(bits.into()),
                };
                let Some(ours) = concrete::cast(op, from, bits, a) else {
                    continue;
                };
                let inst = Op::Cast { op, value: any() };
                let theirs = meant(&inst, &ty, &[(from.into(), a)]);
                assert_eq!(Some(ours), theirs, "{op} {from} to {bits}: {a:#x}");
            }
        }
    }
}
