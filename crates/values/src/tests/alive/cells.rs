//! What is known of memory cells and of the variables that were read from them.

use super::{MAKE, SETS, alive, alive_in_one_pass, alive_program};
use crate::{Limits, analyse};

/// What one caller of a function read is read again when another function has written it.
#[test]
fn what_was_read_early_is_read_again() {
    alive(&format!(
        r#"{SETS}
        fn @get() -> i32 internal {{
        block0:
          v0: i32 = load @flag
          ret v0
        }}
        fn @main() -> i32 {{
        block0:
          br block1
        block1:
          v0: i32 = call @get()
          v1: i1 = icmp eq v0, i32 7
          br v1, block2, block3
        block2:
          ret i32 1
        block3:
          call @set()
          v3: i32 = call @input()
          v4: i1 = icmp eq v3, i32 0
          br v4, block1, block4
        block4:
          ret i32 0
        }}"#
    ));
}

/// A cell is no longer the variable that was read from it once a block of memory was written.
#[test]
fn a_block_that_is_written_is_no_cell_that_was_read() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @x
          v2: i32 = load @x
          v3: i32 = call @__VERIFIER_nondet_int()
          v4: i1 = icmp slt v3, v2
          br v4, block1, block3
        block1:
          v5: i32 = call @__VERIFIER_nondet_int()
          v6: i8 = trunc v5
          memset @x, v6, i64 4
          v8: i32 = load @x
          v9: i1 = icmp slt v3, v8
          br v9, block2, block3
        block2:
          ret i32 1
        block3:
          ret i32 0
        }"#,
    );
}

/// A comparison narrows the cell that its variable was read from, and no other.
#[test]
fn another_cell_is_not_narrowed() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @__VERIFIER_nondet_int()
          store v0, @x
          store v1, @y
          v4: i32 = load @x
          v5: i32 = load @y
          v6: i1 = icmp eq v5, i32 5
          br v6, block1, block3
        block1:
          v7: i32 = load @x
          v8: i1 = icmp eq v7, i32 5
          br v8, block2, block3
        block2:
          ret i32 1
        block3:
          ret i32 0
        }"#,
    );
}

/// A cell that was written behind the read is not narrowed either: by a store, a block, code outside.
#[test]
fn a_cell_that_was_written_since_is_not_narrowed() {
    for written in [
        "store v1, @x",
        "store v1, v2",
        "memset @x, v3, i64 4",
        "call @outside(@x)",
        "v9: i64 = call @read(i32 0, @x, i64 4)",
    ] {
        alive(&format!(
            r#"
            extern @read(i32, ptr, i64) -> i64
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @__VERIFIER_nondet_int()
              v3: i8 = trunc v1
              v5: i1 = icmp eq v1, i32 3
              v2: ptr = select v5, @x, @y
              store v0, @x
              v7: i32 = load @x
              {written}
              v10: i1 = icmp eq v7, i32 5
              br v10, block1, block3
            block1:
              v11: i32 = load @x
              v12: i1 = icmp eq v11, i32 5
              br v12, block3, block2
            block2:
              ret i32 1
            block3:
              ret i32 0
            }}"#
        ));
    }
}

/// What is volatile may be anything, floating-point numbers too.
#[test]
fn what_is_volatile_is_anything() {
    for (ty, place, compared) in [
        ("f64", "@real", "fcmp oeq v0, f64 0.0"),
        ("i32", "@x", "icmp eq v0, i32 0"),
    ] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: {ty} = load {place} align 4 volatile
              v1: i1 = {compared}
              br v1, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}

/// What a block read in front of a call that does not return is read again.
#[test]
fn what_was_read_in_front_of_the_end_is_read_again() {
    alive(&format!(
        r#"{SETS}
        extern @exit(i32)
        fn @last(v0: i32) internal {{
        block0:
          v1: i1 = icmp eq v0, i32 7
          br v1, block1, block2
        block1:
          call @exit(i32 1)
          unreachable
        block2:
          call @exit(i32 0)
          unreachable
        }}
        fn @main() -> i32 {{
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 0
          br v1, block1, block2
        block1:
          v2: i32 = load @flag
          call @last(v2)
          ret i32 0
        block2:
          call @set()
          br block1
        }}"#
    ));
}

/// Each way into a block brings its own number.
#[test]
fn phis_take_what_comes_from_where_control_came() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          switch v0 [0: block1, 1: block2, default: block3]
        block1:
          br block4
        block2:
          br block4
        block3:
          br block4
        block4:
          v1: i32 = phi [block1: i32 1, block2: i32 2, block3: i32 3]
          switch v1 [1: block5, 2: block6, default: block7]
        block5:
          ret i32 1
        block6:
          ret i32 2
        block7:
          ret i32 3
        }"#,
    );
    // Two of which nothing is known change places.
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @__VERIFIER_nondet_int()
          br block1
        block1:
          v2: i32 = phi [block0: v0, block2: v3]
          v3: i32 = phi [block0: v1, block2: v2]
          v4: i32 = call @__VERIFIER_nondet_int()
          v5: i1 = icmp eq v4, i32 0
          br v5, block2, block3
        block2:
          br block1
        block3:
          v6: i1 = icmp eq v2, v3
          br v6, block4, block5
        block4:
          ret i32 1
        block5:
          ret i32 0
        }"#,
    );
}

