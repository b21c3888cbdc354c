//! Small programs all of whose edges some run takes, one for each way in which the analysis could forget one: nothing of them is dead,
//! whether memory has an order or not. What mutants of the transfer functions got wrong stands here.

use std::collections::BTreeMap;

use program::Program;

use crate::{Limits, analyse};

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
    let mut functions = body.split("fn @");
    let mut text = format!("{NAMES}\n{}", functions.next().unwrap_or_default());
    for function in functions {
        text += &format!("fn @{}", numbered(function));
    }
    let program: Program = text
        .parse()
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let without_order = Limits {
        steps: 0,
        ..Limits::default()
    };
    for limits in [Limits::default(), without_order] {
        for foreign in [false, true] {
            let analysis = analyse(&program, foreign, limits);
            assert!(analysis.blockers.len() <= 2, "{:?}", analysis.blockers);
            assert!(analysis.dead.is_empty(), "{:?}", analysis.dead);
        }
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

#[test]
fn two_floating_point_numbers_are_not_one() {
    for pred in ["olt", "one", "ogt", "ult", "une"] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @__VERIFIER_nondet_int()
              v2: f64 = sitofp v0
              v3: f64 = sitofp v1
              v4: i1 = fcmp {pred} v2, v3
              br v4, block1, block2
            block1:
              v5: i1 = fcmp {pred} v2, f64 1.0
              br v5, block3, block2
            block2:
              ret i32 0
            block3:
              ret i32 1
            }}"#
        ));
    }
}

/// What is known of a number goes back through conversions and sums, on both sides.
#[test]
fn what_is_known_goes_back_to_where_a_number_came_from() {
    for (made, wanted) in [
        ("v1: i32 = add v0, i32 1", "icmp eq v1, i32 5"),
        ("v1: i32 = sub v0, i32 1", "icmp ugt v1, i32 5"),
        ("v1: i32 = xor v0, i32 -1", "icmp slt v1, i32 5"),
        ("v1: i32 = and v0, i32 -1", "icmp eq v1, i32 -1"),
        ("v1: i32 = or v0, i32 0", "icmp eq v1, i32 0"),
        ("v1: i64 = zext v0", "icmp eq v1, i64 5"),
        ("v1: i64 = sext v0", "icmp eq v1, i64 -5"),
        ("v1: i8 = trunc v0", "icmp eq v1, i8 -5"),
        ("v1: f64 = sitofp v0", "fcmp olt v1, f64 5.0"),
        ("v1: f64 = uitofp v0", "fcmp oge v1, f64 5.0"),
        (
            "v9: f32 = sitofp v0 v1: f64 = fpext v9",
            "fcmp ogt v1, f64 0.5",
        ),
        (
            "v9: f64 = sitofp v0 v1: f64 = fneg v9",
            "fcmp ogt v1, f64 0.5",
        ),
        (
            "v9: f64 = sitofp v0 v1: f64 = fabs(v9)",
            "fcmp ogt v1, f64 0.5",
        ),
        (
            "v9: f64 = sitofp v0 v1: i64 = bitcast v9",
            "icmp eq v1, i64 0",
        ),
    ] {
        alive(
            &format!(
                r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              {made}
              v2: i1 = {wanted}
              br v2, block1, block2
            block1:
              v3: i1 = icmp eq v0, i32 0
              br v3, block2, block3
            block2:
              ret i32 0
            block3:
              ret i32 1
            }}"#
            )
            .replace(
                // These are true of one number only, or of none that is 0.
                "v3: i1 = icmp eq v0, i32 0\n              br v3, block2, block3",
                "v3: i32 = call @input() v4: i1 = icmp eq v3, i32 0 br v4, block2, block3",
            ),
        );
    }
}

/// An address that is moved back is where it was.
#[test]
fn addresses_move_both_ways() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, (@array + 8)
          v2: i64 = ptrtoint (@array + 16)
          v3: i64 = sub v2, i64 8
          v4: ptr = inttoptr v3
          v5: i32 = load v4
          v6: i1 = icmp eq v5, i32 7
          br v6, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#,
    );
}

