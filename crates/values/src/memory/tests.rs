//! Random sequences of accesses held against bytes: whatever a run may have in memory, every read gives.
//!
//! A bench has one memory of the analysis and some samples, each of which has bytes and goes its own way where an access is not known
//! exactly. It shares no code with [`super::content`].

use std::collections::BTreeSet;

use program::{FuncId, GlobalId, Program, ValueId};

use super::{Memory, World};
use crate::num::Num;
use crate::object::{Object, ObjectId, Objects};
use crate::real::{Format, Real};
use crate::value::Value;

/// The objects: zeros, numbers with an address, a few bytes, a constant, zeros and numbers that are too many for cells, two locals, and
/// one that is made again and again.
const PROGRAM: &str = r#"
    global @zeros internal size 24 align 8 = x""
    global @bytes internal size 24 align 8 = x"0102030405060708" [8: @few]
    global @few internal size 8 align 8 = x"05000000"
    global @table internal const size 24 align 8 = x"0909090909090909"
    global @large internal size 640 align 8 = x""
    global @wide internal size 640 align 8 = x"0101010101010101"
    fn @main() -> i32 {
    block0:
      ret i32 0
    }
"#;
const SIZES: [u64; 8] = [24, 24, 8, 24, 640, 640, 24, 24];
const TABLE: usize = 3;
const LARGE: [usize; 2] = [4, 5];
const LOCAL: usize = 6;
/// It is made again and again.
const AGAIN: usize = 7;
const WIDTHS: [u64; 5] = [1, 2, 3, 4, 8];
/// Samples of one bench.
const SAMPLES: usize = 6;

/// What one run has: the bytes of each object, once for each time that it was made.
#[derive(Clone, Debug)]
struct Sample(Vec<Vec<Vec<u8>>>);

/// Addresses have so little in common that parts of one do not make another.
fn base(object: usize, instance: usize) -> u64 {
    let number = 1 + object as u64 * 64 + instance as u64;
    (number * 0x9e37_79b9_7f4a) & 0x7fff_ffff_f000
}

/// Whose address a number is, its end included.
fn owner(sample: &Sample, bits: u128) -> Option<(usize, usize)> {
    let at = u64::try_from(bits).ok()?;
    let all = sample.0.iter().enumerate();
    let mut all = all.flat_map(|(object, instances)| {
        let instances = instances.iter().enumerate();
        instances.map(move |(instance, bytes)| (object, instance, bytes.len()))
    });
    let found = all.find(|(object, instance, length)| {
        let offset = at.wrapping_sub(base(*object, *instance));
        offset <= *length as u64
    });
    found.map(|(object, instance, _)| (object, instance))
}

fn read(bytes: &[u8], offset: u64, size: u64) -> u128 {
    let (from, size) = (offset as usize, size as usize);
    let part = bytes[from..from + size].iter().rev();
    part.fold(0, |all, byte| all << 8 | u128::from(*byte))
}

fn write(bytes: &mut [u8], offset: u64, size: u64, value: u128) {
    let (from, size) = (offset as usize, size as usize);
    bytes[from..from + size].copy_from_slice(&value.to_le_bytes()[..size]);
}

/// An address as the analysis has it, and one way to choose it for a sample.
struct Place {
    address: Value,
    choices: Vec<(usize, u64)>,
}

struct Bench<'p> {
    program: &'p Program,
    objects: Objects,
    ids: Vec<ObjectId>,
    random: Box<dyn FnMut(u32) -> u32>,
    /// What was done, for the message.
    done: Vec<String>,
}

/// A memory with the samples that it must include.
type Both = (Memory, Vec<Sample>);

impl<'p> Bench<'p> {
    fn new(program: &'p Program, seed: u64) -> (Bench<'p>, Both) {
        let mut objects = Objects::default();
        let mut ids: Vec<ObjectId> = (0..6)
            .map(|at| objects.global(program, GlobalId::from_u32(at)))
            .collect();
        for (at, size) in [(0, SIZES[LOCAL]), (1, SIZES[AGAIN])] {
            let object = Object::Local(FuncId::from_u32(0), ValueId::from_u32(at));
            ids.push(objects.id(object, Some(size)));
        }
        let mut world = World {
            program,
            objects: &mut objects,
        };
        let memory = Memory::initial(&mut world);
        let mut bench = Bench {
            program,
            objects,
            ids,
            random: Box::new(crate::tests::random::numbers(seed)),
            done: Vec::new(),
        };
        let start: Vec<Vec<Vec<u8>>> = program
            .globals
            .values()
            .map(|global| {
                let init = global.init.as_ref().expect("it has one");
                let mut bytes = init.bytes.clone();
                bytes.resize(global.size as usize, 0);
                for relocation in &init.relocations {
                    write(&mut bytes, relocation.offset, 8, base(2, 0).into());
                }
                vec![bytes]
            })
            .chain([Vec::new(), Vec::new()])
            .collect();
        let samples = vec![Sample(start); SAMPLES];
        let mut both = (memory, samples);
        bench.make(&mut both, LOCAL, false);
        let zeroed = bench.chance(2);
        bench.make(&mut both, AGAIN, zeroed);
        (bench, both)
    }

