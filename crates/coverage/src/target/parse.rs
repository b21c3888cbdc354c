//! Targets as they are typed.
//!
//! Must hold: what is printed is read as the same target again.

use std::fmt;

use crate::goal::Side;

/// What is to be reached, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spec {
    /// Some code of a line runs.
    Line { file: String, line: u32 },
    /// The condition that starts here comes out this way.
    Outcome {
        file: String,
        line: u32,
        col: u32,
        side: Side,
    },
    /// The first decision that starts in a line comes out this way.
    Branch { file: String, line: u32, side: Side },
    /// A function is entered.
    Function(String),
    /// Some call of a function by its name runs.
    Call(String),
    /// Some assertion fails.
    Assert,
    /// `abort` is called, or a trap is met.
    Abort,
}

/// The text is no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It has another form.
    #[error("`{0}` is no target: write {FORMS}")]
    Form(String),
    /// A place in a line without a side.
    #[error(
        "`{0}` names a condition without its outcome: add :true or :false, or leave the column out"
    )]
    Side(String),
    /// Line or column 0.
    #[error("`{0}`: lines and columns count from 1")]
    Zero(String),
}

/// The forms, for messages.
pub const FORMS: &str = "FILE:LINE, FILE:LINE:COL:true, branch:FILE:LINE:true, function:NAME, call:NAME, assert or abort";

impl Spec {
    /// Reads a target.
    ///
    /// # Errors
    /// It has another form.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        let form = || SpecError::Form(text.to_owned());
        match text {
            "assert" => return Ok(Spec::Assert),
            "abort" => return Ok(Spec::Abort),
            _ => {}
        }
        let named = |name: &str| match name {
            "" => Err(form()),
            name => Ok(name.to_owned()),
        };
        if let Some(name) = text.strip_prefix("function:") {
            return named(name).map(Spec::Function);
        }
        if let Some(name) = text.strip_prefix("call:") {
            return named(name).map(Spec::Call);
        }
        if let Some(rest) = text.strip_prefix("branch:") {
            let (place, side) = sided(rest).ok_or_else(form)?;
            let (file, line) = numbered(place, text)?.ok_or_else(form)?;
            let file = named(file)?;
            return Ok(Spec::Branch { file, line, side });
        }
        let (place, side) = match sided(text) {
            Some((place, side)) => (place, Some(side)),
            None => (text, None),
        };
        let (before, last) = numbered(place, text)?.ok_or_else(form)?;
        match (numbered(before, text)?, side) {
            (Some((file, line)), Some(side)) => Ok(Spec::Outcome {
                file: named(file)?,
                line,
                col: last,
                side,
            }),
            (Some(_), None) => Err(SpecError::Side(text.to_owned())),
            (None, None) => Ok(Spec::Line {
                file: named(before)?,
                line: last,
            }),
            (None, Some(_)) => Err(form()),
        }
    }
}

/// A text that ends in the side of a decision.
fn sided(text: &str) -> Option<(&str, Side)> {
    let (place, side) = text.rsplit_once(':')?;
    let found = Side::BOTH.into_iter().find(|it| it.to_string() == side)?;
    Some((place, found))
}

/// A text that ends in a number.
fn numbered<'t>(text: &'t str, whole: &str) -> Result<Option<(&'t str, u32)>, SpecError> {
    let Some((before, number)) = text.rsplit_once(':') else {
        return Ok(None);
    };
    match number.parse::<u32>() {
        Ok(0) => Err(SpecError::Zero(whole.to_owned())),
        Ok(number) => Ok(Some((before, number))),
        Err(_) => Ok(None),
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spec::Line { file, line } => write!(f, "{file}:{line}"),
            Spec::Outcome {
                file,
                line,
                col,
                side,
            } => write!(f, "{file}:{line}:{col}:{side}"),
            Spec::Branch { file, line, side } => write!(f, "branch:{file}:{line}:{side}"),
            Spec::Function(name) => write!(f, "function:{name}"),
            Spec::Call(name) => write!(f, "call:{name}"),
            Spec::Assert => write!(f, "assert"),
            Spec::Abort => write!(f, "abort"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_what_was_read() {
        for text in [
            "a/b.c:3",
            "C:b.c:3",
            "b.c:3:7:true",
            "branch:b.c:3:false",
            "function:f",
            "call:memcpy",
            "assert",
            "abort",
        ] {
            let spec = Spec::parse(text).map(|spec| spec.to_string());
            assert_eq!(spec.as_deref(), Ok(text));
        }
    }

    #[test]
    fn other_texts_say_what_is_wrong_with_them() {
        let said = |text: &str| match Spec::parse(text) {
            Ok(spec) => format!("read as {spec:?}"),
            Err(error) => error.to_string(),
        };
        for wrong in [
            "",
            "b.c",
            ":3",
            "b.c:x",
            "b.c:-3",
            "b.c:3:true",
            "b.c:3:4:maybe",
            "branch:b.c:3",
            "branch:b.c:3:yes",
            "branch::3:true",
            "function:",
            "call:",
            "asserts",
        ] {
            assert_eq!(
                said(wrong),
                format!("`{wrong}` is no target: write {FORMS}")
            );
        }
        assert!(said("b.c:3:4").contains("add :true or :false"));
        for zero in ["b.c:0", "b.c:0:4:true", "b.c:3:0:true", "branch:b.c:0:true"] {
            assert_eq!(
                said(zero),
                format!("`{zero}`: lines and columns count from 1")
            );
        }
    }
}
