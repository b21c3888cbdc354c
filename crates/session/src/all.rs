//! Every function of a file in turn, with the time shared out by need.
//!
//! Each function gets its share of the time that is left, in proportion to its branches; those with few branches come
//! first, so that what they do not use goes to those with many.

use std::path::{Path, PathBuf};
use std::time::Duration;

use coverage::Totals;
use explore::StopReason;
use report::Report;
use report::suite::manifest::FILE_NAME;

use crate::build;
use crate::error::{Result, ensure};
use crate::function::{Under, UnitUnderTest};
use crate::options::Start;
use crate::output::Folder;
use crate::past::{self, Past};
use crate::pipeline::{Done, Session};
use crate::slice;

/// In the manifest of a folder of suites: their names.
pub const FUNCTIONS: &str = "functions";

/// Tests of a function that did not change have at least so long.
const REPLAY: Duration = Duration::from_secs(5);

/// What came of all functions of a file.
pub struct All {
    /// For each function that was tested, its name and its report.
    pub reports: Vec<(String, Report)>,
    /// Functions that were not tested, and why.
    pub left_out: Vec<String>,
    /// The functions' own goals, without those of what they call.
    pub totals: Totals,
    /// What goals are called, in the plural.
    pub unit: &'static str,
    /// Why the last search ended.
    pub stop: StopReason,
}

/// A function that is ready.
struct Job {
    under: Under,
    /// How much there is to do.
    need: u32,
    folder: PathBuf,
    /// What is in its folder.
    past: Past,
}

impl Job {
    /// After an edit of others, nothing is searched in a function that is as it was, and whose search had its whole budget.
    fn is_settled(&self) -> bool {
        !self.past.is_of_another() && self.past.is_spent()
    }
}

impl Session<'_> {
    /// Generates tests for every function of the file.
    ///
    /// # Errors
    /// As for one function; a function that cannot be tested is left out, and said.
    pub fn test_all(&self) -> Result<All> {
        let options = self.options;
        let unit = UnitUnderTest::find(options, None, self.work.path())?;
        let mut all = All {
            reports: Vec::new(),
            left_out: Vec::new(),
            totals: Totals::default(),
            unit: self.wanted.criterion.unit(),
            stop: StopReason::AllCovered,
        };
        let jobs = self.jobs(&unit, &mut all.left_out)?;
        let names: Vec<&str> = jobs.iter().map(|job| job.under.name.as_str()).collect();
        let settings = past::settings(options, "", "all", None);
        let before = Past::read(options, &settings)?;
        let mut suites = Folder::create(&options.out, options.start, before.is_some())?;
        suites.write(
            Path::new(FILE_NAME),
            serde_json::to_string_pretty(
                &serde_json::json!({"tool": "bothways", FUNCTIONS: names}),
            )?
            .as_bytes(),
        )?;
        let mut figures = before.figures(options);
        suites
            .store()
            .begin(&settings, figures, &mut std::iter::empty())?;
        if !options.command.is_empty() {
            self.host.stores_in(&options.out);
        }
        let mut left = match options.start {
            Start::Rest => options.time.saturating_sub(figures.spent),
            _ => options.time,
        };
        let is_edited =
            options.start == Start::Tests && jobs.iter().any(|job| job.past.is_of_another());
        let settled = |job: &Job| is_edited && job.is_settled();
        let searched = jobs.iter().filter(|job| !settled(job));
        let mut needed: u32 = searched.map(|job| job.need).sum();
        let unchanged = jobs.iter().filter(|job| settled(job)).count();
        if unchanged > 0 {
            self.host.tell(&format!(
                "{unchanged} of {} functions have not changed, and had their budget: their tests are run, and nothing is searched there",
                jobs.len()
            ));
        }
        for job in &jobs {
            let Job {
                under,
                need,
                folder,
                ..
            } = job;
            if self.host.is_interrupted() {
                break;
            }
            let share = left.mul_f64(f64::from(*need) / f64::from(needed.max(1)));
            let mut own = options.clone();
            own.out = options.out.join(&under.name);
            if settled(job) {
                own.start = Start::Replay;
                // Its tests do not take longer than the search that found them.
                own.time = own.time.min(job.past.spent().max(REPLAY));
            } else {
                needed -= need;
                own.time = share.max(Duration::from_millis(100));
            }
            match self.function(&own, under, folder) {
                Ok(Done { report, stop }) => {
                    let spent = Duration::from_secs_f64(report.campaign.seconds);
                    left = left.saturating_sub(spent);
                    figures.spent += spent;
                    figures.runs += report.campaign.iterations;
                    suites.store().progress(figures)?;
                    all.stop = stop;
                    all.totals += own_totals(under, &report);
                    all.reports.push((under.name.clone(), report));
                }
                Err(_) if self.host.is_interrupted() => break,
                Err(error) => all.left_out.push(format!("{}: {error}", under.name)),
            }
        }
        let stop = match self.host.is_interrupted() {
            true => StopReason::Interrupted,
            false => all.stop,
        };
        suites
            .store()
            .end(&mut std::iter::empty(), &stop.to_string())?;
        Ok(all)
    }

    /// The functions that can be tested, those with little to do first.
    fn jobs(&self, unit: &UnitUnderTest, left_out: &mut Vec<String>) -> Result<Vec<Job>> {
        let mut jobs: Vec<Job> = Vec::new();
        let mut names = unit.functions();
        // A part of them may have nothing to do.
        let has_others = self.options.shard.is_some() && !names.is_empty();
        if let Some(shard) = self.options.shard {
            names = shard.of(names);
        }
        for name in names {
            let folder = self.work.path().join(format!("function-{}", jobs.len()));
            std::fs::create_dir_all(&folder)?;
            let prepared = unit
                .prepare(self.options, name, &folder)
                .and_then(|under| self.need(&under).map(|known| (under, known)));
            match prepared {
                Ok((under, (need, past))) => jobs.push(Job {
                    under,
                    need,
                    folder,
                    past,
                }),
                Err(error) => left_out.push(format!("{name}: {error}")),
            }
        }
        ensure!(
            !jobs.is_empty() || has_others,
            "{} has no function that can be tested{}{}",
            unit.path.display(),
            if left_out.is_empty() { "" } else { ": " },
            left_out.join("; ")
        );
        jobs.sort_by_key(|job| job.need);
        Ok(jobs)
    }

    /// How much there is to do, the goals of the function and of what it calls, at least 1; and what was done before.
    fn need(&self, under: &Under) -> Result<(u32, Past)> {
        let model = build::model(&under.program)?;
        let goals = self.wanted.goals(&model, Some(&under.scope(&model)))?;
        let mut own = under.options(self.options);
        own.out = own.out.join(&under.name);
        let code = slice::code(&model, &goals, &own);
        let settings = past::settings(&own, &code, "test", past::function_of(Some(under)));
        let need = u32::try_from(goals.len())
            .unwrap_or(u32::MAX >> 8)
            .clamp(1, u32::MAX >> 8);
        Ok((need, Past::read(&own, &settings)?))
    }
}

/// A callee's branches are counted where the callee is the function under test.
fn own_totals(under: &Under, report: &Report) -> Totals {
    let row = report.functions.first();
    row.filter(|row| row.name == under.name)
        .map_or(Totals::default(), |row| row.totals)
}
