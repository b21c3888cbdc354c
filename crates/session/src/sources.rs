//! Where the sources of a suite are: written relative to the suite, so that both can be moved together, and found by their
//! content where they were moved apart.
//!
//! Must hold: a file that is found elsewhere has the very content that the suite was made for.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use report::suite::{Source, sha256};

/// Files and folders that are looked at in one folder of sources.
const MOST: usize = 100_000;

/// A path relative to a folder. Absolute where they have nothing in common but the root: such a path says more.
pub fn relative(path: &Path, folder: &Path) -> String {
    let (Ok(path), Ok(folder)) = (std::path::absolute(path), std::path::absolute(folder)) else {
        return path.display().to_string();
    };
    let (path, folder) = (whole(&path), whole(&folder));
    let parts = |path: &Path| -> Vec<PathBuf> {
        path.components()
            .map(|part| part.as_os_str().into())
            .collect()
    };
    let (to, from) = (parts(&path), parts(&folder));
    let same = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    if same < 2 {
        return path.display().to_string();
    }
    let up = from[same..].iter().map(|_| PathBuf::from(".."));
    let steps: PathBuf = up.chain(to[same..].iter().cloned()).collect();
    steps.display().to_string()
}

/// Without `.` and `..`, by the names alone.
pub fn whole(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The content of a suite's source as it is now: where the manifest says, else below one of the folders, where a file has the
/// same name and the same content.
pub fn content(source: &Source, suite: &Path, folders: &[PathBuf]) -> Option<Vec<u8>> {
    std::fs::read(suite.join(&source.path)).ok().or_else(|| {
        let name = Path::new(&source.path).file_name()?;
        let mut named = folders.iter().flat_map(|folder| files(folder));
        named.find_map(|path| {
            let content = (path.file_name() == Some(name)).then(|| std::fs::read(&path).ok())??;
            (sha256(&content) == source.sha256).then_some(content)
        })
    })
}

/// The files below a folder, nearest first.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let mut found = Vec::new();
    let mut left = VecDeque::from([folder.to_owned()]);
    let mut seen = 0;
    while let Some(folder) = left.pop_front() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            seen += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push_back(entry.path()),
                Ok(_) => found.push(entry.path()),
                Err(_) => {}
            }
        }
        if seen > MOST {
            break;
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_suite() {
        for (path, folder, expected) in [
            ("/p/src/a.c", "/p/suite", "../src/a.c"),
            ("/p/a.c", "/p/out/suite/f", "../../../a.c"),
            ("/p/x/../a.c", "/p/./suite", "../a.c"),
            ("/p/suite/a.c", "/p/suite", "a.c"),
            ("/home/a.c", "/tmp/suite", "/home/a.c"),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(folder)), expected);
        }
    }

    #[test]
    fn moved_files_are_found_by_their_content() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let deep = dir.path().join("old/deep");
        std::fs::create_dir_all(&deep).expect("made");
        std::fs::write(deep.join("a.c"), "same").expect("writes");
        std::fs::write(dir.path().join("a.c"), "another").expect("writes");
        let find = |text: &str, folders: &[PathBuf]| {
            let source = Source::new("../gone/a.c", text.as_bytes());
            content(&source, &dir.path().join("suite"), folders)
        };
        let here = [dir.path().to_owned()];
        assert_eq!(find("same", &here), Some(b"same".to_vec()));
        assert_eq!(find("third", &here), None);
        assert_eq!(find("same", &[]), None);
    }
}
