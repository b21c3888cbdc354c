//! Claims about addresses: which functions calls through pointers lead to.

use program::Program;
use program::text::sample;

use super::tests::{all, runs};
use super::{At, Claims, Holds, check, needed, weaken};
use crate::assertion::{Addresses, Cell, Set};
use crate::certificate::Fact;

/// `@now` is always the first row of a constant table: what the second row names is never called.
const ROWS: &str = r#"
    extern0 @input() -> i32
    global0 @rows internal const size 32 align 8 = x"" [8: @plain, 24: @fancy]
    global1 @now internal size 8 align 8 = x"" [0: @rows]
    fn @main() -> i32 {
    block0:
      call @choose()
      v0: ptr = load @now
      v1: ptr = gep v0 + 8
      v2: ptr = load v1
      v3: i32 = call @input()
      call *v2(v3)
      ret i32 0
    }
    fn @choose() internal { block0: store @rows, @now ret }
    fn @plain(v0: i32) internal { block0: ret }
    fn @fancy(v0: i32) internal { block0: ret }
"#;

fn now(addresses: Addresses) -> Holds {
    Holds {
        cell: Cell {
            global: 1,
            offset: 0,
            size: 8,
        },
        set: Set::Addresses(addresses),
    }
}

fn places(places: &[u64]) -> Addresses {
    Addresses {
        places: places.iter().map(|offset| (0, *offset)).collect(),
        ..Addresses::default()
    }
}

/// That the last function is never called.
const FANCY: Fact = Fact::Block {
    function: 3,
    block: 0,
};

fn of_rows(addresses: Addresses) -> Claims {
    Claims {
        cells: vec![now(addresses)],
        never: vec![FANCY],
        ..Claims::default()
    }
}

fn holds(program: &Program, claims: &Claims) -> bool {
    check(&runs(program), claims, all()).is_ok()
}

#[test]
fn what_a_row_of_a_table_does_not_name_is_not_called() {
    let program = sample(ROWS);
    let claims = of_rows(places(&[0]));
    assert!(holds(&program, &claims));
    let part = needed(&runs(&program), &claims, &[FANCY]).expect("it fits");
    assert_eq!(part, claims, "the call rests on what the variable holds");
    for (what, from, to) in [
        (
            "another row",
            "store @rows, @now",
            "store (@rows + 16), @now",
        ),
        ("at the start", "x\"\" [0: @rows]", "x\"\" [0: @rows + 16]"),
        (
            "a table that changes",
            "internal const size 32",
            "internal size 32",
        ),
        ("another member", "gep v0 + 8", "gep v0 + 24"),
    ] {
        let changed = ROWS.replace(from, to);
        assert_ne!(changed, ROWS, "{what}");
        assert!(!holds(&sample(&changed), &claims), "{what}");
    }
}

/// One of two rows: what both name is called, and nothing else.
#[test]
fn rows_of_which_nobody_knows_which() {
    let text = ROWS
        .replace(
            "size 32 align 8 = x\"\" [8: @plain, 24: @fancy]",
            "size 48 align 8 = x\"\" [8: @plain, 24: @plain, 40: @fancy]",
        )
        .replace("store @rows, @now", "store (@rows + 16), @now");
    let program = sample(&text);
    assert!(holds(&program, &of_rows(places(&[0, 16]))));
    assert!(!holds(&program, &of_rows(places(&[0, 16, 32]))));
}

/// A claim that names what is not there, or what is no constant table, is refused.
#[test]
fn addresses_of_what_is_not_there() {
    let program = sample(ROWS);
    for wrong in [
        Addresses {
            functions: vec![9],
            ..places(&[0])
        },
        Addresses {
            places: vec![(0, 0), (7, 0)],
            ..Addresses::default()
        },
        Addresses {
            places: vec![(0, 0), (1, 0)],
            ..Addresses::default()
        },
    ] {
        assert!(!holds(&program, &of_rows(wrong.clone())), "{wrong:?}");
    }
}

/// The function that a parameter is the address of.
#[test]
fn a_parameter_says_which_function_is_called() {
    let text = r#"
        fn @main() -> i32 {
        block0:
          call @run(@plain)
          call @run(@plain)
          ret i32 0
        }
        fn @other() { block0: call @run(@fancy) ret }
        fn @run(v0: ptr) internal { block0: call *v0() ret }
        fn @plain() internal { block0: ret }
        fn @fancy() internal { block0: ret }
    "#;
    let program = sample(text);
    let plain = Set::Addresses(Addresses {
        functions: vec![3],
        ..Addresses::default()
    });
    let is = |set: Set| At {
        function: 2,
        block: 0,
        values: vec![(0, set)],
    };
    let never = |functions: &[u32]| {
        let functions = functions.iter();
        functions
            .map(|function| Fact::Block {
                function: *function,
                block: 0,
            })
            .collect()
    };
    let claims = |never| Claims {
        values: vec![is(plain.clone())],
        never,
        ..Claims::default()
    };
    assert!(holds(&program, &claims(never(&[1, 4]))));
    assert!(
        !holds(&program, &claims(never(&[4]))),
        "`other` may be called"
    );
    // What is left of a claim that does not hold: it is an address.
    let kept = weaken(&runs(&program), &claims(never(&[4])), all()).expect("a part");
    assert_eq!(kept.values, [is(Set::not_null())]);
}
