//! From an instrumented module to an object file, assembly or bitcode that carries the model.
//!
//! The record goes to section `.bothways` as inline assembly: not loaded at run time, kept by `--gc-sections` and
//! by `strip`.

use crate::Error;
use crate::instrument::is_plain_clone;
use crate::ir::{Attribute, Machine, Module, Output, Value};
use crate::number::constant;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Relocation model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// `-fno-pic`.
    None,
    /// `-fPIE`.
    Pie,
    /// `-fPIC`.
    #[default]
    Pic,
}

/// What to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `-c`.
    #[default]
    Object,
    /// `-S`.
    Assembly,
    /// `-emit-llvm -c`.
    Bitcode,
    /// `-emit-llvm -S`.
    Text,
}

/// How to emit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmitOptions {
    /// 0 to 3.
    pub level: u8,
    /// Relocation model.
    pub position: Position,
    /// Output.
    pub form: Form,
    /// Each function in a section of its own, as `-ffunction-sections` asks.
    pub function_sections: bool,
    /// Debug information goes to the output.
    pub debug: bool,
}

impl Default for EmitOptions {
    fn default() -> Self {
        EmitOptions {
            level: 2,
            position: Position::Pic,
            form: Form::Object,
            function_sections: false,
            debug: false,
        }
    }
}

/// Optimises the module and writes it.
///
/// # Errors
/// LLVM's own, in its words.
pub fn emit(module: &Module, options: &EmitOptions) -> Result<Vec<u8>, Error> {
    let machine = Machine::new(module, options.level, options.position)?;
    if !options.debug {
        module.strip_debug();
    }
    optimise(module, &machine, options.level.min(3))?;
    arrays(module);
    // As LLVM does where it reads a module: its writer of debug information crashes where that is not sound.
    if options.debug && module.verify().is_err() {
        module.strip_debug();
    }
    if options.function_sections {
        function_sections(module);
    }
    match options.form {
        Form::Object => machine.emit(module, Output::Object),
        Form::Assembly => machine.emit(module, Output::Assembly),
        Form::Bitcode => Ok(module.bitcode()),
        Form::Text => Ok(module.text().into_bytes()),
    }
}

/// Optimisation and register allocation take more than linear time, and functions with label code are an order of magnitude
/// larger than their sources. So these get cheap passes; what runs while nothing is symbolic is optimised as asked.
fn optimise(module: &Module, machine: &Machine, level: u8) -> Result<(), Error> {
    let all = format!("default<O{level}>");
    if level == 0 {
        return module.run(&all, Some(machine));
    }
    module.run("function(sroa,early-cse,simplifycfg)", Some(machine))?;
    hurry_large_functions(module);
    let cheap = "always-inline,function(instcombine<no-verify-fixpoint>,simplifycfg)";
    module.run(cheap, Some(machine))?;
    let added = passed_over(module);
    module.run(&all, Some(machine))?;
    // Some functions are gone, and others were made anew under the old name.
    for function in module.functions() {
        for wish in added.get(&function.name()).into_iter().flatten() {
            function.remove(Attribute::Function, wish);
        }
    }
    Ok(())
}

/// What asks the optimiser to pass over a function.
const UNOPTIMISED: [&str; 2] = ["noinline", "optnone"];

/// Functions that are still large after the cheapest passes are compiled without any others.
fn hurry_large_functions(module: &Module) {
    const LARGE: usize = 1_800;
    let is_large = |function: &Value| function.instructions().nth(LARGE).is_some();
    for function in module.functions().into_iter().filter(is_large) {
        for hindrance in ["alwaysinline", "minsize", "optsize"] {
            function.remove(Attribute::Function, hindrance);
        }
        for wish in UNOPTIMISED {
            function.add(module, Attribute::Function, wish);
        }
    }
}

