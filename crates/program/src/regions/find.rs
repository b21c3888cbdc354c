//! Sets that grow until nothing is added: what goes into what, what is read from and written to what addresses lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::sets::{Bits, Set};
use super::{OUTSIDE, Object, Regions, Spots, of_global};
use crate::function::Target;
use crate::id::{FuncId, GlobalId, ValueId};
use crate::model::{Program, RelocationTarget};
use crate::operand::{Const, Operand};
use crate::outside::Outside;

/// What may be spent where places in objects are told apart, in additions to sets and ways between them: a tenth of a second.
const MOST: usize = 100_000;
/// The same where they are not: some seconds.
const MOST_COARSE: usize = 4_000_000;
/// Objects that an address may lead to before what they hold is one. Only where places in objects are not told apart.
const APART: usize = 24;

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
    pub(super) sets: Vec<Set>,
    /// Nodes that are one with another: which.
    pub(super) united: Vec<u32>,
    pub(super) flows: Vec<BTreeSet<(u32, Flow)>>,
    pub(super) loads: Vec<Vec<(u32, Flow)>>,
    pub(super) stores: Vec<Vec<u32>>,
    pub(super) calls: BTreeMap<u32, Vec<(FuncId, ValueId)>>,
    pub(super) called: BTreeMap<(FuncId, ValueId), BTreeSet<u32>>,
    pub(super) handed_out: BTreeMap<FuncId, bool>,
    pub(super) reached: BTreeSet<FuncId>,
    pub(super) escaped: BTreeSet<u32>,
    /// Nodes whose sets have something new.
    pub(super) work: VecDeque<u32>,
    /// Places in objects are not told apart.
    pub(super) is_coarse: bool,
    pub(super) spent: usize,
    pub(super) is_refused: bool,
}

/// Why nothing is found.
pub(super) enum Nothing {
    /// There is something that is not followed.
    Refused,
    /// The budget was spent.
    Spent,
}

