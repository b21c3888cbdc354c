//! A goal: one thing that a criterion wants some test to do.

use std::fmt;

use program::Counter;

use crate::decisions::DecisionId;

program::entity!(
    /// A goal of the criterion in use.
    GoalId, "goal"
);

/// Outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    False,
    True,
}

impl Side {
    /// Both, in the order of their numbers.
    pub const BOTH: [Side; 2] = [Side::False, Side::True];

    /// Its number: false 0, true 1, as the edges of a site.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Side::False => 0,
            Side::True => 1,
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::False => Side::True,
            Side::True => Side::False,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::False => "false",
            Side::True => "true",
        })
    }
}

/// What kind of thing is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GoalKind {
    /// A condition, or the label of a `switch`, comes out this way.
    Outcome(Side),
    /// Code runs, or a function is entered.
    Reached,
    /// A decision comes out this way.
    Decision(Side),
    /// A condition is shown to affect its decision independently of the others. (What is a decision by itself has no others: its two
    /// outcomes are goals.)
    Independent,
    /// A function is entered, beside what else the criterion wants of it.
    Entry,
    /// A function is left here.
    Exit,
}

impl GoalKind {
    /// Where it is counted.
    #[must_use]
    pub const fn figure(self) -> Figure {
        match self {
            GoalKind::Entry => Figure::Entries,
            GoalKind::Exit => Figure::Exits,
            GoalKind::Outcome(_) | GoalKind::Reached | GoalKind::Decision(_) => Figure::Own,
            GoalKind::Independent => Figure::Pairs,
        }
    }
}

/// The figure of a report that a goal counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Figure {
    /// The criterion's own.
    Own,
    /// The criterion's own; it has a column to itself as well.
    Pairs,
    /// Entries of functions.
    Entries,
    /// Exits of functions.
    Exits,
}

impl fmt::Display for GoalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoalKind::Outcome(side) => side.fmt(f),
            GoalKind::Reached => f.pad("reached"),
            GoalKind::Decision(side) => f.pad(match side {
                Side::False => "decision false",
                Side::True => "decision true",
            }),
            GoalKind::Independent => f.pad("independent"),
            GoalKind::Entry => f.pad("entry"),
            GoalKind::Exit => f.pad("exit"),
        }
    }
}

/// What shows that a goal was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// This count of the goal's function record is not 0.
    Count(Counter),
    /// Some way to this outcome of a decision was taken.
    Decided { decision: DecisionId, side: Side },
    /// Two vectors of a decision, of one run or of two, show that a condition affects it.
    Pair {
        decision: DecisionId,
        condition: u16,
    },
    /// Nothing does: its evaluations cannot be followed.
    Nothing,
}

/// One goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// Index into [`program::Program::coverage`].
    pub record: u32,
    /// Index into the regions of the record.
    pub region: u32,
    pub kind: GoalKind,
    pub evidence: Evidence,
}
