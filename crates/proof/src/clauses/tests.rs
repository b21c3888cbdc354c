//! Clauses of small programs: what follows from them, and what does not.

use std::collections::BTreeSet;

use program::Program;
use program::text::sample;
use smt::horn::{Horn, HornBackend, HornSolver, Templates};
use smt::{Pool, Steps};

use super::*;
use crate::effort::Effort;

/// Functions by name, and all parts of variables; `None`: from the start.
fn part(program: &Program, function: Option<&str>, followed: &[&str], with_cells: bool) -> Part {
    let id = |name: &&str| program.function_named(name).expect("a function").as_u32();
    let cells = Parts::of(program, false);
    let cells = cells.all().iter().filter(|_| with_cells);
    Part {
        function: function.as_ref().map(id),
        followed: followed.iter().map(id).collect(),
        cells: cells.map(|cell| Cell::of(*cell)).collect(),
    }
}

fn edge(edge: u32) -> [Fact; 1] {
    [Fact::Edge { edge }]
}

/// What holds in a part so that no run does what is asked; checked once more.
fn found(program: &Program, part: &Part, never: &[Fact]) -> Result<Interpretation, String> {
    let dead = BTreeSet::new();
    let mut pool = Pool::new();
    let effects = Effects::new(program, false, None);
    let clauses = Clauses::of(&effects);
    let system = clauses.system(part, &dead, never, &mut pool);
    let system = system.map_err(|refusal| refusal.to_string())?;
    let entry = &smt::backend::ALL[0];
    let templates: Box<dyn HornBackend> = Box::new(Templates::new(entry.checker));
    for backend in [templates, (entry.horn)().expect("a solver")] {
        let mut solver = HornSolver::new(backend, entry.checker);
        if let Horn::Safe(formulas) = solver.solve(&mut pool, &system, Steps(4_000)) {
            let found = Interpretation::new(part.clone(), &pool, &formulas);
            let effort = Effort::questions(QUESTIONS);
            let checked = check(&effects, &found, &dead, never, effort);
            checked.unwrap_or_else(|refusal| panic!("{refusal}"));
            return Ok(found);
        }
    }
    Err("nothing holds that excludes it".to_owned())
}

/// Two counters of a loop: both grow by `first` and `second` in each round.
fn counters(first: &str, second: &str) -> Program {
    sample(&format!(
        "extern @input() -> i1
         fn @count() -> i32 {{
         block0:
           br block1
         block1:
           v0: i32 = phi [block0: i32 0, block2: v3]
           v1: i32 = phi [block0: i32 0, block2: v4]
           v2: i1 = call @input()
           br v2, block2, block3 [site0: edge0 false, edge1 true]
         block2:
           v3: i32 = {first}
           v4: i32 = {second}
           br block1
         block3:
           v5: i1 = icmp ne v0, v1
           br v5, block4, block5 [site1: edge2 false, edge3 true]
         block4:
           ret i32 1
         block5:
           ret i32 0
         }}"
    ))
}

#[test]
fn counters_that_go_side_by_side() {
    let both = |first: &str, second: &str| {
        let program = counters(first, second);
        let part = part(&program, Some("count"), &[], false);
        [3, 2].map(|side| found(&program, &part, &edge(side)).is_ok())
    };
    assert_eq!(both("add v0, i32 1", "add v1, i32 1"), [true, false]);
    assert_eq!(both("add v0, i32 3", "add v1, i32 3"), [true, false]);
    assert_eq!(both("add v0, i32 1", "add v1, i32 2"), [false, false]);
    // What the other one was before.
    assert_eq!(both("add v1, i32 1", "add v0, i32 1"), [true, false]);
}

