//! `bothways values FILE... --at LINE`: what variables can be, as text and as JSON, and what is no line.

use std::path::Path;

use e2e::{root, run, shown};

const SOURCE: &str = "\
extern int __VERIFIER_nondet_int(void);
static int state, cert;
static int table[4];

static int step(int input, int *out) {
    int next = state;
    if (state == 1 && !cert)
        return -1;
    if (input > 5) {
        cert = 1;
        next = 1;
    }
    *out = next;
    return next;
}

int main(void) {
    int seen = 0;
    for (int i = 0; i < 10; i++) {
        state = step(__VERIFIER_nondet_int(), &seen);
        if (state < 0)
            return 1;
    }
    return table[seen & 3];
}
";

/// The exit code and all that the command says of a source.
fn said(args: &[&str]) -> (Option<i32>, String) {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a.c"), SOURCE).expect("it is written");
    let words: Vec<&str> = ["values"].iter().chain(args).copied().collect();
    let output = run(dir.path(), &words);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (
        output.status.code(),
        text.replace(&dir.path().display().to_string(), "."),
    )
}

#[test]
fn variables_are_what_they_are_on_all_runs() {
    for (line, expected) in [
        (
            "10",
            "a.c:10:14 in step
  input  [6, 2147483647]
  out    an address in 1 object
  next   {0, 1}
  state  {0, 1}
  cert   {0, 1}
",
        ),
        (
            "13",
            "a.c:13:12 in step
  out    an address in 1 object
  next   {0, 1}
  state  {0, 1}
  cert   {0, 1}
  anything: input
",
        ),
        ("a.c:8", "a.c:8:9 in step\n  control never comes here\n"),
    ] {
        let (code, text) = said(&["a.c", "--at", line]);
        assert_eq!(
            (code, text.replace("./", "").as_str()),
            (Some(0), expected),
            "{line}"
        );
    }
}

#[test]
fn json_has_what_the_text_has() {
    let (code, text) = said(&["a.c", "--json", "--at", "13"]);
    assert_eq!(code, Some(0), "{text}");
    let object: serde_json::Value = serde_json::from_str(&text).expect("one object");
    assert_eq!(object["line"], 13);
    let place = &object["places"][0];
    assert_eq!(
        (&place["function"], &place["reached"]),
        (&"step".into(), &true.into())
    );
    let variables = place["variables"].as_array().expect("a list");
    let next = variables
        .iter()
        .find(|one| one["name"] == "next")
        .expect("next");
    assert_eq!(next["numbers"], serde_json::json!([0, 1]), "{text}");
    assert_eq!(
        (&next["global"], &next["value"]),
        (&false.into(), &"{0, 1}".into())
    );
    assert!(
        variables
            .iter()
            .any(|one| one["name"] == "cert" && one["global"] == true)
    );
}

/// Of functions and of the program, as bits and as numbers, few and many.
#[test]
fn floating_point_numbers_are_numbers() {
    const FLOATS: &str = "\
extern int __VERIFIER_nondet_int(void);
double limit = 2.5, many[2] = {1, 2};
static float half = 0.5f;
static double set;
int bits = 1056964608;
int main(void) {
    double local = __VERIFIER_nondet_int() > 5 ? 1.5 : limit;
    float sum = half + 1;
    for (int i = 0; i < 3; i++)
        set = i > 1 ? 4.25 : 0.25;
    bits += local + sum > 3;
    return bits + (int)set;
}
";
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a.c"), FLOATS).expect("it is written");
    let output = run(dir.path(), &["values", "a.c", "--at", "11"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // Of floating-point numbers the ends are known, and the loop may have run 0 times.
    let expected = "\
  local  [1.5, 2.5]
  sum    1.5
  i      3
  limit  2.5
  bits   1056964608
  half   0.5
  set    [0.0, 4.25]
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn what_is_no_line_is_bad_input() {
    for (args, words) in [
        (["a.c", "--at", "100"], "a.c has 25 lines, no line 100"),
        (["a.c", "--at", "4"], "there is no code in line 4"),
        (["a.c", "--at", "b.c:4"], "the program has no source `b.c`"),
        (["a.c", "--at", "0"], "give a line, from 1"),
        (["a.c", "--at", "x"], "give a line, from 1"),
        (["b.c", "--at", "1"], "b.c"),
    ] {
        let (code, text) = said(&args);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        assert!(text.contains(words), "{args:?}: {text}");
    }
}

/// The reason of a proof names the variable and the lines that assign it; the same values stand there.
#[test]
fn a_program_that_cannot_be_analysed_says_why() {
    let source = root().join("tests/programs/thread_values.c");
    let source = source.display().to_string();
    let text = std::fs::read_to_string(Path::new(&source)).expect("the program");
    let line = text
        .lines()
        .position(|line| line.trim().starts_with("return"));
    let line = (line.expect("a statement") + 1).to_string();
    let dir = tempfile::tempdir().expect("a folder");
    let flags = "--cflags=-pthread";
    let output = run(dir.path(), &["values", &source, flags, "--at", &line]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("nothing is known of the values: "), "{text}");
}

/// Half of one of the smallest numbers is above 0, unless the program is linked with code that takes them for 0: then nothing is said.
#[test]
fn fast_math_takes_the_smallest_numbers_for_zero() {
    const HALF: &str = "\
static double smallest = 0x1p-1060;
int main(void) {
    double half = smallest * 0.5;
    if (half > 0)
        return 1;
    return 2;
}
";
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a.c"), HALF).expect("it is written");
    for (flag, code, words) in [
        ("-O0", 1, "control never comes here"),
        ("-ffast-math", 2, "nothing is known of the values"),
        (
            "-funsafe-math-optimizations",
            2,
            "nothing is known of the values",
        ),
    ] {
        let output = run(dir.path(), &["cc", "-g", flag, "a.c", "-o", "a"]);
        assert!(output.status.success(), "{}", shown(&output));
        let exit = std::process::Command::new(dir.path().join("a")).status();
        assert_eq!(exit.expect("it runs").code(), Some(code), "{flag}");
        let output = run(dir.path(), &["values", "a", "--at", "a.c:6"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(words), "{flag}: {text}");
    }
}
