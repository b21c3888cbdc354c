//! The fuzzer's parts, and campaigns that need it.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use expect_test::expect;
use program::EdgeId;
use smt::Op;

use super::corpus::Corpus;
use super::novelty::{Novelty, Seen};
use super::share::Share;
use crate::campaign::job::KeptTest;
use crate::campaign::{Budget, Clock, Config};
use crate::rng::Rng;
use crate::source::{self, Entry, Glance, Proposal, Scene, Source, Spent, Turn, Worth};
use crate::testing::{self, Block, Model, below, on};
use crate::view::View;
use path::{InputVector, RunFlags};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn edges_are_new_once_and_counts_once_for_each_class() {
    let model = Model::new(1, vec![Block::Branch(below(0, 9), 1, 1), Block::Exit]);
    let mut novelty = Novelty::new(&model.program);
    let edge = EdgeId::from_u32(1);
    let mut look = |times: u32| {
        let taken = (times > 0).then_some((edge, times));
        let seen = novelty.look(taken.into_iter());
        (seen.edges.len(), seen.count)
    };
    assert_eq!(look(0), (0, false));
    assert_eq!(look(1), (1, false));
    assert_eq!(look(1), (0, false));
    assert_eq!(
        [look(5), look(4), look(7), look(8)].map(|seen| seen.1),
        [true, false, false, true]
    );
    assert_eq!(
        [look(127), look(70), look(128), look(9999)].map(|seen| seen.1),
        [true, false, true, false]
    );
    assert!(!Seen::default().is_new());
}

#[test]
fn time_goes_where_it_pays() {
    let mut share = Share::default();
    assert!(!share.is_due());
    let mut parts = vec![share.of_fuzzing()];
    let mut spend = |found: (usize, usize)| {
        for _ in 0..30 {
            share.searched(found.0, SECOND);
            share.fuzzed(found.1, SECOND);
        }
        parts.push(share.of_fuzzing());
    };
    // The search finds more, both as much, nobody anything, the fuzzer more.
    for found in [(20, 1), (5, 5), (0, 0), (0, 9)] {
        spend(found);
    }
    let parts: Vec<String> = parts.iter().map(|part| format!("{part:.2}")).collect();
    expect!["0.10 0.10 0.32 0.33 0.90"].assert_eq(&parts.join(" "));
}

#[test]
fn credit_is_spent() {
    let mut share = Share::default();
    share.searched(0, SECOND);
    let mut slices = 0;
    while share.is_due() {
        share.fuzzed(0, Duration::from_millis(20));
        slices += 1;
    }
    let given = share.of_fuzzing();
    assert!((5..=20).contains(&slices), "{slices} slices, {given}");
}

/// How often each of some inputs is changed, when nothing new is found: by what their runs take, and the edges that they take.
fn turns(inputs: &[(u64, u32)]) -> Vec<u64> {
    let model = Model::new(1, vec![Block::Branch(below(0, 9), 1, 1), Block::Exit]);
    let mut corpus = Corpus::new(&model.program);
    let took = |value: usize| Duration::from_micros(inputs[value].0);
    for (value, &(_, edge)) in inputs.iter().enumerate() {
        let input = testing::bytes(&[value as u8]);
        corpus.add(&input, [EdgeId::from_u32(edge)], took(value));
    }
    let mut rng = Rng::new(1);
    let mut turns = vec![0; inputs.len()];
    for _ in 0..2000 {
        let (parent, _) = corpus.next(&mut rng).expect("inputs are there");
        let value = parent.values[0].bits as usize;
        turns[value] += 1;
        corpus.spent(took(value), false);
    }
    turns
}

#[test]
fn time_is_shared_not_runs() {
    expect!["[1981, 19]"].assert_eq(&format!("{:?}", turns(&[(900, 0), (99_900, 1)])));
}

#[test]
fn the_cheapest_for_an_edge_has_more_turns() {
    expect!["[957, 133, 113, 797]"].assert_eq(&format!(
        "{:?}",
        turns(&[(400, 0), (500, 0), (600, 0), (500, 1)])
    ));
}

/// A clock that goes on by a millisecond whenever somebody looks at it.
#[derive(Default)]
struct Ticking(Cell<u64>);

impl Clock for Ticking {
    fn elapsed(&self) -> Duration {
        self.0.set(self.0.get() + 1);
        Duration::from_millis(self.0.get())
    }
}

/// A branch that no condition leads to, and one behind it for the solver.
fn hidden() -> Model {
    let mut model = Model::new(
        2,
        vec![
            Block::Branch(on(0, Op::Eq, 77), 1, 3),
            Block::Branch(on(1, Op::Eq, 99), 2, 3),
            Block::Exit,
            Block::Exit,
        ],
    );
    model.hidden.insert(0);
    model.flags = RunFlags::FORKED;
    model
}

fn covered(fuzz: bool) -> u32 {
    let mut sources = source::BARE.to_vec();
    if fuzz {
        sources.extend(source::ALL.iter().filter(|source| source.slices));
        sources.rotate_right(1);
    }
    let config = Config {
        sources,
        budget: Budget {
            time: Some(60 * SECOND),
            ..Budget::default()
        },
        ..Config::default()
    };
    let mut model = hidden();
    testing::covered(&mut model, "dfs", config, &Ticking::default())
}

#[test]
fn the_search_goes_on_from_what_the_fuzzer_finds() {
    assert_eq!(covered(false), 1);
    assert_eq!(covered(true), 4);
}

thread_local! {
    /// Edges found, as sources are told of slices.
    static TOLD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Has an input that waits for a slice, and makes others when there is time. Both take edges that nobody has taken.
struct Waits {
    waiting: Option<InputVector>,
    others: Option<InputVector>,
    slices: u32,
}

impl Source for Waits {
    fn propose(&mut self, _scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let wants = turn == Turn::Regular && self.slices < 2;
        self.slices += u32::from(wants);
        wants.then_some(Proposal::Slice)
    }

    fn glance(&mut self, _tests: &[KeptTest], turn: Turn) -> Option<InputVector> {
        match turn {
            Turn::Regular => self.waiting.take(),
            Turn::Spare => Some(self.others.take().unwrap_or(testing::bytes(&[0, 0]))),
            Turn::First | Turn::Stuck | Turn::Last => None,
        }
    }

    fn on_glance(&mut self, view: &View<'_>, glance: &Glance<'_>) -> Worth {
        let edges = glance.visits.edges();
        Worth {
            edges: edges.filter(|(edge, _)| view.edge_hits[*edge] == 0).count(),
            fails: false,
        }
    }

    fn on_time(&mut self, spent: &Spent) {
        if spent.glances.is_some() {
            TOLD.with_borrow_mut(|told| told.push(spent.found));
        }
    }
}

/// Whoever waits would find most in no time, and the share of one side or the other would be as if it had.
#[test]
fn what_waited_counts_neither_for_the_search_nor_for_fuzzing() {
    let waits = Entry {
        name: "waits",
        summary: "",
        watches: false,
        is_random: false,
        slices: true,
        looks_back: false,
        make: |_| {
            Box::new(Waits {
                waiting: Some(testing::bytes(&[77, 99])),
                others: Some(testing::bytes(&[77, 0])),
                slices: 0,
            })
        },
    };
    let mut sources = source::BARE.to_vec();
    sources.insert(1, waits);
    let config = Config {
        sources,
        ..Config::default()
    };
    TOLD.take();
    testing::covered(&mut hidden(), "dfs", config, &Ticking::default());
    // The other one takes two edges as well. Then the search runs both, and everything is covered.
    assert_eq!(TOLD.take(), [2]);
}
