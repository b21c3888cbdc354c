//! Instructions and constant expressions.

use std::sync::Arc;

use program::{ArrayType, BlockId, Callee, MemOp, Op, Operand, Type};

use super::function::Body;
use super::operator;
use super::symbols::Symbol;
use crate::ir::{Attribute, Opcode, Value};
use crate::number;

impl Body<'_, '_> {
    /// What an instruction (or constant expression) does. A phi gets its operands later.
    pub fn op(&mut self, value: Value, opcode: Opcode, block: BlockId) -> Op {
        if let Some(op) = operator::bin(opcode) {
            return Op::Bin {
                op,
                lhs: self.at(value, 0, block),
                rhs: self.at(value, 1, block),
            };
        }
        if let Some(op) = operator::float_bin(opcode) {
            return Op::FBin {
                op,
                lhs: self.at(value, 0, block),
                rhs: self.at(value, 1, block),
            };
        }
        if let Some(op) = operator::cast(opcode) {
            return Op::Cast {
                op,
                value: self.at(value, 0, block),
            };
        }
        match opcode {
            Opcode::LLVMCall => self.call(value, block),
            Opcode::LLVMPHI => Op::Phi {
                incoming: Vec::new(),
            },
            Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAlloca => {
                self.memory(value, opcode, block)
            }
            Opcode::LLVMGetElementPtr => self.gep_op(value, block),
            Opcode::LLVMFNeg => Op::FNeg {
                value: self.at(value, 0, block),
            },
            Opcode::LLVMFreeze => Op::Freeze {
                value: self.at(value, 0, block),
            },
            Opcode::LLVMExtractValue => Op::ExtractValue {
                aggregate: self.at(value, 0, block),
                path: value.indices(),
            },
            Opcode::LLVMInsertValue => Op::InsertValue {
                aggregate: self.at(value, 0, block),
                value: self.at(value, 1, block),
                path: value.indices(),
            },
            _ => self.comparison(value, opcode, block),
        }
    }

    fn at(&mut self, value: Value, index: u32, block: BlockId) -> Operand {
        self.operand(value.operand(index), block)
    }

    fn opaque(&mut self, value: Value, what: &str, block: BlockId) -> Op {
        let args = self.operands(&value.operands(), block);
        Op::Opaque {
            what: what.into(),
            args,
        }
    }

    /// Comparisons and `select`.
    fn comparison(&mut self, value: Value, opcode: Opcode, block: BlockId) -> Op {
        let predicates = match opcode {
            Opcode::LLVMICmp => (operator::int_predicate(value.int_predicate()), None),
            Opcode::LLVMFCmp => (None, operator::float_predicate(value.float_predicate())),
            Opcode::LLVMSelect if self.ty(value.operand(0)) == Type::BOOL => {
                return Op::Select {
                    cond: self.at(value, 0, block),
                    then_value: self.at(value, 1, block),
                    else_value: self.at(value, 2, block),
                };
            }
            _ => (None, None),
        };
        match predicates {
            (Some(pred), _) => Op::ICmp {
                pred,
                lhs: self.at(value, 0, block),
                rhs: self.at(value, 1, block),
            },
            (_, Some(pred)) => Op::FCmp {
                pred,
                lhs: self.at(value, 0, block),
                rhs: self.at(value, 1, block),
            },
            _ => self.opaque(value, &operator::mnemonic(opcode), block),
        }
    }

    fn memory(&mut self, value: Value, opcode: Opcode, block: BlockId) -> Op {
        let align = value.alignment();
        match opcode {
            Opcode::LLVMLoad => Op::Load {
                address: self.at(value, 0, block),
                align,
                volatile: value.is_volatile(),
            },
            Opcode::LLVMStore => {
                let (stored, address) = (self.at(value, 0, block), self.at(value, 1, block));
                Op::Store {
                    address,
                    value: stored,
                    align,
                    volatile: value.is_volatile(),
                }
            }
            _ => {
                let size = self.unit.source.module.alloc_size(value.allocated_type());
                Op::Alloca {
                    size,
                    align,
                    count: self.at(value, 0, block),
                }
            }
        }
    }

    fn gep_op(&mut self, value: Value, block: BlockId) -> Op {
        let Some((indices, offset)) = self.unit.gep(value) else {
            return self.opaque(value, "getelementptr", block);
        };
        let base = self.at(value, 0, block);
        let indices = indices
            .into_iter()
            .map(|(index, scale)| (self.operand(index, block), scale))
            .collect();
        Op::Gep {
            base,
            indices,
            offset,
        }
    }

    fn call(&mut self, call: Value, block: BlockId) -> Op {
        if let Some(name) = call.intrinsic_name()
            && number::jump(&name).is_none()
        {
            return self.intrinsic(call, &name, block);
        }
        let mut args = self.operands(&call.args(), block);
        let callee = call.callee();
        let variadic = call.call_type().is_variadic();
        if variadic {
            let fixed = call.call_type().params().len();
            for (index, arg) in (0..).zip(&mut args).skip(fixed) {
                self.by_value(call, index, arg, block);
            }
        }
        let callee = if callee.is_inline_assembly() {
            Callee::Asm(callee.assembly().into())
        } else {
            match self.unit.symbols.of(self.unit.index, callee) {
                Some(Symbol::Function(function)) => Callee::Direct(function),
                Some(Symbol::Extern(external)) => Callee::Extern(external),
                Some(Symbol::Global(_)) | None => Callee::Indirect(self.operand(callee, block)),
            }
        };
        Op::Call {
            callee,
            args,
            variadic,
        }
    }

    /// A variable argument that is an object passed by value is the object's bytes: no parameter says what it is.
    fn by_value(&mut self, call: Value, index: u32, arg: &mut Operand, block: BlockId) {
        let Some(ty) = call.call_type_attribute(Attribute::Param(index), "byval") else {
            return;
        };
        let bytes = Type::Array(Arc::new(ArrayType {
            element: Type::Int(8),
            count: self.unit.source.module.alloc_size(ty),
        }));
        let load = Op::Load {
            address: arg.clone(),
            align: 1,
            volatile: false,
        };
        let loaded = self.function.append(block, bytes, load, None, None);
        *arg = loaded.into();
    }

    fn intrinsic(&mut self, call: Value, name: &str, block: BlockId) -> Op {
        if number::select_condition(call).is_some() || number::counter_of(call).is_some() {
            return self.count(call, name, block);
        }
        let stem = operator::stem(name);
        let copy = match stem.strip_suffix(".inline").unwrap_or(stem) {
            "memcpy" => Some(MemOp::Copy),
            "memmove" => Some(MemOp::Move),
            "memset" => Some(MemOp::Set),
            _ => None,
        };
        if let Some(op) = copy {
            let args = [
                self.at(call, 0, block),
                self.at(call, 1, block),
                self.at(call, 2, block),
            ];
            return Op::Mem {
                op,
                args,
                volatile: call.operand(3).as_int() == Some(1),
            };
        }
        let args = call.args();
        match operator::intrinsic(name) {
            Some((op, operands)) if args.len() >= operands => Op::Intrinsic {
                op,
                args: self.operands(&args[..operands], block),
            },
            _ => Op::Opaque {
                what: stem.into(),
                args: self.operands(&args, block),
            },
        }
    }

    fn count(&mut self, call: Value, name: &str, block: BlockId) -> Op {
        let counter = call.operand(3).as_int().unwrap_or(0) as u32;
        let step = name.ends_with(".step").then(|| self.at(call, 4, block));
        Op::Count {
            counter,
            step,
            site: self.site(call),
        }
    }
}
