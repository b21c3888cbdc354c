//! Closed sets of states: good ones hold, and one with a state, a condition or a way left out does not.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};

use super::{Closed, QUESTIONS, check};
use crate::certificate::Fact;
use crate::closed::Effects;
use crate::effort::Effort;

/// What is said of a set of states of a program: its terms and states are lines.
fn said((text, foreign): (&str, bool), terms: &str, states: &str, claims: &[Fact]) -> String {
    let program = program::text::sample(text);
    let lines = |text: &str| {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let closed = Closed {
        terms: lines(terms),
        states: lines(states),
    };
    let effort = Effort::questions(QUESTIONS);
    let found = check(
        &Effects::new(&program, foreign, None),
        &BTreeSet::new(),
        &closed,
        claims,
        effort,
    );
    match found {
        Ok(_) => "it holds".to_owned(),
        Err(refusal) => refusal.to_string(),
    }
}

#[track_caller]
fn holds(text: &str, terms: &str, states: &str, claims: &[Fact], expected: &Expect) {
    expected.assert_eq(&said((text, false), terms, states, claims));
}

const fn edge(edge: u32) -> Fact {
    Fact::Edge { edge }
}

const TWO: &str = "
    extern0 @input() -> i32
    global0 @known size 4 align 4 = x\"05000000\"
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      v1: i1 = icmp sgt v0, i32 5
      br v1, block1, block3 [site0: edge0 false, edge1 true]
    block1:
      v2: i1 = icmp slt v0, i32 3
      br v2, block2, block3 [site1: edge2 false, edge3 true]
    block2:
      ret i32 0
    block3:
      ret i32 1
    }
";

#[test]
fn conditions_that_exclude_each_other_close_a_set() {
    let value = "value 0 2 0 1\nvalue 0 1 0 1\nvalue 0 0 0 32\nconst 32 0x3\nSlt 1 0 t2 t3";
    let states = "at 0:1:1 holds t0\nat 0:0:2 holds t1 t4";
    holds(TWO, value, states, &[edge(3)], &expect!["it holds"]);
    // Without the condition, a run comes there.
    holds(
        TWO,
        value,
        "at 0:1:1\nat 0:0:2 holds t1 t4",
        &[edge(3)],
        &expect![
            "fn0 block1 1 is not refuted: control comes there from a state that is not among those in front (fn0 block0 2)"
        ],
    );
    // Of the other edge nothing is said.
    holds(
        TWO,
        value,
        states,
        &[edge(2)],
        &expect![
            "fn0 block1 1 is not refuted: control comes there from a state that is not among those in front"
        ],
    );
    // Nothing is said of anything.
    holds(
        TWO,
        "",
        "",
        &[edge(3)],
        &expect![
            "fn0 block1 1 is not refuted: control comes there from a state that is not among those in front"
        ],
    );
    // A state at the start, which a run is in.
    holds(
        TWO,
        "",
        "at 0:1:1\nat 0:0:2\nat 0:0:0",
        &[edge(2), edge(3)],
        &expect!["a state at the start is not refuted: a run may begin in it"],
    );
}

/// A flag that is 0 from the start is never 1 behind a loop and a call that do not write it.
const FLAG: &str = "
    extern0 @input() -> i32
    global0 @flag internal size 4 align 4 = x\"00000000\"
    global1 @other internal size 4 align 4 = x\"00000000\"
    fn @main() -> i32 {
    block0:
      br block1
    block1:
      v0: i32 = call @input()
      call @note(v0)
      v1: i1 = icmp eq v0, i32 0
      br v1, block2, block1 [site0: edge0 false, edge1 true]
    block2:
      v2: i32 = load @flag
      v3: i1 = icmp eq v2, i32 1
      br v3, block3, block4 [site1: edge2 false, edge3 true]
    block3:
      ret i32 0
    block4:
      ret i32 1
    }
    fn @note(v0: i32) {
    block0:
      store v0, @other
      ret
    }
";

const FLAG_TERMS: &str = "
    value 0 3 0 1
    global 0 64
    cell t1 4
    const 32 0x1
    Eq 1 0 t2 t3
";

const FLAG_STATES: &str = "
    at 0:2:2 holds t0
    at 0:1:3 holds t4
    at 0:0:0 holds t4
";

