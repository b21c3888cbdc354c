//! One instruction: what it does to a state. Calls are the engine's.

mod floats;

pub use floats::sized;

use program::{
    BinOp, CastOp, FuncId, Function, ICmp, Intrinsic, MemOp, Op, Operand, Type, ValueId,
};

use crate::arith;
use crate::memory::{Memory, World};
use crate::num::{Num, mask};
use crate::object::{Object, ObjectId};
use crate::real::Format;
use crate::relations::Place;
use crate::state::{State, anything, format, width};
use crate::value::{Facts, NO_OBJECT, Pointers, Value};

/// A place in memory that was read into a variable and not written since.
#[derive(Clone, Debug)]
pub struct Read {
    pub value: ValueId,
    pub object: ObjectId,
    pub offset: u64,
    pub size: u64,
}

/// Where a store of a known place went, and what was stored.
#[derive(Clone, Debug)]
pub struct Stored {
    pub object: ObjectId,
    pub offset: u64,
    pub size: u64,
    pub value: Value,
}

/// Does one instruction; phis and calls are dealt with elsewhere.
pub struct Step<'s, 'w, 'a> {
    pub id: FuncId,
    pub function: &'a Function,
    pub state: &'s mut State,
    pub world: &'s mut World<'w>,
    /// Places that were read in this block.
    pub reads: &'s mut Vec<Read>,
    pub stored: &'s mut Vec<Stored>,
    /// The instruction may trap: it divides by what may be 0, or its address may be of no object.
    pub risky: &'s mut bool,
    /// Floating-point arithmetic is followed.
    pub floats: bool,
}

impl<'a> Step<'_, '_, 'a> {
    pub(super) fn operand(&mut self, operand: &Operand) -> Value {
        self.state.value(self.function, operand, self.world)
    }

    fn num(&mut self, operand: &Operand) -> Option<Num> {
        let bits = width(self.world.program, &self.function.operand_type(operand))?;
        Some(self.operand(operand).num(bits))
    }

    /// Does an instruction; `false` when the program does not get past it.
    pub fn run(&mut self, value: ValueId, op: &'a Op) -> bool {
        let ty = &self.function.values[value].ty;
        let result = match op {
            Op::Load {
                address, volatile, ..
            } => self.load(value, address, ty, *volatile),
            Op::Store { address, value, .. } => {
                let before = (self.state.memory.clone(), self.stored.len());
                self.store(address, value);
                self.relate_stored(&before, value);
                return true;
            }
            Op::Mem { op, args, .. } => {
                self.block(*op, args);
                return true;
            }
            Op::Count { .. } => return true,
            Op::Alloca { size, count, .. } => self.local(value, *size, count),
            Op::Opaque { args, .. } => {
                self.unknown(args);
                anything(self.world.program, ty)
            }
            Op::Intrinsic {
                op: Intrinsic::Trap,
                ..
            } => return false,
            op => match self.computed(op, ty) {
                Some(result) => result,
                None => return false,
            },
        };
        if *ty != Type::Void {
            self.state.set(value, result);
        }
        if matches!(op, Op::Load { .. }) {
            self.relate_loaded(value);
        }
        true
    }

    /// A variable is what is in the cell that it was read from.
    fn relate_loaded(&mut self, value: ValueId) {
        let read = self.reads.last().filter(|read| read.value == value);
        let Some(read) = read else { return };
        let place = (read.object, read.offset, read.size);
        if self.is_cell(place) && self.is_as_wide(&Operand::Value(value), read.size) {
            self.state.relations.loaded(place, value);
        }
    }

    /// A cell is what was written to it; others are what they were if their object is.
    fn relate_stored(&mut self, (before, already): &(Memory, usize), stored: &Operand) {
        let known = self.stored.get(*already);
        let place = known.map(|known| (known.object, known.offset, known.size));
        let exact = place.filter(|place| self.is_cell(*place));
        let (relations, memory) = (&mut self.state.relations, &self.state.memory);
        relations.keep_cells(|&(object, offset, size)| match exact {
            Some((own, from, bytes)) if own == object => {
                from.saturating_add(bytes) <= offset || offset.saturating_add(size) <= from
            }
            _ => before.has_same(memory, object),
        });
        if let (Some(place), Some(value)) = (exact, stored.value())
            && self.is_as_wide(stored, place.2)
        {
            self.state.relations.stored(place, value);
        }
    }

