//! `--all-functions`: every function of a file in turn, with the time shared out by need.
//!
//! Each function gets its share of the time that is left, in proportion to its branches; those with few branches come
//! first, so that what they do not use goes to those with many.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use coverage::Totals;
use explore::StopReason;
use report::format::ReportFormat;
use report::suite::manifest::FILE_NAME;

use super::function::{Under, UnitUnderTest};
use super::options::Options;
use super::output::Folder;
use super::{Asked, Done, build, exit_code, interrupt};
use crate::say;

/// In the manifest of a folder of suites: their names.
pub const FUNCTIONS: &str = "functions";

/// Runs the command.
///
/// # Errors
/// As for one function; a function that cannot be tested is said and left out.
pub(super) fn run(options: &Options, asked: &Asked, work: &Path) -> Result<u8> {
    let unit = UnitUnderTest::find(options, None, work)?;
    let mut jobs = Vec::new();
    let mut left_out = Vec::new();
    for name in unit.functions() {
        let folder = work.join(format!("function-{}", jobs.len()));
        std::fs::create_dir_all(&folder)?;
        let prepared = unit
            .prepare(options, name, &folder)
            .and_then(|under| need(asked, &under).map(|need| (under, need)));
        match prepared {
            Ok((under, need)) => jobs.push((under, need, folder)),
            Err(error) => left_out.push(format!("{name}: {error:#}")),
        }
    }
    ensure!(
        !jobs.is_empty(),
        "{} has no function that can be tested{}{}",
        unit.path.display(),
        if left_out.is_empty() { "" } else { ": " },
        left_out.join("; ")
    );
    jobs.sort_by_key(|(_, need, _)| *need);
    let names: Vec<&str> = jobs.iter().map(|(under, ..)| under.name.as_str()).collect();
    Folder::create(&options.out)?.write(
        Path::new(FILE_NAME),
        serde_json::to_string_pretty(&serde_json::json!({"tool": "bothways", FUNCTIONS: names}))?
            .as_bytes(),
    )?;
    let mut left = options.time;
    let mut needed: u32 = jobs.iter().map(|(_, need, _)| need).sum();
    let mut totals = Totals::default();
    let mut reports = Vec::new();
    let mut stop = StopReason::AllCovered;
    for (under, need, folder) in &jobs {
        if interrupt::is_set() {
            break;
        }
        let share = left.mul_f64(f64::from(*need) / f64::from(needed.max(1)));
        needed -= need;
        let mut own = under.options(options);
        own.time = share.max(Duration::from_millis(100));
        own.out = options.out.join(&under.name);
        match asked.test(&own, &under.program, Some(under), folder) {
            Ok(Done {
                report,
                stop: ended,
            }) => {
                left = left.saturating_sub(Duration::from_secs_f64(report.campaign.seconds));
                stop = ended;
                // A callee's branches are counted where the callee is the function under test.
                totals += report.functions.first().map_or(Totals::default(), |row| {
                    if row.name == under.name {
                        row.totals
                    } else {
                        Totals::default()
                    }
                });
                reports.push((under, report));
            }
            Err(_) if interrupt::is_set() => break,
            Err(error) => left_out.push(format!("{}: {error:#}", under.name)),
        }
    }
    let unit = asked.wanted.criterion.unit();
    show(options, &reports, &left_out, (totals, unit))?;
    let missed = options.require.filter(|wanted| totals.percent() < *wanted);
    if let Some(wanted) = missed {
        say::err(format_args!("{}", super::short_of(wanted, totals, unit)));
    }
    Ok(exit_code(stop, missed.is_none()))
}

/// How much there is to do: the goals of the function and of what it calls, at least 1.
fn need(asked: &Asked, under: &Under) -> Result<u32> {
    let model = build::model(&under.program)?;
    let goals = asked.wanted.goals(&model, Some(&under.scope(&model)))?;
    Ok(u32::try_from(goals.len())
        .unwrap_or(u32::MAX >> 8)
        .clamp(1, u32::MAX >> 8))
}

fn show(
    options: &Options,
    reports: &[(&Under, report::Report)],
    left_out: &[String],
    (totals, unit): (Totals, &str),
) -> Result<()> {
    if !options.quiet {
        for (under, report) in reports {
            let row = report.functions.iter().find(|row| row.name == under.name);
            let own = row.map_or(Totals::default(), |row| row.totals);
            say::err(format_args!(
                "{:<24} {:>4} of {:>4} {unit}, with callees {:>4} of {:>4}, {} tests",
                under.name,
                own.covered,
                own.total,
                report.totals.covered,
                report.totals.total,
                report.campaign.tests
            ));
        }
        say::err(format_args!(
            "{:<24} {:>4} of {:>4} {unit}",
            "total", totals.covered, totals.total
        ));
    }
    for line in left_out {
        say::err(format_args!("bothways: not tested: {line}"));
    }
    if options.json {
        let objects: Vec<String> = reports
            .iter()
            .map(|(_, report)| {
                report::format::json::Json
                    .render(report)
                    .trim_end()
                    .to_owned()
            })
            .collect();
        say::out(&format!("[{}]\n", objects.join(",\n")))?;
    }
    Ok(())
}
