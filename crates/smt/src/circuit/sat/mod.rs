//! A SAT solver on gates.
//!
//! Charter: a gate is propagated as it is, in both directions, by what the known ones of its bits imply ([`implied`]). Only what is
//! learned from conflicts is a clause. So a search begins when the circuit has been made: clauses for all gates would take several
//! times as long as a short search. Decisions are by activity ([`order`]), and first what the hint has; learning is by the first
//! unique implication point.
//!
//! Must hold: the same circuit and limits give the same answer. What propagates is the circuit and what follows from it; assumptions
//! are decisions.

mod implied;
mod learn;
mod order;

use super::gates::{Bit, Gate, Gates};
use implied::{CONFLICT, FALSE, IMPLIED, Kind, OPEN, PINS, State, TRUE};
use order::Order;

/// Conflicts for one input more that is as under the hint.
const NEARER_CONFLICTS: u64 = 20;
/// Propagations for all of them, if the first model took no more.
const NEARER_PROPAGATIONS: u64 = 100_000;
/// Conflicts between restarts, times a number of Luby's sequence.
const RESTART: u64 = 64;
/// So many learned clauses are kept at first; by how many more each time.
const MOST_LEARNED: usize = 2_000;
const MORE_LEARNED: usize = 500;
/// Decisions and conflicts between two looks at whether to stop.
const STOP_STEPS: u64 = 256;

/// What the SAT solver says.
pub(super) enum Answer {
    Sat(Model),
    Unsat,
    Spent,
}

/// Bits under which all roots hold.
pub(super) struct Model {
    /// Of each gate; `None`: the roots do not need it.
    bits: Vec<Option<bool>>,
}

impl Model {
    /// The bit in the model; where the roots do not need it, as it is under the hint.
    pub(super) fn value(&self, gates: &Gates, bit: Bit) -> bool {
        match self.bits[bit.gate() as usize] {
            Some(value) => value ^ bit.is_complement(),
            None => gates.value(bit),
        }
    }
}

/// Whether all roots can be 1. Of `inputs`, as many as a short search can are as they are under the hint.
pub(super) fn solve(
    gates: &Gates,
    roots: &[Bit],
    inputs: &[&[Bit]],
    conflicts: u64,
    stopped: &dyn Fn() -> bool,
) -> Answer {
    let needed = Needed::by(gates, roots);
    let mut solver = Solver::new(gates, &needed, stopped);
    for &root in roots {
        let holds = match root.known() {
            Some(value) => value,
            None => solver.must(needed.literal(root)),
        };
        if !holds {
            return Answer::Unsat;
        }
    }
    match solver.search(&[], conflicts) {
        Found::Model => {
            nearer(&mut solver, &needed, gates, inputs);
            Answer::Sat(Model {
                bits: (needed.variables.iter())
                    .map(|&variable| {
                        let is_needed = variable != MISSING;
                        is_needed.then(|| solver.model[variable as usize])
                    })
                    .collect(),
            })
        }
        Found::Nothing => Answer::Unsat,
        Found::Spent => Answer::Spent,
    }
}

/// Makes the model one in which no more inputs differ from the hint than need to, as far as a short search can tell. What keeps the
/// values of the run keeps what the run did behind this place, too: a solver's own model fills a field to its end as soon as not.
fn nearer(solver: &mut Solver<'_>, needed: &Needed, gates: &Gates, inputs: &[&[Bit]]) {
    let as_hinted = |input: &[Bit]| -> Vec<Lit> {
        let own = input.iter().filter(|bit| needed.has(**bit));
        own.map(|&bit| needed.literal(if gates.value(bit) { bit } else { !bit }))
            .collect()
    };
    let is_kept = |lit: &Lit| solver.model[lit.variable()] != lit.is_negated();
    let (kept, changed): (Vec<_>, Vec<_>) = (inputs.iter())
        .map(|input| as_hinted(input))
        .partition(|lits| lits.iter().all(is_kept));
    let mut kept = kept.concat();
    let began = solver.propagations;
    let most = began.max(NEARER_PROPAGATIONS);
    for input in changed {
        if solver.propagations - began > most {
            break;
        }
        let before = kept.len();
        kept.extend(input);
        if solver.search(&kept, NEARER_CONFLICTS) != Found::Model {
            kept.truncate(before);
        }
    }
}

