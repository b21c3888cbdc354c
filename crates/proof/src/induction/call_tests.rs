//! Invariants of programs with calls: contexts, the ways back from them, recursion, and what is weakened when who calls changes.

use program::Op;
use smallvec::smallvec;

use super::tests::{all, call_of, least, of_main, only, proved, runs, sample, state};
use super::{QUESTIONS, weaken};
use crate::assertion::{Call, Cell, Context, Exit, Invariant, Set, State};
use crate::effort::Effort;
use crate::kinds::Refusal;

/// A function that counts itself: it calls itself with one less, and adds 1.
const RECURSION: &str = r#"
    global @n size 4 align 4 = x"00000000"
    fn @main() -> i32 {
    block0:
      call @f(i32 2)
      v0: i32 = load @n
      v1: i1 = icmp eq v0, i32 2
      br v1, block1, block2
    block1:
      ret i32 0
    block2:
      ret i32 1
    }
    fn @f(v0: i32) {
    block0:
      v1: i1 = icmp eq v0, i32 0
      br v1, block2, block1
    block1:
      v2: i32 = load @n
      v3: i32 = add v2, i32 1
      store v3, @n
      v4: i32 = sub v0, i32 1
      call @f(v4)
      br block2
    block2:
      ret
    }
"#;

/// States keep together what belongs together: `n` is what the argument is short of 2.
#[test]
fn recursion_is_followed_state_by_state() {
    let program = sample(RECURSION);
    let body = &program.functions[program.function_named("f").expect("a function")];
    let mut insts = body.blocks.keys().flat_map(|block| body.insts(block));
    let inner = insts.find(|(_, inst)| matches!(inst.op, Op::Call { .. }));
    let inner = inner.expect("a call").0.as_u32();
    let call = |at| Call { at, to: vec![1] };
    // Pairs of `n` and the argument at the entry.
    let of = |pairs: &[(u64, u64)], ends: u64| {
        let at = |block: u32| {
            let pairs = pairs
                .iter()
                .filter(move |(_, left)| block == 0 || *left > 0);
            pairs.map(move |(n, left)| state(block, &[(0, *n)], &[(0, *left)]))
        };
        Invariant {
            cells: vec![Cell {
                global: 0,
                offset: 0,
                size: 4,
            }],
            contexts: vec![
                Context {
                    function: 0,
                    calls: vec![call(call_of(&program, "f"))],
                    states: vec![state(0, &[(0, 0)], &[]), state(1, &[], &[])],
                    exits: vec![Exit::default()],
                },
                Context {
                    function: 1,
                    calls: vec![call(inner)],
                    states: at(0)
                        .chain(at(1))
                        .chain([state(2, &[(0, ends)], &[])])
                        .collect(),
                    exits: vec![Exit {
                        cells: only(&[(0, ends)]),
                        result: None,
                    }],
                },
            ],
        }
    };
    let right = proved(&program, &of(&[(0, 2), (1, 1), (2, 0)], 2));
    assert_eq!(right.as_deref(), Ok("edge0 fn0:block2"));
    for (pairs, ends) in [
        (&[(0, 2), (1, 1), (2, 0)][..], 1),
        (&[(0, 2), (1, 1)], 2),
        (&[(0, 2), (1, 1), (2, 0), (1, 0)], 2),
        (&[(0, 1), (1, 0)], 2),
    ] {
        let found = proved(&program, &of(pairs, ends));
        assert!(found.is_err(), "{pairs:?} {ends}: {found:?}");
    }
}

/// What calls come back with is followed as often as is allowed, and no more.
#[test]
fn calls_come_back_in_so_many_ways() {
    let program = sample(
        "fn @main() -> i32 { block0: v0: i32 = call @f() ret i32 0 }
         fn @f() -> i32 { block0: ret i32 0 }",
    );
    let with = |exits: u64| {
        let mut invariant = of_main(&[(0, &[])]);
        let to = vec![1];
        invariant.contexts[0].calls = vec![Call { at: 0, to }];
        let exit = |number| Exit {
            cells: Vec::new(),
            result: Some(Set::OneOf(smallvec![number])),
        };
        invariant.contexts.push(Context {
            function: 1,
            calls: Vec::new(),
            states: vec![state(0, &[], &[])],
            exits: (0..exits).map(exit).collect(),
        });
        proved(&program, &invariant)
    };
    // The way to the call is one.
    assert_eq!(with(4095).as_deref(), Ok(""));
    assert_eq!(with(4096), Err(Refusal::TooLarge));
}

/// Two contexts share a call: one takes 0, the other 1.
const SHARED_CALL: &str = r#"
    extern @input() -> i32
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      v1: i32 = and v0, i32 1
      v2: i32 = call @f(v1)
      v3: i1 = icmp eq v2, i32 7
      br v3, block1, block2
    block1:
      ret i32 0
    block2:
      v4: i1 = icmp eq v2, i32 8
      br v4, block3, block4
    block3:
      ret i32 1
    block4:
      ret i32 2
    }
    fn @f(v0: i32) -> i32 { block0: v1: i32 = add v0, i32 7 ret v1 }
"#;

