//! The register form of a function: what the machine runs.
//!
//! Operations on words are instructions of their own; all others are [`Ins::General`] and go through `semantics`. Constants
//! are resolved, addresses of globals included, and phis are moves on the edges.

use program::{BinOp, CastOp, EdgeId, FBinOp, FCmp, FuncId, ICmp, MemOp, SpotId, Type, ValueId};

use crate::register::Register;

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Register(u32),
    /// A constant word, or the address of a global.
    Word(u64),
    /// A constant that is no word, in [`Code::constants`].
    Constant(u32),
}

/// Where control goes, and what the phis there become.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    pub to: u32,
    pub moves: Box<[(u32, Source)]>,
    /// The moves are one parallel assignment; else one after the other does.
    pub parallel: bool,
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    Function(FuncId),
    Extern(program::ExternId),
    Pointer(Source),
}

/// An instruction. Widths are in bits unless they are called bytes.
#[derive(Clone, Debug)]
pub(crate) enum Ins {
    Binary {
        op: BinOp,
        bits: u8,
        a: Source,
        b: Source,
        to: u32,
    },
    Compare {
        pred: ICmp,
        bits: u8,
        a: Source,
        b: Source,
        to: u32,
    },
    Float {
        op: FBinOp,
        double: bool,
        a: Source,
        b: Source,
        to: u32,
    },
    CompareFloats {
        pred: FCmp,
        double: bool,
        a: Source,
        b: Source,
        to: u32,
    },
    /// Between integers and pointers.
    Cast {
        op: CastOp,
        from: u8,
        bits: u8,
        a: Source,
        to: u32,
    },
    /// The result of signed arithmetic; an error where its type does not have it.
    Signed {
        value: Source,
        op: BinOp,
        bits: u8,
        a: Source,
        b: Source,
        to: u32,
    },
    /// The value as it is, with a value for each bit.
    Freeze {
        value: Source,
        to: u32,
    },
    Select {
        cond: Source,
        then: Source,
        otherwise: Source,
        to: u32,
    },
    Load {
        bits: u8,
        address: Source,
        to: u32,
    },
    Store {
        bits: u8,
        address: Source,
        value: Source,
    },
    Index {
        base: Source,
        offset: i64,
        /// Index, its width, its scale.
        indices: Box<[(Source, u8, i64)]>,
        to: u32,
    },
    /// A load or store of what is no word, and every computation that has no instruction of its own.
    General {
        to: u32,
    },
    Alloca {
        size: u64,
        count: Source,
        to: u32,
    },
    Memory {
        op: MemOp,
        args: [Source; 3],
    },
    /// A site that is no terminator: a probe, or a conditional expression, whose second side has the next number.
    Site {
        first: EdgeId,
        step: Option<Source>,
    },
    Call {
        callee: Callee,
        args: Box<[Source]>,
        /// Type and bytes of each argument, where some may be variable ones.
        types: Box<[(Type, u64)]>,
        to: u32,
    },
    Start {
        list: Source,
    },
    CopyList {
        to: Source,
        from: Source,
    },
    Go(Way),
    Branch {
        cond: Source,
        first: EdgeId,
        /// False, true.
        ways: Box<[Way; 2]>,
    },
    Switch {
        value: Source,
        first: EdgeId,
        cases: Box<[u128]>,
        /// One for each case, then the default.
        ways: Box<[Way]>,
    },
    Return(Option<Source>),
    Trap,
    Unreachable,
    /// What the machine does not run: an instruction by its name.
    Unknown(Box<str>),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub function: FuncId,
    pub instructions: Vec<Ins>,
    /// For each instruction the value that it defines, for its place and spot; `None` for terminators.
    pub origins: Vec<Option<ValueId>>,
    pub registers: u32,
    /// Registers of the parameters.
    pub params: Box<[u32]>,
    /// Which registers some instruction reads.
    pub used: Vec<bool>,
    pub constants: Vec<Register>,
}

impl Code {
    /// The spot of an instruction, for the constraints that it records.
    pub fn spot(&self, program: &program::Program, at: usize) -> SpotId {
        let value = self.origins.get(at).copied().flatten();
        let inst = value.and_then(|value| program.functions[self.function].inst(value));
        inst.and_then(|inst| inst.spot)
            .unwrap_or(SpotId::from_u32(0))
    }
}
