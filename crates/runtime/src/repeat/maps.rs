//! Mappings of a run: those that it makes are taken down behind it; it may not touch others.
//!
//! What must hold: after [`Maps::put_back`] the process has the mappings that it had before the run, or false is returned.

use super::Verdict;
use super::kept::kept;
use crate::gate::{Call, gate};
use crate::raw::copy;
use core::cell::Cell;

/// Mappings of one run that are told apart.
const MOST: usize = 64;
/// Ranges from before the run that one run may unmap.
const MOST_HIDDEN: usize = 64;
const PAGE: u64 = 4096;

/// The mappings that the run under way has made, and the heap as it was before.
pub(super) struct Maps {
    /// Start and end of what the run has mapped.
    own: [Cell<(u64, u64)>; MOST],
    count: Cell<usize>,
    /// End of the heap before the run.
    heap_end: Cell<u64>,
    heap_moved: Cell<bool>,
    /// Ranges from before the run that it has unmapped: nobody may touch them until it ends.
    hidden: [Cell<(u64, u64)>; MOST_HIDDEN],
    hidden_count: Cell<usize>,
    /// Pages from before the run may have been given back.
    pub(super) dropped: Cell<bool>,
}

fn protect((start, end): (u64, u64), access: i32) -> bool {
    let arguments = [start, end - start, access as u64, 0, 0, 0];
    gate(libc::SYS_mprotect, arguments) == 0
}

fn is_error(result: i64) -> bool {
    (-4095..0).contains(&result)
}

impl Maps {
    /// Before the first run.
    pub(super) fn keep(&self) {
        self.heap_end
            .set(gate(libc::SYS_brk, [0; 6]).cast_unsigned());
    }

    /// A call that changes mappings.
    pub(super) fn judge(&self, call: &Call) -> Verdict {
        let [start, length, third, fourth, ..] = call.arguments;
        let Some(end) = start
            .checked_add(length)
            .and_then(|end| end.checked_next_multiple_of(PAGE))
        else {
            return Verdict::Leave;
        };
        match call.number {
            libc::SYS_brk => {
                self.heap_moved.set(true);
                if start != 0 && start < self.heap_end.get() {
                    self.dropped.set(true);
                }
                Verdict::Answer(call.make())
            }
            libc::SYS_mmap => {
                const FIXED: i32 = libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE;
                const GROWS: i32 = libc::MAP_GROWSDOWN;
                let flags = fourth as i32;
                let replaces = flags & FIXED != 0 && !self.is_own(start, end);
                if replaces || flags & GROWS != 0 || self.count.get() == MOST {
                    return Verdict::Leave;
                }
                let result = call.make();
                if !is_error(result) && flags & FIXED == 0 {
                    let at = result.cast_unsigned();
                    self.add(at, at + (end - start));
                }
                Verdict::Answer(result)
            }
            libc::SYS_munmap if self.is_own(start, end) && self.count.get() < MOST => {
                let result = call.make();
                if !is_error(result) {
                    self.remove(start, end);
                }
                Verdict::Answer(result)
            }
            libc::SYS_munmap if self.hide(start, end) => Verdict::Answer(0),
            libc::SYS_mremap if self.is_own(start, end) && self.count.get() + 1 < MOST => {
                if fourth as i32 & !libc::MREMAP_MAYMOVE != 0 {
                    return Verdict::Leave;
                }
                let result = call.make();
                if !is_error(result) {
                    let at = result.cast_unsigned();
                    self.remove(start, end);
                    self.add(at, at + third.next_multiple_of(PAGE));
                }
                Verdict::Answer(result)
            }
            libc::SYS_mremap if fourth as i32 == libc::MREMAP_MAYMOVE && third > length => self
                .move_away(start, end, third)
                .map_or(Verdict::Leave, Verdict::Answer),
            libc::SYS_mprotect | libc::SYS_madvise if self.is_own(start, end) => {
                Verdict::Answer(call.make())
            }
            libc::SYS_madvise if third as i32 == libc::MADV_DONTNEED => {
                self.dropped.set(true);
                Verdict::Answer(call.make())
            }
            _ => Verdict::Leave,
        }
    }

    /// Is all of this mapped by the run?
    fn is_own(&self, start: u64, end: u64) -> bool {
        let own = self.own[..self.count.get()].iter();
        own.map(Cell::get)
            .any(|(from, to)| from <= start && end <= to)
    }

    fn add(&self, start: u64, end: u64) {
        let count = self.count.get();
        for own in &self.own[..count] {
            let (from, to) = own.get();
            if end == from || start == to {
                own.set((from.min(start), to.max(end)));
                return;
            }
        }
        self.own[count].set((start, end));
        self.count.set(count + 1);
    }

    fn remove(&self, start: u64, end: u64) {
        let mut index = 0;
        while index < self.count.get() {
            let (from, to) = self.own[index].get();
            if from <= start && end <= to {
                let last = self.count.get() - 1;
                self.own[index].set(self.own[last].get());
                self.count.set(last);
                if from < start {
                    self.add(from, start);
                }
                if end < to {
                    self.add(end, to);
                }
                return;
            }
            index += 1;
        }
    }

    /// What is unmapped cannot be mapped again as it was. So it stays, and is out of bounds until the run ends.
    fn hide(&self, start: u64, end: u64) -> bool {
        if !self.can_hide(start, end) || !protect((start, end), libc::PROT_NONE) {
            return false;
        }
        let count = self.hidden_count.get();
        self.hidden[count].set((start, end));
        self.hidden_count.set(count + 1);
        true
    }

    fn can_hide(&self, start: u64, end: u64) -> bool {
        let hidden = &self.hidden[..self.hidden_count.get()];
        let is_hidden = hidden
            .iter()
            .map(Cell::get)
            .any(|(from, to)| from < end && start < to);
        hidden.len() < MOST_HIDDEN
            && start.is_multiple_of(PAGE)
            && kept().pages.holds(start, end)
            && !is_hidden
    }

    /// What is to be larger than it was before the run is copied to a mapping of the run's own.
    fn move_away(&self, start: u64, end: u64, length: u64) -> Option<i64> {
        let length = length.checked_next_multiple_of(PAGE)?;
        if self.count.get() == MOST || !self.can_hide(start, end) {
            return None;
        }
        let access = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let result = gate(libc::SYS_mmap, [0, length, access, flags, u64::MAX, 0]);
        let at = u64::try_from(result).ok()?;
        copy(at, start, end - start);
        if !self.hide(start, end) {
            gate(libc::SYS_munmap, [at, length, 0, 0, 0, 0]);
            return None;
        }
        self.add(at, at + length);
        Some(result)
    }

    /// The process goes on as an ordinary child: what is out of bounds goes.
    pub(super) fn leave(&self) {
        for hidden in &self.hidden[..self.hidden_count.replace(0)] {
            let (start, end) = hidden.get();
            gate(libc::SYS_munmap, [start, end - start, 0, 0, 0, 0]);
        }
    }

    /// After a run.
    pub(super) fn put_back(&self) -> bool {
        let mut done = true;
        for hidden in &self.hidden[..self.hidden_count.replace(0)] {
            done &= protect(hidden.get(), libc::PROT_READ | libc::PROT_WRITE);
        }
        for own in &self.own[..self.count.replace(0)] {
            let (start, end) = own.get();
            done &= gate(libc::SYS_munmap, [start, end - start, 0, 0, 0, 0]) == 0;
        }
        if self.heap_moved.replace(false) {
            let end = self.heap_end.get();
            done &= gate(libc::SYS_brk, [end, 0, 0, 0, 0, 0]).cast_unsigned() == end;
        }
        done
    }
}
