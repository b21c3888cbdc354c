//! The server's side: starts a repeater, hands it runs, and watches over it.
//!
//! What must hold: a run that a repeater did not take is made by a fork; so is one that ended because a call could not be judged.
#![allow(unsafe_code, reason = "processes, signals, a shared page")]

use super::cycle;
use crate::gate::gate;
use crate::server::{
    Saved, Turn, become_child, fork_child, reap_strays, sleep_while, supervise, wait_for, wake,
};
use crate::state::STATE;
use core::cell::Cell;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, SeqCst};

/// What the word of the mailbox says.
pub(super) mod word {
    /// The repeater waits.
    pub(super) const ENDED: u32 = 0;
    /// A run is wanted.
    pub(super) const WANTED: u32 = 1;
    /// The repeater makes it.
    pub(super) const TAKEN: u32 = 2;
    /// A bit: some child of the server ended.
    pub(super) const CHILD: u32 = 4;
}

/// A page that the server shares with the repeater.
#[repr(C)]
pub(super) struct Mailbox {
    word: AtomicU32,
    /// Of the last run, as `wait` would give it.
    status: AtomicU32,
    refused: AtomicU32,
}

struct Host {
    mailbox: Cell<u64>,
    /// 0 when there is none.
    repeater: Cell<i32>,
    /// Runs that it made.
    runs: Cell<u32>,
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
    runs: Cell::new(0),
    rest: Cell::new(0),
    pause: Cell::new(0),
    refused: Cell::new(true),
};

/// With fewer runs a repeater was not worth its start.
const FEW: u32 = 8;
/// Most runs that are forked before another repeater is tried.
const LONGEST_PAUSE: u32 = 4096;

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
        self.word.store(word::TAKEN, SeqCst);
    }

    /// It ended; its status is there.
    pub(super) fn end(&self) {
        self.word.store(word::ENDED, SeqCst);
        let wake = libc::FUTEX_WAKE as u64;
        gate(libc::SYS_futex, [self.place(), wake, 1, 0, 0, 0]);
    }

    fn place(&self) -> u64 {
        self.word.as_ptr() as u64
    }

    /// Returns when a run is wanted.
    pub(super) fn await_run(&self) {
        loop {
            let now = self.word.load(Acquire);
            if now & !word::CHILD == word::WANTED {
                return;
            }
            // Not by the C library: its memory has been put back.
            let wait = libc::FUTEX_WAIT as u64;
            gate(libc::SYS_futex, [self.place(), wait, now.into(), 0, 0, 0]);
        }
    }
}

/// Some child of the server ended: the wait for the mailbox is over.
extern "C" fn child_ended(_: i32) {
    Mailbox::get().word.fetch_or(word::CHILD, SeqCst);
}

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

/// One run without symbolic inputs.
pub(crate) fn run(saved: &Saved, start: u64) -> Turn {
    if HOST.refused.get() {
        return Turn::Fork;
    }
    let mailbox = Mailbox::get();
    mailbox.word.store(word::WANTED, SeqCst);
    // Behind the store: one that ends from here on is told by its signal.
    let child = HOST.repeater.get();
    if child != 0 && wait_for(child, libc::WNOHANG).is_some() {
        gone();
    }
    if HOST.repeater.get() != 0 {
        wake(&mailbox.word);
        return watch(mailbox, start);
    }
    let rest = HOST.rest.get();
    if rest > 0 {
        HOST.rest.set(rest - 1);
        return Turn::Fork;
    }
    match fork_child() {
        0 => {
            become_child(saved);
            cycle::begin();
            Turn::Child
        }
        child if child > 0 => {
            HOST.repeater.set(child);
            HOST.runs.set(0);
            watch(mailbox, start)
        }
        _ => Turn::Fork,
    }
}

/// Waits for the end of the run.
fn watch(mailbox: &Mailbox, start: u64) -> Turn {
    let child = HOST.repeater.get();
    let ended = supervise(child, start, |nanos| {
        // The repeater says that it took the run, which is no reason to look after it.
        for _ in 0..3 {
            let now = mailbox.word.load(Acquire);
            if now & !word::CHILD == word::ENDED {
                return Some(None);
            }
            if now & word::CHILD != 0 {
                mailbox.word.fetch_and(!word::CHILD, SeqCst);
                return wait_for(child, libc::WNOHANG).map(Some);
            }
            sleep_while(&mailbox.word, now, nanos);
        }
        wait_for(child, libc::WNOHANG).map(Some)
    });
    let ended = match ended {
        Ok(None) => {
            HOST.runs.set(HOST.runs.get() + 1);
            return Turn::Ended(Ok(mailbox.status.load(Acquire).cast_signed()));
        }
        Ok(Some(status)) => Ok(status),
        Err(limit) => Err(limit),
    };
    let taken = mailbox.word.load(Acquire) & !word::CHILD == word::TAKEN;
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
    HOST.repeater.set(0);
    let pause = if HOST.runs.get() >= FEW {
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
