//! Invariants that hold are taken, others are not.

pub(super) use program::text::sample;
use program::{Op, Program};
use smallvec::smallvec;

use super::{QUESTIONS, check, weaken};
use crate::assertion::{Call, Cell, Context, Exit, Invariant, Set, State};
use crate::certificate::Fact;
use crate::closed::Effects;
use crate::effort::Effort;
use crate::kinds::Refusal;

/// A loop that dispatches on `state`; `flag` is 1 in state 1. Never: a state above 1 (block7), no flag in state 1 (block6).
pub(super) const LOOP: &str = r#"
    extern @input() -> i32
    global @state size 4 align 4 = x"00000000"
    global @flag size 4 align 4 = x"00000000"
    fn @main() -> i32 {
    block0:
      br block1
    block1:
      v0: i32 = load @state
      switch v0 [0: block2, 1: block4, default: block7]
    block2:
      v1: i32 = call @input()
      v2: i1 = icmp sgt v1, i32 5
      br v2, block3, block1
    block3:
      store i32 1, @flag
      v3: i32 = call @next(i32 0)
      store v3, @state
      br block1
    block4:
      v4: i32 = load @flag
      v5: i1 = icmp eq v4, i32 1
      br v5, block5, block6
    block5:
      call @reset()
      br block1
    block6:
      ret i32 2
    block7:
      ret i32 1
    }
    fn @next(v0: i32) -> i32 { block0: v1: i32 = add v0, i32 1 ret v1 }
    fn @reset() { block0: store i32 0, @flag store i32 0, @state ret }
"#;

pub(super) fn runs(program: &Program) -> Effects<'_> {
    Effects::new(program, false, None)
}

pub(super) fn all() -> Effort {
    Effort::questions(QUESTIONS)
}

/// The value of the only call of a function.
pub(super) fn call_of(program: &Program, callee: &str) -> u32 {
    let callee = program.function_named(callee).expect("a function");
    let main = program.function_named("main").expect("main");
    let body = &program.functions[main];
    let mut insts = body.blocks.keys().flat_map(|block| body.insts(block));
    let found = insts.find(|(_, inst)| {
        matches!(&inst.op, Op::Call { callee: program::Callee::Direct(target), .. } if *target == callee)
    });
    found.expect("a call").0.as_u32()
}

pub(super) fn only(numbers: &[(u32, u64)]) -> Vec<(u32, Set)> {
    let sets = numbers.iter();
    sets.map(|(number, only)| (*number, Set::OneOf(smallvec![*only])))
        .collect()
}

pub(super) fn state(block: u32, cells: &[(u32, u64)], values: &[(u32, u64)]) -> State {
    State {
        block,
        cells: only(cells),
        values: only(values),
        pairs: Vec::new(),
    }
}

/// The invariant of the loop: cell 0 is `state`, cell 1 `flag`.
pub(super) fn of_loop(program: &Program) -> Invariant {
    let cell = |global| Cell {
        global,
        offset: 0,
        size: 4,
    };
    let call = |callee, to| Call {
        at: call_of(program, callee),
        to: vec![to],
    };
    let (zero, one) = ([(0, 0), (1, 0)], [(0, 1), (1, 1)]);
    let states = [
        (0, zero),
        (1, zero),
        (1, one),
        (2, zero),
        (3, zero),
        (4, one),
        (5, one),
    ];
    let exit = |cells: &[(u32, u64)], result: Option<u64>| Exit {
        cells: only(cells),
        result: result.map(|only| Set::OneOf(smallvec![only])),
    };
    Invariant {
        cells: vec![cell(0), cell(1)],
        contexts: vec![
            Context {
                function: 0,
                calls: vec![call("next", 1), call("reset", 2)],
                states: states
                    .iter()
                    .map(|(block, cells)| state(*block, cells, &[]))
                    .collect(),
                exits: Vec::new(),
            },
            Context {
                function: 1,
                calls: Vec::new(),
                states: vec![state(0, &[(0, 0), (1, 1)], &[(0, 0)])],
                exits: vec![exit(&[(0, 0), (1, 1)], Some(1))],
            },
            Context {
                function: 2,
                calls: Vec::new(),
                states: vec![state(0, &one, &[])],
                exits: vec![exit(&zero, None)],
            },
        ],
    }
}

/// What an invariant proves of a program, in words.
pub(super) fn proved(program: &Program, invariant: &Invariant) -> Result<String, Refusal> {
    let proved = check(&runs(program), invariant, all())?;
    let words: Vec<String> = proved
        .facts
        .iter()
        .map(|fact| match fact {
            Fact::Edge { edge } => format!("edge{edge}"),
            Fact::Block { function, block } => format!("fn{function}:block{block}"),
        })
        .collect();
    Ok(words.join(" "))
}

