//! A target without a process: it walks small models, for tests.
//!
//! A *model* is a control flow graph: blocks with branches whose conditions are functions of the inputs, which are
//! bytes. The target walks it as a program would run, so strategies are tested without a process.

use std::collections::BTreeSet;
use std::sync::Arc;

use program::{
    BlockId, Const, Counter, EdgeId, FuncId, Function, FunctionCoverage, Loc, Operand, Program,
    Region, RegionKind, SiteId, SiteKind, SourceRange, SpotId, Terminator, Type,
};
use smt::{Assignment, Op, Pool, Term, eval};
use wire::input::ValueType;

use crate::input::{InputVector, Value};
use crate::run::{Class, Cond, Outcome, Run, RunFlags, Step, Target, TargetError, Visits};
use crate::vars::{VALUES, var_of};

/// Makes a condition from the pool, the input variables and how often the block was visited before.
pub type Condition = Box<dyn Fn(&mut Pool, &[Term], u32) -> Term>;

/// What a block does.
pub enum Block {
    /// Branches to (then, else) on a condition. A constant condition is a concrete branch.
    Branch(Condition, usize, usize),
    /// Switches over a value: cases with their blocks, then the default.
    Switch(Condition, Vec<(u128, usize)>, usize),
    /// Records that a condition is true, then goes on. A check that fails ends in a signal.
    Constraint(Class, Condition, usize),
    /// Calls a function that does nothing, then goes on.
    Call(usize),
    Jump(usize),
    Exit,
}

/// A condition on one input.
pub fn on(input: usize, op: Op, value: u8) -> Condition {
    Box::new(move |pool, inputs, _| {
        let value = pool.constant(8, u128::from(value));
        pool.cmp(op, inputs[input], value)
    })
}

/// `input < value`, unsigned.
pub fn below(input: usize, value: u8) -> Condition {
    on(input, Op::Ult, value)
}

/// Three conditions in a row, each on an input of its own; the first decides whether the others come.
pub fn three_in_a_row() -> Model {
    Model::new(
        3,
        vec![
            Block::Branch(below(0, 10), 1, 3),
            Block::Branch(below(1, 10), 2, 2),
            Block::Branch(below(2, 10), 3, 3),
            Block::Exit,
        ],
    )
}

/// A branch that nothing symbolic decides.
pub fn concrete(value: impl Fn(u32) -> bool + 'static) -> Condition {
    Box::new(move |pool, _, visit| pool.bool(value(visit)))
}

/// A model and its program.
pub struct Model {
    pub program: Program,
    blocks: Vec<Block>,
    sites: Vec<Option<SiteId>>,
    spots: Vec<Option<SpotId>>,
    inputs: usize,
    callee: FuncId,
    /// Inputs of all runs, in order.
    pub log: Vec<Vec<u8>>,
    /// Visits to all blocks of one run before it counts as hanging.
    pub fuel: u32,
    pub flags: RunFlags,
    pub late_edges: Vec<(EdgeId, u64)>,
    /// Blocks whose conditions no run shows.
    pub hidden: BTreeSet<usize>,
}

