//! The values of a function at some place, as far as the place itself tells: what every run that comes there has in common.
//!
//! A value that was computed before the place is what its definition says of the values that it was computed from, down to
//! what came from elsewhere: parameters, results of calls, contents of memory. Those are variables, one for each definition.
//! That is right although definitions in a loop are executed many times: a definition dominates what uses it, so between the
//! last execution of an operand's definition and the place stands one of the user's (else a path to the place would avoid it).
//!
//! A phi is a variable too, of which is known what it may be when all that flows into it are constants.

use std::collections::{BTreeSet, HashMap};

use program::{
    CastOp, Const, Def, EdgeId, Function, GlobalId, Op, Operand, Program, SiteKind, Terminator,
    Type, ValueId,
};
use smt::{Assignment, Op as TermOp, Pool, Term, Var};

use crate::meaning;

/// Definitions that are followed through one another; a deeper value is a variable.
const DEPTH: u32 = 64;
/// Constants that a phi may be one of.
const CHOICES: usize = 16;

/// What has an address that nobody computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Object {
    Global(GlobalId),
    Function(program::FuncId),
    Extern(program::ExternId),
}

/// What is known of a variable.
#[derive(Clone, Copy)]
struct Fact {
    /// True whenever the variable has a value.
    term: Term,
    /// A value for which it is.
    value: u128,
}

/// See the module.
pub struct Frame<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub pool: &'a mut Pool,
    before: HashMap<ValueId, Term>,
    objects: HashMap<Object, Term>,
    facts: HashMap<Var, Fact>,
    variables: u32,
}

