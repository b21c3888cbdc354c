//! The states of a search as text, for a certificate: whoever checks it derives each step anew.
//!
//! The lines are those that `proof::closed` reads. A state stands where the search was; where it jumped over blocks that do not
//! matter, the state stands at the end of each of them.
//!
//! Must hold: each state of a search that found no input is there, or one at the same place with fewer conditions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use semantics::Symbol;
use smt::{Op, Shape, Term, Var};

use crate::atom::Atom;
use crate::image::Language;
use crate::search::Search;
use crate::state::Place;

/// A state that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    pub place: Place,
    pub waiting: Vec<Place>,
    /// In order, none twice.
    pub conditions: Vec<Term>,
    /// The call of its block that was entered.
    pub enters: Option<usize>,
}

/// Lines of terms, and of states over them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub terms: Vec<String>,
    pub states: Vec<String>,
}

impl Search<'_> {
    /// How many states are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.kept.as_ref().map_or(0, Vec::len)
    }

    /// Only the first states stay kept: nothing comes of the goal that was started behind them.
    pub fn keep_only(&mut self, count: usize) {
        if let Some(kept) = &mut self.kept {
            kept.truncate(count);
        }
    }

    /// The states that were kept so far, as lines.
    pub fn lines(&mut self) -> Lines {
        let kept = fewest(self.kept.clone().unwrap_or_default());
        let mut writer = Writer {
            language: &mut self.language,
            lines: Vec::new(),
            known: HashMap::new(),
        };
        let mut states = Vec::new();
        for state in &kept {
            let conditions = state.conditions.iter();
            let conditions: Vec<usize> = conditions.map(|term| writer.term(*term)).collect();
            states.push(line(state, &conditions));
        }
        Lines {
            terms: writer.lines,
            states,
        }
    }
}

/// The states without those that another one at the same place covers.
fn fewest(kept: Vec<Kept>) -> Vec<Kept> {
    let mut by_place: BTreeMap<(Place, Vec<Place>), Vec<Kept>> = BTreeMap::new();
    for state in kept {
        let key = (state.place, state.waiting.clone());
        by_place.entry(key).or_default().push(state);
    }
    let mut found = Vec::new();
    for (_, mut states) in by_place {
        states.sort_by_key(|state| state.conditions.len());
        let mut own: Vec<(BTreeSet<Term>, Kept)> = Vec::new();
        for state in states {
            let terms: BTreeSet<Term> = state.conditions.iter().copied().collect();
            if !own.iter().any(|(known, _)| known.is_subset(&terms)) {
                own.push((terms, state));
            }
        }
        found.extend(own.into_iter().map(|(_, state)| state));
    }
    found
}

fn place(place: &Place) -> String {
    let (function, block) = (place.function.as_u32(), place.block.as_u32());
    format!("{function}:{block}:{}", place.at)
}

fn line(state: &Kept, conditions: &[usize]) -> String {
    let mut line = format!("at {}", place(&state.place));
    for (index, call) in state.waiting.iter().enumerate() {
        let word = if index == 0 { " within" } else { "" };
        let _ = write!(line, "{word} {}", place(call));
    }
    for (index, term) in conditions.iter().enumerate() {
        let word = if index == 0 { " holds" } else { "" };
        let _ = write!(line, "{word} t{term}");
    }
    if let Some(call) = state.enters {
        let _ = write!(line, " enters {call}");
    }
    line
}

struct Writer<'l> {
    language: &'l mut Language,
    lines: Vec<String>,
    known: HashMap<Term, usize>,
}

