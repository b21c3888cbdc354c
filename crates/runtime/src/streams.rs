//! Byte streams: standard input, named files, arguments, environment variables, the bytes of a fuzz target. What is known of
//! each in this run, and the labels of its bytes.
//!
//! What must hold: a byte is labelled only if it is the stream's byte at that position; what the length decides is recorded in an
//! order that depends on the decisions before, never on the length itself.

use crate::build::{Sym, binary, input, not, zext};
use crate::memory;
use crate::raw::{peek, poke};
use crate::record::{constraint, library};
use crate::state::STATE;
use core::cell::Cell;
use wire::event::{NO_SPOT, class};
use wire::input::{LENGTH, Role, StreamRecord};
use wire::node::Op;

/// Streams that can be told apart.
const STREAMS: usize = 256;

struct Known {
    /// Bounds of the length that recorded constraints imply.
    least: Cell<u32>,
    most: Cell<u32>,
    /// Positions before this one were read by wrapped functions, or counted as lost.
    seen: Cell<u32>,
    /// The engine was told what lengths there can be.
    bounded: Cell<bool>,
}

struct Table([Known; STREAMS]);

// SAFETY: the first thread alone touches symbolic input.
#[allow(unsafe_code, reason = "a static of cells")]
unsafe impl Sync for Table {}

static KNOWN: Table = Table(
    [const {
        Known {
            least: Cell::new(0),
            most: Cell::new(u32::MAX),
            seen: Cell::new(0),
            bounded: Cell::new(false),
        }
    }; STREAMS],
);

/// A byte stream that the engine described.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stream(u32);

/// Every stream, in the order of their numbers.
pub(crate) fn all() -> impl Iterator<Item = Stream> {
    (1..STATE.stream_capacity.get().min(STREAMS as u32))
        .map(Stream)
        .filter(|stream| stream.role().is_some())
}

/// The streams with this role.
pub(crate) fn of(role: Role) -> impl Iterator<Item = Stream> {
    all().filter(move |stream| stream.role() == Some(role))
}

impl Stream {
    fn address(self) -> u64 {
        STATE.streams.get() + u64::from(self.0) * size_of::<StreamRecord>() as u64
    }

    fn record(self) -> StreamRecord {
        peek(self.address())
    }

