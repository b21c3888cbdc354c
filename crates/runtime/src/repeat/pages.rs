//! Memory of a run: the pages that the process has for itself are compared with what they were, and written back.
//!
//! The repeater is the child of a fork, so a page that it has written to is one that it shares with nobody: bit 56 of
//! `/proc/self/pagemap` says so (Linux 4.2, `Documentation/admin-guide/mm/pagemap.rst`). A page can become one only by a page fault,
//! and faults are counted: no new fault, no new page. See `docs/decisions/0214`.
//!
//! What must hold: while pages are put back nothing but the kept mapping and the own stack is written, and no function of the C
//! library is called.
#![allow(
    unsafe_code,
    reason = "the memory of the program is read and written as a whole"
)]

use crate::gate::gate;
use crate::raw::{peek, poke, reserve, slice};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_setzero_si128,
};
use core::cell::{Cell, UnsafeCell};

const PAGE: u64 = 4096;
/// Private writable mappings that are told apart.
const REGIONS: usize = 160;
/// Pages of all of them, touched or not.
const MOST_PAGES: u64 = 1 << 16;
/// Pages that are copied before the first run.
const MOST_COPIED: u64 = 4096;
/// Pages that are compared after each run; with more a fork is cheaper.
const MOST_HOT: u32 = 2048;
/// Bytes below the stack that are looked at page by page.
const STACK_NEAR: u64 = 512 << 10;
/// Bytes below its end where the stack may grow to.
const STACK_FAR: u64 = 8 << 20;
const TEXT_BYTES: usize = 1 << 15;

const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const EXCLUSIVE: u64 = 1 << 56;

/// A private writable mapping.
#[derive(Clone, Copy)]
struct Region {
    start: u64,
    end: u64,
    /// Index of its first page in the table.
    first: u32,
    /// Pages that nobody touched are those of a file, not zeros.
    is_file: bool,
    /// It holds data, not code.
    is_data: bool,
}

/// A page that is compared after each run.
#[derive(Clone, Copy)]
struct Hot {
    page: u64,
    /// Address of what it was; 0 for zeros.
    was: u64,
}

/// The regions of the process, and copies of the pages that runs write to.
pub(super) struct Pages {
    regions: [Cell<Region>; REGIONS],
    count: Cell<usize>,
    /// For each page, [`HOT`] and the index of its copy + 1.
    table: Cell<u64>,
    copies: Cell<u64>,
    hot: Cell<u64>,
    hot_count: Cell<u32>,
    /// What is far below the stack.
    far: Cell<(u64, u64)>,
    faults: Cell<u64>,
    text: UnsafeCell<[u8; TEXT_BYTES]>,
}

/// Of an entry of the table.
const HOT: u32 = 1 << 31;

/// Page faults of this process so far.
fn faults() -> u64 {
    // SAFETY: all zeros is a value of it.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    let at = &raw mut usage as u64;
    gate(
        libc::SYS_getrusage,
        [libc::RUSAGE_SELF as u64, at, 0, 0, 0, 0],
    );
    (usage.ru_minflt + usage.ru_majflt).cast_unsigned()
}

fn open(path: &[u8]) -> Option<u64> {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as u64;
    let path = path.as_ptr() as u64;
    u64::try_from(gate(libc::SYS_open, [path, flags, 0, 0, 0, 0])).ok()
}

