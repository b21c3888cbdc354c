//! The printer.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::lex::{quote, quote_name};
use super::regions;
use crate::coverage::SourceRange;
use crate::function::{Def, Function};
use crate::id::{ExternId, FuncId, GlobalId, SiteId, ValueId};
use crate::inst::{Callee, Inst, Op, Terminator};
use crate::model::{Global, Init, Loc, Program, RelocationTarget, SiteKind};
use crate::operand::{Const, Operand};
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

struct Printer<'a> {
    program: &'a Program,
    /// How many functions, externs and globals have each name: only a unique name can stand for its id.
    names: BTreeMap<&'a str, u32>,
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
            self.line(format_args!(
                "{id} {}({}){result}",
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

    fn op(&self, op: &Op) -> String {
        match op {
            Op::Bin { op, lhs, rhs } => {
                format!("{op} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FBin { op, lhs, rhs } => {
                format!("{op} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FNeg { value } => format!("fneg {}", self.operand(value)),
            Op::ICmp { pred, lhs, rhs } => {
                format!("icmp {pred} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FCmp { pred, lhs, rhs } => {
                format!("fcmp {pred} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::Cast { op, value } => format!("{op} {}", self.operand(value)),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                format!(
                    "select {}, {}, {}",
                    self.operand(cond),
                    self.operand(then_value),
                    self.operand(else_value)
                )
            }
            Op::Phi { incoming } => {
                let incoming: Vec<_> = incoming
                    .iter()
                    .map(|(block, value)| format!("{block}: {}", self.operand(value)))
                    .collect();
                format!("phi [{}]", incoming.join(", "))
            }
            Op::Freeze { value } => format!("freeze {}", self.operand(value)),
            Op::Load {
                address,
                align,
                volatile,
            } => {
                format!(
                    "load {} align {align}{}",
                    self.operand(address),
                    flag(*volatile, "volatile")
                )
            }
            Op::Store {
                address,
                value,
                align,
                volatile,
            } => {
                let (value, address) = (self.operand(value), self.operand(address));
                format!(
                    "store {value}, {address} align {align}{}",
                    flag(*volatile, "volatile")
                )
            }
            Op::Gep {
                base,
                indices,
                offset,
            } => self.gep(base, indices, *offset),
            Op::Alloca { size, align, count } => {
                format!("alloca {size} x {} align {align}", self.operand(count))
            }
            Op::Mem { op, args, volatile } => {
                format!("{op} {}{}", self.list(args), flag(*volatile, "volatile"))
            }
            Op::Intrinsic { op, args } => format!("{op}({})", self.list(args)),
            Op::Call {
                callee,
                args,
                variadic,
            } => {
                let callee = match callee {
                    Callee::Direct(id) => self.function_name(*id),
                    Callee::Extern(id) => self.extern_name(*id),
                    Callee::Indirect(target) => format!("*{}", self.operand(target)),
                    Callee::Asm(text) => format!("asm {}", quote(text)),
                };
                format!(
                    "call{} {callee}({})",
                    flag(*variadic, "variadic"),
                    self.list(args)
                )
            }
            Op::ExtractValue { aggregate, path } => {
                format!("extractvalue {} {}", self.operand(aggregate), indices(path))
            }
            Op::InsertValue {
                aggregate,
                value,
                path,
            } => {
                format!(
                    "insertvalue {}, {} {}",
                    self.operand(aggregate),
                    self.operand(value),
                    indices(path)
                )
            }
            Op::Count {
                counter,
                step,
                site,
            } => {
                let step = step
                    .as_ref()
                    .map(|step| format!(" step {}", self.operand(step)))
                    .unwrap_or_default();
                let site = site
                    .map(|site| format!(" {}", self.site(site)))
                    .unwrap_or_default();
                format!("count {counter}{step}{site}")
            }
            Op::Opaque { what, args } => format!("opaque {}({})", quote(what), self.list(args)),
        }
    }

    fn gep(&self, base: &Operand, indices: &[(Operand, i64)], offset: i64) -> String {
        let indices: Vec<_> = indices
            .iter()
            .map(|(index, scale)| format!("{} * {scale}", self.operand(index)))
            .collect();
        let indices = if indices.is_empty() {
            String::new()
        } else {
            format!(" [{}]", indices.join(", "))
        };
        format!("gep {}{indices}{}", self.operand(base), plus(offset))
    }

    fn terminator(&self, function: &Function, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Br { target } => format!("br {target}"),
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                format!(
                    "br {}, {then}, {els} {}",
                    self.operand(cond),
                    self.site(*site)
                )
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                let bits = match function.operand_type(value) {
                    Type::Int(bits) => bits,
                    _ => 128,
                };
                let cases: String = cases
                    .iter()
                    .map(|(case, block)| format!("{}: {block}, ", signed(bits, *case)))
                    .collect();
                format!(
                    "switch {} [{cases}default: {default}] {}",
                    self.operand(value),
                    self.site(*site)
                )
            }
            Terminator::Ret { value: None } => "ret".to_owned(),
            Terminator::Ret { value: Some(value) } => format!("ret {}", self.operand(value)),
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::IndirectBr { address, targets } => {
                format!("indirectbr {} {}", self.operand(address), indices(targets))
            }
            Terminator::Opaque {
                what,
                args,
                targets,
            } => {
                format!(
                    "leave {}({}) {}",
                    quote(what),
                    self.list(args),
                    indices(targets)
                )
            }
        }
    }

    fn site(&self, id: SiteId) -> String {
        let Some(site) = self.program.sites.get(id) else {
            return format!("[{id}]");
        };
        let range = site
            .range
            .map(|range| format!(" in {}", print_range(range)))
            .unwrap_or_default();
        let edges: Vec<_> = self
            .program
            .edges_of(id)
            .map(|edge| {
                let data = &self.program.edges[edge];
                let label = match &site.kind {
                    SiteKind::Branch | SiteKind::Select => {
                        if data.side == 0 { " false" } else { " true" }.to_owned()
                    }
                    SiteKind::Switch { bits, cases } => match cases.get(data.side as usize) {
                        Some(case) => format!(" {}", signed(*bits, *case)),
                        None => " default".to_owned(),
                    },
                    SiteKind::Probe => String::new(),
                };
                format!("{edge}{label}{}", counters(&data.counters))
            })
            .collect();
        format!("[{id}{}{range}: {}]", at(site.loc), edges.join(", "))
    }

    fn list(&self, operands: &[Operand]) -> String {
        operands
            .iter()
            .map(|operand| self.operand(operand))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Value(value) => value.to_string(),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    fn constant(&self, constant: &Const) -> String {
        match constant {
            Const::Int { bits: 1, value } => if *value == 0 { "false" } else { "true" }.to_owned(),
            Const::Int { bits, value } => format!("i{bits} {}", signed(*bits, *value)),
            Const::F32(bits) if f32::from_bits(*bits).is_finite() => {
                format!("f32 {:?}", f32::from_bits(*bits))
            }
            Const::F32(bits) => format!("f32 0x{bits:x}"),
            Const::F64(bits) if f64::from_bits(*bits).is_finite() => {
                format!("f64 {:?}", f64::from_bits(*bits))
            }
            Const::F64(bits) => format!("f64 0x{bits:x}"),
            Const::Null => "null".to_owned(),
            Const::Undef(ty) => format!("undef {}", print_type(ty)),
            Const::Poison(ty) => format!("poison {}", print_type(ty)),
            Const::Zero(ty) => format!("zero {}", print_type(ty)),
            Const::Aggregate(aggregate) => {
                let members: Vec<_> = aggregate
                    .members
                    .iter()
                    .map(|member| self.constant(member))
                    .collect();
                format!("{} [{}]", print_type(&aggregate.ty), members.join(", "))
            }
            Const::Global { global, offset: 0 } => self.global_name(*global),
            Const::Global { global, offset } => {
                format!("({}{})", self.global_name(*global), plus(*offset))
            }
            Const::Function(id) => self.function_name(*id),
            Const::Extern(id) => self.extern_name(*id),
            Const::Opaque { ty, what } => format!("opaque {} {}", print_type(ty), quote(what)),
        }
    }

    fn function_name(&self, id: FuncId) -> String {
        self.name(
            self.program
                .functions
                .get(id)
                .map(|function| function.name.as_str()),
            id,
        )
    }

    fn extern_name(&self, id: ExternId) -> String {
        self.name(
            self.program
                .externs
                .get(id)
                .map(|function| function.name.as_str()),
            id,
        )
    }

    fn global_name(&self, id: GlobalId) -> String {
        self.name(
            self.program
                .globals
                .get(id)
                .map(|global| global.name.as_str()),
            id,
        )
    }

    fn name(&self, name: Option<&str>, id: impl Display) -> String {
        match name.filter(|name| self.names[name] == 1) {
            Some(name) => quote_name(name),
            None => id.to_string(),
        }
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

pub(super) fn print_range(range: SourceRange) -> String {
    format!(
        "{}:{}..{}:{}",
        range.line, range.col, range.end_line, range.end_col
    )
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

fn at(loc: Option<Loc>) -> String {
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

fn flag(set: bool, word: &str) -> String {
    if set {
        format!(" {word}")
    } else {
        String::new()
    }
}

fn counters(counters: &[u32]) -> String {
    if counters.is_empty() {
        return String::new();
    }
    let counters: Vec<_> = counters.iter().map(ToString::to_string).collect();
    format!(" {{{}}}", counters.join(", "))
}

fn indices(items: &[impl Display]) -> String {
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
fn plus(offset: i64) -> String {
    match offset {
        0 => String::new(),
        1.. => format!(" + {offset}"),
        _ => format!(" - {}", offset.unsigned_abs()),
    }
}

/// The signed value of a bit pattern.
fn signed(bits: u32, value: u128) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}
