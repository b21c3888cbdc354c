//! What campaigns report: tests, causes, reasons to stop, reasons why goals are open.

use std::fmt::Write;

use expect_test::expect;
use smt::{Op, Pool};

use super::{
    Budget, Campaign, Clock, Config, Job, JobResult, Next, NoClock, Spent, StopReason, Task,
};
use crate::choice::Choice;
use crate::testing::{Block, Model, below, concrete, on, with_engine};
use coverage::Goals;
use path::{Class, InputVector};

/// A campaign's end, its tests and what is open.
fn check(mut model: Model, config: Config, expected: &expect_test::Expect) {
    let program = model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let choice = Choice::parse("bfs").expect("a strategy");
    let mut campaign = Campaign::new(&program, &goals, choice.make(&program), config);
    let stopped = with_engine(&mut model, &mut Pool::new(), |engine| campaign.run(engine));
    let mut text = format!(
        "{:?}, {}\n",
        stopped.expect("the model runs"),
        campaign.totals()
    );
    for test in campaign.tests() {
        let bits: Vec<u128> = test.input.values.iter().map(|value| value.bits).collect();
        let goals: Vec<String> = test.goals.iter().map(ToString::to_string).collect();
        let crash = if test.cause.is_some() { " crash" } else { "" };
        text += &format!(
            "{} {bits:?} {:?}{crash}: {}\n",
            test.number,
            test.outcome,
            goals.join(" ")
        );
    }
    for (goal, reasons) in campaign.verdicts().iter() {
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        text += &format!("{goal} open: {}\n", reasons.join("; "));
    }
    expected.assert_eq(&text);
}

fn two_branches(second: crate::testing::Condition) -> Model {
    Model::new(
        2,
        vec![
            Block::Branch(below(0, 10), 1, 1),
            Block::Branch(second, 2, 2),
            Block::Exit,
        ],
    )
}

