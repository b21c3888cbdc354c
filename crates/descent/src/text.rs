//! Traces as text: what tests and figures are written in.
//!
//! One thing a line; `#` begins a comment. An input is `x: s32` (`u` unsigned, `s` signed, `f` float, `p` fixed), with a domain
//! `c: u8 in 48..57`. Steps are `fit EXPR`, `call y:64 = sin EXPR`, and
//!
//! ```text
//! loop 1000            at most so many turns
//!   i:32 = EXPR        a state variable and its value at entry
//!   block
//!     call t:64 = sin EXPR
//!     i := EXPR
//!     branch EXPR 0 exit      or: goto 0
//! end
//! ```
//!
//! An expression is a name, a number, or `(Op EXPR ...)` with the names of [`smt::Op`]; `(SExt:64 x)` has the width of its result,
//! `(Extract:8@16 x)` the lowest bit as well, `(table INDEX A B ...)` reads a table. A number has the width of what stands beside it,
//! or its own: `5:32`.
//!
//! Must hold: what is not understood is an error that names its line.

use std::collections::BTreeMap;

use smt::{Op, Term, Var};

use crate::{
    Block, BlockId, Call, Domain, External, Kind, Loop, Next, Recorder, Shapes, State, Step,
    Target, Trace, Variable,
};

/// A text that is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadText {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// A trace that was read, with the pool of its terms.
#[derive(Debug, Default)]
pub struct Read {
    /// The terms.
    pub terms: Recorder,
    /// The trace.
    pub trace: Trace,
    /// Variables by name, with their widths.
    pub names: BTreeMap<String, (Var, u16)>,
}

type Result<T> = std::result::Result<T, String>;

/// Reads a trace.
///
/// # Errors
/// A line that is not understood.
pub fn parse(text: &str) -> std::result::Result<Read, BadText> {
    let mut read = Read::default();
    let mut inside: Option<Loop> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let done = if line.is_empty() {
            Ok(())
        } else {
            read.line(line, &mut inside)
        };
        done.map_err(|what| BadText {
            line: index + 1,
            what,
        })?;
    }
    match inside {
        Some(_) => Err(BadText {
            line: text.lines().count(),
            what: "a loop without end".to_owned(),
        }),
        None => Ok(read),
    }
}

