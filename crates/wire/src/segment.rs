//! The shared segment: one `memfd` for each worker, made and sized by the engine.
//!
//! The engine passes its number in the environment variable [`ENV`] to the program it starts. The runtime maps it,
//! closes the descriptor, removes the variable, and maps page 1 ([`Hot`]) over its own `__bw_hot`, so that the event
//! cursor survives any crash. No descriptor is used after that: control goes through futex words in [`Control`],
//! since the program under test may close or scribble over any descriptor.
//!
//! # Protocol
//! 1. The engine fills [`Header`] and starts the program. The runtime attaches in its first constructor and sets
//!    `stage` to [`stage::ATTACHED`] (futex wake).
//! 2. The program runs to its first symbolic input: where it asks for one, first touches a stream, or, with streams that must be
//!    there at once or [`flag::EARLY`], `main`. There the process becomes the *server*: it sets `stage` to [`stage::READY`] and
//!    waits for `request` to change. What it recorded so far is the prefix of every run: events, and edges in `edge_hits` when
//!    they were folded.
//! 3. For a run the engine fills the inputs, says in `concrete` whether they are symbolic, and increments `request`.
//!    The server forks; the child runs, the server waits for it with the limits in the header, kills it (and its
//!    process group) on timeout or when it has too much memory, writes `exit_*` and sets `done = request`.
//!    A run whose inputs are not symbolic may be made by a child that makes many, the *repeater*, unless [`flag::FORK`] or
//!    [`plain::FORKED`] is set.
//! 4. As long as `repeater` is 1, the engine may hand such a run to the repeater itself: it writes the number to `direct` in place
//!    of `request`, and the repeater answers. When no answer comes for some milliseconds, the engine writes the same number to
//!    `request`: the server looks after the run from there on, or makes it when there is no repeater any more.
//! 5. `request = `[`SHUTDOWN`] makes the server exit. A server whose engine is gone (PDEATHSIG) dies too.
//!
//! With `flags & `[`flag::NO_SERVER`] there is no fork: the program itself runs once (debugging, and the engine's
//! fallback for programs that cannot fork).

/// Environment variable that carries the descriptor number of the segment.
pub const ENV: &str = "BOTHWAYS_SEGMENT";
/// First bytes of the segment.
pub const MAGIC: u64 = u64::from_le_bytes(*b"bothways");
/// `request` value that ends the server.
pub const SHUTDOWN: u32 = u32::MAX;
/// Page size that the layout is made for.
pub const PAGE: usize = 4096;

/// Bits of `Header::flags`.
pub mod flag {
    /// Evaluate every expression as it is built; stop at the first that differs.
    pub const CHECK: u32 = 1;
    /// Do not fork: run once in the started process.
    pub const NO_SERVER: u32 = 2;
    /// Become the fork server before `main`, not at the first touch of a stream.
    pub const EARLY: u32 = 4;
    /// Fork for each run, also where one process could make many.
    pub const FORK: u32 = 8;
}

/// Values of `Control::stage`.
pub mod stage {
    pub const STARTED: u32 = 0;
    pub const ATTACHED: u32 = 1;
    pub const READY: u32 = 2;
    /// The segment's version or size is not what the runtime was built for.
    pub const REFUSED: u32 = 3;
}

/// Values of `Control::concrete`.
pub mod plain {
    /// The inputs of the run are symbolic.
    pub const SYMBOLIC: u32 = 0;
    /// They are not.
    pub const ANY: u32 = 1;
    /// They are not, and the run is to be a fork.
    pub const FORKED: u32 = 2;
}

/// Values of `Control::exit_kind`.
pub mod exit {
    /// `exit_value` = status passed to `exit`.
    pub const EXITED: u32 = 0;
    /// `exit_value` = signal number.
    pub const SIGNALLED: u32 = 1;
    /// Killed at the time limit.
    pub const TIMEOUT: u32 = 2;
    /// Killed at the memory limit.
    pub const MEMORY: u32 = 3;
    /// Check mode found a difference: its text is in the name area (`check_name`, `check_len`).
    pub const CHECK: u32 = 4;
    /// `fork` failed; `exit_value` = errno.
    pub const NO_FORK: u32 = 5;
}

