//! After the search: the judge's verdict, the manifest, further formats, the report.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::error::{Context, Error, Result};
use crate::host::Host;
use crate::late;
use crate::needed;
use backward::Proofs;
use coverage::target::Target;
use coverage::{GoalSet, Goals, Status};
use explore::campaign::{OpenReason, Verdicts};
use explore::{Approached, KeptTest, StopReason};
use harness::observe::Seen;
use harness::unit_tests::flavour::Flavour;
use native::judge::{Judge, JudgeConfig, Patience, TestCase, TestRun, facts};
use path::Outcome;
use proof::{Certificate, End};
use report::format::{ReportFormat, SuiteFormat};
use report::judge::{Comparison, sanitizer};
use report::suite::Test;
use report::{
    Concretised, Facts, Failure, Latency, Report, SolverLayer, Solving, Times, Verdict, Work,
};

use super::annex::{self, Counted};
use super::called::CalledWith;
use super::calls::calls_variable;
use super::certificates::{self, Maker};
use super::convert;
use super::evidence::{Evidence, Refuted, Sources};
use super::failing;
use super::faults::{self, distinct};
use super::found::Found;
use super::function::Under;
use super::options::Options;
use super::plan::Plan;
use super::proofs;
use super::reach::backward::Looked;
use super::reach::confirm::Confirm;
use super::sanitize::Oracle;
use super::suite::Frame;
use super::waiting::Waiting;
use super::words;

/// Bytes that are read of what the harness observes in a test.
const OBSERVED: usize = 4 << 20;

/// Everything that the last part needs.
pub struct Finish<'a> {
    /// What the user asked for.
    pub options: &'a Options,
    /// Who is told how it goes.
    pub host: &'a dyn Host,
    /// What is symbolic.
    pub plan: &'a Plan,
    /// Its model.
    pub model: &'a program::Program,
    /// What is to be covered.
    pub goals: &'a Goals,
    /// What the code alone forbids of it.
    pub proofs: &'a Proofs,
    /// What the words of the command line exclude, if that is something.
    pub called: Option<&'a CalledWith>,
    /// The program is linked with code that is not in the model.
    pub foreign: bool,
    /// The judge's executable.
    pub judge: &'a Path,
    /// The sanitized build.
    pub sanitized: Option<&'a Path>,
    /// The strategy, with its parameters.
    pub strategy: String,
    /// The function under test, if it is one.
    pub under: Option<&'a Under>,
    /// The suite without its tests.
    pub frame: &'a Frame<'a>,
    /// What somebody wants to see reached.
    pub targets: &'a [Target],
    /// What came of looking backward from each; empty if that was not asked for.
    pub looked: &'a [Looked],
}

/// What there is at the end.
pub struct Finished {
    /// The report.
    pub report: Report,
    /// What it rests on.
    pub evidence: Evidence,
    /// For each target the test that reaches it under the judge: an index into the tests found.
    pub confirmed: Vec<Option<usize>>,
    /// For each target the certificates of its goals, if looking backward refuted it.
    pub followed: Vec<Vec<Certificate>>,
}

/// What the judge said.
struct Judged {
    covered: GoalSet,
    counted: Counted,
    verdict: Verdict,
    runs: Vec<TestRun>,
    confirmed: Vec<Option<usize>>,
}

