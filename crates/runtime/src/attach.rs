//! Start of the runtime in a process: segment, shadow, hot page, modules; what happens in forked children; check mode's end.
//!
//! What must hold: after [`attach`] the shadow is mapped and the event cursor is below its limit, with or without engine.
#![allow(unsafe_code, reason = "mappings at fixed addresses, exported symbols")]

use crate::build::Sym;
use crate::raw::{complain, exit_now, peek, poke, reserve};
use crate::state::{self, Phase, STATE, control, hot, recording};
use crate::text::Text;
use crate::{cons, fold, objects, record, server};
use core::cell::Cell;
use core::fmt::Write;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};
use wire::abi::ModuleInfo;
use wire::event::{END, mark};
use wire::input::{InputRecord, StreamRecord};
use wire::node::{LABEL_MAX, Node};
use wire::segment::{
    ASKED_SLACK, Area, CONTROL_OFFSET, EVENT_SLACK, HOT_OFFSET, Header, LossRecord, MAGIC,
    ModuleRecord, Nearness, PAGE, flag, stage,
};
use wire::shadow;

/// Exit status of a process that could not attach.
const REFUSED_STATUS: i32 = 3;

/// Bytes of the private ring of a process without engine.
const RING_BYTES: u64 = 1 << 16;

struct Bases {
    ring: Cell<u64>,
    edge: Cell<u32>,
    function: Cell<u32>,
    spot: Cell<u32>,
}

// SAFETY: constructors and atfork handlers run on one thread at a time.
unsafe impl Sync for Bases {}

static BASES: Bases = Bases {
    ring: Cell::new(0),
    edge: Cell::new(0),
    function: Cell::new(0),
    spot: Cell::new(0),
};

