//! The text form of decisions, within coverage records.
//!
//! ```text
//!   decides clang in 0 5:7..5:21 {3 true 1 false no, 4 true yes false no}
//!   decides shape too-many-conditions in 0 5:7..9:21 {3, 4, 5}
//! ```

use super::ParseError;
use super::cursor::Cursor;
use super::range;
use crate::decision::{Condition, Decision, Next, Origin, Problem};

/// The line of a decision.
pub(super) fn print(decision: &Decision) -> String {
    let problem = decision.problem;
    let conditions = decision.conditions.iter().map(|condition| {
        let Condition { region, next } = condition;
        match problem {
            Some(_) => region.to_string(),
            None => format!("{region} true {} false {}", word(next[1]), word(next[0])),
        }
    });
    format!(
        "  decides {} {}in {} {} {{{}}}\n",
        decision.origin.name(),
        problem.map_or(String::new(), |problem| format!("{} ", problem.name())),
        decision.file,
        range::print(decision.range),
        conditions.collect::<Vec<_>>().join(", ")
    )
}

fn word(next: Next) -> String {
    match next {
        Next::Condition(number) => number.to_string(),
        Next::End(true) => "yes".to_owned(),
        Next::End(false) => "no".to_owned(),
    }
}

/// Parses a decision; the word `decides` has been read.
pub(super) fn parse(cursor: &mut Cursor) -> Result<Decision, ParseError> {
    let origins = [Origin::Clang, Origin::Shape];
    let Some(origin) = origins
        .into_iter()
        .find(|origin| cursor.eat_word(origin.name()))
    else {
        return cursor.expected("`clang` or `shape`");
    };
    let problems = [Problem::TooManyConditions, Problem::Unreadable];
    let problem = problems
        .into_iter()
        .find(|problem| cursor.eat_word(problem.name()));
    cursor.word("in")?;
    let file = cursor.unsigned()?;
    let range = cursor.range()?;
    cursor.mark("{")?;
    let conditions = cursor.until("}", |cursor| {
        let region = cursor.unsigned()?;
        if problem.is_some() {
            let next = [Next::End(false), Next::End(true)];
            return Ok(Condition { region, next });
        }
        cursor.word("true")?;
        let on_true = parse_next(cursor)?;
        cursor.word("false")?;
        let next = [parse_next(cursor)?, on_true];
        Ok(Condition { region, next })
    })?;
    Ok(Decision {
        origin,
        problem,
        file,
        range,
        conditions,
    })
}

fn parse_next(cursor: &mut Cursor) -> Result<Next, ParseError> {
    Ok(match () {
        () if cursor.eat_word("yes") => Next::End(true),
        () if cursor.eat_word("no") => Next::End(false),
        () => Next::Condition(cursor.unsigned()?),
    })
}
