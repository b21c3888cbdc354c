//! What a started program may do to the machine: limits and isolation, as far as the machine permits.
//!
//! Must hold: everything here is prepared before the child is born; what it runs before its program makes system calls only.
//! A missing facility makes the isolation weaker, never the start fail; [`Isolation`] says what was achieved.
#![allow(unsafe_code, reason = "system calls of a child before its program")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::births;
use crate::contain::{Bound, Group};
use crate::filter;

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// Keep it off the network and from writing outside `writable`, as far as the machine permits.
    pub isolate: bool,
    /// Folders that it may write to.
    pub writable: Vec<PathBuf>,
    /// Largest file that it may write, in bytes.
    pub file_bytes: u64,
    /// Processes of the user that may exist; not enforced for root.
    pub processes: u64,
    /// Address space that it may have, in bytes. Not for instrumented programs, whose shadow needs 16 TiB of it.
    pub address_bytes: Option<u64>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Sandbox {
            isolate: true,
            writable: Vec::new(),
            file_bytes: 1 << 30,
            processes: 4096,
            address_bytes: None,
        }
    }
}

/// What isolation was achieved; a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Isolation(u32);

impl Isolation {
    /// No network but an own loop-back.
    pub const NETWORK: Isolation = Isolation(1);
    /// No writes outside the folders given.
    pub const FILES: Isolation = Isolation(2);
    /// No System V IPC or message queues shared with others.
    pub const IPC: Isolation = Isolation(4);
    /// No signals to processes outside.
    pub const SIGNALS: Isolation = Isolation(8);
    /// Whatever it leaves behind is found and ended, as long as the engine itself ends in order. The engine's doing, not
    /// that of the start: see `orphans`.
    pub const PROCESSES: Isolation = Isolation(16);
    /// A bound on the number of its processes.
    pub const NUMBER: Isolation = Isolation(32);
    /// No signals to everybody: `kill(-1, …)` finds nobody.
    pub const BROADCAST: Isolation = Isolation(64);

    pub(crate) const NUMBER_NOTE: &str = "the program under test can start processes without end (neither a control group nor a seccomp filter permitted, and root has no limit)";
    pub(crate) const BROADCAST_NOTE: &str = "kill(-1, …) of the program under test reaches every process of the user (no seccomp filter permitted)";

    /// The set with these bits.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Isolation {
        Isolation(bits & 127)
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Does the set hold all of `other`?
    #[must_use]
    pub const fn contains(self, other: Isolation) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Isolation) -> Isolation {
        Isolation(self.0 | other.0)
    }

    /// One sentence for each protection that this machine does not offer.
    #[must_use]
    pub fn notes(self) -> Vec<&'static str> {
        let all = [
            (
                Isolation::NETWORK,
                "the program under test can reach the network (no network namespace permitted)",
            ),
            (
                Isolation::FILES,
                "the program under test can write outside its scratch folder (no Landlock in this kernel)",
            ),
            (
                Isolation::PROCESSES,
                "processes that the program under test detaches may stay behind (this process cannot adopt them)",
            ),
            (Isolation::NUMBER, Isolation::NUMBER_NOTE),
            (Isolation::BROADCAST, Isolation::BROADCAST_NOTE),
        ];
        all.iter()
            .filter(|(flag, _)| !self.contains(*flag))
            .map(|(_, note)| *note)
            .collect()
    }
}

const WRITE_FILE: u64 = 1 << 1;
const FIRST_ABI: u64 = ((1 << 13) - 1) & !(1 | 1 << 2 | 1 << 3);
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const BIND_TCP: u64 = 1;
const CONNECT_TCP: u64 = 2;
const SCOPE_ABSTRACT: u64 = 1;
const SCOPE_SIGNAL: u64 = 2;

#[repr(C)]
struct RulesetAttr {
    fs: u64,
    net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    access: u64,
    parent: RawFd,
}

/// Devices that anybody may write to.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// What was prepared before the fork.
pub struct Prepared {
    isolate: bool,
    /// Bounds the number of its processes.
    group: Option<Group>,
    /// Bounds it where there is no group, and the user's own limit does not hold.
    births: Option<births::Prepared>,
    /// The user's own limit on processes holds.
    is_user_limited: bool,
    /// No writes outside, and whether it also keeps signals in.
    files: Option<(OwnedFd, bool)>,
    /// No TCP: only where there is no network namespace.
    network: Option<OwnedFd>,
    /// Lines for the identity maps of a user namespace.
    uid_map: String,
    gid_map: String,
    file_bytes: u64,
    processes: u64,
    address_bytes: Option<u64>,
}

impl Sandbox {
    /// Prepares it for one start.
    #[must_use]
    pub fn prepare(&self) -> Prepared {
        // SAFETY: system calls without pointers.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let abi = if self.isolate { landlock_version() } else { 0 };
        let (group, is_user_limited) = (Group::new(), uid != 0);
        let asks = group.is_none() && !is_user_limited;
        Prepared {
            isolate: self.isolate,
            group,
            births: asks.then(births::Prepared::new).and_then(Result::ok),
            is_user_limited,
            files: file_rules(abi, &self.writable).ok(),
            network: network_rules(abi).ok(),
            uid_map: format!("{uid} {uid} 1"),
            gid_map: format!("{gid} {gid} 1"),
            file_bytes: self.file_bytes,
            processes: self.processes,
            address_bytes: self.address_bytes,
        }
    }
}

