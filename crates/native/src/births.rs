//! Asks the engine before a started program gets another process or thread: the bound for root where no control group may be made.
//!
//! A seccomp filter hands each `fork` and `clone` of the program to a thread of the engine, which lets it go on while fewer than
//! [`MOST_PROCESSES`] live, and answers `EAGAIN` otherwise, as the kernel does at a limit.
//!
//! Must hold: what the child runs before its program makes system calls only; the answer does not depend on anything that the program
//! can write to; a program that is ended gets no more.
#![allow(
    unsafe_code,
    reason = "system calls, some of a child before its program"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::contain::MOST_PROCESSES;
use crate::filter;

/// Numbers of the calls that make a process or thread, by machine.
const BIRTHS: [(u32, &[u32]); 3] = [
    (
        filter::X86_64,
        &[56, 57, 58, 435, X32 + 56, X32 + 57, X32 + 58, X32 + 435],
    ),
    (filter::I386, &[2, 120, 190, 435]),
    (filter::AARCH64, &[220, 435]),
];
const X32: u32 = 0x4000_0000;

/// Of `linux/seccomp.h`.
const NEW_LISTENER: libc::c_uint = 1 << 3;
const RECEIVE: libc::Ioctl = 0xC050_2100_u32 as libc::Ioctl;
const ANSWER: libc::Ioctl = 0xC018_2101_u32 as libc::Ioctl;
const GO_ON: u32 = 1;

/// How often those that live are counted, at most.
const COUNT_EVERY: Duration = Duration::from_millis(5);

/// What is made before the child is born.
#[derive(Debug)]
pub struct Prepared {
    filter: Vec<libc::sock_filter>,
    /// Where the child sends the descriptor by which it is listened to, and where that arrives.
    to: OwnedFd,
    from: OwnedFd,
}

impl Prepared {
    /// For one start.
    ///
    /// # Errors
    /// When there is no pair of sockets to be had.
    pub fn new() -> io::Result<Prepared> {
        let mut pair = [-1; 2];
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: the kernel writes two live words.
        if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: both were just made and are owned by nobody else.
        let [to, from] = pair.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
        let filter = filter::calls(&BIRTHS, libc::SECCOMP_RET_USER_NOTIF);
        Ok(Prepared { filter, to, from })
    }

    /// The calling process, and all that it starts, asks from now on. It must have given up new privileges. System calls only.
    pub fn ask_first(&self) -> bool {
        let installed = RawFd::try_from(filter::install(&self.filter, NEW_LISTENER));
        let Some(listener) = installed.ok().filter(|fd| *fd >= 0) else {
            return false;
        };
        let is_sent = send(self.to.as_raw_fd(), listener);
        // SAFETY: just made, and not used any more.
        unsafe { libc::close(listener) };
        is_sent
    }

    /// Answers the program, which is this process and was just started. `None` if it does not ask.
    pub fn watch(self, leader: i32) -> Option<Births> {
        let listener = receive(self.from.as_raw_fd())?;
        let is_over = Arc::new(AtomicBool::new(false));
        let watch = Watch {
            listener,
            leader,
            is_over: Arc::clone(&is_over),
            left: 0,
            counted: None,
            bearing: BTreeSet::new(),
        };
        let thread = std::thread::Builder::new().name("births".to_owned());
        // Without the thread the descriptor is closed, and no birth succeeds.
        thread.spawn(move || watch.answer()).ok()?;
        Some(Births { is_over })
    }
}

/// A started program that asks before it gets another process.
#[derive(Debug)]
pub struct Births {
    is_over: Arc<AtomicBool>,
}

impl Births {
    /// It gets no more.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Drop for Births {
    fn drop(&mut self) {
        self.end();
    }
}

struct Watch {
    listener: OwnedFd,
    leader: i32,
    is_over: Arc<AtomicBool>,
    /// How many more may be born before those that live are counted again.
    left: u64,
    counted: Option<Instant>,
    /// Who was let go on, and has not asked again.
    bearing: BTreeSet<i32>,
}

