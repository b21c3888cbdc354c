//! What is missing of pairs of vectors: which evaluation of a decision that no test has shown would cover a goal, together
//! with one that a test has.
//!
//! Must hold: when in doubt (a decision with very many evaluations, a path that does not say how the evaluation began),
//! every edge of an open goal's condition counts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use program::decision::Next;
use program::{EdgeId, Program};

use super::{Back, WHOLE};
use crate::decisions::{Decision, DecisionId};
use crate::eval::Eval;
use crate::goal::{Evidence, GoalId};
use crate::goals::Goals;
use crate::vector::Vector;
use crate::wiring::Lists;

/// Evaluations of a decision that are all looked at.
const MOST: usize = 256;
/// Steps that are looked at for the beginning of an evaluation: calls in conditions may be long.
const FARTHEST: usize = 10_000;

/// The evaluations that would complete a pair, by the edges that they begin with.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// For each edge: decision, condition, value.
    steps: Lists<(DecisionId, u16, bool)>,
    plans: BTreeMap<DecisionId, Plan>,
    /// Of each edge, what a vector through it would be worth, in halves of goals.
    gains: Vec<u32>,
}

/// A decision with pairs for goals.
#[derive(Clone, Debug)]
struct Plan {
    first: u16,
    next: Vec<[Next; 2]>,
    edges: Vec<(EdgeId, u16, bool)>,
    goals: Vec<Pair>,
    /// All its evaluations, if they are not too many, and whether a test has shown each.
    all: Option<Vec<(Vector, bool)>>,
    /// How many were shown.
    shown: usize,
}

/// A goal that wants a pair.
#[derive(Clone, Debug)]
struct Pair {
    goal: GoalId,
    condition: u16,
    open: bool,
    /// Of the evaluations of its decision, by index: those that make a pair with another, and with a shown one.
    halves: Vec<bool>,
    missing: Vec<bool>,
}

impl Pairs {
    pub(super) fn new(program: &Program, goals: &Goals) -> Pairs {
        let mut pairs = Pairs {
            gains: vec![0; program.edges.len()],
            ..Pairs::default()
        };
        for (goal, known) in goals.iter() {
            let Evidence::Pair {
                decision,
                condition,
            } = known.evidence
            else {
                continue;
            };
            let plan = pairs.plans.entry(decision);
            let plan = plan.or_insert_with(|| Plan::new(goals.decisions().get(decision)));
            plan.goals.push(Pair {
                goal,
                condition,
                open: true,
                halves: Vec::new(),
                missing: Vec::new(),
            });
        }
        for edge in program.edges.keys() {
            let steps = goals.decisions().steps(edge).iter();
            let steps = steps.map(|step| (step.decision, step.condition, step.side));
            let steps: Vec<_> = steps
                .filter(|(decision, ..)| pairs.plans.contains_key(decision))
                .collect();
            for (decision, condition, side) in &steps {
                if let Some(plan) = pairs.plans.get_mut(decision) {
                    plan.edges.push((edge, *condition, *side));
                }
            }
            pairs.steps.push(steps);
        }
        for (&decision, plan) in &mut pairs.plans {
            plan.pair_up(decision, goals);
        }
        pairs.count();
        pairs
    }

    /// Takes note of what the tests have shown, and of goals that are not open any more. Says whether an edge gains more than
    /// before: where one half of a pair is shown, the other completes it.
    pub(super) fn update(&mut self, goals: &Goals, eval: &Eval, open: &[bool]) -> bool {
        for (&decision, plan) in &mut self.plans {
            for pair in &mut plan.goals {
                pair.open = open[pair.goal.index()];
            }
            let shown = eval.vectors(decision).count();
            if shown == std::mem::replace(&mut plan.shown, shown) {
                continue;
            }
            for (vector, is_shown) in plan.all.iter_mut().flatten() {
                *is_shown = eval.knows(decision, vector);
            }
            plan.pair_up(decision, goals);
        }
        let before = self.gains.clone();
        self.count();
        self.gains
            .iter()
            .zip(before)
            .any(|(now, before)| *now > before)
    }

    /// What a vector through the edge would be worth, in halves of goals.
    pub(super) fn gain(&self, edge: EdgeId) -> usize {
        self.gains
            .get(edge.index())
            .map_or(0, |gain| *gain as usize)
    }

    /// Does taking the edge, with these steps before it, complete a pair, or begin an evaluation that may and that no test has begun?
    pub(super) fn covers(&self, edge: EdgeId, before: &mut dyn Iterator<Item = Back>) -> bool {
        let steps = self.steps.get(edge.index());
        if steps.is_empty() || self.gain(edge) == 0 {
            return false;
        }
        let evaluated = self.evaluated(edge, before);
        steps.iter().zip(evaluated).any(|(step, evaluated)| {
            let plan = &self.plans[&step.0];
            match evaluated {
                Some(part) => !plan.began(part) && plan.may_complete(step.1, part),
                None => plan.may_complete(step.1, part(step.1, step.2)),
            }
        })
    }

