//! Functions: blocks, values, terminators.

use std::collections::HashMap;

use program::{
    BlockId, Const, Def, Function, Inst, Loc, MemOp, Op, Operand, Program, SiteId, SpotId,
    Terminator, Type, ValueId,
};

use super::Unit;
use super::operator::mnemonic;
use crate::ir::{Attribute, Block, Kind, Opcode, Value};
use crate::number;

/// Numbers of a function's blocks, in order.
pub fn block_ids(function: Value) -> HashMap<Block, BlockId> {
    let number = |(index, block)| (block, BlockId::from_u32(index as u32));
    function
        .blocks()
        .into_iter()
        .enumerate()
        .map(number)
        .collect()
}

/// Where the edges of a site lead.
pub fn edge_targets(site: &number::Site, blocks: &HashMap<Block, BlockId>) -> Vec<Option<BlockId>> {
    let successors = site.instruction.successors();
    let at = |index: usize| Some(blocks[&successors[index]]);
    match site.kind {
        number::SiteKind::Branch => vec![at(1), at(0)],
        // LLVM's first successor is the default.
        number::SiteKind::Switch { .. } => (1..successors.len()).chain([0]).map(at).collect(),
        number::SiteKind::Select | number::SiteKind::Probe => vec![None; site.edges as usize],
    }
}

/// Conversion of one function.
pub struct Body<'u, 'a> {
    pub unit: &'u mut Unit<'a>,
    pub program: &'u mut Program,
    pub function: Function,
    pub values: HashMap<Value, ValueId>,
    pub blocks: HashMap<Block, BlockId>,
    first_site: SiteId,
    first_spot: SpotId,
}

impl Unit<'_> {
    /// Adds the module's functions in the order of the numbering.
    pub fn functions(&mut self, program: &mut Program) {
        let (first_site, first_spot) = (program.sites.next_key(), program.spots.next_key());
        let numbering = &self.source.numbering;
        for (index, &value) in numbering.functions.iter().enumerate() {
            let mut function = Function::new(value.name());
            function.internal = value.is_local();
            function.library = self.source.meta.library;
            function.return_type = self.types.of(value.function_type().result());
            function.variadic = value.function_type().is_variadic();
            function.entry_counters = numbering.entry_counters[index].clone();
            function.loc = self.files.loc(program, value);
            let blocks = block_ids(value);
            let values = HashMap::new();
            let mut body = Body {
                unit: self,
                program,
                function,
                values,
                blocks,
                first_site,
                first_spot,
            };
            body.convert(value);
            let function = body.function;
            program.add_function(function);
        }
    }
}

/// Whether the model leaves an instruction out: debug records, lifetimes, marks.
fn is_left_out(instruction: Value) -> bool {
    number::is_mark(instruction)
        && number::select_condition(instruction).is_none()
        && number::counter_of(instruction).is_none()
}

impl Body<'_, '_> {
    fn convert(&mut self, value: Value) {
        for param in value.params() {
            let id = self.function.add_param(self.unit.types.of(param.ty()));
            self.values.insert(param, id);
        }
        let blocks = value.blocks();
        for &block in &blocks {
            let id = self.function.add_block();
            if id == Function::ENTRY {
                self.copies(value);
            }
            self.reserve(block);
        }
        for &block in &blocks {
            self.block(block);
        }
        for &block in &blocks {
            self.phis(block);
        }
    }

    /// Copies at the entry what was passed by value: such a parameter is the address of an object of the caller, and the callee's
    /// own copy of it is made by the call. Neither has a site or a spot, so no number of the numbering moves.
    fn copies(&mut self, value: Value) {
        for (index, param) in (0..).zip(value.params()) {
            let Some(ty) = value.type_attribute(Attribute::Param(index), "byval") else {
                continue;
            };
            let size = self.unit.source.module.alloc_size(ty);
            let entry = Function::ENTRY;
            let copy = Op::Alloca {
                size,
                align: 1,
                count: Const::int(64, 1).into(),
            };
            let copy = self.function.append(entry, Type::Ptr, copy, None, None);
            let source = self.values.insert(param, copy);
            let source = source.expect("parameters have ids before the blocks have");
            let move_all = Op::Mem {
                op: MemOp::Copy,
                args: [
                    copy.into(),
                    source.into(),
                    Const::int(64, size.into()).into(),
                ],
                volatile: false,
            };
            self.function
                .append(entry, Type::Void, move_all, None, None);
        }
    }

