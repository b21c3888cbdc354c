//! Invariants of programs that call functions by their addresses.

use smallvec::smallvec;

use super::corrupt_tests::{Random, two_hundred_are_refused};
use super::tests::{all, proved, runs, sample, state};
use super::weaken;
use crate::assertion::{Addresses, Call, Cell, Context, Exit, Invariant, Set, State};

/// The handler that is called next is in a variable; in `@busy` the count is 1: it never comes to its block2.
const HANDLERS: &str = r#"
    extern0 @input() -> i32
    extern1 @take(ptr)
    global0 @handler internal size 8 align 8 = x"" [0: @idle]
    global1 @count internal size 4 align 4 = x""
    fn @main() -> i32 {
    block0:
      br block1
    block1:
      v0: ptr = load @handler
      v1: i32 = call @input()
      call *v0(v1)
      br block1
    }
    fn @idle(v0: i32) internal {
    block0:
      store i32 1, @count
      store @busy, @handler
      ret
    }
    fn @busy(v0: i32) internal {
    block0:
      v1: i32 = load @count
      v2: i1 = icmp eq v1, i32 1
      br v2, block1, block2 [site0: edge0 false, edge1 true]
    block1:
      store @idle, @handler
      store i32 0, @count
      ret
    block2:
      ret
    }
"#;

fn only(number: u64) -> Set {
    Set::OneOf(smallvec![number])
}

fn functions(functions: &[u32]) -> Set {
    Set::Addresses(Addresses {
        functions: functions.to_vec(),
        ..Addresses::default()
    })
}

/// Cell 0 is `handler`, cell 1 is `count`.
fn cells(handler: u32, count: u64) -> Vec<(u32, Set)> {
    vec![(0, functions(&[handler])), (1, only(count))]
}

fn at(block: u32, cells: Vec<(u32, Set)>) -> State {
    State {
        cells,
        ..state(block, &[], &[])
    }
}

fn of_handlers() -> Invariant {
    let (idle, busy) = (cells(1, 0), cells(2, 1));
    let leaves = |cells: &[(u32, Set)]| Exit {
        cells: cells.to_vec(),
        result: None,
    };
    Invariant {
        cells: vec![
            Cell {
                global: 0,
                offset: 0,
                size: 8,
            },
            Cell {
                global: 1,
                offset: 0,
                size: 4,
            },
        ],
        contexts: vec![
            Context {
                function: 0,
                calls: vec![Call {
                    at: 2,
                    to: vec![1, 2],
                }],
                states: vec![
                    at(0, idle.clone()),
                    at(1, idle.clone()),
                    at(1, busy.clone()),
                ],
                exits: Vec::new(),
            },
            Context {
                function: 1,
                states: vec![at(0, idle.clone())],
                exits: vec![leaves(&busy)],
                ..Context::default()
            },
            Context {
                function: 2,
                states: vec![at(0, busy.clone()), at(1, busy)],
                exits: vec![leaves(&idle)],
                ..Context::default()
            },
        ],
    }
}

#[test]
fn a_variable_says_which_function_is_called() {
    let invariant = of_handlers();
    let facts = proved(&sample(HANDLERS), &invariant);
    assert_eq!(facts.as_deref(), Ok("edge0 fn2:block2"));
    for (what, from, to) in [
        (
            "another count",
            "store i32 1, @count",
            "store i32 2, @count",
        ),
        (
            "another handler",
            "store @busy, @handler",
            "store null, @handler",
        ),
        ("at the start", "x\"\" [0: @idle]", "x\"\" [0: @busy]"),
        (
            "a part of the address",
            "store @busy, @handler",
            "store i32 7, @handler",
        ),
        ("behind it", "[0: @idle]", "[0: @idle + 8]"),
    ] {
        let changed = HANDLERS.replace(from, to);
        assert_ne!(changed, HANDLERS, "{what}");
        let found = proved(&sample(&changed), &invariant);
        assert!(found.is_err(), "{what}: {found:?}");
    }
}

/// Without what the variable is, both may be called from each state.
#[test]
fn what_is_not_said_of_a_pointer_leads_to_all() {
    let mut invariant = of_handlers();
    for context in &mut invariant.contexts {
        for state in &mut context.states {
            state.cells.remove(0);
        }
        for exit in &mut context.exits {
            exit.cells.remove(0);
        }
    }
    let program = sample(HANDLERS);
    assert!(proved(&program, &invariant).is_err());
    let weaker = weaken(&runs(&program), invariant, all()).expect("a part of it holds");
    assert_eq!(proved(&program, &weaker).as_deref(), Ok(""));
}

