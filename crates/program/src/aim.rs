//! Where to aim: which edges make an outcome of a condition count.
//!
//! The coverage mapping says how often a condition was true or false as an expression over profile counters. A search
//! needs edges. Both are counts of the same runs, so they are joined by [`FlowHash`]: an edge is an aim of an outcome
//! when, on every complete run, it is taken exactly as often as the outcome counts. Where several edges are (a loop
//! body with one condition is entered as often as the condition is true), the source decides: the edge whose site
//! lies in the condition's text, seen through macros and includes.
//!
//! Invariants:
//! - [`Aim::Edges`] is exact on complete runs: the outcome's count is the number of times one of the edges is taken;
//! - outcomes of conditions that fold to a constant have no aim, because they are no goals;
//! - a condition has at most one site as its place; a `switch` is that of each of its labels.

use crate::coverage::{Counter, ExprOp, FunctionCoverage, RegionKind, SourceRange};
use crate::flow_hash::FlowHash;
use crate::function::Function;
use crate::id::{EdgeId, FuncId, SiteId};
use crate::inst::Op;
use crate::model::{Loc, Program, SiteKind};

/// What makes an outcome count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// Not determined.
    #[default]
    Unknown,
    /// Taking one of these edges.
    Edges(Vec<EdgeId>),
    /// Every complete call of the function.
    Entry,
    /// Nothing: no code that can be reached increments its counters.
    Never,
}

/// The aims of a condition: one branch region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Index into [`Program::coverage`].
    pub function: u32,
    /// Index into [`FunctionCoverage::regions`].
    pub region: u32,
    /// Outcomes false, true.
    pub aims: [Aim; 2],
    /// The site where it is decided, if it is one.
    pub site: Option<SiteId>,
    /// Where the outermost macro expansion around it stands, or itself: its text in the source that debug information
    /// talks about. `file` indexes [`Program::files`].
    pub file: u32,
    pub range: SourceRange,
}

/// The aims of all conditions of a program, in the order of the coverage mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aims {
    pub conditions: Vec<Condition>,
    /// First condition of each function of the mapping.
    starts: Vec<usize>,
}

impl Aims {
    /// Computes them.
    #[must_use]
    pub fn new(program: &Program) -> Aims {
        let mut aims = Aims::default();
        let sites = Sites::new(program);
        for (index, coverage) in program.coverage.iter().enumerate() {
            aims.starts.push(aims.conditions.len());
            let number = u32::try_from(index).expect("fewer than 2^32 functions");
            Matcher::new(program, coverage, &sites).conditions(number, &mut aims.conditions);
        }
        aims
    }

    /// The conditions of a function of the mapping (an index into [`Program::coverage`]).
    #[must_use]
    pub fn of_function(&self, function: usize) -> &[Condition] {
        let start = self
            .starts
            .get(function)
            .copied()
            .unwrap_or(self.conditions.len());
        let end = self
            .starts
            .get(function + 1)
            .copied()
            .unwrap_or(self.conditions.len());
        &self.conditions[start..end]
    }

    /// What makes an outcome of a branch region count; `None` when the region is no goal.
    #[must_use]
    pub fn of(&self, function: usize, region: usize, outcome: bool) -> Option<&Aim> {
        let conditions = self.of_function(function);
        let index = conditions
            .binary_search_by_key(&(region as u64), |found| u64::from(found.region))
            .ok()?;
        Some(&conditions[index].aims[usize::from(outcome)])
    }
}

/// Sites by function.
struct Sites {
    of: Vec<Vec<SiteId>>,
}

impl Sites {
    fn new(program: &Program) -> Sites {
        let mut of = vec![Vec::new(); program.functions.len()];
        for (id, site) in program.sites.iter() {
            of[site.function.index()].push(id);
        }
        Sites { of }
    }
}

/// A set of edges of one site that are taken together as often as `flow` says.
#[derive(Clone, Debug)]
struct Bundle {
    site: SiteId,
    edges: Vec<EdgeId>,
    flow: u64,
}

/// A branch region with what is needed to find its aims.
struct Goal {
    /// Counts of the outcomes false, true; `None`: no reachable counter in it.
    flows: [Option<u64>; 2],
    /// The places of its text, innermost first: itself, then the macro expansions and includes around it.
    places: Vec<(u32, SourceRange)>,
}

struct Matcher<'a> {
    program: &'a Program,
    coverage: &'a FunctionCoverage,
    function: Option<(FuncId, &'a Function)>,
    sites: &'a [SiteId],
    /// Where each site's condition is computed, and where the site itself stands.
    locs: Vec<[Option<Loc>; 2]>,
}

