//! Memory: objects with bounds and lifetimes, byte for byte, each byte concrete or a term.
//!
//! Must hold: a symbolic byte's term has 8 bits and the byte's value under the run's input; a clone shares the objects that
//! neither side has written since.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::{DataLayout, ExternId, FuncId};
use smt::Term;

use crate::fault::Fault;
use crate::holes::Holes;
use crate::layout::Slots;
use crate::terms::Terms;

/// Number of an object; used again some time after its end of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub u32);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Global,
    Constant,
    Stack,
    Heap,
    Function(FuncId),
    Extern(ExternId),
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub base: u64,
    pub kind: Kind,
    pub alive: bool,
    pub bytes: Vec<u8>,
    /// Its symbolic bytes.
    pub terms: Terms,
    /// What nothing has written.
    pub holes: Holes,
    /// Nothing was written to it since the start: what it holds is the same in each run.
    pub pristine: bool,
}

/// All objects.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    objects: Vec<Rc<Object>>,
    slots: Slots,
    pointer_bytes: usize,
    /// Bytes of all living objects.
    pub used: u64,
}

impl Memory {
    pub fn new(layout: DataLayout) -> Memory {
        Memory {
            objects: Vec::new(),
            slots: Slots::new(layout),
            pointer_bytes: (layout.pointer_bits / 8) as usize,
            used: 0,
        }
    }

    /// Becomes what another memory is. What both share stays: that is most, where this one was made from the other.
    pub fn become_again(&mut self, other: &Memory) {
        self.objects.truncate(other.objects.len());
        for (here, there) in self.objects.iter_mut().zip(&other.objects) {
            if !Rc::ptr_eq(here, there) {
                *here = Rc::clone(there);
            }
        }
        let rest = &other.objects[self.objects.len()..];
        self.objects.extend_from_slice(rest);
        self.slots.clone_from(&other.slots);
        self.pointer_bytes = other.pointer_bytes;
        self.used = other.used;
    }

    /// Makes an object of zeros; `None` when there is no room.
    pub fn add(&mut self, kind: Kind, size: u64) -> Option<u64> {
        let bytes = vec![0; usize::try_from(size).ok()?];
        let fresh = ObjectId(u32::try_from(self.objects.len()).ok()?);
        let (id, base) = self.slots.place(fresh, size)?;
        self.used += size;
        let object = Rc::new(Object {
            base,
            kind,
            alive: true,
            bytes,
            terms: Terms::default(),
            holes: Holes::default(),
            pristine: false,
        });
        match self.objects.get_mut(id.0 as usize) {
            Some(dead) => *dead = object,
            None => self.objects.push(object),
        }
        Some(base)
    }

    /// Makes what a function's address points to, or another thing that has an address and nothing else.
    pub fn add_code(&mut self, kind: Kind) -> Option<u64> {
        self.add(kind, 0)
    }

    /// Nothing of an object is written yet, from this offset on.
    pub fn empty(&mut self, base: u64, from: usize) {
        if let Some(id) = self.slots.owner(base) {
            let object = Rc::make_mut(&mut self.objects[id.0 as usize]);
            object.pristine = false;
            object.holes = Holes::new(object.bytes.len());
            object.holes.clear(0..from);
        }
    }

    /// The unwritten bits of up to 8 bytes.
    pub fn unwritten(&self, address: u64, bytes: u32) -> u64 {
        match self.find(address, bytes.into()) {
            Ok((object, at)) if !object.holes.is_empty() => object.holes.word(at, bytes as usize),
            _ => 0,
        }
    }

    /// Says which bits of up to 8 bytes hold what nothing has written.
    pub fn set_unwritten(&mut self, address: u64, bytes: u32, mask: u64) -> Result<(), Fault> {
        let (object, at) = self.find_mut(address, bytes.into())?;
        let size = object.bytes.len();
        let masks = mask.to_le_bytes();
        object.holes.set(at, &masks[..bytes as usize], size);
        Ok(())
    }

    /// The program starts: what each object holds now is the same in each run, until something is written to it.
    pub fn start(&mut self) {
        for object in &mut self.objects {
            Rc::make_mut(object).pristine = true;
        }
    }

    /// Ends an object's life.
    pub fn remove(&mut self, base: u64) {
        let Some(id) = self.slots.owner(base) else {
            return;
        };
        let object = Rc::make_mut(&mut self.objects[id.0 as usize]);
        let size = object.bytes.len() as u64;
        object.pristine = false;
        object.alive = false;
        object.bytes = Vec::new();
        object.terms = Terms::default();
        object.holes = Holes::default();
        self.used -= size;
        self.slots.release(base, size);
    }

