//! What compilers expect of `libatomic`: operations on atomic objects for which the processor has no instruction.
//!
//! A unit calls them without a word in its source, so that there is no declaration to make a stub of; and a stub that
//! returns an input would be wrong. Each test is one thread.
//!
//! Must hold: a definition has the name that the linker knows by a label only, because compilers refuse declarations of
//! their own built-in functions.

use std::fmt::Write as _;

/// Kept though nothing in the unit names it, and without counters.
const WORDS: &str = "__attribute__((used, no_profile_instrument_function))";

/// C definitions by symbol: `R` is the result, `P` the parameters, `B` the body. The sized ones are of 16 bytes.
const FUNCTIONS: &[(&str, &str, &str, &str)] = &[
    (
        "__atomic_load",
        "void",
        "__SIZE_TYPE__ n, const void *from, void *to, int order",
        "__builtin_memcpy(to, from, n);",
    ),
    (
        "__atomic_store",
        "void",
        "__SIZE_TYPE__ n, void *to, const void *from, int order",
        "__builtin_memcpy(to, from, n);",
    ),
    (
        "__atomic_exchange",
        "void",
        "__SIZE_TYPE__ n, void *at, void *value, void *old, int order",
        "__builtin_memcpy(old, at, n); __builtin_memcpy(at, value, n);",
    ),
    (
        "__atomic_compare_exchange",
        "_Bool",
        "__SIZE_TYPE__ n, void *at, void *expected, void *value, int success, int failure",
        "if (__builtin_memcmp(at, expected, n) == 0) { __builtin_memcpy(at, value, n); return 1; } \
         __builtin_memcpy(expected, at, n); return 0;",
    ),
    (
        "__atomic_load_16",
        "unsigned __int128",
        "const unsigned __int128 *at, int order",
        "return *at;",
    ),
    (
        "__atomic_store_16",
        "void",
        "unsigned __int128 *at, unsigned __int128 value, int order",
        "*at = value;",
    ),
    (
        "__atomic_exchange_16",
        "unsigned __int128",
        "unsigned __int128 *at, unsigned __int128 value, int order",
        "unsigned __int128 old = *at; *at = value; return old;",
    ),
    (
        "__atomic_compare_exchange_16",
        "_Bool",
        "unsigned __int128 *at, unsigned __int128 *expected, unsigned __int128 value, int success, int failure",
        "if (*at == *expected) { *at = value; return 1; } *expected = *at; return 0;",
    ),
];

/// Fetch-and-modify operations: their names and what they store.
const FETCH: &[(&str, &str)] = &[
    ("add", "old + value"),
    ("sub", "old - value"),
    ("and", "old & value"),
    ("or", "old | value"),
    ("xor", "old ^ value"),
    ("nand", "~(old & value)"),
];

/// Whether a symbol is a function of `libatomic`.
#[must_use]
pub fn defines(symbol: &str) -> bool {
    FUNCTIONS.iter().any(|(name, ..)| *name == symbol)
        || symbol
            .strip_prefix("__atomic_fetch_")
            .and_then(|rest| rest.strip_suffix("_16"))
            .is_some_and(|operation| FETCH.iter().any(|(name, _)| *name == operation))
}

/// C definitions of all of them: which ones are called for the same source differs between compilers.
#[must_use]
pub fn definitions() -> String {
    let mut text = String::new();
    let mut define = |symbol: &str, result: &str, params: &str, body: &str| {
        // There is one thread, so every order is the same; compilers may warn of what is not used.
        let unused = ["order", "success", "failure"]
            .into_iter()
            .filter(|name| params.contains(&format!("int {name}")))
            .fold(String::new(), |all, name| all + "(void)" + name + "; ");
        let _ = write!(
            text,
            "{result} bw{symbol}({params}) __asm__(\"{symbol}\");\n\
             {WORDS} {result} bw{symbol}({params}) {{ {unused}{body} }}\n"
        );
    };
    for (symbol, result, params, body) in FUNCTIONS {
        define(symbol, result, params, body);
    }
    for (operation, value) in FETCH {
        define(
            &format!("__atomic_fetch_{operation}_16"),
            "unsigned __int128",
            "unsigned __int128 *at, unsigned __int128 value, int order",
            &format!("unsigned __int128 old = *at; *at = {value}; return old;"),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_of_libatomic_are_defined() {
        let text = definitions();
        assert!(text.starts_with("void bw__atomic_load("), "{text}");
        assert!(text.contains("*at = ~(old & value);"), "{text}");
        assert!(defines("__atomic_load") && defines("__atomic_fetch_nand_16"));
        assert!(!defines("__atomic_fetch_add_3") && !defines("load"));
    }
}
