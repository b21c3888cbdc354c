//! Reading symbolic standard input and files: the real function reads, then the bytes get their labels by position.
#![allow(unsafe_code, reason = "exported symbols")]

use crate::build::{Sym, equals, not, zext};
use crate::handshake::Call;
use crate::raw::{errno, set_errno};
use crate::record::library;
use crate::streams::Stream;
use crate::{descriptors, memory};
use wire::segment::Loss;

#[allow(non_upper_case_globals, reason = "a C name")]
mod c {
    unsafe extern "C" {
        pub(super) safe static stdin: u64;
        pub(super) safe fn read(descriptor: i32, buffer: u64, bytes: u64) -> i64;
        pub(super) safe fn fread(buffer: u64, size: u64, count: u64, file: u64) -> u64;
        pub(super) safe fn fread_unlocked(buffer: u64, size: u64, count: u64, file: u64) -> u64;
        pub(super) safe fn fgets(buffer: u64, bytes: i32, file: u64) -> u64;
        pub(super) safe fn fgets_unlocked(buffer: u64, bytes: i32, file: u64) -> u64;
        pub(super) safe fn fgetc(file: u64) -> i32;
        pub(super) safe fn getc_unlocked(file: u64) -> i32;
        pub(super) safe fn ungetc(byte: i32, file: u64) -> i32;
        pub(super) safe fn getdelim(line: u64, room: u64, delimiter: i32, file: u64) -> i64;
        pub(super) safe fn ftello(file: u64) -> i64;
        pub(super) safe fn fileno(file: u64) -> i32;
    }
}

