//! What a program asks about a file other than its bytes: its size, by `stat`, `lseek` and `ftell`, and its content as memory,
//! by `mmap`. And the environment, by `getenv`.
#![allow(unsafe_code, reason = "exported symbols")]

use super::stdio::{position, took};
use crate::build::{Sym, binary};
use crate::handshake::Call;
use crate::raw::{errno, peek, set_errno};
use crate::streams::Stream;
use crate::{descriptors, memory};
use core::cell::Cell;
use core::mem::offset_of;
use wire::node::Op;
use wire::segment::Loss;

mod c {
    unsafe extern "C" {
        pub(super) safe fn lseek(descriptor: i32, offset: i64, whence: i32) -> i64;
        pub(super) safe fn pread(descriptor: i32, buffer: u64, bytes: u64, offset: i64) -> i64;
        pub(super) safe fn fseeko(file: u64, offset: i64, whence: i32) -> i32;
        pub(super) safe fn ftello(file: u64) -> i64;
        pub(super) safe fn rewind(file: u64);
        pub(super) safe fn fstat(descriptor: i32, status: u64) -> i32;
        pub(super) safe fn stat(path: u64, status: u64) -> i32;
        pub(super) safe fn lstat(path: u64, status: u64) -> i32;
        pub(super) safe fn fstatat(folder: i32, path: u64, status: u64, flags: i32) -> i32;
        pub(super) safe fn mmap(
            address: u64,
            bytes: u64,
            access: i32,
            flags: i32,
            descriptor: i32,
            offset: i64,
        ) -> u64;
        pub(super) safe fn getenv(name: u64) -> u64;
        pub(super) safe fn secure_getenv(name: u64) -> u64;
    }
}

/// The stream that stands at its end, because a program went there: its position is its length.
struct AtEnd(Cell<Option<(u64, Stream)>>);

// SAFETY: the first thread alone reads symbolic input.
unsafe impl Sync for AtEnd {}

static AT_END: AtEnd = AtEnd(Cell::new(None));

/// Position `offset` from the end, if that is `got`.
fn from_end(stream: Stream, offset: i64, got: i64) -> Option<Sym> {
    let sum = binary(
        Op::Add,
        stream.size(),
        Sym::concrete(offset.cast_unsigned().into(), 64),
    );
    (sum.value == u128::from(got.cast_unsigned())).then_some(sum)
}

/// Names of one function with its large-file alias; each passes its own address on.
macro_rules! aliases {
    ($($name:ident = $body:ident($($param:ident: $ty:ty),*) $(-> $result:ty)?;)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($param: $ty),*) $(-> $result)? {
            $body(&Call::enter($name as *const () as u64), $($param),*)
        }
    )* };
}

aliases! {
    __bw_libc_lseek = seek(descriptor: i32, offset: i64, whence: i32) -> i64;
    __bw_libc_lseek64 = seek(descriptor: i32, offset: i64, whence: i32) -> i64;
    __bw_libc_pread = read_at(descriptor: i32, buffer: u64, bytes: u64, offset: i64) -> i64;
    __bw_libc_pread64 = read_at(descriptor: i32, buffer: u64, bytes: u64, offset: i64) -> i64;
    __bw_libc_fseek = file_seek(file: u64, offset: i64, whence: i32) -> i32;
    __bw_libc_fseeko = file_seek(file: u64, offset: i64, whence: i32) -> i32;
    __bw_libc_fseeko64 = file_seek(file: u64, offset: i64, whence: i32) -> i32;
    __bw_libc_ftell = tell(file: u64) -> i64;
    __bw_libc_ftello = tell(file: u64) -> i64;
    __bw_libc_ftello64 = tell(file: u64) -> i64;
    __bw_libc_rewind = to_start(file: u64);
    __bw_libc_fstat = status_of(descriptor: i32, status: u64) -> i32;
    __bw_libc_fstat64 = status_of(descriptor: i32, status: u64) -> i32;
    __bw_libc_stat = status_at(path: u64, status: u64) -> i32;
    __bw_libc_stat64 = status_at(path: u64, status: u64) -> i32;
    __bw_libc_lstat = link_status(path: u64, status: u64) -> i32;
    __bw_libc_lstat64 = link_status(path: u64, status: u64) -> i32;
    __bw_libc_fstatat = status_below(folder: i32, path: u64, status: u64, flags: i32) -> i32;
    __bw_libc_fstatat64 = status_below(folder: i32, path: u64, status: u64, flags: i32) -> i32;
    __bw_libc_mmap = map(address: u64, bytes: u64, access: i32, flags: i32, descriptor: i32, offset: i64) -> u64;
    __bw_libc_mmap64 = map(address: u64, bytes: u64, access: i32, flags: i32, descriptor: i32, offset: i64) -> u64;
    __bw_libc_getenv = variable(name: u64) -> u64;
    __bw_libc_secure_getenv = secure_variable(name: u64) -> u64;
}

