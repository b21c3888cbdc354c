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
    assert_eq!(cut(yes), ["goal0"]);
    assert_eq!(cut(no), ["goal1"]);
    let mut counter = HitCounter::new(&program);
    counter.enter_times(main, 2);
    counter.edge(yes);
    let mut hits = counter.take();
    assert_eq!(covered(&goals, &hits), ["goal0", "goal1"]);
    hits.rough = true;
    assert_eq!(
        covered(&goals, &hits),
        ["goal0"],
        "the counts alone would say false"
    );
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
    let mut set = GoalSet::new(&goals);
    set.insert(goal(1));
    assert_ne!(set, GoalSet::new(&goals));
    set.remove(goal(1));
    assert_eq!(set, GoalSet::new(&goals), "as it was");
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

/// A record whose first region counts like this.
fn record(hash: u64, first: Option<(RegionKind, Counter)>) -> FunctionCoverage {
    let mut builder = Builder::new();
    builder.function("f", hash, &["a.c"]);
    if let Some((kind, count)) = first {
        builder.region(0, (1, 1), kind, count);
    }
    builder.program.coverage.remove(0)
}

#[test]
fn a_record_without_code_is_a_dummy() {
    let code = |count| Some((RegionKind::Code, count));
    for (hash, first, expected) in [
        (0, code(Counter::Zero), true),
        (0, None, true),
        (0, code(Counter::Counter(0)), false),
        (1, code(Counter::Zero), false),
        (1, None, false),
    ] {
        let found = is_dummy(&record(hash, first));
        assert_eq!(found, expected, "{hash} {first:?}");
    }
}

#[test]
fn the_entry_of_what_may_run_is_a_goal() {
    let zero = Counter::Zero;
    let branch = RegionKind::Branch { false_count: zero };
    let one = Counter::Counter(0);
    let file = 0;
    for (hash, kind, count, has_function, expected) in [
        (1, RegionKind::Code, one, true, 1),
        (1, RegionKind::Expansion { file }, one, true, 1),
        (1, RegionKind::Code, one, false, 0),
        (0, RegionKind::Code, zero, true, 0),
        (1, RegionKind::Code, zero, true, 1),
        (1, branch, one, true, 0),
        (1, RegionKind::Gap, one, true, 0),
    ] {
        let mut builder = Builder::new();
        builder.function("f", 1, &["a.c"]);
        let mut record = record(hash, Some((kind, count)));
        record.function = builder.last().function.filter(|_| has_function);
        *builder.last() = record;
        let goals = Goals::new(&builder.program, &Branch);
        let entries = goals
            .iter()
            .filter(|(_, goal)| goal.kind == GoalKind::Entry)
            .count();
        assert_eq!(
            entries, expected,
            "{hash} {kind:?} {count:?} {has_function}"
        );
    }
}

/// A dummy takes no name; code of the library has no goals.
#[test]
fn records_count_that_are_linked_and_the_users() {
    let mut builder = Builder::new();
    let never = |builder: &mut Builder| {
        builder.function("f", 0, &["a.c"]);
        builder.region(0, (1, 1), RegionKind::Code, Counter::Zero);
    };
    never(&mut builder);
    simple(&mut builder, "f", 1, "a.c");
    simple(&mut builder, "f", 2, "a.c");
    never(&mut builder);
    let (library, ..) = simple(&mut builder, "strlen", 1, "l.c");
    builder.program.functions[library].library = true;
    simple(&mut builder, "g", 1, "a.c");
    let counting: Vec<u32> = counting_records(&builder.program).collect();
    assert_eq!(counting, [0, 1, 3, 5]);
    let goals = Goals::new(&builder.program, &Own(Branch));
    let records: Vec<u32> = goals.iter().map(|(_, goal)| goal.record).collect();
    assert_eq!(records, [1, 1, 5, 5]);
}

#[test]
fn a_part_of_a_program_is_one() {
    use crate::criterion::lines::LinesOf;
    use crate::scope::{LineRange, Lines};
    let mut builder = Builder::new();
    let (f, ..) = simple(&mut builder, "f", 1, "a.c");
    simple(&mut builder, "g", 1, "b.c");
    let program = builder.program;
    let range = LineRange::parse("a.c:1-2").expect("lines");
    let lines = Lines::find(&program, &range).expect("a file");
    let scope = Scope {
        lines: Some(&lines),
        ..Scope::default()
    };
    let pick = Pick::new(1, 1, GoalKind::Outcome(crate::Side::True));
    for (goals, is_scoped, len) in [
        (Goals::new(&program, &Own(Branch)), false, 4),
        (Goals::of(&program, &Own(Branch), &[f]), true, 2),
        (Goals::of(&program, &Own(Branch), &[]), true, 0),
        (Goals::within(&program, &LinesOf, &scope), true, 3),
        (Goals::picked(&program, &[pick]), true, 1),
    ] {
        let name = goals.criterion().name();
        assert_eq!((goals.is_scoped(), goals.len()), (is_scoped, len), "{name}");
        assert_eq!(goals.is_empty(), len == 0);
        assert!(!goals.want_vectors(), "{name}");
    }
    let (program, _) = crate::sample::decisions();
    assert!(Goals::new(&program, &crate::criterion::mcdc::MASKING).want_vectors());
}

