//! The shared segment, seen from the engine: made, sized, mapped and read here.
//!
//! Invariants:
//! - the program under test may write anything anywhere in the segment at any time, so nothing that is read here is
//!   trusted: every number is loaded once, through an atomic, and checked before it is used as an index;
//! - the geometry is the engine's own copy, never the one in the segment;
//! - no method panics or allocates more than the segment's own size, whatever the segment holds.
#![allow(
    unsafe_code,
    reason = "maps memory that is shared with another process"
)]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use wire::event::END;
use wire::input::{InputRecord, Role, StreamRecord};
use wire::node::{Node, Op};
use wire::segment::{
    AREAS_OFFSET, ASKED_SLACK, Area, CONTROL_OFFSET, Control, EVENT_SLACK, HOT_OFFSET, Header,
    LossRecord, MAGIC, ModuleRecord, Nearness, PAGE,
};

/// Entries of each area. The file is sparse: what is never written costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Expression nodes.
    pub nodes: u32,
    /// 32-bit words of the event stream.
    pub event_words: u32,
    /// Values of the value stream.
    pub inputs: u32,
    /// Byte streams.
    pub streams: u32,
    /// Bytes for the content of all streams together.
    pub stream_bytes: u32,
    /// Bytes for names of inputs.
    pub name_bytes: u32,
    /// 32-bit words for tables.
    pub table_words: u32,
    /// Modules of the program.
    pub modules: u32,
    /// Different losses.
    pub losses: u32,
    /// Edges of the program: beyond the event area only how often they were taken is known.
    pub edge_hits: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes {
            nodes: 4 << 20,
            event_words: 16 << 20,
            inputs: 1 << 20,
            streams: 256,
            stream_bytes: 16 << 20,
            name_bytes: 8 << 20,
            table_words: 4 << 20,
            modules: 16 << 10,
            losses: 4 << 10,
            edge_hits: 4 << 20,
        }
    }
}

/// Limits on one run, as the server enforces them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Time for one run.
    pub timeout_ms: u32,
    /// Resident set of one run, in bytes; 0 = no limit.
    pub memory_bytes: u64,
    /// Largest object that a load through a symbolic address reads whole, in bytes.
    pub table_bytes: u32,
}

/// A node, as checked as one node alone can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedNode {
    /// Operation.
    pub op: Op,
    /// Extra operand.
    pub aux: u8,
    /// Width, 1 to 128.
    pub bits: u16,
    /// Operands, unchecked: their meaning depends on `op`.
    pub operands: [u32; 3],
    /// Concrete value, masked to the width.
    pub value: u128,
}

/// One event word, shared.
pub type Word = AtomicU32;
/// One node, shared: op, aux, bits, a | b, c | value.
type NodeCell = [AtomicU64; 4];

/// The mapped segment.
pub struct Segment {
    base: NonNull<u8>,
    fd: OwnedFd,
    header: Header,
    stream_bytes: Area,
    /// Address of the first event word in the program; asked for once, before any run could change it.
    events_start: Option<u64>,
}

// SAFETY: the mapping belongs to this value alone in this process; all access goes through atomics.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: `base` and the length are those that `mmap` returned; no reference outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.header.bytes as usize) };
    }
}

struct Layout {
    next: u64,
}

impl Layout {
    fn area(&mut self, entries: u32, entry_bytes: usize, slack: usize) -> Area {
        let area = Area {
            offset: self.next,
            capacity: u64::from(entries),
        };
        let bytes = (u64::from(entries) + slack as u64) * entry_bytes as u64;
        self.next = (self.next + bytes).next_multiple_of(PAGE as u64);
        area
    }
}