#[test]
fn memory_is_followed_over_loops_and_calls_to_the_start() {
    let program = FLAG.to_owned();
    let all = said((&program, false), FLAG_TERMS, FLAG_STATES, &[edge(3)]);
    expect!["it holds"].assert_eq(&all);
    // Each state is needed.
    let states: Vec<&str> = FLAG_STATES.trim().lines().collect();
    for left_out in 0..states.len() {
        let mut rest = states.clone();
        rest.remove(left_out);
        let found = said((&program, false), FLAG_TERMS, &rest.join("\n"), &[edge(3)]);
        assert!(found.contains("is not refuted"), "{left_out}: {found}");
    }
    // It starts with 1, or the callee writes it, or code outside of the program does.
    let one = program.replacen("x\"00000000\"", "x\"01000000\"", 1);
    let written = program.replace("store v0, @other", "store v0, @flag");
    for (text, foreign) in [(&one, false), (&written, false), (&program, true)] {
        let found = said((text, foreign), FLAG_TERMS, FLAG_STATES, &[edge(3)]);
        assert!(found != "it holds", "{text}");
    }
}

#[test]
fn lines_name_only_what_there_is() {
    for (terms, states) in [
        ("value 0 2 0 0", ""),
        ("value 0 2 0 129", ""),
        ("value 0 2 0", ""),
        ("value 0 2 0 1 1", ""),
        ("const 32 10", ""),
        ("global 9 64", ""),
        ("function 1 64", ""),
        ("extern 1 64", ""),
        ("cell t0 4", ""),
        ("const 64 0x1\ncell t0 17", ""),
        ("table", ""),
        ("const 8 0x0\ntable t0", ""),
        ("const 8 0x0\nAdd 8 0 t0", ""),
        ("const 8 0x0\nSum 8 0 t0 t0", ""),
        ("", "at 0:1:3"),
        ("", "at 0:9:0"),
        ("", "at 1:0:0"),
        ("", "at 0:1:1 holds t0"),
        ("", "at 0:1:1 within 0:1:0"),
        ("", "at 0:0:2 enters 1"),
        ("", "at 0:0:0 enters 0"),
        ("", "0:1:1"),
        ("", "at 0:1:1 more"),
    ] {
        let found = said((TWO, false), terms, states, &[edge(3)]);
        assert!(
            found.contains("is no term or state"),
            "{terms} / {states}: {found}"
        );
    }
    // Widths that do not fit, where they are asked for.
    for terms in [
        "const 8 0x1\nconst 16 0x1\nEq 1 0 t0 t1",
        "const 8 0x1\nconst 8 0x1\nAdd 8 0 t0 t1",
        "const 32 0x1\ncell t0 1\nEq 1 0 t1 t1",
        "const 8 0x0\nconst 8 0x1\nconst 16 0x1\ntable t0 t1 t2",
    ] {
        let last = terms.lines().count() - 1;
        let found = said(
            (TWO, false),
            terms,
            &format!("at 0:1:1 holds t{last}"),
            &[edge(3)],
        );
        assert!(
            found.contains("its body cannot be read"),
            "{terms}: {found}"
        );
    }
}

/// What a call returns comes from its callee, for each call its own.
const CALLS: &str = "
    extern0 @input() -> i32
    fn @main() -> i32 {
    block0:
      v0: i32 = call @input()
      v1: i32 = call @half(v0)
      v2: i1 = icmp ugt v1, i32 2147483647
      br v2, block1, block2 [site0: edge0 false, edge1 true]
    block1:
      ret i32 0
    block2:
      ret i32 1
    }
    fn @half(v0: i32) -> i32 {
    block0:
      v1: i32 = lshr v0, i32 1
      ret v1
    }
";

#[test]
fn a_call_is_followed_into_its_callee() {
    let terms = "
        value 0 2 0 1
        value 1 1 0 32
        const 32 0x7fffffff
        Ult 1 0 t2 t1
    ";
    let states = "
        at 0:0:3 holds t0 enters 1
        at 1:0:1 within 0:0:1 holds t3
    ";
    holds(CALLS, terms, states, &[edge(1)], &expect!["it holds"]);
    // Not followed into the callee, its result may be anything.
    let alone = "at 0:0:3 holds t0\nat 1:0:1 within 0:0:1 holds t3";
    let found = said((CALLS, false), terms, alone, &[edge(1)]);
    assert!(found.contains("is not refuted"), "{found}");
    // Another callee.
    let other = CALLS.replace("lshr", "add");
    let found = said((&other, false), terms, states, &[edge(1)]);
    assert!(found.contains("is not refuted"), "{found}");
}

