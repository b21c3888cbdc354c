//! Expression nodes: the table that the runtime fills while the program runs.
//!
//! A *label* names a node; label 0 means "concrete". Labels are at most [`LABEL_MAX`], so that a shadow word can
//! hold a label and the index of one byte of its value (see [`shadow_word`]). Operands always have smaller
//! labels than the node that uses them: the table is in topological order.

/// A label: index into the node table. 0 is "concrete, no expression".
pub type Label = u32;

/// Largest label: 29 bits, because a shadow word keeps 3 bits for the byte index.
pub const LABEL_MAX: Label = (1 << 29) - 1;

/// One expression. All values are bit-vectors; a float is the bit pattern of its IEEE value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// An [`Op`], as a number: the reader checks it.
    pub op: u8,
    /// Extra operand of some operations (see [`Op`]).
    pub aux: u8,
    /// Width of the result, 1 to 128 bits.
    pub bits: u16,
    /// First operand: a label, unless [`Op`] says otherwise.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
    /// The concrete value on this run, low word first, zero-extended.
    pub value: [u64; 2],
}

impl Node {
    /// The concrete value as one number.
    #[must_use]
    pub fn concrete(&self) -> u128 {
        u128::from(self.value[0]) | (u128::from(self.value[1]) << 64)
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// What a node computes. `a`, `b`, `c` are labels of operands unless the comment says otherwise.
        /// Comparisons and overflow tests have width 1. Division by zero, like shifts by the width or more,
        /// follows SMT-LIB (`bvudiv x 0` = all ones, `bvshl x n` = 0 for `n` ≥ width); the instrumentation masks
        /// shift amounts and records that a divisor is not 0.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[$doc])* $name = $number,)* }

        impl Op {
            /// Every operation, in the order of its number.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// The operation with this number, if there is one.
            #[must_use]
            pub fn from_u8(number: u8) -> Option<Op> {
                match number { $($number => Some(Op::$name),)* _ => None }
            }
        }
    };
}

ops! {
    /// A constant: `value`. No operands.
    Const = 1,
    /// A variable: `a` = index in its stream, `b` = stream (see [`crate::input`]).
    Input = 2,
    Add = 3, Sub = 4, Mul = 5, UDiv = 6, SDiv = 7, URem = 8, SRem = 9,
    And = 10, Or = 11, Xor = 12, Shl = 13, LShr = 14, AShr = 15,
    /// Bitwise complement of `a` (logical negation for width 1).
    Not = 16,
    /// Two's complement negation of `a`.
    Neg = 17,
    /// Comparisons, width 1; the operands have equal widths.
    Eq = 18, Ult = 19, Ule = 20, Slt = 21, Sle = 22,
    ZExt = 23, SExt = 24,
    /// Bits `b .. b + bits` of `a`; `b` is a bit number, not a label.
    Extract = 25,
    /// `a` is the high part, `b` the low part.
    Concat = 26,
    /// `a` (width 1) ? `b` : `c`.
    Ite = 27,
    /// Table read: `a` = label of the element index, `b` = word offset of the table in the table area
    /// (see [`crate::segment`]). In bounds by a recorded constraint; an index outside reads the last element. `aux`: how
    /// many reads of tables with symbolic elements stand inside one another, this one included; no operand.
    Table = 28,
    Popcount = 29,
    /// Leading and trailing zeros; the width for 0.
    Clz = 30, Ctz = 31,
    Bswap = 32,
    /// Overflow of the operation at the operands' width.
    UAddO = 33, SAddO = 34, USubO = 35, SSubO = 36, UMulO = 37, SMulO = 38,
    /// IEEE operations, operands of 32 or 64 bits, round to nearest even.
    FAdd = 40, FSub = 41, FMul = 42, FDiv = 43,
    /// C's `fmod`: exact, sign of the dividend.
    FRem = 44,
    FNeg = 45, FAbs = 46, FSqrt = 47,
    /// Ordered comparisons (false on NaN) and the unordered test.
    FEq = 48, FLt = 49, FLe = 50, FUno = 51,
    /// Float `a` to an integer of `bits`, truncating. Out of range: as on x86-64 (`aux` is 0).
    FToS = 52, FToU = 53,
    /// Integer `a` to a float of `bits`.
    SToF = 54, UToF = 55,
    /// Float `a` to another float width.
    FToF = 56,
    /// Round to an integral float; `aux`: 0 nearest even, 1 down, 2 up, 3 towards zero, 4 nearest, ties away.
    FRound = 57,
}

/// The shadow word of byte `index` (0 = lowest address, little-endian) of a stored value.
/// A value wider than 8 bytes is split into 64-bit extracts before it is stored.
#[must_use]
pub const fn shadow_word(label: Label, index: u32) -> u32 {
    if label == 0 { 0 } else { label | (index << 29) }
}

/// Label and byte index in a shadow word.
#[must_use]
pub const fn shadow_parts(word: u32) -> (Label, u32) {
    (word & LABEL_MAX, word >> 29)
}
