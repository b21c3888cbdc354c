//! `coupling`: the conditions of the goal's decision are coupled, so that the vectors it asks for do not happen.
//!
//! The body lists the vectors that may happen. The checker follows every evaluation of the decision, refutes those that come
//! to another vector, and finds that none of the listed ones covers the goal. Where it says so, evaluations do not go where the
//! document's invariant proves that no run goes.

use std::collections::BTreeSet;

use coverage::decisions::Decision;
use coverage::{DecisionId, Decisions, Evidence, GoalId, Side, Vector};
use program::decision::Next;
use program::{BlockId, EdgeId, FuncId, Program};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smt::Pool;

use super::{Kind, Refusal, read};
use crate::certificate::Fact;
use crate::check::{Context, lead_to};
use crate::vc::{Cause, Frame, Mark, Places, Walk, ways_out};

/// The kind `coupling`.
pub struct Coupling;

/// What a certificate of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The vectors that may happen: a letter for each condition, and the outcome; in order, none twice.
    pub vectors: Vec<String>,
    /// It rests on the invariant of the document.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invariant: bool,
    /// It rests on the claims of the document about any time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub standing: bool,
}

/// Steps of all walks through one decision.
const STEPS: usize = 4096;

impl Kind for Coupling {
    fn name(&self) -> &'static str {
        "coupling"
    }

    fn summary(&self) -> &'static str {
        "the conditions of the goal's decision are coupled"
    }

    fn check(&self, context: &mut Context<'_>, goal: GoalId, body: &Value) -> Result<(), Refusal> {
        let body: Body = read(body)?;
        let id = match context.goals.get(goal).evidence {
            Evidence::Pair { decision, .. } | Evidence::Decided { decision, .. } => decision,
            _ => return Err(Refusal::DoesNotFollow),
        };
        if !body.vectors.is_sorted_by(|a, b| a < b) {
            return Err(Refusal::Body("vectors are not in order".to_owned()));
        }
        let count = context.goals.decisions().get(id).conditions.len();
        let named = |vector: &Vector| name(vector, count);
        let mut seen: BTreeSet<Vector> = BTreeSet::new();
        let mut facts = match body.invariant {
            true => context.claimed_invariant()?,
            false => Vec::new(),
        };
        if body.standing {
            facts.extend(context.standing(None)?);
        }
        let never = never(&facts);
        evaluations(context, id, &never, &mut |context, walk, vector| {
            let text = named(&vector);
            if body.vectors.contains(&text) {
                seen.insert(vector);
                return Ok(());
            }
            context.refute(walk, &|verdict| Refusal::NotRefuted {
                what: format!("vector {text}"),
                verdict: verdict.to_owned(),
            })
        })?;
        if seen.len() != body.vectors.len() {
            return Err(Refusal::Body(
                "a vector of it never ends an evaluation".to_owned(),
            ));
        }
        match covers(context, goal, &seen) {
            false => Ok(()),
            true => Err(Refusal::DoesNotFollow),
        }
    }
}

/// What no run does: taking an edge, or coming to a block.
type Never<'n> = dyn Fn(FuncId, Option<EdgeId>, BlockId) -> bool + 'n;

/// Whether facts say that.
fn never(facts: &[Fact]) -> impl Fn(FuncId, Option<EdgeId>, BlockId) -> bool {
    let facts: BTreeSet<Fact> = facts.iter().copied().collect();
    move |function, edge, block| {
        let edge = edge.map(|edge| Fact::Edge {
            edge: edge.as_u32(),
        });
        let block = Fact::Block {
            function: function.as_u32(),
            block: block.as_u32(),
        };
        edge.is_some_and(|edge| facts.contains(&edge)) || facts.contains(&block)
    }
}

/// A vector as documents have it: `TF- = F`.
#[must_use]
pub fn name(vector: &Vector, count: usize) -> String {
    let outcome = coverage::vector::letter(vector.outcome);
    format!("{} = {outcome}", vector.letters(count))
}

/// Would these vectors cover a goal?
fn covers(context: &Context<'_>, goal: GoalId, vectors: &BTreeSet<Vector>) -> bool {
    match context.goals.get(goal).evidence {
        Evidence::Decided { side, .. } => {
            let wanted = side == Side::True;
            vectors.iter().any(|vector| vector.outcome == wanted)
        }
        Evidence::Pair {
            decision,
            condition,
        } => vectors.iter().any(|a| {
            let mut others = vectors.iter();
            others.any(|b| context.goals.is_pair(decision, condition, (a, b)))
        }),
        _ => true,
    }
}

/// What is done at the end of an evaluation.
type AtEnd<'e> = dyn FnMut(&mut Context<'_>, &Walk<'_, '_>, Vector) -> Result<(), Refusal> + 'e;

/// A way that a walk has yet to go.
struct Ahead {
    mark: Mark,
    from: BlockId,
    edge: Option<EdgeId>,
    to: BlockId,
    vector: Vector,
    /// The condition that comes next.
    next: u16,
}

