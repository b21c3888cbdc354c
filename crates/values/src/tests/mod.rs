//! What is dead in small programs.

mod alive;
mod dispatch;
mod memory;
pub(crate) mod random;
mod run;
mod sites;
mod wild;

use std::fmt::Write;

use expect_test::{Expect, expect};
use program::EdgeId;

use crate::{Limits, Reason, analyse};

/// Parses a program and lists its dead edges with their reasons, then what kept the analysis from more.
fn check(text: &str, expected: Expect) {
    check_within(text, Limits::default(), expected);
}

/// The same by the first pass alone, in whose memory writes have no order.
fn check_without_order(text: &str, expected: Expect) {
    let limits = Limits {
        steps: 0,
        ..Limits::default()
    };
    check_within(text, limits, expected);
}

fn check_within(text: &str, limits: Limits, expected: Expect) {
    let program = program::text::sample(text);
    let analysis = analyse(&program, false, limits);
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

/// Parses a program and lists its instructions that never end a run.
fn sure(text: &str, expected: Expect) {
    let program = program::text::sample(text);
    let analysis = analyse(&program, false, Limits::default());
    let mut list = String::new();
    for (_, value) in &analysis.sure.harmless {
        let _ = writeln!(list, "{value}");
    }
    expected.assert_eq(&list);
}

#[test]
fn no_random_program_takes_an_edge_that_is_called_dead() {
    let (dead, never) = held_against_runs(Limits::default());
    // The others need a relation between values, which the analysis does not keep.
    assert!(
        dead * 5 > never * 4,
        "{dead} of {never} edges that no run takes are called dead"
    );
}

/// The pass for programs that are too large for more.
#[test]
fn no_random_program_takes_an_edge_that_is_dead_in_a_memory_without_order() {
    let limits = Limits {
        steps: 0,
        ..Limits::default()
    };
    let (dead, never) = held_against_runs(limits);
    assert!(
        dead * 10 > never,
        "{dead} of {never} edges that no run takes are called dead"
    );
}

/// So many seeds, or those that `BOTHWAYS_SEEDS=FIRST..END` asks for.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("BOTHWAYS_SEEDS").ok().and_then(|text| {
        let (first, end) = text.split_once("..")?;
        Some(first.parse().ok()?..end.parse().ok()?)
    });
    asked.unwrap_or(1..count + 1)
}

/// Random programs, each with all its inputs run: how many edges are dead, of those that no run takes.
fn held_against_runs(limits: Limits) -> (usize, usize) {
    let (mut dead, mut never) = (0, 0);
    for seed in seeds(40) {
        let program = random::program(seed);
        program::verify::verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let analysis = analyse(&program, false, limits);
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
    (dead, never)
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

/// What was read is what is read again, as long as nothing was written: also by a call, which may write what is there already.
#[test]
fn a_cell_is_the_variable_that_was_read_until_something_is_written() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @count size 4 align 4 = x"00000000"
        fn @again() -> void {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 0
          br v1, block1, block2
        block1:
          v2: i32 = call @__VERIFIER_nondet_int()
          store v2, @count
          br block2
        block2:
          ret
        }
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @count
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i32 = load @count
          v3: i1 = icmp slt v1, v2
          br v3, block1, block6
        block1:
          v4: i32 = load @count
          v5: i1 = icmp sge v1, v4
          br v5, block2, block3
        block2:
          ret i32 1
        block3:
          call @again()
          v6: i32 = load @count
          v7: i1 = icmp sge v1, v6
          br v7, block4, block5
        block4:
          ret i32 2
        block5:
          ret i32 3
        block6:
          ret i32 0
        }
        "#,
        expect![[r#"
            edge5: 0 at site2
        "#]],
    );
}

/// Two phis that change places do not keep what was said of them.
#[test]
fn phis_take_what_is_known_of_what_flows_into_them() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i1 = icmp slt v0, v1
          br v2, block1, block5
        block1:
          v3: i32 = phi [block0: v0, block2: v4]
          v4: i32 = phi [block0: v1, block2: v3]
          v5: i1 = icmp eq v3, v4
          br v5, block4, block2
        block2:
          v6: i1 = icmp slt v3, v4
          br v6, block1, block3
        block3:
          ret i32 1
        block4:
          ret i32 2
        block5:
          ret i32 0
        }
        "#,
        expect![[r#"
            edge3: 0 at site1
        "#]],
    );
}

