//! Variable arguments: what `va_start` leaves in a `va_list`.
//!
//! Clang reads the list itself: on x86-64 a struct whose register areas we say are used up, so that all arguments come from the area
//! of the stack; on 32-bit x86 a pointer to that area.

use crate::code::Source;
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};
use path::Outcome;

/// Bytes of the areas for integer and for all registers on x86-64.
const USED_UP: (u64, u64) = (48, 176);

impl State<'_> {
    pub fn start_list(&mut self, list: Source) -> Made {
        let list = self.get(list);
        let variable = self.top().variable.clone();
        let pointer = u64::from(self.program.layout.pointer_bits / 8);
        let slot = |size: u64| size.next_multiple_of(pointer);
        let align = |at: u64, size: u64| match (pointer, size) {
            (8, 16) => at.next_multiple_of(16),
            _ => at,
        };
        let size = variable
            .iter()
            .fold(0, |at, (_, size)| align(at, *size) + slot(*size));
        let full = End::Outcome(Outcome::Signalled(11));
        let area = self.memory.add(Kind::Stack, size).ok_or(full)?;
        self.frame().objects.push(area);
        let mut at = 0;
        for (value, size) in &variable {
            at = align(at, *size);
            self.put_argument(area + at, value, *size)?;
            at += slot(*size);
        }
        let list = list.word();
        if pointer == 8 {
            self.memory.set_word(list, 4, USED_UP.0)?;
            self.memory.set_word(list + 4, 4, USED_UP.1)?;
            self.memory.set_word(list + 8, 8, area)?;
            self.memory.set_word(list + 16, 8, 0)?;
        } else {
            self.memory.set_word(list, 4, area)?;
        }
        Ok(())
    }

    fn put_argument(&mut self, at: u64, value: &Register, size: u64) -> Made {
        match value {
            Register::Wide(wide) => {
                let crate::register::Plain::Scalar { bits, .. } = &wide.concrete else {
                    return Err(End::Unmodelled(
                        "an aggregate as a variable argument".into(),
                    ));
                };
                let bits = *bits;
                self.memory.set_word(at, 8, bits as u64)?;
                let high = size.saturating_sub(8).min(8) as u32;
                self.memory.set_word(at + 8, high, (bits >> 64) as u64)?;
                Ok(())
            }
            word => {
                let bits = word
                    .term()
                    .map_or(8 * size as u16, |term| self.pool.width(term));
                self.store_word(&Register::Word(at), bits.min(64) as u8, word)
            }
        }
    }

    pub fn copy_list(&mut self, to: Source, from: Source) -> Made {
        let (to, from) = (self.get(to), self.get(from));
        let pointer = self.program.layout.pointer_bits / 8;
        let size = if pointer == 8 { 24 } else { 4 };
        self.memory.copy(to.word(), from.word(), size)?;
        Ok(())
    }
}
