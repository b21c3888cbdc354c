//! What a program needs that nothing here models, known before the first run.
//!
//! Must hold: whatever ends a run because it is not modelled, outside of our own library models, is in the list; what is in the
//! list need not happen in any run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use program::callgraph::CallGraph;
use program::{Callee, FuncId, Loc, Op, Operand, Program, Terminator};

use crate::externs::is_modelled;

/// Something that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmodelled {
    /// The function that is called, or what the instruction is.
    pub what: String,
    /// The first place that needs it: file, line, column.
    pub place: Option<(String, u32, u32)>,
}

impl fmt::Display for Unmodelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.place {
            Some((file, line, column)) => write!(f, " ({file}:{line}:{column})"),
            None => Ok(()),
        }
    }
}

/// What the functions that `main` may reach call or do that nothing here runs: in order of the names, each once.
#[must_use]
pub fn unmodelled(program: &Program) -> Vec<Unmodelled> {
    let Some(main) = program.function_named("main") else {
        return Vec::new();
    };
    let graph = CallGraph::new(program);
    let mut found: BTreeMap<String, Option<Loc>> = BTreeMap::new();
    let starts = program.starts(main).into_iter();
    let reached: BTreeSet<FuncId> = starts.flat_map(|start| graph.reachable(start)).collect();
    for id in reached {
        let function = &program.functions[id];
        if function.library {
            continue;
        }
        for site in graph.calls(id) {
            let loc = function.inst(site.inst).and_then(|inst| inst.loc);
            for callee in site.externs() {
                // One that may be missing is missing.
                let name = &program.externs[callee].name;
                if !program.externs[callee].weak && !is_modelled(program, name) {
                    found.entry(name.clone()).or_insert(loc);
                }
            }
        }
        for block in function.blocks.keys() {
            for (_, inst) in function.insts(block) {
                if let Some(what) = strange(&inst.op) {
                    found.entry(what).or_insert(inst.loc);
                }
            }
            let what = match &function.blocks[block].terminator {
                Terminator::IndirectBr { .. } => "computed goto".to_owned(),
                Terminator::Opaque { what, .. } => what.to_string(),
                _ => continue,
            };
            found.entry(what).or_default();
        }
    }
    let place = |loc: Loc| {
        let file = program.files.get(loc.file as usize)?;
        Some((file.to_string(), loc.line, loc.col))
    };
    let found = found.into_iter();
    found
        .map(|(what, loc)| Unmodelled {
            what,
            place: loc.and_then(place),
        })
        .collect()
}

/// What an instruction is that has no meaning here.
fn strange(op: &Op) -> Option<String> {
    match op {
        Op::Call {
            callee: Callee::Asm(_),
            ..
        } => Some("inline assembly".to_owned()),
        Op::Opaque { what, .. } if !semantics::is_computed(op) => Some(what.to_string()),
        _ => {
            let mut unknown = None;
            op.for_each_operand(|operand| match operand {
                Operand::Const(constant) if !semantics::is_known(constant) => {
                    unknown = Some("a constant that the model does not know".to_owned());
                }
                _ => {}
            });
            unknown
        }
    }
}
