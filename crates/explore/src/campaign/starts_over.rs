//! Campaigns that start over in the middle: see [`super::rounds`].

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use coverage::{GoalId, Goals, Ground};
use expect_test::expect;
use smt::{Op, Pool};

use super::tests::random_model;
use super::{Budget, Campaign, Config, StopReason};
use crate::backward::{Backward, Looked, Wanted};
use crate::choice::Choice;
use crate::source::{self, Entry, Proposal, Scene, Source, Turn};
use crate::strategy::{STRATEGIES, Sources};
use crate::testing::{Block, Model, below, bytes, concrete, on, three_in_a_row, with_engine};
use path::{Class, InputVector, NodeId};
use program::{EdgeId, Program};

/// A campaign over a model.
struct Search<'p> {
    campaign: Campaign<'p>,
    model: Model,
    pool: Pool,
    choice: Choice,
    program: &'p Program,
    /// Where in the model's log the rounds begin.
    begins: Vec<usize>,
}

impl<'p> Search<'p> {
    fn new(
        model: Model,
        (program, goals): (&'p Program, &'p Goals),
        strategy: &str,
        config: Config,
    ) -> Search<'p> {
        let choice = Choice::parse(strategy).expect("a strategy");
        Search {
            campaign: Campaign::new(program, goals, choice.make(program), config),
            model,
            pool: Pool::new(),
            choice,
            program,
            begins: Vec::new(),
        }
    }

    /// Takes a step; says why the search is over, if it is.
    fn step(&mut self) -> Option<StopReason> {
        let campaign = &mut self.campaign;
        with_engine(&mut self.model, &mut self.pool, |engine| {
            campaign.step(engine).expect("a model does not fail")
        })
    }

    fn start_over(&mut self) -> bool {
        let (campaign, choice, program) = (&mut self.campaign, &self.choice, self.program);
        let done = with_engine(&mut self.model, &mut self.pool, |engine| {
            campaign.start_over(engine, || choice.make(program))
        });
        if done {
            self.begins.push(self.model.log.len());
        }
        done
    }

    fn ends(&mut self) -> StopReason {
        std::iter::from_fn(|| Some(self.step()))
            .flatten()
            .next()
            .expect("it has one")
    }

    /// What must hold whenever a campaign has started over, and however often.
    fn check(&self, said: &str) {
        let (campaign, log) = (&self.campaign, &self.model.log);
        assert_eq!(campaign.runs(), log.len(), "{said}");
        assert_eq!(campaign.progress().runs, log.len() as u64, "{said}");
        let mut inputs = BTreeSet::new();
        let mut goals = BTreeSet::new();
        for (number, test) in (0..).zip(campaign.tests()) {
            let bits: Vec<u8> = (test.input.values.iter())
                .map(|value| value.bits as u8)
                .collect();
            assert_eq!(test.number, number, "{said}");
            assert_eq!(log[test.run.index()], bits, "{said}");
            assert!(test.from.is_none_or(|from| from < number), "{said}");
            assert!(inputs.insert(bits), "{said}: twice a test");
            let all_new = test.goals.iter().all(|goal| goals.insert(*goal));
            assert!(all_new, "{said}: twice a goal");
        }
        let ends = self.begins.iter().copied().chain([log.len()]);
        let begins = [0].into_iter().chain(self.begins.iter().copied());
        for (begin, end) in begins.zip(ends) {
            let round: BTreeSet<_> = log[begin..end].iter().collect();
            assert_eq!(round.len(), end - begin, "{said}: twice in a round");
        }
    }

    /// Proof, covered goals, infeasible goals.
    fn found(&self, stop: StopReason) -> (bool, Vec<GoalId>, Vec<GoalId>) {
        let ledger = self.campaign.ledger();
        (
            stop == StopReason::Exhausted { proof: true },
            ledger.covered().iter().collect(),
            ledger.infeasible().iter().collect(),
        )
    }
}

fn goals_of(program: &Program) -> Goals {
    Goals::new(program, coverage::criterion::CRITERIA[0])
}

/// With the sources that need no clock.
fn config_for(strategy: &str, all: bool) -> Config {
    let choice = Choice::parse(strategy).expect("a strategy");
    let mut config = Config {
        past_coverage: true,
        path_filter: all,
        ..Config::default()
    };
    if all {
        config.sources = choice.sources(false);
        config.sources.retain(|source| !source.slices);
    }
    config
}

