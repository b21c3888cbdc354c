//! Files behind streams: standard input becomes a fresh file with the stream's content, and each named file is written to the
//! working folder, so that functions that are not wrapped read the same bytes. Descriptors are known again by what they are open
//! on, however they were opened or duplicated.
//!
//! What must hold: nothing is written outside the folder that the program runs in.
#![allow(unsafe_code, reason = "descriptors; a constructor")]

use crate::deferred;
use crate::gate::gate;
use crate::made;
use crate::raw::{errno, set_errno};
use crate::state::{Phase, STATE, recording};
use crate::streams::{self, Stream};
use core::cell::Cell;
use wire::input::Role;

/// Most named files.
const FILES: usize = 64;

/// What a descriptor is open on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

struct Open {
    files: [Cell<Option<(Identity, Stream)>>; FILES],
    count: Cell<usize>,
}

// SAFETY: the first thread alone reads symbolic input.
unsafe impl Sync for Open {}

static OPEN: Open = Open {
    files: [const { Cell::new(None) }; FILES],
    count: Cell::new(0),
};

/// Runs behind the program's own constructors that have a priority, before `main`.
extern "C" fn constructor() {
    let wanted = is_wanted() || STATE.early.get();
    let waiting = STATE.phase.get() == Phase::Prefix && recording() && wanted;
    if !waiting {
        return;
    }
    if !STATE.fork.get() {
        crate::repeat::reserve();
    }
    if !deferred::begin() {
        crate::server::before_input();
    }
}

/// Some stream is not one that the program asks for by itself.
fn is_wanted() -> bool {
    streams::all().any(|stream| stream.role() != Some(Role::Fuzz))
}

/// A run begins: puts its streams where the program finds them.
pub(crate) fn supply() {
    if is_wanted() {
        let saved = errno();
        deferred::separate();
        made::make_again();
        streams::all().for_each(Stream::begin);
        streams::of(Role::Stdin).for_each(replace_stdin);
        streams::of(Role::File).for_each(write_file);
        crate::repeat::supplied();
        crate::environment::replace();
        set_errno(saved);
    } else {
        crate::repeat::supplied();
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Puts the content behind descriptor 0.
fn replace_stdin(stream: Stream) {
    // SAFETY: plain system calls on our own descriptor.
    unsafe {
        let file = libc::syscall(libc::SYS_memfd_create, c"stdin".as_ptr(), 0) as i32;
        if file < 0 {
            return;
        }
        fill(file, stream);
        libc::syscall(libc::SYS_lseek, file, 0, libc::SEEK_SET);
        remember(file, stream);
        if file != 0 {
            libc::syscall(libc::SYS_dup2, file, 0);
            libc::syscall(libc::SYS_close, file);
        }
    }
}

/// Writes a named file to the working folder.
fn write_file(stream: Stream) {
    const FOLDER: u32 = 0o777;
    const FILE: u32 = 0o666;
    let (name, length) = (stream.name(), u64::from(stream.name_len()));
    let mut part = [0_u8; 4096];
    if length >= part.len() as u64 {
        return;
    }
    part[..length as usize].copy_from_slice(crate::raw::slice(name, length as usize));
    for index in 1..length as usize {
        if part[index] == b'/' {
            part[index] = 0;
            // SAFETY: a terminated string on our own stack.
            unsafe { libc::syscall(libc::SYS_mkdir, part.as_ptr(), FOLDER) };
            part[index] = b'/';
        }
    }
    let flags = libc::O_CREAT | libc::O_TRUNC | libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: plain system calls on a terminated string and our own descriptor.
    unsafe {
        let file = libc::syscall(libc::SYS_open, part.as_ptr(), flags, FILE) as i32;
        if file < 0 {
            return;
        }
        fill(file, stream);
        remember(file, stream);
        libc::syscall(libc::SYS_close, file);
    }
}

/// Writes the content to a descriptor.
fn fill(file: i32, stream: Stream) {
    let (content, length) = (stream.content(), u64::from(stream.supplied()));
    let mut written = 0;
    while written < length {
        // SAFETY: the stream's bytes in the segment.
        let got =
            unsafe { libc::syscall(libc::SYS_write, file, content + written, length - written) };
        if got <= 0 {
            break;
        }
        written += got as u64;
    }
}

fn remember(file: i32, stream: Stream) {
    let count = OPEN.count.get();
    if let Some(identity) = identity(file)
        && count < FILES
    {
        OPEN.files[count].set(Some((identity, stream)));
        OPEN.count.set(count + 1);
    }
}

/// Makes a call that changes nothing. To ask what an input is may be the first touch of it, and is to be seen then.
fn ask(number: i64, arguments: [u64; 3]) -> i64 {
    let [first, second, third] = arguments;
    if !deferred::is_on() {
        return gate(number, [first, second, third, 0, 0, 0]);
    }
    let saved = errno();
    // SAFETY: the caller's arguments are those of a call that writes to live memory at most.
    let result = unsafe { libc::syscall(number, first, second, third) };
    set_errno(saved);
    result
}

fn identity(descriptor: i32) -> Option<Identity> {
    // SAFETY: all zeros is a value of it.
    let mut status: libc::stat = unsafe { core::mem::zeroed() };
    let at = &raw mut status as u64;
    let done = ask(libc::SYS_fstat, [descriptor as u64, at, 0]) == 0;
    done.then_some(Identity {
        device: status.st_dev,
        inode: status.st_ino,
    })
}

/// True when a call may read a symbolic file at all, on a run whose inputs are symbolic. Before a deferred start is over, asking what a descriptor is open on
/// touches the input.
pub(crate) fn live() -> bool {
    (OPEN.count.get() > 0 || deferred::is_on()) && !STATE.concrete.get() && recording()
}

/// The stream of a file with this device and inode.
pub(crate) fn with_identity(device: u64, inode: u64) -> Option<Stream> {
    let wanted = Identity { device, inode };
    let files = OPEN.files[..OPEN.count.get()].iter();
    files
        .filter_map(Cell::get)
        .find(|(identity, _)| *identity == wanted)
        .map(|(_, stream)| stream)
}

/// The stream that a descriptor is open on.
pub(crate) fn stream(descriptor: i32) -> Option<Stream> {
    if !live() {
        return None;
    }
    identity(descriptor).and_then(|found| with_identity(found.device, found.inode))
}

/// Where in its stream a descriptor stands.
pub(crate) fn position(descriptor: i32) -> Option<(Stream, u32)> {
    let stream = stream(descriptor)?;
    let current = libc::SEEK_CUR as u64;
    let at = ask(libc::SYS_lseek, [descriptor as u64, 0, current]);
    Some((stream, u32::try_from(at).ok()?))
}
