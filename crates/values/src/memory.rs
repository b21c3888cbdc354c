//! What memory may hold: for each object a few cells, and what is behind them.
//!
//! Must hold:
//! - a read gives everything that a read of these bytes may give on any run that comes here;
//! - a write replaces only where one object at one place is meant; otherwise it adds;
//! - an object that is not in the map was not made yet, so that no pointer to it exists.

use std::rc::Rc;

use program::{BinOp, CastOp, Endian, GlobalId, Program, RelocationTarget};

use crate::arith;
use crate::map::{Map, Single};
use crate::num::{Num, mask};
use crate::object::{Object, ObjectId, Objects};
use crate::value::Value;

/// Places that are looked at one by one where an address is not known exactly.
const MOST_PLACES: u128 = 256;
/// Bytes of a block that are copied one by one.
const MOST_COPIED: u64 = 4096;

/// No object has an address below.
pub const NO_OBJECT: u128 = 4096;

/// What objects hold.
#[derive(Clone, Debug, Default)]
pub struct Memory(Map<Rc<Content>>);

/// What one abstract object holds.
#[derive(Clone, Debug)]
pub struct Content {
    /// It stands for several objects: writes add.
    many: bool,
    base: Base,
    /// What was written somewhere in a range, in slots of one size.
    weak: Option<Weak>,
    /// By offset; cells do not overlap.
    cells: Map<Cell>,
}

/// What is behind the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Any,
    Zero,
    /// What the global holds at the start.
    Init(GlobalId),
}

#[derive(Clone, Debug, PartialEq)]
struct Weak {
    lo: u64,
    /// First byte behind.
    end: u64,
    size: u64,
    /// Offsets modulo the size.
    phase: u64,
    value: Value,
}

#[derive(Clone, Debug, PartialEq)]
struct Cell {
    size: u64,
    value: Value,
}

/// What reading and writing need to know.
pub struct World<'a> {
    pub program: &'a Program,
    pub objects: &'a mut Objects,
}

