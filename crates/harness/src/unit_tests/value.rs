//! Values as C literals.

use crate::plan::Scalar;

/// A value of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    F32(f32),
    F64(f64),
}

impl Number {
    /// Whether it is what zeroed memory holds.
    #[must_use]
    pub fn is_zero(self) -> bool {
        match self {
            Number::Integer(value) => value == 0,
            Number::F32(value) => value.to_bits() == 0,
            Number::F64(value) => value.to_bits() == 0,
        }
    }

    /// As an integer; floating point has none.
    #[must_use]
    pub fn integer(self) -> i128 {
        match self {
            Number::Integer(value) => value,
            _ => 0,
        }
    }

    /// A C literal for an input of this type.
    #[must_use]
    pub fn literal(self, scalar: Scalar) -> String {
        match self {
            Number::F32(value) => float(&format!("{value:?}"), "f"),
            Number::F64(value) => float(&format!("{value:?}"), ""),
            Number::Integer(value) => match scalar {
                Scalar::Signed(1) | Scalar::Unsigned(1) if printable(value) => character(value),
                _ => match limit(scalar, value) {
                    Some(name) => name.to_owned(),
                    None => integer(value),
                },
            },
        }
    }
}

/// The name that `<limits.h>` has for the least or the greatest value of a type.
fn limit(scalar: Scalar, value: i128) -> Option<&'static str> {
    let (bytes, is_signed, [least, most]) = match scalar {
        Scalar::Signed(2) => (2, true, ["SHRT_MIN", "SHRT_MAX"]),
        Scalar::Signed(4) => (4, true, ["INT_MIN", "INT_MAX"]),
        Scalar::Signed(8) => (8, true, ["LONG_MIN", "LONG_MAX"]),
        Scalar::Unsigned(2) => (2, false, ["0", "USHRT_MAX"]),
        Scalar::Unsigned(4) => (4, false, ["0", "UINT_MAX"]),
        Scalar::Unsigned(8) => (8, false, ["0", "ULONG_MAX"]),
        _ => return None,
    };
    let bits = 8 * bytes - u32::from(is_signed);
    let greatest = (1_i128 << bits) - 1;
    match value {
        value if value == greatest => Some(most),
        value if is_signed && value == -greatest - 1 => Some(least),
        _ => None,
    }
}

/// Whether bytes are text that a C literal shows as it is.
pub fn is_plain_text(bytes: &[u8]) -> bool {
    let is_shown = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    bytes.iter().all(is_shown)
}

fn printable(value: i128) -> bool {
    (0x20..0x7f).contains(&value)
}

fn character(value: i128) -> String {
    let c = char::from(u8::try_from(value).unwrap_or(b'?'));
    match c {
        '\'' | '\\' => format!("'\\{c}'"),
        _ => format!("'{c}'"),
    }
}

/// An integer of any type; the smallest of a signed type has no literal.
#[must_use]
pub fn integer(value: i128) -> String {
    const INT: i128 = 1 << 31;
    const LONG: i128 = 1 << 63;
    if value == -INT {
        "(-2147483647 - 1)".to_owned()
    } else if value == -LONG {
        "(-9223372036854775807L - 1)".to_owned()
    } else if value >= LONG {
        format!("{value}UL")
    } else if !(-INT..2 * INT).contains(&value) {
        format!("{value}L")
    } else if value >= INT {
        format!("{value}U")
    } else {
        value.to_string()
    }
}

/// An integer that is not negative, as masks are written.
#[must_use]
pub fn hexadecimal(value: i128) -> String {
    let suffix = if value > i128::from(u32::MAX) {
        "UL"
    } else {
        "U"
    };
    format!("0x{value:x}{suffix}")
}

/// A number as `%g` or Rust prints it.
#[must_use]
pub fn float(text: &str, suffix: &str) -> String {
    let lower = text.to_lowercase();
    if lower.contains("nan") {
        return "__builtin_nan(\"\")".to_owned();
    }
    if lower.contains("inf") {
        let sign = if lower.starts_with('-') { "-" } else { "" };
        return format!("{sign}__builtin_inf()");
    }
    let dot = if text.contains(['.', 'e']) { "" } else { ".0" };
    format!("{text}{dot}{suffix}")
}

/// Bytes as a C string literal.
#[must_use]
pub fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            // No trigraphs.
            b'"' | b'\\' | b'?' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_type_that_holds_them() {
        for (value, wanted) in [
            (-1, "-1"),
            (-(1 << 31), "(-2147483647 - 1)"),
            (1 << 31, "2147483648U"),
            (1 << 32, "4294967296L"),
            (1 << 63, "9223372036854775808UL"),
        ] {
            assert_eq!(integer(value), wanted);
        }
        assert_eq!(Number::Integer(65).literal(Scalar::Unsigned(1)), "'A'");
        for (scalar, value, wanted) in [
            (Scalar::Signed(4), i128::from(i32::MIN), "INT_MIN"),
            (Scalar::Signed(8), i128::from(i64::MAX), "LONG_MAX"),
            (Scalar::Unsigned(2), 65535, "USHRT_MAX"),
            (Scalar::Unsigned(4), i128::from(i32::MAX), "2147483647"),
            (Scalar::Signed(8), i128::from(i32::MIN), "(-2147483647 - 1)"),
        ] {
            assert_eq!(Number::Integer(value).literal(scalar), wanted);
        }
        assert_eq!(Number::F64(2.0).literal(Scalar::Double), "2.0");
        assert_eq!(float("1e+300", ""), "1e+300");
        assert_eq!(float("3", "f"), "3.0f");
        assert_eq!(string(b"a\"\x019?"), "\"a\\\"\\0019\\?\"");
    }
}
