//! Random small programs, to be run on all their inputs: no edge that any run takes may be called dead.
//!
//! The programs have globals, an array, loops with and without a bound, calls (recursive and by pointer too), copies of local objects as
//! they are made for structs by value, switches, phis, runs that end in the middle, a `double`, and 8-bit numbers with some arithmetic on
//! 16 bits;
//! inputs are what `input()` returns, two bits at a time.

use program::{
    BinOp, BlockId, Callee, CastOp, Const, Extern, ExternId, FBinOp, FCmp, FuncId, Function,
    Global, GlobalId, ICmp, Init, Intrinsic, MemOp, Op, Operand, Program, SiteKind, Terminator,
    Type, ValueId,
};

use super::sites;

/// Inputs of one run, and numbers that each may be.
pub const INPUTS: usize = 4;
pub const CHOICES: u8 = 4;
pub const BITS: u32 = 8;
const CELLS: u8 = 4;
/// Functions besides `main`; the second calls itself.
const HELPERS: u32 = 3;

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
    /// A `double`.
    real: GlobalId,
    input: ExternId,
    exit: ExternId,
    /// A global that points to one helper or the other.
    hook: GlobalId,
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
        match (self.random)(if depth == 0 { 4 } else { 13 }) {
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
            7 => self.wide(depth),
            8 if self.helpers.len() > 1 => {
                let hook = Op::Load {
                    address: Builder::address(self.hook),
                    align: 8,
                    volatile: false,
                };
                let hook = self.add(Type::Ptr, hook).into();
                let arg = self.expression(depth - 1);
                let op = Op::Call {
                    callee: Callee::Indirect(hook),
                    args: vec![arg],
                    variadic: false,
                };
                self.add(byte(), op).into()
            }
            9 => self.copied(depth),
            10 => self.cut(depth),
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

    /// Arithmetic on 16 bits, back in 8.
    fn wide(&mut self, depth: u32) -> Operand {
        const OPS: [BinOp; 8] = [
            BinOp::Mul,
            BinOp::SDiv,
            BinOp::SRem,
            BinOp::UDiv,
            BinOp::AShr,
            BinOp::Shl,
            BinOp::Sub,
            BinOp::Add,
        ];
        let value = self.expression(depth - 1);
        let op = [CastOp::ZExt, CastOp::SExt][(self.random)(2) as usize];
        let wide = self.add(Type::Int(16), Op::Cast { op, value });
        let op = OPS[(self.random)(8) as usize];
        let by = match op {
            BinOp::AShr | BinOp::Shl => (self.random)(12),
            _ => [1, 2, 3, 7, 200, 255, 0xfffd][(self.random)(7) as usize],
        };
        let rhs = Operand::Const(Const::int(16, u128::from(by)));
        let lhs = wide.into();
        let value: Operand = self.add(Type::Int(16), Op::Bin { op, lhs, rhs }).into();
        let cast = Op::Cast {
            op: CastOp::Trunc,
            value,
        };
        self.add(byte(), cast).into()
    }

    /// A local object is filled, copied, the copy or the first is overwritten, and either is read.
    fn copied(&mut self, depth: u32) -> Operand {
        let one = || Operand::Const(Const::int(64, 1));
        let [first, copy]: [Operand; 2] = [0; 2].map(|_| {
            let op = Op::Alloca {
                size: 4,
                align: 1,
                count: one(),
            };
            self.add(Type::Ptr, op).into()
        });
        for at in 0..4 {
            let place = self.byte_of(&first, at);
            let value = if at == 1 {
                self.expression(depth - 1)
            } else {
                int(at as u32)
            };
            self.store(place, value);
        }
        let from = if (self.random)(4) == 0 {
            Builder::address(self.array)
        } else {
            first.clone()
        };
        let op = Op::Mem {
            op: MemOp::Copy,
            args: [copy.clone(), from, Operand::Const(Const::int(64, 4))],
            volatile: false,
        };
        self.add(Type::Void, op);
        let both = [first, copy];
        let (which, at) = ((self.random)(2) as usize, i64::from((self.random)(4)));
        let place = self.byte_of(&both[which], at);
        let value = self.expression(depth - 1);
        self.store(place, value);
        let (which, at) = ((self.random)(2) as usize, i64::from((self.random)(4)));
        let place = self.byte_of(&both[which], at);
        self.load(place)
    }

    fn double(value: f64) -> Operand {
        Operand::Const(Const::F64(value.to_bits()))
    }

    fn float(&mut self, depth: u32) -> Operand {
        match (self.random)(if depth == 0 { 3 } else { 5 }) {
            0 => {
                let value = [0.0, 0.5, -1.5, 2.0, 3.0][(self.random)(5) as usize];
                Builder::double(value)
            }
            1 => {
                let op = Op::Load {
                    address: Builder::address(self.real),
                    align: 8,
                    volatile: false,
                };
                self.add(Type::F64, op).into()
            }
            2 => {
                let value = self.expression(0);
                let op = [CastOp::UiToFp, CastOp::SiToFp][(self.random)(2) as usize];
                self.add(Type::F64, Op::Cast { op, value }).into()
            }
            3 => {
                let (lhs, rhs) = (self.float(depth - 1), self.float(depth - 1));
                const OPS: [FBinOp; 4] = [FBinOp::Add, FBinOp::Sub, FBinOp::Mul, FBinOp::Div];
                let op = OPS[(self.random)(4) as usize];
                self.add(Type::F64, Op::FBin { op, lhs, rhs }).into()
            }
            _ => {
                let value = self.float(depth - 1);
                let op = match (self.random)(2) {
                    0 => Op::FNeg { value },
                    _ => Op::Intrinsic {
                        op: Intrinsic::FAbs,
                        args: vec![value],
                    },
                };
                self.add(Type::F64, op).into()
            }
        }
    }

    /// A floating-point number without its fraction, where it fits.
    fn cut(&mut self, depth: u32) -> Operand {
        let value = self.float(depth - 1);
        // NaN and what is out of range become 0 and the ends.
        let mut bound = |op, by: f64, value: Operand| -> Operand {
            let args = vec![value, Builder::double(by)];
            self.add(Type::F64, Op::Intrinsic { op, args }).into()
        };
        let value = bound(Intrinsic::MaxNum, -100.0, value);
        let value = bound(Intrinsic::MinNum, 100.0, value);
        let op = CastOp::FpToSi;
        self.add(byte(), Op::Cast { op, value }).into()
    }

    fn byte_of(&mut self, base: &Operand, offset: i64) -> Operand {
        let op = Op::Gep {
            base: base.clone(),
            indices: Vec::new(),
            offset,
        };
        self.add(Type::Ptr, op).into()
    }

    fn condition(&mut self) -> Operand {
        if (self.random)(5) == 0 {
            let pred = FCmp::ALL[(self.random)(16) as usize];
            let (lhs, rhs) = (self.float(2), self.float(1));
            return self.add(Type::BOOL, Op::FCmp { pred, lhs, rhs }).into();
        }
        let pred = ICmp::ALL[(self.random)(10) as usize];
        let lhs = self.expression(2);
        let rhs = match (self.random)(3) {
            0 => self.expression(1),
            _ => int((self.random)(6)),
        };
        self.add(Type::BOOL, Op::ICmp { pred, lhs, rhs }).into()
    }

    fn branch(&mut self, cond: Operand, then: BlockId, els: BlockId) {
        if sites::counted(&mut self.function, self.block, &cond) {
            self.sites.push((self.block, SiteKind::Select));
        }
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
        match (self.random)(if depth == 0 { 5 } else { 11 }) {
            0 | 1 => {
                let value = self.expression(2);
                let global = self.variable();
                self.store(Builder::address(global), value);
            }
            2 if (self.random)(2) == 0 => {
                let value = self.float(2);
                self.store(Builder::address(self.real), value);
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
            4 if self.helpers.len() > 1 => {
                let at = (self.random)(2) as usize;
                let op = Op::Store {
                    address: Builder::address(self.hook),
                    value: Operand::Const(Const::Function(self.helpers[at])),
                    align: 8,
                    volatile: false,
                };
                self.add(Type::Void, op);
            }
            4 => {
                let value = self.expression(1);
                let cell = self.cell(1);
                self.store(cell, value);
            }
            5 => self.either(depth),
            6 => self.cases(depth),
            7 => self.rounds(depth),
            8 => self.endless(depth),
            9 => self.leaves(),
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

    /// The run ends there under some condition.
    fn leaves(&mut self) {
        let cond = self.condition();
        let [end, behind] = [0; 2].map(|_| self.function.add_block());
        self.branch(cond, end, behind);
        self.block = end;
        let op = Op::Call {
            callee: Callee::Extern(self.exit),
            args: Vec::new(),
            variadic: false,
        };
        self.add(Type::Void, op);
        self.block = behind;
    }

    /// A loop that nothing counts; its ways out are in the middle.
    fn endless(&mut self, depth: u32) {
        let [head, middle, behind] = [0; 3].map(|_| self.function.add_block());
        self.jump(head);
        self.block = head;
        self.statements(depth - 1);
        let cond = self.condition();
        self.branch(cond, behind, middle);
        self.block = middle;
        self.statements(depth - 1);
        self.jump(head);
        self.block = behind;
    }

    /// A function that calls itself with one less, or what an input says.
    fn recursive(&mut self, param: Operand) -> Operand {
        let [again, join] = [0; 2].map(|_| self.function.add_block());
        let lhs = param.clone();
        let cond = self.add(
            Type::BOOL,
            Op::ICmp {
                pred: ICmp::Ugt,
                lhs: lhs.clone(),
                rhs: int(1),
            },
        );
        let before = self.block;
        self.branch(cond.into(), again, join);
        self.block = again;
        self.statement(1);
        let less = Op::Bin {
            op: [BinOp::LShr, BinOp::Sub][(self.random)(2) as usize],
            lhs,
            rhs: int(1),
        };
        let less = self.add(byte(), less).into();
        let op = Op::Call {
            callee: Callee::Direct(self.id),
            args: vec![less],
            variadic: false,
        };
        let result = self.add(byte(), op);
        let last = self.block;
        self.jump(join);
        self.block = join;
        let incoming = vec![(before, param), (last, result.into())];
        self.add(byte(), Op::Phi { incoming }).into()
    }

    fn finish(&mut self, result: Operand) {
        let terminator = Terminator::Ret {
            value: Some(result),
        };
        self.function.terminate(self.block, terminator, None);
        let mut function = std::mem::replace(&mut self.function, Function::new("next"));
        let sites = std::mem::take(&mut self.sites);
        sites::number(&mut self.program, self.id, &mut function, sites);
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
            unknown: Vec::new(),
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
        unknown: Vec::new(),
    });
    let real = program.globals.push(global("f", 8, vec![0; 8]));
    let input = program.externs.push(Extern {
        name: "__VERIFIER_nondet_char".to_owned(),
        return_type: byte(),
        params: Vec::new(),
        variadic: false,
        weak: false,
    });
    let exit = program.externs.push(Extern {
        name: "exit".to_owned(),
        return_type: Type::Void,
        params: Vec::new(),
        variadic: false,
        weak: false,
    });
    let hook = program.globals.push(global("hook", 8, vec![0; 8]));
    program.globals[hook].init = Some(Init {
        bytes: vec![0; 8],
        relocations: vec![program::Relocation {
            offset: 0,
            to: program::RelocationTarget::Function(FuncId::from_u32(0)),
            addend: 0,
        }],
        unknown: Vec::new(),
    });
    let mut builder = Builder {
        random: &mut random,
        program,
        variables,
        array,
        pointer,
        real,
        input,
        exit,
        hook,
        helpers: Vec::new(),
        function: Function::new("helper0"),
        id: FuncId::from_u32(0),
        block: Function::ENTRY,
        sites: Vec::new(),
    };
    for at in 0..=HELPERS {
        let is_main = at == HELPERS;
        let name = if is_main {
            "main".to_owned()
        } else {
            format!("helper{at}")
        };
        builder.function = Function::new(name);
        builder.function.return_type = byte();
        builder.id = FuncId::from_u32(at);
        let mut param = None;
        if !is_main {
            let value = builder.function.add_param(byte());
            param = Some(value);
            builder.block = builder.function.add_block();
            // Where expressions find it: in a variable.
            let global = builder.variable();
            if (builder.random)(2) == 0 {
                builder.store(Builder::address(global), value.into());
            }
        } else {
            builder.block = builder.function.add_block();
        }
        for _ in 0..if is_main { 5 } else { 2 } {
            builder.statement(if is_main { 3 } else { 2 });
        }
        let result = match param.filter(|_| at == 1) {
            Some(param) => builder.recursive(param.into()),
            None => builder.expression(1),
        };
        builder.finish(result);
        if !is_main {
            builder.helpers.push(builder.id);
        }
    }
    builder.program
}
