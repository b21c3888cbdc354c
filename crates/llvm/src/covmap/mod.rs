//! Parser of clang's coverage mapping (LLVM 19: versions 6 and 7 of the format), as it stands in the globals of the
//! bitcode: `__llvm_coverage_mapping` (file names) and one `__covrec_*` for each function. Source: "LLVM Code Coverage
//! Mapping Format" and what `llvm-cov` does with it, which is the judge's reading and therefore ours.
//!
//! Invariants:
//! - pure: bytes in, [`program::FunctionCoverage`] out; [`crate::read`] takes the bytes from the globals;
//! - the regions stand in the order of the record, which is that of `llvm-cov export`; lines and columns are those that
//!   it prints (a whole line ends in column `u32::MAX`);
//! - malformed bytes are an [`Error`], never a panic, and never more memory than a multiple of their length;
//! - expressions refer to existing expressions and never to themselves, so that evaluation ends.

mod cursor;
mod filenames;
pub mod md5;
mod record;

use std::collections::BTreeMap;

use program::FunctionCoverage;

pub use filenames::absolute;

/// Why a mapping cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// The bytes end too early.
    #[error("coverage mapping ends too early (at byte {at})")]
    Truncated { at: usize },
    /// Something has a value that it cannot have.
    #[error("coverage mapping is malformed: {what} (at byte {at})")]
    Malformed { what: &'static str, at: usize },
    /// The list of file names does not unpack.
    #[error("the compressed file names of the coverage mapping do not unpack")]
    Compressed,
    /// A version of the format that is none of clang 19's.
    #[error("coverage mapping has version {0}; versions 6 and 7 (clang 14 to 19) are understood")]
    Version(u32),
    /// A record refers to a list of file names that is not there.
    #[error("coverage record of `{0}` refers to unknown file names")]
    Files(String),
    /// In the record of a function.
    #[error("function `{name}`: {error}")]
    Function { name: String, error: Box<Error> },
}

/// The bytes of one module, as its globals hold them.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Initialisers of `__llvm_coverage_mapping`: usually one.
    pub headers: Vec<RawHeader>,
    /// Initialisers of `__covrec_*`, in the order of the module.
    pub records: Vec<RawRecord>,
    /// Contents of all `__profn_*`.
    pub names: Vec<Vec<u8>>,
}

/// Contents of a `__llvm_coverage_mapping`.
#[derive(Clone, Debug, Default)]
pub struct RawHeader {
    /// Fourth number of the header: version - 1.
    pub version: u32,
    /// The encoded list of file names.
    pub filenames: Vec<u8>,
}

/// Contents of a `__covrec_*`.
#[derive(Clone, Debug, Default)]
pub struct RawRecord {
    /// [`md5::hash`] of the profile name.
    pub name: u64,
    /// Hash of the function's structure.
    pub hash: u64,
    /// [`md5::hash`] of the encoded list of file names.
    pub filenames: u64,
    /// The encoded regions.
    pub data: Vec<u8>,
}

/// Decodes a module's mapping. `intern` gives the index of a file name in the program's list. The field `function` is
/// left empty, and `counters` is the smallest number that the regions allow: the reader of the module knows better.
///
/// A record whose name has no `__profn_*` is named by the number of its name.
pub fn decode(
    raw: &Raw,
    intern: &mut dyn FnMut(String) -> u32,
) -> Result<Vec<FunctionCoverage>, Error> {
    let mut tables: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for header in &raw.headers {
        // Versions are numbered from 0 in the file: 5 is version 6.
        if !(5..=6).contains(&header.version) {
            return Err(Error::Version(header.version + 1));
        }
        let files = filenames::read(&header.filenames)?
            .into_iter()
            .map(&mut *intern)
            .collect();
        tables.insert(md5::hash(&header.filenames), files);
    }
    let names: BTreeMap<u64, String> = raw
        .names
        .iter()
        .map(|name| (md5::hash(name), String::from_utf8_lossy(name).into_owned()))
        .collect();
    let mut functions = Vec::with_capacity(raw.records.len());
    for record in &raw.records {
        let name = names
            .get(&record.name)
            .cloned()
            .unwrap_or_else(|| format!("{:016x}", record.name));
        let files = tables
            .get(&record.filenames)
            .ok_or_else(|| Error::Files(name.clone()))?;
        let decoded = record::read(&record.data, files).map_err(|error| Error::Function {
            name: name.clone(),
            error: Box::new(error),
        })?;
        functions.push(FunctionCoverage {
            name,
            hash: record.hash,
            ..decoded
        });
    }
    Ok(functions)
}
