//! `--minimise-suite`: drops tests that cover nothing that others do not.
//!
//! Must hold: tests that show a failure stay; what is dropped leaves the folder before the judge looks at the suite.

use std::collections::BTreeSet;

use crate::error::{Context, Result};
use coverage::Goals;
use coverage::minimal::{Shows, minimise};
use report::Minimised;

use super::found::Found;

impl Found {
    /// Drops tests that are not needed.
    ///
    /// # Errors
    /// A test's file cannot be removed.
    pub fn minimise(&mut self, goals: &Goals) -> Result<()> {
        let kept = &self.kept;
        let shows = |(at, test): (usize, &report::suite::Test)| {
            let known = kept.get(at).and_then(|kept| kept.shows.clone());
            let own = self.causes[at].is_some() || test.covers_error || !test.remarks.is_empty();
            Shows {
                needed: own || known.is_none(),
                ..known.unwrap_or_default()
            }
        };
        let shows: Vec<Shows> = self.tests.iter().enumerate().map(shows).collect();
        let minimal = minimise(goals, &shows);
        let wanted: BTreeSet<usize> = minimal.kept.iter().copied().collect();
        let from = u32::try_from(self.tests.len()).unwrap_or(u32::MAX);
        for (at, test) in self.tests.iter().enumerate() {
            if !wanted.contains(&at) {
                let path = self.folder.test_path(test);
                std::fs::remove_file(&path)
                    .with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        retain_at(&mut self.tests, &wanted);
        retain_at(&mut self.causes, &wanted);
        retain_at(&mut self.errors, &wanted);
        retain_at(&mut self.broken_off, &wanted);
        self.minimised = Some(Minimised {
            from,
            at_least: u32::try_from(minimal.at_least).unwrap_or(u32::MAX),
        });
        Ok(())
    }
}

/// Keeps what stands at these places.
fn retain_at<T>(list: &mut Vec<T>, wanted: &BTreeSet<usize>) {
    let mut at = 0..;
    list.retain(|_| at.next().is_some_and(|at| wanted.contains(&at)));
}
