//! The pipeline: build, load, prove, search, judge, write.
//!
//! What must hold: nothing is written before the program is known to be testable; a test that was found is on disk
//! before the next one is looked for; the coverage in the report is the judge's.

use native::scratch::Temporary;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backward::Proofs;
use coverage::Goals;
use coverage::target::Target;
use explore::{Choice, StopReason};
use harness::unit_tests::flavour::Flavour;
use native::toolchain::Tool;
use report::Report;
use report::format::SuiteFormat;
use report::reach::{Answers, Change};

use crate::bidirectional::Setup;
use crate::build::{self, Judging};
use crate::called::CalledWith;
use crate::criteria::Wanted;
use crate::decisions::Decisions;
use crate::error::{Context, Error, Result, bail, ensure};
use crate::finish::{Finish, Finished};
use crate::found::Found;
use crate::function::unit_tests::flavour_of;
use crate::function::{Under, UnitUnderTest};
use crate::graph::{self, Form, Shown};
use crate::host::Host;
use crate::load::Program;
use crate::options::{Options, Start};
use crate::output;
use crate::past::{self, Past};
use crate::plainer;
use crate::plan::Plan;
use crate::proofs;
use crate::reach::{self, Reached};
use crate::sanitize;
use crate::search;
use crate::seeds::Seeds;
use crate::slice;
use crate::suite::Frame;
use crate::target;

/// A session: what was asked for, found by its names.
pub struct Session<'a> {
    pub(crate) options: &'a Options,
    pub(crate) host: &'a dyn Host,
    pub(crate) choice: Choice,
    formats: Vec<&'static dyn SuiteFormat>,
    flavours: Vec<&'static dyn Flavour>,
    pub(crate) wanted: Wanted,
    /// What is to be reached, in place of the criterion's goals.
    targets: Option<reach::Request>,
    /// Folder of temporary files.
    pub(crate) work: Temporary,
}

/// What a session came to.
pub struct Done {
    /// What the judge says, and all that is known of goals that are not covered.
    pub report: Report,
    /// Why the search ended.
    pub stop: StopReason,
}

/// What a session came to, and the answers if it had targets.
struct Searched {
    done: Done,
    answers: Option<Answers>,
}

/// What looking backward came to, and the options and seeds of the search behind it.
type Further = (Vec<reach::backward::Looked>, Options, Seeds);

/// One part in so many of the time goes backward, if both directions are asked for: what backward finds, it mostly finds in a second.
const BACKWARD_PART: u32 = 6;

/// The search has at least so long, though looking backward took the time.
const LEAST_SEARCH: std::time::Duration = std::time::Duration::from_secs(2);

/// What a program, or a function with its harness, needs before it can be searched.
struct Loaded {
    plan: Plan,
    seeds: Seeds,
    model: Arc<program::Program>,
    goals: Arc<Goals>,
    /// What is to be reached, and the change that it is from.
    targets: Vec<Target>,
    change: Option<Change>,
    /// The judge's executable.
    judge: PathBuf,
    /// The sanitized build.
    sanitized: Option<PathBuf>,
    /// The program is linked with code that is not in the model.
    foreign: bool,
    notes: Vec<String>,
}

