//! Small programs all of whose edges some run takes, one for each way in which the analysis could forget one: nothing of them is dead,
//! whether memory has an order or not. What mutants of the transfer functions got wrong stands here.

use std::collections::BTreeMap;

use program::{EdgeId, Function, Program};

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
    let names = "extern @pair() -> {ptr + 0, i32 + 8, size 16} global @start internal size 8 align 8 = x\"\" [0: @x]";
    written_through_with(names, way);
}

fn written_through_with(names: &str, way: &str) {
    alive(&format!(
        r#"
        {names}
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
        "v9: ptr = load @start",
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
          v0: ptr = load @outer align 8 volatile
          v1: i32 = call @__VERIFIER_nondet_int()
          store v1, v0
          v3: i32 = load @x
          v4: i1 = icmp eq v3, i32 7
          br v4, block2, block3
        block2:
          ret i32 1
        block3:
          v8: i64 = ptrtoint @x
          v9: i64 = xor v8, i64 1
          v6: i32 = call @__VERIFIER_nondet_int()
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
        // The end of one object may be the beginning of the next.
        ("(@y + 4)", "@x", "eq"),
        ("v11", "v12", "eq"),
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
              v11: ptr = select v1, null, @x
              v12: ptr = select v1, null, @y
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

/// Whatever a call gives back: one of two returns, a result of another type than the caller takes, what functions outside return.
#[test]
fn an_address_that_a_call_gives_back_is_followed() {
    for (functions, way) in [
        (
            "fn @where(v0: i1) -> ptr internal { block0: br v0, block1, block2 block1: ret @y block2: ret @x }",
            "v9: ptr = call @where(v1)",
        ),
        (
            "fn @where() -> ptr internal { block0: ret @x }",
            "v2: i64 = call *@where() v9: ptr = inttoptr v2",
        ),
        (
            "extern @strchr(ptr, i32) -> ptr",
            "v9: ptr = call @strchr(@x, i32 0)",
        ),
        (
            "fn @same(v0: ptr) -> ptr internal { block0: ret v0 }",
            "v9: ptr = call @same(@x)",
        ),
        (
            "fn @same(v0: i64) -> i64 internal { block0: ret v0 }",
            "v2: i64 = call *@same(@x) v9: ptr = inttoptr v2",
        ),
    ] {
        written_through_with(functions, way);
    }
}

/// More ways of an address: as a number that other operations take, in a struct with another, in a volatile place.
#[test]
fn an_address_is_followed_through_numbers_and_structs() {
    for way in [
        "v2: i64 = ptrtoint @x v3: f64 = uitofp v2 v4: i64 = fptoui v3 v9: ptr = inttoptr v4",
        "v2: i64 = ptrtoint @x v3: i64 = sub i64 100, v2 v4: i64 = sub i64 100, v3 v9: ptr = inttoptr v4",
        "v2: i64 = ptrtoint @x v3: i64 = and v2, v2 v9: ptr = inttoptr v3",
        "v2: i64 = ptrtoint @x v3: i64 = or v2, v2 v9: ptr = inttoptr v3",
        "v2: i64 = ptrtoint @x v3: i64 = umax(v2, i64 0) v9: ptr = inttoptr v3",
        "v2: i64 = ptrtoint @x v3: i64 = bswap(v2) v4: i64 = bswap(v3) v9: ptr = inttoptr v4",
        "store @x, @slot v9: ptr = load @slot align 8 volatile",
        "v2: ptr = alloca 24 align 8 store @x, @slot v3: ptr = gep v2 + 8 memcpy v3, @slot, i64 8 v9: ptr = load v3",
        "v2: i32 = and v0, i32 511 v3: i64 = zext v2 v4: ptr = gep @many [v3 * 8] store @x, v4
          v5: i32 = call @input() v6: i32 = and v5, i32 511 v7: i64 = zext v6 v8: ptr = gep @many [v7 * 8] v9: ptr = load v8",
        "v2: {ptr + 0, ptr + 8, size 16} = call @two() v3: {ptr + 0, ptr + 8, size 16} = insertvalue v2, @x [0]
          v4: {ptr + 0, ptr + 8, size 16} = insertvalue v3, @y [1] v9: ptr = extractvalue v4 [0]",
        "v2: {ptr + 0, ptr + 8, size 16} = call @two() v3: {ptr + 0, ptr + 8, size 16} = insertvalue v2, @x [0]
          store v3, @array v9: ptr = load @array",
    ] {
        written_through_with(
            "extern @two() -> {ptr + 0, ptr + 8, size 16} global @many internal size 4096 align 8 = x\"\"",
            way,
        );
    }
}

/// A number that was put together of two halves is read into, and is called.
#[test]
fn an_address_put_together_is_read_into_and_called() {
    let halves = |of: &str| {
        format!(
            "v30: i64 = ptrtoint {of} v31: i32 = trunc v30 v32: i64 = lshr v30, i64 32 v33: i32 = trunc v32
             v34: i64 = zext v31 v35: i64 = zext v33 v36: i64 = shl v35, i64 32 v37: i64 = or v36, v34 v38: ptr = inttoptr v37"
        )
    };
    alive(&format!(
        r#"
        extern @read(i32, ptr, i64) -> i64
        fn @main() -> i32 {{
        block0:
          {}
          v1: i64 = call @read(i32 0, v38, i64 4)
          v2: i32 = load @x
          v3: i1 = icmp eq v2, i32 7
          br v3, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#,
        halves("@x")
    ));
    alive(&format!(
        r#"{SETS}
        fn @nothing() internal {{
        block0:
          ret
        }}
        fn @main() -> i32 {{
        block0:
          {}
          v1: i32 = call @__VERIFIER_nondet_int()
          v2: i1 = icmp eq v1, i32 0
          v3: ptr = select v2, v38, @nothing
          call *v3()
          v5: i32 = load @flag
          v6: i1 = icmp eq v5, i32 7
          br v6, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }}"#,
        halves("@set")
    ));
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
    let program: Program = r#"
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
        }"#
    .parse()
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(analyse(&program, true, Limits::default()).dead.len(), 0);
    assert_eq!(analyse(&program, false, Limits::default()).dead.len(), 1);
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
    let program: Program = r#"
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
        }"#
    .parse()
    .unwrap_or_else(|error| panic!("{error}"));
    let limits = Limits {
        states: 2,
        ..Limits::default()
    };
    let analysis = analyse(&program, false, limits);
    assert!(analysis.dead.is_empty(), "{:?}", analysis.dead);
}

/// A number of 32 bits that was cut to 8 is one of several, where it does not fit.
#[test]
fn what_was_cut_may_have_been_more() {
    for (lo, hi) in [(-300, 100), (-5, 300), (0, 511), (-300, 300)] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i1 = icmp sge v0, i32 {lo}
              br v1, block1, block5
            block1:
              v2: i1 = icmp sle v0, i32 {hi}
              br v2, block2, block5
            block2:
              v3: i8 = trunc v0
              v4: i1 = icmp eq v3, i8 44
              br v4, block3, block5
            block3:
              v5: i1 = icmp eq v0, i32 44
              br v5, block4, block5
            block4:
              ret i32 1
            block5:
              ret i32 0
            }}"#
        ));
    }
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

