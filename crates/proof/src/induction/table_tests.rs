//! Invariants that speak of the elements of tables, which are read and written by computed addresses.

use super::check;
use super::tests::{all, proved, runs, sample, state};
use crate::assertion::{Cell, Context, Exit, Invariant, State};
use crate::kinds::Refusal;

/// The element that `at` names is 0 where the loop begins: it never comes to block3. The other one may be anything.
const TURNS: &str = r#"
    extern @f(ptr)
    global0 @at size 4 align 4 = x"00000000"
    global1 @table size 8 align 4 = x""
    fn @main() -> i32 {
    block0:
      br block1
    block1:
      v0: i32 = load @at
      v1: i64 = zext v0
      v2: ptr = gep @table [v1 * 4]
      v3: i32 = load v2
      v4: i1 = icmp eq v3, i32 0
      br v4, block2, block3
    block2:
      store i32 1, v2
      v5: i32 = sub i32 1, v0
      store v5, @at
      v6: i64 = zext v5
      v7: ptr = gep @table [v6 * 4]
      store i32 0, v7
      br block1
    block3:
      ret i32 1
    }
"#;

fn cell(global: u32, offset: u64) -> Cell {
    Cell {
        global,
        offset,
        size: 4,
    }
}

fn of_main(cells: &[Cell], states: Vec<State>) -> Invariant {
    Invariant {
        cells: cells.to_vec(),
        contexts: vec![Context {
            function: 0,
            states,
            ..Context::default()
        }],
    }
}

/// Cell 0 is `at`, the others are the elements; `second`: what is said of where `at` is 1.
fn of_turns(second: &[(u32, u64)]) -> Invariant {
    let first = [(0, 0), (1, 0)];
    let states = vec![
        state(0, &[(0, 0), (1, 0), (2, 0)], &[]),
        state(1, &first, &[]),
        state(1, second, &[]),
        state(2, &first, &[(0, 0)]),
        state(2, second, &[(0, 1)]),
    ];
    of_main(&[cell(0, 0), cell(1, 0), cell(1, 4)], states)
}

#[test]
fn an_element_is_what_was_written_to_it() {
    let invariant = of_turns(&[(0, 1), (2, 0)]);
    let program = sample(TURNS);
    let facts = proved(&program, &invariant);
    assert_eq!(facts.as_deref(), Ok("edge0 fn0:block3"));
    for (what, change) in [
        (
            "another number",
            TURNS.replace("store i32 0, v7", "store i32 2, v7"),
        ),
        (
            "another element",
            TURNS.replace("store i32 0, v7", "store i32 0, v2"),
        ),
        ("any element", TURNS.replace("zext v5", "freeze v1")),
        (
            "not 0 at the start",
            TURNS.replace(r#"size 8 align 4 = x"""#, r#"size 8 align 4 = x"01""#),
        ),
        (
            "part of an element",
            TURNS.replace("store i32 0, v7", "store i16 0, v7"),
        ),
        (
            "an address that leaves",
            TURNS.replace("store i32 1, v2", "store i32 1, v2 call @f(v2)"),
        ),
    ] {
        assert_ne!(change, TURNS, "{what}");
        let program = sample(&change);
        assert!(proved(&program, &invariant).is_err(), "{what}");
    }
}

#[test]
fn what_is_said_of_an_element_must_hold() {
    let program = sample(TURNS);
    for second in [
        // The first one is 1 then, not 0.
        vec![(0, 1), (1, 0), (2, 0)],
        vec![(0, 1), (1, 0)],
        // Nothing is said of the second.
        vec![(0, 1), (1, 1)],
    ] {
        assert!(proved(&program, &of_turns(&second)).is_err(), "{second:?}");
    }
    let there = of_turns(&[(0, 1), (1, 1), (2, 0)]);
    assert!(proved(&program, &there).is_ok());
}

/// Of an element that the document does not have nothing is known, whatever is read.
#[test]
fn elements_may_be_left_out() {
    let program = sample(TURNS);
    let without = |states| {
        let mut invariant = of_main(&[cell(0, 0), cell(1, 0)], states);
        invariant.contexts[0].exits.push(Exit::default());
        proved(&program, &invariant)
    };
    let first = [(0, 0), (1, 0)];
    let states = |second: &[(u32, u64)]| {
        vec![
            state(0, &first, &[]),
            state(1, &first, &[]),
            state(1, second, &[]),
            state(2, &first, &[(0, 0)]),
            state(2, second, &[(0, 1)]),
            state(3, second, &[]),
        ]
    };
    assert_eq!(without(states(&[(0, 1)])).as_deref(), Ok(""));
    assert!(without(states(&[(0, 1), (1, 0)])).is_err());
}

#[test]
fn bytes_that_are_no_element_are_not_there() {
    let program = sample(TURNS);
    for wrong in [cell(1, 2), cell(1, 8), cell(0, 4)] {
        let invariant = of_main(std::slice::from_ref(&wrong), vec![state(0, &[], &[])]);
        let refused = check(&runs(&program), &invariant, all()).err();
        assert_eq!(refused, Some(Refusal::NotThere), "{wrong:?}");
    }
}

/// A pointer to an element of one of two tables: either may be written.
#[test]
fn a_write_to_one_of_two_tables_is_one_to_both() {
    let text = r#"
    extern @input() -> i32
    global0 @a size 8 align 4 = x""
    global1 @b size 8 align 4 = x""
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      v1: i1 = icmp sgt v0, i32 7
      v2: ptr = select v1, @a, @b
      v3: i64 = zext v1
      v4: ptr = gep v2 [v3 * 4]
      store i32 1, v4
      br block1
    block1:
      ret i32 0
    }
    "#;
    let program = sample(text);
    let cells = [cell(0, 0), cell(0, 4), cell(1, 0), cell(1, 4)];
    let mut exits = of_main(
        &cells,
        vec![state(0, &[(0, 0), (1, 0), (2, 0), (3, 0)], &[])],
    );
    let mut claimed = |states: &[&[(u32, u64)]]| {
        let own = &mut exits.contexts[0];
        own.states.truncate(1);
        let states = states.iter().map(|cells| state(1, cells, &[]));
        own.states.extend(states);
        own.exits = vec![Exit::default()];
        check(&runs(&program), &exits, all()).is_ok()
    };
    // The second of `a`, or the first of `b`; where tables lie is not known, so that one write may look like two.
    assert!(claimed(&[&[(0, 0)], &[(2, 1)]]));
    assert!(claimed(&[&[(1, 1)], &[(2, 1)]]));
    assert!(!claimed(&[&[(1, 0)]]));
    assert!(!claimed(&[&[(2, 0)]]));
    assert!(!claimed(&[&[(0, 0), (1, 0)], &[(1, 1)]]));
}