    fn known(self) -> &'static Known {
        &KNOWN.0[self.0 as usize]
    }

    /// What it is to the program.
    pub(crate) fn role(self) -> Option<Role> {
        Role::from_u32(self.record().role)
    }

    /// Index in `argv`.
    pub(crate) fn place(self) -> u32 {
        self.record().place
    }

    /// Shortest and longest length allowed.
    pub(crate) fn lengths(self) -> (u32, u32) {
        let record = self.record();
        (record.min_len, record.max_len)
    }

    /// Address of its name, a C string.
    pub(crate) fn name(self) -> u64 {
        let record = self.record();
        STATE.segment.get() + record.offset + u64::from(record.capacity)
    }

    /// Length of its name.
    pub(crate) fn name_len(self) -> u32 {
        self.record().name_len
    }

    /// Address of its content on this run.
    pub(crate) fn content(self) -> u64 {
        STATE.segment.get() + self.record().offset
    }

    /// Length of its content on this run.
    pub(crate) fn supplied(self) -> u32 {
        let record = self.record();
        record.supplied.min(record.capacity)
    }

    /// What is known before the program asks for anything.
    pub(crate) fn begin(self) {
        let (least, most) = self.lengths();
        self.known().least.set(least);
        self.known().most.set(most);
    }

    /// Its length in bytes, 32 bits.
    fn length(self) -> Sym {
        let supplied = self.supplied().into();
        match self.lengths() {
            (least, most) if least == most => Sym::concrete(supplied, 32),
            _ => input(self.0, LENGTH, 32, supplied),
        }
    }

    /// Its length in bytes, 64 bits, as a value that the program gets: whatever it does with it, no input is longer or
    /// shorter than is allowed. (The decisions of reading functions need not say so: they ask about lengths between.)
    pub(crate) fn size(self) -> Sym {
        let length = self.length();
        let (least, most) = self.lengths();
        self.used(most.saturating_add(1));
        if length.symbolic() && !self.known().bounded.replace(true) {
            let bound = |bytes: u32| Sym::concrete(bytes.into(), 32);
            for outside in [
                binary(Op::Ult, length, bound(least)),
                binary(Op::Ult, bound(most), length),
            ] {
                constraint(class::ASSUME, NO_SPOT, not(outside));
            }
        }
        zext(length, 64)
    }

    /// The program asked for the bytes before this position.
    pub(crate) fn used(self, positions: u32) {
        let mut record = self.record();
        if record.used < positions {
            record.used = positions;
            poke(self.address(), record);
        }
    }

    /// A wrapped function reads from here: what others read before it is lost.
    pub(crate) fn reads_from(self, position: u32) {
        if position > self.known().seen.get() {
            self.known().seen.set(position);
            crate::record::loss(NO_SPOT, wire::segment::Loss::External);
        }
    }

    /// The program went to another place by itself: nothing between was read by anybody.
    pub(crate) fn moved_to(self, position: u32) {
        let seen = &self.known().seen;
        seen.set(seen.get().max(position));
    }

    /// It had at least `bytes` bytes.
    pub(crate) fn had(self, bytes: u32) {
        self.used(bytes);
        self.moved_to(bytes);
        self.at_least(bytes);
    }

    /// It ended at `position`, or before.
    pub(crate) fn ended(self, position: u32) {
        self.used(position.saturating_add(1));
        self.at_most(position);
    }

    fn at_least(self, bytes: u32) {
        if bytes > self.known().least.get() {
            self.known().least.set(bytes);
            let last = Sym::concrete(u128::from(bytes) - 1, 32);
            library(binary(Op::Ult, last, self.length()));
        }
    }

    fn at_most(self, bytes: u32) {
        if bytes < self.known().most.get() {
            self.known().most.set(bytes);
            let next = Sym::concrete(bytes.into(), 32);
            library(not(binary(Op::Ult, next, self.length())));
        }
    }

    /// The length is asked for by itself: one decision after the other, from the shortest up.
    pub(crate) fn counted(self) -> u32 {
        let (least, most) = self.lengths();
        let count = self.supplied().clamp(least, most);
        self.used(most);
        for length in least + 1..=count {
            self.at_least(length);
        }
        self.at_most(count);
        count
    }

    /// `got` of up to `wanted` bytes were read from a position on. The length is found as a program would that knows
    /// nothing of it: everything or less, then by halves. So which decision comes next depends on the decisions before it
    /// and not on the length, and runs part only where they decide differently.
    pub(crate) fn had_some(self, at: u32, got: u32, wanted: u64) {
        let end = at.saturating_add(got);
        self.used(end.saturating_add(u32::from(u64::from(got) < wanted)));
        self.moved_to(end);
        let all = u32::try_from(u64::from(at).saturating_add(wanted)).unwrap_or(u32::MAX);
        let mut most = self.known().most.get().min(all);
        let mut tried = most;
        while self.known().least.get().max(at) < most {
            if end >= tried {
                self.at_least(tried);
            } else {
                most = tried - 1;
                self.at_most(most);
            }
            let least = self.known().least.get().max(at);
            tried = least + most.saturating_sub(least).div_ceil(2);
        }
    }

    /// The byte at a position, if it is what was read.
    pub(crate) fn byte(self, position: u32, read: u8) -> Sym {
        let inside = position < self.supplied();
        if inside && peek::<u8>(self.content() + u64::from(position)) == read {
            input(self.0, position, 8, read.into())
        } else {
            Sym::concrete(read.into(), 8)
        }
    }

    /// Lays the content down as a C string in memory that is zero. What stands behind the first 0
    /// is 0, as far as the program can see: no command line and no environment can carry more.
    pub(crate) fn lay_string(self, address: u64) {
        let bytes = self.supplied();
        let text = crate::raw::slice::<u8>(self.content(), bytes as usize);
        let end = text.iter().position(|byte| *byte == 0);
        crate::raw::copy(address, self.content(), end.unwrap_or(text.len()) as u64);
        self.used(bytes);
        self.label(address, 0, bytes);
    }

    /// `count` bytes were read to memory from a position on.
    pub(crate) fn label(self, address: u64, position: u32, count: u32) {
        for index in 0..count {
            let at = address + u64::from(index);
            memory::store(at, 1, self.byte(position + index, peek(at)));
        }
    }
}
