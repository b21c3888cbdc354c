//! One function's record: virtual files, expressions, regions.

use program::{Counter, Expr, ExprOp, FunctionCoverage, Region, RegionKind, SourceRange};

use super::Error;
use super::cursor::Cursor;

/// Numbers of region kinds in the encoding.
const CODE: u32 = 0;
const SKIPPED: u32 = 2;
const BRANCH: u32 = 4;
const MCDC_DECISION: u32 = 5;
const MCDC_BRANCH: u32 = 6;

/// Bit of the end column that says "gap".
const GAP: u32 = 1 << 31;

struct Reader<'a> {
    cursor: Cursor<'a>,
    expressions: Vec<Expr>,
    files: u32,
}

/// Decodes the bytes of a record. `table`: the translation unit's file names as indices of the program's list.
pub fn read(data: &[u8], table: &[u32]) -> Result<FunctionCoverage, Error> {
    let mut cursor = Cursor::new(data);
    let count = cursor.count()?;
    let mut files = Vec::with_capacity(count);
    for _ in 0..count {
        let at = cursor.at();
        let index = cursor.number()?;
        let file = usize::try_from(index)
            .ok()
            .and_then(|index| table.get(index));
        files.push(*file.ok_or(Error::Malformed {
            what: "a file number",
            at,
        })?);
    }
    let mut reader = Reader {
        cursor,
        expressions: Vec::new(),
        files: u32::try_from(count).unwrap_or(u32::MAX),
    };
    reader.expressions()?;
    let mut regions = Vec::new();
    for file in 0..reader.files {
        reader.regions(file, &mut regions)?;
    }
    expansions(&mut regions, count);
    let counters = counters(&reader.expressions, &regions);
    Ok(FunctionCoverage {
        counters,
        files,
        expressions: reader.expressions,
        regions,
        ..FunctionCoverage::default()
    })
}

