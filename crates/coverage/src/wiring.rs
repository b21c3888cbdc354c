//! From edges and function entries to profile counters, and from these to the counts of regions.
//!
//! A *profile* is the set of counters that one (name, hash) has in the profile data: functions with the same name and
//! hash share it, as they do in `llvm-profdata`. A *slot* is a counter's place among those of all profiles.
//!
//! Must hold: counts are computed as `llvm-cov` computes them, in 64-bit two's complement without clamping: a
//! difference below 0 (it happens after `longjmp`) is a huge count there, and so it is here.

use std::collections::HashMap;
use std::ops::Range;

use program::{Counter, EdgeId, ExprOp, FuncId, FunctionCoverage, Program};

/// Lists, one for each index.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    /// Adds the list of the next index.
    pub fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }

    /// The list of an index; empty beyond the last.
    pub fn get(&self, index: usize) -> &[T] {
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..end as usize]
    }
}

/// Counters of one (name, hash).
#[derive(Clone, Debug)]
pub struct Profile {
    first: u32,
    counters: u32,
    /// Records that are counted by it: indices into [`Program::coverage`].
    pub records: Vec<u32>,
}

impl Profile {
    /// Its slots.
    pub const fn slots(&self) -> Range<usize> {
        self.first as usize..(self.first + self.counters) as usize
    }
}

/// The slots that each edge and each function entry counts in, and the counts made of them.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    pub profiles: Vec<Profile>,
    /// For each record, its profile.
    pub profile_of_record: Vec<u32>,
    /// Slots, by edge and by function.
    edges: Lists<u32>,
    entries: Lists<u32>,
    profile_of_function: Vec<Option<u32>>,
    /// For each edge, its function.
    function_of_edge: Vec<FuncId>,
}

impl Wiring {
    pub fn new(program: &Program) -> Wiring {
        let mut wiring = Wiring::default();
        wiring.add_profiles(program);
        wiring.profile_of_function = vec![None; program.functions.len()];
        for (record, profile) in program.coverage.iter().zip(&wiring.profile_of_record) {
            if let Some(function) = record.function {
                wiring.profile_of_function[function.index()] = Some(*profile);
            }
        }
        for (function, body) in program.functions.iter() {
            let slots = wiring.slots_of(function, &body.entry_counters);
            wiring.entries.push(slots);
        }
        for edge in program.edges.values() {
            let function = program.sites[edge.site].function;
            let slots = wiring.slots_of(function, &edge.counters);
            wiring.edges.push(slots);
            wiring.function_of_edge.push(function);
        }
        wiring
    }

    fn add_profiles(&mut self, program: &Program) {
        let mut known: HashMap<(&str, u64), u32> = HashMap::new();
        for (number, record) in (0u32..).zip(&program.coverage) {
            let next = self.profiles.len() as u32;
            let profile = *known.entry((&record.name, record.hash)).or_insert(next);
            if profile == next {
                self.profiles.push(Profile {
                    first: 0,
                    counters: 0,
                    records: Vec::new(),
                });
            }
            let entry = &mut self.profiles[profile as usize];
            entry.records.push(number);
            entry.counters = entry.counters.max(counters_in(record));
            self.profile_of_record.push(profile);
        }
        let mut first = 0;
        for profile in &mut self.profiles {
            profile.first = first;
            first += profile.counters;
        }
    }

    fn slots_of(&self, function: FuncId, counters: &[u32]) -> Vec<u32> {
        let Some(profile) = self.profile_of_function(function) else {
            return Vec::new();
        };
        let profile = &self.profiles[profile as usize];
        counters
            .iter()
            .filter(|counter| **counter < profile.counters)
            .map(|counter| profile.first + counter)
            .collect()
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.profiles.last().map_or(0, |last| last.slots().end)
    }

    pub fn profile_of_function(&self, function: FuncId) -> Option<u32> {
        self.profile_of_function
            .get(function.index())
            .copied()
            .flatten()
    }

