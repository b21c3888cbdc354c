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
    pub fn formatted(&self, format: u64, args: &[Register]) -> Made<Option<Vec<u8>>> {
        let format = self.string(format, usize::MAX)?;
        let mut rest = format.as_slice();
        let mut args = args.iter();
        let mut text = Vec::new();
        while let [first, tail @ ..] = rest {
            rest = tail;
            if *first != b'%' {
                text.push(*first);
                continue;
            }
            let Some((conversion, letter, tail)) = self.conversion(rest, &mut args) else {
                return Ok(None);
            };
            rest = tail;
            if letter == b'%' {
                text.push(b'%');
                continue;
            }
            let Some(arg) = args.next() else {
                return Ok(None);
            };
            let Some(made) = self.converted(&conversion, letter, arg)? else {
                return Ok(None);
            };
            text.extend(made);
        }
        Ok(Some(text))
    }

    fn conversion<'f>(
        &self,
        mut rest: &'f [u8],
        args: &mut std::slice::Iter<'_, Register>,
    ) -> Option<(Conversion, u8, &'f [u8])> {
        let mut conversion = Conversion {
            bits: 32,
            ..Conversion::default()
        };
        loop {
            match rest.first()? {
                b'-' => conversion.left = true,
                b'0' => conversion.zeros = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternate = true,
                _ => break,
            }
            rest = &rest[1..];
        }
        let mut number = |rest: &mut &'f [u8]| -> Option<usize> {
            if rest.first() == Some(&b'*') {
                *rest = &rest[1..];
                return usize::try_from(args.next()?.word() as i32).ok();
            }
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let text = std::str::from_utf8(&rest[..digits]).ok()?;
            *rest = &rest[digits..];
            if text.is_empty() {
                Some(0)
            } else {
                text.parse().ok()
            }
        };
        conversion.width = number(&mut rest)?;
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            conversion.precision = Some(number(&mut rest)?);
        }
        let long = self.program.layout.pointer_bits;
        loop {
            conversion.bits = match (rest.first()?, rest.get(1)) {
                (b'l', Some(b'l')) | (b'j', _) => 64,
                (b'l' | b'z' | b't', _) if conversion.bits != 64 => long,
                (b'h', Some(b'h')) => 8,
                (b'h', _) if conversion.bits != 8 => 16,
                (b'l' | b'z' | b't' | b'h', _) => conversion.bits,
                (letter, _) => return Some((conversion, *letter, &rest[1..])),
            };
            rest = &rest[1..];
        }
    }

    fn converted(
        &self,
        conversion: &Conversion,
        letter: u8,
        arg: &Register,
    ) -> Made<Option<Vec<u8>>> {
        let word = arg.word() & (u64::MAX >> (64 - conversion.bits));
        let (sign, digits) = match letter {
            b'c' => return Ok(Some(conversion.padded("", &[word as u8], false))),
            b's' => {
                let most = conversion.precision.unwrap_or(usize::MAX);
                let text = self.string(arg.word(), most)?;
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
            b'p' => ("0x", format!("{:x}", arg.word())),
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
