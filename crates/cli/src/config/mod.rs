//! `bothways.toml`: flags of a project that do not change.
//!
//! Must hold:
//! - a key is the long name of a flag; what is typed wins over the file, a command's own table wins over what stands at the top;
//! - the whole file is checked, whatever command runs: a key or value that is wrong is named with file and line;
//! - nothing outside of the repository is read: without one, only the current folder is looked at.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use session::compiler::args::Input;
use session::compiler::words::split_words;
use session::near::near;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::replay::quoted;

/// Name of the file.
const NAME: &str = "bothways.toml";
/// The flag that leaves it out.
const OFF: &str = "no-config";
/// Flags of the compiler.
const CFLAGS: &str = "cflags";
/// Commands that have a table in it.
const READERS: &[&str] = &[
    "test", "reach", "values", "graph", "replay", "report", "check",
];

/// A command line with what the file adds.
#[derive(Debug, PartialEq, Eq)]
pub struct Applied {
    /// All words, the command's name first.
    pub words: Vec<String>,
    /// What is to be said of it.
    pub note: Option<String>,
}

/// Adds the flags of the nearest `bothways.toml` to a command line. Words that are no command line are left to the parser.
///
/// # Errors
/// The file cannot be read, or something in it is wrong.
pub fn applied(cli: &Command, words: Vec<String>, here: &Path) -> Result<Applied> {
    let untouched = |words| Applied { words, note: None };
    let Some((name, typed)) = typed(cli, &words) else {
        return Ok(untouched(words));
    };
    let path = find(here).filter(|_| !typed.get_flag("no_config"));
    let Some(path) = path else {
        return Ok(untouched(words));
    };
    let text = std::fs::read_to_string(&path);
    let text = text.with_context(|| format!("cannot read {}", path.display()))?;
    let command = cli.find_subcommand(&name).context("it was parsed")?;
    let file = File::new(&path, here, &text);
    let settings = settings(cli, &file, &name)?;
    let used: Vec<&Setting<'_>> = settings
        .iter()
        .filter(|setting| !setting.words.is_empty() && gives_way(command, setting.arg, &typed))
        .filter(|setting| setting.arg.get_id() != CFLAGS || has_source(&typed))
        .collect();
    if used.is_empty() {
        return Ok(untouched(words));
    }
    let is_quiet = used.iter().any(|setting| setting.arg.get_id() == "quiet")
        || matches!(typed.try_get_one("quiet"), Ok(Some(true)));
    let keys: Vec<&str> = used.iter().map(|setting| setting.key.as_str()).collect();
    let note = format!("bothways: {} says {}", file.shown, keys.join(", "));
    // Whoever runs the command again runs this one, whatever the file says then.
    let added = used
        .iter()
        .flat_map(|setting| setting.words.iter().cloned());
    let added = std::iter::once(format!("--{OFF}")).chain(added);
    let at = words.iter().skip(1).position(|word| *word == name);
    let at = at.context("it was parsed")? + 2;
    let mut all = words;
    all.splice(at..at, added);
    Ok(Applied {
        words: all,
        note: (!is_quiet).then_some(note),
    })
}

/// The command, and what was typed for it; none where nothing was, or where help is asked for.
fn typed(cli: &Command, words: &[String]) -> Option<(String, ArgMatches)> {
    // What is missing may stand in the file.
    let lenient = cli.clone().ignore_errors(true);
    let matches = lenient.try_get_matches_from(words).ok()?;
    let (name, typed) = matches.subcommand()?;
    READERS
        .contains(&name)
        .then(|| (name.to_owned(), typed.clone()))
}

/// The file in the current folder or the nearest above it, up to the root of the repository.
fn find(here: &Path) -> Option<PathBuf> {
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    let root = root.unwrap_or(here);
    here.ancestors()
        .take_while(|folder| folder.starts_with(root))
        .map(|folder| folder.join(NAME))
        .find(|path| path.exists())
}

