//! Several modules in one program.

use program::{Callee, Op, Program, RelocationTarget};

use super::clang;
use crate::read::{Meta, Reader};

const FIRST: &str = "
int shared(int); extern int table[4]; extern int only_declared; int outside(int);
static int own(int n) { return n + 1; }
__attribute__((weak)) int replaced(int n) { return n; }
int (*pointer)(int) = shared;
int tentative;
int main(int argc, char **argv)
{
    return own(argc) + shared(argc) + replaced(argc) + table[1] + only_declared + outside(tentative) + (argc > 2);
}";

const SECOND: &str = "
static int own(int n) { return n > 2 ? 7 : n; }
int shared(int n) { return own(n); }
int replaced(int n) { return own(n) + 1; }
int table[4] = { 1, 2, 3, 4 };
int tentative = 5;
int *inside = &table[2];
int also(void) __attribute__((alias(\"really\"))); int really(void) { return 1; }";

fn two_modules() -> Program {
    let folder = std::env::temp_dir().join(format!("bothways-modules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut reader = Reader::new();
    for (name, text) in [("first.c", FIRST), ("second.c", SECOND)] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let prepared = clang::prepared(&path, &[], &folder.join("out.bc"));
        let meta = Meta {
            name: name.to_owned(),
            library: name == "second.c",
        };
        reader
            .add_module(&prepared.bitcode, prepared.uid, meta)
            .unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
    reader.finish().unwrap()
}

/// What `main` calls: module and name, or the name of an extern.
fn calls(program: &Program, name: &str) -> Vec<String> {
    let function = &program.functions[program.function_named(name).unwrap()];
    let insts = function
        .blocks
        .keys()
        .flat_map(|block| function.insts(block));
    let target = |op: &Op| match op {
        Op::Call {
            callee: Callee::Direct(id),
            ..
        } => {
            let callee = &program.functions[*id];
            Some(format!(
                "{}:{}",
                program.modules[callee.module].name, callee.name
            ))
        }
        Op::Call {
            callee: Callee::Extern(id),
            ..
        } => Some(program.externs[*id].name.clone()),
        _ => None,
    };
    insts.filter_map(|(_, inst)| target(&inst.op)).collect()
}

#[test]
fn names_mean_what_they_mean_to_the_linker() {
    let program = two_modules();
    program::verify::verify(&program).unwrap();
    assert!(program::text::print(&program).parse::<Program>().unwrap() == program);
    assert_eq!(
        calls(&program, "main"),
        [
            "first.c:own",
            "second.c:shared",
            "second.c:replaced",
            "outside"
        ]
    );
    assert_eq!(calls(&program, "shared"), ["second.c:own"]);
    let global = |name: &str| {
        let mut found = program
            .globals
            .iter()
            .filter(|(_, global)| global.name == name);
        found.next_back().unwrap().1.init.clone()
    };
    assert_eq!(global("tentative").unwrap().bytes, [5]);
    assert_eq!(global("only_declared"), None);
    let inside = &global("inside").unwrap().relocations[0];
    let RelocationTarget::Global(target) = inside.to else {
        panic!("{inside:?}")
    };
    assert_eq!(
        (program.globals[target].name.as_str(), inside.addend),
        ("table", 8)
    );
    let pointer = &global("pointer").unwrap().relocations[0];
    assert_eq!(
        pointer.to,
        RelocationTarget::Function(program.function_named("shared").unwrap())
    );
}

/// Addresses of labels and differences of addresses are not 0, but what the model does not know.
#[test]
fn initial_values_say_what_is_not_known() {
    const TEXT: &str = "
static struct { int first; void *label; int (*function)(int); } known;
int own(int n) { return n; }
int main(int argc, char **argv)
{
    static void *labels[] = { &&one, 0, &&two };
    static struct { int first; void *label; int (*function)(int); } mixed = { 5, &&one, own };
    static const long distance[] = { 1, &&two - &&one, 2 };
    if (argc > 1)
        goto *labels[argc];
one:
    return mixed.function(known.first + (int)distance[1]) + mixed.label == labels[0];
two:
    return 3;
}";
    let folder = std::env::temp_dir().join(format!("bothways-unknown-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.c");
    std::fs::write(&path, TEXT).unwrap();
    let prepared = clang::prepared(&path, &[], &folder.join("out.bc"));
    std::fs::remove_dir_all(&folder).unwrap();
    let meta = Meta {
        name: "a.c".to_owned(),
        library: false,
    };
    let mut reader = Reader::new();
    reader
        .add_module(&prepared.bitcode, prepared.uid, meta)
        .unwrap();
    let program = reader.finish().unwrap();
    let unknown = |name: &str| {
        let mut globals = program.globals.values();
        let global = globals.find(|global| global.name.contains(name)).unwrap();
        let init = global.init.clone().unwrap();
        let gaps = init.unknown.iter();
        let gaps: Vec<(u64, u64)> = gaps.map(|gap| (gap.offset, gap.size)).collect();
        (gaps, init.relocations.len())
    };
    assert_eq!(unknown("labels"), (vec![(0, 8), (16, 8)], 0));
    assert_eq!(unknown("mixed"), (vec![(8, 8)], 1));
    assert_eq!(unknown("distance"), (vec![(8, 8)], 0));
    assert_eq!(unknown("known"), (vec![], 0));
}

#[test]
fn modules_have_ranges_of_ids() {
    let program = two_modules();
    let [first, second] = [0, 1].map(|index| program.modules.values().nth(index).unwrap().clone());
    assert_eq!(second.first_edge, first.first_edge.plus(first.edges));
    assert_eq!(
        second.first_function,
        first.first_function.plus(first.functions)
    );
    assert_eq!(second.first_spot, first.first_spot.plus(first.spots));
    let library: Vec<bool> = program
        .functions
        .values()
        .map(|function| function.library)
        .collect();
    assert_eq!(library, [false, false, false, true, true, true, true]);
    assert_eq!(
        program
            .coverage
            .iter()
            .filter(|coverage| coverage.function.is_some())
            .count(),
        7
    );
}
