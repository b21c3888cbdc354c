//! Functions that a program asks for single values: which values, and where they go.

use path::ValueType as T;

/// How a function hands over a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// It returns it.
    Result(T),
    /// It writes it where its first argument points to.
    Written(T),
    /// It fills as many bytes as its second argument says, from its first one on.
    Bytes,
}

const KINDS: &[(&str, T)] = &[
    ("bool", T::Bool),
    ("_Bool", T::Bool),
    ("char", T::I8),
    ("schar", T::I8),
    ("uchar", T::U8),
    ("unsigned_char", T::U8),
    ("short", T::I16),
    ("ushort", T::U16),
    ("unsigned_short", T::U16),
    ("int", T::I32),
    ("uint", T::U32),
    ("unsigned", T::U32),
    ("unsigned_int", T::U32),
    ("long", T::I64),
    ("ulong", T::U64),
    ("longlong", T::I64),
    ("ulonglong", T::U64),
    ("float", T::F32),
    ("double", T::F64),
    ("size_t", T::U64),
    ("pointer", T::Pointer),
    ("u8", T::U8),
    ("u16", T::U16),
    ("u32", T::U32),
    ("u64", T::U64),
    ("s8", T::I8),
    ("s16", T::I16),
    ("s32", T::I32),
    ("s64", T::I64),
    ("int128", T::I128),
    ("uint128", T::U128),
];

/// How the function of this name hands over a value of the input vector; `None` if it does not.
#[must_use]
pub fn single(name: &str) -> Option<Given> {
    let kind = |name: &str| {
        let found = KINDS.iter().find(|(known, _)| *known == name);
        found.map(|(_, kind)| *kind)
    };
    if matches!(
        name,
        "bw_bytes" | "klee_make_symbolic" | "__VERIFIER_nondet_memory"
    ) {
        return Some(Given::Bytes);
    }
    if name == "klee_int" {
        return Some(Given::Result(T::I32));
    }
    if let Some(rest) = name.strip_prefix("__VERIFIER_nondet_") {
        return kind(rest).map(Given::Result);
    }
    let written = name
        .strip_prefix("bw_")
        .or_else(|| name.strip_prefix("CREST_"))?;
    kind(written).map(Given::Written)
}

/// Does a function read one character of a stream?
#[must_use]
pub fn is_character(name: &str) -> bool {
    matches!(
        name,
        "getchar" | "getchar_unlocked" | "getc" | "getc_unlocked" | "fgetc" | "fgetc_unlocked"
    )
}

/// May a function without a body ask for inputs?
#[must_use]
pub fn asks(name: &str) -> bool {
    // Those that are known not to are asked for first; anything else may read.
    single(name).is_some() || !name.starts_with("str")
}