impl Model {
    pub fn new(inputs: usize, blocks: Vec<Block>) -> Model {
        let mut program = Program::new();
        program.add_module(1, "model.c");
        let file = program.file("model.c");
        let mut main = Function::new("main");
        for _ in &blocks {
            main.add_block();
        }
        let main = program.add_function(main);
        let callee = program.add_function(Function::new("callee"));
        let mut sites = Vec::new();
        let mut spots = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let site = add_site(&mut program, main, index, block);
            let constraint = matches!(block, Block::Constraint(..));
            spots.push(constraint.then(|| program.add_spot(main, None, "constraint")));
            let id = |block: usize| BlockId::from_u32(block as u32);
            let terminator = match (block, site) {
                (Block::Branch(_, then, els), Some(site)) => Terminator::CondBr {
                    cond: undefined(1),
                    then: id(*then),
                    els: id(*els),
                    site,
                },
                (Block::Switch(_, cases, default), Some(site)) => Terminator::Switch {
                    value: undefined(8),
                    cases: cases.iter().map(|(case, to)| (*case, id(*to))).collect(),
                    default: id(*default),
                    site,
                },
                (Block::Constraint(_, _, to) | Block::Call(to) | Block::Jump(to), _) => {
                    Terminator::Br { target: id(*to) }
                }
                _ => Terminator::Ret { value: None },
            };
            program.functions[main].terminate(id(index), terminator, None);
            sites.push(site);
        }
        let coverage = cover(main, file, &blocks);
        program.coverage.push(coverage);
        Model {
            program,
            blocks,
            sites,
            spots,
            inputs,
            callee,
            log: Vec::new(),
            fuel: 1000,
            flags: RunFlags::default(),
            late_edges: Vec::new(),
            hidden: BTreeSet::new(),
        }
    }
}

fn undefined(bits: u32) -> Operand {
    Operand::Const(Const::Undef(Type::Int(bits)))
}

fn add_site(program: &mut Program, main: FuncId, index: usize, block: &Block) -> Option<SiteId> {
    let id = |block: usize| Some(BlockId::from_u32(block as u32));
    let at = BlockId::from_u32(index as u32);
    match block {
        Block::Branch(_, then, els) => {
            let counter = 2 * index as u32;
            let edges = [(id(*els), vec![counter]), (id(*then), vec![counter + 1])];
            let loc = Loc {
                file: 0,
                line: index as u32 + 1,
                col: 1,
            };
            Some(program.add_site(SiteKind::Branch, main, at, Some(loc), edges))
        }
        Block::Switch(_, cases, default) => {
            let kind = SiteKind::Switch {
                bits: 8,
                cases: cases.iter().map(|(case, _)| *case).collect(),
            };
            let edges = cases
                .iter()
                .map(|(_, to)| *to)
                .chain([*default])
                .map(|to| (id(to), Vec::new()));
            Some(program.add_site(kind, main, at, None, edges))
        }
        _ => None,
    }
}

/// The coverage mapping: each branch stands on a line of its own, numbered as its block, from 1.
fn cover(main: FuncId, file: u32, blocks: &[Block]) -> FunctionCoverage {
    let lines = (1..)
        .zip(blocks)
        .filter(|(_, block)| matches!(block, Block::Branch(..)));
    let region = |(line, _): (u32, &Block)| Region {
        kind: RegionKind::Branch {
            false_count: Counter::Counter(2 * line - 2),
        },
        count: Counter::Counter(2 * line - 1),
        file: 0,
        range: SourceRange {
            line,
            col: 1,
            end_line: line,
            end_col: 9,
        },
    };
    FunctionCoverage {
        function: Some(main),
        name: "main".to_owned(),
        hash: 1,
        counters: 2 * blocks.len() as u32,
        files: vec![file],
        regions: lines.map(region).collect(),
        ..FunctionCoverage::default()
    }
}

/// A run of a model under way.
struct Walk<'a> {
    pool: &'a mut Pool,
    inputs: Vec<Term>,
    values: Assignment,
    steps: Vec<Step>,
}

impl Walk<'_> {
    fn branch(&mut self, edge: EdgeId, cond: Option<Term>) {
        let cond = cond.filter(|&cond| self.pool.as_const(cond).is_none());
        self.steps.push(Step::Edge {
            edge,
            cond: cond.map(|term| Cond { term }),
        });
    }

    /// Records a constraint as it holds on this run; says whether the condition is true.
    fn constraint(&mut self, class: Class, spot: SpotId, cond: Term) -> bool {
        let holds = eval(self.pool, cond, &self.values) == 1;
        let term = if holds { cond } else { self.pool.not(cond) };
        if self.pool.as_const(term).is_none() {
            self.steps.push(Step::Constraint { class, spot, term });
        }
        holds
    }
}

