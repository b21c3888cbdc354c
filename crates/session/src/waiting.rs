//! What bounds the work after the search: the time for judging, and Ctrl-C.
//!
//! Must hold: everything that may take long after the search is waited for here, and ends soon after it is told so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::host::Host;
use crate::options::Options;

/// Least time, unless the user says something else.
const LEAST: Duration = Duration::from_secs(60);

/// One time for all that is waited for.
pub struct Waiting<'a> {
    host: &'a dyn Host,
    began: Instant,
    time: Duration,
    /// Who interrupted the search wants to see what it found; who interrupts now does not.
    was_set: bool,
}

impl<'a> Waiting<'a> {
    /// Begins now.
    #[must_use]
    pub fn new(options: &Options, host: &'a dyn Host) -> Waiting<'a> {
        Waiting {
            host,
            began: Instant::now(),
            time: options.judge_time.unwrap_or(options.time.max(LEAST)),
            was_set: host.is_interrupted(),
        }
    }

    /// Does some work. Meanwhile another thread calls `over`, again and again, once the time is over or somebody interrupts,
    /// and `shown` some times a second.
    pub fn through<T>(
        &self,
        over: &(dyn Fn() + Sync),
        shown: &(dyn Fn(Duration) + Sync),
        work: impl FnOnce() -> T,
    ) -> T {
        const TICK: Duration = Duration::from_millis(100);
        let ended = AtomicBool::new(false);
        if self.is_over() {
            over();
        }
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    std::thread::park_timeout(TICK);
                    if self.is_over() {
                        over();
                    }
                    shown(self.began.elapsed());
                }
                self.host.rests();
            });
            let done = work();
            ended.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            done
        })
    }

    fn is_over(&self) -> bool {
        self.began.elapsed() >= self.time || (self.host.is_interrupted() && !self.was_set)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::board::Board;
    use crate::error::Result;

    /// Is interrupted as soon as that was asked so many times.
    struct Impatient {
        asked: AtomicU32,
        after: u32,
    }

    impl Host for Impatient {
        fn works_in(&self, _: &Path) -> Result<()> {
            Ok(())
        }

        fn listens(&self) {}

        fn stores_in(&self, _: &Path) {}

        fn is_interrupted(&self) -> bool {
            self.asked.fetch_add(1, Ordering::Relaxed) >= self.after
        }

        fn tell(&self, _: &str) {}

        fn searching(&self, _: &Board, _: Duration) {}

        fn finishing(&self, _: &str, _: Duration) {}

        fn rests(&self) {}
    }

    /// Work that goes on until it is told that nobody waits.
    fn ends(host: &Impatient, time: Duration) -> bool {
        let waiting = Waiting {
            host,
            began: Instant::now(),
            time,
            was_set: false,
        };
        let (over, done) = std::sync::mpsc::channel();
        let over = std::sync::Mutex::new(over);
        let tell = || _ = over.lock().map(|over| over.send(()));
        waiting.through(&tell, &|_| (), || done.recv().is_ok())
    }

    #[test]
    fn work_is_ended_when_the_time_is_over_or_somebody_interrupts() {
        let long = Duration::from_secs(1 << 20);
        let host = |after| Impatient {
            asked: AtomicU32::new(0),
            after,
        };
        // At the beginning, and in the middle.
        assert!(ends(&host(0), long));
        assert!(ends(&host(3), long));
        assert!(ends(&host(u32::MAX), Duration::ZERO));
        assert!(ends(&host(u32::MAX), Duration::from_millis(1)));
    }
}
