//! The inputs of a round's runs, packed: a candidate is solved from the input of a run that passed it.
//!
//! Names, types and limits are kept once for all runs that share them. Also remembers which inputs were run, in this round or in an
//! earlier one.
//!
//! Must hold: what comes out is what was put in.

use std::ops::Range;

use path::hash::{HashTable, HashedSet, hash_bytes, mix};
use path::{InputVector, RunId, Stream, Value};

/// Inputs by run, as the round's tree counts them.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// Vectors with every bit 0 and no bytes.
    shapes: Vec<InputVector>,
    known: HashTable<u32>,
    packed: Vec<Packed>,
    /// Bytes of shapes and packed data.
    data: usize,
    seen: HashedSet,
    /// Runs of earlier rounds, and what these ran.
    before: usize,
    seen_before: HashedSet,
}

#[derive(Debug)]
struct Packed {
    shape: u32,
    data: Box<[u8]>,
}

impl Inputs {
    /// Keeps the input of the next run.
    pub(crate) fn push(&mut self, input: &InputVector) {
        let shape = self.shape(input);
        let data = pack(input).into_boxed_slice();
        self.data += data.len();
        self.packed.push(Packed { shape, data });
    }

    /// The input of a run.
    pub(crate) fn get(&self, run: RunId) -> InputVector {
        let Packed { shape, data } = &self.packed[run.index()];
        unpack(&self.shapes[*shape as usize], data)
    }

    /// The runs whose inputs are kept, counted over all rounds.
    pub(crate) fn kept(&self) -> Range<usize> {
        self.before..self.before + self.packed.len()
    }

    /// Another round begins: its tree counts its runs from 0.
    pub(crate) fn start_over(&mut self) {
        let mut seen_before = std::mem::take(&mut self.seen_before);
        seen_before.extend(self.seen.drain());
        *self = Inputs {
            before: self.kept().end,
            seen_before,
            ..Inputs::default()
        };
    }

    /// Marks an input as run; says whether it is new.
    pub(crate) fn mark(&mut self, input: &InputVector) -> bool {
        self.seen.insert(hash(input))
    }

    /// In any round.
    pub(crate) fn was_run(&self, input: &InputVector) -> bool {
        let hash = hash(input);
        self.seen.contains(&hash) || self.seen_before.contains(&hash)
    }

    /// Was an input run in this round?
    pub(crate) fn is_in_round(&self, input: &InputVector) -> bool {
        self.seen.contains(&hash(input))
    }

    pub(crate) fn was_in_earlier_round(&self, input: &InputVector) -> bool {
        !self.seen_before.is_empty() && self.seen_before.contains(&hash(input))
    }

    pub(crate) fn bytes(&self) -> usize {
        let seen = self.seen.capacity() + self.seen_before.capacity();
        self.data + self.packed.capacity() * size_of::<Packed>() + seen * 9
    }

    fn shape(&mut self, input: &InputVector) -> u32 {
        if let Some(last) = self.packed.last()
            && has_shape(input, &self.shapes[last.shape as usize])
        {
            return last.shape;
        }
        let hash = shape_hash(input);
        if let Some(&known) = self.known.get(&hash)
            && has_shape(input, &self.shapes[known as usize])
        {
            return known;
        }
        let next = self.shapes.len() as u32;
        let mut shape = input.clone();
        shape.values.iter_mut().for_each(|value| value.bits = 0);
        for stream in &mut shape.streams {
            stream.bytes = Vec::new();
            stream.used = 0;
        }
        self.data += shape.values.len() * size_of::<Value>();
        self.shapes.push(shape);
        self.known.insert(hash, next);
        next
    }
}

fn has_shape(input: &InputVector, shape: &InputVector) -> bool {
    let same_value = |(a, b): (&Value, &Value)| {
        a.kind == b.kind && a.element == b.element && a.name == b.name && a.c_type == b.c_type
    };
    let same_stream = |(a, b): (&Stream, &Stream)| {
        a.id == b.id && a.role == b.role && a.min == b.min && a.max == b.max && a.name == b.name
    };
    input.values.len() == shape.values.len()
        && input.streams.len() == shape.streams.len()
        && input.values.iter().zip(&shape.values).all(same_value)
        && input.streams.iter().zip(&shape.streams).all(same_stream)
}

