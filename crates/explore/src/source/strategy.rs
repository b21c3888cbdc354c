//! The picks of the strategy, with the lanes of what no strategy picks: see [`crate::agenda`].

use path::Candidate;
use program::EdgeId;
use smt::Effort;

use super::{Entry, Flip, News, Proposal, Scene, Setup, Source, Told, Turn};
use crate::agenda::Agenda;
use crate::rng::Rng;
use crate::view::{Verdict, View};

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "strategy",
    summary: "sides that the strategy picks, checks, pins and failed assumptions",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Picks::new(setup)),
};

/// The agenda and its random numbers.
struct Picks {
    agenda: Agenda,
    rng: Rng,
}

impl Picks {
    fn new(setup: &mut Setup<'_>) -> Picks {
        let strategy = setup.strategy.take();
        Picks {
            agenda: Agenda::new(strategy.expect("one source has the strategy pick")),
            rng: Rng::new(setup.seed),
        }
    }
}

impl Source for Picks {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        if turn != Turn::Regular {
            return None;
        }
        loop {
            let (side, lane) = self.agenda.next(&scene.view(), &mut self.rng)?;
            if scene.admits(side) {
                return Some(Proposal::Flip(Flip::plain(
                    side,
                    Effort::Quick,
                    lane.name(),
                )));
            }
            let view = scene.view();
            self.agenda.on_result(&view, side, Verdict::Irrelevant);
        }
    }

    fn on_run(&mut self, view: &View<'_>, news: &News<'_>) {
        self.agenda.on_path(view, news.path);
    }

    fn on_result(&mut self, view: &View<'_>, told: &Told<'_>) {
        if let Some((side, _, verdict)) = told.side {
            self.agenda.on_result(view, side, verdict);
        }
    }

    fn on_open(&mut self, view: &View<'_>, side: Candidate) {
        self.agenda.on_result(view, side, Verdict::Lost);
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.agenda.on_dead(edges);
    }

    fn phase(&self) -> String {
        self.agenda.phase()
    }

    fn bytes(&self) -> usize {
        self.agenda.bytes()
    }
}
