//! Byte streams of a run: what is known of the length of each, and how far the program came in it.
//!
//! Must hold: what the length decides is recorded as the native runtime records it (`runtime::streams`): in an order that depends
//! on the decisions before, never on the length itself.

use path::vars::{LENGTH, var_of};
use path::{Class, Outcome, Role, Stream};
use smt::{Op as TermOp, Term};

use crate::memory::Kind;
use crate::record::StreamId;
use crate::state::{End, Made, State};

/// What is known of a stream in this run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Bounds of the length that recorded constraints imply.
    pub least: u32,
    pub most: u32,
    /// That the length is within its bounds is recorded.
    pub bounded: bool,
}

impl Known {
    pub fn of(stream: &Stream) -> Known {
        Known {
            least: stream.min,
            most: stream.max,
            bounded: false,
        }
    }
}

impl State<'_> {
    /// The first stream with this role, and this name if one is given.
    pub fn stream(&self, role: Role, name: Option<&str>) -> Option<StreamId> {
        let streams = &self.inputs.vector.streams;
        let found = streams.iter().position(|stream| {
            stream.role == role && name.is_none_or(|name| *stream.name == *name)
        })?;
        Some(StreamId(found as u32))
    }

    /// How many bytes it has on this run.
    pub fn supplied(&self, stream: StreamId) -> u32 {
        self.inputs.stream(stream).bytes.len() as u32
    }

    /// Its length, 32 bits.
    fn length_of(&mut self, stream: StreamId) -> Term {
        let Stream {
            id,
            min,
            max,
            ref bytes,
            ..
        } = *self.inputs.stream(stream);
        let length = bytes.len() as u128;
        if min == max {
            return self.pool.constant(32, length);
        }
        self.inputs.term(self.pool, var_of(id, LENGTH), 32, length)
    }

    /// The byte at a position.
    pub fn stream_byte(&mut self, stream: StreamId, position: u32) -> (u8, Term) {
        let Stream { id, ref bytes, .. } = *self.inputs.stream(stream);
        let byte = bytes[position as usize];
        let term = self
            .inputs
            .term(self.pool, var_of(id, position), 8, byte.into());
        (byte, term)
    }

    /// Puts a byte of the input into memory.
    pub fn set_input(&mut self, place: u64, byte: u8, term: Term) -> Made {
        let term = Some(term).filter(|term| self.pool.is_symbolic(*term));
        Ok(self.memory.set_byte(place, byte, term)?)
    }

    /// The program asked for the bytes before this position.
    pub fn used(&mut self, stream: StreamId, positions: u32) {
        let stream = self.inputs.stream_mut(stream);
        stream.used = stream.used.max(positions).min(stream.max.saturating_add(1));
    }

    /// It had at least so many bytes.
    pub fn had(&mut self, stream: StreamId, bytes: u32) {
        self.used(stream, bytes);
        self.at_least(stream, bytes);
    }

    /// It ended here, or before.
    pub fn ended(&mut self, stream: StreamId, position: u32) {
        self.used(stream, position.saturating_add(1));
        self.at_most(stream, position);
    }

    fn at_least(&mut self, stream: StreamId, bytes: u32) {
        let known = self.inputs.known(stream);
        if bytes <= known.least {
            return;
        }
        known.least = bytes;
        let last = self.pool.constant(32, u128::from(bytes) - 1);
        let length = self.length_of(stream);
        let more = self.pool.cmp(TermOp::Ult, last, length);
        self.decide(more, true);
    }

    fn at_most(&mut self, stream: StreamId, bytes: u32) {
        let known = self.inputs.known(stream);
        if bytes >= known.most {
            return;
        }
        known.most = bytes;
        let next = self.pool.constant(32, bytes.into());
        let length = self.length_of(stream);
        let more = self.pool.cmp(TermOp::Ult, next, length);
        self.decide(more, false);
    }

    /// The length is asked for by itself: one decision after the other, from the shortest up.
    pub fn counted(&mut self, stream: StreamId) -> u32 {
        let Stream { min, max, .. } = *self.inputs.stream(stream);
        let count = self.supplied(stream).clamp(min, max);
        self.used(stream, max);
        for length in min + 1..=count {
            self.at_least(stream, length);
        }
        self.at_most(stream, count);
        count
    }

    /// `got` of up to `wanted` bytes were read from a position on: everything or less, then by halves.
    pub fn had_some(&mut self, stream: StreamId, at: u32, got: u32, wanted: u64) {
        let end = at.saturating_add(got);
        let short = u32::from(u64::from(got) < wanted);
        self.used(stream, end.saturating_add(short));
        let all = u32::try_from(u64::from(at).saturating_add(wanted)).unwrap_or(u32::MAX);
        let mut most = self.inputs.known(stream).most.min(all);
        let mut tried = most;
        while self.inputs.known(stream).least.max(at) < most {
            if end >= tried {
                self.at_least(stream, tried);
            } else {
                most = tried - 1;
                self.at_most(stream, most);
            }
            let least = self.inputs.known(stream).least.max(at);
            tried = least + most.saturating_sub(least).div_ceil(2);
        }
    }

    /// Its length in bytes, 64 bits, as a value that the program gets.
    pub fn size_of(&mut self, stream: StreamId) -> Term {
        let Stream { min, max, .. } = *self.inputs.stream(stream);
        let length = self.length_of(stream);
        self.used(stream, max.saturating_add(1));
        let known = self.inputs.known(stream);
        if self.pool.is_symbolic(length) && !std::mem::replace(&mut known.bounded, true) {
            let (least, most) = (
                self.pool.constant(32, min.into()),
                self.pool.constant(32, max.into()),
            );
            let spot = self.spot();
            for bound in [
                self.pool.cmp(TermOp::Ule, least, length),
                self.pool.cmp(TermOp::Ule, length, most),
            ] {
                self.record
                    .constraint(self.pool, Class::Assume, spot, bound);
            }
        }
        self.pool.zext(length, 64)
    }

    /// Puts bytes of a stream into memory.
    pub fn lay(&mut self, stream: StreamId, at: u32, count: u32, to: u64) -> Made {
        for index in 0..count {
            let (byte, term) = self.stream_byte(stream, at + index);
            self.set_input(to.wrapping_add(index.into()), byte, term)?;
        }
        Ok(())
    }

    /// An object with the stream's content as a C string, behind `before`. What stands behind the first 0 is 0 and concrete: no
    /// command line and no environment can carry more.
    pub fn lay_string(&mut self, stream: StreamId, before: &[u8]) -> Made<u64> {
        let count = self.supplied(stream);
        let size = before.len() as u64 + u64::from(count) + 1;
        let full = End::Outcome(Outcome::Memory);
        let base = self.memory.add(Kind::Global, size).ok_or(full)?;
        self.memory.initialise(base, 0, before);
        self.used(stream, count);
        let mut ended = false;
        for index in 0..count {
            let (byte, term) = self.stream_byte(stream, index);
            // Behind the first 0 only a 0 is what the program can see there.
            if !ended || byte == 0 {
                let place = base + before.len() as u64 + u64::from(index);
                self.set_input(place, byte, term)?;
            }
            ended |= byte == 0;
        }
        Ok(base)
    }
}
