//! What memory may hold: for each object a few cells, and what is behind them.
//!
//! Must hold:
//! - a read gives everything that a read of these bytes may give on any run that comes here;
//! - a write replaces only where one object at one place is meant; otherwise it adds;
//! - an object that is not in the map was not made yet, so that no pointer to it exists.

mod blocks;
mod content;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use program::{Endian, GlobalId, Program, RelocationTarget};

use crate::map::{Map, Single};
use crate::num::{Num, mask};
use crate::object::{Object, ObjectId, Objects};
use crate::value::{Value, may_be_address};
use content::{Base, Cell, Content};

/// Places that are looked at one by one where an address is not known exactly.
const MOST_PLACES: u128 = 256;
/// Bytes of a block that are copied one by one.
const MOST_COPIED: u64 = 4096;

/// What objects hold.
#[derive(Clone, Debug, Default)]
pub struct Memory(Map<Rc<Content>>);

/// What reading and writing need to know.
pub struct World<'a> {
    pub program: &'a Program,
    pub objects: &'a mut Objects,
}

impl World<'_> {
    pub fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bits
    }

    /// Whether a write ends the run: the program may not write there. What it holds is what it held at the start, on all runs that go on.
    fn is_constant(&self, id: ObjectId) -> bool {
        match self.objects.object(id) {
            Object::Global(global) => self.program.globals[global].constant,
            Object::Function(_) | Object::Extern(_) => true,
            Object::Local(..) | Object::Heap(..) => false,
        }
    }

    /// What a global holds at the start, in so many bytes; `None` beyond what is known.
    fn initial(&mut self, global: GlobalId, offset: u64, size: u64) -> Option<Value> {
        let program = self.program;
        let init = program.globals[global].init.as_ref()?;
        let bits = self.pointer_bits();
        let end = offset.checked_add(size)?;
        if !init.is_known(offset, end) {
            return None;
        }
        let pointer = u64::from(bits / 8);
        let mut found = init
            .relocations
            .iter()
            .filter(|relocation| relocation.offset < end && relocation.offset + pointer > offset);
        if let Some(relocation) = found.next() {
            let target = self.target(relocation.to);
            let mut address = Value::address(target, bits, relocation.addend);
            if let RelocationTarget::Extern(known) = relocation.to
                && program.externs[known].weak
            {
                address = address.or_null(bits);
            }
            let whole = relocation.offset == offset && size == pointer;
            return Some(if whole {
                address
            } else {
                address.forgotten(self.objects)
            });
        }
        if size > 16 || program.layout.endian == Endian::Big && size > 1 {
            return None;
        }
        let byte = |at: u64| {
            usize::try_from(at)
                .ok()
                .and_then(|at| init.bytes.get(at))
                .copied()
        };
        let bytes = (offset..end)
            .rev()
            .map(|at| u128::from(byte(at).unwrap_or(0)));
        let number = bytes.fold(0, |all, byte| all << 8 | byte);
        Some(Value::Num(Num::constant(8 * size as u32, number)))
    }

    fn target(&mut self, target: RelocationTarget) -> ObjectId {
        match target {
            RelocationTarget::Global(global) => self.objects.global(self.program, global),
            RelocationTarget::Function(function) => {
                self.objects.id(Object::Function(function), None)
            }
            RelocationTarget::Extern(known) => self.objects.id(Object::Extern(known), None),
        }
    }
}

/// How two values become one.
pub type Join<'j> = dyn FnMut(&Value, &Value, &mut Objects) -> Value + 'j;

impl Memory {
    /// What the program's variables hold at the start.
    #[must_use]
    pub fn initial(world: &mut World<'_>) -> Memory {
        let mut memory = Memory::default();
        let program = world.program;
        for (id, global) in program
            .globals
            .iter()
            .filter(|(_, global)| !global.constant)
        {
            let object = world.objects.global(program, id);
            let content = match &global.init {
                None => Content::anything(false),
                Some(init)
                    if init.relocations.is_empty()
                        && init.unknown.is_empty()
                        && init.bytes.iter().all(|byte| *byte == 0) =>
                {
                    Content::new(Base::Zero)
                }
                Some(_) => Content::new(Base::Init(id)),
            };
            let many = world.objects.is_flat();
            memory.set(object, Content { many, ..content });
        }
        memory
    }

    fn set(&mut self, id: ObjectId, content: Content) {
        self.0.insert(u64::from(id.as_u32()), Rc::new(content));
    }

    fn content(&self, id: ObjectId, world: &World<'_>) -> Option<Rc<Content>> {
        if let Some(content) = self.0.get(u64::from(id.as_u32())) {
            return Some(Rc::clone(content));
        }
        match world.objects.object(id) {
            Object::Global(global) if world.program.globals[global].constant => {
                Some(Rc::new(Content {
                    many: world.objects.is_flat(),
                    ..Content::new(Base::Init(global))
                }))
            }
            _ => None,
        }
    }