impl<'a> Session<'a> {
    /// Finds what the options name, and checks that tools and output folder can be used.
    ///
    /// # Errors
    /// There is no such strategy, criterion or format; a tool is missing; the folder holds something else.
    pub fn new(options: &'a Options, host: &'a dyn Host) -> Result<Session<'a>> {
        let wanted = Wanted::parse(&options.criterion, &options.mcdc)?;
        Session::of(options, host, wanted, None)
    }

    /// The same for targets, in place of a criterion.
    ///
    /// # Errors
    /// There is no such strategy; a tool is missing; the folder holds something else.
    pub fn for_targets(
        options: &'a Options,
        host: &'a dyn Host,
        targets: reach::Request,
    ) -> Result<Session<'a>> {
        Session::of(options, host, Wanted::targets(), Some(targets))
    }

    fn of(
        options: &'a Options,
        host: &'a dyn Host,
        wanted: Wanted,
        targets: Option<reach::Request>,
    ) -> Result<Session<'a>> {
        let choice = Choice::parse(&options.strategy)?;
        let (formats, flavours) = formats(options)?;
        output::Folder::check(&options.out, options.start)?;
        for tool in [Tool::Profdata, Tool::Cov] {
            tool.find()?;
        }
        native::scratch::sweep_temporary();
        let work = Temporary::new().context("cannot make a temporary folder")?;
        host.works_in(work.path())?;
        Ok(Session {
            options,
            host,
            choice,
            formats,
            flavours,
            wanted,
            targets,
            work,
        })
    }

    /// Generates tests for the program, or for the one function that is named.
    ///
    /// # Errors
    /// Bad input, in words; a fault of ours, marked as such.
    pub fn test(&self) -> Result<Done> {
        Ok(self.search()?.done)
    }

    /// Looks for inputs that reach the targets, in the program or from the one function that is named.
    ///
    /// # Errors
    /// Bad input, in words; a fault of ours, marked as such.
    pub fn reach(&self) -> Result<Reached> {
        let Searched { done, answers } = self.search()?;
        Ok(Reached {
            answers: answers.fault()?,
            stop: done.stop,
        })
    }

    /// The generalised control-flow graph of the program, or of the function that is named: after so many turns, or at the end.
    ///
    /// # Errors
    /// Bad input, in words: also a program that the machine does not model whole.
    pub fn graph(&self, turns: Option<u64>, form: Form) -> Result<Shown> {
        self.prepared(|options, program, under| {
            // Nothing is judged.
            let plan = Plan::new(options, program.link.fuzz)?;
            let model = Arc::new(build::model(program)?);
            let functions = under.map(|under| under.scope(&model));
            let goals = Arc::new(self.wanted.goals(&model, functions.as_deref())?);
            let proofs = proofs::find(options, program, &model, &goals)?;
            let machine = target::machine_for_states(options, &model, &plan);
            let mut notes = Vec::new();
            let own = (&model, &goals);
            let called = proofs::by_words(options, &plan, program, own, (false, &mut notes))?;
            let known = (&proofs, called.as_ref());
            let setup = Setup::of((&model, program.has_foreign_code()?), known, machine);
            let who = (options, self.host);
            graph::show((&setup, &model), &plan.initial(), who, (turns, form))
        })
    }

    fn search(&self) -> Result<Searched> {
        let work = self.work.path();
        self.prepared(|options, program, under| self.program(options, program, under, work))
    }

    /// Does something with the program, or with the one function that is named, once it is built.
    fn prepared<T>(
        &self,
        then: impl FnOnce(&Options, &Program, Option<&Under>) -> Result<T>,
    ) -> Result<T> {
        let (options, work) = (self.options, self.work.path());
        let Some(name) = &options.function.function else {
            let program = build::instrumented(options, self.host, work)?;
            return then(options, &program, None);
        };
        let unit = UnitUnderTest::find(options, Some(name), work)?;
        let under = unit.prepare(options, name, work)?;
        self.note(&under);
        then(&under.options(options), &under.program, Some(&under))
    }

    /// Generates tests for a function that is ready.
    pub(crate) fn function(&self, options: &Options, under: &Under, work: &Path) -> Result<Done> {
        self.note(under);
        let options = under.options(options);
        let searched = self.program(&options, &under.program, Some(under), work)?;
        Ok(searched.done)
    }

    fn note(&self, under: &Under) {
        if let Some(note) = &under.note {
            self.host.tell(note);
        }
    }

    /// Searches, judges and writes the suite of one program.
    fn program(
        &self,
        options: &Options,
        program: &Program,
        under: Option<&Under>,
        work: &Path,
    ) -> Result<Searched> {
        let loaded = self.load(options, program, under, work)?;
        let Loaded {
            plan, model, goals, ..
        } = &loaded;
        let chosen = target::choose(options, model)?;
        let what = (goals.criterion().name(), self.choice.to_string());
        let frame = Frame::new(options, (program, plan), under, what);
        let proofs = proofs::find(options, program, model, goals)?;
        let mut notes = loaded.notes.clone();
        let asked = (self.targets.is_some(), &mut notes);
        let called = proofs::by_words(options, plan, program, (model, goals), asked)?;
        let called = called.as_ref();
        let kind = if self.targets.is_some() {
            "reach"
        } else {
            "test"
        };
        let identity = match under {
            // An edit of what a function does not call leaves it as it is.
            Some(_) => slice::code(model, goals, options),
            None => past::identity(program, goals, options),
        };
        let settings = past::settings(options, &identity, kind, past::function_of(under));
        let mut options = options.clone();
        if self.targets.is_some() && options.start == Start::Tests {
            // Other targets, another search.
            options.start = Start::Fresh;
        }
        let mut past = Past::read(&options, &settings)?;
        let mut seeds = loaded.seeds.clone();
        past.start(&mut options, &mut seeds, plan);
        let known = (&proofs, called);
        let (looked, options, seeds) = self.look_backward(&options, &loaded, known, seeds)?;
        let options = &options;
        let mut found = search::search(
            &search::Task {
                options,
                host: self.host,
                plan,
                meanings: under.map(|under| &under.plan),
                seeds: &seeds,
                program,
                model,
                goals,
                machine: chosen.machine,
                proofs: &proofs,
                called: called.filter(|_| !options.no_proofs),
                judge: &loaded.judge,
                frame: &frame,
                past: &past,
                settings: &settings,
            },
            &self.choice,
        )?;
        found.notes.extend(chosen.note);
        found.notes.extend(notes);
        if options.minimise_suite {
            found.minimise(goals)?;
        }
        if options.minimise_inputs || !self.flavours.is_empty() {
            found.make_plainer(&plainer::Task {
                options,
                host: self.host,
                plan,
                meanings: under.map(|under| &under.plan),
                model,
                goals,
                executable: &program.path,
                machine: chosen.machine,
            })?;
        }
        past.keep(&mut found)?;
        if let Some(under) = under {
            under.complete(&mut found)?;
        }
        let finished = self.judge(
            options,
            under,
            (&loaded, &looked),
            known,
            &frame,
            &mut found,
        )?;
        let answers = self.answers(options, &loaded, &found, &finished, &looked)?;
        let done = Done {
            report: finished.report,
            stop: found.stop,
        };
        Ok(Searched { done, answers })
    }

    /// What became of the targets, if there are some.
    ///
    /// # Errors
    /// A proof is wrong, and `--check` asks for it.
    fn answers(
        &self,
        options: &Options,
        loaded: &Loaded,
        found: &Found,
        finished: &Finished,
        backward: &[reach::backward::Looked],
    ) -> Result<Option<Answers>> {
        if self.targets.is_none() {
            return Ok(None);
        }
        let sources = reach::Sources {
            model: &loaded.model,
            wanted: &loaded.targets,
            found,
            evidence: &finished.evidence,
            confirmed: &finished.confirmed,
            backward,
            followed: &finished.followed,
            report: &finished.report,
        };
        let wrong = sources.wrong();
        if options.check && !wrong.is_empty() {
            return Err(Error::Fault(wrong.join("; ")));
        }
        Ok(Some(Answers {
            change: loaded.change.clone(),
            ..sources.answers()
        }))
    }

    /// Looks backward from the targets, if there are some: what came of it, and the options and seeds of the search that is left.
    fn look_backward(
        &self,
        options: &Options,
        loaded: &Loaded,
        (proofs, called): (&Proofs, Option<&CalledWith>),
        mut seeds: Seeds,
    ) -> Result<Further> {
        let mut options = options.clone();
        let Some(request) = self
            .targets
            .as_ref()
            .filter(|request| request.looks_backward())
        else {
            return Ok((Vec::new(), options, seeds));
        };
        let time = match request.searches() {
            true => options.time / BACKWARD_PART,
            false => options.time,
        };
        let backward = reach::backward::Backward {
            model: &loaded.model,
            goals: &loaded.goals,
            foreign: loaded.foreign,
            values: !options.no_proofs,
            machine: target::machine_for_states(&options, &loaded.model, &loaded.plan),
            called,
            failing: options.symbolic.failing.0 != 0,
            initial: loaded.plan.initial(),
            time,
        };
        let began = std::time::Instant::now();
        let is_refuted = |target: &reach::Target| {
            let mut goals = target.goals.iter();
            let by_words = |goal| called.is_some_and(|called| called.excludes(goal));
            !target.goals.is_empty()
                && goals.all(|goal| proofs.of(*goal).is_some() || by_words(*goal))
        };
        let mut looked = backward.look(&loaded.targets, &is_refuted)?;
        for (target, looked) in loaded.targets.iter().zip(&looked) {
            if let Some(input) = &looked.input {
                let name = format!("backward from {}", target.text);
                seeds.inputs.push((name, input.clone()));
            }
        }
        let is_open = |(target, looked): (&reach::Target, &reach::backward::Looked)| {
            target.never.is_none() && !looked.is_decided() && !is_refuted(target)
        };
        let open = loaded.targets.iter().zip(&looked);
        let open: Vec<_> = open.filter(|both| is_open(*both)).collect();
        let any_open = !open.is_empty();
        let is_unlucky = any_open && open.iter().all(|(_, looked)| looked.unlucky);
        if !any_open || !request.searches() {
            // The first input, the same as text, and what was found.
            options.iterations = Some(3 + seeds.inputs.len() as u64);
        }
        options.time = options
            .time
            .saturating_sub(began.elapsed())
            .max(LEAST_SEARCH);
        if is_unlucky && request.searches() {
            // Mostly in vain: large allocations may fail all the same.
            options.time = options.time.min(time.max(LEAST_SEARCH));
            let unlucky = looked.iter_mut().filter(|looked| looked.unlucky);
            let stuck = unlucky.filter_map(|looked| looked.stuck.as_mut());
            for stuck in stuck {
                let part = format!("; so the search forward had 1/{BACKWARD_PART} of the time");
                stuck.push_str(&part);
            }
        }
        Ok((looked, options, seeds))
    }

    /// Builds what judges, reads the model, and says what is to be covered.
    fn load(
        &self,
        options: &Options,
        program: &Program,
        under: Option<&Under>,
        work: &Path,
    ) -> Result<Loaded> {
        let plan = Plan::new(options, program.link.fuzz)?;
        let seeds = Seeds::read(&options.seeds, &plan)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let seen = under.is_some_and(|under| under.leaves.is_some());
        let fails = options.symbolic.failing;
        let judging = Judging { seen, fails };
        // The judge's build takes as long as reading the model: do both at once.
        let mut decisions = Decisions::compile(program, self.wanted.criterion);
        let (judge, model) = if decisions.is_empty() {
            std::thread::scope(|scope| {
                let judge = scope.spawn(|| build::judge(program, &decisions, work, jobs, judging));
                let model = build::model(program);
                let judge = judge.join();
                let judge = judge.unwrap_or_else(|_| bail!("building for the judge panicked"));
                (judge, model)
            })
        } else {
            let mut model = build::model(program)?;
            decisions.adopt(program, &mut model)?;
            let judge = build::judge(program, &decisions, work, jobs, judging);
            (judge, Ok(model))
        };
        let (judge, model) = (judge?, model?);
        let sanitized = match &options.sanitize {
            Some(list) => Some(sanitize::build(program, (list, fails), work, jobs)?),
            None => None,
        };
        let (goals, targets, change) = match &self.targets {
            Some(request) => {
                let found = request.find(&model)?;
                (found.goals, found.targets, found.change)
            }
            None => {
                let functions = under.map(|under| under.scope(&model));
                let goals = self.wanted.goals(&model, functions.as_deref())?;
                (goals, Vec::new(), None)
            }
        };
        Ok(Loaded {
            plan,
            seeds,
            model: Arc::new(model),
            goals: Arc::new(goals),
            targets,
            change,
            judge,
            sanitized,
            foreign: program.has_foreign_code()?,
            notes: decisions.notes,
        })
    }

    /// Judges the suite, completes its folder, and gives the report.
    fn judge(
        &self,
        options: &Options,
        under: Option<&Under>,
        (loaded, looked): (&Loaded, &[reach::backward::Looked]),
        (proofs, called): (&Proofs, Option<&CalledWith>),
        frame: &Frame<'_>,
        found: &mut Found,
    ) -> Result<Finished> {
        let finish = Finish {
            options,
            host: self.host,
            plan: &loaded.plan,
            model: &loaded.model,
            goals: &loaded.goals,
            proofs,
            called,
            foreign: loaded.foreign,
            judge: &loaded.judge,
            sanitized: loaded.sanitized.as_deref(),
            strategy: self.choice.to_string(),
            under,
            frame,
            targets: &loaded.targets,
            looked,
        };
        let finished = finish.finish(found, &self.formats, &self.flavours)?;
        let report = &finished.report;
        let is_fault =
            |note: &String| note.starts_with("check: ") || note.starts_with(proofs::WRONG);
        if options.check && report.notes.iter().any(is_fault) {
            for note in &report.notes {
                self.host.tell(note);
            }
            return Err(Error::Fault("check mode found differences".to_owned()));
        }
        Ok(finished)
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
