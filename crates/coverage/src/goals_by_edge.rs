//! What a run covers when its counts are not complete: goals by the edges that make them count. And whether a run took the goals
//! that its counts cover: a count that is a difference is not 0 either where a run ended between two counters.
//!
//! Must hold: what is called covered here is covered in the complete run; something that it covers may be missed. What is called
//! not taken has edges that are all known, and the run took none of them.

use program::outcome_edges::{ConditionOutcomes, OutcomeEdges};
use program::{Counter, EdgeId, FuncId, PrimaryMap, Program};

use crate::counts::Hits;
use crate::decisions::Decisions;
use crate::goal::{Evidence, Goal, GoalId, GoalKind, Side};
use crate::wiring::Lists;

/// Goals by edge, sorted.
#[derive(Clone, Debug, Default)]
pub struct GoalsByEdge {
    edges: Vec<(EdgeId, GoalId)>,
    /// Goals that are covered when a function is entered, sorted.
    entries: Vec<(FuncId, GoalId)>,
    /// For each goal, all edges of its outcome, sorted; none where they are not known.
    takes: Lists<EdgeId>,
}

impl GoalsByEdge {
    pub fn new(
        program: &Program,
        goals: &PrimaryMap<GoalId, Goal>,
        decisions: &Decisions,
        outcomes: &ConditionOutcomes,
    ) -> GoalsByEdge {
        let mut edges = Vec::new();
        let mut entries = Vec::new();
        for (id, goal) in goals.iter() {
            let record = goal.record as usize;
            if let Evidence::Count(Counter::Counter(count)) = goal.evidence
                && let Some(function) = program.coverage[record].function
                && program.functions[function].entry_counters.contains(&count)
            {
                entries.push((function, id));
            }
            let edges_of =
                |region: u32, side: bool| match outcomes.of(record, region as usize, side) {
                    Some(OutcomeEdges::AnyOf(edges)) => Some(edges.iter().map(|edge| (*edge, id))),
                    _ => None,
                };
            match (goal.kind, goal.evidence) {
                (GoalKind::Outcome(side) | GoalKind::Decision(side), Evidence::Count(count)) => {
                    match edges_of(goal.region, side == Side::True) {
                        Some(found) => edges.extend(found),
                        None => {
                            edges.extend(incrementing(program, record, count).map(|it| (it, id)));
                        }
                    }
                }
                (_, Evidence::Count(count @ Counter::Expr(_))) => {
                    let same = same_outcome(program, outcomes, record, count);
                    edges.extend(same.map(|edge| (edge, id)));
                }
                (_, Evidence::Count(count)) => {
                    edges.extend(incrementing(program, record, count).map(|edge| (edge, id)));
                }
                (_, Evidence::Decided { decision, side }) => {
                    let decision = decisions.get(decision);
                    for (condition, value) in decision.ends(side) {
                        let region = decision.conditions[condition].region;
                        edges.extend(edges_of(region, value).into_iter().flatten());
                    }
                }
                (_, Evidence::Pair { .. } | Evidence::Nothing) => {}
            }
        }
        edges.sort_unstable();
        edges.dedup();
        entries.sort_unstable();
        let mut takes = Lists::default();
        for goal in goals.values() {
            let mut edges = edges_of_outcome(program, goal, decisions, outcomes);
            edges.sort_unstable();
            takes.push(edges);
        }
        GoalsByEdge {
            edges,
            entries,
            takes,
        }
    }

    /// All edges that take a goal; none where they are not known.
    pub fn taking(&self, goal: GoalId) -> &[EdgeId] {
        self.takes.get(goal.index())
    }

    /// Did a run that covers the goal take it? Where the edges of its outcome are not known, the counts are believed.
    pub fn is_taken(&self, goal: GoalId, hits: &Hits) -> bool {
        let takes = self.takes.get(goal.index());
        let taken = |edge: &EdgeId| hits.edges.binary_search_by_key(edge, |(edge, _)| *edge);
        takes.is_empty() || takes.iter().any(|edge| taken(edge).is_ok())
    }

    /// The goals that a run covers at least, in order.
    pub fn covered(&self, hits: &Hits) -> Vec<GoalId> {
        let taken = hits.edges.iter().map(|(edge, _)| *edge);
        let mut covered: Vec<GoalId> = taken.flat_map(|edge| self.of_edge(edge)).collect();
        let entered = hits.functions.iter().map(|(function, _)| *function);
        covered.extend(entered.flat_map(|function| self.of_entry(function)));
        covered.sort_unstable();
        covered.dedup();
        covered
    }

    /// The goals that entering a function covers.
    fn of_entry(&self, function: FuncId) -> impl Iterator<Item = GoalId> {
        let start = self.entries.partition_point(|(other, _)| *other < function);
        let own = self.entries[start..].iter();
        own.take_while(move |(other, _)| *other == function)
            .map(|(_, goal)| *goal)
    }

    /// The goals that taking an edge covers.
    pub fn of_edge(&self, edge: EdgeId) -> impl Iterator<Item = GoalId> {
        let start = self.edges.partition_point(|(other, _)| *other < edge);
        let len = self.edges[start..].partition_point(|(other, _)| *other == edge);
        self.edges[start..start + len].iter().map(|(_, goal)| *goal)
    }
}