impl<'a> Frame<'a> {
    pub fn new(program: &'a Program, function: &'a Function, pool: &'a mut Pool) -> Frame<'a> {
        Frame {
            program,
            function,
            pool,
            before: HashMap::new(),
            objects: HashMap::new(),
            facts: HashMap::new(),
            variables: 0,
        }
    }

    /// A value of which nothing is known; `None` for what is no number.
    pub fn unknown(&mut self, ty: &Type) -> Option<Term> {
        let bits = meaning::width(&self.program.layout, ty)?;
        Some(self.variable(bits).1)
    }

    fn variable(&mut self, bits: u16) -> (Var, Term) {
        let var = Var(self.variables);
        self.variables += 1;
        (var, self.pool.var(var, bits))
    }

    /// An address that is not 0.
    fn address(&mut self, ty: &Type) -> Option<Term> {
        let bits = meaning::width(&self.program.layout, ty)?;
        let (var, term) = self.variable(bits);
        let zero = self.pool.constant(bits, 0);
        let fact = self.pool.ne(term, zero);
        self.facts.insert(
            var,
            Fact {
                term: fact,
                value: 1 << 12,
            },
        );
        Some(term)
    }

    /// A constant; what is not known of it (addresses, undefined values) is a variable.
    pub fn constant(&mut self, constant: &Const) -> Option<Term> {
        if let Some(number) = meaning::number(self.pool, &self.program.layout, constant) {
            return Some(number);
        }
        match constant {
            Const::Global { global, offset } => {
                // What is defined elsewhere may be weak, and missing.
                let defined = self.program.globals[*global].init.is_some();
                let base = self.object(Object::Global(*global), defined)?;
                let offset = i128::from(*offset) as u128
                    & (u128::MAX >> (128 - self.program.layout.pointer_bits));
                let offset = self.pool.constant(self.pool.width(base), offset);
                Some(self.pool.bin(TermOp::Add, base, offset))
            }
            Const::Function(function) => self.object(Object::Function(*function), true),
            Const::Extern(function) => self.object(Object::Extern(*function), false),
            // Undefined: another value at each use.
            _ => self.unknown(&constant.ty()),
        }
    }

    fn object(&mut self, object: Object, defined: bool) -> Option<Term> {
        if let Some(known) = self.objects.get(&object) {
            return Some(*known);
        }
        let term = if defined {
            self.address(&Type::Ptr)
        } else {
            self.unknown(&Type::Ptr)
        }?;
        self.objects.insert(object, term);
        Some(term)
    }

    /// A value that was computed before the place.
    pub fn before(&mut self, value: ValueId) -> Option<Term> {
        self.before_within(value, DEPTH)
    }

    fn before_within(&mut self, value: ValueId, depth: u32) -> Option<Term> {
        if let Some(known) = self.before.get(&value) {
            return Some(*known);
        }
        let data = &self.function.values[value];
        let computed = match &data.def {
            Def::Inst(inst) if depth > 0 => self.compute((&inst.op, &data.ty), depth - 1),
            _ => None,
        };
        let term = match (computed, &data.def) {
            (Some(term), _) => term,
            (None, Def::Inst(inst)) if matches!(inst.op, Op::Alloca { .. }) => {
                self.address(&data.ty)?
            }
            (None, Def::Inst(inst)) if matches!(inst.op, Op::Phi { .. }) => {
                self.phi(value, &data.ty)?
            }
            (None, _) => self.unknown(&data.ty)?,
        };
        self.before.insert(value, term);
        Some(term)
    }

    fn compute(&mut self, (op, ty): (&Op, &Type), depth: u32) -> Option<Term> {
        // Operands first: the terms are made without the frame.
        let mut known = HashMap::new();
        for operand in operands(op) {
            let term = match operand {
                Operand::Value(value) => self.before_within(*value, depth),
                Operand::Const(constant) => self.constant(constant),
            };
            known.insert(operand, term?);
        }
        self.result((op, ty), &known)
    }

    /// The value of an instruction over operands with these values.
    pub fn result(
        &mut self,
        (op, ty): (&Op, &Type),
        known: &HashMap<&Operand, Term>,
    ) -> Option<Term> {
        let layout = &self.program.layout;
        let mut term = |_: &mut Pool, operand: &Operand| known.get(operand).copied();
        meaning::of(self.pool, layout, self.function, (op, ty), &mut term)
    }

    fn phi(&mut self, value: ValueId, ty: &Type) -> Option<Term> {
        let bits = meaning::width(&self.program.layout, ty)?;
        let (var, term) = self.variable(bits);
        if let Some(choices) = self.choices(value) {
            let mut any = self.pool.bool(false);
            for choice in &choices {
                let choice = self.pool.constant(bits, *choice);
                let equal = self.pool.eq(term, choice);
                any = self.pool.or(any, equal);
            }
            let value = choices.first().copied().unwrap_or(0);
            self.facts.insert(var, Fact { term: any, value });
        }
        Some(term)
    }

    /// The constants that a phi may be, through other phis.
    fn choices(&self, phi: ValueId) -> Option<BTreeSet<u128>> {
        let mut choices = BTreeSet::new();
        let mut seen = BTreeSet::from([phi]);
        let mut work = vec![phi];
        while let Some(value) = work.pop() {
            let op = &self.function.inst(value)?.op;
            let mut operand = |operand: &Operand| match operand {
                Operand::Const(Const::Int { value, .. }) => {
                    choices.insert(*value);
                    Some(())
                }
                Operand::Const(_) => None,
                Operand::Value(value) => {
                    if seen.insert(*value) {
                        work.push(*value);
                    }
                    Some(())
                }
            };
            match op {
                Op::Phi { incoming } => {
                    for (_, value) in incoming {
                        operand(value)?;
                    }
                }
                Op::Select {
                    then_value,
                    else_value,
                    ..
                } => {
                    operand(then_value)?;
                    operand(else_value)?;
                }
                Op::Cast {
                    op: CastOp::ZExt,
                    value,
                } if self.function.operand_type(value) == Type::BOOL => {
                    choices.extend([0, 1]);
                }
                _ => return None,
            }
            if choices.len() > CHOICES || seen.len() > 4 * CHOICES {
                return None;
            }
        }
        Some(choices)
    }

    /// What holds when control takes an edge, given the value that the site looks at; `None` when the site looks at none.
    pub fn taken(&mut self, edge: EdgeId, looked_at: Term) -> Term {
        let edge = &self.program.edges[edge];
        let side = edge.side as usize;
        match &self.program.sites[edge.site].kind {
            SiteKind::Switch { bits, cases } => {
                let bits = *bits as u16;
                if let Some(case) = cases.get(side) {
                    let case = self.pool.constant(bits, *case);
                    return self.pool.eq(looked_at, case);
                }
                let mut none = self.pool.bool(true);
                for case in cases {
                    let case = self.pool.constant(bits, *case);
                    let other = self.pool.ne(looked_at, case);
                    none = self.pool.and(none, other);
                }
                none
            }
            _ if side == 1 => looked_at,
            _ => self.pool.not(looked_at),
        }
    }

    /// Gives the variables of a term that nothing else spoke of before values for which their facts hold; returns the facts.
    pub fn facts(&self, term: Term, hint: &mut Assignment) -> Vec<Term> {
        let mut facts = Vec::new();
        for var in self.pool.vars(term) {
            if let Some(fact) = self.facts.get(&var) {
                if hint.entry(var).is_none() {
                    hint.set(var, fact.value);
                }
                facts.push(fact.term);
            }
        }
        facts
    }
}

/// What a terminator with a site looks at.
pub fn looked_at(terminator: &Terminator) -> Option<&Operand> {
    match terminator {
        Terminator::CondBr { cond, .. } => Some(cond),
        Terminator::Switch { value, .. } => Some(value),
        _ => None,
    }
}

/// What an instruction is computed from, if [`meaning::of`] may have an answer.
pub fn operands(op: &Op) -> Vec<&Operand> {
    let mut operands = Vec::new();
    if has_meaning(op) {
        op.for_each_operand(|operand| operands.push(operand));
    }
    operands
}

fn has_meaning(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin { .. }
            | Op::FBin { .. }
            | Op::FNeg { .. }
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Freeze { .. }
            | Op::Gep { .. }
            | Op::Intrinsic { .. }
    )
}
