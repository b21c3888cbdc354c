//! The text form of a test: what `bothways replay` and the replay runtime (plain C) read.
//!
//! ```text
//! bothways-test 1
//! # test 3: iteration 17, 0.250 s, exited 0
//! # covers src/main.c:12:7 true
//! n i32 -5 # (int)
//! ratio f64 0x400921fb54442d18 # 3.141592653589793
//! points[1] u16 700
//! key bytes 6b0079 # "k\0y"
//! stdin stream 410a # "A\n"
//! arg:1 stream 2d76 # "-v"
//! env:HOME unset -
//! ```
//!
//! - Line 1 names the format and its version.
//! - Every other line is empty, a comment (`#`), or one value: name, type, value, separated by single spaces; what
//!   follows `#` is a comment. Values stand in the order in which the program asks for them.
//! - Types and their values: `bool` 0 or 1; `i8` … `i128`, `u8` … `u128`, `pointer` decimal; `f32`, `f64` the bits as
//!   `0x` and hexadecimal digits; `bytes` the elements 0, 1, 2, … (type `u8`) of the array of that name, two
//!   hexadecimal digits each; `stream` the content of a stream (see [`crate::suite::invocation`]);
//!   `unset` is an environment variable that is not set. No bytes are written `-`.
//! - `name[3]` is element 3 of an array. Bytes of a name other than letters, digits and `_.:$/[]()<>*-` are `%XX`, and
//!   so is a `]` at its end where it would be taken for an index; the empty name is `-`.
//! - A comment that begins with `(…)` holds the C type of a `__VERIFIER_nondet_*` value. Nothing else in a comment
//!   means anything.
//!
//! Must hold: [`parse`] gives the values and streams back that [`render`] wrote.

use crate::suite::ValueType;
use crate::suite::lexeme::{escape, from_hex, hex, printable, unescape};
use crate::suite::test::{Stream, Test, Value};

/// First line of a test file.
pub const HEADER: &str = "bothways-test 1";

/// Writes a test.
#[must_use]
pub fn render(test: &Test) -> String {
    let mut text = format!("{HEADER}\n");
    text.push_str(&format!(
        "# test {}: iteration {}, {:.3} s, {}",
        test.number, test.iteration, test.seconds, test.outcome
    ));
    if let Some(name) = test.outcome.signal_name() {
        text.push_str(&format!(" ({name})"));
    }
    text.push('\n');
    for label in &test.covers {
        text.push_str(&format!(
            "# covers {}\n",
            printable(label.to_string().as_bytes())
        ));
    }
    for remark in &test.remarks {
        text.push_str(&format!("# {}\n", printable(remark.as_bytes())));
    }
    if test.covers_error {
        text.push_str("# covers the error: reach_error is called\n");
    }
    let mut rest = test.values.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        let array = byte_array(rest);
        if array > 0 {
            let bytes: Vec<u8> = rest[..array].iter().map(|value| value.bits as u8).collect();
            text.push_str(&bytes_line(&first.name, "bytes", &bytes));
            rest = &rest[array..];
        } else {
            text.push_str(&value_line(first));
            rest = tail;
        }
    }
    for stream in &test.streams {
        text.push_str(&bytes_line(&stream.name, "stream", &stream.bytes));
    }
    for name in &test.unset {
        text.push_str(&format!("{} unset -\n", escape(name)));
    }
    text
}

/// How many values at the start are the elements 0, 1, 2, … of one byte array.
fn byte_array(values: &[Value]) -> usize {
    let Some(first) = values.first() else {
        return 0;
    };
    (0u32..)
        .zip(values)
        .take_while(|(index, value)| {
            value.kind == ValueType::U8
                && value.element == Some(*index)
                && value.name == first.name
                && value.c_type.is_empty()
                && value.bits <= 0xff
        })
        .count()
}

fn bytes_line(name: &str, kind: &str, bytes: &[u8]) -> String {
    const MANY: usize = 8;
    let text = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    let zeros = bytes.len() - text;
    let (shown, rest) = if zeros >= MANY {
        (&bytes[..text], format!(" and {zeros} zeros"))
    } else {
        (bytes, String::new())
    };
    let (name, hex, text) = (escape(name), hex(bytes), printable(shown));
    format!("{name} {kind} {hex} # \"{text}\"{rest}\n")
}