impl World<'_> {
    pub fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bits
    }

    /// What a global holds at the start, in so many bytes; `None` beyond what is known.
    fn initial(&mut self, global: GlobalId, offset: u64, size: u64) -> Option<Value> {
        let program = self.program;
        let init = program.globals[global].init.as_ref()?;
        let bits = self.pointer_bits();
        let end = offset.checked_add(size)?;
        let pointer = u64::from(bits / 8);
        let mut found = init
            .relocations
            .iter()
            .filter(|relocation| relocation.offset < end && relocation.offset + pointer > offset);
        if let Some(relocation) = found.next() {
            let target = self.target(relocation.to);
            let address = Value::address(target, bits, relocation.addend);
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

impl Content {
    fn new(base: Base) -> Content {
        Content {
            many: false,
            base,
            weak: None,
            cells: Map::default(),
        }
    }

    fn anything(many: bool) -> Content {
        Content {
            many,
            ..Content::new(Base::Any)
        }
    }

    /// Lets all that its pointers point to escape.
    fn escape(&self, world: &mut World<'_>) {
        self.cells
            .for_each(|_, cell| cell.value.escape(world.objects));
        if let Some(weak) = &self.weak {
            weak.value.escape(world.objects);
        }
        if let Base::Init(global) = self.base
            && let Some(init) = &world.program.globals[global].init
        {
            for relocation in &init.relocations {
                let target = world.target(relocation.to);
                world.objects.escape(target);
            }
        }
    }

    /// Cells that have a byte in a range.
    fn overlapping(&self, lo: u64, end: u64) -> Vec<(u64, Cell)> {
        let all = self.cells.entries().into_iter();
        let meets = |(at, cell): &(u64, &Cell)| *at < end && at.saturating_add(cell.size) > lo;
        all.filter(meets)
            .map(|(at, cell)| (at, cell.clone()))
            .collect()
    }

    /// What is behind the cells, in so many bytes.
    fn behind(&self, offset: u64, size: u64, world: &mut World<'_>) -> Value {
        let base = match self.base {
            Base::Any => Value::Any,
            Base::Zero if size <= 16 => Value::Num(Num::constant(8 * size as u32, 0)),
            Base::Zero => Value::Any,
            Base::Init(global) => world.initial(global, offset, size).unwrap_or(Value::Any),
        };
        match &self.weak {
            Some(weak) if weak.lo < offset + size && weak.end > offset => {
                let fits = weak.size == size && offset % size == weak.phase;
                let value = weak.value.clone();
                if fits {
                    base.join(&value, world.objects)
                } else {
                    value.escape(world.objects);
                    base.forgotten(world.objects)
                }
            }
            _ => base,
        }
    }

    fn read(&self, offset: u64, size: u64, world: &mut World<'_>) -> Value {
        if let Some(cell) = self.cells.get(offset)
            && cell.size == size
        {
            return cell.value.clone();
        }
        let overlapping = self.overlapping(offset, offset.saturating_add(size));
        match overlapping.as_slice() {
            [] => self.behind(offset, size, world),
            [(at, cell)] if *at <= offset && at + cell.size >= offset + size => {
                part_of(&cell.value, offset - at, size, world)
            }
            cells => self.pieced(offset, size, cells, world),
        }
    }

    /// A value of several pieces: a number where all of them are constants.
    fn pieced(
        &self,
        offset: u64,
        size: u64,
        cells: &[(u64, Cell)],
        world: &mut World<'_>,
    ) -> Value {
        let mut number = 0;
        let mut is_known = size <= 16;
        for at in (offset..offset + size).rev() {
            let cell = cells
                .iter()
                .find(|(start, cell)| *start <= at && start + cell.size > at);
            let byte = match cell {
                Some((start, cell)) => part_of(&cell.value, at - start, 1, world),
                None => self.behind(at, 1, world),
            };
            byte.escape(world.objects);
            match byte.as_constant() {
                Some(byte) if is_known => number = number << 8 | byte,
                _ => is_known = false,
            }
        }
        match is_known && world.program.layout.endian == Endian::Little {
            true => Value::Num(Num::constant(8 * size as u32, number)),
            false => Value::Any,
        }
    }

    /// Makes room for a write: what cells have outside of it stays.
    fn clear(&mut self, lo: u64, end: u64, world: &mut World<'_>) {
        for (at, cell) in self.overlapping(lo, end) {
            self.cells.remove(at);
            let mut keep = |from: u64, to: u64| {
                for byte in from..to {
                    let value = part_of(&cell.value, byte - at, 1, world);
                    self.cells.insert(byte, Cell { size: 1, value });
                }
            };
            if at < lo {
                keep(at, lo);
            }
            if at + cell.size > end {
                keep(end, at + cell.size);
            }
        }
    }

    fn write(&mut self, offset: u64, size: u64, value: Value, world: &mut World<'_>) {
        let same = self.cells.get(offset).is_some_and(|cell| cell.size == size);
        if !same {
            self.clear(offset, offset.saturating_add(size), world);
        }
        self.cells.insert(offset, Cell { size, value });
    }

    fn add(&mut self, offset: u64, size: u64, value: &Value, world: &mut World<'_>) {
        let old = self.read(offset, size, world);
        let joined = old.join(value, world.objects);
        if joined != old {
            self.write(offset, size, joined, world);
        }
    }

    /// A write somewhere among these offsets.
    fn add_among(&mut self, offsets: &Num, size: u64, value: &Value, world: &mut World<'_>) {
        if let Some(places) = arith::few(offsets, MOST_PLACES) {
            for place in places {
                self.add(place as u64, size, value, world);
            }
            return;
        }
        let (lo, most) = offsets.unsigned_bounds();
        let (lo, end) = (lo as u64, (most as u64).saturating_add(size));
        for (at, cell) in self.overlapping(lo, end) {
            let fits = cell.size == size && offsets.contains(u128::from(at));
            let joined = match fits {
                true => cell.value.join(value, world.objects),
                false => {
                    value.escape(world.objects);
                    cell.value.forgotten(world.objects)
                }
            };
            self.cells.insert(
                at,
                Cell {
                    value: joined,
                    ..cell
                },
            );
        }
        let stride = offsets.as_arc().map_or(1, |arc| arc.stride);
        let aligned = size > 0 && stride.is_multiple_of(u128::from(size));
        let phase = lo % size.max(1);
        self.weak = Some(match self.weak.take() {
            None if aligned => Weak {
                lo,
                end,
                size,
                phase,
                value: value.clone(),
            },
            Some(weak) if aligned && weak.size == size && weak.phase == phase => Weak {
                lo: weak.lo.min(lo),
                end: weak.end.max(end),
                value: weak.value.join(value, world.objects),
                ..weak
            },
            old => {
                value.escape(world.objects);
                if let Some(old) = &old {
                    old.value.escape(world.objects);
                }
                Weak {
                    lo: old.as_ref().map_or(lo, |old| old.lo.min(lo)),
                    end: old.as_ref().map_or(end, |old| old.end.max(end)),
                    size: 0,
                    phase: 0,
                    value: Value::Any,
                }
            }
        });
    }

    fn read_among(&self, offsets: &Num, size: u64, world: &mut World<'_>) -> Value {
        let Some(places) = arith::few(offsets, MOST_PLACES) else {
            return self.read_range(offsets, size, world);
        };
        let values = places
            .into_iter()
            .map(|place| self.read(place as u64, size, world));
        let values: Vec<Value> = values.collect();
        let joined = values
            .into_iter()
            .reduce(|all, value| all.join(&value, world.objects));
        joined.unwrap_or(Value::Any)
    }

    fn read_range(&self, offsets: &Num, size: u64, world: &mut World<'_>) -> Value {
        let (lo, most) = offsets.unsigned_bounds();
        let (lo, end) = (lo as u64, (most as u64).saturating_add(size));
        let cells = self.overlapping(lo, end);
        let aligned = |at: u64, own: u64| own == size && offsets.contains(u128::from(at));
        let known = cells.iter().all(|(at, cell)| aligned(*at, cell.size));
        let base = match self.base {
            Base::Zero => Some(Value::Num(Num::constant(8 * size.min(16) as u32, 0))),
            Base::Init(_) if end - lo <= MOST_COPIED => {
                let stride = offsets.as_arc().map_or(1, |arc| arc.stride as u64).max(1);
                let mut all: Option<Value> = None;
                let mut at = lo;
                while at + size <= end {
                    let value = self.behind(at, size, world);
                    all = Some(
                        all.map_or_else(|| value.clone(), |all| all.join(&value, world.objects)),
                    );
                    at += stride;
                }
                all
            }
            _ => None,
        };
        let weak_fits = self.weak.as_ref().is_none_or(|weak| {
            weak.size == size && u128::from(weak.phase) == u128::from(lo % size.max(1))
        });
        match base {
            Some(base) if known && weak_fits && size <= 16 => {
                let weak = self.weak.iter().map(|weak| weak.value.clone());
                let values = cells.into_iter().map(|(_, cell)| cell.value).chain(weak);
                values.fold(base, |all, value| all.join(&value, world.objects))
            }
            _ => {
                self.escape(world);
                Value::Any
            }
        }
    }

    fn merged(
        &self,
        other: &Content,
        world: &mut World<'_>,
        join: &mut Join<'_>,
    ) -> Option<Content> {
        let mut changed = false;
        let base = if self.base == other.base {
            self.base
        } else {
            changed |= self.base != Base::Any;
            // Cells that only one side has stand on another base then: they are dropped below.
            Base::Any
        };
        let same_base = self.base == other.base;
        let many = self.many || other.many;
        changed |= many != self.many;
        let mut lost: Vec<Value> = Vec::new();
        let weak = match (&self.weak, &other.weak) {
            (a, None) => a.clone(),
            (None, Some(b)) => {
                changed = true;
                Some(b.clone())
            }
            (Some(a), Some(b)) if a == b => Some(a.clone()),
            (Some(a), Some(b)) => {
                let fits = (a.size, a.phase) == (b.size, b.phase);
                let value = if fits {
                    join(&a.value, &b.value, world.objects)
                } else {
                    lost.extend([a.value.clone(), b.value.clone()]);
                    Value::Any
                };
                let joined = Weak {
                    lo: a.lo.min(b.lo),
                    end: a.end.max(b.end),
                    size: if fits { a.size } else { 0 },
                    phase: if fits { a.phase } else { 0 },
                    value,
                };
                changed |= joined != *a;
                Some(joined)
            }
        };
        // Cells that both have are joined; for what only one has the other is read.
        let mut cells = self.cells.clone();
        let mine: Vec<(u64, Cell)> = self.only_in(&other.cells);
        let theirs: Vec<(u64, Cell)> = other.only_in(&self.cells);
        let both = self.cells.merge(&other.cells, Single::Keep, |_, a, b| {
            if a.size != b.size {
                return None;
            }
            let value = join(&a.value, &b.value, world.objects);
            (value != a.value).then_some(Cell {
                size: a.size,
                value,
            })
        });
        if !both.is_same(&self.cells) || !mine.is_empty() || !theirs.is_empty() {
            cells = both;
            for (at, _) in &theirs {
                if self.cells.get(*at).is_none() {
                    cells.remove(*at);
                }
            }
            let mut draft = Content {
                many,
                base: self.base,
                weak: self.weak.clone(),
                cells,
            };
            for (at, cell) in &mine {
                let value = other.read(*at, cell.size, world);
                let joined = join(&cell.value, &value, world.objects);
                if joined != cell.value {
                    draft.cells.insert(
                        *at,
                        Cell {
                            size: cell.size,
                            value: joined,
                        },
                    );
                }
            }
            for (at, cell) in &theirs {
                // Own cells were joined above with what they read of theirs. They stay as they are cut, or two cuts would take turns for
                // ever; the bytes between them become cells of their own.
                let end = at.saturating_add(cell.size);
                let own = self.overlapping(*at, end);
                if own.is_empty() {
                    let value = self.read(*at, cell.size, world);
                    let value = join(&value, &cell.value, world.objects);
                    let size = cell.size;
                    draft.cells.insert(*at, Cell { size, value });
                    continue;
                }
                for byte in *at..end {
                    if own
                        .iter()
                        .all(|(from, own)| byte < *from || byte >= from + own.size)
                    {
                        let mine = self.read(byte, 1, world);
                        let other = part_of(&cell.value, byte - at, 1, world);
                        let value = join(&mine, &other, world.objects);
                        draft.cells.insert(byte, Cell { size: 1, value });
                    }
                }
            }
            cells = draft.cells;
            changed |= !cells_equal(&cells, &self.cells);
        }
        for value in lost {
            value.escape(world.objects);
        }
        if changed && base == Base::Any && !same_base {
            // What the bases hold is anything from now on.
            Content {
                cells: Map::default(),
                ..self.clone()
            }
            .escape(world);
            Content {
                cells: Map::default(),
                ..other.clone()
            }
            .escape(world);
        }
        changed.then_some(Content {
            many,
            base,
            weak,
            cells,
        })
    }

    /// Own cells that the other map has not in the same place and size.
    fn only_in(&self, other: &Map<Cell>) -> Vec<(u64, Cell)> {
        if self.cells.is_same(other) {
            return Vec::new();
        }
        let all = self.cells.entries().into_iter();
        let missing =
            all.filter(|(at, cell)| other.get(*at).is_none_or(|own| own.size != cell.size));
        missing.map(|(at, cell)| (at, cell.clone())).collect()
    }
}

fn cells_equal(a: &Map<Cell>, b: &Map<Cell>) -> bool {
    a.is_same(b) || a.entries() == b.entries()
}

/// How two values become one.
pub type Join<'j> = dyn FnMut(&Value, &Value, &mut Objects) -> Value + 'j;

/// Some bytes of a value.
fn part_of(value: &Value, from: u64, size: u64, world: &mut World<'_>) -> Value {
    match value {
        Value::Num(num) if world.program.layout.endian == Endian::Little => {
            let bits = num.bits();
            let amount = Num::constant(bits, u128::from(8 * from));
            let moved = arith::bin(BinOp::LShr, num, &amount);
            let cut = moved.map(|moved| arith::cast(CastOp::Trunc, &moved, 8 * size as u32));
            cut.map_or(Value::Any, Value::Num)
        }
        other => other.forgotten(world.objects),
    }
}

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
                    if init.relocations.is_empty() && init.bytes.iter().all(|byte| *byte == 0) =>
                {
                    Content::new(Base::Zero)
                }
                Some(_) => Content::new(Base::Init(id)),
            };
            memory.set(object, content);
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
                Some(Rc::new(Content::new(Base::Init(global))))
            }
            _ => None,
        }
    }

    /// A new object at a place of the program. `zeroed`: its bytes are 0.
    pub fn allocate(&mut self, id: ObjectId, zeroed: bool, world: &mut World<'_>) {
        let base = if zeroed { Base::Zero } else { Base::Any };
        let fresh = Content::new(base);
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

    /// What a read of so many bytes gives.
    pub fn read(&self, address: &Value, size: u64, world: &mut World<'_>) -> Value {
        let Value::Pointers(pointers) = address else {
            return Value::Any;
        };
        let mut all: Option<Value> = None;
        for (&id, offsets) in pointers.targets.iter() {
            let value = match self.content(id, world) {
                Some(content) => {
                    let offsets = Memory::inside(id, offsets, size, world);
                    content.read_among(&offsets, size, world)
                }
                None => Value::Any,
            };
            all = Some(all.map_or_else(|| value.clone(), |all| all.join(&value, world.objects)));
        }
        all.unwrap_or(Value::Any)
    }

    /// A write of so many bytes.
    pub fn write(&mut self, address: &Value, size: u64, value: &Value, world: &mut World<'_>) {
        let pointers = match address {
            Value::Pointers(pointers) => pointers,
            // The program ends there.
            Value::Num(num) if num.unsigned_bounds().1 < NO_OBJECT => return,
            Value::Num(_) | Value::Tuple(_) | Value::Any => {
                value.escape(world.objects);
                self.havoc(world);
                return;
            }
        };
        for (&id, offsets) in pointers.targets.iter() {
            if world.objects.is_escaped(id) {
                value.escape(world.objects);
            }
            let Some(old) = self.content(id, world) else {
                value.escape(world.objects);
                continue;
            };
            let offsets = Memory::inside(id, offsets, size, world);
            let mut content = (*old).clone();
            match (pointers.targets.len(), offsets.as_constant()) {
                (1, Some(offset)) if !content.many => {
                    content.write(offset as u64, size, value.clone(), world);
                }
                _ => content.add_among(&offsets, size, value, world),
            }
            self.set(id, content);
        }
    }

    /// The bytes from an address on may be anything. `size`: how many, if it is known.
    pub fn forget(&mut self, address: &Value, size: Option<u64>, world: &mut World<'_>) {
        let Value::Pointers(pointers) = address else {
            let is_null = |num: &Num| num.unsigned_bounds().1 < NO_OBJECT;
            if !matches!(address, Value::Num(num) if is_null(num)) {
                self.havoc(world);
            }
            return;
        };
        for &id in pointers.targets.keys() {
            let Some(old) = self.content(id, world) else {
                continue;
            };
            match (pointers.only(), size) {
                (Some((_, offset)), Some(size)) if !old.many && size <= MOST_COPIED => {
                    let mut content = (*old).clone();
                    content.clear(offset, offset.saturating_add(size), world);
                    for at in offset..offset.saturating_add(size) {
                        content.cells.insert(
                            at,
                            Cell {
                                size: 1,
                                value: Value::Any,
                            },
                        );
                    }
                    self.set(id, content);
                }
                _ => {
                    let many = old.many;
                    old.escape(world);
                    self.set(id, Content::anything(many));
                }
            }
        }
    }

    /// Everything that code which is not followed may reach may be anything.
    pub fn havoc(&mut self, world: &mut World<'_>) {
        // What escaped objects point to escapes with them.
        let mut done = Vec::new();
        loop {
            let escaped = world.objects.escaped();
            if escaped == done {
                break;
            }
            for &id in escaped.iter().filter(|id| !done.contains(*id)) {
                if let Some(content) = self.content(id, world) {
                    content.escape(world);
                    if self.0.get(u64::from(id.as_u32())).is_some() {
                        self.set(id, Content::anything(content.many));
                    }
                }
            }
            done = escaped;
        }
    }

    /// Copies a block. `size`: its bytes, if that is known.
    pub fn copy(&mut self, to: &Value, from: &Value, size: Option<u64>, world: &mut World<'_>) {
        let places = match (to, from) {
            (Value::Pointers(to), Value::Pointers(from)) => to.only().zip(from.only()),
            _ => None,
        };
        if let (Some(((to_id, to_at), (from_id, from_at))), Some(size)) = (places, size)
            && size <= MOST_COPIED
            && let (Some(source), Some(target)) =
                (self.content(from_id, world), self.content(to_id, world))
            && !target.many
        {
            if (to_at, from_at) == (0, 0)
                && world.objects.size(to_id) == Some(size)
                && world.objects.size(from_id) == Some(size)
            {
                let copied = Content {
                    many: false,
                    ..(*source).clone()
                };
                self.put(to_id, copied, world);
                return;
            }
            let mut content = (*target).clone();
            let mut at = 0;
            let mut values = Vec::new();
            while at < size {
                let cell = source
                    .cells
                    .get(from_at + at)
                    .filter(|cell| at + cell.size <= size);
                let pointer = u64::from(world.pointer_bits() / 8);
                let word = match cell {
                    Some(cell) => cell.size,
                    // Words that nobody wrote by parts.
                    None if (from_at + at).is_multiple_of(pointer)
                        && at + pointer <= size
                        && source
                            .overlapping(from_at + at, from_at + at + pointer)
                            .is_empty() =>
                    {
                        pointer
                    }
                    None => 1,
                };
                values.push((at, word, source.read(from_at + at, word, world)));
                at += word;
            }
            content.clear(to_at, to_at + size, world);
            for (at, word, value) in values {
                content.cells.insert(to_at + at, Cell { size: word, value });
            }
            self.put(to_id, content, world);
            return;
        }
        self.escape_behind(from, world);
        self.forget(to, size, world);
    }

    /// Sets a content; what is in an escaped object escapes.
    fn put(&mut self, id: ObjectId, content: Content, world: &mut World<'_>) {
        if world.objects.is_escaped(id) {
            content.escape(world);
        }
        self.set(id, content);
    }

    /// What an object points to escapes.
    pub fn escape_content(&self, id: ObjectId, world: &mut World<'_>) {
        if let Some(content) = self.content(id, world) {
            content.escape(world);
        }
    }

    /// What the objects behind an address point to escapes.
    fn escape_behind(&self, address: &Value, world: &mut World<'_>) {
        if let Value::Pointers(pointers) = address {
            for &id in pointers.targets.keys() {
                if let Some(content) = self.content(id, world) {
                    content.escape(world);
                }
            }
        }
    }

    /// Fills a block with one byte.
    pub fn fill(&mut self, to: &Value, byte: &Value, size: Option<u64>, world: &mut World<'_>) {
        if let Value::Pointers(pointers) = to
            && let (Some((id, at)), Some(size), Some(0)) =
                (pointers.only(), size, byte.as_constant())
            && let Some(old) = self.content(id, world)
            && !old.many
            && size <= MOST_COPIED
        {
            if at == 0 && world.objects.size(id) == Some(size) {
                self.set(id, Content::new(Base::Zero));
                return;
            }
            let mut content = (*old).clone();
            content.clear(at, at + size, world);
            let mut from = at;
            while from < at + size {
                let word = if from.is_multiple_of(8) && from + 8 <= at + size {
                    8
                } else {
                    1
                };
                let value = Value::Num(Num::constant(8 * word as u32, 0));
                content.cells.insert(from, Cell { size: word, value });
                from += word;
            }
            self.set(id, content);
            return;
        }
        self.forget(to, size, world);
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
        let is_cell = old.cells.get(offset).is_none_or(|cell| cell.size == size);
        if old.many || !is_cell || world.objects.is_escaped(id) {
            return;
        }
        if old.cells.get(offset).is_none() && !old.overlapping(offset, offset + size).is_empty() {
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
        let content = self.content(id, world)?;
        if content.many {
            return None;
        }
        Some(content.read(offset, size, world))
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
