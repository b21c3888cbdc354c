//! Where addresses lead, in small programs.

use super::*;

/// A program: where each address that it reads from may lead, in the order of the reads.
fn check(text: &str, expected: &[&str]) {
    let program = crate::text::sample(text);
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    let name = |number: &u32| {
        let mut objects = regions.numbers.iter();
        let (object, _) = objects.find(|(_, it)| *it == number).expect("an object");
        match object {
            Object::Outside => "outside".to_owned(),
            Object::Why => "errno".to_owned(),
            Object::Global(global) => program.globals[*global].name.clone(),
            Object::Stack(function, value) | Object::Heap(function, value) => {
                format!("{}:{value}", program.functions[*function].name)
            }
            Object::Rest(function) => format!("{}...", program.functions[*function].name),
            Object::Function(function) => program.functions[*function].name.clone(),
            Object::Extern(id) => program.externs[*id].name.clone(),
        }
    };
    let mut found = Vec::new();
    for (function, body) in program.functions.iter() {
        for (_, inst) in body.blocks.keys().flat_map(|block| body.insts(block)) {
            if let Op::Load { address, .. } = &inst.op {
                let region = regions.operand(&program, function, address);
                let names = region
                    .iter()
                    .flat_map(|region| region.0.iter().map(|(it, _)| name(it)));
                found.push(names.collect::<Vec<_>>().join(" "));
            }
        }
    }
    assert_eq!(found, expected, "{text}");
    is_within_coarse(&program, &regions);
}

/// Where places in objects are not told apart, a value leads into the same objects, or more: what is outside stands for all that escaped.
fn is_within_coarse(program: &Program, regions: &Regions) {
    let coarse = Regions::found(program, false, "__bw_model_", true);
    let coarse = coarse
        .and_then(std::result::Result::ok)
        .expect("something is known");
    let objects = |regions: &Regions, region: Option<Region>| -> BTreeSet<Object> {
        let numbers = region.iter().flat_map(|it| it.0.iter());
        let mut numbers: BTreeSet<u32> = numbers.map(|(number, _)| *number).collect();
        if numbers.contains(&OUTSIDE) {
            numbers.extend(&regions.escaped);
        }
        let all = regions.numbers.iter();
        let all = all.filter(|(_, number)| numbers.contains(number));
        all.map(|(object, _)| *object).collect()
    };
    for (function, body) in program.functions.iter() {
        for value in body.values.keys() {
            let precise = objects(regions, regions.value(function, value));
            let more = objects(&coarse, coarse.value(function, value));
            assert!(precise.is_subset(&more), "{value}: {precise:?}, {more:?}");
        }
    }
    let escaped = |regions: &Regions| -> BTreeSet<Object> {
        let all = regions.numbers.iter();
        let all = all.filter(|(_, number)| regions.escaped.contains(number));
        all.map(|(object, _)| *object).collect()
    };
    assert!(escaped(regions).is_subset(&escaped(&coarse)));
}

/// What many objects hold is one where places are not told apart, and leads to no fewer.
#[test]
fn tables_of_many_objects() {
    let count = 40;
    let globals = (0..count).map(|at| format!("global{at} @g{at} size 8 align 8 = x\"\"\n"));
    let mut text: String = globals.collect();
    text += &format!("global{count} @table size 320 align 8 = x\"\"\n");
    text += "extern @getenv(ptr) -> ptr\nfn @main(v0: i64) { block0:\n";
    for at in 0..count {
        text += &format!(
            "v{}: ptr = gep @table + {}\nstore @g{at}, v{}\n",
            2 * at + 1,
            8 * at,
            2 * at + 1
        );
    }
    let next = 2 * count + 1;
    // A number of the last one is read through what any of them holds.
    text += &format!(
        "v{next}: ptr = gep @table [v0 * 8]
         v{}: ptr = load v{next}
         store @g3, v{}
         v{}: ptr = load @g7
         v{}: i32 = load v{}
         v{}: ptr = call @getenv(@table)
         v{}: i32 = load v{}
         ret }}",
        next + 1,
        next + 1,
        next + 3,
        next + 4,
        next + 3,
        next + 5,
        next + 6,
        next + 5,
    );
    let program = crate::text::sample(&text);
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    is_within_coarse(&program, &regions);
}

