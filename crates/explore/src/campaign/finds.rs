//! Who found something lately: what pays at the moment.
//!
//! Must hold: it is for who watches, and decides nothing.

use std::collections::VecDeque;

use path::InputVector;

use super::Campaign;

/// Finds that count as lately.
const LATELY: usize = 16;

/// Inputs of slices that wait to be run, at most.
const WAITING: usize = 64;

/// Names of the sources of the last finds, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Finds {
    last: VecDeque<&'static str>,
    /// What slices found, and is not run yet.
    sliced: VecDeque<InputVector>,
}

impl Campaign<'_> {
    /// Gives a run its due, if it is a find: nothing was, later than run `news`, before it.
    pub(super) fn credit(&mut self, news: u64, source: usize, supplied: &InputVector) {
        let is_sliced = self.finds.take_sliced(supplied);
        if self.stats.last_new > news {
            let sources = &self.config.sources;
            let slicing = sources.iter().find(|source| is_sliced && source.slices);
            self.finds.add(slicing.unwrap_or(&sources[source]).name);
        }
    }
}

impl Finds {
    pub(crate) fn add(&mut self, source: &'static str) {
        if self.last.len() == LATELY {
            self.last.pop_front();
        }
        self.last.push_back(source);
    }

    /// A slice found this; it is run by another source.
    pub(crate) fn add_sliced(&mut self, input: &InputVector) {
        if self.sliced.len() == WAITING {
            self.sliced.pop_front();
        }
        self.sliced.push_back(input.clone());
    }

    fn take_sliced(&mut self, input: &InputVector) -> bool {
        let at = self.sliced.iter().position(|other| other == input);
        at.is_some_and(|at| self.sliced.remove(at).is_some())
    }

    /// The source with most of the last finds, the newest of several, and how many of how many.
    pub(crate) fn best(&self) -> Option<(&'static str, u32, u32)> {
        let count = |name: &str| self.last.iter().filter(|other| **other == name).count() as u32;
        let best = self.last.iter().copied().max_by_key(|name| count(name))?;
        Some((best, count(best), self.last.len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_paid_long_ago_does_not_pay_now() {
        let mut finds = Finds::default();
        assert_eq!(finds.best(), None);
        for _ in 0..10 {
            finds.add("matching");
        }
        finds.add("strategy");
        assert_eq!(finds.best(), Some(("matching", 10, 11)));
        for _ in 0..10 {
            finds.add("strategy");
        }
        assert_eq!(finds.best(), Some(("strategy", 11, 16)));
    }
}