/// Edges and functions of the modules so far.
pub(crate) fn registered() -> (u32, u32) {
    (BASES.edge.get(), BASES.function.get())
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_register(module: u64) {
    attach();
    let mut info = ModuleInfoCopy::read(module);
    let (edges, functions, spots) = (info.edges, info.functions, info.spots);
    let take = |base: &Cell<u32>, count: u32| base.replace(base.get().saturating_add(count));
    info.edge_base = take(&BASES.edge, edges);
    info.function_base = take(&BASES.function, functions);
    info.spot_base = take(&BASES.spot, spots);
    info.write(module);
    objects::add_module(module);
    if info.library {
        crate::record::add_model(info.spot_base, spots);
    }
    let index = STATE.module_count.get();
    if STATE.phase.get() as u32 <= Phase::Alone as u32 || index >= STATE.module_capacity.get() {
        return;
    }
    let record = ModuleRecord {
        uid: info.uid,
        edge_base: info.edge_base,
        edges,
        function_base: info.function_base,
        functions,
        spot_base: info.spot_base,
        spots,
    };
    poke(
        STATE.modules.get() + u64::from(index) * size_of::<ModuleRecord>() as u64,
        record,
    );
    STATE.module_count.set(index + 1);
    control().module_count.store(index + 1, Relaxed);
}

/// The numbers of a `ModuleInfo`.
struct ModuleInfoCopy {
    uid: u64,
    edges: u32,
    functions: u32,
    spots: u32,
    edge_base: u32,
    function_base: u32,
    spot_base: u32,
    library: bool,
}

impl ModuleInfoCopy {
    fn read(module: u64) -> ModuleInfoCopy {
        use core::mem::offset_of;
        let word = |offset: usize| peek::<u32>(module + offset as u64);
        ModuleInfoCopy {
            uid: peek(module + offset_of!(ModuleInfo, uid) as u64),
            edges: word(offset_of!(ModuleInfo, edges)),
            functions: word(offset_of!(ModuleInfo, functions)),
            spots: word(offset_of!(ModuleInfo, spots)),
            edge_base: 0,
            function_base: 0,
            spot_base: 0,
            library: peek::<u64>(module + offset_of!(ModuleInfo, library) as u64) != 0,
        }
    }

    fn write(&self, module: u64) {
        use core::mem::offset_of;
        poke(
            module + offset_of!(ModuleInfo, edge_base) as u64,
            self.edge_base,
        );
        poke(
            module + offset_of!(ModuleInfo, function_base) as u64,
            self.function_base,
        );
        poke(
            module + offset_of!(ModuleInfo, spot_base) as u64,
            self.spot_base,
        );
    }
}

/// Attaches once; later calls do nothing.
pub(crate) fn attach() {
    if STATE.phase.get() != Phase::Fresh {
        return;
    }
    STATE.first_thread.set(crate::raw::thread_pointer());
    let errno = crate::raw::errno();
    map_shadow();
    if let Some(most) = taken_number(c"BOTHWAYS_CALLS") {
        STATE.most_calls.set(most.cast_unsigned());
    }
    match segment_descriptor() {
        Some(descriptor) => join(descriptor),
        None => {
            STATE.phase.set(Phase::Alone);
            start_ring();
        }
    }
    crate::raw::set_errno(errno);
}

fn refuse(message: &str) -> ! {
    complain(b"bothways: ");
    complain(message.as_bytes());
    complain(b"\n");
    exit_now(REFUSED_STATUS)
}

pub(crate) fn map_shadow() {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let length = shadow::BYTES as usize;
    // SAFETY: MAP_FIXED_NOREPLACE takes nothing away from the program.
    let got = unsafe { libc::mmap(shadow::BASE as *mut _, length, access, flags, -1, 0) };
    if got as u64 != shadow::BASE {
        refuse(
            "cannot map the shadow memory (16 TB of address space): lift `ulimit -v`, and set vm.overcommit_memory to 0 or 1",
        );
    }
    // SAFETY: advice about the mapping just made.
    unsafe {
        libc::madvise(got, length, libc::MADV_DONTDUMP);
        libc::madvise(got, length, libc::MADV_NOHUGEPAGE);
    }
}

/// The descriptor that the engine passed.
fn segment_descriptor() -> Option<i32> {
    taken_number(c"BOTHWAYS_SEGMENT")
}

/// A number in the environment; takes it out.
fn taken_number(name: &core::ffi::CStr) -> Option<i32> {
    let name = name.as_ptr();
    // SAFETY: a plain look-up in the environment.
    let text = unsafe { libc::getenv(name) } as u64;
    if text == 0 {
        return None;
    }
    let mut number = 0_i32;
    let mut at = text;
    while let digit @ b'0'..=b'9' = peek::<u8>(at) {
        number = number
            .wrapping_mul(10)
            .wrapping_add(i32::from(digit - b'0'));
        at += 1;
    }
    // SAFETY: no other thread runs yet.
    unsafe { libc::unsetenv(name) };
    Some(number)
}

fn join(descriptor: i32) {
    // SAFETY: a plain query of the descriptor into a zeroed structure.
    let bytes = unsafe {
        let mut status: libc::stat = core::mem::zeroed();
        if libc::fstat(descriptor, &raw mut status) != 0 {
            refuse("BOTHWAYS_SEGMENT names no open descriptor");
        }
        status.st_size as usize
    };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    if bytes < 2 * PAGE {
        refuse("the segment is too small");
    }
    // SAFETY: a fresh mapping of the engine's memfd.
    let segment = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            bytes,
            access,
            libc::MAP_SHARED,
            descriptor,
            0,
        )
    } as u64;
    if segment == u64::MAX {
        refuse("cannot map the segment");
    }
    STATE.segment.set(segment);
    STATE.control.set(segment + CONTROL_OFFSET as u64);
    let header: Header = peek(segment);
    if !adopt(&header, segment, bytes as u64) {
        control().stage.store(stage::REFUSED, SeqCst);
        server::wake(&control().stage);
        refuse("this program was instrumented by another version of bothways: rebuild it");
    }
    let page = hot().cast();
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: `__bw_hot` is a page of its own.
    let mapped = unsafe { libc::mmap(page, PAGE, access, flags, descriptor, HOT_OFFSET as i64) };
    if mapped != page {
        refuse("cannot map the hot page");
    }
    // SAFETY: plain system calls; the descriptor is ours to close.
    unsafe {
        libc::close(descriptor);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::pthread_atfork(None, Some(after_fork_parent), Some(after_fork_child));
    }
    start_stream();
    STATE.phase.set(Phase::Prefix);
    STATE.recording.set(true);
    control().stage.store(stage::ATTACHED, SeqCst);
    server::wake(&control().stage);
}

