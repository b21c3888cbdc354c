//! How a unit is compiled: `--cflags`, or what `compile_commands.json` says.

use std::path::{Path, PathBuf};

use crate::error::{Context, Result};
use serde::Deserialize;

use crate::compiler::args::{Command, LinkItem, takes_value};
use crate::compiler::words::split_words;
use crate::options::Options;

/// Flags of a unit.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// For compilation.
    pub compile: Vec<String>,
    /// For linking: objects, libraries, flags.
    pub link: Vec<LinkItem>,
    /// Every word, for a command line of our own.
    pub words: Vec<String>,
    /// The file that they come from, if it is not the command line.
    pub database: Option<PathBuf>,
}

/// An entry of `compile_commands.json`.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Flags {
    /// The flags of `unit`: those of the user, behind those of the database that the user names, or else of the nearest
    /// one that knows the unit.
    ///
    /// # Errors
    /// A database that cannot be read; one that the user names and that does not have the unit.
    pub fn of(unit: &Path, options: &Options) -> Result<Flags> {
        let found = match &options.function.compile_commands {
            Some(path) => Some(named(path, unit)?),
            None => nearest(unit)?,
        };
        let (database, mut words) =
            found.map_or_else(Default::default, |(path, words)| (Some(path), words));
        words.extend(options.compiler_flags());
        let command = Command::parse(&words)?;
        Ok(Flags {
            compile: command.compile_flags,
            link: command.link_items,
            words,
            database,
        })
    }

    /// Whether other code is linked, which may call into the unit.
    pub fn links_more(&self) -> bool {
        self.link.iter().any(|item| match item {
            LinkItem::File(_) => true,
            LinkItem::Flag(flag) => ["-l", "-Wl,"].iter().any(|start| flag.starts_with(start)),
            LinkItem::Source(_) => false,
        })
    }
}

/// The database that the user names, or the one in the folder of that name.
fn named(path: &Path, unit: &Path) -> Result<(PathBuf, Vec<String>)> {
    let path = if path.is_dir() {
        path.join("compile_commands.json")
    } else {
        path.to_owned()
    };
    let words = look_up(&path, unit)?
        .with_context(|| format!("{} has no entry for {}", path.display(), unit.display()))?;
    Ok((path, words))
}

/// The nearest database that knows the unit.
fn nearest(unit: &Path) -> Result<Option<(PathBuf, Vec<String>)>> {
    for path in databases(unit) {
        if let Some(words) = look_up(&path, unit)? {
            return Ok(Some((path, words)));
        }
    }
    Ok(None)
}

/// Where a database may be: beside the unit or above it, and in the build folders there.
fn databases(unit: &Path) -> Vec<PathBuf> {
    const FOLDERS: &[&str] = &["", "build", "_build", "out"];
    let unit = std::path::absolute(unit).unwrap_or_else(|_| unit.to_owned());
    unit.ancestors()
        .skip(1)
        .flat_map(|folder| FOLDERS.iter().map(move |name| folder.join(name)))
        .map(|folder| folder.join("compile_commands.json"))
        .filter(|path| path.is_file())
        .collect()
}

/// The compiler's flags for a unit, if the database has it.
fn look_up(database: &Path, unit: &Path) -> Result<Option<Vec<String>>> {
    let name = database.display();
    let text = std::fs::read_to_string(database).with_context(|| format!("cannot read {name}"))?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .with_context(|| format!("{name} is no compilation database"))?;
    let wanted = std::fs::canonicalize(unit).unwrap_or_else(|_| unit.to_owned());
    let here = database.parent().unwrap_or(Path::new("/"));
    for entry in entries {
        let folder = here.join(&entry.directory);
        let file = folder.join(&entry.file);
        if std::fs::canonicalize(&file).unwrap_or(file) != wanted {
            continue;
        }
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => split_words(&command),
            (None, None) => Vec::new(),
        };
        return Ok(Some(own_flags(&words, &folder)));
    }
    Ok(None)
}

/// The flags without compiler, source and output; relative paths are the folder's.
fn own_flags(words: &[String], folder: &Path) -> Vec<String> {
    let mut flags = vec![
        "-working-directory".to_owned(),
        folder.display().to_string(),
    ];
    let mut words = words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "-MF" | "-MJ" | "-MT" | "-MQ" | "-dumpdir" => _ = words.next(),
            "-c" | "-MD" | "-MMD" | "-MP" | "--" => {}
            word if word.starts_with("-o") && !word.starts_with("-ob") => {}
            option if option == "-x" || takes_value(option) => {
                flags.push(word.clone());
                flags.extend(words.next().cloned());
            }
            word if word.starts_with('-') => flags.push(word.to_owned()),
            // The source itself.
            _ => {}
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_becomes_flags() {
        let words = split_words("cc -Iinc -D 'X=a b' -O2 -c -o a.o -MD -MF a.d a.c");
        assert_eq!(
            own_flags(&words, Path::new("/b")),
            ["-working-directory", "/b", "-Iinc", "-D", "X=a b", "-O2"]
        );
    }

    /// clang's own database has `-dumpdir`; without its value it took the next source for one.
    #[test]
    fn options_keep_their_values() {
        let words =
            split_words("cc -dumpdir a- -idirafter inc -imacros m.h --param x=1 -Xclang -y a.c");
        assert_eq!(
            own_flags(&words, Path::new("/b"))[2..],
            [
                "-idirafter",
                "inc",
                "-imacros",
                "m.h",
                "--param",
                "x=1",
                "-Xclang",
                "-y"
            ]
        );
    }
}
