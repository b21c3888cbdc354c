//! The ceiling on the engine's memory (`--engine-memory`): what it holds is looked at from outside of the search, ten times a
//! second, because nobody else can see all of it: terms, tree, caches, and what the solver's library keeps for itself.
//!
//! Must hold: what can be made again is forgotten long before the ceiling; a query is given up before it; and where neither
//! helps, the search ends.

use std::time::{Duration, Instant};

use super::board::Board;

/// What the search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    /// What can be made again: terms, caches, what the solver has learned.
    Forget,
    /// The same, and the query at hand ends.
    GiveUpQuery,
}

/// The state of the watch over the engine's memory.
pub struct Memory {
    ceiling: u64,
    /// Bytes at which the search is asked to forget.
    wish_at: u64,
    /// When it was asked last, and what it had forgotten before.
    asked: Option<Instant>,
    is_over: bool,
}

/// Parts of 100 of the ceiling.
const FORGET: u64 = 60;
const GIVE_UP: u64 = 80;
const OVER: u64 = 92;
/// The least time between two wishes: forgetting is work.
const EVERY: Duration = Duration::from_secs(1);

impl Memory {
    pub const fn new(ceiling: u64) -> Memory {
        Memory {
            ceiling,
            wish_at: ceiling / 100 * FORGET,
            asked: None,
            is_over: false,
        }
    }

    /// Was the ceiling nearly reached, although everything was forgotten that could be?
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// To be called some times a second.
    pub fn look(&mut self, board: &Board) -> Wish {
        self.decide(native::leave::resident_bytes(), board.has_forgotten())
    }

    /// What to do with so many bytes; `forgotten`: since this was said last, the search has forgotten what it can.
    fn decide(&mut self, bytes: u64, forgotten: bool) -> Wish {
        if forgotten {
            native::leave::trim_memory();
            // What is left cannot be forgotten: the next wish makes sense when there is as much again.
            let left = native::leave::resident_bytes().min(bytes);
            self.wish_at =
                (left + (self.ceiling.saturating_sub(left)) / 3).max(self.ceiling / 100 * FORGET);
            return Wish::Nothing;
        }
        self.is_over |= bytes >= self.ceiling / 100 * OVER;
        let pause = self.asked.is_some_and(|asked| asked.elapsed() < EVERY);
        if bytes < self.wish_at || (pause && bytes < self.ceiling / 100 * GIVE_UP) {
            return Wish::Nothing;
        }
        self.asked = Some(Instant::now());
        match bytes >= self.ceiling / 100 * GIVE_UP {
            true => Wish::GiveUpQuery,
            false => Wish::Forget,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_made_again_goes_first_then_the_query_then_the_search() {
        let ceiling = 100_000_000_000;
        let part = |percent: u64| ceiling / 100 * percent;
        let mut memory = Memory::new(ceiling);
        assert_eq!(memory.decide(part(59), false), Wish::Nothing);
        assert_eq!(memory.decide(part(61), false), Wish::Forget);
        assert_eq!(
            memory.decide(part(61), false),
            Wish::Nothing,
            "it was asked a moment ago"
        );
        assert_eq!(memory.decide(part(81), false), Wish::GiveUpQuery);
        assert!(!memory.is_over());
        memory.decide(part(93), false);
        assert!(memory.is_over());
    }
}