#[test]
fn a_call_comes_back_from_each_context_that_it_may_enter() {
    let program = sample(SHARED_CALL);
    let with = |results: &[u64]| {
        let mut invariant = of_main(&[(0, &[]), (1, &[]), (2, &[(2, 8)]), (3, &[])]);
        invariant.contexts[0].calls = vec![Call {
            at: 2,
            to: vec![1, 2],
        }];
        for (argument, result) in (0..).zip(results) {
            invariant.contexts.push(Context {
                function: 1,
                calls: Vec::new(),
                states: vec![state(0, &[], &[(0, argument)])],
                exits: vec![Exit {
                    cells: Vec::new(),
                    result: Some(Set::OneOf(smallvec![*result])),
                }],
            });
        }
        proved(&program, &invariant)
    };
    assert_eq!(with(&[7, 8]).as_deref(), Ok("edge2 fn0:block4"));
    assert!(with(&[7, 7]).is_err());
    // Without the way back from the second context nothing would lead to block2.
    let mut short = of_main(&[(0, &[]), (1, &[])]);
    short.contexts[0].calls = vec![Call {
        at: 2,
        to: vec![1, 2],
    }];
    for argument in 0..2 {
        short.contexts.push(Context {
            function: 1,
            calls: Vec::new(),
            states: vec![state(0, &[], &[(0, argument)])],
            exits: vec![Exit {
                cells: Vec::new(),
                result: Some(Set::OneOf(smallvec![7 + argument])),
            }],
        });
    }
    assert!(proved(&program, &short).is_err());
}

/// A function calls another one, which calls a third: what the third returns is found to be wrong first, then what the others do.
const CHAIN: &str = r#"
    extern @input() -> i32
    fn @main() -> i32 {
    block0:
      v0: i32 = call @first()
      v1: i1 = icmp eq v0, i32 7
      br v1, block1, block2
    block1:
      ret i32 0
    block2:
      ret i32 1
    }
    fn @first() -> i32 { block0: v0: i32 = call @second() ret v0 }
    fn @second() -> i32 { block0: v0: i32 = call @third() ret v0 }
    fn @third() -> i32 { block0: v0: i32 = call @input() ret v0 }
"#;

#[test]
fn who_calls_is_asked_again_when_what_is_called_changes() {
    let program = sample(CHAIN);
    let context = |function: u32, to: Option<u32>| Context {
        function,
        calls: to
            .into_iter()
            .map(|to| Call {
                at: 0,
                to: vec![to],
            })
            .collect(),
        states: vec![state(0, &[], &[])],
        exits: vec![Exit {
            cells: Vec::new(),
            result: (function > 0).then(|| Set::OneOf(smallvec![7])),
        }],
    };
    let invariant = Invariant {
        cells: Vec::new(),
        contexts: vec![
            context(0, Some(1)),
            context(1, Some(2)),
            context(2, Some(3)),
            context(3, None),
        ],
    };
    let mut invariant = invariant;
    invariant.contexts[0].states.push(state(1, &[], &[]));
    assert!(proved(&program, &invariant).is_err());
    let weakened = |questions: u64| {
        let effort = Effort::questions(questions);
        weaken(&runs(&program), invariant.clone(), effort)
    };
    let weaker = weakened(QUESTIONS).expect("a part of it holds");
    assert_eq!(proved(&program, &weaker).as_deref(), Ok(""));
    // A step that holds is not asked again.
    assert_eq!(least(|questions| weakened(questions).is_ok()), 13);
}

/// Each number is one that some context allows, and no context allows both together.
#[test]
fn a_call_that_no_context_allows_gets_what_all_allow() {
    let program = sample(
        r#"
        extern @input() -> i32
        global @flag size 4 align 4 = x"05000000"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @input()
          v1: i1 = icmp eq v0, i32 0
          v2: i32 = zext v1
          v3: i32 = call @input()
          v4: i1 = icmp eq v3, i32 0
          v5: i32 = select v4, i32 5, i32 6
          store v5, @flag
          call @f(v2)
          ret i32 0
        }
        fn @f(v0: i32) { block0: ret }
        "#,
    );
    let of_f = |flag: u64, param: u64| Context {
        function: 1,
        states: vec![state(0, &[(0, flag)], &[(0, param)])],
        exits: vec![Exit::default()],
        ..Context::default()
    };
    let main = Context {
        calls: vec![Call {
            at: call_of(&program, "f"),
            to: vec![1, 2],
        }],
        states: vec![state(0, &[(0, 5)], &[])],
        exits: vec![Exit::default()],
        ..Context::default()
    };
    let invariant = Invariant {
        cells: vec![Cell {
            global: 0,
            offset: 0,
            size: 4,
        }],
        contexts: vec![main, of_f(5, 0), of_f(6, 1)],
    };
    assert!(proved(&program, &invariant).is_err());
    let weaker = weaken(&runs(&program), invariant, all()).expect("what both allow");
    assert_eq!(proved(&program, &weaker).as_deref(), Ok(""));
    let both = State {
        cells: vec![(0, Set::OneOf(smallvec![5, 6]))],
        values: vec![(0, Set::OneOf(smallvec![0, 1]))],
        ..state(0, &[], &[])
    };
    assert_eq!(weaker.contexts[1].states.last(), Some(&both));
}
