//! Invariants of modules, sites, edges, spots, globals and coverage records.

use super::{VerifyError, check, decision, global_place, place};
use crate::coverage::{Counter, FunctionCoverage, RegionKind};
use crate::entity::SecondaryMap;
use crate::id::{EdgeId, FuncId, SiteId, SpotId};
use crate::inst::Op;
use crate::inst::SiteKind;
use crate::model::{Global, Program, RelocationTarget};
use crate::place::Loc;

/// Modules and their ranges, which the other checks rely on.
pub(super) fn modules(program: &Program) -> Result<(), VerifyError> {
    let (mut functions, mut edges, mut spots) = (0, 0, 0);
    for (id, module) in program.modules.iter() {
        let starts = [
            module.first_function.as_u32(),
            module.first_edge.as_u32(),
            module.first_spot.as_u32(),
        ];
        check(
            starts == [functions, edges, spots],
            || id.to_string(),
            || "its functions, edges and spots do not follow those of the module before".to_owned(),
        )?;
        let ends = (
            functions.checked_add(module.functions),
            edges.checked_add(module.edges),
            spots.checked_add(module.spots),
        );
        let (Some(function_end), Some(edge_end), Some(spot_end)) = ends else {
            return check(
                false,
                || id.to_string(),
                || "it has more than 2^32 of something".to_owned(),
            );
        };
        for (function, data) in program
            .functions
            .iter()
            .skip(functions as usize)
            .take(module.functions as usize)
        {
            check(
                data.module == id,
                || function.to_string(),
                || format!("it says it is in {}, but stands in {id}", data.module),
            )?;
        }
        (functions, edges, spots) = (function_end, edge_end, spot_end);
    }
    let ends = [functions as usize, edges as usize, spots as usize];
    let counts = [
        program.functions.len(),
        program.edges.len(),
        program.spots.len(),
    ];
    check(
        ends == counts,
        || "the program".to_owned(),
        || format!("its modules have {ends:?} functions, edges and spots, it has {counts:?}"),
    )
}

/// Everything else. Function bodies are well-formed.
pub(super) fn verify(program: &Program) -> Result<(), VerifyError> {
    for (id, global) in program.globals.iter() {
        global_init(program, global, &|| global_place(program, id, None))?;
        loc(program, global.loc, || id.to_string())?;
    }
    let limits = counter_limits(program)?;
    let mut walk = Walk {
        program,
        limits,
        site: 0,
        edge: 0,
        spot: 0,
    };
    for function in program.functions.keys() {
        walk.function(function)?;
    }
    let Walk {
        site, edge, spot, ..
    } = walk;
    check(
        site as usize == program.sites.len(),
        || SiteId::from_u32(site).to_string(),
        || "it stands at no instruction".to_owned(),
    )?;
    check(
        edge as usize == program.edges.len(),
        || EdgeId::from_u32(edge).to_string(),
        || "it belongs to no site".to_owned(),
    )?;
    check(
        spot as usize == program.spots.len(),
        || SpotId::from_u32(spot).to_string(),
        || "it stands at no instruction".to_owned(),
    )
}

fn loc(
    program: &Program,
    loc: Option<Loc>,
    place: impl FnOnce() -> String,
) -> Result<(), VerifyError> {
    let known = loc.is_none_or(|loc| (loc.file as usize) < program.files.len());
    check(known, place, || {
        "its place is in a file that the program does not have".to_owned()
    })
}

