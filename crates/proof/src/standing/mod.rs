//! The check of claims that hold at any time of any run, in whatever order the program does things: what private cells ever hold,
//! what variables are wherever control comes to a block, what functions return, and what no run does.
//!
//! All claims are checked together: where all held so far, the next step of a run keeps each of them. A step is one block, from a state
//! that its claims allow. A block that no claim speaks of may be come to with anything. As nothing rests on the order of writes,
//! functions may be called by their addresses, and at any time; a large program costs as much as there are claims.
//!
//! Must hold:
//! - every write to a cell, every way into a block, every call and every return that a claim speaks of is looked at;
//! - where a call may come back once more (`setjmp`), nothing is known behind it; in its function what was computed in different blocks
//!   may be of different times;
//! - a cell is private: what is not seen here does not write to it, as long as accesses stay in their objects;
//! - what calls a function is known ([`Effects`]), or nothing is claimed of its entry.

#[cfg(test)]
mod address_tests;
mod claims;
mod slice;
mod step;
#[cfg(test)]
mod tests;
mod weaken;

use std::collections::{BTreeMap, BTreeSet};

use program::fields::Fields;
use program::following;
use program::private::{Cell, accessed};
use program::{
    BlockId, EdgeId, FuncId, Function, Op, Operand, Program, SiteId, Terminator, ValueId,
};

use crate::assertion::Set;
use crate::check::Sharing;
use crate::closed::{Effects, stays_in_frames};
use crate::effort::Effort;
use crate::kinds::Refusal;
use crate::question::Bench;
use crate::vc::{Frame, initial};

pub use claims::{At, Claims, Column, Field, Holds};
pub use slice::needed;
pub use weaken::weaken;

/// Questions to a solver, of all claims together.
pub const QUESTIONS: u64 = 50_000;

/// A place that control comes to.
type Place = (FuncId, BlockId);

/// Something that is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// By index.
    Cell(usize),
    /// By index.
    Field(usize),
    Value(FuncId, BlockId, ValueId),
    Result(FuncId),
    Block(FuncId, BlockId),
    Edge(EdgeId),
}

/// Claims, as the checker looks them up.
#[derive(Clone, Debug, Default)]
struct Known {
    cells: Vec<Cell>,
    sets: Vec<Option<Set>>,
    fields: Fields,
    /// What is claimed of fields, for each of the program's.
    columns: Vec<Option<Set>>,
    blocks: BTreeSet<Place>,
    edges: BTreeSet<EdgeId>,
    values: BTreeMap<Place, BTreeMap<ValueId, Set>>,
    results: BTreeMap<FuncId, Set>,
}

impl Known {
    /// The cell that an access is of, if something is claimed of it.
    fn cell(&self, address: &Operand, size: u64) -> Option<usize> {
        accessed(&self.cells, address, size).filter(|cell| self.sets[*cell].is_some())
    }

    /// What is claimed of what an access may be of.
    fn claims_of(
        &self,
        function: FuncId,
        address: &Operand,
        size: u64,
    ) -> impl Iterator<Item = Claim> {
        let cell = self.cell(address, size).map(Claim::Cell);
        let fields = self.fields.accessed(function, address, size).into_iter();
        let fields = fields.filter(|field| self.columns[*field].is_some());
        cell.into_iter().chain(fields.map(Claim::Field))
    }
}

/// Checks claims about a program: what no run does; `effects`: of the runs that are meant. The number of questions that a solver was asked.
///
/// # Errors
/// A claim does not hold, as far as the checker can tell.
pub fn check(effects: &Effects<'_>, claims: &Claims, effort: Effort) -> Result<u64, Refusal> {
    let known = claims.known((effects.program, effects.foreign))?;
    let mut standing = Standing::new(effects, known, effort)?;
    standing.start()?;
    for place in standing.due() {
        standing.block(place)?;
    }
    Ok(standing.queries)
}