/// With room for two states at a block, five are joined, and none is lost.
#[test]
fn too_many_states_are_joined() {
    let program = program::text::sample(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          switch v0 [0: block1, 1: block2, 2: block3, 3: block4, default: block5]
        block1:
          br block6
        block2:
          br block6
        block3:
          br block6
        block4:
          br block6
        block5:
          br block6
        block6:
          v1: i32 = phi [block1: i32 1, block2: i32 2, block3: i32 3, block4: i32 4, block5: i32 5]
          v2: i32 = call @__VERIFIER_nondet_int()
          v3: i1 = icmp eq v2, i32 0
          br v3, block7, block8
        block7:
          switch v1 [1: block8, 2: block8, 3: block8, 4: block8, default: block8]
        block8:
          ret i32 3
        }"#,
    );
    let limits = Limits {
        states: 2,
        ..Limits::default()
    };
    let analysis = analyse(&program, false, limits);
    assert!(analysis.dead.is_empty(), "{:?}", analysis.dead);
}

/// What a variable is compared with after it was computed anew, in the next round of a loop.
#[test]
fn a_cell_is_not_the_variable_of_the_next_round() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = load @x
          v2: i1 = icmp eq v0, v1
          br v2, block2, block3
        block2:
          ret i32 1
        block3:
          store v0, @x
          br block1
        }"#,
    );
}

/// What is found of one object of a place is not known of another.
#[test]
fn one_object_is_narrowed_and_not_the_other() {
    alive(&format!(
        "{MAKE}{}",
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: ptr = call @make()
          store v0, v2
          v4: ptr = call @make()
          store v1, v4
          br block1
        block1:
          br block2
        block2:
          v8: i32 = load v2
          v9: i1 = icmp eq v8, i32 5
          br v9, block3, block4
        block3:
          v10: i32 = load v4
          v11: i1 = icmp eq v10, i32 5
          br v11, block4, block5
        block4:
          ret i32 0
        block5:
          ret i32 1
        }"#
    ));
    // A block that is filled in one leaves what the other holds.
    alive(&format!(
        "{MAKE}{}",
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: ptr = call @make()
          store @x, v1
          v3: ptr = call @make()
          memset v3, i8 1, i64 8
          v5: ptr = load v1
          store v0, v5
          v7: i32 = load @x
          v8: i1 = icmp eq v7, i32 7
          br v8, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#
    ));
}

/// A cell is not the variable that was read from it once code that is not followed has run between two blocks.
#[test]
fn a_cell_is_no_variable_behind_a_jump_that_is_not_followed() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @x
          v2: i32 = load @x
          leave "callbr"(@x) [block1]
        block1:
          v3: i32 = load @x
          v4: i1 = icmp eq v2, v3
          br v4, block2, block3
        block2:
          ret i32 1
        block3:
          ret i32 0
        }"#,
    );
}

/// A function may write another number of those that a cell may hold already: what the memory holds is the same, the cell is not.
#[test]
fn a_cell_is_no_variable_behind_a_call_that_may_write() {
    for call in ["call @maybe()", "call @outside(@maybe)"] {
        let program = alive_program(
            &r#"
        fn @maybe() internal {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 0
          br v1, block1, block2
        block1:
          v2: i32 = call @__VERIFIER_nondet_int()
          store v2, @x
          br block2
        block2:
          ret
        }
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @x
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i32 = load @x
          v3: i1 = icmp eq v1, v2
          br v3, block1, block2
        block1:
          $CALL
          v5: i32 = load @x
          v6: i1 = icmp eq v1, v5
          br v6, block2, block3
        block2:
          ret i32 1
        block3:
          ret i32 0
        }"#
            .replace("$CALL", call),
        );
        // Code outside calls it while it is called itself.
        alive_in_one_pass(&program);
    }
}

/// A phi is the variable that flows into it on this way, not on another.
#[test]
fn a_phi_is_what_flows_into_it_on_this_way() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i1 = icmp eq v0, i32 5
          br v2, block1, block2
        block1:
          br block3
        block2:
          br block3
        block3:
          v3: i32 = phi [block1: v0, block2: v1]
          v4: i1 = icmp eq v3, v0
          br v4, block4, block5
        block4:
          ret i32 1
        block5:
          ret i32 0
        }"#,
    );
}
