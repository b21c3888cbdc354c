//! What a run leaves: its path, and the input as it was consumed.

use std::collections::{BTreeMap, BTreeSet};

use path::vars::{VALUES, var_of};
use path::{Class, Compared, Cond, InputVector, RunFlags, Step, Stream, Value, ValueType};
use program::{EdgeId, SpotId};
use smt::{Pool, Term, Var};

use crate::streams::Known;

/// The path of a run in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub steps: Vec<Step>,
    pub flags: RunFlags,
    /// Edges that were taken and functions that were entered where there are no steps, and how often.
    pub late_edges: Counts,
    pub late_functions: Counts,
    pub losses: BTreeMap<(SpotId, path::LossReason), u32>,
    /// See [`path::Run::compared`].
    pub compared: BTreeSet<Compared>,
    decisions: usize,
    /// Steps that are kept.
    most: usize,
}

/// How often, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(Vec<u64>);

impl Counts {
    fn add(&mut self, index: usize) {
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        self.0[index] += 1;
    }

    /// Those that are not 0, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let all = (0..).zip(&self.0);
        all.filter(|(_, count)| **count > 0)
            .map(|(index, count)| (index, *count))
    }
}

/// Steps for which there is room at the start, at least.
const FIRST_STEPS: usize = 64;

/// Texts that are told of one run.
const MOST_COMPARED: usize = 4096;

/// Decisions of a path that are kept, as of a native run.
const MOST_DECISIONS: usize = 1 << 16;

impl Record {
    /// `likely`: steps that the run may have.
    pub fn new(most: usize, likely: usize) -> Record {
        Record {
            most,
            steps: Vec::with_capacity(most.min(likely.max(FIRST_STEPS))),
            ..Record::default()
        }
    }

    #[inline]
    fn push(&mut self, step: Step) {
        if self.steps.len() < self.most && !self.flags.contains(RunFlags::EVENTS_TRUNCATED) {
            self.steps.push(step);
        } else {
            self.push_late(step);
        }
    }

    fn push_late(&mut self, step: Step) {
        if self.steps.len() >= self.most && !self.flags.contains(RunFlags::EVENTS_TRUNCATED) {
            self.fold();
            if self.steps.len() > self.most / 2 {
                self.flags.insert(RunFlags::EVENTS_TRUNCATED);
            }
        }
        if !self.flags.contains(RunFlags::EVENTS_TRUNCATED) {
            self.steps.push(step);
            return;
        }
        match step {
            Step::Edge { edge, .. } => self.late_edges.add(edge.index()),
            Step::Call(function) => self.late_functions.add(function.index()),
            _ => {}
        }
    }

    /// Takes what is not symbolic behind the last symbolic step off the path; calls that are still open stay, since a path says
    /// where the run is.
    fn fold(&mut self) {
        let is_concrete = |step: &Step| {
            matches!(
                step,
                Step::Edge { cond: None, .. } | Step::Call(_) | Step::Return(_)
            )
        };
        let start = self.steps.iter().rposition(|step| !is_concrete(step));
        let start = start.map_or(0, |last| last + 1);
        let mut open = Vec::new();
        for step in self.steps.drain(start..) {
            match (step, open.last()) {
                (Step::Edge { edge, .. }, _) => self.late_edges.add(edge.index()),
                // Calls that stay are counted where they stay.
                (Step::Return(_), Some(&Step::Call(function))) => {
                    self.late_functions.add(function.index());
                    open.pop();
                }
                (step, _) => open.push(step),
            }
        }
        self.steps.extend(open);
        self.flags.insert(RunFlags::FOLDED);
    }

    /// An edge was taken; `term` decided it.
    pub fn edge(&mut self, pool: &Pool, edge: EdgeId, term: Option<Term>) {
        let term = term.filter(|term| pool.is_symbolic(*term));
        let cond = term.filter(|_| self.admits()).map(|term| Cond { term });
        self.push(Step::Edge { edge, cond });
    }

    /// An edge was taken that depends on no input. (The step is made where it stands: one that two ways share is put together
    /// elsewhere and then moved, and the processor waits for that.)
    #[inline(always)]
    pub fn concrete_edge(&mut self, edge: EdgeId) {
        if self.steps.len() < self.most && !self.flags.contains(RunFlags::EVENTS_TRUNCATED) {
            self.steps.push(Step::Edge { edge, cond: None });
        } else {
            self.late_edge(edge);
        }
    }

    #[cold]
    #[inline(never)]
    fn late_edge(&mut self, edge: EdgeId) {
        self.push_late(Step::Edge { edge, cond: None });
    }

    fn admits(&mut self) -> bool {
        self.decisions += 1;
        let admitted = self.decisions <= MOST_DECISIONS;
        if !admitted {
            self.flags.insert(RunFlags::DECISIONS_TRUNCATED);
        }
        admitted
    }

    /// `term` is true on this run.
    pub fn constraint(&mut self, pool: &Pool, class: Class, spot: SpotId, term: Term) {
        if pool.is_symbolic(term) && self.admits() {
            self.push(Step::Constraint { class, spot, term });
        }
    }

