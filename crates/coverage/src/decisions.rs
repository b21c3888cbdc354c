//! The decisions of a program, as runs meet them: which edges of the control flow decide which of their conditions.
//!
//! Conditions that the compiler folds to a constant decide nothing and are passed over; a decision without any other is
//! none. Must hold: every edge belongs to conditions of its own function.

use std::ops::Range;

use program::decision::{self, Next, Origin, Problem};
use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use program::{Counter, EdgeId, PrimaryMap, Program, SiteId, SiteKind, SourceRange};

use crate::goal::Side;
use crate::vector::Vector;

program::entity!(
    /// A decision with several conditions.
    DecisionId, "decision"
);

/// A decision with several conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Index into [`Program::coverage`].
    pub record: u32,
    /// Who says that it is one.
    pub origin: Origin,
    /// Why its evaluations are not followed.
    pub problem: Option<Problem>,
    /// Index into the files of its record.
    pub file: u32,
    pub range: SourceRange,
    /// In the order of evaluation.
    pub conditions: Vec<Condition>,
    /// For each condition, what follows when it is false, when it is true: what is folded is passed over.
    pub next: Vec<[Next; 2]>,
    /// The first condition that is not folded.
    pub first: u16,
}

/// A condition of a [`Decision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Index into the regions of the record.
    pub region: u32,
    /// Nothing decides it: it is a constant.
    pub folded: bool,
    /// How often it was false, was true.
    pub counts: [Counter; 2],
}

/// An edge decides a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    pub edge: EdgeId,
    pub decision: DecisionId,
    pub condition: u16,
    pub side: bool,
}

/// The decisions of a program, with the edges that decide their conditions.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    all: PrimaryMap<DecisionId, Decision>,
    /// For each record.
    of_record: Vec<Range<u32>>,
    /// For each record, regions of conditions that are decisions by themselves.
    single: Vec<Vec<u32>>,
    /// For each record, regions that are labels of a `switch`.
    labels: Vec<Vec<u32>>,
    /// Sorted.
    steps: Vec<Step>,
}

impl Decisions {
    /// The decisions of a program.
    #[must_use]
    pub fn new(program: &Program, outcomes: &ConditionOutcomes) -> Decisions {
        let mut decisions = Decisions::default();
        for (number, record) in (0u32..).zip(&program.coverage) {
            let first = decisions.all.next_key().as_u32();
            for decision in &record.decisions {
                decisions.add(program, number, decision, outcomes);
            }
            decisions
                .of_record
                .push(first..decisions.all.next_key().as_u32());
            let is_label = |region: u32| {
                site_of(outcomes, number, region)
                    .is_some_and(|site| matches!(program.sites[site].kind, SiteKind::Switch { .. }))
            };
            let among_others = |region: &u32| {
                let mut decisions = record.decisions.iter();
                decisions.any(|decision| decision.regions().any(|other| other == *region))
            };
            let conditions = (0..record.regions.len() as u32).filter(|at| record.is_condition(*at));
            let (labels, others): (Vec<u32>, Vec<u32>) =
                conditions.partition(|region| is_label(*region));
            let single = others.into_iter().filter(|region| !among_others(region));
            decisions.single.push(single.collect());
            decisions.labels.push(labels);
        }
        decisions.steps.sort_unstable();
        decisions
    }