const MISSING: u32 = u32::MAX;

/// The gates that the roots need are the solver's variables, in their order.
struct Needed {
    gates: Vec<u32>,
    /// Of each gate.
    variables: Vec<u32>,
}

impl Needed {
    fn by(all: &Gates, roots: &[Bit]) -> Needed {
        let mut is_needed = vec![false; all.len()];
        for root in roots {
            is_needed[root.gate() as usize] = true;
        }
        // Operands are older.
        for gate in (1..all.len()).rev() {
            if is_needed[gate] {
                for operand in operands(all.gate(gate as u32)).1 {
                    is_needed[operand.gate() as usize] = true;
                }
            }
        }
        is_needed[0] = false;
        let mut variables = vec![MISSING; all.len()];
        let mut gates = Vec::new();
        for (gate, _) in is_needed.iter().enumerate().filter(|(_, is)| **is) {
            variables[gate] = gates.len() as u32;
            gates.push(gate as u32);
        }
        Needed { gates, variables }
    }

    fn has(&self, bit: Bit) -> bool {
        self.variables[bit.gate() as usize] != MISSING
    }

    fn literal(&self, bit: Bit) -> Lit {
        Lit::new(self.variables[bit.gate() as usize], bit.is_complement())
    }
}

/// Those that a gate does not have are those of the constant.
fn operands(gate: Gate) -> (Kind, [Bit; PINS - 1]) {
    let none = Bit::FALSE;
    match gate {
        Gate::Zero | Gate::Input => (Kind::Input, [none; 3]),
        Gate::And(a, b) => (Kind::And, [a, b, none]),
        Gate::Xor(a, b) => (Kind::Xor, [a, b, none]),
        Gate::Choice(s, a, b) => (Kind::Choice, [s, a, b]),
        Gate::Majority(a, b, c) => (Kind::Majority, [a, b, c]),
    }
}

/// A variable, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lit(u32);

impl Lit {
    fn new(variable: u32, is_negated: bool) -> Lit {
        Lit(variable << 1 | u32::from(is_negated))
    }

    fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// A gate as it is propagated.
#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    /// Its own bit, and its operands; what it does not have is a literal that nobody assigns.
    pins: [Lit; PINS],
}

impl Node {
    fn operands(&self) -> &[Lit] {
        let count = match self.kind {
            Kind::Input => 0,
            Kind::And | Kind::Xor => 2,
            Kind::Choice | Kind::Majority => 3,
        };
        &self.pins[1..=count]
    }
}

/// Why a literal holds, or cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    /// It was decided.
    Decision,
    Gate(u32),
    /// The place of a learned clause.
    Clause(u32),
}

/// A clause that a literal's end may make a unit.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of it: if it holds, the clause does.
    other: Lit,
}

/// A variable that has a value.
#[derive(Clone, Copy)]
struct Assigned {
    level: u32,
    /// On the trail.
    place: u32,
    reason: Reason,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Model,
    /// There is none, under the assumptions.
    Nothing,
    Spent,
}

struct Solver<'a> {
    nodes: Vec<Node>,
    /// The nodes that read variable `v` are `readers[first[v]..first[v + 1]]`.
    readers: Vec<u32>,
    first: Vec<u32>,
    /// Of each literal.
    values: Vec<u8>,
    assigned: Vec<Assigned>,
    trail: Vec<Lit>,
    /// Where on the trail each level begins, from the first one.
    levels: Vec<usize>,
    /// What stands behind it on the trail has not been propagated.
    head: usize,
    /// Learned clauses, one behind the other: length, glue, literals. The first two are watched.
    clauses: Vec<u32>,
    learned: usize,
    most_learned: usize,
    /// Of each literal: clauses that watch its complement.
    watches: Vec<Vec<Watch>>,
    order: Order,
    /// Of each variable: as it is under the hint.
    phases: Vec<bool>,
    /// The last one found.
    model: Vec<bool>,
    /// The assumptions of the search before: those that come again need no propagation.
    assumed: Vec<Lit>,
    seen: Vec<bool>,
    propagations: u64,
    stopped: &'a dyn Fn() -> bool,
}

