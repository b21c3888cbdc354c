//! Bidirectional: the picks of `mix`, and conditions followed backward from open goals, in turns.
//!
//! Forward search sees what its runs touched. This strategy also goes back from each open goal, instruction by instruction: what must
//! hold in front of it, and in front of that. Where a test was at the same place, its state and the condition are joined: one query
//! gives an input. Where every way ends in conditions that exclude each other, no input covers the goal. This is bidirectional
//! analysis (*BiTe*, sections 4 to 6: symbolic execution at the frontier, reachability analysis; coarsening is only that a state
//! which another one covers is dropped). Goals near to what runs took come first, each for a while, twice as long each time after.
//!
//! - With a budget of time it has a sixth of it, half when the other sources find nothing.
//! - With a budget of runs it has as many moments as the runs allow.
//! - Inputs need a program that the machine can run (*The machine* in the manual). Without it there are proofs only.
//! - `--no-proofs` turns it off.
//!
//! **Cost.** A pick: as for `mix`. Memory beyond the tree: terms, at most two million, and snapshots of 64 runs.
//!
//! **When to choose it.** Where counts in loops decide, and where most infeasible sides are to be proved. `mix:backward` does the same only
//! when nothing else is found for long, which is cheaper on most programs and later on these.

use super::{Entry, Sources, mix};

pub(super) const ENTRY: Entry = Entry {
    name: "bidirectional",
    summary: "Bidirectional: the picks of `mix`, and conditions followed backward from open goals, in turns.",
    source: include_str!("bidirectional.rs"),
    sources: Sources::Both,
    params: &[],
    make: mix::ENTRY.make,
};
