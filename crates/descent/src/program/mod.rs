//! Compiled traces: a flat list of operations over numbered words, computed anew for each vector of inputs.
//!
//! A value of up to 64 bits has one word, a wider one two. Each term of the trace is computed once, before its first use;
//! what a loop does not change is computed in front of the loop.
//!
//! Must hold: an evaluation allocates nothing (but for the first call of a [`Callback`](crate::Callback)), hashes nothing and
//! ends; compiled values are those of [`smt::Evaluator`].

mod bits;
mod compile;
mod loops;
mod run;
pub(crate) mod word;

pub(crate) use bits::Bits;
pub(crate) use compile::{Compiler, each_operand};
pub use run::Machine;
pub(crate) use run::load;

use smt::Op;

use crate::distance::Gauge;
use crate::external::Known;
use crate::{BadTrace, Shapes, Trace, Variable};

/// Which code computes an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Code {
    /// All values have one word.
    Integer(Op),
    Float(Op),
    /// Some value has two.
    Wide(Op),
    WideFloat(Op),
    /// `b` is the table.
    Table,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instr {
    pub(crate) code: Code,
    pub(crate) aux: u8,
    pub(crate) bits: u16,
    /// Width of the first operand.
    pub(crate) width: u16,
    pub(crate) out: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// One word copied to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// What happens between the operations. `Straight` is a range of the code that the list belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Straight {
        from: u32,
        to: u32,
    },
    Call {
        step: u32,
        call: u32,
    },
    Loop {
        step: u32,
        index: u32,
    },
    Fit {
        step: u32,
        condition: u32,
        gauge: u32,
    },
}

/// How a function is called.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    Known(Known),
    /// By name; the number is that of the memo.
    Callback(String, u32),
}

#[derive(Clone, Debug)]
pub(crate) struct CallCode {
    pub(crate) way: Way,
    /// Words and widths of the arguments.
    pub(crate) args: Vec<(u32, u16)>,
    pub(crate) out: u32,
    pub(crate) width: u16,
}

/// Where control goes in a compiled loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Block(u32),
    Exit,
    Away,
}

#[derive(Clone, Debug)]
pub(crate) enum Jump {
    Always(Goal),
    On {
        condition: u32,
        then: Goal,
        otherwise: Goal,
        /// Distance of the condition from true and from false.
        gauges: [u32; 2],
    },
}

#[derive(Clone, Debug)]
pub(crate) struct BlockCode {
    pub(crate) items: Vec<Item>,
    /// Through words of their own where an assignment reads what another one changes.
    pub(crate) moves: Vec<Move>,
    pub(crate) jump: Jump,
    /// Operations that the block executes.
    pub(crate) cost: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct LoopCode {
    pub(crate) entry: Vec<Move>,
    pub(crate) blocks: Vec<BlockCode>,
    /// Blocks that one evaluation may execute.
    pub(crate) limit: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) variable: Variable,
    pub(crate) word: u32,
}

/// A compiled [`Trace`].
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Constants in place, the rest 0.
    pub(crate) words: Vec<u64>,
    pub(crate) code: Vec<Instr>,
    /// The code of all blocks of loops.
    pub(crate) inner: Vec<Instr>,
    pub(crate) tables: Vec<Box<[u32]>>,
    pub(crate) items: Vec<Item>,
    pub(crate) calls: Vec<CallCode>,
    pub(crate) loops: Vec<LoopCode>,
    pub(crate) gauges: Vec<Gauge>,
    pub(crate) inputs: Vec<Input>,
    /// For each step: the inputs that can change how far it is from being satisfied.
    pub(crate) influence: Vec<Bits>,
    /// Constants that operations of the trace have, with their widths, sorted: values worth trying. Entries of tables are none.
    pub(crate) constants: Vec<(u16, u128)>,
    pub(crate) memos: u32,
}

impl Program {
    /// Compiles `trace`, whose terms are of the pool that `shapes` knows.
    ///
    /// # Errors
    /// A trace that uses what is not defined, whose widths do not fit, or with terms of unknown shape.
    pub fn new(shapes: &dyn Shapes, trace: &Trace) -> Result<Program, BadTrace> {
        Compiler::new(shapes, trace)?.compile(trace)
    }

    /// Number of operations outside of loops.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.code.len()
    }
}
