//! What the search says of itself to other threads while it runs.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use explore::campaign::{Doing, Observer};
use explore::{Clock, Progress};

/// Real time since the start of the search.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(pub Instant);

impl Clock for WallClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A snapshot of the search, and what it is busy with.
#[derive(Debug, Default)]
pub struct Board {
    budget: (Option<Duration>, Option<u64>),
    doing: AtomicU8,
    snapshot: Mutex<Option<Progress>>,
    forgotten: AtomicBool,
}

impl Observer for Board {
    fn doing(&self, what: Doing) {
        self.doing.store(what as u8, Ordering::Relaxed);
    }
}

impl Board {
    /// For a search with at most so much time and so many runs.
    pub fn within(time: Option<Duration>, runs: Option<u64>) -> Board {
        Board {
            budget: (time, runs),
            ..Board::default()
        }
    }

    /// Most time, and most runs; nothing where there is no limit.
    pub const fn budget(&self) -> (Option<Duration>, Option<u64>) {
        self.budget
    }

    /// Puts up a new snapshot.
    pub fn update(&self, progress: Progress) {
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    /// The last snapshot, if there is one yet.
    pub fn snapshot(&self) -> Option<Progress> {
        self.snapshot
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The search has forgotten what it can make again.
    pub fn forgot(&self) {
        self.forgotten.store(true, Ordering::Relaxed);
    }

    /// Has it, since this was asked last?
    pub fn has_forgotten(&self) -> bool {
        self.forgotten.swap(false, Ordering::Relaxed)
    }

    /// What the search is busy with.
    pub fn doing(&self) -> &'static str {
        let number = self.doing.load(Ordering::Relaxed);
        Doing::ALL
            .iter()
            .find(|doing| **doing as u8 == number)
            .map_or("", |doing| doing.name())
    }
}
