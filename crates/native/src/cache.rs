//! Where the user's cache is.

use std::path::{Path, PathBuf};

/// Folders that a part of the cache may be in, the wanted one first: `BOTHWAYS_CACHE` itself, then `bothways/NAME` in the user's own
/// cache.
#[must_use]
pub fn folders(name: &str) -> Vec<PathBuf> {
    let chosen = std::env::var_os("BOTHWAYS_CACHE").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let own = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let own = own.or(home).map(|cache| cache.join("bothways").join(name));
    chosen.into_iter().chain(own).collect()
}