impl Watch {
    /// Until nobody is left who could ask.
    fn answer(mut self) {
        loop {
            let mut poll = libc::pollfd {
                fd: self.listener.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // Kernels before 5.9 do not say that all are gone.
            const LOOK: libc::c_int = 1000;
            // SAFETY: one live struct.
            let found = unsafe { libc::poll(&raw mut poll, 1, LOOK) };
            let is_over = self.is_over.load(Ordering::Relaxed);
            if found == 0 && is_over {
                return;
            }
            if poll.revents & libc::POLLIN != 0 {
                self.one();
            } else if poll.revents != 0 {
                return;
            }
        }
    }

    fn one(&mut self) {
        // SAFETY: all zeros is a value of it, and the one that the kernel wants; it fills the live struct.
        let asked = unsafe {
            let mut asked: libc::seccomp_notif = zeroed();
            if libc::ioctl(self.listener.as_raw_fd(), RECEIVE, &raw mut asked) != 0 {
                return; // who asked has ended
            }
            asked
        };
        let who = asked.pid.cast_signed();
        self.bearing.remove(&who);
        let may = self.may();
        if may {
            self.bearing.insert(who);
        }
        let answer = libc::seccomp_notif_resp {
            id: asked.id,
            val: 0,
            error: if may { 0 } else { -libc::EAGAIN },
            flags: if may { GO_ON } else { 0 },
        };
        // SAFETY: the kernel reads the live struct. It refuses when who asked has ended.
        unsafe { libc::ioctl(self.listener.as_raw_fd(), ANSWER, &raw const answer) };
    }

    fn may(&mut self) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        if self.left == 0 {
            let is_early = self.counted.is_some_and(|at| at.elapsed() < COUNT_EVERY);
            if is_early {
                return false;
            }
            // On a loaded machine few of those that were let go on have a child yet.
            self.bearing.retain(|task| is_running(*task));
            let taken = living(self.leader) + self.bearing.len() as u64;
            self.left = MOST_PROCESSES.saturating_sub(taken);
            self.counted = Some(Instant::now());
        }
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }
}

/// Whether a task may be on its way to the call that it was let go on with: it does not wait for anything else, nor is it dead.
fn is_running(task: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{task}/stat")).unwrap_or_default();
    // The name before it may hold anything, parentheses as well.
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.as_bytes());
    matches!(state, Some([b'R' | b'D', ..]))
}

/// Processes and threads of this process and below it, the dead included that nobody has waited for. What it orphans stays below it,
/// since it is a sub-reaper, but moves there while we look: so we look until there is nobody new. All that could be, if it is gone.
fn living(leader: i32) -> u64 {
    let mut tasks = BTreeSet::new();
    loop {
        let before = tasks.len();
        add_below(leader, &mut tasks);
        let count = tasks.len() as u64;
        if count == 0 || count >= MOST_PROCESSES {
            return MOST_PROCESSES;
        }
        if tasks.len() == before {
            return count;
        }
    }
}

/// Adds the tasks of this process and of those below it.
fn add_below(leader: i32, tasks: &mut BTreeSet<i32>) {
    let number = |word: &str| word.parse::<i32>().ok();
    let mut queue = vec![leader];
    while let Some(pid) = queue.pop() {
        let own = fs::read_dir(format!("/proc/{pid}/task"));
        for task in own.into_iter().flatten().flatten() {
            tasks.extend(task.file_name().to_str().and_then(number));
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            queue.extend(children.split_whitespace().filter_map(number));
        }
        if tasks.len() as u64 >= MOST_PROCESSES {
            return;
        }
    }
}

/// A message of one byte that carries a descriptor.
#[repr(C)]
struct Message {
    control: [u64; 4],
    byte: u8,
}

const CONTROL: usize = size_of::<[u64; 4]>();

/// Sends a descriptor. A system call only.
fn send(socket: RawFd, fd: RawFd) -> bool {
    // SAFETY: all that the kernel reads is on our stack; the control buffer has room for a header and one descriptor, and is aligned.
    unsafe {
        let mut message: Message = zeroed();
        let mut part = part(&mut message.byte);
        let mut header = header(&mut part, &mut message.control);
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        (*control).cmsg_level = libc::SOL_SOCKET;
        (*control).cmsg_type = libc::SCM_RIGHTS;
        (*control).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        ptr::write_unaligned(libc::CMSG_DATA(control).cast::<RawFd>(), fd);
        header.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        libc::sendmsg(socket, &raw const header, libc::MSG_NOSIGNAL) == 1
    }
}

/// The descriptor that was sent; `None` if none was.
fn receive(socket: RawFd) -> Option<OwnedFd> {
    // SAFETY: all that the kernel writes is on our stack; the descriptor that it makes is owned by nobody else.
    unsafe {
        let mut message: Message = zeroed();
        let mut part = part(&mut message.byte);
        let mut header = header(&mut part, &mut message.control);
        if libc::recvmsg(socket, &raw mut header, libc::MSG_CMSG_CLOEXEC) != 1 {
            return None;
        }
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        let is_one = !control.is_null() && (*control).cmsg_type == libc::SCM_RIGHTS;
        is_one.then(|| {
            OwnedFd::from_raw_fd(ptr::read_unaligned(
                libc::CMSG_DATA(control).cast::<RawFd>(),
            ))
        })
    }
}

fn part(byte: &mut u8) -> libc::iovec {
    libc::iovec {
        iov_base: ptr::from_mut(byte).cast(),
        iov_len: 1,
    }
}

fn header(part: &mut libc::iovec, control: &mut [u64; 4]) -> libc::msghdr {
    // SAFETY: all zeros is a value of it.
    let mut header: libc::msghdr = unsafe { zeroed() };
    header.msg_iov = part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = CONTROL as _;
    header
}