/// The address of `x` takes some way, then 7 is written there.
fn written_through(way: &str) {
    alive(&format!(
        r#"
        extern @pair() -> {{ptr + 0, i32 + 8, size 16}}
        fn @main() -> i32 {{
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 0
          {way}
          store v0, v9
          v20: i32 = load @x
          v21: i1 = icmp eq v20, i32 7
          br v21, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#
    ));
}

#[test]
fn an_address_is_followed_wherever_it_goes() {
    for way in [
        // Through a struct.
        "v2: {ptr + 0, i32 + 8, size 16} = call @pair() v3: {ptr + 0, i32 + 8, size 16} = insertvalue v2, @x [0] v9: ptr = extractvalue v3 [0]",
        // In halves.
        "store @x, @slot v3: i32 = load @slot v4: i32 = load (@slot + 4) v5: i64 = zext v3 v6: i64 = zext v4 v7: i64 = shl v6, i64 32
          v8: i64 = or v7, v5 v9: ptr = inttoptr v8",
        // Beside an address that nobody knows.
        "v2: ptr = load @outer v9: ptr = select v1, v2, @x",
        // As a number, with something done to it.
        "v2: i64 = ptrtoint @x v3: i64 = xor v2, i64 1 v4: i64 = xor v3, i64 1 v9: ptr = inttoptr v4",
        "v2: i64 = ptrtoint @x v3: i64 = mul v2, i64 1 v9: ptr = inttoptr v3",
        "v2: i64 = ptrtoint @x v9: ptr = inttoptr v2",
        // Through memory: a block that is copied, and a place that is known in part.
        "store @x, @slot memcpy (@array + 8), @slot, i64 8 v9: ptr = load (@array + 8)",
        "store @x, @slot v3: i32 = and v0, i32 1 v4: i64 = zext v3 v5: ptr = gep @array [v4 * 8] memcpy v5, @slot, i64 8
          store @x, v5 v9: ptr = load v5",
        "v2: ptr = freeze @x v9: ptr = gep v2 + 0",
    ] {
        written_through(way);
    }
}

/// A pointer that a loop moves on is widened, and still points into its array.
#[test]
fn a_pointer_that_a_loop_moves_still_points_into_its_array() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: ptr = phi [block0: @array, block2: v1]
          v2: i32 = call @__VERIFIER_nondet_int()
          v3: i1 = icmp eq v2, i32 0
          br v3, block2, block3
        block2:
          v4: i32 = call @__VERIFIER_nondet_int()
          store v4, v0
          v1: ptr = gep v0 + 4
          br block1
        block3:
          v6: i32 = load (@array + 8)
          v7: i1 = icmp eq v6, i32 7
          br v7, block4, block5
        block4:
          ret i32 1
        block5:
          ret i32 0
        }"#,
    );
}

/// What escapes late was within reach before: the loop comes back.
#[test]
fn what_escapes_late_is_written_early() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: ptr = load @outer
          v1: i32 = call @__VERIFIER_nondet_int()
          store v1, v0
          v3: i32 = load @x
          v4: i1 = icmp eq v3, i32 7
          br v4, block2, block3
        block2:
          ret i32 1
        block3:
          store @x, @outer
          v6: i32 = call @input()
          v7: i1 = icmp eq v6, i32 0
          br v7, block1, block4
        block4:
          ret i32 0
        }"#,
    );
}

/// Addresses compare as their objects and offsets do, where these are known.
#[test]
fn addresses_that_may_compare_either_way_do() {
    for (a, b, pred) in [
        ("v8", "@x", "eq"),
        ("v8", "@x", "ne"),
        ("v7", "(@array + 4)", "eq"),
        ("v7", "(@array + 4)", "ult"),
        ("v7", "(@array + 4)", "uge"),
        ("@outer", "v9", "eq"),
        ("v9", "null", "eq"),
    ] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i1 = icmp eq v0, i32 0
              v8: ptr = select v1, @x, @y
              v3: i32 = and v0, i32 3
              v4: i64 = zext v3
              v7: ptr = gep @array [v4 * 4]
              v9: ptr = load @outer
              v10: i1 = icmp {pred} {a}, {b}
              br v10, block1, block2
            block1:
              ret i32 1
            block2:
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
