//! Control dependence (Ferrante, Ottenstein, Warren 1987): which decisions a block's execution depends on.

use crate::cfg::Cfg;
use crate::dom::PostDominators;
use crate::entity::PrimaryMap;
use crate::id::{BlockId, EdgeId, FuncId};
use crate::model::Program;

/// One way out of a block, after which another block is sure to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Controller {
    /// The block whose terminator decides.
    pub block: BlockId,
    /// Number of the successor.
    pub side: u32,
    /// The edge; `None` where the terminator has no site (a computed `goto`).
    pub edge: Option<EdgeId>,
}

/// What controls each block of a function.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    controllers: PrimaryMap<BlockId, Vec<Controller>>,
}

impl ControlDependence {
    /// For each decision whose block is not post-dominated by a successor: that successor, and all its
    /// post-dominators up to the decision's own, are controlled by it.
    #[must_use]
    pub fn new(
        program: &Program,
        function: FuncId,
        cfg: &Cfg,
        post: &PostDominators,
    ) -> ControlDependence {
        let body = &program.functions[function];
        let mut controllers: PrimaryMap<BlockId, Vec<Controller>> =
            body.blocks.keys().map(|_| Vec::new()).collect();
        for (block, data) in body.blocks.iter() {
            if cfg.successors(block).len() < 2 {
                continue;
            }
            let stop = post.ipdom(block);
            for (side, successor) in (0..).zip(cfg.successors(block)) {
                let edge = data.terminator.site().map(|site| program.edge(site, side));
                let mut at = Some(successor);
                while let Some(controlled) = at.filter(|_| at != stop) {
                    controllers[controlled].push(Controller { block, side, edge });
                    at = post.ipdom(controlled);
                }
            }
        }
        ControlDependence { controllers }
    }

    /// The decisions that the block depends on directly, by deciding block and side. Empty when the block runs
    /// whenever the function does.
    #[must_use]
    pub fn controllers(&self, block: BlockId) -> &[Controller] {
        &self.controllers[block]
    }
}