    /// Whether one object is meant, which nobody else writes to.
    fn is_cell(&self, (object, ..): Place) -> bool {
        let objects = &self.world.objects;
        !objects.is_flat() && !objects.is_escaped(object) && !self.state.memory.is_many(object)
    }

    fn is_as_wide(&self, operand: &Operand, size: u64) -> bool {
        let ty = self.function.operand_type(operand);
        let bits = width(self.world.program, &ty);
        bits.is_some_and(|bits| u64::from(bits) == 8 * size)
    }

    /// The value of an instruction without effects; `None` when it traps.
    fn computed(&mut self, op: &'a Op, ty: &Type) -> Option<Value> {
        Some(match op {
            Op::Bin { op, lhs, rhs } => return self.binary(*op, lhs, rhs, ty),
            Op::ICmp { pred, lhs, rhs } => self.comparison(*pred, lhs, rhs),
            Op::FCmp { pred, lhs, rhs } => self.float_comparison(*pred, lhs, rhs),
            Op::FBin { op, lhs, rhs } if format(ty).is_some() => {
                self.float_binary(*op, lhs, rhs, ty)
            }
            Op::FNeg { value } if format(ty).is_some() => self.float_negated(value, ty),
            Op::Cast { op, value } => self.cast(*op, value, ty),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => self.select(cond, then_value, else_value),
            Op::Freeze { value } => self.operand(value),
            Op::Gep {
                base,
                indices,
                offset,
            } => self.moved(base, indices, *offset),
            Op::Intrinsic { op, args } => self.intrinsic(*op, args, ty),
            Op::ExtractValue { aggregate, path } => self.member(aggregate, path, ty),
            Op::InsertValue {
                aggregate,
                value,
                path,
            } => self.inserted(aggregate, value, path, ty),
            op => {
                op.for_each_operand(|operand| {
                    let value = self.state.value(self.function, operand, self.world);
                    value.escape(self.world.objects);
                });
                anything(self.world.program, ty)
            }
        })
    }

    fn binary(&mut self, op: BinOp, lhs: &Operand, rhs: &Operand, ty: &Type) -> Option<Value> {
        if let Some(size) = self.size_bits(op, lhs, rhs) {
            return Some(Value::Num(size));
        }
        let (a, b) = (self.operand(lhs), self.operand(rhs));
        *self.risky |= divides(op) && !is_sound_divisor(op, &b);
        let Some(bits) = width(self.world.program, ty) else {
            a.escape(self.world.objects);
            b.escape(self.world.objects);
            return Some(Value::Any);
        };
        Some(match (&a, &b) {
            (Value::Num(x), Value::Num(y)) => Value::Num(arith::bin(op, x, y)?),
            (Value::Pointers(_), Value::Num(y)) if op == BinOp::Add => self.shifted(&a, y),
            (Value::Num(x), Value::Pointers(_)) if op == BinOp::Add => self.shifted(&b, x),
            (Value::Pointers(_), Value::Num(y)) if op == BinOp::Sub => {
                arith::bin(BinOp::Sub, &Num::constant(bits, 0), y)
                    .map_or(Value::Any, |delta| self.shifted(&a, &delta))
            }
            (Value::Pointers(x), Value::Pointers(y)) if op == BinOp::Sub => {
                self.distance((&a, x), (&b, y), bits)
            }
            _ => {
                // What an address may become by arithmetic is not followed.
                let has_address = [&a, &b].iter().any(|value| !matches!(value, Value::Num(_)));
                let computed = arith::bin(op, &a.num(bits), &b.num(bits))?;
                a.escape(self.world.objects);
                b.escape(self.world.objects);
                let is_small = computed.unsigned_bounds().1 < NO_OBJECT;
                match has_address && bits == self.world.pointer_bits() && !is_small {
                    true => Value::Any,
                    false => Value::Num(computed),
                }
            }
        })
    }