/// Two decisions that cannot be followed, each for a reason of its own.
#[test]
fn a_goal_that_nothing_shows_says_why() {
    use crate::criterion::mcdc::UNIQUE_CAUSE;
    use program::decision::Next::{Condition as C, End};
    let and = [[End(false), C(1)], [End(false), End(true)]];
    let (mut program, _) = crate::sample::of_next(&[&and, &and, &and]);
    let problems = [
        None,
        Some(Problem::TooManyConditions),
        Some(Problem::Unreadable),
    ];
    let decisions = &mut program.coverage[0].decisions;
    for (decision, problem) in decisions.iter_mut().zip(problems) {
        decision.problem = problem;
    }
    let goals = Goals::new(&program, &UNIQUE_CAUSE);
    for (goal, known) in goals.iter() {
        let line = goals.place(goal).range.line;
        let counts = matches!(known.evidence, Evidence::Count(_));
        let expected = match line {
            4 | 5 if !counts => problems[1],
            6 | 7 if !counts => problems[2],
            _ => None,
        };
        assert_eq!(goals.problem(goal), expected, "{goal} {}", known.kind);
        assert_eq!(
            known.evidence == Evidence::Nothing,
            expected.is_some(),
            "{goal} {}",
            known.kind
        );
    }
}

#[test]
fn goals_and_records_have_places() {
    let mut builder = Builder::new();
    simple(&mut builder, "f", 1, "a.c");
    builder.function("none", 1, &["b.c"]);
    builder.function("g", 1, &["b.c"]);
    builder.region(0, (7, 3), RegionKind::Code, Counter::Counter(0));
    builder.condition(0, (8, 4), Counter::Counter(0));
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let found: Vec<_> = goals
        .iter()
        .map(|(goal, _)| {
            let (file, range) = goals.local_place(goal);
            (goals.group_of(goal), file, (range.line, range.col))
        })
        .collect();
    let (f, g) = ((0, 0, (2, 7)), (1, 0, (8, 4)));
    assert_eq!(found, [f, f, g, g]);
    let starts = [0, 1, 2].map(|record| goals.start_of_record(record));
    assert_eq!(starts, [Some((0, 1)), None, Some((1, 7))]);
}

/// Of instantiations that cover as much, the first one counts.
#[test]
fn the_first_of_the_best_instantiations_counts() {
    let mut builder = Builder::new();
    let names = ["a.c:min", "b.c:min", "c.c:min"];
    let all = names.map(|name| simple(&mut builder, name, 1, "min.h"));
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let [a, b, c] = all;
    for (edges, best) in [
        (&[][..], 0),
        (&[(a.0, a.1), (b.0, b.2)], 0),
        (&[(b.0, b.1), (c.0, c.2)], 1),
        (&[(a.0, a.1), (c.0, c.1), (c.0, c.2)], 2),
    ] {
        let (functions, edges): (Vec<_>, Vec<_>) = edges.iter().copied().unzip();
        let hits = hits(&program, &functions, &edges);
        let covered = goals.covered_by(&hits);
        let mut counts = Counts::new(&goals);
        counts.add(&goals, &hits);
        assert_eq!(goals.covered(&counts), covered);
        let group = &goals.groups()[0];
        let (record, figures) = goals.group_figures(group, &covered, &GoalSet::default());
        assert_eq!((record, figures.own.total), (best, 2), "{edges:?}");
    }
}

/// Exits are goals where the criterion asks for them, of what is the user's and in scope.
#[test]
fn exits_are_goals_of_who_asks_for_them() {
    use crate::criterion::mcdc::UNIQUE_CAUSE;
    let mut builder = Builder::new();
    let [f, library, _] = [("f", "a.c"), ("strlen", "l.c"), ("g", "b.c")].map(|(name, file)| {
        let (function, ..) = simple(&mut builder, name, 1, file);
        builder.region(0, (2, 9), RegionKind::Code, Counter::Counter(1));
        function
    });
    builder.program.functions[library].library = true;
    let program = builder.program;
    let exits = |goals: &Goals| -> Vec<u32> {
        let exits = goals.iter().filter(|(_, goal)| goal.kind == GoalKind::Exit);
        exits.map(|(_, goal)| goal.record).collect()
    };
    assert_eq!(exits(&Goals::new(&program, &UNIQUE_CAUSE)), [0, 2]);
    assert_eq!(exits(&Goals::of(&program, &UNIQUE_CAUSE, &[f])), [0]);
    assert_eq!(exits(&Goals::new(&program, &Branch)), [0; 0]);
    let goals = Goals::new(&program, &UNIQUE_CAUSE);
    let figures = goals.figures(&GoalSet::default(), &GoalSet::default());
    assert_eq!(figures.exits.total, 2);
}
