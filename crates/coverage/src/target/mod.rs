//! Targets: what somebody wants to see reached, as goals that a judge counts and as places in the model.
//!
//! A target is reached as soon as one of its goals is covered. Its places are where a search from the code starts: taking
//! one of them is reaching the target. What is counted are the goals.
//!
//! Must hold: the goals of all targets together are all goals there are, none twice.

mod behind;
mod parse;
pub(crate) mod passage;
mod place;
mod resolve;
mod text;

pub use parse::{FORMS, Spec, SpecError};
pub use passage::PassageId;
pub use place::Place;
pub use resolve::{Resolver, TargetError};

use std::collections::{BTreeMap, BTreeSet};

use program::{FuncId, Program};

use crate::criterion::{Criterion, Source, decision};
use crate::goal::{Evidence, Goal, GoalId, GoalKind, Side};
use crate::goals::Goals;
use passage::Passages;

/// Name of the criterion that has the goals of targets, and nothing else.
pub const NAME: &str = "targets";

/// What somebody wants to see reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As it was typed.
    pub text: String,
    /// Covering any of them reaches it. None where [`never`](Target::never) says why.
    pub goals: Vec<GoalId>,
    /// Where it is in the model, in the order of the code.
    pub places: Vec<Place>,
    /// It cannot be reached, for a reason that needs no proof.
    pub never: Option<Never>,
}

/// Why there is nothing to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Never {
    /// No code calls this function, so the compiler made none of it.
    NotCompiled(String),
    /// No code calls a function of this name.
    NoCall(String),
    /// No code asserts anything.
    NoAssertion,
    /// No code calls `abort`.
    NoAbort,
}

impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Never::NotCompiled(name) => {
                write!(f, "no caller: {name} is static and nothing names it")
            }
            Never::NoCall(name) => write!(f, "no caller: nothing in the program calls {name}"),
            Never::NoAssertion => write!(f, "the program has no assertion"),
            Never::NoAbort => write!(f, "nothing in the program calls abort"),
        }
    }
}

/// A goal by what it is about, before goals are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pick {
    /// Index into [`Program::coverage`].
    pub record: u32,
    /// Index into the regions of the record.
    pub region: u32,
    pub kind: GoalKind,
    /// Places that control has to come to as well.
    pub passage: Option<PassageId>,
}

impl Pick {
    /// What is covered as soon as it is counted.
    #[must_use]
    pub const fn new(record: u32, region: u32, kind: GoalKind) -> Pick {
        Pick {
            record,
            region,
            kind,
            passage: None,
        }
    }
}

/// A target before goals are numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub picks: Vec<Pick>,
    pub places: Vec<Place>,
    pub never: Option<Never>,
}

/// The criterion of targets. It is chosen by no name: its goals come with [`crate::Scope::picks`].
pub struct Targets;

impl Criterion for Targets {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> &'static str {
        "the targets of `bothways reach`"
    }

    fn unit(&self) -> &'static str {
        "goals"
    }

    fn wants_entries(&self) -> bool {
        false
    }

    fn goals(&self, source: &Source<'_>, add: &mut dyn FnMut(u32, GoalKind, Evidence)) {
        let own = source.picks.iter().flat_map(|picks| picks.iter());
        for pick in own.filter(|pick| pick.record == source.number) {
            let Some(region) = source.record.regions.get(pick.region as usize) else {
                continue;
            };
            let count = |side: Side| match side {
                Side::True => Some(region.count),
                Side::False => region.false_count(),
            };
            let evidence = match pick.kind {
                GoalKind::Outcome(side) => count(side).map(Evidence::Count),
                GoalKind::Decision(side) => {
                    let mut several = decision::shown(source);
                    match several.find(|(_, first, _)| *first == pick.region) {
                        Some((decision, _, None)) => Some(Evidence::Decided { decision, side }),
                        Some(_) => Some(Evidence::Nothing),
                        None => count(side).map(Evidence::Count),
                    }
                }
                GoalKind::Reached => Some(Evidence::Count(region.count)),
                GoalKind::Independent | GoalKind::Entry | GoalKind::Exit => None,
            };
            if let Some(evidence) = evidence {
                add(pick.region, pick.kind, evidence);
            }
        }
    }
}

/// Numbers the goals of targets.
pub(crate) fn number(program: &Program, mut found: Vec<(String, Found)>) -> (Goals, Vec<Target>) {
    let mut passages = Passages::default();
    for (_, found) in &mut found {
        ask(program, found, &mut passages);
    }
    let mut picks: Vec<Pick> = found
        .iter()
        .flat_map(|(_, found)| found.picks.iter().copied())
        .collect();
    picks.sort_unstable();
    picks.dedup();
    let mut goals = Goals::picked(program, &picks);
    let numbers = numbers(&goals, &picks);
    let of = |pick: &Pick| numbers.get(pick).copied();
    let targets: Vec<Target> = found
        .into_iter()
        .map(|(text, found)| Target {
            text,
            goals: found.picks.iter().filter_map(of).collect(),
            places: found.places,
            never: found.never,
        })
        .collect();
    let alternatives = targets.iter().map(|target| target.goals.clone());
    let alternatives = alternatives.filter(|goals| !goals.is_empty()).collect();
    goals.set_alternatives(alternatives);
    let asked = numbers.iter();
    let asked = asked.filter_map(|(pick, goal)| Some((*goal, pick.passage?)));
    goals.set_passages(passages, asked.collect());
    (goals, targets)
}

/// The goals of picks: they come in the order of these; one that nothing counts has none.
fn numbers(goals: &Goals, picks: &[Pick]) -> BTreeMap<Pick, GoalId> {
    let mut rest = goals.iter().peekable();
    let goal = |pick: &Pick| {
        let is_it = |(_, goal): &(GoalId, &Goal)| {
            (goal.record, goal.region, goal.kind) == (pick.record, pick.region, pick.kind)
        };
        Some((*pick, rest.next_if(is_it)?.0))
    };
    picks.iter().filter_map(goal).collect()
}

/// Asks for the places of a target that stand behind calls, function by function.
fn ask(program: &Program, found: &mut Found, passages: &mut Passages) {
    let functions: BTreeSet<FuncId> = found
        .picks
        .iter()
        .filter_map(|pick| function_of(program, pick.record))
        .collect();
    for function in functions {
        let own = found.places.iter().copied();
        let own: Vec<Place> = own
            .filter(|place| place.block(program).0 == function)
            .collect();
        let Some(passage) = passages.ask(program, function, &own) else {
            continue;
        };
        for pick in &mut found.picks {
            if function_of(program, pick.record) == Some(function) {
                pick.passage = Some(passage);
            }
        }
    }
}

/// The function of a record, if it has a body.
pub(crate) fn function_of(program: &Program, record: u32) -> Option<FuncId> {
    program.coverage.get(record as usize)?.function
}