    /// The difference of two addresses. Of two places in one object it is a number. Of others it is the distance of two objects, or an
    /// address where one of them is a number: C gives no meaning to it as a difference of pointers, but it has one as a difference
    /// of numbers.
    fn distance(
        &mut self,
        (a, x): (&Value, &Pointers),
        (b, y): (&Value, &Pointers),
        bits: u32,
    ) -> Value {
        if let (Some((i, from)), Some((j, to))) = (x.only(), y.only())
            && i == j
            && !self.state.memory.is_many(i)
        {
            let distance = u128::from(from).wrapping_sub(u128::from(to));
            return Value::Num(Num::constant(bits, distance & mask(bits)));
        }
        let mut objects = x.targets.keys().chain(y.targets.keys());
        let first = objects.next();
        let is_one = objects.all(|id| Some(id) == first);
        if is_one && x.nums.is_none() && y.nums.is_none() {
            return Value::Num(Num::any(bits));
        }
        if !is_one {
            self.world.objects.measure();
        }
        a.escape(self.world.objects);
        b.escape(self.world.objects);
        match bits == self.world.pointer_bits() {
            true => Value::Any,
            false => Value::Num(Num::any(bits)),
        }
    }

    fn comparison(&mut self, pred: ICmp, lhs: &Operand, rhs: &Operand) -> Value {
        let ty = self.function.operand_type(lhs);
        let Some(bits) = width(self.world.program, &ty) else {
            return Value::Any;
        };
        let (a, b) = (self.operand(lhs), self.operand(rhs));
        let related = related(self.function, pred, lhs, rhs);
        let may = |asked: ICmp| {
            let orders = related.map(|(_, a, b)| self.state.relations.orders(a, b));
            let by_orders = match (orders, related) {
                (Some(orders), Some((own, ..))) if asked == pred => orders.may(own),
                (Some(orders), Some((own, ..))) => orders.may(arith::inverse(own)),
                _ => true,
            };
            by_orders && possible(asked, (&a, &b), bits, self.state, self.world)
        };
        let (yes, no) = (may(pred), may(arith::inverse(pred)));
        Num::truth(yes, no).map_or_else(|| Value::Num(Num::any(1)), Value::Num)
    }

    fn cast(&mut self, op: CastOp, from: &Operand, ty: &Type) -> Value {
        let value = self.operand(from);
        let source = width(self.world.program, &self.function.operand_type(from));
        let target = width(self.world.program, ty);
        match (op, &value, source, target) {
            (CastOp::Trunc | CastOp::ZExt | CastOp::SExt, Value::Num(num), Some(_), Some(to)) => {
                Value::Num(arith::cast(op, num, to))
            }
            (CastOp::ZExt | CastOp::SExt, _, Some(bits), Some(to)) => {
                value.escape(self.world.objects);
                Value::Num(arith::cast(op, &Num::any(bits), to))
            }
            (CastOp::Trunc, _, Some(_), Some(to)) => {
                value.escape(self.world.objects);
                Value::Num(Num::any(to))
            }
            (CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast, _, Some(a), Some(b))
                if a == b =>
            {
                value
            }
            (
                CastOp::Bitcast
                | CastOp::FpTrunc
                | CastOp::FpExt
                | CastOp::FpToSi
                | CastOp::FpToUi
                | CastOp::SiToFp
                | CastOp::UiToFp,
                ..,
            ) => self.float_cast(op, from, ty),
            (CastOp::PtrToInt | CastOp::IntToPtr, Value::Num(num), Some(a), Some(b)) => {
                let op = if b < a { CastOp::Trunc } else { CastOp::ZExt };
                Value::Num(arith::cast(op, num, b))
            }
            _ => {
                value.escape(self.world.objects);
                anything(self.world.program, ty)
            }
        }
    }

