//! Segments: the concrete steps between two decisions, shared by all paths that have the same ones.
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
#[derive(Debug)]
pub(crate) struct Segments {
    words: Vec<u32>,
    /// Segment `i` is `words[ends[i - 1]..ends[i]]`.
    ends: Vec<u32>,
    known: HashTable<SegmentId>,
}

impl Default for Segments {
    fn default() -> Self {
        Segments {
            words: Vec::new(),
            ends: vec![0],
            known: HashTable::default(),
        }
    }
}

impl Segments {
    pub(crate) fn get(&self, id: SegmentId) -> &[u32] {
        let index = id.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.words[start as usize..self.ends[index] as usize]
    }

    pub(crate) fn len_of(&self, id: SegmentId) -> u32 {
        let index = id.index();
        if index == 0 {
            0
        } else {
            self.ends[index] - self.ends[index - 1]
        }
    }

    pub(crate) fn intern(&mut self, words: &[u32]) -> SegmentId {
        if words.is_empty() {
            return SegmentId::from_u32(0);
        }
        let hash = hash_words(words);
        if let Some(&known) = self.known.get(&hash)
            && self.get(known) == words
        {
            return known;
        }
        let id =
            SegmentId::from_u32(u32::try_from(self.ends.len()).expect("fewer than 2^32 segments"));
        self.words.extend_from_slice(words);
        self.ends
            .push(u32::try_from(self.words.len()).expect("segments have fewer than 2^32 words"));
        self.known.insert(hash, id);
        id
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.words.capacity() + self.ends.capacity()) * size_of::<u32>()
            + self.known.capacity() * (size_of::<(u64, SegmentId)>() + 1)
    }
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
        assert_eq!(segments.get(a), [1, 2, 3]);
        assert_eq!(segments.get(b), [4]);
        assert_eq!(segments.get(empty), [0; 0]);
        assert_eq!(
            (
                segments.len_of(empty),
                segments.len_of(a),
                segments.len_of(b)
            ),
            (0, 3, 1)
        );
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
