//! Deferred start: a program whose inputs are streams runs on until it first touches one, and what it did until then, such as
//! reading its own library of scripts, is done once and not in each run.
//!
//! Every system call of the process is handed over to [`trapped`]. Those that neither touch an input nor leave a trace outside of
//! the process's memory are made there; at the first other one the process becomes the fork server, and each child makes that
//! call itself.
//!
//! What must hold: a child is in the state in which it would be had it run from the start. So descriptors that were opened
//! before are opened again in each child, for their positions are shared with the server, and files that it made are made again.
#![allow(unsafe_code, reason = "system calls, a signal handler")]

use crate::gate::{self, Action, Call, Dispatch, NO_ACTION, gate};
use crate::made;
use crate::raw::{c_len, peek, poke, slice};
use crate::state::STATE;
use crate::streams;
use crate::text::Text;
use core::cell::Cell;
use wire::input::Role;

/// Descriptors that are kept track of.
const DESCRIPTORS: u64 = 64;

struct Deferred {
    on: Cell<bool>,
    /// Descriptors that the program has opened, a bit for each.
    open: Cell<u64>,
    /// Where the C library keeps the number of its thread, and what it is there.
    thread: Cell<(u64, u32)>,
    /// What the program did with SIGSYS.
    action: Cell<Action>,
}

// SAFETY: only while the process has one thread.
unsafe impl Sync for Deferred {}

static DEFERRED: Deferred = Deferred {
    on: Cell::new(false),
    open: Cell::new(0),
    thread: Cell::new((0, 0)),
    action: Cell::new(NO_ACTION),
};

/// True as long as the program runs before its first touch of an input.
pub(crate) fn is_on() -> bool {
    DEFERRED.on.get()
}

/// From here on the first touch of an input makes the process the fork server. False where the engine does not want that, or it
/// cannot be had: the kernel is older, or inputs must be there before `main`.
pub(crate) fn begin() -> bool {
    let later = |role| matches!(role, Some(Role::Stdin | Role::File));
    let unwanted = STATE.early.get() || STATE.no_server.get();
    if unwanted || !streams::all().all(|stream| later(stream.role())) {
        return false;
    }
    let Some(thread) = find_thread() else {
        return false;
    };
    let handler = Action::of(trapped, 0);
    DEFERRED.action.set(gate::exchange(libc::SIGSYS, handler));
    DEFERRED.on.set(true);
    if !gate::dispatch(Dispatch::On, 0) {
        DEFERRED.on.set(false);
        gate::exchange(libc::SIGSYS, DEFERRED.action.get());
        return false;
    }
    DEFERRED.thread.set(thread);
    true
}

/// Finds where the C library keeps the number of its thread, and what it is.
fn find_thread() -> Option<(u64, u32)> {
    const PR_GET_TID_ADDRESS: u64 = 40;
    let mut place = 0_u64;
    let at = &raw mut place as u64;
    let done = gate(libc::SYS_prctl, [PR_GET_TID_ADDRESS, at, 0, 0, 0, 0]) == 0;
    let number = gate(libc::SYS_gettid, [0; 6]) as u32;
    let found = done && place != 0 && peek::<u32>(place) == number;
    found.then_some((place, number))
}

/// In a child: locks that the C library held when the input was touched, such as that of the locale, belong to the thread
/// with the server's number. So the child keeps that one, as far as the C library is concerned.
fn keep_thread() {
    let (place, number) = DEFERRED.thread.replace((0, 0));
    if place != 0 {
        poke(place, number);
    }
}

/// The first input is touched, or the program asked for one by name.
pub(crate) fn end() {
    if DEFERRED.on.replace(false) {
        gate::dispatch(Dispatch::Off, 0);
        gate::exchange(libc::SIGSYS, DEFERRED.action.get());
    }
}

/// Handler of SIGSYS: the program is about to make a system call.
extern "C" fn trapped(_: i32, _: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: the kernel's own structure.
    let context = unsafe { &mut *context };
    let call = Call::of(context);
    if let Some(result) = harmless(call.number, call.arguments) {
        if call.number == libc::SYS_sigaltstack && result == 0 {
            gate::keep_signal_stack(context);
        }
        gate::answer(context, result);
    } else {
        // Returns in each child, which makes the call again by itself.
        crate::server::before_input();
        crate::repeat::open_context(context);
        gate::again(context);
    }
}