    fn select(&mut self, cond: &Operand, then_value: &Operand, else_value: &Operand) -> Value {
        let (a, b) = (self.operand(then_value), self.operand(else_value));
        match self.operand(cond).as_constant() {
            Some(0) => b,
            Some(_) => a,
            None => a.join(&b, self.world.objects),
        }
    }

    /// An address with something added. Where distances between objects are numbers, a sum that may leave its object may be in
    /// any other that has escaped.
    fn shifted(&mut self, address: &Value, delta: &Num) -> Value {
        let sum = address.plus(delta);
        let objects = &mut self.world.objects;
        let Value::Pointers(pointers) = &sum else {
            return sum;
        };
        if !objects.has_distances() {
            return sum;
        }
        let mut targets = pointers.targets.iter();
        let leaves = targets.any(|(id, offset)| {
            let size = objects.size(*id);
            size.is_none_or(|size| offset.unsigned_bounds().1 > u128::from(size))
        });
        match leaves {
            true => sum.forgotten(objects),
            false => sum,
        }
    }

    fn moved(&mut self, base: &Operand, indices: &[(Operand, i64)], offset: i64) -> Value {
        let bits = self.world.pointer_bits();
        let mut address = self
            .operand(base)
            .plus(&Num::constant(bits, offset as u128));
        for (index, scale) in indices {
            let Some(index) = self.num(index) else {
                return address.forgotten(self.world.objects);
            };
            let wide = match index.bits() {
                own if own == bits => index,
                own if own < bits => arith::cast(CastOp::SExt, &index, bits),
                _ => arith::cast(CastOp::Trunc, &index, bits),
            };
            let scale = Num::constant(bits, *scale as u128);
            let delta = arith::bin(BinOp::Mul, &wide, &scale).unwrap_or_else(|| Num::any(bits));
            address = self.shifted(&address, &delta);
        }
        address
    }