fn global_init(
    program: &Program,
    global: &Global,
    place: &dyn Fn() -> String,
) -> Result<(), VerifyError> {
    check(global.align.is_power_of_two(), place, || {
        format!("its alignment is {}", global.align)
    })?;
    let Some(init) = &global.init else {
        return Ok(());
    };
    check(init.bytes.len() as u64 <= global.size, place, || {
        format!(
            "{} bytes of initial value in {} bytes",
            init.bytes.len(),
            global.size
        )
    })?;
    for gap in &init.unknown {
        let end = gap.offset.checked_add(gap.size);
        check(end.is_some_and(|end| end <= global.size), place, || {
            format!("the unknown bytes at {} are misplaced", gap.offset)
        })?;
    }
    let mut free = 0;
    let pointer = u64::from(program.layout.pointer_bits / 8);
    for relocation in &init.relocations {
        let end = relocation
            .offset
            .checked_add(pointer)
            .filter(|end| *end <= global.size);
        let Some(end) = end.filter(|_| relocation.offset >= free) else {
            return check(false, place, || {
                format!("the relocation at {} is misplaced", relocation.offset)
            });
        };
        free = end;
        let known = match relocation.to {
            RelocationTarget::Global(id) => program.globals.contains(id),
            RelocationTarget::Function(id) => program.functions.contains(id),
            RelocationTarget::Extern(id) => program.externs.contains(id),
        };
        check(known, place, || {
            format!("the relocation at {} leads nowhere", relocation.offset)
        })?;
    }
    Ok(())
}

/// Checks the coverage records; returns the number of counters of each function that has one.
fn counter_limits(program: &Program) -> Result<SecondaryMap<FuncId, Option<u32>>, VerifyError> {
    let mut limits = SecondaryMap::for_map(&program.functions, None);
    for (index, record) in program.coverage.iter().enumerate() {
        let place = || format!("coverage record {index} ({:?})", record.name);
        if let Some(function) = record.function {
            check(program.functions.contains(function), place, || {
                format!("there is no {function}")
            })?;
            check(limits[function].is_none(), place, || {
                format!("{function} has another record already")
            })?;
            limits[function] = Some(record.counters);
        }
        let known = |file: &u32| (*file as usize) < program.files.len();
        check(record.files.iter().all(known), place, || {
            "it names a file that the program does not have".to_owned()
        })?;
        coverage_record(record, &place)?;
    }
    Ok(limits)
}

fn coverage_record(
    record: &FunctionCoverage,
    place: &dyn Fn() -> String,
) -> Result<(), VerifyError> {
    let counter = |counter: Counter, user: &dyn Fn() -> String| {
        let known = match counter {
            Counter::Zero => true,
            Counter::Counter(index) => index < record.counters,
            Counter::Expr(index) => (index as usize) < record.expressions.len(),
        };
        check(known, place, || {
            format!("{} uses {counter:?}, which it does not have", user())
        })
    };
    for (index, expression) in record.expressions.iter().enumerate() {
        counter(expression.lhs, &|| format!("x{index}"))?;
        counter(expression.rhs, &|| format!("x{index}"))?;
    }
    check(record.evaluation_order().is_some(), place, || {
        "an expression contains itself".to_owned()
    })?;
    for (index, region) in record.regions.iter().enumerate() {
        let user = || format!("region {index}");
        counter(region.count, &user)?;
        match region.kind {
            RegionKind::Branch { false_count } | RegionKind::McdcBranch { false_count, .. } => {
                counter(false_count, &user)?;
            }
            RegionKind::Expansion { file } => {
                check((file as usize) < record.files.len(), place, || {
                    format!("region {index} expands file {file}")
                })?;
            }
            _ => {}
        }
        check((region.file as usize) < record.files.len(), place, || {
            format!("region {index} is in no file")
        })?;
    }
    decision::check_all(record, place)
}

/// Walks the program in the order of numbering, and expects the next site, edge and spot.
struct Walk<'a> {
    program: &'a Program,
    limits: SecondaryMap<FuncId, Option<u32>>,
    site: u32,
    edge: u32,
    spot: u32,
}