/// Neither this flag was typed nor one that excludes it.
fn gives_way(command: &Command, arg: &Arg, typed: &ArgMatches) -> bool {
    let is_typed = |other: &Arg| {
        typed.value_source(other.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
    };
    let excludes = |one: &Arg, other: &Arg| {
        let all = command.get_arg_conflicts_with(one);
        all.iter().any(|arg| arg.get_id() == other.get_id())
    };
    let mut typed = command.get_arguments().filter(|other| is_typed(other));
    !typed
        .any(|other| other.get_id() == arg.get_id() || excludes(arg, other) || excludes(other, arg))
}

/// Is there a source to be compiled? A program that is built already takes no flags of the compiler.
fn has_source(typed: &ArgMatches) -> bool {
    let inputs = typed.try_get_many::<PathBuf>("inputs").ok().flatten();
    inputs.is_none_or(|mut paths| paths.any(|path| Input::named(path).is_source()))
}

/// A flag that the file sets.
struct Setting<'a> {
    key: String,
    arg: &'a Arg,
    words: Vec<String>,
}

/// The file as it is spoken of, and its text.
struct File<'a> {
    /// Its path, seen from the current folder.
    shown: String,
    /// The folder that its paths start from, where that is not the current one.
    folder: Option<&'a Path>,
    text: &'a str,
}

impl<'a> File<'a> {
    fn new(path: &'a Path, here: &Path, text: &'a str) -> File<'a> {
        let folder = path.parent().filter(|folder| *folder != here);
        let up = here.ancestors().take_while(|above| Some(*above) != folder);
        let up = if folder.is_some() { up.count() } else { 0 };
        File {
            shown: format!("{}{NAME}", "../".repeat(up)),
            folder,
            text,
        }
    }

    /// An error at a place of it.
    fn error(&self, at: usize, words: &str) -> anyhow::Error {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        anyhow!("{}:{line}: {words}", self.shown)
    }
}

/// What the file says for one command; all of it is checked.
fn settings<'a>(cli: &'a Command, file: &File<'_>, name: &str) -> Result<Vec<Setting<'a>>> {
    let parsed = DeTable::parse(file.text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        file.error(at, error.message())
    })?;
    let mut wanted: Vec<Setting<'a>> = Vec::new();
    // Tables come last, so that what they say replaces what stands at the top.
    let (tables, top): (Vec<_>, Vec<_>) = { parsed.get_ref() }
        .iter()
        .partition(|(_, value)| value.get_ref().is_table());
    let of_sources = || readers(cli).filter(|command| flag(command, CFLAGS).is_some());
    for entry in top {
        let mut found = of_sources().filter(|command| flag(command, entry.0.get_ref()).is_some());
        let Some(first) = found.next() else {
            return Err(unknown(file, entry.0, "", of_sources()));
        };
        for command in std::iter::once(first).chain(found) {
            let setting = setting(file, command, entry)?;
            if command.get_name() == name {
                set(&mut wanted, setting);
            }
        }
    }
    for (key, table) in tables {
        let Some(command) = readers(cli).find(|command| command.get_name() == key.get_ref()) else {
            return Err(no_table(file, key, cli));
        };
        for entry in table.get_ref().as_table().into_iter().flatten() {
            if flag(command, entry.0.get_ref()).is_none() {
                let place = format!(" of `bothways {}`", command.get_name());
                return Err(unknown(file, entry.0, &place, std::iter::once(command)));
            }
            let setting = setting(file, command, entry)?;
            if command.get_name() == name {
                set(&mut wanted, setting);
            }
        }
    }
    Ok(wanted)
}

/// Adds what is set, in place of an earlier value.
fn set<'a>(wanted: &mut Vec<Setting<'a>>, new: Setting<'a>) {
    wanted.retain(|old| old.key != new.key);
    wanted.push(new);
}

type Key<'t> = Spanned<std::borrow::Cow<'t, str>>;

/// The commands that the file can speak of.
fn readers(cli: &Command) -> impl Iterator<Item = &Command> {
    cli.get_subcommands()
        .filter(|command| READERS.contains(&command.get_name()))
}

/// A flag of a command by its long name.
fn flag<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let mut all = command.get_arguments();
    all.find(|arg| {
        let excluded = matches!(
            arg.get_action(),
            ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort | ArgAction::Version
        );
        arg.get_long() == Some(key) && key != OFF && !excluded
    })
}

/// The error of a key that is no flag.
fn unknown<'a>(
    file: &File<'_>,
    key: &Key<'_>,
    place: &str,
    commands: impl Iterator<Item = &'a Command>,
) -> anyhow::Error {
    let names: Vec<&str> = commands
        .flat_map(|command| command.get_arguments().filter_map(Arg::get_long))
        .collect();
    let name = key.get_ref();
    let help = suggested(name, names.iter().copied());
    let words = format!("unknown key `{name}`: there is no flag --{name}{place}{help}");
    file.error(key.span().start, &words)
}

