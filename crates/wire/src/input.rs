//! Inputs: *streams* of values. Stream 0 holds the values that the program asks for one by one (`bw_int`,
//! `__VERIFIER_nondet_*`, each byte of `bw_bytes`), in the order of the calls. Stream 1 is standard input.
//! Streams from 2 on are arguments, environment variables, named files and the bytes of a fuzz target: see [`Role`].
//!
//! A variable is named by (stream, index). In a byte stream, index [`LENGTH`] is its length in bytes (32 bits).
//! A *count* is a stream of which only the length means anything: how many arguments of a group there are, whether
//! an environment variable is set.

/// The value stream.
pub const VALUES: u32 = 0;
/// Standard input.
pub const STDIN: u32 = 1;
/// Index of the variable that is the length of a byte stream.
pub const LENGTH: u32 = u32::MAX;

/// Types of values, the same in the segment, in a run's inputs and in test files.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueType {
    Bool = 1,
    I8 = 2,
    U8 = 3,
    I16 = 4,
    U16 = 5,
    I32 = 6,
    U32 = 7,
    I64 = 8,
    U64 = 9,
    F32 = 10,
    F64 = 11,
    Pointer = 12,
    I128 = 13,
    U128 = 14,
}

impl ValueType {
    /// Every type.
    pub const ALL: &'static [ValueType] = &[
        ValueType::Bool,
        ValueType::I8,
        ValueType::U8,
        ValueType::I16,
        ValueType::U16,
        ValueType::I32,
        ValueType::U32,
        ValueType::I64,
        ValueType::U64,
        ValueType::F32,
        ValueType::F64,
        ValueType::Pointer,
        ValueType::I128,
        ValueType::U128,
    ];

    /// The type of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<ValueType> {
        ValueType::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
    }

    /// The type with this number.
    #[must_use]
    pub fn from_u8(number: u8) -> Option<ValueType> {
        ValueType::ALL
            .iter()
            .copied()
            .find(|kind| *kind as u8 == number)
    }

    /// Bits of the variable: 1 for `Bool`, else the width of the C object.
    #[must_use]
    pub const fn bits(self) -> u16 {
        match self {
            ValueType::Bool => 1,
            ValueType::I8 | ValueType::U8 => 8,
            ValueType::I16 | ValueType::U16 => 16,
            ValueType::I32 | ValueType::U32 | ValueType::F32 => 32,
            ValueType::I64 | ValueType::U64 | ValueType::F64 | ValueType::Pointer => 64,
            ValueType::I128 | ValueType::U128 => 128,
        }
    }

    /// Name in test files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ValueType::Bool => "bool",
            ValueType::I8 => "i8",
            ValueType::U8 => "u8",
            ValueType::I16 => "i16",
            ValueType::U16 => "u16",
            ValueType::I32 => "i32",
            ValueType::U32 => "u32",
            ValueType::I64 => "i64",
            ValueType::U64 => "u64",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
            ValueType::Pointer => "pointer",
            ValueType::I128 => "i128",
            ValueType::U128 => "u128",
        }
    }

    /// Is it written with a sign?
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(
            self,
            ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 | ValueType::I128
        )
    }

    /// The bits that the type has.
    #[must_use]
    pub const fn mask(self) -> u128 {
        u128::MAX >> (128 - self.bits())
    }

    /// The bits as a signed number.
    #[must_use]
    pub const fn sign_extend(self, bits: u128) -> i128 {
        let shift = 128 - self.bits();
        ((bits << shift) as i128) >> shift
    }
}

/// `element` of a record that is no element of an array.
pub const SCALAR: u32 = u32::MAX;

/// One value of stream 0. The engine writes `value`; the runtime, when the program asks for it, masks it to the
/// type's width and writes the rest. Beyond what the engine supplied, values are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRecord {
    pub value: [u64; 2],
    /// Byte offset of the name in the name area.
    pub name: u32,
    pub name_len: u16,
    /// A [`ValueType`], as a number.
    pub kind: u8,
    /// C spelling that Test-Comp wants: an index into [`C_TYPES`].
    pub c_type: u8,
    /// Index of this element, or [`SCALAR`].
    pub element: u32,
    pub reserved: u32,
}

/// C spellings of the types of `__VERIFIER_nondet_*` calls (the `type` attribute of Test-Comp inputs).
pub const C_TYPES: &[&str] = &[
    "",
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "void *",
    "size_t",
    "__int128",
    "unsigned __int128",
];

/// What a byte stream is to the program.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Standard input.
    Stdin = 1,
    /// Argument `place` of `argv`: bytes up to the first 0. Fixed length.
    Argument = 2,
    /// A count: how many of the `max_len` arguments from `place` on there are.
    Arguments = 3,
    /// The environment variable `name`: bytes up to the first 0. Fixed length.
    Variable = 4,
    /// A count, 0 or 1: whether the environment variable `name` is set.
    VariableSet = 5,
    /// The file `name`, a relative path.
    File = 6,
    /// What `LLVMFuzzerTestOneInput` is called with.
    Fuzz = 7,
}

impl Role {
    /// Every role.
    pub const ALL: &'static [Role] = &[
        Role::Stdin,
        Role::Argument,
        Role::Arguments,
        Role::Variable,
        Role::VariableSet,
        Role::File,
        Role::Fuzz,
    ];

    /// The role with this number.
    #[must_use]
    pub fn from_u32(number: u32) -> Option<Role> {
        Role::ALL
            .iter()
            .copied()
            .find(|role| *role as u32 == number)
    }
}

/// A byte stream. The engine writes everything but `used`; the runtime writes that.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamRecord {
    /// Byte offset of the content in the segment; the name stands behind the content's `capacity` bytes, with a 0.
    pub offset: u64,
    /// Bytes reserved there for the content.
    pub capacity: u32,
    /// Shortest and longest length allowed; equal means fixed (no length variable).
    pub min_len: u32,
    pub max_len: u32,
    /// Length of the content on this run.
    pub supplied: u32,
    /// Bytes that the program asked for (highest position + 1, end of file included).
    pub used: u32,
    /// A [`Role`], 0 when the stream is absent.
    pub role: u32,
    /// Index in `argv`, for arguments.
    pub place: u32,
    /// Bytes of the name, without its 0.
    pub name_len: u32,
}