    fn one_of(&mut self, count: usize) -> usize {
        (self.random)(count as u32) as usize
    }

    fn chance(&mut self, one_in: u32) -> bool {
        (self.random)(one_in) == 0
    }

    fn make(&mut self, (memory, samples): &mut Both, object: usize, zeroed: bool) {
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        memory.allocate(self.ids[object], zeroed, &mut world);
        for sample in samples {
            let junk = (0..SIZES[object]).map(|_| (self.random)(256) as u8);
            let bytes = if zeroed {
                vec![0; SIZES[object] as usize]
            } else {
                junk.collect()
            };
            sample.0[object].push(bytes);
        }
        self.done.push(format!("make {object} {zeroed}"));
    }

    /// One of several objects of a place is gone: the others are not.
    fn end(&mut self, (memory, samples): &mut Both) {
        if samples.iter().any(|sample| sample.0[AGAIN].len() < 2) {
            return;
        }
        memory.end(self.ids[AGAIN]);
        for sample in samples {
            let instance = self.one_of(sample.0[AGAIN].len());
            sample.0[AGAIN].remove(instance);
        }
        self.done.push("one ends".to_owned());
    }

    /// An offset in an object that leaves room.
    fn offset(&mut self, object: usize, size: u64) -> u64 {
        let most = SIZES[object] - size;
        match (self.random)(4) {
            0 => 0,
            1 => (self.random)(3) as u64 * 8 % (most + 1),
            2 => (self.random)(6) as u64 * 4 % (most + 1),
            _ => u64::from((self.random)(most as u32 + 1)),
        }
    }

    /// Somewhere with room for so many bytes.
    fn place(&mut self, size: u64) -> Place {
        let object = match (self.random)(12) {
            0 => TABLE,
            at => [0, 1, 2, 0, 4, 5, LOCAL, AGAIN, LOCAL, 0, 1][at as usize - 1],
        };
        let id = self.ids[object];
        let exact = self.offset(object, size);
        let mut place = match (self.random)(10) {
            0..=4 => Place {
                address: Value::address(id, 64, exact as i64),
                choices: vec![(object, exact)],
            },
            5 | 6 => {
                let all: Vec<u64> = (0..2 + self.one_of(3))
                    .map(|_| self.offset(object, size))
                    .collect();
                let offsets = Num::list(64, all.iter().map(|at| u128::from(*at)));
                Place {
                    address: Value::address(id, 64, 0).plus(&offsets),
                    choices: all.into_iter().map(|at| (object, at)).collect(),
                }
            }
            // An index that may lead out of the object.
            _ => {
                let stride = [size, size, 1, 2, 4, 8, 16, 3][self.one_of(8)];
                let start = [0, 0, 4, 8, 1][self.one_of(5)];
                let end = SIZES[object] + [0, 0, 8, 64][self.one_of(4)];
                let span = end.saturating_sub(start + self.offset(object, size) / 2);
                let offsets = Num::arc(64, start.into(), span.into(), stride.into());
                let fits = (0..=span / stride)
                    .map(|step| start + step * stride)
                    .filter(|at| at + size <= SIZES[object]);
                Place {
                    address: Value::address(id, 64, 0).plus(&offsets),
                    choices: fits.map(|at| (object, at)).collect(),
                }
            }
        };
        if self.chance(8) && size <= 8 {
            let other = [0, 1, LOCAL][self.one_of(3)];
            let offset = self.offset(other, size);
            let address = Value::address(self.ids[other], 64, offset as i64);
            place.address = place.address.join(&address, &mut self.objects);
            place.choices.push((other, offset));
        }
        if self.chance(10) {
            place.address = place.address.or_null(64);
        }
        place
    }