/// Bits of `Control::overflow`: what did not fit; from there on the run was concrete or unrecorded.
pub mod overflow {
    pub const NODES: u32 = 1;
    pub const EVENTS: u32 = 2;
    pub const INPUTS: u32 = 4;
    pub const TABLES: u32 = 8;
    pub const LOSSES: u32 = 16;
    pub const NAMES: u32 = 32;
    /// Not full, but not seen: another thread took edges. They are counted in `edge_hits`.
    pub const THREADS: u32 = 64;
    /// Not full: edges of stretches without anything symbolic are counted in `edge_hits` in place of events.
    pub const FOLDED: u32 = 128;
    /// Not full: a symbolic value became concrete for good, and it may matter. This alone says so; the loss records are a
    /// report.
    pub const LOST: u32 = 256;
    /// Not full, but not seen: another thread entered functions. They are counted in `edge_hits`.
    pub const CALLS: u32 = 512;
    /// Events are being folded: some of them may be counted already.
    pub const FOLDING: u32 = 1024;
    /// With any of these, `edge_hits` counts.
    pub const COUNTED: u32 = EVENTS | THREADS | FOLDED | CALLS | FOLDING;
    /// With any of these, it does not count each edge once.
    pub const ROUGH: u32 = THREADS | CALLS | FOLDING;
}

/// Byte offset and number of entries of one area.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    pub offset: u64,
    /// Entries, not bytes.
    pub capacity: u64,
}

/// Page 0, first part: geometry and limits. The engine writes it before the start; the runtime copies it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    pub flags: u32,
    /// Bytes of the whole segment.
    pub bytes: u64,
    /// [`crate::node::Node`]s; entry 0 is unused.
    pub nodes: Area,
    /// `u32` words of the event stream.
    pub events: Area,
    /// [`crate::input::InputRecord`]s.
    pub inputs: Area,
    /// [`crate::input::StreamRecord`]s; entry 0 is unused.
    pub streams: Area,
    /// Bytes: names of inputs, text of a failed check.
    pub names: Area,
    /// `u32` words: tables. A table is `[elements][element bits][label or 0, low value, high value] × elements`.
    pub tables: Area,
    /// [`ModuleRecord`]s.
    pub modules: Area,
    /// [`LossRecord`]s.
    pub losses: Area,
    /// Bytes: one for each run-time edge id, set to 1 when an edge is taken after the event area is full; from the other end
    /// one for each run-time function id, when the function is entered there.
    pub edge_hits: Area,
    /// [`Nearness`], one for each run-time edge id.
    pub near: Area,
    /// `u64` words: a bit for each run-time edge id, set for those that `near` asks for, and [`ASKED_SLACK`] words behind them.
    pub asked: Area,
    /// Limit on one run, 0 = none. The engine may shorten it before any run.
    pub timeout_ms: u32,
    /// Largest object, in bytes, that a load through a symbolic address reads whole; larger ones are pinned.
    pub table_bytes: u32,
    /// Limit on the resident set of one run, in bytes; 0 = none.
    pub memory_bytes: u64,
    /// Bits of a [`crate::fail::Set`]: the functions whose calls may fail.
    pub failing: u64,
}

