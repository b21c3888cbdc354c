//! How far an expression over memory has to look: to the first position at which every input is decided.
//!
//! What must hold: past the position that decides this run, only bytes that certainly exist are read: on the same page, labelled, or
//! on a page that the kernel can read.

use crate::raw::{is_readable, peek};
use wire::shadow;

/// What one position says.
pub(super) enum Step {
    /// Concrete, and goes on.
    On,
    /// Symbolic, and goes on in this run.
    Open,
    /// Symbolic, and decides this run.
    Decides,
    /// Decides every run.
    Final,
}

/// Positions that the expression covers.
pub(super) struct Extent {
    pub(super) end: u64,
    /// Ended without a final position.
    pub(super) cut: bool,
    /// This run is decided inside.
    pub(super) decided: bool,
    pub(super) symbolic: bool,
}

impl Extent {
    /// Where the run is decided behind the positions that the expression covers, what symbolic bytes there say is lost. (A run that
    /// is decided inside has lost nothing: that it is, is a decision of the path.)
    pub(super) fn note_loss(&self) {
        if !self.decided {
            crate::record::loss(wire::event::NO_SPOT, wire::segment::Loss::Full);
        }
    }
}

/// Symbolic positions that one expression looks at.
const MOST_SYMBOLIC: u32 = 256;

const PAGE: u64 = 4096;

/// The byte at this position certainly exists, if the one before it does.
pub(super) fn exists(start: u64, position: u64) -> bool {
    let address = start + position;
    !address.is_multiple_of(PAGE) || peek::<u32>(shadow::of(address)) != 0 || is_readable(address)
}

/// Looks from position 0 on, at most `limit` positions, at the memory behind each of `starts`.
pub(super) fn extent(limit: u64, starts: &[u64], mut step: impl FnMut(u64) -> Step) -> Extent {
    let mut found = Extent {
        end: 0,
        cut: false,
        decided: false,
        symbolic: false,
    };
    let mut count = 0;
    while found.end < limit {
        let exist = || starts.iter().all(|&start| exists(start, found.end));
        if count == MOST_SYMBOLIC || found.decided && !exist() {
            found.cut = true;
            return found;
        }
        let next = step(found.end);
        found.end += 1;
        match next {
            Step::On => continue,
            Step::Open => {}
            Step::Decides => found.decided = true,
            Step::Final => {
                found.decided = true;
                return found;
            }
        }
        found.symbolic = true;
        count += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw;

    /// A text that goes on on the next page, and one behind which there is none.
    #[test]
    fn pages_exist_that_can_be_read() {
        let _session = crate::testing::session();
        let pages = raw::reserve(3 * PAGE).expect("memory");
        raw::release(pages + 2 * PAGE, PAGE);
        let last = pages + PAGE - 1;
        assert!(exists(last, 0) && exists(last, 1) && exists(last, PAGE));
        assert!(!exists(last, PAGE + 1));
        raw::release(pages, 2 * PAGE);
    }
}
