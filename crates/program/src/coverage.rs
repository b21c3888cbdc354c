//! The coverage mapping as clang wrote it: regions of the source, each with an expression over the profile
//! counters of its function. `llvm-cov` reads the same data, so what is computed from it equals its export.
//!
//! Invariants: indices in a [`FunctionCoverage`] stay inside it (the verifier checks counters, expressions, files).

use std::collections::BTreeMap;

use crate::decision::Decision;
use crate::id::FuncId;
use crate::place::SourceRange;

/// How often something ran, as an expression over profile counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// Never; both outcomes of a folded condition have it.
    Zero,
    /// A profile counter of the function.
    Counter(u32),
    /// Index into [`FunctionCoverage::expressions`].
    Expr(u32),
}

/// Operator of an [`Expr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExprOp {
    Add,
    Sub,
}

/// A sum or a difference of two counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr {
    pub op: ExprOp,
    pub lhs: Counter,
    pub rhs: Counter,
}

/// What a region says about its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// It ran as often as the count says.
    Code,
    /// It is replaced by the text of another file of the function: an include or a macro.
    Expansion {
        /// Index into [`FunctionCoverage::files`].
        file: u32,
    },
    /// The preprocessor left it out.
    Skipped,
    /// Text between two statements.
    Gap,
    /// A condition; the region's count is that of its true outcome.
    Branch { false_count: Counter },
    /// A decision with several conditions.
    McdcDecision {
        /// Where its bits end in the function's MC/DC bitmap.
        bitmap: u32,
        conditions: u16,
    },
    /// A condition of a decision.
    McdcBranch {
        false_count: Counter,
        /// Number of the condition in its decision, from 0.
        id: u16,
        /// The condition that is evaluated next, or `None` where the decision ends.
        true_next: Option<u16>,
        false_next: Option<u16>,
    },
}

/// One region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region {
    pub kind: RegionKind,
    /// How often it ran; of a condition, how often it was true.
    pub count: Counter,
    /// Index into [`FunctionCoverage::files`].
    pub file: u32,
    pub range: SourceRange,
}

/// One record of the coverage mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// The function, if it has a body: clang also writes records of unused functions.
    pub function: Option<FuncId>,
    /// Name in the profile: the linkage name, with the file before it where the function is internal.
    pub name: String,
    /// Structural hash of the function's source.
    pub hash: u64,
    /// Number of profile counters.
    pub counters: u32,
    /// Indices into [`crate::Program::files`]; the first is the function's own file, others may repeat it for the
    /// macros expanded there.
    pub files: Vec<u32>,
    pub expressions: Vec<Expr>,
    pub regions: Vec<Region>,
    /// Decisions with several conditions.
    pub decisions: Vec<Decision>,
}

impl RegionKind {
    /// Is it a condition or a label, folded or not?
    #[must_use]
    pub const fn is_branch(self) -> bool {
        matches!(
            self,
            RegionKind::Branch { .. } | RegionKind::McdcBranch { .. }
        )
    }
}

impl Region {
    /// Of a condition, how often it was false.
    #[must_use]
    pub const fn false_count(&self) -> Option<Counter> {
        match self.kind {
            RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. } => {
                Some(false_count)
            }
            _ => None,
        }
    }
}

impl FunctionCoverage {
    /// Does a region stand for a condition, one that is not folded to a constant?
    #[must_use]
    pub fn is_condition(&self, region: u32) -> bool {
        self.regions.get(region as usize).is_some_and(|region| {
            region
                .false_count()
                .is_some_and(|no| (region.count, no) != (Counter::Zero, Counter::Zero))
        })
    }

    /// The value of a counter, given the function's profile counters; counters beyond the slice count as 0.
    ///
    /// Follows `llvm-cov` 19: 64-bit arithmetic whose result is read as unsigned. A negative count (a run that left
    /// between two counters, or came back by `longjmp`) is a large one, and its outcome is covered: `llvm::read`'s
    /// tests compare it with `llvm-cov export`. For many counters of one profile, [`values`](Self::values) is faster.
    #[must_use]
    pub fn evaluate(&self, counter: Counter, profile: &[u64]) -> u64 {
        let mut total = 0;
        let mut stack = vec![(counter, 1)];
        while let Some((counter, sign)) = stack.pop() {
            match counter {
                Counter::Zero => {}
                Counter::Counter(index) => total += sign * count_of(profile, index),
                Counter::Expr(index) => {
                    let Expr { op, lhs, rhs } = self.expressions[index as usize];
                    stack.push((lhs, sign));
                    stack.push((rhs, if op == ExprOp::Add { sign } else { -sign }));
                }
            }
        }
        wrapped(total)
    }

