//! Texts and what becomes of them.

use expect_test::{Expect, expect};

use super::{parse, print};
use crate::model::Program;
use crate::verify::verify;

/// Parses and verifies `text`; what is printed is `expected`, and parses back to the same program.
fn check(text: &str, expected: Expect) {
    let program: Program = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&program);
    expected.assert_eq(&printed);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, program);
    assert_eq!(print(&again), printed);
}

fn check_error(text: &str, expected: Expect) {
    let message = match parse(text) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&message);
}

/// Every part of the text form once.
const EVERYTHING: &str = r#"
layout 64 little
file0 "dir/a b.c"
file1 "quote\"back\\slash\u9;.h"
extern0 @printf(ptr, ...) -> i32
extern1 @exit(i32)
global0 @table const size 24 align 8 at file0:1:1 = x"000102ff" [8: @f, 16: global1 + 4] unknown [4: 2, 6: 1]
global1 @buffer internal thread_local size 8 align 1 = x""
global2 @environ size 0 align 8
module0 "a.c" uid 0x2a

fn0 @f(v0: i32, v1: ptr, v2: f64, ...) -> i32 internal library counters {0, 2} at file0:3:5 {
block0:
  v3: ptr = alloca 4 x i32 1 align 4
  store v0, v3 align 4 spot0 "store" at file0:4:1
  v5: i32 = load v3 align 4 volatile spot1 "load" at file0:4:9
  v6: i32 = add v5, i32 -2147483648
  v7: i1 = icmp sgt v6, i32 100
  v8: f64 = fdiv v2, f64 1.5
  v9: f64 = fneg v8
  v10: i1 = fcmp une v9, f64 0x7ff8000000000000
  v11: i64 = sext v6
  v12: ptr = gep v1 [v11 * 4, i64 3 * -8] - 16
  v13: i32 = select v10, i32 1, undef i32
  v14: {i32 + 0, i1 + 4, size 8} = uadd.o(v13, v6)
  v15: i32 = extractvalue v14 [0]
  v16: {i32 + 0, i1 + 4, size 8} = insertvalue v14, true [1]
  memset v12, i8 0, i64 16 volatile
  memcpy v12, (@table + 4), i64 8
  v19: i32 = call variadic @printf(v12, v15)
  call *v1(null, fn0)
  call asm "nop"()
  v22: <2 x i32> = opaque "shufflevector"(zero <2 x i32>, poison <2 x i32>)
  v23: i32 = freeze v15
  count 1
  count 2 step i64 1 [site0 at file0:5:1: edge0 false, edge1 true]
  count 0 [site1: edge2 {0}]
  br v7, block1, block2 [site2 at file0:6:7 in 6:7..6:14: edge3 false, edge4 true {1, 2}] at file0:6:7
block1:
  v27: i32 = phi [block0: v23, block3: i32 5]
  switch v27 [-1: block2, 7: block3, default: block4] [site3: edge5 -1, edge6 7, edge7 default]
block2:
  v28: {[2 x i8] + 0, f32 + 4, size 8} = freeze {[2 x i8] + 0, f32 + 4, size 8} [[2 x i8] [i8 1, i8 -1], f32 0.1]
  v29: x86_fp80 = freeze opaque x86_fp80 "1.0L"
  v30: type "half" = freeze zero type "half"
  ret v0
block3:
  br block1
block4:
  indirectbr v1 [block2, block5]
block5:
  trap()
  unreachable
}

fn1 @"odd name"() {
block0:
  leave "invoke"(i128 -170141183460469231731687303715884105728) [block1, block2]
block1:
  unreachable
block2:
  ret
}
module1 "b.c" uid 0x7

fn2 @twice() {
block0:
  v0: f32 = call fn3(f32 0xff800000)
  call @exit(i32 0)
  unreachable
}

fn3 @again(v0: f32) -> f32 {
block0:
  ret v0
}
module2 "empty.c" uid 0xffffffffffffffff

coverage fn0 "a.c:f" hash 0x18 counters 3 files {0, 1} {
  x0 = c0 - c1
  x1 = x0 + zero
  code c0 in 0 3:12..9:2
  branch c1, x1 in 1 6:7..6:14
  expansion 1 c0 in 0 7:1..7:2
  skipped zero in 0 8:1..8:9
  gap x0 in 0 8:1..8:9
  decision bitmap 0 conditions 2 c0 in 0 6:7..6:14
  condition 0 true 1 false none c1, x0 in 0 6:7..6:9
}

coverage none "unused" hash 0x0 counters 0 files {} {
}
"#;

#[test]
fn everything_prints_as_it_is_written() {
    let program: Program = EVERYTHING.parse().unwrap_or_else(|error| panic!("{error}"));
    // Names that are unique replace ids.
    let canonical = EVERYTHING
        .replace("global1 + 4", "@buffer + 4")
        .replace("null, fn0", "null, @f");
    let canonical = canonical.replace("call fn3", "call @again");
    assert_eq!(print(&program).trim(), canonical.trim());
    assert_eq!(parse(&print(&program)), Ok(program));
}