    /// A value of so many bytes, and what it may be.
    fn value(&mut self, size: u64) -> (Value, Vec<u128>) {
        let bits = 8 * size as u32;
        let all = u128::MAX >> (128 - bits);
        let number = |random: &mut dyn FnMut(u32) -> u32| -> u128 {
            [
                0,
                1,
                5,
                255,
                0x0101_0101_0101_0101,
                u128::MAX,
                0x1234_5678_9abc_def0,
            ][random(7) as usize]
                & all
        };
        match (self.random)(if size == 8 { 12 } else { 8 }) {
            0..=2 => {
                let one = number(&mut *self.random);
                (Value::Num(Num::constant(bits, one)), vec![one])
            }
            3 | 4 => {
                let some: Vec<u128> = (0..3).map(|_| number(&mut *self.random)).collect();
                (Value::Num(Num::list(bits, some.iter().copied())), some)
            }
            5 => {
                let start = u128::from((self.random)(40));
                let num = Num::arc(bits, start, 400 & all, 2);
                let some = [start, start + 2, start + 40].map(|value| value & all);
                let some: Vec<u128> = some
                    .into_iter()
                    .filter(|value| num.contains(*value))
                    .collect();
                (Value::Num(num), some)
            }
            6 if matches!(size, 4 | 8) => {
                let format = Format::of_bits(u64::from(bits)).expect("a format");
                let both = [0.0, 1.5, -2.0, 1e30].map(|value| Real::constant(format, value));
                let (a, b) = (both[self.one_of(4)], both[self.one_of(4)]);
                let known = [a, b].map(|real| real.bits().and_then(|num| num.as_constant()));
                (
                    Value::Real(a.join(&b)),
                    known.into_iter().flatten().collect(),
                )
            }
            6 | 7 => {
                let some: Vec<u128> = (0..3).map(|_| number(&mut *self.random)).collect();
                (Value::Any, some)
            }
            8 => {
                let (value, some) = (Value::Num(Num::constant(64, 0)), vec![0]);
                (value, some)
            }
            _ => {
                let mut value: Option<Value> = None;
                let mut some = Vec::new();
                for _ in 0..1 + self.one_of(2) {
                    let object = [0, 1, 2, LOCAL][self.one_of(4)];
                    let offset = self.offset(object, 1);
                    let address = Value::address(self.ids[object], 64, offset as i64);
                    value = Some(match value {
                        None => address,
                        Some(value) => value.join(&address, &mut self.objects),
                    });
                    some.push(u128::from(base(object, 0) + offset));
                }
                (value.expect("one at least"), some)
            }
        }
    }

    /// One of the places of a sample.
    fn chosen(&mut self, sample: &Sample, place: &Place) -> (usize, usize, u64) {
        let (object, offset) = place.choices[self.one_of(place.choices.len())];
        let instance = self.one_of(sample.0[object].len());
        (object, instance, offset)
    }

    fn act(&mut self, both: &mut Both) {
        match (self.random)(16) {
            0..=7 => self.store(both),
            8 | 9 => self.block(both),
            10 => self.forget(both),
            11 => self.narrow(both),
            12 if self.chance(3) => self.end(both),
            12 => {
                let zeroed = self.chance(2);
                if both.1[0].0[AGAIN].len() < 6 {
                    self.make(both, AGAIN, zeroed);
                }
            }
            13 => self.load(both),
            14 if self.chance(4) => self.others(both),
            _ => self.fork(both),
        }
    }

    fn store(&mut self, both: &mut Both) {
        let size = WIDTHS[self.one_of(5)];
        let place = self.place(size);
        if place.choices.is_empty() {
            return;
        }
        let (value, some) = self.value(size);
        self.done
            .push(format!("write {:?} {size} {value:?}", place.address));
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        both.0.write(&place.address, size, &value, &mut world);
        for at in 0..both.1.len() {
            let (object, instance, offset) = self.chosen(&both.1[at].clone(), &place);
            let number = some[self.one_of(some.len())];
            // A write to a constant ends the run: this one writes elsewhere, if it can.
            if object != TABLE {
                write(&mut both.1[at].0[object][instance], offset, size, number);
            } else if let Some(&(object, offset)) =
                place.choices.iter().find(|(object, _)| *object != TABLE)
            {
                write(&mut both.1[at].0[object][instance], offset, size, number);
            } else {
                // Nothing goes on from there but what has not written.
                self.done.push(format!("sample {at} stays"));
            }
        }
    }

    /// What is read is written elsewhere.
    fn load(&mut self, both: &mut Both) {
        let size = WIDTHS[self.one_of(5)];
        let (from, to) = (self.place(size), self.place(size));
        let to_table = to.choices.iter().any(|(object, _)| *object == TABLE);
        if from.choices.is_empty() || to.choices.is_empty() || to_table {
            return;
        }
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let value = both.0.read(&from.address, size, &mut world);
        both.0.write(&to.address, size, &value, &mut world);
        self.done
            .push(format!("{:?} to {:?} {size}", from.address, to.address));
        for at in 0..both.1.len() {
            let sample = both.1[at].clone();
            let (object, instance, offset) = self.chosen(&sample, &from);
            let number = read(&sample.0[object][instance], offset, size);
            assert!(
                self.holds(&sample, &value, number) || is_cut(&value, number, size),
                "{number:x} is read, not {value:?}, after\n{}",
                self.done.join("\n")
            );
            let (object, instance, offset) = self.chosen(&sample, &to);
            write(&mut both.1[at].0[object][instance], offset, size, number);
        }
    }

