//! The ceiling on the engine's memory (`--engine-memory`): what it holds is looked at from outside of the search, ten times a
//! second, because nobody else can see all of it: terms, tree, caches, and what the solver's library keeps for itself.
//!
//! Must hold: what can be made again is forgotten long before the ceiling; where much is left after that, the search starts over from its
//! tests; a query is given up before the ceiling; and where nothing of it helps, the search ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smt::Room;

use super::board::Board;

/// What the search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    /// What can be made again: terms, caches, what the solver has learned.
    Forget,
    /// The same, and the query at hand ends.
    GiveUpQuery,
    /// All that is not found for good: tree, strategy, paths.
    StartOver,
}

/// The state of the watch over the engine's memory.
pub struct Memory {
    ceiling: u64,
    /// Bytes at which the search is asked to forget.
    wish_at: u64,
    /// When it was asked last.
    asked: Option<Instant>,
    /// It was asked to start over, and has not said yet that it forgot anything.
    starts_over: bool,
    /// Bytes left at which it is asked to start over.
    start_over_at: u64,
    /// Since when nearly everything is held.
    full_since: Option<Instant>,
    is_over: bool,
}

/// Parts of 100 of the ceiling.
const FORGET: u64 = 60;
/// Left when the search has forgotten what it can: above it, queries get the least, and the next thing to be given up is the query at hand.
const START_OVER: u64 = ROOM;
const GIVE_UP: u64 = 80;
const FULL: u64 = 92;
/// How long nearly everything may be held: a query that is given up ends a moment later, and only then is anything forgotten.
const GRACE: Duration = Duration::from_secs(1);
/// The least time between two wishes: forgetting is work.
const EVERY: Duration = Duration::from_secs(1);

/// Of the engine's memory, one part in so many is the solvers'.
const SOLVERS_PART: u64 = 2;
/// Parts of 100 of the ceiling that a query may bring the engine to. A query that grows fast does not hear that it is to be given
/// up before it has reached the ceiling, so it must not begin with a limit above it.
const ROOM: u64 = 75;
/// Parts of 100 that each query has: most need less, and a search without any finds nothing.
const LEAST_ROOM: u64 = 2;

/// What a query may take that begins now, where so many solvers share the engine's memory.
pub fn room(ceiling: u64, solvers: u16) -> Room {
    Arc::new(move || share(ceiling, solvers, native::leave::resident_bytes()))
}

/// The same with so many bytes held.
fn share(ceiling: u64, solvers: u16, resident: u64) -> u64 {
    let left = (ceiling / 100 * ROOM).saturating_sub(resident);
    let most = ceiling / SOLVERS_PART / u64::from(solvers.max(1));
    left.min(most).max(ceiling / 100 * LEAST_ROOM)
}

impl Memory {
    pub const fn new(ceiling: u64) -> Memory {
        Memory {
            ceiling,
            wish_at: ceiling / 100 * FORGET,
            asked: None,
            starts_over: false,
            start_over_at: ceiling / 100 * START_OVER,
            full_since: None,
            is_over: false,
        }
    }

    /// Was the ceiling nearly reached, although everything was forgotten that could be?
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// To be called some times a second.
    pub fn look(&mut self, board: &Board) -> Wish {
        if board.has_forgotten() {
            native::leave::trim_memory();
            return self.forgotten(native::leave::resident_bytes());
        }
        self.decide(native::leave::resident_bytes(), Instant::now())
    }

    /// The search has forgotten what it can, and so many bytes are left.
    fn forgotten(&mut self, left: u64) -> Wish {
        // What is left cannot be forgotten: the next wish makes sense when there is as much again.
        self.wish_at =
            (left + (self.ceiling.saturating_sub(left)) / 3).max(self.ceiling / 100 * FORGET);
        let full = self.ceiling / 100 * FULL;
        if left < full {
            self.full_since = None;
        }
        if std::mem::take(&mut self.starts_over) {
            // A round is worth its start where it has half of what it can have.
            let half = left + full.saturating_sub(left) / 2;
            self.start_over_at = half.max(self.ceiling / 100 * START_OVER);
        } else {
            self.starts_over = left >= self.start_over_at;
        }
        match self.starts_over {
            true => Wish::StartOver,
            false => Wish::Nothing,
        }
    }