impl Finish<'_> {
    /// Judges the suite, completes the folder, and gives the report.
    ///
    /// # Errors
    /// The judge's tools fail, or the folder cannot be written.
    pub fn finish(
        &self,
        found: &mut Found,
        formats: &[&dyn SuiteFormat],
        flavours: &[&dyn Flavour],
    ) -> Result<Finished> {
        found.folder.keep_judge(self.judge)?;
        let mut notes = found.notes.clone();
        let began = Instant::now();
        let patience = Patience::default();
        let waiting = Waiting::new(self.options, self.host);
        let tests = found.tests.len();
        let over = || patience.over.store(true, Ordering::Relaxed);
        let shown = |elapsed| {
            let done = patience.done.load(Ordering::Relaxed);
            let doing = format!("judging: {done} of {tests} tests");
            self.host.finishing(&doing, elapsed);
        };
        let tried = |elapsed| self.host.finishing("trying the C tests", elapsed);
        let proved = |elapsed| {
            let doing = "making certificates of what is infeasible";
            self.host.finishing(doing, elapsed);
        };
        let (reports, judged) = waiting.through(&over, &shown, || {
            let reports = self.watch(found, &patience)?;
            Ok::<_, Error>((reports, self.ask_the_judge(found, &mut notes, &patience)?))
        })?;
        let Judged {
            covered,
            counted,
            verdict,
            runs,
            confirmed,
        } = judged;
        let judge_seconds = began.elapsed().as_secs_f64();
        let suite = self.frame.suite(&found.folder, found.calls, &found.tests);
        for format in formats {
            let (suite, said) = failing::suite_for(&suite, *format, self.options.symbolic.failing);
            notes.extend(said);
            for artifact in format.render(&suite) {
                found
                    .folder
                    .write(Path::new(&artifact.path), &artifact.bytes)?;
            }
        }
        if let Some(under) = self.under {
            let seen: Vec<Seen> = runs.iter().map(|run| Seen::parse(&run.observed)).collect();
            let said = waiting.through(&over, &tried, || {
                let limits = (&*patience.over, self.options.timeout);
                under.write_unit_tests(&found.folder, &found.tests, &seen, flavours, limits)
            })?;
            notes.extend(said);
        }
        notes.extend(self.note_stdin(found, &runs));
        if self.proofs.cut {
            notes.push("the search for goals that the code alone rules out was not finished: it would have taken too long".to_owned());
        }
        // What is counted only because a run ended by itself between two counters does refute a proof.
        let mut tests = found.tests.iter();
        let was_ended = tests.any(|test| test.outcome == report::suite::Outcome::Timeout);
        let untaken = found.findings.ledger.untaken();
        let is_taken = |goal: coverage::GoalId| {
            covered.contains(goal) && !(was_ended && untaken.contains(goal))
        };
        notes.extend(proofs::wrong(
            (self.proofs, self.called),
            &is_taken,
            self.model,
            self.goals,
        ));
        let end = End::default();
        let runs_of_search = (found.all_figures().runs, end.clone());
        let maker = Maker::new(
            (self.model, self.goals),
            self.foreign,
            (self.proofs, self.called),
            self.plan,
            runs_of_search,
        );
        let sources = Sources {
            model: self.model,
            goals: self.goals,
            bounded: self.under.is_some_and(|under| under.plan.is_bounded()),
            maker: &maker,
        };
        notes.extend(sources.untaken(found, &covered));
        let evidence = waiting.through(&|| end.now(), &proved, || sources.gather(found, &covered));
        notes.extend(certificates::missing(
            evidence.grounds().map(|known| &known.certificate),
        ));
        let mut report = self.report(found, &evidence, verdict, notes);
        report.campaign.judge_seconds = judge_seconds;
        report.campaign.failures = self.failures(found, &runs, reports);
        annex::complete(&mut report, found, (self.model, self.goals), &counted);
        let stored = report::stored::render(&report);
        found
            .folder
            .write(Path::new(report::stored::FILE_NAME), stored.as_bytes())?;
        found.folder.write(
            Path::new("report.txt"),
            report::format::text::Text::whole()
                .render(&report)
                .as_bytes(),
        )?;
        let looked = || self.followed(&maker, &evidence, &confirmed);
        let followed = waiting.through(&|| end.now(), &proved, looked);
        let certificates = evidence.grounds().map(|known| known.certificate.clone());
        let mut certificates: Vec<Certificate> = certificates.collect();
        for one in followed.iter().flatten() {
            match certificates.iter_mut().find(|known| known.goal == one.goal) {
                Some(known) => known.clone_from(one),
                None => certificates.push(one.clone()),
            }
        }
        certificates::write(&found.folder, self.options, &maker, certificates)?;
        self.frame.write(&found.folder, found.calls, &found.tests)?;
        found.folder.remove_other_tests(&found.tests)?;
        let stop = found.stop.to_string();
        let mut verdicts = self.goals.iter().map(|(goal, _)| known(&evidence, goal));
        found.folder.store().end(&mut verdicts, &stop)?;
        Ok(Finished {
            report,
            evidence,
            confirmed,
            followed,
        })
    }

    /// For each target that looking backward refuted, the certificates of its goals.
    fn followed(
        &self,
        maker: &Maker<'_>,
        evidence: &Evidence,
        confirmed: &[Option<usize>],
    ) -> Vec<Vec<Certificate>> {
        let targets = self.targets.iter().zip(self.looked).zip(confirmed);
        let certificates = targets.map(|((target, looked), confirmed)| {
            let Some(why) = looked.never.as_ref().filter(|_| confirmed.is_none()) else {
                return Vec::new();
            };
            let why = why.join("; ");
            let goals = target.goals.iter();
            let certificate = |goal: &coverage::GoalId| match evidence.get(*goal) {
                Status::Infeasible(known) if known.certificate.checked == "yes" => {
                    Some(known.certificate.clone())
                }
                // What cannot be checked may be followed backward.
                Status::Infeasible(known) => {
                    let other = maker.followed(*goal, &why, looked.as_called);
                    let is_checked = other.checked == "yes";
                    Some(if is_checked {
                        other
                    } else {
                        known.certificate.clone()
                    })
                }
                // Counted where its place is not come to.
                Status::Covered { .. } => None,
                Status::Open(_) => Some(maker.followed(*goal, &why, looked.as_called)),
            };
            goals.filter_map(certificate).collect()
        });
        certificates.collect()
    }

    /// How the judge runs the tests.
    fn judge_config(&self, found: &Found, patience: &Patience) -> JudgeConfig {
        let mut config = JudgeConfig::new(self.judge);
        config.called = Some(self.options.called().into());
        config.args = self
            .plan
            .common_arguments()
            .iter()
            .map(Into::into)
            .collect();
        config.timeout = self.options.timeout;
        config.memory_bytes = self.options.memory;
        config.env.extend(found.calls.map(calls_variable));
        config.patience = patience.clone();
        if self.under.is_some_and(|under| under.leaves.is_some()) {
            config.observe = Some((harness::observe::VARIABLE.into(), OBSERVED));
        }
        config.jobs = std::thread::available_parallelism().map_or(1, usize::from);
        config
    }

    fn ask_the_judge(
        &self,
        found: &mut Found,
        notes: &mut Vec<String>,
        patience: &Patience,
    ) -> Result<Judged> {
        let config = self.judge_config(found, patience);
        let judge = Judge::new(config.clone())?;
        let cases = self.cases(found)?;
        let mut runs = judge.run_all(&cases)?;
        words::add(&config, (&found.tests, &cases), &mut runs, found.early)?;
        notes.extend(compare_outcomes(found, &runs)?);
        if found.early
            && let (Some(test), Some(run)) = (found.tests.first(), runs.first())
        {
            notes.push(ended_early(test, run));
        }
        let skipped = runs
            .iter()
            .filter(|run| convert::judged(run).is_none())
            .count();
        if skipped > 0 {
            notes.push(format!(
                "{skipped} of {} tests were not judged, because the time for it was over (--judge-time): what they cover is not counted",
                runs.len()
            ));
        }
        let report = if runs.iter().all(|run: &TestRun| run.profiles.is_empty()) {
            judge.empty_report()?
        } else {
            judge.report(&runs)?
        };
        let engine = found.findings.ledger.covered();
        let comparison = Comparison::new(self.model, self.goals, engine, &report);
        let totals = comparison.totals();
        match comparison.not_judged() {
            0 => {}
            goals => notes.push(format!(
                "llvm-cov has no figure for {goals} of the goals: there the engine's own count stands"
            )),
        }
        let verdict = Verdict {
            tool: format!("llvm-cov {}", native::toolchain::VERSION),
            total: u32::try_from(totals.count).unwrap_or(u32::MAX),
            covered: u32::try_from(totals.covered).unwrap_or(u32::MAX),
            pairs: comparison.pairs(),
            // Tests that were not judged are no difference.
            differences: match skipped {
                0 => {
                    let (goals, tests) = (
                        (self.model, self.goals),
                        (&*found.tests, &*runs, &*found.broken_off),
                    );
                    late::differences(&comparison, goals, tests, &judge, notes)?
                }
                _ => Vec::new(),
            },
        };
        let covered = comparison.covered();
        let confirm = Confirm {
            model: self.model,
            goals: self.goals,
            judge: &judge,
            executable: self.judge,
            tests: &found.tests,
            runs: &runs,
        };
        Ok(Judged {
            confirmed: confirm.first(self.targets, &covered, found.findings.ledger.untaken())?,
            counted: Counted::new(comparison.times(), &report),
            covered,
            verdict,
            runs,
        })
    }

    /// Has the sanitized build watch the tests, and adds tests for what it finds. What it reports of each test.
    fn watch(
        &self,
        found: &mut Found,
        patience: &Patience,
    ) -> Result<Vec<Option<sanitizer::Report>>> {
        let Some(executable) = self.sanitized else {
            let mut errors = found.errors.clone();
            errors.resize(found.tests.len(), None);
            return Ok(errors);
        };
        Oracle::keep(executable, &found.folder)?;
        let oracle = Oracle::new(
            executable,
            (self.options, self.host),
            self.plan,
            found.calls,
            patience.clone(),
        )?;
        let mut reports = oracle.reports(&self.cases(found)?)?;
        for (input, report) in
            oracle.findings((&found.kept, &found.inputs), &reports, &found.causes)?
        {
            let kept = KeptTest::of(input, Outcome::Exited(0));
            let test = convert::test(
                &kept,
                (self.plan, self.under.map(|under| &under.plan)),
                self.model,
                self.goals,
                found.seconds,
            );
            let remark = format!("shows {}: {}", report.tool, report.message);
            found.adopt(test, remark)?;
            reports.push(Some(report));
        }
        // What the sanitizers did not see, the machine may have.
        for (report, error) in reports.iter_mut().zip(&found.errors) {
            if report.is_none() {
                report.clone_from(error);
            }
        }
        Ok(reports)
    }

    /// How the judge starts the tests.
    fn cases(&self, found: &Found) -> Result<Vec<TestCase>> {
        let cases = found
            .tests
            .iter()
            .map(|test| convert::case(found.folder.test_path(test), test));
        cases.collect::<Result<_, _>>().fault()
    }

    /// What became of symbolic standard input, if no test shows that the engine saw it read.
    fn note_stdin(&self, found: &Found, runs: &[TestRun]) -> Option<String> {
        if !found.is_stdin_unread {
            return None;
        }
        let words = if runs.iter().any(|run| run.facts.read_stdin) {
            "standard input is read by code that bothways cannot follow (a C++ stream, a library, a child process): what it \
             holds decides nothing in the search"
        } else {
            "no test reads standard input"
        };
        Some(words.to_owned())
    }

    /// The faults that the tests show.
    fn failures(
        &self,
        found: &Found,
        runs: &[TestRun],
        reports: Vec<Option<sanitizer::Report>>,
    ) -> Vec<Failure> {
        let said = |run: &TestRun| sanitizer::Report::find(&String::from_utf8_lossy(&run.words));
        let facts: Vec<&facts::Facts> = runs.iter().map(|run| &run.facts).collect();
        // Without the tool that knows places, the engine's have to do.
        let crashes = facts::crashes(self.judge, &facts).unwrap_or_default();
        let evidence = found.tests.iter().zip(&found.causes).zip(runs).zip(reports);
        let evidence: Vec<faults::Evidence<'_>> = evidence
            .enumerate()
            .map(
                |(index, (((test, cause), run), sanitized))| faults::Evidence {
                    test,
                    cause: cause.as_ref(),
                    said: said(run),
                    sanitized,
                    crash: crashes.get(index).map_or(&[], Vec::as_slice),
                },
            )
            .collect();
        distinct(self.model, &evidence, self.under.is_some())
    }

    fn report(
        &self,
        found: &Found,
        evidence: &Evidence,
        verdict: Verdict,
        notes: Vec<String>,
    ) -> Report {
        let never = |known: &Refuted| known.reason.clone();
        let mut report = Report::new(self.model, self.goals, evidence, never);
        if self.goals.criterion().pairing().is_some() {
            let kept = found.kept.iter();
            let in_suite = |number: u32| found.tests.iter().any(|test| test.number == number);
            let shown: Vec<_> = kept
                .filter(|test| in_suite(test.number + 1))
                .map(|test| (test.number + 1, test.vectors.as_slice()))
                .collect();
            let sets = (evidence.covered(), evidence.infeasible());
            let why = |goal| match evidence.get(goal) {
                Status::Infeasible(known) => known.reason.detail.clone(),
                _ => String::new(),
            };
            report.decisions = report::table::rows(self.model, self.goals, sets, &shown, &why);
        }
        report.version = env!("CARGO_PKG_VERSION").to_owned();
        report.program = self.name();
        report.judge = Some(verdict);
        report.notes = notes;
        report.campaign = self.facts(found);
        report.concretised = self.concretised(found, evidence.covered());
        report.notes.extend(found.minimised.map(|minimised| {
            format!(
                "the suite is minimised: {} of {} tests cover the same, and fewer than {} of them cannot",
                found.tests.len(),
                minimised.from,
                minimised.at_least
            )
        }));
        report
            .notes
            .extend(self.loss_notes(found, &report.concretised));
        if !report.open.is_empty() {
            let plain = std::fs::read(self.judge).unwrap_or_default();
            report.notes.extend(needed::note(&plain));
        }
        let mut said = HashSet::new();
        report.notes.retain(|note| said.insert(note.clone()));
        if let Some(under) = self.under {
            under.name_rows(&mut report);
        }
        report
    }

    fn facts(&self, found: &Found) -> Facts {
        let figures = found.all_figures();
        Facts {
            strategy: self.strategy.clone(),
            seed: self.options.seed,
            tests: u32::try_from(found.tests.len()).unwrap_or(u32::MAX),
            iterations: figures.runs,
            seconds: found.seconds,
            judge_seconds: 0.0,
            solver_seconds: figures.times.solve.as_secs_f64(),
            times: Times {
                pick: figures.times.pick.as_secs_f64(),
                solve: figures.times.solve.as_secs_f64(),
                run: figures.target.run_time.as_secs_f64(),
                read: figures.target.read_time.as_secs_f64(),
                learn: figures.times.learn.as_secs_f64(),
                fuzz: figures.times.fuzz.as_secs_f64(),
            },
            work: Work {
                queries: figures.queries,
                fuzzed: figures.fuzzed,
                dropped: figures.dropped,
                started_over: figures.started_over,
                events: figures.target.event_words,
                expressions: figures.target.nodes,
                program_seconds: figures.target.program_time.as_secs_f64(),
                starts: figures.target.starts,
                peak_memory: peak_memory(),
            },
            solver: solving(&figures.solver),
            stopped_by: found.stop.to_string(),
            suite: Some(found.folder.path().display().to_string()),
            minimised: found.minimised,
            failures: Vec::new(),
        }
    }

    /// Places where symbolism was lost.
    fn concretised(&self, found: &Found, covered: &GoalSet) -> Vec<Concretised> {
        let row = |place: explore::campaign::Concretised| {
            let spot = &self.model.spots[place.spot];
            let (file, line, col) = spot.loc.map_or_else(Default::default, |loc| {
                let file = self.model.files[loc.file as usize].clone();
                (file, loc.line, loc.col)
            });
            let open = |goals: &Vec<_>| {
                let open = goals.iter().filter(|goal| !covered.contains(**goal));
                u32::try_from(open.count()).unwrap_or(u32::MAX)
            };
            Concretised {
                function: self.model.functions[spot.function].name.clone(),
                file,
                line,
                col,
                what: spot.what.clone(),
                reason: place.reason.name().to_owned(),
                count: place.count,
                pinned: place.reason.is_pin(),
                open_behind: place.goals.as_ref().map(open),
            }
        };
        let places = found.findings.concretised(self.model, self.goals);
        places.into_iter().map(row).collect()
    }

    /// What keeps an exhausted search from being a proof, and the places where symbolism was lost that matter most.
    fn loss_notes(&self, found: &Found, places: &[Concretised]) -> Vec<String> {
        const MOST: usize = 10;
        let mut notes: Vec<String> = places.iter().take(MOST).map(ToString::to_string).collect();
        if places.len() > MOST {
            notes.push(format!("… and at {} more", places.len() - MOST));
        }
        notes.extend(only_concrete(
            &found.findings.verdicts(self.model, self.goals),
        ));
        notes.extend(started_over(found.all_figures().started_over));
        if found.stop == (StopReason::Exhausted { proof: false }) {
            notes.push(format!(
                "the search tree is exhausted, but that proves nothing: {}",
                found.findings.gaps
            ));
        }
        notes
    }

    fn name(&self) -> String {
        self.options.inputs[0].display().to_string()
    }
}

