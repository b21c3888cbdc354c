//! Why a goal is open.
//!
//! A goal is joined with the edges of its condition by place: the site of the goal's function whose condition has the
//! goal's range, or starts in it. Where no site is found (labels of a `switch`, folded conditions) the reasons are
//! those of the whole function.
//!
//! Must hold: an open goal has at least one reason.

use std::collections::BTreeMap;
use std::fmt;

use coverage::{GoalId, GoalKind, Goals, Ledger, Side as Outcome};
use program::decision::Problem;
use program::{EdgeId, FuncId, Program, SecondaryMap, SiteId, SiteKind, SpotId};

use super::gaps::{Gaps, counted};
use crate::nearness::Approached;
use crate::view::Verdict;
use path::LossReason;

/// What became of the candidates of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    unsat: u64,
    unknown: u64,
    diverged: u64,
    /// Candidates not tried.
    pub(super) open: u64,
}

impl Tally {
    pub(super) fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Unsat => self.unsat += 1,
            Verdict::Unknown => self.unknown += 1,
            Verdict::Diverged => self.diverged += 1,
            Verdict::Taken | Verdict::Lost | Verdict::Irrelevant => {}
        }
    }

    /// What it says in reasons. `stopped`: a budget was spent, or the campaign goes on.
    pub(super) fn reasons(self, stopped: bool, reasons: &mut Vec<OpenReason>) {
        if self.unknown > 0 {
            reasons.push(OpenReason::SolverUnknown(self.unknown));
        }
        if self.diverged > 0 {
            reasons.push(OpenReason::Diverged(self.diverged));
        }
        if self.open > 0 && stopped {
            reasons.push(OpenReason::BudgetSpent(self.open));
        }
        if self.unsat > 0 {
            reasons.push(OpenReason::NoInputYet(self.unsat));
        }
    }
}

/// Was an edge taken where paths are not recorded?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Late {
    pub(super) taken: bool,
    /// By another thread than the first.
    pub(super) in_thread: bool,
}

/// Why a goal is open.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpenReason {
    /// No run entered its function.
    FunctionNotReached(FuncId),
    /// Runs entered the function but did not come to the condition.
    NotReached,
    /// Nothing symbolic decided the condition on any run; how near runs came, if that was measured.
    OnlyConcrete(Option<Approached>),
    /// The solver gave up, so many times.
    SolverUnknown(u64),
    /// Inputs were found, but their runs went elsewhere.
    Diverged(u64),
    /// On all paths tried so far, so many, no input takes it.
    NoInputYet(u64),
    /// The budget was spent before so many candidates were tried.
    BudgetSpent(u64),
    /// Another thread than the first came to the condition, where nothing symbolic is recorded.
    OtherThread,
    /// In its function symbolism was lost.
    Lost {
        spot: SpotId,
        reason: LossReason,
        count: u64,
    },
    /// Runs were cut short, so what lies behind was not seen.
    CutShort(u64),
    /// The evaluations of its decision cannot be followed.
    NotFollowed(Problem),
    /// No more is known.
    NotCovered,
}

impl OpenReason {
    /// Name in machine-readable reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            OpenReason::FunctionNotReached(_) => "function-not-reached",
            OpenReason::NotReached => "not-reached",
            OpenReason::OnlyConcrete(_) => "only-concrete",
            OpenReason::SolverUnknown(_) => "solver-unknown",
            OpenReason::Diverged(_) => "diverged",
            OpenReason::NoInputYet(_) => "no-input-yet",
            OpenReason::BudgetSpent(_) => "budget-spent",
            OpenReason::OtherThread => "other-thread",
            OpenReason::Lost { .. } => "symbolism-lost",
            OpenReason::CutShort(_) => "run-cut-short",
            OpenReason::NotFollowed(_) => "not-followed",
            OpenReason::NotCovered => "not-covered",
        }
    }
}