    fn intrinsic(&mut self, op: Intrinsic, args: &[Operand], ty: &Type) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.operand(arg)).collect();
        if op == Intrinsic::Expect {
            return values[0].clone();
        }
        let wrapping = match op {
            Intrinsic::UAddO | Intrinsic::SAddO => Some(BinOp::Add),
            Intrinsic::USubO | Intrinsic::SSubO => Some(BinOp::Sub),
            Intrinsic::UMulO | Intrinsic::SMulO => Some(BinOp::Mul),
            _ => None,
        };
        let nums: Option<Vec<Num>> = values
            .iter()
            .map(|value| match value {
                Value::Num(num) => Some(num.clone()),
                _ => None,
            })
            .collect();
        if let (Some(wrapping), Some([a, b])) = (wrapping, nums.as_deref())
            && let Some(sum) = arith::bin(wrapping, a, b)
        {
            return Value::Tuple([Value::Num(sum), Value::Num(Num::any(1))].into());
        }
        if let Some(result) = self.float_intrinsic(op, &values, ty) {
            return result;
        }
        if let (Some(nums), Some(_)) = (&nums, width(self.world.program, ty))
            && let Some(result) = arith::intrinsic(op, nums)
        {
            return Value::Num(result);
        }
        if let Intrinsic::VaStart | Intrinsic::VaCopy = op {
            // The list then holds addresses of what the caller passed.
            self.state.memory.forget(&values[0], None, self.world);
        }
        values
            .iter()
            .for_each(|value| value.escape(self.world.objects));
        anything(self.world.program, ty)
    }

    fn member(&mut self, aggregate: &Operand, path: &[u32], ty: &Type) -> Value {
        let mut value = self.operand(aggregate);
        for index in path {
            value = match &value {
                Value::Tuple(members) => match members.get(*index as usize) {
                    Some(member) => member.clone(),
                    None => return value.forgotten(self.world.objects),
                },
                _ => return anything(self.world.program, ty),
            };
        }
        value
    }

    fn inserted(&mut self, aggregate: &Operand, value: &Operand, path: &[u32], ty: &Type) -> Value {
        let (whole, value) = (self.operand(aggregate), self.operand(value));
        let known = match (&whole, ty) {
            (Value::Tuple(members), _) => Some(members.to_vec()),
            (_, Type::Struct(layout)) => {
                let fields = layout.fields.iter();
                Some(
                    fields
                        .map(|field| anything(self.world.program, &field.ty))
                        .collect(),
                )
            }
            _ => None,
        };
        match (known, path) {
            (Some(mut members), [index]) if (*index as usize) < members.len() => {
                members[*index as usize] = value;
                Value::Tuple(members.into())
            }
            _ => {
                whole.escape(self.world.objects);
                value.forgotten(self.world.objects)
            }
        }
    }

    fn load(&mut self, value: ValueId, address: &Operand, ty: &Type, volatile: bool) -> Value {
        let place = self.operand(address);
        let size = self.world.program.layout.store_size(ty);
        self.access(&place, size, false);
        let bits = width(self.world.program, ty);
        let float = format(ty).filter(|_| !volatile);
        let whole = float.map(Format::bits).or(bits);
        let (Some(bits), Some(size), false) = (whole, size, volatile) else {
            // Pointers in what is read this way are not followed.
            if let (Value::Pointers(_), Some(size)) = (&place, size) {
                let read = self.state.memory.read(&place, size.max(1), self.world);
                read.escape(self.world.objects);
                self.escape_region(&place);
            }
            return anything(self.world.program, ty);
        };
        let read = self.state.memory.read(&place, size, self.world);
        if let Value::Pointers(pointers) = &place
            && let Some((object, offset)) = pointers.only()
        {
            self.reads.push(Read {
                value,
                object,
                offset,
                size,
            });
        }
        if let Some(format) = float {
            read.escape(self.world.objects);
            return Value::Real(read.real(format));
        }
        let read = match read {
            Value::Real(real) => real.bits().map_or(Value::Any, Value::Num),
            other => other,
        };
        match read {
            Value::Num(num) if num.bits() == bits => Value::Num(num),
            Value::Num(num) if num.bits() > bits => {
                Value::Num(arith::cast(CastOp::Trunc, &num, bits))
            }
            Value::Pointers(pointers) if bits == self.world.pointer_bits() => {
                Value::Pointers(pointers)
            }
            other => {
                other.escape(self.world.objects);
                anything(self.world.program, ty)
            }
        }
    }

    /// Keeps in mind whether an access of memory may trap.
    fn access(&mut self, place: &Value, size: Option<u64>, writes: bool) {
        let memory = &self.state.memory;
        let is_safe = size.is_some_and(|size| memory.is_safe(place, size, writes, self.world));
        *self.risky |= !is_safe;
    }

    fn escape_region(&mut self, place: &Value) {
        let copy = self.state.memory.clone();
        if let Value::Pointers(pointers) = place {
            for id in pointers.targets.keys() {
                copy.escape_content(*id, self.world);
            }
        }
    }

    fn store(&mut self, address: &Operand, value: &Operand) {
        let place = self.operand(address);
        let stored = self.operand(value);
        let ty = self.function.operand_type(value);
        let size = self.world.program.layout.store_size(&ty);
        self.access(&place, size, true);
        self.reads.clear();
        let bits = format(&ty).map(Format::bits);
        let bits = bits.or_else(|| width(self.world.program, &ty));
        let (Some(size), Some(bits)) = (size, bits) else {
            stored.escape(self.world.objects);
            match size {
                Some(size) if size <= 16 => {
                    self.state
                        .memory
                        .write(&place, size, &Value::Any, self.world)
                }
                size => self.state.memory.forget(&place, size, self.world),
            }
            return;
        };
        let stored = match stored {
            Value::Real(real) if real.is_any() => Value::Any,
            Value::Num(num) if bits == 1 => Value::Num(arith::cast(CastOp::ZExt, &num, 8)),
            // Bits of memory that the number does not fill.
            Value::Num(num) if !num.bits().is_multiple_of(8) => Value::Any,
            other => other,
        };
        if let Value::Pointers(pointers) = &place
            && let Some((object, offset)) = pointers.only()
        {
            self.stored.push(Stored {
                object,
                offset,
                size,
                value: stored.clone(),
            });
        }
        self.state.memory.write(&place, size, &stored, self.world);
    }

    fn block(&mut self, op: MemOp, args: &[Operand; 3]) {
        self.reads.clear();
        let [to, from, length] = [0, 1, 2].map(|at| self.operand(&args[at]));
        let size = length
            .as_constant()
            .and_then(|size| u64::try_from(size).ok());
        if size == Some(0) {
            return;
        }
        self.access(&to, size, true);
        if op != MemOp::Set {
            self.access(&from, size, false);
        }
        match op {
            MemOp::Copy | MemOp::Move => self.state.memory.copy(&to, &from, size, self.world),
            MemOp::Set => self.state.memory.fill(&to, &from, size, self.world),
        }
    }

    fn local(&mut self, value: ValueId, size: u64, count: &Operand) -> Value {
        let count = self
            .operand(count)
            .as_constant()
            .and_then(|count| u64::try_from(count).ok());
        let bytes = count.and_then(|count| size.checked_mul(count));
        let object = Object::Local(self.id, value);
        let id = self.world.objects.id(object, bytes);
        self.state.memory.allocate(id, false, self.world);
        Value::address(id, self.world.pointer_bits(), 0)
    }

    /// Code that is not followed: it may write to all that it can reach.
    pub fn unknown(&mut self, args: &[Operand]) {
        self.reads.clear();
        for arg in args {
            let value = self.operand(arg);
            value.escape(self.world.objects);
        }
        self.state.memory.havoc(self.world);
    }
}

