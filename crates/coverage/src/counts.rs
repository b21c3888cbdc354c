//! What a run did, as far as coverage is concerned ([`Hits`]), and the profile counters that follow from it
//! ([`Counts`]).
//!
//! Must hold: a path's counters are the sum of what its edges and function entries increment, so they equal what the
//! profile of a plain build holds after the same run.

use program::{EdgeId, Entity, FuncId, Program};

use crate::decisions::DecisionId;
use crate::goals::Goals;
use crate::target::passage::{PassageId, Passing};
use crate::tracker::Tracker;
use crate::vector::Vector;

/// How often a run took each edge and entered each function. Probe and select sites have edges like all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Distinct edges, each with how often it was taken, in the order of the ids.
    pub edges: Vec<(EdgeId, u64)>,
    /// Distinct functions, each with how often it was entered, in the order of the ids.
    pub functions: Vec<(FuncId, u64)>,
    /// The counts are least ones: goals are looked up by edges instead.
    pub rough: bool,
    /// Distinct vectors of decisions, in order; none unless some goal wants them.
    pub vectors: Vec<(DecisionId, Vector)>,
    /// Places behind calls that control came to, in order.
    pub passed: Vec<PassageId>,
}

impl Hits {
    /// Are the counts all there is to know about the run?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.rough
    }
}

/// Counts a path into [`Hits`], one step at a time. To be used again for each run.
#[derive(Clone, Debug)]
pub struct HitCounter {
    edges: Tally,
    functions: Tally,
    rough: bool,
    tracker: Option<Tracker>,
    passing: Option<Passing>,
    cut: bool,
    crashed: bool,
}

impl HitCounter {
    /// A counter for the edges and functions of a program.
    #[must_use]
    pub fn new(program: &Program) -> HitCounter {
        HitCounter {
            edges: Tally::new(program.edges.len()),
            functions: Tally::new(program.functions.len()),
            rough: false,
            tracker: None,
            passing: None,
            cut: false,
            crashed: false,
        }
    }

    /// A counter for these goals: it also assembles evaluation vectors, if a goal needs them.
    #[must_use]
    pub fn of(program: &Program, goals: &Goals) -> HitCounter {
        HitCounter {
            tracker: goals
                .want_vectors()
                .then(|| Tracker::new(program, goals.decisions())),
            passing: goals
                .passages()
                .map(|passages| Passing::new(program, passages)),
            ..HitCounter::new(program)
        }
    }

    /// An edge was taken.
    pub fn edge(&mut self, edge: EdgeId) {
        self.edges.add(edge.index(), 1);
        if let Some(tracker) = &mut self.tracker {
            tracker.edge(edge);
        }
        if let Some(passing) = &mut self.passing {
            passing.edge(edge);
        }
    }

    /// A function was entered.
    pub fn enter(&mut self, function: FuncId) {
        self.functions.add(function.index(), 1);
        if let Some(tracker) = &mut self.tracker {
            tracker.enter(function);
        }
        if let Some(passing) = &mut self.passing {
            passing.enter(function);
        }
    }

    /// A function returned.
    pub fn leave(&mut self, function: FuncId) {
        if let Some(tracker) = &mut self.tracker {
            tracker.leave(function);
        }
        if let Some(passing) = &mut self.passing {
            passing.leave(function);
        }
    }

    /// `setjmp` returned in a function: calls above it are gone.
    pub fn resume(&mut self, function: FuncId) {
        if let Some(tracker) = &mut self.tracker {
            tracker.resume(function);
        }
        if let Some(passing) = &mut self.passing {
            passing.resume(function);
        }
    }

    /// An edge was taken so often, out of order: no vector has it.
    pub fn edge_times(&mut self, edge: EdgeId, times: u64) {
        self.edges.add(edge.index(), times);
    }

    /// A function was entered so often, out of order.
    pub fn enter_times(&mut self, function: FuncId, times: u64) {
        self.functions.add(function.index(), times);
    }

    /// What is counted of this run is less than what happened, perhaps.
    pub fn set_rough(&mut self) {
        self.rough = true;
    }

    /// The path ends before the run did.
    pub fn set_cut(&mut self) {
        self.cut = true;
    }

    /// The run ended where an instruction crashed.
    pub fn set_crashed(&mut self) {
        self.crashed = true;
    }

    /// What was counted; the counter starts again at 0.
    pub fn take(&mut self) -> Hits {
        let cut = std::mem::take(&mut self.cut);
        let crashed = std::mem::take(&mut self.crashed);
        Hits {
            edges: self.edges.take(),
            functions: self.functions.take(),
            rough: std::mem::take(&mut self.rough),
            vectors: self.tracker.as_mut().map(Tracker::take).unwrap_or_default(),
            passed: self
                .passing
                .as_mut()
                .map(|passing| passing.take(!cut, crashed))
                .unwrap_or_default(),
        }
    }
}

/// Counts of a few out of many entities.
#[derive(Clone, Debug)]
struct Tally {
    counts: Vec<u64>,
    seen: Vec<u32>,
}

impl Tally {
    fn new(len: usize) -> Tally {
        Tally {
            counts: vec![0; len],
            seen: Vec::new(),
        }
    }

    fn add(&mut self, index: usize, times: u64) {
        let count = &mut self.counts[index];
        if *count == 0 {
            self.seen.push(index as u32);
        }
        *count = count.saturating_add(times);
    }