impl fmt::Display for OpenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenReason::FunctionNotReached(_) => write!(f, "function not reached"),
            OpenReason::NotReached => write!(f, "condition not reached"),
            OpenReason::OnlyConcrete(known) => {
                write!(f, "nothing symbolic decides it")?;
                match known {
                    Some(Approached { moves: false, .. }) => {
                        write!(f, ", and no run changes what it compares")
                    }
                    Some(Approached {
                        least: Some(least), ..
                    }) => write!(f, "; the nearest run was {least} away"),
                    Some(Approached { least: None, .. }) => write!(f, "; runs change its value"),
                    None => Ok(()),
                }
            }
            OpenReason::SolverUnknown(count) => write!(f, "solver gave up ({count}×)"),
            OpenReason::Diverged(count) => write!(f, "run went elsewhere ({count}×)"),
            OpenReason::NoInputYet(count) => {
                write!(f, "no input on {} tried", counted(*count, "path"))
            }
            OpenReason::BudgetSpent(count) => {
                write!(f, "budget spent, {} left", counted(*count, "candidate"))
            }
            OpenReason::OtherThread => {
                write!(f, "runs in another thread, where nothing symbolic is seen")
            }
            OpenReason::Lost { reason, count, .. } => {
                write!(f, "symbolic value lost: {} ({count}×)", reason.name())
            }
            OpenReason::CutShort(count) => write!(f, "{} cut short", counted(*count, "run")),
            OpenReason::NotFollowed(problem) => problem.fmt(f),
            OpenReason::NotCovered => write!(f, "not covered"),
        }
    }
}

/// The open goals and their reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    open: BTreeMap<GoalId, Vec<OpenReason>>,
}

/// What reasons follow from.
pub(super) struct Facts<'a> {
    pub(super) program: &'a Program,
    pub(super) goals: &'a Goals,
    pub(super) ledger: &'a Ledger,
    /// How near runs came to sites that nothing symbolic decides.
    pub(super) approached: &'a SecondaryMap<SiteId, Option<Approached>>,
    pub(super) edge_hits: &'a SecondaryMap<EdgeId, u64>,
    pub(super) late: &'a SecondaryMap<EdgeId, Late>,
    pub(super) entered: &'a SecondaryMap<FuncId, u64>,
    pub(super) tallies: &'a SecondaryMap<EdgeId, Tally>,
    /// Sites that something symbolic decided.
    pub(super) symbolic: &'a SecondaryMap<SiteId, bool>,
    pub(super) losses: &'a BTreeMap<(SpotId, LossReason), u64>,
    pub(super) gaps: Gaps,
    /// Some run was seen to its own end.
    pub(super) ended: bool,
    /// A budget was spent, or the campaign goes on.
    pub(super) stopped: bool,
}

impl Verdicts {
    pub(super) fn new(facts: &Facts<'_>) -> Verdicts {
        let sites = sites_by_function(facts.program);
        let is_open = |goal: &GoalId| facts.ledger.status(*goal).is_open();
        let open = facts.goals.iter().map(|(goal, _)| goal).filter(is_open);
        let open = open
            .map(|goal| (goal, reasons(facts, &sites, goal)))
            .collect();
        Verdicts { open }
    }

    /// Why a goal is open, the weightiest reason first; empty when it is not.
    #[must_use]
    pub fn reasons(&self, goal: GoalId) -> &[OpenReason] {
        self.open.get(&goal).map_or(&[], Vec::as_slice)
    }

    /// The open goals, in order.
    pub fn iter(&self) -> impl Iterator<Item = (GoalId, &[OpenReason])> {
        self.open
            .iter()
            .map(|(&goal, reasons)| (goal, reasons.as_slice()))
    }
}

pub(super) fn sites_by_function(program: &Program) -> SecondaryMap<FuncId, Vec<SiteId>> {
    let mut sites = SecondaryMap::for_map(&program.functions, Vec::new());
    for (site, known) in program
        .sites
        .iter()
        .filter(|(_, site)| site.kind != SiteKind::Probe)
    {
        sites[known.function].push(site);
    }
    sites
}

