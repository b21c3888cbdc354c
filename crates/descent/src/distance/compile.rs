//! From a condition to its gauge.
//!
//! Conjunctions and disjunctions are sums and minima of their parts. A comparison with an operand that a condition chooses is
//! the least of both choices, each with the distance of the condition.
//!
//! Must hold: chains of one connective are followed without recursion, and the recursion over the rest has a bound; what
//! lies deeper is near or not.

use smt::{Op, Term};

use super::{Gauge, Mark, Measure};
use crate::program::Compiler;
use crate::{BadTrace, Shape};

/// Marks of one gauge.
const MARKS: usize = 256;

/// Connectives and choices within each other.
const DEPTH: usize = 24;

impl Gauge {
    /// The distance of `condition`, compiled already, from being as `wanted`.
    pub(crate) fn new(
        compiler: &Compiler<'_>,
        condition: Term,
        wanted: bool,
    ) -> Result<Gauge, BadTrace> {
        let mut builder = Builder {
            compiler,
            gauge: Gauge::default(),
            depth: 0,
        };
        builder.truth(condition, wanted)?;
        Ok(builder.gauge)
    }
}

struct Builder<'a, 'b> {
    compiler: &'a Compiler<'b>,
    gauge: Gauge,
    depth: usize,
}

impl Builder<'_, '_> {
    fn has_room(&self) -> bool {
        self.gauge.marks.len() < MARKS && self.depth < DEPTH
    }

    fn push(&mut self, mark: Mark) -> u32 {
        self.gauge.marks.push(mark);
        self.gauge.marks.len() as u32 - 1
    }

    fn joined(&mut self, is_sum: bool, parts: &[u32]) -> u32 {
        let from = self.gauge.parts.len() as u32;
        self.gauge.parts.extend(parts);
        let to = from + parts.len() as u32;
        self.push(if is_sum {
            Mark::Sum { from, to }
        } else {
            Mark::Least { from, to }
        })
    }

    fn leaf(&mut self, measure: Measure, wanted: bool, [a, b]: [Term; 2]) -> u32 {
        let width = self.compiler.width(a);
        let [a, b] = [a, b].map(|side| self.compiler.slot(side));
        self.push(Mark::Leaf {
            measure,
            wanted,
            a,
            b,
            width,
        })
    }

    /// The term without negations.
    fn plain(&self, mut term: Term, mut wanted: bool) -> Result<(Term, bool), BadTrace> {
        while let Shape::Op {
            op: Op::Not,
            operands,
            ..
        } = self.compiler.shape(term)?
        {
            (term, wanted) = (operands[0], !wanted);
        }
        Ok((term, wanted))
    }

    /// A term of width 1.
    fn truth(&mut self, term: Term, wanted: bool) -> Result<u32, BadTrace> {
        let (term, wanted) = self.plain(term, wanted)?;
        if let (true, Shape::Op { op, operands, .. }) =
            (self.has_room(), self.compiler.shape(term)?)
        {
            self.depth += 1;
            let mark = self.connective(term, op, operands, wanted);
            self.depth -= 1;
            if let Some(mark) = mark? {
                return Ok(mark);
            }
        }
        Ok(self.leaf(Measure::Truth, wanted, [term, term]))
    }

    fn connective(
        &mut self,
        term: Term,
        op: Op,
        [a, b, c]: [Term; 3],
        wanted: bool,
    ) -> Result<Option<u32>, BadTrace> {
        let of_truths = self.compiler.width(a) == 1;
        Ok(Some(match op {
            Op::And | Op::Or => {
                let mut parts = Vec::new();
                for part in self.chain(term, op)? {
                    parts.push(self.truth(part, wanted)?);
                }
                self.joined((op == Op::And) == wanted, &parts)
            }
            Op::Xor | Op::Eq if of_truths => {
                let same = (op == Op::Eq) == wanted;
                self.both_ways(a, |builder, side| builder.truth(b, side == same))?
            }
            Op::Ite => self.both_ways(a, |builder, side| {
                builder.truth(if side { b } else { c }, wanted)
            })?,
            Op::Eq
            | Op::Ult
            | Op::Ule
            | Op::Slt
            | Op::Sle
            | Op::FEq
            | Op::FLt
            | Op::FLe
            | Op::FUno => self.comparison(op, [a, b], wanted)?,
            _ => return Ok(None),
        }))
    }

