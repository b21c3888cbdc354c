//! What a variable may hold: numbers, floating-point numbers, addresses, or anything.
//!
//! Must hold: whoever forgets which objects a value points to lets them escape first ([`Value::escape`]); [`Value::Any`] may be
//! the address of an escaped object, and of no other that the analysis keeps apart.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc as Shared;

use program::{BinOp, ICmp};

use crate::arith;
use crate::num::{Num, mask};
use crate::object::{Object, ObjectId, Objects};
use crate::real::{Format, Real};

/// Objects that one pointer is followed to.
const MOST_TARGETS: usize = 16;

/// A set of values of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Integers, addresses that belong to no object (`NULL`), and those that were put together of numbers: of objects that have escaped.
    Num(Num),
    /// Floating-point numbers.
    Real(Real),
    Pointers(Pointers),
    /// Members of a struct.
    Tuple(Shared<[Value]>),
    /// Anything, addresses of escaped objects included.
    Any,
}

/// Addresses: objects with offsets in bytes, as wide as a pointer, and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointers {
    pub nums: Option<Num>,
    pub targets: Shared<BTreeMap<ObjectId, Num>>,
}

impl Pointers {
    /// The only object and offset that is pointed to, if there is one.
    #[must_use]
    pub fn only(&self) -> Option<(ObjectId, u64)> {
        let mut targets = self.targets.iter();
        let (id, offset) = targets.next()?;
        let alone = self.nums.is_none() && targets.next().is_none();
        let offset = offset.as_constant()?;
        alone.then(|| u64::try_from(offset).ok().map(|offset| (*id, offset)))?
    }

    /// Whether it may be a number that is the address of any object that has escaped.
    #[must_use]
    pub fn may_be_elsewhere(&self) -> bool {
        self.nums.as_ref().is_some_and(may_be_address)
    }

    /// The value without what cannot be; `None` when nothing is left.
    fn value(nums: Option<Num>, targets: BTreeMap<ObjectId, Num>) -> Option<Value> {
        match (nums, targets.is_empty()) {
            (None, true) => None,
            (Some(nums), true) => Some(Value::Num(nums)),
            (nums, false) => Some(Value::Pointers(Pointers {
                nums,
                targets: Shared::new(targets),
            })),
        }
    }
}

/// No object has an address below, nor so near to the end of all addresses.
pub const NO_OBJECT: u128 = 4096;

/// Whether one of these numbers may be the address of an object.
#[must_use]
pub fn may_be_address(num: &Num) -> bool {
    let bits = num.bits();
    let all = Num::range(bits, NO_OBJECT, mask(bits).saturating_sub(NO_OBJECT));
    num.unsigned_bounds().1 >= NO_OBJECT && num.meet(&all).is_some()
}

/// An address as a number that no number of the program is.
fn code(id: ObjectId, offset: u64) -> u128 {
    1 << 127 | u128::from(id.as_u32()) << 64 | u128::from(offset)
}

impl fmt::Display for Value {
    /// A number as [`Num`] prints it, or what kind of value it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Num(num) => num.fmt(f),
            Value::Real(real) => real.fmt(f),
            Value::Pointers(pointers) => {
                let null = pointers.nums.as_ref().map_or("", |_| " or a number");
                let count = pointers.targets.len();
                write!(
                    f,
                    "an address in {count} object{}{null}",
                    if count == 1 { "" } else { "s" }
                )
            }
            Value::Tuple(_) => f.write_str("a struct"),
            Value::Any => f.write_str("anything"),
        }
    }
}

impl Value {
    /// The address of an object's byte.
    #[must_use]
    pub fn address(id: ObjectId, bits: u32, offset: i64) -> Value {
        let offset = Num::constant(bits, offset as u128);
        Value::Pointers(Pointers {
            nums: None,
            targets: Shared::new(BTreeMap::from([(id, offset)])),
        })
    }