fn seek(call: &Call, descriptor: i32, offset: i64, whence: i32) -> i64 {
    call.pinned(1, offset.cast_unsigned(), Loss::Address);
    let got = c::lseek(descriptor, offset, whence);
    if got < 0 {
        return got;
    }
    let Some(stream) = descriptors::stream(descriptor) else {
        return got;
    };
    if whence == libc::SEEK_END
        && let Some(place) = from_end(stream, offset, got)
    {
        call.give(place);
    }
    stream.moved_to(u32::try_from(got).unwrap_or(u32::MAX));
    got
}

fn read_at(call: &Call, descriptor: i32, buffer: u64, bytes: u64, offset: i64) -> i64 {
    call.pinned(1, buffer, Loss::Address);
    call.pinned(2, bytes, Loss::Length);
    call.pinned(3, offset.cast_unsigned(), Loss::Address);
    let got = c::pread(descriptor, buffer, bytes, offset);
    if got >= 0 {
        memory::clear(buffer, got as u64);
        let at = u32::try_from(offset).ok();
        if let (Some(stream), Some(at)) = (descriptors::stream(descriptor), at) {
            stream.moved_to(at);
            took(buffer, (stream, at), got as u64, bytes);
        }
    }
    got
}

fn file_seek(call: &Call, file: u64, offset: i64, whence: i32) -> i32 {
    call.pinned(1, offset.cast_unsigned(), Loss::Address);
    let got = c::fseeko(file, offset, whence);
    AT_END.0.set(None);
    if got == 0
        && let Some((stream, at)) = position(file)
    {
        stream.moved_to(at);
        let at_end = whence == libc::SEEK_END && offset == 0;
        AT_END.0.set(at_end.then_some((file, stream)));
    }
    got
}

fn tell(call: &Call, file: u64) -> i64 {
    let got = c::ftello(file);
    if let Some((at_end, stream)) = AT_END.0.get()
        && at_end == file
        && let Some(place) = from_end(stream, 0, got)
    {
        call.give(place);
    }
    got
}

fn to_start(_: &Call, file: u64) {
    AT_END.0.set(None);
    c::rewind(file);
}

/// A `struct stat` was filled in.
fn filled(status: u64, done: i32) -> i32 {
    let saved = errno();
    if done == 0 {
        memory::clear(status, size_of::<libc::stat>() as u64);
        let device = peek(status + offset_of!(libc::stat, st_dev) as u64);
        let inode = peek(status + offset_of!(libc::stat, st_ino) as u64);
        if descriptors::live()
            && let Some(stream) = descriptors::with_identity(device, inode)
        {
            let place = status + offset_of!(libc::stat, st_size) as u64;
            let (size, length) = (peek::<u64>(place), stream.size());
            if length.value == u128::from(size) {
                memory::store(place, 8, length);
            }
        }
    }
    set_errno(saved);
    done
}

fn status_of(call: &Call, descriptor: i32, status: u64) -> i32 {
    call.pinned(1, status, Loss::Address);
    filled(status, c::fstat(descriptor, status))
}

fn status_at(call: &Call, path: u64, status: u64) -> i32 {
    call.pinned_pointers(&[path, status]);
    filled(status, c::stat(path, status))
}

fn link_status(call: &Call, path: u64, status: u64) -> i32 {
    call.pinned_pointers(&[path, status]);
    filled(status, c::lstat(path, status))
}

fn status_below(call: &Call, folder: i32, path: u64, status: u64, flags: i32) -> i32 {
    call.pinned(1, path, Loss::Address);
    call.pinned(2, status, Loss::Address);
    filled(status, c::fstatat(folder, path, status, flags))
}

fn map(
    call: &Call,
    address: u64,
    bytes: u64,
    access: i32,
    flags: i32,
    descriptor: i32,
    offset: i64,
) -> u64 {
    call.pinned(0, address, Loss::Address);
    call.pinned(1, bytes, Loss::Length);
    call.pinned(5, offset.cast_unsigned(), Loss::Address);
    let got = c::mmap(address, bytes, access, flags, descriptor, offset);
    if got == u64::MAX {
        return got;
    }
    memory::clear(got, bytes);
    if flags & libc::MAP_ANONYMOUS == 0
        && let Some(stream) = descriptors::stream(descriptor)
        && let Ok(at) = u32::try_from(offset)
    {
        let there = u64::from(stream.supplied().saturating_sub(at)).min(bytes);
        stream.moved_to(at);
        took(got, (stream, at), there, bytes);
    }
    got
}

/// The decision whether the variable is set; its bytes are labelled where they are.
fn ask(call: &Call, name: u64) {
    call.pinned_pointers(&[name]);
    if call.live {
        let saved = errno();
        crate::environment::asked(name);
        set_errno(saved);
    }
}

fn variable(call: &Call, name: u64) -> u64 {
    ask(call, name);
    c::getenv(name)
}

fn secure_variable(call: &Call, name: u64) -> u64 {
    ask(call, name);
    c::secure_getenv(name)
}
