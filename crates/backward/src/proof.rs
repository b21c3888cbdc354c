//! Goals that are refuted, and why.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use coverage::relevance::never_counted;
use coverage::{DecisionId, Evidence, GoalId, Goals, Relevance, Side, Touch, Vector};
use program::dom::{EdgeDominators, edge_dominators};
use program::flow::{FlowGraph, NodeId};
use program::stops::{Stops, Sure};
use program::{EdgeId, FuncId, Program};
use smt::{Layer, Pool, Solver};

use crate::assertions;
use crate::coupling::{self, Conflict, Possible};
use crate::edges::{Because, Impossible, Unreached, impossible, unreached};
use proof::Fact;
use proof::assertion::Invariant;
use proof::standing::Claims;
use proof::vc::{Frame, Places};

/// What may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Queries of which the decision procedure itself is asked.
    pub checks: u64,
    /// Memory of the terms of one function, in terms.
    pub terms: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            checks: 2000,
            terms: 1 << 20,
        }
    }
}

/// Why no input covers a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// This edge is on every way to it, and no state takes it.
    Dead(Conflict),
    /// Such edges are on every way to it; no single one is.
    Behind,
    /// This edge is on every way to it, and no value that the variables can have takes it.
    Values {
        edge: EdgeId,
        reason: values::Reason,
    },
    /// Nothing calls its function.
    NeverCalled(FuncId),
    /// The conditions of its decision are coupled: these vectors alone may happen, because of these conflicts and of these edges that
    /// no value takes.
    Coupled {
        decision: DecisionId,
        possible: Vec<Vector>,
        conflicts: Vec<Conflict>,
        by_values: BTreeMap<EdgeId, values::Reason>,
    },
}

/// A goal that is refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub goal: GoalId,
    pub why: Why,
}

/// The goals that are refuted, each with its reason.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// In the order of goals.
    pub all: Vec<Proof>,
    /// Edges that no run takes, and those that only they lead to.
    pub dead: BTreeSet<EdgeId>,
    /// What was refuted by itself, in order.
    pub facts: Vec<Fact>,
    /// What proofs of the value analysis rest on, if it can be written down.
    pub invariant: Option<Invariant>,
    /// Control comes only from where the model says: the value analysis met nothing that would break in.
    pub ordered: bool,
    /// Where runs do not end, as the value analysis knows.
    pub sure: Sure,
    /// What the value analysis says of any time, for those that rest on it.
    pub standing: Option<Claims>,
    /// Not everything was looked at: a limit was reached.
    pub cut: bool,
}

impl Proofs {
    /// The proof for a goal.
    #[must_use]
    pub fn of(&self, goal: GoalId) -> Option<&Proof> {
        let found = self.all.binary_search_by_key(&goal, |proof| proof.goal);
        found.ok().map(|at| &self.all[at])
    }
}

/// Looks for goals that no input covers. `foreign`: the program is linked with code that is not in the model; `known`: what the value
/// analysis says of the program.
#[must_use]
pub fn prove(
    program: &Program,
    goals: &Goals,
    foreign: bool,
    known: &values::Analysis,
    solver: &mut Solver,
    limits: Limits,
) -> Proofs {
    let shared = proof::is_shared(program, foreign);
    let mut prover = Prover {
        program,
        goals,
        shared,
        known,
        solver,
        limits,
        dead: BTreeMap::new(),
        unreached: BTreeMap::new(),
        contradicted: BTreeMap::new(),
        coupled: BTreeMap::new(),
        cut: false,
        facts: Vec::new(),
        dominators: OnceCell::new(),
    };
    for (function, records) in wanted(program, goals) {
        prover.function(function, &records);
    }
    let mut proofs = prover.proofs();
    let by_values = |why: &Why| match why {
        Why::Values { .. } | Why::NeverCalled(_) | Why::Behind => true,
        Why::Coupled { by_values, .. } => !by_values.is_empty(),
        Why::Dead(_) => false,
    };
    if proofs.all.iter().any(|proof| by_values(&proof.why)) {
        let picture = known.picture.as_ref();
        proofs.invariant = picture.map(|picture| assertions::of(program, picture));
        proofs.standing = assertions::at_any_time(program, known);
    }
    proofs
}