/// The symbolic stream that a file reads from, and the position there.
pub(super) fn position(file: u64) -> Option<(Stream, u32)> {
    if file == 0 || !descriptors::live() {
        return None;
    }
    let saved = errno();
    let stream = descriptors::stream(c::fileno(file));
    let place = stream.and_then(|stream| Some((stream, u32::try_from(c::ftello(file)).ok()?)));
    set_errno(saved);
    place
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_read(descriptor: i32, buffer: u64, bytes: u64) -> i64 {
    let call = Call::enter(__bw_libc_read as *const () as u64);
    call.pinned(1, buffer, Loss::Address);
    call.pinned(2, bytes, Loss::Length);
    let place = descriptors::position(descriptor);
    let got = c::read(descriptor, buffer, bytes);
    if got > 0 {
        memory::clear(buffer, got as u64);
    }
    if let Some(place) = place
        && got >= 0
    {
        took(buffer, place, got as u64, bytes);
    }
    got
}

/// `got` of `wanted` bytes were read from a position on.
pub(super) fn took(buffer: u64, (stream, at): (Stream, u32), got: u64, wanted: u64) {
    stream.reads_from(at);
    let count = got.min(u32::MAX.into()) as u32;
    stream.had_some(at, count, wanted);
    stream.label(buffer, at, count);
}

fn block(
    call: &Call,
    buffer: u64,
    size: u64,
    count: u64,
    file: u64,
    read: impl FnOnce() -> u64,
) -> u64 {
    call.pinned(0, buffer, Loss::Address);
    call.pinned(1, size, Loss::Length);
    call.pinned(2, count, Loss::Length);
    let place = position(file);
    let got = read();
    let wanted = size.wrapping_mul(count);
    match (place, position(file)) {
        (Some(place), Some((_, end))) => {
            let bytes = u64::from(end.saturating_sub(place.1)).min(wanted);
            memory::clear(buffer, bytes);
            took(buffer, place, bytes, wanted);
        }
        _ => memory::clear(buffer, got.wrapping_mul(size).min(wanted)),
    }
    got
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fread(buffer: u64, size: u64, count: u64, file: u64) -> u64 {
    let call = Call::enter(__bw_libc_fread as *const () as u64);
    block(&call, buffer, size, count, file, || {
        c::fread(buffer, size, count, file)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fread_unlocked(buffer: u64, size: u64, count: u64, file: u64) -> u64 {
    let call = Call::enter(__bw_libc_fread_unlocked as *const () as u64);
    block(&call, buffer, size, count, file, || {
        c::fread_unlocked(buffer, size, count, file)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fgets(buffer: u64, bytes: i32, file: u64) -> u64 {
    let call = Call::enter(__bw_libc_fgets as *const () as u64);
    text(&call, buffer, bytes, file, || c::fgets(buffer, bytes, file))
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fgets_unlocked(buffer: u64, bytes: i32, file: u64) -> u64 {
    let call = Call::enter(__bw_libc_fgets_unlocked as *const () as u64);
    text(&call, buffer, bytes, file, || {
        c::fgets_unlocked(buffer, bytes, file)
    })
}

fn text(call: &Call, buffer: u64, bytes: i32, file: u64, read: impl FnOnce() -> u64) -> u64 {
    call.pinned(0, buffer, Loss::Address);
    call.pinned_narrow(1, bytes as u32, Loss::Length);
    let place = position(file);
    let got = read();
    let Some((stream, at)) = place else {
        if got != 0 {
            memory::clear(buffer, bytes as u64);
        }
        return got;
    };
    stream.reads_from(at);
    if got == 0 {
        if bytes > 1 {
            stream.ended(at);
        }
        return got;
    }
    let count = position(file).map_or(at, |(_, end)| end).saturating_sub(at);
    line(buffer, (stream, at), count, bytes as u32, b'\n');
    memory::clear(buffer + u64::from(count), 1);
    got
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getline(line: u64, room: u64, file: u64) -> i64 {
    let call = Call::enter(__bw_libc_getline as *const () as u64);
    delimited(&call, line, room, i32::from(b'\n'), file)
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getdelim(line: u64, room: u64, delimiter: i32, file: u64) -> i64 {
    let call = Call::enter(__bw_libc_getdelim as *const () as u64);
    call.pinned_narrow(2, delimiter as u32, Loss::Value);
    delimited(&call, line, room, delimiter, file)
}

fn delimited(call: &Call, pointer: u64, room: u64, delimiter: i32, file: u64) -> i64 {
    call.pinned_pointers(&[pointer, room]);
    let place = position(file);
    let got = c::getdelim(pointer, room, delimiter, file);
    if call.live {
        memory::clear(pointer, 8);
        memory::clear(room, 8);
    }
    let buffer: u64 = crate::raw::peek(pointer);
    if got >= 0 {
        memory::clear(buffer, got as u64 + 1);
    }
    let Some((stream, at)) = place else {
        return got;
    };
    stream.reads_from(at);
    if got < 0 {
        stream.ended(at);
    } else {
        line(buffer, (stream, at), got as u32, u32::MAX, delimiter as u8);
    }
    got
}

/// A line of `count` bytes was read where `room` bytes were free, the terminator included.
fn line(buffer: u64, (stream, at): (Stream, u32), count: u32, room: u32, delimiter: u8) {
    if count == 0 {
        return;
    }
    stream.label(buffer, at, count);
    let newline = |index: u32| equals(memory::byte(buffer + u64::from(index)), delimiter.into());
    // In the order of the decisions, whatever was read: runs part only where they decide differently.
    for index in 0..count - 1 {
        stream.had(at + index + 1);
        library(not(newline(index)));
    }
    stream.had(at + count);
    let last = newline(count - 1);
    if count + 1 >= room {
        return;
    }
    if last.value == 1 {
        library(last);
    } else {
        library(not(last));
        stream.ended(at + count);
    }
}

fn character(call: &Call, file: u64, read: impl FnOnce() -> i32) -> i32 {
    let place = position(file);
    let got = read();
    let Some((stream, at)) = place else {
        return got;
    };
    stream.reads_from(at);
    if got < 0 {
        stream.ended(at);
        return got;
    }
    stream.had(at + 1);
    let byte = stream.byte(at, got as u8);
    call.give(if byte.symbolic() {
        zext(byte, 32)
    } else {
        Sym::concrete(got as u128, 32)
    });
    got
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getc(file: u64) -> i32 {
    character(
        &Call::enter(__bw_libc_getc as *const () as u64),
        file,
        || c::fgetc(file),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fgetc(file: u64) -> i32 {
    character(
        &Call::enter(__bw_libc_fgetc as *const () as u64),
        file,
        || c::fgetc(file),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getchar() -> i32 {
    character(
        &Call::enter(__bw_libc_getchar as *const () as u64),
        c::stdin,
        || c::fgetc(c::stdin),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getc_unlocked(file: u64) -> i32 {
    character(
        &Call::enter(__bw_libc_getc_unlocked as *const () as u64),
        file,
        || c::getc_unlocked(file),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_getchar_unlocked() -> i32 {
    let call = Call::enter(__bw_libc_getchar_unlocked as *const () as u64);
    character(&call, c::stdin, || c::getc_unlocked(c::stdin))
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_fgetc_unlocked(file: u64) -> i32 {
    let call = Call::enter(__bw_libc_fgetc_unlocked as *const () as u64);
    character(&call, file, || c::getc_unlocked(file))
}

#[unsafe(no_mangle)]
pub extern "C" fn __bw_libc_ungetc(byte: i32, file: u64) -> i32 {
    let call = Call::enter(__bw_libc_ungetc as *const () as u64);
    let pushed = call.arg(0, u64::from(byte as u32), 32);
    let got = c::ungetc(byte, file);
    if got >= 0 && pushed.symbolic() {
        call.give(zext(crate::build::extract(pushed, 0, 8), 32));
    }
    got
}
