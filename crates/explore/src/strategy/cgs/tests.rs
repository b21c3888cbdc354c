//! Contexts by hand, and the search against the algorithm as it is written.

use expect_test::{Expect, expect};
use smt::Op;

use program::dom::{EdgeDominators, edge_dominators};

use super::endless::{Endless, grow};
use super::*;
use crate::campaign::{Budget, Config};
use crate::choice::Choice;
use crate::rng::Rng;
use crate::testing::{Block, Model, below, concrete, on, trace, trace_of};
use crate::view::{NewPath, Strategy};

fn check(mut model: Model, strategy: &str, expected: &Expect) {
    expected.assert_eq(&trace(&mut model, strategy, 1));
}

/// Figure 1: three conditions in a row; the second and the third depend on each other.
/// Edges: 0 b2, 1 b1; 2 b4, 3 b3 (total >= 100); 4 b6, 5 b5 (total >= 200).
fn figure_1() -> Model {
    Model::new(
        2,
        vec![
            Block::Branch(on(0, Op::Eq, 7), 1, 2),
            Block::Jump(3),
            Block::Jump(3),
            Block::Branch(not_below(1, 100), 4, 5),
            Block::Jump(6),
            Block::Jump(6),
            Block::Branch(not_below(1, 200), 7, 8),
            Block::Exit,
            Block::Exit,
        ],
    )
}

fn not_below(input: usize, value: u8) -> crate::testing::Condition {
    let below = below(input, value);
    Box::new(move |pool, inputs, visit| {
        let below = below(pool, inputs, visit);
        pool.not(below)
    })
}

