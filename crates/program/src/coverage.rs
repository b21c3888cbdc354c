//! The coverage mapping as clang wrote it: regions of the source, each with an expression over the profile
//! counters of its function. `llvm-cov` reads the same data, so what is computed from it equals its export.
//!
//! Invariants: indices in a [`FunctionCoverage`] stay inside it (the verifier checks counters, expressions, files).

use crate::id::FuncId;

/// A range of the source: lines and columns count from 1, the end column is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceRange {
    pub line: u32,
    pub col: u32,
    pub end_line: u32,
    pub end_col: u32,
}

/// How often something ran, as an expression over profile counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// Never; both outcomes of a folded condition have it.
    Zero,
    /// A profile counter of the function.
    Counter(u32),
    /// Index into [`FunctionCoverage::expressions`].
    Expr(u32),
}

/// Operator of an [`Expr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExprOp {
    Add,
    Sub,
}

/// A sum or a difference of two counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr {
    pub op: ExprOp,
    pub lhs: Counter,
    pub rhs: Counter,
}

/// What a region says about its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// It ran as often as the count says.
    Code,
    /// It is replaced by the text of another file of the function: an include or a macro.
    Expansion {
        /// Index into [`FunctionCoverage::files`].
        file: u32,
    },
    /// The preprocessor left it out.
    Skipped,
    /// Text between two statements.
    Gap,
    /// A condition; the region's count is that of its true outcome.
    Branch { false_count: Counter },
    /// A decision with several conditions.
    McdcDecision {
        /// Index of its first bit in the function's MC/DC bitmap.
        bitmap: u32,
        conditions: u16,
    },
    /// A condition of a decision.
    McdcBranch {
        false_count: Counter,
        /// Number of the condition in its decision, from 0.
        id: u16,
        /// The condition that is evaluated next, or `None` where the decision ends.
        true_next: Option<u16>,
        false_next: Option<u16>,
    },
}

/// One region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region {
    pub kind: RegionKind,
    /// How often it ran; of a condition, how often it was true.
    pub count: Counter,
    /// Index into [`FunctionCoverage::files`].
    pub file: u32,
    pub range: SourceRange,
}

/// One record of the coverage mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// The function, if it has a body: clang also writes records of unused functions.
    pub function: Option<FuncId>,
    /// Name in the profile: the linkage name, with the file before it where the function is internal.
    pub name: String,
    /// Structural hash of the function's source.
    pub hash: u64,
    /// Number of profile counters.
    pub counters: u32,
    /// Indices into [`crate::Program::files`]; the first is the function's own file, others may repeat it for the
    /// macros expanded there.
    pub files: Vec<u32>,
    pub expressions: Vec<Expr>,
    pub regions: Vec<Region>,
}

impl FunctionCoverage {
    /// The value of a counter, given the function's profile counters. Counters beyond the slice count as 0.
    ///
    /// Follows `llvm-cov` 19: 64-bit signed arithmetic whose result is read as unsigned. A negative count (a run that
    /// left between two counters, or came back by `longjmp`) is therefore a large one, and its outcome is covered.
    #[must_use]
    pub fn evaluate(&self, counter: Counter, profile: &[u64]) -> u64 {
        self.signed(counter, profile) as u64
    }

    fn signed(&self, counter: Counter, profile: &[u64]) -> i64 {
        match counter {
            Counter::Zero => 0,
            Counter::Counter(index) => profile.get(index as usize).map_or(0, |&count| count as i64),
            Counter::Expr(index) => {
                let Expr { op, lhs, rhs } = self.expressions[index as usize];
                let (lhs, rhs) = (self.signed(lhs, profile), self.signed(rhs, profile));
                match op {
                    ExprOp::Add => lhs.wrapping_add(rhs),
                    ExprOp::Sub => lhs.wrapping_sub(rhs),
                }
            }
        }
    }
}
