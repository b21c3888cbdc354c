//! Runs programs of [`super::make`] on random inputs. It shares no code with the analysis.
//!
//! Memory is bytes at addresses; each object has a window of addresses for itself. A run ends where C leaves open what happens: an access
//! outside of all objects, a pointer that leaves its window, a division by 0. Functions outside of the program do the worst that they
//! may: they keep what they get, write to all that they reach from there, and call it back.

mod compute;
mod outside;

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BinOp, BlockId, Callee, CastOp, Const, FBinOp, FCmp, FuncId, Function, Intrinsic, MemOp, Op,
    Operand, Program, RelocationTarget, Terminator, Type, ValueId,
};

use super::super::random::numbers;
use crate::object::Object;
use compute::*;

/// Instructions of one run, and calls in a chain.
const STEPS: u32 = 500;
const DEEPEST: u32 = 12;
/// Addresses of one window.
const WINDOW: u32 = 36;

/// A concrete object.
#[derive(Clone)]
pub struct Instance {
    pub object: Object,
    pub base: u64,
    pub bytes: Vec<u8>,
    pub lives: bool,
    constant: bool,
}

/// The bits of a number, an address, a floating-point number; or of members.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    Bits(u128),
    Tuple(Vec<u128>),
}

impl Known {
    fn bits(&self) -> u128 {
        match self {
            Known::Bits(bits) => *bits,
            Known::Tuple(_) => panic!("a struct"),
        }
    }
}

/// A place where control comes: what variables and memory are.
pub struct Point<'r> {
    pub function: FuncId,
    pub block: BlockId,
    pub values: &'r [Option<Known>],
    pub memory: &'r [Instance],
}

/// Why a run ended before `main` returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This instruction went wrong.
    Trap(FuncId, ValueId),
    /// It left, or was too long, or did what says nothing of the analysis.
    Other,
}

pub struct Run<'p> {
    pub program: &'p Program,
    random: Box<dyn FnMut(u32) -> u32>,
    pub memory: Vec<Instance>,
    windows: BTreeMap<Object, usize>,
    /// Instances that code outside has.
    kept: BTreeSet<usize>,
    handler: Option<FuncId>,
    steps: u32,
    depth: u32,
    pub taken: &'p mut [bool],
    at: &'p mut dyn FnMut(&Point<'_>),
}

