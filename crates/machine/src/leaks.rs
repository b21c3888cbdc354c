//! Memory that was not freed and that nothing points to when the program ends.
//!
//! Must hold: what a global, a living variable or a register points to, or into, is no leak, nor what such memory points to: any
//! aligned word that is an address counts.

use std::collections::BTreeMap;

use crate::fault::{Error, Fault};
use crate::memory::Kind;
use crate::state::{End, Made, State};

/// What is known for the end of the program.
#[derive(Debug, Default)]
pub(crate) struct Leaks {
    /// Where each living heap object was made, by its number in the order of their birth.
    made: BTreeMap<u64, (u64, Error)>,
    /// The number by address.
    numbers: BTreeMap<u64, u64>,
    births: u64,
    /// What the registers of the functions held that a call of `exit` left.
    held: Vec<u64>,
}

impl State<'_> {
    /// A heap object was made here.
    pub fn note_birth(&mut self, base: u64) {
        if !self.config.finds.leaks {
            return;
        }
        let error = Error::at(Fault::Leak, self.program, &self.frames);
        self.leaks.births += 1;
        let number = self.leaks.births;
        self.leaks.numbers.insert(base, number);
        self.leaks.made.insert(number, (base, error));
    }

    /// A heap object is no more.
    pub fn note_death(&mut self, base: u64) {
        if let Some(number) = self.leaks.numbers.remove(&base) {
            self.leaks.made.remove(&number);
        }
    }

    /// The functions that are active are left for good.
    pub fn note_leaving(&mut self) {
        if !self.config.finds.leaks {
            return;
        }
        let registers = self.frames.iter().flat_map(|frame| &frame.registers);
        self.leaks
            .held
            .extend(registers.map(|register| register.word()));
    }

    /// The first object that is lost, if one is, is an error.
    pub fn check_leaks(&mut self) -> Made {
        if self.leaks.made.is_empty() {
            return Ok(());
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut open: Vec<u64> = self.leaks.held.clone();
        for object in self.memory.living() {
            if object.kind != Kind::Heap {
                open.extend(self.memory.words_of(object));
            }
        }
        while let Some(address) = open.pop() {
            let Some(object) = self.memory.object(address) else {
                continue;
            };
            let is_heap = object.kind == Kind::Heap && object.alive;
            if is_heap && seen.insert(object.base) {
                open.extend(self.memory.words_of(object));
            }
        }
        let lost = self
            .leaks
            .made
            .values()
            .find(|(base, _)| !seen.contains(base));
        let Some((_, error)) = lost else {
            return Ok(());
        };
        self.error = Some(error.clone());
        Err(End::Fault(Fault::Leak))
    }
}