#[test]
fn it_stops_when_everything_is_covered() {
    check(
        two_branches(below(1, 10)),
        Config::default(),
        &expect![[r#"
            AllCovered, 4 of 4
            0 [0, 0] Exited(0): goal0 goal2
            1 [10, 0] Exited(0): goal1
            2 [0, 10] Exited(0): goal3
        "#]],
    );
}

#[test]
fn it_keeps_every_run_if_asked() {
    let config = Config {
        keep_all: true,
        past_coverage: true,
        ..Config::default()
    };
    check(
        two_branches(below(1, 10)),
        config,
        &expect![[r#"
        Exhausted { proof: true }, 4 of 4
        0 [0, 0] Exited(0): goal0 goal2
        1 [10, 0] Exited(0): goal1
        2 [0, 10] Exited(0): goal3
        3 [10, 10] Exited(0): 
    "#]],
    );
}

#[test]
fn what_an_exhausted_tree_leaves_is_infeasible() {
    check(
        two_branches(concrete(|_| true)),
        Config::default(),
        &expect![[r#"
            Exhausted { proof: true }, 3 of 4
            0 [0, 0] Exited(0): goal0 goal2
            1 [10, 0] Exited(0): goal1
        "#]],
    );
}

#[test]
fn a_cut_run_leaves_goals_open() {
    let mut model = two_branches(concrete(|_| true));
    model.flags = path::RunFlags::EVENTS_TRUNCATED;
    check(
        model,
        Config::default(),
        &expect![[r#"
        Exhausted { proof: false }, 3 of 4
        0 [0, 0] Exited(0): goal0 goal2
        1 [10, 0] Exited(0): goal1
        goal3 open: nothing symbolic decides it; 2 runs cut short
    "#]],
    );
}

#[test]
fn what_runs_in_another_thread_says_so() {
    let mut model = two_branches(concrete(|_| true));
    model.flags = path::RunFlags::THREADS.union(path::RunFlags::UNCOUNTED);
    model.late_edges = vec![(program::EdgeId::from_u32(3), 1)];
    check(
        model,
        Config::default(),
        &expect![[r#"
        Exhausted { proof: false }, 3 of 4
        0 [0, 0] Exited(0): goal0 goal2
        1 [10, 0] Exited(0): goal1
        goal3 open: runs in another thread, where nothing symbolic is seen; 2 runs cut short
    "#]],
    );
}

#[test]
fn budgets_stop_it() {
    let spend = |budget| Config {
        budget,
        ..Config::default()
    };
    let some = || two_branches(on(1, Op::Eq, 77));
    check(
        some(),
        spend(Budget {
            iterations: Some(1),
            ..Budget::default()
        }),
        &expect![[r#"
            Budget(Iterations), 2 of 4
            0 [0, 0] Exited(0): goal0 goal3
            goal1 open: budget spent, 1 candidate left
            goal2 open: budget spent, 1 candidate left
        "#]],
    );
    check(
        some(),
        spend(Budget {
            coverage: Some(70.0),
            ..Budget::default()
        }),
        &expect![[r#"
            Budget(Coverage), 3 of 4
            0 [0, 0] Exited(0): goal0 goal3
            1 [10, 0] Exited(0): goal1
            goal2 open: budget spent, 2 candidates left
        "#]],
    );
    check(
        some(),
        spend(Budget {
            bytes: Some(1),
            ..Budget::default()
        }),
        &expect![[r#"
            Budget(Memory), 0 of 4
            goal0 open: function not reached
            goal1 open: function not reached
            goal2 open: function not reached
            goal3 open: function not reached
        "#]],
    );
}

#[test]
fn one_crash_of_each_cause_is_kept() {
    let blocks = vec![
        Block::Branch(below(1, 10), 1, 1),
        Block::Branch(below(2, 10), 2, 2),
        Block::Constraint(Class::Check, on(0, Op::Ult, 77), 3),
        Block::Exit,
    ];
    let config = Config {
        past_coverage: true,
        ..Config::default()
    };
    check(
        Model::new(3, blocks),
        config,
        &expect![[r#"
        Exhausted { proof: true }, 4 of 4
        0 [0, 0, 0] Exited(0): goal0 goal2
        1 [0, 10, 0] Exited(0): goal1
        2 [0, 0, 10] Exited(0): goal3
        3 [77, 0, 0] Signalled(8) crash: 
        4 [77, 0, 10] Signalled(8) crash: 
    "#]],
    );
}

#[test]
fn failed_assumptions_are_no_tests() {
    let blocks = vec![
        Block::Branch(below(1, 10), 1, 1),
        Block::Constraint(Class::Assume, on(0, Op::Eq, 42), 2),
        Block::Exit,
    ];
    check(
        Model::new(2, blocks),
        Config::default(),
        &expect![[r#"
        AllCovered, 2 of 2
        0 [42, 0] Exited(0): goal0
        1 [42, 10] Exited(0): goal1
    "#]],
    );
}

struct Late;

impl Clock for Late {
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs(60)
    }
}

#[test]
fn jobs_may_be_out_at_the_same_time_and_get_lost() {
    let model = two_branches(below(1, 10));
    let goals = Goals::new(&model.program, coverage::criterion::CRITERIA[0]);
    let strategy = Choice::parse("cgs:endless")
        .expect("a strategy")
        .make(&model.program);
    let budget = Budget {
        time: Some(std::time::Duration::from_secs(10)),
        ..Budget::default()
    };
    let mut campaign = Campaign::new(
        &model.program,
        &goals,
        strategy,
        Config {
            budget,
            ..Config::default()
        },
    );
    let mut pool = Pool::new();
    let mut target = two_branches(below(1, 10));
    let Next::Job(start) = campaign.next_job(&mut pool, &NoClock) else {
        panic!("the first run comes first")
    };
    assert!(matches!(campaign.next_job(&mut pool, &NoClock), Next::Wait));
    let run = path::Target::run(&mut target, &mut pool, &InputVector::default()).expect("it runs");
    let result = JobResult::Ran {
        supplied: InputVector::default(),
        run: Box::new(run),
    };
    campaign.complete(&mut pool, &start, result);

    let mut jobs: Vec<Box<Job>> = Vec::new();
    while let Next::Job(job) = campaign.next_job(&mut pool, &NoClock) {
        jobs.push(job);
    }
    assert_eq!(jobs.len(), 2);
    for job in &jobs {
        campaign.complete(&mut pool, job, JobResult::Lost);
    }
    for _ in 0..2 {
        let Next::Job(job) = campaign.next_job(&mut pool, &NoClock) else {
            panic!("lost jobs come again")
        };
        campaign.complete(&mut pool, &job, JobResult::Unsat);
    }
    let late = campaign.next_job(&mut pool, &Late);
    assert!(matches!(late, Next::Stop(StopReason::Budget(Spent::Time))));
    assert!(campaign.gaps().is_empty());
}

#[test]
fn what_the_solver_gives_up_on_is_tried_again_with_its_whole_budget() {
    let model = two_branches(below(1, 10));
    let goals = Goals::new(&model.program, coverage::criterion::CRITERIA[0]);
    let strategy = Choice::parse("bfs")
        .expect("a strategy")
        .make(&model.program);
    let mut campaign = Campaign::new(&model.program, &goals, strategy, Config::default());
    let mut pool = Pool::new();
    let mut target = two_branches(below(1, 10));
    let mut log = String::new();
    while let Next::Job(job) = campaign.next_job(&mut pool, &NoClock) {
        let result = match &job.task {
            Task::Run(input) => {
                let run = path::Target::run(&mut target, &mut pool, input);
                JobResult::Ran {
                    supplied: input.clone(),
                    run: Box::new(run.expect("it runs")),
                }
            }
            Task::Flip(flip) => {
                let (at, lane, effort) = (flip.candidate, flip.by, flip.effort);
                writeln!(log, "node {} {lane} {effort:?}", at.node.index()).expect("a string");
                JobResult::Unknown(smt::Reason::Backend("canceled".into()))
            }
        };
        campaign.complete(&mut pool, &job, result);
    }
    expect![[r#"
        node 0 Strategy Quick
        node 1 Strategy Quick
        node 0 Retry Full
        node 1 Retry Full
    "#]]
    .assert_eq(&log);
    assert_eq!(campaign.progress().unknown, 2);
    assert!(!campaign.gaps().is_empty());
}
