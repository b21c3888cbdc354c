//! `plain PROGRAM ROUNDS FOLDER [ARGUMENT]...`: makes runs without symbolic inputs of a program that `bothways cc` built, each with
//! a file of the folder as its standard input, as the file `input` if that is an argument, or as the bytes of a fuzz target if `--fuzz-input` is, in two ways: with a
//! fork for each run, and without where that can be done. Says how many runs a second each way makes, and which runs differ.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use native::{Config, NativeTarget};
use path::{InputVector, Outcome, Role, Stream, Target, Visits};
use program::EdgeId;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [program, rounds, folder, rest @ ..] = &args[..] else {
        eprintln!("usage: plain PROGRAM ROUNDS FOLDER [ARGUMENT]...");
        return ExitCode::from(2);
    };
    let rounds = rounds.parse().unwrap_or(1);
    match measure(Path::new(program), rounds, Path::new(folder), rest) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("plain: {error}");
            ExitCode::from(2)
        }
    }
}

/// How a run ended and what it took.
type Shown = (Option<Outcome>, Vec<(EdgeId, u32)>);

fn measure(
    path: &Path,
    rounds: u32,
    folder: &Path,
    args: &[String],
) -> Result<usize, Box<dyn Error>> {
    let built = session::load::Program::read(path)?;
    let model = session::build::model(&built)?;
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.is_file());
    files.sort();
    let inputs = files
        .iter()
        .map(|path| Ok(input(std::fs::read(path)?, args)))
        .collect::<std::io::Result<Vec<_>>>()?;
    let mut config = Config::new(path);
    config.args = args.iter().map(Into::into).collect();
    let mut targets = [false, true]
        .map(|repeat| {
            let config = Config {
                repeat,
                ..config.clone()
            };
            NativeTarget::new(&model, config)
        })
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let mut times = [Duration::ZERO; 2];
    let mut differences = 0;
    for round in 0..rounds {
        for (input, file) in inputs.iter().zip(&files) {
            let mut shown: Vec<Shown> = Vec::new();
            for (target, time) in targets.iter_mut().zip(&mut times) {
                let mut visits = Visits::default();
                let begin = Instant::now();
                let outcome = target.run_concrete(input, &mut visits)?;
                *time += begin.elapsed();
                let mut edges: Vec<_> = visits.edges().collect();
                edges.sort_unstable();
                shown.push((outcome, edges));
            }
            if shown[0] != shown[1] {
                differences += 1;
                println!(
                    "round {round}, {}: {:?} with {} edges, {:?} with {}",
                    file.display(),
                    shown[0].0,
                    shown[0].1.len(),
                    shown[1].0,
                    shown[1].1.len()
                );
            }
        }
    }
    let runs = f64::from(rounds) * inputs.len() as f64;
    let [forked, repeated] = times.map(|time| runs / time.as_secs_f64());
    println!(
        "{runs} runs each: {forked:.0} a second with a fork, {repeated:.0} without, {:.2} times; {differences} differences",
        repeated / forked
    );
    let stats = targets[1].stats();
    println!(
        "{} runs without a fork{}",
        stats.repeated,
        if stats.told_apart { ", told apart" } else { "" }
    );
    Ok(differences)
}

/// The file that is an input, where the program does not read its standard input.
const FILE: &str = "input";
/// The argument of a program that is a fuzz target.
const FUZZ: &str = "--fuzz-input";

fn input(bytes: Vec<u8>, args: &[String]) -> InputVector {
    let has = |word| args.iter().any(|arg| arg == word);
    let (role, name) = match (has(FILE), has(FUZZ)) {
        (true, _) => (Role::File, FILE),
        (_, true) => (Role::Fuzz, "fuzz"),
        _ => (Role::Stdin, "stdin"),
    };
    let stream = Stream {
        id: 1,
        role,
        used: 0,
        name: name.into(),
        min: 0,
        max: 4096,
        bytes,
    };
    InputVector {
        values: Vec::new(),
        streams: vec![stream],
    }
}
