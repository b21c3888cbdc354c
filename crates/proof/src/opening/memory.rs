//! Memory, as far as it is known: objects by their bytes.
//!
//! Must hold: a byte that something may have written has no value, or the one that was written.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::regions::{Region, Regions};
use program::{FuncId, Operand, RelocationTarget, ValueId, outside};
use semantics::Symbol;
use smt::Term;

use super::options::Scan;
use super::{Next, Opening, State};

/// Bytes of a block of memory that is copied.
pub const MOST: usize = 1 << 14;

/// What an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A variable of the program, a function, or what others define.
    Symbol(Symbol),
    /// The list of the words.
    List,
    /// The program's name, of which nothing is known.
    Name,
    /// A word, by its number behind the name.
    Word(usize),
    /// Made by an instruction; its size, if that is known.
    Stack(Option<u64>, (FuncId, ValueId)),
    /// Allocated, or there was no memory: nobody knows whether the address is null. Its size, if that is known; whether its bytes are 0.
    Heap(Option<u64>, bool),
    /// A number of the library's own.
    Own,
    /// Where the table of classes of characters is, and that table.
    ClassesAt,
    Classes,
    /// No address: a number that is less than 0, or greater, of which nothing else is known.
    Sign(bool),
}

/// What an object holds: what was written, and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The rest is as at the start.
    pub is_fresh: bool,
    pub written: BTreeMap<u64, Option<Term>>,
}

/// What objects hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Of objects that are there from the start, by their numbers; of those where there is nothing, what they begin with, or nothing.
    pub first: Rc<Vec<Option<Rc<Content>>>>,
    /// The same of others.
    pub others: BTreeMap<u32, Rc<Content>>,
    /// What nothing is known of.
    nothing: Rc<Content>,
    /// Of objects below, nothing is known that was not written since.
    pub lost: u32,
    /// How far options were looked for.
    pub scan: Scan,
    /// Addresses of words, or of the list, may be among what is not known.
    pub has_leaked: bool,
}

impl Memory {
    /// With so many objects.
    pub fn new(count: u32) -> Memory {
        Memory {
            first: Rc::new(vec![None; count as usize]),
            others: BTreeMap::new(),
            nothing: Rc::default(),
            lost: 0,
            scan: Scan::default(),
            has_leaked: false,
        }
    }

    fn get(&self, object: u32) -> Option<&Rc<Content>> {
        match self.first.get(object as usize) {
            Some(content) => content.as_ref(),
            None => self.others.get(&object),
        }
    }

    /// Is an object as it was at the start?
    pub fn is_fresh(&self, object: u32) -> bool {
        match self.get(object) {
            Some(content) => content.is_fresh && content.written.is_empty(),
            None => object >= self.lost,
        }
    }

    /// What an object holds.
    pub fn of(&self, object: u32) -> Rc<Content> {
        match self.get(object) {
            Some(content) => Rc::clone(content),
            None if object < self.lost => Rc::clone(&self.nothing),
            None => Rc::new(Content {
                is_fresh: true,
                written: BTreeMap::new(),
            }),
        }
    }

    fn content(&mut self, object: u32) -> &mut Content {
        let made = self.of(object);
        let content = match (object as usize) < self.first.len() {
            true => Rc::make_mut(&mut self.first)[object as usize].get_or_insert(made),
            false => self.others.entry(object).or_insert(made),
        };
        Rc::make_mut(content)
    }

    /// An object begins, as it is at the start.
    pub fn begin(&mut self, object: u32) {
        self.content(object);
    }

    /// An object is not there any more.
    pub fn end(&mut self, object: u32) {
        self.others.remove(&object);
    }

    pub fn forget(&mut self, object: u32) {
        let is_known = |content: &Rc<Content>| !Rc::ptr_eq(content, &self.nothing);
        if self.get(object).is_none_or(is_known) {
            let nothing = Rc::clone(&self.nothing);
            match (object as usize) < self.first.len() {
                true => Rc::make_mut(&mut self.first)[object as usize] = Some(nothing),
                false => _ = self.others.insert(object, nothing),
            }
        }
    }

    /// Nothing is known any more of objects below.
    fn forget_all(&mut self, below: u32) {
        self.first = Rc::new(vec![None; self.first.len()]);
        self.others.clear();
        self.scan.is_lost = true;
        self.lost = below;
    }
}

