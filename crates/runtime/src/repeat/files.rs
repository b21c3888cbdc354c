//! Descriptors of a run: those that it opens are closed behind it; those that it closes or replaces are brought back from a
//! duplicate, stand where they stood, and have the status flags that they had. So is the folder in which it works, and the mask of
//! the permissions of files that it makes.
//!
//! What must hold: after [`Files::put_back`] the process has the descriptors, the folder and the mask that it had before the run, or
//! false is returned.

use super::Verdict;
use crate::gate::{Call, gate};
use core::cell::Cell;

/// Descriptors that are told apart.
const MOST: u64 = 256;
/// Duplicates are made from here on.
const SPARE: u64 = MOST;
/// Descriptors from before the run whose positions are known.
const SEEKABLE: u64 = 64;
/// Descriptors from before that one run may close.
const CLOSED: usize = 8;
const WORDS: usize = (MOST / 64) as usize;

/// A descriptor from before the run, and where it is meanwhile.
#[derive(Clone, Copy)]
struct Moved {
    descriptor: u64,
    duplicate: u64,
    flags: u64,
}

/// The descriptors that the run under way has opened, moved or closed, and where those from before stood.
pub(super) struct Files {
    /// Opened by the run: a bit for each.
    own: [Cell<u64>; WORDS],
    /// Where descriptors stood before the first run; -1 where that means nothing.
    positions: [Cell<i64>; SEEKABLE as usize],
    /// A bit for each that may stand elsewhere.
    stirred: Cell<u64>,
    /// A bit for each whose status flags the run has set, and what they were.
    flagged: Cell<u64>,
    flags: [Cell<u64>; SEEKABLE as usize],
    moved: [Cell<Moved>; CLOSED],
    count: Cell<usize>,
    /// The folder in which it worked before, and the mask, each where the run has changed it; else 0.
    folder: Cell<u64>,
    mask: Cell<u64>,
}

/// Marks a mask that is kept: masks have nine bits.
const KEPT: u64 = 1 << 32;

/// `None` when the call fails.
fn ok(number: i64, arguments: [u64; 6]) -> Option<u64> {
    u64::try_from(gate(number, arguments)).ok()
}

fn close(descriptor: u64) -> bool {
    gate(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0]) == 0
}

/// The descriptor once more, beyond those that programs use.
fn duplicate(descriptor: u64) -> Option<u64> {
    let duplicate = libc::F_DUPFD_CLOEXEC as u64;
    ok(libc::SYS_fcntl, [descriptor, duplicate, SPARE, 0, 0, 0])
}

fn status_flags(descriptor: u64) -> Option<u64> {
    let get = libc::F_GETFL as u64;
    ok(libc::SYS_fcntl, [descriptor, get, 0, 0, 0, 0])
}

impl Files {
    /// Before the first run.
    pub(super) fn keep(&self) {
        for descriptor in 0..SEEKABLE {
            let at = gate(
                libc::SYS_lseek,
                [descriptor, 0, libc::SEEK_CUR as u64, 0, 0, 0],
            );
            // Devices have no position, and say 0.
            let known = if at > 0 || at == 0 && super::is_regular(descriptor) {
                at
            } else {
                -1
            };
            self.positions[descriptor as usize].set(known);
        }
    }

    /// A call that makes a descriptor.
    pub(super) fn opens(&self, call: &Call) -> Verdict {
        let result = call.make();
        match u64::try_from(result) {
            Ok(descriptor) if descriptor < MOST => {
                self.set_own(descriptor, true);
                Verdict::Answer(result)
            }
            Ok(_) => Verdict::LeaveWith(result),
            Err(_) => Verdict::Answer(result),
        }
    }

    /// A call that changes nothing of its first descriptor but its position.
    pub(super) fn uses(&self, call: &Call) -> Verdict {
        let descriptor = call.arguments[0];
        if descriptor < SEEKABLE && !self.is_own(descriptor) {
            self.stirred.set(self.stirred.get() | 1 << descriptor);
        }
        Verdict::Answer(call.make())
    }

    /// A call that may change more of its first descriptor.
    pub(super) fn changes(&self, call: &Call) -> Verdict {
        if self.is_own(call.arguments[0]) {
            Verdict::Answer(call.make())
        } else {
            Verdict::Leave
        }
    }

    pub(super) fn closes(&self, call: &Call) -> Verdict {
        let descriptor = call.arguments[0];
        if self.is_own(descriptor) {
            self.set_own(descriptor, false);
        } else if !self.move_away(descriptor) {
            return Verdict::Leave;
        }
        Verdict::Answer(call.make())
    }

    pub(super) fn replaces(&self, call: &Call) -> Verdict {
        let [old, new, ..] = call.arguments;
        if new >= MOST || old == new {
            return Verdict::Leave;
        }
        if !self.is_own(new) && !self.move_away(new) {
            return Verdict::Leave;
        }
        let result = call.make();
        if result >= 0 {
            self.set_own(new, true);
        }
        Verdict::Answer(result)
    }