impl Target for Model {
    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        let bits = |index: usize| input.values.get(index).map_or(0, |value| value.bits);
        let name: Arc<str> = "x".into();
        let values: Vec<Value> = (0..self.inputs)
            .map(|index| Value {
                kind: ValueType::U8,
                name: name.clone(),
                element: Some(index as u32),
                c_type: "unsigned char".into(),
                bits: bits(index),
            })
            .collect();
        self.log
            .push(values.iter().map(|value| value.bits as u8).collect());
        let input = InputVector {
            values,
            streams: input.streams.clone(),
        };
        let inputs = (0..self.inputs as u32)
            .map(|index| pool.var(var_of(VALUES, index), 8))
            .collect();
        let mut walk = Walk {
            pool,
            inputs,
            values: input.assignment(),
            steps: Vec::new(),
        };
        let outcome = self.walk(&mut walk);
        let steps = walk.steps;
        Ok(Run {
            steps,
            outcome,
            input,
            flags: self.flags,
            losses: Vec::new(),
            late_edges: self.late_edges.clone(),
            late_functions: Vec::new(),
            compared: Vec::new(),
            near: Vec::new(),
        })
    }

    fn run_concrete(
        &mut self,
        input: &InputVector,
        visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        let run = self.run(&mut Pool::new(), input)?;
        self.log.pop();
        visits.add_run(&run);
        Ok(Some(run.outcome))
    }
}

impl Model {
    fn walk(&self, walk: &mut Walk<'_>) -> Outcome {
        let main = FuncId::from_u32(0);
        walk.steps.push(Step::Call(main));
        let mut visits = vec![0; self.blocks.len()];
        let mut at = 0;
        for _ in 0..self.fuel {
            let visit = visits[at];
            visits[at] += 1;
            match &self.blocks[at] {
                Block::Branch(cond, then, els) => {
                    let cond = cond(walk.pool, &walk.inputs, visit);
                    let side = eval(walk.pool, cond, &walk.values) as u32;
                    let edge = self.program.edge(self.sites[at].expect("a site"), side);
                    walk.branch(edge, Some(cond).filter(|_| !self.hidden.contains(&at)));
                    at = if side == 1 { *then } else { *els };
                }
                Block::Switch(value, cases, default) => {
                    let value = value(walk.pool, &walk.inputs, visit);
                    let concrete = eval(walk.pool, value, &walk.values);
                    let side = cases
                        .iter()
                        .position(|(case, _)| *case == concrete)
                        .unwrap_or(cases.len());
                    let edge = self
                        .program
                        .edge(self.sites[at].expect("a site"), side as u32);
                    walk.branch(edge, Some(value));
                    at = cases.get(side).map_or(*default, |(_, to)| *to);
                }
                Block::Constraint(class, cond, to) => {
                    let cond = cond(walk.pool, &walk.inputs, visit);
                    let spot = self.spots[at].expect("a spot");
                    let cond = if *class == Class::Pin {
                        pinned(walk, cond)
                    } else {
                        cond
                    };
                    match (walk.constraint(*class, spot, cond), class) {
                        (false, Class::Check) => return Outcome::Signalled(8),
                        (false, Class::Assume) => return Outcome::AssumeFailed,
                        _ => at = *to,
                    }
                }
                Block::Call(to) => {
                    walk.steps
                        .extend([Step::Call(self.callee), Step::Return(self.callee)]);
                    at = *to;
                }
                Block::Jump(to) => at = *to,
                Block::Exit => {
                    walk.steps.push(Step::Return(main));
                    return Outcome::Exited(0);
                }
            }
        }
        Outcome::Timeout
    }
}

/// Pins a value: it equals what it is.
fn pinned(walk: &mut Walk<'_>, value: Term) -> Term {
    let concrete = eval(walk.pool, value, &walk.values);
    let concrete = walk.pool.constant(walk.pool.width(value), concrete);
    walk.pool.eq(value, concrete)
}
