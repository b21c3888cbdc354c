//! `back MODEL LINE`: goes backward from the first code of a line (of any file of a model in text form), joined with runs of the machine.

use std::process::ExitCode;
use std::time::Instant;

use path::InputVector;
use program::Program;
use symcretic::{Given, Goal, Joint, Limits, Place, Progress, Search};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, line] = args.as_slice() else {
        eprintln!("usage: back MODEL LINE");
        return ExitCode::from(2);
    };
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let program: Program = text.parse().expect("a model");
    if line == "all" {
        return all(&program);
    }
    let line: u32 = line.parse().expect("a line");
    let Some(place) = place_of(&program, line) else {
        eprintln!("no code in line {line}");
        return ExitCode::from(2);
    };
    let began = Instant::now();
    let known = values::analyse(&program, false, values::Limits::default());
    println!(
        "values: {:.2?}, {} dead edges, blockers {:?}",
        began.elapsed(),
        known.dead.len(),
        known.blockers
    );
    let entry = smt::backend::ALL[0];
    let checker = smt::Solver::new(
        (entry.new)().expect("a solver"),
        smt::Config {
            budget: smt::Budget {
                units: 400_000,
                millis: 2000,
            },
            ..smt::Config::default()
        },
    );
    let solver = smt::Solver::new((entry.new)().expect("a solver"), smt::Config::default());
    let given = Given {
        program: &program,
        dead: match std::env::var("NOVALUES") {
            Ok(_) => Default::default(),
            Err(_) => known.dead.keys().copied().collect(),
        },
        wild: !known.blockers.is_empty(),
        shared: false,
    };
    let mut search = Search::new(given, Goal::Place(place), checker, Limits::default());
    let mut machine = machine::Machine::new(
        &program,
        machine::Config {
            calls: Some(64),
            limits: machine::Limits {
                steps: 2_000_000,
                ..Default::default()
            },
            ..Default::default()
        },
    )
    .expect("a machine");
    let mut joint = Joint::new(&mut machine, solver);
    let mut next = Some(InputVector::default());
    let mut runs = 0;
    loop {
        if let Some(input) = next.take() {
            runs += 1;
            let run = joint.observe(&mut search, &input).expect("a run");
            let reached = comes_to(&program, run, place);
            if std::env::var("TALK").is_ok() {
                println!(
                    "run {runs}: {} steps, reached {reached} {:?}",
                    run.steps.len(),
                    run.input.values.iter().map(|v| v.bits).collect::<Vec<_>>()
                );
            }
            if reached {
                println!(
                    "reached after {runs} runs, {:.2?}: {:?}",
                    began.elapsed(),
                    run.input
                        .values
                        .iter()
                        .map(|value| format!(
                            "{}={}",
                            value.name,
                            value.kind.sign_extend(value.bits)
                        ))
                        .collect::<Vec<_>>()
                );
                println!("{:?}", search.stats);
                return ExitCode::SUCCESS;
            }
        }
        if let Some(found) = joint.candidate(&mut search) {
            next = Some(found.input);
            continue;
        }
        match search.step() {
            Progress::Working => {}
            other => {
                println!(
                    "{other:?} after {runs} runs, {:.2?}; {:?}",
                    began.elapsed(),
                    search.stats
                );
                return ExitCode::SUCCESS;
            }
        }
    }
}

fn place_of(program: &Program, line: u32) -> Option<Place> {
    for (function, body) in program.functions.iter().filter(|(_, body)| !body.library) {
        for (block, data) in body.blocks.iter() {
            let mut insts = data.insts.iter().enumerate();
            let found = insts.find(|(_, inst)| {
                body.inst(**inst).is_some_and(|inst| {
                    inst.loc.is_some_and(|loc| loc.line == line)
                        && !matches!(
                            inst.op,
                            program::Op::Phi { .. } | program::Op::Alloca { .. }
                        )
                })
            });
            let terminator = data
                .loc
                .is_some_and(|loc| loc.line == line)
                .then_some(data.insts.len());
            if let Some(at) = found.map(|(at, _)| at).or(terminator) {
                return Some(Place {
                    function,
                    block,
                    at,
                });
            }
        }
    }
    None
}

fn comes_to(program: &Program, run: &path::Run, place: Place) -> bool {
    // The edge that leads to the block, or the one to the only block in front of it.
    let mut block = place.block;
    let body = &program.functions[place.function];
    for _ in 0..10 {
        let into: Vec<_> = program
            .edges
            .iter()
            .filter(|(_, edge)| {
                edge.target == Some(block) && program.sites[edge.site].function == place.function
            })
            .map(|(id, _)| id)
            .collect();
        if !into.is_empty() {
            return run
                .steps
                .iter()
                .any(|step| matches!(step, path::Step::Edge { edge, .. } if into.contains(edge)));
        }
        let before = body
            .blocks
            .iter()
            .find(|(_, data)| data.terminator.successors().any(|to| to == block));
        match before {
            Some((before, _)) => block = before,
            None => break,
        }
    }
    run.steps
        .iter()
        .any(|step| matches!(step, path::Step::Call(function) if *function == place.function))
}

