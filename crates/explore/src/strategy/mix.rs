//! Mix: `md2u` every other time, `generational` and `cgs` in between.
//!
//! [`md2u`](super::md2u) goes for what is nearest to new code, [`generational`](super::generational) follows the runs
//! that found something new, [`cgs`](super::cgs) goes wherever a decision was reached in a new way. Each sees every path
//! and works on the whole tree. When one has nothing to offer the next goes on.
//!
//! Interleaving searches is what KLEE does by default (`random-path` and `md2u`, see `papers/cgs.txt`, 2.3): where one is
//! stuck the others are not held up, and what one finds is new ground for all.
//!
//! **When to choose it.** By default.

use super::{Entry, NewPath, Strategy, Verdict, View, cgs, generational, md2u};
use crate::rng::Rng;
use crate::tree::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "mix",
    summary: "Mix: `md2u` every other time, `generational` and `cgs` in between.",
    source: include_str!("mix.rs"),
    params: &[],
    make: |program, _| {
        let part = |entry: Entry| {
            let values: Vec<u64> = entry.params.iter().map(|param| param.default).collect();
            (entry.make)(program, &values)
        };
        Box::new(Mix {
            parts: vec![
                part(md2u::ENTRY),
                part(generational::ENTRY),
                part(cgs::ENTRY),
            ],
            turn: 0,
        })
    },
};

/// Which part has which turn.
const TURNS: [usize; 4] = [0, 1, 0, 2];

struct Mix {
    parts: Vec<Box<dyn Strategy>>,
    turn: usize,
}

impl Strategy for Mix {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for part in &mut self.parts {
            part.on_path(view, path);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        for _ in TURNS {
            let part = TURNS[self.turn];
            self.turn = (self.turn + 1) % TURNS.len();
            if let Some(side) = self.parts[part].pick(view, rng) {
                return Some(side);
            }
        }
        None
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        for part in &mut self.parts {
            part.on_result(view, side, verdict);
        }
    }

    fn phase(&self) -> String {
        let phases: Vec<String> = self.parts.iter().map(|part| part.phase()).collect();
        phases.join("; ")
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes()).sum()
    }
}

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
            3 places, price 320; 2 runs, best 767; k = 1, depth 0, 0 skipped: [] edge0 taken
            3 places, price 320; 3 runs, best 767; k = 1, depth 1, 0 skipped: [0] edge2 taken
            3 places, price 332; 4 runs, best 767; k = 1, depth 1, 0 skipped: [0 2] edge4 taken
            3 places, price 332; 2 runs, best 640; k = 1, depth 1, 0 skipped: [0 3] edge4 taken
            3 places, price 0; 2 runs, best 640; k = 1, depth 1, 0 skipped: [1 2] edge4 taken
            exhausted, 8 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "mix", 1));
    }
}