/// Page 0, second part, at [`CONTROL_OFFSET`]: what both sides write. All fields are accessed atomically.
#[repr(C)]
#[derive(Debug)]
pub struct Control {
    /// Written by the engine: number of the run that it wants.
    pub request: core::sync::atomic::AtomicU32,
    /// Written by the server or its repeater: number of the last run that ended.
    pub done: core::sync::atomic::AtomicU32,
    /// A [`stage`].
    pub stage: core::sync::atomic::AtomicU32,
    pub server_pid: core::sync::atomic::AtomicU32,
    pub exit_kind: core::sync::atomic::AtomicU32,
    pub exit_value: core::sync::atomic::AtomicU32,
    /// Written by the engine: values supplied in the input records.
    pub supplied: core::sync::atomic::AtomicU32,
    /// Written by the runtime: input records that the program asked for.
    pub input_count: core::sync::atomic::AtomicU32,
    /// Nodes written, entry 0 included.
    pub node_count: core::sync::atomic::AtomicU32,
    pub name_bytes: core::sync::atomic::AtomicU32,
    pub table_words: core::sync::atomic::AtomicU32,
    pub module_count: core::sync::atomic::AtomicU32,
    pub loss_count: core::sync::atomic::AtomicU32,
    /// Event words that the server recorded before its first input; every run starts with them.
    pub prefix_events: core::sync::atomic::AtomicU32,
    /// Bits of [`overflow`].
    pub overflow: core::sync::atomic::AtomicU32,
    /// Operands whose label did not match the value (memory changed behind the instrumentation's back): dropped.
    pub stale: core::sync::atomic::AtomicU32,
    /// Nanoseconds from the fork to the end of the last run.
    pub run_nanos: core::sync::atomic::AtomicU64,
    pub check_name: core::sync::atomic::AtomicU32,
    pub check_len: core::sync::atomic::AtomicU32,
    /// Written by the engine before each request: one of [`plain`]. A run whose inputs are not symbolic takes the same path and
    /// writes the same events, without expressions.
    pub concrete: core::sync::atomic::AtomicU32,
    /// Written by the engine before each request: with 1, the run tells how near it came to edges that [`Header::near`] asks for.
    pub watched: core::sync::atomic::AtomicU32,
    /// Written by the server or its repeater: 1 when the last run was made without a fork.
    pub repeated: core::sync::atomic::AtomicU32,
    /// Number of the run that the repeater is to make.
    pub direct: core::sync::atomic::AtomicU32,
    /// 1 as long as a repeater takes runs from `direct`.
    pub repeater: core::sync::atomic::AtomicU32,
}

/// How near a run came to an edge that it did not take. The engine sets `least` to `u64::MAX` for the edges that it asks for, and
/// 0 for the others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nearness {
    /// The least branch distance, of the branches that nothing symbolic decided.
    pub least: u64,
    /// Bit `d % 64` is set when the operands were `d` apart; of the last edge of a `switch`, when the value was `d`.
    pub seen: u64,
}

/// Byte offset of [`Control`] in the segment.
pub const CONTROL_OFFSET: usize = 1024;
/// Byte offset of [`Hot`] in the segment: page 1.
pub const HOT_OFFSET: usize = PAGE;
/// First byte that areas may use: page 2.
pub const AREAS_OFFSET: usize = 2 * PAGE;

/// Number of argument labels that a call can pass; further arguments are concrete.
pub const ARGS: usize = 64;
/// Number of labels of one result (leaves of a returned aggregate).
pub const RESULTS: usize = 16;

/// Page 1: what instrumented code reads and writes inline. The symbol `__bw_hot` is this struct, page-aligned.
/// Instrumented code uses byte offsets: see the constants below.
#[repr(C, align(4096))]
pub struct Hot {
    /// Where the next event word goes, an address in the process.
    pub cursor: u64,
    /// No event may start at or after this address; the area has [`EVENT_SLACK`] words behind it.
    pub limit: u64,
    /// Address of the function that `args` is for, or 0. Set only when some argument label is not 0.
    pub callee: u64,
    /// Address of the function that `results` comes from, or 0. Set only when some result label is not 0.
    pub returned: u64,
    /// Address of the first event word, for the engine to compute the count.
    pub events_start: u64,
    /// As `limit`, for a branch that compares something: 0 when the runtime is to see the operands.
    pub watch: u64,
    pub args: [u32; ARGS],
    pub results: [u32; RESULTS],
    /// 0 as long as nothing on this run is symbolic: code may go without labels.
    pub symbolic: u32,
    /// Run-time spot id + 1 of the program's last call of a wrapper or model; 0 before the first. What is lost inside is
    /// counted there.
    pub library_call: u32,
}

