//! Calls, code outside of the model, and what runs by itself.

use program::Function;

use super::{NAMES, SETS, alive};
use crate::engine::Config;
use crate::object::Objects;
use crate::{Limits, analyse};

#[test]
fn a_call_through_a_pointer_goes_where_it_leads() {
    alive(&format!(
        r#"{SETS}
        global @hook internal size 8 align 8 = x"" [0: @set]
        fn @main() -> i32 {{
        block0:
          v0: ptr = load @hook
          call *v0()
          v1: i32 = load @flag
          v2: i1 = icmp eq v1, i32 7
          br v2, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#
    ));
}

#[test]
fn code_outside_calls_what_it_was_given() {
    alive(&format!(
        r#"{SETS}
        fn @main() -> i32 {{
        block0:
          call @outside(@set)
          v1: i32 = load @flag
          v2: i1 = icmp eq v1, i32 7
          br v2, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#
    ));
}

/// Two objects of one place are not one: the second that a loop makes leaves the first as it is.
#[test]
fn functions_that_call_themselves_have_their_own_objects() {
    alive(
        r#"
        fn @deep(v0: i32, v1: ptr) -> i32 internal {
        block0:
          v2: ptr = alloca 4 align 4
          store v0, v2
          v4: i1 = icmp eq v0, i32 0
          br v4, block1, block2
        block1:
          v5: i32 = load v1
          ret v5
        block2:
          v6: i32 = sub v0, i32 1
          v7: i32 = call @deep(v6, v2)
          v8: i32 = load v2
          v9: i1 = icmp eq v7, v8
          br v9, block3, block4
        block3:
          ret v7
        block4:
          ret v7
        }
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = call @deep(v0, @x)
          v2: i1 = icmp eq v1, i32 1
          br v2, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#,
    );
}

/// What functions outside write to `x`.
#[test]
fn what_functions_outside_write_is_anything() {
    for (names, called) in [
        (
            "extern @printf(ptr, ...) -> i32 global @count internal const size 3 align 1 = x\"256e00\"",
            "v1: i32 = call @printf(@count, @x)",
        ),
        (
            "extern @sscanf(ptr, ptr, ...) -> i32 global @read internal const size 3 align 1 = x\"256400\"",
            "v1: i32 = call @sscanf(@read, @read, @x)",
        ),
        (
            "extern @strcpy(ptr, ptr) -> ptr",
            "v1: ptr = call @strcpy(@x, @y)",
        ),
        ("extern @bw_int(ptr, ptr)", "call @bw_int(@x, @y)"),
        ("", "store @x, @outer call @outside(null)"),
        (
            "extern @read(i32, ptr, i64) -> i64",
            "store @x, @outer v1: ptr = load @outer align 8 volatile v5: i64 = call @read(i32 0, v1, i64 4)",
        ),
    ] {
        alive(&format!(
            r#"{names}
            fn @main() -> i32 {{
            block0:
              {called}
              v2: i32 = load @x
              v3: i1 = icmp eq v2, i32 7
              br v3, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}

/// A constructor runs although nobody calls it, and names its address to nobody.
#[test]
fn a_constructor_runs() {
    alive(&format!(
        r#"{SETS}
        global @llvm.global_ctors internal const size 24 align 8 = x"" [8: @set]
        fn @main() -> i32 {{
        block0:
          v1: i32 = load @flag
          v2: i1 = icmp eq v1, i32 7
          br v2, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#
    ));
}

/// Code that is not in the model writes to variables that it can name.
#[test]
fn foreign_code_writes_what_it_can_name() {
    let program = program::text::sample(
        r#"
        global @exported size 4 align 4 = x"00000000"
        fn @main() -> i32 {
        block0:
          v0: i32 = load @exported
          v1: i1 = icmp eq v0, i32 7
          br v1, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#,
    );
    assert_eq!(analyse(&program, true, Limits::default()).dead.len(), 0);
    assert_eq!(analyse(&program, false, Limits::default()).dead.len(), 1);
}

/// What a function that calls itself keeps in an object of its own is there when the inner call has returned.
#[test]
fn an_address_is_kept_while_a_function_calls_itself() {
    alive(
        r#"
        fn @deep(v0: i32) internal {
        block0:
          v1: ptr = alloca 8 align 8
          store @x, v1
          v3: i1 = icmp eq v0, i32 0
          br v3, block2, block1
        block1:
          v4: i32 = sub v0, i32 1
          call @deep(v4)
          v6: ptr = load v1
          store v0, v6
          br block2
        block2:
          ret
        }
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          call @deep(v0)
          v2: i32 = load @x
          v3: i1 = icmp eq v2, i32 7
          br v3, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#,
    );
}

/// Nothing is known of what is defined outside, not even that it is another object.
#[test]
fn an_object_that_is_defined_outside_may_be_any() {
    for (one, other) in [("@x", "@outer"), ("@outer", "@x"), ("@outer", "@outside")] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i1 = icmp eq {one}, {other}
              br v0, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}

/// Where a function takes an argument of another type than its caller gives, or gives another than its caller takes, registers differ.
#[test]
fn what_is_passed_as_another_type_may_be_anything() {
    let asked = r#"
          v4: f64 = load @slot
          v5: i1 = fcmp oeq v4, f64 1.5
          br v5, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#;
    alive(&format!(
        r#"
        fn @keep(v0: i64) internal {{
        block0:
          store v0, @slot
          ret
        }}
        fn @main() -> i32 {{
        block0:
          call @keep(f64 1.5)
          {asked}"#
    ));
    alive(&format!(
        r#"
        fn @give() -> f64 internal {{
        block0:
          ret f64 1.5
        }}
        fn @main() -> i32 {{
        block0:
          v0: i64 = call @give()
          store v0, @slot
          {asked}"#
    ));
}

/// What runs at any time runs once at least, although nobody calls it.
#[test]
fn what_runs_at_any_time_is_entered() {
    let text = format!(
        "{NAMES}{}",
        r#"
        fn @main() -> i32 {
        block0:
          ret i32 0
        }
        fn @handler() internal {
        block0:
          store i32 1, @x
          ret
        }"#
    );
    let program = program::text::sample(&text);
    let named = |name| program.function_named(name).expect("it is there");
    let config = Config {
        flat: true,
        anytime: vec![named("handler")],
        ..Config::coarsest()
    };
    let engine =
        crate::passes::engine(&program, named("main"), (&config, Objects::default()), 1000);
    let entered = engine.expect("it comes to its end").entered;
    assert!(entered.contains(&(named("handler"), Function::ENTRY)));
}
