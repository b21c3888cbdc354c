//! Random small programs, run on all their inputs: no edge that any run takes may be called dead.
//!
//! The programs have globals, an array, loops, calls, switches and phis over 8-bit numbers; inputs are what `input()` returns, two bits at a
//! time. The interpreter here shares no code with the analysis.

use program::{
    BinOp, BlockId, Callee, Const, Extern, ExternId, FuncId, Function, Global, GlobalId, ICmp,
    Init, Op, Operand, Program, SiteKind, Terminator, Type, ValueId,
};

/// Inputs of one run, and numbers that each may be.
const INPUTS: usize = 4;
const CHOICES: u8 = 4;
/// Instructions of one run.
const STEPS: u32 = 3000;
const BITS: u32 = 8;
const CELLS: u8 = 4;

pub fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 20) % u64::from(below)) as u32
    }
}

struct Builder<'r> {
    random: &'r mut dyn FnMut(u32) -> u32,
    program: Program,
    variables: Vec<GlobalId>,
    array: GlobalId,
    pointer: GlobalId,
    input: ExternId,
    helpers: Vec<FuncId>,
    function: Function,
    id: FuncId,
    block: BlockId,
    sites: Vec<(BlockId, SiteKind)>,
}

fn int(value: u32) -> Operand {
    Operand::Const(Const::int(BITS, u128::from(value)))
}

fn byte() -> Type {
    Type::Int(BITS)
}

