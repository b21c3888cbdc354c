//! Where caches are, and how files in them are written.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that the user named for everything (`BOTHWAYS_CACHE`).
#[must_use]
pub fn chosen() -> Option<PathBuf> {
    std::env::var_os("BOTHWAYS_CACHE").map(PathBuf::from)
}

/// Our folder in the user's own cache.
#[must_use]
pub fn own() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    cache.or(home).map(|cache| cache.join("bothways"))
}

/// Writes a file in one step: two commands may do it at the same time.
///
/// # Errors
/// It cannot be written.
///
/// # Panics
/// The path has no folder.
pub fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().expect("the path has a folder");
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}