/// Whatever the strategy, and wherever it starts over, a search finds what it finds without.
#[test]
fn a_search_that_starts_over_finds_the_same() {
    let searches = STRATEGIES.iter();
    let searches = searches.filter(|entry| entry.sources != Sources::Alone);
    let mut tried = 0;
    for entry in searches {
        for (seed, all) in (0..12).flat_map(|seed| [(seed, false), (seed, true)]) {
            let program = random_model(seed).program;
            let goals = goals_of(&program);
            let search = || {
                let config = config_for(entry.name, all);
                Search::new(random_model(seed), (&program, &goals), entry.name, config)
            };
            let mut plain = search();
            let stop = plain.ends();
            let wanted = plain.found(stop);
            assert!(wanted.0, "{}", entry.name);
            for steps in 1..plain.model.log.len() {
                let mut broken = search();
                let said = format!("{}, model {seed}, after {steps} steps", entry.name);
                if (0..steps).any(|_| broken.step().is_some()) {
                    break;
                }
                assert!(broken.start_over(), "{said}");
                let stop = broken.ends();
                assert_eq!(broken.found(stop), wanted, "{said}");
                broken.check(&said);
                tried += 1;
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

/// Also those that go on for ever, and with a start over after every few steps.
#[test]
fn every_strategy_survives_that() {
    for entry in STRATEGIES {
        for every in [1, 3, 8] {
            let program = random_model(7).program;
            let goals = goals_of(&program);
            let config = Config {
                budget: Budget {
                    iterations: Some(60),
                    ..Budget::default()
                },
                ..config_for(entry.name, true)
            };
            let mut search = Search::new(random_model(7), (&program, &goals), entry.name, config);
            let said = format!("{} every {every} steps", entry.name);
            for step in 1.. {
                if search.step().is_some() {
                    break;
                }
                if step % every == 0 {
                    search.start_over();
                }
                search.check(&said);
            }
            assert_eq!(
                search.campaign.progress().started_over,
                search.begins.len() as u64,
                "{said}"
            );
        }
    }
}

/// Tests with the number of their run and the test that they come from, behind the inputs of all runs.
fn story(search: &Search<'_>) -> String {
    let mut text = format!("{:?}\n", search.model.log);
    for test in search.campaign.tests() {
        let bits: Vec<u128> = test.input.values.iter().map(|value| value.bits).collect();
        text += &format!("{} run {} {bits:?}", test.number, test.run.index());
        text += &match test.from {
            Some(from) => format!(" from {from}\n"),
            None => "\n".to_owned(),
        };
    }
    text
}

#[test]
fn tests_come_from_tests_of_earlier_rounds() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let config = Config::default();
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    search.step();
    search.step();
    assert!(search.start_over());
    search.ends();
    search.check("three in a row");
    expect![[r#"
        [[0, 0, 0], [10, 0, 0], [0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]]
        0 run 0 [0, 0, 0]
        1 run 1 [10, 0, 0] from 0
        2 run 4 [0, 10, 0] from 0
        3 run 5 [0, 0, 10] from 0
    "#]]
    .assert_eq(&story(&search));
    assert_eq!(search.campaign.known_inputs(), 2..6);
    assert_eq!(search.campaign.input(4), bytes_of(&[0, 10, 0]));
    assert_eq!(search.campaign.progress().discovery.runs, 4);
}

fn bytes_of(values: &[u8]) -> InputVector {
    let mut input = bytes(values);
    for (element, value) in (0..).zip(&mut input.values) {
        value.element = Some(element);
        value.c_type = "unsigned char".into();
    }
    input
}

/// Where every run is a test, those run again are none, and only those that show something are.
#[test]
fn runs_of_earlier_rounds_are_not_kept_again() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let config = Config {
        keep_all: true,
        past_coverage: true,
        ..Config::default()
    };
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    for _ in 0..5 {
        search.step();
    }
    assert!(search.start_over());
    search.ends();
    search.check("every run is a test");
    expect![[r#"
        [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 10, 10], [0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 10, 10]]
        0 run 0 [0, 0, 0]
        1 run 1 [10, 0, 0] from 0
        2 run 2 [0, 10, 0] from 0
        3 run 3 [0, 0, 10] from 0
        4 run 4 [0, 10, 10] from 2
    "#]]
    .assert_eq(&story(&search));
}

/// A search whose memory is full after each step.
#[test]
fn short_rounds_begin_with_fewer_tests_and_end() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let config = config_for("bfs", false);
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    assert!(!search.start_over(), "nothing was run");
    for _ in 0..4 {
        search.step();
    }
    assert_eq!(search.campaign.tests().len(), 4);
    let mut rounds = Vec::new();
    while search.start_over() {
        let before = search.model.log.len();
        search.step();
        rounds.push(search.model.log[before..].to_vec());
    }
    expect![[r#"
        [[[10, 0, 0]], [[0, 0, 10]]]
    "#]]
    .assert_eq(&format!("{rounds:?}\n"));
}

/// Goes on from the same run twice, and from that of a test.
struct Near;

impl Source for Near {
    fn propose(&mut self, _scene: &mut Scene<'_>, _turn: Turn) -> Option<Proposal> {
        None
    }

    fn goes_on_from(&self) -> Vec<InputVector> {
        [[0, 10, 10], [0, 0, 0], [0, 10, 10]]
            .map(|near| bytes(&near))
            .into()
    }
}

#[test]
fn a_round_begins_with_what_sources_go_on_from() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let mut config = config_for("bfs", false);
    config.sources.push(Entry {
        make: |_| Box::new(Near),
        ..source::ALL[0]
    });
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    search.ends();
    assert!(search.campaign.stop.take().is_some());
    assert!(search.start_over());
    search.ends();
    search.check("near");
    expect![[r#"
        [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 10, 10], [0, 10, 10], [10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 0]]
    "#]]
    .assert_eq(&format!("{:?}\n", search.model.log));
}

/// A search that does nothing but what it did before.
#[test]
fn a_round_that_repeats_the_one_before_is_short() {
    let model = || Model::new(1, vec![Block::Branch(below(0, 10), 1, 1), Block::Exit]);
    let program = model().program;
    let goals = goals_of(&program);
    let config = Config {
        past_coverage: true,
        ..Config::default()
    };
    let mut search = Search::new(model(), (&program, &goals), "bfs", config);
    search.step();
    let mut rounds = 0;
    while search.start_over() {
        rounds += 1;
        for _ in 0..2 {
            search.step();
        }
    }
    assert_eq!(rounds, 3, "two tests, two, one");
}

#[test]
fn a_tree_without_a_path_is_no_proof() {
    let model = || {
        let assumed = Block::Constraint(Class::Assume, on(0, Op::Eq, 42), 1);
        let branch = Block::Branch(below(1, 10), 2, 2);
        Model::new(2, vec![assumed, branch, Block::Exit])
    };
    let program = model().program;
    let goals = goals_of(&program);
    let mut search = Search::new(model(), (&program, &goals), "bfs", Config::default());
    search.step();
    assert!(search.campaign.tests().is_empty());
    assert!(search.start_over());
    assert_eq!(search.ends(), StopReason::AllCovered);
    expect![[r#"
        [[0, 0], [0, 0], [42, 0], [42, 10]]
        0 run 2 [42, 0]
        1 run 3 [42, 10] from 0
    "#]]
    .assert_eq(&story(&search));
}

/// Seeds that wait come before tests, and those that are rejected keep their numbers.
#[test]
fn seeds_that_wait_are_run() {
    let model = || {
        let assumed = Block::Constraint(Class::Assume, below(0, 42), 1);
        let branch = Block::Branch(below(1, 10), 2, 2);
        Model::new(2, vec![assumed, branch, Block::Exit])
    };
    let program = model().program;
    let goals = goals_of(&program);
    let config = Config {
        initial: [[0, 0], [1, 0], [99, 0], [2, 20]]
            .map(|seed| bytes(&seed))
            .into(),
        ..Config::default()
    };
    let mut search = Search::new(model(), (&program, &goals), "bfs", config);
    search.step();
    search.step();
    assert!(search.start_over());
    search.campaign.offer(bytes(&[1, 0]));
    search.campaign.offer(bytes(&[3, 0]));
    for _ in 0..4 {
        search.step();
    }
    assert_eq!(search.campaign.rejected(), [2]);
    expect![[r#"
        [[0, 0], [1, 0], [99, 0], [2, 20]]
        0 run 0 [0, 0]
        1 run 3 [2, 20]
    "#]]
    .assert_eq(&story(&search));
}

/// What was refuted stays so, and its edges are not tried.
#[test]
fn refuted_goals_stay_refuted() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let config = config_for("bfs", false);
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    let dead = program.edges.keys().next().expect("an edge");
    let goal = goals.iter().next().expect("a goal").0;
    search.campaign.refute(Ground::Code, &[goal], [dead]);
    search.step();
    assert!(search.start_over());
    search.ends();
    assert!(search.campaign.ledger().infeasible().contains(goal));
    assert!(search.model.log.iter().all(|input| input[0] < 10));
    search.check("a dead edge");
}

/// Says how many dead edges it was told of, and goes when the tree does.
#[derive(Default)]
struct Dead(usize);

impl Source for Dead {
    fn propose(&mut self, _scene: &mut Scene<'_>, _turn: Turn) -> Option<Proposal> {
        None
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.0 += edges.len();
    }

    fn phase(&self) -> String {
        format!("{} dead", self.0)
    }
}

#[test]
fn sources_that_are_made_anew_know_what_is_dead() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let mut config = config_for("bfs", false);
    config.sources.push(Entry {
        make: |_| Box::<Dead>::default(),
        ..source::ALL[0]
    });
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    let dead = program.edges.keys().take(2);
    search.campaign.refute(Ground::Code, &[], dead);
    search.step();
    assert!(search.start_over());
    let phase = search.campaign.progress().phase;
    assert!(phase.ends_with("2 dead"), "{phase}");
}

/// Where a path is when a node decides follows from the paths of the new tree, not from those of the old one.
#[test]
fn positions_are_those_of_the_new_tree() {
    let model = || {
        let first = Block::Branch(below(0, 10), 1, 3);
        let on_the_way = |next| Block::Branch(concrete(|_| true), next, next);
        let check = |input| Block::Constraint(Class::Check, below(input, 77), 5);
        let blocks = vec![
            first,
            on_the_way(2),
            check(1),
            on_the_way(4),
            check(2),
            Block::Exit,
        ];
        Model::new(3, blocks)
    };
    let program = model().program;
    let goals = goals_of(&program);
    let search = |first: &[u8]| {
        let config = Config {
            initial: vec![bytes(first)],
            ..config_for("bfs", false)
        };
        Search::new(model(), (&program, &goals), "bfs", config)
    };
    let positions = |search: &Search<'_>| -> Vec<_> {
        let (relevant, tree) = (&search.campaign.relevant, &search.campaign.tree);
        let nodes = (0..tree.len() as u32).map(NodeId::from_u32);
        nodes
            .map(|node| relevant.top(relevant.stack(node)).map(|(at, _)| at))
            .collect()
    };
    // The other way than the first round began with.
    let (mut later, mut fresh) = (search(&[0]), search(&[10]));
    later.step();
    let before = positions(&later);
    assert!(later.start_over());
    later.campaign.offer(bytes(&[10]));
    later.step();
    fresh.step();
    assert_eq!(later.model.log.last(), fresh.model.log.last());
    assert_eq!(positions(&later), positions(&fresh));
    assert_ne!(positions(&later), before);
}

/// Says of one edge that no run takes it, as soon as it knows two tests.
struct Teller {
    edge: EdgeId,
    goal: GoalId,
    told: Arc<Mutex<Vec<InputVector>>>,
    has_said: bool,
}

impl Backward for Teller {
    fn learn(&mut self, input: &InputVector) {
        self.told.lock().expect("one thread").push(input.clone());
    }

    fn go_on(&mut self, _wanted: &Wanted<'_>) -> Looked {
        if self.has_said || self.told.lock().expect("one thread").len() < 2 {
            return Looked::Idle;
        }
        self.has_said = true;
        Looked::Never {
            goals: vec![self.goal],
            edges: vec![self.edge],
            why: "it was said".into(),
        }
    }

    fn bytes(&self) -> usize {
        0
    }
}

#[test]
fn who_looks_backward_goes_on() {
    // The last side is taken by no run, and nothing symbolic says so.
    let model = || {
        let mut blocks: Vec<Block> = (0..3)
            .map(|index| Block::Branch(below(index, 10), index + 1, index + 1))
            .collect();
        blocks.extend([Block::Branch(concrete(|_| true), 4, 4), Block::Exit]);
        Model::new(3, blocks)
    };
    let program = model().program;
    let goals = goals_of(&program);
    let edge = program.edges.keys().nth(6).expect("the last site's");
    let goal = goals.iter().last().expect("its goal").0;
    let mut config = config_for("bfs", false);
    config.sources = Sources::Both.entries();
    config.sources.retain(|source| !source.slices);
    let mut search = Search::new(model(), (&program, &goals), "bfs", config);
    let told = Arc::new(Mutex::new(Vec::new()));
    search.campaign.look_backward(Box::new(Teller {
        edge,
        goal,
        told: Arc::clone(&told),
        has_said: false,
    }));
    search.step();
    assert!(search.start_over());
    search.ends();
    search.check("somebody looks backward");
    let ledger = search.campaign.ledger();
    assert!(ledger.infeasible().contains(goal));
    let told = told.lock().expect("one thread");
    let once: BTreeSet<_> = told.iter().map(|input| format!("{input:?}")).collect();
    assert_eq!(once.len(), told.len(), "each test is told of once");
}

/// A program that is not always the same proves nothing, whichever tree showed that.
#[test]
fn what_hides_paths_is_remembered() {
    let program = three_in_a_row().program;
    let goals = goals_of(&program);
    let config = config_for("bfs", false);
    let mut search = Search::new(three_in_a_row(), (&program, &goals), "bfs", config);
    search.step();
    search.model.hidden.insert(1);
    search.step();
    search.step();
    search.model.hidden.clear();
    let before = search.campaign.gaps().forks;
    assert!(before > 0);
    assert!(search.start_over());
    assert_eq!(search.campaign.gaps().forks, before);
    assert_eq!(search.ends(), StopReason::Exhausted { proof: false });
}