/// Functions that have goals, and their records.
fn wanted(program: &Program, goals: &Goals) -> BTreeMap<FuncId, BTreeSet<u32>> {
    let mut wanted: BTreeMap<FuncId, BTreeSet<u32>> = BTreeMap::new();
    for (_, goal) in goals.iter() {
        if let Some(function) = program.coverage[goal.record as usize].function {
            wanted.entry(function).or_default().insert(goal.record);
        }
    }
    wanted
}

struct Prover<'a> {
    program: &'a Program,
    goals: &'a Goals,
    shared: bool,
    known: &'a values::Analysis,
    solver: &'a mut Solver,
    limits: Limits,
    dead: BTreeMap<EdgeId, Because>,
    unreached: BTreeMap<FuncId, Unreached>,
    /// The same by contradictions alone.
    contradicted: BTreeMap<FuncId, Unreached>,
    coupled: BTreeMap<DecisionId, Possible>,
    cut: bool,
    facts: Vec<Fact>,
    dominators: OnceCell<EdgeDominators>,
}

/// What is impossible in a function, as certificates name it.
fn facts(function: FuncId, impossible: &Impossible) -> Vec<Fact> {
    let edges = impossible.edges.keys().map(|edge| Fact::Edge {
        edge: edge.as_u32(),
    });
    let blocks = impossible.blocks.keys().map(|block| Fact::Block {
        function: function.as_u32(),
        block: block.as_u32(),
    });
    edges.chain(blocks).collect()
}