impl<'a> Matcher<'a> {
    fn new(program: &'a Program, coverage: &'a FunctionCoverage, sites: &'a Sites) -> Matcher<'a> {
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

    fn conditions(&self, number: u32, list: &mut Vec<Condition>) {
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

    /// Several sites in the text that lead to the same two blocks: `if (a ? b : c)`.
    fn meeting(&self, goal: &Goal, flows: [u64; 2], table: &Table) -> Option<[Vec<EdgeId>; 2]> {
        let inside = self
            .sites
            .iter()
            .enumerate()
            .filter(|&(index, _)| self.locs[index].iter().any(|loc| goal.contains(*loc)));
        let edges: Vec<EdgeId> = inside
            .flat_map(|(_, &site)| self.program.edges_of(site))
            .collect();
        let mut targets: Vec<_> = edges
            .iter()
            .filter_map(|&edge| self.program.edges[edge].target)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        let group = |flow: u64| {
            targets.iter().find_map(|&target| {
                let into: Vec<EdgeId> = edges
                    .iter()
                    .copied()
                    .filter(|&edge| self.program.edges[edge].target == Some(target))
                    .collect();
                let sum = into
                    .iter()
                    .fold(0_u64, |sum, &edge| sum.wrapping_add(table.hash.edge(edge)));
                (sum == flow).then_some(into)
            })
        };
        Some([group(flows[0])?, group(flows[1])?])
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

/// Bundles by flow.
struct Table {
    hash: FlowHash,
    /// Sorted by flow.
    bundles: Vec<Bundle>,
    /// Flow into each site, sorted by site.
    totals: Vec<(SiteId, u64)>,
}

impl Table {
    fn new(program: &Program, function: &Function, sites: &[SiteId], traps: bool) -> Table {
        let hash = FlowHash::new(program, function, traps);
        let mut bundles: Vec<Bundle> = Vec::new();
        let mut totals = Vec::new();
        for &site in sites {
            if program.sites[site].kind == SiteKind::Probe {
                continue;
            }
            let mut own: Vec<(Option<crate::BlockId>, Bundle)> = Vec::new();
            let mut total = 0_u64;
            for edge in program.edges_of(site) {
                let flow = hash.edge(edge);
                total = total.wrapping_add(flow);
                let target = program.edges[edge]
                    .target
                    .filter(|_| program.sites[site].kind != SiteKind::Branch);
                match own
                    .iter_mut()
                    .find(|(other, _)| target.is_some() && *other == target)
                {
                    Some((_, bundle)) => {
                        bundle.edges.push(edge);
                        bundle.flow = bundle.flow.wrapping_add(flow);
                    }
                    None => own.push((
                        target,
                        Bundle {
                            site,
                            edges: vec![edge],
                            flow,
                        },
                    )),
                }
            }
            totals.push((site, total));
            bundles.extend(own.into_iter().map(|(_, bundle)| bundle));
        }
        bundles.sort_by_key(|bundle| bundle.flow);
        Table {
            hash,
            bundles,
            totals,
        }
    }

    fn with_flow(&self, flow: u64) -> impl Iterator<Item = &Bundle> {
        let start = self.bundles.partition_point(|bundle| bundle.flow < flow);
        // Flow 0 is that of edges that are never taken.
        self.bundles[start..]
            .iter()
            .take_while(move |bundle| bundle.flow == flow && flow != 0)
    }

    fn total(&self, site: SiteId) -> u64 {
        self.totals
            .binary_search_by_key(&site, |&(site, _)| site)
            .map_or(0, |index| self.totals[index].1)
    }
}

/// A count in flows. `live` is set when some counter in it can be reached.
fn evaluate(coverage: &FunctionCoverage, count: Counter, hash: &FlowHash, live: &mut bool) -> u64 {
    // Sums of many cases are long chains: no recursion.
    let mut sum = 0_u64;
    let mut work = vec![(count, false)];
    while let Some((count, negative)) = work.pop() {
        match count {
            Counter::Zero => {}
            Counter::Counter(counter) => {
                let Some(flow) = hash.counter(counter) else {
                    continue;
                };
                *live = true;
                sum = if negative {
                    sum.wrapping_sub(flow)
                } else {
                    sum.wrapping_add(flow)
                };
            }
            Counter::Expr(index) => {
                let expression = coverage.expressions[index as usize];
                work.push((expression.lhs, negative));
                work.push((expression.rhs, negative != (expression.op == ExprOp::Sub)));
            }
        }
    }
    sum
}

/// The places of a region's text, innermost first, as indices of the program's files.
fn places(coverage: &FunctionCoverage, region: usize) -> Vec<(u32, SourceRange)> {
    let start = coverage.regions[region];
    let mut places = vec![(coverage.files[start.file as usize], start.range)];
    let mut file = start.file;
    while let Some(outer) = expansion_of(coverage, file)
        && places.len() <= coverage.files.len()
    {
        places.push((coverage.files[outer.file as usize], outer.range));
        file = outer.file;
    }
    places
}

fn expansion_of(coverage: &FunctionCoverage, file: u32) -> Option<crate::Region> {
    let is_it = |region: &&crate::Region| matches!(region.kind, RegionKind::Expansion { file: inner } if inner == file);
    coverage.regions.iter().find(is_it).copied()
}

/// Where the condition of a site is computed.
fn condition_loc(program: &Program, function: &Function, site: SiteId) -> Option<Loc> {
    let block = program.sites[site].block;
    let operand = match &function.blocks[block].terminator {
        crate::Terminator::CondBr {
            cond, site: here, ..
        } if *here == site => cond.value(),
        crate::Terminator::Switch {
            value, site: here, ..
        } if *here == site => value.value(),
        _ => function.insts(block).find_map(|(_, inst)| match &inst.op {
            Op::Count {
                step: Some(step),
                site: here,
                ..
            } if *here == Some(site) => step.value(),
            _ => None,
        }),
    };
    function.inst(operand?)?.loc
}
