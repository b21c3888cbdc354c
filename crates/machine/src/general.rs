//! Instructions through `semantics`: whatever has a symbolic operand, and whatever is no operation on words.
//!
//! Must hold: the concrete value comes from constants, the term from the operands' terms, both by one definition.

use path::{Class, LossReason};
use program::{BinOp, Op, Operand, Type};
use semantics::{Builder, Consequence, Gap, Value, width};
use smt::{Op as TermOp, Pool};

use crate::compile::Known;
use crate::fault::Fault;
use crate::memo::Computed;
use crate::register::{Plain, Register, Wide};
use crate::state::{End, Made, State};

/// Terms of the scratch pool before it is made anew.
const SCRATCH: usize = 1 << 16;

impl<'a> State<'a> {
    /// The operation that runs, and the type of its result.
    fn operation(&self) -> Option<(&'a Op, &'a Type)> {
        let program = self.program;
        let frame = self.top();
        let value = frame.code.origins[frame.at - 1]?;
        let function = &program.functions[frame.code.function];
        Some((&function.inst(value)?.op, &function.values[value].ty))
    }

    /// The type of an operand of the function that runs.
    fn type_of(&self, operand: &Operand) -> Type {
        self.program.functions[self.top().code.function].operand_type(operand)
    }

    /// Operands of the operation, as registers with their types.
    fn operands(&mut self, op: &Op) -> Vec<(Register, Type)> {
        let mut list = Vec::new();
        op.for_each_operand(|operand| list.push(operand.clone()));
        list.into_iter()
            .map(|operand| {
                let ty = self.type_of(&operand);
                (self.operand(&operand, &ty), ty)
            })
            .collect()
    }

    fn operand(&mut self, operand: &Operand, ty: &Type) -> Register {
        let constant = match operand {
            Operand::Value(value) => return self.top().registers[value.index()].clone(),
            Operand::Const(constant) => constant,
        };
        self.fresh_scratch();
        let mut builder = Builder::new(self.scratch, self.program.layout);
        let value = builder.constant(constant, &mut Known(self.addresses));
        let plain = value.ok().and_then(|value| Plain::of(self.scratch, &value));
        plain.map_or(Register::Word(0), |plain| self.register(plain, None, ty))
    }

    fn fresh_scratch(&mut self) {
        if self.scratch.len() > SCRATCH {
            *self.scratch = Pool::new();
        }
    }

    /// The register that holds a value of this type.
    fn register(&self, concrete: Plain, symbolic: Option<Value>, ty: &Type) -> Register {
        let is_word = width(&self.program.layout, ty).is_some_and(|bits| bits <= 64);
        let Plain::Scalar { bits, .. } = concrete else {
            return Register::Wide(Wide { concrete, symbolic }.into());
        };
        if !is_word {
            return Register::Wide(Wide { concrete, symbolic }.into());
        }
        match symbolic.and_then(|value| value.scalar()) {
            Some(term) if self.pool.is_symbolic(term) => Register::Symbolic(bits as u64, term),
            _ => Register::Word(bits as u64),
        }
    }

    fn plain(&self, register: &Register, ty: &Type) -> Plain {
        match register {
            Register::Wide(wide) => wide.concrete.clone(),
            word => Plain::Scalar {
                bits: word.word().into(),
                width: width(&self.program.layout, ty).unwrap_or(64),
            },
        }
    }

    /// The value as terms of the run.
    fn value(&mut self, register: &Register, ty: &Type) -> Value {
        match register {
            Register::Symbolic(_, term) => Value::Scalar(*term),
            Register::Partial(partial) => self.value(&partial.plain, ty),
            Register::Wide(wide) => match &wide.symbolic {
                Some(value) => value.clone(),
                None => wide.concrete.value(self.pool),
            },
            Register::Word(_) => self.plain(register, ty).value(self.pool),
        }
    }

    /// Operands as terms of the run.
    fn values(&mut self, operands: &[(Register, Type)]) -> Vec<Value> {
        let operands = operands.iter();
        operands
            .map(|(register, ty)| self.value(register, ty))
            .collect()
    }

    /// The concrete values of operands, as constants of the scratch pool.
    fn constants(&mut self, operands: &[(Register, Type)]) -> Vec<Value> {
        self.fresh_scratch();
        let operands = operands.iter();
        operands
            .map(|(register, ty)| self.plain(register, ty).value(self.scratch))
            .collect()
    }

