//! Sets that grow until nothing is added: what goes into what, what is read from and written to what addresses lead to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{OUTSIDE, Object, Regions, Spots, of_global};
use crate::function::Target;
use crate::id::{FuncId, GlobalId, ValueId};
use crate::model::{Program, RelocationTarget};
use crate::operand::{Const, Operand};
use crate::outside::Outside;

/// What may be spent, in additions to sets and ways between them: a tenth of a second. Where everything seems to lead everywhere, nothing
/// is won.
const MOST: usize = 100_000;

/// Of a set: a part of an address of the object, which is no address before it is joined with others.
const PIECE: u32 = 1 << 31;

/// How a number goes into another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    /// As it is.
    Whole,
    /// Into one that has no room for an address.
    Piece,
    /// So many bytes further on, or anywhere: pieces are lost.
    Moved(Option<i64>),
    /// As it is: pieces may be all of an address.
    Joined,
    /// With others: pieces may become an address.
    Mixed,
}

/// Places of one object that are told apart.
const SPOTS: usize = 96;

/// Finds the sets.
pub(super) struct Finder<'a> {
    pub(super) program: &'a Program,
    pub(super) models: &'a str,
    pub(super) outside: Outside,
    /// The first node of the values of each function.
    pub(super) values: BTreeMap<FuncId, u32>,
    pub(super) results: BTreeMap<FuncId, u32>,
    pub(super) numbers: BTreeMap<Object, u32>,
    pub(super) objects: Vec<Object>,
    /// Places in objects: sets are of these.
    pub(super) spots: Vec<(u32, Option<u32>)>,
    pub(super) of_spots: BTreeMap<(u32, Option<u32>), u32>,
    /// Places that are told apart, for each object.
    pub(super) counts: BTreeMap<u32, usize>,
    /// The nodes of what objects hold.
    pub(super) contents: Vec<u32>,
    pub(super) sets: Vec<BTreeSet<u32>>,
    pub(super) flows: Vec<BTreeSet<(u32, Flow)>>,
    pub(super) loads: Vec<Vec<(u32, Flow)>>,
    pub(super) stores: Vec<Vec<u32>>,
    pub(super) calls: BTreeMap<u32, Vec<(FuncId, ValueId)>>,
    pub(super) called: BTreeMap<(FuncId, ValueId), BTreeSet<u32>>,
    pub(super) handed_out: BTreeMap<FuncId, bool>,
    pub(super) reached: BTreeSet<FuncId>,
    pub(super) escaped: BTreeSet<u32>,
    pub(super) work: Vec<(u32, u32)>,
    pub(super) spent: usize,
    pub(super) is_refused: bool,
}

