//! Conditions at places: what must hold there for a run to come to the goal on one way from there.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::{BlockId, EdgeId, FuncId};
use smt::{Assignment, Term, Var};

use crate::extract::Extracted;
use crate::memory::Heights;

/// In front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub function: FuncId,
    pub block: BlockId,
    /// Its number in the block; as many as there are: the terminator.
    pub at: usize,
}

/// Something that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    pub term: Term,
    /// The edge that it is of; none for an assumption.
    pub edge: Option<EdgeId>,
}

/// What the rest of the path asks for, the last first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub kind: path::ValueType,
    pub name: String,
    pub element: Option<u32>,
}

/// How a path comes to the head of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// How often.
    pub count: u32,
    /// How often without coming nearer to the loop's start.
    pub aimless: u32,
    /// How near it was when it came there last.
    pub nearness: Option<u64>,
}

/// A place with what must hold there (an R-state of the paper on bidirectional analysis).
#[derive(Clone, Debug)]
pub struct State {
    pub place: Place,
    /// The calls that wait for the function of the place, as far as the path knows them; the outermost first. Each stands in front
    /// of its call.
    pub waiting: Vec<Place>,
    pub conditions: Vec<Condition>,
    /// Conditions that no solver decided. They refute nothing; an input must meet them all the same.
    pub deferred: Vec<Condition>,
    /// Conditions that are about inputs of the rest of the path alone: they can be met, whatever comes before.
    pub settled: Vec<Condition>,
    /// What the rest of the path asks for, the last first.
    pub asked: Vec<Asked>,
    /// Characters that the rest of the path reads.
    pub read: u32,
    /// Loops that were cut out of the path; the last in the program's order first. Nothing that follows from such a state refutes.
    pub loops: Vec<Rc<Extracted>>,
    /// What they start with and read, as terms at the place: for each loop in turn its entries, then what it reads.
    pub carried: Vec<Term>,
    /// Values under which all conditions hold, as far as a solver said so.
    pub model: Option<Assignment>,
    /// Times that the path comes to each head of a loop, by the number of waiting calls.
    pub rounds: BTreeMap<(usize, FuncId, BlockId), Round>,
    /// How far its conditions are from what loops start with; what is nearer is followed first.
    pub nearness: u64,
    /// Another state stands for it where something is to be refuted: it goes round a loop more often than that one.
    pub spare: bool,
    /// The variables of the conditions, and of the addresses of their cells, if nothing changed since they were asked for.
    pub live: Option<Rc<BTreeSet<Var>>>,
    /// Blocks of the path.
    pub length: u32,
    /// More is allowed than the path allows: something on it is not known, or was left out.
    pub vague: bool,
    /// Its number among those that are kept for a certificate.
    pub kept: Option<usize>,
}

impl State {
    /// A place at which nothing has to hold.
    #[must_use]
    pub fn at(place: Place) -> State {
        State {
            place,
            waiting: Vec::new(),
            conditions: Vec::new(),
            deferred: Vec::new(),
            settled: Vec::new(),
            asked: Vec::new(),
            read: 0,
            loops: Vec::new(),
            carried: Vec::new(),
            model: None,
            rounds: BTreeMap::new(),
            nearness: 0,
            spare: false,
            live: None,
            length: 0,
            vague: false,
            kept: None,
        }
    }

    /// The height of the function of the place.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Does something that follows from it refute? Not from what comes of a loop that was cut out, nor from rounds that another
    /// state stands for: there are states beside it which are followed too.
    #[must_use]
    pub fn refutes(&self) -> bool {
        self.loops.is_empty() && !self.spare
    }

    /// The conditions' terms.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.conditions.iter().map(|condition| condition.term)
    }

    /// All terms that speak of the place.
    pub fn spoken(&self) -> impl Iterator<Item = Term> + '_ {
        let deferred = self.deferred.iter().map(|condition| condition.term);
        let carried = self.carried.iter().copied();
        self.terms().chain(deferred).chain(carried)
    }
}

/// The functions that are active at a state.
#[derive(Clone, Debug)]
pub struct Active(Vec<FuncId>);

impl Heights for Active {
    fn function(&self, height: u32) -> Option<FuncId> {
        self.0.get(height as usize).copied()
    }
}

impl State {
    /// The functions that are active, to be kept while conditions change.
    #[must_use]
    pub fn active(&self) -> Active {
        let waiting = self.waiting.iter().map(|place| place.function);
        Active(waiting.chain([self.place.function]).collect())
    }
}

impl Heights for State {
    fn function(&self, height: u32) -> Option<FuncId> {
        let height = height as usize;
        match self.waiting.get(height) {
            Some(place) => Some(place.function),
            None => (height == self.waiting.len()).then_some(self.place.function),
        }
    }
}
