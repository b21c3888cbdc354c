//! Which variables in memory states are told apart by: those that are compared with constants, and that only few numbers
//! are stored to.

use std::collections::BTreeMap;

use program::Program;

use crate::engine::{Engine, Place};
use crate::object::Object;

/// Numbers that a variable may have.
pub(crate) const MOST_NUMBERS: usize = 256;

/// The variables, each with whether it is switched over: those that are come first, then the one that is compared most often. Where
/// states become too many, the first ones tell them apart for longest.
pub(crate) fn places(program: &Program, engine: &Engine<'_>, most: usize) -> Vec<(Place, bool)> {
    chosen(program, engine, most, false)
}

/// Variables that are switched over, those with the most dispatches first, whatever seems to be stored there: a pass that does not tell
/// states apart by what counts their lines takes the count for any number.
pub(crate) fn switched(program: &Program, engine: &Engine<'_>, most: usize) -> Vec<Place> {
    let all = chosen(program, engine, most, true).into_iter();
    all.filter(|(_, is_switched)| *is_switched)
        .map(|(place, _)| place)
        .collect()
}

fn chosen(
    program: &Program,
    engine: &Engine<'_>,
    most: usize,
    with_many: bool,
) -> Vec<(Place, bool)> {
    let mut known: BTreeMap<Place, (u32, bool, bool)> = BTreeMap::new();
    for ((place, compared), found) in &engine.uses {
        let entry = known.entry(*place).or_insert((0, true, false));
        if *compared {
            entry.0 += found.compared;
            entry.2 |= found.switched;
        } else {
            let few = found
                .stored
                .as_ref()
                .is_some_and(|all| all.len() <= MOST_NUMBERS);
            entry.1 &= few;
        }
    }
    let written = |place: &Place| engine.uses.contains_key(&(*place, false));
    let is_constant = |place: &Place| matches!(place.object, Object::Global(global) if program.globals[global].constant);
    let mut all: Vec<(bool, u32, Place)> = known
        .into_iter()
        .filter(|(place, (compared, few, _))| {
            *compared > 0 && (*few || with_many) && written(place) && !is_constant(place)
        })
        .map(|(place, (compared, _, switched))| (switched, compared, place))
        .collect();
    all.sort_by_key(|(switched, compared, place)| {
        (std::cmp::Reverse((*switched, *compared)), *place)
    });
    all.into_iter()
        .map(|(switched, _, place)| (place, switched))
        .take(most)
        .collect()
}

/// A variable in words: `state`, `ssl+8`, `object of fn3:v7`.
pub(crate) fn word(program: &Program, place: &Place) -> String {
    let object = match place.object {
        Object::Global(global) => program.globals[global].name.clone(),
        Object::Function(function) => program.functions[function].name.clone(),
        Object::Extern(known) => program.externs[known].name.clone(),
        Object::Local(function, value) => {
            format!("local {value} of {}", program.functions[function].name)
        }
        Object::Heap(function, value) => format!(
            "object made by {value} of {}",
            program.functions[function].name
        ),
    };
    match place.offset {
        0 => object,
        offset => format!("{object}+{offset}"),
    }
}
