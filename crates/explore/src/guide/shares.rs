//! Strategies that share the picks by what they find: each sees every path and works on the whole tree.
//!
//! Who finds something new more often lately picks more often. The less even the best of them finds, the more picks are shared
//! evenly: some strategies need long before they find anything, but while every run of one is new the others can only be in its way.
//! Who has nothing to offer is passed over.

use crate::rate::Rate;
use crate::rng::Rng;
use crate::view::{NewPath, Strategy, Verdict, View};
use path::Candidate;
use program::EdgeId;

/// Part of the picks that is shared evenly when nobody finds anything.
const EVEN: f64 = 0.6;
/// Picks go by this power of the rates: a program on which half the runs find something is covered far faster by those of
/// which all do.
const SHARP: i32 = 4;
/// Rates below this are as good as none; their powers would vanish.
const LEAST: f64 = 1e-3;
/// What is known of a part before its first run.
const UNKNOWN: Rate = Rate::new(1.0, 4.0, 0.99);

struct Part {
    strategy: Box<dyn Strategy>,
    rate: Rate,
}

/// Strategies, each with its recent discovery rate.
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
        let rates = left.iter().map(|&part| self.parts[part].rate.get());
        let best = rates.clone().fold(0.0, f64::max);
        let sharp = rates.map(|rate| rate.max(LEAST).powi(SHARP));
        let sum: f64 = sharp.clone().sum();
        let even = EVEN * (1.0 - best) / left.len() as f64;
        rng.weighted(sharp.map(|worth| even + (1.0 - EVEN * (1.0 - best)) * worth / sum))
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

    fn on_dead(&mut self, edges: &[EdgeId]) {
        for part in &mut self.parts {
            part.strategy.on_dead(edges);
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
        // Of 1,000 runs each, the last finds nothing.
        let mut runs = |finds: [usize; 2]| {
            for run in 0..1000 {
                for (part, every) in finds.into_iter().enumerate() {
                    shares.parts[part].rate.add(run % every == 0);
                }
                shares.parts[2].rate.add(false);
            }
            draws(&shares)
        };
        // 0.5^4 to 0.33^4 for seven in ten picks, the others evenly.
        near(&runs([2, 3]), [616, 194, 90]);
        // Nobody needs help.
        near(&runs([1, 2]), [847, 53, 0]);
        // All are stuck.
        near(&runs([2000, 2000]), [300, 300, 300]);
    }
}
