//! Segments: the concrete steps between two decisions, shared by all paths that have the same ones, in parts or whole.
//!
//! Must hold: equal contents have (but for a hash collision, which costs memory only) the same [`SegmentId`];
//! segment 0 is the empty one.

use program::{EdgeId, FuncId};

use crate::hash::{HashTable, hash_words};

program::entity!(
    /// A stretch of concrete steps.
    SegmentId, "segment"
);

/// A concrete step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Concrete {
    /// An edge was taken. Among the steps of a path also those that something symbolic decided.
    Edge(EdgeId),
    /// A function was entered.
    Call(FuncId),
    /// It returned.
    Return(FuncId),
    /// `setjmp` returned in it.
    Resume(FuncId),
}

/// A step in one word: kind in the top 2 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u32);

const PAYLOAD: u32 = (1 << 30) - 1;

impl Word {
    pub(crate) fn pack(step: Concrete) -> Word {
        let (kind, payload) = match step {
            Concrete::Edge(edge) => (0, edge.as_u32()),
            Concrete::Call(function) => (1, function.as_u32()),
            Concrete::Return(function) => (2, function.as_u32()),
            Concrete::Resume(function) => (3, function.as_u32()),
        };
        assert!(
            payload <= PAYLOAD,
            "ids of edges and functions have 30 bits"
        );
        Word((kind << 30) | payload)
    }

    pub(crate) fn unpack(self) -> Concrete {
        let payload = self.0 & PAYLOAD;
        match self.0 >> 30 {
            0 => Concrete::Edge(EdgeId::from_u32(payload)),
            1 => Concrete::Call(FuncId::from_u32(payload)),
            2 => Concrete::Return(FuncId::from_u32(payload)),
            _ => Concrete::Resume(FuncId::from_u32(payload)),
        }
    }

    pub(crate) fn edge(self) -> Option<EdgeId> {
        (self.0 <= PAYLOAD).then(|| EdgeId::from_u32(self.0))
    }
}

/// Owns all segments.
///
/// One of many words is a list of short ones: what an interpreter does behind the last decision of a run may be thousands of
/// steps, different in each run, and yet the same few loops. Where a list is cut depends on the words there, so that equal
/// stretches have equal parts wherever they stand.
#[derive(Debug)]
pub(crate) struct Segments {
    words: Vec<u32>,
    /// Short segment `i` is `words[ends[i - 1]..ends[i]]`.
    ends: Vec<u32>,
    parts: Vec<Part>,
    /// Long segment `i` is `parts[lists[i - 1]..lists[i]]`.
    lists: Vec<u32>,
    known: HashTable<SegmentId>,
}

/// A short segment in a long one.
#[derive(Clone, Copy, Debug)]
struct Part {
    short: SegmentId,
    /// Words of the long one up to its end.
    end: u32,
}

/// Words of a short segment, at most.
const SHORT: usize = 64;
/// One word in so many ends a part.
const CUT: u32 = 16;
/// Bit of the id of a long one.
const LONG: u32 = 1 << 31;

impl Default for Segments {
    fn default() -> Self {
        Segments {
            words: Vec::new(),
            ends: vec![0],
            parts: Vec::new(),
            lists: Vec::new(),
            known: HashTable::default(),
        }
    }
}

/// What a segment consists of.
enum Content<'a> {
    Short(&'a [u32]),
    Long(&'a [Part]),
}

/// Item `index` of many that stand one behind the other and end there.
fn stretch<'a, T>(all: &'a [T], ends: &[u32], index: usize) -> &'a [T] {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &all[start as usize..ends[index] as usize]
}

impl Segments {
    fn content(&self, id: SegmentId) -> Content<'_> {
        match id.as_u32() & LONG {
            0 => Content::Short(stretch(&self.words, &self.ends, id.index())),
            _ => Content::Long(stretch(
                &self.parts,
                &self.lists,
                (id.as_u32() & !LONG) as usize,
            )),
        }
    }

    fn short(&self, id: SegmentId) -> &[u32] {
        stretch(&self.words, &self.ends, id.index())
    }

    pub(crate) fn len_of(&self, id: SegmentId) -> u32 {
        match self.content(id) {
            Content::Short(words) => words.len() as u32,
            Content::Long(parts) => parts.last().map_or(0, |part| part.end),
        }
    }

    /// Are these words the segment's first ones, all of them?
    pub(crate) fn begins(&self, id: SegmentId, words: &[u32]) -> bool {
        match self.content(id) {
            Content::Short(own) => words.starts_with(own),
            Content::Long(parts) => {
                let mut from = 0;
                parts.iter().all(|part| {
                    let own = words.get(from..part.end as usize);
                    from = part.end as usize;
                    own == Some(self.short(part.short))
                })
            }
        }
    }

    /// Are these the segment's words?
    pub(crate) fn is(&self, id: SegmentId, words: &[u32]) -> bool {
        self.len_of(id) as usize == words.len() && self.begins(id, words)
    }

    /// The word at a place.
    pub(crate) fn word(&self, id: SegmentId, place: u32) -> Word {
        match self.content(id) {
            Content::Short(words) => Word(words[place as usize]),
            Content::Long(parts) => {
                let index = parts.partition_point(|part| part.end <= place);
                let part = parts[index];
                let words = self.short(part.short);
                Word(words[words.len() - (part.end - place) as usize])
            }
        }
    }

    /// The last edge before a place, and where it stands.
    pub(crate) fn edge_before(&self, id: SegmentId, place: u32) -> Option<(u32, EdgeId)> {
        let last_of = |words: &[u32]| {
            let found = words
                .iter()
                .rposition(|&word| Word(word).edge().is_some())?;
            Some((found as u32, Word(words[found]).edge()?))
        };
        match self.content(id) {
            Content::Short(words) => last_of(&words[..place as usize]),
            Content::Long(parts) => {
                let index = parts.partition_point(|part| part.end < place);
                let parts = &parts[..parts.len().min(index + 1)];
                parts.iter().rev().find_map(|part| {
                    let words = self.short(part.short);
                    let start = part.end - words.len() as u32;
                    let near = place.saturating_sub(start).min(words.len() as u32);
                    let (found, edge) = last_of(&words[..near as usize])?;
                    Some((start + found, edge))
                })
            }
        }
    }

    pub(crate) fn intern(&mut self, words: &[u32]) -> SegmentId {
        if words.is_empty() {
            return SegmentId::from_u32(0);
        }
        let hash = hash_words(words);
        if let Some(&known) = self.known.get(&hash)
            && self.is(known, words)
        {
            return known;
        }
        let id = if words.len() <= SHORT {
            self.words.extend_from_slice(words);
            new_id(&mut self.ends, self.words.len())
        } else {
            let mut end = 0;
            for part in cut(words) {
                end += part.len() as u32;
                let short = self.intern(part);
                self.parts.push(Part { short, end });
            }
            SegmentId::from_u32(new_id(&mut self.lists, self.parts.len()).as_u32() | LONG)
        };
        self.known.insert(hash, id);
        id
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.words.capacity() + self.ends.capacity() + self.lists.capacity()) * size_of::<u32>()
            + self.parts.capacity() * size_of::<Part>()
            + self.known.capacity() * (size_of::<(u64, SegmentId)>() + 1)
    }
}