fn value_line(value: &Value) -> String {
    let mut line = escape(&value.name);
    match value.element {
        Some(element) => line.push_str(&format!("[{element}]")),
        // It is no index.
        None if line.ends_with(']') => line.replace_range(line.len() - 1.., "%5d"),
        None => {}
    }
    line.push_str(&format!(" {} ", value.kind.name()));
    let is_float = matches!(value.kind, ValueType::F32 | ValueType::F64);
    if is_float {
        let digits = value.kind.bits() as usize / 4;
        line.push_str(&format!("0x{:0digits$x}", value.bits & value.kind.mask()));
    } else {
        line.push_str(&value.decimal());
    }
    let mut comment = Vec::new();
    if !value.c_type.is_empty() {
        comment.push(format!("({})", value.c_type));
    }
    if is_float {
        comment.push(value.decimal());
    } else if value.kind.bits() == 8 && (0x20..0x7f).contains(&value.bits) {
        comment.push(format!("'{}'", char::from(value.bits as u8)));
    }
    if !value.meaning.is_empty() {
        comment.push(printable(value.meaning.as_bytes()));
    }
    if !comment.is_empty() {
        line.push_str(&format!(" # {}", comment.join(" ")));
    }
    line.push('\n');
    line
}

/// Why a test file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {col}: {problem}")]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub col: u32,
    pub problem: Problem,
}

/// What is wrong at that place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("no test file: the first line is not `{HEADER}`")]
    Header,
    #[error("this is a test file of format {0}; this version of bothways reads format 1")]
    Version(String),
    #[error("`{0}` is no name")]
    Name(String),
    #[error("the type is missing")]
    NoType,
    #[error(
        "`{0}` is no type (one of bool, i8 … i128, u8 … u128, f32, f64, pointer, bytes, stream, unset)"
    )]
    Type(String),
    #[error("the value is missing")]
    NoValue,
    #[error("`{value}` is no value of type {kind}")]
    Value { value: String, kind: &'static str },
    #[error("`{0}` after the value; a comment begins with `#`")]
    Rest(String),
}

/// Reads a test. What is not in the text (number, outcome, goals) is as [`Test::new`] leaves it.
///
/// # Errors
/// When the text is no test of this format; names the place.
pub fn parse(text: &str) -> Result<Test, ParseError> {
    let mut lines = (1u32..).zip(text.lines());
    let first = lines.next().map_or("", |(_, line)| line.trim_end());
    if first != HEADER {
        let problem = match first.strip_prefix("bothways-test ") {
            Some(version) => Problem::Version(version.to_owned()),
            None => Problem::Header,
        };
        return Err(ParseError {
            line: 1,
            col: 1,
            problem,
        });
    }
    let mut test = Test::new(0, Vec::new(), Vec::new());
    for (number, line) in lines {
        parse_line(line, &mut test).map_err(|(col, problem)| ParseError {
            line: number,
            col,
            problem,
        })?;
    }
    Ok(test)
}

type Located<T> = Result<T, (u32, Problem)>;

fn parse_line(line: &str, test: &mut Test) -> Located<()> {
    let (code, comment) = line.split_once('#').unwrap_or((line, ""));
    let mut words = Words { line: code, at: 0 };
    let Some((name_col, name)) = words.next() else {
        return Ok(());
    };
    let end = words.end();
    let (kind_col, kind) = words.next().ok_or((end, Problem::NoType))?;
    let end = words.end();
    let value = words.next().ok_or((end, Problem::NoValue));
    if let Some((col, rest)) = words.next() {
        return Err((col, Problem::Rest(rest.to_owned())));
    }
    match kind {
        "unset" => {
            let name = unescape(name).ok_or_else(|| (name_col, Problem::Name(name.to_owned())))?;
            test.unset.push(name);
        }
        "bytes" | "stream" => {
            let kind = if kind == "bytes" { "bytes" } else { "stream" };
            let (col, text) = value?;
            let wrong = || Problem::Value {
                value: text.to_owned(),
                kind,
            };
            let bytes = from_hex(text).ok_or_else(|| (col, wrong()))?;
            let name = unescape(name).ok_or_else(|| (name_col, Problem::Name(name.to_owned())))?;
            add_bytes(test, name, kind, bytes);
        }
        kind => {
            let kind = ValueType::from_name(kind)
                .ok_or_else(|| (kind_col, Problem::Type(kind.to_owned())))?;
            let (name, element) =
                parse_name(name).ok_or_else(|| (name_col, Problem::Name(name.to_owned())))?;
            let (col, text) = value?;
            let bits = parse_bits(kind, text).ok_or_else(|| {
                let (value, kind) = (text.to_owned(), kind.name());
                (col, Problem::Value { value, kind })
            })?;
            test.values.push(Value {
                name,
                kind,
                element,
                c_type: c_type(comment),
                meaning: String::new(),
                bits,
            });
        }
    }
    Ok(())
}

