//! Which values may carry a label at all: a forward analysis over one function, leaf by leaf.
//!
//! Invariant: a leaf that is not marked here is concrete on every run, so no code is made for it.

use super::class::{Result, result_of};
use crate::ir::{Opcode, Value};
use crate::types::{self, has_label, leaves};
use std::collections::HashMap;

/// Leaves that may be symbolic.
#[derive(Debug, Default)]
pub(super) struct Symbolic {
    leaves: HashMap<Value, Vec<bool>>,
}

impl Symbolic {
    pub(super) fn new(function: Value) -> Symbolic {
        let mut this = Symbolic::default();
        for (index, param) in function.params().into_iter().enumerate() {
            let place = crate::ir::Attribute::Param(index as u32);
            let memory = function.has(place, "byval") || function.has(place, "sret");
            let marks = leaves(param.ty())
                .into_iter()
                .map(|leaf| !memory && has_label(leaf))
                .collect();
            this.leaves.insert(param, marks);
        }
        let instructions: Vec<Value> = function.instructions().collect();
        while instructions
            .iter()
            .filter(|&&instruction| this.visit(instruction))
            .count()
            > 0
        {}
        this
    }

    /// Whether leaf `leaf` of a value may be symbolic.
    pub(super) fn may(&self, value: Value, leaf: usize) -> bool {
        self.leaves
            .get(&value)
            .is_some_and(|marks| marks.get(leaf).copied().unwrap_or(false))
    }

    /// Whether any leaf may be symbolic.
    pub(super) fn may_any(&self, value: Value) -> bool {
        self.leaves
            .get(&value)
            .is_some_and(|marks| marks.contains(&true))
    }

    /// The leaves that may be symbolic.
    pub(super) fn marked(&self, value: Value) -> Vec<usize> {
        self.leaves
            .get(&value)
            .map(|marks| {
                marks
                    .iter()
                    .enumerate()
                    .filter(|(_, mark)| **mark)
                    .map(|(leaf, _)| leaf)
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Computes the marks of a result; true when they changed.
    fn visit(&mut self, instruction: Value) -> bool {
        let ty = instruction.ty();
        if ty.is_void() {
            return false;
        }
        let kinds = leaves(ty);
        if kinds.is_empty() {
            return false;
        }
        let mut marks = self.transfer(instruction, kinds.len());
        for (mark, kind) in marks.iter_mut().zip(&kinds) {
            *mark &= has_label(*kind);
        }
        if self.leaves.get(&instruction) == Some(&marks)
            || (!marks.contains(&true) && !self.leaves.contains_key(&instruction))
        {
            return false;
        }
        self.leaves.insert(instruction, marks);
        true
    }

    fn transfer(&self, instruction: Value, count: usize) -> Vec<bool> {
        match instruction.opcode() {
            Opcode::LLVMPHI => self.join(
                instruction.incoming().into_iter().map(|(value, _)| value),
                count,
            ),
            Opcode::LLVMSelect if instruction.operand(0).ty().int_bits().is_some() => {
                let arms = self.join(
                    [instruction.operand(1), instruction.operand(2)].into_iter(),
                    count,
                );
                let condition = self.may_any(instruction.operand(0));
                arms.into_iter().map(|mark| mark | condition).collect()
            }
            Opcode::LLVMInsertValue => {
                let mut marks = self.join(std::iter::once(instruction.operand(0)), count);
                let (first, inner) = types::leaf_offset(instruction.ty(), &instruction.indices());
                for leaf in 0..leaves(inner).len() {
                    marks[first + leaf] = self.may(instruction.operand(1), leaf);
                }
                marks
            }
            Opcode::LLVMExtractValue => {
                let source = instruction.operand(0);
                let (first, _) = types::leaf_offset(source.ty(), &instruction.indices());
                (0..count)
                    .map(|leaf| self.may(source, first + leaf))
                    .collect()
            }
            _ => match result_of(instruction) {
                Result::Concrete => vec![false; count],
                Result::Fresh => vec![true; count],
                Result::Computed => {
                    vec![
                        instruction
                            .operands()
                            .into_iter()
                            .any(|operand| self.may_any(operand));
                        count
                    ]
                }
                Result::Same => self.join(std::iter::once(instruction.operand(0)), count),
            },
        }
    }

    fn join(&self, values: impl Iterator<Item = Value>, count: usize) -> Vec<bool> {
        let mut marks = vec![false; count];
        for value in values {
            for (leaf, mark) in marks.iter_mut().enumerate() {
                *mark |= self.may(value, leaf);
            }
        }
        marks
    }
}
