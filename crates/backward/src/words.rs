//! Proofs in words.

use coverage::Goals;
use program::{EdgeId, Program, SiteId, SiteKind};

use crate::coupling::Conflict;
use crate::proof::{Proof, Why};
use proof::vc::Cause;

/// Conflicts that are written out.
const SHOWN: usize = 4;

impl Proof {
    /// What kind of proof it is.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.why {
            Why::Dead(_) | Why::Behind => "contradiction: no state of the program leads there",
            Why::Values { .. } | Why::NeverCalled(_) => {
                "invariant: no value that its variables can have leads there"
            }
            Why::Coupled { .. } => {
                "coupled: in no state of the program do the conditions differ as they would have to"
            }
        }
    }

    /// What it rests on: places are lines and columns of the goal's file, or have the name of theirs before them.
    #[must_use]
    pub fn detail(&self, program: &Program, goals: &Goals) -> String {
        let home = goals.place(self.goal).file;
        let said = |conflict: &Conflict| sentence(program, home, conflict);
        match &self.why {
            Why::Behind => "it lies behind conditions that cannot hold".to_owned(),
            Why::Dead(conflict) => said(conflict),
            Why::NeverCalled(function) => {
                format!("nothing calls {}", program.functions[*function].name)
            }
            Why::Values { edge, reason } => {
                let never = side(program, home, *edge, "is never");
                match reason {
                    values::Reason::Values { value, .. } => format!("{never}: {value} there"),
                    values::Reason::NotReached => never,
                }
            }
            Why::Coupled {
                decision,
                possible,
                conflicts,
            } => {
                let count = goals.decisions().get(*decision).conditions.len();
                let mut words: Vec<String> = conflicts.iter().take(SHOWN).map(said).collect();
                if conflicts.len() > SHOWN {
                    words.push("…".to_owned());
                }
                let letters: Vec<String> = possible
                    .iter()
                    .map(|vector| vector.letters(count))
                    .collect();
                let left = match letters.as_slice() {
                    [] => "no vector can happen".to_owned(),
                    [one] => format!("only {one} can happen"),
                    _ => format!("only {} can happen", letters.join(" ")),
                };
                format!("{}; {left}", words.join(", "))
            }
        }
    }
}

fn sentence(program: &Program, home: u32, conflict: &Conflict) -> String {
    let never = match conflict.edge {
        Some(edge) => side(program, home, edge, "is never"),
        None => "it is not reached".to_owned(),
    };
    let because = conflict.because.iter().map(|cause| match cause {
        Cause::Edge(edge) => side(program, home, *edge, "is"),
        Cause::Ways(site) => format!("control comes from {}", place(program, home, *site)),
    });
    let because: Vec<String> = because.collect();
    if because.is_empty() {
        never
    } else {
        format!("{never} where {}", because.join(" and "))
    }
}

/// Line and column of a site, and the file when it is another one.
fn place(program: &Program, home: u32, site: SiteId) -> String {
    let site = &program.sites[site];
    let Some(loc) = site.loc else {
        return "?".to_owned();
    };
    let range = site.range.map(|range| (range.line, range.col));
    let (line, col) = range.unwrap_or((loc.line, loc.col));
    if loc.file == home {
        return format!("{line}:{col}");
    }
    let file = program.files.get(loc.file as usize);
    let file = file.map_or("?", |path| path.rsplit('/').next().unwrap_or(path));
    format!("{file}:{line}:{col}")
}

/// An edge as a sentence: `12:7 is true`.
fn side(program: &Program, home: u32, edge: EdgeId, verb: &str) -> String {
    let known = &program.edges[edge];
    let value = match &program.sites[known.site].kind {
        SiteKind::Switch { bits, cases } => match cases.get(known.side as usize) {
            Some(case) => {
                // Sign-extended, as `case -1` is written.
                let shift = 128 - *bits;
                ((*case << shift) as i128 >> shift).to_string()
            }
            None => "another value".to_owned(),
        },
        _ if known.side == 1 => "true".to_owned(),
        _ => "false".to_owned(),
    };
    format!("{} {verb} {value}", place(program, home, known.site))
}
