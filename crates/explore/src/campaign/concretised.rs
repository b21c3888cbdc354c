//! The concretisation report: for each place where symbolism was lost, the open goals that stand behind it.
//!
//! An open goal is *held up* by the decisions nearest to it, by control dependence and then by calls, that runs came to
//! and that nothing symbolic decided. It stands behind a loss if one of these decisions can be reached from there
//! (in the interprocedural control-flow graph, calls and returns not matched). A goal whose nearest decisions are symbolic
//! is open for another reason and stands behind no loss.
//!
//! Must hold: every loss is listed; goals that are not open never are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use coverage::GoalId;
use program::callgraph::CallGraph;
use program::cfg::Cfg;
use program::control::ControlDependence;
use program::dom::PostDominators;
use program::flow::{Node, NodeId};
use program::icfg::Icfg;
use program::{
    BlockId, EdgeId, FuncId, Function, PrimaryMap, Program, SecondaryMap, SiteId, SpotId,
};

use super::verdict::{Facts, is_at, sites_by_function};
use path::LossReason;

/// Places whose goals are looked for; at more, only how often is known.
const MOST_PLACES: usize = 256;

/// One place where symbolism was lost, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concretised {
    pub spot: SpotId,
    pub reason: LossReason,
    /// How often, in all runs.
    pub count: u64,
    /// Open goals behind it, in order; `None` where they were not looked for.
    pub goals: Option<Vec<GoalId>>,
}

/// The places with most open goals first, then the most frequent.
pub(super) fn report(facts: &Facts<'_>) -> Vec<Concretised> {
    if facts.losses.is_empty() {
        return Vec::new();
    }
    let calls = CallGraph::new(facts.program);
    let spots = facts.losses.keys().map(|key| key.0).collect();
    let held = held_up(facts, &calls);
    let icfg = Icfg::new(facts.program, &calls);
    let places = places(facts.program, &icfg, spots);
    let mut behind: BTreeMap<SpotId, Vec<GoalId>> = BTreeMap::new();
    for (&spot, &start) in places.iter().take(MOST_PLACES) {
        let reached = reachable(&icfg, start);
        let is_behind = |sites: &BTreeSet<SiteId>| {
            let mut edges = sites.iter().flat_map(|&site| facts.program.edges_of(site));
            edges.any(|edge| icfg.node_of(edge).is_some_and(|node| reached[node]))
        };
        let goals = held.iter().filter(|(_, sites)| is_behind(sites));
        behind.insert(spot, goals.map(|(&goal, _)| goal).collect());
    }
    let mut list: Vec<Concretised> = facts
        .losses
        .iter()
        .map(|(&(spot, reason), &count)| Concretised {
            spot,
            reason,
            count,
            goals: behind.get(&spot).cloned(),
        })
        .collect();
    list.sort_by_key(|place| {
        let goals = place.goals.as_ref().map_or(0, Vec::len);
        (
            std::cmp::Reverse((goals, place.count)),
            place.spot,
            place.reason,
        )
    });
    list
}

/// The nodes in which the instructions with these spots are.
fn places(program: &Program, icfg: &Icfg, spots: BTreeSet<SpotId>) -> BTreeMap<SpotId, NodeId> {
    let functions: BTreeSet<FuncId> = spots
        .iter()
        .map(|&spot| program.spots[spot].function)
        .collect();
    let mut parts: BTreeMap<(FuncId, BlockId), Vec<(u32, NodeId)>> = BTreeMap::new();
    for (id, node) in icfg.nodes().iter() {
        if let Node::Part {
            function,
            block,
            first,
            ..
        } = *node
            && functions.contains(&function)
        {
            parts
                .entry((function, block))
                .or_default()
                .push((first, id));
        }
    }
    let mut places = BTreeMap::new();
    for function in functions {
        for block in program.functions[function].blocks.keys() {
            let Some(parts) = parts.get(&(function, block)) else {
                continue;
            };
            for (index, (_, inst)) in (0..).zip(program.functions[function].insts(block)) {
                let here = parts.iter().rfind(|(first, _)| *first <= index);
                if let (Some(spot), Some(&(_, node))) = (inst.spot, here)
                    && spots.contains(&spot)
                {
                    places.insert(spot, node);
                }
            }
        }
    }
    places
}

fn reachable(icfg: &Icfg, start: NodeId) -> PrimaryMap<NodeId, bool> {
    let mut reached: PrimaryMap<NodeId, bool> = icfg.nodes().keys().map(|_| false).collect();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in icfg.successors(node) {
            if !std::mem::replace(&mut reached[next], true) {
                queue.push_back(next);
            }
        }
    }
    reached
}

