//! What may still cover something.

use program::{ExprOp, RegionKind};

use super::*;
use crate::HitCounter;
use crate::criterion::{branch::Branch, mcdc, statement::Statement};
use crate::sample::{Builder, Own, PairsOf, decisions, simple};

#[test]
fn goals_close_with_their_function() {
    let mut builder = Builder::new();
    let (f, no, yes) = simple(&mut builder, "a.c:min", 1, "min.h");
    simple(&mut builder, "b.c:min", 1, "min.h");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let mut counter = HitCounter::new(&program);
    let mut run = |edge, relevance: &mut Relevance| {
        counter.enter(f);
        counter.edge(edge);
        let fresh = ledger.record(&goals, &counter.take(), 0);
        let closed = relevance.update(&goals, &ledger, &fresh);
        (closed.len(), relevance.left())
    };
    let covers =
        |edge, relevance: &Relevance| relevance.covers(edge, &mut std::iter::empty::<Back>());
    assert!(covers(no, &relevance) && covers(yes, &relevance));
    assert_eq!(run(no, &mut relevance), (1, 3));
    assert!(!covers(no, &relevance) && covers(yes, &relevance));
    assert_eq!(run(no, &mut relevance), (0, 3));
    assert_eq!(
        run(yes, &mut relevance),
        (3, 0),
        "the other instantiation is done as well"
    );
}

/// Runs `main` over these edges, as a test.
fn show(
    (program, goals): (&Program, &Goals),
    steps: &[EdgeId],
    ledger: &mut Ledger,
    relevance: &mut Relevance,
) {
    let main = program.function_named("main").expect("main");
    let mut counter = HitCounter::of(program, goals);
    counter.enter(main);
    steps.iter().for_each(|step| counter.edge(*step));
    counter.leave(main);
    let fresh = ledger.record(goals, &counter.take(), 0);
    relevance.update(goals, ledger, &fresh);
}

#[test]
fn what_would_complete_a_pair_covers() {
    // Lines 2 (one condition), 3 and 4 (`b && c`); `+N` and `-N` are the condition of line N, true and false.
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let edge = |word: &str| {
        let (side, line) = word.split_at(1);
        let line: usize = line.parse().expect("a line");
        edges[line - 2][usize::from(side == "+")]
    };
    let words = ["+2", "-2", "+3", "-3", "+3 +4", "+3 -4", "-4"];
    let mut covering = |run: &str, relevance: &mut Relevance| {
        let steps: Vec<EdgeId> = run.split_whitespace().map(edge).collect();
        show((&program, &goals), &steps, &mut ledger, relevance);
        let covers = |words: &&&str| {
            let mut path = words.split(' ').rev().map(edge);
            let last = path.next().expect("an edge");
            relevance.covers(last, &mut path.map(Back::Edge))
        };
        words.iter().filter(covers).copied().collect::<Vec<_>>()
    };
    assert_eq!(covering("", &mut relevance), [""; 0]);
    // Where the path does not say how the evaluation began, it may have begun as it should.
    assert_eq!(covering("+2 +3 +4", &mut relevance), ["-3", "+3 -4", "-4"]);
    // A false `b` is shown; a true one was before.
    assert_eq!(covering("+2 -3", &mut relevance), ["+3 -4", "-4"]);
    assert_eq!(covering("-2 +3 -4", &mut relevance), [""; 0]);
}

/// Who asked once what the way to a decision promises must hear that its other half is worth a goal now.
#[test]
fn the_other_half_of_a_pair_rises() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let [[not_a, _], [not_b, b], [_, c], ..] = edges;
    // Either may be half of the pairs of both conditions.
    assert_eq!([b, c].map(|edge| relevance.gain(edge)), [2, 2]);
    let mut shown = |steps: &[EdgeId], relevance: &mut Relevance| {
        let asked = relevance.rises();
        show((&program, &goals), steps, &mut ledger, relevance);
        let gains = [not_b, b, c].map(|edge| relevance.gain(edge));
        (gains, relevance.rises() > asked)
    };
    assert_eq!(shown(&[not_a], &mut relevance), ([1, 2, 2], false));
    // With `F-`, `TT` is the other half for `b`, and may be the first one for `c`.
    assert_eq!(shown(&[not_b], &mut relevance), ([0, 3, 3], true));
    // The same again changes nothing.
    assert_eq!(shown(&[not_b], &mut relevance), ([0, 3, 3], false));
    // With `TF`, it is the other half for both.
    assert_eq!(shown(&[b, edges[2][0]], &mut relevance), ([0, 4, 4], true));
    assert_eq!(shown(&[b, c], &mut relevance), ([0, 0, 0], false));
}