impl Builder<'_> {
    fn add(&mut self, ty: Type, op: Op) -> ValueId {
        self.function.append(self.block, ty, op, None, None)
    }

    fn address(global: GlobalId) -> Operand {
        Operand::Const(Const::Global { global, offset: 0 })
    }

    fn load(&mut self, address: Operand) -> Operand {
        let op = Op::Load {
            address,
            align: 1,
            volatile: false,
        };
        self.add(byte(), op).into()
    }

    fn store(&mut self, address: Operand, value: Operand) {
        let op = Op::Store {
            address,
            value,
            align: 1,
            volatile: false,
        };
        self.add(Type::Void, op);
    }

    fn cell(&mut self, depth: u32) -> Operand {
        let index = self.expression(depth);
        let masked = Op::Bin {
            op: BinOp::And,
            lhs: index,
            rhs: int(u32::from(CELLS) - 1),
        };
        let index: Operand = self.add(byte(), masked).into();
        let base = Builder::address(self.array);
        let op = Op::Gep {
            base,
            indices: vec![(index, 1)],
            offset: 0,
        };
        self.add(Type::Ptr, op).into()
    }

    /// An address that is kept in memory: of one variable or the other.
    fn kept(&mut self) -> Operand {
        let op = Op::Load {
            address: Builder::address(self.pointer),
            align: 8,
            volatile: false,
        };
        self.add(Type::Ptr, op).into()
    }

    fn variable(&mut self) -> GlobalId {
        let at = (self.random)(self.variables.len() as u32);
        self.variables[at as usize]
    }

    fn expression(&mut self, depth: u32) -> Operand {
        match (self.random)(if depth == 0 { 4 } else { 9 }) {
            0 => int((self.random)(6)),
            1 | 2 => {
                let global = self.variable();
                self.load(Builder::address(global))
            }
            3 => {
                let op = Op::Call {
                    callee: Callee::Extern(self.input),
                    args: Vec::new(),
                    variadic: false,
                };
                let lhs = self.add(byte(), op).into();
                let masked = Op::Bin {
                    op: BinOp::And,
                    lhs,
                    rhs: int(u32::from(CHOICES) - 1),
                };
                self.add(byte(), masked).into()
            }
            4 => {
                let cell = self.cell(depth - 1);
                self.load(cell)
            }
            5 => {
                let kept = self.kept();
                self.load(kept)
            }
            6 if !self.helpers.is_empty() => {
                let at = (self.random)(self.helpers.len() as u32);
                let arg = self.expression(depth - 1);
                let op = Op::Call {
                    callee: Callee::Direct(self.helpers[at as usize]),
                    args: vec![arg],
                    variadic: false,
                };
                self.add(byte(), op).into()
            }
            _ => {
                const OPS: [BinOp; 9] = [
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::Mul,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                    BinOp::URem,
                    BinOp::LShr,
                    BinOp::Shl,
                ];
                let op = OPS[(self.random)(9) as usize];
                let lhs = self.expression(depth - 1);
                let rhs = match op {
                    BinOp::URem => int((self.random)(5) + 1),
                    _ => self.expression(depth - 1),
                };
                self.add(byte(), Op::Bin { op, lhs, rhs }).into()
            }
        }
    }

    fn condition(&mut self) -> Operand {
        let pred = ICmp::ALL[(self.random)(10) as usize];
        let lhs = self.expression(2);
        let rhs = match (self.random)(3) {
            0 => self.expression(1),
            _ => int((self.random)(6)),
        };
        self.add(Type::BOOL, Op::ICmp { pred, lhs, rhs }).into()
    }

    fn branch(&mut self, cond: Operand, then: BlockId, els: BlockId) {
        let terminator = Terminator::CondBr {
            cond,
            then,
            els,
            site: program::SiteId::from_u32(u32::MAX),
        };
        self.function.terminate(self.block, terminator, None);
        self.sites.push((self.block, SiteKind::Branch));
    }

    fn jump(&mut self, target: BlockId) {
        self.function
            .terminate(self.block, Terminator::Br { target }, None);
    }

    fn statement(&mut self, depth: u32) {
        match (self.random)(if depth == 0 { 4 } else { 9 }) {
            0 | 1 => {
                let value = self.expression(2);
                let global = self.variable();
                self.store(Builder::address(global), value);
            }
            2 => {
                let value = self.expression(2);
                let cell = self.cell(1);
                self.store(cell, value);
            }
            3 => match (self.random)(2) {
                0 => {
                    let global = self.variable();
                    let op = Op::Store {
                        address: Builder::address(self.pointer),
                        value: Builder::address(global),
                        align: 8,
                        volatile: false,
                    };
                    self.add(Type::Void, op);
                }
                _ => {
                    let value = self.expression(1);
                    let kept = self.kept();
                    self.store(kept, value);
                }
            },
            4 | 5 => self.either(depth),
            6 => self.cases(depth),
            7 => self.rounds(depth),
            _ => self.chosen(depth),
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..(self.random)(3) + 1 {
            self.statement(depth);
        }
    }

    fn either(&mut self, depth: u32) {
        let cond = self.condition();
        let [then, els, join] = [0; 3].map(|_| self.function.add_block());
        self.branch(cond, then, els);
        for side in [then, els] {
            self.block = side;
            self.statements(depth - 1);
            self.jump(join);
        }
        self.block = join;
    }

    /// A value that depends on the way, as `c ? a : b` is.
    fn chosen(&mut self, depth: u32) {
        let cond = self.condition();
        let [then, els, join] = [0; 3].map(|_| self.function.add_block());
        self.branch(cond, then, els);
        let mut incoming = Vec::new();
        for side in [then, els] {
            self.block = side;
            let value = match (self.random)(2) {
                0 => int((self.random)(4)),
                _ => self.expression(1),
            };
            incoming.push((self.block, value));
            self.jump(join);
        }
        self.block = join;
        let phi = self.add(byte(), Op::Phi { incoming });
        self.statements(depth - 1);
        let global = self.variable();
        self.store(Builder::address(global), phi.into());
    }

    fn cases(&mut self, depth: u32) {
        let value = self.expression(2);
        let count = (self.random)(3) + 2;
        let targets: Vec<BlockId> = (0..=count).map(|_| self.function.add_block()).collect();
        let join = self.function.add_block();
        let cases: Vec<u128> = (0..count).map(u128::from).collect();
        let terminator = Terminator::Switch {
            value,
            cases: cases.iter().copied().zip(targets.iter().copied()).collect(),
            default: targets[count as usize],
            site: program::SiteId::from_u32(u32::MAX),
        };
        self.function.terminate(self.block, terminator, None);
        self.sites
            .push((self.block, SiteKind::Switch { bits: BITS, cases }));
        for target in targets {
            self.block = target;
            self.statements(depth - 1);
            self.jump(join);
        }
        self.block = join;
    }

    /// A loop that a local variable counts, as a phi or in memory.
    fn rounds(&mut self, depth: u32) {
        let most = (self.random)(4) + 1;
        let before = self.block;
        let head = self.function.add_block();
        self.jump(head);
        self.block = head;
        let counter = self.add(
            byte(),
            Op::Phi {
                incoming: Vec::new(),
            },
        );
        let cond = self.add(
            Type::BOOL,
            Op::ICmp {
                pred: ICmp::Ult,
                lhs: counter.into(),
                rhs: int(most),
            },
        );
        let [body, behind] = [0; 2].map(|_| self.function.add_block());
        self.branch(cond.into(), body, behind);
        self.block = body;
        self.statements(depth - 1);
        let next = self.add(
            byte(),
            Op::Bin {
                op: BinOp::Add,
                lhs: counter.into(),
                rhs: int(1),
            },
        );
        let last = self.block;
        self.jump(head);
        if let Some(inst) = self.function.inst_mut(counter) {
            inst.op = Op::Phi {
                incoming: vec![(before, int(0)), (last, next.into())],
            };
        }
        self.block = behind;
    }

    fn finish(&mut self, result: Operand) {
        let terminator = Terminator::Ret {
            value: Some(result),
        };
        self.function.terminate(self.block, terminator, None);
        let mut function = std::mem::replace(&mut self.function, Function::new("next"));
        // Sites are numbered in the order of the blocks.
        self.sites.sort_by_key(|(block, _)| *block);
        for (block, kind) in std::mem::take(&mut self.sites) {
            let targets: Vec<BlockId> = function.blocks[block].terminator.successors().collect();
            let edges = targets.into_iter().map(|target| (Some(target), Vec::new()));
            let made = self.program.add_site(kind, self.id, block, None, edges);
            match &mut function.blocks[block].terminator {
                Terminator::CondBr { site, .. } | Terminator::Switch { site, .. } => *site = made,
                _ => {}
            }
        }
        let id = self.program.add_function(function);
        assert_eq!(id, self.id);
    }
}

