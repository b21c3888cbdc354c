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
    CastOp, Const, Def, EdgeId, FBinOp, FuncId, Function, GlobalId, Intrinsic, Op, Operand,
    Program, Type, ValueId,
};
use semantics::{Builder, Effect, Value, width};
use smt::{Assignment, Op as TermOp, Pool, Term};

use super::unknowns::Unknowns;

/// Definitions that are followed through one another; a deeper value is a variable.
const DEPTH: u32 = 64;
/// Constants that a phi may be one of.
const CHOICES: usize = 16;

/// The values of one function at one place.
pub struct Frame<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub pool: &'a mut Pool,
    before: HashMap<ValueId, Value>,
    unknowns: Unknowns<'a>,
    /// Results that solvers take long for are unknown.
    is_cheap: bool,
    /// What was computed before the place may be of different times.
    is_of_many_times: bool,
    /// What is computed in floating point is unknown.
    is_without_floats: bool,
    /// So is what is computed from floating-point numbers.
    is_of_bits_alone: bool,
}

impl<'a> Frame<'a> {
    pub fn new(program: &'a Program, function: &'a Function, pool: &'a mut Pool) -> Frame<'a> {
        Frame {
            program,
            function,
            pool,
            before: HashMap::new(),
            unknowns: Unknowns::new(program),
            is_cheap: false,
            is_of_many_times: false,
            is_without_floats: false,
            is_of_bits_alone: false,
        }
    }

    /// The same, with products, quotients and roots of floating-point numbers that are not constant left open, but for whether they are
    /// numbers: an invariant asks for every block, and one such block would spend what there is for all.
    pub fn cheap(self) -> Frame<'a> {
        Frame {
            is_cheap: true,
            ..self
        }
    }