impl Segment {
    /// Makes a segment. `flags` are [`wire::segment::flag`]s.
    ///
    /// # Errors
    /// When the kernel gives no memory file or no address space.
    pub fn new(sizes: &Sizes, limits: RunLimits, flags: u32) -> io::Result<Segment> {
        let mut layout = Layout {
            next: AREAS_OFFSET as u64,
        };
        let mut header = Header {
            magic: MAGIC,
            version: wire::VERSION,
            flags,
            bytes: 0,
            nodes: layout.area(sizes.nodes, size_of::<Node>(), 0),
            events: layout.area(sizes.event_words, 4, EVENT_SLACK),
            inputs: layout.area(sizes.inputs, size_of::<InputRecord>(), 0),
            streams: layout.area(sizes.streams, size_of::<StreamRecord>(), 0),
            names: layout.area(sizes.name_bytes, 1, 0),
            tables: layout.area(sizes.table_words, 4, 0),
            modules: layout.area(sizes.modules, size_of::<ModuleRecord>(), 0),
            losses: layout.area(sizes.losses, size_of::<LossRecord>(), 0),
            edge_hits: layout.area(sizes.edge_hits, size_of::<u32>(), 0),
            near: layout.area(sizes.edge_hits, size_of::<Nearness>(), 0),
            asked: layout.area(
                sizes.edge_hits / 64 + ASKED_SLACK as u32,
                size_of::<u64>(),
                0,
            ),
            timeout_ms: limits.timeout_ms,
            table_bytes: limits.table_bytes,
            memory_bytes: limits.memory_bytes,
            failing: 0,
        };
        let stream_bytes = layout.area(sizes.stream_bytes, 1, 0);
        header.bytes = layout.next;
        let fd = memory_file(header.bytes)?;
        let base = map(&fd, header.bytes)?;
        let segment = Segment {
            base,
            fd,
            header,
            stream_bytes,
            events_start: None,
        };
        segment.write_header();
        Ok(segment)
    }

    /// The geometry: the engine's own copy.
    #[must_use]
    pub fn header(&self) -> Header {
        self.header
    }

    /// The memory file, to pass to the program.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Empties the segment for a new start of the program: all pages are given back, the header is written anew.
    ///
    /// # Errors
    /// When the kernel refuses to punch the hole.
    pub fn reset(&mut self, limits: RunLimits) -> io::Result<()> {
        self.events_start = None;
        self.header.timeout_ms = limits.timeout_ms;
        self.header.memory_bytes = limits.memory_bytes;
        self.header.table_bytes = limits.table_bytes;
        let length = self.header.bytes as libc::off_t;
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: a system call on our own descriptor.
        if unsafe { libc::fallocate(self.fd.as_raw_fd(), mode, 0, length) } != 0 {
            return Err(io::Error::last_os_error());
        }
        self.write_header();
        Ok(())
    }

    /// Sets the limit of the next run; one longer than that of the start counts for nothing.
    pub fn set_timeout(&mut self, timeout_ms: u32) {
        self.header.timeout_ms = timeout_ms;
        self.write_header();
    }

    /// Sets the functions whose calls may fail; counts only before the program starts.
    pub fn set_failing(&mut self, failing: wire::fail::Set) {
        self.header.failing = failing.0;
        self.write_header();
    }

    /// Sets the bits of `flags` in the header; counts only before the program starts.
    pub fn set_flags(&mut self, flags: u32) {
        self.header.flags = flags;
        self.write_header();
    }

    /// Writes the geometry, and the limits, as they should be.
    pub fn write_header(&self) {
        // SAFETY: page 0 is mapped, writable and aligned; `Header` has no invalid bit patterns.
        unsafe { std::ptr::write_volatile(self.base.as_ptr().cast::<Header>(), self.header) };
    }

    fn cells<T: Shared>(&self, offset: usize, count: usize) -> &[T] {
        let end = count
            .checked_mul(size_of::<T>())
            .and_then(|bytes| bytes.checked_add(offset));
        let fits = end.is_some_and(|end| end as u64 <= self.header.bytes);
        if !fits || !offset.is_multiple_of(align_of::<T>()) {
            return &[];
        }
        // SAFETY: the range is inside the mapping and aligned; `T` is made of atomics (see `Shared`), so concurrent
        // writes by the other process are no data races, and any bit pattern is valid.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(offset).cast::<T>(), count) }
    }

    fn area<T: Shared>(&self, area: Area) -> &[T] {
        self.cells(area.offset as usize, area.capacity as usize)
    }

    /// The control words.
    #[must_use]
    pub fn control(&self) -> &Control {
        // SAFETY: inside page 0, aligned; all fields are atomics.
        unsafe { &*self.base.as_ptr().add(CONTROL_OFFSET).cast::<Control>() }
    }

    /// Remembers where in the program the events start.
    pub fn note_events_start(&mut self) {
        let hot: &[AtomicU64] = self.cells(HOT_OFFSET, 5);
        self.events_start = hot.get(4).map(|start| start.load(Relaxed));
    }