#[test]
fn what_is_kept_in_memory_leads_where_it_led() {
    check(
        "global0 @a size 8 align 8 = x\"\"
         global1 @b size 8 align 8 = x\"\"
         fn @main() { block0:
           v0: ptr = alloca 8 x i32 1 align 8
           store @a, v0
           v2: ptr = load v0
           v3: i32 = load v2
           v4: ptr = alloca 8 x i32 1 align 8
           memcpy v4, v0, i64 8
           v6: ptr = load v4
           v7: i32 = load v6
           v8: i32 = load @b
           ret }",
        &["main:v0", "a", "main:v4", "a", "b"],
    );
}

/// Pieces of an address may be put together again.
#[test]
fn a_number_that_is_made_of_an_address_leads_where_it_led() {
    check(
        "global0 @a size 8 align 8 = x\"\"
         global1 @b size 8 align 1 = x\"\"
         fn @main(v0: i64) { block0:
           v1: i64 = ptrtoint @a
           v2: i8 = trunc v1
           store v2, @b
           v4: i64 = load @b
           v5: i64 = xor v4, i64 1
           v6: ptr = inttoptr v5
           v7: i32 = load v6
           ret }",
        &["b", "a"],
    );
}

#[test]
fn calls_that_allocate_are_told_apart_by_who_makes_them() {
    check(
        "extern0 @malloc(i64) -> ptr
         fn @own(v0: i64) -> ptr { block0: v1: ptr = call @malloc(v0) ret v1 }
         fn @main() { block0:
           v0: ptr = call @own(i64 8)
           v1: ptr = call @own(i64 8)
           v2: i32 = load v0
           v3: i32 = load v1
           ret }",
        &["main:v0", "main:v1"],
    );
}

/// What else is known of what it makes is known of it here.
#[test]
fn one_that_keeps_what_it_allocates_is_no_allocator() {
    check(
        "extern0 @malloc(i64) -> ptr
         global0 @last size 8 align 8 = x\"\"
         fn @own(v0: i64) -> ptr { block0: v1: ptr = call @malloc(v0) store v1, @last ret v1 }
         fn @main() { block0:
           v0: ptr = call @own(i64 8)
           v1: ptr = load @last
           v2: i32 = load v0
           v3: i32 = load v1
           ret }",
        &["last", "own:v1", "own:v1"],
    );
}

/// Of functions without a body, too; what is never called is not looked at.
#[test]
fn a_call_through_a_pointer_calls_what_it_leads_to() {
    let text = "extern0 @malloc(i64) -> ptr
         extern1 @free(ptr)
         global0 @hooks size 16 align 8 = x\"\" [0: extern0, 8: extern1]
         fn @unused(v0: i64) -> ptr { block0: store fn0, @hooks ret null }
         fn @main() { block0:
           v0: ptr = load @hooks
           v1: ptr = call *v0(i64 8)
           v2: i32 = load v1
           ret }";
    check(text, &["hooks", "main:v1"]);
    let program = crate::text::sample(text);
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    let main = program.function_named("main").expect("main");
    let called = regions.targets(main, ValueId::from_u32(1));
    assert_eq!(called, Some(&[Target::Extern(ExternId::from_u32(0))][..]));
}

/// What a function outside gets may be anywhere behind, and so may what it holds.
#[test]
fn what_others_know_is_what_others_return() {
    check(
        "extern0 @keep(ptr) -> ptr
         global0 @a size 8 align 8 = x\"\"
         fn @main() { block0:
           v0: ptr = alloca 8 x i32 1 align 8
           store @a, v0
           v2: ptr = call @keep(v0)
           v3: ptr = load v2
           v4: ptr = load v0
           ret }",
        &["outside a main:v0", "main:v0"],
    );
}

/// A text with an address may be read where it was written.
#[test]
fn nothing_is_known_where_texts_may_be_addresses() {
    let text = "extern0 @sscanf(ptr, ptr, ...) -> i32
         global0 @format const size 3 align 1 = x\"257000\"
         fn @main() { block0: ret }";
    let program = crate::text::sample(text);
    assert_eq!(Regions::of(&program, false, "__bw_model_"), None);
}