fn shape_hash(input: &InputVector) -> u64 {
    let mut hash = mix(input.values.len() as u64, input.streams.len() as u64);
    for value in &input.values {
        hash = mix(
            hash,
            (value.kind as u64) | (u64::from(value.element.map_or(0, |element| element + 1)) << 8),
        );
        hash = hash_bytes(hash, value.name.as_bytes());
        hash = hash_bytes(hash, value.c_type.as_bytes());
    }
    for stream in &input.streams {
        hash = mix(hash, u64::from(stream.id));
        hash = mix(hash, u64::from(stream.min) | (u64::from(stream.max) << 32));
        hash = hash_bytes(hash, stream.name.as_bytes());
    }
    hash
}

fn pack(input: &InputVector) -> Vec<u8> {
    let mut data = Vec::new();
    for value in &input.values {
        let bytes = usize::from(value.kind.bits().div_ceil(8));
        data.extend_from_slice(&value.bits.to_le_bytes()[..bytes]);
    }
    for stream in &input.streams {
        data.extend_from_slice(&(stream.bytes.len() as u32).to_le_bytes());
        data.extend_from_slice(&stream.used.to_le_bytes());
        data.extend_from_slice(&stream.bytes);
    }
    data
}

fn unpack(shape: &InputVector, mut data: &[u8]) -> InputVector {
    let mut input = shape.clone();
    let mut take = |count: usize| {
        let (head, rest) = data.split_at(count);
        data = rest;
        head
    };
    for value in &mut input.values {
        let mut bits = [0; 16];
        let bytes = usize::from(value.kind.bits().div_ceil(8));
        bits[..bytes].copy_from_slice(take(bytes));
        value.bits = u128::from_le_bytes(bits);
    }
    for stream in &mut input.streams {
        let mut word = || u32::from_le_bytes(take(4).try_into().expect("four bytes"));
        let length = word() as usize;
        stream.used = word();
        stream.bytes = take(length).to_vec();
    }
    input
}

/// What stands for an input. Values that are missing are 0, so zeros at the end do not count.
pub(super) fn hash(input: &InputVector) -> u64 {
    let end = input
        .values
        .iter()
        .rposition(|value| value.bits != 0)
        .map_or(0, |last| last + 1);
    let mut hash = mix(2, end as u64);
    for value in &input.values[..end] {
        hash = mix(mix(hash, value.bits as u64), (value.bits >> 64) as u64);
    }
    for stream in &input.streams {
        hash = hash_bytes(mix(hash, u64::from(stream.id)), &stream.bytes);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use path::{Role, ValueType};

    fn value(kind: ValueType, bits: u128) -> Value {
        Value {
            kind,
            name: "x".into(),
            element: Some(3),
            c_type: "int".into(),
            bits,
        }
    }

    #[test]
    fn inputs_come_back() {
        let stream = Stream {
            id: 1,
            role: Role::Stdin,
            name: "stdin".into(),
            bytes: b"abc".to_vec(),
            min: 0,
            max: 8,
            used: 2,
        };
        let vectors: Vec<InputVector> = ValueType::ALL
            .iter()
            .map(|&kind| InputVector {
                values: vec![
                    value(kind, u128::MAX >> (128 - kind.bits())),
                    value(ValueType::Bool, 1),
                ],
                streams: vec![stream.clone()],
            })
            .chain([InputVector::default()])
            .collect();
        let mut inputs = Inputs::default();
        for vector in &vectors {
            inputs.push(vector);
        }
        for (index, vector) in (0..).zip(&vectors) {
            assert_eq!(inputs.get(RunId::from_u32(index)), *vector);
        }
    }

    #[test]
    fn missing_values_are_zero() {
        let mut inputs = Inputs::default();
        assert!(inputs.mark(&InputVector::default()));
        let zero = InputVector {
            values: vec![value(ValueType::I32, 0)],
            streams: Vec::new(),
        };
        assert!(inputs.was_run(&zero));
        let one = InputVector {
            values: vec![value(ValueType::I32, 1)],
            streams: Vec::new(),
        };
        assert!(!inputs.was_run(&one));
    }
}
