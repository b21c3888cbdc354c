//! Profiles: merging what the tests wrote, and asking `llvm-cov` what it covers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use report::judge::{JudgeReport, llvm_cov};

use super::{JudgeFault, call};
use crate::toolchain::Tool;

/// Merges raw profiles into `output`. Files that are broken (a test was killed while it wrote) are left out.
///
/// # Errors
/// When the tool is missing or no file can be read.
pub fn merge(raw: &[PathBuf], output: &Path) -> Result<(), JudgeFault> {
    let tool = Tool::Profdata.find()?;
    let list = output.with_extension("list");
    let lines: Vec<String> = raw.iter().map(|path| path.display().to_string()).collect();
    fs::write(&list, lines.join("\n")).map_err(JudgeFault::path("write", &list))?;
    let mut input = std::ffi::OsString::from("--input-files=");
    input.push(&list);
    let mut command = Command::new(&tool);
    command
        .args(["merge", "-sparse", "--failure-mode=all"])
        .arg(input)
        .arg("-o")
        .arg(output);
    let result = call(&tool, &mut command).map(|_| ());
    let _ = fs::remove_file(&list);
    result
}

/// `llvm-cov export` of one executable under a merged profile, as JSON.
///
/// # Errors
/// When the tool is missing or fails.
pub fn export(executable: &Path, profile: &Path) -> Result<String, JudgeFault> {
    let tool = Tool::Cov.find()?;
    let mut command = Command::new(&tool);
    command
        .args([
            "export",
            "-format=text",
            "-skip-expansions",
            "-instr-profile",
        ])
        .arg(profile)
        .arg(executable);
    let text = call(&tool, &mut command)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Asks `llvm-cov` what a profile covers, and reads the answer.
///
/// # Errors
/// Also when the export cannot be read.
pub fn report(executable: &Path, profile: &Path) -> Result<JudgeReport, JudgeFault> {
    Ok(llvm_cov::parse(&export(executable, profile)?)?)
}
