//! From what an analysis believes to an invariant that the checker takes: what a step does not prove is given up.
//!
//! This is Houdini (Flanagan and Leino, FME 2001) over states: where a step leads to what no state allows, sets that do not
//! hold are dropped from the states there, and where each number is in some set but no state has them all, a state that has
//! the union is added. Nothing here has to be right: the result is checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use program::{BlockId, FuncId};

use super::gate::{Place, What};
use super::{Induction, fit};
use crate::assertion::{Addresses, Call, Context, Exit, Invariant, Set, State};
use crate::closed::Effects;
use crate::effort::Effort;
use crate::kinds::Refusal;

/// Rounds over all steps.
const ROUNDS: usize = 120;
/// Numbers of a union.
const MOST: usize = 64;

/// What has to change in an invariant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Sets that go from all states of a place.
    pub(super) drop: BTreeSet<(usize, Place, What)>,
    /// Places that need a state with the union of all sets.
    pub(super) join: BTreeMap<(usize, Place), Join>,
    /// Calls, by context and value, of which no context is known: of which function.
    pub(super) call: BTreeSet<(usize, u32, FuncId)>,
}

/// What a state with the union of all sets is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Join {
    /// What cells are where there is no state.
    pub(super) first: Vec<(u32, Set)>,
    /// Other contexts of the function whose states at its entry count as well: a call may lead to any of them.
    pub(super) others: BTreeSet<usize>,
}

impl Changes {
    /// These as well; of two first states of a place, the one that is there.
    fn add(&mut self, other: Changes) {
        self.drop.extend(other.drop);
        for (place, join) in other.join {
            let own = self.join.entry(place);
            let own = own.or_insert_with(|| Join {
                first: join.first,
                ..Join::default()
            });
            own.others.extend(join.others);
        }
        self.call.extend(other.call);
    }
}

/// The part of an invariant that each step of the program keeps. `effort`: what may be spent.
///
/// # Errors
/// There is none, or it is not found for that.
pub fn weaken(
    effects: &Effects<'_>,
    invariant: Invariant,
    effort: Effort,
) -> Result<Invariant, Refusal> {
    fit::check(effects)?;
    let parts = super::parts(effects.program);
    let mut invariant = invariant;
    let mut effort = effort;
    let mut kept = Kept::default();
    for _ in 0..ROUNDS {
        let mut induction = Induction::new((effects, &parts), &invariant, effort)?;
        induction.changes = Some(Changes::default());
        induction.start()?;
        for (number, context) in invariant.contexts.iter().enumerate() {
            for state in &context.states {
                kept.step(&mut induction, number, state)?;
            }
        }
        let changes = induction.changes.take().unwrap_or_default();
        effort = induction.effort;
        if changes == Changes::default() {
            return Ok(invariant);
        }
        kept.forget(&changes);
        apply(&mut invariant, &changes);
    }
    Err(Refusal::TooLarge)
}

/// Steps that need no change, each with the places whose states it looked at: they are not asked again until one of these
/// changes. A state is known by its hash: there are many, and two that are taken for one cost a refusal at worst.
#[derive(Default)]
struct Kept(HashMap<(usize, u64), BTreeSet<(usize, Place)>>);

impl Kept {
    fn step(
        &mut self,
        induction: &mut Induction<'_>,
        context: usize,
        state: &State,
    ) -> Result<(), Refusal> {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let key = (context, hasher.finish());
        if self.0.contains_key(&key) {
            return Ok(());
        }
        let before = induction.changes.replace(Changes::default());
        induction.seen.clear();
        induction.step(context, state)?;
        let fresh = induction.changes.take().unwrap_or_default();
        if fresh == Changes::default() {
            self.0.insert(key, std::mem::take(&mut induction.seen));
        }
        let mut all = before.unwrap_or_default();
        all.add(fresh);
        induction.changes = Some(all);
        Ok(())
    }

    fn forget(&mut self, changes: &Changes) {
        let dropped = changes
            .drop
            .iter()
            .map(|(context, place, _)| (*context, *place));
        let changed: BTreeSet<(usize, Place)> =
            dropped.chain(changes.join.keys().copied()).collect();
        self.0.retain(|_, seen| seen.is_disjoint(&changed));
    }
}

