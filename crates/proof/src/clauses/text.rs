//! Formulas over the parameters of predicates, as documents have them: lines of text.
//!
//! | line | meaning |
//! |---|---|
//! | `const 32 0x10` | a number of 32 bits |
//! | `parameter 3 32` | what stands at this place of the predicate, of 32 bits |
//! | `Add 32 0 t1 t2` | an operation of the solver's, with its width and its extra operand, over the terms of lines before it |
//! | `table t1 t2 t3` | one of several terms, by an index |

use std::collections::BTreeMap;
use std::fmt::Write;

use smt::{Op, Pool, Shape, Term, Var};

/// Bits of a term.
const BITS: std::ops::RangeInclusive<u16> = 1..=128;

/// The lines of some formulas, and the number of the line of each.
pub(super) fn write(pool: &Pool, formulas: &[Term]) -> (Vec<String>, Vec<u32>) {
    let mut lines = Vec::new();
    let mut known: BTreeMap<Term, usize> = BTreeMap::new();
    for formula in formulas {
        let mut work = vec![(*formula, false)];
        while let Some((term, is_ready)) = work.pop() {
            if known.contains_key(&term) {
                continue;
            }
            if is_ready {
                known.insert(term, lines.len());
                lines.push(line(pool, term, &known));
            } else {
                work.push((term, true));
                work.extend(parts(pool, term).into_iter().map(|part| (part, false)));
            }
        }
    }
    let numbers = formulas.iter().map(|formula| known[formula] as u32);
    let numbers = numbers.collect();
    (lines, numbers)
}

fn parts(pool: &Pool, term: Term) -> Vec<Term> {
    match pool.shape(term) {
        Shape::Constant(_) | Shape::Var(_) => Vec::new(),
        Shape::Table { index, entries } => [&[index], entries].concat(),
        Shape::Op { op, operands, .. } => operands[..op.arity()].to_vec(),
    }
}

fn line(pool: &Pool, term: Term, known: &BTreeMap<Term, usize>) -> String {
    let bits = pool.width(term);
    let mut line = match pool.shape(term) {
        Shape::Constant(value) => format!("const {bits} {value:#x}"),
        Shape::Var(var) => format!("parameter {} {bits}", var.0),
        Shape::Table { .. } => "table".to_owned(),
        Shape::Op { op, aux, .. } => format!("{} {bits} {aux}", op.name()),
    };
    for part in parts(pool, term) {
        let _ = write!(line, " t{}", known[&part]);
    }
    line
}

/// The terms of some lines, in order; `None` if one is none.
pub(super) fn read(pool: &mut Pool, lines: &[String]) -> Option<Vec<Term>> {
    let mut terms = Vec::new();
    for line in lines {
        let term = one(pool, &terms, line)?;
        terms.push(term);
    }
    Some(terms)
}

fn one(pool: &mut Pool, before: &[Term], line: &str) -> Option<Term> {
    let mut words = line.split(' ');
    let head = words.next()?;
    let bits = |word: Option<&str>| word?.parse().ok().filter(|bits| BITS.contains(bits));
    let made = match head {
        "const" => {
            let bits = bits(words.next())?;
            let value = u128::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
            let fits = bits == 128 || value >> bits == 0;
            fits.then(|| pool.constant(bits, value))?
        }
        "parameter" => {
            let at = words.next()?.parse().ok()?;
            pool.var(Var(at), bits(words.next())?)
        }
        "table" => {
            let terms = rest(&mut words, before)?;
            let (index, entries) = terms.split_first()?;
            let widths = entries.iter().map(|entry| pool.width(*entry));
            let widths: std::collections::BTreeSet<u16> = widths.collect();
            (widths.len() == 1).then(|| pool.table(*index, entries.into()))?
        }
        name => {
            let op = Op::from_name(name)?;
            let (bits, aux) = (bits(words.next())?, words.next()?.parse().ok()?);
            let operands = rest(&mut words, before)?;
            pool.try_apply(op, bits, aux, &operands).ok()?
        }
    };
    words.next().is_none().then_some(made)
}

fn rest<'w>(words: &mut impl Iterator<Item = &'w str>, before: &[Term]) -> Option<Vec<Term>> {
    let terms = words.map(|word| {
        let number: usize = word.strip_prefix('t')?.parse().ok()?;
        before.get(number).copied()
    });
    terms.collect()
}