#[test]
fn what_holds_is_of_its_part_and_its_claim() {
    let program = counters("add v0, i32 1", "add v1, i32 1");
    let own = part(&program, Some("count"), &[], false);
    let good = found(&program, &own, &edge(3)).expect("they are equal");
    let check = |program: &Program, found: &Interpretation, never: &[Fact]| {
        let effort = Effort::questions(QUESTIONS);
        let effects = Effects::new(program, false, None);
        check(&effects, found, &BTreeSet::new(), never, effort)
    };
    assert!(check(&program, &good, &edge(3)).is_ok());
    let refused = [
        check(&program, &good, &edge(2)),
        check(&counters("add v0, i32 1", "add v1, i32 2"), &good, &edge(3)),
        check(&program, &good, &edge(7)),
        check(
            &program,
            &good,
            &[Fact::Block {
                function: 0,
                block: 0,
            }],
        ),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    for change in [
        |found: &mut Interpretation| found.holds.pop().map_or((), |_| ()),
        |found: &mut Interpretation| found.holds[1] = 99,
        |found: &mut Interpretation| found.terms[0] = "parameter 0".to_owned(),
        |found: &mut Interpretation| found.terms.clear(),
        |found: &mut Interpretation| found.part.function = Some(9),
        |found: &mut Interpretation| found.part.followed = BTreeSet::from([9]),
        |found: &mut Interpretation| {
            found.part.cells.push(Cell {
                global: 0,
                offset: 0,
                size: 4,
            });
        },
    ] {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(check(&program, &bad, &edge(3)).is_err(), "{bad:?}");
    }
    // A formula about more than its point has.
    let mut pool = Pool::new();
    let far = pool.var(smt::Var(9), 1);
    let far = Interpretation::new(own, &pool, &vec![far; good.holds.len()]);
    assert!(check(&program, &far, &edge(3)).is_err());
}

/// A lock in a variable, taken and given back by functions in an endless loop; `more` is another function, `call` what the loop does with it.
fn lock(more: &str, call: &str) -> Program {
    sample(&format!(
        r#"extern @input() -> i1
         extern @other()
         global @held size 4 align 4 = x""
         global @depth size 4 align 4 = x""
         fn @take() {{
         block0:
           v0: i32 = load @depth
           v1: i32 = add v0, i32 1
           store v1, @depth
           store i32 1, @held
           ret
         }}
         fn @give() {{
         block0:
           store i32 0, @depth
           store i32 0, @held
           ret
         }}
         {more}
         fn @main() -> i32 {{
         block0:
           br block1
         block1:
           v0: i1 = call @input()
           v1: i32 = load @held
           v2: i1 = icmp eq v1, i32 0
           br v2, block2, block3 [site0: edge0 false, edge1 true]
         block2:
           call @take()
           br block4
         block3:
           call @give()
           br block4
         block4:
           {call}
           v3: i32 = load @depth
           v4: i1 = icmp ugt v3, i32 1
           br v4, block5, block1 [site1: edge2 false, edge3 true]
         block5:
           ret i32 1
         }}"#
    ))
}

#[test]
fn what_calls_write_is_known_where_they_are_followed() {
    let known = |more: &str, call: &str, followed: &[&str], start: bool| {
        let program = lock(more, call);
        let part = part(&program, (!start).then_some("main"), followed, true);
        found(&program, &part, &edge(3)).is_ok()
    };
    let both = ["take", "give"];
    assert!(known("", "", &both, true));
    // Whatever variables hold at first.
    assert!(!known("", "", &both, false));
    assert!(!known("", "", &["take"], true));
    assert!(!known("", "", &["give"], true));
    // What has no body does not write to variables that nothing else knows of; another function does.
    assert!(known("", "call @other()", &both, true));
    let writes = "fn @more() { block0: store i32 7, @depth ret }";
    assert!(!known(writes, "call @more()", &both, true));
    let reads = "fn @more() { block0: v0: i32 = load @depth ret }";
    assert!(!known(reads, "call @more()", &both, true));
    assert!(known(
        reads,
        "call @more()",
        &[both[0], both[1], "more"],
        true
    ));
    // It is called, directly or by another one, while it runs: nothing is known of what that does.
    let again = "fn @more() { block0: store i32 0, @depth call @more() ret }";
    assert!(!known(
        again,
        "call @more()",
        &[both[0], both[1], "more"],
        true
    ));
}

/// A function that gets two numbers; `main` calls it with some, and makes another call. `more` is another function.
fn called(args: &str, call: &str, more: &str) -> Program {
    sample(&format!(
        "extern @input() -> i32
         fn @less(v0: i32, v1: i32) -> i32 {{
         block0:
           v2: i1 = icmp ugt v0, v1
           br v2, block1, block2 [site0: edge0 false, edge1 true]
         block1:
           ret i32 1
         block2:
           ret i32 0
         }}
         fn @main() -> i32 {{
         block0:
           v0: i32 = call @input()
           v1: i32 = and v0, i32 15
           v2: i32 = call @less({args})
           v3: i1 = icmp eq v2, i32 1
           br v3, block1, block2 [site1: edge2 false, edge3 true]
         block1:
           {call}
           ret i32 1
         block2:
           ret i32 0
         }}
         {more}"
    ))
}

#[test]
fn what_a_function_is_given_is_known_from_the_start() {
    let program = called("v1, i32 15", "", "");
    let start = part(&program, None, &["less"], false);
    for never in [edge(1), edge(3)] {
        assert!(found(&program, &start, &never).is_ok());
        // Alone, it may be given anything; not followed, it may return anything.
        let alone = part(&program, Some("less"), &[], false);
        assert!(found(&program, &alone, &never).is_err());
        let main = part(&program, Some("main"), &[], false);
        assert!(found(&program, &main, &never).is_err());
    }
    assert!(found(&program, &start, &edge(0)).is_err());
    let program = called("v0, i32 15", "", "");
    let start = part(&program, None, &["less"], false);
    assert!(found(&program, &start, &edge(1)).is_err());
    // The block behind it, too.
    let never = [Fact::Block {
        function: 0,
        block: 1,
    }];
    let program = called("i32 3, v1", "", "");
    let start = part(&program, None, &["less"], false);
    assert!(found(&program, &start, &never).is_err());
    let program = called("i32 0, v1", "", "");
    assert!(found(&program, &start, &never).is_ok());
}

#[test]
fn what_is_not_followed_may_come_to_it() {
    // Another function calls it with other numbers.
    let more = "fn @more() { block0: v0: i32 = call @less(i32 9, i32 1) ret }";
    let program = called("v1, i32 15", "", more);
    let start = part(&program, None, &["less"], false);
    assert!(found(&program, &start, &edge(1)).is_ok());
    let program = called("v1, i32 15", "call @more()", more);
    let known = found(&program, &start, &edge(1));
    assert!(known.is_err());
    // Nobody sees who calls a model of the C library.
    let model = "fn @model(v0: i32) library { block0: v1: i1 = icmp eq v0, i32 0
         br v1, block1, block1 [site2: edge4 false, edge5 true] block1: ret }";
    let program = called("v1, i32 15", "", model);
    for function in [None, Some("model")] {
        let part = part(&program, function, &["less"], false);
        assert!(found(&program, &part, &edge(4)).is_err());
    }
    // One that calls itself is not followed further.
    let again = "fn @deep(v0: i32) -> i32 {
         block0:
           v1: i1 = icmp eq v0, i32 0
           br v1, block1, block2 [site2: edge4 false, edge5 true]
         block1:
           ret i32 0
         block2:
           v2: i32 = sub v0, i32 1
           v3: i32 = call @deep(v2)
           v4: i1 = icmp eq v3, i32 7
           br v4, block3, block4 [site3: edge6 false, edge7 true]
         block3:
           ret i32 1
         block4:
           ret i32 0
         }";
    let program = called("i32 0, i32 15", "v4: i32 = call @deep(i32 3)", again);
    let start = part(&program, None, &["deep"], false);
    assert!(found(&program, &start, &edge(7)).is_err());
}

#[test]
fn what_numbers_of_floating_point_decide_is_open() {
    let program = sample(
        "extern @input() -> f64
         fn @f() -> i32 {
         block0:
           br block1
         block1:
           v0: i32 = phi [block0: i32 0, block2: v3]
           v1: f64 = call @input()
           v2: i1 = fcmp olt v1, v1
           br v2, block2, block3 [site0: edge0 false, edge1 true]
         block2:
           v3: i32 = add v0, i32 2
           br block1
         block3:
           v4: i32 = and v0, i32 1
           v5: i1 = icmp eq v4, i32 1
           br v5, block4, block5 [site1: edge2 false, edge3 true]
         block4:
           ret i32 1
         block5:
           ret i32 0
         }",
    );
    let part = part(&program, Some("f"), &[], false);
    assert!(found(&program, &part, &edge(1)).is_err());
    assert!(found(&program, &part, &edge(2)).is_err());
    // Beside them, the rest is known.
    assert!(found(&program, &part, &edge(3)).is_ok());
}
