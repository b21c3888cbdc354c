//! Calls of functions without a body that are sure to come back.

use program::outside::Effect;

use crate::memory::{Memory, World};
use crate::object::Object;
use crate::value::Value;

/// Of the functions that write nothing: those that may end the run, or take their time.
const MAY_STAY: &[&str] = &[
    "raise",
    "kill",
    "sleep",
    "usleep",
    "alarm",
    "sched_yield",
    "close",
];

/// Input functions that fill the object that their first argument points to, of so many bytes.
const FILLS: &[(&str, u64)] = &[
    ("bw_char", 1),
    ("bw_schar", 1),
    ("bw_uchar", 1),
    ("bw_short", 2),
    ("bw_ushort", 2),
    ("bw_int", 4),
    ("bw_uint", 4),
    ("bw_long", 8),
    ("bw_ulong", 8),
    ("bw_longlong", 8),
    ("bw_ulonglong", 8),
    ("bw_float", 4),
    ("bw_double", 8),
    ("bw_bool", 1),
];

/// Whether a call is sure to come back soon: it gets numbers, or what it gets is an object as large as it needs.
#[must_use]
pub fn comes_back(
    (name, effect): (&str, Effect),
    args: &[Value],
    memory: &Memory,
    world: &World<'_>,
) -> bool {
    if matches!(effect, Effect::Keeps | Effect::Unknown) {
        return false;
    }
    let is_number = |value: &Value| matches!(value, Value::Num(_));
    if let Some((_, size)) = FILLS.iter().find(|(known, _)| *known == name) {
        let first = args.first();
        return first.is_some_and(|value| memory.is_safe(value, *size, true, world))
            && args[1..]
                .iter()
                .all(|value| is_number(value) || text(value, world).is_some());
    }
    match name {
        "printf" => match args.split_first() {
            Some((format, _)) => text(format, world).is_some_and(prints_numbers),
            None => false,
        },
        "puts" => args
            .first()
            .is_some_and(|value| text(value, world).is_some()),
        _ => effect == Effect::Pure && !MAY_STAY.contains(&name) && args.iter().all(is_number),
    }
}

/// The bytes of a constant that a pointer points to, with an end.
fn text<'p>(value: &Value, world: &World<'p>) -> Option<&'p [u8]> {
    let Value::Pointers(pointers) = value else {
        return None;
    };
    let (id, 0) = pointers.only()? else {
        return None;
    };
    let Object::Global(global) = world.objects.object(id) else {
        return None;
    };
    let known = &world.program.globals[global];
    let bytes = &known
        .init
        .as_ref()
        .filter(|init| known.constant && init.unknown.is_empty())?
        .bytes;
    bytes.contains(&0).then_some(bytes.as_slice())
}

/// Whether a format follows no pointer.
fn prints_numbers(format: &[u8]) -> bool {
    let mut bytes = format.iter();
    while bytes.by_ref().any(|byte| *byte == b'%') {
        let flags = b"0123456789.+-# hlzjtLq";
        match bytes.find(|byte| !flags.contains(byte)) {
            Some(b's' | b'n' | b'S' | b'm' | b'*' | b'\'' | b'$') | None => return false,
            Some(_) => {}
        }
    }
    true
}
