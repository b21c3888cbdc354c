//! Claims that hold are taken, others are not.

use program::text::sample;
use program::{BlockId, Program, ValueId};
use smallvec::smallvec;

use super::{Claims, Known, QUESTIONS, check, needed, weaken};
use crate::assertion::Set;
use crate::certificate::Fact;
use crate::closed::Effects;
use crate::effort::Effort;
use crate::kinds::Refusal;

pub(super) fn all() -> Effort {
    Effort::questions(QUESTIONS)
}

/// What is claimed, by names: numbers of cells of four bytes, values at blocks, results, blocks that are not come to.
#[derive(Clone, Default)]
struct Said<'s> {
    cells: &'s [(&'s str, &'s [u64])],
    values: &'s [(&'s str, u32, u32, &'s [u64])],
    results: &'s [(&'s str, &'s [u64])],
    never: &'s [(&'s str, u32)],
}

impl Said<'_> {
    fn claims(&self, program: &Program) -> Claims {
        let function = |name: &str| program.function_named(name).expect("a function");
        let set = |numbers: &[u64]| Set::OneOf(numbers.into());
        let mut known = Known::default();
        for (name, numbers) in self.cells {
            let mut globals = program.globals.iter();
            let found = globals.find(|(_, global)| global.name == *name);
            known.cells.push(program::private::Cell {
                global: found.expect("a variable").0,
                offset: 0,
                size: 4,
            });
            known.sets.push(Some(set(numbers)));
        }
        for (name, block, value, numbers) in self.values {
            let place = (function(name), BlockId::from_u32(*block));
            let there = known.values.entry(place).or_default();
            there.insert(ValueId::from_u32(*value), set(numbers));
        }
        for (name, numbers) in self.results {
            known.results.insert(function(name), set(numbers));
        }
        for (name, block) in self.never {
            known
                .blocks
                .insert((function(name), BlockId::from_u32(*block)));
        }
        known.claims()
    }
}

/// What is known of the calls of all runs.
pub(super) fn runs(program: &Program) -> Effects<'_> {
    Effects::new(program, false, None)
}

/// Whether the checker takes claims; in words why not.
fn says(text: &str, said: &Said<'_>) -> String {
    let program = sample(text);
    let claims = said.claims(&program);
    match check(&runs(&program), &claims, all()) {
        Ok(_) => "yes".to_owned(),
        Err(refusal) => refusal.to_string(),
    }
}

/// `mode` is 0 or 1, whoever writes it; so `block2` of `main` is not come to.
const MODES: &str = r#"
    extern @input() -> i32
    global @mode size 4 align 4 = x"00000000"
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      v1: i1 = icmp sgt v0, i32 5
      v2: i32 = zext v1
      call @set(v2)
      v3: i32 = load @mode
      v4: i1 = icmp sgt v3, i32 1
      br v4, block2, block1
    block1:
      call @set(i32 0)
      ret i32 0
    block2:
      call @set(i32 7)
      ret i32 1
    }
    fn @set(v0: i32) { block0: store v0, @mode ret }
"#;

#[test]
fn what_all_calls_and_writes_keep_is_taken() {
    let right = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        never: &[("main", 2)],
        ..Said::default()
    };
    assert_eq!(says(MODES, &right), "yes");
    for (said, expected) in [
        (
            Said {
                cells: &[("mode", &[0])],
                ..right.clone()
            },
            "what mode holds at byte 0 is not refuted: it does not hold behind a write",
        ),
        (
            Said {
                cells: &[("mode", &[1])],
                ..Said::default()
            },
            "what mode holds at byte 0 is not refuted: it does not hold at the start",
        ),
        (
            Said {
                values: &[("set", 0, 0, &[0])],
                ..right.clone()
            },
            "what v0 is at block0 of set is not refuted: it does not hold where its function is called",
        ),
        // The call of `set` with 7 is there as well.
        (
            Said {
                never: &[],
                ..right.clone()
            },
            "what v0 is at block0 of set is not refuted: it does not hold where its function is called",
        ),
        (
            Said {
                never: &[("main", 1), ("main", 2)],
                ..right.clone()
            },
            "block1 of main is not refuted: it does not hold on a way to it",
        ),
        (
            Said {
                never: &[("main", 0)],
                ..Said::default()
            },
            "block0 of main is not refuted: it does not hold where the program is entered",
        ),
        (
            Said {
                never: &[("set", 0)],
                ..Said::default()
            },
            "block0 of set is not refuted: it does not hold where it is called",
        ),
    ] {
        assert_eq!(says(MODES, &said), expected);
    }
}

