//! The fork server: see `wire::segment`, protocol.
//!
//! What must hold: the server itself runs no code of the program after the first input; whatever a child does to its
//! descriptors, signals, memory or process group, the server answers each request once.
#![allow(unsafe_code, reason = "processes, signals, futexes")]

use crate::raw::{errno, exit_now, poke, set_errno};
use crate::record::clear_edge_hits;
use crate::state::{self, Phase, STATE, control, recording};
use crate::text::Text;
use crate::{deferred, descriptors, fold, near, repeat};
use core::cell::Cell;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use wire::event::END;
use wire::segment::{Header, SHUTDOWN, exit, overflow, plain, stage};

/// Set while the server itself forks.
static FORKING: AtomicU32 = AtomicU32::new(0);

/// True while the server itself forks.
pub(crate) fn forking() -> bool {
    FORKING.load(Relaxed) != 0
}

/// Wakes whoever waits for a word of the segment.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: a futex call on a live word.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

/// Sleeps as long as a word has this value, no longer than `nanos`, or until a signal; `u64::MAX` is no limit.
pub(crate) fn sleep_while(word: &AtomicU32, value: u32, nanos: u64) {
    let time = timespec(nanos);
    let limit = match nanos {
        u64::MAX => core::ptr::null(),
        _ => &raw const time,
    };
    let (place, wait) = (word.as_ptr(), libc::FUTEX_WAIT);
    // SAFETY: a futex call on a live word.
    unsafe { libc::syscall(libc::SYS_futex, place, wait, value, limit) };
}

fn timespec(nanos: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (nanos / 1_000_000_000) as i64,
        tv_nsec: (nanos % 1_000_000_000) as i64,
    }
}

/// The first symbolic input is about to be created: from here on each run is a forked child. Returns in the child.
#[inline]
pub(crate) fn before_input() {
    if STATE.phase.get() == Phase::Prefix && recording() {
        start();
    }
}

#[cold]
fn start() {
    deferred::end();
    fold::end_start();
    STATE.phase.set(Phase::Running);
    let words = (state::cursor() - STATE.events.get()) / 4;
    control().prefix_events.store(words as u32, Relaxed);
    if STATE.no_server.get() {
        fold::begin();
    } else {
        let saved = errno();
        serve();
        set_errno(saved);
    }
    descriptors::supply();
}

/// Where the events of each run begin, and where the part of the area that inline code writes ends.
struct Bounds {
    cursor: Cell<u64>,
    limit: Cell<u64>,
}

// SAFETY: set before the first run, by the first thread.
unsafe impl Sync for Bounds {}

static BOUNDS: Bounds = Bounds {
    cursor: Cell::new(0),
    limit: Cell::new(0),
};

/// Before a run, in the process that makes it or is about to fork it: what a run finds in the segment, and how it is to be made.
pub(crate) fn begin_run() {
    let c = control();
    if c.overflow.load(Relaxed) & overflow::COUNTED != 0 {
        clear_edge_hits();
    }
    let cursor = BOUNDS.cursor.get();
    poke(cursor, END);
    state::set_cursor(cursor);
    near::begin(c.watched.load(Relaxed) != 0);
    state::set_limit(BOUNDS.limit.get());
    state::set_callee(0);
    state::set_returned(0);
    state::set_symbolic(STATE.node_count.get() > 1);
    // Read here, where no run can have changed it.
    STATE.concrete.set(c.concrete.load(Relaxed) != 0);
    fold::begin();
    publish();
}

/// Writes the counters of the prefix: what a run starts with.
pub(crate) fn publish() {
    let c = control();
    c.node_count.store(STATE.node_count.get(), Relaxed);
    c.input_count.store(STATE.input_count.get(), Relaxed);
    c.name_bytes.store(STATE.name_bytes.get(), Relaxed);
    c.table_words.store(STATE.table_words.get(), Relaxed);
    c.module_count.store(STATE.module_count.get(), Relaxed);
    c.loss_count.store(STATE.loss_count.get(), Relaxed);
    c.overflow.store(STATE.overflow.get(), Relaxed);
    c.stale.store(STATE.stale.get(), Relaxed);
    c.check_len.store(0, Relaxed);
}

/// What the server changes of the process and a child gets back.
pub(crate) struct Saved {
    mask: libc::sigset_t,
    child_action: libc::sigaction,
}

/// Returns in each child.
fn serve() {
    // SAFETY: plain system calls on local structures.
    let saved = unsafe {
        let mut saved: Saved = core::mem::zeroed();
        let mut all: libc::sigset_t = core::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut saved.mask);
        let plain: libc::sigaction = core::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, &raw const plain, &raw mut saved.child_action);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        saved
    };
    BOUNDS.cursor.set(state::cursor());
    BOUNDS.limit.set(state::limit());
    if !STATE.fork.get() {
        repeat::prepare();
    }
    let c = control();
    let mut last = c.request.load(Acquire).min(c.done.load(Relaxed));
    c.server_pid.store(process_id(), Relaxed);
    // There may be one of an earlier server.
    c.repeater.store(0, Relaxed);
    c.stage.store(stage::READY, SeqCst);
    wake(&c.stage);
    loop {
        let request = await_request(last);
        if request == SHUTDOWN {
            exit_now(0);
        }
        last = c.request.load(Relaxed);
        // The repeater may have ended it meanwhile.
        if c.done.load(Acquire) != request && run_one(&saved, request) {
            return;
        }
    }
}

