//! Edges by how often they are taken.

use crate::coverage::{Counter, ExprOp, FunctionCoverage};
use crate::flow_hash::FlowHash;
use crate::function::Function;
use crate::id::{BlockId, EdgeId, SiteId};
use crate::inst::SiteKind;
use crate::model::Program;

/// A set of edges of one site that are taken together as often as `flow` says.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) site: SiteId,
    pub(super) edges: Vec<EdgeId>,
    pub(super) flow: u64,
}

/// Bundles by flow.
pub(super) struct Table {
    pub(super) hash: FlowHash,
    /// Sorted by flow.
    bundles: Vec<Bundle>,
    /// Flow into each site, sorted by site.
    totals: Vec<(SiteId, u64)>,
}

impl Table {
    pub(super) fn new(
        program: &Program,
        function: &Function,
        sites: &[SiteId],
        traps: bool,
    ) -> Table {
        let hash = FlowHash::new(program, function, traps);
        let mut bundles: Vec<Bundle> = Vec::new();
        let mut totals = Vec::new();
        for &site in sites {
            if program.sites[site].kind == SiteKind::Probe {
                continue;
            }
            let mut own: Vec<(Option<BlockId>, Bundle)> = Vec::new();
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

    pub(super) fn with_flow(&self, flow: u64) -> impl Iterator<Item = &Bundle> {
        let start = self.bundles.partition_point(|bundle| bundle.flow < flow);
        // Flow 0 is that of edges that are never taken.
        self.bundles[start..]
            .iter()
            .take_while(move |bundle| bundle.flow == flow && flow != 0)
    }

    pub(super) fn total(&self, site: SiteId) -> u64 {
        self.totals
            .binary_search_by_key(&site, |&(site, _)| site)
            .map_or(0, |index| self.totals[index].1)
    }
}

/// A count in flows. `live` is set when some counter in it can be reached.
pub(super) fn evaluate(
    coverage: &FunctionCoverage,
    count: Counter,
    hash: &FlowHash,
    live: &mut bool,
) -> u64 {
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
