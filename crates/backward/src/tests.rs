//! Small functions, and the edges of them that no state takes.

mod proofs;

use std::fmt::Write;

use expect_test::{Expect, expect};
use program::{FuncId, Program};
use smt::{Pool, Solver};

use crate::edges::impossible;
use proof::vc::{Cause, Frame, Places};

/// Parses a program whose last function is looked at, and lists what is impossible in it.
fn check_shared(text: &str, shared: bool, expected: &Expect) {
    let program = program::text::sample(text);
    let function: FuncId = program.functions.keys().next_back().expect("a function");
    let mut pool = Pool::new();
    let mut frame = Frame::new(&program, &program.functions[function], &mut pool);
    let backend = smt::backend::default().expect("Z3 is installed");
    let mut solver = Solver::new(backend, smt::Config::default());
    let places = Places::new(&program, function);
    let found = impossible(&mut frame, &places, shared, &mut solver, &|_| true);
    let mut list = String::new();
    let causes = |because: &[Cause]| {
        let words = because.iter().map(|cause| match cause {
            Cause::Edge(edge) => edge.to_string(),
            Cause::Ways(site) => format!("from {site}"),
        });
        words.collect::<Vec<_>>().join(", ")
    };
    for (edge, because) in &found.edges {
        let _ = writeln!(list, "{edge} [{}]", causes(because));
    }
    for (block, because) in &found.blocks {
        let _ = writeln!(list, "{block} [{}]", causes(because));
    }
    expected.assert_eq(&list);
}

fn check(text: &str, expected: Expect) {
    check_shared(text, false, &expected);
}

/// A function of two numbers and a pointer, in the text form of the model.
fn body(blocks: &str) -> String {
    format!(
        "layout 64 little\nmodule0 \"a.c\" uid 0x1\nfn0 @f(v0: i32, v1: i32, v2: ptr) -> i32 {{\n{blocks}}}\n"
    )
}