/// What the store is told of a goal at the end.
fn known(evidence: &Evidence, goal: coverage::GoalId) -> store::Verdict {
    match evidence.get(goal) {
        Status::Covered { .. } => store::Verdict::Covered,
        Status::Infeasible(refuted) => store::Verdict::Infeasible {
            reason: in_words(&refuted.reason),
            certificate: serde_json::to_string(&refuted.certificate).ok(),
        },
        Status::Open(reason) => store::Verdict::Open {
            reason: in_words(reason),
        },
    }
}

fn in_words(reason: &report::Reason) -> String {
    match reason.detail.is_empty() {
        true => reason.name.clone(),
        false => format!("{}: {}", reason.name, reason.detail),
    }
}

/// Writes down how the judge saw tests end that only the sanitized build has run. Tests that ended otherwise when they were found, in
/// words: those of the same kind together.
fn compare_outcomes(found: &mut Found, runs: &[TestRun]) -> Result<Vec<String>> {
    let mut otherwise: Vec<(String, Vec<String>)> = Vec::new();
    for (test, run) in found.tests.iter_mut().zip(runs) {
        let Some(outcome) = convert::judged(run) else {
            continue;
        };
        if test.iteration == 0 {
            // Only the sanitized build has run it so far.
            test.outcome = outcome;
            found.folder.write_test(test)?;
        }
        if outcome != test.outcome {
            let (found, judged) = (test.outcome.in_words(), outcome.in_words());
            let words = format!("{found} when found, {judged} under the judge");
            match otherwise.iter_mut().find(|(known, _)| *known == words) {
                Some((_, tests)) => tests.push(test.file_name()),
                None => otherwise.push((words, vec![test.file_name()])),
            }
        }
    }
    let otherwise = otherwise.into_iter();
    let words = otherwise.map(|(words, tests)| match tests.as_slice() {
        [first, more @ ..] if !more.is_empty() => {
            format!("{first}: {words} (also {})", more.join(", "))
        }
        tests => format!("{}: {words}", tests.concat()),
    });
    Ok(words.collect())
}