    fn block(&mut self, both: &mut Both) {
        let size = [24, 24, 8, 16, 4, 3, 12, 1, 20][self.one_of(9)].min(24);
        let size = if self.chance(6) { 8 } else { size };
        let whole = size == 24 && self.chance(2);
        let (to, from) = (self.block_place(size, whole), self.block_place(size, whole));
        let known = !self.chance(6);
        let told = known.then_some(size);
        if to.choices.iter().any(|(object, _)| *object == TABLE) {
            return;
        }
        let fills = self.chance(3);
        let byte = [0, 0, 7][self.one_of(3)];
        self.done.push(format!(
            "{} {:?} {:?} {told:?} of {size}",
            if fills {
                format!("fill {byte}")
            } else {
                "copy".to_owned()
            },
            to.address,
            from.address
        ));
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let value = Value::Num(Num::constant(8, u128::from(byte)));
        match fills {
            true => both.0.fill(&to.address, &value, told, &mut world),
            false => both.0.copy(&to.address, &from.address, told, &mut world),
        }
        for at in 0..both.1.len() {
            let sample = both.1[at].clone();
            let (object, instance, offset) = self.chosen(&sample, &from);
            let start = offset as usize;
            let bytes = match fills {
                true => vec![byte; size as usize],
                false => sample.0[object][instance][start..start + size as usize].to_vec(),
            };
            let (object, instance, offset) = self.chosen(&sample, &to);
            let start = offset as usize;
            both.1[at].0[object][instance][start..start + size as usize].copy_from_slice(&bytes);
        }
    }

    fn block_place(&mut self, size: u64, whole: bool) -> Place {
        if !whole && self.chance(2) && size <= 8 {
            let place = self.place(size);
            if !place.choices.is_empty() {
                return place;
            }
        }
        let object = [0, 1, LOCAL, AGAIN, 0, 1, TABLE][self.one_of(7)];
        let offset = if whole { 0 } else { self.offset(object, size) };
        Place {
            address: Value::address(self.ids[object], 64, offset as i64),
            choices: vec![(object, offset)],
        }
    }

    fn forget(&mut self, both: &mut Both) {
        let size = WIDTHS[self.one_of(5)];
        let place = self.place(size);
        let told = (!self.chance(3)).then_some(size);
        if place.choices.is_empty() || place.choices.iter().any(|(object, _)| *object == TABLE) {
            return;
        }
        self.done
            .push(format!("forget {:?} {told:?}", place.address));
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        both.0.forget(&place.address, told, &mut world);
        for at in 0..both.1.len() {
            let (object, instance, offset) = self.chosen(&both.1[at].clone(), &place);
            let number = u128::from((self.random)(1 << 30)) << (self.random)(30);
            write(&mut both.1[at].0[object][instance], offset, size, number);
        }
    }

    /// A comparison has shown that a cell is one of the numbers that it is.
    fn narrow(&mut self, both: &mut Both) {
        let size = WIDTHS[self.one_of(5)];
        let object = [0, 1, LOCAL, AGAIN][self.one_of(4)];
        let offset = self.offset(object, size);
        let held: BTreeSet<u128> = both
            .1
            .iter()
            .flat_map(|sample| {
                sample.0[object]
                    .iter()
                    .map(|bytes| read(bytes, offset, size))
            })
            .collect();
        let is_address = |held: &u128| both.1.iter().any(|sample| owner(sample, *held).is_some());
        if size == 8 && held.iter().any(is_address) {
            return;
        }
        let value = Value::Num(Num::list(8 * size as u32, held));
        self.done.push(format!("{object}+{offset} is {value:?}"));
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        // It was read before: parts of an address let its object escape.
        let address = Value::address(self.ids[object], 64, offset as i64);
        let _ = both.0.read(&address, size, &mut world);
        both.0
            .narrow(self.ids[object], offset, size, &value, &world);
    }

    /// Code that is not followed gets an address, and writes to all that it can reach.
    fn others(&mut self, both: &mut Both) {
        let object = [0, 1, LOCAL][self.one_of(3)];
        self.done.push(format!("others get {object}"));
        Value::address(self.ids[object], 64, 0).escape(&mut self.objects);
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        both.0.havoc(&mut world);
        let reached = [object];
        for sample in 0..both.1.len() {
            for object in reached {
                let offset = self.offset(object, 8);
                let number = match (self.random)(3) {
                    0 => u128::from(base(reached[0], 0)),
                    _ => u128::from((self.random)(1 << 30)),
                };
                for bytes in &mut both.1[sample].0[object] {
                    // A single byte or a whole number.
                    write(bytes, offset, if number % 2 == 0 { 8 } else { 1 }, number);
                }
            }
        }
    }

    /// Two ways that meet.
    fn fork(&mut self, both: &mut Both) {
        if both.1.len() < 2 {
            return;
        }
        let other = both.1.split_off(both.1.len() / 2);
        let mut second: Both = (both.0.clone(), other);
        let (made, again) = (both.1[0].0[AGAIN].len(), self.one_of(3));
        self.done.push("one way:".to_owned());
        for _ in 0..again {
            self.act(both);
        }
        self.done.push("other way:".to_owned());
        for _ in 0..=self.one_of(2) {
            self.act(&mut second);
        }
        self.done.push("both:".to_owned());
        let _ = made;
        let thresholds = [-1, 0, 1, 5, 255];
        let widens = self.chance(4);
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let mut join = |a: &Value, b: &Value, objects: &mut Objects| match widens {
            true => a.widen(b, objects, &thresholds),
            false => a.join(b, objects),
        };
        if let Some(merged) = both.0.merged(&second.0, &mut world, &mut join) {
            both.0 = merged;
        }
        both.1.append(&mut second.1);
    }

