//! What is to be reached: from what the user typed to targets in a model.

use coverage::Goals;
use coverage::target::{Resolver, Spec, Target, TargetError};
use program::Program;
use report::reach::Change;

use super::change::Changed;
use crate::error::{Error, Result, ensure};
use crate::near::near;
use crate::options::Options;
use crate::shard::Shard;

/// What is to be reached, read but not yet looked for.
pub struct Request {
    specs: Vec<Spec>,
    change: Option<Changed>,
    only: Option<Direction>,
    shard: Option<Shard>,
}

/// From where targets are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the targets backward.
    Backward,
    /// From the start of the program, by running it.
    Forward,
}

/// What is to be reached, in a model.
pub struct Wanted {
    /// Of all targets, and no others.
    pub goals: Goals,
    /// In the order in which they were asked for.
    pub targets: Vec<Target>,
    /// The change that the lines among them are from.
    pub change: Option<Change>,
}

impl Request {
    /// Reads targets, and the change whose lines are targets as well.
    ///
    /// # Errors
    /// A text that is no target, no diff and no revision; no target at all; a budget of zero.
    pub fn read(
        options: &Options,
        (at, diff): (&[String], Option<&str>),
        only: Option<Direction>,
    ) -> Result<Request> {
        ensure!(
            !options.time.is_zero() && options.iterations != Some(0),
            "a budget of zero reaches nothing: give --time or --iterations more"
        );
        ensure!(
            !at.is_empty() || diff.is_some(),
            "nothing is to be reached: add --at TARGET or --diff REV"
        );
        let read = |text: &String| Spec::parse(text);
        let specs = at.iter().map(read);
        let specs = specs.map(|spec| spec.map_err(|error| Error::Input(format!("--at: {error}"))));
        Ok(Request {
            specs: specs.collect::<Result<_>>()?,
            change: diff.map(Changed::read).transpose()?,
            only,
            shard: options.shard,
        })
    }

    /// Whether targets are looked for backward.
    #[must_use]
    pub fn looks_backward(&self) -> bool {
        self.only != Some(Direction::Forward)
    }

    /// Whether targets are looked for by running the program.
    #[must_use]
    pub fn searches(&self) -> bool {
        self.only != Some(Direction::Backward)
    }

    /// Looks for the targets in a model.
    ///
    /// # Errors
    /// One does not fit the program.
    pub fn find(&self, program: &Program) -> Result<Wanted> {
        let read = |path: &str| {
            let text = std::fs::read(path).ok()?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        let resolver = Resolver::new(program, &read);
        let mut specs = self.specs.clone();
        let mut change = None;
        if let Some(changed) = &self.change {
            let (lines, known) = changed.lines(program, &resolver)?;
            specs.extend(lines);
            change = Some(known);
        }
        let mut seen = Vec::new();
        specs.retain(|spec| {
            let new = !seen.contains(spec);
            seen.push(spec.clone());
            new
        });
        if let Some(shard) = self.shard {
            specs = shard.of(specs);
        }
        let (goals, targets) = resolver.resolve(&specs).map_err(said)?;
        Ok(Wanted {
            goals,
            targets,
            change,
        })
    }
}

/// The words of an error, with the names that a mistyped one may have been.
fn said(error: TargetError) -> Error {
    let TargetError::NoFunction { name, known } = &error else {
        return Error::Input(format!("--at: {error}"));
    };
    let near = near(name, known.iter().map(String::as_str));
    let hint = match near.as_slice() {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    };
    Error::Input(format!("--at: {error}{hint}"))
}