#[test]
fn an_evaluation_that_began_already_is_no_news() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let [not_b, b] = edges[1];
    let mut covers_after = |steps: &[EdgeId]| {
        show((&program, &goals), steps, &mut ledger, &mut relevance);
        relevance.covers(b, &mut std::iter::empty::<Back>())
    };
    // `b` may come to `TT`, which pairs with `F-`; but not where it came to `TF` already: that is `c`'s to turn.
    assert!(covers_after(&[not_b]));
    assert!(!covers_after(&[b, edges[2][0]]));
}

/// What a path says of an evaluation: calls on the way are passed over, what is behind the function's own call is another one.
#[test]
fn an_evaluation_is_followed_back_through_calls() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let relevance = Relevance::new(&program, &goals);
    let [[not_a, a], [not_b, b], [not_c, _], ..] = edges;
    let sign =
        |edge: EdgeId, before: &[Back]| relevance.signature(edge, &mut before.iter().copied());
    let f = FuncId::from_u32(0);
    let (call, back, resume) = (Back::Call(f), Back::Return(f), Back::Resume(f));
    let edge = Back::Edge;
    let known = sign(not_c, &[edge(b)]);
    let unknown = sign(not_c, &[]);
    assert!(known != unknown && known != 0 && unknown != 0);
    assert_eq!(sign(a, &[]), 0, "no pair is wanted of it");
    // The first condition needs no path.
    assert_eq!(sign(b, &[]), sign(b, &[edge(b), call]));
    assert_ne!(sign(b, &[]), sign(not_b, &[]));
    for before in [
        &[edge(a), edge(not_a), edge(b)][..],
        &[back, edge(not_b), call, edge(b)],
        &[back, back, edge(not_b), call, edge(not_b), call, edge(b)],
        &[back, call, back, call, edge(b), call],
        &[edge(b), edge(not_b)],
    ] {
        assert_eq!(sign(not_c, before), known, "{before:?}");
    }
    for before in [
        &[edge(not_b), edge(b)][..],
        &[call, edge(b)],
        &[resume, edge(b)],
        &[back, resume, edge(b)],
        &[back, edge(not_b), call, call, edge(b)],
        &[back, back, call, edge(b)],
        &[call, back, edge(b)],
        &[edge(a)],
    ] {
        assert_eq!(sign(not_c, before), unknown, "{before:?}");
    }
    // Very far back nobody looks.
    let far = |steps: usize| {
        let mut before = vec![edge(a); steps];
        before.push(edge(b));
        sign(not_c, &before)
    };
    assert_eq!(far(9_998), known);
    assert_eq!(far(9_999), unknown);
}

#[test]
fn new_vectors_are_counted() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let mut evaluated = Vec::new();
    for steps in [
        &[edges[1][0]][..],
        &[edges[1][0]],
        &[edges[1][1], edges[2][1]],
    ] {
        show((&program, &goals), steps, &mut ledger, &mut relevance);
        evaluated.push(relevance.evaluated());
    }
    assert_eq!(evaluated, [1, 1, 2]);
}

#[test]
fn a_difference_is_touched_by_both_its_counters() {
    let mut builder = Builder::new();
    let (f, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Branch));
    let relevance = Relevance::new(&program, &goals);
    let touches = |number| relevance.touches(GoalId::from_u32(number)).to_vec();
    assert_eq!(touches(0), [Touch::Edge(yes)]);
    assert_eq!(
        touches(1),
        [Touch::Edge(no), Touch::Edge(yes), Touch::Entry(f)]
    );
}

