//! Inputs that were asked for from outside: seeds, the first inputs, what other campaigns found, and what runs without
//! expressions found. They come before everything else. Those that are run again when the search starts over come next.

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
    /// Run in an earlier round: when nothing waits that was not.
    again: VecDeque<InputVector>,
    /// The first input is run once more with text in its bytes.
    text: bool,
}

impl Given {
    fn new(setup: &Setup<'_>) -> Given {
        Given {
            waiting: setup.initial.iter().cloned().collect(),
            again: VecDeque::new(),
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
        if turn != Turn::First {
            return None;
        }
        let input = self.waiting.pop_front();
        let input = input.or_else(|| self.again.pop_front());
        input.map(Proposal::Input)
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

    fn on_start_over(&mut self, again: &[InputVector]) {
        self.again = again.iter().cloned().collect();
    }

    fn outlives_tree(&self) -> bool {
        true
    }
}
