//! The share of a source: one rule for all that are not for every turn.
//!
//! A source has one of every n turns. While its runs find less than the other runs do, it has fewer, by a power of how much
//! less: as long as every other run is new it can only be in the way.
//!
//! Must hold: the share depends on nothing but the runs.

use crate::rate::Rate;

/// What is known of a source's runs, and of others, before there are any.
const UNKNOWN: Rate = Rate::new(1.0, 2.0, 0.98);

/// How often it is the turn of a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Turns are so many times fewer at most than when the source pays.
    pub(crate) fewer: f64,
    /// They are fewer by this power of how much less it finds.
    pub(crate) sharp: i32,
}

impl Rule {
    /// Of most sources.
    pub(crate) const USUAL: Rule = Rule {
        fewer: 16.0,
        sharp: 1,
    };
}

/// Turns and finds of one source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    rule: Rule,
    /// Turns since the last that was used.
    turns: u64,
    own: Rate,
    rest: Rate,
}

impl Pace {
    pub(crate) const fn new(rule: Rule) -> Pace {
        Pace {
            rule,
            turns: 0,
            own: UNKNOWN,
            rest: UNKNOWN,
        }
    }

    /// Whether the next turn is the source's, which wants one of every `every` and has something to offer or not. To be asked
    /// once for each turn.
    pub(crate) fn is_due(&mut self, every: f64, has_something: bool) -> bool {
        self.turns += 1;
        let worth = (self.rest.get() / self.own.get()).powi(self.rule.sharp);
        let fewer = worth.clamp(1.0, self.rule.fewer);
        let is_due = has_something && self.turns as f64 >= every * fewer;
        if is_due {
            self.turns = 0;
        }
        is_due
    }

    /// A run, one of the source's or not, found something or not.
    pub(crate) fn credit(&mut self, own: bool, is_new: bool) {
        match own {
            true => self.own.add(is_new),
            false => self.rest.add(is_new),
        }
    }
}