    /// What to do with so many bytes.
    fn decide(&mut self, bytes: u64, now: Instant) -> Wish {
        match bytes >= self.ceiling / 100 * FULL {
            true => _ = self.full_since.get_or_insert(now),
            false => self.full_since = None,
        }
        let is_late = |since: Instant| now - since >= GRACE;
        self.is_over |= bytes >= self.ceiling || self.full_since.is_some_and(is_late);
        let pause = self.asked.is_some_and(|asked| now - asked < EVERY);
        if bytes < self.wish_at || (pause && bytes < self.ceiling / 100 * GIVE_UP) {
            return Wish::Nothing;
        }
        self.asked = Some(now);
        match bytes >= self.ceiling / 100 * GIVE_UP {
            true => Wish::GiveUpQuery,
            false => Wish::Forget,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CEILING: u64 = 100_000_000_000;

    const fn part(percent: u64) -> u64 {
        CEILING / 100 * percent
    }

    #[test]
    fn what_can_be_made_again_goes_first_then_the_query_then_the_search() {
        let mut memory = Memory::new(CEILING);
        let start = Instant::now();
        assert_eq!(memory.decide(part(59), start), Wish::Nothing);
        assert_eq!(memory.decide(part(61), start), Wish::Forget);
        assert_eq!(
            memory.decide(part(61), start),
            Wish::Nothing,
            "it was asked a moment ago"
        );
        assert_eq!(memory.decide(part(81), start), Wish::GiveUpQuery);
        assert_eq!(memory.decide(part(93), start), Wish::GiveUpQuery);
        assert!(!memory.is_over(), "the query may end");
        memory.decide(part(93), start + GRACE);
        assert!(memory.is_over());
    }

    #[test]
    fn a_query_may_take_what_the_ceiling_leaves() {
        assert_eq!(share(CEILING, 1, part(10)), part(50), "its own part");
        assert_eq!(share(CEILING, 4, part(10)), part(50) / 4);
        assert_eq!(share(CEILING, 1, part(60)), part(15));
        assert_eq!(share(CEILING, 1, part(90)), part(2), "never none");
    }

    #[test]
    fn a_query_that_needs_nearly_everything_does_not_end_the_search_when_it_is_given_up() {
        let mut memory = Memory::new(CEILING);
        let start = Instant::now();
        memory.decide(part(93), start);
        memory.decide(part(99), start + GRACE / 2);
        assert_eq!(memory.forgotten(part(20)), Wish::Nothing);
        memory.decide(part(93), start + GRACE * 3);
        assert!(!memory.is_over());
        memory.decide(part(100), start + GRACE * 3);
        assert!(memory.is_over(), "the ceiling holds at once");
    }

    #[test]
    fn a_search_with_much_left_starts_over_and_once_for_what_it_holds() {
        let mut memory = Memory::new(CEILING);
        let start = Instant::now();
        let later = |seconds: u32| start + EVERY * seconds;
        assert_eq!(memory.decide(part(61), start), Wish::Forget);
        assert_eq!(memory.forgotten(part(74)), Wish::Nothing);
        assert_eq!(memory.decide(part(83), later(1)), Wish::GiveUpQuery);
        assert_eq!(memory.forgotten(part(75)), Wish::StartOver);
        // It did, and holds little.
        assert_eq!(memory.forgotten(part(20)), Wish::Nothing);
        assert_eq!(memory.decide(part(61), later(2)), Wish::Forget);
        assert_eq!(memory.forgotten(part(76)), Wish::StartOver);
        // It did not, or that was no help: it is asked again when half of the rest is used.
        assert_eq!(memory.forgotten(part(76)), Wish::Nothing);
        assert_eq!(memory.decide(part(80), later(3)), Wish::Nothing);
        assert_eq!(memory.decide(part(85), later(3)), Wish::GiveUpQuery);
        assert_eq!(memory.forgotten(part(83)), Wish::Nothing);
        assert_eq!(memory.decide(part(90), later(4)), Wish::GiveUpQuery);
        assert_eq!(memory.forgotten(part(86)), Wish::StartOver);
        assert_eq!(memory.forgotten(part(20)), Wish::Nothing);
        assert_eq!(memory.forgotten(part(75)), Wish::StartOver);
        assert!(!memory.is_over());
    }

    #[test]
    fn a_search_that_cannot_start_over_ends_as_ever() {
        let mut memory = Memory::new(CEILING);
        let start = Instant::now();
        assert_eq!(memory.forgotten(part(93)), Wish::StartOver);
        memory.decide(part(93), start);
        assert_eq!(memory.forgotten(part(93)), Wish::Nothing);
        memory.decide(part(93), start + GRACE);
        assert!(memory.is_over());
    }
}
