//! Vectors of a run: the evaluations of decisions, put together from the edges of its path.
//!
//! Each call of a function has evaluations of its own, so that recursion, and calls within conditions, do not mix them up.
//! `longjmp` out of a decision leaves it unfinished: it is no vector, and is forgotten when the decision starts again or the
//! call ends.
//!
//! Must hold: a vector is reported only when every condition that it names was decided in the order of evaluation.

use std::collections::BTreeSet;

use program::decision::Next;
use program::{EdgeId, FuncId, Program};

use crate::decisions::{DecisionId, Decisions};
use crate::vector::Vector;
use crate::wiring::Lists;

/// Assembles the vectors of one run after the other. To be used again for each run.
#[derive(Clone, Debug)]
pub struct Tracker {
    /// For each edge: decision, condition, value.
    steps: Lists<(DecisionId, u16, bool)>,
    /// First condition of each decision, and what follows the others.
    plans: Vec<(u16, Vec<[Next; 2]>)>,
    frames: Vec<Frame>,
    found: BTreeSet<(DecisionId, Vector)>,
}

/// A call under way.
#[derive(Clone, Debug)]
struct Frame {
    function: Option<FuncId>,
    /// Decisions under way; nested ones, as a rule not more than one or two.
    started: Vec<Started>,
}

#[derive(Clone, Copy, Debug)]
struct Started {
    decision: DecisionId,
    vector: Vector,
    /// The condition that comes next.
    next: u16,
}

impl Tracker {
    /// A tracker of these decisions.
    #[must_use]
    pub fn new(program: &Program, decisions: &Decisions) -> Tracker {
        let mut steps = Lists::default();
        let mut rest = decisions.all_steps();
        for edge in program.edges.keys() {
            let len = rest.partition_point(|step| step.edge <= edge);
            let (own, after) = rest.split_at(len);
            steps.push(
                own.iter()
                    .map(|step| (step.decision, step.condition, step.side)),
            );
            rest = after;
        }
        let plan = |(_, decision): (DecisionId, &crate::decisions::Decision)| {
            (decision.first, decision.next.clone())
        };
        Tracker {
            steps,
            plans: decisions.iter().map(plan).collect(),
            frames: Vec::new(),
            found: BTreeSet::new(),
        }
    }

    /// An edge was taken.
    pub fn edge(&mut self, edge: EdgeId) {
        for &(decision, condition, value) in self.steps.get(edge.index()) {
            let (first, next) = &self.plans[decision.index()];
            if self.frames.is_empty() {
                self.frames.push(Frame {
                    function: None,
                    started: Vec::new(),
                });
            }
            let Some(frame) = self.frames.last_mut() else {
                return;
            };
            let known = frame
                .started
                .iter()
                .position(|started| started.decision == decision);
            if condition == *first {
                let fresh = Started {
                    decision,
                    vector: Vector::default(),
                    next: condition,
                };
                match known {
                    Some(known) => frame.started[known] = fresh,
                    None => frame.started.push(fresh),
                }
            }
            let known = known.unwrap_or(frame.started.len().wrapping_sub(1));
            let Some(started) = frame.started.get_mut(known) else {
                continue;
            };
            if (started.decision, started.next) != (decision, condition) {
                continue;
            }
            started.vector.set(condition, value);
            match next[usize::from(condition)][usize::from(value)] {
                Next::Condition(next) => started.next = next,
                Next::End(outcome) => {
                    started.vector.outcome = outcome;
                    self.found.insert((decision, started.vector));
                    frame.started.swap_remove(known);
                }
            }
        }
    }

    /// A function was entered.
    pub fn enter(&mut self, function: FuncId) {
        self.frames.push(Frame {
            function: Some(function),
            started: Vec::new(),
        });
    }

    /// A function returned.
    pub fn leave(&mut self, function: FuncId) {
        // Calls above it ended without a word: by `longjmp` out of code that is not recorded.
        if let Some(at) = self.frame_of(function) {
            self.frames.truncate(at);
        }
    }

