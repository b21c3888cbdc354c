//! The suite that a campaign writes, without its tests: what they belong to is known before the first is found.
//!
//! Must hold: the manifest on disk can be read at every moment, and each test that it lists is there.

use std::path::{Path, PathBuf};

use crate::error::Result;
use report::suite::manifest::{FILE_NAME, Limits};
use report::suite::{Manifest, Source, Suite, Test, manifest};

use super::function::{HARNESS, Under};
use super::load::Program;
use super::options::Options;
use super::output::Folder;
use super::plan::Plan;

/// What the manifest says of the suite as a whole.
pub struct Frame<'a> {
    pub options: &'a Options,
    manifest: Manifest,
}

impl<'a> Frame<'a> {
    /// Of this program, or function. `strategy` has its parameters.
    pub fn new(
        options: &'a Options,
        (program, plan): (&Program, &Plan),
        under: Option<&Under>,
        (criterion, strategy): (&str, String),
    ) -> Frame<'a> {
        let modules = program.own_modules().next();
        let manifest = Manifest {
            format: manifest::FORMAT,
            tool: format!("bothways {}", env!("CARGO_PKG_VERSION")),
            created: now(),
            sources: sources(program, under),
            flags: modules.map_or_else(Vec::new, |module| module.meta.flags.clone()),
            called: Some(options.called()),
            args: plan.common_arguments(),
            limits: Limits {
                timeout_ms: u64::try_from(options.timeout.as_millis()).ok(),
                memory_bytes: Some(options.memory),
                calls: None,
            },
            entry: under.map_or_else(|| "main".to_owned(), |under| under.name.clone()),
            criterion: criterion.to_owned(),
            strategy,
            seed: options.seed,
            tests: Vec::new(),
        };
        Frame { options, manifest }
    }

    /// With these tests, in this folder. `calls`: single values after which runs are ended.
    pub fn suite(&self, folder: &Folder, calls: Option<u32>, tests: &[Test]) -> Suite {
        let mut manifest = self.manifest.clone();
        for source in &mut manifest.sources {
            source.path = crate::sources::relative(Path::new(&source.path), folder.path());
        }
        manifest.limits.calls = calls;
        let name = self.options.inputs[0].display().to_string();
        Suite::new(manifest, tests.to_vec(), name)
    }

    /// Writes the manifest of a suite of these tests, which are in the folder.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn write(&self, folder: &Folder, calls: Option<u32>, tests: &[Test]) -> Result<()> {
        let text = self.suite(folder, calls, tests).manifest.render();
        folder.write(Path::new(FILE_NAME), text.as_bytes())
    }
}

/// The sources that the suite belongs to.
fn sources(program: &Program, under: Option<&Under>) -> Vec<Source> {
    let unit = under.map(|under| under.unit.as_path());
    let harness = |path: &Path| path.file_name().is_some_and(|name| name == HARNESS);
    let others = program
        .own_modules()
        .map(|module| module.meta.source.as_path())
        .filter(|path| unit.is_none() || !harness(path));
    let paths: Vec<PathBuf> = unit.into_iter().chain(others).map(Into::into).collect();
    let mut sources: Vec<Source> = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        if let Ok(content) = std::fs::read(&path)
            && !sources.iter().any(|source| source.path == name)
        {
            sources.push(Source::new(name, &content));
        }
    }
    sources
}

/// Date and time, ISO 8601, UTC.
fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}
