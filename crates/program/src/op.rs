//! The operators of the instruction set, each with its name in the text form.
//!
//! Arithmetic wraps; there are no `nsw`-like flags, because programs are compiled with `-fwrapv`.

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every operator, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Its name in the text form.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The operator with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

operators! {
    /// Two operands of the result's type: integers (or vectors of them).
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul",
        UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        And = "and", Or = "or", Xor = "xor",
        /// The amount is used modulo the width.
        Shl = "shl", LShr = "lshr", AShr = "ashr",
    }
}

operators! {
    /// Two operands of the result's type: floats.
    FBinOp { Add = "fadd", Sub = "fsub", Mul = "fmul", Div = "fdiv", Rem = "frem", }
}

operators! {
    /// Predicate of an integer or pointer comparison.
    ICmp {
        Eq = "eq", Ne = "ne",
        Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
}

impl ICmp {
    /// Whether it holds of two numbers of this width, given zero-extended.
    #[must_use]
    pub const fn holds(self, bits: u32, a: u128, b: u128) -> bool {
        let unused = 128 - bits;
        let (x, y) = ((a << unused) as i128, (b << unused) as i128);
        match self {
            ICmp::Eq => a == b,
            ICmp::Ne => a != b,
            ICmp::Ugt => a > b,
            ICmp::Uge => a >= b,
            ICmp::Ult => a < b,
            ICmp::Ule => a <= b,
            ICmp::Sgt => x > y,
            ICmp::Sge => x >= y,
            ICmp::Slt => x < y,
            ICmp::Sle => x <= y,
        }
    }
}

operators! {
    /// Predicate of a float comparison: `o…` are false on NaN, `u…` are true on NaN.
    FCmp {
        False = "false",
        Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", Uno = "uno",
        True = "true",
    }
}

operators! {
    /// Conversions; the result's type says to what.
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext",
        FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
        PtrToInt = "ptrtoint", IntToPtr = "inttoptr",
        /// Same bits, other type.
        Bitcast = "bitcast",
    }
}

operators! {
    /// Operations on blocks of memory.
    MemOp {
        /// Operands: to, from, length in bytes.
        Copy = "memcpy",
        /// The same, and the ranges may overlap.
        Move = "memmove",
        /// Operands: to, byte, length in bytes.
        Set = "memset",
    }
}

operators! {
    /// Operations that LLVM has as intrinsic functions. Operands and result have the same type, unless said here.
    Intrinsic {
        /// Result: a struct of the wrapped value and the overflow bit.
        UAddO = "uadd.o", SAddO = "sadd.o", USubO = "usub.o", SSubO = "ssub.o", UMulO = "umul.o", SMulO = "smul.o",
        UAddSat = "uadd.sat", SAddSat = "sadd.sat", USubSat = "usub.sat", SSubSat = "ssub.sat",
        UMin = "umin", UMax = "umax", SMin = "smin", SMax = "smax",
        /// Absolute value; the most negative number stays as it is.
        Abs = "abs",
        Ctpop = "ctpop",
        /// Leading and trailing zeros; the width for 0.
        Ctlz = "ctlz", Cttz = "cttz",
        Bswap = "bswap", BitReverse = "bitreverse",
        /// Funnel shifts: high part, low part, amount modulo the width.
        FShl = "fshl", FShr = "fshr",
        FAbs = "fabs", Sqrt = "sqrt", CopySign = "copysign", MinNum = "minnum", MaxNum = "maxnum",
        Floor = "floor", Ceil = "ceil", Trunc = "trunc.f", Round = "round", RoundEven = "roundeven",
        Rint = "rint", NearbyInt = "nearbyint",
        /// `a * b + c`, rounded once; `fmuladd` of LLVM may round twice and has its own name.
        Fma = "fma", FMulAdd = "fmuladd",
        /// First operand is the value; the rest is advice.
        Expect = "expect",
        /// Operands: pointer to a `va_list`.
        VaStart = "va_start", VaEnd = "va_end",
        /// Operands: to, from.
        VaCopy = "va_copy",
        /// Result: an opaque mark of the stack; `StackRestore` takes it.
        StackSave = "stacksave", StackRestore = "stackrestore",
        /// Stops the program.
        Trap = "trap",
    }
}
