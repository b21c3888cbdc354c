//! Two runs of one input on two targets: what differs.
//!
//! Must hold: whatever a search or the judge could tell apart is a difference; two equal runs have none. Terms are compared by their
//! values under the input, since each target makes its own.

use std::collections::BTreeSet;

use path::{InputVector, Outcome, Run, RunFlags, Step};
use program::{EdgeId, Loc, Program, SiteKind};
use smt::{Evaluator, Pool};

/// Flags that say that a run's steps are not all of it.
const CUT: [RunFlags; 4] = [
    RunFlags::EVENTS_TRUNCATED,
    RunFlags::INPUTS_TRUNCATED,
    RunFlags::THREADS,
    RunFlags::BROKEN_OFF,
];

/// The first difference between a run of the machine and a native one, each with the pool of its terms.
pub fn difference(
    program: &Program,
    (pool, machine): (&mut Pool, &Run),
    (natives, native): (&mut Pool, &Run),
) -> Option<String> {
    let what = constraints(pool, machine)
        .or_else(|| values(program, (pool, machine), (natives, native)))
        .or_else(|| steps(program, machine, native))
        .or_else(|| outcome(machine, native))
        .or_else(|| inputs(machine, native))?;
    Some(format!(
        "machine and native differ: {what} (input: {})",
        shown(&machine.input)
    ))
}

/// An event that both targets have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    /// And whether something symbolic decided it.
    Edge(EdgeId, bool),
    Call(program::FuncId),
    Return(program::FuncId),
    Resume(program::FuncId),
    ReachError,
}

fn events(run: &Run) -> Vec<Event> {
    let steps = run.steps.iter();
    steps
        .filter_map(|step| {
            Some(match *step {
                Step::Edge { edge, cond } => Event::Edge(edge, cond.is_some()),
                Step::Call(function) => Event::Call(function),
                Step::Return(function) => Event::Return(function),
                Step::Resume(function) => Event::Resume(function),
                Step::ReachError => Event::ReachError,
                Step::Constraint { .. } => return None,
            })
        })
        .collect()
}

/// What decided the edges of a run: for each that something symbolic decided, the value of its term. Where edges are only counted,
/// those before.
fn decisions(pool: &mut Pool, run: &Run) -> Vec<(EdgeId, Option<u128>)> {
    let assignment = run.input.assignment();
    let mut evaluator = Evaluator::new(pool, &assignment);
    let steps = run.steps.iter();
    steps
        .filter_map(|step| match step {
            Step::Edge { edge, cond } => {
                let value = cond.map(|cond| evaluator.value(cond.term));
                Some((*edge, value))
            }
            _ => None,
        })
        .collect()
}

/// The value of each condition is that of its side, and both targets have it.
fn values(
    program: &Program,
    (pool, machine): (&mut Pool, &Run),
    (natives, native): (&mut Pool, &Run),
) -> Option<String> {
    let (ours, theirs) = (decisions(pool, machine), decisions(natives, native));
    for (index, (edge, value)) in ours.iter().enumerate() {
        let site = &program.sites[program.edges[*edge].site];
        let side = edge.index() - site.first_edge.index();
        let Some(value) = *value else { continue };
        let expected = match &site.kind {
            SiteKind::Switch { cases, .. } => {
                let found = cases.iter().position(|case| *case == value);
                found.unwrap_or(cases.len())
            }
            _ => value as usize,
        };
        let said = named(program, Event::Edge(*edge, true));
        if side != expected {
            return Some(format!("decision {index}, {said}, has the value {value}"));
        }
        if let Some((other, Some(native))) = theirs.get(index)
            && other == edge
            && *native != value
        {
            return Some(format!(
                "decision {index}, {said}, is {value} in the machine, {native} natively"
            ));
        }
    }
    None
}

/// The constraints of the machine's path must hold.
fn constraints(pool: &mut Pool, run: &Run) -> Option<String> {
    let assignment = run.input.assignment();
    let mut evaluator = Evaluator::new(pool, &assignment);
    for (index, step) in run.steps.iter().enumerate() {
        if let Step::Constraint { term, class, .. } = *step
            && evaluator.value(term) != 1
        {
            return Some(format!(
                "constraint {index} ({class:?}) of the machine is false"
            ));
        }
    }
    None
}

