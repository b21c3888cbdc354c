//! Smaller suites that cover the same.
//!
//! Which tests to keep is a set cover: each goal that the suite covers wants one of the tests that cover it. A pair of vectors wants
//! two: one that shows each half. Greedy choice is at most ln(n) + 1 times the optimum for n goals (Chvátal, "A greedy heuristic for
//! the set-covering problem", 1979); what it leaves is completed to whole pairs, and every test that is not needed any more is
//! dropped. How far from the optimum that may be says a lower bound: the optimum of a weaker question, in which a goal wants any
//! half of any of its pairs of each kind, found by branch and bound, or, where that takes too long, the number of goals no two of which
//! are covered by one test.
//!
//! Must hold: what is kept covers what the whole suite covers; no suite of the same tests that does has fewer than `at_least`.

use std::collections::{BTreeMap, BTreeSet};

use crate::decisions::DecisionId;
use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;
use crate::vector::Vector;

/// What one test shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// Goals that it covers by itself.
    pub goals: Vec<GoalId>,
    /// Goals that its counts cover, though it does not take them.
    pub untaken: Vec<GoalId>,
    /// Vectors of decisions.
    pub vectors: Vec<(DecisionId, Vector)>,
    /// Kept for a reason of its own (a failure).
    pub needed: bool,
}

/// A smaller suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minimal {
    /// Indices of the tests to keep, in order.
    pub kept: Vec<usize>,
    /// No suite with fewer of these tests covers the same.
    pub at_least: usize,
}

/// Something that one of some tests has to show.
type Want = Vec<usize>;

/// Finds tests that cover what all of them do.
#[must_use]
pub fn minimise(goals: &Goals, tests: &[Shows]) -> Minimal {
    let pairs = Pairs::of(goals, tests);
    let needed: BTreeSet<usize> = (0..tests.len()).filter(|at| tests[*at].needed).collect();
    let wants: Vec<Want> = wants(tests, &pairs)
        .into_iter()
        .filter(|want| !want.iter().any(|test| needed.contains(test)))
        .collect();
    let mut kept: BTreeSet<usize> = needed.clone();
    kept.extend(greedy(&wants, tests.len()));
    pairs.complete(&mut kept);
    drop_redundant(&mut kept, &needed, &wants, &pairs);
    let (exact, bound) = optimum(&wants, kept.len().saturating_sub(needed.len()));
    if let Some(exact) = exact {
        let mut other: BTreeSet<usize> = needed.clone();
        other.extend(exact);
        pairs.complete(&mut other);
        if other.len() < kept.len() {
            kept = other;
        }
    }
    Minimal {
        kept: kept.into_iter().collect(),
        at_least: needed.len() + bound,
    }
}

/// The pairs that the tests show: for each goal the pairs of tests that show one.
struct Pairs {
    /// For each goal: tests that show a false half, a true half, and which of them fit together.
    goals: Vec<Halves>,
}

struct Halves {
    halves: [BTreeSet<usize>; 2],
    fits: BTreeSet<(usize, usize)>,
}

impl Pairs {
    fn of(goals: &Goals, tests: &[Shows]) -> Pairs {
        let mut all = Vec::new();
        for (_, goal) in goals.iter() {
            let Evidence::Pair {
                decision,
                condition,
            } = goal.evidence
            else {
                continue;
            };
            let shown = |value: bool| -> Vec<(usize, &Vector)> {
                tests
                    .iter()
                    .enumerate()
                    .flat_map(|(at, test)| test.vectors.iter().map(move |it| (at, it)))
                    .filter(|(_, (own, vector))| {
                        *own == decision && vector.value(condition) == Some(value)
                    })
                    .map(|(at, (_, vector))| (at, vector))
                    .collect()
            };
            let mut halves = [BTreeSet::new(), BTreeSet::new()];
            let mut fits = BTreeSet::new();
            for (a, first) in shown(false) {
                for (b, second) in shown(true) {
                    if goals.is_pair(decision, condition, (first, second)) {
                        halves[0].insert(a);
                        halves[1].insert(b);
                        fits.insert((a, b));
                    }
                }
            }
            if !fits.is_empty() {
                all.push(Halves { halves, fits });
            }
        }
        Pairs { goals: all }
    }

