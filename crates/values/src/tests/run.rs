//! Runs programs of [`super::random`] on all their inputs. It shares no code with the analysis.

use program::{
    BinOp, Callee, CastOp, Const, FBinOp, FCmp, FuncId, Function, Intrinsic, Op, Operand, Program,
    Terminator, Type, ValueId,
};

use super::random::{BITS, CHOICES, INPUTS};

/// Instructions of one run.
const STEPS: u32 = 1000;
/// Calls in a chain.
const DEEPEST: u32 = 40;

/// Where a pointer points to: a global or a local object, by its number in the run, and an offset; or a function.
#[derive(Clone, Copy, Debug)]
enum Known {
    Number(u128),
    Real(f64),
    Address(usize, u64),
    Function(FuncId),
}

impl Known {
    fn number(self) -> u128 {
        match self {
            Known::Number(number) => number,
            other => panic!("{other:?} is no number"),
        }
    }

    fn real(self) -> f64 {
        match self {
            Known::Real(real) => real,
            // What the variable holds at the start.
            Known::Number(0) => 0.0,
            other => panic!("{other:?} is no floating-point number"),
        }
    }
}

/// Runs a program.
struct Run<'p> {
    program: &'p Program,
    inputs: &'p [u8],
    read: usize,
    steps: u32,
    depth: u32,
    /// The run has ended in the middle, as programs may.
    left: bool,
    /// What each object holds, by bytes; a pointer stands in its first.
    objects: Vec<Vec<Known>>,
    taken: &'p mut [bool],
}

fn masked(bits: u32, value: u128) -> u128 {
    value & (u128::MAX >> (128 - bits))
}

fn signed(bits: u32, value: u128) -> i128 {
    let unused = 128 - bits;
    ((value << unused) as i128) >> unused
}

impl Run<'_> {
    fn operand(&self, operand: &Operand, values: &[Option<Known>]) -> Known {
        match operand {
            Operand::Value(value) => values[value.index()].expect("defined before its use"),
            Operand::Const(Const::Int { value, .. }) => Known::Number(*value),
            Operand::Const(Const::Global { global, offset }) => {
                Known::Address(global.index(), *offset as u64)
            }
            Operand::Const(Const::F64(bits)) => Known::Real(f64::from_bits(*bits)),
            Operand::Const(Const::Function(function)) => Known::Function(*function),
            Operand::Const(other) => panic!("{other:?} is not made here"),
        }
    }

    fn call(&mut self, id: FuncId, args: &[Known]) -> Option<Known> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = self.body(id, args);
        self.depth -= 1;
        result
    }

    fn body(&mut self, id: FuncId, args: &[Known]) -> Option<Known> {
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
                        if let Op::Count {
                            step: Some(step),
                            site: Some(site),
                            ..
                        } = op
                        {
                            let side = u32::from(self.operand(step, &values).number() != 0);
                            self.taken[program.edge(*site, side).index()] = true;
                            continue;
                        }
                        self.instruction((function, value), op, &values)?
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
                    let number = self.operand(value, &values).number();
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

    fn instruction(
        &mut self,
        (function, value): (&Function, ValueId),
        op: &Op,
        values: &[Option<Known>],
    ) -> Option<Option<Known>> {
        let number = |operand: &Operand| self.operand(operand, values).number();
        let width = |operand: &Operand| match function.operand_type(operand) {
            Type::Int(bits) => bits,
            other => panic!("{other:?} is no integer"),
        };
        Some(Some(match op {
            Op::Bin { op, lhs, rhs } => {
                let bits = width(lhs);
                let (a, b) = (number(lhs), number(rhs));
                let (s, t) = (signed(bits, a), signed(bits, b));
                let amount = b as u32 % bits;
                Known::Number(masked(
                    bits,
                    match op {
                        BinOp::Add => a.wrapping_add(b),
                        BinOp::Sub => a.wrapping_sub(b),
                        BinOp::Mul => a.wrapping_mul(b),
                        BinOp::And => a & b,
                        BinOp::Or => a | b,
                        BinOp::Xor => a ^ b,
                        BinOp::URem => a % b,
                        BinOp::UDiv => a / b,
                        BinOp::SRem => s.wrapping_rem(t) as u128,
                        BinOp::SDiv => s.wrapping_div(t) as u128,
                        BinOp::LShr => a >> amount,
                        BinOp::AShr => (s >> amount) as u128,
                        BinOp::Shl => a << amount,
                    },
                ))
            }
            Op::Cast {
                op: op @ (CastOp::UiToFp | CastOp::SiToFp),
                value: from,
            } => {
                let (bits, known) = (width(from), number(from));
                Known::Real(match op {
                    CastOp::UiToFp => known as f64,
                    _ => signed(bits, known) as f64,
                })
            }
            Op::Cast {
                op: CastOp::FpToSi,
                value: from,
            } => {
                let known = self.operand(from, values).real();
                // A float that is not in the range: C leaves that undefined, and the run tells nothing.
                if !(-128.0..128.0).contains(&known.trunc()) {
                    self.left = true;
                    return None;
                }
                Known::Number(masked(BITS, known as i128 as u128))
            }
            Op::FBin { op, lhs, rhs } => {
                let [a, b] = [lhs, rhs].map(|operand| self.operand(operand, values).real());
                Known::Real(match op {
                    FBinOp::Add => a + b,
                    FBinOp::Sub => a - b,
                    FBinOp::Mul => a * b,
                    FBinOp::Div => a / b,
                    FBinOp::Rem => a % b,
                })
            }
            Op::FNeg { value: from } => Known::Real(-self.operand(from, values).real()),
            Op::Intrinsic { op, args } => {
                let args: Vec<f64> = args
                    .iter()
                    .map(|arg| self.operand(arg, values).real())
                    .collect();
                Known::Real(match op {
                    Intrinsic::FAbs => args[0].abs(),
                    Intrinsic::MinNum => args[0].min(args[1]),
                    Intrinsic::MaxNum => args[0].max(args[1]),
                    other => panic!("{other} is not made here"),
                })
            }
            Op::FCmp { pred, lhs, rhs } => {
                let [a, b] = [lhs, rhs].map(|operand| self.operand(operand, values).real());
                Known::Number(compares(*pred, a, b).into())
            }
            Op::Cast { op, value: from } => {
                let (bits, known) = (width(from), number(from));
                let Type::Int(to) = function.values[value].ty else {
                    panic!("only integers are converted")
                };
                Known::Number(match op {
                    CastOp::ZExt => known,
                    CastOp::Trunc => masked(to, known),
                    CastOp::SExt => masked(to, signed(bits, known) as u128),
                    other => panic!("{other} is not made here"),
                })
            }
            Op::ICmp { pred, lhs, rhs } => {
                let bits = width(lhs);
                let (a, b) = (number(lhs), number(rhs));
                Known::Number(pred.holds(bits, a, b).into())
            }
            Op::Load { address, .. } => {
                let (object, offset) = self.place(address, values);
                self.objects[object][offset as usize]
            }
            Op::Store { address, value, .. } => {
                let (object, offset) = self.place(address, values);
                self.objects[object][offset as usize] = self.operand(value, values);
                return Some(None);
            }
            Op::Gep {
                base,
                indices,
                offset: plus,
            } => {
                let (object, offset) = self.place(base, values);
                let moved: i64 = indices
                    .iter()
                    .map(|(index, scale)| signed(BITS, number(index)) as i64 * scale)
                    .sum();
                Known::Address(object, offset.wrapping_add((moved + plus) as u64))
            }
            Op::Alloca { size, .. } => {
                self.objects.push(vec![Known::Number(0); *size as usize]);
                Known::Address(self.objects.len() - 1, 0)
            }
            Op::Mem { args, .. } => {
                let ((to, _), (from, _)) =
                    (self.place(&args[0], values), self.place(&args[1], values));
                self.objects[to] = self.objects[from].clone();
                return Some(None);
            }
            Op::Call {
                callee: Callee::Extern(known),
                ..
            } => {
                if self.program.externs[*known].name == "exit" {
                    self.left = true;
                    return None;
                }
                let value = self.inputs.get(self.read).copied().unwrap_or(0);
                self.read += 1;
                Known::Number(u128::from(value))
            }
            Op::Call { callee, args, .. } => {
                let args: Vec<Known> = args.iter().map(|arg| self.operand(arg, values)).collect();
                let target = match callee {
                    Callee::Direct(function) => *function,
                    Callee::Indirect(pointer) => match self.operand(pointer, values) {
                        Known::Function(function) => function,
                        other => panic!("{other:?} is no function"),
                    },
                    other => panic!("{other:?} is not made here"),
                };
                self.call(target, &args)?
            }
            other => panic!("{other:?} is not made here"),
        }))
    }

    fn place(&self, address: &Operand, values: &[Option<Known>]) -> (usize, u64) {
        match self.operand(address, values) {
            Known::Address(object, offset) => (object, offset),
            other => panic!("{other:?} is no address"),
        }
    }
}

