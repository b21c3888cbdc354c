//! Certificates of proofs that were found backward: the search is made once more, and the states that it comes to are kept.
//!
//! Must hold: what is handed out passed the checker here; what it takes is bounded, and ends when the certificates do.

use std::collections::BTreeSet;

use backward::horn::Prover;
use coverage::{GoalId, Touch};
use program::flow::{FlowGraph, Node};
use program::{BlockId, EdgeId, FuncId, Function, Program};
use proof::clauses::Interpretation;
use proof::closed::Closed;
use proof::kinds::backward::{Followed, dead, texts};
use proof::kinds::clauses;
use proof::{Effects, Effort, End, Fact, closed};
use smt::Steps;
use symcretic::{Beside, Given, Goal, Limits, Place, Progress, ROUNDS, Search};

use crate::bidirectional::solver;
use crate::called::CalledWith;

/// States of a certificate.
const STATES: usize = 6_000;
/// Stretches that the search goes back.
const SEGMENTS: u64 = 4_000;
/// Times that paths go round a loop, where fewer came to nothing.
const DEEPER: u32 = 16;
/// Questions to a solver about one certificate before it is written.
const QUESTIONS: u64 = 20_000;
/// Steps of all of them together, and of one: some seconds.
const STEPS: (u64, Steps) = (60_000, Steps(4_000));

/// What certificates of one campaign have in common.
pub struct Follower<'a> {
    pub program: &'a Program,
    pub effects: &'a Effects<'a>,
    /// What is known of the calls of the runs that are meant.
    pub calls: &'a closed::Effects<'a>,
    /// What goes on beside these calls.
    pub beside: &'a Beside,
    /// The facts of the document.
    pub facts: &'a [Fact],
    /// The words of the command line, if these runs are meant.
    pub called: Option<&'a CalledWith>,
    pub end: End,
}