#[test]
fn what_no_state_does_is_proved() {
    let program = sample(LOOP);
    let invariant = of_loop(&program);
    let facts = proved(&program, &invariant);
    assert_eq!(facts.as_deref(), Ok("edge2 edge5 fn0:block6 fn0:block7"));
}

/// What an expression without a branch never is.
#[test]
fn edges_of_expressions_are_proved() {
    let program = sample(
        "
        extern0 @input() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @input()
          v1: i1 = icmp sgt v0, i32 3
          br v1, block1, block2 [site0: edge0 false, edge1 true]
        block1:
          v2: i1 = icmp sgt v0, i32 2
          v3: i64 = zext v2
          count 1 step v3 [site1: edge2 false, edge3 true]
          br block2
        block2:
          ret i32 0
        }
        ",
    );
    let with = |known: Set| Invariant {
        cells: Vec::new(),
        contexts: vec![Context {
            function: 0,
            calls: Vec::new(),
            states: vec![
                state(0, &[], &[]),
                State {
                    values: vec![(0, known)],
                    ..state(1, &[], &[])
                },
                state(2, &[], &[]),
            ],
            exits: vec![Exit {
                cells: Vec::new(),
                result: None,
            }],
        }],
    };
    let from = |least: u64| Set::Range {
        start: least,
        steps: i32::MAX as u64 - least,
        stride: 1,
    };
    let facts = |known: Set| proved(&program, &with(known));
    assert_eq!(facts(from(4)).as_deref(), Ok("edge2"));
    assert_eq!(facts(from(1)).as_deref(), Ok(""), "it may be 2");
    assert!(facts(from(5)).is_err(), "it may be 4");
}

/// Programs in which the loop's variables can be changed by other ways than the checker follows.
#[test]
fn variables_that_others_can_reach_are_no_cells() {
    for (what, from, to) in [
        (
            "an address",
            "v1: i32 = call @input()",
            "v1: i32 = call @input() v9: ptr = gep @flag + 0 store v9, null",
        ),
        (
            "a part",
            "v1: i32 = call @input()",
            "v1: i32 = call @input() store i8 7, (@flag + 1)",
        ),
        (
            "in memory",
            "extern @input() -> i32",
            "extern @input() -> i32 global @p size 8 align 8 = x\"\" [0: @flag]",
        ),
        (
            "by address",
            "extern @input() -> i32",
            "extern @input() -> i32 extern @take(ptr) global @f size 8 align 8 = x\"\" [0: @reset]
            fn @give() { block0: call @take(@f) ret }",
        ),
        (
            "an operand",
            "extern @input() -> i32",
            "extern @input() -> i32 extern @take(ptr) fn @give() { block0: call @take(@reset) ret }",
        ),
        (
            "in an aggregate",
            "extern @input() -> i32",
            "extern @input() -> i32 extern @take([1 x ptr])
            fn @give() { block0: call @take([1 x ptr] [@reset]) ret }",
        ),
        (
            "a jump through a pointer",
            "ret i32 2",
            "indirectbr null [block1]",
        ),
        (
            "volatile",
            "v4: i32 = load @flag",
            "v4: i32 = load @flag align 4 volatile",
        ),
        (
            "again",
            "extern @input() -> i32",
            "extern @input() -> i32 extern @setjmp(ptr) -> i32",
        ),
    ] {
        let text = LOOP.replacen(from, to, 1);
        let program = sample(&text);
        let mut invariant = of_loop(&program);
        // Another global in front moves the numbers.
        if let Some(flag) = program
            .globals
            .iter()
            .find(|(_, global)| global.name == "flag")
        {
            invariant.cells[1].global = flag.0.as_u32();
            invariant.cells[0].global = flag.0.as_u32() - 1;
        }
        let found = proved(&program, &invariant);
        assert!(found.is_err(), "{what}: {found:?}");
    }
    let program = sample(LOOP);
    assert!(
        check(
            &Effects::new(&program, true, None),
            &of_loop(&program),
            all()
        )
        .is_err(),
        "foreign code"
    );
}

