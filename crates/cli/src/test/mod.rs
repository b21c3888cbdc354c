//! `bothways test`: build, search, judge, report.
//!
//! What must hold: nothing is written before the program is known to be testable; a test that was found is on disk
//! before the next one is looked for; the verdict printed is the judge's.

pub mod all;
pub mod build;
pub mod convert;
mod criteria;
mod decisions;
mod faults;
pub mod finish;
pub mod function;
mod interrupt;
mod memory;
mod minimal;
pub mod options;
pub mod output;
pub mod plan;
pub mod program;
mod progress;
mod proofs;
mod sanitize;
pub mod search;
mod searcher;
mod seeds;
mod suite;
pub mod symbolic;
mod workers;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use coverage::Totals;
use explore::Choice;
use explore::StopReason;
use harness::ctest::flavour::Flavour;
use report::Report;
use report::format::{ReportFormat, SuiteFormat};

use self::criteria::Wanted;
use self::decisions::Decisions;
use self::finish::Finish;
use self::function::ctest::flavour_of;
use self::function::{Under, UnitUnderTest};
use self::options::Options;
use self::suite::Frame;
use crate::errors::{DONE, INTERRUPTED, NOT_MET};
use crate::say;

/// Runs the command.
///
/// # Errors
/// Bad input, in words; a fault of ours, marked as such.
pub fn run(options: &Options) -> Result<u8> {
    let choice = Choice::parse(&options.strategy()?)?;
    let (formats, flavours) = formats(options)?;
    let wanted = Wanted::parse(options)?;
    output::Folder::check(&options.out)?;
    for tool in [
        native::toolchain::Tool::Profdata,
        native::toolchain::Tool::Cov,
    ] {
        tool.find()?;
    }

    let asked = Asked {
        choice,
        formats,
        flavours,
        wanted,
    };
    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    interrupt::catch(work.path())?;
    if options.function.all_functions {
        return all::run(options, &asked, work.path());
    }
    let done = match &options.function.function {
        Some(name) => {
            let unit = UnitUnderTest::find(options, Some(name), work.path())?;
            let under = unit.prepare(options, name, work.path())?;
            asked.test(
                &under.options(options),
                &under.program,
                Some(&under),
                work.path(),
            )?
        }
        None => {
            let program = build::instrumented(options, work.path())?;
            asked.test(options, &program, None, work.path())?
        }
    };
    let Done { report, stop } = done;
    if !options.quiet {
        let here = std::env::current_dir().unwrap_or_default();
        let table = report::format::text::Text::short(&here).render(&report);
        say::err(format_args!("{}", table.trim_end()));
    }
    if options.json {
        say::out(&report::format::json::Json.render(&report))?;
    }
    let met = match options.require {
        Some(wanted) => is_met(&report, wanted),
        None => true,
    };
    Ok(exit_code(stop, met))
}

/// Whether a report has the coverage that was required; says by what it has not.
fn is_met(report: &Report, wanted: f64) -> bool {
    let own = (report.totals, report.unit.as_str());
    let entries = report
        .entries
        .map(|entries| (entries, "entries of functions"));
    let exits = report.exits.map(|exits| (exits, "exits of functions"));
    let mut met = true;
    for (totals, unit) in [own].into_iter().chain(entries).chain(exits) {
        if totals.percent() < wanted {
            met = false;
            say::err(format_args!("{}", short_of(wanted, totals, unit)));
        }
    }
    met
}

/// By what a coverage falls short of what was required.
fn short_of(wanted: f64, totals: Totals, unit: &str) -> String {
    let percent = (totals.percent() * 10.0).floor() / 10.0;
    format!("bothways: --require {wanted}% is not met: {totals} {unit} covered, {percent:.1}%")
}

/// How a campaign's end is told to the shell.
fn exit_code(stop: StopReason, met: bool) -> u8 {
    match (stop, met) {
        _ if interrupt::is_set() => INTERRUPTED,
        (_, false) => NOT_MET,
        _ => DONE,
    }
}

/// What was asked for by name, found.
struct Asked {
    choice: Choice,
    formats: Vec<&'static dyn SuiteFormat>,
    flavours: Vec<&'static dyn Flavour>,
    wanted: Wanted,
}

