//! The picks of the strategy, with the lanes of what no strategy picks: see [`crate::agenda`]. Where the strategy wants an
//! input that is drawn at random, one that was not run yet is drawn.

use path::{Candidate, InputVector};
use program::EdgeId;
use smt::Effort;

use super::{Entry, Flip, News, Proposal, Scene, Setup, Source, Told, Turn};
use crate::agenda::Agenda;
use crate::draws::Draws;
use crate::rng::Rng;
use crate::view::{Pick, Verdict, View};

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
    draws: Draws,
    /// Values that a run asked for, at most.
    asked: usize,
}

/// Inputs that are drawn for one that was not run yet.
const DRAWS: u32 = 64;

impl Picks {
    fn new(setup: &mut Setup<'_>) -> Picks {
        let strategy = setup.strategy.take();
        Picks {
            agenda: Agenda::new(strategy.expect("one source has the strategy pick")),
            rng: Rng::new(setup.seed),
            draws: Draws::new(
                setup.seed.wrapping_add(1),
                setup.initial.first().unwrap_or(&InputVector::default()),
            ),
            asked: 0,
        }
    }
}

impl Picks {
    /// An input that was not run yet.
    fn draw(&mut self, scene: &Scene<'_>) -> Option<InputVector> {
        let mut left = DRAWS;
        scene.fresh(|| {
            left = left.checked_sub(1)?;
            self.draws.input()
        })
    }
}

impl Source for Picks {
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        if turn != Turn::Regular {
            return None;
        }
        let mut next = self.agenda.next(&scene.view(), &mut self.rng);
        loop {
            let (pick, lane) = next?;
            let side = match pick {
                Pick::Side(side) => side,
                Pick::Again { side, run } => {
                    return Some(Proposal::Flip(Flip {
                        again: Some(run),
                        ..Flip::plain(side, Effort::Quick, lane.name())
                    }));
                }
                Pick::Draw => match self.draw(scene) {
                    Some(input) => return Some(Proposal::Input(input)),
                    None => {
                        next = self.agenda.rest(&scene.view());
                        continue;
                    }
                },
            };
            if scene.admits(side) {
                return Some(Proposal::Flip(Flip::plain(
                    side,
                    Effort::Quick,
                    lane.name(),
                )));
            }
            let view = scene.view();
            self.agenda.on_result(&view, side, Verdict::Irrelevant);
            next = self.agenda.next(&scene.view(), &mut self.rng);
        }
    }

    fn on_run(&mut self, view: &View<'_>, news: &News<'_>) {
        self.asked = self.asked.max(news.run.input.values.len());
        self.draws.asked(self.asked);
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
