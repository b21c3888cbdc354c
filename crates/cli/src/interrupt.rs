//! Ctrl-C: once ends the search or the judging cleanly with what there is; a second time, or while there is nothing yet that
//! would be worth keeping, it ends the command at once.
//!
//! Must hold: the second Ctrl-C needs nothing of any other thread.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use session::{Error, Result};

use crate::exit;

/// Set by the first Ctrl-C.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// There are tests, or will be soon, and somebody looks at [`INTERRUPTED`].
static HEARD: AtomicBool = AtomicBool::new(false);
/// The folder of temporary files.
static WORK: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Catches Ctrl-C; `work` goes when it ends the command.
///
/// # Errors
/// It cannot be caught.
pub fn catch(work: &Path) -> Result<()> {
    *WORK.lock().unwrap_or_else(PoisonError::into_inner) = Some(work.to_owned());
    ctrlc::set_handler(|| {
        // Who wants an end does not want a new beginning.
        native::faults::no_next();
        if INTERRUPTED.swap(true, Ordering::SeqCst) || !HEARD.load(Ordering::SeqCst) {
            at_once();
        }
    })
    .map_err(|error| Error::Input(format!("Ctrl-C cannot be caught: {error}")))
}

/// The folder of temporary files, if there is one.
pub fn work() -> Option<PathBuf> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// From here on the first Ctrl-C is somebody's business.
pub fn heard() {
    HEARD.store(true, Ordering::SeqCst);
}

/// Was there one?
pub fn is_set() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

fn at_once() -> ! {
    native::orphans::end_all();
    if let Ok(work) = WORK.try_lock()
        && let Some(work) = &*work
    {
        // What cannot be removed stays in the folder of temporary files.
        let _ = std::fs::remove_dir_all(work);
    }
    native::leave::now(exit::INTERRUPTED)
}
