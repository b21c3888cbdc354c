//! Emitted tests before they are written: they are compiled and run, and what fails is left out.
//!
//! Must hold: the tests that are kept pass one after the other in one process, in the order of the file; why each other
//! one is not kept is said. They run as runs of the search do, in a folder of their own, and write nowhere else: they may
//! remove what an input names.

use native::scratch::Temporary;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::{Context, Result};
use harness::unit_tests::flavour::assert::Assert;
use harness::unit_tests::{Case, File, LeftOut, OWNERS};
use native::launch::{Ended, Launch, Process};

/// Why a test is left out that ended the process.
pub const DID_NOT_RETURN: &str = "it did not return";

/// Why a test is left out that was not tried.
const NOT_TRIED: &str = "the time for it was over before it was tried";

/// Lines of tests in a file.
const MOST_LINES: usize = 20_000;
/// Times that a file is compiled, and that it is run, without what failed.
const MOST_TRIES: usize = 40;
/// Tests that are left out because the file fails as it is written; with more, all are.
const MOST_SPOILERS: usize = 8;
/// Seconds that all tests of a file may take together.
const MOST_TIME: Duration = Duration::from_secs(20);

/// How a file is compiled.
pub struct Compilation<'a> {
    /// The compiler with its flags.
    pub compiler: &'a dyn Fn() -> Command,
    /// The other sources, and the flag that renames a `main` among them.
    pub sources: &'a [PathBuf],
    pub rename: Option<&'a str>,
    /// What else is linked.
    pub link: &'a [String],
    /// Time without a new test after which the one at hand is taken not to end.
    pub quiet: Duration,
    /// Set when nobody waits any longer: tests that were not tried by then are left out.
    pub over: &'a AtomicBool,
}

/// The tests that compile and pass, and why the others are left out.
///
/// # Errors
/// The compiler cannot be run, or the folder not be written.
pub fn select(
    file: &File<'_>,
    cases: &[Case],
    compilation: &Compilation<'_>,
) -> Result<(Vec<Case>, Vec<LeftOut>)> {
    let mut left_out = Vec::new();
    let mut kept = Vec::new();
    let mut lines = 0;
    for case in cases {
        let own = if case.seen.ended { file.lines(case) } else { 0 };
        if !case.seen.ended {
            left_out.push(LeftOut::new(case, DID_NOT_RETURN));
        } else if lines + own > MOST_LINES {
            let why = format!("the file would have more than {MOST_LINES} lines of tests");
            left_out.push(LeftOut::new(case, &why));
        } else {
            lines += own;
            kept.push(case.clone());
        }
    }
    let folder = Temporary::new().context("cannot make a temporary folder")?;
    let built = compile(file, &mut kept, &mut left_out, compilation, folder.path())?;
    if let Some((program, objects)) = built {
        run(
            &program,
            (&mut kept, &mut left_out),
            compilation,
            folder.path(),
        )?;
        let written = Written {
            file,
            compilation,
            folder: folder.path(),
            objects: &objects,
        };
        written.settle(&mut kept, &mut left_out)?;
    }
    left_out.sort_by_key(|it| it.number);
    Ok((kept, left_out))
}

/// What tests are linked with.
struct Objects {
    /// What the trial knows of memory, and where the code may write.
    owners: PathBuf,
    /// Where the code may write, alone: for the file as it is written.
    streams: PathBuf,
    /// The other sources.
    others: Vec<PathBuf>,
}

