//! Holds a started program among its own processes: how many it may have, and whom `kill(-1, …)` reaches.
//!
//! The number is bounded by a control group of its own (`pids.max`, of version 2 or 1), which root obeys as well; where none may be
//! made, by the user's limit on processes, and for root, who has none, by asking first (`births`). Signals to everybody are answered by
//! a seccomp filter: nobody else is there (`ESRCH`).
//!
//! Must hold: a group ends with all that is in it, even if that forks without end; what a child runs before its program makes system
//! calls only; a group that a killed engine left goes with the next start.
#![allow(unsafe_code, reason = "system calls of a child before its program")]

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::births::Births;

/// Processes and threads that one started program may have at a time.
pub const MOST_PROCESSES: u64 = 256;

/// A control group for one started program; removed when dropped, with all that is in it.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    /// The list of its members, to be written by who joins.
    members: File,
}

/// What bounds the number of a started program's processes.
#[derive(Debug)]
pub enum Bound {
    /// The kernel counts.
    Group(Group),
    /// The engine does.
    Births(Births),
}

impl Bound {
    /// Nothing more is born; of a group, all that is in it ends.
    pub fn end(&self) {
        match self {
            Bound::Group(group) => group.end(),
            Bound::Births(births) => births.end(),
        }
    }
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Group {
    /// The folder in which this machine lets groups be made.
    pub fn place() -> Option<String> {
        let group = Group::new()?;
        Some(group.path.parent()?.display().to_string())
    }

    /// Makes one, if the machine permits it.
    #[must_use]
    pub fn new() -> Option<Group> {
        static PLACE: OnceLock<Option<PathBuf>> = OnceLock::new();
        let place = PLACE.get_or_init(find_place).as_ref()?;
        Group::below(place).ok()
    }

    fn below(place: &Path) -> io::Result<Group> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = place.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        let made = (|| {
            fs::write(path.join("pids.max"), MOST_PROCESSES.to_string())?;
            File::options().write(true).open(path.join("cgroup.procs"))
        })();
        match made {
            Ok(members) => Ok(Group { path, members }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// The calling process joins. A system call only.
    pub fn join(&self) -> bool {
        // SAFETY: a write of one live byte to our own descriptor.
        unsafe { libc::write(self.members.as_raw_fd(), c"0".as_ptr().cast(), 1) == 1 }
    }

    /// Is nobody in it, the dead included that nobody has waited for?
    pub fn is_empty(&self) -> bool {
        let count = fs::read_to_string(self.path.join("pids.current"));
        count.is_ok_and(|count| count.trim() == "0")
    }

    /// Ends all that is in it. Nothing can be born meanwhile.
    pub fn end(&self) {
        const ROUNDS: u32 = 1000;
        let _ = fs::write(self.path.join("pids.max"), "0");
        for _ in 0..ROUNDS {
            let list = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
            let members: Vec<i32> = list.lines().filter_map(|line| line.parse().ok()).collect();
            if members.is_empty() {
                return;
            }
            for pid in members {
                // SAFETY: a system call. A member of the group, which nobody leaves: at worst it has just ended.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
        // The dead leave it a moment after they were waited for.
        for _ in 0..20 {
            match fs::remove_dir(&self.path) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return,
            }
        }
    }
}

/// Begins the names of our groups; the engine's number follows.
const PREFIX: &str = "bothways-";

/// The group nearest to our own in which groups with a limit can be made.
fn find_place() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let places = own.lines().filter_map(|line| own_group(line, &mounts));
    let mut places = places.flat_map(|(root, group)| {
        let depth = group.components().count();
        let up = group.ancestors().take(depth + 1).map(Path::to_owned);
        up.map(move |group| root.join(group)).collect::<Vec<_>>()
    });
    places.find(|place| {
        sweep(place);
        Group::below(place).is_ok()
    })
}

/// Of a line of `/proc/self/cgroup`, where its hierarchy is mounted and our group in it, if it counts processes.
fn own_group(line: &str, mounts: &str) -> Option<(PathBuf, PathBuf)> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    let (kind, option) = match controllers {
        "" => ("cgroup2", ""),
        list if list.split(',').any(|name| name == "pids") => ("cgroup", "pids"),
        _ => return None,
    };
    let mount = mounts.lines().find_map(|mount| {
        let fields: Vec<&str> = mount.split(' ').collect();
        let &[_, place, found, options, ..] = fields.as_slice() else {
            return None;
        };
        let has = option.is_empty() || options.split(',').any(|one| one == option);
        (found == kind && has).then(|| PathBuf::from(place))
    })?;
    Some((mount, PathBuf::from(group.trim_start_matches('/'))))
}

/// Removes groups that an engine left which is gone. One that is not empty stays.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let owner = owner.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_in_both_versions() {
        let mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n\
                      cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nsdelegate 0 0\n";
        let place = |line: &str| own_group(line, mounts);
        let path = |text: &str| PathBuf::from(text);
        assert_eq!(
            place("8:pids:/user/me"),
            Some((path("/sys/fs/cgroup/pids"), path("user/me")))
        );
        assert_eq!(
            place("0::/"),
            Some((path("/sys/fs/cgroup/unified"), path("")))
        );
        assert_eq!(place("1:cpu:/"), None);
        assert_eq!(place("nonsense"), None);
    }

    #[test]
    fn a_group_ends_with_what_is_in_it() {
        let Some(group) = Group::new() else { return };
        let path = group.path.clone();
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .expect("sleep starts");
        fs::write(path.join("cgroup.procs"), child.id().to_string()).expect("it joins");
        drop(group);
        let ended = child.wait().expect("it ended");
        assert!(!ended.success());
        // Only now is the dead gone from it.
        let _ = fs::remove_dir(&path);
        assert!(!path.exists());
    }
}
