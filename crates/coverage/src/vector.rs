//! Evaluations of a decision, and which two of them show that a condition matters.
//!
//! A *vector* says of each condition whether it was evaluated and what it was, and what the decision came to. C evaluates no
//! more conditions than it needs; what was not evaluated stands for either value.
//!
//! A condition is shown to *affect the decision independently* by two vectors that evaluate it to different values and come
//! to different outcomes (DO-178C, glossary "Modified Condition/Decision Coverage"), and
//!
//! - [`Pairing::UniqueCause`]: every other condition has the same value in both, where both evaluate it. It is what
//!   `llvm-cov` 19 counts (`MCDCRecordProcessor::findIndependencePairs`);
//! - [`Pairing::Masking`]: other conditions may differ as long as they are *masked*: in each of the two vectors the outcome
//!   turns when the condition does and all others stay (CAST-6, section 3; Chilenski, DOT/FAA/AR-01/18, section 3).
//!
//! Must hold: every unique-cause pair is a masking pair.

use std::fmt;

use program::decision::Next;

/// An evaluation of a decision with at most 64 conditions; bit *i* belongs to condition *i*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vector {
    /// Which conditions were evaluated.
    pub evaluated: u64,
    /// What they were; 0 where they were not evaluated.
    pub values: u64,
    /// What the decision came to.
    pub outcome: bool,
}

/// Which pairs of vectors count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pairing {
    /// All other conditions stay.
    #[default]
    UniqueCause,
    /// Other conditions may change where that does not matter.
    Masking,
}

impl Pairing {
    /// Both.
    pub const ALL: [Pairing; 2] = [Pairing::UniqueCause, Pairing::Masking];

    /// What the user types.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pairing::UniqueCause => "unique-cause",
            Pairing::Masking => "masking",
        }
    }
}

impl Vector {
    /// The value of a condition, if it was evaluated.
    #[must_use]
    pub const fn value(&self, condition: u16) -> Option<bool> {
        if self.evaluated >> condition & 1 == 0 {
            return None;
        }
        Some(self.values >> condition & 1 == 1)
    }

    /// Notes that a condition was evaluated.
    pub const fn set(&mut self, condition: u16, value: bool) {
        self.evaluated |= 1 << condition;
        self.values |= (value as u64) << condition;
    }

    /// The values of the first `conditions` conditions: `T`, `F`, or `-` for one that was not evaluated.
    #[must_use]
    pub fn letters(&self, conditions: usize) -> String {
        let letter = |condition: usize| match self.value(condition as u16) {
            Some(true) => 'T',
            Some(false) => 'F',
            None => '-',
        };
        (0..conditions).map(letter).collect()
    }
}

