//! Edges that a search is for.

use program::{EdgeId, Program, SecondaryMap};

/// Edges that are worth reaching: those of functions with a coverage record.
pub(crate) fn wanted_edges(program: &Program) -> Vec<EdgeId> {
    let mut functions = SecondaryMap::for_map(&program.functions, false);
    for function in program.coverage.iter().filter_map(|record| record.function) {
        functions[function] = true;
    }
    let edges = program.edges.keys();
    edges
        .filter(|&edge| functions[program.function_of(edge)])
        .collect()
}