/// The code behind `if (x) return;` runs as often as the function less the times that it returned: nothing is incremented on
/// the way there.
#[test]
fn what_is_counted_by_nothing_is_touched_where_it_begins() {
    let mut builder = Builder::new();
    let (_, no, yes) = simple(&mut builder, "main", 1, "a.c");
    let record = builder.last();
    let same = record.regions.iter().find_map(program::Region::false_count);
    let parent = Counter::Counter(0);
    builder.region(0, (3, 1), RegionKind::Code, same.expect("a condition"));
    let other = builder.expr(ExprOp::Sub, parent, Counter::Counter(1));
    builder.region(0, (4, 1), RegionKind::Code, other);
    let program = builder.program;
    let goals = Goals::new(&program, &Own(Statement));
    let relevance = Relevance::new(&program, &goals);
    let behind = goals.iter().map(|(goal, _)| goal).rev().take(2);
    for goal in behind {
        let touches = relevance.touches(goal);
        for edge in [no, yes] {
            assert!(touches.contains(&Touch::Edge(edge)), "{goal}: {touches:?}");
        }
    }
}

/// An evaluation is looked for as far back as it began, and no further.
#[test]
fn what_is_before_an_evaluation_is_not_looked_at() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let relevance = Relevance::new(&program, &goals);
    let [[not_a, a], [not_b, b], [not_c, _], ..] = edges;
    for (edge, before, seen) in [
        (not_b, &[a, not_a][..], 0),
        (b, &[not_c, b], 0),
        (not_c, &[a, b, not_a, a], 2),
        (not_c, &[not_b, b, a], 1),
    ] {
        let mut asked = 0;
        let mut steps = before.iter().inspect(|_| asked += 1);
        relevance.signature(edge, &mut steps.by_ref().map(|edge| Back::Edge(*edge)));
        assert_eq!(asked, seen, "{before:?}");
    }
}

/// One decision within another: an edge may be a step of both, and of one of them the path may not say how it began.
#[test]
fn what_is_lost_of_one_decision_stays_lost() {
    use program::decision::Next::{Condition as C, End};
    let and = [
        [End(false), C(1)],
        [End(false), C(2)],
        [End(false), End(true)],
    ];
    let or = [
        [C(1), End(true)],
        [C(2), End(true)],
        [End(false), End(true)],
    ];
    let (mut program, edges) = crate::sample::of_next(&[&and]);
    let mut second = program.coverage[0].decisions[0].clone();
    for (condition, next) in second.conditions.iter_mut().zip(or) {
        condition.next = next;
    }
    program.coverage[0].decisions.push(second);
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let relevance = Relevance::new(&program, &goals);
    let [[_, _], [not_b, _], [_, c]] = edges[..] else {
        panic!("three conditions");
    };
    let sign = |before: &[Back]| relevance.signature(c, &mut before.iter().copied());
    let (f, edge) = (FuncId::from_u32(0), Back::Edge);
    let unknown = sign(&[Back::Call(f)]);
    for before in [
        &[edge(not_b), Back::Call(f)][..],
        &[edge(not_b), Back::Resume(f)],
        &[edge(not_b)],
    ] {
        assert_eq!(sign(before), unknown, "{before:?}");
    }
}

/// `(a || b) && …` eight times: 511 evaluations, more than are looked at. Then each edge counts for the condition that it decides.
#[test]
fn a_decision_with_very_many_evaluations_has_a_goal_on_each_edge() {
    use program::decision::Next::{Condition as C, End};
    let next: Vec<_> = (0..16)
        .map(|at| {
            let behind = if at >= 14 {
                End(true)
            } else {
                C(at / 2 * 2 + 2)
            };
            let els = if at % 2 == 0 { C(at + 1) } else { End(false) };
            [els, behind]
        })
        .collect();
    let (program, edges) = crate::sample::of_next(&[&next]);
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    assert_eq!(goals.len(), 16);
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let worth = |relevance: &Relevance| -> Vec<(usize, bool)> {
        let sides = edges.iter().flatten();
        sides
            .map(|edge| {
                let covers = relevance.covers(*edge, &mut std::iter::empty());
                (relevance.gain(*edge), covers)
            })
            .collect()
    };
    assert_eq!(worth(&relevance), [(2, true); 32]);
    let goal = GoalId::from_u32(5);
    ledger.mark_infeasible(goal, crate::Ground::Code);
    assert_eq!(relevance.update(&goals, &ledger, &[goal]), [goal]);
    let mut expected = [(2, true); 32];
    expected[10] = (0, false);
    expected[11] = (0, false);
    assert_eq!(worth(&relevance), expected);
    let others: Vec<GoalId> = (0..16)
        .filter(|at| ![3, 5].contains(at))
        .map(GoalId::from_u32)
        .collect();
    for goal in &others {
        ledger.mark_infeasible(*goal, crate::Ground::Code);
    }
    relevance.update(&goals, &ledger, &others);
    let mut expected = [(0, false); 32];
    expected[6] = (2, true);
    expected[7] = (2, true);
    assert_eq!(worth(&relevance), expected, "one is left");
}

