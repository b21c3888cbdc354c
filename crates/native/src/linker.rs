//! Links as clang does, without starting clang: what it says it would call is asked once for a line of flags, and kept. clang takes
//! as long to start as the linker takes to link a small program.
//!
//! Must hold: the linker gets the words that clang would give it. So a line is passed on to clang where anything is unusual: files
//! that are no objects, flags that make clang say or do more, start-up files that are gone. Another clang is asked again, and so is
//! one beside which another compiler was installed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cache;
use crate::hash::fnv;

/// Variables that change what clang calls.
const VARIABLES: [&str; 4] = [
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
];

/// Between the key and the words of what is kept.
const END: &[u8] = b"\0\n";

/// Flags that make clang say more, or do something else than to call the linker once.
const UNUSUAL: [&str; 9] = [
    "-v",
    "-###",
    "--verbose",
    "--help",
    "-print-",
    "-save-temps",
    "-flto",
    "-time",
    "--config",
];

/// The call of the linker that `clang` would make; `clang` itself where that is not known. `clang` links with `linker`, and is otherwise
/// complete. `kept` is the folder where answers are kept.
#[must_use]
pub fn direct(clang: Command, linker: &Path, kept: &Path) -> Command {
    match Line::new(&clang, kept).and_then(|line| line.call(linker)) {
        Some(words) => {
            let mut command = Command::new(linker);
            command.args(words);
            if let Some(folder) = clang.get_current_dir() {
                command.current_dir(folder);
            }
            command
        }
        None => clang,
    }
}

/// A line of clang's, in which marks stand for files.
struct Line<'a> {
    clang: &'a Command,
    kept: &'a Path,
    words: Vec<OsString>,
    /// Marks and what they stand for.
    files: BTreeMap<PathBuf, &'a OsStr>,
}

impl<'a> Line<'a> {
    /// None for a line that clang must see itself.
    fn new(clang: &'a Command, kept: &'a Path) -> Option<Line<'a>> {
        // Its environment would have to be the linker's.
        if clang.get_envs().next().is_some() {
            return None;
        }
        let mut line = Line {
            clang,
            kept,
            words: Vec::new(),
            files: BTreeMap::new(),
        };
        let mut before = OsStr::new("");
        for word in clang.get_args() {
            let text = word.as_bytes();
            let is_unusual = |flag: &&str| text.starts_with(flag.as_bytes());
            if text.starts_with(b"@") || UNUSUAL.iter().any(is_unusual) {
                return None;
            }
            if text.starts_with(b"-") {
                line.words.push(word.to_owned());
            } else {
                let kind = if before == "-o" { "out" } else { kind(word)? };
                let mark = kept.join(format!("{}.{kind}", line.files.len()));
                line.words.push(mark.clone().into());
                line.files.insert(mark, word);
            }
            before = word;
        }
        Some(line)
    }

    /// The linker's words.
    fn call(&self, linker: &Path) -> Option<Vec<OsString>> {
        let key = self.key()?;
        let path = self.kept.join(format!("{:016x}", fnv(&key)));
        let kept = fs::read(&path).ok().and_then(|text| read(&text, &key));
        let kept = kept.filter(|words| !self.is_outdated(words, &path));
        if let Some(words) = kept.and_then(|words| self.filled(words)) {
            return Some(words);
        }
        let words = self.ask(linker)?;
        // Without it, the next link asks again.
        let _ = Line::keep(&path, &key, &words);
        self.filled(words)
    }

    /// All that the answer depends on.
    fn key(&self) -> Option<Vec<u8>> {
        let program = self.clang.get_program();
        let status = fs::metadata(program).ok()?;
        let of_program = format!("{} {}", status.len(), status.mtime());
        let variables = VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
        let words = self.words.iter().map(OsString::as_os_str);
        let all = [program, OsStr::new(&of_program)].into_iter();
        let all = all.chain(variables.iter().map(OsString::as_os_str));
        let all: Vec<&[u8]> = all.chain(words).map(OsStrExt::as_bytes).collect();
        Some(all.join(&0))
    }

    /// What clang says it would call.
    fn ask(&self, linker: &Path) -> Option<Vec<OsString>> {
        fs::create_dir_all(self.kept).ok()?;
        for mark in self.files.keys() {
            // clang looks whether its inputs are there.
            fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(mark)
                .ok()?;
        }
        let mut clang = Command::new(self.clang.get_program());
        clang.arg("-###").args(&self.words).stdin(Stdio::null());
        if let Some(folder) = self.clang.get_current_dir() {
            clang.current_dir(folder);
        }
        let output = clang.output().ok()?;
        let said = output.status.success().then_some(output.stderr)?;
        let words = only_command(&said)?;
        let (program, words) = words.split_first()?;
        (program.as_os_str() == linker.as_os_str()).then(|| words.to_vec())
    }

    fn keep(path: &Path, key: &[u8], words: &[OsString]) -> std::io::Result<()> {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        cache::replace(path, &[key, END, &words.join(&0)].concat())
    }

    /// Whether something came to stand beside the folders of clang's own files since the answer was kept: another compiler, whose
    /// files clang may take now.
    fn is_outdated(&self, words: &[OsString], kept: &Path) -> bool {
        let modified = |path: &Path| path.metadata().and_then(|status| status.modified()).ok();
        let since = modified(kept);
        let own = words.iter().map(Path::new);
        let mut own = own.filter(|path| path.is_absolute() && !self.files.contains_key(*path));
        own.any(|path| path.ancestors().nth(2).and_then(modified) > since)
    }

    /// The answer with files in place of their marks. None where it names a file that is gone.
    fn filled(&self, words: Vec<OsString>) -> Option<Vec<OsString>> {
        let folder = self.kept.as_os_str().as_bytes();
        let has_mark = |word: &[u8]| word.windows(folder.len()).any(|part| part == folder);
        let filled = words.into_iter().map(|word| {
            let path = Path::new(&word);
            if let Some(file) = self.files.get(path) {
                return Some((*file).to_owned());
            }
            let is_there = !path.is_absolute() || path.exists();
            (is_there && !has_mark(word.as_bytes())).then_some(word)
        });
        filled.collect()
    }
}