/// How a program ended that used no input, and the first lines of what it said.
fn ended_early(test: &Test, run: &TestRun) -> String {
    const LINES: usize = 3;
    let text = String::from_utf8_lossy(&run.words);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said: Vec<&str> = lines.take(LINES).collect();
    let said = if said.is_empty() {
        String::new()
    } else {
        format!("; it said: {}", said.join(" / "))
    };
    let outcome = test.outcome.in_words();
    format!("the program ends before it uses any input ({outcome}){said}")
}

/// Who answered the queries, for the report.
fn solving(stats: &smt::Stats) -> Solving {
    let latency = |spread: &smt::Spread| Latency {
        queries: spread.count(),
        seconds: spread.sum().as_secs_f64(),
        median: spread.quantile(50).as_secs_f64(),
        p90: spread.quantile(90).as_secs_f64(),
        longest: spread.most().as_secs_f64(),
    };
    let layers = smt::Layer::ALL
        .into_iter()
        .filter(|&layer| stats.count(layer) > 0);
    Solving {
        all: latency(&stats.all()),
        layers: layers
            .map(|layer| SolverLayer {
                name: layer.name().to_owned(),
                latency: latency(stats.layer(layer)),
            })
            .collect(),
    }
}

/// Most memory that this process has held, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.map_or(0, |size| size << 10)
}

/// Says that the search did part of its work again.
fn started_over(times: u64) -> Option<String> {
    let times = match times {
        0 => return None,
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    };
    Some(format!(
        "the search started over from its tests {times}, because its paths filled the engine's memory (--engine-memory)"
    ))
}

/// Says of how many open goals nothing symbolic decides, as far as runs came to them, and what could be done.
fn only_concrete(verdicts: &Verdicts) -> Option<String> {
    let reasons = verdicts.iter().filter_map(|(_, reasons)| reasons.first());
    let concrete = reasons.filter_map(|reason| match reason {
        OpenReason::OnlyConcrete(known) => Some(*known),
        _ => None,
    });
    let concrete: Vec<Option<Approached>> = concrete.collect();
    let still = |known: &&Option<Approached>| known.is_some_and(|known| !known.moves);
    let (all, still) = (concrete.len(), concrete.iter().filter(still).count());
    (still > 0).then(|| {
        format!(
            "{all} open goals hang on values that no run made symbolic; what {still} of them compare was the same on all \
             runs that were measured, so longer runs alone may not help (that is no proof)"
        )
    })
}
