//! How a campaign is run.

use super::budget::Budget;
use crate::source;
use path::InputVector;

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
    /// Candidates that can cover nothing new are not tried: see [`crate::relevant`].
    pub path_filter: bool,
    /// The program is linked with code that is neither in its model nor the C library: it may call any function that it
    /// can know of, at any time.
    pub foreign: bool,
    /// What proposes inputs and sides, in the order in which it is asked; those that slice only if the budget is time.
    pub sources: Vec<source::Entry>,
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
            path_filter: false,
            foreign: false,
            sources: source::BARE.to_vec(),
            compact_at: 8 << 20,
        }
    }
}
