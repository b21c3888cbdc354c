//! Linking: the user's line, our runtime, and a note of the line itself for the judge.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::args::{Command, LinkItem};
use super::{Compiler, Language, run_visibly};

/// Section that carries [`LinkLine`] as JSON.
pub const SECTION: &str = ".bothways.link";

/// How a program was linked: what the judge needs to link its own build.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct LinkLine {
    /// Folder in which the linker ran.
    pub directory: PathBuf,
    /// Linked by `bothways c++`.
    pub cxx: bool,
    /// The line without sources and output: files that exist are absolute.
    pub items: Vec<LinkArg>,
}

/// One element of the line.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LinkArg {
    /// Object, archive or shared library.
    File(PathBuf),
    /// Anything else.
    Flag(String),
}

/// Links; `objects[i]` is the object of source `i`.
///
/// # Errors
/// The linker's failure as [`crate::errors::Printed`].
pub fn link(compiler: &Compiler, command: &Command, objects: &[PathBuf]) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut clang = compiler.clang();
    clang.arg("-Wno-unused-command-line-argument");
    if !command.has_linker
        && let Some(lld) = &compiler.toolchain.lld
    {
        clang.arg(format!("--ld-path={}", lld.display()));
    }
    for item in &command.link_items {
        match item {
            LinkItem::Source(index) => clang.arg(&objects[*index]),
            LinkItem::File(path) => clang.arg(path),
            LinkItem::Flag(flag) => clang.arg(flag),
        };
    }
    if command.shared {
        // The program that loads the library brings the runtime.
        clang.arg("-Wl,-z,undefs");
    } else if !command.relocatable {
        let note = note(compiler, command, scratch.path())?;
        clang
            .arg(note)
            .arg(&compiler.support.runtime)
            .arg(&compiler.support.models);
        clang.arg(&compiler.support.runtime);
        clang.args([
            "-Wl,--export-dynamic-symbol=__bw_*",
            "-lm",
            "-lpthread",
            "-ldl",
        ]);
    }
    if let Some(output) = &command.output {
        clang.arg("-o").arg(output);
    }
    run_visibly(&mut clang)
}

/// An object whose only content is the link line.
fn note(compiler: &Compiler, command: &Command, scratch: &Path) -> Result<PathBuf> {
    let items = command.link_items.iter().filter_map(|item| match item {
        LinkItem::Source(_) => None,
        LinkItem::File(path) => Some(LinkArg::File(
            std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        )),
        LinkItem::Flag(flag) => Some(LinkArg::Flag(flag.clone())),
    });
    let line = LinkLine {
        directory: std::env::current_dir()?,
        cxx: compiler.language == Language::Cxx,
        items: items.collect(),
    };
    let json = scratch.join("link.json");
    std::fs::write(&json, serde_json::to_vec(&line)?)?;
    let source = scratch.join("link.s");
    let text = format!(
        ".section {SECTION},\"\",@progbits\n.incbin \"{}\"\n",
        json.display()
    );
    std::fs::write(&source, text)?;
    let object = scratch.join("link.o");
    run_visibly(
        compiler
            .clang()
            .args(["-c", "-x", "assembler", "-o"])
            .arg(&object)
            .arg(&source),
    )?;
    Ok(object)
}
