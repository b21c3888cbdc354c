//! How much code waits behind each edge.

use program::callgraph::CallGraph;
use program::cfg::Cfg;
use program::control::ControlDependence;
use program::dom::PostDominators;
use program::{BlockId, EdgeId, FuncId, PrimaryMap, Program, SecondaryMap};

/// For each edge, the number of instructions that are transitively control-dependent on it, those of called functions
/// included (a recursive call counts nothing).
pub(crate) fn statements(program: &Program, calls: &CallGraph) -> SecondaryMap<EdgeId, u64> {
    let sizes = sizes(program, calls);
    let mut scores = SecondaryMap::for_map(&program.edges, 0);
    for function in program.functions.keys() {
        score(program, calls, &sizes, function, &mut scores);
    }
    scores
}

fn score(
    program: &Program,
    calls: &CallGraph,
    sizes: &SecondaryMap<FuncId, u64>,
    function: FuncId,
    scores: &mut SecondaryMap<EdgeId, u64>,
) {
    let body = &program.functions[function];
    if body.blocks.is_empty() {
        return;
    }
    let cfg = Cfg::new(body);
    let control = ControlDependence::new(program, function, &cfg, &PostDominators::new(&cfg));
    let mut statements: PrimaryMap<BlockId, u64> = body
        .blocks
        .keys()
        .map(|block| body.insts(block).count() as u64 + 1)
        .collect();
    for site in calls.calls(function) {
        let largest = site.functions().map(|callee| sizes[callee]).max();
        let block = &mut statements[site.block];
        *block = block.saturating_add(largest.unwrap_or(0));
    }
    // Blocks under each (block, side), then everything below by a search from each edge.
    let mut under: PrimaryMap<BlockId, Vec<(u32, BlockId)>> =
        body.blocks.keys().map(|_| Vec::new()).collect();
    for block in body.blocks.keys() {
        for by in control.controllers(block) {
            under[by.block].push((by.side, block));
        }
    }
    let mut seen: PrimaryMap<BlockId, u32> = body.blocks.keys().map(|_| 0).collect();
    let mut mark = 0;
    for block in body.blocks.keys() {
        let Some(site) = body.blocks[block].terminator.site() else {
            continue;
        };
        for (side, edge) in (0..).zip(program.edges_of(site)) {
            mark += 1;
            let direct = under[block].iter().filter(|(at, _)| *at == side);
            let mut stack: Vec<BlockId> = direct.map(|(_, block)| *block).collect();
            let mut sum = 0_u64;
            while let Some(next) = stack.pop() {
                if std::mem::replace(&mut seen[next], mark) != mark {
                    sum = sum.saturating_add(statements[next]);
                    stack.extend(under[next].iter().map(|(_, block)| *block));
                }
            }
            scores[edge] = sum;
        }
    }
}

/// Instructions of each function and of what it calls.
fn sizes(program: &Program, calls: &CallGraph) -> SecondaryMap<FuncId, u64> {
    let mut sizes = SecondaryMap::for_map(&program.functions, 0_u64);
    let mut entered = SecondaryMap::for_map(&program.functions, false);
    for root in program.functions.keys() {
        let mut stack = vec![(root, false)];
        while let Some((function, done)) = stack.pop() {
            let callees = || calls.calls(function).iter();
            if done {
                let body = &program.functions[function];
                let own: usize = body
                    .blocks
                    .keys()
                    .map(|block| body.insts(block).count() + 1)
                    .sum();
                let largest = |site: &program::callgraph::CallSite| {
                    site.functions()
                        .map(|callee| sizes[callee])
                        .max()
                        .unwrap_or(0)
                };
                let called = callees().map(largest).fold(0, u64::saturating_add);
                sizes[function] = called.saturating_add(own as u64);
            } else if !std::mem::replace(&mut entered[function], true) {
                stack.push((function, true));
                stack.extend(
                    callees()
                        .flat_map(|site| site.functions())
                        .map(|callee| (callee, false)),
                );
            }
        }
    }
    sizes
}