impl Follower<'_> {
    /// What no run does, so that no input covers a goal. `standing`: what the document's claims about any time say that no run does;
    /// `invariant`: what its invariant proves.
    ///
    /// # Errors
    /// Why there is no certificate that can be checked, in words.
    pub fn follow(
        &self,
        goal: GoalId,
        standing: &mut dyn FnMut() -> Option<Vec<Fact>>,
        invariant: &mut dyn FnMut() -> Option<Vec<Fact>>,
    ) -> Result<Followed, String> {
        let never = self.never(goal)?;
        let words = self.called.and_then(|called| texts(&called.words));
        let made = |refuted: Refuted, facts: &[Fact], (standing, invariant)| Followed {
            facts: (0..).take(facts.len()).collect(),
            invariant,
            standing,
            words: words.clone(),
            never: refuted.never,
            closed: refuted.closed,
        };
        let why = match self.by(goal, &never, &[]) {
            Ok(refuted) => return Ok(made(refuted, &[], (false, false))),
            Err(why) => why,
        };
        if !self.facts.is_empty()
            && let Ok(refuted) = self.by(goal, &never, self.facts)
        {
            return Ok(made(refuted, self.facts, (false, false)));
        }
        let (standing, invariant) = (standing(), invariant());
        let rests = (standing.is_some(), invariant.is_some());
        if rests == (false, false) {
            return Err(why);
        }
        let known = standing.into_iter().chain(invariant).flatten();
        let all: Vec<Fact> = self.facts.iter().copied().chain(known).collect();
        let refuted = self.by(goal, &never, &all).map_err(|_| why)?;
        Ok(made(refuted, self.facts, rests))
    }

    /// What holds in a part of the program and excludes a goal: `says`, in words. What it may rest on is as for [`Follower::follow`].
    pub fn held(
        &self,
        prover: &mut Prover<'_>,
        (goal, says): (GoalId, &str),
        standing: &mut dyn FnMut() -> Option<Vec<Fact>>,
        invariant: &mut dyn FnMut() -> Option<Vec<Fact>>,
    ) -> Option<clauses::Body> {
        let never = self.never(goal).ok()?;
        let body = |interpretation, facts: &[Fact], (standing, invariant)| clauses::Body {
            says: says.to_owned(),
            facts: (0..).take(facts.len()).collect(),
            invariant,
            standing,
            never: never.clone(),
            interpretation,
        };
        if let Some(found) = self.interpretation(prover, goal, &never, &[]) {
            return Some(body(found, &[], (false, false)));
        }
        let (standing, invariant) = (standing(), invariant());
        let rests = (standing.is_some(), invariant.is_some());
        let known = standing.into_iter().chain(invariant).flatten();
        let all: Vec<Fact> = self.facts.iter().copied().chain(known).collect();
        if all.is_empty() {
            return None;
        }
        let found = self.interpretation(prover, goal, &never, &all)?;
        Some(body(found, self.facts, rests))
    }

    /// What holds in some part, where some facts hold, so that no run does what covers a goal; if the checker says so.
    fn interpretation(
        &self,
        prover: &mut Prover<'_>,
        goal: GoalId,
        never: &[Fact],
        known: &[Fact],
    ) -> Option<Interpretation> {
        if !proof::follow_from(self.program, self.effects, &[known, never].concat(), goal) {
            return None;
        }
        let dead = dead(self.program, known);
        let parts = prover.parts(never);
        let mut found = parts.into_iter().filter_map(|part| {
            let budget = (Steps::default(), &self.end);
            prover.look(&part, &dead, never, budget).ok()?.ok()
        });
        let found = found.next()?;
        let effort = Effort::questions(proof::clauses::QUESTIONS).until(self.end.clone());
        let held = proof::clauses::check(self.calls, &found, &dead, never, effort);
        held.is_ok().then_some(found)
    }

    /// What covers a goal, as facts to be proved.
    fn never(&self, goal: GoalId) -> Result<Vec<Fact>, String> {
        let block = |function: FuncId, block: BlockId| Fact::Block {
            function: function.as_u32(),
            block: block.as_u32(),
        };
        let touches = self.effects.touches(goal).iter();
        let facts = touches.map(|touch| match *touch {
            Touch::Edge(edge) => Fact::Edge {
                edge: edge.as_u32(),
            },
            Touch::Entry(function) => block(function, Function::ENTRY),
            Touch::End(function, node) => {
                match FlowGraph::new(self.program, function).nodes[node] {
                    Node::Edge(edge) => Fact::Edge {
                        edge: edge.as_u32(),
                    },
                    Node::Part { block: own, .. } => block(function, own),
                }
            }
        });
        let mut facts: Vec<Fact> = facts.collect();
        facts.sort_unstable();
        facts.dedup();
        match facts.is_empty() {
            true => Err("what covers the goal is no place of the model".to_owned()),
            false => Ok(facts),
        }
    }

    /// The states backward from what covers a goal, where some facts hold, if the checker says that they are closed; and of what
    /// covers it that which they refute, if that is enough.
    fn by(&self, goal: GoalId, never: &[Fact], known: &[Fact]) -> Result<Refuted, String> {
        self.by_rounds(goal, (never, known), ROUNDS).or_else(|why| {
            self.by_rounds(goal, (never, known), DEEPER)
                .map_err(|_| why)
        })
    }

    /// The same; paths go round loops so often.
    fn by_rounds(
        &self,
        goal: GoalId,
        (never, known): (&[Fact], &[Fact]),
        rounds: u32,
    ) -> Result<Refuted, String> {
        let is_enough = |never: &[Fact]| {
            let facts = [known, never].concat();
            proof::follow_from(self.program, self.effects, &facts, goal)
        };
        if !is_enough(never) {
            return Err("the goal may be counted where its place is not come to".to_owned());
        }
        let dead = dead(self.program, known);
        let refuted = self.states((never, &dead), rounds, &is_enough)?;
        let effort = Effort::questions(QUESTIONS)
            .steps(STEPS.0, STEPS.1)
            .until(self.end.clone());
        closed::check(self.calls, &dead, &refuted.closed, &refuted.never, effort)
            .map_err(|refusal| format!("the checker does not derive it: {refusal}"))?;
        Ok(refuted)
    }

    /// The states backward from those of some facts that are refuted, where no run takes some edges, as long as they may be enough. Paths go
    /// round loops so often.
    fn states(
        &self,
        (never, dead): (&[Fact], &BTreeSet<EdgeId>),
        rounds: u32,
        is_enough: &dyn Fn(&[Fact]) -> bool,
    ) -> Result<Refuted, String> {
        let said = self.calls.said();
        let given = Given {
            program: self.program,
            dead: dead.union(&said.never).copied().collect(),
            wild: false,
            beside: Beside {
                results: said.results.clone(),
                ..self.beside.clone()
            },
        };
        let limits = Limits {
            segments: SEGMENTS,
            rounds,
            ..Limits::default()
        };
        let solver = solver().map_err(|error| error.to_string())?;
        // One stretch back may be many questions: as many as a function has callers.
        self.end.watches(solver.interrupt());
        let mut search = Search::new(given, solver, limits);
        search.keep();
        let mut left = never.to_vec();
        for fact in never {
            let before = search.kept();
            search.start(goal_of(*fact));
            if let Some(why) = self.follows(&mut search)? {
                search.keep_only(before);
                left.retain(|other| other != fact);
                if !is_enough(&left) {
                    return Err(why);
                }
            }
        }
        let lines = search.lines();
        let closed = Closed {
            terms: lines.terms,
            states: lines.states,
        };
        Ok(Refuted {
            never: left,
            closed,
        })
    }

    /// Follows the goal that a search was started from; why that refutes nothing, if it does not.
    fn follows(&self, search: &mut Search<'_>) -> Result<Option<String>, String> {
        loop {
            if self.end.is_over() {
                return Err("it was ended before it was done".to_owned());
            }
            if search.kept() > STATES {
                return Ok(Some("too many states were come to".to_owned()));
            }
            match search.step() {
                Progress::Working => {}
                Progress::Unreachable => return Ok(None),
                Progress::Stuck(why) => {
                    let words = crate::reach::backward::words(&why);
                    return Ok(Some(format!(
                        "what covers the goal, by itself, is not refuted: {words}"
                    )));
                }
            }
        }
    }
}