impl Reader<'_> {
    fn expressions(&mut self) -> Result<(), Error> {
        let count = self.cursor.count()?;
        self.expressions = vec![
            Expr {
                op: ExprOp::Sub,
                lhs: Counter::Zero,
                rhs: Counter::Zero
            };
            count
        ];
        for index in 0..count {
            let lhs = self.counter()?;
            let rhs = self.counter()?;
            self.expressions[index].lhs = lhs;
            self.expressions[index].rhs = rhs;
        }
        self.check_expressions_end()
    }

    /// No expression may contain itself. Iterative: records may come from anywhere, and the stack is finite.
    fn check_expressions_end(&self) -> Result<(), Error> {
        let mut state = vec![0_u8; self.expressions.len()];
        for start in 0..self.expressions.len() {
            let mut stack = vec![(start, false)];
            while let Some((index, done)) = stack.pop() {
                if done {
                    state[index] = 2;
                    continue;
                }
                match state[index] {
                    2 => continue,
                    1 => {
                        return Err(Error::Malformed {
                            what: "an expression contains itself",
                            at: self.cursor.at(),
                        });
                    }
                    _ => state[index] = 1,
                }
                stack.push((index, true));
                let expression = self.expressions[index];
                for operand in [expression.lhs, expression.rhs] {
                    let Counter::Expr(operand) = operand else {
                        continue;
                    };
                    match state[operand as usize] {
                        1 => {
                            return Err(Error::Malformed {
                                what: "an expression contains itself",
                                at: self.cursor.at(),
                            });
                        }
                        0 => stack.push((operand as usize, false)),
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn counter(&mut self) -> Result<Counter, Error> {
        let at = self.cursor.at();
        let code = self.cursor.small()?;
        self.decode(code, at)
    }

    /// The low two bits say what it is; an expression's kind is encoded where it is used.
    fn decode(&mut self, code: u32, at: usize) -> Result<Counter, Error> {
        let id = code >> 2;
        let op = match code & 3 {
            0 => return Ok(Counter::Zero),
            1 => return Ok(Counter::Counter(id)),
            2 => ExprOp::Sub,
            _ => ExprOp::Add,
        };
        let expression = self
            .expressions
            .get_mut(id as usize)
            .ok_or(Error::Malformed {
                what: "an expression number",
                at,
            })?;
        expression.op = op;
        Ok(Counter::Expr(id))
    }

    fn condition(&mut self) -> Result<u16, Error> {
        let at = self.cursor.at();
        u16::try_from(self.cursor.small()?).map_err(|_| Error::Malformed {
            what: "a condition number",
            at,
        })
    }

    fn regions(&mut self, file: u32, regions: &mut Vec<Region>) -> Result<(), Error> {
        let count = self.cursor.count()?;
        let mut line = 0_u32;
        for _ in 0..count {
            let (kind, counter) = self.kind()?;
            let at = self.cursor.at();
            let (delta, start) = (self.cursor.small()?, self.cursor.small()?);
            let (lines, end) = (self.cursor.small()?, self.cursor.small()?);
            let overflow = Error::Malformed {
                what: "a line number",
                at,
            };
            let (Some(start_line), Some(end_line)) = (
                line.checked_add(delta),
                line.checked_add(delta)
                    .and_then(|line| line.checked_add(lines)),
            ) else {
                return Err(overflow);
            };
            line = start_line;
            let kind = if end & GAP == 0 {
                kind
            } else {
                RegionKind::Gap
            };
            let range = match (start, end & !GAP) {
                // The encoding's short form of "the whole line".
                (0, 0) => SourceRange {
                    line,
                    col: 1,
                    end_line,
                    end_col: u32::MAX,
                },
                (col, end_col) => SourceRange {
                    line,
                    col,
                    end_line,
                    end_col,
                },
            };
            if (range.line, range.col) > (range.end_line, range.end_col) {
                return Err(Error::Malformed {
                    what: "a region ends before it starts",
                    at,
                });
            }
            regions.push(Region {
                kind,
                count: counter,
                file,
                range,
            });
        }
        Ok(())
    }

    fn kind(&mut self) -> Result<(RegionKind, Counter), Error> {
        let at = self.cursor.at();
        let code = self.cursor.small()?;
        if code & 3 != 0 {
            return Ok((RegionKind::Code, self.decode(code, at)?));
        }
        if code & 4 != 0 {
            let file = code >> 3;
            if file >= self.files {
                return Err(Error::Malformed {
                    what: "the file of an expansion",
                    at,
                });
            }
            return Ok((RegionKind::Expansion { file }, Counter::Zero));
        }
        match code >> 3 {
            CODE => Ok((RegionKind::Code, Counter::Zero)),
            SKIPPED => Ok((RegionKind::Skipped, Counter::Zero)),
            BRANCH => {
                let count = self.counter()?;
                Ok((
                    RegionKind::Branch {
                        false_count: self.counter()?,
                    },
                    count,
                ))
            }
            MCDC_DECISION => {
                let (bitmap, conditions) = (self.cursor.small()?, self.condition()?);
                Ok((
                    RegionKind::McdcDecision { bitmap, conditions },
                    Counter::Zero,
                ))
            }
            MCDC_BRANCH => {
                let count = self.counter()?;
                let false_count = self.counter()?;
                // Condition numbers start at 1 in the encoding; 0 is "none: the decision is made".
                let id = self.condition()?.checked_sub(1);
                let id = id.ok_or(Error::Malformed {
                    what: "a condition number",
                    at,
                })?;
                let true_next = self.condition()?.checked_sub(1);
                let false_next = self.condition()?.checked_sub(1);
                Ok((
                    RegionKind::McdcBranch {
                        false_count,
                        id,
                        true_next,
                        false_next,
                    },
                    count,
                ))
            }
            _ => Err(Error::Malformed {
                what: "a region kind",
                at,
            }),
        }
    }
}

/// The counter of an expansion is that of the first region of the expanded file, through all levels.
fn expansions(regions: &mut [Region], files: usize) {
    let mut first: Vec<Option<usize>> = vec![None; files];
    for (index, region) in regions.iter().enumerate() {
        first[region.file as usize].get_or_insert(index);
    }
    for index in 0..regions.len() {
        let mut at = index;
        // A chain longer than the number of files is a circle.
        for _ in 0..files {
            let RegionKind::Expansion { file } = regions[at].kind else {
                break;
            };
            let Some(next) = first[file as usize] else {
                break;
            };
            at = next;
        }
        if at != index {
            regions[index].count = regions[at].count;
        }
    }
}

/// Largest counter that is used, plus 1.
fn counters(expressions: &[Expr], regions: &[Region]) -> u32 {
    let used = |counter: Counter| match counter {
        Counter::Counter(id) => id + 1,
        Counter::Zero | Counter::Expr(_) => 0,
    };
    let expressions = expressions
        .iter()
        .map(|expression| used(expression.lhs).max(used(expression.rhs)));
    let regions = regions.iter().map(|region| match region.kind {
        RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. } => {
            used(region.count).max(used(false_count))
        }
        _ => used(region.count),
    });
    expressions.chain(regions).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_with_one_region() {
        let record = read(b"\x01\x01\x00\x01\x01\x11!\x007", &[7, 8]).unwrap();
        assert_eq!(record.files, [8]);
        assert_eq!(record.counters, 1);
        let [region] = record.regions.as_slice() else {
            panic!("{record:?}")
        };
        assert_eq!(region.count, Counter::Counter(0));
        assert_eq!(
            region.range,
            SourceRange {
                line: 17,
                col: 33,
                end_line: 17,
                end_col: 55
            }
        );
    }

    #[test]
    fn mcdc_regions() {
        let bytes = b"\x01\x01\x05\x01\x11\x11\x15\x09\x0D\x01\x05\x01\x05\x0E\x01\x01\x1C\x00F\x01\x00\x22\x00*\x01\x00\
            \x22\x00/(\x05\x03\x00\x22\x00/\x01\x00#\x00$0\x11\x02\x01\x03\x02\x00#\x00$\x11\x00(\x00)0\x15\x06\x03\x00\x02\
            \x00(\x00)\x09\x00.\x00/0\x0A\x0D\x02\x00\x00\x00.\x00/\x05\x000\x00\xB1\x80\x80\x80\x08\x05\x001\x009\x12\x00:\
            \x00\xBB\x80\x80\x80\x08\x12\x00;\x00C";
        let record = read(bytes, &[0, 1]).unwrap();
        let kinds: Vec<_> = record.regions.iter().map(|region| region.kind).collect();
        assert!(kinds.contains(&RegionKind::McdcDecision {
            bitmap: 5,
            conditions: 3
        }));
        let branches: Vec<_> = kinds
            .iter()
            .filter_map(|kind| match *kind {
                RegionKind::McdcBranch {
                    id,
                    true_next,
                    false_next,
                    ..
                } => Some((id, true_next, false_next)),
                _ => None,
            })
            .collect();
        assert_eq!(
            branches,
            [(0, Some(2), Some(1)), (2, None, Some(1)), (1, None, None)]
        );
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let good = b"\x02\x01\x01\x02\x01\x05\x02\x05\x02\x01\x01\x02\x00\x09 \x05\x02\x00\x02\x00\x03\x01\x04\x00\x00\x05\x07";
        let mut seed = 1_u32;
        for _ in 0..100_000 {
            let mut bytes = good.to_vec();
            for _ in 0..3 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (seed >> 8) as usize % bytes.len();
                bytes[at] = (seed >> 24) as u8;
            }
            bytes.truncate(1 + (seed as usize >> 4) % good.len());
            let _ = read(&bytes, &[0, 1]);
        }
    }

    #[test]
    fn circular_expressions_are_refused() {
        assert!(matches!(
            read(b"\x01\x01\x01\x02\x01\x00", &[0, 1]),
            Err(Error::Malformed { .. })
        ));
    }
}
