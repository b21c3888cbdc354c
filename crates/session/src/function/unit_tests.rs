//! `--emit c-test`: the suite of a function as C files that compile against the unit.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::error::{Result, bail};
use harness::observe::Seen;
use harness::unit_tests::flavour::{self, FLAVOURS, Flavour};
use harness::unit_tests::{Case, File, LeftOut, Number, Owned};
use native::toolchain::Toolchain;
use report::suite::{GoalLabel, Test};

use super::rerun::{self, Compilation};
use super::{OTHER_MAIN, Under};
use crate::compiler::args::LinkItem;
use crate::failing;
use crate::output::Folder;

/// One C test may take so long, if it did not take longer in the search.
const LEAST_QUIET: Duration = Duration::from_secs(5);

/// Folder of the files in the suite.
const FOLDER: &str = "c-test";

/// The framework that a word of `--emit` names: `c-test`, `c-test=unity`; `None` if the word is about something else.
///
/// # Errors
/// There is no such framework.
pub fn flavour_of(word: &str) -> Result<Option<&'static dyn Flavour>> {
    let Some(rest) = word.strip_prefix("c-test") else {
        return Ok(None);
    };
    let name = match rest.strip_prefix('=') {
        Some(name) => name,
        None if rest.is_empty() => "assert",
        None => return Ok(None),
    };
    let Some(flavour) = flavour::by_name(name) else {
        let all: Vec<&str> = FLAVOURS.iter().map(|flavour| flavour.name()).collect();
        bail!(
            "c-test has no flavour `{name}`; flavours: {}",
            all.join(", ")
        );
    };
    Ok(Some(flavour))
}

impl Under {
    /// Writes the C tests; `over` is set when nobody waits any longer. A test of the search had `timeout`. What to tell the user: tests that
    /// could not be written.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write_unit_tests(
        &self,
        folder: &Folder,
        tests: &[Test],
        seen: &[Seen],
        flavours: &[&dyn Flavour],
        (over, timeout): (&AtomicBool, Duration),
    ) -> Result<Vec<String>> {
        let (failing, passing): (Vec<_>, Vec<_>) = tests
            .iter()
            .zip(seen)
            .partition(|(test, _)| failing::makes_fail(test, self.fails));
        let cases = |tests: Vec<(&Test, &Seen)>| -> Vec<Case> {
            let cases = tests.into_iter();
            { cases }
                .map(|(test, seen)| case(&failing::without_decisions(test, self.fails), seen))
                .collect()
        };
        let (failing, cases) = (cases(failing), cases(passing));
        if flavours.is_empty() {
            return Ok(Vec::new());
        }
        let unit = self.unit.display().to_string();
        let mut flags = portable(&self.flags);
        // One command compiles the other sources and the tests, which have a `main` of their own.
        let rename = self.has_main.then(|| format!("-Dmain={OTHER_MAIN}"));
        flags.extend(rename.clone());
        let link = words_of(&self.link);
        let sources = self.sources.iter().map(|path| path.display().to_string());
        let linked: Vec<String> = sources.chain(portable(&link)).collect();
        let file = File {
            name: &self.name,
            plan: &self.plan,
            types: &self.types,
            leaves: self.leaves.as_deref().unwrap_or_default(),
            unit: &unit,
            flags: &flags,
            link: &linked,
        };
        let clang = Toolchain::find()?.clang;
        let compilation = Compilation {
            compiler: &|| {
                let mut command = std::process::Command::new(&clang);
                command.args(&self.flags);
                command
            },
            sources: &self.sources,
            rename: rename.as_deref(),
            link: &link,
            quiet: LEAST_QUIET.max(2 * timeout),
            over,
        };
        let (kept, mut left_out) = rerun::select(&file, &cases, &compilation)?;
        let why = "it makes a call of the C library fail (--sym-fail), which C tests cannot";
        left_out.extend(failing.iter().map(|case| LeftOut::new(case, why)));
        left_out.sort_by_key(|it| it.number);
        for flavour in flavours {
            let mut name = format!("{FOLDER}/test_{}", self.name);
            if flavours.len() > 1 {
                name = format!("{FOLDER}/{}/test_{}", flavour.name(), self.name);
            }
            let place = folder.path().join(&name);
            let beside = place.parent().unwrap_or(&place);
            let unit = crate::sources::relative(&self.unit, beside);
            let (flags, link) = (located(file.flags, beside), located(file.link, beside));
            let file = File {
                unit: &unit,
                flags: &flags,
                link: &link,
                ..file
            };
            for (build_file, text) in file.build_files(*flavour) {
                let path = Path::new(&name).with_file_name(build_file);
                folder.write(&path, text.as_bytes())?;
            }
            for (extension, text) in file.text(&kept, &left_out, *flavour) {
                let path = PathBuf::from(format!("{name}.{extension}"));
                folder.write(&path, text.as_bytes())?;
            }
        }
        Ok(said(&file, &kept, &left_out))
    }
}

