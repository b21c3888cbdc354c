//! Shared samples and helpers of the tests.

use std::collections::BTreeSet;
use std::path::Path;

/// Checks that a registry has exactly the plug-ins of its folder.
pub fn check_folder<'a>(folder: &str, registered: impl Iterator<Item = &'a str>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files: BTreeSet<String> = std::fs::read_dir(path)
        .expect("the folder of plug-ins")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| name != "mod.rs")
        .map(|name| name.trim_end_matches(".rs").replace('_', "-"))
        .collect();
    let registered: BTreeSet<String> = registered.map(str::to_owned).collect();
    assert_eq!(registered, files, "registry and folder {folder} differ");
}