impl Walk<'_> {
    fn function(&mut self, function: FuncId) -> Result<(), VerifyError> {
        let program = self.program;
        let body = &program.functions[function];
        loc(program, body.loc, || function.to_string())?;
        self.counters(function, &body.entry_counters, &|| {
            place(program, function, "entry", body.loc)
        })?;
        for (block, data) in body.blocks.iter() {
            for (value, inst) in body.insts(block) {
                let here = || place(program, function, value, inst.loc);
                loc(program, inst.loc, here)?;
                if let Some(spot) = inst.spot {
                    self.spot(function, spot, inst.loc, &here)?;
                }
                if let Op::Count {
                    counter,
                    step,
                    site,
                } = &inst.op
                {
                    self.counters(function, &[*counter], &here)?;
                    if let Some(site) = *site {
                        self.site(function, site, &here)?;
                        let kind = if step.is_some() {
                            SiteKind::Select
                        } else {
                            SiteKind::Probe
                        };
                        self.site_data(
                            function,
                            block,
                            site,
                            &kind,
                            &vec![None; kind.least_edges()],
                        )?;
                    }
                }
            }
            let here = || place(program, function, block, data.loc);
            loc(program, data.loc, here)?;
            if let Some(site) = data.terminator.site() {
                self.site(function, site, &here)?;
                let targets: Vec<_> = data.terminator.successors().map(Some).collect();
                self.site_data(
                    function,
                    block,
                    site,
                    &body.site_kind(&data.terminator),
                    &targets,
                )?;
            }
        }
        Ok(())
    }

    fn counters(
        &self,
        function: FuncId,
        counters: &[u32],
        here: &dyn Fn() -> String,
    ) -> Result<(), VerifyError> {
        let Some(limit) = self.limits[function] else {
            return Ok(());
        };
        check(
            counters.iter().all(|counter| *counter < limit),
            here,
            || format!("a counter of {counters:?} is not below {limit}, the number of counters"),
        )
    }

    fn spot(
        &mut self,
        function: FuncId,
        spot: SpotId,
        at: Option<Loc>,
        here: &dyn Fn() -> String,
    ) -> Result<(), VerifyError> {
        let next = SpotId::from_u32(self.spot);
        check(
            spot == next && self.program.spots.contains(spot),
            here,
            || format!("it has {spot}, but {next} comes next"),
        )?;
        self.spot += 1;
        let data = &self.program.spots[spot];
        check(data.function == function, here, || {
            format!("its {spot} says it is in {}", data.function)
        })?;
        check(data.loc == at, here, || {
            format!("its {spot} says it is at another place")
        })
    }

    fn site(
        &mut self,
        function: FuncId,
        site: SiteId,
        here: &dyn Fn() -> String,
    ) -> Result<(), VerifyError> {
        let next = SiteId::from_u32(self.site);
        check(
            site == next && self.program.sites.contains(site),
            here,
            || format!("it has {site}, but {next} comes next"),
        )?;
        self.site += 1;
        let data = &self.program.sites[site];
        check(data.function == function, here, || {
            format!("its {site} says it is in {}", data.function)
        })
    }

    fn site_data(
        &mut self,
        function: FuncId,
        block: crate::id::BlockId,
        site: SiteId,
        kind: &SiteKind,
        targets: &[Option<crate::id::BlockId>],
    ) -> Result<(), VerifyError> {
        let program = self.program;
        let data = &program.sites[site];
        let here = || place(program, function, site, data.loc);
        loc(program, data.loc, here)?;
        check(data.block == block, here, || {
            format!("it says it is in {}, but stands in {block}", data.block)
        })?;
        check(data.kind == *kind, here, || {
            format!(
                "it is {:?}, but its instruction asks for {kind:?}",
                data.kind
            )
        })?;
        check(data.edges as usize == targets.len(), here, || {
            format!(
                "it has {} edges, but {} ways out",
                data.edges,
                targets.len()
            )
        })?;
        for (side, target) in (0..).zip(targets) {
            let edge = EdgeId::from_u32(self.edge);
            let here = || place(program, function, edge, data.loc);
            check(
                data.first_edge.as_u32().checked_add(side) == Some(self.edge),
                here,
                || {
                    format!(
                        "side {side} of {site} comes next, but {site} begins with {}",
                        data.first_edge
                    )
                },
            )?;
            let Some(found) = program.edges.get(edge) else {
                return check(false, here, || "it does not exist".to_owned());
            };
            self.edge += 1;
            check((found.site, found.side) == (site, side), here, || {
                format!(
                    "it says it is side {} of {}, but it is side {side} of {site}",
                    found.side, found.site
                )
            })?;
            check(found.target == *target, here, || {
                format!(
                    "it says it leads to {:?}, but {site} leads to {target:?}",
                    found.target
                )
            })?;
            self.counters(function, &found.counters, &here)?;
        }
        Ok(())
    }
}
