//! What the replay runtime noted about a run, besides its profile: whether standard input was read, and where it crashed.
//!
//! Must hold: a place is one that debug information gives for an address in the judge's executable; what the file says
//! beyond its forms is skipped, since the program may have written to it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{JudgeFault, call};
use crate::toolchain::Tool;

/// What one replayed run noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Something read the test's standard input: the program, a library, a child.
    pub read_stdin: bool,
    /// Of a crash, addresses in the executable, innermost first, relative to its first byte.
    pub frames: Vec<u64>,
}

/// A frame of the program in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// Its file, absolute as far as the compiler was told so.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 when it is not known.
    pub col: u32,
}

/// Most bytes of the notes that are read.
const MOST: usize = 1 << 16;

impl Facts {
    /// Reads the notes of a run; none when there is no such file.
    #[must_use]
    pub fn read(path: &Path) -> Facts {
        let bytes = std::fs::read(path).unwrap_or_default();
        Facts::parse(&String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]))
    }

    fn parse(text: &str) -> Facts {
        let frame = |line: &str| u64::from_str_radix(line.strip_prefix("frame ")?, 16).ok();
        Facts {
            read_stdin: text.lines().any(|line| line == "stdin"),
            frames: text.lines().filter_map(frame).collect(),
        }
    }
}

/// Where the crashes of runs stand in the source: for each run the executable's frames, innermost first.
///
/// # Errors
/// When the tool is missing or fails.
pub fn crashes(executable: &Path, runs: &[&Facts]) -> Result<Vec<Vec<Frame>>, JudgeFault> {
    let all = runs.iter().flat_map(|run| &run.frames).copied();
    let places = places(executable, &all.collect::<Vec<u64>>())?;
    let frames = |run: &&Facts| {
        let known = run.frames.iter().map(|address| places.get(address));
        known.flatten().cloned().collect()
    };
    Ok(runs.iter().map(frames).collect())
}

/// Where addresses of an executable stand; what has no debug information is missing.
///
/// # Errors
/// When the tool is missing or fails.
fn places(executable: &Path, addresses: &[u64]) -> Result<BTreeMap<u64, Frame>, JudgeFault> {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut places = BTreeMap::new();
    // Command lines have an end.
    for part in sorted.chunks(1000) {
        let tool = Tool::Symbolizer.find()?;
        let mut command = Command::new(&tool);
        command
            .args(["--relative-address", "--no-inlines", "--functions=linkage"])
            .arg("--obj")
            .arg(executable)
            .args(part.iter().map(|address| format!("{address:#x}")));
        let text = call(&tool, &mut command)?;
        let text = String::from_utf8_lossy(&text);
        let answers = text.split("\n\n").map(frame);
        let known = part.iter().zip(answers);
        places.extend(known.filter_map(|(address, frame)| Some((*address, frame?))));
    }
    Ok(places)
}

/// `FUNCTION`, and `FILE:LINE:COL` on the next line; `??` is unknown.
fn frame(answer: &str) -> Option<Frame> {
    let mut lines = answer.lines().filter(|line| !line.is_empty());
    let function = lines.next()?.to_owned();
    let mut parts = lines.next()?.rsplitn(3, ':');
    let (col, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let file = parts.next()?.to_owned();
    (line > 0 && file != "??").then_some(Frame {
        function,
        file,
        line,
        col,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_far_as_they_make_sense() {
        let facts = Facts::parse("stdin\nframe 00000000000012ab\nframe x\nnonsense\nframe 10\n");
        assert!(facts.read_stdin);
        assert_eq!(facts.frames, [0x12ab, 0x10]);
        assert_eq!(Facts::parse(""), Facts::default());
    }

    #[test]
    fn answers_of_the_symbolizer() {
        let known = frame("main\n/a:b/c.c:12:3").expect("a place");
        assert_eq!((known.line, known.col), (12, 3));
        assert_eq!((&*known.function, &*known.file), ("main", "/a:b/c.c"));
        assert_eq!(frame("??\n??:0:0"), None);
        assert_eq!(frame("start\n??:0"), None);
        assert_eq!(frame(""), None);
    }
}
