//! The operations.
//!
//! Names and meanings are those of the expression nodes that an instrumented program writes (crate `wire`, which
//! this crate must not know): whoever reads nodes maps by name. Constants, variables and tables have constructors
//! of their own in [`Pool`](crate::Pool).

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident / $arity:literal,)*) => {
        /// An operation on bit-vectors.
        ///
        /// Division by zero, and shifts by the width or more, follow SMT-LIB (`x udiv 0` = all ones, `x urem 0` =
        /// `x`, `x shl n` = 0 for `n` ≥ width). Comparisons and overflow tests have width 1.
        #[repr(u8)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[$doc])* $name,)* }

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// The name of the operation, as written in the source.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)* }
            }

            /// Number of operands.
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(Op::$name => $arity,)* }
            }

            /// The operation with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Op> {
                match name { $(stringify!($name) => Some(Op::$name),)* _ => None }
            }
        }
    };
}

ops! {
    Add / 2, Sub / 2, Mul / 2, UDiv / 2, SDiv / 2, URem / 2, SRem / 2,
    And / 2, Or / 2, Xor / 2, Shl / 2, LShr / 2, AShr / 2,
    /// Bitwise complement (logical negation for width 1).
    Not / 1,
    /// Two's complement negation.
    Neg / 1,
    /// Comparisons, width 1; the operands have equal widths.
    Eq / 2, Ult / 2, Ule / 2, Slt / 2, Sle / 2,
    ZExt / 1, SExt / 1,
    /// Bits `aux .. aux + bits` of the operand.
    Extract / 1,
    /// The first operand is the high part.
    Concat / 2,
    /// First operand (width 1) ? second : third.
    Ite / 3,
    Popcount / 1,
    /// Leading and trailing zeros; the width for 0.
    Clz / 1, Ctz / 1,
    Bswap / 1,
    /// Overflow of the operation at the operands' width.
    UAddO / 2, SAddO / 2, USubO / 2, SSubO / 2, UMulO / 2, SMulO / 2,
    /// IEEE operations, operands of 32, 64 or 80 bits (`long double` of x86), round to nearest even.
    FAdd / 2, FSub / 2, FMul / 2, FDiv / 2,
    /// C's `fmod`: exact, sign of the dividend.
    FRem / 2,
    FNeg / 1, FAbs / 1, FSqrt / 1,
    /// Ordered comparisons (false on NaN) and the unordered test.
    FEq / 2, FLt / 2, FLe / 2, FUno / 2,
    /// Float to an integer of `bits`, truncating. Out of range: as on x86-64.
    FToS / 1, FToU / 1,
    /// Integer to a float of `bits`.
    SToF / 1, UToF / 1,
    /// Float to another float width.
    FToF / 1,
    /// Round to an integral float; `aux`: 0 nearest even, 1 down, 2 up, 3 towards zero, 4 nearest, ties away.
    FRound / 1,
}

impl Op {
    /// Width of the result, where the operands decide it: `None` for casts, which are told.
    #[must_use]
    pub fn is_cast(self) -> bool {
        use Op::*;
        matches!(
            self,
            ZExt | SExt | Extract | FToS | FToU | SToF | UToF | FToF
        )
    }

    /// Whether the result has width 1 whatever the operands' width.
    #[must_use]
    pub fn is_predicate(self) -> bool {
        use Op::*;
        matches!(
            self,
            Eq | Ult
                | Ule
                | Slt
                | Sle
                | UAddO
                | SAddO
                | USubO
                | SSubO
                | UMulO
                | SMulO
                | FEq
                | FLt
                | FLe
                | FUno
        )
    }

    /// Whether the operands are floats.
    #[must_use]
    pub fn takes_floats(self) -> bool {
        use Op::*;
        matches!(
            self,
            FAdd | FSub
                | FMul
                | FDiv
                | FRem
                | FNeg
                | FAbs
                | FSqrt
                | FEq
                | FLt
                | FLe
                | FUno
                | FToS
                | FToU
                | FToF
                | FRound
        )
    }

    /// Whether swapping the operands changes nothing.
    #[must_use]
    pub fn is_commutative(self) -> bool {
        use Op::*;
        matches!(
            self,
            Add | Mul | And | Or | Xor | Eq | UAddO | SAddO | UMulO | SMulO | FEq | FUno
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for &op in Op::ALL {
            assert_eq!(Op::from_name(op.name()), Some(op));
        }
    }
}
