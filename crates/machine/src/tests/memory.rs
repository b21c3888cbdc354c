//! Objects: bounds, lifetimes, shared copies.

use program::DataLayout;
use smt::{Pool, Var};

use crate::fault::Fault;
use crate::memory::{Kind, Memory};

const LAYOUTS: [DataLayout; 2] = [DataLayout::LP64, DataLayout::ILP32];

#[test]
fn an_access_is_inside_of_one_object() {
    for layout in LAYOUTS {
        let mut memory = Memory::new(layout);
        for size in [1, 8, 4095, 4096, 4097, 100_000] {
            let base = memory.add(Kind::Heap, size).expect("there is room");
            let next = memory.add(Kind::Heap, 8).expect("there is room");
            assert!(next > base + size, "the pointer behind the end is nobody's");
            assert_eq!(memory.word(base + size - 1, 1), Ok((0, false)));
            assert_eq!(memory.word(base + size, 1), Err(Fault::OutOfBounds));
            assert_eq!(memory.word(base + size - 1, 2), Err(Fault::OutOfBounds));
            assert!(memory.word(base.wrapping_sub(1), 1).is_err());
        }
        assert_eq!(memory.word(0, 1), Err(Fault::Null));
        assert_eq!(memory.word(16, 4), Err(Fault::Null));
    }
}

#[test]
fn a_dead_object_is_known_for_a_while() {
    for layout in LAYOUTS {
        let mut memory = Memory::new(layout);
        let base = memory.add(Kind::Heap, 8).expect("there is room");
        memory.remove(base);
        for _ in 0..1000 {
            let other = memory.add(Kind::Stack, 16).expect("there is room");
            assert_ne!(other, base);
            memory.remove(other);
        }
        assert_eq!(memory.word(base, 1), Err(Fault::AfterFree));
        assert_eq!(memory.used, 0);
    }
}

#[test]
fn places_are_used_again() {
    let mut memory = Memory::new(DataLayout::ILP32);
    for _ in 0..3_000_000 {
        let base = memory.add(Kind::Stack, 16).expect("there is room");
        memory.remove(base);
    }
}

#[test]
fn a_copy_does_not_see_later_writes() {
    let mut memory = Memory::new(DataLayout::LP64);
    let base = memory.add(Kind::Heap, 8).expect("there is room");
    memory.set_word(base, 8, 7).expect("inside");
    let before = memory.clone();
    memory.set_word(base, 8, 9).expect("inside");
    assert_eq!(before.word(base, 8), Ok((7, false)));
    assert_eq!(memory.word(base, 8), Ok((9, false)));
}

#[test]
fn terms_move_with_their_bytes_and_go_when_overwritten() {
    let mut pool = Pool::new();
    let term = pool.var(Var(0), 8);
    let mut memory = Memory::new(DataLayout::LP64);
    let base = memory.add(Kind::Heap, 8).expect("there is room");
    memory.set_byte(base + 1, 5, Some(term)).expect("inside");
    memory.copy(base + 4, base, 4).expect("inside");
    assert_eq!(memory.byte(base + 5), Ok((5, Some(term))));
    assert_eq!(memory.word(base, 4), Ok((0x500, true)));
    memory.fill(base, 0, None, 2).expect("inside");
    assert_eq!(memory.word(base, 4), Ok((0, false)));
    memory.set_word(base + 4, 4, 1).expect("inside");
    assert_eq!(memory.byte(base + 5), Ok((0, None)));
}

#[test]
fn constants_are_not_written() {
    let mut memory = Memory::new(DataLayout::LP64);
    let base = memory.add(Kind::Constant, 8).expect("there is room");
    assert_eq!(memory.set_word(base, 1, 1), Err(Fault::Constant));
    assert_eq!(memory.copy(base, base, 1), Err(Fault::Constant));
}
