//! Finds the outcome edges of one function's conditions.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{condition_loc, places};
use super::table::{Bundle, Table, evaluate};
use super::{Condition, OutcomeEdges};
use crate::coverage::{Counter, FunctionCoverage, Region, RegionKind};
use crate::flow_hash::FlowHash;
use crate::function::Function;
use crate::id::{BlockId, EdgeId, FuncId, SiteId};
use crate::inst::SiteKind;
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::place::Loc;
use crate::place::SourceRange;

/// Sites by function.
pub(super) struct Sites {
    of: Vec<Vec<SiteId>>,
}

impl Sites {
    pub(super) fn new(program: &Program) -> Sites {
        let mut of = vec![Vec::new(); program.functions.len()];
        for (id, site) in program.sites.iter() {
            of[site.function.index()].push(id);
        }
        Sites { of }
    }
}

/// A branch region with what is needed to find its outcome edges.
struct Goal {
    /// Counts of the outcomes false, true.
    counts: [Counter; 2],
    /// The same in flows; `None`: no reachable counter in it.
    flows: [Option<u64>; 2],
    /// The places of its text, innermost first: itself, then the macro expansions and includes around it.
    places: Vec<(u32, SourceRange)>,
}

pub(super) struct Matcher<'a> {
    program: &'a Program,
    coverage: &'a FunctionCoverage,
    function: Option<(FuncId, &'a Function)>,
    sites: &'a [SiteId],
    /// Where each site's condition is computed, and where the site itself stands.
    locs: Vec<[Option<Loc>; 2]>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(
        program: &'a Program,
        coverage: &'a FunctionCoverage,
        sites: &'a Sites,
    ) -> Matcher<'a> {
        let function = coverage.function.map(|id| (id, &program.functions[id]));
        let sites = function.map_or(&[][..], |(id, _)| &sites.of[id.index()]);
        let locs = function.map_or_else(Vec::new, |(_, body)| {
            sites
                .iter()
                .map(|&site| [condition_loc(program, body, site), program.sites[site].loc])
                .collect()
        });
        Matcher {
            program,
            coverage,
            function,
            sites,
            locs,
        }
    }

    pub(super) fn conditions(&self, number: u32, list: &mut Vec<Condition>) {
        let first = list.len();
        for (region, data) in self.coverage.regions.iter().enumerate() {
            if counts(data).is_none() {
                continue;
            }
            let places = places(self.coverage, region);
            let (file, range) = *places.last().expect("a region is in its own place");
            list.push(Condition {
                function: number,
                region: u32::try_from(region).expect("fewer than 2^32 regions"),
                file,
                range,
                ..Condition::default()
            });
        }
        // What is exact on all complete runs, then what is exact only on runs that return.
        let list = &mut list[first..];
        for traps in [true, false] {
            let Some((_, body)) = self.function else {
                return;
            };
            if !list.iter().any(is_open) {
                return;
            }
            self.match_all(
                list,
                &Table::new(self.program, body, self.sites, traps),
                traps,
            );
        }
    }

    /// First the conditions that one site decides: its edges are then less likely to be those of another condition.
    fn match_all(&self, list: &mut [Condition], table: &Table, traps: bool) {
        for condition in list.iter_mut().filter(|condition| is_open(condition)) {
            let goal = self.goal(condition, &table.hash);
            if let [Some(no), Some(yes)] = goal.flows
                && let Some((site, outcomes)) = self.pair(&goal, [no, yes], table)
            {
                condition.site = Some(site);
                condition.outcomes = outcomes.map(OutcomeEdges::AnyOf);
            }
        }
        let claimed: BTreeSet<SiteId> =
            list.iter().filter_map(|condition| condition.site).collect();
        for condition in list.iter_mut().filter(|condition| is_open(condition)) {
            let goal = self.goal(condition, &table.hash);
            let outcomes = self.outcome_edges(&goal, table, &claimed);
            for (side, edges) in outcomes.into_iter().enumerate() {
                if condition.outcomes[side] != OutcomeEdges::Unknown {
                    continue;
                }
                // What never returns says nothing about other runs.
                condition.outcomes[side] = match edges {
                    OutcomeEdges::Never | OutcomeEdges::Entry if !traps => {
                        self.by_counter(goal.counts[side])
                    }
                    OutcomeEdges::Unknown if !traps => self.by_counter(goal.counts[side]),
                    edges => edges,
                };
            }
        }
    }

    /// Edges whose stretch increments a plain counter.
    fn by_counter(&self, count: Counter) -> OutcomeEdges {
        let Counter::Counter(counter) = count else {
            return OutcomeEdges::Unknown;
        };
        if self
            .function
            .is_some_and(|(_, body)| body.entry_counters.contains(&counter))
        {
            return OutcomeEdges::Unknown;
        }
        let edges = self
            .sites
            .iter()
            .flat_map(|&site| self.program.edges_of(site));
        let edges: Vec<_> = edges
            .filter(|&edge| self.program.edges[edge].counters.contains(&counter))
            .collect();
        if edges.is_empty() {
            OutcomeEdges::Unknown
        } else {
            OutcomeEdges::AnyOf(edges)
        }
    }

    fn goal(&self, condition: &Condition, hash: &FlowHash) -> Goal {
        let region = condition.region as usize;
        let counts = counts(&self.coverage.regions[region]).unwrap_or([Counter::Zero; 2]);
        let flows = counts.map(|count| {
            let mut live = false;
            let flow = evaluate(self.coverage, count, hash, &mut live);
            live.then_some(flow)
        });
        Goal {
            counts,
            flows,
            places: places(self.coverage, region),
        }
    }

    /// Outcomes that no single site decides.
    fn outcome_edges(
        &self,
        goal: &Goal,
        table: &Table,
        claimed: &BTreeSet<SiteId>,
    ) -> [OutcomeEdges; 2] {
        if let [Some(no), Some(yes)] = goal.flows
            && let Some(outcomes) = self.chain([no, yes], table)
        {
            return outcomes.map(OutcomeEdges::AnyOf);
        }
        goal.flows.map(|flow| match flow {
            None => OutcomeEdges::Never,
            Some(flow) => match self.meeting(goal, flow, table, claimed) {
                Some(edges) => OutcomeEdges::AnyOf(edges),
                None => self.single(goal, flow, table),
            },
        })
    }

    /// One site that decides both outcomes.
    fn pair(
        &self,
        goal: &Goal,
        flows: [u64; 2],
        table: &Table,
    ) -> Option<(SiteId, [Vec<EdgeId>; 2])> {
        let [no, yes] = flows;
        let fits = |bundle: &&Bundle| table.total(bundle.site).wrapping_sub(yes) == no;
        let best = table
            .with_flow(yes)
            .filter(fits)
            .min_by_key(|bundle| self.distance(goal, bundle.site))?;
        let rest = self
            .program
            .edges_of(best.site)
            .filter(|edge| !best.edges.contains(edge))
            .collect();
        Some((best.site, [rest, best.edges.clone()]))
    }

    /// Edges of sites in the text that lead to one place: `if (a ? b : c)`. Sites that decide other conditions are
    /// looked at last, and in macros, where all sites have one place, so are parts of what leads somewhere.
    fn meeting(
        &self,
        goal: &Goal,
        flow: u64,
        table: &Table,
        claimed: &BTreeSet<SiteId>,
    ) -> Option<Vec<EdgeId>> {
        if flow == 0 {
            return None;
        }
        let inside = self.sites.iter().zip(&self.locs);
        let inside = inside.filter(|(_, locs)| goal.contains(locs[0].or(locs[1])));
        let inside = self.with_constants(inside.map(|(&site, _)| site).collect());
        let free = inside
            .iter()
            .copied()
            .filter(|site| !claimed.contains(site));
        let free = self.groups(free.collect(), table);
        let whole = |group: &Vec<(EdgeId, u64)>| sum(group) == flow;
        if let Some(group) = free.iter().find(|group| whole(group)) {
            return Some(group.iter().map(|&(edge, _)| edge).collect());
        }
        let all = self.groups(inside, table);
        free.iter().chain(&all).find_map(|group| part(group, flow))
    }

    /// Sites, and those that their edges lead to and that decide nothing: clang gives the branch on a constant arm of `a ? b : 0`
    /// the place of what is around it.
    fn with_constants(&self, mut sites: Vec<SiteId>) -> Vec<SiteId> {
        let Some((_, body)) = self.function else {
            return sites;
        };
        let mut next = 0;
        while let Some(&site) = sites.get(next) {
            next += 1;
            for edge in self.program.edges_of(site) {
                let Some(target) = self.program.edges[edge].target else {
                    continue;
                };
                let behind = body.blocks[self.behind(target)].terminator.site();
                let is_constant = |site: &SiteId| {
                    let index = self.sites.binary_search(site);
                    index.is_ok_and(|index| self.locs[index][0].is_none())
                };
                if let Some(site) = behind.filter(is_constant)
                    && !sites.contains(&site)
                {
                    sites.push(site);
                }
            }
        }
        sites.sort_unstable();
        sites
    }

    /// The block that decides something next, from here on.
    fn behind(&self, start: BlockId) -> BlockId {
        let Some((_, body)) = self.function else {
            return start;
        };
        let mut at = start;
        for _ in 0..body.blocks.len() {
            let Terminator::Br { target } = body.blocks[at].terminator else {
                break;
            };
            at = target;
        }
        at
    }

    /// Edges with their flows, by where they lead.
    fn groups(&self, sites: Vec<SiteId>, table: &Table) -> Vec<Vec<(EdgeId, u64)>> {
        let mut groups: BTreeMap<BlockId, Vec<(EdgeId, u64)>> = BTreeMap::new();
        for edge in sites
            .into_iter()
            .flat_map(|site| self.program.edges_of(site))
        {
            if let Some(target) = self.program.edges[edge].target {
                let group = groups.entry(self.through(target)).or_default();
                group.push((edge, table.hash.edge(edge)));
            }
        }
        groups.into_values().collect()
    }

    /// The first block from here that does more than count and jump on.
    fn through(&self, start: BlockId) -> BlockId {
        let Some((_, body)) = self.function else {
            return start;
        };
        let mut at = start;
        for _ in 0..body.blocks.len() {
            let Terminator::Br { target } = body.blocks[at].terminator else {
                break;
            };
            if !body
                .insts(at)
                .all(|(_, inst)| matches!(inst.op, Op::Count { .. }))
            {
                break;
            }
            at = target;
        }
        at
    }

    /// A label of a `switch` that has a branch of its own, in the way of the default: `case 1 ... 1000:`. What is
    /// not the label are the other ways out of the `switch` and of the branches before.
    fn chain(&self, flows: [u64; 2], table: &Table) -> Option<[Vec<EdgeId>; 2]> {
        let [no, yes] = flows;
        let total = no.wrapping_add(yes);
        let is_switch =
            |site: SiteId| matches!(self.program.sites[site].kind, SiteKind::Switch { .. });
        let switches = self.sites.iter().copied();
        let mut switches = switches.filter(|&site| is_switch(site) && table.total(site) == total);
        switches.find_map(|site| {
            table.with_flow(yes).find_map(|label| {
                let rest = self.rest(site, label, table)?;
                Some([rest, label.edges.clone()])
            })
        })
    }

    /// The ways out of a `switch`, but for those of a label.
    fn rest(&self, switch: SiteId, label: &Bundle, table: &Table) -> Option<Vec<EdgeId>> {
        let mut rest: Vec<EdgeId> = self.program.edges_of(switch).collect();
        loop {
            if label.edges.iter().all(|edge| rest.contains(edge)) {
                rest.retain(|edge| !label.edges.contains(edge));
                return Some(rest);
            }
            let default = rest.pop()?;
            let target = self.program.edges[default].target?;
            let (_, body) = self.function?;
            let Terminator::CondBr { site, .. } = body.blocks[target].terminator else {
                return None;
            };
            if table.total(site) != table.hash.edge(default) {
                return None;
            }
            // The range is checked by the branch's true edge; the way of the default goes on by the false one.
            rest.extend(self.program.edges_of(site).rev());
        }
    }

    /// Any edges that are taken as often as the outcome counts.
    fn single(&self, goal: &Goal, flow: u64, table: &Table) -> OutcomeEdges {
        let best = table
            .with_flow(flow)
            .min_by_key(|bundle| self.distance(goal, bundle.site));
        match best {
            Some(bundle)
                if flow != table.hash.entry() || self.distance(goal, bundle.site).0 == 0 =>
            {
                OutcomeEdges::AnyOf(bundle.edges.clone())
            }
            _ if flow == table.hash.entry() => OutcomeEdges::Entry,
            _ if flow == 0 => OutcomeEdges::EarlyExit,
            _ => self
                .entering(flow, table)
                .map_or(OutcomeEdges::Unknown, OutcomeEdges::AnyOf),
        }
    }

    /// The edges that lead to a block that runs as often as the outcome counts: a label of a `switch` that folds.
    fn entering(&self, flow: u64, table: &Table) -> Option<Vec<EdgeId>> {
        let (_, body) = self.function?;
        let block = body
            .blocks
            .keys()
            .find(|&block| table.hash.block(block) == flow)?;
        let mut into: Vec<Vec<BlockId>> = vec![Vec::new(); body.blocks.len()];
        for (from, data) in body.blocks.iter() {
            for to in data.terminator.successors() {
                into[to.index()].push(from);
            }
        }
        let mut edges = Vec::new();
        let mut seen = vec![false; body.blocks.len()];
        let mut work = vec![block];
        while let Some(at) = work.pop() {
            if at == Function::ENTRY || std::mem::replace(&mut seen[at.index()], true) {
                return None;
            }
            let mut before = std::mem::take(&mut into[at.index()]);
            before.dedup();
            for from in before {
                match body.blocks[from].terminator.site() {
                    Some(site) => edges.extend(
                        self.program
                            .edges_of(site)
                            .filter(|&edge| self.program.edges[edge].target == Some(at)),
                    ),
                    None => work.push(from),
                }
            }
        }
        Some(edges)
    }

    /// How far a site is from the text of a condition: 0 inside, then in the order of the sites.
    fn distance(&self, goal: &Goal, site: SiteId) -> (u32, u32) {
        let index = self.sites.binary_search(&site).unwrap_or(0);
        let [condition, own] = self.locs[index];
        let rank = if goal.contains(condition) {
            0
        } else if goal.contains(own) {
            1
        } else {
            2
        };
        (rank, site.as_u32())
    }
}

