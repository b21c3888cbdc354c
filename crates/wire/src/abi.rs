//! The functions that instrumented code calls, all `extern "C"`, all on the *slow path*: inline code calls them
//! only when some label involved is not 0. Names and types are here once; the runtime defines them, the
//! instrumentation declares them from [`FUNCTIONS`], and a test in the runtime checks that each exists.
//!
//! Conventions:
//! - a *value* is passed zero-extended to `u64`: integers, pointers, the bit pattern of floats. Values of 65 to
//!   128 bits use the `_wide` forms, low word first;
//! - every builder gets the concrete operands and the concrete result `r`, and returns the label of the result
//!   (0 when all operands are concrete or nothing could be recorded). An operand label whose node's value is not
//!   the operand's concrete value is stale: it counts as 0 (and is counted);
//! - `spot` is a run-time spot id (module base added): where symbolism may be lost;
//! - on any thread but the first, every builder returns 0 and every recorder does nothing.
//!
//! # Handshake for calls
//! Caller: when some argument label is not 0, store labels to `Hot::args[i]` (all of the call's arguments, in IR
//! order, one slot for each scalar leaf, at most `ARGS`) and the address called to `Hot::callee`. Otherwise
//! store nothing.
//! Callee, at entry, if `Hot::callee == own address`: call [`__bw_enter`](FUNCTIONS); if it returns 1, load
//! `Hot::args`. (It resets `callee` to 0.) Otherwise all argument labels are 0.
//! Return: when some result label is not 0, store `Hot::results[i]` and the own address to `Hot::returned`.
//! Caller, after the call, if `Hot::returned != 0`: call `__bw_result(address called)`; if it returns 1, load
//! `Hot::results`, otherwise the result is concrete. (It resets `returned` to 0.) A result of another function went to code that
//! we do not know and is lost: so is one that is still there when a function is entered, which therefore calls `__bw_enter`.
//! An argument that is passed `byval`: the caller pins its address, as that of a result that is passed `sret`. Slot `i` of `Hot::args` is unused; the caller always sets `callee`, and
//! calls `__bw_byval_out(i, source, bytes)`; the callee always calls `__bw_byval_in(i, parameter, bytes, entered)`.
//! A variadic call sets, when some label of a variable argument is not 0, one `__bw_vararg(kind, bytes, label, value)` for
//! each variable argument in order (after `args`, before `callee`), kind 0 = integer register class, 1 = float register class,
//! 2 = memory, 3 = an object of kind 2 at `value`, whose labels nobody carries. The callee calls `__bw_va_enter(entered, gp_fixed, fp_fixed, token)` at entry and
//! `__bw_va_start(va_list, token)` after each `llvm.va_start`, and `__bw_va_leave(token)` before it returns; `token` is a 1 KiB stack buffer of the callee.

/// Types of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// 32-bit number (labels, ids, widths).
    U32,
    /// 64-bit number (values).
    U64,
    /// Address.
    Ptr,
    /// No result.
    Void,
}

/// One function of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Symbol.
    pub name: &'static str,
    /// Parameter types.
    pub params: &'static [Ty],
    /// Result type.
    pub result: Ty,
}

macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($param:ident: $ty:ident),*) -> $result:ident;)*) => {
        /// The interface. The order is that of this file.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name), params: &[$(Ty::$ty),*], result: Ty::$result,
        },)*];
        /// Symbol names, so that a misspelt one does not compile.
        #[allow(missing_docs, reason = "documented at FUNCTIONS")]
        pub mod name {
            $($(#[$doc])* #[allow(non_upper_case_globals, reason = "the constant is named as the symbol")]
            pub const $name: &str = stringify!($name);)*
        }
    };
}

