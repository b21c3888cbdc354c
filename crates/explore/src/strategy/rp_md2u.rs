//! Random path and minimum distance to uncovered in turns: KLEE's default.
//!
//! Picks alternate between [`random-path`](super::random_path) and [`md2u`](super::md2u); both see every path (KLEE, OSDI
//! 2008, section 3.4: "in a round robin fashion"; the competitor RP-MD2U in `papers/caut-pps.txt`, V-A). KLEE's `nurs:md2u`
//! draws states at random, weighted by the inverse square of the distance. This implementation takes the nearest and
//! spreads by a fee, see the page of `md2u`.
//!
//! **Parameters.** `goals` (default `edges`): see `md2u`.
//!
//! **Cost.** A pick: as for the two. Memory beyond the tree: the sum of both.
//!
//! **When to choose it.** For a comparison with KLEE's search on equal terms.

use super::{Entry, GOALS, Sources, md2u, random_path};
use crate::guide::Turns;

pub(super) const ENTRY: Entry = Entry {
    name: "rp-md2u",
    summary: "Random path and minimum distance to uncovered in turns: KLEE's default.",
    source: include_str!("rp_md2u.rs"),
    sources: Sources::Plain,
    params: &[GOALS],
    make: |program, values| {
        Box::new(Turns::fair(vec![
            random_path::ENTRY.plain(program),
            (md2u::ENTRY.make)(program, &[0, 0, values[0]]),
        ]))
    },
};

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{three_in_a_row, trace};

    #[test]
    fn alternates() {
        expect![[r#"
            2 forks; 3 places, price 0: [1 3] edge4 taken
            2 forks; 3 places, price 0: [1] edge2 taken
            1 forks; 3 places, price 0: [] edge0 taken
            1 forks; 3 places, price 332: [1 2] edge4 taken
            exhausted, 5 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut three_in_a_row(), "rp-md2u", 1));
    }
}