/// The next run that the server has to make or to look after.
fn await_request(last: u32) -> u32 {
    let request = &control().request;
    loop {
        let now = request.load(Acquire);
        if now != last {
            return now;
        }
        // The repeater may have ended while the server was busy; otherwise its end interrupts the sleep.
        if let Some(lost) = repeat::lost() {
            return lost;
        }
        sleep_while(request, last, u64::MAX);
    }
}

fn process_id() -> u32 {
    // SAFETY: cannot fail.
    unsafe { libc::syscall(libc::SYS_getpid) as u32 }
}

pub(crate) fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes a local structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// One run. True in the child.
fn run_one(saved: &Saved, request: u32) -> bool {
    let start = now();
    let turn = if control().concrete.load(Relaxed) == plain::ANY {
        repeat::run(saved, request, start)
    } else {
        Turn::Fork
    };
    let repeated = !matches!(turn, Turn::Fork);
    let turn = match turn {
        Turn::Fork => {
            begin_run();
            run_forked(saved, start)
        }
        turn => turn,
    };
    let ended = match turn {
        Turn::Child => return true,
        Turn::Answered => return false,
        Turn::Fork => Err((exit::NO_FORK, errno() as u32)),
        Turn::Ended(Err(limit)) => Err((limit, 0)),
        Turn::Ended(Ok(status)) => Ok(status),
    };
    answer(request, ended, start, repeated);
    wake(&control().done);
    false
}

/// Says how a run ended: with this status of `wait`, or with this [`exit`] and its value. Wakes nobody.
pub(crate) fn answer(request: u32, ended: Result<i32, (u32, u32)>, start: u64, repeated: bool) {
    let c = control();
    let (kind, value) = match ended {
        Err(other) => other,
        Ok(_) if c.check_len.load(SeqCst) != 0 => (exit::CHECK, 0),
        Ok(status) if libc::WIFEXITED(status) => (exit::EXITED, libc::WEXITSTATUS(status) as u32),
        Ok(status) => (exit::SIGNALLED, libc::WTERMSIG(status) as u32),
    };
    c.repeated.store(repeated.into(), Relaxed);
    c.exit_value.store(value, Relaxed);
    c.exit_kind.store(kind, Relaxed);
    c.run_nanos.store(now() - start, Relaxed);
    c.done.store(request, SeqCst);
}

/// What became of a run.
pub(crate) enum Turn {
    /// This is the process that makes it.
    Child,
    /// It ended, with this status of `wait`, or at a limit: one of [`exit`].
    Ended(Result<i32, u32>),
    /// It ended, and the engine knows.
    Answered,
    /// It needs a fork, or there was none.
    Fork,
}

/// A run in a child of its own.
fn run_forked(saved: &Saved, start: u64) -> Turn {
    let child = fork_child();
    if child == 0 {
        become_child(saved);
        return Turn::Child;
    }
    if child < 0 {
        return Turn::Fork;
    }
    // SAFETY: a descriptor of our own child, or -1.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, child, 0) } as i32;
    let look = |nanos| {
        if nanos == u64::MAX {
            return Some(wait_for(child, 0).unwrap_or(0));
        }
        sleep_on(descriptor, nanos);
        wait_for(child, libc::WNOHANG)
    };
    let ended = supervise(child, start, look, || true);
    if descriptor >= 0 {
        // SAFETY: ours.
        unsafe { libc::syscall(libc::SYS_close, descriptor) };
    }
    reap_strays(child);
    Turn::Ended(ended)
}

/// 0 in the child, negative when there is none.
pub(crate) fn fork_child() -> i32 {
    FORKING.store(1, Relaxed);
    // SAFETY: the first thread forks; handlers of `pthread_atfork` run as for any fork.
    let child = unsafe { libc::fork() };
    FORKING.store(0, Relaxed);
    if child > 0 {
        // SAFETY: our own child; the child does the same.
        unsafe { libc::setpgid(child, child) };
    }
    child
}

/// In a new child: what the server changed of the process is as the program had it.
pub(crate) fn become_child(saved: &Saved) {
    STATE.first_thread.set(crate::raw::thread_pointer());
    // SAFETY: restores what the program had set.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::sigaction(
            libc::SIGCHLD,
            &raw const saved.child_action,
            core::ptr::null_mut(),
        );
        libc::pthread_sigmask(
            libc::SIG_SETMASK,
            &raw const saved.mask,
            core::ptr::null_mut(),
        );
    }
}

/// Nanoseconds between looks at the memory of a child.
const MEMORY_PERIOD: u64 = 20_000_000;

