//! The probe: the unit, compiled once to learn what it says of itself and of what it does not define.

use crate::types::{Info, Type, TypeId};
use crate::write::include;

/// Prefix of the variables that carry types of undefined symbols.
const PREFIX: &str = "bw_probe_";

/// What the compiler's messages call the lines that ask for types, one for each name.
const LINES: &str = "bothways-names";

/// The C text: the unit, declarations that make it emit more, and for each of these names a variable that points to its
/// type.
#[must_use]
pub fn text(unit: &str, emitted: &[String], names: &[String]) -> String {
    let mut text = include(unit);
    for declaration in emitted {
        text.push_str(&format!("{declaration};\n"));
    }
    text.push_str(&format!("#line 1 \"{LINES}\"\n"));
    for name in names {
        text.push_str(&format!("__typeof__({name}) *{PREFIX}{name};\n"));
    }
    text
}

/// Whether an error is about the question for a name, the one with this index: some say nothing of the name.
#[must_use]
pub fn refuses(messages: &str, index: usize, name: &str) -> bool {
    let (quoted, line) = (format!("'{name}'"), format!("{LINES}:{}:", index + 1));
    let mut errors = messages.lines().filter(|text| text.contains("error:"));
    errors.any(|text| text.contains(&quoted) || text.starts_with(&line))
}

/// The type of a name that was probed.
#[must_use]
pub fn type_of(info: &Info, name: &str) -> Option<TypeId> {
    let variable = info.variable(&format!("{PREFIX}{name}"))?;
    match info.types.get(variable.ty) {
        Type::Pointer(target) => Some(*target),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where one error made all names be forgotten, functions were made up under the names of variables.
    #[test]
    fn an_error_without_a_name_is_about_its_line() {
        let messages = "bothways-names:2:12: error: builtin functions must be directly called\n";
        assert!(refuses(messages, 1, "__atomic_load"));
        assert!(!refuses(messages, 0, "variable"));
        assert!(refuses(
            "a.c:3:1: error: use of undeclared identifier 'put'",
            5,
            "put"
        ));
    }
}