/// Nothing that comes behind a write excuses it: not even a call of which it is claimed that it returns nothing.
#[test]
fn a_write_is_looked_at_where_it_stands() {
    let text = r#"
        extern @input() -> i32
        global @mode size 4 align 4 = x"00000000"
        fn @main() -> i32 {
        block0:
          store i32 9, @mode
          v0: i32 = call @end()
          ret i32 0
        }
        fn @end() -> i32 {
        block0:
          br block1
        block1:
          br block1
        }
    "#;
    let returns_nothing = Said {
        results: &[("end", &[])],
        ..Said::default()
    };
    assert_eq!(says(text, &returns_nothing), "yes");
    let said = Said {
        cells: &[("mode", &[0])],
        ..returns_nothing
    };
    let expected = "what mode holds at byte 0 is not refuted: it does not hold behind a write";
    assert_eq!(says(text, &said), expected);
    let text = text.replace(
        "block1:\n          br block1",
        "block1:\n          ret i32 1",
    );
    let said = Said {
        results: &[("end", &[])],
        ..Said::default()
    };
    let expected = "what end returns is not refuted: it does not hold at a return";
    assert_eq!(says(&text, &said), expected);
}

/// A function that is called by its address gets what is passed there.
#[test]
fn calls_by_address_are_calls() {
    let text = |passed: u32, at: &str| {
        format!(
            r#"
        extern @input() -> i32
        extern @atexit(ptr) -> i32
        global @mode size 4 align 4 = x"00000000"
        global @chosen size 8 align 8 = x"0000000000000000" [0: @set]
        fn @main() -> i32 {{
        block0:
          v0: ptr = load @chosen
          call *v0(i32 {passed})
          {at}
          ret i32 0
        }}
        fn @set(v0: i32) {{ block0: store v0, @mode ret }}
        fn @late() {{ block0: store i32 3, @mode ret }}
    "#
        )
    };
    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[1])],
        never: &[("late", 0)],
        ..Said::default()
    };
    let sets =
        "what v0 is at block0 of set is not refuted: it does not hold where its function is called";
    let late = "block0 of late is not refuted: it does not hold where the program is entered";
    for (passed, at, expected) in [
        (1, "", "yes"),
        (2, "", sets),
        (1, "v1: i32 = call @atexit(@late)", late),
    ] {
        assert_eq!(says(&text(passed, at), &said), expected, "{passed} {at}");
    }
}

/// Reading twice is reading the same, unless others may write in between.
#[test]
fn others_may_write_between_two_reads() {
    let text = |between: &str, other: &str| {
        format!(
            r#"
        extern @input() -> i32
        {other}
        global @mode size 4 align 4 = x"00000000"
        fn @main() -> i32 {{
        block0:
          v0: i32 = call @input()
          v1: i32 = and v0, i32 1
          store v1, @mode
          v2: i32 = {between}
          v3: i32 = load @mode
          v4: i32 = load @mode
          v5: i1 = icmp eq v3, v4
          br v5, block1, block2
        block1:
          ret i32 0
        block2:
          ret i32 1
        }}
        fn @other(v0: ptr) -> ptr {{ block0: store i32 0, @mode ret null }}
        fn @flip() -> i32 {{ block0: store i32 0, @mode ret i32 0 }}
    "#
        )
    };
    let said = Said {
        cells: &[("mode", &[0, 1])],
        never: &[("main", 2)],
        ..Said::default()
    };
    let refused = "block2 of main is not refuted: it does not hold on a way to it";
    let thread = "call @pthread_create(null, null, @other, null)";
    let create = "extern @pthread_create(ptr, ptr, ptr, ptr) -> i32";
    for (between, other, expected) in [
        ("load @mode", "", "yes"),
        ("call @flip()", "", "yes"),
        (thread, create, refused),
    ] {
        assert_eq!(says(&text(between, other), &said), expected, "{between}");
    }
}

