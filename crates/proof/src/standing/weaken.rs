//! From what an analysis believes to claims that the checker takes: what does not hold is given up (Houdini; Flanagan and Leino, FME
//! 2001). Nothing here has to be right: the result is checked.

use std::collections::{BTreeMap, BTreeSet};

use program::FuncId;

use super::{Claim, Claims, Failed, Known, Place, Standing};
use crate::assertion::Set;
use crate::closed::Effects;
use crate::effort::Effort;
use crate::kinds::Refusal;

/// Rounds over all steps.
const ROUNDS: usize = 120;
/// Numbers of a set that grows.
const MOST: usize = 16;

/// The part of some claims that each step of the program keeps. What else is as for [`super::check`].
///
/// # Errors
/// It is not found for what may be spent.
pub fn weaken(effects: &Effects<'_>, claims: &Claims, effort: Effort) -> Result<Claims, Refusal> {
    let known = claims.known((effects.program, effects.foreign))?;
    let mut standing = Standing::new(effects, known, effort)?;
    standing.failed = Some(Failed::new());
    // What steps that keep all claims rested on.
    let mut kept: BTreeMap<Place, BTreeSet<Claim>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        standing.start()?;
        let mut failed = standing.take_failed();
        for place in standing.due() {
            if kept.contains_key(&place) {
                continue;
            }
            standing.seen.clear();
            standing.block(place)?;
            let fresh = standing.take_failed();
            if fresh.is_empty() {
                kept.insert(place, std::mem::take(&mut standing.seen));
            }
            for (claim, numbers) in fresh {
                failed.entry(claim).or_default().extend(numbers);
            }
        }
        if failed.is_empty() {
            return Ok(standing.known.claims());
        }
        kept.retain(|_, seen| seen.iter().all(|claim| !failed.contains_key(claim)));
        for (claim, numbers) in &failed {
            standing.known.give_up(*claim, numbers);
        }
    }
    Err(Refusal::TooLarge)
}

impl Standing<'_> {
    /// What was found not to hold since this was asked last.
    fn take_failed(&mut self) -> Failed {
        self.failed.replace(Failed::new()).unwrap_or_default()
    }
}

impl Known {
    fn give_up(&mut self, claim: Claim, numbers: &BTreeSet<Option<u64>>) {
        match claim {
            Claim::Cell(at) => {
                let set = self.sets[at].take();
                self.sets[at] = set.and_then(|set| grown(&set, numbers));
            }
            Claim::Field(at) => {
                let set = self.columns[at].take();
                self.columns[at] = set.and_then(|set| grown(&set, numbers));
            }
            Claim::Value(function, block, value) => {
                if let Some(values) = self.values.get_mut(&(function, block))
                    && let Some(set) = values.remove(&value)
                    && let Some(set) = grown(&set, numbers)
                {
                    values.insert(value, set);
                }
                if self
                    .values
                    .get(&(function, block))
                    .is_some_and(BTreeMap::is_empty)
                {
                    self.values.remove(&(function, block));
                }
            }
            Claim::Result(function) => self.give_up_result(function, numbers),
            Claim::Block(function, block) => _ = self.blocks.remove(&(function, block)),
            Claim::Edge(edge) => _ = self.edges.remove(&edge),
        }
    }

    fn give_up_result(&mut self, function: FuncId, numbers: &BTreeSet<Option<u64>>) {
        if let Some(set) = self.results.remove(&function)
            && let Some(set) = grown(&set, numbers)
        {
            self.results.insert(function, set);
        }
    }
}

/// A set with some numbers more, if these are all that it lacks, and few; for addresses, all but null.
fn grown(set: &Set, numbers: &BTreeSet<Option<u64>>) -> Option<Set> {
    let own = match set {
        Set::OneOf(own) => own,
        Set::Addresses(addresses) => {
            let has_null = addresses.numbers.contains(&0) || numbers.contains(&Some(0));
            return (!has_null).then(Set::not_null);
        }
        Set::Range { .. } | Set::Ranges(_) => return None,
    };
    let mut all: BTreeSet<u64> = own.iter().copied().collect();
    for number in numbers {
        all.insert((*number)?);
    }
    (all.len() <= MOST && all.len() > own.len()).then(|| Set::OneOf(all.into_iter().collect()))
}
