//! What is dead in small programs.

mod random;
mod run;

use std::fmt::Write;

use expect_test::{Expect, expect};
use program::{EdgeId, Program};

use crate::{Limits, Reason, analyse};

/// Parses a program and lists its dead edges with their reasons, then what kept the analysis from more.
fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let analysis = analyse(&program, false, Limits::default());
    let mut list = String::new();
    for (edge, reason) in &analysis.dead {
        let _ = match reason {
            Reason::NotReached => writeln!(list, "{edge}: not reached"),
            Reason::Values { site, value } => writeln!(list, "{edge}: {value} at {site}"),
        };
    }
    for blocker in &analysis.blockers {
        let _ = writeln!(list, "{blocker}");
    }
    if !analysis.selectors.is_empty() {
        let _ = writeln!(list, "states by {}", analysis.selectors.join(", "));
    }
    expected.assert_eq(&list);
}

#[test]
fn no_random_program_takes_an_edge_that_is_called_dead() {
    let (mut dead, mut never) = (0, 0);
    // `BOTHWAYS_SEEDS=FIRST..END` asks for others.
    let asked = std::env::var("BOTHWAYS_SEEDS").ok().and_then(|text| {
        let (first, end) = text.split_once("..")?;
        Some(first.parse().ok()?..end.parse().ok()?)
    });
    for seed in asked.unwrap_or(1..41) {
        let program = random::program(seed);
        program::verify::verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let analysis = analyse(&program, false, Limits::default());
        let (taken, is_truth) = run::taken(&program);
        let is_taken = |edge: &EdgeId| taken[edge.index()];
        let wrong: Vec<EdgeId> = analysis.dead.keys().copied().filter(is_taken).collect();
        assert_eq!(
            wrong,
            [],
            "seed {seed}, in\n{}",
            program::text::print(&program)
        );
        if is_truth {
            dead += analysis.dead.len();
            never += taken.iter().filter(|taken| !**taken).count();
        }
    }
    // The others need a relation between values, which the analysis does not keep.
    assert!(
        dead * 5 > never * 4,
        "{dead} of {never} edges that no run takes are called dead"
    );
}

/// A state that a loop dispatches on, and a flag that is set in the state before.
#[test]
fn a_flag_is_known_in_each_state() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @state size 4 align 4 = x"00000000"
        global @flag size 4 align 4 = x"00000000"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: i32 = load @state
          switch v0 [0: block2, 1: block4, 2: block6, default: block7]
        block2:
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i1 = icmp sgt v1, i32 5
          br v2, block3, block1
        block3:
          store i32 1, @flag
          store i32 1, @state
          br block1
        block4:
          v3: i32 = load @flag
          v4: i1 = icmp eq v3, i32 1
          br v4, block5, block7
        block5:
          store i32 2, @state
          br block1
        block6:
          store i32 0, @flag
          store i32 0, @state
          br block1
        block7:
          ret i32 1
        }
        "#,
        expect![[r#"
            edge3: {0, 1, 2} at site0
            edge6: 1 at site2
            states by state, flag
        "#]],
    );
}
