//! Test doubles: campaigns over the small models of [`path::script`], with a solver that tries every value.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use path::tree::Side;
use path::{InputVector, Tree, Value, ValueType};
use program::EdgeId;
use smt::{Assignment, Backend, Budget, Pool, RawAnswer, Solver, Term, Var, eval};

use coverage::Goals;

use crate::agenda::STRATEGY;
use crate::campaign::{
    Campaign, Clock, Config, Engine, Flip, Next, NoClock, NoObserver, StopReason, Task,
};
use crate::choice::Choice;
use crate::strategy::Strategy;

pub(crate) use path::script::{Block, Condition, Model, below, concrete, on, three_in_a_row};

/// Inputs of these targets give no values beyond a limit.
fn as_it_is(input: &InputVector) -> Cow<'_, InputVector> {
    Cow::Borrowed(input)
}

/// Tries every value of every variable, lowest first.
pub(crate) struct EveryValue;

impl Backend for EveryValue {
    fn name(&self) -> &'static str {
        "every-value"
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], _budget: Budget) -> RawAnswer {
        let mut vars: Vec<Var> = constraints
            .iter()
            .flat_map(|&term| pool.vars(term))
            .collect();
        vars.sort_unstable();
        vars.dedup();
        // Each constraint is looked at as soon as its last variable has a value.
        let last = |term: &Term| {
            pool.vars(*term)
                .last()
                .map_or(0, |last| vars.binary_search(last).unwrap_or(0))
        };
        let mut due: Vec<Vec<Term>> = vec![Vec::new(); vars.len().max(1)];
        constraints
            .iter()
            .for_each(|term| due[last(term)].push(*term));
        let mut model = Assignment::new();
        if search(pool, &vars, &due, 0, &mut model) {
            RawAnswer::Sat(model)
        } else {
            RawAnswer::Unsat
        }
    }
}

fn search(pool: &Pool, vars: &[Var], due: &[Vec<Term>], at: usize, model: &mut Assignment) -> bool {
    let holds =
        |at: usize, model: &Assignment| due[at].iter().all(|&term| eval(pool, term, model) == 1);
    if vars.is_empty() {
        return holds(0, model);
    }
    if at == vars.len() {
        return true;
    }
    (0..=255).any(|value| {
        model.set(vars[at], value);
        holds(at, model) && search(pool, vars, due, at + 1, model)
    })
}

/// An input of bytes that the program asks for one by one.
pub(crate) fn bytes(bytes: &[u8]) -> InputVector {
    let value = |&bits: &u8| Value {
        kind: ValueType::U8,
        name: "x".into(),
        element: None,
        c_type: "".into(),
        bits: u128::from(bits),
    };
    InputVector {
        values: bytes.iter().map(value).collect(),
        streams: Vec::new(),
    }
}