    /// A new object at a place of the program. `zeroed`: its bytes are 0.
    pub fn allocate(&mut self, id: ObjectId, zeroed: bool, world: &mut World<'_>) {
        let base = if zeroed { Base::Zero } else { Base::Any };
        let fresh = Content {
            many: world.objects.is_flat(),
            ..Content::new(base)
        };
        let content = match self.content(id, world) {
            None => fresh,
            Some(old) => {
                let many = Content {
                    many: true,
                    ..fresh
                };
                let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
                old.merged(&many, world, &mut join)
                    .unwrap_or_else(|| (*old).clone())
            }
        };
        self.set(id, content);
    }

    /// The object's life is over, if it is one object.
    pub fn end(&mut self, id: ObjectId) {
        let key = u64::from(id.as_u32());
        if self.0.get(key).is_some_and(|content| !content.many) {
            self.0.remove(key);
        }
    }

    /// Local objects that were not there when a function was called are not there when it comes back: they are its own, or those of
    /// what it called; or they are of other callers, which it came back to as well.
    pub fn end_new(&mut self, before: &Memory, locals: &[ObjectId]) {
        for id in locals {
            let key = u64::from(id.as_u32());
            if self.0.get(key).is_some() && before.0.get(key).is_none() {
                self.0.remove(key);
            }
        }
    }

    /// Whether an object was made.
    pub(crate) fn is_made(&self, id: ObjectId) -> bool {
        self.0.get(u64::from(id.as_u32())).is_some()
    }

    /// Whether an abstract object stands for several.
    #[must_use]
    pub fn is_many(&self, id: ObjectId) -> bool {
        self.0
            .get(u64::from(id.as_u32()))
            .is_some_and(|content| content.many)
    }

    /// Offsets that are inside the object, for an access of so many bytes. All, where none is: the program then does what
    /// C leaves undefined.
    fn inside(id: ObjectId, offsets: &Num, size: u64, world: &World<'_>) -> Num {
        let bits = offsets.bits();
        let last = world
            .objects
            .size(id)
            .and_then(|whole| whole.checked_sub(size));
        let allowed = match last {
            Some(last) => Num::range(bits, 0, u128::from(last)),
            None => Num::range(bits, 0, mask(bits) >> 1),
        };
        offsets.meet(&allowed).unwrap_or_else(|| offsets.clone())
    }

    /// Whether an access of so many bytes is of an object that lives, and stays in it.
    #[must_use]
    pub fn is_safe(&self, address: &Value, size: u64, writes: bool, world: &World<'_>) -> bool {
        let Value::Pointers(pointers) = address else {
            return false;
        };
        let is_own = |id: ObjectId| match world.objects.object(id) {
            Object::Global(global) => {
                let known = &world.program.globals[global];
                known.init.is_some() && !(writes && known.constant)
            }
            // One of several may be of a call that has returned.
            Object::Local(..) => self
                .0
                .get(u64::from(id.as_u32()))
                .is_some_and(|content| !content.many),
            // Nobody follows what is given back.
            Object::Heap(..) | Object::Function(_) | Object::Extern(_) => false,
        };
        pointers.nums.is_none()
            && pointers.targets.iter().all(|(&id, offsets)| {
                let last = world
                    .objects
                    .size(id)
                    .and_then(|whole| whole.checked_sub(size));
                let (_, most) = offsets.unsigned_bounds();
                is_own(id) && last.is_some_and(|last| most <= u128::from(last))
            })
    }

    /// What a read of so many bytes gives.
    pub fn read(&self, address: &Value, size: u64, world: &mut World<'_>) -> Value {
        let Value::Pointers(pointers) = address else {
            return Value::Any;
        };
        let mut all: Option<Value> = None;
        for (&id, offsets) in pointers.targets.iter() {
            world.objects.note_read(id);
            let value = match self.content(id, world) {
                Some(content) => {
                    let offsets = Memory::inside(id, offsets, size, world);
                    content.read_among(&offsets, size, world)
                }
                None => Value::Any,
            };
            all = Some(all.map_or_else(|| value.clone(), |all| all.join(&value, world.objects)));
        }
        match all {
            Some(all) if pointers.may_be_elsewhere() => all.forgotten(world.objects),
            all => all.unwrap_or(Value::Any),
        }
    }

