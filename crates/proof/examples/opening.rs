//! How runs of a program begin with some words: `opening MODEL [WORD…]`. The word `@` is an input.

use std::process::ExitCode;

use program::{Callee, Op, Program};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("usage: opening MODEL [WORD…]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let program: Program = match text.parse() {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{path}:{error}");
            return ExitCode::from(2);
        }
    };
    let word = |word: String| (word != "@").then(|| word.into_bytes());
    let words: Vec<_> = args.map(word).collect();
    let known = proof::opening::beginning(&program, false, &words);
    println!(
        "{} of {} edges are never taken",
        known.never.len(),
        program.edges.len()
    );
    for edge in &known.never {
        let data = &program.edges[*edge];
        let site = &program.sites[data.site];
        if let Some(loc) = site.loc {
            let file = &program.files[loc.file as usize];
            println!("never {file}:{}:{} {}", loc.line, loc.col, data.side);
        }
    }
    for (function, block, at) in known.over {
        let body = &program.functions[function];
        let behind = body.insts(block).skip(at).take(1);
        let calls = behind.filter_map(|(_, inst)| match &inst.op {
            Op::Call {
                callee: Callee::Extern(id),
                ..
            } => Some(program.externs[*id].name.as_str()),
            _ => None,
        });
        let calls: Vec<&str> = calls.collect();
        println!(
            "over at {at} of {block} of {}: {}",
            body.name,
            calls.join(" ")
        );
    }
    ExitCode::SUCCESS
}
