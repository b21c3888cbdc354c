//! The tables behind `<ctype.h>`: those of the C locale.

use std::collections::BTreeMap;

use program::Program;

use super::{Call, Extern};
use crate::memory::{Kind, Memory};
use crate::register::Register;
use crate::state::{Made, State};

pub(super) fn find(name: &str) -> Option<Extern> {
    Some(match name {
        "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" => table,
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

/// What makes an entry of a table of a byte; `None` for the end of file and what has no byte.
type Entry = fn(Option<u8>) -> u32;

/// The functions that say where a table is: name, bytes of an entry, the entry.
const TABLES: [(&str, u32, Entry); 3] = [
    ("__ctype_b_loc", 2, classes),
    ("__ctype_tolower_loc", 4, |byte| {
        byte.map_or(0, |byte| u32::from(byte.to_ascii_lowercase()))
    }),
    ("__ctype_toupper_loc", 4, |byte| {
        byte.map_or(0, |byte| u32::from(byte.to_ascii_uppercase()))
    }),
];

/// Makes the tables that a program asks for, and says where the pointer to the entry of 0 of each is, by the name of the function.
/// (They are there from the start, so that they are at the same place in each run.) `None` when there is no room.
pub(crate) fn lay(program: &Program, memory: &mut Memory) -> Option<BTreeMap<String, u64>> {
    let mut places = BTreeMap::new();
    for (name, width, entry) in TABLES {
        if !program.externs.values().any(|known| &*known.name == name) {
            continue;
        }
        let table = memory.add(Kind::Constant, ENTRIES * u64::from(width))?;
        let mut bytes = Vec::new();
        for index in 0..ENTRIES {
            let byte = u8::try_from(index.wrapping_sub(BEFORE)).ok();
            // Those below 0 are as for the same byte without a sign, but for the one of the end of file.
            bytes.extend_from_slice(&entry(byte).to_le_bytes()[..width as usize]);
        }
        memory.initialise(table, 0, &bytes);
        let pointer = program.layout.pointer_bits / 8;
        let holder = memory.add(Kind::Constant, u64::from(pointer))?;
        let start = (table + BEFORE * u64::from(width)).to_le_bytes();
        memory.initialise(holder, 0, &start[..pointer as usize]);
        places.insert(name.to_owned(), holder);
    }
    Some(places)
}

/// Address of a pointer to the entry of 0 of a table.
fn table(state: &mut State<'_>, call: &Call) -> Made<Register> {
    let place = state.addresses.table(&call.name);
    Ok(Register::Word(place.unwrap_or(0)))
}
