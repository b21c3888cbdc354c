//! The inputs of a test as people read them: numbers decimal, bytes as a C string.
//!
//! Must hold: the text has no control characters, is no longer than some thousand characters, and says what was left out.

use std::fmt::Write as _;

use crate::suite::{Test, Value, ValueType};

/// Most bytes of one input that are written out.
const BYTES: usize = 1024;
/// Most inputs of one test that are written out.
const INPUTS: usize = 200;

/// Names of inputs, and what they hold, in the order of the test.
#[must_use]
pub fn inputs(test: &Test) -> Vec<(String, String)> {
    let mut rows = values(&test.values);
    for stream in &test.streams {
        rows.push((stream.name.clone(), string(&stream.bytes)));
    }
    for name in &test.unset {
        rows.push((name.clone(), "not set".to_owned()));
    }
    if rows.len() > INPUTS {
        let left = rows.len() - INPUTS;
        rows.truncate(INPUTS);
        rows.push(("…".to_owned(), format!("{left} more inputs")));
    }
    rows.into_iter()
        .map(|(name, text)| (plain(&name), text))
        .collect()
}

/// Single values, and the bytes of an array as one string.
fn values(values: &[Value]) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(first) = values.get(at) {
        let follows = |index: usize, value: &Value| {
            let expected = u32::try_from(index).ok();
            first.element == Some(0)
                && value.name == first.name
                && value.element == expected
                && is_byte(value.kind)
        };
        let run = values[at..].iter().enumerate();
        let count = run
            .take_while(|(index, value)| follows(*index, value))
            .count();
        if count > 1 {
            let bytes: Vec<u8> = values[at..at + count]
                .iter()
                .map(|value| value.bits as u8)
                .collect();
            rows.push((first.name.clone(), string(&bytes)));
            at += count;
            continue;
        }
        rows.push((name(first), number(first)));
        at += 1;
    }
    rows
}

fn is_byte(kind: ValueType) -> bool {
    matches!(kind, ValueType::U8 | ValueType::I8)
}

fn name(value: &Value) -> String {
    let own = match (value.name.as_str(), value.c_type.as_str()) {
        ("", "") => "value",
        ("", c_type) => c_type,
        (name, _) => name,
    };
    match value.element {
        Some(index) => format!("{own}[{index}]"),
        None => own.to_owned(),
    }
}

fn number(value: &Value) -> String {
    let decimal = value.decimal();
    let byte = value.bits as u8;
    let text = match is_byte(value.kind) && (b' '..=b'~').contains(&byte) {
        true => format!("{decimal} ('{}')", char::from(byte)),
        false => decimal,
    };
    match value.meaning.as_str() {
        "" => text,
        meaning => format!("{text} ({})", plain(meaning)),
    }
}

/// Bytes as a C string.
#[must_use]
pub fn string(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(BYTES)];
    let mut text = String::from("\"");
    for (at, byte) in shown.iter().enumerate() {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            // A digit behind it would be part of a shorter number.
            0 if !shown.get(at + 1).is_some_and(u8::is_ascii_digit) => text.push_str("\\0"),
            b' '..=b'~' => text.push(char::from(*byte)),
            other => {
                let _ = write!(text, "\\{other:03o}");
            }
        }
    }
    text.push('"');
    match bytes.len() - shown.len() {
        0 if bytes.is_empty() => "\"\" (empty)".to_owned(),
        0 => text,
        left => format!("{text} … and {left} more bytes"),
    }
}

/// Without control characters.
#[must_use]
pub fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[test]
    fn inputs_read_like_c() {
        let suite = sample::suite();
        let rows = suite.tests.iter().flat_map(inputs);
        let text: String = rows
            .map(|(name, text)| format!("{name} = {text}\n"))
            .collect();
        expect![[r#"
            key = "k\0\"\n"
            n = -5
            char = 65 ('A')
            double = 3.141592653589793
            unsigned long = 18446744073709551615
            _Bool = 1
            points of view[1] = 700
            stdin = "A\n\377"
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn long_inputs_say_what_is_missing() {
        assert!(string(&[b'x'; 3000]).ends_with("x\" … and 1976 more bytes"));
        assert_eq!(string(b"\x001\0"), r#""\0001\0""#);
        assert_eq!(string(b""), "\"\" (empty)");
        assert_eq!(plain("a\u{1b}[1m"), "a\u{fffd}[1m");
    }
}
