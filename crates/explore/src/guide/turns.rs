//! Strategies that take turns: each sees every path and works on the whole tree; who has nothing to offer is passed over.

use crate::rng::Rng;
use crate::view::{NewPath, Pick, Strategy, Verdict, View};
use path::Candidate;
use program::EdgeId;

/// Strategies in a round.
pub(crate) struct Turns {
    parts: Vec<Box<dyn Strategy>>,
    /// The part that is next.
    next: usize,
}

impl Turns {
    /// Each part in turn.
    pub(crate) fn fair(parts: Vec<Box<dyn Strategy>>) -> Turns {
        Turns { parts, next: 0 }
    }
}

impl Strategy for Turns {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for part in &mut self.parts {
            part.on_path(view, path);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        match self.next(view, rng)? {
            Pick::Side(side) => Some(side),
            Pick::Again { .. } | Pick::Draw => None,
        }
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        for _ in 0..self.parts.len() {
            let part = self.next;
            self.next = (part + 1) % self.parts.len();
            if let Some(pick) = self.parts[part].next(view, rng) {
                return Some(pick);
            }
        }
        None
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        for part in &mut self.parts {
            part.on_result(view, side, verdict);
        }
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        for part in &mut self.parts {
            part.on_dead(edges);
        }
    }

    fn phase(&self) -> String {
        let phases: Vec<String> = self.parts.iter().map(|part| part.phase()).collect();
        phases.join("; ")
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.bytes()).sum()
    }
}