    /// The result of an operation on words of which one is symbolic; its concrete value is known.
    pub fn symbolic(&mut self, to: u32, word: u64) -> Made {
        let Some((op, ty)) = self.operation() else {
            self.set(to, Register::Word(word));
            return Ok(());
        };
        let key = self.computed_of(op);
        let known = key.and_then(|key| self.memo.computed.get(&key));
        let made = match known {
            Some(term) => Ok(Some(term)),
            None => self.made(op, ty).map(|value| value.scalar()),
        };
        let register = match made {
            Ok(Some(term)) => {
                if let (Some(key), None) = (key, known) {
                    self.memo.computed.put(key, term);
                }
                match self.pool.is_symbolic(term) {
                    true => Register::Symbolic(word, term),
                    false => Register::Word(word),
                }
            }
            Ok(None) => Register::Word(word),
            Err(_) => {
                self.lost(LossReason::Instruction);
                Register::Word(word)
            }
        };
        self.set(to, register);
        Ok(())
    }

    /// What the operation that runs computes with, to be remembered; `None` if an operand is no word, or there are too many.
    fn computed_of(&self, op: &Op) -> Option<Computed> {
        let frame = self.top();
        let value = frame.code.origins[frame.at - 1]?;
        let mut computed = Computed::new(frame.code.function, value);
        let mut fits = true;
        op.for_each_operand(|operand| {
            let Operand::Value(value) = operand else {
                return;
            };
            let register = &frame.registers[value.index()];
            fits &= !matches!(register, Register::Wide(_))
                && computed.push(register.word(), register.term());
        });
        fits.then_some(computed)
    }

    /// The operation's terms.
    fn made(&mut self, op: &Op, ty: &Type) -> Result<Value, Gap> {
        let operands = self.operands(op);
        let values = self.values(&operands);
        Builder::new(self.pool, self.program.layout).value(op, ty, &values)
    }

    /// Records under which conditions a division with symbolic operands does not stop the program.
    pub fn check_defined(&mut self) -> Made {
        let Some((op, ty)) = self.operation() else {
            return Ok(());
        };
        let Op::Bin { op: binary, .. } = op else {
            return Ok(());
        };
        if !divides(*binary) {
            return Ok(());
        }
        let operands = self.operands(op);
        let values = self.values(&operands);
        let conditions = Builder::new(self.pool, self.program.layout).conditions(op, ty, &values);
        let spot = self.spot();
        for condition in conditions.unwrap_or_default() {
            if condition.consequence != Consequence::Stops {
                continue;
            }
            // Where it does not hold the run ends here, and what is true is that it does not.
            let holds = match self.holds(op, ty, condition.fault, &operands) {
                true => condition.holds,
                false => self.pool.not(condition.holds),
            };
            self.record.constraint(self.pool, Class::Check, spot, holds);
        }
        Ok(())
    }

    /// Records whether signed arithmetic with a symbolic operand has a result that its type does not have.
    pub fn check_sign(
        &mut self,
        op: BinOp,
        (a, b): (&Register, &Register),
        bits: u8,
        overflows: bool,
    ) {
        if a.term().is_none() && b.term().is_none() {
            return;
        }
        let term = match op {
            BinOp::Add => TermOp::SAddO,
            BinOp::Sub => TermOp::SSubO,
            _ => TermOp::SMulO,
        };
        let ty = Type::Int(bits.into());
        let values = [a, b].map(|operand| self.value(operand, &ty).scalar());
        let [Some(a), Some(b)] = values else { return };
        let happens = self.pool.apply(term, 1, 0, &[a, b]);
        let holds = match overflows {
            true => happens,
            false => self.pool.not(happens),
        };
        let spot = self.spot();
        self.record.constraint(self.pool, Class::Check, spot, holds);
    }

    /// Whether a condition of the operation holds for the concrete operands.
    fn holds(
        &mut self,
        op: &Op,
        ty: &Type,
        fault: semantics::Fault,
        operands: &[(Register, Type)],
    ) -> bool {
        let values = self.constants(operands);
        let mut builder = Builder::new(self.scratch, self.program.layout);
        let conditions = builder.conditions(op, ty, &values).unwrap_or_default();
        let mut of_fault = conditions
            .iter()
            .filter(|condition| condition.fault == fault);
        of_fault.all(|condition| !self.scratch.is_false(condition.holds))
    }

    /// Runs the operation, whatever its operands are.
    pub fn general(&mut self, to: u32) -> Made {
        let Some((op, ty)) = self.operation() else {
            return Ok(());
        };
        match op {
            Op::Load { .. } => self.load_wide(op, ty, to),
            Op::Store { .. } => self.store_wide(op),
            _ => self.compute(op, ty, to),
        }
    }