    /// Whether a value is this number on a run.
    fn holds(&self, sample: &Sample, value: &Value, bits: u128) -> bool {
        let of = |id: ObjectId| self.ids.iter().position(|own| *own == id);
        let is_no_secret =
            owner(sample, bits).is_none_or(|(object, _)| self.objects.is_escaped(self.ids[object]));
        match value {
            Value::Num(num) => num.contains(bits) && (num.bits() < 64 || is_no_secret),
            Value::Real(real) => {
                let known = Real::from_bits(real.format(), bits);
                real.join(&known) == *real
            }
            Value::Pointers(pointers) => {
                let mut targets = pointers.targets.iter();
                let is_number = pointers
                    .nums
                    .as_ref()
                    .is_some_and(|nums| nums.contains(bits));
                is_number && is_no_secret
                    || targets.any(|(id, offsets)| {
                        let object = of(*id).expect("it is one of them");
                        (0..sample.0[object].len()).any(|instance| {
                            let at = (bits as u64).wrapping_sub(base(object, instance));
                            offsets.contains(at.into())
                        })
                    })
            }
            Value::Tuple(_) => false,
            Value::Any => is_no_secret,
        }
    }

    /// Every read of every object, by one place and by several.
    fn check(&mut self, (memory, samples): &Both, seed: u64) {
        for (object, whole) in SIZES.into_iter().enumerate() {
            let id = self.ids[object];
            self.check_shape((memory, samples), object, seed);
            for size in WIDTHS {
                let last = whole - size;
                let some = u64::from((self.random)(last as u32 + 1));
                let near = if LARGE.contains(&object) {
                    33
                } else {
                    last + 1
                };
                for offset in (0..near.min(last + 1)).chain([some]) {
                    let address = Value::address(id, 64, offset as i64);
                    self.check_read((memory, samples), object, &address, size, &[offset], seed);
                    self.check_safe((memory, samples), object, &address, size, true, seed);
                }
                for stride in [size, 1, 2 * size] {
                    let start = [0, 0, 1, 4][self.one_of(4)];
                    let span = [last, last + 8, 16, 640][self.one_of(4)];
                    let offsets = Num::arc(64, start.into(), span.into(), stride.into());
                    let address = Value::address(id, 64, 0).plus(&offsets);
                    let fits: Vec<u64> = (0..=span / stride)
                        .map(|step| start + step * stride)
                        .filter(|at| at + size <= whole)
                        .collect();
                    let stays = fits.len() as u64 == span / stride + 1;
                    self.check_safe((memory, samples), object, &address, size, stays, seed);
                    if !fits.is_empty() {
                        self.check_read((memory, samples), object, &address, size, &fits, seed);
                    }
                }
            }
        }
    }

    /// What was made is there, and no byte of it is in two cells.
    fn check_shape(&self, (memory, samples): (&Memory, &[Sample]), object: usize, seed: u64) {
        let id = self.ids[object];
        let lives = samples.iter().any(|sample| !sample.0[object].is_empty());
        assert!(
            !lives || object == TABLE || memory.is_made(id),
            "seed {seed}: {object} was made, after\n{}",
            self.done.join("\n")
        );
        let mut end = 0;
        if let Some(content) = memory.0.get(u64::from(id.as_u32())) {
            content.cells.for_each(|at, cell| {
                assert!(
                    at >= end,
                    "seed {seed}: {object} has two cells at {at}, after\n{}",
                    self.done.join("\n")
                );
                end = at + cell.size;
            });
        }
    }

    /// An access that is called safe is of the only object of its place, and `stays` in it.
    fn check_safe(
        &mut self,
        (memory, samples): (&Memory, &[Sample]),
        object: usize,
        address: &Value,
        size: u64,
        stays: bool,
        seed: u64,
    ) {
        let world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let alone = samples.iter().all(|sample| sample.0[object].len() == 1);
        for writes in [false, true] {
            let may = stays && alone && !(writes && object == TABLE);
            assert!(
                may || !memory.is_safe(address, size, writes, &world),
                "seed {seed}: {address:?} is not safe, after\n{}",
                self.done.join("\n")
            );
        }
    }

    fn check_read(
        &mut self,
        (memory, samples): (&Memory, &[Sample]),
        object: usize,
        address: &Value,
        size: u64,
        offsets: &[u64],
        seed: u64,
    ) {
        // Reading may let objects escape; what has then, has for good.
        let mut world = World {
            program: self.program,
            objects: &mut self.objects,
        };
        let value = memory.read(address, size, &mut world);
        for sample in samples {
            let many = sample.0[object].len() > 1;
            assert!(
                !many || memory.is_many(self.ids[object]),
                "seed {seed}: {object} is more than one, after\n{}",
                self.done.join("\n")
            );
            for bytes in &sample.0[object] {
                for &offset in offsets {
                    let held = read(bytes, offset, size);
                    assert!(
                        self.holds(sample, &value, held) || is_cut(&value, held, size),
                        "seed {seed}: {object} has {held:x} at {offset} in {size}, not {value:?} ({address:?}), after\n{}",
                        self.done.join("\n")
                    );
                }
            }
        }
    }
}