#[test]
fn a_value_is_spoken_of_only_where_it_was_computed() {
    let program = sample(LOOP);
    for (block, value, fits) in [(2, 0, true), (1, 0, false), (4, 1, false), (3, 1, true)] {
        let mut invariant = of_loop(&program);
        let states = &mut invariant.contexts[0].states;
        for state in states.iter_mut().filter(|state| state.block == block) {
            let any = Set::Range {
                start: 0,
                steps: u64::from(u32::MAX),
                stride: 1,
            };
            state.values.push((value, any));
        }
        let found = proved(&program, &invariant);
        assert_eq!(found.is_ok(), fits, "block{block} v{value}: {found:?}");
    }
}

/// What is too strong is given up, and what is left holds.
#[test]
fn what_cannot_be_proved_is_given_up() {
    let program = sample(LOOP);
    let weakened = |change: &dyn Fn(&mut Invariant)| {
        let mut invariant = of_loop(&program);
        change(&mut invariant);
        assert!(proved(&program, &invariant).is_err());
        let weaker = weaken(&runs(&program), invariant, all()).expect("a part of it holds");
        proved(&program, &weaker)
    };
    // The input is anything above 5.
    let facts = weakened(&|invariant| {
        let states = invariant.contexts[0].states.iter_mut();
        states
            .filter(|state| state.block == 3)
            .for_each(|state| state.values = only(&[(1, 6)]));
    });
    assert_eq!(facts.as_deref(), Ok("edge2 edge5 fn0:block6 fn0:block7"));
    // Calls that nobody foresaw lead to every context of their function.
    let facts = weakened(&|invariant| invariant.contexts[0].calls.clear());
    assert_eq!(facts.as_deref(), Ok("edge2 edge5 fn0:block6 fn0:block7"));
    // Nothing is known of the argument, so the function returns anything: every state may come.
    let facts = weakened(&|invariant| invariant.contexts[1].states[0].values = only(&[(0, 9)]));
    assert_eq!(facts.as_deref(), Ok(""));
}

/// What is not written as it must be is refused, whatever it says.
#[test]
fn an_invariant_that_is_out_of_order_is_refused() {
    let program = sample(LOOP);
    let any = || Set::Range {
        start: 0,
        steps: u64::from(u32::MAX),
        stride: 1,
    };
    type Change = fn(&mut Invariant, &dyn Fn() -> Set);
    let changes: [(&str, Change, bool); 12] = [
        (
            "two values",
            |it, any| {
                it.contexts[0].states[4].values = vec![(0, any()), (1, any())];
            },
            true,
        ),
        (
            "values",
            |it, any| {
                it.contexts[0].states[4].values = vec![(1, any()), (0, any())];
            },
            false,
        ),
        (
            "a value twice",
            |it, any| {
                it.contexts[0].states[4].values = vec![(0, any()), (0, any())];
            },
            false,
        ),
        (
            "cells of a state",
            |it, _| it.contexts[0].states[0].cells.reverse(),
            false,
        ),
        (
            "a cell twice",
            |it, _| {
                let cell = it.contexts[0].states[0].cells[1].clone();
                it.contexts[0].states[0].cells.push(cell);
            },
            false,
        ),
        (
            "a cell that is not there",
            |it, any| {
                it.contexts[0].states[0].cells.push((2, any()));
            },
            false,
        ),
        (
            "a cell of an exit",
            |it, any| it.contexts[1].exits[0].cells.push((2, any())),
            false,
        ),
        (
            "a context that is not there",
            |it, _| it.contexts[0].calls[0].to.push(3),
            false,
        ),
        ("cells", |it, _| it.cells.reverse(), false),
        (
            "a cell that is listed twice",
            |it, _| it.cells.push(it.cells[1].clone()),
            false,
        ),
        (
            "a block",
            |it, _| it.contexts[0].states[0].block = 99,
            false,
        ),
        ("no context", |it, _| it.contexts.clear(), false),
    ];
    for (what, change, holds) in changes {
        let mut invariant = of_loop(&program);
        change(&mut invariant, &any);
        let found = proved(&program, &invariant);
        assert_eq!(found.is_ok(), holds, "{what}: {found:?}");
    }
}