    /// Objects that live.
    pub fn living(&self) -> impl Iterator<Item = &Object> {
        let objects = self.objects.iter().map(|object| &**object);
        objects.filter(|object| object.alive)
    }

    /// The aligned words of an object that may be addresses.
    pub fn words_of<'o>(&self, object: &'o Object) -> impl Iterator<Item = u64> + use<'o> {
        let size = self.pointer_bytes;
        object.bytes.chunks_exact(size).map(move |chunk| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
    }

    /// The object that an address points into, or just behind, dead ones too.
    #[inline]
    pub fn object(&self, address: u64) -> Option<&Object> {
        let id = self.slots.owner(address)?;
        Some(&self.objects[id.0 as usize])
    }

    /// The object that holds these bytes, and where in it they start.
    #[inline]
    pub fn find(&self, address: u64, bytes: u64) -> Result<(&Object, usize), Fault> {
        let Some(object) = self.object(address) else {
            return Err(if address < 4096 {
                Fault::Null
            } else {
                Fault::Wild
            });
        };
        if !object.alive {
            return Err(Fault::AfterFree);
        }
        let offset = address - object.base;
        let size = object.bytes.len() as u64;
        if offset > size || bytes > size - offset {
            return Err(Fault::OutOfBounds);
        }
        if matches!(object.kind, Kind::Function(_) | Kind::Extern(_)) && bytes > 0 {
            return Err(Fault::OutOfBounds);
        }
        Ok((object, offset as usize))
    }

    fn find_mut(&mut self, address: u64, bytes: u64) -> Result<(&mut Object, usize), Fault> {
        let (object, offset) = self.find(address, bytes)?;
        if object.kind == Kind::Constant && bytes > 0 {
            return Err(Fault::Constant);
        }
        let id = self.slots.owner(address).ok_or(Fault::Wild)?;
        let object = Rc::make_mut(&mut self.objects[id.0 as usize]);
        object.pristine = false;
        Ok((object, offset))
    }

    /// The little-endian number of up to 8 bytes, and whether one of them is symbolic.
    #[inline]
    pub fn word(&self, address: u64, bytes: u32) -> Result<(u64, bool), Fault> {
        let (object, offset) = self.find(address, bytes.into())?;
        let count = bytes as usize;
        let mut word = [0; 8];
        word[..count].copy_from_slice(&object.bytes[offset..offset + count]);
        let symbolic = object.terms.has(offset..offset + count);
        Ok((u64::from_le_bytes(word), symbolic))
    }

    /// The number of 1, 2, 4 or 8 bytes of which none is symbolic; `None` where it is anything else.
    #[inline(always)]
    pub fn plain_word(&self, address: u64, bytes: u8) -> Option<u64> {
        let object = self.object(address)?;
        // Nothing is left of dead objects.
        let at = (address - object.base) as usize;
        if !object.terms.is_empty() && object.terms.has(at..at + usize::from(bytes)) {
            return None;
        }
        let rest = object.bytes.get(at..)?;
        if !object.holes.is_empty() && object.holes.word(at, bytes.into()) != 0 {
            return None;
        }
        Some(match bytes {
            1 => (*rest.first()?).into(),
            2 => u16::from_le_bytes(*rest.first_chunk()?).into(),
            4 => u32::from_le_bytes(*rest.first_chunk()?).into(),
            8 => u64::from_le_bytes(*rest.first_chunk()?),
            _ => return None,
        })
    }

    /// Writes such a number; false, and nothing is done, where it is anything else, or where the object is shared.
    #[inline(always)]
    pub fn set_plain_word(&mut self, address: u64, bytes: u8, word: u64) -> bool {
        let object = self.slots.owner(address);
        let object = object.and_then(|id| Rc::get_mut(&mut self.objects[id.0 as usize]));
        let Some(object) = object else {
            return false;
        };
        if object.kind == Kind::Constant {
            return false;
        }
        let at = (address - object.base) as usize;
        let Some(rest) = object.bytes.get_mut(at..) else {
            return false;
        };
        object.pristine = false;
        if rest.len() >= bytes.into() {
            let written = at..at + usize::from(bytes);
            if !object.terms.is_empty() {
                object.terms.clear(written.clone());
            }
            if !object.holes.is_empty() {
                object.holes.clear(written);
            }
        }
        let word = word.to_le_bytes();
        match (bytes, rest) {
            (1, [byte, ..]) => *byte = word[0],
            (2, [a, b, ..]) => [*a, *b] = [word[0], word[1]],
            (4, rest) => match rest.first_chunk_mut::<4>() {
                Some(place) => place.copy_from_slice(&word[..4]),
                None => return false,
            },
            (8, rest) => match rest.first_chunk_mut::<8>() {
                Some(place) => *place = word,
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Writes the low bytes of a concrete number.
    #[inline]
    pub fn set_word(&mut self, address: u64, bytes: u32, word: u64) -> Result<(), Fault> {
        let (object, offset) = self.find_mut(address, bytes.into())?;
        let count = bytes as usize;
        object.bytes[offset..offset + count].copy_from_slice(&word.to_le_bytes()[..count]);
        forget(object, offset, count);
        Ok(())
    }

    /// A byte, and its term if it is symbolic.
    pub fn byte(&self, address: u64) -> Result<(u8, Option<Term>), Fault> {
        let (object, offset) = self.find(address, 1)?;
        Ok((object.bytes[offset], object.terms.get(offset)))
    }

    /// Length of a string of at most so many bytes, if none of its bytes is symbolic.
    pub fn concrete_length(&self, address: u64, limit: u64) -> Result<Option<u64>, Fault> {
        if limit == 0 {
            return Ok(Some(0));
        }
        let (object, offset) = self.find(address, 1)?;
        let rest = &object.bytes[offset..];
        let rest = &rest[..rest.len().min(usize::try_from(limit).unwrap_or(usize::MAX))];
        let length = rest.iter().position(|byte| *byte == 0);
        let seen = length.map_or(rest.len(), |length| length + 1);
        if object.terms.has(offset..offset + seen) {
            return Ok(None);
        }
        match length {
            Some(length) => Ok(Some(length as u64)),
            None if rest.len() as u64 == limit => Ok(Some(limit)),
            None => Err(Fault::OutOfBounds),
        }
    }

    /// Writes a byte.
    pub fn set_byte(&mut self, address: u64, byte: u8, term: Option<Term>) -> Result<(), Fault> {
        let (object, offset) = self.find_mut(address, 1)?;
        object.bytes[offset] = byte;
        match term {
            Some(term) => object.terms.set(offset, term, object.bytes.len()),
            None => object.terms.clear(offset..offset + 1),
        }
        object.holes.clear(offset..offset + 1);
        Ok(())
    }

    /// Copies bytes with their terms, as `memmove` does.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (source, start) = self.find(from, bytes)?;
        let count = bytes as usize;
        let copied = source.bytes[start..start + count].to_vec();
        let terms = source.terms.within(start..start + count);
        let holes = match source.holes.is_empty() {
            true => None,
            false => source.holes.copied(start..start + count),
        };
        let (object, offset) = self.find_mut(to, bytes)?;
        object.bytes[offset..offset + count].copy_from_slice(&copied);
        forget(object, offset, count);
        let size = object.bytes.len();
        for (at, term) in terms {
            object.terms.set(offset + at, term, size);
        }
        if let Some(holes) = holes {
            object.holes.set(offset, &holes, size);
        }
        Ok(())
    }

    /// Sets bytes to one value.
    pub fn fill(&mut self, to: u64, byte: u8, term: Option<Term>, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (object, offset) = self.find_mut(to, bytes)?;
        let count = bytes as usize;
        object.bytes[offset..offset + count].fill(byte);
        forget(object, offset, count);
        if let Some(term) = term {
            for at in offset..offset + count {
                object.terms.set(at, term, object.bytes.len());
            }
        }
        Ok(())
    }

    /// Bytes and terms of the objects that are not among those that were seen, which they are from now on.
    pub fn unseen_bytes(&self, seen: &mut BTreeSet<usize>) -> usize {
        let unseen = self.objects.iter();
        let unseen = unseen.filter(|object| seen.insert(Rc::as_ptr(object).addr()));
        unseen
            .map(|object| {
                let terms = object.terms.len() * size_of::<(u32, Term)>();
                size_of::<Object>() + object.bytes.len() + terms
            })
            .sum()
    }

    /// Writes what a global holds at the start, constants too.
    pub fn initialise(&mut self, base: u64, offset: u64, bytes: &[u8]) {
        let Some(id) = self.slots.owner(base) else {
            return;
        };
        let object = Rc::make_mut(&mut self.objects[id.0 as usize]);
        object.pristine = false;
        let start = offset as usize;
        if let Some(place) = object.bytes.get_mut(start..start + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

/// Bytes that are written now, and concrete.
fn forget(object: &mut Object, offset: usize, count: usize) {
    object.holes.clear(offset..offset + count);
    object.terms.clear(offset..offset + count);
}