fn add_bytes(test: &mut Test, name: String, kind: &str, bytes: Vec<u8>) {
    if kind == "stream" {
        test.streams.push(Stream { name, bytes });
        return;
    }
    let values = (0u32..).zip(bytes).map(|(index, byte)| Value {
        name: name.clone(),
        kind: ValueType::U8,
        element: Some(index),
        c_type: String::new(),
        meaning: String::new(),
        bits: byte.into(),
    });
    test.values.extend(values);
}

fn parse_name(text: &str) -> Option<(String, Option<u32>)> {
    let (name, element) = match text.strip_suffix(']') {
        None => (text, None),
        Some(rest) => {
            let (name, index) = rest.rsplit_once('[')?;
            (name, Some(decimal(index)?))
        }
    };
    Some((unescape(name)?, element))
}

fn decimal<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.starts_with('+') {
        return None;
    }
    text.parse().ok()
}

fn parse_bits(kind: ValueType, text: &str) -> Option<u128> {
    let bits = match kind {
        ValueType::F32 | ValueType::F64 => {
            let digits = text.strip_prefix("0x")?;
            if digits.starts_with('+') {
                return None;
            }
            u128::from_str_radix(digits, 16).ok()?
        }
        kind if kind.is_signed() => {
            let number: i128 = decimal(text)?;
            let bits = number as u128 & kind.mask();
            return (kind.sign_extend(bits) == number).then_some(bits);
        }
        _ => decimal(text)?,
    };
    (bits <= kind.mask()).then_some(bits)
}

fn c_type(comment: &str) -> String {
    let inside = comment.trim_start().strip_prefix('(');
    inside
        .and_then(|rest| rest.split_once(')'))
        .map_or_else(String::new, |(name, _)| name.to_owned())
}