    /// The operands of a chain of one connective.
    fn chain(&self, term: Term, op: Op) -> Result<Vec<Term>, BadTrace> {
        let (mut parts, mut todo) = (Vec::new(), vec![term]);
        while let Some(next) = todo.pop() {
            match self.compiler.shape(next)? {
                Shape::Op {
                    op: own,
                    operands: [a, b, _],
                    ..
                } if own == op && parts.len() + todo.len() < MARKS => {
                    todo.extend([b, a]);
                }
                _ => parts.push(next),
            }
        }
        Ok(parts)
    }

    /// The least of: `condition` and `then(true)`, no `condition` and `then(false)`.
    fn both_ways(
        &mut self,
        condition: Term,
        mut then: impl FnMut(&mut Self, bool) -> Result<u32, BadTrace>,
    ) -> Result<u32, BadTrace> {
        let mut sides = [0; 2];
        for (side, taken) in sides.iter_mut().zip([true, false]) {
            let parts = [self.truth(condition, taken)?, then(self, taken)?];
            *side = self.joined(true, &parts);
        }
        Ok(self.joined(false, &sides))
    }

    /// A comparison; where an operand is chosen by a condition, choosing the other one may be nearer.
    fn comparison(&mut self, op: Op, sides: [Term; 2], wanted: bool) -> Result<u32, BadTrace> {
        for place in 0..2 {
            let shape = self.compiler.shape(sides[place])?;
            if let (
                true,
                Shape::Op {
                    op: Op::Ite,
                    operands: [condition, then, otherwise],
                    ..
                },
            ) = (self.has_room(), shape)
            {
                self.depth += 1;
                let mark = self.both_ways(condition, |builder, side| {
                    let mut sides = sides;
                    sides[place] = if side { then } else { otherwise };
                    builder.comparison(op, sides, wanted)
                });
                self.depth -= 1;
                return mark;
            }
        }
        if let (Op::Eq, true, Some((truth, value))) =
            (op, self.has_room(), self.number_of_truth(sides)?)
        {
            self.depth += 1;
            let mark = match value {
                0 | 1 => self.truth(truth, (value == 1) == wanted),
                _ => Ok(self.leaf(Measure::Equal, wanted, sides)),
            };
            self.depth -= 1;
            return mark;
        }
        let measure = self.measure(op, sides)?;
        Ok(self.leaf(measure, wanted, sides))
    }

    fn measure(&self, op: Op, sides: [Term; 2]) -> Result<Measure, BadTrace> {
        let is_of_bits = |term| -> Result<bool, BadTrace> {
            let shape = self.compiler.shape(term)?;
            Ok(matches!(
                shape,
                Shape::Op {
                    op: Op::And | Op::Or | Op::Xor | Op::Not | Op::Bswap,
                    ..
                }
            ))
        };
        Ok(match op {
            Op::Eq if is_of_bits(sides[0])? || is_of_bits(sides[1])? => Measure::Bits,
            Op::Eq => Measure::Equal,
            Op::Ult | Op::Ule => Measure::Unsigned {
                strict: op == Op::Ult,
            },
            Op::Slt | Op::Sle => Measure::Signed {
                strict: op == Op::Slt,
            },
            Op::FEq => Measure::FloatEqual,
            Op::FLt | Op::FLe => Measure::FloatLess {
                strict: op == Op::FLt,
            },
            _ => Measure::Unordered,
        })
    }

    /// A truth value that was widened, and the constant that it is compared with.
    fn number_of_truth(&self, sides: [Term; 2]) -> Result<Option<(Term, u128)>, BadTrace> {
        let [a, b] = [
            self.compiler.shape(sides[0])?,
            self.compiler.shape(sides[1])?,
        ];
        Ok(match (a, b) {
            (
                Shape::Op {
                    op: Op::ZExt,
                    operands: [truth, ..],
                    ..
                },
                Shape::Constant(value),
            )
            | (
                Shape::Constant(value),
                Shape::Op {
                    op: Op::ZExt,
                    operands: [truth, ..],
                    ..
                },
            ) if self.compiler.width(truth) == 1 => Some((truth, value)),
            _ => None,
        })
    }
}