    /// The event words that the run wrote, prefix included; empty when the cursor makes no sense. Words between the cursor
    /// and [`END`] belong to the run too: instrumented code keeps the cursor in a register between calls.
    #[must_use]
    pub fn events(&self) -> &[Word] {
        let hot: &[AtomicU64] = self.cells(HOT_OFFSET, 5);
        let [cursor, _, _, _, start] = hot else {
            return &[];
        };
        let start = self.events_start.unwrap_or_else(|| start.load(Relaxed));
        let bytes = cursor.load(Relaxed).wrapping_sub(start);
        let area = self.header.events;
        let most = (area.capacity + EVENT_SLACK as u64) * 4;
        if bytes > most || !bytes.is_multiple_of(4) {
            return &[];
        }
        let known = (bytes / 4) as usize;
        let room = (area.capacity as usize).saturating_sub(known);
        let behind: &[Word] = self.cells(area.offset as usize + 4 * known, room);
        let more = behind.iter().position(|word| word.load(Relaxed) == END);
        self.cells(area.offset as usize, known + more.unwrap_or(0))
    }

    /// Nodes written, entry 0 included, at most the capacity.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.control()
            .node_count
            .load(Relaxed)
            .min(self.header.nodes.capacity as u32)
    }

    /// The node with this label, if label, operation and width make sense.
    #[must_use]
    pub fn node(&self, label: u32) -> Option<CheckedNode> {
        let nodes: &[NodeCell] = self.area(self.header.nodes);
        let cell = nodes.get(label as usize)?;
        let [head, tail, low, high] = [
            cell[0].load(Relaxed),
            cell[1].load(Relaxed),
            cell[2].load(Relaxed),
            cell[3].load(Relaxed),
        ];
        let bits = (head >> 16) as u16;
        if !(1..=128).contains(&bits) {
            return None;
        }
        let value = (u128::from(low) | u128::from(high) << 64) & mask(bits);
        Some(CheckedNode {
            op: Op::from_u8(head as u8)?,
            aux: (head >> 8) as u8,
            bits,
            operands: [(head >> 32) as u32, tail as u32, (tail >> 32) as u32],
            value,
        })
    }

    /// The table at this word offset: element width, then (label, value) of each element. `None` when it does not
    /// lie in the table area.
    #[must_use]
    pub fn table(&self, offset: u32) -> Option<(u16, Vec<(u32, u128)>)> {
        let words: &[Word] = self.area(self.header.tables);
        let words = words.get(offset as usize..)?;
        let [elements, bits, rest @ ..] = words else {
            return None;
        };
        let elements = elements.load(Relaxed) as usize;
        let bits = u16::try_from(bits.load(Relaxed)).ok()?;
        if elements == 0 || !(1..=64).contains(&bits) {
            return None;
        }
        let entries = rest.get(..elements.checked_mul(3)?)?;
        let read = |entry: &[Word]| {
            let value =
                u128::from(entry[1].load(Relaxed)) | u128::from(entry[2].load(Relaxed)) << 32;
            (entry[0].load(Relaxed), value & mask(bits))
        };
        Some((bits, entries.chunks_exact(3).map(read).collect()))
    }

    /// Value records that the run used, at most the capacity.
    #[must_use]
    pub fn input_count(&self) -> u32 {
        self.control()
            .input_count
            .load(Relaxed)
            .min(self.header.inputs.capacity as u32)
    }

    /// Value record `index`.
    #[must_use]
    pub fn input(&self, index: u32) -> Option<InputRecord> {
        let cells: &[NodeCell] = self.area(self.header.inputs);
        let cell = cells.get(index as usize)?;
        let (name, element) = (cell[2].load(Relaxed), cell[3].load(Relaxed));
        Some(InputRecord {
            value: [cell[0].load(Relaxed), cell[1].load(Relaxed)],
            name: name as u32,
            name_len: (name >> 32) as u16,
            kind: (name >> 48) as u8,
            c_type: (name >> 56) as u8,
            element: element as u32,
            reserved: 0,
        })
    }

    /// Supplies the values of the value stream; what does not fit is dropped. Returns how many were supplied.
    pub fn supply(&self, values: impl Iterator<Item = u128>) -> u32 {
        let cells: &[NodeCell] = self.area(self.header.inputs);
        let mut count = 0;
        for (cell, value) in cells.iter().zip(values) {
            cell[0].store(value as u64, Relaxed);
            cell[1].store((value >> 64) as u64, Relaxed);
            count += 1;
        }
        self.control().supplied.store(count, Relaxed);
        count
    }

    /// Name of `length` bytes at `offset` of the name area: what is no UTF-8 is replaced.
    #[must_use]
    pub fn name(&self, offset: u32, length: u32) -> Option<String> {
        let names: &[AtomicU8] = self.area(self.header.names);
        let range = offset as usize..(offset as usize).checked_add(length as usize)?;
        let bytes: Vec<u8> = names
            .get(range)?
            .iter()
            .map(|byte| byte.load(Relaxed))
            .collect();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Bytes available for the content of all streams.
    #[must_use]
    pub fn stream_space(&self) -> u64 {
        self.stream_bytes.capacity
    }

    /// Number of streams that the segment has room for, entry 0 included.
    #[must_use]
    pub fn stream_slots(&self) -> u32 {
        self.header.streams.capacity as u32
    }

    /// Describes a stream whose content starts at `offset` of the stream bytes; its name stands behind the content.
    /// Returns how many bytes both take, or `None` when they do not fit.
    pub fn set_stream(&self, offset: u64, stream: &path::Stream) -> Option<u64> {
        let content = stream.bytes.len().try_into().unwrap_or(u32::MAX);
        let reserved = stream.max.max(content);
        let name = stream.name.as_bytes();
        let taken = u64::from(reserved) + name.len() as u64 + 1;
        let records: &[StreamCell] = self.area(self.header.streams);
        let bytes: &[AtomicU8] = self.area(self.stream_bytes);
        let start = usize::try_from(offset).ok()?;
        let room = bytes.get(start..start.checked_add(usize::try_from(taken).ok()?)?)?;
        let record = records.get(stream.id as usize).filter(|_| stream.id != 0)?;
        let (room, name_room) = room.split_at(reserved as usize);
        let fill = |room: &[AtomicU8], content: &[u8]| {
            for (cell, byte) in room.iter().zip(content) {
                cell.store(*byte, Relaxed);
            }
        };
        fill(room, &stream.bytes);
        fill(name_room, name);
        fill(&name_room[name.len()..], &[0]);
        let place = self.stream_bytes.offset + offset;
        let (role, argument) = role(stream.role);
        let words = [
            place as u32,
            (place >> 32) as u32,
            reserved,
            stream.min,
            stream.max,
            content,
            0,
            role as u32,
            argument,
            name.len() as u32,
        ];
        for (cell, word) in record.iter().zip(words) {
            cell.store(word, Relaxed);
        }
        Some(taken)
    }

    /// Bytes of stream `id` that the run asked for.
    #[must_use]
    pub fn stream_used(&self, id: u32) -> u32 {
        let records: &[StreamCell] = self.area(self.header.streams);
        records
            .get(id as usize)
            .map_or(0, |record| record[6].load(Relaxed))
    }

    /// The modules that registered.
    #[must_use]
    pub fn modules(&self) -> Vec<ModuleRecord> {
        let cells: &[NodeCell] = self.area(self.header.modules);
        let count = self.control().module_count.load(Relaxed) as usize;
        cells.iter().take(count).map(module_record).collect()
    }

    /// The losses that were counted.
    #[must_use]
    pub fn losses(&self) -> Vec<LossRecord> {
        let cells: &[[AtomicU32; 4]] = self.area(self.header.losses);
        let count = self.control().loss_count.load(Relaxed) as usize;
        let read = |cell: &[AtomicU32; 4]| LossRecord {
            spot: cell[0].load(Relaxed),
            reason: cell[1].load(Relaxed),
            count: cell[2].load(Relaxed),
            reserved: 0,
        };
        cells.iter().take(count).map(read).collect()
    }

    /// Run-time ids below `limit` of the edges that were taken where that has no event, each with how often (`u32::MAX`: so
    /// often or more); forgets them.
    #[must_use]
    pub fn take_edge_hits(&self, limit: usize) -> Vec<(u32, u32)> {
        let cells: &[AtomicU32] = self.area(self.header.edge_hits);
        taken(cells.iter().take(limit))
    }

    /// The same of functions that were entered.
    #[must_use]
    pub fn take_function_hits(&self, limit: usize) -> Vec<(u32, u32)> {
        let cells: &[AtomicU32] = self.area(self.header.edge_hits);
        taken(cells.iter().rev().take(limit))
    }

    /// Asks how near the next run comes to the edges of these run-time ids, or asks no more.
    pub fn ask_near(&self, ids: impl Iterator<Item = u32>, asked: bool) {
        let cells: &[[AtomicU64; 2]] = self.area(self.header.near);
        let words: &[AtomicU64] = self.area(self.header.asked);
        for (id, cell) in ids.filter_map(|id| Some((id, cells.get(id as usize)?))) {
            cell[0].store(if asked { u64::MAX } else { 0 }, Relaxed);
            cell[1].store(0, Relaxed);
            let (word, bit) = (&words[id as usize / 64], 1 << (id % 64));
            let now = word.load(Relaxed);
            let next = if asked { now | bit } else { now & !bit };
            if next != now {
                word.store(next, Relaxed);
            }
        }
    }

    /// How near the last run came to an edge that was asked for; `None` when it did not come by.
    #[must_use]
    pub fn near(&self, id: u32) -> Option<Nearness> {
        let cells: &[[AtomicU64; 2]] = self.area(self.header.near);
        let [least, seen] = cells.get(id as usize)?;
        let (least, seen) = (least.load(Relaxed), seen.load(Relaxed));
        (seen != 0).then_some(Nearness { least, seen })
    }

    /// Text of the failed check, if the run left one.
    #[must_use]
    pub fn check_text(&self) -> Option<String> {
        let control = self.control();
        self.name(
            control.check_name.load(Relaxed),
            control.check_len.load(Relaxed),
        )
    }
}