/// The program of the tests that compile, and what it is linked with; none if there is nothing that does.
fn compile(
    file: &File<'_>,
    kept: &mut Vec<Case>,
    left_out: &mut Vec<LeftOut>,
    compilation: &Compilation<'_>,
    folder: &Path,
) -> Result<Option<(PathBuf, Objects)>> {
    if kept.is_empty() {
        return Ok(None);
    }
    let (source, program) = (folder.join("tests.c"), folder.join("tests"));
    let mut first = String::new();
    let objects = match compilation.objects(folder)? {
        Ok(objects) => objects,
        Err(error) => {
            let why = format!("what it is linked with does not compile: {error}");
            leave_out(kept, left_out, &why);
            return Ok(None);
        }
    };
    for _ in 0..MOST_TRIES {
        if compilation.is_over() {
            leave_out(kept, left_out, NOT_TRIED);
        }
        if kept.is_empty() {
            return Ok(None);
        }
        let text = file.verifier(kept);
        std::fs::write(&source, &text)?;
        let output = compilation.link(&source, (&objects.owners, &objects.others), &program)?;
        if output.status.success() {
            return Ok(Some((program, objects)));
        }
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let errors = messages.lines().filter(|line| is_complaint(line));
        let mut wrong: Vec<(u32, String)> = Vec::new();
        for error in errors {
            if first.is_empty() {
                error.clone_into(&mut first);
            }
            let number = line_of(error).and_then(|line| test_at(&text, line));
            let said = error.split_once("error: ").map_or(error, |(_, said)| said);
            wrong.extend(number.map(|number| (number, said.to_owned())));
        }
        let before = kept.len();
        kept.retain(|case| {
            let error = wrong.iter().find(|(number, _)| *number == case.number);
            if let Some((_, error)) = error {
                left_out.push(LeftOut::new(case, &format!("it does not compile: {error}")));
            }
            error.is_none()
        });
        if kept.len() == before {
            break;
        }
    }
    let why = format!("the file does not compile: {first}");
    leave_out(kept, left_out, &why);
    Ok(None)
}

impl Compilation<'_> {
    /// Compiles a file and links it with objects.
    fn link(
        &self,
        source: &Path,
        (own, others): (&Path, &[PathBuf]),
        program: &Path,
    ) -> Result<Output> {
        (self.compiler)()
            .args(["-w", "-fno-color-diagnostics", "-o"])
            .arg(program)
            .arg(source)
            .arg(own)
            .args(others)
            .args(self.link)
            .arg("-lm")
            .output()
            .context("cannot run clang")
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Runs tests in a new folder, in which they may write. `progress`: the file that gets longer with each test.
    fn run(
        &self,
        mut launch: Launch,
        cwd: &Path,
        progress: Option<&Path>,
    ) -> Result<Option<Ended>> {
        _ = std::fs::remove_dir_all(cwd);
        std::fs::create_dir(cwd)?;
        cwd.clone_into(&mut launch.cwd);
        launch.sandbox.writable.push(cwd.to_owned());
        let mut process = launch.start().context("cannot run the emitted tests")?;
        let ended = self.wait(&mut process, progress);
        process.kill();
        Ok(ended)
    }

    /// Waits for the end of emitted tests as long as somebody waits for it, but not longer than they may take.
    fn wait(&self, process: &mut Process, progress: Option<&Path>) -> Option<Ended> {
        const TICK: Duration = Duration::from_millis(200);
        let length = || progress.and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
        let (mut seen, mut quiet) = (length(), Duration::ZERO);
        for _ in 0..MOST_TIME.as_millis() / TICK.as_millis() {
            let ended = process.wait(TICK);
            if ended.is_some() || self.is_over() {
                return ended;
            }
            quiet = match length() {
                now if now == seen => quiet + TICK,
                now => {
                    seen = now;
                    Duration::ZERO
                }
            };
            if progress.is_some() && quiet >= self.quiet {
                break;
            }
        }
        None
    }

    /// Compiles the other sources, as the command does that the file of tests names; the first error if that fails.
    fn objects(&self, folder: &Path) -> Result<std::result::Result<Objects, String>> {
        let source = folder.join("owners.c");
        std::fs::write(&source, OWNERS)?;
        let [owners, streams] = ["owners.o", "streams.o"].map(|name| folder.join(name));
        // Compiled alone: the user's flags are about the user's code.
        for (object, flags) in [(&owners, &[][..]), (&streams, &["-DBW_STREAMS"])] {
            let output = Command::new((self.compiler)().get_program())
                .args(["-w", "-O1", "-c", "-o"])
                .args([object, &source])
                .args(flags)
                .output()
                .context("cannot run clang")?;
            if !output.status.success() {
                return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
            }
        }
        let mut others = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            let object = folder.join(format!("other-{index}.o"));
            let output = (self.compiler)()
                .args(self.rename)
                .args(["-w", "-fno-color-diagnostics", "-c", "-o"])
                .args([&object, source])
                .output()
                .context("cannot run clang")?;
            if !output.status.success() {
                return Ok(Err(complaint(&output)));
            }
            others.push(object);
        }
        Ok(Ok(Objects {
            owners,
            streams,
            others,
        }))
    }
}

