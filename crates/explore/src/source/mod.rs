//! Sources: everything that proposes what to run next. One file each, one line each in [`ALL`].
//!
//! A source proposes an input, a side to be taken, or a proof; it learns from every run. The campaign asks them in the
//! order of their list, turn by turn, and knows none of them by name. Which sources a strategy runs with stands in its
//! entry of the registry ([`crate::strategy::Entry`]). A strategy's picks are one source among the others.
//!
//! A source that is not for every turn keeps a [`Pace`](crate::pace::Pace): the rule by which its share follows from what it
//! found lately.
//!
//! Must hold: what a source proposes depends on nothing but the runs and the seed; a source that is not in the list
//! costs nothing; no source knows another.

mod approach;
mod bidirectional;
mod chance;
mod fuzzing;
mod given;
mod matching;
mod optimistic;
mod pumping;
mod retries;
mod sequences;
mod strategy;
mod unpinned;

use std::sync::Arc;
use std::time::Duration;

use path::tree::{PathCondition, Side};
use path::{Candidate, InputVector, Outcome, Run, RunId, Tree, Visits};
use program::{EdgeId, Program, SecondaryMap};
use smt::{Effort, Pool, Term};

use coverage::GoalId;

use crate::backward::Backward;
use crate::campaign::budget::Clock;
use crate::campaign::job::KeptTest;
use crate::nearness::{Came, Progress, Watched};
use crate::relevant::{Relevant, may_be_dropped};
use crate::strategy::Sources;
use crate::view::{NewPath, Strategy, Verdict, View};

/// Proposes what to run next.
pub(crate) trait Source: Send {
    /// What is to be done next, if it is for this source to say.
    fn propose(&mut self, scene: &mut Scene<'_>, turn: Turn) -> Option<Proposal>;

    /// An input to be run without expressions; asked for while a slice of such runs lasts, turn by turn.
    fn glance(&mut self, _tests: &[KeptTest], _turn: Turn) -> Option<InputVector> {
        None
    }

    /// A run is in the tree. Comes before [`Source::on_result`] of the same job.
    fn on_run(&mut self, _view: &View<'_>, _news: &News<'_>) {}

    /// What became of a job, whoever proposed it. Nobody is told of a flip that says nothing about its side.
    fn on_result(&mut self, _view: &View<'_>, _told: &Told<'_>) {}

    /// A side is open that was put off or dropped before.
    fn on_open(&mut self, _view: &View<'_>, _side: Candidate) {}

    /// No run takes these edges: there are proofs.
    fn on_dead(&mut self, _edges: &[EdgeId]) {}

    /// What a run without expressions showed.
    fn on_glance(&mut self, _view: &View<'_>, _seen: &Glance<'_>) -> Worth {
        Worth::default()
    }

    /// Time went into a flip of the search, or into a slice of runs without expressions.
    fn on_time(&mut self, _spent: &Spent) {}

    /// An input that nobody here proposed is to be run: another campaign found it, or a run without expressions did.
    fn on_offer(&mut self, _input: &InputVector) {}

    /// Whether it knows neither nodes nor runs of the tree: then it stays when the search starts over, and others are made anew.
    fn outlives_tree(&self) -> bool {
        false
    }

    /// The search has started over, and these inputs are to be run again.
    fn on_start_over(&mut self, _again: &[InputVector]) {}

    /// Inputs of runs that it would go on from, beside those of tests: they are run again when the search starts over.
    fn goes_on_from(&self) -> Vec<InputVector> {
        Vec::new()
    }

    /// Where it is, for the progress line.
    fn phase(&self) -> String {
        String::new()
    }

    /// Bytes that it takes.
    fn bytes(&self) -> usize {
        0
    }
}

/// When sources are asked, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// Before anything else: what was asked for from outside.
    First,
    /// As a rule.
    Regular,
    /// When nobody had anything in the regular turn.
    Spare,
    /// When every path was explored and that proves nothing: for who does not need runs.
    Stuck,
    /// Then, if nobody had anything.
    Last,
}

/// What a source wants done.
#[derive(Clone, Debug)]
pub(crate) enum Proposal {
    /// Run this.
    Input(InputVector),
    /// Find an input that takes a side, and run it.
    Flip(Flip),
    /// Run inputs without expressions for a while: [`Source::glance`] says which.
    Slice,
    /// No input covers these goals, none takes these edges. The source is answerable for it: the campaign checks nothing.
    Proof {
        goals: Vec<GoalId>,
        dead: Vec<EdgeId>,
        /// Why, for people.
        why: Arc<str>,
    },
    /// Nothing yet; the source is to be asked again.
    Busy,
}

/// What has to hold of the path in front of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Whole,
    /// Everything but pins.
    WithoutPins,
    /// Nothing.
    Nothing,
}

