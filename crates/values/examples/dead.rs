//! `dead MODEL [STEPS] [-- WORD…]`: what the value analysis says of a program in the text form of the model, for debugging; with the
//! words of its command line, of which `@` is an input.

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let words = args.iter().position(|arg| arg == "--");
    let words = words.map_or_else(Vec::new, |at| args.split_off(at).split_off(1));
    let Some(path) = args.first() else {
        eprintln!("usage: dead MODEL [STEPS] [-- WORD…]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let program: program::Program = match text.parse() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{path}:{error}");
            return ExitCode::from(2);
        }
    };
    let mut limits = values::Limits::default();
    if let Some(steps) = args.get(1).and_then(|text| text.parse().ok()) {
        limits.steps = steps;
        limits.small = steps / 20;
    }
    let began = Instant::now();
    let word = |word: String| (word != "@").then(|| word.into_bytes());
    let words: Vec<_> = words.into_iter().map(word).collect();
    let results = program::getopt::results(&program, &words);
    for ((function, call), results) in &results {
        let name = &program.functions[*function].name;
        println!("{call} of {name} returns one of {results:?}");
    }
    let lucky = std::env::var_os("LUCKY").is_some();
    let told = values::Told {
        results,
        lucky,
        ..values::Told::default()
    };
    let analysis = values::analyse_told(&program, false, told, limits);
    println!(
        "{} of {} edges dead, {} functions not called, {} steps in {:.2?}; states by {:?}",
        analysis.dead.len(),
        program.edges.len(),
        analysis.uncalled.len(),
        analysis.steps,
        began.elapsed(),
        analysis.selectors,
    );
    for blocker in &analysis.blockers {
        println!("{blocker}");
    }
    if std::env::var_os("EDGES").is_some() {
        for (edge, reason) in &analysis.dead {
            let data = &program.edges[*edge];
            let site = &program.sites[data.site];
            println!("{edge} {:?} {:?}: {reason:?}", site.loc, data.side);
        }
    }
    ExitCode::SUCCESS
}