/// A number that fills only part of what was read.
fn is_cut(value: &Value, held: u128, size: u64) -> bool {
    matches!(value, Value::Num(num) if u64::from(num.bits()) > 8 * size && num.contains(held))
}

#[test]
fn every_read_gives_what_some_run_has_there() {
    let program = program();
    for seed in crate::tests::seeds(1499) {
        let (mut bench, mut both) = Bench::new(&program, seed);
        for _ in 0..12 {
            bench.act(&mut both);
        }
        bench.check(&both, seed);
    }
}

fn program() -> Program {
    // Numbers stand at the end of the wide one, too.
    let long = format!(
        "@wide internal size 640 align 8 = x\"{}{}070809\"",
        "01".repeat(8),
        "00".repeat(620)
    );
    let text = PROGRAM.replace(
        "@wide internal size 640 align 8 = x\"0101010101010101\"",
        &long,
    );
    program::text::sample(&text)
}

impl Bench<'_> {
    /// The addresses from a first one on, so far apart, in an object.
    fn among(&self, object: usize, start: u64, span: u64, stride: u64) -> Value {
        let offsets = Num::arc(64, start.into(), span.into(), stride.into());
        Value::address(self.ids[object], 64, 0).plus(&offsets)
    }
}

/// A read at any byte of an array of four-byte numbers may have parts of two of them.
#[test]
fn a_read_of_parts_of_two_elements_gives_neither() {
    let program = program();
    for many in [150, 100_000] {
        let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
        // One by one, and somewhere among them.
        let place = bench.among(5, 4, (4 * many).min(620), 4);
        let anywhere = bench.among(5, 0, 630, 1);
        let mut world = World {
            program: &program,
            objects: &mut bench.objects,
        };
        let value = Value::Num(Num::list(32, [1, 255]));
        memory.write(&place, 4, &value, &mut world);
        assert_eq!(memory.read(&anywhere, 4, &mut world), Value::Any);
    }
}

/// And so may a write.
#[test]
fn a_write_of_parts_of_two_elements_changes_both() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let (elements, anywhere) = (bench.among(4, 8, 630, 3), bench.among(4, 8, 624, 1));
    let place = Value::address(bench.ids[4], 64, 24);
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.write(&elements, 3, &Value::Num(Num::constant(24, 5)), &mut world);
    memory.write(
        &anywhere,
        3,
        &Value::Num(Num::constant(24, 0x01_0101)),
        &mut world,
    );
    let read = memory.read(&place, 2, &mut world);
    assert!(read.num(16).contains(0x0100), "{read:?}");
}

/// Where one way knows nothing of an object, the addresses that it holds at the start on the other way are kept by nobody.
#[test]
fn addresses_at_the_start_escape_where_ways_meet() {
    let program = program();
    let (mut bench, (memory, _)) = Bench::new(&program, 1);
    let [to, from] = [1, LOCAL].map(|object| Value::address(bench.ids[object], 64, 0));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    let mut copied = memory.clone();
    copied.copy(&to, &from, Some(24), &mut world);
    let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
    let _ = copied.merged(&memory, &mut world, &mut join);
    assert!(bench.objects.is_escaped(bench.ids[2]));
}

/// What was written somewhere in slots of one size, and then in others, is read as parts of either.
#[test]
fn slots_of_other_sizes_and_phases_are_not_those_that_were_written() {
    let program = program();
    let number = |size: u64, value: u128| Value::Num(Num::constant(8 * size as u32, value));
    // Start, span, stride, size and value of a second write; what two bytes at 24 may be then.
    for ((start, span, stride, size, value), held) in [
        ((0, 638, 1, 2, 0x0101), 0x0001),
        ((0, 638, 1, 2, 0x0101), 0x0100),
        ((0, 639, 1, 1, 7), 0x0700),
        ((1, 637, 2, 2, 0x0908), 0x0009),
        ((0, 638, 2, 2, 9), 9),
    ] {
        for meets in [false, true] {
            let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
            let first = bench.among(4, 0, 638, 2);
            let second = bench.among(4, start, span, stride);
            let place = Value::address(bench.ids[4], 64, 24);
            let range = bench.among(4, 0, 638, 2);
            let mut world = World {
                program: &program,
                objects: &mut bench.objects,
            };
            let before = memory.clone();
            memory.write(&first, 2, &number(2, 5), &mut world);
            if meets {
                // The same on two ways that meet.
                let mut other = before;
                other.write(&second, size, &number(size, value), &mut world);
                let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
                memory = memory
                    .merged(&other, &mut world, &mut join)
                    .expect("it is more");
            } else {
                memory.write(&second, size, &number(size, value), &mut world);
            }
            for address in [&place, &range] {
                let read = memory.read(address, 2, &mut world);
                assert!(read.num(16).contains(held), "{held:x} {meets}: {read:?}");
            }
            assert!(memory.read(&place, 2, &mut world).num(16).contains(5));
        }
    }
}

