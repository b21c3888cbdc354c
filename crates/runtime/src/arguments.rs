//! Symbolic arguments: `main` is entered through [`__wrap_main`] (the linker's `--wrap=main`), which gives it this run's `argv`.
//!
//! What must hold: without symbolic arguments, `main` gets what it would have got.
#![allow(unsafe_code, reason = "stands between the C library and main")]

use crate::raw::{peek, poke, reserve};
use crate::state::recording;
use crate::streams::{self, Stream};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wire::input::Role;

#[cfg(not(test))]
core::arch::global_asm!(
    ".pushsection .text.__wrap_main,\"ax\",@progbits",
    ".globl __wrap_main",
    ".type __wrap_main,@function",
    "__wrap_main:",
    ".cfi_startproc",
    // The arguments where they can be changed; the stack stays aligned.
    "sub rsp, 24",
    ".cfi_adjust_cfa_offset 24",
    "mov [rsp], rdi",
    "mov [rsp + 8], rsi",
    "mov [rsp + 16], rdx",
    "mov rdi, rsp",
    "call {entry}",
    "mov rdi, [rsp]",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp + 16]",
    "add rsp, 24",
    ".cfi_adjust_cfa_offset -24",
    "jmp __real_main@PLT",
    ".cfi_endproc",
    ".size __wrap_main, .-__wrap_main",
    ".popsection",
    entry = sym __bw_main
);

/// Set once `main` was entered: a program that calls it again passes its own arguments.
static ENTERED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    safe static environ: u64;
}

/// `arguments` holds `argc`, `argv` and `envp` as the C library gives them to `main`.
#[unsafe(no_mangle)]
pub extern "C" fn __bw_main(arguments: u64) {
    let changed = streams::all().any(|stream| {
        matches!(
            stream.role(),
            Some(Role::Argument | Role::Arguments | Role::Variable)
        )
    });
    if ENTERED.swap(true, Relaxed) || !recording() || !changed {
        return;
    }
    poke(arguments + 16, environ);
    let argc = u64::from(peek::<u32>(arguments));
    let argv: u64 = peek(arguments + 8);
    let Some(fresh) = reserve(8 * (argc + 1)) else {
        return;
    };
    let mut count = 0;
    for index in 0..argc {
        if !present(index as u32) {
            continue;
        }
        let text = argument(index as u32).unwrap_or_else(|| peek(argv + 8 * index));
        poke(fresh + 8 * count, text);
        count += 1;
    }
    poke(arguments, count);
    poke(arguments + 8, fresh);
}

/// Whether the argument is there on this run. Each group's count is decided once, in the order of the groups.
fn present(index: u32) -> bool {
    let group = streams::of(Role::Arguments).find(|group| {
        let (first, most) = (group.place(), group.lengths().1);
        (first..first.saturating_add(most)).contains(&index)
    });
    group.is_none_or(|group| index - group.place() < group.counted())
}

/// This run's text of a symbolic argument.
fn argument(index: u32) -> Option<u64> {
    let stream: Stream = streams::of(Role::Argument).find(|stream| stream.place() == index)?;
    let text = reserve(u64::from(stream.supplied()) + 1)?;
    stream.lay_string(text);
    Some(text)
}
