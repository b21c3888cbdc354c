//! A build that counts every edge, entry and probe, independent of the real instrumentation: before each site, the
//! number of the edge is computed from the condition, and a counter in memory is incremented.

use crate::ir::{Builder, Module, Opcode, Value};
use crate::number::{self, SiteKind};

/// Adds the counters: the arrays `edges` and `entries`, which the C file [`RUNTIME`] writes at exit.
pub fn count_edges(bitcode: &[u8]) -> Vec<u8> {
    let module = Module::from_bitcode(bitcode, "edges").unwrap();
    let numbering = number::number(&module);
    let edges = declare(&module, "edges_taken");
    let entries = declare(&module, "entries_taken");
    let builder = Builder::new(&module);
    for (index, function) in numbering.functions.iter().enumerate() {
        let first = function.blocks()[0]
            .instructions()
            .into_iter()
            .find(|one| !one.is_opcode(Opcode::LLVMAlloca));
        builder.before(first.unwrap());
        let number = module.int(64).constant(index as u64);
        increment(&module, &builder, entries, number);
    }
    for site in &numbering.sites {
        let instruction = site.instruction;
        builder.before(instruction);
        builder.set_location(instruction.debug_location());
        let int = module.int(64);
        let first = int.constant(u64::from(site.first_edge));
        let edge = match &site.kind {
            SiteKind::Probe => first,
            SiteKind::Branch => builder.add(first, builder.resize(instruction.condition(), int)),
            SiteKind::Select => {
                let condition = number::select_condition(instruction).unwrap();
                builder.add(first, builder.resize(condition, int))
            }
            SiteKind::Switch { cases, .. } => {
                let value = instruction.condition();
                let mut edge = int.constant(u64::from(site.first_edge) + cases.len() as u64);
                for case in 0..cases.len() as u32 {
                    let equal = builder.equal(value, instruction.operand(2 + 2 * case));
                    edge = builder.select(
                        equal,
                        int.constant(u64::from(site.first_edge + case)),
                        edge,
                    );
                }
                edge
            }
        };
        increment(&module, &builder, edges, edge);
    }
    module.verify().unwrap();
    module.bitcode()
}

fn declare(module: &Module, name: &str) -> Value {
    module.add_global(name, module.int(64))
}

fn increment(module: &Module, builder: &Builder, array: Value, index: Value) {
    let int = module.int(64);
    let address = builder.offset(
        module,
        array,
        builder.bin(Opcode::LLVMShl, index, int.constant(3)),
    );
    let old = builder.load(int, address, 8);
    builder.store(builder.add(old, int.constant(1)), address, 8);
}

/// The arrays, and what writes them to the file that `EDGES` names.
pub fn runtime(edges: usize, entries: usize) -> String {
    format!(
        r#"#include <stdio.h>
#include <stdlib.h>
unsigned long edges_taken[{0} + 1], entries_taken[{1} + 1];
int __llvm_profile_write_file(void);
#include <signal.h>
static void dump(void) {{
    FILE *out = fopen(getenv("EDGES"), "w");
    for (int i = 0; i < {0}; i++) fprintf(out, "%lu ", edges_taken[i]);
    fprintf(out, "\n");
    for (int i = 0; i < {1}; i++) fprintf(out, "%lu ", entries_taken[i]);
    fclose(out);
}}
static void died(int signal) {{ dump(); __llvm_profile_write_file(); _Exit(100 + signal); }}
__attribute__((constructor)) static void start(void) {{ atexit(dump); signal(SIGABRT, died); signal(SIGSEGV, died); }}
"#,
        edges, entries
    )
}
