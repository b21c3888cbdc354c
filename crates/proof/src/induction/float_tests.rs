//! Invariants of floating-point numbers: sets of their bits.

use program::Program;

use super::tests::{Random, all, parse, proved, two_hundred_are_refused};
use super::{check, weaken};
use crate::assertion::{Cell, Context, Invariant, Set, State};

/// A level that begins at 1 and goes half of the way to 2, again and again: never above 100 (block4, edge1).
const LEVEL: &str = r#"
    extern @input() -> i32
    global @level size 8 align 8 = x"000000000000f03f"
    fn @main() -> i32 {
    block0:
      br block1
    block1:
      v0: f64 = load @level
      v1: i1 = fcmp ogt v0, f64 100.0
      br v1, block4, block2
    block2:
      v2: i32 = call @input()
      v3: i1 = icmp eq v2, i32 0
      br v3, block3, block5
    block3:
      v4: f64 = fmul v0, f64 0.5
      v5: f64 = fadd v4, f64 1.0
      store v5, @level
      br block1
    block4:
      ret i32 1
    block5:
      ret i32 0
    }
"#;

fn range(lo: f64, hi: f64) -> Set {
    Set::Ranges(vec![(lo.to_bits(), hi.to_bits())])
}

/// The level is in a set; so is the value that it was read into.
fn invariant(set: &Set) -> Invariant {
    let state = |block, values: &[u32]| State {
        block,
        cells: vec![(0, set.clone())],
        values: values.iter().map(|value| (*value, set.clone())).collect(),
    };
    Invariant {
        cells: vec![Cell {
            global: 0,
            offset: 0,
            size: 8,
        }],
        contexts: vec![Context {
            function: 0,
            calls: Vec::new(),
            states: vec![
                state(0, &[]),
                state(1, &[]),
                state(2, &[0]),
                state(3, &[0]),
                state(5, &[]),
            ],
            exits: vec![crate::assertion::Exit::default()],
        }],
    }
}

fn level() -> Program {
    parse(LEVEL)
}

#[test]
fn an_interval_is_proved() {
    let program = level();
    for set in [
        range(1.0, 2.0),
        range(1.0, 2.5),
        range(0.25, 100.0),
        // NaN is not above 100, and stays what it is.
        Set::Ranges(vec![
            (1f64.to_bits(), 2f64.to_bits()),
            (f64::INFINITY.to_bits() + 1, i64::MAX as u64),
            (f64::NEG_INFINITY.to_bits() + 1, u64::MAX),
        ]),
    ] {
        let found = proved(&program, &invariant(&set));
        assert_eq!(found.as_deref(), Ok("edge1 fn0:block4"), "{set:?}");
    }
}

/// Changes an invariant so that it does not hold any more.
fn corrupt(invariant: &mut Invariant, random: &mut Random) -> &'static str {
    let kind = random.below(7);
    let part = 1.0 + random.below(1000) as f64 / 1001.0;
    let at = random.below(5);
    let states = &mut invariant.contexts[0].states;
    let mut put = |set: Set| {
        for state in states.iter_mut() {
            let values = state.values.iter_mut();
            for (_, own) in state.cells.iter_mut().chain(values) {
                *own = set.clone();
            }
        }
    };
    match kind {
        0 => {
            put(range(1.0, part));
            "the upper end below where the level goes"
        }
        1 => {
            put(range(part + 0.001, 2.0));
            "the lower end above the start"
        }
        2 => {
            put(range(1.0, 100.0 + part));
            "the upper end where the other edge is taken"
        }
        3 => {
            put(range(2.0, part));
            "the ends the wrong way round"
        }
        4 => {
            states[at].cells[0].1 = range(part + 0.001, 1.0 + part);
            "one state alone"
        }
        5 => {
            states.remove(at);
            "no state"
        }
        _ => {
            states[at].cells[0].1 = Set::Ranges(Vec::new());
            "an empty set"
        }
    }
}

#[test]
fn two_hundred_corrupted_intervals_are_refused() {
    two_hundred_are_refused(&level(), &invariant(&range(1.0, 2.0)), corrupt, 7);
}

/// What is too strong is given up.
#[test]
fn an_interval_that_does_not_hold_is_given_up() {
    let program = level();
    let weaker = weaken(&program, false, invariant(&range(1.0, 1.5)), all()).expect("it holds");
    let found = proved(&program, &weaker);
    assert_eq!(found.as_deref(), Ok(""));
}

/// Where the program may change how numbers are rounded, terms do not mean what it computes.
#[test]
fn a_program_that_changes_the_rounding_is_refused() {
    let text = LEVEL.replacen(
        "extern @input() -> i32",
        "extern @input() -> i32 extern @fesetround(i32) -> i32",
        1,
    );
    let found = check(&parse(&text), false, &invariant(&range(1.0, 2.0)), all());
    let why = format!("{:?}", found.expect_err("it is refused"));
    assert!(why.contains("rounded"), "{why}");
}

/// Products and quotients of two variables are any number; NaN only where an operand may give it.
#[test]
fn a_product_is_a_number_where_its_factors_are() {
    let holds = |made: &str, ranges: &[(f64, f64)]| {
        let program = parse(&format!(
            r#"
            extern @input() -> i32
            global @level size 8 align 8 = x"000000000000f03f"
            fn @main() -> i32 {{
            block0:
              br block1
            block1:
              v0: f64 = load @level
              v1: i1 = fcmp uno v0, v0
              br v1, block4, block2
            block2:
              v2: i32 = call @input()
              v3: i1 = icmp eq v2, i32 0
              br v3, block3, block5
            block3:
              v4: f64 = sitofp v2
              v5: f64 = {made}
              v6: i1 = fcmp ult v5, f64 1e300
              v7: f64 = select v6, v5, f64 1e300
              v8: i1 = fcmp ugt v7, f64 -1e300
              v9: f64 = select v8, v7, f64 -1e300
              store v9, @level
              br block1
            block4:
              ret i32 1
            block5:
              ret i32 0
            }}"#
        ));
        let bits = |(lo, hi): &(f64, f64)| (lo.to_bits(), hi.to_bits());
        let set = Set::Ranges(ranges.iter().map(bits).collect());
        proved(&program, &invariant(&set)).is_ok()
    };
    // Positive ones, and negative ones, which rise the other way.
    let numbers = [(0.0, 1e300), (-0.0, -1e300)];
    assert!(holds("fmul v0, v4", &numbers));
    assert!(!holds("fmul v0, v4", &[(0.0, 1e300)]), "it may be negative");
    assert!(!holds("fdiv v0, v4", &numbers), "0 is divided by 0");
    assert!(!holds("sqrt(v0)", &numbers), "of a negative number");
}
