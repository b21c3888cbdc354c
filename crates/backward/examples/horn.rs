//! What holds in parts of a program, for each side that its model has: `horn MODEL [EDGE…]`.

use std::collections::BTreeSet;
use std::time::Instant;

use backward::horn::{Open, Prover};
use proof::clauses::{QUESTIONS, check};
use proof::closed::Effects;
use proof::{Effort, End, Fact, Subject};
use smt::Steps;

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a model");
    let wanted: Vec<u32> = args.map(|arg| arg.parse().expect("an edge")).collect();
    let text = std::fs::read_to_string(&path).expect("a file");
    let subject = Subject::parse(&text).expect("a model");
    let (program, foreign) = (&subject.program, subject.foreign);
    let steps = std::env::var("STEPS").map_or(Steps::default(), |steps| {
        Steps(steps.parse().expect("a number"))
    });
    let effects = Effects::new(program, foreign, None);
    let mut prover = Prover::new(&effects);
    let dead = BTreeSet::new();
    for edge in program.edges.keys() {
        if !wanted.is_empty() && !wanted.contains(&edge.as_u32()) {
            continue;
        }
        let never = [Fact::Edge {
            edge: edge.as_u32(),
        }];
        let site = &program.sites[program.edges[edge].site];
        let loc = site.loc.map_or(String::new(), |loc| {
            let file = &program.files[loc.file as usize];
            format!("{file}:{}:{}", loc.line, loc.col)
        });
        println!("{edge} {loc} side {}", program.edges[edge].side);
        for part in prover.parts(&never) {
            let began = Instant::now();
            let budget = (steps, &End::default());
            let found = prover.look(&part, &dead, &never, budget);
            let found = found.expect("a solver");
            let said = match &found {
                Ok(known) => {
                    let effort = Effort::questions(QUESTIONS);
                    let checked = check(&effects, known, &dead, &never, effort);
                    let (points, lines) = (known.holds.len(), known.terms.len());
                    format!("never: {points} points, {lines} lines; checked: {checked:?}")
                }
                Err(Open::Possible) => "possible".to_owned(),
                Err(Open::Refused(why)) => format!("no clauses: {why}"),
                Err(Open::Unknown(why)) => format!("unknown: {why}"),
            };
            let from = part
                .function
                .map_or("the start".to_owned(), |id| format!("f{id}"));
            let (followed, cells) = (part.followed.len(), part.cells.len());
            let took = began.elapsed().as_secs_f64();
            println!("  from {from}, {followed} followed, {cells} cells, {took:.2} s: {said}");
            if found.is_ok() {
                break;
            }
        }
    }
}