/// Words of a line with their columns.
struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(u32, &'a str)> {
        let rest = &self.line[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.line[start..];
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = start + len;
        (len > 0).then(|| (start as u32 + 1, &rest[..len]))
    }

    /// The column after the last word.
    fn end(&self) -> u32 {
        self.at as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::sample;
    use crate::suite::Outcome;

    fn inputs(test: &Test) -> (&[Value], &[Stream], &[String]) {
        (&test.values, &test.streams, &test.unset)
    }

    fn check_error(text: &str, expect: Expect) {
        let error = parse(text).expect_err("an error");
        expect.assert_eq(&error.to_string());
    }

    #[test]
    fn the_sample_comes_back() {
        for test in sample::suite().tests {
            let back = parse(&render(&test)).expect("a test");
            assert_eq!(inputs(&back), inputs(&test));
        }
    }

    #[test]
    fn any_test_comes_back() {
        let mut random = coverage::sample::Random::new(7);
        for _ in 0..500 {
            let test = random_test(&mut random);
            let text = render(&test);
            let back = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(inputs(&back), inputs(&test), "{text}");
        }
    }

    fn random_test(random: &mut coverage::sample::Random) -> Test {
        const NAMES: &[&str] = &["", "x", "a b", "buf", "-", "s.f[2]", "#", "\u{fc}\n", "%"];
        const C_TYPES: &[&str] = &["", "", "int", "unsigned long", "void *"];
        let mut values = Vec::new();
        for _ in 0..random.below(8) {
            let name = NAMES[random.below(NAMES.len())];
            if random.below(4) == 0 {
                let len = random.below(5);
                let bytes: Vec<u8> = (0..len).map(|_| random.draw() as u8).collect();
                values.extend(sample::bytes(name, &bytes));
                continue;
            }
            let kind = ValueType::ALL[random.below(ValueType::ALL.len())];
            let wide = u128::from(random.draw()) << 64 | u128::from(random.draw());
            let bits = [0, wide, u128::MAX, 1 << (kind.bits() - 1)][random.below(4)] & kind.mask();
            values.push(Value {
                element: (random.below(3) == 0).then(|| random.below(4) as u32),
                c_type: C_TYPES[random.below(C_TYPES.len())].to_owned(),
                meaning: String::new(),
                ..sample::value(name, kind, bits)
            });
        }
        let mut streams = Vec::new();
        for _ in 0..random.below(3) {
            let name = NAMES[random.below(NAMES.len())].to_owned();
            let bytes = (0..random.below(6)).map(|_| random.draw() as u8).collect();
            streams.push(Stream { name, bytes });
        }
        let mut test = Test::new(random.below(20_000) as u32, values, streams);
        test.outcome = [Outcome::Timeout, Outcome::Signalled(6)][random.below(2)];
        if random.below(4) == 0 {
            test.unset.push("env:A B".to_owned());
        }
        test
    }

    #[test]
    fn files_written_by_hand_are_read() {
        let text = "bothways-test 1\r\n\n  # a comment\n\tn  i32\t-5#x\r\nf f32 0x1\nb bytes -\ns stream 0A\n";
        let test = parse(text).expect("a test");
        assert_eq!(
            test.values,
            [
                sample::value("n", ValueType::I32, 0xffff_fffb),
                sample::value("f", ValueType::F32, 1)
            ]
        );
        assert_eq!(test.streams[0].bytes, b"\n");
    }

    #[test]
    fn bytes_in_a_row_are_one_line_for_each_array() {
        let mut values = sample::bytes("a", b"xy");
        values.extend(sample::bytes("a", b"z"));
        values.extend(sample::bytes("b", b"w"));
        let mut odd = sample::bytes("c", b"pq");
        odd.swap(0, 1);
        values.extend(odd);
        expect![[r#"
            bothways-test 1
            # test 1: iteration 0, 0.000 s, exited 0
            a bytes 7879 # "xy"
            a bytes 7a # "z"
            b bytes 77 # "w"
            c[1] u8 113 # 'q'
            c bytes 70 # "p"
        "#]]
        .assert_eq(&render(&Test::new(1, values, Vec::new())));
    }

    #[test]
    fn c_lvalues_are_names() {
        let mut test = Test::new(0, Vec::new(), Vec::new());
        for name in ["hdr->len", "get()", "rows[2]", "set(x)", "-", "a[1].b"] {
            test.values.push(sample::value(name, ValueType::I32, 1));
        }
        test.values.push(Value {
            element: Some(0),
            ..sample::value("rows[1]", ValueType::U8, 7)
        });
        test.values[0].meaning = "GREEN".to_owned();
        let text = render(&test);
        expect![[r#"
            hdr->len i32 1 # GREEN
            get() i32 1
            rows[2%5d i32 1
            set(x) i32 1
            %2d i32 1
            a[1].b i32 1
            rows[1] bytes 07 # "\x07"
        "#]]
        .assert_eq(
            &text
                .lines()
                .skip(2)
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        );
        let again = parse(&text).expect("what was written is read");
        let names = |test: &Test| -> Vec<_> {
            let values = test.values.iter();
            values
                .map(|value| (value.name.clone(), value.element))
                .collect()
        };
        assert_eq!(names(&again), names(&test));
    }

    #[test]
    fn errors_name_the_place() {
        check_error(
            "",
            expect!["line 1, column 1: no test file: the first line is not `bothways-test 1`"],
        );
        check_error(
            "bothways-test 2\n",
            expect![
                "line 1, column 1: this is a test file of format 2; this version of bothways reads format 1"
            ],
        );
        check_error(
            "bothways-test 1\nn\n",
            expect!["line 2, column 2: the type is missing"],
        );
        check_error(
            "bothways-test 1\nn int 3\n",
            expect![
                "line 2, column 3: `int` is no type (one of bool, i8 … i128, u8 … u128, f32, f64, pointer, bytes, stream, unset)"
            ],
        );
        check_error(
            "bothways-test 1\nn i32\n",
            expect!["line 2, column 6: the value is missing"],
        );
        check_error(
            "bothways-test 1\nn i32 # 3\n",
            expect!["line 2, column 6: the value is missing"],
        );
        check_error(
            "bothways-test 1\n# ok\nn  i8 128\n",
            expect!["line 3, column 7: `128` is no value of type i8"],
        );
        check_error(
            "bothways-test 1\nn u8 -1\n",
            expect!["line 2, column 6: `-1` is no value of type u8"],
        );
        check_error(
            "bothways-test 1\nn u8 +1\n",
            expect!["line 2, column 6: `+1` is no value of type u8"],
        );
        check_error(
            "bothways-test 1\nn bool 2\n",
            expect!["line 2, column 8: `2` is no value of type bool"],
        );
        check_error(
            "bothways-test 1\nx f32 1.5\n",
            expect!["line 2, column 7: `1.5` is no value of type f32"],
        );
        check_error(
            "bothways-test 1\nx f32 0x1ffffffff\n",
            expect!["line 2, column 7: `0x1ffffffff` is no value of type f32"],
        );
        check_error(
            "bothways-test 1\nb bytes abc\n",
            expect!["line 2, column 9: `abc` is no value of type bytes"],
        );
        check_error(
            "bothways-test 1\nb%zz bytes ab\n",
            expect!["line 2, column 1: `b%zz` is no name"],
        );
        check_error(
            "bothways-test 1\nb[x] u8 1\n",
            expect!["line 2, column 1: `b[x]` is no name"],
        );
        check_error(
            "bothways-test 1\n%4 u8 1\n",
            expect!["line 2, column 1: `%4` is no name"],
        );
        check_error(
            "bothways-test 1\nn u8 1 2\n",
            expect!["line 2, column 8: `2` after the value; a comment begins with `#`"],
        );
    }
}
