//! Rewrites must keep the meaning for every input: random expressions, evaluated under inputs other than the run's.

use crate::build::{self, Sym, concat, extract, ite, not, sext, zext};
use crate::eval::{self, mask};
use crate::testing::{Evaluator, constraints, session, variable};
use crate::{abi, cons};
use random::Random;
use wire::node::Op;

const INPUTS: [u16; 7] = [1, 8, 16, 32, 64, 128, 8];

const BINARY: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::UAddO,
    Op::SAddO,
    Op::USubO,
    Op::SSubO,
    Op::UMulO,
    Op::SMulO,
];

/// One value under the run's inputs (with its expression) and under the other inputs.
#[derive(Clone, Copy)]
struct Pair {
    here: Sym,
    other: u128,
}

fn grow(pool: &[Pair], random: &mut Random) -> Pair {
    let x = pool[random.below(pool.len())];
    let same: Vec<Pair> = pool
        .iter()
        .copied()
        .filter(|pair| pair.here.bits == x.here.bits)
        .collect();
    let y = if random.below(4) == 0 {
        let value = random.pattern() & mask(x.here.bits);
        Pair {
            here: Sym::concrete(value, x.here.bits),
            other: value,
        }
    } else {
        same[random.below(same.len())]
    };
    let bits = x.here.bits;
    let widths = [1_u16, 8, 16, 32, 64, 128];
    match random.below(12) {
        0..=4 => {
            let op = BINARY[random.below(BINARY.len())];
            let (x, y) = if random.below(2) == 0 { (x, y) } else { (y, x) };
            Pair {
                here: build::binary(op, x.here, y.here),
                other: eval::binary(op, bits, x.other, y.other),
            }
        }
        5 => Pair {
            here: not(x.here),
            other: !x.other & mask(bits),
        },
        6 => {
            let to = widths[random.below(6)].max(bits);
            Pair {
                here: zext(x.here, to),
                other: x.other,
            }
        }
        7 => {
            let to = widths[random.below(6)].max(bits);
            Pair {
                here: sext(x.here, to),
                other: eval::sign_extend(x.other, bits) & mask(to),
            }
        }
        8 | 9 => {
            let count = widths.iter().copied().filter(|w| *w <= bits).count();
            let to = widths[random.below(count)];
            let low = random.below(usize::from(bits - to) + 1) as u16;
            Pair {
                here: extract(x.here, low, to),
                other: x.other >> low & mask(to),
            }
        }
        10 if (8..=64).contains(&bits) => Pair {
            here: concat(x.here, y.here),
            other: x.other << bits | y.other,
        },
        _ => {
            let bools: Vec<Pair> = pool
                .iter()
                .copied()
                .filter(|pair| pair.here.bits == 1)
                .collect();
            let c = bools[random.below(bools.len())];
            Pair {
                here: ite(c.here, x.here, y.here),
                other: if c.other == 1 { x.other } else { y.other },
            }
        }
    }
}

#[test]
fn rewrites_keep_the_meaning_for_other_inputs() {
    let _session = session();
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let others: Vec<u128> = INPUTS
            .iter()
            .map(|bits| random.pattern() & mask(*bits))
            .collect();
        let mut pool: Vec<Pair> = (0..INPUTS.len())
            .map(|index| {
                let value = random.pattern() & mask(INPUTS[index]);
                let number = seed as u32 * 16 + index as u32;
                Pair {
                    here: variable(number, INPUTS[index], value),
                    other: others[index],
                }
            })
            .collect();
        for _ in 0..80 {
            let next = grow(&pool, &mut random);
            let label = next.here.label;
            if label != 0 {
                assert_eq!(
                    cons::node(label).concrete(),
                    next.here.value,
                    "seed {seed}: value of node {label}"
                );
                assert_eq!(cons::node(label).bits, next.here.bits);
            }
            let inputs = |_: u32, index: u32| others[index as usize % 16];
            assert_eq!(
                Evaluator::new(&inputs).value(next.here),
                next.other,
                "seed {seed}: node {label}"
            );
            pool.push(next);
        }
    }
    assert!(constraints().is_empty());
}

#[test]
fn equal_expressions_have_one_label() {
    let _session = session();
    let (x, y) = (variable(0, 32, 5), variable(1, 32, 7));
    let sum = build::binary(Op::Add, x, y);
    assert_eq!(build::binary(Op::Add, x, y), sum);
    assert_eq!(cons::node(sum.label).concrete(), 12);
    let back = build::plus(build::plus(x, 3), u128::MAX - 2);
    assert_eq!(back, x);
}

