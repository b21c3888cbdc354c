//! Symbolic environment variables: each is put into the environment of a run, or taken out of it.
//!
//! What must hold: a variable's bytes are labelled where `getenv`, `environ` and `main`'s third parameter find them.
#![allow(unsafe_code, reason = "the C library's environment")]

use crate::raw::{c_len, copy, poke, reserve, slice};
use crate::streams::{self, Stream};
use wire::input::Role;

/// The two streams of a variable of this name: content, and whether it is set.
fn named(role: Role, name: &'static [u8]) -> Option<Stream> {
    streams::of(role).find(|stream| stream_name(*stream) == name)
}

fn stream_name(stream: Stream) -> &'static [u8] {
    slice(stream.name(), stream.name_len() as usize)
}

/// Puts every symbolic variable into the environment, or takes it out.
pub(crate) fn replace() {
    for stream in streams::of(Role::Variable) {
        let set = named(Role::VariableSet, stream_name(stream));
        if set.is_some_and(|set| set.supplied() == 0) {
            // SAFETY: a terminated name; no other thread runs yet.
            unsafe { libc::unsetenv(stream.name() as *const _) };
            continue;
        }
        let (name, bytes) = (u64::from(stream.name_len()), stream.supplied());
        let Some(text) = reserve(name + u64::from(bytes) + 2) else {
            continue;
        };
        copy(text, stream.name(), name);
        poke(text + name, b'=');
        stream.lay_string(text + name + 1);
        // SAFETY: a terminated string that is never given back.
        unsafe { libc::putenv(text as *mut _) };
    }
}

/// The program asks for a variable: whether it is set is decided now.
pub(crate) fn asked(name: u64) {
    let length = c_len(name) as usize;
    let name = slice(name, length);
    if let Some(set) = named(Role::VariableSet, name) {
        set.counted();
    }
    if let Some(content) = named(Role::Variable, name) {
        content.used(content.supplied());
    }
}