fn apply(invariant: &mut Invariant, changes: &Changes) {
    for &(context, at, function) in &changes.call {
        go_anywhere(invariant, context, at, function);
    }
    for (&(context, place), Join { first, others }) in &changes.join {
        match place {
            Place::Block(block) => {
                let contexts = std::iter::once(&context).chain(others);
                let states = contexts.flat_map(|context| &invariant.contexts[*context].states);
                let there: Vec<&State> = states
                    .filter(|state| state.block == block.as_u32())
                    .collect();
                let cells = union(there.iter().map(|state| &state.cells));
                let state = State {
                    block: block.as_u32(),
                    cells: if there.is_empty() {
                        first.clone()
                    } else {
                        cells
                    },
                    values: union(there.iter().map(|state| &state.values)),
                    pairs: union(there.iter().map(|state| &state.pairs)),
                };
                invariant.contexts[context].states.push(state);
            }
            Place::Exit => {
                let own = &mut invariant.contexts[context];
                let exits = own.exits.clone();
                let results: Option<Vec<&Set>> =
                    exits.iter().map(|exit| exit.result.as_ref()).collect();
                let cells = union(exits.iter().map(|exit| &exit.cells));
                own.exits.push(Exit {
                    cells: if exits.is_empty() {
                        first.clone()
                    } else {
                        cells
                    },
                    result: results.and_then(|all| joined(&all)),
                });
            }
        }
    }
    for &(context, place, what) in &changes.drop {
        let own = &mut invariant.contexts[context];
        match place {
            Place::Block(block) => {
                let states = own.states.iter_mut();
                for state in states.filter(|state| BlockId::from_u32(state.block) == block) {
                    match what {
                        What::Cell(cell) => weaken_one(&mut state.cells, cell),
                        What::Value(value) => weaken_one(&mut state.values, value),
                        What::Pair(pair) => weaken_one(&mut state.pairs, pair),
                        What::Result => {}
                    }
                }
            }
            Place::Exit => {
                for exit in &mut own.exits {
                    match what {
                        What::Cell(cell) => weaken_one(&mut exit.cells, cell),
                        What::Result => exit.result = exit.result.as_ref().and_then(weaker),
                        What::Value(_) | What::Pair(_) => {}
                    }
                }
            }
        }
    }
    for context in &mut invariant.contexts {
        let states = std::mem::take(&mut context.states);
        for state in states {
            if !context.states.contains(&state) {
                context.states.push(state);
            }
        }
        let exits = std::mem::take(&mut context.exits);
        for exit in exits {
            if !context.exits.contains(&exit) {
                context.exits.push(exit);
            }
        }
    }
}

/// A set goes, or says less.
fn weaken_one<K: PartialEq>(sets: &mut Vec<(K, Set)>, which: K) {
    sets.retain_mut(|(own, set)| {
        if *own != which {
            return true;
        }
        let less = weaker(set);
        let stays = less.is_some();
        *set = less.unwrap_or_else(|| set.clone());
        stays
    });
}

/// For an interval of floating-point numbers, all of them but NaN; for addresses, all but null. The checker says whether that holds.
fn weaker(set: &Set) -> Option<Set> {
    let ranges = match set {
        Set::Ranges(ranges) => ranges,
        Set::Addresses(addresses) => {
            return (!addresses.numbers.contains(&0)).then(Set::not_null);
        }
        Set::OneOf(_) | Set::Range { .. } => return None,
    };
    let is_wide = ranges.iter().any(|(_, last)| *last > u64::from(u32::MAX));
    let (infinity, sign) = match is_wide {
        true => (f64::INFINITY.to_bits(), 1 << 63),
        false => (u64::from(f32::INFINITY.to_bits()), 1 << 31),
    };
    let has_nan = ranges.iter().any(|(_, last)| last & !sign > infinity);
    let numbers = Set::Ranges(vec![(0, infinity), (sign, sign | infinity)]);
    (!has_nan && *set != numbers).then_some(numbers)
}

/// A call may lead to each context of a function; to a new one if there is none.
fn go_anywhere(invariant: &mut Invariant, context: usize, at: u32, function: FuncId) {
    let contexts = (0u32..).zip(&invariant.contexts);
    let of_function = contexts.filter(|(_, own)| own.function == function.as_u32());
    let mut to: Vec<u32> = of_function.map(|(number, _)| number).collect();
    if to.is_empty() {
        to.push(u32::try_from(invariant.contexts.len()).unwrap_or(u32::MAX));
        invariant.contexts.push(Context {
            function: function.as_u32(),
            ..Context::default()
        });
    }
    let calls = &mut invariant.contexts[context].calls;
    match calls.iter_mut().find(|call| call.at == at) {
        Some(call) => call.to.extend(to),
        None => calls.push(Call { at, to }),
    }
}

