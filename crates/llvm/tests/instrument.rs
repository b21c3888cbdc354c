//! Instrumented programs behave as plain ones: with nothing symbolic, and with everything symbolic (every slow path
//! runs). The runtime here is a stub made from the tables in `wire`; the real one has its own tests.

use llvm::emit::{EmitOptions, Form, Position, embed, emit};
use llvm::{Module, instrument, number, prepare, reach};
use std::fmt::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use wire::abi::{FUNCTIONS, Ty};
use wire::libc::{MODEL_PREFIX, TABLE, Treatment, WRAPPED_PREFIX};

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instrument");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    folder
}

fn clang(args: &[&str]) {
    let status = Command::new("clang-19")
        .arg("-w")
        .args(args)
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 {args:?}");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A runtime that records nothing. With `noise`, all stack and global memory has labels and so has every result.
fn stub(test: &str, noise: bool) -> PathBuf {
    let (base, stub) = (wire::shadow::BASE, include_str!("stub.c"));
    let mut code = format!("#define SHADOW {base:#x}ul\n{stub}");
    let c = |ty: &Ty| match ty {
        Ty::U32 => "unsigned",
        Ty::U64 => "unsigned long",
        Ty::Ptr => "void *",
        Ty::Void => "void",
    };
    for function in FUNCTIONS {
        let body = match function.name {
            "__bw_register" => "register_module(p0);",
            "__bw_event" => "__bw_hot.cursor = events;",
            "__bw_enter" => "__bw_hot.callee = 0; return 1;",
            "__bw_result" => "__bw_hot.returned = 0; return 1;",
            _ if function.result == Ty::U32 => "return NOISE;",
            _ => "",
        };
        let params: Vec<String> = function
            .params
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("{} p{index}", c(ty)))
            .collect();
        let (result, name) = (c(&function.result), function.name);
        _ = writeln!(code, "{result} {name}({}) {{ {body} }}", params.join(", "));
    }
    for entry in TABLE {
        let prefix = match entry.treatment {
            Treatment::Wrapped => WRAPPED_PREFIX,
            Treatment::Model | Treatment::Output => MODEL_PREFIX,
            Treatment::Harmless | Treatment::Pure => continue,
        };
        let (new, old) = (format!("{prefix}{}", entry.name), entry.name);
        _ = writeln!(
            code,
            "__asm__(\".weak {old}\\n.globl {new}\\n{new}: jmp {old}@PLT\\n\");"
        );
    }
    let name = format!("stub-{test}-{noise}");
    let (source, object) = (
        folder().join(format!("{name}.c")),
        folder().join(format!("{name}.o")),
    );
    std::fs::write(&source, code).expect("the stub is written");
    let noise = format!("-DNOISE={}", u8::from(noise));
    clang(&["-O1", &noise, "-c", text(&source), "-o", text(&object)]);
    object
}

/// clang's bitcode of a source file, as `bothways cc` makes it.
fn bitcode(source: &Path, name: &str) -> Vec<u8> {
    let out = folder().join(format!("{name}.bc"));
    let flags = "-O0 -Xclang -disable-O0-optnone -Xclang -disable-llvm-passes -g -fprofile-instr-generate \
                 -fcoverage-mapping -mllvm -enable-name-compression=false -fwrapv -fno-strict-aliasing \
                 -fno-delete-null-pointer-checks -emit-llvm -c";
    let mut args: Vec<&str> = flags.split_whitespace().collect();
    args.extend([text(source), "-o", text(&out)]);
    clang(&args);
    std::fs::read(out).expect("clang's bitcode")
}

/// An instrumented module.
fn instrumented(bitcode: &[u8], name: &str) -> Module {
    let prepared = prepare::prepare(bitcode, name).expect("the module is prepared");
    let mut module = Module::from_bitcode(&prepared.bitcode, name).expect("the model is read");
    let numbering = number::number(&module);
    let options = instrument::Options {
        uid: prepared.uid,
        position: Position::Pie,
        library: false,
        failing: false,
    };
    instrument::instrument(&mut module, &numbering, &options).expect("the module is instrumented");
    embed(&module, prepared.uid, "{}", &prepared.bitcode);
    module
}

/// An instrumented object.
fn object(bitcode: &[u8], name: &str, level: u8) -> PathBuf {
    let module = instrumented(bitcode, name);
    let options = EmitOptions {
        level,
        position: Position::Pie,
        ..EmitOptions::default()
    };
    let path = folder().join(format!("{name}.{level}.o"));
    std::fs::write(&path, emit(&module, &options).expect("an object"))
        .expect("the object is written");
    path
}

fn link(object: &Path, stub: &Path, name: &str) -> PathBuf {
    let program = folder().join(name);
    clang(&[
        text(object),
        text(stub),
        "-o",
        text(&program),
        "-lstdc++",
        "-lm",
    ]);
    program
}

fn run(program: &Path) -> Output {
    Command::new(program)
        .arg0("program")
        .output()
        .expect("the program runs")
}

/// The plain program, the quiet and the noisy one print the same and exit alike.
fn check(file: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{file}"));
    let name = file.split('.').next().expect("a file name");
    let plain = folder().join(format!("{name}.plain"));
    clang(&[
        "-O0",
        "-fwrapv",
        "-fno-strict-aliasing",
        text(&source),
        "-o",
        text(&plain),
        "-lstdc++",
        "-lm",
    ]);
    let expected = run(&plain);
    assert!(!expected.stdout.is_empty(), "{name} prints something");
    let bitcode = bitcode(&source, name);
    for level in [0, 2] {
        let object = object(&bitcode, name, level);
        for noise in [false, true] {
            let stub = stub(name, noise);
            let program = link(&object, &stub, &format!("{name}.{level}.{noise}"));
            let actual = run(&program);
            assert_eq!(
                String::from_utf8_lossy(&actual.stdout),
                String::from_utf8_lossy(&expected.stdout),
                "{name} at -O{level}, noise {noise}"
            );
            assert_eq!(
                actual.status, expected.status,
                "{name} at -O{level}, noise {noise}"
            );
        }
    }
}