/// The id of what is added behind others, and ends there.
fn new_id(ends: &mut Vec<u32>, end: usize) -> SegmentId {
    let index = u32::try_from(ends.len()).expect("fewer than 2^32 segments");
    assert!(index < LONG, "ids of segments have 31 bits");
    ends.push(u32::try_from(end).expect("segments have fewer than 2^32 words"));
    SegmentId::from_u32(index)
}

/// Parts of many words, none of them empty or too long.
fn cut(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    // The upper bits of a product depend on all bits of a factor.
    let ends = |word: u32| word.wrapping_mul(0x9e37_79b1) >> (32 - CUT.ilog2()) == 0;
    let mut rest = words;
    std::iter::from_fn(move || {
        let most = &rest[..rest.len().min(SHORT)];
        let (part, behind) = rest.split_at(
            most.iter()
                .position(|&word| ends(word))
                .map_or(most.len(), |last| last + 1),
        );
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_segments_are_one() {
        let mut segments = Segments::default();
        let empty = segments.intern(&[]);
        let a = segments.intern(&[1, 2, 3]);
        let b = segments.intern(&[4]);
        assert_eq!(segments.intern(&[1, 2, 3]), a);
        assert!(segments.is(a, &[1, 2, 3]) && segments.is(b, &[4]) && segments.is(empty, &[]));
        assert!(!segments.is(a, &[1, 2, 4]) && !segments.is(a, &[1, 2]));
        assert_eq!(
            (
                segments.len_of(empty),
                segments.len_of(a),
                segments.len_of(b)
            ),
            (0, 3, 1)
        );
    }

    /// Long ones, with stretches that come again and others that are new, are what they would be in one piece.
    #[test]
    fn long_segments_are_their_words() {
        let mut segments = Segments::default();
        let mut state = 1_u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let call = Word::pack(Concrete::Call(FuncId::from_u32(7))).0;
        let round: Vec<u32> = (0..100).map(|_| draw(500)).collect();
        for length in 0..300_usize {
            let mut words: Vec<u32> = Vec::new();
            while words.len() < length {
                match draw(4) {
                    0 => words.push(call),
                    1 => words.push(draw(500)),
                    _ => words.extend(&round[..draw(100) as usize]),
                }
            }
            let id = segments.intern(&words);
            assert_eq!(segments.intern(&words), id);
            assert_eq!(segments.len_of(id) as usize, words.len());
            assert!(segments.is(id, &words));
            for place in 0..words.len() {
                assert_eq!(segments.word(id, place as u32).0, words[place]);
                let before = words[..place].iter().rposition(|&word| word != call);
                let edge = segments.edge_before(id, place as u32);
                assert_eq!(
                    edge,
                    before.map(|at| (at as u32, EdgeId::from_u32(words[at])))
                );
                let mut other = words.clone();
                other[place] ^= 1;
                assert!(!segments.is(id, &other) && !segments.begins(id, &other));
            }
            let mut more = words.clone();
            more.push(1);
            assert!(segments.begins(id, &more) && !segments.is(id, &more));
            assert!(words.is_empty() || !segments.begins(id, &words[1..]));
        }
    }

    #[test]
    fn rounds_of_a_loop_are_kept_once() {
        let mut segments = Segments::default();
        let round: Vec<u32> = (0..200).collect();
        segments.intern(&round);
        let one = segments.words.len();
        for rounds in 2..50 {
            segments.intern(&round.repeat(rounds));
        }
        assert!(segments.words.len() <= 3 * one, "{}", segments.words.len());
    }

    #[test]
    fn words_unpack() {
        for step in [
            Concrete::Edge(EdgeId::from_u32(7)),
            Concrete::Call(FuncId::from_u32(1)),
            Concrete::Return(FuncId::from_u32(2)),
            Concrete::Resume(FuncId::from_u32(3)),
        ] {
            assert_eq!(Word::pack(step).unpack(), step);
        }
        assert_eq!(
            Word::pack(Concrete::Edge(EdgeId::from_u32(7))).edge(),
            Some(EdgeId::from_u32(7))
        );
        assert_eq!(Word::pack(Concrete::Call(FuncId::from_u32(7))).edge(), None);
    }
}