/// Flags that a path follows, in the same word or in the next.
const PATHS: &[&str] = &["-include", "-isystem", "-iquote", "-idirafter", "-I", "-L"];

/// What is linked, as words of a command.
fn words_of(link: &[LinkItem]) -> Vec<String> {
    let word = |item: &LinkItem| match item {
        LinkItem::File(path) => Some(path.display().to_string()),
        LinkItem::Flag(flag) => Some(flag.clone()),
        LinkItem::Source(_) => None,
    };
    link.iter().filter_map(word).collect()
}

/// What there is to say about tests that are not there, or check nothing.
fn said(file: &File<'_>, kept: &[Case], left_out: &[LeftOut]) -> Vec<String> {
    let all = kept.len() + left_out.len();
    let (quiet, others): (Vec<&LeftOut>, Vec<&LeftOut>) = left_out
        .iter()
        .partition(|it| it.why == rerun::DID_NOT_RETURN);
    let mut notes = Vec::new();
    if !quiet.is_empty() {
        notes.push(format!(
            "c-test: {} of {all} tests do not return and are left out",
            quiet.len()
        ));
    }
    if let Some(first) = others.first() {
        notes.push(format!(
            "c-test: {} of {all} tests are left out: test {}: {}",
            others.len(),
            first.number,
            first.why
        ));
    }
    let unchecked = kept.iter().filter(|case| !file.is_checked(case)).count();
    if unchecked > 0 {
        notes.push(format!(
            "c-test: {unchecked} of {} tests check nothing: nothing that the call leaves can be seen",
            kept.len()
        ));
    }
    notes
}

/// Flags that other compilers than clang take as well, wherever they are run: paths below the folder that they were relative to are
/// absolute.
fn portable(flags: &[String]) -> Vec<String> {
    let mut folder: Option<&Path> = None;
    let mut portable = Vec::new();
    let within = |folder: Option<&Path>, path: &str| match folder {
        // A file that is not there is looked for along the include path.
        Some(folder) if folder.join(path).exists() => {
            let path: PathBuf = folder.join(path).components().collect();
            path.display().to_string()
        }
        _ => path.to_owned(),
    };
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        let joined = PATHS.iter().find_map(|flag| {
            let path = word.strip_prefix(flag)?;
            (!path.is_empty()).then_some((*flag, path))
        });
        match (word.as_str(), joined) {
            ("-working-directory", _) => folder = words.next().map(Path::new),
            ("-Xclang" | "-mllvm" | "-target", _) => _ = words.next(),
            ("-Weverything" | "-Qunused-arguments", _) => {}
            ("-fcolor-diagnostics" | "-fno-color-diagnostics", _) => {}
            (word, _) if word.starts_with("--target=") => {}
            (word, None) if PATHS.contains(&word) => {
                portable.push(word.to_owned());
                portable.extend(words.next().map(|path| within(folder, path)));
            }
            (_, Some((flag, path))) => portable.push(format!("{flag}{}", within(folder, path))),
            (word, None) => portable.push(word.to_owned()),
        }
    }
    portable
}

/// Words of a command, for a folder: what is relative to where the command was typed is relative to that folder then.
fn located(words: &[String], folder: &Path) -> Vec<String> {
    let path = |path: &str| match Path::new(path) {
        known if known.is_relative() && known.exists() => crate::sources::relative(known, folder),
        _ => path.to_owned(),
    };
    let word = |word: &String| {
        let flag = PATHS.iter().find(|flag| word.starts_with(**flag));
        match flag {
            Some(flag) => format!("{flag}{}", path(&word[flag.len()..])),
            None => path(word),
        }
    };
    words.iter().map(word).collect()
}

