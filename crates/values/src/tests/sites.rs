//! Sites of generated functions: branches, and conditions that are counted without a branch.

use program::{
    BlockId, CastOp, Def, FuncId, Function, Op, Operand, Program, SiteKind, Terminator, Type,
};

/// Counts a condition at the end of a block, as conditional expressions are; not in every block, nor where the condition is a constant.
/// Says whether the block has such a site now.
pub fn counted(function: &mut Function, block: BlockId, cond: &Operand) -> bool {
    if !block.index().is_multiple_of(2) || cond.value().is_none() {
        return false;
    }
    let op = Op::Cast {
        op: CastOp::ZExt,
        value: cond.clone(),
    };
    let step = function.append(block, Type::Int(64), op, None, None);
    let op = Op::Count {
        counter: 0,
        step: Some(step.into()),
        site: None,
    };
    function.append(block, Type::Void, op, None, None);
    true
}

/// Numbers the sites of a function, in the order of its blocks.
pub fn number(
    program: &mut Program,
    id: FuncId,
    function: &mut Function,
    mut sites: Vec<(BlockId, SiteKind)>,
) {
    sites.sort_by_key(|(block, _)| *block);
    for (block, kind) in sites {
        let is_counted = kind == SiteKind::Select;
        let targets: Vec<Option<BlockId>> = match is_counted {
            true => vec![None, None],
            false => {
                let targets = function.blocks[block].terminator.successors();
                targets.map(Some).collect()
            }
        };
        let edges = targets.into_iter().map(|target| (target, Vec::new()));
        let made = program.add_site(kind, id, block, None, edges);
        if is_counted {
            for value in function.blocks[block].insts.clone() {
                if let Def::Inst(inst) = &mut function.values[value].def
                    && let Op::Count { site, .. } = &mut inst.op
                {
                    *site = Some(made);
                }
            }
            continue;
        }
        match &mut function.blocks[block].terminator {
            Terminator::CondBr { site, .. } | Terminator::Switch { site, .. } => *site = made,
            _ => {}
        }
    }
}