fn close(file: u64) {
    gate(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
}

/// Are 4,096 bytes the same? With `b` 0, are they zeros?
fn is_same(a: u64, b: u64) -> bool {
    // SAFETY: the caller passes pages that are mapped.
    unsafe {
        let zero = _mm_setzero_si128();
        let at = |base: u64, index: usize| match base {
            0 => zero,
            _ => _mm_loadu_si128((base as *const __m128i).add(index)),
        };
        let mut index = 0;
        while index < PAGE as usize / 16 {
            let mut all = _mm_cmpeq_epi8(at(a, index), at(b, index));
            for next in 1..8 {
                let equal = _mm_cmpeq_epi8(at(a, index + next), at(b, index + next));
                all = _mm_and_si128(all, equal);
            }
            if _mm_movemask_epi8(all) != 0xffff {
                return false;
            }
            index += 8;
        }
    }
    true
}

/// Writes a page; with `from` 0, zeros. No call of the C library.
fn write_page(to: u64, from: u64) {
    // SAFETY: the caller passes pages that are mapped; the direction flag is clear by the calling convention.
    unsafe {
        if from == 0 {
            core::arch::asm!("rep stosq", inout("rdi") to => _, inout("rcx") PAGE / 8 => _, in("rax") 0_u64,
                options(nostack, preserves_flags));
        } else {
            core::arch::asm!("rep movsq", inout("rdi") to => _, inout("rsi") from => _, inout("rcx") PAGE / 8 => _,
                options(nostack, preserves_flags));
        }
    }
}

impl Pages {
    /// Copies what a run may change. False when that cannot be done, or is not worth it. `excluded` are ranges that are ours.
    pub(super) fn keep(&self, excluded: &[(u64, u64)]) -> bool {
        let found = self.find_regions(excluded);
        found.is_some() && self.reserve_tables() && self.copy_pages() && {
            self.faults.set(faults());
            true
        }
    }

    /// Reads `/proc/self/maps`.
    fn find_regions(&self, excluded: &[(u64, u64)]) -> Option<()> {
        let file = open(b"/proc/self/maps\0")?;
        let text = self.text.get() as u64;
        let mut length = 0;
        loop {
            let room = TEXT_BYTES as u64 - length;
            let got = gate(libc::SYS_read, [file, text + length, room, 0, 0, 0]);
            if got <= 0 {
                break;
            }
            length += got.cast_unsigned();
        }
        close(file);
        if length == 0 || length == TEXT_BYTES as u64 {
            return None;
        }
        let lines = slice::<u8>(text, length as usize).split(|&byte| byte == b'\n');
        for line in lines {
            if let Some(mapping) = Mapping::of(line) {
                self.add_mapping(&mapping, excluded)?;
            }
        }
        Some(())
    }

    fn add_mapping(&self, mapping: &Mapping, excluded: &[(u64, u64)]) -> Option<()> {
        let mut start = mapping.start;
        if mapping.is_stack {
            start = start.min(mapping.end.saturating_sub(STACK_NEAR));
            self.far.set((mapping.end.saturating_sub(STACK_FAR), start));
        }
        // What is ours is cut out; there are few, and they do not overlap.
        loop {
            let inside = |range: &&(u64, u64)| range.1 > start && range.0 < mapping.end;
            let next = excluded.iter().filter(inside).min_by_key(|range| range.0);
            let end = next.map_or(mapping.end, |range| range.0);
            if start < end {
                self.add_region(start, end, mapping)?;
            }
            match next {
                Some(range) if range.1 < mapping.end => start = range.1,
                _ => return Some(()),
            }
        }
    }

    fn add_region(&self, start: u64, end: u64, mapping: &Mapping) -> Option<()> {
        let count = self.count.get();
        let first = match count.checked_sub(1) {
            Some(last) => {
                let last = self.regions[last].get();
                last.first + ((last.end - last.start) / PAGE) as u32
            }
            None => 0,
        };
        let pages = (end - start) / PAGE;
        if count == REGIONS || u64::from(first) + pages > MOST_PAGES {
            return None;
        }
        self.regions[count].set(Region {
            start,
            end,
            first,
            is_file: mapping.is_file,
            is_data: !mapping.is_code,
        });
        self.count.set(count + 1);
        Some(())
    }

    fn regions(&self) -> impl Iterator<Item = Region> {
        self.regions[..self.count.get()].iter().map(Cell::get)
    }

    /// Is all of this memory from before the runs that holds data, can be written, and comes from no file?
    pub(super) fn holds(&self, start: u64, end: u64) -> bool {
        self.regions().any(|region| {
            region.start <= start && end <= region.end && region.is_data && !region.is_file
        })
    }

    fn reserve_tables(&self) -> bool {
        let tables = reserve(MOST_PAGES * (4 + size_of::<Hot>() as u64));
        self.table.set(tables.unwrap_or(0));
        self.hot.set(self.table.get() + 4 * MOST_PAGES);
        tables.is_some()
    }

    fn copy_pages(&self) -> bool {
        let mut wanted = 0_u32;
        let counted = self.each_page(|region, index, state| {
            if region.is_file || state & (PRESENT | SWAPPED) != 0 {
                wanted += 1;
                poke(self.table.get() + 4 * u64::from(index), wanted);
            }
        });
        if !counted || u64::from(wanted) > MOST_COPIED {
            return false;
        }
        let bytes = u64::from(wanted.max(1)) * PAGE;
        let access = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE) as u64;
        let arguments = [0, bytes, access, flags, u64::MAX, 0];
        let Ok(copies) = u64::try_from(gate(libc::SYS_mmap, arguments)) else {
            return false;
        };
        self.copies.set(copies);
        for region in self.regions() {
            for page in (region.start..region.end).step_by(PAGE as usize) {
                let was = self.was(self.entry(region, page));
                if was != 0 {
                    write_page(was, page);
                }
            }
        }
        // A program that writes wildly fails here before it changes what it is put back to.
        let read = libc::PROT_READ as u64;
        gate(libc::SYS_mprotect, [copies, bytes, read, 0, 0, 0]) == 0
    }

    /// Address of a page's entry of the table.
    fn entry(&self, region: Region, page: u64) -> u64 {
        let index = u64::from(region.first) + (page - region.start) / PAGE;
        self.table.get() + 4 * index
    }

    /// Address of what a page was; 0 for zeros.
    fn was(&self, entry: u64) -> u64 {
        match u64::from(peek::<u32>(entry) & !HOT) {
            0 => 0,
            copy => self.copies.get() + (copy - 1) * PAGE,
        }
    }

    /// Calls for each page: its region, its index, its entry of the kernel's table. False when that cannot be read.
    fn each_page(&self, mut look: impl FnMut(Region, u32, u64)) -> bool {
        let Some(file) = open(b"/proc/self/pagemap\0") else {
            return false;
        };
        let mut whole = true;
        for region in self.regions() {
            let mut page = region.start;
            while page < region.end && whole {
                let entries = ((region.end - page) / PAGE).min(TEXT_BYTES as u64 / 8);
                let (text, bytes) = (self.text.get() as u64, 8 * entries);
                let from = page / PAGE * 8;
                let got = gate(libc::SYS_pread64, [file, text, bytes, from, 0, 0]);
                whole = got == bytes.cast_signed();
                for index in 0..entries {
                    let number = region.first + ((page - region.start) / PAGE + index) as u32;
                    look(region, number, peek(text + 8 * index));
                }
                page += entries * PAGE;
            }
        }
        close(file);
        whole
    }

    /// After a run. False when it cannot be, or is not worth it any more. `dropped`: pages may be gone.
    pub(super) fn put_back(&self, dropped: bool) -> bool {
        for index in 0..self.hot_count.get() {
            let Hot { page, was } = peek(self.hot_at(index));
            if !is_same(page, was) {
                write_page(page, was);
            }
        }
        if !dropped && faults() == self.faults.get() {
            return true;
        }
        let whole = self.find_hot(dropped);
        let (start, end) = self.far.get();
        // Most of it is not mapped, and that is an error of no interest.
        if start < end {
            let arguments = [start, end - start, libc::MADV_DONTNEED as u64, 0, 0, 0];
            gate(libc::SYS_madvise, arguments);
        }
        self.faults.set(faults());
        whole && self.hot_count.get() <= MOST_HOT
    }

    fn hot_at(&self, index: u32) -> u64 {
        self.hot.get() + u64::from(index) * size_of::<Hot>() as u64
    }

    /// Finds pages that the run was the first to write to, or that it gave back, and writes them as they were. One that was given
    /// back and then read is the kernel's page of zeros, shared as well.
    fn find_hot(&self, dropped: bool) -> bool {
        self.each_page(|region, index, state| {
            let entry = self.table.get() + 4 * u64::from(index);
            let known: u32 = peek(entry);
            let is_there = state & PRESENT != 0;
            let shared = is_there && state & EXCLUSIVE == 0 && !(dropped && known != 0);
            let untouched = !is_there && state & SWAPPED == 0 && known == 0;
            if known & HOT != 0 || shared || untouched {
                return;
            }
            poke(entry, known | HOT);
            let page = region.start + u64::from(index - region.first) * PAGE;
            let was = self.was(entry);
            if !is_same(page, was) {
                write_page(page, was);
            }
            let count = self.hot_count.get();
            poke(self.hot_at(count), Hot { page, was });
            self.hot_count.set(count + 1);
        })
    }
}