/// A program from a seed.
pub fn program(seed: u64) -> Program {
    let mut random = numbers(seed);
    let mut program = Program::new();
    program.add_module(1, "random.c");
    let global = |name: &str, size: u64, bytes: Vec<u8>| Global {
        name: name.to_owned(),
        internal: true,
        constant: false,
        thread_local: false,
        size,
        align: 8,
        init: Some(Init {
            bytes,
            relocations: Vec::new(),
        }),
        loc: None,
    };
    let variables: Vec<GlobalId> = (0..3u8)
        .map(|at| program.globals.push(global(&format!("g{at}"), 1, vec![at])))
        .collect();
    let array = program
        .globals
        .push(global("a", u64::from(CELLS), vec![0, 1, 2, 3]));
    let pointer = program.globals.push(global("p", 8, Vec::new()));
    program.globals[pointer].init = Some(Init {
        bytes: vec![0; 8],
        relocations: vec![program::Relocation {
            offset: 0,
            to: program::RelocationTarget::Global(variables[0]),
            addend: 0,
        }],
    });
    let input = program.externs.push(Extern {
        name: "__VERIFIER_nondet_char".to_owned(),
        return_type: byte(),
        params: Vec::new(),
        variadic: false,
    });
    let mut builder = Builder {
        random: &mut random,
        program,
        variables,
        array,
        pointer,
        input,
        helpers: Vec::new(),
        function: Function::new("helper0"),
        id: FuncId::from_u32(0),
        block: Function::ENTRY,
        sites: Vec::new(),
    };
    for at in 0..3u32 {
        let is_main = at == 2;
        let name = if is_main {
            "main".to_owned()
        } else {
            format!("helper{at}")
        };
        builder.function = Function::new(name);
        builder.function.return_type = byte();
        builder.id = FuncId::from_u32(at);
        if !is_main {
            let param = builder.function.add_param(byte());
            builder.block = builder.function.add_block();
            // Where expressions find it: in a variable.
            let global = builder.variable();
            if (builder.random)(2) == 0 {
                builder.store(Builder::address(global), param.into());
            }
        } else {
            builder.block = builder.function.add_block();
        }
        for _ in 0..if is_main { 5 } else { 2 } {
            builder.statement(if is_main { 3 } else { 2 });
        }
        let result = builder.expression(1);
        builder.finish(result);
        if !is_main {
            builder.helpers.push(builder.id);
        }
    }
    builder.program
}

