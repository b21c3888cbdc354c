//! The names by which programs ask for inputs. All are weak, because a program may bring its own; each passes its own address
//! on, because labels of results are tied to the function that the caller named.
//!
//! What must hold: the names are those of `wire::libc::INPUT_FUNCTIONS`.
#![allow(unsafe_code, reason = "functions in assembly")]

#[cfg(not(test))]
use crate::inputs::{
    __bw_input_assume, __bw_input_at, __bw_input_bytes, __bw_input_f32, __bw_input_f64,
    __bw_input_named_int, __bw_input_range, __bw_input_reach, __bw_input_value,
};
#[cfg(not(test))]
use wire::input::ValueType;

/// A weak function with this body.
#[cfg(not(test))]
macro_rules! weak {
    ($symbol:literal, [$($line:expr),*], $($operands:tt)*) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", $symbol, ",\"ax\",@progbits"),
            concat!(".weak ", $symbol),
            concat!(".type ", $symbol, ",@function"),
            concat!($symbol, ":"),
            $($line,)*
            concat!(".size ", $symbol, ", .-", $symbol),
            ".popsection",
            $($operands)*
        );
    };
}

/// `T f(void)`.
#[cfg(not(test))]
macro_rules! value {
    ($($symbol:literal $kind:ident $c_type:literal $entry:ident;)*) => { $(weak!(
        $symbol,
        [concat!("lea rdi, [rip + ", $symbol, "]"), "mov esi, {kind}", concat!("mov edx, ", $c_type),
         "lea rcx, [rip + 77f]", "jmp {entry}", "77:", concat!(".asciz \"", $symbol, "\"")],
        kind = const ValueType::$kind as u32,
        entry = sym $entry
    );)* };
}

/// `void f(T *, const char *name)`.
#[cfg(not(test))]
macro_rules! at {
    ($($symbol:literal $kind:ident $c_type:literal;)*) => { $(weak!(
        $symbol,
        [concat!("lea r8, [rip + ", $symbol, "]"), "mov edx, {kind}", concat!("mov ecx, ", $c_type), "jmp {entry}"],
        kind = const ValueType::$kind as u32,
        entry = sym __bw_input_at
    );)* };
}

/// `void f(T *)`.
#[cfg(not(test))]
macro_rules! at_unnamed {
    ($($symbol:literal $kind:ident $c_type:literal $name:literal;)*) => { $(weak!(
        $symbol,
        [concat!("lea r8, [rip + ", $symbol, "]"), "lea rsi, [rip + 77f]", "mov edx, {kind}",
         concat!("mov ecx, ", $c_type), "jmp {entry}", "77:", concat!(".asciz \"", $name, "\"")],
        kind = const ValueType::$kind as u32,
        entry = sym __bw_input_at
    );)* };
}

