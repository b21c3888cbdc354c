//! From the model to the register form.

use program::{
    BinOp, BlockId, Callee as ModelCallee, Const, FuncId, Function, Inst, Intrinsic, Op, Operand,
    Program, SiteId, SiteKind, Terminator, Type, ValueId,
};
use semantics::{Builder, Open, Symbol, incoming, width};
use smt::{Pool, Term};

use crate::code::{Callee, Code, Ins, Source, Way};
use crate::register::{Plain, Register, Wide};
use crate::state::Addresses;
use crate::target::Finds;

/// Makes the register form of a function.
pub(crate) fn compile(
    program: &Program,
    addresses: &Addresses,
    pool: &mut Pool,
    function: FuncId,
    finds: Finds,
) -> Code {
    let body = &program.functions[function];
    let mut compiler = Compiler {
        program,
        addresses,
        pool,
        finds: finds.uninitialised,
        signed: finds.overflow,
        function: body,
        code: Code {
            function,
            instructions: Vec::new(),
            origins: Vec::new(),
            registers: body.values.len() as u32,
            params: body.params.iter().map(|param| param.as_u32()).collect(),
            used: vec![false; body.values.len()],
            constants: Vec::new(),
        },
    };
    let mut starts = Vec::new();
    for block in body.blocks.keys() {
        starts.push(compiler.code.instructions.len() as u32);
        compiler.block(block);
    }
    let mut code = compiler.code;
    for instruction in &mut code.instructions {
        for way in ways(instruction) {
            way.to = starts[way.to as usize];
        }
    }
    code
}

fn ways(instruction: &mut Ins) -> &mut [Way] {
    match instruction {
        Ins::Go(way) => std::slice::from_mut(way),
        Ins::Branch { ways, .. } => ways.as_mut_slice(),
        Ins::Switch { ways, .. } => ways,
        _ => &mut [],
    }
}

fn is_zero(constant: &Const) -> bool {
    matches!(
        constant,
        Const::Int { value: 0, .. } | Const::F32(0) | Const::F64(0) | Const::Null | Const::Zero(_)
    )
}

/// Puts moves into an order in which each may be made after the other; false if they go round in a circle.
fn in_order(moves: &mut [(u32, Source)]) -> bool {
    for start in 0..moves.len() {
        let rest = &moves[start..];
        let reads = |register| move |&(_, from): &(u32, Source)| matches!(from, Source::Register(r) if r == register);
        let free = rest.iter().enumerate().position(|(at, &(to, _))| {
            let others = rest.iter().enumerate().filter(|(other, _)| *other != at);
            !{ others }.any(|(_, other)| reads(to)(other))
        });
        let Some(free) = free else { return false };
        moves.swap(start, start + free);
    }
    true
}

struct Compiler<'a> {
    program: &'a Program,
    addresses: &'a Addresses,
    pool: &'a mut Pool,
    /// Values that nothing has written are told from others.
    finds: bool,
    /// Signed arithmetic is told from other arithmetic.
    signed: bool,
    function: &'a Function,
    code: Code,
}