impl Goal {
    fn contains(&self, loc: Option<Loc>) -> bool {
        let Some(loc) = loc else { return false };
        self.places.iter().any(|&(file, range)| {
            file == loc.file
                && (range.line, range.col) <= (loc.line, loc.col)
                && (loc.line, loc.col) < (range.end_line, range.end_col)
        })
    }
}

fn is_open(condition: &Condition) -> bool {
    condition.outcomes.contains(&OutcomeEdges::Unknown)
}

/// Counts of the outcomes false, true of a condition that does not fold; `None` for other regions.
fn counts(region: &Region) -> Option<[Counter; 2]> {
    let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
        region.kind
    else {
        return None;
    };
    let counts = [false_count, region.count];
    (counts != [Counter::Zero; 2]).then_some(counts)
}

/// Most edges of which all parts are tried.
const PARTS: usize = 12;

fn sum(group: &[(EdgeId, u64)]) -> u64 {
    group
        .iter()
        .fold(0, |sum, &(_, flow)| sum.wrapping_add(flow))
}

/// The smallest part of a group that is taken this often.
fn part(group: &[(EdgeId, u64)], flow: u64) -> Option<Vec<EdgeId>> {
    if group.len() > PARTS {
        return None;
    }
    let chosen = |mask: u32| {
        let chosen = group
            .iter()
            .enumerate()
            .filter(move |(index, _)| mask >> index & 1 == 1);
        chosen.map(|(_, &edge)| edge)
    };
    let fits =
        |mask: &u32| chosen(*mask).fold(0_u64, |sum, (_, flow)| sum.wrapping_add(flow)) == flow;
    let mask = (1_u32..1 << group.len())
        .filter(fits)
        .min_by_key(|mask| mask.count_ones())?;
    Some(chosen(mask).map(|(edge, _)| edge).collect())
}