/// Length and glue.
const HEADER: usize = 2;

impl<'a> Solver<'a> {
    fn new(gates: &Gates, needed: &Needed, stopped: &'a dyn Fn() -> bool) -> Solver<'a> {
        let count = needed.gates.len();
        let nobody = Lit::new(count as u32, false);
        let pin = |bit: Bit| match needed.variables[bit.gate() as usize] {
            MISSING => nobody,
            variable => Lit::new(variable, bit.is_complement()),
        };
        let nodes: Vec<Node> = (needed.gates.iter())
            .map(|&gate| {
                let (kind, [a, b, c]) = operands(gates.gate(gate));
                let own = Bit::of_gate(gate);
                Node {
                    kind,
                    pins: [pin(own), pin(a), pin(b), pin(c)],
                }
            })
            .collect();
        let mut first = vec![0; count + 1];
        for pin in nodes.iter().flat_map(Node::operands) {
            first[pin.variable() + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut readers = vec![0; first[count] as usize];
        let mut next = first.clone();
        for (place, node) in nodes.iter().enumerate() {
            for pin in node.operands() {
                let next = &mut next[pin.variable()];
                readers[*next as usize] = place as u32;
                *next += 1;
            }
        }
        let open = Assigned {
            level: 0,
            place: 0,
            reason: Reason::Decision,
        };
        Solver {
            nodes,
            readers,
            first,
            values: vec![OPEN; 2 * count + 2],
            assigned: vec![open; count],
            trail: Vec::with_capacity(count),
            levels: Vec::new(),
            head: 0,
            clauses: Vec::new(),
            learned: 0,
            most_learned: MOST_LEARNED,
            watches: vec![Vec::new(); 2 * count],
            order: Order::new(count),
            phases: (needed.gates.iter())
                .map(|&gate| gates.value(Bit::of_gate(gate)))
                .collect(),
            model: Vec::new(),
            assumed: Vec::new(),
            seen: vec![false; count],
            propagations: 0,
            stopped,
        }
    }

    /// Whether a literal can hold always.
    fn must(&mut self, lit: Lit) -> bool {
        match self.values[lit.index()] {
            OPEN => {
                self.assign(lit, Reason::Decision);
                true
            }
            value => value == TRUE,
        }
    }

    /// Looks for a model in which the assumptions hold, which has all that hold always.
    fn search(&mut self, assumptions: &[Lit], conflicts: u64) -> Found {
        let same = (self.assumed.iter().zip(assumptions)).take_while(|(a, b)| a == b);
        let same = same.count();
        self.cancel(same);
        self.assumed = assumptions.to_vec();
        let (mut met, mut restarts, mut steps) = (0, 1, 0);
        let mut until = RESTART * luby(restarts);
        loop {
            if let Some(conflict) = self.propagate() {
                if self.levels.is_empty() {
                    return Found::Nothing;
                }
                met += 1;
                self.learn(conflict);
            } else if met >= conflicts {
                return Found::Spent;
            } else if met >= until {
                restarts += 1;
                until = met + RESTART * luby(restarts);
                self.cancel(assumptions.len());
                if self.learned > self.most_learned {
                    self.cancel(0);
                    if !self.forget() {
                        return Found::Nothing;
                    }
                }
            } else if let Some(&lit) = assumptions.get(self.levels.len()) {
                if self.values[lit.index()] == FALSE {
                    return Found::Nothing;
                }
                self.levels.push(self.trail.len());
                if self.values[lit.index()] == OPEN {
                    self.assign(lit, Reason::Decision);
                }
            } else if let Some(lit) = self.decision() {
                self.levels.push(self.trail.len());
                self.assign(lit, Reason::Decision);
            } else {
                let value = |variable: usize| self.values[2 * variable] == TRUE;
                self.model = (0..self.nodes.len()).map(value).collect();
                return Found::Model;
            }
            steps += 1;
            if steps % STOP_STEPS == 0 && (self.stopped)() {
                return Found::Spent;
            }
        }
    }

    /// `None`: all variables have a value.
    fn decision(&mut self) -> Option<Lit> {
        if self.trail.len() == self.nodes.len() {
            return None;
        }
        loop {
            let variable = self.order.pop()?;
            let lit = Lit::new(variable, !self.phases[variable as usize]);
            if self.values[lit.index()] == OPEN {
                return Some(lit);
            }
        }
    }

    fn assign(&mut self, lit: Lit, reason: Reason) {
        self.values[lit.index()] = TRUE;
        self.values[(!lit).index()] = FALSE;
        self.assigned[lit.variable()] = Assigned {
            level: self.levels.len() as u32,
            place: self.trail.len() as u32,
            reason,
        };
        self.trail.push(lit);
    }

    /// Takes back all levels behind so many.
    fn cancel(&mut self, levels: usize) {
        if self.levels.len() <= levels {
            return;
        }
        let from = self.levels[levels];
        for &lit in &self.trail[from..] {
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
            self.order.insert(lit.variable() as u32);
        }
        self.trail.truncate(from);
        self.levels.truncate(levels);
        self.head = from;
    }

    /// All that follows; the reason of a conflict.
    fn propagate(&mut self) -> Option<Reason> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            self.propagations += 1;
            let variable = lit.variable();
            let conflict = self.visit(variable as u32);
            if conflict.is_some() {
                return conflict;
            }
            for at in self.first[variable]..self.first[variable + 1] {
                let conflict = self.visit(self.readers[at as usize]);
                if conflict.is_some() {
                    return conflict;
                }
            }
            let conflict = self.visit_clauses(lit);
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// What is known of a node's bits.
    fn state(&self, node: &Node) -> State {
        let [z, a, b, c] = node.pins.map(|pin| self.values[pin.index()]);
        z | a << 2 | b << 4 | c << 6
    }

    fn visit(&mut self, place: u32) -> Option<Reason> {
        let node = self.nodes[place as usize];
        let implied = IMPLIED[node.kind as usize][usize::from(self.state(&node))];
        if implied == 0 {
            return None;
        }
        let reason = Reason::Gate(place);
        if implied == CONFLICT {
            return Some(reason);
        }
        for (at, &pin) in node.pins.iter().enumerate() {
            let lit = match (implied >> at & 1, implied >> (at + PINS) & 1) {
                (1, _) => pin,
                (_, 1) => !pin,
                _ => continue,
            };
            match self.values[lit.index()] {
                OPEN => self.assign(lit, reason),
                TRUE => {}
                // Two pins are the same variable.
                _ => return Some(reason),
            }
        }
        None
    }

    /// The clauses that watch the complement of a literal that holds now.
    fn visit_clauses(&mut self, lit: Lit) -> Option<Reason> {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let (mut kept, mut at, mut conflict) = (0, 0, None);
        'watches: while at < watches.len() {
            let watch = watches[at];
            at += 1;
            if self.values[watch.other.index()] == TRUE {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            let place = watch.clause as usize;
            let length = self.clauses[place] as usize;
            let lits = &mut self.clauses[place + HEADER..place + HEADER + length];
            let gone = (!lit).0;
            if lits[0] == gone {
                lits.swap(0, 1);
            }
            let first = Lit(lits[0]);
            let watch = Watch {
                clause: watch.clause,
                other: first,
            };
            if self.values[first.index()] != TRUE {
                for next in 2..length {
                    let other = Lit(lits[next]);
                    if self.values[other.index()] != FALSE {
                        lits.swap(1, next);
                        self.watches[(!other).index()].push(watch);
                        continue 'watches;
                    }
                }
            }
            watches[kept] = watch;
            kept += 1;
            match self.values[first.index()] {
                TRUE => {}
                OPEN => self.assign(first, Reason::Clause(watch.clause)),
                _ => {
                    conflict = Some(Reason::Clause(watch.clause));
                    break;
                }
            }
        }
        watches.drain(kept..at);
        self.watches[lit.index()] = watches;
        conflict
    }
}

/// Luby's sequence, from 1: 1, 1, 2, 1, 1, 2, 4, ...
fn luby(mut at: u64) -> u64 {
    loop {
        let bits = u64::BITS - at.leading_zeros();
        if at == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        at -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests;
