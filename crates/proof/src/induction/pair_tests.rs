//! Invariants that say how two numbers compare.

use smallvec::smallvec;

use super::tests::{all, call_of, proved, runs, sample, state};
use super::weaken;
use crate::assertion::{Call, Cell, Context, Exit, Invariant, Pair, Set, Spot, State};

/// `at` is called where its argument is less than cell 0.
const BOUND: &str = r#"
    extern @input() -> i32
    global @count internal size 4 align 4 = x"00000000"
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      store v0, @count
      v2: i32 = call @input()
      v3: i32 = load @count
      v4: i1 = icmp slt v2, v3
      br v4, block1, block2
    block1:
      v5: i32 = call @at(v2)
      ret v5
    block2:
      ret i32 0
    }
    fn @at(v0: i32) -> i32 internal {
    block0:
      v1: i32 = load @count
      v2: i1 = icmp sge v0, v1
      br v2, block1, block2
    block1:
      ret i32 -1
    block2:
      ret v0
    }
"#;

/// The invariant of `BOUND`, with how cell 0 and the parameter compare where `at` is entered.
fn of_bound(orders: &[u64]) -> Invariant {
    let program = sample(BOUND);
    let pair = (
        Pair(Spot::Cell(0), Spot::Value(0)),
        Set::OneOf(orders.into()),
    );
    let inside = State {
        block: 0,
        pairs: vec![pair],
        ..State::default()
    };
    let own = |blocks: &[u32]| blocks.iter().map(|block| state(*block, &[], &[])).collect();
    Invariant {
        cells: vec![Cell {
            global: 0,
            offset: 0,
            size: 4,
        }],
        contexts: vec![
            Context {
                function: 0,
                calls: vec![Call {
                    at: call_of(&program, "at"),
                    to: vec![1],
                }],
                states: own(&[0, 1, 2]),
                exits: vec![Exit::default()],
            },
            Context {
                function: 1,
                calls: Vec::new(),
                states: vec![inside, state(2, &[], &[])],
                exits: vec![Exit::default()],
            },
        ],
    }
}

/// The cell is greater than the parameter where it is entered, signed; nothing is said of unsigned numbers. In block 1 of `main` the
/// order is known by the branch alone.
#[test]
fn pairs_are_proved_where_control_comes_from_and_used_where_it_goes_on() {
    let program = sample(BOUND);
    let mut with_branch = of_bound(&[3, 4]);
    // What main knows in front of the call.
    with_branch.contexts[0].states[1].pairs = vec![(
        Pair(Spot::Cell(0), Spot::Value(2)),
        Set::OneOf(smallvec![3, 4]),
    )];
    assert_eq!(
        proved(&program, &with_branch).as_deref(),
        Ok("edge3 fn1:block1")
    );
    // Unsigned, the cell may be less; and equal it is never, so it need not be said.
    for orders in [[4, 4].as_slice(), &[3], &[0, 1]] {
        let mut wrong = with_branch.clone();
        wrong.contexts[1].states[0].pairs[0].1 = Set::OneOf(orders.into());
        assert!(proved(&program, &wrong).is_err(), "{orders:?}");
    }
    // Without the branch's order nothing is known at the call.
    assert!(proved(&program, &of_bound(&[3, 4])).is_err());
    // One that says too much is weakened until it holds; then it proves nothing.
    let weak = weaken(&runs(&program), of_bound(&[3, 4]), all()).expect("an invariant");
    assert!(proved(&program, &weak).is_ok());
}

/// A pair speaks of what is there: of cells and values by their numbers, of the same width.
#[test]
fn pairs_of_what_is_not_there_are_refused() {
    let program = sample(BOUND);
    for pair in [
        Pair(Spot::Cell(1), Spot::Value(0)),
        Pair(Spot::Cell(0), Spot::Value(1)),
        Pair(Spot::Cell(0), Spot::Value(9)),
    ] {
        let mut wrong = of_bound(&[0, 1, 2, 3, 4]);
        wrong.contexts[1].states[0].pairs[0].0 = pair;
        assert!(proved(&program, &wrong).is_err(), "{pair:?}");
    }
}