/// Comparisons of extended numbers say of the numbers what they said before: signs and widths count.
#[test]
fn extended_numbers_compare_by_their_extension() {
    for (a, b, first, second) in [
        ("sext", "zext", "slt", "slt"),
        ("zext", "sext", "sgt", "ugt"),
        ("sext", "sext", "slt", "ult"),
        ("zext", "zext", "slt", "slt"),
        ("zext", "zext", "ult", "slt"),
        ("sext", "sext", "ult", "slt"),
    ] {
        // With signs extended, unsigned comparisons are those of the numbers.
        if (a, b, first) == ("zext", "sext", "sgt") {
            continue;
        }
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @__VERIFIER_nondet_int()
              v2: i64 = {a} v0
              v3: i64 = {b} v1
              v4: i1 = icmp {first} v2, v3
              br v4, block1, block3
            block1:
              v5: i1 = icmp {second} v0, v1
              br v5, block2, block3
            block2:
              ret i32 1
            block3:
              ret i32 0
            }}"#
        ));
    }
}

/// Where the program may change how numbers are rounded, nothing that is rounded is computed.
#[test]
fn what_may_be_rounded_otherwise_is_anything() {
    for made in [
        "v2: f64 = fadd f64 1.0, f64 1e-20 v3: i1 = fcmp ogt v2, f64 1.0",
        "v2: f32 = fptrunc f64 1.00000001 v3: i1 = fcmp ogt v2, f32 1.0",
        "v2: f64 = sitofp i64 9007199254740993 v3: i1 = fcmp ogt v2, f64 9007199254740992.0",
        "v2: f64 = rint(f64 0.25) v3: i1 = fcmp ogt v2, f64 0.5",
        "v2: f64 = sqrt(f64 2.0) v3: i1 = fcmp ogt v2, f64 1.4142135623730951",
    ] {
        alive(&format!(
            r#"
            extern @fesetround(i32) -> i32
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @fesetround(v0)
              {made}
              br v3, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}

/// Conversions and operations whose results may be either.
#[test]
fn results_may_be_what_they_are() {
    for made in [
        "v1: f64 = sitofp v0 v2: i32 = fptosi v1 v3: i1 = icmp slt v2, i32 0",
        "v1: i64 = zext v0 v2: ptr = inttoptr v1 v3: i32 = ptrtoint v2 v4: i1 = icmp eq v3, i32 5",
        "v1: ptr = inttoptr v0 v2: i64 = ptrtoint v1 v3: i1 = icmp eq v2, i64 5",
        "v1: i32 = umin(i32 7, v0) v3: i1 = icmp eq v1, i32 3",
        "v1: i32 = smax(i32 7, v0) v3: i1 = icmp eq v1, i32 9",
        // The distance of two places, and 1 more or not.
        "v1: i32 = and v0, i32 1 v2: i64 = zext v1 v4: i64 = ptrtoint (@array + 8) v5: i64 = ptrtoint @array v6: i64 = sub v4, v5
          v7: i64 = add v6, v2 v3: i1 = icmp eq v7, i64 9",
        "v1: i32 = and v0, i32 1 v2: i64 = zext v1 v4: i64 = ptrtoint (@array + 8) v5: i64 = ptrtoint @array v6: i64 = sub v5, v4
          v7: i64 = add v6, v2 v3: i1 = icmp eq v7, i64 -7",
        "v1: i1 = icmp eq @outer, null",
        "v1: i64 = zext v0 v2: ptr = inttoptr v1 v3: i1 = icmp eq v2, @x",
        "v1: i1 = icmp eq @input, null",
        // An index of 32 bits that is -1 or 0.
        "v1: i32 = and v0, i32 1 v2: i32 = sub i32 0, v1 v3: ptr = gep (@array + 8) [v2 * 4] store v0, v3 v5: i32 = load (@array + 4)
          v6: i1 = icmp eq v5, i32 7",
        // A struct that is larger than a register.
        "v1: {i64 + 0, i64 + 8, i64 + 16, size 24} = call @three() store v1, @array v3: i32 = load (@array + 16) v4: i1 = icmp eq v3, i32 7",
    ] {
        let last = made.rsplit(": i1 = ").nth(1).and_then(|text| text.rsplit(' ').next());
        let cond = last.expect("it ends in a condition");
        alive(&format!(
            r#"
            extern @three() -> {{i64 + 0, i64 + 8, i64 + 16, size 24}}
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              {made}
              br {cond}, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}

/// Two objects of one call: neither what they hold nor their distance is that of one.
#[test]
fn two_objects_of_one_place_are_two() {
    for asked in [
        "v10: i32 = load v3 v11: i32 = load v5 v12: i1 = icmp eq v10, v11",
        "v10: i64 = ptrtoint v3 v11: i64 = ptrtoint v5 v13: i64 = sub v10, v11 v12: i1 = icmp eq v13, i64 0",
    ] {
        alive(&format!(
            r#"{MAKE}
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @__VERIFIER_nondet_int()
              v3: ptr = call @make()
              store v0, v3
              v5: ptr = call @make()
              store v1, v5
              {asked}
              br v12, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
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

/// The difference of two addresses, added to a third, is what the first was: of two objects that both may point to, and where one of
/// them may be no address.
#[test]
fn a_difference_leads_from_one_object_to_another_of_the_same_sets() {
    for one in ["@y", "null"] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i1 = icmp eq v0, i32 0
              v2: ptr = select v1, {one}, @x
              v3: ptr = select v1, @x, {one}
              v4: i64 = ptrtoint v2
              v5: i64 = ptrtoint v3
              v6: i64 = sub v4, v5
              v7: i64 = ptrtoint {one}
              v8: i64 = add v7, v6
              v9: ptr = inttoptr v8
              v10: i1 = icmp eq v0, i32 1
              br v10, block1, block2
            block1:
              store i32 7, v9
              v12: i32 = load @x
              v13: i1 = icmp eq v12, i32 7
              br v13, block2, block3
            block2:
              ret i32 1
            block3:
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

/// An address that only a phi needs is known on the way to it.
#[test]
fn an_address_is_kept_on_the_way_to_a_phi() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 5
          v2: ptr = select v1, @x, @flag
          v3: i32 = call @__VERIFIER_nondet_int()
          v4: i1 = icmp eq v3, i32 6
          br v4, block1, block2
        block1:
          br block3
        block2:
          br block3
        block3:
          v5: ptr = phi [block1: v2, block2: @y]
          store i32 7, v5
          v7: i32 = load @x
          v8: i1 = icmp eq v7, i32 7
          br v8, block4, block5
        block4:
          ret i32 1
        block5:
          ret i32 0
        }"#,
    );
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
    let program: Program = text.parse().unwrap_or_else(|error| panic!("{error}"));
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

/// The distance of two objects is no difference of offsets.
#[test]
fn the_distance_of_two_objects_may_be_any() {
    alive(
        r#"
        fn @main() -> i32 {
        block0:
          v0: i64 = ptrtoint @x
          v1: i64 = ptrtoint @y
          v2: i64 = sub v0, v1
          v3: i1 = icmp eq v2, i64 0
          br v3, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#,
    );
}

/// An address that may be `NULL` is another one or not, whichever side it stands on.
#[test]
fn an_address_that_may_be_null_compares_either_way() {
    for sides in ["v2, @x", "@x, v2"] {
        alive(&format!(
            r#"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i1 = icmp eq v0, i32 0
              v2: ptr = select v1, @x, null
              v3: i1 = icmp eq {sides}
              br v3, block1, block2
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"#
        ));
    }
}
