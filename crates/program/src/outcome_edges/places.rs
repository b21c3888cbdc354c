//! Where conditions and sites stand in the source.

use crate::coverage::{FunctionCoverage, Region, RegionKind};
use crate::function::Function;
use crate::id::SiteId;
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::place::Loc;
use crate::place::SourceRange;

/// The places of a region's text, innermost first, as indices of the program's files.
pub(super) fn places(coverage: &FunctionCoverage, region: usize) -> Vec<(u32, SourceRange)> {
    let start = coverage.regions[region];
    let mut places = vec![(coverage.files[start.file as usize], start.range)];
    let mut file = start.file;
    while let Some(outer) = expansion_of(coverage, file)
        && places.len() <= coverage.files.len()
    {
        places.push((coverage.files[outer.file as usize], outer.range));
        file = outer.file;
    }
    places
}

fn expansion_of(coverage: &FunctionCoverage, file: u32) -> Option<Region> {
    let is_it = |region: &&Region| matches!(region.kind, RegionKind::Expansion { file: inner } if inner == file);
    coverage.regions.iter().find(is_it).copied()
}

/// Where the condition of a site is computed.
pub(super) fn condition_loc(program: &Program, function: &Function, site: SiteId) -> Option<Loc> {
    let block = program.sites[site].block;
    let operand = match &function.blocks[block].terminator {
        Terminator::CondBr {
            cond, site: here, ..
        } if *here == site => cond.value(),
        Terminator::Switch {
            value, site: here, ..
        } if *here == site => value.value(),
        _ => function.insts(block).find_map(|(_, inst)| match &inst.op {
            Op::Count {
                step: Some(step),
                site: here,
                ..
            } if *here == Some(site) => step.value(),
            _ => None,
        }),
    };
    function.inst(operand?)?.loc
}