    /// What tells apart paths to the same edge of which [`covers`](Pairs::covers) says different things; 0 where nothing does.
    pub(super) fn signature(&self, edge: EdgeId, before: &mut dyn Iterator<Item = Back>) -> u64 {
        if self.steps.get(edge.index()).is_empty() {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        self.evaluated(edge, before).hash(&mut hasher);
        hasher.finish().max(1)
    }

    /// For each step of an edge, what its decision has evaluated up to it, if the path says so.
    fn evaluated(
        &self,
        edge: EdgeId,
        before: &mut dyn Iterator<Item = Back>,
    ) -> Vec<Option<Vector>> {
        struct Way {
            vector: Vector,
            /// The condition that was evaluated last, walking back.
            at: u16,
            lost: bool,
        }
        let steps = self.steps.get(edge.index());
        let mut ways: Vec<Way> = steps
            .iter()
            .map(|step| Way {
                vector: part(step.1, step.2),
                at: step.1,
                lost: false,
            })
            .collect();
        let under_way = |ways: &[Way]| {
            let mut pairs = ways.iter().zip(steps);
            pairs.any(|(way, step)| !way.lost && way.at != self.plans[&step.0].first)
        };
        let mut depth = 0_u32;
        let mut left = FARTHEST;
        while under_way(&ways) {
            left -= 1;
            let found = match before.next().filter(|_| left > 0) {
                Some(Back::Return(_)) => {
                    depth += 1;
                    continue;
                }
                Some(Back::Call(_)) if depth > 0 => {
                    depth -= 1;
                    continue;
                }
                Some(Back::Edge(_)) if depth > 0 => continue,
                Some(Back::Edge(edge)) => self.steps.get(edge.index()),
                // The call begins, or `longjmp` came in between.
                Some(Back::Call(_) | Back::Resume(_)) | None => {
                    for (way, step) in ways.iter_mut().zip(steps) {
                        way.lost |= way.at != self.plans[&step.0].first;
                    }
                    break;
                }
            };
            for (way, step) in ways.iter_mut().zip(steps) {
                let plan = &self.plans[&step.0];
                let same = found.iter().find(|other| other.0 == step.0);
                let Some(&(_, condition, value)) = same.filter(|_| way.at != plan.first) else {
                    continue;
                };
                let to = plan.next[usize::from(condition)][usize::from(value)];
                if to == Next::Condition(way.at) {
                    way.vector.set(condition, value);
                    way.at = condition;
                } else {
                    way.lost = true;
                }
            }
        }
        let known = ways
            .into_iter()
            .map(|way| (!way.lost).then_some(way.vector));
        known.collect()
    }

    fn count(&mut self) {
        for plan in self.plans.values() {
            for (edge, ..) in &plan.edges {
                self.gains[edge.index()] = 0;
            }
        }
        for plan in self.plans.values() {
            for &(edge, condition, side) in &plan.edges {
                self.gains[edge.index()] += plan.gain(condition, side);
            }
        }
    }
}

/// An evaluation of which this is known.
fn part(condition: u16, value: bool) -> Vector {
    let mut vector = Vector::default();
    vector.set(condition, value);
    vector
}

/// Has an evaluation all that is known of another?
fn agrees(vector: &Vector, part: Vector) -> bool {
    vector.evaluated & part.evaluated == part.evaluated
        && vector.values & part.evaluated == part.values
}

impl Plan {
    fn new(decision: &Decision) -> Plan {
        let all = decision.evaluations().filter(|all| all.len() <= MOST);
        Plan {
            first: decision.first,
            next: decision.next.clone(),
            edges: Vec::new(),
            goals: Vec::new(),
            all: all.map(|all| all.into_iter().map(|vector| (vector, false)).collect()),
            shown: 0,
        }
    }

    /// Computes which evaluations are halves of pairs.
    fn pair_up(&mut self, decision: DecisionId, goals: &Goals) {
        let Some(all) = &self.all else { return };
        for pair in &mut self.goals {
            let of = |partner: &dyn Fn(bool) -> bool| {
                let with = |vector: &Vector| {
                    let mut others = all.iter().filter(|(_, is_shown)| partner(*is_shown));
                    others
                        .any(|(other, _)| goals.is_pair(decision, pair.condition, (vector, other)))
                };
                all.iter().map(|(vector, _)| with(vector)).collect()
            };
            if pair.halves.is_empty() {
                pair.halves = of(&|_| true);
            }
            pair.missing = of(&|is_shown| is_shown);
        }
    }

    /// The evaluations that agree with what is known of one and that no test has shown, by index.
    fn agreeing(&self, part: Vector) -> impl Iterator<Item = usize> {
        let all = self.all.iter().flatten().enumerate();
        all.filter(move |(_, (vector, is_shown))| !is_shown && agrees(vector, part))
            .map(|(index, _)| index)
    }

    /// Has a test shown an evaluation that begins like this? Then what it may become hangs on the conditions behind, and taking
    /// one of these the other way is another candidate.
    fn began(&self, part: Vector) -> bool {
        let mut all = self.all.iter().flatten();
        all.any(|(vector, is_shown)| *is_shown && agrees(vector, part))
    }

    /// Would an evaluation that begins like this complete a pair?
    fn may_complete(&self, condition: u16, part: Vector) -> bool {
        let mut open = self.goals.iter().filter(|pair| pair.open);
        if self.all.is_none() {
            return open.any(|pair| pair.condition == condition);
        }
        open.any(|pair| self.agreeing(part).any(|index| pair.missing[index]))
    }

    /// The best that an evaluation with this value can do: [`WHOLE`] for each open goal of which it would complete a pair, 1 for each of
    /// which it would be the first half.
    fn gain(&self, condition: u16, side: bool) -> u32 {
        let open = || self.goals.iter().filter(|pair| pair.open);
        if self.all.is_none() {
            let own = open().filter(|pair| pair.condition == condition);
            return WHOLE * own.count() as u32;
        }
        let worth = |pair: &Pair, index: usize| match (pair.missing[index], pair.halves[index]) {
            (true, _) => WHOLE,
            (false, half) => u32::from(half),
        };
        let all = self.agreeing(part(condition, side));
        let all = all.map(|index| open().map(|pair| worth(pair, index)).sum());
        all.max().unwrap_or(0)
    }
}