/// The variables that a comparison is about, and what it asks of them: where both sides are extended the same way, what was extended.
pub fn related(
    function: &Function,
    pred: ICmp,
    lhs: &Operand,
    rhs: &Operand,
) -> Option<(ICmp, ValueId, ValueId)> {
    let (a, b) = (lhs.value()?, rhs.value()?);
    let extended = |value: ValueId| match &function.inst(value)?.op {
        Op::Cast {
            op: op @ (CastOp::ZExt | CastOp::SExt),
            value: from,
        } => Some((*op, from.value()?, function.operand_type(from))),
        _ => None,
    };
    match (extended(a), extended(b)) {
        (Some((op, x, wide)), Some((other, y, own))) if op == other && wide == own => {
            let pred = if op == CastOp::ZExt {
                unsigned(pred)
            } else {
                pred
            };
            Some((pred, x, y))
        }
        _ => Some((pred, a, b)),
    }
}

/// What a comparison is of numbers whose first bit is 0.
fn unsigned(pred: ICmp) -> ICmp {
    match pred {
        ICmp::Slt => ICmp::Ult,
        ICmp::Sle => ICmp::Ule,
        ICmp::Sgt => ICmp::Ugt,
        ICmp::Sge => ICmp::Uge,
        other => other,
    }
}

fn divides(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}

/// Whether a number divides without a trap whatever it divides.
fn is_sound_divisor(op: BinOp, divisor: &Value) -> bool {
    let Value::Num(num) = divisor else {
        return false;
    };
    let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem);
    !(num.contains(0) || is_signed && num.contains(mask(num.bits())))
}

/// Whether a comparison of two values may be true.
pub fn possible(
    pred: ICmp,
    (a, b): (&Value, &Value),
    bits: u32,
    state: &State,
    world: &World<'_>,
) -> bool {
    refined(pred, (a, b), bits, state, world).is_some()
        && refined(arith::swapped(pred), (b, a), bits, state, world).is_some()
}

/// The part of the first value for which the comparison may be true.
pub fn refined(
    pred: ICmp,
    (a, b): (&Value, &Value),
    bits: u32,
    state: &State,
    world: &World<'_>,
) -> Option<Value> {
    let facts = Facts {
        objects: world.objects,
        many: &|id| state.memory.is_many(id),
        outside: &|object| match object {
            Object::Extern(_) => true,
            Object::Global(global) => world.program.globals[global].init.is_none(),
            _ => false,
        },
    };
    a.refined(pred, b, bits, &facts)
}
