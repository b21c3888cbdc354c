//! The printer.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::lex::{quote, quote_name};
use super::regions;
use crate::function::{Def, Function};
use crate::id::{FuncId, GlobalId, ValueId};
use crate::inst::Inst;
use crate::model::{Global, Init, Program, RelocationTarget};
use crate::place::Loc;
use crate::types::{Endian, Type};

/// The text of a program.
#[must_use]
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.head();
    let mut modules = program.modules.iter().peekable();
    for function in program.functions.keys() {
        while let Some((id, module)) =
            modules.next_if(|(_, module)| module.first_function <= function)
        {
            printer.line(format_args!(
                "{id} {} uid 0x{:x}",
                quote(&module.name),
                module.uid
            ));
        }
        printer.function(function);
    }
    for (id, module) in modules {
        printer.line(format_args!(
            "{id} {} uid 0x{:x}",
            quote(&module.name),
            module.uid
        ));
    }
    for coverage in &program.coverage {
        regions::print(coverage, &mut printer.out);
    }
    printer.out
}

/// The text of one function.
#[must_use]
pub fn print_function(program: &Program, function: FuncId) -> String {
    let mut printer = Printer::new(program);
    printer.function(function);
    printer.out.trim_start().to_owned()
}

pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    /// How many functions, externs and globals have each name: only a unique name can stand for its id.
    pub(super) names: BTreeMap<&'a str, u32>,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Printer<'a> {
        let functions = program
            .functions
            .values()
            .map(|function| function.name.as_str());
        let externs = program
            .externs
            .values()
            .map(|function| function.name.as_str());
        let globals = program.globals.values().map(|global| global.name.as_str());
        let mut names = BTreeMap::new();
        for name in functions.chain(externs).chain(globals) {
            *names.entry(name).or_insert(0) += 1;
        }
        Printer {
            program,
            names,
            out: String::new(),
        }
    }

    fn put(&mut self, text: impl Display) {
        write!(self.out, "{text}").expect("writing to a string");
    }

    fn line(&mut self, text: impl Display) {
        writeln!(self.out, "{text}").expect("writing to a string");
    }

    fn head(&mut self) {
        let layout = self.program.layout;
        let endian = match layout.endian {
            Endian::Little => "little",
            Endian::Big => "big",
        };
        self.line(format_args!("layout {} {endian}", layout.pointer_bits));
        for (index, file) in self.program.files.iter().enumerate() {
            self.line(format_args!("file{index} {}", quote(file)));
        }
        for (id, function) in self.program.externs.iter() {
            let mut params: Vec<_> = function.params.iter().map(print_type).collect();
            params.extend(function.variadic.then(|| "...".to_owned()));
            let result = result(&function.return_type);
            let weak = if function.weak { " weak" } else { "" };
            self.line(format_args!(
                "{id} {}({}){result}{weak}",
                quote_name(&function.name),
                params.join(", ")
            ));
        }
        for (id, global) in self.program.globals.iter() {
            self.global(id, global);
        }
    }

    fn global(&mut self, id: GlobalId, global: &Global) {
        self.put(format_args!("{id} {}", quote_name(&global.name)));
        for (flag, word) in [
            (global.internal, "internal"),
            (global.constant, "const"),
            (global.thread_local, "thread_local"),
        ] {
            if flag {
                self.put(format_args!(" {word}"));
            }
        }
        self.put(format_args!(
            " size {} align {}{}",
            global.size,
            global.align,
            at(global.loc)
        ));
        if let Some(init) = &global.init {
            self.init(init);
        }
        self.out.push('\n');
    }

    fn init(&mut self, init: &Init) {
        self.put(" = x\"");
        for byte in &init.bytes {
            self.put(format_args!("{byte:02x}"));
        }
        self.put("\"");
        let relocations: Vec<_> = init
            .relocations
            .iter()
            .map(|relocation| {
                let target = match relocation.to {
                    RelocationTarget::Global(id) => self.global_name(id),
                    RelocationTarget::Function(id) => self.function_name(id),
                    RelocationTarget::Extern(id) => self.extern_name(id),
                };
                format!("{}: {target}{}", relocation.offset, plus(relocation.addend))
            })
            .collect();
        if !relocations.is_empty() {
            self.put(format_args!(" [{}]", relocations.join(", ")));
        }
        let unknown = init.unknown.iter();
        let unknown: Vec<_> = unknown
            .map(|gap| format!("{}: {}", gap.offset, gap.size))
            .collect();
        if !unknown.is_empty() {
            self.put(format_args!(" unknown [{}]", unknown.join(", ")));
        }
    }

    fn function(&mut self, id: FuncId) {
        let function = &self.program.functions[id];
        let mut params: Vec<_> = function
            .params
            .iter()
            .map(|&param| format!("{param}: {}", print_type(&function.values[param].ty)))
            .collect();
        params.extend(function.variadic.then(|| "...".to_owned()));
        let name = quote_name(&function.name);
        self.put(format_args!(
            "\n{id} {name}({}){}",
            params.join(", "),
            result(&function.return_type)
        ));
        for (flag, word) in [
            (function.internal, "internal"),
            (function.library, "library"),
        ] {
            if flag {
                self.put(format_args!(" {word}"));
            }
        }
        if !function.entry_counters.is_empty() {
            self.put(format_args!(
                " counters{}",
                counters(&function.entry_counters)
            ));
        }
        self.line(format_args!("{} {{", at(function.loc)));
        let unnamed = numbers_follow(function);
        for (block, data) in function.blocks.iter() {
            self.line(format_args!("{block}:"));
            for (value, inst) in function.insts(block) {
                self.inst(function, value, inst, unnamed);
            }
            let terminator = self.terminator(function, &data.terminator);
            self.line(format_args!("  {terminator}{}", at(data.loc)));
        }
        self.line("}");
    }

    fn inst(&mut self, function: &Function, value: ValueId, inst: &Inst, unnamed: bool) {
        let ty = &function.values[value].ty;
        self.put("  ");
        if *ty != Type::Void {
            self.put(format_args!("{value}: {} = ", print_type(ty)));
        } else if !unnamed {
            self.put(format_args!("{value} = "));
        }
        let op = self.op(&inst.op);
        self.put(op);
        if let Some(spot) = inst.spot {
            let what = self
                .program
                .spots
                .get(spot)
                .map_or("", |spot| spot.what.as_str());
            self.put(format_args!(" {spot} {}", quote(what)));
        }
        self.line(at(inst.loc));
    }
}

