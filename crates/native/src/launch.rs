//! Starts a foreign program in a session of its own, limited, isolated, and with no descriptor but those it is given;
//! waits for it and kills it with all that belongs to it.
//!
//! Must hold: a [`Process`] that is dropped is dead; the program dies with the thread that started it.
#![allow(
    unsafe_code,
    reason = "system calls, before the program is executed and to watch over it"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crate::contain::Bound;
use crate::orphans;
use crate::sandbox::{Isolation, Prepared, Sandbox};
use crate::spawn::Image;

/// What to start.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Executable.
    pub program: PathBuf,
    /// The name it is called by (`argv[0]`); `None` is its path.
    pub called: Option<OsString>,
    /// Arguments, without the program's name.
    pub args: Vec<OsString>,
    /// Variables set on top of the engine's environment.
    pub env: Vec<(OsString, OsString)>,
    /// Variables taken out of it.
    pub unset: Vec<OsString>,
    /// Working folder.
    pub cwd: PathBuf,
    /// Standard input; `None` is the null device.
    pub stdin: Option<File>,
    /// Standard error; `None` goes where standard output goes: nowhere, but not to the null device.
    pub stderr: Option<File>,
    /// A descriptor that the program gets under the number it has here.
    pub inherit: Option<BorrowedFd<'a>>,
    /// Limits and isolation.
    pub sandbox: Sandbox,
}

/// A started program.
#[derive(Debug)]
pub struct Process {
    pid: i32,
    pidfd: Option<OwnedFd>,
    status: Option<ExitStatus>,
    isolation: Isolation,
    /// Ends with the program.
    bound: Option<Bound>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exited(code),
            (None, signal) => Ended::Signalled(signal.unwrap_or(libc::SIGKILL)),
        }
    }
}

impl Launch<'_> {
    /// A program without arguments or descriptors, in the current folder.
    #[must_use]
    pub fn of(program: PathBuf) -> Launch<'static> {
        Launch {
            program,
            called: None,
            args: Vec::new(),
            env: Vec::new(),
            unset: Vec::new(),
            cwd: PathBuf::from("."),
            stdin: None,
            stderr: None,
            inherit: None,
            sandbox: Sandbox::default(),
        }
    }

    /// Starts it.
    ///
    /// # Errors
    /// When it cannot be executed.
    pub fn start(self) -> io::Result<Process> {
        let prepared = self.sandbox.prepare();
        let inherit = self.inherit.map(|fd| fd.as_raw_fd());
        let engine = std::process::id();
        let null = File::open("/dev/null")?;
        let sink = sink()?;
        let streams = [
            self.stdin.as_ref().unwrap_or(&null).as_fd(),
            sink.as_fd(),
            self.stderr.as_ref().unwrap_or(&sink).as_fd(),
        ];
        let name = self.called.clone();
        let name = name.unwrap_or_else(|| self.program.clone().into_os_string());
        let args = std::iter::once(name).chain(self.args.iter().cloned());
        let image = Image::new(&self.program, args, self.environment(), &self.cwd, streams)?;
        let mut isolation = Isolation::default();
        let mut prepare = || isolation = in_child(&prepared, inherit, engine);
        let pid = orphans::awaiting(|| image.spawn(&mut prepare))?;
        if orphans::is_adopting() {
            isolation = isolation.with(Isolation::PROCESSES);
        }
        Ok(Process {
            pid,
            pidfd: pidfd(pid),
            status: None,
            isolation,
            bound: prepared.into_bound(pid),
        })
    }

    /// All variables of the program, in the order of their names.
    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        all.extend(self.env.iter().cloned());
        for name in &self.unset {
            all.remove(name);
        }
        all
    }
}

/// Where output goes that nobody reads, in the search and under the judge. Not to the null device: programs know it and leave out
/// work (`grep` stops at the first line that matches). Not to a file: programs ask for it as well, and files have a largest size.
fn sink() -> io::Result<File> {
    let write = |path| File::options().write(true).open(path);
    write("/dev/zero").or_else(|_| write("/dev/null"))
}

/// Between the birth of the child and its program: system calls only.
fn in_child(prepared: &Prepared, inherit: Option<RawFd>, engine: u32) -> Isolation {
    const EVERY_DESCRIPTOR: libc::c_uint = libc::c_uint::MAX;
    // SAFETY: system calls without pointers.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid().cast_unsigned() != engine {
            libc::_exit(127);
        }
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        let isolation = prepared.apply();
        // A change of credentials, as by a user namespace, resets it.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::syscall(
            libc::SYS_close_range,
            3,
            EVERY_DESCRIPTOR,
            libc::CLOSE_RANGE_CLOEXEC,
        );
        if let Some(fd) = inherit {
            libc::fcntl(fd, libc::F_SETFD, 0);
        }
        isolation
    }
}

