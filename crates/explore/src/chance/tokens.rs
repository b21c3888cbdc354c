//! Text as a sequence of tokens, and random changes of whole tokens (*token-level fuzzing*, Salls et al., USENIX Security 2021).
//!
//! A change of a byte breaks a word that a parser needed. A change of a token leaves the rest of the input as it is, and what stood in
//! an input that showed something new is likely to mean something in another place. Nothing is known of the language: a token is a
//! run of letters and digits, a run of blanks, or one other byte.
//!
//! Must hold: the same inputs and the same numbers give the same changes; tokens are kept in the order in which they came.

use std::collections::HashSet;
use std::ops::Range;

use crate::rng::Rng;

/// Tokens that are kept.
const MOST: usize = 4096;
/// Longest token that is kept, in bytes.
const LONGEST: usize = 32;
/// Tokens of a block that is moved or copied, at most.
const BLOCK: usize = 8;
/// Of so many bytes of text, one may be none.
const STRANGE: usize = 8;

/// Tokens of inputs that showed something new, and of texts that the program compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    known: HashSet<Box<[u8]>>,
    list: Vec<Box<[u8]>>,
}

impl Tokens {
    /// Keeps what is new among the tokens of a text.
    pub(super) fn learn(&mut self, text: &[u8]) {
        if is_text(text) {
            for piece in pieces(text) {
                self.add(&text[piece]);
            }
        }
    }

    /// Keeps a text as it is.
    pub(super) fn learn_word(&mut self, text: &[u8]) {
        if is_text(text) {
            self.add(text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn add(&mut self, token: &[u8]) {
        if (1..=LONGEST).contains(&token.len())
            && self.list.len() < MOST
            && !self.known.contains(token)
        {
            self.known.insert(token.into());
            self.list.push(token.into());
        }
    }

    fn any(&self, rng: &mut Rng) -> Option<&[u8]> {
        let count = self.list.len();
        (count > 0).then(|| &*self.list[rng.below(count)])
    }

    /// Changes a text by whole tokens, with tokens that are known and with blocks of another text.
    pub(super) fn change(&self, rng: &mut Rng, text: &mut Vec<u8>, other: &[u8]) {
        let own: Vec<Range<usize>> = pieces(text).collect();
        let from = block(rng, &own);
        let to = place(rng, &own, text.len());
        match rng.below(8) {
            0 | 1 => {
                if let (Some(old), Some(new)) = (one(rng, &own), self.any(rng)) {
                    text.splice(old, new.iter().copied());
                }
            }
            2 => {
                if let Some(new) = self.any(rng) {
                    text.splice(to..to, new.iter().copied());
                }
            }
            3 => {
                text.drain(from);
            }
            4 => {
                let copy = text[from].to_vec();
                text.splice(to..to, copy);
            }
            5 | 6 => {
                let theirs: Vec<Range<usize>> = pieces(other).collect();
                let copy = other[block(rng, &theirs)].iter().copied();
                let old = if rng.below(2) == 0 { to..to } else { from };
                text.splice(old, copy);
            }
            _ => {
                // One token of the text in place of another: names come again.
                if let (Some(old), Some(new)) = (one(rng, &own), one(rng, &own)) {
                    let copy = text[new].to_vec();
                    text.splice(old, copy);
                }
            }
        }
    }
}

/// Whether bytes are text.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let strange =
        |byte: &&u8| !(byte.is_ascii_graphic() || byte.is_ascii_whitespace() || **byte >= 0x80);
    STRANGE * bytes.iter().filter(strange).count() <= bytes.len()
}

/// The tokens of a text, one behind the other.
fn pieces(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let kind = kind(*text.get(at)?);
        let rest = text[at..].iter();
        let length = match kind {
            Kind::Sign => 1,
            _ => rest.take_while(|&&byte| self::kind(byte) == kind).count(),
        };
        at += length;
        Some(at - length..at)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    Sign,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'_' | 0x80.. => Kind::Word,
        _ if byte.is_ascii_alphanumeric() => Kind::Word,
        b' ' | b'\t' => Kind::Blank,
        _ => Kind::Sign,
    }
}

fn one(rng: &mut Rng, pieces: &[Range<usize>]) -> Option<Range<usize>> {
    (!pieces.is_empty()).then(|| pieces[rng.below(pieces.len())].clone())
}

/// Some tokens in a row, short rows more often.
fn block(rng: &mut Rng, pieces: &[Range<usize>]) -> Range<usize> {
    if pieces.is_empty() {
        return 0..0;
    }
    let first = rng.below(pieces.len());
    let count = 1 + rng.below(BLOCK).min(rng.below(BLOCK));
    let last = (first + count).min(pieces.len()) - 1;
    pieces[first].start..pieces[last].end
}

/// A place between tokens.
fn place(rng: &mut Rng, pieces: &[Range<usize>], end: usize) -> usize {
    let index = rng.below(pieces.len() + 1);
    pieces.get(index).map_or(end, |piece| piece.start)
}
