//! Output formats: one file each, one line each in [`REPORTS`] or [`SUITES`].
//!
//! Invariants: every report format renders the same [`Report`], every suite format the same [`Suite`]; the same input
//! gives the same bytes; nothing is written here: the caller gets texts, and files as (relative path, bytes).

pub mod cobertura;
pub mod corpus;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod ktest;
pub mod lcov;
pub mod markdown;
pub mod native;
pub mod sarif;
pub mod sonarqube;
pub mod test_comp;
pub mod text;

use crate::document::Report;
use crate::suite::Suite;

/// A file to be written: a path relative to the output folder, with `/` between folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Artifact {
    /// A file with this content.
    #[must_use]
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Artifact {
        Artifact {
            path: path.into(),
            bytes: bytes.into(),
        }
    }
}

/// A format of the report.
pub trait ReportFormat: Sync {
    /// What the user types.
    fn name(&self) -> &'static str;
    /// One line for lists of formats.
    fn summary(&self) -> &'static str;
    /// Name of its file in a suite's folder; of its folder, if it has several files.
    fn file_name(&self) -> &'static str;
    /// The text, with a newline at its end; of a folder, that of its first page.
    fn render(&self, report: &Report) -> String;
    /// The files of its folder, if it has several; the first is the page to open.
    fn folder(&self, _report: &Report) -> Option<Vec<Artifact>> {
        None
    }
}

/// A format of the suite.
pub trait SuiteFormat: Sync {
    /// What the user types.
    fn name(&self) -> &'static str;
    /// One line for lists of formats.
    fn summary(&self) -> &'static str;
    /// Can a test say that calls of the C library fail?
    fn has_failures(&self) -> bool {
        true
    }
    /// The files, in the order in which they should be written.
    fn render(&self, suite: &Suite) -> Vec<Artifact>;
}

/// Every format of reports.
pub const REPORTS: &[&dyn ReportFormat] = &[
    &html::Html,
    &text::Text::whole(),
    &json::Json,
    &markdown::Markdown,
    &github::Github,
    &lcov::Lcov,
    &cobertura::Cobertura,
    &sonarqube::SonarQube,
    &junit::Junit,
    &sarif::Sarif,
];

/// Every format of suites.
pub const SUITES: &[&dyn SuiteFormat] = &[
    &native::Native,
    &corpus::Corpus,
    &ktest::Ktest,
    &test_comp::TestComp,
];

/// The report format of this name.
#[must_use]
pub fn report_by_name(name: &str) -> Option<&'static dyn ReportFormat> {
    REPORTS.iter().copied().find(|format| format.name() == name)
}

/// The suite format of this name.
#[must_use]
pub fn suite_by_name(name: &str) -> Option<&'static dyn SuiteFormat> {
    SUITES.iter().copied().find(|format| format.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registries_are_the_folder() {
        let reports = REPORTS.iter().map(|format| format.name());
        let suites = SUITES.iter().map(|format| format.name());
        crate::sample::check_folder("src/format", reports.chain(suites));
    }

    #[test]
    fn formats_are_found_by_name() {
        assert!(
            REPORTS
                .iter()
                .all(|format| report_by_name(format.name()).is_some())
        );
        assert!(
            SUITES
                .iter()
                .all(|format| suite_by_name(format.name()).is_some())
        );
        assert!(report_by_name("native").is_none() && suite_by_name("text").is_none());
    }
}