functions! {
    /// Registers a module: `module` points to a [`ModuleInfo`]. Called by a constructor of priority 0.
    fn __bw_register(module: Ptr) -> Void;

    /// Binary operation; `op_bits` = [`crate::node::Op`] | width << 16. Covers Add … AShr, the overflow tests (`r` is
    /// the bit), FAdd … FRem. Shift amounts come masked.
    fn __bw_bin(op_bits: U32, la: U32, a: U64, lb: U32, b: U64, r: U64) -> U32;
    fn __bw_bin_wide(op_bits: U32, la: U32, a0: U64, a1: U64, lb: U32, b0: U64, b1: U64, r0: U64, r1: U64) -> U32;
    /// Not, Neg, FNeg, FAbs, FSqrt, FRound (mode in bits 8..16 of `op_bits`), Popcount, Clz, Ctz, Bswap, bit reversal ([`BITREVERSE`]).
    fn __bw_un(op_bits: U32, la: U32, a: U64, r: U64) -> U32;
    fn __bw_un_wide(op_bits: U32, la: U32, a0: U64, a1: U64, r0: U64, r1: U64) -> U32;
    /// Integer comparison; `pred_bits` = [`Predicate`] | operand width << 16; `r` is the bit.
    fn __bw_icmp(pred_bits: U32, la: U32, a: U64, lb: U32, b: U64, r: U32) -> U32;
    fn __bw_icmp_wide(pred_bits: U32, la: U32, a0: U64, a1: U64, lb: U32, b0: U64, b1: U64, r: U32) -> U32;
    /// Float comparison; `pred_bits` = LLVM's predicate number 0..15 | operand width << 16.
    fn __bw_fcmp(pred_bits: U32, la: U32, a: U64, lb: U32, b: U64, r: U32) -> U32;
    fn __bw_fcmp_wide(pred_bits: U32, la: U32, a0: U64, a1: U64, lb: U32, b0: U64, b1: U64, r: U32) -> U32;
    /// ZExt, SExt, Extract (truncation), FToS … FToF; `widths` = from | to << 16.
    fn __bw_cast(op: U32, widths: U32, la: U32, a: U64, r: U64) -> U32;
    fn __bw_cast_wide(op: U32, widths: U32, la: U32, a0: U64, a1: U64, r0: U64, r1: U64) -> U32;
    /// `select`: labels and values of condition and arms.
    fn __bw_select(bits: U32, lc: U32, c: U32, lt: U32, t: U64, lf: U32, f: U64) -> U32;
    /// Same for 65 to 128 bits.
    fn __bw_select_wide(bits: U32, lc: U32, c: U32, lt: U32, t0: U64, t1: U64, lf: U32, f0: U64, f1: U64) -> U32;
    /// Intrinsics with three operands or more than one step; `kind_bits` = [`Intrinsic`] | width << 16.
    fn __bw_intrinsic(kind_bits: U32, la: U32, a: U64, lb: U32, b: U64, lc: U32, c: U64, r: U64) -> U32;
    /// Same for 65 to 128 bits, without a third operand.
    fn __bw_intrinsic_wide(kind_bits: U32, la: U32, a0: U64, a1: U64, lb: U32, b0: U64, b1: U64, r0: U64, r1: U64) -> U32;
    /// One step of `getelementptr`: `r = p + sext(i) * scale`; `bits` = width of `i`.
    fn __bw_index(bits: U32, lp: U32, p: U64, li: U32, i: U64, scale: U64, r: U64) -> U32;

    /// Load of `bytes` (1 to 16) bytes that gave `value`; returns a label of width `8 * bytes`. A symbolic address reads
    /// the object as a table, or is pinned. `base`/`base_bytes`: the object if it is known statically, else 0.
    fn __bw_load(spot: U32, la: U32, address: U64, bytes: U32, v0: U64, v1: U64, base: U64, base_bytes: U64) -> U32;
    /// Store of `bytes` bytes. `lv` has width `8 * bytes`.
    fn __bw_store(spot: U32, la: U32, address: U64, bytes: U32, lv: U32, v0: U64, v1: U64) -> Void;
    /// Store of `bytes` (1 to 8) bytes through an address that may be symbolic; `old` is what was there before. If it is one of
    /// a few cells, each of them becomes an expression, else the address is pinned. `base`/`base_bytes`: as of a load.
    fn __bw_store_at(spot: U32, la: U32, address: U64, bytes: U32, lv: U32, value: U64, old: U64, base: U64, base_bytes: U64) -> Void;
    /// After `llvm.memcpy`/`memmove` (shadow moved as by `memmove`); labels of destination, source, length.
    fn __bw_memmove(spot: U32, ld: U32, d: Ptr, ls: U32, s: Ptr, ln: U32, n: U64) -> Void;
    /// After `llvm.memset`.
    fn __bw_memset(spot: U32, ld: U32, d: Ptr, lv: U32, v: U32, ln: U32, n: U64) -> Void;
    /// Shadow of `n` bytes set to concrete; `alloca`s that start a life, lost vector stores.
    fn __bw_clear(d: Ptr, n: U64) -> Void;

    /// A conditional branch took `edge` (run-time id); `lc` may be 0. `c` is the condition. The rest is as for `__bw_compared`.
    fn __bw_branch(edge: U32, lc: U32, c: U32, pred_bits: U32, a: U64, b: U64) -> Void;
    /// Before `__bw_event(edge)`, where there is no room: what was compared at the edge's site. `pred_bits` = predicate as for
    /// `__bw_icmp` or `__bw_fcmp`, or [`SWITCHED`], | operand width << 16; 0 when nothing is known.
    fn __bw_compared(edge: U32, pred_bits: U32, a: U64, b: U64) -> Void;
    /// A `switch` is about to take an edge on the value `v` of `bits` bits.
    fn __bw_switch(bits: U32, lv: U32, v: U64) -> Void;
    /// The event area is full: `word` is the event that did not fit. Edges are still counted in `edge_hits`.
    fn __bw_event(word: U32) -> Void;
    /// Division or remainder by `b` with label `lb`: records the check `b != 0` (signed: and not MIN / -1).
    /// `signed_bits` = (1 if signed) | width << 16.
    fn __bw_divisor(spot: U32, signed_bits: U32, la: U32, a: U64, lb: U32, b: U64) -> Void;
    /// A symbolic value was consumed by something that has no expression; `reason` is a [`crate::segment::Loss`].
    fn __bw_lost(spot: U32, reason: U32, label: U32) -> Void;
    /// An indirect call through a symbolic pointer: pinned.
    fn __bw_pin(spot: U32, label: U32, value: U64) -> Void;

    /// Entry of the callee (handshake, above). `own` is not `callee`: what took the arguments is nobody that we know, and calls back.
    fn __bw_enter(own: Ptr) -> U32;
    fn __bw_result(called: Ptr) -> U32;
    fn __bw_byval_out(slot: U32, source: Ptr, bytes: U64) -> Void;
    fn __bw_byval_in(slot: U32, parameter: Ptr, bytes: U64, entered: U32) -> Void;
    fn __bw_vararg(kind: U32, bytes: U32, label: U32, value: U64) -> Void;
    fn __bw_va_enter(entered: U32, gp_fixed: U32, fp_fixed: U32, token: Ptr) -> Void;
    fn __bw_va_start(va_list: Ptr, token: Ptr) -> Void;
    fn __bw_va_copy(to: Ptr, from: Ptr) -> Void;
    /// Before a variadic function returns.
    fn __bw_va_leave(token: Ptr) -> Void;
    /// A division by zero, or of the smallest number by -1: traps as the processor does, and does not return.
    fn __bw_divide_error() -> Void;
    /// A `returns_twice` function returned in `function` (run-time function id), or an exception was caught there; `frame` is a place
    /// in its frame, above which all stays alive.
    fn __bw_resumed(function: U32, frame: Ptr) -> Void;
}