/// Whether a line of clang's, or of a linker that it runs, says what is wrong. That the linker failed is clear then.
fn is_complaint(line: &str) -> bool {
    let by_linker = [
        "undefined reference to",
        "undefined symbol",
        "multiple definition",
        "duplicate symbol",
    ];
    line.contains("error: ") || by_linker.iter().any(|words| line.contains(words))
}

/// The first line that says what is wrong.
fn complaint(output: &Output) -> String {
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut lines = messages.lines();
    lines
        .find(|line| is_complaint(line))
        .unwrap_or_default()
        .to_owned()
}

/// The line that a message of clang's is about: `tests.c:12:5: error: …`.
fn line_of(error: &str) -> Option<usize> {
    let (place, _) = error.split_once(": error: ")?;
    place.rsplit(':').nth(1)?.parse().ok()
}

/// The number of the test that stands at a line (from 1) of a file.
fn test_at(text: &str, line: usize) -> Option<u32> {
    let above: Vec<&str> = text.lines().take(line).collect();
    let head = above
        .iter()
        .rev()
        .take_while(|line| **line != "}")
        .find_map(|line| line.strip_prefix("static void test_"))?;
    head.split('(').next()?.parse().ok()
}

/// Drops what fails, and runs again without it.
fn run(
    program: &Path,
    (kept, left_out): (&mut Vec<Case>, &mut Vec<LeftOut>),
    compilation: &Compilation<'_>,
    folder: &Path,
) -> Result<()> {
    let (notes, cwd) = (folder.join("notes"), folder.join("run"));
    let (progress, errors) = (notes.join("progress"), folder.join("errors"));
    let owners = notes.join("progress-owners");
    std::fs::create_dir(&notes)?;
    for _ in 0..MOST_TRIES {
        if compilation.is_over() {
            leave_out(kept, left_out, NOT_TRIED);
        }
        if kept.is_empty() {
            return Ok(());
        }
        std::fs::write(&progress, "")?;
        _ = std::fs::remove_file(&owners);
        let numbers = kept.iter().map(|case| case.number.to_string().into());
        let mut launch = Launch::of(program.to_owned());
        launch.args = [progress.clone().into()]
            .into_iter()
            .chain(numbers)
            .collect();
        launch.stderr = Some(std::fs::File::create(&errors)?);
        launch.sandbox.writable = vec![notes.clone()];
        let status = compilation.run(launch, &cwd, Some(&progress))?;
        if status.is_none() && compilation.is_over() {
            continue;
        }
        if status == Some(Ended::Exited(0)) {
            note_owners(&std::fs::read_to_string(&owners).unwrap_or_default(), kept);
            return Ok(());
        }
        let begun = std::fs::read_to_string(&progress).unwrap_or_default();
        let last: Option<u32> = begun.lines().last().and_then(|line| line.parse().ok());
        let said = std::fs::read(&errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).into_owned();
        let why = match status {
            None => "it does not end in time when it is run again".to_owned(),
            Some(status) => match said.lines().rev().find_map(assertion) {
                Some(condition) => format!("it fails when it is run again: {condition}"),
                None => format!("it fails when it is run again: {}", in_words(status)),
            },
        };
        let Some(at) = kept.iter().position(|case| Some(case.number) == last) else {
            leave_out(kept, left_out, &why);
            return Ok(());
        };
        left_out.push(LeftOut::new(&kept.remove(at), &why));
    }
    let why = "too many tests before it fail when they are run again";
    leave_out(kept, left_out, why);
    Ok(())
}

/// The file as it is written, with plain assertions. The trial frees nothing that a test made, so it does not see what a test writes in front
/// of its objects, or frees twice. What asks for the time must pass at another time, too.
struct Written<'a> {
    file: &'a File<'a>,
    compilation: &'a Compilation<'a>,
    folder: &'a Path,
    objects: &'a Objects,
}

