//! The words of a program: what it compares with, and its strings.

use std::collections::{BTreeSet, HashSet};

use program::{Const, Op, Operand, Program, SiteKind};

use super::scanner;
use crate::rng::Rng;

/// Words of each sort that are kept.
const MOST: usize = 4096;
/// Longest string, in bytes.
const LONGEST: usize = 40;
/// Shortest string of a table, in bytes.
const SHORTEST: usize = 2;
/// Longest word of an input, in bytes.
const LONGEST_WORD: usize = 16;

/// Constants of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dictionary {
    integers: Vec<u128>,
    floats: Vec<f64>,
    /// Bytes that it compares with.
    bytes: Vec<u8>,
    /// Strings that may be words of its language, and all others.
    words: Vec<Vec<u8>>,
    texts: Vec<Vec<u8>>,
    /// What runs compared their input with, and what scanners tell apart.
    asked: Vec<Vec<u8>>,
    /// The same, to be looked up.
    known: HashSet<Vec<u8>>,
}

impl Dictionary {
    pub(super) fn of(program: &Program) -> Dictionary {
        let (mut integers, mut floats) = (BTreeSet::new(), BTreeSet::new());
        let own = program
            .functions
            .values()
            .filter(|function| !function.library);
        for function in own {
            for (block, _) in function.blocks.iter() {
                for (_, inst) in function.insts(block) {
                    if !matches!(inst.op, Op::ICmp { .. } | Op::FCmp { .. } | Op::FBin { .. }) {
                        continue;
                    }
                    inst.op.for_each_operand(|operand| match operand {
                        Operand::Const(Const::Int { bits, value }) => {
                            integers.insert(extended(*bits, *value));
                        }
                        Operand::Const(Const::F32(bits)) => {
                            floats.insert(f64::from(f32::from_bits(*bits)).to_bits());
                        }
                        Operand::Const(Const::F64(bits)) => {
                            floats.insert(*bits);
                        }
                        _ => {}
                    });
                }
            }
        }
        for site in program.sites.values() {
            if let SiteKind::Switch { bits, cases } = &site.kind
                && !program.functions[site.function].library
            {
                integers.extend(cases.iter().map(|&case| extended(*bits, case)));
            }
        }
        let texts: BTreeSet<Vec<u8>> = program
            .globals
            .values()
            .filter_map(|global| global.init.as_ref())
            .flat_map(|init| texts(&init.bytes))
            .map(<[u8]>::to_vec)
            .collect();
        let (words, texts): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| is_word(text));
        let bytes = integers
            .iter()
            .filter_map(|&value| u8::try_from(value).ok());
        let mut dictionary = Dictionary {
            bytes: bytes.collect(),
            integers: integers.into_iter().take(MOST).collect(),
            floats: floats.into_iter().take(MOST).map(f64::from_bits).collect(),
            words: words.into_iter().take(MOST).collect(),
            texts: texts.into_iter().take(MOST).collect(),
            asked: Vec::new(),
            known: HashSet::new(),
        };
        for word in scanner::words(program, LONGEST_WORD) {
            dictionary.add_asked(&word);
        }
        dictionary
    }

    /// Takes note of a text that a run compared its input with.
    pub(super) fn add_asked(&mut self, text: &[u8]) {
        let fits = (1..=LONGEST).contains(&text.len()) && self.asked.len() < MOST;
        if fits && !self.known.contains(text) {
            self.known.insert(text.to_vec());
            self.asked.push(text.to_vec());
        }
    }

    pub(super) fn integer(&self, rng: &mut Rng) -> Option<u128> {
        one(&self.integers, rng).copied()
    }

    pub(super) fn float(&self, rng: &mut Rng) -> Option<f64> {
        one(&self.floats, rng).copied()
    }

    pub(super) fn byte(&self, rng: &mut Rng) -> Option<u8> {
        one(&self.bytes, rng).copied()
    }

    /// A word: most often one that was asked for, seldom a string that does not look like one.
    pub(super) fn text(&self, rng: &mut Rng) -> Option<&[u8]> {
        let sorts = match rng.below(8) {
            0 => [&self.texts, &self.words, &self.asked],
            1..=3 => [&self.words, &self.asked, &self.texts],
            _ => [&self.asked, &self.words, &self.texts],
        };
        let sort = sorts.into_iter().find(|texts| !texts.is_empty())?;
        one(sort, rng).map(Vec::as_slice)
    }
}

fn one<'a, T>(words: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    if words.is_empty() {
        return None;
    }
    Some(&words[rng.below(words.len())])
}

/// A signed constant at the width of the widest value.
fn extended(bits: u32, value: u128) -> u128 {
    if bits == 0 || bits >= 128 || value >> (bits - 1) & 1 == 0 {
        return value;
    }
    value | u128::MAX << bits
}

/// The strings among bytes, without their ends. Tables may hold many, and numbers beside them: a short one is a string only
/// where nothing else is.
fn texts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let pieces = bytes.split(|&byte| byte == 0);
    let is_alone = pieces.clone().filter(|piece| !piece.is_empty()).count() == 1;
    let printable = |byte: &u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    let least = if is_alone { 1 } else { SHORTEST };
    pieces.filter(move |text| (least..=LONGEST).contains(&text.len()) && text.iter().all(printable))
}

/// Whether a string can be a word of the program's input rather than a message or a format.
fn is_word(text: &[u8]) -> bool {
    text.len() <= LONGEST_WORD && !text.iter().any(|byte| b" \t\r\n%".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(bytes: &[u8]) -> Vec<&str> {
        let texts = texts(bytes).map(std::str::from_utf8);
        texts.collect::<Result<_, _>>().expect("text")
    }

    #[test]
    fn tables_hold_strings_beside_numbers() {
        assert_eq!(strings(b"a\0"), ["a"]);
        assert_eq!(
            strings(b"lda\0\xa9\0\0\0ldx\0a\0\0\0jmp"),
            ["lda", "ldx", "jmp"]
        );
        assert_eq!(strings(b"\x07\0b\0"), [""; 0]);
    }

    #[test]
    fn words_are_no_messages() {
        for word in ["while", "<=", "--help", "a.b"] {
            assert!(is_word(word.as_bytes()), "{word}");
        }
        for message in ["no memory", "%s", "a-word-that-is-too-long"] {
            assert!(!is_word(message.as_bytes()), "{message}");
        }
    }

    #[test]
    fn what_was_asked_for_comes_most_often() {
        let mut dictionary = Dictionary {
            words: vec![b"word".to_vec()],
            texts: vec![b"a message".to_vec()],
            ..Dictionary::default()
        };
        dictionary.add_asked(b"asked");
        dictionary.add_asked(b"asked");
        dictionary.add_asked(&[b'a'; 41]);
        assert_eq!(dictionary.asked, [b"asked"]);
        let mut rng = Rng::new(1);
        let mut counts = [0; 3];
        for _ in 0..8_000 {
            let text = dictionary.text(&mut rng).expect("a text");
            counts[["asked", "word", "a message"]
                .iter()
                .position(|known| known.as_bytes() == text)
                .expect("known")] += 1;
        }
        let [asked, words, messages] = counts;
        assert!(
            asked > words && words > messages && messages > 800,
            "{counts:?}"
        );
    }
}