    fn add(
        &mut self,
        program: &Program,
        number: u32,
        decision: &decision::Decision,
        outcomes: &ConditionOutcomes,
    ) {
        let record = &program.coverage[number as usize];
        let sides = |region: u32| {
            [false, true].map(
                |side| match outcomes.of(number as usize, region as usize, side) {
                    Some(OutcomeEdges::AnyOf(edges)) => edges.as_slice(),
                    _ => &[],
                },
            )
        };
        let conditions: Vec<Condition> = decision
            .regions()
            .map(|at| {
                let region = &record.regions[at as usize];
                Condition {
                    region: at,
                    folded: !record.is_condition(at),
                    counts: [region.false_count().unwrap_or(Counter::Zero), region.count],
                }
            })
            .collect();
        let decided = |region: u32| sides(region).iter().any(|edges| !edges.is_empty());
        if !decision.regions().any(decided) {
            // The whole of it is a constant.
            return;
        }
        let next: Vec<[Next; 2]> = decision
            .conditions
            .iter()
            .map(|condition| condition.next)
            .collect();
        let folded: Vec<bool> = conditions
            .iter()
            .map(|condition| condition.folded)
            .collect();
        let resolved = match decision.problem {
            None => without_folded(&next, &folded),
            Some(_) => None,
        };
        let problem = match resolved {
            Some(_) => None,
            None => Some(decision.problem.unwrap_or(Problem::Unreadable)),
        };
        let (first, next) = resolved.unwrap_or((0, next));
        let id = self.all.push(Decision {
            record: number,
            origin: decision.origin,
            problem,
            file: decision.file,
            range: decision.range,
            conditions,
            next,
            first,
        });
        if problem.is_some() {
            return;
        }
        // A condition that nothing branches on (it never returns) has no edges of its own: those that lead to it belong to
        // the condition before.
        let sites: Vec<_> = decision
            .regions()
            .map(|region| site_of(outcomes, number, region))
            .collect();
        for (condition, region) in (0_u16..).zip(decision.regions()) {
            let own = sites[usize::from(condition)];
            let others = |edge: EdgeId| {
                let site = Some(program.edges[edge].site);
                own != site && sites.contains(&site)
            };
            for (side, edges) in [false, true].into_iter().zip(sides(region)) {
                let edges = edges.iter().filter(|edge| !others(**edge));
                self.steps.extend(edges.map(|edge| Step {
                    edge: *edge,
                    decision: id,
                    condition,
                    side,
                }));
            }
        }
    }

    /// One decision.
    ///
    /// # Panics
    /// When it belongs to another program.
    #[must_use]
    pub fn get(&self, decision: DecisionId) -> &Decision {
        &self.all[decision]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All, in the order of records.
    pub fn iter(&self) -> impl Iterator<Item = (DecisionId, &Decision)> {
        self.all.iter()
    }

    /// The decisions of a record.
    pub fn of_record(&self, record: u32) -> impl Iterator<Item = DecisionId> + use<> {
        let range = self.of_record.get(record as usize).cloned();
        range.unwrap_or_default().map(DecisionId::from_u32)
    }

    /// Regions of a record whose condition is a decision by itself.
    #[must_use]
    pub fn single(&self, record: u32) -> &[u32] {
        self.single.get(record as usize).map_or(&[], Vec::as_slice)
    }

    /// Is a region the label of a `switch`, or its default?
    #[must_use]
    pub fn is_label(&self, record: u32, region: u32) -> bool {
        let labels = self.labels.get(record as usize);
        labels.is_some_and(|labels| labels.binary_search(&region).is_ok())
    }

    /// What an edge decides.
    pub fn steps(&self, edge: EdgeId) -> &[Step] {
        let start = self.steps.partition_point(|step| step.edge < edge);
        let rest = &self.steps[start..];
        let len = rest.partition_point(|step| step.edge == edge);
        &rest[..len]
    }

    /// What decides the conditions of a decision, sorted by edge.
    pub fn steps_of(&self, decision: DecisionId) -> impl Iterator<Item = &Step> {
        let steps = self.steps.iter();
        steps.filter(move |step| step.decision == decision)
    }

    /// Is it known of every way to a side of a decision which edges take it?
    #[must_use]
    pub fn has_edges(&self, decision: DecisionId, side: Side) -> bool {
        let steps: Vec<&Step> = self.steps_of(decision).collect();
        let taken = |(at, value): (usize, bool)| {
            let mut steps = steps.iter();
            steps.any(|step| (usize::from(step.condition), step.side) == (at, value))
        };
        self.all[decision].ends(side).all(taken)
    }

    /// All of them, sorted by edge.
    pub(crate) fn all_steps(&self) -> &[Step] {
        &self.steps
    }
}

impl Decision {
    /// Every vector that the operators allow; `None` when there are too many.
    #[must_use]
    pub fn evaluations(&self) -> Option<Vec<Vector>> {
        const MOST: usize = 4096;
        let mut all = Vec::new();
        let mut work = vec![(self.first, Vector::default())];
        while let Some((at, before)) = work.pop() {
            for value in [true, false] {
                let mut vector = before;
                vector.set(at, value);
                match self.next[usize::from(at)][usize::from(value)] {
                    Next::Condition(next) => work.push((next, vector)),
                    Next::End(outcome) => all.push(Vector { outcome, ..vector }),
                }
            }
            if all.len() + work.len() > MOST {
                return None;
            }
        }
        Some(all)
    }

