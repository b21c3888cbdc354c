//! The probe: the unit, compiled once to learn what it says of itself and of what it does not define.

use crate::types::{Info, Type, TypeId};
use crate::write::include;

/// Prefix of the variables that carry types of undefined symbols.
const PREFIX: &str = "bw_probe_";

/// The C text: the unit, and for each of these symbols a variable that points to its type.
#[must_use]
pub fn text(unit: &str, symbols: &[String]) -> String {
    let mut text = include(unit);
    for symbol in symbols {
        text.push_str(&format!("__typeof__({symbol}) *{PREFIX}{symbol};\n"));
    }
    text
}

/// The type of a symbol that was probed.
#[must_use]
pub fn type_of(info: &Info, symbol: &str) -> Option<TypeId> {
    let variable = info.variable(&format!("{PREFIX}{symbol}"))?;
    match info.types.get(variable.ty) {
        Type::Pointer(target) => Some(*target),
        _ => None,
    }
}
