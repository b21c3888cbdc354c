//! Runs without a fork: a child of the fork server that makes one run after the other and puts back behind each what it changed.
//!
//! What a process has outside of its memory is changed by system calls alone, and the repeater sees each of them ([`crate::gate`]):
//! most are made and undone later ([`calls`]), at any other it *leaves*, that is, it stops looking and goes on as an ordinary child,
//! which the server reaps as any other. Memory is put back by comparing it ([`pages`]). See `docs/decisions/0214`.
//!
//! What must hold: each run begins in the state in which a child of the server would be. Only runs without symbolic inputs
//! are made here, so that the shadow memory and the table of nodes stay untouched.
#![allow(unsafe_code, reason = "a signal handler")]

mod calls;
mod cycle;
mod files;
mod host;
mod kept;
mod maps;
mod pages;
mod signals;

pub(crate) use host::{lost, prepare, repeater, reserve, run};

use crate::gate::{self, Call, Dispatch, gate};
use kept::kept;

/// What becomes of a system call.
enum Verdict {
    /// It was made, with this result.
    Answer(i64),
    /// The process becomes an ordinary child, and makes it then.
    Leave,
    /// It was made, and the process becomes an ordinary child.
    LeaveWith(i64),
    /// It ends the run, with this status of `wait`.
    End(u32),
}

/// Calls of a run that are seen before the process leaves: seeing one takes some microseconds, a fork a few hundred.
const MOST_CALLS: u32 = 500;

/// Is this process a repeater, in the middle of a run?
fn is_on() -> bool {
    kept::exists() && !kept().left.get()
}

/// What the server supplies to a run is there; the program goes on.
pub(crate) fn supplied() {
    if is_on() {
        kept::set_selector(Dispatch::On);
    }
}

/// The context of a handler that the first run of this process returns to.
pub(crate) fn open_context(context: &mut libc::ucontext_t) {
    if is_on() {
        kept().signals.open_context(context);
        cycle::use_signal_stack(context);
    }
}

/// Handler of SIGSYS: the program is about to make a system call.
extern "C" fn trapped(_: i32, _: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: the kernel's own structure.
    let context = unsafe { &mut *context };
    let call = Call::of(context);
    let calls = kept().calls.get() + 1;
    kept().calls.set(calls);
    match calls::judge(&call, context) {
        Verdict::Answer(result) if calls > MOST_CALLS => {
            gate::answer(context, result);
            leave(context);
        }
        Verdict::Answer(result) => gate::answer(context, result),
        Verdict::End(status) => cycle::end(context, status),
        Verdict::Leave => {
            gate::again(context);
            leave(context);
        }
        Verdict::LeaveWith(result) => {
            gate::answer(context, result);
            leave(context);
        }
    }
}

/// From here on this is an ordinary child.
fn leave(context: &mut libc::ucontext_t) {
    kept().left.set(true);
    gate::dispatch(Dispatch::Off, 0);
    kept().files.leave();
    kept().maps.leave();
    kept().signals.leave(context);
    cycle::leave_signal_stack(context);
}

/// Is this descriptor open on a regular file?
fn is_regular(descriptor: u64) -> bool {
    // SAFETY: all zeros is a value of it.
    let mut status: libc::stat = unsafe { core::mem::zeroed() };
    let done = gate(
        libc::SYS_fstat,
        [descriptor, &raw mut status as u64, 0, 0, 0, 0],
    );
    done == 0 && status.st_mode & libc::S_IFMT == libc::S_IFREG
}