/// For each number, what it is in some of the states; nothing of numbers that one of them leaves open.
fn union<'s, K: Copy + Ord + 's>(states: impl Iterator<Item = &'s Vec<(K, Set)>>) -> Vec<(K, Set)> {
    let mut all: BTreeMap<K, Vec<&Set>> = BTreeMap::new();
    let mut count = 0;
    for state in states {
        count += 1;
        for (number, set) in state {
            all.entry(*number).or_default().push(set);
        }
    }
    let everywhere = all.into_iter().filter(|(_, sets)| sets.len() == count);
    everywhere
        .filter_map(|(number, sets)| Some((number, joined(&sets)?)))
        .collect()
}

fn joined(sets: &[&Set]) -> Option<Set> {
    let first = *sets.first()?;
    if sets.iter().all(|set| *set == first) {
        return Some(first.clone());
    }
    if sets.iter().any(|set| matches!(set, Set::Addresses(_))) {
        return joined_addresses(sets);
    }
    let ranges = sets.iter().map(|set| match set {
        Set::Ranges(ranges) => Some(ranges.as_slice()),
        _ => None,
    });
    if let Some(ranges) = ranges.collect::<Option<Vec<_>>>() {
        let all: BTreeSet<(u64, u64)> = ranges.concat().into_iter().collect();
        return (all.len() <= MOST).then(|| Set::Ranges(all.into_iter().collect()));
    }
    let mut all = BTreeSet::new();
    for set in sets {
        match set {
            Set::OneOf(numbers) => all.extend(numbers.iter().copied()),
            Set::Range { .. } | Set::Ranges(_) | Set::Addresses(_) => return None,
        }
    }
    (all.len() <= MOST).then(|| Set::OneOf(all.into_iter().collect()))
}

