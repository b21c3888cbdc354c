//! The tools: their names and descriptions, and who answers.
//!
//! Must hold: work is done off the thread that reads requests; what goes wrong is an answer with
//! `isError`, which agents see: errors of the protocol are mostly shown to nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use serde_json::Value;

use crate::ask::{Generate, Reach, SUITE, Uncovered, WhyInfeasible};
use crate::views;
use crate::workshop::{Said, Workshop, either};

/// What an agent is told first.
const INSTRUCTIONS: &str = "bothways generates tests for C programs. Of every branch it says: covered (with a test that can be \
replayed), infeasible (with a proof), or open (with the reason). `generate` makes a suite from C sources or goes on with one; \
`uncovered` lists what is open in a suite; `why_infeasible` explains a goal; `reach` looks for an input that comes to a place, or \
for a proof that there is none. Paths are relative to the folder that the server was started in.";

/// Longest message of a command in an answer.
const LONGEST: usize = 4000;

/// Who answers requests.
#[derive(Clone)]
pub struct Server {
    workshop: Arc<dyn Workshop>,
    /// Nobody is there any more.
    over: Arc<AtomicBool>,
}

/// What a tool came to.
type Answered = Result<CallToolResult, ErrorData>;

#[tool_router]
impl Server {
    /// Answers with what `workshop` has, until `over` says that nobody asks any more.
    #[must_use]
    pub fn new(workshop: Arc<dyn Workshop>, over: Arc<AtomicBool>) -> Server {
        Server { workshop, over }
    }

    /// Lists the goals (branch sides, statements, MC/DC conditions) of a suite that no test covers and no proof rules out, each with
    /// its place, its source line and the reason. Works while a campaign runs, too.
    #[tool(annotations(read_only_hint = true))]
    async fn uncovered(
        &self,
        Parameters(asked): Parameters<Uncovered>,
        context: RequestContext<RoleServer>,
    ) -> Answered {
        self.answer(context, move |workshop, _| {
            let suite = asked.suite.as_deref().unwrap_or(SUITE);
            match workshop.report(suite)? {
                Some(report) => views::uncovered(&report, &asked),
                None => views::unfinished(&workshop.unfinished(suite)?, &asked),
            }
        })
        .await
    }

    /// Explains the goals at a place of the source: for an infeasible one the proof, in words, and its certificate; for another one
    /// whether it is covered (by which tests) or open (why).
    #[tool(annotations(read_only_hint = true))]
    async fn why_infeasible(
        &self,
        Parameters(asked): Parameters<WhyInfeasible>,
        context: RequestContext<RoleServer>,
    ) -> Answered {
        self.answer(context, move |workshop, _| {
            let suite = asked.suite.as_deref().unwrap_or(SUITE);
            let Some(report) = workshop.report(suite)? else {
                return Err(format!(
                    "{suite}: its campaign has not come to its end: wait for it, or `generate` without `inputs` goes on with it"
                ));
            };
            views::why_infeasible(&report, &workshop.certificates(suite)?, &asked)
        })
        .await
    }

    /// Searches for tests that cover more, of C sources or of the program of a suite, and writes them into the suite's folder. Takes
    /// as long as `seconds` says, and the time for building and judging.
    #[tool]
    async fn generate(
        &self,
        Parameters(asked): Parameters<Generate>,
        context: RequestContext<RoleServer>,
    ) -> Answered {
        self.answer(context, move |workshop, stop| {
            let said = workshop.run(&asked.words()?, None, stop)?;
            // 1: a coverage that was required is not there.
            if !matches!(said.code, Some(0 | 1)) {
                return Err(refused(&said));
            }
            let suite = asked.suite.as_deref().unwrap_or(SUITE);
            match workshop.report(suite)? {
                Some(report) => Ok(views::summary(&report)),
                None => Err(refused(&said)),
            }
        })
        .await
    }

    /// Looks for an input that comes to each place, or for a proof that none does, from both directions. Answers with a verdict for
    /// each: reached (with the test), unreachable (with the proof) or unknown (with what stands in the way).
    #[tool]
    async fn reach(
        &self,
        Parameters(asked): Parameters<Reach>,
        context: RequestContext<RoleServer>,
    ) -> Answered {
        self.answer(context, move |workshop, stop| {
            let suite = asked.suite.as_deref().unwrap_or(SUITE);
            let (words, folder) = match asked.words()? {
                Some(words) => (words, None),
                None => {
                    let (words, folder) = workshop.reach_words(suite)?;
                    (words, Some(folder))
                }
            };
            let words = asked.whole(&words, &asked.out())?;
            let said = workshop.run(&words, folder.as_deref(), stop)?;
            serde_json::from_str(&said.out).map_err(|_| refused(&said))
        })
        .await
    }
}

impl Server {
    /// Does the work on a thread of its own; it is told when the request is cancelled, or nobody is there any more.
    async fn answer(
        &self,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(&dyn Workshop, &dyn Fn() -> bool) -> Result<Value, String> + Send + 'static,
    ) -> Answered {
        let (workshop, over) = (self.workshop.clone(), self.over.clone());
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = cancelled.clone();
        let working = tokio::task::spawn_blocking(move || work(&*workshop, &either(&flag, &over)));
        let watching = tokio::spawn(async move {
            context.ct.cancelled().await;
            cancelled.store(true, Ordering::Relaxed);
        });
        let done = working.await;
        watching.abort();
        match done {
            Ok(Ok(value)) => Ok(CallToolResult::structured(value)),
            Ok(Err(words)) => Ok(CallToolResult::error(vec![ContentBlock::text(words)])),
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("bothways", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }
}

/// Why a command gave no result: its own words.
fn refused(said: &Said) -> String {
    let words = said.err.trim();
    let skipped = words.chars().count().saturating_sub(LONGEST);
    let words: String = words.chars().skip(skipped).collect();
    match (words.is_empty(), said.code) {
        (false, _) => words,
        (true, Some(code)) => format!("bothways ended with exit code {code}, and said nothing"),
        (true, None) => "bothways was ended by a signal".to_owned(),
    }
}
