//! Shared libraries of a program that are not in its model.
//!
//! Must hold: the C library and what belongs to it is not named: its functions have models or wrappers, or their losses are said.

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
    let header = FileHeader64::<LittleEndian>::parse(executable).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, executable).ok()?;
    let (entries, strings) = sections.dynamic(endian, executable).ok()??;
    let strings = sections.strings(endian, executable, strings).ok()?;
    let needed = entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
    let names = needed.filter_map(|entry| {
        let name = strings.get(entry.val32(endian)?).ok()?;
        Some(String::from_utf8_lossy(name).into_owned())
    });
    let is_ordinary = |name: &String| ORDINARY.iter().any(|start| name.starts_with(start));
    Some(names.filter(|name| !is_ordinary(name)).collect())
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
