use program::{Counter, ExprOp, FuncId, RegionKind};

use super::*;
use crate::HitCounter;
use crate::criterion::branch::Branch;
use crate::sample::{Builder, Own, simple};

fn hits(program: &Program, functions: &[FuncId], edges: &[program::EdgeId]) -> Hits {
    let mut counter = HitCounter::new(program);
    functions
        .iter()
        .for_each(|function| counter.enter(*function));
    edges.iter().for_each(|edge| counter.edge(*edge));
    counter.take()
}

fn covered(goals: &Goals, hits: &Hits) -> Vec<String> {
    goals
        .covered_by(hits)
        .iter()
        .map(|goal| goal.to_string())
        .collect()
}

#[test]
fn outcomes_are_sums_and_differences_of_counts() {
    let mut builder = Builder::new();
    let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let both =
        |functions: &[FuncId], edges: &[_]| covered(&goals, &hits(&program, functions, edges));
    assert_eq!(both(&[main], &[yes]), ["goal0"], "true comes first");
    assert_eq!(both(&[main], &[no]), ["goal1"]);
    assert_eq!(both(&[main, main], &[no, yes]), ["goal0", "goal1"]);
    assert_eq!(both(&[main, main], &[yes, yes]), ["goal0"]);
    assert_eq!(both(&[], &[]), [""; 0]);
}

