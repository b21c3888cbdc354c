//! Uninstrumented clones: a second copy of a function without label code, which runs for as long as nothing on the run is symbolic.
//!
//! A function with a loop looks at `Hot::symbolic` when it is entered; while it is 0, the clone runs instead. It writes the
//! same events and nothing else.
//!
//! Invariant: nothing becomes symbolic while a clone runs. A function has one only if all it calls is known and creates no
//! input: intrinsics, quiet functions of the C library, and functions of the module of which the same is true.

use super::function::Fx;
use crate::ir::{Attribute, Block, Builder, Module, Opcode, Value};
use crate::number::{Numbering, Site};
use crate::prepare;
use std::collections::{HashMap, HashSet};
use wire::segment::HOT_SYMBOLIC;

/// Instructions up to which a function is worth a second copy.
const LARGEST: usize = 2000;
/// What the name of a clone ends with.
const SUFFIX: &str = ".concrete";

/// Whether a function is an uninstrumented clone.
pub(crate) fn is_plain_clone(function: Value) -> bool {
    function.name().ends_with(SUFFIX)
}

/// The uninstrumented clone of a function.
#[derive(Debug)]
pub(super) struct PlainClone {
    pub(super) function: Value,
    /// The instruction that each of its instructions is a copy of.
    pub(super) original: HashMap<Value, Value>,
}

/// The part that a function has in cloning.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cloning<'a> {
    None,
    /// It has one, which runs while nothing is symbolic.
    Has(Value),
    /// It is one: it goes without labels. Gives the instruction that each of its instructions is a copy of.
    Is(&'a HashMap<Value, Value>),
}

/// The functions that get a clone, by local id.
pub(super) fn wanted(numbering: &Numbering) -> HashSet<u32> {
    let quiet = quiet(numbering);
    let ids = 0..numbering.function_count();
    ids.filter(|&id| {
        let function = numbering.functions[id as usize];
        quiet.contains(&function) && is_copyable(function) && has_loop(function)
    })
    .collect()
}

/// The functions that make nothing symbolic: the greatest set that is closed under calls.
fn quiet(numbering: &Numbering) -> HashSet<Value> {
    let callees = |function: &Value| -> Option<Vec<Value>> {
        let mut list = Vec::new();
        for call in function
            .instructions()
            .filter(|instruction| instruction.is_call())
        {
            if call.callee().is_inline_assembly() {
                continue;
            }
            let callee = call.called_function()?;
            if !callee.is_declaration() {
                list.push(callee);
            } else if !callee.is_intrinsic() && !wire::libc::is_quiet(&callee.name()) {
                return None;
            }
        }
        Some(list)
    };
    let mut calls: HashMap<Value, Vec<Value>> = numbering
        .functions
        .iter()
        .filter_map(|function| Some((*function, callees(function)?)))
        .collect();
    loop {
        let known: HashSet<Value> = calls.keys().copied().collect();
        calls.retain(|_, callees| callees.iter().all(|callee| known.contains(callee)));
        if calls.len() == known.len() {
            return known;
        }
    }
}

/// Whether a function has nothing that a copy in terms of instructions could not have.
fn is_copyable(function: Value) -> bool {
    let memory = |index: u32| {
        ["byval", "sret", "inalloca", "swiftself", "nest"]
            .iter()
            .any(|name| function.has(Attribute::Param(index), name))
    };
    !function.function_type().is_variadic()
        && !(0..function.params().len() as u32).any(memory)
        && !prepare::resumes(function)
        && function.instructions().count() <= LARGEST
        && function.instructions().all(|instruction| {
            !matches!(
                instruction.opcode(),
                Opcode::LLVMInvoke
                    | Opcode::LLVMIndirectBr
                    | Opcode::LLVMCallBr
                    | Opcode::LLVMLandingPad
                    | Opcode::LLVMResume
            ) && !instruction.is_must_tail()
        })
}

