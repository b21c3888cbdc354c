//! `edges MODEL [SEGMENTS [ROUNDS]]`: goes backward from each edge of a program (a model in text form), and holds what is called unreachable
//! against random runs and the runs of all searches. Says for each edge what came of it, and at the end how many were of which kind;
//! exit code 1 if an edge that a run takes was called unreachable.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Instant;

use machine::Machine;
use path::{InputVector, Run, Step, Target as _};
use program::{EdgeId, Program};
use symcretic::{Beside, Given, Goal, Joint, Limits, Progress, Search};

/// Random runs, and runs of one search.
const RANDOM_RUNS: u32 = 1000;
const RUNS: u32 = 40;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = args.first().map(std::fs::read_to_string);
    let Some(Ok(text)) = text else {
        eprintln!("usage: edges MODEL [SEGMENTS [ROUNDS]]");
        return ExitCode::from(2);
    };
    let program: Program = match text.parse() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{}:{error}", args[0]);
            return ExitCode::from(2);
        }
    };
    let segments = args.get(1).and_then(|text| text.parse().ok());
    let mut taken = BTreeSet::new();
    at_random(&mut machine_for(&program), &mut taken);
    let known = values::analyse(&program, false, values::Limits::default());
    let mut search = search_for(&program, !known.blockers.is_empty(), segments);
    if let Some(rounds) = args.get(2).and_then(|text| text.parse().ok()) {
        search.go_round(rounds);
    }
    let mut joint = Joint::new(machine_for(&program), solver());
    let mut proved = Vec::new();
    let (mut reached, mut stuck) = (0, 0);
    for (edge, data) in program.edges.iter() {
        let site = &program.sites[data.site];
        if data.target.is_none() || program.functions[site.function].library {
            continue;
        }
        let began = Instant::now();
        search.start(Goal::Edge(edge));
        let said = one(&mut search, &mut joint, edge, &mut taken);
        let line = site.loc.map_or(0, |loc| loc.line);
        println!(
            "{edge} (line {line}, side {}): {said} in {:.2?}, {:?}",
            data.side,
            began.elapsed(),
            search.quest.stats
        );
        match said {
            "reached" => reached += 1,
            "unreachable" => proved.push(edge),
            _ => stuck += 1,
        }
    }
    println!(
        "{reached} reached, {} unreachable, {stuck} open",
        proved.len()
    );
    let wrong: Vec<_> = proved.iter().filter(|edge| taken.contains(edge)).collect();
    if !wrong.is_empty() {
        println!("WRONG: {wrong:?}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn machine_for(program: &Program) -> Machine<'_> {
    let config = machine::Config {
        calls: Some(64),
        limits: machine::Limits {
            steps: 300_000,
            path: 20_000,
            ..machine::Limits::default()
        },
        ..machine::Config::default()
    };
    Machine::new(program, config).expect("a program with a main")
}

fn search_for(program: &Program, wild: bool, segments: Option<u64>) -> Search<'_> {
    let given = Given {
        program,
        dead: BTreeSet::new(),
        wild,
        beside: Beside::default(),
    };
    let limits = Limits {
        segments: segments.unwrap_or(1000),
        ..Limits::default()
    };
    Search::new(given, solver(), limits)
}

fn solver() -> smt::Solver {
    let config = smt::Config {
        budget: smt::Budget {
            units: 400_000,
            millis: 2000,
        },
        ..smt::Config::default()
    };
    smt::Solver::new(smt::backend::default().expect("a solver"), config)
}

/// What a search says of an edge.
fn one<'p>(
    search: &mut Search<'p>,
    joint: &mut Joint<'p>,
    edge: EdgeId,
    taken: &mut BTreeSet<EdgeId>,
) -> &'static str {
    let (mut next, mut runs) = (Some(InputVector::default()), 0);
    loop {
        if let Some(input) = next.take() {
            runs += 1;
            let run = joint.observe(search, &input).expect("a run");
            let own: BTreeSet<EdgeId> = edges_of(run).collect();
            taken.extend(&own);
            if own.contains(&edge) {
                return "reached";
            }
        }
        if runs < RUNS
            && let Some(found) = joint.candidate(search)
        {
            next = Some(found.input);
            continue;
        }
        match search.step() {
            Progress::Working => {}
            Progress::Unreachable => return "unreachable",
            Progress::Stuck(_) if runs < RUNS && !joint.is_done(search) => {}
            Progress::Stuck(_) => return "open",
        }
    }
}

fn edges_of(run: &Run) -> impl Iterator<Item = EdgeId> + '_ {
    let on_path = run.steps.iter().filter_map(|step| match step {
        Step::Edge { edge, .. } => Some(*edge),
        _ => None,
    });
    on_path.chain(run.late_edges.iter().map(|(edge, _)| *edge))
}

/// Edges that runs on random inputs take.
fn at_random(machine: &mut Machine<'_>, taken: &mut BTreeSet<EdgeId>) {
    let mut random = random::Random::new(7);
    let mut input = InputVector::default();
    for _ in 0..RANDOM_RUNS {
        let run = machine.run(&mut smt::Pool::new(), &input).expect("a run");
        taken.extend(edges_of(&run));
        input = run.input;
        for value in &mut input.values {
            value.bits = match random.below(3) {
                0 => random.below(8) as u128,
                1 => value.bits,
                _ => u128::from(random.next()),
            } & value.kind.mask();
        }
    }
}