impl Read {
    fn line(&mut self, line: &str, inside: &mut Option<Loop>) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut *inside) {
            ("loop", None) => {
                let turns = rest
                    .trim()
                    .parse()
                    .map_err(|_| "a number of turns is wanted")?;
                *inside = Some(Loop {
                    state: Vec::new(),
                    blocks: Vec::new(),
                    turns,
                });
                Ok(())
            }
            ("end", Some(_)) => {
                self.trace.steps.extend(inside.take().map(Step::Loop));
                Ok(())
            }
            (_, Some(body)) => self.in_loop(word, rest, line, body),
            ("fit", None) => {
                let condition = self.whole(rest, Some(1))?;
                self.trace.steps.push(Step::Fit { condition });
                Ok(())
            }
            ("call", None) => {
                let call = self.call(rest)?;
                self.trace.steps.push(Step::Call(call));
                Ok(())
            }
            _ => self.input(line),
        }
    }

    fn in_loop(&mut self, word: &str, rest: &str, line: &str, body: &mut Loop) -> Result<()> {
        if word == "block" {
            let next = Next::Goto(Target::Exit);
            body.blocks.push(Block {
                calls: Vec::new(),
                assign: Vec::new(),
                next,
            });
            return Ok(());
        }
        let Some(block) = body.blocks.last_mut() else {
            let (name, value) = line.split_once('=').ok_or("a state variable is wanted")?;
            let (name, width) = named(name)?;
            let entry = self.whole(value, Some(width))?;
            let var = self.name(name, width);
            body.state.push(State { var, width, entry });
            return Ok(());
        };
        match word {
            "call" => block.calls.push(self.call(rest)?),
            "goto" => block.next = Next::Goto(target(rest)?),
            "branch" => {
                let (rest, otherwise) = rest.rsplit_once(' ').ok_or("two targets are wanted")?;
                let (condition, then) = rest.rsplit_once(' ').ok_or("two targets are wanted")?;
                block.next = Next::Branch {
                    condition: self.whole(condition, Some(1))?,
                    then: target(then)?,
                    otherwise: target(otherwise)?,
                };
            }
            _ => {
                let (name, value) = line.split_once(":=").ok_or("an assignment is wanted")?;
                let &(var, width) = self.names.get(name.trim()).ok_or("no such name")?;
                let value = self.whole(value, Some(width))?;
                block.assign.push((var, value));
            }
        }
        Ok(())
    }

    fn name(&mut self, name: &str, width: u16) -> Var {
        let next = Var(self.names.len() as u32);
        self.names.entry(name.to_owned()).or_insert((next, width)).0
    }

    fn input(&mut self, line: &str) -> Result<()> {
        let (name, kind) = line
            .split_once(':')
            .ok_or("an input, a step or a loop is wanted")?;
        let (kind, domain) = kind.split_once(" in ").unwrap_or((kind, ""));
        let kind = kind.trim();
        let width: u16 = kind
            .get(1..)
            .and_then(|width| width.parse().ok())
            .ok_or("a width is wanted")?;
        let kind = match kind.as_bytes()[0] {
            b'u' => Kind::Unsigned,
            b's' => Kind::Signed,
            b'f' => Kind::Float,
            b'p' => Kind::Fixed,
            _ => return Err("a kind is u, s, f or p".to_owned()),
        };
        let domain = match domain.trim().split_once("..") {
            None => None,
            Some((low, high)) => Some(Domain {
                low: number(low, width)?,
                high: number(high, width)?,
            }),
        };
        let var = self.name(name.trim(), width);
        self.trace.variables.push(Variable {
            var,
            width,
            kind,
            domain,
        });
        Ok(())
    }

    fn call(&mut self, text: &str) -> Result<Call> {
        let (name, call) = text.split_once('=').ok_or("a result is wanted")?;
        let (name, width) = named(name)?;
        let (function, mut args) = call.trim().split_once(' ').unwrap_or((call.trim(), ""));
        let mut terms = Vec::new();
        while !args.trim().is_empty() {
            terms.push(self.expression(&mut args, Some(width))?);
        }
        let result = self.name(name, width);
        Ok(Call {
            result,
            width,
            function: External::new(function),
            args: terms,
        })
    }

    fn whole(&mut self, mut text: &str, width: Option<u16>) -> Result<Term> {
        let term = self.expression(&mut text, width)?;
        match text.trim() {
            "" => Ok(term),
            rest => Err(format!("`{rest}` is too much")),
        }
    }

    /// One expression from the beginning of `text`; a number without a width has `width`.
    fn expression(&mut self, text: &mut &str, width: Option<u16>) -> Result<Term> {
        *text = text.trim_start();
        let Some(inner) = text.strip_prefix('(') else {
            let end = text.find([' ', '(', ')']).unwrap_or(text.len());
            let (word, rest) = text.split_at(end);
            *text = rest;
            return self.leaf(word, width);
        };
        let end = inner.find([' ', ')']).unwrap_or(inner.len());
        let (head, rest) = inner.split_at(end);
        *text = rest;
        let mut parts = Vec::new();
        loop {
            *text = text.trim_start();
            if let Some(rest) = text.strip_prefix(')') {
                *text = rest;
                break;
            }
            if text.is_empty() {
                return Err("a `)` is missing".to_owned());
            }
            parts.push(operand(text)?);
        }
        self.operation(head, &parts, width)
    }

    fn leaf(&mut self, word: &str, width: Option<u16>) -> Result<Term> {
        if let Some(&(var, width)) = self.names.get(word) {
            return Ok(self.terms.var(var, width));
        }
        let (value, width) = match word.split_once(':') {
            Some((value, width)) => (value, width.parse().ok()),
            None => (word, width),
        };
        let width = width.ok_or_else(|| format!("`{word}` has no width"))?;
        let value = number(value, width)?;
        Ok(self.terms.constant(width, value))
    }

    fn operation(&mut self, head: &str, parts: &[&str], width: Option<u16>) -> Result<Term> {
        let (head, aux) = head.split_once('@').unwrap_or((head, "0"));
        let (head, bits) = head.split_once(':').unwrap_or((head, ""));
        let aux: u8 = aux.parse().map_err(|_| "a number is wanted behind `@`")?;
        let bits: Option<u16> = bits.parse().ok();
        if head == "table" {
            let mut entries: Vec<Term> = Vec::new();
            for part in parts.get(1..).unwrap_or_default() {
                let first = entries.first().map(|&entry| self.terms.pool().width(entry));
                entries.push(self.whole(part, first.or(bits).or(width))?);
            }
            let index = self.whole(parts.first().ok_or("an index is wanted")?, None)?;
            return Ok(self.terms.table(index, entries.into()));
        }
        let op = Op::from_name(head).ok_or_else(|| format!("there is no operation `{head}`"))?;
        let is_same = !op.is_predicate() && !op.is_cast() && !matches!(op, Op::Ite | Op::Concat);
        let (mut operands, mut known) = (vec![None; parts.len()], width.filter(|_| is_same));
        // What has a width of its own first: it gives numbers theirs.
        for is_second in [false, true] {
            for (operand, part) in operands.iter_mut().zip(parts) {
                let has_own =
                    part.starts_with('(') || part.contains(':') || self.names.contains_key(*part);
                if operand.is_none() && (has_own || is_second) {
                    let term = self.whole(part, known.or(width))?;
                    *operand = Some(term);
                    let of_condition = op == Op::Ite && self.terms.pool().width(term) == 1;
                    if !of_condition {
                        known = Some(self.terms.pool().width(term));
                    }
                }
            }
        }
        let operands: Vec<Term> = operands.into_iter().flatten().collect();
        let widths: Vec<u16> = operands
            .iter()
            .map(|&term| self.terms.pool().width(term))
            .collect();
        if operands.len() != op.arity() || is_same && widths.iter().any(|&own| own != widths[0]) {
            return Err(format!("{head} does not fit operands of {widths:?} bits"));
        }
        let bits = bits.unwrap_or(match op {
            Op::Concat => widths.iter().sum(),
            Op::Ite => widths[1],
            _ if op.is_predicate() => 1,
            _ => widths[0],
        });
        Ok(self.terms.apply(op, bits, aux, &operands))
    }
}