fn has_loop(function: Value) -> bool {
    let mut state: HashMap<Block, bool> = HashMap::new();
    let mut stack: Vec<(Block, Vec<Block>)> = Vec::new();
    let Some(&entry) = function.blocks().first() else {
        return false;
    };
    state.insert(entry, true);
    stack.push((entry, entry.successors()));
    while let Some((block, rest)) = stack.last_mut() {
        let Some(next) = rest.pop() else {
            state.insert(*block, false);
            stack.pop();
            continue;
        };
        match state.get(&next) {
            Some(true) => return true,
            Some(false) => {}
            None => {
                state.insert(next, true);
                stack.push((next, next.successors()));
            }
        }
    }
    false
}

impl PlainClone {
    /// Copies a function as it is before its instrumentation.
    pub(super) fn of(module: &Module, function: Value) -> PlainClone {
        let name = format!("{}{SUFFIX}", function.name());
        let clone = module.add_function(&name, function.function_type());
        clone.set_private();
        clone.copy_attributes(function);
        let builder = Builder::new(module);
        let blocks: HashMap<Block, Block> = function
            .blocks()
            .into_iter()
            .map(|block| (block, clone.append_block(module, "")))
            .collect();
        let mut copies: HashMap<Value, Value> =
            function.params().into_iter().zip(clone.params()).collect();
        let mut original = HashMap::new();
        for block in function.blocks() {
            builder.at_end(blocks[&block]);
            for instruction in block.instructions() {
                // A phi is made anew: the blocks of a copy could not be changed.
                let copy = if instruction.is_opcode(Opcode::LLVMPHI) {
                    builder.phi(instruction.ty())
                } else {
                    let copy = instruction.copy();
                    builder.insert(copy);
                    copy
                };
                copies.insert(instruction, copy);
                original.insert(copy, instruction);
            }
        }
        let copied = |value: Value| copies.get(&value).copied().unwrap_or(value);
        for (&copy, &instruction) in &original {
            if instruction.is_opcode(Opcode::LLVMPHI) {
                for (value, from) in instruction.incoming() {
                    copy.add_incoming(copied(value), blocks[&from]);
                }
                continue;
            }
            for (index, operand) in instruction.operands().into_iter().enumerate() {
                if let Some(&operand) = copies.get(&operand) {
                    copy.set_operand(index as u32, operand);
                }
            }
            if instruction.is_terminator() {
                for (index, to) in instruction.successors().into_iter().enumerate() {
                    copy.set_successor(index as u32, blocks[&to]);
                }
            }
        }
        PlainClone {
            function: clone,
            original,
        }
    }
}

impl<'a> Fx<'a, '_> {
    /// Whether the function is an uninstrumented clone.
    pub(super) fn concrete(&self) -> bool {
        matches!(self.cloning, Cloning::Is(_))
    }

    /// Site of an instruction or of what it is a copy of.
    pub(super) fn site_of(&self, instruction: Value) -> Option<&'a Site> {
        let original = match self.cloning {
            Cloning::Is(copies) => copies.get(&instruction).copied(),
            _ => None,
        };
        let (_, site) = self.numbering.site_of(original.unwrap_or(instruction))?;
        Some(site)
    }

    /// Lets the clone run while nothing is symbolic.
    pub(super) fn give_way(&self, clone: Value) {
        let abi = self.abi;
        let (plain, next) = (self.block("concrete"), self.block("next"));
        let symbolic = abi.load_hot(abi.i32, HOT_SYMBOLIC);
        abi.b.cond_br(abi.b.not_zero(symbolic), next, plain);
        abi.b.at_end(plain);
        // What is inlined with the clone has locations in other functions: without one of its own, this call would leave
        // them in the wrong function, which LLVM's writer of debug information may not survive.
        abi.b.set_location(self.function.opening_location());
        let result = abi
            .b
            .call(clone.function_type(), clone, &self.function.params());
        abi.b.set_location(std::ptr::null_mut());
        if result.ty().is_void() {
            abi.b.ret_void();
        } else {
            abi.b.ret(result);
        }
        abi.b.at_end(next);
    }
}
