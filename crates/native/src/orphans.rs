//! Processes that a program under test detached from itself: this process adopts them, so that it can find and end
//! them.
//!
//! Must hold: nothing is ended that was not started by a program under test. Such a process is in a session of its
//! program or in one that it made, never in ours; and as long as it kept its environment, it has the program's marker.
#![allow(unsafe_code, reason = "system calls that std does not offer")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Programs that somebody started and waits for.
static AWAITED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn awaited() -> MutexGuard<'static, BTreeSet<i32>> {
    AWAITED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a program that the caller waits for: nobody else does.
pub(crate) fn awaiting(spawn: impl FnOnce() -> io::Result<i32>) -> io::Result<i32> {
    // Held meanwhile, so that it is known before it can end.
    let mut awaited = awaited();
    let child = spawn()?;
    awaited.insert(child);
    Ok(child)
}

/// The program was waited for.
pub(crate) fn waited(pid: i32) {
    awaited().remove(&pid);
}

/// Waits for what has ended of the processes that were adopted; returns how many live on. Until then each counts as one of the user's,
/// and of all control groups above that of its program. (They cannot be found by their environment: the dead have none.)
pub(crate) fn bury() -> usize {
    each(|pid| {
        // SAFETY: a system call without pointers, for a child of ours.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) == 0 }
    })
}

/// Kills what was adopted. A program that runs keeps its orphans to itself, since it is a sub-reaper: these are of programs that ended.
pub(crate) fn kill() {
    each(|pid| {
        // SAFETY: a system call. Our child, whose number belongs to it until it is waited for.
        unsafe { libc::kill(pid, libc::SIGKILL) == 0 }
    });
}

/// Of how many adopted processes something holds. A child in another session that nobody waits for is an orphan.
fn each(mut holds: impl FnMut(i32) -> bool) -> usize {
    if !is_adopting() {
        return 0;
    }
    let awaited = awaited();
    // SAFETY: system calls without pointers.
    let session = |pid| unsafe { libc::getsid(pid) };
    let own = session(0);
    let orphans = children().into_iter();
    let orphans = orphans.filter(|pid| !awaited.contains(pid) && session(*pid) != own);
    orphans.filter(|pid| holds(*pid)).count()
}

/// Asks a process of ours to end, as Ctrl-C does.
pub fn interrupt(child: &std::process::Child) {
    let pid = i32::try_from(child.id()).unwrap_or_default();
    if pid > 0 {
        // SAFETY: a system call. The process was not waited for: whoever has `child` is the one who waits.
        unsafe { libc::kill(pid, libc::SIGINT) };
    }
}

/// Makes this process the one that orphans among its descendants come to.
pub fn adopt() {
    // SAFETY: a system call without pointers. Where it fails, `is_adopting` says so.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Do orphans come to this process, and can it see them?
#[must_use]
pub fn is_adopting() -> bool {
    let mut adopts: libc::c_int = 0;
    // SAFETY: the kernel writes one live word.
    unsafe { libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut adopts, 0, 0, 0) };
    adopts != 0 && Path::new("/proc/thread-self/children").exists()
}

/// Ends every process that was started with `TMPDIR` naming this scratch folder. The program itself must be gone.
pub fn end_marked(scratch: &Path) {
    let marker = [b"TMPDIR=", scratch.as_os_str().as_bytes()].concat();
    let candidates = if is_adopting() { children } else { processes };
    end(candidates, |pid| has_marker(pid, &marker));
}

/// Ends every process that was adopted, whatever its environment. No program under test may be running.
pub fn end_all() {
    if is_adopting() {
        // SAFETY: a system call without pointers.
        let own = unsafe { libc::getsid(0) };
        // SAFETY: the same; -1 when the process is gone.
        end(children, |pid| unsafe { libc::getsid(pid) } != own);
    }
}

/// Kills what is meant until there is none: the dying may have given birth, or left children of their own.
fn end(candidates: fn() -> Vec<i32>, is_meant: impl Fn(i32) -> bool) {
    const ROUNDS: u32 = 200;
    for _ in 0..ROUNDS {
        let victims: Vec<i32> = candidates()
            .into_iter()
            .filter(|&pid| is_meant(pid))
            .collect();
        if victims.is_empty() {
            return;
        }
        for pid in victims {
            // SAFETY: system calls. The process is a descendant of one that we started; where it is our child, its
            // number belongs to it until it is waited for.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn has_marker(pid: i32, marker: &[u8]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|&byte| byte == 0)
        .any(|entry| entry == marker)
}

/// Children of all threads of this process.
fn children() -> Vec<i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers = |list: String| -> Vec<i32> {
        let words = list.split_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    };
    lists.flat_map(numbers).collect()
}

/// Every process but this.
fn processes() -> Vec<i32> {
    let own = std::process::id().cast_signed();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let number = |name: &OsStr| name.to_str()?.parse().ok();
    entries
        .filter_map(|entry| number(&entry.file_name()))
        .filter(|&pid| pid != own)
        .collect()
}
