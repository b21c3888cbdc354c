//! Work on a thread of its own, so that what does not end can be left behind.
//!
//! Must hold: who asks waits until the work is done or given up; what was given up is never asked for again, and neither is
//! what it works on.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often somebody is asked whether to wait on.
const TICK: Duration = Duration::from_millis(50);
/// Ticks that work may take to end once it was asked to.
const GRACE: u32 = 20;
/// Threads that may be left behind at a time: each keeps a processor busy.
const MOST_LEFT: usize = 3;

/// What is done aside, and by whom.
pub(super) struct Aside<T> {
    worker: Option<Worker<T>>,
    /// Of threads that were left behind: they say when they are through.
    left: Vec<Receiver<T>>,
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

struct Worker<T> {
    jobs: Sender<Work<T>>,
    results: Receiver<T>,
}

/// What became of work.
pub(super) enum Outcome<T> {
    Done(T),
    /// It does not end; it goes on somewhere, with all that belongs to it.
    LeftBehind,
    /// It was not begun: too much was left behind, or there is no thread to be had.
    Refused,
}

impl<T> Default for Aside<T> {
    fn default() -> Self {
        Aside {
            worker: None,
            left: Vec::new(),
        }
    }
}

impl<T: Send + 'static> Aside<T> {
    /// May work be begun?
    pub(super) fn is_free(&mut self) -> bool {
        let busy = |results: &mut Receiver<T>| {
            matches!(
                results.try_recv(),
                Err(std::sync::mpsc::TryRecvError::Empty)
            )
        };
        self.left.retain_mut(busy);
        self.left.len() < MOST_LEFT
    }

    /// Has all ended that was left behind, as far as [`is_free`](Aside::is_free) saw?
    pub(super) fn is_idle(&self) -> bool {
        self.left.is_empty()
    }

    /// Does the work, at most so many milliseconds unless that is 0. When they are over, it is asked to end by `interrupt`; `is_asked`
    /// says that somebody did.
    pub(super) fn run(
        &mut self,
        work: Work<T>,
        millis: u32,
        interrupt: &dyn Fn(),
        is_asked: &dyn Fn() -> bool,
    ) -> Outcome<T> {
        if !self.is_free() {
            return Outcome::Refused;
        }
        let Some(worker) = self.worker.take().or_else(start) else {
            return Outcome::Refused;
        };
        if worker.jobs.send(work).is_err() {
            return Outcome::Refused;
        }
        let tick = TICK.as_millis() as u32;
        let (mut waited, mut asked) = (0_u32, 0_u32);
        loop {
            match worker.results.recv_timeout(TICK) {
                Ok(result) => {
                    self.worker = Some(worker);
                    return Outcome::Done(result);
                }
                // It has panicked.
                Err(RecvTimeoutError::Disconnected) => return Outcome::LeftBehind,
                Err(RecvTimeoutError::Timeout) => {}
            }
            waited += 1;
            if millis > 0 && waited == millis.div_ceil(tick) {
                interrupt();
            }
            if is_asked() || (millis > 0 && waited >= millis.div_ceil(tick)) {
                asked += 1;
            }
            if asked > GRACE {
                self.left.push(worker.results);
                return Outcome::LeftBehind;
            }
        }
    }
}

fn start<T: Send + 'static>() -> Option<Worker<T>> {
    let (jobs, todo) = channel::<Work<T>>();
    let (done, results) = channel();
    // Z3 goes deep into terms: as much as the first thread of a process has.
    let thread = std::thread::Builder::new()
        .name("solver".to_owned())
        .stack_size(8 << 20);
    let work = move || {
        for job in todo {
            if done.send(job()).is_err() {
                return;
            }
        }
    };
    thread.spawn(work).ok()?;
    Some(Worker { jobs, results })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn work_that_does_not_end_is_left_behind_and_the_next_goes_on() {
        let mut aside: Aside<u32> = Aside::default();
        let run = |aside: &mut Aside<u32>, work: Work<u32>, asked: bool| match aside.run(
            work,
            if asked { 0 } else { 100 },
            &|| {},
            &|| asked,
        ) {
            Outcome::Done(number) => Some(number),
            Outcome::LeftBehind | Outcome::Refused => None,
        };
        assert_eq!(run(&mut aside, Box::new(|| 7), true), Some(7));
        let end = Arc::new(AtomicBool::new(false));
        for round in 0..MOST_LEFT {
            let end = end.clone();
            let stuck = move || {
                while !end.load(Ordering::Relaxed) {
                    std::thread::sleep(TICK);
                }
                0
            };
            // Asked by somebody else, or because its time is over.
            assert_eq!(run(&mut aside, Box::new(stuck), round % 2 == 0), None);
            let free = round + 1 < MOST_LEFT;
            assert_eq!(run(&mut aside, Box::new(|| 8), true), free.then_some(8));
        }
        end.store(true, Ordering::Relaxed);
        while !aside.is_free() {
            std::thread::sleep(TICK);
        }
        assert_eq!(run(&mut aside, Box::new(|| 9), true), Some(9));
    }
}