/// Copies the geometry. False when it is not what this runtime was built for.
fn adopt(header: &Header, segment: u64, bytes: u64) -> bool {
    let fits = |area: &Area, entry: usize| {
        let length = area.capacity.checked_mul(entry as u64);
        length
            .and_then(|length| length.checked_add(area.offset))
            .is_some_and(|end| end <= bytes)
            && area.offset.is_multiple_of(8)
    };
    let right = header.magic == MAGIC && header.version == wire::VERSION && header.bytes <= bytes;
    let areas = fits(&header.nodes, size_of::<Node>())
        && fits(&header.events, 4)
        && fits(&header.inputs, size_of::<InputRecord>())
        && fits(&header.streams, size_of::<StreamRecord>())
        && fits(&header.names, 1)
        && fits(&header.tables, 4)
        && fits(&header.modules, size_of::<ModuleRecord>())
        && fits(&header.losses, size_of::<LossRecord>())
        && fits(&header.edge_hits, 4)
        && fits(&header.near, size_of::<Nearness>())
        && fits(&header.asked, size_of::<u64>())
        && header.asked.capacity >= header.near.capacity / 64 + ASKED_SLACK;
    if !right || !areas || header.events.capacity <= EVENT_SLACK as u64 {
        return false;
    }
    let number = |area: &Area| u32::try_from(area.capacity).unwrap_or(u32::MAX);
    let place = |cell: &Cell<u64>, area: &Area| cell.set(segment + area.offset);
    let capacity = number(&header.nodes).min(LABEL_MAX);
    STATE.check.set(header.flags & flag::CHECK != 0);
    STATE.no_server.set(header.flags & flag::NO_SERVER != 0);
    STATE.early.set(header.flags & flag::EARLY != 0);
    STATE.fork.set(header.flags & flag::FORK != 0);
    STATE.timeout_ms.set(header.timeout_ms);
    STATE.memory_bytes.set(header.memory_bytes);
    STATE.table_bytes.set(header.table_bytes.into());
    STATE.failing.set(header.failing);
    place(&STATE.nodes, &header.nodes);
    STATE.node_capacity.set(capacity);
    place(&STATE.events, &header.events);
    let full = STATE.events.get() + 4 * (header.events.capacity - EVENT_SLACK as u64);
    STATE.events_end.set(full);
    STATE.events_full.set(full);
    place(&STATE.inputs, &header.inputs);
    STATE.input_capacity.set(number(&header.inputs));
    place(&STATE.streams, &header.streams);
    STATE.stream_capacity.set(number(&header.streams));
    place(&STATE.names, &header.names);
    STATE.name_capacity.set(number(&header.names));
    place(&STATE.tables, &header.tables);
    STATE.table_capacity.set(number(&header.tables));
    place(&STATE.modules, &header.modules);
    STATE.module_capacity.set(number(&header.modules));
    place(&STATE.losses, &header.losses);
    STATE.loss_capacity.set(number(&header.losses));
    place(&STATE.edge_hits, &header.edge_hits);
    STATE.edge_hits_capacity.set(header.edge_hits.capacity);
    place(&STATE.near, &header.near);
    STATE.near_capacity.set(header.near.capacity);
    place(&STATE.asked, &header.asked);
    cons::prepare(capacity)
}

/// Points inline code at the event area.
fn start_stream() {
    let start = STATE.events.get();
    poke(start, END);
    state::set_events_start(start);
    state::set_callee(0);
    state::set_returned(0);
    state::set_symbolic(false);
    state::set_cursor(start);
    state::set_limit(STATE.events_end.get());
    fold::begin();
    server::publish();
}

/// Points inline code at a private ring that nobody reads.
fn start_ring() {
    if BASES.ring.get() == 0 {
        let Some(ring) = reserve(RING_BYTES) else {
            refuse("no memory")
        };
        BASES.ring.set(ring);
    }
    state::set_events_start(BASES.ring.get());
    state::set_limit(BASES.ring.get() + RING_BYTES - 4 * EVENT_SLACK as u64);
    rewind_ring();
}

/// The private ring is full: start over.
pub(crate) fn rewind_ring() {
    state::set_cursor(BASES.ring.get());
}

extern "C" fn after_fork_parent() {
    if !server::forking() && recording() {
        record::marked(mark::FORKED, 0);
    }
}

/// A process that the program forked: nothing of it is recorded.
extern "C" fn after_fork_child() {
    if server::forking() {
        return;
    }
    STATE.recording.set(false);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: replaces the shared page by a private one, in this process only.
    unsafe { libc::mmap(hot().cast(), PAGE, access, flags, -1, 0) };
    start_ring();
}

/// Check mode found an expression whose value is not the program's: leaves the text and ends the process.
#[cold]
pub(crate) fn check_failed(op: u32, operands: &[Sym], want: u128, got: Sym) -> ! {
    let mut text = Text::default();
    let name = wire::node::Op::from_u8(op as u8);
    let _ = match name {
        Some(name) if op & 0xc000 == 0 => write!(text, "{name:?} (op_bits {op:#x})"),
        _ => write!(text, "operation {:#x}", op),
    };
    for operand in operands {
        let _ = write!(
            text,
            ", operand {:#x} of {} bits (node {})",
            operand.value, operand.bits, operand.label
        );
    }
    let _ = write!(
        text,
        ": the program computed {want:#x}, node {} has {:#x} of {} bits",
        got.label, got.value, got.bits
    );
    let (offset, room) = (
        STATE.name_bytes.get(),
        STATE.name_capacity.get() - STATE.name_bytes.get(),
    );
    let length = (text.bytes().len() as u32).min(room);
    for (index, &byte) in text.bytes()[..length as usize].iter().enumerate() {
        poke(STATE.names.get() + u64::from(offset) + index as u64, byte);
    }
    control().check_name.store(offset, Relaxed);
    control().check_len.store(length.max(1), SeqCst);
    exit_now(REFUSED_STATUS)
}