/// The truth value as a letter.
#[must_use]
pub const fn letter(value: bool) -> char {
    if value { 'T' } else { 'F' }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Do two vectors show that a condition affects the decision? `next` says for each condition what follows it when it is
/// false, when it is true.
#[must_use]
pub fn is_pair(
    pairing: Pairing,
    next: &[[Next; 2]],
    condition: u16,
    (a, b): (&Vector, &Vector),
) -> bool {
    let (Some(value), Some(other)) = (a.value(condition), b.value(condition)) else {
        return false;
    };
    if value == other || a.outcome == b.outcome {
        return false;
    }
    match pairing {
        Pairing::UniqueCause => {
            let both = a.evaluated & b.evaluated & !(1 << condition);
            a.values & both == b.values & both
        }
        Pairing::Masking => decides(next, condition, a) && decides(next, condition, b),
    }
}

/// Would the outcome be the other one, had this condition been the other value and all others stayed? Those that were not
/// evaluated may be what they like.
fn decides(next: &[[Next; 2]], condition: u16, vector: &Vector) -> bool {
    let Some(value) = vector.value(condition) else {
        return false;
    };
    // Conditions come in order, so one pass over what can be reached is enough.
    let mut reached = vec![false; next.len()];
    let mut turned = false;
    let mut go = |reached: &mut Vec<bool>, to: Next| match to {
        Next::Condition(to) => {
            if let Some(slot) = reached.get_mut(usize::from(to)) {
                *slot = true;
            }
        }
        Next::End(outcome) => turned |= outcome != vector.outcome,
    };
    let Some(pair) = next.get(usize::from(condition)) else {
        return false;
    };
    go(&mut reached, pair[usize::from(!value)]);
    for at in 0..next.len() {
        if !reached[at] {
            continue;
        }
        match vector.value(at as u16) {
            Some(value) => go(&mut reached, next[at][usize::from(value)]),
            None => next[at].iter().for_each(|to| go(&mut reached, *to)),
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    use Next::{Condition as C, End};

    /// `(a && b) || (c && d)`.
    const TWO_ANDS: [[Next; 2]; 4] = [
        [C(2), C(1)],
        [C(2), End(true)],
        [End(false), C(3)],
        [End(false), End(true)],
    ];

    fn vector(letters: &str, outcome: bool) -> Vector {
        let mut vector = Vector {
            outcome,
            ..Vector::default()
        };
        for (condition, letter) in (0..).zip(letters.chars()) {
            if letter != '-' {
                vector.set(condition, letter == 'T');
            }
        }
        assert_eq!(vector.letters(letters.len()), letters);
        vector
    }

    /// The conditions that a pair of vectors shows, by each rule.
    fn check(next: &[[Next; 2]], a: (&str, bool), b: (&str, bool), unique: &str, masking: &str) {
        let (a, b) = (vector(a.0, a.1), vector(b.0, b.1));
        let shown = |pairing| {
            let shown = (0..next.len() as u16).filter(|condition| {
                let forward = is_pair(pairing, next, *condition, (&a, &b));
                assert_eq!(forward, is_pair(pairing, next, *condition, (&b, &a)));
                forward
            });
            let letters = shown.map(|condition| (b'a' + condition as u8) as char);
            letters.collect::<String>()
        };
        assert_eq!(shown(Pairing::UniqueCause), unique);
        assert_eq!(shown(Pairing::Masking), masking);
    }

    #[test]
    fn rules_differ_where_other_conditions_are_masked() {
        check(&TWO_ANDS, ("TT--", true), ("F-F-", false), "a", "a");
        check(&TWO_ANDS, ("TFTT", true), ("F-F-", false), "", "c");
        check(&TWO_ANDS, ("F-TT", true), ("F-F-", false), "c", "c");
        check(&TWO_ANDS, ("TT--", true), ("F-TF", false), "a", "a");
        check(&TWO_ANDS, ("F-TT", true), ("TFTF", false), "", "d");
        // `a` cannot turn the outcome of the first: `c && d` is true anyway.
        check(&TWO_ANDS, ("F-TT", true), ("TFF-", false), "", "c");
        check(&TWO_ANDS, ("F-TT", true), ("TT--", true), "", "");
    }

    #[test]
    fn what_was_not_evaluated_stands_for_either_value() {
        let and = [[End(false), C(1)], [End(false), End(true)]];
        check(&and, ("F-", false), ("TT", true), "a", "a");
        check(&and, ("TF", false), ("TT", true), "b", "b");
        check(&and, ("TF", false), ("F-", false), "", "");
    }

    #[test]
    fn every_unique_cause_pair_is_a_masking_pair() {
        // All vectors of the four conditions.
        let all: Vec<Vector> = (0..16_u64)
            .map(|bits| {
                let mut vector = Vector::default();
                let mut at = 0_u16;
                loop {
                    let value = bits >> at & 1 == 1;
                    vector.set(at, value);
                    match TWO_ANDS[usize::from(at)][usize::from(value)] {
                        C(next) => at = next,
                        End(outcome) => {
                            vector.outcome = outcome;
                            return vector;
                        }
                    }
                }
            })
            .collect();
        let mut pairs = [0, 0];
        for a in &all {
            for b in &all {
                for condition in 0..4 {
                    let is = |pairing| is_pair(pairing, &TWO_ANDS, condition, (a, b));
                    let both = Pairing::ALL.map(is);
                    assert!(!both[0] || both[1], "{a:?} {b:?} {condition}");
                    pairs[0] += usize::from(both[0]);
                    pairs[1] += usize::from(both[1]);
                }
            }
        }
        assert!(pairs[1] > pairs[0], "{pairs:?}");
    }
}