impl Compiler<'_> {
    fn block(&mut self, block: BlockId) {
        let function = self.function;
        for (value, inst) in function.insts(block) {
            if matches!(inst.op, Op::Phi { .. }) {
                continue;
            }
            if let Some(ins) = self.instruction(value, inst) {
                self.code.instructions.push(ins);
                self.code.origins.push(Some(value));
            }
        }
        let end = self.terminator(block, &function.blocks[block].terminator);
        self.code.instructions.push(end);
        self.code.origins.push(None);
    }

    /// Bits of a word; `None` for what is none.
    fn bits(&self, ty: &Type) -> Option<u8> {
        let bits = width(&self.program.layout, ty)?;
        u8::try_from(bits).ok().filter(|bits| *bits <= 64)
    }

    fn bits_of(&self, operand: &Operand) -> Option<u8> {
        self.bits(&self.function.operand_type(operand))
    }

    fn source(&mut self, operand: &Operand) -> Source {
        match operand {
            Operand::Value(value) => {
                self.code.used[value.index()] = true;
                Source::Register(value.as_u32())
            }
            Operand::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&mut self, constant: &Const) -> Source {
        // Most are these.
        match constant {
            Const::Int { bits, value } if *bits <= 64 => {
                return Source::Word(*value as u64 & crate::concrete::mask(*bits as u8));
            }
            Const::Null => return Source::Word(0),
            _ => {}
        }
        let bits = self.bits(&constant.ty());
        if let (Const::Undef(_) | Const::Poison(_), Some(bits), true) = (constant, bits, self.finds)
        {
            let nothing = Register::Word(0).partial(crate::concrete::mask(bits));
            self.code.constants.push(nothing);
            return Source::Constant(self.code.constants.len() as u32 - 1);
        }
        let mut builder = Builder::new(self.pool, self.program.layout);
        let made = builder.constant(constant, &mut Known(self.addresses));
        let Ok(value) = made else {
            // A constant that nobody knows: 0, as undefined ones are.
            return Source::Word(0);
        };
        let word = value.scalar().and_then(|term| self.pool.as_const(term));
        if let (Some(word), Some(_)) = (word, bits) {
            return Source::Word(word as u64);
        }
        let Some(concrete) = Plain::of(self.pool, &value) else {
            return Source::Word(0);
        };
        let wide = Wide {
            concrete,
            symbolic: None,
        };
        self.code.constants.push(Register::Wide(wide.into()));
        Source::Constant(self.code.constants.len() as u32 - 1)
    }

    fn instruction(&mut self, value: ValueId, inst: &Inst) -> Option<Ins> {
        let ty = &self.function.values[value].ty;
        let to = value.as_u32();
        Some(match &inst.op {
            Op::Load { address, .. } => match self.bits(ty) {
                Some(bits) => Ins::Load {
                    bits,
                    address: self.source(address),
                    to,
                },
                None => Ins::General { to },
            },
            Op::Store { address, value, .. } => match self.bits_of(value) {
                Some(bits) => Ins::Store {
                    bits,
                    address: self.source(address),
                    value: self.source(value),
                },
                None => Ins::General { to },
            },
            Op::Alloca { size, count, .. } => Ins::Alloca {
                size: *size,
                count: self.source(count),
                to,
            },
            Op::Mem { op, args, .. } => Ins::Memory {
                op: *op,
                args: [0, 1, 2].map(|index| self.source(&args[index])),
            },
            Op::Call {
                callee,
                args,
                variadic,
            } => self.call(callee, args, *variadic, to),
            Op::Count { site, step, .. } => self.site((*site)?, step.as_ref())?,
            Op::Intrinsic { op, args } => match (op, args.as_slice()) {
                (Intrinsic::Trap, _) => Ins::Trap,
                (Intrinsic::VaStart, [list]) => Ins::Start {
                    list: self.source(list),
                },
                (Intrinsic::VaCopy, [to, from]) => Ins::CopyList {
                    to: self.source(to),
                    from: self.source(from),
                },
                (Intrinsic::VaEnd | Intrinsic::StackRestore, _) => return None,
                (Intrinsic::StackSave, _) => Ins::Select {
                    cond: Source::Word(0),
                    then: Source::Word(0),
                    otherwise: Source::Word(0),
                    to,
                },
                _ => Ins::General { to },
            },
            Op::Opaque { what, .. } if !semantics::is_computed(&inst.op) => {
                Ins::Unknown((&**what).into())
            }
            op => self.computation(op, ty, to).unwrap_or(Ins::General { to }),
        })
    }

    /// A conditional expression whose side nobody says has no event.
    fn site(&mut self, site: SiteId, step: Option<&Operand>) -> Option<Ins> {
        let first = self.program.sites[site].first_edge;
        let step = match self.program.sites[site].kind {
            SiteKind::Select => Some(self.source(step?)),
            _ => None,
        };
        Some(Ins::Site { first, step })
    }

    /// A computation on words.
    fn computation(&mut self, op: &Op, ty: &Type, to: u32) -> Option<Ins> {
        let result = self.bits(ty)?;
        Some(match op {
            Op::Bin { op, lhs, rhs } => Ins::Binary {
                op: *op,
                bits: result,
                a: self.source(lhs),
                b: self.source(rhs),
                to,
            },
            Op::ICmp { pred, lhs, rhs } => Ins::Compare {
                pred: *pred,
                bits: self.bits_of(lhs)?,
                a: self.source(lhs),
                b: self.source(rhs),
                to,
            },
            Op::FBin { op, lhs, rhs } => Ins::Float {
                op: *op,
                double: result == 64,
                a: self.source(lhs),
                b: self.source(rhs),
                to,
            },
            Op::FCmp { pred, lhs, rhs } => Ins::CompareFloats {
                pred: *pred,
                double: self.bits_of(lhs)? == 64,
                a: self.source(lhs),
                b: self.source(rhs),
                to,
            },
            Op::Cast { op, value } => {
                let from = self.bits_of(value)?;
                Ins::Cast {
                    op: *op,
                    from,
                    bits: result,
                    a: self.source(value),
                    to,
                }
            }
            Op::Select {
                cond,
                then_value,
                else_value,
            } => Ins::Select {
                cond: self.source(cond),
                then: self.source(then_value),
                otherwise: self.source(else_value),
                to,
            },
            // How `llvm::prepare` marks a variable that begins without a value.
            Op::Freeze {
                value: Operand::Const(zero),
            } if self.finds && is_zero(zero) => {
                let nothing = Register::Word(0).partial(crate::concrete::mask(result));
                self.code.constants.push(nothing);
                let value = Source::Constant(self.code.constants.len() as u32 - 1);
                Ins::Select {
                    cond: Source::Word(1),
                    then: value,
                    otherwise: value,
                    to,
                }
            }
            Op::Freeze {
                value: Operand::Value(value),
            } if self.signed
                && let Some(signed) = self.signed(*value, result, to) =>
            {
                signed
            }
            Op::Freeze { value } => Ins::Freeze {
                value: self.source(value),
                to,
            },
            Op::Gep {
                base,
                indices,
                offset,
            } => {
                let mut parts = Vec::new();
                for (index, scale) in indices {
                    let bits = self.bits_of(index)?;
                    parts.push((self.source(index), bits, *scale));
                }
                Ins::Index {
                    base: self.source(base),
                    offset: *offset,
                    indices: parts.into(),
                    to,
                }
            }
            _ => return None,
        })
    }

    /// The arithmetic that `llvm::prepare` marks as signed by a `freeze` of its result.
    fn signed(&mut self, value: ValueId, bits: u8, to: u32) -> Option<Ins> {
        let Op::Bin { op, lhs, rhs } = &self.function.inst(value)?.op else {
            return None;
        };
        matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul).then(|| Ins::Signed {
            value: self.source(&Operand::Value(value)),
            op: *op,
            bits,
            a: self.source(lhs),
            b: self.source(rhs),
            to,
        })
    }

    fn call(&mut self, callee: &ModelCallee, args: &[Operand], variadic: bool, to: u32) -> Ins {
        let callee = match callee {
            ModelCallee::Direct(function) => Callee::Function(*function),
            ModelCallee::Extern(function) => Callee::Extern(*function),
            ModelCallee::Indirect(pointer) => Callee::Pointer(self.source(pointer)),
            ModelCallee::Asm(_) => return Ins::Unknown("inline assembly".into()),
        };
        let size = |arg: &Operand| {
            let ty = self.function.operand_type(arg);
            let size = self.program.layout.size_of(&ty).unwrap_or(8);
            (ty, size)
        };
        let types: Vec<(Type, u64)> = if variadic {
            args.iter().map(size).collect()
        } else {
            Vec::new()
        };
        Ins::Call {
            callee,
            args: args.iter().map(|arg| self.source(arg)).collect(),
            types: types.into(),
            to,
        }
    }

    fn way(&mut self, from: BlockId, to: BlockId) -> Way {
        let function = self.function;
        let mut moves = Vec::new();
        for (value, inst) in function.insts(to) {
            if let Some(operand) = incoming(&inst.op, from) {
                moves.push((value.as_u32(), self.source(operand)));
            }
        }
        let parallel = !in_order(&mut moves);
        Way {
            to: to.as_u32(),
            moves: moves.into(),
            parallel,
        }
    }

    fn terminator(&mut self, block: BlockId, terminator: &Terminator) -> Ins {
        match terminator {
            Terminator::Br { target } => Ins::Go(self.way(block, *target)),
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => Ins::Branch {
                cond: self.source(cond),
                first: self.program.sites[*site].first_edge,
                ways: Box::new([self.way(block, *els), self.way(block, *then)]),
            },
            Terminator::Switch {
                value,
                default,
                cases,
                site,
            } => {
                let mut ways: Vec<Way> = Vec::new();
                for (_, target) in cases {
                    ways.push(self.way(block, *target));
                }
                ways.push(self.way(block, *default));
                let known = match &self.program.sites[*site].kind {
                    SiteKind::Switch { cases, .. } => cases.clone(),
                    _ => cases.iter().map(|(case, _)| *case).collect(),
                };
                Ins::Switch {
                    value: self.source(value),
                    first: self.program.sites[*site].first_edge,
                    cases: known.into(),
                    ways: ways.into(),
                }
            }
            Terminator::Ret { value } => {
                Ins::Return(value.as_ref().map(|value| self.source(value)))
            }
            Terminator::Unreachable => Ins::Unreachable,
            Terminator::IndirectBr { .. } => Ins::Unknown("computed goto".into()),
            Terminator::Opaque { what, .. } => Ins::Unknown((&**what).into()),
        }
    }
}

/// Constants with the addresses of this machine; what is undefined is 0.
pub(crate) struct Known<'a>(pub &'a Addresses);

impl Open for Known<'_> {
    fn address(
        &mut self,
        pool: &mut Pool,
        symbol: Symbol,
        bits: u16,
    ) -> Result<Term, semantics::Gap> {
        let address = self.0.of(symbol);
        Ok(pool.constant(bits, address.into()))
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, semantics::Gap> {
        Ok(pool.constant(bits, 0))
    }
}