    pub fn profile_of_edge(&self, edge: EdgeId) -> Option<u32> {
        self.profile_of_function(*self.function_of_edge.get(edge.index())?)
    }

    /// Slots that are incremented after an edge.
    pub fn of_edge(&self, edge: EdgeId) -> &[u32] {
        self.edges.get(edge.index())
    }

    /// Slots that are incremented at a function's entry.
    pub fn of_function(&self, function: FuncId) -> &[u32] {
        self.entries.get(function.index())
    }
}

fn counters_in(record: &FunctionCoverage) -> u32 {
    let beyond = |counter: Counter| match counter {
        Counter::Counter(index) => index.saturating_add(1),
        Counter::Zero | Counter::Expr(_) => 0,
    };
    let expressions = record.expressions.iter();
    expressions
        .flat_map(|expr| [beyond(expr.lhs), beyond(expr.rhs)])
        .fold(record.counters, u32::max)
}

/// The expressions of a record that some goal needs, in an order in which each comes after its operands.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    order: Vec<u32>,
}

impl Formulas {
    pub fn new(record: &FunctionCoverage, needed: impl IntoIterator<Item = Counter>) -> Formulas {
        let mut order = Vec::new();
        let mut seen = vec![false; record.expressions.len()];
        let mut stack = Vec::new();
        let index_of = |counter: Counter| match counter {
            Counter::Expr(index) if (index as usize) < record.expressions.len() => {
                Some((index, false))
            }
            _ => None,
        };
        for counter in needed {
            stack.extend(index_of(counter));
            while let Some((index, operands_done)) = stack.pop() {
                if operands_done {
                    order.push(index);
                } else if !std::mem::replace(&mut seen[index as usize], true) {
                    stack.push((index, true));
                    let expr = record.expressions[index as usize];
                    stack.extend(index_of(expr.lhs));
                    stack.extend(index_of(expr.rhs));
                }
            }
        }
        Formulas { order }
    }

    /// Computes the expressions into `values`, which then serves [`value`].
    pub fn evaluate(&self, record: &FunctionCoverage, counters: &[u64], values: &mut Vec<u64>) {
        values.clear();
        values.resize(record.expressions.len(), 0);
        for &index in &self.order {
            let expr = record.expressions[index as usize];
            let lhs = value(expr.lhs, counters, values);
            let rhs = value(expr.rhs, counters, values);
            values[index as usize] = match expr.op {
                ExprOp::Add => lhs.wrapping_add(rhs),
                ExprOp::Sub => lhs.wrapping_sub(rhs),
            };
        }
    }
}

/// The value of a counter, given those of the profile counters and of the expressions.
pub fn value(counter: Counter, counters: &[u64], expressions: &[u64]) -> u64 {
    match counter {
        Counter::Zero => 0,
        Counter::Counter(index) => counters.get(index as usize).copied().unwrap_or(0),
        Counter::Expr(index) => expressions.get(index as usize).copied().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Expr;

    #[test]
    fn operands_come_first_and_what_is_not_there_is_0() {
        let expr = |lhs, rhs| Expr {
            op: ExprOp::Sub,
            lhs,
            rhs,
        };
        let record = FunctionCoverage {
            expressions: vec![
                expr(Counter::Expr(1), Counter::Expr(3)),
                expr(Counter::Counter(0), Counter::Counter(1)),
                expr(Counter::Counter(9), Counter::Counter(0)),
            ],
            ..FunctionCoverage::default()
        };
        for (needed, order, expected) in [
            (0, &[1, 0][..], 3),
            (1, &[1], 3),
            (2, &[2], 5_u64.wrapping_neg()),
            (3, &[], 0),
        ] {
            let needed = Counter::Expr(needed);
            let formulas = Formulas::new(&record, [needed]);
            assert_eq!(formulas.order, order, "{needed:?}");
            let (counters, mut values) = ([5, 2], Vec::new());
            formulas.evaluate(&record, &counters, &mut values);
            assert_eq!(value(needed, &counters, &values), expected, "{needed:?}");
        }
    }
}
