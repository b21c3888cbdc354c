//! Names of the unit that its own macros hide from text behind it.
//!
//! `struct sigaction` has a member `__sigaction_handler`, and `sa_handler` is a macro for a member of that; a library may
//! wrap its function `f` into a macro `f`. Texts behind the unit mean the members and functions themselves, so they
//! undefine such macros.

use std::collections::{BTreeSet, HashSet};

use crate::types::{Function, Type, Types};

/// What emitted texts call themselves: a unit may have them all go to functions of its own.
const CALLED: &[&str] = &[
    "abort", "calloc", "exit", "fopen", "free", "malloc", "memcmp", "memcpy", "memset", "realloc",
    "strcmp", "strcpy", "strlen",
];

/// The members, the function, and what else texts speak of, that have the name of a macro.
pub(crate) fn names(
    types: &Types,
    function: &Function,
    others: impl Iterator<Item = String>,
    macros: &HashSet<String>,
) -> BTreeSet<String> {
    let members = types.all().filter_map(|ty| match ty {
        Type::Record { fields, .. } => Some(fields),
        _ => None,
    });
    let members = members.flatten().filter_map(|field| field.name.as_ref());
    members
        .chain([&function.name])
        .cloned()
        .chain(others)
        .chain(CALLED.iter().map(|name| (*name).to_owned()))
        .filter(|name| macros.contains(name))
        .collect()
}

/// The lines that make those of `hidden` visible that `text` speaks of. What stands in `users` may mean the macros.
pub(crate) fn undefine(hidden: &BTreeSet<String>, text: &str, users: &[String]) -> String {
    if hidden.is_empty() {
        return String::new();
    }
    let users: HashSet<&str> = users.iter().flat_map(|text| words(text)).collect();
    let used: BTreeSet<&str> = words(text)
        .filter(|word| hidden.contains(*word) && !users.contains(word))
        .collect();
    let lines = used.into_iter().map(|name| format!("#undef {name}\n"));
    lines.collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_spoken_of_is_undefined() {
        let hidden = ["sa_handler", "next"].map(str::to_owned).into();
        let text = "a.sa_handler = b->nextest;";
        assert_eq!(undefine(&hidden, text, &[]), "#undef sa_handler\n");
        assert_eq!(
            undefine(&hidden, text, &["a.sa_handler != 0".to_owned()]),
            ""
        );
    }
}