    /// The value with `NULL` added.
    #[must_use]
    pub fn or_null(self, bits: u32) -> Value {
        match self {
            Value::Pointers(pointers) => {
                let null = Num::constant(bits, 0);
                let nums = pointers
                    .nums
                    .map_or_else(|| null.clone(), |nums| nums.join(&null));
                Value::Pointers(Pointers {
                    nums: Some(nums),
                    ..pointers
                })
            }
            other => other,
        }
    }

    /// The numbers of so many bits that it may be; addresses of objects are any number.
    #[must_use]
    pub fn num(&self, bits: u32) -> Num {
        match self {
            Value::Num(num) if num.bits() == bits => num.clone(),
            _ => Num::any(bits),
        }
    }

    /// The floating-point numbers of a format that it may be; integers are their bits.
    #[must_use]
    pub fn real(&self, format: Format) -> Real {
        self.known_real(format).unwrap_or(Real::any(format))
    }

    /// The same; `None` where nothing is known.
    #[must_use]
    pub fn known_real(&self, format: Format) -> Option<Real> {
        match self {
            Value::Real(real) if real.format() == format => Some(*real),
            Value::Num(num) if num.bits() == format.bits() => {
                let numbers = num.values()?.iter();
                let reals = numbers.map(|bits| Real::from_bits(format, *bits));
                reals.reduce(|all, real| all.join(&real))
            }
            _ => None,
        }
    }

    /// What it is where its bits are a floating-point number, of the format that has as many.
    #[must_use]
    pub fn as_float(&self) -> Value {
        let Value::Num(num) = self else {
            return self.clone();
        };
        let formats = [Format::Single, Format::Double];
        let format = formats
            .into_iter()
            .find(|format| format.bits() == num.bits());
        match format.and_then(|format| self.known_real(format)) {
            Some(real) => Value::Real(real),
            None => Value::Any,
        }
    }

    /// The only number that it may be.
    #[must_use]
    pub fn as_constant(&self) -> Option<u128> {
        match self {
            Value::Num(num) => num.as_constant(),
            _ => None,
        }
    }

    /// All numbers that it may be, as signed ones, if they are few and fit.
    #[must_use]
    pub fn numbers(&self) -> Option<Vec<i64>> {
        let Value::Num(num) = self else {
            return None;
        };
        let numbers = num.values()?.iter();
        let mut all = numbers
            .map(|value| i64::try_from(crate::num::signed(num.bits(), *value)).ok())
            .collect::<Option<Vec<i64>>>()?;
        all.sort_unstable();
        Some(all)
    }

    /// The only number or address that it may be, as one number: what tells states apart.
    #[must_use]
    pub fn code(&self) -> Option<u128> {
        match self {
            Value::Num(num) => num.as_constant(),
            Value::Pointers(pointers) => pointers.only().map(|(id, offset)| code(id, offset)),
            Value::Real(_) | Value::Tuple(_) | Value::Any => None,
        }
    }

    /// All numbers and addresses that it may be, if they are at most so many.
    #[must_use]
    pub fn codes(&self, most: usize) -> Option<Vec<u128>> {
        match self {
            Value::Num(num) => num.few(most),
            Value::Pointers(pointers) => {
                let nums = match &pointers.nums {
                    Some(nums) => nums.few(most)?,
                    None => Vec::new(),
                };
                let targets = pointers.targets.iter().map(|(id, offset)| {
                    Some(code(*id, u64::try_from(offset.as_constant()?).ok()?))
                });
                let targets: Option<Vec<u128>> = targets.collect();
                Some([nums, targets?].concat())
            }
            Value::Real(_) | Value::Tuple(_) | Value::Any => None,
        }
    }

    /// Lets the objects that it points to escape.
    pub fn escape(&self, objects: &mut Objects) {
        match self {
            Value::Pointers(pointers) => pointers.targets.keys().for_each(|id| objects.escape(*id)),
            Value::Tuple(members) => members.iter().for_each(|member| member.escape(objects)),
            Value::Num(_) | Value::Real(_) | Value::Any => {}
        }
    }

