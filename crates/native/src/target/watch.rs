//! How near runs come to edges that the search has asked for.
//!
//! Must hold: a watched run takes the path that it takes unwatched; long runs are watched now and then only, because each of
//! their events costs more then.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;

use path::Near;
use program::EdgeId;

use super::NativeTarget;

/// Event words of a run that is long.
const LONG: usize = 1 << 17;
/// Of long runs, every n-th is watched.
const EVERY: u32 = 8;

/// What is watched.
#[derive(Default)]
pub(super) struct Watch {
    edges: BTreeSet<EdgeId>,
    /// Run-time ids, once they are known.
    ids: Option<Vec<(u32, EdgeId)>>,
    /// Runs that go unwatched before the next that is watched.
    rest: u32,
    /// Is the run at hand watched?
    on: bool,
}

impl NativeTarget<'_> {
    pub(super) fn watch_edges(&mut self, edges: &[EdgeId]) {
        self.forget_ids();
        self.watch.edges = edges.iter().copied().collect();
    }

    /// The program starts anew, or other edges are wanted.
    pub(super) fn forget_ids(&mut self) {
        if let Some(ids) = self.watch.ids.take() {
            self.segment.ask_near(ids.iter().map(|&(id, _)| id), false);
        }
    }

    /// Before a run.
    pub(super) fn begin_watch(&mut self) {
        let watch = &mut self.watch;
        watch.on = !watch.edges.is_empty() && watch.rest == 0;
        watch.rest = watch.rest.saturating_sub(1);
        if watch.on {
            let (modules, edges) = (&self.start.modules, &watch.edges);
            let ids = watch.ids.get_or_insert_with(|| modules.ids(edges));
            self.segment.ask_near(ids.iter().map(|&(id, _)| id), true);
        }
        let watched = &self.segment.control().watched;
        watched.store(u32::from(watch.on), Relaxed);
    }

    /// After a run.
    pub(super) fn end_watch(&mut self) -> Vec<Near> {
        if !self.watch.on {
            return Vec::new();
        }
        if self.segment.events().len() > LONG {
            self.watch.rest = EVERY - 1;
        }
        let ids = self.watch.ids.iter().flatten();
        let near = ids.filter_map(|&(id, edge)| {
            let near = self.segment.near(id)?;
            Some(Near {
                edge,
                least: near.least,
                seen: near.seen,
            })
        });
        near.collect()
    }
}