/// A side to be taken.
#[derive(Clone, Debug)]
pub(crate) struct Flip {
    pub(crate) side: Candidate,
    pub(crate) effort: Effort,
    /// Who proposes it, for traces.
    pub(crate) by: &'static str,
    /// Conditions beside those of the path, width 1. No input of a run is known to satisfy them.
    pub(crate) extra: Vec<Term>,
    pub(crate) prefix: Prefix,
    /// The side was taken before: an input is wanted that takes it once more, from the input of this run.
    pub(crate) again: Option<RunId>,
    /// A run whose path has the side's node, from which the rest of the input is taken; `None`: the node's maker.
    pub(crate) parent: Option<Arc<InputVector>>,
}

impl Flip {
    /// With the whole path, as its maker ran.
    pub(crate) fn plain(side: Candidate, effort: Effort, by: &'static str) -> Flip {
        Flip {
            side,
            effort,
            by,
            extra: Vec::new(),
            prefix: Prefix::Whole,
            again: None,
            parent: None,
        }
    }

    /// Does it say nothing about the side when there is no such input, or its run goes elsewhere?
    pub(crate) fn is_probe(&self) -> bool {
        self.prefix != Prefix::Whole || !self.extra.is_empty() || self.again.is_some()
    }
}

/// What sources see when they are asked, and may use.
pub(crate) struct Scene<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tree: &'a mut Tree,
    pub(crate) pool: &'a mut Pool,
    pub(crate) condition: &'a mut PathCondition,
    pub(crate) edge_hits: &'a SecondaryMap<EdgeId, u64>,
    pub(crate) edges_taken: usize,
    pub(crate) relevant: &'a Relevant,
    pub(crate) path_filter: bool,
    pub(crate) watched: &'a Watched,
    /// Is something to be gained by covering a goal?
    pub(crate) is_open: &'a dyn Fn(GoalId) -> bool,
    /// Who looks backward, if somebody does.
    pub(crate) backward: Option<&'a mut (dyn Backward + 'a)>,
    /// Was an input like this run?
    pub(crate) was_run: &'a dyn Fn(&InputVector) -> bool,
    pub(crate) tests: &'a [KeptTest],
    /// Runs so far, and the last of them that covered something new.
    pub(crate) runs: u64,
    pub(crate) last_new: u64,
    /// Inputs are run without expressions in between: who makes them without the solver gives them there.
    pub(crate) slices: bool,
    pub(crate) clock: &'a dyn Clock,
}

impl Scene<'_> {
    /// What strategies see.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            program: self.program,
            tree: self.tree,
            edge_hits: self.edge_hits,
            edges_taken: self.edges_taken,
            relevant: Some(self.relevant),
        }
    }

    /// May the side cover something? If not it is dropped: nobody is offered it any more.
    pub(crate) fn admits(&mut self, side: Candidate) -> bool {
        let admitted = !self.path_filter
            || !may_be_dropped(self.tree.kind(side.node))
            || self.relevant.is_relevant(self.tree, side);
        if !admitted {
            self.tree.set(side, Side::Irrelevant);
        }
        admitted
    }

    /// Is there a pin on the way to a side?
    pub(crate) fn is_pinned(&mut self, side: Candidate) -> bool {
        self.condition
            .of(self.tree, self.program, self.pool, side.node);
        self.condition.has_pin(self.tree)
    }

    /// The first of some inputs that was not run yet.
    pub(crate) fn fresh(
        &self,
        mut next: impl FnMut() -> Option<InputVector>,
    ) -> Option<InputVector> {
        std::iter::from_fn(&mut next).find(|input| !(self.was_run)(input))
    }
}

/// A run, and what is known of it.
pub(crate) struct News<'a> {
    pub(crate) run: &'a Run,
    /// Runs so far, with this one.
    pub(crate) runs: u64,
    pub(crate) path: &'a NewPath<'a>,
    pub(crate) pool: &'a Pool,
    /// It took an edge, covered a goal, or may be half of a pair, as no run before it.
    pub(crate) is_new: bool,
    /// What it brought for the sides that are watched.
    pub(crate) came: &'a [Came],
}