/// How the mark of a file ends: clang goes by the end of its inputs' names. None for what may be no object.
fn kind(file: &OsStr) -> Option<&'static str> {
    let name = Path::new(file).file_name()?.to_str()?;
    ["o", "a", "so"]
        .into_iter()
        .find(|end| name.ends_with(&format!(".{end}")))
        .or_else(|| name.contains(".so.").then_some("so"))
        // Ours: see `session::compiler::link`.
        .or_else(|| name.ends_with(".note").then_some("note"))
}

/// The answer to this key.
fn read(text: &[u8], key: &[u8]) -> Option<Vec<OsString>> {
    let words = text.strip_prefix(key)?.strip_prefix(END)?;
    let words = words.split(|&byte| byte == 0);
    Some(
        words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect(),
    )
}

/// The words of the only command that `clang -###` names. None if there are others, or it says anything else.
fn only_command(said: &[u8]) -> Option<Vec<OsString>> {
    const HEADER: [&[u8]; 3] = [b"Target: ", b"Thread model: ", b"InstalledDir: "];
    let mut commands = Vec::new();
    for line in said.split(|&byte| byte == b'\n') {
        let is_header = HEADER.iter().any(|start| line.starts_with(start));
        let is_version = line.windows(14).any(|part| part == b"clang version ");
        if line.starts_with(b" \"") {
            commands.push(unquoted(line)?);
        } else if !(line.is_empty() || is_header || is_version) {
            return None;
        }
    }
    let only = commands.len() == 1;
    commands.pop().filter(|_| only)
}

