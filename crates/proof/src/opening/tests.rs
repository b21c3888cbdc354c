//! Programs and words; the edges that no run takes, by functions: block and side. Then the functions that no run enters.

use std::fmt::Write;

use expect_test::{Expect, expect};
use program::getopt::Word;

use super::beginning;

fn words(texts: &[&str]) -> Vec<Word> {
    let word = |text: &&str| (*text != "@").then(|| text.as_bytes().to_vec());
    texts.iter().map(word).collect()
}

/// The text with the values of each function counted up in the order of their definitions.
fn counted(text: &str) -> String {
    let mut out = String::new();
    for function in text.split_inclusive("}\n") {
        let words = |text: &str| -> Vec<String> {
            let is_part = |c: char| c.is_ascii_alphanumeric();
            let mut words = vec![String::new()];
            for c in text.chars() {
                let joins = words.last().is_some_and(|word| word.chars().all(is_part));
                if !(joins && is_part(c)) {
                    words.push(String::new());
                }
                words.last_mut().expect("a word").push(c);
            }
            words
        };
        let all = words(function);
        let is_value = |word: &str| word.len() > 1 && word[1..].parse::<u32>().is_ok();
        let defined = all.windows(2).filter(|two| two[1] == ":");
        let defined = defined.filter(|two| two[0].starts_with('v') && is_value(&two[0]));
        let defined: Vec<&str> = defined.map(|two| two[0].as_str()).collect();
        for word in &all {
            match defined.iter().position(|known| known == word) {
                Some(at) => write!(out, "v{at}").expect("a string"),
                None => out.push_str(word),
            }
        }
    }
    out
}

fn never(text: &str, given: &[&str], foreign: bool) -> String {
    let text = &counted(text);
    let program = program::text::sample(text);
    let known = beginning(&program, foreign, &words(given));
    let mut out = String::new();
    for edge in known.never {
        let data = &program.edges[edge];
        let site = &program.sites[data.site];
        let name = &program.functions[site.function].name;
        write!(out, "{name} {} {}, ", site.block, data.side).expect("a string");
    }
    for function in known.unentered {
        write!(out, "{}, ", program.functions[function].name).expect("a string");
    }
    out.trim_end_matches(", ").to_owned()
}

#[track_caller]
fn check(text: &str, given: &[&str], expected: &Expect) {
    expected.assert_eq(&never(text, given, false));
}

/// A loop over the words with options of one letter; what they set is looked at behind, and what one of them calls.
const BY_HAND: &str = r#"
    extern @getchar() -> i32
    extern @getenv(ptr) -> ptr
    global0 @verbose size 4 align 4 = x""
    global1 @name size 2 align 1 = x"6100"
    fn @main(v0: i32, v1: ptr) -> i32 {
    block0:
      br block1
    block1:
      v2: i32 = phi [block0: i32 1, block5: v10]
      v3: i1 = icmp slt v2, v0
      br v3, block2, block6
    block2:
      v4: i64 = sext v2
      v5: ptr = gep v1 [v4 * 8]
      v6: ptr = load v5
      v7: ptr = gep v6 + 1
      v8: i8 = load v7
      switch v8 [118: block3, 113: block4, default: block5]
    block3:
      store i32 1, @verbose
      br block5
    block4:
      v9: i32 = call @usage()
      br block5
    block5:
      v10: i32 = add v2, i32 1
      br block1
    block6:
      BETWEEN
      v11: i32 = load @verbose
      v12: i1 = icmp ne v11, i32 0
      br v12, block7, block8
    block7:
      v13: i32 = call @getchar()
      v14: i1 = icmp eq v13, i32 7
      br v14, block8, block9
    block8:
      ret i32 0
    block9:
      ret i32 1
    }
    fn @usage() -> i32 {
    block0:
      v0: i32 = call @getchar()
      v1: i1 = icmp eq v0, i32 7
      br v1, block1, block1
    block1:
      ret i32 0
    }
    MORE