/// `op` number of bit reversal in `__bw_un` (expanded by the runtime, no node).
pub const BITREVERSE: u32 = 250;

/// In place of a predicate: `a` is the value of a `switch`.
pub const SWITCHED: u32 = 64;

/// Integer predicates, the numbers of LLVM's `icmp` in its order from `eq`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    Eq = 32,
    Ne = 33,
    Ugt = 34,
    Uge = 35,
    Ult = 36,
    Ule = 37,
    Sgt = 38,
    Sge = 39,
    Slt = 40,
    Sle = 41,
}

/// Intrinsics that the runtime expands into nodes.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrinsic {
    UMin = 1,
    UMax = 2,
    SMin = 3,
    SMax = 4,
    /// `c` unused.
    Abs = 5,
    FshL = 6,
    FshR = 7,
    UAddSat = 8,
    SAddSat = 9,
    USubSat = 10,
    SSubSat = 11,
    UShlSat = 12,
    SShlSat = 13,
    /// `a * b + c`, rounded twice (`fmuladd`) as the unfused operation.
    FMulAdd = 14,
    FMin = 15,
    FMax = 16,
    FCopySign = 17,
    /// -1, 0, 1: `llvm.ucmp`, `llvm.scmp` (width = operand width; the result is `c` bits wide).
    UCmp = 18,
    SCmp = 19,
}

/// What the constructor of a module passes to `__bw_register`. Instrumented code loads the bases from it.
#[repr(C)]
pub struct ModuleInfo {
    /// Joins it with the section record.
    pub uid: u64,
    /// Counts, written by the instrumentation.
    pub edges: u32,
    pub functions: u32,
    pub spots: u32,
    /// Bases, written by `__bw_register`.
    pub edge_base: u32,
    pub function_base: u32,
    pub spot_base: u32,
    /// Global variables of the module: pairs of address and size in bytes.
    pub globals: *const [u64; 2],
    pub global_count: u64,
    /// 1 for a model of library functions: what is lost in it is counted at the program's call.
    pub library: u64,
}