    /// A write of so many bytes.
    pub fn write(&mut self, address: &Value, size: u64, value: &Value, world: &mut World<'_>) {
        let pointers = match address {
            Value::Pointers(pointers) => pointers,
            // The program ends there.
            Value::Num(num) if !may_be_address(num) => return,
            Value::Num(_) | Value::Real(_) | Value::Tuple(_) | Value::Any => {
                value.escape(world.objects);
                self.havoc(world);
                return;
            }
        };
        let is_elsewhere = pointers.may_be_elsewhere();
        for (&id, offsets) in pointers.targets.iter() {
            if is_elsewhere || world.objects.is_escaped(id) {
                value.escape(world.objects);
            }
            if world.is_constant(id) {
                continue;
            }
            let Some(old) = self.content(id, world) else {
                value.escape(world.objects);
                continue;
            };
            let offsets = Memory::inside(id, offsets, size, world);
            let mut content = (*old).clone();
            match (pointers.targets.len(), offsets.as_constant()) {
                (1, Some(offset)) if !content.many && !is_elsewhere => {
                    content.write(offset as u64, size, value.clone(), world);
                }
                _ => content.add_among(&offsets, size, value, world),
            }
            self.set(id, content);
        }
        if is_elsewhere {
            self.havoc(world);
        }
    }

    /// What an object points to escapes.
    pub fn escape_content(&self, id: ObjectId, world: &mut World<'_>) {
        world.objects.note_read(id);
        if let Some(content) = self.content(id, world) {
            content.escape(world);
        }
    }

    /// The value at one place of one object, and a smaller one for it.
    pub fn narrow(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u64,
        value: &Value,
        world: &World<'_>,
    ) {
        let Some(old) = self.0.get(u64::from(id.as_u32())) else {
            return;
        };
        // In front of the object there is nothing.
        let Some(end) = offset.checked_add(size) else {
            return;
        };
        let is_cell = old.cells.get(offset).is_none_or(|cell| cell.size == size);
        if old.many || !is_cell || world.objects.is_escaped(id) {
            return;
        }
        if old.cells.get(offset).is_none() && !old.overlapping(offset, end).is_empty() {
            return;
        }
        let mut content = (**old).clone();
        content.cells.insert(
            offset,
            Cell {
                size,
                value: value.clone(),
            },
        );
        self.set(id, content);
    }

    /// The value of one cell, read without any trace.
    #[must_use]
    pub fn peek(
        &self,
        id: ObjectId,
        offset: u64,
        size: u64,
        world: &mut World<'_>,
    ) -> Option<Value> {
        world.objects.note_read(id);
        let content = self.content(id, world)?;
        if content.many && !world.objects.is_flat() {
            return None;
        }
        Some(content.read(offset, size, world))
    }

    /// Whether nothing was written to an object between these two.
    #[must_use]
    pub fn has_same(&self, other: &Memory, id: ObjectId) -> bool {
        let key = u64::from(id.as_u32());
        match (self.0.get(key), other.0.get(key)) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether both are the same.
    #[must_use]
    pub fn is_same(&self, other: &Memory) -> bool {
        self.0.is_same(&other.0)
    }

    /// What both may hold, in a memory that only grows: objects that changed are told to `each`, which says how often that
    /// was before. `joining`: how values are joined then.
    pub fn grown<J>(
        &self,
        newer: &Memory,
        world: &mut World<'_>,
        mut each: impl FnMut(ObjectId) -> u32,
        joining: impl Fn(u32) -> J,
    ) -> Memory
    where
        J: FnMut(&Value, &Value, &mut Objects) -> Value,
    {
        Memory(self.0.merge(&newer.0, Single::Keep, |key, a, b| {
            if Rc::ptr_eq(a, b) {
                return None;
            }
            let exact = &mut |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
            a.merged(b, world, exact)?;
            let id = ObjectId::from_u32(u32::try_from(key).expect("keys are numbers of objects"));
            a.merged(b, world, &mut joining(each(id))).map(Rc::new)
        }))
    }

    /// In a memory that only grows, an escaped object holds anything. Whether that is new.
    pub fn forget_object(&mut self, id: ObjectId, world: &mut World<'_>) -> bool {
        let old = self.content(id, world);
        if let Some(old) = &old {
            old.escape(world);
        }
        if world.is_constant(id) || old.is_some_and(|old| old.is_anything()) {
            return false;
        }
        // Objects that are made later, too.
        self.set(id, Content::anything(true));
        true
    }

    /// Both in one. `None` when it would be the first.
    pub fn merged(
        &self,
        other: &Memory,
        world: &mut World<'_>,
        join: &mut Join<'_>,
    ) -> Option<Memory> {
        let merged = self.0.merge(&other.0, Single::Keep, |_, a, b| {
            if Rc::ptr_eq(a, b) {
                return None;
            }
            a.merged(b, world, join).map(Rc::new)
        });
        (!merged.is_same(&self.0)).then_some(Memory(merged))
    }
}