#[test]
fn nested_conditions_contradict_each_other() {
    check(
        &body(
            "block0:
               v3: i1 = icmp sgt v0, i32 5
               br v3, block1, block3 [site0: edge0 false, edge1 true]
             block1:
               v4: i1 = icmp sgt v0, i32 3
               br v4, block2, block3 [site1: edge2 false, edge3 true]
             block2:
               ret v0
             block3:
               ret v1
            ",
        ),
        expect![[r#"
            edge2 [edge1]
        "#]],
    );
}

#[test]
fn what_computes_a_value_is_looked_through() {
    check(
        &body(
            "block0:
               v3: i32 = and v0, i32 3
               v4: i1 = icmp eq v1, i32 7
               br v4, block1, block2 [site0: edge0 false, edge1 true]
             block1:
               br block2
             block2:
               switch v3 [2: block3, 5: block4, default: block4] [site1: edge2 2, edge3 5, edge4 default]
             block3:
               ret v0
             block4:
               ret v1
            ",
        ),
        expect![[r#"
            edge3 []
        "#]],
    );
}

/// `if (a == 3 || a == 4) if (a > 9)`: behind the join only what both ways have in common is known.
#[test]
fn ways_that_join_are_alternatives() {
    let blocks = |value: &str| {
        body(&format!(
            "block0:
               v3: i1 = icmp eq v0, i32 3
               br v3, block2, block1 [site0: edge0 false, edge1 true]
             block1:
               v4: i1 = icmp eq v0, i32 4
               br v4, block2, block4 [site1: edge2 false, edge3 true]
             block2:
               v5: i1 = icmp sgt v0, i32 {value}
               br v5, block3, block4 [site2: edge4 false, edge5 true]
             block3:
               ret v0
             block4:
               ret v1
            "
        ))
    };
    check(
        &blocks("9"),
        expect![[r#"
            edge5 [from site0]
        "#]],
    );
    check(&blocks("3"), expect![""]);
}

/// What flows into a variable depends on the way.
#[test]
fn phis_go_with_the_way() {
    check(
        &body(
            "block0:
               v3: i1 = icmp sgt v0, i32 0
               br v3, block1, block2 [site0: edge0 false, edge1 true]
             block1:
               br block2
             block2:
               v4: i32 = phi [block0: i32 0, block1: i32 1]
               v5: i1 = icmp eq v4, i32 1
               br v5, block3, block4 [site1: edge2 false, edge3 true]
             block3:
               v6: i1 = icmp slt v0, i32 1
               br v6, block4, block5 [site2: edge4 false, edge5 true]
             block4:
               ret v1
             block5:
               ret v0
            ",
        ),
        expect![[r#"
            edge5 [from site0, edge3]
        "#]],
    );
}

/// A variable in a loop that is only ever set to constants is one of them; one that is counted up may be anything.
#[test]
fn loops_are_left_and_entered_with_any_value() {
    let blocks = |next: &str| {
        body(&format!(
            "block0:
               br block1
             block1:
               v3: i32 = phi [block0: i32 0, block3: v6]
               v4: i1 = icmp eq v3, i32 7
               br v4, block2, block3 [site0: edge0 false, edge1 true]
             block2:
               ret v3
             block3:
               v5: i32 = add v3, i32 1
               v6: i32 = {next}
               v7: i1 = icmp eq v6, v1
               br v7, block2, block1 [site1: edge2 false, edge3 true]
            "
        ))
    };
    check(
        &blocks("select v4, i32 1, i32 2"),
        expect![[r#"
            edge1 []
        "#]],
    );
    check(&blocks("freeze v5"), expect![""]);
}

/// Two reads of one place give one value, unless something may have written between them.
#[test]
fn memory_is_known_until_somebody_writes() {
    let blocks = |between: &str| {
        format!(
            "layout 64 little\nextern0 @g()\nmodule0 \"a.c\" uid 0x1\nfn0 @f(v0: i32, v1: i32, v2: ptr) -> i32 {{\nblock0:
               v3: ptr = gep v2 + 8
               v4: i32 = load v3 align 4
               v5: i1 = icmp sgt v4, i32 5
               br v5, block1, block2 [site0: edge0 false, edge1 true]
             block1:
               {between}
               v7: i32 = load v3 align 4
               v8: i1 = icmp sgt v7, i32 5
               br v8, block2, block3 [site1: edge2 false, edge3 true]
             block2:
               ret v0
             block3:
               ret v1
             }}\n"
        )
    };
    let found = "edge2 [edge1]\n";
    let cases = [
        ("v6: i32 = load v2 align 4", found),
        ("store v0, v2 align 4", found),
        ("store v2, v2 align 8", found),
        ("store v0, v3 align 4", ""),
        ("store i64 0, v2 align 8", found),
        ("store zero [3 x i32], v2 align 4", ""),
        ("call @g()", ""),
        ("memset v2, i8 0, i64 4", ""),
        ("v6: i32 = load v3 align 4 volatile", found),
    ];
    for (between, expected) in cases {
        // Numbers of values follow the text; a line without a result takes one as well.
        let text = blocks(between);
        let program: Result<Program, _> = text.parse();
        assert!(program.is_ok(), "{between}: {}", program.unwrap_err());
        let expected = expect_test::Expect {
            data: expected,
            ..expect![""]
        };
        check_shared(&text, false, &expected);
    }
    // Others may write at any time.
    check_shared(&blocks("store v0, v2 align 4"), true, &expect![""]);
}

/// The value of a load in a loop is another one each time; one that dominates the place stays.
#[test]
fn a_guard_holds_behind_a_loop() {
    check(
        &body(
            "block0:
               v3: i1 = icmp sgt v0, i32 0
               br v3, block1, block4 [site0: edge0 false, edge1 true]
             block1:
               v4: i32 = load v2 align 4
               v5: i1 = icmp eq v4, v1
               br v5, block2, block1 [site1: edge2 false, edge3 true]
             block2:
               v6: i32 = load v2 align 4
               v7: i1 = icmp eq v6, v1
               br v7, block3, block4 [site2: edge4 false, edge5 true]
             block3:
               v8: i1 = icmp slt v0, i32 1
               br v8, block4, block4 [site3: edge6 false, edge7 true]
             block4:
               ret v1
            ",
        ),
        expect![[r#"
            edge4 [edge3]
            edge7 [edge1]
        "#]],
    );
}

/// A walk goes so far; what it knew is forgotten there, but for what every path to the place decides nearby.
#[test]
fn a_walk_begins_anew_behind_so_many_blocks() {
    let found = |blocks: u32| {
        let mut text = "block0:
            v3: i32 = load v2 align 4
            v4: i1 = icmp sgt v3, i32 5
            br v4, block1, blockLAST [site0: edge0 false, edge1 true]
        "
        .to_owned();
        for block in 1..blocks {
            let _ = writeln!(text, "block{block}:\n br block{}", block + 1);
        }
        let (yes, no) = (blocks + 1, blocks + 2);
        let _ = write!(
            text,
            "block{blocks}:
               v5: i32 = load v2 align 4
               v6: i1 = icmp sgt v5, i32 3
               br v6, block{yes}, block{no} [site1: edge2 false, edge3 true]
             block{yes}:
               ret v0
             block{no}:
               ret v1
            "
        );
        body(&text.replace("LAST", &no.to_string()))
    };
    check(&found(200), expect![["edge2 [edge1]\n"]]);
    check(&found(201), expect![""]);
}

#[test]
fn where_nothing_is_known_nothing_is_impossible() {
    use crate::coupling::{Conflict, Possible};
    use crate::edges::Impossible;
    let (edge, block) = (program::EdgeId::from_u32(0), program::BlockId::from_u32(0));
    let mut found = Impossible::default();
    assert!(found.is_empty());
    found.blocks.insert(block, Vec::new());
    assert!(!found.is_empty());
    found = Impossible::default();
    found.edges.insert(edge, Vec::new());
    assert!(!found.is_empty());
    let mut possible = Possible::default();
    assert!(possible.is_everything());
    let reason = values::Reason::NotReached;
    possible.by_values.insert(edge, reason);
    assert!(!possible.is_everything());
    possible = Possible::default();
    possible.conflicts.insert(Conflict {
        edge: None,
        because: Vec::new(),
    });
    assert!(!possible.is_everything());
}