/// Makes a system call that touches no input and leaves no trace outside of the process's memory, and returns its result.
fn harmless(number: i64, arguments: [u64; 6]) -> Option<i64> {
    let [first, second, third, fourth, fifth, _] = arguments;
    let wanted = match number {
        libc::SYS_open => return open(number, arguments, [first, second, third]),
        libc::SYS_openat if is_here(first, second) => {
            return open(number, arguments, [second, third, fourth]);
        }
        libc::SYS_close if is_open(first) => {
            let result = gate(number, arguments);
            DEFERRED.open.set(DEFERRED.open.get() & !(1 << first));
            return Some(result);
        }
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_readv | libc::SYS_getdents64 => {
            is_open(first)
        }
        libc::SYS_lseek => {
            is_open(first) || made::is_one(first) && (second, third as i32) == (0, libc::SEEK_CUR)
        }
        libc::SYS_fstat => is_known(first) || is_output(first),
        // Standard input is no terminal, whatever the engine puts there.
        libc::SYS_ioctl => {
            (is_known(first) || is_output(first) || first == 0)
                && [libc::TCGETS, libc::TIOCGWINSZ].contains(&second)
        }
        libc::SYS_fcntl => match second as i32 {
            libc::F_GETFD => true,
            libc::F_GETFL => is_known(first) || is_output(first),
            libc::F_SETFD => is_known(first),
            // Of a file that all runs share: the next one finds them as this start did.
            libc::F_SETFL => is_output(first),
            _ => false,
        },
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_readlink => {
            is_elsewhere(first)
        }
        libc::SYS_newfstatat if fourth as i32 & libc::AT_EMPTY_PATH != 0 => {
            is_known(first) || is_output(first)
        }
        libc::SYS_newfstatat | libc::SYS_faccessat | libc::SYS_readlinkat => {
            is_here(first, second) && is_elsewhere(second)
        }
        libc::SYS_mmap => {
            let private = fourth as i32 & libc::MAP_TYPE == libc::MAP_PRIVATE;
            let anonymous = fourth as i32 & libc::MAP_ANONYMOUS != 0;
            // What is open cannot be written, shared or not.
            if anonymous { private } else { is_open(fifth) }
        }
        // Nobody waits: there is one thread.
        libc::SYS_futex => second as i32 & !libc::FUTEX_PRIVATE_FLAG == libc::FUTEX_WAKE,
        libc::SYS_rt_sigaction => first as i32 != libc::SIGSYS,
        // The handler at hand is not on it.
        libc::SYS_sigaltstack => true,
        // Asks, and sets nothing.
        libc::SYS_prlimit64 => third == 0,
        libc::SYS_munmap
        | libc::SYS_mprotect
        | libc::SYS_mremap
        | libc::SYS_madvise
        | libc::SYS_brk
        | libc::SYS_getuid
        | libc::SYS_geteuid
        | libc::SYS_getgid
        | libc::SYS_getegid
        | libc::SYS_getgroups
        | libc::SYS_getcwd
        | libc::SYS_getrlimit
        | libc::SYS_getrusage
        | libc::SYS_uname
        | libc::SYS_sysinfo
        | libc::SYS_times
        | libc::SYS_time
        | libc::SYS_gettimeofday
        | libc::SYS_clock_gettime
        | libc::SYS_clock_getres
        | libc::SYS_getrandom
        | libc::SYS_sched_getaffinity => true,
        _ => false,
    };
    wanted.then(|| gate(number, arguments))
}

/// Opens a file or a folder to read it, or makes a file; no other. `how`: path, flags, mode.
fn open(number: i64, arguments: [u64; 6], how: [u64; 3]) -> Option<i64> {
    const OTHER: i32 = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_PATH;
    const MAKE: i32 = libc::O_CREAT | libc::O_TRUNC;
    let [path, flags, _] = how;
    let writes = flags as i32 & libc::O_ACCMODE != libc::O_RDONLY;
    if writes && made::is_nothing(path) {
        return made::make(number, arguments, how);
    }
    if !is_elsewhere(path) {
        return None;
    }
    match flags as i32 & OTHER {
        libc::O_RDONLY => {}
        wanted if wanted & !libc::O_ACCMODE == MAKE && made::is_missing(path) => {
            return made::make(number, arguments, how);
        }
        _ => return None,
    }
    let result = gate(number, arguments);
    let Ok(descriptor) = u64::try_from(result) else {
        return Some(result);
    };
    if descriptor >= DESCRIPTORS || !is_stored(descriptor) {
        gate(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0]);
        return None;
    }
    DEFERRED.open.set(DEFERRED.open.get() | 1 << descriptor);
    Some(result)
}

