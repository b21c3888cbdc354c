//! What a file of a link line has in it: our instrumented code, or anything else.

use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{Object, ObjectKind, ObjectSymbol};
use wire::section;

/// A file of the link line, as the judge sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing of ours.
    Plain,
    /// Instrumented code and nothing else: its model stands for it.
    Instrumented,
    /// An archive with these instrumented members among others.
    Mixed(Vec<String>),
    /// A shared library with instrumented code.
    Shared,
}

/// Looks into a file.
///
/// # Errors
/// It cannot be read.
pub fn contents(path: &Path) -> std::io::Result<Contents> {
    let data = std::fs::read(path)?;
    if let Ok(archive) = ArchiveFile::parse(&*data) {
        let mut members = Vec::new();
        let mut others = 0;
        for member in archive.members().flatten() {
            if member.data(&*data).is_ok_and(is_instrumented) {
                members.push(String::from_utf8_lossy(member.name()).into_owned());
            } else {
                others += 1;
            }
        }
        return Ok(match (members.is_empty(), others) {
            (true, _) => Contents::Plain,
            (false, 0) => Contents::Instrumented,
            (false, _) => Contents::Mixed(members),
        });
    }
    if !is_instrumented(&data) {
        return Ok(Contents::Plain);
    }
    let dynamic = object::File::parse(&*data).is_ok_and(|file| file.kind() == ObjectKind::Dynamic);
    Ok(if dynamic {
        Contents::Shared
    } else {
        Contents::Instrumented
    })
}

/// Which of these functions an object, or a member of an archive, defines. What cannot be read defines none.
pub fn defines<const N: usize>(path: &Path, names: [&str; N]) -> [bool; N] {
    let Ok(data) = std::fs::read(path) else {
        return [false; N];
    };
    let mut found = [false; N];
    let mut look = |data: &[u8]| {
        let Ok(file) = object::File::parse(data) else {
            return;
        };
        for symbol in file.symbols().filter(ObjectSymbol::is_definition) {
            for (found, name) in found.iter_mut().zip(names) {
                *found |= symbol.is_global() && symbol.name() == Ok(name);
            }
        }
    };
    match ArchiveFile::parse(&*data) {
        Ok(archive) => archive
            .members()
            .flatten()
            .filter_map(|member| member.data(&*data).ok())
            .for_each(look),
        Err(_) => look(&data),
    }
    found
}

fn is_instrumented(data: &[u8]) -> bool {
    object::File::parse(data).is_ok_and(|file| file.section_by_name(section::NAME).is_some())
}

/// The file that `-lNAME` means, if it is in one of the folders of `-L`.
pub fn library(name: &str, folders: &[PathBuf], only_static: bool) -> Option<PathBuf> {
    let names = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None if only_static => vec![format!("lib{name}.a")],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    folders
        .iter()
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| path.is_file())
}
