//! `bothways test`: a session, its report on the terminal or as JSON, and the exit code.

use ::report::Report;
use ::report::format::ReportFormat;
use ::report::format::json::Json;
use ::report::format::text::Text;
use anyhow::{Result, ensure};
use coverage::Totals;
use explore::StopReason;
use session::all::All;
use session::reports::Wanted;
use session::sync::SyncOptions;
use session::{Done, Host, Session};

use crate::exit::{DONE, INTERRUPTED, NOT_MET};
use crate::flags::Options;
use crate::progress::Terminal;
use crate::report;
use crate::say;

/// Runs the command; `command` are its words, which `bothways resume` reads again.
///
/// # Errors
/// Bad input, in words; a fault of ours, marked as such.
pub fn run(options: &Options, command: Vec<String>) -> Result<u8> {
    let request = session::Options {
        command,
        ..options.request()?
    };
    test(options, &request)
}

/// The same without a way to resume, with other fuzzers that take part.
///
/// # Errors
/// As for [`run`]; their folder cannot be used.
pub fn run_beside(options: &Options, sync: Option<SyncOptions>) -> Result<u8> {
    let request = session::Options {
        sync,
        ..options.request()?
    };
    test(options, &request)
}

fn test(options: &Options, request: &session::Options) -> Result<u8> {
    let wanted = Wanted::all(&options.report)?;
    let printed = wanted.iter().filter(|one| one.is_printed()).count();
    ensure!(
        printed == 0 || !options.common.json,
        "--json and a report on standard output (`=-`) would be mixed: give a path to one of them"
    );
    ensure!(
        options.common.shard.is_none() || options.common.function.all_functions,
        "--shard splits the functions of --all-functions, or the targets of `bothways reach`"
    );
    let host = Terminal::new(options.common.quiet);
    let session = Session::new(request, &host)?;
    if request.function.all_functions {
        ensure!(
            wanted.iter().all(Wanted::is_in_suite),
            "with --all-functions each suite has its own report: leave `=PATH` of --report out"
        );
        let all = session.test_all()?;
        native::faults::done();
        for (name, report) in &all.reports {
            report::write(&wanted, report, &options.common.out.join(name), true)?;
        }
        return functions(options, &all, &host);
    }
    let Done { report, stop } = session.test()?;
    native::faults::done();
    if !options.common.quiet {
        let here = std::env::current_dir().unwrap_or_default();
        let table = Text::short(&here).render(&report);
        say::err(format_args!("{}", table.trim_end()));
    }
    if options.common.json {
        say::out(&Json.render(&report))?;
    }
    report::write(&wanted, &report, &options.common.out, options.common.quiet)?;
    let met = match options.require {
        Some(wanted) => is_met(&report, wanted),
        None => true,
    };
    Ok(exit_code(&host, stop, met))
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
fn exit_code(host: &dyn Host, stop: StopReason, met: bool) -> u8 {
    match (stop, met) {
        _ if host.is_interrupted() => INTERRUPTED,
        (_, false) => NOT_MET,
        _ => DONE,
    }
}

/// Tells what came of `--all-functions`.
fn functions(options: &Options, all: &All, host: &dyn Host) -> Result<u8> {
    let All {
        reports,
        left_out,
        totals,
        unit,
        stop,
    } = all;
    if !options.common.quiet {
        for (name, report) in reports {
            let row = report.functions.iter().find(|row| row.name == *name);
            let own = row.map_or(Totals::default(), |row| row.totals);
            say::err(format_args!(
                "{:<24} {:>4} of {:>4} {unit}, with callees {:>4} of {:>4}, {} tests",
                name,
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
    if options.common.json {
        let objects: Vec<String> = reports
            .iter()
            .map(|(_, report)| Json.render(report).trim_end().to_owned())
            .collect();
        say::out(&format!("[{}]\n", objects.join(",\n")))?;
    }
    let missed = options.require.filter(|wanted| totals.percent() < *wanted);
    if let Some(wanted) = missed {
        say::err(format_args!("{}", short_of(wanted, *totals, unit)));
    }
    Ok(exit_code(host, *stop, missed.is_none()))
}
