//! Vectors, aggregates, and instructions that the model has by name.

use super::*;
use crate::computed::NAMES;
use crate::{Consequence, Fault};

fn lanes(bits: u16, values: &[u128]) -> Given {
    M(values.iter().map(|value| N(bits, *value)).collect())
}

#[test]
fn vectors_are_computed_lane_by_lane() {
    let ty = Type::vector(Type::Int(8), 3);
    let (a, b) = (lanes(8, &[1, 200, 0x80]), lanes(8, &[2, 100, 0x7f]));
    let given = [a.clone(), b.clone()];
    check(&bin(BinOp::Add), &ty, &given, &[3, 44, 0xff]);
    let truth = Type::vector(Type::BOOL, 3);
    check(&icmp(ICmp::Slt), &truth, &given, &[1, 1, 1]);
    let wide = Type::vector(Type::Int(16), 3);
    check(
        &cast(CastOp::SExt),
        &wide,
        std::slice::from_ref(&a),
        &[1, 0xffc8, 0xff80],
    );
    let given = [a.clone(), b.clone(), lanes(8, &[4, 4, 12])];
    check(
        &intrinsic(Intrinsic::FShl),
        &ty,
        &given,
        &[0x10, 0x86, 0x07],
    );
    let given = [a, b];
    let both = Type::structure(Vec::new(), 0);
    let expected = [3, 44, 0xff, 0, 1, 0];
    check(&intrinsic(Intrinsic::UAddO), &both, &given, &expected);
}

#[test]
fn selects() {
    let select = Op::Select {
        cond: any(),
        then_value: any(),
        else_value: any(),
    };
    let ty = Type::vector(Type::Int(8), 2);
    let (a, b) = (lanes(8, &[1, 2]), lanes(8, &[3, 4]));
    let given = |cond| [cond, a.clone(), b.clone()];
    check(&select, &ty, &given(N(1, 1)), &[1, 2]);
    check(&select, &ty, &given(N(1, 0)), &[3, 4]);
    check(&select, &ty, &given(lanes(1, &[0, 1])), &[3, 2]);
    check(&named("select"), &ty, &given(lanes(1, &[1, 0])), &[1, 4]);
    check(&select, &Type::Int(8), &[N(1, 0), N(8, 5), N(8, 6)], &[6]);
}

#[test]
fn bits_are_cut_anew() {
    let bytes = lanes(8, &[0x11, 0x22, 0x33, 0x44]);
    check(
        &cast(CastOp::Bitcast),
        &Type::Int(32),
        std::slice::from_ref(&bytes),
        &[0x4433_2211],
    );
    let halves = Type::vector(Type::Int(16), 2);
    check(
        &cast(CastOp::Bitcast),
        &halves,
        std::slice::from_ref(&bytes),
        &[0x2211, 0x4433],
    );
    let back = Type::vector(Type::Int(8), 4);
    check(
        &cast(CastOp::Bitcast),
        &back,
        &[N(32, 0x4433_2211)],
        &[0x11, 0x22, 0x33, 0x44],
    );
    let odd = Type::vector(Type::Int(12), 2);
    check(
        &cast(CastOp::Bitcast),
        &odd,
        &[lanes(8, &[0x11, 0x22, 0x33])],
        &[0x211, 0x332],
    );
    check(&cast(CastOp::Bitcast), &Type::F32, &[N(32, 5)], &[5]);
    // More bits than a term has.
    let wide = Type::vector(Type::Int(128), 2);
    let given = [lanes(64, &[1, 2, 3, 4])];
    check(
        &cast(CastOp::Bitcast),
        &wide,
        &given,
        &[2 << 64 | 1, 4 << 64 | 3],
    );
    assert_eq!(
        run(&cast(CastOp::Bitcast), &Type::Int(16), &[bytes]),
        Err(Gap::Operands)
    );
}

