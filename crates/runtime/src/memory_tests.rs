//! Shadow memory: random stores, moves and loads, evaluated under inputs other than the run's; tables.

use crate::build::{Sym, binary, plus, zext};
use crate::eval::mask;
use crate::raw::{peek, poke};
use crate::state::STATE;
use crate::testing::{Evaluator, constraints, session, variable};
use crate::{abi, build, cons, memory, objects};
use random::Random;
use wire::node::Op;

const BYTES: usize = 64;

fn bytes_of(value: u128, count: usize) -> Vec<u8> {
    (0..count)
        .map(|index| (value >> (8 * index)) as u8)
        .collect()
}

#[test]
fn loads_give_what_was_stored_whatever_the_width() {
    let _session = session();
    for seed in 0..300_u32 {
        let mut random = Random::new(seed.into());
        let memory = [0_u8; BYTES];
        let base = memory.as_ptr() as u64;
        memory::clear(base, BYTES as u64);
        let mut others = [0_u8; BYTES];
        let mut inputs: Vec<u128> = Vec::new();
        for _ in 0..60 {
            let count = [1_usize, 2, 4, 8, 16, 3][random.below(6)];
            let at = random.below(BYTES - count + 1);
            let address = base + at as u64;
            match random.below(4) {
                0 => {
                    let bits = 8 * count as u16;
                    let (value, other) =
                        (random.pattern() & mask(bits), random.pattern() & mask(bits));
                    let sym = variable(seed * 256 + inputs.len() as u32, bits, value);
                    inputs.push(other);
                    for (index, byte) in bytes_of(value, count).into_iter().enumerate() {
                        poke(address + index as u64, byte);
                    }
                    memory::store(address, count as u32, sym);
                    others[at..at + count].copy_from_slice(&bytes_of(other, count));
                }
                1 => {
                    let to = random.below(BYTES - count + 1);
                    crate::raw::copy(base + to as u64, address, count as u64);
                    memory::move_shadow(base + to as u64, address, count as u64);
                    others.copy_within(at..at + count, to);
                }
                2 if random.below(3) == 0 => {
                    // Foreign code writes: labels go stale, and only values that agree keep them.
                    poke(address, peek::<u8>(address).wrapping_add(1));
                    others[at] = peek::<u8>(address);
                }
                _ => {
                    let value = (0..count).fold(0, |v, i| {
                        v | u128::from(peek::<u8>(address + i as u64)) << (8 * i)
                    });
                    let got = memory::load(address, count as u32, value);
                    assert_eq!(got.value, value);
                    let wanted =
                        (0..count).fold(0, |v, i| v | u128::from(others[at + i]) << (8 * i));
                    let inputs = |_: u32, index: u32| inputs[index as usize % 256];
                    assert_eq!(
                        Evaluator::new(&inputs).value(got),
                        wanted,
                        "seed {seed} at {at} {count}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_value_loaded_as_it_was_stored_keeps_its_label() {
    let _session = session();
    let cell = [0_u64; 2];
    let base = cell.as_ptr() as u64;
    let x = variable(0, 32, 0x1234_5678);
    poke(base, 0x1234_5678_u32);
    memory::__bw_store(0, 0, base, 4, x.label, 0x1234_5678, 0);
    assert_eq!(
        memory::__bw_load(0, 0, base, 4, 0x1234_5678, 0, 0, 0),
        x.label
    );
    let half = memory::__bw_load(0, 0, base + 2, 2, 0x1234, 0, 0, 0);
    assert_eq!(
        (cons::node(half).op, cons::node(half).b),
        (Op::Extract as u8, 16)
    );
    poke(base, 0_u32);
    assert_eq!(memory::__bw_load(0, 0, base, 4, 0, 0, 0, 0), 0);
}

/// `table[index]` through `__bw_index` and `__bw_load`; the result under every other index.
fn check_table(table: &[u16], index: i8, offset: i64) {
    let bytes = size_of_val(table) as u64;
    let base = table.as_ptr() as u64;
    let i = variable(0, 8, index as u8 as u128);
    let start = base.wrapping_add_signed(2 * offset);
    let address = start.wrapping_add_signed(2 * i64::from(index));
    let pointer = abi::__bw_index(8, 0, start, i.label, index as u8 as u64, 2, address);
    let value: u16 = peek(address);
    let label = memory::__bw_load(0, pointer, address, 2, value.into(), 0, base, bytes);
    assert_ne!(label, 0);
    let guards = constraints();
    for other in i8::MIN..=i8::MAX {
        let inputs = |_: u32, _: u32| other as u8 as u128;
        let inside = usize::try_from(i64::from(other) + offset)
            .ok()
            .and_then(|at| table.get(at));
        let allowed = guards
            .iter()
            .all(|guard| Evaluator::new(&inputs).label(*guard) == 1);
        assert_eq!(allowed, inside.is_some(), "index {other}");
        if let Some(want) = inside {
            assert_eq!(
                Evaluator::new(&inputs).label(label),
                u128::from(*want),
                "index {other}"
            );
        }
    }
}

#[test]
fn a_symbolic_index_reads_the_table() {
    let _session = session();
    let table: Vec<u16> = (0..20).map(|n| n * n).collect();
    memory::clear(table.as_ptr() as u64, 40);
    check_table(&table, 3, 0);
}

#[test]
fn a_table_may_be_entered_in_its_middle_and_hold_symbols() {
    let _session = session();
    let mut table: Vec<u16> = (0..20).map(|n| 1000 + n).collect();
    let base = table.as_ptr() as u64;
    memory::clear(base, 40);
    table[4] = 0x0105;
    check_table(&table, -3, 8);
    memory::store(base + 8, 1, variable(9, 8, 5));
    let i = variable(1, 64, 4);
    let pointer = abi::__bw_index(64, 0, base, i.label, 4, 2, base + 8);
    let label = memory::__bw_load(0, pointer, base + 8, 2, 0x0105, 0, base, 40);
    let inputs = |_: u32, index: u32| if index == 9 { 0x77 } else { 4 };
    assert_eq!(Evaluator::new(&inputs).label(label), 0x0177);
    let inputs = |_: u32, index: u32| if index == 9 { 0x77 } else { 7 };
    assert_eq!(Evaluator::new(&inputs).label(label), 1007);
}

#[test]
fn rows_and_fields_are_strides() {
    let _session = session();
    let matrix: Vec<u32> = (0..60).collect();
    let base = matrix.as_ptr() as u64;
    memory::clear(base, 240);
    let (row, column) = (variable(0, 32, 2), variable(1, 32, 3));
    let at = abi::__bw_index(32, 0, base, row.label, 2, 40, base + 80);
    let at = abi::__bw_index(32, at, base + 80, column.label, 3, 4, base + 92);
    let label = memory::__bw_load(0, at, base + 92, 4, 23, 0, base, 240);
    for (r, c) in [(0, 0), (5, 9), (4, 7)] {
        let inputs = |_: u32, index: u32| if index == 0 { r } else { c };
        assert_eq!(Evaluator::new(&inputs).label(label), 10 * r + c);
    }
}

#[test]
fn an_unknown_object_is_pinned() {
    let _session = session();
    let cell = [7_u32, 8];
    let base = cell.as_ptr() as u64;
    memory::clear(base, 8);
    let i = variable(0, 64, 1);
    let pointer = abi::__bw_index(64, 0, base, i.label, 1, 4, base + 4);
    assert_eq!(memory::__bw_load(0, pointer, base + 4, 4, 8, 0, 0, 0), 0);
    let [pin] = constraints()[..] else {
        panic!("one constraint")
    };
    let inputs = |_: u32, _: u32| 1;
    assert_eq!(Evaluator::new(&inputs).label(pin), 1);
    let inputs = |_: u32, _: u32| 0;
    assert_eq!(Evaluator::new(&inputs).label(pin), 0);
}

#[test]
fn heap_blocks_are_found_from_inside() {
    let _session = session();
    for n in 1..5000_u64 {
        objects::allocated(0x5555_0000_0000 + 64 * n, 48);
    }
    for n in (1..5000).step_by(2) {
        objects::freed(0x5555_0000_0000 + 64 * n);
    }
    let block = |n: u64| 0x5555_0000_0000 + 64 * n;
    assert_eq!(
        objects::object_of(block(4) + 47, 4096),
        Some((block(4), 48))
    );
    assert_eq!(objects::object_of(block(4) + 48, 4096), None);
    assert_eq!(objects::object_of(block(5) + 3, 4096), None);
}

#[test]
fn wide_values_are_split() {
    let _session = session();
    let cell = [0_u64; 2];
    let base = cell.as_ptr() as u64;
    let x = variable(0, 128, 1 << 100);
    poke(base, 1_u128 << 100);
    memory::store(base, 16, x);
    assert_eq!(memory::load(base, 16, 1 << 100), x);
    let sum = build::binary(
        Op::Add,
        zext(memory::load(base, 4, 0), 64),
        Sym::concrete(1, 64),
    );
    assert_eq!(plus(sum, 1).value, 2);
}

/// `base + 4 * (variable 0 & 7)`, with the variable 3.
fn one_of_eight(base: u64) -> Sym {
    let index = binary(Op::And, variable(0, 64, 3), Sym::concrete(7, 64));
    let offset = binary(Op::Mul, index, Sym::concrete(4, 64));
    binary(Op::Add, offset, Sym::concrete(base.into(), 64))
}

#[test]
fn a_store_to_one_of_a_few_cells_holds_for_every_index() {
    let _session = session();
    let cells: [u32; 8] = std::array::from_fn(|cell| 10 * cell as u32);
    let base = cells.as_ptr() as u64;
    memory::clear(base, 32);
    let (address, value) = (one_of_eight(base), variable(1, 32, 77));
    poke(base + 12, 77_u32);
    crate::symbolic_write::__bw_store_at(
        0,
        address.label,
        base + 12,
        4,
        value.label,
        77,
        30,
        base,
        32,
    );
    for chosen in 0..8 {
        let inputs = |_: u32, index: u32| if index == 0 { chosen } else { 99 };
        for cell in 0..8_u64 {
            let held: u32 = crate::raw::peek(base + 4 * cell);
            let got = memory::load(base + 4 * cell, 4, held.into());
            assert_eq!(got.value, u128::from(held));
            let wanted = if u128::from(cell) == chosen {
                99
            } else {
                10 * cell
            };
            assert_eq!(Evaluator::new(&inputs).value(got), wanted.into());
        }
    }
    assert_eq!(STATE.overflow.get(), 0);
}

#[test]
fn cells_that_overlap_are_pinned() {
    let _session = session();
    let cells = [0_u32; 8];
    let base = cells.as_ptr() as u64;
    let address = one_of_eight(base);
    crate::symbolic_write::__bw_store_at(0, address.label, base + 12, 8, 0, 1, 0, base, 32);
    assert!(crate::fixed::is_fixed(address));
    // A pin alone stands in no proof's way, and its table is full from the start.
    assert_eq!(STATE.overflow.get(), wire::segment::overflow::LOSSES);
}

#[test]
fn arguments_of_code_that_calls_back_are_lost() {
    let _session = session();
    crate::state::set_callee(1000);
    assert_eq!(crate::handshake::__bw_enter(2000), 0);
    assert_eq!(crate::state::callee(), 0);
    assert_ne!(STATE.overflow.get() & wire::segment::overflow::LOST, 0);
}
