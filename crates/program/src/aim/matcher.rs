//! Finds the aims of one function's conditions.

use std::collections::BTreeMap;

use super::places::{condition_loc, places};
use super::table::{Bundle, Table, evaluate};
use super::{Aim, Condition};
use crate::coverage::{Counter, FunctionCoverage, RegionKind, SourceRange};
use crate::flow_hash::FlowHash;
use crate::function::Function;
use crate::id::{BlockId, EdgeId, FuncId, SiteId};
use crate::inst::{Op, Terminator};
use crate::model::{Loc, Program, SiteKind};

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

/// A branch region with what is needed to find its aims.
struct Goal {
    /// Counts of the outcomes false, true; `None`: no reachable counter in it.
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
        let strict = self
            .function
            .map(|(_, body)| Table::new(self.program, body, self.sites, true));
        for (region, data) in self.coverage.regions.iter().enumerate() {
            let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
                data.kind
            else {
                continue;
            };
            if (data.count, false_count) == (Counter::Zero, Counter::Zero) {
                continue;
            }
            let places = places(self.coverage, region);
            let (file, range) = *places.last().expect("a region is in its own place");
            let mut condition = Condition {
                function: number,
                region: u32::try_from(region).expect("fewer than 2^32 regions"),
                file,
                range,
                ..Condition::default()
            };
            if let Some(table) = &strict {
                let goal = self.goal([false_count, data.count], places, &table.hash);
                self.aim(&goal, table, &mut condition);
            }
            list.push(condition);
        }
        self.aim_rest(&mut list[first..]);
    }

    /// A second try for what is exact only on runs that return.
    fn aim_rest(&self, conditions: &mut [Condition]) {
        let Some((_, body)) = self.function else {
            return;
        };
        if !conditions
            .iter()
            .any(|condition| condition.aims.contains(&Aim::Unknown))
        {
            return;
        }
        let table = Table::new(self.program, body, self.sites, false);
        for condition in conditions
            .iter_mut()
            .filter(|condition| condition.aims.contains(&Aim::Unknown))
        {
            let region = condition.region as usize;
            let data = self.coverage.regions[region];
            let (RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. }) =
                data.kind
            else {
                continue;
            };
            let counts = [false_count, data.count];
            let goal = self.goal(counts, places(self.coverage, region), &table.hash);
            let mut again = condition.clone();
            self.aim(&goal, &table, &mut again);
            for (side, count) in counts.into_iter().enumerate() {
                if condition.aims[side] == Aim::Unknown {
                    condition.aims[side] = match std::mem::take(&mut again.aims[side]) {
                        Aim::Edges(edges) => Aim::Edges(edges),
                        Aim::EarlyExit => Aim::EarlyExit,
                        _ => self.by_counter(count),
                    };
                }
            }
            condition.site = condition.site.or(again.site);
        }
    }

    /// Edges whose stretch increments a plain counter.
    fn by_counter(&self, count: Counter) -> Aim {
        let Counter::Counter(counter) = count else {
            return Aim::Unknown;
        };
        let edges = self
            .sites
            .iter()
            .flat_map(|&site| self.program.edges_of(site));
        let edges: Vec<_> = edges
            .filter(|&edge| self.program.edges[edge].counters.contains(&counter))
            .collect();
        if edges.is_empty() {
            Aim::Unknown
        } else {
            Aim::Edges(edges)
        }
    }

    fn goal(&self, counts: [Counter; 2], places: Vec<(u32, SourceRange)>, hash: &FlowHash) -> Goal {
        let flows = counts.map(|count| {
            let mut live = false;
            let flow = evaluate(self.coverage, count, hash, &mut live);
            live.then_some(flow)
        });
        Goal { flows, places }
    }

    fn aim(&self, goal: &Goal, table: &Table, condition: &mut Condition) {
        let [no, yes] = goal.flows;
        for (side, flow) in goal.flows.into_iter().enumerate() {
            if flow.is_none() {
                condition.aims[side] = Aim::Never;
            }
        }
        if let (Some(no), Some(yes)) = (no, yes)
            && let Some((site, aims)) = self.pair(goal, [no, yes], table)
        {
            condition.site = Some(site);
            condition.aims = aims.map(Aim::Edges);
            return;
        }
        if let (Some(no), Some(yes)) = (no, yes)
            && let Some(aims) = self.meeting(goal, [no, yes], table)
        {
            condition.aims = aims.map(Aim::Edges);
            return;
        }
        if let (Some(no), Some(yes)) = (no, yes)
            && let Some(aims) = self.chain(goal, [no, yes], table)
        {
            condition.aims = aims.map(Aim::Edges);
            return;
        }
        for (side, flow) in goal.flows.into_iter().enumerate() {
            let Some(flow) = flow else { continue };
            condition.aims[side] = self.single(goal, flow, table);
        }
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

    /// Several sites in the text that lead to the same two places: `if (a ? b : c)`.
    fn meeting(&self, goal: &Goal, flows: [u64; 2], table: &Table) -> Option<[Vec<EdgeId>; 2]> {
        let inside = self.sites.iter().zip(&self.locs);
        let inside = inside.filter(|(_, locs)| goal.contains(locs[0].or(locs[1])));
        let edges = inside.flat_map(|(&site, _)| self.program.edges_of(site));
        let mut groups: BTreeMap<BlockId, (Vec<EdgeId>, u64)> = BTreeMap::new();
        for edge in edges {
            let Some(target) = self.program.edges[edge].target else {
                continue;
            };
            let (group, sum) = groups.entry(self.through(target)).or_default();
            group.push(edge);
            *sum = sum.wrapping_add(table.hash.edge(edge));
        }
        let group = |flow| {
            groups
                .values()
                .find(|(_, sum)| *sum == flow)
                .map(|(group, _)| group.clone())
        };
        Some([group(flows[0])?, group(flows[1])?])
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
    fn chain(&self, goal: &Goal, flows: [u64; 2], table: &Table) -> Option<[Vec<EdgeId>; 2]> {
        let [no, yes] = flows;
        let total = no.wrapping_add(yes);
        let label = table
            .with_flow(yes)
            .min_by_key(|bundle| self.distance(goal, bundle.site))?;
        let is_switch =
            |site: &&SiteId| matches!(self.program.sites[**site].kind, SiteKind::Switch { .. });
        let switches = self
            .sites
            .iter()
            .filter(is_switch)
            .filter(|site| table.total(**site) == total);
        switches
            .filter_map(|&site| self.rest(site, label, table))
            .next()
            .map(|rest| [rest, label.edges.clone()])
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
    fn single(&self, goal: &Goal, flow: u64, table: &Table) -> Aim {
        let best = table
            .with_flow(flow)
            .min_by_key(|bundle| self.distance(goal, bundle.site));
        match best {
            Some(bundle)
                if flow != table.hash.entry() || self.distance(goal, bundle.site).0 == 0 =>
            {
                Aim::Edges(bundle.edges.clone())
            }
            _ if flow == table.hash.entry() => Aim::Entry,
            _ if flow == 0 => Aim::EarlyExit,
            _ => Aim::Unknown,
        }
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
