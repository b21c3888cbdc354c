//! The model of a program: our own small SSA form with its branch sites, and what is known about it without running
//! it (control flow, dominators, control dependence, call graph).
//!
//! Invariants:
//! - no LLVM, no I/O, no clock, no `unsafe`; nothing here knows how the model was made or what it is used for;
//! - ids are numbers over the whole program and print as they stand in the text form;
//! - whatever `text::parse` or `llvm::read` makes passes `verify`, and prints and parses back to the same model.

pub mod addresses;
pub mod callgraph;
pub mod cfg;
pub mod control;
pub mod coverage;
pub mod decision;
mod distance;
pub mod dom;
pub mod entity;
pub mod fields;
pub mod flow;
pub mod flow_hash;
pub mod following;
pub mod function;
pub mod getopt;
pub mod graph;
pub mod icfg;
pub mod id;
pub mod indexing;
pub mod inst;
pub mod model;
pub mod op;
pub mod operand;
pub mod outcome_edges;
pub mod outside;
pub mod parts;
mod place;
pub mod private;
pub mod regions;
pub mod rounding;
pub mod stops;
#[cfg(test)]
mod tests;
pub mod text;
pub mod types;
pub mod verify;

pub use coverage::{Counter, Expr, ExprOp, FunctionCoverage, Region, RegionKind};
pub use decision::Decision;
pub use entity::{Entity, PrimaryMap, SecondaryMap};
pub use function::{Block, Def, Extern, Function, Target, Value};
pub use id::{BlockId, EdgeId, ExternId, FuncId, GlobalId, ModuleId, SiteId, SpotId, ValueId};
pub use inst::{Callee, Inst, Op, SiteKind, Terminator, WATCH};
pub use model::{
    Edge, Gap, Global, Init, Module, Program, Relocation, RelocationTarget, Site, Spot,
};
pub use op::{BinOp, CastOp, FBinOp, FCmp, ICmp, Intrinsic, MemOp};
pub use operand::{AggregateConst, Const, Operand};
pub use place::{Loc, SourceRange};
pub use types::{ArrayType, DataLayout, Endian, Field, StructType, Type, VectorType};
