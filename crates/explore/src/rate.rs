//! How often runs of a kind find something new, lately.

/// Finds a run, of which earlier ones count less and less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    finds: f64,
    runs: f64,
    /// What is left of a run's weight after the next.
    fading: f64,
}

impl Rate {
    /// As if there had been so many finds in so many runs.
    pub(crate) const fn new(finds: f64, runs: f64, fading: f64) -> Rate {
        Rate {
            finds,
            runs,
            fading,
        }
    }

    pub(crate) fn add(&mut self, is_find: bool) {
        self.finds = self.finds * self.fading + f64::from(u8::from(is_find));
        self.runs = self.runs * self.fading + 1.0;
    }

    pub(crate) fn get(&self) -> f64 {
        self.finds / self.runs
    }
}