/// Reads of many places that are not the slots that were written give anything.
#[test]
fn reads_beside_the_slots_give_anything() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let slots = bench.among(4, 0, 638, 2);
    let beside = [
        (bench.among(4, 1, 636, 2), 2),
        (bench.among(4, 0, 638, 1), 2),
        (bench.among(4, 0, 639, 1), 1),
    ];
    let (wide, words) = (bench.among(5, 0, 639, 1), bench.among(5, 0, 638, 2));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.write(&slots, 2, &Value::Num(Num::constant(16, 5)), &mut world);
    for (address, size) in beside {
        let read = memory.read(&address, size, &mut world);
        assert_eq!(read, Value::Any, "{address:?}");
    }
    // All that stands at the start is read, from the first byte to the last.
    let read = memory.read(&wide, 1, &mut world);
    let read_words = memory.read(&words, 2, &mut world);
    assert!(read_words.num(16).contains(0x0807), "{read_words:?}");
    assert!(
        [0, 1, 7, 8, 9]
            .iter()
            .all(|held| read.num(8).contains(*held)),
        "{read:?}"
    );
}

/// A block that is copied leaves what is behind it in a larger object.
#[test]
fn a_small_object_that_is_copied_leaves_the_rest_of_a_large_one() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let at = |object: usize, offset| Value::address(bench.ids[object], 64, offset);
    let (small, large, behind) = (at(1, 0), at(4, 0), at(4, 32));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.write(&behind, 4, &Value::Num(Num::constant(32, 7)), &mut world);
    memory.copy(&large, &small, Some(24), &mut world);
    assert!(memory.read(&behind, 4, &mut world).num(32).contains(7));
    assert!(
        memory
            .read(&large, 4, &mut world)
            .num(32)
            .contains(0x0403_0201)
    );
}

/// A cell that is narrowed in another one is written later: the whole is another number then.
#[test]
fn a_part_that_was_narrowed_and_written_changes_the_whole() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let [whole, part] = [0, 4].map(|at| Value::address(bench.ids[0], 64, at));
    let id = bench.ids[0];
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.write(
        &whole,
        8,
        &Value::Num(Num::list(64, [1, 1 << 32, 2 << 32])),
        &mut world,
    );
    let before = memory.clone();
    memory.narrow(id, 4, 4, &Value::Num(Num::list(32, [0, 1])), &world);
    memory.write(&part, 4, &Value::Num(Num::constant(32, 9)), &mut world);
    let read = memory.read(&whole, 8, &mut world);
    assert!(read.num(64).contains(9 << 32 | 1), "{read:?}");
    memory = before;
    memory.narrow(id, 0, 4, &Value::Num(Num::list(32, [0, 1])), &world);
    let first = Value::address(id, 64, 0);
    memory.write(&first, 4, &Value::Num(Num::constant(32, 9)), &mut world);
    let read = memory.read(&whole, 8, &mut world);
    assert!(read.num(64).contains(2 << 32 | 9), "{read:?}");
}

/// Where ways meet that have cut an object in other ways, each byte is what either has.
#[test]
fn cells_that_overlap_meet_byte_by_byte() {
    let program = program();
    let (mut bench, (memory, _)) = Bench::new(&program, 1);
    // Not at the beginning of the object.
    let at = |offset: i64| Value::address(bench.ids[0], 64, 8 + offset);
    let (whole, part, bytes) = (at(0), at(2), [0, 1, 4, 5, 7].map(at));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    let (mut a, mut b) = (memory.clone(), memory);
    a.write(&part, 2, &Value::Num(Num::constant(16, 0x7777)), &mut world);
    let number = 0x0807_0605_0403_0201;
    b.write(
        &whole,
        8,
        &Value::Num(Num::constant(64, number)),
        &mut world,
    );
    let mut join = |a: &Value, b: &Value, objects: &mut Objects| a.join(b, objects);
    for (one, two) in [(&a, &b), (&b, &a)] {
        let met = one.merged(two, &mut world, &mut join).expect("they differ");
        for (address, byte) in bytes.iter().zip([1, 2, 5, 6, 8]) {
            let read = met.read(address, 1, &mut world);
            assert!(
                read.num(8).contains(byte) && read.num(8).contains(0),
                "{byte}: {read:?}"
            );
        }
        let read = met.read(&whole, 8, &mut world);
        assert!(read.num(64).contains(number) && read.num(64).contains(0x7777_0000));
    }
}