/// Every edge of the program's own functions: what the search says, held against random runs and the runs of all searches.
fn all(program: &Program) -> ExitCode {
    let known = values::analyse(program, false, values::Limits::default());
    let config = || machine::Config {
        calls: Some(32),
        limits: machine::Limits {
            steps: 300_000,
            path: 20_000,
            ..Default::default()
        },
        ..Default::default()
    };
    let mut machine = machine::Machine::new(program, config()).expect("a machine");
    let mut taken = std::collections::BTreeSet::new();
    let mut random = random::Random::new(7);
    let mut input = InputVector::default();
    let began = Instant::now();
    for _ in 0..1500 {
        let mut pool = smt::Pool::new();
        let run = path::Target::run(&mut machine, &mut pool, &input).expect("a run");
        taken.extend(run.steps.iter().filter_map(|step| match step {
            path::Step::Edge { edge, .. } => Some(*edge),
            _ => None,
        }));
        taken.extend(run.late_edges.iter().map(|(edge, _)| *edge));
        input = run.input;
        for value in &mut input.values {
            value.bits = match random.below(3) {
                0 => random.below(8) as u128,
                1 => value.bits,
                _ => u128::from(random.next()),
            } & value.kind.mask();
        }
        if began.elapsed().as_secs() > 3 {
            break;
        }
    }
    let (mut reached, mut never, mut stuck, mut wrong) = (0, 0, 0, 0);
    let mut proved = Vec::new();
    let unmodelled = machine::unmodelled(program).len();
    let edges: Vec<_> = program
        .edges
        .iter()
        .filter(|(_, data)| {
            data.target.is_some() && !program.functions[program.sites[data.site].function].library
        })
        .map(|(id, _)| id)
        .collect();
    let count = edges.len();
    for edge in edges {
        let entry = smt::backend::ALL[0];
        let checker = smt::Solver::new(
            (entry.new)().expect("a solver"),
            smt::Config {
                budget: smt::Budget {
                    units: 400_000,
                    millis: 2000,
                },
                ..smt::Config::default()
            },
        );
        let solver = smt::Solver::new((entry.new)().expect("a solver"), smt::Config::default());
        let given = Given {
            program,
            dead: match std::env::var("NOVALUES") {
                Ok(_) => Default::default(),
                Err(_) => known.dead.keys().copied().collect(),
            },
            wild: !known.blockers.is_empty(),
            shared: false,
        };
        let began = Instant::now();
        let mut search = Search::new(
            given,
            Goal::Edge(edge),
            checker,
            Limits {
                segments: 300,
                ..Limits::default()
            },
        );
        let mut machine = machine::Machine::new(program, config()).expect("a machine");
        let mut joint = Joint::new(&mut machine, solver);
        let mut next = Some(InputVector::default());
        let mut runs = 0;
        let said = loop {
            if let Some(input) = next.take() {
                runs += 1;
                let run = joint.observe(&mut search, &input).expect("a run");
                let here: Vec<_> = run
                    .steps
                    .iter()
                    .filter_map(|step| match step {
                        path::Step::Edge { edge, .. } => Some(*edge),
                        _ => None,
                    })
                    .collect();
                let late = run.late_edges.iter().map(|(edge, _)| *edge);
                let found = here.contains(&edge);
                taken.extend(here.into_iter().chain(late));
                if found {
                    break "reached".to_owned();
                }
            }
            if runs < 40
                && std::env::var("NORUNS").is_err()
                && let Some(found) = joint.candidate(&mut search)
            {
                next = Some(found.input);
                continue;
            }
            match search.step() {
                Progress::Working => {}
                Progress::Unreachable => break "never".to_owned(),
                Progress::Stuck(why) => break format!("stuck {why:?}"),
            }
        };
        if began.elapsed().as_secs() >= 5 || std::env::var("TALK").is_ok() {
            let site = &program.sites[program.edges[edge].site];
            println!(
                "{edge} {:?} side {}: {said} in {:.2?}, {runs} runs, {:?}",
                site.loc,
                program.edges[edge].side,
                began.elapsed(),
                search.stats
            );
        }
        match said.as_str() {
            "reached" => reached += 1,
            "never" => {
                never += 1;
                proved.push(edge);
            }
            _ => stuck += 1,
        }
    }
    for edge in proved {
        if taken.contains(&edge) {
            wrong += 1;
            let site = &program.sites[program.edges[edge].site];
            println!(
                "WRONG {edge} {:?} side {}",
                site.loc, program.edges[edge].side
            );
        }
    }
    println!(
        "{count} edges: {reached} reached, {never} never, {stuck} stuck, {wrong} wrong; {} taken by runs, {} dead by values, {unmodelled} unmodelled; {:.2?}",
        taken.len(),
        known.dead.len(),
        began.elapsed()
    );
    ExitCode::SUCCESS
}
