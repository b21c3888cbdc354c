//! Commands of `bothways` in processes of their own: whatever becomes of a search, who asked for it goes on.
//!
//! Must hold: the process is over when [`run`] returns; all that it says is read while it runs, so that it never waits for us.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Context, Result};

/// How often is asked whether it is to end.
const TICK: Duration = Duration::from_millis(50);
/// An interrupted command has so long to write what it has.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a command said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its exit code; nothing where a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs this executable with these words. Once `stop` says so it is interrupted as by Ctrl-C, and killed if it does not end.
///
/// # Errors
/// It cannot be started.
pub fn run(words: &[String], folder: Option<&Path>, stop: &dyn Fn() -> bool) -> Result<Said> {
    let own = std::env::current_exe().context("the own executable cannot be found")?;
    let mut command = Command::new(own);
    command.args(words);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let what = folder.map_or_else(|| ".".to_owned(), |folder| folder.display().to_string());
    let child = command.spawn();
    let mut child = child.with_context(|| format!("bothways cannot be started in {what}"))?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = wait(&mut child, stop)?;
    Ok(Said {
        code,
        out: out.join().unwrap_or_default(),
        err: err.join().unwrap_or_default(),
    })
}

fn wait(child: &mut Child, stop: &dyn Fn() -> bool) -> Result<Option<i32>> {
    let mut leave: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        match leave {
            None if stop() => {
                native::orphans::interrupt(child);
                leave = Some(Instant::now() + PATIENCE);
            }
            Some(leave) if Instant::now() >= leave => child.kill()?,
            _ => {}
        }
        thread::sleep(TICK);
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error counts.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
