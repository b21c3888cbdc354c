//! Places and ranges of the source.

/// A place in the source. Lines and columns count from 1; 0 is "unknown", as in debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc {
    /// Index into [`Program::files`](crate::Program::files).
    pub file: u32,
    pub line: u32,
    pub col: u32,
}

/// A range of the source: lines and columns count from 1, the end column is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceRange {
    pub line: u32,
    pub col: u32,
    pub end_line: u32,
    pub end_col: u32,
}