impl<'p> Run<'p> {
    pub fn new(
        program: &'p Program,
        seed: u64,
        taken: &'p mut [bool],
        at: &'p mut dyn FnMut(&Point<'_>),
    ) -> Run<'p> {
        let mut run = Run {
            program,
            random: Box::new(numbers(seed)),
            memory: Vec::new(),
            windows: BTreeMap::new(),
            kept: BTreeSet::new(),
            handler: None,
            steps: 0,
            depth: 0,
            taken,
            at,
        };
        for (id, global) in program.globals.iter() {
            let mut bytes = vec![0; global.size as usize];
            if let Some(init) = &global.init {
                bytes[..init.bytes.len()].copy_from_slice(&init.bytes);
            }
            let at = run.make(Object::Global(id), bytes, global.constant);
            if global.init.is_none() {
                run.kept.insert(at);
            }
        }
        for id in program.functions.keys() {
            run.make(Object::Function(id), Vec::new(), true);
        }
        for id in program.externs.keys() {
            run.make(Object::Extern(id), Vec::new(), true);
        }
        for (id, global) in program.globals.iter() {
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                let object = match relocation.to {
                    RelocationTarget::Global(to) => Object::Global(to),
                    RelocationTarget::Function(to) => Object::Function(to),
                    RelocationTarget::Extern(to) => Object::Extern(to),
                };
                let to = run.memory[run.windows[&object]].base;
                let own = run.windows[&Object::Global(id)];
                let at = relocation.offset as usize;
                run.memory[own].bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
            }
        }
        run
    }

    /// Runs the program from `main`.
    pub fn whole(&mut self) -> Result<Option<Known>, End> {
        let main = self.program.function_named("main").expect("it has one");
        self.call(main, &[])
    }

    fn make(&mut self, object: Object, bytes: Vec<u8>, constant: bool) -> usize {
        let at = self.memory.len();
        let shift = u64::from((self.random)(1 << 20)) * 16;
        let base = ((at as u64 + 1) << WINDOW) + (1 << (WINDOW - 1)) + shift;
        self.windows.insert(object, at);
        self.memory.push(Instance {
            object,
            base,
            bytes,
            lives: true,
            constant,
        });
        at
    }

    /// The object that an address belongs to.
    fn window(&self, address: u64) -> Option<usize> {
        window(&self.memory, address)
    }

    /// The place of an access; `None` where it is not in an object that lives.
    fn place(&self, address: u64, size: u64, writes: bool) -> Option<(usize, usize)> {
        let at = self.window(address)?;
        let instance = &self.memory[at];
        let offset = address.checked_sub(instance.base)?;
        let fits = offset.checked_add(size)? <= instance.bytes.len() as u64;
        (fits && instance.lives && !(writes && instance.constant)).then_some((at, offset as usize))
    }

    fn junk(&mut self) -> u64 {
        match (self.random)(3) {
            0 => u64::from((self.random)(10)),
            1 => u64::MAX - u64::from((self.random)(4)),
            _ => u64::from((self.random)(1 << 30)) << (self.random)(40),
        }
    }

    fn junk_bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| [0, 1, 5, 255, (self.random)(256) as u8][(self.random)(5) as usize])
            .collect()
    }

    fn operand(&self, operand: &Operand, values: &[Option<Known>]) -> Known {
        let address = |object: Object, offset: i64| {
            let base = self.memory[self.windows[&object]].base;
            Known::Bits(u128::from(base.wrapping_add(offset as u64)))
        };
        match operand {
            Operand::Value(value) => values[value.index()].clone().expect("it was computed"),
            Operand::Const(Const::Int { value, .. }) => Known::Bits(*value),
            Operand::Const(Const::Null) => Known::Bits(0),
            Operand::Const(Const::F32(bits)) => Known::Bits((*bits).into()),
            Operand::Const(Const::F64(bits)) => Known::Bits((*bits).into()),
            Operand::Const(Const::Global { global, offset }) => {
                address(Object::Global(*global), *offset)
            }
            Operand::Const(Const::Function(function)) => address(Object::Function(*function), 0),
            Operand::Const(Const::Extern(known)) => address(Object::Extern(*known), 0),
            Operand::Const(other) => panic!("{other:?} is not made here"),
        }
    }

    fn call(&mut self, id: FuncId, args: &[Known]) -> Result<Option<Known>, End> {
        if self.depth == DEEPEST {
            return Err(End::Other);
        }
        self.depth += 1;
        let before = self.memory.len();
        let result = self.body(id, args)?;
        self.depth -= 1;
        for instance in &mut self.memory[before..] {
            // Its own; those of functions that it called have ended before.
            if matches!(instance.object, Object::Local(..)) {
                instance.lives = false;
            }
        }
        Ok(result)
    }

    fn body(&mut self, id: FuncId, args: &[Known]) -> Result<Option<Known>, End> {
        let program = self.program;
        let function = &program.functions[id];
        let mut values: Vec<Option<Known>> = vec![None; function.values.len()];
        for (param, arg) in function.params.iter().zip(args) {
            values[param.index()] = Some(arg.clone());
        }
        let (mut block, mut from) = (Function::ENTRY, None);
        loop {
            let mut phis = Vec::new();
            for (value, inst) in function.insts(block) {
                let Op::Phi { incoming } = &inst.op else {
                    break;
                };
                let flows = incoming.iter().find(|(block, _)| Some(*block) == from);
                let (_, operand) = flows.expect("one for each way");
                phis.push((value, self.operand(operand, &values)));
            }
            for (value, known) in phis {
                values[value.index()] = Some(known);
            }
            (self.at)(&Point {
                function: id,
                block,
                values: &values,
                memory: &self.memory,
            });
            for (value, inst) in function.insts(block) {
                self.steps += 1;
                if self.steps > STEPS {
                    return Err(End::Other);
                }
                match &inst.op {
                    Op::Phi { .. } => continue,
                    Op::Count {
                        step: Some(step),
                        site: Some(site),
                        ..
                    } => {
                        let side = u32::from(self.operand(step, &values).bits() != 0);
                        self.taken[program.edge(*site, side).index()] = true;
                        continue;
                    }
                    _ => {}
                }
                let known = self.instruction((id, value), &inst.op, &values)?;
                values[value.index()] = known;
                if let Some(handler) = self.handler
                    && (self.random)(8) == 0
                {
                    let args = [self.junk(), self.junk() & 0xffff_ffff];
                    self.handler = None;
                    self.call(handler, &args.map(|arg| Known::Bits(arg.into())))?;
                    self.handler = Some(handler);
                }
            }
            let bits = |operand: &Operand| self.operand(operand, &values).bits();
            let (taken, target) = match &function.blocks[block].terminator {
                Terminator::Br { target } => (None, *target),
                Terminator::CondBr {
                    cond,
                    then,
                    els,
                    site,
                } => match bits(cond) {
                    0 => (Some((*site, 0)), *els),
                    _ => (Some((*site, 1)), *then),
                },
                Terminator::Switch {
                    value,
                    cases,
                    default,
                    site,
                } => {
                    let number = bits(value);
                    let found = cases.iter().position(|(case, _)| *case == number);
                    let target = found.map_or(*default, |at| cases[at].1);
                    (Some((*site, found.unwrap_or(cases.len()))), target)
                }
                Terminator::Ret { value } => {
                    return Ok(value.as_ref().map(|value| self.operand(value, &values)));
                }
                other => panic!("{other:?} is not made here"),
            };
            if let Some((site, side)) = taken {
                self.taken[program.edge(site, side as u32).index()] = true;
            }
            from = Some(block);
            block = target;
        }
    }

    fn instruction(
        &mut self,
        (id, value): (FuncId, ValueId),
        op: &Op,
        values: &[Option<Known>],
    ) -> Result<Option<Known>, End> {
        let function = &self.program.functions[id];
        let trap = Err(End::Trap(id, value));
        let ty = &function.values[value].ty;
        let bits = |operand: &Operand| self.operand(operand, values).bits();
        let of = |operand: &Operand| function.operand_type(operand);
        let number = match op {
            Op::Bin { op, lhs, rhs } => match binary(*op, width(ty), bits(lhs), bits(rhs)) {
                Some(number) => number,
                None => return trap,
            },
            Op::FBin { op, lhs, rhs } => {
                let (a, b) = (float(ty, bits(lhs)), float(ty, bits(rhs)));
                pattern(
                    ty,
                    match op {
                        FBinOp::Add => a + b,
                        FBinOp::Sub => a - b,
                        FBinOp::Mul => a * b,
                        FBinOp::Div => a / b,
                        FBinOp::Rem => a % b,
                    },
                )
            }
            Op::FNeg { value } => bits(value) ^ 1 << (width(ty) - 1),
            Op::ICmp { pred, lhs, rhs } => pred.holds(width(&of(lhs)), bits(lhs), bits(rhs)).into(),
            Op::FCmp { pred, lhs, rhs } => {
                let (a, b) = (float(&of(lhs), bits(lhs)), float(&of(lhs), bits(rhs)));
                compares(*pred, a, b).into()
            }
            Op::Cast { op, value } => match cast(*op, &of(value), ty, bits(value)) {
                Some(number) => number,
                None => return Err(End::Other),
            },
            Op::Select {
                cond,
                then_value,
                else_value,
            } => match bits(cond) {
                0 => bits(else_value),
                _ => bits(then_value),
            },
            Op::Freeze { value } => bits(value),
            Op::Gep {
                base,
                indices,
                offset,
            } => {
                let from = bits(base) as u64;
                let mut to = from.wrapping_add(*offset as u64);
                for (index, scale) in indices {
                    let index = signed(width(&of(index)), bits(index)) as i64;
                    to = to.wrapping_add(index.wrapping_mul(*scale) as u64);
                }
                if self.window(from) != self.window(to) {
                    return Err(End::Other);
                }
                u128::from(to)
            }
            Op::Intrinsic { op, args } => {
                let numbers: Vec<u128> = args.iter().map(bits).collect();
                match ty {
                    Type::Struct(_) => {
                        let bits = width(&of(&args[0]));
                        return Ok(Some(Known::Tuple(overflow(*op, bits, &numbers))));
                    }
                    Type::F32 | Type::F64 => float_intrinsic(*op, ty, &numbers),
                    ty => intrinsic(*op, width(ty), &numbers),
                }
            }
            Op::ExtractValue { aggregate, path } => match self.operand(aggregate, values) {
                Known::Tuple(members) => members[path[0] as usize],
                Known::Bits(_) => panic!("no struct"),
            },
            Op::InsertValue {
                aggregate,
                value,
                path,
            } => {
                let Known::Tuple(mut members) = self.operand(aggregate, values) else {
                    panic!("no struct")
                };
                members[path[0] as usize] = bits(value);
                return Ok(Some(Known::Tuple(members)));
            }
            Op::Load { address, .. } => {
                let size = width(ty).div_ceil(8);
                let Some((at, offset)) = self.place(bits(address) as u64, size.into(), false)
                else {
                    return trap;
                };
                masked(width(ty), read(&self.memory[at], offset, size as usize))
            }
            Op::Store { address, value, .. } => {
                let (size, number) = (width(&of(value)).div_ceil(8), bits(value));
                let Some((at, offset)) = self.place(bits(address) as u64, size.into(), true) else {
                    return trap;
                };
                let bytes = number.to_le_bytes();
                let size = size as usize;
                self.memory[at].bytes[offset..offset + size].copy_from_slice(&bytes[..size]);
                return Ok(None);
            }
            Op::Alloca { size, .. } => {
                let bytes = self.junk_bytes(*size as usize);
                let at = self.make(Object::Local(id, value), bytes, false);
                u128::from(self.memory[at].base)
            }
            Op::Mem { op, args, .. } => {
                let [to, from, length] = [0, 1, 2].map(|at| bits(&args[at]));
                if length == 0 {
                    return Ok(None);
                }
                let length = length as u64;
                let Some((at, offset)) = self.place(to as u64, length, true) else {
                    return trap;
                };
                let bytes = match op {
                    MemOp::Set => vec![from as u8; length as usize],
                    MemOp::Copy | MemOp::Move => {
                        let Some((source, start)) = self.place(from as u64, length, false) else {
                            return trap;
                        };
                        // A copy of blocks that overlap is undefined.
                        if *op == MemOp::Copy
                            && source == at
                            && start.abs_diff(offset) < length as usize
                            && start != offset
                        {
                            return Err(End::Other);
                        }
                        self.memory[source].bytes[start..start + length as usize].to_vec()
                    }
                };
                self.memory[at].bytes[offset..offset + length as usize].copy_from_slice(&bytes);
                return Ok(None);
            }
            Op::Call { callee, args, .. } => {
                let args: Vec<Known> = args.iter().map(|arg| self.operand(arg, values)).collect();
                return self.called((id, value), callee, &args, values);
            }
            other => panic!("{other:?} is not made here"),
        };
        Ok(Some(Known::Bits(number)))
    }

    fn called(
        &mut self,
        at: (FuncId, ValueId),
        callee: &Callee,
        args: &[Known],
        values: &[Option<Known>],
    ) -> Result<Option<Known>, End> {
        let object = match callee {
            Callee::Direct(target) => Object::Function(*target),
            Callee::Extern(known) => Object::Extern(*known),
            Callee::Indirect(pointer) => {
                let address = self.operand(pointer, values).bits() as u64;
                match self.window(address) {
                    Some(window) if self.memory[window].base == address => {
                        self.memory[window].object
                    }
                    _ => return Err(End::Other),
                }
            }
            other => panic!("{other:?} is not made here"),
        };
        match object {
            Object::Function(target) => {
                let function = &self.program.functions[target];
                let caller = &self.program.functions[at.0].values[at.1].ty;
                // A call by another type.
                if function.params.len() != args.len() || function.return_type != *caller {
                    return Err(End::Other);
                }
                self.call(target, args)
            }
            Object::Extern(known) => {
                let name = self.program.externs[known].name.as_str();
                self.outside(at, name, args)
            }
            _ => Err(End::Other),
        }
    }
}

/// The object whose addresses these are.
pub fn window(memory: &[Instance], address: u64) -> Option<usize> {
    let at = (address >> WINDOW).checked_sub(1)? as usize;
    (at < memory.len()).then_some(at)
}

/// The object that an address points to, its end included.
pub fn owner(memory: &[Instance], address: u64) -> Option<usize> {
    let at = window(memory, address)?;
    let offset = address.checked_sub(memory[at].base)?;
    (offset <= memory[at].bytes.len() as u64).then_some(at)
}

/// Some bytes as a number.
pub fn read(instance: &Instance, offset: usize, size: usize) -> u128 {
    let bytes = instance.bytes[offset..offset + size].iter().rev();
    bytes.fold(0, |all, byte| all << 8 | u128::from(*byte))
}