"#;

fn by_hand(between: &str, more: &str) -> String {
    BY_HAND.replace("BETWEEN", between).replace("MORE", more)
}

#[test]
fn options_that_are_not_given_are_never_found() {
    let plain = by_hand("", "");
    check(
        &plain,
        &["-v"],
        &expect![
            "main block2 1, main block2 2, main block6 0, usage block0 0, usage block0 1, usage"
        ],
    );
    check(
        &plain,
        &["-x", "-y"],
        &expect![
            "main block2 0, main block2 1, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage"
        ],
    );
    check(
        &plain,
        &["-q"],
        &expect!["main block2 0, main block2 2, main block6 1, main block7 0, main block7 1"],
    );
    check(
        &plain,
        &[],
        &expect![
            "main block1 1, main block2 0, main block2 1, main block2 2, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage"
        ],
    );
    // An input may be any option.
    check(&plain, &["@"], &expect![[r#""#]]);
}

#[test]
fn what_others_may_change_is_not_known() {
    // An address that others made leads to what others know.
    let between = "v20: ptr = call @getenv(@name) store i32 1, v20";
    check(
        &by_hand(between, ""),
        &["-x"],
        &expect![
            "main block2 0, main block2 1, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage"
        ],
    );
    let between =
        "v21: ptr = call @signal(i32 3, @verbose) v20: ptr = call @getenv(@name) store i32 1, v20";
    check(
        &by_hand(between, "extern @signal(i32, ptr) -> ptr"),
        &["-x"],
        &expect!["main block2 0, main block2 1, usage block0 0, usage block0 1, usage"],
    );
    // A handler may run at any time once it is installed.
    let more = "extern @signal(i32, ptr) -> ptr
        fn @handler(v0: i32) { block0: store i32 1, @verbose v1: i32 = call @usage() ret }";
    let between = "v20: ptr = call @signal(i32 2, @handler)";
    check(
        &by_hand(between, more),
        &["-x"],
        &expect!["main block2 0, main block2 1"],
    );
    // Not so where a signal is ignored.
    let between = "v20: ptr = call @signal(i32 2, null)";
    let more = "extern @signal(i32, ptr) -> ptr";
    check(
        &by_hand(between, more),
        &["-x"],
        &expect![
            "main block2 0, main block2 1, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage"
        ],
    );
    // Somebody may come back here.
    let more = "extern @setjmp(ptr) -> i32";
    let between = "v20: i32 = call @setjmp(@name)";
    check(
        &by_hand(between, more),
        &["-x"],
        &expect!["main block2 0, main block2 1, usage block0 0, usage block0 1, usage"],
    );
    // A function of which nothing is known may write to what is visible.
    let more = "extern @strange() -> i32";
    let between = "v20: i32 = call @strange()";
    check(
        &by_hand(between, more),
        &["-x"],
        &expect!["main block2 0, main block2 1, usage block0 0, usage block0 1, usage"],
    );
}

/// A function writes to the object of one argument, and to no other.
#[test]
fn what_a_function_of_the_library_writes_is_not_known() {
    let known = "main block2 0, main block2 1, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage";
    let unknown = "main block2 0, main block2 1, usage block0 0, usage block0 1, usage";
    let own = "extern @fopencookie(ptr, ptr, ptr) -> ptr";
    for (function, call, more, expected) in [
        (
            "@readlink(ptr, ptr, i64) -> i64",
            "i64 = call @readlink(@verbose, @name, i64 2)",
            "",
            known,
        ),
        (
            "@readlink(ptr, ptr, i64) -> i64",
            "i64 = call @readlink(@name, @verbose, i64 2)",
            "",
            unknown,
        ),
        (
            "@fstatat(i32, ptr, ptr, i32) -> i32",
            "i32 = call @fstatat(i32 0, @verbose, @name, i32 0)",
            "",
            known,
        ),
        (
            "@fstatat(i32, ptr, ptr, i32) -> i32",
            "i32 = call @fstatat(i32 0, @name, @verbose, i32 0)",
            "",
            unknown,
        ),
        (
            "@fgets(ptr, i32, ptr) -> ptr",
            "ptr = call @fgets(@name, i32 2, @verbose)",
            "",
            known,
        ),
        (
            "@fgets(ptr, i32, ptr) -> ptr",
            "ptr = call @fgets(@verbose, i32 2, null)",
            "",
            unknown,
        ),
        (
            "@fgets(ptr, i32, ptr) -> ptr",
            "ptr = call @fgets(@name, i32 2, null)",
            own,
            unknown,
        ),
        (
            "@strftime(ptr, i64, ptr, ptr) -> i64",
            "i64 = call @strftime(@verbose, i64 2, @name, @name)",
            "",
            unknown,
        ),
        (
            "@strftime(ptr, i64, ptr, ptr) -> i64",
            "i64 = call @strftime(@name, i64 2, @verbose, @verbose)",
            "",
            known,
        ),
        (
            "@localtime(ptr) -> ptr",
            "ptr = call @localtime(@verbose)",
            "",
            known,
        ),
        (
            "@vprintf(ptr, ptr) -> i32",
            "i32 = call @vprintf(@format, @verbose)",
            "global2 @format const size 2 align 1 = x\"6100\"",
            known,
        ),
        // The program may have put the format together.
        (
            "@vprintf(ptr, ptr) -> i32",
            "i32 = call @vprintf(@name, @verbose)",
            "",
            unknown,
        ),
        (
            "@vprintf(ptr, ptr) -> i32",
            "i32 = call @vprintf(@name, @verbose)",
            own,
            unknown,
        ),
        (
            "@error(i32, i32, ptr) -> i32",
            "i32 = call @error(i32 0, i32 0, @name)",
            "",
            known,
        ),
        (
            "@setvbuf(ptr, ptr, i32, i64) -> i32",
            "i32 = call @setvbuf(@name, null, i32 0, i64 0)",
            "",
            known,
        ),
        (
            "@setvbuf(ptr, ptr, i32, i64) -> i32",
            "i32 = call @setvbuf(@name, @verbose, i32 0, i64 0)",
            "",
            unknown,
        ),
    ] {
        let more = format!("extern {function} {more}");
        let text = by_hand(&format!("v20: {call}"), &more);
        assert_eq!(never(&text, &["-x"], false), expected, "{call} {more}");
    }
}

#[test]
fn programs_that_others_enter_are_not_looked_at() {
    let plain = by_hand("", "");
    expect![[r#""#]].assert_eq(&never(&plain, &["-x"], true));
    let more = "global2 @llvm.global_ctors size 24 align 8 = x\"\" [8: @first]
        fn @first() { block0: store i32 1, @verbose ret }";
    check(&by_hand("", more), &["-x"], &expect![[r#""#]]);
    // The C library calls a program's own `malloc`.
    let more = "fn @malloc(v0: i64) -> ptr { block0: store i32 1, @verbose ret null }";
    check(&by_hand("", more), &["-x"], &expect![[r#""#]]);
    let between = "v20: i32 = call @main(i32 1, v1)";
    check(&by_hand(between, ""), &["-x"], &expect![[r#""#]]);
}

/// The way of a program in which `RESULT` is compared.
fn compared(result: &str) -> String {
    format!(
        r#"
        extern @strcmp(ptr, ptr) -> i32
        extern @strlen(ptr) -> i64
        extern @atoi(ptr) -> i32
        extern @malloc(i64) -> ptr
        extern @strange() -> i32
        global0 @word size 4 align 1 = x"2d78"
        global1 @other size 4 align 4 = x""
        fn @main(v0: i32, v1: ptr) -> i32 {{
        block0:
          v2: ptr = gep v1 + 8
          v3: ptr = load v2
          {result}
          br v9, block1, block2
        block1:
          v10: i32 = call @strange()
          ret v10
        block2:
          v11: i32 = call @strange()
          ret v11
        }}
        "#
    )
}

#[test]
fn what_systems_decide_is_not_known() {
    let order = "v4: i32 = call @strcmp(v3, @word)";
    // That they differ is known, and which is less; by how much is not.
    for (condition, expected) in [
        ("v9: i1 = icmp eq v4, i32 0", "main block0 1"),
        ("v9: i1 = icmp sgt v4, i32 0", "main block0 0"),
        ("v9: i1 = icmp eq v4, i32 1", ""),
        ("v5: i32 = add v4, i32 1 v9: i1 = icmp sgt v5, i32 0", ""),
        (
            "v5: i32 = call @strcmp(v3, @word) v9: i1 = icmp eq v4, v5",
            "",
        ),
    ] {
        let text = compared(&format!("{order} {condition}"));
        assert_eq!(never(&text, &["-y"], false), expected, "{condition}");
    }
    for (condition, expected) in [
        // Whether there is memory.
        (
            "v5: ptr = call @malloc(i64 8) v9: i1 = icmp eq v5, null",
            "",
        ),
        // Where objects are.
        ("v9: i1 = icmp ult @word, @other", ""),
        ("v9: i1 = icmp eq @word, null", "main block0 1"),
        // The words are at some address, but not at none.
        ("v9: i1 = icmp eq v3, null", "main block0 1"),
        (
            "v5: i64 = ptrtoint v3 v6: i64 = and v5, i64 8 v9: i1 = icmp eq v6, i64 0",
            "",
        ),
        // The program's name.
        (
            "v5: ptr = load v1 v6: i8 = load v5 v9: i1 = icmp eq v6, i8 97",
            "",
        ),
        // Behind the last word is null; behind that, the environment.
        (
            "v5: ptr = gep v1 + 16 v6: ptr = load v5 v9: i1 = icmp eq v6, null",
            "main block0 0",
        ),
        (
            "v5: ptr = gep v1 + 24 v6: ptr = load v5 v9: i1 = icmp eq v6, null",
            "",
        ),
        // What nothing was written to.
        (
            "v5: ptr = alloca 4 align 4 v6: i32 = load v5 v9: i1 = icmp eq v6, i32 0",
            "",
        ),
        // What was written.
        (
            "store i8 120, v3 v6: i8 = load v3 v9: i1 = icmp eq v6, i8 120",
            "main block0 0",
        ),
        (
            "v5: i64 = call @strlen(v3) v9: i1 = icmp eq v5, i64 2",
            "main block0 0",
        ),
        (
            "v5: i32 = call @atoi(v3) v9: i1 = icmp eq v5, i32 0",
            "main block0 0",
        ),
    ] {
        let text = compared(condition);
        assert_eq!(never(&text, &["-y"], false), expected, "{condition}");
    }
}

/// The checker reads the words, and believes no other.
#[test]
fn a_certificate_is_of_its_words() {
    let program = program::text::sample(&by_hand("", ""));
    let given = words(&["-x"]);
    let never = beginning(&program, false, &given).never;
    let facts: Vec<crate::Fact> = never
        .iter()
        .map(|edge| crate::Fact::Edge {
            edge: edge.as_u32(),
        })
        .collect();
    let claims = crate::standing::Claims {
        never: facts.clone(),
        ..crate::standing::Claims::default()
    };
    let said = |words: Option<&[Word]>, foreign: bool| {
        let effort = || crate::Effort::questions(1_000);
        let (dead, none) = (Default::default(), crate::closed::Closed::default());
        let runs = crate::closed::Effects::new(&program, foreign, words);
        let states = crate::closed::check(&runs, &dead, &none, &facts, effort());
        let standing = crate::standing::check(&runs, &claims, effort());
        (states.is_ok(), standing.is_ok())
    };
    assert!(!facts.is_empty());
    assert_eq!(said(Some(&given), false), (true, true));
    for other in [&["-v"][..], &["-q"], &["@"], &["-x", "-v"], &["-x", "@"]] {
        assert_eq!(
            said(Some(&words(other)), false),
            (false, false),
            "{other:?}"
        );
    }
    assert_eq!(said(Some(&given), true), (false, false));
    assert_eq!(said(None, false), (false, false));
}

/// Options by `getopt`; each has a side of its own.
const BY_GETOPT: &str = r#"
    extern @getopt(i32, ptr, ptr) -> i32
    extern @strange() -> i32
    global0 @optarg size 8 align 8
    global1 @optind size 4 align 4
    global2 @options const size 5 align 1 = x"61623a63"
    fn @main(v0: i32, v1: ptr) -> i32 {
    block0:
      BEFORE
      br block1
    block1:
      v2: i32 = call @getopt(v0, v1, @options)
      switch v2 [97: block2, 98: block3, 99: block4, 63: block5, default: block6]
    block2:
      br block1
    block3:
      v3: ptr = load @optarg
      v4: i8 = load v3
      v5: i1 = icmp eq v4, i8 120
      br v5, block1, block1
    block4:
      br block1
    block5:
      br block1
    block6:
      v6: i32 = load @optind
      v7: i1 = icmp eq v6, v0
      br v7, block7, block8
    block7:
      v8: i32 = call @strange()
      ret v8
    block8:
      v9: i32 = call @strange()
      ret v9
    }
"#;

#[test]
fn getopt_finds_what_is_given() {
    let plain = BY_GETOPT.replace("BEFORE", "");
    check(
        &plain,
        &["-a"],
        &expect![
            "main block1 1, main block1 2, main block1 3, main block3 0, main block3 1, main block6 0"
        ],
    );
    check(
        &plain,
        &["-abx", "-c", "word"],
        &expect!["main block1 3, main block3 0, main block6 1"],
    );
    check(
        &plain,
        &["-b", "y", "--", "-a"],
        &expect!["main block1 0, main block1 2, main block1 3, main block3 1, main block6 1"],
    );
    check(
        &plain,
        &["-b"],
        &expect![
            "main block1 0, main block1 1, main block1 2, main block3 0, main block3 1, main block6 0"
        ],
    );
    check(
        &plain,
        &["-b", "@"],
        &expect!["main block1 0, main block1 2, main block1 3, main block6 0"],
    );
    check(
        &plain,
        &["-d", "-"],
        &expect![
            "main block1 0, main block1 1, main block1 2, main block3 0, main block3 1, main block6 1"
        ],
    );
    // The environment decides whether options behind a word are found.
    check(&plain, &["word", "-a"], &expect![[r#""#]]);
    // An input may be an option.
    check(&plain, &["@"], &expect![[r#""#]]);
    check(&plain, &["-a", "@"], &expect![[r#""#]]);
    // Where options are looked for next.
    let set = BY_GETOPT.replace("BEFORE", "store i32 2, @optind");
    check(&set, &["-b", "y"], &expect![[r#""#]]);
    // The words are not what they were.
    let written =
        "v20: ptr = gep v1 + 8 v21: ptr = load v20 v22: ptr = gep v21 + 1 store i8 97, v22";
    let written = BY_GETOPT.replace("BEFORE", written);
    check(&written, &["-c"], &expect![[r#""#]]);
    let fewer = BY_GETOPT.replace("@getopt(v0,", "@getopt(i32 1,");
    check(&fewer.replace("BEFORE", ""), &["-c"], &expect![[r#""#]]);
}

const KNOWN: &str = "main block2 0, main block2 1, main block6 1, main block7 0, main block7 1, usage block0 0, usage block0 1, usage";
const UNKNOWN: &str = "main block2 0, main block2 1, usage block0 0, usage block0 1, usage";

/// Behind a call that writes nothing, or another variable, is known what the option's is; behind one that writes that, it is not.
#[track_caller]
fn writes_what_it_names(busy: &dyn Fn(&str) -> String) {
    between("@busy()", &busy(""), KNOWN);
    between("@busy()", &busy("store i32 1, @other"), KNOWN);
    between("@busy()", &busy("store i32 1, @verbose"), UNKNOWN);
}

/// What stands between the options and where they are looked at is a call of a function.
#[track_caller]
fn between(call: &str, body: &str, expected: &str) {
    let text = by_hand(&format!("v20: i32 = call {call}"), body);
    assert_eq!(never(&text, &["-x"], false), expected, "{body}");
}

/// Ways meet behind a loop whose end is not known: what no turn writes is known there.
#[test]
fn what_a_loop_leaves_is_known_behind_it() {
    let turns = |write: &str| {
        format!(
            "global2 @other size 4 align 4 = x\"\"
             fn @busy() -> i32 {{
             block0:
               br block1
             block1:
               v0: i32 = phi [block0: i32 0, block2: v3, block3: v3]
               v1: i32 = call @getchar()
               v2: i1 = icmp eq v1, i32 7
               v3: i32 = add v0, i32 1
               br v2, block4, block2
             block2:
               v4: i1 = icmp eq v1, i32 8
               br v4, block3, block1
             block3:
               {write}
               br block1
             block4:
               ret i32 0
             }}"
        )
    };
    writes_what_it_names(&turns);
    // The first turns write what is there.
    let late = "v5: i1 = icmp sgt v0, i32 9 v6: i32 = zext v5 store v6, @verbose";
    between("@busy()", &turns(late), UNKNOWN);
    let address = "v5: ptr = call @getenv(@name) store i32 1, v5";
    between("@busy()", &turns(address), KNOWN);
}

/// A call that calls itself is given up, and may write what it writes.
#[test]
fn what_calls_itself_writes_what_it_names() {
    let turns = |write: &str| {
        format!(
            "global2 @other size 4 align 4 = x\"\"
             fn @busy() -> i32 {{
             block0:
               v0: i32 = call @getchar()
               v1: i1 = icmp eq v0, i32 7
               br v1, block2, block1
             block1:
               v2: i32 = call @busy()
               {write}
               br block2
             block2:
               ret i32 0
             }}"
        )
    };
    writes_what_it_names(&turns);
}

/// What a handler may write is never known, and everything else is.
#[test]
fn a_handler_writes_what_it_names() {
    let handler = |write: &str| {
        format!(
            "global2 @other size 4 align 4 = x\"\"
             extern @signal(i32, ptr) -> ptr
             fn @busy() -> i32 {{
             block0:
               v0: ptr = call @signal(i32 2, @handler)
               ret i32 0
             }}
             fn @handler(v0: i32) {{
             block0:
               {write}
               ret
             }}"
        )
    };
    writes_what_it_names(&handler);
}

/// Also where that is no variable of its own: `main` looks at a local object that a handler has the address of.
#[test]
fn a_handler_writes_where_its_pointers_lead() {
    let program = |write: &str| {
        format!(
            "extern @signal(i32, ptr) -> ptr
             extern @getchar() -> i32
             global0 @at size 8 align 8 = x\"\"
             fn @main(v0: i32, v1: ptr) -> i32 {{
             block0:
               v2: ptr = alloca 4 x i32 1 align 4
               store i32 0, v2
               store v2, @at
               v3: ptr = call @signal(i32 2, @handler)
               v4: i32 = load v2
               v5: i1 = icmp ne v4, i32 0
               br v5, block1, block2
             block1:
               ret i32 1
             block2:
               ret i32 0
             }}
             fn @handler(v0: i32) {{
             block0:
               {write}
               ret
             }}"
        )
    };
    assert_eq!(never(&program(""), &[], false), "main block0 1");
    let write = "v1: ptr = load @at store i32 1, v1";
    assert_eq!(never(&program(write), &[], false), "");
}
