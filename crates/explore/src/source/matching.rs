//! Inputs that say what the program asked for: where a run compared text of its input with other text, the input with that text in
//! its place, longer or shorter as it may be.
//!
//! The solver flips a comparison only along the path that led to it, on which the text has the length that it has; what a
//! parser of keywords wants most often has another. This is the *input-to-state correspondence* of RedQueen (Aschermann et
//! al., NDSS 2019, III-A); labels say which bytes of the input they are, so nothing has to be guessed. Text that the program computed
//! from its input is [`crate::decoding`]'s.
//!
//! These inputs have every other turn while there are new texts, then every fourth; fewer when they find less than the other runs do.
//!
//! Must hold: a comparison is used when its text is new, and again for each run that was new in some other way, once; the order
//! depends on nothing but the runs.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use path::vars::{VALUES, input_of};
use path::{Compared, InputVector, Run, RunFlags};
use smt::{Pool, Term};

use crate::decoding::Decoding;

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
    is_random: false,
    slices: false,
    looks_back: false,
    make: |_| Box::new(Matching::default()),
};

/// Comparisons of one run that are used.
const MOST_OF_RUN: usize = 256;
/// Texts that are told from new ones: a program may compare with what it computes.
const MOST_KNOWN: usize = 1 << 16;
/// Turns for one input: while there are new texts, and when there are none.
const EVERY: [f64; 2] = [2.0, 4.0];

/// Makes inputs from the texts that runs compared.
#[derive(Debug)]
struct Matching {
    wishes: Wishes,
    /// Texts that were compared with, each with the length of what was there.
    known: HashSet<(Box<[u8]>, u32)>,
    decoding: Decoding,
}

impl Default for Matching {
    fn default() -> Matching {
        Matching {
            wishes: Wishes::new(EVERY, Rule::USUAL),
            known: HashSet::new(),
            decoding: Decoding::default(),
        }
    }
}

impl Matching {
    /// Takes note of what a run compared; `is_new` when it was new in some other way.
    fn note(&mut self, pool: &Pool, run: &Run, is_new: bool) {
        if run.compared.is_empty() {
            return;
        }
        let parent = Arc::new(run.input.clone());
        let once: BTreeSet<&Compared> = run.compared.iter().collect();
        for compared in once.into_iter().take(MOST_OF_RUN) {
            let length = compared.text.len() as u32;
            let place = piece(pool, &compared.text);
            // It would end behind the last value that the run may ask for: another run compares with the same text where there is room.
            if place.is_some_and(|place| !has_room(run, place, &compared.wanted)) {
                continue;
            }
            let key = (compared.wanted.clone(), length);
            let new_text = self.known.len() < MOST_KNOWN && self.known.insert(key);
            let is_new = new_text || is_new;
            let decoding = &mut self.decoding;
            for (input, splice) in decoding.note(pool, run, &parent, compared, is_new) {
                self.wishes.add(&input, Change::Splice(splice), true);
            }
            if is_new && let Some((stream, first)) = place {
                let splice = Splice {
                    stream,
                    first,
                    length,
                    bytes: compared.wanted.clone(),
                };
                self.wishes.add(&parent, Change::Splice(splice), new_text);
            }
        }
    }
}

/// Whether a text in that place, and what ends it, are asked for before the run is ended.
fn has_room(run: &Run, (stream, first): (u32, u32), text: &[u8]) -> bool {
    let is_ended = stream == VALUES && run.flags.contains(RunFlags::INPUTS_TRUNCATED);
    !is_ended || first as usize + text.len() < run.input.values.len()
}

/// Stream and position of the piece of input that a text is of, byte for byte.
fn piece(pool: &Pool, text: &[Term]) -> Option<(u32, u32)> {
    let mut at = None;
    for (index, &term) in (0..).zip(text) {
        let [var] = pool.vars(term)[..] else {
            return None;
        };
        let (stream, position) = input_of(var);
        let first = position.checked_sub(index)?;
        if *at.get_or_insert((stream, first)) != (stream, first) {
            return None;
        }
    }
    at
}