/// The text of one operand, cut off from the beginning of `text`.
fn operand<'a>(text: &mut &'a str) -> Result<&'a str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        let ends = (c == ')' && depth <= 0) || (c == ' ' && depth == 0);
        if ends {
            let end = if c == ')' && depth == 0 { at + 1 } else { at };
            let (operand, rest) = text.split_at(end);
            *text = rest;
            return Ok(operand);
        }
    }
    Err("a `)` is missing".to_owned())
}

fn named(text: &str) -> Result<(&str, u16)> {
    let (name, width) = text.trim().split_once(':').ok_or("NAME:WIDTH is wanted")?;
    let width = width.parse().map_err(|_| "a width is wanted")?;
    Ok((name, width))
}

fn target(text: &str) -> Result<Target> {
    match text.trim() {
        "exit" => Ok(Target::Exit),
        "away" => Ok(Target::Away),
        block => block
            .parse()
            .map(|block| Target::Block(BlockId(block)))
            .map_err(|_| format!("`{block}` is no block")),
    }
}

/// A number of `width` bits: decimal, hexadecimal, or a float if it has a point.
fn number(text: &str, width: u16) -> Result<u128> {
    let text = text.trim();
    let bad = |_| format!("`{text}` is neither a number nor a name");
    if let Some(digits) = text.strip_prefix("0x") {
        return u128::from_str_radix(digits, 16).map_err(bad);
    }
    if text.contains('.') {
        let value: f64 = text.parse().map_err(|_| format!("`{text}` is no float"))?;
        return Ok(smt::float(width, value));
    }
    let value: i128 = text.parse().map_err(bad)?;
    Ok(value.cast_unsigned() & (u128::MAX >> (128 - u32::from(width.clamp(1, 128)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_trace_is_named_with_its_line() {
        let error = |text: &str| parse(text).map(|_| ()).expect_err("it is none").to_string();
        assert_eq!(
            error("x: s32\nfit (Eq x y)"),
            "line 2: `y` is neither a number nor a name"
        );
        assert_eq!(
            error("x: s32\n\nfit (Eqq x 1)"),
            "line 3: there is no operation `Eqq`"
        );
        assert_eq!(error("x: q32"), "line 1: a kind is u, s, f or p");
        assert_eq!(error("x: s32\nfit (Eq x"), "line 2: a `)` is missing");
        assert_eq!(error("x: s32\nfit (Eq x 1) 2"), "line 2: `2` is too much");
        assert_eq!(error("loop 5\ni:32 = 0"), "line 2: a loop without end");
        assert_eq!(
            error("hello"),
            "line 1: an input, a step or a loop is wanted"
        );
        assert_eq!(
            error("x: u8\ny: u16\nfit (Eq (Add x y) 3)"),
            "line 3: Add does not fit operands of [8, 16] bits"
        );
    }
}
