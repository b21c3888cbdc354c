//! Test frameworks: one file each, one line in [`FLAVOURS`].

pub mod assert;
pub mod cmocka;
pub mod gtest;
pub mod unity;

use super::check::Check;

/// A test framework.
pub trait Flavour: Sync {
    /// What the user types behind `c-test=`.
    fn name(&self) -> &'static str;
    /// One line for lists.
    fn summary(&self) -> &'static str;
    /// Lines that bring the framework, behind the unit's text.
    fn include(&self, function: &str) -> String;
    /// A statement that makes a check.
    fn check(&self, check: &Check) -> String;
    /// Head of a test's definition.
    fn head(&self, test: &str) -> String;
    /// What stands at the end of the file: a `main`, mostly.
    fn tail(&self, tests: &[String]) -> String;
    /// The command that compiles and links a file: `FLAGS` stands for compiler flags, `LINK` for what is linked.
    fn compile(&self, file: &str) -> String;
    /// Where the framework comes from, where it is not the C library's.
    fn source(&self) -> Option<&'static str> {
        None
    }
    /// Other files, with their extensions.
    fn others(&self, _function: &str, _tests: &[String]) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Every flavour.
pub const FLAVOURS: &[&dyn Flavour] = &[
    &assert::Assert,
    &cmocka::Cmocka,
    &gtest::Gtest,
    &unity::Unity,
];

/// The flavour of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Flavour> {
    FLAVOURS
        .iter()
        .copied()
        .find(|flavour| flavour.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/unit_tests/flavour");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| name != "mod")
            .collect();
        files.sort();
        let names: Vec<&str> = FLAVOURS.iter().map(|flavour| flavour.name()).collect();
        assert_eq!(names, files);
        assert!(names.iter().all(|name| by_name(name).is_some()));
    }
}