impl<'a> Finder<'a> {
    pub(super) fn new(program: &'a Program, models: &'a str) -> Finder<'a> {
        let mut finder = Finder {
            program,
            models,
            outside: Outside::of(program),
            values: BTreeMap::new(),
            results: BTreeMap::new(),
            numbers: BTreeMap::new(),
            objects: Vec::new(),
            spots: Vec::new(),
            of_spots: BTreeMap::new(),
            counts: BTreeMap::new(),
            contents: Vec::new(),
            sets: Vec::new(),
            flows: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            calls: BTreeMap::new(),
            called: BTreeMap::new(),
            handed_out: BTreeMap::new(),
            reached: BTreeSet::new(),
            escaped: BTreeSet::new(),
            work: Vec::new(),
            spent: 0,
            is_refused: false,
        };
        finder.object(Object::Outside);
        let own = finder.contents[OUTSIDE as usize];
        let outside = finder.spot(OUTSIDE, None);
        finder.add(own, outside);
        finder
    }

    pub(super) fn node(&mut self) -> u32 {
        self.sets.push(BTreeSet::new());
        self.flows.push(BTreeSet::new());
        self.loads.push(Vec::new());
        self.stores.push(Vec::new());
        (self.sets.len() - 1) as u32
    }

    pub(super) fn object(&mut self, object: Object) -> u32 {
        if let Some(known) = self.numbers.get(&object) {
            return *known;
        }
        let number = self.objects.len() as u32;
        self.numbers.insert(object, number);
        self.objects.push(object);
        let node = self.node();
        self.contents.push(node);
        number
    }

    /// The place at an offset of an object; `None`: anywhere.
    pub(super) fn spot(&mut self, object: u32, at: Option<u32>) -> u32 {
        let has_places = matches!(
            self.objects[object as usize],
            Object::Global(_) | Object::Stack(..) | Object::Heap(..)
        );
        let mut key = (object, at.filter(|_| has_places));
        if !self.of_spots.contains_key(&key) && key.1.is_some() {
            let count = self.counts.entry(object).or_default();
            *count += 1;
            if *count > SPOTS {
                key.1 = None;
            }
        }
        let next = self.spots.len() as u32;
        let number = *self.of_spots.entry(key).or_insert(next);
        if number == next {
            self.spots.push(key);
        }
        number
    }

    /// The first byte of an object.
    pub(super) fn start(&mut self, object: Object) -> u32 {
        let number = self.object(object);
        self.spot(number, Some(0))
    }

    /// The number that says why something failed. No address that others made leads to it.
    pub(super) fn why(&mut self) -> u32 {
        self.start(Object::Why)
    }

    /// What the object of a place holds.
    pub(super) fn content(&self, spot: u32) -> u32 {
        self.contents[self.spots[spot as usize].0 as usize]
    }

    /// What others know.
    pub(super) fn known(&self) -> u32 {
        self.contents[OUTSIDE as usize]
    }

    pub(super) fn value(&self, function: FuncId, value: ValueId) -> u32 {
        self.values[&function] + value.index() as u32
    }

    pub(super) fn add(&mut self, node: u32, object: u32) {
        if self.sets[node as usize].insert(object) {
            self.spent += 1;
            self.work.push((node, object));
        }
    }

    /// What the first may be, the second may be.
    pub(super) fn flow(&mut self, from: u32, to: u32) {
        self.flow_as(from, to, Flow::Whole);
    }

    pub(super) fn flow_as(&mut self, from: u32, to: u32, how: Flow) {
        if (from != to || how != Flow::Whole) && self.flows[from as usize].insert((to, how)) {
            self.spent += 1;
            let all: Vec<u32> = self.sets[from as usize].iter().copied().collect();
            for object in all {
                self.pass(object, to, how);
            }
        }
    }

    pub(super) fn pass(&mut self, object: u32, to: u32, how: Flow) {
        let is_piece = object & PIECE != 0;
        match how {
            Flow::Whole => self.add(to, object),
            Flow::Piece => {
                let anywhere = self.moved(object & !PIECE, None);
                self.add(to, anywhere | PIECE);
            }
            Flow::Moved(_) if is_piece => {}
            Flow::Moved(by) => {
                let moved = self.moved(object, by);
                self.add(to, moved);
            }
            Flow::Joined => {
                self.add(to, object);
                if is_piece {
                    let anywhere = self.moved(object & !PIECE, None);
                    self.add(to, anywhere);
                }
            }
            Flow::Mixed => {
                let anywhere = self.moved(object & !PIECE, None);
                self.add(to, anywhere);
                self.add(to, anywhere | PIECE);
            }
        }
    }

    /// A place in the same object, so many bytes further on, or anywhere.
    pub(super) fn moved(&mut self, spot: u32, by: Option<i64>) -> u32 {
        let (object, at) = self.spots[spot as usize];
        let to = at.zip(by).and_then(|(at, by)| {
            let to = u32::try_from(i64::from(at).checked_add(by)?).ok()?;
            let size = self.size(object);
            (size.is_none_or(|size| u64::from(to) <= size)).then_some(to)
        });
        self.spot(object, to)
    }

    /// How large an object is, if that is known.
    pub(super) fn size(&self, object: u32) -> Option<u64> {
        match self.objects[object as usize] {
            Object::Global(global) => Some(self.program.globals[global].size),
            _ => None,
        }
    }

    pub(super) fn load(&mut self, address: u32, (to, how): (u32, Flow)) {
        self.loads[address as usize].push((to, how));
        for object in self.objects_of(address) {
            self.flow_as(self.content(object), to, how);
        }
    }

    pub(super) fn store(&mut self, from: u32, address: u32) {
        self.stores[address as usize].push(from);
        for object in self.objects_of(address) {
            self.flow(from, self.content(object));
        }
    }

    /// What an address may lead into so far.
    pub(super) fn objects_of(&self, address: u32) -> Vec<u32> {
        let all = self.sets[address as usize].iter().copied();
        all.filter(|object| object & PIECE == 0).collect()
    }

    /// What is at an address is copied to another one.
    pub(super) fn copy(&mut self, from: u32, to: u32) {
        let between = self.node();
        self.load(from, (between, Flow::Whole));
        self.store(between, to);
    }

    /// The node of an operand; none of what is no address.
    pub(super) fn operand(&mut self, function: FuncId, operand: &Operand) -> Option<u32> {
        let constant = match operand {
            Operand::Value(value) => return Some(self.value(function, *value)),
            Operand::Const(constant) => constant,
        };
        let mut objects = Vec::new();
        let mut is_opaque = false;
        let program = self.program;
        constant.for_each_part(&mut |part| match part {
            Const::Global { global, offset } => {
                objects.push((of_global(program, *global), *offset));
            }
            Const::Function(function) => objects.push((Object::Function(*function), 0)),
            Const::Extern(id) => objects.push((Object::Extern(*id), 0)),
            Const::Opaque { what, .. } => is_opaque |= what.contains('@'),
            _ => {}
        });
        self.is_refused |= is_opaque;
        if objects.is_empty() {
            return None;
        }
        let node = self.node();
        for (object, offset) in objects {
            let start = self.start(object);
            let spot = self.moved(start, Some(offset));
            self.add(node, spot);
        }
        Some(node)
    }

    pub(super) fn flow_operand(&mut self, function: FuncId, operand: &Operand, to: u32) {
        if let Some(from) = self.operand(function, operand) {
            self.flow(from, to);
        }
    }

    /// What a variable holds at the start.
    pub(super) fn starts(&mut self, global: GlobalId) {
        let Some(init) = &self.program.globals[global].init else {
            return;
        };
        let start = self.start(Object::Global(global));
        let own = self.content(start);
        if !init.unknown.is_empty() {
            self.is_refused = true;
        }
        for relocation in &init.relocations {
            let object = match relocation.to {
                RelocationTarget::Global(to) => of_global(self.program, to),
                RelocationTarget::Function(to) => Object::Function(to),
                RelocationTarget::Extern(to) => Object::Extern(to),
            };
            let start = self.start(object);
            let spot = self.moved(start, Some(relocation.addend));
            self.add(own, spot);
        }
    }

    pub(super) fn is_entered_unseen(&mut self, function: FuncId) {
        self.reach(function);
        let known = self.known();
        for param in &self.program.functions[function].params {
            self.flow(known, self.value(function, *param));
        }
        self.flow(self.results[&function], known);
        let rest = self.start(Object::Rest(function));
        self.flow(known, self.content(rest));
    }

    pub(super) fn run(mut self) -> Option<Regions> {
        while let Some((node, object)) = self.work.pop() {
            if self.spent > MOST || self.is_refused {
                return None;
            }
            self.take(node, object);
        }
        Some(self.found())
    }

    pub(super) fn take(&mut self, node: u32, object: u32) {
        let all: Vec<(u32, Flow)> = self.flows[node as usize].iter().copied().collect();
        for (to, how) in all {
            self.pass(object, to, how);
        }
        if node == self.known() {
            self.escapes(object & !PIECE);
        }
        if object & PIECE != 0 {
            return;
        }
        let own = self.content(object);
        for (to, how) in self.loads[node as usize].clone() {
            self.flow_as(own, to, how);
        }
        for from in self.stores[node as usize].clone() {
            self.flow(from, own);
        }
        for (function, call) in self.calls.get(&node).cloned().unwrap_or_default() {
            self.through(function, call, object);
        }
    }

    pub(super) fn escapes(&mut self, spot: u32) {
        let object = self.spots[spot as usize].0;
        if !self.escaped.insert(object) {
            return;
        }
        let (own, known) = (self.content(spot), self.known());
        self.flow(own, known);
        self.flow(known, own);
        if let Object::Function(function) = self.objects[object as usize] {
            self.is_entered_unseen(function);
        }
    }

    pub(super) fn found(self) -> Regions {
        let as_bytes = |spot: u32| {
            let (object, at) = self.spots[spot as usize];
            (object, at.map(|at| (at, at)))
        };
        let whole = |set: &BTreeSet<u32>| {
            let whole = set.iter().filter(|spot| **spot & PIECE == 0);
            Arc::new(whole.map(|spot| as_bytes(*spot)).collect())
        };
        let shared: Vec<Spots> = self.sets.iter().map(whole).collect();
        let joined = |node: &u32| {
            let all = self.sets[*node as usize].iter();
            Arc::new(
                all.map(|spot| match spot & PIECE {
                    0 => as_bytes(*spot),
                    _ => (as_bytes(spot & !PIECE).0, None),
                })
                .collect(),
            )
        };
        let contents = self.contents.iter().map(joined).collect();
        let values = self.values.iter().map(|(function, first)| {
            let count = self.program.functions[*function].values.len();
            let first = *first as usize;
            (*function, shared[first..first + count].to_vec())
        });
        let calls = self.called.keys();
        let targets = calls.filter_map(|call| Some((*call, self.targets(*call)?)));
        Regions {
            values: values.collect(),
            contents,
            targets: targets.collect(),
            numbers: self.numbers,
            escaped: self.escaped,
            models: self.models.to_owned(),
        }
    }

    /// What a call through a pointer calls: what fits, if something does.
    pub(super) fn targets(&self, (function, call): (FuncId, ValueId)) -> Option<Vec<Target>> {
        let objects = &self.called[&(function, call)];
        if objects.contains(&OUTSIDE) {
            return None;
        }
        let called = |object: &&u32| {
            let object = self.objects[**object as usize];
            matches!(object, Object::Function(_) | Object::Extern(_))
        };
        let all = || objects.iter().filter(called);
        let some_fit = all().any(|object| self.is_fitting(function, call, *object));
        let mut found: Vec<Target> = all()
            .filter(|object| !some_fit || self.is_fitting(function, call, **object))
            .filter_map(|object| match self.objects[*object as usize] {
                Object::Function(target) => Some(Target::Function(target)),
                Object::Extern(target) => Some(Target::Extern(target)),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        (!found.is_empty()).then_some(found)
    }
}
