//! Where variables are looked at: calls with the variables of a function as arguments, in front of the code of a line.
//!
//! They stand there before variables are promoted, so that the prepared module has the very values at this place. The calls
//! are for an analysis of the model only; such a module is never run.
//!
//! Names are those of clang's `-fno-discard-value-names`: a name that a function has several times has a number behind it.

use std::collections::BTreeMap;

use crate::Error;
use crate::ir::{Builder, Kind, Module, Opcode, Type, Value};

/// A place where variables are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Name of the function that is called there with the variables.
    pub watch: String,
    pub function: String,
    /// As the debug information has it.
    pub file: String,
    pub line: u32,
    pub col: u32,
    /// The arguments.
    pub names: Vec<String>,
}

/// Widest integer that is looked at.
const WIDEST: u32 = 64;

/// A module that looks at its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    pub bitcode: Vec<u8>,
    pub points: Vec<Point>,
    /// The module's variables outside of functions; whether each is a floating-point number, which in memory is bits like others.
    pub globals: BTreeMap<String, bool>,
}

/// Looks at the variables in front of the code of a line, in each block that has some. `is_file`: whether the line is one of
/// this file; `first`: the number of the first place.
///
/// # Errors
/// The bytes are no bitcode.
pub fn watch(
    bitcode: &[u8],
    name: &str,
    (is_file, line): (&dyn Fn(&str) -> bool, u32),
    first: usize,
) -> Result<Watched, Error> {
    let module = Module::from_bitcode(bitcode, name)?;
    let mut points = Vec::new();
    for function in module.functions() {
        let mut found = Vec::new();
        for block in function.blocks() {
            let at = block.instructions().into_iter().find(|instruction| {
                !instruction.is_opcode(Opcode::LLVMPHI)
                    && !instruction.is_opcode(Opcode::LLVMAlloca)
                    && place(*instruction)
                        .is_some_and(|(file, own, _)| own == line && is_file(&file))
            });
            found.extend(at);
        }
        let variables = variables(function, line);
        for instruction in found {
            let number = first + points.len();
            points.extend(look(&module, function, instruction, &variables, number));
        }
    }
    let globals = module.globals().into_iter();
    Ok(Watched {
        globals: globals
            .map(|global| (global.name(), is_float(global.global_type())))
            .collect(),
        bitcode: module.bitcode(),
        points,
    })
}

/// Inserts one call.
fn look(
    module: &Module,
    function: Value,
    before: Value,
    variables: &[(String, Value)],
    number: usize,
) -> Option<Point> {
    let (file, line, col) = place(before)?;
    let watch = format!("{}{number}", program::WATCH);
    let builder = Builder::new(module);
    builder.before(before);
    builder.set_location(before.debug_location());
    let values: Vec<Value> = variables
        .iter()
        .map(|(_, variable)| {
            builder.load(variable.allocated_type(), *variable, variable.alignment())
        })
        .collect();
    let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
    let ty = module.function_type(module.void(), &types);
    let callee = module.add_function(&watch, ty);
    builder.call(ty, callee, &values);
    Some(Point {
        watch,
        function: function.name(),
        file,
        line,
        col,
        names: variables.iter().map(|(name, _)| name.clone()).collect(),
    })
}

/// File, line and column of an instruction.
fn place(instruction: Value) -> Option<(String, u32, u32)> {
    let (line, col) = instruction.debug_line()?;
    let (directory, file) = instruction.debug_file()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let file = crate::covmap::absolute(&text(&directory), &text(&file));
    Some((file, line, col))
}

/// A floating-point number that is computed with.
fn is_float(ty: Type) -> bool {
    matches!(
        ty.kind(),
        Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind
    )
}

/// The numbers and pointers among a function's variables that are used at or before a line, by name.
fn variables(function: Value, line: u32) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for variable in function.instructions() {
        if !variable.is_opcode(Opcode::LLVMAlloca) || variable.operand(0).as_int() != Some(1) {
            continue;
        }
        let ty = variable.allocated_type();
        let is_integer = ty.int_bits().is_some_and(|bits| bits <= WIDEST);
        let fits = ty.is_pointer() || is_integer || is_float(ty);
        let name = variable.name();
        let (name, is_param) = match name.strip_suffix(".addr") {
            Some(param) => (param.to_owned(), true),
            None => (name, false),
        };
        let is_own = !name.is_empty() && !name.contains('.') && !is_made_by_clang(&name);
        let uses = variable.users();
        let mut lines = uses.iter().filter_map(|user| Some(user.debug_line()?.0));
        let is_known = is_param || lines.any(|used| used <= line);
        if fits && is_own && is_known {
            found.push((name, variable));
        }
    }
    found
}

/// Objects that are no variables of the source.
fn is_made_by_clang(name: &str) -> bool {
    matches!(name, "retval" | "saved_stack" | "tmp")
}