/// An edge of an expression without a branch is taken where its counter grows, not where the block's branch goes.
#[test]
fn an_edge_may_leave_an_expression() {
    let text = "
        extern0 @input() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @input()
          v1: i1 = icmp slt v0, i32 3
          v2: i64 = zext v1
          v3: i1 = icmp sgt v0, i32 5
          br v3, block1, block2 [site0: edge0 false, edge1 true]
        block1:
          count 1 step v2 [site1: edge2 false, edge3 true]
          br block2
        block2:
          ret i32 0
        }
    ";
    let terms = "
        value 0 3 0 1
        value 0 2 0 64
        const 64 0x0
        Eq 1 0 t1 t2
        Not 1 0 t3
    ";
    let states = "at 0:1:0 holds t4\nat 0:0:4 holds t0 t4";
    holds(text, terms, states, &[edge(3)], &expect!["it holds"]);
    let found = said((text, false), terms, states, &[edge(2)]);
    assert!(found.contains("is not refuted"), "{found}");
}

/// What `getopt` returns follows from the words of the command line, and from nothing else.
#[test]
fn options_that_are_not_given_are_not_returned() {
    let text = "
        extern0 @getopt(i32, ptr, ptr) -> i32
        global0 @options internal const size 4 align 1 = x\"61653a00\"
        fn @main(v0: i32, v1: ptr) -> i32 {
        block0:
          v2: i32 = call @getopt(v0, v1, @options)
          v3: i1 = icmp eq v2, i32 97
          br v3, block1, block2 [site0: edge0 false, edge1 true]
        block1:
          ret i32 0
        block2:
          ret i32 1
        }
    ";
    let program = program::text::sample(text);
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let closed = Closed {
        terms: lines(&["value 0 3 0 1"]),
        states: lines(&["at 0:0:2 holds t0"]),
    };
    let said = |words: Option<&[&str]>| {
        let word = |word: &&str| (*word != "@").then(|| word.as_bytes().to_vec());
        let words: Option<Vec<_>> = words.map(|words| words.iter().map(word).collect());
        let (dead, effort) = (BTreeSet::new(), Effort::questions(QUESTIONS));
        let runs = Effects::new(&program, false, words.as_deref());
        check(&runs, &dead, &closed, &[edge(1)], effort).is_ok()
    };
    assert!(said(Some(&["-e", "@"])));
    assert!(!said(Some(&["-a", "@"])));
    assert!(!said(Some(&["@"])));
    assert!(!said(None));
}

/// A number of which only is known that there is one: behind the call, it is what the call returned.
#[test]
fn a_number_that_there_is_is_one_behind() {
    let text = "
        extern0 @input() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @input()
          v1: i1 = icmp ult v0, i32 0
          br v1, block1, block3 [site0: edge0 false, edge1 true]
        block1:
          v2: i32 = call @input()
          v3: i1 = icmp sgt v2, i32 3
          br v3, block2, block3 [site1: edge2 false, edge3 true]
        block2:
          ret i32 0
        block3:
          ret i32 1
        }
    ";
    let terms = "
        value 0 3 0 1
        value 0 1 0 1
        value 0 2 0 32
        const 32 0x3
        some 0 32 t2
        Slt 1 0 t3 t4
    ";
    let states = "at 0:1:2 holds t0\nat 0:0:2 holds t1 t5";
    holds(text, terms, states, &[edge(3)], &expect!["it holds"]);
    // What it may be is not said.
    let unsaid = terms.replace("some 0 32 t2", "some 0 32");
    let found = said((text, false), &unsaid, states, &[edge(3)]);
    assert!(found.contains("is not refuted"), "{found}");
    // There is such a number, whatever the call returns.
    let states = "at 0:1:2 holds t0\nat 0:0:2 holds t5";
    let found = said((text, false), terms, states, &[edge(3)]);
    assert!(found.contains("at the start is not refuted"), "{found}");
}