#[test]
fn what_goes_round_a_loop_is_kept() {
    let text = |step: &str| {
        format!(
            r#"
        extern @input() -> i32
        fn @main() -> i32 {{
        block0:
          br block1
        block1:
          v0: i32 = phi [block0: i32 0, block1: v1]
          v1: i32 = {step}
          v2: i32 = call @input()
          v3: i1 = icmp eq v2, i32 0
          br v3, block1, block2
        block2:
          v4: i1 = icmp ugt v0, i32 1
          br v4, block3, block4
        block3:
          ret i32 1
        block4:
          ret i32 0
        }}
    "#
        )
    };
    let said = Said {
        values: &[("main", 1, 0, &[0, 1]), ("main", 2, 0, &[0, 1])],
        never: &[("main", 3)],
        ..Said::default()
    };
    assert_eq!(says(&text("sub i32 1, v0"), &said), "yes");
    let refused = "what v0 is at block1 of main is not refuted: it does not hold on a way to it";
    assert_eq!(says(&text("add v0, i32 1"), &said), refused);
}

#[test]
fn what_the_program_does_not_have_is_refused() {
    let program = sample(MODES);
    let right = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        never: &[("main", 2)],
        results: &[("main", &[0])],
    };
    let right = right.claims(&program);
    let refusal = |change: &dyn Fn(&mut Claims)| {
        let mut claims = right.clone();
        change(&mut claims);
        check(&runs(&program), &claims, all()).expect_err("it is not there")
    };
    for (at, change) in [
        &(|claims: &mut Claims| claims.cells[0].cell.size = 2) as &dyn Fn(&mut Claims),
        &|claims| claims.cells[0].cell.global = 7,
        &|claims| claims.values[0].function = 7,
        &|claims| claims.values[0].block = 7,
        // Defined in the block that it is claimed at.
        &|claims| claims.values[0].function = 0,
        &|claims| claims.values[0].values.clear(),
        &|claims| claims.values[0].values.push((0, Set::OneOf(smallvec![0]))),
        &|claims| claims.values.push(claims.values[0].clone()),
        &|claims| claims.results[0].0 = 7,
        &|claims| claims.never.push(Fact::Edge { edge: 70 }),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(refusal(change), Refusal::NotThere, "{at}");
    }
}

/// Other code that the program is linked with finds what is visible, and nothing else.
#[test]
fn what_other_code_can_name_is_not_claimed() {
    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        never: &[("main", 2)],
        ..Said::default()
    };
    let ask = |text: &str| {
        let program = sample(text);
        check(
            &Effects::new(&program, true, None),
            &said.claims(&program),
            all(),
        )
    };
    let kept = MODES.replace("global @mode", "global @mode internal");
    assert_eq!(ask(MODES), Err(Refusal::NotThere));
    let entered =
        "what v0 is at block0 of set is not refuted: it does not hold where the program is entered";
    let why = ask(&kept).map_err(|refusal| refusal.to_string());
    assert_eq!(why, Err(entered.to_owned()));
    let own = kept.replace("@set(v0: i32) {", "@set(v0: i32) internal {");
    assert!(ask(&own).is_ok());
    let loads = own.replace("@input()", "@dlopen()");
    assert!(ask(&loads).is_ok());
    let program = sample(&MODES.replace("@input()", "@dlopen()"));
    let found = check(&runs(&program), &said.claims(&program), all());
    assert_eq!(found, Err(Refusal::NotThere));
}

/// A buffer that the C library writes to is no cell.
#[test]
fn a_kept_buffer_is_somewhere_else() {
    let text = MODES.replace(
        "extern @input() -> i32",
        "extern @input() -> i32\n extern @setvbuf(ptr, ptr, i32, i64) -> i32",
    );
    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        never: &[("main", 2)],
        ..Said::default()
    };
    assert_eq!(says(&text, &said), "yes");
}