/// Asks the optimiser to pass over functions with label code; the attributes that were added for it, by the function's name.
fn passed_over(module: &Module) -> HashMap<String, Vec<&'static str>> {
    // Who asks for small code, or code in its caller, gets it: `optnone` cannot stand beside that.
    let others = ["alwaysinline", "minsize", "optsize", "optnone"];
    let has_labels = |function: &Value| {
        let has_other = others
            .iter()
            .any(|name| function.has(Attribute::Function, name));
        !function.is_declaration() && !is_plain_clone(*function) && !has_other
    };
    let mut added = HashMap::new();
    for function in module.functions().into_iter().filter(has_labels) {
        let missing = UNOPTIMISED.into_iter();
        let missing = missing.filter(|wish| !function.has(Attribute::Function, wish));
        let missing: Vec<_> = missing.collect();
        for wish in &missing {
            function.add(module, Attribute::Function, wish);
        }
        added.insert(function.name(), missing);
    }
    added
}

/// By explicit names, since LLVM's C interface has no option for it.
fn function_sections(module: &Module) {
    for function in module.functions() {
        if !function.is_declaration() && !function.has_section() {
            function.set_section(&format!(".text.{}", function.name()));
        }
    }
}

/// Lists of constructors and destructors become pointers in `.init_array` and `.fini_array`: LLVM's own lowering would
/// write `.ctors` here (its C interface cannot ask for arrays), which GNU ld converts and lld ignores.
fn arrays(module: &Module) {
    const DEFAULT_PRIORITY: u128 = 65535;
    for (list, section) in [
        ("llvm.global_ctors", ".init_array"),
        ("llvm.global_dtors", ".fini_array"),
    ] {
        let Some(global) = module.global(list) else {
            continue;
        };
        for entry in global
            .initializer()
            .map(|entries| entries.operands())
            .unwrap_or_default()
        {
            let (priority, function) = (entry.operand(0), entry.operand(1));
            if !function.is_function() {
                continue;
            }
            let section = match constant(priority) {
                DEFAULT_PRIORITY => section.to_owned(),
                priority => format!("{section}.{priority:05}"),
            };
            let pointer = module.add_global("__bw.array", function.ty());
            pointer.set_initializer(function);
            pointer.set_private();
            pointer.set_section(&section);
            pointer.set_alignment(8);
        }
        global.delete_global();
    }
}

/// Adds the record to the module: `meta` is JSON that says how it was compiled, `bitcode` the model.
pub fn embed(module: &Module, uid: u64, meta: &str, bitcode: &[u8]) {
    let mut record = Vec::with_capacity(bitcode.len() + meta.len() + 40);
    record.extend(wire::section::MAGIC);
    for number in [uid, meta.len() as u64, bitcode.len() as u64] {
        record.extend(number.to_le_bytes());
    }
    record.extend(meta.as_bytes());
    record.extend(bitcode);
    record.resize(record.len().next_multiple_of(8), 0);

    let text = assembly(wire::section::NAME, "", &record);
    module.append_assembly(&text);
}

/// An object that has nothing but this content, in a section with these flags of an assembler.
///
/// # Errors
/// LLVM's own, in its words.
pub fn section(name: &str, flags: &str, content: &[u8]) -> Result<Vec<u8>, Error> {
    let module = Module::empty(name);
    module.append_assembly(&assembly(name, flags, content));
    Machine::new(&module, 0, Position::Pic)?.emit(&module, Output::Object)
}

fn assembly(name: &str, flags: &str, content: &[u8]) -> String {
    let mut text = format!(".pushsection {name},\"{flags}\",@progbits\n.p2align 3\n");
    for line in content.chunks(4096) {
        text.push_str(".ascii \"");
        for &byte in line {
            match byte {
                b'"' | b'\\' => _ = write!(text, "\\{}", char::from(byte)),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => _ = write!(text, "\\{byte:03o}"),
            }
        }
        text.push_str("\"\n");
    }
    text.push_str(".popsection\n");
    text
}