/// What no run does, and the states that say so.
struct Refuted {
    never: Vec<Fact>,
    closed: Closed,
}

fn goal_of(fact: Fact) -> Goal {
    match fact {
        Fact::Edge { edge } => Goal::Edge(EdgeId::from_u32(edge)),
        Fact::Block { function, block } => Goal::Place(Place {
            function: FuncId::from_u32(function),
            block: BlockId::from_u32(block),
            at: 0,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use coverage::Goals;

    use super::*;

    /// A function whose callers all give it two numbers; a solver looks for its factors for hours, and gives up after some tenths of a second.
    fn with_callers(count: usize) -> Program {
        let mut text = r"
            extern @input() -> i32
            fn @f(v0: i32, v1: i32) -> i32 {
            block0:
              v2: i64 = zext v0
              v3: i64 = zext v1
              v4: i64 = mul v2, v3
              v5: i1 = icmp eq v4, i64 18446743979220271189
              v6: i1 = icmp ult v0, i32 4294967279
              v7: i1 = icmp ugt v0, i32 1
              br v5, block1, block4
            block1:
              br v6, block2, block4
            block2:
              br v7, block3, block4
            block3:
              ret i32 1
            block4:
              ret i32 0
            }
            fn @main() -> i32 {
            block0:
        "
        .to_owned();
        for at in 0..count {
            let (first, second, result) = (3 * at, 3 * at + 1, 3 * at + 2);
            text += &format!(
                "v{first}: i32 = call @input()\nv{second}: i32 = call @input()\nv{result}: i32 = call @f(v{first}, v{second})\n"
            );
        }
        text += "ret i32 0\n}\n";
        program::text::sample(&text)
    }

    /// One stretch back asks a question for each caller.
    #[test]
    fn a_function_of_many_callers_is_left_in_the_middle() {
        let program = with_callers(150);
        let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
        let effects = Effects::new(&program, &goals);
        let calls = closed::Effects::new(&program, false, None);
        let beside = crate::bidirectional::beside(&program, false);
        let end = End::default();
        let follower = Follower {
            program: &program,
            effects: &effects,
            calls: &calls,
            beside: &beside,
            facts: &[],
            called: None,
            end: end.clone(),
        };
        let deep = Fact::Block {
            function: 0,
            block: 3,
        };
        let began = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                end.now();
            });
            let found = follower.states((&[deep], &BTreeSet::new()), ROUNDS, &|_| true);
            assert!(found.is_err_and(|why| why.contains("ended")));
        });
        // All questions take half a minute, the one at hand some tenths of a second.
        let took = began.elapsed();
        assert!(took < Duration::from_secs(10), "{took:?}");
    }
}
