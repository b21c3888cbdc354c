//! The model's side: the functions are run instruction by instruction, every operation through `semantics`.

use std::collections::HashMap;

use program::{Function, Op, Operand, Program, ValueId};
use semantics::{Access, Builder, Consequence, Effect, Gap, Open, Symbol, Value};
use smt::{Pool, Term};

use super::native::BLOCK;

const IN: u128 = 0x10000;
const OUT: u128 = 0x20000;

/// What a run of a function gave.
pub struct Found {
    pub memory: Vec<u8>,
    /// Nothing in it was left open by LLVM.
    pub sure: bool,
}

pub struct Model {
    program: Program,
}

/// No symbols, and nothing undefined.
struct Closed;

impl Open for Closed {
    fn address(&mut self, _: &mut Pool, _: Symbol, _: u16) -> Result<Term, Gap> {
        Err(Gap::Unmodelled)
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(pool.constant(bits, 0))
    }
}

struct Run<'a> {
    program: &'a Program,
    function: &'a Function,
    pool: Pool,
    values: HashMap<ValueId, Value>,
    input: &'a [u8; BLOCK],
    found: Found,
}

impl Model {
    pub fn read(bitcode: &[u8]) -> Model {
        let meta = llvm::read::Meta {
            name: "f.ll".to_owned(),
            library: false,
        };
        let program = llvm::read::read(bitcode, 1, meta).expect("it is read");
        program::verify::verify(&program).expect("a good model");
        Model { program }
    }

    /// Runs a function on a block of operands; `None` where it would stop.
    pub fn run(&self, index: usize, input: &[u8; BLOCK]) -> Result<Option<Found>, String> {
        // The functions stand in the order of the cases.
        let function = self.program.functions.values().nth(index);
        let function = function.ok_or("no such function")?;
        let mut run = Run {
            program: &self.program,
            function,
            pool: Pool::new(),
            values: HashMap::new(),
            input,
            found: Found {
                memory: vec![0; BLOCK],
                sure: true,
            },
        };
        for (&param, address) in function.params.iter().zip([IN, OUT]) {
            let address = run.pool.constant(64, address);
            run.values.insert(param, address.into());
        }
        for (value, inst) in function.insts(Function::ENTRY) {
            let going = run.step(value, &inst.op);
            if !going.map_err(|gap| format!("{gap} in {:?}", inst.op))? {
                return Ok(None);
            }
        }
        Ok(Some(run.found))
    }
}

impl Run<'_> {
    fn operand(&mut self, operand: &Operand) -> Result<Value, Gap> {
        match operand {
            Operand::Value(value) => Ok(self.values[value].clone()),
            Operand::Const(constant) => {
                let mut builder = Builder::new(&mut self.pool, self.program.layout);
                builder.constant(constant, &mut Closed)
            }
        }
    }

    /// One instruction; false where the program stops.
    fn step(&mut self, value: ValueId, op: &Op) -> Result<bool, Gap> {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand.clone()));
        let types: Vec<_> = operands
            .iter()
            .map(|o| self.function.operand_type(o))
            .collect();
        let operands: Result<Vec<Value>, Gap> = operands.iter().map(|o| self.operand(o)).collect();
        let operands = operands?;
        let ty = self.function.values[value].ty.clone();
        let mut builder = Builder::new(&mut self.pool, self.program.layout);
        let conditions = builder.conditions(op, &ty, &operands)?;
        let effect = builder.effect(op, &ty, &operands, &types);
        for condition in conditions {
            let holds = self.pool.as_const(condition.holds).expect("constants") == 1;
            match condition.consequence {
                Consequence::Stops if !holds => return Ok(false),
                Consequence::Undefined => self.found.sure &= holds,
                Consequence::Stops | Consequence::Wraps => {}
            }
        }
        let made = match effect {
            Effect::Value(made) => made,
            Effect::Read(access) => {
                let bytes = self.bytes(access);
                Builder::new(&mut self.pool, self.program.layout).read(&ty, &bytes)?
            }
            Effect::Write(write) => {
                let to = self
                    .pool
                    .as_const(write.access.address)
                    .expect("a constant");
                let to = to.checked_sub(OUT).expect("a place for results") as usize;
                for (at, byte) in write.bytes.into_iter().enumerate() {
                    if let Some(byte) = byte {
                        let byte = self.pool.as_const(byte).expect("a constant");
                        self.found.memory[to + at] = byte as u8;
                    }
                }
                return Ok(true);
            }
            Effect::Unknown(gap) | Effect::Havoc(gap) => return Err(gap),
            _ => return Err(Gap::Unmodelled),
        };
        self.values.insert(value, made);
        Ok(true)
    }

    fn bytes(&mut self, access: Access) -> Vec<Term> {
        let from = self.pool.as_const(access.address).expect("a constant");
        let from = from.checked_sub(IN).expect("a place of operands") as usize;
        let bytes = &self.input[from..][..access.bytes as usize];
        bytes
            .iter()
            .map(|&byte| self.pool.constant(8, u128::from(byte)))
            .collect()
    }
}