impl Opening<'_> {
    /// How large an object is, if that is known.
    pub(super) fn size(&self, object: u32) -> Option<u64> {
        match self.objects[object as usize] {
            Kind::Symbol(Symbol::Global(global)) => {
                let data = &self.program.globals[global];
                data.init.as_ref().map(|_| data.size)
            }
            Kind::Symbol(_) => Some(0),
            Kind::List => Some(8 * (self.words.len() as u64 + 2)),
            Kind::Word(at) => self.words[at].as_ref().map(|word| word.len() as u64 + 1),
            Kind::Stack(size, _) | Kind::Heap(size, _) => size,
            Kind::Name | Kind::Own | Kind::ClassesAt | Kind::Classes | Kind::Sign(_) => None,
        }
    }

    /// Is an address of an object never null?
    pub(super) fn is_there(&self, object: u32) -> bool {
        match self.objects[object as usize] {
            Kind::Symbol(Symbol::Global(global)) => self.program.globals[global].init.is_some(),
            Kind::Symbol(Symbol::Function(_)) => true,
            Kind::Symbol(Symbol::Extern(_)) | Kind::Heap(..) | Kind::Sign(_) => false,
            _ => true,
        }
    }

    /// What some bytes hold, if all are known.
    pub(super) fn read(
        &mut self,
        memory: &Memory,
        place: (u32, i64),
        size: u64,
    ) -> Option<Vec<Term>> {
        let size = usize::try_from(size).ok().filter(|size| *size <= MOST)?;
        let bytes = self.bytes(memory, Some(place), size);
        bytes.into_iter().collect()
    }

    /// What each of some bytes holds.
    pub(super) fn bytes(
        &mut self,
        memory: &Memory,
        place: Option<(u32, i64)>,
        size: usize,
    ) -> Vec<Option<Term>> {
        let Some((object, at)) = place else {
            return vec![None; size];
        };
        let all = (0..size as i64).map(|index| {
            let at = u64::try_from(at.checked_add(index)?).ok()?;
            self.byte(memory, object, at)
        });
        all.collect()
    }

    fn byte(&mut self, memory: &Memory, object: u32, at: u64) -> Option<Term> {
        if self.size(object).is_some_and(|size| at >= size) || self.is_shaky(memory, object) {
            return None;
        }
        let is_constant = match self.objects[object as usize] {
            Kind::Symbol(Symbol::Global(global)) => {
                let data = &self.program.globals[global];
                if data.init.is_some() && outside::is_of_library(data) {
                    return None;
                }
                data.constant
            }
            Kind::ClassesAt | Kind::Classes => true,
            _ => false,
        };
        if !is_constant {
            match memory.get(object) {
                Some(content) => match content.written.get(&at) {
                    Some(byte) => return *byte,
                    None if !content.is_fresh => return None,
                    None => {}
                },
                None if object < memory.lost => return None,
                None => {}
            }
        }
        if let Kind::Symbol(Symbol::Global(global)) = self.objects[object as usize]
            && self.program.globals[global].init.is_none()
        {
            return self.of_getopt(memory, &self.program.globals[global].name, at);
        }
        self.first(object, at)
    }

    /// May an object be written at a time that nothing shows, by handlers and threads?
    pub(super) fn is_shaky(&self, memory: &Memory, object: u32) -> bool {
        let through = self.effects.interrupts().through.as_ref();
        let regions = self.effects.regions.as_deref();
        let meets = |whole: Option<Region>| match (through, regions, whole) {
            (None, ..) => false,
            (Some(through), Some(known), Some(whole)) => known.meet(&whole.spread(), through),
            _ => true,
        };
        match self.objects[object as usize] {
            Kind::Symbol(Symbol::Global(global)) => self.shaky.contains(&global),
            Kind::Stack(_, at) => meets(regions.and_then(|known| known.stack(at.0, at.1))),
            Kind::Heap(..) => through.is_some(),
            Kind::List | Kind::Word(_) => memory.has_leaked && meets(regions.map(Regions::outside)),
            _ => false,
        }
    }

    /// What a byte is at the start.
    pub(super) fn first(&mut self, object: u32, at: u64) -> Option<Term> {
        match self.objects[object as usize] {
            Kind::Symbol(Symbol::Global(global)) => {
                let data = &self.program.globals[global];
                let init = data.init.as_ref()?;
                if data.thread_local || !init.is_known(at, at + 1) {
                    return None;
                }
                let mut all = init.relocations.iter();
                if let Some(found) = all.find(|it| (it.offset..it.offset + 8).contains(&at)) {
                    let symbol = match found.to {
                        RelocationTarget::Global(global) => Symbol::Global(global),
                        RelocationTarget::Function(function) => Symbol::Function(function),
                        RelocationTarget::Extern(id) => Symbol::Extern(id),
                    };
                    let (addend, from) = (found.addend, found.offset);
                    let base = self.symbol(symbol);
                    let addend = self.pool.constant(64, i128::from(addend).cast_unsigned());
                    let whole = self.pool.bin(smt::Op::Add, base, addend);
                    return Some(self.digit(whole, at - from));
                }
                let byte = init.bytes.get(usize::try_from(at).ok()?).copied();
                Some(self.pool.constant(8, u128::from(byte.unwrap_or(0))))
            }
            Kind::List => {
                let whole = match usize::try_from(at / 8).ok()? {
                    0 => Kind::Name,
                    index if index <= self.words.len() => Kind::Word(index - 1),
                    _ => return Some(self.pool.constant(8, 0)),
                };
                let whole = self.only(whole);
                let whole = self.address(whole);
                Some(self.digit(whole, at % 8))
            }
            Kind::Word(word) => {
                let word = self.words[word].as_ref()?;
                let byte = word.get(usize::try_from(at).ok()?).copied();
                Some(self.pool.constant(8, u128::from(byte.unwrap_or(0))))
            }
            Kind::Heap(_, true) => Some(self.pool.constant(8, 0)),
            Kind::ClassesAt if at < 8 => {
                let table = self.only(Kind::Classes);
                let table = self.address(table);
                let first = self.pool.constant(64, super::library::BEFORE.into());
                let whole = self.pool.bin(smt::Op::Add, table, first);
                Some(self.digit(whole, at))
            }
            Kind::Classes => {
                let index = (at / 2).checked_sub(super::library::BEFORE / 2)?;
                let letter = u8::try_from(index).ok().filter(u8::is_ascii)?;
                let bits = super::library::classes(letter).to_le_bytes();
                Some(self.pool.constant(8, u128::from(bits[(at % 2) as usize])))
            }
            _ => None,
        }
    }

    pub(super) fn digit(&mut self, whole: Term, at: u64) -> Term {
        self.pool.extract(whole, at as u16 * 8, 8)
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> Term {
        let next = self.objects.len() as u32;
        let number = *self.symbols.entry(symbol).or_insert(next);
        if number == next {
            self.objects.push(Kind::Symbol(symbol));
        }
        self.address(number)
    }

    /// The object of a kind of which there is one.
    pub(super) fn only(&mut self, kind: Kind) -> u32 {
        match self.objects.iter().position(|known| *known == kind) {
            Some(known) => known as u32,
            None => self.object(kind),
        }
    }

    /// Writes bytes to an object.
    pub(super) fn write(
        &mut self,
        memory: &mut Memory,
        (object, at): (u32, i64),
        bytes: &[Option<Term>],
    ) -> Next {
        match self.objects[object as usize] {
            Kind::Own => return Next::On,
            Kind::Symbol(Symbol::Global(global)) => {
                let data = &self.program.globals[global];
                if data.init.is_none() {
                    match &*data.name {
                        "optind" if at == 0 => self.set_option(memory, bytes),
                        "optind" | "optarg" => memory.scan.is_lost = true,
                        // Of others nothing is known.
                        _ => memory.has_leaked |= self.has_words(bytes),
                    }
                    return Next::On;
                }
            }
            Kind::Symbol(_) | Kind::ClassesAt | Kind::Classes | Kind::Sign(_) => return Next::Over,
            _ => {}
        }
        let end = u64::try_from(at)
            .ok()
            .and_then(|at| at.checked_add(bytes.len() as u64));
        let is_inside = |end: u64| self.size(object).is_none_or(|size| end <= size);
        if !end.is_some_and(is_inside) {
            return Next::Over;
        }
        memory.has_leaked |= self.has_words(bytes);
        let content = memory.content(object);
        for (byte, at) in bytes.iter().zip(at as u64..) {
            content.written.insert(at, *byte);
        }
        Next::On
    }

    /// Something is written to the object that an operand leads to, or to where nobody knows.
    pub(super) fn spoil(
        &mut self,
        way: &mut State,
        place: Option<(u32, i64)>,
        address: Option<&Operand>,
    ) -> Next {
        let Some((object, _)) = place else {
            return self.spoil_region(way, address);
        };
        match self.objects[object as usize] {
            Kind::Own => {}
            Kind::Symbol(Symbol::Global(global)) if self.program.globals[global].init.is_some() => {
                way.memory.forget(object);
            }
            Kind::Symbol(_) | Kind::ClassesAt | Kind::Classes | Kind::Sign(_) => return Next::Over,
            _ => way.memory.forget(object),
        }
        Next::On
    }

    /// Is it an address of a word, or of the list?
    pub(super) fn is_word(&self, term: Term) -> bool {
        let is_it = |object: u32| {
            let kind = self.objects.get(object as usize);
            matches!(kind, Some(Kind::List | Kind::Word(_)))
        };
        self.pool.vars(term).iter().any(|var| is_it(var.0))
    }

    fn has_words(&self, bytes: &[Option<Term>]) -> bool {
        let mut known = bytes.iter().flatten();
        known.any(|byte| self.is_word(*byte))
    }

    /// Nothing is known any more.
    pub(super) fn forget_all(&mut self, memory: &mut Memory) {
        memory.forget_all(self.objects.len() as u32);
    }
}