/// All edges of a goal's outcome; none where some are not known. Code is shown by the last outcome in front of it that counts as
/// often: what comes behind it may not have been decided when a run ended.
fn edges_of_outcome(
    program: &Program,
    goal: &Goal,
    decisions: &Decisions,
    outcomes: &ConditionOutcomes,
) -> Vec<EdgeId> {
    let record = goal.record as usize;
    let of = |(region, side): (u32, bool)| match outcomes.of(record, region as usize, side) {
        Some(OutcomeEdges::AnyOf(edges)) => Some(edges.clone()),
        _ => None,
    };
    let all = match (goal.kind, goal.evidence) {
        (GoalKind::Outcome(side) | GoalKind::Decision(side), Evidence::Count(_)) => {
            of((goal.region, side == Side::True))
        }
        (_, Evidence::Count(count)) => {
            let regions = &program.coverage[record].regions;
            let own = &regions[goal.region as usize];
            let end = |region: u32| {
                let region = &regions[region as usize];
                let end = (region.range.end_line, region.range.end_col);
                (region.file == own.file && end <= (own.range.line, own.range.col)).then_some(end)
            };
            let before = same_outcomes(program, outcomes, record, count)
                .filter_map(|outcome| Some((end(outcome.0)?, outcome)));
            before.max().and_then(|(_, outcome)| of(outcome))
        }
        (_, Evidence::Decided { decision, side }) => {
            let decision = decisions.get(decision);
            let ends = decision.ends(side);
            ends.map(|(condition, value)| of((decision.conditions[condition].region, value)))
                .collect::<Option<Vec<_>>>()
                .map(|edges| edges.concat())
        }
        (_, Evidence::Pair { .. } | Evidence::Nothing) => None,
    };
    all.unwrap_or_default()
}

/// The edges of an outcome that counts as often as this, if there is one: what follows `if (x) return;` runs as often as `x` is
/// false.
fn same_outcome<'a>(
    program: &'a Program,
    outcomes: &'a ConditionOutcomes,
    record: usize,
    count: Counter,
) -> impl Iterator<Item = EdgeId> + 'a {
    let found = same_outcomes(program, outcomes, record, count);
    let edges =
        found.filter_map(
            move |(region, side)| match outcomes.of(record, region as usize, side) {
                Some(OutcomeEdges::AnyOf(edges)) => Some(edges.as_slice()),
                _ => None,
            },
        );
    edges.take(1).flatten().copied()
}

/// The outcomes that count as often as this: the region and the side of each.
fn same_outcomes<'a>(
    program: &'a Program,
    outcomes: &'a ConditionOutcomes,
    record: usize,
    count: Counter,
) -> impl Iterator<Item = (u32, bool)> + 'a {
    let conditions = outcomes.of_function(record).iter();
    conditions.flat_map(move |condition| {
        let region = &program.coverage[record].regions[condition.region as usize];
        let counts = [(false, region.false_count()), (true, Some(region.count))];
        let same = counts
            .into_iter()
            .filter(move |(_, own)| *own == Some(count));
        same.map(|(side, _)| (condition.region, side))
    })
}

/// The edges that increment a count of a record, if that is a plain counter.
fn incrementing(program: &Program, record: usize, count: Counter) -> impl Iterator<Item = EdgeId> {
    let function = program.coverage[record].function;
    let edges = program.edges.iter().filter(move |(_, edge)| {
        let here = function == Some(program.sites[edge.site].function);
        here && edge
            .counters
            .iter()
            .any(|counter| Counter::Counter(*counter) == count)
    });
    edges.map(|(edge, _)| edge)
}

#[cfg(test)]
mod tests {
    use program::RegionKind;

    use crate::HitCounter;
    use crate::criterion::{function, statement};
    use crate::goals::Goals;
    use crate::sample::{Builder, Own, simple};

    /// Of a run that was cut: functions that it entered are covered, and no others.
    #[test]
    fn entries_are_those_of_their_function() {
        let mut builder = Builder::new();
        let names = ["f", "g", "h"];
        let functions = names.map(|name| simple(&mut builder, name, 1, &format!("{name}.c")).0);
        let program = builder.program;
        let goals = Goals::new(&program, &function::Function);
        let mut counter = HitCounter::new(&program);
        for (number, entered) in functions.into_iter().enumerate() {
            counter.enter(entered);
            counter.set_rough();
            let covered: Vec<usize> = goals
                .covered_by(&counter.take())
                .iter()
                .map(|goal| goal.index())
                .collect();
            assert_eq!(covered, [number]);
        }
    }

    /// The code behind `if (c) return;` counts as often as `c` is false; so does a macro's condition, which says nothing of it.
    #[test]
    fn code_is_shown_by_the_outcome_in_front_of_it() {
        for (file, known) in [(0, true), (1, false)] {
            let mut builder = Builder::new();
            let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
            let macros = builder.program.file("m.h");
            let record = builder.last();
            record.files.push(macros);
            record.regions[1].file = file;
            let behind = record.regions[1].false_count().expect("a condition");
            let kind = RegionKind::Expansion { file: 1 };
            builder.region(0, (2, 1), kind, program::Counter::Counter(0));
            builder.region(0, (3, 1), RegionKind::Code, behind);
            let program = builder.program;
            let goals = Goals::new(&program, &Own(statement::Statement));
            let (goal, _) = goals.iter().next_back().expect("the code");
            let run = |edge, rough| {
                let mut counter = HitCounter::new(&program);
                counter.enter(main);
                counter.edge(edge);
                if rough {
                    counter.set_rough();
                }
                counter.take()
            };
            assert_eq!(goals.local_place(goal).1.line, 3);
            assert!(goals.is_taken(goal, &run(no, false)));
            assert_eq!(goals.is_taken(goal, &run(yes, false)), !known, "{file}");
            // Its edges cover it, also where the run was cut.
            let covers = |edge| goals.covered_by(&run(edge, true)).contains(goal);
            assert_eq!([no, yes].map(covers), [true, false], "{file}");
        }
    }
}