fn reasons(
    facts: &Facts<'_>,
    sites: &SecondaryMap<FuncId, Vec<SiteId>>,
    goal: GoalId,
) -> Vec<OpenReason> {
    let record = &facts.program.coverage[facts.goals.get(goal).record as usize];
    let Some(function) = record.function else {
        return vec![OpenReason::NotReached];
    };
    let mut reasons = Vec::new();
    if let Some(problem) = facts.goals.problem(goal) {
        reasons.push(OpenReason::NotFollowed(problem));
    }
    let taken = |sites: &[SiteId], is_meant: &dyn Fn(EdgeId) -> bool| {
        let mut edges = sites.iter().flat_map(|&site| facts.program.edges_of(site));
        edges.any(is_meant)
    };
    let cut = facts.gaps.cut_runs + facts.gaps.timeouts + facts.gaps.out_of_memory;
    // Where no run came to its end, and no input decides anything, that is why nothing behind it is reached.
    let mut all = facts.program.sites.keys();
    let only_cut = cut > 0 && !facts.ended && !all.any(|site| facts.symbolic[site]);
    let cut_short = || only_cut.then_some(OpenReason::CutShort(cut));
    let late = |edge| facts.late[edge].taken;
    let in_thread = |edge| facts.late[edge].in_thread;
    if facts.entered[function] == 0 && !taken(&sites[function], &late) {
        reasons.extend(cut_short());
        reasons.push(OpenReason::FunctionNotReached(function));
    } else {
        let own: Vec<SiteId> = sites[function]
            .iter()
            .copied()
            .filter(|&site| is_at(facts, site, goal))
            .collect();
        let found = !own.is_empty();
        let looked_at = if found { &own } else { &sites[function] };
        let hit = |edge| facts.edge_hits[edge] > 0 || late(edge);
        let decided = own.iter().any(|&site| facts.symbolic[site]);
        if found && !taken(&own, &hit) {
            reasons.extend(cut_short());
            reasons.push(OpenReason::NotReached);
        } else if !decided && taken(looked_at, &in_thread) {
            reasons.push(OpenReason::OtherThread);
        } else if found && !decided && !taken(&own, &late) {
            let mut sites = own.iter();
            let near = sites.find_map(|&site| facts.approached[site]);
            reasons.push(OpenReason::OnlyConcrete(near));
        }
        let tally = sum(facts, looked_at, found.then_some(goal));
        tally.reasons(facts.stopped, &mut reasons);
        let here = facts
            .losses
            .iter()
            .filter(|((spot, _), _)| facts.program.spots[*spot].function == function);
        let breaking = here.filter(|((_, reason), _)| reason.breaks_proof());
        reasons.extend(breaking.map(|(&(spot, reason), &count)| OpenReason::Lost {
            spot,
            reason,
            count,
        }));
    }
    let said = |reason: &OpenReason| matches!(reason, OpenReason::CutShort(_));
    if cut > 0 && !reasons.iter().any(said) {
        reasons.push(OpenReason::CutShort(cut));
    }
    if facts.stopped
        && facts.gaps.open > 0
        && !reasons
            .iter()
            .any(|reason| matches!(reason, OpenReason::BudgetSpent(_)))
    {
        reasons.push(OpenReason::BudgetSpent(facts.gaps.open));
    }
    if reasons.is_empty() {
        reasons.push(OpenReason::NotCovered);
    }
    reasons
}

pub(super) fn is_at(facts: &Facts<'_>, site: SiteId, goal: GoalId) -> bool {
    let place = facts.goals.place(goal);
    let site = &facts.program.sites[site];
    if let Some(range) = site.range {
        return range == place.range;
    }
    site.loc.is_some_and(|loc| {
        let start = (place.range.line, place.range.col);
        let end = (place.range.end_line, place.range.end_col);
        loc.file == place.file && start <= (loc.line, loc.col) && (loc.line, loc.col) < end
    })
}

fn sum(facts: &Facts<'_>, sites: &[SiteId], goal: Option<GoalId>) -> Tally {
    let wanted = goal.and_then(|goal| match facts.goals.get(goal).kind {
        GoalKind::Outcome(side) => Some(if side == Outcome::True { 1 } else { 0 }),
        _ => None,
    });
    let two_sided = |site: SiteId| facts.program.sites[site].edges == 2;
    let mut total = Tally::default();
    for &site in sites {
        let edges = facts.program.edges_of(site);
        for edge in edges.filter(|&edge| {
            wanted.is_none_or(|side| !two_sided(site) || facts.program.edges[edge].side == side)
        }) {
            let tally = facts.tallies[edge];
            total.unsat += tally.unsat;
            total.unknown += tally.unknown;
            total.diverged += tally.diverged;
            total.open += tally.open;
        }
    }
    total
}