#[cfg(not(test))]
value! {
    "__VERIFIER_nondet_bool" Bool 1 __bw_input_value;
    "__VERIFIER_nondet__Bool" Bool 1 __bw_input_value;
    "__VERIFIER_nondet_char" I8 2 __bw_input_value;
    "__VERIFIER_nondet_schar" I8 3 __bw_input_value;
    "__VERIFIER_nondet_uchar" U8 4 __bw_input_value;
    "__VERIFIER_nondet_short" I16 5 __bw_input_value;
    "__VERIFIER_nondet_ushort" U16 6 __bw_input_value;
    "__VERIFIER_nondet_int" I32 7 __bw_input_value;
    "__VERIFIER_nondet_uint" U32 8 __bw_input_value;
    "__VERIFIER_nondet_unsigned" U32 8 __bw_input_value;
    "__VERIFIER_nondet_long" I64 9 __bw_input_value;
    "__VERIFIER_nondet_ulong" U64 10 __bw_input_value;
    "__VERIFIER_nondet_longlong" I64 11 __bw_input_value;
    "__VERIFIER_nondet_ulonglong" U64 12 __bw_input_value;
    "__VERIFIER_nondet_float" F32 13 __bw_input_f32;
    "__VERIFIER_nondet_double" F64 14 __bw_input_f64;
    "__VERIFIER_nondet_size_t" U64 16 __bw_input_value;
    "__VERIFIER_nondet_loff_t" I64 11 __bw_input_value;
    "__VERIFIER_nondet_pointer" Pointer 15 __bw_input_value;
    "__VERIFIER_nondet_pchar" Pointer 15 __bw_input_value;
    "__VERIFIER_nondet_charp" Pointer 15 __bw_input_value;
    "__VERIFIER_nondet_u8" U8 4 __bw_input_value;
    "__VERIFIER_nondet_u16" U16 6 __bw_input_value;
    "__VERIFIER_nondet_u32" U32 8 __bw_input_value;
    "__VERIFIER_nondet_u64" U64 12 __bw_input_value;
    "__VERIFIER_nondet_s8" I8 3 __bw_input_value;
    "__VERIFIER_nondet_s16" I16 5 __bw_input_value;
    "__VERIFIER_nondet_s32" I32 7 __bw_input_value;
    "__VERIFIER_nondet_s64" I64 11 __bw_input_value;
    "__VERIFIER_nondet_sector_t" U64 10 __bw_input_value;
    "__VERIFIER_nondet_pthread_t" U64 10 __bw_input_value;
    "__VERIFIER_nondet_int128" I128 17 __bw_input_value;
    "__VERIFIER_nondet_uint128" U128 18 __bw_input_value;
}

#[cfg(not(test))]
at! {
    "bw_bool" Bool 1;
    "bw_char" I8 2;
    "bw_schar" I8 3;
    "bw_uchar" U8 4;
    "bw_short" I16 5;
    "bw_ushort" U16 6;
    "bw_int" I32 7;
    "bw_uint" U32 8;
    "bw_long" I64 9;
    "bw_ulong" U64 10;
    "bw_longlong" I64 11;
    "bw_ulonglong" U64 12;
    "bw_float" F32 13;
    "bw_double" F64 14;
}

#[cfg(not(test))]
at_unnamed! {
    "__CrestChar" I8 2 "char";
    "__CrestUChar" U8 4 "unsigned_char";
    "__CrestShort" I16 5 "short";
    "__CrestUShort" U16 6 "unsigned_short";
    "__CrestInt" I32 7 "int";
    "__CrestUInt" U32 8 "unsigned_int";
    "CREST_char" I8 2 "char";
    "CREST_unsigned_char" U8 4 "unsigned_char";
    "CREST_short" I16 5 "short";
    "CREST_unsigned_short" U16 6 "unsigned_short";
    "CREST_int" I32 7 "int";
    "CREST_unsigned_int" U32 8 "unsigned_int";
}

/// A weak function that jumps on, with its own address as the last argument.
#[cfg(not(test))]
macro_rules! jump {
    ($($symbol:literal $own:literal [$($line:literal)*] $entry:ident;)*) => { $(weak!(
        $symbol,
        [concat!("lea ", $own, ", [rip + ", $symbol, "]"), $($line,)* "jmp {entry}"],
        entry = sym $entry
    );)* };
}

#[cfg(not(test))]
jump! {
    "bw_bytes" "rcx" [] __bw_input_bytes;
    "klee_make_symbolic" "rcx" [] __bw_input_bytes;
    "__VERIFIER_nondet_memory" "rcx" ["xor edx, edx"] __bw_input_bytes;
    "bw_assume" "rdx" ["mov esi, 32"] __bw_input_assume;
    "__VERIFIER_assume" "rdx" ["mov esi, 32"] __bw_input_assume;
    "klee_assume" "rdx" ["mov esi, 64"] __bw_input_assume;
    "klee_range" "rcx" [] __bw_input_range;
    "klee_int" "rsi" [] __bw_input_named_int;
    "bw_reach_error" "rdi" [] __bw_input_reach;
    "reach_error" "rdi" [] __bw_input_reach;
    "__VERIFIER_error" "rdi" [] __bw_input_reach;
}