#[test]
fn many_nodes_outgrow_the_first_table() {
    let _session = session();
    let x = variable(0, 32, 1);
    let labels: Vec<u32> = (2..20_000).map(|n| build::plus(x, n).label).collect();
    for (n, label) in (2..20_000).zip(labels) {
        assert_eq!(build::plus(x, n).label, label);
    }
}

#[test]
fn a_label_that_does_not_fit_its_value_is_dropped() {
    let _session = session();
    let x = variable(0, 32, 5);
    let op_bits = Op::Add as u32 | 32 << 16;
    assert_ne!(abi::__bw_bin(op_bits, x.label, 5, 0, 1, 6), 0);
    assert_eq!(abi::__bw_bin(op_bits, x.label, 4, 0, 1, 5), 0);
    assert_eq!(abi::__bw_bin(op_bits, 12345, 4, 0, 1, 5), 0);
    assert_eq!(crate::state::STATE.stale.get(), 2);
}

#[test]
fn a_label_of_another_width_serves_when_its_value_agrees() {
    let _session = session();
    let x = variable(0, 8, 5);
    let wide = build::operand(x.label, 5, 32);
    assert_eq!(wide, zext(x, 32));
    assert_eq!(build::operand(zext(x, 32).label, 5, 8), x);
}

#[test]
fn float_predicates_are_those_of_llvm() {
    let _session = session();
    let values = [0.0_f64, -0.0, 1.5, -2.0, f64::NAN, f64::INFINITY];
    for (index, &a) in values.iter().enumerate() {
        for &b in &values {
            let x = variable(index as u32, 64, a.to_bits().into());
            let y = Sym::concrete(b.to_bits().into(), 64);
            for predicate in 0..16_u32 {
                let relation = match a.partial_cmp(&b) {
                    Some(std::cmp::Ordering::Equal) => 1,
                    Some(std::cmp::Ordering::Greater) => 2,
                    Some(std::cmp::Ordering::Less) => 4,
                    None => 8,
                };
                let got = abi::float_compare(predicate, x, y).value;
                assert_eq!(
                    got,
                    u128::from(predicate & relation != 0),
                    "{predicate} {a} {b}"
                );
            }
        }
    }
}

#[test]
fn intrinsics_expand_to_their_values() {
    use wire::abi::Intrinsic as I;
    let _session = session();
    let mut random = Random::new(7);
    for round in 0..300_u32 {
        let (a, b, c) = (
            random.pattern() as u8,
            random.pattern() as u8,
            random.pattern() as u8,
        );
        let (x, y, z) = (
            variable(3 * round, 8, a.into()),
            variable(3 * round + 1, 8, b.into()),
            variable(3 * round + 2, 8, c.into()),
        );
        let (sa, sb) = (a as i8, b as i8);
        let (n, m) = (u32::from(c % 8), u32::from(b % 8));
        let both = u16::from(a) << 8 | u16::from(b);
        let cases = [
            (I::UMin, a.min(b)),
            (I::UMax, a.max(b)),
            (I::SMin, sa.min(sb) as u8),
            (I::SMax, sa.max(sb) as u8),
            (I::Abs, sa.wrapping_abs() as u8),
            (I::FshL, (both << n >> 8) as u8),
            (I::FshR, (both >> n) as u8),
            (I::UAddSat, a.saturating_add(b)),
            (I::SAddSat, sa.saturating_add(sb) as u8),
            (I::USubSat, a.saturating_sub(b)),
            (I::SSubSat, sa.saturating_sub(sb) as u8),
        ];
        for (kind, want) in cases {
            let word = kind as u32 | 8 << 16;
            let label = crate::intrinsic::__bw_intrinsic(
                word,
                x.label,
                a.into(),
                y.label,
                b.into(),
                z.label,
                c.into(),
                want.into(),
            );
            assert!(
                label == 0 || cons::node(label).concrete() == u128::from(want),
                "{kind:?} {a} {b} {c}"
            );
        }
        let reversed = abi::__bw_un(
            wire::abi::BITREVERSE | 8 << 16,
            x.label,
            a.into(),
            a.reverse_bits().into(),
        );
        assert_eq!(
            cons::node(reversed).concrete(),
            u128::from(a.reverse_bits())
        );
        let _ = m;
    }
}
