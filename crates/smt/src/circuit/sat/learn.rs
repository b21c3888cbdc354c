//! Clauses from conflicts.

use super::implied::{CONFLICT, FALSE, IMPLIED, OPEN, PINS, TRUE};
use super::{HEADER, Lit, Reason, Solver, Watch};

/// Clauses over so few levels are kept.
const GLUE: u32 = 3;

impl Solver<'_> {
    /// Learns a clause from a conflict, goes back to the level at which it is a unit, and assigns that. The conflict is not at level 0.
    pub(super) fn learn(&mut self, conflict: Reason) {
        // The literal of the last level, in front, then all others.
        let mut clause = vec![Lit(0)];
        let mut touched = Vec::new();
        let mut why = Vec::new();
        let (mut reason, mut implied) = (conflict, None);
        let (mut open, mut place) = (0, self.trail.len());
        let here = self.levels.len() as u32;
        loop {
            why.clear();
            self.explain(reason, implied, &mut why);
            for &lit in &why {
                let variable = lit.variable();
                let level = self.assigned[variable].level;
                if self.seen[variable] || level == 0 {
                    continue;
                }
                self.seen[variable] = true;
                touched.push(variable);
                self.order.bump(variable as u32);
                if level == here {
                    open += 1;
                } else {
                    clause.push(!lit);
                }
            }
            let lit = loop {
                place -= 1;
                let lit = self.trail[place];
                if self.seen[lit.variable()] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                clause[0] = !lit;
                break;
            }
            (reason, implied) = (self.assigned[lit.variable()].reason, Some(lit));
        }
        let mut at = 1;
        while at < clause.len() {
            if self.follows(!clause[at], &mut why) {
                clause.swap_remove(at);
            } else {
                at += 1;
            }
        }
        for variable in touched {
            self.seen[variable] = false;
        }
        self.order.decay();
        let level = |lit: &Lit| self.assigned[lit.variable()].level;
        let mut levels: Vec<u32> = clause.iter().map(level).collect();
        let second = (1..clause.len()).max_by_key(|&at| levels[at]);
        let back = second.map_or(0, |at| levels[at]);
        if let Some(at) = second {
            clause.swap(1, at);
        }
        levels.sort_unstable();
        levels.dedup();
        self.cancel(back as usize);
        let reason = match clause.len() {
            1 => Reason::Decision,
            _ => Reason::Clause(self.add(&clause, levels.len() as u32)),
        };
        self.assign(clause[0], reason);
    }

    /// Whether a literal that holds follows from others that the conflict was seen to need.
    fn follows(&self, lit: Lit, why: &mut Vec<Lit>) -> bool {
        let reason = self.assigned[lit.variable()].reason;
        if reason == Reason::Decision {
            return false;
        }
        why.clear();
        self.explain(reason, Some(lit), why);
        why.iter().all(|lit| {
            let variable = lit.variable();
            self.seen[variable] || self.assigned[variable].level == 0
        })
    }

    /// Literals that hold and imply one, or a conflict.
    fn explain(&self, reason: Reason, implied: Option<Lit>, why: &mut Vec<Lit>) {
        match reason {
            Reason::Decision => {}
            Reason::Clause(place) => {
                let lits = self.literals(place);
                why.extend(lits.filter(|lit| Some(*lit) != implied).map(|lit| !lit));
            }
            Reason::Gate(place) => self.explain_gate(place, implied, why),
        }
    }

    /// As few of a gate's bits as are enough. A bit counts only if it was known before what it is to imply.
    fn explain_gate(&self, place: u32, implied: Option<Lit>, why: &mut Vec<Lit>) {
        let node = &self.nodes[place as usize];
        let all = &IMPLIED[node.kind as usize];
        let before = implied.map_or(u32::MAX, |lit| self.assigned[lit.variable()].place);
        let mut state = 0;
        for (at, pin) in node.pins.iter().enumerate() {
            let value = self.values[pin.index()];
            if value != OPEN && self.assigned[pin.variable()].place < before {
                state |= value << (2 * at);
            }
        }
        let is_enough = |state: u8| {
            let entry = all[usize::from(state)];
            let mut pins = node.pins.iter().enumerate();
            match implied {
                _ if entry == CONFLICT => true,
                Some(lit) => pins.any(|(at, &pin)| {
                    (pin == lit && entry >> at & 1 == 1)
                        || (pin == !lit && entry >> (at + PINS) & 1 == 1)
                }),
                None => false,
            }
        };
        for at in 0..PINS {
            let fewer = state & !(3 << (2 * at));
            if fewer != state && is_enough(fewer) {
                state = fewer;
            }
        }
        for (at, &pin) in node.pins.iter().enumerate() {
            match state >> (2 * at) & 3 {
                TRUE => why.push(pin),
                FALSE => why.push(!pin),
                _ => {}
            }
        }
    }

    fn literals(&self, place: u32) -> impl Iterator<Item = Lit> {
        let place = place as usize;
        let length = self.clauses[place] as usize;
        let lits = &self.clauses[place + HEADER..place + HEADER + length];
        lits.iter().map(|&lit| Lit(lit))
    }

    /// A clause of at least two literals; its place.
    fn add(&mut self, lits: &[Lit], glue: u32) -> u32 {
        let place = self.clauses.len() as u32;
        self.clauses.extend([lits.len() as u32, glue]);
        self.clauses.extend(lits.iter().map(|lit| lit.0));
        self.learned += 1;
        for (lit, other) in [(lits[0], lits[1]), (lits[1], lits[0])] {
            self.watches[(!lit).index()].push(Watch {
                clause: place,
                other,
            });
        }
        place
    }

    /// Forgets half of the learned clauses, those over many levels first; at level 0, all of it propagated. `false`: one cannot hold.
    pub(super) fn forget(&mut self) -> bool {
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(self.learned);
        let mut place = 0;
        while place < self.clauses.len() {
            all.push((self.clauses[place + 1], place as u32));
            place += HEADER + self.clauses[place] as usize;
        }
        let mut glues: Vec<u32> = all.iter().map(|clause| clause.0).collect();
        let half = glues.len() / 2;
        let most = *glues.select_nth_unstable(half).1;
        let most = most.max(GLUE);
        all.retain(|clause| clause.0 <= GLUE || clause.0 < most);
        let kept: Vec<(u32, Vec<Lit>)> = (all.iter())
            .filter(|clause| {
                self.literals(clause.1)
                    .all(|lit| self.values[lit.index()] != TRUE)
            })
            .map(|&(glue, place)| {
                let lits = self.literals(place);
                let open = lits.filter(|lit| self.values[lit.index()] == OPEN);
                (glue, open.collect())
            })
            .collect();
        self.clauses.clear();
        self.learned = 0;
        self.most_learned += super::MORE_LEARNED;
        for watches in &mut self.watches {
            watches.clear();
        }
        for (glue, lits) in kept {
            match lits.len() {
                0 => return false,
                1 => {
                    if !self.must(lits[0]) {
                        return false;
                    }
                }
                _ => {
                    self.add(&lits, glue);
                }
            }
        }
        true
    }
}