/// Behind a call that may come back once more, nothing is known but what is claimed of any time.
#[test]
fn a_call_that_comes_back_forgets() {
    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        never: &[("main", 2)],
        ..Said::default()
    };
    let twice = |text: &str| {
        text.replace("extern @input()", "extern @setjmp()")
            .replace("call @input()", "call @setjmp()")
    };
    assert_eq!(says(&twice(MODES), &said), "yes");

    let on_a_way = "block3 of main is not refuted: it does not hold on a way to it";
    let main = |blocks: &str| {
        format!(
            "extern @input() -> i32 extern @other() -> i32
             global @mode size 4 align 4 = x\"00000000\"
             fn @main() -> i32 {{ {blocks} block2: ret i32 0 block3: ret i32 1 }}"
        )
    };
    // What led to the call's block was then.
    let before = main(
        "block0: v0: i32 = call @other() v1: i1 = icmp eq v0, i32 3 br v1, block1, block2
         block1: v2: i32 = call @input() v3: i1 = icmp eq v0, i32 3 br v3, block2, block3",
    );
    // So was what was computed from it.
    let apart = main(
        "block0: v0: i32 = call @other() v1: i32 = add v0, i32 1 v2: i32 = call @input() br block1
         block1: v3: i32 = sub v1, v0 v4: i1 = icmp eq v3, i32 1 br v4, block2, block3",
    );
    let written = main(
        "block0: store i32 1, @mode v0: i32 = call @input() v1: i32 = load @mode br block1
         block1: v2: i1 = icmp ne v1, i32 2 br v2, block2, block3",
    );
    for (text, values, cells) in [
        (&before, &[("main", 1, 0, &[3][..])][..], &[][..]),
        (&apart, &[], &[]),
        (
            &written,
            &[("main", 1, 1, &[0, 1])],
            &[("mode", &[0, 1][..])],
        ),
    ] {
        let said = Said {
            cells,
            values,
            never: &[("main", 3)],
            ..Said::default()
        };
        assert_eq!(says(text, &said), "yes", "{text}");
        let comes_back = match cells.is_empty() {
            true => on_a_way,
            false => "yes",
        };
        assert_eq!(says(&twice(text), &said), comes_back, "{text}");
    }
}

/// What is computed from the address of an object is not null.
#[test]
fn addresses_are_not_null() {
    let text = "
        global @buffer size 16 align 8 = x\"\"
        fn @main() -> i32 { block0: v0: ptr = gep @buffer + 8 call @take(v0) ret i32 0 }
        fn @take(v0: ptr) {
        block0:
          v1: ptr = gep v0 + 8
          v2: i1 = icmp eq v1, null
          br v2, block1, block2
        block1:
          ret
        block2:
          ret
        }";
    let said = Said {
        values: &[("take", 0, 0, &[1])],
        never: &[("take", 1)],
        ..Said::default()
    };
    let ask = |text: &str| {
        let program = sample(text);
        let mut claims = said.claims(&program);
        claims.values[0].values[0].1 = Set::Range {
            start: 1,
            steps: u64::MAX - 1,
            stride: 1,
        };
        let found = check(&runs(&program), &claims, all());
        found.map_err(|refusal| refusal.to_string())
    };
    assert!(ask(text).is_ok());
    let called = "what v0 is at block0 of take is not refuted: it does not hold where its function is called";
    for other in ["gep null", "load @buffer"] {
        let found = ask(&text.replace("gep @buffer + 8", other));
        assert_eq!(found, Err(called.to_owned()), "{other}");
    }
}

/// What does not hold is given up, what lacks numbers gets them; of what is kept, a fact needs a part.
#[test]
fn what_does_not_hold_is_given_up() {
    let program = sample(MODES);
    let said = Said {
        cells: &[("mode", &[0])],
        values: &[("set", 0, 0, &[1])],
        results: &[("main", &[3])],
        never: &[("main", 1), ("main", 2)],
    };
    let kept = weaken(&runs(&program), &said.claims(&program), all()).expect("there is a part");
    // What is passed is no number of its own.
    let expected = Said {
        results: &[("main", &[0, 1, 3])],
        ..Said::default()
    };
    assert_eq!(kept, expected.claims(&program));

    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        results: &[("main", &[0])],
        never: &[("main", 2)],
    };
    let kept = weaken(&runs(&program), &said.claims(&program), all()).expect("there is a part");
    assert_eq!(kept, said.claims(&program));
    let fact = Fact::Block {
        function: 0,
        block: 2,
    };
    let part = needed(&runs(&program), &kept, &[fact]).expect("it fits");
    let expected = Said {
        results: &[],
        ..said
    };
    assert_eq!(part, expected.claims(&program));
    assert!(check(&runs(&program), &part, all()).is_ok());
}

