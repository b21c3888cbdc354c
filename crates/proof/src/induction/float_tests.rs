//! Invariants of floating-point numbers: sets of their bits.

use program::Program;

use super::corrupt_tests::{Random, two_hundred_are_refused};
use super::tests::{all, proved, runs, sample};
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
        pairs: Vec::new(),
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
    sample(LEVEL)
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
    let weaker = weaken(&runs(&program), invariant(&range(1.0, 1.5)), all()).expect("it holds");
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
    let found = check(&runs(&sample(&text)), &invariant(&range(1.0, 2.0)), all());
    let why = format!("{:?}", found.expect_err("it is refused"));
    assert!(why.contains("rounded"), "{why}");
}

/// Products and quotients of two variables are any number; NaN only where an operand may give it.
#[test]
fn a_product_is_a_number_where_its_factors_are() {
    let holds = |made: &str, ranges: &[(f64, f64)]| {
        let program = sample(&format!(
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

/// What is known where a branch asks something of an operation over two cells: which edges nobody takes.
fn open(width: u32, (x, y): ((f64, f64), (f64, f64)), operation: &str, asks: &str) -> bool {
    let bits = |number: f64| match width {
        32 => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    };
    let bytes = width as usize / 8;
    // Each begins at the lower end of what it is.
    let start = |number: f64| -> String {
        let bits = bits(number).to_le_bytes();
        bits[..bytes]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    let program = sample(&format!(
        "global @x size {bytes} align 8 = x\"{}\"
         global @y size {bytes} align 8 = x\"{}\"
         fn @main() -> i32 {{
         block0:
           br block1
         block1:
           v0: f{width} = load @x
           v1: f{width} = load @y
           v2: f{width} = {operation}
           v3: i1 = {asks}
           br v3, block2, block3
         block2:
           ret i32 0
         block3:
           ret i32 1
         }}",
        start(x.0),
        start(y.0),
    ));
    let set = |(lo, hi): (f64, f64)| Set::Ranges(vec![(bits(lo), bits(hi))]);
    let state = |block: u32, known: bool| State {
        block,
        cells: match known {
            true => vec![(0, set(x)), (1, set(y))],
            false => Vec::new(),
        },
        values: Vec::new(),
        pairs: Vec::new(),
    };
    let contexts = vec![Context {
        function: 0,
        calls: Vec::new(),
        states: vec![
            state(0, true),
            state(1, true),
            state(2, false),
            state(3, false),
        ],
        exits: vec![crate::assertion::Exit::default()],
    }];
    let cell = |global| Cell {
        global,
        offset: 0,
        size: u64::from(width / 8),
    };
    let invariant = Invariant {
        cells: vec![cell(0), cell(1)],
        contexts,
    };
    let found = proved(&program, &invariant);
    let words = found.as_deref().unwrap_or("refused").to_owned();
    assert!(["", "edge1"].contains(&&*words), "{words}: {operation}");
    words.is_empty()
}

/// Costly operations are left open, but for whether they are numbers.
#[test]
fn what_is_costly_is_a_number_where_it_must_be() {
    let one = (1.0, 2.0);
    let zero = (0.0, 1.0);
    let all = (0.0, f64::INFINITY);
    let nan = "fcmp uno v2, v2";
    for width in [32, 64] {
        let open = |x, y, operation: &str, asks: &str| open(width, (x, y), operation, asks);
        for operation in ["fmul v0, v1", "fdiv v0, v1", "frem v0, v1", "sqrt(v0)"] {
            assert!(!open(one, one, operation, nan), "{operation}");
            // Not what they are: that would take long.
            assert!(open(one, one, operation, "fcmp oeq v2, v0"), "{operation}");
        }
        assert!(open(all, one, "fmul v0, v1", nan) && open(zero, all, "fmul v0, v1", nan));
        assert!(!open(zero, one, "fdiv v0, v1", nan));
        assert!(open(zero, zero, "fdiv v0, v1", nan));
        assert!(open(one, zero, "frem v0, v1", nan));
        // By constants they are computed.
        let below = |limit: &str| format!("fcmp olt v2, f{width} {limit}");
        for operation in ["fmul v0, f# 2.0", "fmul f# 2.0, v0", "fdiv v0, f# 0.5"] {
            let operation = operation.replace('#', &width.to_string());
            assert!(!open(one, one, &operation, &below("1.5")), "{operation}");
            assert!(open(one, one, &operation, &below("2.5")), "{operation}");
        }
        assert!(open(one, one, "sqrt(v0)", &below("0.5")), "a root is open");
        let root = format!("sqrt(f{width} 4.0)");
        assert!(!open(one, one, &root, &below("1.5")), "{root}");
        let by = format!("fdiv f{width} 1.0, v0");
        assert!(
            open(one, one, &by, &below("0.25")),
            "what is divided by is open"
        );
    }
}
