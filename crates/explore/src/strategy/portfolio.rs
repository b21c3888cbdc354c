//! Portfolio: many strategies, each with the share of the picks that it earns on this program.
//!
//! This is a bandit with discounted rewards over the strategies below. Each of them sees every path. Which one picks is
//! drawn at random, in proportion to what its picks brought per cost, so far and lately:
//!
//! - *Reward*: 1 for each branch that no run has taken before, and a twentieth for each that no run has taken about as
//!   often (in the classes 1, 2, 3, 4 to 7, …). The latter is a sign of progress while nothing new is covered.
//! - *Cost*: 1 for a run, a third for a query that has no answer, 20 for one that the solver gave up, which takes as long
//!   as many runs.
//! - Both fade by a factor of 0.998 with each pick, so that a strategy whose good time is over gives way.
//! - No strategy starves: a sixth of all picks is shared evenly, and a strategy that has not picked for long is judged by
//!   the prior again.
//!
//! The strategies are `md2u`, `target`, `subpath`, `generational`, `cgs` with `endless`, `expectation` with `pool=global`,
//! `random-branch`, `random-path`, `fitness`, `carfast` and `cfg-directed`. Strategies that go one way to its end (`dfs`,
//! `bfs`, `uniform-random`, `branch-residual`) and mixtures of these are left out.
//!
//! Fuzzers choose among mutations and seeds in this way (Yue et al., *EcoFuzz*, USENIX Security 2020). That strategies
//! complement each other is a finding of `papers/cgs.txt`, 5.1: "different strategies can be combined".
//!
//! **Parameters.** `lead` (default 50): of 100 picks, so many are `md2u`'s whatever it earns, because what is nearest to
//! new code is worth a try on any program. `sharp` (default 2): shares are in proportion to this power of what is earned.
//!
//! **Cost.** A pick: as for its strategies. Memory beyond the tree: the sum of all.
//!
//! **When to choose it.** When nothing is known of the program and there are many runs.

use program::{EdgeId, Program};

use super::{
    Entry, NewPath, Param, Sources, Strategy, Verdict, View, carfast, cfg_directed, cgs,
    expectation, fitness, generational, md2u, random_branch, random_path, subpath, target,
};
use crate::counts::{Counts, New};
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "portfolio",
    summary: "Portfolio: many strategies, each with the share of the picks that it earns on this program.",
    source: include_str!("portfolio.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "lead",
            summary: "of 100 picks, how many are md2u's whatever it earns",
            default: 50,
            min: 0,
            max: 100,
            words: &[],
        },
        Param {
            name: "sharp",
            summary: "power of what an arm earns that its share is in proportion to",
            default: 2,
            min: 1,
            max: 8,
            words: &[],
        },
    ],
    make: |program, values| {
        Box::new(Portfolio::new(
            program,
            values[0] as usize,
            values[1] as i32,
        ))
    },
};

const ARMS: [(Entry, &[u64]); 11] = [
    (md2u::ENTRY, md2u::BESIDE_OTHERS),
    (target::ENTRY, &[]),
    (subpath::ENTRY, &[4]),
    (generational::ENTRY, &[0, 0]),
    (cgs::ENTRY, cgs::BESIDE_OTHERS),
    (expectation::ENTRY, &[1, 0, 0, 0]),
    (random_branch::ENTRY, &[0]),
    (random_path::ENTRY, &[]),
    (fitness::ENTRY, &[]),
    (carfast::ENTRY, &[0]),
    (cfg_directed::ENTRY, &[0, 0, 0]),
];

/// What fades away with each pick.
const FADING: f64 = 0.998;
/// Picks in all that one is shared evenly of.
const EVEN: usize = 6;
/// What an arm is credited with before it has shown anything.
const PRIOR: Earned = Earned {
    reward: 0.2,
    cost: 4.0,
};
const TIMES: f64 = 0.05;
const NO_ANSWER: f64 = 0.33;
const GIVEN_UP: f64 = 20.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Earned {
    reward: f64,
    cost: f64,
}

struct Arm {
    name: &'static str,
    strategy: Box<dyn Strategy>,
    earned: Earned,
}

struct Portfolio {
    arms: Vec<Arm>,
    /// The last pick, its arm and the branches that were taken before it.
    last: Option<(Candidate, usize, usize)>,
    counts: Counts,
    /// New classes of the paths that came since the last pick.
    progress: u32,
    lead: usize,
    sharp: i32,
}

impl Portfolio {
    fn new(program: &Program, lead: usize, sharp: i32) -> Portfolio {
        let arm = |(entry, values): &(Entry, &[u64])| Arm {
            name: entry.name,
            strategy: (entry.make)(program, values),
            earned: Earned::default(),
        };
        Portfolio {
            arms: ARMS.iter().map(arm).collect(),
            last: None,
            counts: Counts::new(program),
            progress: 0,
            lead,
            sharp,
        }
    }

