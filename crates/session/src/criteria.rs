//! What is to be covered: from what the user typed to a criterion and its scope.

use crate::error::{Result, ensure};
use coverage::criterion::{self, CRITERIA, lines, mcdc};
use coverage::{Criterion, Goals, LineRange, Lines, Pairing, Scope, target};
use program::{FuncId, Program};

use crate::near::near;
/// A criterion, and the lines that it is restricted to.
pub struct Wanted {
    /// The criterion.
    pub criterion: &'static dyn Criterion,
    lines: Option<LineRange>,
}

impl Wanted {
    /// Reads the name of a criterion, and that of a rule for pairs.
    ///
    /// # Errors
    /// There is no such criterion or rule, or the lines are no range.
    pub fn parse(text: &str, rule: &str) -> Result<Wanted> {
        let pairing = Pairing::ALL
            .into_iter()
            .find(|pairing| pairing.name() == rule);
        let Some(pairing) = pairing else {
            let all = Pairing::ALL.map(Pairing::name);
            crate::error::bail!(
                "there is no rule `{rule}` for pairs; rules: {}",
                all.join(", ")
            );
        };
        ensure!(
            pairing == Pairing::default() || text == mcdc::NAME,
            "--mcdc {pairing} is for --criterion mcdc, not for `{text}`"
        );
        if text == lines::NAME {
            crate::error::bail!("--criterion lines needs a file and lines: lines:FILE:A-B");
        }
        if let Some(range) = text.strip_prefix("lines:") {
            return Ok(Wanted {
                criterion: &lines::LinesOf,
                lines: Some(LineRange::parse(range)?),
            });
        }
        match criterion::with_pairing(text, pairing) {
            Some(criterion) => Ok(Wanted {
                criterion,
                lines: None,
            }),
            None => crate::error::bail!("{}", unknown(text)),
        }
    }

    /// What is to be covered where goals come with targets.
    #[must_use]
    pub fn targets() -> Wanted {
        Wanted {
            criterion: &target::Targets,
            lines: None,
        }
    }

    /// The goals of a program, or of some of its functions.
    ///
    /// # Errors
    /// The file of the lines is none of the program's, or has not so many.
    pub fn goals(&self, program: &Program, functions: Option<&[FuncId]>) -> Result<Goals> {
        let lines = match &self.lines {
            Some(range) => Some(find(program, range)?),
            None => None,
        };
        let scope = Scope {
            functions,
            lines: lines.as_ref(),
            picks: None,
        };
        let goals = Goals::within(program, self.criterion, &scope);
        if let Some(LineRange { file, from, to }) = &self.lines {
            ensure!(
                !goals.is_empty(),
                "lines {from} to {to} of {file} have no code that is compiled into the program"
            );
        }
        Ok(goals)
    }
}

/// The lines in the program; the file itself says how many it has.
fn find(program: &Program, range: &LineRange) -> Result<Lines> {
    let lines = Lines::find(program, range)?;
    let path = lines.path(program);
    if let Ok(text) = std::fs::read(path) {
        let ends = text.iter().filter(|byte| **byte == b'\n').count();
        let count = ends + usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
        ensure!(
            range.to as usize <= count,
            "{path} has {count} lines; {}-{} is not within them",
            range.from,
            range.to
        );
    }
    Ok(lines)
}

/// Says that there is no such criterion, what there is, and which is named nearly so.
fn unknown(name: &str) -> String {
    let all: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name()).collect();
    let hint = match near(name, all.iter().copied()).first() {
        Some(near) => format!("; did you mean {near}?"),
        None => ";".to_owned(),
    };
    format!(
        "there is no criterion `{name}`{hint} criteria: {}",
        all.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(criterion: &str, rule: &str, expected: &str) {
        let said = match Wanted::parse(criterion, rule) {
            Ok(Wanted { criterion, lines }) => match lines {
                Some(LineRange { file, from, to }) => {
                    format!("{} {file} {from} {to}", criterion.name())
                }
                None => format!("{} {:?}", criterion.name(), criterion.pairing()),
            },
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn what_was_typed_is_found_or_said() {
        let all =
            "branch, condition, condition-decision, decision, function, lines, mcdc, statement";
        check("branch", "unique-cause", "branch None");
        check("mcdc", "unique-cause", "mcdc Some(UniqueCause)");
        check("mcdc", "masking", "mcdc Some(Masking)");
        check("lines:a/b.c:3-4", "unique-cause", "lines a/b.c 3 4");
        check(
            "brunch",
            "unique-cause",
            &format!("there is no criterion `brunch`; did you mean branch? criteria: {all}"),
        );
        check(
            "xyz",
            "unique-cause",
            &format!("there is no criterion `xyz`; criteria: {all}"),
        );
        check(
            "mcdc",
            "strong",
            "there is no rule `strong` for pairs; rules: unique-cause, masking",
        );
        check(
            "branch",
            "masking",
            "--mcdc masking is for --criterion mcdc, not for `branch`",
        );
        check(
            "lines",
            "unique-cause",
            "--criterion lines needs a file and lines: lines:FILE:A-B",
        );
        check(
            "lines:b.c:x",
            "unique-cause",
            "`b.c:x` is no range of lines: write FILE:A-B, as in parse.c:120-140",
        );
    }
}
