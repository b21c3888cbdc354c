//! Where an address leads, whatever way it takes.

use super::{MAKE, SETS, alive};

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
