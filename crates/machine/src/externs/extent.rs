//! How far an expression over memory has to look: to the first position at which every input is decided.
//!
//! Must hold: past the position that decides this run, only bytes that certainly exist are read: those of the same object.

use path::LossReason;

use crate::state::{Made, State};

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
    pub end: u64,
    /// Ended without a final position.
    pub cut: bool,
    /// This run is decided inside.
    pub decided: bool,
    pub symbolic: bool,
}

/// Symbolic positions that one expression looks at.
const MOST_SYMBOLIC: u32 = 256;

impl State<'_> {
    /// Looks from position 0 on, at most `limit` positions, at the memory behind each of `starts`.
    pub(super) fn extent(
        &mut self,
        limit: u64,
        starts: &[u64],
        mut step: impl FnMut(&mut Self, u64) -> Made<Step>,
    ) -> Made<Extent> {
        let mut found = Extent {
            end: 0,
            cut: false,
            decided: false,
            symbolic: false,
        };
        let mut count = 0;
        while found.end < limit {
            let exist = starts
                .iter()
                .all(|&start| self.memory.byte(start.wrapping_add(found.end)).is_ok());
            if count == MOST_SYMBOLIC || found.decided && !exist {
                found.cut = true;
                return Ok(found);
            }
            let next = step(self, found.end)?;
            found.end += 1;
            match next {
                Step::On => continue,
                Step::Open => {}
                Step::Decides => found.decided = true,
                Step::Final => {
                    found.decided = true;
                    return Ok(found);
                }
            }
            found.symbolic = true;
            count += 1;
        }
        Ok(found)
    }

    /// Where the run is decided behind the positions that the expression covers, what symbolic bytes there say is lost.
    pub(super) fn note_extent(&mut self, found: &Extent) {
        if !found.decided {
            self.lost(LossReason::Full);
        }
    }
}
