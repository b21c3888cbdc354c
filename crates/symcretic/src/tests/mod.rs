//! Whole searches on small models: what is reached, and after how many runs; what is refuted; what must not be.

pub(crate) mod models;

use crate::Beside;
use std::collections::BTreeSet;

use path::{InputVector, Step};
use program::{EdgeId, Program};

use crate::{Given, Goal, Hindrance, Joint, Limits, Progress, Search};
use models::MODELS;

/// What a search from an edge says.
fn said(program: &Program, edge: EdgeId) -> String {
    let entry = smt::backend::ALL[0];
    let solver = || {
        let backend = (entry.new)().expect("a solver");
        smt::Solver::new(backend, smt::Config::default())
    };
    let given = Given {
        program,
        dead: BTreeSet::new(),
        wild: false,
        beside: Beside::default(),
    };
    let mut search = Search::new(given, solver(), Limits::default());
    search.start(Goal::Edge(edge));
    let config = machine::Config {
        calls: Some(32),
        ..machine::Config::default()
    };
    let machine = machine::Machine::new(program, config).expect("a program with a main");
    let mut joint = Joint::new(machine, solver());
    let mut next = Some(InputVector::default());
    for runs in 0..20 {
        if let Some(input) = next.take() {
            let run = joint.observe(&mut search, &input).expect("a run");
            let takes =
                |step: &Step| matches!(step, Step::Edge { edge: taken, .. } if *taken == edge);
            if run.steps.iter().any(takes) {
                let values = run.input.values.iter();
                let values: Vec<_> = values
                    .map(|value| value.kind.sign_extend(value.bits).to_string())
                    .collect();
                return format!("reached by {} after {}", values.join(" "), runs + 1);
            }
        }
        loop {
            if let Some(found) = joint.candidate(&mut search) {
                next = Some(found.input);
                break;
            }
            match search.step() {
                Progress::Working => {}
                Progress::Unreachable => return "unreachable".to_owned(),
                Progress::Stuck(_) if !joint.is_done(&search) => {}
                Progress::Stuck(why) => {
                    let why: Vec<_> = why.iter().map(|why| format!("{why:?}")).collect();
                    return format!("stuck: {}", why.join(" "));
                }
            }
        }
    }
    "no answer".to_owned()
}

#[test]
fn edges_are_reached_or_refuted() {
    for (name, text, expected) in MODELS {
        let program = program::text::sample(text);
        let said = program.edges.keys().map(|edge| said(&program, edge));
        let said: Vec<String> = said.collect();
        assert_eq!(said, *expected, "{name}");
    }
}

/// Numbers of which each is the product of the two before it: going back, each instruction makes all that was there anew.
#[test]
fn a_block_that_makes_too_many_terms_is_left_in_the_middle() {
    const LIMIT: usize = 20_000;
    let mut text = "extern @input() -> i32\nfn @main() -> i32 {\nblock0:\nv0: i32 = call @input()\nv1: i32 = call @input()\n".to_owned();
    for at in 2..2000 {
        text += &format!("v{at}: i32 = mul v{}, v{}\n", at - 1, at - 2);
    }
    text += "v2000: i1 = icmp eq v1999, i32 77\nbr v2000, block1, block2\nblock1:\nret i32 1\nblock2:\nret i32 0\n}\n";
    let program = program::text::sample(&text);
    let backend = (smt::backend::ALL[0].new)().expect("a solver");
    let given = Given {
        program: &program,
        dead: BTreeSet::new(),
        wild: false,
        beside: Beside::default(),
    };
    let limits = Limits {
        terms: LIMIT,
        ..Limits::default()
    };
    let solver = smt::Solver::new(backend, smt::Config::default());
    let mut search = Search::new(given, solver, limits);
    search.start(Goal::Edge(EdgeId::from_u32(0)));
    let end = loop {
        match search.step() {
            Progress::Working => {}
            end => break end,
        }
    };
    assert_eq!(end, Progress::Stuck([Hindrance::Budget].into()));
    assert!(search.terms() < 2 * LIMIT, "{} terms", search.terms());
}

/// A variable is 1 in front of a call; whether a search refutes that it is 2 behind.
fn refutes_another(function: &str, call: &str, address: &str) -> [bool; 2] {
    let text = format!(
        "extern @{function}
        extern @__errno_location() -> ptr
        extern @puts(ptr) -> i32
        global0 @signgam size 4 align 4
        global1 @error_message_count size 4 align 4
        global2 @own internal size 4 align 4 = x\"\"
        global3 @text const size 2 align 1 = x\"6100\"
        fn @main() -> i32 {{
        block0:
          v0: ptr = call @__errno_location()
          v1: i32 = call @puts(@own)
          store i32 1, {address}
          {call}
          v2: i32 = load {address}
          v3: i1 = icmp eq v2, i32 2
          br v3, block1, block2 [site0: edge0 false, edge1 true]
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"
    );
    let program = program::text::sample(&text);
    let regions = program::regions::Regions::of(&program, false, wire::libc::MODEL_PREFIX);
    assert!(regions.is_some(), "{text}");
    [None, regions].map(|regions| {
        let backend = (smt::backend::ALL[0].new)().expect("a solver");
        let given = Given {
            program: &program,
            dead: BTreeSet::new(),
            wild: false,
            beside: Beside {
                regions: regions.map(std::sync::Arc::new),
                ..Beside::default()
            },
        };
        let solver = smt::Solver::new(backend, smt::Config::default());
        let mut search = Search::new(given, solver, Limits::default());
        search.start(Goal::Edge(EdgeId::from_u32(1)));
        loop {
            match search.step() {
                Progress::Working => {}
                end => break matches!(end, Progress::Unreachable),
            }
        }
    })
}

/// Functions that write to nothing else write to variables of the library: by their names, and to what says why they failed.
#[test]
fn what_the_library_keeps_is_written_by_calls() {
    let log = ("log(f64) -> f64", "v4: f64 = call @log(f64 1.5)");
    let sign = ("lgamma(f64) -> f64", "v4: f64 = call @lgamma(f64 1.5)");
    let message = ("error(i32, i32, ptr)", "call @error(i32 0, i32 0, @text)");
    let time = ("localtime(ptr) -> ptr", "v4: ptr = call @localtime(@text)");
    let length = ("strlen(ptr) -> i64", "v4: i64 = call @strlen(@text)");
    let byte = ("getchar() -> i32", "v4: i32 = call @getchar()");
    for ((function, call), address, expected) in [
        (log, "v0", [false, false]),
        (log, "@own", [false, true]),
        (log, "@signgam", [false, true]),
        (byte, "v0", [false, false]),
        (byte, "@own", [false, true]),
        (length, "v0", [true, true]),
        (length, "@own", [true, true]),
        (sign, "@signgam", [false, false]),
        (sign, "@own", [false, true]),
        (message, "@error_message_count", [false, false]),
        (message, "v0", [false, false]),
        (time, "@signgam", [false, false]),
        (time, "v0", [false, false]),
    ] {
        let found = refutes_another(function, call, address);
        assert_eq!(found, expected, "{call} {address}");
    }
}
