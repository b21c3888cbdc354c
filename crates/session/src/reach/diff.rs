//! Unified diffs, as `diff -u` and `git diff` write them.
//!
//! Must hold: nothing of a diff is dropped silently but what is no change of text (modes, binary files, files removed).

/// What a diff does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path of the file as it is afterwards.
    pub path: String,
    /// In the order of the file.
    pub hunks: Vec<Hunk>,
}

/// A stretch of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its line in the diff.
    pub at: usize,
    /// First of its lines in the old file, and in the new one.
    pub start: [u32; 2],
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Context(String),
    Added(String),
    Removed(String),
}

/// The text is no unified diff: its line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    #[error("line {0} of the diff is no head of a hunk: @@ -A,B +C,D @@")]
    Head(usize),
    #[error("line {0} of the diff: a hunk stands in front of the name of its file")]
    NoFile(usize),
    #[error(
        "line {0} of the diff: the hunk ends before it has all the lines that its head promises"
    )]
    Short(usize),
    #[error("it is no unified diff: there is no line that begins with `+++ `")]
    NoDiff,
}

impl Hunk {
    /// Its lines on one side, old or new, with their numbers, and whether they are in the other side as well.
    pub fn side(&self, new: bool) -> impl Iterator<Item = (u32, &str, bool)> {
        let own = self.lines.iter().filter_map(move |line| match line {
            Line::Context(text) => Some((text, true)),
            Line::Added(text) if new => Some((text, false)),
            Line::Removed(text) if !new => Some((text, false)),
            Line::Added(_) | Line::Removed(_) => None,
        });
        (self.start[usize::from(new)]..)
            .zip(own)
            .map(|(number, (text, both))| (number, text.as_str(), both))
    }
}

/// Reads a diff. An empty text changes nothing.
///
/// # Errors
/// It is no unified diff.
pub fn parse(text: &str) -> Result<Vec<FileChange>, DiffError> {
    let mut files: Vec<FileChange> = Vec::new();
    let mut named = false;
    let (mut old, mut begun) = ("", false);
    let mut lines = (1..).zip(text.lines());
    while let Some((at, line)) = lines.next() {
        if let Some(name) = line.strip_prefix("--- ") {
            (old, begun) = (name, false);
        } else if let Some(name) = line.strip_prefix("+++ ") {
            named = true;
            begun = true;
            files.push(FileChange {
                path: path(old, name),
                hunks: Vec::new(),
            });
        } else if line.starts_with("@@ ") {
            let file = files.last_mut().filter(|_| begun);
            let file = file.ok_or(DiffError::NoFile(at))?;
            let ([from, to], counts) = head(line).ok_or(DiffError::Head(at))?;
            file.hunks.push(Hunk {
                at,
                start: [from, to],
                lines: body(&mut lines, counts).ok_or(DiffError::Short(at))?,
            });
        } else if line.starts_with("diff ") {
            begun = false;
        }
    }
    if !named && !text.trim().is_empty() && !text.starts_with("diff --git ") {
        return Err(DiffError::NoDiff);
    }
    files.retain(|file| file.path != NOTHING);
    Ok(files)
}

/// The name of a file that is not there.
const NOTHING: &str = "/dev/null";

/// The path in a line `+++ b/PATH`, after `--- a/PATH`.
fn path(old: &str, new: &str) -> String {
    let [old, new] = [old, new].map(unquoted);
    let prefixed = old.starts_with("a/") || old == NOTHING;
    match new.strip_prefix("b/").filter(|_| prefixed) {
        Some(path) => path.to_owned(),
        None => new,
    }
}

/// A name without its time stamp and quotes.
fn unquoted(name: &str) -> String {
    let name = name.split('\t').next().unwrap_or(name).trim_end();
    match name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
    {
        Some(inner) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => name.to_owned(),
    }
}

/// Starts and lengths of both sides: `@@ -A,B +C,D @@`.
fn head(line: &str) -> Option<([u32; 2], [u32; 2])> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let range = |word: Option<&str>, sign: char| {
        let word = word?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let (old, new) = (range(words.next(), '-')?, range(words.next(), '+')?);
    (words.next() == Some("@@")).then_some(([old.0, new.0], [old.1, new.1]))
}

/// The lines of a hunk with so many lines on each side.
fn body<'t>(
    lines: &mut impl Iterator<Item = (usize, &'t str)>,
    [mut old, mut new]: [u32; 2],
) -> Option<Vec<Line>> {
    let mut all = Vec::new();
    while old > 0 || new > 0 {
        let (_, line) = lines.next()?;
        let rest = || line[1..].to_owned();
        let read = match line.as_bytes().first() {
            // Mailers cut blanks off.
            None => Line::Context(String::new()),
            Some(b' ') => Line::Context(rest()),
            Some(b'+') => Line::Added(rest()),
            Some(b'-') => Line::Removed(rest()),
            Some(b'\\') => continue,
            Some(_) => return None,
        };
        let [in_old, in_new] = match read {
            Line::Context(_) => [1, 1],
            Line::Removed(_) => [1, 0],
            Line::Added(_) => [0, 1],
        };
        old = old.checked_sub(in_old)?;
        new = new.checked_sub(in_new)?;
        all.push(read);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIT: &str = "\
diff --git a/src/a.c b/src/a.c
index 1..2 100644
--- a/src/a.c
+++ b/src/a.c
@@ -2,3 +2,4 @@ int f(void)
 {
-    old();
+    new();
+    more();
 }
@@ -20 +21,0 @@
-gone
diff --git a/b.c b/b.c
deleted file mode 100644
--- a/b.c
+++ /dev/null
@@ -1 +0,0 @@
---- x
";

    #[test]
    fn files_hunks_and_lines() {
        let files = parse(GIT).expect("a diff");
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].path, "src/a.c");
        let side = |hunk: usize, new| {
            let lines = files[0].hunks[hunk].side(new);
            let lines = lines.map(|(number, text, both)| format!("{number}{text}{both}"));
            lines.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            side(0, true),
            "2{true 3    new();false 4    more();false 5}true"
        );
        assert_eq!(side(0, false), "2{true 3    old();false 4}true");
        assert_eq!(
            (side(1, true), side(1, false)),
            (String::new(), "20gonefalse".to_owned())
        );
    }

    #[test]
    fn names_have_prefixes_quotes_and_times() {
        for (old, new, expected) in [
            ("a/x.c", "b/x.c", "x.c"),
            ("/dev/null", "b/x.c", "x.c"),
            ("x.c.orig\t2020-01-01", "x.c\t2020-01-02", "x.c"),
            ("b/x.c", "b/x.c", "b/x.c"),
            ("\"a/x \\\"y.c\"", "\"b/x \\\"y.c\"", "x \"y.c"),
        ] {
            assert_eq!(path(old, new), expected);
        }
    }

    #[test]
    fn other_texts_are_no_diffs() {
        for (text, expected) in [
            ("", Ok(0)),
            ("diff --git a/x b/x\nBinary files differ\n", Ok(0)),
            ("hello\n", Err(DiffError::NoDiff)),
            ("@@ -1 +1 @@\n", Err(DiffError::NoFile(1))),
            ("--- a\n+++ b\n@@ -1 +x @@\n", Err(DiffError::Head(3))),
            (
                "--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n",
                Err(DiffError::Short(3)),
            ),
            (
                "--- a\n+++ b\n@@ -1 +1 @@\n-x\n-y\n",
                Err(DiffError::Short(3)),
            ),
        ] {
            assert_eq!(parse(text).map(|files| files.len()), expected, "{text}");
        }
    }
}
