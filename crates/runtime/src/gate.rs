//! Seeing the program's system calls: syscall user dispatch (Linux 5.11, `Documentation/admin-guide/syscall-user-dispatch.rst`)
//! hands every system call of the thread to a handler of SIGSYS, whoever makes it, and [`gate`] makes those that are not handed over.
//!
//! What must hold: a handler makes no system call but through [`gate`], and returns by [`Action::of`]'s own restorer.
#![allow(unsafe_code, reason = "system calls, a signal handler")]

const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
/// Whether system calls are handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dispatch {
    Off = 0,
    On = 1,
}

const SA_RESTORER: u64 = 0x0400_0000;

// System calls from here are not handed over.
core::arch::global_asm!(
    ".pushsection .text.__bw_gate,\"ax\",@progbits",
    // rdi: number, rsi: address of its six arguments.
    ".globl __bw_gate",
    ".hidden __bw_gate",
    "__bw_gate:",
    "mov rax, rdi",
    "mov r9, [rsi + 40]",
    "mov r8, [rsi + 32]",
    "mov r10, [rsi + 24]",
    "mov rdx, [rsi + 16]",
    "mov rdi, [rsi]",
    "mov rsi, [rsi + 8]",
    "syscall",
    "ret",
    ".globl __bw_gate_return",
    ".hidden __bw_gate_return",
    "__bw_gate_return:",
    "mov rax, 15",
    "syscall",
    // The kernel compares the address behind the instruction.
    "ud2",
    ".globl __bw_gate_end",
    ".hidden __bw_gate_end",
    "__bw_gate_end:",
    ".popsection",
);

unsafe extern "C" {
    fn __bw_gate(number: u64, arguments: *const [u64; 6]) -> i64;
    safe fn __bw_gate_return();
    safe fn __bw_gate_end();
}

/// A system call that is not handed over; the negated `errno` when it fails.
pub(crate) fn gate(number: i64, arguments: [u64; 6]) -> i64 {
    // SAFETY: the caller answers for the call, as with any system call.
    unsafe { __bw_gate(number.cast_unsigned(), &raw const arguments) }
}

/// The kernel's own `struct sigaction`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Action {
    pub(crate) handler: u64,
    pub(crate) flags: u64,
    pub(crate) restorer: u64,
    pub(crate) mask: u64,
}

/// What a signal does by default.
pub(crate) const NO_ACTION: Action = Action {
    handler: 0,
    flags: 0,
    restorer: 0,
    mask: 0,
};

/// Handler of a signal with its context.
pub(crate) type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::ucontext_t);

impl Action {
    /// A handler that masks nothing but, without `SA_NODEFER`, its own signal.
    pub(crate) fn of(handler: Handler, flags: i32) -> Action {
        Action {
            handler: handler as *const () as u64,
            flags: (flags | libc::SA_SIGINFO) as u64 | SA_RESTORER,
            restorer: __bw_gate_return as *const () as u64,
            mask: 0,
        }
    }
}

/// What a signal does.
pub(crate) fn action(signal: i32) -> Action {
    let mut old = NO_ACTION;
    let at = &raw mut old as u64;
    gate(libc::SYS_rt_sigaction, [signal as u64, 0, at, 8, 0, 0]);
    old
}

/// Sets what a signal does; returns what it did.
pub(crate) fn exchange(signal: i32, action: Action) -> Action {
    let mut old = NO_ACTION;
    let (new, old_at) = (&raw const action as u64, &raw mut old as u64);
    gate(
        libc::SYS_rt_sigaction,
        [signal as u64, new, old_at, 8, 0, 0],
    );
    old
}

/// System calls of this thread are handed over from here on, or no more. With a `selector`, the address of a byte, only as long
/// as that byte is [`Dispatch::On`]. False when the kernel cannot.
pub(crate) fn dispatch(mode: Dispatch, selector: u64) -> bool {
    let (first, last) = (
        __bw_gate as *const () as u64,
        __bw_gate_end as *const () as u64,
    );
    let (from, length, selector) = match mode {
        Dispatch::On => (first, last - first, selector),
        Dispatch::Off => (0, 0, 0),
    };
    let arguments = [
        PR_SET_SYSCALL_USER_DISPATCH,
        mode as u64,
        from,
        length,
        selector,
        0,
    ];
    gate(libc::SYS_prctl, arguments) == 0
}

/// A system call that was handed over, in the registers of its handler.
pub(crate) struct Call {
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 6],
}

impl Call {
    /// Reads it from the handler's context.
    pub(crate) fn of(context: &libc::ucontext_t) -> Call {
        let registers = &context.uc_mcontext.gregs;
        let argument = |register: i32| registers[register as usize].cast_unsigned();
        Call {
            number: registers[libc::REG_RAX as usize],
            arguments: [
                argument(libc::REG_RDI),
                argument(libc::REG_RSI),
                argument(libc::REG_RDX),
                argument(libc::REG_R10),
                argument(libc::REG_R8),
                argument(libc::REG_R9),
            ],
        }
    }

    /// Makes it.
    pub(crate) fn make(&self) -> i64 {
        gate(self.number, self.arguments)
    }
}

/// The handler's context goes on behind the call, with this result.
pub(crate) fn answer(context: &mut libc::ucontext_t, result: i64) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = result;
}

/// The handler's context goes on with the signal stack that there is now, not with that from before the handler.
pub(crate) fn keep_signal_stack(context: &mut libc::ucontext_t) {
    let now = &raw mut context.uc_stack as u64;
    gate(libc::SYS_sigaltstack, [0, now, 0, 0, 0, 0]);
}

/// The handler's context makes the call by itself.
pub(crate) fn again(context: &mut libc::ucontext_t) {
    /// Of the instruction `syscall`.
    const BYTES: i64 = 2;
    context.uc_mcontext.gregs[libc::REG_RIP as usize] -= BYTES;
}
