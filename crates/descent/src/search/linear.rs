//! The linear part of the constraints.
//!
//! Equations are solved in the arithmetic of the machine: modulo 2^width an odd coefficient has an inverse, so the input that
//! has it (the pivot) is computed from the others, and every vector of the others is on the polytope. Inequalities are only
//! known as such: the walk refuses steps that break one.
//!
//! Must hold: a pivot that cannot take its value (a byte that would have to be 300) keeps the one that it had.

use std::collections::BTreeMap;

use smt::{Op, Term, Var};

use crate::program::word::wide::{mask, signed};
use crate::program::{Bits, Program, each_operand};
use crate::{Kind, Shape, Shapes, Step, Trace};

use super::moves::is_inside;

/// Terms below one constraint, and inputs in one form: what is larger is not looked at.
const TERMS: usize = 4096;
const INPUTS: usize = 64;

/// How an input gets to the width of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Exact,
    Zeros,
    Sign,
}

type Atom = (usize, Reach);

/// A sum of inputs with coefficients, modulo 2^width.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    width: u16,
    constant: u128,
    atoms: BTreeMap<Atom, u128>,
}

impl Form {
    fn constant(width: u16, value: u128) -> Form {
        let constant = value & mask(width);
        Form {
            width,
            constant,
            atoms: BTreeMap::new(),
        }
    }

    fn scaled(mut self, by: u128) -> Form {
        let cut = mask(self.width);
        self.constant = self.constant.wrapping_mul(by) & cut;
        for factor in self.atoms.values_mut() {
            *factor = factor.wrapping_mul(by) & cut;
        }
        self.atoms.retain(|_, factor| *factor != 0);
        self
    }

    fn plus(mut self, other: &Form) -> Form {
        let cut = mask(self.width);
        self.constant = self.constant.wrapping_add(other.constant) & cut;
        for (&atom, &factor) in &other.atoms {
            let own = self.atoms.entry(atom).or_default();
            *own = own.wrapping_add(factor) & cut;
        }
        self.atoms.retain(|_, factor| *factor != 0);
        self
    }

    fn negated(self) -> Form {
        self.scaled(u128::MAX)
    }

    fn has(&self, input: usize) -> bool {
        self.atoms.keys().any(|&(own, _)| own == input)
    }
}

/// `pivot` = sum of the form.
#[derive(Clone, Debug)]
struct Row {
    pivot: Atom,
    sum: Form,
}

/// Equations with their pivots, in the order in which they are computed, and the steps that are linear inequalities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linear {
    rows: Vec<Row>,
    inequalities: Vec<usize>,
}

impl Linear {
    pub(crate) fn new(shapes: &dyn Shapes, trace: &Trace, program: &Program) -> Linear {
        let inputs = trace.variables.iter().enumerate();
        let reader = Reader {
            shapes,
            inputs: inputs
                .map(|(place, input)| (input.var, (place, input.width)))
                .collect(),
        };
        let mut linear = Linear::default();
        for (step, at) in trace.steps.iter().enumerate() {
            let &Step::Fit { condition } = at else {
                continue;
            };
            for part in reader.conjuncts(condition) {
                let Some((op, is_wanted, sides)) = reader.comparison(part) else {
                    continue;
                };
                let Some([left, right]) = reader.forms(sides) else {
                    continue;
                };
                match (op, is_wanted) {
                    (Op::Eq, true) => linear.equation(left.plus(&right.negated()), program),
                    (Op::Eq, false) => {}
                    _ => linear.inequalities.push(step),
                }
            }
        }
        linear.inequalities.dedup();
        linear
    }

    /// Takes `form` = 0 in, if it has a pivot.
    fn equation(&mut self, mut form: Form, program: &Program) {
        for row in &self.rows {
            if row.sum.width == form.width
                && let Some(factor) = form.atoms.remove(&row.pivot)
            {
                form = form.plus(&row.sum.clone().scaled(factor));
            }
        }
        let may_turn = |&(&(input, reach), &factor): &(&Atom, &u128)| {
            let is_free = self.rows.iter().all(|row| row.pivot.0 != input);
            // An input that reaches the form in two ways would have to be solved for both.
            let is_single = form.atoms.keys().filter(|atom| atom.0 == input).count() == 1;
            let is_last = self.rows.iter().all(|row| {
                !row.sum.has(input)
                    || row.sum.atoms.contains_key(&(input, reach)) && row.sum.width == form.width
            });
            let moves = !matches!(
                program.inputs[input].variable.kind,
                Kind::Fixed | Kind::Float
            );
            factor & 1 == 1 && moves && is_free && is_single && is_last
        };
        let Some((&pivot, &factor)) = form.atoms.iter().find(may_turn) else {
            return;
        };
        form.atoms.remove(&pivot);
        let width = form.width;
        let sum = form.negated().scaled(inverse(factor));
        for row in &mut self.rows {
            if row.sum.width == width
                && let Some(factor) = row.sum.atoms.remove(&pivot)
            {
                row.sum = row.sum.clone().plus(&sum.clone().scaled(factor));
            }
        }
        self.rows.push(Row { pivot, sum });
    }

    /// Computes the pivots from the other inputs.
    pub(crate) fn complete(&self, program: &Program, values: &mut [u128]) {
        for row in &self.rows {
            let cut = mask(row.sum.width);
            let mut value = row.sum.constant;
            for (&(input, reach), &factor) in &row.sum.atoms {
                let width = program.inputs[input].variable.width;
                let own = match reach {
                    Reach::Sign => signed(values[input], width).cast_unsigned(),
                    Reach::Exact | Reach::Zeros => values[input],
                };
                value = value.wrapping_add(own.wrapping_mul(factor)) & cut;
            }
            let (input, reach) = row.pivot;
            let variable = &program.inputs[input].variable;
            let narrow = value & mask(variable.width);
            let fits = match reach {
                Reach::Exact => true,
                Reach::Zeros => narrow == value,
                Reach::Sign => signed(narrow, variable.width).cast_unsigned() & cut == value,
            };
            if fits && is_inside(variable, narrow) {
                values[input] = narrow;
            }
        }
    }

