//! The shape of a function record as `llvm-cov` sees it: which of its files is the main one, which macros and
//! includes are expanded where, and which records are instantiations of the same function.
//!
//! Follows `CoverageMapping.cpp` of LLVM 19 (`findMainViewFileID`, `FunctionInstantiationSetCollector`).

use program::{FunctionCoverage, Region, RegionKind, SourceRange};

/// Files of a function record and how they hang together. File numbers index [`FunctionCoverage::files`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The file that the function stands in: the first that is not expanded into another.
    main: Option<u32>,
    /// For each file, where it is expanded.
    expanded_at: Vec<Option<(u32, SourceRange)>>,
    /// For each file, whether it is the main one or expanded (through others) into it.
    shown: Vec<bool>,
}

impl Shape {
    /// Reads the shape off the expansion regions.
    #[must_use]
    pub fn new(record: &FunctionCoverage) -> Shape {
        let files = record.files.len();
        let mut expanded_at = vec![None; files];
        for region in &record.regions {
            if let RegionKind::Expansion { file } = region.kind
                && let Some(slot) = expanded_at.get_mut(file as usize)
                && slot.is_none()
            {
                *slot = Some((region.file, region.range));
            }
        }
        let main = (0u32..)
            .zip(&expanded_at)
            .find(|(_, parent)| parent.is_none())
            .map(|(file, _)| file);
        let mut shape = Shape {
            main,
            expanded_at,
            shown: Vec::new(),
        };
        shape.shown = (0u32..)
            .take(files)
            .map(|file| main == Some(shape.root(file)))
            .collect();
        shape
    }

    /// The file that the function stands in. `None` for a record that `llvm-cov` does not count.
    #[must_use]
    pub const fn main(&self) -> Option<u32> {
        self.main
    }

    /// Do the regions of this file count?
    #[must_use]
    pub fn is_shown(&self, file: u32) -> bool {
        self.shown.get(file as usize).copied().unwrap_or(false)
    }

    /// Where a file (a macro's or an include's text) is expanded, innermost first, up to the main file.
    pub fn expansions(&self, file: u32) -> impl Iterator<Item = (u32, SourceRange)> {
        let parent = |file: u32| self.expanded_at.get(file as usize).copied().flatten();
        let limit = self.expanded_at.len();
        std::iter::successors(parent(file), move |(outer, _)| parent(*outer)).take(limit)
    }

    /// Where the function starts: the first region of the main file that is no condition. Records with the same main
    /// file and start are instantiations of one function.
    #[must_use]
    pub fn start(&self, record: &FunctionCoverage) -> Option<(u32, u32)> {
        let main = self.main?;
        let counted = |region: &&Region| {
            region.file == main
                && !matches!(
                    region.kind,
                    RegionKind::Branch { .. }
                        | RegionKind::McdcBranch { .. }
                        | RegionKind::McdcDecision { .. }
                )
        };
        let first = record.regions.iter().find(counted)?;
        Some((first.range.line, first.range.col))
    }

    /// The outermost file that a file is expanded into; one of a circle, where expansions go in one.
    fn root(&self, file: u32) -> u32 {
        self.expansions(file)
            .last()
            .map_or(file, |(outer, _)| outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Builder;
    use program::Counter;

    /// Files: `a.c`; a macro in it, and one in that; two that are expanded in each other; one that nothing expands.
    #[test]
    fn a_function_starts_in_its_own_file_with_code() {
        let mut builder = Builder::new();
        builder.function("main", 1, &["a.c", "m.h", "n.h", "x.h", "y.h", "lost.h"]);
        let one = Counter::Counter(0);
        builder.region(1, (7, 7), RegionKind::Code, one);
        builder.condition(0, (1, 1), one);
        for (file, line, inner) in [(0, 5, 1), (1, 9, 2), (3, 2, 4), (4, 3, 3)] {
            builder.region(file, (line, 3), RegionKind::Expansion { file: inner }, one);
        }
        builder.region(0, (3, 30), RegionKind::Code, one);
        let record = builder.last();
        let shape = Shape::new(record);
        assert_eq!(shape.main(), Some(0));
        assert_eq!(shape.start(record), Some((5, 3)), "an expansion is code");
        let shown: Vec<u32> = (0..7).filter(|file| shape.is_shown(*file)).collect();
        assert_eq!(shown, [0, 1, 2]);
        let lines = |file| -> Vec<u32> {
            let outer = shape.expansions(file);
            outer.map(|(_, range)| range.line).collect()
        };
        assert_eq!((lines(0), lines(2)), (vec![], vec![9, 5]));
        assert_eq!(lines(3).len(), 6, "a circle ends");
    }
}
