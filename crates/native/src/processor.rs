//! Processor time: what work takes, whoever else the machine works for.
#![allow(unsafe_code, reason = "one system call")]

use std::time::Duration;

/// What this process has used so far, all its threads together.
#[must_use]
pub fn used() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes to a local structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(time.tv_sec.unsigned_abs(), nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_some() {
        let begun = used();
        while used() - begun < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
    }
}