/// For each open goal that only concrete decisions hold up: these decisions.
fn held_up(facts: &Facts<'_>, calls: &CallGraph) -> BTreeMap<GoalId, BTreeSet<SiteId>> {
    let sites = sites_by_function(facts.program);
    let mut walk = Walk {
        facts,
        calls,
        symbolic: facts.symbolic.clone(),
        blocks: BTreeMap::new(),
        control: BTreeMap::new(),
    };
    let is_open = |goal: &GoalId| facts.ledger.status(*goal).is_open();
    // What a function waits for that no run entered, all of its goals wait for.
    let mut entries: BTreeMap<FuncId, Found> = BTreeMap::new();
    let mut held = BTreeMap::new();
    for goal in facts.goals.iter().map(|(goal, _)| goal).filter(is_open) {
        let record = &facts.program.coverage[facts.goals.get(goal).record as usize];
        let Some(function) = record.function else {
            continue;
        };
        let own = sites[function]
            .iter()
            .copied()
            .filter(|&site| is_at(facts, site, goal));
        let own: Vec<SiteId> = own.collect();
        let mut found = Found::default();
        if facts.entered[function] == 0 && own.iter().any(|&site| walk.waits(site)) {
            let entry = entries.entry(function).or_insert_with(|| {
                let mut found = Found::default();
                walk.callers(function, &mut found);
                found
            });
            found.symbolic = entry.symbolic;
            found.concrete.clone_from(&entry.concrete);
        }
        for site in own {
            if facts.entered[function] > 0 || walk.is_reached(site) {
                walk.site(site, &mut found);
            }
        }
        if !found.symbolic && !found.concrete.is_empty() {
            held.insert(goal, found.concrete);
        }
    }
    held
}

/// The decisions nearest to a goal.
#[derive(Default)]
struct Found {
    concrete: BTreeSet<SiteId>,
    /// One was symbolic.
    symbolic: bool,
    seen: BTreeSet<(FuncId, BlockId)>,
}

/// Goes from a goal back to the decisions that runs came to.
struct Walk<'a> {
    facts: &'a Facts<'a>,
    calls: &'a CallGraph,
    symbolic: SecondaryMap<SiteId, bool>,
    /// Blocks of the sites of functions that were looked at.
    blocks: BTreeMap<FuncId, BTreeMap<SiteId, BlockId>>,
    control: BTreeMap<FuncId, ControlDependence>,
}

impl Walk<'_> {
    fn is_reached(&self, site: SiteId) -> bool {
        let hit = |edge: EdgeId| self.facts.edge_hits[edge] > 0 || self.facts.late[edge].taken;
        self.facts.program.edges_of(site).any(hit)
    }

    fn site(&mut self, site: SiteId, found: &mut Found) {
        if self.is_reached(site) {
            if self.symbolic[site] {
                found.symbolic = true;
            } else {
                found.concrete.insert(site);
            }
            return;
        }
        if let Some(block) = self.block_of(site) {
            self.block(self.facts.program.sites[site].function, block, found);
        }
    }

    /// The block of a site.
    fn block_of(&mut self, site: SiteId) -> Option<BlockId> {
        let function = self.facts.program.sites[site].function;
        let body = &self.facts.program.functions[function];
        let blocks = self
            .blocks
            .entry(function)
            .or_insert_with(|| sites_of(body));
        blocks.get(&site).copied()
    }

    /// Whether a site waits for something that no run came to.
    fn waits(&mut self, site: SiteId) -> bool {
        !self.is_reached(site) && self.block_of(site).is_some()
    }

    /// What a block waits for that no run came to.
    fn block(&mut self, function: FuncId, block: BlockId, found: &mut Found) {
        if !found.seen.insert((function, block)) {
            return;
        }
        let program = self.facts.program;
        if self.facts.entered[function] > 0 {
            let control = self.control.entry(function).or_insert_with(|| {
                let cfg = Cfg::new(&program.functions[function]);
                let post = PostDominators::new(&cfg);
                ControlDependence::new(program, function, &cfg, &post)
            });
            let edges = control.controllers(block).iter();
            let edges: Vec<EdgeId> = edges.filter_map(|controller| controller.edge).collect();
            for edge in edges {
                self.site(program.edges[edge].site, found);
            }
            return;
        }
        self.callers(function, found);
    }

    /// What a function waits for that no run entered.
    fn callers(&mut self, function: FuncId, found: &mut Found) {
        let program = self.facts.program;
        let callers: Vec<(FuncId, BlockId)> = self
            .calls
            .callers(function)
            .iter()
            .filter_map(|&(caller, call)| {
                Some((caller, program.functions[caller].inst(call)?.block))
            })
            .collect();
        for (caller, block) in callers {
            self.block(caller, block, found);
        }
    }
}

/// Where the sites of a function are.
fn sites_of(body: &Function) -> BTreeMap<SiteId, BlockId> {
    let mut found = BTreeMap::new();
    for (block, data) in body.blocks.iter() {
        let inside = body.insts(block).filter_map(|(_, inst)| inst.op.site());
        found.extend(
            inside
                .chain(data.terminator.site())
                .map(|site| (site, block)),
        );
    }
    found
}