/// What a variable holds at the start: its bytes, zeros behind them, and nothing that is known where an address stands.
#[test]
fn cells_start_as_their_variables_are_initialised() {
    let any = Set::Range {
        start: 0,
        steps: u64::MAX,
        stride: 1,
    };
    let holds = |endian: &str, (offset, size): (u64, u64), set: &Set| {
        let program = sample(&format!(
            "layout 64 {endian}
             global @other size 4 align 4 = x\"\"
             global @known size 40 align 8 = x\"0102030405060708090a\" [16: @other]
             fn @main() -> i32 {{
             block0:
               v0: i{} = load (@known + {offset})
               ret i32 0
             }}",
            8 * size
        ));
        let invariant = Invariant {
            cells: vec![Cell {
                global: 1,
                offset,
                size,
            }],
            contexts: vec![Context {
                function: 0,
                calls: Vec::new(),
                states: vec![State {
                    block: 0,
                    cells: vec![(0, set.clone())],
                    values: Vec::new(),
                    pairs: Vec::new(),
                }],
                exits: vec![Exit::default()],
            }],
        };
        proved(&program, &invariant).is_ok()
    };
    for (cell, value) in [
        ((0, 1), 0x01),
        ((0, 4), 0x0403_0201),
        ((0, 8), 0x0807_0605_0403_0201),
        ((4, 4), 0x0807_0605),
        ((8, 2), 0x0a09),
        ((8, 8), 0x0a09),
        ((12, 4), 0),
        ((24, 8), 0),
        ((32, 8), 0),
    ] {
        assert!(
            holds("little", cell, &Set::OneOf(smallvec![value])),
            "{cell:?}"
        );
        assert!(
            !holds("little", cell, &Set::OneOf(smallvec![value ^ 1])),
            "{cell:?}"
        );
        assert!(
            !holds("big", cell, &Set::OneOf(smallvec![value])),
            "{cell:?}"
        );
    }
    // An address, and parts of it.
    for cell in [(16, 8), (16, 4), (20, 4), (22, 2), (23, 1)] {
        assert!(
            !holds("little", cell, &Set::OneOf(smallvec![0])),
            "{cell:?}"
        );
    }
    assert!(holds("little", (16, 8), &any));
    assert!(holds("big", (0, 8), &any));
}

/// A library function is called like one that is not in the model, and no fact is about its blocks.
#[test]
fn models_of_the_library_are_not_looked_into() {
    let program = |more: &str| {
        sample(&format!(
            "global @state size 4 align 4 = x\"\"
             fn @main() -> i32 {{
             block0:
               v0: i32 = call @lib()
               v1: i32 = load @state
               v2: i1 = icmp eq v1, i32 0
               br v2, block1, block2
             block1:
               ret i32 0
             block2:
               ret i32 1
             }}
             fn @lib() -> i32 library {{ block0: {more} br block1 block1: ret i32 7 }}"
        ))
    };
    let invariant = Invariant {
        cells: vec![Cell {
            global: 0,
            offset: 0,
            size: 4,
        }],
        contexts: vec![Context {
            function: 0,
            calls: Vec::new(),
            states: vec![state(0, &[(0, 0)], &[]), state(1, &[(0, 0)], &[])],
            exits: vec![Exit::default()],
        }],
    };
    let found = proved(&program(""), &invariant);
    assert_eq!(found.as_deref(), Ok("edge0 fn0:block2"));
    // It may call the program back, or is a state of the invariant itself.
    let calls = proved(&program("v0: i32 = call @main()"), &invariant);
    assert!(calls.is_err(), "{calls:?}");
    let mut inside = invariant;
    inside.contexts.push(Context {
        function: 1,
        ..Context::default()
    });
    let found = proved(&program(""), &inside);
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn no_more_questions_are_asked_than_allowed() {
    let program = sample(LOOP);
    let invariant = of_loop(&program);
    let proved = check(&runs(&program), &invariant, all()).expect("it holds");
    assert!(proved.queries > 1);
    let again = check(
        &runs(&program),
        &invariant,
        Effort::questions(proved.queries),
    );
    assert_eq!(again, Ok(proved.clone()));
    let fewer = check(
        &runs(&program),
        &invariant,
        Effort::questions(proved.queries - 1),
    );
    assert_eq!(fewer, Err(Refusal::TooLarge));
}

/// An invariant without cells, of a program of one function: the states of its blocks.
pub(super) fn of_main(states: &[(u32, &[(u32, u64)])]) -> Invariant {
    Invariant {
        cells: Vec::new(),
        contexts: vec![Context {
            function: 0,
            calls: Vec::new(),
            states: states
                .iter()
                .map(|(block, values)| State {
                    block: *block,
                    cells: Vec::new(),
                    values: only(values),
                    pairs: Vec::new(),
                })
                .collect(),
            exits: vec![Exit::default()],
        }],
    }
}

/// A block has the value of a phi of another one, not what flows into that block next.
#[test]
fn a_phi_of_another_block_is_what_it_was() {
    let program = sample(
        r#"
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: i32 = phi [block0: i32 0, block2: v1]
          br block2
        block2:
          v1: i32 = add v0, i32 1
          v2: i1 = icmp eq v1, i32 3
          br v2, block3, block1
        block3:
          v3: i1 = icmp eq v0, i32 2
          br v3, block4, block5
        block4:
          ret i32 0
        block5:
          ret i32 1
        }
    "#,
    );
    let with = |last: u64| {
        let mut invariant = of_main(&[
            (0, &[]),
            (1, &[(0, 0)]),
            (1, &[(0, 1)]),
            (1, &[(0, 2)]),
            (2, &[(0, 0)]),
            (2, &[(0, 1)]),
            (2, &[(0, 2)]),
            (3, &[(0, last)]),
        ]);
        let behind = if last == 2 { 4 } else { 5 };
        invariant.contexts[0].states.push(State {
            block: behind,
            ..State::default()
        });
        proved(&program, &invariant)
    };
    assert_eq!(with(2).as_deref(), Ok("edge2 fn0:block5"));
    assert!(with(3).is_err());
}

