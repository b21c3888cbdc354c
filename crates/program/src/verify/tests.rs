//! One wrong program for each invariant.

use expect_test::{Expect, expect};

use super::verify;
use crate::coverage::{Counter, FunctionCoverage};
use crate::function::Function;
use crate::id::{BlockId, EdgeId, FuncId, ModuleId, SiteId, SpotId, ValueId};
use crate::inst::SiteKind;
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::place::Loc;
use crate::text::parse;
use crate::types::Type;

fn check(text: &str, expected: Expect) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    expected.assert_eq(&verdict(&program));
}

fn verdict(program: &Program) -> String {
    verify(program).map_or_else(|error| error.to_string(), |()| "good".to_owned())
}

#[test]
fn bodies() {
    for (text, expected) in [
        ("fn @f() {}", expect!["fn0 @f, body: it has no blocks"]),
        (
            "fn @f() { block0: br block0 }",
            expect!["fn0 @f, block0: it leads to the entry"],
        ),
        (
            "fn @f() { block0: br block7 }",
            expect!["fn0 @f, block0: there is no block7"],
        ),
        (
            "fn @f() { block0: v0: i32 = freeze v9 ret }",
            expect!["fn0 @f, v0: there is no v9"],
        ),
        (
            "fn @f() { block0: call fn9() ret }",
            expect!["fn0 @f, v0: there is no fn9"],
        ),
        (
            "fn @f() { block0: v0: ptr = freeze global3 ret }",
            expect!["fn0 @f, v0: there is no global3"],
        ),
        (
            "fn @f() { block0: v0: i32 = phi [block4: i32 1] ret }",
            expect!["fn0 @f, v0: there is no block4"],
        ),
        (
            "file0 \"a.c\" fn @f() { block0: v0: i32 = add v1, i32 1 at file0:3:4 v1: i32 = add v0, i32 1 ret }",
            expect!["fn0 @f, v0 (a.c:3:4): v1 is not defined on every path that leads here"],
        ),
        (
            "fn @f() -> i32 { block0: br undef, block1, block2 block1: v0 = add i32 1, 2 br block2 block2: ret v0 }",
            expect!["fn0 @f, block2: v0 is not defined on every path that leads here"],
        ),
        (
            "fn @f() { block0: br undef, block1, block2 block1: v0 = add i32 1, 2 br block3
             block2: br block3 block3: v1 = phi [block1: i32 1, block2: v0] ret }",
            expect!["fn0 @f, v1: v0 is not defined at the end of block2"],
        ),
        (
            "fn @f() { block0: br block1 block1: v0: i32 = phi [] ret }",
            expect!["fn0 @f, v0: it has no value for block0"],
        ),
        (
            "fn @f() { block0: br block1 block1: v0 = phi [block0: i32 1, block1: i32 2] ret }",
            expect!["fn0 @f, v0: it has a value for block1, which does not lead here"],
        ),
        (
            "fn @f() { block0: br undef, block1, block1 block1: v0 = phi [block0: i32 1, block0: i32 2] ret }",
            expect!["fn0 @f, v0: it has two values for block0"],
        ),
        (
            "fn @f() { block0: br undef, block1, block1 block1: v0 = phi [block0: i32 1, block0: i32 1] ret }",
            expect!["good"],
        ),
        (
            "fn @f() { block0: br block1 block1: v0 = add i32 1, 2 v1 = phi [block0: i32 1] ret }",
            expect!["fn0 @f, v1: a phi behind another instruction"],
        ),
        (
            "fn @f() { block0: ret block1: v0: i32 = add v0, v0 br block1 }",
            expect!["good"],
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn types() {
    for (line, expected) in [
        (
            "v2: i32 = add v0, i64 1",
            expect!["an operand has type i64, but i32 is asked for"],
        ),
        (
            "v2: ptr = add v1, v1",
            expect!["integers asked for, ptr found"],
        ),
        (
            "v2: f32 = add f32 1.0, 2.0",
            expect!["integers asked for, f32 found"],
        ),
        (
            "v2: i32 = fadd v0, v0",
            expect!["floats asked for, i32 found"],
        ),
        ("v2: i32 = fneg v0", expect!["floats asked for, i32 found"]),
        (
            "v2: i8 = icmp eq v0, v0",
            expect!["a truth value asked for, i8 found"],
        ),
        (
            "v2: i1 = icmp eq f32 1.0, 1.0",
            expect!["integers or pointers asked for, f32 found"],
        ),
        (
            "v2: i1 = fcmp oeq v0, v0",
            expect!["floats asked for, i32 found"],
        ),
        ("v2: i64 = trunc v0", expect!["trunc from i32 to i64"]),
        ("v2: i8 = zext v0", expect!["zext from i32 to i8"]),
        (
            "v2: <2 x i64> = sext v0",
            expect!["sext from i32 to <2 x i64>"],
        ),
        ("v2: i32 = ptrtoint v0", expect!["ptrtoint from i32 to i32"]),
        ("v2: f64 = bitcast v0", expect!["bitcast from i32 to f64"]),
        ("v2: f32 = bitcast v0", expect!["good"]),
        (
            "v2: i32 = select v0, v0, v0",
            expect!["a truth value asked for, i32 found"],
        ),
        (
            "v2: void = load v1",
            expect!["a value asked for, void found"],
        ),
        (
            "v2: i32 = load v0",
            expect!["an operand has type i32, but ptr is asked for"],
        ),
        ("v2: i32 = load v1 align 3", expect!["the alignment is 3"]),
        (
            "store v1, v0",
            expect!["an operand has type i32, but ptr is asked for"],
        ),
        (
            "v2: i32 = store v1, v1",
            expect!["no result asked for, i32 found"],
        ),
        (
            "v2: ptr = gep v1 [v1 * 4]",
            expect!["an integer index asked for, ptr found"],
        ),
        (
            "v2: ptr = alloca 4 x v1",
            expect!["an integer count asked for, ptr found"],
        ),
        (
            "memset v1, v0, i64 4",
            expect!["an operand has type i32, but i8 is asked for"],
        ),
        (
            "memcpy v1, v1, v1",
            expect!["an integer length asked for, ptr found"],
        ),
        (
            "v2: i32 = uadd.o(v0, v0)",
            expect!["a struct of the value and the overflow bit asked for, i32 found"],
        ),
        (
            "v2: i32 = umin(v0)",
            expect!["umin takes 2 operands, not 1"],
        ),
        ("v2: i32 = sqrt(v0)", expect!["floats asked for, i32 found"]),
        ("va_copy(v1)", expect!["va_copy takes 2 pointers"]),
        (
            "call *v0()",
            expect!["an operand has type i32, but ptr is asked for"],
        ),
        (
            "v2: i32 = extractvalue v0 [0]",
            expect!["the type of the member asked for, i32 found"],
        ),
        (
            "v2: i32 = extractvalue v0 []",
            expect!["the type of the member asked for, i32 found"],
        ),
        (
            "count 1 step v1",
            expect!["an integer step asked for, ptr found"],
        ),
        (
            "v2: i32 = freeze v1",
            expect!["an operand has type ptr, but i32 is asked for"],
        ),
        (
            "v2 = store v0, v1; v3: i32 = freeze v2",
            expect!["fn0 @f, v3: an operand of type void"],
        ),
        (
            "v2: [2 x i8] = freeze [2 x i8] [i8 1]",
            expect!["1 members for [2 x i8]"],
        ),
        (
            "v2: [1 x i8] = freeze [1 x i8] [i16 1]",
            expect!["the type of the member asked for, i16 found"],
        ),
    ] {
        let text = format!("fn @f(v0: i32, v1: ptr) {{ block0: {line} ret }}");
        let program = parse(&text).unwrap_or_else(|error| panic!("{line}: {error}"));
        let verdict = verdict(&program);
        expected.assert_eq(verdict.strip_prefix("fn0 @f, v2: ").unwrap_or(&verdict));
    }
}

#[test]
fn terminators() {
    for (end, expected) in [
        (
            "br v0, block1, block2",
            expect!["fn0 @f, block0: an operand has type i32, but i1 is asked for"],
        ),
        (
            "switch v0 [1: block1, 1: block2, default: block1]",
            expect!["fn0 @f, block0: case 1 is there twice"],
        ),
        (
            "ret",
            expect!["fn0 @f, block0: a value to return asked for, void found"],
        ),
        (
            "ret v1",
            expect!["fn0 @f, block0: an operand has type ptr, but i32 is asked for"],
        ),
        (
            "indirectbr v0 [block1]",
            expect!["fn0 @f, block0: an operand has type i32, but ptr is asked for"],
        ),
    ] {
        let end = if end == "ret" {
            "leave \"x\"() []"
        } else {
            end
        };
        let text = format!(
            "fn @f(v0: i32, v1: ptr) -> i32 {{ block0: {end} block1: ret v0 block2: ret v0 }}"
        );
        let mut program = parse(&text).unwrap_or_else(|error| panic!("{end}: {error}"));
        let block = &mut program.functions[FuncId::from_u32(0)].blocks[Function::ENTRY];
        if matches!(block.terminator, Terminator::Opaque { .. }) {
            block.terminator = Terminator::Ret { value: None };
        }
        expected.assert_eq(&verdict(&program));
    }
}

const GOOD: &str = r#"
file0 "a.c"
global0 @g size 16 align 8 = x"00" [0: @f, 8: @g]
module0 "a.c" uid 1
fn @f(v0: i1) counters {0} {
block0:
  v1: i32 = load @g spot0 "load" at file0:1:1
  count 1 step i64 1 [site0: edge0 false, edge1 true]
  br v0, block1, block2 [site1: edge2 false, edge3 true {1}]
block1:
  ret
block2:
  ret
}
module1 "b.c" uid 2
fn @h() { block0: v0: i8 = load @g spot1 "load" ret }
coverage fn0 "f" hash 0 counters 2 files {0} { x0 = c0 - c1  branch c1, x0 in 0 1:1..1:2 }
"#;

/// Breaks the good program.
fn broken(change: impl FnOnce(&mut Program), expected: Expect) {
    let mut program = parse(GOOD).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verdict(&program), "good");
    change(&mut program);
    expected.assert_eq(&verdict(&program));
}

const F: FuncId = FuncId::from_u32(0);

#[test]
fn modules_and_spots() {
    let module = ModuleId::from_u32(1);
    broken(
        |program| program.modules[module].first_edge = EdgeId::from_u32(1),
        expect!["module1: its functions, edges and spots do not follow those of the module before"],
    );
    broken(
        |program| program.modules[module].functions = 2,
        expect![
            "the program: its modules have [3, 4, 2] functions, edges and spots, it has [2, 4, 2]"
        ],
    );
    broken(
        |program| program.modules[module].functions = u32::MAX,
        expect!["module1: it has more than 2^32 of something"],
    );
    broken(
        |program| program.functions[F].module = module,
        expect!["fn0: it says it is in module1, but stands in module0"],
    );
    broken(
        |program| program.spots[SpotId::from_u32(0)].function = FuncId::from_u32(1),
        expect!["fn0 @f, v1 (a.c:1:1): its spot0 says it is in fn1"],
    );
    broken(
        |program| program.spots[SpotId::from_u32(0)].loc = None,
        expect!["fn0 @f, v1 (a.c:1:1): its spot0 says it is at another place"],
    );
    broken(
        |program| {
            let inst = program.functions[F].inst_mut(ValueId::from_u32(1));
            inst.expect("an instruction").spot = None;
        },
        expect!["fn1 @h, v0: it has spot1, but spot0 comes next"],
    );
    broken(
        |program| {
            let inst = program.functions[F].inst_mut(ValueId::from_u32(1));
            inst.expect("an instruction").loc = Some(Loc {
                file: 3,
                line: 1,
                col: 1,
            });
        },
        expect![
            "fn0 @f, v1 (unknown file:1:1): its place is in a file that the program does not have"
        ],
    );
}

#[test]
fn sites_and_edges() {
    let (site, edge) = (SiteId::from_u32(1), EdgeId::from_u32(2));
    broken(
        |program| program.sites[site].block = BlockId::from_u32(1),
        expect!["fn0 @f, site1: it says it is in block1, but stands in block0"],
    );
    broken(
        |program| program.sites[site].kind = SiteKind::Probe,
        expect!["fn0 @f, site1: it is Probe, but its instruction asks for Branch"],
    );
    broken(
        |program| program.sites[site].function = FuncId::from_u32(1),
        expect!["fn0 @f, block0: its site1 says it is in fn1"],
    );
    broken(
        |program| program.sites[site].edges = 3,
        expect!["fn0 @f, site1: it has 3 edges, but 2 ways out"],
    );
    broken(
        |program| program.sites[site].first_edge = EdgeId::from_u32(3),
        expect!["fn0 @f, edge2: side 0 of site1 comes next, but site1 begins with edge3"],
    );
    broken(
        |program| program.edges[edge].side = 1,
        expect!["fn0 @f, edge2: it says it is side 1 of site1, but it is side 0 of site1"],
    );
    broken(
        |program| program.edges[edge].target = Some(BlockId::from_u32(1)),
        expect!["fn0 @f, edge2: it says it leads to Some(block1), but site1 leads to Some(block2)"],
    );
    broken(
        |program| {
            program.functions[F].blocks[Function::ENTRY].terminator =
                Terminator::Ret { value: None }
        },
        expect!["site1: it stands at no instruction"],
    );
    broken(
        |program| {
            if let Some(inst) = program.functions[F].inst_mut(ValueId::from_u32(2)) {
                inst.op = Op::Count {
                    counter: 1,
                    step: None,
                    site: None,
                };
            }
        },
        expect!["fn0 @f, block0: it has site1, but site0 comes next"],
    );
}

#[test]
fn values() {
    let value = ValueId::from_u32(1);
    broken(
        |program| program.functions[F].blocks[Function::ENTRY].insts.clear(),
        expect!["fn0 @f, v1: neither a block nor the parameters list it"],
    );
    broken(
        |program| {
            program.functions[F].blocks[Function::ENTRY]
                .insts
                .push(value)
        },
        expect!["fn0 @f, v1: block0 lists it, but it is not an instruction from there"],
    );
    broken(
        |program| {
            program.functions[F].blocks[BlockId::from_u32(1)]
                .insts
                .push(ValueId::from_u32(77))
        },
        expect!["fn0 @f, v77: block1 lists it, but there is no such value"],
    );
    broken(
        |program| program.functions[F].params.push(value),
        expect!["fn0 @f, v1: it is listed as parameter 1, but is not that"],
    );
    broken(
        |program| program.functions[F].values[value].ty = Type::Void,
        expect!["fn0 @f, v1 (a.c:1:1): a value asked for, void found"],
    );
}

#[test]
fn globals_and_coverage() {
    let global = crate::id::GlobalId::from_u32(0);
    broken(
        |program| program.globals[global].size = 8,
        expect!["global0: the relocation at 8 is misplaced"],
    );
    broken(
        |program| program.globals[global].align = 0,
        expect!["global0: its alignment is 0"],
    );
    broken(
        |program| {
            program.globals[global]
                .init
                .as_mut()
                .expect("initialised")
                .bytes
                .resize(17, 0)
        },
        expect!["global0: 17 bytes of initial value in 16 bytes"],
    );
    broken(
        |program| {
            program.globals[global]
                .init
                .as_mut()
                .expect("initialised")
                .relocations[1]
                .offset = 4
        },
        expect!["global0: the relocation at 4 is misplaced"],
    );
    broken(
        |program| program.functions[F].entry_counters.push(2),
        expect!["fn0 @f, entry: a counter of [0, 2] is not below 2, the number of counters"],
    );
    broken(
        |program| program.coverage[0].counters = 1,
        expect![[r#"coverage record 0 ("f"): x0 uses Counter(1), which it does not have"#]],
    );
    broken(
        |program| program.coverage[0].expressions[0].lhs = Counter::Expr(0),
        expect![[r#"coverage record 0 ("f"): an expression contains itself"#]],
    );
    broken(
        |program| program.coverage[0].regions[0].file = 1,
        expect![[r#"coverage record 0 ("f"): region 0 is in no file"#]],
    );
    broken(
        |program| program.coverage[0].files.push(4),
        expect![[r#"coverage record 0 ("f"): it names a file that the program does not have"#]],
    );
    broken(
        |program| {
            program.coverage.push(FunctionCoverage {
                function: Some(F),
                ..FunctionCoverage::default()
            })
        },
        expect![[r#"coverage record 1 (""): fn0 has another record already"#]],
    );
}
