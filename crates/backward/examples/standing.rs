//! `standing MODEL [-- WORD…]`: how much of what the value analysis says of any time the checker takes, for debugging; with the words of
//! the command line, of which `@` is an input.

use std::process::ExitCode;
use std::time::Instant;

use proof::Effort;

fn read(path: &str) -> Result<program::Program, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    text.parse().map_err(|error| format!("{error}"))
}

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let words = args.iter().position(|arg| arg == "--");
    let words = words.map(|at| args.split_off(at).split_off(1));
    let Some(path) = args.first() else {
        eprintln!("usage: standing MODEL [-- WORD…]");
        return ExitCode::from(2);
    };
    let program = match read(path) {
        Ok(program) => program,
        Err(why) => {
            eprintln!("{path}: {why}");
            return ExitCode::from(2);
        }
    };
    let word = |word: String| (word != "@").then(|| word.into_bytes());
    let words: Option<Vec<_>> = words.map(|words| words.into_iter().map(word).collect());
    let said = words
        .as_ref()
        .map(|words| proof::opening::Said::by(words, &program, false));
    let said = said.unwrap_or_default();
    let told = values::Told {
        results: said.results,
        never: said.never,
        lucky: false,
    };
    let analysis = values::analyse_told(&program, false, told, values::Limits::default());
    let Some(claims) = backward::at_any_time(&program, &analysis) else {
        println!("no claims");
        return ExitCode::SUCCESS;
    };
    let count = |what: &str, claims: &proof::standing::Claims| {
        let values: usize = claims.values.iter().map(|at| at.values.len()).sum();
        println!(
            "{what}: {} cells, {} facts, {values} values, {} results",
            claims.cells.len(),
            claims.never.len(),
            claims.results.len()
        );
    };
    count("analysis", &claims);
    let runs = proof::closed::Effects::new(&program, false, words.as_deref());
    let edges: Vec<proof::Fact> = analysis
        .dead
        .keys()
        .map(|edge| proof::Fact::Edge {
            edge: edge.as_u32(),
        })
        .collect();
    let began = Instant::now();
    let needed = match proof::standing::needed(&runs, &claims, &edges) {
        Ok(needed) => needed,
        Err(error) => {
            println!("{error}");
            return ExitCode::SUCCESS;
        }
    };
    println!("{:.2?}", began.elapsed());
    count("needed", &needed);
    let began = Instant::now();
    let effort = Effort::questions(1_000_000);
    let kept = proof::standing::weaken(&runs, &needed, effort.clone());
    println!("{:.2?}", began.elapsed());
    let kept = match kept {
        Ok(kept) => kept,
        Err(error) => {
            println!("{error}");
            return ExitCode::SUCCESS;
        }
    };
    count("kept", &kept);
    let began = Instant::now();
    let queries = proof::standing::check(&runs, &kept, effort);
    println!("{queries:?} {:.2?}", began.elapsed());
    ExitCode::SUCCESS
}