impl Prepared {
    /// Applies limits and isolation to the calling process. Makes system calls only, so that it may run between birth
    /// and exec.
    #[must_use]
    pub fn apply(&self) -> Isolation {
        set_limit(libc::RLIMIT_CORE, 0);
        set_limit(libc::RLIMIT_FSIZE, self.file_bytes);
        set_limit(libc::RLIMIT_NPROC, self.processes);
        if let Some(bytes) = self.address_bytes {
            set_limit(libc::RLIMIT_AS, bytes);
        }
        let mut achieved = 0;
        if self.group.as_ref().is_some_and(Group::join) || self.is_user_limited {
            achieved |= Isolation::NUMBER.0;
        }
        // SAFETY: system calls without pointers.
        unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        if filter::keep_signals_in() {
            achieved |= Isolation::BROADCAST.0;
        }
        if self
            .births
            .as_ref()
            .is_some_and(births::Prepared::ask_first)
        {
            achieved |= Isolation::NUMBER.0;
        }
        if !self.isolate {
            return Isolation(achieved);
        }
        if unshare(libc::CLONE_NEWNET) || self.unshare_as_user(libc::CLONE_NEWNET) {
            achieved |= Isolation::NETWORK.0;
            raise_loopback();
        } else if restrict(self.network.as_ref()) {
            achieved |= Isolation::NETWORK.0;
        }
        if unshare(libc::CLONE_NEWIPC) {
            achieved |= Isolation::IPC.0;
        }
        if let Some((rules, signals)) = &self.files
            && restrict(Some(rules))
        {
            achieved |= Isolation::FILES.0 | if *signals { Isolation::SIGNALS.0 } else { 0 };
        }
        Isolation(achieved)
    }

    /// What bounds the number of its processes, for whoever watches over what was started; `leader` is this process.
    #[must_use]
    pub fn into_bound(self, leader: i32) -> Option<Bound> {
        match (self.group, self.births) {
            (Some(group), _) => Some(Bound::Group(group)),
            (None, births) => births?.watch(leader).map(Bound::Births),
        }
    }

    /// Makes a user namespace in which we are who we are, and another namespace in it.
    fn unshare_as_user(&self, flag: libc::c_int) -> bool {
        if !unshare(flag | libc::CLONE_NEWUSER) {
            return false;
        }
        write_file(c"/proc/self/setgroups", "deny");
        write_file(c"/proc/self/gid_map", &self.gid_map);
        write_file(c"/proc/self/uid_map", &self.uid_map);
        true
    }
}

fn restrict(rules: Option<&OwnedFd>) -> bool {
    let Some(rules) = rules else { return false };
    // SAFETY: a system call on our own descriptor.
    unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) == 0 }
}

fn write_file(path: &CStr, text: &str) {
    // SAFETY: system calls on a terminated path and a live buffer.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd >= 0 {
            libc::write(fd, text.as_ptr().cast(), text.len());
            libc::close(fd);
        }
    }
}

fn unshare(flag: libc::c_int) -> bool {
    // SAFETY: a system call without pointers.
    unsafe { libc::unshare(flag) == 0 }
}

fn set_limit(resource: libc::__rlimit_resource_t, value: u64) {
    let mut now = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls get a pointer to our own struct.
    unsafe {
        if libc::getrlimit(resource, &raw mut now) != 0 {
            return;
        }
        let value = value.min(now.rlim_max);
        let wanted = libc::rlimit {
            rlim_cur: value,
            rlim_max: value,
        };
        libc::setrlimit(resource, &raw const wanted);
    }
}

/// Brings `lo` up in a fresh network namespace, so that programs which talk to themselves still can.
fn raise_loopback() {
    // SAFETY: plain system calls; the request struct lives on our stack and is zero where it is not set.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l'.cast_signed();
        request.ifr_name[1] = b'o'.cast_signed();
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request);
        libc::close(socket);
    }
}

/// Version of Landlock in this kernel, 0 for none.
fn landlock_version() -> i64 {
    // SAFETY: the documented way to ask for the version: no struct, size 0, flag 1.
    unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0,
            1,
        )
    }
    .max(0)
}

fn create_ruleset(attr: &RulesetAttr, size: usize) -> io::Result<OwnedFd> {
    // SAFETY: the struct is at least `size` bytes long.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::from_ref(attr),
            size,
            0,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and is owned by nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Rules that permit no TCP.
fn network_rules(abi: i64) -> io::Result<OwnedFd> {
    if abi < 4 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    create_ruleset(
        &RulesetAttr {
            fs: 0,
            net: BIND_TCP | CONNECT_TCP,
            scoped: 0,
        },
        16,
    )
}

/// Rules that permit writing below `writable` and to harmless devices only, and whether they keep signals in.
fn file_rules(abi: i64, writable: &[PathBuf]) -> io::Result<(OwnedFd, bool)> {
    if abi < 1 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let access = FIRST_ABI | if abi >= 2 { REFER } else { 0 } | if abi >= 3 { TRUNCATE } else { 0 };
    let signals = abi >= 6;
    let scoped = if signals {
        SCOPE_ABSTRACT | SCOPE_SIGNAL
    } else {
        0
    };
    let fd = create_ruleset(
        &RulesetAttr {
            fs: access,
            net: 0,
            scoped,
        },
        if signals { 24 } else { 8 },
    )?;
    for folder in writable {
        permit(&fd, folder, access)?;
    }
    for device in DEVICES {
        // A device that does not exist needs no permission.
        let _ = permit(&fd, Path::new(device), WRITE_FILE | (access & TRUNCATE));
    }
    Ok((fd, signals))
}

fn permit(ruleset: &OwnedFd, path: &Path, access: u64) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is terminated.
    let parent = unsafe { libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) };
    if parent < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and is owned by nobody else.
    let parent = unsafe { OwnedFd::from_raw_fd(parent) };
    let rule = PathBeneath {
        access,
        parent: parent.as_raw_fd(),
    };
    const RULE_PATH_BENEATH: libc::c_int = 1;
    // SAFETY: the struct has the layout of the kernel's `landlock_path_beneath_attr`.
    let result = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
