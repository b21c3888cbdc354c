//! Statements: accesses, blocks of memory, calls, branches, loops.

use super::*;

impl Maker<'_> {
    pub(super) fn statement(&mut self, depth: u32) {
        if self.left == 0 {
            return;
        }
        let kinds = if depth == 0 { 16 } else { 23 };
        match (self.random)(kinds) {
            0..=3 => self.store(),
            4 => {
                let at = self.one_of(self.names.pointers.len());
                let (value, place) = (
                    self.any_value(&Type::Ptr, 2),
                    address(self.names.pointers[at], if at == 2 { 8 } else { 0 }),
                );
                self.put(place, value);
            }
            5 | 6 => self.block_of_memory(),
            7 | 8 => {
                let ty = self.any_type();
                self.loaded(&ty);
            }
            9 | 10 => {
                let ty = self.any_type();
                self.any_value(&ty, 2);
            }
            11 => {
                let made = self.made(1);
                if self.chance(2) {
                    let at = self.one_of(self.names.pointers.len());
                    self.put(address(self.names.pointers[at], 0), made);
                }
            }
            12 | 13 => self.called(),
            14 => self.foreign(),
            15 => {
                let bits = self.width();
                let pointer = self.place(bits.div_ceil(8).into(), 1);
                let ty = Type::Int(bits);
                let value = self.number(bits, 1);
                self.put(pointer.clone(), value);
                self.cut();
                let back = if self.chance(2) {
                    Type::Int(self.width())
                } else {
                    ty
                };
                self.load(back, pointer);
            }
            16..=18 => self.either(depth),
            19 => self.cases(depth),
            20 => self.rounds(depth),
            21 => self.endless(depth),
            _ => self.leaves(),
        }
        self.cut();
    }

    pub(super) fn put(&mut self, address: Operand, value: Operand) {
        let op = Op::Store {
            address,
            value,
            align: 1,
            volatile: false,
        };
        self.add(Type::Void, op);
    }

    pub(super) fn store(&mut self) {
        let ty = self.any_type();
        let value = self.any_value(&ty, 1);
        let size = self.program.layout.store_size(&ty).unwrap_or(8);
        let place = self.place(size, 2);
        self.put(place, value);
    }

    pub(super) fn block_of_memory(&mut self) {
        let (length, size) = match (self.random)(4) {
            0 => {
                let lhs = self.number(64, 1);
                let most = [7u64, 8, 3, 15][self.one_of(4)];
                let op = Op::Bin {
                    op: BinOp::And,
                    lhs,
                    rhs: int(64, most.into()),
                };
                (self.keep(Type::Int(64), op), most)
            }
            _ => {
                let size = [16, 16, 8, 8, 4, 12, 3, 1, 7, 0][self.one_of(10)];
                (int(64, u128::from(size)), size)
            }
        };
        let to = self.place(size, 1);
        let op = MemOp::ALL[self.one_of(3)];
        let from = match op {
            MemOp::Set => match self.chance(2) {
                true => int(8, 0),
                false => self.number(8, 0),
            },
            _ => self.place(size, 1),
        };
        let op = Op::Mem {
            op,
            args: [to, from, length],
            volatile: false,
        };
        self.add(Type::Void, op);
    }

    pub(super) fn called(&mut self) {
        let callable = self.helpers.len();
        if callable == 0 {
            return;
        }
        let args = vec![self.place(8, 1), self.number(32, 1)];
        let callee = match (self.random)(3) {
            0 => {
                let hook = self.load(Type::Ptr, address(self.names.hook, 0));
                Callee::Indirect(hook)
            }
            _ => {
                let at = self.one_of(callable);
                Callee::Direct(self.helpers[at])
            }
        };
        let ty = match &callee {
            Callee::Direct(target) => self.program.functions[*target].return_type.clone(),
            _ => Type::Int(32),
        };
        let op = Op::Call {
            callee,
            args,
            variadic: false,
        };
        let result = self.keep(ty.clone(), op);
        if ty == Type::Int(32) && self.chance(2) {
            let rhs = self.constant(32);
            let pred = ICmp::ALL[self.one_of(10)];
            let op = Op::ICmp {
                pred,
                lhs: result,
                rhs,
            };
            let cond = self.keep(Type::BOOL, op);
            self.sides(cond, 1);
        }
    }

    pub(super) fn foreign(&mut self) {
        match (self.random)(8) {
            0 => {
                let (place, length) = (self.place(1, 1), self.number(64, 0));
                self.outside("read", vec![int(32, 0), place, length]);
            }
            1 => {
                let place = self.pointer(1);
                self.outside("strlen", vec![place]);
            }
            2 if self.helpers.len() > 1 => {
                let at = self.one_of(2);
                let target = self.helpers[at];
                let function = Operand::Const(Const::Function(target));
                match self.chance(6) {
                    false => self.put(address(self.names.hook, 0), function),
                    true => {
                        self.outside("outside", vec![function]);
                    }
                }
            }
            3 => {
                let cond = self.condition(2);
                let op = CastOp::ZExt;
                let held = self.add(Type::Int(32), Op::Cast { op, value: cond }).into();
                self.outside("__VERIFIER_assume", vec![held]);
            }
            4 => {
                let number = self.number(64, 0);
                self.outside("another", vec![number]);
            }
            _ => {
                let place = self.pointer(1);
                self.outside("outside", vec![place]);
            }
        }
    }

    pub(super) fn statements(&mut self, depth: u32) {
        for _ in 0..(self.random)(2) + 1 {
            self.statement(depth);
        }
    }

    pub(super) fn either(&mut self, depth: u32) {
        let cond = self.condition(2);
        self.sides(cond, depth);
    }

    /// Two sides, and a value that depends on which was taken.
    pub(super) fn sides(&mut self, cond: Operand, depth: u32) {
        let [then, els, join] = [0; 3].map(|_| self.function.add_block());
        self.branch(cond, then, els);
        let ty = self.any_type();
        let mut incoming = Vec::new();
        for side in [then, els] {
            self.block = side;
            let known = self.pool.len();
            self.cut();
            self.statements(depth - 1);
            let value = self.any_value(&ty, 1);
            self.pool.truncate(known);
            incoming.push((self.block, value));
            self.jump(join);
        }
        self.block = join;
        let phi = self.keep(ty.clone(), Op::Phi { incoming });
        if ty == Type::Ptr {
            self.room.extend(phi.value().map(|value| (value, 4)));
        }
    }

    pub(super) fn cases(&mut self, depth: u32) {
        let bits = [8, 32, 16][self.one_of(3)];
        let value = self.number(bits, 2);
        let count = (self.random)(3) + 2;
        let targets: Vec<BlockId> = (0..=count).map(|_| self.function.add_block()).collect();
        let join = self.function.add_block();
        let cases: Vec<u128> = (0..count).map(u128::from).collect();
        let terminator = Terminator::Switch {
            value,
            cases: cases.iter().copied().zip(targets.iter().copied()).collect(),
            default: targets[count as usize],
            site: SiteId::from_u32(u32::MAX),
        };
        self.function.terminate(self.block, terminator, None);
        self.sites
            .push((self.block, SiteKind::Switch { bits, cases }));
        for target in targets {
            self.block = target;
            let known = self.pool.len();
            self.cut();
            self.statements(depth - 1);
            self.pool.truncate(known);
            self.jump(join);
        }
        self.block = join;
    }

    /// A loop that a phi counts, in which two more phis change places.
    pub(super) fn rounds(&mut self, depth: u32) {
        let most = (self.random)(5) + 1;
        let before = self.block;
        let (a, b) = (self.number(32, 1), self.number(32, 1));
        let head = self.function.add_block();
        self.jump(head);
        self.block = head;
        let phi = |maker: &mut Self| {
            maker.add(
                Type::Int(32),
                Op::Phi {
                    incoming: Vec::new(),
                },
            )
        };
        let [counter, one, other] = [0; 3].map(|_| phi(self));
        let cond = Op::ICmp {
            pred: [ICmp::Ult, ICmp::Ne, ICmp::Slt][self.one_of(3)],
            lhs: counter.into(),
            rhs: int(32, most.into()),
        };
        let cond = self.add(Type::BOOL, cond).into();
        let [body, behind] = [0; 2].map(|_| self.function.add_block());
        self.branch(cond, body, behind);
        self.block = body;
        let known = self.pool.len();
        self.pool
            .extend([counter, one, other].map(|phi| (Type::Int(32), phi)));
        self.statements(depth - 1);
        let next = Op::Bin {
            op: BinOp::Add,
            lhs: counter.into(),
            rhs: int(32, 1),
        };
        let next = self.add(Type::Int(32), next);
        let third = match self.chance(2) {
            true => one.into(),
            false => self.number(32, 1),
        };
        self.pool.truncate(known);
        let last = self.block;
        self.jump(head);
        let flows = [
            (counter, int(32, 0), next.into()),
            (one, a, other.into()),
            (other, b, third),
        ];
        for (phi, first, again) in flows {
            if let Some(inst) = self.function.inst_mut(phi) {
                inst.op = Op::Phi {
                    incoming: vec![(before, first), (last, again)],
                };
            }
        }
        self.block = behind;
        self.pool
            .extend([counter, one, other].map(|phi| (Type::Int(32), phi)));
    }

    /// A loop that nothing counts; its way out is in the middle.
    pub(super) fn endless(&mut self, depth: u32) {
        let [head, middle, behind] = [0; 3].map(|_| self.function.add_block());
        self.jump(head);
        self.block = head;
        self.cut();
        self.statements(depth - 1);
        let cond = self.condition(2);
        self.branch(cond, behind, middle);
        self.block = middle;
        let known = self.pool.len();
        self.cut();
        self.statements(depth - 1);
        self.pool.truncate(known);
        self.jump(head);
        self.block = behind;
    }

    pub(super) fn leaves(&mut self) {
        let cond = self.condition(2);
        let [end, behind] = [0; 2].map(|_| self.function.add_block());
        self.branch(cond, end, behind);
        self.block = end;
        self.outside("exit", vec![int(32, 1)]);
        self.jump(behind);
        self.block = behind;
    }

    /// Calls itself with one less; a pointer to its own object goes down.
    pub(super) fn recursive(&mut self, number: Operand) {
        let [again, join] = [0; 2].map(|_| self.function.add_block());
        let lhs = self.add(
            Type::Int(32),
            Op::Bin {
                op: BinOp::And,
                lhs: number,
                rhs: int(32, 3),
            },
        );
        let op = Op::ICmp {
            pred: ICmp::Ugt,
            lhs: lhs.into(),
            rhs: int(32, 0),
        };
        let cond = self.add(Type::BOOL, op).into();
        self.branch(cond, again, join);
        self.block = again;
        let known = self.pool.len();
        let less = Op::Bin {
            op: BinOp::Sub,
            lhs: lhs.into(),
            rhs: int(32, 1),
        };
        let less = self.add(Type::Int(32), less).into();
        let own = self.alloca();
        self.statement(1);
        let op = Op::Call {
            callee: Callee::Direct(self.id),
            args: vec![own.clone(), less],
            variadic: false,
        };
        let ty = self.function.return_type.clone();
        self.keep(ty, op);
        self.cut();
        self.statement(1);
        self.load(Type::Int(32), own);
        self.pool.truncate(known);
        self.jump(join);
        self.block = join;
    }
}