    pub(super) fn control(&self, call: &Call) -> Verdict {
        match call.arguments[1] as i32 {
            libc::F_GETFD | libc::F_GETFL | libc::F_GETLK => Verdict::Answer(call.make()),
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => self.opens(call),
            libc::F_SETFL if self.keeps_flags(call.arguments[0]) => Verdict::Answer(call.make()),
            _ => self.changes(call),
        }
    }

    /// A call that changes the folder in which the program works.
    pub(super) fn changes_folder(&self, call: &Call) -> Verdict {
        if self.folder.get() == 0 {
            let flags = (libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC) as u64;
            let here = c".".as_ptr() as u64;
            let Some(low) = ok(libc::SYS_open, [here, flags, 0, 0, 0, 0]) else {
                return Verdict::Leave;
            };
            let duplicate = duplicate(low);
            close(low);
            let Some(duplicate) = duplicate else {
                return Verdict::Leave;
            };
            self.folder.set(duplicate);
        }
        Verdict::Answer(call.make())
    }

    pub(super) fn sets_mask(&self, call: &Call) -> Verdict {
        let old = call.make();
        if self.mask.get() == 0 {
            self.mask.set(old.cast_unsigned() | KEPT);
        }
        Verdict::Answer(old)
    }

    /// Remembers the status flags of a descriptor from before the run, which has not moved. False when it cannot.
    fn keeps_flags(&self, descriptor: u64) -> bool {
        if self.is_own(descriptor) || descriptor >= SEEKABLE {
            return false;
        }
        let bit = 1 << descriptor;
        if self.flagged.get() & bit == 0 {
            let Some(flags) = status_flags(descriptor) else {
                return false;
            };
            self.flags[descriptor as usize].set(flags);
            self.flagged.set(self.flagged.get() | bit);
        }
        true
    }

    /// Keeps a descriptor from before the run under another number. False when it cannot; true as well when there is none.
    fn move_away(&self, descriptor: u64) -> bool {
        let Some(flags) = ok(
            libc::SYS_fcntl,
            [descriptor, libc::F_GETFD as u64, 0, 0, 0, 0],
        ) else {
            return true;
        };
        let count = self.count.get();
        if descriptor >= SEEKABLE || count == CLOSED {
            return false;
        }
        let Some(duplicate) = duplicate(descriptor) else {
            return false;
        };
        self.moved[count].set(Moved {
            descriptor,
            duplicate,
            flags,
        });
        self.count.set(count + 1);
        true
    }

    fn is_own(&self, descriptor: u64) -> bool {
        let word = self.own.get((descriptor / 64) as usize);
        word.is_some_and(|word| word.get() & 1 << (descriptor % 64) != 0)
    }

    fn set_own(&self, descriptor: u64, own: bool) {
        let word = &self.own[(descriptor / 64) as usize];
        let bit = 1 << (descriptor % 64);
        word.set(if own {
            word.get() | bit
        } else {
            word.get() & !bit
        });
    }

    /// After a run.
    pub(super) fn put_back(&self) -> bool {
        let mut done = true;
        for (index, word) in self.own.iter().enumerate() {
            let mut bits = word.replace(0);
            while bits != 0 {
                // One that was not there any more is as good as closed.
                close(index as u64 * 64 + u64::from(bits.trailing_zeros()));
                bits &= bits - 1;
            }
        }
        for moved in &self.moved[..self.count.replace(0)] {
            let Moved {
                descriptor,
                duplicate,
                flags,
            } = moved.get();
            let flags = if flags & libc::FD_CLOEXEC as u64 != 0 {
                libc::O_CLOEXEC as u64
            } else {
                0
            };
            done &= ok(libc::SYS_dup3, [duplicate, descriptor, flags, 0, 0, 0]).is_some();
            done &= close(duplicate);
        }
        let mut flagged = self.flagged.replace(0);
        while flagged != 0 {
            let descriptor = flagged.trailing_zeros();
            flagged &= flagged - 1;
            let old = self.flags[descriptor as usize].get();
            let set = libc::F_SETFL as u64;
            let put = ok(libc::SYS_fcntl, [descriptor.into(), set, old, 0, 0, 0]);
            done &= put.is_some();
        }
        let mut stirred = self.stirred.replace(0);
        while stirred != 0 {
            let descriptor = u64::from(stirred.trailing_zeros());
            stirred &= stirred - 1;
            let at = self.positions[descriptor as usize].get();
            if let Ok(at) = u64::try_from(at) {
                let set = libc::SEEK_SET as u64;
                done &= ok(libc::SYS_lseek, [descriptor, at, set, 0, 0, 0]).is_some();
            }
        }
        let folder = self.folder.replace(0);
        if folder != 0 {
            done &= ok(libc::SYS_fchdir, [folder, 0, 0, 0, 0, 0]).is_some();
            done &= close(folder);
        }
        let mask = self.mask.replace(0);
        if mask != 0 {
            gate(libc::SYS_umask, [mask & !KEPT, 0, 0, 0, 0, 0]);
        }
        done
    }

    /// The process goes on as an ordinary child: no descriptor of ours is left.
    pub(super) fn leave(&self) {
        for moved in &self.moved[..self.count.replace(0)] {
            close(moved.get().duplicate);
        }
        let folder = self.folder.replace(0);
        if folder != 0 {
            close(folder);
        }
    }
}
