//! Mix: `md2u`, `expectation` with `pool=global`, `random-path` and `cgs` share the picks by what they find.
//!
//! - [`md2u`](super::md2u) (with `callers=own:patience=16`) goes for what is nearest to new code.
//! - [`expectation`](super::expectation) goes where most new code is to be expected.
//! - [`random-path`](super::random_path) goes anywhere in the tree.
//! - [`cgs`](super::cgs) goes wherever a decision was reached in a new way.
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
//! - It changes inputs at random, when nothing is found for long, or beside the search if the budget is time.
//!
//! **Parameters.** With `backward` (default no) it also follows conditions backward from open goals when nothing is found for long
//! ([`bidirectional`](super::bidirectional)). That is for experiments: one question to the solver may take two seconds.
//!
//! **Cost.** A pick: as for the four strategies. Memory beyond the tree: the sum of all.
//!
//! **When to choose it.** By default.

use super::{Entry, Param, Sources, YES_NO, cgs, expectation, md2u, random_path};
use crate::guide::Shares;

/// The parameter that says whether somebody looks backward.
pub(crate) const BACKWARD: &str = "backward";

pub(super) const ENTRY: Entry = Entry {
    name: "mix",
    summary: "Mix: `md2u`, `expectation` with `pool=global`, `random-path` and `cgs` share the picks by what they find.",
    source: include_str!("mix.rs"),
    sources: Sources::Forward,
    params: &[Param {
        name: BACKWARD,
        summary: "follow conditions backward from open goals when nothing is found for long",
        default: 0,
        min: 0,
        max: 1,
        words: YES_NO,
    }],
    make: |program, _| {
        Box::new(Shares::new(vec![
            (md2u::ENTRY.make)(program, md2u::BESIDE_OTHERS),
            (expectation::ENTRY.make)(program, &[1, 0, 0, 0]),
            random_path::ENTRY.plain(program),
            cgs::ENTRY.plain(program),
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
