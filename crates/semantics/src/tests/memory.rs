//! Memory: bytes of values, writes, blocks.

use program::{Endian, Field};

use super::*;
use crate::{Access, Block, Write, apart};

fn layout(endian: Endian) -> DataLayout {
    DataLayout {
        endian,
        ..DataLayout::LP64
    }
}

/// Writes a value and reads it back; the bytes are as said, padding is `None`.
#[track_caller]
fn check_bytes(endian: Endian, ty: &Type, given: &Given, expected: &[Option<u8>]) {
    let mut pool = Pool::new();
    let values = operands(&mut pool, std::slice::from_ref(given), None);
    let mut builder = Builder::new(&mut pool, layout(endian));
    let bytes = builder.written(ty, &values[0]).expect("bytes");
    assert_eq!(builder.bytes_of(ty), Some(bytes.len() as u64));
    let all: Vec<Term> = bytes
        .iter()
        .map(|byte| byte.unwrap_or_else(|| builder.pool.constant(8, 0xee)))
        .collect();
    let back = builder.read(ty, &all).expect("a value");
    assert_eq!(back, values[0], "{ty:?}");
    let short = builder.read(ty, &all[..all.len() - 1]);
    assert_eq!(short, Err(Gap::Operands));
    let found: Vec<Option<u8>> = bytes
        .iter()
        .map(|byte| byte.map(|byte| pool.as_const(byte).expect("a constant") as u8))
        .collect();
    assert_eq!(found, expected, "{ty:?} {endian:?}");
}

fn full(bytes: &[u8]) -> Vec<Option<u8>> {
    bytes.iter().copied().map(Some).collect()
}

#[test]
fn numbers_stand_in_memory_byte_by_byte() {
    let check = |ty: &Type, given: Given, little: &[u8]| {
        check_bytes(Endian::Little, ty, &given, &full(little));
        let big: Vec<u8> = little.iter().rev().copied().collect();
        check_bytes(Endian::Big, ty, &given, &full(&big));
    };
    check(&Type::Int(8), N(8, 0x12), &[0x12]);
    check(
        &Type::Int(32),
        N(32, 0x1122_3344),
        &[0x44, 0x33, 0x22, 0x11],
    );
    check(&Type::Int(1), N(1, 1), &[1]);
    check(&Type::Int(17), N(17, 0x1_2345), &[0x45, 0x23, 0x01]);
    check(&Type::F32, N(32, 0x3f80_0000), &[0, 0, 0x80, 0x3f]);
    check(&Type::Ptr, N(64, 0x1234), &[0x34, 0x12, 0, 0, 0, 0, 0, 0]);
    let long = N(80, 0x3fff_8000_0000_0000_0001);
    check(
        &Type::X86Fp80,
        long,
        &[1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f],
    );
}

#[test]
fn vectors_are_packed_and_aggregates_have_padding() {
    let halves = Type::vector(Type::Int(16), 2);
    let given = M(vec![N(16, 0x1122), N(16, 0x3344)]);
    check_bytes(
        Endian::Little,
        &halves,
        &given,
        &full(&[0x22, 0x11, 0x44, 0x33]),
    );
    check_bytes(
        Endian::Big,
        &halves,
        &given,
        &full(&[0x11, 0x22, 0x33, 0x44]),
    );
    let truths = Type::vector(Type::BOOL, 3);
    let given = M(vec![N(1, 1), N(1, 1), N(1, 0)]);
    check_bytes(Endian::Little, &truths, &given, &full(&[0b011]));
    check_bytes(Endian::Big, &truths, &given, &full(&[0b110]));
    let field = |ty, offset| Field { ty, offset };
    let pair = vec![field(Type::Int(8), 0), field(Type::Int(16), 2)];
    let array = Type::array(Type::structure(pair, 4), 2);
    let element = |a, b| M(vec![N(8, a), N(16, b)]);
    check_bytes(
        Endian::Little,
        &array,
        &M(vec![element(1, 0x203), element(4, 0x506)]),
        &[
            Some(1),
            None,
            Some(3),
            Some(2),
            Some(4),
            None,
            Some(6),
            Some(5),
        ],
    );
}

#[test]
fn what_does_not_fit_is_neither_read_nor_written() {
    let mut pool = Pool::new();
    let given = [N(16, 1), M(vec![N(8, 1)])];
    let values = operands(&mut pool, &given, None);
    let mut builder = Builder::new(&mut pool, layout(Endian::Little));
    for (ty, expected) in [
        (Type::array(Type::Int(8), 4096), Gap::Operands),
        (Type::array(Type::Int(8), 4097), Gap::Type),
        (Type::array(Type::Int(8), 1 << 40), Gap::Type),
    ] {
        assert_eq!(builder.read(&ty, &[]), Err(expected), "{ty:?}");
    }
    for ty in [Type::Int(8), Type::Int(32), Type::array(Type::Int(16), 1)] {
        let written = values.iter().map(|value| builder.written(&ty, value));
        let found: Vec<_> = written.collect();
        assert_eq!(found, [Err(Gap::Operands), Err(Gap::Operands)], "{ty:?}");
    }
}

/// Numbers of 8 bits stand for addresses, so that all of them can be tried.
fn address(pool: &mut Pool, at: u128) -> Term {
    pool.constant(8, at)
}

#[test]
fn accesses_are_apart_when_no_byte_is_common() {
    for a in [0_u64, 3, 250, 255] {
        for b in 0..=255_u64 {
            for (m, n) in [(1, 1), (4, 2), (2, 8), (1, 16)] {
                let bytes = |from: u64, count: u64| (0..count).map(move |i| (from + i) % 256);
                let common = bytes(a, m).any(|byte| bytes(b, n).any(|other| other == byte));
                let mut pool = Pool::new();
                let (x, y) = (address(&mut pool, a.into()), address(&mut pool, b.into()));
                let found = apart(&mut pool, (x, m), (y, n));
                assert_eq!(pool.is_true(found), !common, "{a}+{m} {b}+{n}");
            }
        }
    }
}

#[test]
fn a_write_changes_its_bytes_and_no_others() {
    let mut pool = Pool::new();
    let to = address(&mut pool, 254);
    let bytes = [Some(11), None, Some(13)]
        .map(|byte| byte.map(|byte| pool.constant(8, byte)))
        .to_vec();
    let access = Access {
        address: to,
        bytes: 3,
        align: 1,
        volatile: false,
    };
    let write = Write { access, bytes };
    for at in 0..=255 {
        let expected = match at {
            254 => 11,
            0 => 13,
            _ => 99,
        };
        let (place, before) = (address(&mut pool, at), pool.constant(8, 99));
        let after = write.after(&mut pool, place, before);
        assert_eq!(pool.as_const(after), Some(expected), "{at}");
    }
}

#[test]
fn a_block_says_where_each_byte_comes_from() {
    let mut pool = Pool::new();
    let block = Block {
        to: address(&mut pool, 250),
        from: address(&mut pool, 16),
        length: address(&mut pool, 10),
        volatile: false,
    };
    for at in 0..=255_u128 {
        let place = address(&mut pool, at);
        let (inside, from) = block.source(&mut pool, place);
        let offset = (at + 256 - 250) % 256;
        assert_eq!(pool.is_true(inside), offset < 10, "{at}");
        if offset < 10 {
            assert_eq!(pool.as_const(from), Some(16 + offset));
        }
    }
}