    /// In place of this text of the input, another one is wanted.
    pub fn wants(&mut self, text: Box<[Term]>, wanted: Box<[u8]>) {
        if self.compared.len() < MOST_COMPARED {
            self.compared.insert(Compared { text, wanted });
        }
    }

    /// Symbolism was lost.
    pub fn lost(&mut self, spot: SpotId, reason: path::LossReason) {
        if reason.breaks_proof() {
            self.flags.insert(RunFlags::LOST);
        }
        *self.losses.entry((spot, reason)).or_default() += 1;
    }

    #[inline]
    pub fn step(&mut self, step: Step) {
        self.push(step);
    }
}

/// A stream, by its place in the input vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamId(pub u32);

/// The input vector of a run, consumed in order.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub vector: InputVector,
    next: usize,
    /// Values that the vector had.
    given: usize,
    /// By stream.
    known: Vec<Known>,
    /// Values that were asked for one by one.
    pub calls: u32,
    /// Nothing of it is symbolic.
    pub concrete: bool,
}

impl Inputs {
    pub fn new(vector: &InputVector) -> Inputs {
        let mut vector = vector.clone();
        for stream in &mut vector.streams {
            stream.used = 0;
        }
        let known = vector.streams.iter().map(Known::of).collect();
        Inputs {
            given: vector.values.len(),
            vector,
            next: 0,
            known,
            calls: 0,
            concrete: false,
        }
    }

    pub fn stream(&self, stream: StreamId) -> &Stream {
        &self.vector.streams[stream.0 as usize]
    }

    pub fn stream_mut(&mut self, stream: StreamId) -> &mut Stream {
        &mut self.vector.streams[stream.0 as usize]
    }

    pub fn known(&mut self, stream: StreamId) -> &mut Known {
        &mut self.known[stream.0 as usize]
    }

    /// The next value that the program asks for, with its variable.
    pub fn value(
        &mut self,
        pool: &mut Pool,
        kind: ValueType,
        name: &str,
        element: Option<u32>,
        c_type: &str,
    ) -> (u128, Term) {
        let index = self.next;
        self.next += 1;
        let bits = self.vector.values.get(index).map_or(0, |value| value.bits) & kind.mask();
        let is = |old: &Value| {
            let types = (old.kind, old.element) == (kind, element);
            types && *old.name == *name && *old.c_type == *c_type
        };
        match self.vector.values.get_mut(index) {
            // As in the run before.
            Some(old) if is(old) => old.bits = bits,
            old => {
                let value = Value {
                    kind,
                    name: name.into(),
                    element,
                    c_type: c_type.into(),
                    bits,
                };
                match old {
                    Some(old) => *old = value,
                    None => self.vector.values.push(value),
                }
            }
        }
        let var = var_of(VALUES, index as u32);
        (bits, self.term(pool, var, kind.bits(), bits))
    }

    /// What stands for a part of the input: its variable, or its value in a run with nothing symbolic.
    pub fn term(&self, pool: &mut Pool, var: Var, bits: u16, value: u128) -> Term {
        match self.concrete {
            true => pool.constant(bits, value),
            false => pool.var(var, bits),
        }
    }

    /// Whether the input has the next value.
    pub fn is_given(&self) -> bool {
        self.next < self.given
    }

    /// How many values were asked for.
    pub fn asked(&self) -> usize {
        self.next
    }

    /// The vector as it was consumed.
    pub fn finish(mut self) -> InputVector {
        self.vector.values.truncate(self.next);
        self.vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each edge was taken and each function entered, wherever the record says it.
    fn counts(most: usize) -> (BTreeMap<u32, u64>, BTreeMap<u32, u64>, RunFlags) {
        let mut record = Record::new(most, 0);
        let outer = program::FuncId::from_u32(0);
        record.step(Step::Call(outer));
        for round in 0..100 {
            let function = program::FuncId::from_u32(1 + round % 3);
            let edge = |edge| Step::Edge {
                edge: EdgeId::from_u32(edge),
                cond: None,
            };
            record.step(edge(round % 5));
            record.step(Step::Call(function));
            record.step(edge(5 + round % 2));
            record.step(Step::Return(function));
            if round == 60 {
                record.step(Step::Resume(outer));
            }
        }
        let (mut edges, mut functions) = (BTreeMap::new(), BTreeMap::new());
        for (late, counts) in [
            (&record.late_edges, &mut edges),
            (&record.late_functions, &mut functions),
        ] {
            counts.extend(late.iter());
        }
        for step in record.steps {
            match step {
                Step::Edge { edge, .. } => *edges.entry(edge.as_u32()).or_default() += 1,
                Step::Call(function) => *functions.entry(function.as_u32()).or_default() += 1,
                _ => {}
            }
        }
        (edges, functions, record.flags)
    }

    #[test]
    fn what_is_folded_or_cut_off_is_counted_once() {
        let (edges, functions, flags) = counts(1000);
        assert!(flags.is_empty());
        // Folded often; folded, then cut off behind what cannot be folded; cut off at once.
        for most in [64, 16, 8, 2] {
            let (again, entered, flags) = counts(most);
            assert_eq!(
                (again, entered),
                (edges.clone(), functions.clone()),
                "{most}"
            );
            assert!(flags.contains(RunFlags::FOLDED), "{most}");
        }
    }
}
