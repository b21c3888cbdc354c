//! Rounds: a search whose memory is full starts over with an empty tree.
//!
//! The tree grows with every path, and so do the lists of its nodes that strategies and other sources keep. No part of them can be
//! forgotten alone. What the search has found is small and lies elsewhere: coverage, tests, proofs. So everything that knows nodes is
//! dropped and made anew with another seed. Then the inputs of kept tests are run again, because a tree without their paths has no way
//! to what is open behind them: not all, but enough to show every goal that is covered. A *round* is what lies between two starts.
//!
//! An input that only an earlier round ran is run again when it is the solution of a side. The new tree does not have its path; if the side
//! were called diverged instead, all that is behind it would stay hidden. Sources that make inputs without the tree do not run it again:
//! it is known what it covers.
//!
//! A round is *short* when half of its runs were those that it began with, or when it ran hardly anything that no earlier round had run.
//! The next round begins with half as many inputs. It takes the tests that were found last, since less was tried near them. After a short
//! round that began with one input there is no other.
//!
//! Must hold:
//! - in a round, an input is not run twice; one that an earlier round ran is no new test unless it shows something new;
//! - inputs that wait for their first run come before the tests, in their order;
//! - nothing counts as explored because an earlier tree had it, and what showed that an earlier tree hides paths still counts;
//! - a campaign that never starts over is as if this module were not there.

use coverage::GoalSet;
use path::hash::{HashTable, HashedSet};
use path::{InputVector, Tree};
use program::{EdgeId, Program, SecondaryMap, SiteId};

use super::deferred::Deferred;
use super::{Campaign, Engine, KeptTest, PathCondition, inputs};
use crate::source::Setup;
use crate::view::Strategy;

/// A round is short when fewer than one in so many of its runs came after those that it began with.
const AFTER: u64 = 2;
/// It is short as well when fewer than one in so many of its runs were new.
const NEW: u64 = 8;

/// What is known of the rounds.
#[derive(Debug)]
pub(super) struct Rounds {
    /// How often the search started over.
    pub(super) over: u64,
    /// Runs of this round, and those of them whose input no earlier round had run.
    runs: u64,
    new: u64,
    /// Inputs that this round began with, and that the next may begin with.
    began_with: usize,
    most: usize,
    /// Tests of earlier rounds, by the hash of their input.
    tests: HashTable<u32>,
    /// Of the trees of earlier rounds: sides that path filtering dropped, and sites that something symbolic decided.
    irrelevant: u64,
    symbolic: SecondaryMap<SiteId, bool>,
}

impl Rounds {
    pub(super) fn new(program: &Program) -> Rounds {
        Rounds {
            over: 0,
            runs: 0,
            new: 0,
            began_with: 0,
            most: usize::MAX,
            tests: HashTable::default(),
            irrelevant: 0,
            symbolic: SecondaryMap::for_map(&program.sites, false),
        }
    }

    /// A run is made of an input; `again`: an earlier round ran it.
    pub(super) fn add(&mut self, again: bool) {
        self.runs += 1;
        self.new += u64::from(!again);
    }

    /// The test of an earlier round with an input of this hash.
    pub(super) fn test_of(&self, hash: u64) -> Option<u32> {
        self.tests.get(&hash).copied()
    }

    /// Sides that path filtering dropped in all rounds; the tree is this round's.
    pub(super) fn irrelevant(&self, tree: &Tree) -> u64 {
        self.irrelevant + tree.counts().irrelevant
    }

    /// Sites that something symbolic decided in any round; the tree is this round's.
    pub(super) fn symbolic(&self, program: &Program, tree: &Tree) -> SecondaryMap<SiteId, bool> {
        let mut symbolic = self.symbolic.clone();
        for (edge, known) in program.edges.iter() {
            symbolic[known.site] |= tree.open_of(edge).is_some();
        }
        symbolic
    }

