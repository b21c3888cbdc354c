//! Proofs in words.

use std::collections::BTreeSet;

use coverage::Goals;
use program::{Const, EdgeId, GlobalId, Op, Operand, Program, SiteId, SiteKind, Terminator};

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
            Why::Values { edge, reason } => without_value(program, home, *edge, reason),
            Why::Coupled {
                decision,
                possible,
                conflicts,
                by_values,
            } => {
                let count = goals.decisions().get(*decision).conditions.len();
                let by_conflict = conflicts.iter().map(said);
                let by_value = by_values
                    .iter()
                    .map(|(edge, reason)| without_value(program, home, *edge, reason));
                let mut words: Vec<String> = by_conflict.chain(by_value).take(SHOWN).collect();
                if conflicts.len() + by_values.len() > SHOWN {
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

/// Why no value takes an edge.
fn without_value(program: &Program, home: u32, edge: EdgeId, reason: &values::Reason) -> String {
    let never = side(program, home, edge, "is never");
    match reason {
        values::Reason::Values { site, value } => {
            format!("{never}: {}", held(program, home, *site, value))
        }
        values::Reason::NotReached => never,
    }
}

/// Lines that are written out.
const LINES: usize = 6;

/// What a variable is at a site, and where it is assigned: `state is {1, 2} there (assigned at lines 7, 12)`.
fn held(program: &Program, home: u32, site: SiteId, value: &values::Value) -> String {
    let Some((global, offset)) = variable(program, site) else {
        return format!("{value} there");
    };
    let name = match offset {
        0 => program.globals[global].name.clone(),
        _ => format!("{}+{offset}", program.globals[global].name),
    };
    let mut lines: BTreeSet<(bool, u32)> = BTreeSet::new();
    let bodies = program.functions.values();
    for (body, block) in bodies.flat_map(|body| body.blocks.keys().map(move |block| (body, block)))
    {
        for (_, inst) in body.insts(block) {
            if let (Op::Store { address, .. }, Some(loc)) = (&inst.op, inst.loc)
                && named(address) == Some((global, offset))
            {
                lines.insert((loc.file != home, loc.line));
            }
        }
    }
    let all = lines.len();
    let shown = lines.iter().take(LINES).map(|(_, line)| line.to_string());
    let mut shown: Vec<String> = shown.collect();
    if all > LINES {
        shown.push("…".to_owned());
    }
    match all {
        0 => format!("{name} is {value} there (never assigned)"),
        1 => format!("{name} is {value} there (assigned at line {})", shown[0]),
        _ => format!(
            "{name} is {value} there (assigned at lines {})",
            shown.join(", ")
        ),
    }
}

/// The variable that is looked at, or compared with a constant, at a site: a global, and where in it.
fn variable(program: &Program, site: SiteId) -> Option<(GlobalId, i64)> {
    let known = &program.sites[site];
    let body = &program.functions[known.function];
    let operand = match &body.blocks[known.block].terminator {
        Terminator::CondBr { cond, .. } => cond,
        Terminator::Switch { value, .. } => value,
        _ => return None,
    };
    let mut at = operand.value()?;
    loop {
        at = match &body.inst(at)?.op {
            Op::ICmp { lhs, rhs, .. } | Op::FCmp { lhs, rhs, .. } if rhs.constant().is_some() => {
                lhs.value()?
            }
            Op::ICmp { lhs, rhs, .. } | Op::FCmp { lhs, rhs, .. } if lhs.constant().is_some() => {
                rhs.value()?
            }
            Op::Cast { value, .. } | Op::Freeze { value } => value.value()?,
            Op::Load { address, .. } => return named(address),
            _ => return None,
        };
    }
}

fn named(address: &Operand) -> Option<(GlobalId, i64)> {
    match address {
        Operand::Const(Const::Global { global, offset }) => Some((*global, *offset)),
        _ => None,
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