/// The words of ` "a" "b\"c"`.
fn unquoted(line: &[u8]) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut bytes = line.iter().copied();
    loop {
        match bytes.next() {
            None => return Some(words),
            Some(b' ') => {}
            Some(b'"') => {
                let mut word = Vec::new();
                loop {
                    match bytes.next()? {
                        b'"' => break,
                        b'\\' => word.push(bytes.next()?),
                        byte => word.push(byte),
                    }
                }
                words.push(OsString::from_vec(word));
            }
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A folder with a `clang` that counts its calls and answers as clang does: what is on its line, with a file of its own before.
    struct Fake {
        folder: tempfile::TempDir,
    }

    impl Fake {
        fn new() -> Fake {
            let fake = Fake {
                folder: tempfile::tempdir().expect("a folder"),
            };
            let (start, clang) = (fake.path("gcc/12/start.o"), fake.path("clang"));
            fs::create_dir_all(fake.path("gcc/12")).expect("made");
            fs::write(&start, "").expect("written");
            let text = format!(
                "#!/bin/sh\necho >> {calls}\necho 'Fake clang version 19.1.4' >&2\nshift\n\
                 {{ printf ' \"/bin/ld\" \"{start}\"'; for word; do printf ' \"%s\"' \"$word\"; done; echo; }} >&2\n",
                calls = fake.path("calls").display(),
                start = start.display(),
            );
            fs::write(&clang, text).expect("written");
            fs::set_permissions(&clang, fs::Permissions::from_mode(0o755)).expect("executable");
            fake
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// How often clang was started.
        fn calls(&self) -> usize {
            fs::read(self.path("calls")).map_or(0, |calls| calls.len())
        }

        /// The call for a line: the program, then its words.
        fn link(&self, line: &str) -> String {
            let mut clang = Command::new(self.path("clang"));
            clang.args(line.split_whitespace());
            let command = direct(clang, Path::new("/bin/ld"), &self.path("kept"));
            let words = std::iter::once(command.get_program()).chain(command.get_args());
            let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
            let folder = format!("{}/", self.folder.path().display());
            words.join(" ").replace(&folder, "")
        }
    }

    #[test]
    fn clang_is_asked_once_for_a_line_of_flags() {
        let fake = Fake::new();
        let first = fake.link("-s a.o b.a -lm -o first");
        assert_eq!(first, "/bin/ld gcc/12/start.o -s a.o b.a -lm -o first");
        let second = fake.link("-s other/c.o d.a -lm -o second");
        assert_eq!(
            second,
            "/bin/ld gcc/12/start.o -s other/c.o d.a -lm -o second"
        );
        assert_eq!(fake.calls(), 1);
        fake.link("a.o b.a -lm -o third");
        assert_eq!(fake.calls(), 2);
    }

    #[test]
    fn clang_is_asked_again_when_a_file_of_its_own_is_gone() {
        let fake = Fake::new();
        fake.link("a.o -o first");
        fs::remove_file(fake.path("gcc/12/start.o")).expect("removed");
        // It still names the file: so clang links.
        assert_eq!(fake.link("a.o -o first"), "clang a.o -o first");
        assert_eq!(fake.calls(), 2);
    }

    /// How often clang is started for a line, once before a change and twice after it.
    fn calls_around(change: impl FnOnce(&Fake)) -> usize {
        let fake = Fake::new();
        fake.link("a.o -o first");
        change(&fake);
        fake.link("a.o -o first");
        fake.link("a.o -o first");
        fake.calls()
    }

    #[test]
    fn another_clang_is_asked_again() {
        let calls = calls_around(|fake| {
            let mut text = fs::read(fake.path("clang")).expect("read");
            text.push(b'\n');
            fs::write(fake.path("clang"), text).expect("written");
        });
        assert_eq!(calls, 2);
    }

    #[test]
    fn clang_is_asked_again_when_another_compiler_is_installed() {
        let calls = calls_around(|fake| {
            // Clocks of file systems are coarse.
            let hour = std::time::Duration::from_secs(3600);
            for file in fs::read_dir(fake.path("kept")).expect("a folder") {
                let file = fs::File::open(file.expect("an entry").path()).expect("opened");
                let before = std::time::SystemTime::now() - hour;
                file.set_modified(before).expect("set");
            }
            fs::create_dir(fake.path("gcc/13")).expect("made");
        });
        assert_eq!(calls, 2);
    }

    #[test]
    fn unusual_lines_are_clangs() {
        let fake = Fake::new();
        for line in [
            "a.c -o program",
            "a.o -v -o program",
            "-flto a.o -o program",
            "-x none a.o library -o program",
            "@words",
            "a.o --config other.cfg",
        ] {
            assert_eq!(fake.link(line), format!("clang {line}"));
        }
        assert_eq!(fake.calls(), 0);
    }

    #[test]
    fn only_a_single_command_counts() {
        let header =
            "Debian clang version 19.1.4 (1)\nTarget: x\nThread model: posix\nInstalledDir: /bin\n";
        let words = |said: &str| {
            let words = only_command(format!("{header}{said}").as_bytes())?;
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            Some(words.collect::<Vec<_>>())
        };
        assert_eq!(
            words(" \"/bin/ld\" \"a \\\"b\\\\\" \"\"\n"),
            Some(vec![
                "/bin/ld".to_owned(),
                "a \"b\\".to_owned(),
                String::new()
            ])
        );
        assert_eq!(words(" \"a\"\n \"b\"\n"), None);
        assert_eq!(words("clang: warning: unused\n \"a\"\n"), None);
        assert_eq!(words(" \"a\n"), None);
        assert_eq!(words(""), None);
    }
}
