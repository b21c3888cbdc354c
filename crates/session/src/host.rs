//! Who runs a session: is told how it goes, and may interrupt it.

use std::path::Path;
use std::time::Duration;

use crate::board::Board;
use crate::error::Result;

/// Who runs a session. Its methods are called from several threads.
pub trait Host: Sync {
    /// Temporary files are in this folder: whoever ends the process early removes it.
    ///
    /// # Errors
    /// Interrupts cannot be listened for.
    fn works_in(&self, folder: &Path) -> Result<()>;

    /// From here on there is something worth keeping, and [`Host::is_interrupted`] is looked at: the first interrupt must not
    /// end the process.
    fn listens(&self);

    /// From here on a command can go on with what is in this folder. Of several folders the first is that of all.
    fn stores_in(&self, folder: &Path);

    /// Does somebody want the session to end with what it has?
    fn is_interrupted(&self) -> bool;

    /// Something to say at once.
    fn tell(&self, line: &str);

    /// How the search goes; some times a second.
    fn searching(&self, board: &Board, elapsed: Duration);

    /// What is done after the search, in words; some times a second.
    fn finishing(&self, doing: &str, elapsed: Duration);

    /// Neither the search nor the judging runs any longer.
    fn rests(&self);
}
