//! Prints a generated program, or its driver: `program few-bits|reactive SEED [driver]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seed = words.get(1).and_then(|seed| seed.parse().ok());
    let is_driver = words.get(2).is_some_and(|word| word == "driver");
    let text = match (words.first().map(String::as_str), seed) {
        (Some("few-bits"), Some(seed)) => {
            let made = bench::few_bits(seed, 4, 12);
            if is_driver {
                made.driver()
            } else {
                made.source
            }
        }
        (Some("reactive"), Some(_)) if is_driver => bench::Reactive::driver(),
        (Some("reactive"), Some(seed)) => bench::reactive(seed).source,
        _ => {
            eprintln!("usage: program few-bits|reactive SEED [driver]");
            return ExitCode::from(2);
        }
    };
    print!("{text}");
    ExitCode::SUCCESS
}