    fn take<K: Entity>(&mut self) -> Vec<(K, u64)> {
        self.seen.sort_unstable();
        let counts = &mut self.counts;
        self.seen
            .drain(..)
            .map(|index| {
                let count = std::mem::take(&mut counts[index as usize]);
                (K::new(index as usize), count)
            })
            .collect()
    }
}

/// Values of the profile counters of a program, after one run or the sum over several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub(crate) slots: Vec<u64>,
    /// Profiles with a counter that may not be 0, in no order.
    pub(crate) touched: Vec<u32>,
    pub(crate) is_touched: Vec<bool>,
}

impl Counts {
    /// All 0.
    #[must_use]
    pub fn new(goals: &Goals) -> Counts {
        Counts {
            slots: vec![0; goals.wiring.slots()],
            touched: Vec::new(),
            is_touched: vec![false; goals.wiring.profiles.len()],
        }
    }

    /// Adds what a run did.
    pub fn add(&mut self, goals: &Goals, hits: &Hits) {
        let wiring = &goals.wiring;
        for &(edge, count) in &hits.edges {
            self.bump(wiring.profile_of_edge(edge), wiring.of_edge(edge), count);
        }
        for &(function, count) in &hits.functions {
            let profile = wiring.profile_of_function(function);
            self.bump(profile, wiring.of_function(function), count);
        }
    }

    /// Adds what a profile says of one record (an index into [`Program::coverage`]): its counters.
    pub fn add_profile(&mut self, goals: &Goals, record: u32, counters: &[u64]) {
        let profile = goals.wiring.profile_of_record[record as usize];
        let slots = goals.wiring.profiles[profile as usize].slots();
        for (slot, count) in (slots.start as u32..slots.end as u32).zip(counters) {
            self.bump(Some(profile), &[slot], *count);
        }
    }

    /// All 0 again; takes only as long as there were functions touched.
    pub fn clear(&mut self, goals: &Goals) {
        for profile in self.touched.drain(..) {
            self.is_touched[profile as usize] = false;
            self.slots[goals.wiring.profiles[profile as usize].slots()].fill(0);
        }
    }

    fn bump(&mut self, profile: Option<u32>, slots: &[u32], count: u64) {
        let Some(profile) = profile else { return };
        if slots.is_empty() || count == 0 {
            return;
        }
        if !std::mem::replace(&mut self.is_touched[profile as usize], true) {
            self.touched.push(profile);
        }
        for &slot in slots {
            let value = &mut self.slots[slot as usize];
            *value = value.wrapping_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::branch::Branch;
    use crate::sample::{Builder, Own, simple};

    #[test]
    fn what_is_counted_out_of_order_counts() {
        let mut builder = Builder::new();
        let (main, no, yes) = simple(&mut builder, "main", 1, "a.c");
        let mut counter = HitCounter::new(&builder.program);
        counter.enter_times(main, 2);
        counter.edge_times(no, 3);
        counter.set_rough();
        let hits = counter.take();
        assert!(!hits.is_exact());
        assert_eq!(
            (hits.functions.as_slice(), hits.edges.as_slice()),
            (&[(main, 2)][..], &[(no, 3)][..])
        );
        counter.edge(yes);
        let next = counter.take();
        assert!(next.is_exact() && next.functions.is_empty());
    }

    #[test]
    fn counts_are_those_of_profiles() {
        let mut builder = Builder::new();
        let (f, f_no, f_yes) = simple(&mut builder, "f", 1, "a.c");
        simple(&mut builder, "g", 2, "b.c");
        let goals = Goals::new(&builder.program, &Own(Branch));
        let zero = Counts::new(&goals);
        let counted = |functions: &[(FuncId, u64)], edges: &[(EdgeId, u64)]| {
            let mut counts = Counts::new(&goals);
            let hits = Hits {
                edges: edges.to_vec(),
                functions: functions.to_vec(),
                ..Hits::default()
            };
            counts.add(&goals, &hits);
            counts
        };
        let profile = |record, counters: &[u64]| {
            let mut counts = Counts::new(&goals);
            counts.add_profile(&goals, record, counters);
            counts
        };
        assert_eq!(profile(0, &[3, 1]), counted(&[(f, 3)], &[(f_yes, 1)]));
        assert_ne!(profile(0, &[3, 1]), profile(1, &[3, 1]));
        // Nothing is touched by an edge without counters, or by counters that are 0.
        assert_eq!(counted(&[], &[(f_no, 1)]), zero);
        assert_eq!(profile(0, &[0, 0]), zero);
        let mut counts = profile(1, &[1, 1]);
        assert_eq!(goals.covered(&counts).iter().count(), 1);
        counts.clear(&goals);
        assert_eq!(counts, zero);
        assert!(goals.covered(&counts).is_empty());
    }

    /// Counters that no record has are those of no other function: `g` was not entered, so its false side is -1 times.
    #[test]
    fn a_counter_beyond_its_record_is_none_of_the_next() {
        let mut builder = Builder::new();
        let (f, _, f_yes) = simple(&mut builder, "f", 1, "a.c");
        let beyond = builder.last().counters;
        builder.program.edges[f_yes].counters.push(beyond);
        let (_, _, g_yes) = simple(&mut builder, "g", 2, "b.c");
        let goals = Goals::new(&builder.program, &Own(Branch));
        let hits = Hits {
            edges: vec![(f_yes, 1), (g_yes, 1)],
            functions: vec![(f, 1)],
            ..Hits::default()
        };
        let covered = goals.covered_by(&hits);
        let covered: Vec<String> = covered.iter().map(|it| it.to_string()).collect();
        assert_eq!(covered, ["goal0", "goal2", "goal3"]);
    }
}
