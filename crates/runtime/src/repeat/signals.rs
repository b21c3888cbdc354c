//! Signals of a run: what the program sets is put back behind it.
//!
//! What must hold: SIGSYS is never blocked while system calls are seen, neither by the program nor in its handlers, for the kernel
//! kills a process that it cannot hand a call to.
#![allow(unsafe_code, reason = "signal sets of the kernel")]

use super::Verdict;
use crate::gate::{self, Action, Call, gate};
use core::cell::Cell;

const SIGNALS: usize = 65;
const SIGSYS: u64 = 1 << (libc::SIGSYS - 1);
/// Handlers that are functions.
const FIRST_HANDLER: u64 = 2;

/// Signal actions and mask as they were before the first run, and which of them the run under way has changed.
pub(super) struct Signals {
    /// Before the first run.
    actions: [Cell<Action>; SIGNALS],
    mask: Cell<u64>,
    /// Of each signal, a bit: its action was set by the run.
    changed: Cell<u128>,
    /// A bit: its handler is to block SIGSYS, and does not.
    open: Cell<u128>,
    open_before: Cell<u128>,
    /// The program wants SIGSYS blocked.
    wanted: Cell<bool>,
    wanted_before: Cell<bool>,
    /// What SIGSYS did.
    own: Cell<Action>,
    mask_changed: Cell<bool>,
}

fn mask(how: i32, set: u64) -> u64 {
    let mut old = 0_u64;
    let (set, old_at) = (&raw const set as u64, &raw mut old as u64);
    gate(libc::SYS_rt_sigprocmask, [how as u64, set, old_at, 8, 0, 0]);
    old
}

impl Signals {
    /// Before the first run.
    pub(super) fn keep(&self, handler: gate::Handler, flags: i32) {
        let before = mask(libc::SIG_UNBLOCK, SIGSYS);
        self.wanted.set(before & SIGSYS != 0);
        self.wanted_before.set(before & SIGSYS != 0);
        self.mask.set(before & !SIGSYS);
        let all = (1..SIGNALS as i32).filter(|signal| *signal != libc::SIGSYS);
        for signal in all {
            self.open_handler(signal);
            self.actions[signal as usize].set(gate::action(signal));
        }
        self.open_before.set(self.open.get());
        let action = Action::of(handler, flags | libc::SA_NODEFER);
        self.own.set(gate::exchange(libc::SIGSYS, action));
    }

    /// The handler of this signal lets SIGSYS through.
    fn open_handler(&self, signal: i32) {
        let action = gate::action(signal);
        let bit = 1_u128 << signal;
        if action.handler >= FIRST_HANDLER && action.mask & SIGSYS != 0 {
            let open = Action {
                mask: action.mask & !SIGSYS,
                ..action
            };
            gate::exchange(signal, open);
            self.open.set(self.open.get() | bit);
        } else {
            self.open.set(self.open.get() & !bit);
        }
    }

    pub(super) fn sets_action(&self, call: &Call) -> Verdict {
        let signal = call.arguments[0] as usize;
        if signal == libc::SIGSYS as usize || signal >= SIGNALS {
            return Verdict::Leave;
        }
        let result = call.make();
        if result == 0 && call.arguments[1] != 0 {
            self.changed.set(self.changed.get() | 1 << signal);
            self.open_handler(signal as i32);
        }
        Verdict::Answer(result)
    }

    /// The handler at hand has the program's own mask, since it blocks nothing.
    pub(super) fn sets_mask(&self, call: &Call, context: &mut libc::ucontext_t) -> Verdict {
        if self.wanted.get() {
            mask(libc::SIG_BLOCK, SIGSYS);
        }
        let result = call.make();
        let now = mask(libc::SIG_UNBLOCK, SIGSYS);
        self.wanted.set(now & SIGSYS != 0);
        set_mask_of(context, now & !SIGSYS);
        self.mask_changed.set(true);
        Verdict::Answer(result)
    }

    /// A context that was made before calls were seen lets SIGSYS through where it goes on.
    pub(super) fn open_context(&self, context: &mut libc::ucontext_t) {
        let mask = mask_of(context);
        self.wanted.set(mask & SIGSYS != 0);
        set_mask_of(context, mask & !SIGSYS);
    }

    /// Does this signal end the process, and by nothing but its default?
    pub(super) fn is_fatal(&self, signal: i32) -> bool {
        signal == libc::SIGABRT && gate::action(signal).handler == libc::SIG_DFL as u64
    }

    /// After a run.
    pub(super) fn put_back(&self) {
        let mut changed = self.changed.replace(0);
        while changed != 0 {
            let signal = changed.trailing_zeros() as i32;
            changed &= changed - 1;
            gate::exchange(signal, self.actions[signal as usize].get());
        }
        self.open.set(self.open_before.get());
        if self.mask_changed.replace(false) {
            mask(libc::SIG_SETMASK, self.mask.get());
            self.wanted.set(self.wanted_before.get());
        }
    }

    /// The process goes on as an ordinary child, with the signals that it has set.
    pub(super) fn leave(&self, context: &mut libc::ucontext_t) {
        let mut open = self.open.replace(0);
        while open != 0 {
            let signal = open.trailing_zeros() as i32;
            open &= open - 1;
            let action = gate::action(signal);
            let closed = Action {
                mask: action.mask | SIGSYS,
                ..action
            };
            gate::exchange(signal, closed);
        }
        gate::exchange(libc::SIGSYS, self.own.get());
        if self.wanted.get() {
            set_mask_of(context, mask_of(context) | SIGSYS);
        }
    }
}

/// Signals that are blocked where the context goes on.
fn mask_of(context: &libc::ucontext_t) -> u64 {
    let place = (&raw const context.uc_sigmask).cast::<u64>();
    // SAFETY: the kernel's part of the set is its first word.
    unsafe { place.read() }
}

fn set_mask_of(context: &mut libc::ucontext_t, mask: u64) {
    let place = (&raw mut context.uc_sigmask).cast::<u64>();
    // SAFETY: the kernel's part of the set is its first word.
    unsafe { place.write(mask) }
}