fn steps(program: &Program, machine: &Run, native: &Run) -> Option<String> {
    if is_folded(machine) || is_folded(native) {
        return sets(program, machine, native);
    }
    let (ours, theirs) = (events(machine), events(native));
    let same = |a: &Event, b: &Event| match (a, b) {
        // The machine may follow what the native program loses.
        (Event::Edge(a, more), Event::Edge(b, symbolic)) => a == b && (*more || !symbolic),
        _ => a == b,
    };
    let part = ours.iter().zip(&theirs).position(|(a, b)| !same(a, b));
    if let Some(at) = part {
        return Some(format!(
            "event {at} is {} in the machine, {} natively",
            named(program, ours[at]),
            named(program, theirs[at])
        ));
    }
    if ours.len() == theirs.len() || is_cut(machine, native) {
        return None;
    }
    let (longer, who) = match ours.len() > theirs.len() {
        true => (&ours, "machine"),
        false => (&theirs, "native"),
    };
    let at = ours.len().min(theirs.len());
    Some(format!(
        "after {at} events the {who} run goes on with {}; outcomes {:?} and {:?}",
        named(program, longer[at]),
        machine.outcome,
        native.outcome
    ))
}

/// Some of its edges are not among its steps.
fn is_folded(run: &Run) -> bool {
    run.flags.contains(RunFlags::FOLDED) || !run.late_edges.is_empty()
}

/// Which edges were taken, where their order is not known.
fn sets(program: &Program, machine: &Run, native: &Run) -> Option<String> {
    if machine.outcome == Outcome::Timeout || is_cut(machine, native) {
        return None;
    }
    let edges = |run: &Run| -> BTreeSet<EdgeId> {
        let steps = run.steps.iter().filter_map(|step| match step {
            Step::Edge { edge, .. } => Some(*edge),
            _ => None,
        });
        steps
            .chain(run.late_edges.iter().map(|(edge, _)| *edge))
            .collect()
    };
    let (ours, theirs) = (edges(machine), edges(native));
    let other = ours.symmetric_difference(&theirs).next()?;
    let who = if ours.contains(other) {
        "machine"
    } else {
        "native"
    };
    let edge = named(program, Event::Edge(*other, false));
    Some(format!("only the {who} run takes {edge}"))
}

/// Is one of them, or are both, seen up to a place that depends on limits of the target, or on time?
fn is_cut(machine: &Run, native: &Run) -> bool {
    let late = machine.outcome == Outcome::Timeout && native.outcome == Outcome::Timeout;
    let has = |flag| machine.flags.contains(flag) || native.flags.contains(flag);
    late || CUT.into_iter().any(has)
}

fn outcome(machine: &Run, native: &Run) -> Option<String> {
    let cut = [
        RunFlags::EVENTS_TRUNCATED,
        RunFlags::INPUTS_TRUNCATED,
        RunFlags::BROKEN_OFF,
    ];
    let is_cut = cut.into_iter().any(|flag| machine.flags.contains(flag));
    if is_cut || machine.outcome == native.outcome {
        return None;
    }
    Some(format!(
        "outcome {:?} in the machine, {:?} natively",
        machine.outcome, native.outcome
    ))
}

fn inputs(machine: &Run, native: &Run) -> Option<String> {
    let is_cut = is_cut(machine, native);
    let (machine, native) = (&machine.input, &native.input);
    let both = machine.values.len().min(native.values.len());
    if is_cut && machine.values[..both] == native.values[..both] {
        return None;
    }
    if machine.values != native.values {
        let count = (machine.values.len(), native.values.len());
        let part = machine
            .values
            .iter()
            .zip(&native.values)
            .find(|(a, b)| a != b);
        return Some(format!("values that were asked for: {count:?}, {part:?}"));
    }
    let used = |input: &InputVector| -> Vec<u32> {
        input.streams.iter().map(|stream| stream.used).collect()
    };
    let (ours, theirs) = (used(machine), used(native));
    (ours != theirs).then(|| format!("bytes used of each stream: {ours:?} and {theirs:?}"))
}

fn named(program: &Program, event: Event) -> String {
    let at = |loc: Option<Loc>| match loc {
        Some(loc) => format!(
            "{}:{}:{}",
            program.files[loc.file as usize], loc.line, loc.col
        ),
        None => "?".to_owned(),
    };
    match event {
        Event::Edge(edge, symbolic) => {
            let info = &program.edges[edge];
            let site = &program.sites[info.site];
            let side = edge.index() - site.first_edge.index();
            let symbolic = if symbolic { " (symbolic)" } else { "" };
            format!(
                "edge {side} of {} in {}{symbolic}",
                at(site.loc),
                program.functions[site.function].name
            )
        }
        Event::Call(function) => format!("call of {}", program.functions[function].name),
        Event::Return(function) => format!("return of {}", program.functions[function].name),
        Event::Resume(function) => {
            format!("return of setjmp in {}", program.functions[function].name)
        }
        Event::ReachError => "reach_error".to_owned(),
    }
}

fn shown(input: &InputVector) -> String {
    let values = input
        .values
        .iter()
        .take(16)
        .map(|value| format!("{:#x}", value.bits));
    let streams = input.streams.iter().map(|stream| {
        let bytes = &stream.bytes[..stream.bytes.len().min(64)];
        format!("{}={}", stream.name, bytes.escape_ascii())
    });
    values.chain(streams).collect::<Vec<_>>().join(" ")
}