    /// The same in a function that control may come back into (`setjmp`): of what it computed since, it may have a part only, so nothing
    /// follows from how a value was computed.
    pub fn of_many_times(self) -> Frame<'a> {
        Frame {
            is_of_many_times: true,
            ..self
        }
    }

    /// The same where nobody knows how floating-point arithmetic rounds.
    pub fn without_floats(self) -> Frame<'a> {
        Frame {
            is_without_floats: true,
            ..self
        }
    }

    /// The same for those who have no terms of floating-point arithmetic: its numbers, and what is made of them, are unknown.
    pub fn of_bits_alone(self) -> Frame<'a> {
        Frame {
            is_of_bits_alone: true,
            ..self.without_floats()
        }
    }

    fn builder(&mut self) -> Builder<'_> {
        Builder::new(self.pool, self.program.layout)
    }

    /// A value of which nothing is known; `None` for what has no terms.
    pub fn unknown(&mut self, ty: &Type) -> Option<Value> {
        let unknowns = &mut self.unknowns;
        let mut any = |pool: &mut Pool, bits| Ok(unknowns.variable(pool, bits));
        Value::of_type(self.pool, &self.program.layout, ty, &mut any).ok()
    }

    /// A constant; what is not known of it (addresses, undefined values) is a variable.
    pub fn constant(&mut self, constant: &Const) -> Option<Value> {
        let mut builder = Builder::new(self.pool, self.program.layout);
        let made = builder.constant(constant, &mut self.unknowns).ok();
        made.or_else(|| self.unknown(&constant.ty()))
    }

    /// The address of a function.
    pub fn address_of(&mut self, function: FuncId) -> Option<Term> {
        self.constant(&Const::Function(function))?.scalar()
    }

    /// The address of a place in a variable.
    pub fn place(&mut self, global: GlobalId, offset: u64) -> Option<Term> {
        let offset = i64::try_from(offset).ok()?;
        self.constant(&Const::Global { global, offset })?.scalar()
    }

    /// The place in a constant table that an address is of, if it was computed from the name of one.
    pub fn place_of(&mut self, address: Term) -> Option<(GlobalId, u64)> {
        let bits = self.pool.width(address);
        for (global, base) in self.unknowns.tables() {
            if self.pool.width(base) == bits {
                let distance = self.pool.bin(TermOp::Sub, address, base);
                if let Some(at) = self.pool.as_const(distance) {
                    return Some((global, u64::try_from(at).ok()?));
                }
            }
        }
        None
    }

    /// Whether a pointer is the address of one of some functions. No two functions have one address (C11, 6.5.9).
    pub fn leads_to(&mut self, pointer: Term, target: FuncId, all: &[FuncId]) -> Option<Term> {
        let address = self.address_of(target)?;
        let mut is_it = self.is_same(pointer, address);
        for other in all.iter().filter(|other| **other != target) {
            let other = self.address_of(*other)?;
            let differ = self.pool.ne(address, other);
            is_it = self.pool.and(is_it, differ);
        }
        Some(is_it)
    }

    /// Are two numbers the same? Those of different widths are not.
    pub fn is_same(&mut self, a: Term, b: Term) -> Term {
        match self.pool.width(a) == self.pool.width(b) {
            true => self.pool.eq(a, b),
            false => self.pool.bool(false),
        }
    }

    /// A value that was computed before the place.
    pub fn before(&mut self, value: ValueId) -> Option<Value> {
        self.before_within(value, DEPTH)
    }

    fn before_within(&mut self, value: ValueId, depth: u32) -> Option<Value> {
        if let Some(known) = self.before.get(&value) {
            return Some(known.clone());
        }
        let data = &self.function.values[value];
        let op = match &data.def {
            Def::Inst(inst) => Some(&inst.op),
            Def::Param(_) => None,
        };
        let computed = match op {
            Some(op) if depth > 0 && !self.is_of_many_times && semantics::is_computed(op) => {
                self.compute((op, &data.ty), depth - 1)
            }
            Some(Op::Alloca { .. }) => self.object(&data.ty),
            Some(Op::Phi { .. }) => self.phi(value, &data.ty),
            _ => None,
        };
        let made = match computed {
            Some(made) => made,
            None => self.unknown(&data.ty)?,
        };
        self.before.insert(value, made.clone());
        Some(made)
    }

    fn compute(&mut self, (op, ty): (&Op, &Type), depth: u32) -> Option<Value> {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let values = operands.into_iter().map(|operand| match operand {
            Operand::Value(value) => self.before_within(*value, depth),
            Operand::Const(constant) => self.constant(constant),
        });
        let values: Option<Vec<Value>> = values.collect();
        self.result((op, ty), &values?)
    }

    /// The value of an instruction over operands with these values; what LLVM leaves open is unknown.
    pub fn result(&mut self, (op, ty): (&Op, &Type), operands: &[Value]) -> Option<Value> {
        if self.is_without_floats && matches!(ty, Type::F32 | Type::F64 | Type::X86Fp80) {
            return self.unknown(ty);
        }
        if self.is_of_bits_alone && self.is_of_floats(op) {
            return self.unknown(ty);
        }
        if self.is_cheap && self.is_costly(op, operands) {
            return self.roughly(op, ty, operands);
        }
        let unknowns = &mut self.unknowns;
        let mut any = |pool: &mut Pool, bits| unknowns.variable(pool, bits);
        let mut builder = Builder::new(self.pool, self.program.layout);
        builder.sure_value(op, ty, operands, &mut any).ok()
    }

    /// Any number, but NaN only where the operands may give it.
    fn roughly(&mut self, op: &Op, ty: &Type, operands: &[Value]) -> Option<Value> {
        let made = self.unknown(ty)?;
        let terms: Option<Vec<Term>> = operands.iter().map(Value::scalar).collect();
        let (Some(number), Some(terms)) = (made.scalar(), terms) else {
            return Some(made);
        };
        let bits = self.pool.width(number);
        let infinity = match bits {
            32 => u128::from(f32::INFINITY.to_bits()),
            64 => u128::from(f64::INFINITY.to_bits()),
            _ => return Some(made),
        };
        let pool = &mut *self.pool;
        let infinity = pool.constant(bits, infinity);
        let (zero, all) = (pool.constant(bits, 0), (1u128 << (bits - 1)) - 1);
        let all = pool.constant(bits, all);
        let size = |pool: &mut Pool, term| pool.bin(TermOp::And, term, all);
        let mut is_number = pool.bool(true);
        for (at, &term) in terms.iter().enumerate() {
            let own = size(pool, term);
            let fits = match op {
                // Of what has no sign.
                Op::Intrinsic { .. } => pool.cmp(TermOp::Ule, term, infinity),
                _ => pool.cmp(TermOp::Ult, own, infinity),
            };
            is_number = pool.and(is_number, fits);
            let divides = matches!(
                op,
                Op::FBin {
                    op: FBinOp::Div | FBinOp::Rem,
                    ..
                }
            );
            if divides && at == 1 {
                let by_zero = pool.eq(own, zero);
                let other = pool.not(by_zero);
                is_number = pool.and(is_number, other);
            }
        }
        let own = size(pool, number);
        let is_nan = pool.cmp(TermOp::Ult, infinity, own);
        let plain = pool.ite(is_nan, zero, number);
        Some(pool.ite(is_number, plain, number).into())
    }

    fn is_costly(&self, op: &Op, operands: &[Value]) -> bool {
        let is_constant = |value: &Value| {
            let term = value.scalar();
            term.is_some_and(|term| self.pool.as_const(term).is_some())
        };
        match op {
            Op::FBin {
                op: FBinOp::Mul, ..
            } => !operands.iter().any(is_constant),
            Op::FBin {
                op: FBinOp::Div | FBinOp::Rem,
                ..
            } => !operands.last().is_some_and(is_constant),
            Op::Intrinsic {
                op: Intrinsic::Sqrt,
                ..
            } => !operands.iter().all(is_constant),
            _ => false,
        }
    }

    fn is_of_floats(&self, op: &Op) -> bool {
        let mut is_one = false;
        op.for_each_operand(|operand| {
            let ty = self.function.operand_type(operand);
            is_one |= !matches!(ty, Type::Int(_) | Type::Ptr);
        });
        is_one
    }

    /// What an instruction does to memory.
    pub fn effect(&mut self, (op, ty): (&Op, &Type), operands: &[Value]) -> Effect {
        let mut types = Vec::new();
        op.for_each_operand(|operand| types.push(self.function.operand_type(operand)));
        self.builder().effect(op, ty, operands, &types)
    }

    fn object(&mut self, ty: &Type) -> Option<Value> {
        let bits = width(&self.program.layout, ty)?;
        Some(self.unknowns.object(self.pool, bits).into())
    }

    fn phi(&mut self, value: ValueId, ty: &Type) -> Option<Value> {
        let bits = width(&self.program.layout, ty)?;
        let choices: Vec<u128> = self.choices(value)?.into_iter().collect();
        Some(self.unknowns.one_of(self.pool, bits, &choices).into())
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

    /// What holds when control takes an edge, given the value that the site looks at.
    pub fn taken(&mut self, edge: EdgeId, looked_at: Term) -> Option<Term> {
        let edge = &self.program.edges[edge];
        let kind = &self.program.sites[edge.site].kind;
        self.builder().taken(kind, edge.side, looked_at).ok()
    }

    /// Gives the variables of a term that nothing else spoke of before values for which their facts hold; returns the facts.
    pub fn facts(&self, term: Term, hint: &mut Assignment) -> Vec<Term> {
        self.unknowns.facts(self.pool, term, hint)
    }
}
