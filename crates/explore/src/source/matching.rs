//! Inputs that say what the program asked for: where a run compared text of its input with other text, the input with that text in
//! its place, longer or shorter as it may be.
//!
//! The solver flips a comparison only along the path that led to it, on which the text has the length that it has; what a
//! parser of keywords wants most often has another. This is the *input-to-state correspondence* of RedQueen (Aschermann et
//! al., NDSS 2019, III-A); labels say which bytes of the input they are, so nothing has to be guessed.
//!
//! These inputs have every other turn while there are new texts, then every fourth; fewer when they find less than the other runs do.
//!
//! Must hold: a comparison is used when its text is new, and again for each run that was new in some other way, once; the order
//! depends on nothing but the runs.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use path::{Compared, InputVector};

use super::{Entry, News, Proposal, Scene, Source, Told, Turn};
use crate::campaign::job::KeptTest;
use crate::pace::Rule;
use crate::view::View;
use crate::wishes::{Change, Splice, Wishes};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "matching",
    summary: "text that the program compared its input with, in its place",
    watches: false,
    slices: false,
    make: |_| Box::new(Matching::default()),
};

/// Comparisons of one run that are used.
const MOST_OF_RUN: usize = 256;
/// Texts that are told from new ones: a program may compare with what it computes.
const MOST_KNOWN: usize = 1 << 16;
/// Turns for one input: while there are new texts, and when there are none.
const EVERY: [f64; 2] = [2.0, 4.0];
const RULE: Rule = Rule {
    fewer: 16.0,
    sharp: 1,
};

/// Makes inputs from the texts that runs compared.
#[derive(Debug)]
struct Matching {
    wishes: Wishes,
    /// Texts that were compared with, each with the length of what was there.
    known: HashSet<(Box<[u8]>, u32)>,
}

impl Default for Matching {
    fn default() -> Matching {
        Matching {
            wishes: Wishes::new(EVERY, RULE),
            known: HashSet::new(),
        }
    }
}

impl Matching {
    /// A run made these comparisons; `is_new` when it was new in some other way.
    fn note(&mut self, input: &InputVector, compared: &[Compared], is_new: bool) {
        if compared.is_empty() {
            return;
        }
        let parent = Arc::new(input.clone());
        let once: BTreeSet<&Compared> = compared.iter().collect();
        for compared in once.into_iter().take(MOST_OF_RUN) {
            let key = (compared.wanted.clone(), compared.length);
            let new_text = self.known.len() < MOST_KNOWN && self.known.insert(key);
            if new_text || is_new {
                let splice = Splice {
                    stream: compared.stream,
                    first: compared.first,
                    length: compared.length,
                    bytes: compared.wanted.clone(),
                };
                self.wishes.add(&parent, Change::Splice(splice), new_text);
            }
        }
    }
}

impl Source for Matching {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        self.wishes.propose(scene, turn)
    }

    fn glance(&mut self, _tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        (turn == Turn::Regular)
            .then(|| self.wishes.next())
            .flatten()
    }

    fn on_run(&mut self, _view: &View<'_>, news: &News<'_>) {
        let run = news.run;
        self.note(&run.input, &run.compared, news.is_new);
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        if let (Some(input), true) = (told.input, told.ran) {
            self.wishes.credit(input, told.is_new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::{Role, Stream};

    /// What nobody has asked for yet comes first, and nothing twice from one run.
    #[test]
    fn new_texts_come_first() {
        let input = InputVector {
            values: Vec::new(),
            streams: vec![Stream {
                id: 1,
                role: Role::Stdin,
                name: "".into(),
                bytes: b"ab".to_vec(),
                min: 0,
                max: 8,
                used: 0,
            }],
        };
        let compared = |wanted: &str| Compared {
            stream: 1,
            first: 0,
            length: 2,
            wanted: wanted.as_bytes().into(),
        };
        let mut matching = Matching::default();
        let (one, two) = (compared("one"), compared("two"));
        matching.note(&input, &[one.clone(), one.clone()], false);
        let wishes = &mut matching.wishes;
        assert!(!wishes.is_due() && wishes.is_due());
        assert!(wishes.next().is_some() && wishes.next().is_none());
        matching.note(&input, &[one.clone(), two], true);
        let next = matching.wishes.next().expect("an input");
        assert_eq!(next.streams[0].bytes, b"two");
        assert!(matching.wishes.next().is_some() && matching.wishes.is_empty());
        matching.note(&input, &[one], false);
        assert!(matching.wishes.is_empty());
    }
}
