//! The text form of a range of the source: `2:7..2:12`.

use crate::place::SourceRange;

/// The text of a range.
pub(super) fn print(range: SourceRange) -> String {
    format!(
        "{}:{}..{}:{}",
        range.line, range.col, range.end_line, range.end_col
    )
}