    /// Anything, after what it points to has escaped.
    #[must_use]
    pub fn forgotten(&self, objects: &mut Objects) -> Value {
        self.escape(objects);
        Value::Any
    }

    /// What one or the other may be, with numbers joined by `nums` and `reals`.
    fn combined(
        &self,
        other: &Value,
        objects: &mut Objects,
        nums: &dyn Fn(&Num, &Num) -> Num,
        reals: &dyn Fn(&Real, &Real) -> Real,
    ) -> Value {
        if self == other {
            return self.clone();
        }
        match (self, other) {
            (Value::Num(a), Value::Num(b)) if a.bits() == b.bits() => Value::Num(nums(a, b)),
            (Value::Real(real), _) | (_, Value::Real(real)) => {
                let both = [self, other].map(|value| value.known_real(real.format()));
                match both {
                    [Some(a), Some(b)] => Value::Real(reals(&a, &b)),
                    _ => self.anything(other, objects),
                }
            }
            (Value::Pointers(_) | Value::Num(_), Value::Pointers(_) | Value::Num(_)) => {
                let both = [self, other].map(|value| value.parts());
                let [(x, a), (y, b)] = both;
                let number = match (x, y) {
                    (Some(x), Some(y)) if x.bits() == y.bits() => Some(nums(&x, &y)),
                    (Some(_), Some(_)) => return self.anything(other, objects),
                    (one, None) | (None, one) => one,
                };
                let mut targets = (*a).clone();
                for (id, offset) in b.iter() {
                    let joined = match targets.get(id) {
                        Some(known) => nums(known, offset),
                        None => offset.clone(),
                    };
                    targets.insert(*id, joined);
                }
                let width = targets.values().next().map(Num::bits);
                let fits = number
                    .as_ref()
                    .is_none_or(|number| Some(number.bits()) == width);
                if targets.len() > MOST_TARGETS || !fits {
                    return self.anything(other, objects);
                }
                Pointers::value(number, targets).unwrap_or(Value::Any)
            }
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                let members = a.iter().zip(b.iter());
                Value::Tuple(
                    members
                        .map(|(a, b)| a.combined(b, objects, nums, reals))
                        .collect(),
                )
            }
            _ => self.anything(other, objects),
        }
    }

    fn anything(&self, other: &Value, objects: &mut Objects) -> Value {
        self.escape(objects);
        other.forgotten(objects)
    }

    fn parts(&self) -> (Option<Num>, Shared<BTreeMap<ObjectId, Num>>) {
        match self {
            Value::Num(num) => (Some(num.clone()), Shared::default()),
            Value::Pointers(pointers) => (pointers.nums.clone(), Shared::clone(&pointers.targets)),
            Value::Real(_) | Value::Tuple(_) | Value::Any => (None, Shared::default()),
        }
    }

    /// What one or the other may be.
    #[must_use]
    pub fn join(&self, other: &Value, objects: &mut Objects) -> Value {
        self.combined(other, objects, &Num::join, &Real::join)
    }

    /// A value that includes both and changes only so often.
    #[must_use]
    pub fn widen(&self, newer: &Value, objects: &mut Objects, thresholds: &[i128]) -> Value {
        self.combined(newer, objects, &|a, b| a.widen(b, thresholds), &|a, b| {
            a.widen(b, thresholds)
        })
    }

    /// The sum with a number of the same width; addresses move within their objects.
    #[must_use]
    pub fn plus(&self, delta: &Num) -> Value {
        let moved = |num: &Num| match num.bits() == delta.bits() {
            true => arith::bin(BinOp::Add, num, delta),
            false => None,
        };
        match self {
            Value::Num(num) => moved(num).map_or(Value::Any, Value::Num),
            Value::Pointers(pointers) => {
                let targets = pointers.targets.iter();
                let targets: Option<BTreeMap<ObjectId, Num>> = targets
                    .map(|(id, offset)| Some((*id, moved(offset)?)))
                    .collect();
                let nums = pointers.nums.as_ref().and_then(moved);
                targets
                    .and_then(|targets| Pointers::value(nums, targets))
                    .unwrap_or(Value::Any)
            }
            Value::Real(_) | Value::Tuple(_) | Value::Any => Value::Any,
        }
    }

    /// The part of it for which the comparison with another value may be true; `None` when there is none.
    #[must_use]
    pub fn refined(
        &self,
        pred: ICmp,
        other: &Value,
        bits: u32,
        facts: &Facts<'_>,
    ) -> Option<Value> {
        match (self, other) {
            (Value::Num(a), Value::Num(b)) if a.bits() == b.bits() => {
                arith::refine(pred, a, b).map(Value::Num)
            }
            (Value::Any, Value::Num(b)) if b.bits() == bits => {
                // Anything may be an address: only an inequality leaves that open.
                match pred {
                    ICmp::Eq => Some(Value::Num(b.clone())),
                    _ => arith::refine(pred, &Num::any(bits), b).map(|_| Value::Any),
                }
            }
            (Value::Pointers(own), Value::Num(b)) if b.bits() == bits => match pred {
                ICmp::Eq => {
                    let nums = own.nums.as_ref().and_then(|nums| nums.meet(b));
                    let targets = own.targets.iter();
                    let may_be =
                        |id: &ObjectId| b.as_constant() != Some(0) || facts.may_be_null(*id);
                    let targets = targets.filter(|(id, _)| may_be(id));
                    let targets = targets.map(|(id, offset)| (*id, offset.clone())).collect();
                    Pointers::value(nums, targets)
                }
                ICmp::Ne => {
                    let nums = match (own.nums.as_ref(), b.as_constant()) {
                        (Some(nums), Some(value)) => nums.without(value),
                        (nums, _) => nums.cloned(),
                    };
                    Pointers::value(nums, (*own.targets).clone())
                }
                _ => Some(self.clone()),
            },
            (Value::Num(_), Value::Pointers(_)) if pred == ICmp::Eq => {
                other.refined(pred, self, bits, facts).map(|_| self.clone())
            }
            (Value::Pointers(a), Value::Pointers(b)) => {
                facts.may_compare(pred, a, b).then(|| self.clone())
            }
            _ => Some(self.clone()),
        }
    }
}

