//! Random changes of texts: bytes, words, tokens, lines, and parts of another text.
//!
//! Each kind of change has a fixed weight: by what each found lately (MOpt, Lyu et al., USENIX Security 2019) no more was found.

use super::dictionary::Dictionary;
use super::values;
use crate::rng::Rng;

/// What texts are cut into tokens and lines with.
const MARKS: &[u8] = b" \n\0\t,;:=.-+0a\"'()[]{}<>/";
/// What a text may grow to in half of all changes, in bytes.
const SHORT: usize = 16;
/// Kinds that are tried for one change.
const TRIES: u32 = 4;

/// What is changed.
struct Change<'a> {
    rng: &'a mut Rng,
    words: &'a Dictionary,
    bytes: &'a mut Vec<u8>,
    other: &'a [u8],
    /// Where, at most the length.
    at: usize,
}

/// The kinds of changes, those that pay most more than once.
const KINDS: [fn(&mut Change<'_>) -> Option<()>; 20] = [
    |change| change.near_byte(),
    |change| change.byte(),
    |change| change.asked_byte(),
    |change| change.word_over(),
    |change| change.word(),
    |change| change.word(),
    |change| change.remove(),
    |change| change.copy(),
    |change| change.mark(),
    |change| change.tail(),
    |change| change.part(),
    |change| change.part_over(),
    |change| change.token(),
    |change| change.token(),
    |change| change.token(),
    |change| change.remove_token(),
    |change| change.again(),
    |change| change.cut(),
    |change| change.line(),
    |change| change.number(),
];

/// How long a text may become that was shorter, in bytes. Most changes make it longer, but a short text is right more often,
/// and each change of it matters more.
pub(super) fn limit(rng: &mut Rng) -> usize {
    let doublings = rng.bits().trailing_ones().min(16);
    SHORT << doublings
}

/// Changes a text in one way.
pub(super) fn change(rng: &mut Rng, words: &Dictionary, bytes: &mut Vec<u8>, other: &[u8]) {
    // There may be nothing to change in one way or another.
    for _ in 0..TRIES {
        let kind = KINDS[rng.below(KINDS.len())];
        let at = rng.below(bytes.len() + 1);
        let mut change = Change {
            rng,
            words,
            bytes,
            other,
            at,
        };
        if kind(&mut change).is_some() {
            return;
        }
    }
}

impl Change<'_> {
    /// The end of so many bytes from the place on, as far as there are any.
    fn end_of(&self, length: usize) -> usize {
        (self.at + length).min(self.bytes.len())
    }

    fn near_byte(&mut self) -> Option<()> {
        let byte = self.bytes.get_mut(self.at)?;
        *byte = values::near(self.rng, *byte);
        Some(())
    }

    fn byte(&mut self) -> Option<()> {
        *self.bytes.get_mut(self.at)? = values::byte(self.rng);
        Some(())
    }

    /// A byte that the program compares with.
    fn asked_byte(&mut self) -> Option<()> {
        let new = self.words.byte(self.rng)?;
        if self.rng.below(2) == 0 {
            self.bytes.insert(self.at, new);
        } else {
            *self.bytes.get_mut(self.at)? = new;
        }
        Some(())
    }

    fn word_over(&mut self) -> Option<()> {
        let text = self.words.text(self.rng)?;
        let end = self.end_of(text.len());
        self.bytes[self.at..end].copy_from_slice(&text[..end - self.at]);
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let text = self.words.text(self.rng)?;
        self.bytes.splice(self.at..self.at, text.iter().copied());
        Some(())
    }

    fn remove(&mut self) -> Option<()> {
        let length = 1 + self.rng.below(8);
        let end = self.end_of(length);
        self.bytes.drain(self.at..end);
        (end > self.at).then_some(())
    }

    fn copy(&mut self) -> Option<()> {
        let length = 1 + self.rng.below(16);
        let block = self.bytes[self.at..self.end_of(length)].to_vec();
        let to = self.rng.below(self.bytes.len() + 1);
        self.bytes.splice(to..to, block);
        Some(())
    }

    fn mark(&mut self) -> Option<()> {
        self.bytes
            .insert(self.at, MARKS[self.rng.below(MARKS.len())]);
        Some(())
    }

    /// The rest is the other text's.
    fn tail(&mut self) -> Option<()> {
        let from = self.at.min(self.other.len());
        self.bytes.truncate(self.at);
        self.bytes.extend_from_slice(&self.other[from..]);
        Some(())
    }

    /// Some bytes of the other text.
    fn others(&mut self) -> Option<Vec<u8>> {
        if self.other.is_empty() {
            return None;
        }
        let from = self.rng.below(self.other.len());
        let end = (from + 1 + self.rng.below(24)).min(self.other.len());
        Some(self.other[from..end].to_vec())
    }

    fn part(&mut self) -> Option<()> {
        let part = self.others()?;
        self.bytes.splice(self.at..self.at, part);
        Some(())
    }

    fn part_over(&mut self) -> Option<()> {
        let part = self.others()?;
        let end = self.end_of(part.len());
        self.bytes.splice(self.at..end, part);
        Some(())
    }

    /// A token is another one: a word, or one of the other text.
    fn token(&mut self) -> Option<()> {
        let (first, end) = token_at(self.bytes, self.at)?;
        let new = match self.rng.below(2) {
            0 => self.words.text(self.rng)?.to_vec(),
            _ => {
                let at = self.rng.below(self.other.len().max(1));
                let (first, end) = token_at(self.other, at)?;
                self.other[first..end].to_vec()
            }
        };
        self.bytes.splice(first..end, new);
        Some(())
    }

    fn remove_token(&mut self) -> Option<()> {
        let (first, end) = token_at(self.bytes, self.at)?;
        self.bytes.drain(first..end);
        Some(())
    }

    /// A byte many times.
    fn again(&mut self) -> Option<()> {
        let byte = *self.bytes.get(self.at)?;
        let times = 1 + self.rng.below(16);
        self.bytes
            .splice(self.at..self.at, std::iter::repeat_n(byte, times));
        Some(())
    }

    fn cut(&mut self) -> Option<()> {
        let is_shorter = self.at < self.bytes.len();
        self.bytes.truncate(self.at);
        is_shorter.then_some(())
    }

    /// A line less, or none but this one.
    fn line(&mut self) -> Option<()> {
        let is_end = |byte: &u8| *byte == b'\n';
        let first = self.bytes[..self.at]
            .iter()
            .rposition(is_end)
            .map_or(0, |end| end + 1);
        let end = self.bytes[self.at..]
            .iter()
            .position(is_end)
            .map_or(self.bytes.len(), |length| self.at + length + 1);
        if first == end || end - first == self.bytes.len() {
            return None;
        }
        if self.rng.below(2) == 0 {
            self.bytes.drain(first..end);
        } else {
            *self.bytes = self.bytes[first..end].to_vec();
        }
        Some(())
    }

    /// Digits are those of another number.
    fn number(&mut self) -> Option<()> {
        let first = (self.at..self.bytes.len()).find(|&at| self.bytes[at].is_ascii_digit())?;
        let digits = self.bytes[first..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        let end = first + digits.count();
        let new = match self.rng.below(4) {
            0 => self.words.integer(self.rng).unwrap_or(0) as i64,
            1 => self.rng.below(300) as i64,
            2 => 1_i64 << self.rng.below(63),
            _ => self.rng.below(11) as i64 - 1,
        };
        self.bytes.splice(first..end, new.to_string().into_bytes());
        Some(())
    }
}

/// First byte and end of the token that a place is in: letters and digits together, others one by one.
fn token_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    if !is_of_word(*text.get(at)?) {
        return Some((at, at + 1));
    }
    let first = text[..at]
        .iter()
        .rposition(|&byte| !is_of_word(byte))
        .map_or(0, |before| before + 1);
    let end = text[at..]
        .iter()
        .position(|&byte| !is_of_word(byte))
        .map_or(text.len(), |length| at + length);
    Some((first, end))
}