impl Prover<'_> {
    fn function(&mut self, function: FuncId, records: &BTreeSet<u32>) {
        let Limits { checks, terms } = self.limits;
        let body = &self.program.functions[function];
        if body.blocks.is_empty() || body.library {
            return;
        }
        let mut pool = Pool::new();
        let mut frame = Frame::new(self.program, body, &mut pool);
        let places = Places::new(self.program, function);
        let asked = |solver: &Solver| {
            let stats = solver.stats();
            stats.count(Layer::Circuit) + stats.count(Layer::Backend) < checks
        };
        let mut dead = impossible(&mut frame, &places, self.shared, self.solver, &asked);
        self.facts.extend(facts(function, &dead));
        self.dead.extend(dead.edges.clone());
        if !dead.is_empty() && !self.known.blockers.is_empty() {
            let unreached = unreached(self.program, function, &dead);
            self.contradicted.insert(function, unreached);
        }
        let edges = self.known.dead.keys().copied();
        let own = edges.filter(|edge| self.program.function_of(*edge) == function);
        dead.edges.extend(own.map(|edge| (edge, Because::new())));
        if !dead.is_empty() {
            self.unreached
                .insert(function, unreached(self.program, function, &dead));
        }
        let decisions = self.goals.decisions();
        for id in self.wanted_decisions(records) {
            if !asked(self.solver) || frame.pool.len() > terms {
                self.cut = true;
                return;
            }
            let found = coupling::possible(
                &mut frame,
                &places,
                self.shared,
                self.solver,
                (decisions, id),
                &self.known.dead,
            );
            if let Some(possible) = found.filter(|found| !found.is_everything()) {
                self.coupled.insert(id, possible);
            }
        }
        self.cut |= !asked(self.solver);
    }

    /// Decisions that goals of these records ask for.
    fn wanted_decisions(&self, records: &BTreeSet<u32>) -> BTreeSet<DecisionId> {
        let records = records.iter();
        let goals = records.flat_map(|record| self.goals.of_record(*record));
        let asked = goals.filter_map(|goal| match self.goals.get(goal).evidence {
            Evidence::Pair { decision, .. } | Evidence::Decided { decision, .. } => Some(decision),
            _ => None,
        });
        asked.collect()
    }

    fn proofs(self) -> Proofs {
        let mut proofs = Proofs {
            cut: self.cut,
            ordered: self.known.blockers.is_empty(),
            sure: self.known.sure.clone(),
            facts: self.facts.clone(),
            ..Proofs::default()
        };
        let behind = self
            .unreached
            .values()
            .flat_map(|unreached| &unreached.edges);
        proofs.dead.extend(behind);
        let nodes: HashSet<_> = self
            .unreached
            .iter()
            .flat_map(|(function, unreached)| unreached.nodes.iter().map(|node| (*function, *node)))
            .collect();
        if self.unreached.is_empty() && self.coupled.is_empty() && self.known.uncalled.is_empty() {
            return proofs;
        }
        let relevance = Relevance::new(self.program, self.goals);
        let stops = Stops::new(self.program, self.known.sure.clone());
        let unreached = |function| self.unreached_in(function);
        let mut uncounted: HashMap<GoalId, BTreeSet<EdgeId>> =
            never_counted(self.program, self.goals, &stops, &unreached)
                .into_iter()
                .collect();
        for (goal, known) in self.goals.iter() {
            let touches = relevance.touches(goal);
            let uncalled = |function: &FuncId| self.known.uncalled.contains(function);
            let never = |touch: &Touch| match touch {
                Touch::Edge(edge) => proofs.dead.contains(edge),
                Touch::End(function, node) => {
                    uncalled(function) || nodes.contains(&(*function, *node))
                }
                Touch::Entry(function) => uncalled(function),
            };
            let out_of_reach = !touches.is_empty() && touches.iter().all(never);
            let touched = touches.iter().filter_map(|touch| match touch {
                Touch::Edge(edge) => Some(*edge),
                _ => None,
            });
            let own = self.program.coverage[known.record as usize].function;
            let why = if let Some(own) = own.filter(|own| out_of_reach && uncalled(own)) {
                Some(Why::NeverCalled(own))
            } else if out_of_reach {
                Some(self.dead_behind(&touched.collect()))
            } else if let Some(set) = uncounted.remove(&goal) {
                Some(self.dead_behind(&set))
            } else {
                self.coupled(known.evidence)
            };
            proofs.all.extend(why.map(|why| Proof { goal, why }));
        }
        proofs
    }

    /// Nodes of a function's flow graph that no run comes to, if there are any.
    fn unreached_in(&self, function: FuncId) -> Option<BTreeSet<NodeId>> {
        if self.known.uncalled.contains(&function) {
            let flow = FlowGraph::new(self.program, function);
            return Some(flow.nodes.keys().collect());
        }
        // What may run at any time may also end a run at any time: then an edge that is dead by values says nothing of counts.
        let unreached = match self.known.blockers.is_empty() {
            true => self.unreached.get(&function)?,
            false => self.contradicted.get(&function)?,
        };
        Some(unreached.nodes.clone())
    }

    /// What keeps control from all of these.
    fn dead_behind(&self, edges: &BTreeSet<EdgeId>) -> Why {
        let dominators = self
            .dominators
            .get_or_init(|| edge_dominators(self.program));
        let before_all =
            |dead: &&EdgeId| edges.iter().all(|edge| dominators.dominates(**dead, *edge));
        match self.dead.keys().find(before_all) {
            Some(&edge) if !edges.is_empty() => Why::Dead(Conflict {
                edge: Some(edge),
                because: self.dead[&edge].clone(),
            }),
            _ => self.without_value(edges, dominators),
        }
    }

    /// The edge in front of all of these that no value takes.
    fn without_value(&self, edges: &BTreeSet<EdgeId>, dominators: &EdgeDominators) -> Why {
        let mut known = self.known.dead.iter();
        let found = known.find(|(dead, reason)| {
            matches!(reason, values::Reason::Values { .. })
                && edges.iter().all(|edge| dominators.dominates(**dead, *edge))
        });
        match found {
            Some((&edge, reason)) if !edges.is_empty() => Why::Values {
                edge,
                reason: reason.clone(),
            },
            _ => Why::Behind,
        }
    }

    /// Whether the vectors that may happen are too few.
    fn coupled(&self, evidence: Evidence) -> Option<Why> {
        let (decision, condition) = match evidence {
            Evidence::Pair {
                decision,
                condition,
            } => (decision, Ok(condition)),
            Evidence::Decided { decision, side } => (decision, Err(side == Side::True)),
            _ => return None,
        };
        let known = self.coupled.get(&decision)?;
        let vectors: Vec<Vector> = known.vectors.iter().copied().collect();
        let may_be = match condition {
            Err(outcome) => vectors.iter().any(|vector| vector.outcome == outcome),
            Ok(condition) => {
                let mut pairs = vectors
                    .iter()
                    .flat_map(|a| vectors.iter().map(move |b| (a, b)));
                pairs.any(|pair| self.goals.is_pair(decision, condition, pair))
            }
        };
        (!may_be).then(|| Why::Coupled {
            decision,
            possible: vectors,
            conflicts: known.conflicts.iter().cloned().collect(),
            by_values: known.by_values.clone(),
        })
    }
}
