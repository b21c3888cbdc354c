//! `printf`: what would be written, for the result and for those who compare outputs.

use crate::register::Register;
use crate::state::{Made, State};

/// Bytes of output that a run keeps.
const KEPT: usize = 1 << 20;

/// A conversion of a format.
#[derive(Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
    long_double: bool,
}

/// Where the arguments of a format come from.
pub(super) enum Arguments<'a> {
    Call(std::slice::Iter<'a, Register>),
    /// A `va_list`, which stays as it is.
    List(Places),
}

/// Where the next arguments of a `va_list` are.
pub(super) struct Places {
    general: u64,
    floating: u64,
    stack: u64,
    registers: Option<u64>,
}

/// Bytes of the areas for general and for all registers on x86-64.
const GENERAL: u64 = 48;
const ALL: u64 = 176;

impl Arguments<'_> {
    /// The bits of the next argument; `None` where there is none.
    fn next(&mut self, state: &State<'_>, floating: bool, wide: bool) -> Made<Option<u64>> {
        let places = match self {
            Arguments::Call(list) => return Ok(list.next().map(Register::word)),
            Arguments::List(places) => places,
        };
        let Some(registers) = places.registers else {
            let pointer = u64::from(state.program.layout.pointer_bits / 8);
            let size = if wide && floating { 8 } else { pointer.max(4) };
            let (word, _) = state.memory.word(places.stack, size as u32)?;
            places.stack += size;
            return Ok(Some(word));
        };
        let place = match floating {
            true if places.floating < ALL => {
                places.floating += 16;
                registers + places.floating - 16
            }
            false if places.general < GENERAL => {
                places.general += 8;
                registers + places.general - 8
            }
            _ => {
                places.stack += 8;
                places.stack - 8
            }
        };
        Ok(Some(state.memory.word(place, 8)?.0))
    }
}

impl State<'_> {
    /// The arguments of a `va_list`.
    pub(super) fn list_arguments<'a>(&self, list: u64) -> Made<Arguments<'a>> {
        let word = |at: u64, bytes: u32| -> Made<u64> { Ok(self.memory.word(at, bytes)?.0) };
        Ok(Arguments::List(if self.program.layout.pointer_bits == 64 {
            Places {
                general: word(list, 4)?,
                floating: word(list + 4, 4)?,
                stack: word(list + 8, 8)?,
                registers: Some(word(list + 16, 8)?),
            }
        } else {
            // On 32-bit x86 the list itself is passed: a pointer.
            Places {
                general: 0,
                floating: 0,
                stack: list,
                registers: None,
            }
        }))
    }
}

impl State<'_> {
    /// Keeps output.
    pub fn write_output(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.output.len());
        self.output
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// A C string's bytes.
    pub fn string(&self, mut address: u64, most: usize) -> Made<Vec<u8>> {
        let mut text = Vec::new();
        while text.len() < most {
            let (byte, _) = self.memory.byte(address)?;
            if byte == 0 {
                break;
            }
            text.push(byte);
            address += 1;
        }
        Ok(text)
    }

    /// The text of a format with its arguments; `None` where a conversion is not known here.
    pub(super) fn formatted(&self, format: u64, mut args: Arguments<'_>) -> Made<Option<Vec<u8>>> {
        let format = self.string(format, usize::MAX)?;
        let mut rest = format.as_slice();
        let mut text = Vec::new();
        while let [first, tail @ ..] = rest {
            rest = tail;
            if *first != b'%' {
                text.push(*first);
                continue;
            }
            let Some((conversion, letter, tail)) = self.conversion(rest, &mut args)? else {
                return Ok(None);
            };
            rest = tail;
            if letter == b'%' {
                text.push(b'%');
                continue;
            }
            let floating = matches!(letter, b'e' | b'E' | b'f' | b'F' | b'g' | b'G');
            let wide = floating || conversion.bits == 64 || matches!(letter, b's' | b'p');
            let Some(arg) = args.next(self, floating, wide)? else {
                return Ok(None);
            };
            let made = match floating {
                true if conversion.long_double => None,
                true => conversion.fraction(letter, f64::from_bits(arg)),
                false => self.converted(&conversion, letter, arg)?,
            };
            let Some(made) = made else {
                return Ok(None);
            };
            text.extend(made);
        }
        Ok(Some(text))
    }

    fn conversion<'f>(
        &self,
        mut rest: &'f [u8],
        args: &mut Arguments<'_>,
    ) -> Made<Option<(Conversion, u8, &'f [u8])>> {
        let mut conversion = Conversion {
            bits: 32,
            ..Conversion::default()
        };
        loop {
            match rest.first() {
                Some(b'-') => conversion.left = true,
                Some(b'0') => conversion.zeros = true,
                Some(b'+') => conversion.plus = true,
                Some(b' ') => conversion.space = true,
                Some(b'#') => conversion.alternate = true,
                _ => break,
            }
            rest = &rest[1..];
        }
        let mut number = |rest: &mut &'f [u8]| -> Made<Option<i32>> {
            if rest.first() == Some(&b'*') {
                *rest = &rest[1..];
                return Ok(args.next(self, false, false)?.map(|word| word as i32));
            }
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let text = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
            *rest = &rest[digits..];
            Ok(if text.is_empty() {
                Some(0)
            } else {
                text.parse().ok()
            })
        };
        let Some(width) = number(&mut rest)? else {
            return Ok(None);
        };
        conversion.left |= width < 0;
        conversion.width = width.unsigned_abs() as usize;
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            let Some(precision) = number(&mut rest)? else {
                return Ok(None);
            };
            conversion.precision = usize::try_from(precision).ok();
        }
        let long = self.program.layout.pointer_bits;
        loop {
            conversion.bits = match (rest.first(), rest.get(1)) {
                (Some(b'L'), _) => {
                    conversion.long_double = true;
                    64
                }
                (Some(b'l'), Some(b'l')) | (Some(b'j'), _) => 64,
                (Some(b'l' | b'z' | b't'), _) if conversion.bits != 64 => long,
                (Some(b'h'), Some(b'h')) => 8,
                (Some(b'h'), _) if conversion.bits != 8 => 16,
                (Some(b'l' | b'z' | b't' | b'h'), _) => conversion.bits,
                (Some(letter), _) => return Ok(Some((conversion, *letter, &rest[1..]))),
                (None, _) => return Ok(None),
            };
            rest = &rest[1..];
        }
    }

    fn converted(&self, conversion: &Conversion, letter: u8, arg: u64) -> Made<Option<Vec<u8>>> {
        let word = arg & (u64::MAX >> (64 - conversion.bits));
        let (sign, digits) = match letter {
            b'c' => return Ok(Some(conversion.padded("", &[word as u8], false))),
            b's' => {
                let most = conversion.precision.unwrap_or(usize::MAX);
                let text = self.string(arg, most)?;
                return Ok(Some(conversion.padded("", &text, false)));
            }
            b'd' | b'i' => {
                let shift = 64 - conversion.bits;
                let number = ((word << shift) as i64) >> shift;
                let sign = match (number < 0, conversion.plus, conversion.space) {
                    (true, ..) => "-",
                    (_, true, _) => "+",
                    (_, _, true) => " ",
                    _ => "",
                };
                (sign, number.unsigned_abs().to_string())
            }
            b'u' => ("", word.to_string()),
            b'x' if conversion.alternate && word != 0 => ("0x", format!("{word:x}")),
            b'X' if conversion.alternate && word != 0 => ("0X", format!("{word:X}")),
            b'x' => ("", format!("{word:x}")),
            b'X' => ("", format!("{word:X}")),
            b'o' => ("", format!("{word:o}")),
            b'p' => ("0x", format!("{:x}", arg)),
            _ => return Ok(None),
        };
        let digits = match conversion.precision {
            Some(0) if word == 0 => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        };
        let zeros = conversion.zeros && conversion.precision.is_none();
        Ok(Some(conversion.padded(sign, digits.as_bytes(), zeros)))
    }
}

