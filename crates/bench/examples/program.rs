//! Prints a generated program, or its driver: `program few-bits|reactive SEED [driver]`, `program global SEED [SIZE] [driver]`,
//! `program driver|client|server|keywords SEED SIZE`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seed = words.get(1).and_then(|seed| seed.parse().ok());
    let size = words.get(2).and_then(|size| size.parse().ok());
    let is_driver = words.get(2).is_some() && words.last().is_some_and(|word| word == "driver");
    let text = match (words.first().map(String::as_str), seed) {
        (Some("few-bits"), Some(seed)) => text(&bench::few_bits(seed, 4, 12), is_driver),
        (Some("global"), Some(seed)) => text(
            &bench::global(seed, size.unwrap_or(bench::SCENES)),
            is_driver,
        ),
        (Some("reactive"), Some(_)) if is_driver => bench::Reactive::driver(),
        (Some("reactive"), Some(seed)) => bench::reactive(seed).source,
        (Some(name), Some(seed)) if size.is_some() && kind(name).is_some() => {
            let (kind, size) = (kind(name).expect("a kind"), size.expect("a size"));
            bench::of_kind(kind, size, seed)
        }
        _ => {
            eprintln!(
                "usage: program few-bits|reactive SEED [driver], program global SEED [SIZE] [driver], program driver|client|server|keywords SEED SIZE"
            );
            return ExitCode::from(2);
        }
    };
    print!("{text}");
    ExitCode::SUCCESS
}

fn text(made: &bench::FewBits, is_driver: bool) -> String {
    match is_driver {
        true => made.driver(),
        false => made.source.clone(),
    }
}

fn kind(name: &str) -> Option<bench::Kind> {
    let mut all = bench::Kind::ALL.iter();
    all.find(|(own, _)| *own == name).map(|(_, kind)| *kind)
}
