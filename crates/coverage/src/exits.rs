//! Exits of functions: the regions of code from which a function is left by `return`, or at its end.
//!
//! The coverage mapping does not say where these are, the control flow does: clang gives all `return`s of a function one block, and
//! the branch that leads to it stands at the `return`. A region counts as an exit as soon as its code is entered, which is what
//! `llvm-cov` can confirm: whether a call in front of the `return` comes back is not asked.
//!
//! Must hold: a region is one of code with a count that is not always 0, so that the judge has a figure for it; code that clang
//! dropped has no exit.

use std::collections::BTreeSet;

use program::cfg::Cfg;
use program::{
    BlockId, Counter, Def, Function, FunctionCoverage, Loc, Op, Program, Region, RegionKind,
    SourceRange, Terminator,
};

use crate::record::Shape;

/// The regions of a record that are exits of its function, in order.
pub fn of(program: &Program, record: &FunctionCoverage, shape: &Shape) -> BTreeSet<u32> {
    let mut exits = BTreeSet::new();
    let Some(function) = record.function.map(|id| &program.functions[id]) else {
        return exits;
    };
    let cfg = Cfg::new(function);
    let end = record.regions.first().map(|body| body.range);
    for (id, block) in function.blocks.iter() {
        if !cfg.is_reachable(id) || !matches!(block.terminator, Terminator::Ret { .. }) {
            continue;
        }
        let before: Vec<BlockId> = cfg.predecessors(id).collect();
        let shared = before.len() > 1 && block.loc.is_none_or(|loc| is_end(loc, end));
        if !shared {
            exits.extend(region_of(record, shape, function, id));
            continue;
        }
        for from in before {
            // Control falls to the end of the function where no `return` leads it there.
            let block = if is_return(record, shape, function, from) {
                from
            } else {
                id
            };
            exits.extend(region_of(record, shape, function, block));
        }
    }
    exits
}

/// Does a block that goes on to the shared end of its function do so by a `return`? If not, it ends at the brace of the region that
/// it stands in, or with its last instruction.
fn is_return(record: &FunctionCoverage, shape: &Shape, function: &Function, from: BlockId) -> bool {
    let block = &function.blocks[from];
    let Some(loc) = block.loc.filter(|loc| loc.line > 0) else {
        return false;
    };
    if !matches!(block.terminator, Terminator::Br { .. }) {
        return false;
    }
    let last = block
        .insts
        .iter()
        .rev()
        .find_map(|inst| located(function, *inst));
    let closes = |region: &Region| is_end(loc, Some(region.range));
    let code = record.regions.iter().filter(|region| is_own(shape, region));
    last != Some(loc) && !code.into_iter().any(closes)
}

/// Where an instruction stands.
fn located(function: &Function, value: program::ValueId) -> Option<Loc> {
    match &function.values[value].def {
        Def::Inst(inst) => inst.loc.filter(|loc| loc.line > 0),
        Def::Param(_) => None,
    }
}

/// Is this the place of a closing brace?
fn is_end(loc: Loc, range: Option<SourceRange>) -> bool {
    range.is_some_and(|range| (loc.line, loc.col + 1) == (range.end_line, range.end_col))
}

/// Is a region one of code in the function's own text, not in that of a macro?
fn is_own(shape: &Shape, region: &Region) -> bool {
    region.kind == RegionKind::Code && Some(region.file) == shape.main()
}