/// Offset of [`Hot::cursor`].
pub const HOT_CURSOR: u64 = 0;
/// Offset of [`Hot::limit`].
pub const HOT_LIMIT: u64 = 8;
/// Offset of [`Hot::callee`].
pub const HOT_CALLEE: u64 = 16;
/// Offset of [`Hot::returned`].
pub const HOT_RETURNED: u64 = 24;
/// Offset of [`Hot::watch`].
pub const HOT_WATCH: u64 = 40;
/// Offset of [`Hot::args`].
pub const HOT_ARGS: u64 = 48;
/// Offset of [`Hot::results`].
pub const HOT_RESULTS: u64 = HOT_ARGS + 4 * ARGS as u64;
/// Offset of [`Hot::symbolic`].
pub const HOT_SYMBOLIC: u64 = HOT_RESULTS + 4 * RESULTS as u64;
/// Offset of [`Hot::library_call`].
pub const HOT_LIBRARY_CALL: u64 = HOT_SYMBOLIC + 4;
/// Words of [`Header::asked`] behind those that have bits of edges.
pub const ASKED_SLACK: u64 = 2;
/// Words that fit behind `limit`: the longest event.
pub const EVENT_SLACK: usize = 4;

/// One module of the running program, in the order of registration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleRecord {
    /// [`crate::section::RecordHeader::uid`].
    pub uid: u64,
    /// First run-time id of its edges, functions and spots, and how many there are.
    pub edge_base: u32,
    pub edges: u32,
    pub function_base: u32,
    pub functions: u32,
    pub spot_base: u32,
    pub spots: u32,
}

/// Why symbolism was lost.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loss {
    /// A symbolic value went into a function that is neither instrumented nor wrapped.
    External = 1,
    /// An instruction that has no expression (vectors, inline assembly, atomics …).
    Instruction = 2,
    /// An address was pinned.
    Address = 3,
    /// A length or size was pinned.
    Length = 4,
    /// A table of the run was full.
    Full = 5,
    /// Another thread or a forked child touched symbolic data.
    Thread = 6,
    /// Memory changed behind the instrumentation's back, so its labels were dropped.
    Stale = 7,
    /// A value was pinned that has no expression.
    Value = 8,
}

impl Loss {
    /// Every reason.
    pub const ALL: &'static [Loss] = &[
        Loss::External,
        Loss::Instruction,
        Loss::Address,
        Loss::Length,
        Loss::Full,
        Loss::Thread,
        Loss::Stale,
        Loss::Value,
    ];
}

/// Counter of one (spot, reason).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossRecord {
    /// Run-time spot id.
    pub spot: u32,
    /// A [`Loss`], as a number.
    pub reason: u32,
    pub count: u32,
    pub reserved: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};

    #[test]
    fn layout_is_what_instrumented_code_assumes() {
        assert_eq!(offset_of!(Hot, cursor) as u64, HOT_CURSOR);
        assert_eq!(offset_of!(Hot, limit) as u64, HOT_LIMIT);
        assert_eq!(offset_of!(Hot, watch) as u64, HOT_WATCH);
        assert_eq!(offset_of!(Hot, symbolic) as u64, HOT_SYMBOLIC);
        assert_eq!(offset_of!(Hot, library_call) as u64, HOT_LIBRARY_CALL);
        assert_eq!(offset_of!(Hot, callee) as u64, HOT_CALLEE);
        assert_eq!(offset_of!(Hot, returned) as u64, HOT_RETURNED);
        assert_eq!(offset_of!(Hot, args) as u64, HOT_ARGS);
        assert_eq!(offset_of!(Hot, results) as u64, HOT_RESULTS);
        assert_eq!(size_of::<Hot>(), PAGE);
        assert!(size_of::<Header>() <= CONTROL_OFFSET);
        assert!(CONTROL_OFFSET + size_of::<Control>() <= HOT_OFFSET);
        assert_eq!(size_of::<crate::node::Node>(), 32);
        assert_eq!(size_of::<crate::input::InputRecord>(), 32);
    }
}
