//! What the runtime knows, in one static: geometry of the segment, counters, and the gate that lets only the first thread of
//! the recorded process in.
//!
//! What must hold: everything but [`recording`] and the `Hot` page is touched by the first thread only.
#![allow(unsafe_code, reason = "one static shared with foreign code")]

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::Ordering::Relaxed;
use wire::segment::{Control, Hot};

/// The page that instrumented code reads and writes inline.
#[repr(C, align(4096))]
pub struct HotPage(UnsafeCell<Hot>);

// SAFETY: accesses are plain loads and stores of aligned words; see the module comment.
unsafe impl Sync for HotPage {}

/// Page 1 of the segment is mapped over it at attach.
#[allow(non_upper_case_globals, reason = "the symbol of the interface")]
#[unsafe(no_mangle)]
pub static __bw_hot: HotPage = HotPage(UnsafeCell::new(Hot {
    cursor: 0,
    limit: 0,
    callee: 0,
    returned: 0,
    events_start: 0,
    watch: 0,
    args: [0; wire::segment::ARGS],
    results: [0; wire::segment::RESULTS],
    symbolic: 0,
    library_call: 0,
}));

/// Spot of the program's last call of a wrapper or model.
pub(crate) fn library_call() -> Option<u32> {
    // SAFETY: see the module comment.
    unsafe { (&raw const (*hot()).library_call).read_volatile() }.checked_sub(1)
}

/// The hot page.
#[inline]
pub(crate) fn hot() -> *mut Hot {
    __bw_hot.0.get()
}

macro_rules! hot_fields {
    ($($field:ident $set:ident),*) => { $(
        #[inline]
        pub(crate) fn $field() -> u64 {
            // SAFETY: the page exists for the whole life of the process.
            unsafe { (&raw const (*hot()).$field).read_volatile() }
        }
        #[inline]
        pub(crate) fn $set(value: u64) {
            // SAFETY: the page exists for the whole life of the process.
            unsafe { (&raw mut (*hot()).$field).write_volatile(value) }
        }
    )* };
}
hot_fields!(cursor set_cursor, limit set_limit_alone, callee set_callee, returned set_returned);

/// Inline code writes no event at or after this address, and shows each comparison to the runtime when the run is watched.
#[inline]
pub(crate) fn set_limit(value: u64) {
    set_limit_alone(value);
    let watch = if crate::near::is_watched() { 0 } else { value };
    // SAFETY: the page exists for the whole life of the process.
    unsafe { (&raw mut (*hot()).watch).write_volatile(watch) }
}

/// Tells the engine where the first event is.
pub(crate) fn set_events_start(address: u64) {
    // SAFETY: the page exists for the whole life of the process.
    unsafe { (&raw mut (*hot()).events_start).write_volatile(address) }
}

/// Tells code without labels to make way, or that it may run again.
#[inline]
pub(crate) fn set_symbolic(any: bool) {
    // SAFETY: the page exists for the whole life of the process.
    unsafe { (&raw mut (*hot()).symbolic).write_volatile(u32::from(any)) }
}

/// Whether this process has expressions: where it has none, no byte has a label.
#[inline]
pub(crate) fn is_symbolic() -> bool {
    // SAFETY: the page exists for the whole life of the process.
    unsafe { (&raw const (*hot()).symbolic).read_volatile() != 0 }
}

/// Label of argument `index` of the call in progress.
#[inline]
pub(crate) fn argument(index: usize) -> u32 {
    if index >= wire::segment::ARGS {
        return 0;
    }
    // SAFETY: in bounds of the page.
    unsafe { (&raw const (*hot()).args[index]).read_volatile() }
}

/// Sets the label of argument `index` of the call in progress.
pub(crate) fn set_argument(index: usize, label: u32) {
    // SAFETY: checked by the slice index below.
    unsafe { (&raw mut (*hot()).args[index]).write_volatile(label) }
}

/// Sets the label of result `index`.
#[inline]
pub(crate) fn set_result(index: usize, label: u32) {
    // SAFETY: checked by the slice index below.
    unsafe { (&raw mut (*hot()).results[index]).write_volatile(label) }
}

/// How far the runtime got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Nothing registered yet.
    Fresh,
    /// No engine: inputs are 0, nothing is recorded.
    Alone,
    /// Attached, no symbolic input yet.
    Prefix,
    /// Inputs are live.
    Running,
}

/// The state.
pub(crate) struct State {
    pub(crate) phase: Cell<Phase>,
    /// False in other processes that the program forked.
    pub(crate) recording: Cell<bool>,
    pub(crate) first_thread: Cell<u64>,
    pub(crate) threads: Cell<bool>,
    pub(crate) check: Cell<bool>,
    /// Single values that a run may ask for before it is ended; 0 is no limit.
    pub(crate) most_calls: Cell<u32>,
    pub(crate) calls: Cell<u32>,
    pub(crate) no_server: Cell<bool>,
    pub(crate) early: Cell<bool>,
    /// Each run is a fork.
    pub(crate) fork: Cell<bool>,
    /// Inputs of this run are not symbolic.
    pub(crate) concrete: Cell<bool>,
    pub(crate) segment: Cell<u64>,
    pub(crate) control: Cell<u64>,
    pub(crate) timeout_ms: Cell<u32>,
    pub(crate) memory_bytes: Cell<u64>,
    pub(crate) table_bytes: Cell<u64>,
    /// Functions whose calls may fail.
    pub(crate) failing: Cell<u64>,