#[test]
fn a_cell_is_listed_once() {
    let program = sample(
        "global @known size 4 align 4 = x\"07\"
         fn @main() -> i32 { block0: v0: i32 = load @known ret v0 }",
    );
    let with = |cells: usize| {
        let mut invariant = of_main(&[(0, &[])]);
        let cell = Cell {
            global: 0,
            offset: 0,
            size: 4,
        };
        invariant.cells = vec![cell; cells];
        let sets = (0u32..)
            .take(cells)
            .map(|cell| (cell, Set::OneOf(smallvec![7])));
        invariant.contexts[0].states[0].cells = sets.collect();
        proved(&program, &invariant)
    };
    assert_eq!(with(1).as_deref(), Ok(""));
    assert_eq!(with(2), Err(Refusal::NotThere));
}

/// Who does not compute with floating-point numbers may round as it likes.
#[test]
fn rounding_matters_to_floats_alone() {
    let rounds = |value: &str| {
        let program = sample(&format!(
            "extern @fesetround(i32) -> i32
             fn @main() -> i32 {{ block0: {value} ret i32 0 }}"
        ));
        proved(&program, &of_main(&[(0, &[])])).is_ok()
    };
    assert!(rounds("v0: i32 = add i32 1, i32 2"));
    assert!(!rounds("v0: f64 = fadd f64 1.0, f64 2.0"));
    assert!(!rounds("v0: f32 = fadd f32 1.0, f32 2.0"));
    assert!(!rounds("v0: x86_fp80 = fpext f64 2.0"));
}

/// A cell that is read as something smaller is anything.
#[test]
fn a_cell_is_read_as_a_whole() {
    for (read, expected) in [
        (
            "v0: i8 = load @flag v1: i1 = icmp eq v0, i8 0 br v1, block1, block2",
            "edge0 fn0:block2",
        ),
        (
            "v0: i1 = load @flag v1: i8 = zext v0 v2: i1 = icmp eq v1, i8 0 br v2, block1, block2",
            "",
        ),
    ] {
        let program = sample(&format!(
            "global @flag size 1 align 1 = x\"00\"
             fn @main() -> i32 {{
             block0:
               {read}
             block1:
               ret i32 0
             block2:
               ret i32 1
             }}"
        ));
        let mut invariant = of_main(&[(0, &[]), (1, &[])]);
        if expected.is_empty() {
            invariant = of_main(&[(0, &[]), (1, &[]), (2, &[])]);
        }
        invariant.cells = vec![Cell {
            global: 0,
            offset: 0,
            size: 1,
        }];
        invariant.contexts[0].states[0].cells = only(&[(0, 0)]);
        let found = proved(&program, &invariant);
        assert_eq!(found.as_deref(), Ok(expected), "{read}");
    }
}

/// The least that is enough for something.
pub(super) fn least(is_enough: impl Fn(u64) -> bool) -> u64 {
    let mut most = 1;
    while !is_enough(most) {
        most *= 2;
        assert!(most < 1 << 40);
    }
    let mut least = most / 2;
    while most - least > 1 {
        let middle = least.midpoint(most);
        match is_enough(middle) {
            true => most = middle,
            false => least = middle,
        }
    }
    most
}

/// Steps of a solver that several steps share count once; what is known without one asks nothing.
#[test]
fn a_check_costs_what_its_questions_cost() {
    let program = sample(LOOP);
    let invariant = of_loop(&program);
    let cost = |effort: Effort| check(&runs(&program), &invariant, effort);
    let asked = cost(all()).expect("it holds").queries;
    let steps = least(|steps| cost(all().steps(steps, crate::check::BUDGET)).is_ok());
    assert_eq!((asked, steps), (2, 2));
}