/// Milliseconds that this run may take: what the engine wants now, but no more than it wanted at the start, which no run can
/// have written over. 0 is no limit.
fn time_limit() -> u32 {
    let place = STATE.segment.get() + core::mem::offset_of!(Header, timeout_ms) as u64;
    let (most, wanted) = (STATE.timeout_ms.get(), crate::raw::peek::<u32>(place));
    if most == 0 || wanted == 0 {
        most
    } else {
        wanted.min(most)
    }
}

/// Waits for a run to end, by itself or by a limit, which kills the child. `look` sleeps for some nanoseconds, less when the run
/// ends, and says how it ended; `stop` says whether the run may be ended, which it may not when it just ended by itself.
pub(crate) fn supervise<T>(
    child: i32,
    start: u64,
    mut look: impl FnMut(u64) -> Option<T>,
    stop: impl Fn() -> bool,
) -> Result<T, u32> {
    let timeout_ms = time_limit();
    let deadline = start + u64::from(timeout_ms) * 1_000_000;
    let most = STATE.memory_bytes.get();
    let period = if most != 0 { MEMORY_PERIOD } else { u64::MAX };
    let limit = loop {
        let left = match timeout_ms {
            0 => u64::MAX,
            _ => deadline.saturating_sub(now()),
        };
        if let Some(ended) = look(left.min(period)) {
            return Ok(ended);
        }
        // Behind a look: it may have ended while nobody saw it.
        if left == 0 && stop() {
            break exit::TIMEOUT;
        }
        if most != 0 && resident_bytes(child) > most && stop() {
            break exit::MEMORY;
        }
    };
    kill_group(child);
    wait_for(child, 0);
    Err(limit)
}

/// The child's status once it is gone.
pub(crate) fn wait_for(child: i32, flags: i32) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: waits for our own child.
        let got = unsafe { libc::waitpid(child, &raw mut status, flags) };
        if got == child {
            return Some(status);
        }
        if got == 0 || errno() != libc::EINTR {
            return if got == 0 { None } else { Some(0) };
        }
    }
}

/// Sleeps until the child ends or the time is over; without a descriptor, a short nap.
fn sleep_on(descriptor: i32, nanos: u64) {
    const NAP: u64 = 200_000;
    let nanos = if descriptor < 0 {
        nanos.min(NAP)
    } else {
        nanos
    };
    let time = timespec(nanos);
    let mut poll = libc::pollfd {
        fd: descriptor,
        events: libc::POLLIN,
        revents: 0,
    };
    let count = u64::from(descriptor >= 0);
    // SAFETY: local structures.
    unsafe { libc::ppoll(&raw mut poll, count, &raw const time, core::ptr::null()) };
}

fn kill_group(child: i32) {
    // SAFETY: our own child and the group that it leads.
    unsafe {
        libc::kill(-child, libc::SIGKILL);
        libc::kill(child, libc::SIGKILL);
    }
}

/// Bytes of physical memory of a process.
fn resident_bytes(child: i32) -> u64 {
    let path = Text::of(format_args!("/proc/{child}/statm"));
    let mut text = [0_u8; 128];
    let length = read_file(path.terminated(), &mut text);
    let mut fields = text[..length].split(|&byte| byte == b' ');
    number(fields.nth(1).unwrap_or_default()) * 4096
}

fn number(digits: &[u8]) -> u64 {
    digits
        .iter()
        .take_while(|digit| digit.is_ascii_digit())
        .fold(0, |n, digit| n * 10 + u64::from(digit - b'0'))
}

fn read_file(path: &[u8], text: &mut [u8]) -> usize {
    // SAFETY: a zero-terminated path and a local buffer.
    unsafe {
        let file = libc::syscall(
            libc::SYS_open,
            path.as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        );
        if file < 0 {
            return 0;
        }
        let length = libc::syscall(libc::SYS_read, file, text.as_mut_ptr(), text.len());
        libc::syscall(libc::SYS_close, file);
        usize::try_from(length).unwrap_or(0)
    }
}

/// Ends what the run left behind: its group, then orphans that became ours.
pub(crate) fn reap_strays(child: i32) {
    // SAFETY: the group was led by our child, which was reaped a moment ago.
    unsafe { libc::kill(-child, libc::SIGKILL) };
    for _ in 0..64 {
        // Each that stays dead counts as one of the processes that the next run may have.
        let got = loop {
            let mut status = 0;
            // SAFETY: reaps whatever ended.
            let got = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            if got <= 0 {
                break got;
            }
        };
        if got < 0 || !kill_children() {
            return;
        }
    }
}

/// Kills every child of this process but the repeater. False when there is none.
fn kill_children() -> bool {
    let mut text = [0_u8; 2048];
    let length = read_file(b"/proc/thread-self/children\0", &mut text);
    let mut any = false;
    // A number with a space behind it is whole; what was cut off would be somebody else's.
    let whole = text[..length].iter().rposition(|&byte| byte == b' ');
    for field in text[..whole.unwrap_or(0)].split(|&byte| byte == b' ') {
        let pid = number(field) as i32;
        if pid > 1 && pid != repeat::repeater() {
            any = true;
            // SAFETY: our own child, an orphan of the run.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, core::ptr::null_mut(), 0);
            }
        }
    }
    any
}