/// Follows every evaluation of a decision, whether it can happen or not, as far as the conditions do not contradict each other
/// by themselves.
fn evaluations(
    context: &mut Context<'_>,
    id: DecisionId,
    never: &Never<'_>,
    at_end: &mut AtEnd<'_>,
) -> Result<(), Refusal> {
    let (program, goals, shared) = (context.program, context.goals, context.is_shared());
    let decisions = goals.decisions();
    let decision = decisions.get(id);
    let function = program.coverage[decision.record as usize].function;
    let function = function.ok_or(Refusal::NotThere)?;
    let starts = starts(program, decisions, id).ok_or(Refusal::NotThere)?;
    if decision.problem.is_some() {
        return Err(Refusal::NotThere);
    }
    let places = Places::new(program, function);
    let never = |edge, block| never(function, edge, block);
    let mut left = STEPS;
    for start in starts {
        let mut pool = Pool::new();
        let mut frame = Frame::new(program, &program.functions[function], &mut pool);
        let mut walk = Walk::new(&mut frame, shared);
        lead_to(&mut walk, &places, start);
        let mut ahead = Vec::new();
        push(
            &walk,
            &mut ahead,
            start,
            (Vector::default(), decision.first),
        );
        while let Some(way) = ahead.pop() {
            left = left.checked_sub(1).ok_or(Refusal::TooLarge)?;
            if never(way.edge, way.to) {
                continue;
            }
            walk.back_to(&way.mark);
            let mut so_far = (way.vector, way.next);
            if let Some(edge) = way.edge {
                if let Some(condition) = walk.condition(way.from, edge) {
                    if walk.frame.pool.is_false(condition) {
                        continue;
                    }
                    walk.suppose(Some(Cause::Edge(edge)), condition);
                }
                so_far = match step(decisions, (id, decision), so_far, edge) {
                    Step::On(vector, next) => (vector, next),
                    Step::Anew => continue,
                    Step::Ends(vector) => {
                        at_end(context, &walk, vector)?;
                        continue;
                    }
                };
            }
            walk.block(way.to, Some(way.from));
            push(&walk, &mut ahead, way.to, so_far);
        }
    }
    Ok(())
}

fn push(walk: &Walk<'_, '_>, ahead: &mut Vec<Ahead>, block: BlockId, so_far: (Vector, u16)) {
    let mark = walk.mark();
    let ways = ways_out(walk.frame.program, walk.frame.function, block).into_iter();
    ahead.extend(ways.map(|(edge, to)| Ahead {
        mark: mark.clone(),
        from: block,
        edge,
        to,
        vector: so_far.0,
        next: so_far.1,
    }));
}

/// The blocks that decide the first condition; `None` if one decides it in its middle, not by control flow.
fn starts(program: &Program, decisions: &Decisions, id: DecisionId) -> Option<BTreeSet<BlockId>> {
    let first = decisions.get(id).first;
    let mut starts = BTreeSet::new();
    for step in decisions.steps_of(id).filter(|it| it.condition == first) {
        let own = program.edges[step.edge].site;
        let site = &program.sites[own];
        let block = &program.functions[site.function].blocks[site.block];
        if block.terminator.site() != Some(own) {
            return None;
        }
        starts.insert(site.block);
    }
    (!starts.is_empty()).then_some(starts)
}

/// What an edge does to an evaluation.
enum Step {
    On(Vector, u16),
    /// It is complete.
    Ends(Vector),
    /// Another begins.
    Anew,
}

/// As the tracker of runs does it.
fn step(
    decisions: &Decisions,
    (id, decision): (DecisionId, &Decision),
    (mut vector, mut next): (Vector, u16),
    edge: EdgeId,
) -> Step {
    for step in decisions.steps(edge).iter().filter(|it| it.decision == id) {
        if step.condition == decision.first && vector != Vector::default() {
            return Step::Anew;
        }
        if step.condition != next {
            continue;
        }
        vector.set(step.condition, step.side);
        match decision.next[usize::from(step.condition)][usize::from(step.side)] {
            Next::Condition(following) => next = following,
            Next::End(outcome) => {
                vector.outcome = outcome;
                return Step::Ends(vector);
            }
        }
    }
    Step::On(vector, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_rule_out_edges_and_blocks() {
        let (function, other) = (FuncId::from_u32(1), FuncId::from_u32(2));
        let (edge, block) = (EdgeId::from_u32(3), BlockId::from_u32(4));
        let of_edge = Fact::Edge { edge: 3 };
        let of_block = Fact::Block {
            function: 1,
            block: 4,
        };
        for (facts, function, edge, expected) in [
            (&[][..], function, Some(edge), false),
            (&[of_edge], function, Some(edge), true),
            (&[of_edge], function, None, false),
            (&[of_edge], function, Some(EdgeId::from_u32(4)), false),
            (&[of_block], function, Some(edge), true),
            (&[of_block], function, None, true),
            (&[of_block], other, None, false),
        ] {
            let found = never(facts)(function, edge, block);
            assert_eq!(found, expected, "{facts:?}");
        }
    }
}