/// What comparisons of addresses may rest on.
pub struct Facts<'a> {
    pub objects: &'a Objects,
    /// One abstract object stands for several.
    pub many: &'a dyn Fn(ObjectId) -> bool,
    /// Defined outside the program: the linker may leave it out.
    pub outside: &'a dyn Fn(Object) -> bool,
}

impl Facts<'_> {
    fn may_be_null(&self, id: ObjectId) -> bool {
        (self.outside)(self.objects.object(id))
    }

    fn may_compare(&self, pred: ICmp, a: &Pointers, b: &Pointers) -> bool {
        if a.nums.is_some() || b.nums.is_some() {
            return true;
        }
        let mut pairs = a
            .targets
            .iter()
            .flat_map(|x| b.targets.iter().map(move |y| (x, y)));
        pairs.any(|((x, from), (y, to))| {
            if (self.outside)(self.objects.object(*x)) || (self.outside)(self.objects.object(*y)) {
                return true;
            }
            if x != y {
                // The end of one object may be the beginning of another.
                let inside = self.is_inside(*x, from) && self.is_inside(*y, to);
                return pred != ICmp::Eq || !inside;
            }
            if (self.many)(*x) || !self.is_inside(*x, from) || !self.is_inside(*x, to) {
                return true;
            }
            arith::refine(pred, from, to).is_some()
        })
    }

    fn is_inside(&self, id: ObjectId, offset: &Num) -> bool {
        let (_, most) = offset.unsigned_bounds();
        let is_code = matches!(self.objects.object(id), Object::Function(_));
        is_code && most == 0
            || self
                .objects
                .size(id)
                .is_some_and(|size| most < u128::from(size))
    }
}
