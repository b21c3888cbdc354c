//! Certificates of proofs that were found backward: the search is made once more, and the states that it comes to are kept.
//!
//! Must hold: what is handed out passed the checker here; what it takes is bounded, and ends when the certificates do.

use coverage::{GoalId, Touch};
use program::flow::{FlowGraph, Node};
use program::{BlockId, FuncId, Function, Program};
use proof::closed::Closed;
use proof::kinds::backward::{Followed, dead};
use proof::{Effects, Effort, End, Fact};
use smt::Steps;
use symcretic::{Given, Goal, Limits, Place, Progress, ROUNDS, Search};

use crate::bidirectional::{beside, solver};

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
    pub foreign: bool,
    pub effects: &'a Effects<'a>,
    /// The facts of the document.
    pub facts: &'a [Fact],
    pub end: End,
}

impl Follower<'_> {
    /// What no run does, so that no input covers a goal. `invariant`: what the document's invariant proves.
    ///
    /// # Errors
    /// Why there is no certificate that can be checked, in words.
    pub fn follow(
        &self,
        goal: GoalId,
        invariant: &mut dyn FnMut() -> Option<Vec<Fact>>,
    ) -> Result<Followed, String> {
        let never = self.never(goal)?;
        let first = self.by(goal, &never, &[]);
        let why = match first {
            Ok(closed) => {
                return Ok(Followed {
                    never,
                    closed,
                    ..Followed::default()
                });
            }
            Err(why) => why,
        };
        if !self.facts.is_empty()
            && let Ok(closed) = self.by(goal, &never, self.facts)
        {
            return Ok(Followed {
                facts: (0..).take(self.facts.len()).collect(),
                never,
                closed,
                ..Followed::default()
            });
        }
        let Some(known) = invariant() else {
            return Err(why);
        };
        let all = [self.facts, &known].concat();
        let closed = self.by(goal, &never, &all).map_err(|_| why)?;
        Ok(Followed {
            facts: (0..).take(self.facts.len()).collect(),
            invariant: true,
            never,
            closed,
        })
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

    /// The states backward from all that covers a goal, where some facts hold, if the checker says that they are closed.
    fn by(&self, goal: GoalId, never: &[Fact], known: &[Fact]) -> Result<Closed, String> {
        let closed = self
            .states(never, known, ROUNDS)
            .or_else(|why| self.states(never, known, DEEPER).map_err(|_| why))?;
        let effort = Effort::questions(QUESTIONS)
            .steps(STEPS.0, STEPS.1)
            .until(self.end.clone());
        let program = (self.program, self.foreign);
        proof::closed::check(program, &dead(known), &closed, never, effort)
            .map_err(|refusal| format!("the checker does not derive it: {refusal}"))?;
        let facts = [known, never].concat();
        match proof::follow_from(self.program, self.effects, &facts, goal) {
            true => Ok(closed),
            false => Err("the goal may be counted where its place is not come to".to_owned()),
        }
    }

    /// The states backward from some facts, where others hold; paths go round loops so often.
    fn states(&self, never: &[Fact], known: &[Fact], rounds: u32) -> Result<Closed, String> {
        let given = Given {
            program: self.program,
            dead: dead(known),
            wild: false,
            beside: beside(self.program, self.foreign),
        };
        let limits = Limits {
            segments: SEGMENTS,
            rounds,
            ..Limits::default()
        };
        let solver = solver().map_err(|error| error.to_string())?;
        let mut search = Search::new(given, solver, limits);
        search.keep();
        for fact in never {
            search.start(goal_of(*fact));
            loop {
                if self.end.is_over() {
                    return Err("it was ended before it was done".to_owned());
                }
                if search.kept() > STATES {
                    return Err("too many states were come to".to_owned());
                }
                match search.step() {
                    Progress::Working => {}
                    Progress::Unreachable => break,
                    Progress::Stuck(why) => {
                        let words = crate::reach::backward::words(&why);
                        return Err(format!(
                            "what covers the goal, by itself, is not refuted: {words}"
                        ));
                    }
                }
            }
        }
        let lines = search.lines();
        Ok(Closed {
            terms: lines.terms,
            states: lines.states,
        })
    }
}

fn goal_of(fact: Fact) -> Goal {
    match fact {
        Fact::Edge { edge } => Goal::Edge(program::EdgeId::from_u32(edge)),
        Fact::Block { function, block } => Goal::Place(Place {
            function: FuncId::from_u32(function),
            block: BlockId::from_u32(block),
            at: 0,
        }),
    }
}