    fn are_in(&self, kept: &BTreeSet<usize>) -> bool {
        self.goals.iter().all(|goal| goal.is_in(kept))
    }

    /// Adds the fewest tests for each pair that is missing.
    fn complete(&self, kept: &mut BTreeSet<usize>) {
        for goal in &self.goals {
            if goal.is_in(kept) {
                continue;
            }
            let more = |(a, b): &&(usize, usize)| {
                let new = [a, b].into_iter().filter(|test| !kept.contains(test));
                new.collect::<BTreeSet<_>>().len()
            };
            if let Some((a, b)) = goal.fits.iter().min_by_key(more) {
                kept.extend([*a, *b]);
            }
        }
    }
}

impl Halves {
    fn is_in(&self, kept: &BTreeSet<usize>) -> bool {
        self.fits
            .iter()
            .any(|(a, b)| kept.contains(a) && kept.contains(b))
    }
}

/// What the kept tests have to show, each with the tests that do.
fn wants(tests: &[Shows], pairs: &Pairs) -> Vec<Want> {
    let mut by_goal: BTreeMap<GoalId, Want> = BTreeMap::new();
    for (at, test) in tests.iter().enumerate() {
        for goal in &test.goals {
            by_goal.entry(*goal).or_default().push(at);
        }
    }
    // Where some test takes a goal, none does that only counts it.
    let mut counted: BTreeMap<GoalId, Want> = BTreeMap::new();
    for (at, test) in tests.iter().enumerate() {
        for goal in test
            .untaken
            .iter()
            .filter(|goal| !by_goal.contains_key(goal))
        {
            counted.entry(*goal).or_default().push(at);
        }
    }
    by_goal.append(&mut counted);
    let mut wants: Vec<Want> = by_goal.into_values().collect();
    for goal in &pairs.goals {
        wants.extend(
            goal.halves
                .iter()
                .map(|half| half.iter().copied().collect()),
        );
    }
    wants.sort();
    wants.dedup();
    wants
}

/// Always the test that shows most of what is still wanted.
fn greedy(wants: &[Want], tests: usize) -> Vec<usize> {
    let mut open: Vec<bool> = vec![true; wants.len()];
    let mut chosen = Vec::new();
    loop {
        let mut worth = vec![0_usize; tests];
        for (want, _) in wants.iter().zip(&open).filter(|(_, open)| **open) {
            want.iter().for_each(|test| worth[*test] += 1);
        }
        // The first of those that are worth most.
        let best = (0..tests).max_by_key(|test| (worth[*test], std::cmp::Reverse(*test)));
        let Some(best) = best.filter(|best| worth[*best] > 0) else {
            return chosen;
        };
        chosen.push(best);
        for (want, open) in wants.iter().zip(&mut open) {
            *open &= !want.contains(&best);
        }
    }
}

/// Drops tests whose work others do, later ones first.
fn drop_redundant(
    kept: &mut BTreeSet<usize>,
    needed: &BTreeSet<usize>,
    wants: &[Want],
    pairs: &Pairs,
) {
    let order: Vec<usize> = kept.iter().copied().rev().collect();
    for test in order {
        if needed.contains(&test) {
            continue;
        }
        kept.remove(&test);
        let met = |want: &Want| want.iter().any(|test| kept.contains(test));
        if !(wants.iter().all(met) && pairs.are_in(kept)) {
            kept.insert(test);
        }
    }
}

/// Nodes of the search for the optimum.
const NODES: usize = 50_000;

