//! Blocks of memory: copied, filled, forgotten.

use super::content::{Base, Cell, Content};
use super::{MOST_COPIED, Memory, World};
use crate::num::Num;
use crate::object::ObjectId;
use crate::value::{Value, may_be_address};

/// How many bytes of a block that ends there one cell holds.
fn word(at: u64, end: u64) -> u64 {
    match at.is_multiple_of(8) && at + 8 <= end {
        true => 8,
        false => 1,
    }
}

impl Memory {
    /// The bytes from an address on may be anything. `size`: how many, if it is known.
    pub fn forget(&mut self, address: &Value, size: Option<u64>, world: &mut World<'_>) {
        let Value::Pointers(pointers) = address else {
            if !matches!(address, Value::Num(num) if !may_be_address(num)) {
                self.havoc(world);
            }
            return;
        };
        if pointers.may_be_elsewhere() {
            self.havoc(world);
        }
        for &id in pointers.targets.keys() {
            let Some(old) = self.content(id, world).filter(|_| !world.is_constant(id)) else {
                continue;
            };
            match (pointers.only(), size) {
                (Some((_, offset)), Some(size)) if !old.many && size <= MOST_COPIED => {
                    let mut content = (*old).clone();
                    let end = offset.saturating_add(size);
                    content.clear(offset, end, world);
                    let mut at = offset;
                    while at < end && !content.is_open() {
                        let size = word(at, end);
                        let value = Value::Any;
                        content.cells.insert(at, Cell { size, value });
                        at += size;
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
        if !world.objects.reach() {
            self.forget_escaped(world);
        }
    }

    /// Escaped objects may hold anything.
    pub fn forget_escaped(&mut self, world: &mut World<'_>) {
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
            // In front of an object there is nothing.
            && from_at.max(to_at).checked_add(size).is_some()
            && let (Some(source), Some(target)) =
                (self.content(from_id, world), self.content(to_id, world))
            && !target.many
            && !world.is_constant(to_id)
        {
            world.objects.note_read(from_id);
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
                if value != Value::Any || !content.is_open() {
                    content.cells.insert(to_at + at, Cell { size: word, value });
                }
            }
            self.put(to_id, content, world);
            return;
        }
        self.escape_behind(from, world);
        self.forget(to, size, world);
    }

    /// Fills a block with one byte.
    pub fn fill(&mut self, to: &Value, byte: &Value, size: Option<u64>, world: &mut World<'_>) {
        if let Value::Pointers(pointers) = to
            && let (Some((id, at)), Some(size), Some(0)) =
                (pointers.only(), size, byte.as_constant())
            && let Some(old) = self.content(id, world)
            && !old.many
            && !world.is_constant(id)
            && size <= MOST_COPIED
            && at.checked_add(size).is_some()
        {
            if at == 0 && world.objects.size(id) == Some(size) {
                self.set(id, Content::new(Base::Zero));
                return;
            }
            let mut content = (*old).clone();
            content.clear(at, at + size, world);
            let mut from = at;
            while from < at + size {
                let word = word(from, at + size);
                let value = Value::Num(Num::constant(8 * word as u32, 0));
                content.cells.insert(from, Cell { size: word, value });
                from += word;
            }
            self.set(id, content);
            return;
        }
        self.forget(to, size, world);
    }

    /// What the objects behind an address point to escapes.
    fn escape_behind(&self, address: &Value, world: &mut World<'_>) {
        if let Value::Pointers(pointers) = address {
            for &id in pointers.targets.keys() {
                world.objects.note_read(id);
                if let Some(content) = self.content(id, world) {
                    content.escape(world);
                }
            }
        }
    }

    /// Sets a content; what is in an escaped object escapes.
    fn put(&mut self, id: ObjectId, content: Content, world: &mut World<'_>) {
        if world.objects.is_escaped(id) {
            content.escape(world);
        }
        self.set(id, content);
    }
}