impl Conversion {
    /// A number with a fraction; `None` for one that is written in another base.
    pub(super) fn fraction(&self, letter: u8, number: f64) -> Option<Vec<u8>> {
        let sign = match (number.is_sign_negative(), self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let magnitude = number.abs();
        if !magnitude.is_finite() {
            let text = if magnitude.is_nan() { "nan" } else { "inf" };
            let text = match letter.is_ascii_uppercase() {
                true => text.to_ascii_uppercase(),
                false => text.to_owned(),
            };
            return Some(self.padded(sign, text.as_bytes(), false));
        }
        let precision = self.precision.unwrap_or(6);
        let mut digits = match letter.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.precision$}"),
            b'e' => exponential(magnitude, precision),
            b'g' => self.general(magnitude, precision.max(1)),
            _ => return None,
        };
        if self.alternate && !digits.contains('.') {
            return None;
        }
        if letter.is_ascii_uppercase() {
            digits = digits.to_ascii_uppercase();
        }
        Some(self.padded(sign, digits.as_bytes(), self.zeros))
    }

    /// `%g`: the shorter form, without zeros at the end.
    fn general(&self, magnitude: f64, precision: usize) -> String {
        let text = exponential(magnitude, precision - 1);
        let exponent: i32 = text
            .split_once('e')
            .and_then(|(_, exponent)| exponent.parse().ok())
            .unwrap_or(0);
        let (body, tail) = if exponent < -4 || exponent >= precision as i32 {
            let (body, _) = text.split_once('e').unwrap_or((&text, ""));
            (body.to_owned(), text[body.len()..].to_owned())
        } else {
            let places = (precision as i32 - 1 - exponent) as usize;
            (format!("{magnitude:.places$}"), String::new())
        };
        let short = match body.contains('.') && !self.alternate {
            true => body.trim_end_matches('0').trim_end_matches('.'),
            false => &body,
        };
        format!("{short}{tail}")
    }

    /// Filled up to the width.
    fn padded(&self, sign: &str, text: &[u8], zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(sign.len() + text.len());
        let mut all = Vec::new();
        let fill = |all: &mut Vec<u8>, byte| all.extend(std::iter::repeat_n(byte, missing));
        if !self.left && !zeros {
            fill(&mut all, b' ');
        }
        all.extend(sign.as_bytes());
        if !self.left && zeros {
            fill(&mut all, b'0');
        }
        all.extend(text);
        if self.left {
            fill(&mut all, b' ');
        }
        all
    }
}

/// As C writes it: two digits of exponent at least, with a sign.
fn exponential(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (body, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{body}e{sign}{:02}", exponent.unsigned_abs())
}