fn is_known(descriptor: u64) -> bool {
    is_open(descriptor) || made::is_one(descriptor)
}

/// It is a file or a folder. (The C library opens `LC_MESSAGES` of a locale to find that it is a folder.)
fn is_stored(descriptor: u64) -> bool {
    // SAFETY: all zeros is a value of it.
    let mut status: libc::stat = unsafe { core::mem::zeroed() };
    let done = gate(
        libc::SYS_fstat,
        [descriptor, &raw mut status as u64, 0, 0, 0, 0],
    );
    done == 0 && [libc::S_IFREG, libc::S_IFDIR].contains(&(status.st_mode & libc::S_IFMT))
}

/// The program opened it, and did so to read a file.
fn is_open(descriptor: u64) -> bool {
    descriptor < DESCRIPTORS && DEFERRED.open.get() & (1 << descriptor) != 0
}

/// It is what the engine gave to write to.
fn is_output(descriptor: u64) -> bool {
    [1, 2].contains(&descriptor)
}

/// The path counts from the working folder, or from the root.
fn is_here(folder: u64, path: u64) -> bool {
    folder as i32 == libc::AT_FDCWD || (is_readable(path) && slice::<u8>(path, 1) == b"/")
}

pub(crate) fn is_readable(path: u64) -> bool {
    const PAGE: u64 = 4096;
    path >= PAGE
}

/// The path cannot be that of an input, nor lead to standard input.
fn is_elsewhere(path: u64) -> bool {
    if !is_readable(path) {
        return false;
    }
    let path = slice::<u8>(path, c_len(path) as usize);
    let last = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let has_part = |name: &[u8]| name.split(|&byte| byte == b'/').any(|part| part == last);
    let is_input = streams::of(Role::File)
        .any(|stream| has_part(slice(stream.name(), stream.name_len() as usize)));
    // What says the same in a child: its memory is laid out as it is here.
    const SAME: [&[u8]; 3] = [b"/proc/self/maps", b"/proc/cpuinfo", b"/proc/meminfo"];
    let is_device = path.starts_with(b"/dev/")
        || path.starts_with(b"/proc/") && !path.starts_with(b"/proc/sys/") && !SAME.contains(&path);
    !is_input && !is_device
}

/// In a child: makes its own what the server shares with it.
pub(crate) fn separate() {
    keep_thread();
    let mut open = DEFERRED.open.replace(0);
    while open != 0 {
        let descriptor = open.trailing_zeros();
        open &= open - 1;
        reopen_one(descriptor);
    }
}

fn reopen_one(descriptor: u32) {
    let path = Text::of(format_args!("/proc/self/fd/{descriptor}"));
    let number = u64::from(descriptor);
    let own = gate(
        libc::SYS_open,
        [
            path.terminated().as_ptr() as u64,
            (libc::O_RDONLY | libc::O_CLOEXEC) as u64,
            0,
            0,
            0,
            0,
        ],
    );
    let Ok(own) = u64::try_from(own) else { return };
    let at = gate(libc::SYS_lseek, [number, 0, libc::SEEK_CUR as u64, 0, 0, 0]);
    gate(
        libc::SYS_lseek,
        [own, at.cast_unsigned(), libc::SEEK_SET as u64, 0, 0, 0],
    );
    take_place(own, number);
}

/// Gives a descriptor this number, whose flags stay.
pub(crate) fn take_place(own: u64, number: u64) {
    if own == number {
        return;
    }
    let kept = gate(libc::SYS_fcntl, [number, libc::F_GETFD as u64, 0, 0, 0, 0]);
    let flags = if kept & i64::from(libc::FD_CLOEXEC) != 0 {
        libc::O_CLOEXEC as u64
    } else {
        0
    };
    gate(libc::SYS_dup3, [own, number, flags, 0, 0, 0]);
    gate(libc::SYS_close, [own, 0, 0, 0, 0, 0]);
}