fn pidfd(pid: i32) -> Option<OwnedFd> {
    // SAFETY: a system call without pointers; the descriptor it returns is new.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// The status of our own child, once it has ended.
fn wait_for(pid: i32) -> Option<ExitStatus> {
    let mut status = 0;
    loop {
        // SAFETY: the kernel writes one live word.
        if unsafe { libc::waitpid(pid, &raw mut status, 0) } == pid {
            return Some(ExitStatus::from_raw(status));
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}

impl Process {
    /// Process id, which is also that of its group and session.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.pid.cast_unsigned()
    }

    /// What isolation it runs under.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// What bounds the number of its processes; `None` is the user's own limit.
    pub(crate) fn bound(&self) -> Option<&Bound> {
        self.bound.as_ref()
    }

    /// How it ended, if it did. What is left of its group then goes with it.
    pub fn ended(&mut self) -> Option<Ended> {
        if self.status.is_none() && self.is_zombie() {
            // Before it is waited for: until then its number, and that of its group, belong to nobody else.
            self.send(libc::SIGKILL);
            self.end_births();
            self.bury();
        }
        self.status.map(Ended::from)
    }

    /// Nothing more is born; what is in a control group ends.
    fn end_births(&self) {
        if let Some(bound) = &self.bound {
            bound.end();
        }
    }

    /// Waits for it, and for all that it left: the dead of its group count as processes until somebody does.
    fn bury(&mut self) {
        // On a loaded machine some hundreds that were killed take a while to die.
        const ROUNDS: u32 = 1000;
        self.status = wait_for(self.pid);
        orphans::waited(self.pid);
        for _ in 0..ROUNDS {
            // No group holds them together: only who is left here is known, and must not live on beside the next start.
            if let Some(Bound::Births(_)) = &self.bound {
                orphans::kill();
            }
            let left = orphans::bury();
            let is_empty = match &self.bound {
                Some(Bound::Group(group)) => group.is_empty(),
                Some(Bound::Births(_)) => left == 0,
                None => true,
            };
            if is_empty || !orphans::is_adopting() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_zombie(&self) -> bool {
        // SAFETY: the kernel fills a struct on our stack; all zeros is a valid value of it.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, self.id(), &raw mut info, flags) == 0 && info.si_pid() != 0
        }
    }

    fn send(&self, signal: i32) {
        // SAFETY: a system call. The group exists, since its leader has not been waited for.
        unsafe { libc::kill(-self.pid, signal) };
    }

    /// Bytes of physical memory that it has; 0 when it has ended.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        const PAGE: u64 = 4096;
        let path = format!("/proc/{}/statm", self.pid);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let pages = text.split(' ').nth(1).and_then(|field| field.parse().ok());
        PAGE * pages.unwrap_or(0_u64)
    }

    /// Waits at most `limit` for its end.
    pub fn wait(&mut self, limit: Duration) -> Option<Ended> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(ended) = self.ended() {
                return Some(ended);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            self.sleep(left);
        }
    }

    fn sleep(&self, limit: Duration) {
        let Some(pidfd) = &self.pidfd else {
            std::thread::sleep(limit.min(Duration::from_millis(1)));
            return;
        };
        let mut poll = libc::pollfd {
            fd: pidfd.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let millis = limit.as_millis().clamp(1, 60_000) as libc::c_int;
        // SAFETY: one live struct.
        unsafe { libc::poll(&raw mut poll, 1, millis) };
    }

    /// Sends a signal to its process group.
    pub fn signal(&mut self, signal: i32) {
        if self.ended().is_none() {
            self.send(signal);
        }
    }

    /// Kills it, its group, and the processes that it adopted; returns how it ended.
    pub fn kill(&mut self) -> Option<Ended> {
        if self.ended().is_none() {
            self.end_births();
            self.kill_adopted();
            self.send(libc::SIGKILL);
            self.bury();
        }
        self.ended()
    }

    /// Kills what moved out of the group: the leader is a sub-reaper, so that orphans become its children.
    fn kill_adopted(&self) {
        // Stopped first, so that it cannot make new ones meanwhile.
        // SAFETY: a system call. The process exists, since it has not been waited for.
        unsafe { libc::kill(self.pid, libc::SIGSTOP) };
        for _ in 0..16 {
            let victims = descendants(self.id());
            if victims.is_empty() {
                return;
            }
            for pid in victims {
                // SAFETY: a system call. The process is a descendant of one of ours; at worst it just ended.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Every living process below `pid`, zombies left out.
fn descendants(pid: u32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut queue = vec![pid];
    while let Some(parent) = queue.pop() {
        let path = format!("/proc/{parent}/task/{parent}/children");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let children = text
            .split_whitespace()
            .filter_map(|word| word.parse::<u32>().ok());
        for child in children.filter(|child| is_alive(*child)) {
            found.push(child.cast_signed());
            queue.push(child);
        }
        if found.len() > 10_000 {
            break;
        }
    }
    found
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}