#[test]
fn calls() {
    check("calls.c");
}

#[test]
fn control() {
    check("control.c");
}

#[test]
fn scalars() {
    check("scalars.c");
}

#[test]
fn memory() {
    check("memory.c");
}

#[test]
fn exceptions() {
    check("exceptions.cc");
}

#[test]
fn the_object_carries_the_model() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/control.c");
    let bitcode = bitcode(&source, "carried");
    let prepared = prepare::prepare(&bitcode, "carried").expect("the module is prepared");
    let object = std::fs::read(object(&bitcode, "carried", 2)).expect("the object");
    let found = object
        .windows(prepared.bitcode.len())
        .any(|window| window == prepared.bitcode);
    assert!(found, "the prepared bitcode stands in the object as it is");
    let again = prepare::prepare(&bitcode, "carried").expect("the module is prepared again");
    assert_eq!(prepared, again, "the same bytes give the same model");
}

/// What a clone that runs while nothing is symbolic brings along when it is inlined had locations in other functions:
/// LLVM drops such debug information where it reads a module, and does not survive writing it where `inline` functions
/// have the compiler describe all variables (`lib/base64.c` of coreutils).
#[test]
fn debug_information_stays_in_its_function() {
    let source = folder().join("debug.c");
    let text = "static int step(int x) { return x - 1; }\n\
                void count(int n) { while (n) n = step(n); }\n\
                int main(void) { count(3); return 0; }\n";
    std::fs::write(&source, text).expect("the source is written");
    let module = instrumented(&bitcode(&source, "debug"), "debug");
    let options = EmitOptions {
        level: 2,
        form: Form::Text,
        debug: true,
        ..EmitOptions::default()
    };
    let text = emit(&module, &options).expect("the module is optimised");
    let text = String::from_utf8(text).expect("LLVM's text");
    assert!(text.contains("DILocation("), "{text}");
    module.verify().expect("sound debug information");
}

/// The optimiser passes over code with labels; what asks it to is not seen by the code generator.
#[test]
fn what_the_optimiser_passed_over_is_generated_as_asked() {
    let source = folder().join("passed.c");
    let text = "int see(int);\n\
                static int first(int n) { while (n > 3) n = see(n); return n; }\n\
                int second(int n) { return first(n) + first(n + 1); }\n";
    std::fs::write(&source, text).expect("the source is written");
    let module = instrumented(&bitcode(&source, "passed"), "passed");
    let options = EmitOptions {
        level: 2,
        form: Form::Text,
        ..EmitOptions::default()
    };
    let text = emit(&module, &options).expect("the module is optimised");
    let text = String::from_utf8(text).expect("LLVM's text");
    assert!(text.contains("@first("), "{text}");
    assert!(
        !text.contains("optnone") && !text.contains("noinline"),
        "{text}"
    );
}

/// Nothing calls it in a search: what says what a function left is thousands of lines in some harnesses.
#[test]
fn what_the_judge_alone_calls_is_no_code() {
    let source = folder().join("judges.c");
    let text = "int see(int);\n\
                __attribute__((noinline, section(\".text.bothways.judge\"))) static void judged(int n) {\n\
                  while (n) n = see(n);\n\
                }\n\
                __attribute__((noinline)) static void ours(int n) { while (n) n = see(n); }\n\
                extern int sees __attribute__((weak));\n\
                int main(void) { if (&sees && sees) judged(3); ours(3); return 0; }\n";
    std::fs::write(&source, text).expect("the source is written");
    let module = instrumented(&bitcode(&source, "judges"), "judges");
    let named = |name: &str| {
        let bodies = with_bodies(&module.bitcode());
        bodies.iter().any(|own| own.contains(name))
    };
    assert!(named("ours"), "{}", module.text());
    assert!(!named("judged"), "{}", module.text());
}

/// Names of the functions whose body is more than `unreachable`.
fn with_bodies(bitcode: &[u8]) -> Vec<String> {
    let module = Module::from_bitcode(bitcode, "reach").expect("the module is read");
    let text = module.text();
    let bodies = text.split("\ndefine ").skip(1).filter_map(|rest| {
        let body = rest.split("\n}").next()?;
        let name = rest.split('@').nth(1)?.split('(').next()?;
        (!body.trim_end().ends_with("unreachable")).then(|| name.to_owned())
    });
    bodies.collect()
}

#[test]
fn what_nothing_reaches_has_no_body() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/reach.c");
    let whole = bitcode(&source, "reach");
    let part = reach::only(&whole, "reach", "main").expect("the rest is dropped");
    let all = [
        "early",
        "kept",
        "realloc",
        "jumpy",
        "elsewhere",
        "direct",
        "main",
        "alone",
        "jumps",
        "twice",
        "thrice",
    ];
    let gone = ["jumpy", "elsewhere", "alone", "jumps"];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let names = |keep: &dyn Fn(&str) -> bool| {
        let names = all.iter().filter(|name| keep(name));
        sorted(names.map(|&name| name.to_owned()).collect())
    };
    assert_eq!(sorted(with_bodies(&whole)), names(&|_| true));
    assert_eq!(
        sorted(with_bodies(&part)),
        names(&|name| !gone.contains(&name))
    );
}
