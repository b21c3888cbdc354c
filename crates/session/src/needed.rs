//! Shared libraries that a program needs, and those that are not in its model.
//!
//! Must hold: the C library and what belongs to it is not named: its functions have models or wrappers, or their losses are said.

use std::ffi::OsStr;
use std::path::Path;

use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader};

/// Libraries that every program has, by how their names begin.
const ORDINARY: &[&str] = &[
    "libc.so",
    "libm.so",
    "ld-linux",
    "libgcc_s.so",
    "libstdc++.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libatomic.so",
];

/// What a search that left goals open says of them: the libraries that a plain build of the program is linked with.
pub fn note(plain: &[u8]) -> Option<String> {
    let names = libraries(plain).unwrap_or_default();
    let (verb, pronoun) = match names.len() {
        0 => return None,
        1 => ("is", "it decides"),
        _ => ("are", "they decide"),
    };
    Some(format!(
        "{} {verb} not compiled by bothways: what {pronoun} about inputs is not seen; compiled from source with `bothways cc` and \
         linked in, it would be",
        names.join(", ")
    ))
}

/// The libraries that an executable needs, but for ordinary ones; `None` if it is no ELF file of 64 bits.
fn libraries(executable: &[u8]) -> Option<Vec<String>> {
    let is_ordinary = |name: &String| ORDINARY.iter().any(|start| name.starts_with(start));
    let names = dynamic(executable, elf::DT_NEEDED)?;
    Some(
        names
            .into_iter()
            .filter(|name| !is_ordinary(name))
            .collect(),
    )
}

/// Whether a program or library loads this library when it starts; one that is linked `--as-needed` may not. What cannot be read is.
pub fn loads(file: &[u8], library: &Path) -> bool {
    let Some(needed) = dynamic(file, elf::DT_NEEDED) else {
        return true;
    };
    let named = |name: &str| Path::new(name).file_name().map(OsStr::to_owned);
    let Ok(data) = std::fs::read(library) else {
        return true;
    };
    let names = dynamic(&data, elf::DT_SONAME).unwrap_or_default();
    let own = match names.first() {
        Some(name) => named(name),
        None => library.file_name().map(OsStr::to_owned),
    };
    needed.iter().any(|name| named(name) == own)
}

/// Texts that the dynamic section of an ELF file of 64 bits has under a tag.
fn dynamic(file: &[u8], tag: u32) -> Option<Vec<String>> {
    let header = FileHeader64::<LittleEndian>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, file).ok()?;
    let (entries, strings) = sections.dynamic(endian, file).ok()??;
    let strings = sections.strings(endian, file, strings).ok()?;
    let tagged = entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(tag));
    let texts = tagged.filter_map(|entry| {
        let text = strings.get(entry.val32(endian)?).ok()?;
        Some(String::from_utf8_lossy(text).into_owned())
    });
    Some(texts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_needs_nothing() {
        assert_eq!(note(b""), None);
        assert_eq!(note(b"\x7fELF, but no more"), None);
    }
}
