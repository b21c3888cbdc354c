//! `--emit c-test`: the suite of a function as C files that compile against the unit.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use coverage::suite::Test;
use harness::ctest::flavour::{self, FLAVOURS, Flavour};
use harness::ctest::{Case, File, Number};
use harness::observe::Seen;
use native::toolchain::Toolchain;

use super::Under;
use crate::test::output::Folder;

/// Folder of the files in the suite.
const FOLDER: &str = "c-test";

/// The framework that a word of `--emit` names: `c-test`, `c-test=unity`; `None` if the word is about something else.
///
/// # Errors
/// There is no such framework.
pub fn flavour_of(word: &str) -> Result<Option<&'static dyn Flavour>> {
    let Some(rest) = word.strip_prefix("c-test") else {
        return Ok(None);
    };
    let name = match rest.strip_prefix('=') {
        Some(name) => name,
        None if rest.is_empty() => "assert",
        None => return Ok(None),
    };
    let Some(flavour) = flavour::by_name(name) else {
        let all: Vec<&str> = FLAVOURS.iter().map(|flavour| flavour.name()).collect();
        bail!(
            "c-test has no flavour `{name}`; flavours: {}",
            all.join(", ")
        );
    };
    Ok(Some(flavour))
}

impl Under {
    /// Writes the C tests. What to tell the user: tests that could not be written.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write_ctests(
        &self,
        folder: &Folder,
        tests: &[Test],
        seen: &[Seen],
        flavours: &[&dyn Flavour],
    ) -> Result<Vec<String>> {
        let cases: Vec<Case> = tests
            .iter()
            .zip(seen)
            .map(|(test, seen)| case(test, seen))
            .collect();
        let unit = self.unit.display().to_string();
        let file = File {
            plan: &self.plan,
            types: &self.types,
            leaves: self.leaves.as_deref().unwrap_or_default(),
            unit: &unit,
            flags: &self.flags.join(" "),
        };
        let mut notes = Vec::new();
        for flavour in flavours {
            let mut name = format!("{FOLDER}/test_{}", self.name);
            if flavours.len() > 1 {
                name = format!("{FOLDER}/{}/test_{}", flavour.name(), self.name);
            }
            let place = folder.path().join(&name);
            let unit = crate::sources::relative(&self.unit, place.parent().unwrap_or(&place));
            let file = File {
                unit: &unit,
                ..file
            };
            for (extension, text) in file.text(&cases, *flavour) {
                let path = PathBuf::from(format!("{name}.{extension}"));
                folder.write(&path, text.as_bytes())?;
            }
            let left_out = cases.iter().filter(|case| !case.seen.ended).count();
            if left_out > 0 {
                notes.push(format!(
                    "c-test: {left_out} of {} tests do not return and are left out",
                    cases.len()
                ));
            }
            if flavour.name() == "assert" {
                let path = folder.path().join(format!("{name}.c"));
                notes.extend(self.compile(&path)?);
            }
        }
        notes.dedup();
        Ok(notes)
    }

    /// Says what is wrong with a file, if it does not compile.
    fn compile(&self, path: &std::path::Path) -> Result<Option<String>> {
        let clang = Toolchain::find()?.clang;
        let output = std::process::Command::new(clang)
            .args(&self.flags)
            .args(["-fsyntax-only", "-w"])
            .arg(path)
            .output()
            .context("cannot run clang")?;
        if output.status.success() {
            return Ok(None);
        }
        let messages = String::from_utf8_lossy(&output.stderr);
        let first = messages.lines().find(|line| line.contains("error: "));
        Ok(Some(format!(
            "c-test does not compile: {}",
            first.unwrap_or_default()
        )))
    }
}

fn case(test: &Test, seen: &Seen) -> Case {
    use coverage::suite::ValueType;
    let values = test.values.iter().map(|value| {
        let number = match value.kind {
            ValueType::F32 => Number::F32(f32::from_bits(value.bits as u32)),
            ValueType::F64 => Number::F64(f64::from_bits(value.bits as u64)),
            kind if kind.is_signed() => Number::Integer(kind.sign_extend(value.bits)),
            _ => Number::Integer(value.bits as i128),
        };
        let name = match value.element {
            Some(element) => format!("{}[{element}]", value.name),
            None => value.name.clone(),
        };
        (name, number)
    });
    Case {
        number: test.number,
        values: values.collect(),
        stream: test
            .streams
            .iter()
            .find(|stream| stream.name == "stdin")
            .map(|stream| stream.bytes.clone())
            .unwrap_or_default(),
        covers: test.covers.iter().map(ToString::to_string).collect(),
        seen: seen.clone(),
    }
}
