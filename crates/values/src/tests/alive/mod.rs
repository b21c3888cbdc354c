//! Small programs all of whose edges some run takes, one for each way in which the analysis could forget one: nothing of them is dead,
//! whether memory has an order or not. What mutants of the transfer functions got wrong stands here.

mod addresses;
mod calls;
mod cells;
mod numbers;

use std::collections::BTreeMap;

use program::{EdgeId, Program};

use crate::engine::Config;
use crate::object::Objects;
use crate::{Blocker, Limits, analyse};

/// Declarations that all programs have.
const NAMES: &str = r#"
    extern @input() -> i32
    extern @__VERIFIER_nondet_int() -> i32
    extern @outside(ptr)
    global @flag internal size 4 align 4 = x"00000000"
    global @x internal size 4 align 4 = x"00000000"
    global @y internal size 4 align 4 = x"00000000"
    global @slot internal size 8 align 8 = x""
    global @real internal size 8 align 8 = x""
    global @array internal size 40 align 8 = x""
    global @outer size 8 align 8
"#;

/// A function with its values numbered anew, without gaps: instructions without a result have a number, too.
fn numbered(function: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // Words and what is between them, in turns.
    let mut words: Vec<String> = Vec::new();
    for c in function.chars() {
        match words.last_mut() {
            Some(word) if is_name(c) && word.chars().all(is_name) => word.push(c),
            Some(word) if !is_name(c) && !word.chars().any(is_name) => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    let is_value = |word: &str| {
        let digits = word.strip_prefix('v');
        digits
            .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
    };
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut next = 0;
    for (at, word) in words.iter().enumerate() {
        let behind = words.get(at + 1).map_or("", String::as_str);
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let is_defined = is_value(word) && behind.starts_with(':');
        let is_void = matches!(word.as_str(), "store" | "memset" | "memcpy")
            || word == "call" && !before.ends_with("= ");
        if is_defined {
            numbers.insert(word.clone(), next);
        }
        next += u32::from(is_defined || is_void);
    }
    let renamed = words.iter().map(|word| match numbers.get(word) {
        Some(number) => format!("v{number}"),
        None => word.clone(),
    });
    renamed.collect()
}

/// `main` is the last function.
fn alive(body: &str) {
    let _ = alive_program(body);
}

fn alive_program(body: &str) -> Program {
    let mut functions = body.split("fn @");
    let mut text = format!("{NAMES}\n{}", functions.next().unwrap_or_default());
    for function in functions {
        text += &format!("fn @{}", numbered(function));
    }
    let program = program::text::sample(&text);
    let without_order = Limits {
        steps: 0,
        ..Limits::default()
    };
    for limits in [Limits::default(), without_order] {
        for foreign in [false, true] {
            let analysis = analyse(&program, foreign, limits);
            assert!(!analysis.blockers.contains(&Blocker::Budget));
            assert!(analysis.dead.is_empty(), "{:?}", analysis.dead);
            // Each engine alone, too: what the first finds is not known to the others.
            if !foreign && analysis.blockers.is_empty() {
                alive_in_one_pass(&program);
            }
        }
    }
    program
}

fn alive_in_one_pass(program: &Program) {
    let root = program.function_named("main").expect("it has one");
    for (partition, depth, states) in [(false, 0, 1), (false, 0, 64), (true, 4, 64)] {
        let config = Config {
            depth,
            contexts: 100 * depth,
            states,
            partition,
            ..Config::coarsest()
        };
        let engine = crate::passes::engine(program, root, (&config, Objects::default()), 100_000);
        let engine = engine.expect("it comes to its end");
        let dead: Vec<EdgeId> = program
            .edges
            .keys()
            .filter(|edge| !engine.taken[*edge])
            .collect();
        assert_eq!(dead, [], "in one pass of depth {depth}");
    }
}

/// A function that asks for a number and writes it somewhere, if it is 7.
const SETS: &str = r#"
    fn @set() internal {
    block0:
      v0: i32 = call @__VERIFIER_nondet_int()
      v1: i1 = icmp eq v0, i32 7
      br v1, block1, block2
    block1:
      store i32 7, @flag
      br block2
    block2:
      ret
    }
"#;

/// A function that gives 8 bytes, or ends the program.
const MAKE: &str = r#"
    extern @malloc(i64) -> ptr
    extern @exit(i32)
    fn @make() -> ptr internal {
    block0:
      v0: ptr = call @malloc(i64 8)
      v1: i1 = icmp eq v0, null
      br v1, block1, block2
    block1:
      call @exit(i32 1)
      unreachable
    block2:
      ret v0
    }
"#;
