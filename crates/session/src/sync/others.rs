//! How far the queues of other instances are read, and how far what was read is run.
//!
//! What must hold: an entry counts as run once it and all entries before it are; a mark never moves back.

use std::collections::VecDeque;

/// Where we are in the queue of another.
#[derive(Debug)]
pub(super) struct Reading {
    /// Number of the next entry to be read.
    pub next: u32,
    /// Entries before this one are run.
    run: u32,
    /// Entries that were read: how many inputs were offered with them, and the number of the entry behind them.
    waiting: VecDeque<(u64, u32)>,
}

impl Reading {
    /// All entries before this one are run.
    pub(super) fn at(next: u32) -> Reading {
        Reading {
            next,
            run: next,
            waiting: VecDeque::new(),
        }
    }

    /// The entry with this number was read; so many inputs of all instances were offered by now.
    pub(super) fn read(&mut self, number: u32, offered: u64) {
        self.next = number + 1;
        self.waiting.push_back((offered, self.next));
    }

    /// So many of the offered inputs were run. The new mark, if it moves.
    pub(super) fn ran(&mut self, run: u64) -> Option<u32> {
        let before = self.run;
        while let Some((_, next)) = self.waiting.pop_front_if(|(offered, _)| *offered <= run) {
            self.run = next;
        }
        (self.run != before).then_some(self.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_follows_what_was_run() {
        let mut reading = Reading::at(3);
        // Entry 4 is not there, entry 5 is no input for us.
        for (number, offered) in [(3, 1), (5, 1), (6, 2)] {
            reading.read(number, offered);
        }
        assert_eq!(reading.next, 7);
        assert_eq!(reading.ran(0), None);
        assert_eq!(reading.ran(1), Some(6));
        assert_eq!(reading.ran(1), None);
        assert_eq!(reading.ran(9), Some(7));
    }
}
