//! What is executed and not solved: functions of the C library, and loops that were cut out (phase II). The path becomes a trace,
//! and `descent` looks for inputs under which it goes through.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use descent::{Call, External, Kind, Limits, Outcome, Searches, State, Step, Trace, Variable};
use path::ValueType;
use smt::{Assignment, Term, Var};

use crate::atom::Atom;
use crate::extract::{Extracted, with_outer};
use crate::image::Language;
use crate::search::Stats;

/// Evaluations of one trace.
const EVALUATIONS: u64 = 300_000;

/// A path that is executed.
pub struct Executed<'a> {
    /// The last in the order of the program first.
    pub loops: &'a [Rc<Extracted>],
    /// For each loop what it starts with, then what it reads.
    pub carried: &'a [Term],
    /// What must hold.
    pub wanted: &'a [Term],
}

impl Executed<'_> {
    /// Is there anything to execute?
    pub fn is_needed(&self, language: &Language) -> bool {
        let vars = language.atoms_of(self.wanted.iter().chain(self.carried).copied());
        let is_called =
            |var: &Var| matches!(language.atoms.get(*var), Some((Atom::Called { .. }, _)));
        !self.loops.is_empty() || vars.iter().any(is_called)
    }

    /// Values for the inputs under which the path goes through, looked for from `near` on.
    pub fn values(
        &self,
        language: &mut Language,
        kinds: &BTreeMap<Var, ValueType>,
        (near, stats): (&Assignment, &mut Stats),
    ) -> Option<Assignment> {
        let trace = self.trace(language, kinds)?;
        let limits = Limits {
            evaluations: EVALUATIONS,
            seed: 0,
            searches: Searches::Both,
        };
        let mut none = |_: &str, _: &[u128]| None;
        let outcome = descent::search(&language.pool, &trace, near, limits, &mut none).ok()?;
        match outcome {
            Outcome::Found(found) => {
                stats.evaluations += found.evaluations;
                let mut values = near.clone();
                for (var, value) in found.values.iter() {
                    values.set(var, value);
                }
                Some(values)
            }
            Outcome::Failed(failed) => {
                stats.evaluations += failed.evaluations;
                None
            }
        }
    }

    fn trace(&self, language: &mut Language, kinds: &BTreeMap<Var, ValueType>) -> Option<Trace> {
        let mut trace = Trace::default();
        let mut made = Made {
            language,
            defined: BTreeSet::new(),
            steps: Vec::new(),
        };
        let mut parts = Vec::new();
        let mut at = 0;
        for extracted in self.loops {
            parts.push((extracted, &self.carried[at..at + extracted.carried()]));
            at += extracted.carried();
        }
        // The last that was cut out is the first that runs.
        for (extracted, carried) in parts.into_iter().rev() {
            made.calls(carried)?;
            made.extracted(extracted, carried);
        }
        made.calls(self.wanted)?;
        let fits = self
            .wanted
            .iter()
            .map(|term| Step::Fit { condition: *term });
        made.steps.extend(fits);
        trace.steps = std::mem::take(&mut made.steps);
        let all = self.wanted.iter().chain(self.carried).copied();
        let of_loops = self.loops.iter().flat_map(|extracted| &extracted.state);
        let of_loops: BTreeSet<Var> = of_loops.map(|(var, _)| *var).collect();
        let vars = language.atoms_of(all).into_iter();
        for var in vars.filter(|var| !of_loops.contains(var)) {
            let (width, kind) = match (language.atoms.get(var), kinds.get(&var)) {
                (Some((Atom::Any(_), bits)), _) => (*bits, Kind::Unsigned),
                (Some(_), _) => continue,
                (None, Some(kind)) => (kind.bits(), kind_of(*kind)),
                (None, None) => {
                    let (_, index) = path::vars::input_of(var);
                    match index == path::vars::LENGTH {
                        true => (32, Kind::Fixed),
                        false => (8, Kind::Unsigned),
                    }
                }
            };
            trace.variables.push(Variable {
                var,
                width,
                kind,
                domain: None,
            });
        }
        Some(trace)
    }
}

fn kind_of(kind: ValueType) -> Kind {
    match kind {
        ValueType::F32 | ValueType::F64 => Kind::Float,
        ValueType::Pointer => Kind::Fixed,
        kind if kind.is_signed() => Kind::Signed,
        _ => Kind::Unsigned,
    }
}

/// The steps of a trace, as they are made.
struct Made<'l> {
    language: &'l mut Language,
    defined: BTreeSet<Var>,
    steps: Vec<Step>,
}

impl Made<'_> {
    /// Adds the calls whose results terms speak of, those that their arguments speak of first.
    fn calls(&mut self, terms: &[Term]) -> Option<()> {
        for term in terms {
            for var in self.language.pool.vars(*term) {
                let Some((Atom::Called { name, args }, bits)) =
                    self.language.atoms.get(var).cloned()
                else {
                    continue;
                };
                if self.defined.contains(&var) {
                    continue;
                }
                self.calls(&args)?;
                self.defined.insert(var);
                self.steps.push(Step::Call(Call {
                    result: var,
                    width: bits,
                    function: External::new(&*name),
                    args,
                }));
            }
        }
        Some(())
    }

    fn extracted(&mut self, extracted: &Extracted, carried: &[Term]) {
        let (entries, read) = carried.split_at(extracted.state.len());
        let blocks = with_outer(&mut self.language.pool, extracted, read);
        let state = extracted.state.iter().zip(entries);
        let state = state.map(|((var, width), entry)| State {
            var: *var,
            width: *width,
            entry: *entry,
        });
        self.steps.push(Step::Loop(descent::Loop {
            state: state.collect(),
            blocks,
            turns: extracted.turns,
        }));
    }
}