    /// `setjmp` returned in it: calls above it are gone.
    pub fn resume(&mut self, function: FuncId) {
        if let Some(at) = self.frame_of(function) {
            self.frames.truncate(at + 1);
        }
    }

    fn frame_of(&self, function: FuncId) -> Option<usize> {
        self.frames
            .iter()
            .rposition(|frame| frame.function == Some(function))
    }

    /// The distinct vectors of the run, in order; the tracker starts again.
    pub fn take(&mut self) -> Vec<(DecisionId, Vector)> {
        self.frames.clear();
        std::mem::take(&mut self.found).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use program::Function;
    use program::decision::Next::{Condition as C, End};

    use crate::criterion::mcdc;
    use crate::sample::{decisions, of_next};
    use crate::{Goals, HitCounter};

    /// What a path shows: `+N` and `-N` are the condition of line N, true and false; `(` and `)` a call of `main` and its end, `[` and
    /// `]` one of another function; `^` a second return of `setjmp` in the innermost call of `main`.
    fn check(path: &str, expected: &[&str]) {
        let (mut program, edges) = decisions();
        let mut other = Function::new("other");
        other.add_block();
        let other = program.add_function(other);
        let goals = Goals::new(&program, &mcdc::UNIQUE_CAUSE);
        let main = program.function_named("main").expect("main");
        let mut counter = HitCounter::of(&program, &goals);
        for word in path.split(' ') {
            let line = |digits: &str| digits.parse::<usize>().expect("a line") - 2;
            match word.split_at(1) {
                ("(", _) => counter.enter(main),
                (")", _) => counter.leave(main),
                ("[", _) => counter.enter(other),
                ("]", _) => counter.leave(other),
                ("^", _) => counter.resume(main),
                ("+", digits) => counter.edge(edges[line(digits)][1]),
                (_, digits) => counter.edge(edges[line(digits)][0]),
            }
        }
        let shown = counter.take().vectors;
        let shown: Vec<String> = shown
            .iter()
            .map(|(_, vector)| format!("{}={}", vector.letters(2), vector.outcome))
            .collect();
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn vectors_follow_the_calls() {
        check("( +2 +3 +4 )", &["TT=true"]);
        check("( -3 )", &["F-=false"]);
        check("( +3 -4 -3 +3 -4 )", &["F-=false", "TF=false"]);
        // A call within the condition evaluates the same decision.
        check("( +3 ( -3 ) +4 )", &["F-=false", "TT=true"]);
        check(
            "( +3 ( +3 ( -3 ) -4 ) +4 )",
            &["F-=false", "TF=false", "TT=true"],
        );
    }

    #[test]
    fn what_is_not_finished_is_no_vector() {
        check("( +3 )", &[]);
        check("( +4 )", &[]);
        // `longjmp` out of the decision, and out of a call within it.
        check("( +3 ^ -3 )", &["F-=false"]);
        check("( +3 +3 +4 )", &["TT=true"]);
        check("( ( +3 ^ +4 )", &["TT=true"]);
        check("( +3 [ ^ +4 )", &["TT=true"]);
        check("( +3 [ +4 ] -4 )", &["TF=false"]);
        check("+3 +4", &["TT=true"]);
    }

    /// `a && b`, `c && d`: conditions 0 to 3. One may be evaluated within the other.
    #[test]
    fn two_decisions_are_under_way_at_once() {
        let and = [[End(false), C(1)], [End(false), End(true)]];
        let (program, edges) = of_next(&[&and, &and]);
        let goals = Goals::new(&program, &mcdc::UNIQUE_CAUSE);
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| edges[at][1]);
        for steps in [[a, b, c, d], [a, c, b, d], [a, c, d, b], [c, a, b, d]] {
            let mut counter = HitCounter::of(&program, &goals);
            steps.iter().for_each(|step| counter.edge(*step));
            let shown = counter.take().vectors;
            let shown: Vec<String> = shown
                .iter()
                .map(|(decision, vector)| format!("{decision} {}", vector.letters(2)))
                .collect();
            assert_eq!(shown, ["decision0 TT", "decision1 TT"], "{steps:?}");
        }
    }
}