    /// Gives ids to the results of a block, so that any instruction may use them.
    fn reserve(&mut self, block: Block) {
        for instruction in block.instructions() {
            let has_spot = self.unit.source.numbering.spot_of(instruction).is_some();
            if instruction.is_terminator() && !has_spot || is_left_out(instruction) {
                continue;
            }
            let is_jump = instruction.is_opcode(Opcode::LLVMIndirectBr);
            let ty = if is_jump {
                Type::Ptr
            } else {
                self.unit.types.of(instruction.ty())
            };
            let op = Op::Opaque {
                what: "".into(),
                args: Vec::new(),
            };
            let inst = Inst {
                block: self.blocks[&block],
                op,
                loc: None,
                spot: None,
            };
            let id = self.function.values.push(program::Value {
                ty,
                def: Def::Inst(inst),
            });
            self.values.insert(instruction, id);
        }
    }

    fn block(&mut self, block: Block) {
        let id = self.blocks[&block];
        for instruction in block.instructions() {
            if instruction.is_terminator() {
                self.end(instruction, id);
                continue;
            }
            let Some(&value) = self.values.get(&instruction) else {
                continue;
            };
            let op = self.op(instruction, instruction.opcode(), id);
            self.place(value, instruction, op, id);
        }
    }

    fn place(&mut self, value: ValueId, instruction: Value, op: Op, block: BlockId) {
        let loc = self.loc(instruction);
        let spot = self
            .unit
            .source
            .numbering
            .spot_of(instruction)
            .map(|spot| self.first_spot.plus(spot));
        self.function.values[value].def = Def::Inst(Inst {
            block,
            op,
            loc,
            spot,
        });
        self.function.blocks[block].insts.push(value);
    }

    /// Operands of phis: constants that take instructions to compute stand at the end of the predecessor.
    fn phis(&mut self, block: Block) {
        for phi in block.instructions() {
            if !phi.is_opcode(Opcode::LLVMPHI) {
                break;
            }
            let mut incoming: Vec<(BlockId, Operand)> = Vec::new();
            for (value, from) in phi.incoming() {
                let from = self.blocks[&from];
                // LLVM has one entry for each edge; the model has one for each block.
                if incoming.iter().any(|(block, _)| *block == from) {
                    continue;
                }
                let operand = self.operand(value, from);
                incoming.push((from, operand));
            }
            let id = self.values[&phi];
            if let Some(inst) = self.function.inst_mut(id) {
                inst.op = Op::Phi { incoming };
            }
        }
    }

    pub fn loc(&mut self, instruction: Value) -> Option<Loc> {
        if !instruction.is_instruction() {
            return None;
        }
        self.unit.files.loc(self.program, instruction)
    }

    /// Site of an instruction.
    pub fn site(&self, instruction: Value) -> Option<SiteId> {
        let (site, _) = self.unit.source.numbering.site_of(instruction)?;
        Some(self.first_site.plus(site))
    }

    /// A value as an operand of something in `block`, where constant expressions are computed.
    pub fn operand(&mut self, value: Value, block: BlockId) -> Operand {
        if let Some(&id) = self.values.get(&value) {
            return Operand::Value(id);
        }
        if value.is_constant() {
            return match self.unit.constant(value) {
                Some(constant) => constant.into(),
                None if value.is_constant_expression() => self.expression(value, block).into(),
                None => self.aggregate(value, block),
            };
        }
        Const::Opaque {
            ty: self.unit.types.of(value.ty()),
            what: value.text().into(),
        }
        .into()
    }

    /// Turns a constant expression into an instruction.
    fn expression(&mut self, value: Value, block: BlockId) -> ValueId {
        let ty = self.unit.types.of(value.ty());
        let op = self.op(value, value.constant_opcode(), block);
        self.function.append(block, ty, op, None, None)
    }

