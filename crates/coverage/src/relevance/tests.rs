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