    /// The counts of which one is not 0 when the decision came to this.
    pub fn counts_of(&self, side: Side) -> impl Iterator<Item = Counter> {
        self.ends(side)
            .map(|(condition, value)| self.conditions[condition].counts[usize::from(value)])
    }

    /// The ways to this outcome: a condition, and its value.
    pub fn ends(&self, side: Side) -> impl Iterator<Item = (usize, bool)> {
        let end = Next::End(side == Side::True);
        let ways = self.next.iter().enumerate().flat_map(move |(at, next)| {
            let fits = [false, true].map(|value| next[usize::from(value)] == end);
            [(at, false, fits[0]), (at, true, fits[1])]
        });
        ways.filter(|(at, _, fits)| *fits && !self.conditions[*at].folded)
            .map(|(at, value, _)| (at, value))
    }
}

/// The site that decides a condition.
fn site_of(outcomes: &ConditionOutcomes, record: u32, region: u32) -> Option<SiteId> {
    let conditions = outcomes.of_function(record as usize);
    let found = conditions
        .binary_search_by_key(&region, |condition| condition.region)
        .ok()?;
    conditions[found].site
}

/// Most conditions of a decision that may be folded.
const FOLDED: usize = 8;

/// The first condition that is evaluated, and what follows each, when those that are folded are passed over. What they are
/// folded to nobody says; but it is what lets every other condition be evaluated and matter, or that one were folded too.
fn without_folded(next: &[[Next; 2]], folded: &[bool]) -> Option<(u16, Vec<[Next; 2]>)> {
    let constants: Vec<usize> = (0..next.len()).filter(|at| folded[*at]).collect();
    if constants.len() > FOLDED {
        return None;
    }
    (0_u32..1 << constants.len()).find_map(|values| {
        let pass = |mut to: Next| {
            while let Next::Condition(at) = to {
                let Some(constant) = constants.iter().position(|it| *it == usize::from(at)) else {
                    break;
                };
                to = next[usize::from(at)][(values >> constant & 1) as usize];
            }
            to
        };
        let Next::Condition(first) = pass(Next::Condition(0)) else {
            return None;
        };
        let passed: Vec<[Next; 2]> = next.iter().map(|pair| pair.map(pass)).collect();
        let mut reached = vec![false; next.len()];
        reached[usize::from(first)] = true;
        for at in 0..next.len() {
            if folded[at] {
                continue;
            }
            if !reached[at] || passed[at][0] == passed[at][1] {
                return None;
            }
            for to in passed[at] {
                if let Next::Condition(to) = to {
                    reached[usize::from(to)] = true;
                }
            }
        }
        Some((first, passed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use Next::{Condition as C, End};

    const AND: [[Next; 2]; 2] = [[End(false), C(1)], [End(false), End(true)]];

    #[test]
    fn folded_conditions_are_passed_over() {
        let and = AND;
        let or = [[C(1), End(true)], [End(false), End(true)]];
        // `a && 1`, `1 && a`, `a || 0`.
        let (first, next) = without_folded(&and, &[false, true]).expect("a decides");
        assert_eq!((first, next[0]), (0, [End(false), End(true)]));
        let (first, next) = without_folded(&and, &[true, false]).expect("a decides");
        assert_eq!((first, next[1]), (1, [End(false), End(true)]));
        let (first, next) = without_folded(&or, &[false, true]).expect("a decides");
        assert_eq!((first, next[0]), (0, [End(false), End(true)]));
        // `(a && 1) || b`.
        let both = [[C(2), C(1)], [C(2), End(true)], [End(false), End(true)]];
        let (first, next) = without_folded(&both, &[false, true, false]).expect("both decide");
        assert_eq!((first, next[0]), (0, [C(2), End(true)]));
    }

    #[test]
    fn sides_of_decisions_have_edges() {
        let (program, _) = crate::sample::decisions();
        let goals = crate::Goals::new(&program, &crate::criterion::mcdc::UNIQUE_CAUSE);
        let decisions = goals.decisions();
        assert!(!decisions.is_empty() && decisions.len() == decisions.iter().count());
        for (id, _) in decisions.iter() {
            for side in Side::BOTH {
                assert!(decisions.has_edges(id, side), "{id} {side:?}");
            }
        }
    }

    /// Every count of `c` in `b && c` is one that nothing increments: only `b` is known to be decided by edges.
    #[test]
    fn a_side_without_an_edge_for_each_way_has_none() {
        let (mut program, _) = crate::sample::of_next(&[&AND]);
        let region = &mut program.coverage[0].regions[2];
        region.count = Counter::Counter(3);
        region.kind = program::RegionKind::Branch {
            false_count: Counter::Counter(6),
        };
        let goals = crate::Goals::new(&program, &crate::criterion::decision::Decision);
        let decisions = goals.decisions();
        let steps = decisions.all_steps().iter();
        let steps: Vec<_> = steps.map(|step| (step.condition, step.side)).collect();
        assert_eq!(steps, [(0, false), (0, true)]);
        let known = Side::BOTH.map(|side| decisions.has_edges(DecisionId::from_u32(0), side));
        assert_eq!(known, [false, false]);
    }

    #[test]
    fn a_program_without_decisions_has_none() {
        let mut builder = crate::sample::Builder::new();
        crate::sample::simple(&mut builder, "main", 1, "a.c");
        let goals = crate::Goals::new(&builder.program, &crate::criterion::decision::Decision);
        assert!(goals.decisions().is_empty() && !goals.is_empty());
        // Nor has one whose decision is a constant: nothing branches on its conditions.
        let (mut constant, _) = crate::sample::of_next(&[&AND]);
        for region in &mut constant.coverage[0].regions {
            region.count = Counter::Zero;
            if let program::RegionKind::Branch { false_count } = &mut region.kind {
                *false_count = Counter::Zero;
            }
        }
        let goals = crate::Goals::new(&constant, &crate::criterion::decision::Decision);
        assert_eq!((goals.decisions().len(), goals.len()), (0, 1));
    }

    /// Conditions behind which the next one comes either way: twice as many evaluations with each.
    #[test]
    fn evaluations_are_counted_up_to_4096() {
        for (conditions, expected) in [(1, Some(2)), (2, Some(4)), (12, Some(4096)), (13, None)] {
            let mut next: Vec<[Next; 2]> = (1..conditions).map(|to| [C(to), C(to)]).collect();
            next.push([End(false), End(true)]);
            let decision = Decision {
                record: 0,
                origin: Origin::Clang,
                problem: None,
                file: 0,
                range: SourceRange::default(),
                conditions: Vec::new(),
                next,
                first: 0,
            };
            let all = decision.evaluations();
            assert_eq!(all.as_ref().map(Vec::len), expected, "{conditions}");
            let distinct =
                |all: Vec<Vector>| all.into_iter().collect::<std::collections::BTreeSet<_>>();
            assert_eq!(all.map(|all| distinct(all).len()), expected, "{conditions}");
        }
    }

    /// `a`, and constants that it is combined with: up to eight are tried.
    #[test]
    fn several_constants_are_passed_over() {
        for (constants, found) in [(2, true), (8, true), (9, false)] {
            // With `&&` all are true, with `||` all are false.
            for other in [false, true] {
                let pair = |to: Next| match other {
                    false => [End(false), to],
                    true => [to, End(true)],
                };
                let mut next: Vec<[Next; 2]> = (1..=constants).map(|to| pair(C(to))).collect();
                next.push(pair(End(!other)));
                let mut folded = vec![true; next.len()];
                folded[0] = false;
                let passed = without_folded(&next, &folded);
                let own = passed.map(|(first, next)| (first, next[0]));
                let expected = found.then_some((0, [End(false), End(true)]));
                assert_eq!(own, expected, "{constants} {other}");
            }
        }
    }
}
