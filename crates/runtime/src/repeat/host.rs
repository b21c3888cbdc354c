//! The server's side: starts a repeater, and watches over its runs where the engine, which hands them over itself, asks for it.
//!
//! What must hold: a run that a repeater did not take is made by a fork; so is one that ended because a call could not be judged.
//! Each run is answered once: by the repeater, or by the server, which claims it first.
#![allow(unsafe_code, reason = "processes, signals, a shared page")]

use super::cycle;
use crate::gate::gate;
use crate::server::{
    Saved, Turn, answer, become_child, begin_run, fork_child, now, reap_strays, sleep_while,
    supervise, wait_for, wake,
};
use crate::state::{STATE, control};
use core::cell::Cell;
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The repeater makes it.
    Taken,
    /// The repeater is about to answer.
    Ending,
    /// It was answered, or never taken.
    Ended,
    /// The server ends it.
    Claimed,
}

impl Stage {
    /// With the number of the run, for [`Mailbox::run`].
    const fn of(self, run: u32) -> u64 {
        (run as u64) << 2 | self as u64
    }
}

/// A page that the server shares with the repeater.
#[repr(C)]
pub(super) struct Mailbox {
    /// The last run and its [`Stage`].
    run: AtomicU64,
    /// When it began.
    start: AtomicU64,
    /// Of the run, as `wait` would give it.
    status: AtomicU32,
    refused: AtomicU32,
    /// Runs that this repeater made.
    runs: AtomicU32,
}

struct Host {
    mailbox: Cell<u64>,
    /// 0 when there is none.
    repeater: Cell<i32>,
    /// Of `wait`, once it is gone.
    gone: Cell<Option<i32>>,
    /// Runs to be forked before the next repeater.
    rest: Cell<u32>,
    /// What `rest` was last.
    pause: Cell<u32>,
    refused: Cell<bool>,
}

// SAFETY: the server has one thread.
unsafe impl Sync for Host {}

static HOST: Host = Host {
    mailbox: Cell::new(0),
    repeater: Cell::new(0),
    gone: Cell::new(None),
    rest: Cell::new(0),
    pause: Cell::new(0),
    refused: Cell::new(true),
};

/// With fewer runs a repeater was not worth its start.
const FEW: u32 = 8;
/// Most runs that are forked before another repeater is tried.
const LONGEST_PAUSE: u32 = 4096;
/// Nanoseconds between looks whether the repeater is still there: its end may come right before the server sleeps.
const LONGEST_SLEEP: u64 = 2_000_000;

impl Mailbox {
    pub(super) fn get() -> &'static Mailbox {
        // SAFETY: mapped by `prepare`, never given back.
        unsafe { &*(HOST.mailbox.get() as *const Mailbox) }
    }

    pub(super) fn status(&self) -> &AtomicU32 {
        &self.status
    }

    /// This program cannot be repeated.
    pub(super) fn refuse(&self) {
        self.refused.store(1, SeqCst);
    }

    /// The run that is wanted begins.
    pub(super) fn take(&self) {
        self.start.store(now(), Relaxed);
        let run = control().direct.load(Acquire);
        self.go_on(
            self.run.load(Acquire) & !3 | Stage::Ended as u64,
            Stage::Taken.of(run),
        );
    }

    /// It ended: tells the engine.
    pub(super) fn end(&self) {
        let c = control();
        let run = (self.run.load(Acquire) >> 2) as u32;
        self.go_on(Stage::Taken.of(run), Stage::Ending.of(run));
        self.runs.fetch_add(1, Relaxed);
        c.repeater.store(1, Relaxed);
        let status = self.status.load(Acquire).cast_signed();
        answer(run, Ok(status), self.start.load(Relaxed), true);
        self.run.store(Stage::Ended.of(run), SeqCst);
        let all = i32::MAX as u64;
        let place = c.done.as_ptr() as u64;
        gate(
            libc::SYS_futex,
            [place, libc::FUTEX_WAKE as u64, all, 0, 0, 0],
        );
    }

    /// The run is a stage further, unless the server has claimed it, and is about to kill this process.
    fn go_on(&self, from: u64, to: u64) {
        while self.run.compare_exchange(from, to, SeqCst, SeqCst).is_err() {
            gate(libc::SYS_pause, [0; 6]);
        }
    }

    /// Returns when another run is wanted than the last.
    pub(super) fn await_run(&self) {
        let word = &control().direct;
        let last = (self.run.load(Acquire) >> 2) as u32;
        while word.load(Acquire) == last {
            // Not by the C library: its memory has been put back.
            let wait = libc::FUTEX_WAIT as u64;
            let place = word.as_ptr() as u64;
            gate(libc::SYS_futex, [place, wait, last.into(), 0, 0, 0]);
        }
    }

    /// Was this run taken?
    fn has_taken(&self, run: u32) -> bool {
        let now = self.run.load(Acquire);
        now >> 2 == u64::from(run) && now & 3 != Stage::Ended as u64
    }

    /// The server answers this run from here on. False when the repeater does.
    fn claim(&self, run: u32) -> bool {
        let now = self.run.load(Acquire);
        let is_there = now == Stage::Taken.of(run)
            || now & 3 == Stage::Ended as u64 && now >> 2 != u64::from(run);
        let claimed = now & !3 | Stage::Claimed as u64;
        is_there
            && self
                .run
                .compare_exchange(now, claimed, SeqCst, SeqCst)
                .is_ok()
    }
}