/// A smallest choice that meets all wants if it has fewer than `known` tests and is found in time, and a lower bound.
fn optimum(wants: &[Want], known: usize) -> (Option<Vec<usize>>, usize) {
    let open: Vec<usize> = (0..wants.len()).collect();
    let bound = disjoint(wants, &open);
    let mut search = Search {
        wants,
        best: None,
        limit: known,
        left: NODES,
    };
    search.go(&open, &mut Vec::new());
    if search.left == 0 {
        return (search.best, bound);
    }
    let exact = search.best.as_ref().map_or(known, Vec::len);
    (search.best, exact)
}

struct Search<'a> {
    wants: &'a [Want],
    best: Option<Vec<usize>>,
    /// Only fewer tests than this are of interest.
    limit: usize,
    left: usize,
}

impl Search<'_> {
    fn go(&mut self, open: &[usize], chosen: &mut Vec<usize>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if open.is_empty() {
            if chosen.len() < self.limit {
                self.limit = chosen.len();
                self.best = Some(chosen.clone());
            }
            return;
        }
        if chosen.len() + disjoint(self.wants, open) >= self.limit {
            return;
        }
        let Some(hardest) = open.iter().min_by_key(|want| self.wants[**want].len()) else {
            return;
        };
        for test in self.wants[*hardest].clone() {
            let rest: Vec<usize> = open
                .iter()
                .copied()
                .filter(|want| !self.wants[*want].contains(&test))
                .collect();
            chosen.push(test);
            self.go(&rest, chosen);
            chosen.pop();
        }
    }
}