#[test]
fn a_big_endian_machine_has_lane_0_on_top() {
    let layout = DataLayout {
        endian: program::Endian::Big,
        ..DataLayout::LP64
    };
    let recut = |ty: Type, given: Given| {
        both_ways(layout, &[given], &|builder, operands| {
            let value = builder.value(&cast(CastOp::Bitcast), &ty, operands)?;
            Ok(value.scalars())
        })
    };
    assert_eq!(
        recut(Type::Int(16), lanes(8, &[0x11, 0x22])),
        Ok(vec![0x1122])
    );
    let bytes = Type::vector(Type::Int(8), 2);
    assert_eq!(recut(bytes, N(16, 0x1122)), Ok(vec![0x11, 0x22]));
}

#[test]
fn members_are_taken_out_and_put_in() {
    let inner = M(vec![N(8, 1), N(16, 2)]);
    let outer = M(vec![N(32, 3), inner]);
    let extract = |path: &[u32]| Op::ExtractValue {
        aggregate: any(),
        path: path.to_vec(),
    };
    check(
        &extract(&[1, 1]),
        &Type::Int(16),
        std::slice::from_ref(&outer),
        &[2],
    );
    check(
        &extract(&[0]),
        &Type::Int(32),
        std::slice::from_ref(&outer),
        &[3],
    );
    check(
        &extract(&[1]),
        &Type::Void,
        std::slice::from_ref(&outer),
        &[1, 2],
    );
    let insert = |path: &[u32]| Op::InsertValue {
        aggregate: any(),
        value: any(),
        path: path.to_vec(),
    };
    check(
        &insert(&[1, 0]),
        &Type::Void,
        &[outer.clone(), N(8, 9)],
        &[3, 9, 2],
    );
    check(
        &insert(&[0]),
        &Type::Void,
        &[outer.clone(), N(32, 9)],
        &[9, 1, 2],
    );
    assert_eq!(
        run(&extract(&[2]), &Type::Void, &[outer]),
        Err(Gap::Operands)
    );
    check(
        &Op::Freeze { value: any() },
        &Type::Int(8),
        &[N(8, 7)],
        &[7],
    );
    check(
        &intrinsic(Intrinsic::Expect),
        &Type::Int(8),
        &[N(8, 7), N(8, 1)],
        &[7],
    );
}

#[test]
fn single_lanes() {
    let vector = lanes(8, &[5, 6, 7]);
    let ty = Type::vector(Type::Int(8), 3);
    for index in 0..3 {
        let given = [vector.clone(), N(32, index)];
        check(
            &named("extractelement"),
            &Type::Int(8),
            &given,
            &[5 + index],
        );
        let mut expected = [5, 6, 7];
        expected[index as usize] = 9;
        let given = [vector.clone(), N(8, 9), N(32, index)];
        check(&named("insertelement"), &ty, &given, &expected);
    }
    // An index too narrow for the last lane, and a wide one.
    for (index, expected) in [
        (N(1, 0), [9, 6, 7]),
        (N(1, 1), [5, 9, 7]),
        (N(64, 2), [5, 6, 9]),
        (N(128, 2), [5, 6, 9]),
    ] {
        let N(_, at) = index else { continue };
        let given = [vector.clone(), index.clone()];
        check(&named("extractelement"), &Type::Int(8), &given, &[5 + at]);
        let given = [vector.clone(), N(8, 9), index];
        check(&named("insertelement"), &ty, &given, &expected);
    }
    let four = lanes(8, &[5, 6, 7, 8]);
    for (vector, index, holds) in [
        (&vector, 2, true),
        (&vector, 3, false),
        // No number of the index's width is too large.
        (&four, 0, true),
        (&four, 3, true),
    ] {
        let mut pool = Pool::new();
        let operands = operands(&mut pool, &[vector.clone(), N(2, index)], None);
        let mut builder = Builder::new(&mut pool, DataLayout::LP64);
        let conditions = builder
            .conditions(&named("extractelement"), &Type::Int(8), &operands)
            .expect("conditions");
        assert_eq!(conditions[0].fault, Fault::LaneOutOfRange);
        assert_eq!(conditions[0].consequence, Consequence::Undefined);
        assert_eq!(pool.is_true(conditions[0].holds), holds);
    }
    // What works on no lane has no such condition.
    let mut pool = Pool::new();
    let operands = operands(&mut pool, &[vector, N(2, 0)], None);
    let mut builder = Builder::new(&mut pool, DataLayout::LP64);
    let conditions = builder.conditions(&named("atomicrmw"), &Type::Int(8), &operands);
    assert_eq!(conditions, Ok(Vec::new()));
}

