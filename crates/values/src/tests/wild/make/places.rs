//! Addresses, and what stands there.

use super::*;

impl Maker<'_> {
    /// The address of one of the program's objects, or what is kept somewhere.
    pub(super) fn pointer(&mut self, depth: u32) -> Operand {
        match (self.random)(if depth == 0 { 7 } else { 14 }) {
            0..=2 => self.global(),
            3..=5 => match self.pooled(&Type::Ptr) {
                Some(known) => known,
                None => self.global(),
            },
            6 => {
                let at = self.one_of(self.names.pointers.len());
                let place = address(self.names.pointers[at], 0);
                self.load(Type::Ptr, place)
            }
            7 | 8 => self.moved(depth - 1),
            9 => {
                let cond = self.condition(depth - 1);
                let (then_value, else_value) = (self.pointer(depth - 1), self.pointer(depth - 1));
                let op = Op::Select {
                    cond,
                    then_value,
                    else_value,
                };
                self.keep(Type::Ptr, op)
            }
            10 => {
                let value = self.number(64, depth - 1);
                let op = CastOp::IntToPtr;
                self.keep(Type::Ptr, Op::Cast { op, value })
            }
            11 => {
                let lhs = self.pointer(depth - 1);
                let lhs = self.keep(
                    Type::Int(64),
                    Op::Cast {
                        op: CastOp::PtrToInt,
                        value: lhs,
                    },
                );
                let rhs = match (self.random)(4) {
                    0 => self.number(64, 0),
                    _ => int(64, [0u128, 4, 8, 1][self.one_of(4)]),
                };
                let op = [BinOp::Add, BinOp::Sub, BinOp::Or, BinOp::Xor][self.one_of(4)];
                let value = self.keep(Type::Int(64), Op::Bin { op, lhs, rhs });
                let op = CastOp::IntToPtr;
                self.keep(Type::Ptr, Op::Cast { op, value })
            }
            12 => self.made(depth - 1),
            _ => match (self.random)(4) {
                0 => {
                    let value = self.pointer(depth - 1);
                    self.keep(Type::Ptr, Op::Freeze { value })
                }
                1 => Operand::Const(Const::Null),
                _ => self.moved(depth - 1),
            },
        }
    }

    pub(super) fn global(&mut self) -> Operand {
        let offset = [0, 0, 0, 4, 8, 1][self.one_of(6)];
        match (self.random)(12) {
            0 => address(self.names.large, 8 * i64::from((self.random)(500))),
            1 => address(self.names.outer, 0),
            2 => address(self.names.table, offset),
            3 | 4 => {
                let at = self.one_of(self.names.pointers.len());
                address(self.names.pointers[at], 0)
            }
            _ => {
                let at = self.one_of(self.names.small.len());
                address(self.names.small[at], offset)
            }
        }
    }

    /// Another place, usually in the same object.
    pub(super) fn moved(&mut self, depth: u32) -> Operand {
        let offset = i64::from((self.random)(3)) * 4;
        if self.chance(4) {
            // A place in the large array.
            let index = self.number(64, depth);
            let (by, scale) = [(511u128, 8i64), (255, 4), (1023, 1), (7, 8)][self.one_of(4)];
            let index = self.keep(
                Type::Int(64),
                Op::Bin {
                    op: BinOp::And,
                    lhs: index,
                    rhs: int(64, by),
                },
            );
            let op = Op::Gep {
                base: address(self.names.large, 0),
                indices: vec![(index, scale)],
                offset: 0,
            };
            return self.keep(Type::Ptr, op);
        }
        let base = self.pointer(depth);
        let indices = match (self.random)(3) {
            0 => Vec::new(),
            _ => {
                let bits = [8, 32, 64][self.one_of(3)];
                let index = self.number(bits, depth);
                let by = [1u128, 2, 3][self.one_of(3)];
                let index = self.keep(
                    Type::Int(bits),
                    Op::Bin {
                        op: BinOp::And,
                        lhs: index,
                        rhs: int(bits, by),
                    },
                );
                vec![(index, [1, 2, 4, 4, 8, -1][self.one_of(6)])]
            }
        };
        let op = Op::Gep {
            base,
            indices,
            offset: if self.chance(2) { 0 } else { offset },
        };
        self.keep(Type::Ptr, op)
    }

    /// The address that something outside gives, or of an object that is new.
    pub(super) fn made(&mut self, depth: u32) -> Operand {
        match (self.random)(8) {
            0 | 1 => self.alloca(),
            2 => {
                let made = self.outside("malloc", vec![int(64, SMALL.into())]);
                self.assume_not_null(&made);
                made
            }
            3 => {
                let made = self.outside("calloc", vec![int(64, 2), int(64, u128::from(SMALL / 2))]);
                self.assume_not_null(&made);
                made
            }
            4 => {
                let place = self.pointer(depth);
                self.outside("strchr", vec![place, int(32, 1)])
            }
            5 => {
                let place = self.pointer(depth);
                self.outside(
                    "fgets",
                    vec![place, int(32, 3), Operand::Const(Const::Null)],
                )
            }
            6 => {
                let (to, from) = (self.pointer(depth), self.pointer(depth));
                self.outside("strcpy", vec![to, from])
            }
            _ => {
                let number = self.number(64, depth);
                self.outside("another", vec![number])
            }
        }
    }

    pub(super) fn assume_not_null(&mut self, pointer: &Operand) {
        if self.chance(4) {
            return;
        }
        let op = Op::ICmp {
            pred: ICmp::Ne,
            lhs: pointer.clone(),
            rhs: Operand::Const(Const::Null),
        };
        let value = self.add(Type::BOOL, op).into();
        let op = CastOp::ZExt;
        let held = self.add(Type::Int(32), Op::Cast { op, value }).into();
        self.outside("__VERIFIER_assume", vec![held]);
    }

    pub(super) fn alloca(&mut self) -> Operand {
        let op = Op::Alloca {
            size: SMALL,
            align: 8,
            count: int(64, 1),
        };
        self.keep(Type::Ptr, op)
    }

    pub(super) fn load(&mut self, ty: Type, address: Operand) -> Operand {
        let volatile = (self.random)(30) == 0;
        let op = Op::Load {
            address,
            align: 1,
            volatile,
        };
        self.keep(ty, op)
    }

    pub(super) fn loaded(&mut self, ty: &Type) -> Operand {
        let place = self.pointer(1);
        self.load(ty.clone(), place)
    }
}
