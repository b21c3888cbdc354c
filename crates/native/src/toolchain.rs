//! Where clang 19 and its companions are.
//!
//! Must hold: a tool is taken from its environment variable, else by its versioned name, else by its plain name if
//! that is version 19; only in the last case is it asked for its version, because that takes time.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cache, linker};

/// The major version that everything here is made for.
pub const VERSION: u32 = 19;

/// One of the programs that we call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// The C compiler.
    Clang,
    /// The C++ compiler.
    ClangXx,
    /// The linker.
    Lld,
    /// The archiver.
    Ar,
    /// Merges profiles.
    Profdata,
    /// Reports coverage.
    Cov,
    /// Says where an address stands in the source.
    Symbolizer,
}

impl Tool {
    /// Every tool.
    pub const ALL: &'static [Tool] = &[
        Tool::Clang,
        Tool::ClangXx,
        Tool::Lld,
        Tool::Ar,
        Tool::Profdata,
        Tool::Cov,
        Tool::Symbolizer,
    ];

    /// Plain name of the executable.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Tool::Clang => "clang",
            Tool::ClangXx => "clang++",
            Tool::Lld => "ld.lld",
            Tool::Ar => "llvm-ar",
            Tool::Profdata => "llvm-profdata",
            Tool::Cov => "llvm-cov",
            Tool::Symbolizer => "llvm-symbolizer",
        }
    }

    /// Environment variable that overrides the search.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Tool::Clang => "BOTHWAYS_CLANG",
            Tool::ClangXx => "BOTHWAYS_CLANGXX",
            Tool::Lld => "BOTHWAYS_LLD",
            Tool::Ar => "BOTHWAYS_LLVM_AR",
            Tool::Profdata => "BOTHWAYS_LLVM_PROFDATA",
            Tool::Cov => "BOTHWAYS_LLVM_COV",
            Tool::Symbolizer => "BOTHWAYS_LLVM_SYMBOLIZER",
        }
    }

    /// Debian package that has it.
    #[must_use]
    pub const fn package(self) -> &'static str {
        match self {
            Tool::Clang | Tool::ClangXx => "clang-19",
            Tool::Lld => "lld-19",
            Tool::Ar | Tool::Profdata | Tool::Cov | Tool::Symbolizer => "llvm-19",
        }
    }

    /// Finds it.
    ///
    /// # Errors
    /// When it is missing, or of another version.
    pub fn find(self) -> Result<PathBuf, ToolError> {
        if let Some(value) = std::env::var_os(self.variable()).filter(|value| !value.is_empty()) {
            return on_path(&value).ok_or_else(|| ToolError::Override {
                tool: self,
                value: value.to_string_lossy().into_owned(),
            });
        }
        let versioned = format!("{}-{VERSION}", self.name());
        if let Some(path) = on_path(OsStr::new(&versioned)) {
            return Ok(path);
        }
        let Some(path) = on_path(OsStr::new(self.name())) else {
            return Err(ToolError::Missing { tool: self });
        };
        match version(&path) {
            Some(VERSION) => Ok(path),
            found => Err(ToolError::Version {
                tool: self,
                path,
                found,
            }),
        }
    }
}

/// A tool that we need is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Nowhere on the path.
    #[error("{} (version {VERSION}) is missing: apt-get install {}", tool.name(), tool.package())]
    Missing {
        /// Which.
        tool: Tool,
    },
    /// Only another version is there.
    #[error("{} is version {}, version {VERSION} is needed: apt-get install {}", path.display(), Found(*found), tool.package())]
    Version {
        /// Which.
        tool: Tool,
        /// What was found.
        path: PathBuf,
        /// Its version, if it says one.
        found: Option<u32>,
    },
    /// The environment variable names something that cannot be executed.
    #[error("{}={value}: no such program; unset it, or apt-get install {}", tool.variable(), tool.package())]
    Override {
        /// Which.
        tool: Tool,
        /// The variable's value.
        value: String,
    },
}

struct Found(Option<u32>);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(version) => write!(f, "{version}"),
            None => f.write_str("unknown"),
        }
    }
}

/// clang, and what stands beside it. The judge's tools are looked for when they are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The C compiler.
    pub clang: PathBuf,
    /// The linker; without it clang's default is used.
    pub lld: Option<PathBuf>,
}

impl Toolchain {
    /// Finds clang.
    ///
    /// # Errors
    /// When it is missing, or of another version.
    pub fn find() -> Result<Toolchain, ToolError> {
        Ok(Toolchain {
            clang: Tool::Clang.find()?,
            lld: Tool::Lld.find().ok(),
        })
    }

    /// The C++ compiler: the one beside the C compiler if there is one.
    #[must_use]
    pub fn clangxx(&self) -> PathBuf {
        if std::env::var_os(Tool::ClangXx.variable()).is_none() {
            let name = self
                .clang
                .file_name()
                .and_then(OsStr::to_str)
                .unwrap_or_default();
            let beside = self
                .clang
                .with_file_name(name.replacen("clang", "clang++", 1));
            if name.contains("clang") && is_executable(&beside) {
                return beside;
            }
        }
        Tool::ClangXx
            .find()
            .unwrap_or_else(|_| PathBuf::from(Tool::ClangXx.name()))
    }

    /// The same link without starting clang, where that is possible. `clang` calls the linker by `--ld-path`, if at all.
    #[must_use]
    pub fn linking(&self, clang: Command) -> Command {
        match (&self.lld, cache::chosen().or_else(cache::own)) {
            (Some(lld), Some(cache)) => linker::direct(clang, lld, &cache.join("links")),
            _ => clang,
        }
    }

    /// An archiver: LLVM's, else the system's.
    #[must_use]
    pub fn ar(&self) -> PathBuf {
        Tool::Ar.find().unwrap_or_else(|_| PathBuf::from("ar"))
    }
}

/// A program by name or path, as the shell would find it.
fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return is_executable(path).then(|| path.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(path))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Major version that a program prints when asked.
#[must_use]
pub fn version(path: &Path) -> Option<u32> {
    let output = Command::new(path).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// `… clang version 19.1.4 (3)`, `LLD 19.1.4 (…)`, `LLVM version 19.1.4`.
fn parse_version(text: &str) -> Option<u32> {
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let word = text.split_whitespace().find(is_version)?;
    word.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            parse_version("Debian clang version 19.1.4 (1~deb12u1)\nTarget: x"),
            Some(19)
        );
        assert_eq!(
            parse_version("Debian LLD 19.1.4 (compatible with GNU linkers)"),
            Some(19)
        );
        assert_eq!(
            parse_version("Debian LLVM version 14.0.6\n  Optimized build."),
            Some(14)
        );
        assert_eq!(parse_version("nothing"), None);
    }

    #[test]
    fn errors_name_the_package() {
        let missing = ToolError::Missing { tool: Tool::Cov };
        assert_eq!(
            missing.to_string(),
            "llvm-cov (version 19) is missing: apt-get install llvm-19"
        );
        let old = ToolError::Version {
            tool: Tool::Clang,
            path: "/x/clang".into(),
            found: Some(14),
        };
        assert_eq!(
            old.to_string(),
            "/x/clang is version 14, version 19 is needed: apt-get install clang-19"
        );
    }

    #[test]
    fn programs_are_found_as_by_the_shell() {
        assert!(on_path(OsStr::new("sh")).is_some());
        assert!(on_path(OsStr::new("/bin/sh")).is_some());
        assert_eq!(on_path(OsStr::new("no-such-program")), None);
    }
}
