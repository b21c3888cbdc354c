//! Makes the wrappers in the runtime archive weak, so that a program's own function of such a name comes before ours.
//! (Rust has no stable way to say so of one symbol.)
//!
//! What must hold: nothing changes but the binding of these symbols.

use crate::error::{Context, Result};
use object::LittleEndian;
use object::elf::{self, FileHeader64, STB_GLOBAL, STB_WEAK, Sym64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, Sym};
use wire::fail;
use wire::libc::WRAPPED_PREFIX;

/// The archive with weak wrappers.
///
/// # Errors
/// It is no archive of x86-64 objects.
pub fn weakened(mut archive: Vec<u8>) -> Result<Vec<u8>> {
    let places =
        bindings(&archive).context("the runtime archive cannot be read: build it again")?;
    for place in places {
        archive[place] = (STB_WEAK << 4) | (archive[place] & 0xf);
    }
    Ok(archive)
}

/// Where in the archive the `st_info` of each wrapper is.
fn bindings(archive: &[u8]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for member in ArchiveFile::parse(archive)?.members() {
        let member = member?;
        let data = member.data(archive)?;
        let start = usize::try_from(member.file_range().0)?;
        let Ok(header) = FileHeader64::<LittleEndian>::parse(data) else {
            continue;
        };
        let endian = header.endian()?;
        let sections = header.sections(endian, data)?;
        let symbols = sections.symbols(endian, data, elf::SHT_SYMTAB)?;
        let Some(first) = symbols.symbols().first() else {
            continue;
        };
        let table = std::ptr::from_ref(first).addr() - data.as_ptr().addr();
        for (index, symbol) in symbols.enumerate() {
            let name = symbol.name(endian, symbols.strings())?;
            let ours = [WRAPPED_PREFIX, fail::PREFIX];
            let is_wrapper = ours
                .iter()
                .any(|prefix| name.starts_with(prefix.as_bytes()));
            // A weak reference would fetch nothing from an archive.
            let is_defined = !symbol.is_undefined(endian);
            if symbol.st_bind() == STB_GLOBAL && is_defined && is_wrapper {
                let size = size_of::<Sym64<LittleEndian>>();
                let info = std::mem::offset_of!(Sym64<LittleEndian>, st_info);
                places.push(start + table + index.0 * size + info);
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(weakened(b"not an archive".to_vec()).is_err());
    }
}
