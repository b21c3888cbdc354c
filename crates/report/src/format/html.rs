//! `html`: pages to look at, in one folder that needs no network.
//!
//! `index.html` has figures, files and functions, coverage over runs and time, findings, and where symbolism was lost. There is a page for
//! each source with its goals marked in place, one for the tests, and one for decisions with several conditions. Choose it to
//! see what is left to do, and why. The pages read without JavaScript; with it they have filters and keys.

use crate::document::Report;
use crate::format::{Artifact, ReportFormat};
use crate::html::pages;

/// The page to open.
pub const INDEX: &str = "index.html";
/// By it a folder of pages is known as ours.
pub const MARK: &str = "<meta name=\"generator\" content=\"bothways\">";

/// The report as pages.
pub struct Html;

impl ReportFormat for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn summary(&self) -> &'static str {
        "pages to look at: sources with each goal marked, tests, findings"
    }

    fn file_name(&self) -> &'static str {
        "html"
    }

    fn render(&self, report: &Report) -> String {
        let first = pages(report).into_iter().next();
        first.map_or_else(String::new, |page| {
            String::from_utf8_lossy(&page.bytes).into_owned()
        })
    }

    fn folder(&self, report: &Report) -> Option<Vec<Artifact>> {
        Some(pages(report))
    }
}
