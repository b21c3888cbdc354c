//! Programs that dispatch on a variable: what is known in each of many lines.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::EdgeId;

use crate::{Limits, analyse};

/// Lines of the program: more than a set of numbers has members, and with counts of errors more than states at a block.
const LINES: u32 = 70;
/// Values and sites in front of those of the lines.
const VALUES: u32 = 6;

/// An interpreter: line `k` ends the program unless line `k - 1` was marked, asks for a number, and marks itself and says 0, or counts an
/// error up to 3 and says 1. After 0 the next line has its turn. `says`: what a line that was not marked says.
fn interpreter(says: impl Fn(u32) -> u32) -> String {
    let block = |line: u32, part: u32| 5 + 6 * line + part;
    let lines = 0..LINES;
    let cases: Vec<String> = lines
        .clone()
        .map(|k| format!("{k}: block{}", block(k, 0)))
        .collect();
    let sides: Vec<String> = lines.clone().map(|k| format!("edge{k} {k}")).collect();
    let codes = lines.clone().map(|k| {
        let (good, bad, counts) = (block(k, 3), block(k, 4), block(k, 5));
        let says = says(k);
        format!("block{good}: i32 0, block{bad}: i32 {says}, block{counts}: i32 {says}")
    });
    let codes: Vec<String> = codes.collect();
    let (mut edge, mut site, mut value) = (LINES + 3, 2, VALUES);
    let mut text = format!(
        "layout 64 little
file0 \"lines.c\"
extern0 @exit(i32)
extern1 @next() -> i32
global0 @line internal size 4 align 4 = x\"\"
global1 @errors internal size 4 align 4 = x\"\"
global2 @known internal size {} align 16 = x\"\"
fn0 @main() -> i32 {{
block0:
  br block1
block1:
  v0: i32 = load @line align 4
  switch v0 [{}, default: block2] [site0 at file0:1:1: {}, edge{LINES} default]
block2:
  ret i32 0
block3:
  v1: i32 = phi [{}]
  v2: i1 = icmp eq v1, i32 0
  br v2, block4, block1 [site1 at file0:900:1: edge{} false, edge{} true]
block4:
  v3: i32 = load @line align 4
  v4: i32 = add v3, i32 1
  store v4, @line align 4
  br block1
",
        4 * LINES,
        cases.join(", "),
        sides.join(", "),
        codes.join(", "),
        LINES + 1,
        LINES + 2,
    );
    for k in lines {
        let [top, ends, asks, good, bad, counts] = [0, 1, 2, 3, 4, 5].map(|part| block(k, part));
        let (before, own, row) = (4 * k.saturating_sub(1), 4 * k, k + 2);
        let mut sides = || {
            let made = format!(
                "[site{site} at file0:{row}:{site}: edge{edge} false, edge{} true]",
                edge + 1
            );
            (site, edge) = (site + 1, edge + 2);
            made
        };
        let _ = match k {
            0 => writeln!(text, "block{top}:\n  br block{asks}"),
            _ => {
                value += 2;
                let (loaded, is_unknown) = (value - 2, value - 1);
                writeln!(
                    text,
                    "block{top}:
  v{loaded}: i32 = load (@known + {before}) align 4
  v{is_unknown}: i1 = icmp eq v{loaded}, i32 0
  br v{is_unknown}, block{ends}, block{asks} {}",
                    sides()
                )
            }
        };
        // Calls and stores have numbers too.
        let [asked, is_right, errors, is_few, more] = [1, 2, 4, 5, 6].map(|at| value + at);
        let _ = writeln!(
            text,
            "block{ends}:
  call @exit(i32 2)
  unreachable
block{asks}:
  v{asked}: i32 = call @next()
  v{is_right}: i1 = icmp eq v{asked}, i32 {k}
  br v{is_right}, block{good}, block{bad} {}
block{good}:
  store i32 1, (@known + {own}) align 4
  br block3
block{bad}:
  v{errors}: i32 = load @errors align 4
  v{is_few}: i1 = icmp slt v{errors}, i32 3
  br v{is_few}, block{counts}, block3 {}
block{counts}:
  v{more}: i32 = add v{errors}, i32 1
  store v{more}, @errors align 4
  br block3",
            sides(),
            sides()
        );
        value += 8;
    }
    text + "}\n"
}

/// The same, where all lines ask by one function, which keeps what it was told.
fn interpreter_that_calls() -> String {
    let text = interpreter(|_| 1).replace("call @next()", "call @asks()");
    let text = text.replace(
        "fn0 @main()",
        "global3 @last internal size 4 align 4 = x\"\"\nfn0 @main()",
    );
    text + "fn1 @asks() -> i32 {
block0:
  v0: i32 = call @next()
  store v0, @last align 4
  ret v0
}
"
}

/// Edges to where a line ends the program, and those of them that are dead; other edges that are dead.
fn dead_ends(text: &str) -> (usize, usize, BTreeSet<EdgeId>) {
    let program = program::text::sample(text);
    let analysis = analyse(&program, false, Limits::default());
    let first = LINES + 3 + 4;
    let ends = (1..LINES).map(|line| EdgeId::from_u32(first + 6 * (line - 1) + 1));
    let ends: BTreeSet<EdgeId> = ends.collect();
    let dead: BTreeSet<EdgeId> = analysis.dead.keys().copied().collect();
    let others = dead.difference(&ends).copied().collect();
    (ends.len(), dead.intersection(&ends).count(), others)
}

/// What a line said tells states apart for longer than how many errors there were, and so does the line where it has more values than
/// a set of numbers.
#[test]
fn lines_and_codes_tell_states_apart_where_they_are_many() {
    let (all, dead, others) = dead_ends(&interpreter(|_| 1));
    assert_eq!((all, dead), (69, 69));
    assert!(others.is_empty(), "{others:?}");
}

/// A pass that tells no states apart goes through the function again for each line that it is called from, and through all lines again
/// for each of these. What is switched over is known long before that ends.
#[test]
fn a_coarse_pass_is_left_when_it_knows_what_is_dispatched_on() {
    let text = interpreter_that_calls();
    let (all, dead, others) = dead_ends(&text);
    assert_eq!((all, dead), (69, 69));
    assert!(others.is_empty(), "{others:?}");
    let program = program::text::sample(&text);
    let steps = analyse(&program, false, Limits::default()).steps;
    assert!(steps < 40_000, "{steps} steps");
}

/// One line that says 0 without being marked: the next one may end the program.
#[test]
fn a_line_that_says_what_is_not_so_ends_the_program() {
    let (all, dead, others) = dead_ends(&interpreter(|line| u32::from(line != 50)));
    assert_eq!((all, dead), (69, 68));
    assert!(others.is_empty(), "{others:?}");
}
