//! Comparisons of [`Real`]s, and what they say of their operands.
//!
//! Two numbers compare in one of four ways: less, equal, greater, or not at all where one is NaN. A predicate is the set of those for which
//! it is true.

use program::FCmp;

use super::{Real, Span, least, most};

/// A set of ways in which two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes(u8);

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

impl Outcomes {
    /// Where a predicate is true.
    #[must_use]
    pub fn of(pred: FCmp) -> Outcomes {
        Outcomes(match pred {
            FCmp::False => 0,
            FCmp::Oeq => EQUAL,
            FCmp::Ogt => GREATER,
            FCmp::Oge => GREATER | EQUAL,
            FCmp::Olt => LESS,
            FCmp::Ole => LESS | EQUAL,
            FCmp::One => LESS | GREATER,
            FCmp::Ord => LESS | EQUAL | GREATER,
            FCmp::Uno => UNORDERED,
            FCmp::Ueq => EQUAL | UNORDERED,
            FCmp::Ugt => GREATER | UNORDERED,
            FCmp::Uge => GREATER | EQUAL | UNORDERED,
            FCmp::Ult => LESS | UNORDERED,
            FCmp::Ule => LESS | EQUAL | UNORDERED,
            FCmp::Une => LESS | GREATER | UNORDERED,
            FCmp::True => LESS | EQUAL | GREATER | UNORDERED,
        })
    }

    /// Where the predicate is false.
    #[must_use]
    pub fn inverse(self) -> Outcomes {
        Outcomes(!self.0 & (LESS | EQUAL | GREATER | UNORDERED))
    }

    /// The same of the operands exchanged.
    #[must_use]
    pub fn swapped(self) -> Outcomes {
        let kept = self.0 & (EQUAL | UNORDERED);
        let less = if self.has(GREATER) { LESS } else { 0 };
        let greater = if self.has(LESS) { GREATER } else { 0 };
        Outcomes(kept | less | greater)
    }

    fn has(self, outcome: u8) -> bool {
        self.0 & outcome != 0
    }

    /// How numbers of two sets may compare.
    #[must_use]
    pub fn between(a: &Real, b: &Real) -> Outcomes {
        let mut found = if a.nan || b.nan { UNORDERED } else { 0 };
        if let (Some(x), Some(y)) = (a.span, b.span) {
            if x.lo < y.hi {
                found |= LESS;
            }
            if x.lo <= y.hi && y.lo <= x.hi {
                found |= EQUAL;
            }
            if x.hi > y.lo {
                found |= GREATER;
            }
        }
        Outcomes(found)
    }

    /// How a number compares with itself.
    #[must_use]
    pub fn with_itself(self) -> Outcomes {
        Outcomes(self.0 & (EQUAL | UNORDERED))
    }

    /// Whether it may be that two numbers compare so.
    #[must_use]
    pub fn may_be(self, a: &Real, b: &Real) -> bool {
        self.0 & Outcomes::between(a, b).0 != 0
    }

    /// The numbers of the first set that compare so with some of the second; `None` when there are none.
    #[must_use]
    pub fn refined(self, a: &Real, b: &Real) -> Option<Real> {
        let possible = Outcomes(self.0 & Outcomes::between(a, b).0);
        let format = a.format;
        let mut span: Option<Span> = None;
        let mut add = |part: Option<Span>| {
            span = match (span, part) {
                (Some(a), Some(b)) => Some(a.join(b)),
                (a, b) => a.or(b),
            };
        };
        if let (Some(x), Some(y)) = (a.span, b.span) {
            if possible.has(LESS) {
                add(Span::new(x.lo, least(x.hi, format.below(y.hi))));
            }
            if possible.has(EQUAL) {
                add(x.meet(y.with_zeros()));
            }
            if possible.has(GREATER) {
                add(Span::new(most(x.lo, format.above(y.lo)), x.hi));
            }
        }
        if possible.has(UNORDERED) && b.nan {
            add(a.span);
        }
        Real::new(format, span, a.nan && possible.has(UNORDERED))
    }
}
