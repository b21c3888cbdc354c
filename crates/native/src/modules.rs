//! Run-time ids to ids of the model: a running program numbers the edges, functions and spots of its modules in the
//! order in which they register, the model in the order in which it was read.
//!
//! Must hold: an id that no known module owns maps to nothing; the tables stay small whatever the program registered.

use std::collections::{BTreeMap, BTreeSet};

use program::{EdgeId, FuncId, Module, Program, SiteKind, SpotId};
use wire::segment::ModuleRecord;

/// Functions whose call is an error to be reached; programs for Test-Comp define them themselves.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];

/// Largest run-time id that a table is made for.
const MOST_IDS: u64 = 1 << 26;

/// What the reader of events has to know of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeInfo {
    /// The edge.
    pub edge: EdgeId,
    /// Value of a two-sided condition on this edge; `None` for switches and probes.
    pub condition: Option<bool>,
    /// Does the edge belong to a `switch`?
    pub is_switch: bool,
}

/// The map, for one start of the program.
#[derive(Clone, Debug, Default)]
pub struct ModuleMap {
    edges: Vec<Option<EdgeInfo>>,
    functions: Vec<Option<FuncId>>,
    spots: Vec<Option<SpotId>>,
    errors: Vec<FuncId>,
    unknown: Vec<u64>,
    registered: usize,
}

impl ModuleMap {
    /// Joins what registered with the model.
    #[must_use]
    pub fn new(program: &Program, records: &[ModuleRecord]) -> ModuleMap {
        let known: BTreeMap<u64, _> = program
            .modules
            .values()
            .map(|module| (module.uid, module))
            .collect();
        let errors = program.functions.iter();
        let mut map = ModuleMap {
            registered: records.len(),
            errors: errors
                .filter(|(_, function)| ERRORS.contains(&function.name.as_str()))
                .map(|(id, _)| id)
                .collect(),
            ..ModuleMap::default()
        };
        for record in records {
            let module = known.get(&record.uid).filter(|module| {
                (module.edges, module.functions, module.spots)
                    == (record.edges, record.functions, record.spots)
            });
            let Some(module) = module else {
                map.unknown.push(record.uid);
                continue;
            };
            let edge = |offset| edge_info(program, module.first_edge.plus(offset));
            fill(&mut map.edges, record.edge_base, record.edges, edge);
            fill(
                &mut map.functions,
                record.function_base,
                record.functions,
                |offset| module.first_function.plus(offset),
            );
            fill(&mut map.spots, record.spot_base, record.spots, |offset| {
                module.first_spot.plus(offset)
            });
        }
        map
    }

    /// The edge of a run-time id.
    #[must_use]
    pub fn edge(&self, id: u32) -> Option<EdgeInfo> {
        self.edges.get(id as usize).copied().flatten()
    }

    /// Run-time ids of these edges.
    #[must_use]
    pub fn ids(&self, edges: &BTreeSet<EdgeId>) -> Vec<(u32, EdgeId)> {
        let known = (0..).zip(&self.edges);
        let known = known.filter_map(|(id, info)| Some((id, info.as_ref()?.edge)));
        known.filter(|(_, edge)| edges.contains(edge)).collect()
    }

    /// The function of a run-time id.
    #[must_use]
    pub fn function(&self, id: u32) -> Option<FuncId> {
        self.functions.get(id as usize).copied().flatten()
    }

    /// Whether a call of the function is an error to be reached.
    #[must_use]
    pub fn is_error(&self, function: FuncId) -> bool {
        self.errors.contains(&function)
    }

    /// The spot of a run-time id.
    #[must_use]
    pub fn spot(&self, id: u32) -> Option<SpotId> {
        self.spots.get(id as usize).copied().flatten()
    }

    /// One more than the largest run-time edge id.
    #[must_use]
    pub fn edge_limit(&self) -> usize {
        self.edges.len()
    }

    /// One more than the largest run-time function id.
    #[must_use]
    pub fn function_limit(&self) -> usize {
        self.functions.len()
    }

    /// Uids of modules that registered and are not in the model.
    #[must_use]
    pub fn unknown(&self) -> &[u64] {
        &self.unknown
    }

    /// Number of modules that had registered when the map was made.
    #[must_use]
    pub fn registered(&self) -> usize {
        self.registered
    }
}

/// A module of the model that did not register, although that of `main` did: the program found another library than it was linked with.
/// Libraries register before it, unless one of them asks for inputs at its start.
#[must_use]
pub fn missing<'p>(program: &'p Program, records: &[ModuleRecord]) -> Option<&'p Module> {
    let there = |module: &Module| records.iter().any(|record| record.uid == module.uid);
    let (main, _) = (program.functions.iter()).find(|(_, function)| function.name == "main")?;
    let main = main.index();
    let mut modules = program.modules.values();
    let own = modules.clone().find(|module| {
        let first = module.first_function.index();
        (first..first + module.functions as usize).contains(&main)
    })?;
    modules.find(|module| there(own) && !there(module))
}

fn edge_info(program: &Program, edge: EdgeId) -> EdgeInfo {
    let record = &program.edges[edge];
    let kind = &program.sites[record.site].kind;
    let condition = matches!(kind, SiteKind::Branch | SiteKind::Select).then_some(record.side == 1);
    EdgeInfo {
        edge,
        condition,
        is_switch: matches!(kind, SiteKind::Switch { .. }),
    }
}

fn fill<T: Clone>(table: &mut Vec<Option<T>>, base: u32, count: u32, value: impl Fn(u32) -> T) {
    let end = u64::from(base) + u64::from(count);
    if end > MOST_IDS {
        return;
    }
    if table.len() < end as usize {
        table.resize(end as usize, None);
    }
    for offset in 0..count {
        table[(base + offset) as usize] = Some(value(offset));
    }
}
