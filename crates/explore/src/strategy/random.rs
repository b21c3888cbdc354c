//! Random: inputs drawn at random; nothing is solved.
//!
//! Plain random testing: each run has an input of which every bit of every value, every byte and every length is drawn, all
//! equally likely. No run says anything about the next input: it is no fuzzer. It is CREST's
//! `RandomInputSearch`, and the first question of every user: what does all the solving bring? (*Random* in
//! `papers/expectation.txt`, IV, and *Random Branch* in `papers/cgs.txt`, 2.3.2, are something else: they draw *branches*. See
//! [`random-branch`](super::random_branch).)
//!
//! With this strategy nothing else is tried: no checks, no pins, no second tries, no changes of tests. What it leaves open it
//! leaves open: it proves nothing. (Proofs from the code alone are made before the search, whatever the strategy, unless
//! `--no-proofs` is given.)
//!
//! The papers leave some points open. A program that asks for more values than twice the most that a run has asked for gets
//! zeros there. The first input is all zeros, unless `--first random` is given.
//!
//! **Cost.** A pick: the length of the input. Memory beyond the tree: none.
//!
//! **When to choose it.** As the baseline of an experiment.

use super::{Entry, NewPath, Pick, Sources, Strategy, View};
use crate::rng::Rng;
use path::Candidate;

pub(super) const ENTRY: Entry = Entry {
    name: "random",
    summary: "Random: inputs drawn at random; nothing is solved.",
    source: include_str!("random.rs"),
    sources: Sources::Alone,
    params: &[],
    make: |_, _| Box::new(Random { draws: 0 }),
};

struct Random {
    draws: u64,
}

impl Strategy for Random {
    fn on_path(&mut self, _view: &View<'_>, _path: &NewPath<'_>) {}

    fn pick(&mut self, _view: &View<'_>, _rng: &mut Rng) -> Option<Candidate> {
        None
    }

    fn next(&mut self, _view: &View<'_>, _rng: &mut Rng) -> Option<Pick> {
        self.draws += 1;
        Some(Pick::Draw)
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn phase(&self) -> String {
        format!("{} inputs drawn", self.draws)
    }

    fn bytes(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use crate::campaign::{Budget, Config, StopReason};
    use crate::testing::{Block, Model, below, on, run_for};
    use smt::Op;

    /// Half of all inputs take the first condition, one in 256 the second.
    fn easy_and_hard() -> Model {
        Model::new(
            2,
            vec![
                Block::Branch(below(0, 128), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 2),
                Block::Exit,
            ],
        )
    }

    fn config(iterations: u64) -> Config {
        Config {
            seed: 1,
            budget: Budget {
                iterations: Some(iterations),
                ..Budget::default()
            },
            sources: crate::source::ALONE.to_vec(),
            ..Config::default()
        }
    }

    #[test]
    fn inputs_are_drawn_and_nothing_is_solved() {
        let mut model = easy_and_hard();
        let (stop, queries) = run_for(&mut model, "random", config(20));
        assert!(matches!(stop, StopReason::Budget(_)), "{stop:?}");
        assert_eq!((model.log.len(), queries), (20, 0));
        let low = model.log.iter().filter(|input| input[0] < 128).count();
        assert!((5..=15).contains(&low), "{:?}", model.log);
        assert!(model.log.iter().skip(1).any(|input| input[1] != 0));
    }

    /// 65,536 inputs, of which one in 256 covers the last side: they come without a solver.
    #[test]
    fn enough_of_them_find_one_in_256() {
        let mut model = easy_and_hard();
        let (stop, queries) = run_for(&mut model, "random", config(5000));
        assert_eq!((stop, queries), (StopReason::AllCovered, 0));
        assert!((20..2000).contains(&model.log.len()), "{}", model.log.len());
    }

    /// The second condition needs 20 below 10: that nobody found an input proves nothing.
    #[test]
    fn what_it_leaves_open_is_not_infeasible() {
        let mut model = Model::new(
            1,
            vec![
                Block::Branch(below(0, 10), 1, 2),
                Block::Branch(on(0, Op::Eq, 20), 2, 2),
                Block::Exit,
            ],
        );
        let (stop, queries) = run_for(&mut model, "random", config(300));
        assert!(matches!(stop, StopReason::Budget(_)), "{stop:?}");
        assert_eq!((model.log.len(), queries), (300, 0));
    }
}
