//! The invariants of definition 3.1, held against a graph.
//!
//! 1. The path of each state of a run has a solution.
//! 2. So has each condition, together with what its block does.
//! 3. No condition holds together with a state of a run at the same block.
//! 4. Each condition is connected with the start, and leads to a target.
//! 5. No edge of the frontier leads from a block at which its condition was looked at before.

use std::collections::BTreeSet;

use smt::Evaluator;

use super::{Gcfg, RState};

impl Gcfg<'_> {
    /// What is wrong with the graph, in words; nothing as a rule.
    pub fn check(&mut self) -> Vec<String> {
        let mut wrong = Vec::new();
        self.check_states(&mut wrong);
        self.check_conditions(&mut wrong);
        self.check_apart(&mut wrong);
        self.check_connected(&mut wrong);
        self.check_frontier(&mut wrong);
        wrong
    }

    fn check_states(&mut self, wrong: &mut Vec<String>) {
        let inputs: Vec<_> = self.inputs().map(path::InputVector::assignment).collect();
        for (id, state) in self.executed.iter() {
            let mut values = Evaluator::new(&self.search.language.pool, &inputs[state.run]);
            if state.path.iter().any(|term| values.value(*term) != 1) {
                wrong.push(format!("invariant 1: {id} is on no path"));
            }
        }
    }

    fn check_conditions(&mut self, wrong: &mut Vec<String>) {
        for id in self.conditions() {
            let mut state = self.reach[id].state.clone();
            state.model = None;
            if !self.search.may_hold(&mut state) {
                wrong.push(format!("invariant 2: {id} never holds"));
            }
        }
    }

    fn check_apart(&mut self, wrong: &mut Vec<String>) {
        let before = self.apart.clone();
        self.apart.clear();
        let conditions = self.conditions();
        let held = self.reach.clone();
        if self.met().is_some() || conditions != self.conditions() {
            let gone = conditions
                .into_iter()
                .filter(|id| !self.reach[*id].is_there);
            let names: Vec<String> = gone.map(|id| id.to_string()).collect();
            wrong.push(format!("invariant 3: a run meets {}", names.join(", ")));
        }
        self.reach = held;
        self.apart = before;
    }

    fn check_connected(&mut self, wrong: &mut Vec<String>) {
        let connected = self.connected();
        for id in self.shown() {
            if !connected.contains(&id) {
                wrong.push(format!("invariant 4: nothing leads to {id}"));
            }
            let mut at = id;
            while let Some(next) = self.reach[at].next {
                at = next;
            }
            let is_target = self.targets.get(&self.reach[at].target) == Some(&at);
            if !(is_target && self.reach[at].is_there) {
                wrong.push(format!("invariant 4: {id} leads to no target"));
            }
        }
    }

    fn check_frontier(&mut self, wrong: &mut Vec<String>) {
        for &(from, to) in &self.frontier {
            let key = (to, self.executed[from].block, self.calls_for(from, to));
            if self.analysed.contains_key(&key) {
                wrong.push(format!("invariant 5: {from} to {to} was looked at"));
            }
            if !self.is_compatible(from, to) {
                wrong.push(format!("call strings: {from} to {to}"));
            }
        }
    }

    fn conditions(&self) -> Vec<RState> {
        let reach = self.reach.iter();
        let there = reach.filter(|(_, reach)| reach.is_there);
        there.map(|(id, _)| id).collect()
    }

    /// Conditions that the frontier, or conditions in front of them, connect with the start.
    pub(super) fn connected(&self) -> BTreeSet<RState> {
        let mut found: BTreeSet<RState> = self.frontier.iter().map(|(_, to)| *to).collect();
        loop {
            let before = found.len();
            for ((next, ..), made) in &self.analysed {
                if made.is_some_and(|made| found.contains(&made)) && self.reach[*next].is_there {
                    found.insert(*next);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// The conditions of the graph: those that are connected. Others wait for a run that comes near.
    pub(super) fn shown(&self) -> Vec<RState> {
        let connected = self.connected();
        let there = self.conditions().into_iter();
        there.filter(|id| connected.contains(id)).collect()
    }
}
