//! Mix: `md2u`, `expectation` with `pool=global`, `random-path` and `cgs` share the picks by what they find.
//!
//! - [`md2u`](super::md2u) (with `callers=own:patience=16`) goes for what is nearest to new code.
//! - [`expectation`](super::expectation) goes where most new code is to be expected.
//! - [`random-path`](super::random_path) goes anywhere in the tree.
//! - [`cgs`](super::cgs) (with `endless`) goes wherever a decision was reached in a new way.
//!
//! Each strategy sees every path and works on the whole tree. The discovery rate of a strategy is the part of its last
//! hundred runs or so that took a branch that no run had taken. Each strategy gets picks in proportion to the fourth power
//! of its rate. Up to three in five picks are shared evenly; the lower the best rate, the larger this part. When a strategy
//! has nothing to offer, another one picks.
//!
//! KLEE interleaves searches by default, too (`random-path` and `md2u`, see `papers/caut-pps.txt`, V-A). Where one strategy is
//! stuck the others are not held up, and what one finds is new ground for all.
//!
//! With this strategy the search also does the following:
//!
//! - It puts text that the program asked for into the input (*Matching text* in the manual).
//! - It repeats parts of inputs where a count decides (*Pumping* in the manual).
//! - Where the values that a path pins leave no solution, it asks for one without the pins.
//! - Where the path in front of a side leaves no solution, it asks for one of the side's condition alone.
//! - It changes inputs at random, when nothing is found for long, or beside the search if the budget is time.
//! - It follows conditions backward from open goals ([`bidirectional`](super::bidirectional)), when nothing is found for long and the
//!   budget is time.
//!
//! **Parameters.** `backward` says whether it follows conditions backward: `no`; `time` (default), where the budget is time; `yes`, where it
//! is a number of runs as well. One question to the solver may then take two seconds.
//!
//! **Cost.** A pick: as for the four strategies. Memory beyond the tree: the sum of all.
//!
//! **When to choose it.** By default.

use super::{Entry, Param, Sources, YES, cgs, expectation, md2u, random_path};
use crate::guide::Shares;

/// Whether somebody looks backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LooksBack {
    No,
    /// Where the budget is time: what one moment takes is up to the solver, and may be as long as all runs of a budget of runs.
    ByClock,
    Yes,
}

impl LooksBack {
    /// The parameter that says it.
    pub(crate) const PARAM: Param = Param {
        name: "backward",
        summary: "follow conditions backward from open goals when nothing is found for long",
        default: LooksBack::ByClock as u64,
        min: 0,
        max: LooksBack::Yes as u64,
        words: &["no", "time", YES],
    };

    pub(crate) const fn of(value: u64) -> LooksBack {
        match value {
            0 => LooksBack::No,
            1 => LooksBack::ByClock,
            _ => LooksBack::Yes,
        }
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "mix",
    summary: "Mix: `md2u`, `expectation` with `pool=global`, `random-path` and `cgs` share the picks by what they find.",
    source: include_str!("mix.rs"),
    sources: Sources::Forward,
    params: &[LooksBack::PARAM],
    make: |program, _| {
        Box::new(Shares::new(vec![
            (md2u::ENTRY.make)(program, md2u::BESIDE_OTHERS),
            (expectation::ENTRY.make)(program, &[1, 0, 0, 0]),
            random_path::ENTRY.plain(program),
            (cgs::ENTRY.make)(program, cgs::BESIDE_OTHERS),
        ]))
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{Block, Model, below, trace};

    #[test]
    fn all_pick() {
        let mut model = Model::new(
            3,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(below(1, 10), 2, 2),
                Block::Branch(below(2, 10), 3, 3),
                Block::Exit,
            ],
        );
        expect![[r#"
            3 places, price 0; 3 branches, best 0.00; 2 forks; k = 1, depth 0, 0 skipped: [1 3] edge4 taken
            3 places, price 0; 3 branches, best 0.00; 1 forks; k = 1, depth 0, 0 skipped: [1] edge2 taken
            3 places, price 0; 3 branches, best 0.00; 1 forks; k = 1, depth 0, 0 skipped: [] edge0 taken
            3 places, price 0; 3 branches, best 0.00; 1 forks; k = 1, depth 1, 0 skipped: [0] edge2 taken
            3 places, price 0; 3 branches, best 0.00; 1 forks; k = 1, depth 2, 0 skipped: [0 3] edge4 taken
            3 places, price 332; 3 branches, best 0.00; 1 forks; k = 1, depth 2, 0 skipped: [1 2] edge4 taken
            3 places, price 332; 3 branches, best 0.00; 1 forks; k = 1, depth 2, 0 skipped: [0 2] edge4 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "mix", 1));
    }
}