/// Some child of the server ended: its sleep is over.
extern "C" fn child_ended(_: i32) {}

/// Maps what [`prepare`] needs. Before the program runs: one that reads its own mappings finds the same ones, wherever its start ends.
pub(crate) fn reserve() {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping.
    let page = unsafe { libc::mmap(core::ptr::null_mut(), 4096, access, flags, -1, 0) };
    if page != libc::MAP_FAILED {
        HOST.mailbox.set(page as u64);
    }
}

/// In the server, before the first run.
pub(crate) fn prepare() {
    if HOST.mailbox.get() == 0 {
        reserve();
    }
    if HOST.mailbox.get() == 0 || STATE.node_count.get() > 1 {
        return;
    }
    HOST.refused.set(false);
    // SAFETY: a handler that touches the page alone.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = child_ended as *const () as usize;
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGCHLD, &raw const action, core::ptr::null_mut());
        let mut child: libc::sigset_t = core::mem::zeroed();
        libc::sigemptyset(&raw mut child);
        libc::sigaddset(&raw mut child, libc::SIGCHLD);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const child, core::ptr::null_mut());
    }
}

/// The repeater, which is not a stray; 0 when there is none.
pub(crate) fn repeater() -> i32 {
    HOST.repeater.get()
}

/// A child of the server ended. The number of the run that was the repeater's, if it was the repeater.
pub(crate) fn lost() -> Option<u32> {
    let child = HOST.repeater.get();
    if child == 0 {
        return None;
    }
    HOST.gone.set(Some(wait_for(child, libc::WNOHANG)?));
    let c = control();
    c.repeater.store(0, SeqCst);
    let run = c.direct.load(SeqCst);
    if c.done.load(SeqCst) == run {
        gone();
        return None;
    }
    Some(run)
}

/// One run without symbolic inputs.
pub(crate) fn run(saved: &Saved, run: u32, start: u64) -> Turn {
    if HOST.refused.get() {
        return Turn::Fork;
    }
    let c = control();
    let is_new = c.direct.swap(run, SeqCst) != run;
    if HOST.repeater.get() != 0 {
        if is_new {
            wake(&c.direct);
        }
        return watch(run, start);
    }
    c.repeater.store(0, SeqCst);
    let rest = HOST.rest.get();
    if rest > 0 {
        HOST.rest.set(rest - 1);
        return Turn::Fork;
    }
    begin_run();
    let mailbox = Mailbox::get();
    mailbox
        .run
        .store(Stage::Ended.of(run.wrapping_sub(1)), SeqCst);
    mailbox.runs.store(0, SeqCst);
    match fork_child() {
        0 => {
            become_child(saved);
            cycle::begin();
            Turn::Child
        }
        child if child > 0 => {
            HOST.repeater.set(child);
            watch(run, start)
        }
        _ => Turn::Fork,
    }
}

/// Waits for the end of the run, which may have begun long ago.
fn watch(run: u32, start: u64) -> Turn {
    let (c, mailbox) = (control(), Mailbox::get());
    let child = HOST.repeater.get();
    let start = match mailbox.has_taken(run) {
        true => mailbox.start.load(Relaxed).min(start),
        false => start,
    };
    let look = |nanos: u64| {
        let done = c.done.load(Acquire);
        if done == run {
            return Some(None);
        }
        let status = HOST.gone.get().or_else(|| wait_for(child, libc::WNOHANG));
        if status.is_none() {
            sleep_while(&c.done, done, nanos.min(LONGEST_SLEEP));
        }
        status.map(Some)
    };
    let ended = match supervise(child, start, look, || mailbox.claim(run)) {
        Ok(None) => return Turn::Answered,
        Ok(Some(status)) => Ok(status),
        Err(limit) => Err(limit),
    };
    let taken = mailbox.has_taken(run);
    gone();
    reap_strays(child);
    // The kernel could not hand a call over.
    let unseen = |status| libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSYS;
    if !taken || ended.is_ok_and(unseen) {
        return Turn::Fork;
    }
    Turn::Ended(ended)
}

/// There is no repeater any more.
fn gone() {
    control().repeater.store(0, SeqCst);
    HOST.repeater.set(0);
    HOST.gone.set(None);
    let pause = if Mailbox::get().runs.load(Acquire) >= FEW {
        0
    } else {
        (2 * HOST.pause.get() + 1).min(LONGEST_PAUSE)
    };
    HOST.pause.set(pause);
    HOST.rest.set(pause);
    if Mailbox::get().refused.load(Acquire) != 0 {
        HOST.refused.set(true);
    }
}