    /// The inputs of a set that are not computed.
    pub(crate) fn free_of(&self, inputs: &Bits) -> Vec<usize> {
        let free = |input: &usize| self.rows.iter().all(|row| row.pivot.0 != *input);
        let all: Vec<usize> = inputs.iter().collect();
        let free: Vec<usize> = all.iter().copied().filter(free).collect();
        if free.is_empty() { all } else { free }
    }

    /// The steps that are linear inequalities.
    pub(crate) fn inequalities(&self) -> &[usize] {
        &self.inequalities
    }
}

/// The inverse of an odd number modulo 2^128 (Newton).
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2_u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

struct Reader<'a> {
    shapes: &'a dyn Shapes,
    inputs: BTreeMap<Var, (usize, u16)>,
}

impl Reader<'_> {
    /// The parts of a conjunction, the condition itself if it is none.
    fn conjuncts(&self, condition: Term) -> Vec<Term> {
        let (mut parts, mut todo) = (Vec::new(), vec![condition]);
        while let Some(next) = todo.pop() {
            match self.shapes.shape(next) {
                Some(Shape::Op {
                    op: Op::And,
                    operands: [a, b, _],
                    ..
                }) if parts.len() + todo.len() < INPUTS => {
                    todo.extend([b, a]);
                }
                _ => parts.push(next),
            }
        }
        parts
    }

    fn comparison(&self, mut term: Term) -> Option<(Op, bool, [Term; 2])> {
        let mut wanted = true;
        loop {
            match self.shapes.shape(term)? {
                Shape::Op {
                    op: Op::Not,
                    operands,
                    ..
                } => (term, wanted) = (operands[0], !wanted),
                Shape::Op {
                    op: op @ (Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle),
                    operands: [a, b, _],
                    ..
                } => {
                    return (self.shapes.pool().width(a) > 1).then_some((op, wanted, [a, b]));
                }
                _ => return None,
            }
        }
    }

    /// Both sides as sums of inputs, if they are.
    fn forms(&self, sides: [Term; 2]) -> Option<[Form; 2]> {
        let mut known: BTreeMap<Term, Form> = BTreeMap::new();
        let mut todo = sides.to_vec();
        while let Some(&top) = todo.last() {
            if known.contains_key(&top) {
                todo.pop();
                continue;
            }
            if known.len() + todo.len() > TERMS {
                return None;
            }
            let shape = self.shapes.shape(top)?;
            let before = todo.len();
            each_operand(shape, |operand| {
                if !known.contains_key(&operand) {
                    todo.push(operand);
                }
            });
            if todo.len() == before {
                todo.pop();
                let form = self.form(top, shape, &known)?;
                if form.atoms.len() > INPUTS {
                    return None;
                }
                known.insert(top, form);
            }
        }
        Some(sides.map(|side| known[&side].clone()))
    }

    fn form(&self, term: Term, shape: Shape<'_>, known: &BTreeMap<Term, Form>) -> Option<Form> {
        let width = self.shapes.pool().width(term);
        let Shape::Op {
            op,
            operands: [a, b, _],
            ..
        } = shape
        else {
            return match shape {
                Shape::Constant(value) => Some(Form::constant(width, value)),
                Shape::Var(var) => {
                    let &(input, own) = self.inputs.get(&var)?;
                    let atoms = BTreeMap::from([((input, Reach::Exact), 1)]);
                    (own == width).then_some(Form {
                        width,
                        constant: 0,
                        atoms,
                    })
                }
                _ => None,
            };
        };
        let (a, b) = (known.get(&a)?.clone(), known.get(&b)?.clone());
        let value = |form: &Form| form.atoms.is_empty().then_some(form.constant);
        match op {
            Op::Add => Some(a.plus(&b)),
            Op::Sub => Some(a.plus(&b.negated())),
            Op::Neg => Some(a.negated()),
            Op::Not => Some(a.negated().plus(&Form::constant(width, u128::MAX))),
            Op::Mul => match (value(&a), value(&b)) {
                (Some(by), _) => Some(b.scaled(by)),
                (_, Some(by)) => Some(a.scaled(by)),
                _ => None,
            },
            Op::Shl => {
                let by = value(&b).filter(|&by| by < u128::from(width))?;
                Some(a.scaled(1 << by))
            }
            Op::ZExt | Op::SExt => extended(op, width, &a),
            _ => None,
        }
    }
}

/// A wider form: of a constant, or of one input as it is.
fn extended(op: Op, width: u16, form: &Form) -> Option<Form> {
    let value = |value: u128| match op {
        Op::SExt => signed(value, form.width).cast_unsigned(),
        _ => value,
    };
    if form.width == width {
        return Some(form.clone());
    }
    let mut atoms = form.atoms.iter();
    match (atoms.next(), atoms.next()) {
        (None, _) => Some(Form::constant(width, value(form.constant))),
        (Some((&(input, Reach::Exact), 1)), None) if form.constant == 0 => {
            let reach = if op == Op::SExt {
                Reach::Sign
            } else {
                Reach::Zeros
            };
            Some(Form {
                width,
                constant: 0,
                atoms: BTreeMap::from([((input, reach), 1)]),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 31, 0xdead_beef, u128::MAX] {
            assert_eq!(inverse(odd).wrapping_mul(odd), 1, "{odd}");
        }
    }
}