/// The calls that may come back more often than they are made. C has no pointers to `setjmp` (C11, 7.13).
fn twice(program: &Program, effects: &Effects<'_>) -> BTreeMap<FuncId, BTreeSet<ValueId>> {
    let mut externs = program.externs.values();
    if !externs.any(|known| following::is_returning_twice(&known.name)) {
        return BTreeMap::new();
    }
    let mut twice: BTreeMap<FuncId, BTreeSet<ValueId>> = BTreeMap::new();
    for function in program.functions.keys() {
        for site in effects.graph.calls(function) {
            if following::returns_twice(program, site) {
                twice.entry(function).or_default().insert(site.inst);
            }
        }
    }
    twice
}

/// What does not hold, and the numbers that it was; `None`: another that is not known.
type Failed = BTreeMap<Claim, BTreeSet<Option<u64>>>;

/// A program with claims.
struct Standing<'a> {
    program: &'a Program,
    effects: &'a Effects<'a>,
    /// Others may write to memory at any time.
    shared: bool,
    /// Calls that may come back more often than they are made, by their functions.
    twice: BTreeMap<FuncId, BTreeSet<ValueId>>,
    /// Floating-point arithmetic rounds in a way that is not known.
    rounds_anyhow: bool,
    known: Known,
    effort: Effort,
    queries: u64,
    bench: Bench,
    /// For those who look for claims; `None` for the checker.
    failed: Option<Failed>,
    /// What a step rested on.
    seen: BTreeSet<Claim>,
}

