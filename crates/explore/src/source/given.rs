//! Inputs that were asked for from outside: seeds, the first inputs, what other campaigns found, and what runs without
//! expressions found. They come before everything else.

use std::collections::VecDeque;

use path::InputVector;

use super::{Entry, News, Proposal, Scene, Setup, Source, Told, Turn};
use crate::view::View;

/// The source's entry in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "given",
    summary: "seeds, and what other campaigns found",
    watches: false,
    is_random: false,
    slices: false,
    looks_back: false,
    make: |setup| Box::new(Given::new(setup)),
};

/// Inputs in the order in which they came.
struct Given {
    waiting: VecDeque<InputVector>,
    /// The first input is run once more with text in its bytes.
    text: bool,
}

impl Given {
    fn new(setup: &Setup<'_>) -> Given {
        Given {
            waiting: setup.initial.iter().cloned().collect(),
            text: setup.text,
        }
    }

    fn add(&mut self, input: &InputVector) {
        if !self.waiting.contains(input) {
            self.waiting.push_back(input.clone());
        }
    }
}

impl Source for Given {
    fn propose(&mut self, _scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal> {
        let input = (turn == Turn::First).then(|| self.waiting.pop_front());
        input.flatten().map(Proposal::Input)
    }

    fn on_run(&mut self, _view: &View<'_>, news: &News<'_>) {
        if self.text && news.runs == 1 {
            for text in news.run.input.texts() {
                if text != news.run.input {
                    self.add(&text);
                }
            }
        }
    }

    /// Whoever proposed an input that was lost, it is run next.
    fn on_result(&mut self, _view: &View<'_>, told: &Told<'_>) {
        if let (None, Some(input), false) = (told.side, told.input, told.ran) {
            self.waiting.push_front(input.clone());
        }
    }

    fn on_offer(&mut self, input: &InputVector) {
        self.add(input);
    }
}