/// A goal of a pair that is refuted promises nothing any more, though no test has shown anything new.
#[test]
fn a_pair_that_is_refuted_gains_nothing() {
    let (program, edges) = decisions();
    let goals = Goals::new(&program, &PairsOf(mcdc::UNIQUE_CAUSE));
    let mut ledger = Ledger::new(&goals);
    let mut relevance = Relevance::new(&program, &goals);
    let [_, [not_b, b], [not_c, _], ..] = edges;
    let gains = |relevance: &Relevance| [not_b, b, not_c].map(|edge| relevance.gain(edge));
    assert_eq!(gains(&relevance), [1, 2, 1]);
    let goal = GoalId::from_u32(0);
    ledger.mark_infeasible(goal, crate::Ground::Code);
    assert_eq!(relevance.update(&goals, &ledger, &[goal]), [goal]);
    assert_eq!(gains(&relevance), [0, 1, 1]);
}

/// What touches the goals of functions, by criterion: goal, place, touches.
fn touched(text: &str, criterion: &'static dyn crate::Criterion, expected: expect_test::Expect) {
    let program = program::text::sample(text);
    let goals = Goals::new(&program, criterion);
    let relevance = Relevance::new(&program, &goals);
    let mut said = String::new();
    for (id, goal) in goals.iter() {
        let touches = relevance.touches(id).iter().map(|touch| match touch {
            Touch::Edge(edge) => edge.to_string(),
            Touch::Entry(function) => function.to_string(),
            Touch::End(function, node) => format!("{function}:{node}"),
        });
        let touches: Vec<String> = touches.collect();
        let line = goals.place(id).range.line;
        said.push_str(&format!("{line} {}: {}\n", goal.kind, touches.join(" ")));
    }
    expected.assert_eq(&said);
}

/// `if (a) exit(0); if (b) …`: in the call the second condition is in flight; `while (!c) {}` was decided when it hangs;
/// `if (a) for (;;); if (b) …` is as the first.
const ENDS: &str = "file0 \"a.c\" extern0 @exit(i32)
fn0 @f(v0: i1, v1: i1) counters {0} {
block0: count 0 br v0, block1, block2 [site0 in 2:7..2:8: edge0 false, edge1 true {1}]
block1: count 1 call @exit(i32 0) unreachable
block2: br v1, block3, block4 [site1 in 3:7..3:8: edge2 false, edge3 true {2}]
block3: count 2 br block4
block4: ret
}
fn1 @g(v0: i1) counters {0} {
block0: count 0 br v0, block1, block2 [site2 in 12:7..12:8: edge4 false, edge5 true {1}]
block1: count 1 ret
block2: br block2
}
fn2 @h(v0: i1, v1: i1) counters {0} {
block0: count 0 br v0, block1, block2 [site3 in 22:7..22:8: edge6 false, edge7 true {2}]
block1: count 2 br block3
block2: br v1, block4, block5 [site4 in 23:7..23:8: edge8 false, edge9 true {1}]
block3: br block3
block4: count 1 ret
block5: ret
}
coverage fn0 \"f\" hash 1 counters 3 files {0} {
x0 = c0 - c1 x1 = c0 - c2
code c0 in 0 1:1..9:2 branch c1, x0 in 0 2:7..2:8 code c1 in 0 2:9..2:15
branch c2, x1 in 0 3:7..3:8 code c2 in 0 3:9..3:12
}
coverage fn1 \"g\" hash 1 counters 2 files {0} {
x0 = c0 - c1
code c0 in 0 11:1..19:2 branch c1, x0 in 0 12:7..12:8 code x0 in 0 13:3..13:9
}
coverage fn2 \"h\" hash 1 counters 3 files {0} {
x0 = c0 - c2 x1 = c0 - c1
code c0 in 0 21:1..29:2 branch c2, x0 in 0 22:7..22:8 branch c1, x1 in 0 23:7..23:8
}";

