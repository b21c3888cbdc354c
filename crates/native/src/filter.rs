//! Seccomp filters: which system calls of a started program are answered by somebody else than the kernel.
//!
//! Must hold: what a child runs before its program makes system calls only.
#![allow(unsafe_code, reason = "a system call of a child before its program")]

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUALS: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
/// Offsets in the kernel's `seccomp_data`.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
/// Machines, as `linux/audit.h` numbers them.
pub const X86_64: u32 = 0xC000_003E;
pub const I386: u32 = 0x4000_0003;
pub const AARCH64: u32 = 0xC000_00B7;
/// Numbers of `kill`, also in the x32 variant.
const KILL_X86_64: u32 = 62;
const KILL_X32: u32 = 0x4000_0000 + 62;
const KILL_I386: u32 = 37;
const KILL_AARCH64: u32 = 129;

const fn load(offset: u32) -> libc::sock_filter {
    statement(LOAD, 0, 0, offset)
}

const fn statement(code: u16, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

const ALLOW: libc::sock_filter = statement(ANSWER, 0, 0, libc::SECCOMP_RET_ALLOW);
const NOBODY: libc::sock_filter =
    statement(ANSWER, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ESRCH as u32);

/// `kill(-1, …)` reaches nobody; all else is as it was.
const FILTER: [libc::sock_filter; 16] = [
    load(MACHINE),
    statement(EQUALS, 2, 0, X86_64),
    statement(EQUALS, 4, 0, I386),
    statement(EQUALS, 5, 7, AARCH64),
    load(NUMBER),
    statement(EQUALS, 6, 0, KILL_X86_64),
    statement(EQUALS, 5, 4, KILL_X32),
    load(NUMBER),
    statement(EQUALS, 3, 2, KILL_I386),
    load(NUMBER),
    statement(EQUALS, 1, 0, KILL_AARCH64),
    ALLOW,
    load(FIRST_ARGUMENT),
    statement(EQUALS, 0, 1, u32::MAX),
    NOBODY,
    ALLOW,
];

/// A filter that answers these calls, by machine, with `answer`; all else is as it was.
///
/// # Panics
/// For more calls of one machine than a filter can jump over.
#[must_use]
pub fn calls(by_machine: &[(u32, &[u32])], answer: u32) -> Vec<libc::sock_filter> {
    let jump = |distance: usize| u8::try_from(distance).expect("a short filter");
    let mut filter = Vec::new();
    for (machine, numbers) in by_machine {
        let count = numbers.len();
        filter.extend([
            load(MACHINE),
            statement(EQUALS, 0, jump(count + 3), *machine),
            load(NUMBER),
        ]);
        let compare =
            |(index, number): (usize, &u32)| statement(EQUALS, jump(count - index), 0, *number);
        filter.extend(numbers.iter().enumerate().map(compare));
        filter.extend([ALLOW, statement(ANSWER, 0, 0, answer)]);
    }
    filter.push(ALLOW);
    filter
}

/// Keeps `kill(-1, …)` of the calling process, and of all that it starts, from everybody else. The process must have given up
/// new privileges. A system call only.
pub fn keep_signals_in() -> bool {
    install(&FILTER, 0) == 0
}

/// Installs a filter for the calling process and all that it starts: what the system call returns. A system call only.
pub fn install(filter: &[libc::sock_filter], flags: libc::c_uint) -> libc::c_long {
    const FILTER_MODE: libc::c_uint = 1;
    // Without it, kernels before 5.16 slow the program down.
    const SPECULATION_AS_BEFORE: libc::c_uint = 1 << 2;
    let program = libc::sock_fprog {
        len: filter.len() as libc::c_ushort,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the program and its statements are live; the kernel copies them, and writes to none.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            FILTER_MODE,
            SPECULATION_AS_BEFORE | flags,
            &raw const program,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter answers, by its own rules.
    fn answer(filter: &[libc::sock_filter], machine: u32, number: u32) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let statement = filter[at];
            at += 1;
            match statement.code {
                LOAD if statement.k == MACHINE => value = machine,
                LOAD => value = number,
                EQUALS if value == statement.k => at += usize::from(statement.jt),
                EQUALS => at += usize::from(statement.jf),
                _ => return statement.k,
            }
        }
    }

    #[test]
    fn calls_are_those_of_their_machine() {
        let filter = calls(&[(X86_64, &[56, 57]), (I386, &[2])], 7);
        let is_answered = |machine, number| answer(&filter, machine, number) == 7;
        assert!(is_answered(X86_64, 56) && is_answered(X86_64, 57) && is_answered(I386, 2));
        assert!(!is_answered(X86_64, 2) && !is_answered(I386, 56) && !is_answered(AARCH64, 57));
    }
}
