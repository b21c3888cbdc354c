//! `bothways test`: build, search, judge, report.
//!
//! What must hold: nothing is written before the program is known to be testable; a test that was found is on disk
//! before the next one is looked for; the verdict printed is the judge's.

pub mod build;
pub mod convert;
pub mod finish;
pub mod options;
pub mod output;
pub mod program;
mod progress;
pub mod search;
mod workers;

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail};
use coverage::Goals;
use coverage::format::{ReportFormat, SuiteFormat};
use explore::Choice;
use explore::StopReason;

use self::finish::Finish;
use self::options::Options;
use crate::errors::{DONE, INTERRUPTED, NOT_MET};
use crate::say;

/// Runs the command.
///
/// # Errors
/// Bad input, in words; a fault of ours, marked as such.
pub fn run(options: &Options) -> Result<ExitCode> {
    let choice = Choice::parse(&options.strategy)?;
    let formats = formats(&options.emit)?;
    let criterion = coverage::criterion::by_name(&options.criterion).with_context(|| {
        let all: Vec<_> = coverage::criterion::CRITERIA
            .iter()
            .map(|criterion| criterion.name())
            .collect();
        format!(
            "there is no criterion `{}`; criteria: {}",
            options.criterion,
            all.join(", ")
        )
    })?;
    output::Folder::check(&options.out)?;
    for tool in [
        native::toolchain::Tool::Profdata,
        native::toolchain::Tool::Cov,
    ] {
        tool.find()?;
    }

    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    let program = build::instrumented(options, work.path())?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    // The judge's build takes as long as reading the model: do both at once.
    let (judge, model) = std::thread::scope(|scope| {
        let judge = scope.spawn(|| build::judge(&program, work.path(), jobs));
        let model = build::model(&program);
        (judge.join(), model)
    });
    let judge = judge.unwrap_or_else(|_| bail!("building for the judge panicked"))?;
    let model = model?;
    let goals = Goals::new(&model, criterion);

    ctrlc::set_handler(|| search::INTERRUPTED.store(true, Ordering::Relaxed))
        .context("Ctrl-C cannot be caught")?;
    let found = search::search(options, &program, &model, &goals, choice.make(&model))?;
    let finish = Finish {
        options,
        program: &program,
        model: &model,
        goals: &goals,
        judge: &judge,
        strategy: choice.to_string(),
    };
    let report = finish.finish(&found, &formats)?;
    if !options.quiet {
        let here = std::env::current_dir().unwrap_or_default();
        let table = coverage::format::text::Text::short(&here).render(&report);
        say::err(format_args!("{}", table.trim_end()));
    }
    if options.json {
        say::out(&coverage::format::json::Json.render(&report))?;
    }
    if options.check && report.notes.iter().any(|note| note.starts_with("check: ")) {
        for note in &report.notes {
            say::err(format_args!("{note}"));
        }
        bail!(anyhow::anyhow!("check mode found differences").context(crate::errors::Fault));
    }
    let met = options
        .require
        .is_none_or(|wanted| report.totals.percent() >= wanted);
    Ok(ExitCode::from(match (found.stop, met) {
        (StopReason::Interrupted, _) if search::INTERRUPTED.load(Ordering::Relaxed) => INTERRUPTED,
        (_, false) => NOT_MET,
        _ => DONE,
    }))
}

/// The suite formats of these names.
fn formats(names: &[String]) -> Result<Vec<&'static dyn SuiteFormat>> {
    names
        .iter()
        .map(|name| {
            coverage::format::suite_by_name(name).with_context(|| {
                let all: Vec<_> = coverage::format::SUITES
                    .iter()
                    .map(|format| format.name())
                    .collect();
                format!(
                    "there is no suite format `{name}`; formats: {}",
                    all.join(", ")
                )
            })
        })
        .collect()
}
