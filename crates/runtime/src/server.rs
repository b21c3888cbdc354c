//! The fork server: see `wire::segment`, protocol.
//!
//! What must hold: the server itself runs no code of the program after the first input; whatever a child does to its
//! descriptors, signals, memory or process group, the server answers each request once.
#![allow(unsafe_code, reason = "processes, signals, futexes")]

use crate::raw::{errno, exit_now, poke, set_errno};
use crate::record::clear_edge_hits;
use crate::state::{self, Phase, STATE, control, recording};
use crate::text::Text;
use crate::{deferred, descriptors, fold, near};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use wire::event::END;
use wire::segment::{Header, SHUTDOWN, exit, overflow, stage};

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

fn wait_while(word: &AtomicU32, value: u32) -> u32 {
    loop {
        let now = word.load(Acquire);
        if now != value {
            return now;
        }
        let forever = core::ptr::null::<libc::timespec>();
        // SAFETY: a futex call on a live word.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT,
                value,
                forever,
            )
        };
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
struct Saved {
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
    let (cursor, limit) = (state::cursor(), state::limit());
    let c = control();
    let mut last = c.request.load(Acquire).min(c.done.load(Relaxed));
    c.server_pid.store(process_id(), Relaxed);
    c.stage.store(stage::READY, SeqCst);
    wake(&c.stage);
    loop {
        let request = wait_while(&c.request, last);
        if request == SHUTDOWN {
            exit_now(0);
        }
        last = request;
        if c.overflow.load(Relaxed) & overflow::COUNTED != 0 {
            clear_edge_hits();
        }
        poke(cursor, END);
        state::set_cursor(cursor);
        state::set_limit(limit);
        state::set_callee(0);
        state::set_returned(0);
        state::set_symbolic(STATE.node_count.get() > 1);
        // Read here, where no run can have changed it.
        STATE.concrete.set(c.concrete.load(Relaxed) != 0);
        fold::begin();
        near::begin(c.watched.load(Relaxed) != 0);
        publish();
        if run_one(&saved) {
            return;
        }
        c.done.store(request, SeqCst);
        wake(&c.done);
    }
}

fn process_id() -> u32 {
    // SAFETY: cannot fail.
    unsafe { libc::syscall(libc::SYS_getpid) as u32 }
}

fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes a local structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// One run. True in the child.
fn run_one(saved: &Saved) -> bool {
    let start = now();
    FORKING.store(1, Relaxed);
    // SAFETY: the first thread forks; handlers of `pthread_atfork` run as for any fork.
    let child = unsafe { libc::fork() };
    FORKING.store(0, Relaxed);
    if child == 0 {
        become_child(saved);
        return true;
    }
    let c = control();
    if child < 0 {
        c.exit_value.store(errno() as u32, Relaxed);
        c.exit_kind.store(exit::NO_FORK, Relaxed);
        return false;
    }
    // SAFETY: our own child; the child does the same.
    unsafe { libc::setpgid(child, child) };
    let (kind, status) = supervise(child, start);
    let (kind, value) = match kind {
        Some(kind) => (kind, 0),
        None if c.check_len.load(SeqCst) != 0 => (exit::CHECK, 0),
        None if libc::WIFEXITED(status) => (exit::EXITED, libc::WEXITSTATUS(status) as u32),
        None => (exit::SIGNALLED, libc::WTERMSIG(status) as u32),
    };
    reap_strays(child);
    c.exit_value.store(value, Relaxed);
    c.exit_kind.store(kind, Relaxed);
    c.run_nanos.store(now() - start, Relaxed);
    false
}

fn become_child(saved: &Saved) {
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

/// Waits for the child to end, by itself or by a limit.
fn supervise(child: i32, start: u64) -> (Option<u32>, i32) {
    let timeout_ms = time_limit();
    let deadline = start + u64::from(timeout_ms) * 1_000_000;
    let limited = timeout_ms != 0;
    let most = STATE.memory_bytes.get();
    // SAFETY: a descriptor of our own child, or -1.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, child, 0) } as i32;
    let mut verdict = None;
    let status = loop {
        let left = if limited {
            deadline.saturating_sub(now())
        } else {
            u64::MAX
        };
        if left == 0 && verdict.is_none() {
            verdict = Some(exit::TIMEOUT);
            kill_group(child);
        }
        let period = if most != 0 { MEMORY_PERIOD } else { u64::MAX };
        if verdict.is_some() || left.min(period) == u64::MAX {
            break wait_for(child, 0).unwrap_or(0);
        }
        sleep_on(descriptor, left.min(period));
        if let Some(status) = wait_for(child, libc::WNOHANG) {
            break status;
        }
        if most != 0 && resident_bytes(child) > most {
            verdict = Some(exit::MEMORY);
            kill_group(child);
        }
    };
    if descriptor >= 0 {
        // SAFETY: ours.
        unsafe { libc::syscall(libc::SYS_close, descriptor) };
    }
    (verdict, status)
}

/// The child's status once it is gone.
fn wait_for(child: i32, flags: i32) -> Option<i32> {
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
    let time = libc::timespec {
        tv_sec: (nanos / 1_000_000_000) as i64,
        tv_nsec: (nanos % 1_000_000_000) as i64,
    };
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
fn reap_strays(child: i32) {
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

/// Kills every child of this process. False when there is none.
fn kill_children() -> bool {
    let mut text = [0_u8; 2048];
    let length = read_file(b"/proc/thread-self/children\0", &mut text);
    let mut any = false;
    // A number with a space behind it is whole; what was cut off would be somebody else's.
    let whole = text[..length].iter().rposition(|&byte| byte == b' ');
    for field in text[..whole.unwrap_or(0)].split(|&byte| byte == b' ') {
        let pid = number(field) as i32;
        if pid > 1 {
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
