//! What is to be covered: from what the user typed to a criterion and its scope.

use anyhow::{Result, ensure};
use coverage::criterion::{self, CRITERIA, lines, mcdc};
use coverage::{Criterion, Goals, LineRange, Lines, Pairing, Scope};
use program::{FuncId, Program};

use super::options::Options;
use crate::near::near;

/// A criterion, and the lines that it is restricted to.
pub struct Wanted {
    /// The criterion.
    pub criterion: &'static dyn Criterion,
    lines: Option<LineRange>,
}

impl Wanted {
    /// Reads `--criterion` and `--mcdc`.
    ///
    /// # Errors
    /// There is no such criterion or rule, or the lines are no range.
    pub fn parse(options: &Options) -> Result<Wanted> {
        let text = options.criterion.as_str();
        let pairing = Pairing::ALL
            .into_iter()
            .find(|pairing| pairing.name() == options.mcdc);
        let Some(pairing) = pairing else {
            let all = Pairing::ALL.map(Pairing::name);
            anyhow::bail!(
                "there is no rule `{}` for pairs; rules: {}",
                options.mcdc,
                all.join(", ")
            );
        };
        ensure!(
            pairing == Pairing::default() || text == mcdc::NAME,
            "--mcdc {pairing} is for --criterion mcdc, not for `{text}`"
        );
        if text == lines::NAME {
            anyhow::bail!("--criterion lines needs a file and lines: lines:FILE:A-B");
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
            None => anyhow::bail!("{}", unknown(text)),
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
    use crate::test::options::parsed;

    fn check(args: &[&str], expected: &str) {
        let said = match Wanted::parse(&parsed(args)) {
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
        check(&[], "branch None");
        check(&["--criterion", "mcdc"], "mcdc Some(UniqueCause)");
        check(
            &["--criterion", "mcdc", "--mcdc", "masking"],
            "mcdc Some(Masking)",
        );
        check(&["--criterion", "lines:a/b.c:3-4"], "lines a/b.c 3 4");
        check(
            &["--criterion", "brunch"],
            &format!("there is no criterion `brunch`; did you mean branch? criteria: {all}"),
        );
        check(
            &["--criterion", "xyz"],
            &format!("there is no criterion `xyz`; criteria: {all}"),
        );
        check(
            &["--criterion", "mcdc", "--mcdc", "strong"],
            "there is no rule `strong` for pairs; rules: unique-cause, masking",
        );
        check(
            &["--mcdc", "masking"],
            "--mcdc masking is for --criterion mcdc, not for `branch`",
        );
        check(
            &["--criterion", "lines"],
            "--criterion lines needs a file and lines: lines:FILE:A-B",
        );
        check(
            &["--criterion", "lines:b.c:x"],
            "`b.c:x` is no range of lines: write FILE:A-B, as in parse.c:120-140",
        );
    }
}