/// The label of a goal: its file as seen from here, and the rest. Of a file that is elsewhere, the name is enough.
fn label(goal: &GoalLabel) -> (String, String) {
    let here = std::env::current_dir().unwrap_or_default();
    let mut file = crate::sources::relative(Path::new(&goal.file), &here);
    if let Some(name) = Path::new(&file)
        .file_name()
        .filter(|_| file.starts_with(['/', '.']))
    {
        file = name.to_string_lossy().into_owned();
    }
    let label = goal.to_string();
    let rest = label.strip_prefix(&goal.file).unwrap_or(&label);
    (file, rest.trim_start_matches(':').to_owned())
}

fn case(test: &Test, seen: &Seen) -> Case {
    use report::suite::ValueType;
    let values = test.values.iter().map(|value| {
        let number = match value.kind {
            ValueType::F32 => Number::F32(f32::from_bits(value.bits as u32)),
            ValueType::F64 => Number::F64(f64::from_bits(value.bits as u64)),
            kind if kind.is_signed() => Number::Integer(kind.sign_extend(value.bits)),
            _ => Number::Integer(value.bits as i128),
        };
        let name = match value.element {
            Some(element) => format!("{}[{element}]", value.name),
            None => value.name.clone(),
        };
        (name, number)
    });
    Case {
        number: test.number,
        values: values.collect(),
        stream: test
            .streams
            .iter()
            .find(|stream| stream.name == "stdin")
            .map(|stream| stream.bytes.clone())
            .unwrap_or_default(),
        covers: test.covers.iter().map(label).collect(),
        condition: test.covers.iter().rev().find_map(condition),
        seen: seen.clone(),
        owned: Owned::default(),
    }
}

/// The condition of a side, as the source has it, and whether it holds.
fn condition(goal: &GoalLabel) -> Option<(String, bool)> {
    let holds = match goal.side.as_str() {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    let source = std::fs::read_to_string(&goal.file).ok()?;
    let line = source.lines().nth(goal.line.checked_sub(1)? as usize)?;
    let rest = line.get(goal.col.checked_sub(1)? as usize..)?;
    Some((rest[..end_of_condition(rest)?].to_owned(), holds))
}

/// Where a condition ends that begins here; `None` when it goes on in the next line.
fn end_of_condition(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped || quote.is_some() {
            if !escaped && Some(c) == quote {
                quote = None;
            }
            escaped = !escaped && c == '\\';
            continue;
        }
        let ends =
            "?:;,{".contains(c) || text[at..].starts_with("&&") || text[at..].starts_with("||");
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return Some(at),
            ')' | ']' => depth -= 1,
            _ if depth == 0 && ends => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_ends_where_c_says() {
        for (text, wanted) in [
            ("low > high) return;", Some("low > high")),
            ("(a + b) * c && d)", Some("(a + b) * c ")),
            ("c == ')' || x", Some("c == ')' ")),
            ("c == '\\'') {", Some("c == '\\''")),
            ("case 3: return", Some("case 3")),
            ("i < n; i++)", Some("i < n")),
            ("f(a, b) ? 1 : 2;", Some("f(a, b) ")),
            ("a &&", Some("a ")),
            ("a ==", None),
        ] {
            let end = end_of_condition(text);
            assert_eq!(end.map(|end| &text[..end]), wanted, "{text}");
        }
    }

    /// The command of emitted tests named a folder in which the tests are not.
    #[test]
    fn flags_of_a_compilation_database_work_elsewhere() {
        let flags = [
            "-working-directory",
            "/usr",
            "-Iinclude",
            "-I",
            "../etc",
            "-Inone",
            "-include",
            "stdio.h",
            "--target=x86_64-pc-linux-gnu",
            "-DX=1",
            "-L/lib",
        ];
        let found = portable(&flags.map(str::to_owned));
        let expected = [
            "-I/usr/include",
            "-I",
            "/usr/../etc",
            "-Inone",
            "-include",
            "stdio.h",
            "-DX=1",
            "-L/lib",
        ];
        assert_eq!(found, expected);
    }
}
