//! Mix: `md2u` every other time, `generational` and `cgs` in between.
//!
//! [`md2u`](super::md2u) goes for what is nearest to new code, [`generational`](super::generational) follows the runs
//! that found something new, [`cgs`](super::cgs) goes wherever a decision was reached in a new way. Each sees every path
//! and works on the whole tree. When one has nothing to offer the next goes on.
//!
//! Interleaving searches is what KLEE does by default (`random-path` and `md2u`, see `papers/cgs.txt`, 2.3): where one is
//! stuck the others are not held up, and what one finds is new ground for all.
//!
//! As the default it is not alone: text that the program asked for is matched (see *Matching text* in the manual), and when nothing
//! is found for long, or beside the search if the budget is time, inputs are changed at random.
//!
//! **When to choose it.** By default.

use super::{Entry, cgs, generational, md2u};
use crate::guide::Turns;

pub(super) const ENTRY: Entry = Entry {
    name: "mix",
    summary: "Mix: `md2u` every other time, `generational` and `cgs` in between.",
    source: include_str!("mix.rs"),
    params: &[],
    make: |program, _| {
        let parts = [md2u::ENTRY, generational::ENTRY, cgs::ENTRY];
        let parts = parts.iter().map(|part| part.plain(program)).collect();
        Box::new(Turns::new(parts, TURNS.to_vec()))
    },
};

/// Which part has which turn.
const TURNS: [usize; 4] = [0, 1, 0, 2];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{Block, Model, below, trace};

    #[test]
    fn takes_turns() {
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
            3 places, price 0; 1 runs, best 768; k = 1, depth 0, 0 skipped: [1] edge2 taken
            3 places, price 0; 2 runs, best 767; k = 1, depth 0, 0 skipped: [1 3] edge4 taken
            3 places, price 0; 2 runs, best 767; k = 1, depth 0, 0 skipped: [] edge0 taken
            3 places, price 0; 3 runs, best 767; k = 1, depth 1, 0 skipped: [0] edge2 taken
            3 places, price 332; 4 runs, best 767; k = 1, depth 1, 0 skipped: [0 2] edge4 taken
            3 places, price 332; 3 runs, best 640; k = 1, depth 1, 0 skipped: [0 3] edge4 taken
            3 places, price 0; 3 runs, best 640; k = 1, depth 1, 0 skipped: [1 2] edge4 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "mix", 1));
    }
}
