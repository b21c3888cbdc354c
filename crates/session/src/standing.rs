//! Claims that hold at any time of any run, for certificates: what the value analysis says, as far as the checker takes it.
//!
//! Must hold: what is handed out passed the checker here; what it takes is bounded, and ends when the certificates do.

use std::cell::OnceCell;

use program::Function;
use proof::standing::{Claims, needed, weaken};
use proof::{Effort, End, Fact, closed};
use smt::Steps;

use crate::called::{CalledWith, told};

/// Questions to a solver about all claims before they are written.
const QUESTIONS: u64 = 10_000;
/// Steps of all of them together, and of one: some seconds.
const STEPS: (u64, Steps) = (60_000, Steps(2_000));

/// Claims about a program.
pub struct Standing {
    end: End,
    kept: OnceCell<Option<Claims>>,
}

impl Standing {
    /// None yet.
    #[must_use]
    pub fn new(end: End) -> Standing {
        Standing {
            end,
            kept: OnceCell::new(),
        }
    }

    /// The claims that hold of all runs, and what they say that no run does; `effects`: of these runs; `known`: what the value analysis says.
    pub fn always(&self, effects: &closed::Effects<'_>, known: Option<&Claims>) -> Option<&Claims> {
        let made = || self.made(effects, known?);
        self.kept.get_or_init(made).as_ref()
    }

    /// The same of runs with some words of the command line.
    pub fn as_called(&self, effects: &closed::Effects<'_>, called: &CalledWith) -> Option<&Claims> {
        let made = || {
            if let Some(known) = &called.by_values.standing {
                return self.made(effects, known);
            }
            // Nothing but what holds at any time is asked for.
            let limits = values::Limits {
                small: 0,
                ..values::Limits::default()
            };
            let (program, foreign) = (effects.program, effects.foreign);
            let known = values::analyse_told(program, foreign, told(&called.said, false), limits);
            let known = backward::at_any_time(program, &known)?;
            self.made(effects, &known)
        };
        self.kept.get_or_init(made).as_ref()
    }

    /// What was found, if it was looked for.
    pub fn found(&self) -> Option<Claims> {
        self.kept.get()?.clone()
    }

    fn made(&self, effects: &closed::Effects<'_>, known: &Claims) -> Option<Claims> {
        // What goals are about: edges, and functions that are not called.
        let entry = Function::ENTRY.as_u32();
        let goals = known.never.iter().copied();
        let goals =
            goals.filter(|fact| !matches!(fact, Fact::Block { block, .. } if *block != entry));
        let wanted = needed(effects, known, &goals.collect::<Vec<Fact>>()).ok()?;
        let effort = Effort::questions(QUESTIONS)
            .steps(STEPS.0, STEPS.1)
            .until(self.end.clone());
        let kept = weaken(effects, &wanted, effort.clone()).ok()?;
        proof::standing::check(effects, &kept, effort).ok()?;
        Some(kept)
    }
}
