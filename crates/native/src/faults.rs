//! What becomes of this process when it faults: a signal that a library of ours provoked (a solver, LLVM), or a panic. It says so, and
//! goes on as another command, if there is one, or ends.
//!
//! Must hold: a handler makes system calls only, on what was prepared before: any lock may be held, and the heap may be in ruins. The new
//! command has the process's number, and nothing else of it: threads and memory are gone, files are closed.
#![allow(unsafe_code, reason = "handlers of signals, and execv")]

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Signals that a fault in this process provokes.
const SIGNALS: [(libc::c_int, &str); 6] = [
    (libc::SIGABRT, "SIGABRT (a library ended the process)"),
    (
        libc::SIGSEGV,
        "SIGSEGV (an address that is not mapped, or a stack that is full)",
    ),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGTRAP, "SIGTRAP"),
];

/// What to say of a fault, and the exit code where nothing goes on.
struct Words {
    message: String,
    code: u8,
}

/// A command, as the kernel wants it.
struct Next {
    program: CString,
    args: Vec<CString>,
    /// These, and a null.
    pointers: Vec<*const libc::c_char>,
    message: String,
}

static WORDS: OnceLock<Words> = OnceLock::new();
/// Of a leaked box, or null.
static NEXT: AtomicPtr<Next> = AtomicPtr::new(ptr::null_mut());
/// A fault is being dealt with.
static FAULTED: AtomicBool = AtomicBool::new(false);
/// Other threads than the first have nothing to do any more.
static DONE: AtomicBool = AtomicBool::new(false);

/// From here on a signal of a fault prints `message` and its name, and ends the process with `code` unless there is a [`next`].
pub fn catch(message: String, code: u8) {
    if WORDS.set(Words { message, code }).is_err() {
        return;
    }
    for (signal, _) in SIGNALS {
        // SAFETY: the handler makes system calls only; all zeros is a valid set of signals.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = caught as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// What this process becomes when it faults: this program with these arguments, the first of which is its name. `message` says so
/// before. Without effect where a text has a zero byte.
pub fn next(program: PathBuf, args: Vec<OsString>, message: String) {
    let text = |text: OsString| CString::new(text.into_vec());
    let args: Result<Vec<CString>, _> = args.into_iter().map(text).collect();
    let (Ok(program), Ok(args)) = (text(program.into_os_string()), args) else {
        return;
    };
    let mut pointers: Vec<_> = args.iter().map(|arg| arg.as_ptr()).collect();
    pointers.push(ptr::null());
    let next = Next {
        program,
        args,
        pointers,
        message,
    };
    debug_assert_eq!(next.pointers.len(), next.args.len() + 1);
    // Leaked, like one that it replaces: a handler may be reading it.
    NEXT.store(Box::into_raw(Box::new(next)), Ordering::SeqCst);
}

/// Nothing goes on any more when this process faults.
pub fn no_next() {
    NEXT.store(ptr::null_mut(), Ordering::SeqCst);
}

/// The work is done, and the first thread alone still has something to do: a fault in another stops that thread only.
pub fn done() {
    no_next();
    DONE.store(true, Ordering::SeqCst);
}

/// Begins to deal with a fault of this thread; does not return where another is at it, or nothing depends on this thread.
pub fn begin() {
    // SAFETY: system calls without pointers.
    let is_first = unsafe { libc::gettid() == libc::getpid() };
    if (DONE.load(Ordering::SeqCst) && !is_first) || FAULTED.swap(true, Ordering::SeqCst) {
        wait_for_the_end();
    }
}

extern "C" fn caught(signal: libc::c_int) {
    begin();
    let name = SIGNALS.iter().find(|(one, _)| *one == signal);
    let words = WORDS.get();
    say(words.map_or("", |words| &words.message));
    say("\n");
    say(name.map_or("a signal", |(_, name)| name));
    say("\n");
    go_on();
    let code = words.map_or(1, |words| words.code);
    // SAFETY: a system call without pointers.
    unsafe { libc::_exit(i32::from(code)) }
}

/// The end of the process takes this thread with it.
fn wait_for_the_end() -> ! {
    loop {
        // SAFETY: a system call without pointers.
        unsafe { libc::pause() };
    }
}

/// Becomes what [`next`] said, if it did; returns otherwise.
pub fn go_on() {
    // SAFETY: null, or a box that is never freed.
    let Some(next) = (unsafe { NEXT.load(Ordering::SeqCst).as_ref() }) else {
        return;
    };
    say(&next.message);
    say("\n");
    // SAFETY: system calls on local structures, and on texts that end with a zero byte. The new program would have what is blocked here
    // blocked as well.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        libc::execv(next.program.as_ptr(), next.pointers.as_ptr());
    }
}

fn say(text: &str) {
    // SAFETY: a system call on a live text.
    let _ = unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}