/// The region of code in which a block ends: that of its counter, or else the innermost one around the place of its terminator.
fn region_of(
    record: &FunctionCoverage,
    shape: &Shape,
    function: &Function,
    block: BlockId,
) -> Option<u32> {
    let counts = |value: &program::ValueId| match &function.values[*value].def {
        Def::Inst(inst) => match inst.op {
            Op::Count {
                counter,
                step: None,
                ..
            } => Some(Counter::Counter(counter)),
            _ => None,
        },
        Def::Param(_) => None,
    };
    let block = &function.blocks[block];
    let counter = block.insts.iter().rev().find_map(counts);
    let regions = || {
        let code = (0_u32..).zip(&record.regions);
        code.filter(|(_, region)| region.kind == RegionKind::Code && region.count != Counter::Zero)
    };
    let counted = regions().filter(|(_, region)| counter == Some(region.count));
    let around = || {
        let loc = block.loc?;
        let here = |range: SourceRange| {
            (range.line, range.col) <= (loc.line, loc.col)
                && (loc.line, loc.col) < (range.end_line, range.end_col)
        };
        let own = regions().filter(|(_, region)| is_own(shape, region) && here(region.range));
        // Of nested ranges the one that begins last, and ends first.
        own.max_by_key(|(_, region)| {
            let range = region.range;
            (
                (range.line, range.col),
                std::cmp::Reverse((range.end_line, range.end_col)),
            )
        })
    };
    let found = counted.last().or_else(around);
    found.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Builder, simple};

    /// `if (c) return …; return …;`: each `return` is an exit. Without places, the function has one end.
    #[test]
    fn each_return_is_an_exit() {
        let mut builder = Builder::new();
        let (main, ..) = simple(&mut builder, "main", 1, "a.c");
        let others = [(2, 9), (3, 3)];
        let count = |record: &FunctionCoverage| record.regions[1].count;
        let then = count(builder.last());
        let els = builder.last().regions[1]
            .false_count()
            .expect("a condition");
        for (place, count) in others.into_iter().zip([then, els]) {
            builder.region(0, place, RegionKind::Code, count);
        }
        let (file, program) = (builder.program.file("a.c"), &mut builder.program);
        let body = &mut program.functions[main];
        let end = body.add_block();
        body.blocks[end].terminator = Terminator::Ret { value: None };
        let at = |line, col| Some(Loc { file, line, col });
        body.blocks[end].loc = at(1, 5);
        for (block, (line, col)) in [1, 2].map(BlockId::from_u32).into_iter().zip(others) {
            body.blocks[block].terminator = Terminator::Br { target: end };
            body.blocks[block].loc = at(line, col);
        }
        let record = &builder.program.coverage[0];
        let found = of(&builder.program, record, &Shape::new(record));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [2, 3]);
    }

    /// The exits of `if (c) …`, of which the first block ends like this, with more regions.
    fn check(then: &str, regions: &str, expected: &[u32]) {
        let text = format!(
            "file0 \"a.c\" extern0 @g()
            fn0 @f(v0: i1) counters {{0}} {{
            block0: count 0 br v0, block1, block2 [site0 in 2:7..2:8: edge0 false, edge1 true {{1}}] at file0:2:3
            block1: count 1 {then}
            block2: ret at file0:5:1
            }}
            coverage fn0 \"f\" hash 1 counters 2 files {{0, 0}} {{
            x0 = c0 - c1
            code c0 in 0 1:12..5:2 branch c1, x0 in 0 2:7..2:8 code c1 in 0 2:9..2:15 {regions}
            }}"
        );
        let program = program::text::sample(&text);
        let record = &program.coverage[0];
        let found = of(&program, record, &Shape::new(record));
        let found: Vec<u32> = found.into_iter().collect();
        assert_eq!(found, expected, "{then} {regions}");
    }

    /// Region 2 is the block behind the condition, region 0 the function, at whose brace it ends where nothing returns.
    #[test]
    fn a_return_is_told_from_the_end_of_a_block() {
        check("br block2 at file0:2:11", "", &[0, 2]);
        check("ret at file0:2:11", "", &[0, 2]);
        // At the brace of the block.
        check("br block2 at file0:2:14", "", &[0]);
        // Without a place.
        check("br block2 at file0:0:0", "", &[0]);
        check("br block2", "", &[0]);
        // With the last instruction that has a place.
        let call = "call @g() at file0:2:11";
        check(&format!("{call} br block2 at file0:2:11"), "", &[0]);
        check(&format!("{call} br block2 at file0:2:12"), "", &[0, 2]);
        let more = "v1: i1 = freeze v0 at file0:0:0";
        check(&format!("{call} {more} br block2 at file0:2:11"), "", &[0]);
        check(
            &format!("{call} br v0, block2, block2 at file0:2:12"),
            "",
            &[0],
        );
    }

    #[test]
    fn regions_of_code_are_exits() {
        let falls = "br block2 at file0:2:11";
        // What ends at the `return`, or counts as often, but is a gap or a macro's text.
        check(falls, "gap c1 in 0 2:9..2:12", &[0, 2]);
        check(falls, "code c0 in 1 2:9..2:12", &[0, 2]);
        // The innermost region around the end of the function, which is not in what it stands behind.
        check("br block2 at file0:2:14", "code x0 in 0 3:1..5:2", &[3]);
        check("br block2 at file0:2:14", "code x0 in 0 3:1..5:1", &[0]);
        check("br block2 at file0:2:14", "code zero in 0 3:1..5:2", &[0]);
        check("br block2 at file0:2:14", "gap x0 in 0 3:1..5:2", &[0]);
        // The last one that counts as often.
        check(falls, "code c1 in 0 3:1..3:5", &[0, 3]);
    }

    /// Nothing is shared where one block leads to the end.
    #[test]
    fn one_way_to_the_end_is_one_exit() {
        let text = "file0 \"a.c\" fn0 @f() counters {0} {
            block0: count 0 br block1 at file0:2:3
            block1: ret at file0:5:1
            }
            coverage fn0 \"f\" hash 1 counters 1 files {0} { code c0 in 0 1:12..5:2 code c0 in 0 3:1..4:1 }";
        let program = program::text::sample(text);
        let record = &program.coverage[0];
        let found = of(&program, record, &Shape::new(record));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [0]);
    }
}
