//! The state at one point: values of the function's variables, and memory.

use program::{Const, ExternId, FuncId, Function, Operand, Program, Type, ValueId};

use crate::map::{Map, Single};
use crate::memory::{Memory, World};
use crate::num::Num;
use crate::object::{Object, Objects};
use crate::real::{Format, Real};
use crate::relations::Relations;
use crate::value::Value;

/// What holds at one point of a function.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub env: Map<Value>,
    pub memory: Memory,
    pub relations: Relations,
}

/// A variable's key in the environment.
pub fn key(value: ValueId) -> u64 {
    u64::from(value.as_u32())
}

/// Width of an integer or pointer; `None` for other types.
pub fn width(program: &Program, ty: &Type) -> Option<u32> {
    match ty {
        Type::Int(bits) if *bits <= 128 => Some(*bits),
        Type::Ptr => Some(program.layout.pointer_bits),
        _ => None,
    }
}

impl State {
    /// The value of an operand.
    pub fn value(&self, function: &Function, operand: &Operand, world: &mut World<'_>) -> Value {
        match operand {
            Operand::Value(value) => match self.env.get(key(*value)) {
                Some(known) => known.clone(),
                None => anything(world.program, &function.values[*value].ty),
            },
            Operand::Const(constant) => constant_value(constant, world),
        }
    }

    pub fn set(&mut self, value: ValueId, known: Value) {
        self.relations.forget(value);
        self.env.insert(key(value), known);
    }

    /// Both in one, with values joined by `join`; `None` when it would be the first.
    pub fn merged(
        &self,
        other: &State,
        world: &mut World<'_>,
        join: &mut dyn FnMut(&Value, &Value, &mut Objects) -> Value,
    ) -> Option<State> {
        // A variable that only one has may be anything in the other.
        let mut lost: Vec<Value> = Vec::new();
        for (own, map) in [(&self.env, &other.env), (&other.env, &self.env)] {
            own.for_unshared(map, |_, value, other| {
                if other.is_none() {
                    lost.push(value.clone());
                }
            });
        }
        for value in lost {
            value.escape(world.objects);
        }
        let env = self.env.merge(&other.env, Single::Drop, |_, a, b| {
            let value = join(a, b, world.objects);
            (value != *a).then_some(value)
        });
        let memory = self.memory.merged(&other.memory, world, join);
        let relations = self.relations.merged(
            &other.relations,
            |value| self.number(value),
            |value| other.number(value),
        );
        if memory.is_none() && env.is_same(&self.env) && relations.is_none() {
            return None;
        }
        Some(State {
            env,
            memory: memory.unwrap_or_else(|| self.memory.clone()),
            relations: relations.unwrap_or_else(|| self.relations.clone()),
        })
    }

    /// The numbers that a variable may be, where only numbers are known of it.
    fn number(&self, value: ValueId) -> Option<Num> {
        match self.env.get(key(value))? {
            Value::Num(num) => Some(num.clone()),
            _ => None,
        }
    }
}

/// The format of a floating-point type that is computed with.
pub fn format(ty: &Type) -> Option<Format> {
    match ty {
        Type::F32 => Some(Format::Single),
        Type::F64 => Some(Format::Double),
        _ => None,
    }
}

/// What a value of a type may be when nothing is known of it.
pub fn anything(program: &Program, ty: &Type) -> Value {
    match ty {
        // Small integers hold no address.
        Type::Int(bits) if *bits < program.layout.pointer_bits => Value::Num(Num::any(*bits)),
        // And so do floating-point numbers: who reads an address as one lets it escape.
        ty => format(ty).map_or(Value::Any, |format| Value::Real(Real::any(format))),
    }
}

fn constant_value(constant: &Const, world: &mut World<'_>) -> Value {
    let bits = world.pointer_bits();
    match constant {
        Const::Int { bits, value } => Value::Num(Num::constant(*bits, *value)),
        Const::Null => Value::Num(Num::constant(bits, 0)),
        Const::Zero(ty) => match (width(world.program, ty), format(ty)) {
            (Some(bits), _) => Value::Num(Num::constant(bits, 0)),
            (None, Some(format)) => Value::Real(Real::constant(format, 0.0)),
            (None, None) => Value::Any,
        },
        Const::Global { global, offset } => {
            let program = world.program;
            let id = world.objects.global(program, *global);
            Value::address(id, bits, *offset)
        }
        Const::Function(function) => function_address(*function, world),
        Const::Extern(known) => extern_address(*known, world),
        Const::Undef(ty) | Const::Poison(ty) => anything(world.program, ty),
        Const::Aggregate(aggregate) => {
            let members = aggregate.members.iter();
            Value::Tuple(
                members
                    .map(|member| constant_value(member, world))
                    .collect(),
            )
        }
        Const::F32(bits) => Value::Real(Real::from_bits(Format::Single, u128::from(*bits))),
        Const::F64(bits) => Value::Real(Real::from_bits(Format::Double, u128::from(*bits))),
        Const::Opaque { .. } => Value::Any,
    }
}

fn function_address(function: FuncId, world: &mut World<'_>) -> Value {
    let id = world.objects.id(Object::Function(function), None);
    Value::address(id, world.pointer_bits(), 0)
}

fn extern_address(known: ExternId, world: &mut World<'_>) -> Value {
    let id = world.objects.id(Object::Extern(known), None);
    let (bits, weak) = (world.pointer_bits(), world.program.externs[known].weak);
    let address = Value::address(id, bits, 0);
    // One that is missing is null.
    if weak { address.or_null(bits) } else { address }
}
