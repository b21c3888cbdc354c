//! The repeater's own loop: on a stack of its own it waits for a run, goes over to the program's stack, and comes back from the
//! handler that saw the program end.
//!
//! What must hold: the program's registers and stack at the start of each run are those of the first.
#![allow(unsafe_code, reason = "stacks and registers are exchanged")]

use super::host::Mailbox;
use super::kept::{self, kept};
use super::trapped;
use crate::gate::{self, Dispatch, gate};
use crate::server::begin_run;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::Ordering::SeqCst;
use wire::shadow;

// System V: a call keeps rbx, rbp, r12 to r15, and the control words of both units for floating point.
core::arch::global_asm!(
    // rdi: where the program's stack pointer is kept, rsi: top of our own stack, rdx: the function that runs there.
    ".pushsection .text.__bw_cycle,\"ax\",@progbits",
    ".globl __bw_depart",
    ".hidden __bw_depart",
    "__bw_depart:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "xor ebp, ebp",
    "call rdx",
    "ud2",
    // rdi: the program's stack pointer.
    ".globl __bw_arrive",
    ".hidden __bw_arrive",
    "__bw_arrive:",
    "mov rsp, rdi",
    "fninit",
    "ldmxcsr [rsp]",
    "fldcw [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    // In place of a system call of the program, which spares rcx and r11 as little as this does: gives up the signal stack, which
    // a handler that runs on it cannot do, and goes on.
    ".globl __bw_leave",
    ".hidden __bw_leave",
    "__bw_leave:",
    "mov rcx, [rip + __bw_left@GOTPCREL]",
    "mov [rcx + 8], rax",
    "mov [rcx + 16], rdi",
    "mov [rcx + 24], rsi",
    "lea rdi, [rcx + 32]",
    "mov esi, 0",
    "mov eax, 131",
    "syscall",
    "mov rcx, [rip + __bw_left@GOTPCREL]",
    "mov rax, [rcx + 8]",
    "mov rdi, [rcx + 16]",
    "mov rsi, [rcx + 24]",
    "jmp [rcx]",
    ".popsection",
);

/// What `__bw_leave` reads and keeps.
#[repr(C)]
struct Left {
    /// Where it goes on.
    resume: Cell<u64>,
    registers: [Cell<u64>; 3],
    none: SignalStack,
}

// SAFETY: one thread.
unsafe impl Sync for Left {}

#[allow(non_upper_case_globals, reason = "a symbol of the assembly above")]
#[unsafe(no_mangle)]
static __bw_left: Left = Left {
    resume: Cell::new(0),
    registers: [const { Cell::new(0) }; 3],
    none: SignalStack {
        start: 0,
        flags: libc::SS_DISABLE,
        bytes: 0,
    },
};

unsafe extern "C" {
    safe fn __bw_leave();
    fn __bw_depart(stack: *mut u64, own: u64, function: extern "C" fn() -> !);
    fn __bw_arrive(stack: u64) -> !;
}

/// In a new child of the server: returns in each run, the first time as an ordinary child if this program cannot be repeated.
pub(super) fn begin() {
    if !kept::map() {
        Mailbox::get().refuse();
        return Mailbox::get().take();
    }
    crate::deferred::separate();
    // SAFETY: the stack is mapped; `first` goes back by `__bw_arrive` only, when memory is what it was here.
    unsafe { __bw_depart(kept().stack.as_ptr(), kept::own_stack(), first) }
}

/// On our own stack, before the first run.
extern "C" fn first() -> ! {
    let kept = kept();
    gather_messages();
    kept.maps.keep();
    kept.files.keep();
    let excluded = [
        kept::range(),
        (shadow::BASE, shadow::BASE + shadow::BYTES),
        crate::cons::range(),
    ];
    if !kept.pages.keep(&excluded) {
        kept.left.set(true);
        Mailbox::get().refuse();
        Mailbox::get().take();
        enter()
    }
    let own_stack = take_signal_stack();
    kept.signals
        .keep(trapped, if own_stack { libc::SA_ONSTACK } else { 0 });
    kept::set_selector(Dispatch::Off);
    if !gate::dispatch(Dispatch::On, kept.selector.as_ptr() as u64) {
        // The server makes the run otherwise.
        Mailbox::get().refuse();
        exit();
    }
    next()
}