/// What became of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'a> {
    /// The side that it was to take, how hard the solver tried, and what came of it.
    pub(crate) side: Option<(Candidate, Effort, Verdict)>,
    /// Was it this source's own?
    pub(crate) own: bool,
    /// The input, if there was one.
    pub(crate) input: Option<&'a InputVector>,
    /// Was it run? A job can be lost.
    pub(crate) ran: bool,
    /// The run covered something new.
    pub(crate) is_new: bool,
    /// What the run brought for the sides that are watched.
    pub(crate) came: &'a [Came],
}

/// A run without expressions.
pub(crate) struct Glance<'a> {
    pub(crate) input: &'a InputVector,
    pub(crate) visits: &'a Visits,
    pub(crate) outcome: Outcome,
    /// How long the run took.
    pub(crate) time: Duration,
    pub(crate) progress: Progress,
    /// The input is one of a test: whatever it shows is known.
    pub(crate) is_known: bool,
}

/// What a run without expressions is worth to a source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worth {
    /// Edges that no run has taken, and no glance showed before.
    pub(crate) edges: usize,
    /// It ended badly in a new way.
    pub(crate) fails: bool,
}

/// Where time went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spent {
    /// In a slice of runs without expressions, and how many; `None` for a flip.
    pub(crate) glances: Option<u64>,
    /// Edges that were taken for the first time.
    pub(crate) found: usize,
    pub(crate) time: Duration,
}

/// What a source is made from.
pub(crate) struct Setup<'a> {
    pub(crate) program: &'a Program,
    pub(crate) seed: u64,
    /// Inputs that are run first.
    pub(crate) initial: &'a [InputVector],
    /// The first input is run once more with text in its bytes.
    pub(crate) text: bool,
    /// For the source that has it pick.
    pub(crate) strategy: Option<Box<dyn Strategy>>,
}

/// What the registry knows of a source.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name of its file.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// It needs to know how near runs come to sides that nothing symbolic decides.
    pub(crate) watches: bool,
    /// It changes tests at random, which is of no use where the program asks for no input.
    pub is_random: bool,
    /// It has inputs run without expressions for parts of the time: the order of things is up to the clock.
    pub slices: bool,
    /// It needs somebody who looks backward.
    pub looks_back: bool,
    pub(crate) make: fn(&mut Setup<'_>) -> Box<dyn Source>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        (self.name, self.summary) == (other.name, other.summary)
    }
}

/// Every source, in the order in which they are asked.
pub const ALL: &[Entry] = &[
    given::ENTRY,
    fuzzing::ENTRY,
    matching::ENTRY,
    pumping::ENTRY,
    sequences::ENTRY,
    chance::ENTRY,
    unpinned::ENTRY,
    optimistic::ENTRY,
    approach::ENTRY,
    bidirectional::ENTRY,
    retries::ENTRY,
    strategy::ENTRY,
];

/// A strategy's own picks, so that strategies can be compared by them; inputs by chance only when there is nothing else.
pub const PLAIN: &[Entry] = &[
    given::ENTRY,
    chance::AT_THE_END,
    retries::ENTRY,
    strategy::ENTRY,
];

/// A strategy's own picks and nothing else.
pub const BARE: &[Entry] = &[given::ENTRY, retries::ENTRY, strategy::ENTRY];

/// A strategy's own picks, and not even second tries of what the solver gave up on.
pub const ALONE: &[Entry] = &[given::ENTRY, strategy::ENTRY];

impl Sources {
    /// The sources themselves, in the order of [`ALL`].
    #[must_use]
    pub fn entries(self) -> Vec<Entry> {
        match self {
            Sources::Plain => PLAIN.to_vec(),
            Sources::Alone => ALONE.to_vec(),
            Sources::Forward => forward(),
            Sources::Both => ALL.to_vec(),
        }
    }
}

/// Those that go from runs to runs; who looks back has turns when they find nothing.
fn forward() -> Vec<Entry> {
    let all = ALL.iter().copied();
    all.map(|source| match source.looks_back {
        true => bidirectional::WHEN_STUCK,
        false => source,
    })
    .collect()
}

#[cfg(test)]
mod tests;