impl<'a> Standing<'a> {
    fn new(
        effects: &'a Effects<'a>,
        known: Known,
        effort: Effort,
    ) -> Result<Standing<'a>, Refusal> {
        let (program, foreign) = (effects.program, effects.foreign);
        stays_in_frames(program)?;
        let cannot = |why: &str| Err(Refusal::NeedsSearch(format!("no claims: {why}")));
        if crate::induction::has_strange_ways(program) {
            return cannot("control does not always follow the calls");
        }
        Ok(Standing {
            program,
            effects,
            // What handlers write is written by functions of the program, at any time.
            shared: Sharing::of(program, foreign).all || crate::is_shared(program, foreign),
            twice: twice(program, effects),
            rounds_anyhow: !program::rounding::is_to_nearest(program, foreign),
            known,
            effort,
            queries: 0,
            bench: Bench::default(),
            failed: None,
            seen: BTreeSet::new(),
        })
    }

    /// What holds before the first step: the contents of cells and fields, and nothing of what something else than a call enters.
    fn start(&mut self) -> Result<(), Refusal> {
        for at in 0..self.known.cells.len() {
            if let Some(set) = self.known.sets[at].clone() {
                self.starts(Claim::Cell(at), self.known.cells[at], &set)?;
            }
        }
        for at in 0..self.known.columns.len() {
            let Some(set) = self.known.columns[at].clone() else {
                continue;
            };
            let field = self.known.fields.all()[at];
            for cell in field.cells(self.program) {
                self.starts(Claim::Field(at), cell, &set)?;
            }
        }
        let root = crate::induction::root(self.program).ok_or(Refusal::NotThere)?;
        for function in self.program.functions.keys() {
            if function == root || self.effects.is_called_from_outside(function) {
                for claim in self.of_entry(function) {
                    self.fails(claim, None, "where the program is entered")?;
                }
            }
        }
        Ok(())
    }

    /// A cell has one of these numbers at the start.
    fn starts(&mut self, claim: Claim, cell: Cell, set: &Set) -> Result<(), Refusal> {
        let mut pool = smt::Pool::new();
        let root = crate::induction::root(self.program).ok_or(Refusal::NotThere)?;
        let body = &self.program.functions[root];
        let mut frame = Frame::new(self.program, body, &mut pool);
        let first = initial(&mut frame, cell);
        let holds = first.is_some_and(|first| {
            let has = set.has(&mut frame, first);
            frame.pool.is_true(has)
        });
        if holds {
            return Ok(());
        }
        let number = first.and_then(|first| pool.as_const(first));
        let number = number.and_then(|number| u64::try_from(number).ok());
        self.fails(claim, number, "at the start")
    }

    /// What is claimed of the entry of a function.
    fn of_entry(&self, function: FuncId) -> Vec<Claim> {
        let place = (function, Function::ENTRY);
        if self.known.blocks.contains(&place) {
            return vec![Claim::Block(function, Function::ENTRY)];
        }
        let values = self.known.values.get(&place).into_iter().flatten();
        values
            .map(|(value, _)| Claim::Value(function, Function::ENTRY, *value))
            .collect()
    }

    /// A claim does not hold.
    fn fails(&mut self, claim: Claim, number: Option<u64>, whence: &str) -> Result<(), Refusal> {
        if let Some(failed) = &mut self.failed {
            failed.entry(claim).or_default().insert(number);
            return Ok(());
        }
        Err(Refusal::NotRefuted {
            what: self.name(claim),
            verdict: format!("it does not hold {whence}"),
        })
    }

    fn name(&self, claim: Claim) -> String {
        match claim {
            Claim::Cell(at) => {
                let cell = self.known.cells[at];
                let global = &self.program.globals[cell.global].name;
                format!("what {global} holds at byte {}", cell.offset)
            }
            Claim::Field(at) => {
                let field = self.known.fields.all()[at];
                let table = &self.program.globals[field.table].name;
                format!("what {table} holds at byte {} of a record", field.offset)
            }
            Claim::Value(function, block, value) => {
                let name = &self.program.functions[function].name;
                format!("what {value} is at {block} of {name}")
            }
            Claim::Result(function) => {
                format!("what {} returns", self.program.functions[function].name)
            }
            Claim::Block(function, block) => {
                format!("{block} of {}", self.program.functions[function].name)
            }
            Claim::Edge(edge) => edge.to_string(),
        }
    }

    /// The blocks that have to be looked at.
    fn due(&self) -> Vec<Place> {
        let mut due = Vec::new();
        for (function, body) in self.program.functions.iter() {
            for block in body.blocks.keys() {
                let place = (function, block);
                if !self.known.blocks.contains(&place) && self.is_due(place) {
                    due.push(place);
                }
            }
        }
        due
    }

    /// May what a block does be against a claim?
    fn is_due(&self, (function, block): Place) -> bool {
        let known = &self.known;
        let body = &self.program.functions[function];
        let is_claimed = |edge: EdgeId| known.edges.contains(&edge);
        let has_edges = |site: SiteId| self.program.edges_of(site).any(is_claimed);
        let terminator = &body.blocks[block].terminator;
        let is_spoken_of = |to: BlockId| {
            known.blocks.contains(&(function, to)) || known.values.contains_key(&(function, to))
        };
        terminator.site().is_some_and(has_edges)
            || terminator.successors().any(is_spoken_of)
            || matches!(terminator, Terminator::Ret { .. }) && known.results.contains_key(&function)
            || body.insts(block).any(|(value, inst)| match &inst.op {
                Op::Store { address, value, .. } => {
                    let size = self.program.layout.store_size(&body.operand_type(value));
                    size.is_some_and(|size| {
                        known.claims_of(function, address, size).next().is_some()
                    })
                }
                Op::Call { .. } => {
                    let site = self.effects.site(function, value);
                    let entered = site.map(|site| self.effects.entered(site));
                    let entered = entered.into_iter().flatten();
                    entered.into_iter().any(|(callee, _)| {
                        known.blocks.contains(&(callee, Function::ENTRY))
                            || known.values.contains_key(&(callee, Function::ENTRY))
                    })
                }
                op => op.site().is_some_and(has_edges),
            })
    }
}
