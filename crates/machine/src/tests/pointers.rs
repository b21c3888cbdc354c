//! Reads and writes through symbolic addresses, by the terms that they leave.

use path::{InputVector, Run, Step, Target};
use smt::{Pool, Shape, Term, Var};

use crate::{Config, Machine};

/// The first input is a number, the others are elements of the array `cells`.
const HEAD: &str = "layout 64 little
file0 \"a.c\"
extern0 @bw_bytes(ptr, i64, ptr)
global0 @.str internal const size 1 align 1 = x\"\"
module0 \"a.c\" uid 0x1

fn0 @main() -> i32 counters {0} at file0:1:0 {
block0:
  v0: ptr = alloca 4 x i32 1 align 4
  v1: ptr = alloca 128 x i32 1 align 16
  call @bw_bytes(v0, i64 4, @.str) spot0 \"call\" at file0:1:1
  call @bw_bytes(v1, i64 128, @.str) spot1 \"call\" at file0:1:1
  v4: i32 = load v0 align 4 spot2 \"load\" at file0:2:1
  v5: i64 = sext v4 at file0:2:1
";

const TAIL: &str = "block1:
  ret i32 1
block2:
  ret i32 2
}
";

/// The last condition of the run in which all inputs are 0.
fn last_condition(body: &str, check: impl FnOnce(&Pool, &Run, Term)) {
    let text = format!("{HEAD}{body}{TAIL}");
    let program = program::text::sample(&text);
    let mut machine = Machine::new(&program, Config::default()).expect("there is a main");
    let mut pool = Pool::new();
    let run = machine.run(&mut pool, &InputVector::default());
    let run = run.expect("it runs");
    let mut conditions = run.steps.iter().filter_map(|step| match step {
        Step::Edge {
            cond: Some(cond), ..
        } => Some(cond.term),
        _ => None,
    });
    let last = conditions.next_back().expect("something symbolic decides");
    check(&pool, &run, last);
}

fn is_number(var: Var) -> bool {
    var.0 < 4
}

/// Through a pointer that was pinned a read is of one place. (Each such read was a table of the whole object, and the queries of a
/// program that cuts a line at `strchr` took the solver 20 times as long as those of its native runs.)
#[test]
fn a_pinned_address_reads_one_place() {
    let body = "  v6: ptr = gep v1 [v5 * 1] at file0:3:1
  store i8 0, v6 align 1 spot3 \"store\" at file0:3:1
  v8: ptr = gep v6 + 1 at file0:4:1
  v9: i8 = load v8 align 1 spot4 \"load\" at file0:4:1
  v10: i1 = icmp eq v9, i8 7 at file0:4:1
  br v10, block1, block2 [site0 at file0:4:1 in 4:1..4:2: edge0 false, edge1 true {1}] at file0:4:1
";
    last_condition(body, |pool, run, condition| {
        assert_eq!(pool.vars(condition).len(), 1, "{}", pool.show(condition));
        assert!(!pool.vars(condition).into_iter().any(is_number));
        assert_eq!(run.losses.len(), 1, "the pointer is pinned once");
    });
}

/// A table has the elements that the address may name, not those between.
#[test]
fn a_table_has_the_steps_of_the_address() {
    let body = "  v6: ptr = gep v1 [v5 * 4] at file0:3:1
  v7: i32 = load v6 align 4 spot3 \"load\" at file0:3:1
  v8: i1 = icmp eq v7, i32 7 at file0:3:1
  br v8, block1, block2 [site0 at file0:4:1 in 4:1..4:2: edge0 false, edge1 true {1}] at file0:4:1
";
    last_condition(body, |pool, _, condition| {
        let (mut open, mut tables) = (vec![condition], Vec::new());
        while let Some(term) = open.pop() {
            match pool.shape(term) {
                Shape::Table { entries, .. } => tables.push(entries.len()),
                Shape::Op { operands, .. } => open.extend(operands),
                _ => {}
            }
        }
        tables.dedup();
        assert_eq!(tables, [32]);
    });
}

/// A write to one of a few elements of many bytes leaves one choice for each.
#[test]
fn a_write_changes_the_elements_that_it_may_name() {
    let body = "  v6: ptr = gep v1 [v5 * 16] at file0:3:1
  store i32 9, v6 align 4 spot3 \"store\" at file0:3:1
  v8: ptr = gep v1 + 16 at file0:4:1
  v9: i32 = load v8 align 4 spot4 \"load\" at file0:4:1
  v10: i1 = icmp eq v9, i32 7 at file0:4:1
  br v10, block1, block2 [site0 at file0:4:1 in 4:1..4:2: edge0 false, edge1 true {1}] at file0:4:1
";
    last_condition(body, |pool, run, condition| {
        // The number and four bytes: the element is either.
        assert_eq!(pool.vars(condition).len(), 8, "{}", pool.show(condition));
        assert!(run.losses.is_empty(), "nothing is pinned");
    });
}
