//! A fault of ours (a panic, or a signal that a solver or LLVM provoked) does not end a campaign: this process becomes a `bothways resume`
//! of it. After [`MOST`] faults the last one judges and reports what was found, and searches no more.
//!
//! Must hold: a fault is always told, and one before anything was stored, or one fault more than that, ends the command with exit code 3.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use session::options::Start;

use crate::exit::FAULT;
use crate::{interrupt, say};

/// How the message of a fault of ours begins.
pub const OF_OURS: &str = "this is a fault of bothways, not of your program; please report it";
/// Faults after which a campaign still goes on.
const MOST: u8 = 3;

/// Faults of this campaign until now.
static BEFORE: AtomicU8 = AtomicU8::new(0);
/// The folder that is gone on in.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Catches panics and signals.
pub fn catch() {
    native::faults::catch(format!("bothways: {OF_OURS}"), FAULT);
    std::panic::set_hook(Box::new(|info| {
        native::faults::begin();
        say::err(format_args!("bothways: {OF_OURS}\nbothways: {info}"));
        native::faults::go_on();
        std::process::exit(i32::from(FAULT));
    }));
}

/// What is found is stored in this folder from here on, and a fault goes on with it. Of several folders (one for each function) the
/// first counts, that of all.
pub fn stored_in(folder: &Path) {
    let faults = BEFORE.load(Ordering::SeqCst) + 1;
    let (Ok(program), Ok(folder)) = (std::env::current_exe(), std::path::absolute(folder)) else {
        return;
    };
    if faults > MOST || FOLDER.set(folder.clone()).is_err() {
        return;
    }
    let mut args: Vec<OsString> = ["bothways", "resume", "--no-config", "--after-faults"]
        .map(OsString::from)
        .into();
    args.push(faults.to_string().into());
    if let Some(work) = interrupt::work() {
        args.extend(["--left-behind".into(), work.into()]);
    }
    args.extend(["--".into(), folder.into()]);
    native::faults::next(
        program,
        args,
        format!(
            "bothways: going on with what was found until then (fault {faults} of at most {MOST})"
        ),
    );
}

/// In the process that goes on: ends and removes what the one before left, and says what is left to do.
pub fn go_on(faults: u8, left_behind: Option<&Path>) -> Start {
    BEFORE.store(faults, Ordering::SeqCst);
    native::orphans::end_all();
    native::scratch::sweep_own();
    if let Some(work) = left_behind {
        // What cannot be removed stays in the folder of temporary files.
        let _ = std::fs::remove_dir_all(work);
    }
    if faults < MOST {
        Start::Rest
    } else {
        Start::Replay
    }
}
