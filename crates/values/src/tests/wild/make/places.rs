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

    /// A place that has so many bytes, nearly always.
    pub(super) fn place(&mut self, size: u64, depth: u32) -> Operand {
        if self.chance(16) {
            return self.pointer(depth);
        }
        match (self.random)(if depth == 0 { 6 } else { 10 }) {
            0..=2 => {
                let global = match (self.random)(8) {
                    0 => self.names.pointers[2],
                    at if at % 3 == 0 && size <= 4 => self.names.small[2],
                    at => self.names.small[at as usize % 2],
                };
                let offset = match global == self.names.small[2] {
                    true => 0,
                    false => self.offset(SMALL - size),
                };
                address(global, offset)
            }
            3 | 4 => self.known(size).unwrap_or_else(|| self.place(size, 0)),
            5 if size <= 4 => {
                let at = self.one_of(self.names.pointers.len());
                let place = address(self.names.pointers[at], if at == 2 { 8 } else { 0 });
                let kept = self.load(Type::Ptr, place);
                self.room.extend(kept.value().map(|value| (value, 4)));
                kept
            }
            5 => address(self.names.large, 8 * i64::from((self.random)(500))),
            6 | 7 => self.somewhere(size, depth - 1),
            8 => {
                let made = self.made(depth - 1);
                match made
                    .value()
                    .is_some_and(|value| self.room.contains_key(&value))
                {
                    true => made,
                    false => self.place(size, 0),
                }
            }
            _ => {
                let cond = self.condition(depth - 1);
                let [then_value, else_value] = [0; 2].map(|_| self.place(size, depth - 1));
                let op = Op::Select {
                    cond,
                    then_value,
                    else_value,
                };
                self.keep_place(op, size)
            }
        }
    }

    fn offset(&mut self, most: u64) -> i64 {
        let most = most as u32;
        match (self.random)(5) {
            0 | 1 => 0,
            2 => 4.min(most).into(),
            3 => 8.min(most).into(),
            _ => (self.random)(most + 1).into(),
        }
    }

    fn keep_place(&mut self, op: Op, room: u64) -> Operand {
        let kept = self.keep(Type::Ptr, op);
        self.room.extend(kept.value().map(|value| (value, room)));
        kept
    }

    /// A place behind an address that was computed before.
    fn known(&mut self, size: u64) -> Option<Operand> {
        let fits = |(ty, value): &(Type, ValueId)| {
            let room = self.room.get(value).copied().filter(|_| *ty == Type::Ptr);
            room.filter(|room| *room >= size).map(|room| (*value, room))
        };
        let all: Vec<(ValueId, u64)> = self.pool.iter().filter_map(fits).collect();
        if all.is_empty() {
            return None;
        }
        let (base, room) = all[self.one_of(all.len())];
        let offset = self.offset(room - size);
        if offset == 0 {
            return Some(base.into());
        }
        let op = Op::Gep {
            base: base.into(),
            indices: Vec::new(),
            offset,
        };
        Some(self.keep_place(op, room - offset as u64))
    }

    /// A place in an object that an index says.
    fn somewhere(&mut self, size: u64, depth: u32) -> Operand {
        let bits = [8, 32, 64][self.one_of(3)];
        let index = self.number(bits, depth);
        let (base, steps): (Operand, &[(u128, i64)]) = match (self.random)(4) {
            0 => (
                address(self.names.large, 0),
                &[(511, 7), (255, 4), (1023, 1), (7, 8)],
            ),
            _ => {
                let at = self.one_of(2);
                let base = match self.known(SMALL) {
                    Some(known) if self.chance(2) => known,
                    _ => address(self.names.small[at], 0),
                };
                let steps: &[(u128, i64)] = match size {
                    1 => &[(15, 1), (3, 4), (1, 8)],
                    2 => &[(7, 2), (3, 4), (3, 1)],
                    3 | 4 => &[(3, 4), (1, 8), (3, 2), (7, 1)],
                    _ => &[(1, 8), (3, 2), (1, 4), (8, 1)],
                };
                (base, steps)
            }
        };
        let (by, scale) = steps[self.one_of(steps.len())];
        let by = match bits {
            8 => by & 127,
            _ => by,
        };
        let op = Op::Bin {
            op: BinOp::And,
            lhs: index,
            rhs: int(bits, by),
        };
        let index = self.keep(Type::Int(bits), op);
        let op = Op::Gep {
            base,
            indices: vec![(index, scale)],
            offset: 0,
        };
        self.keep_place(op, size)
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
                let size = int(64, SMALL.into());
                let made = self.outside("malloc", vec![size.clone()]);
                self.assume_not_null(&made);
                if self.chance(2) {
                    let args = [made.clone(), int(8, 0), size];
                    let (op, volatile) = (MemOp::Set, false);
                    let clears = Op::Mem { op, args, volatile };
                    self.add(Type::Void, clears);
                }
                made
            }
            3 => {
                let made = self.outside("calloc", vec![int(64, 2), int(64, u128::from(SMALL / 2))]);
                self.assume_not_null(&made);
                made
            }
            4 => {
                let place = self.place(1, depth);
                self.outside("strchr", vec![place, int(32, 1)])
            }
            5 => {
                let place = self.place(1, depth);
                self.outside(
                    "fgets",
                    vec![place, int(32, 3), Operand::Const(Const::Null)],
                )
            }
            6 => {
                let (to, from) = (self.place(1, depth), self.place(1, depth));
                self.outside("strcpy", vec![to, from])
            }
            _ => {
                let number = self.number(64, depth);
                self.outside("another", vec![number])
            }
        }
    }

    pub(super) fn assume_not_null(&mut self, pointer: &Operand) {
        if self.chance(6) {
            return;
        }
        self.room
            .extend(pointer.value().map(|value| (value, SMALL)));
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
        self.keep_place(op, SMALL)
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
        let size = self.program.layout.store_size(ty).unwrap_or(8);
        let place = self.place(size, 1);
        self.load(ty.clone(), place)
    }
}