/// Wants no two of which one test meets: each needs a test of its own.
fn disjoint(wants: &[Want], open: &[usize]) -> usize {
    let mut order: Vec<usize> = open.to_vec();
    order.sort_by_key(|want| wants[*want].len());
    let mut taken = BTreeSet::new();
    let mut count = 0;
    for want in order {
        if wants[want].iter().all(|test| !taken.contains(test)) {
            taken.extend(wants[want].iter().copied());
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::{branch::Branch, mcdc};
    use crate::sample;

    /// Tests by the goals that they cover; the kept ones and the bound.
    fn check(tests: &[&[u32]], kept: &[usize], at_least: usize) {
        let (program, _) = sample::decisions();
        let goals = Goals::new(&program, &Branch);
        let tests: Vec<Shows> = tests
            .iter()
            .map(|list| Shows {
                goals: list.iter().map(|goal| GoalId::from_u32(*goal)).collect(),
                ..Shows::default()
            })
            .collect();
        let found = minimise(&goals, &tests);
        assert_eq!((found.kept.as_slice(), found.at_least), (kept, at_least));
    }

    #[test]
    fn what_others_cover_is_dropped() {
        check(&[], &[], 0);
        check(&[&[0], &[0, 1], &[1]], &[1], 1);
        check(&[&[0, 1], &[1, 2], &[2, 0]], &[0, 1], 2);
        // Greedy takes the large one first and needs three.
        check(&[&[0, 1, 2, 3], &[0, 1, 4], &[2, 3, 5]], &[1, 2], 2);
    }

    #[test]
    fn pairs_keep_both_halves() {
        let (program, _) = sample::decisions();
        let goals = Goals::new(&program, &mcdc::UNIQUE_CAUSE);
        let vector = |letters: &str, outcome| {
            let mut vector = Vector {
                outcome,
                ..Vector::default()
            };
            for (condition, letter) in (0..).zip(letters.chars()).filter(|(_, it)| *it != '-') {
                vector.set(condition, letter == 'T');
            }
            (DecisionId::from_u32(0), vector)
        };
        let test = |vectors: &[(DecisionId, Vector)]| Shows {
            vectors: vectors.to_vec(),
            ..Shows::default()
        };
        let (short, half, whole) = (vector("F-", false), vector("TF", false), vector("TT", true));
        let tests = [
            test(&[short]),
            test(&[half]),
            test(&[whole]),
            test(&[short, half]),
        ];
        let found = minimise(&goals, &tests);
        assert_eq!((found.kept, found.at_least), (vec![2, 3], 2));
        let needed = Shows {
            needed: true,
            ..Shows::default()
        };
        let found = minimise(&goals, &[needed, test(&[half])]);
        assert_eq!(
            (found.kept, found.at_least),
            (vec![0], 1),
            "half a pair is nothing"
        );
    }

    /// What is kept of a suite, which is enough, and the size of the smallest part that is: what is promised is no more.
    fn minimised(goals: &Goals, tests: &[Shows], round: u64) -> (Minimal, usize) {
        let found = minimise(goals, tests);
        assert!(
            is_enough(goals, tests, &found.kept),
            "{round}: {found:?} {tests:?}"
        );
        let part = |bits: usize| -> Vec<usize> {
            (0..tests.len()).filter(|at| bits >> at & 1 == 1).collect()
        };
        let parts = (0..1 << tests.len()).map(part);
        let enough = parts.filter(|part| is_enough(goals, tests, part));
        let best = enough.map(|part| part.len()).min();
        let best = best.expect("the whole suite is");
        assert!(found.at_least <= best, "{round}: {found:?}, not {best}");
        (found, best)
    }

    /// Does a part of a suite show all that the whole suite shows?
    fn is_enough(goals: &Goals, tests: &[Shows], kept: &[usize]) -> bool {
        let chosen =
            |kept: &[usize]| -> Vec<Shows> { kept.iter().map(|at| tests[*at].clone()).collect() };
        let all: Vec<usize> = (0..tests.len()).collect();
        let (part, whole) = (chosen(kept), chosen(&all));
        let taken = |suite: &[Shows]| -> BTreeSet<GoalId> {
            suite.iter().flat_map(|test| test.goals.clone()).collect()
        };
        let counted = |suite: &[Shows]| -> BTreeSet<GoalId> {
            let untaken = suite.iter().flat_map(|test| test.untaken.clone());
            untaken.chain(taken(suite)).collect()
        };
        let paired = |suite: &[Shows], decision, condition| {
            let vectors = || {
                let all = suite.iter().flat_map(|test| &test.vectors);
                all.filter(move |(own, _)| *own == decision)
            };
            vectors().any(|(_, a)| {
                vectors().any(|(_, b)| {
                    let sides = (a.value(condition), b.value(condition));
                    sides == (Some(false), Some(true)) && goals.is_pair(decision, condition, (a, b))
                })
            })
        };
        let pairs = goals.iter().all(|(_, goal)| match goal.evidence {
            Evidence::Pair {
                decision,
                condition,
            } => paired(&part, decision, condition) || !paired(&whole, decision, condition),
            _ => true,
        });
        let needed = tests.iter().enumerate().filter(|(_, test)| test.needed);
        pairs
            && needed.into_iter().all(|(at, _)| kept.contains(&at))
            && taken(&part) == taken(&whole)
            && counted(&part) == counted(&whole)
    }

    /// Random suites against all their parts.
    #[test]
    fn no_part_of_a_suite_that_is_enough_is_smaller_than_the_bound() {
        let (program, _) = sample::decisions();
        let goals = Goals::new(&program, &mcdc::UNIQUE_CAUSE);
        let mut random = sample::Random::new(7);
        let evaluations = goals.decisions().get(DecisionId::from_u32(0)).evaluations();
        let evaluations = evaluations.expect("they are few");
        let (mut exact, mut pairs) = (0, 0);
        for round in 0..300 {
            let with_pairs = round % 2 == 0;
            let mut tests = Vec::new();
            for _ in 0..random.below(8) {
                let mut test = Shows::default();
                for goal in 0..6 {
                    match random.below(5) {
                        0 => test.goals.push(GoalId::from_u32(goal)),
                        1 => test.untaken.push(GoalId::from_u32(goal)),
                        _ => {}
                    }
                }
                if with_pairs && random.below(2) == 0 {
                    let vector = evaluations[random.below(evaluations.len())];
                    test.vectors.push((DecisionId::from_u32(0), vector));
                }
                test.needed = random.below(9) == 0;
                tests.push(test);
            }
            let (found, best) = minimised(&goals, &tests, round);
            assert!(
                found.kept.len() <= best + usize::from(with_pairs),
                "{round}: {found:?}, not {best}"
            );
            if !with_pairs {
                assert_eq!((found.kept.len(), found.at_least), (best, best), "{round}");
            }
            exact += usize::from(found.kept.len() == best);
            pairs += usize::from(with_pairs);
        }
        assert!(pairs == 150 && exact >= 290, "{exact}");
    }

    /// Larger suites of goals alone: no choice has fewer tests, although one after the other would take more.
    #[test]
    fn the_smallest_choice_is_found() {
        let (program, _) = sample::decisions();
        let goals = Goals::new(&program, &Branch);
        let mut random = sample::Random::new(11);
        let mut better = 0;
        for round in 0..200 {
            let mut tests = vec![Shows::default(); 12];
            let mut masks = vec![0_u32; 20];
            for (at, test) in tests.iter_mut().enumerate() {
                for (goal, mask) in (0..).zip(&mut masks) {
                    if random.below(4) == 0 {
                        test.goals.push(GoalId::from_u32(goal));
                        *mask |= 1 << at;
                    }
                }
            }
            masks.retain(|mask| *mask != 0);
            let is_enough = |choice: &u32| masks.iter().all(|mask| mask & choice != 0);
            let choices = (0..1_u32 << tests.len()).filter(is_enough);
            let best = choices.map(u32::count_ones).min().expect("all are enough") as usize;
            let found = minimise(&goals, &tests);
            assert_eq!((found.kept.len(), found.at_least), (best, best), "{round}");
            let wants = wants(&tests, &Pairs { goals: Vec::new() });
            better += usize::from(greedy(&wants, tests.len()).len() > best);
        }
        assert!(better > 20, "{better}");
    }

    /// Eight times three tests of which any two are needed: too many choices to look at, so the bound is that of goals without a common
    /// test.
    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        let tests: Vec<[u32; 2]> = (0..8)
            .flat_map(|at| {
                [
                    [3 * at, 3 * at + 1],
                    [3 * at + 1, 3 * at + 2],
                    [3 * at + 2, 3 * at],
                ]
            })
            .collect();
        let tests: Vec<&[u32]> = tests.iter().map(<[u32; 2]>::as_slice).collect();
        let kept: Vec<usize> = (0..24).filter(|at| at % 3 != 2).collect();
        check(&tests, &kept, 8);
        check(&tests[..12], &kept[..8], 8);
    }

    /// Random suites for `(a && b) || c`, where halves do not all fit together: what is kept shows all pairs, with one test
    /// more in all than it takes.
    #[test]
    fn suites_of_pairs_are_small() {
        use program::decision::Next::{Condition as C, End};
        let next = [[C(2), C(1)], [C(2), End(true)], [End(false), End(true)]];
        let (program, _) = sample::of_next(&[&next]);
        for (criterion, expected) in [
            (&mcdc::UNIQUE_CAUSE, (751, 750)),
            (&mcdc::MASKING, (745, 745)),
        ] {
            let goals = Goals::new(&program, criterion);
            let decision = DecisionId::from_u32(0);
            let evaluations = goals.decisions().get(decision).evaluations();
            let evaluations = evaluations.expect("they are few");
            let mut random = sample::Random::new(5);
            let (mut kept, mut best) = (0, 0);
            for round in 0..300 {
                let mut tests = Vec::new();
                for _ in 0..2 + random.below(6) {
                    let mut test = Shows::default();
                    for _ in 0..1 + random.below(2) {
                        let vector = evaluations[random.below(evaluations.len())];
                        test.vectors.push((decision, vector));
                    }
                    if random.below(3) == 0 {
                        test.goals.push(GoalId::from_u32(random.below(4) as u32));
                    }
                    tests.push(test);
                }
                let (found, smallest) = minimised(&goals, &tests, round);
                kept += found.kept.len();
                best += smallest;
            }
            assert_eq!((kept, best), expected);
        }
    }
}