/// A private writable mapping, from its line in `/proc/self/maps`.
struct Mapping {
    start: u64,
    end: u64,
    is_file: bool,
    is_stack: bool,
    is_code: bool,
}

impl Mapping {
    fn of(line: &[u8]) -> Option<Mapping> {
        let mut fields = line
            .split(|&byte| byte == b' ')
            .filter(|field| !field.is_empty());
        let mut range = fields.next()?.split(|&byte| byte == b'-');
        let (start, end) = (hexadecimal(range.next()?), hexadecimal(range.next()?));
        let access = fields.next()?;
        let inode = fields.nth(2)?;
        let name = fields.next().unwrap_or_default();
        (access.get(1) == Some(&b'w') && access.get(3) == Some(&b'p')).then_some(Mapping {
            start,
            end,
            is_file: inode != b"0",
            is_stack: name == b"[stack]",
            is_code: access.get(2) == Some(&b'x'),
        })
    }
}

fn hexadecimal(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |n, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => 0,
        };
        n << 4 | u64::from(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_read() {
        let line =
            b"7ffd1c000000-7ffd1c021000 rw-p 00000000 00:00 0                          [stack]";
        let mapping = Mapping::of(line).expect("writable");
        assert_eq!(
            (mapping.start, mapping.end),
            (0x7ffd_1c00_0000, 0x7ffd_1c02_1000)
        );
        assert!(mapping.is_stack && !mapping.is_file);
        let file = b"55d0a000-55d0b000 rw-p 00003000 fe:00 4711   /usr/bin/cat";
        assert!(Mapping::of(file).is_some_and(|mapping| mapping.is_file));
        for other in [
            &b"55d0a000-55d0b000 r--p 00003000 fe:00 4711 /usr/bin/cat"[..],
            b"1000-2000 rw-s 0 0:1 9 /memfd:x",
            b"",
        ] {
            assert!(Mapping::of(other).is_none());
        }
    }

    #[test]
    fn pages_are_compared_and_written_whole() {
        let area = reserve(3 * PAGE).expect("memory");
        let (a, b) = (area, area + PAGE);
        assert!(is_same(a, b) && is_same(a, 0));
        for at in [0, 15, 127, 128, 4095] {
            poke::<u8>(a + at, 1);
            assert!(!is_same(a, b) && !is_same(a, 0), "{at}");
            write_page(b, a);
            assert!(is_same(a, b) && !is_same(b, 0), "{at}");
            write_page(a, 0);
            write_page(b, 0);
        }
        assert_eq!(peek::<u64>(area + 2 * PAGE), 0);
    }
}
