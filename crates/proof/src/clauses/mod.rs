//! A part of a program as constrained Horn clauses, and the check of what is said to hold at its points.
//!
//! A point stands where ways meet: a function is entered, a call comes back, a block has more than one way in. What holds there speaks of
//! numbers that decide something: values of the active function and of those that wait for it, and [cells](crate::cells). A clause leads
//! from a point to the next; what is to be refuted is a clause without a head. Calls of the functions that are followed are gone into as
//! often as they are made (so points have calls in front of them); every other call may return anything, and write what it can reach.
//!
//! A part begins where the program does, or where one function does, whatever it is given and cells hold.
//!
//! Must hold: clauses say no less than the program does, so what excludes a clause's head without a head excludes it of all runs. Where
//! cells are spoken of, functions of the program run only because of calls that are seen.

mod build;
mod live;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use program::callgraph::CallGraph;
use program::parts::Parts;
use program::{BlockId, EdgeId, FuncId, Function, Program};
use serde::{Deserialize, Serialize};
use smt::check::Verdict;
use smt::horn::System;
use smt::{Pool, Term};

use crate::assertion::{self, Cell};
use crate::certificate::Fact;
use crate::closed::{Effects, follows_calls};
use crate::effort::Effort;
use crate::induction;
use crate::kinds::Refusal;
use build::{Builder, Given};

/// Questions to a solver, of one interpretation: one for each clause.
pub const QUESTIONS: u64 = 10_000;

/// A part of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The function whose calls it begins with, whatever they are given; `None`: the program from its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<u32>,
    /// Functions whose calls are followed.
    pub followed: BTreeSet<u32>,
    /// Cells that are spoken of, in order; each is a [part](program::parts) of a variable.
    pub cells: Vec<Cell>,
}

/// What holds at the points of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interpretation {
    pub part: Part,
    /// Lines of terms.
    pub terms: Vec<String>,
    /// For each point, in the order in which the clauses come to them, the line of what holds there.
    pub holds: Vec<u32>,
}

impl Interpretation {
    /// Of these formulas over the parameters `Var(0)`, `Var(1)`, … of each point.
    #[must_use]
    pub fn new(part: Part, pool: &Pool, formulas: &[Term]) -> Interpretation {
        let (terms, holds) = text::write(pool, formulas);
        Interpretation { part, terms, holds }
    }

    fn formulas(&self, pool: &mut Pool) -> Result<Vec<Term>, Refusal> {
        let bad = || Refusal::Body("a line is no term".to_owned());
        let terms = text::read(pool, &self.terms).ok_or_else(bad)?;
        let holds = self.holds.iter().map(|line| terms.get(*line as usize));
        holds.map(|term| term.copied().ok_or_else(bad)).collect()
    }
}

/// What makes clauses of parts of one program.
pub struct Clauses<'a> {
    program: &'a Program,
    parts: Parts,
    graph: CallGraph,
    shared: bool,
    /// Whether control follows the calls.
    follows: Result<(), Refusal>,
    /// Whether functions run only because of calls that are seen.
    fits: Result<(), Refusal>,
}