#[test]
fn a_count_below_zero_counts() {
    let mut builder = Builder::new();
    let (main, _, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    // After `longjmp`: entered once, true twice, so false was -1 times: `llvm-cov` shows 2^63 - 1.
    assert_eq!(
        covered(&goals, &hits(&program, &[main], &[yes, yes])),
        ["goal0", "goal1"]
    );
}

#[test]
fn a_cut_run_covers_what_its_edges_say() {
    let mut builder = Builder::new();
    let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let cut = |late: program::EdgeId| {
        let mut counter = HitCounter::new(&program);
        counter.enter(main);
        counter.edge_times(late, 1);
        counter.set_rough();
        covered(&goals, &counter.take())
    };
    assert_eq!(cut(yes), ["goal0"], "the counts alone would say false");
    assert_eq!(cut(no), ["goal1"]);
}

#[test]
fn macros_count_where_they_are_expanded() {
    let mut builder = Builder::new();
    let function = builder.function("main", 1, &["a.c", "m.h", "n.h", "lost.h"]);
    builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
    builder.region(
        0,
        (5, 3),
        RegionKind::Expansion { file: 1 },
        Counter::Counter(0),
    );
    builder.region(
        1,
        (9, 2),
        RegionKind::Expansion { file: 2 },
        Counter::Counter(0),
    );
    let (_, yes, _) = builder.condition(2, (7, 7), Counter::Counter(0));
    builder.condition(3, (8, 8), Counter::Counter(0));
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    assert_eq!(goals.len(), 2, "a file that nothing expands does not count");
    assert_eq!(
        covered(&goals, &hits(&program, &[function], &[yes])),
        ["goal0"]
    );
    let place = goals.place(GoalId::from_u32(0));
    let name = |file: u32| program.files[file as usize].as_str();
    let at: Vec<_> = place
        .expanded_at
        .iter()
        .map(|(file, range)| (name(*file), range.line))
        .collect();
    assert_eq!(
        (name(place.file), at),
        ("n.h", vec![("m.h", 9), ("a.c", 5)])
    );
}

#[test]
fn instantiations_of_a_header_function_count_once() {
    let mut builder = Builder::new();
    let (f, f_no, f_yes) = simple(&mut builder, "a.c:min", 1, "min.h");
    let (g, g_no, g_yes) = simple(&mut builder, "b.c:min", 1, "min.h");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let totals = |hits: &Hits| {
        let totals = goals.totals(&goals.covered_by(hits), &GoalSet::default());
        (totals.total, totals.covered)
    };
    assert_eq!((goals.len(), goals.groups().len()), (4, 1));
    assert_eq!(
        totals(&hits(&program, &[f, g], &[f_yes, g_no])),
        (2, 1),
        "the best, not the union"
    );
    assert_eq!(
        totals(&hits(&program, &[f, g, g], &[f_no, g_no, g_yes])),
        (2, 2)
    );
}

#[test]
fn of_records_with_one_name_the_linker_keeps_one() {
    let mut builder = Builder::new();
    let (f, _, f_yes) = simple(&mut builder, "u.c:f", 1, "x/u.c");
    let (g, _, g_yes) = simple(&mut builder, "u.c:f", 2, "y/u.c");
    let (h, _, h_yes) = simple(&mut builder, "u.c:f", 1, "z/u.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    assert_eq!(goals.len(), 2);
    assert_eq!(covered(&goals, &hits(&program, &[f], &[f_yes])), ["goal0"]);
    assert_eq!(covered(&goals, &hits(&program, &[g], &[g_yes])), [""; 0]);
    // The same name and hash: the profile cannot tell them apart.
    assert_eq!(covered(&goals, &hits(&program, &[h], &[h_yes])), ["goal0"]);
}

#[test]
fn shared_expressions_are_evaluated_after_their_operands() {
    let mut builder = Builder::new();
    let function = builder.function("main", 1, &["a.c"]);
    builder.region(0, (1, 1), RegionKind::Code, Counter::Counter(0));
    let b = builder.expr(ExprOp::Add, Counter::Counter(0), Counter::Counter(0));
    let c = builder.expr(ExprOp::Add, b, Counter::Zero);
    let a = builder.expr(ExprOp::Sub, b, c);
    let odd = builder.expr(ExprOp::Sub, c, Counter::Counter(0));
    builder.region(0, (2, 1), RegionKind::Branch { false_count: odd }, a);
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    assert_eq!(
        covered(&goals, &hits(&program, &[function], &[])),
        ["goal1"]
    );
}

#[test]
fn goals_are_evaluated_alike_alone_and_in_a_ledger() {
    let mut random = crate::sample::Random::new(3);
    for _ in 0..50 {
        let mut builder = Builder::new();
        let mut edges = Vec::new();
        let mut functions = Vec::new();
        for number in 0..4 {
            functions.push(builder.function(&format!("f{number}"), 1, &["a.c"]));
            builder.region(0, (number + 1, 1), RegionKind::Code, Counter::Counter(0));
            let mut parent = Counter::Counter(0);
            for line in 0..random.below(4) as u32 {
                let (no, yes, inner) = builder.condition(0, (line, 3), parent);
                edges.extend([no, yes]);
                parent = [parent, inner][random.below(2)];
            }
        }
        let program = builder.program;
        let goals = Goals::new(&program, &Own(Branch));
        let mut ledger = crate::Ledger::new(&goals);
        let mut all = GoalSet::new(&goals);
        for test in 0..10 {
            let mut counter = HitCounter::new(&program);
            for _ in 0..random.below(6) {
                counter.enter(functions[random.below(4)]);
                if !edges.is_empty() {
                    counter.edge(edges[random.below(edges.len())]);
                }
            }
            let hits = counter.take();
            let alone = goals.covered_by(&hits);
            let fresh: Vec<_> = alone.iter().filter(|goal| !all.contains(*goal)).collect();
            assert_eq!(ledger.record(&goals, &hits, test), fresh);
            all.extend(alone.iter());
            assert_eq!(ledger.covered(), &all);
        }
    }
}

#[test]
fn a_set_knows_how_many_goals_it_has() {
    let mut builder = Builder::new();
    simple(&mut builder, "main", 1, "a.c");
    let goals = Goals::new(&builder.program, &Own(Branch));
    assert!(!goals.is_empty() && goals.len() == 2);
    let mut set = GoalSet::new(&goals);
    let goal = |number| crate::GoalId::from_u32(number);
    // Beyond the goals that it was made for as well.
    for (number, is_new, len) in [(1, true, 1), (1, false, 1), (70, true, 2), (0, true, 3)] {
        assert_eq!((set.insert(goal(number)), set.len()), (is_new, len));
    }
    assert_eq!(
        set.iter().map(|goal| goal.as_u32()).collect::<Vec<_>>(),
        [0, 1, 70]
    );
    for (number, was_in, len) in [(2, false, 3), (70, true, 2), (70, false, 2), (99, false, 2)] {
        assert_eq!((set.remove(goal(number)), set.len()), (was_in, len));
    }
    assert!(!set.is_empty() && GoalSet::new(&goals).is_empty());
}

#[test]
fn reasons_are_those_of_infeasible_goals() {
    use crate::{Status, Statuses};
    let mut builder = Builder::new();
    simple(&mut builder, "main", 1, "a.c");
    simple(&mut builder, "other", 2, "a.c");
    let goals = Goals::new(&builder.program, &Own(Branch));
    let all = Statuses::new(&goals, |goal| match goal.as_u32() {
        0 => Status::Covered { test: None },
        1 => Status::Open(()),
        number => Status::Infeasible(number),
    });
    assert_eq!(all.grounds().copied().collect::<Vec<_>>(), [2, 3]);
    assert_eq!((all.covered().len(), all.infeasible().len()), (1, 2));
    assert!(all.get(crate::GoalId::from_u32(1)).is_open());
}