fn joined_addresses(sets: &[&Set]) -> Option<Set> {
    let (mut functions, mut places) = (BTreeSet::new(), BTreeSet::new());
    let mut numbers = BTreeSet::new();
    for set in sets {
        match set {
            Set::Addresses(addresses) => {
                functions.extend(addresses.functions.iter().copied());
                places.extend(addresses.places.iter().copied());
                numbers.extend(addresses.numbers.iter().copied());
            }
            Set::OneOf(own) => numbers.extend(own.iter().copied()),
            Set::Range { .. } | Set::Ranges(_) => return None,
        }
    }
    let count = functions.len() + places.len() + numbers.len();
    (count <= MOST).then(|| {
        Set::Addresses(Addresses {
            functions: functions.into_iter().collect(),
            places: places.into_iter().collect(),
            numbers: numbers.into_iter().collect(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_of(numbers: &[u64]) -> Set {
        Set::OneOf(numbers.into())
    }

    fn floats(lo: f64, hi: f64) -> (u64, u64) {
        (lo.to_bits(), hi.to_bits())
    }

    #[test]
    fn sets_that_are_joined_have_all_numbers_of_each() {
        let any = Set::Range {
            start: 0,
            steps: 9,
            stride: 1,
        };
        let many = |from: u64, count: u64| Set::OneOf((from..from + count).collect());
        let ranges = |from: u64, count: u64| {
            Set::Ranges((from..from + count).map(|at| (2 * at, 2 * at)).collect())
        };
        for (sets, expected) in [
            (vec![], None),
            (vec![any.clone()], Some(any.clone())),
            (vec![any.clone(), any.clone()], Some(any.clone())),
            (vec![any.clone(), one_of(&[1])], None),
            (
                vec![one_of(&[3, 5]), one_of(&[1, 5])],
                Some(one_of(&[1, 3, 5])),
            ),
            (vec![one_of(&[1]), ranges(0, 1)], None),
            (vec![ranges(0, 2), ranges(1, 2)], Some(ranges(0, 3))),
            (vec![ranges(0, 63), ranges(63, 1)], Some(ranges(0, 64))),
            (vec![ranges(0, 63), ranges(63, 2)], None),
            (vec![many(0, 63), many(63, 1)], Some(many(0, 64))),
            (vec![many(0, 63), many(63, 2)], None),
        ] {
            let sets: Vec<&Set> = sets.iter().collect();
            assert_eq!(joined(&sets), expected, "{sets:?}");
        }
    }

    #[test]
    fn a_union_says_something_of_what_all_states_speak_of() {
        let states = [
            vec![(0, one_of(&[1])), (2, one_of(&[7]))],
            vec![(0, one_of(&[4])), (1, one_of(&[7]))],
        ];
        assert_eq!(union(states.iter()), [(0, one_of(&[1, 4]))]);
        assert_eq!(union(states[..1].iter()), states[0]);
        assert_eq!(union::<u32>([].iter()), []);
    }

    /// All numbers of the same width, and no NaN; nothing where there is no more to give up.
    #[test]
    fn an_interval_becomes_all_numbers() {
        let all = Set::Ranges(vec![
            floats(0.0, f64::INFINITY),
            floats(-0.0, f64::NEG_INFINITY),
        ]);
        let (inf, minus) = (f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits());
        let all_32 = Set::Ranges(vec![
            (0, inf.into()),
            ((-0f32).to_bits().into(), minus.into()),
        ]);
        let of_32 = |lo: f32, hi: f32| (u64::from(lo.to_bits()), u64::from(hi.to_bits()));
        let nan = f64::INFINITY.to_bits() + 1;
        for (ranges, expected) in [
            (vec![floats(1.0, 2.0)], Some(&all)),
            (vec![floats(-1.0, -2.0)], Some(&all)),
            (vec![floats(1.0, f64::INFINITY)], Some(&all)),
            (vec![floats(-1.0, f64::NEG_INFINITY)], Some(&all)),
            (vec![floats(0.0, 1.0), (nan, nan)], None),
            (vec![floats(0.0, 1.0), (nan | 1 << 63, u64::MAX)], None),
            (vec![of_32(1.0, 2.0)], Some(&all_32)),
            (vec![of_32(1.0, f32::INFINITY)], Some(&all_32)),
            (vec![of_32(-1.0, -2.0)], Some(&all_32)),
            (vec![(u64::from(inf) + 1, u64::from(inf) + 1)], None),
            (vec![(0, u64::from(u32::MAX))], None),
            (vec![(0, 1 << 32)], Some(&all)),
        ] {
            let found = weaker(&Set::Ranges(ranges.clone()));
            assert_eq!(found.as_ref(), expected, "{ranges:x?}");
        }
        assert_eq!(weaker(&all), None);
        assert_eq!(weaker(&all_32), None);
        assert_eq!(weaker(&one_of(&[1])), None);
    }

    #[test]
    fn what_says_less_stays() {
        let one = Set::Ranges(vec![floats(1.0, 1.0)]);
        let mut sets = vec![(0, one.clone()), (1, one.clone()), (2, one_of(&[1]))];
        weaken_one(&mut sets, 1);
        weaken_one(&mut sets, 2);
        let numbers = weaker(&one).expect("there is more to give up");
        assert_eq!(sets, [(0, one), (1, numbers)]);
    }

    /// A place gets a state with the union of its own states, and only of these; the first one is what is known there.
    #[test]
    fn places_get_the_union_of_their_states() {
        let state = |block: u32, number: u64| State {
            block,
            cells: vec![(0, one_of(&[number]))],
            values: vec![(9, one_of(&[number]))],
            pairs: Vec::new(),
        };
        let exit = |number: u64| Exit {
            cells: vec![(0, one_of(&[number]))],
            result: Some(one_of(&[number])),
        };
        let both = |numbers: &[u64]| State {
            block: 1,
            cells: vec![(0, one_of(numbers))],
            values: vec![(9, one_of(numbers))],
            pairs: Vec::new(),
        };
        let mut invariant = Invariant {
            cells: Vec::new(),
            contexts: vec![Context {
                states: vec![state(1, 3), state(2, 4), state(1, 5)],
                exits: vec![exit(3), exit(5)],
                ..Context::default()
            }],
        };
        let places = [
            Place::Block(BlockId::from_u32(1)),
            Place::Block(BlockId::from_u32(7)),
            Place::Exit,
        ];
        let first = vec![(0, one_of(&[8]))];
        let join = Join {
            first: first.clone(),
            others: BTreeSet::new(),
        };
        let changes = Changes {
            join: places.map(|place| ((0, place), join.clone())).into(),
            ..Changes::default()
        };
        apply(&mut invariant, &changes);
        let own = &invariant.contexts[0];
        let new = State {
            block: 7,
            cells: first,
            values: Vec::new(),
            pairs: Vec::new(),
        };
        assert_eq!(own.states[3..], [both(&[3, 5]), new]);
        let joined = Exit {
            cells: vec![(0, one_of(&[3, 5]))],
            result: Some(one_of(&[3, 5])),
        };
        assert_eq!(own.exits[2..], [joined]);
    }
}
