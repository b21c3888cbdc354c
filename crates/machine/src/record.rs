//! What a run leaves: its path, and the input as it was consumed.

use path::vars::{LENGTH, VALUES, var_of};
use path::{Class, Cond, InputVector, RunFlags, Step, Value, ValueType};
use program::{EdgeId, SpotId};
use smt::{Pool, Term};

/// The path of a run in the making.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub steps: Vec<Step>,
    pub flags: RunFlags,
    pub late_edges: Vec<EdgeId>,
    pub late_functions: Vec<program::FuncId>,
    pub losses: std::collections::BTreeMap<(SpotId, path::LossReason), u32>,
    decisions: usize,
    /// Steps that are kept.
    most: usize,
}

/// Decisions of a path that are kept, as of a native run.
const MOST_DECISIONS: usize = 1 << 16;

impl Record {
    pub fn new(most: usize) -> Record {
        Record {
            most,
            ..Record::default()
        }
    }

    fn push(&mut self, step: Step) {
        if self.steps.len() < self.most {
            self.steps.push(step);
            return;
        }
        self.flags.insert(RunFlags::EVENTS_TRUNCATED);
        match step {
            Step::Edge { edge, .. } if !self.late_edges.contains(&edge) => {
                self.late_edges.push(edge);
            }
            Step::Call(function) if !self.late_functions.contains(&function) => {
                self.late_functions.push(function);
            }
            _ => {}
        }
    }

    /// An edge was taken; `term` decided it.
    pub fn edge(&mut self, pool: &Pool, edge: EdgeId, term: Option<Term>) {
        let term = term.filter(|term| pool.is_symbolic(*term));
        let cond = term.filter(|_| self.admits()).map(|term| Cond { term });
        self.push(Step::Edge { edge, cond });
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

    /// Symbolism was lost.
    pub fn lost(&mut self, spot: SpotId, reason: path::LossReason) {
        if reason.breaks_proof() {
            self.flags.insert(RunFlags::LOST);
        }
        *self.losses.entry((spot, reason)).or_default() += 1;
    }

    pub fn step(&mut self, step: Step) {
        self.push(step);
    }
}

/// The input vector of a run, consumed in order.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    pub vector: InputVector,
    next: usize,
    /// Position in each stream, by its place in the vector.
    pub positions: Vec<u32>,
}

impl Inputs {
    pub fn new(vector: &InputVector) -> Inputs {
        let mut vector = vector.clone();
        for stream in &mut vector.streams {
            stream.used = 0;
        }
        let positions = vec![0; vector.streams.len()];
        Inputs {
            vector,
            next: 0,
            positions,
        }
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
        let value = Value {
            kind,
            name: name.into(),
            element,
            c_type: c_type.into(),
            bits,
        };
        match self.vector.values.get_mut(index) {
            Some(old) => *old = value,
            None => self.vector.values.push(value),
        }
        let var = var_of(VALUES, index as u32);
        (bits, pool.var(var, kind.bits()))
    }

    /// How many values were asked for.
    pub fn asked(&self) -> usize {
        self.next
    }

    /// Bits of the length variable of a stream.
    pub fn length(&self, pool: &mut Pool, stream: usize) -> Option<Term> {
        let stream = &self.vector.streams[stream];
        (stream.min != stream.max).then(|| pool.var(var_of(stream.id, LENGTH), 32))
    }

    /// The vector as it was consumed.
    pub fn finish(mut self) -> InputVector {
        self.vector.values.truncate(self.next);
        self.vector
    }
}