    /// Draws an arm among those that are left.
    fn draw(&self, left: &[usize], rng: &mut Rng) -> usize {
        if let Some(first) = left.iter().position(|&arm| arm == 0)
            && rng.below(100) < self.lead
        {
            return first;
        }
        if rng.below(EVEN) == 0 {
            return rng.below(left.len());
        }
        let worth = |arm: usize| {
            let Earned { reward, cost } = self.arms[arm].earned;
            ((reward + PRIOR.reward) / (cost + PRIOR.cost)).powi(self.sharp)
        };
        rng.weighted(left.iter().map(|&arm| worth(arm)))
    }

    fn credit(&mut self, arm: usize, reward: f64, cost: f64) {
        for arm in &mut self.arms {
            arm.earned.reward *= FADING;
            arm.earned.cost *= FADING;
        }
        let earned = &mut self.arms[arm].earned;
        earned.reward += reward;
        earned.cost += cost;
    }
}

impl Strategy for Portfolio {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &(edge, count) in path.edges {
            self.progress += u32::from(self.counts.note(edge, count) == New::Count);
        }
        for arm in &mut self.arms {
            arm.strategy.on_path(view, path);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let mut left: Vec<usize> = (0..self.arms.len()).collect();
        while !left.is_empty() {
            let arm = left.swap_remove(self.draw(&left, rng));
            if let Some(side) = self.arms[arm].strategy.pick(view, rng) {
                self.last = Some((side, arm, view.edges_taken));
                self.progress = 0;
                return Some(side);
            }
        }
        None
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        if let Some((picked, arm, taken)) = self.last
            && picked == side
        {
            let new = (view.edges_taken - taken) as f64;
            let reward = new + TIMES * f64::from(self.progress.min(20));
            match verdict {
                Verdict::Taken | Verdict::Diverged => self.credit(arm, reward, 1.0),
                Verdict::Unsat => self.credit(arm, 0.0, NO_ANSWER),
                Verdict::Unknown => self.credit(arm, 0.0, GIVEN_UP),
                Verdict::Lost | Verdict::Irrelevant => {}
            }
            self.last = None;
        }
        for arm in &mut self.arms {
            arm.strategy.on_result(view, side, verdict);
        }
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        for arm in &mut self.arms {
            arm.strategy.on_dead(edges);
        }
    }

    fn phase(&self) -> String {
        let worth = |arm: &&Arm| arm.earned.reward / (arm.earned.cost + PRIOR.cost);
        let best = self
            .arms
            .iter()
            .max_by(|a, b| worth(a).total_cmp(&worth(b)));
        best.map_or_else(String::new, |arm| format!("{} earns most", arm.name))
    }

    fn bytes(&self) -> usize {
        self.arms.iter().map(|arm| arm.strategy.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{three_in_a_row, trace};

    #[test]
    fn exhausts_what_can_be_exhausted() {
        expect![[r#"
            cfg-directed earns most: [1] edge2 taken
            random-branch earns most: [1 2] edge4 taken
            md2u earns most: [] edge0 taken
            random-branch earns most: [1 3] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut three_in_a_row(), "portfolio", 1));
    }

    /// How many of 1,000 draws each arm gets.
    fn draws(portfolio: &Portfolio) -> Vec<u32> {
        let all: Vec<usize> = (0..portfolio.arms.len()).collect();
        let mut rng = Rng::new(3);
        let mut counts = vec![0; all.len()];
        for _ in 0..1000 {
            counts[portfolio.draw(&all, &mut rng)] += 1;
        }
        counts
    }

    #[test]
    fn who_earns_picks_and_nobody_starves() {
        let mut portfolio = Portfolio::new(&three_in_a_row().program, 0, 1);
        let even = draws(&portfolio);
        assert!(
            even.iter().all(|&count| (60..140).contains(&count)),
            "{even:?}"
        );
        for _ in 0..100 {
            (0..portfolio.arms.len()).for_each(|arm| {
                portfolio.credit(arm, f64::from(u8::from(arm == 2)), 1.0);
            });
        }
        let earned = draws(&portfolio);
        assert!(earned[2] > 600, "{earned:?}");
        assert!(earned.iter().all(|&count| count > 5), "{earned:?}");
        // What it earned fades.
        for _ in 0..3000 {
            (0..portfolio.arms.len()).for_each(|arm| portfolio.credit(arm, 0.0, 1.0));
        }
        let faded = draws(&portfolio);
        assert!(
            faded.iter().all(|&count| (50..150).contains(&count)),
            "{faded:?}"
        );
    }

    #[test]
    fn what_takes_long_is_dear() {
        let mut portfolio = Portfolio::new(&three_in_a_row().program, 0, 1);
        for _ in 0..50 {
            (0..portfolio.arms.len()).for_each(|arm| {
                let cost = if arm == 4 { GIVEN_UP } else { 1.0 };
                portfolio.credit(arm, 0.1, cost);
            });
        }
        let found = draws(&portfolio);
        let least = found.iter().min();
        assert_eq!(Some(&found[4]), least, "{found:?}");
    }
}