    pub(crate) nodes: Cell<u64>,
    pub(crate) node_capacity: Cell<u32>,
    pub(crate) node_count: Cell<u32>,

    pub(crate) events: Cell<u64>,
    /// Where room must be made before the next event (`Hot::limit` may be lower); 0 when the rest of a run is cut off.
    pub(crate) events_end: Cell<u64>,
    /// Where there is no room to be made; 0 as above.
    pub(crate) events_full: Cell<u64>,
    pub(crate) edge_hits: Cell<u64>,
    pub(crate) edge_hits_capacity: Cell<u64>,
    pub(crate) near: Cell<u64>,
    pub(crate) near_capacity: Cell<u64>,
    pub(crate) asked: Cell<u64>,

    pub(crate) inputs: Cell<u64>,
    pub(crate) input_capacity: Cell<u32>,
    pub(crate) input_count: Cell<u32>,
    pub(crate) streams: Cell<u64>,
    pub(crate) stream_capacity: Cell<u32>,
    pub(crate) names: Cell<u64>,
    pub(crate) name_capacity: Cell<u32>,
    pub(crate) name_bytes: Cell<u32>,
    pub(crate) tables: Cell<u64>,
    pub(crate) table_capacity: Cell<u32>,
    pub(crate) table_words: Cell<u32>,
    pub(crate) modules: Cell<u64>,
    pub(crate) module_capacity: Cell<u32>,
    pub(crate) module_count: Cell<u32>,
    pub(crate) losses: Cell<u64>,
    pub(crate) loss_capacity: Cell<u32>,
    pub(crate) loss_count: Cell<u32>,
    pub(crate) overflow: Cell<u32>,
    pub(crate) stale: Cell<u32>,
}

// SAFETY: see the module comment: the gate `recording()` lets one thread in.
unsafe impl Sync for State {}

/// The one state.
pub(crate) static STATE: State = State {
    phase: Cell::new(Phase::Fresh),
    recording: Cell::new(false),
    first_thread: Cell::new(0),
    threads: Cell::new(false),
    check: Cell::new(false),
    most_calls: Cell::new(1 << 20),
    calls: Cell::new(0),
    no_server: Cell::new(false),
    early: Cell::new(false),
    fork: Cell::new(false),
    concrete: Cell::new(false),
    segment: Cell::new(0),
    control: Cell::new(0),
    timeout_ms: Cell::new(0),
    memory_bytes: Cell::new(0),
    table_bytes: Cell::new(0),
    failing: Cell::new(0),
    nodes: Cell::new(0),
    node_capacity: Cell::new(0),
    node_count: Cell::new(1),
    events: Cell::new(0),
    events_end: Cell::new(0),
    events_full: Cell::new(0),
    edge_hits: Cell::new(0),
    edge_hits_capacity: Cell::new(0),
    near: Cell::new(0),
    near_capacity: Cell::new(0),
    asked: Cell::new(0),
    inputs: Cell::new(0),
    input_capacity: Cell::new(0),
    input_count: Cell::new(0),
    streams: Cell::new(0),
    stream_capacity: Cell::new(0),
    names: Cell::new(0),
    name_capacity: Cell::new(0),
    name_bytes: Cell::new(0),
    tables: Cell::new(0),
    table_capacity: Cell::new(0),
    table_words: Cell::new(0),
    modules: Cell::new(0),
    module_capacity: Cell::new(0),
    module_count: Cell::new(0),
    losses: Cell::new(0),
    loss_capacity: Cell::new(0),
    loss_count: Cell::new(0),
    overflow: Cell::new(0),
    stale: Cell::new(0),
};

/// True on the first thread of a recorded process: the gate in front of every builder and recorder.
#[inline]
pub(crate) fn recording() -> bool {
    STATE.recording.get() && crate::raw::thread_pointer() == STATE.first_thread.get()
}

/// The control block. Only while attached.
#[inline]
pub(crate) fn control() -> &'static Control {
    // SAFETY: attach checked the segment; the mapping is never taken down.
    unsafe { &*(STATE.control.get() as *const Control) }
}

/// Reports that something did not fit.
#[cold]
pub(crate) fn overflowed(bit: u32) {
    let bits = STATE.overflow.get() | bit;
    STATE.overflow.set(bits);
    // Other threads set their own bit.
    control().overflow.fetch_or(bits, Relaxed);
}

/// Label of result `index`.
#[cfg(test)]
pub(crate) fn result(index: usize) -> u32 {
    // SAFETY: checked by the slice index below.
    unsafe { (&raw const (*hot()).results[index]).read_volatile() }
}