    /// Puts together a constant some members of which are expressions.
    fn aggregate(&mut self, value: Value, block: BlockId) -> Operand {
        let ty = self.unit.types.of(value.ty());
        let mut whole: Operand = Const::Zero(ty.clone()).into();
        for index in 0..value.ty().len() as u32 {
            let Some(member) = value.member(index) else {
                continue;
            };
            let member = self.operand(member, block);
            let op = match ty {
                Type::Vector(_) => Op::Opaque {
                    what: "insertelement".into(),
                    args: vec![whole, member, Const::int(32, index.into()).into()],
                },
                _ => Op::InsertValue {
                    aggregate: whole,
                    value: member,
                    path: vec![index],
                },
            };
            let inserted = self.function.append(block, ty.clone(), op, None, None);
            whole = inserted.into();
        }
        whole
    }

    /// Operands that are values: no labels, no metadata.
    pub fn operands(&mut self, values: &[Value], block: BlockId) -> Vec<Operand> {
        let mut list = Vec::new();
        for &value in values {
            if !matches!(
                value.ty().kind(),
                Kind::LLVMLabelTypeKind | Kind::LLVMMetadataTypeKind
            ) {
                list.push(self.operand(value, block));
            }
        }
        list
    }

    fn end(&mut self, instruction: Value, block: BlockId) {
        let targets: Vec<BlockId> = instruction
            .successors()
            .iter()
            .map(|block| self.blocks[block])
            .collect();
        let terminator = match (instruction.opcode(), self.site(instruction)) {
            (Opcode::LLVMBr, None) => Terminator::Br { target: targets[0] },
            (Opcode::LLVMBr, Some(site)) => {
                let cond = self.operand(instruction.condition(), block);
                Terminator::CondBr {
                    cond,
                    then: targets[0],
                    els: targets[1],
                    site,
                }
            }
            (Opcode::LLVMSwitch, Some(site)) => {
                let value = self.operand(instruction.condition(), block);
                let (_, numbered) = self
                    .unit
                    .source
                    .numbering
                    .site_of(instruction)
                    .expect("it has a site");
                let cases = match &numbered.kind {
                    number::SiteKind::Switch { cases, .. } => cases.clone(),
                    _ => Vec::new(),
                };
                let cases = cases
                    .into_iter()
                    .zip(targets[1..].iter().copied())
                    .collect();
                Terminator::Switch {
                    value,
                    cases,
                    default: targets[0],
                    site,
                }
            }
            (Opcode::LLVMRet, _) => {
                let value = (instruction.operand_count() > 0)
                    .then(|| self.operand(instruction.operand(0), block));
                Terminator::Ret { value }
            }
            (Opcode::LLVMUnreachable, _) => Terminator::Unreachable,
            (Opcode::LLVMIndirectBr, _) => self.jump(instruction, block, targets),
            (opcode, _) => self.other_end(instruction, opcode, block, targets),
        };
        let loc = self.loc(instruction);
        self.function.terminate(block, terminator, loc);
    }

    /// A jump through a pointer. The spot where the pointer loses its symbolism stands before it.
    fn jump(&mut self, instruction: Value, block: BlockId, targets: Vec<BlockId>) -> Terminator {
        let mut address = self.operand(instruction.operand(0), block);
        if let Some(&value) = self.values.get(&instruction) {
            self.place(value, instruction, Op::Freeze { value: address }, block);
            address = value.into();
        }
        Terminator::IndirectBr { address, targets }
    }

    /// `invoke`, `callbr` and the like: an opaque instruction, then the end.
    fn other_end(
        &mut self,
        instruction: Value,
        opcode: Opcode,
        block: BlockId,
        targets: Vec<BlockId>,
    ) -> Terminator {
        let what: std::sync::Arc<str> = mnemonic(opcode).into();
        let args = self.operands(&instruction.operands(), block);
        let Some(&value) = self.values.get(&instruction) else {
            return Terminator::Opaque {
                what,
                args,
                targets,
            };
        };
        self.place(
            value,
            instruction,
            Op::Opaque {
                what: what.clone(),
                args,
            },
            block,
        );
        Terminator::Opaque {
            what,
            args: Vec::new(),
            targets,
        }
    }

    /// Type of the model for an LLVM value.
    pub fn ty(&self, value: Value) -> Type {
        self.unit.types.of(value.ty())
    }
}
