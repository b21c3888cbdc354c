//! The probe: the unit, compiled once to learn what it says of itself and of what it does not define.

use crate::types::{Info, Type, TypeId};
use crate::write::include;

/// Prefix of the variables that carry types of undefined symbols.
const PREFIX: &str = "bw_probe_";

/// The C text: the unit, declarations that make it emit more, and for each of these names a variable that points to its
/// type.
#[must_use]
pub fn text(unit: &str, emitted: &[String], names: &[String]) -> String {
    let mut text = include(unit);
    for declaration in emitted {
        text.push_str(&format!("{declaration};\n"));
    }
    for name in names {
        text.push_str(&format!("__typeof__({name}) *{PREFIX}{name};\n"));
    }
    text
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