    fn compute(&mut self, op: &Op, ty: &Type, to: u32) -> Made {
        let operands = self.operands(op);
        let symbolic = operands.iter().any(|(register, _)| is_symbolic(register));
        if symbolic {
            self.check_defined()?;
        }
        let values = self.constants(&operands);
        let mut builder = Builder::new(self.scratch, self.program.layout);
        let conditions = builder.conditions(op, ty, &values).unwrap_or_default();
        let made = builder.value(op, ty, &values);
        let stops = |condition: &semantics::Condition| {
            condition.consequence == Consequence::Stops && self.scratch.is_false(condition.holds)
        };
        if conditions.iter().any(stops) {
            return Err(Fault::Division.into());
        }
        let concrete = made.ok().and_then(|value| Plain::of(self.scratch, &value));
        let concrete = concrete.ok_or_else(|| self.unmodelled(op))?;
        let terms = if symbolic {
            let made = self.made(op, ty);
            if made.is_err() {
                self.lost(LossReason::Instruction);
            }
            made.ok()
        } else {
            None
        };
        let register = self.register(concrete, terms, ty);
        self.set(to, register);
        Ok(())
    }

    fn unmodelled(&self, op: &Op) -> End {
        let name = match op {
            Op::Opaque { what, .. } => what.to_string(),
            Op::Intrinsic { op, .. } => op.name().to_owned(),
            Op::FBin { op, .. } => op.name().to_owned(),
            Op::Cast { op, .. } => op.name().to_owned(),
            _ => "an instruction without a meaning in the model".to_owned(),
        };
        End::Unmodelled(name)
    }

    fn load_wide(&mut self, op: &Op, ty: &Type, to: u32) -> Made {
        let operands = self.operands(op);
        let [(address, _)] = operands.as_slice() else {
            return Ok(());
        };
        self.pin(address, LossReason::Address);
        let size = self.program.layout.store_size(ty).unwrap_or(0);
        let mut bytes = Vec::new();
        for offset in 0..size {
            bytes.push(self.memory.byte(address.word().wrapping_add(offset))?);
        }
        self.fresh_scratch();
        let constants: Vec<_> = bytes
            .iter()
            .map(|(byte, _)| self.scratch.constant(8, u128::from(*byte)))
            .collect();
        let made = Builder::new(self.scratch, self.program.layout).read(ty, &constants);
        let concrete = made.ok().and_then(|value| Plain::of(self.scratch, &value));
        let concrete = concrete.ok_or_else(|| self.unmodelled(op))?;
        let symbolic = bytes.iter().any(|(_, term)| term.is_some());
        let terms = symbolic.then(|| {
            let terms: Vec<_> = bytes
                .iter()
                .map(|(byte, term)| {
                    term.unwrap_or_else(|| self.pool.constant(8, u128::from(*byte)))
                })
                .collect();
            Builder::new(self.pool, self.program.layout).read(ty, &terms)
        });
        let register = self.register(concrete, terms.and_then(Result::ok), ty);
        self.set(to, register);
        Ok(())
    }

    fn store_wide(&mut self, op: &Op) -> Made {
        let Op::Store { address, value, .. } = op else {
            return Ok(());
        };
        let (at, ty) = (self.type_of(address), self.type_of(value));
        let (address, value) = (self.operand(address, &at), self.operand(value, &ty));
        self.pin(&address, LossReason::Address);
        self.write_wide(address.word(), &value, &ty)
    }

    /// Writes a value of any shape.
    pub fn write_wide(&mut self, at: u64, value: &Register, ty: &Type) -> Made {
        self.fresh_scratch();
        let plain = self.plain(value, ty).value(self.scratch);
        let bytes = Builder::new(self.scratch, self.program.layout).written(ty, &plain);
        let bytes = bytes.map_err(|_| End::Unmodelled("store".to_owned()))?;
        let terms = if is_symbolic(value) {
            let value = self.value(value, ty);
            Builder::new(self.pool, self.program.layout)
                .written(ty, &value)
                .ok()
        } else {
            None
        };
        for (index, byte) in bytes.into_iter().enumerate() {
            let Some(byte) = byte else { continue };
            let byte = self.scratch.as_const(byte).unwrap_or(0) as u8;
            let term = terms.as_ref().and_then(|terms| terms[index]);
            let term = term.filter(|term| self.pool.is_symbolic(*term));
            let place = at.wrapping_add(index as u64);
            self.memory.set_byte(place, byte, term)?;
        }
        Ok(())
    }

    /// All bits of the result of the operation that runs.
    pub fn width_mask(&self) -> u64 {
        let width = self.operation();
        let width = width.and_then(|(_, ty)| semantics::width(&self.program.layout, ty));
        crate::concrete::mask(width.unwrap_or(64).min(64) as u8)
    }

    /// A symbolic value was lost here.
    pub fn lost(&mut self, reason: LossReason) {
        let spot = self.spot();
        self.record.lost(spot, reason);
    }
}

/// Of all operations only divisions stop a program.
pub(crate) fn divides(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem)
}

fn is_symbolic(register: &Register) -> bool {
    match register {
        Register::Word(_) => false,
        Register::Symbolic(..) => true,
        Register::Partial(partial) => is_symbolic(&partial.plain),
        Register::Wide(wide) => wide.symbolic.is_some(),
    }
}