impl Source for Matching {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        self.wishes.propose(scene, turn)
    }

    fn glance(&mut self, _tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        self.wishes.glance(turn)
    }

    fn on_run(&mut self, _view: &View<'_>, news: &News<'_>) {
        self.note(news.pool, news.run, news.is_new);
    }

    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        self.wishes.told(told);
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::vars::{STDIN, var_of};
    use path::{Cond, Outcome, RunFlags, Step};
    use path::{InputVector, Role, Stream};
    use program::EdgeId;
    use smt::Op;

    fn run(text: &[u8], compared: Vec<Compared>) -> Run {
        Run {
            steps: Vec::new(),
            outcome: Outcome::Exited(0),
            input: InputVector {
                values: Vec::new(),
                streams: vec![Stream {
                    id: STDIN,
                    role: Role::Stdin,
                    name: "".into(),
                    bytes: text.to_vec(),
                    min: 0,
                    max: 16,
                    used: 0,
                }],
            },
            flags: RunFlags::default(),
            losses: Vec::new(),
            late_edges: Vec::new(),
            late_functions: Vec::new(),
            compared,
            near: Vec::new(),
        }
    }

    fn made(matching: &mut Matching) -> Vec<String> {
        let each = std::iter::from_fn(|| matching.wishes.next());
        each.map(|input| String::from_utf8_lossy(&input.streams[0].bytes).into_owned())
            .collect()
    }

    /// What nobody has asked for yet comes first, and nothing twice from one run.
    #[test]
    fn new_texts_come_first() {
        let mut pool = Pool::new();
        let text: Box<[Term]> = (0..2).map(|at| pool.var(var_of(STDIN, at), 8)).collect();
        let compared = |wanted: &str| Compared {
            text: text.clone(),
            wanted: wanted.as_bytes().into(),
        };
        let mut matching = Matching::default();
        let (one, two) = (compared("one"), compared("two"));
        matching.note(&pool, &run(b"ab", vec![one.clone(), one.clone()]), false);
        assert!(!matching.wishes.is_due() && matching.wishes.is_due());
        assert_eq!(made(&mut matching), ["one"]);
        matching.note(&pool, &run(b"ab", vec![one.clone(), two]), true);
        assert_eq!(made(&mut matching), ["two", "one"]);
        matching.note(&pool, &run(b"ab", vec![one]), false);
        assert!(matching.wishes.is_empty());
    }

    /// A text that a run compares with at its very end has no room there. It is as new as ever where there is.
    #[test]
    fn a_text_that_would_be_cut_off_waits_for_a_run_with_room() {
        let mut pool = Pool::new();
        let mut matching = Matching::default();
        let mut ended = |matching: &mut Matching, at: u32, flags: RunFlags| {
            let compared = Compared {
                text: [pool.var(var_of(VALUES, at), 32)].into(),
                wanted: b"word"[..].into(),
            };
            let mut run = run(b"", vec![compared]);
            let value = path::Value {
                kind: path::ValueType::I32,
                name: "".into(),
                element: None,
                c_type: "int".into(),
                bits: 0,
            };
            run.input.values = vec![value; 256];
            run.flags = flags;
            matching.note(&pool, &run, false);
            std::iter::from_fn(|| matching.wishes.next()).count()
        };
        assert_eq!(ended(&mut matching, 252, RunFlags::INPUTS_TRUNCATED), 0);
        assert_eq!(ended(&mut matching, 251, RunFlags::INPUTS_TRUNCATED), 1);
        let mut matching = Matching::default();
        assert_eq!(ended(&mut matching, 252, RunFlags::EMPTY), 1, "it goes on");
    }

    /// Two digits for a byte, each decoded on a path of its own for `0`..`9` and for `a`..`f`, as the program did.
    fn decoded(pool: &mut Pool, input: &[u8], wanted: &str) -> Run {
        let mut steps = Vec::new();
        let mut text = Vec::new();
        for pair in 0..input.len() / 2 {
            let mut byte = pool.constant(8, 0);
            for (place, shift) in [(2 * pair, 4), (2 * pair + 1, 0)] {
                let digit = pool.var(var_of(STDIN, place as u32), 8);
                let (first, last, zero) = match input[place] {
                    b'a'.. => (b'a', b'f', b'a' - 10),
                    _ => (b'0', b'9', b'0'),
                };
                for (edge, op, limit) in [(0, Op::Ult, first), (1, Op::Ule, last)] {
                    let limit = pool.constant(8, limit.into());
                    let term = pool.bin(op, digit, limit);
                    steps.push(Step::Edge {
                        edge: EdgeId::from_u32(edge),
                        cond: Some(Cond { term }),
                    });
                }
                let zero = pool.constant(8, zero.into());
                let value = pool.bin(Op::Sub, digit, zero);
                let by = pool.constant(8, shift);
                let value = pool.bin(Op::Shl, value, by);
                byte = pool.bin(Op::Or, byte, value);
            }
            text.push(byte);
        }
        let compared = Compared {
            text: text.into(),
            wanted: wanted.as_bytes().into(),
        };
        let mut run = run(input, vec![compared]);
        run.steps = steps;
        run
    }

    /// Where a digit says nothing of letters, a letter is tried, once.
    #[test]
    fn kinds_that_no_run_had_are_tried() {
        let mut pool = Pool::new();
        let mut matching = Matching::default();
        let first = decoded(&mut pool, b"12", "kz!");
        matching.note(&pool, &first, false);
        let tried = made(&mut matching);
        assert!(
            tried.contains(&"a2".to_owned()) && tried.contains(&"1a".to_owned()),
            "{tried:?}"
        );
        assert!(!tried.contains(&"02".to_owned()), "{tried:?}");
        let other = decoded(&mut pool, b"13", "kzz");
        matching.note(&pool, &other, false);
        assert!(!made(&mut matching).contains(&"a3".to_owned()));
    }

    /// A letter at one place says what letters do at the other, and the text that waited is made.
    #[test]
    fn text_is_encoded_as_runs_show_that_it_is_decoded() {
        let mut pool = Pool::new();
        let mut matching = Matching::default();
        let first = decoded(&mut pool, b"12", "kz!");
        matching.note(&pool, &first, false);
        let early = made(&mut matching);
        assert!(!early.contains(&"6b7a21".to_owned()), "{early:?}");
        let run = decoded(&mut pool, b"a2", "kz!");
        matching.note(&pool, &run, false);
        let late = made(&mut matching);
        assert!(late.contains(&"6b7a21".to_owned()), "{late:?}");
    }
}
