//! Calls in text models, and what they return for words; `@` is an input.

use super::*;

const MODEL: &str = r#"layout 64 little
file0 "a.c"
extern0 @getopt_long(i32, ptr, ptr, ptr, ptr) -> i32
extern1 @atoi(ptr) -> i32
extern2 @outside(ptr)
extern3 @openat(i32, ptr, i32, ...) -> i32
extern4 @printf(ptr, ...) -> i32
extern5 @gettext(ptr) -> ptr
extern6 @strcpy(ptr, ptr) -> ptr
extern7 @strtol(ptr, ptr, i32) -> i64
extern8 @strchr(ptr, i32) -> ptr
extern9 @readlink(ptr, ptr, i64) -> i64
extern10 @fgets(ptr, i32, ptr) -> ptr
extern11 @read(i32, ptr, i64) -> i64
extern12 @fstatat(i32, ptr, ptr, i32) -> i32
extern13 @stat(ptr, ptr) -> i32
global0 @short internal const size 6 align 1 = x"61653a7100"
global1 @quiet internal const size 6 align 1 = x"717569657400"
global2 @quick internal const size 6 align 1 = x"717569636b00"
global3 @level internal const size 6 align 1 = x"6c6576656c00"
global4 @names internal const size 128 align 16 = x"ROWS" [0: @quiet, 32: @quick, 64: @level]
global5 @optind size 4 align 4
global6 @optarg size 8 align 8
global7 @shows internal const size 6 align 1 = x"25733a256400"
global8 @counts internal const size 6 align 1 = x"2573252d6e00"
global9 @buffer internal size 64 align 8
global10 @varies internal size 6 align 1 = x"25733a256400"
module0 "a" uid 0x1
fn0 @next(v0: i32, v1: ptr) -> i32 internal {
block0:
  v2: i32 = call @getopt_long(v0, v1, @short, @names, null)
  ret v2
}
fn1 @main(v0: i32, v1: ptr) -> i32 {
block0:
  FRONT
  RESULT: i32 = call @next(v0, v1)
  br block1
block1:
  BEHIND
  ret RESULT
}
fn2 @writes(v0: ptr) internal {
block0:
  store i8 97, v0 align 1
  ret
}
fn3 @reads(v0: ptr) internal {
block0:
  v1: i8 = load v0 align 1
  ret
}
"#;

const ROWS: &str = "0000000000000000000000000000000000000000000000007100000000000000000000000000000000000000000000000000000000000000f1000000000000000000000000000000010000000000000000000000000000002c01000000000000";

fn known((front, behind): (&str, &str), words: &[&str]) -> Option<Vec<i32>> {
    let text = MODEL.replace("ROWS", ROWS);
    // `$0` is the value of the first line of a part, and so on.
    let numbered = |part: &str, first: usize| {
        let lines = part.lines().count();
        (0..lines).fold(part.to_owned(), |part, line| {
            part.replace(&format!("${line}"), &format!("v{}", first + line))
        })
    };
    let result = 2 + front.lines().count();
    let text = text
        .replace("FRONT", &numbered(front, 2))
        .replace("BEHIND", &numbered(behind, result + 1))
        .replace("RESULT", &format!("v{result}"));
    let program = crate::text::sample(&text);
    let word = |word: &&str| (*word != "@").then(|| word.as_bytes().to_vec());
    let words: Vec<Word> = words.iter().map(word).collect();
    let mut found = results(&program, &words).into_values();
    found.next().map(|all| all.into_iter().collect())
}

const NOTHING: (&str, &str) = ("count 0", "count 1");

#[test]
fn options_are_those_of_fixed_words() {
    for (words, expected) in [
        (&["-e", "@"][..], &[-1, 101][..]),
        (&["-ae", "@", "x"], &[-1, 97, 101]),
        (&["-aex", "-q"], &[-1, 97, 101, 113]),
        (&["-e"], &[-1, 58, 63, 101]),
        (&["-z"], &[-1, 63]),
        (&["--", "@"], &[-1]),
        (&["--level", "@"], &[-1, 63, 300]),
        (&["--level=@", "x"], &[-1, 63, 300]),
        (&["--qui"], &[-1, 63, 113, 241]),
        (&[], &[-1]),
    ] {
        assert_eq!(
            known(NOTHING, words).as_deref(),
            Some(expected),
            "{words:?}"
        );
    }
    for words in [&["@"][..], &["-a", "@"], &["--level=1", "@"]] {
        assert_eq!(known(NOTHING, words), None, "{words:?}");
    }
}

