//! Decisions: which conditions of the source are evaluated together, in which order, and what they come to.
//!
//! A *decision* is a Boolean expression with one operand of `&&`, `||` or `!` or more, a *condition* one of its operands
//! that has no such operator itself (DO-178C, annex B). Conditions are branch regions of the coverage mapping. A decision
//! with one condition is that condition; only those with several are listed.
//!
//! Where clang gives its own (`-fcoverage-mcdc`, [`clang`]) its numbering is taken over. It refuses decisions within
//! conditions of others and those with too many test vectors; and a program that was built for speed has none. These are read
//! off the control flow ([`shape`]), those in macros off that of the preprocessed source ([`expanded`]).
//!
//! Invariants (checked by the verifier):
//! - a decision has at least two conditions, all regions of its record, none of them twice;
//! - without a [`Problem`] it has at most [`MAX_CONDITIONS`], conditions stand in the order of evaluation, and every
//!   condition that comes next stands later: so there is a last one, and no evaluation runs in a circle.

pub mod clang;
pub mod expanded;
pub mod shape;

use std::fmt;

use crate::place::SourceRange;

/// Most conditions of a decision: outcomes of one evaluation fit a word.
pub const MAX_CONDITIONS: usize = 64;

/// A decision with several conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Who says so.
    pub origin: Origin,
    /// Why its evaluations cannot be followed.
    pub problem: Option<Problem>,
    /// Index into [`FunctionCoverage::files`](crate::FunctionCoverage::files).
    pub file: u32,
    pub range: SourceRange,
    /// In the order of the source, which is that of evaluation.
    pub conditions: Vec<Condition>,
}

/// A condition of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Index into [`FunctionCoverage::regions`](crate::FunctionCoverage::regions).
    pub region: u32,
    /// What comes after it was false, after it was true.
    pub next: [Next; 2],
}

/// What comes after a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// The condition of this number.
    Condition(u16),
    /// Nothing: the decision is this.
    End(bool),
}

/// Where a decision comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// clang's mapping.
    Clang,
    /// The control flow.
    Shape,
}

/// Why the evaluations of a decision cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Problem {
    /// More than [`MAX_CONDITIONS`].
    TooManyConditions,
    /// The control flow does not say which conditions follow which, or what they come to: inside a macro, or the
    /// compiler changed it.
    Unreadable,
}

impl Origin {
    /// Its name in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Clang => "clang",
            Origin::Shape => "shape",
        }
    }
}

impl Problem {
    /// Its name in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Problem::TooManyConditions => "too-many-conditions",
            Problem::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::TooManyConditions => write!(
                f,
                "the decision has more than {MAX_CONDITIONS} conditions, so its evaluations are not followed"
            ),
            Problem::Unreadable => write!(
                f,
                "the control flow does not show how the decision's conditions follow each other"
            ),
        }
    }
}

impl Decision {
    /// A decision whose evaluations cannot be followed, with the reason.
    #[must_use]
    pub fn with_problem(
        problem: Problem,
        origin: Origin,
        (file, range): (u32, SourceRange),
        regions: impl IntoIterator<Item = u32>,
    ) -> Decision {
        let condition = |region| Condition {
            region,
            next: [Next::End(false), Next::End(true)],
        };
        Decision {
            origin,
            problem: Some(problem),
            file,
            range,
            conditions: regions.into_iter().map(condition).collect(),
        }
    }

    /// The regions of its conditions.
    pub fn regions(&self) -> impl Iterator<Item = u32> {
        self.conditions.iter().map(|condition| condition.region)
    }
}
