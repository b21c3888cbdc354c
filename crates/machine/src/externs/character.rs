//! The tables behind `<ctype.h>`: those of the C locale.

use super::{Call, Extern};
use crate::memory::Kind;
use crate::register::Register;
use crate::state::{End, Made, State};

use path::Outcome;

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "__ctype_b_loc" => |state, call| state.table(call, 2, classes),
        "__ctype_tolower_loc" => |state, call| {
            state.table(call, 4, |byte| {
                byte.map_or(0, |byte| u32::from(byte.to_ascii_lowercase()))
            })
        },
        "__ctype_toupper_loc" => |state, call| {
            state.table(call, 4, |byte| {
                byte.map_or(0, |byte| u32::from(byte.to_ascii_uppercase()))
            })
        },
        "__ctype_get_mb_cur_max" => |_, _| Ok(Register::Word(1)),
        _ => return None,
    })
}

/// Entries of a table: from -128 to 255.
const ENTRIES: u64 = 384;
const BEFORE: u64 = 128;

/// The class bits of a byte, as glibc numbers them on little-endian machines.
fn classes(byte: Option<u8>) -> u32 {
    let Some(byte) = byte.filter(u8::is_ascii) else {
        return 0;
    };
    let bits = [
        (byte.is_ascii_uppercase(), 8),
        (byte.is_ascii_lowercase(), 9),
        (byte.is_ascii_alphabetic(), 10),
        (byte.is_ascii_digit(), 11),
        (byte.is_ascii_hexdigit(), 12),
        (matches!(byte, b' ' | 9..=13), 13),
        (byte == b' ' || byte.is_ascii_graphic(), 14),
        (byte.is_ascii_graphic(), 15),
        (matches!(byte, b' ' | b'\t'), 0),
        (byte.is_ascii_control(), 1),
        (byte.is_ascii_punctuation(), 2),
        (byte.is_ascii_alphanumeric(), 3),
    ];
    let set = bits.iter().filter(|(is, _)| *is);
    set.map(|(_, bit)| 1 << bit).sum()
}

impl State<'_> {
    /// Address of a pointer to the entry of 0 of a table; made at the first call.
    fn table(&mut self, call: &Call, width: u32, entry: fn(Option<u8>) -> u32) -> Made<Register> {
        if let Some(known) = self.tables.get(&*call.name) {
            return Ok(Register::Word(*known));
        }
        let full = || End::Outcome(Outcome::Memory);
        let size = ENTRIES * u64::from(width);
        let table = self.memory.add(Kind::Constant, size).ok_or_else(full)?;
        for index in 0..ENTRIES {
            let byte = u8::try_from(index.wrapping_sub(BEFORE)).ok();
            // Those below 0 are as for the same byte without a sign, but for the one of the end of file.
            let value = entry(byte).to_le_bytes();
            let place = index * u64::from(width);
            self.memory
                .initialise(table, place, &value[..width as usize]);
        }
        let pointer = u64::from(self.program.layout.pointer_bits / 8);
        let holder = self.memory.add(Kind::Constant, pointer).ok_or_else(full)?;
        let start = (table + BEFORE * u64::from(width)).to_le_bytes();
        self.memory
            .initialise(holder, 0, &start[..pointer as usize]);
        self.tables.insert(call.name.to_string(), holder);
        Ok(Register::Word(holder))
    }
}