/// A call of a function that nothing is said of is followed into a new context.
#[test]
fn a_function_that_was_left_out_is_looked_into() {
    let mut invariant = of_handlers();
    invariant.contexts[0].calls[0].to.pop();
    let program = sample(HANDLERS);
    assert!(proved(&program, &invariant).is_err());
    let weaker = weaken(&runs(&program), invariant, all()).expect("a part of it holds");
    assert!(proved(&program, &weaker).is_ok());
}

/// Where other code may call a function, its calls are not those that are seen.
#[test]
fn other_code_may_call_what_it_is_given() {
    for (what, code) in [
        ("a function", "call @take(@busy)"),
        ("a variable that leads to one", "call @take(@handler)"),
    ] {
        let changed = HANDLERS.replace(
            "br block1\n    block1:",
            &format!("{code} br block1\n    block1:"),
        );
        assert_ne!(changed, HANDLERS, "{what}");
        let found = proved(&sample(&changed), &of_handlers());
        assert!(found.is_err(), "{what}: {found:?}");
    }
    for name in ["signal", "qsort", "atexit"] {
        let changed = HANDLERS.replace("@take(ptr)", &format!("@{name}(ptr)"));
        let changed = changed.replace(
            "br block1\n    block1:",
            &format!("call @{name}(@busy) br block1\n    block1:"),
        );
        let found = proved(&sample(&changed), &of_handlers());
        assert!(found.is_err(), "{name}: {found:?}");
    }
}

/// What a table that nothing changes leads to is known by the index.
#[test]
fn an_entry_of_a_constant_table_is_what_it_is() {
    let program = |index: &str| {
        sample(&format!(
            "
            extern0 @input() -> i32
            global0 @table internal const size 16 align 16 = x\"\" [0: @first, 8: @second]
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @input()
              v1: i32 = and v0, i32 {index}
              v2: i64 = zext v1
              v3: ptr = gep @table [v2 * 8]
              v4: ptr = load v3
              v5: i32 = call *v4()
              v6: i1 = icmp eq v5, i32 1
              br v6, block1, block2 [site0: edge0 false, edge1 true]
            block1:
              ret i32 0
            block2:
              ret i32 1
            }}
            fn @first() -> i32 internal {{ block0: ret i32 1 }}
            fn @second() -> i32 internal {{ block0: ret i32 2 }}
            "
        ))
    };
    let table = |offset| Cell {
        global: 0,
        offset,
        size: 8,
    };
    let returns = |number| Exit {
        cells: Vec::new(),
        result: Some(only(number)),
    };
    let of = |function, blocks: &[u32], exits: Vec<Exit>| Context {
        function,
        states: blocks.iter().map(|block| state(*block, &[], &[])).collect(),
        exits,
        ..Context::default()
    };
    let mut invariant = Invariant {
        cells: vec![table(0), table(8)],
        contexts: vec![
            of(0, &[0, 1], vec![Exit::default()]),
            of(1, &[0], vec![returns(1)]),
        ],
    };
    invariant.contexts[0]
        .calls
        .push(Call { at: 5, to: vec![1] });
    let facts = proved(&program("0"), &invariant);
    assert_eq!(facts.as_deref(), Ok("edge0 fn0:block2 fn2:block0"));
    let found = proved(&program("1"), &invariant);
    assert!(found.is_err(), "{found:?}");
    invariant.contexts.push(of(2, &[0], vec![returns(2)]));
    invariant.contexts[0].calls[0].to.push(2);
    let found = proved(&program("1"), &invariant);
    assert!(found.is_err(), "the second one returns 2: {found:?}");
    invariant.contexts[0].states.push(state(2, &[], &[]));
    assert_eq!(proved(&program("1"), &invariant).as_deref(), Ok(""));
}

fn corrupt(invariant: &mut Invariant, random: &mut Random) -> &'static str {
    let context = random.below(invariant.contexts.len());
    let other = 3 + random.below(9) as u32;
    let own = &mut invariant.contexts[context];
    match random.below(4) {
        0 => {
            let at = random.below(own.states.len());
            own.states[at].cells[0].1 = match random.below(3) {
                0 => functions(&[]),
                1 => functions(&[other]),
                _ => Set::OneOf(smallvec![u64::from(other)]),
            };
            "a pointer"
        }
        1 if !own.exits.is_empty() => {
            own.exits[0].cells[0].1 = match random.below(2) {
                0 => functions(&[other % 3 + 4]),
                _ => functions(&[0]),
            };
            "a pointer at the exit"
        }
        2 if context == 0 => {
            let at = random.below(2);
            own.calls[0].to.remove(at);
            "a function that is called"
        }
        _ => {
            own.function = (own.function + 1 + random.below(2) as u32) % 3;
            "a function"
        }
    }
}

#[test]
fn two_hundred_corrupted_pointers_are_refused() {
    two_hundred_are_refused(&sample(HANDLERS), &of_handlers(), corrupt, 4);
}
