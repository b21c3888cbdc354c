//! The small pieces of a test file: names, hexadecimal bytes, printable comments.
//!
//! Must hold: [`unescape`] undoes [`escape`] for every name, and an escaped name has no space and no `#`.

/// A name as it is written: letters, digits and `_.:$/[]()<>*-` stand for themselves, so that C lvalues can be read; every
/// other byte is `%XX`; the empty name is `-`.
#[must_use]
pub fn escape(name: &str) -> String {
    match name {
        "" => return "-".to_owned(),
        "-" => return "%2d".to_owned(),
        _ => {}
    }
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.:$/[]()<>*-".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02x}"));
        }
    }
    text
}

/// The name that was written so, or `None` when no name is.
#[must_use]
pub fn unescape(text: &str) -> Option<String> {
    if text == "-" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let (code, tail) = tail.split_at_checked(2)?;
            bytes.extend(from_hex(std::str::from_utf8(code).ok()?)?);
            rest = tail;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Bytes in hexadecimal, two digits each; none is `-`.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_owned();
    }
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The bytes that were written so.
#[must_use]
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| match pair {
        &[high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

/// Bytes as the text between quotes in a comment: printable ASCII as it is, the rest escaped as in C.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'\0' => text.push_str("\\0"),
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [
            "", "-", "x", "a b", "buf[3]", "naïve", "%41", "#", "a\nb", "s.f", "\u{0}",
        ] {
            let text = escape(name);
            assert!(!text.contains([' ', '#', '\n']), "{text}");
            assert_eq!(unescape(&text).as_deref(), Some(name), "{text}");
        }
        assert_eq!(unescape("%4"), None);
        assert_eq!(unescape("%zz"), None);
        assert_eq!(unescape("%ff"), None, "no UTF-8");
    }

    #[test]
    fn bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&hex(&all)), Some(all));
        assert_eq!(from_hex(&hex(&[])), Some(Vec::new()));
        assert_eq!(from_hex("A0"), Some(vec![0xa0]));
        for wrong in ["a", "0g", "0-", "abc"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn comments_are_printable() {
        assert_eq!(printable(b"a\"b\\\n\0\xff~"), "a\\\"b\\\\\\n\\0\\xff~");
    }
}
