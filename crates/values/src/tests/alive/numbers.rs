//! Operations on numbers.

use super::alive;

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
