//! `bwcc in.c… -o out [clang flags]`: compiles C with the instrumentation, for debugging.
//!
//! `-c` writes one object; otherwise the program is linked with the runtime that `BWCC_RUNTIME` names. `-O0` to
//! `-O3` is the level of the instrumented code (2 unless given); `--dump DIR` keeps the prepared and the
//! instrumented module there; `--library` marks a model.

use llvm::emit::{EmitOptions, Form, Position, embed, emit};
use llvm::{Module, instrument, number, prepare};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Default)]
struct Args {
    inputs: Vec<PathBuf>,
    output: PathBuf,
    compile_only: bool,
    library: bool,
    level: u8,
    dump: Option<PathBuf>,
    flags: Vec<String>,
}

fn parse() -> Args {
    let mut args = Args {
        output: "a.out".into(),
        level: 2,
        ..Args::default()
    };
    let mut rest = std::env::args().skip(1);
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "-o" => args.output = rest.next().unwrap_or_default().into(),
            "-c" => args.compile_only = true,
            "--library" => args.library = true,
            "--dump" => args.dump = rest.next().map(PathBuf::from),
            "-O0" | "-O1" | "-O2" | "-O3" => args.level = arg.as_bytes()[2] - b'0',
            _ if arg.ends_with(".c") || arg.ends_with(".ll") => args.inputs.push(arg.into()),
            _ => args.flags.push(arg),
        }
    }
    args
}

fn main() {
    let args = parse();
    if let Err(error) = run(&args) {
        eprintln!("bwcc: {error}");
        exit(1);
    }
}

fn run(args: &Args) -> Outcome<()> {
    let mut objects = Vec::new();
    for (index, input) in args.inputs.iter().enumerate() {
        let object = if args.compile_only {
            args.output.clone()
        } else {
            args.output.with_extension(format!("bw{index}.o"))
        };
        std::fs::write(&object, compile(args, input)?)?;
        objects.push(object);
    }
    if args.compile_only {
        return Ok(());
    }
    let mut link = Command::new("clang-19");
    link.args(&objects)
        .arg("-o")
        .arg(&args.output)
        .arg("-rdynamic");
    if let Ok(runtime) = std::env::var("BWCC_RUNTIME") {
        link.arg("-Wl,--whole-archive")
            .arg(runtime)
            .arg("-Wl,--no-whole-archive");
    }
    link.args(
        args.flags
            .iter()
            .filter(|flag| flag.starts_with("-l") || flag.starts_with("-W")),
    )
    .arg("-lm");
    if !link.status()?.success() {
        return Err("link failed".into());
    }
    Ok(())
}

fn compile(args: &Args, input: &Path) -> Outcome<Vec<u8>> {
    let bitcode = args.output.with_extension("bwcc.bc");
    let mut clang = Command::new("clang-19");
    clang.args([
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
        "-Xclang",
        "-disable-llvm-passes",
        "-g",
        "-w",
    ]);
    clang.args([
        "-fprofile-instr-generate",
        "-fcoverage-mapping",
        "-mllvm",
        "-enable-name-compression=false",
    ]);
    clang.args([
        "-fwrapv",
        "-fno-strict-aliasing",
        "-fno-delete-null-pointer-checks",
        "-emit-llvm",
        "-c",
    ]);
    clang
        .args(args.flags.iter().filter(|flag| !flag.starts_with("-l")))
        .arg(input)
        .arg("-o")
        .arg(&bitcode);
    if !clang.status()?.success() {
        return Err("clang failed".into());
    }
    let name = input.display().to_string();
    let prepared = prepare::prepare(&std::fs::read(&bitcode)?, &name)?;
    std::fs::remove_file(&bitcode)?;
    let mut module = Module::from_bitcode(&prepared.bitcode, &name)?;
    if let Some(folder) = &args.dump {
        std::fs::write(folder.join("prepared.ll"), module.text())?;
    }
    let pic = args.flags.iter().any(|flag| flag == "-fPIC");
    let position = if pic { Position::Pic } else { Position::Pie };
    let numbering = number::number(&module);
    if let Some(folder) = &args.dump {
        std::fs::write(folder.join("prepared.bc"), &prepared.bitcode)?;
        std::fs::write(folder.join("numbers.txt"), numbers(&numbering))?;
    }
    let options = instrument::Options {
        uid: prepared.uid,
        position,
        library: args.library,
        failing: false,
    };
    let done = instrument::instrument(&mut module, &numbering, &options);
    if let Some(folder) = &args.dump {
        std::fs::write(folder.join("instrumented.ll"), module.text())?;
    }
    done?;
    embed(&module, prepared.uid, "{}", &prepared.bitcode);
    let object = emit(
        &module,
        &EmitOptions {
            level: args.level,
            position,
            form: Form::Object,
            ..EmitOptions::default()
        },
    )?;
    if let Some(folder) = &args.dump {
        std::fs::write(folder.join("optimised.ll"), module.text())?;
    }
    Ok(object)
}

/// The counters of each function entry and edge: `entry FUNCTION NAME COUNTERS`, `edge EDGE FUNCTION COUNTERS`.
fn numbers(numbering: &number::Numbering) -> String {
    let list = |counters: &[u32]| {
        counters
            .iter()
            .map(|counter| format!(" {counter}"))
            .collect::<String>()
    };
    let mut text = String::new();
    for (id, counters) in numbering.entry_counters.iter().enumerate() {
        text += &format!(
            "entry {id} {}{}\n",
            numbering.function_name(id as u32),
            list(counters)
        );
    }
    for site in &numbering.sites {
        for edge in site.first_edge..site.first_edge + site.edges {
            text += &format!(
                "edge {edge} {}{}\n",
                site.function,
                list(&numbering.edge_counters[edge as usize])
            );
        }
    }
    text
}