impl Writer<'_> {
    /// The number of a term's line; lines that it needs are added in front.
    fn term(&mut self, term: Term) -> usize {
        let mut work = vec![(term, false)];
        // Terms whose parts are being written: an open variable may have stood for itself.
        let mut begun = HashSet::new();
        while let Some((next, is_ready)) = work.pop() {
            if self.known.contains_key(&next) {
                continue;
            }
            if !is_ready && begun.insert(next) {
                work.push((next, true));
                let parts = self.parts(next).into_iter();
                let parts = parts.filter(|part| !begun.contains(part));
                work.extend(parts.map(|part| (part, false)));
                continue;
            }
            if is_ready {
                let line = self.line(next);
                self.known.insert(next, self.lines.len());
                self.lines.push(line);
            }
        }
        self.known.get(&term).copied().unwrap_or(0)
    }

    fn parts(&mut self, term: Term) -> Vec<Term> {
        match self.language.pool.shape(term) {
            Shape::Constant(_) => Vec::new(),
            Shape::Table { index, entries } => [&[index], entries].concat(),
            Shape::Op { op, operands, .. } => operands[..op.arity()].to_vec(),
            Shape::Var(var) => self.parts_of(var, term),
        }
    }

    fn parts_of(&mut self, var: Var, term: Term) -> Vec<Term> {
        let Language { pool, atoms } = &mut *self.language;
        let Some((atom, bits)) = atoms.get(var).cloned() else {
            return Vec::new();
        };
        if pool.width(term) != bits {
            return vec![pool.var(var, bits)];
        }
        if let Atom::Cell { address, .. } = atom {
            return vec![address];
        }
        self.origins(var)
    }

    /// What an open variable may have stood for.
    fn origins(&mut self, var: Var) -> Vec<Term> {
        let Language { pool, atoms } = &mut *self.language;
        if !atoms.is_open(var) {
            return Vec::new();
        }
        let origins = atoms.origins(var).iter();
        let known: Vec<(Var, u16)> = origins
            .filter_map(|origin| Some((*origin, atoms.get(*origin)?.1)))
            .collect();
        known
            .into_iter()
            .map(|(origin, bits)| pool.var(origin, bits))
            .collect()
    }

    fn line(&mut self, term: Term) -> String {
        let bits = self.language.pool.width(term);
        let number =
            |known: &HashMap<Term, usize>, part: &Term| known.get(part).copied().unwrap_or(0);
        match self.language.pool.shape(term) {
            Shape::Constant(value) => format!("const {bits} {value:#x}"),
            Shape::Table { index, entries } => {
                let mut line = format!("table t{}", number(&self.known, &index));
                for entry in entries {
                    let _ = write!(line, " t{}", number(&self.known, entry));
                }
                line
            }
            Shape::Op { op, aux, operands } => {
                let mut line = format!("{} {bits} {aux}", op.name());
                for part in &operands[..op.arity()] {
                    let _ = write!(line, " t{}", number(&self.known, part));
                }
                line
            }
            Shape::Var(var) => self.variable(var, bits),
        }
    }

    fn variable(&mut self, var: Var, bits: u16) -> String {
        let Some((atom, whole)) = self.language.atoms.get(var).cloned() else {
            return format!("some {} {bits}", var.0);
        };
        if bits != whole {
            let full = self.language.pool.var(var, whole);
            let number = self.known.get(&full).copied().unwrap_or(0);
            return format!("{} {bits} 0 t{number}", Op::Extract.name());
        }
        match atom {
            Atom::Value {
                height,
                value,
                scalar,
            } => format!("value {height} {} {scalar} {bits}", value.as_u32()),
            Atom::Symbol(symbol) => match symbol {
                Symbol::Global(id) => format!("global {} {bits}", id.as_u32()),
                Symbol::Function(id) => format!("function {} {bits}", id.as_u32()),
                Symbol::Extern(id) => format!("extern {} {bits}", id.as_u32()),
            },
            Atom::Cell { address, bytes } => {
                let number = self.known.get(&address).copied().unwrap_or(0);
                format!("cell t{number} {bytes}")
            }
            _ => {
                let mut line = format!("some {} {bits}", var.0);
                for origin in self.origins(var) {
                    if let Some(number) = self.known.get(&origin) {
                        let _ = write!(line, " t{number}");
                    }
                }
                line
            }
        }
    }
}
