//! `bothways bench`: an experiment over subjects, strategies and seeds, and its tables and plots.
//!
//! Must hold: what was measured is on disk before the next run starts, so that an experiment that was interrupted goes on
//! where it was; results of different budgets never meet in one folder; a subject that fails is told and skipped.

mod cell;
mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ::bench::{Axis, Cell, Record, Suite};
use anyhow::{Context, Result, bail};
use clap::Args;

use self::results::Results;
use crate::exit::{DONE, INTERRUPTED, NOT_MET};
use crate::say;

/// Runs an experiment: subjects × strategies × seeds, with tables and plots
///
/// The file names subjects, strategies, seeds and a budget (see the manual). Results go to a folder: results.csv, which
/// an interrupted experiment goes on from, tables.md, and an SVG plot over iterations and one over time for each subject.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The bench file
    #[arg(value_name = "SUITE.toml")]
    pub suite: PathBuf,

    /// Folder of the results
    #[arg(
        long,
        short = 'o',
        default_value = "bothways-bench",
        value_name = "DIR"
    )]
    pub out: PathBuf,

    /// Runs at once, each pinned to a core of its own
    #[arg(long, short = 'j', default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// Write the tables and plots of what is there, without running anything
    #[arg(long)]
    pub tables_only: bool,
}

static STOP: AtomicBool = AtomicBool::new(false);

/// Runs the command.
///
/// # Errors
/// The bench file or the folder is of no use.
pub fn run(options: &Options) -> Result<ExitCode> {
    let file = options.suite.display();
    let text = std::fs::read_to_string(&options.suite).with_context(|| format!("{file}"))?;
    let suite = Suite::parse(&text).with_context(|| format!("{file}"))?;
    check(&suite).with_context(|| format!("{file}"))?;
    let here = options.suite.parent().unwrap_or(Path::new(""));
    let here = if here.as_os_str().is_empty() {
        Path::new(".")
    } else {
        here
    };
    let here = here
        .canonicalize()
        .with_context(|| format!("{}", here.display()))?;
    let mut results = Results::open(&options.out, &suite)?;
    let mut failed = BTreeMap::new();
    if !options.tables_only {
        ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))
            .context("Ctrl-C cannot be caught")?;
        failed = measure(options, &suite, &here, &mut results)?;
    }
    let failed: Vec<(String, String)> = failed.into_iter().collect();
    let records = results.records();
    write_tables(&options.out, &suite, records, &failed)?;
    say::err(format_args!(
        "{} of {} runs; {}",
        records.len(),
        suite.cells().len(),
        options.out.join("tables.md").display()
    ));
    for (what, why) in &failed {
        say::err(format_args!(
            "failed: {what}: {}",
            why.lines().next().unwrap_or("")
        ));
    }
    Ok(ExitCode::from(
        match (STOP.load(Ordering::Relaxed), failed.is_empty()) {
            (true, _) => INTERRUPTED,
            (_, false) => NOT_MET,
            _ => DONE,
        },
    ))
}

/// What the file's reader cannot know: strategies and quantities.
fn check(suite: &Suite) -> Result<()> {
    for strategy in &suite.strategies {
        explore::Choice::parse(strategy)?;
    }
    let times = suite.time.iter();
    let limits = suite
        .subjects
        .iter()
        .filter_map(|subject| subject.timeout.as_ref());
    for text in times.chain(limits) {
        crate::units::duration(text).map_err(anyhow::Error::msg)?;
    }
    for text in suite
        .subjects
        .iter()
        .filter_map(|subject| subject.stdin.as_ref())
    {
        crate::units::lengths(text).map_err(anyhow::Error::msg)?;
    }
    Ok(())
}

/// Runs every cell that has no record; returns what failed, by name.
fn measure(
    options: &Options,
    suite: &Suite,
    here: &Path,
    results: &mut Results,
) -> Result<BTreeMap<String, String>> {
    let known: BTreeSet<Cell> = results.records().iter().map(Record::cell).collect();
    let cells: Vec<Cell> = suite
        .cells()
        .into_iter()
        .filter(|cell| !known.contains(cell))
        .collect();
    let work = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut failed = BTreeMap::new();
    let mut programs = BTreeMap::new();
    for subject in &suite.subjects {
        if cells.iter().any(|cell| cell.subject == subject.name) {
            match cell::build(subject, here, work.path()) {
                Ok(program) => drop(programs.insert(subject.name.as_str(), program)),
                Err(error) => drop(failed.insert(subject.name.clone(), format!("{error:#}"))),
            }
        }
    }
    let cells: Vec<&Cell> = cells
        .iter()
        .filter(|cell| programs.contains_key(cell.subject.as_str()))
        .collect();
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((results, &mut failed, None::<anyhow::Error>));
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    std::thread::scope(|scope| {
        for worker in 0..usize::from(options.jobs) {
            let (next, shared, cells, programs) = (&next, &shared, &cells, &programs);
            let core = cores.get(worker % cores.len().max(1)).copied();
            let folder = work.path().join(format!("worker{worker}"));
            scope.spawn(move || {
                // What a pinned thread starts is pinned, too.
                core.map(core_affinity::set_for_current);
                while !STOP.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(cell) = cells.get(index) else { return };
                    let found = cell::run(suite, cell, &programs[cell.subject.as_str()], &folder);
                    let Ok(mut shared) = shared.lock() else {
                        return;
                    };
                    let (results, failed, broken) = &mut *shared;
                    match found {
                        _ if STOP.load(Ordering::Relaxed) => return,
                        Ok(record) => {
                            say::err(format_args!(
                                "[{}/{}] {cell}: {} of {} in {} iterations, {:.1} s",
                                index + 1,
                                cells.len(),
                                record.covered,
                                record.total,
                                record.iterations,
                                record.seconds
                            ));
                            if let Err(error) = results.add(record) {
                                *broken = Some(error);
                                return;
                            }
                        }
                        Err(error) => drop(failed.insert(cell.to_string(), format!("{error:#}"))),
                    }
                }
            });
        }
    });
    match shared.into_inner() {
        Ok((_, _, None)) => Ok(failed),
        Ok((_, _, Some(error))) => Err(error),
        Err(_) => bail!("a worker panicked"),
    }
}

fn write_tables(
    folder: &Path,
    suite: &Suite,
    records: &[Record],
    failed: &[(String, String)],
) -> Result<()> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write("tables.md", &::bench::markdown(suite, records, failed))?;
    for subject in &suite.subjects {
        if !records.iter().any(|record| record.subject == subject.name) {
            continue;
        }
        for (axis, name) in [(Axis::Iterations, "iterations"), (Axis::Time, "time")] {
            let plot =
                ::bench::svg(suite, records, &subject.name, axis).map_err(anyhow::Error::msg)?;
            write(&format!("{}-{name}.svg", file_name(&subject.name)), &plot)?;
        }
    }
    Ok(())
}

/// The name without what file names do not like.
fn file_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}
