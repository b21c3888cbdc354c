//! Invariants that were changed at random are refused.

use std::collections::BTreeSet;

use program::Program;
use smallvec::smallvec;

use super::tests::{LOOP, of_loop, proved, sample};
use crate::assertion::{Invariant, Set};

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % most
    }

    fn of<'t, T>(&mut self, all: &'t mut [T]) -> &'t mut T {
        let at = self.below(all.len());
        &mut all[at]
    }
}

/// Changes an invariant so that it does not hold any more.
fn corrupt(invariant: &mut Invariant, random: &mut Random) -> &'static str {
    let kind = random.below(8);
    let context = random.below(invariant.contexts.len());
    let more = 1 + random.below(1 << 20) as u64;
    if kind == 0 {
        let cell = random.of(&mut invariant.cells);
        match more % 3 {
            0 => cell.offset += more,
            1 => cell.size = more % 4,
            _ => cell.global += 1 + more as u32,
        }
        return "a cell";
    }
    let own = &mut invariant.contexts[context];
    match kind {
        1 => {
            own.function = (own.function + 1 + more as u32 % 2) % 3;
            "a function"
        }
        2 if !own.exits.is_empty() => {
            own.exits.clear();
            "no exit"
        }
        3 if !own.exits.is_empty() => {
            let exit = random.of(&mut own.exits);
            let (_, set) = random.of(&mut exit.cells);
            *set = Set::OneOf(smallvec![more + 1]);
            "an exit"
        }
        4 if !own.calls.is_empty() => {
            let at = random.below(own.calls.len());
            match more % 3 {
                0 => drop(own.calls.remove(at)),
                1 => own.calls[at].to.clear(),
                _ => own.calls[at].to[0] += 1 + more as u32 % 9,
            }
            "a call"
        }
        5 => {
            let at = random.below(own.states.len());
            own.states.remove(at);
            "no state"
        }
        6 => {
            let state = random.of(&mut own.states);
            state
                .values
                .push((100 + more as u32, Set::OneOf(smallvec![0])));
            "a value that is not there"
        }
        _ => {
            let state = random.of(&mut own.states);
            let (_, set) = random.of(&mut state.cells);
            *set = match more % 3 {
                0 => Set::OneOf(smallvec![]),
                1 => Set::OneOf(smallvec![more + 1]),
                _ => Set::Range {
                    start: more + 1,
                    steps: more % 7,
                    stride: more % 5,
                },
            };
            "a set"
        }
    }
}

/// Two hundred corruptions of an invariant that holds, of so many kinds: the checker refuses each.
pub(super) fn two_hundred_are_refused(
    program: &Program,
    good: &Invariant,
    corrupt: fn(&mut Invariant, &mut Random) -> &'static str,
    kinds: usize,
) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut seen = BTreeSet::new();
    for round in 0..200 {
        let mut bad = good.clone();
        let what = corrupt(&mut bad, &mut random);
        seen.insert(what);
        let found = proved(program, &bad);
        assert!(found.is_err(), "round {round}, {what}: {found:?}\n{bad:?}");
    }
    assert_eq!(seen.len(), kinds, "{seen:?}");
}

#[test]
fn two_hundred_corrupted_invariants_are_refused() {
    let program = sample(LOOP);
    two_hundred_are_refused(&program, &of_loop(&program), corrupt, 8);
}
