//! What one abstract object holds: cells, and what is behind them.

use program::{BinOp, CastOp, Endian, GlobalId};

use super::{Join, MOST_COPIED, MOST_PLACES, World};
use crate::arith;
use crate::map::{Map, Single};
use crate::num::Num;
use crate::value::Value;

/// What one abstract object holds.
#[derive(Clone, Debug)]
pub struct Content {
    /// It stands for several objects: writes add.
    pub(super) many: bool,
    pub(super) base: Base,
    /// What was written somewhere in a range, in slots of one size.
    pub(super) weak: Option<Weak>,
    /// By offset; cells do not overlap.
    pub(super) cells: Map<Cell>,
}

/// Bytes of the widest cell: what one access reads or writes.
const WIDEST_CELL: u64 = 16;

/// What is behind the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Any,
    Zero,
    /// What the global holds at the start.
    Init(GlobalId),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weak {
    lo: u64,
    /// First byte behind.
    end: u64,
    size: u64,
    /// Offsets modulo the size.
    phase: u64,
    value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) size: u64,
    pub(super) value: Value,
}

impl Content {
    pub(super) fn new(base: Base) -> Content {
        Content {
            many: false,
            base,
            weak: None,
            cells: Map::default(),
        }
    }

    pub(super) fn anything(many: bool) -> Content {
        Content {
            many,
            ..Content::new(Base::Any)
        }
    }

    /// Whether nothing is known of what is behind the cells.
    pub(super) fn is_open(&self) -> bool {
        self.base == Base::Any && self.weak.is_none()
    }

    /// Whether nothing is known of it.
    pub(super) fn is_anything(&self) -> bool {
        self.is_open() && self.cells.is_empty()
    }

    /// Lets all that its pointers point to escape.
    pub(super) fn escape(&self, world: &mut World<'_>) {
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
    pub(super) fn overlapping(&self, lo: u64, end: u64) -> Vec<(u64, Cell)> {
        let mut found = Vec::new();
        let first = lo.saturating_sub(WIDEST_CELL - 1);
        self.cells.for_range(first, end, |at, cell| {
            debug_assert!(cell.size <= WIDEST_CELL);
            if at.saturating_add(cell.size) > lo {
                found.push((at, cell.clone()));
            }
        });
        found
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

    pub(super) fn read(&self, offset: u64, size: u64, world: &mut World<'_>) -> Value {
        if let Some(cell) = self.cells.get(offset)
            && cell.size == size
        {
            return cell.value.clone();
        }
        // What begins in front of the object reaches into it.
        let Some(end) = offset.checked_add(size) else {
            self.escape(world);
            return Value::Any;
        };
        let overlapping = self.overlapping(offset, end);
        match overlapping.as_slice() {
            [] => self.behind(offset, size, world),
            [(at, cell)] if *at <= offset && at + cell.size >= end => {
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
    pub(super) fn clear(&mut self, lo: u64, end: u64, world: &mut World<'_>) {
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

    pub(super) fn write(&mut self, offset: u64, size: u64, value: Value, world: &mut World<'_>) {
        let Some(end) = offset.checked_add(size) else {
            value.escape(world.objects);
            self.escape(world);
            *self = Content::anything(self.many);
            return;
        };
        let same = self.cells.get(offset).is_some_and(|cell| cell.size == size);
        if !same {
            self.clear(offset, end, world);
        }
        match value {
            Value::Any if self.is_open() => self.cells.remove(offset),
            value => self.cells.insert(offset, Cell { size, value }),
        }
    }

    /// What may be written there, besides what is.
    fn add(&mut self, offset: u64, size: u64, value: &Value, world: &mut World<'_>) {
        let old = self.read(offset, size, world);
        let joined = old.join(value, world.objects);
        let is_cell = self.cells.get(offset).is_some_and(|cell| cell.size == size);
        // What is read of cells of other sizes, or of what is known in parts, says less than those do: they must change although it
        // does not. Where writes have no order, one that changes nothing now must be there when others write wider numbers.
        let says_all = is_cell
            || old != Value::Any
                && !world.objects.is_flat()
                && self
                    .overlapping(offset, offset.saturating_add(size))
                    .is_empty();
        if joined != old || !says_all {
            self.write(offset, size, joined, world);
        }
    }

    /// A write somewhere among these offsets.
    pub(super) fn add_among(
        &mut self,
        offsets: &Num,
        size: u64,
        value: &Value,
        world: &mut World<'_>,
    ) {
        if let Some(places) = arith::few(offsets, MOST_PLACES) {
            for place in places {
                self.add(place as u64, size, value, world);
            }
            return;
        }
        let (lo, most) = offsets.unsigned_bounds();
        let (lo, end) = (lo as u64, (most as u64).saturating_add(size));
        let stride = offsets.as_arc().map_or(1, |arc| arc.stride);
        // Else a write may be of parts of two slots.
        let aligned = size > 0 && stride.is_multiple_of(u128::from(size));
        for (at, cell) in self.overlapping(lo, end) {
            let fits = aligned && cell.size == size && offsets.contains(u128::from(at));
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

    pub(super) fn read_among(&self, offsets: &Num, size: u64, world: &mut World<'_>) -> Value {
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
        let stride = offsets.as_arc().map_or(1, |arc| arc.stride);
        // Else a read may have parts of two slots.
        let by_slots = size > 0 && stride.is_multiple_of(u128::from(size));
        let known = cells
            .iter()
            .all(|(at, cell)| by_slots && aligned(*at, cell.size));
        let base = match self.base {
            Base::Zero => Some(Value::Num(Num::constant(8 * size.min(16) as u32, 0))),
            Base::Init(_) if end - lo <= MOST_COPIED => {
                let stride = (stride as u64).max(1);
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
        let weak_fits = self
            .weak
            .as_ref()
            .is_none_or(|weak| by_slots && weak.size == size && weak.phase == lo % size.max(1));
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

    pub(super) fn merged(
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
        if base == Base::Any && !same_base {
            // What the bases hold is anything from now on, also where that changes nothing of the first.
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
        let mut missing = Vec::new();
        self.cells.for_unshared(other, |at, cell, own| {
            if own.is_none_or(|own| own.size != cell.size) {
                missing.push((at, cell.clone()));
            }
        });
        missing
    }
}

fn cells_equal(a: &Map<Cell>, b: &Map<Cell>) -> bool {
    let mut equal = true;
    for (one, two) in [(a, b), (b, a)] {
        one.for_unshared(two, |_, own, other| equal &= other == Some(own));
    }
    equal
}

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
