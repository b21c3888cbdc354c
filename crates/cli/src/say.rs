//! Output of the command: standard output and standard error, which may be closed or full.
//!
//! Must hold: nothing else in this crate prints; output that cannot be written never panics. A reader that has gone
//! (`| head`) ends the command quietly, a full disk with a message.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

use crate::exit::{PIPE_CLOSED, Printed};

/// Writes to standard output at once.
///
/// # Errors
/// [`Printed`] when nobody reads it any more; the system's words when it cannot be written.
pub fn out(text: &str) -> Result<()> {
    out_to(&mut io::stdout().lock(), text)
}

fn out_to(to: &mut dyn Write, text: &str) -> Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Printed(PIPE_CLOSED).into()),
        result => result.context("cannot write to standard output"),
    }
}

/// Writes a line to standard error. What cannot be written there cannot be complained about either.
pub fn err(line: Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes to standard error as it is, without a line feed at the end.
pub fn screen(text: &str) {
    let mut to = io::stderr().lock();
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fails(ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_quiet_and_a_full_disk_is_not() {
        let error = out_to(&mut Fails(ErrorKind::BrokenPipe), "x").expect_err("it fails");
        assert!(error.downcast_ref::<Printed>().is_some());
        let error = out_to(&mut Fails(ErrorKind::StorageFull), "x").expect_err("it fails");
        assert!(error.downcast_ref::<Printed>().is_none());
        assert!(format!("{error:#}").starts_with("cannot write to standard output: "));
    }
}