#[test]
fn figure_1_skips_what_was_reached_in_the_same_way() {
    check(
        figure_1(),
        "cgs:endless",
        &expect![[r#"
        k = 1, depth 0, 0 skipped: [] edge1 taken
        k = 1, depth 1, 0 skipped: [1] edge3 taken
        k = 1, depth 2, 1 skipped: [1 2] edge5 unsat
        k = 2, depth 1, 0 skipped: [0] edge3 taken
        k = 2, depth 2, 1 skipped: [0 3] edge5 taken
        k = 3, depth 2, 0 skipped: [0 2] edge5 unsat
        k = 3, depth 2, 0 skipped: [1 3] edge5 taken
        exhausted, 6 runs, gaps: 
    "#]],
    );
}

/// Figure 5: after one free branch (0 b2, 1 b1), conditions nested so deep that all near contexts are the same.
/// Taken edges 3 b3, 5 b5, 7 b7, 9 b9; 11 is b11.
fn figure_5() -> Model {
    let nested = |depth: usize| Block::Branch(below(depth, 10), 3 + depth, 8);
    Model::new(
        6,
        vec![
            Block::Branch(on(0, Op::Eq, 7), 1, 2),
            Block::Jump(3),
            Block::Jump(3),
            nested(1),
            nested(2),
            nested(3),
            nested(4),
            Block::Branch(below(5, 10), 8, 8),
            Block::Exit,
        ],
    )
}

#[test]
fn figure_5_needs_two_levels_with_dominators() {
    check(
        figure_5(),
        "cgs:endless",
        &expect![[r#"
        k = 1, depth 0, 0 skipped: [] edge1 taken
        k = 1, depth 1, 0 skipped: [1] edge2 taken
        k = 1, depth 2, 1 skipped: [1 3] edge4 taken
        k = 1, depth 3, 2 skipped: [1 3 5] edge6 taken
        k = 1, depth 4, 3 skipped: [0 3 5 7] edge8 taken
        k = 1, depth 5, 4 skipped: [1 3 5 7 9] edge10 taken
        k = 2, depth 1, 0 skipped: [0] edge2 taken
        k = 2, depth 2, 0 skipped: [0 3] edge4 taken
        k = 2, depth 3, 0 skipped: [0 3 5] edge6 taken
        k = 2, depth 4, 0 skipped: [1 3 5 7] edge8 taken
        k = 2, depth 5, 0 skipped: [0 3 5 7 9] edge10 taken
        exhausted, 12 runs, gaps: 
    "#]],
    );
}

#[test]
fn figure_5_needs_six_levels_without_dominators() {
    check(
        figure_5(),
        "cgs:no-dominators=1,endless",
        &expect![[r#"
        k = 1, depth 0, 0 skipped: [] edge1 taken
        k = 1, depth 1, 0 skipped: [1] edge2 taken
        k = 1, depth 2, 1 skipped: [1 3] edge4 taken
        k = 1, depth 3, 2 skipped: [1 3 5] edge6 taken
        k = 1, depth 4, 3 skipped: [0 3 5 7] edge8 taken
        k = 1, depth 5, 4 skipped: [1 3 5 7 9] edge10 taken
        k = 2, depth 1, 0 skipped: [0] edge2 taken
        k = 3, depth 2, 0 skipped: [0 3] edge4 taken
        k = 4, depth 3, 0 skipped: [0 3 5] edge6 taken
        k = 5, depth 4, 0 skipped: [1 3 5 7] edge8 taken
        k = 6, depth 5, 0 skipped: [0 3 5 7 9] edge10 taken
        exhausted, 12 runs, gaps: 
    "#]],
    );
}

#[test]
fn rounds_of_a_loop_are_told_apart() {
    let model = Model::new(
        1,
        vec![
            Block::Branch(
                Box::new(|pool, inputs, visit| {
                    let visit = pool.constant(8, u128::from(visit));
                    pool.cmp(Op::Ult, visit, inputs[0])
                }),
                1,
                2,
            ),
            Block::Branch(concrete(|visit| visit < 4), 0, 2),
            Block::Exit,
        ],
    );
    check(
        model,
        "cgs:endless",
        &expect![[r#"
        k = 1, depth 0, 0 skipped: [] edge1 taken
        k = 2, depth 1, 0 skipped: [1 3] edge1 taken
        k = 4, depth 2, 0 skipped: [1 3 1 3] edge1 taken
        k = 6, depth 3, 0 skipped: [1 3 1 3 1 3] edge1 taken
        k = 8, depth 4, 0 skipped: [1 3 1 3 1 3 1 3] edge1 taken
        exhausted, 6 runs, gaps: 
    "#]],
    );
}

#[test]
fn a_fixed_level_hands_over_when_it_has_nothing_new() {
    check(
        figure_1(),
        "cgs:fixed-k=1,endless",
        &expect![[r#"
        k = 1, depth 0, 0 skipped: [] edge1 taken
        k = 1, depth 1, 0 skipped: [1] edge3 taken
        k = 1, depth 2, 1 skipped: [1 2] edge5 unsat
        Oldest: [0] edge3 taken
        Oldest: [0 2] edge5 unsat
        Oldest: [1 3] edge5 taken
        Oldest: [0 3] edge5 taken
        exhausted, 6 runs, gaps: 
    "#]],
    );
}

/// The algorithm as it is written: no cache, each context is compared with that of every selected branch.
struct Plain {
    dominators: Option<EdgeDominators>,
    k: u32,
    depth: usize,
    current: Vec<Item>,
    lists: Vec<Vec<Item>>,
    selected: Vec<Item>,
    unlimited: bool,
    skipped: usize,
    growing: bool,
}

impl Plain {
    fn waiting(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    fn is_old(&mut self, view: &View<'_>, item: &mut Item) -> bool {
        let dominators = self.dominators.as_ref();
        grow(item, view, dominators, self.k);
        let mut selected = self.selected.iter_mut();
        selected.any(|other| {
            grow(other, view, dominators, self.k);
            other.hash == item.hash
        })
    }
}

impl Strategy for Plain {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &node in path.new_nodes() {
            let depth = view.tree.depth(node) as usize;
            let length = self.lists.len().max(depth + 1);
            self.lists.resize_with(length, Vec::new);
            let branches = view.tree.candidates(node);
            self.lists[depth].extend(branches.map(|branch| Item::new(view, branch)));
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        loop {
            while let Some(mut item) = self.current.pop() {
                if !view.tree.is_open(item.branch) {
                    continue;
                }
                let old = self.is_old(view, &mut item);
                if !old || (self.unlimited && item.complete) {
                    self.selected.push(item);
                    return Some(item.branch);
                }
                self.skipped += 1;
                self.growing |= !item.complete;
                self.lists[self.depth - 1].push(item);
            }
            if self.depth < self.lists.len() {
                std::mem::swap(&mut self.current, &mut self.lists[self.depth]);
                rng.shuffle(&mut self.current);
                self.depth += 1;
                continue;
            }
            if self.waiting() == 0 {
                return None;
            }
            self.unlimited = self.waiting() == self.skipped && !self.growing;
            self.k += u32::from(!self.unlimited);
            (self.depth, self.skipped, self.growing) = (0, 0, false);
        }
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Asks both, and compares.
struct Both(Endless, Plain);

impl Strategy for Both {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.0.on_path(view, path);
        self.1.on_path(view, path);
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let mut same = rng.clone();
        let picked = self.0.pick(view, rng);
        let plain = self.1.pick(view, &mut same);
        assert_eq!((picked, self.0.k), (plain, self.1.k));
        assert_eq!(*rng, same);
        picked
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Branches on random inputs with random targets, loops among them, one in four decided by nothing symbolic.
fn random_model(rng: &mut Rng) -> Model {
    const BLOCKS: usize = 9;
    let blocks = (0..BLOCKS).map(|_| {
        let condition = if rng.below(4) == 0 {
            let rounds = rng.below(4) as u32;
            concrete(move |visit| visit < rounds)
        } else {
            below(rng.below(3), rng.below(256) as u8)
        };
        Block::Branch(condition, rng.below(BLOCKS + 1), rng.below(BLOCKS + 1))
    });
    let blocks: Vec<Block> = blocks.chain([Block::Exit]).collect();
    let mut model = Model::new(3, blocks);
    model.fuel = 100;
    model
}

#[test]
fn picks_are_those_of_the_algorithm_as_written() {
    let mut rng = Rng::new(11);
    let mut picks = 0;
    for seed in 0..1000 {
        let mut model = random_model(&mut rng);
        let dominators = seed % 2 == 0;
        let plain = Plain {
            dominators: dominators.then(|| edge_dominators(&model.program)),
            k: 1,
            depth: 0,
            current: Vec::new(),
            lists: Vec::new(),
            selected: Vec::new(),
            unlimited: false,
            skipped: 0,
            growing: false,
        };
        let both = Both(Endless::new(&model.program, 0, dominators), plain);
        let config = Config {
            seed,
            past_coverage: true,
            ..Config::default()
        };
        picks += trace_of(&mut model, Box::new(both), config).lines().count();
    }
    assert!(picks > 5000, "{picks}");
}

/// Figure 1 by the letter, one round by hand. First path (b2, b4, b6), edges 0, 2, 4. k = 1: b1, then b3 and b5 on its path,
/// each once; b5 has no input behind b4. k = 2: (b2, b3) is new; so are (b4, b5), because the cache has b5 as it was stored, with
/// one branch, and (b3, b5). k = 3: (b1, b3, b5); b5 behind (b1, b4) was selected before.
#[test]
fn published_figure_1() {
    check(
        figure_1(),
        "cgs",
        &expect![[r#"
        round 1, k = 1, depth 0, 0 skipped: [] edge1 taken
        round 1, k = 1, depth 1, 0 skipped: [1] edge3 taken
        round 1, k = 1, depth 2, 1 skipped: [1 2] edge5 unsat
        round 1, k = 2, depth 1, 0 skipped: [0] edge3 taken
        round 1, k = 2, depth 2, 0 skipped: [0 2] edge5 unsat
        round 1, k = 2, depth 2, 0 skipped: [0 3] edge5 taken
        round 1, k = 3, depth 2, 0 skipped: [1 3] edge5 taken
        exhausted, 6 runs, gaps: 
    "#]],
    );
}

/// So many runs of `cgs`, whatever is covered.
fn published(model: &mut Model, iterations: u64) -> String {
    let budget = Budget {
        iterations: Some(iterations),
        ..Budget::default()
    };
    let config = Config {
        seed: 1,
        past_coverage: true,
        budget,
        ..Config::default()
    };
    let choice = Choice::parse("cgs").expect("it is known");
    let strategy = choice.make(&model.program);
    trace_of(model, strategy, config)
}

/// Seven free conditions in a row: 128 paths, of which five levels of contexts leave some. The next round begins with an input
/// that is drawn, and takes sides again that the first round took.
#[test]
fn published_begins_again() {
    let row = (0..7).map(|index| Block::Branch(below(index, 128), index + 1, index + 1));
    let mut model = Model::new(7, row.chain([Block::Exit]).collect());
    let trace = published(&mut model, 200);
    let at_the_root: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains(": [] "))
        .collect();
    assert!(at_the_root.len() >= 2, "{trace}");
    assert!(
        at_the_root[0].starts_with("round 1, k = 1")
            && at_the_root[1].starts_with("round 2, k = 1")
    );
    // The solver of these tests tries the lowest values first; a drawn byte is anything.
    let drawn = |input: &&Vec<u8>| input.iter().any(|byte| ![0, 128].contains(byte));
    assert!(
        model.log.iter().any(|input| drawn(&input)),
        "{:?}",
        model.log
    );
    let first = model.log.iter().take_while(|input| !drawn(input)).count();
    assert!(
        (20..128).contains(&first),
        "the first round has {first} runs"
    );
}

/// A loop of twelve rounds, of which the first decides all: in0 < 10, then in0 < 11, … From the sixth round on the contexts of
/// five branches are the same, so no round of the search selects a later side than that one.
#[test]
fn sides_of_one_context_are_tried_when_a_round_brings_nothing() {
    let blocks = vec![
        Block::Branch(
            Box::new(|pool, inputs, visit| {
                let bound = pool.constant(8, u128::from(visit) + 10);
                pool.cmp(Op::Ult, inputs[0], bound)
            }),
            1,
            2,
        ),
        Block::Branch(concrete(|visit| visit < 12), 0, 2),
        Block::Exit,
    ];
    let mut model = Model::new(1, blocks);
    let trace = published(&mut model, 500);
    let last = trace.lines().last().unwrap_or_default();
    assert!(last.starts_with("exhausted"), "{trace}");
}
