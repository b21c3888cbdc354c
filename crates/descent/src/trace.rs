//! Traces: what the search is asked about.
//!
//! A trace names each variable once. Inputs come first; then steps, in the order of the program. A step may use the inputs and
//! what earlier steps define; [`Program::new`](crate::Program::new) checks that.

use std::fmt;

use smt::{Term, Var};

use crate::External;

/// A path of a program from its entry to the target.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The inputs.
    pub variables: Vec<Variable>,
    /// What happens, in this order.
    pub steps: Vec<Step>,
}

/// An input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in terms.
    pub var: Var,
    /// 1 to 128 bits.
    pub width: u16,
    /// How it is moved.
    pub kind: Kind,
    /// Where it may move; `None`: anywhere.
    pub domain: Option<Domain>,
}

/// What the bits of an input mean, and so how it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer, also a byte.
    Unsigned,
    /// An integer in two's complement.
    Signed,
    /// A float of 32, 64 or 80 bits.
    Float,
    /// A pointer, or anything else that must keep its value.
    Fixed,
}

/// Least and greatest value, in the order of the variable's kind, as bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The least.
    pub low: u128,
    /// The greatest.
    pub high: u128,
}

/// Place of a step in its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepId(pub u32);

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step{}", self.0)
    }
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// A real function is called.
    Call(Call),
    /// An extracted loop runs to its exit.
    Loop(Loop),
    /// A condition of width 1 that must be true.
    Fit {
        /// The condition.
        condition: Term,
    },
}

/// A call of a real function; it defines its result.
#[derive(Clone, Debug)]
pub struct Call {
    /// What the result is called from here on.
    pub result: Var,
    /// Width of the result.
    pub width: u16,
    /// The function: it must depend on its arguments alone.
    pub function: External,
    /// The arguments.
    pub args: Vec<Term>,
}

/// A loop that was cut out: a control flow graph over state variables, which have their last values from here on. A nested
/// loop is a cycle within the graph.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What changes in the loop.
    pub state: Vec<State>,
    /// The first is the entry.
    pub blocks: Vec<Block>,
    /// The loop may execute this many blocks for each that it has; then the evaluation counts as failed.
    pub turns: u32,
}

/// A state variable of a loop.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// Its name, in the loop and behind it.
    pub var: Var,
    /// Its width.
    pub width: u16,
    /// Its value at entry.
    pub entry: Term,
}

/// A block of a loop. Its terms are over state variables, results of the block's own calls, and what was defined before the
/// loop. All of them are read before anything is assigned, the branch's condition as well.
#[derive(Clone, Debug)]
pub struct Block {
    /// Calls, in order; nothing but this block sees their results.
    pub calls: Vec<Call>,
    /// New values of state variables, assigned all at once.
    pub assign: Vec<(Var, Term)>,
    /// Where it goes on.
    pub next: Next,
}

/// A block of a loop, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.0)
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// Without a condition.
    Goto(Target),
    /// By a condition of width 1.
    Branch {
        /// The condition.
        condition: Term,
        /// Where it is true.
        then: Target,
        /// Where it is false.
        otherwise: Target,
    },
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Another block.
    Block(BlockId),
    /// Out of the loop, as the trace wants it.
    Exit,
    /// Out of the loop by another exit: the trace is left, and the evaluation counts as failed.
    Away,
}

/// Why a trace cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTrace {
    /// A variable that no input and no earlier step defines.
    #[error("{step}: {var} is used before it is defined")]
    Undefined {
        /// The step that uses it.
        step: StepId,
        /// The variable.
        var: Var,
    },
    /// A variable that two inputs or steps define.
    #[error("{var} is defined twice")]
    Redefined {
        /// The variable.
        var: Var,
    },
    /// An assignment to what is no state variable of the loop.
    #[error("{step}: {var} is assigned, but it is no state variable of the loop")]
    NoState {
        /// The loop.
        step: StepId,
        /// The variable.
        var: Var,
    },
    /// A jump to a block that is not there, or a loop without blocks.
    #[error("{step}: there is no {block}")]
    NoBlock {
        /// The loop.
        step: StepId,
        /// The block.
        block: BlockId,
    },
    /// A width that does not fit its place.
    #[error("{step}: {given} bits where {wanted} are wanted")]
    Width {
        /// The step.
        step: StepId,
        /// The width found.
        given: u16,
        /// The width wanted.
        wanted: u16,
    },
    /// A known function with other arguments than it takes.
    #[error("{step}: {function} is not called as the C library declares it")]
    Signature {
        /// The step.
        step: StepId,
        /// The function.
        function: String,
    },
    /// A term whose shape is not known.
    #[error("{step}: the shape of {term} is not known")]
    Shapeless {
        /// The step.
        step: StepId,
        /// The term.
        term: Term,
    },
    /// An input of 0 or more than 128 bits, or a float whose width no float has.
    #[error("{var} has {width} bits, which its kind cannot have")]
    Input {
        /// The input.
        var: Var,
        /// Its width.
        width: u16,
    },
}
