//! How a campaign is run.

use super::Budget;
use crate::chance::Use;
use crate::input::InputVector;

/// How a campaign is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Of the random generator.
    pub seed: u64,
    /// Run first, in this order. Usually one vector without values (they are all 0) and with the streams.
    pub initial: Vec<InputVector>,
    /// Run the first input once more with text in its bytes: see [`InputVector::texts`].
    pub text: bool,
    pub budget: Budget,
    /// Keep every run as a test, not only those that cover something new.
    pub keep_all: bool,
    /// Go on when every goal is covered.
    pub past_coverage: bool,
    /// Functions that the program calls and whose results depend on more than their arguments (`time`, `getenv`): with
    /// any, an exhausted tree is no proof.
    pub outside: u64,
    /// When inputs by chance are run.
    pub chance: Use,
    /// Terms in the pool at which what nobody needs any more is thrown away.
    pub compact_at: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 0,
            initial: vec![InputVector::default()],
            text: false,
            budget: Budget::default(),
            keep_all: false,
            past_coverage: false,
            outside: 0,
            chance: Use::Never,
            compact_at: 8 << 20,
        }
    }
}
