//! Inputs that showed something new, and which of them is changed next.
//!
//! Time is shared, not runs: an input whose runs take 100 ms is changed once where one of 1 ms is changed a hundred times. Few
//! inputs stand for all that was seen: the cheapest for each edge, as AFL's favoured ones.
//!
//! Must hold: every input has its turn at some time; without a clock all runs cost the same.

use std::time::Duration;

use path::InputVector;
use program::{EdgeId, Program, SecondaryMap};

use crate::rng::Rng;

/// Most inputs in the corpus.
const MOST: usize = 1 << 14;
/// Inputs that compete for being changed next.
const COMPETITORS: usize = 8;
/// An input that stands for an edge may cost so many times as much as one that does not.
const FAVOUR: u64 = 6;
/// What a run costs beside its time, in microseconds.
const EACH_RUN: u64 = 100;

/// An input of the corpus.
#[derive(Clone, Debug)]
struct Entry {
    input: InputVector,
    /// What it and its changes have cost since one of them joined the corpus, in microseconds.
    fruitless: u64,
    /// What its own run cost, in microseconds.
    price: u64,
    /// It is the cheapest for so many edges.
    stands_for: u32,
}

impl Entry {
    /// The least is changed next.
    fn rank(&self) -> u64 {
        match self.stands_for {
            0 => self.fruitless.saturating_mul(FAVOUR),
            _ => self.fruitless,
        }
    }
}

/// The cheapest input that takes an edge.
#[derive(Clone, Copy, Debug)]
struct Champion {
    entry: u32,
    price: u64,
}

/// The corpus.
#[derive(Debug)]
pub(super) struct Corpus {
    entries: Vec<Entry>,
    champions: SecondaryMap<EdgeId, Option<Champion>>,
    /// The input that was changed last.
    parent: usize,
}

impl Corpus {
    pub(super) fn new(program: &Program) -> Corpus {
        Corpus {
            entries: Vec::new(),
            champions: SecondaryMap::for_map(&program.edges, None),
            parent: 0,
        }
    }

    /// The input to be changed next, and another that parts may be taken from. `None` when there is none.
    pub(super) fn next(&mut self, rng: &mut Rng) -> Option<(&InputVector, &InputVector)> {
        let count = self.entries.len();
        if count == 0 {
            return None;
        }
        let parent = (0..COMPETITORS)
            .map(|_| rng.below(count))
            .min_by_key(|&index| self.entries[index].rank())?;
        // What is taken from a slow one makes the run slow.
        let other = [rng.below(count), rng.below(count)]
            .into_iter()
            .min_by_key(|&index| self.entries[index].price)?;
        self.parent = parent;
        Some((&self.entries[parent].input, &self.entries[other].input))
    }

    /// The run of the last input that was given out took so long, and showed something new or not.
    pub(super) fn spent(&mut self, time: Duration, is_new: bool) {
        if let Some(parent) = self.entries.get_mut(self.parent) {
            parent.fruitless = match is_new {
                true => parent.price,
                false => parent.fruitless + price(time),
            };
        }
    }

    /// Adds an input whose run had something new.
    pub(super) fn add(
        &mut self,
        input: &InputVector,
        edges: impl IntoIterator<Item = EdgeId>,
        time: Duration,
    ) {
        if self.entries.len() >= MOST {
            return;
        }
        let entry = self.entries.len() as u32;
        self.entries.push(Entry {
            input: input.clone(),
            fruitless: price(time),
            price: price(time),
            stands_for: 0,
        });
        let champion = Champion {
            entry,
            price: price(time).saturating_mul(length(input)),
        };
        for edge in edges {
            self.crown(edge, champion);
        }
    }

    /// Lets an input stand for an edge, unless a cheaper one does.
    fn crown(&mut self, edge: EdgeId, new: Champion) {
        match self.champions[edge] {
            Some(old) if old.price <= new.price => return,
            Some(old) => self.entries[old.entry as usize].stands_for -= 1,
            None => {}
        }
        self.champions[edge] = Some(new);
        self.entries[new.entry as usize].stands_for += 1;
    }
}

fn price(time: Duration) -> u64 {
    EACH_RUN + u64::try_from(time.as_micros()).unwrap_or(u64::MAX / 2)
}

/// Bytes and values, at least one.
fn length(input: &InputVector) -> u64 {
    let bytes: usize = input.streams.iter().map(|stream| stream.bytes.len()).sum();
    (bytes + input.values.len()).max(1) as u64
}
