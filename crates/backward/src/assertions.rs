//! What the value analysis knows, as the assertions of an invariant that the checker can prove.
//!
//! Nothing here has to be right: an invariant that does not hold is refused.

use std::collections::BTreeSet;

use program::Program;
use proof::Fact;
use proof::assertion::{Addresses, Call, Cell, Context, Exit, Invariant, Pair, Set, Spot, State};
use proof::standing::{At, Claims, Column, Holds};
use values::picture::{self, Named, Picture};
use values::{Analysis, Num, Object, Pointers, Value};

/// The assertions, without the models of the C library, which the checker does not look into.
pub fn of(program: &Program, picture: &Picture) -> Invariant {
    let cells = picture.cells.iter().copied().map(Cell::of);
    let is_own = |context: &&picture::Context| !program.functions[context.function].library;
    let mut number = 0;
    let numbers: Vec<Option<u32>> = picture
        .contexts
        .iter()
        .map(|context| {
            is_own(&context).then(|| {
                number += 1;
                number - 1
            })
        })
        .collect();
    let contexts = picture.contexts.iter().filter(is_own);
    Invariant {
        cells: cells.collect(),
        contexts: contexts
            .map(|own| context(own, &numbers, &picture.objects))
            .collect(),
    }
}

/// What holds at any time, where that is known.
#[must_use]
pub fn at_any_time(program: &Program, known: &Analysis) -> Option<Claims> {
    let standing = known.standing.as_ref()?;
    let objects = &standing.objects;
    let cells = standing.cells.iter().filter_map(|(cell, known)| {
        Some(Holds {
            cell: Cell::of(*cell),
            set: set(known, objects)?,
        })
    });
    let fields = standing.fields.iter().filter_map(|(field, known)| {
        Some(Column {
            field: proof::standing::Field::of(*field),
            set: set(known, objects)?,
        })
    });
    let own = program.functions.iter().filter(|(_, body)| !body.library);
    let blocks = own.flat_map(|(function, body)| {
        let unseen = body
            .blocks
            .keys()
            .filter(move |block| !standing.states.contains_key(&(function, *block)));
        unseen.map(move |block| Fact::Block {
            function: function.as_u32(),
            block: block.as_u32(),
        })
    });
    let edges = known.dead.keys().map(|edge| Fact::Edge {
        edge: edge.as_u32(),
    });
    let never: BTreeSet<Fact> = blocks.chain(edges).collect();
    let values = standing.states.iter().map(|((function, block), known)| At {
        function: function.as_u32(),
        block: block.as_u32(),
        values: known
            .iter()
            .filter_map(|(value, known)| Some((value.as_u32(), set(known, objects)?)))
            .collect(),
    });
    let results = standing.results.iter();
    Some(Claims {
        cells: cells.collect(),
        fields: fields.collect(),
        never: never.into_iter().collect(),
        values: values.filter(|at| !at.values.is_empty()).collect(),
        results: results
            .filter_map(|(function, known)| Some((function.as_u32(), set(known, objects)?)))
            .collect(),
    })
}

fn context(own: &picture::Context, numbers: &[Option<u32>], objects: &Named) -> Context {
    let calls = own.calls.iter().map(|(at, to)| Call {
        at: at.as_u32(),
        to: to.iter().filter_map(|to| numbers[*to]).collect(),
    });
    let states = own.states.iter().map(|(block, known)| State {
        block: block.as_u32(),
        cells: cells(known, objects),
        values: known
            .values
            .iter()
            .filter_map(|(value, known)| Some((value.as_u32(), set(known, objects)?)))
            .collect(),
        pairs: known.pairs.iter().map(pair).collect(),
    });
    let exits = own.exits.iter().map(|(known, result)| Exit {
        cells: cells(known, objects),
        result: result.as_ref().and_then(|known| set(known, objects)),
    });
    Context {
        function: own.function.as_u32(),
        calls: calls.filter(|call| !call.to.is_empty()).collect(),
        states: states.collect(),
        exits: exits.collect(),
    }
}

fn pair(((a, b), orders): &((picture::Spot, picture::Spot), Vec<u8>)) -> (Pair, Set) {
    let spot = |spot: &picture::Spot| match spot {
        picture::Spot::Cell(cell) => Spot::Cell(u32::try_from(*cell).unwrap_or(u32::MAX)),
        picture::Spot::Value(value) => Spot::Value(value.as_u32()),
    };
    let orders = orders.iter().map(|order| u64::from(*order)).collect();
    (Pair(spot(a), spot(b)), Set::OneOf(orders))
}

fn cells(known: &picture::Known, objects: &Named) -> Vec<(u32, Set)> {
    let cells = known.cells.iter().filter_map(|(at, known)| {
        let set = set(known, objects)?;
        Some((u32::try_from(*at).ok()?, set))
    });
    cells.collect()
}

fn set(value: &Value, objects: &Named) -> Option<Set> {
    let small = |value: u128| u64::try_from(value).ok();
    let num = match value {
        Value::Num(num) => num,
        Value::Real(real) => {
            let ranges = real.bit_ranges().into_iter();
            let ranges = ranges.map(|(first, last)| Some((small(first)?, small(last)?)));
            return ranges.collect::<Option<Vec<_>>>().map(Set::Ranges);
        }
        Value::Pointers(pointers) => return addresses(pointers, objects),
        Value::Tuple(_) | Value::Any => return None,
    };
    if let Some(values) = num.values() {
        let all = values.iter().map(|value| small(*value));
        return all.collect::<Option<_>>().map(Set::OneOf);
    }
    let arc = num.as_arc()?;
    Some(Set::Range {
        start: small(arc.start)?,
        steps: small(arc.steps)?,
        stride: small(arc.stride)?,
    })
}

fn addresses(pointers: &Pointers, objects: &Named) -> Option<Set> {
    let small = |value: u128| u64::try_from(value).ok();
    let mut all = Addresses::default();
    for (id, offsets) in pointers.targets.iter() {
        match objects.get(id)? {
            Object::Function(function) => all.functions.push(function.as_u32()),
            Object::Global(global) => {
                for offset in offsets.values()? {
                    all.places.push((global.as_u32(), small(*offset)?));
                }
            }
            _ => return None,
        }
    }
    for number in pointers.nums.iter().flat_map(Num::values).flatten() {
        all.numbers.push(small(*number)?);
    }
    all.functions.sort_unstable();
    all.places.sort_unstable();
    Some(Set::Addresses(all))
}
