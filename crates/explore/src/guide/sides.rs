//! The sides of one path that a search may go on with.
//!
//! CREST's searches look at one path at a time and know no tree: a side that an earlier run took is as good as one that none
//! took. It is solved again, from the input of the path, so that what the path condition does not name is new.

use crate::view::{Pick, View};
use path::tree::Side;
use path::{Candidate, NodeId, RunId};

/// The sides of a path, from its start. `again`: also those that other runs took.
pub(crate) fn sides_of_path(view: &View<'_>, nodes: &[NodeId], again: bool) -> Vec<Candidate> {
    let mut sides = Vec::new();
    for (index, &node) in nodes.iter().enumerate() {
        if !again {
            sides.extend(view.tree.candidates(node));
            continue;
        }
        if !view.tree.kind(node).for_strategies() {
            continue;
        }
        let next = nodes.get(index + 1);
        let taken = next.and_then(|&next| view.tree.parent(next));
        let all = (0..view.tree.sides(node)).map(|side| Candidate { node, side });
        sides.extend(all.filter(|&side| Some(side) != taken && wish(view, side, None).is_some()));
    }
    sides
}

/// What is to be done to take a side; `None`: nothing can be. `run`: one whose path came to the side.
pub(crate) fn wish(view: &View<'_>, side: Candidate, run: Option<RunId>) -> Option<Pick> {
    match view.tree.side(side) {
        Side::Open => Some(Pick::Side(side)),
        Side::Taken(_) => Some(Pick::Again {
            side,
            run: run.unwrap_or_else(|| view.tree.maker(side.node)),
        }),
        _ => None,
    }
}