/// A pointer to a function without a body may be what an indirect call calls.
#[test]
fn a_call_through_a_pointer_may_go_outside() {
    let text = |more: &str| {
        format!(
            "extern0 @getchar() -> i32
             global0 @handler internal size 8 align 8 = x\"0000000000000000\" [0: @none]
             fn @main() -> i32 {{
             block0:
               {more}
               v0: ptr = load @handler
               v1: i32 = call *v0()
               v2: i1 = icmp eq v1, i32 7
               br v2, block1, block2 [site0: edge0 false, edge1 true]
             block1:
               ret i32 0
             block2:
               ret i32 1
             }}
             fn @none() -> i32 {{ block0: ret i32 0 }}"
        )
    };
    let terms = "value 0 2 0 1\nconst 1 0x0";
    let states = "at 0:0:3 holds t0 enters 1\nat 1:0:0 within 0:0:1 holds t1";
    let found = said((&text(""), false), terms, states, &[edge(1)]);
    expect!["it holds"].assert_eq(&found);
    let terms = "value 0 3 0 1\nconst 1 0x0";
    let states = "at 0:0:4 holds t0 enters 2\nat 1:0:0 within 0:0:2 holds t1";
    let open = text("store @getchar, @handler")
        .replace("v2", "v3")
        .replace("v1", "v2")
        .replace("v0", "v1");
    let found = said((&open, false), terms, states, &[edge(1)]);
    assert!(found.contains("is not refuted"), "{found}");
}

/// A pointer that was computed from a local object's name in front of the stretch leads into the object.
const PLACE: &str = "
    extern0 @input() -> i32
    fn @main() -> i32 {
    block0:
      v0: ptr = alloca 4 x i32 1 align 4
      v1: i32 = call @input()
      store i32 5, v0 align 4
      v3: i32 = and v1, i32 3
      v4: i64 = zext v3
      v5: ptr = gep v0 [v4 * 1]
      br block1
    block1:
      store i8 2, v5 align 1
      v7: i32 = load v0 align 4
      v8: i1 = icmp ne v7, i32 5
      br v8, block2, block3 [site0: edge0 false, edge1 true]
    block2:
      ret i32 0
    block3:
      ret i32 1
    }
";

#[test]
fn what_is_computed_from_a_name_leads_into_the_object() {
    let terms = "value 0 8 0 1\nvalue 0 0 0 64\ncell t1 4\nconst 32 0x5\nEq 1 0 t2 t3\nNot 1 0 t4";
    let states = "at 0:1:3 holds t0\nat 0:0:6 holds t5";
    holds(
        PLACE,
        terms,
        states,
        &[edge(1)],
        &expect![
            "fn0 block1 3 is not refuted: control comes there from a state that is not among those in front (fn0 block0 6)"
        ],
    );
}

/// Functions that write to nothing else write to variables of the library: by their names, and to what says why they failed.
#[test]
fn what_the_library_keeps_is_written_by_calls() {
    let known = |function: &str, call: &str, address: &str| {
        let text = format!(
            "extern @{function}
            extern @__errno_location() -> ptr
            extern @puts(ptr) -> i32
            global0 @signgam size 4 align 4
            global1 @error_message_count size 4 align 4
            global2 @own internal size 4 align 4 = x\"\"
            global3 @text const size 2 align 1 = x\"6100\"
            fn @main() -> i32 {{
            block0:
              v0: ptr = call @__errno_location()
              v1: i32 = call @puts(@own)
              store i32 1, {address}
              {call}
              v2: i32 = load {address}
              v3: i1 = icmp eq v2, i32 2
              br v3, block1, block2 [site0: edge0 false, edge1 true]
            block1:
              ret i32 1
            block2:
              ret i32 0
            }}"
        );
        let said = said(
            (&text, false),
            "value 0 3 0 1",
            "at 0:0:6 holds t0",
            &[edge(1)],
        );
        assert!(
            said == "it holds" || said.contains("is not refuted"),
            "{said}"
        );
        said == "it holds"
    };
    let log = ("log(f64) -> f64", "v4: f64 = call @log(f64 1.5)");
    let sign = ("lgamma(f64) -> f64", "v4: f64 = call @lgamma(f64 1.5)");
    let message = ("error(i32, i32, ptr)", "call @error(i32 0, i32 0, @text)");
    let time = ("localtime(ptr) -> ptr", "v4: ptr = call @localtime(@text)");
    let length = ("strlen(ptr) -> i64", "v4: i64 = call @strlen(@text)");
    let byte = ("getchar() -> i32", "v4: i32 = call @getchar()");
    for ((function, call), address, expected) in [
        (log, "v0", false),
        (log, "@own", true),
        (log, "@signgam", true),
        (byte, "v0", false),
        (byte, "@own", true),
        (length, "v0", true),
        (length, "@own", true),
        (sign, "@signgam", false),
        (sign, "@own", true),
        (message, "@error_message_count", false),
        (message, "v0", false),
        (time, "@signgam", false),
        (time, "v0", false),
    ] {
        assert_eq!(known(function, call, address), expected, "{call} {address}");
    }
}
