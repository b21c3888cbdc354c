//! Cross-check: our evaluator against the concrete run, node by node.

use std::fmt;

use smt::{Assignment, Evaluator, Pool, Term};
use wire::node::Op;

use crate::segment::Segment;
use crate::terms::Terms;

/// A node whose term has another value than the program computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The node.
    pub label: u32,
    /// Its operation.
    pub op: Op,
    /// Its width.
    pub bits: u16,
    /// Operands' labels and the concrete values that the program had for them.
    pub operands: Vec<(u32, u128)>,
    /// What the program computed.
    pub concrete: u128,
    /// What the term evaluates to.
    pub evaluated: u128,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch {
            label,
            op,
            bits,
            concrete,
            evaluated,
            ..
        } = self;
        write!(f, "label {label}: {op:?}.{bits}(")?;
        for (index, (operand, value)) in self.operands.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{operand} = {value:#x}")?;
        }
        write!(
            f,
            ") is {concrete:#x} in the program, {evaluated:#x} by the evaluator"
        )
    }
}

/// Evaluates every node that was translated in this run; returns those that differ, operands before users.
pub fn compare(
    pool: &mut Pool,
    segment: &Segment,
    terms: &mut Terms,
    assignment: &Assignment,
) -> Vec<Mismatch> {
    let labels: Vec<u32> = terms.translated().to_vec();
    let translated: Vec<(u32, Term)> = labels
        .into_iter()
        .filter_map(|label| Some((label, terms.term(pool, segment, label)?)))
        .collect();
    let mut evaluator = Evaluator::new(pool, assignment);
    let differs = |(label, term): (u32, Term)| {
        let node = segment.node(label)?;
        let evaluated = evaluator.value(term);
        let value_of = |operand: u32| segment.node(operand).map(|node| (operand, node.value));
        (evaluated != node.value).then(|| Mismatch {
            label,
            op: node.op,
            bits: node.bits,
            operands: node
                .operands
                .iter()
                .filter(|operand| **operand != 0)
                .filter_map(|o| value_of(*o))
                .collect(),
            concrete: node.value,
            evaluated,
        })
    };
    translated.into_iter().filter_map(differs).collect()
}