/// The error of a table that is no command's.
fn no_table(file: &File<'_>, key: &Key<'_>, cli: &Command) -> anyhow::Error {
    let name = key.get_ref();
    let help = suggested(name, readers(cli).map(Command::get_name));
    let known = READERS.join("], [");
    let words = format!("unknown table [{name}]{help}; tables are [{known}]");
    file.error(key.span().start, &words)
}

fn suggested<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = near(name, known);
    match near.as_slice() {
        [] => String::new(),
        near => format!("; did you mean `{}`?", near.join("` or `")),
    }
}

/// What one key means for a command that has this flag.
fn setting<'a>(
    file: &File<'_>,
    command: &'a Command,
    (key, value): (&Key<'_>, &Spanned<DeValue<'_>>),
) -> Result<Setting<'a>> {
    let (name, at) = (key.get_ref().to_string(), value.span().start);
    let arg = flag(command, &name).context("it was looked up")?;
    let values = values(arg, value.get_ref())
        .map_err(|expected| file.error(at, &format!("`{name}` is {expected}")))?;
    let words: Vec<String> = match values {
        None => vec![format!("--{name}")],
        Some(values) => {
            let texts = values
                .into_iter()
                .flat_map(|text| from_file(file, arg, text));
            texts.map(|text| format!("--{name}={text}")).collect()
        }
    };
    for word in &words {
        if let Err(problem) = accepts(command, word) {
            bail!(file.error(at, &problem));
        }
    }
    let key = name;
    Ok(Setting { key, arg, words })
}

/// The texts that a flag is given; none for one without a value. What was expected, where it is something else.
fn values(arg: &Arg, value: &DeValue<'_>) -> Result<Option<Vec<String>>, &'static str> {
    let takes_value = arg.get_action().takes_values();
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    match value {
        DeValue::Boolean(true) if !takes_value => Ok(None),
        DeValue::Boolean(false) if !takes_value => Ok(Some(Vec::new())),
        _ if !takes_value => Err("true or false"),
        DeValue::Array(items) if is_list => {
            let texts = items.iter().map(|item| scalar(item.get_ref()));
            let texts: Option<Vec<String>> = texts.collect();
            texts.map(Some).ok_or("a list of texts or numbers")
        }
        one => match scalar(one) {
            Some(text) => Ok(Some(vec![text])),
            None if is_list => Err("a text, a number, or a list of these"),
            None => Err("a text or a number"),
        },
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// A value with its paths as the command has to read them: those of the file start from the file's folder.
fn from_file(file: &File<'_>, arg: &Arg, text: String) -> Vec<String> {
    let Some(folder) = file.folder else {
        return vec![text];
    };
    let joined = |path: &str| folder.join(path).display().to_string();
    if arg.get_long() == Some(CFLAGS) {
        let words = with_paths(split_words(&text), &joined);
        return words.iter().map(|word| quoted(word.as_ref())).collect();
    }
    match arg.get_value_hint() {
        ValueHint::AnyPath | ValueHint::DirPath | ValueHint::FilePath => vec![joined(&text)],
        _ => vec![text],
    }
}

/// Compiler flags that a path follows, in the same word or in the next.
const WITH_PATH: &[&str] = &["-isystem", "-iquote", "-idirafter", "-include", "-I", "-L"];

fn with_paths(words: Vec<String>, joined: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut is_path = false;
    let mut all = Vec::with_capacity(words.len());
    for word in words {
        let flag = WITH_PATH.iter().find(|flag| word.starts_with(**flag));
        let path = flag.map(|flag| (*flag, &word[flag.len()..]));
        all.push(match path {
            _ if is_path => joined(&word),
            Some((flag, path)) if !path.is_empty() => format!("{flag}{}", joined(path)),
            _ => word.clone(),
        });
        is_path = !is_path && path.is_some_and(|(_, path)| path.is_empty());
    }
    all
}

/// Whether a command takes this word; if not, why.
fn accepts(command: &Command, word: &str) -> Result<(), String> {
    let words = [command.get_name(), word];
    let Err(error) = command.clone().try_get_matches_from(words) else {
        return Ok(());
    };
    match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue | ErrorKind::NoEquals => {
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default();
            Err(text.trim_start_matches("error: ").replace("\n  ", " "))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