/// A role as the wire has it, and its place in `argv`.
fn role(role: path::Role) -> (Role, u32) {
    match role {
        path::Role::Stdin => (Role::Stdin, 0),
        path::Role::Argument(place) => (Role::Argument, place),
        path::Role::Arguments(place) => (Role::Arguments, place),
        path::Role::Variable => (Role::Variable, 0),
        path::Role::VariableSet => (Role::VariableSet, 0),
        path::Role::File => (Role::File, 0),
        path::Role::Fuzz => (Role::Fuzz, 0),
    }
}

fn module_record(cell: &NodeCell) -> ModuleRecord {
    let words = [
        cell[1].load(Relaxed),
        cell[2].load(Relaxed),
        cell[3].load(Relaxed),
    ];
    ModuleRecord {
        uid: cell[0].load(Relaxed),
        edge_base: words[0] as u32,
        edges: (words[0] >> 32) as u32,
        function_base: words[1] as u32,
        functions: (words[1] >> 32) as u32,
        spot_base: words[2] as u32,
        spots: (words[2] >> 32) as u32,
    }
}

/// One stream record, shared.
type StreamCell = [AtomicU32; 10];

/// Types that may be laid over shared memory.
///
/// # Safety
/// Made of atomics only, without padding.
unsafe trait Shared {}
// SAFETY: atomics.
unsafe impl Shared for AtomicU8 {}
// SAFETY: atomics.
unsafe impl Shared for AtomicU32 {}
// SAFETY: atomics.
unsafe impl Shared for AtomicU64 {}
// SAFETY: arrays of atomics have no padding.
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

fn memory_file(bytes: u64) -> io::Result<OwnedFd> {
    // SAFETY: a system call with a constant, terminated string.
    let fd = unsafe { libc::memfd_create(c"bothways".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and is owned by nobody else.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: a system call on our own descriptor.
    if unsafe { libc::ftruncate(fd.as_raw_fd(), bytes as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(fd)
}

fn map(fd: &OwnedFd, bytes: u64) -> io::Result<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes as usize,
            protection,
            flags,
            fd.as_raw_fd(),
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(address.cast()).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

/// All ones in the low `bits` bits.
#[must_use]
pub fn mask(bits: u16) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The cells that are not 0, by index, each with its value; they are 0 after it.
fn taken<'a>(cells: impl Iterator<Item = &'a AtomicU32>) -> Vec<(u32, u32)> {
    let loaded = (0..)
        .zip(cells)
        .map(|(index, cell)| (index, cell, cell.load(Relaxed)));
    let hits = loaded.filter(|(_, _, count)| *count != 0);
    hits.map(|(index, cell, count)| {
        cell.store(0, Relaxed);
        (index, count)
    })
    .collect()
}