    /// How many inputs another round may begin with; `None` if there is to be none.
    fn next(&self) -> Option<usize> {
        if self.runs == 0 {
            return None;
        }
        let after = self.runs.saturating_sub(self.began_with as u64);
        let is_short = after * AFTER < self.runs || self.new * NEW < self.runs;
        let half = self.began_with / 2;
        match is_short {
            true => (half > 0).then_some(half),
            false => Some(self.most),
        }
    }
}

impl Campaign<'_> {
    /// Starts over: drops everything that grows with the tree, and goes on from the tests. To be called between steps, when the memory is
    /// full; `strategy` makes one that has seen no path. While jobs are out, or if another round would end as this one does, it drops
    /// nothing and returns false.
    pub fn start_over(
        &mut self,
        engine: &mut Engine<'_>,
        strategy: impl FnOnce() -> Box<dyn Strategy>,
    ) -> bool {
        let Some(most) = self.rounds.next().filter(|_| self.stats.jobs_out == 0) else {
            return false;
        };
        let first = self.first_inputs(most);
        self.rounds.symbolic = self.rounds.symbolic(self.program, &self.tree);
        self.rounds.irrelevant = self.rounds.irrelevant(&self.tree);
        self.losses.outlive(&self.tree);
        self.tree = Tree::new();
        self.condition = PathCondition::default();
        self.deferred = Deferred::default();
        self.relevant.start_over();
        self.watched.start_over();
        self.came.clear();
        self.inputs.start_over();
        self.lineage.start_over();
        self.make_sources_anew(strategy());
        for source in &mut self.sources {
            source.on_start_over(&first);
        }
        self.forget(engine);
        true
    }

    /// The inputs that the next round begins with, after those that wait already.
    fn first_inputs(&mut self, most: usize) -> Vec<InputVector> {
        for test in &self.tests {
            let hash = inputs::hash(&test.input);
            self.rounds.tests.entry(hash).or_insert(test.number);
        }
        let tests = self.enough_tests();
        let mut seen = HashedSet::default();
        let near = self.sources.iter().flat_map(|source| source.goes_on_from());
        let near = near.filter(|input| self.rounds.test_of(inputs::hash(input)).is_none());
        let mut first: Vec<InputVector> = near
            .chain(tests.into_iter().map(|test| test.input.clone()))
            .filter(|input| seen.insert(inputs::hash(input)))
            .collect();
        first.drain(..first.len().saturating_sub(most));
        // All runs may have failed an assumption: a tree without a path proves nothing, and leads nowhere.
        if first.is_empty() {
            first.extend(self.config.initial.first().cloned());
        }
        let rounds = &mut self.rounds;
        rounds.over += 1;
        (rounds.runs, rounds.new) = (0, 0);
        (rounds.began_with, rounds.most) = (first.len(), most);
        first
    }

    /// Tests that show what all of them do; those that were found last are taken first.
    fn enough_tests(&self) -> Vec<&KeptTest> {
        let mut shown = GoalSet::new(self.goals);
        let mut shows_more = |test: &&KeptTest| match &test.shows {
            Some(shows) => {
                let all = shows.goals.iter().chain(&shows.untaken);
                // Each of them, not only the first.
                all.filter(|goal| shown.insert(**goal)).count() > 0
            }
            None => !test.goals.is_empty(),
        };
        let mut enough: Vec<&KeptTest> = (self.tests.iter().rev())
            .filter(|test| shows_more(test))
            .collect();
        enough.reverse();
        enough
    }

    /// Replaces the sources that know nodes, with the strategy.
    fn make_sources_anew(&mut self, strategy: Box<dyn Strategy>) {
        let mut setup = Setup {
            program: self.program,
            seed: self.config.seed.wrapping_add(self.rounds.over),
            initial: &self.config.initial,
            text: self.config.text,
            strategy: Some(strategy),
        };
        let edges = self.program.edges.keys();
        let dead: Vec<EdgeId> = edges.filter(|edge| self.dead[*edge]).collect();
        for (source, entry) in self.sources.iter_mut().zip(&self.config.sources) {
            if !source.outlives_tree() {
                *source = (entry.make)(&mut setup);
                source.on_dead(&dead);
            }
        }
    }
}
