//! Goals in loops: what holds at the points of a part of the program, found by a procedure for Horn clauses.
//!
//! Going backward round a loop ends only where conditions repeat. Here the [clauses](proof::clauses) of a part of the program are asked for an
//! interpretation in which nothing bad follows. Small parts are tried first: a function alone, whatever it is given; with what it calls; the
//! program from its start.
//!
//! Nothing here has to be right: the checker derives the clauses anew.

use std::collections::{BTreeMap, BTreeSet};

use program::callgraph::CallSite;
use program::parts::Parts;
use program::{EdgeId, FuncId, Op, Program, private};
use proof::assertion::Cell;
use proof::clauses::{Clauses, Interpretation, Part};
use proof::closed::Effects;
use proof::{End, Fact, Refusal};
use smt::horn::{Horn, HornBackend, HornSolver, Templates};
use smt::{BackendError, Pool, Steps, Why};

/// Cells that are spoken of.
const CELLS: usize = 64;
/// Functions whose calls are followed: more have too many clauses.
const FOLLOWED: usize = 128;
/// What is spent on a short look for a way to what is to be refuted: most parts have one.
const SHORT: Steps = Steps(400);

/// Why there is no interpretation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// The part has no clauses.
    Refused(Refusal),
    /// It happens, as far as the part says.
    Possible,
    /// More work may bring an answer.
    Unknown(String),
}

/// Looks for what holds in parts of a program.
pub struct Prover<'a> {
    program: &'a Program,
    clauses: Clauses<'a>,
    /// Who calls each function.
    callers: BTreeMap<FuncId, BTreeSet<FuncId>>,
    /// The cells that each function reads or writes, once that was asked for.
    touched: BTreeMap<FuncId, BTreeSet<private::Cell>>,
    /// Parts that have too many clauses.
    too_large: Vec<Part>,
}

impl<'a> Prover<'a> {
    /// Of a program; `effects`: of all its runs.
    #[must_use]
    pub fn new(effects: &Effects<'a>) -> Prover<'a> {
        let program = effects.program;
        let clauses = Clauses::of(effects);
        let mut callers: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        for caller in program.functions.keys() {
            for called in clauses
                .graph()
                .calls(caller)
                .iter()
                .flat_map(CallSite::functions)
            {
                callers.entry(called).or_default().insert(caller);
            }
        }
        Prover {
            program,
            clauses,
            callers,
            touched: BTreeMap::new(),
            too_large: Vec::new(),
        }
    }

    /// Parts to look at for facts about one function, the smallest first; none for other facts.
    #[must_use]
    pub fn parts(&mut self, never: &[Fact]) -> Vec<Part> {
        let functions = never.iter().map(|fact| fact.function(self.program));
        let functions: BTreeSet<Option<FuncId>> = functions.collect();
        let (Some(Some(function)), 1) = (functions.first(), functions.len()) else {
            return Vec::new();
        };
        let function = *function;
        let below = self.below(function);
        let mut all = vec![(Some(function), BTreeSet::new()), (Some(function), below)];
        if let Some(root) = self.clauses.root() {
            let below = self.below(root);
            let leading = self.leading(function);
            all.push((None, leading.intersection(&below).copied().collect()));
            all.push((None, below));
        }
        all.dedup();
        all.retain(|(_, followed)| followed.len() <= FOLLOWED);
        let made = all
            .into_iter()
            .map(|(from, followed)| self.part(from, followed));
        made.collect()
    }

    fn part(&mut self, from: Option<FuncId>, followed: BTreeSet<FuncId>) -> Part {
        let mut cells = BTreeSet::new();
        // Alone, a function finds anything in them.
        if !(from.is_some() && followed.is_empty()) && self.clauses.has_cells() {
            for function in followed.iter().copied().chain(from) {
                let made = || touched(self.program, self.clauses.parts(), function);
                cells.extend(
                    self.touched
                        .entry(function)
                        .or_insert_with(made)
                        .iter()
                        .copied(),
                );
            }
        }
        Part {
            function: from.map(FuncId::as_u32),
            followed: followed.iter().map(|id| id.as_u32()).collect(),
            cells: cells.into_iter().take(CELLS).map(Cell::of).collect(),
        }
    }

    /// The program's own functions that calls of one lead to.
    fn below(&self, function: FuncId) -> BTreeSet<FuncId> {
        let reached = self.clauses.graph().reachable(function).into_iter();
        reached.filter(|id| self.clauses.is_own(*id)).collect()
    }

    /// The functions whose calls lead to one, itself included.
    fn leading(&self, function: FuncId) -> BTreeSet<FuncId> {
        let mut found = BTreeSet::new();
        let mut work = vec![function];
        while let Some(next) = work.pop() {
            if found.insert(next) {
                work.extend(self.callers.get(&next).into_iter().flatten());
            }
        }
        found
    }

    /// What holds in a part so that no run does what `never` says, if that is found. `dead`: edges that no run takes.
    ///
    /// # Errors
    /// There is no solver.
    pub fn look(
        &mut self,
        part: &Part,
        dead: &BTreeSet<EdgeId>,
        never: &[Fact],
        (budget, end): (Steps, &End),
    ) -> Result<Result<Interpretation, Open>, BackendError> {
        if self.too_large.contains(part) {
            return Ok(Err(Open::Refused(Refusal::TooLarge)));
        }
        let mut pool = Pool::new();
        let system = match self.clauses.system(part, dead, never, &mut pool) {
            Ok(system) => system,
            Err(refusal) => {
                if refusal == Refusal::TooLarge {
                    self.too_large.push(part.clone());
                }
                return Ok(Err(Open::Refused(refusal)));
            }
        };
        let mut last = Open::Unknown("it was ended before it was done".to_owned());
        for (backend, budget) in [
            (spacer()?, budget.min(SHORT)),
            (templates()?, budget),
            (spacer()?, budget),
        ] {
            if end.is_over() {
                break;
            }
            let mut solver = HornSolver::new(backend, smt::backend::ALL[0].checker);
            end.watches(solver.interrupt());
            match solver.solve(&mut pool, &system, budget) {
                Horn::Safe(formulas) => {
                    return Ok(Ok(Interpretation::new(part.clone(), &pool, &formulas)));
                }
                // Who says that it happens need not show how: nothing rests on it.
                Horn::Unsafe(_) | Horn::Unknown(Why::NotConfirmed(_)) => {
                    return Ok(Err(Open::Possible));
                }
                Horn::Unknown(why) => last = Open::Unknown(why.to_string()),
            }
        }
        Ok(Err(last))
    }
}

fn templates() -> Result<Box<dyn HornBackend>, BackendError> {
    Ok(Box::new(Templates::new(smt::backend::ALL[0].checker)))
}

fn spacer() -> Result<Box<dyn HornBackend>, BackendError> {
    (smt::backend::ALL[0].horn)()
}

/// The cells that a function reads or writes.
fn touched(program: &Program, parts: &Parts, function: FuncId) -> BTreeSet<private::Cell> {
    let mut found = BTreeSet::new();
    let body = &program.functions[function];
    for block in body.blocks.keys() {
        for (value, inst) in body.insts(block) {
            let (address, ty) = match &inst.op {
                Op::Load { address, .. } => (address, body.values[value].ty.clone()),
                Op::Store { address, value, .. } => (address, body.operand_type(value)),
                _ => continue,
            };
            if let Some(size) = program.layout.store_size(&ty) {
                found.extend(parts.accessed(program, function, (address, size)));
            }
        }
    }
    found
}
