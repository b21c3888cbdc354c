//! Which kept test each run comes from: the nearest one among the runs whose paths it goes on with.
//!
//! Must hold: a run that no other led to (a seed, the first input) comes from none. What comes from a test that was run again, when
//! the search had started over, comes from that test.

use path::RunId;

/// For each run of this round, the number of the nearest test.
#[derive(Debug, Default)]
pub(crate) struct Lineage {
    nearest: Vec<Option<u32>>,
}

impl Lineage {
    /// The next run comes from this one. The number of the nearest test before it.
    pub(crate) fn push(&mut self, parent: Option<RunId>) -> Option<u32> {
        let from = parent.and_then(|parent| self.nearest.get(parent.index()).copied().flatten());
        self.nearest.push(from);
        from
    }

    /// The last run is kept as the test with this number, or is one of that test again.
    pub(crate) fn kept(&mut self, number: u32) {
        if let Some(last) = self.nearest.last_mut() {
            *last = Some(number);
        }
    }

    /// Another round begins: its tree counts its runs from 0.
    pub(crate) fn start_over(&mut self) {
        self.nearest = Vec::new();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nearest.capacity() * size_of::<Option<u32>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_test_is_that_of_the_parent_or_of_its_parent() {
        let mut lineage = Lineage::default();
        let run = |number| Some(RunId::from_u32(number));
        assert_eq!(lineage.push(None), None);
        lineage.kept(0);
        assert_eq!(lineage.push(run(0)), Some(0));
        // Not kept: who comes from it comes from its parent.
        assert_eq!(lineage.push(run(1)), Some(0));
        lineage.kept(1);
        assert_eq!(lineage.push(run(2)), Some(1));
        assert_eq!(lineage.push(None), None);
        assert_eq!(lineage.push(run(4)), None);
    }
}