/// Waits for the next run, and begins it.
fn next() -> ! {
    let mailbox = Mailbox::get();
    mailbox.await_run();
    begin_run();
    kept().calls.set(0);
    mailbox.take();
    enter()
}

/// What runs say on their standard error is written in blocks: nobody reads it, and each call costs as much as a thousand
/// instructions. (HTML Tidy writes its messages byte by byte, and went on as an ordinary child because of that many calls.)
fn gather_messages() {
    const BYTES: usize = 1 << 12;
    struct Buffer(UnsafeCell<[u8; BYTES]>);
    // SAFETY: one thread; only the C library looks inside.
    unsafe impl Sync for Buffer {}
    static BUFFER: Buffer = Buffer(UnsafeCell::new([0; BYTES]));
    unsafe extern "C" {
        static stderr: *mut libc::FILE;
    }
    // SAFETY: the C library's own stream; the buffer is there as long as the process.
    unsafe { libc::setvbuf(stderr, BUFFER.0.get().cast(), libc::_IOFBF, BYTES) };
}

fn enter() -> ! {
    // SAFETY: kept by `__bw_depart`; the stack above it is what it was there.
    unsafe { __bw_arrive(kept().stack.get()) }
}

/// The run ended, in this context: the handler returns to our own loop.
pub(super) fn end(context: &mut libc::ucontext_t, status: u32) {
    const DIRECTION: i64 = 0x400;
    Mailbox::get().status().store(status, SeqCst);
    let registers = &mut context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize] = (finish as *const () as u64).cast_signed();
    // As behind a call.
    registers[libc::REG_RSP as usize] = (kept::own_stack() - 8).cast_signed();
    registers[libc::REG_EFL as usize] &= !DIRECTION;
}

/// On our own stack, after a run.
extern "C" fn finish() -> ! {
    kept::set_selector(Dispatch::Off);
    Mailbox::get().end();
    let kept = kept();
    let done = kept.maps.put_back() & kept.files.put_back();
    kept.signals.put_back();
    if !done || !kept.pages.put_back(kept.maps.dropped.replace(false)) {
        exit();
    }
    next()
}

fn exit() -> ! {
    loop {
        gate(libc::SYS_exit_group, [0; 6]);
    }
}

/// The kernel's own structure of the same name.
#[repr(C)]
struct SignalStack {
    start: u64,
    flags: i32,
    bytes: u64,
}

/// System calls are judged on a stack of ours, unless the program has one.
fn take_signal_stack() -> bool {
    let mut old = SignalStack {
        start: 0,
        flags: 0,
        bytes: 0,
    };
    let (start, bytes) = kept::signal_stack();
    let new = SignalStack {
        start,
        flags: 0,
        bytes,
    };
    let (new_at, old_at) = (&raw const new as u64, &raw mut old as u64);
    gate(libc::SYS_sigaltstack, [0, old_at, 0, 0, 0, 0]);
    old.flags & libc::SS_DISABLE != 0 && gate(libc::SYS_sigaltstack, [new_at, 0, 0, 0, 0, 0]) == 0
}

fn is_ours(context: &libc::ucontext_t) -> bool {
    context.uc_stack.ss_sp as u64 == kept::signal_stack().0
}

/// The handler's context goes on with our signal stack.
pub(super) fn use_signal_stack(context: &mut libc::ucontext_t) {
    if context.uc_stack.ss_flags & libc::SS_DISABLE != 0 {
        let (start, bytes) = kept::signal_stack();
        context.uc_stack.ss_sp = start as *mut _;
        context.uc_stack.ss_flags = 0;
        context.uc_stack.ss_size = bytes as usize;
    }
}

/// The handler's context goes on without it.
pub(super) fn leave_signal_stack(context: &mut libc::ucontext_t) {
    if is_ours(context) {
        let next = &mut context.uc_mcontext.gregs[libc::REG_RIP as usize];
        __bw_left.resume.set(next.cast_unsigned());
        *next = (__bw_leave as *const () as u64).cast_signed();
    }
}
