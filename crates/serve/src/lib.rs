//! `bothways serve --mcp`: the campaign store as tools for coding agents, over the Model Context Protocol on standard input
//! and output.
//!
//! Charter: reads requests, answers them from a report, or has a command run. What there is of files and processes is behind
//! the trait [`Workshop`].
//!
//! Invariants:
//! - nothing but messages of the protocol goes to standard output;
//! - a request that cannot be answered gets an error that names what was wrong and where; the server goes on;
//! - a command that runs for a request ends with it: when the request is cancelled, and when nobody is there any more.

mod ask;
mod tools;
mod views;
mod workshop;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, ReadBuf, Stdin};

pub use tools::Server;
pub use workshop::{Certified, Said, StoredGoal, Unfinished, Workshop};

/// Answers requests until standard input ends.
///
/// # Errors
/// The other side does not speak the protocol, in words.
pub fn serve(workshop: Arc<dyn Workshop>) -> Result<(), String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let over = Arc::new(AtomicBool::new(false));
    let server = Server::new(workshop, over.clone());
    let served = runtime.block_on(async {
        let (stdin, output) = rmcp::transport::stdio();
        let over = over.clone();
        let running = server.serve((Input { stdin, over }, output)).await;
        let running = running.map_err(|error| error.to_string())?;
        running.waiting().await.map_err(|error| error.to_string())
    });
    // Commands that still run are told to end; dropping the runtime waits for them.
    over.store(true, Ordering::Relaxed);
    drop(runtime);
    served.map(drop)
}

/// Standard input, which says when it ends: what still runs is for nobody then.
struct Input {
    stdin: Stdin,
    over: Arc<AtomicBool>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = Pin::new(&mut self.stdin).poll_read(context, buffer);
        let is_end = matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        if is_end && room > 0 {
            self.over.store(true, Ordering::Relaxed);
        }
        read
    }
}