/// What a campaign came to.
struct Done {
    report: Report,
    stop: StopReason,
}

impl Asked {
    /// Searches, judges and writes the suite of one program.
    fn test(
        &self,
        options: &Options,
        program: &program::Program,
        under: Option<&Under>,
        work: &Path,
    ) -> Result<Done> {
        let plan = plan::Plan::new(options, program.link.fuzz)?;
        let seeds = seeds::Seeds::read(&options.seeds, &plan)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let seen = under.is_some_and(|under| under.leaves.is_some());
        let more = if seen { harness::observe::RUNTIME } else { "" };
        // The judge's build takes as long as reading the model: do both at once.
        let mut decisions = Decisions::compile(program, self.wanted.criterion);
        let (judge, model) = if decisions.is_empty() {
            std::thread::scope(|scope| {
                let judge = scope.spawn(|| build::judge(program, &decisions, work, jobs, more));
                let model = build::model(program);
                let judge = judge.join();
                let judge = judge.unwrap_or_else(|_| bail!("building for the judge panicked"));
                (judge, model)
            })
        } else {
            let mut model = build::model(program)?;
            decisions.adopt(program, &mut model)?;
            let judge = build::judge(program, &decisions, work, jobs, more);
            (judge, Ok(model))
        };
        let (judge, model) = (judge?, model?);
        let sanitized = match &options.sanitize {
            Some(list) => Some(sanitize::build(program, list, work, jobs)?),
            None => None,
        };
        let functions = under.map(|under| under.scope(&model));
        let goals = Arc::new(self.wanted.goals(&model, functions.as_deref())?);
        let model = Arc::new(model);
        let criterion = goals.criterion().name();
        let what = (criterion, self.choice.to_string());
        let frame = Frame::new(options, (program, &plan), under, what);
        let proofs = proofs::find(options, program, &model, &goals)?;
        let mut found = search::search(
            &search::Task {
                options,
                plan: &plan,
                meanings: under.map(|under| &under.plan),
                seeds: &seeds,
                program,
                model: &model,
                goals: &goals,
                proofs: &proofs,
                judge: &judge,
                frame: &frame,
            },
            self.choice.make(&model),
        )?;
        found.notes.append(&mut decisions.notes);
        if options.minimise_suite {
            found.minimise(&goals)?;
        }
        if let Some(under) = under {
            under.complete(&mut found)?;
        }
        let finish = Finish {
            options,
            plan: &plan,
            model: &model,
            goals: &goals,
            proofs: &proofs,
            judge: &judge,
            sanitized: sanitized.as_deref(),
            strategy: self.choice.to_string(),
            under,
            frame: &frame,
        };
        let report = finish.finish(&mut found, &self.formats, &self.flavours)?;
        let is_fault =
            |note: &String| note.starts_with("check: ") || note.starts_with(proofs::WRONG);
        if options.check && report.notes.iter().any(is_fault) {
            for note in &report.notes {
                say::err(format_args!("{note}"));
            }
            bail!(anyhow::anyhow!("check mode found differences").context(crate::errors::Fault));
        }
        Ok(Done {
            report,
            stop: found.stop,
        })
    }
}

/// What the suite is written as, beside its own form.
type Formats = (Vec<&'static dyn SuiteFormat>, Vec<&'static dyn Flavour>);

/// The formats that the user named.
fn formats(options: &Options) -> Result<Formats> {
    let mut formats = (Vec::new(), Vec::new());
    for name in &options.emit {
        if let Some(flavour) = flavour_of(name)? {
            ensure!(
                options.function.is_used(),
                "--emit {name} is for tests of functions: add --function NAME"
            );
            formats.1.push(flavour);
            continue;
        }
        formats
            .0
            .push(report::format::suite_by_name(name).with_context(|| {
                let all: Vec<_> = report::format::SUITES
                    .iter()
                    .map(|format| format.name())
                    .collect();
                format!(
                    "there is no suite format `{name}`; formats: {}, c-test",
                    all.join(", ")
                )
            })?);
    }
    Ok(formats)
}
