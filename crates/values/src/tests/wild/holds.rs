//! Whether what the analysis says of a place holds of what is there on a run.
//!
//! At the entry of a block, one of the states of its function there must hold: all its variables, all its pairs of variables, and what
//! every read of the memory would give.

use std::collections::BTreeMap;

use program::{BlockId, FuncId, Program, ValueId};

use super::run::{Instance, Known, Point, owner, read};
use crate::engine::Engine;
use crate::memory::World;
use crate::num::Num;
use crate::object::{Object, ObjectId, Objects};
use crate::real::Real;
use crate::state::State;
use crate::value::Value;

/// Accesses that are tried: of the first bytes of an object, and of these widths.
const BYTES: usize = 24;
const SIZES: [usize; 5] = [1, 2, 3, 4, 8];

/// What a read gives, and what has escaped then.
type Given = (Value, Vec<ObjectId>);

/// One engine that has come to its end.
pub struct Oracle<'e, 'a> {
    pub name: &'static str,
    program: &'a Program,
    engine: &'e Engine<'a>,
    objects: Objects,
    states: BTreeMap<(FuncId, BlockId), Vec<Kept<'e>>>,
}

struct Kept<'e> {
    state: State,
    /// What its memory gives, by object, first and last offset, stride and size.
    reads: BTreeMap<(Object, u64, u64, u64, u64), Given>,
    of: std::marker::PhantomData<&'e ()>,
}

impl<'e, 'a> Oracle<'e, 'a> {
    pub fn new(name: &'static str, program: &'a Program, engine: &'e Engine<'a>) -> Self {
        let mut objects = engine.objects.clone();
        for (id, global) in program.globals.iter() {
            objects.id(Object::Global(id), Some(global.size));
        }
        for id in program.functions.keys() {
            objects.id(Object::Function(id), None);
        }
        for id in program.externs.keys() {
            objects.id(Object::Extern(id), None);
        }
        Oracle {
            name,
            program,
            engine,
            objects,
            states: BTreeMap::new(),
        }
    }

    /// What is wrong with all states there; `None` where one holds.
    pub fn refuses(&mut self, point: &Point<'_>) -> Option<String> {
        let (program, objects) = (self.program, &self.objects);
        let place = (point.function, point.block);
        let engine = self.engine;
        let states = self.states.entry(place).or_insert_with(|| {
            let states = engine.states_at(place.0, place.1).into_iter();
            states
                .map(|state| Kept {
                    state,
                    reads: BTreeMap::new(),
                    of: std::marker::PhantomData,
                })
                .collect()
        });
        let mut why = Vec::new();
        for at in 0..states.len() {
            match states[at].refuses(point, program, objects) {
                None => {
                    // Tried first the next time.
                    states.swap(0, at);
                    return None;
                }
                Some(reason) => why.push(reason),
            }
        }
        Some(format!(
            "{}: {} of {}: {}",
            self.name,
            place.1,
            program.functions[place.0].name,
            why.join("; ")
        ))
    }
}