    /// The values of all counters at once.
    #[must_use]
    pub fn values<'a>(&self, profile: &'a [u64]) -> CounterValues<'a> {
        let mut values = CounterValues {
            profile,
            expressions: vec![0; self.expressions.len()],
        };
        for index in self.evaluation_order().unwrap_or_default() {
            let Expr { op, lhs, rhs } = self.expressions[index];
            let (lhs, rhs) = (values.signed(lhs), values.signed(rhs));
            values.expressions[index] = if op == ExprOp::Add {
                lhs + rhs
            } else {
                lhs - rhs
            };
        }
        values
    }

    /// Indices of the expressions, operands before users; `None` when an expression contains itself or one that is
    /// not there.
    #[must_use]
    pub fn evaluation_order(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut state = vec![State::New; self.expressions.len()];
        let mut order = Vec::with_capacity(self.expressions.len());
        for root in 0..self.expressions.len() {
            let mut stack = vec![root];
            while let Some(&index) = stack.last() {
                let Expr { lhs, rhs, .. } = *self.expressions.get(index)?;
                if state[index] != State::New {
                    stack.pop();
                    if std::mem::replace(&mut state[index], State::Done) == State::Open {
                        order.push(index);
                    }
                    continue;
                }
                state[index] = State::Open;
                for operand in [lhs, rhs] {
                    let Counter::Expr(operand) = operand else {
                        continue;
                    };
                    match state.get(operand as usize)? {
                        State::New => stack.push(operand as usize),
                        State::Open => return None,
                        State::Done => {}
                    }
                }
            }
        }
        Some(order)
    }

    /// The profile counters that a counter depends on, and how often each counts: what is added and subtracted again does not.
    /// `order`: the [evaluation order](FunctionCoverage::evaluation_order).
    #[must_use]
    pub fn summands(&self, order: &[usize], counter: Counter) -> BTreeMap<u32, i64> {
        let mut plain: BTreeMap<u32, i64> = BTreeMap::new();
        let mut expressions: BTreeMap<usize, i64> = BTreeMap::new();
        let mut add = |counter, times: i64, expressions: &mut BTreeMap<usize, i64>| match counter {
            Counter::Zero => {}
            Counter::Counter(index) => {
                let sum = plain.entry(index).or_default();
                *sum = sum.saturating_add(times);
            }
            Counter::Expr(index) => {
                let sum = expressions.entry(index as usize).or_default();
                *sum = sum.saturating_add(times);
            }
        };
        add(counter, 1, &mut expressions);
        for &index in order.iter().rev() {
            if let Some(times) = expressions.remove(&index) {
                let expr = self.expressions[index];
                let sign = if expr.op == ExprOp::Add { 1 } else { -1 };
                add(expr.lhs, times, &mut expressions);
                add(expr.rhs, times.saturating_mul(sign), &mut expressions);
            }
        }
        plain.retain(|_, times| *times != 0);
        plain
    }
}

/// Values of all counters of a function: see [`FunctionCoverage::values`].
#[derive(Clone, Debug)]
pub struct CounterValues<'a> {
    profile: &'a [u64],
    expressions: Vec<i128>,
}

impl CounterValues<'_> {
    /// The value of a counter, as [`FunctionCoverage::evaluate`] gives it.
    #[must_use]
    pub fn get(&self, counter: Counter) -> u64 {
        wrapped(self.signed(counter))
    }

    fn signed(&self, counter: Counter) -> i128 {
        match counter {
            Counter::Zero => 0,
            Counter::Counter(index) => count_of(self.profile, index),
            Counter::Expr(index) => self.expressions[index as usize],
        }
    }
}

fn count_of(profile: &[u64], index: u32) -> i128 {
    profile.get(index as usize).copied().map_or(0, i128::from)
}

/// The sum as `llvm-cov` holds it: 64 bits, read as unsigned.
fn wrapped(total: i128) -> u64 {
    total as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(expressions: &[(ExprOp, Counter, Counter)]) -> FunctionCoverage {
        let expressions = expressions
            .iter()
            .map(|&(op, lhs, rhs)| Expr { op, lhs, rhs })
            .collect();
        FunctionCoverage {
            expressions,
            counters: 3,
            ..FunctionCoverage::default()
        }
    }

    #[test]
    fn expressions_may_stand_in_any_order() {
        use Counter::{Counter as C, Expr as X};
        let record = record(&[
            (ExprOp::Sub, X(1), C(2)),
            (ExprOp::Add, C(0), C(1)),
            (ExprOp::Sub, C(2), X(1)),
        ]);
        assert_eq!(record.evaluation_order(), Some(vec![1, 0, 2]));
        let profile = [5, 2, 3];
        let values = record.values(&profile);
        for (counter, expected) in [
            (X(0), 4),
            (X(1), 7),
            (X(2), -4_i64 as u64),
            (C(1), 2),
            (C(9), 0),
            (Counter::Zero, 0),
        ] {
            assert_eq!(
                (values.get(counter), record.evaluate(counter, &profile)),
                (expected, expected),
                "{counter:?}"
            );
        }
    }

    #[test]
    fn what_cancels_out_is_no_summand() {
        use Counter::{Counter as C, Expr as X};
        // (c0 + c1) - c1
        let record = record(&[(ExprOp::Add, C(0), C(1)), (ExprOp::Sub, X(0), C(1))]);
        let order = record.evaluation_order().expect("no cycle");
        assert_eq!(record.summands(&order, X(1)), BTreeMap::from([(0, 1)]));
    }

    #[test]
    fn an_expression_that_contains_itself_has_no_order() {
        use Counter::{Counter as C, Expr as X};
        assert_eq!(
            record(&[(ExprOp::Add, X(1), C(0)), (ExprOp::Add, X(0), C(0))]).evaluation_order(),
            None
        );
        assert_eq!(
            record(&[(ExprOp::Add, X(0), C(0))]).evaluation_order(),
            None
        );
        assert_eq!(
            record(&[(ExprOp::Add, X(7), C(0))]).evaluation_order(),
            None
        );
        assert_eq!(
            record(&[(ExprOp::Add, X(1), X(1)), (ExprOp::Add, C(0), C(0))]).evaluation_order(),
            Some(vec![1, 0])
        );
    }
}