#[test]
fn ends_that_leave_a_difference_touch_its_goal() {
    touched(
        ENDS,
        &Branch,
        expect_test::expect![[r#"
            2 true: edge1
            2 false: edge0 edge1 fn0
            3 true: edge3
            3 false: edge0 edge1 edge2 edge3 fn0 fn0:node2
            12 true: edge5
            12 false: edge4 edge5 fn1
            22 true: edge7
            22 false: edge6 edge7 fn2
            23 true: edge9
            23 false: edge6 edge7 edge8 edge9 fn2 fn2:node3
            1 entry: fn0
            11 entry: fn1
            21 entry: fn2
        "#]],
    );
    touched(
        ENDS,
        &Statement,
        expect_test::expect![[r#"
            1 reached: fn0
            2 reached: edge1
            3 reached: edge3
            11 reached: fn1
            13 reached: edge4 edge5 fn1
            21 reached: fn2
            1 entry: fn0
            11 entry: fn1
            21 entry: fn2
        "#]],
    );
}

/// Ways that meet with the same count, and with another (lines 5 and 6, where nothing says which edges make it).
const MEETING: &str = "file0 \"a.c\" extern0 @exit(i32)
fn0 @f(v0: i1, v1: i1) counters {0} {
block0: count 0 br v0, block1, block2 [site0 in 2:7..2:8: edge0 false, edge1 true {1}]
block1: count 1 br block2
block2: br v1, block3, block4 [site1 in 3:7..3:8: edge2 false, edge3 true {2}]
block3: count 2 call @exit(i32 0) unreachable
block4: ret
}
coverage fn0 \"f\" hash 1 counters 3 files {0} {
x0 = c0 - c1 x1 = c0 - c2 x2 = x0 - c2 x3 = c1 - c2
code c0 in 0 1:1..9:2 branch c1, x0 in 0 2:7..2:8 branch c2, x1 in 0 3:7..3:8 code x0 in 0 4:1..4:4
code x2 in 0 5:1..5:4 code x3 in 0 6:1..6:4
}";

#[test]
fn what_is_in_flight_may_hang_on_the_way() {
    touched(
        MEETING,
        &Branch,
        expect_test::expect![[r#"
        2 true: edge1
        2 false: edge0 edge1 fn0
        3 true: edge3
        3 false: edge2 edge3 fn0
        1 entry: fn0
    "#]],
    );
    touched(
        MEETING,
        &Statement,
        expect_test::expect![[r#"
            1 reached: fn0
            4 reached: edge0 edge1 fn0
            5 reached: edge0 edge1 edge2 edge3 fn0 fn0:node4
            6 reached: edge0 edge1 edge2 edge3 fn0:node4
            1 entry: fn0
        "#]],
    );
}

#[test]
fn all_edges_of_a_decision_touch_its_goals() {
    let (program, _) = decisions();
    let text = program::text::print(&program);
    touched(
        &text,
        &PairsOf(mcdc::UNIQUE_CAUSE),
        expect_test::expect![[r#"
            3 independent: edge2 edge3 edge4 edge5
            4 independent: edge2 edge3 edge4 edge5
        "#]],
    );
    touched(
        &text,
        &Own(crate::criterion::decision::Decision),
        expect_test::expect![[r#"
            2 decision true: edge1
            2 decision false: edge0 edge1 fn0
            3 decision true: edge5
            3 decision false: edge2 edge3 edge4 edge5 fn0
        "#]],
    );
}