/// Runs something with an engine over a model.
pub(crate) fn with_engine<T>(
    model: &mut Model,
    pool: &mut Pool,
    body: impl FnOnce(&mut Engine<'_>) -> T,
) -> T {
    with_engine_at(model, pool, &NoClock, body)
}

/// Same, with a clock.
fn with_engine_at<T>(
    model: &mut Model,
    pool: &mut Pool,
    clock: &dyn Clock,
    body: impl FnOnce(&mut Engine<'_>) -> T,
) -> T {
    let mut solver = Solver::new(Box::new(EveryValue), smt::Config::default());
    let stop = AtomicBool::new(false);
    body(&mut Engine {
        target: model,
        solver: &mut solver,
        pool,
        clock,
        stop: &stop,
        observer: &NoObserver,
    })
}

/// Outcomes of branches that a campaign over a model covers.
pub(crate) fn covered(model: &mut Model, strategy: &str, config: Config, clock: &dyn Clock) -> u32 {
    let program = model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let choice = Choice::parse(strategy).expect("a strategy");
    let mut campaign = Campaign::new(&program, &goals, choice.make(&program), config);
    with_engine_at(model, &mut Pool::new(), clock, |engine| {
        campaign.run(engine).expect("a model does not fail");
    });
    campaign.progress().totals.covered
}

/// Runs a campaign over a model to its end; says why it ended, and how many sides it had solved.
pub(crate) fn run_for(model: &mut Model, strategy: &str, config: Config) -> (StopReason, u64) {
    let program = model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let choice = Choice::parse(strategy).expect("a strategy");
    let mut campaign = Campaign::new(&program, &goals, choice.make(&program), config);
    let stop = with_engine(model, &mut Pool::new(), |engine| {
        campaign.run(engine).expect("a model does not fail")
    });
    let totals = campaign.progress();
    (stop, totals.sat + totals.unsat + totals.unknown)
}

/// What a campaign over a model does, one line for each pick: the strategy's phase, the edges of the path, the side
/// that was picked, what became of it.
pub(crate) fn trace(model: &mut Model, strategy: &str, seed: u64) -> String {
    let config = Config {
        seed,
        past_coverage: true,
        ..Config::default()
    };
    trace_with(model, strategy, config)
}

/// The same with path filtering.
pub(crate) fn trace_filtered(model: &mut Model, strategy: &str, seed: u64) -> String {
    let config = Config {
        seed,
        past_coverage: true,
        path_filter: true,
        ..Config::default()
    };
    trace_with(model, strategy, config)
}

fn trace_with(model: &mut Model, strategy: &str, config: Config) -> String {
    let choice = Choice::parse(strategy).expect("the strategy is known");
    let strategy = choice.make(&model.program);
    trace_of(model, strategy, config)
}

/// The same for a strategy that has no name.
pub(crate) fn trace_of(model: &mut Model, strategy: Box<dyn Strategy>, config: Config) -> String {
    trace_without(model, strategy, config, &[])
}

/// What a campaign does that knows that no run takes some edges.
pub(crate) fn trace_without(
    model: &mut Model,
    strategy: Box<dyn Strategy>,
    config: Config,
    dead: &[u32],
) -> String {
    let program = model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let mut campaign = Campaign::new(&program, &goals, strategy, config);
    campaign.refute(
        coverage::Ground::Code,
        &[],
        dead.iter().map(|edge| EdgeId::from_u32(*edge)),
    );
    let mut pool = Pool::new();
    let mut lines = String::new();
    with_engine(model, &mut pool, |engine| {
        loop {
            match campaign.next_job(engine.pool, engine.clock) {
                Next::Job(job) => {
                    let phase = campaign.progress().phase;
                    let result = engine
                        .perform(&job, |input| campaign.was_run(input), as_it_is)
                        .result;
                    campaign.complete(engine.pool, &job, result);
                    if let Task::Flip(flip) = &job.task {
                        lines += &line(campaign.tree(), flip, &phase);
                    }
                }
                Next::Wait | Next::Slice | Next::Busy => {
                    unreachable!("no job is out, nobody fuzzes")
                }
                Next::Stop(reason) => {
                    lines += &format!(
                        "{reason}, {} runs, gaps: {}\n",
                        campaign.progress().runs,
                        campaign.gaps()
                    );
                    return;
                }
            }
        }
    });
    lines
}

fn line(tree: &Tree, flip: &Flip, phase: &str) -> String {
    let mut cursor = tree.cursor(flip.candidate.node);
    let mut path: Vec<String> = std::iter::from_fn(|| tree.edge_back(&mut cursor))
        .map(|edge| edge.as_u32().to_string())
        .collect();
    path.reverse();
    let side = tree.edge(flip.candidate).map_or_else(
        || {
            format!(
                "{:?} side {}",
                tree.kind(flip.candidate.node),
                flip.candidate.side
            )
        },
        |edge| format!("{edge}"),
    );
    let became = match tree.side(flip.candidate) {
        Side::Taken(_) => "taken".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    };
    let lane = if flip.by == STRATEGY { phase } else { flip.by };
    format!("{lane}: [{}] {side} {became}\n", path.join(" "))
}