impl Written<'_> {
    /// Leaves out each test that makes the file fail.
    fn settle(&self, kept: &mut Vec<Case>, left_out: &mut Vec<LeftOut>) -> Result<()> {
        for _ in 0..MOST_SPOILERS {
            let Some(mut why) = self.fails(kept)? else {
                return Ok(());
            };
            if self.compilation.is_over() {
                leave_out(kept, left_out, NOT_TRIED);
                return Ok(());
            }
            // The fewest first tests that fail; one fewer do not.
            let (mut passing, mut failing) = (0, kept.len());
            while failing - passing > 1 {
                let middle = passing + (failing - passing) / 2;
                match self.fails(&kept[..middle])? {
                    Some(reason) => (failing, why) = (middle, reason),
                    None => passing = middle,
                }
            }
            left_out.push(LeftOut::new(&kept.remove(passing), &why));
        }
        if let Some(why) = self.fails(kept)? {
            leave_out(kept, left_out, &why);
        }
        Ok(())
    }

    /// Why a file with these tests fails.
    fn fails(&self, cases: &[Case]) -> Result<Option<String>> {
        if cases.is_empty() {
            return Ok(None);
        }
        let (source, program) = (self.folder.join("written.c"), self.folder.join("written"));
        let cwd = self.folder.join("run");
        let files = self.file.text(cases, &[], &Assert);
        std::fs::write(
            &source,
            files.into_iter().map(|(_, text)| text).collect::<String>(),
        )?;
        let output = self.compilation.link(
            &source,
            (&self.objects.streams, &self.objects.others),
            &program,
        )?;
        if !output.status.success() {
            return Ok(Some(format!("it does not compile: {}", complaint(&output))));
        }
        let (notes, errors) = (self.folder.join("notes"), self.folder.join("errors"));
        let clock = notes.join("clock");
        _ = std::fs::remove_file(&clock);
        for (is_later, fails) in [
            (false, "fails as it is written"),
            (true, "fails at another time"),
        ] {
            if is_later && !clock.exists() {
                break;
            }
            let mut launch = Launch::of(program.clone());
            launch.env.push(("BW_CLOCK".into(), clock.clone().into()));
            if is_later {
                launch.env.push(("BW_LATER".into(), "1".into()));
            }
            launch.stderr = Some(std::fs::File::create(&errors)?);
            launch.sandbox.writable.push(notes.clone());
            let why = match self.compilation.run(launch, &cwd, None)? {
                Some(Ended::Exited(0)) => continue,
                Some(status) => {
                    let said = std::fs::read(&errors).unwrap_or_default();
                    let said = String::from_utf8_lossy(&said);
                    let condition = said.lines().rev().find_map(assertion).map(str::to_owned);
                    let what = condition.unwrap_or_else(|| in_words(status));
                    format!("it {fails}: {what}")
                }
                None => "it does not end in time as it is written".to_owned(),
            };
            return Ok(Some(why));
        }
        Ok(None)
    }
}

/// Takes over what the trial says of memory: `gone 3 line`, `new 3 result`.
fn note_owners(said: &str, kept: &mut [Case]) {
    for line in said.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(what), Some(number), Some(place)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let case = kept
            .iter_mut()
            .find(|case| number.parse() == Ok(case.number));
        let Some(Case { owned, .. }) = case else {
            continue;
        };
        match what {
            "gone" => owned.gone.insert(place.to_owned()),
            _ => owned.new.insert(place.to_owned()),
        };
    }
}

/// Leaves out all that are left.
fn leave_out(kept: &mut Vec<Case>, left_out: &mut Vec<LeftOut>, why: &str) {
    left_out.extend(kept.drain(..).map(|case| LeftOut::new(&case, why)));
}

fn in_words(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exit status: {code}"),
        Ended::Signalled(signal) => format!("signal: {signal}"),
    }
}

/// The condition that an `assert` of the C library complains about.
fn assertion(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("Assertion `")?;
    Some(
        rest.split_once("' failed")
            .map_or(rest, |(condition, _)| condition),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_belongs_to_the_test_that_it_is_in() {
        let text = "int a;\nstatic void test_0003(void)\n{\n    x;\n}\n\nstatic int b;\n";
        assert_eq!(line_of("/t/tests.c:4:5: error: no x"), Some(4));
        assert_eq!(test_at(text, 4), Some(3));
        assert_eq!(test_at(text, 7), None);
        assert_eq!(
            assertion("a.out: t.c:3: test_1: Assertion `x == 3' failed."),
            Some("x == 3")
        );
    }
}