/// What a comparison has shown of a cell is read from it, and of nothing that is not one cell.
#[test]
fn a_cell_is_narrowed_where_it_is_one() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let id = bench.ids[0];
    let address = |offset| Value::address(id, 64, offset);
    let number = |values: &[u128]| Value::Num(Num::list(32, values.iter().copied()));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.write(&address(4), 4, &number(&[1, 2, 3]), &mut world);
    memory.narrow(id, 4, 4, &number(&[2]), &world);
    assert_eq!(memory.read(&address(4), 4, &mut world), number(&[2]));
    // Nothing was written there yet.
    memory.narrow(id, 12, 4, &number(&[0]), &world);
    assert_eq!(memory.read(&address(12), 4, &mut world), number(&[0]));
    // Another cell stands in the middle, or reaches in from either side.
    for other in [0i64, 1, 2, 3] {
        let mut memory = memory.clone();
        let half = Value::Num(Num::list(16, [1, 2]));
        memory.write(&address(other), 2, &half, &mut world);
        for offset in [0u64, 1, 2, 3] {
            for size in [1u64, 2, 4] {
                let mut memory = memory.clone();
                let is_cell = offset == other as u64 && size == 2;
                let touches = offset < other as u64 + 2 && (other as u64) < offset + size;
                let seven = Value::Num(Num::constant(8 * size as u32, 7));
                memory.narrow(id, offset, size, &seven, &world);
                let read = memory.read(&address(offset as i64), size, &mut world);
                assert!(
                    is_cell || !touches || read != seven,
                    "{other} {offset} {size}"
                );
            }
        }
    }
}

/// Of many objects of one place one is gone: what the others hold is there, and an access may be of the one that is gone.
#[test]
fn one_of_several_objects_ends() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let id = bench.ids[AGAIN];
    let all = bench.among(AGAIN, 0, 16, 8);
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    assert!(memory.is_safe(&all, 8, true, &world));
    memory.allocate(id, false, &mut world);
    assert!(memory.is_many(id) && !memory.is_safe(&all, 8, false, &world));
    memory.end(id);
    assert!(memory.is_made(id) && memory.is_many(id));
    let local = bench.ids[LOCAL];
    memory.end(local);
    assert!(!memory.is_made(local));
}

/// A cell that is longer than what is copied is copied in part.
#[test]
fn the_part_of_a_cell_that_is_copied_leaves_what_is_behind_it() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let at = |object: usize, offset| Value::address(bench.ids[object], 64, offset);
    for (from, to, behind) in [
        (at(0, 0), at(4, 8), at(4, 12)),
        (at(0, 4), at(4, 8), at(4, 12)),
    ] {
        let [whole, word] = [(8, 0x0807_0605_0403_0201), (4, 9)]
            .map(|(size, value)| (size, Value::Num(Num::constant(8 * size as u32, value))));
        let mut world = World {
            program: &program,
            objects: &mut bench.objects,
        };
        memory.write(&at(0, 0), whole.0, &whole.1, &mut world);
        memory.write(&behind, word.0, &word.1, &mut world);
        memory.copy(&to, &from, Some(4), &mut world);
        assert!(memory.read(&behind, 4, &mut world).num(32).contains(9));
        let part = if from == at(0, 0) {
            0x0403_0201
        } else {
            0x0807_0605
        };
        assert!(memory.read(&to, 4, &mut world).num(32).contains(part));
    }
}

/// A number that is not as wide as an address makes anything of both, and what the address points to escapes.
#[test]
fn a_number_of_another_width_makes_an_address_anything() {
    let program = program();
    for swaps in [false, true] {
        let (mut bench, _) = Bench::new(&program, 1);
        let id = bench.ids[LOCAL];
        let (address, number) = (Value::address(id, 64, 0), Value::Num(Num::constant(32, 5)));
        let joined = match swaps {
            true => number.join(&address, &mut bench.objects),
            false => address.join(&number, &mut bench.objects),
        };
        assert_eq!(joined, Value::Any);
        assert!(bench.objects.is_escaped(id));
        // One that is as wide keeps both apart.
        let (mut bench, _) = Bench::new(&program, 1);
        let null = Value::Num(Num::constant(64, 0));
        let joined = address.join(&null, &mut bench.objects);
        assert_eq!(joined, address.or_null(64));
    }
}

/// What is forgotten of one of several objects is there in another: an address that it held may be read.
#[test]
fn what_is_forgotten_of_one_object_is_kept_by_another() {
    let program = program();
    let (mut bench, (mut memory, _)) = Bench::new(&program, 1);
    let (id, local) = (bench.ids[AGAIN], bench.ids[LOCAL]);
    let (place, address) = (Value::address(id, 64, 0), Value::address(local, 64, 0));
    let mut world = World {
        program: &program,
        objects: &mut bench.objects,
    };
    memory.end(id);
    memory.allocate(id, true, &mut world);
    memory.allocate(id, true, &mut world);
    assert!(memory.is_many(id));
    memory.write(&place, 8, &address, &mut world);
    assert!(!world.objects.is_escaped(local));
    memory.forget(&place, Some(8), &mut world);
    let read = memory.read(&place, 8, &mut world);
    let keeps = matches!(&read, Value::Pointers(pointers) if pointers.targets.contains_key(&local));
    assert!(keeps || world.objects.is_escaped(local), "{read:?}");
}