impl<'a> Clauses<'a> {
    /// Of a program; `effects`: of all its runs.
    #[must_use]
    pub fn of(effects: &Effects<'a>) -> Clauses<'a> {
        let (program, foreign) = (effects.program, effects.foreign);
        Clauses {
            program,
            parts: Parts::of(program, foreign),
            graph: effects.graph.clone(),
            shared: crate::is_shared(program, foreign),
            follows: follows_calls(program, foreign),
            fits: induction::fits(effects),
        }
    }

    /// The program's own functions that a part may look into.
    #[must_use]
    pub fn is_own(&self, function: FuncId) -> bool {
        !induction::is_unknown(&self.program.functions[function])
    }

    #[must_use]
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    #[must_use]
    pub const fn graph(&self) -> &CallGraph {
        &self.graph
    }

    /// Where the program starts, if it can be followed from there.
    #[must_use]
    pub fn root(&self) -> Option<FuncId> {
        let root = induction::root(self.program);
        root.filter(|_| self.fits.is_ok())
    }

    /// May parts speak of cells?
    #[must_use]
    pub const fn has_cells(&self) -> bool {
        self.fits.is_ok()
    }

    /// The clauses of a part from which nothing bad follows if no run does what `never` says. `dead`: edges that no run takes.
    ///
    /// # Errors
    /// There are too many, or control does not follow the calls.
    pub fn system(
        &self,
        part: &Part,
        dead: &BTreeSet<EdgeId>,
        never: &[Fact],
        pool: &mut Pool,
    ) -> Result<System, Refusal> {
        self.follows.clone()?;
        if part.function.is_none() || !part.cells.is_empty() {
            self.fits.clone()?;
        }
        let program = self.program;
        let root = match part.function {
            Some(function) => FuncId::from_u32(function),
            None => induction::root(program).ok_or(Refusal::NotThere)?,
        };
        let known = |function: &FuncId| program.functions.get(*function).is_some();
        let followed = part.followed.iter().map(|id| FuncId::from_u32(*id));
        let followed: BTreeSet<FuncId> = followed.collect();
        if !known(&root) || !followed.iter().all(known) {
            return Err(Refusal::NotThere);
        }
        let mut looked_into = followed.iter().chain([&root]);
        if looked_into.any(|function| {
            let body = &program.functions[*function];
            induction::is_unknown(body) || induction::is_strange(body)
        }) {
            return Err(Refusal::NotThere);
        }
        for fact in never {
            is_claimed(program, (part, root), *fact)?;
        }
        let cells = assertion::cells(self.parts.all(), part.cells.iter())?;
        let given = Given {
            program,
            parts: &self.parts,
            graph: &self.graph,
            function: part.function.map(FuncId::from_u32),
            followed: &followed,
            cells: cells.into(),
            dead,
            shared: self.shared,
        };
        Builder::new(given, root, never).build(pool)
    }
}

/// A fact is about a place that every run which comes to it comes to within the part.
fn is_claimed(program: &Program, (part, root): (&Part, FuncId), fact: Fact) -> Result<(), Refusal> {
    let function = fact.function(program).ok_or(Refusal::NotThere)?;
    let body = program.functions.get(function).ok_or(Refusal::NotThere)?;
    // Nobody looks into the models of the C library, or sees who calls them.
    if induction::is_unknown(body) {
        return Err(Refusal::NotThere);
    }
    let is_there = match fact {
        Fact::Edge { edge } => is_decided(program, body, EdgeId::from_u32(edge)),
        Fact::Block { block, .. } => {
            body.blocks.get(BlockId::from_u32(block)).is_some()
                && (function, BlockId::from_u32(block)) != (root, Function::ENTRY)
        }
    };
    // From its start the program is followed everywhere; of one function, nothing else is.
    let is_within = part.function.is_none() || function == root;
    match is_there && is_within {
        true => Ok(()),
        false => Err(Refusal::NotThere),
    }
}

/// Does an edge leave its block by what clauses follow: its end, or what counts sides?
fn is_decided(program: &Program, body: &Function, edge: EdgeId) -> bool {
    let site = program.edges[edge].site;
    let Some(block) = body.blocks.get(program.sites[site].block) else {
        return false;
    };
    let mut insts = block.insts.iter().filter_map(|inst| body.inst(*inst));
    block.terminator.site() == Some(site) || insts.any(|inst| inst.op.site() == Some(site))
}

/// Checks that no run does what `never` says: what holds at the points is kept by every clause. Returns how many questions were asked.
///
/// # Errors
/// It does not hold, as far as the checker can tell.
pub fn check(
    effects: &Effects<'_>,
    interpretation: &Interpretation,
    dead: &BTreeSet<EdgeId>,
    never: &[Fact],
    mut effort: Effort,
) -> Result<u64, Refusal> {
    let mut pool = Pool::new();
    let clauses = Clauses::of(effects);
    let system = clauses.system(&interpretation.part, dead, never, &mut pool)?;
    let formulas = interpretation.formulas(&mut pool)?;
    if !system.fits(&pool, &formulas) {
        return Err(Refusal::Body(
            "what holds does not fit the points".to_owned(),
        ));
    }
    let mut queries = 0;
    for number in 0..system.clauses().len() {
        let conditions = system.broken(&mut pool, &formulas, number);
        if conditions.iter().any(|term| pool.is_false(*term)) {
            continue;
        }
        queries += 1;
        let what = || format!("clause {number}");
        match effort.refute(&pool, &conditions)? {
            Verdict::Unsat(_) => {}
            Verdict::Sat(_) => {
                return Err(Refusal::NotRefuted {
                    what: what(),
                    verdict: "there is a state that breaks it".to_owned(),
                });
            }
            Verdict::Unknown(why) => {
                return Err(Refusal::NotRefuted {
                    what: what(),
                    verdict: why.to_string(),
                });
            }
        }
    }
    Ok(queries)
}
