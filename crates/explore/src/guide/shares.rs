//! Strategies that share the picks by what they find: each sees every path and works on the whole tree.
//!
//! Who finds something new more often lately picks more often, in proportion; a part of the picks is shared evenly, since
//! some strategies need long before they find anything, and who has nothing to offer is passed over.

use crate::rate::Rate;
use crate::rng::Rng;
use crate::strategy::{NewPath, Strategy, Verdict, View};
use crate::tree::Candidate;

/// One in so many picks is shared evenly.
const EVEN: usize = 3;
/// What is known of a part before its first run.
const UNKNOWN: Rate = Rate::new(1.0, 4.0, 0.99);

struct Part {
    strategy: Box<dyn Strategy>,
    rate: Rate,
}

/// See the module.
pub(crate) struct Shares {
    parts: Vec<Part>,
    /// The last pick, whose it was and the branches that were taken before it.
    last: Option<(Candidate, usize, usize)>,
}

impl Shares {
    pub(crate) fn new(strategies: Vec<Box<dyn Strategy>>) -> Shares {
        let part = |strategy| Part {
            strategy,
            rate: UNKNOWN,
        };
        Shares {
            parts: strategies.into_iter().map(part).collect(),
            last: None,
        }
    }

    /// Draws a part among those that are left.
    fn draw(&self, left: &[usize], rng: &mut Rng) -> usize {
        if rng.below(EVEN) == 0 {
            return rng.below(left.len());
        }
        rng.weighted(left.iter().map(|&part| self.parts[part].rate.get()))
    }
}

impl Strategy for Shares {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for part in &mut self.parts {
            part.strategy.on_path(view, path);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let mut left: Vec<usize> = (0..self.parts.len()).collect();
        while !left.is_empty() {
            let part = left.swap_remove(self.draw(&left, rng));
            if let Some(side) = self.parts[part].strategy.pick(view, rng) {
                self.last = Some((side, part, view.edges_taken));
                return Some(side);
            }
        }
        None
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        if let Some((picked, part, taken)) = self.last.take()
            && picked == side
            && matches!(verdict, Verdict::Taken | Verdict::Diverged)
        {
            self.parts[part].rate.add(view.edges_taken > taken);
        }
        for part in &mut self.parts {
            part.strategy.on_result(view, side, verdict);
        }
    }

    fn phase(&self) -> String {
        let phases: Vec<String> = self
            .parts
            .iter()
            .map(|part| part.strategy.phase())
            .collect();
        phases.join("; ")
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.strategy.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::STRATEGIES;
    use crate::testing::three_in_a_row;

    /// How many of 900 draws each part gets.
    fn draws(shares: &Shares) -> Vec<u32> {
        let all: Vec<usize> = (0..shares.parts.len()).collect();
        let mut rng = Rng::new(3);
        let mut counts = vec![0; all.len()];
        for _ in 0..900 {
            counts[shares.draw(&all, &mut rng)] += 1;
        }
        counts
    }

    #[test]
    fn who_finds_picks_and_nobody_starves() {
        let program = three_in_a_row().program;
        let parts = STRATEGIES.iter().take(3).map(|entry| entry.plain(&program));
        let mut shares = Shares::new(parts.collect());
        let near = |counts: &[u32], wanted: [u32; 3]| {
            let pairs = counts.iter().zip(wanted);
            assert!(pairs.clone().all(|(a, b)| a.abs_diff(b) < 60), "{counts:?}");
        };
        near(&draws(&shares), [300, 300, 300]);
        // Of 1,000 runs each, the first finds something in every second, the last in none.
        for run in 0..1000 {
            shares.parts[0].rate.add(run % 2 == 0);
            shares.parts[1].rate.add(run % 10 == 0);
            shares.parts[2].rate.add(false);
        }
        near(&draws(&shares), [600, 200, 100]);
    }
}