/// Whether a comparison is true: by whether there is an order, and which.
fn compares(pred: FCmp, a: f64, b: f64) -> bool {
    let order = a.partial_cmp(&b);
    let name = pred.name();
    let Some(order) = order else {
        return name.starts_with('u') || name == "true";
    };
    match name {
        "false" | "uno" => false,
        "true" | "ord" => true,
        name => match &name[1..] {
            "eq" => order.is_eq(),
            "ne" => order.is_ne(),
            "lt" => order.is_lt(),
            "le" => order.is_le(),
            "gt" => order.is_gt(),
            _ => order.is_ge(),
        },
    }
}

/// What objects hold at the start.
fn start(program: &Program) -> Vec<Vec<Known>> {
    let globals = program.globals.values().map(|global| {
        let init = global.init.as_ref().expect("all have one");
        let bytes = init.bytes.iter();
        let mut held: Vec<Known> = bytes.map(|byte| Known::Number(u128::from(*byte))).collect();
        for relocation in &init.relocations {
            held[relocation.offset as usize] = match relocation.to {
                program::RelocationTarget::Global(to) => Known::Address(to.index(), 0),
                program::RelocationTarget::Function(to) => Known::Function(to),
                program::RelocationTarget::Extern(_) => panic!("not made here"),
            };
        }
        held
    });
    globals.collect()
}

/// Which edges any input takes, and whether no run asked for more inputs than it was given or took too long, so that no other edge is
/// ever taken.
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
        let mut run = Run {
            program,
            inputs: &inputs,
            read: 0,
            steps: 0,
            depth: 0,
            left: false,
            objects: start(program),
            taken: &mut taken,
        };
        let ended = run.call(main, &[]).is_some() || run.left;
        all_read &= ended && run.read <= INPUTS;
    }
    (taken, all_read)
}