#[test]
fn a_small_model_by_hand() {
    check(
        "fn @f(v0: i32) { block0: v1 = icmp sgt v0, 100 ; br v1, block1, block2 [site0: edge0 false, edge1 true]
         block1: ret block2: ret }",
        expect![[r#"
            layout 64 little
            module0 "" uid 0x0

            fn0 @f(v0: i32) {
            block0:
              v1: i1 = icmp sgt v0, i32 100
              br v1, block1, block2 [site0: edge0 false, edge1 true]
            block1:
              ret
            block2:
              ret
            }
        "#]],
    );
}

#[test]
fn branches_without_detail() {
    check(
        "fn @main() {
           block0: br undef, block1, block2
           block1: v0: i8 = load @g; call @h(); switch v0 [1: block2, 255: block2, default: block1]
           block2: ret
         }
         global @g size 1 align 1
         fn @h() { block0: call @main() ret }",
        expect![[r#"
            layout 64 little
            global0 @g size 1 align 1
            module0 "" uid 0x0

            fn0 @main() {
            block0:
              br undef i1, block1, block2 [site0: edge0 false, edge1 true]
            block1:
              v0: i8 = load @g align 1
              call @h()
              switch v0 [1: block2, -1: block2, default: block1] [site1: edge2 1, edge3 -1, edge4 default]
            block2:
              ret
            }

            fn1 @h() {
            block0:
              call @main()
              ret
            }
        "#]],
    );
}

#[test]
fn instructions_without_a_result_take_the_numbers_that_are_left() {
    let text = "fn @f(v0: ptr) {
        block0: store i8 1, v0; v2: i8 = load v0; v5 = store v2, v0; store v2, v0; v3 = add v2, 1; ret }";
    check(
        text,
        expect![[r#"
            layout 64 little
            module0 "" uid 0x0

            fn0 @f(v0: ptr) {
            block0:
              v1 = store i8 1, v0 align 1
              v2: i8 = load v0 align 1
              v5 = store v2, v0 align 1
              v4 = store v2, v0 align 1
              v3: i8 = add v2, i8 1
              ret
            }
        "#]],
    );
}

#[test]
fn names_that_are_not_unique_do_not_stand_for_ids() {
    check(
        "module0 \"a.c\" uid 1 fn @f() { block0: call fn1() ret } module1 \"b.c\" uid 2 fn @f() { block0: ret }",
        expect![[r#"
            layout 64 little
            module0 "a.c" uid 0x1

            fn0 @f() {
            block0:
              call fn1()
              ret
            }
            module1 "b.c" uid 0x2

            fn1 @f() {
            block0:
              ret
            }
        "#]],
    );
}

#[test]
fn errors_say_where_and_what() {
    for (text, expected) in [
        (
            "fn @f() {\n  block0: frob v1 }",
            expect!["2:11: expected an instruction, found `frob`"],
        ),
        (
            "fn @f() { block1: ret }",
            expect!["1:11: expected `block0:`, because numbers count up, found `block1`"],
        ),
        (
            "fn @f() { block0: ret",
            expect![
                "1:22: expected `block1:`, because numbers count up, found the end of the text"
            ],
        ),
        (
            "fn @f() { block0: v0: i32 = add i32 1, i32 2 v0: i32 = add i32 1, 2 ret }",
            expect!["1:46: v0 is defined twice"],
        ),
        (
            "fn @f() { block0: v7: i32 = add i32 1, i32 2 ret }",
            expect!["1:19: values count up without gaps: 1 values do not need v7"],
        ),
        (
            "fn @f() { block0: v0 = add 1, 2 ret }",
            expect!["1:28: say the type of the constant, as in `i32 5`"],
        ),
        (
            "fn @f() { block0: v0 = load null ret }",
            expect!["1:19: say the type of the result: `v…: i32 = …`"],
        ),
        (
            "fn @f() { block0: add i32 1, 2 ret }",
            expect!["1:19: an instruction with a result needs a name: `v… = …`"],
        ),
        (
            "fn @f() { block0: v0 = add i8 256, 2 ret }",
            expect!["1:31: the number does not fit in 8 bits"],
        ),
        (
            "fn @f() { block0: v0 = add i8 -129, 2 ret }",
            expect!["1:31: the number does not fit in 8 bits"],
        ),
        (
            "fn @f() { block0: call @g() ret }",
            expect!["1:24: nothing is called `@g`"],
        ),
        (
            "fn @f() { block0: call @f() ret } fn @f() { block0: ret }",
            expect!["1:24: several things are called `@f`: use the id"],
        ),
        (
            "fn1 @f() { block0: ret }",
            expect!["1:1: expected `fn0`, because numbers count up, found `fn1`"],
        ),
        (
            "fn @f() { block0: br true, block0, block0 [site0: edge0 true, edge1 false] }",
            expect!["1:57: expected `false`, found `true`"],
        ),
        (
            "fn @f() { block0: br true, block0, block0 [site1: edge0, edge1] }",
            expect!["1:44: expected `site0`, because numbers count up, found `site1`"],
        ),
        (
            "global @g size 4 align 4 = x\"0\"",
            expect!["1:29: expected bytes as pairs of hexadecimal digits"],
        ),
        ("file0 \"a", expect!["1:9: the string is not closed"]),
        (
            "file0 \"\\q\"",
            expect![[r#"1:9: only `\"`, `\\` and `\u…;` are escapes"#]],
        ),
        (
            "fn @f() { block0: v0: i32 = add i32 340282366920938463463374607431768211456, 2 }",
            expect!["1:37: no number of up to 128 bits"],
        ),
        (
            "what",
            expect![
                "1:1: expected `layout`, `file`, `extern`, `global`, `module`, `fn` or `coverage`, found `what`"
            ],
        ),
        ("%", expect!["1:1: `%` has no meaning here"]),
    ] {
        check_error(text, expected);
    }
}

#[test]
fn no_text_makes_the_parser_or_the_verifier_panic() {
    let mut random = random::Random::new(3);
    let characters: Vec<char> = EVERYTHING.chars().collect();
    for _ in 0..3000 {
        let mut text = characters.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text[at] = characters[random.below(characters.len())],
                _ => text.insert(at, characters[random.below(characters.len())]),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse(&text)
            && verify(&program).is_ok()
        {
            assert_eq!(parse(&print(&program)).as_ref(), Ok(&program), "{text}");
        }
    }
}
