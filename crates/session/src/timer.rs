//! Ends work that has used its processor time, or when other work ends.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use native::processor;
use proof::End;

/// How often the time is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// An end that comes by itself. Nobody looks at the time any more once this is gone.
pub struct Timer {
    end: End,
    _alive: Sender<()>,
}

impl Timer {
    /// Ends when the process has used so much more processor time, or when `other` ends.
    #[must_use]
    pub fn new(limit: Duration, other: End) -> Timer {
        let end = End::default();
        let over = end.clone();
        let (alive, gone) = channel::<()>();
        let begun = processor::used();
        std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = gone.recv_timeout(GLANCE) {
                if other.is_over() || processor::used().saturating_sub(begun) >= limit {
                    return over.now();
                }
            }
        });
        Timer { end, _alive: alive }
    }

    /// The end.
    #[must_use]
    pub const fn end(&self) -> &End {
        &self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_with_the_time_or_with_other_work() {
        let other = End::default();
        let never = Timer::new(Duration::MAX, other.clone());
        let soon = Timer::new(Duration::from_millis(1), End::default());
        while !soon.end().is_over() {
            std::hint::spin_loop();
        }
        assert!(!never.end().is_over());
        other.now();
        while !never.end().is_over() {
            std::hint::spin_loop();
        }
    }
}
