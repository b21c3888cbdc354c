//! The registry, and what a campaign makes of the proposals of a source that it has never heard of.

use std::path::Path;

use coverage::{GoalId, Goals};
use expect_test::{Expect, expect};
use path::Candidate;
use path::tree::Side;
use path::vars::{VALUES, var_of};
use program::EdgeId;
use smt::{Effort, Pool};

use super::{ALL, BARE, Entry, Flip, PLAIN, Proposal, Scene, Setup, Source, Turn};
use crate::campaign::{Campaign, Config};
use crate::choice::Choice;
use crate::strategy::STRATEGIES;
use crate::testing::{Block, Model, below, three_in_a_row, with_engine};

fn names(entries: &[Entry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.name).collect()
}

#[test]
fn every_source_is_registered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source");
    let files = std::fs::read_dir(folder).expect("the folder of sources");
    let names_of_files = files.filter_map(|file| {
        let name = file.expect("an entry").file_name();
        let name = name.to_str()?.strip_suffix(".rs")?.to_owned();
        (name != "mod" && name != "tests").then_some(name)
    });
    let mut files: Vec<String> = names_of_files.collect();
    files.sort_unstable();
    let mut all = names(ALL);
    all.sort_unstable();
    assert_eq!(all, files);
}

#[test]
fn a_strategy_runs_with_sources_of_the_registry_in_its_order() {
    let lists = STRATEGIES.iter().map(|entry| entry.sources.entries());
    for list in lists.chain([PLAIN.to_vec(), BARE.to_vec()]) {
        let list = names(&list);
        let known = names(ALL)
            .into_iter()
            .filter(|name| list.contains(name))
            .collect::<Vec<_>>();
        assert_eq!(list, known);
        assert!(list.contains(&"given") && list.contains(&"strategy"));
    }
}

/// Proposes something once there is a tree.
struct Once(Option<fn(&mut Scene<'_>) -> Proposal>);

impl Source for Once {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let now = turn == Turn::Regular && !scene.tree.is_empty();
        now.then(|| self.0.take()).flatten().map(|make| make(scene))
    }
}

/// The inputs of a campaign with such a source before the strategy, how it ends, and how many queries had no solution.
fn check(mut model: Model, make: fn(&mut Setup<'_>) -> Box<dyn Source>, expected: &Expect) {
    let program = model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let mut sources = BARE.to_vec();
    let once = Entry {
        name: "once",
        summary: "",
        watches: false,
        is_random: false,
        slices: false,
        looks_back: false,
        make,
    };
    sources.insert(1, once);
    let config = Config {
        sources,
        ..Config::default()
    };
    let strategy = Choice::parse("bfs").expect("a strategy").make(&program);
    let mut campaign = Campaign::new(&program, &goals, strategy, config);
    let stopped = with_engine(&mut model, &mut Pool::new(), |engine| campaign.run(engine));
    let stopped = stopped.expect("a model does not fail");
    let text = format!(
        "{:?}\n{stopped}, {}, {} unsat\n",
        model.log,
        campaign.totals(),
        campaign.progress().unsat
    );
    expected.assert_eq(&text);
}

/// The side of the first branch that the first run did not take, if the first input is this.
fn first_with(scene: &mut Scene<'_>, value: u128) -> Proposal {
    let node = path::NodeId::from_u32(0);
    let mut sides = (0..2).map(|side| Candidate { node, side });
    let side = sides.find(|&side| scene.tree.side(side) == Side::Open);
    let input = scene.pool.var(var_of(VALUES, 0), 8);
    let value = scene.pool.constant(8, value);
    let extra = vec![scene.pool.eq(input, value)];
    let side = side.expect("a side is open");
    Proposal::Flip(Flip {
        extra,
        ..Flip::plain(side, Effort::Quick, "Once")
    })
}

#[test]
fn extra_conditions_hold_under_the_input_that_is_found() {
    check(
        three_in_a_row(),
        |_| Box::new(Once(Some(|scene| first_with(scene, 200)))),
        &expect![[r#"
            [[0, 0, 0], [200, 0, 0], [0, 10, 0], [0, 0, 10]]
            all-covered, 6 of 6, 0 unsat
        "#]],
    );
}

#[test]
fn extra_conditions_refute_nothing() {
    check(
        three_in_a_row(),
        |_| Box::new(Once(Some(|scene| first_with(scene, 5)))),
        &expect![[r#"
            [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]]
            all-covered, 6 of 6, 0 unsat
        "#]],
    );
}

/// Below 10 is below 20.
fn implied() -> Model {
    let blocks = vec![
        Block::Branch(below(0, 10), 1, 2),
        Block::Branch(below(0, 20), 2, 2),
        Block::Exit,
    ];
    Model::new(1, blocks)
}

/// The false side of the second branch.
fn proof(_: &mut Scene<'_>) -> Proposal {
    Proposal::Proof {
        goals: vec![GoalId::from_u32(3)],
        dead: vec![EdgeId::from_u32(2)],
        why: "for a test".into(),
    }
}

#[test]
fn what_a_source_proves_is_not_tried() {
    check(
        implied(),
        |_| Box::new(Once(None)),
        &expect![[r#"
            [[0], [10]]
            exhausted, 3 of 4, 1 unsat
        "#]],
    );
    check(
        implied(),
        |_| Box::new(Once(Some(proof))),
        &expect![[r#"
            [[0], [10]]
            all-covered, 3 of 4, 0 unsat
        "#]],
    );
}
