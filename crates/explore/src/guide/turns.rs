//! Strategies that take turns: each sees every path and works on the whole tree; who has nothing to offer is passed over.

use crate::rng::Rng;
use crate::strategy::{NewPath, Strategy, Verdict, View};
use crate::tree::Candidate;

/// See the module.
pub(crate) struct Turns {
    parts: Vec<Box<dyn Strategy>>,
    /// Which part has which turn.
    order: Vec<usize>,
    turn: usize,
}

impl Turns {
    /// Each part in turn.
    pub(crate) fn fair(parts: Vec<Box<dyn Strategy>>) -> Turns {
        let order = (0..parts.len()).collect();
        Turns::new(parts, order)
    }

    /// Parts in this order of turns, again and again.
    pub(crate) fn new(parts: Vec<Box<dyn Strategy>>, order: Vec<usize>) -> Turns {
        Turns {
            parts,
            order,
            turn: 0,
        }
    }
}

impl Strategy for Turns {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for part in &mut self.parts {
            part.on_path(view, path);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        for _ in 0..self.order.len() {
            let part = self.order[self.turn];
            self.turn = (self.turn + 1) % self.order.len();
            if let Some(side) = self.parts[part].pick(view, rng) {
                return Some(side);
            }
        }
        None
    }

    fn on_result(&mut self, view: &View<'_>, side: Candidate, verdict: Verdict) {
        for part in &mut self.parts {
            part.on_result(view, side, verdict);
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
