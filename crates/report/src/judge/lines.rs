//! How often the judge saw each line of a file: what `llvm-cov` makes of the places where counts change (LLVM 19,
//! `LineCoverageStats` of its `CoverageMapping`).
//!
//! Must hold: the lines and counts are those of `llvm-cov export -format=lcov`.

use crate::judge::llvm_cov::Segment;

/// Lines with code and their counts, by line.
#[must_use]
pub fn counts(segments: &[Segment]) -> Vec<(u32, u64)> {
    let mut lines = Vec::new();
    let Some(first) = segments.first() else {
        return lines;
    };
    let mut rest = segments;
    let mut line = first.0;
    let mut wrapped: Option<&Segment> = None;
    while !rest.is_empty() {
        let count = rest.iter().take_while(|segment| segment.0 == line).count();
        let (own, behind) = rest.split_at(count);
        lines.extend(of_line(own, wrapped).map(|count| (line, count)));
        wrapped = own.last().or(wrapped);
        rest = behind;
        line += 1;
    }
    lines
}

/// The count of one line; `None` if it has no code. `wrapped`: the last place before it.
fn of_line(own: &[Segment], wrapped: Option<&Segment>) -> Option<u64> {
    let starts = |segment: &&Segment| {
        let Segment(_, _, _, has_count, is_entry, is_gap) = **segment;
        has_count && is_entry && !is_gap
    };
    let skipped = own.first().is_some_and(|first| !first.3 && first.4);
    let goes_on = wrapped.filter(|segment| segment.3);
    let counted = own.iter().any(|segment| segment.3 && segment.4);
    if !counted && (skipped || goes_on.is_none()) {
        return None;
    }
    let begun = own.iter().filter(starts).map(|segment| segment.2).max();
    // What has no count has 0.
    Some(
        wrapped
            .map_or(0, |segment| segment.2)
            .max(begun.unwrap_or(0)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_nested_regions() {
        // int f(int x) {          3 times
        //   if (x)
        //     return 1;           once
        //                          (a gap, then the rest)
        //   return 0;             twice
        // }
        let segments = [
            Segment(1, 14, 3, true, true, false),
            Segment(2, 8, 1, true, true, true),
            Segment(3, 5, 1, true, true, false),
            Segment(3, 13, 2, true, true, true),
            Segment(5, 3, 2, true, true, false),
            Segment(6, 2, 0, false, false, false),
        ];
        let expected = [(1, 3), (2, 3), (3, 1), (4, 2), (5, 2), (6, 2)];
        assert_eq!(counts(&segments), expected);
        assert_eq!(counts(&[]), []);
    }
}