#[test]
fn what_writes_to_the_words_or_goes_back_hides_the_options() {
    let begin = "store i32 1, @optind align 4";
    let far = "store i32 2, @optind align 4";
    let of_argument = "store i32 1, @optind align 4\n  $1: ptr = load @optarg align 8";
    let word = "$0: ptr = gep v1 + 8\n  store null, $0 align 8";
    let text = "$0: ptr = gep v1 + 8\n  $1: ptr = load $0 align 8\n  ";
    let with = |what: &str| format!("{text}{what}");
    let letter = with("store i8 97, $1 align 1");
    let second = with("$2: ptr = gep $1 + 1\n  store i8 97, $2 align 1");
    let kept = with("store $1, @optarg align 8");
    let read = with("$2: i32 = call @atoi($1)");
    let given = with("call @outside($1)");
    let passed = with("call @writes($1)");
    let seen = with("call @reads($1)");
    let opened = with("$2: i32 = call @openat(i32 0, $1, i32 0)");
    let copied = with("memcpy @buffer, $1, i64 8");
    let copied_over = with("memcpy $1, @buffer, i64 8");
    let printed = with("$2: i32 = call @printf(@shows, $1)");
    let counted = with("$2: i32 = call @printf(@counts, $1)");
    let by_a_variable = with("$2: i32 = call @printf(@varies, $1)");
    let translated = with("$2: ptr = call @gettext(@shows)\n  $3: i32 = call @printf($2, $1)");
    let by_its_translation =
        with("$2: ptr = call @gettext(@varies)\n  $3: i32 = call @printf($2, $1)");
    let found_and_written = with("$2: ptr = call @strchr($1, i32 61)\n  store i8 0, $2 align 1");
    let taken = with("$2: ptr = call @strcpy(@buffer, $1)");
    let put = with("$2: ptr = call @strcpy($1, @buffer)");
    let number = with("$2: i64 = call @strtol($1, null, i32 10)");
    let end = with("$2: i64 = call @strtol($1, @buffer, i32 10)");
    let link = with("$2: i64 = call @readlink($1, @buffer, i64 8)");
    let link_over = with("$2: i64 = call @readlink(@buffer, $1, i64 8)");
    let line_over = with("$2: ptr = call @fgets($1, i32 8, null)");
    let read_over = with("$2: i64 = call @read(i32 0, $1, i64 8)");
    let found_at = with("$2: i32 = call @fstatat(i32 0, $1, @buffer, i32 0)");
    let found_over = with("$2: i32 = call @fstatat(i32 0, @buffer, $1, i32 0)");
    let looked_at = with("$2: i32 = call @stat($1, @buffer)");
    let looked_over = with("$2: i32 = call @stat(@buffer, $1)");
    let name = "$0: ptr = load v1 align 8\n  call @writes($0)";
    for (front, behind, is_known) in [
        (begin, "count 1", true),
        ("count 0", far, true),
        (far, "count 1", false),
        (of_argument, "count 1", false),
        (word, "count 1", false),
        (&letter, "count 1", false),
        (&second, "count 1", false),
        (&kept, "count 1", false),
        (&given, "count 1", false),
        (&passed, "count 1", false),
        (&read, "count 1", true),
        (&seen, "count 1", true),
        (&opened, "count 1", true),
        (&copied, "count 1", true),
        (&copied_over, "count 1", false),
        (&printed, "count 1", true),
        (&translated, "count 1", true),
        (&counted, "count 1", false),
        (&by_a_variable, "count 1", false),
        (&by_its_translation, "count 1", false),
        (&found_and_written, "count 1", false),
        (&taken, "count 1", true),
        (&put, "count 1", false),
        (&number, "count 1", true),
        (&end, "count 1", false),
        (&link, "count 1", true),
        (&link_over, "count 1", false),
        (&line_over, "count 1", false),
        (&read_over, "count 1", false),
        (&found_at, "count 1", true),
        (&found_over, "count 1", false),
        (&looked_at, "count 1", true),
        (&looked_over, "count 1", false),
        (name, "count 1", true),
        ("count 0", word, true),
        ("count 0", &letter, true),
        ("count 0", &kept, true),
        ("count 0", &given, true),
        ("count 0", &passed, true),
    ] {
        let found = known((front, behind), &["-e", "@"]);
        assert_eq!(found.is_some(), is_known, "{front} {behind}");
    }
}