/// The text of a type.
pub(crate) fn print_type(ty: &Type) -> String {
    match ty {
        Type::Void => "void".to_owned(),
        Type::Int(bits) => format!("i{bits}"),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        Type::X86Fp80 => "x86_fp80".to_owned(),
        Type::Ptr => "ptr".to_owned(),
        Type::Struct(ty) => {
            let fields: String = ty
                .fields
                .iter()
                .map(|field| format!("{} + {}, ", print_type(&field.ty), field.offset))
                .collect();
            format!("{{{fields}size {}}}", ty.size)
        }
        Type::Array(ty) => format!("[{} x {}]", ty.count, print_type(&ty.element)),
        Type::Vector(ty) => format!("<{} x {}>", ty.lanes, print_type(&ty.element)),
        Type::Opaque(name) => format!("type {}", quote(name)),
    }
}

/// Whether the instructions without a result may stay unnamed: the parser gives them, in the order of the text, the
/// numbers that are left.
fn numbers_follow(function: &Function) -> bool {
    let unnamed = function
        .blocks
        .values()
        .flat_map(|block| &block.insts)
        .filter(|&&value| {
            function
                .values
                .get(value)
                .is_some_and(|data| data.ty == Type::Void && matches!(data.def, Def::Inst(_)))
        });
    unnamed.is_sorted()
}

pub(super) fn at(loc: Option<Loc>) -> String {
    loc.map(|Loc { file, line, col }| format!(" at file{file}:{line}:{col}"))
        .unwrap_or_default()
}

fn result(ty: &Type) -> String {
    if *ty == Type::Void {
        String::new()
    } else {
        format!(" -> {}", print_type(ty))
    }
}

pub(super) fn flag(set: bool, word: &str) -> String {
    if set {
        format!(" {word}")
    } else {
        String::new()
    }
}

pub(super) fn counters(counters: &[u32]) -> String {
    if counters.is_empty() {
        return String::new();
    }
    let counters: Vec<_> = counters.iter().map(ToString::to_string).collect();
    format!(" {{{}}}", counters.join(", "))
}

pub(super) fn indices(items: &[impl Display]) -> String {
    format!(
        "[{}]",
        items
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// ` + 5`, ` - 5`, or nothing.
pub(super) fn plus(offset: i64) -> String {
    match offset {
        0 => String::new(),
        1.. => format!(" + {offset}"),
        _ => format!(" - {}", offset.unsigned_abs()),
    }
}

/// The signed value of a bit pattern.
pub(super) fn signed(bits: u32, value: u128) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}