impl<'a> Finder<'a> {
    pub(super) fn new(program: &'a Program, models: &'a str, is_coarse: bool) -> Finder<'a> {
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
            work: VecDeque::new(),
            is_coarse,
            united: Vec::new(),
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
        self.sets.push(Set::default());
        self.united.push(self.united.len() as u32);
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
        let mut key = (object, at.filter(|_| has_places && !self.is_coarse));
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
        self.one(self.contents[self.spots[spot as usize].0 as usize])
    }

    /// What others know.
    pub(super) fn known(&self) -> u32 {
        self.one(self.contents[OUTSIDE as usize])
    }

    /// The node that a node is one with.
    fn one(&self, mut node: u32) -> u32 {
        while self.united[node as usize] != node {
            node = self.united[node as usize];
        }
        node
    }

    /// Two nodes become one.
    fn unite(&mut self, a: u32, b: u32) {
        let (to, from) = (self.one(a), self.one(b));
        if to == from {
            return;
        }
        self.united[from as usize] = to;
        let flows = std::mem::take(&mut self.flows[from as usize]);
        let loads = std::mem::take(&mut self.loads[from as usize]);
        let stores = std::mem::take(&mut self.stores[from as usize]);
        let set = std::mem::take(&mut self.sets[from as usize]);
        self.spent += flows.len();
        self.flows[to as usize].extend(flows);
        self.loads[to as usize].extend(loads);
        self.stores[to as usize].extend(stores);
        if let Some(calls) = self.calls.remove(&from) {
            self.calls.entry(to).or_default().extend(calls);
        }
        // All of it again, for what the other has.
        self.sets[to as usize].take_all(&set);
        self.queue(to);
    }

    fn queue(&mut self, node: u32) {
        let set = &mut self.sets[node as usize];
        if !set.is_queued {
            set.is_queued = true;
            self.work.push_back(node);
        }
    }

    pub(super) fn value(&self, function: FuncId, value: ValueId) -> u32 {
        self.values[&function] + value.index() as u32
    }

    pub(super) fn add(&mut self, node: u32, object: u32) {
        let node = self.one(node);
        if self.sets[node as usize].add(object & !PIECE, object & PIECE != 0) {
            self.spent += 1;
            self.queue(node);
        }
    }

    /// What the first may be, the second may be.
    pub(super) fn flow(&mut self, from: u32, to: u32) {
        self.flow_as(from, to, Flow::Whole);
    }

    pub(super) fn flow_as(&mut self, from: u32, to: u32, how: Flow) {
        let (from, to) = (self.one(from), self.one(to));
        if (from != to || how != Flow::Whole) && self.flows[from as usize].insert((to, how)) {
            self.spent += 1;
            let set = &self.sets[from as usize];
            let (whole, pieces) = match self.is_summed_up(from) {
                true => self.in_one_place(&set.whole),
                false => (set.whole.clone(), set.pieces.clone()),
            };
            self.pass_all(&whole, &pieces, (to, how));
        }
    }

    /// Is what a node may be passed on as one place?
    fn is_summed_up(&self, node: u32) -> bool {
        self.is_coarse && node == self.known()
    }

    /// One place that stands for all that others know: it holds what that holds, and may be meant wherever something has escaped
    /// ([`Regions::meet`]).
    fn in_one_place(&self, whole: &Bits) -> (Bits, Bits) {
        let outside = self.of_spots[&(OUTSIDE, None)];
        (whole.only(outside), Bits::default())
    }

    /// Passes all of a set, or what is new of it.
    fn pass_all(&mut self, whole: &Bits, pieces: &Bits, (to, how): (u32, Flow)) {
        let to = self.one(to);
        if !self.is_coarse && how != Flow::Whole {
            for spot in whole.iter() {
                self.pass(spot, to, how);
            }
            for spot in pieces.iter() {
                self.pass(spot | PIECE, to, how);
            }
            return;
        }
        // Each place is anywhere in its object.
        let set = &mut self.sets[to as usize];
        let added = match how {
            Flow::Whole => set.add_all(&[whole], &[pieces]),
            Flow::Piece => set.add_all(&[], &[whole, pieces]),
            Flow::Moved(_) => set.add_all(&[whole], &[]),
            Flow::Joined => set.add_all(&[whole, pieces], &[pieces]),
            Flow::Mixed => set.add_all(&[whole, pieces], &[whole, pieces]),
        };
        if added > 0 {
            self.spent += if self.is_coarse { 1 } else { added };
            self.queue(to);
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
        let address = self.one(address);
        self.loads[address as usize].push((to, how));
        for object in self.objects_of(address) {
            self.flow_as(self.content(object), to, how);
        }
    }

    pub(super) fn store(&mut self, from: u32, address: u32) {
        let address = self.one(address);
        self.stores[address as usize].push(from);
        for object in self.objects_of(address) {
            self.flow(from, self.content(object));
        }
    }

    /// What an address may lead into so far.
    pub(super) fn objects_of(&self, address: u32) -> Vec<u32> {
        self.sets[self.one(address) as usize].whole.iter().collect()
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

    pub(super) fn run(mut self) -> Result<Regions, Nothing> {
        let most = match self.is_coarse {
            true => MOST_COARSE,
            false => MOST,
        };
        while let Some(node) = self.work.pop_front() {
            if self.is_refused {
                return Err(Nothing::Refused);
            }
            if self.spent > most {
                return Err(Nothing::Spent);
            }
            if self.one(node) == node {
                self.take(node);
            }
        }
        match self.is_refused {
            true => Err(Nothing::Refused),
            false => Ok(self.found()),
        }
    }

    /// Passes on what is new of a node.
    fn take(&mut self, node: u32) {
        let (whole, pieces) = self.sets[node as usize].news();
        let flows: Vec<(u32, Flow)> = self.flows[node as usize].iter().copied().collect();
        let in_one = self.is_summed_up(node).then(|| self.in_one_place(&whole));
        let (passed, passed_pieces) = match &in_one {
            Some((passed, none)) => (passed, none),
            None => (&whole, &pieces),
        };
        for (to, how) in flows {
            self.pass_all(passed, passed_pieces, (to, how));
        }
        if node == self.known() {
            for spot in whole.iter().chain(pieces.iter()) {
                self.escapes(spot);
            }
        }
        let node = self.one(node);
        let (loads, stores) = (&self.loads[node as usize], &self.stores[node as usize]);
        if self.is_coarse && !(loads.is_empty() && stores.is_empty()) {
            self.hold_as_one(node);
        }
        let node = self.one(node);
        let loads = self.loads[node as usize].clone();
        let stores = self.stores[node as usize].clone();
        let calls = self.calls.get(&node).cloned().unwrap_or_default();
        let mut contents: Vec<u32> = whole.iter().map(|spot| self.content(spot)).collect();
        contents.sort_unstable();
        contents.dedup();
        for own in contents {
            for &(to, how) in &loads {
                self.flow_as(own, to, how);
            }
            for &from in &stores {
                self.flow(from, own);
            }
        }
        for spot in whole.iter() {
            for &(function, call) in &calls {
                self.through(function, call, spot);
            }
        }
    }

    /// What objects hold is one, where an address may lead to many of them.
    fn hold_as_one(&mut self, node: u32) {
        let set = &self.sets[node as usize].whole;
        if set.len() <= APART {
            return;
        }
        let known = self.known();
        // What others know is kept apart: it may be anything that they know.
        let is_own = |spot: &u32| {
            let object = self.objects[self.spots[*spot as usize].0 as usize];
            let is_code = matches!(object, Object::Function(_) | Object::Extern(_));
            !is_code && self.content(*spot) != known
        };
        let all: Vec<u32> = set.iter().filter(is_own).collect();
        for two in all.windows(2) {
            let (a, b) = (self.content(two[0]), self.content(two[1]));
            self.unite(a, b);
        }
    }

    pub(super) fn escapes(&mut self, spot: u32) {
        let object = self.spots[spot as usize].0;
        if !self.escaped.insert(object) {
            return;
        }
        let (own, known) = (self.content(spot), self.known());
        match self.is_coarse {
            true => self.unite(known, own),
            false => {
                self.flow(own, known);
                self.flow(known, own);
            }
        }
        if let Object::Function(function) = self.objects[object as usize] {
            self.is_entered_unseen(function);
        }
    }

    pub(super) fn found(self) -> Regions {
        let as_bytes = |spot: u32| {
            let (object, at) = self.spots[spot as usize];
            (object, at.map(|at| (at, at)))
        };
        // Many values lead to the same.
        let mut shared: HashMap<&Bits, Spots> = HashMap::new();
        let mut whole = |node: u32| -> Spots {
            let set = &self.sets[self.one(node) as usize].whole;
            let made = || Arc::new(set.iter().map(as_bytes).collect());
            Arc::clone(shared.entry(set).or_insert_with(made))
        };
        let values = self.values.iter().map(|(function, first)| {
            let count = self.program.functions[*function].values.len() as u32;
            let all = (*first..*first + count).map(&mut whole);
            (*function, all.collect())
        });
        let values = values.collect();
        let mut joined: BTreeMap<u32, Spots> = BTreeMap::new();
        let contents = self.contents.iter().map(|node| {
            let node = self.one(*node);
            let set = &self.sets[node as usize];
            let pieces = set.pieces.iter().map(|spot| (as_bytes(spot).0, None));
            let made = || Arc::new(set.whole.iter().map(as_bytes).chain(pieces).collect());
            Arc::clone(joined.entry(node).or_insert_with(made))
        });
        let contents = contents.collect();
        let calls = self.called.keys();
        let targets = calls.filter_map(|call| Some((*call, self.targets(*call)?)));
        Regions {
            values,
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
