//! System calls of a run: which are made as they are, which are undone behind the run, and which end repeating.
//!
//! What must hold: a call that changes the process in a way that nothing here undoes is not answered.

use super::Verdict;
use super::kept::kept;
use crate::gate::{Call, gate};

/// Decides, and makes the call where it is to be made.
pub(super) fn judge(call: &Call, context: &mut libc::ucontext_t) -> Verdict {
    let (files, maps, signals) = (&kept().files, &kept().maps, &kept().signals);
    match call.number {
        libc::SYS_exit_group => Verdict::End((call.arguments[0] as u32 & 0xff) << 8),
        libc::SYS_tgkill if is_own_end(call) => Verdict::End(call.arguments[2] as u32),
        libc::SYS_brk
        | libc::SYS_mmap
        | libc::SYS_munmap
        | libc::SYS_mremap
        | libc::SYS_mprotect
        | libc::SYS_madvise => maps.judge(call),
        libc::SYS_open
        | libc::SYS_openat
        | libc::SYS_creat
        | libc::SYS_memfd_create
        | libc::SYS_dup => files.opens(call),
        libc::SYS_close => files.closes(call),
        libc::SYS_dup2 | libc::SYS_dup3 => files.replaces(call),
        libc::SYS_fcntl => files.control(call),
        libc::SYS_ftruncate
        | libc::SYS_fallocate
        | libc::SYS_flock
        | libc::SYS_fchmod
        | libc::SYS_fchown => files.changes(call),
        libc::SYS_chdir | libc::SYS_fchdir => files.changes_folder(call),
        libc::SYS_umask => files.sets_mask(call),
        libc::SYS_ioctl => match call.arguments[1] {
            libc::TCGETS | libc::TIOCGWINSZ | libc::FIONREAD => Verdict::Answer(call.make()),
            _ => files.changes(call),
        },
        libc::SYS_rt_sigaction => signals.sets_action(call),
        libc::SYS_rt_sigprocmask => signals.sets_mask(call, context),
        // Nobody waits: there is one thread.
        libc::SYS_futex if is_wake(call.arguments[1]) => Verdict::Answer(call.make()),
        // Asks, and sets nothing.
        libc::SYS_prlimit64 if call.arguments[2] == 0 => Verdict::Answer(call.make()),
        libc::SYS_setuid | libc::SYS_setreuid | libc::SYS_setresuid
            if keeps(call, libc::SYS_getresuid) =>
        {
            Verdict::Answer(call.make())
        }
        libc::SYS_setgid | libc::SYS_setregid | libc::SYS_setresgid
            if keeps(call, libc::SYS_getresgid) =>
        {
            Verdict::Answer(call.make())
        }
        number if moves_position(number) => files.uses(call),
        number if changes_files_only(number) || asks(number) => Verdict::Answer(call.make()),
        _ => Verdict::Leave,
    }
}

/// `abort` and its like: this process ends itself.
fn is_own_end(call: &Call) -> bool {
    let [process, thread, signal, ..] = call.arguments;
    let own = gate(libc::SYS_getpid, [0; 6]).cast_unsigned();
    (process, thread) == (own, own) && kept().signals.is_fatal(signal as i32)
}

/// Gives up rights that the process does not have: it is who it is to become, by all three numbers that `ask` gives.
fn keeps(call: &Call, ask: i64) -> bool {
    /// To leave one of the numbers as it is.
    const AS_IT_IS: u32 = u32::MAX;
    let mut own = [0_u32; 3];
    let [real, effective, saved] = own.each_mut().map(|number| &raw mut *number as u64);
    let told = gate(ask, [real, effective, saved, 0, 0, 0]) == 0;
    let count = match call.number {
        libc::SYS_setuid | libc::SYS_setgid => 1,
        libc::SYS_setreuid | libc::SYS_setregid => 2,
        _ => 3,
    };
    let mut wanted = call.arguments[..count].iter().map(|number| *number as u32);
    let is_kept = |number: u32| number == own[0] || count > 1 && number == AS_IT_IS;
    told && own == [own[0]; 3] && wanted.all(is_kept)
}

fn is_wake(operation: u64) -> bool {
    operation as i32 & !libc::FUTEX_PRIVATE_FLAG == libc::FUTEX_WAKE
}

/// Uses a descriptor, and moves at most its position.
const fn moves_position(number: i64) -> bool {
    matches!(
        number,
        libc::SYS_read
            | libc::SYS_readv
            | libc::SYS_pread64
            | libc::SYS_preadv
            | libc::SYS_write
            | libc::SYS_writev
            | libc::SYS_pwrite64
            | libc::SYS_pwritev
            | libc::SYS_lseek
            | libc::SYS_getdents64
            | libc::SYS_fadvise64
    )
}

/// Changes the files of the working folder: that is for the engine to clear, with or without a fork.
const fn changes_files_only(number: i64) -> bool {
    matches!(
        number,
        libc::SYS_truncate
            | libc::SYS_rename
            | libc::SYS_renameat
            | libc::SYS_renameat2
            | libc::SYS_mkdir
            | libc::SYS_mkdirat
            | libc::SYS_rmdir
            | libc::SYS_link
            | libc::SYS_linkat
            | libc::SYS_symlink
            | libc::SYS_symlinkat
            | libc::SYS_unlink
            | libc::SYS_unlinkat
            | libc::SYS_chmod
            | libc::SYS_fchmodat
            | libc::SYS_chown
            | libc::SYS_lchown
            | libc::SYS_fchownat
            | libc::SYS_utime
            | libc::SYS_utimes
            | libc::SYS_utimensat
            | libc::SYS_fsync
            | libc::SYS_fdatasync
            | libc::SYS_sync
    )
}

/// Asks, and changes nothing; or waits, no longer than it says.
const fn asks(number: i64) -> bool {
    matches!(
        number,
        libc::SYS_stat
            | libc::SYS_lstat
            | libc::SYS_fstat
            | libc::SYS_newfstatat
            | libc::SYS_statx
            | libc::SYS_statfs
            | libc::SYS_fstatfs
            | libc::SYS_access
            | libc::SYS_faccessat
            | libc::SYS_faccessat2
            | libc::SYS_readlink
            | libc::SYS_readlinkat
            | libc::SYS_getcwd
            | libc::SYS_getpid
            | libc::SYS_getppid
            | libc::SYS_gettid
            | libc::SYS_getuid
            | libc::SYS_geteuid
            | libc::SYS_getgid
            | libc::SYS_getegid
            | libc::SYS_getgroups
            | libc::SYS_getpgrp
            | libc::SYS_getpgid
            | libc::SYS_getsid
            | libc::SYS_getpriority
            | libc::SYS_getrlimit
            | libc::SYS_getrusage
            | libc::SYS_getrandom
            | libc::SYS_getcpu
            | libc::SYS_uname
            | libc::SYS_sysinfo
            | libc::SYS_times
            | libc::SYS_time
            | libc::SYS_gettimeofday
            | libc::SYS_clock_gettime
            | libc::SYS_clock_getres
            | libc::SYS_sched_getaffinity
            | libc::SYS_sched_yield
            | libc::SYS_nanosleep
            | libc::SYS_clock_nanosleep
            | libc::SYS_poll
            | libc::SYS_ppoll
            | libc::SYS_select
            | libc::SYS_pselect6
            | libc::SYS_getitimer
            | libc::SYS_getxattr
            | libc::SYS_lgetxattr
            | libc::SYS_fgetxattr
            | libc::SYS_listxattr
            | libc::SYS_llistxattr
            | libc::SYS_flistxattr
    )
}
