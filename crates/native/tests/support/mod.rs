//! Builds the fake programs, and a model that fits them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use native::toolchain::Toolchain;
use path::{InputVector, Value, ValueType};
use program::{BlockId, Function, Program, SiteKind};
use wire::segment::{Control, Header};

/// A folder of this test process for files that it builds.
pub fn folder() -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("native-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("the target folder can be written");
    path
}

fn wire_header() -> String {
    let mut text = String::new();
    let mut define = |name: &str, value: usize| text.push_str(&format!("#define {name} {value}\n"));
    define("CONTROL_OFFSET", wire::segment::CONTROL_OFFSET);
    define("HOT_OFFSET", wire::segment::HOT_OFFSET);
    define("HOT_CURSOR", wire::segment::HOT_CURSOR as usize);
    define("END", wire::event::END as usize);
    define(
        "HOT_EVENTS_START",
        offset_of!(wire::segment::Hot, events_start),
    );
    macro_rules! fields {
        ($prefix:literal, $ty:ty: $($field:ident)*) => {
            $(define(concat!($prefix, stringify!($field)), offset_of!($ty, $field));)*
        };
    }
    fields!("CONTROL_", Control: request done stage exit_kind exit_value supplied input_count node_count module_count
        loss_count prefix_events overflow stale);
    fields!("HEADER_", Header: nodes events inputs names modules timeout_ms);
    text
}

/// Compiles `tests/fake/<name>.c`.
pub fn fake(name: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
    let folder = folder();
    let output = folder.join(name);
    std::fs::write(folder.join("wire.h"), wire_header()).expect("the header can be written");
    let clang = Toolchain::find().expect("clang is installed").clang;
    let mut command = Command::new(clang);
    command
        .args(["-O1", "-Wall", "-Wno-unused-function", "-I"])
        .arg(&folder);
    command
        .arg(sources.join(format!("{name}.c")))
        .arg("-o")
        .arg(&output);
    assert!(
        command.status().expect("clang runs").success(),
        "{name}.c does not compile"
    );
    output
}

/// The hostile program, compiled once.
pub fn hostile() -> PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| fake("hostile")).clone()
}

/// Module 0x77: `main` with one branch and one spot.
pub fn model() -> Program {
    let mut program = Program::new();
    program.add_module(0x77, "fake.c");
    let main = program.add_function(Function::new("main"));
    let entry = BlockId::from_u32(0);
    program.add_site(
        SiteKind::Branch,
        main,
        entry,
        None,
        [(Some(entry), vec![]), (Some(entry), vec![])],
    );
    program.add_spot(main, None, "load");
    program
}

/// An input vector of `int`s.
pub fn ints(values: &[i32]) -> InputVector {
    let value = |value: &i32| Value {
        kind: ValueType::I32,
        name: Arc::from("x"),
        element: None,
        c_type: Arc::from("int"),
        bits: u128::from(value.cast_unsigned()),
    };
    InputVector {
        values: values.iter().map(value).collect(),
        streams: Vec::new(),
    }
}