/// Runs a program; what it stores is in `memory`, an address is the number of a global and an offset.
struct Run<'p> {
    program: &'p Program,
    inputs: &'p [u8],
    read: usize,
    steps: u32,
    bytes: Vec<Vec<u8>>,
    pointers: Vec<(GlobalId, u64)>,
    taken: &'p mut [bool],
}

#[derive(Clone, Copy, Debug)]
enum Known {
    Number(u8),
    Address(GlobalId, u64),
}

impl Known {
    fn number(self) -> u8 {
        match self {
            Known::Number(number) => number,
            Known::Address(..) => panic!("an address is no number here"),
        }
    }
}

impl Run<'_> {
    fn operand(&self, operand: &Operand, values: &[Option<Known>]) -> Known {
        match operand {
            Operand::Value(value) => values[value.index()].expect("defined before its use"),
            Operand::Const(Const::Int { value, .. }) => Known::Number(*value as u8),
            Operand::Const(Const::Global { global, offset }) => {
                Known::Address(*global, *offset as u64)
            }
            Operand::Const(other) => panic!("{other:?} is not made here"),
        }
    }

    fn call(&mut self, id: FuncId, args: &[Known]) -> Option<Known> {
        let program = self.program;
        let function = &program.functions[id];
        let mut values: Vec<Option<Known>> = vec![None; function.values.len()];
        for (param, arg) in function.params.iter().zip(args) {
            values[param.index()] = Some(*arg);
        }
        let (mut block, mut from) = (Function::ENTRY, None);
        loop {
            let mut phis = Vec::new();
            for (value, inst) in function.insts(block) {
                self.steps += 1;
                if self.steps > STEPS {
                    return None;
                }
                let known = match &inst.op {
                    Op::Phi { incoming } => {
                        let (_, operand) =
                            incoming.iter().find(|(block, _)| Some(*block) == from)?;
                        phis.push((value, self.operand(operand, &values)));
                        continue;
                    }
                    op => {
                        for (value, known) in phis.drain(..) {
                            values[value.index()] = Some(known);
                        }
                        self.instruction(op, &values)?
                    }
                };
                values[value.index()] = known;
            }
            for (value, known) in phis.drain(..) {
                values[value.index()] = Some(known);
            }
            let (site, side, target) = match &function.blocks[block].terminator {
                Terminator::Br { target } => (None, 0, *target),
                Terminator::CondBr {
                    cond,
                    then,
                    els,
                    site,
                } => {
                    let holds = self.operand(cond, &values).number() != 0;
                    (
                        Some(*site),
                        u32::from(holds),
                        if holds { *then } else { *els },
                    )
                }
                Terminator::Switch {
                    value,
                    cases,
                    default,
                    site,
                } => {
                    let number = u128::from(self.operand(value, &values).number());
                    let found = cases.iter().position(|(case, _)| *case == number);
                    let target = found.map_or(*default, |at| cases[at].1);
                    (Some(*site), found.unwrap_or(cases.len()) as u32, target)
                }
                Terminator::Ret { value } => {
                    return value.as_ref().map(|value| self.operand(value, &values));
                }
                other => panic!("{other:?} is not made here"),
            };
            if let Some(site) = site {
                self.taken[program.edge(site, side).index()] = true;
            }
            from = Some(block);
            block = target;
        }
    }

    fn instruction(&mut self, op: &Op, values: &[Option<Known>]) -> Option<Option<Known>> {
        let number = |operand: &Operand| self.operand(operand, values).number();
        Some(Some(match op {
            Op::Bin { op, lhs, rhs } => {
                let (a, b) = (number(lhs), number(rhs));
                Known::Number(match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::Mul => a.wrapping_mul(b),
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    BinOp::Xor => a ^ b,
                    BinOp::URem => a % b,
                    BinOp::LShr => a >> (b % 8),
                    BinOp::Shl => a << (b % 8),
                    other => panic!("{other} is not made here"),
                })
            }
            Op::ICmp { pred, lhs, rhs } => {
                let (a, b) = (number(lhs), number(rhs));
                Known::Number(u8::from(pred.holds(BITS, a.into(), b.into())))
            }
            Op::Load { address, .. } => {
                let Known::Address(global, offset) = self.operand(address, values) else {
                    panic!("an address")
                };
                if self.program.globals[global].name == "p" {
                    let (global, offset) = self.pointers[0];
                    Known::Address(global, offset)
                } else {
                    Known::Number(self.bytes[global.index()][offset as usize])
                }
            }
            Op::Store { address, value, .. } => {
                let Known::Address(global, offset) = self.operand(address, values) else {
                    panic!("an address")
                };
                match self.operand(value, values) {
                    Known::Address(to, at) => self.pointers[0] = (to, at),
                    Known::Number(number) => self.bytes[global.index()][offset as usize] = number,
                }
                return Some(None);
            }
            Op::Gep { base, indices, .. } => {
                let Known::Address(global, offset) = self.operand(base, values) else {
                    panic!("an address")
                };
                let moved: i64 = indices
                    .iter()
                    .map(|(index, scale)| i64::from(number(index) as i8) * scale)
                    .sum();
                Known::Address(global, offset.wrapping_add(moved as u64))
            }
            Op::Call {
                callee: Callee::Extern(_),
                ..
            } => {
                let value = self.inputs.get(self.read).copied().unwrap_or(0);
                self.read += 1;
                Known::Number(value)
            }
            Op::Call {
                callee: Callee::Direct(function),
                args,
                ..
            } => {
                let args: Vec<Known> = args.iter().map(|arg| self.operand(arg, values)).collect();
                self.call(*function, &args)?
            }
            other => panic!("{other:?} is not made here"),
        }))
    }
}

/// Which edges any input takes, and whether no run asked for more inputs than it was given, so that no other edge is ever taken.
pub fn taken(program: &Program) -> (Vec<bool>, bool) {
    let mut all_read = true;
    let mut taken = vec![false; program.edges.len()];
    let main = program.function_named("main").expect("made with one");
    let all = u32::from(CHOICES).pow(INPUTS as u32);
    for number in 0..all {
        let mut rest = number;
        let inputs: Vec<u8> = (0..INPUTS)
            .map(|_| {
                let digit = rest % u32::from(CHOICES);
                rest /= u32::from(CHOICES);
                digit as u8
            })
            .collect();
        let bytes = program.globals.values();
        let mut run = Run {
            program,
            inputs: &inputs,
            read: 0,
            steps: 0,
            bytes: bytes
                .map(|global| {
                    global
                        .init
                        .as_ref()
                        .map_or_else(Vec::new, |init| init.bytes.clone())
                })
                .collect(),
            pointers: vec![(GlobalId::from_u32(0), 0)],
            taken: &mut taken,
        };
        all_read &= run.call(main, &[]).is_some() && run.read <= INPUTS;
    }
    (taken, all_read)
}
