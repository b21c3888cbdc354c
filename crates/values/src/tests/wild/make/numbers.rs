//! Numbers, truth values and floating-point numbers.

use super::*;

impl Maker<'_> {
    pub(super) fn constant(&mut self, bits: u32) -> Operand {
        let edges = [
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            8,
            u128::MAX,
            u128::MAX - 1,
            127,
            128,
            255,
            256,
            1 << (bits - 1),
            (1 << (bits - 1)) - 1,
        ];
        int(bits, edges[self.one_of(edges.len())])
    }

    pub(super) fn input(&mut self, bits: u32) -> Operand {
        match bits {
            8 => self.outside("__VERIFIER_nondet_char", Vec::new()),
            32 => self.outside("__VERIFIER_nondet_int", Vec::new()),
            64 => self.outside("__VERIFIER_nondet_long", Vec::new()),
            bits => {
                let value = self.outside("__VERIFIER_nondet_int", Vec::new());
                let op = CastOp::Trunc;
                self.keep(Type::Int(bits), Op::Cast { op, value })
            }
        }
    }

    pub(super) fn number(&mut self, bits: u32, depth: u32) -> Operand {
        let ty = Type::Int(bits);
        match (self.random)(if depth == 0 { 6 } else { 14 }) {
            0 => self.constant(bits),
            1 => self.input(bits),
            2..=5 => match self.pooled(&ty) {
                Some(known) => known,
                None => self.loaded(&ty),
            },
            6 | 7 => self.loaded(&ty),
            8..=10 => self.computed(bits, depth - 1),
            11 => self.converted(bits, depth - 1),
            12 => {
                let cond = self.condition(depth - 1);
                let (then_value, else_value) =
                    (self.number(bits, depth - 1), self.number(bits, depth - 1));
                let op = Op::Select {
                    cond,
                    then_value,
                    else_value,
                };
                self.keep(ty, op)
            }
            _ => self.by_intrinsic(bits, depth - 1),
        }
    }

    pub(super) fn computed(&mut self, bits: u32, depth: u32) -> Operand {
        let op = BinOp::ALL[self.one_of(BinOp::ALL.len())];
        let lhs = self.number(bits, depth);
        let divides = matches!(op, BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem);
        let rhs = match (self.random)(3) {
            0 => self.number(bits, depth),
            1 if divides => int(bits, [1, 2, 3, 7, 100][self.one_of(5)]),
            _ => self.constant(bits),
        };
        let rhs = match divides && !self.chance(8) {
            false => rhs,
            true => {
                let op = Op::Bin {
                    op: BinOp::Or,
                    lhs: rhs,
                    rhs: int(bits, 1),
                };
                self.keep(Type::Int(bits), op)
            }
        };
        self.keep(Type::Int(bits), Op::Bin { op, lhs, rhs })
    }

    pub(super) fn converted(&mut self, bits: u32, depth: u32) -> Operand {
        let ty = Type::Int(bits);
        let from = [1, 8, 16, 32, 64][self.one_of(5)];
        if bits == 64 && self.chance(3) {
            let value = self.pointer(depth);
            let op = CastOp::PtrToInt;
            return self.keep(ty, Op::Cast { op, value });
        }
        if matches!(bits, 32 | 64) && self.chance(4) {
            let value = self.real(if bits == 32 { Type::F32 } else { Type::F64 }, depth);
            let op = [CastOp::Bitcast, CastOp::FpToSi, CastOp::FpToUi][self.one_of(3)];
            return self.keep(ty, Op::Cast { op, value });
        }
        let value = match from {
            1 => self.condition(depth),
            from => self.number(from, depth),
        };
        let op = match from.cmp(&bits) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Less => [CastOp::ZExt, CastOp::SExt][self.one_of(2)],
            std::cmp::Ordering::Greater => CastOp::Trunc,
        };
        self.keep(ty, Op::Cast { op, value })
    }

    pub(super) fn by_intrinsic(&mut self, bits: u32, depth: u32) -> Operand {
        const TWO: [Intrinsic; 11] = [
            Intrinsic::UAddSat,
            Intrinsic::SAddSat,
            Intrinsic::USubSat,
            Intrinsic::SSubSat,
            Intrinsic::UMin,
            Intrinsic::UMax,
            Intrinsic::SMin,
            Intrinsic::SMax,
            Intrinsic::Abs,
            Intrinsic::Ctpop,
            Intrinsic::Expect,
        ];
        const OVERFLOW: [Intrinsic; 6] = [
            Intrinsic::UAddO,
            Intrinsic::SAddO,
            Intrinsic::USubO,
            Intrinsic::SSubO,
            Intrinsic::UMulO,
            Intrinsic::SMulO,
        ];
        let (a, b) = (self.number(bits, depth), self.number(bits, depth));
        if self.chance(2) {
            let op = OVERFLOW[self.one_of(6)];
            let fields = [
                (Type::Int(bits), 0),
                (Type::BOOL, u64::from(bits.div_ceil(8))),
            ];
            let fields = fields.map(|(ty, offset)| program::Field { ty, offset });
            let ty = Type::structure(fields.to_vec(), 16);
            let whole: Operand = self
                .add(
                    ty.clone(),
                    Op::Intrinsic {
                        op,
                        args: vec![a, b],
                    },
                )
                .into();
            let whole = match self.chance(3) {
                false => whole,
                true => {
                    let value = self.number(bits, 0);
                    let op = Op::InsertValue {
                        aggregate: whole,
                        value,
                        path: vec![0],
                    };
                    self.add(ty, op).into()
                }
            };
            let member = |at: u32| Op::ExtractValue {
                aggregate: whole.clone(),
                path: vec![at],
            };
            self.keep(Type::BOOL, member(1));
            return self.keep(Type::Int(bits), member(0));
        }
        let op = TWO[self.one_of(TWO.len())];
        let args = match op {
            Intrinsic::Abs | Intrinsic::Ctpop => vec![a],
            _ => vec![a, b],
        };
        self.keep(Type::Int(bits), Op::Intrinsic { op, args })
    }

    pub(super) fn real(&mut self, ty: Type, depth: u32) -> Operand {
        let constant = |value: f64| match ty {
            Type::F32 => Operand::Const(Const::F32((value as f32).to_bits())),
            _ => Operand::Const(Const::F64(value.to_bits())),
        };
        match (self.random)(if depth == 0 { 3 } else { 8 }) {
            0 => constant([0.0, -0.0, 0.5, -1.5, 3.0, 1e300, f64::NAN][self.one_of(7)]),
            1 | 2 => match self.pooled(&ty) {
                Some(known) => known,
                None => self.loaded(&ty),
            },
            3 => {
                let bits = [8, 32, 64][self.one_of(3)];
                let value = self.number(bits, depth - 1);
                let op = [CastOp::UiToFp, CastOp::SiToFp][self.one_of(2)];
                self.keep(ty, Op::Cast { op, value })
            }
            4 => {
                let op = FBinOp::ALL[self.one_of(4)];
                let (lhs, rhs) = (
                    self.real(ty.clone(), depth - 1),
                    self.real(ty.clone(), depth - 1),
                );
                self.keep(ty, Op::FBin { op, lhs, rhs })
            }
            5 => {
                let value = self.real(ty.clone(), depth - 1);
                self.keep(ty, Op::FNeg { value })
            }
            6 => {
                let (from, op) = match ty {
                    Type::F32 => (Type::F64, CastOp::FpTrunc),
                    _ => (Type::F32, CastOp::FpExt),
                };
                let value = self.real(from, depth - 1);
                self.keep(ty, Op::Cast { op, value })
            }
            _ => {
                const OPS: [Intrinsic; 8] = [
                    Intrinsic::FAbs,
                    Intrinsic::Sqrt,
                    Intrinsic::MinNum,
                    Intrinsic::MaxNum,
                    Intrinsic::CopySign,
                    Intrinsic::Floor,
                    Intrinsic::Ceil,
                    Intrinsic::Trunc,
                ];
                let op = OPS[self.one_of(OPS.len())];
                let is_pair = matches!(
                    op,
                    Intrinsic::MinNum | Intrinsic::MaxNum | Intrinsic::CopySign
                );
                let count = if is_pair { 2 } else { 1 };
                let args = (0..count)
                    .map(|_| self.real(ty.clone(), depth - 1))
                    .collect();
                self.keep(ty, Op::Intrinsic { op, args })
            }
        }
    }

    pub(super) fn condition(&mut self, depth: u32) -> Operand {
        let kind = (self.random)(if depth == 0 { 6 } else { 14 });
        let op = match kind {
            0 => match self.pooled(&Type::BOOL) {
                Some(known) => return known,
                None => return self.condition(1),
            },
            1..=5 => {
                let bits = self.width();
                let pred = ICmp::ALL[self.one_of(10)];
                let lhs = match (self.random)(2) {
                    0 => self.loaded(&Type::Int(bits)),
                    _ => self.number(bits, depth),
                };
                let rhs = match (self.random)(3) {
                    0 => self.number(bits, 0),
                    _ => self.constant(bits),
                };
                match (self.random)(4) {
                    0 => Op::ICmp {
                        pred,
                        lhs: rhs,
                        rhs: lhs,
                    },
                    _ => Op::ICmp { pred, lhs, rhs },
                }
            }
            6 => {
                let pred = ICmp::ALL[self.one_of(10)];
                let lhs = self.pointer(depth - 1);
                let rhs = match (self.random)(2) {
                    0 => Operand::Const(Const::Null),
                    _ => self.pointer(depth - 1),
                };
                Op::ICmp { pred, lhs, rhs }
            }
            7 | 8 => {
                let ty = [Type::F32, Type::F64][self.one_of(2)].clone();
                let pred = FCmp::ALL[self.one_of(16)];
                let lhs = self.real(ty.clone(), depth - 1);
                let rhs = self.real(ty, depth - 1);
                Op::FCmp { pred, lhs, rhs }
            }
            9 => {
                let op = [BinOp::And, BinOp::Or, BinOp::Xor][self.one_of(3)];
                let (lhs, rhs) = (self.condition(depth - 1), self.condition(depth - 1));
                Op::Bin { op, lhs, rhs }
            }
            // Both sides are extended.
            10 | 11 => {
                let (bits, op) = (
                    [8, 16, 32][self.one_of(3)],
                    [CastOp::ZExt, CastOp::SExt][self.one_of(2)],
                );
                let sides = [0; 2].map(|_| {
                    let value = self.number(bits, depth - 1);
                    self.add(Type::Int(64), Op::Cast { op, value }).into()
                });
                let [lhs, rhs] = sides;
                let pred = ICmp::ALL[self.one_of(10)];
                Op::ICmp { pred, lhs, rhs }
            }
            // What was computed is asked for its inputs.
            12 => {
                let bits = self.width();
                let value = self.loaded(&Type::Int(bits));
                let by = self.constant(bits);
                let op =
                    [BinOp::Add, BinOp::Sub, BinOp::Xor, BinOp::And, BinOp::Or][self.one_of(5)];
                let (lhs, rhs) = match self.chance(2) {
                    true => (value, by),
                    false => (by, value),
                };
                let lhs = self.keep(Type::Int(bits), Op::Bin { op, lhs, rhs });
                let pred = ICmp::ALL[self.one_of(10)];
                let rhs = self.constant(bits);
                Op::ICmp { pred, lhs, rhs }
            }
            // What was cut or extended.
            _ => {
                let (from, to) =
                    [(32, 8), (8, 32), (64, 32), (16, 64), (64, 16), (8, 24)][self.one_of(6)];
                let value = self.loaded(&Type::Int(from));
                let op = match from > to {
                    true => CastOp::Trunc,
                    false => [CastOp::ZExt, CastOp::SExt][self.one_of(2)],
                };
                let lhs = self.keep(Type::Int(to), Op::Cast { op, value });
                let pred = ICmp::ALL[self.one_of(10)];
                let rhs = self.constant(to);
                Op::ICmp { pred, lhs, rhs }
            }
        };
        self.keep(Type::BOOL, op)
    }
}