#[test]
fn no_more_is_spent_than_there_is() {
    let program = sample(MODES);
    let said = Said {
        cells: &[("mode", &[0, 1])],
        values: &[("set", 0, 0, &[0, 1])],
        ..Said::default()
    };
    let claims = said.claims(&program);
    let spent = check(&runs(&program), &claims, Effort::questions(0));
    assert_eq!(spent, Err(Refusal::TooLarge));
}

/// Whichever record is read or written, its field is what is claimed of all.
#[test]
fn what_all_records_hold_is_taken() {
    let text = r#"
        extern @input() -> i64
        global @table size 16 align 4 = x"01000000000000000200000000000000"
        fn @main() -> i32 {
        block0:
          v0: i64 = call @input()
          v1: ptr = gep @table [v0 * 8]
          v2: i32 = load v1
          v3: i1 = icmp sgt v2, i32 4
          store i32 4, v1
          v4: ptr = gep @table [v0 * 8] + 4
          store i32 7, v4
          br v3, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#;
    let ask = |text: &str, set: &[u64]| {
        let program = sample(text);
        let said = Said {
            never: &[("main", 1)],
            ..Said::default()
        };
        let mut claims = said.claims(&program);
        claims.fields = vec![super::Column {
            field: super::Field {
                table: 0,
                offset: 0,
                size: 4,
                record: 8,
            },
            set: Set::OneOf(set.into()),
        }];
        let found = check(&runs(&program), &claims, all());
        found.map_err(|refusal| refusal.to_string())
    };
    assert!(ask(text, &[1, 2, 4]).is_ok());
    let start =
        "what table holds at byte 0 of a record is not refuted: it does not hold at the start";
    assert_eq!(ask(text, &[1, 4]), Err(start.to_owned()));
    let write =
        "what table holds at byte 0 of a record is not refuted: it does not hold behind a write";
    assert_eq!(ask(text, &[1, 2, 3]), Err(write.to_owned()));
    let way = "block1 of main is not refuted: it does not hold on a way to it";
    assert_eq!(ask(text, &[1, 2, 4, 5]), Err(way.to_owned()));
    // Nobody knows which field this is.
    let other = text
        .replace("i32 7, v4", "i32 4, v4")
        .replace("] + 4", "] + 2");
    assert_eq!(ask(&other, &[1, 2, 4]), Err(Refusal::NotThere.to_string()));
}

/// A pointer to one of two tables: what is read is of one of them, what is written is of both.
#[test]
fn a_pointer_to_one_of_two_tables_is_followed() {
    let text = r#"
        extern @input() -> i64
        global @first size 8 align 4 = x"0100000001000000"
        global @second size 8 align 4 = x"0200000002000000"
        fn @main() -> i32 {
        block0:
          v0: i64 = call @input()
          v1: i1 = icmp eq v0, i64 5
          v2: ptr = select v1, @first, @second
          v3: ptr = gep v2 [v0 * 4]
          v4: i32 = load v3
          store i32 1, v3
          v5: i1 = icmp sgt v4, i32 2
          br v5, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }"#;
    let ask = |second: &[u64]| {
        let program = sample(text);
        let said = Said {
            never: &[("main", 1)],
            ..Said::default()
        };
        let mut claims = said.claims(&program);
        let column = |table: u32, set: &[u64]| super::Column {
            field: super::Field {
                table,
                offset: 0,
                size: 4,
                record: 4,
            },
            set: Set::OneOf(set.into()),
        };
        claims.fields = vec![column(0, &[1]), column(1, second)];
        claims
            .fields
            .retain(|column| column.set != Set::OneOf(smallvec![]));
        let found = check(&runs(&program), &claims, all());
        found.map_err(|refusal| refusal.to_string())
    };
    assert!(ask(&[1, 2]).is_ok());
    let write =
        "what second holds at byte 0 of a record is not refuted: it does not hold behind a write";
    assert_eq!(ask(&[2]), Err(write.to_owned()));
    let way = "block1 of main is not refuted: it does not hold on a way to it";
    assert_eq!(ask(&[1, 2, 3]), Err(way.to_owned()));
    assert_eq!(ask(&[]), Err(way.to_owned()));
}