impl Kept<'_> {
    fn refuses(
        &mut self,
        point: &Point<'_>,
        program: &Program,
        objects: &Objects,
    ) -> Option<String> {
        let function = &program.functions[point.function];
        let view = View {
            memory: point.memory,
            objects,
        };
        let escaped = objects.escaped();
        let mut wrong = None;
        self.state.env.for_each(|key, value| {
            let id = ValueId::from_u32(key as u32);
            if let Some(known) = &point.values[id.index()]
                && !view.holds(value, known, &escaped)
            {
                wrong = Some(format!("{id} is {known:x?}, not {value:?}"));
            }
        });
        if wrong.is_some() {
            return wrong;
        }
        let number = |value: ValueId| match point.values.get(value.index())? {
            Some(Known::Bits(bits)) => Some(*bits),
            _ => None,
        };
        // What a cell held when the function was entered: known as long as it is what the cell holds.
        let held = |value: ValueId| {
            let cells = self.state.relations.known_cells().into_iter();
            let mut own = cells.filter(|(_, cell)| *cell == value);
            let ((object, offset, size), _) = own.next()?;
            let object = objects.object(object);
            let known = point.memory.iter();
            let mut known = known.filter(|known| known.object == object && known.lives);
            let instance = known.next().filter(|_| known.next().is_none())?;
            Some(read(instance, offset as usize, size as usize))
        };
        let number_of = |value| number(value).or_else(|| held(value));
        for (a, b) in self.state.relations.pairs() {
            let own = [a, b]
                .into_iter()
                .find_map(|value| function.values.get(value));
            let cells = self.state.relations.known_cells().into_iter();
            let mut sizes = cells.filter(|(_, cell)| *cell == a);
            let bits = match (own.map(|own| &own.ty), sizes.next()) {
                (Some(program::Type::Int(bits)), _) => *bits,
                (None, Some(((_, _, size), _))) => 8 * size as u32,
                (Some(_), _) => 64,
                (None, None) => continue,
            };
            if let (Some(x), Some(y)) = (number_of(a), number_of(b))
                && !self.state.relations.orders(a, b).has(bits, x, y)
            {
                return Some(format!("{a} is {x:x} and {b} is {y:x}"));
            }
        }
        for ((object, offset, size), value) in self.state.relations.known_cells() {
            let object = objects.object(object);
            let mut own = point
                .memory
                .iter()
                .filter(|known| known.object == object && known.lives);
            if let (Some(held), Some(instance)) = (number(value), own.next())
                && (own.next().is_some() || read(instance, offset as usize, size as usize) != held)
            {
                return Some(format!("{object:?}+{offset} is not {value}"));
            }
        }
        self.memory_refuses(&view, program)
    }

    fn memory_refuses(&mut self, view: &View<'_>, program: &Program) -> Option<String> {
        for instance in view.memory.iter().filter(|instance| instance.lives) {
            let object = instance.object;
            if matches!(object, Object::Function(_) | Object::Extern(_)) {
                continue;
            }
            let Some(id) = view.objects.known_id(object) else {
                return Some(format!("{object:?} is not known"));
            };
            let alone = view
                .memory
                .iter()
                .filter(|other| other.object == object && other.lives)
                .count()
                == 1;
            let is_constant =
                matches!(object, Object::Global(global) if program.globals[global].constant);
            if !self.state.memory.is_made(id) && !is_constant {
                return Some(format!("{object:?} was made"));
            }
            if !alone && !self.state.memory.is_many(id) {
                return Some(format!("{object:?} is more than one"));
            }
            let length = instance.bytes.len();
            for size in SIZES {
                let last = length.saturating_sub(size).min(BYTES);
                for offset in 0..=last {
                    if size > length || !offset.is_multiple_of(size) && offset % 4 != 1 {
                        continue;
                    }
                    let one = (object, offset as u64, offset as u64, 1, size as u64);
                    let wrong = self.read_refuses(one, (id, instance), view, program, &[offset]);
                    if wrong.is_some() {
                        return wrong;
                    }
                }
                if size > length {
                    continue;
                }
                // Somewhere in the object.
                let places: Vec<usize> = (0..=length - size).step_by(size).collect();
                let last = *places.last().expect("there is room") as u64;
                let all = (object, 0, last, size as u64, size as u64);
                let few = &places[..places.len().min(4)];
                let wrong = self.read_refuses(all, (id, instance), view, program, few);
                if wrong.is_some() {
                    return wrong;
                }
            }
        }
        None
    }

    fn read_refuses(
        &mut self,
        access: (Object, u64, u64, u64, u64),
        (id, instance): (ObjectId, &Instance),
        view: &View<'_>,
        program: &Program,
        places: &[usize],
    ) -> Option<String> {
        let (object, lo, hi, stride, size) = access;
        let memory = &self.state.memory;
        let (value, escaped) = self.reads.entry(access).or_insert_with(|| {
            let mut objects = view.objects.clone();
            let mut world = World {
                program,
                objects: &mut objects,
            };
            let offsets = Num::arc(64, lo.into(), (hi - lo).into(), stride.into());
            let address = Value::address(id, 64, 0).plus(&offsets);
            let value = memory.read(&address, size, &mut world);
            (value, objects.escaped())
        });
        places.iter().find_map(|place| {
            let held = read(instance, *place, size as usize);
            let holds = view.holds(value, &Known::Bits(held), escaped) || view.is_cut(value, held, size);
            (!holds).then(|| {
                format!("{object:?} has {held:x} in {size} bytes at {place} ({lo} to {hi}), not {value:?}")
            })
        })
    }
}

struct View<'v> {
    memory: &'v [Instance],
    objects: &'v Objects,
}

impl View<'_> {
    /// Whether a value is what is known of it.
    fn holds(&self, value: &Value, known: &Known, escaped: &[ObjectId]) -> bool {
        let bits = match known {
            Known::Bits(bits) => *bits,
            Known::Tuple(members) => {
                return match value {
                    Value::Tuple(all) => {
                        all.len() == members.len()
                            && all.iter().zip(members).all(|(value, member)| {
                                self.holds(value, &Known::Bits(*member), escaped)
                            })
                    }
                    other => *other == Value::Any,
                };
            }
        };
        match value {
            Value::Num(num) => {
                num.contains(bits) && (num.bits() < 64 || self.is_no_secret(bits, escaped))
            }
            Value::Real(real) => contains(real, bits),
            Value::Pointers(pointers) => {
                let is_number = pointers
                    .nums
                    .as_ref()
                    .is_some_and(|nums| nums.contains(bits));
                is_number && self.is_no_secret(bits, escaped)
                    || pointers.targets.iter().any(|(id, offsets)| {
                        let object = self.objects.object(*id);
                        let own = self.memory.iter().filter(|known| known.object == object);
                        let mut offset = own.map(|known| (bits as u64).wrapping_sub(known.base));
                        offset.any(|offset| offsets.contains(offset.into()))
                    })
            }
            Value::Tuple(_) => false,
            Value::Any => self.is_no_secret(bits, escaped),
        }
    }

    /// Whether a number is no address of an object that has not escaped.
    fn is_no_secret(&self, bits: u128, escaped: &[ObjectId]) -> bool {
        self.owner(bits).is_none_or(|at| {
            let id = self.objects.known_id(self.memory[at].object);
            id.is_some_and(|id| escaped.contains(&id))
        })
    }

    /// A number that fills only part of what was read.
    fn is_cut(&self, value: &Value, held: u128, size: u64) -> bool {
        matches!(value, Value::Num(num) if u64::from(num.bits()) > 8 * size && num.contains(held))
    }

    /// The object that lives, and whose address it is.
    fn owner(&self, bits: u128) -> Option<usize> {
        let address = u64::try_from(bits).ok()?;
        owner(self.memory, address).filter(|at| self.memory[*at].lives)
    }
}

fn contains(real: &Real, bits: u128) -> bool {
    let known = Real::from_bits(real.format(), bits);
    real.join(&known) == *real
}