/// A handler writes at any time; what it writes is known.
#[test]
fn a_memory_without_order_knows_what_is_written() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        extern @signal(i32, ptr) -> ptr
        global @flag internal size 4 align 4 = x"00000000"
        fn @handler(v0: i32) -> void internal {
        block0:
          store i32 3, @flag
          ret
        }
        fn @main() -> i32 {
        block0:
          v0: ptr = call @signal(i32 10, @handler)
          store i32 1, @flag
          v1: i32 = load @flag
          switch v1 [0: block1, 1: block1, 2: block2, 3: block1, default: block2]
        block1:
          ret i32 0
        block2:
          ret i32 1
        }
        "#,
        expect![[r#"
            edge2: {0, 1, 3} at site0
            edge4: {0, 1, 3} at site0
            1 function(s) may run at any time (handlers, threads)
        "#]],
    );
}

/// What a caller compared before a call, in its arguments and in memory; `between` stands in front of the second call.
fn compared_by_the_caller(between: &str) -> String {
    format!(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @count internal size 4 align 4 = x"00000000"
        fn @main() -> i32 {{
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @count
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i32 = load @count
          v3: i1 = icmp slt v1, v2
          br v3, block1, block2
        block1:
          v4: i32 = call @at(v1)
          {between}
          v5: i32 = call @at(v1)
          ret v5
        block2:
          ret i32 0
        }}
        fn @at(v0: i32) -> i32 internal {{
        block0:
          v1: i32 = load @count
          v2: i1 = icmp sge v0, v1
          br v2, block1, block2
        block1:
          ret i32 -1
        block2:
          ret v0
        }}
        fn @change() internal {{
        block0:
          v0: i32 = load @count
          v1: i32 = call @__VERIFIER_nondet_int()
          store v1, @count
          ret
        }}
    "#
    )
}

/// A bound that a caller checked is checked again by what it calls, and holds there; also behind a call that leaves it as it was.
#[test]
fn a_callee_knows_what_its_caller_compared() {
    check(
        &compared_by_the_caller(""),
        expect![[r#"
            edge3: 0 at site1
        "#]],
    );
}

/// The bound is another one behind a call that writes it.
#[test]
fn what_was_compared_is_lost_where_a_call_writes_it() {
    check(&compared_by_the_caller("call @change()"), expect![""]);
}

/// An array that is cleared in a loop holds nothing else behind it: each round writes one element.
#[test]
fn an_array_that_a_loop_clears_is_cleared() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @have internal size 12 align 4 = x"010000000100000001000000"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: i32 = phi [block0: i32 0, block2: v4]
          v1: i1 = icmp slt v0, i32 3
          br v1, block2, block3
        block2:
          v2: i64 = sext v0
          v3: ptr = gep @have [v2 * 4]
          store i32 0, v3
          v4: i32 = add v0, i32 1
          br block1
        block3:
          v5: ptr = gep @have + 4
          v6: i32 = load v5
          v7: i1 = icmp eq v6, i32 0
          br v7, block4, block5
        block4:
          ret i32 0
        block5:
          ret i32 1
        }
    "#,
        expect![[r#"
            edge2: 0 at site1
            states by have+4
        "#]],
    );
}

/// A conditional expression without a branch has edges as well: where the last of three codes is left, the comparison with it holds.
#[test]
fn what_an_expression_never_is_is_dead() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          switch v0 [49: block1, 50: block1, 53: block1, default: block4] [site0: edge0 49, edge1 50, edge2 53, edge3 default]
        block1:
          v1: i1 = icmp eq v0, i32 49
          br v1, block4, block2 [site1: edge4 false, edge5 true]
        block2:
          v2: i1 = icmp eq v0, i32 50
          br v2, block4, block3 [site2: edge6 false, edge7 true]
        block3:
          v3: i1 = icmp eq v0, i32 53
          v4: i64 = zext v3
          count 1 step v4 [site3: edge8 false, edge9 true]
          v6: i1 = icmp sgt v0, i32 52
          v7: i64 = zext v6
          count 2 step v7 [site4: edge10 false, edge11 true]
          br block4
        block4:
          v9: i1 = icmp sgt v0, i32 52
          v10: i64 = zext v9
          count 3 step v10 [site5: edge12 false, edge13 true]
          ret i32 0
        }
        "#,
        expect![[r#"
            edge8: 53 at site3
            edge10: 53 at site4
        "#]],
    );
}
