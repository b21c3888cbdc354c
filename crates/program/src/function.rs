//! A function in SSA form: blocks of instructions over values.
//!
//! A value is a parameter or an instruction; the function owns both in one map, so a `ValueId` is all that is needed
//! to find a definition. Instructions that produce nothing have the type `Void` and are never used as operands.

use crate::entity::PrimaryMap;
use crate::id::{BlockId, FuncId, ModuleId, SpotId, ValueId};
use crate::inst::SiteKind;
use crate::inst::{Inst, Op, Terminator};
use crate::operand::Operand;
use crate::place::Loc;
use crate::types::Type;

/// A function with a body. Block 0 is its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The linkage name.
    pub name: String,
    pub module: ModuleId,
    /// Not visible outside its module (`static`).
    pub internal: bool,
    /// One of our own C models of a library function, not the user's code.
    pub library: bool,
    pub return_type: Type,
    pub params: Vec<ValueId>,
    pub variadic: bool,
    pub values: PrimaryMap<ValueId, Value>,
    pub blocks: PrimaryMap<BlockId, Block>,
    /// Profile counters that are incremented on the straight-line stretch from the entry.
    pub entry_counters: Vec<u32>,
    pub loc: Option<Loc>,
}

/// A parameter or an instruction, with the type of its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub ty: Type,
    pub def: Def,
}

/// What defines a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Def {
    /// The parameter of this number.
    Param(u32),
    Inst(Inst),
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub insts: Vec<ValueId>,
    pub terminator: Terminator,
    /// Where the terminator comes from.
    pub loc: Option<Loc>,
}

impl Function {
    /// A function without parameters and blocks that returns nothing. The module is set when it is added to a program.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Function {
        Function {
            name: name.into(),
            module: ModuleId::from_u32(0),
            internal: false,
            library: false,
            return_type: Type::Void,
            params: Vec::new(),
            variadic: false,
            values: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            entry_counters: Vec::new(),
            loc: None,
        }
    }

    /// The block where it starts.
    pub const ENTRY: BlockId = BlockId::from_u32(0);

    /// Adds a parameter.
    pub fn add_param(&mut self, ty: Type) -> ValueId {
        let number = u32::try_from(self.params.len()).expect("fewer than 2^32 parameters");
        let value = self.values.push(Value {
            ty,
            def: Def::Param(number),
        });
        self.params.push(value);
        value
    }

    /// Adds an empty block that ends in `unreachable`.
    pub fn add_block(&mut self) -> BlockId {
        self.blocks.push(Block {
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
            loc: None,
        })
    }

    /// Adds an instruction at the end of a block. Use `Type::Void` when it has no result.
    pub fn append(
        &mut self,
        block: BlockId,
        ty: Type,
        op: Op,
        loc: Option<Loc>,
        spot: Option<SpotId>,
    ) -> ValueId {
        let value = self.values.push(Value {
            ty,
            def: Def::Inst(Inst {
                block,
                op,
                loc,
                spot,
            }),
        });
        self.blocks[block].insts.push(value);
        value
    }

    /// Ends a block.
    pub fn terminate(&mut self, block: BlockId, terminator: Terminator, loc: Option<Loc>) {
        let block = &mut self.blocks[block];
        block.terminator = terminator;
        block.loc = loc;
    }

    /// The instruction that defines a value; `None` for a parameter.
    #[must_use]
    pub fn inst(&self, value: ValueId) -> Option<&Inst> {
        match &self.values[value].def {
            Def::Param(_) => None,
            Def::Inst(inst) => Some(inst),
        }
    }

    /// The instruction that defines a value, to change it: a phi gets its operands when all blocks are there.
    pub fn inst_mut(&mut self, value: ValueId) -> Option<&mut Inst> {
        match &mut self.values[value].def {
            Def::Param(_) => None,
            Def::Inst(inst) => Some(inst),
        }
    }

    /// The instructions of a block, in order.
    pub fn insts(&self, block: BlockId) -> impl DoubleEndedIterator<Item = (ValueId, &Inst)> {
        self.blocks[block]
            .insts
            .iter()
            .filter_map(|&value| self.inst(value).map(|inst| (value, inst)))
    }

    /// How many phis a block begins with.
    #[must_use]
    pub fn phis(&self, block: BlockId) -> usize {
        let is_phi = |value: &&ValueId| {
            let inst = self.inst(**value);
            inst.is_some_and(|inst| matches!(inst.op, Op::Phi { .. }))
        };
        self.blocks[block].insts.iter().take_while(is_phi).count()
    }

    /// Type of an operand.
    #[must_use]
    pub fn operand_type(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Value(value) => self.values[*value].ty.clone(),
            Operand::Const(constant) => constant.ty(),
        }
    }

    /// The kind of site that a terminator asks for. Only for those that have a site.
    pub(crate) fn site_kind(&self, terminator: &Terminator) -> SiteKind {
        match terminator {
            Terminator::Switch { value, cases, .. } => {
                let bits = match self.operand_type(value) {
                    Type::Int(bits) => bits,
                    _ => 0,
                };
                SiteKind::Switch {
                    bits,
                    cases: cases.iter().map(|(case, _)| *case).collect(),
                }
            }
            _ => SiteKind::Branch,
        }
    }

    /// Types of the parameters.
    pub fn param_types(&self) -> impl Iterator<Item = &Type> {
        self.params.iter().map(|&value| &self.values[value].ty)
    }
}

/// A function that has no body in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extern {
    pub name: String,
    pub return_type: Type,
    pub params: Vec<Type>,
    pub variadic: bool,
    /// It may be missing: then its address is null.
    pub weak: bool,
}

/// What a function pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Function(FuncId),
    Extern(crate::id::ExternId),
}
