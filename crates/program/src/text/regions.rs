//! The text form of a coverage record.
//!
//! ```text
//! coverage fn0 "main" hash 0x18 counters 2 files {0} {
//!   x0 = c0 - c1
//!   code c0 in 0 1:12..4:2
//!   branch c1, x0 in 0 2:7..2:12
//! }
//! ```

use std::fmt::Write;

use super::ParseError;
use super::cursor::Cursor;
use super::decisions;
use super::lex::{Kind, quote};
use super::range;
use crate::coverage::{Counter, Expr, ExprOp, FunctionCoverage, Region, RegionKind};

/// Appends the text of a record.
pub(super) fn print(coverage: &FunctionCoverage, out: &mut String) {
    let function = coverage
        .function
        .map_or("none".to_owned(), |function| function.to_string());
    let files: Vec<_> = coverage.files.iter().map(ToString::to_string).collect();
    let mut text = format!(
        "\ncoverage {function} {} hash 0x{:x} counters {} files {{{}}} {{\n",
        quote(&coverage.name),
        coverage.hash,
        coverage.counters,
        files.join(", ")
    );
    for (index, Expr { op, lhs, rhs }) in coverage.expressions.iter().enumerate() {
        let op = match op {
            ExprOp::Add => "+",
            ExprOp::Sub => "-",
        };
        writeln!(
            text,
            "  x{index} = {} {op} {}",
            counter(*lhs),
            counter(*rhs)
        )
        .expect("writing to a string");
    }
    for region in &coverage.regions {
        writeln!(
            text,
            "  {} in {} {}",
            kind(region),
            region.file,
            range::print(region.range)
        )
        .expect("writing to a string");
    }
    for decision in &coverage.decisions {
        text.push_str(&decisions::print(decision));
    }
    text.push_str("}\n");
    out.push_str(&text);
}

/// Parses a record; the word `coverage` has been read.
pub(super) fn parse(cursor: &mut Cursor) -> Result<FunctionCoverage, ParseError> {
    let function = if cursor.eat_word("none") {
        None
    } else {
        Some(cursor.entity("a function or `none`")?)
    };
    let name = cursor.string()?;
    cursor.word("hash")?;
    let hash = cursor.unsigned()?;
    cursor.word("counters")?;
    let counters = cursor.unsigned()?;
    cursor.word("files")?;
    let files = cursor.numbers()?;
    let mut coverage = FunctionCoverage {
        function,
        name,
        hash,
        counters,
        files,
        ..FunctionCoverage::default()
    };
    cursor.mark("{")?;
    while !cursor.eat("}") {
        if cursor.peek_numbered("x").is_some() {
            coverage
                .expressions
                .push(parse_expression(cursor, coverage.expressions.len())?);
        } else if cursor.eat_word("decides") {
            coverage.decisions.push(decisions::parse(cursor)?);
        } else {
            coverage.regions.push(parse_region(cursor)?);
        }
    }
    Ok(coverage)
}

fn counter(counter: Counter) -> String {
    match counter {
        Counter::Zero => "zero".to_owned(),
        Counter::Counter(index) => format!("c{index}"),
        Counter::Expr(index) => format!("x{index}"),
    }
}

fn kind(region: &Region) -> String {
    let count = counter(region.count);
    match region.kind {
        RegionKind::Code => format!("code {count}"),
        RegionKind::Expansion { file } => format!("expansion {file} {count}"),
        RegionKind::Skipped => format!("skipped {count}"),
        RegionKind::Gap => format!("gap {count}"),
        RegionKind::Branch { false_count } => format!("branch {count}, {}", counter(false_count)),
        RegionKind::McdcDecision { bitmap, conditions } => {
            format!("decision bitmap {bitmap} conditions {conditions} {count}")
        }
        RegionKind::McdcBranch {
            false_count,
            id,
            true_next,
            false_next,
        } => {
            let next = |next: Option<u16>| next.map_or("none".to_owned(), |next| next.to_string());
            let (on_true, on_false) = (next(true_next), next(false_next));
            format!(
                "condition {id} true {on_true} false {on_false} {count}, {}",
                counter(false_count)
            )
        }
    }
}

fn parse_expression(cursor: &mut Cursor, expected: usize) -> Result<Expr, ParseError> {
    if cursor.peek_numbered("x") != u32::try_from(expected).ok() {
        return cursor.error(format!("expressions count up: `x{expected}` comes next"));
    }
    cursor.bump();
    cursor.mark("=")?;
    let lhs = parse_counter(cursor)?;
    let op = match cursor.bump().kind {
        Kind::Mark("+") => ExprOp::Add,
        Kind::Mark("-") => ExprOp::Sub,
        _ => return cursor.error_before("`+` or `-`"),
    };
    Ok(Expr {
        op,
        lhs,
        rhs: parse_counter(cursor)?,
    })
}

fn parse_counter(cursor: &mut Cursor) -> Result<Counter, ParseError> {
    let counter = match (cursor.peek_numbered("c"), cursor.peek_numbered("x")) {
        (Some(index), _) => Counter::Counter(index),
        (_, Some(index)) => Counter::Expr(index),
        _ if cursor.peek_word() == Some("zero") => Counter::Zero,
        _ => return cursor.expected("a counter: `zero`, `c…` or `x…`"),
    };
    cursor.bump();
    Ok(counter)
}

fn parse_region(cursor: &mut Cursor) -> Result<Region, ParseError> {
    let false_count = |cursor: &mut Cursor| {
        cursor.mark(",")?;
        parse_counter(cursor)
    };
    let word = cursor.peek_word().unwrap_or_default().to_owned();
    cursor.bump();
    let (kind, count) = match word.as_str() {
        "code" => (RegionKind::Code, parse_counter(cursor)?),
        "gap" => (RegionKind::Gap, parse_counter(cursor)?),
        "skipped" => (RegionKind::Skipped, parse_counter(cursor)?),
        "expansion" => (
            RegionKind::Expansion {
                file: cursor.unsigned()?,
            },
            parse_counter(cursor)?,
        ),
        "branch" => {
            let count = parse_counter(cursor)?;
            (
                RegionKind::Branch {
                    false_count: false_count(cursor)?,
                },
                count,
            )
        }
        "decision" => {
            cursor.word("bitmap")?;
            let bitmap = cursor.unsigned()?;
            cursor.word("conditions")?;
            (
                RegionKind::McdcDecision {
                    bitmap,
                    conditions: cursor.unsigned()?,
                },
                parse_counter(cursor)?,
            )
        }
        "condition" => {
            let id = cursor.unsigned()?;
            cursor.word("true")?;
            let true_next = parse_next(cursor)?;
            cursor.word("false")?;
            let false_next = parse_next(cursor)?;
            let count = parse_counter(cursor)?;
            (
                RegionKind::McdcBranch {
                    false_count: false_count(cursor)?,
                    id,
                    true_next,
                    false_next,
                },
                count,
            )
        }
        _ => return cursor.error_before("a kind of region"),
    };
    cursor.word("in")?;
    Ok(Region {
        kind,
        count,
        file: cursor.unsigned()?,
        range: cursor.range()?,
    })
}

fn parse_next(cursor: &mut Cursor) -> Result<Option<u16>, ParseError> {
    if cursor.eat_word("none") {
        Ok(None)
    } else {
        cursor.unsigned().map(Some)
    }
}