#[test]
fn lanes_that_do_not_match_have_no_meaning() {
    let two = lanes(8, &[1, 2]);
    for other in [
        lanes(8, &[1]),
        lanes(8, &[1, 2, 3]),
        N(8, 1),
        lanes(16, &[1, 2]),
    ] {
        for given in [[two.clone(), other.clone()], [other, two.clone()]] {
            let found = run(&bin(BinOp::Add), &Type::vector(Type::Int(8), 2), &given);
            assert_eq!(found, Err(Gap::Operands), "{given:?}");
        }
    }
}

#[test]
fn bits_that_are_too_many_or_too_few_are_not_cut() {
    let cast = cast(CastOp::Bitcast);
    let bytes = |count| Type::vector(Type::Int(8), count);
    for (ty, given) in [
        (int(64), N(32, 1)),
        (int(32), N(64, 1)),
        (int(32), lanes(8, &[1, 2])),
        (bytes(4), N(64, 1)),
        (bytes(4), N(16, 1)),
        (bytes(0), M(Vec::new())),
    ] {
        let given = [given];
        assert_eq!(
            run(&cast, &ty, &given),
            Err(Gap::Operands),
            "{ty:?} {given:?}"
        );
    }
}

#[test]
fn shifts_that_stop_at_the_bounds_and_three_way_comparisons() {
    for w in [8, 13, 64] {
        for &a in &values(w) {
            for by in 0..u128::from(w) {
                let given = [N(w, a), N(w, by)];
                let exact = a
                    .checked_shl(by as u32)
                    .filter(|x| x >> by == a && *x <= mask(w));
                let expected = exact.unwrap_or(mask(w));
                check(&named("ushl.sat"), &int(w), &given, &[expected]);
                let x = signed(a, w);
                let (least, most) = (signed(1 << (w - 1), w), (mask(w) >> 1) as i128);
                let exact = x.checked_mul(1_i128.checked_shl(by as u32).unwrap_or(i128::MAX));
                let exact = exact.unwrap_or(if x < 0 { i128::MIN } else { i128::MAX });
                let expected = exact.clamp(least, most) as u128 & mask(w);
                check(&named("sshl.sat"), &int(w), &given, &[expected]);
            }
            for &b in &values(w) {
                let given = [N(w, a), N(w, b)];
                let number = |order: std::cmp::Ordering| order as i8 as i128 as u128 & 0xff;
                check(&named("ucmp"), &Type::Int(8), &given, &[number(a.cmp(&b))]);
                let order = signed(a, w).cmp(&signed(b, w));
                check(&named("scmp"), &Type::Int(8), &given, &[number(order)]);
            }
        }
    }
}

#[test]
fn every_name_has_a_meaning() {
    for name in NAMES {
        let gap = run(&named(name), &Type::Int(8), &[]);
        assert_eq!(gap, Err(Gap::Unmodelled), "{name} without operands");
        assert!(crate::is_computed(&named(name)));
        let vector = lanes(8, &[1, 2]);
        let given: &[Given] = match *name {
            "select" => &[lanes(1, &[0, 1]), vector.clone(), vector.clone()],
            "extractelement" => &[vector.clone(), N(8, 0)],
            "insertelement" => &[vector.clone(), N(8, 0), N(8, 0)],
            _ => &[N(8, 1), N(8, 1)],
        };
        assert!(run(&named(name), &Type::Int(8), given).is_ok(), "{name}");
    }
    assert!(!crate::is_computed(&named("atomicrmw")));
}