#[test]
fn places_in_an_object_are_told_apart() {
    let program = crate::text::sample(
        "
        extern0 @input() -> i64
        fn @other(v0: ptr) -> ptr { block0: v1: ptr = gep v0 + 4 ret v1 }
        fn @main() { block0:
          v0: ptr = alloca 16 x i32 1 align 8
          v1: ptr = gep v0 + 8
          v2: ptr = call @other(v1)
          v3: i64 = call @input()
          v4: ptr = gep v0 [v3 * 1]
          ret }",
    );
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    let main = program.function_named("main").expect("main");
    let meet = |a: (u32, u64), b: (u32, u64)| {
        let region = |(value, size)| {
            let region = regions.value(main, ValueId::from_u32(value));
            region.expect("an address").sized(size)
        };
        regions.meet(&region(a), &region(b))
    };
    assert!(!meet((0, 8), (1, 4)));
    assert!(meet((0, 9), (1, 4)));
    assert!(!meet((1, 4), (2, 4)));
    assert!(meet((1, 5), (2, 4)));
    assert!(meet((4, 1), (0, 8)));
    assert!(meet((4, 1), (1, 1)));
}

/// Variables of the library are written by those that are said to write to their arguments only, too.
#[test]
fn variables_of_the_library_are_written_by_their_names() {
    let text = "
        extern0 @strftime(ptr, i64, ptr, ptr) -> i64
        extern1 @strlen(ptr) -> i64
        global0 @own internal size 4 align 4 = x\"\"
        global1 @tzname size 16 align 8
        fn @main() { block0:
          v0: i64 = call @strftime(@own, i64 4, @own, @own)
          v1: i64 = call @strlen(@own)
          ret }";
    let program = crate::text::sample(text);
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    let main = program.function_named("main").expect("main");
    let name = regions.global(&program, GlobalId::from_u32(1));
    let writes = |call: u32| {
        let written = regions.written(
            &program,
            (main, ValueId::from_u32(call)),
            ExternId::from_u32(call),
        );
        let written = written.expect("something is known");
        written.is_some_and(|written| regions.meet(&written, &name))
    };
    assert!(writes(0));
    assert!(!writes(1));
}

/// What says why a function failed is one number of the library, and functions that may fail write to it.
#[test]
fn why_a_function_failed_is_written_by_what_may_fail() {
    let text = "
        extern0 @__errno_location() -> ptr
        extern1 @close(i32) -> i32
        extern2 @strlen(ptr) -> i64
        extern3 @malloc(i64) -> ptr
        extern4 @outside() -> i32
        global0 @text const size 2 align 1 = x\"6100\"
        fn @main() { block0:
          v0: ptr = call @__errno_location()
          v1: i32 = load v0
          v2: i32 = call @close(i32 1)
          v3: i64 = call @strlen(@text)
          v4: ptr = call @malloc(i64 8)
          v5: i32 = call @outside()
          v6: i8 = load v4
          ret }";
    check(text, &["errno", "main:v4"]);
    let program = crate::text::sample(text);
    let regions = Regions::of(&program, false, "__bw_model_").expect("something is known");
    let main = program.function_named("main").expect("main");
    let why = regions
        .value(main, ValueId::from_u32(0))
        .expect("an address");
    let writes = |call: u32, callee: u32| {
        let call = (main, ValueId::from_u32(call));
        let written = regions.written(&program, call, ExternId::from_u32(callee));
        let written = written.expect("something is known");
        written.is_some_and(|written| regions.meet(&written, &why))
    };
    assert!(writes(2, 1));
    assert!(!writes(3, 2));
    assert!(writes(4, 3));
    assert!(writes(5, 4));
    let kept = |name: &str| kept_by_library(Some(&regions), &program, name).flatten();
    assert_eq!(kept("log"), Some(why));
    assert_eq!(kept("strlen"), None);
    assert_eq!(kept("__errno_location"), None);
    assert!(regions.meet(&kept("lgamma").expect("a variable"), &regions.outside()));
}
